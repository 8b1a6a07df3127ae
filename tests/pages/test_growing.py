"""A training page while its run still grows: recorded steps can be stepped through, a link waits for its
step, tabs about the whole run wait for the end, Predict goes no further than the recorded steps.

A stage comes before its tabs, a few frames before many. Oracle: the engine's finished run of the same text.
Training here goes on when the test says so: nothing waits a while.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import PATIENT, Page, bodies, book, books, run, tables, tabs
from tests.pages.test_bpe import PAGE as BPE
from tests.pages.test_class import component_data
from tests.pages.test_unigram import PAGE as UNIGRAM
from tests.waiting import Clock
from tokenizers_core.trace import CutOff
from tokensteps.bounded import Memo, SharedCache
from tokensteps.components.classes import CLASS_CODE
from tokensteps.limits import FRAMES_ROOM
from tokensteps.runs import algorithms
from tokensteps.server import jobs, shared_cache
from tokensteps.server.jobs import Registry, registry
from tokensteps.server.tasks import Progress, Task, TrainingError
from tokensteps.shell.classes import CLASS_ASKS, CLASS_LEAD, Destination
from tokensteps.widgets.stage import FIRST

TEXT = "corpus=library&size=700"
SEED = "corpus=library&size=400&seed=500"


class Slow:
    """In the place of training: it stops at the test's steps, with everything before them handed over."""

    def __init__(self) -> None:
        self.progress = Progress()
        self.error: Exception | None = None
        self._until, self._changed = 0, threading.Condition()
        self._at = -1

    def __call__(self, _name: str, task: Task[Any], progress: Progress) -> Any:
        def growing(cut: CutOff) -> None:
            with self._changed:
                self._at += 1
                if self._at == self._until:
                    progress.grow(cut())
                    self._changed.notify_all()
                    assert self._changed.wait_for(lambda: self._until > self._at, PATIENT)
            if self.error is not None:
                raise self.error

        self.progress = progress
        corpus = task.source.corpus(task.pipeline)
        return task.train(corpus, growing=growing, progress=progress.steps, **task.settings)

    def go_to(self, call: int) -> None:
        """Train up to there, and wait until the recorded steps can be seen."""
        with self._changed:
            self._until = call
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._at == call, PATIENT)

    def restart(self) -> None:
        """Have the next run wait after a few steps."""
        self._until, self._at = 5, -1

    def finish(self) -> None:
        """Train to the end."""
        with self._changed:
            self._until = 1_000_000
            self._changed.notify_all()
        for job in [*registry().jobs.values()]:
            job.finished(PATIENT)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Slow]:
    """Training that waits for the test, of runs not yet trained here."""
    training = Slow()
    monkeypatch.setattr(algorithms, "train", training)
    registry().jobs.clear()
    registry().values = SharedCache(registry().values.room)
    yield training
    training.finish()


def opened(page: Page, query: str, slow: Slow, call: int, tab: str = "", **state: Any) -> AppTest:
    """The page at a link, when training has come to a call; run once."""
    app = page.start(query)
    if tab:
        app.session_state[f"{page.name}.tab"] = tab
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    slow.go_to(call)
    return again(app)


def again(app: AppTest) -> AppTest:
    app.run()
    assert [error.value for error in app.exception] == []
    return app


def test_recorded_steps_can_be_stepped_through(slow: Slow) -> None:
    app = opened(BPE, TEXT, slow, 10)
    shown = book(app)
    assert shown["last"] == 10 and shown["growth"][0].startswith("Training: ") and shown["growth"][1]
    assert not app.get("progress")
    assert "Training goes on" in shown["frames"][10]["html"]
    slow.go_to(300)
    longer = book(again(app))
    assert longer["last"] == 300 and longer["run"] == shown["run"] and longer["seek"] == shown["seek"]
    slow.finish()
    whole = book(run(app))
    assert whole["growth"] is None and whole["run"] == shown["run"] and whole["last"] > 300
    assert whole["frames"] == longer["frames"] and whole["frames"][:10] == shown["frames"][:10]


def test_a_stage_that_has_just_come_stands_alone_and_asks_for_the_rest_at_once(slow: Slow) -> None:
    """Tabs take the browser longer than the stage: they come with the second answer."""
    app = again(BPE.start(TEXT))
    if app.get("progress"):  # the start wasn't recorded yet
        slow.go_to(0)
        again(app)
    shown = book(app)
    assert shown["growth"][2] == 0 and not tabs(app)
    assert book(again(app))["growth"][2] > 0 and tabs(app)


