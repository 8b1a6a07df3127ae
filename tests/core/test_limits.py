"""Limits on training: the length of tokens, and the alphabet (`tokenizers_core/training/options/`).

Oracles: the `tokenizers` library's `BpeTrainer` with the same limits, step by step, on 200 KB of text and on
generated corpora (it breaks ties by ids); SentencePiece for the characters kept by a coverage; for WordPiece
a recount at each step. The library wants one more for `max_token_length`, and always makes a pair of two
characters.
"""

from __future__ import annotations

import io
import json
import pickle
import sysconfig
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sentencepiece
import tokenizers
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import Corpus, tokenizer_to_json, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.errors import SettingError, WrongTypeError
from tokenizers_core.training.options.limits import Limits, characters_of, left_out


def library(texts: list[str], merges: int, **limits: Any) -> tuple[list[str], list[tuple[str, str]]]:
    """The library's alphabet and merges."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    if longest := limits.pop("max_token_length", None):
        limits["max_token_length"] = longest + 1
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=100_000, show_progress=False, **limits)
    tokenizer.train_from_iterator(texts, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    symbols = sorted(token for token in model["vocab"] if len(token) == 1)
    return symbols, [(first, second) for first, second in model["merges"][:merges]]


@cache
def large() -> list[str]:
    """Two hundred kilobytes of the standard library's sources, line by line."""
    lines: list[str] = []
    size = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-d]*.py")):
        for line in path.read_text("utf-8").splitlines():
            size += len(line) + 1
            if size > 200_000:
                return lines
            lines.append(line)
    raise AssertionError("the standard library is larger")


@pytest.mark.parametrize(
    "limits",
    [
        {"max_token_length": 4},
        {"max_token_length": 2},
        {"limit_alphabet": 40},
        {"initial_alphabet": ["é", "ü", "a"]},
        {"limit_alphabet": 30, "initial_alphabet": ["é", "Z"], "max_token_length": 6},
    ],
)
def test_two_hundred_kilobytes_as_in_the_library(limits: dict[str, Any]) -> None:
    corpus = Corpus.from_texts(large(), pre_tokenizer="whitespace_split")
    trace = train_bpe(corpus, merges=600, tie_rule="lowest_ids", **limits)
    symbols, pairs = library(large(), 600, **limits)
    assert sorted(trace.alphabet) == symbols
    assert [tuple(trace.pair_of(step)) for step in range(1, len(trace) + 1)] == pairs
    assert len(trace) == 600
    if longest := limits.get("max_token_length"):
        assert max(map(len, trace.tokens)) == longest
        assert any(trace[step].excluded for step in range(1, 601, 50)) or longest == 6


words = st.dictionaries(st.text("abcdé", min_size=1, max_size=9), st.integers(1, 5), min_size=1, max_size=9)


@examples(200)
@given(words, st.integers(2, 5), st.integers(0, 4), st.sampled_from(["", "z", "za"]))
def test_small_corpora_as_in_the_library(
    counts: dict[str, int], longest: int, letters: int, initial: str
) -> None:
    texts = [word for word, count in counts.items() for _ in range(count)]
    corpus = Corpus.from_counts(counts)
    limits: dict[str, Any] = {"max_token_length": longest, "initial_alphabet": [*initial]}
    if letters:
        assume(_cut_is_clear(corpus, letters, initial))
        limits["limit_alphabet"] = letters
    trace = train_bpe(corpus, tie_rule="lowest_ids", **limits)
    symbols, pairs = library(texts, len(trace) + 5, **limits)
    assert sorted(trace.alphabet) == symbols
    assert [tuple(trace.pair_of(step)) for step in range(1, len(trace) + 1)] == pairs
    assert [trace[step].event.tied_count for step in range(1, len(trace) + 1)] == list(trace.tied_counts())  # type: ignore[union-attr]
    assert pickle.loads(pickle.dumps(trace)) == trace


def _cut_is_clear(corpus: Corpus, letters: int, initial: str) -> bool:
    """Whether the library has no choice: it takes any of several equally frequent characters."""
    order = sorted(
        (count for one, count in characters_of(corpus).items() if one not in initial), reverse=True
    )
    position = letters - len({*initial})
    return position >= 0 and (
        position == 0 or position >= len(order) or order[position - 1] > order[position]
    )


