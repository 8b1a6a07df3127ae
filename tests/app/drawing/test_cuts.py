"""Words cut in several ways, drawn (`tokensteps/drawing/cuts/`): the engine's results, the places where the
ways part, and hostile words as text.

Oracles: the golden example of Uzan et al. 2024, read off by hand; an HTML parser.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from tests.app.drawing.test_lattice import ATTRIBUTES, TAGS
from tests.app.drawing.test_tokens import expect_markup
from tokenizers_core.encoding.cuts.steps import fewest_steps
from tokenizers_core.encoding.cuts.table import PieceTable
from tokenizers_core.encoding.cuts.ways import SAMPLED, Ways, cut_text
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokensteps.drawing.cuts.fewest import fewest_frame
from tokensteps.drawing.cuts.frames import cut_frame
from tokensteps.drawing.cuts.overview import differing_html, parting, ways_of_word_html
from tokensteps.drawing.tokens import SHOW, Style
from tokensteps.language.i18n import use_language
from tokensteps.language.marks import marks_in

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "inference.json").read_text("utf-8"))
UNDESIRED = Ways(WordPieceModel(GOLDEN["vocabulary"], prefix=""))
HOSTILE = "<b>x</b>{x}&\u202e"
STYLE = Style()


@pytest.fixture(autouse=True)
def english() -> None:
    use_language("en")


def text(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_undesired_parts_at_the_first_token() -> None:
    """undesi·r·e·d, un·des·ired and und·es·ired: no boundary is shared, each of five is marked."""
    ways = UNDESIRED.all_cuts("undesired")
    assert parting(ways) == [2, 3, 5, 6, 7, 8]
    html = ways_of_word_html(ways, STYLE)
    assert html.count('class="part"') == 6 and html.count('role="listitem"') == 6
    assert "3 different splits" in text(html) and "part at the first token" in text(html)
    assert "2 splits have as few" in text(html), "un·des·ired is as short as und·es·ired"
    assert {*marks_in(html)} >= {
        "longest_prefix",
        "longest_suffix",
        "longest_token",
        "fewest_tokens",
        SAMPLED,
    }


def test_ways_that_agree_have_no_line() -> None:
    html = ways_of_word_html(UNDESIRED.all_cuts("unable"), STYLE)
    assert 'class="part"' not in html and "All ways cut the word alike." in text(html)
    some = Ways(WordPieceModel(["[UNK]", "a", "ab", "##bc"])).all_cuts("abc")
    assert "The ways that can cut the word cut it alike." in text(ways_of_word_html(some, STYLE))
    html = ways_of_word_html(UNDESIRED.all_cuts("xyz"), STYLE)
    assert text(html).count("can't be cut this way") == 5 and "can't spell this word" in text(html)


def test_ways_part_after_their_common_beginning() -> None:
    bpe = Ways(
        BpeModel(["a", "b", "c", "bc", "ab", "x", "xx"], [Pair("x", "x"), Pair("b", "c"), Pair("a", "b")])
    )
    ways = bpe.all_cuts("xxabc")
    assert "They agree on xx and part there." in text(ways_of_word_html(ways, STYLE))
    assert "another split" in text(ways_of_word_html(ways, STYLE)) and parting(ways) == [3, 4]


def test_frames_name_the_chosen_token() -> None:
    steps = UNDESIRED.cut_steps("undesired", "longest_suffix")
    frames = [cut_frame(one, "longest_suffix", STYLE) for one in steps]
    assert frames[1].say == "ired is the longest token that ends the rest: take it."
    assert frames[-1].say.endswith("The whole word is cut.") and text(frames[-1].label) == "un"
    stuck = cut_frame(UNDESIRED.cut_steps("unx", "longest_prefix")[-1], "longest_prefix", STYLE)
    assert "can't be cut this way" in stuck.say and 'class="rest"' in stuck.html
    anywhere = cut_frame(UNDESIRED.cut_steps("undesired", "longest_token")[1], "longest_token", STYLE)
    first_option = re.findall(r"<tr class=now><td>(.*?)<td>(\d+)", anywhere.html)
    assert [(text(token), size) for token, size in first_option] == [("undesi", "6")]


def test_the_fewest_are_drawn_with_all_shortest_paths() -> None:
    steps = fewest_steps("undesired", PieceTable.build("undesired", {*GOLDEN["vocabulary"]}))
    reached = fewest_frame(steps[6], STYLE)
    assert reached.say == "Boundary 6 takes 1 token at least. The last of them is undesi."
    assert "2 shortest paths" in text(reached.html) and reached.label == "→ 6"
    first, second = (fewest_frame(one, STYLE) for one in steps[10:12])
    assert first.say.startswith("und es ired: 3 tokens, and no path has fewer.")
    assert second.say.startswith("un des ired") and "path 2 of 2" in second.say
    best = re.findall(r'class="e c\d+ best" style="grid-area:\d+/(\d+)/auto/(\d+)"', second.html)
    assert sorted(best) == [("1", "3"), ("3", "6"), ("6", "10")]
    assert (
        "No tokens lead to boundary 1"
        in fewest_frame(fewest_steps("xa", PieceTable.build("xa", {"a"}))[1], STYLE).say
    )


def test_the_words_that_differ_most_name_their_ways() -> None:
    result = cut_text(UNDESIRED, {"undesired": 2, "unable": 5})
    assert [one.word for one in result.most] == ["undesired"]
    html = differing_html(result.most, result.own, STYLE)
    assert html.count("<tr") == 4 and "longest match from the left" in text(html)
    assert text(html).count("the tokenizer's own") == 1


@pytest.mark.parametrize("show", SHOW)
def test_hostile_words_are_only_text(show: str) -> None:
    style = Style(show=show)
    ways = Ways(BpeModel([*dict.fromkeys(HOSTILE)], []))
    drawn = [
        ways_of_word_html(ways.all_cuts(HOSTILE), style),
        differing_html(cut_text(ways, {HOSTILE: 1}).most, "", style),
    ]
    for way in (*ways.possible, SAMPLED):
        if way == "merges":
            continue
        frame = (
            fewest_frame if way == "fewest_tokens" else lambda one, style, way=way: cut_frame(one, way, style)
        )
        drawn += [frame(one, style).html for one in ways.cut_steps(HOSTILE, way, 0.5)]
    for html in drawn:
        expect_markup(html, TAGS, ATTRIBUTES | {"width", "rowspan"})
        assert "<b>x" not in html
