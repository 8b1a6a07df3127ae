"""BPE as SentencePiece trains it (`model_type=bpe`): four rules on top of BPE.

SentencePiece (Kudo and Richardson, 2018) writes a space as ▁ and calls tokens pieces. Its program
decides plain BPE's open questions:

* of equally frequent pairs, the one with the shortest merged piece wins, and of equally long
  pieces the first in Unicode's order;
* a piece is made from one pair only: a pair that spells an existing piece is never merged;
* no piece mixes scripts: letters stay apart from digits and punctuation;
* no piece is longer than 16 characters.

>>> words = {"▁hug": 10, "▁pug": 5, "▁pun": 12, "▁bun": 4, "▁hugs": 5}
>>> vocabulary, merges, splits = train(words)
>>> for pair, count in merges:
...     print(*pair, count)
u g 20
▁ p 17
u n 16
▁ h 15
▁h ug 15
▁p un 12
▁p ug 5
▁hug s 5
▁ b 4
▁b un 4

With an exclamation mark, `!` stays a piece of its own:

>>> train({"▁pun!": 9})[2]
{'▁pun!': ['▁pun', '!']}

Encoding merges any two neighbours that spell a piece, the earliest learned piece first:

>>> encode("▁hugun", merges, vocabulary)
['▁hug', 'un']
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from math import inf

from tokenizers_core.plain.bpe import Merges, Splits, WordFrequencies, pair_counts, replace_pair, symbols_in

LONGEST = 16


def train(words: WordFrequencies, vocab_size: float = inf) -> tuple[list[str], Merges, Splits]:
    """Learn merges until there are `vocab_size` pieces, or no allowed pair is left."""
    splits = {word: [*word] for word in words}
    vocabulary = sorted(symbols_in(splits))
    merges: Merges = []
    while len(vocabulary) < vocab_size:
        counts = pair_counts(splits, words)
        allowed = [pair for pair in counts if may_be_piece(pair[0] + pair[1], vocabulary)]
        if not allowed:
            break
        # The most frequent pair; of several, the shortest piece; of several, the first in Unicode's order.
        pair = min(allowed, key=lambda p: (-counts[p], len(p[0] + p[1]), p[0] + p[1]))
        token = pair[0] + pair[1]
        for word in splits:
            splits[word] = replace_pair(splits[word], pair, token)
        merges.append((pair, counts[pair]))
        vocabulary.append(token)
    return vocabulary, merges, splits


def may_be_piece(token: str, vocabulary: Sequence[str]) -> bool:
    """Whether training may make this piece: it is new, short enough, and in one script."""
    scripts = {script(character) for character in token if character != "▁"}
    return token not in vocabulary and len(token) <= LONGEST and len(scripts) <= 1 and "▁" not in token[1:]


def script(character: str) -> str:
    """The script of a letter, by the start of its Unicode name; "" for digits and punctuation.

    >>> script("a"), script("é"), script("б"), script("か"), script("日"), script("7"), script("!")
    ('LATIN', 'LATIN', 'CYRILLIC', 'CJK', 'CJK', '', '')
    """
    first = unicodedata.name(character, "").split(" ")[0] if character.isalpha() else ""
    return "CJK" if first in ("HIRAGANA", "KATAKANA") else first


def encode(word: str, merges: Merges, vocabulary: Sequence[str], unknown: str = "<unk>") -> list[str]:
    """The pieces of a word: merge the neighbours with the earliest learned piece, until none is left."""
    ranks = {first + second: rank for rank, ((first, second), _count) in enumerate(merges)}
    symbols = [*word]
    while spelled := [pair for pair in pairwise(symbols) if pair[0] + pair[1] in ranks]:
        first = min(spelled, key=lambda p: ranks[p[0] + p[1]])
        symbols = replace_pair(symbols, first, first[0] + first[1])
    return [symbol if symbol in vocabulary else unknown for symbol in symbols]


def decode(tokens: Sequence[str]) -> str:
    """The text that the pieces spell.

    >>> decode(["▁hug", "▁pu", "n"])
    'hug pun'
    """
    return "".join(tokens).replace("▁", " ").removeprefix(" ")
