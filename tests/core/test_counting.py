"""Counting in blocks, and files of word counts (`tokenizers_core/text/counting.py`).

Oracle: `Corpus.from_file` on the same bytes, read in one go; for the files' form, rows written by hand.
"""

from __future__ import annotations

import json
import pickle
import random
import tracemalloc
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizers_core import Corpus, Pipeline, TokenizersCoreError, train_bpe, train_unigram
from tokenizers_core.errors import CountsFileError, EmptyCorpusError, SettingError, UnknownNameError
from tokenizers_core.text.counting import (
    Counted,
    WordCounts,
    add,
    blocks,
    count_block,
    counting_header,
    counting_rules,
    counts_tsv,
    cut,
    gather,
    is_counts,
    least_minimum,
    merge,
    merge_packed,
    pack,
    read_counts,
    shares,
    without_rare,
)
from tokenizers_core.text.cutting import DIGITS
from tokenizers_core.text.splitting import PRE_TOKENIZERS

# Troubles at the edge of a block: line ends of all kinds, characters of several bytes, torn ones, marks.
BYTES = [
    b"to",
    b"be",
    b" ",
    b"  ",
    b"\t",
    b"\\",
    b"\n",
    b"\n",
    b"\n",
    b"\r\n",
    b"\r",
    b",",
    b'"',
    b"# ",
    b"'s",
    b"12",
]
TEXTS = ["é", "e\u0301", "中", "ﬁ", "🍵", "\u2028", "\x85", "\x0b", "\ufeff", "▁", "\x00", "É"]
TORN = [b"\xff", b"\xff\xfe", b"\xe4\xb8", b"\xf0\x9f\x8d", b"\xc3", b"\xed\xa0\x80"]
CONTENTS = st.lists(st.sampled_from([*BYTES, *(text.encode() for text in TEXTS), *TORN]), max_size=60).map(
    b"".join
)
PIPELINES = st.builds(
    Pipeline,
    st.sampled_from(["none", "nfkc", ("nfd", "lowercase"), "bert_uncased"]),
    st.sampled_from(PRE_TOKENIZERS),
    st.sampled_from(["gpt2", "o200k_base", r"\w+(?!\n)|$"]),
)


def plain(folder: Path, contents: list[bytes], pipeline: Pipeline) -> tuple[list[Path], Corpus | None]:
    """Files, and the corpus of all their lines: `from_file` of one, and of several one after the other."""
    paths = [folder / f"{number}.txt" for number in range(len(contents))]
    rules = (pipeline.normalizer, pipeline.pre_tokenizer, pipeline.pattern)
    parts = []
    for path, data in zip(paths, contents, strict=True):
        path.write_bytes(data)
        try:
            parts.append(Corpus.from_file(path, *rules))
        except EmptyCorpusError as error:
            parts.append(Corpus((), (), pipeline, 0, error.characters))
    if len(parts) == 1:
        return paths, parts[0] if parts[0].words else None
    words = dict.fromkeys(word for part in parts for word in part.words)
    known = [dict(part.items()) for part in parts]
    counts = tuple(sum(one.get(word, 0) for one in known) for word in words)
    ends = tuple(
        sum(dict(zip(part.words, part.ends, strict=True)).get(word, 0) for part in parts) for word in words
    )
    return paths, replace(parts[0], words=tuple(words), counts=counts, ends=ends) if words else None


