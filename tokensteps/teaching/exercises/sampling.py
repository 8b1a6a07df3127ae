"""Exercises on splits at random: how probable a split is by BPE-dropout, by MaxMatch-dropout, and by
Unigram's sampling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from itertools import islice
from random import Random
from typing import Final, NamedTuple, TypeVar

from tokenizers_core import train_bpe, train_wordpiece
from tokenizers_core.encoding.dropout import Choices, distribution
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokensteps.drawing.tokens import chip, fill
from tokensteps.language.i18n import _, pgettext, sentences
from tokensteps.language.numbers import probability_text
from tokensteps.teaching.exercises.encoding import UNKNOWN, rules_html, vocabulary_html, vocabulary_of
from tokensteps.teaching.exercises.unigram import (
    draw_model,
    paths_of,
    probability,
    product_text,
    shares_table,
    unigram_link,
)
from tokensteps.teaching.exercises.words import (
    SIZES,
    Draft,
    corpus_of,
    draw_words,
    fraction,
    link_to,
    prompt,
    sheet_html,
    side_by_side,
    tokens_in_line,
)
from tokensteps.teaching.questions import Entry, Question, grade_number
from tokensteps.teaching.slips.encoding import Spelled
from tokensteps.teaching.slips.merging import Slips
from tokensteps.teaching.slips.sampling import (
    Coins,
    dropout_slips,
    merge_dropout_slips,
    sampling_slips,
)

Reached = TypeVar("Reached")
DROPOUTS: Final = (Fraction(1, 10), Fraction(1, 5), Fraction(1, 4))
"""Probabilities of dropping out, each with few decimals."""
FACTORS: Final = {1: (2, 2), 2: (3, 3), 3: (4, 4), 4: (5, 5), 5: (6, 10)}
"""How many factors an answer has, over all ways to the split."""
DROPPED_MERGES: Final = {1: 2, 2: 3, 3: 4, 4: 5, 5: 6}
"""BPE's learned merges; WordPiece has twice as many, as each leads to one match."""
PASSAGES: Final = 80
"""The most passages of a word to all of its splits."""
SAMPLED_WAYS: Final = {1: (2, 2), 2: (3, 3), 3: (4, 5), 4: (3, 4), 5: (4, 5)}
"""The number of splits of a word for sampling, from and to."""
POWERS: Final = {1: Fraction(1), 2: Fraction(1), 3: Fraction(1), 4: Fraction(2), 5: Fraction(1, 2)}
"""The power of the probabilities: Kudo's α, 1 / temperature."""


# --- dropout ------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    """A point on the way to a split: the tokens so far, the dropped options in their order, and the taken one
    ("" where it ends)."""

    before: Spelled
    dropped: Spelled
    taken: str = ""
    sure: bool = False
    """A single character, taken because everything else has dropped out."""

    @property
    def coins(self) -> Coins:
        """The random decisions here."""
        return Coins(len(self.dropped), bool(self.taken) and not self.sure)


Passage = tuple[Point, ...]
"""One way to a split."""


class Dropping(NamedTuple):
    """A word, the exact probability of each of its splits by dropout, and the ways to each."""

    shares: Mapping[Spelled, Fraction]
    passages: Mapping[Spelled, Sequence[Passage]]

    def factors(self, split: Spelled) -> int:
        """The number of factors in the split's probability, a sum of products."""
        every = [point.coins for passage in self.passages[split] for point in passage]
        return sum(coins.dropped + coins.taken for coins in every)


def dropping(
    start: Reached,
    choices: Callable[[Reached], Choices[Reached]],
    dropout: Fraction,
    read: Callable[[Reached], Spelled],
) -> Dropping:
    """All possible results for a word: its model's `choices`, followed from the `start`; nothing for more
    than `PASSAGES` ways."""
    results = [*islice(_passages(start, choices, read), PASSAGES + 1)]
    ends = distribution(start, choices, dropout) if len(results) <= PASSAGES else None
    if ends is None:
        return Dropping({}, {})
    passages: dict[Spelled, list[Passage]] = {}
    for split, passage in results:
        passages.setdefault(split, []).append(passage)
    return Dropping({read(state): share for state, share in ends.items()}, passages)


def _passages(
    state: Reached, choices: Callable[[Reached], Choices[Reached]], read: Callable[[Reached], Spelled]
) -> Iterator[tuple[Spelled, Passage]]:
    """Every way from a state to an end."""
    preferred, otherwise = choices(state)
    before, result = read(state), tuple(_new_token(read(state), read(option)) for option in preferred)
    for index, option in enumerate(preferred):
        for split, rest in _passages(option, choices, read):
            yield split, (Point(before, result[:index], result[index]), *rest)
    if otherwise is None:
        yield before, (Point(before, result),)
    else:
        single = _new_token(before, read(otherwise))
        for split, rest in _passages(otherwise, choices, read):
            yield split, (Point(before, result, single, sure=True), *rest)


