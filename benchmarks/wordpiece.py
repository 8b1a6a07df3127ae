"""WordPiece against the `tokenizers` library on one thread, and against a plain recount at every step.

The library's `WordPieceTrainer` trains BPE with the prefix ##: it reads the same words into a vocabulary of
the same size, but merges by count and has no scores to keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice, pairwise

import tokenizers

from benchmarks.measure import Result, compared, in_turns, side_by_side
from benchmarks.text import library_text, prose
from tests.core.oracle_wordpiece import merge
from tokenizers_core import Corpus, WordPieceTrace, train_wordpiece
from tokenizers_core.encoding.models.pairs import split_word
from tokenizers_core.encoding.models.wordpiece import PREFIX
from tokenizers_core.encoding.vocabulary import Vocabulary
from tokenizers_core.training.merging import PairTable
from tokenizers_core.training.ties import FirstMet
from tokenizers_core.training.wordpiece import wordpiece_merges

LARGE = 1_000_000
FEW, MANY = 1000, 4000
SMALL, SMALL_MERGES = 200_000, 1000
PROSE = 280_000
SAMPLED = range(12, SMALL_MERGES, 25)
RULES = ("bert_cased", "bert")


def ours(text: str, merges: int) -> WordPieceTrace:
    """From text to trace, every step recorded."""
    return train_wordpiece(Corpus.from_texts([text], *RULES), merges=merges)


def rust(text: str, size: int) -> tokenizers.Tokenizer:
    """The `tokenizers` library's training under this name, to a vocabulary of `size`."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=size, min_frequency=0, special_tokens=[], show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def unrecorded(text: str, merges: int) -> list[tuple[str, str]]:
    """The same training with only the pairs kept."""
    corpus = Corpus.from_texts([text], *RULES)
    words = [split_word(word, PREFIX) for word in corpus.words]
    vocabulary = Vocabulary(sorted({symbol for word in words for symbol in word}), PREFIX)
    table = PairTable([vocabulary.write(word) for word in words], corpus.counts)
    run = wordpiece_merges(table, vocabulary, FirstMet().in_run(table, vocabulary, byte_level=False))
    return [(merge.pair, merge.token) for merge in islice(run, merges)]


def plain_step(splits: Mapping[str, Sequence[str]], frequencies: Mapping[str, int]) -> tuple[str, str]:
    """One step of a training that recounts the whole corpus each time, like `tests.core.oracle_wordpiece`.

    Without the parts for the tests only: all ties and BPE's choice. Floats are quicker than fractions, and
    good enough for the plain version.
    """
    pairs: dict[tuple[str, str], int] = {}
    symbols: dict[str, int] = {}
    for word, tokens in splits.items():
        frequency = frequencies[word]
        for token in tokens:
            symbols[token] = symbols.get(token, 0) + frequency
        for pair in pairwise(tokens):
            pairs[pair] = pairs.get(pair, 0) + frequency
    scores = {pair: count / (symbols[pair[0]] * symbols[pair[1]]) for pair, count in pairs.items()}
    best = max(scores, key=scores.__getitem__)
    token = best[0] + best[1].removeprefix(PREFIX)
    _ = {word: merge(tokens, best, token) for word, tokens in splits.items()}
    return best


def training(repeats: int) -> Iterator[Result]:
    """Training, text to trace, to the same vocabulary size."""
    python, small, english = library_text(LARGE), library_text(SMALL), prose(PROSE)
    for title, text, merges, aim, limit in (
        ("200 KB of Python", small, FEW, 1.5, 2.0),
        ("200 KB of Python", small, MANY, 3.0, 5.0),
        ("280 KB of prose", english, FEW, 1.5, 2.0),
        ("280 KB of prose", english, MANY, 3.0, 5.0),
        ("1 MB of Python", python, FEW, 1.0, 1.5),
        ("1 MB of Python", python, MANY, 2.0, 3.0),
    ):
        size = ours(text, merges).vocab_sizes[-1]
        library_size = rust(text, size).get_vocab_size()
        if library_size != size:
            raise SystemExit(f"the library made {library_size} tokens of {size}")
        times = side_by_side(partial(ours, text, merges), partial(rust, text, size), repeats)
        yield compared(f"WordPiece, {title}, {merges:,} merges : Rust", times, aim, limit)
    times = side_by_side(partial(ours, python, MANY), partial(unrecorded, python, MANY), repeats)
    yield compared("WordPiece, recording : not recording", times, 1.1, 1.15)


def against_plain(repeats: int) -> Iterator[Result]:
    """The same run when every step recounts the whole corpus, estimated from steps all along the run."""
    trace = ours(library_text(SMALL), SMALL_MERGES)
    corpus = trace.corpus
    frequencies = dict(corpus.items())
    starts = [trace[step].splits() for step in SAMPLED]
    for step, splits in zip(SAMPLED, starts, strict=True):
        best = plain_step(splits, frequencies)
        if rounded(best, splits, frequencies) != rounded(trace.pair_of(step + 1), splits, frequencies):
            raise SystemExit(
                f"the plain version merges {best} in step {step + 1}, not {trace.pair_of(step + 1)}"
            )
    mine, theirs = in_turns(
        lambda: train_wordpiece(corpus, merges=SMALL_MERGES),
        [partial(plain_step, splits, frequencies) for splits in starts],
        repeats,
    )
    theirs *= SMALL_MERGES
    detail = f"{theirs:.1f} s : {mine:.3f} s ({len(starts)} of {SMALL_MERGES} steps measured)"
    name = "plain recount : WordPiece, from words, 200 KB"
    yield Result(name, theirs / mine, "×", 50, 50, detail, more_is_better=True)


def rounded(
    pair: Sequence[str], splits: Mapping[str, Sequence[str]], frequencies: Mapping[str, int]
) -> float:
    """A pair's score, recounted, as the plain version rounds it."""
    first, second = pair
    together = sum(list(pairwise(splits[word])).count((first, second)) * frequencies[word] for word in splits)
    apart = [
        sum(splits[word].count(symbol) * frequencies[word] for word in splits) for symbol in (first, second)
    ]
    return float(Fraction(together, apart[0] * apart[1]))


ALL = (training, against_plain)
