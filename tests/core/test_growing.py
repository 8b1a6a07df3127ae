"""A run looked at while it grows: `Trace.finished`, `grown`, `settled`, and the `growing` of the training
functions.

Oracle: the same run, finished. A trace cut off on the way has to show the same as the whole one at that step.
"""

from __future__ import annotations

import pickle
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import Corpus, UnigramTrace, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.trace import CutOff, Replay, StoredTrace
from tokenizers_core.training import merge_trace, wordpiece

TRAINERS: Final = {
    "bpe": train_bpe,
    "wordpiece": train_wordpiece,
    "course": partial(train_unigram, seed_size=200, vocab_size=None),
    "sentencepiece": partial(train_unigram, method="sentencepiece", seed_size=200, vocab_size=None),
}
BINARY = Corpus.from_counts(
    {f"{number:b}".replace("0", "a").replace("1", "b"): number % 7 + 1 for number in range(200)}
)
"""Enough steps for the training functions to ask now and then whether to stop."""
HUG = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
PATIENT: Final = 30.0


@pytest.fixture(autouse=True, scope="module")
def checkpoints_are_near() -> Iterator[None]:
    """Runs this short would have none, and so share none."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (merge_trace, wordpiece):
            patch.setattr(module, "Replay", partial(Replay, every=3))
        yield


def grown(train: Callable[..., Any], corpus: Corpus, wanted: Callable[[int], bool]) -> tuple[list[Any], Any]:
    """The traces cut off at the calls whose number `wanted` accepts, and the whole one."""
    seen: list[Any] = []
    calls = count()

    def growing(cut: CutOff) -> None:
        if wanted(next(calls)):
            part = pickle.loads(pickle.dumps(cut()))  # as on the way from another process
            seen.append(seen[-1].grown(part) if seen else part)

    return seen, train(corpus, growing=growing)


def agrees(part: Any, whole: Any, step: int) -> None:
    """At this step, a growing trace shows the same as the whole one; values still unknown are empty."""
    if step <= part.settled or not isinstance(part, UnigramTrace):
        assert part[step] == whole[step]
    mine, its = part[step], whole[step]
    assert mine.event == its.event and mine.vocab == its.vocab
    words = part.corpus.words
    assert mine.splits(words) == its.splits(words)
    assert list(mine.candidates()) in ([], list(its.candidates()))
    assert part.margin(step) == whole.margin(step)


@pytest.mark.parametrize("name", TRAINERS)
@examples(60)
@given(
    counts=st.dictionaries(st.text("abc", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=9),
    cuts=st.sets(st.integers(0, 40)),
    order=st.randoms(use_true_random=False),
)
@pytest.mark.filterwarnings("ignore::tokenizers_core.errors.UnreachedSizeWarning")
def test_every_step_of_a_growing_trace_is_that_of_the_finished_one(
    name: str, counts: dict[str, int], cuts: set[int], order: random.Random
) -> None:
    """With any cuts, and any reading order of longer and shorter traces (they share their checkpoints)."""
    parts, whole = grown(TRAINERS[name], Corpus.from_counts(counts), cuts.__contains__)
    assert whole.finished and [len(part) for part in parts] == sorted(len(part) for part in parts)
    requests = [(part, step) for part in parts for step in range(len(part) + 1)]
    order.shuffle(requests)
    for part, step in requests[:60]:
        assert not part.finished and part.stop_reason == "growing"
        agrees(part, whole, step)


@pytest.mark.parametrize("name", TRAINERS)
def test_growing_changes_nothing_of_the_run_and_shows_it_from_the_start(name: str) -> None:
    parts, whole = grown(TRAINERS[name], HUG, lambda _call: True)
    alone = TRAINERS[name](HUG)
    assert list(whole) == list(alone) and whole.stop_reason == alone.stop_reason
    assert len(parts[0]) == 0 and len(parts[-1]) >= len(whole) - 1
    with pytest.raises(IndexError):
        parts[0][1]
    assert "stop_reason='growing'" in repr(parts[0])


@pytest.mark.parametrize("name", ["course", "sentencepiece"])
def test_a_seed_can_be_seen_before_its_loss_is_known(name: str) -> None:
    """Also before the first round is ranked; both are there as soon as the whole run knows them."""
    parts, whole = grown(TRAINERS[name], BINARY, lambda _call: True)
    seed = parts[0]
    assert seed[0].vocab == whole[0].vocab and not seed.knows_loss(0) and seed.settled == -1
    assert seed[0].candidates() == [] != whole[0].candidates()
    ranked = next(part for part in parts if part.record.rounds)
    assert ranked[0].candidates() == whole[0].candidates() and whole.knows_loss(0)


@pytest.mark.parametrize("name", TRAINERS)
def test_a_stopped_run_is_one_that_stopped_growing(name: str) -> None:
    """A stopped run is finished, and its steps are the steps of the growing trace until then."""
    parts, requests = [], count()

    def growing(cut: CutOff) -> None:
        part = cut()
        parts.append(parts[-1].grown(part) if parts else part)

    stopped = TRAINERS[name](BINARY, growing=growing, progress=lambda _done, _total: next(requests) < 1)
    assert stopped.stop_reason == "stopped" and stopped.finished and not parts[-1].finished
    assert len(stopped) == len(parts[-1]) > 0
    for step in range(0, len(stopped) + 1, 7):
        assert stopped[step].event == parts[-1][step].event and stopped[step].vocab == parts[-1][step].vocab


@pytest.mark.parametrize("name", TRAINERS)
def test_other_threads_read_while_it_grows(name: str) -> None:
    """Three readers, each at random steps of the longest trace there is; training waits once until all have
    read."""
    corpus = Corpus.from_texts(
        ["low lower lowest slow slowly slower glow glowing aglow " * 3 + "new newer newest"]
    )
    seen: list[Any] = []
    read: list[tuple[Any, int, Any, Any]] = []
    ended, meeting = threading.Event(), threading.Barrier(4)

    def growing(cut: CutOff) -> None:
        part = cut()
        seen.append(seen[-1].grown(part) if seen else part)
        if len(seen) == 3:
            meeting.wait(PATIENT)  # now they read,
            meeting.wait(PATIENT)  # and now each has read

    def reader(number: int) -> None:
        draw = random.Random(number)
        meeting.wait(PATIENT)
        look(draw)
        meeting.wait(PATIENT)
        while not ended.is_set():
            look(draw)

    def look(draw: random.Random) -> None:
        trace = seen[-1]
        step = draw.randint(0, len(trace))
        read.append((trace, step, trace[step].event, trace[step].splits()))

    threads = [threading.Thread(target=reader, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    whole = TRAINERS[name](corpus, growing=growing)
    ended.set()
    for thread in threads:
        thread.join(PATIENT)
    assert len(read) >= 3 and len(read[0][0]) < len(whole)
    for trace, step, event, splits in read[:300]:
        assert event == whole[step].event and splits == whole[step].splits()
        agrees(trace, whole, step)


def test_the_settled_part_ends_before_the_last_step() -> None:
    whole: Sequence[Any] = train_bpe(HUG, merges=3)
    assert whole.settled == 2  # type: ignore[attr-defined]
    assert StoredTrace("hug", (HUG,), "found").finished  # type: ignore[type-var]
