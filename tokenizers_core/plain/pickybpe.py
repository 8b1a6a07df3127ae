"""PickyBPE: merge like BPE, and remove a token again when it occurs almost only inside others.

On the way to `hugs`, BPE makes `ug` and `hug`. If nearly every `ug` is in a `hug` afterwards, its
place in the vocabulary is wasted. Chizhov et al. (2024) look at both parts of each merge: which
share of its places did the merge take?

    IoS = places that were merged / (places that were merged + places that are left)

Above a threshold the part leaves the vocabulary, and its remaining places are split into its own
parts. Single characters stay.

>>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> vocabulary, events, splits = train(words, threshold=Fraction(9, 10))
>>> for kind, tokens, token in events:
...     print(kind, *tokens, token)
merge u g ug
merge u n un
merge h ug hug
merge p un pun
merge p ug pug
remove u g ug
merge hug s hugs
merge b un bun
remove u n un

`h ug` takes 15 of the 20 places of `ug`: 3/4, so `ug` stays. `p ug` takes the last five of five.
The vocabulary ends without `ug` and `un`:

>>> vocabulary
['b', 'g', 'h', 'n', 'p', 's', 'u', 'hug', 'pun', 'pug', 'hugs', 'bun']

Encoding repeats merges and removals in their order, so `ug` comes and goes again:

>>> encode("unhug", events), encode("mug", events)
(['u', 'n', 'hug'], ['m', 'u', 'g'])

At a lower threshold more tokens leave, and their remaining places are split:

>>> vocabulary, events, splits = train(words, threshold=Fraction(7, 10))
>>> [token for kind, tokens, token in events if kind == "remove"]
['ug', 'un', 'pu', 'bu']
>>> encode("pugs", events)
['pug', 's']
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import inf

from tokenizers_core.plain.bpe import Splits, WordFrequencies, pair_counts, replace_pair, symbols_in

Events = list[tuple[str, tuple[str, ...], str]]
"""The events: ("merge", the pair, its token) or ("remove", the parts, the removed token)."""


def train(
    words: WordFrequencies, vocab_size: float = inf, threshold: Fraction = Fraction(9, 10)
) -> tuple[list[str], Events, Splits]:
    """Learn merges and removals until `vocab_size` tokens are present, or no pair is left."""
    splits = {word: [*word] for word in words}
    vocabulary = sorted(symbols_in(splits))
    pair_of: dict[str, tuple[str, ...]] = {}
    events: Events = []
    while len(vocabulary) < vocab_size:
        counts = pair_counts(splits, words)
        if not counts:
            break
        pair = max(counts, key=lambda p: counts[p])  # of equals, the one met first
        token = pair[0] + pair[1]
        merged = merge_and_count(splits, words, pair)
        if token not in vocabulary:
            vocabulary.append(token)
        pair_of.setdefault(token, pair)
        events.append(("merge", pair, token))
        for part in dict.fromkeys(pair):
            if part in pair_of and Fraction(merged, merged + occurrences(splits, words, part)) > threshold:
                vocabulary.remove(part)
                events.append(("remove", split_again(part, pair_of, vocabulary, splits), part))
    return vocabulary, events, splits


def merge_and_count(splits: Splits, words: WordFrequencies, pair: tuple[str, str]) -> int:
    """Merge a pair in every word; returns at how many places of the text."""
    token = pair[0] + pair[1]
    before = occurrences(splits, words, token)
    for word in splits:
        splits[word] = replace_pair(splits[word], pair, token)
    return occurrences(splits, words, token) - before


def split_again(
    token: str, pair_of: Mapping[str, tuple[str, ...]], vocabulary: Collection[str], splits: Splits
) -> tuple[str, ...]:
    """Write a removed token as its parts in every word; returns the parts."""
    parts = parts_of(token, pair_of, vocabulary)
    for word in splits:
        splits[word] = replace_token(splits[word], token, parts)
    return tuple(parts)


def occurrences(splits: Splits, words: WordFrequencies, token: str) -> int:
    """How often a token occurs in the corpus as it is split now."""
    return sum(symbols.count(token) * words[word] for word, symbols in splits.items())


def parts_of(token: str, pair_of: Mapping[str, tuple[str, ...]], vocabulary: Collection[str]) -> list[str]:
    """The parts of a token, with removed ones split further."""
    parts: list[str] = []
    for part in pair_of[token]:
        parts += [part] if part in vocabulary else parts_of(part, pair_of, vocabulary)
    return parts


def replace_token(symbols: Sequence[str], token: str, parts: Sequence[str]) -> list[str]:
    """The symbols with these parts in place of each such token.

    >>> replace_token(["h", "ug", "s"], "ug", ["u", "g"])
    ['h', 'u', 'g', 's']
    """
    return [part for symbol in symbols for part in (parts if symbol == token else [symbol])]


def encode(word: str, events: Events) -> list[str]:
    """The tokens of a word: all events of training, repeated on this word."""
    symbols = [*word]
    for kind, tokens, token in events:
        if kind == "merge":
            symbols = replace_pair(symbols, (tokens[0], tokens[1]), token)
        else:
            symbols = replace_token(symbols, token, tokens)
    return symbols


def decode(tokens: Sequence[str]) -> str:
    """The text that the tokens spell."""
    return "".join(tokens)
