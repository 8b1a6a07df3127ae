"""Other programs' files: SentencePiece's .model, tekken.json, minbpe's .model; and settings missing in a
file.

Oracles: `sentencepiece` itself, on models trained by it here; `tiktoken`'s encoder, given the same ranks,
pattern and special tokens (tekken.json is made for it); minbpe's encoding, written here at its plainest.
"""

from __future__ import annotations

import base64
import io
import json
import random
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import regex
import sentencepiece
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core.files.piece_files import Damaged, fields, read_model
from tokenizers_core.text.patterns import PATTERNS
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.shipped import gpt2
from tokensteps.catalogue.texts import SENTENCES, TEXTS

LINES = [*(one.text for one in SENTENCES), *TEXTS["code"].make().splitlines()] * 3
SOME = [
    *(one.make() for one in TEXTS.values()),
    *(one.text for one in SENTENCES),
    "",
    " ",
    "  a  b ",
    "\t\n",
    "▁a b▁",
]
MODELS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram"},
    "unigram, bytes": {"model_type": "unigram", "byte_fallback": True, "vocab_size": 800},
    "bpe": {"model_type": "bpe"},
    "bpe, bytes": {"model_type": "bpe", "byte_fallback": True, "vocab_size": 800},
    "as Llama": {
        "model_type": "bpe",
        "byte_fallback": True,
        "vocab_size": 800,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
    },
    "no mark in front": {"model_type": "unigram", "add_dummy_prefix": False},
    "lower case": {"model_type": "bpe", "normalization_rule_name": "nmt_nfkc_cf"},
}


@cache
def trained(kind: str) -> bytes:
    """A model trained by sentencepiece."""
    written = io.BytesIO()
    settings = {"vocab_size": 600, "hard_vocab_limit": False, "minloglevel": 2, **MODELS[kind]}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(LINES), model_writer=written, **settings)
    return written.getvalue()


@cache
def both(kind: str) -> tuple[LoadedSubject, Any]:
    """The model as this app reads it, and as sentencepiece does."""
    data = trained(kind)
    return load({"m.model": data}), sentencepiece.SentencePieceProcessor(model_proto=data)


@pytest.mark.parametrize("kind", MODELS)
def test_a_sentencepiece_model_gives_sentencepieces_ids(kind: str) -> None:
    subject, truth = both(kind)
    assert list(subject.all_tokens()) == [truth.id_to_piece(index) for index in range(truth.get_piece_size())]
    for text in SOME:
        for specials in (True, False):
            assert list(subject.encode(text, specials).ids) == truth.encode(text), text


@given(st.sampled_from([*MODELS]), st.text(st.sampled_from("ab é茶ée  \u3000かx1.")))
@examples(300)
def test_random_texts_too(kind: str, text: str) -> None:
    subject, truth = both(kind)
    assert list(subject.encode(text, specials=False).ids) == truth.encode(text)


def test_pieces_have_scores_and_kinds() -> None:
    subject, truth = both("unigram")
    for index in (0, 5, 100):
        assert subject.facts(index).score == pytest.approx(truth.get_score(index))
    assert {"<s>", "</s>"} <= subject.style.special_tokens and subject.unknown_id == truth.unk_id()


@given(st.binary(max_size=80))
@examples(500)
def test_nonsense_is_damaged_and_ends(data: bytes) -> None:
    for read in (lambda: list(fields(data)), lambda: read_model(data)):
        with suppress(Damaged):
            read()


def test_truncated_or_changed_models_are_refused_or_read() -> None:
    data, draw = trained("unigram"), random.Random(1)
    for _turn in range(60):
        index = draw.randrange(30, len(data))
        changed = (
            data[:index]
            if draw.random() < 0.5
            else data[:index] + bytes([draw.randrange(256)]) + data[index + 1 :]
        )
        with suppress(LoadError):
            load({"m.model": changed})


# --- tekken.json --------------------------------------------------------------------------------------------


@cache
def ranks_of_gpt2() -> dict[bytes, int]:
    return {gpt2().token_bytes(identifier): identifier for identifier in range(2_000)}


