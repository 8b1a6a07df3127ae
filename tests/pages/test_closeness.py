"""The tab “How close?” of the training pages, through Streamlit's `AppTest`: margins, tipping points, the
search on request.

Oracle: the engine's `margin` and `tipping_points`, tested in `tests/core/test_counterfactual.py`.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.drawing.test_tokens import expect_markup
from tests.pages.pages import Page, bodies, problems, run
from tokenizers_core import tipping_points
from tokenizers_core.counterfactual.tipping import at_play
from tokensteps.drawing.narration.closeness import margin_text
from tokensteps.pages.train.closeness import WORDS_AT_PLAY
from tokensteps.runs.algorithms import ALGORITHMS, trace_at
from tokensteps.runs.corpora import pack_text
from tokensteps.runs.tippings import bound_for, is_short

TAB = "How close?"
SIGNS = {"+": 1, "−": -1}


def page_of(algorithm: str) -> Page:
    return Page(algorithm, Path("pages", "train", f"{algorithm}.py"), ())


def table(app: AppTest) -> list[tuple[str, list[int]]]:
    """The words of the table shown, each with the changes that tip the step."""
    [drawn] = bodies(app, "scroll")
    [drawn] = [
        part
        for part in drawn.split('<div data-at="')
        if not re.match(r'(?s)\d+" hidden>|<div class="closeness">$', part)
    ]
    rows = re.findall(r"<tr><td><span class=\"row\">(.*?)</span><td>(.*?)(?=<tr>|</table>)", drawn)
    return [
        (
            html.unescape(re.sub("<.*?>", "", word)),
            [SIGNS[sign] * int(number) for sign, number in re.findall(r"<b>([+−])(\d+)</b>", rest)],
        )
        for word, rest in rows
    ]


@pytest.mark.parametrize(("algorithm", "step"), [("bpe", 3), ("wordpiece", 3), ("unigram", 8)])
def test_a_small_corpus_has_its_tipping_points_at_once(algorithm: str, step: int) -> None:
    app = page_of(algorithm).opened(f"corpus=hug&step={step}", TAB)
    trace = trace_at(ALGORITHMS[algorithm], corpus="hug")
    assert problems(app) == [] and not [one for one in app.button if "tipping" in one.label]
    words = at_play(trace, step, WORDS_AT_PLAY)
    wanted = tipping_points(trace, step, words, bound_for(trace))
    results = {word.replace("##", ""): min(tips, key=abs, default=None) for word, tips in table(app)}
    assert results == wanted and any(wanted.values())
    margin = trace.margin(step)
    [said] = bodies(app, "parting")
    assert margin is None or f"<b>{margin_text(margin)}</b>" in said
    assert len(app.get("plotly_chart")) == 1


def test_the_steps_around_it_are_there_too() -> None:
    """Each as drawn when opened, hidden but for the open one; the start chooses nothing and is left out."""
    at_two, at_four = (page_of("bpe").opened(f"corpus=hug&step={step}", TAB) for step in (2, 4))
    parts = [dict(re.findall(r'(?s)<div data-at="(\d)"(.*?)(?=<div data-at|</div>$)', bodies(app, "parting")[0]))
             for app in (at_two, at_four)]  # fmt: skip
    assert [*parts[0]] == ["1", "2", "3", "4", "5", "6", "7"] and [*parts[1]] == [
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
    ]
    assert [step for step in parts[0] if not parts[0][step].startswith(" hidden>")] == ["2"]
    assert parts[0]["4"] == f" hidden{parts[1]['4']}" and parts[1]["2"] == f" hidden{parts[0]['2']}"


def test_a_larger_one_is_searched_on_request_in_another_process() -> None:
    app = page_of("unigram").opened("corpus=course&step=150", TAB)
    trace = trace_at(ALGORITHMS["unigram"], corpus="course")
    words = at_play(trace, 150, 2)
    assert not is_short(trace, 150, words) and bodies(app, "scroll") == []
    app.button(key="unigram.search").click()
    run(app)
    shown = {word.replace("␣", "▁"): tips for word, tips in table(app)}
    for word, change in tipping_points(trace, 150, words, bound_for(trace)).items():
        assert min(shown[word], key=abs, default=None) == change


def test_a_step_without_a_choice_has_a_note() -> None:
    start = page_of("bpe").opened("corpus=hug", TAB)
    assert "The start chooses nothing" in bodies(start, "note")[0]
    em = page_of("unigram").opened("corpus=hug&method=sentencepiece&step=1", TAB)
    assert "This step chooses nothing" in bodies(em, "note")[0]


def test_hostile_words_stay_text() -> None:
    text = quote(pack_text("<b>low</b> <b>low</b> <script>x</script> \u202elow {x} <b>") or "")
    app = page_of("bpe").opened(f"corpus=paste&text={text}&pre=whitespace_split&step=1", TAB)
    for drawn in (*bodies(app, "scroll"), *bodies(app, "parting")):
        tags = {"div", "p", "table", "tr", "th", "td", "span", "bdi", "b"}
        expect_markup(drawn, tags, {"class", "data-at", "hidden"})
