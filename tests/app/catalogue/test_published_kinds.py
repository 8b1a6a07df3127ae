"""Small files like those of published models; `make real` tries the same on the files themselves.

Oracles: `tokenizers`, `tiktoken` and `sentencepiece` on files made here by these libraries, or by hand with
the contents of their own files; mistral_common's list of the special tokens missing in the first tekken.json.
"""

from __future__ import annotations

import base64
import io
import json
import time
from functools import cache
from typing import Any

import pytest
import sentencepiece
import tiktoken
from tokenizers import Tokenizer

from tests.app.catalogue.test_loaded import bpe, document, files_of, reason
from tests.app.catalogue.test_other_files import tekken
from tokenizers_core import Tokenizer as EngineTokenizer
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokenizers_core.text.patterns import PATTERNS
from tokensteps.catalogue.files import words
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.files.recognition import recognize
from tokensteps.catalogue.lookup import search
from tokensteps.limits import LONG_TOKENS_WORK

HARD = "I'M sure they'LL: 12345 12,345.67 naïve 茶道 第123回  \n\n\tx != y;  한국어"


def ids(subject: LoadedSubject, text: str, specials: bool = True) -> list[int]:
    return [*subject.encode(text, specials).ids]


# --- the kind of a file -------------------------------------------------------------------------------------

KEYS = {"algorithm": 0, "steps": 1, "words": 2, "model": 3, "config": 4, "vocab": 5, "tokenizer_class": 6}


def test_a_vocabulary_may_have_any_words_as_its_tokens() -> None:
    vocab = {"algorithm": 0, "steps": 1, "words": 2, "a": 3, "b": 4, "ab": 5}
    subject = load({"vocab.json": json.dumps(vocab).encode(), "merges.txt": b"a b"})
    assert ids(subject, "ab") == [5]
    every = json.dumps({**KEYS, "bos_token": 7, "architectures": 8}).encode()
    assert recognize("vocab.json", every).kind == "vocab"


@cache
def kinds() -> dict[str, tuple[str, bytes]]:
    """A file of each kind, under a name that doesn't tell its kind."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["hug pug hugs", "a bun"] * 5),
        model_writer=written,
        vocab_size=20,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    ranks = b"\n".join(base64.b64encode(bytes([byte])) + b" %d" % byte for byte in range(256))
    return {
        "tokenizer": ("x.json", files_of(document(bpe()))["tokenizer.json"]),
        "vocab": ("x.json", json.dumps(KEYS).encode()),
        "merges": ("x", b"#version: 0.2\na b\nal gorithm\n"),
        "words": ("x.txt", b"[UNK]\nalgorithm\nsteps\nwords\n##s\n"),
        "ranks": ("x", ranks + b"\n= 256\n"),
        "tekken": ("x.json", tekken()),
        "minbpe": ("x", b"minbpe v1\n\n0\n104 117\n"),
        "pieces": ("x", written.getvalue()),
    }


@pytest.mark.parametrize(
    "kind", ["tokenizer", "vocab", "merges", "words", "ranks", "tekken", "minbpe", "pieces"]
)
def test_each_kind_is_recognized_as_itself(kind: str) -> None:
    name, data = kinds()[kind]
    assert recognize(name, data).kind == kind


# --- ranks --------------------------------------------------------------------------------------------------


def rank_file(ranks: dict[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


def test_the_last_token_of_ranks_may_be_empty(tmp_path: Any) -> None:
    """Whisper's multilingual.tiktoken ends so. tiktoken reads `=` as the empty token, and gives it its
    rank."""
    ranks = {**{bytes([byte]): byte for byte in range(256)}, b"ab": 256}
    data = rank_file(ranks) + b"= 257\n"
    truth = tiktoken.Encoding(
        "x", pat_str=PATTERNS["gpt2"], mergeable_ranks={**ranks, b"": 257}, special_tokens={"<s>": 258}
    )
    subject = load({"x.tiktoken": data}, pattern="gpt2", special={"<s>": None})
    assert subject.size == truth.n_vocab == 259
    assert ids(subject, "ab<s>é") == truth.encode("ab<s>é", allowed_special="all")
    path = tmp_path / "x.tiktoken"
    path.write_bytes(data)
    assert EngineTokenizer.load(path, pattern="gpt2").encode("abé").ids == truth.encode("abé")


def sized(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Have Qwen's vocabulary be as small as this."""
    assert words.published_pattern(151_643, "!") == "qwen2"
    monkeypatch.setattr(words, "PATTERN_BY_SIZE", ((range(size, size + 1), "qwen2"),))


def test_qwens_ranks_are_split_by_qwens_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = {**{bytes([byte]): byte for byte in range(256)}, b"12": 256, b"!=": 257}
    sized(monkeypatch, len(ranks))
    subject = load({"x.tiktoken": rank_file(ranks)})
    truth = tiktoken.Encoding("x", pat_str=PATTERNS["qwen2"], mergeable_ranks=ranks, special_tokens={})
    assert subject.pattern == "qwen2" and ids(subject, HARD) == truth.encode(HARD)
    assert ids(load({"x.tiktoken": rank_file(ranks)}, pattern="gpt2"), HARD) != truth.encode(HARD)


