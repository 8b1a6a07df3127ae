"""Training that goes on with a tokenizer (`train_bpe(extend=...)`), trimming, and exclusions by bounds.

Oracles: the `tokenizers` library, which reads the new files and encodes text unseen in training;
`plain_extended`, which splits the corpus by the old tokenizer, recounts everything at each step and shares
nothing with the engine; for trimming, the run itself: its state some merges earlier. GPT-2's real vocabulary
is part of the app.
"""

from __future__ import annotations

import json
import pickle
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library

from tests.samples import examples
from tokenizers_core import (
    Corpus,
    Tokenizer,
    cut_out,
    tokenizer_from_json,
    tokenizer_to_json,
    train_bpe,
    train_unigram,
    trim,
)
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.pairs import Pair, merge_pair
from tokenizers_core.errors import SettingError, VocabSizeError, WrongTypeError
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL

ASSETS = Path(__file__).parents[2] / "assets"
HELD_BACK = "Der schnelle braune Fuchs springt über den faulen Hund.\nすばしこい茶色の狐。"


def plain_extended(old: Tokenizer, corpus: Corpus, merges: int, least: int) -> list[tuple[str, str]]:
    """The additional merges, by a recount of all pairs at each step; of equal ones the one with the lowest
    ids."""
    tokens = list(old.tokens)
    words = {
        word: tuple(old.model.vocabulary.tokens[one] for one in old.model.encode_word(word))
        for word in corpus.words
    }
    ids = {token: number for number, token in enumerate(tokens)}
    known, learned = {*tokens}, []
    for _ in range(merges):
        counts: Counter[tuple[str, str]] = Counter()
        for word, count in corpus.items():
            for pair in pairwise(words[word]):
                if "".join(pair) not in known:
                    counts[pair] += count
        if not counts or max(counts.values()) < least:
            break
        best = min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]))
        learned.append(best)
        ids.setdefault("".join(best), len(ids))
        words = {word: merge_pair(split, Pair(*best)) for word, split in words.items()}
    return learned


@cache
def gpt2() -> Tokenizer:
    """GPT-2's tokenizer, from the merges published by OpenAI."""
    lines = (ASSETS / "vocabularies/gpt2/merges.txt").read_text("utf-8").splitlines()
    merges = [line.split(" ") for line in lines]
    tokens = [*sorted(BYTE_TO_SYMBOL), *("".join(pair) for pair in merges), "<|endoftext|>"]
    document = {
        "version": "1.0",
        "added_tokens": [{"id": 50256, "content": "<|endoftext|>", "special": True}],
        "pre_tokenizer": {
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": False,
            "use_regex": True,
        },
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE",
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": merges,
        },
    }
    return tokenizer_from_json(json.dumps(document))


@cache
def japanese() -> tuple[list[str], list[str]]:
    """Two hundred kilobytes of Japanese, the app's own translations several times over, shuffled; and the
    part held back."""
    text = (ASSETS / "locale/ja/LC_MESSAGES/tokensteps.po").read_text("utf-8")
    lines = [line[8:-1] for line in text.splitlines() if line.startswith('msgstr "') and len(line) > 9]
    Random(1).shuffle(lines)
    held, taught = lines[::4], [line for index, line in enumerate(lines) if index % 4]
    size = 0
    entries = []
    for line in taught * 9:
        size += len(line.encode())
        if size > 200_000:
            break
        entries.append(line)
    assert size > 200_000
    return entries, held


# --- GPT-2, gone on with on another language ----------------------------------------------------------------


def test_gpt2_gone_on_with_on_japanese() -> None:
    """All 50,257 ids stay, the library reads the new file, and it gives the same ids for the text held
    back."""
    old, (taught, held) = gpt2(), japanese()
    assert len(old.tokens) == 50_257
    trace = train_bpe(Corpus.from_texts(taught), merges=400, extend=old, tie_rule="lowest_ids")
    new = trace.tokenizer()
    assert list(new.tokens[:50_257]) == list(old.tokens) and len(new.tokens) == 50_657
    assert isinstance(new.model, BpeModel) and isinstance(old.model, BpeModel)
    assert list(new.model.merges[:50_000]) == list(old.model.merges)
    theirs = Library.from_str(tokenizer_to_json(new))
    assert theirs.get_vocab_size() == 50_657 and theirs.token_to_id("<|endoftext|>") == 50_256
    texts = [*held, HELD_BACK, "<|endoftext|>plain English<|endoftext|>"]
    ids = [new.ids(text) for text in texts]
    assert ids == [encoding.ids for encoding in theirs.encode_batch(texts)]
    before = sum(len(old.ids(text)) for text in held) / sum(map(len, held))
    after = sum(map(len, ids[: len(held)])) / sum(map(len, held))
    assert after < 0.7 * before
    assert new.ids("plain English, as before") == old.ids("plain English, as before")
    assert [new.decode(one) for one in ids] == [*held, HELD_BACK, texts[-1]]


