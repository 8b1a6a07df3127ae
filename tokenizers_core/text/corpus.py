r"""From text to words: the three things that happen before a tokenizer is trained.

1. **Normalize**: rewrite the text (`É` → `e`), remembering where every character came from.
2. **Pre-tokenize**: cut it into pre-tokens; training never merges across their borders.
3. **Count**: how often does each pre-token occur? The result, a `Corpus`, is training's only input.

>>> Pipeline(normalizer="bert_uncased", pre_tokenizer="bert").words("Héllò!")
[PreToken(text='hello', start=0, end=5), PreToken(text='!', start=5, end=6)]
>>> corpus = Corpus.from_texts(["low lower low"], pre_tokenizer="end_of_word")
>>> list(corpus.items())
[('low', 2), ('lower', 1)]
>>> corpus.symbols("low")
('l', 'o', 'w', '</w>')

The rules, their names and their results, offsets included, are the same as in the Hugging Face `tokenizers`
library; where the modules of this room choose differently, they say so. Characters' properties come from the
`regex` library and decompositions from `unicodedata`, so a code point newer than their Unicode tables (or the
library's) may be treated differently. Offsets count characters (code points), not bytes.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from numbers import Integral
from pathlib import Path
from typing import BinaryIO, Final

from tokenizers_core.errors import (
    EmptyCorpusError,
    SettingError,
    WrongTypeError,
    refuse_no_path,
    refuse_no_texts,
    refuse_wrong_type,
    rows_of,
)
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.cutting import Cutter
from tokenizers_core.text.normalizers import Normalizer, normalized_text
from tokenizers_core.text.pipeline import Pipeline, refuse_surrogates
from tokenizers_core.text.reading import read_lines

ReadingProgress = Callable[[int], None]
"""Called now and then with the number of characters read so far. An exception in it ends the reading."""

WORDS_COUNTED: Final = "give words with their counts, such as {'hug': 10}; Corpus.from_texts counts texts"
_PROGRESS_EVERY: Final = 1 << 17  # characters: a fraction of a tenth of a second


@dataclass
class Tally:
    """Words being counted: by match, to be shown as the model sees them once for each different match."""

    pipeline: Pipeline
    progress: ReadingProgress | None = None
    lines: int = 0
    characters: int = 0
    replaced: int = 0
    counted_elsewhere: bool = False
    """Whether each text is a word with its count, so that its context is unknown."""
    _counts: Counter[str] = field(default_factory=Counter)
    _ends: Counter[str] = field(default_factory=Counter)
    _last: str = ""
    _symbols: Counter[str] = field(default_factory=Counter)
    _reported: int = 0

    def __post_init__(self) -> None:
        self._splitter = self.pipeline.splitter()

    def add(self, text: str, count: int = 1) -> None:
        """Count the words of one text, `count` times."""
        refuse_surrogates(text)
        self.lines += 1
        self.characters += len(text)
        if self.pipeline.user_defined_symbols:
            matches = self._matches_between(text, count)
        else:
            matches = self._splitter.matches(normalized_text(text, self.pipeline.normalizer))
        if count == 1:
            self._counts.update(matches)
        else:
            for match in matches:
                self._counts[match] += count
        if matches and not self.counted_elsewhere:
            self._ends[matches[-1]] += count
            self._last = matches[-1]
        if self.progress and self.characters - self._reported >= _PROGRESS_EVERY:
            self._report(self.progress)

    def _matches_between(self, text: str, count: int) -> list[str]:
        """The matches of a text after its user-defined symbols are cut out, and counted."""
        matches: list[str] = []
        for stretch, symbol in self.pipeline.around_symbols(text):
            matches += self._splitter.matches(normalized_text(stretch, self.pipeline.normalizer))
            if symbol:
                self._symbols[symbol] += count
        return matches

    def read(self, stream: BinaryIO, encoding: str = "") -> None:
        """Count the words of a file's lines, as `read_lines` reads them."""
        for line in read_lines(stream, encoding):
            self.replaced += line.replaced
            self.add(line.text)

    def _report(self, progress: ReadingProgress) -> None:
        self._reported = self.characters
        progress(self.characters)

    def words(self) -> tuple[dict[str, int], dict[str, int]]:
        """How often each word was met, in order of first appearance, and how often it was the last of a
        text."""
        show = self._splitter.notation.show
        counts: dict[str, int] = {}
        for match, count in self._counts.items():
            # Two matches may look the same to the model: a text's first `to` and a later ` to` are both
            # `▁to`.
            word = show(match)
            counts[word] = counts.get(word, 0) + count
        ends = dict.fromkeys(counts, 0)
        for match, count in self._ends.items():
            ends[show(match)] += count
        return counts, ends

    @property
    def last(self) -> str:
        """The last word of the last text with one; "" where there is none."""
        return self._splitter.notation.show(self._last) if self._last else ""

    def corpus(self, source: object = None) -> Corpus:
        """The result. Raises EmptyCorpusError when there is no word; the error names an iterator that gave
        nothing."""
        if self.progress:
            self._report(self.progress)
        counts, ends = self.words()
        if not counts:
            used_up = not self.lines and isinstance(source, Iterator)
            raise EmptyCorpusError(characters=self.characters, used_up=used_up)
        return Corpus(
            tuple(counts),
            tuple(counts.values()),
            self.pipeline,
            self.lines,
            self.characters,
            self.replaced,
            () if self.counted_elsewhere else tuple(ends.values()),
            last=self.last,
            symbols_cut_out=tuple(self._symbols[one] for one in self.pipeline.user_defined_symbols),
        )