SPECIAL = ("<unk>", "<s>", "</s>", "[INST]")


def tekken(**changes: Any) -> bytes:
    """A tekken.json with GPT-2's first tokens, some of them unused by its model."""
    config = {
        "pattern": PATTERNS["o200k_base"],
        "num_vocab_tokens": 2_000,
        "default_vocab_size": 1_900,
        "default_num_special_tokens": 100,
        "version": "v7",
    }
    vocab = [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None}
        for token, rank in ranks_of_gpt2().items()
    ]
    special = [{"rank": rank, "token_str": token, "is_control": True} for rank, token in enumerate(SPECIAL)]
    return json.dumps({"config": config | changes, "vocab": vocab, "special_tokens": special}).encode()


def test_tekken_gives_the_ids_of_the_same_ranks() -> None:
    subject = load({"tekken.json": tekken()})
    used = {token: rank for token, rank in ranks_of_gpt2().items() if rank < 1_800}
    special = {token: 10_000 + rank for rank, token in enumerate(SPECIAL)}
    truth = tiktoken.Encoding(
        "t", pat_str=PATTERNS["o200k_base"], mergeable_ranks=used, special_tokens=special
    )

    def ids(theirs: list[int]) -> list[int]:
        return [one - 10_000 if one >= 10_000 else one + 100 for one in theirs]

    for text in SOME:
        assert list(subject.encode(text, specials=False).ids) == ids(truth.encode_ordinary(text))
    text = "[INST]hello</s> there"
    assert list(subject.encode(text).ids) == ids(truth.encode(text, allowed_special="all"))
    assert subject.pattern is None  # the file says it


@pytest.mark.parametrize(
    "change",
    [
        {"pattern": 3},
        {"default_vocab_size": -1},
        {"default_num_special_tokens": "x"},
        {"default_vocab_size": 10**9},
    ],
)
def test_invalid_tekken_files_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(LoadError) as caught:
        load({"tekken.json": tekken(**change)})
    assert caught.value.why in ("tekken", "too_many_tokens")


# --- minbpe -------------------------------------------------------------------------------------------------


def minbpe(
    pattern: str, special: dict[str, int], text: str, merges: int
) -> tuple[bytes, list[tuple[int, int]]]:
    """A model as minbpe trains and saves it."""
    words = [list(word.encode()) for word in (regex.findall(pattern, text) if pattern else [text])]
    pairs: list[tuple[int, int]] = []
    for _turn in range(merges):
        counts: dict[tuple[int, int], int] = {}
        for word in words:
            for pair in pairwise(word):
                counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=counts.__getitem__)
        pairs.append(best)
        words = [replaced(word, best, 255 + len(pairs)) for word in words]
    lines = [
        "minbpe v1",
        pattern,
        str(len(special)),
        *(f"{token} {position}" for token, position in special.items()),
    ]
    return "\n".join([*lines, *(f"{first} {second}" for first, second in pairs)]).encode() + b"\n", pairs


def replaced(word: list[int], pair: tuple[int, int], new: int) -> list[int]:
    done: list[int] = []
    position = 0
    while position < len(word):
        here = tuple(word[position : position + 2]) == pair
        done.append(new if here else word[position])
        position += 2 if here else 1
    return done


def encoded(pattern: str, pairs: list[tuple[int, int]], text: str) -> list[int]:
    """minbpe's encoding: of the pairs in a word, the earliest merge's first."""
    ids: list[int] = []
    for word in regex.findall(pattern, text) if pattern else [text]:
        part = list(word.encode())
        while result := {*pairwise(part)} & {*pairs}:
            best = min(result, key=pairs.index)
            part = replaced(part, best, 256 + pairs.index(best))
        ids += part
    return ids


