r"""Tokens' positions in a text, and comparison of several tokenizations of one text.

A token has an offset: its stretch of text. Offsets may share characters, leave some out, be empty or go
backwards; `cover` turns them into consecutive stretches, ready to draw, from the text's first character to
its last. On these, `word_costs` counts tokens by word, and `align` and `boundary_agreement` compare.

Positions and lengths are in characters (code points), unless another unit is named. White space is Unicode's,
the `\s` of the pre-tokenizers.
"""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, combinations, count
from operator import le, lt
from typing import Final, NamedTuple

from tokenizers_core.errors import Phrase, SettingError
from tokenizers_core.text.patterns import regex
from tokenizers_core.text.pipeline import refuse_surrogates
from tokenizers_core.text.spans import Span

WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Every character of white space. `str.split` and `re` would count four control characters too."""

_WORD: Final = re.compile(f"[^{WHITE_SPACE}]+")


# --- One tokenization ---------------------------------------------------------------------------------------


class Stretch(NamedTuple):
    """A stretch of text, and its tokens: from `first` up to, but not including, `last`."""

    start: int
    end: int
    first: int
    last: int


def cover(length: int, offsets: Sequence[Span]) -> list[Stretch]:
    """The stretches of a text of `length` characters, given its tokens' offsets: in order, without gap or
    overlap.

    Each token is in one stretch, in order, and a stretch is as short as that allows: tokens that share
    characters (the bytes of an emoji, the f and the i made of `ﬁ` by a normalizer) share a stretch, and so do
    tokens with backward offsets, with all between them. Text without a token is a stretch with first == last.

    A token with start == end has no text ([CLS], a lone ▁) and gets an empty stretch: where its offset is, or
    as near to it as the order of the tokens allows, since [SEP] often says (0, 0). Raises SettingError for
    offsets outside the text.

    >>> cover(9, [(0, 0), (0, 3), (4, 8), (8, 9), (8, 9)])  # [CLS] One fish 🐟 in two tokens
    [Stretch(start=0, end=0, first=0, last=1), Stretch(start=0, end=3, first=1, last=2),
     Stretch(start=3, end=4, first=2, last=2), Stretch(start=4, end=8, first=2, last=3),
     Stretch(start=8, end=9, first=3, last=5)]
    """
    starts, ends = [start for start, _ in offsets], [end for _, end in offsets]
    if [0, *ends] == [*starts, length] and all(map(lt, starts, ends)):  # as byte-level tokens often are
        columns = zip(starts, ends, count(), count(1))
    else:
        _refuse_offsets_outside(length, starts, ends)
        borders, firsts = _borders(length, starts, ends)
        columns = zip(borders, [*borders[1:], length], firsts, [*firsts[1:], len(offsets)], strict=True)
    with no_collecting():
        return list(map(Stretch._make, columns))


def _refuse_offsets_outside(length: int, starts: Sequence[int], ends: Sequence[int]) -> None:
    """Raise SettingError for the first impossible offset in a text of so many characters."""
    if min(starts, default=0) >= 0 and max(ends, default=0) <= length and all(map(le, starts, ends)):
        return
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if not 0 <= start <= end <= length:
            raise SettingError(
                name="offsets",
                value=[(start, end)],
                reason=Phrase(
                    "token {index} is not within a text of length {length}; "
                    "give the text that the tokens were made from, and offsets in characters",
                    index=index,
                    length=length,
                ),
            )


def _borders(length: int, starts: list[int], ends: list[int]) -> tuple[list[int], list[int]]:
    """The start of each stretch, and the first token not before it.

    Two neighbours can be separated if all text of the tokens up to there ends before any text of the others
    begins.
    """
    if starts == sorted(starts) and ends == sorted(ends):
        before, after = [0, *ends], starts
    else:  # tokens without text don't matter
        with_text = [start < end for start, end in zip(starts, ends, strict=True)]
        befores = [end if keep else 0 for end, keep in zip(ends, with_text, strict=True)]
        afters = [start if keep else length for start, keep in zip(starts, with_text, strict=True)]
        before = list(accumulate(befores, max, initial=0))
        after = list(accumulate(reversed(afters), min))[::-1]
    borders: list[int] = []
    firsts: list[int] = []
    reached = 0
    for index, (start, earlier, later) in enumerate(zip(starts, before, after, strict=False)):
        if earlier > later:
            continue  # can't be separated from the token before
        if earlier > reached:
            reached = earlier
        if start < reached:  # min and max would take twice the time
            start = reached
        if start > later:
            start = later
        if start > reached:  # a gap
            borders.append(reached)
            firsts.append(index)
        borders.append(start)
        firsts.append(index)
        reached = start
    reached = max(reached, before[-1])
    if reached < length:
        borders.append(reached)
        firsts.append(len(starts))
    return borders, firsts


@contextmanager
def no_collecting() -> Iterator[None]:
    """A pause for the garbage collector while many small tuples are made and kept.

    There is no garbage among them, and searching for it again and again takes longer than making them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# --- Text by itself -----------------------------------------------------------------------------------------


