"""Files from the app (`tokenizers_core/files/exports.py`).

Oracles: Python's `json` and `csv` readers; the events, rebuilt one by one by the traces; the `tokenizers`
library, which loads `vocab.json` and `merges.txt`; `tiktoken`, which encodes by the ranks of a `.tiktoken`
file; the `sentencepiece` library's own `.vocab`; and the Hugging Face course's four sentences
(`golden/unigram_course.json`).
"""

from __future__ import annotations

import base64
import csv
import io
import itertools
import json
import math
import random
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
import tiktoken.load
from tokenizers import Tokenizer, models, pre_tokenizers

from benchmarks.text import library_text, prose
from tests.samples import STRESS
from tokenizers_core import (
    METHODS,
    TIE_RULES,
    Corpus,
    MergeEvent,
    PruneEvent,
    UnigramTrace,
    tokenizer_from_json,
    tokenizer_to_json,
    train_bpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core import Tokenizer as OurTokenizer
from tokenizers_core.errors import UnsavableError
from tokenizers_core.files.exports import (
    merges_txt,
    pieces_tsv,
    prunes_to_csv,
    prunes_to_dict,
    prunes_to_json,
    tiktoken_ranks,
    trace_to_csv,
    trace_to_dict,
    trace_to_json,
    vocab_json,
    vocab_txt,
)
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training.options.trimming import trim
from tokenizers_core.training.pruning import ExpectationEvent, FinalEvent, MaximizationEvent

HUG = train_bpe(
    Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}),
    special_tokens=["<s>"],
    vocab_size=12,
)

TEXT = Path(__file__).read_text("utf-8") + "naïve Ärzte, 敏捷的狐狸 👍🏽\n\n  x=1"

CORPORA = Path(__file__).parents[2] / "assets" / "corpora"
COURSE: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "unigram_course.json").read_text("utf-8")
)


@pytest.mark.parametrize("step", [0, 40, 300])
def test_vocabulary_and_merges_load_in_the_tokenizers_library(step: int, tmp_path: Path) -> None:
    trace = train_bpe(Corpus.from_texts([TEXT]), merges=300, alphabet="bytes")
    ours = trace.tokenizer(step)
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_text(vocab_json(ours), "utf-8")
    merges.write_text(merges_txt(trace, step), "utf-8")
    theirs = Tokenizer(models.BPE.from_file(str(vocab), str(merges)))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert theirs.get_vocab() == ours.vocab
    encoding, expected = ours.encode(TEXT), theirs.encode(TEXT)
    assert (encoding.ids, encoding.offsets) == (expected.ids, expected.offsets)


def test_merges_txt() -> None:
    assert merges_txt(HUG, 2) == "#version: 0.2\nu g\nu n\n"
    assert merges_txt(HUG) == "#version: 0.2\nu g\nu n\nh ug\np un\n"
    assert merges_txt(HUG, 0) == "#version: 0.2\n"


def test_a_pair_learned_twice_stands_in_merges_txt_once() -> None:
    trace = train_bpe(Corpus.from_counts({"</w></w>": 3, "a</w>": 2}, pre_tokenizer="end_of_word"))
    lines = merges_txt(trace).splitlines()
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("rule", TIE_RULES)
def test_json_agrees_with_the_events(rule: str) -> None:
    trace = train_bpe(Corpus.from_texts([TEXT]), merges=60, tie_rule=rule)
    data = json.loads(trace_to_json(trace))
    assert data == json.loads(json.dumps(trace_to_dict(trace)))
    for number, step in enumerate(data["steps"], start=1):
        snapshot = trace[number]
        event = snapshot.event
        assert isinstance(event, MergeEvent)
        assert step == {
            "step": number,
            "pair": [*event.pair],
            "token": event.token,
            "id": event.token_id,
            "freq": event.freq,
            "applied": event.applied,
            "tied_count": event.tied_count,
            "tied": [[*tie.pair] for tie in event.tied],
            "words": [*event.words],
            "vocab_size": snapshot.vocab_size,
            "tokens": snapshot.tokens,
        }
    assert len(data["steps"]) == 60


