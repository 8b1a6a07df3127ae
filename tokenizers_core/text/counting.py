r"""Counting a corpus too large for one process, or for one machine.

Training sees nothing of a text but its words, their counts and which words end it, and counts add up: so a
corpus can be cut into blocks of lines, each block can be counted on any free processor, and the counts can be
added in any order.
The result is, word for word and in the same order, the `Corpus` of `Corpus.from_file`.

1. `blocks` cuts files into pieces of about the same size, always between two lines.
2. `count_block` counts one of them: the map step.
3. `add` joins two entries of a word, and `merge` whole dictionaries of them: the reduce step.
4. `cut` leaves out the rare words, and `gather` puts the others into the corpus's order.
5. `pack` packs counts while they wait for others, and `merge_packed` does the work of `merge` and `cut` on
   packed ones, in little memory.
6. `counts_tsv` writes a file of it, and `read_counts` reads it back: nothing is normalized or split again.

No particular framework is needed, and any will do. `tokensteps/cli/cluster.py` uses Dask; with Spark the same
functions are

    pieces = list(blocks(paths))
    spread = spark.sparkContext.parallelize(pieces, len(pieces))
    counted = spread.map(lambda block: count_block(block, pipeline)).cache()
    words = counted.flatMap(lambda part: part.words.items()).reduceByKey(add)
    frequent = words.filter(lambda item: item[1][0] >= minimum)
    read = counted.map(lambda part: replace(part, words={})).reduce(lambda one, other: merge([one, other]))
    counts = gather([read, Counted(dict(frequent.collect()))], pipeline, minimum)

(there, the numbers of rare words are left to `words.count()`). Each line is a text of its own, so it is safe
to cut a file between any two lines: no pre-token crosses the cut.

>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     path = Path(folder, "corpus.txt")
...     _ = path.write_text("to be\nor not\nto be\n")
...     parts = [count_block(block, Pipeline()) for block in blocks([path], size=6)]
>>> [part.words for part in parts[:2]] == [
...     {"to": (1, 0, 0), "Ġbe": (1, 1, 1)},
...     {"or": (1, 0, FIRST_OF_BLOCK), "Ġnot": (1, 1, FIRST_OF_BLOCK + 1)},
... ]
True
>>> counts = gather([cut(merge(reversed(parts)), minimum=2)], Pipeline(), minimum=2)
>>> list(counts.corpus.items()), counts.rare
([('to', 2), ('Ġbe', 2)], 2)
>>> read_counts(counts_tsv(counts)) == counts
True
"""

from __future__ import annotations

import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from heapq import merge as in_order
from itertools import groupby, islice, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeGuard

from tokenizers_core.errors import CountsFileError, EmptyCorpusError, SettingError
from tokenizers_core.text.byte_alphabet import SYMBOL_TO_BYTE
from tokenizers_core.text.corpus import Corpus, ReadingProgress, Tally
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.patterns import LONGEST_PATTERN, regex
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.reading import encoding_of

# --- Cutting files into blocks ------------------------------------------------------------------------------

BLOCK: Final = 1 << 24
"""Bytes of a block: some seconds of work, and little enough to hold several."""


class FileBlock(NamedTuple):
    """A stretch of a file from the start of a line to the end of one. `number` counts the blocks of all
    files."""

    path: str
    start: int
    stop: int
    encoding: str
    number: int

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.stop - self.start


def blocks(paths: Iterable[str | Path], size: int = BLOCK) -> Iterator[FileBlock]:
    r"""Cut files into blocks of about `size` bytes, each between two lines. Raises OSError.

    A block ends after a `\n`: in UTF-8 that byte is part of no other character, so no character is cut in
    two, not even in a file with invalid bytes. Hence a line longer than `size` makes a longer block, and so
    does a file with `\r` alone as line ends. UTF-16 and UTF-32 have that byte inside other characters: such a
    file is one block, read a line at a time.
    """
    number = 0
    for path in paths:
        with open(path, "rb") as stream:
            encoding = encoding_of(stream.read(4))
            edges = [0]
            end = stream.seek(0, os.SEEK_END)
            while edges[-1] < end:
                edges.append(_edge(stream, edges[-1] + size, end) if encoding == "utf-8-sig" else end)
        for start, stop in pairwise(edges):
            # Only a file's first bytes are a byte order mark.
            yield FileBlock(str(path), start, stop, "utf-8" if start else encoding, number)
            number += 1