class TextCounts(NamedTuple):
    """The length of a text in several units."""

    characters: int
    """Code points, as Python's `len` counts."""
    graphemes: int
    r"""Characters as readers see them: Unicode's extended grapheme clusters, the `\X` of patterns."""
    words: int
    """Stretches without white space, as long as possible: few where a script has no spaces, as in Chinese or
    Thai."""
    bytes: int
    """In UTF-8."""


def count_text(text: str) -> TextCounts:
    """The length of a text in four units. Raises SurrogateError.

    >>> count_text("👨‍👩‍👧 été")
    TextCounts(characters=9, graphemes=5, words=2, bytes=24)
    """
    refuse_surrogates(text)
    return TextCounts(len(text), _graphemes(text), len(_WORD.findall(text)), len(text.encode()))


_JOINING: Final = regex.compile(
    r"[\r\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=Prepend}\p{GCB=Regional_Indicator}"
    r"\p{GCB=L}\p{GCB=V}\p{GCB=T}\p{InCB=Linker}]"
)
r"""The characters in clusters of several: between two others Unicode's rules GB1 to GB999 always break.

`\n` isn't one, but `\r` is: they have to be in the only cluster with a control character, `\r\n`.
"""


def _graphemes(text: str) -> int:
    r"""The number of grapheme clusters.

    `\X` reads only the stretches with joining characters, and each different one once. They include the
    neighbours on both sides, and so begin and end between two characters that don't join.
    """
    if text.isascii():
        return len(text) - text.count("\r\n")
    joining = re.escape("".join(_JOINING.findall("".join(set(text)))))
    if not joining:
        return len(text)
    stretches = re.findall(f"[^{joining}]?[{joining}]++(?:[^{joining}][{joining}]++)*+[^{joining}]?", text)
    joined = 0
    for stretch, occurrences in Counter(stretches).items():
        joined += occurrences * (len(stretch) - len(regex.findall(r"\X", stretch)))
    return len(text) - joined


class WordCost(NamedTuple):
    """A word, and how many tokens all its occurrences took together."""

    word: str
    occurrences: int
    tokens: int


def word_costs(text: str, stretches: Sequence[Stretch]) -> list[WordCost]:
    """The different words of a text (stretches without white space) as they first appear, with their tokens.

    The tokens of a stretch count for the word of its first character other than white space, so `Ġthe` counts
    for `the`; tokens of pure white space or without text count for no word.

    >>> text = "to be or to"  # to, Ġb, e, Ġ, or Ġto
    >>> word_costs(text, cover(len(text), [(0, 2), (2, 4), (4, 5), (5, 6), (6, 11)]))
    [WordCost(word='to', occurrences=2, tokens=1), WordCost(word='be', occurrences=1, tokens=2),
     WordCost(word='or', occurrences=1, tokens=1)]
    """
    occurrences: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    for word, positions in tokens_of_words(text, stretches):
        occurrences[word] += 1
        tokens[word] += len(positions)
    return [WordCost(word, count, tokens[word]) for word, count in occurrences.items()]


