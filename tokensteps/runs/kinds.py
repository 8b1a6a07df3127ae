"""The kinds of BPE in the app: a learner's choices as the engine's arguments, and the texts for some
kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tokenizers_core.encoding.models.lattice import MAX_PIECE_LENGTH
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.training.algorithms import KINDS
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.kinds.superbpe import MOST_WORDS, SECOND_PATTERN
from tokensteps.runs.parallel import read_parallel
from tokensteps.runs.rules import COMPARE_RULES
from tokensteps.runs.settings import Recipe, characters, usual_value

WITH_TEXTS: Final = frozenset({"superbpe", "paritybpe"})
"""The kinds that need more than words and their counts."""


def kind_settings(recipe: Recipe) -> dict[str, Any]:
    """The kind and its own settings; nothing for plain BPE."""
    kind = recipe["kind"]
    return {} if kind == BpeTrace.kind else {"kind": kind, **own_settings(recipe, kind)}


def own_settings(recipe: Recipe, kind: str) -> dict[str, Any]:
    """A kind's own settings, as far as the page has them."""
    match kind:
        case "superbpe":
            return {
                "transition": recipe["transition"],
                "most_words": recipe["mostwords"] or MOST_WORDS,
                "second_pattern": recipe["second"] or SECOND_PATTERN,
            }
        case "pickybpe":
            return {"threshold": recipe["threshold"]}
        case "paritybpe":
            return {"global_merges": recipe["together"] or 0, "window": recipe["recent"]}
        case "sentencepiece_bpe" if "coverage" in recipe.values:
            return {
                "tie_rule": "shortest",
                "max_token_length": recipe["longest"] or MAX_PIECE_LENGTH,
                "initial_alphabet": characters(recipe["initial"]),
                "character_coverage": float(recipe["coverage"]),
                "byte_fallback": recipe["bytes"],
            }
    return {}


def compared_with_plain(recipe: Recipe) -> dict[str, str]:
    """Compare's parameters for plain BPE beside a recipe's kind, by the rules common to both pages."""
    values = {**recipe.values, "runs": ["bpe", recipe["kind"]], "watch": ""}
    for rule in COMPARE_RULES:
        value = values.get(rule.name)
        if value is None or (rule.kind == "choice" and value not in rule.choices):
            values[rule.name] = usual_value("compare", recipe["corpus"], rule)
    url = replace(recipe, page="compare", rules=COMPARE_RULES, values=values).url()
    return {name: value for name, value in url.items() if value is not None}


def train_kind(corpus: Corpus, *, kind: str = "plain", **settings: Any) -> BpeTrace:
    """Train a kind of BPE. For the parity-aware one the text is a table with a column for each language.
    Raises ParallelError too."""
    value = languages_of(corpus) if kind == "paritybpe" else corpus
    return KINDS[kind].train(value, **settings)


def languages_of(corpus: Corpus, texts: bool = False) -> Mapping[str, Corpus]:
    """The corpora in a table's columns, counted by the table's rules; with `texts` they know their texts."""
    rules = corpus.pipeline
    return {
        language: Corpus.from_texts(
            lines if texts else iter(lines),
            rules.normalizer,
            rules.pre_tokenizer,
            rules.pattern,
            rules.timeout,
            user_defined_symbols=rules.user_defined_symbols,
            cuts=rules.cuts,
        )
        for language, lines in read_parallel("\n".join(corpus.texts)).items()
    }
