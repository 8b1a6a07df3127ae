"""The page of exercises without a browser, through Streamlit's `AppTest`: answering, going on, links, the
rising level, the summary.

Oracle: the exercises themselves (`tokensteps/teaching/exercises/kinds.py`), with keys tested in
`tests/app/teaching/test_exercises.py`.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import Page, address, answer_box, problems, run
from tokensteps.pages.learn.exercises import EXERCISE_FORM, WORKSHEET_EXERCISES, Selection, pack_exercises
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS, Exercise, make
from tokensteps.teaching.path.stations import FOLLOW_UP
from tokensteps.teaching.questions import Cells

PAGE = Page("exercises", Path("pages", "learn", "exercises.py"), ())


RECORD = "<th>Best streak</th>"
"""The mark of a session's record, in no other table."""


def markup(app: AppTest, part: str) -> list[str]:
    """The page's pieces of markup with this in them."""
    return [
        html.proto.body
        for html in app.get("html")
        if part in html.proto.body and "<style" not in html.proto.body
    ]


def shown(app: AppTest) -> Exercise:
    """The exercise on the page, by its heading."""
    chosen = app.session_state["exercises.place"]
    exercise = make(chosen.kind, chosen.level, chosen.seed)
    assert exercise.question.prompt in markup(app, "ts question")[0]
    return exercise


def type_in(app: AppTest, answer: str) -> None:
    """Fill in the form."""
    form = shown(app).question.form
    if isinstance(form, Cells):
        for number, cell in enumerate(answer.split("\n")):
            answer_box(app, EXERCISE_FORM, f"cell.{number}").set_value(cell)
    else:
        answer_box(app, EXERCISE_FORM, "(entry|choice|lines)").set_value(answer or None)


def press(app: AppTest, label: str) -> None:
    next(button for button in app.button if button.label == label).click()
    run(app)


def answer(app: AppTest, text: str) -> None:
    type_in(app, text)
    press(app, "Check")


def verdict(app: AppTest) -> str:
    """The verdict shown: right, tied, wrong, unread or none."""
    results = re.findall(r'class="ts note verdict ([\w ]+)"', " ".join(markup(app, "note verdict")))
    return results[0] if results else ""


def figures(app: AppTest) -> list[str]:
    """The summary's first row: answered, right, tied, best run."""
    return re.findall(r"<td>([\d¼½¾]+)</td>", markup(app, RECORD)[0])[:4]


def test_every_kind_is_answered_right_on_its_page() -> None:
    app = PAGE.opened()
    for kind in EXERCISE_KINDS:
        app.selectbox(key="exercises.kind").set_value(kind)
        run(app)
        answer(app, shown(app).question.key)
        assert verdict(app) == "right", kind
        press(app, "Next exercise")
        assert verdict(app) == ""
    assert markup(app, RECORD)[0].count("<tr>") == len(EXERCISE_KINDS) + 1


def test_an_answer_counts_once_and_an_empty_one_goes_on() -> None:
    """A wrong one gets a hint first, and counts nothing yet; right at the second try counts half; later ones
    count nothing."""
    app = PAGE.opened("kind=bpe_count&level=2&seed=5")
    one = shown(app)
    assert (one.kind, one.level, one.seed) == ("bpe_count", 2, 5)
    answer(app, "many")
    assert verdict(app) == "unread" and not markup(app, RECORD)
    assert answer_box(app, EXERCISE_FORM, "entry").value == "many"
    assert not app.get("page_link")[:1] or "Open this corpus" not in str(app.get("page_link"))
    answer(app, "999")
    message = "".join(markup(app, "note verdict"))
    assert verdict(app) == "wrong" and "counts half" in message and not markup(app, RECORD)
    assert one.question.solution not in message and not re.search(rf"\b{one.question.key}\b", message)
    answer(app, "999")
    assert verdict(app) == "unread" and "tried that already" in "".join(markup(app, "note verdict"))
    answer(app, one.question.key)
    assert verdict(app) == "right" and figures(app) == ["1", "½", "0", "0"]
    answer(app, "999")
    assert verdict(app) == "wrong" and figures(app) == ["1", "½", "0", "0"]
    answer(app, "")
    assert shown(app).seed == 6 and verdict(app) == ""
    answer(app, "")
    assert verdict(app) == "unread" and shown(app).seed == 6


