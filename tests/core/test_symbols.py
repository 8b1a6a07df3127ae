"""Symbols kept whole in training (`user_defined_symbols`), in all three algorithms.

Oracles: the `tokenizers` library, trained on the text between the symbols, with the symbols as added tokens,
not special; the same library with our files; SentencePiece with its own `user_defined_symbols`, for Unigram;
subword-nmt's glossaries, as golden figures; and a plain rule: the text cut at the symbols by hand gives the
same run.
"""

from __future__ import annotations

import io
import json
import re
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sentencepiece
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import (
    Corpus,
    Tokenizer,
    tokenizer_from_json,
    tokenizer_to_json,
    train_bpe,
    train_pickybpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.errors import SettingError, WrongTypeError
from tokenizers_core.training.unigram import ExcludedPiece, excluded_from_seed

SYMBOLS = ("self.", "return", "->")


@cache
def large() -> tuple[str, ...]:
    """Two hundred kilobytes of the standard library's sources, line by line."""
    text = "".join(
        path.read_text("utf-8") for path in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-d]*.py"))
    )
    return tuple(text[:200_000].splitlines())


def between(lines: tuple[str, ...] | list[str], symbols: tuple[str, ...]) -> list[str]:
    longest_first = sorted(symbols, key=len, reverse=True)
    return [part for line in lines for part in re.split("|".join(map(re.escape, longest_first)), line)]


def test_bpe_on_two_hundred_kilobytes_as_in_the_library() -> None:
    """Merges, vocabulary, and the ids of text with symbols in it, by the library's own tokenizer and by our
    file in it."""
    corpus = Corpus.from_texts(large(), user_defined_symbols=SYMBOLS)
    trace = train_bpe(corpus, 256 + 3 + 700, alphabet="bytes", tie_rule="lowest_ids")
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + 700,
        show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    theirs.train_from_iterator(between(large(), SYMBOLS), trainer)
    theirs.add_tokens([tokenizers.AddedToken(symbol, normalized=False) for symbol in SYMBOLS])
    merges = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
    assert [tuple(trace.pair_of(step)) for step in range(1, len(trace) + 1)] == merges and len(trace) == 700
    tokenizer = trace.tokenizer()
    ours_there = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    text = "\n".join(large()[:400]) + " a->b self.self.x"
    assert ours_there.encode(text).ids == tokenizer.ids(text)
    assert tokenizer.encode(text).tokens == theirs.encode(text).tokens
    assert tokenizer.decode(tokenizer.ids(text), skip_special_tokens=True) == text
    assert corpus.symbols_cut_out == tuple("\n".join(large()).count(symbol) for symbol in SYMBOLS)


def test_unigram_as_in_sentencepiece() -> None:
    """The same pieces, but for a few at the border (see `test_unigram_library`), and the same splits around
    the symbols."""
    lines = [" ".join(line.split()) for line in large()]
    lines = [re.sub("|".join(map(re.escape, SYMBOLS)), lambda match: f" {match[0]} ", line) for line in lines]
    lines = [" ".join(line.split()) for line in lines if line.strip()]
    stored = io.BytesIO()
    trainer: Any = sentencepiece.SentencePieceTrainer
    trainer.train(
        sentence_iterator=iter(lines), model_writer=stored, model_type="unigram", vocab_size=603, character_coverage=1.0,
        normalization_rule_name="identity", num_threads=1, minloglevel=2, user_defined_symbols=[*SYMBOLS],
    )  # fmt: skip
    theirs = sentencepiece.SentencePieceProcessor(model_proto=stored.getvalue())
    pieces = {theirs.id_to_piece(number) for number in range(theirs.vocab_size())}
    corpus = Corpus.from_texts(lines, pre_tokenizer="metaspace", user_defined_symbols=SYMBOLS)
    trace = train_unigram(corpus, None, 600, "sentencepiece")
    assert trace[0].vocab[:3] == SYMBOLS and {*SYMBOLS} <= pieces
    ours = {*trace[-1].vocab}
    assert len(ours) == 600 and len(ours & pieces) > 540
    tokenizer = trace.tokenizer()
    alike = total = 0
    for line in lines[:300]:
        mine, other = tokenizer.encode(line).tokens, theirs.encode(line, out_type=str)
        total, alike = total + 1, alike + (mine == other)
        assert [one for one in mine if one in SYMBOLS] == [one for one in other if one in SYMBOLS]
    assert alike > 0.5 * total


