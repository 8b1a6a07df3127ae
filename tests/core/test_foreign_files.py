"""tokenizer.json files of others: loadable ones, ones with parts missing in the engine, broken and hostile
ones.

Oracles: the `tokenizers` library, which trains and writes the files here, and encodes the same texts; the
documents of published models (GPT-2, BERT, RoBERTa, OpenAI's GPT, Llama, T5, Qwen) are rebuilt in small.
Hypothesis changes valid files at random.
"""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import (
    AddedToken,
    Regex,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from tests.samples import examples
from tokenizers_core import Tokenizer, TokenizersCoreError, errors
from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.errors import LackingPartError, TokenizerFileError, UnsavableError
from tokenizers_core.files.tokenizer_json import (
    algorithm_of,
    from_document,
    pipeline_of,
    special_tokens_of,
    template_of,
    tokenizer_from_bytes,
    tokenizer_from_json,
    tokenizer_to_json,
)
from tokenizers_core.text.patterns import PATTERNS

CORPORA = Path(__file__).parents[2] / "assets" / "corpora"
TEXT = "".join(path.read_text("utf-8") for path in sorted(CORPORA.glob("*.txt")))
LINES = [
    *TEXT.splitlines(),
    "The quick brown fox doesn't jump over 12345 lazy dogs; it's  sleeping!",
    "def f(x):\n\treturn x ** 2  # naïve\r\n",
    "ÉTÉ İstanbul, Straße ﬁn e\u0301 [SEP] <s> </s><pad> [MASK] <|endoftext|>",
    "🦊 👍🏽 x字 ꙮ 日本語",
    "",
    "  two  ",
]

# --- Files trained and written by the library ---------------------------------------------------------------


def built(
    model: Any,
    trainer: Any,
    pre_tokenizer: Any,
    normalizer: Any = None,
    post_processor: Any = None,
    decoder: Any = None,
) -> tokenizers.Tokenizer:
    """A tokenizer trained by the library. `post_processor` may need to know the tokens' ids."""
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer:
        tokenizer.normalizer = normalizer
    if decoder:
        tokenizer.decoder = decoder
    tokenizer.train_from_iterator(LINES * 2, trainer)
    if post_processor:
        tokenizer.post_processor = post_processor(tokenizer.token_to_id)
    return tokenizer


BYTES = pre_tokenizers.ByteLevel.alphabet()
BERT_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def split_to_bytes(pattern: str) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def bert_template(identifier: Callable[[str], int]) -> Any:
    return processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", identifier("[CLS]")), ("[SEP]", identifier("[SEP]"))],
    )


