"""Byte-level BPE against the `tokenizers` library on one thread, and against a plain recount at every
step."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import tokenizers

from benchmarks.measure import Result, compared, cpu_seconds, in_turns, side_by_side
from benchmarks.text import library_text, prose
from tests.core.oracle_bpe import count, replace
from tokenizers_core import BpeTrace, Corpus, Tokenizer, train_bpe
from tokenizers_core.encoding.vocabulary import Vocabulary
from tokenizers_core.files.exports import merges_txt, trace_to_json, vocab_json
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokenizers_core.training.bpe import bpe_merges
from tokenizers_core.training.merging import PairTable
from tokenizers_core.training.ties import FirstMet

LARGE, LARGE_MERGES = 1_000_000, 4000
SMALL, SMALL_MERGES = 200_000, 1000
PROSE = 280_000


def ours(text: str, merges: int) -> BpeTrace:
    """From text to trace, every step recorded."""
    return train_bpe(Corpus.from_texts([text]), merges=merges, alphabet="bytes")


def rust(text: str, merges: int) -> tokenizers.Tokenizer:
    """The same merges (but for ties) by the `tokenizers` library, without a record."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + merges, show_progress=False, initial_alphabet=alphabet
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def unrecorded(text: str, merges: int) -> list[tuple[str, str]]:
    """The same training with only the pairs kept."""
    corpus = Corpus.from_texts([text])
    vocabulary = Vocabulary(sorted(BYTE_TO_SYMBOL))
    table = PairTable([vocabulary.write(word) for word in corpus.words], corpus.counts)
    run = bpe_merges(table, vocabulary, FirstMet().in_run(table, vocabulary, byte_level=True))
    return [(merge.pair, merge.token) for merge in islice(run, merges)]


def plain_step(splits: dict[str, list[str]], frequencies: dict[str, int]) -> None:
    """One step of a training with a recount of the whole corpus each time."""
    counts = count(splits, frequencies)
    best = max(counts, key=counts.__getitem__)
    _ = {word: replace(tokens, best) for word, tokens in splits.items()}


def training(repeats: int) -> Iterator[Result]:
    """Training, text to trace."""
    python, small, english = library_text(LARGE), library_text(SMALL), prose(PROSE)
    for name, text, merges, aim, limit in (
        ("BPE, 1 MB of Python, 4,000 merges : Rust", python, LARGE_MERGES, 1.0, 1.5),
        ("BPE, 200 KB of Python, 1,000 merges : Rust", small, SMALL_MERGES, 1.2, 2.0),
        ("BPE, 200 KB of Python, 4,000 merges : Rust", small, LARGE_MERGES, 1.2, 2.5),
        ("BPE, 280 KB of prose, 1,000 merges : Rust", english, SMALL_MERGES, 1.2, 2.0),
        ("BPE, 280 KB of prose, 4,000 merges : Rust", english, LARGE_MERGES, 1.2, 2.5),
    ):
        times = side_by_side(partial(ours, text, merges), partial(rust, text, merges), repeats)
        yield compared(name, times, aim, limit)
    times = side_by_side(
        partial(ours, python, LARGE_MERGES), partial(unrecorded, python, LARGE_MERGES), repeats
    )
    yield compared("BPE, recording : not recording", times, 1.1, 1.15)


def against_plain(repeats: int) -> Iterator[Result]:
    """The same run when every step recounts the whole corpus, estimated from some of its steps.

    Words have fewer tokens towards the end, and steps get quicker: so steps are measured all along the run.
    """
    text = library_text(SMALL)
    trace = ours(text, SMALL_MERGES)
    frequencies = dict(trace.corpus.items())
    starts = [
        {word: list(tokens) for word, tokens in trace[step].splits().items()}
        for step in range(12, SMALL_MERGES, 25)
    ]
    # Both start from the counted words: reading the text is no part of either.
    corpus = trace.corpus
    mine, theirs = in_turns(
        lambda: train_bpe(corpus, merges=SMALL_MERGES, alphabet="bytes"),
        [partial(plain_step, splits, frequencies) for splits in starts],
        repeats,
    )
    theirs *= SMALL_MERGES
    detail = f"{theirs:.1f} s : {mine:.3f} s ({len(starts)} of {SMALL_MERGES} steps measured)"
    yield Result(
        "plain recount : training, from words, 200 KB",
        theirs / mine,
        "×",
        100,
        100,
        detail,
        more_is_better=True,
    )


