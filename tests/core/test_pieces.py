"""SentencePiece models (`tokenizers_core/files/pieces.py`), and Mistral's tekken.json.

Oracles: `sentencepiece` itself, on models trained by it here with all its settings; `tiktoken`'s encoder for
tekken's ranks.
"""

from __future__ import annotations

import base64
import io
import json
import random
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
from google.protobuf.runtime_version import VersionError
from hypothesis import given
from hypothesis import strategies as st

from tests.core.test_foreign_files import LINES
from tests.samples import examples
from tokenizers_core import Tokenizer, TokenizersCoreError, errors, train_bpe
from tokenizers_core.files.piece_files import Damaged, read_model
from tokenizers_core.files.pieces import tokenizer_of
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.patterns import PATTERNS

TEXTS = [
    *[
        "this<tag>is",
        "this <tag> is",
        "  this  <tag>  is  ",
        "<tag>",
        "<tag><tag> <tag>",
        "a b",
        "xa bx of of",
        "of",
    ],
    *[
        "",
        " ",
        "   ",
        "\t",
        "\n",
        "a\tb\nc",
        "a  b   c",
        "▁",
        "▁a▁",
        "▁ ▁",
        "_a_",
        "\u3000x\u3000",
        "\u00a0x\u200bx",
    ],
    *[
        "ﬁ ① Ｆｕｌｌ ㍿ ﾊﾟ",
        "Ａ b Ａ",
        " Ａ",
        "é e\u0301 a\u0323\u0302",
        "日本語 茶",
        "한국어 각",
        "🦊 👍🏽 x",
        "👨\u200d👩\u200d👧",
    ],
    *[
        "<s> </s> <unk> <pad>",
        "<0x41>",
        "x" * 150,
        " " * 60,
        "of " * 60,
        "the of the of",
        "aaaaaaaaaa",
        "ababababab",
        "0123456789",
    ],
    *LINES[:24],
]

SETTINGS = [
    *product(
        ("unigram", "bpe", "word", "char"),
        (True, False),
        (True, False),
        (True, False),
        ("", "<tag>|Ａ|a b|of"),
    )
]
"""Algorithm, dummy prefix, white space made one, mark behind, user-defined symbols."""