def test_a_prefix_that_words_begin_with() -> None:
    """Where a word begins, `#` is the character; inside, `##` is."""
    corpus = Corpus.from_counts({"#ab": 5, "##b": 3, "bb": 2})
    trace = train_bpe(corpus, continuing_subword_prefix="#", limit_alphabet=2)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(continuing_subword_prefix="#"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.BpeTrainer(
        show_progress=False, limit_alphabet=2, continuing_subword_prefix="#"
    )
    tokenizer.train_from_iterator(["#ab"] * 5 + ["##b"] * 3 + ["bb"] * 2, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    assert [list(trace.pair_of(step)) for step in range(1, len(trace) + 1)] == model["merges"]
    assert [*trace.alphabet] == ["#", "##", "#b", "b"] and {*trace.tokens} == {*model["vocab"]}
    assert [*left_out(corpus, trace.alphabet, "#")] == ["a"]


@examples(100)
@given(words, st.integers(1, 4), st.integers(0, 4))
def test_wordpiece_merges_the_best_pair_that_is_allowed(
    counts: dict[str, int], longest: int, letters: int
) -> None:
    """Each step recounted: no pair short enough scores better, and the excluded ones would have won."""
    limits: dict[str, Any] = {"max_token_length": longest} | ({"limit_alphabet": letters} if letters else {})
    trace = train_wordpiece(Corpus.from_counts(counts), **limits)
    for step in range(1, len(trace) + 1):
        pairs: Counter[tuple[str, str]] = Counter()
        symbols: Counter[str] = Counter()
        for word, split in trace[step - 1].splits().items():
            for pair in pairwise(split):
                pairs[pair] += counts[word]
            for symbol in split:
                symbols[symbol] += counts[word]
        scores = {pair: Fraction(count, symbols[pair[0]] * symbols[pair[1]]) for pair, count in pairs.items()}
        short = {pair for pair in pairs if len("".join(pair).replace("##", "")) <= longest}
        event: Any = trace[step].event
        assert tuple(event.pair) in short and scores[event.pair] == max(scores[pair] for pair in short)
        out = {tuple(one.candidate.pair) for one in trace[step].excluded}
        assert (
            out >= {pair for pair in pairs if pair not in short and scores[pair] > scores[event.pair]}
            and not out & short
        )
    if len(trace) < 12 and trace.stop_reason == "bounds":
        assert any(
            len("".join(pair).replace("##", "")) > longest
            for word in trace[-1].splits().values()
            for pair in pairwise(word)
        )


@examples(25)
@given(st.integers(0, 10_000), st.sampled_from([0.98, 0.985, 0.99, 0.995, 1.0]))
def test_a_coverage_keeps_the_characters_that_sentencepiece_keeps(seed: int, coverage: float) -> None:
    random = Random(seed)
    text = [
        "".join(random.choices("abcdefgh", [300, 200, 100, 10, 5, 3, 2, 1], k=random.randint(1, 9)))
        for _ in range(120)
    ]
    trained: Any = sentencepiece.SentencePieceTrainer
    stored = io.BytesIO()
    trained.train(
        sentence_iterator=iter(text), model_writer=stored, model_type="char", vocab_size=20, hard_vocab_limit=False,
        character_coverage=coverage, normalization_rule_name="identity", minloglevel=2, add_dummy_prefix=False,
    )  # fmt: skip
    theirs = sentencepiece.SentencePieceProcessor(model_proto=stored.getvalue())
    pieces = {theirs.id_to_piece(number) for number in range(3, theirs.vocab_size())}
    corpus = Corpus.from_texts(text, pre_tokenizer="whitespace_split")
    trace = train_bpe(corpus, merges=0, character_coverage=coverage)
    assert {*trace.alphabet} == pieces
    missing = {one: count for one, count in characters_of(corpus).items() if one not in pieces}
    assert trace.left_out == missing


def test_words_that_are_too_long_are_unknown_in_the_library_too() -> None:
    """WordPiece's `max_input_chars_per_word`: our file in the library, on 200 KB and on words at random."""
    corpus = Corpus.from_texts(large(), pre_tokenizer="bert")
    tokenizer = train_wordpiece(corpus, merges=60, max_input_chars_per_word=6).tokenizer()
    file = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    random = Random(2)
    lines = ["".join(random.choices("abe (", k=random.randint(1, 30))) for _ in range(300)]
    for line in (*large()[::3], *lines):
        assert file.encode(line).ids == tokenizer.ids(line)
    assert tokenizer.encode("return").tokens != ["[UNK]"] == tokenizer.encode("returns").tokens


def test_excluded_characters_are_unknown_to_the_tokenizer() -> None:
    trace = train_bpe(Corpus.from_counts({"hugs": 5, "pug": 2, "bun": 1}), limit_alphabet=3)
    assert trace.left_out == {"s": 5, "p": 2, "b": 1, "n": 1} and trace.alphabet == ("g", "h", "u")
    assert trace.tokenizer().encode("hugs bun").tokens == ["hug", "[UNK]", "[UNK]", "u", "[UNK]"]
    assert trace[0].splits()["pug"] == ("u", "g")
    assert train_bpe(Corpus.from_counts({"hug": 1})).left_out == {}


def test_a_run_left_with_only_long_pairs_names_the_reason() -> None:
    trace = train_bpe(Corpus.from_counts({"hugs": 5}), max_token_length=2)
    assert (len(trace), trace.stop_reason) == (2, "bounds")
    first, *_ = train_bpe(Corpus.from_counts({"hug": 9, "pug": 9, "pun": 1}), max_token_length=2, merges=2)[
        2
    ].excluded
    assert first.reason == "length" and first.candidate.pair == ("h", "ug")


def test_the_end_of_a_word_is_no_character() -> None:
    corpus = Corpus.from_counts({"ab": 5, "abc": 2}, pre_tokenizer="end_of_word")
    trace = train_bpe(corpus, max_token_length=2)
    assert "ab</w>" in trace.tokens and "abc" not in trace.tokens and "abc</w>" not in trace.tokens


@pytest.mark.parametrize(
    "limits",
    [{"limit_alphabet": 2}, {"limit_alphabet": 4, "initial_alphabet": ["z", "b"]}, {"limit_alphabet": 99}],
)
def test_wordpieces_alphabet_as_in_the_library(limits: dict[str, Any]) -> None:
    """Merges differ there, where pairs are ranked by their counts, and each letter is in its vocabulary
    without `##`, too; the same letters are left."""
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    theirs = tokenizers.Tokenizer(tokenizers.models.WordPiece())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.WordPieceTrainer(show_progress=False, **limits)
    theirs.train_from_iterator([word for word, count in counts.items() for _ in range(count)], trainer)
    letters = {token for token in theirs.get_vocab() if len(token) == 1}
    trace = train_wordpiece(Corpus.from_counts(counts), merges=0, **limits)
    assert {token.removeprefix("##") for token in trace.tokens} == letters


def test_a_share_of_characters_is_wordpieces_alphabet() -> None:
    """Oracle: `u` and `g` are 56 of the 113 characters, less than six tenths; with `p` they are 73."""
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    trace = train_wordpiece(Corpus.from_counts(counts), merges=0, character_coverage=0.6)
    assert {*trace.alphabet} == {"##u", "##g", "p"}


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_token_length": 0}, "at least 1"),
        ({"limit_alphabet": "3"}, "limit_alphabet"),
        ({"initial_alphabet": "éü"}, "initial_alphabet"),
        ({"initial_alphabet": ["éü"]}, "single characters"),
        ({"character_coverage": 0}, "above 0"),
        ({"character_coverage": 1.5}, "1 at most"),
        ({"limit_alphabet": 3, "extend": True}, "old tokenizer's"),
    ],
)
def test_invalid_limits(limits: dict[str, Any], message: str) -> None:
    corpus = Corpus.from_counts({"hug": 1})
    if limits.pop("extend", False):
        limits["extend"] = train_bpe(corpus).tokenizer()
    with pytest.raises((SettingError, WrongTypeError), match=message):
        train_bpe(corpus, **limits)