FOREIGN: dict[str, Callable[[], tokenizers.Tokenizer]] = {
    "gpt2": lambda: built(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=500, initial_alphabet=BYTES, special_tokens=["<|endoftext|>"]),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        post_processor=lambda _: processors.ByteLevel(trim_offsets=False),
        decoder=decoders.ByteLevel(),
    ),
    "bert": lambda: built(
        models.WordPiece(unk_token="[UNK]"),
        trainers.WordPieceTrainer(vocab_size=500, special_tokens=BERT_TOKENS),
        pre_tokenizers.BertPreTokenizer(),
        normalizers.BertNormalizer(),
        bert_template,
        decoders.WordPiece(),
    ),
    "cased bert": lambda: built(
        models.WordPiece(unk_token="[UNK]", continuing_subword_prefix="@@", max_input_chars_per_word=20),
        trainers.WordPieceTrainer(vocab_size=500, special_tokens=BERT_TOKENS, continuing_subword_prefix="@@"),
        pre_tokenizers.BertPreTokenizer(),
        normalizers.BertNormalizer(lowercase=False),
        lambda identifier: processors.BertProcessing(
            ("[SEP]", identifier("[SEP]")), ("[CLS]", identifier("[CLS]"))
        ),
        decoders.WordPiece(prefix="@@", cleanup=False),
    ),
    "llama 3": lambda: built(
        models.BPE(ignore_merges=True),
        trainers.BpeTrainer(vocab_size=500, initial_alphabet=BYTES, special_tokens=["<s>"]),
        split_to_bytes(PATTERNS["cl100k_base"]),
        post_processor=lambda identifier: processors.Sequence(
            [
                processors.ByteLevel(trim_offsets=False),
                processors.TemplateProcessing("<s> $A", "<s> $A <s>:1 $B:1", [("<s>", identifier("<s>"))]),
            ]
        ),
        decoder=decoders.ByteLevel(),
    ),
    "qwen": lambda: built(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=500, initial_alphabet=BYTES, special_tokens=["<|endoftext|>"]),
        split_to_bytes(PATTERNS["cl100k_base"].replace(r"\p{N}{1,3}", r"\p{N}")),
        normalizers.NFC(),
        lambda _: processors.ByteLevel(trim_offsets=False),
        decoders.ByteLevel(),
    ),
    "roberta": lambda: built(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=500, initial_alphabet=BYTES, special_tokens=["<s>", "<pad>", "</s>"]),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        post_processor=lambda identifier: processors.RobertaProcessing(
            ("</s>", identifier("</s>")), ("<s>", identifier("<s>")), trim_offsets=False
        ),
        decoder=decoders.ByteLevel(),
    ),
    "roberta, trimmed": lambda: built(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=500, initial_alphabet=BYTES, special_tokens=["<s>", "</s>"]),
        pre_tokenizers.ByteLevel(add_prefix_space=True),
        post_processor=lambda identifier: processors.RobertaProcessing(
            ("</s>", identifier("</s>")), ("<s>", identifier("<s>")), trim_offsets=True
        ),
        decoder=decoders.ByteLevel(),
    ),
    "trimmed without a space in front": lambda: built(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=500, initial_alphabet=BYTES, special_tokens=["<s>"]),
        pre_tokenizers.Sequence(
            [pre_tokenizers.Split("to", "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]
        ),
        normalizers.Nmt(),
        lambda identifier: processors.Sequence(
            [
                processors.TemplateProcessing("<s> $A", "<s> $A <s>:1 $B:1", [("<s>", identifier("<s>"))]),
                processors.ByteLevel(add_prefix_space=False, trim_offsets=True),
            ]
        ),
        decoders.ByteLevel(),
    ),
    "openai gpt": lambda: built(
        models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"),
        trainers.BpeTrainer(vocab_size=500, special_tokens=["<unk>"], end_of_word_suffix="</w>"),
        pre_tokenizers.BertPreTokenizer(),
        normalizers.BertNormalizer(),
        decoder=decoders.BPEDecoder(),
    ),
    "unknown in a row": lambda: built(
        models.BPE(unk_token="<unk>", fuse_unk=True),
        trainers.BpeTrainer(vocab_size=200, limit_alphabet=40, special_tokens=["<unk>"]),
        pre_tokenizers.Whitespace(),
        normalizers.Sequence(
            [normalizers.Sequence([normalizers.NFD()]), normalizers.StripAccents(), normalizers.Lowercase()]
        ),
    ),
    "bytes of the unknown": lambda: built(
        models.BPE(unk_token="<unk>", byte_fallback=True),
        trainers.BpeTrainer(
            vocab_size=500,
            limit_alphabet=40,
            special_tokens=["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))],
        ),
        pre_tokenizers.Metaspace(),
        decoder=decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()]),
    ),
    "a prefix": lambda: built(
        models.BPE(unk_token="?", continuing_subword_prefix="##"),
        trainers.BpeTrainer(vocab_size=400, special_tokens=["?"], continuing_subword_prefix="##"),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]),
        decoder=decoders.WordPiece(cleanup=False),
    ),
    "xlnet": lambda: built(
        models.Unigram(),
        trainers.UnigramTrainer(
            vocab_size=400, special_tokens=["<unk>", "<s>", "<sep>", "<cls>"], unk_token="<unk>"
        ),
        pre_tokenizers.Metaspace(),
        normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents()]),
        lambda identifier: processors.TemplateProcessing(
            "$A:0 <sep>:0 <cls>:2",
            "$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2",
            [("<sep>", identifier("<sep>")), ("<cls>", identifier("<cls>"))],
        ),
        decoders.Metaspace(),
    ),
}


