"""Learning by merging: pairs, words, and the merge shared by BPE and WordPiece.

Inside a run, words and pairs are strings of private characters (see `encoding/vocabulary.py`). `Pair` and
readable token strings come back at the edge, in the events and candidates of a `MergeTrace`.

A `PairTable` counts all neighbours once and then updates only what a merge touches, as Sennrich et al.
(2016), "Neural Machine Translation of Rare Words with Subword Units", suggest. A `MergeRecord` keeps each
merge's changes; a `MergeTrace` rebuilds any step from them.
"""

from __future__ import annotations

import operator
import struct
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from tokenizers_core.encoding.models.pairs import (
    SEPARATOR,
    neighbours,
)
from tokenizers_core.encoding.vocabulary import Private, PrivatePair
from tokenizers_core.lazy import cached_property

Progress = Callable[[int, int | None], bool | None]
"""Called with the merges learned so far and the number wanted (None when unknown); returning False stops the
run."""


# --- Words and pairs in private characters ------------------------------------------------------------------


def count_pairs(words: Iterable[Private], frequencies: Iterable[int]) -> dict[PrivatePair, int]:
    """How often each pair occurs in the corpus: its occurrences in each word times the word's frequency.

    Overlapping occurrences all count (``aaa`` has the pair ``aa`` twice). Pairs come in the order of their
    first occurrence.

    >>> count_pairs(map(Private, ["hug", "hugs"]), [10, 5])
    {'hu': 15, 'ug': 15, 'gs': 5}
    """
    counts: dict[PrivatePair, int] = {}
    for word, frequency in zip(words, frequencies, strict=True):
        for pair in neighbours(word):
            counts[pair] = counts.get(pair, 0) + frequency
    return counts


def tokens_in(words: Iterable[Private], frequencies: Iterable[int]) -> int:
    """How many tokens a corpus has, each word's counted as often as it occurs.

    >>> tokens_in(map(Private, ["hug", "hugs"]), [10, 5])
    50
    """
    return sum(map(operator.mul, map(len, words), frequencies))


class CurrentWords:
    """The words of a corpus at one step."""

    def __init__(self, words: list[Private]) -> None:
        self.words = words

    def copy(self) -> CurrentWords:
        return CurrentWords(list(self.words))

    @cached_property
    def text(self) -> Private:
        """All words as one string, `SEPARATOR` between words, for searching."""
        return Private(SEPARATOR.join(self.words))


class Merge(NamedTuple):
    """One step of a training loop: a merge, or a step of another kind, with its token first in the pair."""

    pair: PrivatePair
    token: Private
    frequency: int
    """Occurrences of the pair in the corpus, overlapping ones included."""
    applied: int
    """By how much the corpus has fewer tokens: less than `frequency` where occurrences overlap."""
    changes: dict[PrivatePair, int]
    """Pair → change of its count, the merged pair included; zero where losses and gains cancel out."""
    words: list[int]
    """Indices of the changed words, in order."""
    removals: tuple[Merge, ...] = ()
    """The removals that follow at once and belong to this step: tokens that leave the vocabulary again."""


class Values(Protocol):
    """The values that rank the pairs, updated with every merge: the pair of greatest value is merged next."""

    def value(self, pair: PrivatePair) -> int:
        """The pair's value now, as a whole number to compare by."""

    def exact(self, pair: PrivatePair) -> int | Fraction:
        """The value itself."""

    def update(self, merge: Merge) -> Collection[PrivatePair]:
        """Update the values after a merge; returns the pairs with possibly changed values."""


READ_ONCE = 200
"""From this many symbols on, a word is read once for all of its pairs: to read it for each would take
quadratic time."""


