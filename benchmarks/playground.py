"""The playground's work on a text against the `tokenizers` library's on the same text with the same
vocabulary.

Both start from the text. The library gives ids and offsets; ours adds the page's data on them: the tokens'
positions, graphemes, words, the chips of a page. The browser's work is not measured here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import tokenizers

from benchmarks.measure import Result, compared, side_by_side
from benchmarks.text import prose
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.encoding.alignment import count_text
from tokenizers_core.files.exports import merges_txt
from tokensteps.catalogue.analysis import Analysis, Located
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.drawing.chips import Shown, chips_message
from tokensteps.pages.explore.playground_chips import STRETCHES_SHOWN, cards_html, chip_labels

TRAINED_ON, MERGES = 200_000, 4_000
TEXTS = {"10 KB": 10_000, "1 MB": 1_000_000}


def both() -> tuple[TrainedSubject, tokenizers.Tokenizer]:
    """The same tokenizer twice: the engine's, and the library's with its vocabulary and merges."""
    trace = train_bpe(Corpus.from_texts([prose(TRAINED_ON)]), merges=MERGES, alphabet="bytes")
    tokenizer = trace.tokenizer()
    pairs = [tuple(line.split(" ")) for line in merges_txt(trace).splitlines()[1:]]
    model: Any = tokenizers.models.BPE(vocab=dict(tokenizer.vocab), merges=pairs)
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return TrainedSubject("ours", tokenizer, trace, len(trace)), theirs


def analysed(subject: ShownTokenizer, text: str) -> Analysis:
    """The page's analysis of a text, made anew each time: the page itself caches it."""
    return Analysis(
        subject, Located(text, subject.encode(text), subject.mark_id, subject.size, subject.unknown_id)
    )


def counted(subject: ShownTokenizer, text: str) -> tuple[int, object]:
    """The counts, the page's first output."""
    return len(analysed(subject, text)), count_text(text)


def drawn(subject: ShownTokenizer, text: str) -> bytes:
    """The data for the chips: a page of them, with the details of its tokens."""
    analysis = analysed(subject, text)
    runs = analysis.runs(0, STRETCHES_SHOWN)
    return chips_message(
        runs, Shown(), cards_html(analysis, runs), chip_labels(), "page", total=len(analysis)
    )


def library(theirs: tokenizers.Tokenizer, text: str) -> object:
    """Ids and offsets."""
    encoding = theirs.encode(text)
    return encoding.ids, encoding.offsets


def playground(repeats: int) -> Iterator[Result]:
    """Counts and chips, of a page and of a megabyte."""
    ours, theirs = both()
    for name, size in TEXTS.items():
        text = (prose(size) * (1 + size // len(prose(size))))[:size]
        if list(ours.encode(text).ids) != theirs.encode(text).ids:
            raise RuntimeError("the two tokenizers give different ids")
        for what, work, limit in (("counts", counted, 2.0), ("chips", drawn, 12.0)):
            times = side_by_side(partial(work, ours, text), partial(library, theirs, text), 2 * repeats)
            yield compared(f"playground, {what} of {name} : tokenizers", times, limit / 2, limit)


ALL = (playground,)
