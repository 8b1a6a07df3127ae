"""Training by byte-pair encoding (`tokenizers_core/training/bpe.py`).

Sources: `golden/bpe_*.json`, the worked examples of the Hugging Face course and of BPE with `</w>`,
recomputed. Oracles: `oracle_bpe.plain_bpe`, which recounts the whole corpus at each step and shares nothing
with the engine, on generated corpora; `tokenizers.trainers.BpeTrainer` on the standard library's sources for
the rule `lowest_ids`.
"""

from __future__ import annotations

import json
import pickle
import sysconfig
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.oracle_bpe import plain_bpe, plain_encode
from tests.samples import examples
from tokenizers_core import ALPHABETS, TIE_RULES, BpeTrace, Corpus, MergeEvent, train_bpe
from tokenizers_core.encoding.models.bpe import (
    LONG_WORD,
    ApplyEvent,
    BpeModel,
    BpeOptions,
    SplitEvent,
    apply_merges,
    apply_merges_long,
)
from tokenizers_core.errors import SettingError, TokenizersCoreError, UnknownNameError, VocabSizeError
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, symbols_to_bytes

GOLDEN = Path(__file__).parents[1] / "golden"

thorough = examples(200)


def golden(name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    return figures


def event(trace: BpeTrace, step: int) -> MergeEvent:
    result = trace[step].event
    assert isinstance(result, MergeEvent)
    return result


# --- Published examples -------------------------------------------------------------------------------------


def course() -> BpeTrace:
    figures = golden("bpe_course")
    return train_bpe(Corpus.from_texts(figures["corpus"]), 50, special_tokens=figures["special_tokens"])


def hug() -> BpeTrace:
    return train_bpe(Corpus.from_counts(golden("bpe_hug")["word_freqs"]))


def end_of_word() -> BpeTrace:
    counts = golden("bpe_end_of_word")["word_freqs"]
    return train_bpe(Corpus.from_counts(counts, pre_tokenizer="end_of_word"), 17)


EXAMPLES: dict[str, Callable[[], BpeTrace]] = {
    "bpe_course": course,
    "bpe_hug": hug,
    "bpe_end_of_word": end_of_word,
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_published_examples(name: str) -> None:
    figures, trace = golden(name), EXAMPLES[name]()
    assert dict(trace.corpus.items()) == figures["word_freqs"]
    assert list(trace.corpus.words) == list(figures["word_freqs"])
    assert list(trace.alphabet) == figures["alphabet"]
    steps = [
        {"pair": list(step.pair), "token": step.token, "freq": step.freq, "tied_pairs": step.tied_count}
        for step in (event(trace, number) for number in range(1, len(trace) + 1))
    ]
    assert steps == figures["steps"]
    assert {word: list(tokens) for word, tokens in trace[-1].splits().items()} == figures["final_splits"]
    assert trace.stop_reason == ("no_pairs" if name == "bpe_hug" else "vocab_size")


def test_published_vocabulary_pairs_and_encoding() -> None:
    figures, trace = golden("bpe_course"), course()
    assert list(trace[-1].vocab) == figures["vocab"]
    initial = [[list(trace.read_pair(pair)), count] for pair, count in trace.pair_counts(0).items()]
    assert initial == figures["initial_pair_freqs"]
    tokenizer = trace.tokenizer()
    for text, tokens in figures["encode"].items():
        assert tokenizer.encode(text).tokens == tokens


def test_published_encoding_after_three_merges() -> None:
    tokenizer = hug().tokenizer(3)
    for text, tokens in golden("bpe_hug")["encode_after_three_merges"].items():
        assert tokenizer.encode(text).tokens == tokens


# --- Every step against a plain recount ---------------------------------------------------------------------

# Few letters, so that pairs overlap and tie; some of two to four bytes; and </w> spelled out, with characters
# that merge to a token already in words.
words = st.one_of(
    st.text("a", min_size=1, max_size=12),
    st.text("ab", min_size=1, max_size=10),
    st.text("abc", min_size=1, max_size=8),
    st.text("aé", min_size=1, max_size=6),
    st.text("éè€👍", min_size=1, max_size=4),
    st.lists(st.sampled_from(["a", "</w>", "<"]), min_size=1, max_size=3).map("".join),
)
corpora = st.dictionaries(words, st.integers(1, 4), min_size=1, max_size=6)


def check_every_step(
    corpus: Corpus, rule: str, alphabet: str, to_bytes: Callable[[str], bytes], more: int
) -> None:
    start = set(BYTE_TO_SYMBOL) if alphabet == "bytes" else set()
    symbols = sorted(start.union(*map(corpus.symbols, corpus.words)))
    trace = train_bpe(corpus, len(symbols) + more, tie_rule=rule, alphabet=alphabet)
    frequencies = dict(corpus.items())
    steps, vocabulary = plain_bpe(
        frequencies, corpus.symbols, symbols, rule, to_bytes, vocab_size=len(symbols) + more
    )
    assert list(trace[-1].vocab) == vocabulary
    assert len(trace) == len(steps)
    assert trace.stop_reason == ("vocab_size" if len(vocabulary) == len(symbols) + more else "no_pairs")
    assert [[trace.read_pair(pair) for pair in tied] for tied in trace.tied_pairs()] == [
        step.tied for step in steps
    ]
    before = {word: list(corpus.symbols(word)) for word in corpus.words}
    for number, step in enumerate(steps, start=1):
        now = event(trace, number)
        assert (now.pair, now.freq) == (step.pair, step.freq)
        assert (now.token, now.token_id) == ("".join(step.pair), vocabulary.index("".join(step.pair)))
        assert (now.tied_count, [tie.pair for tie in now.tied]) == (len(step.tied), step.tied[:12])
        assert now.pair_count == len(step.counts)
        assert trace[number - 1].pair_count == len(step.counts)
        assert {word: list(tokens) for word, tokens in trace[number].splits().items()} == step.splits
        assert list(now.words) == [word for word in corpus.words if before[word] != step.splits[word]]
        lengths = {word: len(before[word]) - len(step.splits[word]) for word in corpus.words}
        assert now.applied == sum(frequencies[word] * fewer for word, fewer in lengths.items()) <= now.freq
        ordered = trace[number - 1].candidates()
        assert {candidate.pair: candidate.freq for candidate in ordered} == step.counts
        assert [candidate.pair for candidate in ordered if candidate.tied] == step.tied
        assert ordered == sorted(ordered, key=lambda candidate: -candidate.freq)
        assert list(now.candidates) == ordered[:12] == trace[number - 1].candidates(12)
        if rule == "first":
            for tie in now.tied:
                parts = before[tie.word]
                assert tie.pair in pairwise(parts)
        if number > 1:
            for candidate in ordered:
                change = candidate.freq - steps[number - 2].counts.get(candidate.pair, 0)
                assert candidate.change == change
        before = step.splits
    assert [point.tied_count for point in trace.history] == [len(step.tied) for step in steps]
    # At random places as well, without having come by the steps before.
    again = pickle.loads(pickle.dumps(trace))
    for number in reversed(range(len(trace) + 1)):
        assert again[number] == trace[number]


@pytest.mark.parametrize("rule", TIE_RULES)
@thorough
@example({"aaaa": 1, "aaa": 2, "aaaaaaa": 1})
@example({"</w>": 3, "a</w>": 1})
@given(corpora)
def test_characters(rule: str, counts: dict[str, int]) -> None:
    check_every_step(Corpus.from_counts(counts), rule, "corpus", str.encode, 20)


@pytest.mark.parametrize("rule", TIE_RULES)
@thorough
@example({"aaaa": 1, "aaa": 2, "aaaaaaa": 1})
@example({"</w>": 3, "a</w>": 1})
@given(corpora)
def test_characters_with_end_of_word(rule: str, counts: dict[str, int]) -> None:
    check_every_step(Corpus.from_counts(counts, pre_tokenizer="end_of_word"), rule, "corpus", str.encode, 20)


@pytest.mark.parametrize("rule", TIE_RULES)
@thorough
@example({"aaaa": 1, "ééé": 2, "👍👍": 1}, "bytes")
@given(corpora, st.sampled_from(ALPHABETS))
def test_bytes(rule: str, counts: dict[str, int], alphabet: str) -> None:
    corpus = Corpus.from_counts(counts, pre_tokenizer="byte_level")
    check_every_step(corpus, rule, alphabet, symbols_to_bytes, 20)


@examples(100)
@given(st.lists(st.text("abcdef", min_size=20, max_size=80), min_size=1, max_size=2, unique=True))
def test_first_met_within_long_words(long_words: list[str]) -> None:
    # Places found at different times, with many merges in front of them in between, are compared here.
    corpus = Corpus.from_counts(dict.fromkeys(long_words, 1))
    symbols = sorted(set("".join(long_words)))
    steps, _ = plain_bpe(
        dict(corpus.items()), corpus.symbols, symbols, "first", str.encode, len(symbols) + 40
    )
    trace = train_bpe(corpus, len(symbols) + 40)
    assert [trace.pair_of(step) for step in range(1, len(trace) + 1)] == [step.pair for step in steps]


@thorough
@example({"</w></w>": 3, "a</w>": 2})
@given(corpora)
def test_history_of_a_word_is_the_same_with_and_without_the_record(counts: dict[str, int]) -> None:
    trace = train_bpe(Corpus.from_counts(counts, pre_tokenizer="end_of_word"))
    recorded = [trace.history_of(word) for word in trace.corpus.words]
    vars(trace)["word_indices"] = {}  # as if no word were in the corpus
    assert [trace.history_of(word) for word in trace.corpus.words] == recorded


@thorough
@given(corpora, st.text("abé<", min_size=1, max_size=12), st.data())
def test_tokenizer_after_any_step_applies_the_merges_so_far(
    counts: dict[str, int], word: str, data: st.DataObject
) -> None:
    trace = train_bpe(
        Corpus.from_counts({**counts, "abé<": 1}), tie_rule=data.draw(st.sampled_from([*TIE_RULES]))
    )
    step = data.draw(st.integers(0, len(trace)))
    expected = plain_encode(word, trace[step].merges)
    tokenizer = trace.tokenizer(step)
    assert tokenizer.encode(word).tokens == expected
    assert tokenizer.explain(word)[-1].tokens == tuple(expected)
    # A word of the corpus is encoded as training left it, and an unseen one as if it had been there.
    assert trace[step].splits([word]) == {word: tuple(expected)}
    for seen in trace.corpus.words:
        assert tuple(tokenizer.encode(seen).tokens) == trace[step].splits([seen])[seen]


@thorough
@given(st.text("abc", min_size=1, max_size=30), st.text("abc", min_size=2, max_size=30))
def test_long_words_are_encoded_like_short_ones(word: str, learned_from: str) -> None:
    trace = train_bpe(Corpus.from_counts({learned_from: 1, "abc": 1}))
    model = trace.tokenizer().model
    text = model.vocabulary.write(word)
    ranks, merged = model.ranks, model.merged  # type: ignore[attr-defined]
    assert apply_merges_long(text, ranks, merged) == apply_merges(text, ranks, merged)


@thorough
@given(
    st.text("abc", min_size=2, max_size=20),
    st.text("abcxy?é", max_size=LONG_WORD // 2).map(lambda text: text * 3),
    st.sampled_from(["", "?"]),
)
def test_words_without_the_pair_are_left_alone(learned_from: str, word: str, unk_token: str) -> None:
    """Symbols in no merge (x, y) cut a word; unknown ones (é, and ? as a character of the word) stand for
    themselves or are left out.

    Oracle: the merges applied to the whole word, as `plain_encode` does it.
    """
    trace = train_bpe(Corpus.from_counts({learned_from: 1, "x": 1, "y": 1}))
    tokens = [*trace[-1].vocab, *filter(None, [unk_token])]
    model = BpeModel(tokens, trace[-1].merges, unk_token)
    symbols = [symbol if symbol in tokens else unk_token for symbol in word if symbol in tokens or unk_token]
    expected = plain_encode("".join(symbols), trace[-1].merges)
    assert [tokens[identifier] for identifier in model.spell(word)] == expected


@thorough
@given(
    st.lists(
        st.text(["h", "u", "g", "é", "語", "\0", "\ufffe", "\U0010ffff", *BYTE_TO_SYMBOL[-4:]], max_size=20)
    ),
    st.booleans(),
)
def test_many_words_are_encoded_like_each_of_them(words: list[str], whole: bool) -> None:
    """Words in the byte alphabet, and words with other characters or with the sign between words."""
    trace = train_bpe(Corpus.from_counts({"hug": 3, "hughug": 2}), alphabet="bytes")
    for unk_token in ("", "?"):
        tokens = [*trace[-1].vocab, *filter(None, [unk_token])]
        one, many = (
            BpeModel(tokens, trace[-1].merges, unk_token, options=BpeOptions(ignore_merges=whole))
            for _ in range(2)
        )
        each = [one.encode_word(word) for word in words]
        assert many.encode_words(words[:3]) == each[:3]  # some are remembered, then
        assert many.encode_words(words * 2) == each * 2


def test_more_words_than_are_encoded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BpeModel, "SPELLED_AT_ONCE", 2)
    model = train_bpe(Corpus.from_counts({"hug": 3, "pug": 2}), merges=2).tokenizer().model
    words = ["hug", "ug", "", "pug", "gh"]
    assert model.encode_words(words) == [tuple(model.spell(word)) for word in words]


def test_overlap() -> None:
    trace = train_bpe(Corpus.from_counts({"aaa": 5}), merges=1)
    assert (event(trace, 1).freq, event(trace, 1).applied) == (10, 5)
    assert trace[1].splits() == {"aaa": ("aa", "a")}


# --- Settings, limits, errors -------------------------------------------------------------------------------

AB = Corpus.from_counts({"ab": 3, "abab": 1})


@pytest.mark.parametrize(
    ("settings_", "steps", "reason"),
    [
        ({"vocab_size": 3}, 1, "vocab_size"),
        ({"vocab_size": 2}, 0, "vocab_size"),
        ({"merges": 1}, 1, "max_merges"),
        ({"merges": 0}, 0, "max_merges"),
        ({"vocab_size": 3, "merges": 9}, 1, "vocab_size"),
        ({"min_frequency": 2}, 1, "min_frequency"),
        ({"min_frequency": 6}, 0, "min_frequency"),
        ({}, 2, "no_pairs"),
        ({"vocab_size": 100, "merges": 100}, 2, "no_pairs"),
        ({"min_frequency": 1}, 2, "no_pairs"),
        ({"progress": lambda done, wanted: False}, 0, "stopped"),
        ({"progress": lambda done, wanted: None}, 2, "no_pairs"),
    ],
)
def test_where_training_stops(settings_: dict[str, Any], steps: int, reason: str) -> None:
    trace = train_bpe(AB, **settings_)
    assert (len(trace), trace.stop_reason) == (steps, reason)


def test_a_corpus_without_pairs() -> None:
    trace = train_bpe(Corpus.from_counts({"a": 1, "b": 2}))
    assert (len(trace), trace.stop_reason, trace[-1].vocab) == (0, "no_pairs", ("a", "b"))
    assert trace.history == ()
    assert trace[0].candidates() == []


def test_progress_is_reported_and_can_stop() -> None:
    corpus = Corpus.from_counts({"".join(chr(0x100 + n) for n in range(300)): 1})
    calls: list[tuple[int, int | None]] = []

    def progress(done: int, wanted: int | None) -> bool:
        calls.append((done, wanted))
        return done < 128

    trace = train_bpe(corpus, merges=250, progress=progress)
    assert calls == [(0, 250), (64, 250), (128, 250)]
    assert (len(trace), trace.stop_reason) == (128, "stopped")
    assert [*trace.record.pairs] == [*train_bpe(corpus, merges=128).record.pairs]
    calls.clear()
    train_bpe(corpus, vocab_size=310, progress=progress)
    assert calls == [(0, 10)]


def test_settings_are_kept() -> None:
    assert train_bpe(AB, merges=1).settings == {
        "vocab_size": None,
        "merges": 1,
        "min_frequency": 1,
        "tie_rule": "first",
        "continuing_subword_prefix": "",
        "alphabet": "corpus",
        "end_of_word_suffix": "",
    }


@pytest.mark.parametrize(
    ("settings_", "error", "message"),
    [
        (
            {"vocab_size": 1},
            VocabSizeError,
            "vocab_size=1 is below the alphabet's 2 symbols; choose at least 2.",
        ),
        (
            {"vocab_size": 3, "special_tokens": ["<s>", "</s>"]},
            VocabSizeError,
            "vocab_size=3 is below the starting vocabulary's 4 symbols; choose at least 4.",
        ),
        (
            {"vocab_size": 255, "alphabet": "bytes"},
            VocabSizeError,
            "vocab_size=255 is below the alphabet's 256 symbols; choose at least 256.",
        ),
        (
            {"tie_rule": "last"},
            UnknownNameError,
            f"tie_rule='last' is not known; choose one of {', '.join(TIE_RULES)}.",
        ),
        (
            {"alphabet": "latin"},
            UnknownNameError,
            "alphabet='latin' is not known; choose one of corpus, bytes.",
        ),
        ({"merges": -1}, SettingError, "merges=-1 can't be used: choose at least 0."),
        ({"min_frequency": 0}, SettingError, "min_frequency=0 can't be used: choose at least 1."),
        (
            {"special_tokens": ["<s>", ""]},
            SettingError,
            "special_tokens='' can't be used: an empty token can't be found in a text.",
        ),
    ],
)
def test_settings_that_make_no_sense(
    settings_: dict[str, Any], error: type[TokenizersCoreError], message: str
) -> None:
    with pytest.raises(error) as caught:
        train_bpe(AB, **settings_)
    assert str(caught.value) == message


def test_special_tokens_come_first_and_once() -> None:
    trace = train_bpe(AB, special_tokens=["<s>", "b", "<s>"], merges=1)
    assert trace[-1].vocab == ("<s>", "b", "a", "ab")
    assert trace.special_tokens == ("<s>", "b")
    assert [snapshot.vocab_size for snapshot in trace] == [3, 4]


def test_end_of_word_suffix_of_ones_own() -> None:
    trace = train_bpe(Corpus.from_counts({"low": 2}), end_of_word_suffix="_")
    assert trace[0].splits() == {"low": ("l", "o", "w", "_")}
    assert trace[-1].splits() == {"low": ("low_",)}
    without = train_bpe(Corpus.from_counts({"low": 2}, pre_tokenizer="end_of_word"), end_of_word_suffix="")
    assert without[0].splits() == {"low": ("l", "o", "w")}


@thorough
@example({"aabab": 2, "a": 4}, "ab", "first")  # merging a + b makes a + ab more frequent than any pair was
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=5), st.integers(1, 6), min_size=1, max_size=5),
    st.sampled_from(["ab", "aa", "b"]),
    st.sampled_from([*TIE_RULES]),
)
def test_a_suffix_that_words_spell_out(counts: dict[str, int], suffix: str, rule: str) -> None:
    """The suffix's token is made by a second route, too, so that pairs with it can become more frequent."""
    symbols = sorted({suffix}.union(*counts))
    trace = train_bpe(Corpus.from_counts(counts), tie_rule=rule, end_of_word_suffix=suffix)
    steps, vocabulary = plain_bpe(
        counts, lambda word: [*word, suffix], symbols, rule, str.encode, len(symbols) + 100
    )
    chosen = [(event(trace, step).pair, event(trace, step).freq) for step in range(1, len(trace) + 1)]
    assert chosen == [(step.pair, step.freq) for step in steps]
    assert list(trace[-1].vocab) == vocabulary