def _new_token(before: Spelled, after: Spelled) -> str:
    """The first new token.

    >>> _new_token(("h", "u", "g"), ("h", "ug")), _new_token(("h",), ("h", "##u"))
    ('ug', '##u')
    """
    return next(token for index, token in enumerate(after) if before[index : index + 1] != (token,))


def rate_text(share: Fraction) -> str:
    """A probability with a few decimals.

    >>> rate_text(Fraction(1, 10)), rate_text(1 - Fraction(1, 4))
    ('0.1', '0.75')
    """
    return f"{float(share):g}"


def decimal(share: Fraction | float) -> str:
    """A probability with four significant digits.

    >>> decimal(Fraction(81, 1000)), decimal(Fraction(1, 90_000))
    ('0.081', '1.111 × 10⁻⁵')
    """
    return probability_text(math.log(share))


def factors_text(coins: Coins, dropout: Fraction) -> list[str]:
    """The factors at one point."""
    return [rate_text(dropout)] * coins.dropped + [rate_text(1 - dropout)] * coins.taken


def passage_table(passage: Passage, dropout: Fraction) -> str:
    """One way to a split: at each point the dropped options (✗), the taken one (✓), and the factors; the end
    only if something drops out."""
    rows = []
    for point in passage:
        signs = [*((token, "✗") for token in point.dropped), *([(point.taken, "✓")] if point.taken else [])]
        options = [f'<span class="row">{chip(token)} {sign}</span>' for token, sign in signs]
        if options:
            factors = " × ".join(factors_text(point.coins, dropout)) or "1"
            rows.append((tokens_in_line(point.before) or "–", " ".join(options), factors))
    return sheet_html((_("So far"), _("In their order"), _("Factor")), rows)


class Dropped(NamedTuple):
    """A vocabulary, and a word to split with dropout."""

    word: str
    dropping: Dropping
    rule: str
    """The rule of its splits, plain text."""
    vocabulary: str
    """The vocabulary: markup."""
    slips: Callable[[Spelled], Slips]
    """For a split, the probabilities by common mistakes."""
    facts: Mapping[str, object]
    page: str
    counts: Mapping[str, int]
    step: int


def dropout_split(random: Random, level: int) -> Draft:
    """The probability of a split by BPE-dropout or MaxMatch-dropout."""
    least, most = FACTORS[level]
    while True:
        draw, dropout = random.choice((drop_merges, drop_matches)), random.choice(DROPOUTS)
        drawn = draw(random, level, dropout)
        factors = {split: drawn.dropping.factors(split) for split in drawn.dropping.shares}
        splits = [split for split in factors if least <= factors[split] <= most and UNKNOWN not in split]
        if splits:
            split = random.choice(splits)
            break
    own = {"word": drawn.word, "split": split, "dropout": dropout, "factors": factors[split]}
    facts = {"words": drawn.counts, **drawn.facts, **own}
    link = link_to(drawn.page, drawn.counts, step=str(drawn.step))
    return Draft(dropout_question(drawn, split, dropout), facts, link)


def dropout_question(drawn: Dropped, split: Spelled, dropout: Fraction) -> Question:
    """How probable a split is by dropout."""
    exact, passages = drawn.dropping.shares[split], drawn.dropping.passages[split]
    tables = side_by_side(*(passage_table(passage, dropout) for passage in passages))
    way = (
        _("Multiply the factors.")
        if len(passages) == 1
        else _("Multiply the factors of each way, then add up the products.")
    )
    products = [
        " × ".join(factor for point in passage for factor in factors_text(point.coins, dropout))
        for passage in passages
    ]
    shown = decimal(exact)
    equals = "=" if Fraction(f"{float(exact):.4g}") == exact else "≈"
    why = tables + escape(f"{' + '.join(products)} {equals} {shown}")
    grade = grade_number(exact, why, why, shown, slips=lambda: drawn.slips(split))
    question = _("How probable is it that {word} becomes {split}? A product, or a sum of products, will do.")
    text = prompt(
        drawn.rule,
        drawn.vocabulary,
        fill(question, word=f"<code>{escape(drawn.word)}</code>", split=tokens_in_line(split)),
    )
    hint = Entry(_("a product, a sum of products, or a decimal"))
    return Question("probability", text, hint, fraction(exact), grade, why, f"{tables}{escape(way)}")


def drop_merges(random: Random, level: int, dropout: Fraction) -> Dropped:
    """A word to split by BPE-dropout."""
    counts = draw_words(random, SIZES[level])
    trace = train_bpe(corpus_of(counts), merges=DROPPED_MERGES[level])
    word, model = random.choice(list(counts)), trace.tokenizer().model
    assert isinstance(model, BpeModel)
    drawn = dropping(model.start(word), model.choices, dropout, model.vocabulary.read)
    merges = [(pair.first, pair.second) for pair in trace[-1].merges]

    def slips(split: Spelled) -> Slips:
        ways = tossed(drawn, split)
        yield from merge_dropout_slips(ways, word, merges, split, dropout)
        yield from dropout_slips(ways, dropout)

    rule = _(
        "BPE-dropout: before each merge, every place where a rule fits drops out with probability {dropout}. Of the places that are "
        "left, the one with the earliest rule is merged, the leftmost if there are several. When no place is left, the word is done."
    )
    facts = {"merges": merges}
    rule = rule.format(dropout=rate_text(dropout))
    return Dropped(word, drawn, rule, rules_html(merges), slips, facts, trace.algorithm, counts, len(trace))


