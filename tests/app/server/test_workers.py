"""Training in other processes (`tokensteps/server/workers.py`): results equal the engine's in this process;
nothing waits for ever.

Oracle: the engine in this process. Turns are tested with workers that go on at the test's word.
"""

from __future__ import annotations

import contextlib
import math
import pickle
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psutil
import pytest

from tests.app.server.processes import children
from tests.app.server.tasks import (
    at_every_step,
    busy,
    endless,
    held_up,
    killed,
    killed_while_answering,
    loud,
    out_of_memory,
    roomy,
    too_large_to_send,
    until_stopped,
)
from tests.waiting import Clock, until
from tokenizers_core import train_bpe, train_unigram, train_wordpiece
from tokenizers_core.errors import PatternTimeoutError, VocabSizeError
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.limits import FAIR_SECONDS, JOBS_ON_A_PAGE, SMALL_TASK, TRAINING_MEMORY, TRAININGS_WAITING
from tokensteps.runs.corpora import Source, prose
from tokensteps.runs.trainings import train_all, train_model
from tokensteps.server import tasks
from tokensteps.server import workers as module
from tokensteps.server.entrance.addresses import SessionAddresses
from tokensteps.server.tasks import Progress, Stopped, Task, TrainingError, worth_sending
from tokensteps.server.worker import ProgressReporter
from tokensteps.server.workers import UNSEEN, Workers

PATIENT = 60.0
LARGE_TASK = 1_000_000
"""Bytes of a text with more than a second of training: reading it takes as long."""
TEXT = Source("x", prose()[:6_000].encode())


@pytest.fixture(scope="module")
def pool() -> Iterator[Workers]:
    result = Workers(1)
    yield result
    result.close()


def timers_running() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)}


def task(train: Any, text: Source = TEXT, pipeline: Pipeline | None = None, **settings: Any) -> Task:
    return Task(train, text, pipeline or Pipeline(pre_tokenizer="whitespace_split_metaspace"), settings)


@pytest.mark.parametrize(
    "one",
    [
        task(train_bpe, merges=40),
        task(train_wordpiece, merges=40),
        task(train_unigram, seed_size=200, vocab_size=150),
        task(train_unigram, seed_size=200, vocab_size=150, method="sentencepiece"),
        task(train_all, vocab_size=120, tie_rule="first", method="course", seed_size=None),
        task(train_model, model="wordpiece", vocab_size=120, special_tokens=("[UNK]",), alphabet="corpus"),
    ],
    ids=["bpe", "wordpiece", "unigram", "sentencepiece", "compare", "pipeline"],
)
def test_another_process_trains_the_same(pool: Workers, one: Task) -> None:
    here, data = one(Progress()), pool.run(one, Progress())
    there = pickle.loads(data)
    assert list(there) == list(here) and there.stop_reason == here.stop_reason
    assert [snapshot.event for snapshot in there] == [snapshot.event for snapshot in here]
    assert 1_000 < len(data) < 1_000_000


