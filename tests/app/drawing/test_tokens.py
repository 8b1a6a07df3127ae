"""Tokens as markup (`tokensteps/drawing/tokens.py`): the one module for tokens as markup, so the one that
must escape them.

Oracles: Python's `html.parser`, which reads the markup back; a plain spelling-out of the visible text,
written here character by character; `unicodedata`. The colours are pinned: they may never change between runs
or machines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.markup import Reader
from tokenizers_core.text.byte_alphabet import SYMBOL_TO_BYTE, bytes_to_symbols
from tokensteps.drawing.tokens import (
    PALETTE_SIZE,
    SHOW,
    Part,
    Style,
    chip,
    chips,
    colour,
    fill,
    parts,
    readable,
    token_html,
)
from tokensteps.language.terms import TERMS

HOSTILE = [
    "<script>alert(1)</script>",
    '<img src="http://evil.test/x.png" onerror=alert(1)>',
    "</bdi></div></template>",
    "&lt;b&gt;",
    "\"' onclick='x",
    "{field}{0}",
    "![](http://evil.test) [x](javascript:1) :red[x] $x$",
    "\u202ertl\u2066\u200f",
    "\u0301\u0301",
    "\ud800",
    "\x00\x1b[31m",
    "",
]
text = st.text(st.characters(categories=["L", "M", "N", "P", "S", "Z", "C"]), max_size=12) | st.sampled_from(
    HOSTILE
)
byte_token = st.binary(max_size=8).map(bytes_to_symbols)

MARKS = {("role", "button"), ("tabindex", "0"), *(("data-term", term) for term in TERMS)}
"""The mark of an existing term."""


class Read(Reader):
    """Markup read back: its tags, its attributes, its text, and whether every element was closed in order."""

    IMPLIED = frozenset({"tr", "td", "th"})
    """HTML closes these by itself."""

    def __init__(self, markup: str) -> None:
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.text = ""
        self.open: list[str] = []
        super().__init__(markup)
        assert self.open == [], f"not closed: {self.open} in {markup!r}"

    def understand(
        self, tag: str, attrs: list[tuple[str, str | None]]
    ) -> tuple[str, frozenset[tuple[str, str]]]:
        return tag, frozenset((name, value or "") for name, value in attrs)

    def take(self, understood: tuple[str, frozenset[tuple[str, str]]]) -> None:
        tag, attributes = understood
        self.tags.add(tag)
        self.attributes |= attributes
        if tag not in self.IMPLIED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


class Spoken(HTMLParser):
    """All of the Python parser's events, one after the other; text in one piece."""

    def __init__(self, markup: str) -> None:
        self.events: list[Any] = []
        super().__init__(convert_charrefs=True)
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append((tag, *attrs))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        data = self.events.pop() + data if self.events and self.events[-1][:1] == "=" else f"={data}"
        self.events.append(data)

    def handle_comment(self, data: str) -> None:
        self.events.append(f"!{data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


class Retold(Reader):
    """The same by the reader of all these tests."""

    def __init__(self, markup: str) -> None:
        self.events: list[Any] = []
        super().__init__(markup)

    def understand(self, tag: str, attrs: list[tuple[str, str | None]]) -> Any:
        return (tag, *attrs)

    def take(self, understood: Any) -> None:
        self.events.append(understood)

    handle_endtag, handle_data, handle_comment = (
        Spoken.handle_endtag,
        Spoken.handle_data,
        Spoken.handle_comment,
    )
    handle_decl = handle_pi = unknown_decl = handle_comment


markup_pieces = st.sampled_from(
    [
        *HOSTILE,
        *('<p class="a">', "<p class='a>b'>", "<b data-x='\"'>", "<br/>", "<wbr>", "<B ID=x y>", "<style>", "<p a=", ">", "'"),
        *("</p>", "</style>", "</b >", "</script>", "</P>", "<", "&", "&amp;", "&lt", "&#38;", "x y", "&ampx", "<!--", "-->", "<?x", "<![CDATA["),
    ]
)  # fmt: skip


@given(st.lists(markup_pieces, max_size=8).map("".join))
def test_the_reader_agrees_with_pythons_parser(markup: str) -> None:
    assert Retold(markup).events == Spoken(markup).events


def lights_up(name: str, value: str) -> bool:
    """Whether an attribute links a number with the counted places: a button's, and nothing but digests."""
    digests = re.fullmatch(r"[0-9a-f]{10}( [0-9a-f]{10})*", value)
    return (name, value) == ("type", "button") or (name in ("data-of", "data-pick") and digests is not None)


def expect_markup(markup: str, tags: Collection[str], attributes: Collection[str] = ("class",)) -> Read:
    """Read markup with these tags and attributes, marked terms, highlights, and nothing else."""
    read = Read(markup)
    assert read.tags <= set(tags), markup
    others = {
        name for name, value in read.attributes if (name, value) not in MARKS and not lights_up(name, value)
    }
    assert others <= set(attributes), markup
    return read


def spelled_out(token: str, spaces: dict[str, str]) -> str:
    """The visible form of a text, one character at a time."""
    shown = ""
    for character in token:
        if character in spaces:
            shown += spaces[character]
        elif 0xDC80 <= ord(character) <= 0xDCFF:
            shown += f"0x{ord(character) - 0xDC00:02X}"
        elif (
            unicodedata.category(character)[0] == "C"
            or unicodedata.category(character) in ("Zs", "Zl", "Zp")
            or character in "🏻🏼🏽🏾🏿"  # behind no hand in a random text
        ):
            shown += f"U+{ord(character):04X}"
        else:
            shown += character
    return "◌" + shown if token and unicodedata.category(token[0]) in ("Mn", "Me", "Mc") else shown


@given(text)
@example("<b>")
def test_markup_holds_the_visible_text_and_nothing_else(token: str) -> None:
    shown = spelled_out(token, {" ": "␣", "\t": "⇥", "\n": "⏎", "\r": "␍"})
    read = expect_markup(token_html(token), {"bdi"})
    assert read.text == shown
    assert expect_markup(chip(token), {"bdi"}).text == shown


@given(text | byte_token, st.booleans(), st.sampled_from(SHOW), st.booleans())
def test_no_style_lets_markup_through(token: str, byte_level: bool, show: str, special: bool) -> None:
    style = Style(byte_level, show, frozenset([token] if special else []))
    read = expect_markup(chip(token, style, "hot"), {"bdi"})
    assert ("class", f"t c{colour(token)} hot") in read.attributes
    assert read.text == "".join(part.text for part in parts(token, style))
    assert readable(token, style).replace(" ", "") == read.text.replace(" ", "")
    for character in readable(token, style):
        assert unicodedata.category(character)[0] != "C", f"{character!r} can't be seen"


@given(byte_token)
def test_bytes_are_true(token: str) -> None:
    """A byte-level token shows its bytes' text; invalid text is shown as bytes, never as U+FFFD."""
    data = bytes(SYMBOL_TO_BYTE[symbol] for symbol in token)
    letters = token_html(token, Style(byte_level=True))
    expected = spelled_out(
        data.decode("utf-8", "surrogateescape"), {" ": "Ġ", "\t": "ĉ", "\n": "Ċ", "\r": "č"}
    )
    assert Read(letters).text == expected
    as_bytes = Read(token_html(token, Style(byte_level=True, show="bytes"))).text
    assert as_bytes == "".join(f"0x{byte:02X}" for byte in data)
    assert Read(token_html(token, Style(byte_level=True, show="symbols"))).text == token


def test_pieces_of_a_character() -> None:
    """こ is E3 81 93: its three bytes, alone, in part and whole."""
    style = Style(byte_level=True)
    first, second, third = bytes_to_symbols("こ".encode())
    assert readable(first, style) == "0xE3"
    assert readable(first + second, style) == "0xE3 0x81"
    assert readable(second + third, style) == "0x81 0x93"
    assert readable(first + second + third, style) == "こ"
    assert parts("a" + first, style) == [Part("a"), Part("0xE3", named=True)]
    assert readable("\ufffd") == "\ufffd"  # one from the text itself


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("\u202eabc", "U+202Eabc"),
        ("\u0301", "◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("a\u00a0b", "aU+00A0b"),
        ("\x00", "U+0000"),
        ("\u200d", "U+200D"),
        ("\ue000", "U+E000"),
        (" \t\n\r", "␣⇥⏎␍"),
        ("👩‍🍳", "👩U+200D🍳"),
        ("##🏽", "##U+1F3FD"),
        ("🏽🏿", "U+1F3FDU+1F3FF"),
        ("👍🏽", "👍🏽"),
    ],
)
def test_the_invisible_is_named(token: str, shown: str) -> None:
    assert Read(token_html(token)).text == shown


def test_special_tokens_are_shown_as_they_are() -> None:
    style = Style(byte_level=True, special_tokens=frozenset(["<|endoftext|>", "<b> x"]))
    assert Read(chip("<|endoftext|>", style)).text == "<|endoftext|>"
    assert Read(chip("<b> x", style)).tags == {"bdi"}


def test_colours_never_change() -> None:
    pinned = {"Ġt": 4, "is": 4, "er": 6, "<|endoftext|>": 8, "こ": 9, "": 7, "\ud800": 6}
    assert {token: colour(token) for token in pinned} == pinned
    assert {colour(str(number)) for number in range(500)} == set(range(PALETTE_SIZE))


@given(st.lists(text, max_size=4))
def test_chips_in_a_row(tokens: list[str]) -> None:
    read = expect_markup(chips(tokens), {"bdi"})
    assert read.text == "".join(Read(chip(token)).text for token in tokens)


@given(text)
def test_fill_escapes_the_message_and_keeps_the_fields(hostile: str) -> None:
    message = hostile.replace("{", "{{").replace("}", "}}") + " {pair}!"
    read = expect_markup(fill(message, pair="<b>p</b>"), {"b"})
    assert read.text == f"{hostile} p!"
