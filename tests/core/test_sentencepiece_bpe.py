"""BPE as SentencePiece trains it (`tokenizers_core/training/kinds/sentencepiece_bpe.py`), with its options.

Oracles: the `sentencepiece` library trained on the same lines (`model_type=bpe`): its pieces in their order,
its encoding; the `tokenizers` library with our file; the plain chapter, for each step and for the exclusions
there.
"""

from __future__ import annotations

import io
import re
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import pytest
import sentencepiece
import tokenizers

from benchmarks.text import library_text
from tokenizers_core import Corpus, tokenizer_from_json, tokenizer_to_json, train_bpe, train_unigram
from tokenizers_core.errors import SettingError
from tokenizers_core.plain import sentencepiece_bpe as plain
from tokenizers_core.text.cutting import DIGITS, PIECE_DIGITS
from tokenizers_core.training.kinds.sentencepiece_bpe import PieceBpeTrace, train_sentencepiece_bpe

PRE = "whitespace_split_metaspace"


def library(lines: list[str], vocab_size: int = 1000, **options: Any) -> sentencepiece.SentencePieceProcessor:
    stored = io.BytesIO()
    trainer: Any = sentencepiece.SentencePieceTrainer
    settings = {"character_coverage": 1.0, "hard_vocab_limit": False, "model_type": "bpe"} | options
    trainer.train(
        sentence_iterator=iter(lines), model_writer=stored, vocab_size=vocab_size,
        normalization_rule_name="identity", num_threads=1, minloglevel=2, **settings,
    )  # fmt: skip
    return sentencepiece.SentencePieceProcessor(model_proto=stored.getvalue())


def learned_there(model: sentencepiece.SentencePieceProcessor) -> list[str]:
    """Its pieces in the order of learning; characters come last, and don't count."""
    pieces = (model.id_to_piece(number) for number in range(model.get_piece_size()))
    return [
        piece
        for number, piece in enumerate(pieces)
        if len(piece) > 1
        and not (model.is_control(number) or model.is_unknown(number) or model.is_byte(number))
    ]


def learned(trace: PieceBpeTrace) -> list[str]:
    return [trace.token_of(step) for step in range(1, len(trace) + 1)]


@cache
def large() -> tuple[str, ...]:
    """Two hundred kilobytes of the standard library's sources, spaces as SentencePiece sees them."""
    return tuple(" ".join(line.split()) for line in library_text(200_000).splitlines() if line.strip())


def test_small_corpora_as_in_the_library() -> None:
    """All of the library's pieces until no pair occurs any more: then it goes on with pairs that occurred
    before."""
    random = Random(7)
    for _ in range(300):
        letters = random.choice(["ab", "abcde", "aaaab", "ab1-", "aбc日の!"])
        words = (["".join(random.choices(letters, k=random.randint(1, 8))) for _ in range(random.randint(1, 6))] for _ in range(3))  # fmt: skip
        lines = [" ".join(line) for line in words]
        corpus = Corpus.from_texts(lines, pre_tokenizer=PRE)
        trace = train_sentencepiece_bpe(corpus)
        assert learned(trace) == learned_there(library(lines))[: len(trace)], lines
        vocabulary, merges, splits = plain.train(dict(corpus.items()))
        assert (trace[-1].vocab, trace[-1].merges) == (
            tuple(vocabulary), tuple(pair for pair, _count in merges)
        )  # fmt: skip
        assert {word: list(split) for word, split in trace[-1].splits().items()} == splits


def test_two_hundred_kilobytes_as_in_the_library() -> None:
    trace = train_sentencepiece_bpe(Corpus.from_texts(large(), pre_tokenizer=PRE), merges=1500)
    theirs = library([*large()], 3 + len(trace.alphabet) + 1500)
    assert learned(trace) == learned_there(theirs) and len(trace) == 1500
    tokenizer = trace.tokenizer()
    file = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    for line in large()[:1500]:
        assert tokenizer.encode(line).tokens == theirs.encode(line, out_type=str)
        assert file.encode(line).ids == tokenizer.ids(line)
    assert [trace[step].event.tied_count for step in range(1, 1501, 97)] == [*trace.tied_counts()][::97]  # type: ignore[union-attr]


SYMBOLS = ["self.", "return", "->"]


def spaced(lines: list[str], symbols: list[str]) -> list[str]:
    """The lines with a space behind each symbol: where SentencePiece begins words as the files of
    `tokenizers` do (see the module)."""
    longest_first = sorted(symbols, key=len, reverse=True)
    return [re.sub("|".join(map(re.escape, longest_first)), r"\g<0> ", line) for line in lines]


