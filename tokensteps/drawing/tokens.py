"""The display of tokens, everywhere: as markup (`chip`, `chips`, `pair_chips`, `token_html`), in charts
(`chart_text`) or as plain text (`readable`).

No other module turns a token into markup. Plain text, `readable`'s included, goes through `escape` or `fill`
like all other text from learners. Invisible characters get a sign or a name: white space, control characters,
bytes of incomplete characters, skin tones by themselves.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from hashlib import blake2b
from html import escape
from itertools import pairwise
from typing import NamedTuple

import regex

from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokensteps.bounded import bounded, text_bytes
from tokensteps.limits import TOKENS_ROOM

PALETTE_SIZE = 10
TOKEN_SHOWN = 400
"""Characters of a token shown whole; a longer one shows its beginning and its end: a million letters can be
one token."""
SHOW = ("spaces", "letters", "symbols", "bytes")
"""Ways to write a token: as readable text, with its spaces as ␣ or with the tokenizer's own markers for them,
exactly as in the vocabulary file, or as bytes."""

VISIBLE = {" ": "␣", "\t": "⇥", "\n": "⏎", "\r": "␍"}
BYTE_LEVEL_VISIBLE = {" ": "Ġ", "\t": "ĉ", "\n": "Ċ", "\r": "č"}
METASPACE_VISIBLE = VISIBLE | {"▁": "␣"}

_CHIP = r'<bdi class="t [^>]*>(?:(?!</bdi>).)*</bdi>'
_PUNCTUATED = re.compile(
    rf"""((?<![A-Za-z])[A-Za-z]?[(\[“‘「『（《]+)?(?:<span class="pair">(?:{_CHIP})+</span>|{_CHIP})([.,:;!?)\]”’」』）》、。，：；！？…]+)?""",
    re.DOTALL,
)
"""A chip or a pair, and the punctuation right before and behind it."""
TAKES_SKIN_TONE = regex.compile(r"\p{Emoji_Modifier_Base}")
"""A hand or a face: the skin tone behind it is its colour."""
LEFT_TO_RIGHT = "\u200e"
"""An invisible mark that counts as a left-to-right letter."""


class Style(NamedTuple):
    """How the tokens of one tokenizer are shown."""

    byte_level: bool = False
    show: str = "letters"
    special_tokens: frozenset[str] = frozenset()


PLAIN = Style()


class Part(NamedTuple):
    """A stretch of a token as shown: ``text`` is the text itself, or the name of something invisible."""

    text: str
    named: bool = False


def colour(token: str) -> int:
    """The token's place in the palette: the same on every page, in every run, on every machine."""
    return blake2b(token.encode("utf-8", "surrogatepass"), digest_size=2).digest()[0] % PALETTE_SIZE


def parts(token: str, style: Style = PLAIN) -> list[Part]:
    """The parts to show of a token; of a very long one its beginning, its end, and the number of omitted
    characters.

    >>> parts("Ġthe", Style(byte_level=True)), parts("ãģĵ", Style(byte_level=True))
    ([Part(text='Ġthe', named=False)], [Part(text='こ', named=False)])
    >>> parts("ãģ", Style(byte_level=True))
    [Part(text='0xE3', named=True), Part(text='0x81', named=True)]
    >>> parts("a\\u202eb")
    [Part(text='a', named=False), Part(text='U+202E', named=True), Part(text='b', named=False)]
    >>> parts("Ġthe", Style(byte_level=True, show="spaces")), parts("▁the", Style(show="spaces"))
    ([Part(text='␣the', named=False)], [Part(text='␣the', named=False)])
    """
    if len(token) > TOKEN_SHOWN:
        half = TOKEN_SHOWN // 2
        left_out = Part(f"…{len(token) - 2 * half:,}…", True)
        return [*parts(token[:half], style), left_out, *parts(token[-half:], style)]
    if style.show == "symbols" or token in style.special_tokens:
        return _named(token, {})
    data = _bytes(token, style)
    if style.show == "bytes":
        return [Part(f"0x{byte:02X}", True) for byte in data]
    spaces = style.show == "spaces"
    if not style.byte_level:
        return _named(token, METASPACE_VISIBLE if spaces else VISIBLE)
    return _named(data.decode("utf-8", "surrogateescape"), VISIBLE if spaces else BYTE_LEVEL_VISIBLE)


def _token_size(markup: str, token: str, *_style: object) -> int:
    return text_bytes(markup, token)


@bounded(TOKENS_ROOM, _token_size)
def readable(token: str, style: Style = PLAIN) -> str:
    """A token as plain text, for screen readers and tables.

    Beside right-to-left letters, the names of bytes keep their order by marks: without them, `ל0xD7` shows as
    `0לxD7`.

    >>> readable("ãģ", Style(byte_level=True)), readable("×ľ×", Style(byte_level=True))
    ('0xE3 0x81', '\u200eל\u200e0xD7')
    """
    shown = ""
    named = False
    result = parts(token, style)
    mark = LEFT_TO_RIGHT if len(result) > 1 and any(map(_turns, result)) else ""
    for part in result:
        shown += f" {part.text}" if named and part.named else mark + part.text
        named = part.named
    return shown


