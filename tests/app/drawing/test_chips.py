"""The text box and the chips of the playground, drawn and packed (`tokensteps/drawing/chips.py`,
`tokensteps/components/editor.py`).

Oracle: the markup read back by Python's `html.parser` and its signs undone here, character by character, to
give the input text; and the array that is copied from.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.markup import Reader
from tokensteps.components.editor import Typed, as_typed, editor, text_reported
from tokensteps.drawing.chips import CHIP_LABELS as NAMES
from tokensteps.drawing.chips import LONGEST, WRITE, Piece, Shown, TextRun, chips_html, chips_message
from tokensteps.drawing.tokens import Style, colour

LABELS = {name: name for name in NAMES} | {"chip": "{text}: {ids}"}
HOSTILE = [
    "<script>alert(1)</script>",
    '<img src="http://evil.test/x.png" onerror=alert(1)>',
    "</bdi></div></template>",
    "&lt;b&gt; &amp;#60;",
    "\"' onclick='x",
    "{text}{ids}{0}",
    "\u202ertl\u2066\u200f",
    "\u0301\u0301",
    "\ud800",
    "\x00\x1b[31m",
    "a\r\n\tb\u3000\xa0c\n\n",
    "👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👨\u200d",
]
SIGNS = {"␣": " ", "⇥": "\t", "⏎": "\n", "␍": "\r", "…": ""}
characters = st.characters(categories=["L", "M", "N", "P", "S", "Z", "C"], exclude_characters="◌")
words = (
    st.text(characters, min_size=1, max_size=8)
    | st.sampled_from(HOSTILE)
    | st.sampled_from([" ", "\n", " the"])
)


def piece(identifier: int, token: str, **changes: Any) -> Piece:
    data = token.encode("utf-8", "surrogatepass")
    return Piece(identifier, token, data, 0, len(token), False, False)._replace(**changes)


@st.composite
def texts(draw: st.DrawFn) -> list[TextRun]:
    """Runs of zero to three pieces over a text, and some without text."""
    result, at = [], 0
    for word in draw(st.lists(words | st.just(""), max_size=8)):
        names = draw(st.lists(words, min_size=0 if word else 1, max_size=3))
        pieces = [
            piece(draw(st.integers(0, 9)), name, special=draw(st.booleans()), unknown=draw(st.booleans()))
            for name in names
        ]
        result.append(TextRun(word, at, at + len(word), tuple(pieces)))
        at += len(word)
    return result


class Read(Reader):
    """Chips read back: for each run its classes, attributes, and its text with the signs undone."""

    def __init__(self, markup: str) -> None:
        self.open: list[str] = []
        self.runs: list[dict[str, Any]] = []
        self.lines: list[str] = []
        self.flows = 0
        super().__init__(markup)
        assert self.open == [], f"not closed: {self.open} in {markup!r}"

    def understand(self, tag: str, attrs: list[tuple[str, str | None]]) -> tuple[str, dict[str, str]]:
        return tag, {name: value or "" for name, value in attrs}

    def take(self, understood: tuple[str, dict[str, str]]) -> None:
        tag, result = understood
        kinds = result.get("class", "").split()
        assert set(result) <= {"class", "dir", "role", "aria-label", "data-n"}
        if tag == "div":
            assert self.open == [] and kinds == ["l"]
            self.lines.append(result["dir"])
        elif tag == "span":
            assert self.open == ["div"] and kinds == ["f"]
            self.flows += 1
        elif tag != "wbr":
            assert tag in ("bdi", "i")
        if "r" in kinds:
            self.runs.append(
                {**result, "kinds": kinds, "text": "", "seen": "", "line": len(self.lines), "chips": []}
            )
        elif "t" in kinds:
            self.runs[-1]["chips"].append("")
        if tag != "wbr":
            self.open.append("x" if "x" in kinds else tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().replace("x", "bdi") == tag

    def handle_data(self, data: str) -> None:
        run = self.runs[-1]
        assert "bdi" in self.open, f"text outside of a run: {data!r}"
        run["seen"] += data
        if run["chips"]:
            run["chips"][-1] += data
        if self.open[-1] == "i":
            run["text"] += SIGNS[data]
        elif self.open[-1] == "x" and "…" not in data:  # else it says how much is left out
            run["text"] += chr(int(data[2:], 16) + (0xDC00 if data.startswith("0x") else 0))
        else:
            run["text"] += data


def undone(text: str) -> str:
    """Without the circles under combining marks."""
    return "".join(
        character
        for at, character in enumerate(text)
        if character != "◌" or not unicodedata.category((text + " ")[at + 1]).startswith("M")
    )


@given(texts(), st.booleans())
@example([TextRun(text, 0, 1, (piece(1, text),)) for text in HOSTILE], True)
@example([TextRun(text, 0, 1, (piece(1, text),)) for text in HOSTILE], False)
def test_chips_give_back_the_text(runs: list[TextRun], spaces: bool) -> None:
    read = Read(chips_html(runs, Shown(spaces=spaces))).runs
    assert len(read) == len(runs)
    for run, result in zip(runs, read, strict=True):
        if not run.text:
            assert "s" in result["kinds"]
            continue
        text = undone(result["text"])
        if run.pieces and not spaces and run.text.endswith("\n"):
            text += "\n"  # the end of the line stands for it
        assert text == run.text
        assert ("role" in result) == bool(run.pieces)


@given(texts(), st.sampled_from(WRITE), st.booleans())
@example([TextRun(text, 0, 1, (piece(1, text), piece(2, text))) for text in HOSTILE], "bytes", True)
def test_payload_holds_text_places_and_ids(runs: list[TextRun], write: str, spaces: bool) -> None:
    shown = Shown(write, spaces)
    cards = {identifier: f"<p>{identifier}</p>" for identifier in range(5)}
    data = chips_message(runs, shown, cards, LABELS, "page", first=40)
    assert data == chips_message(runs, shown, cards, LABELS, "page", first=40)
    message = json.loads(data)
    kinds = [message["kinds"][kind] for kind in message["order"]]
    drawn = [kind for kind in kinds if len(kind) > 1]
    assert "".join(kind[0] for kind in kinds) == chips_html(runs, shown, unknown="unknown")
    assert [kind[1] for kind in drawn] == [run.text for run in runs]
    assert [kind[2:] for kind in drawn] == [[token.id for token in run.pieces] for run in runs]
    assert message["places"] == [index for run in runs for index in (run.start, run.end)]
    used = {token.id for run in runs for token in run.pieces}
    assert set(message["cards"]) == {str(identifier) for identifier in used if identifier < 5}
    names = {str(token.id): token.token for run in runs for token in run.pieces}
    assert message["names"] == names
    assert message["total"] == 40 + sum(len(run.pieces) for run in runs)


@pytest.mark.parametrize("write", WRITE)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str, write: str) -> None:
    token = piece(0, text)
    runs = [
        TextRun(text, 0, 1, (token,)),
        TextRun(text, 0, 1, (token, token._replace(special=True))),
        TextRun("", 0, 0, (token._replace(data=b"", special=True),)),
        TextRun(text, 0, 1, ()),
    ]
    for spaces in (True, False):
        style = Style(special_tokens=frozenset({text}))
        markup = chips_html(runs, Shown(write, spaces, style), chip='<b>" {text}: {ids}', unknown="<i>\"'")
        assert len(Read(markup).runs) == 4
        assert not set(markup) & {"\x00", "\x1b", "\u202e", "\u2066", "\ud800", "\r"}


def test_kinds_of_chips() -> None:
    runs = [
        TextRun("", 0, 0, (piece(101, "[CLS]", special=True, data=b""),)),
        TextRun("a", 0, 1, (piece(7, "a"),)),
        TextRun(" ", 1, 2, ()),
        TextRun("zz", 2, 4, (piece(1, "[UNK]", unknown=True),)),
        TextRun("語", 4, 5, (piece(3, "ã", data=b"\xe8\xaa"), piece(4, "b", data=b"\x9e"))),
    ]
    by_text = Read(chips_html(runs, Shown())).runs
    assert [result["seen"] for result in by_text] == ["[CLS]", "a", "␣", "zz", "語"]
    assert ["s" in result["kinds"] for result in by_text] == [True, False, False, False, False]
    assert ["u" in result["kinds"] for result in by_text] == [False, False, False, True, False]
    assert [result.get("data-n") for result in by_text] == [None, None, None, "unk", "2"]
    assert [result.get("aria-label") for result in by_text] == [
        "[CLS]: 101",
        "a: 7",
        None,
        "zz: 1 unk",
        "語: 3, 4",
    ]
    assert f"c{colour('ã')}" in by_text[4]["kinds"] and "t" not in by_text[2]["kinds"]
    ids = Read(chips_html(runs, Shown("ids"))).runs
    assert [result["seen"] for result in ids] == ["101", "7", "␣", "1", "34"]
    assert ids[4]["chips"] == ["3", "4"] and "many" in ids[4]["kinds"]
    data = Read(chips_html(runs, Shown("bytes"))).runs
    assert [result["seen"] for result in data[:3]] == ["[CLS]", "0x61", "␣"]
    assert data[4]["chips"] == ["0xE8 0xAA", "0x9E"]


def one_by_one(text: str) -> list[TextRun]:
    """A run per word, each with the white space before it."""
    return [
        TextRun(match.group(), *match.span(), (piece(at, match.group()),))
        for at, match in enumerate(re.finditer(r"\n| ?[^ \n]+| ", text))
    ]


@pytest.mark.parametrize("write", WRITE)
def test_a_newline_ends_the_line(write: str) -> None:
    read = Read(chips_html(one_by_one("a b\n\nc\n"), Shown(write)))
    assert [result["line"] for result in read.runs] == [1, 1, 1, 2, 3, 3]
    assert read.lines == ["ltr"] * 3


def test_lines_take_their_direction_from_the_text() -> None:
    def lines(text: str) -> list[str]:
        return Read(chips_html(one_by_one(text), Shown())).lines

    assert lines("abc\nשלום\n(123) مرحبا\n123\n...\nשלום abc\nabc שלום") == [
        "ltr", "rtl", "rtl", "ltr", "ltr", "rtl", "ltr",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("in שלום עולם ok", "in[ שלום עולם] ok"),
        ("in שלום - עולם", "in[ שלום - עולם]"),
        ("in שלום -", "in[ שלום] -"),
        ("in 12 34 ok", "in 12 34 ok"),
        ("שלום 12 34 עולם", "שלום[ 12 34] עולם"),
        ("שלום in English , עולם", "שלום[ in English] , עולם"),
        ("שלום in עולם ok", "שלום[ in] עולם[ ok]"),
        ("שלום ( abc ) 12", "שלום ([ abc] )[ 12]"),
        ("שלום abc ( def ) 12", "שלום[ abc ( def ) 12]"),
        ("שלום abc ( אבג def ) 12", "שלום[ abc] ( אבג[ def] )[ 12]"),
        ("abc ( שלום ) עולם", "abc ([ שלום] )[ עולם]"),
        ("שלום ) abc ( ok", "שלום )[ abc ( ok]"),
    ],
)
def test_right_to_left_text_keeps_together(text: str, order: str) -> None:
    """`order` marks the stretches laid out by the browser against the line."""
    markup = chips_html(one_by_one(text), Shown(spaces=False))
    markup = re.sub(r"<span class=f[^>]*>", "[", markup).replace("</span>", "]")
    assert re.sub(r"<[^>]*>", "", markup) == order


def test_long_tokens_are_cut_and_copied_whole() -> None:
    text = "x" * 5000
    run = TextRun(text, 0, 5000, (piece(1, "[UNK]", data=text.encode()),))
    for write in ("text", "bytes"):
        (result,) = Read(chips_html([run], Shown(write))).runs
        assert result["seen"].endswith("…") and len(result["seen"]) <= 5 * LONGEST
        message = json.loads(chips_message([run], Shown(write), {}, LABELS, ""))
        assert next(kind[1] for kind in message["kinds"] if len(kind) > 1) == text


def test_joined_emoji_stay_whole_and_loose_joiners_are_named() -> None:
    family = "👨‍👩‍👧"
    runs = [TextRun(text, 0, 1, (piece(1, text),)) for text in (family, "👨\u200d", "\u200d👩", f" {family}")]
    assert [result["seen"] for result in Read(chips_html(runs, Shown())).runs] == [
        family, "👨U+200D", "U+200D👩", f"␣{family}",
    ]  # fmt: skip


def test_missing_labels_are_an_error() -> None:
    with pytest.raises(ValueError, match="labels lack hint, token;"):
        chips_message([], Shown(), {}, {name: "" for name in NAMES if name not in ("hint", "token")}, "")
    with pytest.raises(ValueError, match="labels lack hint, failed;"):
        editor("", "key", labels={"label": "", "placeholder": ""})


def test_text_as_a_text_box_holds_it() -> None:
    assert as_typed("a\r\r\n\n\ud800b😀\udc00") == "a\n\n\n\ufffdb😀\ufffd"


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (None, None),
        ({}, None),
        ({"text": [3, "abc", 7]}, "abc"),
        ({"text": [2, "abc", 7]}, None),
        ({"text": [3]}, None),
        ({"text": [3, 4, 5]}, None),
        ({"text": [3, "abc"]}, None),
        ({"text": "3a"}, None),
        ({"text": None}, None),
    ],
)
def test_a_report_counts_for_its_nonce_alone(state: Any, text: str | None) -> None:
    assert text_reported(state, 3) == (None if text is None else Typed(text, 7))
