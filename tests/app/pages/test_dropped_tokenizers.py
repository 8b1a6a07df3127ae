"""Dropped tokenizers are gone: none of the server's records about them keeps them alive.

Oracles: Python's own weak references and `tracemalloc`.
"""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Iterator

import pytest

from tests.app.catalogue.test_loaded import bpe, document, files_of
from tokensteps.catalogue.analysis import analyse
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.lookup import search
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.side_by_side import aligned_html, fertilities, words_html
from tokensteps.drawing.chips import Shown
from tokensteps.pages.explore.live_typing.typing_sessions import (
    TextChange,
    TypingError,
    close_typing_session,
    open_typing_session,
    typing_session_named,
)
from tokensteps.pages.explore.playground_chips import ChipsView, chips_data
from tokensteps.server.jobs import Registry

ROUNDS, KEPT = 6, 2
SESSION = "a-session-that-outlives-its-page"


@pytest.fixture(autouse=True)
def session_closed() -> Iterator[None]:
    yield
    close_typing_session(SESSION)


def brought(number: int) -> ShownTokenizer:
    """A tokenizer with thousands of tokens, another one for each number."""
    result = document(bpe())
    vocab = result["model"]["vocab"]
    vocab |= {f"unused {number} {index}": len(vocab) + index for index in range(3_000)}
    return load(files_of(result), f"tokenizer {number}")


def looked_at(subject: ShownTokenizer) -> None:
    """All of the playground's work with a tokenizer on a short text."""
    view = ChipsView("A", subject, Shown(style=subject.style))
    open_typing_session(SESSION, view, "")
    assert chips_data(view, "hug a pug", (1, 0))
    analyses = {"A": analyse(subject, "hug a pug"), "B": analyse(subject, "hug a pug", specials=False)}
    assert analyses["A"].bytes_at(0)
    assert aligned_html(analyses) and words_html({"A": subject}, ["hug"]) and fertilities({"A": subject})
    assert search(subject, "text", "unused").number


def rounds(server: Registry, first: int, number: int) -> list[weakref.ref[ShownTokenizer]]:
    """Load and look at so many tokenizers, one after the other."""
    alive = []
    for each in range(first, first + number):

        def build(progress: object, each: int = each) -> ShownTokenizer:
            progress.size = 1  # type: ignore[attr-defined]
            return brought(each)

        subject = server.ask(str(each), build, wait=60.0)
        assert isinstance(subject, ShownTokenizer)
        looked_at(subject)
        alive.append(weakref.ref(subject))
        del subject
    gc.collect()
    return alive


def test_rounds_of_tokenizers_leave_those_that_the_server_keeps() -> None:
    server = Registry(KEPT)
    alive = rounds(server, 0, ROUNDS)
    assert [one() is not None for one in alive] == [False] * (ROUNDS - KEPT) + [True] * KEPT


def test_rounds_of_tokenizers_take_no_more_memory() -> None:
    server = Registry(KEPT)
    rounds(server, 0, ROUNDS)
    tracemalloc.start()
    try:
        rounds(server, ROUNDS, KEPT)
        before = tracemalloc.get_traced_memory()[0]
        one = before // KEPT  # the size of a tokenizer
        growth = []
        for turn in range(1, 4):
            rounds(server, turn * ROUNDS + KEPT, ROUNDS)
            before, last = tracemalloc.get_traced_memory()[0], before
            growth.append(before - last)
        assert min(growth) < one  # another test's thread may take some meanwhile, but not in each round
    finally:
        tracemalloc.stop()


def test_a_session_whose_tokenizer_is_gone_leaves_the_text_to_the_page() -> None:
    subject = brought(0)
    looked_at(subject)
    session = typing_session_named(SESSION)
    assert session is not None and session.draw(TextChange((1, 1), "hug"))
    del subject
    gc.collect()
    with pytest.raises(TypingError) as refused:
        session.draw(TextChange((1, 2), "hugs"))
    assert refused.value.status == 404
