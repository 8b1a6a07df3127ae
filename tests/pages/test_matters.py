"""The page “Why it matters”, through Streamlit's `AppTest`.

Oracles: `tiktoken`'s published rule for GPT-2, run by hand over its merges in
tests/app/teaching/test_lessons.py, for the answers; a plain count of characters and of digits for the text
about a learner's own input.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from tests.app.teaching.test_lessons import gpt2_tokens
from tests.pages.pages import Page, address, answer_box, problems, run
from tokensteps.catalogue.choices import GPT2, OpenedTokenizer
from tokensteps.catalogue.shipped import gpt2
from tokensteps.pages.learn.matters import USUAL_SPECS
from tokensteps.runs.parallel import parallel_lines
from tokensteps.teaching.lessons import MATTERS_LINK
from tokensteps.teaching.questions import RIGHT, UNREAD, WRONG
from tokensteps.teaching.scenes.scene_inputs import glitch_of
from tokensteps.teaching.scenes.scene_questions import CODE_LINE, GLITCH, NUMBER, PROMPT, SCENES, SPELLED_WORD
from tokensteps.widgets import stage
from tokensteps.widgets.downloads import embedding

SMALL = "bpe?corpus=hug"
MATTERS = Page("matters", Path(__file__).resolve().parents[2] / "pages" / "learn" / "matters.py", ())


def pages_html(app: AppTest) -> str:
    return unescape("".join(html.proto.body for html in app.get("html")))


def answer(app: AppTest, scene: str, text: str) -> AppTest:
    """Type an answer, or choose it, and press Check."""
    answer_box(app, f"matters.ask.{scene}", "(choice|entry)").set_value(text)
    app.button(key=f"matters.ask.{scene}.check").click()
    return run(app)


def revealed(scene: str, query: str = "") -> AppTest:
    app = run(MATTERS.start(f"scene={scene}&t1={GPT2.replace('?', '%3F')}{query}"))
    app.button(key=f"matters.ask.{scene}.give_up").click()
    return run(app)


TRUE = {
    "letters": str(len(gpt2_tokens(SPELLED_WORD))),
    "numbers": " ".join(gpt2_tokens(NUMBER)),
    "languages": "Hindi",
    "code": str(sum(not token.strip("Ġ") for token in gpt2_tokens(CODE_LINE))),
    "glitch": str(len(gpt2_tokens(f" {GLITCH}"))),
    "spaces": str(len(gpt2_tokens(f"{PROMPT} "))),
}
WRONG_ANSWERS = {
    "letters": "1",
    "numbers": NUMBER,
    "languages": "English",
    "code": "8",
    "glitch": "3",
    "spaces": "3",
}


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_asks_before_it_explains(scene: str) -> None:
    """Nothing of the scene before an answer; a wrong one gets a hint; the right one opens it, with the
    consequence and its source."""
    app = run(MATTERS.start(f"scene={scene}"))
    message = pages_html(app)
    assert 'class="ts follows"' not in message and "ts ways" not in message and "costs" not in message
    app = answer(app, scene, WRONG_ANSWERS[scene])
    assert "Not yet." in pages_html(app) and 'class="ts follows"' not in pages_html(app)
    app = answer(app, scene, TRUE[scene])
    message = pages_html(app)
    assert "Right." in message and 'class="ts follows"' in message
    assert all(source in message for source in SCENES[scene].sources)


@pytest.mark.parametrize("scene", SCENES)
def test_an_answer_is_right_wrong_or_unread(scene: str) -> None:
    question = SCENES[scene].make(gpt2())
    assert question.key == TRUE[scene]
    assert question.grade(TRUE[scene]).kind == RIGHT
    assert question.grade(WRONG_ANSWERS[scene]).kind == WRONG
    if scene != "languages":  # chosen from a list
        assert question.grade("perhaps").kind == UNREAD


HOSTILE = '<img src=x onerror="alert(1)"> **b** $x$ [l](http://x) \u202e 👩‍👩‍👧'
"""Possible texts in a box."""


@pytest.mark.parametrize("scene", SCENES)
def test_hostile_text_stays_text(scene: str) -> None:
    """In every box of every scene: no element comes of it, and it is neither Markdown nor an error."""
    app = revealed(scene)
    for box in (*app.text_input, *app.text_area):
        if str(box.key).startswith("matters.text"):
            box.set_value(HOSTILE[:40] if scene == "glitch" else HOSTILE)
        elif str(box.key).startswith("matters.second"):
            box.set_value("<" if scene == "letters" else HOSTILE[:30])
    app = run(app)
    drawn = "".join(html.proto.body for html in app.get("html"))
    assert SCENES[scene].make(gpt2()).prompt in drawn, "an answer stands under its question"
    assert 'class="ts follows"' in drawn and "<img" not in drawn and "problem" not in drawn
    assert not [message.value for message in app.markdown if "onerror" in message.value]
    assert not [message.value for message in app.caption if "onerror" in message.value]


def test_answers_and_texts_outlive_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser's storage is in memory here."""
    kept: dict[str, list[Any]] = {}

    def synced(name: str, what: list[Any]) -> list[Any]:
        if what:
            kept[name] = json.loads(json.dumps(what))
            return []
        return kept.get(name, [])

    monkeypatch.setattr("tokensteps.pages.learn.matters.synced", synced)
    app = run(MATTERS.start(f"t1={GPT2.replace('?', '%3F')}"))
    app = answer(app, "letters", WRONG_ANSWERS["letters"])
    app = answer(app, "letters", TRUE["letters"])
    app.text_input(key="matters.text.letters").set_value("raspberry")
    assert "Right." in pages_html(run(app))

    again = run(MATTERS.start(f"t1={GPT2.replace('?', '%3F')}"))
    assert again.text_input(key="matters.text.letters").value == "raspberry"
    assert "Right." in pages_html(again)
    again.text_input(key="matters.text.letters").set_value(SPELLED_WORD)
    run(again)
    third = run(MATTERS.start("scene=letters"))
    assert third.text_input(key="matters.text.letters").value == SPELLED_WORD, (
        "its last text, if it is the first again"
    )


