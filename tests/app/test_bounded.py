"""Cached parts of learners' texts (`tokensteps/bounded.py`): bounded in bytes, for any texts.

Oracle: `tracemalloc`, which counts every byte, and names its allocating code.
"""

from __future__ import annotations

import gc
import random
import re
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizers_core import Corpus, train_bpe
from tokenizers_core.encoding.models.base import Model
from tokensteps.bounded import ENTRY, Bounded, Memo, bounded
from tokensteps.catalogue.analysis import text_counts
from tokensteps.drawing import chips as drawing
from tokensteps.drawing.chips import Shown
from tokensteps.drawing.tokens import chip, readable, token_html
from tokensteps.limits import CHIPS_ROOM, COUNTS_ROOM, PACKED_ROOM, TOKENS_ROOM
from tokensteps.runs.corpora import pack_text
from tokensteps.server import shared_cache
from tokensteps.server.shared_cache import remembered

ROOT = Path(__file__).parents[2]
OF_THE_APP = {
    ("tokensteps/catalogue/compiled.py", "_version"),
    ("tokensteps/runs/parallel.py", "parallel_lines"),
    ("tokensteps/runs/parallel.py", "table_of_lines"),
    ("tokenizers_core/text/cutting.py", "_script"),  # single characters
    ("tokensteps/teaching/scenes/scene_inputs.py", "_model_text"),
    ("tokensteps/classroom/address.py", "qr"),  # 256 of at most `QR_LIMIT` characters
    ("tokensteps/server/entrance/page.py", "_page"),
    ("tokensteps/server/entrance/page.py", "_scripts"),
    ("tokensteps/server/entrance/page.py", "_packed"),
    ("tokensteps/server/entrance/page.py", "_styles"),
    ("tokenizers_core/text/patterns.py", "compiled"),  # 64 patterns, limited in length and repetitions
    ("tokenizers_core/text/patterns.py", "twin"),  # 64 of the engine's own patterns
    ("tokenizers_core/training/unigram.py", "script"),  # single characters
    ("tokensteps/components/base.py", "_registered"),
    ("tokensteps/components/bundle.py", "_looked_at"),
    ("tokensteps/components/bundle.py", "_put_together"),
    ("tokensteps/drawing/code_steps.py", "listing_html"),
    ("tokensteps/drawing/mark.py", "mark"),
    ("tokensteps/language/i18n.py", "catalogue"),
    ("tokensteps/language/marks.py", "_marked_afresh"),
    ("tokensteps/language/marks.py", "terms_pattern"),
    ("tokensteps/pages/learn/home.py", "home_run"),
    ("tokensteps/pages/learn/home_sentence.py", "corpus_facts"),
    *(
        ("tokensteps/runs/corpora.py", name)
        for name in ("help_pages", "library", "prose", "python_code", "python_modules")
    ),
    ("tokensteps/runs/algorithms.py", "_trained_at"),  # runs of the app's own examples
    ("tokensteps/shell/navigation.py", "_streamlit_page"),
    ("tokensteps/site/live/regexp.py", "compile"),  # in the visitor's own browser
    ("tokensteps/teaching/exercises/course.py", "words"),
}
"""Functions with a number of cached results, none of them from a learner's text."""
CONTROLS = [*range(1, 9), *range(14, 32), *range(127, 160)]


def hostile(number: int, length: int) -> str:
    """Control characters, each named in the page with 25 letters; another text for each number."""
    return "".join(map(chr, random.Random(number).choices(CONTROLS, k=length)))


def growth(use: Callable[[], object]) -> int:
    """Bytes that `use` takes and keeps; memory of the process's other threads isn't counted."""
    gc.collect()
    tracemalloc.start(FRAMES)
    try:
        use()
        gc.collect()
        from_here = tracemalloc.Filter(True, __file__, all_frames=True)
        return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([from_here]).traces)
    finally:
        tracemalloc.stop()


