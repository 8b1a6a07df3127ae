"""Tokenizers from files (`tokensteps/catalogue/files/`) and the playground's needs of any tokenizer
(`tokensteps/catalogue/shown_tokenizers.py`).

Oracles: the `tokenizers` library itself, asked directly with the same file; its `BertWordPieceTokenizer` for
vocab.txt; the `tiktoken` package for .tiktoken files; this project's engine for its own files;
`sentencepiece` for models in its binary form. Every file is made in the test, by training on Python's own
documentation or by hand.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import pickle
import threading
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from pydoc_data.topics import topics
from random import Random
from typing import Any

import pytest
import sentencepiece
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import (
    AddedToken,
    BertWordPieceTokenizer,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from tests.samples import examples
from tokenizers_core import Corpus, train_bpe, train_unigram, train_wordpiece
from tokenizers_core import Tokenizer as EngineTokenizer
from tokenizers_core.errors import SurrogateError, TokenizersCoreError, UnknownIdError
from tokenizers_core.files.exports import merges_txt, trace_to_json, vocab_json, vocab_txt
from tokenizers_core.files.ranks import all_splits
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, symbols_to_bytes
from tokenizers_core.text.patterns import PATTERNS
from tokensteps.catalogue.files.errors import EncodeError, LoadError
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.shown_tokenizers import Facts, ShownTokenizer, TrainedSubject
from tokensteps.language.i18n import _
from tokensteps.language.messages import explained
from tokensteps.limits import (
    ADDED_LIMIT,
    EXPANSION_LIMIT,
    FILES_LIMIT,
    ID_LIMIT,
    TOKEN_LIMIT,
    TOKENIZER_LIMIT,
)

TEXTS = [
    "",
    " ",
    "Hello, world! It's the 2nd of 1234567 tests, don't you KNOW?",
    "  two  spaces\tand\ta\ttab \r\n\r\nCRLF\n\n\nlines \n",
    "naïve café, Ünïcödé, e\u0301\u0323 combined, ﬁne ligature, Straße İstanbul ΣΑΣ",
    "👩‍👩‍👧 👍🏽 🏳️‍🌈 😀😀 family",
    "العربية تُكتب من اليمين ١٢٣",
    "עִבְרִית נכתבת מימין",
    "日本語の文章、한국어 문장 中文字符。",
    "ภาษาไทยไม่มีช่องว่าง",
    "हिन्दी में लिखा",
    "\x00\x01\x1b[31m\x7f\x85\u200b\u200e\ufeff\u2028end",
    "[CLS] a <|endoftext|> b <s> [MASK] </s><unk>",
    "x" * 300 + " " * 40 + "!?" * 30,
    "▁low Ġthe </w> ##ing",
]
# Characters older than any Unicode version in use, so that all libraries know them alike.
text = st.text(
    st.sampled_from(
        "abehilnostuw  \n\r\t.,'!?0123456789ABé́üßſ中日本語עבاทไ👩\u200d👧🏽ǅʰªΣσςİ½٣\u00a0\u3000\u0085</>[]|_-"
    )
    | st.characters(max_codepoint=0x2FF, categories=["L", "M", "N", "P", "S", "Z", "C"]),
    max_size=40,
)
SOURCE = "\n".join(list(topics.values())[:25])


def files_of(tokenizer: Tokenizer | Mapping[str, Any], name: str = "tokenizer.json") -> dict[str, bytes]:
    written = tokenizer.to_str() if isinstance(tokenizer, Tokenizer) else json.dumps(tokenizer)
    return {name: written.encode("utf-8")}


def document(
    model: Mapping[str, Any], added: Sequence[Mapping[str, Any]] = (), **stages: Any
) -> dict[str, Any]:
    """A tokenizer.json, written by hand."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{**flags, "special": True, **token} for token in added],
        **dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder")),
        **stages,
        "model": model,
    }


def bpe(**settings: Any) -> dict[str, Any]:
    return {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"], **settings}


def outcome(work: Callable[[], object]) -> str:
    """The message of an error, or success in words; any other error ends the test."""
    try:
        work()
    except (LoadError, EncodeError) as error:
        return explained(error)
    return "it works"


def reason(files: Mapping[str, bytes]) -> str:
    """Why these files can't be loaded; the message names the file, and a page can translate it."""
    with pytest.raises(LoadError) as caught:
        load(files)
    error = caught.value
    assert str(error) == explained(error)
    assert not files or any(repr(name)[1:-1] in str(error) for name in files)
    assert ";" in str(error)  # the fault; the remedy
    return error.why


def expect_same(subject: ShownTokenizer, oracle: Tokenizer, texts: Sequence[str] = TEXTS) -> None:
    """Ids, and offsets inside the text."""
    for each in texts:
        for added in (False, True):
            encoded = subject.encode(each, added=added)
            assert list(encoded.ids) == oracle.encode(each, add_special_tokens=added).ids, each
            assert len(encoded.offsets) == len(encoded.ids)
            assert all(0 <= start <= end <= len(each) for start, end in encoded.offsets)


# --- tokenizer.json -----------------------------------------------------------------------------------------


@cache
def trained(kind: str) -> Tokenizer:
    """Tokenizers of every kind, trained by the library."""
    special = ["<unk>", "<s>", "</s>", "<|endoftext|>"]
    quiet: dict[str, Any] = {"special_tokens": special, "show_progress": False}
    lines = SOURCE.split("\n")
    if kind == "bpe":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer: Any = trainers.BpeTrainer(vocab_size=1500, initial_alphabet=alphabet, **quiet)
    elif kind == "bpe_fallback":  # as in Llama 2
        pieces = [
            "<unk>",
            "<s>",
            "</s>",
            *(f"<0x{byte:02X}>" for byte in range(256)),
            *"▁thea",
            "▁t",
            "he",
            "▁the",
        ]
        merges = [("▁", "t"), ("h", "e"), ("▁t", "he")]
        vocab = {piece: number for number, piece in enumerate(pieces)}
        tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
        tokenizer.post_processor = processors.TemplateProcessing("<s> $A", "<s> $A $B", [("<s>", 1)])
        return tokenizer
    elif kind == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(vocab_size=1000, **quiet)
    elif kind == "unigram":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=700, unk_token="<unk>", **quiet)
        lines = lines[:400]
    else:
        tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.NFD(), normalizers.StripAccents(), normalizers.Replace(Regex(r"\d+"), "0")]
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
        )
        trainer = trainers.WordLevelTrainer(vocab_size=800, **quiet)
    tokenizer.train_from_iterator(lines, trainer)
    if kind == "wordpiece":
        tokenizer.add_tokens(
            [AddedToken("added word", normalized=True), AddedToken("KNOW", single_word=True)]
        )
    if kind != "bpe":
        tokenizer.post_processor = processors.TemplateProcessing(
            "<s> $A </s>", "<s> $A $B </s>", [("<s>", 1), ("</s>", 2)]
        )
    tokenizer.enable_truncation(5)
    tokenizer.enable_padding(length=9, pad_token="<unk>")
    return tokenizer