def test_letters_are_counted_in_each_token() -> None:
    app = revealed("letters")
    app.text_input(key="matters.text.letters").set_value("raspberry <b>")
    app.text_input(key="matters.second.letters").set_value("R")
    output = pages_html(run(app))
    counts = " + ".join(str(token.lower().count("r")) for token in gpt2_tokens("raspberry <b>"))
    assert f"R in each token: {counts}. Together: 3." in output
    assert "raspberry <b>" not in "".join(html.proto.body for html in app.get("html"))
    app.text_input(key="matters.text.letters").set_value("Straße")
    for letter, number in (("ß", 1), ("S", 1)):  # not the ss of its folded case
        app.text_input(key="matters.second.letters").set_value(letter)
        assert re.search(rf"{letter} in each token: [0-9+ ]*\. Together: {number}\.", pages_html(run(app)))


def test_numbers_are_cut_by_tokenizers_and_by_rules() -> None:
    message = pages_html(revealed("numbers", "&say=12345%2B67"))
    text = re.sub(r"<[^>]*>", "|", message)
    assert re.search(r"threes from the left.*?\|123\|+45\|+\+\|+67\|", text)
    assert re.search(r"threes from the right.*?\|12\|+345\|+\+\|+67\|", text)
    assert re.search(r"digit by digit.*?\|1\|+2\|+3\|+4\|+5\|+\+\|+6\|+7\|", text)


def test_languages_cost_tokens_window_and_price() -> None:
    message = pages_html(revealed("languages", "&forty=1&window=2000&price=0.5"))
    tokens = sum(len(gpt2_tokens(line)) for line in parallel_lines()["hi"])
    row = re.search(r"<th>Hindi</th>.*?</tr>", message)
    assert row is not None
    cells = re.findall(r"<td>([^<]*)</td>", row[0])
    english = sum(len(gpt2_tokens(line)) for line in parallel_lines()["en"])
    assert cells == [
        f"{tokens:,}",
        f"{tokens / english:.1f}",
        f"{100 * tokens / 2000:.1f} %",
        f"{tokens * 0.5 / 1000:.2f}",
    ]


@pytest.mark.parametrize("price", [0.0, 2e-5, 123_456.78, 1e6])
def test_a_price_comes_back_from_its_own_link(price: float) -> None:
    app = revealed("languages")
    app.number_input(key="matters.price").set_value(price)
    again = run(MATTERS.start(urlencode(address(run(app)))))
    assert again.session_state["matters.price"] == price and problems(again) == []


def test_own_lines_are_compared_with_the_first() -> None:
    app = revealed("languages")
    app.text_area(key="matters.text.languages").set_value("one two\n\n<i>one two one two</i>")
    output = "".join(html.proto.body for html in run(app).get("html"))
    assert [*re.findall(r"<th>(Line \d)</th>", output)] == ["Line 1", "Line 2"] and "<i>" not in output
    app.text_area(key="matters.text.languages").set_value(" \n ")
    assert "Write a text, one line for each language." in pages_html(run(app))
    app.text_area(key="matters.text.languages").set_value("a\n" * 50)
    assert "10 more lines are left out." in [caption.value for caption in run(app).caption]


def test_indentation_is_counted_before_and_after_training_on_code() -> None:
    app = run(MATTERS.start("scene=code"))
    app.button(key="matters.ask.code.give_up").click()
    blanks = [int(number) for number in re.findall(r"White space alone</dt><dd>(\d+)", pages_html(run(app)))]
    prose, modules, shipped = blanks
    code = app.text_area(key="matters.text.code").value
    assert shipped == sum(not token.strip("ĠĊ") for token in gpt2_tokens(code))
    assert modules < shipped and modules < prose


def test_a_name_becomes_a_token_that_the_sentences_never_use() -> None:
    message = pages_html(revealed("glitch", "&say=flumpwick"))
    result = glitch_of("flumpwick")
    assert f"of {result.learned} learned tokens, it never meets {len(result.unused)}" in message
    assert result.tokens == ("Ġflumpwick",) and result.tokens[0] in result.unused
    nameless = pages_html(revealed("glitch", "&say=%20"))
    assert "There is no text yet." in nameless and "it never meets" not in nameless