def _edge(stream: io.BufferedReader, wanted: int, end: int) -> int:
    """The first place from `wanted` on where a line begins, or the file's end."""
    if wanted >= end:
        return end
    stream.seek(wanted - 1)  # a line may begin just there
    while piece := stream.readline(1 << 16):
        if piece.endswith(b"\n"):
            break
    return min(stream.tell(), end)


# --- Map and reduce -----------------------------------------------------------------------------------------

Entry = tuple[int, int, int]
"""A word's count, its count at the ends of texts, and the position of its first occurrence."""

FIRST_OF_BLOCK: Final = 1 << 40
"""A block's first word is met at `number * FIRST_OF_BLOCK`, its second different one at the next place."""


@dataclass(frozen=True)
class Counted:
    """The words of some blocks, and totals of the reading: made by map, joined by reduce. Never modified."""

    words: dict[str, Entry] = field(default_factory=dict)
    lines: int = 0
    characters: int = 0
    replaced: int = 0
    rare: int = 0
    """Number of different words cut."""
    rare_total: int = 0
    """How often they occurred together."""
    last: tuple[int, str] = (-1, "")
    """The last word of the last text read, after the number of its block."""


def count_block(block: FileBlock, pipeline: Pipeline) -> Counted:
    """Count the words of a block: the map step.

    A pattern of the user's own may run for the pipeline's timeout on each block. Raises the errors of
    `Corpus.from_file`, except EmptyCorpusError.
    """
    tally = Tally(pipeline)
    with open(block.path, "rb") as stream:
        stream.seek(block.start)
        is_utf8 = block.encoding.startswith("utf-8")
        tally.read(io.BytesIO(stream.read(block.size)) if is_utf8 else stream, block.encoding)
    counts, ends = tally.words()
    first = block.number * FIRST_OF_BLOCK
    words = {word: (count, ends[word], first + index) for index, (word, count) in enumerate(counts.items())}
    last = (block.number, tally.last) if words else (-1, "")
    return Counted(words, tally.lines, tally.characters, tally.replaced, last=last)


def add(one: Entry, other: Entry) -> Entry:
    """Two entries of the same word as one: the reduce step. Their order doesn't matter.

    >>> add((2, 1, 70), (1, 0, 30))
    (3, 1, 30)
    """
    return one[0] + other[0], one[1] + other[1], min(one[2], other[2])


def merge(parts: Iterable[Counted]) -> Counted:
    """Add up the counts of different blocks, in any order. All words are held, so nothing is lost."""
    words: dict[str, Entry] = {}
    numbers = [0, 0, 0, 0, 0]
    last = Counted.last
    for part in parts:
        for word, entry in part.words.items():
            known = words.get(word)
            words[word] = entry if known is None else add(known, entry)
        read = (part.lines, part.characters, part.replaced, part.rare, part.rare_total)
        numbers = [sum(pair) for pair in zip(numbers, read, strict=True)]
        last = max(last, part.last)
    lines, characters, replaced, rare, rare_total = numbers
    return Counted(words, lines, characters, replaced, rare, rare_total, last)


def shares(counted: Counted, number: int) -> list[Counted]:
    """Deal the words out to a number of workers, each word to the same one on every machine.

    So no worker holds all words, and all of them merge at the same time. The totals go to the first.

    >>> parts = shares(Counted({"to": (2, 0, 0), "be": (2, 2, 1)}, lines=2, characters=10), 2)
    >>> merge(parts) == Counted({"to": (2, 0, 0), "be": (2, 2, 1)}, lines=2, characters=10)
    True
    """
    dealt: list[dict[str, Entry]] = [{} for _ in range(number)]
    for word, entry in counted.words.items():
        dealt[zlib.crc32(word.encode("utf-8")) % number][word] = entry
    return [replace(counted, words=dealt[0]), *map(Counted, dealt[1:])]


def cut(counted: Counted, minimum: int) -> Counted:
    """Leave out words with fewer than `minimum` occurrences. Use it only once all occurrences are counted.

    >>> cut(Counted({"to": (2, 0, 0), "be": (1, 1, 1)}), 2)
    Counted(words={'to': (2, 0, 0)}, lines=0, characters=0, replaced=0, rare=1, rare_total=1, last=(-1, ''))
    """
    frequent = {word: entry for word, entry in counted.words.items() if entry[0] >= minimum}
    total = sum(count for count, _, _ in counted.words.values())
    stored = sum(count for count, _, _ in frequent.values())
    return replace(
        counted,
        words=frequent,
        rare=counted.rare + len(counted.words) - len(frequent),
        rare_total=counted.rare_total + total - stored,
    )


# --- Waiting to be merged -----------------------------------------------------------------------------------