KINDS = {
    "bpe": "BPE",
    "bpe_fallback": "BPE",
    "wordpiece": "WordPiece",
    "unigram": "Unigram",
    "wordlevel": "WordLevel",
}


@cache
def loaded(kind: str) -> LoadedSubject:
    return load(files_of(trained(kind)))


@cache
def oracle(kind: str) -> Tokenizer:
    tokenizer = Tokenizer.from_str(trained(kind).to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@pytest.mark.parametrize("kind", KINDS)
def test_every_model_gives_the_librarys_ids(kind: str) -> None:
    subject, tokenizer = loaded(kind), oracle(kind)
    expect_same(subject, tokenizer)
    assert subject.algorithm == KINDS[kind]
    assert subject.name == "tokenizer.json"
    assert subject.size == tokenizer.get_vocab_size() == len(subject.all_tokens())
    assert dict(map(reversed, enumerate(subject.all_tokens()))) == tokenizer.get_vocab()  # type: ignore[arg-type]
    assert subject.style.special_tokens == {
        token.content for token in tokenizer.get_added_tokens_decoder().values()
    }
    assert subject.style.byte_level == (kind == "bpe")
    around = {"bpe": (), "bpe_fallback": ("<s>",)}.get(kind, ("<s>", "</s>"))
    assert subject.added == around
    assert subject.unknown_token == ("" if kind == "bpe" else "<unk>")
    assert subject.unknown_id == (None if kind == "bpe" else 0)


@pytest.mark.parametrize("kind", KINDS)
@examples(40)
@given(text)
def test_special_tokens_are_found_or_plain_text_by_option(kind: str, middle: str) -> None:
    each = f"{middle}<s>{middle}added word</s>"
    subject, plain = loaded(kind), Tokenizer.from_str(oracle(kind).to_str())
    assert list(subject.encode(each).ids) == plain.encode(each, add_special_tokens=False).ids
    plain.encode_special_tokens = True
    for added in (False, True):
        encoded = subject.encode(each, specials=False, added=added)
        assert list(encoded.ids) == plain.encode(each, add_special_tokens=added).ids
    special = oracle(kind).token_to_id("</s>")
    assert special in subject.encode(each).ids
    if kind != "unigram":  # its pieces may spell anything, special tokens included
        assert special not in subject.encode(each, specials=False).ids


@pytest.mark.parametrize("kind", KINDS)
@examples(40)
@given(text)
@example("ﬁ É e\u0301x İ")
def test_offsets_lie_in_the_text_and_go_forward_and_the_normalizer_is_the_librarys(
    kind: str, each: str
) -> None:
    subject, tokenizer = loaded(kind), oracle(kind)
    offsets = subject.encode(each).offsets
    assert all(0 <= start <= end <= len(each) for start, end in offsets)
    theirs = tokenizer.encode(each, add_special_tokens=False).offsets
    if kind != "bpe":  # without trimming, they are the library's, with all characters composed to one
        pairs = [*zip(offsets, theirs, strict=True)]
        assert all(start <= first and last <= end for (start, end), (first, last) in pairs)
        assert [*offsets] == theirs or kind == "unigram"
    assert [start for start, _end in offsets] == sorted(start for start, _end in offsets)
    normalizer = tokenizer.normalizer
    assert subject.normalized(each) == (normalizer.normalize_str(each) if normalizer else each)


def test_offsets_of_byte_level_tokens_hold_their_space_and_every_byte_the_whole_character() -> None:
    encoded = loaded("bpe").encode("the the 👧")
    the, _first, *_rest = encoded.offsets
    assert (the, encoded.offsets[1]) == ((0, 3), (3, 7))
    assert set(encoded.offsets[3:]) == {(8, 9)} and len(encoded.offsets) > 5
    with_space = encoded.offsets[2]
    assert with_space in ((7, 8), (7, 9))


def test_facts_are_those_of_the_file() -> None:
    model = json.loads(trained("bpe").to_str())["model"]
    subject = loaded("bpe")
    first: dict[str, tuple[int, tuple[str, str]]] = {}
    for rank, pair in enumerate(model["merges"]):
        first.setdefault("".join(pair), (rank, tuple(pair)))
    for identifier, token in enumerate(subject.all_tokens()):
        facts = subject.facts(identifier)
        assert facts == (Facts(rank=first[token][0], parts=first[token][1]) if token in first else Facts())
    old = {**json.loads(trained("bpe").to_str())}
    old["model"] = {**model, "merges": [" ".join(pair) for pair in model["merges"]]}  # as before 2024
    again = load(files_of(old))
    assert [again.facts(number) for number in range(600)] == [subject.facts(number) for number in range(600)]
    pieces = json.loads(trained("unigram").to_str())["model"]["vocab"]
    subject = loaded("unigram")
    assert [subject.facts(number) for number in range(len(pieces))] == [
        Facts(score=score) for _piece, score in pieces
    ]
    assert loaded("wordpiece").facts(20) == Facts() == loaded("wordlevel").facts(20)
    prefixed = bpe(vocab={"a": 0, "##b": 1, "ab": 2}, merges=["a ##b"], continuing_subword_prefix="##")
    assert load(files_of(document(prefixed))).facts(2) == Facts(rank=0, parts=("a", "##b"))


def test_tokens_know_their_bytes() -> None:
    subject = loaded("bpe")
    ids = oracle("bpe").get_vocab()
    assert subject.token_bytes(ids["Ġthe"]) == b" the"
    assert subject.token_bytes(ids["Ã"]) == b"\xc3"
    assert subject.token_bytes(ids["<|endoftext|>"]) == b"<|endoftext|>"
    subject = loaded("bpe_fallback")
    ids = oracle("bpe_fallback").get_vocab()
    assert subject.token_bytes(ids["<0xE3>"]) == b"\xe3"
    assert subject.token_bytes(ids["▁the"]) == b" the"
    encoded = subject.encode("the 中", specials=True)
    assert b"".join(map(subject.token_bytes, encoded.ids)).decode() == " the 中"
    for wrong in (-1, subject.size, 10**9):
        with pytest.raises(UnknownIdError):
            subject.token(wrong)
        with pytest.raises(UnknownIdError):
            subject.facts(wrong)


@pytest.mark.parametrize(
    "normalizer",
    [
        normalizers.NFC(),
        normalizers.NFKD(),
        normalizers.Nmt(),
        normalizers.Strip(),
        normalizers.Prepend("▁"),
        normalizers.Replace("a", "bcd"),
        normalizers.Replace(Regex(r"\s+"), " "),
        normalizers.BertNormalizer(),
        normalizers.ByteLevel(),
        normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]),
    ],
    ids=lambda normalizer: type(normalizer).__name__,
)
@pytest.mark.parametrize("scheme", ["always", "first", "never"])
def test_normalizers_that_change_the_text_keep_offsets_in_it(normalizer: Any, scheme: str) -> None:
    tokenizer = Tokenizer.from_str(
        json.dumps(document(bpe(vocab={"a": 0, "▁": 1, "?": 2}, merges=[], unk_token="?")))
    )
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    subject = load(files_of(tokenizer))
    expect_same(subject, tokenizer)
    for each in TEXTS:
        assert subject.normalized(each) == normalizer.normalize_str(each)
        starts = [start for start, _end in subject.encode(each).offsets]
        if not isinstance(normalizer, normalizers.Nmt | normalizers.ByteLevel):
            assert starts == sorted(starts)