FRAMES = 8
"""Calls on record for each allocation, from the innermost one outwards: this file's is among them."""
EMOJI = "\U0001f600"
SMALL = 150_000
"""Bytes of room in these tests."""


def chip_of(text: str) -> tuple[object, ...]:
    return text, ((1, text, text.encode(), False, False),), Shown(), "{ids}{text}", ""


@pytest.mark.parametrize(
    ("function", "room", "calls", "arguments"),
    [
        (readable, TOKENS_ROOM, 75, lambda number: (hostile(number, 400),)),
        (token_html, TOKENS_ROOM, 40, lambda number: (hostile(number, 400),)),
        (chip, TOKENS_ROOM, 40, lambda number: (hostile(number, 400),)),
        (drawing.draw_text_run, CHIPS_ROOM, 40, lambda number: chip_of(hostile(number, 180))),
        (text_counts, COUNTS_ROOM, 12, lambda number: (f"{number}" + EMOJI * 4_000,)),
        (pack_text, PACKED_ROOM, 60, lambda number: (f"{number}" + EMOJI * 4_000,)),
    ],
    ids=["readable", "html", "chip", "chips", "counts", "links"],
)
def test_hostile_texts_take_no_more_than_their_room(
    function: Bounded[..., object], room: int, calls: int, arguments: Callable[[int], tuple[object, ...]]
) -> None:
    """With as much room as makes the test quick; the app's own is the same function's."""
    assert function.room == room
    small = bounded(SMALL, function.size)(function.__wrapped__)
    for number in range(calls):
        function(*arguments(number))  # its callees have cached their share
    grown = growth(lambda: [small(*arguments(number)) for number in range(calls)] and None)
    assert 0.3 * SMALL < grown < 1.15 * SMALL
    assert 0.3 * SMALL < small.taken() <= SMALL


def test_lists_that_pages_have_made_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_cache, "remembered_values", Memo(3_000_000))

    def list_words() -> None:
        for number in range(60):
            remembered(("test_bounded", number), lambda: [(f"{row}" * 100, row) for row in range(300)])

    assert 1_000_000 < growth(list_words) < 3_300_000


def test_words_that_a_model_remembers_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "BYTES_REMEMBERED", 250_000)
    model = train_bpe(Corpus.from_counts({"\U0001f600\U0001f601": 1})).tokenizer().model
    letters = "\U0001f600\U0001f601"

    def encode() -> None:
        for number in range(500):
            model.encode_word("".join(random.Random(number).choices(letters, k=100)))

    assert 75_000 < growth(encode) < 325_000


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), max_size=200), st.integers(0, 12))
def test_a_bounded_function_gives_the_same_result(calls: list[tuple[int, bool]], entries: int) -> None:
    """Against the function itself; the last result is kept wherever there is room for two entries."""
    items = []

    def double(number: int, *, negative: bool = False) -> int:
        items.append(number)
        return -2 * number if negative else 2 * number

    room = entries * 2 * (ENTRY + 1)
    stored = bounded(room, lambda *_all, **_named: 1)(double)
    for number, negative in calls:
        assert stored(number, negative=negative) == (-2 * number if negative else 2 * number)
        assert stored.taken() <= room
        times = len(items)
        stored(number, negative=negative)
        assert (len(items) == times) == (entries > 0)


def test_one_giant_evicts_no_others() -> None:
    stored = bounded(10_000, sys.getsizeof)(str.upper)
    stored("hug")
    before = stored.taken()
    assert stored("x" * 20_000) == "X" * 20_000 and stored.taken() == before


def test_caches_that_count_entries_hold_no_text_of_learners() -> None:
    """Look at a new one: are its contents the app's own, or as small as a character?"""
    matches = {
        (path.relative_to(ROOT).as_posix(), name)
        for folder in ("tokensteps", "tokenizers_core")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r"@(?:functools\.)?(?:lru_)?cache\b[^\n]*\ndef (\w+)", path.read_text())
    }
    assert matches == OF_THE_APP