# --- subword-nmt's glossaries -------------------------------------------------------------------------------

GLOSSARIES = json.loads((Path(__file__).parents[1] / "golden" / "glossaries.json").read_text("utf-8"))


def glossed(name: str) -> list[str]:
    """Lines with symbols in them: 200 KB of the app's sentences in six languages, or letters at random."""
    random = Random(11)
    if name == "random":
        letters = ["a", "b", "c", "<n>", "ab", "-"]
        return [" ".join("".join(random.choices(letters, k=random.randint(1, 7))) for _ in range(6)) for _ in range(500)]  # fmt: skip
    files = sorted((Path(__file__).parents[2] / "assets" / "corpora" / "parallel").glob("*.txt"))
    words = [word for file in files for word in file.read_text("utf-8").split()]
    lines, size = [], 0
    while size < 200_000:
        line = [random.choice(words) for _ in range(12)]
        index = random.randrange(12)
        cut = random.randint(0, len(line[index]))
        line[index] = line[index][:cut] + random.choice(GLOSSARIES[name]["glossaries"]) + line[index][cut:]
        lines.append(" ".join(line))
        size += len(lines[-1].encode())
    return lines


def as_subword_nmt_writes(tokens: Sequence[str]) -> Iterator[str]:
    """Each token of a word, all but the last with @@; `</w>` ends a stretch there, and is never written."""
    bare = [token.removesuffix("</w>") for token in tokens]
    parts = [part for part in bare if part]
    return (part + "@@" * (index + 1 < len(parts)) for index, part in enumerate(parts))


@pytest.mark.parametrize("name", ["sentences", "random"])
def test_glossaries_as_in_subword_nmt(name: str) -> None:
    """Golden: each word as subword-nmt 0.3.8 segments it (`BPE(codes, glossaries=…)`, codes of version 0.1
    from this run's merges)."""
    facts, lines = GLOSSARIES[name], glossed(name)
    symbols = facts["glossaries"]
    corpus = Corpus.from_texts(lines, pre_tokenizer="end_of_word", user_defined_symbols=symbols)
    tokenizer = train_bpe(corpus, merges=facts["merges"]).tokenizer()
    pieces = [[part for word in line.split() for part in as_subword_nmt_writes(tokenizer.encode(word).tokens)] for line in lines]  # fmt: skip
    written = [" ".join(line) for line in pieces]
    assert written[:5] == facts["first"]
    assert sha256("\n".join(written).encode()).hexdigest() == facts["sha256"]


symbols = st.lists(st.text("ab<>", min_size=1, max_size=3), min_size=1, max_size=3, unique=True)
texts = st.lists(st.text("ab<> c", min_size=1, max_size=14), min_size=1, max_size=6)


