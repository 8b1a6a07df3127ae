"""Splits at random (`tokenizers_core/encoding/dropout.py`, and each model's choices).

Sources: Provilkov et al. 2020 (BPE-dropout), Hiraoka 2022 (MaxMatch-dropout), Kudo 2018 (subword
regularization). Oracles: all outcomes of all coins enumerated, on symbols as plain strings; and as judges of
the distributions the `tokenizers` library's own dropout and SentencePiece's own sampling, by chi-squared
tests so wide that one in a million fails by chance.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from statistics import NormalDist

import pytest
import sentencepiece
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.core.oracle_dropout import Split, by_matches, by_merges
from tests.samples import examples, sampled
from tokenizers_core import Corpus, Tokenizer, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding import dropout
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.errors import SettingError

WORDS = st.text("ab", min_size=1, max_size=6)
HALF = Fraction(1, 2)


def same(ours: Mapping[Split, float] | None, expected: Mapping[Split, Fraction | int]) -> bool:
    assert ours is not None
    wanted = {split: float(share) for split, share in expected.items() if share}
    return {split: share for split, share in ours.items() if share} == pytest.approx(wanted, abs=1e-9)


@given(st.dictionaries(WORDS, st.integers(1, 9), min_size=1, max_size=5), WORDS)
@examples(100)
def test_merges_drop_out_as_in_the_paper(counts: dict[str, int], word: str) -> None:
    model = train_bpe(Corpus.from_counts({**counts, "ab": 1}), merges=4).tokenizer().model
    assert isinstance(model, BpeModel)
    ranks = {(pair.first, pair.second): rank for rank, pair in enumerate(model.merges)}
    assert same(model.distribution(word, 0.5), by_merges(tuple(word), ranks, HALF))
    assert same(model.distribution(word, 0.0), {tuple(model.explain(word)[-1].tokens): 1})
    assert same(model.distribution(word, 1.0), {tuple(word): 1})


@given(st.sets(WORDS, max_size=6), WORDS)
@examples(100)
def test_matches_drop_out_as_in_the_paper(pieces: set[str], word: str) -> None:
    tokens = ["[UNK]", "a", *pieces, *(f"##{piece}" for piece in (*pieces, "b"))]
    model = WordPieceModel(list(dict.fromkeys(tokens)))
    assert same(model.distribution(word, 0.5), by_matches(word, frozenset(tokens), HALF))
    assert same(model.distribution(word, 0.0), {tuple(model.longest_matches(word)): 1})


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_splits_of_unigram_are_as_likely_as_they_are_probable(temperature: float) -> None:
    """All splits of a word enumerated, each with its probability raised to 1 / temperature."""
    model = hug_unigram()
    weights: dict[Split, float] = {}
    for cuts in product((False, True), repeat=3):
        pieces, last = [], 0
        for index, cut in enumerate((*cuts, True), 1):
            if cut:
                pieces.append("hugs"[last:index])
                last = index
        if all(piece in model.pieces for piece in pieces):
            weights[tuple(pieces)] = sum(model.pieces[piece] for piece in pieces)
    powers = {split: math.exp(log / temperature) for split, log in weights.items()}
    ours = model.distribution("hugs", temperature)
    assert ours is not None
    known = {split: share for split, share in ours.items() if "<unk>" not in split}
    assert len(known) > 3
    total = sum(powers.values()) / (1 - sum(ours.values()) + sum(known.values()))
    assert known == pytest.approx({split: power / total for split, power in powers.items()})


def hug_unigram() -> UnigramModel:
    model = train_unigram(Corpus.from_counts({"hug": 10, "pug": 5, "hugs": 5}), 20, 12).tokenizer().model
    assert isinstance(model, UnigramModel)
    return model


def fits(drawn: Sequence[Split], expected: Mapping[Split, float]) -> bool:
    """Pearson's chi-squared test, with Wilson and Hilferty's approximation of its tail; rare outcomes
    together."""
    counts = Counter(drawn)
    assert not {*counts} - {split for split, share in expected.items() if share > 0}
    number = len(drawn)
    often = {split: number * share for split, share in expected.items() if number * share >= 5}
    cells = [(counts[split], wanted) for split, wanted in often.items()]
    rare = number - sum(often.values())
    if rare >= 5:
        cells.append((number - sum(counts[split] for split in often), rare))
    freedom = len(cells) - 1
    if not freedom:
        return True
    statistic: float = sum((seen - wanted) ** 2 / wanted for seen, wanted in cells)
    normal: float = ((statistic / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) / (2 / (9 * freedom)) ** 0.5
    critical: float = NormalDist().inv_cdf(1 - 1e-6)
    return normal < critical


def test_the_chi_squared_test_can_fail() -> None:
    coin: dict[Split, float] = {("a",): 0.5, ("b",): 0.5}
    assert fits([("a",)] * 520 + [("b",)] * 480, coin) and not fits([("a",)] * 600 + [("b",)] * 400, coin)


MERGES = [Pair("u", "g"), Pair("h", "ug"), Pair("hug", "s"), Pair("g", "s"), Pair("h", "u")]
BPE = BpeModel(["h", "u", "g", "s", *dict.fromkeys(pair.first + pair.second for pair in MERGES)], MERGES)
WORDPIECE = WordPieceModel(["h", "hu", "hug", "##u", "##g", "##s", "##ug", "##gs", "##ugs", "[UNK]"])


@pytest.mark.parametrize(
    ("model", "amount"),
    [(BPE, 0.3), (WORDPIECE, 0.3), (hug_unigram(), 2.0)],
    ids=["bpe", "wordpiece", "unigram"],
)
def test_samples_follow_the_distribution(
    model: BpeModel | WordPieceModel | UnigramModel, amount: float
) -> None:
    expected = model.distribution("hugs", amount)
    assert expected is not None and sum(expected.values()) == pytest.approx(1) and len(expected) > 3
    random = Random(7)
    assert fits([model.sample("hugs", amount, random) for _ in range(sampled(4_000) * 4)], expected)


def test_the_librarys_dropout_follows_our_distribution() -> None:
    """Where pairs don't overlap. Where they do, the library drops fewer: its queue still holds pairs taken
    apart by a merge, and at each of them all dropped ones get another chance. (“hugs” with `MERGES` and 0.3:
    h·ug·s in 5 % of cases, in the paper 21 %.)
    """
    merges = [("u", "g"), ("h", "ug"), ("hug", "s"), ("a", "b")]
    tokens = ["h", "u", "g", "s", "a", "b", "ug", "hug", "hugs", "ab"]
    vocab = {token: number for number, token in enumerate(tokens)}
    judge = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, merges, dropout=0.3))
    expected = BpeModel(tokens, [Pair(*merge) for merge in merges]).distribution("hugsab", 0.3)
    assert expected is not None and len(expected) == 8
    assert fits([tuple(judge.encode("hugsab").tokens) for _ in range(4_000)], expected)


def test_sentencepieces_sampling_follows_our_distribution() -> None:
    file = io.BytesIO()
    text = ["hug", "pug", "hugs", "bug", "rug", "hugs", "hug", "pugs", "mug", "hug", "hugs", "bugs"] * 20
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_writer=file, model_type="unigram", vocab_size=24, minloglevel=2,
        hard_vocab_limit=False, character_coverage=1.0, normalization_rule_name="identity", num_threads=1,
    )  # fmt: skip
    judge = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    pieces = {
        judge.id_to_piece(number): judge.get_score(number) for number in range(3, judge.get_piece_size())
    }
    ours = UnigramModel(["<unk>", *pieces], pieces)
    expected = ours.distribution("▁hugs", 2.0)
    assert expected is not None and len(expected) > 2
    drawn = [
        tuple(judge.encode("hugs", out_type=str, enable_sampling=True, alpha=0.5, nbest_size=-1))
        for _ in range(4_000)
    ]
    assert fits(drawn, expected)


def test_a_text_is_sampled_word_by_word() -> None:
    corpus = Corpus.from_texts(["hug pug hugs <s> hug"], pre_tokenizer="byte_level")
    tokenizer = train_bpe(corpus, merges=6, special_tokens=["<s>"]).tokenizer()
    text = "hug hug<s>hugs pug"
    assert tokenizer.sample(text, dropout=0.0) == tokenizer.encode(text).tokens
    assert tokenizer.sample(text, dropout=0.5, seed=4) == tokenizer.sample(text, dropout=0.5, seed=4)
    various = {tuple(tokenizer.sample(text, dropout=0.5, seed=seed)) for seed in range(20)}
    assert len(various) > 5
    for tokens in various:
        assert tokens.count("<s>") == 1
        assert tokenizer.decode(tokenizer.vocab[token] for token in tokens) == text


@pytest.mark.parametrize("text", ["hxg", "h\U0001f600g", "xx", ""])
def test_unknown_characters_are_the_same_without_chance(text: str) -> None:
    counts = Corpus.from_counts({"hug": 10, "pug": 5})
    for trace in (train_bpe(counts), train_wordpiece(counts), train_unigram(counts, 20, 9)):
        tokenizer: Tokenizer = trace.tokenizer()
        assert tokenizer.sample(text, seed=3) == [*tokenizer.sample(text, seed=3)]
        cold = isinstance(tokenizer.model, UnigramModel)
        certain = tokenizer.sample(text, None if cold else 0.0, 1e-3 if cold else None)
        assert certain == tokenizer.encode(text).tokens


def test_invalid_values_are_refused() -> None:
    merges, unigram = (
        train_bpe(Corpus.from_counts({"ab": 2})).tokenizer(),
        train_unigram(Corpus.from_counts({"ab": 2}), 9, 3).tokenizer(),
    )
    for amount in (-0.1, 1.1, float("nan")):
        with pytest.raises(SettingError, match="from 0 to 1"):
            merges.sample("ab", dropout=amount)
    with pytest.raises(SettingError, match="set dropout instead"):
        merges.sample("ab", temperature=1.0)
    with pytest.raises(SettingError, match="set temperature instead"):
        unigram.sample("ab", dropout=0.1)
    with pytest.raises(SettingError, match="above 0"):
        unigram.sample("ab", temperature=0.0)


def test_a_distribution_of_too_many_states_is_not_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dropout, "STATES", 10)
    assert BPE.distribution("hugshugs", 0.5) is None and BPE.distribution("ug", 0.5) is not None