def trained_on(lines: Sequence[str], **settings: Any) -> bytes:
    """A model as SentencePiece trains it."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=written, hard_vocab_limit=False, minloglevel=9, **settings
    )
    return written.getvalue()


def expect_its_ids(model: bytes, *texts: str) -> None:
    ours, truth = tokenizer_of(read_model(model)), sentencepiece.SentencePieceProcessor(model_proto=model)
    for text in texts:
        assert ours.encode(text).ids == truth.encode(text), text


def changed(written: bytes) -> Any:
    """A model as a message to be changed."""
    try:
        from sentencepiece import sentencepiece_model_pb2
    except VersionError:
        pytest.skip("protobuf is older than sentencepiece's description of its files")
    return sentencepiece_model_pb2.ModelProto.FromString(written)


@cache
def trained(
    kind: str,
    prefix: bool,
    one_space: bool,
    behind: bool,
    symbols: str,
    rule: str,
    falls_back: bool,
    escapes: bool,
) -> bytes:
    written = trained_on(
        LINES,
        model_type=kind,
        vocab_size=480 if falls_back else 220,
        character_coverage=0.985,
        add_dummy_prefix=prefix,
        remove_extra_whitespaces=one_space,
        treat_whitespace_as_suffix=behind,
        user_defined_symbols=[*filter(None, symbols.split("|"))],
        normalization_rule_name=rule,
        byte_fallback=falls_back,
    )
    model = changed(written)
    model.normalizer_spec.escape_whitespaces = escapes
    data: bytes = model.SerializeToString()
    return data


MATRIX = [
    # Every two of the other settings occur together.
    (
        *settings,
        *(
            ("nmt_nfkc_cf", True, False),
            ("identity", True, True),
            ("nmt_nfkc", False, True),
            ("nfkc", False, False),
        )[at % 4],
    )
    for at, settings in enumerate(SETTINGS)
] + [(*settings, "nmt_nfkc", True, True) for settings in SETTINGS[::2]]


def test_the_matrix_has_its_declared_size() -> None:
    assert len({*MATRIX}) >= 40 and len(TEXTS) >= 60


@pytest.mark.many(3)
@pytest.mark.parametrize("settings", MATRIX, ids=str)
def test_ids_are_those_of_sentencepiece(settings: Any) -> None:
    data = trained(*settings)
    ours, truth = tokenizer_of(read_model(data)), sentencepiece.SentencePieceProcessor(model_proto=data)
    assert list(ours.tokens) == [truth.id_to_piece(index) for index in range(truth.get_piece_size())]
    for text in TEXTS:
        encoding = ours.encode(text)
        assert encoding.ids == truth.encode(text), text
        assert all(0 <= start <= end <= len(text) for start, end in encoding.offsets)
        if settings[5] == "identity" and not settings[2]:
            assert {at for start, end in encoding.offsets for at in range(start, end)} == {*range(len(text))}


@examples(200)
@given(st.sampled_from(MATRIX), st.text(st.sampled_from("ab é茶ée  \u3000かx1.▁of<tag>Ａ"), max_size=40))
def test_random_texts_too(settings: Any, text: str) -> None:
    expect_its_ids(trained(*settings), text)


RUNS = [one * size for one in "=-!.0ah" for size in (3, 5, 8, 13)]


def test_ties_in_32_bits_are_ties() -> None:
    """In a run of one character, many splits have the same sum, some only once it is rounded."""
    chance = random.Random(1)
    texts = (
        " ".join(chance.choice("=-!.0ah") * chance.randint(1, 14) for _run in range(3)) for _ in range(400)
    )
    expect_its_ids(trained_on([*LINES, *RUNS], vocab_size=400), *texts)


def test_a_symbol_stays_whole_beside_long_pieces() -> None:
    """Such as two words in one, whose halves are pieces with the words beside them."""
    words = sorted({word for line in LINES for word in line.split() if word.isascii() and word.isalpha()})
    chance = random.Random(2)
    for _ in range(12):
        symbol = "".join(chance.sample(words, 2))
        model = trained_on(LINES, vocab_size=500, user_defined_symbols=[symbol])
        expect_its_ids(model, f"we say {symbol} here", f"{symbol}s", symbol * 3, f"a{symbol}")


def test_a_mark_alone_is_a_space() -> None:
    for rule, behind in product(("identity", "nfkc", "nmt_nfkc"), (False, True)):
        model = trained("unigram", True, True, behind, "", rule, False, True)
        expect_its_ids(model, "▁", "▁▁ ", " ▁", "▁a▁")


def test_the_symbols_of_the_published_reports() -> None:
    """google/sentencepiece: user-defined symbols next to words, with and without spaces, all else as it is by
    default."""
    written = io.BytesIO()
    lines = ["this is a test", "this is <tag> a text", "is this it", "that is this"]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=written,
        vocab_size=30,
        hard_vocab_limit=False,
        user_defined_symbols=["<tag>"],
        minloglevel=9,
    )
    ours = tokenizer_of(read_model(written.getvalue()))
    truth = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    for text in ("this<tag>is", "this <tag> is", "this <tag>is", "<tag> this"):
        assert ours.encode(text).ids == truth.encode(text)
        assert ours.decode(truth.encode(text)) == truth.decode(truth.encode(text)) == text
    assert ours.encode("this<tag>is").offsets[-1][1] == 11


def test_a_model_is_loaded_by_its_name_without_sentencepiece(tmp_path: Path) -> None:
    data = trained(*MATRIX[0])
    for name in ("my.model", "tokenizer.model.v3", "x.model.v7m1"):
        (tmp_path / name).write_bytes(data)
        assert (
            Tokenizer.load(tmp_path / name).encode("this is").ids
            == tokenizer_of(read_model(data)).encode("this is").ids
        )
    (tmp_path / "my.model").write_bytes(data[:-3])
    with pytest.raises(errors.VocabularyFileError, match=r"my\.model.*cut off"):
        Tokenizer.load(tmp_path / "my.model")
    with pytest.raises(errors.SettingError, match="pattern"):
        Tokenizer.load(tmp_path / "tokenizer.model.v3", pattern="gpt2")


def test_a_word_can_be_stepped_through_and_its_splits_be_explained() -> None:
    for kind in ("unigram", "bpe"):
        tokenizer = tokenizer_of(read_model(trained(kind, True, True, False, "", "nmt_nfkc", False, True)))
        words = {word for line in LINES for word in line.split()}
        word, tokens = next(
            (word, tuple(tokenizer.encode(word).tokens))
            for word in sorted(words)
            if word.isascii() and 1 < len(tokenizer.encode(word).tokens) < len(word) - 1
        )
        [written] = tokenizer.pipeline.split(word)
        steps = tokenizer.explain(written)
        assert len(steps) > 1
        assert kind == "unigram" or steps[-1].tokens == tokens
        assert tokenizer.why_not(written, tokens).kind == "chosen"
        assert tokenizer.why_not(written, [*written]).kind in (
            "merged_across",
            "less_probable",
            "not_in_vocabulary",
        )


def test_a_changed_model_is_refused_or_read() -> None:
    data, draw = trained(*MATRIX[1]), random.Random(1)
    for _turn in range(40):
        index = draw.randrange(30, len(data))
        changed = data[:index] + bytes([draw.randrange(256)]) + data[index + 1 :]
        with suppress(Damaged, TokenizersCoreError):
            tokenizer_of(read_model(changed)).encode("this is")


@pytest.mark.parametrize("behind", [False, True])
def test_control_pieces_have_no_text(behind: bool) -> None:
    data = trained_on(
        ["hug hugs pug"] * 20,
        model_type="bpe",
        vocab_size=272,
        byte_fallback=True,
        treat_whitespace_as_suffix=behind,
    )
    ours, truth = tokenizer_of(read_model(data)), sentencepiece.SentencePieceProcessor(model_proto=data)
    bos, eos, hug, pug = truth.bos_id(), truth.eos_id(), truth.encode("hug"), truth.encode("pug")
    letter = [truth.piece_to_id(byte) for byte in ("<0xC3>", "<0xA9>")]
    for ids in (
        [],
        [bos],
        [bos, *hug, eos],
        [*hug, eos, bos, *pug],
        [bos, bos, *hug, *letter, eos],
        [*hug, letter[0], eos, letter[1]],
    ):
        expected = truth.decode(ids)
        if behind:  # there it takes the added space off a last piece only, and so not off one before </s>
            expected = expected.removesuffix(" ")
        for skip in (False, True):
            assert ours.decode(ids, skip_special_tokens=skip) == expected, ids


@pytest.mark.parametrize("kind", ["unigram", "bpe", "word", "char"])
@pytest.mark.parametrize("falls_back", [False, True])
@pytest.mark.parametrize("unused", ["[UNUSED_1]", "g", "z", "ug", "hug"])
def test_unused_pieces(kind: str, falls_back: bool, unused: str) -> None:
    """They are never in a text; where BPE would merge through them, the model is refused."""
    size = 272 if falls_back else 16
    written = trained_on(["hug hugs pug"] * 20, model_type=kind, vocab_size=size, byte_fallback=falls_back)
    model = changed(written)
    for one in model.pieces:
        if one.piece == unused:
            one.type = one.UNUSED
    if unused not in {one.piece for one in model.pieces}:
        model.pieces.add(piece=unused, score=0.0, type=model.SentencePiece.UNUSED)
    data = model.SerializeToString()
    if kind == "bpe" and unused in ("g", "ug", "hug"):
        with pytest.raises(Damaged, match="merges through pieces that are marked as unused"):
            tokenizer_of(read_model(data))
    else:
        expect_its_ids(data, "hug hugs ug pug", "g", "gg u hg", "z", "[UNUSED_1]")


# --- tekken.json --------------------------------------------------------------------------------------------


def tekken(listed: bool) -> tuple[dict[str, Any], tiktoken.Encoding]:
    """A small tekken.json, and mistral_common's encoder of it."""
    trace = train_bpe(Corpus.from_texts(LINES), 500, alphabet="bytes")
    results = [trace.tokenizer().token_bytes(identifier) for identifier in range(500)]
    special = [
        {"rank": rank, "token_str": token, "is_control": True}
        for rank, token in enumerate(["<unk>", "<s>", "</s>"])
    ]
    document = {
        "config": {
            "pattern": PATTERNS["o200k_base"],
            "num_vocab_tokens": 500,
            "default_vocab_size": 490,
            "default_num_special_tokens": 30,
            "version": "v3",
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
            for rank, token in enumerate(results)
        ],
        **({"special_tokens": special} if listed else {}),
    }
    ranks = {token: rank for rank, token in enumerate(results[:460])}
    return document, tiktoken.Encoding(
        "tekken", pat_str=PATTERNS["o200k_base"], mergeable_ranks=ranks, special_tokens={}
    )


@pytest.mark.parametrize("listed", [True, False])
def test_a_tekken_file_gives_the_ids_of_mistral_common(tmp_path: Path, listed: bool) -> None:
    document, truth = tekken(listed)
    (tmp_path / "tekken.json").write_text(json.dumps(document), "utf-8")
    ours = Tokenizer.load(tmp_path / "tekken.json")
    assert (
        ours.tokens[1] == "<s>"
        and ours.tokens[3] == ("<SPECIAL_3>" if listed else "[INST]")
        and len(ours.tokens) == 490
    )
    for text in LINES:
        if "<s>" not in text:
            assert ours.encode(text).ids == [30 + identifier for identifier in truth.encode_ordinary(text)]
            assert ours.decode(ours.encode(text).ids) == text
    assert ours.encode("<s>hug").ids[0] == 1
    document["vocab"][0]["token_bytes"] = "?"
    (tmp_path / "tekken.json").write_text(json.dumps(document), "utf-8")
    with pytest.raises(errors.TokenizerFileError, match="token_bytes"):
        Tokenizer.load(tmp_path / "tekken.json")
