"""The three trainers as plainly as they are described: for reading beside the picture, and slow on purpose.

Each of them recounts the whole corpus at every step. `bpe`, `wordpiece` and `unigram` compute the same, for real corpora.
Words come as a mapping from word to count, in the corpus's order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from math import exp, inf, log

Words = Mapping[str, int]
Pair = tuple[str, str]
Splits = dict[str, list[str]]
Merged = tuple[Pair, int | Fraction, list[str], Splits]
"""A merge: the pair, its count or score, the vocabulary and the words after it."""
Step = tuple[str, dict[str, float]]
"""A step of Unigram: its kind, and the pieces that it is about, each with a number."""


# --- Merging ----------------------------------------------------------------------------------------------------------


def plain_bpe(
    words: Words, vocab_size: float = inf, special: Iterable[str] = (), least: int = 1, end: str = ""
) -> Iterator[Merged]:
    """Byte-pair encoding (Sennrich et al., 2016; the Hugging Face course, chapter 6).

    `least`: how often a pair has to stand in the corpus. `end`: a last symbol for every word.
    """
    splits = {word: [*word, end] if end else [*word] for word in words}
    vocabulary = [*special, *alphabet(splits)]
    while len(vocabulary) < vocab_size:
        counts = count_pairs(splits, words)
        frequent = [pair for pair in counts if counts[pair] >= least]
        if not frequent:
            return
        # The best; of equals, the one met first.
        pair = max(frequent, key=lambda pair: counts[pair])
        token = pair[0] + pair[1]
        for word in splits:
            splits[word] = replace_pair(splits[word], pair, token)
        if token not in vocabulary:
            vocabulary.append(token)
        yield pair, counts[pair], [*vocabulary], {**splits}


def plain_wordpiece(
    words: Words, vocab_size: float = inf, special: Iterable[str] = (), least: int = 1
) -> Iterator[Merged]:
    """WordPiece as the Hugging Face course (chapter 6) reads Schuster and Nakajima (2012)."""
    splits = {word: [word[0], *("##" + character for character in word[1:])] for word in words}
    vocabulary = [*special, *alphabet(splits)]
    while len(vocabulary) < vocab_size:
        counts = count_pairs(splits, words)
        symbols = count_symbols(splits, words)
        scores = {}
        for first, second in counts:
            if counts[first, second] >= least:
                product = symbols[first] * symbols[second]
                scores[first, second] = Fraction(counts[first, second], product)
        if not scores:
            return
        # The best; of equals, the one met first.
        pair = max(scores, key=lambda pair: scores[pair])
        token = pair[0] + pair[1].removeprefix("##")
        for word in splits:
            splits[word] = replace_pair(splits[word], pair, token)
        if token not in vocabulary:
            vocabulary.append(token)
        yield pair, scores[pair], [*vocabulary], {**splits}


def alphabet(splits: Splits) -> list[str]:
    """The different symbols of all words, sorted."""
    return sorted({symbol for symbols in splits.values() for symbol in symbols})


def count_pairs(splits: Splits, words: Words) -> dict[Pair, int]:
    """How often each pair of neighbours stands in the corpus, in the order in which they are met."""
    counts: dict[Pair, int] = {}
    for word, symbols in splits.items():
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + words[word]
    return counts


def count_symbols(splits: Splits, words: Words) -> dict[str, int]:
    """How often each symbol stands in the corpus."""
    counts: dict[str, int] = {}
    for word, symbols in splits.items():
        for symbol in symbols:
            counts[symbol] = counts.get(symbol, 0) + words[word]
    return counts


def replace_pair(symbols: list[str], pair: Pair, token: str) -> list[str]:
    """The symbols with the token for every such pair, from left to right.

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


# --- Unigram, the course's way ----------------------------------------------------------------------------------------