def train(algorithm: str, corpus: Corpus) -> Any:
    if algorithm == "unigram":
        return train_unigram(corpus, 100, None)
    return train_bpe(corpus) if algorithm == "bpe" else train_wordpiece(corpus)


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
@examples(60)
@given(texts, symbols)
def test_cut_out_by_hand_is_the_same_run(algorithm: str, lines: list[str], user_symbols: list[str]) -> None:
    parts = [part for part in between(lines, tuple(user_symbols)) if part.strip()]
    if not parts:
        return
    corpus = Corpus.from_texts(lines, pre_tokenizer="whitespace_split", user_defined_symbols=user_symbols)
    byhand = Corpus.from_texts(parts, pre_tokenizer="whitespace_split")
    assert (corpus.words, corpus.counts) == (byhand.words, byhand.counts)
    trace, other = train(algorithm, corpus), train(algorithm, byhand)
    assert {*trace[-1].vocab} - {*user_symbols} == {*other[-1].vocab} - {*user_symbols}
    tokenizer = trace.tokenizer()
    assert tokenizer.vocab[user_symbols[0]] == 0 and not {*user_symbols} & {*tokenizer.special_tokens}
    text = "".join(user_symbols) + " " + lines[0]
    tokens = tokenizer.encode(text).tokens
    cut = [(stretch, symbol) for stretch, symbol in corpus.pipeline.around_symbols(text)]
    assert [token for token in tokens if token in user_symbols] == [
        one
        for stretch, symbol in cut
        for one in [*(token for token in tokenizer.encode(stretch).tokens if token in user_symbols), symbol]
        if one
    ]
    theirs = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    assert theirs.encode(text).ids == tokenizer.ids(text)
    assert tokenizer_from_json(tokenizer_to_json(tokenizer)).ids(text) == tokenizer.ids(text)


def test_a_symbol_is_never_made_from_others() -> None:
    """A normalizer may spell one after the search: then its last merge is excluded, and recorded so."""
    corpus = Corpus.from_texts(
        ["HUG HUG hug pug"], "lowercase", "whitespace_split", user_defined_symbols=["hug"]
    )
    trace = train_bpe(corpus)
    assert corpus.symbols_cut_out == (1,) and dict(corpus.items()) == {"hug": 2, "pug": 1}
    assert trace.stop_reason == "bounds" and [trace.tokens[0], *trace.tokens[5:]] == ["hug", "ug", "pug"]
    assert [(one.candidate.pair, one.reason) for one in trace[2].excluded] == [(("h", "ug"), "kept")]
    assert trace.tokenizer().encode("hug HUG").tokens == ["hug", "h", "ug"]
    pieces = train_unigram(corpus, 50, None)
    assert "hug" not in dict(pieces.seed) and "ug" in dict(pieces.seed)
    assert excluded_from_seed(pieces, 9) == [ExcludedPiece("hug", 2, "kept")]


def test_nor_does_pickybpe_make_a_symbol() -> None:
    """Oracle: at a threshold of 1 nothing leaves, and the run is that of BPE."""
    corpus = Corpus.from_texts(
        ["HUG HUG hug pug"], "lowercase", "whitespace_split", user_defined_symbols=["hug"]
    )
    trace, bpe = train_pickybpe(corpus, threshold=1), train_bpe(corpus)
    assert trace.tokens == bpe.tokens and trace.stop_reason == "bounds"
    assert [token for token in train_pickybpe(corpus, threshold=0).tokens if "hug" in token] == ["hug"]


def test_going_on_keeps_new_symbols_whole() -> None:
    old = train_bpe(Corpus.from_counts({"hug": 3}), merges=1, special_tokens=["[UNK]"]).tokenizer()
    corpus = Corpus.from_texts(
        ["hug <n> hug"], pre_tokenizer="whitespace_split", user_defined_symbols=["<n>"]
    )
    new = train_bpe(corpus, extend=old).tokenizer()
    assert list(new.tokens[: len(old.tokens)]) == list(old.tokens) and new.special_tokens == ("[UNK]",)
    assert new.encode("hug<n>hug").tokens == ["hug", "<n>", "hug"] and old.encode("hug<n>hug").tokens != [
        "hug",
        "<n>",
        "hug",
    ]


@pytest.mark.parametrize("user_symbols", ["<n>", [""], [3]])
def test_invalid_symbols(user_symbols: Any) -> None:
    with pytest.raises((SettingError, WrongTypeError), match="user_defined_symbols"):
        Corpus.from_texts(["a"], user_defined_symbols=user_symbols)


def test_a_corpus_without_symbols_is_as_before() -> None:
    corpus = Corpus.from_texts(["hug pug"])
    assert corpus.symbols_cut_out == () and train_bpe(corpus).bounds is None
    assert isinstance(train_bpe(corpus).tokenizer(), Tokenizer) and train_bpe(corpus).tokenizer().added == ()
