"""Exercises on Unigram: a split's probability, the best split, the next prune, the Viterbi table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape
from random import Random
from typing import Final

from tokenizers_core import train_unigram
from tokenizers_core.encoding.models.lattice import Path, equally_good
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.drawing.tokens import PLAIN, chip, fill
from tokensteps.language.i18n import _, listed, sentences
from tokensteps.language.numbers import chance, nats
from tokensteps.teaching.events import prune_at
from tokensteps.teaching.exercises.words import (
    SIZES,
    Address,
    Draft,
    corpus_of,
    draw_words,
    fraction,
    link_to,
    prompt,
    sheet_html,
    side_by_side,
    split_text,
    tokens_in_line,
    tokens_table,
    words_table,
)
from tokensteps.teaching.prune_questions import ask_piece, loss_sentences, resplits
from tokensteps.teaching.questions import (
    Board,
    Entry,
    Question,
    Verdict,
    grade_number,
    grade_split,
    right,
    wrong,
)
from tokensteps.teaching.slips.unigram import loss_slips, probability_slips, split_slip
from tokensteps.teaching.splitting import split_hint

SEED_PIECES: Final = {1: 8, 2: 10, 3: 12, 4: 13, 5: 14}
"""Pieces in the seed."""
SPLIT_INTO: Final = {1: 2, 2: 2, 3: 3, 4: 3, 5: 4}
"""Pieces in the split of the question on its probability."""
SPLIT_WAYS: Final = {1: (2, 3), 2: (3, 4), 3: (4, 6), 4: (5, 10), 5: (8, 20)}
"""In how many ways the word can be split."""
UNIGRAM_ATTEMPTS: Final = 80
LOSS_ROUNDING: Final = 1e-6
"""Differences in nats up to this are rounding errors."""


def draw_model(random: Random, level: int) -> tuple[dict[str, int], UnigramTrace]:
    """Word counts, and a run on them from a few pieces, all pruned in the end."""
    while True:
        counts = draw_words(random, SIZES[level]._replace(words=max(3, SIZES[level].words - 1)))
        characters = len(set("".join(counts)))
        seed = max(SEED_PIECES[level], characters + 3)
        trace = train_unigram(corpus_of(counts), seed_size=seed, vocab_size=None, whole_words=False)
        if len(trace) and seed <= SEED_PIECES[level] + 2:
            return counts, trace


def unigram_link(counts: Mapping[str, int], trace: UnigramTrace, step: int) -> Address | None:
    """The same run on its page."""
    seed = str(trace.settings["seed_size"])
    return link_to("unigram", counts, seed=seed, size="", whole="0", step=str(step))


def shares_table(counts: Mapping[str, int]) -> str:
    """Pieces with their probabilities as fractions of all counts."""
    total = sum(counts.values())
    return tokens_table(
        _("Piece"), _("Probability"), {piece: f"{number}/{total}" for piece, number in counts.items()}
    )


def probability(pieces: Sequence[str], counts: Mapping[str, int]) -> Fraction:
    """The product of the pieces' probabilities, exactly.

    >>> probability(("h", "ug"), {"h": 1, "ug": 3})
    Fraction(3, 16)
    """
    total = sum(counts.values())
    return math.prod((Fraction(counts[piece], total) for piece in pieces), start=Fraction(1))


def worked(pieces: Sequence[str], counts: Mapping[str, int]) -> str:
    """The same with its numbers: plain text."""
    exact = probability(pieces, counts)
    return f"{product_text(pieces, counts)} = {fraction(exact)} ≈ {chance(float(exact))}"


def product_text(pieces: Sequence[str], counts: Mapping[str, int]) -> str:
    """The product itself.

    >>> product_text(("h", "ug"), {"h": 1, "ug": 3})
    '1/4 × 3/4'
    """
    total = sum(counts.values())
    return " × ".join(f"{counts[piece]}/{total}" for piece in pieces)


def paths_of(trace: UnigramTrace, word: str) -> list[Path]:
    """Every split of a word under the run's first model, the most probable first."""
    lattice = trace[0].lattice(word)
    return list(lattice.k_best(lattice.path_count))


def unigram_probability(random: Random, level: int) -> Draft:
    """The probability of one split."""
    while True:
        counts, trace = draw_model(random, level)
        word = random.choice(list(counts))
        paths = [path for path in paths_of(trace, word) if len(path.edges) == SPLIT_INTO[level]]
        if paths:
            break
    question, facts = probability_question(trace, random.choice(paths).pieces)
    return Draft(question, facts, unigram_link(counts, trace, 0))


