"""Measures of a tokenizer on a text (`tokenizers_core/measures.py`).

Oracles: golden/measures.json; tokenization-scorer 1.1.8, with its figures on texts of this project in
golden/tokenization_scorer.json (it returns 0 at order 1, in place of Shannon's formula); and plain recounts
with `fractions`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import Corpus, compare, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.errors import SettingError
from tokenizers_core.measures import Measures, gini, measure, measure_parallel, measure_sizes

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests/golden/measures.json").read_text("utf-8"))
SCORER = json.loads((ROOT / "tests/golden/tokenization_scorer.json").read_text("utf-8"))
TEXT = "It was the best of times, it was the worst of times; naïve 木の枝."
COUNTS = st.dictionaries(st.integers(0, 50), st.integers(1, 500), min_size=1, max_size=20)


def of_counts(counts: Counter[str] | Counter[int] | dict[int, int], size: int = 100) -> Measures:
    return Measures(counts, words=1, whole=0, characters=1, bytes=1, size=size)


@pytest.mark.parametrize("name", "abc")
def test_the_golden_efficiencies(name: str) -> None:
    result = of_counts(Counter(GOLDEN[name]["tokens"]))
    for order, value in GOLDEN[name]["renyi_efficiency"].items():
        assert result.renyi_efficiency(float(order)) == pytest.approx(value, rel=1e-12)
    in_all = GOLDEN[name]["renyi_efficiency_in_vocabulary_of_100"]
    assert result.renyi_efficiency(vocabulary=True) == pytest.approx(in_all, rel=1e-12)


@pytest.mark.parametrize("values", GOLDEN["gini"])
def test_the_golden_gini(values: str) -> None:
    assert gini([*map(float, values.split())]) == pytest.approx(GOLDEN["gini"][values])


@pytest.mark.parametrize("name", SCORER["texts"])
def test_efficiency_is_tokenization_scorers(name: str) -> None:
    if name == "zipf":
        counts = Counter({f"t{index}": 20_000 // (index + 1) for index in range(5_000)})
    else:
        file, _space, unit = name.partition(" ")
        text = (ROOT / "assets/corpora" / file).read_text("utf-8")
        counts = Counter(text if unit else text.split())
    result = of_counts(counts, size=100_000)
    for order, value in SCORER["texts"][name]["efficiency"].items():
        assert result.renyi_efficiency(float(order)) == pytest.approx(value, rel=1e-9)
    for order, value in SCORER["texts"][name]["in_vocabulary_of_100000"].items():
        assert result.renyi_efficiency(float(order), vocabulary=True) == pytest.approx(value, rel=1e-9)


@given(COUNTS, st.sampled_from([0.0, 0.5, 0.999999, 1.0, 1.000001, 2.0, 2.5, 40.0, 900.0, math.inf]))
@examples(200)
def test_entropy_falls_with_the_order_and_efficiency_is_a_share(counts: dict[int, int], order: float) -> None:
    result = of_counts(counts)
    entropy = result.renyi_entropy(order)
    assert -1e-9 <= entropy <= math.log2(len(counts)) + 1e-9
    assert result.renyi_entropy(order + 1) <= entropy + 1e-9
    efficiency = result.renyi_efficiency(order)
    assert (efficiency is None) == (len(counts) == 1)
    even = of_counts(dict.fromkeys(counts, 7)).renyi_efficiency(order)
    assert even is None or even == pytest.approx(1)


@given(COUNTS)
@examples(60)
def test_whole_orders_are_a_sum_of_powers(counts: dict[int, int]) -> None:
    total = sum(counts.values())
    for order in (2, 3, 5):
        exact = sum(Fraction(count, total) ** order for count in counts.values())
        assert of_counts(counts).renyi_entropy(order) == pytest.approx(
            math.log2(exact) / (1 - order), abs=1e-9
        )


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=12))
@examples(100)
def test_gini_is_half_the_mean_difference(values: list[int]) -> None:
    assume(sum(values))
    differences = sum(abs(one - other) for one in values for other in values)
    assert gini(values) == pytest.approx(differences / (2 * len(values) * sum(values)), abs=1e-9)


def test_a_text_is_recounted() -> None:
    corpus = Corpus.from_texts([TEXT] * 3, pre_tokenizer="whitespace")
    for trace in (
        train_bpe(corpus, merges=12),
        train_wordpiece(corpus, merges=12),
        train_unigram(corpus, vocab_size=44),
    ):
        tokenizer = trace.tokenizer()
        result, encoding = measure(tokenizer, TEXT), tokenizer.encode(TEXT)
        words = TEXT.split()
        assert result.tokens == len(encoding) and result.words == len(words)
        assert result.fertility == len(encoding) / len(words)
        assert result.tokens_per_character == len(encoding) / len(TEXT)
        assert result.bytes_per_token == len(TEXT.encode()) / len(encoding)
        assert result.tokens_per_byte == pytest.approx(1 / (result.bytes_per_token or 0))
        assert result.vocabulary_used == len({*encoding.ids}) / len(tokenizer.tokens)
        starts = [TEXT.index(word) for word in dict.fromkeys(words)]
        own = {word: sum(start <= first < start + len(word) for first, _ in encoding.offsets)
               for word, start in zip(dict.fromkeys(words), starts, strict=True)}  # fmt: skip
        assert result.whole == sum(own[word] == 1 for word in words), "no word is in another one here"


def test_an_unknown_word_is_not_whole() -> None:
    tokenizer = train_wordpiece(Corpus.from_counts({"hug": 3, "pug": 2}), merges=9).tokenizer()
    result = measure(tokenizer, "hug xyz hug")
    assert (result.words, result.whole, result.unknown, result.tokens) == (3, 2, 1, 3)


def test_nothing_to_divide_by() -> None:
    tokenizer = train_bpe(Corpus.from_counts({"hug": 3}), merges=1).tokenizer()
    result = measure(tokenizer, "")
    values = (result.fertility, result.tokens_per_character, result.tokens_per_byte, result.bytes_per_token,
              result.whole_words, result.renyi_efficiency())  # fmt: skip
    assert values == (None,) * 6 and result.vocabulary_used == 0
    for order in (-1.0, math.nan):
        with pytest.raises(SettingError, match="at least 0"):
            result.renyi_entropy(order)


def test_parallel_lines() -> None:
    tokenizer = train_bpe(Corpus.from_texts(["to be"]), merges=9, alphabet="bytes").tokenizer()
    result = measure_parallel(tokenizer, {"en": ["to be", "be"], "fr": ["être", "à"], "ru": ["быть", "и"]})
    sizes = {name: sum(len(tokenizer.encode(line)) for line in lines)
             for name, lines in (("en", ["to be", "be"]), ("fr", ["être", "à"]), ("ru", ["быть", "и"]))}  # fmt: skip
    assert result.tokens == sizes and result.per_line["fr"] == sizes["fr"] / 2
    assert result.premium == {name: size / sizes["en"] for name, size in sizes.items()}
    assert result.gini == gini([*sizes.values()])


def test_incomparable_parallel_lines() -> None:
    tokenizer = train_wordpiece(Corpus.from_counts({"hug": 3}), merges=9).tokenizer()
    result = measure_parallel(tokenizer, {"en": ["hug"], "xx": ["ñ"]})
    assert result.premium == {"en": 1.0, "xx": None} and result.unknown["xx"] == 1
    with pytest.raises(SettingError, match="de has 1 line and en has 2"):
        measure_parallel(tokenizer, {"en": ["a", "b"], "de": ["a"]})
    for nothing in ({}, {"en": []}):
        with pytest.raises(SettingError, match="at least one line"):
            measure_parallel(tokenizer, nothing)


def test_sizes_are_those_of_the_tokenizers_there() -> None:
    """At each size, the same as encoding the corpus's words with the tokenizer after that step."""
    corpus = Corpus.from_texts([TEXT, "it is the best"], pre_tokenizer="whitespace")
    comparison = compare(corpus, vocab_size=45)
    positions = range(len(comparison) + 1)
    for index, row in zip(positions, measure_sizes(comparison, positions), strict=True):
        for side, result in zip(comparison.sides, row, strict=True):
            step = side.steps[index]
            assert (result is None) == (step is None)
            if result is None or step is None:
                continue
            tokenizer = side.trace.tokenizer(step)
            counts: Counter[str] = Counter()
            whole = 0
            for word, number in corpus.items():
                split = [tokenizer.tokens[one] for one in tokenizer.model.encode_word(word)]
                whole += number * (len(split) == 1)
                for token in split:
                    counts[token] += number
            assert result.tokens == counts.total() and result.different == len(counts)
            assert result.whole == whole and sorted(result.counts.values()) == sorted(counts.values())
            assert result.bytes == sum(len(word.encode()) * number for word, number in corpus.items())
