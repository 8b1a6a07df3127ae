"""Words of a text to ask about, and a word's splits: as people write them, and in a vocabulary's tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import SYMBOL_TO_BYTE, bytes_to_symbols, symbols_to_bytes
from tokenizers_core.text.patterns import PATTERNS, regex
from tokenizers_core.text.spans import Span
from tokensteps.catalogue.why import WordStory
from tokensteps.limits import WHY_LIMIT, WHY_LISTED
from tokensteps.teaching.splitting import readings

BETWEEN: Final = " · "
"""Between the pieces of a split offered by the page."""
SPLITS_OFFERED: Final = 12
_WORD: Final = regex.compile(PATTERNS["gpt2"])


def words_in(text: str, spaced: bool) -> dict[str, Span]:
    """The different words of a text with the place of each one's first occurrence; `spaced`: with the space
    before it.

    >>> words_in("the pug, the", spaced=True)
    {'the': (0, 3), ' pug': (3, 7), ',': (7, 8), ' the': (8, 12)}
    """
    results: dict[str, Span] = {}
    for match in _WORD.finditer(text):
        start, end = match.span()
        start += 0 if spaced else len(match[0]) - len(match[0].lstrip())
        if match[0].strip() and end - start <= WHY_LIMIT:
            results.setdefault(text[start:end], (start, end))
        if len(results) == WHY_LISTED:
            break
    return results


def costliest(words: dict[str, Span], offsets: Sequence[Span]) -> str:
    """The word with the most tokens, the first of several; "" without words.

    A word of single-character tokens, such as a number split into digits, comes last: there is no step to
    see.
    """
    starts = sorted(start for start, _end in offsets)

    def rank(word: str) -> tuple[bool, int]:
        start, end = words[word]
        tokens = bisect_left(starts, end) - bisect_left(starts, start)
        return tokens != end - start, tokens

    return max(words, key=rank, default="")


def word_at(words: dict[str, Span], text: str, start: int, end: int) -> str:
    """The word around a stretch of the text, or else the stretch itself."""
    around = (word for word, (first, last) in words.items() if first <= start and end <= last)
    written = next(around, None)
    if written is None:  # a later occurrence of a word: look in the text
        for match in _WORD.finditer(text, max(0, start - WHY_LIMIT), end + WHY_LIMIT):
            if match.start() <= start and end <= match.end():
                written = match[0] if match[0] in words else match[0].strip()
                break
    return written or text[start:end]


@dataclass(frozen=True)
class Cuttable:
    """A word as people cut it: in typeable characters, with the model's symbols between them known."""

    story: WordStory
    byte_level: bool

    @cached_property
    def text(self) -> str:
        """The word's text, with a suffix if that is a symbol of its own."""
        story = self.story
        if self.in_bytes:
            return symbols_to_bytes(story.word).decode("utf-8", "replace")
        return story.word + ("" if story.joined else story.suffix)

    @property
    def in_bytes(self) -> bool:
        """Whether a character may have several symbols."""
        return self.byte_level and SYMBOL_TO_BYTE.keys() >= {*self.story.word}

    @property
    def shown(self) -> str:
        """The same with visible spaces."""
        return self.text.replace(" ", "␣")

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """The tokenizer's cuts, in characters: only cuts between characters."""
        width = [len(character.encode()) if self.in_bytes else 1 for character in self.text]
        positions = {sum(width[:at]): at for at in range(1, len(width))}
        return tuple(dict.fromkeys(positions[end] for end in self.story.ends[:-1] if end in positions))

    def pieces(self, cuts: Sequence[int]) -> tuple[str, ...]:
        """The word's text, cut at these places."""
        return tuple(self.text[start:end] for start, end in pairwise((0, *cuts, len(self.text))))

    def tokens(self, pieces: Sequence[str]) -> tuple[str, ...]:
        """Pieces of the text in the vocabulary's form."""
        story = self.story
        written = [bytes_to_symbols(piece.encode()) if self.in_bytes else piece for piece in pieces]
        inside = [story.prefix + piece if index else piece for index, piece in enumerate(written)]
        if story.joined and inside:
            inside[-1] += story.suffix
        return tuple(inside)

    def read(self, typed: str) -> tuple[str, ...]:
        """The tokens of a typed split; () if it doesn't make the word."""
        suffix = self.story.suffix if self.story.joined else ""
        result = readings(typed.strip().removesuffix(suffix), self.shown, self.story.prefix)
        if not result:
            return ()
        ends = [0]
        for piece in result[0]:
            ends.append(ends[-1] + len(piece))
        return self.tokens([self.text[start:end] for start, end in pairwise(ends)])

    def offered(self, known: Collection[str]) -> list[str]:
        """Splits near the tokenizer's own, in the form for typing: the whole word, one cut fewer, one cut
        moved, every character apart.

        After the whole word come splits with only `known` tokens: their obstacle is more than a vocabulary.
        """
        cuts, size = self.cuts, len(self.text)
        near = [(*cuts[:at], *cuts[at + 1 :]) for at in range(len(cuts))]
        for at, cut in enumerate(cuts):
            near += [(*cuts[:at], cut + by, *cuts[at + 1 :]) for by in (-1, 1)]
        near += [(at,) for at in range(1, size)] if not cuts else []
        near = [one for one in near if [*one] == sorted({*one} - {0, size})]
        lacking = {one: not all(token in known for token in self.tokens(self.pieces(one))) for one in near}
        splits = [(), *sorted(near, key=lacking.__getitem__)[: SPLITS_OFFERED - 2], tuple(range(1, size))]
        return [self.written(one) for one in dict.fromkeys(splits) if one != cuts]

    def written(self, cuts: Sequence[int]) -> str:
        """A split in the form for typing."""
        return BETWEEN.join(piece.replace(" ", "␣") for piece in self.pieces(cuts))
