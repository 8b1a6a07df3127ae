"""The app's own corpora, and the learner's as they travel in links."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import difflib
import heapq
import inspect
import io
import operator
import pydoc_data.topics
import re
import shlex
import statistics
import textwrap
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Final

from tokenizers_core.counterfactual.recounting import with_count
from tokenizers_core.errors import CountedRulesError, TokenizersCoreError, quoted
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.counting import counting_rules, is_counts, read_counts
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.reading import decode_text, parse_counts, read_lines
from tokensteps.assets import ASSETS
from tokensteps.bounded import bounded, text_bytes
from tokensteps.language.i18n import N_, count
from tokensteps.limits import (
    CORPUS_LIMIT,
    LINK_LIMIT,
    LINK_TEXT_LIMIT,
    PACKED_ROOM,
    SYMBOLS_LIMIT,
    WORD_LIMIT,
)
from tokensteps.runs.parallel import table_of_lines

FOLDER = ASSETS / "corpora"

PROSE_LENGTH = 120_000
"""Characters of Python's help pages for training."""

OWN = ("paste", "counts", "upload")
"""The learner's own corpora."""


@dataclass(frozen=True)
class Example:
    """A corpus of the app, with settings that make its point."""

    title: str
    about: str
    text: Callable[[], str]
    sample: str
    """A text to encode with the result."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings that make its point on BPE's page."""
    counts: bool = False
    """Whether the text is word counts."""
    word: str = ""
    """A word whose splits are worth a look; "" for the first one of the corpus."""
    by_page: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The settings that make its point on the other pages, by the page's name."""

    def settings_on(self, page: str) -> Mapping[str, Any]:
        """The settings that make its point on a page; none means the page's usual ones."""
        return self.settings if page == "bpe" else self.by_page.get(page, {})


def _file(name: str) -> Callable[[], str]:
    return cache(lambda: (FOLDER / name).read_text(encoding="utf-8"))


@cache
def python_code() -> str:
    """Functions of this Python's standard library, read at run time."""
    functions = (
        heapq.merge,
        heapq.nsmallest,
        textwrap.dedent,
        textwrap.indent,
        shlex.join,
        difflib.get_close_matches,
    )
    sources = [inspect.getsource(inspect.unwrap(function)) for function in functions]
    return "\n".join(sources)


@cache
def help_pages() -> str:
    """Python's help pages on the language, with examples, read at run time."""
    return "\n".join(pydoc_data.topics.topics.values())


@cache
def prose() -> str:
    """The running text of those pages: no code, no headings."""
    lines = help_pages().split("\n")
    return "\n".join(line for line in lines if line[:1].isalpha() and " " in line)[:PROSE_LENGTH]


@cache
def python_modules() -> str:
    """Whole modules of this Python's standard library, read at run time."""
    return "\n".join(map(inspect.getsource, (heapq, textwrap, shlex, difflib, dataclasses, statistics)))


@cache
def library() -> str:
    """Everything at once, for ready-made tokenizers: prose, code, many scripts."""
    texts = (EXAMPLES["course"].text(), EXAMPLES["mixed"].text(), python_code(), help_pages()[:PROSE_LENGTH])
    return "\n".join(texts)


LARGE: Mapping[str, Any] = {
    "pre": "byte_level",
    "alphabet": "bytes",
    "size": 4000,
    "min": 2,
    "special": "<|endoftext|>",
    "lines": False,
}
"""Settings of BPE's page for a large corpus."""
LARGE_BY_PAGE: Mapping[str, Mapping[str, Any]] = {
    "wordpiece": {"size": 4000, "min": 2, "special": "[PAD] [UNK] [CLS] [SEP] [MASK]"},
    "unigram": {"method": "sentencepiece", "seed": 20_000, "size": 4000, "special": "<unk> <s> </s>"},
    "compare": {"size": 1000},
}


