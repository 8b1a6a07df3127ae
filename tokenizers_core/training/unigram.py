"""Unigram: start from many pieces, and prune the pieces whose removal hurts least.

Each piece has a probability, a segmentation has the product of its pieces' probabilities, and a word gets its
most probable segmentation. The loss of the corpus is the sum over all words of frequency × −log P(best
split), in nats. Two trainers share that model:

* `method="course"`, as the Hugging Face course (chapter 6) teaches it: a piece's probability is its count
  over the total, and is never re-estimated; each round computes exactly by how much the loss grows without
  each piece, and prunes the tenth of the pieces that raise it least.
* `method="sentencepiece"`, as SentencePiece does it: EM estimates the probabilities from all splits of each
  word, weighted by their posterior probabilities; each round prunes a quarter of the pieces, by an
  approximate loss.

Sources: Kudo (2018), *Subword Regularization*; Kudo and Richardson (2018), *SentencePiece*, and its trainer's
published source for open details.
"""

from __future__ import annotations

import functools
import math
import sys
import warnings
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, islice, repeat
from numbers import Integral, Real
from types import MappingProxyType
from typing import NamedTuple

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.encoding.models.lattice import MAX_PIECE_LENGTH, UNKNOWN_PENALTY
from tokenizers_core.encoding.models.pairs import SEPARATOR
from tokenizers_core.errors import (
    WHOLE_NUMBER,
    Phrase,
    SettingError,
    UnreachedSizeWarning,
    VocabSizeError,
    refuse_no_tokens,
    refuse_unknown_name,
    refuse_wrong_type,
)
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.corpus import Corpus, refuse_no_corpus
from tokenizers_core.text.patterns import regex
from tokenizers_core.trace import GROWING, Growing
from tokenizers_core.training.merging import Progress
from tokenizers_core.training.options.bounds import LENGTH, UNKNOWN, USER_DEFINED
from tokenizers_core.training.options.limits import Limits, left_out
from tokenizers_core.training.pruning import PruneRecord, Round
from tokenizers_core.training.segmentation import (
    Lattices,
    approximate_loss,
    e_step,
    m_step,
    removal_losses,
    second_best,
)
from tokenizers_core.training.unigram_trace import UnigramTrace

METHODS = ("course", "sentencepiece")
SEED_SIZES = {"course": 300, "sentencepiece": 1_000_000}
"""The default for the largest number of pieces in the seed: the course's, and the library's."""
SEED_PER_TOKEN = 3
"""The default seed has at least so many pieces for each token of the final vocabulary: the course's own
proportion, 300 for 100."""
PRUNED_SHARES = {"course": 0.1, "sentencepiece": 0.25}
"""The default for the share of the pieces pruned by a round."""

SUB_ITERATIONS = 2
"""E and M steps before each round of pruning, as in SentencePiece."""
HEADROOM = 1.1
"""SentencePiece prunes to this many times the wanted size; the last step keeps the most probable pieces."""
RESTORED_APART = 0.0001
"""The distance between the log probabilities of the characters put back by the last step, as in
SentencePiece."""


# --- The seed -----------------------------------------------------------------------------------------------


def grown_seed(usual: int, vocab_size: int | None) -> int:
    """The default size of a seed: the usual one, or a larger one for a large final vocabulary.

    >>> grown_seed(300, 100), grown_seed(300, 8000), grown_seed(300, None)
    (300, 24000, 300)
    """
    return max(usual, SEED_PER_TOKEN * (vocab_size or 0))


