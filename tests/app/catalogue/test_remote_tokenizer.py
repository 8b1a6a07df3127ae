"""Tokenizers from elsewhere in processes of their own (`tokensteps/catalogue/files/remote_tokenizer.py`), and
earlier harm to the server by files.

Oracles: the same files loaded in this process (`formats.load`, compared with the library in other tests); a
ticking thread, which a held GIL would stop; this process's memory, and the operating system's list of its
children.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import psutil
import pytest
from tokenizers import Tokenizer, models

from tests.app.catalogue.test_loaded import bpe, document, files_of
from tests.app.server.processes import children, worked
from tests.waiting import Clock, pass_time, until
from tokensteps.catalogue.files import remote_tokenizer
from tokensteps.catalogue.files.errors import EncodeError, LoadError
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.renewal import heritage
from tokensteps.limits import ADDED_CHARACTERS, TOKENIZER_LIMIT, WORD_CHARACTERS
from tokensteps.server import workers
from tokensteps.server.jobs import Job
from tokensteps.server.tasks import Progress, TrainingError
from tokensteps.server.workers import Workers

SLOW = {"Regex": r"a*(?!a)(?<=b)"}
"""Takes quadratic time for a text of a's, without ever reaching the library's own limit."""
HOSTILE = "a" * 60_000
NICENESS, AT_ONCE = 5, 2


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    result = Workers(AT_ONCE, NICENESS, remote_tokenizer.__name__)
    monkeypatch.setattr(remote_tokenizer, "readers", lambda: result)
    monkeypatch.setattr(workers, "SLOWER", 1_000)  # the clock of a busy machine ends nothing
    yield result
    result.close()


def brought(files: Mapping[str, bytes], session: str = "me", name: str = "mine") -> LoadedSubject:
    return remote_tokenizer.load_remote_tokenizer(
        f"{name} {hash(frozenset(files.items()))}", lambda: files, name, Progress(), lambda: session
    )


def test_the_same_files_are_read_once_whatever_somebody_calls_them(pool: Workers) -> None:
    """Oracle: the process's own list of loaded tokenizers, by its work on one without getting its files
    again."""
    there = [files_of(Tokenizer(models.WordLevel({"hug": 0}, "[UNK]")))]

    def files() -> dict[str, bytes]:
        if not there:
            raise LoadError("nothing")
        return there[0]

    mine = remote_tokenizer.load_remote_tokenizer("a key", files, "mine", Progress(), lambda: "me")
    theirs = remote_tokenizer.load_remote_tokenizer("a key", files, "theirs", Progress(), lambda: "them")
    there.clear()
    assert (mine.name, theirs.name) == ("mine", "theirs")
    assert list(theirs.encode("hug").ids) == list(mine.encode("hug").ids) == [0]
    with pytest.raises(EncodeError, match="'theirs'"):
        theirs.encode("pug")
    with pytest.raises(EncodeError, match="'mine'"):
        mine.encode("pug")


def slow_files(stage: str = "pre_tokenizer") -> dict[str, bytes]:
    component: dict[str, Any] = {
        "pre_tokenizer": {"type": "Split", "pattern": SLOW, "behavior": "Isolated", "invert": False},
        "normalizer": {"type": "Replace", "pattern": SLOW, "content": ""},
    }
    return files_of(document(bpe(), **{stage: component[stage]}))


@contextmanager
def ticking() -> Iterator[Callable[[], float]]:
    """Measures the longest work of this process while its other threads stood still: in processor time, which
    a busy machine doesn't stretch."""
    over, gaps = threading.Event(), [0.0]

    def tick() -> None:
        last = time.process_time()
        while not over.wait(0.01):
            now = time.process_time()
            gaps[0], last = max(gaps[0], now - last), now

    thread = threading.Thread(target=tick)
    thread.start()
    yield lambda: gaps[0]
    over.set()
    thread.join()


# --- the same as here ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [
        files_of(document(bpe())),
        files_of(
            document(
                {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
                 "vocab": {"[UNK]": 0, "a": 1, "##b": 2}},
                added=[{"id": 3, "content": "[CLS]"}],
                normalizer={"type": "Lowercase"},
                pre_tokenizer={"type": "Whitespace"},
            )
        ),
        files_of(document({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0], ["ab", -1.5]]})),
        {"vocab.json": b'{"h": 0, "u": 1, "g": 2, "ug": 3, "<unk>": 4}', "merges.txt": b"u g"},
    ],
    ids=["bpe", "wordpiece", "unigram", "two files"],
)  # fmt: skip
def test_the_remote_tokenizer_equals_the_local_one(pool: Workers, files: Mapping[str, bytes]) -> None:
    there, here = brought(files), load(files, "mine")
    for name in ("name", "algorithm", "size", "notes", "style", "unknown_token", "unknown_id", "added"):
        assert getattr(there, name) == getattr(here, name)
    assert there.all_tokens() == here.all_tokens()
    for identifier in range(len(here.all_tokens())):
        assert there.facts(identifier) == here.facts(identifier)
        assert there.token_bytes(identifier) == here.token_bytes(identifier)
    for text in ("", "ab a", "AB [CLS] hug", "🙂"):
        assert there.normalized(text) == here.normalized(text)
        for specials in (True, False):
            assert there.encode(text, specials) == here.encode(text, specials)