@cache
def foreign(name: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """A tokenizer of the library, and ours from its file."""
    theirs = FOREIGN[name]()
    return theirs, tokenizer_from_json(theirs.to_str())


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_the_library_encodes_the_same_here(name: str) -> None:
    theirs, ours = foreign(name)
    assert {token: ours.vocab[token] for token in ours.tokens} == theirs.get_vocab()
    for text in [*LINES, "\n".join(LINES)]:
        for texts in ((text,), (text, "to be")):
            for added in (True, False):
                encoding = ours.encode(*texts, add_special_tokens=added)
                expected = theirs.encode(*texts, add_special_tokens=added)
                assert encoding.ids == expected.ids
                assert encoding.type_ids == expected.type_ids
                if name != "qwen":  # a composed character has the place of its first part there
                    assert encoding.offsets == expected.offsets
        for skip in (False, True):
            ids = encoding.ids
            assert ours.decode(ids, skip) == theirs.decode(ids, skip_special_tokens=skip)
    written = tokenizer_to_json(ours)
    assert tokenizer_to_json(tokenizer_from_json(written)) == written
    again = tokenizers.Tokenizer.from_str(written)
    assert again.encode(TEXT).ids == theirs.encode(TEXT).ids


texts = st.lists(st.sampled_from(sorted(set("".join(LINES)))) | st.sampled_from(TEXT.split()), max_size=9)


@pytest.mark.parametrize("name", FOREIGN)
def test_any_text_encodes_the_same_here(name: str) -> None:
    theirs, ours = foreign(name)

    @examples(60)
    @given(texts.map("".join))
    def check(text: str) -> None:
        encoding, expected = ours.encode(text), theirs.encode(text)
        assert encoding.ids == expected.ids
        if name != "qwen":
            assert encoding.offsets == expected.offsets

    check()


def test_without_an_unknown_token_unknown_characters_are_left_out() -> None:
    theirs = built(
        models.BPE(), trainers.BpeTrainer(vocab_size=60, limit_alphabet=20), pre_tokenizers.Whitespace()
    )
    ours = tokenizer_from_json(theirs.to_str())
    assert ours.model.unk_token == ""
    for text in LINES:
        assert ours.encode(text).ids == theirs.encode(text).ids
    # The library counts on as if the character hadn't been there, and so puts the last `a` in the place of
    # `ж`.
    text = "ae ежa"
    encoding = ours.encode(text)
    assert [text[start:end] for start, end in encoding.offsets] == encoding.tokens
    assert encoding.offsets != theirs.encode(text).offsets
    assert ours.encode("жꙮ").ids == []


def test_files_as_they_were_once_written() -> None:
    theirs, _ = foreign("gpt2")
    document = json.loads(theirs.to_str())
    del document["model"]["type"], document["model"]["ignore_merges"]
    document["model"] |= {
        "merges": [" ".join(pair) for pair in document["model"]["merges"]],
        "continuing_subword_prefix": "",
        "end_of_word_suffix": "",
    }
    document["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    for text in LINES:
        assert from_document(document).encode(text).ids == theirs.encode(text).ids
    assert algorithm_of(document) == "bpe"
    for kind, algorithm in (("xlnet", "unigram"), ("bert", "wordpiece")):
        document = json.loads(foreign(kind)[0].to_str())
        del document["model"]["type"]
        assert algorithm_of(document) == algorithm
        assert from_document(document).encode(TEXT).ids == foreign(kind)[0].encode(TEXT).ids
    document = small()
    document["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
    assert pipeline_of(document).pre_tokenizer == "metaspace"


def test_a_merge_that_is_listed_twice_has_its_last_place() -> None:
    document = small()
    document["model"] |= {
        "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "?": 5},
        "merges": ["a b", "b c", "a b"],
    }
    theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
    assert from_document(document).encode("abc").ids == theirs.encode("abc").ids == [0, 4]


def test_added_tokens_behind_the_vocabulary() -> None:
    theirs = FOREIGN["gpt2"]()
    theirs.add_special_tokens(["<new>", AddedToken("<newer>", normalized=False, special=True)])
    ours = tokenizer_from_json(theirs.to_str())
    assert ours.special_tokens == ("<|endoftext|>", "<new>", "<newer>")
    assert ours.encode("a<newer><new>").ids == theirs.encode("a<newer><new>").ids
    written = tokenizers.Tokenizer.from_str(tokenizer_to_json(ours))
    assert written.encode("a<newer><new>").ids == ours.encode("a<newer><new>").ids


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (AddedToken("<|end|>", special=True, normalized=True), AddedToken("<|end|>ab", special=False)),
        (AddedToken("ab", special=True, normalized=True), AddedToken("ab<", special=True, single_word=True)),
        (
            AddedToken("<|end|>", special=True, normalized=True),
            AddedToken("<|end|>ab", special=True, normalized=True, lstrip=True),
        ),
        (
            AddedToken("<|end|>", special=True, normalized=True),
            AddedToken(">ab", special=True, normalized=False),
        ),
    ],
)
def test_special_tokens_in_the_normalized_text_without_a_normalizer(
    first: AddedToken, second: AddedToken
) -> None:
    """They are looked for after all others, or with the ones that begin alike."""
    theirs = tokenizers.Tokenizer(models.BPE({one: at for at, one in enumerate("ab<>|endx")}, []))
    theirs.add_special_tokens([one for one in (first, second) if one.special])
    theirs.add_tokens([one for one in (first, second) if not one.special])
    ours = tokenizer_from_json(theirs.to_str())
    again = tokenizer_from_json(tokenizer_to_json(ours))
    for text in ("<|end|>ab", "ab<a", "a<|end|>abx", "ab<", "ab <|end|>"):
        assert ours.encode(text).tokens == theirs.encode(text).tokens, text
        assert again.encode(text).tokens == theirs.encode(text).tokens, text


def test_an_unknown_token_that_no_byte_needs() -> None:
    theirs = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    theirs.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet))
    ours = tokenizer_from_json(theirs.to_str())
    written = tokenizers.Tokenizer.from_str(tokenizer_to_json(ours))
    for line in LINES:
        assert ours.encode(line).ids == theirs.encode(line).ids == written.encode(line).ids
    other = json.loads(theirs.to_str()) | {"pre_tokenizer": None}
    with pytest.raises(TokenizerFileError, match=r"model\.unk_token"):
        from_document(other)
    lacking = json.loads(theirs.to_str())
    del lacking["model"]["vocab"]["!"]
    with pytest.raises(TokenizerFileError, match=r"model\.unk_token"):
        from_document(lacking | {"model": lacking["model"] | {"merges": []}})