def _turns(part: Part) -> bool:
    """Whether a part has right-to-left letters."""
    return not part.named and any(unicodedata.bidirectional(one) in ("R", "AL") for one in part.text)


def removed_label(token: str, style: Style) -> str:
    """The label in a timeline for a token's removal."""
    return f"<s>{token_html(token, style)}</s>"


@bounded(TOKENS_ROOM, _token_size)
def token_html(token: str, style: Style = PLAIN) -> str:
    """A token's text as markup, without a chip around it."""
    return "".join(
        f"<bdi class=x>{escape(part.text)}</bdi>" if part.named else escape(part.text)
        for part in parts(token, style)
    )


@bounded(TOKENS_ROOM, _token_size)
def chip(token: str, style: Style = PLAIN, classes: str = "") -> str:
    """A token as a coloured chip. `<bdi>` keeps right-to-left text from reordering its neighbours."""
    return (
        f'<bdi class="t c{colour(token)}{" " + classes if classes else ""}">{token_html(token, style)}</bdi>'
    )


def chips(tokens: Iterable[str], style: Style = PLAIN) -> str:
    """Tokens as chips in a row."""
    return "".join(chip(token, style) for token in tokens)


def chart_text(text: str) -> str:
    """`readable` text for Plotly, as it interprets tags in labels and hovers.

    >>> chart_text("<b>hug</b>")
    '&lt;b&gt;hug&lt;/b&gt;'
    """
    return escape(text, quote=False)


def lit_id(*tokens: str) -> str:
    """A name for a token or a pair in `data-pick` and `data-of`, the same in every frame: see
    `tokensteps.drawing.frame.payload`."""
    name = "\0".join(tokens).encode("utf-8", "surrogatepass")
    return blake2b(name, digest_size=5).hexdigest()


def lit_chip(token: str, ids: str, style: Style = PLAIN, classes: str = "") -> str:
    """A chip that lights up with the elements of these `ids`, separated by spaces; "" for none."""
    drawn = chip(token, style, classes)
    return drawn.replace(">", f' data-of="{ids}">', 1) if ids else drawn


def pair_chips(pair: Pair, style: Style = PLAIN) -> str:
    """Two joined chips."""
    return f'<span class="pair">{chips(pair, style)}</span>'


def pair_text(pair: Pair, style: Style = PLAIN) -> str:
    """A pair as plain text.

    >>> pair_text(Pair("h", "ug"))
    'h + ug'
    """
    return f"{readable(pair.first, style)} + {readable(pair.second, style)}"


def fill(message: str, **markup: str) -> str:
    """A translated message as markup: the message is escaped, its fields are markup already.

    >>> fill("{token} occurs <n> times", token="<b>x</b>")
    '<b>x</b> occurs &lt;n&gt; times'
    >>> fill("without {token}, nothing", token='<bdi class="t c2">s</bdi>')
    'without <span class="nb"><bdi class="t c2">s</bdi>,</span> nothing'
    """
    return keep_with_punctuation(escape(message, quote=False).format(**markup))


def keep_with_punctuation(html: str) -> str:
    """Markup with each chip kept on one line with the punctuation around it.

    >>> keep_with_punctuation('P(<bdi class="t c1">hug</bdi>), or <bdi class="t c2">s</bdi> alone')
    '<span class="nb">P(<bdi class="t c1">hug</bdi>),</span> or <bdi class="t c2">s</bdi> alone'
    """
    return _PUNCTUATED.sub(
        lambda match: f'<span class="nb">{match[0]}</span>' if match[1] or match[2] else match[0], html
    )


def _bytes(token: str, style: Style) -> bytes:
    if style.byte_level:
        try:
            return symbols_to_bytes(token)
        except TokenizersCoreError:
            pass  # not in the byte alphabet, such as an end-of-word symbol: use the bytes of its text
    return token.encode("utf-8", "surrogatepass")


def _named(text: str, visible: dict[str, str]) -> list[Part]:
    shown: list[Part] = []
    # A combining mark would be drawn on the chip before it: put it on a dotted circle.
    plain = "◌" if text and unicodedata.category(text[0]) in ("Mn", "Me", "Mc") else ""
    for before, character in pairwise(" " + text):
        name = "" if character in visible else _name(character, before)
        if not name:
            plain += visible.get(character, character)
            continue
        if plain:
            shown.append(Part(plain))
            plain = ""
        shown.append(Part(name, True))
    if plain:
        shown.append(Part(plain))
    return shown


def _name(character: str, before: str) -> str:
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:
        return f"0x{point - 0xDC00:02X}"  # a byte without text
    # Most fonts have no sign for a skin tone by itself.
    is_alone = "\U0001f3fb" <= character <= "\U0001f3ff" and not TAKES_SKIN_TONE.match(before)
    if is_alone or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp", "Zs"):
        return f"U+{point:04X}"
    return ""
