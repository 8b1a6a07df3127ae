"""A tokenizer of letters, the same in the `tokenizers` library, and the comparison of both encodings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
import tokenizers
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, processors

from tests.core.test_tokenizer import CHARACTER_JUDGES, isolated, texts, trained
from tests.samples import examples
from tokenizers_core import (
    Corpus,
    Tokenizer,
    train_wordpiece,
)
from tokenizers_core.errors import TruncationError
from tokenizers_core.text.patterns import PATTERNS

JUDGES = {**CHARACTER_JUDGES, "byte_level": isolated(PATTERNS["gpt2"])}
hostile = st.one_of(
    texts, st.sampled_from(["", " ", "   ", "\n", "[SEP]", "[CLS] hug [SEP]", "é", "👨‍👩‍👧", "e\u0301"])
)


@cache
def of_pipeline(name: str) -> Tokenizer:
    return trained(name, special_tokens=SPECIALS).tokenizer()


thorough = examples(25)

SPECIALS = ("[PAD]", "[CLS]", "[SEP]", "<s>", "</s>", "<sep>", "<cls>")
LISTS = (
    "ids",
    "tokens",
    "offsets",
    "word_ids",
    "type_ids",
    "sequence_ids",
    "special_tokens_mask",
    "attention_mask",
    "n_sequences",
)


def seen(encoding: Any, without: Sequence[str] = ()) -> tuple[Any, ...]:
    """All properties of an encoding, the library's or ours, with the overflow, nested."""
    messages = [getattr(encoding, name) for name in LISTS if name not in without]
    return *messages, [seen(other, without) for other in encoding.overflowing]


def ways(encoding: Any, characters: int, sequences: Sequence[int] = (0, 1, 2)) -> list[Any]:
    """Every way between characters, tokens and words, with missing places; sequence 2 is always missing."""
    tokens = range(len(encoding.ids) + 2)
    words = range(max([-1, *(word for word in encoding.word_ids if word is not None)]) + 3)
    results: list[Any] = []
    for token in tokens:
        if token != len(encoding.ids):  # there the library gives a text without a template, and None with one
            results.append(("token_to_sequence", token, encoding.token_to_sequence(token)))
        results.append((token, encoding.token_to_chars(token), encoding.token_to_word(token)))
    for sequence in sequences:
        for index in range(characters + 2):
            results.append(
                (index, encoding.char_to_token(index, sequence), encoding.char_to_word(index, sequence))
            )
        for word in words:
            results.append(
                (word, encoding.word_to_tokens(word, sequence), encoding.word_to_chars(word, sequence))
            )
    return results


def around(theirs: tokenizers.Tokenizer, ours: Tokenizer) -> tokenizers.Tokenizer:
    """The library's tokenizer with our template, truncation and padding."""
    if ours.template:
        theirs.post_processor = processors.TemplateProcessing(
            single=ours.template.single,
            pair=ours.template.pair,
            special_tokens=[(token, ours.vocab[token]) for token in ours.template.special_tokens],
        )
    if cut := ours.truncation:
        theirs.enable_truncation(
            cut.max_length, stride=cut.stride, strategy=cut.strategy, direction=cut.direction
        )
    if pad := ours.padding:
        theirs.enable_padding(
            direction=pad.direction,
            pad_id=pad.pad_id,
            pad_type_id=pad.pad_type_id,
            pad_token=pad.pad_token,
            length=pad.length,
            pad_to_multiple_of=pad.multiple_of,
        )
    return theirs


LETTERS = "abcdefghij"


@cache
def lettered() -> Tokenizer:
    """Each letter between spaces is a token."""
    corpus = Corpus.from_texts([LETTERS, " ".join(LETTERS)], pre_tokenizer="bert")
    return train_wordpiece(corpus, special_tokens=SPECIALS, merges=0).tokenizer()


def library(ours: Tokenizer) -> tokenizers.Tokenizer:
    theirs = tokenizers.Tokenizer(models.WordPiece(dict(ours.vocab), unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.add_special_tokens(list(ours.special_tokens))
    return around(theirs, ours)


def letters(length: int) -> str:
    return " ".join(LETTERS[:length])


def agree(ours: Tokenizer, theirs: tokenizers.Tokenizer, *texts: Any, without: Sequence[str] = ()) -> str:
    """Check that both encode the same texts alike; the reason if both refuse."""
    try:
        encoding = ours.encode(*texts)
    except TruncationError as error:
        if error.why != "stride":  # the library panics, slowly: one such case is enough
            with pytest.raises(Exception, match="too short" if error.why == "too_short" else "not provided"):
                theirs.encode(*texts)
        return error.why
    assert seen(encoding, without) == seen(theirs.encode(*texts), without), texts
    return ""
