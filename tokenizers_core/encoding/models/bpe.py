"""BPE's encoding: a word's symbols are merged in the learning order of the pairs."""

from __future__ import annotations

import heapq
import operator
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple

from tokenizers_core.encoding import dropout
from tokenizers_core.encoding.alignment import no_collecting
from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS, byte_token, join_bytes
from tokenizers_core.encoding.cuts.steps import Drawn
from tokenizers_core.encoding.dropout import Choices, refuse_bad_dropout
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.pairs import SEPARATOR, Pair, neighbours, split_word
from tokenizers_core.encoding.reasons import Reason, Spelling, why_not_merged
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, rewritten
from tokenizers_core.text.spans import Span
from tokenizers_core.trace import StoredTrace


def lowest_rank_pair(word: Private, ranks: Mapping[PrivatePair, int]) -> PrivatePair | None:
    """The pair of neighbours with the lowest rank; None when no learned pair is left in the word."""
    learned = [pair for pair in neighbours(word) if pair in ranks]
    return min(learned, key=ranks.__getitem__, default=None)


EVERYWHERE = -1
"""At how many places `apply_merges` makes a merge before it looks for the next."""


def apply_merges(
    word: Private,
    ranks: Mapping[PrivatePair, int],
    merged: Mapping[PrivatePair, Private],
    places: int = EVERYWHERE,
) -> Private:
    """Encode a word: merge the learned pair of lowest rank wherever it occurs, until none is left.

    `ranks` gives each pair's rank, `merged` the token it becomes. With `places` 1 only a pair's first place
    is merged before the ranks are compared again; that matters where `ranks_follow` doesn't hold.

    >>> apply_merges("hug", {"ug": 0, "hU": 1}, {"ug": "U", "hU": "H"})
    'H'
    """
    rank, known = ranks.__getitem__, ranks.__contains__
    text: str = word  # a call for each merge only to name its type would take a tenth of the time
    while len(text) > 2:
        learned = list(filter(known, map(operator.add, text, text[1:])))
        if not learned:
            return Private(text)
        pair = learned[0] if len(learned) == 1 else min(learned, key=rank)
        text = text.replace(pair, merged[pair], places)
    # Most words end here: nothing to search among two symbols.
    return merged.get(PrivatePair(text), Private(text))


def ranks_follow(ranks: Mapping[PrivatePair, int], merged: Mapping[PrivatePair, Private]) -> bool:
    """Whether each pair ranks after all pairs that make its tokens, as after training.

    Then a merge never makes a pair that goes before its own other places. In vocabularies from other sources
    (Gemma's runs of spaces, the longest first), it may.

    >>> merged = {"aa": "A", "Aa": "B"}
    >>> ranks_follow({"aa": 0, "Aa": 1}, merged), ranks_follow({"aa": 1, "Aa": 0}, merged)
    (True, False)
    """
    latest: dict[str, int] = {}
    for pair, rank in ranks.items():
        token = merged[pair]
        if rank > latest.get(token, -1):
            latest[token] = rank
    result = latest.get
    return all(rank > result(pair[0], -1) and rank > result(pair[1], -1) for pair, rank in ranks.items())


SHORT_WORD = 12
"""Up to this many symbols, a word is merged as a whole: a search for the mergeable part would cost as
much."""
LONG_WORD = 100
"""From this many symbols on, looking at the whole word for each merge costs more than a queue."""


