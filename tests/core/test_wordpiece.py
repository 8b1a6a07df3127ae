"""WordPiece: training, traces, encoding.

Sources and oracles: the Hugging Face course's walk-throughs recomputed (`golden/wordpiece_*.json`); a plain
version that recounts everything at every step; the `tokenizers` library, for encoding, for BERT's normalizer
and pre-tokenizer, and for its training under this name, in fact BPE.
"""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any, cast

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, normalizers, pre_tokenizers, trainers

from tests.core.oracle_wordpiece import plain_wordpiece
from tests.samples import examples
from tokenizers_core import TIE_RULES, Corpus, train_bpe, train_wordpiece
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.wordpiece import (
    TRIES_EXPLAINED,
    MatchEvent,
    UnknownEvent,
    WordPieceModel,
)
from tokenizers_core.errors import SettingError, UnknownNameError, VocabSizeError
from tokenizers_core.files.exports import vocab_txt
from tokenizers_core.training.wordpiece import ScoredCandidate, WordPieceEvent, WordPieceTrace

GOLDEN = Path(__file__).parents[1] / "golden"
MULTILINGUAL = [
    "Héllò hôw are ü? It's 3.14, e-mail me!",
    "東京の茶屋 tea 茶 and こんにちは",
    "في السوق كتاب وكاتب",
    "На рынке продают книги, книжки и книжечки.",
    "हिन्दी में किताबें, ภาษาไทย",
    "emoji 🍵🍰 family 👨‍👩‍👧 flag 🇯🇵 tab\tand\u00a0nbsp\u200bzero",
    "control \x00\x07 and \ufffd and \u202e rtl",
]


def golden(name: str) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((GOLDEN / f"wordpiece_{name}.json").read_text(encoding="utf-8")))


def trained(name: str) -> WordPieceTrace:
    figures = golden(name)
    if name == "hug":
        return train_wordpiece(Corpus.from_counts(figures["word_freqs"]))
    corpus = Corpus.from_texts(figures["corpus"], pre_tokenizer="bert")
    return train_wordpiece(corpus, 70, special_tokens=figures["special_tokens"])


def scored(trace: WordPieceTrace, step: int) -> ScoredCandidate:
    """The candidate merged by `step`."""
    return cast(ScoredCandidate, cast(WordPieceEvent, trace[step].event).candidates[0])


@pytest.mark.parametrize("name", ["hug", "course"])
def test_the_course_to_the_digit(name: str) -> None:
    figures, trace = golden(name), trained(name)
    assert dict(trace.corpus.items()) == figures["word_freqs"]
    assert list(trace.alphabet) == figures["alphabet"]
    assert len(trace) == len(figures["steps"])
    for step, wanted in enumerate(figures["steps"], start=1):
        event, chosen = cast(WordPieceEvent, trace[step].event), scored(trace, step)
        assert list(event.pair) == wanted["pair"]
        assert event.token == wanted["token"]
        assert (chosen.freq, chosen.first_freq, chosen.second_freq) == (
            wanted["freq"],
            wanted["left_freq"],
            wanted["right_freq"],
        )
        assert str(chosen.score) == wanted["score"]
        assert float(chosen.score) == wanted["score_float"]
    assert {word: list(tokens) for word, tokens in trace[-1].splits().items()} == figures["final_splits"]


def test_vocabulary_and_encoding_of_the_course() -> None:
    figures, trace = golden("course"), trained("course")
    assert list(trace[-1].vocab) == figures["vocab"]
    tokenizer = trace.tokenizer()
    for text, tokens in (figures["encode_word"] | figures["encode"]).items():
        assert tokenizer.encode(text).tokens == tokens


def test_encoding_with_the_published_vocabulary() -> None:
    """The course's vocabulary after its own third merge, hug: its encodings hold, though the merge is not the
    best."""
    published = golden("hug")["encode_with_published_vocab"]
    vocabulary = ["b", "h", "p", "##g", "##n", "##s", "##u", "##gs", "hu", "hug", "[UNK]"]
    model = WordPieceModel(vocabulary)
    for word, tokens in published.items():
        assert model.longest_matches(word) == tokens


def test_the_published_third_merge_is_an_erratum() -> None:
    trace = trained("hug")
    assert trace[3].event.pair == Pair("hu", "##gs")
    assert scored(trace, 3).score == Fraction(5, 15 * 5) == Fraction(1, 15)
    candidates = {candidate.pair: candidate for candidate in trace[2].candidates()}
    published, better = candidates[Pair("hu", "##g")], candidates[Pair("p", "##u")]
    assert (published.freq, published.first_freq, published.second_freq) == (10, 15, 15)
    assert published.score == Fraction(2, 45) < better.score == Fraction(1, 21)


words = st.text("abc", min_size=1, max_size=8) | st.text("aé#", min_size=1, max_size=6)
corpora = st.dictionaries(words, st.integers(1, 5), min_size=1, max_size=6)


