"""Unigram beside the usual libraries: the same pieces as SentencePiece, the same tokens as `tokenizers`.

Sources and oracles: the `sentencepiece` library trained on the same lines (its pieces, its scores, the size
of its seed by its log), both models' splits of the corpus by the plain Viterbi of `oracle_unigram`; and
`tokenizers` with the trained pieces, on texts unseen in training. Why the pieces are not all the same: see
`benchmarks.unigram`.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sentencepiece
import tokenizers
from tokenizers import models, pre_tokenizers

from benchmarks.text import library_text, prose
from tests.core.oracle_unigram import plain_finalize, plain_loss
from tests.samples import spread
from tokenizers_core import Corpus, Lattice, UnigramTrace, train_unigram
from tokenizers_core.encoding.models.lattice import UNKNOWN_PENALTY
from tokenizers_core.training.unigram import sentencepiece_seed

CORPORA = Path(__file__).parents[2] / "assets" / "corpora"
SIZE = 120_000
VOCAB_SIZE = 1000


def lines() -> list[str]:
    return library_text(SIZE).splitlines()


@cache
def corpus() -> Corpus:
    return Corpus.from_texts(lines(), pre_tokenizer="whitespace_split_metaspace")


@cache
def trained(method: str = "sentencepiece") -> UnigramTrace:
    """As many pieces as SentencePiece makes beside its three control tokens."""
    seed_size = 1500 if method == "course" else None
    return train_unigram(corpus(), seed_size, VOCAB_SIZE - 3, method)


def library(minloglevel: int = 2) -> dict[str, float]:
    """SentencePiece's pieces and scores, without `<unk>`, `<s>` and `</s>`."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines()),
        model_writer=file,
        model_type="unigram",
        vocab_size=VOCAB_SIZE,
        character_coverage=1.0,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=minloglevel,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    return {model.id_to_piece(number): model.get_score(number) for number in range(3, model.get_piece_size())}


# --- Training as SentencePiece does -------------------------------------------------------------------------


def test_the_pieces_are_those_of_sentencepiece_and_the_corpus_costs_no_more() -> None:
    theirs, mine = library(), dict(trained()[-1].pieces)
    assert len(mine) == len(theirs) == VOCAB_SIZE - 3
    assert len(theirs.keys() & mine.keys()) >= 0.95 * len(theirs)
    frequencies = dict(corpus().items())
    loss, their_loss = (
        plain_loss(frequencies, {piece: -score for piece, score in model.items()}) for model in (mine, theirs)
    )
    assert loss == pytest.approx(trained()[-1].loss, rel=1e-9)
    assert loss / their_loss == pytest.approx(1.0, abs=0.02)


def test_the_seed_is_as_large_as_that_of_sentencepiece(capfd: pytest.CaptureFixture[str]) -> None:
    """The library shows its seed nowhere but counts it in its log."""
    library(minloglevel=0)
    match = re.search(r"Initialized (\d+) seed", capfd.readouterr().err)
    assert match is not None, "this version of sentencepiece does not log the size of its seed"
    assert len(trained().seed) == pytest.approx(int(match.group(1)), rel=0.005)


def seed_in_library(lines: list[str], capfd: pytest.CaptureFixture[str]) -> int:
    """How many pieces SentencePiece starts from; on so little text it may then refuse to go on."""
    with suppress(RuntimeError, OSError):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=io.BytesIO(),
            model_type="unigram",
            vocab_size=1000,
            hard_vocab_limit=False,
            character_coverage=1.0,
            normalization_rule_name="identity",
            num_threads=1,
            minloglevel=0,
        )
    match = re.search(r"Initialized (\d+) seed", capfd.readouterr().err)
    assert match is not None, lines
    return int(match[1])


