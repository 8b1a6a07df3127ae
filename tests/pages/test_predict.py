"""Predict on the training pages and challenges, without a browser, through Streamlit's `AppTest`.

Sources and oracles: the engine, asked for the same corpus and settings; the flipbook's own message to the
browser; the address as the page writes it. Tests of JavaScript (keys, scrubber) are in `tests/browser/`.
"""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from itsdangerous import URLSafeSerializer
from streamlit.testing.v1 import AppTest

from tests.pages.pages import APP, Page, address, answer_box, bodies, books, problems, run, tables, tabs
from tokenizers_core import Corpus, train_bpe, train_unigram, train_wordpiece
from tokensteps.drawing.tokens import Style
from tokensteps.limits import CHALLENGE_LIMIT
from tokensteps.runs.corpora import EXAMPLES, pack_text
from tokensteps.runs.rules import BPE_RULES, UNIGRAM_RULES, WORDPIECE_RULES
from tokensteps.server.jobs import registry
from tokensteps.teaching.challenge import (
    Answers,
    Challenge,
    check_codes,
    class_table,
    grade_answers,
    open_answers,
    open_challenge,
    questions_of,
    result_text,
    steps_table,
)
from tokensteps.teaching.predictions import question_after
from tokensteps.teaching.questions import RIGHT, TIED, WRONG

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
HOSTILE = '<img src=x onerror="alert(1)"> **b** [l](http://x) $x$'
PAGES = {
    "bpe": Page("bpe", Path("pages", "train", "bpe.py"), BPE_RULES),
    "wordpiece": Page("wordpiece", Path("pages", "train", "wordpiece.py"), WORDPIECE_RULES),
    "unigram": Page("unigram", Path("pages", "train", "unigram.py"), UNIGRAM_RULES),
}
CORPUS = Corpus.from_counts(HUG)
TRACES: dict[str, Any] = {
    "bpe": train_bpe(CORPUS),
    "wordpiece": train_wordpiece(CORPUS),
    "unigram": train_unigram(CORPUS, seed_size=15, vocab_size=7, whole_words=False),
}


def answered(app: AppTest, text: str, page: str = "bpe") -> AppTest:
    """Answer the question on the page."""
    answer_box(app, f"{page}.predict", "(choice|entry)").set_value(text)
    app.button(key=f"{page}.predict.check").click()
    return run(app)


def verdict(app: AppTest) -> str:
    """The page's verdict on the last answer."""
    return next(html.proto.body for html in app.get("html") if "verdict" in html.proto.body)


@pytest.mark.parametrize("name", PAGES)
def test_a_run_is_predicted_step_by_step(name: str) -> None:
    """With the right answers the whole run comes out; before each, the browser has the frames up to the step,
    and no more."""
    trace, page = TRACES[name], PAGES[name]
    app = page.opened("corpus=hug&mode=predict")
    for step in range(len(trace)):
        book = books(app)[0]
        assert (book["last"], book["first"] + len(book["frames"]) - 1, book["seek"][0]) == (step, step, step)
        assert not tabs(app) and not app.get("download_button")
        assert address(app)["mode"] == "predict" and book["param"] == "step"
        question = question_after(trace, step, "mixed", Style())
        app = answered(app, question.key, name)
        assert "verdict right" in verdict(app)
    assert books(app)[0]["last"] == len(trace) and not [
        box for box in app.text_input if "predict" in str(box.key)
    ]
    assert f"step {len(trace)} is the last one" in bodies(app, "note")[-1]
    table = tables(app)[0]
    assert list(table["step"]) == list(range(len(trace), 0, -1)) and {*table["verdict"]} == {"right"}


