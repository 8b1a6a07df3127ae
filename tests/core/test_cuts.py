"""Digits, scripts, splitters of one's own and replacements, for all three algorithms (`Pipeline.cuts`,
`Replace`).

Oracle: the `tokenizers` library with the same parts in a sequence: its pre-tokens with their places, its
training on 200 KB, and its reading of our files. Its tables of scripts are older than those of `regex`, so
characters assigned since aren't compared.
"""

from __future__ import annotations

import json
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers as theirs

from tests.samples import examples
from tokenizers_core import (
    Corpus,
    Pipeline,
    tokenizer_from_json,
    tokenizer_to_json,
    train_bpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.errors import PatternError, SettingError
from tokenizers_core.text.cutting import BEHAVIORS, DIGITS, CutAt, Cutter, Scripts
from tokenizers_core.text.rewriting import Replace

NAMES = {
    "Removed": "removed",
    "Isolated": "isolated",
    "MergedWithPrevious": "merged_with_previous",
    "MergedWithNext": "merged_with_next",
    "Contiguous": "contiguous",
}
BASES: dict[str, list[Any]] = {
    "whitespace_split": [theirs.WhitespaceSplit()],
    "whitespace": [theirs.Whitespace()],
    "bert": [theirs.BertPreTokenizer()],
    "whitespace_split_metaspace": [theirs.WhitespaceSplit(), theirs.Metaspace()],
    "metaspace": [theirs.Metaspace()],
    "byte_level": [theirs.ByteLevel(add_prefix_space=False, use_regex=True)],
}
GROUPS = {"left": r"\p{N}{1,3}", "right": r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"}
CUTS: dict[str, tuple[Cutter, Any]] = {
    "each": (DIGITS["each"], theirs.Digits(individual_digits=True)),
    "runs": (DIGITS["runs"], theirs.Digits(individual_digits=False)),
    **{name: (DIGITS[name], theirs.Split(tokenizers.Regex(GROUPS[name]), "isolated")) for name in GROUPS},
    "scripts": (Scripts(), theirs.UnicodeScripts()),
    **{
        behavior: (CutAt("[aeiou]-?", behavior), theirs.Split(tokenizers.Regex("[aeiou]-?"), NAMES[behavior]))
        for behavior in BEHAVIORS
    },
}
TEXTS = [
    "in 1984 and 2026, 12345678 of ½ or ٣٤٥٦",
    "apple リンゴ яблоко 林檎ー3 x",
    "a-e-i o-u, queue-e",
    "   1  22   333 4444",
    "",
]
text = st.text("ab e-1234567٣リжー林 ,.", max_size=24)


def library(base: str, *cuts: str) -> Any:
    parts = [CUTS[name][1] for name in cuts]
    if base == "byte_level":  # the byte alphabet comes last
        pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
        split = theirs.Split(tokenizers.Regex(pattern), "isolated")
        return theirs.Sequence([split, *parts, theirs.ByteLevel(add_prefix_space=False, use_regex=False)])
    return theirs.Sequence([*BASES[base], *parts])


def pipeline(base: str, *cuts: str, **others: Any) -> Pipeline:
    return Pipeline(pre_tokenizer=base, cuts=tuple(CUTS[name][0] for name in cuts), **others)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("name", CUTS)
def test_pre_tokens_and_their_places_are_the_librarys(base: str, name: str) -> None:
    for line in TEXTS:
        expected = [(word, span) for word, span in library(base, name).pre_tokenize_str(line)]
        results = [(word.text, (word.start, word.end)) for word in pipeline(base, name).words(line)]
        assert results == expected
        assert pipeline(base, name).split(line) == [word for word, _span in expected]


@examples(150)
@given(text, st.sampled_from([*BASES]), st.lists(st.sampled_from([*CUTS]), min_size=1, max_size=3))
def test_several_cuts_in_turn(line: str, base: str, names: list[str]) -> None:
    expected = [word for word, _span in library(base, *names).pre_tokenize_str(line)]
    assert pipeline(base, *names).split(line) == expected


def test_groups_of_three_from_either_side() -> None:
    words = {
        name: pipeline("whitespace_split", name).split("12345678 1 1234")
        for name in ("left", "right", "each", "runs")
    }
    assert words["left"] == ["123", "456", "78", "1", "123", "4"]
    assert words["right"] == ["12", "345", "678", "1", "1", "234"]
    assert words["each"][:3] == ["1", "2", "3"] and words["runs"] == ["12345678", "1", "1234"]


@cache
def large() -> list[str]:
    """Two hundred kilobytes of the standard library's sources, line by line."""
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("[a-d]*.py"))
    return "".join(path.read_text("utf-8") for path in paths)[:200_000].splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("names", [("each",), ("right",), ("scripts",), ("Isolated", "left")])
def test_bpe_on_two_hundred_kilobytes_as_in_the_library(names: tuple[str, ...]) -> None:
    """The same merges; and our file, read by the library, gives the same ids."""
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=756, show_progress=False, initial_alphabet=theirs.ByteLevel.alphabet()
    )
    trained = tokenizers.Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = library("byte_level", *names)
    trained.train_from_iterator(large(), trainer)
    corpus = Corpus.from_texts(large(), timeout=60, cuts=pipeline("byte_level", *names).cuts)
    trace = train_bpe(corpus, 756, alphabet="bytes", tie_rule="lowest_ids")
    merges = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["merges"]]
    assert [tuple(trace.pair_of(step)) for step in range(1, len(trace) + 1)] == merges
    ours = trace.tokenizer()
    read = tokenizers.Tokenizer.from_str(tokenizer_to_json(ours))
    for line in [*large()[:200], *TEXTS]:
        assert read.encode(line).ids == ours.ids(line)
    assert tokenizer_from_json(tokenizer_to_json(ours)).ids(large()[5]) == ours.ids(large()[5])


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("name", ["each", "right", "scripts", "MergedWithPrevious"])
def test_all_three_algorithms_and_their_files(algorithm: str, name: str) -> None:
    base = {"bpe": "whitespace_split", "wordpiece": "bert", "unigram": "whitespace_split_metaspace"}[
        algorithm
    ]
    corpus = Corpus.from_texts([*TEXTS, *TEXTS, "ab 12 abc 123"], pre_tokenizer=base, cuts=(CUTS[name][0],))
    trace: Any = {
        "bpe": lambda: train_bpe(corpus),
        "wordpiece": lambda: train_wordpiece(corpus),
        "unigram": lambda: train_unigram(corpus, 300, 80),
    }[algorithm]()
    tokenizer = trace.tokenizer()
    read = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    for line in TEXTS:
        assert read.encode(line).ids == tokenizer.ids(line)
        assert tokenizer.encode(line).offsets == read.encode(line).offsets
    if name == "each":
        assert not any(sum(map(str.isdecimal, token)) > 1 for token in trace[-1].vocab)


