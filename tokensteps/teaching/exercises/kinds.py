"""Exercises: endless, each made from its kind, level and seed alone, with the engine's answer.

A kind is a function from a random number generator and a level to a question; `EXERCISE_KINDS` lists them in
the order of the algorithms. The pages hold no algorithm: `tokensteps/teaching/questions.py` grades every
answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from tokensteps.language.i18n import N_
from tokensteps.teaching.exercises.bpe_kinds import parity_chooser, picky_removal, super_pair
from tokensteps.teaching.exercises.construct import construct
from tokensteps.teaching.exercises.course import course
from tokensteps.teaching.exercises.encoding import bpe_encode, wordpiece_encode
from tokensteps.teaching.exercises.merging import bpe_count, bpe_pair, wordpiece_pair, wordpiece_score
from tokensteps.teaching.exercises.mistake import mistake
from tokensteps.teaching.exercises.rules import bpe_under_rule
from tokensteps.teaching.exercises.sampling import dropout_split, unigram_sampling
from tokensteps.teaching.exercises.tipping import bpe_tipping
from tokensteps.teaching.exercises.unigram import (
    unigram_best,
    unigram_loss,
    unigram_piece,
    unigram_probability,
)
from tokensteps.teaching.exercises.viterbi import viterbi
from tokensteps.teaching.exercises.ways import ways
from tokensteps.teaching.exercises.words import LEVELS, Address, ExerciseKind
from tokensteps.teaching.questions import RIGHT, WRONG, Question

MIXED: Final = "mixed"
"""One more kind on the page: each seed picks one of the others."""
PATH_KIND: Final = "path"
"""And one through the topics of the path, in its order."""
PATH_KINDS: Final = ("bpe_count", "bpe_pair", "bpe_encode", "wordpiece_pair", "viterbi", "unigram_piece")
"""The kinds of its seeds, again and again."""
RISE_AFTER: Final = 3
"""Right answers in a row for the level to rise."""
FALL_AFTER: Final = 2
"""Wrong answers in a row for it to fall."""

EXERCISE_KINDS: Final[Mapping[str, ExerciseKind]] = {
    "bpe_count": ExerciseKind(
        N_("BPE: count a pair"), N_("Counting neighbors, each word as often as it occurs."), bpe_count
    ),
    "bpe_pair": ExerciseKind(
        N_("BPE: the next merge"), N_("Finding the most frequent pair, and what a tie does."), bpe_pair
    ),
    "bpe_encode": ExerciseKind(
        N_("BPE: encode a word"), N_("Applying merge rules in their order."), bpe_encode
    ),
    "bpe_tipping": ExerciseKind(
        N_("BPE: what would it take"),
        N_("Finding how many more of a word would change the next merge."),
        bpe_tipping,
    ),
    "bpe_rules": ExerciseKind(
        N_("BPE: the next merge under a rule"),
        N_("Heeding the longest token, a symbol kept whole, or digits one by one."),
        bpe_under_rule,
    ),
    "superbpe_pair": ExerciseKind(
        N_("SuperBPE: across spaces"),
        N_("Counting pairs of whole words, and keeping to the limit."),
        super_pair,
    ),
    "pickybpe_removal": ExerciseKind(
        N_("PickyBPE: what leaves"),
        N_("Comparing the share of a token's places with a threshold."),
        picky_removal,
    ),
    "paritybpe_language": ExerciseKind(
        N_("Parity-aware BPE: who chooses"),
        N_("Counting what the same lines cost each language."),
        parity_chooser,
    ),
    "wordpiece_score": ExerciseKind(
        N_("WordPiece: score a pair"), N_("Dividing by the two tokens' counts."), wordpiece_score
    ),
    "wordpiece_pair": ExerciseKind(
        N_("WordPiece: the next merge"), N_("Seeing why the most frequent pair often loses."), wordpiece_pair
    ),
    "wordpiece_encode": ExerciseKind(
        N_("WordPiece: encode a word"),
        N_("Taking the longest match, and knowing when there is none."),
        wordpiece_encode,
    ),
    "dropout": ExerciseKind(
        N_("Dropout: the probability of a split"),
        N_("Multiplying what drops out and what stays, in BPE-dropout and MaxMatch-dropout."),
        dropout_split,
    ),
    "unigram_probability": ExerciseKind(
        N_("Unigram: the probability of a split"),
        N_("Multiplying the pieces' probabilities."),
        unigram_probability,
    ),
    "unigram_best": ExerciseKind(
        N_("Unigram: the best split"), N_("Comparing the splits of a word."), unigram_best
    ),
    "viterbi": ExerciseKind(
        N_("Unigram: the Viterbi table"), N_("Finding the best split without trying all of them."), viterbi
    ),
    "unigram_sampling": ExerciseKind(
        N_("Unigram: splits at random"),
        N_("Comparing a split's probability with that of all splits."),
        unigram_sampling,
    ),
    "unigram_piece": ExerciseKind(
        N_("Unigram: which piece goes"), N_("Finding the piece that is missed least."), unigram_piece
    ),
    "unigram_loss": ExerciseKind(
        N_("Unigram: what a piece is worth"),
        N_("Working out how the loss grows without a piece."),
        unigram_loss,
    ),
    "ways": ExerciseKind(
        N_("One vocabulary, several ways"),
        N_("Splitting a word by merges, longest match, fewest tokens or probability."),
        ways,
    ),
    "mistake": ExerciseKind(N_("Spot the mistake"), N_("Checking a worked log line by line."), mistake),
    "construct": ExerciseKind(
        N_("Build a corpus"), N_("Working backward: words that lead to the merges you want."), construct
    ),
    "course": ExerciseKind(
        N_("Questions from the course"), N_("The examples of the Hugging Face course, chapter 6."), course
    ),
}
"""Every kind by its name in links."""


@dataclass(frozen=True)
class Exercise:
    """One exercise, the same on every machine."""

    kind: str
    level: int
    seed: int
    question: Question
    facts: Mapping[str, object]
    """The facts in the prompt, as plain data."""
    link: Address | None
    """Where to step through the same corpus; shown only after an answer."""

    @property
    def name(self) -> str:
        """A name, unique to this exercise."""
        return f"{self.kind}:{self.level}:{self.seed}"


def make(kind: str, level: int, seed: int) -> Exercise:
    """The exercise of this kind, level and seed; "mixed" draws the kind, and "path" goes through its own in
    their order.

    >>> one = make("bpe_pair", 1, 1)
    >>> one.question.grade(one.question.key).kind, one.name, make("mixed", 1, 1).name
    ('right', 'bpe_pair:1:1', 'paritybpe_language:1:1')
    >>> [make("path", 1, seed).kind for seed in (1, 2, 3, 4, 5, 6, 7)]
    ['bpe_count', 'bpe_pair', 'bpe_encode', 'wordpiece_pair', 'viterbi', 'unigram_piece', 'bpe_count']
    """
    if kind == MIXED:
        return make(Random(f"{MIXED}:{level}:{seed}").choice([*EXERCISE_KINDS]), level, seed)
    if kind == PATH_KIND:
        return make(PATH_KINDS[(seed - 1) % len(PATH_KINDS)], level, seed)
    result = EXERCISE_KINDS[kind].make(Random(f"{kind}:{level}:{seed}"), level)
    return Exercise(kind, level, seed, result.question, result.facts, result.link)


def next_level(level: int, recent: tuple[str, ...]) -> int:
    """The level after verdicts at this level, oldest first: up after three right in a row, down after two
    wrong.

    >>> (
    ...     next_level(2, (WRONG, RIGHT, RIGHT, RIGHT)),
    ...     next_level(2, (WRONG, WRONG)),
    ...     next_level(5, (RIGHT,) * 3),
    ... )
    (3, 1, 5)
    """
    if recent[-RISE_AFTER:] == (RIGHT,) * RISE_AFTER:
        return min(level + 1, LEVELS[-1])
    if recent[-FALL_AFTER:] == (WRONG,) * FALL_AFTER:
        return max(level - 1, LEVELS[0])
    return level
