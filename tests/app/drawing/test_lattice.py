"""A word's lattice as frames, tables and a tab (`tokensteps/drawing/lattice/`,
`tokensteps/pages/train/lattice_tab.py`).

Sources and oracles: `golden/unigram_hug.json`, the course's pieces and its Viterbi table for unhug; the
engine's own numbers, written out again by hand; Python's `html.parser` for the markup.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.drawing.test_tokens import HOSTILE, MARKS, Read, expect_markup
from tokenizers_core.encoding.models.lattice import Edge, Lattice, equally_good
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.lattice.bars import BARS_DRAWN, LATTICE_CHARACTERS, bars_of, lanes
from tokensteps.drawing.lattice.facts import edge_facts
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.tokens import SHOW, Style, chip, readable
from tokensteps.language.numbers import log_text, probability_text
from tokensteps.pages.train.lattice_tab import k_best_html, path_shares
from tokensteps.pages.train.random_splits import samples_html

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "unigram_hug.json").read_text(encoding="utf-8"))
PIECES = {piece: math.log(number / GOLDEN["total"]) for piece, number in GOLDEN["freqs_in_order"]}
PLAIN = Style()
TAGS = {
    "div", "section", "p", "span", "b", "i", "small", "bdi", "button", "h3", "table", "tr", "th", "td",
    "ol", "li",
}  # fmt: skip
ATTRIBUTES = {
    "class", "style", "data-pick", "data-of", "data-pane", "data-here", "aria-live", "aria-label", "aria-hidden", "role",
}  # fmt: skip
STYLES = (
    r"--n:\d+;--lanes:\d+|--rows:\d+|grid-column:\d+|grid-area:\d+/\d+/(auto|\d+)(/\d+)?(;--p:[01]\.\d\d)?"
)


def course(word: str) -> Lattice:
    return Lattice.build(word, PIECES)


def frames(lattice: Lattice, style: Style = PLAIN) -> list[Frame]:
    return [lattice_frame(snapshot, style) for snapshot in lattice.viterbi()]


def checked(frame: Frame) -> Read:
    """A frame with sound markup and plain texts."""
    read = expect_markup(frame.html, TAGS, ATTRIBUTES)
    for name, value in read.attributes:
        if name == "style":
            assert re.fullmatch(STYLES, value), value
        if name in ("data-pick", "data-of"):
            assert re.fullmatch(r"\d+( \d+)*", value)
    expect_markup(frame.label, {"bdi"})
    for plain in (frame.say, frame.status):
        assert plain.strip() and not re.search(r"\{(position|number|path|piece|pieces|word)\}|class=", plain)
    return read


def buttons(frame: Frame) -> dict[str, tuple[str, str, str]]:
    """The text of each bar → its classes, its number, and the best paths through it."""
    results = re.findall(
        r'<button class="e c\d ([^"]*)" data-pick=(\d+) data-of="([^"]*)".*?>(.*?)</button>', frame.html
    )
    return {Read(inner).text: (classes, number, members) for classes, number, members, inner in results}


def facts(frame: Frame) -> dict[str, str]:
    """The number of a bar → the text about it."""
    return {
        number: Read(inner).text
        for number, inner in re.findall(r"<div data-of=(\d+)>(.*?)</div>", frame.html)
    }


def test_unhug_step_by_step() -> None:
    """The course's table: the best path to each boundary, and its probability."""
    drawn = frames(course("unhug"))
    assert len(drawn) == 8
    messages = ["0.1714", "0.07619", "0.005442", "0.005442", "0.005442"]
    for step, row in enumerate(GOLDEN["viterbi_unhug"], start=1):
        assert probability_text(math.log(row["probability"])) == messages[step - 1]
        read = checked(drawn[step])
        path = " · ".join(row["tokens"])
        assert drawn[step].say.startswith(f"Boundary {row['end']} has ")
        assert f"{path}, probability {messages[step - 1]}." in drawn[step].say
        assert f"{path}, probability {messages[step - 1]}." in read.text
        assert drawn[step].label == f"→ {step}" and drawn[step].status == f"boundary {step} of 5"
        rows = drawn[step].html.split("<tr class")[2:]
        assert [
            re.findall(r"\d\.\d{4,}", Read("<tr class" + cells.split("</table>")[0]).text)[:1]
            for cells in rows[:5]
        ] == [[number] if index <= step else [] for index, number in enumerate(messages, start=1)]
    assert [frame.say for frame in drawn[:1] + drawn[6:]] == [
        "unhug can be cut into pieces in 8 ways. Which is the most probable? "
        "9 places where a piece fits. First, forward: find the best path to each boundary, left to right.",
        "Back from the end: the best path to 5 ends with hug. That piece starts at boundary 2: continue there.",
        "Best segmentation: un · hug, probability 0.005442. "
        "8 segmentations in all; this one has 70.7 % of their probability.",
    ]
    assert drawn[5].say == (
        "Boundary 5 has 3 candidate paths. Best: un · hug, probability 0.005442. "
        "Each path: the best score at its last piece's start + the piece's own. The highest total is kept. "
        "hug from 2: −2.575 + −2.639 = −5.214. ug from 3: −5.214 + −2.351 = −7.565. g from 4: −5.214 + −2.351 = −7.565."
    )
    assert [frame.label for frame in drawn[6:]] == ["← hug", "← un"]
    assert "8 segmentations" in drawn[0].status and drawn[7].status == "2 pieces found"


