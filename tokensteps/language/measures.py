"""The words of measures: each one's meaning, its formula with the numbers put in, and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from tokenizers_core.measures import Measures, ParallelMeasures
from tokensteps.language.i18n import N_, _, count


class MeasureWords(NamedTuple):
    """A measure in words, all to be translated."""

    name: str
    definition: str
    formula: str
    silent: str
    """Its limits."""
    tab: str
    """The playground's tab with its ingredients."""


MEASURES: Final[Mapping[str, MeasureWords]] = {
    "fertility": MeasureWords(
        N_("Tokens per word (fertility)"),
        N_("How many tokens a word takes on average. A word is the text between whitespace."),
        N_("tokens / words"),
        N_(
            "It says little where a script puts no spaces between words, and a larger vocabulary always looks better. A shorter text isn't always one that a model learns better."
        ),
        N_("Costly words"),
    ),
    "whole_words": MeasureWords(
        N_("Whole words"),
        N_("The share of words that are one token, and known."),
        N_("words of one token / words"),
        N_("Not whether the others are split at sensible places: “un·known” and “unk·nown” count alike."),
        N_("Costly words"),
    ),
    "tokens_per_character": MeasureWords(
        N_("Tokens per character"),
        N_("How many tokens a character takes on average. Characters are Unicode's code points."),
        N_("tokens / characters"),
        N_(
            "A character of one script may say as much as a word of another: don't compare Chinese with English by it."
        ),
        N_("Counts"),
    ),
    "tokens_per_byte": MeasureWords(
        N_("Tokens per byte"),
        N_("How many tokens a byte of UTF-8 takes on average; below 1 wherever anything is compressed."),
        N_("tokens / bytes"),
        N_(
            "UTF-8 itself writes Latin letters in one byte and Devanagari in three, so scripts don't start alike."
        ),
        N_("Counts"),
    ),
    "bytes_per_token": MeasureWords(
        N_("Bytes per token (compression)"),
        N_("How many bytes of UTF-8 a token stands for on average."),
        N_("bytes / tokens"),
        N_("The same as tokens per byte, the other way round: nothing of how often each token occurs."),
        N_("Counts"),
    ),
    "vocabulary_used": MeasureWords(
        N_("Vocabulary used"),
        N_("The share of the vocabulary that occurs in the text."),
        N_("different tokens / vocabulary"),
        N_(
            "It grows with the text: compare tokenizers on the same text only. A short text can't use a large vocabulary."
        ),
        N_("Tokens by count"),
    ),
    "renyi_efficiency": MeasureWords(
        N_("Rényi efficiency"),
        N_(
            "How evenly the tokens are used: Rényi's entropy of their shares, divided by the largest that so many tokens could have. 1 means that all occur equally often."
        ),
        N_("log₂(Σ pᵅ) / (1 − α) / log₂ V"),
        N_(
            "It agreed with the quality of English–German translation at order 2.5; tokenizers made worse on purpose can score higher (Cognetta et al. 2024). Say over which V: the tokens that occur, or all."
        ),
        N_("Tokens by count"),
    ),
    "premium": MeasureWords(
        N_("Premium"),
        N_("How many times as many tokens the same lines take in another language as in the first."),
        N_("tokens of the language / tokens of the first language"),
        N_("Translations differ in length whatever the tokenizer, and forty lines are few."),
        N_("Languages"),
    ),
    "gini": MeasureWords(
        N_("Gini coefficient"),
        N_("How unequal the tokens per line are among the languages: 0 where all take as many."),
        N_("Σ |tᵢ − tⱼ| / (2 n Σ t)"),
        N_("Not which language pays: a tokenizer that is equally bad for all has 0, too."),
        N_("Languages"),
    ),
}
"""Measure → its words, in the order of a table; the last two are of parallel lines."""
OF_TEXT: Final = tuple(name for name in MEASURES if name not in ("premium", "gini"))
"""The measures of a text by itself."""
SHARES: Final = frozenset({"whole_words", "vocabulary_used"})
"""The measures in percent."""


def value_of(measures: Measures, name: str, order: float, vocabulary: bool) -> float | None:
    """One of the measures of a text; `order` and `vocabulary` are for Rényi's efficiency."""
    if name == "renyi_efficiency":
        return measures.renyi_efficiency(order, vocabulary)
    value: float | None = getattr(measures, name)
    return value


def measure_text(name: str, value: float | None) -> str:
    """A measure's value as it is shown.

    >>> measure_text("fertility", 1.23456), measure_text("whole_words", 0.5), measure_text("fertility", None)
    ('1.2346', '50.00 %', '–')
    """
    if value is None:
        return "–"
    return f"{100 * value:.2f} %" if name in SHARES else f"{value:.4f}"


_PARTS: Final[Mapping[str, Callable[[Measures], tuple[int, int]]]] = {
    "fertility": lambda measures: (measures.tokens, measures.words),
    "whole_words": lambda measures: (measures.whole, measures.words),
    "tokens_per_character": lambda measures: (measures.tokens, measures.characters),
    "tokens_per_byte": lambda measures: (measures.tokens, measures.bytes),
    "bytes_per_token": lambda measures: (measures.bytes, measures.tokens),
    "vocabulary_used": lambda measures: (measures.different, measures.size),
}
"""Dividend and divisor."""


def put_in(measures: Measures, name: str, order: float, vocabulary: bool) -> str:
    """A measure's formula with the numbers of a text.

    >>> from collections import Counter
    >>> measures = Measures(Counter(the=3, cat=1, sat=1), words=5, whole=5, characters=19, bytes=19, size=100)
    >>> put_in(measures, "fertility", 2.5, False), put_in(measures, "renyi_efficiency", 2.5, False)
    ('5 / 5 = 1.0000', '1.1122 / log₂ 3 = 1.1122 / 1.5850 = 0.7017')
    """
    value = value_of(measures, name, order, vocabulary)
    if name != "renyi_efficiency":
        top, bottom = _PARTS[name](measures)
        return f"{count(top)} / {count(bottom)} = {measure_text(name, value)}"
    size = measures.size if vocabulary else measures.different
    entropy = f"{measures.renyi_entropy(order):.4f}"
    if not value:
        return f"{entropy} / log₂ {count(size)}"
    most = f"{measures.renyi_entropy(order) / value:.4f}"
    return f"{entropy} / log₂ {count(size)} = {entropy} / {most} = {measure_text(name, value)}"


def parallel_put_in(measures: ParallelMeasures, names: Mapping[str, str]) -> dict[str, str]:
    """The formulas of premium and Gini with the numbers of some lines; `names` are the languages' own.

    >>> measures = ParallelMeasures(10, {"en": 20, "de": 30}, {"en": 0, "de": 0})
    >>> parallel_put_in(measures, {"en": "English", "de": "German"})
    {'premium': 'German: 30 / 20 = 1.5000', 'gini': '2 × 1.0 / (2 × 2 × 5.0) = 0.1000'}
    """
    first, *others = measures.tokens
    lines = [
        f"{names.get(language, language)}: {count(measures.tokens[language])} / {count(measures.tokens[first])} = {measure_text('premium', measures.premium[language])}"
        for language in others
    ]
    rates = [*measures.per_line.values()]
    apart = sum(abs(one - other) for index, one in enumerate(rates) for other in rates[:index])
    gini = f"2 × {apart:.1f} / (2 × {len(rates)} × {sum(rates):.1f}) = {measure_text('gini', measures.gini)}"
    return {"premium": " · ".join(lines), "gini": gini}


def measure_name(name: str) -> str:
    """A measure's name, in the language in use."""
    return _(MEASURES[name].name)