def test_three_tries_and_then_the_answer() -> None:
    """A hint, the way without its result, the answer (counted as wrong); going on after a wrong try counts as
    wrong, too."""
    app = PAGE.opened("kind=bpe_count&level=2&seed=5")
    one = shown(app)
    for number, (text, part) in enumerate(
        (("997", "half"), ("998", "a quarter"), ("999", f"should be {one.question.key}"))
    ):
        answer(app, text)
        message = "".join(markup(app, "note verdict"))
        assert verdict(app) == "wrong" and part in message
        assert (one.question.worked in message) == (number == 1)
    assert figures(app) == ["1", "0", "0", "0"]
    press(app, "Next exercise")
    answer(app, "997")
    press(app, "Next exercise")
    assert figures(app) == ["2", "0", "0", "0"] and shown(app).seed == 7


def test_a_table_keeps_typed_text_until_it_is_right() -> None:
    """The verdict stands under the form and names the wrong cells; the right ones stay as they are."""
    app = PAGE.opened("kind=viterbi&level=2&seed=3")
    cells = shown(app).question.key.split("\n")
    answer(app, "\n".join([cells[0], cells[1], "99", *cells[3:5], "qq", *cells[6:]]))
    (message,) = markup(app, "note verdict")
    assert 'data-cells="2 5"' in message and "2 cells are wrong" in message
    values = [answer_box(app, EXERCISE_FORM, f"cell.{number}").value for number in range(len(cells))]
    assert values == [cells[0], cells[1], "99", *cells[3:5], "qq", *cells[6:]]
    bodies = [html.proto.body for html in app.get("html")]
    assert next(i for i, body in enumerate(bodies) if "verdict" in body) > next(
        i for i, body in enumerate(bodies) if "ts cell" in body
    )
    answer(app, "\n".join(cells))
    assert verdict(app) == "right" and figures(app) == ["1", "½", "0", "0"]
    app = PAGE.opened("kind=construct&level=2&seed=3")
    answer(app, "xy 3")
    assert verdict(app) == "wrong" and answer_box(app, EXERCISE_FORM, "lines").value == "xy 3"


def test_the_answer_can_be_shown_and_counts_as_wrong_once() -> None:
    app = PAGE.opened("kind=unigram_best&level=1&seed=3")
    press(app, "Reveal")
    assert verdict(app) == "wrong shown" and figures(app) == ["1", "0", "0", "0"]
    press(app, "Reveal")
    assert figures(app) == ["1", "0", "0", "0"]
    links = [element.proto for element in app.get("page_link")]
    query = next(
        parse_qs(urlsplit(link.query_string or "").query or link.query_string)
        for link in links
        if link.query_string
    )
    assert query["corpus"] == ["counts"] and query["seed"]


def test_the_level_rises_and_falls() -> None:
    app = PAGE.opened()
    for number in range(3):
        assert (shown(app).level, shown(app).seed) == (1, 1 + number)
        answer(app, shown(app).question.key)
        press(app, "Next exercise")
    assert shown(app).level == 2 and "now level 2" in " ".join(markup(app, "ts note"))
    assert address(app) == {"kind": "bpe_count", "level": "2", "seed": "4", "rising": "1"}
    for _time in range(2):
        press(app, "Reveal")
        press(app, "Next exercise")
    assert shown(app).level == 1


def test_in_a_class_the_address_is_this_exercises_own_link() -> None:
    """Given out from there, it leads everybody to the same exercises, which stay on their level."""
    lecturer = PAGE.opened("class=KX7P3H")
    first = {"kind": "bpe_count", "level": "1", "seed": "1", "class": "KX7P3H"}
    assert address(lecturer) == first
    student = PAGE.opened(urlencode(first))
    for number in range(1, 5):
        assert address(student) == {**first, "seed": str(number)}
        answer(student, shown(student).question.key)
        press(student, "Next exercise")


