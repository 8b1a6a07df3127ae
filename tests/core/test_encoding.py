"""Encodings (`tokenizers_core/encoding/encoding.py`): the properties of every token.

Oracles: the `tokenizers` library with the same vocabulary, template, truncation and padding, for every
property and every way between characters, tokens and words.

Known differences, where the library is at odds with itself (`Encoding` says which): they are left out of the
comparison here by name, and have tests of their own. A further one is older: with NFC and NFKC a composed
character has its whole source, and in the library only the first part of it.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import normalizers, pre_tokenizers

from tests.core.encodings import (
    JUDGES,
    SPECIALS,
    around,
    hostile,
    lettered,
    letters,
    of_pipeline,
    seen,
    thorough,
    ways,
)
from tests.core.test_tokenizer import MULTILINGUAL, judge, trained
from tokenizers_core import (
    TEMPLATES,
    Corpus,
    Padding,
    Tokenizer,
    Truncation,
    train_bpe,
)

# --- Everything about every token, through every pipeline ---------------------------------------------------


@pytest.mark.parametrize("template", ["none", "bert", "xlnet"])
@pytest.mark.parametrize("name", JUDGES)
def test_everything_is_the_librarys(name: str, template: str) -> None:
    ours = of_pipeline(name).with_options(template=TEMPLATES[template])
    theirs = around(judge(ours, JUDGES[name]), ours)

    @thorough
    @example(MULTILINGUAL.replace("\n", " ")[:200], "👍🏽👨‍👩‍👧 e\u0301 ﬁ [SEP] ▁ Ġ </w>", True)
    @example("", "", True)
    @given(hostile, st.none() | hostile, st.booleans())
    def check(text: str, pair: str | None, added: bool) -> None:
        encoding, expected = (
            ours.encode(text, pair, added),
            theirs.encode(text, pair, add_special_tokens=added),
        )
        assert seen(encoding) == seen(expected)
        longest = max(len(text), len(pair or ""))
        assert ways(encoding, longest) == ways(expected, longest)
        assert encoding.texts == ((text,) if pair is None else (text, pair))
        assert len(encoding) == len(encoding.ids)

    check()


@pytest.mark.parametrize("name", ["lowercase", "bert_uncased", "nfd"])
def test_everything_through_a_normalizer(name: str) -> None:
    normalizer = {
        "lowercase": normalizers.Lowercase(),
        "bert_uncased": normalizers.BertNormalizer(lowercase=True),
        "nfd": normalizers.NFD(),
    }[name]
    ours = trained("bert", normalizer=name, special_tokens=SPECIALS).tokenizer()
    ours = ours.with_options(template=TEMPLATES["bert"])
    theirs = around(judge(ours, pre_tokenizers.BertPreTokenizer(), normalizer), ours)

    @thorough
    @example("Ünïcödé Straße 中文", "É")
    @given(hostile, hostile)
    def check(text: str, pair: str) -> None:
        # Special tokens with another normalized form are a matter of the library's added tokens, not of ours.
        text, pair = (one.replace("[UNK]", "").replace("[", "(").replace("<", "(") for one in (text, pair))
        encoding, expected = ours.encode(text, pair), theirs.encode(text, pair)
        assert seen(encoding) == seen(expected)
        assert ways(encoding, 40) == ways(expected, 40)

    check()


def test_a_composed_character_has_all_that_it_was_composed_from() -> None:
    """Known difference: in the library it has the first part only."""
    ours = trained("bert", normalizer="nfc", special_tokens=SPECIALS).tokenizer()
    theirs = judge(ours, pre_tokenizers.BertPreTokenizer(), normalizers.NFC())
    encoding, expected = ours.encode("e\u0301 x"), theirs.encode("e\u0301 x")
    assert (encoding.ids, encoding.word_ids) == (expected.ids, expected.word_ids)
    assert (encoding.offsets, expected.offsets) == ([(0, 2), (3, 4)], [(0, 1), (3, 4)])
    assert (encoding.char_to_token(1), expected.char_to_token(1)) == (0, None)


def test_invalid_positions() -> None:
    encoding = lettered().with_options(template=TEMPLATES["bert"]).encode("a b", "c")
    for index in (-1, 99):
        assert encoding.token_to_chars(index) is encoding.token_to_word(index) is None
        assert encoding.token_to_sequence(index) is encoding.char_to_token(index) is None
        assert (
            encoding.char_to_word(index)
            is encoding.word_to_chars(index)
            is encoding.word_to_tokens(index)
            is None
        )
    assert encoding.char_to_token(0, -1) is encoding.word_to_tokens(0, -1) is None
    assert (encoding.text, encoding.texts) == ("a b", ("a b", "c"))


# --- One tokenizer, many options ----------------------------------------------------------------------------


def test_tokenizers_with_other_options_share_the_model() -> None:
    plain = lettered()
    changed = plain.with_options(template=TEMPLATES["bert"], padding=Padding(length=4))
    assert changed.model is plain.model and changed.pipeline is plain.pipeline
    assert (plain.template, plain.padding, changed.special_tokens) == (None, None, plain.special_tokens)
    assert changed.with_options(template=None).encode("a").tokens == ["a", "[PAD]", "[PAD]", "[PAD]"]
    assert changed.ids("a") == plain.ids("a") == [plain.vocab["a"]]
    assert changed.with_options(special_tokens=()).encode("a", add_special_tokens=False).tokens[0] == "a"
    with pytest.raises(TypeError):
        plain.with_options(colour="red")
    with pytest.raises(TypeError, match="inputs is one string"):
        plain.encode_batch("abc")


@pytest.mark.parametrize("text", ["", "to be", "né 茶 😀\n", "a<s>é</s>", "e\u0301 <s>", "  "])
@pytest.mark.parametrize("normalizer", ["none", "nfc"])
def test_offsets_by_lengths_are_those_of_the_words(text: str, normalizer: str) -> None:
    """Oracle: `align`, which looks at each word and is compared with the library."""
    corpus = Corpus.from_texts(["to be né 茶"], normalizer, "byte_level")
    tokenizer = train_bpe(corpus, merges=9, special_tokens=["<s>", "</s>"], alphabet="bytes").tokenizer()
    quick = tokenizer.quick_offsets(text, tokenizer.ids(text))
    assert quick == (None if normalizer == "nfc" and "e\u0301" in text else tokenizer.align(text)[0])


@pytest.mark.parametrize(("pattern", "text"), [(r"\w+", "to be"), ("gpt2", "to 茶")])
def test_offsets_by_lengths_need_tokens_for_all_bytes(pattern: str, text: str) -> None:
    """A pattern of one's own may leave text out, and an alphabet without a byte makes unknown tokens."""
    tokenizer = train_bpe(Corpus.from_texts(["to be"], pattern=pattern), merges=1).tokenizer()
    ids = tokenizer.ids(text)
    assert tokenizer.quick_offsets(text, ids) is None or pattern == r"\w+"
    assert tokenizer.encode(text).offsets == tokenizer.align(text)[0]


def test_offsets_are_computed_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[str] = []
    align = Tokenizer.align
    monkeypatch.setattr(Tokenizer, "align", lambda self, text: requests.append(text) or align(self, text))
    tokenizer = lettered().with_options(template=TEMPLATES["bert"], truncation=Truncation(5, 1))
    encoding = tokenizer.encode(letters(8))
    assert encoding.ids and encoding.tokens and encoding.type_ids and encoding.overflowing[1].attention_mask
    assert requests == []
    assert [window.offsets[1] for window in (encoding, *encoding.overflowing)] == [
        (0, 1),
        (4, 5),
        (8, 9),
        (12, 13),
    ]
    assert encoding.word_ids and encoding.char_to_token(4) == 3
    assert requests == [letters(8)]