@pytest.mark.slow
def test_a_vocabulary_is_checked_for_unreachable_tokens() -> None:
    """GPT-2's thirteen: bytes impossible in UTF-8 (RFC 3629)."""
    app = revealed("glitch")
    assert "No text gives it" not in pages_html(app)
    next(button for button in app.button if "matters.check" in str(button.key)).click()
    never = [byte for byte in range(256) if byte in (0xC0, 0xC1) or byte >= 0xF5]
    assert re.search(rf"No text gives it</dt><dd>{len(never)}</dd>", pages_html(run(app)))


def test_spellings_of_a_word_are_distinguished() -> None:
    message = pages_html(revealed("spaces", "&also=Hello"))
    forms = ("Hello", " Hello", "hello", " hello", "HELLO")
    ways = len({tuple(gpt2_tokens(form)) for form in forms})
    assert f"{ways} ways to write the word in ids." in message
    assert re.search(
        rf"<dd>{len(gpt2_tokens(PROMPT))}</dd>.*?<dd>{len(gpt2_tokens(PROMPT + ' '))}</dd>", message
    )


def test_a_link_opens_a_scene_and_reports_missing_parts() -> None:
    app = run(MATTERS.start("scene=nothing&price=abc&window=0&say=~zz"))
    message = pages_html(app)
    for name, value in (("scene", "nothing"), ("price", "abc"), ("window", "0")):
        assert f"{name}='{value}'" in message, name
    assert "The text of this link is lost" in message
    assert address(app) == {}
    app = run(MATTERS.start("scene=spaces&t1=bpe%3Fcorpus%3Dhug"))
    assert address(app) == {"scene": "spaces", "t1": "bpe?corpus=hug"}


@pytest.mark.parametrize(("script", "query", "there"), [("exercises", "kind=path", True), ("exercises", "kind=bpe_count", False), ("home", "", True)])  # fmt: skip
def test_home_and_the_end_of_the_path_lead_here(script: str, query: str, there: bool) -> None:
    page = Page(script, MATTERS.script.with_name(f"{script}.py"), ())
    labels = [link.proto.label for link in run(page.start(query)).get("page_link")]
    assert (MATTERS_LINK.label in labels) == there


def test_a_scene_can_be_embedded() -> None:
    """Each page with its address on display has a height for frames."""
    assert 'title="Why it matters · TokenSteps"' in embedding("http://localhost/matters?scene=code")


def test_the_next_scene_is_one_button_away() -> None:
    app = revealed("letters")
    app.button(key="matters.next").click()
    app = run(app)
    assert app.session_state["matters.scene"] == "numbers" and address(app)["scene"] == "numbers"


def places_of(block: Block, keys: set[str], *way: int) -> dict[str, tuple[int, ...]]:
    """Key → its place in the page: the number of each block around it within that block's parent."""
    places: dict[str, tuple[int, ...]] = {}
    for number, child in block.children.items():
        if isinstance(child, Block):
            places |= places_of(child, keys, *way, number)
        elif getattr(child, "key", None) in keys:
            places[child.key] = (*way, number)  # type: ignore[attr-defined]
    return places


def test_the_scene_keeps_its_place_when_a_tokenizer_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moved element is made anew in the browser: a click on it is lost, and so is half-typed text."""
    opens, late = stage.opened_tokenizer, [SMALL]

    def opened_tokenizer(spec: str, slot: str) -> OpenedTokenizer | None:
        if spec not in late:
            return opens(spec, slot)
        st.caption("…")
        return None

    monkeypatch.setattr(stage, "opened_tokenizer", opened_tokenizer)
    app = run(MATTERS.start(f"scene=letters&t1={quote(SMALL)}&t2={quote(GPT2)}"))
    app.button(key="matters.ask.letters.give_up").click()
    run(app)
    keys = {"matters.next", "matters.text.letters"}
    places = places_of(app.main, keys)
    assert places.keys() == keys
    late.clear()
    run(app)
    assert len(re.findall("<h3>", pages_html(app))) == 2
    assert places_of(app.main, keys) == places


def test_a_missing_tokenizer_is_reported_and_the_others_stay() -> None:
    app = run(MATTERS.start(f"scene=letters&t1=file%3Fa.json%3Dgone&t2={GPT2.replace('?', '%3F')}"))
    app.button(key="matters.ask.letters.give_up").click()
    output = pages_html(run(app))
    assert "no longer has the file" in output and "GPT-2</h3>" in output


def test_back_to_a_bare_address_returns_to_usual_values(monkeypatch: pytest.MonkeyPatch) -> None:
    app = run(MATTERS.start(f"scene=numbers&price=7&t1={quote(SMALL)}"))
    assert app.multiselect(key="matters.box").value == [SMALL]
    monkeypatch.setattr("tokensteps.components.address.is_history_navigation", lambda: True)
    app.query_params.clear()
    run(app)
    assert (app.session_state["matters.scene"], address(app)) == ("letters", {})
    assert app.multiselect(key="matters.box").value == [*USUAL_SPECS]
