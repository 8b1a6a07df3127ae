"""Runs in progress (`tokensteps/server/jobs.py`, `traces.py`): each is built once, errors are not kept, a run
can be stopped, memory is bounded.

Oracle: counting how often something was built. Threads meet at events, never by waiting a while.
"""

from __future__ import annotations

import math
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.waiting import Clock, until
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.errors import EmptyCorpusError
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.limits import LARGE_RUN
from tokensteps.runs.corpora import Source
from tokensteps.server import jobs
from tokensteps.server.jobs import WAITS, Job, Registry, registry
from tokensteps.server.tasks import Progress, Stopped, Task
from tokensteps.server.traces import GROWTH, LEAST_TAKEN, forget_session, pickled, train

PATIENT = 30.0


class Built:
    """A build that counts its runs and, if asked to, waits for permission to end."""

    def __init__(self, value: Any = "value", gate: threading.Event | None = None) -> None:
        self.value, self.gate, self.times = value, gate, 0

    def __call__(self, progress: Progress) -> Any:
        self.times += 1
        if self.gate is not None:
            assert self.gate.wait(PATIENT)
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def test_a_value_is_built_once_and_shared() -> None:
    registry, build = Registry(), Built(object())
    first = registry.ask("run", build, PATIENT)
    assert first is build.value and registry.ask("run", build, PATIENT) is first
    assert build.times == 1
    assert registry.ask("other", build, PATIENT) is first and build.times == 2
    assert registry.jobs == {}


def test_asking_while_it_is_built_gives_the_same_job() -> None:
    gate = threading.Event()
    registry, build = Registry(), Built("done", gate)
    job = registry.ask("run", build, 0)
    assert isinstance(job, Job) and registry.ask("run", build, 0) is job
    gate.set()
    assert registry.ask("run", build, PATIENT) == "done"
    assert registry.ask("run", build, 0) == "done"
    assert build.times == 1


def test_many_at_once_build_once() -> None:
    gate, results = threading.Event(), []
    registry, build = Registry(), Built(object(), gate)
    askers = [
        threading.Thread(target=lambda: results.append(registry.ask("run", build, PATIENT)))
        for _ in range(12)
    ]
    for asker in askers:
        asker.start()
    gate.set()
    for asker in askers:
        asker.join(PATIENT)
    assert results == [build.value] * 12 and build.times == 1
    assert registry.jobs == {}


def test_an_error_reaches_the_asker_and_is_not_kept() -> None:
    registry, build = Registry(), Built(EmptyCorpusError(characters=0))
    for times in (1, 2):
        with pytest.raises(EmptyCorpusError, match="add some text"):
            registry.ask("run", build, PATIENT)
        assert build.times == times
    assert not registry.values.keys() and not registry.jobs
    assert registry.ask("run", Built("mended"), PATIENT) == "mended"


def test_only_the_latest_are_kept() -> None:
    registry = Registry(3)
    builds = {name: Built(name) for name in "abcd"}

    def ask(names: str) -> None:
        for name in names:
            assert registry.ask(name, builds[name], PATIENT) == name

    ask("abc")
    ask("a")  # a is used, so b is the oldest
    ask("d")
    assert registry.values.keys() == ["c", "a", "d"]
    ask("b")
    assert {name: build.times for name, build in builds.items()} == {"a": 1, "b": 2, "c": 1, "d": 1}


def stopped(make: Callable[[Progress, threading.Event], Any]) -> tuple[Registry, Job[Any]]:
    """A registry, and a job stopped while it was under way."""
    registry, running = Registry(), threading.Event()
    job = registry.ask("run", lambda progress: make(progress, running), 0)
    assert running.wait(PATIENT)
    registry.stop("run", job)
    assert job.finished(PATIENT)
    return registry, job


def test_stopping_keeps_the_learned_part_for_the_stopper_alone() -> None:
    corpus = Corpus.from_counts(
        {f"{number:b}".replace("0", "a").replace("1", "b"): 1 for number in range(3000)}
    )

    def train(progress: Progress, running: threading.Event) -> Any:
        def tell(done: int, total: int | None) -> bool:
            go_on = progress.steps(done, total)
            running.set()
            while done >= 64 and not progress.stop:  # the learner is sure to press in time
                pass
            return go_on

        return train_bpe(corpus, progress=tell)

    registry, job = stopped(train)
    assert job.error is None and job.value is not None
    assert job.value.stop_reason == "stopped"
    assert not registry.values.keys() and not registry.jobs
    whole = registry.ask("run", lambda progress: train_bpe(corpus, progress=progress.steps), PATIENT)
    assert whole.stop_reason == "no_pairs" and len(whole) > len(job.value)