_BATCH: Final = 512
"""Words packed, and unpacked, together."""


@dataclass(frozen=True)
class Packed:
    """Counted words in the order of their characters, compressed: of program code 9 bytes a word, where a
    dictionary takes 200.

    A run of an external merge sort (Knuth, The Art of Computer Programming 3, 5.4), kept in memory instead of
    on a tape.
    """

    batches: tuple[bytes, ...]
    read: Counted
    """The totals of the reading, without the words."""

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        """Its words and their entries, unpacked a few at a time."""
        for batch in self.batches:
            words, counts, ends, firsts = json.loads(zlib.decompress(batch))
            yield from zip(words, zip(counts, ends, firsts, strict=True), strict=True)

    def unpacked(self) -> Counted:
        """All of it."""
        return replace(self.read, words=dict(self))


def pack(counted: Counted) -> Packed:
    """Pack counts.

    >>> list(pack(Counted({"to": (2, 0, 0), "be": (2, 2, 1)})))
    [('be', (2, 2, 1)), ('to', (2, 0, 0))]
    """
    return Packed(_batches(sorted(counted.words.items())), replace(counted, words={}))


def merge_packed(parts: Sequence[Packed], minimum: int = 1) -> Packed:
    """`merge` of packed counts, and `cut` in one go; use it only once all occurrences are counted.

    No more than a batch of each part is unpacked at a time, so the memory hardly depends on how many words
    there are.

    >>> one, other = pack(Counted({"to": (1, 0, 0), "be": (1, 1, 1)})), pack(Counted({"to": (1, 0, 9)}))
    >>> list(merge_packed([one, other])), list(merge_packed([one, other], minimum=2))
    ([('be', (1, 1, 1)), ('to', (2, 0, 0))], [('to', (2, 0, 0))])
    """
    rare = rare_total = 0

    def frequent() -> Iterator[tuple[str, Entry]]:
        nonlocal rare, rare_total
        for word, same in groupby(in_order(*parts), key=itemgetter(0)):
            entry = reduce(add, map(itemgetter(1), same))
            if entry[0] >= minimum:
                yield word, entry
            else:
                rare += 1
                rare_total += entry[0]

    batches = _batches(frequent())
    read = merge(part.read for part in parts)
    return Packed(batches, replace(read, rare=read.rare + rare, rare_total=read.rare_total + rare_total))


def _batches(entries: Iterable[tuple[str, Entry]]) -> tuple[bytes, ...]:
    """Pack words in sorted order."""
    rest = iter(entries)
    packed = []
    while batch := list(islice(rest, _BATCH)):
        words = [word for word, _ in batch]
        columns = [words, *zip(*(entry for _, entry in batch), strict=True)]
        packed.append(zlib.compress(json.dumps(columns).encode("ascii"), 1))
    return tuple(packed)


# --- The result ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordCounts:
    """A corpus without its rare words: the contents of a file of counts."""

    corpus: Corpus
    minimum: int = 1
    """The least count of a word."""
    rare: int = 0
    """Number of different rarer words."""
    rare_total: int = 0
    """Their occurrences in all."""


def gather(parts: Iterable[Counted], pipeline: Pipeline, minimum: int) -> WordCounts:
    """Make the corpus, without rare words, from its parts. Raises EmptyCorpusError, and SettingError when all
    words are rare."""
    counted = merge(parts)
    if not counted.words:
        if not counted.rare:
            raise EmptyCorpusError(characters=counted.characters)
        raise _all_rare(minimum)
    entries = sorted(counted.words.items(), key=lambda item: item[1][2])
    corpus = Corpus(
        tuple(word for word, _ in entries),
        tuple(count for _, (count, _, _) in entries),
        pipeline,
        counted.lines,
        counted.characters,
        counted.replaced,
        tuple(ends for _, (_, ends, _) in entries),
        counted.last[1] if counted.last[1] in counted.words else "",
    )
    return WordCounts(corpus, minimum, counted.rare, counted.rare_total)


def without_rare(corpus: Corpus, minimum: int) -> WordCounts:
    """The same from a corpus counted in one go. Raises SettingError when all words are rare.

    >>> counts = without_rare(Corpus.from_texts(["to be or not to be"], pre_tokenizer="whitespace"), 2)
    >>> list(counts.corpus.items()), counts.rare, counts.rare_total
    ([('to', 2), ('be', 2)], 2, 2)
    """
    ends = corpus.ends or (0,) * len(corpus)
    words = zip(corpus.words, zip(corpus.counts, ends, range(len(corpus)), strict=True), strict=True)
    counted = Counted(dict(words), corpus.lines, corpus.characters, corpus.replaced, last=(0, corpus.last))
    return gather([cut(counted, minimum)], corpus.pipeline, minimum)