def drop_matches(random: Random, level: int, dropout: Fraction) -> Dropped:
    """A word to split by MaxMatch-dropout."""
    counts = draw_words(random, SIZES[level])
    trace = train_wordpiece(corpus_of(counts), merges=2 * DROPPED_MERGES[level])
    word, model = random.choice(list(counts)), trace.tokenizer().model
    assert isinstance(model, WordPieceModel)
    start: Spelled = ()
    drawn = dropping(start, lambda pieces: model.choices(pieces, word), dropout, tuple)
    vocabulary = vocabulary_of(trace, len(trace))

    def slips(split: Spelled) -> Slips:
        singles = sum(point.sure for point in drawn.passages[split][0])
        yield "single_drops", drawn.shares[split] * (1 - dropout) ** singles
        yield from dropout_slips(tossed(drawn, split), dropout)

    rule = _(
        "MaxMatch-dropout: at each point, every token that fits and has more than one character drops out with probability {dropout}. "
        "The longest that is left is taken; a single character never drops out. ## marks tokens inside a word."
    )
    facts = {"vocabulary": vocabulary}
    rule = rule.format(dropout=rate_text(dropout))
    shown = vocabulary_html(vocabulary)
    return Dropped(word, drawn, rule, shown, slips, facts, trace.algorithm, counts, len(trace))


def tossed(drawn: Dropping, split: Spelled) -> list[list[Coins]]:
    """The random decisions on each way to a split."""
    return [[point.coins for point in passage] for passage in drawn.passages[split]]


# --- Unigram's sampling -------------------------------------------------------------------------------------


def unigram_sampling(random: Random, level: int) -> Draft:
    """How often sampling gives one split of a word."""
    least, most = SAMPLED_WAYS[level]
    while True:
        counts, trace = draw_model(random, level)
        words = [word for word in counts if least <= trace[0].lattice(word).path_count <= most]
        if words:
            break
    word, power, seed = random.choice(words), POWERS[level], dict(trace.seed)
    splits = [path.pieces for path in paths_of(trace, word)]
    split = random.choice(splits)
    products = {one: probability(one, seed) for one in splits}
    weights = {one: product**power for one, product in products.items()}
    exact = weights[split] / sum(weights.values())
    # A square root's decimals have no end: the key for grading has twelve.
    key = fraction(exact) if isinstance(exact, Fraction) else f"{exact:.12f}"
    share = Fraction(key)
    formulas = {one: raised(product_text(one, seed), power) for one in splits}
    heads = (pgettext("a word's", "Split"), _("Product") if power == 1 else _("Power"))
    begun = sheet_html(heads, ((tokens_in_line(one), escape(formulas[one])) for one in splits))
    values = {one: f"{formula} ≈ {decimal(weights[one])}" for one, formula in formulas.items()}
    text = sheet_html(heads, ((tokens_in_line(one), escape(values[one])) for one in splits))
    quotient = f"{decimal(weights[split])} / {decimal(sum(weights.values()))} ≈ {decimal(share)}"
    why = text + escape(quotient)
    rule = _(
        "Unigram's sampling: a split comes up with the product of its pieces' probabilities, divided by the sum of these products over all "
        "splits of the word."
    )
    if power != 1:
        rule = _(
            "Unigram's sampling: a split comes up with the product of its pieces' probabilities raised to the power α, divided by the sum of "
            "the same over all splits of the word. Here, α is {power}; the temperature is 1/α."
        ).format(power=power)
    request = _("How probable is it that {word} is split into {split}? Two significant digits are enough.")
    question = Question(
        "probability",
        prompt(
            rule,
            shares_table(seed),
            fill(request, word=f"<code>{escape(word)}</code>", split=tokens_in_line(split)),
        ),
        Entry(_("a fraction, or a decimal")),
        key,
        grade_number(
            share,
            why,
            why,
            decimal(share),
            slips=lambda: sampling_slips(products[split], products.values(), power),
        ),
        why,
        sentences(begun, escape(_("Divide by the sum of all."))),
    )
    facts = {"words": counts, "pieces": seed, "word": word, "split": split, "power": power}
    return Draft(question, {**facts, "paths": len(splits)}, unigram_link(counts, trace, 0))


def raised(product: str, power: Fraction) -> str:
    """A product raised to a power.

    >>> raised("1/4 × 3/4", Fraction(2)), raised("1/4", Fraction(1, 2))
    ('(1/4 × 3/4)²', '√(1/4)')
    """
    return product if power == 1 else f"({product})²" if power == 2 else f"√({product})"