def sentencepiece_model(tmp_path: Path) -> bytes:
    rules = tmp_path / "rules.tsv"
    # One character becomes two, two become one, and one vanishes.
    rules.write_text("FB01\t66 69\n65 301\tE9\n200B\t\n", "utf-8")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["to be or not to be"] * 20),
        model_prefix=str(tmp_path / "small"),
        vocab_size=20,
        hard_vocab_limit=False,
        normalization_rule_tsv=str(rules),
        minloglevel=3,
    )
    return (tmp_path / "small.model").read_bytes()


def test_precompiled_normalizers_work_as_in_sentencepiece(tmp_path: Path) -> None:
    binary = sentencepiece_model(tmp_path)
    # In the protobuf: field 3 (the normalizer's settings), and in it field 2 (the compiled rules).
    start = binary.index(b"user_defined") + len(b"user_defined") + 1
    length, shift = 0, 0
    while True:
        length |= (binary[start] & 0x7F) << shift
        start, shift = start + 1, shift + 7
        if not binary[start - 1] & 0x80:
            break
    compiled = base64.b64encode(binary[start : start + length]).decode("ascii")
    normalizer = {"type": "Precompiled", "precompiled_charsmap": compiled}
    model = bpe(vocab={"a": 0, "b": 1, "ab": 2, "?": 3}, unk_token="?")
    subject = load(files_of(document(model, normalizer=normalizer)))
    assert subject.normalized("ﬁn e\u0301\u200b!") == "fin é!"
    encoded = subject.encode("ab ﬁ\u200bab")
    assert list(encoded.ids) == [2, 3, 3, 3, 2]
    assert (encoded.offsets[0], encoded.offsets[-1]) == ((0, 2), (5, 7))


def test_dropout_is_switched_off() -> None:
    subject = load(files_of(document(bpe(dropout=0.9))))
    assert {tuple(subject.encode("ab").ids) for _time in range(30)} == {(2,)}
    assert any("Dropout" in note for note in subject.notes)


def test_ids_may_have_holes() -> None:
    subject = load(files_of(document(bpe(vocab={"a": 0, "b": 3, "ab": 7}), [{"id": 3, "content": "b"}])))
    assert subject.all_tokens() == ("a", "", "", "b", "", "", "", "ab")
    assert subject.token(1) == "" and subject.size == 3
    # Into a hole, the library puts added tokens twice, or elsewhere than the file says.
    holes = bpe(vocab={"a": 0, "b": 3, "ab": 7})
    assert reason(files_of(document(holes, [{"id": 9, "content": "<x>"}]))) == "same_id"
    moved = load(files_of(document(bpe(), [{"id": 9, "content": "<x>"}, {"id": 8, "content": "<y>"}])))
    assert list(moved.encode("<x><y>").ids) == [3, 4]
    assert moved.notes == ("'<x>' has the id 9 in the file, but 3 in the tokenizers library.",)


# --- vocab.txt ----------------------------------------------------------------------------------------------

BERT = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@cache
def bert(cased: bool) -> tuple[bytes, dict[str, int]]:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not cased)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=1200, special_tokens=BERT, show_progress=False)
    tokenizer.train_from_iterator([SOURCE, *TEXTS], trainer)
    vocab = tokenizer.get_vocab()
    return ("\n".join(sorted(vocab, key=vocab.__getitem__)) + "\n").encode(), vocab


