"""Looking up in vocabularies of every kind: a search finds the same tokens as a plain look at all, and each
has its rank or score.

Oracles: the tokens' bytes and spellings, one by one, with Python's own `in` and `re`; `sentencepiece` for
scores; the order of the merges.
"""

from __future__ import annotations

import re
import time
from functools import cache

import pytest

from tests.app.catalogue.test_other_files import MODELS, both, encoded, minbpe, tekken
from tokenizers_core import Corpus, train_bpe, train_unigram, train_wordpiece
from tokensteps.catalogue import lookup
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.lookup import LookupFailed, ids_written, search
from tokensteps.catalogue.shipped import gpt2
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.catalogue.texts import TEXTS

TEXT = TEXTS["code"].make()
WORDS = b"[PAD]\n[UNK]\nthe\nin\n##ing\n##the\n"


@cache
def subjects() -> dict[str, ShownTokenizer]:
    """A tokenizer of each kind: trained here, shipped, and of each kind of file."""
    corpus = Corpus.from_texts([TEXT])
    bpe, pieces = (
        train_bpe(corpus, merges=200),
        train_wordpiece(Corpus.from_texts([TEXT], pre_tokenizer="bert"), vocab_size=200),
    )
    unigram = train_unigram(
        Corpus.from_texts([TEXT], pre_tokenizer="whitespace_split_metaspace"), vocab_size=150, seed_size=300
    )
    runs = {trace.algorithm: trace for trace in (bpe, pieces, unigram)}
    trained: dict[str, ShownTokenizer] = {
        name: TrainedSubject(name, trace.tokenizer(), trace, len(trace)) for name, trace in runs.items()
    }
    sentencepiece: dict[str, ShownTokenizer] = {kind: both(kind)[0] for kind in MODELS}
    return (
        trained
        | sentencepiece
        | {
            "gpt2": gpt2(),
            "tekken": load({"tekken.json": tekken()}),
            "vocab.txt": load({"vocab.txt": WORDS}),
            "minbpe": load({"x.model": minbpe(r"\w+|\W", {}, TEXT, 60)[0]}),
        }
    )  # fmt: skip


@cache
def tokens_of(kind: str) -> list[tuple[int, str, bytes]]:
    """All tokens of a kind: id, spelling, bytes."""
    subject = subjects()[kind]
    return [
        (index, token, subject.token_bytes(index))
        for index, token in enumerate(subject.all_tokens())
        if token
    ]


@pytest.mark.many(2)
@pytest.mark.parametrize("query", ["the", " in", "##", "▁", "Ġ", "0x"])
def test_a_search_covers_tokens_texts_and_spellings(query: str) -> None:
    for kind, subject in subjects().items():
        expected = [
            position for position, token, data in tokens_of(kind) if query in token or query.encode() in data
        ]
        result = search(subject, "text", query)
        assert (result.number, list(result.ids)) == (len(expected), expected[:200]), kind


@pytest.mark.parametrize(
    ("kind", "query"), [("bytes", "68 65"), ("bytes", "0xE3"), ("regex", "^[ Ġ▁]?(the|in)g?$")]
)
def test_bytes_and_regular_expressions_too(kind: str, query: str) -> None:
    for name, subject in subjects().items():
        expected = []
        for position, token, data in tokens_of(name):
            texts = (data.decode("utf-8", "replace"), token)
            fits = (
                bytes.fromhex(query.removeprefix("0x")) in data
                if kind == "bytes"
                else any(re.search(query, text) for text in texts)
            )
            expected += [position] if fits else []
        assert list(search(subject, kind, query).ids) == expected[:200], name


def test_tokens_have_a_rank_or_a_score() -> None:
    """The learned tokens: of BPE and WordPiece in the order of the ids, of Unigram as sentencepiece has
    it."""
    for kind, subject in subjects().items():
        facts = [subject.facts(index) for index in range(len(subject.all_tokens()))]
        ranks, scores = [one.rank for one in facts if one.rank is not None], [one.score for one in facts]
        if subject.algorithm == "Unigram":
            assert not ranks and sum(score is not None for score in scores) > 100, kind
        elif kind != "vocab.txt":  # a list of words
            assert ranks and len(set(ranks)) == len(ranks) and scores.count(None) == len(scores), kind
    truth = both("unigram")[1]
    scores = [subjects()["unigram, bytes"].facts(400).score, both("unigram, bytes")[1].get_score(400)]
    assert scores[0] == pytest.approx(scores[1]) and truth.get_piece_size() > 100


def test_ids_are_the_text_again() -> None:
    """The tokenizer's own ids of a text, written as people write lists; their bytes are the text's."""
    for kind, subject in subjects().items():
        text = "for elem in it" if kind != "vocab.txt" else "the"
        ids = list(subject.encode(text).ids)
        assert ids_written(subject, str(ids)) == ids == ids_written(subject, " ".join(map(str, ids))), kind
        data = b"".join(map(subject.token_bytes, ids)).decode()
        assert data.replace(" ", "") == text.replace(" ", ""), kind
    data, pairs = minbpe(r"\w+|\W", {}, TEXT, 60)
    assert list(load({"x.model": data}).encode("for elem in it").ids) == encoded(
        r"\w+|\W", pairs, "for elem in it"
    )


@pytest.mark.parametrize("pattern", ["(?a)(?u)x", "(?R)", "(?:(?:a{1000}){1000}){1000}", "(a", "(" * 99])
def test_no_pattern_costs_others_their_memory(pattern: str) -> None:
    """It is refused before it is compiled, as in a corpus's settings, with its remedy."""
    with pytest.raises(LookupFailed, match=r"is not a regular expression: .+; fix it, or search for a text"):
        search(gpt2(), "regex", pattern)


def test_a_search_that_takes_for_ever_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "SEARCH_SECONDS", 0.4)
    start = time.process_time()
    with pytest.raises(LookupFailed) as caught:
        search(gpt2(), "regex", r"(?:=|==)+(?<!=)$")  # GPT-2 has a token of 64 equals signs
    assert caught.value.why == "slow" and time.process_time() - start < 5
