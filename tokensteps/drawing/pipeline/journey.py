"""A text's stages before the model: each character after normalizing, and the pre-tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.text.normalizers import normalize
from tokenizers_core.text.spans import Span
from tokenizers_core.text.splitting import PreToken


class Placed(NamedTuple):
    """A text, and the `start` and `end` of its original characters."""

    text: str
    start: int
    end: int


class Journey(NamedTuple):
    """One text's stages before the model: the characters after normalizing, and the pre-tokens.

    Special tokens in the text are cut out first: they are pre-tokens, too, and no normalizer rewrites them.
    """

    text: str
    normalized: list[Placed]
    words: list[PreToken]

    @property
    def removed(self) -> list[int]:
        """The characters removed by normalizing."""
        return _uncovered(range(len(self.text)), [(one.start, one.end) for one in self.normalized])

    @property
    def rewritten(self) -> list[Placed]:
        """The replacements made by normalizing."""
        return [one for one in self.normalized if one.text != self.text[one.start : one.end]]

    @property
    def dropped(self) -> list[int]:
        """The characters outside all pre-tokens: white space, for most pre-tokenizers."""
        gone = {*self.removed}
        left = _uncovered(range(len(self.text)), [(word.start, word.end) for word in self.words])
        return [at for at in left if at not in gone]


def _uncovered(positions: range, spans: Sequence[Span]) -> list[int]:
    covered = {at for start, end in spans for at in range(start, end)}
    return [at for at in positions if at not in covered]


def journey(tokenizer: Tokenizer, text: str) -> Journey:
    """A text through the first two stages. Raises the errors of `Tokenizer.encode`.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> corpus = Corpus.from_texts(
    ...     ["un été"], normalizer="nfd_strip_accents", pre_tokenizer="whitespace_split"
    ... )
    >>> found = journey(train_bpe(corpus, merges=1).tokenizer(), "né e\\u0301")
    >>> [one.text for one in found.rewritten], found.removed, found.dropped
    (['e'], [4], [2])
    """
    pipeline = tokenizer.pipeline
    splitter = pipeline.splitter()
    normalized: list[Placed] = []
    words: list[PreToken] = []
    for segment in tokenizer.segments(text):
        end = segment.start + len(segment.text)
        if segment.special:
            normalized += [Placed(text[at], at, at + 1) for at in range(segment.start, end)]
            words.append(PreToken(segment.text, segment.start, end))
            continue
        written, spans = normalize(segment.text, pipeline.normalizer)
        normalized += [
            Placed(character, segment.start + first, segment.start + last)
            for character, (first, last) in zip(written, spans, strict=True)
        ]
        words += [
            PreToken(word.text, segment.start + word.start, segment.start + word.end)
            for word in pipeline.words(segment.text, splitter)
        ]
    return Journey(text, normalized, words)


def grouped(placed: Sequence[Placed]) -> list[tuple[int, int, list[Placed]]]:
    """Consecutive things in groups by shared characters: start, end, members. One without characters joins
    the group before it.

    >>> grouped([Placed("a", 0, 2), Placed("b", 1, 3), Placed("c", 3, 4), Placed("", 4, 4)])
    [(0, 3, [Placed(text='a', start=0, end=2), Placed(text='b', start=1, end=3)]), \
(3, 4, [Placed(text='c', start=3, end=4), Placed(text='', start=4, end=4)])]
    """
    groups: list[tuple[int, int, list[Placed]]] = []
    for one in placed:
        if groups and (one.start < groups[-1][1] or one.start == one.end):
            start, end, members = groups[-1]
            groups[-1] = (min(start, one.start), max(end, one.end), [*members, one])
            # A member that reaches back over several groups joins them.
            while len(groups) > 1 and groups[-1][0] < groups[-2][1]:
                start, end, members = groups.pop()
                before = groups[-1]
                groups[-1] = (min(before[0], start), max(before[1], end), [*before[2], *members])
        else:
            groups.append((one.start, one.end, [one]))
    return groups