@pytest.mark.parametrize("cased", [True, False])
def test_a_bert_vocabulary_works_as_in_the_library(cased: bool) -> None:
    data, vocab = bert(cased)
    theirs = BertWordPieceTokenizer(vocab, lowercase=not cased)
    subject = load({"vocab.txt": data})
    expect_same(subject, Tokenizer.from_str(theirs.to_str()))
    assert subject.added == ("[CLS]", "[SEP]")
    assert subject.algorithm == "WordPiece" and subject.unknown_token == "[UNK]" and subject.unknown_id == 2
    assert subject.style.special_tokens == {*BERT} - {"[unused1]"}
    assert any("lowercased" in note for note in subject.notes) != cased
    windows = load({"vocab.txt": b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")})
    assert windows.all_tokens() == subject.all_tokens()


@examples(60)
@given(text)
def test_a_bert_vocabulary_works_on_any_text(each: str) -> None:
    data, vocab = bert(False)
    theirs = BertWordPieceTokenizer(vocab)
    assert list(bert_subject().encode(each, added=True).ids) == theirs.encode(each).ids
    assert data


@cache
def bert_subject() -> LoadedSubject:
    return load({"vocab.txt": bert(False)[0]})


def test_the_apps_own_vocab_txt_comes_back() -> None:
    corpus = Corpus.from_texts([SOURCE[:20_000]], normalizer="bert_uncased", pre_tokenizer="bert")
    for special in ([], ["[PAD]", "[CLS]", "[SEP]"], ["<s>", "<|end|>"]):
        tokenizer = train_wordpiece(corpus, vocab_size=300, special_tokens=special).tokenizer()
        subject = load({"vocab.txt": vocab_txt(tokenizer).encode()})
        assert list(subject.all_tokens()) == list(tokenizer.tokens)
        assert subject.style.special_tokens == {*special, "[UNK]"}
        assert subject.added == (("[CLS]", "[SEP]") if "[CLS]" in special else ())
        for each in [*TEXTS, SOURCE[:3000]]:
            assert list(subject.encode(each).ids) == tokenizer.encode(each).ids


def test_word_lists_that_are_hardly_wordpiece() -> None:
    subject = load({"vocab.txt": b"[UNK]\nhug\npug\n"})
    assert any("##" in note for note in subject.notes)
    assert list(subject.encode("hug hugs").ids) == [1, 0]
    assert reason({"vocab.txt": b"hug\npug\n"}) == "no_unknown"
    assert reason({"essay.txt": b"It was a dark night.\nAnd stormy.\n"}) == "unknown"
    assert load({"vocab.txt": b"[PAD]\n{\n}\n[UNK]\n"}).algorithm == "WordPiece"
    assert load({"vocab.txt": b"{\n}\n[UNK]\n"}).size == 3  # begins as JSON does, and isn't


# --- vocab.json and merges.txt ------------------------------------------------------------------------------


@cache
def exported(
    pre_tokenizer: str, special: tuple[str, ...], pattern: str = "gpt2"
) -> tuple[EngineTokenizer, dict[str, bytes]]:
    """A BPE tokenizer of the engine, and the app's two files of it."""
    corpus = Corpus.from_texts([SOURCE[:20_000]], pre_tokenizer=pre_tokenizer, pattern=pattern)
    trace = train_bpe(corpus, vocab_size=400, special_tokens=special)
    tokenizer = trace.tokenizer()
    return tokenizer, {"vocab.json": vocab_json(tokenizer).encode(), "merges.txt": merges_txt(trace).encode()}


SPECIAL = ((), ("<s>", "<|endoftext|>"))


@pytest.mark.parametrize(
    "pre_tokenizer", ["byte_level", "whitespace_split", "end_of_word", "metaspace", "none"]
)
@pytest.mark.parametrize("special", SPECIAL)
def test_the_apps_own_bpe_files_come_back(pre_tokenizer: str, special: tuple[str, ...]) -> None:
    tokenizer, files = exported(pre_tokenizer, special)
    subject = load(files)
    assert list(subject.all_tokens()) == list(tokenizer.tokens)
    assert subject.name == "vocab.json + merges.txt"
    assert subject.style.special_tokens >= {*special}
    assert subject.style.byte_level == (pre_tokenizer == "byte_level")
    assert len(subject.notes) == 1
    for each in [*TEXTS, SOURCE[:3000]]:
        assert list(subject.encode(each).ids) == tokenizer.encode(each).ids, each
    offsets = subject.encode("to be low").offsets
    assert offsets[0][0] == 0 and offsets[-1][1] == 9


@pytest.mark.parametrize("pre_tokenizer", ["byte_level", "end_of_word", "whitespace_split"])
@examples(60)
@given(text)
def test_the_apps_own_bpe_files_come_back_for_any_text(pre_tokenizer: str, each: str) -> None:
    tokenizer, files = exported(pre_tokenizer, SPECIAL[1])
    assert list(reloaded(pre_tokenizer).encode(each).ids) == tokenizer.encode(each).ids
    assert files


@cache
def reloaded(pre_tokenizer: str) -> LoadedSubject:
    return load(exported(pre_tokenizer, SPECIAL[1])[1])


def test_facts_of_a_word_end_that_is_a_symbol() -> None:
    subject = reloaded("end_of_word")
    ids = {token: number for number, token in enumerate(subject.all_tokens())}
    result = next(token for token in subject.all_tokens() if len(token) > 5 and token.endswith("</w>"))
    first, second = subject.facts(ids[result]).parts or ("", "")
    assert first + second == result and "\U0010ffff" not in "".join(subject.all_tokens())
    assert subject.unknown_token == "[UNK]"


def test_a_pattern_may_be_chosen_for_byte_level_files() -> None:
    tokenizer, files = exported("byte_level", (), "cl100k_base")
    subject = load(files, pattern="cl100k_base")
    for each in TEXTS:
        assert list(subject.encode(each).ids) == tokenizer.encode(each).ids, each


def test_other_programs_bpe_files() -> None:
    # The library's own BPE with the mark on the last character of a word, as in GPT-1.
    ids = {"l": 0, "o": 1, "w": 2, "w</w>": 3, "o</w>": 4, "ow</w>": 5, "<unk>": 6}
    files = {"vocab.json": json.dumps(ids).encode(), "merges.txt": b"#version: 0.2\r\no w</w>\r\n"}
    theirs = Tokenizer(models.BPE(ids, [("o", "w</w>")], unk_token="<unk>", end_of_word_suffix="</w>"))
    theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    expect_same(load(files), theirs, ["low lo ol wow", "xlow", "low\nlow", ""])
    # GPT-2's, from the library.
    tokenizer = trained("bpe")
    model = json.loads(tokenizer.to_str())["model"]
    merges = "\n".join(map(" ".join, model["merges"]))
    subject = load(
        {
            "encoder.json": json.dumps(model["vocab"]).encode(),
            "vocab.bpe": b"#version: 0.2\n" + merges.encode(),
        }
    )
    assert subject.style.special_tokens == {"<unk>", "<s>", "</s>", "<|endoftext|>"}
    expect_same(subject, oracle("bpe"))


# --- .tiktoken ----------------------------------------------------------------------------------------------


@cache
def ranks_of(pattern: str) -> dict[bytes, int]:
    """Byte-level BPE of the engine as tiktoken would have it."""
    corpus = Corpus.from_texts(["\n".join(topics.values())[:200_000], *TEXTS], pattern=pattern)
    merges = train_bpe(corpus, vocab_size=2500)[-1].merges
    tokens = dict.fromkeys(bytes([byte]) for byte in range(256))
    tokens |= dict.fromkeys(symbols_to_bytes(pair.first + pair.second) for pair in merges)
    return {token: rank for rank, token in enumerate(tokens)}


def tiktoken_file(ranks: Mapping[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


@cache
def tiktokens(pattern: str) -> tuple[LoadedSubject, tiktoken.Encoding]:
    ranks = ranks_of(pattern)
    theirs = tiktoken.Encoding("own", pat_str=PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={})
    return load({"own.tiktoken": tiktoken_file(ranks)}, pattern=pattern), theirs


@pytest.mark.parametrize("pattern", PATTERNS)
def test_tiktoken_files_work_as_in_tiktoken(pattern: str) -> None:
    subject, theirs = tiktokens(pattern)
    for each in [*TEXTS, SOURCE[:50_000]]:
        assert list(subject.encode(each).ids) == theirs.encode_ordinary(each)
    assert subject.size == theirs.n_vocab and subject.style.byte_level
    assert all(subject.token_bytes(rank) == token for token, rank in ranks_of(pattern).items())


@pytest.mark.parametrize("pattern", PATTERNS)
@examples(150)
@given(text)
@example("it'ſ IT'LL we'Re don'T x'S'ſ")
@example("a\u0085b \u00a0 c\u3000\r\n  d")
@example("aǅB éÉ e\u0301E\u0301 ªB")
def test_tiktoken_files_work_as_in_tiktoken_on_any_text(pattern: str, each: str) -> None:
    subject, theirs = tiktokens(pattern)
    assert list(subject.encode(each).ids) == theirs.encode_ordinary(each)


def test_every_split_of_a_token_may_be_merged_and_no_two_compete() -> None:
    """Random small vocabularies, trained or not: tiktoken's ids for every text."""
    random = Random(7)
    for _case in range(60):
        tokens = [bytes([byte]) for byte in range(256)]
        grown = [b"a", b"b", b"c"][: random.randint(2, 3)]
        alphabet = "abc"[: len(grown)]
        for _token in range(random.randint(3, 12)):
            grown.append(random.choice(grown) + random.choice(grown))
        ranks = {token: rank for rank, token in enumerate(dict.fromkeys([*tokens, *grown]))}
        theirs = tiktoken.Encoding("own", pat_str=r"[^\n]+", mergeable_ranks=ranks, special_tokens={})
        subject = load({"x.tiktoken": tiktoken_file(ranks)}, pattern=r"[^\n]+")
        words = ["".join(word) for length in range(1, 6) for word in product(alphabet, repeat=length)]
        words += ["".join(random.choices(alphabet, k=random.randint(6, 14))) for _word in range(100)]
        each = "\n".join(words)
        assert list(subject.encode(each).ids) == theirs.encode_ordinary(each), ranks
        assert {first + second for first, second in all_splits(ranks)} == {
            token for token in ranks if len(token) > 1
        }


def test_facts_of_a_tiktoken_file_are_its_ranks_and_how_each_token_was_learned() -> None:
    """Oracles: the ranks written into the file, and the merges of its run."""
    corpus = Corpus.from_texts([SOURCE[:20_000]])
    merges = list(dict.fromkeys(train_bpe(corpus, vocab_size=600)[-1].merges))
    ranks = {bytes([byte]): byte for byte in range(256)}
    for pair in merges:
        ranks.setdefault(symbols_to_bytes(pair.first + pair.second), len(ranks))
    subject = load({"x.tiktoken": tiktoken_file(ranks)})
    assert any("cl100k_base" in note for note in subject.notes)
    parts: dict[str, tuple[str, str]] = {}
    for pair in merges:
        parts.setdefault(pair.first + pair.second, (pair.first, pair.second))
    tokens = subject.all_tokens()
    for rank in ranks.values():
        assert subject.facts(rank) == Facts(rank=rank, parts=parts.get(tokens[rank]))


ODD = "a½ 1½ ½ a² K 1\u0661 x\x1c\x85z a\u200db aſ e\u0301 a_ a‿b aⅧ Ⓐb a\u0345 \xaa l·l 中 (?s:) [x]"
"""Characters that programs don't agree on."""


@pytest.mark.parametrize(
    "pattern",
    [
        # tiktoken's patterns of today, with possessive quantifiers
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        r"[a-z]+",  # leaves text out
        r"^a|b$|[^ab]+",
        r"(?:[a-c]{2,3}+|.)\$?",
        # written or understood differently by Oniguruma
        r"\pL{1,3}+|\PL|\n",
        r"[\pL\d]+|(?s:.)",
        r"(?s).{1,5}",
        r"(?is-x:t.{3})|(?s:.)",
        r"[(?s:]+|.|\n",
        r"\w+|[^\w\s]+|\s+",
        r"\w{2,3}+|\W",
        r"\b\w+\b|\B.|.|\n",
        r"[^\W\d]+|[\w-]+|[\W]",
    ],
)
def test_patterns_as_tiktoken_writes_them(pattern: str) -> None:
    ranks = ranks_of("gpt2")
    for word in ("a½", "1½", "a²"):  # one token where the pattern doesn't cut it
        for end in range(2, len(word.encode()) + 1):
            ranks = {word.encode()[:end]: len(ranks)} | ranks
    theirs = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    subject = load({"x.tiktoken": tiktoken_file(ranks)}, pattern=pattern)
    for each in [*TEXTS, "12345678", "a\nab\nb", "abcabcab$", "b\n", "end  \n", ODD]:
        assert list(subject.encode(each).ids) == theirs.encode_ordinary(each), each


@pytest.mark.parametrize("pattern", ["(a", r"\p{sc=Latin}+|."])
def test_a_pattern_that_the_library_refuses_is_the_fault(pattern: str) -> None:
    with pytest.raises(LoadError, match="rewrite it, or choose a pattern by name") as caught:
        load({"x.tiktoken": FULL}, pattern=pattern)
    assert caught.value.why == "pattern" and f"pattern '{pattern}' can't be used" in str(caught.value)


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("size", "pattern"), [(50_256, "gpt2"), (100_256, "cl100k_base"), (199_998, "o200k_base")]
)
def test_the_pattern_goes_by_the_number_of_tokens(size: int, pattern: str) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    extra = (bytes(token) for token in product(range(1, 60), repeat=3))
    ranks |= {next(extra): rank for rank in range(256, size)}
    notes = load({"x.tiktoken": tiktoken_file(ranks)}).notes
    assert pattern in notes[0] and f"{size:,}" in notes[0]


# --- files without a tokenizer ------------------------------------------------------------------------------


def zipped() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("tokenizer.json", "{}")
    return stream.getvalue()


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0a" * 32 + b"\nsize 499723\n"
"""In place of a large file in a Git repository, as Git LFS's specification has it."""
FULL = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
NOT_TOKENIZERS: list[tuple[str, dict[str, bytes]]] = [
    ("nothing", {}),
    ("empty", {"tokenizer.json": b""}),
    ("empty", {"vocab.txt": b" \r\n\n"}),
    ("empty", {"vocab.txt": b"\xef\xbb\xbf"}),
    ("not_json", {"tokenizer.json": b"not json"}),
    ("not_json", {"tokenizer.json": b'{"model": '}),
    ("not_json", {"tokenizer.json": b"<!doctype html><title>404</title>"}),
    ("not_json", {"tokenizer.json": b'{"model": {"type": "Unigram", "vocab": [["a", NaN]]}}'}),
    ("not_json", {"tokenizer.json": b'{"model": {"type": "Unigram", "vocab": [["a", -Infinity]]}}'}),
    ("not_json", {"tokenizer.json": b'{"model": {"type": "Unigram", "vocab": [["a", 1e999]]}}'}),
    ("not_json", {"tokenizer.json": b'{"model": {"id": ' + b"9" * 5000 + b"}}"}),
    ("nested", {"tokenizer.json": b"[" * 100_000}),
    ("nested", {"tokenizer.json": b'{"model":' * 100_000}),
    ("surrogate", {"tokenizer.json": b'{"model": {"type": "BPE", "vocab": {"\\ud800": 0}, "merges": []}}'}),
    ("not_utf8", {"tokenizer.json": '{"model": "é"}'.encode("latin-1")}),
    ("not_utf8", {"vocab.txt": "[UNK]\nhug".encode("utf-16")}),
    ("settings", {"tokenizer_config.json": b'{"tokenizer_class": "GPT2Tokenizer"}'}),
    ("settings", {"config.json": b'{"architectures": ["BertModel"], "model_type": "bert"}'}),
    ("settings", {"special_tokens_map.json": b'{"unk_token": "[UNK]"}'}),
    ("list", {"tokenizer.json": b'["a", "b"]'}),
    ("list", {"tokens": b'["a", "b"]'}),
    ("other_json", {"tokenizer.json": b"{}"}),
    ("other_json", {"tokenizer.json": b'"model"'}),
    ("other_json", {"tokenizer.json": b'{"model": null}'}),
    ("other_json", {"x.json": b'{"a": true}'}),
    ("pickle", {"tokenizer.pkl": pickle.dumps({"a": 1})}),
    ("archive", {"model.zip": zipped()}),
    ("archive", {"tokenizer.json": gzip.compress(b"{}")}),
    ("lfs", {"tokenizer.model": POINTER}),
    ("lfs", {"tokenizer.json": POINTER}),
    ("image", {"cat.png": b"\x89PNG\r\n\x1a\n"}),
    ("image", {"vocab.txt": b"\xff\xd8\xff\xe0JFIF"}),
    ("binary", {"model.safetensors": b"\x40\x00\x00\x00\x00\x00\x00\x00{}"}),
    ("binary", {"vocab.txt": bytes(range(256))}),
    ("spm_vocab", {"m.vocab": "<unk>\t0\n▁the\t-3.5\n\t\t-1e-05\n".replace("\t\t", "x\t").encode()}),
    ("no_merges", {"vocab.json": b'{"a": 0}'}),
    ("no_vocab", {"merges.txt": b"#version: 0.2\na b\n"}),
    ("no_vocab", {"list": b"a b\nb c\n"}),
    ("several", {"a.txt": b"[UNK]\na", "b.txt": b"[UNK]\nb"}),
    (
        "several",
        {"a.json": json.dumps(document(bpe())).encode(), "b.json": json.dumps(document(bpe())).encode()},
    ),
    ("several", {"a.txt": b"[UNK]\na", "b.tiktoken": FULL}),
    ("not_json", {"vocab.json": b"{", "merges.txt": b"a b"}),
    ("merge_unknown", {"vocab.json": b'{"a": 0, "b": 1}', "merges.txt": b"a b\n"}),
    ("merge_unknown", {"vocab.json": b'{"a": 0, "ab": 1}', "merges.txt": b"a b\n"}),
    ("merge_line", {"vocab.json": b'{"a": 0, "b": 1}', "merges.txt": b"#version: 0.2\na b c\n"}),
    ("merge_line", {"vocab.json": b'{"a": 0, "b": 1}', "merges.txt": b"ab\n"}),
    ("no_id", {"vocab.json": b'{"a": 0, "b": -1}', "merges.txt": b"#version: 0.2\n"}),
    ("no_id", {"vocab.json": b'{"a": 0, "b": 1.5}', "merges.txt": b"#version: 0.2\n"}),
    ("same_id", {"vocab.json": b'{"a": 0, "b": 0}', "merges.txt": b"#version: 0.2\n"}),
    ("high_id", {"vocab.json": b'{"a": 0, "b": 4294967296}', "merges.txt": b"#version: 0.2\n"}),
    ("rank_line", {"x.tiktoken": b"YQ== 0\nYg==\n"}),
    ("rank_line", {"x.tiktoken": b"YQ== 0\nYg== -1\n"}),
    ("rank_line", {"x.tiktoken": b"a 0\n"}),
    ("rank_twice", {"x.tiktoken": b"YQ== 0\nYQ== 1\n"}),
    ("rank_twice", {"x.tiktoken": b"YQ== 0\nYg== 0\n"}),
    ("no_byte", {"x.tiktoken": b"YQ== 0\nYg== 1\n"}),
    ("high_id", {"x.tiktoken": FULL + base64.b64encode(b"ab") + b" 4294967296\n"}),
]


@pytest.mark.parametrize(("why", "files"), NOT_TOKENIZERS)
def test_files_without_a_tokenizer_are_explained(why: str, files: dict[str, bytes]) -> None:
    assert reason(files) == why


def test_a_binary_sentencepiece_model_is_recognised(tmp_path: Path) -> None:
    data = sentencepiece_model(tmp_path)
    assert load({"spiece.model": data}).algorithm == "Unigram"
    assert reason({"spiece.model": data[: len(data) // 2]}) == "sentencepiece"  # it was cut off


def test_a_record_of_the_app_is_recognised() -> None:
    trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5}), merges=2)
    assert reason({"bpe.json": trace_to_json(trace).encode()}) == "record"


def test_hostile_files_beside_a_tokenizer_do_no_harm() -> None:
    settings_file = {"training_args.json": b'{"tokenizer_class": "X"}', "readme.md": b"Read me, please.\n"}
    subject = load({**settings_file, **files_of(document(bpe())), "vocab.json": b'{"a": 0}'}, "mine")
    assert subject.name == "mine" and list(subject.encode("ab").ids) == [2]
    assert all(name in subject.notes[0] for name in (*settings_file, "vocab.json"))
    assert load({**settings_file, **exported("byte_level", ())[1]}).style.byte_level
    assert reason({**settings_file, "vocab.json": b'{"a": 0}'}) == "unknown"
    assert reason({"config.json": b'{"model_type": "x"}', "vocab.json": b'{"a": 0}'}) == "no_merges"


MODELS: list[tuple[str, dict[str, Any]]] = [
    ("library", document({"type": "Foo"})),
    ("library", document(bpe(merges=["a q"]))),
    ("library", document(bpe(merges=["a b c"]))),
    ("library", document({"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": 7})),
    ("library", document({"type": "Unigram", "vocab": [["a", "x"]], "unk_id": 0})),
    ("library", document(bpe(), normalizer={"type": "Replace", "pattern": {"Regex": "("}, "content": ""})),
    ("library", document(bpe(), pre_tokenizer={"type": "Nonsense"})),
    ("panic", document(bpe(continuing_subword_prefix="####"))),
    ("panic", document(bpe(), normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"})),
    ("no_id", document(bpe(vocab={"a": -1}, merges=[]))),
    ("no_id", document(bpe(vocab={"a": True}, merges=[]))),
    ("no_id", document(bpe(vocab={"a": "0"}, merges=[]))),
    ("high_id", document(bpe(vocab={"a": 2**32 - 1}, merges=[]))),
    ("high_id", document(bpe(vocab={"a": ID_LIMIT}, merges=[]))),
    ("same_id", document(bpe(vocab={"a": 0, "b": 0}, merges=[]))),
    (
        "expands",
        document(
            bpe(),
            normalizer={
                "type": "Sequence",
                "normalizers": [{"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 10}] * 6,
            },
        ),
    ),
    (
        "expands",
        document(
            bpe(), normalizer={"type": "Replace", "pattern": {"Regex": ""}, "content": "a" * EXPANSION_LIMIT}
        ),
    ),
    (
        "expands",
        document(bpe(), pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}] * 7}),
    ),
    ("stages", document(bpe(), normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}] * 1001})),
    (
        "long_pattern",
        document(
            bpe(),
            pre_tokenizer={
                "type": "Split",
                "pattern": {"Regex": "a" * 10_001},
                "behavior": "Isolated",
                "invert": False,
            },
        ),
    ),
    (
        "template",
        document(
            bpe(),
            post_processor={
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "a", "type_id": 0}}] * 40,
                "pair": [],
                "special_tokens": {"a": {"id": "a", "ids": [0] * 40, "tokens": ["a"] * 40}},
            },
        ),
    ),
]