@examples(250)
@given(corpora, st.sampled_from(list(TIE_RULES)))
def test_the_trace_equals_a_plain_recount_at_every_step(frequencies: dict[str, int], rule: str) -> None:
    steps, vocabulary = plain_wordpiece(frequencies, rule)
    trace = train_wordpiece(Corpus.from_counts(frequencies), tie_rule=rule)
    assert len(trace) == len(steps)
    assert trace.stop_reason == "no_pairs"
    assert list(trace[-1].vocab) == vocabulary
    for step, plain in enumerate(steps, start=1):
        event = cast(WordPieceEvent, trace[step].event)
        assert event.pair == plain.pair
        assert [tie.pair for tie in event.tied] == plain.tied[: len(event.tied)]
        assert event.tied_count == len(plain.tied) == trace.history[step - 1].tied_count
        assert event.most_frequent.pair == plain.most_frequent
        assert {candidate.pair: candidate.score for candidate in trace[step - 1].candidates()} == plain.scores
        assert trace[step].splits() == plain.splits


@pytest.mark.parametrize("least", [1, 3])
def test_pairs_that_wait_are_not_forgotten(least: int) -> None:
    """On prose, with letters so frequent that most pairs wait with a bound: the plain version's merges all
    the same."""
    corpus = Corpus.from_texts(["\n".join(topics.values())[:6000]], pre_tokenizer="bert")
    trace = train_wordpiece(corpus, merges=150, min_frequency=least)
    if least == 1:
        steps, _vocabulary = plain_wordpiece(dict(corpus.items()), "first", 150)
        assert [trace.pair_of(step) for step in range(1, 151)] == [step.pair for step in steps]
    for step in range(0, 150, 10):
        assert trace.pair_of(step + 1) == trace[step].candidates(1)[0].pair


@examples(100)
@given(corpora)
def test_a_candidate_knows_its_score_before(frequencies: dict[str, int]) -> None:
    trace = train_wordpiece(Corpus.from_counts(frequencies))
    for step in range(1, len(trace) + 1):
        before = {candidate.pair: candidate.score for candidate in trace[step - 1].candidates()}
        for candidate in cast(list[ScoredCandidate], trace[step].candidates()):
            assert candidate.before == before.get(candidate.pair)


def test_stops_and_errors() -> None:
    corpus = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    assert train_wordpiece(corpus, 9).stop_reason == "vocab_size"
    assert train_wordpiece(corpus, merges=2).stop_reason == "max_merges"
    rare = train_wordpiece(corpus, min_frequency=12)
    assert rare.stop_reason == "min_frequency"
    assert all(point.freq >= 12 for point in rare.history)
    assert train_wordpiece(corpus, progress=lambda done, total: False).stop_reason == "stopped"
    with pytest.raises(VocabSizeError, match="at least 7"):
        train_wordpiece(corpus, 3)
    with pytest.raises(UnknownNameError, match="tie_rule"):
        train_wordpiece(corpus, tie_rule="fair")
    with pytest.raises(SettingError, match="merges"):
        train_wordpiece(corpus, merges=-1)


def test_pickling_keeps_the_trace() -> None:
    trace = trained("course")
    again = pickle.loads(pickle.dumps(trace))
    assert again == trace
    assert again[9].event == trace[9].event


def test_huge_counts_compare_exactly() -> None:
    """Two different scores, equal by a division of floats."""
    big = 2**60
    trace = train_wordpiece(Corpus.from_counts({"cd": big + 1, "ab": big}), merges=1)
    assert trace[1].event.pair == Pair("a", "##b")  # 1/2⁶⁰ is above 1/(2⁶⁰ + 1), the first one met
    assert float(scored(trace, 1).score) == float(cast(ScoredCandidate, trace[0].candidates()[1]).score)


def library(trace: WordPieceTrace, normalizer: Any = None) -> tokenizers.Tokenizer:
    """The library's WordPiece with the trace's vocabulary."""
    tokenizer = trace.tokenizer()
    judge = tokenizers.Tokenizer(models.WordPiece(dict(tokenizer.vocab), unk_token="[UNK]"))
    judge.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if normalizer is not None:
        judge.normalizer = normalizer
    return judge


@pytest.mark.parametrize("name", ["bert_cased", "bert_uncased"])
def test_encoding_equals_the_library_on_many_scripts(name: str) -> None:
    """BERT's rules for punctuation, accents, CJK and control characters included; ids, tokens and offsets."""
    corpus = Corpus.from_texts(MULTILINGUAL, normalizer=name, pre_tokenizer="bert")
    trace = train_wordpiece(corpus, 400, special_tokens=("[UNK]", "[CLS]", "[SEP]"))
    judge = library(trace, normalizers.BertNormalizer(lowercase=name == "bert_uncased"))
    tokenizer = trace.tokenizer()
    for text in [*MULTILINGUAL, " ".join(MULTILINGUAL), "unseen words: zebra, żółw, 漢字!", "x" * 101 + " y"]:
        ours, theirs = tokenizer.encode(text), judge.encode(text, add_special_tokens=False)
        assert ours.ids == theirs.ids
        assert ours.tokens == theirs.tokens
        assert ours.offsets == theirs.offsets
        assert ours.word_ids == theirs.word_ids