def test_wrong_answers_get_a_hint_then_the_way_then_both_numbers_and_the_step() -> None:
    app = PAGES["bpe"].opened("corpus=hug&mode=predict")
    app = answered(app, "p + u")
    assert "verdict wrong" in verdict(app) and "17 times" in verdict(app) and "20 times" not in verdict(app)
    app = answered(app, "h + u")
    assert "15 times" in verdict(app) and "20 times" in verdict(app) and "ug" not in verdict(app)
    assert books(app)[0]["last"] == 0
    app = answered(app, "b + u")
    assert "4 times" in verdict(app) and "20 times" in verdict(app)
    assert books(app)[0]["last"] == 1 and books(app)[0]["seek"][0] == 1
    app = answered(PAGES["bpe"].opened("corpus=hug&mode=predict&ask=count&step=1"), "2")
    assert "counted each word once" in verdict(app) and "16" not in verdict(app)
    app = answered(app, "16")
    assert "verdict right" in verdict(app) and "counts half" in verdict(app) and books(app)[0]["last"] == 2
    assert "<b>½</b> of 1 right" in "".join(html.proto.body for html in app.get("html"))
    assert tables(app)[0]["verdict"][0] == "right at the second try"
    app = answered(PAGES["bpe"].opened("corpus=hug&mode=predict&ask=pair&walk=path.2"), "p + u")
    assert "Try again." in verdict(app) and "half" not in verdict(app)  # on the path nobody keeps a score
    app = answered(app, "u + g")
    assert "verdict right" in verdict(app) and "half" not in verdict(app)


@pytest.mark.parametrize(
    ("name", "kind"), [("bpe", "pair"), ("wordpiece", "pair"), ("bpe", "count"), ("unigram", "mixed")]
)
def test_a_question_about_a_pair_explains_how_to_answer(name: str, kind: str) -> None:
    """Only where a click in the picture answers it: the pairs of tokens there are buttons (`data-answer`)."""
    app = PAGES[name].opened(f"corpus=hug&mode=predict&ask={kind}")
    text = "Click between two tokens, or choose a pair." in "".join(bodies(app, "question"))
    assert text == (kind == "pair")
    assert not text or "data-answer" in books(app)[0]["frames"][0]["html"]


def test_a_challenge_has_one_try() -> None:
    """A hint would go round the class: the first answer stands, and its mistake and the right answer are
    shown."""
    one = challenge(kind="count")
    app = answered(opened(one.sealed()), "2", f"challenge-{one.name}")
    assert "counted each word once" in verdict(app) and "it should be 16" in verdict(app)
    assert books(app)[0]["last"] == 2


def test_a_left_out_marker_may_be_a_token_of_its_own() -> None:
    """Oracle: the engine's split. It is right on the page of a challenge and in its code."""
    one = Challenge("", "bpe", {"corpus": "course"}, 2, 3, "mixed")
    trace = train_bpe(
        Corpus.from_texts(EXAMPLES["course"].text().splitlines()), 50, special_tokens=("<|endoftext|>",)
    )
    assert trace.splits(3, ["Ġchapter"])["Ġchapter"] == ("Ġ", "c", "h", "a", "p", "t", "er")
    for typed in ("c h a p t er", "Ġ c h a p t er", "_ c h a p t er", "␣|c|h|a|p|t|er"):
        app = answered(opened(one.sealed()), typed, f"challenge-{one.name}")
        assert "verdict right" in verdict(app), typed
    questions = questions_of(one, trace, Style(byte_level=True))
    assert [answer.verdict for answer in grade_answers(questions, ["c h a p t er"])] == [RIGHT]


def test_a_tie_is_explained_and_keeps_the_streak() -> None:
    """Oracle: the engine's list of ties."""
    trace = train_bpe(Corpus.from_counts({"ab": 3, "cd": 3}))
    assert trace.event(1).tied_count == 2  # type: ignore[union-attr]
    app = PAGES["bpe"].opened(
        f"corpus=counts&text={pack_text('ab 3' + chr(10) + 'cd 3')}&mode=predict&ask=pair&pre=whitespace_split"
    )
    app = answered(app, "c + d")
    assert (
        "verdict tied" in verdict(app)
        and "first met" in verdict(app)
        and "1 tied" in "".join(html.proto.body for html in app.get("html"))
    )


def test_invalid_answers_do_not_count_and_stay() -> None:
    app = PAGES["bpe"].opened("corpus=hug&mode=predict&ask=count")
    for text, said in (
        (" ", "Give an answer first"),
        ("many", "'many' can't be read"),
        ("9" * 5000, "at most 4,000 are read"),
    ):
        app = answered(app, text)
        assert "verdict unread" in verdict(app) and said in verdict(app).replace("&#x27;", "'")
        assert books(app)[0]["last"] == 0 and answer_box(app, "bpe.predict", "entry").value == text
    app = answered(app, HOSTILE)
    assert "<img" not in verdict(app) and "&lt;img" in verdict(app)
    app = answered(app, "20")
    assert "verdict right" in verdict(app) and answer_box(app, "bpe.predict", "entry").value == ""