def test_a_replacement_comes_before_the_normalizer() -> None:
    number = Replace("[0-9]+", "0", literal=False)
    normalizer = (number, "lowercase")
    corpus = Corpus.from_texts(["In 1984 and 2026"], normalizer=normalizer, pre_tokenizer="whitespace_split")
    assert dict(corpus.items()) == {"in": 1, "0": 2, "and": 1}
    tokenizer = train_bpe(corpus).tokenizer()
    read = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    assert read.encode("IN 77").ids == tokenizer.ids("IN 77") and tokenizer.encode("IN 77").tokens == [
        "in",
        "0",
    ]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"cuts": (CutAt("("),)}, PatternError, r"\("),
        ({"normalizer": (Replace("(", "", literal=False),)}, PatternError, r"\("),
        ({"cuts": (DIGITS["each"],), "pre_tokenizer": "end_of_word"}, SettingError, "end at each cut"),
    ],
)
def test_invalid_cuts(settings: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        Pipeline(**settings)


def test_without_cuts_nothing_is_composed() -> None:
    plain = Pipeline()
    assert (
        plain.only_named_parts
        and plain.rules == ("none", "byte_level", "gpt2")
        and type(plain.splitter()).__name__ == "Splitter"
    )
    assert (
        not pipeline("byte_level", "each").only_named_parts
        and pipeline("byte_level", "each").rules != plain.rules
    )