def tokens_of_words(text: str, stretches: Sequence[Stretch]) -> Iterator[tuple[str, list[int]]]:
    """Each word of a text with the places of its tokens, as `word_costs` counts them.

    >>> list(tokens_of_words("to be", cover(5, [(0, 2), (2, 4), (4, 5)])))
    [('to', [0]), ('be', [1, 2])]
    """
    with_text = (stretch for stretch in stretches if stretch.start < stretch.end)
    stretch = next(with_text, None)
    for match in _WORD.finditer(text):
        begin, end = match.span()
        positions: list[int] = []
        while stretch and stretch.start < end:
            if stretch.end > begin:
                positions += range(stretch.first, stretch.last)
            stretch = next(with_text, None)
        yield match.group(), positions


# --- Several tokenizations of one text ----------------------------------------------------------------------


class Block(NamedTuple):
    """A stretch of text between two places where all tokenizations have a border."""

    start: int
    end: int
    parts: tuple[range, ...]
    """For each tokenization, the indices of its stretches in the block."""
    agree: bool
    """Whether all of them cut it in the same way, apart from white space."""


def align(
    text: str,
    covers: Sequence[Sequence[Stretch]],
    limit: int | None = None,
    unknown: Sequence[Collection[int]] = (),
) -> list[Block]:
    """A text in the shortest blocks with borders between stretches in every tokenization.

    Tokenizations agree on a block if their tokens cover the same stretches of it once white space is trimmed
    off both ends: `the` and `Ġthe` are no disagreement. Tokens without text never disagree; they belong to
    the block that begins at their position, or to the last one. An empty text is one empty block if it has
    such tokens. `unknown` are, by cover, the indices of stretches of unknown text: these never agree.

    With `limit`, only the blocks that begin within the first `limit` characters. Raises SettingError for no
    covers at all, or one of another text.

    >>> text = "the cat"
    >>> bert, gpt = cover(7, [(0, 3), (4, 7)]), cover(7, [(0, 3), (3, 5), (5, 7)])  # the cat, the Ġc at
    >>> align(text, [bert, gpt])
    [Block(start=0, end=3, parts=(range(0, 1), range(0, 1)), agree=True),
     Block(start=3, end=7, parts=(range(1, 3), range(1, 3)), agree=False)]
    """
    _refuse_covers_of_another_text(text, covers)
    if not text:
        parts = tuple(range(len(stretches)) for stretches in covers)
        return [Block(0, 0, parts, True)] if any(parts) and limit != 0 else []
    blocks: list[Block] = []
    start, firsts = 0, [0] * len(covers)
    with no_collecting():
        while start < len(text) and (limit is None or start < limit):
            end, lasts = _next_border(covers, firsts)
            if end == len(text):
                lasts = [len(stretches) for stretches in covers]
            parts = tuple(map(range, firsts, lasts))
            known = not any(map(_meet, unknown, parts))
            blocks.append(Block(start, end, parts, known and _agree(text, covers, parts)))
            start, firsts = end, lasts
    return blocks


def _meet(unknown: Collection[int], part: range) -> bool:
    """Whether a part of a cover has an unknown stretch."""
    return bool(unknown) and any(index in unknown for index in part)