@pytest.mark.parametrize("name", PAGES)
def test_an_unsent_choice_stays(name: str) -> None:
    """A run of the page sends no value into the list of answers: it would undo somebody's latest choice in a
    box. Oracle: the message's own mark for values that the browser has to take over."""
    kind = "piece" if name == "unigram" else "pair"
    app = PAGES[name].opened(f"corpus=hug&mode=predict&ask={kind}")
    for _ in range(3):
        box = answer_box(app, f"{name}.predict", "choice")
        assert box.value is None and not box.proto.set_value
        app = run(app)


def test_show_me_shows_and_counts_as_wrong() -> None:
    app = PAGES["wordpiece"].opened("corpus=hug&mode=predict&ask=score")
    app.button(key="wordpiece.predict.give_up").click()
    run(app)
    assert "verdict wrong" in verdict(app) and "1/20" in verdict(app) and books(app)[0]["last"] == 1
    assert tables(app)[0]["answer"][0] == "revealed"


def test_the_kind_of_question_can_be_chosen_and_is_in_the_address() -> None:
    app = PAGES["unigram"].opened("corpus=hug&mode=predict")
    wanted = app.selectbox(key="unigram.ask")
    assert wanted.options == [
        "Each in turn",
        "The next piece pruned",
        "What losing it costs",
        "How a word is split next",
    ]
    wanted.set_value("loss")
    run(app)
    assert address(app)["ask"] == "loss" and answer_box(app, "unigram.predict", "entry")


@pytest.mark.parametrize(
    ("name", "ask"), [("unigram", "score"), ("bpe", "piece"), ("bpe", "bridge"), ("wordpiece", "language")]
)
def test_a_question_of_another_page_or_kind_is_reported(name: str, ask: str) -> None:
    """Oracle: the complaint about any other parameter; `test_kinds.py` opens each on its own page."""
    app = PAGES[name].opened(f"corpus=hug&mode=predict&ask={ask}")
    for _ in range(2):
        [complaint] = problems(app)
        assert f"ask='{ask}', which is not valid here" in unescape(complaint)
        assert PAGES[name].value(app, "ask") == "mixed" and "ask" not in address(app)
        run(app)


def test_turning_back_and_forth_keeps_the_step_and_the_tally() -> None:
    """From step 3 in watching, predicting begins after step 3; earlier answers still count."""
    app = PAGES["bpe"].opened("corpus=hug&step=3")
    app.segmented_control(key="bpe.mode").set_value("predict")
    run(app)
    assert books(app)[0]["last"] == 3
    key = question_after(TRACES["bpe"], 3, "mixed", Style()).key
    app = answered(app, key)
    app.segmented_control(key="bpe.mode").set_value("watch")
    run(app)
    assert books(app)[0]["last"] == len(TRACES["bpe"]) and tabs(app) and "mode" not in address(app)
    app.segmented_control(key="bpe.mode").set_value("predict")
    run(app)
    assert books(app)[0]["last"] == 4 and "<b>1</b> of 1 right" in "".join(
        html.proto.body for html in app.get("html")
    )


def test_another_corpus_is_another_game() -> None:
    app = PAGES["bpe"].opened("corpus=hug&mode=predict&step=2")
    app.sidebar.selectbox(key="bpe.corpus").set_value("highest")
    run(app)
    assert PAGES["bpe"].value(app, "mode") == "predict" and books(app)[0]["last"] == 0


def test_a_finished_run_has_a_message() -> None:
    app = PAGES["bpe"].opened("corpus=hug&mode=predict&step=99")
    assert books(app)[0]["last"] == 7 and "step 7 is the last one" in bodies(app, "note")[-1]


def test_the_frames_of_large_runs_come_in_windows() -> None:
    app = PAGES["bpe"].opened("corpus=python&mode=predict&step=200")
    book = books(app)[0]
    assert book["last"] == 200 and len(book["frames"]) == 48 and book["first"] + 47 == 200


# --- challenges ---------------------------------------------------------------------------------------------


def challenge(
    last: int = 3, kind: str = "pair", page: str = "bpe", title: str = "Monday", **url: str
) -> Challenge:
    return Challenge(title, page, {"corpus": "hug", **url}, 1, last, kind)