class Watching(Progress):
    """Progress on a page that keeps every trace on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def grow(self, part: Any) -> None:
        super().grow(part)
        self.seen.append(self.trace)


def test_a_run_can_be_looked_at_while_another_process_trains(pool: Workers) -> None:
    """Every trace on the way shows the same as the whole one; looking changes nothing of the run."""
    watching = Watching()
    growing = replace(task(at_every_step, merges=60), grows=True)
    whole = pickle.loads(pool.run(growing, watching))
    assert list(whole) == list(task(train_bpe, merges=60)(Progress())) and whole.finished
    assert [len(trace) for trace in watching.seen] == list(range(60)) and watching.news.is_set()
    for trace in watching.seen:
        assert not trace.finished and trace[-1] == whole[len(trace)]
    assert list(watching.seen[-1]) == list(whole)[:60]


def test_the_next_run_grows_from_its_own_start(pool: Workers) -> None:
    for _ in range(2):
        watching = Watching()
        pool.run(replace(task(at_every_step, merges=20), grows=True), watching)
        assert len(watching.seen[0]) == 0 and len(watching.seen[-1]) == 19


def test_a_run_that_ends_at_once_does_not_grow() -> None:
    """By a clock that stands still: after any earlier training, however long ago."""
    now, messages = [100.0], []
    reporter = ProgressReporter(lambda kind, _value: messages.append(kind), clock=lambda: now[0])
    for _ in range(2):
        now[0] += 60
        reporter.begin()
        now[0] += UNSEEN - 0.01
        reporter.growing(lambda: "a part")
        assert messages == []
        now[0] += 0.02
        reporter.growing(lambda: "a part")
        assert messages == ["progress", "growth"]
        reporter.growing(lambda: "a part")
        assert messages == ["progress", "growth"], "not again at once"
        messages.clear()


def test_more_than_a_trace_may_have_is_not_taken_in(pool: Workers) -> None:
    watching = Watching()
    assert pickle.loads(pool.run(replace(task(too_large_to_send), grows=True), watching)) == "ended"
    assert [len(trace) for trace in watching.seen] == [1]


def test_errors_come_back_as_they_are(pool: Workers) -> None:
    with pytest.raises(VocabSizeError) as raised:
        pool.run(task(train_bpe, vocab_size=2), Progress())
    assert raised.value.evidence["vocab_size"] == 2 and "choose at least" in str(raised.value)


def test_a_slow_pattern_holds_up_no_other_run(pool: Workers) -> None:
    bomb = task(train_bpe, Source("x", b"a" * 60 + b"!"), Pipeline(pattern="(a|aa)+$", timeout=0.2))
    assert worth_sending(bomb) and not worth_sending(task(train_bpe, Source("x", b"a" * SMALL_TASK)))
    assert worth_sending(task(train_bpe, Source("x", b"a" * (SMALL_TASK + 1))))
    with pytest.raises(PatternTimeoutError):
        pool.run(bomb, Progress())


def test_a_run_can_be_stopped_and_the_next_one_is_whole(pool: Workers) -> None:
    class Impatient(Progress):
        """Progress of a learner who presses Stop as soon as anything has been learned."""

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if (name, value) == ("phase", "training"):
                super().__setattr__("stop", True)

    trace = pickle.loads(pool.run(task(until_stopped), Impatient()))
    assert trace.stop_reason == "stopped"
    trace = pickle.loads(pool.run(task(train_bpe, merges=5), Progress()))
    assert trace.stop_reason == "max_merges"


def test_missing_memory_is_an_error_of_the_run_alone(pool: Workers) -> None:
    with pytest.raises(TrainingError, match=f"{TRAINING_MEMORY // 1_000_000} MB.*use a shorter text"):
        pool.run(task(out_of_memory), Progress())
    assert pickle.loads(pool.run(task(loud), Progress())) == "heard"


def test_a_librarys_output_about_a_text_is_in_no_log(capfd: pytest.CaptureFixture[str]) -> None:
    """The tokenizers library writes a hundred lines whenever it panics, as often as a visitor wants."""
    pool = Workers(1)
    assert pickle.loads(pool.run(task(loud), Progress())) == "heard"
    pool.close()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("end", [killed, killed_while_answering])
def test_a_process_that_dies_is_replaced(pool: Workers, end: Any) -> None:
    with pytest.raises(TrainingError, match="try again"):
        pool.run(task(end), Progress())
    assert len(pickle.loads(pool.run(task(train_bpe, merges=3), Progress()))) == 3


def test_a_grown_process_is_replaced() -> None:
    """A large run's memory is given back to the system, after success and failure; after a usual one, the
    process stays."""
    pool = Workers(1, room=60_000_000)

    def process(**settings: Any) -> int:
        number: int = pickle.loads(pool.run(task(roomy, **settings), Progress()))
        return number

    first = process(megabytes=5)
    assert process(megabytes=5) == first == process(megabytes=100)
    second = process(megabytes=5)
    assert second != first and not psutil.pid_exists(first)
    with pytest.raises(TrainingError, match="memory"):
        process(megabytes=100, fails=True)
    assert process(megabytes=5) != second
    pool.close()


def test_a_run_over_its_time_or_memory_limit_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Workers(1)
    monkeypatch.setattr(module, "TRACE_LIMIT", 1_000)
    with pytest.raises(TrainingError, match="more than 0 MB: choose a vocabulary size"):
        pool.run(task(train_bpe, merges=40), Progress())
    monkeypatch.setattr(tasks, "TRAINING_SECONDS", 0.2)
    with pytest.raises(TrainingError, match=r"more than 0\.2 seconds: stop it earlier"):
        pool.run(task(endless), Progress())
    pool.close()


def test_a_limit_is_on_working_time_not_on_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, a busy server refused tasks that an idle one takes."""
    before, pool = children(), Workers(1)
    monkeypatch.setattr(tasks, "TRAINING_SECONDS", 0.4)
    monkeypatch.setattr(module, "SLOWER", 1_000)  # the clock doesn't end it
    assert pickle.loads(pool.run(task(held_up), Progress())) == "ended"
    (worker,) = children() - before
    with pytest.raises(TrainingError, match=r"more than 0\.4 seconds: stop it earlier"):
        pool.run(task(busy), Progress())
    assert worker not in children()
    pool.close()