def plain_unigram_course(
    words: Words, vocab_size: int, seed_size: int = 300, share: float = 0.1
) -> Iterator[Step]:
    """Unigram as the Hugging Face course (chapter 6) teaches it.

    `vocab_size`: pieces to keep, all characters at least.
    """
    counts = course_seed(words, seed_size)
    model = log_shares(counts)
    while len(model) > vocab_size:
        loss = corpus_loss(words, model)
        costs = {}
        for piece in model:
            if len(piece) > 1:  # characters stay
                costs[piece] = corpus_loss(words, model, without=piece) - loss
        ranking = sorted(costs, key=lambda piece: costs[piece])  # the cheapest first
        for piece in ranking[: max(1, int(share * len(model)))]:
            del counts[piece]
            yield "prune", {piece: costs[piece]}
        model = log_shares(counts)  # those left share the probability anew


def course_seed(words: Words, size: int, longest: int = 16) -> dict[str, float]:
    """Every character, then the most frequent longer substrings, with their counts."""
    counts: dict[str, float] = {}
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(start + longest, len(word)) + 1):
                piece = word[start:end]
                counts[piece] = counts.get(piece, 0) + count
    characters = [piece for piece in counts if len(piece) == 1]
    longer = sorted((piece for piece in counts if len(piece) > 1), key=lambda piece: -counts[piece])
    return {piece: counts[piece] for piece in (characters + longer)[:size]}


def log_shares(counts: Mapping[str, float]) -> dict[str, float]:
    """Log probabilities in proportion to counts."""
    total = sum(counts.values())
    return {piece: log(count / total) for piece, count in counts.items()}


def corpus_loss(words: Words, model: Mapping[str, float], without: str = "") -> float:
    """What the corpus costs on best splits, in nats: count × −log P, from the first word to the last."""
    loss = 0.0
    for word, count in words.items():
        _pieces, log_probability = best_split(word, model, without)
        loss += count * -log_probability
    return loss


def best_split(word: str, model: Mapping[str, float], without: str = "") -> tuple[list[str], float]:
    """The most probable split of a word, and its log probability (Viterbi, 1967)."""
    best, came_from = [0.0] + [-inf] * len(word), [0] * (len(word) + 1)
    for start, end, score in edges(word, model, without):
        if best[start] + score > best[end]:
            best[end], came_from[end] = best[start] + score, start
    pieces: list[str] = []
    end = len(word)
    while end:
        pieces.insert(0, word[came_from[end] : end])
        end = came_from[end]
    return pieces, best[-1]


def edges(
    word: str, model: Mapping[str, float], without: str = "", longest: int = 16
) -> Iterator[tuple[int, int, float]]:
    """Where pieces stand in a word, with their log probabilities; an unknown character's is below all others."""
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - longest), end):
            piece = word[start:end]
            if piece in model and piece != without:
                yield start, end, model[piece]
            elif len(piece) == 1:
                yield start, end, min(model.values()) - 10


# --- Unigram, SentencePiece's way -------------------------------------------------------------------------------------


def plain_unigram_sentencepiece(
    words: Words, vocab_size: int, share: float = 0.25, ends: Iterable[int] = ()
) -> Iterator[Step]:
    """Unigram as SentencePiece trains it (Kudo, 2018).

    `vocab_size`: pieces to keep, all characters at least. `ends`: how often each word ends a text, where known.
    """
    model = log_shares(sentencepiece_seed(words, ends))
    characters = [piece for piece in model if len(piece) == 1]
    desired = int(1.1 * vocab_size)
    while True:
        for _iteration in range(2):
            expected = e_step(words, model)
            yield "e_step", expected
            model = m_step(expected)
            yield "m_step", {**model}
        if len(model) <= desired:
            break
        unused, used, losses = rank_pieces(words, model)
        keep = max(desired, int((1 - share) * len(model)))
        number = max(len(unused), len(model) - keep)
        for piece in (unused + used)[:number]:
            del model[piece]
            yield "prune", {piece: losses.get(piece, 0.0)}
    yield "finalize", finalize(model, characters, vocab_size)