def test_json_of_the_whole_run() -> None:
    data = json.loads(trace_to_json(HUG))
    assert data["algorithm"] == "bpe"
    assert data["settings"]["vocab_size"] == 12
    assert (data["normalizer"], data["pre_tokenizer"], data["pattern"]) == ("none", "whitespace_split", None)
    assert data["words"] == {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    assert (data["special_tokens"], data["alphabet"]) == (["<s>"], [*"bghnpsu"])
    assert (data["stop_reason"], data["vocab"]) == ("vocab_size", [*HUG.tokens])


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(trace_to_csv(HUG), newline="")))
    assert rows[0] == {
        "step": "1",
        "first": "u",
        "second": "g",
        "token": "ug",
        "freq": "20",
        "tied_count": "1",
        "vocab_size": "9",
        "tokens": "93",
    }
    assert [row["token"] for row in rows] == ["ug", "un", "hug", "pun"]


@pytest.mark.parametrize("word", ["=1", "+1", "-1", "@a", "\t=", "\r="])
def test_csv_holds_no_formula(word: str) -> None:
    trace = train_bpe(Corpus.from_counts({word: 1}, pre_tokenizer="none"))
    row = next(csv.DictReader(io.StringIO(trace_to_csv(trace), newline="")))
    assert (row["first"], row["second"], row["token"]) == (
        f"'{word[0]}",
        word[1].replace("=", "'="),
        f"'{word}",
    )


def test_csv_of_quotes_and_commas() -> None:
    trace = train_bpe(Corpus.from_counts({'",': 1}))
    row = next(csv.DictReader(io.StringIO(trace_to_csv(trace), newline="")))
    assert (row["first"], row["second"], row["token"]) == ('"', ",", '",')


def test_files_of_a_run_without_steps() -> None:
    trace = train_bpe(Corpus.from_counts({"a": 1}))
    assert json.loads(trace_to_json(trace))["steps"] == []
    assert trace_to_csv(trace).count("\n") == 1


# --- Unigram ------------------------------------------------------------------------------------------------


@cache
def course(method: str) -> UnigramTrace:
    """The course's four sentences, trained until several rounds have pruned, in both ways."""
    corpus = Corpus.from_texts(COURSE["corpus"], pre_tokenizer="whitespace_split_metaspace")
    size = 60 if method == "course" else None
    return train_unigram(corpus, 300, size, method, special_tokens=["<s>"])


def expected_entry(trace: UnigramTrace, step: int) -> dict[str, Any]:
    """The file's expected entry for a step, from its event."""
    snapshot = trace[step]
    event = snapshot.event
    shared = {"step": step, "kind": event.kind, "size": len(snapshot.pieces)}
    if isinstance(event, PruneEvent):
        return shared | {
            "piece": event.piece,
            "loss": event.loss,
            "alternative": [*event.alternative],
            "round": event.round,
            "rank": event.rank,
            "words": [*event.words],
            "corpus_loss": event.corpus_loss,
        }
    if isinstance(event, FinalEvent):
        return shared | {"restored": [*event.restored], "dropped": [*event.dropped]}
    assert isinstance(event, ExpectationEvent | MaximizationEvent)
    shared |= {"round": event.round, "iteration": event.iteration}
    if isinstance(event, ExpectationEvent):
        return shared | {"objective": event.objective}
    return shared | {"dropped": [*event.dropped]}


def expect_events(trace: UnigramTrace) -> list[str]:
    """The file agrees with the events, step by step; returns the kinds of the steps."""
    steps = json.loads(prunes_to_json(trace))["steps"]
    assert len(steps) == len(trace)
    for step, result in enumerate(steps, start=1):
        assert result == expected_entry(trace, step)
    return [step["kind"] for step in steps]


@pytest.mark.parametrize("method", METHODS)
def test_unigram_json_agrees_with_the_events(method: str) -> None:
    kinds = expect_events(course(method))
    assert len(course(method).record.rounds) > 1
    assert set(kinds) == ({"prune"} if method == "course" else {"prune", "e_step", "m_step", "finalize"})


def test_unigram_json_with_characters_that_are_gone() -> None:
    """Where EM drops characters, the split of a piece without it may need unknown ones."""
    lines = (CORPORA / "mixed.txt").read_text("utf-8").splitlines()
    corpus = Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace")
    trace = train_unigram(corpus, None, None, "sentencepiece")
    expect_events(trace)
    steps = prunes_to_dict(trace)["steps"]
    prunes = [(trace[step["step"]].pieces, step["alternative"]) for step in steps if "alternative" in step]
    assert any(part not in pieces for pieces, alternative in prunes for part in alternative)