def apply_merges_long(
    word: Private, ranks: Mapping[PrivatePair, int], merged: Mapping[PrivatePair, Private]
) -> Private:
    """Like `apply_merges` one place at a time, in time near-linear in the word's length: a queue of (rank,
    place, pair)."""
    symbols = list(word)
    following = [*range(1, len(symbols)), -1]
    before = list(range(-1, len(symbols) - 1))
    queue: list[tuple[int, int, PrivatePair]] = []

    def offer(index: int) -> None:
        if index >= 0 and following[index] >= 0:
            pair = PrivatePair(symbols[index] + symbols[following[index]])
            if pair in ranks:
                heapq.heappush(queue, (ranks[pair], index, pair))

    for index in range(len(symbols)):
        offer(index)
    while queue:
        _, index, pair = heapq.heappop(queue)
        right = following[index]
        if right < 0 or symbols[index] + symbols[right] != pair:
            continue  # one of the two has become part of another token
        symbols[index], symbols[right] = merged[pair], ""
        following[index] = following[right]
        if following[right] >= 0:
            before[following[right]] = index
        offer(before[index])
        offer(index)
    return Private("".join(symbols))


@dataclass(frozen=True)
class SplitEvent:
    """The beginning of an encoding: the word is split into its symbols."""

    word: str
    kind: ClassVar[Literal["split"]] = "split"


@dataclass(frozen=True)
class ApplyEvent:
    """One learned merge, applied to the word."""

    pair: Pair
    token: str
    rank: int
    places: int
    """How often the merge was made in the word."""
    kind: ClassVar[Literal["apply"]] = "apply"


@dataclass(frozen=True)
class UndoEvent:
    """A removal of PickyBPE, made in the word: a token is split into its parts again."""

    token: str
    parts: tuple[str, ...]
    rank: int
    """The removal's place in the order of merges and removals, from 0."""
    places: int
    """How often the token was in the word."""
    kind: ClassVar[Literal["undo"]] = "undo"


ApplyingEvent = SplitEvent | ApplyEvent | UndoEvent


@dataclass(frozen=True)
class EncodingSnapshot:
    """A word after `step` merges of its encoding."""

    step: int
    event: ApplyingEvent
    tokens: tuple[str, ...]
    options: tuple[tuple[Pair, int], ...]
    """The learned pairs in the word now, each with its rank, lowest rank first."""
    stage_step: int | None = None
    """The training step without a merge: SuperBPE's change of stages."""

    def learned_in(self, rank: int) -> int:
        """The training step of a merge."""
        return rank + (1 if self.stage_step is None or rank + 1 < self.stage_step else 2)


class BpeOptions(NamedTuple):
    """Where other programs' BPE differs, under the names of the `tokenizers` library; nothing trained here
    needs it."""

    suffix_joined: bool = False
    """The end-of-word suffix is part of a word's last symbol (`w</w>`), instead of a symbol of its own."""
    fuse_unk: bool = False
    """Unknown characters in a row are one unknown token."""
    byte_fallback: bool = False
    """An unknown character is its UTF-8 bytes, each a token such as `<0xE3>`."""
    ignore_merges: bool = False
    """A word in the vocabulary is its token, whether the merges lead there or not."""


class KnownCharacters(dict[int, int]):
    """The ids of characters, for `str.translate`; characters without an id are left out."""

    def __missing__(self, character: int) -> None:
        return None