@pytest.mark.parametrize("pattern", ["", PATTERNS["gpt2"], r"\w+|\s+|[^\w\s]+"])
def test_minbpe_gives_minbpes_ids(pattern: str) -> None:
    data, pairs = minbpe(pattern, {"<|endoftext|>": 1_000} if pattern else {}, " ".join(LINES[:30]), 80)
    subject = load({"basic.model": data})
    for text in [*(one.text for one in SENTENCES), TEXTS["numbers"].make()]:
        assert list(subject.encode(text, specials=False).ids) == encoded(pattern, pairs, text)
    assert subject.pattern == pattern
    if pattern:
        assert list(subject.encode("a<|endoftext|>").ids) == [*encoded(pattern, pairs, "a"), 1_000]


@pytest.mark.parametrize(
    "written",
    ["minbpe v1", "minbpe v1\n\n5\n", "minbpe v1\n\n-1\n", "minbpe v1\n\n0\n1", "minbpe v1\n\n0\n1 999", "minbpe v1\n\n1\n<s>\n",
     "minbpe v1\n\n0\n97 97\n256 97\n97 256"],
)  # fmt: skip
def test_invalid_minbpe_models_are_refused(written: str) -> None:
    with pytest.raises(LoadError) as caught:
        load({"x.model": written.encode()})
    assert caught.value.why in ("minbpe", "minbpe_twice")


# --- settings -----------------------------------------------------------------------------------------------


def test_pattern_and_special_tokens_of_a_tiktoken_file() -> None:
    lines = "\n".join(f"{base64.b64encode(token).decode()} {rank}" for token, rank in ranks_of_gpt2().items())
    special = {"<|endoftext|>": 2_005, "<|next|>": None}
    for pattern in ("gpt2", "o200k_base", r"\w+|\W"):
        subject = load({"x.tiktoken": lines.encode()}, pattern=pattern, special=special)
        truth = tiktoken.Encoding(
            "t",
            pat_str=PATTERNS.get(pattern, pattern),
            mergeable_ranks=ranks_of_gpt2(),
            special_tokens={"<|endoftext|>": 2_005, "<|next|>": 2_006},
        )
        text = "It's 12345 words<|endoftext|>, 茶<|next|>!\n  x"
        assert list(subject.encode(text).ids) == truth.encode(text, allowed_special="all")
        assert list(subject.encode(text, specials=False).ids) == truth.encode_ordinary(text)
        assert subject.pattern == pattern
    with pytest.raises(LoadError) as caught:
        load({"x.tiktoken": lines.encode()}, special={"<s>": 5})
    assert caught.value.why == "same_id"


def test_pattern_and_special_tokens_of_vocab_and_merges() -> None:
    subject = gpt2()
    vocab = {token: index for index, token in enumerate(subject.all_tokens()[:1_000])}
    merges = "\n".join(" ".join(subject.facts(index).parts or ()) for index in range(256, 1_000))
    files = {"vocab.json": json.dumps(vocab).encode(), "merges.txt": merges.encode()}
    ranks = {token: rank for token, rank in ranks_of_gpt2().items() if rank < 1_000}
    truth = tiktoken.Encoding(
        "t", pat_str=PATTERNS["cl100k_base"], mergeable_ranks=ranks, special_tokens={"<s>": 1_000}
    )
    result = load(files, pattern="cl100k_base", special={"<s>": None})
    text = "It's 12345<s> words"
    assert list(result.encode(text).ids) == truth.encode(text, allowed_special="all")
    assert result.pattern == "cl100k_base" and load(files).pattern == "gpt2"


@pytest.mark.parametrize(("kind", "description"), [("word", "A word model"), ("char", "A char model")])
def test_models_without_steps_are_loaded_and_explained(kind: str, description: str) -> None:
    """SentencePiece is the judge of the ids; the page describes such a model."""
    stored = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=stored, model_type=kind, vocab_size=60, hard_vocab_limit=False, minloglevel=9
    )  # fmt: skip
    truth = sentencepiece.SentencePieceProcessor(model_proto=stored.getvalue())
    subject = load({"m.model": stored.getvalue()})
    assert subject.algorithm == "WordLevel" and any(note.startswith(description) for note in subject.notes)
    for text in (*LINES[:9], "the unseen 茶", ""):
        assert list(subject.encode(text).ids) == truth.encode(text)
    wanted = subject.why("the of", 0, False)
    assert wanted.story is None and wanted.lacking is not None