def _words() -> tokenizers.Tokenizer:
    """Uncased, with a token for whole words and one for anywhere."""
    pieces = ("[UNK]", *"usertx", *(f"##{letter}" for letter in "usertx"))
    theirs = tokenizers.Tokenizer(
        models.WordPiece({piece: at for at, piece in enumerate(pieces)}, unk_token="[UNK]")
    )
    theirs.normalizer, theirs.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    return theirs


def _merges() -> tokenizers.Tokenizer:
    vocab = {letter: at for at, letter in enumerate("user t")}
    theirs = tokenizers.Tokenizer(models.BPE(vocab, [], ignore_merges=True))
    theirs.normalizer, theirs.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    return theirs


def _bytes() -> tokenizers.Tokenizer:
    """Its unknown token is none of its vocabulary: no byte is ever unknown."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {letter: at for at, letter in enumerate(letters)}
    theirs = tokenizers.Tokenizer(models.BPE(vocab, [], unk_token="test"))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return theirs


def _pieces() -> tokenizers.Tokenizer:
    pieces = [("<unk>", 0.0), *((letter, -1.0 - at) for at, letter in enumerate("usert "))]
    theirs = tokenizers.Tokenizer(models.Unigram(pieces, 0, False))
    theirs.normalizer = normalizers.Lowercase()
    return theirs


@pytest.mark.parametrize("make", [_words, _merges, _bytes, _pieces])
def test_added_tokens_are_no_tokens_of_the_model(make: Callable[[], tokenizers.Tokenizer]) -> None:
    """A word that was not cut out never becomes one, here or in the file written again."""
    theirs = make()
    theirs.add_tokens([AddedToken("user", single_word=True), "x"])
    theirs.add_special_tokens(["test"])
    ours = tokenizer_from_json(theirs.to_str())
    written = tokenizers.Tokenizer.from_str(tokenizer_to_json(ours))
    for text in ("user", "users", "User Test", "uX xU tests", "USER test x"):
        assert list(ours.encode(text).ids) == theirs.encode(text).ids == written.encode(text).ids, text


def test_the_parts_that_a_new_tokenizer_is_trained_with() -> None:
    document = json.loads(foreign("xlnet")[0].to_str())
    assert pipeline_of(document).normalizer == ("nfkd", "strip_accents")
    assert special_tokens_of(document) == ("<unk>", "<s>", "<sep>", "<cls>")
    document["model"] = {"type": "WordLevel", "vocab": {}, "unk_token": "?"}
    assert pipeline_of(document).pre_tokenizer == "metaspace"
    result = template_of(document)
    assert result is not None and result.special_tokens == ("<sep>", "<cls>")
    with pytest.raises(LackingPartError, match="model WordLevel"):
        algorithm_of(document)
    assert algorithm_of({"model": {"type": "BPE"}}) == "bpe"
    assert special_tokens_of({"model": {"type": "BPE"}}) == ()


# --- Missing parts ------------------------------------------------------------------------------------------


def small(**changes: Any) -> dict[str, Any]:
    """A valid document of BPE."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "unk_token": "?",
            "vocab": {"?": 0, "a": 1, "b": 2, "ab": 3},
            "merges": [["a", "b"]],
        },
    } | changes


def added(**changes: Any) -> dict[str, Any]:
    return {
        "id": 4,
        "content": "<mask>",
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    } | changes


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
NO_REGEX = BYTE_LEVEL | {"use_regex": False}


def split(pattern: str, behavior: str = "Isolated", invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(parts)}


METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
BERT = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {},
}