def probability_question(trace: UnigramTrace, pieces: Sequence[str]) -> tuple[Question, dict[str, object]]:
    """How probable a split is under a run's first model."""
    seed = dict(trace.seed)
    why = escape(worked(pieces, seed))
    exact = probability(pieces, seed)
    text = prompt(
        _(
            "The probability of a split is the product of the probabilities of its pieces; a piece's "
            "probability is its count divided by the total count of all pieces."
        ),
        shares_table(seed),
        fill(
            _("How probable is {split}? A product such as a/c × b/c will do."), split=tokens_in_line(pieces)
        ),
    )
    shown = f"{fraction(exact)} ≈ {chance(float(exact))}"
    grade = grade_number(exact, why, why, shown, slips=lambda: probability_slips(pieces, seed))
    hint = Entry(_("a product such as a/c × b/c, or a decimal"))
    way = escape(f"{product_text(pieces, seed)} = ?")
    question = Question("probability", text, hint, fraction(exact), grade, why, way)
    return question, {"pieces": seed, "split": tuple(pieces), "words": dict(trace.corpus.items())}


def unigram_best(random: Random, level: int) -> Draft:
    """The most probable split of a word."""
    least, most = SPLIT_WAYS[level]
    for _attempt in range(UNIGRAM_ATTEMPTS):
        counts, trace = draw_model(random, level)
        words = [word for word in counts if least <= trace[0].lattice(word).path_count <= most]
        words = [word for word in words if len(paths_of(trace, word)[0].pieces) > 1]
        if words:
            break
    word = random.choice(words or [max(counts, key=len)])
    question, facts = best_question(trace, word)
    return Draft(question, facts, unigram_link(counts, trace, 0))


def best_question(trace: UnigramTrace, word: str) -> tuple[Question, dict[str, object]]:
    """The most probable split of a word under a run's first model."""
    seed = dict(trace.seed)
    paths = paths_of(trace, word)
    best = [path for path in paths if equally_good(path, paths[0])]
    why = fill(
        _("{split}: {numbers}."),
        split=tokens_in_line(best[0].pieces),
        numbers=escape(worked(best[0].pieces, seed)),
    )
    if len(best) > 1:
        others = listed(tokens_in_line(path.pieces) for path in best[1:])
        why = sentences(why, fill(_("Equally probable: {others}."), others=others))

    def compare(pieces: tuple[str, ...]) -> Verdict:
        missing = next((piece for piece in pieces if piece not in seed), None)
        if missing is not None:
            yours = fill(_("{piece} is not among the pieces."), piece=f"<code>{escape(missing)}</code>")
            return wrong(sentences(yours, why), yours)
        if pieces in [path.pieces for path in best]:
            return right(why)
        yours = fill(
            _("{split}: {numbers}."), split=tokens_in_line(pieces), numbers=escape(worked(pieces, seed))
        )
        return wrong(sentences(yours, why), yours, split_slip(word, pieces, weights))

    def grade(answer: str) -> Verdict:
        verdict = graded(answer)
        return right(why) if verdict.kind == "right" else verdict

    total = sum(seed.values())
    weights = {piece: Fraction(number, total) for piece, number in seed.items()}
    graded = grade_split(word, best[0].pieces, compare)
    question = Question(
        "best",
        prompt(
            _(
                "A word is split into the pieces whose probabilities have the greatest product. If several "
                "splits tie, any of them is right."
            ),
            shares_table(seed),
            fill(_("Which split of {word} is the most probable?"), word=f"<code>{escape(word)}</code>"),
        ),
        Entry(split_hint(word)),
        split_text(best[0].pieces),
        grade,
        why,
        fill(
            _("The most probable split has probability {chance}."),
            chance=escape(chance(float(probability(best[0].pieces, seed)))),
        ),
        Board(word, {piece: f"{number}/{total}" for piece, number in seed.items() if piece in word}),
    )
    facts = {"pieces": seed, "word": word, "words": dict(trace.corpus.items()), "paths": len(paths)}
    return question, facts


# --- which piece goes ---------------------------------------------------------------------------------------