def test_ways_are_sums() -> None:
    """The best score where a way's last piece starts + that piece's = the total, for each way to boundary
    5."""
    lattice = course("unhug")
    html = lattice_frame(lattice.viterbi()[5], PLAIN).html
    ways = [
        Read("<tr" + row).text for row in html.split('class="ways"')[1].split("</table>")[0].split("<tr")[2:]
    ]
    for text, arrival in zip(ways, lattice.arrivals(5, lattice.winners), strict=True):
        assert text.startswith(f"{arrival.edge.piece}{arrival.edge.start}: {log_text(arrival.before)}")
        assert f"{log_text(arrival.edge.log_probability)}{log_text(arrival.log_probability)}" in text
        assert math.isclose(arrival.before + arrival.edge.log_probability, arrival.log_probability)
    assert [text.endswith("best") for text in ways] == [True, False, False]


def test_the_searchs_state_shows_in_the_bars() -> None:
    drawn = frames(course("unhug"))
    at_four = buttons(drawn[4])
    assert (
        at_four["hu −2.64"][0] == "lit won"
        and [at_four[name][0] for name in ("g −2.35", "ug −2.35")] == ["later"] * 2
    )
    assert at_four["un −2.57"][0] == "won" and at_four["n −2.57"][0] == "lost"
    assert {classes for classes, _, _ in buttons(drawn[0]).values()} == {""}
    assert [name for name, (classes, _, _) in buttons(drawn[6]).items() if classes == "best"] == ["hug −2.64"]
    assert [name for name, (classes, _, _) in buttons(drawn[7]).items() if classes == "best"] == [
        "un −2.57",
        "hug −2.64",
    ]
    assert 'class="joint"' in drawn[7].html and 'class="joint"' not in drawn[6].html


def test_a_tie_is_explained() -> None:
    """The course's pug: p ug and pu g, both 17 · 20 / 210²."""
    drawn = frames(course("pug"))
    assert drawn[3].say == (
        "Boundary 3 has 2 candidate paths. Best: p · ug, probability 0.00771. "
        "Equally good: ending with ug or with g. The longer last piece was met first, so it is kept. "
        "ug from 1: −2.514 + −2.351 = −4.865. g from 2: −2.514 + −2.351 = −4.865."
    )
    assert buttons(drawn[3])["g −2.35"][0] == "lit tie" and buttons(drawn[3])["ug −2.35"][0] == "lit won"
    text = checked(drawn[3]).text
    assert "best" in text and "tied" in text
    assert "Equally good: pu · g." in drawn[-1].say
    message = facts(drawn[0])[buttons(drawn[0])["pu −2.51"][1]]
    assert message.endswith(
        "Best path through pu: pu · g, log probability −4.865; costs nothing: equally good."
    )


def test_a_tie_but_for_rounding_is_not_called_first_met() -> None:
    """Where rounding alone puts the shorter last piece first, no rule did."""
    lattice = Lattice.build("ab", {"a": -0.15, "b": -0.15, "ab": -(0.1 + 0.2)})
    assert lattice.winners[1] is not None and lattice.winners[1].edge.piece == "b"
    assert "Equally good, apart from rounding: ending with ab or with b." in frames(lattice)[2].say