LACKING: list[tuple[dict[str, Any], str]] = [
    ({"normalizer": BERT | {"clean_text": False}}, "normalizer BertNormalizer with clean_text false"),
    (
        {"normalizer": BERT | {"strip_accents": True, "lowercase": False}},
        "normalizer BertNormalizer with strip_accents true",
    ),
    (
        {"pre_tokenizer": sequence(split(r"\w+"), NO_REGEX)},
        r"the regular expression '\\w+', from '\\w+' on",
    ),
    (
        {"post_processor": {"type": "BertProcessing", "cls": ["a b", 1], "sep": ["b", 2]}},
        "post_processor BertProcessing with the token 'a b'",
    ),
    (
        {"post_processor": {"type": "Sequence", "processors": [TEMPLATE, TEMPLATE]}},
        "post_processor with 2 templates",
    ),
    ({"post_processor": {"type": "Nothing"}}, "post_processor Nothing"),
    ({"decoder": {"type": "CTC"}}, "decoder CTC"),
    ({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}, "model WordLevel"),
    ({"model": small()["model"] | {"dropout": 0.1}}, "model BPE with dropout 0.1"),
    (
        {
            "model": {
                "type": "WordPiece",
                "vocab": {"?": 0},
                "unk_token": "?",
                "max_input_chars_per_word": 9999,
            }
        },
        "model WordPiece with max_input_chars_per_word 9999",
    ),
    (
        {"model": {"type": "Unigram", "unk_id": None, "vocab": [["a", -1.0]]}},
        "model Unigram without an unknown token",
    ),
    (
        {"model": {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0], ["a" * 1001, -1.0]]}},
        "model Unigram with a piece of 1001 characters",
    ),
    ({"pre_tokenizer": {"type": "FixedLength", "length": 5}}, "pre_tokenizer FixedLength"),
    (
        {"normalizer": {"type": "Replace", "pattern": {"Regex": r"\w+"}, "content": ""}},
        r"normalizer Replace of the regular expression '\\w+', from '\\w+' on",
    ),
]


@pytest.mark.parametrize(("changes", "part"), LACKING, ids=[part for _, part in LACKING])
def test_a_missing_part_is_named(changes: dict[str, Any], part: str) -> None:
    with pytest.raises(LackingPartError) as caught:
        from_document(small(**changes))
    assert part in caught.value.parts
    assert part in str(caught.value)


def test_all_missing_parts_are_named_at_once() -> None:
    document = small(
        normalizer={"type": "Sequence", "normalizers": [{"type": "Unknown"}, {"type": "Nfx"}]},
        model=small()["model"] | {"dropout": 0.5},
        decoder={"type": "CTC"},
    )
    with pytest.raises(LackingPartError) as caught:
        from_document(document)
    assert str(caught.value) == (
        "tokenizer.json uses parts that TokenSteps lacks: normalizer Unknown; normalizer Nfx; "
        "model BPE with dropout 0.5; decoder CTC. "
        "Load it with the tokenizers library, or choose another tokenizer."
    )


def test_thousands_of_lacking_parts_make_no_endless_message() -> None:
    parts = [{"type": f"Part{at}"} for at in range(4, 3000)]
    document = small(normalizer={"type": "Sequence", "normalizers": parts})
    with pytest.raises(LackingPartError) as caught:
        from_document(document)
    assert len(caught.value.parts) == 21 and caught.value.parts[-1] == "2976 more"


RARE: dict[str, dict[str, Any]] = {
    "an added token that takes spaces along, with trimmed offsets": {
        "added_tokens": [added(lstrip=True), added(id=5, content="<x>", rstrip=True)],
        "pre_tokenizer": BYTE_LEVEL,
        "post_processor": BYTE_LEVEL,
        "decoder": BYTE_LEVEL,
    },
    "padding to multiples of 0": {
        "padding": {
            "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": 0,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "?",
        },
    },
    "the head of a merges.txt": {"model": {"merges": ["#version: 0.2", "a b"]}},
    "a prefix that is a character as well": {
        "model": {"continuing_subword_prefix": "@", "vocab": {"?": 0, "@": 1, "a": 2, "@b": 3, "@@": 4}, "merges": []},
    },
    "a mark at the beginning alone, behind another cut": {
        "normalizer": {"type": "Prepend", "prepend": "a"},
        "pre_tokenizer": sequence(
            {"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated", "invert": False},
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
        ),
    },
    "a decoder of nothing": {"decoder": {"type": "Sequence", "decoders": []}},
    "a decoder of bytes alone": {
        "decoder": {"type": "ByteFallback"},
        "model": {
            "byte_fallback": True,
            "merges": [],
            "vocab": {token: index for index, token in enumerate(["?", "a", "b", *BYTE_TOKENS])},
        },
    },
}  # fmt: skip
"""Rare parts of a file → the changes of a small one."""


@pytest.mark.parametrize("part", RARE)
def test_rare_parts_are_read_as_there(part: str) -> None:
    document = small(**RARE[part])
    document["model"] = small()["model"] | document["model"]
    written = json.dumps(document)
    ours, truth = tokenizer_from_json(written), tokenizers.Tokenizer.from_str(written)
    for text in ("ab", "a <mask> b", " <mask>", "<x>  a b <mask><x> ", "@é", "@b@", "aé", "é", ""):
        encoding, expected = ours.encode(text), truth.encode(text)
        assert encoding.ids == expected.ids, text
        assert encoding.offsets == expected.offsets, text
        assert ours.decode(encoding.ids) == truth.decode(expected.ids, skip_special_tokens=False), text