class PairTable:
    """The words of a corpus and the counts of their pairs, updated with every merge.

    A merge costs in proportion to the places where it happens. `where` lists, for each pair, the words that
    may contain it, in order: a word is added when the pair first appears in it, and read again only when the
    pair is merged. A short word may be listed once per occurrence.
    """

    def __init__(self, words: Sequence[Private], frequencies: Sequence[int]) -> None:
        self.words, self.frequencies = list(words), list(frequencies)
        positions: defaultdict[Any, list[int]] = defaultdict(list)
        for index, word in enumerate(words):
            first = word[:1]
            for second in word[1:]:
                positions[first + second].append(index)
                first = second
        frequency = self.frequencies.__getitem__
        self.counts: dict[PrivatePair, int] = {
            pair: sum(map(frequency, positions[pair])) for pair in positions
        }
        self.where: dict[PrivatePair, list[int]] = dict(positions)
        self._list_once(set().union(*(neighbours(word) for word in words if len(word) > READ_ONCE)))

    def _list_once(self, pairs: Iterable[PrivatePair]) -> None:
        """Keep each word only once in the lists of these pairs.

        A long word listed twice would be read again for nothing. For a short word, that costs less than this.
        """
        for pair in pairs:
            self.where[pair] = list(dict.fromkeys(self.where[pair]))

    def merge(self, pair: PrivatePair, token: Private) -> Merge:
        """Replace `pair` by `token` in every word and update the counts around each place.

        Beside a place the pair of an old neighbour becomes another: where ``ab`` is merged to ``T``, ``xaby``
        has ``xT`` instead of ``xa`` and ``Ty`` instead of ``by``. So the places are sorted by neighbour
        first, and counting is done once for each neighbour.
        """
        words: list[Any] = self.words  # a call for each word only to name its type would be felt
        first, second = pair
        frequency = self.counts[pair]
        changes: dict[PrivatePair, int] = {}
        changed = self.where.pop(pair)
        if len(changed) == 1 and len(around := words[changed[0]].split(pair, 2)) == 2:
            # One place, as late in a run: there is nothing to sort.
            index, (before, after) = changed[0], around
            words[index] = before + token + after
            moved = self.frequencies[index]
            if before:
                self._move(before[-1] + first, before[-1] + token, moved, [index], changes)
            if after:
                self._move(second + after[0], token + after[0], moved, [index], changes)
        else:
            positions, changed = changed, []
            left_of: dict[str, list[int]] = {}  # neighbour → its places, as indices of words
            right_of: dict[str, list[int]] = {}
            between: list[int] = []  # two places side by side: the neighbour is the new token
            long = False
            for index in positions:
                before, result, after = words[index].partition(pair)
                if not result:
                    continue  # an earlier merge took the pair from this word
                changed.append(index)
                if before:
                    left_of.setdefault(before[-1], []).append(index)
                if pair not in after:  # as in nearly all words
                    words[index] = before + token + after
                else:
                    after, *others = after.split(pair)
                    words[index] = token.join([before, after, *others])
                    long = long or len(words[index]) > READ_ONCE
                    for part in others:
                        if after:
                            right_of.setdefault(after[0], []).append(index)
                            left_of.setdefault(after[-1], []).append(index)
                        else:
                            between.append(index)
                        after = part
                if after:
                    right_of.setdefault(after[0], []).append(index)
            frequencies = self.frequencies
            frequency_of = frequencies.__getitem__
            for neighbour, beside in left_of.items():
                moved = frequencies[beside[0]] if len(beside) == 1 else sum(map(frequency_of, beside))
                self._move(neighbour + first, neighbour + token, moved, beside, changes)
            for neighbour, beside in right_of.items():
                moved = frequencies[beside[0]] if len(beside) == 1 else sum(map(frequency_of, beside))
                self._move(second + neighbour, token + neighbour, moved, beside, changes)
            if between:
                self._move(second + first, token + token, sum(map(frequency_of, between)), between, changes)
            if long:
                self._list_once(new for new in changes if token in new and new in self.where)
        # Occurrences overlapping a merged one are gone, too: they were counted as a neighbour's pair.
        applied = frequency + changes.get(pair, 0)
        changes[pair] = -frequency
        del self.counts[pair]
        fields_of_it = pair, token, frequency, applied, changes, changed, ()
        return tuple.__new__(Merge, fields_of_it)  # in less than half the time of `Merge(...)`

    def _move(
        self, old: Any, new: Any, moved: int, indices: list[int], changes: dict[PrivatePair, int]
    ) -> None:
        """Count the pair `new` instead of `old`, `moved` times at these places, and note it in `changes`."""
        counts, where = self.counts, self.where
        changes[old] = changes[old] - moved if old in changes else -moved
        rest = counts[old] - moved
        if rest:
            counts[old] = rest
        else:
            del counts[old], where[old]
        changes[new] = changes[new] + moved if new in changes else moved
        if new not in counts:
            counts[new] = moved
            where[new] = indices
        else:  # a token made by a second route meets old neighbours again, in any words
            counts[new] += moved
            self._list(new, indices)

    def _list(self, pair: PrivatePair, indices: Iterable[int]) -> None:
        """Add these words to a pair's existing list."""
        listed = self.where[pair]
        for index in dict.fromkeys(indices):
            at = bisect_left(listed, index)
            if at == len(listed) or listed[at] != index:
                listed.insert(at, index)

    def remove(self, token: Private, parts: Private, indices: Iterable[int]) -> Merge:
        """Replace `token` by `parts` again in the words at `indices` (all that have it), and update the
        counts around it.

        >>> table = PairTable([Private("hU"), Private("pU")], [2, 3])
        >>> step = table.remove(Private("U"), Private("ug"), [0, 1])
        >>> table.words, table.counts, step.frequency, step.applied
        (['hug', 'pug'], {'ug': 5, 'hu': 2, 'pu': 3}, 5, -5)
        """
        words: list[Any] = self.words
        changes: dict[Any, int] = {}
        gained: defaultdict[Any, list[int]] = defaultdict(list)
        changed: list[int] = []
        first, last, left = parts[0], parts[-1], 0
        for index in sorted({*indices}):
            stretches = words[index].split(token)
            if len(stretches) == 1:
                continue  # a merge took the token from this word
            changed.append(index)
            words[index] = parts.join(stretches)
            frequency = self.frequencies[index]
            left += frequency * (len(stretches) - 1)
            lost: list[Any] = []
            new = [*neighbours(parts)] * (len(stretches) - 1)
            for position, (before, after) in enumerate(pairwise(stretches)):
                if before:
                    lost.append(before[-1] + token)
                    new.append(PrivatePair(before[-1] + first))
                elif position:
                    lost.append(token + token)
                    new.append(PrivatePair(last + first))
                if after:
                    lost.append(token + after[0])
                    new.append(PrivatePair(last + after[0]))
            for pair in lost:
                changes[pair] = changes.get(pair, 0) - frequency
            for pair in new:
                changes[pair] = changes.get(pair, 0) + frequency
                gained[pair].append(index)
        for pair, change in changes.items():
            total = self.counts.get(pair, 0) + change
            if not total:
                del self.counts[pair], self.where[pair]
                continue
            self.counts[pair] = total
            if pair not in gained:
                continue
            if pair in self.where:
                self._list(pair, gained[pair])
            else:
                self.where[pair] = list(dict.fromkeys(gained[pair]))
        return Merge(PrivatePair(token + token), token, left, -left * (len(parts) - 1), changes, changed)


