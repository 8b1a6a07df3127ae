"""Byte fallback in training: 256 byte pieces in the vocabulary, to spell everything else.

Oracles: the `tokenizers` library with our files; SentencePiece trained with `byte_fallback`, for the byte
pieces' place in its vocabulary, their scores in its table, and its treatment of unseen characters.
"""

from __future__ import annotations

import io
from typing import Any

import pytest
import sentencepiece
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.text import library_text
from tests.samples import examples
from tokenizers_core import Corpus, tokenizer_from_json, tokenizer_to_json, train_bpe, train_unigram
from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.errors import SettingError
from tokenizers_core.files.exports import pieces_tsv

SPLITS = ["whitespace_split", "whitespace_split_metaspace", "metaspace"]
UNSEEN = "a 茶 b🙂 ñé"


def lines() -> list[str]:
    return library_text(200_000).splitlines()


def train(algorithm: str, corpus: Corpus, size: int, **settings: Any) -> Any:
    if algorithm == "bpe":
        return train_bpe(corpus, size, special_tokens=["<s>"], byte_fallback=True, **settings)
    return train_unigram(corpus, None, size, "sentencepiece", special_tokens=["<unk>"], byte_fallback=True)


@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
def test_two_hundred_kilobytes_in_the_library(algorithm: str) -> None:
    """The file loads and gives the same ids, for seen and unseen text; nothing is unknown, and decoding gives
    it back."""
    corpus = Corpus.from_texts(lines(), pre_tokenizer="whitespace_split_metaspace")
    trace = train(algorithm, corpus, 900)
    assert (
        trace.tokens[1:257] == tuple(BYTE_TOKENS)
        if algorithm == "bpe"
        else trace[-1].vocab[1:257] == tuple(BYTE_TOKENS)
    )
    tokenizer = trace.tokenizer()
    read = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    for text in [*lines()[:150], UNSEEN]:
        assert read.encode(text).ids == tokenizer.ids(text)
        assert (
            read.decode(tokenizer.ids(text))
            == tokenizer.decode(tokenizer.ids(text))
            == " ".join(text.split())
        )
    tokens = tokenizer.encode(UNSEEN).tokens
    assert "<0xE8>" in tokens and not {"<s>", "<unk>"} & {*tokens}
    assert tokenizer_from_json(tokenizer_to_json(tokenizer)).ids(UNSEEN) == tokenizer.ids(UNSEEN)


def test_the_vocabulary_is_laid_out_as_sentencepieces() -> None:
    """Behind the special tokens, in order, with 0 in the table; and unknown characters have the same
    bytes."""
    stored = io.BytesIO()
    trainer: Any = sentencepiece.SentencePieceTrainer
    trainer.train(
        sentence_iterator=iter(lines()), model_writer=stored, vocab_size=900, byte_fallback=True, character_coverage=1.0,
        normalization_rule_name="identity", num_threads=1, minloglevel=2, bos_id=-1, eos_id=-1,
    )  # fmt: skip
    theirs = sentencepiece.SentencePieceProcessor(model_proto=stored.getvalue())
    corpus = Corpus.from_texts(lines(), pre_tokenizer="whitespace_split_metaspace")
    trace = train("unigram", corpus, 900)
    rows = [row.split("\t") for row in pieces_tsv(trace).splitlines()]
    assert [piece for piece, _score in rows[:257]] == [theirs.id_to_piece(number) for number in range(257)]
    assert (
        {float(score) for _piece, score in rows[1:257]}
        == {theirs.get_score(number) for number in range(1, 257)}
        == {0.0}
    )
    assert len(rows) == theirs.vocab_size() == 900
    for text in ("茶", "🙂", "ñ"):
        mine, other = trace.tokenizer().encode(text).tokens, theirs.encode(text, out_type=str)
        assert (
            [one for one in mine if one in BYTE_TOKENS] == [one for one in other if one in BYTE_TOKENS] != []
        )


texts = st.lists(st.text("ab<0x41>é", min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=5)


@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
@examples(60)
@given(texts, st.text("ab<0x41>é茶🙂 ", max_size=12), st.sampled_from(SPLITS))
def test_any_text_encodes_as_in_the_library(algorithm: str, corpora: list[str], text: str, pre: str) -> None:
    corpus = Corpus.from_texts(corpora, pre_tokenizer=pre)
    if algorithm == "bpe":
        trace: Any = train_bpe(corpus, byte_fallback=True)
    else:
        trace = train_unigram(corpus, 200, None, byte_fallback=True)
    tokenizer = trace.tokenizer()
    read = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    assert read.encode(text).ids == tokenizer.ids(text)


def test_pieces_spelled_out_in_a_text_are_text() -> None:
    """As in SentencePiece. (The `tokenizers` library takes them for the bytes in Unigram, against the
    file.)"""
    corpus = Corpus.from_texts(["ab <0x41> c"] * 3, pre_tokenizer="metaspace")
    for tokenizer in (
        train_bpe(corpus, byte_fallback=True).tokenizer(),
        train_unigram(corpus, 99, None, byte_fallback=True).tokenizer(),
    ):
        assert (
            tokenizer.vocab["<0x41>"] not in tokenizer.ids("<0x41>")
            and tokenizer.decode(tokenizer.ids("<0x41>")) == "<0x41>"
        )


def test_text_that_reads_like_a_byte_piece_never_becomes_one() -> None:
    """The last merge into `<0x41>` is excluded, and recorded so."""
    trace = train_bpe(Corpus.from_counts({"<0x41>": 9}, pre_tokenizer="whitespace_split"), byte_fallback=True)
    assert trace.stop_reason == "bounds" and trace.tokenizer().encode("<0x41>").tokens != ["<0x41>"]
    assert "".join(trace.tokenizer().encode("<0x41>").tokens) == "<0x41>"


def test_characters_outside_the_alphabet_are_spelled_in_bytes() -> None:
    trace = train_bpe(Corpus.from_counts({"hugs": 5, "pug": 2}), limit_alphabet=3, byte_fallback=True)
    assert trace.tokenizer().encode("hugs").tokens == ["hug", "<0x73>"] and trace.left_out == {"s": 5, "p": 2}


@pytest.mark.parametrize(
    ("settings", "message"), [({}, "byte_level"), ({"extend": True}, "byte_level|old tokenizer")]
)
def test_where_bytes_have_nothing_to_spell(settings: dict[str, Any], message: str) -> None:
    corpus = Corpus.from_texts(["hug"], pre_tokenizer="whitespace_split" if settings else "byte_level")
    if settings:
        settings = {"extend": train_bpe(corpus).tokenizer()}
    with pytest.raises(SettingError, match=f"^byte_fallback=True can't be used: .*({message})"):
        train_bpe(corpus, byte_fallback=True, **settings)