def sentencepiece_seed(words: Words, ends: Iterable[int] = (), longest: int = 16) -> dict[str, float]:
    """Every character, and repeated substrings with count × length, unless the same always follows.

    (SentencePiece leaves out those that mix scripts, too.)
    """
    last = dict(zip(words, ends, strict=False))
    counts: dict[str, float] = {}
    followed: dict[str, set[str]] = {}
    for word, count in words.items():
        after = {"next word"} if last.get(word, 0) < count else set()
        after |= {"end of text"} if last.get(word, 1) else set()
        for start in range(len(word)):
            for end in range(start + 1, min(start + longest, len(word)) + 1):
                piece = word[start:end]
                counts[piece] = counts.get(piece, 0) + count
                followed.setdefault(piece, set()).update(word[end] if end < len(word) else after)
    longer = {piece: counts[piece] * len(piece) for piece in counts if len(piece) > 1 and counts[piece] > 1}
    characters = sorted((piece for piece in counts if len(piece) == 1), key=lambda c: (-counts[c], c))
    varied = [piece for piece in longer if len(followed[piece]) > 1]
    seed = {piece: counts[piece] for piece in characters}
    return seed | {piece: longer[piece] for piece in sorted(varied, key=lambda piece: -longer[piece])}


def e_step(words: Words, model: Mapping[str, float]) -> dict[str, float]:
    """How often each piece is expected in all splits of all words (forward–backward).

    With plain probabilities: words of hundreds of characters would need logarithms.
    """
    expected = dict.fromkeys(model, 0.0)
    for word, count in words.items():
        found = [*edges(word, model)]
        before, after = [1.0] + [0.0] * len(word), [0.0] * len(word) + [1.0]
        for start, end, score in found:
            before[end] += before[start] * exp(score)
        for start, end, score in reversed(found):
            after[start] += exp(score) * after[end]
        for start, end, score in found:
            piece = word[start:end]
            if piece in expected:
                expected[piece] += count * before[start] * exp(score) * after[end] / before[-1]
    return expected


def m_step(expected: Mapping[str, float]) -> dict[str, float]:
    """New log probabilities from expected counts; what is expected less than half a time goes, if others stay."""
    kept = {piece: count for piece, count in expected.items() if count >= 0.5}
    kept = kept or {piece: count for piece, count in expected.items() if count > 0}
    total = digamma(sum(kept.values()))
    return {piece: digamma(count) - total for piece, count in kept.items()}


def digamma(x: float) -> float:
    """The derivative of log Γ (Abramowitz and Stegun, 6.3.5 and 6.3.18).

    >>> round(digamma(1), 9)
    -0.577215665
    """
    below = 0.0
    while x < 12:
        below += 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return log(x) - 1 / (2 * x) - series - below


def rank_pieces(words: Words, model: Mapping[str, float]) -> tuple[list[str], list[str], dict[str, float]]:
    """The pieces that no best split uses; the other longer ones, the cheapest first; what those cost, about.

    Every occurrence of a piece becomes the second-best split of the piece itself.
    """
    counts: dict[str, int] = {}
    for word, count in words.items():
        for piece in best_split(word, model)[0]:
            if piece in model:
                counts[piece] = counts.get(piece, 0) + count
    total = sum(counts.values())
    losses: dict[str, float] = {}
    for piece in reversed([piece for piece in model if piece in counts and len(piece) > 1]):
        count = counts[piece]
        parts, _log_probability = best_split(piece, model, without=piece)
        log_total = log(total + count * (len(parts) - 1))
        instead = sum(log(counts.get(part, 0) + count) - log_total for part in parts)
        losses[piece] = count * (log(count) - log(total) - instead)
    unused = [piece for piece in model if piece not in counts]
    return unused, sorted(losses, key=lambda piece: losses[piece]), losses


def finalize(model: Mapping[str, float], characters: Iterable[str], vocab_size: int) -> dict[str, float]:
    """Every character, put back where it is missing, and the most probable pieces beside them."""
    final: dict[str, float] = {}
    missing = 0
    for character in characters:
        if character not in model:
            final[character] = min(model.values()) + 0.0001 * missing
            missing += 1
        else:
            final[character] = model[character]
    for piece in sorted(model, key=lambda piece: -model[piece]):
        if len(final) < vocab_size:
            final[piece] = model[piece]
    return dict(sorted(final.items(), key=lambda item: (-item[1], item[0])))