def test_tabs_that_are_there_stay_when_another_run_takes_their_place(
    slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If they went for a moment, a scrolled page would jump. Without a stage in between, there were none."""
    app = opened(BPE, TEXT, slow, 10)
    assert tabs(again(app))
    monkeypatch.setattr(Registry.ask, "__defaults__", (PATIENT, "", "", False))  # until there are steps
    slow.finish()
    slow.restart()
    app.number_input(key="bpe.size").set_value(705)
    assert not again(app).get("progress") and book(app)["growth"][2] == 0 and tabs(app)
    slow.finish()
    slow.restart()
    app.selectbox(key="bpe.corpus").set_value("paste")
    assert not books(again(app)) and not tabs(app)
    app.selectbox(key="bpe.corpus").set_value("library")
    assert book(again(app))["growth"][2] == 0 and not tabs(app)


def test_of_a_long_run_that_is_not_drawn_a_few_frames_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later visitors get all at once."""
    whole = book(run(BPE.start(TEXT + "&step=300")))["frames"]
    monkeypatch.setattr(shared_cache, "drawings", Memo(FRAMES_ROOM))
    app = again(BPE.start(TEXT + "&step=300"))
    few = book(app)
    assert few["growth"] == ["", "", 0] and few["seek"][0] == 300 and tabs(app)
    assert few["first"] <= 300 - FIRST // 4 and few["first"] + len(few["frames"]) > 300 + FIRST // 4
    rest = book(again(app))
    assert rest["growth"] is None and rest["seek"] == few["seek"] and rest["frames"] == whole
    begin = few["first"] - rest["first"]
    assert len(few["frames"]) == FIRST < len(whole) and few["frames"] == whole[begin : begin + FIRST]
    assert book(again(BPE.start(TEXT + "&step=300")))["growth"] is None


def test_a_link_waits_for_its_step_alone(slow: Slow) -> None:
    app = opened(BPE, TEXT + "&step=200", slow, 199)
    assert app.get("progress") and not app.get("tab_container")
    slow.go_to(200)
    shown = book(again(app))
    assert not app.get("progress") and shown["last"] == 200 and shown["seek"][0] == 200
    slow.go_to(250)
    assert book(again(app))["seek"] == shown["seek"]  # it leads there once


def test_a_class_is_led_to_a_step_once_it_is_there(slow: Slow) -> None:
    """Until then, the strip hears of no page, so that a lecturer's leads nobody to a step of the address; and
    a question isn't forgotten."""
    way = Destination("bpe", {"corpus": "library", "size": "700", "step": "200"}, "way 1")
    state = {CLASS_CODE: "KX7P3H", CLASS_LEAD: way, CLASS_ASKS: ("n1", "pair", 200)}
    app = opened(BPE, "class=KX7P3H", slow, 199, **state)
    shown = component_data(app, "class_page")
    assert app.get("progress") and shown["path"] is None and shown["question"] is None
    slow.go_to(200)
    shown = component_data(again(app), "class_page")
    assert book(app)["seek"][0] == 200 and (shown["path"], shown["went"]) == ("bpe", "way 1")
    assert shown["question"]["nonce"] == "n1"


def test_a_run_shared_by_two_visitors_cannot_be_stopped(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "time", Clock())
    first = opened(BPE, TEXT, slow, 10)
    assert book(again(BPE.start(TEXT)))["last"] == 10 == book(again(first))["last"]
    (job,) = registry().jobs.values()
    job.shared("somebody else")
    assert book(again(first))["growth"][1] == ""


def test_tabs_about_the_whole_run_wait_for_the_end_and_tables_do_not(slow: Slow) -> None:
    app = opened(BPE, TEXT, slow, 30, tab="Charts")
    waits = "comes when training has ended"
    assert any(waits in note for note in bodies(app, "note"))
    app.session_state["bpe.tab"] = "Every pair"
    assert len(tables(again(app))) == 1 and not any(waits in note for note in bodies(app, "note"))
    app.session_state["bpe.tab"] = "Charts"
    slow.finish()
    assert not any(waits in note for note in bodies(run(app), "note"))


def test_a_failed_run_is_reported(slow: Slow) -> None:
    app = opened(BPE, TEXT, slow, 20)
    slow.error = TrainingError("memory", 1)
    slow.finish()
    assert any("more than 1 MB" in problem for problem in bodies(again(app), "note problem"))


def test_unigram_shows_its_seed_before_anything_is_ranked(slow: Slow) -> None:
    app = opened(UNIGRAM, SEED, slow, 0)
    shown = book(app)
    assert shown["last"] == 0 and "Training starts from" in shown["frames"][0]["html"]
    assert "the corpus costs" not in shown["frames"][0]["say"]
    slow.finish()
    whole = book(run(app))
    assert whole["run"] == shown["run"] and "the corpus costs" in whole["frames"][0]["say"]


def test_predict_waits_for_recorded_steps(slow: Slow) -> None:
    app = opened(BPE, TEXT + "&mode=predict", slow, 30)
    shown = book(app)
    assert shown["last"] == 0 and shown["growth"] and len(shown["frames"]) == 1
    assert any("the next question comes" in note for note in bodies(app, "note"))
    slow.go_to(60)
    wanted = book(again(app))
    assert wanted["last"] == 0 and wanted["growth"] is None  # there is a question: nothing more is wanted
    assert not any("the next question comes" in note for note in bodies(app, "note"))
    slow.finish()
    assert book(run(app))["last"] == 0


def test_a_link_into_predict_waits_for_its_step_and_the_steps_a_question_needs(slow: Slow) -> None:
    """Otherwise its question would come from an earlier step."""
    app = opened(BPE, TEXT + "&mode=predict&step=50", slow, 60)
    assert app.get("progress") and not books(app)
    slow.go_to(95)
    assert book(again(app))["last"] == 50