def opened(sealed: str, **state: Any) -> AppTest:
    """The page of challenges at a link."""
    app = AppTest.from_file(str(APP), default_timeout=300)
    if sealed:
        app.query_params["c"] = sealed
    app.switch_page(str(Path("pages", "learn", "challenge.py")))
    for key, value in state.items():
        app.session_state[key] = value
    return run(app)


@pytest.mark.parametrize("name", PAGES)
def test_a_challenge_shows_its_steps_and_no_others(name: str) -> None:
    one, trace = challenge(page=name, kind="mixed"), TRACES[name]
    app = opened(one.sealed())
    position = f"challenge-{one.name}"
    for step in (1, 2):
        book = books(app)[0]
        assert (book["last"], len(book["frames"]), book["seek"][0], book["param"]) == (
            step,
            step + 1,
            step,
            None,
        )
        assert not tabs(app) and not app.get("download_button") and not app.sidebar.selectbox
        assert {**address(app)} == {"c": one.sealed()}
        app = answered(app, question_after(trace, step, "mixed", Style()).key, position)
    assert books(app)[0]["last"] == 3 and not [box for box in app.button if "predict" in str(box.key)]
    assert [code.value.split(",")[0] for code in app.code] == ["Monday: 2 of 2 right"]
    app.text_input(key=f"{position}.name").set_value(HOSTILE)
    run(app)
    result = open_answers(app.code[1].value)
    assert result is not None and result.challenge == one.name and len(result.answers) == 2
    assert result.name == HOSTILE[:80]


def test_the_address_of_a_challenge_has_nothing_to_change() -> None:
    """Neither another step nor any change of the sealed text opens more."""
    one = challenge()
    app = AppTest.from_file(str(APP), default_timeout=300)
    for name, value in {"c": one.sealed(), "step": "5", "mode": "watch", "corpus": "course"}.items():
        app.query_params[name] = value
    app.switch_page(str(Path("pages", "learn", "challenge.py")))
    run(app)
    assert books(app)[0]["last"] == 1
    sealed = one.sealed()
    forged = URLSafeSerializer("not the secret", salt="tokensteps.challenge").dumps([*one[:4], 7, "pair"])
    for changed in (sealed[:-1], f"A{sealed[1:]}", forged, "x", HOSTILE, "x" * 70_000):
        app = opened(changed)
        assert not books(app) and "not a challenge from this server" in problems(app)[0]


def test_a_title_is_only_text() -> None:
    app = opened(challenge(title=HOSTILE).sealed())
    body = next(html.proto.body for html in app.get("html") if "&lt;img" in html.proto.body)
    assert "<img" not in body


def test_a_challenge_waits_while_its_class_looks_elsewhere() -> None:
    one = challenge()
    app = opened(one.sealed())
    app = answered(app, question_after(TRACES["bpe"], 1, "pair", Style()).key, f"challenge-{one.name}")
    app.switch_page(str(Path("pages", "learn", "errata.py")))
    run(app)
    del app.query_params["c"]
    app.switch_page(str(Path("pages", "learn", "challenge.py")))
    run(app)
    assert books(app)[0]["last"] == 2 and address(app)["c"] == one.sealed()


def test_codes_hold_answers_and_are_marked_from_the_run() -> None:
    """Oracle: the questions' own keys, for right answers; anything else for wrong ones."""
    trace, style, one = TRACES["bpe"], Style(), challenge(last=4, kind="mixed")
    keys = [question_after(trace, step, "mixed", style).key for step in (1, 2, 3)]
    questions = questions_of(one, trace, style)
    assert [answer.verdict for answer in grade_answers(questions, [*keys, "one too many"])] == [RIGHT] * 3
    assert [answer.verdict for answer in grade_answers(questions, [keys[0], "?", ""])] == [
        RIGHT,
        WRONG,
        WRONG,
    ]
    assert [answer.verdict for answer in grade_answers(questions, [])] == [WRONG] * 3
    good = Answers(one.name, "Ann", 61, tuple(keys))
    poor = Answers(one.name, "=Bob()", 5, (keys[0], "99", keys[2]))
    other = Answers("0" * 12, "Cy", 5, tuple(keys))
    codes = [
        good.code(),
        "",
        f"Bob here, my code is: {poor.code()}.",
        other.code(),
        good.code()[:-2],
        HOSTILE,
        good.code(),
    ]
    held, refused = check_codes(one, trace, style, codes)
    assert [(row.result.name, row.number(RIGHT), row.number(TIED), row.number(WRONG)) for row in held] == [
        ("Ann", 3, 0, 0),
        ("=Bob()", 2, 0, 1),
    ]
    assert len(refused) == 4 and "another challenge" in refused[0] and "the code from line 1" in refused[3]
    assert [text.split(",")[0].split()[1] for text in refused] == ["4", "5", "6", "7"], (
        "blank lines are counted"
    )
    assert list(class_table(held)["time"]) == ["1:01", "0:05"]
    table = steps_table(held)
    assert list(table["step"]) == [2, 3, 4] and list(table["right"]) == [2, 1, 2]
    wrong = next(answer for answer in held[1].answers if answer.verdict == WRONG)
    assert wrong.text in table["most common mistake"][1]
    assert "2 of 3 right" in result_text(one, held[1])