def milliseconds(work: Iterator[object]) -> list[float]:
    """The processor time of each item."""
    times: list[float] = []
    while True:
        start = time.process_time()
        try:
            next(work)
        except StopIteration:
            return times
        times.append((time.process_time() - start) * 1000)


def reading(repeats: int) -> Iterator[Result]:
    """Random access to a long trace, and its size."""
    trace = ours(library_text(LARGE), LARGE_MERGES)
    size = len(pickle.dumps(trace)) / 1e6
    yield Result("trace, pickled", size, "MB", 1, 2, f"{LARGE_MERGES} merges of {LARGE / 1e6:g} MB")
    anywhere = [step * 1237 % LARGE_MERGES for step in range(20 * repeats)]
    trace.pair_counts(LARGE_MERGES)  # lays the checkpoints
    trace.current_words(LARGE_MERGES)
    times = milliseconds(trace.pair_counts(step) for step in anywhere)
    worst = sorted(times)[int(len(times) * 0.95)]
    detail = f"median {median(times):.2f} ms, 95 % below {worst:.2f} ms"
    yield Result("any step's pair table", worst, "ms", 4, 10, detail)
    times = milliseconds(trace[step].event for step in anywhere)
    worst = sorted(times)[int(len(times) * 0.95)]
    detail = f"median {median(times):.2f} ms, 95 % below {worst:.2f} ms"
    yield Result("any step's event", worst, "ms", 13, 30, detail)
    times = [
        sum(milliseconds(trace[step].event for step in range(start, start + 96)))
        for start in range(500, 500 + 600 * repeats, 600)
    ]
    yield Result("96 events in a row", median(times), "ms", 300, 500, f"median of {len(times)} windows")
    seconds = median(cpu_seconds(lambda: trace_to_json(trace)) for _ in range(min(3, repeats)))
    yield Result("the trace as JSON", seconds, "s", 2, 5, f"{LARGE_MERGES} steps")


def judge(trace: BpeTrace) -> tokenizers.Tokenizer:
    """The `tokenizers` library with the vocabulary and merges of `trace`."""
    with TemporaryDirectory() as folder:
        vocab, merges = Path(folder, "vocab.json"), Path(folder, "merges.txt")
        vocab.write_text(vocab_json(trace.tokenizer()), "utf-8")
        merges.write_text(merges_txt(trace), "utf-8")
        theirs = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(str(vocab), str(merges)))
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    return theirs


def encoding(repeats: int) -> Iterator[Result]:
    """`encode(text).ids`, both tokenizers warm: each has its known words cached."""
    text = library_text(LARGE)
    trace = ours(text, LARGE_MERGES)
    mine, theirs = trace.tokenizer(), judge(trace)
    texts = {
        "one text of 1 MB": [text],
        "40 texts of 10 KB": [text[start : start + 10_000] for start in range(0, 400_000, 10_000)],
        "5,000 lines": text.splitlines(keepends=True)[:5000],
    }
    for name, batch in texts.items():
        for sample in batch:
            if mine.encode(sample).ids != theirs.encode(sample).ids:
                raise SystemExit(f"the two tokenizers encode differently: {sample[:80]!r}")
        times = side_by_side(partial(encode, mine, batch), partial(encode, theirs, batch), repeats)
        yield compared(f"encoding, {name} : Rust", times, 0.67, 1.0)


def encode(tokenizer: Tokenizer | tokenizers.Tokenizer, texts: list[str]) -> None:
    """Ask for the ids of every text."""
    for text in texts:
        _ = tokenizer.encode(text).ids


def long_words(repeats: int) -> Iterator[Result]:
    """One word without spaces, and twice as much of it: near-linear work doubles."""
    letters = "".join(filter(str.isalpha, library_text(LARGE)))
    short, long = (
        Corpus.from_texts([letters[:size]], pre_tokenizer="whitespace_split") for size in (100_000, 200_000)
    )
    times = side_by_side(
        lambda: train_bpe(long, merges=500), lambda: train_bpe(short, merges=500), min(repeats, 3)
    )
    yield compared("training on one word, 200 KB : 100 KB", times, 2.2, 3.0)
    tokenizer = train_bpe(short, merges=500).tokenizer()
    times = side_by_side(
        lambda: tokenizer.encode(letters[:200_000]), lambda: tokenizer.encode(letters[:100_000]), repeats
    )
    yield compared("encoding one word, 200 KB : 100 KB", times, 2.5, 3.0)


ALL = (training, against_plain, reading, encoding, long_words)
