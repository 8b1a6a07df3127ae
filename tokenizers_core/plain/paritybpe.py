"""Parity-aware BPE: the worst-served language chooses the next merge.

Plain BPE merges the most frequent pair of all texts together. The language with the most text gets
most of the vocabulary, and the others take more tokens to say the same. Foroutan et al. (2025)
keep a corpus for each language, and count each language's tokens on a parallel text, with the same
lines in each language. The language with the most tokens chooses: the most frequent pair in its
corpus is merged, in all languages.

>>> lines = {"en": ["the cat sat", "the dog ran"], "de": ["die Katze saß", "der Hund rannte"]}
>>> corpora = {language: words_of(texts) for language, texts in lines.items()}
>>> vocabulary, steps, splits = train(corpora, merges=5)
>>> for language, tokens, pair in steps:
...     print(language, tokens, *pair)
de {'en': 22, 'de': 28} d i
de {'en': 22, 'de': 27} di e
de {'en': 22, 'de': 26} ␣ K
de {'en': 22, 'de': 25} ␣K a
de {'en': 22, 'de': 24} ␣Ka t

German takes 28 tokens for its two lines, English 22, so German chooses, though `a t`, `␣ t` and others
are as frequent in English. Every merge is made in both: there is one vocabulary. Of two languages with
equally many tokens the first named chooses, and a language without a pair left is passed over.

>>> tokens_of(splits["de"], corpora["de"]), tokens_of(splits["en"], corpora["en"])
(23, 22)
"""

from __future__ import annotations

from collections.abc import Mapping

from tokenizers_core.plain.bpe import Splits, WordFrequencies, pair_counts, replace_pair, symbols_in

Steps = list[tuple[str, dict[str, int], tuple[str, str]]]
"""The choosing language, each language's tokens before the merge, and the pair."""


def words_of(texts: list[str]) -> WordFrequencies:
    """The words of texts with the space before them, and how often each occurs."""
    words: WordFrequencies = {}
    for text in texts:
        for index, word in enumerate(text.split(" ")):
            word = f"␣{word}" if index else word
            words[word] = words.get(word, 0) + 1
    return words


def train(
    corpora: Mapping[str, WordFrequencies], merges: int, parallel: Mapping[str, WordFrequencies] | None = None
) -> tuple[list[str], Steps, dict[str, Splits]]:
    """Make so many merges. `parallel` is the parallel text, unless the corpora themselves are parallel."""
    texts = corpora if parallel is None else parallel
    splits = {language: characters_of(words) for language, words in corpora.items()}
    cut = splits if parallel is None else {name: characters_of(words) for name, words in texts.items()}
    vocabulary = sorted(set().union(*map(symbols_in, [*splits.values(), *cut.values()])))
    steps: Steps = []
    left = list(corpora)
    while len(steps) < merges and left:
        tokens = {language: tokens_of(cut[language], texts[language]) for language in texts}
        language = max(left, key=lambda name: tokens[name])  # of equals, the first named
        counts = pair_counts(splits[language], corpora[language])
        if not counts:
            left.remove(language)
            continue
        pair = max(counts, key=lambda p: counts[p])  # of equals, the one met first
        for words in [*splits.values(), *cut.values()]:
            merge_in(words, pair)
        steps.append((language, tokens, pair))
        if (token := pair[0] + pair[1]) not in vocabulary:
            vocabulary.append(token)
    return vocabulary, steps, splits


def characters_of(words: WordFrequencies) -> Splits:
    """Every word as its characters."""
    return {word: [*word] for word in words}


def merge_in(splits: Splits, pair: tuple[str, str]) -> None:
    """Merge a pair in every word."""
    for word in splits:
        splits[word] = replace_pair(splits[word], pair, pair[0] + pair[1])


def tokens_of(splits: Splits, words: WordFrequencies) -> int:
    """How many tokens a text takes."""
    return sum(len(splits[word]) * words[word] for word in words)
