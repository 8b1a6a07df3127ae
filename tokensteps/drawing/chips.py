"""The tokens of a text as coloured chips; `assets/components/chips.js` links them to their ids and details.

All text from learners and vocabularies becomes markup through `tokensteps.drawing.tokens` and `html.escape`
alone. The chips show signs in place of invisible characters; the text itself travels beside them, for
copying.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple

from tokenizers_core.text.patterns import regex
from tokensteps.bounded import bounded, text_bytes
from tokensteps.drawing.tokens import PLAIN, VISIBLE, Style, colour, readable, token_html
from tokensteps.limits import CHIPS_ROOM

WRITE: Final = ("text", "ids", "bytes")
CHIP_LABELS: Final = (
    "pane",
    "chip",
    "unknown",
    "ids",
    "card",
    "hint",
    "empty",
    "token",
    "tokens",
    "characters",
    "copy_ids",
    "copy_tokens",
    "copy_text",
    "copied",
    "rest_one",
    "rest_other",
)
LONGEST: Final = 1000
"""Characters (or bytes) that a chip shows; of longer text it shows the beginning, and copies all."""
_LONG: Final = 24
"""A chip with more characters than these may break across lines."""
_SPOKEN: Final = 80


Version = tuple[int, int]
"""Of a text in a text box: which text the page gave, and how often it was changed since."""


class Shown(NamedTuple):
    """How tokens are shown: written as "text", "ids" or "bytes", white space as signs or unchanged."""

    write: str = "text"
    spaces: bool = True
    style: Style = PLAIN


class Piece(NamedTuple):
    """A token at its place in the text: characters `start` to `end`."""

    id: int
    token: str
    data: bytes
    start: int
    end: int
    special: bool
    unknown: bool


class TextRun(NamedTuple):
    """A stretch of text with its tokens.

    Usually one; several when they share a character; none for text without a token. Text may be empty: [CLS].
    """

    text: str
    start: int
    end: int
    pieces: tuple[Piece, ...]


class _Drawn(NamedTuple):
    """A run drawn, apart from its place; or, without `text`, markup between runs."""

    html: str
    text: str | None = None
    ids: tuple[int, ...] = ()
    direction: str = ""
    breaks: bool = False


BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
MOST_BRACKETS: Final = 63
"""How many may be open at once: those after them stay as they are (UAX 9, BD16)."""
_LINES: Final = {way: _Drawn(f"<div class=l dir={way}>") for way in ("ltr", "rtl")}
_FLOWS: Final = {way: _Drawn(f"<span class=f dir={way}>") for way in ("ltr", "rtl")}
_LINE_END: Final = _Drawn("</div>")
_FLOW_END: Final = _Drawn("</span>")

_SPACE_SIGNS: Final = {character: f"<i>{sign}</i>" for character, sign in VISIBLE.items()}
# A sequence such as a family of three is one picture: the joiners in it need no names.
_PICTURE: Final = r"(?=\p{Extended_Pictographic})\X(?<!\u200d)"
_WITH_SIGNS: Final = regex.compile(rf"([ \t\n\r]|{_PICTURE})")
_AS_IT_IS: Final = regex.compile(rf"([\t\n\r\p{{Zs}}]|{_PICTURE})")


def chips_html(
    runs: Sequence[TextRun], shown: Shown, *, chip: str = "{text}: {ids}", unknown: str = "unk"
) -> str:
    """Return the chips of `runs` as markup: a block per line of text, in it a `<bdi class=r>` per run.

    `chip` says a chip to screen readers, `unknown` marks unknown tokens; both are plain text.
    """
    return "".join(drawn.html for drawn in _drawn_lines(runs, shown, chip, unknown))


def chips_message(
    runs: Sequence[TextRun],
    shown: Shown,
    cards: Mapping[int, str] | None,
    labels: Mapping[str, str],
    page: str,
    linked: bool = True,
    *,
    first: int = 0,
    total: int | None = None,
    head: Sequence[str] = (),
    version: Version = (0, 0),
) -> bytes:
    """Pack the chips for the browser; the same arguments always give the same bytes.

    `cards` are the tokens' details by id, trusted markup: escape what you put in; None leaves the browser's
    present ones, dimmed. `head` is blocks of such markup, shown above the chips. `version` is the text's
    version: a message older than the text on the page is ignored. `page` names the contents (the tokenizer,
    the part of a long text, the language): with another one the browser forgets the pinned token and the
    scroll position. `linked` ties the chips to the text box on the page. `first` is the number of tokens
    before these, `total` the number of all.

    `labels` needs the keys in `CHIP_LABELS`, plain text, and may have "why", for a button about the pinned
    token: "chip" holds `{text}` and `{ids}`; "token" may hold `{index}` and `{total}`, "tokens" also
    `{last}`, "characters" `{start}` and `{end}` (as in a slice), "copied" `{number}` and `{total}`,
    "rest_one" and "rest_other" `{number}`.
    "language" (BCP 47, default "en") decides the format of numbers.

    Raises `ValueError` when a label is missing.
    """
    missing = [name for name in CHIP_LABELS if name not in labels]
    if missing:
        raise ValueError(f"labels lack {', '.join(missing)}; the browser writes no words of its own.")
    # Most tokens occur more than once: each kind of chip is sent once, and its number wherever it occurs.
    numbers: dict[int, int] = {}
    kinds: list[_Drawn] = []
    order = []
    for drawn in _drawn_lines(runs, shown, labels["chip"], labels["unknown"]):
        number = numbers.setdefault(id(drawn), len(kinds))
        if number == len(kinds):
            kinds.append(drawn)
        order.append(number)
    names = {piece.id: piece.token for run in runs for piece in run.pieces}
    count = sum([len(run.pieces) for run in runs])
    message = {
        "version": version,
        "page": page,
        "head": [*head],
        "linked": linked,
        "first": first,
        "total": first + count if total is None else total,
        "labels": {
            "language": "en",
            **{name: labels[name] for name in sorted({*CHIP_LABELS, "language", "why"} & {*labels})},
        },
        "kinds": [[kind.html] if kind.text is None else [kind.html, kind.text, *kind.ids] for kind in kinds],
        "order": order,
        "places": [index for run in runs for index in (run.start, run.end)],
        "cards": None
        if cards is None
        else {identifier: cards[identifier] for identifier in sorted(names) if identifier in cards},
        "names": dict(sorted(names.items())),
    }
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # a lone surrogate: JSON can write it as an escape
        return json.dumps(message, separators=(",", ":")).encode()


def _drawn_lines(runs: Sequence[TextRun], shown: Shown, chip: str, unknown: str) -> Iterator[_Drawn]:
    line: list[_Drawn] = []
    result: dict[tuple[Any, ...], _Drawn] = {}  # quicker than the shared cache
    for text, _, _, pieces in runs:
        tokens = tuple([(piece[0], piece[1], piece[2], piece[5], piece[6]) for piece in pieces])
        drawn = result.get((text, tokens))
        if drawn is None:
            drawn = result[text, tokens] = draw_text_run(text, tokens, shown, chip, unknown)
        line.append(drawn)
        if drawn.breaks:
            yield from _line(line)
            line = []
    if line:
        yield from _line(line)


def _line(chips: Sequence[_Drawn]) -> Iterator[_Drawn]:
    """Put chips into a line of text, with the direction of its first directed chip; chips of the other
    direction stay together.

    `dir=auto` can't be used: to find a line's direction, a browser does not look into the isolates in it.
    """
    ways = [drawn.direction for drawn in chips]
    base = next((way for way in ways if way in ("ltr", "rtl")), "ltr")
    yield _LINES[base]
    if all(way in ("", base) or (way, base) == ("number", "ltr") for way in ways):
        yield from chips
    else:
        # Numbers always run from left to right; a chip without a direction joins its neighbours when they
        # agree.
        other = {"ltr": "rtl", "rtl": "ltr"}[base]
        _direct_brackets(chips, ways, base)
        against = {other, "number"} if base == "rtl" else {other}
        at = 0
        while at < len(chips):
            if ways[at] not in against:
                yield chips[at]
                at += 1
                continue
            end = at
            for ahead in range(at, len(chips)):
                if ways[ahead] in against:
                    end = ahead
                elif ways[ahead] == base:
                    break
            yield _FLOWS[other]
            yield from chips[at : end + 1]
            yield _FLOW_END
            at = end + 1
    yield _LINE_END


def _direct_brackets(chips: Sequence[_Drawn], ways: list[str], base: str) -> None:
    """Give the brackets around text of the other direction one of their own, as browsers do (UAX 9, rule
    N0): the other one if that comes before them, too, and else the line's, which also wins inside."""
    opened: list[tuple[str, int, str]] = []
    before = base
    for at, drawn in enumerate(chips):
        if ways[at] in ("ltr", "rtl"):
            before = ways[at]
        bracket = "" if ways[at] else (drawn.text or "").strip()
        if bracket in BRACKETS:
            if len(opened) == MOST_BRACKETS:
                return
            opened.append((BRACKETS[bracket], at, before))
        elif any(bracket == closing for closing, _start, _outside in opened):
            while (pair := opened.pop())[0] != bracket:
                pass
            _closing, start, outside = pair
            if inside := {way for way in ways[start + 1 : at] if way}:
                ways[start] = ways[at] = before = base if base in inside else outside


