"""The newer kinds of BPE against plain BPE on the same words, and on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.measure import Result, compared, side_by_side
from benchmarks.text import japanese, library_text, long_prose, prose
from tokenizers_core import Corpus, train_bpe, train_paritybpe, train_pickybpe, train_superbpe

SIZE, MERGES = 1_000_000, 4000


def picky(repeats: int) -> Iterator[Result]:
    """PickyBPE against as many merges of plain BPE: it also weighs each merge's leftovers, and records the
    removals."""
    for name, text in (("1 MB of Python", library_text(SIZE)), ("280 KB of prose", prose(280_000))):
        corpus = Corpus.from_texts([text])
        times = side_by_side(
            partial(train_pickybpe, corpus, merges=MERGES, alphabet="bytes"),
            partial(train_bpe, corpus, merges=MERGES, alphabet="bytes"),
            2 * repeats,
        )
        yield compared(f"PickyBPE, {name}, 4,000 merges : BPE", times, 1.4, 1.5)


def superwords(repeats: int) -> Iterator[Result]:
    """SuperBPE's second stage, the cutting of the text included, against its first, the counting of words
    included."""
    lines = long_prose(SIZE).splitlines(keepends=True)

    def first() -> object:
        return train_bpe(Corpus.from_texts(lines), merges=MERGES, alphabet="bytes")

    def both() -> object:
        corpus = Corpus.from_texts(lines)
        return train_superbpe(corpus, merges=MERGES + 400, transition=256 + MERGES, alphabet="bytes")

    second = [(whole - alone, alone) for whole, alone in side_by_side(both, first, repeats)]
    yield compared("SuperBPE, 1 MB of prose, second stage : first", second, 4, 6)


def parity(repeats: int) -> Iterator[Result]:
    """Parity-aware BPE on two languages against plain BPE on both together: the same words.

    Two scripts share few pairs. With shared pairs, each merge is made in both languages: for Python and
    English, 6,498 merges in place of 4,000, in 1.6 times plain BPE's time (median of 32).
    """
    texts = {"en": prose(280_000), "ja": japanese(280_000)}
    corpora = {name: Corpus.from_texts([text]) for name, text in texts.items()}
    together = Corpus.from_texts([*texts.values()])
    times = side_by_side(
        partial(train_paritybpe, corpora, merges=MERGES, alphabet="bytes"),
        partial(train_bpe, together, merges=MERGES, alphabet="bytes"),
        2 * repeats,
    )
    yield compared("Parity-aware BPE, English and Japanese, 560 KB, 4,000 merges : BPE", times, 1.4, 1.5)


ALL = (picky, superwords, parity)