def count_substrings(
    corpus: Corpus, max_length: int = MAX_PIECE_LENGTH, whole_words: bool = True
) -> dict[str, int]:
    """How often each substring of the corpus's words occurs, in the order of first occurrence.

    Without `whole_words`, longer substrings that only occur as whole words are left out.

    >>> count_substrings(Corpus.from_counts({"hug": 2, "ug": 1}))
    {'h': 2, 'hu': 2, 'hug': 2, 'u': 3, 'ug': 3, 'g': 3}
    >>> count_substrings(Corpus.from_counts({"hug": 2, "ug": 1}), whole_words=False)
    {'h': 2, 'hu': 2, 'u': 3, 'ug': 3, 'g': 3}
    """
    counts: dict[str, int] = {}
    for word, frequency in corpus.items():
        for start in range(len(word)):
            for piece in accumulate(word[start : start + max_length]):  # its first character, two, three, ...
                counts[piece] = counts.get(piece, 0) + frequency
    if not whole_words:
        for word, frequency in corpus.items():
            if len(word) > 1 and counts.get(word) == frequency:  # it occurs nowhere else
                del counts[word]
    return counts


def course_seed(corpus: Corpus, max_length: int, whole_words: bool) -> list[tuple[str, int]]:
    """Every character, then all longer substrings, the most frequent first; each with its count."""
    counts = count_substrings(corpus, max_length, whole_words)
    characters = [(piece, count) for piece, count in counts.items() if len(piece) == 1]
    longer = [(piece, count) for piece, count in counts.items() if len(piece) > 1]
    return characters + sorted(longer, key=_by_count)


def _by_count(item: tuple[str, int]) -> int:
    return -item[1]


def sentencepiece_seed(corpus: Corpus, max_length: int, whole_words: bool) -> list[tuple[str, int]]:
    """Every character with its count, then repeated substrings with count × length, the highest first.

    A substring with always the same continuation (a character, a space after the word, a text's end) is left
    out, and so is a mix of scripts. As in release 0.2.3 of SentencePiece, nothing at all follows the last
    text, unlike the end of another one: `q cab` and `r cab` have `▁cab` (until 0.2.0 the last text ended like
    all others). SentencePiece takes as its seed the inner nodes of the text's suffix tree, and such
    substrings aren't among them; so `▁while` is no piece in a text with a space after each of them, but
    `▁whi` may be.
    """
    alone: set[str] = set()
    if not whole_words:
        counts = count_substrings(corpus, max_length + 1, whole_words)
        alone = {word for word in corpus.words if word not in counts}
    stretches = count_stretches(corpus, max_length, alone)
    characters: dict[str, int] = {}
    for stretch, count in stretches.items():
        characters[stretch[0]] = characters.get(stretch[0], 0) + count
    longer = [item for item in branching_substrings(stretches) if item[0] not in alone]
    return sorted(characters.items(), key=lambda item: (-item[1], item[0])) + longer


def count_stretches(corpus: Corpus, max_length: int, alone: Collection[str] = ()) -> dict[str, int]:
    """Continuation of the text from each place in a word, as long as a piece can be and one character more →
    its count.

    A piece keeps to one script, so the text after the first character of another one doesn't matter: most
    stretches are short, and occur many times. None is the beginning of another one. A space after a word, and
    a text's end, are characters absent from the corpus. With words counted elsewhere, the text after them is
    unknown: their ends count as different, so such a stretch is there in two forms, the second one with a
    count of 0.

    The words in `alone` occur nowhere else; they say nothing about the continuation of their beginning
    without the last character.

    >>> corpus = Corpus.from_texts(["hug a-ha", "hug"], pre_tokenizer="whitespace_split")
    >>> {
    ...     stretch.translate({0: " ", 1: "$", 3: "."}): count
    ...     for stretch, count in count_stretches(corpus, 16).items()
    ... }
    {'hug ': 1, 'ug ': 1, 'g ': 1, 'hug.': 1, 'ug.': 1, 'g.': 1, 'a-': 1, '-h': 1, 'ha$': 1, 'a$': 1}
    """
    characters = set().union(*corpus.words)
    space, stop, unlike, nothing = islice(
        (sign for sign in map(chr, range(sys.maxunicode)) if sign not in characters), 4
    )
    scripts: dict[str, str | None] = dict.fromkeys((space, stop, unlike, nothing), "Nothing else")
    for character in characters:
        result = script(character)
        scripts[character] = None if character == "▁" or result == "Inherited" else result
    counts: dict[str, int] = {}
    ends = corpus.ends or (0,) * len(corpus)
    for word, frequency, last in zip(corpus.words, corpus.counts, ends, strict=True):
        open_end = int(last > 0 and word == corpus.last)
        for follower, times in ((space, frequency - last), (stop, last - open_end), (nothing, open_end)):
            if times:
                for stretch in stretches_of(word + follower, scripts, max_length):
                    counts[stretch] = counts.get(stretch, 0) + times
        if frequency > 1 and word in alone:
            counts.setdefault(stretches_of(word[:-1] + unlike, scripts, max_length)[0], 0)
    if not corpus.ends or corpus.pipeline.marks_behind:  # after ▁ comes the next word, whatever it is
        again = [stretch for stretch, times in counts.items() if times > 1 and stretch[-1] == space]
        counts |= dict.fromkeys((stretch[:-1] + stop for stretch in again), 0)
    return counts