def test_a_new_tokenizer_inherits_from_one_in_another_process(pool: Workers) -> None:
    files = files_of(document(bpe(), pre_tokenizer={"type": "Whitespace"}))
    assert heritage(brought(files)) == heritage(load(files, "mine"))


def test_an_ended_process_is_replaced_and_loads_the_files_again(pool: Workers) -> None:
    before, subject = children(), brought(files_of(document(bpe())))
    pool.close()
    assert list(subject.encode("ab").ids) == [2]
    for worker in map(psutil.Process, children() - before):
        worker.kill()
        worker.wait()
    assert list(subject.encode("abab").ids) == [2, 2]


def test_dropped_files(pool: Workers) -> None:
    entries = [files_of(document(bpe()))]

    def files() -> Mapping[str, bytes]:
        if not entries:
            raise LoadError("nothing")
        return entries[0]

    subject = remote_tokenizer.load_remote_tokenizer("gone", files, "mine", Progress(), str)
    entries.clear()
    assert list(subject.encode("ab").ids) == [2]  # the process still has it
    pool.close()
    with pytest.raises(EncodeError, match="upload its files or choose it again") as caught:
        subject.encode("ab")
    assert caught.value.why == "gone"


def test_idle_processes_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    result = Workers(AT_ONCE, NICENESS, remote_tokenizer.__name__, 0.05, clock=clock)
    monkeypatch.setattr(remote_tokenizer, "readers", lambda: result)
    before = children()
    subject = brought(files_of(document(bpe())))
    assert children() - before
    clock.now += 0.1
    until(lambda: not children() - before)
    assert list(subject.encode("ab").ids) == [2]
    result.close()


# --- attacks ------------------------------------------------------------------------------------------------