def test_forcing_shows_the_engines_numbers() -> None:
    lattice = course("unhug")
    frame = frames(lattice)[0]
    best = lattice.best()
    assert best is not None
    through = [lattice.best_through(edge) for edge in lattice.edges]
    for name, (_classes, number, members) in buttons(frame).items():
        edge, path, text = lattice.edges[int(number)], through[int(number)], facts(frame)[number]
        assert name == f"{edge.piece} {log_text(edge.log_probability, 2)}" and path is not None
        log = log_text(edge.log_probability)
        assert f"probability {probability_text(edge.log_probability)}, log {log}; posterior " in text
        assert f"posterior {100 * lattice.posteriors()[int(number)]:.1f} %" in text
        if edge in best.edges:
            assert text.endswith("It is on the best path: forcing it costs nothing.")
        else:
            cost = best.log_probability - path.log_probability
            assert text.endswith(
                f"Best path through {edge.piece}: {' · '.join(path.pieces)}, log probability "
                f"{log_text(path.log_probability)}; costs {cost:.2f} nats more than the best one "
                f"({math.exp(cost):.3g} times less probable)."
            )
        assert members.split() == [
            str(index) for index, way in enumerate(through) if way and edge in way.edges
        ]


def test_choosing_means_the_same_in_every_frame() -> None:
    drawn = frames(course("unhug"))
    numbers = [{name: bar[1:] for name, bar in buttons(frame).items()} for frame in drawn]
    assert all(each == numbers[0] for each in numbers) and len(numbers[0]) == 8  # the two u's read alike
    assert all(facts(frame) == facts(drawn[0]) and len(facts(frame)) == 9 for frame in drawn)


def test_a_frame_is_a_function_of_its_snapshot() -> None:
    one, other = course("unhug").viterbi(), course("unhug").viterbi()
    assert [lattice_frame(one[k], PLAIN) for k in (7, 3, 0)] == [
        lattice_frame(other[k], PLAIN) for k in (7, 3, 0)
    ]


def test_bars_in_a_lane_do_not_overlap() -> None:
    word = "abcabcabcabc"
    dense = Lattice.build(word, {word[i:j]: -1.0 for i in range(12) for j in range(i + 1, 13)})
    for edges in (dense.edges, dense.edges[::-1], course("unhug").edges):
        posteriors = {edge: index % 7 / 7 for index, edge in enumerate(edges)}
        placed = list(zip(edges, lanes(edges, posteriors), strict=True))
        for edge, lane in placed:
            assert (lane == 0) == (edge.end - edge.start == 1)
            assert not [
                other
                for other, its in placed
                if its == lane and other != edge and edge.start < other.end and other.start < edge.end
            ]


@pytest.mark.parametrize("word", ["", "x", "xug", "ugx"])
def test_no_path(word: str) -> None:
    lattice = course(word)
    drawn = frames(lattice)
    for frame in drawn:
        checked(frame)
    if word:
        assert "no piece ends here, so no path leads here" in " ".join(frame.say for frame in drawn)
        assert "So no sequence of pieces spells the word." in drawn[-1].say
        assert "costs" not in Read(drawn[0].html).text
    if word == "xug":
        assert "pieces end here, but none starts where a path leads" in drawn[-1].say
        assert "No path from start to end goes through it." in facts(drawn[0])["0"]


def test_unknown_characters_are_explained() -> None:
    lattice = Lattice.build("hxg", PIECES, unknown=-15.0)
    drawn = frames(lattice)
    assert buttons(drawn[0])["x −15.00"][0] == "unk" and buttons(drawn[-1])["x −15.00"][0] == "unk best"
    assert "x from 1 to 2 is an unknown character: log −15.000; posterior 100 %" in " ".join(
        facts(drawn[0]).values()
    )
    assert "unknown character" in checked(drawn[1]).text
    assert "unknown character" not in checked(frames(course("hug"))[1]).text


@pytest.mark.many(5)
@pytest.mark.parametrize("show", SHOW)
@pytest.mark.parametrize(
    "piece",
    [*HOSTILE, "<img src=x onerror=1>", "</button>", "العربية", "e\u0301\u0327", "👩🏽‍🚀🇩🇪", "▁the"],
)
def test_hostile_pieces_are_only_text(piece: str, show: str) -> None:
    """The styles share the frames of a word among them: each looks at every third, and at the last."""
    style = Style(show=show)
    word = (f"a{piece}" * 2)[:LATTICE_CHARACTERS]
    pieces = {piece: -2.0, f"a{piece}": -3.0, "a": -2.5, **dict.fromkeys(piece, -4.0)}
    lattice = Lattice.build(word, pieces, unknown=-9.0, max_length=60)
    drawn = frames(lattice, style)
    for frame in (*drawn[SHOW.index(show) : -1 : 3], drawn[-1]):
        read = checked(frame)
        assert "onerror" not in {name for name, _ in read.attributes}
    if piece and 2 * len(piece) < LATTICE_CHARACTERS:
        assert readable(piece, style).replace(" ", "") in read.text.replace(" ", "")
    extra = ATTRIBUTES | {"width"}
    read = expect_markup(k_best_html(lattice.k_best(5), lattice.log_total, style), TAGS, extra)
    samples = lattice.samples(20)
    drawn = [path.pieces for path in samples]
    read = expect_markup(samples_html(drawn, path_shares(samples, lattice, 1.0), style, 0), TAGS, extra)
    assert {name for name, _ in read.attributes - MARKS} <= {"class", "style"}


