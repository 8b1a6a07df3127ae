"""Regular expressions: the published ones for cutting text into words, and learners' own, kept in check."""

from __future__ import annotations

import math
import re
import time
import warnings
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

import regex as regex  # the one import of it: another engine would come in here

from tokenizers_core.errors import PatternError, PatternTimeoutError, Phrase
from tokenizers_core.text.spans import Span

PATTERNS: Final[Mapping[str, str]] = {
    # A contraction; a space with letters, with digits or with other signs; whitespace without its last space,
    # which belongs to the next word. (Written as in tiktoken: the same matches as GPT-2's first form,
    # faster.)
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    # GPT-4: contractions in capitals too; a word takes any one sign in front; at most three digits; newlines
    # apart. (As first published. In today's tiktoken, whitespace at the end of a text is always one
    # pre-token.)
    "cl100k_base": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    # GPT-4o: a word also ends where a capital follows a small letter, includes its marks, and keeps its
    # contraction.
    "o200k_base": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    # Qwen 1 to 3: GPT-4's, but each digit apart.
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    # Mistral Nemo and Pixtral: GPT-4o's, but each digit apart, and contractions as other letters.
    "tekken": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    # DeepSeek V3 cuts three times: at numbers, at Chinese and Japanese, and then within the rest. This is the
    # same in one.
    "deepseek_v3": r"\p{N}{1,3}"
    r"|(?:(?=[一-龥぀-ヿ])[^\p{L}\p{P}\p{S}])?(?:(?=[一-龥぀-ヿ])[\p{L}\p{M}])+|(?:(?=[一-龥぀-ヿ])[\p{P}\p{S}])+"
    r"|(?:(?=[一-龥぀-ヿ])[^\p{L}\p{M}\p{P}\p{S}](?!(?=[一-龥぀-ヿ])[\p{L}\p{M}]))+"
    r"|[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
    r"|[^\r\n\p{L}\p{P}\p{S}\p{N}一-龥぀-ヿ]?(?:(?![一-龥぀-ヿ])[\p{L}\p{M}])+"
    r"| ?(?:(?![一-龥぀-ヿ])[\p{P}\p{S}])+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?![^\s\p{N}一-龥぀-ヿ])|\s+"
    r"|(?:[^\s\p{L}\p{M}\p{P}\p{S}\p{N}一-龥぀-ヿ](?!(?![一-龥぀-ヿ])[\p{L}\p{M}]))+",
}
"""The named patterns of `byte_level`. Source: OpenAI's GPT-2 and tiktoken, the files of the models named
above. Each matches all of a text."""

LONGEST_PATTERN: Final = 10_000
"""A regular expression with more characters is refused: compiling one can't be timed out."""
WRITTEN_OUT: Final = 2_000_000
"""The largest pattern, in characters times all its counts: `(?:a{1000}){1000}` is compiled to a million
parts.

`(?:(?:(?:a{1000}){1000}){1000}){1000}` would take all of a machine's memory before any of the time is over.
"""
_COUNT: Final = r"\{([0-9]{1,10})(?:,[0-9]*)?\}"
# Where white space means nothing, a count or a call could be hidden from the checks below.
_SPREAD_OUT: Final = r"\(\?[A-Za-z0-9-]*x"
# Takes a gigabyte before it fails, and cutting text into words never needs it: `(?R)`, `(?1)`, `(?&name)`,
# `(?P>name)`.
_RECURSION: Final = r"(?<!\\)(?:\\\\)*\(\?(?:R|[+-]?[0-9]|&|P>)"


@lru_cache(maxsize=64)
def compiled(pattern: str) -> regex.Pattern[str]:
    """Compile a regular expression, possibly a learner's. Raises PatternError."""
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(
            pattern=pattern, message=Phrase("it is longer than {limit} characters", limit=LONGEST_PATTERN)
        )
    if regex.search(_SPREAD_OUT, pattern):
        raise PatternError(pattern=pattern, message="it can't use the flag x: write it without spaces")
    if regex.search(_RECURSION, pattern):
        raise PatternError(pattern=pattern, message="it can't call itself or a group")
    if len(pattern) * math.prod(max(1, int(least)) for least in regex.findall(_COUNT, pattern)) > WRITTEN_OUT:
        raise PatternError(pattern=pattern, message="its repetition counts, multiplied, are too large")
    try:
        with warnings.catch_warnings():
            # An odd pattern still has a meaning, and its author can't see the server's console.
            warnings.simplefilter("ignore")
            return regex.compile(pattern)
    except regex.error as error:
        raise PatternError(pattern=pattern, message=error.msg, position=error.pos) from None
    except RecursionError:
        raise PatternError(pattern=pattern, message="its parentheses are nested too deeply") from None
    except (ValueError, OverflowError) as error:
        raise PatternError(pattern=pattern, message=str(error)) from None