def run_chip(run: TextRun, counted: bool = True) -> str:
    """A stretch of text with its tokens as one chip in a sentence. `counted` gives the number of tokens that
    share it.

    >>> first, second = (Piece(0, one, b"", 0, 1, False, False) for one in "ÃŁ")
    >>> run_chip(TextRun("ß", 0, 1, (first, second)))
    '<bdi class="t c1" data-n="2">ß</bdi>'
    """
    share = f' data-n="{len(run.pieces)}"' if counted and len(run.pieces) > 1 else ""
    unknown = " u" if any(piece.unknown for piece in run.pieces) else ""
    hue = colour(run.pieces[0].token) if run.pieces else 0
    return f'<bdi class="t c{hue}{unknown}"{share}>{token_html(run.text)}</bdi>'


def line_html(drawn: Sequence[tuple[str, str]]) -> str:
    """Return other chips, each with its text, as one line of text in reading order.

    >>> line_html([("<b>hug</b>", "hug")])
    '<div class=l dir=ltr><b>hug</b></div>'
    """
    return "".join(
        part.html for part in _line([_Drawn(html, text, (), direction(text)) for html, text in drawn])
    )


def _drawing_size(
    drawing: _Drawn, text: str, tokens: tuple[tuple[int, str, bytes, bool, bool], ...], *_settings: object
) -> int:
    return text_bytes(drawing, text, tokens)