@examples(200)
@given(st.text("abc ,.é東##", max_size=40))
def test_encoding_equals_the_library_on_generated_text(text: str) -> None:
    trace = trained_on_letters()
    judge = library(trace)
    assert trace.tokenizer().encode(text).ids == judge.encode(text).ids


_letters: list[WordPieceTrace] = []


def trained_on_letters() -> WordPieceTrace:
    """One small trace for all generated texts."""
    if not _letters:
        corpus = Corpus.from_texts(["abc cab bca aabb é東 abcabc, ca. bb#a"], pre_tokenizer="bert")
        _letters.append(train_wordpiece(corpus, 40))
    return _letters[0]


def test_words_that_are_too_long_are_unknown() -> None:
    for least in (0, -5):
        with pytest.raises(
            SettingError, match=rf"max_input_chars_per_word={least} can't be used: choose at least 1"
        ):
            train_wordpiece(Corpus.from_counts({"aaaa": 1}), max_input_chars_per_word=least)
    trace = train_wordpiece(Corpus.from_counts({"aaaa": 1}), max_input_chars_per_word=10)
    tokenizer = trace.tokenizer()
    assert tokenizer.encode("a" * 10).tokens != ["[UNK]"]
    assert tokenizer.encode("a" * 11).tokens == ["[UNK]"]
    explained = tokenizer.explain("a" * 11)
    assert explained.stop_reason == "too_long"
    assert cast(UnknownEvent, explained[-1].event).too_long


@examples(200)
@given(st.text("abc#é", min_size=1, max_size=12))
def test_explaining_tries_every_substring_longest_first(word: str) -> None:
    model = WordPieceModel(["a", "b", "ab", "##a", "##b", "##ba", "##c", "[UNK]"])
    explained = model.explain(word)
    results: list[str] = []
    start, end = 0, len(word) + 1
    for snapshot in list(explained)[1:]:
        event = snapshot.event
        if event.kind == "unknown":
            assert end - 1 == start
            results = ["[UNK]"]
            break
        match = cast(MatchEvent, event)
        assert (match.start, match.end) == (start, end - 1)
        assert match.piece == ("##" if start else "") + word[match.start : match.end]
        assert match.found == (match.piece in model.vocabulary.ids)
        end = match.end
        if match.found:
            results.append(match.piece)
            start, end = match.end, len(word) + 1
    assert results == list(explained[-1].tokens) == model.longest_matches(word)


def test_a_long_explanation_is_cut_with_a_note() -> None:
    explained = WordPieceModel(["a", "##a"]).explain("a" * 60)
    assert explained.stop_reason == "cut"
    assert len(explained) == TRIES_EXPLAINED


def test_decoding_joins_tokens_with_the_prefix() -> None:
    tokenizer = trained("course").tokenizer()
    assert tokenizer.decode(tokenizer.encode("This is the Face .").ids) == "This is the Face ."


def test_the_librarys_training_of_this_name() -> None:
    """`tokenizers` learns BPE with the prefix. (Four merges of the hug corpus: none of them is tied, and the
    library gives ids to symbols inside words in another order in each run.)
    """
    counts = golden("hug")["word_freqs"]
    judge = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    judge.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    symbols = {character for word in counts for character in word} | set(trained("hug").alphabet)
    trainer = trainers.WordPieceTrainer(vocab_size=len(symbols) + 4, special_tokens=[], show_progress=False)
    judge.train_from_iterator([word for word, count in counts.items() for _ in range(count)], trainer)
    ours = train_bpe(Corpus.from_counts(counts), merges=4, continuing_subword_prefix="##")
    assert set(judge.get_vocab()) - symbols == set(ours.step_of_token) == {"##ug", "##un", "hug", "pun"}
    assert set(list(trained("hug").step_of_token)[:4]) != set(ours.step_of_token)


def test_vocab_txt_loads_in_the_library(tmp_path: Path) -> None:
    tokenizer = trained("course").tokenizer()
    file = tmp_path / "vocab.txt"
    file.write_text(vocab_txt(tokenizer), encoding="utf-8")
    assert models.WordPiece.read_file(str(file)) == tokenizer.vocab


def test_pairs_below_the_least_count_are_neither_listed_nor_counted() -> None:
    trace = train_wordpiece(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4}), min_frequency=5)
    for snapshot in trace:
        assert snapshot.pair_count == len(snapshot.candidates())
    assert trace[-1].pair_count == 0
    assert trace.stop_reason == "min_frequency"