def test_others_waiting_for_a_stopped_run_get_the_whole_one() -> None:
    """Neither the part learned so far nor an error."""
    registry, running, results = Registry(), threading.Event(), []
    times = 0

    def build(progress: Progress) -> str:
        nonlocal times
        times += 1
        if times > 1:
            return "whole"
        running.set()
        until(lambda: progress.stop)
        raise Stopped

    job = registry.ask("run", build, 0)
    assert isinstance(job, Job) and running.wait(PATIENT)
    other = threading.Thread(target=lambda: results.append(registry.ask("run", build, PATIENT, "other")))
    other.start()
    until(lambda: "other" in job.askers())
    registry.stop("run", job)
    other.join(PATIENT)
    assert results == ["whole"] and times == 2


def test_a_job_knows_its_waiting_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "time", clock := Clock())
    gate = threading.Event()
    job = Job(Built("done", gate))
    assert not job.shared("one") and not job.shared("one")
    assert job.shared("other") and job.shared("one")
    clock.now += WAITS + 0.1  # the other has closed its page
    assert not job.shared("one")
    gate.set()


def test_stopped_runs_are_not_kept_for_the_drawing_process() -> None:
    progress = Progress()

    def stopped_early(corpus: Corpus, **_settings: Any) -> Any:
        progress.stop = True
        return train_bpe(corpus, merges=1)

    source = Source("x", b"hug pug pun")
    train("stopped run", Task(stopped_early, source, Pipeline(), {}), progress)
    assert pickled("stopped run") is None
    train("stopped run", Task(train_bpe, source, Pipeline(), {}), Progress())
    assert pickled("stopped run") is not None


def test_stopping_while_reading() -> None:
    def read(progress: Progress, running: threading.Event) -> Any:
        while True:
            running.set()
            progress.characters(1000)

    registry, job = stopped(read)
    assert isinstance(job.error, Stopped) and job.value is None
    with pytest.raises(Stopped):
        job.result()
    assert registry.ask("run", Built("read"), PATIENT) == "read"


def test_progress_is_reported() -> None:
    progress = Progress()
    progress.characters(500)
    assert (progress.phase, progress.done, progress.total) == ("reading", 500, None)
    assert progress.steps(64, 300)
    assert (progress.phase, progress.done, progress.total) == ("training", 64, 300)
    progress.stop = True
    assert not progress.steps(128, 300)


def test_an_abandoned_run_is_stopped_and_starts_again_on_request() -> None:
    def wait(progress: Progress) -> str:
        until(lambda: progress.over)
        progress.stop = True
        return "half"

    registry = Registry()
    job = registry.ask("run", wait, 0)
    job.progress.last_read = -math.inf
    until(lambda: job.ended)
    assert registry.ask("run", Built("whole"), PATIENT) == "whole"


def test_an_unclaimed_result_outlives_a_request_for_another_run() -> None:
    registry, build = Registry(), Built("value")
    job = registry.ask("run", build, 0)
    if isinstance(job, Job):
        until(lambda: job.ended)
        job.progress.last_read = -math.inf
    registry.ask("other", Built("other"), PATIENT)
    assert not registry.jobs and registry.ask("run", build, PATIENT) == "value" and build.times == 1


def test_room_is_counted_by_the_jobs_own_size() -> None:
    registry = Registry(10)

    def make(size: int) -> Callable[[Progress], str]:
        def build(progress: Progress) -> str:
            progress.size = size
            return str(size)

        return build

    for size in (4, 5, 3):
        registry.ask(str(size), make(size), PATIENT)
    assert registry.values.keys() == ["5", "3"]


def test_a_small_task_is_trained_at_once_and_weighed() -> None:
    progress = Progress()
    task = Task(train_bpe, Source("x", b"hug pug"), Pipeline(), {"merges": 2})
    trace = train("a name", task, progress)
    assert len(trace) == 2 and progress.size == LEAST_TAKEN + GROWTH * len(pickled("a name") or b"")
    assert list(pickle.loads(pickled("a name") or b"")) == list(trace) and pickled("another") is None


def stopped_jobs(registry: Registry, calls: list[tuple[str, str, str]], gate: threading.Event) -> list[str]:
    """Ask for endless jobs, as (session, place, key); the keys of the abandoned ones."""
    jobs = {}
    for session, position, key in calls:
        job = registry.ask(key, Built(key, gate), 0, session, position)
        assert isinstance(job, Job)
        jobs[key] = job
    return [key for key, job in jobs.items() if job.progress.stop]