def test_seeds_of_many_small_corpora_are_as_large_as_those_of_sentencepiece(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Release 0.2.3 leaves the last line open, so its end is no other line's: `q cab` and `r cab` have
    `▁cab`."""
    random = Random(6)
    corpora = [["q cab", "r cab"], ["q cab", "r cab", "x"], ["a"], ["ab ab"]]
    for _ in range(120):
        lines = [
            "".join(random.choices("abc ", [3, 3, 2, 2], k=random.randint(1, 9)))
            for _ in range(random.randint(1, 6))
        ]
        corpora.append([" ".join(line.split()) or "a" for line in lines])
    for lines in corpora:
        counted = Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace")
        assert len(sentencepiece_seed(counted, 16, True)) == seed_in_library(lines, capfd), lines
    first, second = (
        Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace") for lines in corpora[:2]
    )
    assert "▁cab" in dict(sentencepiece_seed(first, 16, True))
    assert "▁cab" not in dict(sentencepiece_seed(second, 16, True))


# --- Encoding as `tokenizers` does --------------------------------------------------------------------------


def judge(trace: UnigramTrace, byte_fallback: bool) -> tokenizers.Tokenizer:
    """The `tokenizers` library with the pieces of `trace`, same ids; other tokens' scores are never the
    least."""
    pieces = trace[-1].pieces
    tokens = trace.tokenizer(byte_fallback=byte_fallback).tokens
    model = models.Unigram(
        vocab=[(token, pieces.get(token, 0.0)) for token in tokens],
        unk_id=list(tokens).index("<unk>"),
        byte_fallback=byte_fallback,
    )
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    return theirs


@cache
def texts() -> tuple[str, ...]:
    """Lines of the training text and of prose, the app's examples in many scripts, and runs of unknown
    characters of 2 to 4 bytes."""
    unknown = [
        "naïve Über-größe ﬁn",
        "日本語 ok 日本語x y語",
        "a𝔘𝔫i😀😀b",
        "é\u0301ßaж",
        "шж ▁▁ ▁",
        "\u00a0\u3000é",
    ]
    examples = [path.read_text("utf-8") for path in sorted(CORPORA.glob("*.txt"))]
    return (*spread(lines(), 800), *spread(prose(60_000).splitlines(), 200), *examples, *unknown)


def tied(trace: UnigramTrace, word: str) -> bool:
    """Whether the two best splits of a word are equally good but for rounding."""
    pieces = trace[-1].pieces
    best = Lattice.build(word, pieces, min(pieces.values()) - UNKNOWN_PENALTY).k_best(2)
    return len(best) == 2 and best[0].log_probability - best[1].log_probability < 1e-9


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("method", ["sentencepiece", "course"])
def test_encodes_as_the_tokenizers_library(method: str, byte_fallback: bool) -> None:
    """Words may differ where two splits are equally good, and there only; unknown characters in a row are one
    token."""
    trace = trained(method)
    mine, theirs = trace.tokenizer(byte_fallback=byte_fallback), judge(trace, byte_fallback)
    vocabulary = mine.tokens
    seen: Counter[str] = Counter()
    for text in texts():
        encoding, wanted = mine.encode(text), theirs.encode(text).ids
        seen.update(encoding.tokens)
        if encoding.ids == wanted:
            continue
        for word in mine.pipeline.split(text, mine.pipeline.splitter()):
            # Not through the pipeline again (it would put a mark before it).
            ids = [token.id for token in theirs.model.tokenize(word)]
            assert list(mine.model.encode_word(word)) == ids or tied(trace, word), (
                word,
                [vocabulary[identifier] for identifier in ids],
            )
    if byte_fallback:
        assert seen["<unk>"] == 0
        assert {"<0xE6>", "<0xF0>", "<0xC3>"} <= seen.keys()  # of three, four and two bytes
    else:
        assert seen["<unk>"] > 20
        unknown = mine.vocab["<unk>"]
        assert mine.encode("日本語").ids == theirs.encode("日本語").ids == [mine.vocab["▁"], unknown]


@pytest.mark.parametrize("method", ["sentencepiece", "course"])
def test_bytes_are_read_back(method: str) -> None:
    """Any text comes back by its bytes; spaces outside of words become one."""
    tokenizer = trained(method).tokenizer(byte_fallback=True)
    for text in texts()[-12:]:
        if "▁" not in text:
            assert tokenizer.decode(tokenizer.encode(text).ids) == " ".join(text.split())


# --- Coverage -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("coverage", "longest"), [(0.999, 16), (0.98, 5)])
def test_characters_that_are_not_covered_are_those_of_sentencepiece(
    coverage: float, longest: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """On 200 KB: the same characters are unknown, the seed is as large, and nearly all pieces are the same.
    Required characters are pieces, whether the corpus has many of them, few, or none; and no piece is longer
    than allowed.

    Not all: the library takes each unknown character for one more of its first piece, the space, and so makes
    that more probable.
    """
    lines = [" ".join(line.split()) for line in library_text(200_000).splitlines() if line.strip()]
    file = io.BytesIO()
    trainer: Any = sentencepiece.SentencePieceTrainer
    trainer.train(
        sentence_iterator=iter(lines), model_writer=file, model_type="unigram", vocab_size=VOCAB_SIZE,
        character_coverage=coverage, normalization_rule_name="identity", num_threads=1, minloglevel=0,
        required_chars="e~日语", max_sentencepiece_length=longest,
    )  # fmt: skip
    theirs = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    corpus = Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace")
    trace = train_unigram(
        corpus,
        None,
        VOCAB_SIZE - 3,
        "sentencepiece",
        character_coverage=coverage,
        initial_alphabet=[*"e~日语"],
        max_piece_length=longest,
    )
    match = re.search(r"Initialized (\d+) seed", capfd.readouterr().err)
    assert match is not None and trace[0].vocab_size == len(trace[0].pieces) == int(match[1])
    assert trace.seed[len(trace.alphabet) - 2 : len(trace.alphabet)] == (("日", 0), ("语", 0))
    assert {"日", "语"} <= {*trace[-1].event.restored}  # type: ignore[union-attr]
    unknown = theirs.unk_id()
    assert {one for one in {*"".join(corpus.words)} if theirs.piece_to_id(one) == unknown} == {
        *trace.left_out
    }
    pieces = {theirs.id_to_piece(number) for number in range(3, theirs.get_piece_size())}
    mine = {*trace[-1].pieces}
    assert (
        len(mine) == len(pieces) and len(mine & pieces) >= 0.9 * len(pieces) and mine & pieces >= {*"e~日语"}
    )
    assert max(map(len, mine)) <= longest
    rare = next(iter(trace.left_out))
    assert "<unk>" in trace.tokenizer().encode(f"a{rare}b").tokens


@pytest.mark.parametrize("method", ["sentencepiece", "course"])
def test_excluded_characters_are_unknown_at_every_step(method: str) -> None:
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5, "thug": 1}
    trace = train_unigram(Corpus.from_counts(counts), 60, 8, method, character_coverage=0.9)
    assert trace.left_out == {"s": 5, "b": 4, "t": 1}
    for step in range(len(trace) + 1):
        snapshot = trace[step]
        assert not {*trace.left_out} & {*"".join(snapshot.pieces)} and snapshot.vocab_size == len(
            snapshot.vocab
        )
        assert "".join(snapshot.splits()["hugs"]) == "hugs" and snapshot.splits()["hugs"][-1] == "s"
        assert snapshot.loss == pytest.approx(
            sum(
                count * -snapshot.lattice(word).k_best(1)[0].log_probability for word, count in counts.items()
            )
        )
    assert trace.token_totals[-1] == sum(
        len(split) * counts[word] for word, split in trace[-1].splits().items()
    )
    if method == "sentencepiece":  # its last step chooses among the characters that are covered
        covered = Counter({"hug": 10 + 5 + 1, "pug": 5, "pun": 12, "un": 4})
        wanted = plain_finalize(covered, trace[-2].pieces, 8)
        assert trace[-1].event.kind == "finalize" and trace[-1].pieces == pytest.approx(wanted)
    assert trace.worth(0) and {*trace.alphabet} == {*"hugpn"}
    again = train_unigram(trace.corpus, special_tokens=trace.special_tokens, **trace.settings)
    assert again[-1].pieces == trace[-1].pieces
