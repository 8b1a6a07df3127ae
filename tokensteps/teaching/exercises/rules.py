"""Exercises on BPE under a rule: no token above a length, a symbol kept whole, digits one by one."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final, NamedTuple

from tokenizers_core import Corpus, Pair, train_bpe
from tokenizers_core.text.cutting import DIGITS
from tokenizers_core.training.bpe import BpeTrace
from tokensteps.drawing.tokens import PLAIN, fill, pair_chips, pair_text
from tokensteps.language.i18n import N_, _, count, ngettext, sentences
from tokensteps.teaching.events import merge_at
from tokensteps.teaching.exercises.bpe_kinds import with_traps
from tokensteps.teaching.exercises.merging import MERGES_BEFORE, MERGING_ATTEMPTS, bpe_rule, fits_level
from tokensteps.teaching.exercises.words import (
    SIZES,
    Draft,
    Size,
    draw_words,
    link_to,
    prompt,
    words_table,
)
from tokensteps.teaching.merge_questions import ask_pair
from tokensteps.teaching.questions import Verdict, wrong
from tokensteps.teaching.slips.merging import PairName, count_all

FORGOTTEN: Final[Mapping[str, str]] = {
    "longest": N_("{pair} would make a token of too many characters."),
    "kept": N_("{pair} would join a symbol that is kept whole with its neighbor."),
    "digits": N_("{pair} would join a digit with its neighbor."),
}
"""A rule, by its name in links → the sentence on a forbidden pair. The slip has the same name, with
“_forgotten”."""
NUMBERS: Final = ("10", "12", "20", "21")
"""Numbers at the ends of words."""


class Ruled(NamedTuple):
    """A run under a rule, and the words as they are written."""

    rule: str
    value: str
    """As it is in a link."""
    counts: Mapping[str, int]
    trace: BpeTrace

    def written(self, step: int) -> dict[str, list[str]]:
        """Each whole word, in its tokens after so many merges, with cut-out symbols in their places."""
        pipeline, splits = self.trace.corpus.pipeline, self.trace[step].splits()
        result = {}
        for word in self.counts:
            tokens: list[str] = []
            stretches = pipeline.around_symbols(word) if pipeline.user_defined_symbols else [(word, "")]
            for stretch, symbol in stretches:
                tokens += [token for part in pipeline.split(stretch) for token in splits[part]]
                tokens += [symbol] if symbol else []
            result[word] = tokens
        return result

    def forbidden(self, step: int) -> list[PairName]:
        """The neighbors frequent enough for the next merge, but kept apart by the rule."""
        allowed = {tuple(one.pair) for one in self.trace.candidates(step)}
        pairs = count_all(self.written(step), self.counts).pairs
        least = merge_at(self.trace, step + 1).freq
        return [pair for pair, number in pairs.items() if number >= least and pair not in allowed]


def under_rule(random: Random, rule: str, size: Size) -> Ruled | None:
    """A run under a rule on words at random; None where these words don't go with it."""
    counts = draw_words(random, size)
    settings: dict[str, Any] = {}
    corpus: dict[str, Any] = {}
    if rule == "longest":
        value = str(random.choice((2, 3)))
        settings["max_token_length"] = int(value)
    elif rule == "kept":
        inside = {word[start : start + 2] for word in counts for start in range(len(word) - 1)}
        shared = sorted(one for one in inside if sum(one in word for word in counts) > 1)
        if not shared:
            return None
        value = random.choice(shared)
        corpus["user_defined_symbols"] = (value,)
    else:
        value, number = "each", random.choice(NUMBERS)
        counts = {word + number * (random.random() < 0.75): times for word, times in counts.items()}
        corpus["cuts"] = (DIGITS["each"],)
    if all(word == value for word in counts):
        return None
    trace = train_bpe(Corpus.from_counts(counts, **corpus), **settings)
    return Ruled(rule, value, counts, trace)


def draw_ruled(random: Random, level: int) -> tuple[Ruled, int]:
    """A run of this level, and a step before a merge where forgetting the rule would lead to another pair."""
    fits = fits_level(random, level)
    rule = random.choice([*FORGOTTEN])
    step = MERGES_BEFORE[level] + (rule == "longest")  # before the first merge no pair makes a long token
    result = None
    for _attempt in range(MERGING_ATTEMPTS):
        ruled = under_rule(random, rule, SIZES[level])
        if ruled is None or len(ruled.trace) <= step or ruled.trace[step].pair_count < 2:
            continue
        if ruled.forbidden(step):
            result = ruled
            if fits(ruled.trace, step):
                break
    if result is None:
        raise ValueError(f"No words of level {level} go with the rule {rule}.")
    return result, step


def rule_text(ruled: Ruled) -> str:
    """The rule as the prompt says it: plain text."""
    match ruled.rule:
        case "longest":
            message = ngettext(
                "Here a token has at most {number} character.",
                "Here a token has at most {number} characters.",
                int(ruled.value),
            )
            return message.format(number=count(int(ruled.value)))
        case "kept":
            message = _(
                "Here “{symbol}” is kept whole: it is cut out of the words before anything is counted, and never merged."
            )
            return message.format(symbol=ruled.value)
    return _("Here digits are kept one by one: words are cut at each digit, and no digit is ever merged.")


def bpe_under_rule(random: Random, level: int) -> Draft:
    """The next merge of BPE under a rule, with the frequent but forbidden pairs among the choices."""
    ruled, step = draw_ruled(random, level)
    chosen = merge_at(ruled.trace, step + 1).pair

    def trap(pair: PairName) -> Verdict:
        mine = fill(_(FORGOTTEN[ruled.rule]), pair=pair_chips(Pair(*pair)))
        text = fill(_("The next merge is {pair}."), pair=pair_chips(chosen))
        return wrong(sentences(mine, text), mine, f"{ruled.rule}_forgotten")

    prompt_html = prompt(
        sentences(bpe_rule(), rule_text(ruled)),
        words_table(ruled.written(step), ruled.counts),
        _("Which pair is merged next?"),
    )
    traps = {pair_text(Pair(*pair), PLAIN): trap(pair) for pair in ruled.forbidden(step)}
    facts = {"words": dict(ruled.counts), "step": step, "rule": ruled.rule, "value": ruled.value}
    link = link_to(ruled.trace.algorithm, ruled.counts, step=str(step), **{ruled.rule: ruled.value})
    return Draft(with_traps(ask_pair(ruled.trace, step, PLAIN), traps, prompt_html), facts, link)
