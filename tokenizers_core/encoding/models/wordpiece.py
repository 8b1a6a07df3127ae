"""WordPiece at work: longest match first, as in BERT (Devlin et al., 2019)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal

from tokenizers_core.encoding import dropout
from tokenizers_core.encoding.cuts.steps import Drawn
from tokenizers_core.encoding.dropout import Choices, refuse_bad_dropout
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.pairs import split_word
from tokenizers_core.encoding.reasons import Reason, why_not_matched
from tokenizers_core.encoding.vocabulary import Vocabulary
from tokenizers_core.trace import StoredTrace

PREFIX = "##"
"""The continuation prefix."""
MAX_CHARACTERS = 100
"""A longer word is unknown as a whole, as in BERT (there `max_input_chars_per_word`)."""
TRIES_EXPLAINED = 400
"""How many substrings `explain` tries before it stops and says so."""


@dataclass(frozen=True)
class MatchEvent:
    """One substring tried: whether the vocabulary has it."""

    start: int
    end: int
    """The substring's place in the word, in characters."""
    piece: str
    """The substring as the vocabulary writes it, with the prefix inside the word."""
    found: bool
    kind: ClassVar[Literal["match"]] = "match"


@dataclass(frozen=True)
class BeginEvent:
    """Nothing has been tried yet."""

    word: str
    kind: ClassVar[Literal["begin"]] = "begin"


@dataclass(frozen=True)
class UnknownEvent:
    """The word is unknown as a whole: too long, or with a remainder without a matching token."""

    word: str
    too_long: bool
    kind: ClassVar[Literal["unknown"]] = "unknown"


TryEvent = BeginEvent | MatchEvent | UnknownEvent


@dataclass(frozen=True)
class MatchSnapshot:
    """A word while its longest tokens are looked for, after `step` tries."""

    step: int
    event: TryEvent
    tokens: tuple[str, ...]
    """The tokens so far."""
    rest: str
    """The characters not yet spelled."""