def test_qwens_vocabulary_with_merges_is_split_by_qwens_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    merges = [("1", "2"), ("!", "=")]
    tokens = [*BYTE_TO_SYMBOL, *(first + second for first, second in merges)]
    vocab = {token: index for index, token in enumerate(tokens)}
    sized(monkeypatch, len(vocab))
    pre_tokenizer = {
        "type": "Sequence",
        "pretokenizers": [
            {
                "type": "Split",
                "pattern": {"Regex": PATTERNS["qwen2"]},
                "behavior": "Isolated",
                "invert": False,
            },
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
        ],
    }
    files = {
        "vocab.json": json.dumps(vocab).encode(),
        "merges.txt": "\n".join(["#version: 0.2", *map(" ".join, merges)]).encode(),
    }
    truth = Tokenizer.from_str(
        json.dumps(document(bpe(vocab=vocab, merges=[*map(list, merges)]), pre_tokenizer=pre_tokenizer))
    )
    subject = load(files)
    assert subject.pattern == "qwen2" and ids(subject, HARD) == truth.encode(HARD).ids
    assert ids(load(files, pattern="gpt2"), HARD) != truth.encode(HARD).ids


# --- limits -------------------------------------------------------------------------------------------------


def test_one_long_token_of_spaces_is_no_reason_to_refuse_a_file() -> None:
    spaces = " " * 1_024  # as Claude's has
    vocab = {"a": 0, "b": 1, "ab": 2, spaces: 3}
    result = Tokenizer.from_str(json.dumps(document(bpe(vocab=vocab))))
    subject = load(files_of(result))
    assert subject.token(3) == spaces and ids(subject, "ab") == result.encode("ab").ids
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {b" " * 2**power: 255 + power for power in range(1, 11)}
    truth = tiktoken.Encoding("x", pat_str=PATTERNS["cl100k_base"], mergeable_ranks=ranks, special_tokens={})
    loaded = load({"x.tiktoken": rank_file(ranks)}, pattern="cl100k_base")
    assert ids(loaded, f"a{spaces}{spaces}b") == truth.encode(f"a{spaces}{spaces}b")


def test_tokens_so_long_that_work_on_them_takes_too_much_are_refused() -> None:
    longest = "x" * (int(LONG_TOKENS_WORK**0.5) + 1)
    assert reason(files_of(document(bpe(vocab={"a": 0, "b": 1, "ab": 2, longest: 3})))) == "long_token"
    several = {f"{number:04}{'x' * 1_000}": 3 + number for number in range(LONG_TOKENS_WORK // 1_000_000 + 1)}
    assert reason(files_of(document(bpe(vocab={"a": 0, "b": 1, "ab": 2, **several})))) == "long_token"


def test_tens_of_thousands_of_added_tokens_are_read_and_encoded_as_plain_text_soon() -> None:
    """Added one by one, as many took the library half a minute."""
    added = [
        {"id": 3 + number, "content": f"<{number}>", "special": number % 2 == 0} for number in range(26_092)
    ]
    file = files_of(document(bpe(), added))
    started = time.thread_time()
    subject = load(file)
    reading = time.thread_time() - started
    assert ids(subject, "<0>ab<26091>") == [3, 2, 3 + 26_091]
    started = time.thread_time()
    assert ids(subject, "<0>ab<26091>", specials=False) == [2, 3 + 26_091]
    assert time.thread_time() - started < 5 * reading


# --- added tokens -------------------------------------------------------------------------------------------


def test_added_tokens_of_spaces_are_spaces() -> None:
    """As in Gemma: tokens of several ▁ are in the vocabulary and among the added tokens, but not special."""
    space, four = "▁", "▁▁▁▁"
    vocab = {"<bos>": 0, "a": 1, space: 2, "▁▁": 3, four: 4}
    result = Tokenizer.from_str(
        json.dumps(
            document(
                bpe(vocab=vocab, merges=[f"{space} {space}", "▁▁ ▁▁"]),
                [{"id": 0, "content": "<bos>"}, {"id": 4, "content": four, "special": False}],
                normalizer={"type": "Replace", "pattern": {"String": " "}, "content": space},
                decoder={"type": "Replace", "pattern": {"String": space}, "content": " "},
            )
        )
    )
    subject = load(files_of(result))
    assert ids(subject, "a    a") == result.encode("a    a").ids == [1, 4, 1]
    assert subject.token_bytes(4) == result.decode([4]).encode() == b"    "
    assert subject.token_bytes(0) == b"<bos>"
    assert search(subject, "text", "    ").ids == (4,)


# --- tekken.json and .model ---------------------------------------------------------------------------------


def test_a_tekken_that_lists_no_special_tokens_has_those_of_the_first_files() -> None:
    content = json.loads(tekken())
    reserved, size = content["config"]["default_num_special_tokens"], content["config"]["default_vocab_size"]
    del content["special_tokens"]
    subject = load({"tekken.json": json.dumps(content).encode()})
    assert subject.size == size
    first = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"][:reserved]
    assert [subject.token(index) for index in range(len(first))] == first
    assert all(subject.token(index) for index in range(reserved))
    assert ids(subject, "<s>") == [1] and ids(subject, "[INST]") == [3]
    assert ids(subject, "<s>", specials=False) != [1]


def test_reserved_ids_of_a_tekken_have_fillers() -> None:
    content = json.loads(tekken())
    content["special_tokens"] = [{"rank": 0, "token_str": "<unk>"}, {"rank": 3, "token_str": "[X]"}]
    subject = load({"tekken.json": json.dumps(content).encode()})
    assert [subject.token(index) for index in range(4)] == ["<unk>", "<SPECIAL_1>", "<SPECIAL_2>", "[X]"]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_control_pieces_in_a_text_are_plain_text_as_in_sentencepiece(kind: str) -> None:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["hug <s> pug hugs</s>", "a bun <s>x"] * 5),
        model_writer=written,
        vocab_size=32,
        hard_vocab_limit=False,
        model_type=kind,
        minloglevel=2,
    )
    truth = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    subject = load({"m.model": written.getvalue()})
    for text in ("hug <s> pug", "a <s>x</s>"):
        assert truth.bos_id() not in ids(subject, text)
        assert ids(subject, text) == truth.encode(text)