def _refuse_covers_of_another_text(text: str, covers: Sequence[Sequence[Stretch]]) -> None:
    """Raise SettingError unless each cover is one of a text of this length, and there is one."""
    if not covers:
        raise SettingError(name="covers", value=[], reason="there is none to compare; give at least one")
    for index, stretches in enumerate(covers):
        length = stretches[-1].end if stretches else 0
        if length != len(text):
            raise SettingError(
                name="covers",
                value=text,
                reason=Phrase(
                    "cover {index} is of a text of length {length}, not {wanted}; "
                    "give the text that all tokenizations are of",
                    index=index,
                    length=length,
                    wanted=len(text),
                ),
            )


def _next_border(covers: Sequence[Sequence[Stretch]], firsts: Sequence[int]) -> tuple[int, list[int]]:
    """The next common border of all tokenizations, and the stretches that begin there.

    `firsts` are the stretches that begin at the previous border. The tokenizations that are behind catch up
    with the others.
    """
    at = list(firsts)
    end = covers[0][at[0]].start + 1
    behind = True
    while behind:
        behind = False
        for position, stretches in enumerate(covers):
            index = at[position]
            while stretches[index].end < end:
                index += 1
            at[position] = index
            if stretches[index].end > end:
                end = stretches[index].end
                behind = True
    return end, [index + 1 for index in at]


def _agree(text: str, covers: Sequence[Sequence[Stretch]], parts: Sequence[range]) -> bool:
    """Whether the tokens in these parts of the covers have the same stretches of text, apart from white
    space."""
    spans = None
    for stretches, part in zip(covers, parts, strict=True):
        trimmed = _trimmed(text, stretches[part.start : part.stop])
        if spans is None:
            spans = trimmed
        elif trimmed != spans:
            return False
    return True


def _trimmed(text: str, stretches: Sequence[Stretch]) -> list[Span]:
    """The stretches with tokens and more than white space, without the white space at both ends.

    >>> _trimmed("a  bc ", cover(6, [(0, 1), (2, 4), (4, 6)]))
    [(0, 1), (3, 4), (4, 5)]
    """
    spans: list[Span] = []
    for start, end, first, last in stretches:
        if first == last:
            continue
        while start < end and text[start] in WHITE_SPACE:
            start += 1
        while start < end and text[end - 1] in WHITE_SPACE:
            end -= 1
        if start < end:
            spans.append((start, end))
    return spans


def boundary_agreement(
    text: str, covers: Sequence[Sequence[Stretch]], unknown: Sequence[Collection[int]] = ()
) -> list[list[float]]:
    """For each pair of tokenizations, their agreement on the cuts of a text: 0.0 never, 1.0 always.

    The figure is the Jaccard overlap: places where tokens of both begin, over places where tokens of either
    do. White space is trimmed off the tokens first, and the first token's start doesn't count. It's 1.0 when
    neither cuts. `unknown` are, by cover, the indices of stretches of unknown text: their starts are never
    shared. The table is symmetric. Raises SettingError for a cover of another text.

    >>> bert, gpt = cover(7, [(0, 3), (4, 7)]), cover(7, [(0, 3), (3, 5), (5, 7)])  # the cat, the Ġc at
    >>> boundary_agreement("the cat", [bert, gpt])
    [[1.0, 0.5], [0.5, 1.0]]
    >>> boundary_agreement("the cat", [bert, gpt], unknown=[{2}, ()])  # the [UNK]
    [[1.0, 0.0], [0.0, 1.0]]
    """
    _refuse_covers_of_another_text(text, covers)
    with no_collecting():
        cuts = [{start for start, _ in _trimmed(text, stretches)[1:]} for stretches in covers]
        lost = [
            {start for start, _ in _trimmed(text, [stretches[index] for index in positions])}
            for stretches, positions in zip(covers, unknown or [()] * len(covers), strict=True)
        ]
    table = [[1.0] * len(covers) for _ in covers]
    for one, other in combinations(range(len(covers)), 2):
        shared = len((cuts[one] & cuts[other]) - lost[one] - lost[other])
        either = len(cuts[one] | cuts[other])
        table[one][other] = table[other][one] = shared / either if either else 1.0
    return table