@dataclass(frozen=True, repr=False)
class Corpus:
    """Training's view of a text: its different words, in order of first appearance, and their counts.

    `lines` and `characters` say how much was read (a text given with a count is read once), and `replaced`
    how many invalid sequences of bytes in it became U+FFFD.
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    pipeline: Pipeline
    lines: int = 0
    characters: int = 0
    replaced: int = 0
    ends: tuple[int, ...] = ()
    """How often each word ends a text; () where the words were counted elsewhere."""
    last: str = field(default="", compare=False)
    """The last word of the last text, with nothing after it; "" where that isn't known."""
    symbols_cut_out: tuple[int, ...] = ()
    """How often each of the pipeline's user-defined symbols was cut out of the texts."""
    texts: tuple[str, ...] = field(default=(), compare=False)
    """The texts, if they were given as a list: () where nobody holds them."""

    def __repr__(self) -> str:
        return f"<Corpus: {len(self.words):,} different words, {sum(self.counts):,} in all>"

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        normalizer: Normalizer = "none",
        pre_tokenizer: str | tuple[Cutter, ...] = "byte_level",
        pattern: str = "gpt2",
        timeout: float = 2.0,
        progress: ReadingProgress | None = None,
        user_defined_symbols: Sequence[str] = (),
        cuts: Sequence[Cutter] = (),
    ) -> Corpus:
        """Count the words of texts, read one at a time. Each is pre-tokenized by itself. A list's texts are
        kept in `texts`.

        A pattern of the user's own may run for `timeout` seconds of the processor on all of them together.
        `user_defined_symbols` are cut out of the texts before anything else: training keeps them whole, see
        `Pipeline`. Raises the errors of `Pipeline`, SurrogateError, PatternTimeoutError and EmptyCorpusError.

        >>> list(Corpus.from_texts(["to be or not to be"]).items())
        [('to', 1), ('Ġbe', 2), ('Ġor', 1), ('Ġnot', 1), ('Ġto', 1)]
        """
        refuse_no_texts("texts", texts)
        tally = Tally(
            Pipeline(normalizer, pre_tokenizer, pattern, timeout, cuts, user_defined_symbols), progress
        )
        for text in rows_of("texts", texts):
            tally.add(text)
        counted = tally.corpus(texts)
        return replace(counted, texts=tuple(texts)) if isinstance(texts, list | tuple) else counted

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, int] | Iterable[tuple[str, int]],
        normalizer: Normalizer = "none",
        pre_tokenizer: str | tuple[Cutter, ...] = "whitespace_split",
        pattern: str = "gpt2",
        timeout: float = 2.0,
        user_defined_symbols: Sequence[str] = (),
        cuts: Sequence[Cutter] = (),
    ) -> Corpus:
        """A corpus from words counted elsewhere (`parse_counts` reads them from text).

        Each key is a text; it goes through the same pipeline, and its count multiplies the resulting words;
        counts of equal words add up. Raises the errors of `from_texts`, and SettingError for anything but a
        whole number of at least 1 as a count.

        >>> list(Corpus.from_counts({"hug": 10, "Pug": 5, "pug": 2}, normalizer="lowercase").items())
        [('hug', 10), ('pug', 7)]
        """
        tally = Tally(
            Pipeline(normalizer, pre_tokenizer, pattern, timeout, cuts, user_defined_symbols),
            counted_elsewhere=True,
        )
        refuse_wrong_type("counts", counts, Iterable, WORDS_COUNTED)
        for item in counts.items() if isinstance(counts, Mapping) else counts:
            if not isinstance(item, tuple | list) or len(item) != 2:
                raise WrongTypeError("counts", item, WORDS_COUNTED)
            text, count = item
            if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
                raise SettingError(name="count", value=count, reason="choose a whole number of at least 1")
            tally.add(text, int(count))
        return tally.corpus(counts)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        normalizer: Normalizer = "none",
        pre_tokenizer: str | tuple[Cutter, ...] = "byte_level",
        pattern: str = "gpt2",
        timeout: float = 2.0,
        progress: ReadingProgress | None = None,
        user_defined_symbols: Sequence[str] = (),
        cuts: Sequence[Cutter] = (),
    ) -> Corpus:
        r"""Count the words of a file, each line one text without its end (`\n`, `\r\n` or `\r`).

        The file is read a line at a time and never held. Its bytes are read as by `decode_text`. Raises the
        errors of `from_texts`, and OSError.
        """
        refuse_no_path(path)
        tally = Tally(
            Pipeline(normalizer, pre_tokenizer, pattern, timeout, cuts, user_defined_symbols), progress
        )
        with open(path, "rb") as stream:
            tally.read(stream)
        return tally.corpus()

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        normalizer: Normalizer = "none",
        pre_tokenizer: str | tuple[Cutter, ...] = "byte_level",
        pattern: str = "gpt2",
        timeout: float = 2.0,
        progress: ReadingProgress | None = None,
        user_defined_symbols: Sequence[str] = (),
        cuts: Sequence[Cutter] = (),
    ) -> Corpus:
        r"""Count the words of a file's contents, such as an upload: the same as with `from_file`.

        >>> corpus = Corpus.from_bytes(b"a caf\xe9\na tea\n", pre_tokenizer="whitespace")
        >>> list(corpus.items()), corpus.lines, corpus.replaced
        ([('a', 2), ('caf', 1), ('�', 1), ('tea', 1)], 2, 1)
        """
        refuse_wrong_type(
            "data", data, (bytes, bytearray, memoryview), "give a file's bytes, or use from_texts"
        )
        tally = Tally(
            Pipeline(normalizer, pre_tokenizer, pattern, timeout, cuts, user_defined_symbols), progress
        )
        tally.read(io.BytesIO(data))
        return tally.corpus()

    def __len__(self) -> int:
        """The number of different words."""
        return len(self.words)

    def items(self) -> Iterator[tuple[str, int]]:
        """Each word with its count, in order of first appearance."""
        return zip(self.words, self.counts, strict=True)

    def symbols(self, word: str) -> tuple[str, ...]:
        """A word's symbols at the start of training: its characters, then the pipeline's suffix if any.

        >>> Corpus.from_texts(["né"]).symbols("nÃ©")  # one character is one byte
        ('n', 'Ã', '©')
        """
        suffix = self.pipeline.suffix
        return (*word, suffix) if suffix else tuple(word)

    @cached_property
    def total(self) -> int:
        """The number of words, repetitions counted."""
        return sum(self.counts)

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that identify the words, their counts and the pipeline, on every machine.

        Settings without an effect on results are left out (see `Pipeline.rules`), and so is the position of
        words in their texts, known only to the seed of SentencePiece.
        """
        symbols = self.pipeline.user_defined_symbols
        parts = [self.pipeline.rules, self.words, self.counts, *([symbols] if symbols else [])]
        return blake2b(json.dumps(parts, default=repr).encode("ascii"), digest_size=16).hexdigest()


def refuse_no_corpus(corpus: object, name: str = "corpus") -> None:
    """Raise WrongTypeError for anything but a corpus: a text, or a list of words."""
    refuse_wrong_type(
        name, corpus, Corpus, "make a corpus of it first: Corpus.from_texts(['a text', 'another'])"
    )