@bounded(CHIPS_ROOM, _drawing_size)
def draw_text_run(
    text: str,
    tokens: tuple[tuple[int, str, bytes, bool, bool], ...],
    shown: Shown,
    label: str,
    unknown: str,
) -> _Drawn:
    breaks = "\n" in text if shown.spaces else text.endswith("\n")
    if not tokens:
        return _Drawn(
            f"<bdi class='r gap'>{_text_html(text, shown.spaces)}</bdi>", text, (), direction(text), breaks
        )
    ids = tuple([token[0] for token in tokens])
    said = (
        readable(text[:_SPOKEN]) if text else " ".join([readable(token[1], shown.style) for token in tokens])
    )
    said = label.replace("{ids}", ", ".join(map(str, ids))).replace("{text}", said)
    lost = any(token[4] for token in tokens)
    said = f' role=option aria-label="{escape(f"{said} {unknown}" if lost else said)}"'
    marks = (" s" if not text or all(token[3] for token in tokens) else "") + (" u" if lost else "")
    if lost:
        said += f' data-n="{escape(unknown)}"'
    elif len(tokens) > 1 and shown.write == "text":
        said += f' data-n="{len(tokens)}"'
    if len(tokens) > 1 and shown.write != "text":
        html = "".join([_one(token, shown) for token in tokens])
        return _Drawn(f'<bdi class="r many{marks}"{said}>{html}</bdi><wbr>', text, ids, "", breaks)
    if shown.write == "text" and text:
        marks += " long" if len(text) > _LONG else ""
        # The end of the line shows the newline.
        html = _text_html(text[:-1] if breaks and not shown.spaces else text, shown.spaces)
        # Lines break at white space; the signs in its place would not allow it.
        html = f'<bdi class="r t c{colour(tokens[0][1])}{marks}"{said}>{html}</bdi>'
        html = ("<wbr>" if text[0] in " \t\u3000" else "") + html + ("<wbr>" if text[-1].isspace() else "")
        return _Drawn(html, text, ids, direction(text), breaks)
    if shown.write == "text":
        name = " ".join([token_html(token[1], shown.style) for token in tokens])
        return _Drawn(
            f'<bdi class="r t c{colour(tokens[0][1])}{marks}"{said}>{name}</bdi><wbr>', text, ids, "", breaks
        )
    return _Drawn(f"{_one(tokens[0], shown, f' r{marks}', said)}<wbr>", text, ids, "", breaks)


def _one(
    token: tuple[int, str, bytes, bool, bool], shown: Shown, marks: str = "", attributes: str = ""
) -> str:
    """A token as a chip with its id or its bytes."""
    identifier, name, data, _, _ = token
    if shown.write == "ids":
        html = str(identifier)
    elif not data:  # added by the tokenizer, like [CLS]: no bytes of the text
        html = token_html(name, shown.style)
    else:
        html = " ".join([f"0x{byte:02X}" for byte in data[:LONGEST]]) + (
            "<i>…</i>" if len(data) > LONGEST else ""
        )
        marks += " long" if len(data) > _LONG // 4 else ""
    return f'<bdi class="t c{colour(name)}{marks}"{attributes}>{html}</bdi>'


def _text_html(text: str, signs: bool) -> str:
    """Text as markup: white space as signs or unchanged, other invisible characters by their names."""
    if len(text) > LONGEST:
        return _text_html(text[:LONGEST], signs) + "<i>…</i>"
    html = []
    for at, part in enumerate((_WITH_SIGNS if signs else _AS_IT_IS).split(text)):
        if not at % 2:
            html.append(token_html(part))
        elif signs:
            html.append(_SPACE_SIGNS.get(part) or escape(part))
        else:
            html.append("&#13;" if part == "\r" else escape(part))
    return "".join(html)


def direction(text: str) -> str:
    """The direction of a line with this text: its first letter's; "number" for digits without letters."""
    number = ""
    for character in text[:LONGEST]:
        kind = unicodedata.bidirectional(character)
        if kind == "L":
            return "ltr"
        if kind in ("R", "AL"):
            return "rtl"
        if kind in ("EN", "AN"):
            number = "number"
    return number