class BpeModel(Model):
    """Learned merges, ready to encode words.

    An unknown character becomes `unk_token`, and is left out if that is "".

    >>> options = BpeOptions(suffix_joined=True, fuse_unk=True)
    >>> model = BpeModel(["?", "a", "b</w>", "ab</w>"], [Pair("a", "b</w>")], "?", "</w>", options=options)
    >>> list(model.spell("ab")), list(model.spell("xyab")), list(model.spans("xyab"))
    ([3], [0, 3], [(0, 2), (2, 4)])
    """

    way = "merges"

    def __init__(
        self,
        tokens: Sequence[str],
        merges: Sequence[Pair],
        unk_token: str = "",
        suffix: str = "",
        prefix: str = "",
        options: BpeOptions = BpeOptions(),  # noqa: B008 (a tuple)
        added_only: Collection[str] = (),
    ) -> None:
        super().__init__()
        self.vocabulary = Vocabulary(tokens, prefix)
        self.added_only = frozenset(added_only)
        self.known: Mapping[str, int] = self.own_ids()
        """The possible symbols of words, with their ids."""
        self.merges = merges
        self.unk_token = unk_token
        self.suffix = suffix
        self.options = options
        self.byte_fallback = options.byte_fallback
        self.rank_is_id = False
        """Whether ranks are the ids of the merged tokens."""
        self.stage_step: int | None = None
        """The training step without a merge, and so without a rank."""
        self.ranks: dict[PrivatePair, int] = {}
        self.merged: dict[PrivatePair, Private] = {}
        ranks: dict[Any, int] = self.ranks  # a call for each merge only to name its type would be felt
        merged: dict[Any, Any] = self.merged
        written = {token: chr(identifier) for token, identifier in self.vocabulary.ids.items()}
        with no_collecting():
            for rank, (first, second) in enumerate(merges):
                key = written[first] + written[second]
                token = first + (second.removeprefix(prefix) if prefix else second)
                if token not in written:
                    written[token] = chr(self.vocabulary.add(token))
                ranks.setdefault(key, rank)  # a pair learned twice keeps its first rank
                merged[key] = written[token]
        self._plain = not prefix and not suffix
        """Whether the characters of a word are its symbols."""
        self._written = KnownCharacters(
            (ord(token), identifier) for token, identifier in self.known.items() if len(token) == 1
        )
        self._bytes_written = ""
        """The table that rewrites words in the byte alphabet in private characters, if that suffices."""
        if self._plain and not options.ignore_merges and self.added_only.isdisjoint(BYTE_TO_SYMBOL):
            self._bytes_written = self.vocabulary.byte_table(SEPARATOR)

    def rank_by_id(self) -> None:
        """Rank merges by the ids of their tokens, as tiktoken does: several pairs may make one token."""
        self.rank_is_id = True
        self.ranks = {pair: ord(token) for pair, token in self.merged.items()}
        vars(self).pop("places", None)

    def with_merges(self, tokens: Sequence[str], merges: Sequence[Pair]) -> BpeModel:
        """A model with the same options, and other tokens (by id) and merges."""
        prefix, added = self.vocabulary.prefix, self.added_only
        model = BpeModel(tokens, merges, self.unk_token, self.suffix, prefix, self.options, added)
        if self.rank_is_id:
            model.rank_by_id()
        return model

    @cached_property
    def places(self) -> int:
        """At how many places a merge is made before the next is looked for."""
        return EVERYWHERE if ranks_follow(self.ranks, self.merged) else 1

    def split(self, word: str) -> tuple[str, ...]:
        """The word's symbols, known or not."""
        if not self.options.suffix_joined:
            return split_word(word, self.vocabulary.prefix, self.suffix)
        symbols = split_word(word, self.vocabulary.prefix)
        return (*symbols[:-1], *(symbol + self.suffix for symbol in symbols[-1:]))

    def symbols(self, word: str) -> Sequence[str]:
        """The word's symbols, with replacements for unknown ones."""
        symbols = self.split(word)
        if all(map(self.known.__contains__, symbols)):
            return symbols
        return [symbol for symbol, _span in self.placed_symbols(word)]

    def placed_symbols(self, word: str) -> list[tuple[str, Span]]:
        """The same symbols, each with the positions of its characters in the word."""
        known, options = self.known, self.options
        placed: list[tuple[str, Span]] = []
        fusing, end = False, 0
        for symbol in self.split(word):
            width = len(symbol.removeprefix(self.vocabulary.prefix) if end else symbol)
            start, end = end, min(end + width, len(word))
            unknown = symbol not in known
            if not unknown:
                placed.append((symbol, (start, end)))
            elif options.byte_fallback:
                placed += [(byte_token(byte), (start, end)) for byte in symbol.encode("utf-8")]
            elif fusing:
                placed[-1] = self.unk_token, (placed[-1][1][0], end)
            elif self.unk_token:
                placed.append((self.unk_token, (start, end)))
            fusing = unknown and options.fuse_unk and bool(self.unk_token)
        return placed

    def start(self, word: str) -> Private:
        """Where the encoding of a word begins, in private characters."""
        if self.options.ignore_merges and word in self.known:
            return self.vocabulary.write([word])
        if self._plain:
            text = word.translate(self._written)
            if len(text) == len(word):  # all of them are known, as nearly always
                return Private(text)
        return self.vocabulary.write(self.symbols(word))

    def _start_all(self, words: Sequence[str]) -> Private:
        """Where the encodings of many words begin, `SEPARATOR` between words."""
        if self._bytes_written:
            with suppress(UnicodeError):  # a character outside the byte alphabet
                return Private(rewritten(words, self._bytes_written))
        return Private(SEPARATOR.join(map(self.start, words)))

    def spell(self, word: str) -> Iterable[int]:
        """The ids of a word's tokens."""
        text = self.start(word)
        if len(text) < SHORT_WORD:
            return map(ord, apply_merges(text, self.ranks, self.merged, self.places))
        return map(ord, self._mergeable.sub(self._merge_stretch, text))

    def spell_all(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """The ids of many words' tokens: as one string, so that most of the work is the standard library's,
        in C."""
        text = Private(self._mergeable.sub(self._merge_stretch, self._start_all(words)))
        ids = self.vocabulary.numbers(text)
        ends = accumulate([len(word) + 1 for word in text.split(SEPARATOR)], initial=0)
        return [ids[start : end - 1] for start, end in pairwise(ends)]

    def _merge_stretch(self, match: re.Match[str]) -> str:
        stretch = Private(match.group())
        if len(stretch) < LONG_WORD:
            return apply_merges(stretch, self.ranks, self.merged, self.places)
        return apply_merges_long(stretch, self.ranks, self.merged)

    @cached_property
    def _mergeable(self) -> re.Pattern[str]:
        """Finds the mergeable stretches of a word: symbols of learned pairs, the first one the beginning of a
        pair.

        The rest stays as it is. So a word in a script without learned pairs costs one search.
        """
        firsts, symbols = ({pair[0] for pair in self.ranks}, set().union(*self.ranks))
        if (
            self._plain
        ):  # words begin as characters: with all tokens of a large vocabulary a set would be slow
            unknown = self.vocabulary.ids.get(self.unk_token, 0)
            beginning = {chr(one) for one in (*self._written.values(), unknown)}
            beginning.update(
                chr(self.vocabulary.ids[one]) for one in BYTE_TOKENS.keys() & self.vocabulary.ids
            )
            firsts, symbols = firsts & beginning, symbols & beginning
        if not firsts:
            return re.compile("(?!)")
        # Two sets and no count: `re` searches quickly for a set at the beginning.
        first, more = (re.escape("".join(sorted(some))) for some in (firsts, symbols))
        return re.compile(f"[{first}][{more}]+")

    def spans(self, word: str) -> Iterable[Span]:
        """Where each of a word's tokens is in it.

        An end-of-word symbol by itself is after the last character.
        """
        if self.options.ignore_merges and word in self.known:
            return [(0, len(word))]
        if self.known.keys() >= ({*word} if self._plain else {*self.split(word)}):
            return super().spans(word)
        return self._spans_among_unknown(word)

    def _spans_among_unknown(self, word: str) -> Iterator[Span]:
        """The same for a word with unknown characters: a token is as many symbols as its letters need."""
        symbols = iter(self.placed_symbols(word))
        for identifier in self.encode_word(word):
            symbol, (start, end) = next(symbols)
            missing = len(self.vocabulary.tokens[identifier]) - len(symbol)
            while missing > 0:
                symbol, (_, end) = next(symbols)
                missing -= len(symbol.removeprefix(self.vocabulary.prefix))
            yield start, end

    def join(self, tokens: list[str]) -> list[str]:
        """The tokens with runs of byte tokens as their text, if there are byte tokens."""
        return join_bytes(tokens) if self.options.byte_fallback else tokens

    def choices(self, text: Private) -> Choices[Private]:
        """The choices of BPE-dropout: every possible merge in a word, by rank and then from the left."""
        positions = sorted(
            (self.ranks[pair], index) for index, pair in enumerate(neighbours(text)) if pair in self.ranks
        )
        return Choices([self._merged_at(text, index) for _rank, index in positions])

    def _merged_at(self, text: Private, index: int) -> Private:
        token = self.merged[PrivatePair(text[index : index + 2])]
        return Private(text[:index] + token + text[index + 2 :])

    def sample(self, word: str, amount: float, random: Random) -> tuple[str, ...]:
        """One split by BPE-dropout: before each merge, every possible one drops out with probability
        `amount`. Raises SettingError.

        >>> model = BpeModel(["h", "u", "g", "ug", "hug"], [Pair("u", "g"), Pair("h", "ug")])
        >>> [model.sample("hug", 0.5, Random(seed)) for seed in (1, 2, 10)]
        [('h', 'u', 'g'), ('hug',), ('h', 'ug')]
        """
        refuse_bad_dropout(amount)
        return self.vocabulary.read(dropout.sample(self.start(word), self.choices, amount, random))

    def sampling(self, word: str, amount: float, random: Random) -> Iterator[Drawn]:
        refuse_bad_dropout(amount)
        states = dropout.walk(self.start(word), self.choices, amount, random)
        read = self.vocabulary.read
        return dropout.drawn_tokens(
            dropout.Walked(read(state), [*map(read, dropped)]) for state, dropped in states
        )

    def distribution(self, word: str, amount: float) -> dict[tuple[str, ...], float] | None:
        """The exact probability of each split by BPE-dropout. Raises SettingError.

        >>> model = BpeModel(["h", "u", "g", "ug", "hug"], [Pair("u", "g"), Pair("h", "ug")])
        >>> model.distribution("hug", 0.1)
        {('h', 'u', 'g'): 0.1, ('h', 'ug'): 0.09, ('hug',): 0.81}
        """
        refuse_bad_dropout(amount)
        ends = dropout.distribution(self.start(word), self.choices, amount)
        if ends is None:
            return None
        return {self.vocabulary.read(text): round(share, 12) for text, share in ends.items()}

    def spelling(self, word: str) -> Spelling:
        """The start of a word's encoding, and its merges, whether or not the word is a token itself."""
        placed = self.placed_symbols(word)
        return Spelling(word, placed, self.split(word), self.vocabulary, self.ranks, self.merged)

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        """What stopped BPE from splitting a word like this: see `why_not_merged`."""
        actual = tuple(self.vocabulary.tokens[identifier] for identifier in self.encode_word(word))
        whole = self.options.ignore_merges and word in self.vocabulary.ids
        return why_not_merged(self.spelling(word), tokens, actual, whole)

    def explain(self, word: str) -> StoredTrace[EncodingSnapshot]:
        """The encoding of a word, merge by merge."""
        ranks, read = self.ranks, self.vocabulary.read
        text = self.start(word)
        event: ApplyingEvent = SplitEvent(word)
        snapshots: list[EncodingSnapshot] = []
        while True:
            learned = dict.fromkeys(pair for pair in neighbours(text) if pair in ranks)
            present = sorted(learned, key=ranks.__getitem__)  # with `rank_is_id`, of equal ranks the leftmost
            options = tuple((Pair(*read(pair)), ranks[pair]) for pair in present)
            snapshots.append(EncodingSnapshot(len(snapshots), event, read(text), options, self.stage_step))
            if not present:
                return StoredTrace(word, tuple(snapshots), "no_pairs")
            pair, token = present[0], self.merged[present[0]]
            result = text.count(pair) if self.places == EVERYWHERE else 1
            event = ApplyEvent(Pair(*read(pair)), read(token)[0], ranks[pair], result)
            text = Private(text.replace(pair, token, result))