# --- The record ---------------------------------------------------------------------------------------------


def compact(values: Iterable[int]) -> Sequence[int]:
    """Integers in as little room as they need: four bytes each, or eight, or any number where one is larger
    still.

    >>> compact([1, 2]), compact([1, 2**40]), compact([1, 2**70])
    (array('i', [1, 2]), array('q', [1, 1099511627776]), (1, 1180591620717411303424))
    """
    stored = tuple(values)
    for type_code in ("i", "q"):
        with suppress(struct.error):  # `struct` reads numbers three times as fast as `array`
            return array(type_code, struct.pack(f"={len(stored)}{type_code}", *stored))
    return stored


def joined(first: Sequence[Any], then: Sequence[Any]) -> Sequence[Any]:
    """Two strings, or two sequences as `compact` makes them, one after the other.

    >>> joined("ab", "c"), joined(compact([1]), compact([2])), joined(compact([1]), compact([2**40]))
    ('abc', array('i', [1, 2]), array('q', [1, 1099511627776]))
    """
    if isinstance(first, str) and isinstance(then, str):
        return first + then
    if isinstance(first, array) and isinstance(then, array) and first.typecode == then.typecode:
        return first + then
    return compact([*first, *then])


@dataclass(frozen=True)
class MergeRecord:
    """The changes of every step, in flat arrays: a few numbers for each change, and none without a change.

    Step k (from 1) owns the slice ``change_ends[k - 1]:change_ends[k]`` of `changes` (and of `changed_pairs`,
    two characters each), and the slice ``word_ends[k - 1]:word_ends[k]`` of `words`.
    """

    pairs: Private
    tokens: Private
    frequencies: Sequence[int]
    applied: Sequence[int]
    changed_pairs: Private
    changes: Sequence[int]
    change_ends: Sequence[int]
    words: Sequence[int]
    word_ends: Sequence[int]

    def __len__(self) -> int:
        return len(self.tokens)

    def followed_by(self, more: MergeRecord) -> MergeRecord:
        """This record and the part cut after it (`Recorder.cut`)."""
        both: dict[str, Any] = {
            field.name: joined(getattr(self, field.name), getattr(more, field.name))
            for field in fields(MergeRecord)
        }
        return MergeRecord(**both)

    def pair(self, step: int) -> PrivatePair:
        return PrivatePair(self.pairs[2 * step - 2 : 2 * step])

    def token(self, step: int) -> Private:
        return Private(self.tokens[step - 1])

    def is_merge(self, step: int) -> bool:
        """Whether the step made a token."""
        return self.tokens[step - 1] != self.pairs[2 * step - 2]

    def changes_at(self, step: int) -> dict[PrivatePair, int]:
        """Pair → change of its count in `step`."""
        start, end = self.change_ends[step - 1], self.change_ends[step]
        names = self.changed_pairs[2 * start : 2 * end]
        return dict(zip(map(operator.add, names[::2], names[1::2]), self.changes[start:end], strict=True))

    def words_at(self, step: int) -> Sequence[int]:
        """Indices of the words changed by `step`."""
        return self.words[self.word_ends[step - 1] : self.word_ends[step]]

    def words_between(self, first: int, second: int) -> set[int]:
        """Indices of the words changed between two steps."""
        low, high = sorted((first, second))
        return set(self.words[self.word_ends[low] : self.word_ends[high]])

    def steps_changing(self, index: int) -> list[int]:
        """The steps that changed the word with this index."""
        positions = [position for position, changed in enumerate(self.words) if changed == index]
        return [bisect_right(self.word_ends, position) for position in positions]