def test_a_page_with_another_run_gives_up_the_last_one() -> None:
    gate = threading.Event()
    requests = [("s", "bpe", f"size {size}") for size in range(66)] + [("other", "bpe", "theirs")]
    assert stopped_jobs(Registry(), requests, gate) == [f"size {size}" for size in range(65)]
    gate.set()


def test_a_session_has_two_jobs_and_those_that_its_page_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "time", clock := Clock())
    gate, registry = threading.Event(), Registry()
    positions = [("s", f"slot {number}", f"run {number}") for number in range(4)]
    assert stopped_jobs(registry, positions, gate) == []  # four tokenizers on one page, asked for at once
    assert stopped_jobs(registry, positions, gate) == []  # and again, when the page runs again
    assert registry.ask("run 9", Built(9, gate), 0, "s", "slot 9")
    assert [key for key, job in registry.jobs.items() if job.progress.stop] == ["run 0"]
    clock.now += WAITS + 1  # another page: nobody waits for these
    registry.ask("next", Built("next", gate), 0, "s", "bpe")
    assert [key for key, job in registry.jobs.items() if not job.progress.stop] == ["run 9", "next"]
    gate.set()


def test_runs_with_others_waiting_are_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "time", Clock())
    gate, registry = threading.Event(), Registry()
    mine = registry.ask("shared", Built("shared", gate), 0, "s", "bpe")
    assert registry.ask("shared", Built("shared", gate), 0, "other", "bpe") is mine
    registry.ask("mine alone", Built(1, gate), 0, "s", "bpe")
    assert isinstance(mine, Job) and not mine.progress.stop
    gate.set()


def large(size: int, gate: threading.Event | None = None) -> Callable[[Progress], str]:
    """A build with a value of this size."""

    def build(progress: Progress) -> str:
        assert gate is None or gate.wait(PATIENT)
        progress.size = size
        return "value"

    return build


def test_a_large_run_goes_with_its_last_session() -> None:
    """Before, an attacker's finished runs stayed for good: one trained on 100 KB of random letters took 40
    MB."""
    registry = Registry()
    for session, key, size in (
        ("one", "alone", LARGE_RUN + 1),
        ("one", "shared", LARGE_RUN + 1),
        ("other", "shared", LARGE_RUN + 1),  # when it was there already
        ("one", "small", LARGE_RUN),
        ("", "everybody's", LARGE_RUN + 1),
    ):
        assert registry.ask(key, large(size), PATIENT, session) == "value"
    assert registry.leave("one") == ["alone"]
    assert registry.values.keys() == ["shared", "small", "everybody's"]
    assert registry.leave("one") == [] and registry.leave("other") == ["shared"]
    assert registry.values.keys() == ["small", "everybody's"]


def test_a_large_runs_sessions_are_forgotten_with_it() -> None:
    registry = Registry(2 * LARGE_RUN)
    for number in range(5):  # each pushes the one before out
        assert registry.ask(f"run {number}", large(LARGE_RUN + 1), PATIENT, "one") == "value"
    assert registry.leave("one") == ["run 4"] and not registry.values.keys()


def test_an_ending_session_stops_runs_that_it_alone_waits_for() -> None:
    gate, registry = threading.Event(), Registry()
    requests = {}
    for session, key in (("one", "alone"), ("one", "shared"), ("other", "shared"), ("", "everybody's")):
        requests[key] = registry.ask(key, large(LARGE_RUN + 1, gate), 0, session, key)
    assert registry.leave("one") == []
    stopped = {key: isinstance(job, Job) and job.progress.stop for key, job in requests.items()}
    assert stopped == {"alone": True, "shared": False, "everybody's": False}
    gate.set()
    assert registry.ask("shared", large(0), PATIENT, "other") == "value"
    assert registry.leave("other") == ["shared"]


def test_a_run_that_ended_before_its_session_goes_with_it() -> None:
    """Nobody came back for it, so it wasn't among the finished ones, but held all the same."""
    registry = Registry()
    gate = threading.Event()
    job = registry.ask("run", large(LARGE_RUN + 1, gate), 0, "one")
    gate.set()
    assert isinstance(job, Job) and job.finished(PATIENT)
    assert registry.leave("one") == ["run"] and not registry.jobs and not registry.values.keys()


def test_the_drawing_process_gets_no_run_of_an_ended_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "LARGE_RUN", 0)
    task = Task(train_bpe, Source("x", b"hug pug pun"), Pipeline(), {})
    assert registry().ask("gone run", lambda progress: train("gone run", task, progress), PATIENT, "gone")
    assert pickled("gone run") is not None
    forget_session("another")
    assert pickled("gone run") is not None
    forget_session("gone")
    assert pickled("gone run") is None and registry().values.get("gone run") is None