def test_an_exercise_is_a_link() -> None:
    """A bare address stays bare; bad values are reported; a choice outlives a visit elsewhere; a link from
    another page wins."""
    app = PAGE.opened()
    assert address(app) == {}
    app.segmented_control(key="exercises.level").set_value("4")
    app.selectbox(key="exercises.kind").set_value("mistake")
    run(app)
    assert address(app) == {"kind": "mistake", "level": "4", "seed": "1"}
    assert "kind=mistake&level=4&seed=1" in app.code[0].value
    app.switch_page(str(Path("pages", "learn", "errata.py")))
    run(app)
    app.query_params.clear()
    app.switch_page(str(PAGE.script))
    run(app)
    assert (shown(app).kind, shown(app).level) == ("mistake", 4)
    assert app.selectbox(key="exercises.kind").value == "mistake"
    app.switch_page(str(Path("pages", "learn", "errata.py")))
    run(app)
    app.query_params.clear()
    app.query_params["kind"], app.query_params["seed"] = "viterbi", "9"
    app.switch_page(str(PAGE.script))
    run(app)
    assert (shown(app).kind, shown(app).level, shown(app).seed) == ("viterbi", 1, 9)
    bad = PAGE.opened("kind=x&level=9&seed=z")
    for _ in range(2):  # until another exercise is chosen
        assert len(problems(bad)) == 3 and shown(bad).name == "bpe_count:1:1"
        run(bad)
    bad.selectbox(key="exercises.kind").set_value("viterbi")
    assert problems(run(bad)) == []


def test_mixed_draws_from_all() -> None:
    app = PAGE.opened("kind=mixed&level=1&seed=1")
    kinds = set()
    for _time in range(4):
        kinds.add(shown(app).kind)
        press(app, "Next exercise")
    assert len(kinds) > 1 and "mixed" not in kinds


def test_a_hostile_corpus_is_text() -> None:
    app = PAGE.opened("kind=construct&level=1&seed=1")
    answer(app, "<img src=x onerror=alert(1)> 5")
    assert verdict(app) in ("wrong", "unread") and "<img" not in " ".join(markup(app, "verdict"))


def test_exercises_that_a_page_can_check_are_offered_as_scorm_packages() -> None:
    """Oracle: the package itself, with a manifest and the ten exercises from the open one on."""
    chosen = Selection("bpe_pair", 2, 7)
    with zipfile.ZipFile(io.BytesIO(pack_exercises(chosen, "1.2"))) as package:
        page = package.read("en/exercises.html").decode()
        assert "imsmanifest.xml" in package.namelist()
    assert page.count('class="box task"') == WORKSHEET_EXERCISES
    assert make("bpe_pair", 2, 7).question.prompt in page
    for kind, offered in (("bpe_pair", 2), ("construct", 0)):
        app = PAGE.opened(f"kind={kind}")
        labels = [button.proto.label for button in app.get("download_button")]
        assert sum("SCORM" in label for label in labels) == offered and problems(app) == []


def test_after_back_the_boxes_are_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their text was for another exercise."""
    app = PAGE.opened("kind=viterbi&level=1&seed=1")
    press(app, "Next exercise")
    number = len(shown(app).question.key.split("\n"))
    answer(app, "\n".join(["zz"] * number))
    assert answer_box(app, EXERCISE_FORM, "cell.0").value == "zz"
    monkeypatch.setattr("tokensteps.components.address.is_history_navigation", lambda: True)
    app.query_params["seed"] = "1"
    run(app)
    assert shown(app).seed == 1 and answer_box(app, EXERCISE_FORM, "cell.0").value == ""


@pytest.mark.parametrize("answered", [False, True])
def test_the_path_ends_at_an_exercise_not_yet_answered(answered: bool) -> None:
    """A station's own exercise is the first one of its kind, too."""
    app = PAGE.opened("kind=bpe_count&level=1&seed=1")
    if answered:
        answer(app, shown(app).question.key)
    run(app.switch_page(str(Path("pages", "learn", "glossary.py"))))
    app.query_params.clear()
    for name, value in FOLLOW_UP.query.items():
        app.query_params[name] = value
    run(app.switch_page(str(PAGE.script)))
    assert verdict(app) == "" and shown(app).kind == ("bpe_pair" if answered else "bpe_count")
    assert address(app)["seed"] == ("2" if answered else "1")