@pytest.mark.parametrize(("why", "model"), MODELS)
def test_broken_or_hostile_tokenizers_are_refused(why: str, model: dict[str, Any]) -> None:
    assert reason(files_of(model)) == why


def test_too_many_tokens_are_refused() -> None:
    many = bpe(vocab={f"{n}": n for n in range(TOKEN_LIMIT + 1)}, merges=[])
    assert reason(files_of(document(many))) == "too_many_tokens"
    added = [{"id": 3 + n, "content": f"<{n}>"} for n in range(ADDED_LIMIT + 1)]
    assert reason(files_of(document(bpe(), added))) == "too_many_added"


def test_oversized_files_are_refused_before_reading() -> None:
    assert reason({"tokenizer.json": b"[" * (TOKENIZER_LIMIT + 1)}) == "too_large"
    assert reason({f"{number}.json": b"{}" for number in range(FILES_LIMIT + 1)}) == "too_many_files"
    assert (
        reason({"a.json": b"[" * (TOKENIZER_LIMIT // 2), "b.json": b"{" * (TOKENIZER_LIMIT // 2 + 1)})
        == "too_large"
    )


@examples(150)
@given(
    st.binary(max_size=60) | text.map(str.encode),
    st.sampled_from(["tokenizer.json", "vocab.txt", "merges.txt", "x.tiktoken", "x"]),
)
def test_any_bytes_make_a_tokenizer_or_an_explanation(data: bytes, name: str) -> None:
    assert outcome(lambda: load({name: data}))


@examples(150)
@given(st.data())
def test_any_change_to_a_tokenizer_makes_a_tokenizer_or_an_explanation(data: st.DataObject) -> None:
    written = json.dumps(json.loads(trained("bpe_fallback").to_str()))
    position = data.draw(st.integers(0, len(written) - 1))
    width = data.draw(st.integers(0, 12))
    other = data.draw(st.text(st.sampled_from('"{}[],:0-9.eaBE▁ntru\\l'), max_size=6))
    changed = (written[:position] + other + written[position + width :]).encode()
    assert outcome(lambda: load({"tokenizer.json": changed}).encode("the cat <s>", added=True))


# --- texts that a tokenizer refuses -------------------------------------------------------------------------

FAILING: list[tuple[str, dict[str, Any]]] = [
    ("failed", document(bpe(unk_token="[UNK]"))),
    ("failed", document({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"})),
    ("failed", document({"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": None})),
    (
        "failed",
        document(
            {
                "type": "WordPiece",
                "vocab": {"a": 0},
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
            }
        ),
    ),
    ("panic", document(bpe(), pre_tokenizer={"type": "FixedLength", "length": 0})),
    (
        "panic",  # the regular expression's own limit
        document(
            bpe(),
            pre_tokenizer={
                "type": "Split",
                "pattern": {"Regex": "(a+a+)+$"},
                "behavior": "Isolated",
                "invert": False,
            },
        ),
    ),
]


@pytest.mark.parametrize(("why", "model"), FAILING)
def test_the_librarys_failures_are_explained_and_do_not_last(why: str, model: dict[str, Any]) -> None:
    subject = load(files_of(model, "my <b>.json"))
    for _time in range(2):
        with pytest.raises(EncodeError) as caught:
            subject.encode("q" + "a" * 40 + "x")
        assert caught.value.why == why and "'my <b>.json'" in str(caught.value) and explained(caught.value)
    if why == "failed":
        assert subject.encode("a").ids == [0]


def test_a_template_with_missing_tokens_fails_only_when_used() -> None:
    around = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {},
    }
    subject = load(files_of(document(bpe(), post_processor=around)))
    assert subject.added == () and list(subject.encode("ab").ids) == [2]
    with pytest.raises(EncodeError):
        subject.encode("ab", added=True)


def test_half_a_utf16_pair_is_refused_as_everywhere() -> None:
    for work in (loaded("bpe").encode, loaded("unigram").normalized):
        with pytest.raises(SurrogateError):
            work("a\ud800")


def test_sessions_may_use_one_tokenizer_at_the_same_time() -> None:
    subject = loaded("wordpiece")
    special = oracle("wordpiece").token_to_id("<s>")
    wrong: list[bool] = []

    def use(specials: bool) -> None:
        for _time in range(150):
            if (special in subject.encode("a <s> b", specials=specials).ids) != specials:
                wrong.append(specials)

    threads = [threading.Thread(target=use, args=(number % 2 == 0,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_every_reason_has_a_test_and_every_template_its_evidence() -> None:
    seen = {why for why, _files in NOT_TOKENIZERS} | {why for why, _model in MODELS}
    seen |= {"too_many_tokens", "too_many_added", "pattern"}
    seen |= {"too_large", "too_many_files", "sentencepiece", "record", "no_unknown", "unknown"}
    seen |= {"tekken", "minbpe", "minbpe_twice"}  # in test_other_files.py
    seen |= {"slow", "memory", "long_token", "long_added", "high_number"}  # in test_remote_tokenizer.py
    assert seen == set(LoadError.templates)
    assert set(EncodeError.templates) == {"failed", "panic", "slow", "lost", "gone", "crowded"}
    for kind in (LoadError, EncodeError):
        assert issubclass(kind, TokenizersCoreError)
        assert all(_(template) for template in kind.templates.values())


# --- tokenizers trained here --------------------------------------------------------------------------------


@pytest.mark.parametrize("pre_tokenizer", ["byte_level", "whitespace_split", "end_of_word"])
@pytest.mark.parametrize("train", [train_bpe, train_wordpiece, train_unigram])
def test_a_trained_subject_is_the_engines_tokenizer(train: Any, pre_tokenizer: str) -> None:
    if train is not train_bpe and pre_tokenizer == "end_of_word":
        pre_tokenizer = "metaspace"
    corpus = Corpus.from_texts([SOURCE[:4000]], normalizer="lowercase", pre_tokenizer=pre_tokenizer)
    trace = train(corpus, vocab_size=150, special_tokens=["<s>", "[x]"])
    step = len(trace) // 2
    tokenizer = trace.tokenizer(step)
    subject = TrainedSubject("mine", tokenizer, trace, step)
    for each in [*TEXTS, "The <s> is [x], Ĉ", SOURCE[:500]]:
        encoding = tokenizer.encode(each)
        assert list(subject.encode(each, added=True).ids) == encoding.ids
        assert list(subject.encode(each).offsets) == encoding.offsets
        plain = subject.encode(each, specials=False)
        assert len(plain.ids) == len(plain.offsets)
        assert all(0 <= start <= end <= len(each) for start, end in plain.offsets)
        if (
            "<s>" not in trace.corpus.words and train is not train_wordpiece
        ):  # its vocabulary has them as words
            assert not {"<s>", "[x]"} & {subject.token(identifier) for identifier in plain.ids}
    assert subject.normalized("ABC") == "abc"
    assert list(subject.all_tokens()) == list(tokenizer.tokens) and subject.size == trace[step].vocab_size
    assert (
        subject.style.special_tokens == {*tokenizer.special_tokens} and subject.added == subject.notes == ()
    )
    assert (subject.unknown_id is None) == (subject.unknown_token == "")
    assert subject.algorithm in ("BPE", "WordPiece", "Unigram")
    everything = [subject.facts(identifier) for identifier in range(len(tokenizer.tokens))]
    assert everything[0] == Facts()  # a special token
    if subject.algorithm == "Unigram":
        scores = {
            subject.token(number): facts.score
            for number, facts in enumerate(everything)
            if facts.score is not None
        }
        assert scores == dict(trace[step].pieces)
        assert {facts.freq for facts in everything if facts.score is not None} > {None} or all(
            facts.freq for facts in everything if facts.score is not None
        )
    else:
        steps = [facts.step for facts in everything if facts.step]
        assert steps == sorted(steps) and max(steps) <= step
        for facts in everything:
            if facts.step:
                event = trace[facts.step].event
                assert facts == Facts(
                    rank=event.rank,
                    parts=tuple(event.pair),
                    freq=event.freq,
                    step=event.step if hasattr(event, "step") else facts.step,
                )


def test_a_piece_was_counted_as_often_in_either_method() -> None:
    corpus = Corpus.from_counts({"hug": 10, "pug": 5, "hugs": 5})
    for method in ("course", "sentencepiece"):
        trace = train_unigram(corpus, vocab_size=20, method=method)
        subject = TrainedSubject("mine", trace.tokenizer(0), trace, 0)
        ids = {token: number for number, token in enumerate(subject.all_tokens())}
        assert subject.facts(ids["ug" if "ug" in ids else "hug"]).freq == (20 if "ug" in ids else 15)
        assert subject.facts(ids["g"]).freq == 20


def test_the_byte_alphabet_alone_is_byte_level() -> None:
    ids = {symbol: number for number, symbol in enumerate(BYTE_TO_SYMBOL)}
    subject = load({"vocab.json": json.dumps(ids).encode(), "merges.txt": b"#version: 0.2\n"})
    assert subject.style.byte_level and list(subject.encode("é ").ids) == [0xC3, 0xA9, 0x20]


def test_merges_of_tokens_with_ends_of_lines() -> None:
    """As the app writes them where lines are part of words: read back with the help of the vocabulary."""
    random = Random(3)
    for _case in range(30):
        corpus = Corpus.from_texts(["".join(random.choices("ab \n", k=80))], pre_tokenizer="metaspace")
        trace = train_bpe(corpus, merges=random.randint(1, 15))
        tokenizer = trace.tokenizer()
        files = {"vocab.json": vocab_json(tokenizer).encode(), "merges.txt": merges_txt(trace).encode()}
        if "▁" not in "".join(tokenizer.tokens):
            continue
        subject = load(files)
        each = "".join(random.choices("ab \n", k=100))
        assert list(subject.encode(each).ids) == tokenizer.encode(each).ids