class WordPieceModel(Model):
    """A vocabulary, ready to encode words: it takes the longest token at the start of the rest of the word,
    again and again."""

    way = "longest_prefix"

    def __init__(
        self,
        tokens: Sequence[str],
        unk_token: str = "[UNK]",
        max_characters: int = MAX_CHARACTERS,
        prefix: str = PREFIX,
        added_only: Collection[str] = (),
    ) -> None:
        super().__init__()
        self.vocabulary = Vocabulary(tokens, prefix)
        self.added_only = frozenset(added_only)
        self.known = self.own_ids()
        self.unk_token = unk_token
        self.max_characters = max_characters

    def split(self, word: str) -> tuple[str, ...]:
        """The word's characters, with the prefix inside the word."""
        return split_word(word, self.vocabulary.prefix)

    def spell(self, word: str) -> Iterable[int]:
        """The ids of a word's tokens; the unknown token's alone when the word can't be spelled."""
        return map(self.vocabulary.ids.__getitem__, self.longest_matches(word))

    def longest_matches(self, word: str) -> list[str]:
        """The word's tokens, longest match first."""
        if len(word) > self.max_characters:
            return [self.unk_token]
        pieces: list[str] = []
        start = 0
        while start < len(word):
            end = next((end for end, piece in self.tries(word, start) if piece in self.known), None)
            if end is None:
                return [self.unk_token]
            pieces.append(self.piece(word, start, end))
            start = end
        return pieces

    def tries(self, word: str, start: int) -> Iterator[tuple[int, str]]:
        """The substrings from `start` on, longest first, each with its end.

        >>> list(WordPieceModel([]).tries("hug", 1))
        [(3, '##ug'), (2, '##u')]
        """
        return ((end, self.piece(word, start, end)) for end in range(len(word), start, -1))

    def piece(self, word: str, start: int, end: int) -> str:
        """A substring as the vocabulary writes it."""
        return (self.vocabulary.prefix if start else "") + word[start:end]

    def choices(self, pieces: tuple[str, ...], word: str) -> Choices[tuple[str, ...]]:
        """MaxMatch-dropout's choices after some of a word's tokens: the longer matches, or else the single
        character."""
        start = sum(map(len, pieces)) - len(self.vocabulary.prefix) * max(0, len(pieces) - 1)
        if start >= len(word) or pieces == (self.unk_token,):
            return Choices([])
        *longer, (_end, shortest) = self.tries(word, start)
        known = self.known
        single = (*pieces, shortest) if shortest in known else (self.unk_token,)
        return Choices([(*pieces, piece) for _end, piece in longer if piece in known], single)

    def sample(self, word: str, amount: float, random: Random) -> tuple[str, ...]:
        """One split by MaxMatch-dropout: every match of more than one character drops out with probability
        `amount`. Raises SettingError.

        If a single character is then no token, the word is unknown.

        >>> model = WordPieceModel(["h", "hu", "hug", "##u", "##g"])
        >>> [model.sample("hug", 0.5, Random(seed)) for seed in (1, 2, 4)]
        [('hu', '##g'), ('hug',), ('h', '##u', '##g')]
        """
        refuse_bad_dropout(amount)
        if len(word) > self.max_characters:
            return (self.unk_token,)
        return dropout.sample((), lambda pieces: self.choices(pieces, word), amount, random)

    def sampling(self, word: str, amount: float, random: Random) -> Iterator[Drawn]:
        refuse_bad_dropout(amount)
        if len(word) > self.max_characters:
            return iter([Drawn(()), Drawn((self.unk_token,))])
        start: tuple[str, ...] = ()
        return dropout.drawn_tokens(
            dropout.walk(start, lambda pieces: self.choices(pieces, word), amount, random)
        )

    def distribution(self, word: str, amount: float) -> dict[tuple[str, ...], float] | None:
        """The exact probability of each split by MaxMatch-dropout. Raises SettingError.

        >>> WordPieceModel(["h", "hu", "hug", "##u", "##g"]).distribution("hug", 0.5)
        {('hug',): 0.5, ('hu', '##g'): 0.25, ('h', '##u', '##g'): 0.25}
        """
        refuse_bad_dropout(amount)
        if len(word) > self.max_characters:
            return {(self.unk_token,): 1.0}
        return dropout.distribution((), lambda pieces: self.choices(pieces, word), amount)

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        """What stopped WordPiece from splitting a word like this: see `why_not_matched`."""
        actual = tuple(self.longest_matches(word))
        return why_not_matched(word, tokens, actual, self.vocabulary, self.unk_token, self.max_characters)

    def explain(self, word: str) -> StoredTrace[MatchSnapshot]:
        """The encoding of a word, try by try."""
        snapshots = [MatchSnapshot(0, BeginEvent(word), (), word)]

        def add(event: TryEvent, tokens: tuple[str, ...], rest: str) -> None:
            snapshots.append(MatchSnapshot(len(snapshots), event, tokens, rest))

        if len(word) > self.max_characters:
            add(UnknownEvent(word, True), (self.unk_token,), "")
            return StoredTrace(word, tuple(snapshots), "too_long")
        tokens: tuple[str, ...] = ()
        start = 0
        while start < len(word):
            for end, piece in self.tries(word, start):
                if len(snapshots) > TRIES_EXPLAINED:
                    return StoredTrace(word, tuple(snapshots), "cut")
                result = piece in self.known
                tokens = (*tokens, piece) if result else tokens
                add(MatchEvent(start, end, piece, result), tokens, word[end if result else start :])
                if result:
                    start = end
                    break
            else:
                add(UnknownEvent(word, False), (self.unk_token,), "")
                return StoredTrace(word, tuple(snapshots), "unknown")
        return StoredTrace(word, tuple(snapshots), "spelled")