def without_lone_marks(pieces: list[str], symbols: list[str]) -> list[str]:
    """Pieces without each ▁ directly before a symbol or the end."""
    after = [*pieces[1:], symbols[0]]
    return [one for one, next_one in zip(pieces, after, strict=True) if one != "▁" or next_one not in symbols]


@pytest.mark.parametrize(
    ("theirs", "corpus", "ours"),
    [
        ({"max_sentencepiece_length": 4}, {}, {"max_token_length": 4}),
        ({"split_digits": True}, {"cuts": (PIECE_DIGITS,)}, {}),
        ({"byte_fallback": True}, {}, {"byte_fallback": True}),
        ({"character_coverage": 0.98}, {}, {"character_coverage": 0.98}),
        ({"required_chars": "éü日"}, {}, {"initial_alphabet": ["é", "ü", "日"]}),
        ({"user_defined_symbols": SYMBOLS}, {"user_defined_symbols": SYMBOLS}, {}),
    ],
    ids=lambda options: "+".join(options),
)
def test_options_as_in_the_library(
    theirs: dict[str, Any], corpus: dict[str, Any], ours: dict[str, Any]
) -> None:
    """On 200 KB: the same pieces are learned, in the same order, and each line has the same tokens; of the
    coverage, the same characters are unknown."""
    lines, symbols = [*large()], theirs.get("user_defined_symbols", [])
    trace = train_sentencepiece_bpe(Corpus.from_texts(lines, pre_tokenizer=PRE, **corpus), merges=500, **ours)
    size = 3 + len(trace.alphabet) + len(symbols) + 500 + 256 * ("byte_fallback" in theirs)
    their_lines = spaced(lines, symbols) if symbols else lines
    model = library(their_lines, size, **theirs)
    assert learned(trace) == [piece for piece in learned_there(model) if piece not in symbols]
    unknown = all(model.piece_to_id(one) == model.unk_id() for one in trace.left_out)
    assert unknown and bool(trace.left_out) == ("character_coverage" in theirs)
    assert all(model.piece_to_id(one) != model.unk_id() for one in theirs.get("required_chars", ()))
    if trace.left_out:
        return
    tokenizer = trace.tokenizer()
    for line, their_line in [*zip(lines, their_lines, strict=True)][::3]:
        tokens = model.encode(their_line, out_type=str)
        assert tokenizer.encode(line).tokens == (without_lone_marks(tokens, symbols) if symbols else tokens)


def test_options_on_small_corpora_as_in_the_library() -> None:
    """Kept symbols, digits one by one (² and ٣ are none), required characters and a coverage, each on corpora
    at random."""
    random = Random(5)

    def lines_of(letters: list[str]) -> list[str]:
        return [" ".join("".join(random.choices(letters, k=random.randint(1, 6))) for _ in range(random.randint(1, 5))) for _ in range(8)]  # fmt: skip

    for _ in range(80):
        lines = lines_of(["a", "b", "1", "2", "²", "½", "٣", "３", "五", "！"])
        trace = train_sentencepiece_bpe(Corpus.from_texts(lines, pre_tokenizer=PRE, cuts=(PIECE_DIGITS,)))
        assert learned(trace) == learned_there(library(lines, split_digits=True))[: len(trace)], lines
        symbols = random.sample(["<n>", "ab", "a", "b-", "-", "12", "c"], random.randint(1, 3))
        lines = lines_of(["a", "b", "c", "-", "<n>", "1", "2"])
        trace = train_sentencepiece_bpe(
            Corpus.from_texts(lines, pre_tokenizer=PRE, user_defined_symbols=symbols)
        )
        model = library(spaced(lines, symbols), user_defined_symbols=symbols)
        theirs = [piece for piece in learned_there(model) if piece not in symbols]
        assert learned(trace) == theirs[: len(trace)], (lines, symbols)
        lines = lines_of(["a"] * 30 + ["b"] * 20 + ["c"] * 5 + ["d", "e"])
        required, coverage = "".join(random.sample("xéae日", 3)), random.choice([1, 0.98, 0.985, 0.99])
        limits: Any = {"initial_alphabet": [*required], "character_coverage": coverage}
        trace = train_sentencepiece_bpe(Corpus.from_texts(lines, pre_tokenizer=PRE), **limits)
        model = library(lines, required_chars=required, character_coverage=coverage)
        pieces = {model.id_to_piece(number) for number in range(3, model.get_piece_size())}
        assert learned(trace) == learned_there(model)[: len(trace)]
        assert {*trace.alphabet} == {piece for piece in pieces if len(piece) == 1}, (lines, limits)