def test_a_pattern_that_runs_away_is_ended_and_not_tried_again(
    pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, its thread went on for hours, and nothing could end it."""
    monkeypatch.setattr(remote_tokenizer, "ENCODING_SECONDS", 0.5)
    subject, other = brought(slow_files()), brought(files_of(document(bpe())), "somebody else")
    before = children()
    with ticking() as frozen:
        with pytest.raises(EncodeError, match=r"took more than 0\.5 seconds") as caught:
            subject.encode(HOSTILE)
        assert caught.value.why == "slow"
        with monkeypatch.context() as patch:
            patch.setattr(pool, "run", None)  # it isn't tried again
            with pytest.raises(EncodeError):
                subject.encode(HOSTILE)
        assert list(subject.encode("ab").ids) == list(other.encode("ab").ids) == [2]
        with pytest.raises(EncodeError):
            brought(slow_files("normalizer"), name="normalizing").normalized(HOSTILE)
        monkeypatch.setattr(remote_tokenizer, "WHY_SECONDS", 0.3)
        with pytest.raises(EncodeError, match=r"took more than 0\.3 seconds"):
            subject.why(HOSTILE, 0, True)
    assert frozen() < 0.5
    until(lambda: {psutil.Process(child).status() for child in children()} <= {psutil.STATUS_SLEEPING})
    assert len(children() - before) <= AT_ONCE


def test_the_latest_texts_that_took_too_long_are_not_tried_again(
    pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two are remembered: the first of three is tried once more."""
    subject = brought(files_of(document(bpe())))
    monkeypatch.setattr(remote_tokenizer, "SLOW_REMEMBERED", 2)
    tried = []

    def too_slow(_request: object, _progress: Progress) -> None:
        tried.append(text)
        raise TrainingError("time")

    monkeypatch.setattr(pool, "run", too_slow)
    for text in ("a", "b", "ab", "b", "ab", "a"):
        with pytest.raises(EncodeError) as caught:
            subject.encode(text)
        assert caught.value.why == "slow"
    assert tried == ["a", "b", "ab", "a"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "pattern",
    [
        "((a{0,1000}){0,1000}){0,1000}",
        "(((a{1,100}){1,100}){1,100}){1,100}b",
        "a{100000}",
        r"(?=(a+))\1*$(?<!a)",
        r"(a*)*\1b",
        r"(?<x>a\g<x>?b?)",
        r"(?<x>\g<x>a)",
        "(" * 4_000 + "a" + ")" * 4_000,
        r"(?i:[\p{L}&&[^\p{Lu}]]{0,1000}ß{0,200})*$",
    ],
)
def test_the_librarys_own_engine_has_a_time_limit(
    pool: Workers, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    """Repeats of repeats, looks around, calls of groups by themselves: tokens or an error, in time, and the
    next visitor's text is encoded."""
    monkeypatch.setattr(remote_tokenizer, "ENCODING_SECONDS", 0.5)
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    started = worked()
    with suppress(EncodeError, LoadError):
        subject = brought(files_of(document(bpe(), pre_tokenizer=split)))
        subject.encode("a" * 20_000)
    assert worked() - started < 10, "it is given half a second, and a new process begins"
    other = brought(files_of(document(bpe())), "somebody else")
    assert list(other.encode("ab").ids) == [2]


def test_one_visitors_slow_texts_leave_a_process_for_others(
    pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_tokenizer, "ENCODING_SECONDS", 60.0)
    before = children()
    subject, other = brought(slow_files()), brought(files_of(document(bpe())), "somebody else")
    other.encode("a")
    attacks = [
        threading.Thread(target=partial(_ignored, subject.encode, HOSTILE * 9 + "a" * number))
        for number in range(3)
    ]
    for attack in attacks:
        attack.start()
    for times in range(1, 4):  # an attack, perhaps in the other's process, takes it in between
        pass_time(0.3)
        assert list(other.encode("ab" * times).ids) == [2] * times
    assert all(attack.is_alive() for attack in attacks), "an answer waited for the end of one"

    def ended() -> bool:
        for child in children() - before:
            with suppress(psutil.NoSuchProcess):
                psutil.Process(child).kill()
        return not any(attack.is_alive() for attack in attacks)

    until(ended)


def _ignored(work: Callable[[str], object], text: str) -> None:
    with suppress(EncodeError):
        work(text)


ATTACKS: Mapping[str, tuple[dict[str, bytes], str]] = {
    "long token in ranks": (
        {
            "a.tiktoken": b"\n".join(
                base64.b64encode(token) + f" {rank}".encode()
                for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), b"aa", b"a" * 16_000])
            )
        },
        "which has 16,000 characters, would take too much work",
    ),
    "long added tokens": (
        files_of(
            document(
                bpe(),
                added=[
                    {"id": 3 + number, "content": f"{number:05}" + "x" * 4_995} for number in range(2_000)
                ],
            )
        ),
        f"10,000,000 characters in total, more than {ADDED_CHARACTERS:,}",
    ),
    "many added tokens": (
        files_of(
            document(
                bpe(),
                added=[{"id": 3 + number, "content": f"{number:05}" + "x" * 900} for number in range(2_000)],
            )
        ),
        f"1,810,000 characters in total, more than {ADDED_CHARACTERS:,}",
    ),
    "long words": (
        files_of(
            document(
                {
                    "type": "WordPiece",
                    "unk_token": "a",
                    "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 10**9,
                    "vocab": {"a": 0},
                }
            )
        ),
        f"'max_input_chars_per_word' is 1000000000, but it can be {WORD_CHARACTERS:,} at most",
    ),
    "a number of a stage": (
        files_of(document(bpe(), pre_tokenizer={"type": "FixedLength", "length": 10**12})),
        "'length' is 1000000000000, but it can be 600,000 at most",
    ),
    "not a number": (
        {
            "tokenizer.json": json.dumps(document(bpe(), decoder={"type": "CTC", "x": 1}))
            .replace('"x": 1', '"x": 1e999')
            .encode()
        },
        "'x' is inf",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_file_that_would_take_long_is_refused_at_once(pool: Workers, attack: str) -> None:
    """Before: 29 s for the ranks, 18 s with the GIL held for the added tokens, hours for the words."""
    files, says = ATTACKS[attack]
    with ticking() as frozen:
        started = worked()
        with pytest.raises(LoadError) as caught:
            brought(files)
        taken = worked() - started
    assert says in str(caught.value)
    assert frozen() < 0.5 and taken < 15


def test_loading_that_takes_too_long_or_too_much_is_ended(
    pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought(files_of(document(bpe())))
    large = files_of(
        document({"type": "BPE", "vocab": {f"{number:x}": number for number in range(200_000)}, "merges": []})
    )
    monkeypatch.setattr(remote_tokenizer, "READING_FILES_SECONDS", 0.05)
    with pytest.raises(LoadError, match=r"takes more than 0\.05 seconds to load"):
        brought(large)
    monkeypatch.undo()
    monkeypatch.setattr(remote_tokenizer, "readers", lambda: pool)
    assert brought(large).size == 200_000
    monkeypatch.setattr(pool, "run", lambda *_anything: (_ for _ in ()).throw(TrainingError("memory", 2_000)))
    with pytest.raises(LoadError, match="takes more than 2000 MB of memory to load"):
        brought(large, name="again")


def test_large_files_leave_nothing_behind_in_the_server(pool: Workers) -> None:
    """Before: 157 MB, and 3,443 MB after three uploads of 39.9 MB, long after all had left: the error's
    frames held them. Two show it."""
    brought(files_of(document(bpe())))
    process, stored = psutil.Process(), []
    before = process.memory_info().rss
    for number in range(2):
        data = json.dumps(document(bpe(), note=[f"{number}" * 100] * (TOKENIZER_LIMIT // 105))).encode()
        job = Job(partial(_brought_by_job, {"tokenizer.json": data}))
        while not job.finished(60):
            pass
        del data
        with pytest.raises(LoadError) as caught:
            job.result()
        stored.append(caught.value)
        del caught, job
    for error in stored:
        error.__traceback__ = None
    assert len(stored) == 2
    assert process.memory_info().rss - before < 60_000_000


def _brought_by_job(files: Mapping[str, bytes], _progress: Progress) -> LoadedSubject:
    return brought(files)
