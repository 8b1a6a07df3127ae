r"""SuperBPE: first learn words like BPE, then let tokens bridge spaces.

BPE never merges across the cuts between pre-tokens, so `by the way` is at least three tokens,
however often it occurs. Liu et al. (2025) train in two stages. Stage 1 is plain BPE on pre-tokens:

>>> texts = ["by the way", "by the way", "on the way", "the bus"]
>>> vocabulary, merges, words = first_stage(texts, vocab_size=19)
>>> " | ".join(words)
'by | ␣the | ␣way | on | the | ␣bus'
>>> vocabulary[-4:]
['␣w', '␣wa', '␣way', 'by']

Stage 2 continues with whole stretches of text, cut only by a second pattern: at numbers, at runs
of punctuation, at the end of a line. A stretch begins with the merges of stage 1 applied:

>>> splits = stretches_of(texts, merges)
>>> splits["by␣the␣way"], splits["the␣bus"]
(['by', '␣the', '␣way'], ['the', '␣', 'b', 'u', 's'])

Now the most frequent pair may bridge a space, as long as its token has no more than four words and no
colon before a space:

>>> vocabulary, merges, splits = train(texts, vocab_size=21, transition=19)
>>> vocabulary[-2:], splits["by␣the␣way"]
(['␣the␣way', 'by␣the␣way'], ['by␣the␣way'])

To encode, cut with the second pattern and make all merges in the order of learning:

>>> encode("by the way on the bus", merges, vocabulary)
['by␣the␣way', '␣', 'o', 'n', '␣the', '␣', 'b', 'u', 's']
>>> decode(["by␣the␣way", "␣", "o", "n"])
'by the way on'
"""

from __future__ import annotations

import re

from tokenizers_core.plain.bpe import Merges, Splits, WordFrequencies, pair_counts, replace_pair
from tokenizers_core.plain.bpe import encode as encode_stretch

FIRST = r" ?\w+| ?[^\w\s]+|\s+"
"""Words, with the space before them, and other signs: their matches are the pre-tokens of stage 1."""
SECOND = r"\d{1,3}| ?[^\w\s]{2,}[\r\n/]*| +(?!\S)"
"""The pattern of stage 2, the authors' in Python's own syntax: its matches are stretches, and so
is the text between."""


def count(texts: list[str], pattern: str) -> WordFrequencies:
    """How often each stretch of the texts occurs: a pattern's matches, and the text between."""
    results: WordFrequencies = {}
    for text in texts:
        for stretch in re.split(f"({pattern})", text):
            if stretch:
                stretch = stretch.replace(" ", "␣")
                results[stretch] = results.get(stretch, 0) + 1
    return results


def first_stage(texts: list[str], vocab_size: int) -> tuple[list[str], Merges, WordFrequencies]:
    """Plain BPE on pre-tokens, until there are `vocab_size` tokens or no pair is left."""
    words = count(texts, FIRST)
    vocabulary = sorted({symbol for word in words for symbol in word})
    merges: Merges = []
    learn(words, {word: [*word] for word in words}, vocabulary, merges, vocab_size)
    return vocabulary, merges, words


def stretches_of(texts: list[str], merges: Merges) -> Splits:
    """The stretches with the merges of stage 1 applied."""
    symbols = {symbol for text in texts for symbol in text.replace(" ", "␣")}
    known = [*symbols, *(first + second for (first, second), _count in merges)]
    return {stretch: encode_stretch(stretch, merges, known) for stretch in count(texts, SECOND)}


def train(
    texts: list[str], vocab_size: int, transition: int, most_words: int = 4
) -> tuple[list[str], Merges, Splits]:
    """Both stages: the first until there are `transition` tokens, the second until `vocab_size`."""
    vocabulary, merges, _words = first_stage(texts, transition)
    splits = stretches_of(texts, merges)
    learn(count(texts, SECOND), splits, vocabulary, merges, vocab_size, most_words)
    return vocabulary, merges, splits


def learn(
    words: WordFrequencies,
    splits: Splits,
    vocabulary: list[str],
    merges: Merges,
    vocab_size: int,
    most_words: int | None = None,
) -> None:
    """Merge the most frequent pair, again and again; with `most_words`, only pairs that stage 2 may make
    tokens of."""
    while len(vocabulary) < vocab_size:
        counts = pair_counts(splits, words)
        if most_words is not None:
            counts = {pair: n for pair, n in counts.items() if may_be_token("".join(pair), most_words)}
        if not counts:
            break
        pair = max(counts, key=lambda p: counts[p])  # of equals, the one met first
        token = pair[0] + pair[1]
        for word in splits:
            splits[word] = replace_pair(splits[word], pair, token)
        merges.append((pair, counts[pair]))
        if token not in vocabulary:
            vocabulary.append(token)


def may_be_token(token: str, most_words: int) -> bool:
    """Whether stage 2 may make this token.

    >>> may_be_token("␣on␣the␣way␣to", 4), may_be_token("␣on␣the␣way␣to␣it", 4), may_be_token("so:␣it", 4)
    (True, False, False)
    """
    return ":␣" not in token and len([word for word in token.split("␣") if word]) <= most_words


def encode(text: str, merges: Merges, vocabulary: list[str]) -> list[str]:
    """The tokens of a text: cut by the second pattern, each stretch merged."""
    tokens: list[str] = []
    for stretch in re.split(f"({SECOND})", text):
        tokens += encode_stretch(stretch.replace(" ", "␣"), merges, vocabulary)
    return tokens


def decode(tokens: list[str]) -> str:
    """The text that the tokens spell."""
    return "".join(tokens).replace("␣", " ")