@pytest.mark.parametrize("method", METHODS)
def test_unigram_json_of_a_stopped_run(method: str) -> None:
    calls = itertools.count()

    def progress(done: int, total: int) -> bool:
        return next(calls) < 6

    corpus = Corpus.from_texts([TEXT], pre_tokenizer="whitespace_split")
    trace = train_unigram(corpus, 500, None, method, progress=progress)
    assert trace.stop_reason == "stopped"
    expect_events(trace)
    assert len(list(csv.reader(io.StringIO(prunes_to_csv(trace), newline="")))) == len(trace) + 1


@pytest.mark.parametrize("method", METHODS)
def test_unigram_json_of_the_whole_run(method: str) -> None:
    trace = course(method)
    text = prunes_to_json(trace)

    def refuse(name: str) -> None:
        raise AssertionError(name)

    data = json.loads(text, parse_constant=refuse)  # NaN and infinities are no JSON
    assert data == json.loads(json.dumps(prunes_to_dict(trace)))
    assert (data["algorithm"], data["method"]) == ("unigram", method)
    assert data["settings"] == dict(trace.settings)
    assert data["special_tokens"] == ["<s>"]
    assert (data["normalizer"], data["pre_tokenizer"]) == ("none", "whitespace_split_metaspace")
    assert data["words"] == COURSE["word_freqs"]
    assert data["stop_reason"] == trace.stop_reason
    assert data["seed"] == [[*row] for row in trace.seed]
    assert data["pieces"] == [[*row] for row in trace[-1].pieces.items()]
    if method == "course":
        assert data["seed"] == COURSE["seed_freqs_in_order"][: len(data["seed"])]


@pytest.mark.parametrize("method", METHODS)
def test_unigram_csv(method: str) -> None:
    trace = course(method)
    rows = list(csv.DictReader(io.StringIO(prunes_to_csv(trace), newline="")))
    assert [*rows[0]] == ["step", "kind", "round", "position", "piece", "loss", "size", "corpus_loss"]
    for point, row in zip(trace.history[1:], rows, strict=True):
        expected = expected_entry(trace, point.step)
        assert (row["step"], row["kind"]) == (str(point.step), point.kind)
        for name in ("round", "position", "loss", "size"):
            assert row[name] == str(expected.get(name, "")), (name, point)
        assert row["piece"] == point.piece  # no formula among these
        assert row["corpus_loss"] == ("" if math.isnan(point.loss) else str(point.loss))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_unigram_csv_holds_no_formula(start: str) -> None:
    words = {f'{start}1,"': 3, f"{start}1x": 3, "y": 2}
    corpus = Corpus.from_counts(words, pre_tokenizer="none")
    trace = train_unigram(corpus, vocab_size=None)
    rows = list(csv.DictReader(io.StringIO(prunes_to_csv(trace), newline="")))
    pieces = [point.piece for point in trace.history[1:]]
    assert any(piece.startswith(start) for piece in pieces)
    for row, piece in zip(rows, pieces, strict=True):
        assert row["piece"] == (f"'{piece}" if piece.startswith(start) else piece)


@pytest.mark.parametrize("method", METHODS)
def test_pieces_tsv(method: str) -> None:
    trace = course(method)
    for step in (0, 5, len(trace)):
        first, *lines, last, end = pieces_tsv(trace, step).split("\n")
        assert (first, last, end) == ("<s>\t0", "<unk>\t0", "")
        assert [line.split("\t")[0] for line in (first, *lines, last)] == list(trace.tokenizer(step).tokens)
        read = [(piece, float(score)) for piece, score in (line.split("\t") for line in lines)]
        assert read == [*trace[step].pieces.items()]
    assert pieces_tsv(trace) == pieces_tsv(trace, len(trace))