def test_each_step_is_numbered_after_the_old_ones() -> None:
    trace = train_bpe(Corpus.from_texts(japanese()[0][:200]), merges=5, extend=gpt2())
    event: Any = trace[2].event
    assert (event.rank, event.token_id, event.is_new) == (50_001, 50_258, True)
    assert trace[2].merges[-1] == event.pair and len(trace[2].merges) == 50_002
    assert trace[0].vocab_size == 50_257 and trace[0].event.alphabet == ()  # type: ignore[union-attr]
    word = max(trace.corpus.words, key=len)
    assert trace[0].splits([word])[word] == tuple(
        gpt2().tokens[one] for one in gpt2().model.encode_word(word)
    )


# --- small tokenizers ---------------------------------------------------------------------------------------

words = st.dictionaries(st.text("abcé", min_size=1, max_size=8), st.integers(1, 6), min_size=1, max_size=8)
pipelines = st.sampled_from(["byte_level", "whitespace_split", "end_of_word"])


@examples(150)
@given(words, words, pipelines, st.integers(0, 8), st.integers(0, 12), st.integers(1, 3))
def test_further_training_agrees_with_recounting(
    old: dict[str, int], new: dict[str, int], pre: str, before: int, more: int, least: int
) -> None:
    taught = Corpus.from_counts(old, pre_tokenizer=pre)
    tokenizer = train_bpe(taught, merges=before, special_tokens=["<s>"]).tokenizer(unk_token="<s>")
    corpus = Corpus.from_counts(new, pre_tokenizer=pre)
    trace = train_bpe(corpus, merges=more, min_frequency=least, extend=tokenizer, tie_rule="lowest_ids")
    symbols = trace.alphabet
    begun = tokenizer.with_options(
        model=tokenizer.model.with_merges([*tokenizer.tokens, *symbols], tokenizer.model.merges)  # type: ignore[attr-defined]
    )
    assert [tuple(trace.pair_of(step)) for step in range(1, len(trace) + 1)] == plain_extended(
        begun, corpus, more, least
    )
    result = trace.tokenizer()
    assert list(result.tokens[: len(tokenizer.tokens)]) == list(tokenizer.tokens)
    assert result.special_tokens == tokenizer.special_tokens
    for step in {0, len(trace) // 2, len(trace)}:  # a step's display agrees with its tokenizer
        at, splits = trace.tokenizer(step), trace[step].splits()
        assert all(splits[word] == tuple(map(at.token, at.model.encode_word(word))) for word in corpus.words)
    assert pickle.loads(pickle.dumps(trace)) == trace
    assert list(trace.tied_counts()) == [trace[step].event.tied_count for step in range(1, len(trace) + 1)]  # type: ignore[union-attr]
    if pre != "end_of_word":
        theirs = Library.from_str(tokenizer_to_json(result))
        text = " ".join([*old, *new, "abcéd"])
        assert theirs.encode(text).ids == result.ids(text)


def test_an_old_token_that_is_never_made_is_not_made_by_another_way() -> None:
    """`hug` is in the file, no merge leads there, and its id must not mean something else: `h ug` is
    excluded, and recorded so."""
    tokenizer = train_bpe(Corpus.from_counts({"ug": 3, "h": 1, "s": 1}), merges=1).tokenizer()
    assert isinstance(tokenizer.model, BpeModel)
    model = tokenizer.model.with_merges([*tokenizer.tokens, "hug"], tokenizer.model.merges)
    trace = train_bpe(Corpus.from_counts({"hugs": 5, "hug": 1}), extend=tokenizer.with_options(model=model))
    assert trace.pair_of(1) == ("ug", "s")
    [out] = trace[1].excluded
    assert (out.candidate.pair, out.candidate.freq, out.reason) == (("h", "ug"), 6, "taken")
    assert trace[1].event.candidates[0].pair == ("ug", "s") and trace[1].event.pair_count == 1  # type: ignore[union-attr]
    assert trace.tokenizer().encode("hugs").tokens == ["hugs"] and trace.stop_reason == "bounds"
    stuck = train_bpe(Corpus.from_counts({"hug": 5}), extend=tokenizer.with_options(model=model))
    assert (len(stuck), stuck.stop_reason) == (0, "bounds")


def test_new_characters_come_in_as_symbols() -> None:
    tokenizer = train_bpe(Corpus.from_counts({"hug": 3}), merges=1, special_tokens=["[UNK]"]).tokenizer()
    trace = train_bpe(Corpus.from_counts({"жуг": 3, "hugж": 2}), merges=1, extend=tokenizer)
    assert trace.alphabet == ("г", "ж", "у") and trace.tokens[:5] == tuple(tokenizer.tokens)
    assert trace.tokenizer().encode("жуг").tokens == ["жу", "г"]


def test_all_bytes_become_symbols_on_request() -> None:
    old = train_bpe(Corpus.from_texts(["hug hugs"]), merges=2).tokenizer()
    texts = Corpus.from_texts(["mug hug"])
    new = train_bpe(texts, merges=1, alphabet="bytes", extend=old).tokenizer()
    missing = sorted({*BYTE_TO_SYMBOL} - {*old.tokens})
    assert [*new.tokens][:-1] == [*old.tokens, *missing]
    fewer = train_bpe(texts, merges=1, extend=old).tokenizer()
    assert [*fewer.tokens][:-1] == [*old.tokens, "m"]


def test_ids_that_nothing_has_and_special_tokens_outside_of_the_model_stay() -> None:
    """As in Llama 3's file: special tokens come after the vocabulary, and the ids before them are used up."""
    base = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2, alphabet="bytes").tokenizer()
    document = json.loads(tokenizer_to_json(base))
    document["added_tokens"] = [
        {
            "id": 300,
            "content": "<|begin|>",
            "special": True,
            "normalized": False,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
        }
    ]
    document["model"]["ignore_merges"] = True
    old = tokenizer_from_json(json.dumps(document))
    trace = train_bpe(
        Corpus.from_texts(["so it goes, so it went"]), merges=3, extend=old, tie_rule="lowest_ids"
    )
    assert [trace[step].event.token_id for step in (1, 2, 3)] == [301, 302, 303]  # type: ignore[union-attr]
    theirs = Library.from_str(tokenizer_to_json(trace.tokenizer()))
    text = "<|begin|>so it goes to be"
    assert theirs.encode(text).ids == trace.tokenizer().ids(text) and theirs.token_to_id("<|begin|>") == 300


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"extend": "gpt2"}, "load one first"),
        ({"pre_tokenizer": "bert"}, "by other rules"),
        ({"special_tokens": ["<new>"]}, "special tokens stay"),
        ({"vocab_size": 3}, "below"),
        ({"unigram": True}, "only BPE"),
    ],
)
def test_impossible_further_training_is_refused(settings: dict[str, Any], message: str) -> None:
    given = {**settings}  # the parameters stay as they are, for another run in the same process
    corpus = Corpus.from_counts(
        {"hug": 3, "pug": 2}, pre_tokenizer=given.pop("pre_tokenizer", "whitespace_split")
    )
    counted = Corpus.from_counts({"hug": 3, "pug": 2})
    old: Any = train_bpe(counted, merges=2).tokenizer()
    if given.pop("unigram", False):
        old = train_unigram(counted, 20, 10).tokenizer()
    with pytest.raises((SettingError, WrongTypeError, VocabSizeError), match=message):
        train_bpe(corpus, **({"extend": old} | given))