class Held:
    """Stands for a process; its runs end at the test's word."""

    started: threading.Semaphore
    gate: threading.Event
    begun: list[str]
    """The names of the texts, in the order of their turns."""
    alive = True

    def __init__(self, *_settings: object) -> None:
        pass

    def run(self, one: Task, _progress: Progress) -> bytes:
        self.begun.append(one.source.name)
        self.started.release()
        assert self.gate.wait(PATIENT)
        return one.source.name.encode()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> type[Held]:
    Held.started, Held.gate, Held.begun = threading.Semaphore(0), threading.Event(), []
    monkeypatch.setattr(module, "Worker", Held)
    return Held


@contextlib.contextmanager
def running(pool: Workers, *tasks: tuple[Task, Progress]) -> Iterator[list[Any]]:
    """Threads that run tasks; their results or errors, once the block has ended."""
    ended: list[Any] = []

    def run(one: Task, progress: Progress) -> None:
        try:
            ended.append(pool.run(one, progress))
        except Exception as error:
            ended.append(error)

    threads = [threading.Thread(target=run, args=each, daemon=True) for each in tasks]
    for thread in threads:
        thread.start()
    yield ended
    for thread in threads:
        thread.join(PATIENT)


def named(name: str, size: int = 1) -> tuple[Task, Progress]:
    return task(train_bpe, Source(name, b"a" * size)), Progress()


def test_large_texts_leave_a_process_to_small_ones(held: type[Held]) -> None:
    pool = Workers(2)
    with running(pool, named("large", LARGE_TASK + 1), named("large", LARGE_TASK + 1)):
        assert held.started.acquire(timeout=PATIENT)  # one of the two
        waiting(pool, 1)  # the other one waits,
        with running(pool, named("small")):
            assert held.started.acquire(timeout=PATIENT)  # though not for want of a process
            held.gate.set()
    assert held.begun == ["large", "small", "large"]


def test_the_smallest_goes_first(held: type[Held]) -> None:
    pool = Workers(1)
    with running(pool, named("first", 500)):
        assert held.started.acquire(timeout=PATIENT)
        with running(pool, *(named(f"{size}", size) for size in (300, 100, 200))):
            waiting(pool, 3)
            held.gate.set()
    assert held.begun == ["first", "100", "200", "300"]


def test_abandoned_runs_leave_the_queue(held: type[Held], monkeypatch: pytest.MonkeyPatch) -> None:
    pool, (given_up, given_up_progress), (forgotten, forgotten_progress) = Workers(1), named("b"), named("c")
    with running(pool, named("a")) as first:
        assert held.started.acquire(timeout=PATIENT)
        with running(pool, (given_up, given_up_progress), (forgotten, forgotten_progress)) as others:
            given_up_progress.stop = True
            forgotten_progress.last_read = -math.inf
        assert [type(one) for one in others] == [Stopped, Stopped] and forgotten_progress.stop
        monkeypatch.setattr(module, "TRAININGS_WAITING", 0)
        with pytest.raises(TrainingError, match="0 runs are already waiting for training: try again"):
            pool.run(*named("d"))
        held.gate.set()
    assert first == [b"a"]


class Fake:
    """A task with this expected number of seconds, and a name instead of a text."""

    def __init__(self, name: str, seconds: float) -> None:
        self.source, self.seconds = Source(name, b""), seconds

    def __call__(self, _progress: Progress) -> Any:
        raise AssertionError("it is never sent")


def of(session: str, name: str, seconds: float) -> tuple[Any, Progress]:
    return Fake(name, seconds), Progress(session=session)


def waiting(pool: Workers, number: int) -> None:
    until(lambda: pool.waiting == number, PATIENT)


class OneByOne(Held):
    """A process; its runs end one at a time, after the expected seconds by `clock`: `gate` is a semaphore
    here."""

    def run(self, one: Any, progress: Progress) -> bytes:
        self.begun.append(one.source.name)
        self.started.release()
        while not OneByOne.permits.acquire(timeout=0.02):
            assert not progress.stop or one.source.name != "short"
        OneByOne.now += one.seconds
        return one.source.name.encode()

    permits: threading.Semaphore
    now = 0.0

    @classmethod
    def clock(cls) -> float:
        return cls.now