EXAMPLES: Mapping[str, Example] = {
    "course": Example(
        N_("Four sentences"),
        N_("The four sentences of the Hugging Face course."),
        _file("course.txt"),
        "This is not a token.",
        {"pre": "byte_level", "size": 50, "special": "<|endoftext|>"},
        word="Hopefully",
        by_page={
            "wordpiece": {"size": 70, "special": "[PAD] [UNK] [CLS] [SEP] [MASK]"},
            "unigram": {"seed": 300, "size": 100},
        },
    ),
    "hug": Example(
        N_("hug, pug, pun, bun, hugs"),
        N_("Five words with their counts, small enough to follow with pencil and paper."),
        _file("hug.txt"),
        "bug mug thug unhug",
        {"pre": "whitespace_split"},
        counts=True,
        word="unhug",
        by_page={
            "wordpiece": {"pre": "whitespace_split"},
            "unigram": {"pre": "whitespace_split", "whole": False, "seed": 15, "size": 7},
            "compare": {"pre": "whitespace_split"},
        },
    ),
    "highest": Example(
        N_("highest, higher, lower …"),
        N_("Six words with two endings, “est” and “er”."),
        _file("highest.txt"),
        "lowest slower",
        {"pre": "end_of_word", "size": 17},
        word="highest",
        by_page={
            "unigram": {"pre": "whitespace_split", "seed": 60, "size": 20},
            "compare": {"pre": "whitespace_split"},
        },
    ),
    "hello": Example(
        N_("hello! こんにちは!"),
        N_("A greeting in two scripts, too short for any pair to be frequent."),
        _file("hello.txt"),
        "hello, こんばんは!",
        {"pre": "byte_level", "alphabet": "bytes"},
        word="こんにちは!",
        by_page={"unigram": {"seed": 40, "size": 20}},
    ),
    "mixed": Example(
        N_("Many scripts and emoji"),
        N_("Eleven lines in a dozen languages, written for this page."),
        _file("mixed.txt"),
        "A tea shop: お茶 🍵",
        {"pre": "byte_level", "size": 300, "min": 2},
        by_page={"wordpiece": {"size": 400, "min": 2}, "unigram": {"seed": 800, "size": 300}},
    ),
    "phrases": Example(
        N_("Phrases that recur"),
        N_("Sentences of our own in which phrases recur: for tokens that bridge spaces."),
        _file("phrases.txt"),
        "By the way, the boat is in the middle of the lake.",
        {"kind": "superbpe", "pre": "byte_level", "size": 220, "transition": 190, "min": 2},
        word="the",
        by_page={"wordpiece": {"size": 150}, "unigram": {"seed": 400, "size": 150}, "compare": {"size": 150}},
    ),
    "scaffolding": Example(
        N_("Long words that recur"),
        N_("Sentences of our own with long words that recur: their beginnings are tokens only on the way."),
        _file("scaffolding.txt"),
        "The lighthouse keeper reads the newest newspaper.",
        {"kind": "pickybpe", "threshold": "0.6", "pre": "byte_level", "size": 90, "min": 2},
        by_page={"wordpiece": {"size": 150}, "unigram": {"seed": 400, "size": 150}, "compare": {"size": 150}},
    ),
    "parallel": Example(
        N_("Forty lines in six languages"),
        N_(
            "The same forty lines in six languages and four scripts, written for this app: to see which language is served worst."
        ),
        table_of_lines,
        "The bread is still warm.",
        {"kind": "paritybpe", "pre": "whitespace_split_metaspace", "size": 500},
        by_page={
            "wordpiece": {"size": 700},
            "unigram": {"seed": 2_000, "size": 700},
            "compare": {"size": 700},
        },
    ),
    "python": Example(
        N_("Python code"),
        N_("Functions from the standard library of the Python that runs this page."),
        python_code,
        "def merge(first, second):\n    return first + second",
        {"pre": "byte_level", "size": 300, "lines": False},
        by_page={
            "wordpiece": {"size": 300, "lines": False},
            "unigram": {"pre": "whitespace_split_metaspace", "seed": 1000, "size": 300, "lines": False},
            "compare": {"size": 400, "lines": False},
        },
    ),
    "library": Example(
        N_("Prose, code, many scripts"),
        N_("Four sentences, many scripts, Python code and help pages: large enough for a useful tokenizer."),
        library,
        "The tokenizer splits unfamiliar words into familiar pieces.",
        LARGE,
        by_page=LARGE_BY_PAGE,
    ),
    "prose": Example(
        N_("English prose"),
        N_("The running text of Python's help pages, without their code."),
        prose,
        "The tokenizer splits unfamiliar words into familiar pieces.",
        LARGE,
        by_page=LARGE_BY_PAGE,
    ),
    "modules": Example(
        N_("Python modules"),
        N_("Whole modules of the standard library of the Python that runs this page."),
        python_modules,
        "def half(number):\n    return number / 2",
        LARGE,
        by_page=LARGE_BY_PAGE,
    ),
}


class CorpusError(TokenizersCoreError):
    """A corpus too large for training. `why` is a key of `templates`.

    >>> print(CorpusError("words", 3_000_000))
    The corpus's different words have 3,000,000 symbols in total, but the limit is 2,500,000: use a shorter text, or word counts
    without the rare words.
    """  # noqa: W505

    templates: ClassVar[Mapping[str, str]] = {
        "word": N_(
            "The corpus has a word of {size} symbols, {word}, but the limit is {limit}: add spaces or line "
            "breaks to it, or choose rules that split the text in more places."
        ),
        "words": N_(
            "The corpus's different words have {size} symbols in total, but the limit is {limit}: use a "
            "shorter text, or word counts without the rare words."
        ),
        "counts": N_(
            "The corpus's words, each as often as it occurs, have {size} symbols in total, but the limit is "
            "{limit}: divide all counts by the same number."
        ),
    }

    def __init__(self, why: str, size: int, word: str = "") -> None:
        self.why, self.size, self.word = why, size, word
        self.template = self.templates[why]
        limits = {"word": WORD_LIMIT, "words": CORPUS_LIMIT, "counts": SYMBOLS_LIMIT}
        super().__init__(size=count(size), limit=count(limits[why]), word=quoted(word, 20))