def stretches_of(text: str, scripts: Mapping[str, str | None], max_length: int) -> list[str]:
    """From each place but the last: the characters of one script, `max_length` at most, and the one after
    them.

    `scripts` has each character's, None for a character of any script.

    >>> stretches_of(
    ...     "▁re.sub(", dict.fromkeys("resub", "Latin") | {"▁": None, ".": "Common", "(": "Common"}, 16
    ... )
    ['▁re.', 're.', 'e.', '.s', 'sub(', 'ub(', 'b(']
    """
    # From the last place to the first: a stretch ends where the next one does, unless another script begins
    # there.
    ends = []
    end = begin = len(text)
    known = None
    for index in range(len(text) - 1, -1, -1):
        result = scripts[text[index]]
        if result is not None:
            if result != known:
                end, known = begin + 1, result
            begin = index
        ends.append(end)
    ends.reverse()
    ends.pop()
    longest = max_length + 1
    return [
        text[start:end] if end - start < longest else text[start : start + longest]
        for start, end in enumerate(ends)
    ]


def branching_substrings(stretches: Mapping[str, int]) -> list[tuple[str, int]]:
    """The substrings of at least two characters with different continuations, with count × length, the
    highest first, equal ones in the order of first occurrence.

    They are the places where stretches with the same beginning part: only repeated beginnings are read at
    all, and there are far fewer stretches than substrings.

    >>> branching_substrings({"hug ": 2, "ug ": 3, "g ": 3, "hum$": 1, "um$": 1, "m$": 1})
    [('hu', 6)]
    """
    texts, counts = list(stretches), list(stretches.values())
    results = []
    groups: list[tuple[int, Sequence[int]]] = [(0, range(len(texts)))]
    while groups:
        length, group = groups.pop()
        parts: defaultdict[str, list[int]] = defaultdict(list)
        for index in group:
            parts[texts[index][length]].append(index)
        if length > 1 and len(parts) > 1:
            count = sum(map(counts.__getitem__, group))
            results.append((-count * length, group[0], length))
        groups += [(length + 1, part) for part in parts.values() if len(part) > 1]
    results.sort()
    return [(texts[index][:length], -worth) for worth, index, length in results]


SCRIPT = regex.compile(
    r"(?P<Han>[\p{Han}\p{Hiragana}\p{Katakana}ー])|(?P<Inherited>\p{Inherited})|(?P<Common>\p{Common})|"
    + "|".join(
        rf"(?P<{name}>\p{{{name}}})"
        for name in ("Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Ethiopic", "Hangul", "Thai",
                     "Lao", "Khmer", "Myanmar", "Tibetan", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu",
                     "Kannada", "Malayalam", "Sinhala")
    )
)  # fmt: skip


@functools.lru_cache(maxsize=100_000)
def script(character: str) -> str:
    """The name of a character's script; Chinese and Japanese count as one, as in SentencePiece, and so do all
    rare scripts.

    >>> script("a"), script("か"), script("!")
    ('Latin', 'Han', 'Common')
    """
    match = SCRIPT.match(character)
    return match.lastgroup or "" if match else ""