def test_a_code_cannot_be_forged_without_the_secret() -> None:
    forged = URLSafeSerializer("guess", salt="tokensteps.result").dumps(["x", "Eve", 1, ["20"]])
    assert open_answers(forged) is None and open_challenge(forged) is None
    assert open_answers(challenge().sealed()) is None  # one kind is not the other


def test_a_teacher_checks_the_codes_of_a_class() -> None:
    one = challenge()
    keys = tuple(question_after(TRACES["bpe"], step, "pair", Style()).key for step in (1, 2))
    codes = [
        Answers(one.name, HOSTILE, 30, keys).code(),
        Answers(one.name, "Bo", 40, (keys[0], "b + u")).code(),
        "nonsense",
    ]
    app = opened("")
    assert bodies(app, "note")
    assert problems(app) == []
    app.text_input(key="challenge.link").set_value(
        "http://localhost/challenge?c=typo"
    )  # said before any code
    assert "Paste the challenge link" in problems(run(app))[0]
    app.text_input(key="challenge.link").set_value("")
    app.text_area(key="challenge.codes").set_value("\n".join(codes))
    run(app)
    assert "Paste the challenge link" in problems(app)[0]
    app.text_input(key="challenge.link").set_value(f"http://localhost/challenge?c={one.sealed()}")
    run(app)
    assert list(tables(app)[0]["right"]) == [2, 1] and "Line 3" in problems(app)[0]
    app.switch_page(str(Path("pages", "learn", "glossary.py")))
    run(app)
    app.switch_page(str(Path("pages", "learn", "challenge.py")))
    run(app)
    assert list(tables(app)[0]["right"]) == [2, 1], "after a look at another page"
    app.text_area(key="challenge.codes").set_value("x\n" * 501)
    run(app)
    assert "501 codes" in problems(app)[0]


def test_a_stopped_run_asks_nothing_and_marks_nothing() -> None:
    """A stopped run's questions would be fewer than the class's."""
    one = Challenge("Monday", "bpe", {"corpus": "library", "size": "800"}, 95, 200, "pair")
    trained = one.run()
    assert trained is not None and len(books(run(opened(one.sealed())))) == 1
    whole = registry().values.get(trained.name)
    assert whole is not None
    part = train_bpe(whole.corpus, vocab_size=800, progress=lambda done, _total: done < 100)
    assert part.stop_reason == "stopped" and 95 < len(part) < one.last
    for index in ("challenge", "check"):
        stopped = {f"bpe.{index}.stopped": {trained.name: part}}
        codes = (
            {"challenge.codes": Answers(one.name, "Ann", 30, ("b + u",)).code()} if index == "check" else {}
        )
        app = opened(one.sealed(), **stopped, **codes)
        assert any("stopped after" in text for text in bodies(app, "note"))
        assert not tables(app) and len(books(app)) == (index == "check")
        app.button(key=f"bpe.{index}.again").click()
        run(app)
        assert len(books(app)) == 1 and len(tables(app)) == 2 * (index == "check")