# --- Extremes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("huge", [2**31, 2**62, 2**70, 10**40])
def test_counts_of_any_size(huge: int) -> None:
    trace = train_bpe(Corpus.from_counts({"aaab": huge, "ab": 1}))
    first = event(trace, 1)
    assert (first.pair, first.freq, first.applied) == (("a", "a"), 2 * huge, huge)
    assert pickle.loads(pickle.dumps(trace)) == trace
    assert trace.history[0].tokens == 3 * huge + 2
    assert trace[-1].splits() == {"aaab": ("aaab",), "ab": ("ab",)}


def test_more_symbols_than_there_are_code_points_before_the_surrogates() -> None:
    # Ids from 0xD800 on are private characters, impossible in UTF-8.
    letters = "".join(chr(0x20000 + index) for index in range(60_000))
    trace = train_bpe(Corpus.from_counts({letters: 1, letters[-3:]: 1, letters[0xD7FF:0xD802]: 1}), merges=4)
    tokens = [letters[0xD7FF:0xD801], letters[0xD7FF:0xD802], letters[-3:-1], letters[-3:]]
    assert [event(trace, step).token for step in range(1, 5)] == tokens
    copy = pickle.loads(pickle.dumps(trace))
    assert copy.record == trace.record
    assert copy[4].splits([letters[-3:]]) == {letters[-3:]: (letters[-3:],)}
    assert trace.tokenizer().encode(letters[-4:]).tokens == [letters[-4], letters[-3:]]