def within_limits(corpus: Corpus) -> Corpus:
    """The corpus, if a server can train on it. Raises CorpusError."""
    longest = max(corpus.words, key=len)
    if len(longest) > WORD_LIMIT:
        raise CorpusError("word", len(longest), longest)
    size = sum(map(len, corpus.words))
    if size > CORPUS_LIMIT:
        raise CorpusError("words", size)
    total = sum(map(operator.mul, map(len, corpus.words), corpus.counts))
    if total > SYMBOLS_LIMIT:
        raise CorpusError("counts", total)
    return corpus


@dataclass(frozen=True)
class Source:
    """The source of a corpus: an example's or the learner's text, or the bytes of a file."""

    name: str
    data: bytes
    counts: bool = False
    """Whether the text is word counts."""
    lines: bool = True
    """Whether each line is a text of its own."""
    texts: bool = False
    """Whether the corpus knows its texts, as some kinds of BPE need."""
    recount: tuple[tuple[str, int], ...] = ()
    """Words with counts to change after reading: 0 leaves a word out."""

    def corpus(self, pipeline: Pipeline, progress: Callable[[int], None] | None = None) -> Corpus:
        """Read it. Raises CorpusError, and the engine's errors for unreadable texts and counts."""
        result = self._read(pipeline, progress)
        for word, number in self.recount:
            result = with_count(result, word, number)
        return within_limits(result)

    def _read(self, pipeline: Pipeline, progress: Callable[[int], None] | None) -> Corpus:
        counted_by = self.counted_by(pipeline.timeout)
        if counted_by is not None:
            if counted_by.rules != pipeline.rules:
                raise CountedRulesError(counted_by.rules)
            return read_counts(decode_text(self.data).text, pipeline.timeout, progress).corpus
        rules = (pipeline.normalizer, pipeline.pre_tokenizer, pipeline.pattern, pipeline.timeout)
        stored, cuts = pipeline.user_defined_symbols, pipeline.cuts
        if self.counts:
            counts = parse_counts(decode_text(self.data).text)
            return Corpus.from_counts(counts, *rules, user_defined_symbols=stored, cuts=cuts)
        if self.lines and not self.texts:
            return Corpus.from_bytes(
                self.data, *rules, progress=progress, user_defined_symbols=stored, cuts=cuts
            )
        texts = self._texts()
        return Corpus.from_texts(texts, *rules, progress=progress, user_defined_symbols=stored, cuts=cuts)

    def _texts(self) -> list[str]:
        """The separate texts, each cut into words by itself."""
        if self.lines:
            return [line.text for line in read_lines(io.BytesIO(self.data))]
        return [decode_text(self.data).text]

    @property
    def is_counted(self) -> bool:
        """Whether it is a file of word counts with the rules of their counting."""
        return self.counts and is_counts(self.data)

    def counted_by(self, timeout: float = 2.0) -> Pipeline | None:
        """Those rules, None without them. Raises the errors of `counting_rules`."""
        return counting_rules(self.data, timeout) if self.is_counted else None


def plain_text(text: str | None) -> str:
    """A text box's text, with halves of UTF-16 pairs replaced, as UTF-8 can't hold them."""
    return (text or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


PACKED: Final = re.compile(r"eN[opqr][\w-]*=*", re.ASCII)
"""zlib's output at its highest level begins with two bytes, 78 DA: hence the first letters in base64."""


@bounded(PACKED_ROOM, text_bytes)
def pack_text(text: str) -> str | None:
    """A text, compressed for a link; None if it is too long for one.

    >>> unpack_text(pack_text("hug pug")), pack_text("".join(map(chr, range(33, 50000))))
    ('hug pug', None)
    """
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8"), 9)).decode().rstrip("=")
    return packed if len(packed) <= LINK_LIMIT else None


def is_packed(text: str) -> bool:
    """Whether a link's text looks compressed: all results of `pack_text` begin alike. Any other text was
    typed by hand.

    >>> (
    ...     is_packed(pack_text("hug pug")),
    ...     is_packed("eNoLz"),
    ...     is_packed("hello there"),
    ...     is_packed("eNo, thanks"),
    ... )
    (True, True, False, False)
    """
    return PACKED.fullmatch(text) is not None


def unpack_text(packed: str | None) -> str | None:
    """The text of a link; None if it is not one of ours.

    >>> unpack_text("nonsense") is None
    True
    """
    if not packed:
        return None
    try:
        data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        stream = zlib.decompressobj()
        opened = stream.decompress(data, LINK_TEXT_LIMIT + 1)  # bounded: a link can hold a bomb
        whole = stream.eof and len(opened) <= LINK_TEXT_LIMIT  # not a truncated link
        return opened.decode("utf-8") if whole else None
    except (binascii.Error, zlib.error, ValueError):
        return None
