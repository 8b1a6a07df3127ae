"""WordPiece: like BPE, but merge the pair with the highest score, and encode by the longest match.

Schuster and Nakajima (2012) merge the pair that makes the corpus most probable. Google never
published the trainer of BERT's vocabulary, so this is the Hugging Face course's reading of it
(chapter 6): a pair scores

    frequency of the pair / (frequency of its first symbol × frequency of its second),

so pairs whose parts rarely occur on their own come first. Symbols inside a word begin with ##.

>>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> vocabulary, merges, splits = train(words)
>>> for (first, second), score in merges:
...     print(first, second, score)
##g ##s 1/20
h ##u 1/36
hu ##gs 1/15
hu ##g 1/15
p ##u 1/21
b ##u 1/4
bu ##n 1/16
pu ##g 1/17
pu ##n 1/12

The first score is 5 / (20 × 5): s always follows a g. The most frequent pair, u and g, occurs 20
times but scores only 20 / (36 × 20) = 1/36, because u occurs in every word. Here is the state after
three merges:

>>> vocabulary, merges, splits = train(words, vocab_size=10)
>>> vocabulary
['##g', '##n', '##s', '##u', 'b', 'h', 'p', '##gs', 'hu', 'hugs']
>>> splits["hug"], splits["hugs"]
(['hu', '##g'], ['hugs'])

Encoding needs only the vocabulary, not the merges. A word that can't be matched to its end is
unknown as a whole:

>>> encode("hugs", vocabulary), encode("bugs", vocabulary), encode("bum", vocabulary)
(['hugs'], ['b', '##u', '##gs'], ['[UNK]'])
>>> decode(["b", "##u", "##gs", "hugs"])
'bugs hugs'
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import inf

from tokenizers_core.plain.bpe import Splits, WordFrequencies, pair_counts, replace_pair, symbols_in

ScoredMerges = list[tuple[tuple[str, str], Fraction]]
"""The merged pairs in order, each with its score."""


def train(
    words: WordFrequencies,
    vocab_size: float = inf,
    special_tokens: Sequence[str] = (),
    min_frequency: int = 1,
) -> tuple[list[str], ScoredMerges, Splits]:
    """Learn merges until there are `vocab_size` tokens, or no pair occurs `min_frequency` times."""
    splits = {word: [word[0], *("##" + character for character in word[1:])] for word in words}
    vocabulary = [*special_tokens, *sorted(symbols_in(splits))]
    merges: ScoredMerges = []
    while len(vocabulary) < vocab_size:
        counts, symbols = pair_counts(splits, words), symbol_counts(splits, words)
        frequent = [pair for pair in counts if counts[pair] >= min_frequency]
        if not frequent:
            break
        scores = {pair: Fraction(counts[pair], symbols[pair[0]] * symbols[pair[1]]) for pair in frequent}
        # The best pair. Of equally good ones, `max` takes the one met first.
        pair = max(scores, key=lambda p: scores[p])
        token = pair[0] + pair[1].removeprefix("##")
        for word in splits:
            splits[word] = replace_pair(splits[word], pair, token)
        merges.append((pair, scores[pair]))
        if token not in vocabulary:  # two pairs may make the same string
            vocabulary.append(token)
    return vocabulary, merges, splits


def symbol_counts(splits: Splits, words: WordFrequencies) -> dict[str, int]:
    """How often each symbol occurs in the corpus as it is split now."""
    counts: dict[str, int] = {}
    for word, symbols in splits.items():
        for symbol in symbols:
            counts[symbol] = counts.get(symbol, 0) + words[word]
    return counts


def encode(
    word: str, vocabulary: Collection[str], unknown: str = "[UNK]", max_characters: int = 100
) -> list[str]:
    """The tokens of a word: the longest one it starts with, then the longest one the rest starts with, …"""
    if len(word) > max_characters:
        return [unknown]
    tokens: list[str] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(len(word), start, -1)  # the longest match first
        end = next((end for end in ends if prefix + word[start:end] in vocabulary), None)
        if end is None:
            return [unknown]
        tokens.append(prefix + word[start:end])
        start = end
    return tokens


def decode(tokens: Sequence[str]) -> str:
    """The text that the tokens spell: one without ## begins a new word."""
    return " ".join(tokens).replace(" ##", "")
