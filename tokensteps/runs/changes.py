"""“What if”: a run, and the same run with exactly one thing changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tokenizers_core.counterfactual.recounting import with_count
from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.reading import decode_text
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.limits import VOCABULARY_LIMIT
from tokensteps.runs.algorithms import ALGORITHMS, Run
from tokensteps.runs.corpora import Source
from tokensteps.runs.rules import Setting
from tokensteps.runs.settings import Recipe

COUNTS_FLIPPED: Final = 100
"""Counts of a word drawn at once, for a slider without the server: one with more would be too fine to use."""
WHATIF_HERE: Final = 400_000
"""Symbols × steps × counts up to which all those runs are trained in the server's own process: half a second,
once for all visitors."""

COUNT: Final = "count"
"""One word occurs more or less often, or not at all."""
ADD: Final = "add"
"""A word comes in."""
DOUBLE: Final = "double"
"""One line of the text is there twice."""
NEVER_CHANGED: Final = frozenset({"size", "special"})
"""Rules without influence on the choices."""
FEWEST_COUNTS: Final = 12
"""A word's count can be moved up to this number at least."""


@dataclass(frozen=True)
class Change:
    """One change to a run."""

    what: str
    """`COUNT`, `ADD`, `DOUBLE`, or the name of a rule."""
    of: str = ""
    """The word in the model's form; the new text; the number of the line, from 1."""
    to: Any = None
    """The count, or the rule's value."""


def rules_to_change(recipe: Recipe) -> list[Setting]:
    """The changeable rules that apply to a run, in the page's order."""
    by_name = {rule.name: rule for rule in recipe.rules}

    def applies(rule: Setting) -> bool:
        if rule.when is None:
            return True
        name, *values = rule.when
        return name in by_name and recipe[name] in values and applies(by_name[name])

    return [rule for rule in recipe.rules if rule.name not in NEVER_CHANGED and applies(rule)]


def documents(source: Source) -> list[str]:
    """The lines of a text, as candidates for doubling; none for word counts, or for a text that isn't split
    at lines."""
    if source.counts or not source.lines:
        return []
    return [line for line in decode_text(source.data).text.splitlines() if line.strip()]


def changed(run: Run[AnyTrace], recipe: Recipe, corpus: Corpus, change: Change) -> Run[AnyTrace]:
    """The run with one thing changed; `recipe` is its origin, `corpus` its corpus.

    Raises the engine's errors for a senseless rule or text.
    """
    match change.what:
        case "count":
            return replace(run, source=replace(run.source, recount=((change.of, change.to),)))
        case "add":
            return replace(run, source=replace(run.source, recount=added(corpus, change.of, change.to)))
        case "double":
            line = documents(run.source)[int(change.of) - 1]
            text = decode_text(run.source.data).text
            return replace(run, source=replace(run.source, data=f"{text}\n{line}".encode()))
    values = {**recipe.values, change.what: change.to}
    if (recipe.values.get("kind"), change) == ("paritybpe", Change("kind", to="plain")):
        # All languages choose together: as a plain text, their table would include its head.
        return replace(run, settings={**run.settings, "global_merges": VOCABULARY_LIMIT})
    if (size := size_along(recipe, corpus, change)) is not None:
        values["size"] = size
    other = replace(recipe, values=values)
    result = ALGORITHMS[run.algorithm.name].run(other)
    return run if result is None else result


def size_along(recipe: Recipe, corpus: Corpus, change: Change) -> int | None:
    """The vocabulary size after a change of the alphabet, with room for as many merges as before; None if it
    stays."""
    if recipe["size"] is None:
        return None
    if change.what == "bytes" and recipe["pre"] != "byte_level":
        with_bytes: int = recipe["size"] + (len(BYTE_TOKENS) if change.to else -len(BYTE_TOKENS))
        return with_bytes
    if change.what != "alphabet":
        return None
    symbols = len({*BYTE_TO_SYMBOL} - set().union(*corpus.words))
    size: int = recipe["size"] + (symbols if change.to == "bytes" else -symbols)
    return size


def added(corpus: Corpus, text: str, times: int) -> tuple[tuple[str, int], ...]:
    """The new counts of a text's words, each raised by `times` for each of its occurrences."""
    rules = corpus.pipeline
    words = Corpus.from_counts(
        {text: times},
        rules.normalizer,
        rules.pre_tokenizer,
        rules.pattern,
        rules.timeout,
        rules.user_defined_symbols,
        rules.cuts,
    )
    there = dict(corpus.items())
    return tuple((word, there.get(word, 0) + number) for word, number in words.items())


def highest_count(number: int) -> int:
    """The highest count to choose for a word with the count `number`."""
    return max(FEWEST_COUNTS, 3 * number)


def all_counts_at_once(trace: AnyTrace, number: int) -> bool:
    """Whether the runs for every count of a word, now `number`, may be trained in the server's own
    process."""
    symbols = sum(map(len, trace.corpus.words))
    trainings = highest_count(number) + 1
    return trainings <= COUNTS_FLIPPED and symbols * len(trace) * trainings <= WHATIF_HERE


def recounted(run: Run[AnyTrace], trace: AnyTrace, word: str, number: int) -> AnyTrace:
    """The run with one word's count changed, trained here and now."""
    if trace.word_frequencies[word] == number:
        return trace
    return run.algorithm.train(with_count(trace.corpus, word, number), **run.settings)


def counts_to_try(corpus: Corpus, word: str) -> Sequence[int]:
    """The counts to choose for a word: 0 leaves it out, unless it is the only word."""
    number = corpus.counts[corpus.words.index(word)]
    return range(0 if len(corpus) > 1 else 1, highest_count(number) + 1)