def _all_rare(minimum: int) -> SettingError:
    return SettingError(name="minimum", value=minimum, reason="no word occurs that often; choose a lower one")


# --- Files --------------------------------------------------------------------------------------------------

_TITLE: Final = "# tokensteps word counts 1 "
_COLUMNS: Final = "word\tcount\tends"
# As in linear TSV: characters that would break a row are written with a backslash.
_ESCAPES: Final = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_TRANSLATION: Final = str.maketrans(_ESCAPES)
_MEANINGS: Final = {escape: character for character, escape in _ESCAPES.items()}
_LARGEST: Final = 10**18
_LONGEST_HEADER: Final = 20 * LONGEST_PATTERN  # JSON writes a character with twelve at most


def counts_tsv(counts: WordCounts) -> str:
    r"""A file of word counts: a line with the rules of counting, a line of titles, then a row for each word.

    The first line is a comment for other programs that read such files. Tabs, line ends and backslashes in
    words are written `\t`, `\n`, `\r` and `\\`. Raises SettingError for words cut by a loaded tokenizer's
    parts or around user-defined symbols: the first line has no place for these rules.

    >>> counts = without_rare(Corpus.from_texts(["to be to be"], pre_tokenizer="whitespace"), 2)
    >>> header, *rows = counts_tsv(counts).splitlines()
    >>> header.startswith('# tokensteps word counts 1 {"normalizer": "none"'), rows
    (True, ['word\tcount\tends', 'to\t2\t0', 'be\t2\t1'])
    """
    return "".join(f"{line}\n" for line in _written(counts))


def _written(counts: WordCounts) -> Iterator[str]:
    corpus = counts.corpus
    if not corpus.pipeline.only_named_parts or corpus.pipeline.user_defined_symbols:
        raise SettingError(
            name="pipeline",
            value=repr(corpus.pipeline),
            reason="a file of counts has no place for its cuts and symbols; count without them",
        )
    data = {
        "normalizer": corpus.pipeline.normalizer,
        "pre_tokenizer": corpus.pipeline.pre_tokenizer,
        "pattern": corpus.pipeline.pattern,
        "minimum": counts.minimum,
        "rare": counts.rare,
        "rare_total": counts.rare_total,
        "lines": corpus.lines,
        "characters": corpus.characters,
        "replaced": corpus.replaced,
        "last": corpus.words.index(corpus.last) + 1 if corpus.last in corpus.words else 0,  # its row
    }
    yield _TITLE + json.dumps(data)
    yield _COLUMNS
    all_ends = corpus.ends or (0,) * len(corpus)
    for word, count, ends in zip(corpus.words, corpus.counts, all_ends, strict=True):
        yield f"{word.translate(_TRANSLATION)}\t{count}\t{ends}"


def least_minimum(counts: WordCounts, size: int) -> int:
    """The least minimum for a file of these counts of at most `size` bytes; their own if it is small enough.

    >>> corpus = Corpus.from_texts(
    ...     [f"word{count} " * count for count in range(1, 50)], pre_tokenizer="whitespace"
    ... )
    >>> least_minimum(without_rare(corpus, 1), 1000), least_minimum(without_rare(corpus, 1), 600)
    (1, 22)
    >>> len(counts_tsv(without_rare(corpus, 22)))
    558
    """
    header, titles, *rows = (len(line.encode("utf-8")) + 1 for line in _written(counts))
    left = size - header - titles
    if sum(rows) <= left:
        return counts.minimum
    left -= 40  # after a cut the header has larger numbers
    for count, length in sorted(zip(counts.corpus.counts, rows, strict=True), reverse=True):
        left -= length
        if left < 0:
            return count + 1
    return counts.minimum + 1


def is_counts(data: bytes) -> bool:
    """Whether a file is one of `counts_tsv`, going by its first line.

    >>> is_counts(b"hug 10"), is_counts(counts_tsv(without_rare(Corpus.from_texts(["hug"]), 1)).encode())
    (False, True)
    """
    return data.removeprefix(b"\xef\xbb\xbf").startswith(_TITLE.encode("ascii"))


def counting_rules(data: bytes, timeout: float = 2.0) -> Pipeline:
    """The counting rules of such a file. Raises CountsFileError, UnknownNameError and PatternError."""
    return _rules(counting_header(data), timeout)