class Replacements:
    """A run's steps as replacements: each replaces one string of private characters in a word by another.

    >>> steps = Replacements([("ug", "U"), ("hU", "H"), ("U", "ug")])
    >>> [*steps.of(Private("hugug"))]
    [(1, 'hUU'), (2, 'HU'), (3, 'Hug')]
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs = list(pairs)
        self.steps: dict[str, list[int]] = {}
        """Replaced string → its steps, nearly always one.

        A pair is merged again when one of its tokens comes back: it had been removed, or is made by a second
        route, as when a corpus spells ``</w>`` out and its characters merge to the end-of-word symbol.
        (Without such a coincidence no string is ever made twice: two equal stretches of text, at whose ends
        no merge has happened yet, have merged alike so far.)
        """
        for step, (old, _new) in enumerate(self.pairs, start=1):
            self.steps.setdefault(old, []).append(step)
        self._single = any(len(old) == 1 for old in self.steps)

    def apply(self, step: int, text: Private) -> Private:
        """A word after a step."""
        return Private(text.replace(*self.pairs[step - 1]))

    def following(self, text: Private, step: int) -> int:
        """The first step after `step` to change a word that now reads `text`; one beyond the end if none
        does."""
        result = len(self.pairs) + 1
        for old in {*neighbours(text), *(text if self._single else ())}:
            steps = self.steps.get(old, ())
            position = bisect_right(steps, step)
            if position < len(steps):
                result = min(result, steps[position])
        return result

    def of(self, text: Private) -> Iterator[tuple[int, Private]]:
        """The steps that change a word, each with the resulting word."""
        step = 0
        while (step := self.following(text, step)) <= len(self.pairs):
            text = self.apply(step, text)
            yield step, text


class Recorder:
    """Writes merges down while a run makes them, keeping only the numbers of each `Merge`.

    >>> recorder = Recorder()
    >>> recorder.add(Merge("ug", "U", 15, 15, {"ug": -15, "hu": -15, "hU": 15}, [0, 1]))
    >>> len(recorder), recorder.record().changes_at(1)
    (1, {'ug': -15, 'hu': -15, 'hU': 15})
    """

    def __init__(self) -> None:
        self.pairs: list[PrivatePair] = []
        self.tokens: list[Private] = []
        self.frequencies: list[int] = []
        self.applied: list[int] = []
        self.changed_pairs: list[str] = []
        self.changes: list[int] = []
        self.change_ends = [0]
        self.words: list[int] = []
        self.word_ends = [0]
        self._cut: dict[str, int] = {}
        """How much of each list was cut off."""

    def __len__(self) -> int:
        """The number of steps so far."""
        return len(self.pairs)

    def add(self, merge: Merge) -> None:
        """Record one merge, and the removals that belong to it."""
        pair, token, frequency, applied, changes, words, removals = merge
        self.pairs.append(pair)
        self.tokens.append(token)
        self.frequencies.append(frequency)
        self.applied.append(applied)
        if changes:
            self.changed_pairs.append("".join(changes))
            self.changes += changes.values()
        self.change_ends.append(len(self.changes))
        self.words += words
        self.word_ends.append(len(self.words))
        for removal in removals:
            self.add(removal)

    def pass_over(self, pair: PrivatePair, token: Private) -> None:
        """Record a merge without any change here."""
        self.pairs.append(pair)
        self.tokens.append(token)
        self.frequencies.append(0)
        self.applied.append(0)
        self.change_ends.append(len(self.changes))
        self.word_ends.append(len(self.words))

    def record(self) -> MergeRecord:
        """Everything written down, in little room."""
        return self._since({})

    def cut(self) -> MergeRecord:
        """The record since the last cut: `MergeRecord.followed_by` appends it to the earlier cuts.

        >>> recorder = Recorder()
        >>> recorder.add(Merge("ug", "U", 15, 15, {"ug": -15}, [0, 1]))
        >>> first = recorder.cut()
        >>> recorder.add(Merge("un", "N", 12, 12, {"un": -12}, [2]))
        >>> first.followed_by(recorder.cut()) == recorder.record()
        True
        """
        new = self._since(self._cut)
        self._cut = {field.name: len(getattr(self, field.name)) for field in fields(MergeRecord)}
        return new

    def _since(self, cut: Mapping[str, int]) -> MergeRecord:
        def text(name: str, all_of_it: list[Any]) -> Private:
            return Private("".join(all_of_it[cut.get(name, 0) :]))

        def numbers(name: str, all_of_it: list[int]) -> Sequence[int]:
            return compact(all_of_it[cut.get(name, 0) :])

        return MergeRecord(
            pairs=text("pairs", self.pairs),
            tokens=text("tokens", self.tokens),
            frequencies=numbers("frequencies", self.frequencies),
            applied=numbers("applied", self.applied),
            changed_pairs=text("changed_pairs", self.changed_pairs),
            changes=numbers("changes", self.changes),
            change_ends=numbers("change_ends", self.change_ends),
            words=numbers("words", self.words),
            word_ends=numbers("word_ends", self.word_ends),
        )