def model_table(trace: UnigramTrace, step: int) -> str:
    """The pieces after a step, with probabilities and −ln of them."""
    rows = (
        (chip(piece), escape(chance(math.exp(log))), f"{-log:.4f}")
        for piece, log in trace[step].pieces.items()
    )
    return sheet_html((_("Piece"), _("Probability"), "−ln"), rows)


def clear_cut(trace: UnigramTrace, step: int) -> bool:
    """Whether no two of the cheapest pieces differ only by a rounding error."""
    losses = [one.loss for one in trace[step].candidates()]
    return all(loss == losses[0] or loss - losses[0] > LOSS_ROUNDING for loss in losses)


def question_steps(trace: UnigramTrace, level: int) -> list[int]:
    """The steps before good questions on prunes: on level 1 free ones, above costly ones."""
    steps: list[int] = []
    for step in range(len(trace)):
        ranking = trace[step].candidates()
        free = abs(ranking[0].loss) < LOSS_ROUNDING
        most = 2 + (level + 1) // 2
        if most - 1 <= len(ranking) <= most and clear_cut(trace, step) and free is (level == 1):
            steps.append(step)
    return steps


def draw_pruning(random: Random, level: int) -> tuple[dict[str, int], UnigramTrace, int]:
    """A corpus, its run, and a step for a good question: at least every sixth corpus has one."""
    while True:
        counts, trace = draw_model(random, level)
        steps = question_steps(trace, level)
        if steps:
            return counts, trace, random.choice(steps)


def split_words(trace: UnigramTrace, step: int, counts: Mapping[str, int]) -> str:
    """Words in their best splits, and the model."""
    return side_by_side(words_table(trace[step].splits(), counts), model_table(trace, step))


def unigram_piece(random: Random, level: int) -> Draft:
    """Which piece is pruned next."""
    counts, trace, step = draw_pruning(random, level)
    text = prompt(
        _(
            "The next piece to go is the one whose removal raises the corpus's loss least. The loss adds up "
            "the −ln of the pieces in each word's best split, once for each time the word occurs. Without a "
            "piece, the words that use it need their next-best split. Single characters stay."
        ),
        split_words(trace, step, counts),
        escape(_("Which piece goes next?")),
    )
    wanted, event = ask_piece(trace, step, PLAIN), prune_at(trace, step + 1)
    why = loss_sentences(trace, step, event.piece, PLAIN)
    narration = fill(_("{letter}: {told}"), letter=chip(wanted.key), told=sentences(wanted.solution, why))
    question = replace(wanted, prompt=text, solution=narration)
    facts = {
        "words": counts,
        "step": step,
        "pieces": counts_at(trace, step),
        "seed_size": trace.settings["seed_size"],
        "free": abs(event.loss) < LOSS_ROUNDING,
    }
    return Draft(question, facts, unigram_link(counts, trace, step))


def counts_at(trace: UnigramTrace, step: int) -> dict[str, int]:
    """The pieces after a step with their counts, in the model's order."""
    seed = dict(trace.seed)
    return {piece: seed[piece] for piece in trace[step].pieces}


def unigram_loss(random: Random, level: int) -> Draft:
    """The cost of losing the next piece."""
    counts, trace, step = draw_pruning(random, level)
    event = prune_at(trace, step + 1)
    true = 0.0 if abs(event.loss) < LOSS_ROUNDING else event.loss
    why = loss_sentences(trace, step, event.piece, PLAIN)
    text = prompt(
        _(
            "The loss adds up the −ln of the pieces in each word's best split, once for each time the word "
            "occurs. Without a piece, the words that use it take their next-best split, which costs as much "
            "or more; the cost of the other words doesn't change."
        ),
        split_words(trace, step, counts),
        fill(
            _(
                "{piece} goes next. By how much does the loss grow? Two significant digits are enough; 0 if nothing is lost."
            ),
            piece=chip(event.piece),
        ),
    )
    key = nats(true)
    grade = grade_number(
        true,
        why,
        why,
        key,
        by_hand=True,
        slips=lambda: loss_slips([*resplits(trace, step, event.piece)]),
    )
    hint = Entry(_("a number with at least two digits"))
    question = Question("loss", text, hint, key, grade, f"<b>{key}</b> {why}", why)
    facts = {
        "words": counts,
        "step": step,
        "pieces": counts_at(trace, step),
        "seed_size": trace.settings["seed_size"],
        "free": not true,
        "piece": event.piece,
    }
    return Draft(question, facts, unigram_link(counts, trace, step))