def without(dropped: Mapping[str, int], corpus: Corpus) -> Corpus:
    """A corpus with its words cut at dropped characters, as in SentencePiece's search for its seed.

    >>> dict(without({"p": 1}, Corpus.from_texts(["hugpug", "up"], pre_tokenizer="whitespace_split")).items())
    {'hug': 1, 'ug': 1, 'u': 1}
    """
    cut = dict.fromkeys(map(ord, dropped), SEPARATOR)
    parts: list[tuple[str, int, int]] = []
    for word, count, last in zip(corpus.words, corpus.counts, corpus.ends or repeat(0), strict=False):
        *before, end = word.translate(cut).split(SEPARATOR)
        parts += [*((part, count, 0) for part in before), (end, count, last)]
    words, counts, ends = zip(*(part for part in parts if part[0]), strict=True)
    *_, final = corpus.last.translate(cut).split(SEPARATOR)
    return replace(corpus, words=words, counts=counts, ends=ends if corpus.ends else (), last=final)


SEEDS: Mapping[str, Callable[[Corpus, int, bool], list[tuple[str, int]]]] = {
    "course": course_seed,
    "sentencepiece": sentencepiece_seed,
}
"""Method → its seed: from a corpus, the longest piece's length, and whether whole words may be pieces."""


class ExcludedPiece(NamedTuple):
    """A substring excluded from the seed by a bound."""

    piece: str
    worth: int
    """Its count, or count × length, as in the seed."""
    reason: str
    """See `tokenizers_core/training/options/bounds.py`."""


def excluded_from_seed(trace: UnigramTrace, limit: int) -> list[ExcludedPiece]:
    """The substrings excluded from the seed by bounds, the highest worth first; nothing without bounds.

    >>> trace = train_unigram(Corpus.from_counts({"hug": 10, "pug": 5}), vocab_size=5, max_piece_length=2)
    >>> excluded_from_seed(trace, 1)
    [ExcludedPiece(piece='hug', worth=10, reason='length')]
    """
    longest, symbols = trace.settings["max_piece_length"], trace.corpus.pipeline.user_defined_symbols
    if longest >= MAX_PIECE_LENGTH and not symbols and not trace.left_out:
        return []
    known = {piece for piece, _worth in trace.seed}
    cut = len(trace.seed) == trace.settings["seed_size"]
    least = min((worth for piece, worth in trace.seed if len(piece) > 1), default=math.inf) if cut else 0
    seed_of = SEEDS[trace.method]
    candidates = seed_of(trace.corpus, max(longest, MAX_PIECE_LENGTH), trace.settings["whole_words"])
    result = []
    for piece, worth in candidates:
        if len(piece) == 1 or piece in known or worth < least:
            continue
        unknown, long = not trace.left_out.keys().isdisjoint(piece), len(piece) > longest
        reason = UNKNOWN if unknown else LENGTH if long else USER_DEFINED if piece in symbols else ""
        if reason:
            result.append(ExcludedPiece(piece, worth, reason))
        if len(result) == limit:
            break
    return result


# --- Training -----------------------------------------------------------------------------------------------