def counting_header(data: bytes) -> dict[str, Any]:
    """The first line of such a file: the counting rules, and the totals of the reading. Raises
    CountsFileError.

    >>> counting_header(counts_tsv(without_rare(Corpus.from_texts(["hug hug"]), 1)).encode())["characters"]
    7
    """
    first = data[: _LONGEST_HEADER + 1].removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return _header(first.decode("utf-8", "replace"))


def _header(line: str) -> dict[str, Any]:
    """The contents of the first line, checked."""
    try:
        header = json.loads(line.removeprefix(_TITLE)) if len(line) <= _LONGEST_HEADER else None
    except (ValueError, RecursionError):
        header = None
    if isinstance(header, dict):
        header = {"last": 0, **header}  # files of older versions have none
    if not _is_header(header):
        raise CountsFileError(line_number=1, line=line, why="header")
    return header


def _is_header(header: object) -> TypeGuard[dict[str, Any]]:
    """Whether a header is complete, with the right types."""
    numbers = ("minimum", "rare", "rare_total", "lines", "characters", "replaced", "last")
    return (
        isinstance(header, dict)
        and all(type(header.get(name)) is int and 0 <= header[name] < _LARGEST for name in numbers)
        and all(isinstance(header.get(name), str) for name in ("pre_tokenizer", "pattern"))
        and len(_names(header)) <= len(NORMALIZERS)
        and all(isinstance(name, str) for name in _names(header))
    )


def _names(header: dict[str, Any]) -> Sequence[Any]:
    """The normalizer's names; a list with None where there is neither a name nor a list of names."""
    normalizer = header.get("normalizer")
    return normalizer if isinstance(normalizer, list) else [normalizer]


def _rules(header: dict[str, Any], timeout: float) -> Pipeline:
    normalizer = (
        header["normalizer"] if isinstance(header["normalizer"], str) else tuple(header["normalizer"])
    )
    return Pipeline(normalizer, header["pre_tokenizer"], header["pattern"], timeout)


def read_counts(text: str, timeout: float = 2.0, progress: ReadingProgress | None = None) -> WordCounts:
    """Read the output of `counts_tsv`: the same words, in the same order, without applying any rules again.

    `timeout` is the pipeline's, for other texts. Raises CountsFileError, UnknownNameError, PatternError and
    EmptyCorpusError.
    """
    rows = _rows(text.removeprefix("\ufeff"))
    header = _header(next(rows)[1])
    pipeline = _rules(header, timeout)
    words: dict[str, tuple[int, int]] = {}
    read = message = 0
    for line_number, line in rows:
        read += len(line) + 1
        if progress and read - message >= 1 << 17:
            progress(message := read)
        if not line or (line_number == 2 and line == _COLUMNS):
            continue
        word, count, ends = _row(line_number, line, pipeline)
        if word in words:
            raise CountsFileError(line_number=line_number, line=line, why="twice")
        words[word] = count, ends
    if not words:
        raise EmptyCorpusError(characters=header["characters"])
    names = tuple(words)
    last = header["last"]
    corpus = Corpus(
        names,
        tuple(count for count, _ in words.values()),
        pipeline,
        header["lines"],
        header["characters"],
        header["replaced"],
        tuple(ends for _, ends in words.values()),
        names[last - 1] if 0 < last <= len(names) else "",
    )
    return WordCounts(corpus, header["minimum"], header["rare"], header["rare_total"])


def _rows(text: str) -> Iterator[tuple[int, str]]:
    r"""The lines with their numbers; only a `\n` ends one, with or without a `\r`."""
    start = 0
    for number in range(1, text.count("\n") + 2):
        end = text.find("\n", start)
        line = text[start:] if end < 0 else text[start:end]
        yield number, line.removesuffix("\r")
        start = end + 1


_ROW: Final = regex.compile(r"((?:[^\t\\]|\\[\\tnr])+)\t([1-9][0-9]{0,17})\t(0|[1-9][0-9]{0,17})")


def _row(line_number: int, line: str, pipeline: Pipeline) -> tuple[str, int, int]:
    """A word, its count and how often it ends a text. Raises CountsFileError."""
    match = _ROW.fullmatch(line)
    if not match:
        raise CountsFileError(line_number=line_number, line=line, why="row")
    word, count, ends = match[1], int(match[2]), int(match[3])
    if "\\" in word:
        word = regex.sub(r"\\.", lambda escape: _MEANINGS[escape[0]], word)
    if ends > count or (pipeline.byte_level and not SYMBOL_TO_BYTE.keys() >= set(word)):
        raise CountsFileError(line_number=line_number, line=line, why="row")
    return word, count, ends
