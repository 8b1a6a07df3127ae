"""Byte-pair encoding: merge the most frequent pair of neighbours into one token, again and again.

Gage (1994) invented it to compress files. Sennrich, Haddow and Birch (2016) train it on words, so
that frequent words become one token and rare ones are spelled from parts. A corpus is its words and
how often each occurs:

>>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> vocabulary, merges, splits = train(words)
>>> for pair, count in merges:
...     print(*pair, count)
u g 20
u n 16
h ug 15
p un 12
p ug 5
hug s 5
b un 4

After four merges (p, ug) and (hug, s) both occur 5 times; the pair met first wins. Encoding
repeats the merges on a new word, in the order of learning. Here are the first three, on top of an
alphabet of seven letters:

>>> vocabulary, merges, splits = train(words, vocab_size=10)
>>> vocabulary
['b', 'g', 'h', 'n', 'p', 's', 'u', 'ug', 'un', 'hug']
>>> splits
{'hug': ['hug'], 'pug': ['p', 'ug'], 'pun': ['p', 'un'], 'bun': ['b', 'un'], 'hugs': ['hug', 's']}
>>> encode("unhug", merges, vocabulary)
['un', 'hug']
>>> encode("mug", merges, vocabulary)  # no word of the corpus has an m
['[UNK]', 'ug']
>>> decode(["un", "hug"])
'unhug'

Byte-level BPE (GPT-2) is the same algorithm on bytes. All 256 are in the alphabet from the start,
so nothing is unknown:

>>> from tokenizers_core.plain.byte_alphabet import SYMBOLS, to_symbols, to_text
>>> words = {to_symbols(word): count for word, count in {"hug": 10, " hug": 5, " 👍": 4}.items()}
>>> vocabulary, merges, splits = train(words, vocab_size=260, alphabet=SYMBOLS.values())
>>> vocabulary[256:]
['hu', 'hug', 'Ġhug', 'Ġð']
>>> tokens = encode(to_symbols(" hug👋"), merges, vocabulary)
>>> tokens
['Ġhug', 'ð', 'Ł', 'ĳ', 'ĭ']
>>> to_text(decode(tokens))
' hug👋'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import inf

WordFrequencies = dict[str, int]
"""Word → how often it occurs in the corpus."""
Splits = dict[str, list[str]]
"""Word → the tokens it is cut into."""
Merges = list[tuple[tuple[str, str], int]]
"""The merged pairs in order, each with its count."""


def train(
    words: WordFrequencies,
    vocab_size: float = inf,
    special_tokens: Sequence[str] = (),
    min_frequency: int = 1,
    end_of_word: str = "",
    alphabet: Iterable[str] = (),
) -> tuple[list[str], Merges, Splits]:
    """Learn merges until there are `vocab_size` tokens, or no pair occurs `min_frequency` times.

    Sennrich et al. end each word in a symbol of its own, `</w>`. `alphabet`: symbols to have in any case.
    """
    splits = {word: [*word, end_of_word] if end_of_word else [*word] for word in words}
    vocabulary = [*special_tokens, *sorted(symbols_in(splits).union(alphabet))]
    merges: Merges = []
    while len(vocabulary) < vocab_size:
        counts = pair_counts(splits, words)
        frequent = [pair for pair in counts if counts[pair] >= min_frequency]
        if not frequent:
            break
        # The best pair. Of equally good ones, `max` takes the one met first.
        pair = max(frequent, key=lambda p: counts[p])
        token = pair[0] + pair[1]
        for word in splits:
            splits[word] = replace_pair(splits[word], pair, token)
        merges.append((pair, counts[pair]))
        if token not in vocabulary:  # two pairs may make the same string
            vocabulary.append(token)
    return vocabulary, merges, splits


def symbols_in(splits: Splits) -> set[str]:
    """The different symbols of all words."""
    return {symbol for symbols in splits.values() for symbol in symbols}


def pair_counts(splits: Splits, words: WordFrequencies) -> dict[tuple[str, str], int]:
    """How often each pair of neighbours occurs in the corpus, in the order of first occurrence."""
    counts: dict[tuple[str, str], int] = {}
    for word, symbols in splits.items():
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + words[word]
    return counts


def replace_pair(symbols: list[str], pair: tuple[str, str], token: str) -> list[str]:
    """The symbols with the token in place of each such pair, from left to right.

    >>> replace_pair(["a", "a", "a"], ("a", "a"), "aa")
    ['aa', 'a']
    """
    merged: list[str] = []
    for symbol in symbols:
        if merged and (merged[-1], symbol) == pair:
            merged[-1] = token
        else:
            merged.append(symbol)
    return merged


def encode(
    word: str, merges: Merges, vocabulary: Sequence[str], end_of_word: str = "", unknown: str = "[UNK]"
) -> list[str]:
    """The tokens of a word: merge its earliest learned pair, until no learned pair is left."""
    symbols = [*word, end_of_word] if end_of_word else [*word]
    while True:
        present = set(pairwise(symbols))
        pair = next((pair for pair, _count in merges if pair in present), None)
        if pair is None:
            return [symbol if symbol in vocabulary else unknown for symbol in symbols]
        symbols = replace_pair(symbols, pair, pair[0] + pair[1])


def decode(tokens: Sequence[str], end_of_word: str = "") -> str:
    """The text that the tokens spell, with a space where a word ends.

    >>> decode(["low", "</w>", "low", "er</w>"], end_of_word="</w>")
    'low lower'
    """
    text = "".join(tokens)
    return text.replace(end_of_word, " ").removesuffix(" ") if end_of_word else text