@pytest.mark.parametrize("seconds", [0.5, 100.0])
def test_another_sessions_short_job_waits_for_one_short_job_at_most(
    held: type[Held], monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """While one session floods 66 jobs, short ones or long ones."""
    OneByOne.permits = threading.Semaphore(0)
    monkeypatch.setattr(module, "Worker", OneByOne)
    pool = Workers(2)
    flood = [of("attacker", f"{number}", seconds) for number in range(66)]
    with running(pool, *flood) as ended:
        until(
            lambda: pool.waiting + len(held.begun) + len(ended) >= 66 and pool.waiting <= JOBS_ON_A_PAGE,
            PATIENT,
        )
        before = len(held.begun)
        assert before == (2 if seconds < 1 else 1)
        with running(pool, of("honest", "short", 0.1)) as mine:
            if seconds < 1:  # both workers have short jobs: it waits for one of them
                waiting(pool, JOBS_ON_A_PAGE + 1)
                OneByOne.permits.release()
            until(lambda: "short" in held.begun, PATIENT)
            assert held.begun.index("short") == before
            for _ in range(100):
                OneByOne.permits.release()
        assert mine == [b"short"]
    assert sum(isinstance(one, Stopped) for one in ended) >= 66 - JOBS_ON_A_PAGE - 2
    OneByOne.permits, before = threading.Semaphore(0), len(held.begun)
    with running(pool, of("one", "next", 0.5), of("other", "next", 0.5)):  # both workers are free again
        until(lambda: len(held.begun) >= before + 2, PATIENT)
        OneByOne.permits.release(2)


def test_the_session_with_the_least_use_goes_next(held: type[Held], monkeypatch: pytest.MonkeyPatch) -> None:
    OneByOne.permits = threading.Semaphore(0)
    monkeypatch.setattr(module, "Worker", OneByOne)
    pool = Workers(1, clock=OneByOne.clock)
    with running(pool, of("a", "a0", 0.1)):
        assert held.started.acquire(timeout=PATIENT)
        later = [
            of("a", "a1", 0.1),
            of("a", "a2", 0.2),
            of("b", "b1", 0.5),
            of("b", "b2", 0.6),
            of("c", "c1", 0.9),
        ]
        with running(pool, *later):
            waiting(pool, 5)
            for _ in range(6):
                OneByOne.permits.release()
    assert held.begun == ["a0", "b1", "c1", "a1", "a2", "b2"]


class Street:
    """A pool with one worker, for sessions at addresses."""

    def __init__(self, **sessions: list[str]) -> None:
        """Address → its sessions."""
        self.where = SessionAddresses()
        for address, there in sessions.items():
            for session in there:
                self.where.arrive(session, address)
        self.pool = Workers(1, where=self.where, clock=OneByOne.clock)

    def trains(self, *tasks: tuple[Any, Progress]) -> None:
        """One after the other."""
        OneByOne.permits = threading.Semaphore(len(tasks))
        for one in tasks:
            self.pool.run(*one)

    def order(self, begun: list[str], *tasks: tuple[Any, Progress]) -> list[str]:
        """The order of turns of tasks that come while the worker is busy."""
        OneByOne.permits = threading.Semaphore(0)
        before = len(begun)
        with running(self.pool, of("", "busy", 0.1)):
            until(lambda: len(begun) > before, PATIENT)
            with contextlib.ExitStack() as asking:
                for number, one in enumerate(tasks, start=1):
                    asking.enter_context(running(self.pool, one))
                    waiting(self.pool, number)
                for _ in range(len(tasks) + 1):
                    OneByOne.permits.release()
        return begun[before + 1 :]


def test_a_new_session_of_a_visitor_inherits_the_past_use(
    held: type[Held], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session each for his trainings, all of them new: by sessions alone he would always be first."""
    monkeypatch.setattr(module, "Worker", OneByOne)
    street = Street(his=["he 0"], hers=["she"])
    street.trains(of("she", "hers", 2.0))
    for number in range(5):
        street.trains(of(f"he {number}", "his", 1.0))
        street.where.end(f"he {number}")
        street.where.arrive(f"he {number + 1}", "his")
    assert street.order(held.begun, of("he 5", "his", 0.1), of("she", "hers", 0.9)) == ["hers", "his"]


def test_a_class_at_one_address_is_not_one_visitor(held: type[Held], monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty students with a second each come before a visitor with two; the student with more than the
    others comes last."""
    monkeypatch.setattr(module, "Worker", OneByOne)
    students = [f"student {number}" for number in range(30)]
    street = Street(hall=students, home=["he"])
    street.trains(*(of(student, student, 1.0) for student in students), of("he", "he", 2.0))
    street.trains(of("student 7", "student 7", 4.0))
    requests = [of(name, name, 0.5) for name in ("student 7", "he", "student 1", "student 2")]
    assert street.order(held.begun, *requests) == ["student 1", "student 2", "he", "student 7"]


def test_past_use_fades(held: type[Held], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Worker", OneByOne)
    street = Street(a=["early"], b=["late"])
    street.trains(of("early", "early", 3.0))
    OneByOne.now += 2 * FAIR_SECONDS
    street.trains(of("late", "late", 1.0))
    assert street.order(held.begun, of("late", "late", 0.1), of("early", "early", 0.1)) == ["early", "late"]


def test_a_full_queue_is_full_only_for_its_heavy_users(
    held: type[Held], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty trainings of one visitor's twenty sessions: everybody else heard “60 runs are waiting”."""
    monkeypatch.setattr(module, "Worker", OneByOne)
    sessions = [f"his {number}" for number in range(20)]
    street = Street(his=sessions, hers=["she"])
    OneByOne.permits = threading.Semaphore(0)
    with running(street.pool, of("", "busy", 0.1)):
        assert held.started.acquire(timeout=PATIENT)
        his = [of(session, session, 0.1) for session in sessions for _ in range(TRAININGS_WAITING // 20)]
        with running(street.pool, *his) as ended:
            waiting(street.pool, TRAININGS_WAITING)
            with running(street.pool, of("she", "hers", 0.9)) as mine:
                until(lambda: ended, PATIENT)  # one of his is refused
                for _ in range(TRAININGS_WAITING + 1):
                    OneByOne.permits.release()
            assert mine == [b"hers"]
    (refused,) = [one for one in ended if not isinstance(one, bytes)]
    assert str(refused).startswith("60 runs are already waiting for training")


@pytest.mark.parametrize(
    ("remembered", "turns"), [(3, ["old", "new", "latest"]), (1_000, ["new", "old", "latest"])]
)
def test_a_session_of_long_ago_is_served_as_if_it_were_new(
    held: type[Held], monkeypatch: pytest.MonkeyPatch, remembered: int, turns: list[str]
) -> None:
    """Of sessions with requests at once and equal shares, the new ones come first, then by the age of their
    last turn."""
    OneByOne.permits = threading.Semaphore(100)
    monkeypatch.setattr(module, "Worker", OneByOne)
    monkeypatch.setattr(module, "SESSIONS_REMEMBERED", remembered)
    pool = Workers(1, clock=OneByOne.clock)
    for session in ("old", "other", "latest"):
        pool.run(*of(session, session, 0.1))
    OneByOne.permits = threading.Semaphore(0)
    with contextlib.ExitStack() as asking:
        asking.enter_context(running(pool, of("busy", "busy", 0.1)))
        until(lambda: len(held.begun) >= 4, PATIENT)
        for number, session in enumerate(("latest", "old", "new"), start=1):
            asking.enter_context(running(pool, of(session, session, 0.1)))
            waiting(pool, number)
        for _ in range(4):
            OneByOne.permits.release()
    assert held.begun[4:] == turns


def test_sixty_six_reruns_leave_the_queue_to_others(held: type[Held]) -> None:
    """Before, everybody else heard “60 runs are waiting”."""
    pool = Workers(1)
    flood = [of("attacker", f"{number}", 0.5) for number in range(66)]
    with running(pool, *flood):
        assert held.started.acquire(timeout=PATIENT)
        waiting(pool, JOBS_ON_A_PAGE)
        with running(pool, of("honest", "mine", 0.5)) as mine:
            held.gate.set()
        assert mine == [b"mine"]


def test_an_idle_used_process_is_replaced() -> None:
    """The process's memory goes with it, and one process is always ready; a new one stays."""
    before, timers, clock = children(), timers_running(), Clock()
    pool = Workers(1, idle_seconds=0.05, clock=clock)
    pool.start()
    first: int = pickle.loads(pool.run(task(roomy, megabytes=5), Progress()))
    assert children() - before == {first}
    clock.now += 0.1
    until(lambda: not psutil.pid_exists(first))
    (ready,) = children() - before
    until(lambda: timers_running() <= timers)  # nothing will end it
    pool.close()
    assert ready not in children()