def test_parts_that_amount_to_ours() -> None:
    same = {
        "bert_cased": BERT | {"lowercase": False},
        "bert_uncased": BERT | {"strip_accents": True},
        "lowercase": BERT | {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False},
        "none": {"type": "Sequence", "normalizers": []},
        ("bert_cased", "lowercase"): BERT | {"strip_accents": False},
    }
    for name, normalizer in same.items():
        assert pipeline_of(small(normalizer=normalizer)).normalizer == name
    cut = {
        "gpt2": sequence(sequence(split(PATTERNS["gpt2"], "Removed", True)), NO_REGEX),
        "cl100k_base": sequence(split(PATTERNS["cl100k_base"]), sequence(NO_REGEX)),
        "a|b": sequence(split("a|b"), NO_REGEX),
        r"\.": sequence(split("") | {"pattern": {"String": "."}}, NO_REGEX),
    }
    for pattern, pre_tokenizer in cut.items():
        assert pipeline_of(small(pre_tokenizer=pre_tokenizer)).pattern == pattern
    assert pipeline_of(small(pre_tokenizer=sequence(METASPACE))).pre_tokenizer == "metaspace"


# --- Broken and hostile files -------------------------------------------------------------------------------

UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0.0], ["a", -1.0]], "byte_fallback": False}


def model(**changes: Any) -> dict[str, Any]:
    return small(model=small()["model"] | changes)