def everything(word: str, longest: int = 6) -> dict[str, float]:
    counts = Counter(
        word[start : start + length]
        for length in range(1, longest + 1)
        for start in range(len(word) - length + 1)
    )
    return {piece: math.log(number / counts.total()) for piece, number in counts.items()}


def test_frames_stay_small() -> None:
    """A frame of a word of 12 characters, one of 60, and the worst: every stretch of a's up to 16 is a
    piece."""
    text = "the_tokenization_of_the_tokens_in_the_tokenizer_is_the_token"
    assert len(text) == LATTICE_CHARACTERS
    for word, pieces, limit in (
        ("unhug", PIECES, 9_000),
        ("tokenization", everything(text, 2), 15_000),
        ("tokenization", everything(text), 25_000),
        (text, everything(text, 2), 80_000),
        ("a" * 60, {"a" * length: -length / 2 for length in range(1, 17)}, 120_000),
    ):
        lattice = Lattice.build(word, pieces)
        assert len(lattice.viterbi()) <= 2 * LATTICE_CHARACTERS
        assert max(len(frame.html.encode()) for frame in frames(lattice)) <= limit, word


def test_a_long_words_edges_have_a_row_each() -> None:
    text = "the_tokenization_of_the_tokens"
    lattice = Lattice.build(text, everything(text, 3))
    drawn = frames(lattice)
    best = lattice.best()
    assert best is not None
    rows = dict(re.findall(r"<tr data-of=(\d+)>(.*?)(?=<tr|</table>)", drawn[0].html))
    for number, bar in enumerate(bars_of(lattice)):
        cells = [Read(cell).text for cell in rows[str(number)].split("<td>")[1:]]
        path = lattice.best_through(bar.edge)
        assert path is not None
        cost = best.log_probability - path.log_probability
        assert cells[0] == bar.edge.piece and cells[1] == f"{bar.edge.start}, {bar.edge.end}"
        assert bar.edge.piece in cells[5] and cells[6] == log_text(path.log_probability)
        free = bar.edge in best.edges or equally_good(path, best)
        assert cells[7] == ("0" if free else f"{cost:.2f}")
    last = drawn[-1].say
    assert "… · " in last and last.count(" · ") <= 9


def test_too_many_edges_are_cut_with_a_note() -> None:
    lattice = Lattice.build("a" * 60, {"a" * length: -length / 2 for length in range(1, 17)})
    shown = {bar.edge for bar in bars_of(lattice)}
    assert len(shown) == BARS_DRAWN and {winner.edge for winner in lattice.winners if winner} <= shown
    for frame in frames(lattice)[::20]:
        assert f"{BARS_DRAWN} of 840 bars are shown" in checked(frame).text


# --- several segmentations ----------------------------------------------------------------------------------


def test_k_best() -> None:
    """unhug has eight segmentations; the third and the fourth are equally good, and so are the next three."""
    lattice = course("unhug")
    html = k_best_html(lattice.k_best(20), lattice.log_total, PLAIN)
    rows = html.split("<tr>")[2:]
    assert len(rows) == 8
    assert ["tied" in Read("<tr>" + row.split("</table>")[0]).text for row in rows] == [False, False] + [
        True
    ] * 5 + [False]
    assert "−5.214" in rows[0] and "0.005442" in rows[0] and "70.7 %" in rows[0]
    shares = [float(result) for result in re.findall(r">([\d.]+) %", html)]
    assert math.isclose(sum(shares), 100, abs_tol=0.5)


def test_samples_are_counted_and_their_shares_expected() -> None:
    lattice = course("unhug")
    samples = lattice.samples(1000, 2.0, seed=3)
    html = samples_html([path.pieces for path in samples], path_shares(samples, lattice, 2.0), PLAIN, 3)
    counts = Counter(samples)
    weights = {path: math.sqrt(path.probability) for path in lattice.k_best(20)}
    rows = html.split("<tr>")[2:]
    for row, (path, times) in zip(rows, counts.most_common(), strict=True):
        cells = [Read("<td>" + cell.split("</table>")[0]).text for cell in row.split("<td>")[1:5]]
        expected = 100 * weights[path] / sum(weights.values())
        assert cells == ["".join(path.pieces), str(times), f"{times / 10:.1f} %", f"{expected:.1f} %"]
    first = [Read(item).text for item in re.findall(r"<li>(.*?)</li>", html)]
    assert first == ["".join(path.pieces) for path in samples[:10]]
    assert "8 different segmentations." in Read(html).text
    assert Read(html).text.endswith("Seed 3: the same seed, the same samples.")