_OF_CHARACTERS: Final = r"\\(?:p\{\w+\}|[sSwW])"
_CLASS_OR_SET: Final = rf"\[(?:\\.|[^\]\\])*\]|{_OF_CHARACTERS}"
_NOTHING: Final = r"^\s\S"
_SPACE_FIRST: Final = rf" \?({_CLASS_OR_SET})\+(?=\||$)"
_WORTHWHILE: Final = 50_000
"""From this many characters on, a twin for more than ASCII saves its own cost: 10 to 50 ms, once in a
process."""


def finder(pattern: str, text: str) -> regex.Pattern[str] | re.Pattern[str]:
    """The compiled form of a published pattern for `text`: for most texts its `twin`, about twice as fast."""
    if text.isascii():
        return twin(pattern, 0x7F)
    # UTF-16 writes the characters of the Basic Multilingual Plane, and no others, in two bytes.
    if len(text) >= _WORTHWHILE and len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text):
        return twin(pattern, 0xFFFF)
    return compiled(pattern)


@lru_cache(maxsize=64)
def twin(pattern: str, last: int) -> re.Pattern[str]:
    r"""A pattern of Python's own `re` with the same matches in text without characters above `last`.

    `re` is quicker than `regex`, but knows no `\p{L}`. So each class of characters is written out by means of
    `regex`; the rest of a published pattern means the same to both. An alternative with an optional space
    becomes two: where `re` knows an alternative's first character, it can skip it without trying. It ends
    with as many characters as there are (`++`): no later part would need fewer.

    >>> twin(r" ?\p{L}+|[^\p{N}\p{L}]", 0x7F).pattern
    '[A-Za-z][A-Za-z]*+| [A-Za-z]++|[^0-9A-Za-z]'
    """
    characters = "".join(map(chr, (*range(min(last + 1, 0xD800)), *range(0xE000, last + 1))))

    def members(match: re.Match[str]) -> str:
        runs = [run.group() for run in regex.compile(f"{match.group()}+").finditer(characters)]
        return "".join(re.escape(run[0]) + (f"-{re.escape(run[-1])}" if len(run) > 1 else "") for run in runs)

    def written_out(match: re.Match[str]) -> str:
        if match.group().startswith("["):
            return re.sub(_OF_CHARACTERS, members, match.group())
        return f"[{members(match) or _NOTHING}]"

    parted = re.sub(_SPACE_FIRST, r"\1\1*+| \1++", pattern)
    return re.compile(re.sub(_CLASS_OR_SET, written_out, parted))


def processor_seconds() -> float:
    """The processor's time for this thread; where it isn't counted, as in a browser, for the process."""
    return getattr(time, "thread_time", time.process_time)()


class Stopwatch:
    """The time left for a pattern of the user's own, over any number of texts: seconds of the processor, so
    that a busy machine accepts the same patterns as a quiet one.

    A context around the matching: gives the seconds left, and raises PatternTimeoutError where none are.
    """

    def __init__(self, pattern: str, seconds: float) -> None:
        self.pattern, self.seconds = pattern, seconds
        self._left = seconds

    def __enter__(self) -> float:
        if self._left <= 0:
            raise self.error()
        self._began = processor_seconds()
        return self._left

    def __exit__(self, *_: object) -> None:
        self._left -= processor_seconds() - self._began

    def error(self) -> PatternTimeoutError:
        return PatternTimeoutError(pattern=self.pattern, seconds=self.seconds)


def matches_in(text: str, pattern: str, stopwatch: Stopwatch) -> list[Span]:
    """Where a custom pattern matches, empty matches included, but none right behind another match (as in the
    library). Raises PatternTimeoutError, PatternError."""
    try:
        with stopwatch as seconds:
            matches = compiled(pattern).finditer(text, timeout=seconds, concurrent=True)
            spans = [match.span() for match in matches]
    except TimeoutError:
        raise stopwatch.error() from None
    except (MemoryError, RecursionError):
        raise PatternError(pattern=pattern, message="matching it takes too much memory") from None
    reached = (-1, *(end for _, end in spans))
    return [(start, end) for last, (start, end) in zip(reached, spans, strict=False) if end != last]


def cut_at(text: str, pattern: str, stopwatch: Stopwatch) -> list[Span]:
    """Cut a text at both ends of every match, so that the text between matches is kept, too.

    That is the library's `Split(pattern, behavior="isolated")`. An empty match is just a place to cut.
    """
    cuts = {0, len(text)}
    for span in matches_in(text, pattern, stopwatch):
        cuts.update(span)
    return list(pairwise(sorted(cuts)))