def test_pieces_tsv_has_the_form_of_sentencepiece(tmp_path: Path) -> None:
    """Its own `.vocab` of the same pieces, with rounded scores; characters that it put back have other
    scores."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(COURSE["corpus"]),
        model_prefix=str(tmp_path / "theirs"),
        vocab_size=50,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    theirs = [line.split("\t") for line in (tmp_path / "theirs.vocab").read_text("utf-8").splitlines()]
    reserved = [piece for piece, _score in theirs[:3]]
    corpus = Corpus.from_texts(COURSE["corpus"], pre_tokenizer="whitespace_split_metaspace")
    trace = train_unigram(corpus, None, len(theirs), "sentencepiece", special_tokens=reserved)
    ours = [line.split("\t") for line in pieces_tsv(trace).splitlines()]
    assert ours[:3] == theirs[:3] == [["<unk>", "0"], ["<s>", "0"], ["</s>", "0"]]
    expected, scores = dict(theirs), dict(ours)
    assert set(scores) == set(expected)
    known = [piece for piece in scores if piece in trace[-2].pieces]
    assert len(known) > 40
    for piece in known:
        assert float(scores[piece]) == pytest.approx(float(expected[piece]), abs=1e-3)


def test_pieces_tsv_of_separators() -> None:
    words = ("a\tb\tb", "\n\r", "\\n", "<unk>", "\u2028")
    corpus = Corpus(words, (2, 1, 1, 1, 1), Pipeline("none", "none"))
    trace = train_unigram(corpus, special_tokens=["<unk>", "\\n", "\t"])
    lines = pieces_tsv(trace, 0).split("\n")
    assert lines[:3] == ["<unk>\t0", r"\\n" + "\t0", r"\t" + "\t0"]
    names = [line.split("\t")[0] for line in lines[:-1]]
    assert len(names) == len(set(names))  # a piece equal to a special token stands there once
    assert [line.count("\t") for line in lines[:-1]] == [1] * len(names)
    assert {"a", r"\n", r"\r", r"\n\r", "\\\\", r"a\tb", "\u2028"} <= set(names)


def test_files_of_a_unigram_run_without_steps() -> None:
    trace = train_unigram(Corpus.from_counts({"a": 1}))
    data = json.loads(prunes_to_json(trace))
    assert (data["steps"], data["pieces"], data["stop_reason"]) == ([], [["a", 0.0]], "seed_size")
    assert prunes_to_csv(trace).count("\n") == 1
    assert pieces_tsv(trace) == "a\t0.0\n<unk>\t0\n"


# --- Files of a tokenizer (a loaded one has no trace) -------------------------------------------------------


def test_a_loaded_tokenizer_has_the_files_of_the_one_that_was_trained() -> None:
    trace = train_bpe(Corpus.from_texts([TEXT]), merges=50, special_tokens=["<s>"])
    loaded = tokenizer_from_json(tokenizer_to_json(trace.tokenizer()))
    assert merges_txt(loaded) == merges_txt(trace.tokenizer()) == merges_txt(trace)
    assert vocab_json(loaded) == vocab_json(trace.tokenizer())
    words = train_wordpiece(Corpus.from_texts([TEXT], pre_tokenizer="bert"), vocab_size=200)
    loaded = tokenizer_from_json(tokenizer_to_json(words.tokenizer()))
    assert vocab_txt(loaded) == vocab_txt(words.tokenizer())
    pieces = train_unigram(Corpus.from_texts([TEXT], pre_tokenizer="metaspace"), vocab_size=200)
    loaded = tokenizer_from_json(tokenizer_to_json(pieces.tokenizer()))
    assert pieces_tsv(loaded) == pieces_tsv(pieces.tokenizer()) == pieces_tsv(pieces)
    with_bytes = pieces_tsv(pieces.tokenizer(byte_fallback=True))
    assert with_bytes.startswith(pieces_tsv(pieces)) and with_bytes.endswith("<0xFF>\t0\n")
    for write in (merges_txt, pieces_tsv):
        with pytest.raises(UnsavableError, match="choose another file"):
            write(words.tokenizer())


# --- .tiktoken ----------------------------------------------------------------------------------------------


def read_ranks(text: str) -> dict[bytes, int]:
    """The file as tiktoken's own loader reads it."""
    return {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in text.splitlines() if line)
    }


def in_tiktoken(ours: OurTokenizer, pattern: str) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        "ours",
        pat_str=PATTERNS[pattern],
        mergeable_ranks=read_ranks(tiktoken_ranks(ours)),
        special_tokens={token: ours.vocab[token] for token in ours.special_tokens},
    )


