"""From tokens back to text (`tokenizers_core/encoding/decoders.py`).

Oracle: the decoders of the `tokenizers` library, on tokens of any kind; and its `decode` for the engine's
tokenizers, each with its pipeline's decoder.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import decoders

from tests.core.test_tokenizer import CHARACTER_JUDGES, MULTILINGUAL, isolated, judge, texts, trained
from tests.samples import examples
from tokenizers_core import TEMPLATES, Corpus, Padding, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.decoders import (
    BpeDecoder,
    ByteLevelDecoder,
    Decoder,
    MetaspaceDecoder,
    SpaceDecoder,
    WordPieceDecoder,
)
from tokenizers_core.encoding.tokenizer import decoder_for
from tokenizers_core.errors import SettingError, UnknownNameError
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokenizers_core.text.patterns import PATTERNS

thorough = examples(100)

tokens = st.lists(
    st.one_of(
        st.text("ab ▁_#</w>.?!,'ntmsvedo", min_size=1, max_size=6),
        st.sampled_from(
            ["##a", "####b", "▁", "▁▁", "</w>", "a</w></w>", "n't", "'s", "do not", "'", ".", "[SEP]"]
        ),
        st.text(BYTE_TO_SYMBOL, min_size=1, max_size=4),
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3),
    ),
    max_size=6,
)

PAIRS: dict[str, tuple[Decoder, decoders.Decoder]] = {
    "byte_level": (ByteLevelDecoder(), decoders.ByteLevel()),
    "wordpiece": (WordPieceDecoder(), decoders.WordPiece()),
    "wordpiece_as_it_is": (WordPieceDecoder(cleanup=False), decoders.WordPiece(cleanup=False)),
    "wordpiece_prefix": (WordPieceDecoder("a", cleanup=False), decoders.WordPiece("a", cleanup=False)),
    "metaspace": (MetaspaceDecoder(), decoders.Metaspace()),
    "metaspace_first": (MetaspaceDecoder(prepend_scheme="first"), decoders.Metaspace(prepend_scheme="first")),
    "metaspace_never": (MetaspaceDecoder(prepend_scheme="never"), decoders.Metaspace(prepend_scheme="never")),
    "metaspace_sign": (MetaspaceDecoder("_"), decoders.Metaspace("_")),
    "bpe": (BpeDecoder(), decoders.BPEDecoder(suffix="</w>")),
    "bpe_suffix": (BpeDecoder("a"), decoders.BPEDecoder(suffix="a")),
}


@pytest.mark.parametrize("name", PAIRS)
def test_decoders_are_the_librarys(name: str) -> None:
    ours, theirs = PAIRS[name]

    @thorough
    @example(["Ã", "©", "Ġ", "<é>", "é"])
    @example(["do", "n't", "do not", "'", "s", ".", "?", "!", ",", "' ", "'m", "'s", "'ve", "'re"])
    @given(tokens)
    def check(some: list[str]) -> None:
        assert ours.decode(some) == theirs.decode(some) if some else ours.decode(some) == ""

    check()


LIBRARYS: dict[str, decoders.Decoder | None] = {
    "byte_level": decoders.ByteLevel(),
    "whitespace_split": None,
    "whitespace": None,
    "bert": None,
    "metaspace": decoders.Metaspace(),
    "whitespace_split_metaspace": decoders.Metaspace(),
    "none": decoders.Metaspace(prepend_scheme="never"),
}


@pytest.mark.parametrize("name", LIBRARYS)
def test_the_decoder_of_a_pipeline_reads_as_the_library_does(name: str) -> None:
    tokenizer = trained(name, special_tokens=["<s>"]).tokenizer()
    judges = {**CHARACTER_JUDGES, "byte_level": isolated(PATTERNS["gpt2"])}
    theirs = judge(tokenizer, judges[name])
    if LIBRARYS[name] is not None:
        theirs.decoder = LIBRARYS[name]
    assert tokenizer.decoder == decoder_for(tokenizer.pipeline, tokenizer.model)

    @thorough
    @example(MULTILINGUAL.replace("\n", " "), 0)
    @given(texts, st.integers(0, 4))
    def check(text: str, start: int) -> None:
        ids = tokenizer.ids(text)[start:]
        for skip in (False, True):
            assert tokenizer.decode(ids, skip) == theirs.decode(ids, skip_special_tokens=skip)

    check()


def test_which_decoder_belongs_to_what() -> None:
    def of(name: str) -> Decoder:
        return train_bpe(Corpus.from_texts(["to be"], pre_tokenizer=name), merges=0).tokenizer().decoder

    assert of("byte_level") == ByteLevelDecoder()
    assert of("end_of_word") == BpeDecoder("</w>")
    assert of("metaspace") == of("whitespace_split_metaspace") == MetaspaceDecoder(prepend_scheme="always")
    assert of("none") == MetaspaceDecoder(prepend_scheme="never")
    assert of("bert") == SpaceDecoder()
    wordpiece = train_wordpiece(Corpus.from_texts(["to be"], pre_tokenizer="bert"), merges=0).tokenizer()
    assert wordpiece.decoder == WordPieceDecoder("##", cleanup=False)
    ids = wordpiece.ids("to be")
    assert wordpiece.decode(ids) == "to be"
    chosen = wordpiece.with_options(decoder=SpaceDecoder())
    assert chosen.decode(ids) == "t ##o b ##e"
    assert chosen.with_options(decoder=None).decoder == wordpiece.decoder
    assert chosen.with_options(template=None).decoder == SpaceDecoder()


def test_a_special_token_stands_for_its_own_text() -> None:
    """Known difference: the library would read `<é>` in the byte alphabet, and its é as half a character."""
    tokenizer = train_bpe(Corpus.from_texts(["to be"]), special_tokens=["<é>"], alphabet="bytes").tokenizer()
    ids = tokenizer.ids("to <é>")
    assert tokenizer.decode(ids) == "to <é>"
    assert decoders.ByteLevel().decode(["<é>"]) == "<\ufffd>"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "to "


def test_a_suffix_that_a_text_spells_out_is_no_end_of_a_word() -> None:
    tokenizer = train_bpe(Corpus.from_texts(["a </w>"], pre_tokenizer="end_of_word"), merges=0).tokenizer()
    assert tokenizer.decode(tokenizer.ids("a </w> a")) == "a </w> a"


def test_the_templates_tokens_and_pads_are_special() -> None:
    """Even without special tokens in training's settings: here the corpus has spelled them out."""
    corpus = Corpus.from_texts(["[CLS] [SEP] [PAD] to"], pre_tokenizer="whitespace_split")
    plain = train_bpe(corpus).tokenizer()
    vocab = plain.vocab
    assert "[CLS]" not in plain.special_tokens
    tokenizer = plain.with_options(
        template=TEMPLATES["bert"], padding=Padding(pad_id=vocab["[PAD]"], pad_token="[PAD]", length=5)
    )
    encoding = tokenizer.encode("to")
    assert encoding.tokens == ["[CLS]", "to", "[SEP]", "[PAD]", "[PAD]"]
    assert tokenizer.decode(encoding.ids) == "[CLS] to [SEP] [PAD] [PAD]"
    assert tokenizer.decode(encoding.ids, skip_special_tokens=True) == "to"
    assert plain.decode(encoding.ids, skip_special_tokens=True) == "[CLS] to [SEP] [PAD] [PAD]"
    assert tokenizer.token_bytes(vocab["[CLS]"]) == b"[CLS]"


def test_bytes_that_spell_the_byte_alphabet_are_read_twice() -> None:
    """A byte-level pipeline with symbols unknown to Unigram; it falls back to the symbols' bytes."""
    tokenizer = train_unigram(Corpus.from_texts(["to be"]), vocab_size=10).tokenizer(byte_fallback=True)
    assert tokenizer.decode(tokenizer.ids("to é🦊 be")) == "to é🦊 be"


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(UnknownNameError, match="prepend_scheme='sometimes' is not known"):
        MetaspaceDecoder(prepend_scheme="sometimes")
    for replacement in ("", "__"):
        with pytest.raises(SettingError, match="choose one character"):
            MetaspaceDecoder(replacement)
    with pytest.raises(SettingError, match="the suffix is empty"):
        BpeDecoder("")
    for decoder, _ in PAIRS.values():
        assert decoder.decode([]) == ""
    assert SpaceDecoder().decode([]) == ""