def test_control_characters() -> None:
    trace = train_bpe(Corpus.from_counts({"\0\0\x01": 2}))
    assert trace[-1].splits() == {"\0\0\x01": ("\0\0\x01",)}
    tokenizer = trace.tokenizer()
    assert tokenizer.encode("\0\0\x01\0").tokens == ["\0\0\x01", "\0"]


def test_one_long_word() -> None:
    word = "".join(chr(97 + (index * index + index // 7) % 13) for index in range(20_000))
    trace = train_bpe(Corpus.from_counts({word: 1}), merges=60)
    tokens = trace[60].splits([word])[word]
    assert len(tokens) == trace[60].tokens < len(word) / 3
    assert "".join(tokens) == word
    assert len(trace.history_of(word)) == 61
    assert tuple(trace.tokenizer().encode(word).tokens) == tokens


# --- Encoding one word, stepped -----------------------------------------------------------------------------


def test_explain() -> None:
    explained = hug().tokenizer(3).explain("hughugs")
    assert explained.stop_reason == "no_pairs"
    assert [snapshot.step for snapshot in explained] == [0, 1, 2]
    assert [snapshot.tokens for snapshot in explained] == [
        tuple("hughugs"),
        ("h", "ug", "h", "ug", "s"),
        ("hug", "hug", "s"),
    ]
    assert explained[0].event == SplitEvent("hughugs")
    assert explained[1].event == ApplyEvent(("u", "g"), "ug", 0, 2)  # type: ignore[arg-type]
    assert explained[0].options == ((("u", "g"), 0),)
    assert explained[-1].options == ()


# --- A judge from outside -----------------------------------------------------------------------------------


@cache
def library_text(size: int) -> str:
    """Sources of the standard library, at least `size` bytes of them."""
    text = ""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        if len(text) >= size:
            return text
        text += path.read_text("utf-8")
    raise AssertionError("this standard library is smaller than expected")


def test_a_megabyte_is_learned_as_by_the_tokenizers_library() -> None:
    text = library_text(1_000_000)
    assert len(text.encode()) >= 1_000_000
    trace = train_bpe(Corpus.from_texts([text]), merges=1000, tie_rule="lowest_ids", alphabet="bytes")
    judge = tokenizers.Tokenizer(tokenizers.models.BPE())
    judge.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=1256,
        show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    judge.train_from_iterator([text], trainer)
    assert trace.tokenizer().vocab == judge.get_vocab()
    merges = json.loads(judge.to_str())["model"]["merges"]
    assert [list(pair) for pair in trace[-1].merges] == merges
    assert len(merges) == 1000


def test_words_beyond_the_limit_are_encoded_alike() -> None:
    trace = train_bpe(Corpus.from_texts([library_text(20_000)], pre_tokenizer="none"), merges=200)
    word = trace.corpus.words[-1] * 5
    assert len(word) > LONG_WORD
    assert trace.tokenizer().encode(word).tokens == plain_encode(word, trace[-1].merges)


def test_encoding_with_a_continuation_prefix_equals_the_library() -> None:
    """`models.BPE` with the same prefix, vocabulary and merges."""
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    trace = train_bpe(Corpus.from_counts(words), continuing_subword_prefix="##")
    tokenizer = trace.tokenizer()
    judge = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            vocab=dict(tokenizer.vocab),
            merges=[tuple(pair) for pair in trace[-1].merges],
            unk_token="[UNK]",
            continuing_subword_prefix="##",
        )
    )
    judge.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    text = "hug pugs bun hugsbun mug unhug"
    assert tokenizer.encode(text).tokens == judge.encode(text).tokens
    assert tokenizer.encode(text).offsets == judge.encode(text).offsets