# --- the tab ------------------------------------------------------------------------------------------------


def tab_script() -> None:
    import streamlit as st

    from tests.app.drawing.test_lattice import PIECES
    from tokenizers_core.encoding.models.lattice import Lattice
    from tokensteps.drawing.tokens import Style
    from tokensteps.pages.train.lattice_tab import lattice_tab, samples_tab

    results = (samples_tab if st.session_state.get("samples") else lattice_tab)(
        lambda word: Lattice.build(word, PIECES),
        st.session_state.get("words", ["hug", "pug"]),
        st.session_state.get("default", "unhug"),
        Style(),
        lambda name: f"t.{name}",
    )
    st.session_state["made"] = None if results is None else results.text


def opened(**state: object) -> AppTest:
    at = AppTest.from_function(tab_script, default_timeout=300)
    for name, value in state.items():
        at.session_state[name] = value
    at.run()
    assert not at.exception
    return at


def bodies(at: AppTest) -> list[str]:
    return [element.proto.body for element in at.get("html")]


def test_samples_of_a_word() -> None:
    at = opened(samples=True)
    (drawn,) = bodies(at)
    assert sum(int(times) for times in re.findall(r"<b>(\d+)</b>", drawn)) == 100
    at.button(key="t.lattice.again").click().run()
    (again,) = bodies(at)
    assert again != drawn and "Seed 0:" in drawn and "Seed 1:" in again


def test_tab_shows_the_word_and_its_best() -> None:
    at = opened()
    assert at.session_state["made"] == "unhug"
    (best,) = bodies(at)
    assert best.count("<tr>") == 5 + 1 and "That&#x27;s all of them." not in best
    at.button_group(key="t.lattice.k").set_value(20).run()
    assert bodies(at)[0].count("<tr>") == 8 + 1
    assert "That&#x27;s all of them." in bodies(at)[0]
    at.selectbox[0].set_value("pug").run()
    assert at.session_state["made"] == "pug"


@pytest.mark.parametrize(
    ("word", "shown"), [("hug pug", "hug▁pug"), ("x" * 70, "x" * LATTICE_CHARACTERS), ("<b>", "<b>")]
)
def test_tab_takes_any_word(word: str, shown: str) -> None:
    at = opened(default=word)
    assert at.session_state["made"] == shown
    text = " ".join(bodies(at))
    assert ("The word has 70 characters; its first 60 are shown." in text) == (len(word) > 60)
    assert "No sequence of pieces spells this word" in text and "<b>" not in text


def test_the_tab_without_a_word_has_a_note() -> None:
    at = opened(default="", words=[])
    assert at.session_state["made"] is None and "Choose a word, or type one." in bodies(at)[0]


def test_every_text_is_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a language with brackets around every message, no English is left over."""

    def bracketed(message: str) -> str:
        return "⟦" + message + "⟧"

    replacements: dict[str, Callable[..., str]] = {
        "_": bracketed,
        "ngettext": lambda one, many, number: bracketed(one if number == 1 else many),
        "current_language": lambda: "xx",
    }
    for module in (
        "lattice.facts",
        "lattice.frames",
        "lattice.picture",
        "lattice.scores",
        "narration.lattice",
    ):
        for name, replacement in replacements.items():
            monkeypatch.setattr(f"tokensteps.drawing.{module}.{name}", replacement, raising=False)
    for frame in frames(course("pug")):
        assert frame.say.startswith("⟦") and frame.say.endswith("⟧")
        text = Read(frame.html).text
        while "⟦" in text:
            text, count = re.subn(r"⟦[^⟦⟧]*⟧", "", text)
            assert count
        assert not re.search(r"[a-z]{4,}", text), text
    edge_facts.cache_clear()


def test_an_edge_knows_its_chip() -> None:
    """Tokens in the tables are chips as everywhere."""
    frame = frames(course("unhug"))[5]
    assert chip("hug", PLAIN) in frame.html and chip("un", PLAIN, "old") in frame.html
    assert Edge(0, 2, "un", PIECES["un"]) in course("unhug").edges