@given(
    st.lists(CONTENTS, min_size=1, max_size=3), PIPELINES, st.integers(1, 40), st.integers(1, 3), st.randoms()
)
def test_any_blocks_in_any_order_by_any_number_of_workers_give_the_corpus(
    tmp_path_factory: pytest.TempPathFactory,
    contents: list[bytes],
    pipeline: Pipeline,
    size: int,
    workers: int,
    chance: random.Random,
) -> None:
    paths, corpus = plain(tmp_path_factory.getbasetemp(), contents, pipeline)
    pieces = list(blocks(paths, size))
    # A worker gets both by pickle.
    dealt = [shares(count_block(*pickle.loads(pickle.dumps((piece, pipeline)))), workers) for piece in pieces]
    parts = []
    for share in zip(*dealt, strict=True):
        waiting = list(share)
        while len(waiting) > 1:  # any two present, as on a cluster
            chance.shuffle(waiting)
            waiting.append(merge([waiting.pop(), waiting.pop()]))
        parts.append(cut(waiting[0], 1))
    chance.shuffle(parts)
    if corpus is None:
        with pytest.raises(EmptyCorpusError):
            gather(parts, pipeline, 1)
        return
    result = gather(parts, pipeline, 1).corpus
    assert (result.words, result.counts, result.ends) == (corpus.words, corpus.counts, corpus.ends)
    if len(contents) == 1:
        assert (result, result.last) == (corpus, corpus.last)  # lines, characters and replaced bytes, too


ENTRIES = st.dictionaries(
    st.text(max_size=3),
    st.tuples(st.integers(1, 10**15), st.integers(0, 9), st.integers(0, 1 << 52)),
    max_size=12,
)


@given(
    st.lists(st.builds(Counted, ENTRIES, *[st.integers(0, 9)] * 5), min_size=1, max_size=5),
    st.integers(1, 20),
)
def test_packed_counts_are_merged_and_cut_as_others_are(parts: list[Counted], minimum: int) -> None:
    packed = [pickle.loads(pickle.dumps(pack(part))) for part in parts]
    assert [one.unpacked() for one in packed] == parts
    some = len(parts) // 2
    joined = merge_packed([merge_packed(packed[:some]), *packed[some:]], minimum)
    assert joined.unpacked() == cut(merge(parts), minimum)
    assert [word for word, _ in joined] == sorted(joined.unpacked().words)


def test_merging_packed_counts_takes_little_memory_however_many_words_there_are() -> None:
    """Eight parts with half of their words in common; besides the result, memory holds a batch of each."""

    def peak(words: int) -> int:
        half = words // 2
        packed = []
        for number in range(8):
            names = [f"word{index}" for index in range(half)] + [
                f"{number}word{index}" for index in range(half)
            ]
            packed.append(pack(Counted({name: (2, 1, number << 40 | at) for at, name in enumerate(names)})))
        tracemalloc.start()
        try:
            joined = merge_packed(packed)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert len(joined.unpacked().words) == 9 * half
        return most - sum(map(len, joined.batches))

    assert peak(8000) < 1.5 * peak(2000)