def test_byte_fallback_survives_files_that_hold_only_tokens(tmp_path: Path) -> None:
    """Oracles: the tokenizers that were written, and the `tokenizers` library with BPE's tokenizer.json. (It
    takes a typed <0x41> for one of Unigram's pieces.)"""
    texts = ["the cat the hat", "the bat"]
    corpus = Corpus.from_texts(texts, pre_tokenizer="whitespace")
    trained = train_bpe(corpus, merges=3, special_tokens=["<s>"], byte_fallback=True).tokenizer()
    Path(tmp_path, "vocab.json").write_text(vocab_json(trained), "utf-8")
    Path(tmp_path, "merges.txt").write_text(merges_txt(trained), "utf-8")
    corpus = Corpus.from_texts(texts, pre_tokenizer="whitespace_split_metaspace")
    pieces = train_unigram(corpus, special_tokens=["<s>"]).tokenizer(byte_fallback=True)
    Path(tmp_path, "my.vocab").write_text(pieces_tsv(pieces), "utf-8")
    for name, ours in (("vocab.json", trained), ("my.vocab", pieces)):
        loaded = OurTokenizer.load(tmp_path / name)
        theirs = Tokenizer.from_str(tokenizer_to_json(ours))
        for text in ("the dog: é <0x41>", "<s>the 敏捷的"):
            assert loaded.ids(text) == ours.ids(text)
            assert loaded.ids(text) == theirs.encode(text).ids or (ours is pieces and "<0x41>" in text)
            assert loaded.decode(loaded.ids(text)) == ours.decode(ours.ids(text))