def test_training_pages_make_challenges() -> None:
    app = PAGES["bpe"].opened("corpus=hug&step=2&ties=greatest&show=symbols", "Files and link")
    result = open_challenge(app.code[-1].value)
    assert result == Challenge(
        "", "bpe", {"corpus": "hug", "ties": "greatest", "show": "symbols"}, 2, 7, "mixed"
    )
    app.number_input(key="bpe.challenge.steps.7").set_value(2)
    app.text_input(key="bpe.challenge.title").set_value(HOSTILE)
    run(app)
    result = open_challenge(app.code[-1].value)
    assert result is not None and (result.last, result.title) == (4, HOSTILE)
    for value in (0, 6, CHALLENGE_LIMIT + 1):
        app.number_input(key="bpe.challenge.steps.7").set_value(value)
        run(app)
        assert "choose a number from 1 to 5" in problems(app)[0]
    app = PAGES["bpe"].opened("corpus=hug&step=7", "Files and link")
    assert "No step follows this one" in bodies(app, "note")[-1]


def test_a_challenge_on_a_text_of_ones_own_carries_it() -> None:
    text = pack_text("ab ab cd")
    app = opened(challenge(corpus="paste", text=str(text), pre="whitespace_split", last=2).sealed())
    assert "ab" in json.dumps(books(app)[0]["frames"])
    app = opened(challenge(corpus="paste", id="lost", last=2).sealed())
    assert "no longer has the text of this link" in problems(app)[0] and not books(app)


def test_all_words_can_be_seen_where_the_stage_has_no_room() -> None:
    """Oracle: the engine's splits of all words, counted in the markup."""
    trace = train_bpe(
        Corpus.from_texts(EXAMPLES["course"].text().splitlines()), 50, special_tokens=("<|endoftext|>",)
    )
    app = PAGES["bpe"].opened("corpus=course&mode=predict&step=4")
    (body,) = [html.proto.body for html in app.get("html") if 'class="ts words"' in html.proto.body]
    assert body.count('class="id"') == len(trace.corpus.words) == 30
    assert body.count("<bdi") == sum(map(len, trace.splits(4).values()))
    assert not [
        html
        for html in PAGES["bpe"].opened("corpus=hug&mode=predict").get("html")
        if "ts words" in html.proto.body
    ]


def test_the_question_is_in_the_address_only_in_predict() -> None:
    app = PAGES["bpe"].opened("corpus=hug&mode=predict&ask=count")
    app.segmented_control(key="bpe.mode").set_value("watch")
    run(app)
    assert "ask" not in address(app) and "mode" not in address(app)


def test_a_link_from_another_page_begins_at_its_step() -> None:
    app = answered(PAGES["bpe"].opened("corpus=hug&mode=predict&ask=pair"), "u + g")
    app.switch_page(str(Path("pages", "learn", "errata.py")))
    run(app)
    app.query_params.clear()  # as the browser does
    app.switch_page(str(PAGES["bpe"].script))
    run(app)
    assert books(app)[0]["last"] == 1  # as it was left
    app.switch_page(str(Path("pages", "learn", "errata.py")))
    run(app)
    for name, value in {"corpus": "hug", "mode": "predict", "step": "3"}.items():
        app.query_params[name] = value
    app.switch_page(str(PAGES["bpe"].script))
    run(app)
    assert books(app)[0]["last"] == 3


def test_a_wrong_try_is_about_its_own_question() -> None:
    """Another kind of question begins anew, without the remark on the last one."""
    page = PAGES["bpe"]
    app = answered(page.opened("corpus=hug&mode=predict&ask=pair"), "p + u")
    assert "Not yet" in verdict(app)
    app.selectbox(key="bpe.ask").set_value("split")
    assert "Not yet" not in verdict(run(app))
    app = answered(app, "h ug")
    assert "verdict right" in verdict(app) and "second try" not in verdict(app)


def test_a_game_that_is_found_again_stands_at_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a look at another corpus; the browser's storage is in memory here."""
    kept: dict[str, list[Any]] = {}

    def synced(name: str, what: list[Any], **_options: Any) -> list[Any]:
        if what:
            kept[name] = json.loads(json.dumps(what))
            return []
        return kept.pop(name, [])

    monkeypatch.setattr("tokensteps.widgets.predict.synced", synced)
    app = PAGES["bpe"].opened("corpus=hug&mode=predict&ask=pair")
    for _step in range(3):
        app.button(key="bpe.predict.give_up").click()
        run(app)
    for corpus in ("course", "hug"):
        app.sidebar.selectbox(key="bpe.corpus").set_value(corpus)
        run(app)
    assert books(app)[0]["last"] == 3 and books(app)[0]["seek"][0] == 3