def test_exclusions_by_a_rule_have_their_reason() -> None:
    """Recounted at each step: the excluded winner, and the reason against it."""
    corpus = Corpus.from_counts({"▁a1a1": 9, "▁bcd": 4, "▁bcx": 2, "▁cdcd": 3, "▁xcd": 1}, pre_tokenizer=PRE)
    trace = train_sentencepiece_bpe(corpus)
    reasons = set()
    for step in range(1, len(trace) + 1):
        counts: dict[tuple[str, str], int] = {}
        for word, split in trace[step - 1].splits().items():
            for pair in pairwise(split):
                counts[pair] = counts.get(pair, 0) + dict(corpus.items())[word]
        event: Any = trace[step].event
        better = {pair for pair, count in counts.items() if count > counts[event.pair]}
        said = {tuple(one.candidate.pair): one.reason for one in trace[step].excluded}
        assert better <= said.keys()
        for pair, reason in said.items():
            reasons.add(reason)
            token = "".join(pair)
            assert reason == ("again" if token in trace[step - 1].vocab else "scripts" if plain.script(token[-1]) != plain.script(token[-2]) else "?")  # fmt: skip
    assert "scripts" in reasons and trace.stop_reason == "bounds"


def test_a_piece_comes_from_one_pair_only() -> None:
    """From single characters no second pair ever spells a piece. A special token is there before: its pair
    would have won, is reported as already there, and is never merged."""
    random = Random(3)
    for _ in range(200):
        words = {
            "".join(random.choices("aab", k=random.randint(2, 9))): random.randint(1, 9) for _ in range(4)
        }
        free = train_sentencepiece_bpe(Corpus.from_counts(words, pre_tokenizer="whitespace_split"))
        assert not any(one.reason == "again" for snapshot in free for one in snapshot.excluded)
    corpus = Corpus.from_counts({"hug": 9, "pug": 8, "bun": 4}, pre_tokenizer="whitespace_split")
    trace = train_sentencepiece_bpe(corpus, special_tokens=("ug",))
    assert [(tuple(one.candidate.pair), one.reason) for one in trace[1].excluded] == [(("u", "g"), "again")]
    assert "ug" not in learned(trace) and learned(train_sentencepiece_bpe(corpus))[0] == "ug"


def test_bytes_are_refused() -> None:
    with pytest.raises(SettingError, match="choose metaspace"):
        train_sentencepiece_bpe(Corpus.from_texts(["hug"]))


# --- Spaces behind their words ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_white_space_as_a_suffix_as_in_the_library(kind: str) -> None:
    """Trained with `treat_whitespace_as_suffix` on 200 KB: the same pieces (Unigram: nearly all), the same
    tokens of each line, also in the `tokenizers` library with our file; and decoding gives the text back."""
    lines = [*large()]
    corpus = Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace_behind")
    assert all(word.endswith("▁") for word in corpus.words)
    trace: Any
    if kind == "bpe":
        trace = train_sentencepiece_bpe(corpus, merges=500)
        theirs = library(lines, 3 + len(trace.alphabet) + 500, treat_whitespace_as_suffix=True)
        assert learned(trace) == learned_there(theirs)
    else:
        theirs = library(lines, 800, treat_whitespace_as_suffix=True, model_type=kind)
        trace = train_unigram(corpus, None, 797, "sentencepiece")
        pieces = {theirs.id_to_piece(number) for number in range(3, theirs.get_piece_size())}
        assert len({*trace[-1].pieces} & pieces) > 0.95 * len(pieces)
    tokenizer = trace.tokenizer()
    file = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    again = tokenizer_from_json(tokenizer_to_json(tokenizer))
    for line in (*lines[:400], "", " a  b ", "x", "▁a b▁ c"):
        ids = tokenizer.ids(line)
        assert file.encode(line).ids == ids == again.ids(line), line
        if kind == "bpe" and "▁" not in line:
            assert tokenizer.encode(line).tokens == theirs.encode(line, out_type=str)
        if "▁" not in line:
            assert tokenizer.decode(ids) == file.decode(ids) == again.decode(ids) == " ".join(line.split())
    assert tokenizer.encode("self is").offsets[-1][1] == 7


def test_words_with_spaces_behind_them_are_cut_further() -> None:
    corpus = Corpus.from_texts(
        ["ab12 c▁d"], pre_tokenizer="whitespace_split_metaspace_behind", cuts=(DIGITS["each"],)
    )
    assert corpus.words == ("ab", "1", "2", "▁", "c▁", "d▁")
    file = tokenizers.Tokenizer.from_str(tokenizer_to_json(train_bpe(corpus).tokenizer()))
    assert file.encode("ab12 c▁d").tokens == ["ab", "1", "2", "▁", "c▁", "d▁"]