class Training:
    """A run under way: the lattices, the pieces' scores, and the record. `grow` is called whenever the record
    can be looked at."""

    def __init__(
        self,
        corpus: Corpus,
        seed: Sequence[tuple[str, int]],
        max_length: int,
        left_out: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.corpus = corpus
        self.known = len(seed)
        """The numbers from here on belong to characters that aren't pieces, and are always unknown."""
        self.seed = seed = (*seed, *left_out.items())
        self.max_length = max_length
        self.grow: Callable[[], object] = lambda: None
        self.numbers = {piece: number for number, (piece, _count) in enumerate(seed)}
        self.characters = dict.fromkeys(
            number for number, (piece, _count) in enumerate(seed) if len(piece) == 1
        )
        self.record = PruneRecord()
        self.set_model(
            by_counts({number: seed[number][1] for number in range(self.known) if seed[number][1]}), 0
        )
        self.record.sizes.append(len(self.model))
        self.record.losses.append(math.nan)

    @cached_property
    def lattices(self) -> Lattices:
        """The lattices of all words. They take longer than the seed, so the seed can be shown before."""
        return Lattices(self.corpus, self.numbers, self.max_length)

    def set_model(self, model: Mapping[int, float], step: int) -> None:
        """From `step` on, these are the pieces by number and their log probabilities."""
        self.model = dict(model)
        self.scores = [-math.inf] * len(self.seed)
        for piece, log_probability in model.items():
            self.scores[piece] = log_probability
        self.unknown = min(model.values()) - UNKNOWN_PENALTY
        for piece in self.characters:
            if piece not in model:
                self.scores[piece] = self.unknown
        self.record.add_model(step, model)

    def renew_unknown(self) -> None:
        """Score unknown characters by the remaining pieces, if the least probable piece is gone."""
        if (
            self.unknown != min(self.model.values()) - UNKNOWN_PENALTY
            and not self.model.keys() >= self.characters.keys()
        ):
            self.set_model(self.model, len(self.record))
            self.record.losses[-1] = math.nan

    def split(self) -> None:
        """Split every word in the best way, and write down the corpus's loss."""
        self.lattices.find_best_ways(self.scores)
        self.loss = self.record.losses[-1] = self.lattices.loss()
        self.grow()

    def prune(
        self, ranking: Sequence[int], losses: Sequence[float], number: int, counts: Sequence[int] = ()
    ) -> Iterator[None]:
        """Prune the first `number` pieces of a ranking, and record each; yields between two of them.

        `counts` are the basis of the estimated losses, in the model's order.
        """
        record, lattices = self.record, self.lattices
        users = lattices.words_with(set(ranking[:number]))
        first = len(record) + 1
        record.rounds.append(
            Round(first, array("l", ranking), array("d", losses), number, self.loss, array("l", counts))
        )
        for index, piece in enumerate(ranking[:number]):
            if index:
                yield
            del self.model[piece]
            self.scores[piece] = self.unknown if piece in self.characters else -math.inf
            words = [(word, lattices.split_of(word)) for word in sorted(set(users.get(piece, ())))]
            changed = [(word, before) for word, before in words if piece in before.pieces]
            for word, before in changed:
                split = lattices.best_split_of(word, self.scores)
                self.loss += lattices.frequencies[word] * (before.log_probability - split.log_probability)
                for part in split.pieces:
                    users.setdefault(part, []).append(word)
            step = record.add("prune", len(self.model), self.loss)
            if changed:
                record.resplit[step] = array("l", [word for word, _before in changed])


def by_counts(counts: Mapping[int, int]) -> dict[int, float]:
    """Log probabilities in proportion to counts: log(count / total).

    >>> by_counts({0: 1, 5: 3})
    {0: -1.3862943611198906, 5: -0.2876820724517809}
    """
    total = sum(counts.values())
    return {piece: math.log(count / total) for piece, count in counts.items()}


def course_rounds(run: Training, target: int, share: float, exact: bool) -> Iterator[None]:
    """The course's method: rank the pieces by the exact loss, prune, renormalise, until at most `target` are
    left.

    Yields after each step. A round prunes at least one piece, so that training ends for small models too.
    """
    if len(run.model) > target:
        run.split()
    while len(run.model) > target:
        candidates = [piece for piece in run.model if piece not in run.characters]
        splits = run.lattices.splits()
        users = run.lattices.words_with(set(candidates))
        losses = removal_losses(run.lattices, splits, users, run.scores, candidates)
        order = sorted(range(len(candidates)), key=losses.__getitem__)
        number = min(max(1, int(share * len(run.model))), len(candidates))
        if exact:
            number = min(number, len(run.model) - target)
        yield from run.prune(
            [candidates[index] for index in order], [losses[index] for index in order], number
        )
        step = len(run.record)
        run.record.unnormalized[step] = run.loss
        run.set_model(by_counts({piece: run.seed[piece][1] for piece in run.model}), step)
        run.lattices.drop(run.scores)
        run.split()
        yield


def sentencepiece_rounds(run: Training, target: int, desired: int, share: float) -> Iterator[None]:
    """SentencePiece's method: EM twice, prune by the approximate loss, and again, until at most `desired`
    pieces are left; then EM once more, and the `target` most probable stay.

    Yields after each step. (The library's releases leave out the last EM; with it the corpus is a little more
    probable.)
    """
    while True:
        for _iteration in range(SUB_ITERATIONS):
            yield from em(run)
        if len(run.model) <= desired:
            break
        run.split()
        counts = run.lattices.piece_counts()
        keep = max(desired, int((1 - share) * len(run.model)))
        ranking, losses, number = approximate_ranking(run, counts, keep)
        if number:
            yield from run.prune(ranking, losses, number, [counts.get(piece, 0) for piece in run.model])
            run.renew_unknown()
            run.lattices.drop(run.scores)
            yield
    finalize(run, target)
    yield


def em(run: Training) -> Iterator[None]:
    """One E step and one M step. Yields after each."""
    by_number, objective = e_step(run.lattices, run.scores)
    expected = {piece: by_number[piece] for piece in run.model}
    step = run.record.add("e_step", len(run.model))
    run.record.expected[step] = array("d", expected.values())
    run.record.objectives[step] = objective
    yield
    model = m_step(expected)
    worthwhile = len(model) < 0.9 * len(run.model)
    run.set_model(model, run.record.add("m_step", len(model)))
    if worthwhile:
        run.lattices.drop(run.scores)
    yield


def approximate_ranking(
    run: Training, counts: Mapping[int, int], keep: int
) -> tuple[list[int], list[float], int]:
    """The candidates for pruning, SentencePiece's estimates of their losses, and how many to prune so that
    `keep` stay.

    `counts` says how often each piece occurs in the best splits. Pieces in none of them cost nothing and are
    always pruned; used characters stay.
    """
    counts = {piece: count for piece, count in counts.items() if piece in run.model}  # no unknown characters
    total = sum(counts.values())
    unused = [piece for piece in run.model if piece not in counts]
    used = [piece for piece in run.model if piece in counts and piece not in run.characters]
    numbers = {run.seed[piece][0]: piece for piece in (*run.model, *run.characters)}
    estimates = {}
    for piece in used:
        replacement = second_best(run.seed[piece][0], numbers, run.scores).pieces
        estimates[piece] = approximate_loss(piece, replacement, counts, total)
    used.sort(key=lambda piece: -estimates[piece])
    used.reverse()  # of equals the last one is pruned first, as in SentencePiece
    ranking = unused + used
    losses = [0.0] * len(unused) + [estimates[piece] for piece in used]
    return ranking, losses, min(len(ranking), max(len(unused), len(run.model) - keep))


def finalize(run: Training, target: int) -> None:
    """Keep every character of the corpus and, besides them, the most probable pieces, `target` in all."""
    final = {}
    least = min(run.model.values())
    missing = 0
    for piece in run.characters:  # the frequent ones first
        if piece >= run.known:
            break
        if piece in run.model:
            final[piece] = run.model[piece]
        else:
            final[piece] = least + RESTORED_APART * missing
            missing += 1
    for piece in sorted(run.model, key=lambda piece: -run.model[piece]):
        if len(final) >= target:
            break
        final[piece] = run.model[piece]
    ordered = sorted(final, key=lambda piece: (-final[piece], run.seed[piece][0]))
    step = run.record.add("finalize", len(final))
    run.set_model({piece: final[piece] for piece in ordered}, step)


def train_unigram(
    corpus: Corpus,
    seed_size: int | None = None,
    vocab_size: int | None = 100,
    method: str = "course",
    *,
    exact: bool = False,
    pruned_share: float | None = None,
    max_piece_length: int = MAX_PIECE_LENGTH,
    whole_words: bool = True,
    special_tokens: Sequence[str] = (),
    byte_fallback: bool = False,
    initial_alphabet: Sequence[str] = (),
    character_coverage: float = 1.0,
    steps: int | None = None,
    progress: Progress | None = None,
    growing: Growing | None = None,
) -> UnigramTrace:
    """Train Unigram on `corpus` and record every step.

    Training starts from `seed_size` pieces (default: `SEED_SIZES`, and at least `SEED_PER_TOKEN` times
    `vocab_size`): every character, and the most promising substrings of up to `max_piece_length` characters;
    without `whole_words`, only those shorter than their word. It prunes until at most `vocab_size` tokens are
    left, special tokens included (None: only characters). `method` is "course" or "sentencepiece". A round
    prunes `pruned_share` of the pieces (default: `PRUNED_SHARES`), so the course's last round may end below
    the size, unless `exact`. With `byte_fallback` the vocabulary has 256 byte tokens behind the special
    tokens; they spell unknown characters. `character_coverage` is the share of the corpus's characters, the
    most frequent ones, that become pieces; the others are unknown from the start, as in SentencePiece. With
    its method, `initial_alphabet` are characters to add at the last step if the corpus doesn't have them
    (`required_chars`). After `steps` steps (None: however many) training ends early. `progress(done, total)`
    gets the number of pieces pruned and of those to prune; if it returns False, training ends there.
    `growing` is called with the seed at hand and at least once after each step, and can cut off the record so
    far, for display meanwhile (`tokenizers_core.trace.Growing`).

    `stop_reason` is "vocab_size", "no_pieces" (only characters are left), "seed_size" (the seed is no larger
    than the wanted size), "dropped" (EM has dropped too many pieces) or "stopped". If that leaves fewer
    tokens than requested, the trace has a `shortfall`, and an UnreachedSizeWarning names the remedy. Raises
    UnknownNameError, VocabSizeError, SettingError, WrongTypeError.

    >>> trace = train_unigram(
    ...     Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), vocab_size=10
    ... )
    >>> trace[0].vocab_size, trace[1].event.piece, len(trace[-1].pieces)
    (19, 'ug', 10)
    """
    refuse_no_corpus(corpus)
    refuse_unknown_name("method", method, METHODS)
    for name, number in (("seed_size", seed_size), ("vocab_size", vocab_size)):
        if number is not None:
            refuse_wrong_type(name, number, Integral, WHOLE_NUMBER)
    share = PRUNED_SHARES[method] if pruned_share is None else pruned_share
    check_numbers(share, max_piece_length, steps)
    refuse_no_tokens(special_tokens)
    symbols = (*corpus.pipeline.user_defined_symbols, *(BYTE_TOKENS if byte_fallback else ()))
    special_tokens = tuple(dict.fromkeys((*special_tokens, *symbols)))
    limits = Limits(initial_alphabet=initial_alphabet, character_coverage=character_coverage)
    limits.check()
    if initial_alphabet and method == "course":
        reason = "only SentencePiece gives a probability to what the corpus doesn't have; choose its method"
        raise SettingError(name="initial_alphabet", value="".join(initial_alphabet), reason=reason)
    alphabet = limits.alphabet(corpus, initial_alphabet) if limits.drop_characters else {}
    dropped = left_out(corpus, alphabet, "") if limits.drop_characters else {}
    candidates = SEEDS[method](without(dropped, corpus) if dropped else corpus, max_piece_length, whole_words)
    if initial_alphabet:
        there = [item for item in candidates if len(item[0]) == 1]
        absent = {*initial_alphabet} - {character for character, _count in there}
        candidates[len(there) : len(there)] = [(character, 0) for character in sorted(absent)]
    if symbols:  # a normalizer may have made one
        candidates = [one for one in candidates if len(one[0]) == 1 or one[0] not in symbols]
    characters = sum(1 for piece, _count in candidates if len(piece) == 1)
    size = grown_seed(SEED_SIZES[method], vocab_size) if seed_size is None else seed_size
    check_sizes(size, vocab_size, characters, len(special_tokens))

    settings = {
        "method": method,
        "seed_size": size,
        "vocab_size": vocab_size,
        "exact": exact,
        "pruned_share": share,
        "max_piece_length": max_piece_length,
        "whole_words": whole_words,
        **({"byte_fallback": True} if byte_fallback else {}),
        **limits.non_defaults(),
    }
    seed = tuple(candidates[:size])

    def trace_of(record: PruneRecord, stop_reason: str) -> UnigramTrace:
        return UnigramTrace(corpus, special_tokens, seed, record, stop_reason, settings, dropped)

    run = Training(corpus, seed, max_piece_length, dropped)
    known = (-1, 0, 0)

    def cut() -> UnigramTrace | PruneRecord:
        nonlocal known
        record, before = run.record, known
        known = len(record), len(record.models), len(record.rounds)
        return trace_of(record.since(*before), GROWING) if before[0] < 0 else record.since(*before)

    if growing is not None:
        run.grow = functools.partial(growing, cut)
    target = characters if vocab_size is None else vocab_size - len(special_tokens)
    if method == "course":
        walk = course_rounds(run, target, share, exact)
    else:
        walk = sentencepiece_rounds(run, target, int(HEADROOM * (target + len(special_tokens))), share)
    stop_reason = "no_pieces" if vocab_size is None else "vocab_size"
    if len(seed) <= target:
        stop_reason = "seed_size"
    if not _record_run(run, walk, target, progress, steps):
        stop_reason = "stopped"
    elif method == "sentencepiece" and len(run.model) < target < len(seed):
        stop_reason = "dropped"
    trace = trace_of(run.record, stop_reason)
    if trace.shortfall:
        warnings.warn(str(trace.shortfall), UnreachedSizeWarning, stacklevel=2)
    return trace


def check_numbers(pruned_share: float, max_piece_length: int, steps: int | None) -> None:
    """Raise WrongTypeError or SettingError for an invalid number."""
    refuse_wrong_type("pruned_share", pruned_share, Real, "give a number between 0 and 1, such as 0.1")
    refuse_wrong_type("max_piece_length", max_piece_length, Integral, WHOLE_NUMBER)
    if not 0 < pruned_share < 1:
        raise SettingError(
            name="pruned_share", value=pruned_share, reason="choose a number between 0 and 1, such as 0.1"
        )
    if max_piece_length < 1:
        raise SettingError(name="max_piece_length", value=max_piece_length, reason="choose at least 1")
    if steps is not None:
        refuse_wrong_type("steps", steps, Integral, WHOLE_NUMBER)
        if steps < 0:
            raise SettingError(name="steps", value=steps, reason=Phrase("choose at least {least}", least=0))


def check_sizes(seed_size: int, vocab_size: int | None, characters: int, special_tokens: int) -> None:
    """Raise VocabSizeError or SettingError if the corpus's characters, and the special tokens, don't fit
    in."""
    least = special_tokens + characters
    if vocab_size is not None and vocab_size < least:
        raise VocabSizeError(
            vocab_size=vocab_size,
            minimum=least,
            what="starting vocabulary" if special_tokens else "alphabet",
        )
    if seed_size < characters:
        raise SettingError(
            name="seed_size",
            value=seed_size,
            reason=Phrase("choose at least {least}, the corpus's character count", least=characters),
        )


def _record_run(
    run: Training, steps: Iterator[None], target: int, progress: Progress | None, most: int | None
) -> bool:
    """Train to the end, or for `most` steps, or until `progress` says to stop; whether the end was
    reached."""
    seed = len(run.model)
    run.grow()
    if most == 0:
        return False
    for step, _ in enumerate(steps):
        run.grow()
        if step + 1 == most:
            return False
        if progress is None or (step % 64 and run.record.kinds[-1] == "prune"):
            continue
        if progress(seed - len(run.model), max(0, seed - target)) is False:
            return False
    return True