def test_a_special_token_is_not_taken_for_the_unknown_one_of_pieces(tmp_path: Path) -> None:
    """Oracle: the `tokenizers` library, which reads the same tokenizer's tokenizer.json."""
    corpus = Corpus.from_texts(["the cat the hat"], pre_tokenizer="whitespace_split_metaspace")
    ours = train_unigram(corpus, special_tokens=["[UNK]"]).tokenizer()
    Path(tmp_path, "my.vocab").write_text(pieces_tsv(ours), "utf-8")
    theirs = Tokenizer.from_str(tokenizer_to_json(ours))
    loaded = OurTokenizer.load(tmp_path / "my.vocab")
    assert loaded.ids("the dog [UNK]") == theirs.encode("the dog [UNK]").ids
    assert loaded.encode("dog").tokens == ["▁", "<unk>"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_tiktoken_encodes_a_large_text_by_our_ranks(pattern: str) -> None:
    scripts = (CORPORA / "mixed.txt").read_text("utf-8")
    corpus = Corpus.from_texts([TEXT, scripts, prose(50_000)], pattern=pattern)
    ours = train_bpe(corpus, merges=1500, alphabet="bytes", special_tokens=["<|a|>", "<|b|>"]).tokenizer()
    theirs = in_tiktoken(ours, pattern)
    size = 300_000 if STRESS else 100_000
    text = f"<|b|>{library_text(size)}<|a|>{prose(size)}{scripts * (size // 850)}{TEXT}"
    assert len(text.encode()) > 3.3 * size
    ids = ours.encode(text).ids
    assert ids == theirs.encode(text, allowed_special="all")
    assert theirs.decode(ids) == text
    assert theirs.n_vocab == len(ours.tokens)


def test_tiktoken_takes_a_trimmed_vocabulary_with_its_special_token_at_the_end() -> None:
    """As GPT-2's: trimming leaves ids without a token before `<|endoftext|>`, which keeps its own."""
    corpus = Corpus.from_texts([TEXT])
    document = json.loads(tokenizer_to_json(train_bpe(corpus, merges=60, alphabet="bytes").tokenizer()))
    last = {"id": 316, "content": "<|endoftext|>", "special": True}
    document["model"]["vocab"]["<|endoftext|>"] = last["id"]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    document["added_tokens"] = [last | flags]
    ours = trim(tokenizer_from_json(json.dumps(document)), 10)
    assert len(ours.tokens) == 317 and "" in ours.tokens
    text = f"{TEXT}<|endoftext|>{TEXT}"
    assert ours.encode(text).ids == in_tiktoken(ours, "gpt2").encode(text, allowed_special="all")


def merged_by_rank(word: str, ranks: Mapping[str, int]) -> list[int]:
    """tiktoken's way: any two neighbours that make a token, the lowest rank first; a word that is a token at
    once."""
    if word in ranks:
        return [ranks[word]]
    parts = list(word)
    while True:
        known = [
            (ranks[first + second], index)
            for index, (first, second) in enumerate(itertools.pairwise(parts))
            if first + second in ranks
        ]
        if not known:
            return [ranks[part] for part in parts]
        index = min(known)[1]
        parts[index : index + 2] = [parts[index] + parts[index + 1]]


def test_learned_pairs_and_ranks_lead_to_the_same_tokens() -> None:
    """No vocabulary is found with two routes to a token and different splits by them."""
    chance = random.Random(0)

    def word(longest: int) -> str:
        return "".join(chance.choices(letters, k=chance.randint(1, longest)))

    for _ in range(300):
        letters = chance.choice(["a", "ab", "ab", "abc"])
        words = {word(14): chance.randint(1, 9) for _ in range(chance.randint(1, 8))}
        trace = train_bpe(
            Corpus.from_counts(words), merges=chance.randint(1, 25), tie_rule=chance.choice([*TIE_RULES])
        )
        ours = trace.tokenizer(unk_token="?")
        ranks = {token: identifier for token, identifier in ours.vocab.items() if token != "?"}
        for each in [*words, *ranks, *(word(16) for _ in range(20))]:
            if ranks.keys() >= {*each}:
                assert list(ours.model.encode_word(each)) == merged_by_rank(each, ranks)


def byte_level_bpe(**settings: Any) -> OurTokenizer:
    return train_bpe(Corpus.from_texts(["abab ab"]), **settings).tokenizer()


NO_TIKTOKEN: dict[str, tuple[str, Callable[[], OurTokenizer]]] = {
    "characters": (
        "not_bytes",
        lambda: train_bpe(Corpus.from_texts(["a b"], pre_tokenizer="bert"), alphabet="bytes").tokenizer(),
    ),
    "wordpiece": ("not_bytes", lambda: train_wordpiece(Corpus.from_texts(["a b"]), vocab_size=9).tokenizer()),
    "a suffix": ("not_bytes", lambda: byte_level_bpe(alphabet="bytes", end_of_word_suffix="</w>")),
    "a prefix": ("not_bytes", lambda: byte_level_bpe(alphabet="bytes", continuing_subword_prefix="##")),
    "few bytes": ("no_byte", byte_level_bpe),
    "a token of no merge": ("no_merge", lambda: with_vocab([*BYTE_TO_SYMBOL, "ab"], [])),
    "ids in another order": (
        "order",
        lambda: with_vocab([*BYTE_TO_SYMBOL, "abab", "ab"], [["a", "b"], ["ab", "ab"]]),
    ),
}


def with_vocab(tokens: list[str], merges: list[list[str]]) -> OurTokenizer:
    document = json.loads(tokenizer_to_json(byte_level_bpe(alphabet="bytes")))
    document["model"] |= {"vocab": {token: index for index, token in enumerate(tokens)}, "merges": merges}
    return tokenizer_from_json(json.dumps(document))


@pytest.mark.parametrize("name", NO_TIKTOKEN)
def test_tokenizers_that_a_tiktoken_file_cannot_hold(name: str) -> None:
    why, make = NO_TIKTOKEN[name]
    with pytest.raises(UnsavableError, match=r"^A \.tiktoken file ") as caught:
        tiktoken_ranks(make())
    assert caught.value.why == why
    assert why not in ("not_bytes", "no_byte") or "alphabet='bytes'" in str(caught.value)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_files_as_other_programs_write_them(end: str, last: bool, tmp_path: Path) -> None:
    """Lines end as on Windows, the last one perhaps not at all; lines are empty, or repeated; ids are left
    out."""

    def write(name: str, *lines: str) -> str:
        path = tmp_path / name
        path.write_bytes((end.join(lines) + end * last).encode())
        return str(path)

    vocab = write("vocab.txt", "[UNK]", "a", "", "b", "##b", "a", "ab")
    words = Tokenizer(models.WordPiece(models.WordPiece.read_file(vocab), unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    assert list(OurTokenizer.load(vocab).encode("ab a b abb x").ids) == words.encode("ab a b abb x").ids
    ids = {"<unk>": 1, "a": 2, "b": 4, "ab": 30}
    (tmp_path / "vocab.json").write_text(json.dumps(ids), "utf-8")
    merges = write("merges.txt", "#version: 0.2", "a b")
    pairs = Tokenizer(models.BPE.from_file(str(tmp_path / "vocab.json"), merges, unk_token="<unk>"))
    pairs.pre_tokenizer = pre_tokenizers.Whitespace()
    assert list(OurTokenizer.load(merges).encode("ab a x").ids) == pairs.encode("ab a x").ids
    lines = [f"{base64.b64encode(bytes([byte])).decode()} {byte}" for byte in range(256)]
    ranks = write("x.tiktoken", *lines, "", "YWI= 256", "")
    judge = tiktoken.load.load_tiktoken_bpe(ranks)
    loaded = OurTokenizer.load(ranks)
    assert list(loaded.encode("abb").ids) == [judge[b"ab"], judge[b"b"]]