@given(CONTENTS, st.integers(1, 40))
def test_blocks_cover_a_file_and_begin_lines(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "one.txt"
    path.write_bytes(data)
    results = list(blocks([path, path], size))
    half = results[: len(results) // 2]
    assert [block.number for block in results] == list(range(len(results)))
    assert b"".join(data[block.start : block.stop] for block in half) == data
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16 is one block
        assert all(data[block.start - 1 : block.start] == b"\n" for block in half[1:])
        # As small as possible: a block ends with its first possible line end.
        assert all(b"\n" not in data[block.start + size - 1 : block.stop - 1] for block in half)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_marks_are_read_at_the_beginning_only(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "marked.txt"
    path.write_bytes(
        "to be\n\ufeffor ਊ\nnot\n".encode(encoding)
    )  # U+0A0A has two line ends for bytes in UTF-16
    parts = [count_block(block, Pipeline()) for block in blocks([path], 3)]
    assert len(parts) == (3 if encoding == "utf-8-sig" else 1)
    assert gather(parts, Pipeline(), 1).corpus == Corpus.from_file(path)


def test_a_line_longer_than_a_block(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"word " * 50_000 + b"\nlast")
    results = list(blocks([path], 100_000))
    assert [block.size for block in results] == [250_001, 4]


def test_entries_add_up_in_any_order() -> None:
    """As Spark's reduceByKey asks: grouped in any way, any way round."""
    entries = [(3, 1, 70), (1, 0, 30), (2, 2, 1 << 41)]
    assert {reduce(add, order) for order in (entries, entries[::-1], entries[1:] + entries[:1])} == {
        (6, 3, 30)
    }
    assert add(add(*entries[:2]), entries[2]) == add(entries[0], add(*entries[1:]))


def test_merging_changes_nothing_that_it_merges() -> None:
    """A worker may be asked for the same part again."""
    parts = [Counted({"a": (1, 0, 0)}, lines=1), Counted({"a": (2, 1, 5), "b": (1, 1, 6)}, lines=2)]
    before = pickle.dumps(parts)
    assert merge(parts) == Counted({"a": (3, 1, 0), "b": (1, 1, 6)}, lines=3)
    assert pickle.dumps(parts) == before


# --- The cut ------------------------------------------------------------------------------------------------


@given(st.lists(st.text("abc ", max_size=12), min_size=1), st.integers(1, 6))
def test_the_cut_keeps_order_and_counts_its_omissions(texts: list[str], minimum: int) -> None:
    try:
        corpus = Corpus.from_texts(texts, pre_tokenizer="whitespace")
    except EmptyCorpusError:
        return
    frequent = [(word, count) for word, count in corpus.items() if count >= minimum]
    if not frequent:
        with pytest.raises(
            SettingError, match=f"^minimum={minimum} can't be used: no word occurs that often"
        ):
            without_rare(corpus, minimum)
        return
    counts = without_rare(corpus, minimum)
    assert list(counts.corpus.items()) == frequent
    assert counts.rare == len(corpus) - len(frequent)
    assert counts.rare_total == corpus.total - counts.corpus.total
    assert (counts.corpus.lines, counts.corpus.characters) == (corpus.lines, corpus.characters)


def test_shares_can_be_cut_one_by_one() -> None:
    """Each share has all occurrences of its words, so that the same words are rare."""
    corpus = Corpus.from_texts(["a a a b b c d d e e e f"], pre_tokenizer="whitespace")
    words = {word: (count, 0, index) for index, (word, count) in enumerate(corpus.items())}
    dealt = shares(Counted(words, 1, 23), 3)
    assert sum(bool(share.words) for share in dealt) > 1
    assert merge(cut(share, 2) for share in dealt) == cut(Counted(words, 1, 23), 2)


# --- Files --------------------------------------------------------------------------------------------------


@given(CONTENTS, PIPELINES, st.integers(1, 3))
def test_a_file_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, pipeline: Pipeline, minimum: int
) -> None:
    _, corpus = plain(tmp_path_factory.getbasetemp(), [data], pipeline)
    try:
        counts = without_rare(corpus, minimum) if corpus else None
    except SettingError:
        counts = None
    if counts:
        text = counts_tsv(counts)
        again = read_counts(text)
        assert (again, again.corpus.last) == (counts, counts.corpus.last)
        assert read_counts("\ufeff" + text.replace("\n", "\r\n")) == counts  # a spreadsheet's version of it
        data = text.encode()
        assert is_counts(data) and counting_rules(data) == pipeline
        assert counting_header(data)["minimum"] == minimum


def test_the_form_of_a_file() -> None:
    """Written by hand: linear TSV under a comment."""
    corpus = Corpus(
        ("a\tb", "\\n", "中\n\r"),
        (3, 2, 1),
        Pipeline(("nfd", "lowercase"), "none"),
        2,
        9,
        1,
        (0, 2, 1),
        "\\n",
    )
    header, *rows = counts_tsv(WordCounts(corpus, 1, 4, 5)).split("\n")
    assert json.loads(header.removeprefix("# tokensteps word counts 1 ")) == {
        "normalizer": ["nfd", "lowercase"],
        "pre_tokenizer": "none",
        "pattern": "gpt2",
        "minimum": 1,
        "rare": 4,
        "rare_total": 5,
        "lines": 2,
        "characters": 9,
        "replaced": 1,
        "last": 2,
    }
    assert rows == ["word\tcount\tends", r"a\tb" + "\t3\t0", r"\\n" + "\t2\t2", r"中\n\r" + "\t1\t1", ""]


TEXT = (
    Path(__file__).parents[2].joinpath("assets", "corpora", "mixed.txt").read_text("utf-8").splitlines() * 3
)


def test_training_on_a_file_is_training_on_the_text() -> None:
    corpus = Corpus.from_texts(TEXT)
    again = read_counts(counts_tsv(without_rare(corpus, 1))).corpus
    assert again == corpus
    mine, theirs = train_bpe(again, merges=100), train_bpe(corpus, merges=100)
    assert mine.tokens == theirs.tokens
    assert [mine[step].event for step in range(101)] == [theirs[step].event for step in range(101)]


def test_unigram_sees_where_texts_end() -> None:
    """SentencePiece's seed depends on it: without the ends, another vocabulary comes out."""
    corpus = Corpus.from_texts(["hug pug"] * 3 + ["pug hugs"] * 2, pre_tokenizer="whitespace_split_metaspace")
    corpus = replace(corpus, last="")
    again = read_counts(counts_tsv(without_rare(corpus, 1))).corpus
    settings = {"method": "sentencepiece", "vocab_size": 12, "seed_size": 100}
    pieces = [train_unigram(one, **settings)[0].vocab for one in (corpus, again, replace(corpus, ends=()))]
    assert pieces[0] == pieces[1] != pieces[2]


def test_unigram_sees_where_all_texts_end(tmp_path: Path) -> None:
    """Nothing follows the last word: in SentencePiece's seed, that takes a repeated piece away."""
    path = tmp_path / "cab.txt"
    path.write_text("q cab\nr cab\n")
    pipeline = Pipeline(pre_tokenizer="whitespace_split_metaspace")
    counted = gather([count_block(block, pipeline) for block in blocks([path], 3)], pipeline, 1)
    corpora = [
        Corpus.from_file(path, pre_tokenizer="whitespace_split_metaspace"),
        counted.corpus,
        read_counts(counts_tsv(counted)).corpus,
    ]
    seeds = [
        train_unigram(one, vocab_size=9, method="sentencepiece", steps=0).seed
        for one in (*corpora, replace(corpora[0], last=""))
    ]
    assert seeds[0] == seeds[1] == seeds[2] != seeds[3]


def test_a_file_of_an_older_version_doesnt_name_the_last_word() -> None:
    counts = without_rare(Corpus.from_texts(["hug pug"]), 1)
    older = counts_tsv(counts).replace(', "last": 2', "")
    assert read_counts(older) == counts and read_counts(older).corpus.last == ""
    rows = counts_tsv(counts).splitlines()
    assert read_counts("\n".join(rows[:-1])).corpus.last == "", "its row has been taken out by hand"


def test_a_file_has_no_place_for_cuts_and_symbols() -> None:
    for corpus in (
        Corpus.from_texts(["a<x>b"], user_defined_symbols=["<x>"]),
        Corpus.from_texts(["a1b"], cuts=[DIGITS["each"]]),
    ):
        with pytest.raises(SettingError, match="no place for its cuts and symbols; count without them"):
            counts_tsv(WordCounts(corpus))


def test_a_last_word_that_was_taken_out_is_not_named() -> None:
    """As in What if, where a word's count becomes 0."""
    corpus = Corpus.from_texts(["hug hug pug"], pre_tokenizer="whitespace")
    gone = WordCounts(replace(corpus, last="bug"))
    assert read_counts(counts_tsv(gone)).corpus.last == without_rare(corpus, 2).corpus.last == ""
    assert without_rare(corpus, 1).corpus.last == "pug"


def test_words_counted_elsewhere_have_unknown_ends() -> None:
    counts = WordCounts(Corpus.from_counts({"hug": 2}))
    assert counts_tsv(counts).splitlines()[1:] == ["word\tcount\tends", "hug\t2\t0"]


HEADER = counts_tsv(without_rare(Corpus.from_texts(["hug"], pre_tokenizer="whitespace"), 1)).split("\n")[0]
BYTE_LEVEL = HEADER.replace('"whitespace"', '"byte_level"')


@pytest.mark.parametrize(
    ("text", "why", "line_number"),
    [
        (HEADER[:-1], "header", 1),
        (HEADER.replace('"lines": 1', '"lines": -1'), "header", 1),
        (HEADER.replace('"lines": 1', '"lines": true'), "header", 1),
        (HEADER.replace('"none"', '["none", 3]'), "header", 1),
        (HEADER.replace('"none"', "null"), "header", 1),
        (HEADER.replace('"none"', json.dumps(["none"] * 1000)), "header", 1),
        (HEADER.replace('"gpt2"', json.dumps("x" * 10**6)), "header", 1),
        (HEADER.replace('"gpt2"', "[" * 10**5), "header", 1),
        (f"{HEADER}\nhug 10", "row", 2),
        (f"{HEADER}\nword\tcount\tends\nhug\t10", "row", 3),
        (f"{HEADER}\nhug\t10\t11", "row", 2),
        (f"{HEADER}\nhug\t0\t0", "row", 2),
        (f"{HEADER}\nhug\t1{'0' * 18}\t0", "row", 2),
        (f"{HEADER}\n\t10\t0", "row", 2),
        (f"{HEADER}\na\\b\t10\t0", "row", 2),
        (f"{HEADER}\na\\\t10\t0", "row", 2),
        (f"{HEADER}\nhug\t10\t0\n\npug\t5\t0\nhug\t1\t0", "twice", 5),
        (f"{BYTE_LEVEL}\nhug\t10\t0\n hug\t5\t0", "row", 3),
        (f"{BYTE_LEVEL}\n中\t5\t0", "row", 2),
    ],
    ids=lambda value: str(value)[-20:],
)
def test_errors_in_a_file_name_the_line(text: str, why: str, line_number: int) -> None:
    with pytest.raises(CountsFileError) as caught:
        read_counts(text)
    assert (caught.value.why, caught.value.line_number) == (why, line_number)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (HEADER, EmptyCorpusError),
        (HEADER.replace('"whitespace"', '"words"'), UnknownNameError),
        (HEADER.replace('"none"', '"NFX"'), UnknownNameError),
        (BYTE_LEVEL.replace('"gpt2"', '"(a"'), TokenizersCoreError),
    ],
)
def test_unknown_rules(text: str, error: type[TokenizersCoreError]) -> None:
    with pytest.raises(error):
        read_counts(text)


def test_reading_has_progress_and_can_be_stopped() -> None:
    rows = [f"{number:0100}\t1\t0" for number in range(4000)]
    heard: list[int] = []
    read_counts("\n".join([HEADER, *rows]), progress=heard.append)
    assert len(heard) >= 3 and heard == sorted(heard)
    assert all(after - before >= 1 << 17 for before, after in pairwise(heard))

    def stop(_read: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        read_counts("\n".join([HEADER, *rows]), progress=stop)


@given(st.integers(300, 3000))
def test_a_minimum_that_makes_a_file_fit(size: int) -> None:
    corpus = Corpus.from_texts([f"w{count}é " * count for count in range(1, 100)])
    counts = without_rare(corpus, 1)
    minimum = least_minimum(counts, size)
    assert len(counts_tsv(without_rare(corpus, minimum)).encode()) <= size
    if minimum > 1:  # and none much too high: the header's numbers may be a few digits shorter
        assert len(counts_tsv(without_rare(corpus, minimum - 4)).encode()) > size - 40