# --- trimming -----------------------------------------------------------------------------------------------


@examples(60)
@given(words, pipelines, st.integers(0, 12), st.integers(0, 12))
def test_trimmed_is_as_it_was_some_merges_before(
    counts: dict[str, int], pre: str, merges: int, drop: int
) -> None:
    trace = train_bpe(Corpus.from_counts(counts, pre_tokenizer=pre), merges=merges, special_tokens=["<s>"])
    drop = min(drop, len(trace))
    cut = trim(trace.tokenizer(unk_token="<s>"), drop)
    before = trace.tokenizer(len(trace) - drop, unk_token="<s>")
    assert list(cut.tokens) == list(before.tokens)
    text = " ".join([*counts, "cab"])
    assert cut.ids(text) == before.ids(text)


def test_gpt2_without_its_last_merges() -> None:
    """The special token behind them keeps its id; the library loads the file and encodes alike."""
    cut = trim(gpt2(), 10_000)
    assert len(cut.tokens) == 50_257 and len(cut.vocab) == 40_257 and cut.vocab["<|endoftext|>"] == 50_256
    theirs = Library.from_str(tokenizer_to_json(cut))
    text = (ASSETS / "corpora/hello.txt").read_text("utf-8")[:20_000] + "<|endoftext|>"
    assert theirs.encode(text).ids == cut.ids(text)
    assert max(cut.ids(text)[:-1]) < 40_256


def test_removing_a_middle_merge_strands_later_ones() -> None:
    """The library, given a file without the one merge, never makes the stranded tokens and always makes the
    others."""
    trace = train_bpe(
        Corpus.from_texts(["the cats chased the rats, the rats chased the cheese"]), alphabet="bytes"
    )
    tokenizer = trace.tokenizer()
    assert isinstance(tokenizer.model, BpeModel)
    for rank in range(0, len(trace), 5):
        result = cut_out(tokenizer, rank)
        document = json.loads(tokenizer_to_json(tokenizer))
        del document["model"]["merges"][rank]
        document["pre_tokenizer"] = None
        theirs = Library.from_str(json.dumps(document))
        alone = {token for token in tokenizer.tokens if theirs.encode(token).tokens == [token]}
        assert {*tokenizer.tokens} - alone == {*result.stranded} and result.token in result.stranded
        assert {*result.idle} <= {*tokenizer.model.merges[rank + 1 :]}


@pytest.mark.parametrize("number", [-1, 4, 1_000])
def test_no_more_is_dropped_than_there_is(number: int) -> None:
    tokenizer = train_bpe(Corpus.from_counts({"hugs": 3}), merges=3).tokenizer()
    with pytest.raises(SettingError, match="from 0 to 3"):
        trim(tokenizer, number)
    with pytest.raises(SettingError, match="from 0 to 2"):
        cut_out(tokenizer, number)