WRONG: dict[str, tuple[Any, str]] = {
    "null": (None, "the file in tokenizer.json is null, but must be an object"),
    "a list": ([1, 2], r"the file in tokenizer.json is \[1, 2\], but must be an object"),
    "empty": ({}, "model in tokenizer.json is missing"),
    "no object": (small(model=[]), r"model in tokenizer.json is \[\], but must be an object"),
    "version": (small(version="2.0"), "version in tokenizer.json is '2.0', but must be '1.0'"),
    "a huge id": (model(vocab={"?": 0, "a": 10**9}), r"model.vocab\['a'\] in tokenizer.json is 1000000000"),
    "an endless id": (model(vocab={"?": 0, "a": 10**9999}), "is a very long number"),
    "a negative id": (model(vocab={"?": 0, "a": -1}), r"model.vocab\['a'\] in tokenizer.json is -1"),
    "a bool for an id": (model(vocab={"?": 0, "a": True}), r"model.vocab\['a'\] in tokenizer.json is true"),
    "a fraction": (model(vocab={"?": 0, "a": 1.5}), r"model.vocab\['a'\] in tokenizer.json is 1.5"),
    "an id twice": (model(vocab={"?": 0, "a": 1, "b": 1}), "but must be an id other than that of 'a'"),
    "an unknown merge": (model(merges=[["a", "x"]]), r"model.merges\[0\] .* which lacks 'x'"),
    "a merge of three": (model(merges=["a b c"]), r"model.merges\[0\] .* must be two tokens"),
    "a merge of none": (model(merges=[[]]), r"model.merges\[0\] .* must be two tokens"),
    "a merge of numbers": (model(merges=[[1, 2]]), r"model.merges\[0\] .* must be two tokens"),
    "merges of text": (model(merges="a b"), "model.merges .* must be a list"),
    "an unknown token": (model(unk_token="<unk>"), "model.unk_token .* must be a token of the vocabulary"),
    "a surrogate": (model(vocab={"?": 0, "\ud800": 1}), "without lone surrogates"),
    "no flag": (model(fuse_unk=1), "model.fuse_unk in tokenizer.json is 1, but must be true or false"),
    "no dropout": (model(dropout="much"), "model.dropout"),
    "scores": (small(model=UNIGRAM | {"vocab": [["?", 0], ["a", 1e300]]}), r"model.vocab\[1\] .* a number"),
    "infinity": (small(model=UNIGRAM | {"vocab": [["?", float("inf")]]}), r"model.vocab\[0\] .* a number"),
    "no number": (small(model=UNIGRAM | {"vocab": [["?", float("nan")]]}), r"model.vocab\[0\] .* a number"),
    "no pair": (small(model=UNIGRAM | {"vocab": [["?", 0, 0]]}), r"model.vocab\[0\]"),
    "a piece twice": (small(model=UNIGRAM | {"vocab": [["?", 0], ["?", 0]]}), "not listed earlier"),
    "an empty piece": (small(model=UNIGRAM | {"vocab": [["", 0]]}), "at least one character"),
    "no such piece": (small(model=UNIGRAM | {"unk_id": 2}), "model.unk_id"),
    "no pieces": (small(model=UNIGRAM | {"vocab": []}), "model.unk_id"),
    "no unknown": (small(model={"type": "WordPiece", "vocab": {"a": 0}}), "model.unk_token"),
    "an added id twice": (
        small(added_tokens=[added(), added(content="x")]),
        "an id other than that of '<mask>'",
    ),
    "another's id": (small(added_tokens=[added(id=1)]), r"added_tokens\[0\].id .* than that of 'a'"),
    "two ids": (small(added_tokens=[added(content="a")]), r"added_tokens\[0\].id .* 1, as in the vocabulary"),
    "an empty token": (small(added_tokens=[added(content="")]), r"added_tokens\[0\].content"),
    "no token": (small(added_tokens=[7]), r"added_tokens\[0\] in tokenizer.json is 7"),
    "no type": (small(normalizer={}), "normalizer.type in tokenizer.json is missing"),
    "truncation": (small(truncation={"max_length": True}), "truncation.max_length"),
    "padding": (small(padding={"strategy": "Most"}), "padding.strategy .* one of BatchLongest"),
    "a template": (
        small(post_processor=TEMPLATE | {"single": [{}]}),
        r"post_processor.single\[0\].SpecialToken",
    ),
    "a replacement": (small(pre_tokenizer={"type": "Metaspace"}), "pre_tokenizer.replacement"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_name_the_problem(name: str) -> None:
    document, message = WRONG[name]
    with pytest.raises(TokenizerFileError, match=message) as caught:
        from_document(document)
    assert str(caught.value).endswith("; fix the file, or save the tokenizer again.")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not JSON: Expecting value"),
        (b"\x00\x01\x02\xff", "Byte 3 of the file is not UTF-8"),
        (json.dumps(small()).encode("utf-16"), "Byte 0 of the file is not UTF-8"),
        (json.dumps(small()).encode()[:-30], "not JSON: "),
        (b'{"model": NaN}', "not JSON: NaN is no number"),
        (b'{"model": -Infinity}', "not JSON: -Infinity is no number"),
        (b'{"model": ' + b"9" * 5000 + b"}", "not JSON: "),
        (b"[" * 100_000, "nested too deeply"),
        (b"null", "is null, but must be an object"),
        (b"PK\x03\x04" + bytes(100), "not JSON: "),
    ],
)
def test_invalid_files(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(TokenizerFileError, match=message):
        tokenizer_from_bytes(data)
    path = tmp_path / "tokenizer.json"
    path.write_bytes(data)
    with pytest.raises(TokenizerFileError, match=message):
        Tokenizer.load(path)


def test_deep_nesting_is_refused_without_recursion() -> None:
    for key, children in (
        ("normalizer", "normalizers"),
        ("pre_tokenizer", "pretokenizers"),
        ("post_processor", "processors"),
        ("decoder", "decoders"),
    ):
        nested: dict[str, Any] = {"type": "Sequence", children: []}
        for _ in range(50_000):
            nested = {"type": "Sequence", children: [nested]}
        with pytest.raises(TokenizerFileError, match="nested too deeply"):
            from_document(small(**{key: nested}))
        while nested[children]:  # taken apart by hand, as Python would do it by recursion
            nested = nested[children].pop()


@pytest.mark.parametrize(
    "document",
    [
        model(vocab={"?": 0, "a": 999_999}),
        small(added_tokens=[added(id=999_999)]),
        small(padding={"strategy": {"Fixed": 10**12}}),
        small(model=UNIGRAM | {"unk_id": 10**9}),
        small(pre_tokenizer=sequence(split("(" * 20_000), NO_REGEX)),
        small(pre_tokenizer=sequence(split("a" * 20_000), NO_REGEX)),
    ],
)
def test_small_files_take_no_time_and_room(document: dict[str, Any]) -> None:
    begin = time.thread_time()
    with pytest.raises(TokenizersCoreError):
        from_document(document)
    assert time.thread_time() - begin < 5


def test_a_pattern_that_never_ends_is_stopped() -> None:
    document = small(pre_tokenizer=sequence(split("(?:a|a)+!"), NO_REGEX))
    loaded = from_document(document)
    assert 0 < loaded.pipeline.timeout < 5
    ours = Tokenizer(replace(loaded.pipeline, timeout=0.4), loaded.model, loaded.special_tokens)
    with pytest.raises(errors.PatternTimeoutError):
        ours.encode("a" * 5000)


def usable_or_refused(load: Callable[[], Tokenizer]) -> None:
    """Either a tokenizer able to encode and decode a text, or an error of ours; and soon."""
    begin = time.thread_time()
    refused: TokenizersCoreError | None = None
    try:
        ours = load()
        for text in ("ab a?b <s> x", ""):
            encoding = ours.encode(text)
            assert len(encoding.ids) == len(encoding.offsets)
            ours.decode([identifier for identifier in encoding.ids if identifier < len(ours.tokens)])
        tokenizer_to_json(ours)
    except TokenizersCoreError as error:
        refused = error
    if refused:
        assert str(refused) and str(pickle.loads(pickle.dumps(refused))) == str(refused)
    assert time.thread_time() - begin < 20


def paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places in a document to change; of long lists the first few."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in [*items][:12]:
        yield (*path, key)
        yield from paths(value, (*path, key))


VALID: list[dict[str, Any]] = [
    small(
        normalizer=BERT,
        pre_tokenizer=sequence(split("a|b"), NO_REGEX),
        added_tokens=[added()],
        post_processor={
            "type": "Sequence",
            "processors": [
                BYTE_LEVEL | {"trim_offsets": False},
                TEMPLATE
                | {
                    "single": [
                        {"SpecialToken": {"id": "<mask>", "type_id": 0}},
                        {"Sequence": {"id": "A", "type_id": 0}},
                    ],
                    "special_tokens": {"<mask>": {"id": "<mask>", "ids": [4], "tokens": ["<mask>"]}},
                },
            ],
        },
        decoder=BYTE_LEVEL,
        truncation={"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 1},
        padding={
            "strategy": {"Fixed": 9},
            "direction": "Left",
            "pad_to_multiple_of": 4,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "?",
        },
    ),
    small(
        pre_tokenizer=METASPACE,
        model=UNIGRAM,
        decoder=METASPACE,
        normalizer={"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}]},
        post_processor={"type": "BertProcessing", "sep": ["a", 1], "cls": ["?", 0]},
    ),
    small(
        model={
            "type": "WordPiece",
            "unk_token": "?",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {"?": 0, "a": 1, "##b": 2},
        },
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor={
            "type": "RobertaProcessing",
            "sep": ["a", 1],
            "cls": ["?", 0],
            "trim_offsets": False,
            "add_prefix_space": False,
        },
    ),
]


def test_the_files_changed_below_are_valid() -> None:
    for document in VALID:
        assert from_document(document).encode("ab a").tokens


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**9, 10**30, -1, 0, 1, 2, 2**32, 1e308, -1e308, 0.5])
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["", "a", "?", "##", "</w>", "\ud800", "\U0010ffff", "(a|aa)+$", "Sequence", "BPE"]),
    lambda children: (
        st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=5), children, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A valid document with a few values dropped, replaced or taken from elsewhere."""
    document = copy.deepcopy(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from([*paths(document)]))
        position = document
        for key in way:
            position = position[key]
        action = draw(st.sampled_from(["drop", "replace", "copy"]))
        if action == "drop":
            del position[last]
        elif action == "replace":
            position[last] = draw(anything)
        else:
            source: Any = draw(st.sampled_from(VALID))
            for key in draw(st.sampled_from([*paths(source)])):
                source = source[key]
            position[last] = copy.deepcopy(source)
        if not [*paths(document)]:
            break
    return document


@examples(600)
@given(mutated())
def test_changed_documents_load_or_say_why(document: dict[str, Any]) -> None:
    usable_or_refused(lambda: from_document(document))
    for part in (pipeline_of, algorithm_of, special_tokens_of, template_of):
        with contextlib.suppress(TokenizersCoreError):
            part(document)  # type: ignore[operator]


@examples(300)
@example(0, 0, b"")
@given(st.integers(0, 2), st.integers(0, 2000), st.binary(max_size=4))
def test_cut_and_patched_files_load_or_are_refused(which: int, offset: int, patch: bytes) -> None:
    data = json.dumps(VALID[which]).encode()
    for changed in (data[:offset] + patch, data[:offset] + patch + data[offset + len(patch) :]):
        usable_or_refused(lambda changed=changed: tokenizer_from_bytes(changed))  # type: ignore[misc]


@examples(200)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_load_or_say_why(data: bytes) -> None:
    usable_or_refused(lambda: tokenizer_from_bytes(data))


@examples(200)
@given(anything)
def test_any_data_loads_or_is_refused(data: Any) -> None:
    usable_or_refused(lambda: from_document(data))


# --- Errors -------------------------------------------------------------------------------------------------

SAMPLES: list[TokenizersCoreError] = [
    *(
        TokenizerFileError(
            why, part="model.vocab['\x07" + "x" * 500, value="\x00{a}" * 500, expected="a list"
        )
        for why in TokenizerFileError.templates
    ),
    LackingPartError(["normalizer {x}", "added token '\x07'"]),
    *(
        UnsavableError(
            why,
            **dict.fromkeys(
                ("pattern", "part", "suffix", "token", "first", "second", "prefix"), "{\x07}" * 99
            ),
            byte="0x80",
            description="a model",
            file="merges.txt",
        )
        for why in UnsavableError.templates
    ),
]


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
def test_errors_carry_their_evidence(error: TokenizersCoreError) -> None:
    message = str(error)
    assert message == error.template.format(**error.evidence)
    assert error.template in errors.all_templates()[type(error).__name__]
    assert message.isprintable() and message.endswith(".") and len(message) < 500
    for duplicate in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(duplicate) is type(error) and vars(duplicate) == vars(error) and str(duplicate) == message