def test_without_limits_training_is_as_before() -> None:
    """Unused settings aren't recorded, and no pair is looked at for them."""
    trace = train_bpe(Corpus.from_counts({"hug": 1}))
    assert trace.bounds is None and not {*Limits._fields} & trace.settings.keys() and trace[1].excluded == ()
    assert train_unigram(Corpus.from_counts({"hug": 1}), 10, 5, max_piece_length=2)[-1].vocab


def test_a_special_token_may_be_a_character() -> None:
    """Beyond the alphabet's limit: it has an id, so it is left in, and every snapshot says so. Oracle: the
    library's merges; the words, counted by hand."""
    counts = {"1b1b1": 5, "11": 5, "bb": 2}
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    trainer = tokenizers.trainers.BpeTrainer(limit_alphabet=1, special_tokens=["b"], show_progress=False)
    theirs.train_from_iterator([word for word, times in counts.items() for _ in range(times)], trainer)
    merges = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
    trace = train_bpe(
        Corpus.from_counts(counts), limit_alphabet=1, special_tokens=["b"], tie_rule="lowest_ids"
    )
    assert [one.event.pair for one in trace[1:]] == merges
    assert trace[0].splits() == {"1b1b1": tuple("1b1b1"), "11": ("1", "1"), "bb": ("b", "b")}
    assert trace.left_out == {} and trace[1].event.candidates[0].freq == trace[1].event.freq == 10
