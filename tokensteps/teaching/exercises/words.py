"""The material of exercises: small random corpora, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from random import Random
from typing import Final, NamedTuple

from tokenizers_core import Corpus
from tokensteps.drawing.tokens import chip, chips
from tokensteps.language.i18n import _, count
from tokensteps.runs.corpora import pack_text
from tokensteps.teaching.questions import Question

LEVELS: Final = (1, 2, 3, 4, 5)
FAMILIES: Final = (
    ("hug", "pug", "pun", "bun", "hugs", "bug", "rug", "mug", "tug", "bugs", "snug"),
    ("low", "lower", "slow", "slower", "new", "newer", "lowest", "newest", "now", "snow"),
    ("high", "higher", "light", "night", "right", "sight", "lighter", "tight", "nigh", "sigh"),
    ("cat", "hat", "cats", "chat", "that", "bat", "hats", "chats", "at", "heat"),
    ("sing", "ring", "song", "long", "sang", "rang", "songs", "rings", "along", "wing"),
    ("tea", "team", "eat", "teach", "each", "reach", "beach", "steam", "sea", "seat"),
    ("old", "cold", "hold", "told", "gold", "older", "colder", "holder", "bold", "folds"),
    ("ten", "end", "tent", "sent", "send", "tend", "ends", "tents", "sends", "tender"),
    ("ran", "rain", "train", "grain", "again", "gain", "rains", "trains", "pain", "main"),
    ("the", "then", "them", "this", "there", "these", "other", "bother", "he", "her"),
    ("in", "pin", "pins", "spin", "thin", "tin", "think", "spins", "thing", "win"),
    ("all", "ball", "tall", "call", "fall", "calls", "small", "taller", "balls", "wall"),
)
"""Words with shared pieces, so that pairs recur as in a text."""


class Size(NamedTuple):
    """How large a level's corpora are."""

    words: int
    longest: int
    """Characters of the longest word."""
    most: int
    """The greatest count."""


SIZES: Final[Mapping[int, Size]] = {
    1: Size(3, 4, 6),
    2: Size(4, 4, 8),
    3: Size(4, 5, 9),
    4: Size(5, 6, 10),
    5: Size(6, 7, 12),
}


class Address(NamedTuple):
    """The address of a page with the same corpus."""

    page: str
    """An algorithm's name."""
    query: Mapping[str, str]


class Draft(NamedTuple):
    """The result of a maker."""

    question: Question
    facts: Mapping[str, object]
    """The facts in the prompt, as plain data: enough for a solution by other means."""
    link: Address | None = None


Maker = Callable[[Random, int], Draft]


@dataclass(frozen=True)
class ExerciseKind:
    """A kind of exercise."""

    title: str
    trains: str
    """The skill it trains."""
    make: Maker = field(repr=False)


def draw_words(random: Random, size: Size) -> dict[str, int]:
    """A small corpus: words of one family, each with its count."""
    family = [word for word in random.choice(FAMILIES) if len(word) <= size.longest]
    words = random.sample(family, min(size.words, len(family)))
    return {word: random.randint(1, size.most) for word in words}


def corpus_of(counts: Mapping[str, int]) -> Corpus:
    """The engine's corpus of words and their counts."""
    return Corpus.from_counts(counts)


def counts_text(counts: Mapping[str, int]) -> str:
    """Word counts as they are typed: a word and its number on each line.

    >>> counts_text({"hug": 10, "pug": 5})
    'hug 10\\npug 5'
    """
    return "\n".join(f"{word} {number}" for word, number in counts.items())


def link_to(page: str, counts: Mapping[str, int], **more: str) -> Address | None:
    """The page of an algorithm with these word counts; None where a link can't hold them."""
    packed = pack_text(counts_text(counts))
    return (
        Address(page, {"corpus": "counts", "text": packed, "pre": "whitespace_split", **more})
        if packed
        else None
    )


# --- tables -------------------------------------------------------------------------------------------------


def sheet_html(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A small table of data: the head is plain text, the cells are markup."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table class="sheet"><tr>{top}</tr>{body}</table>'


def words_table(splits: Mapping[str, Sequence[str]], counts: Mapping[str, int]) -> str:
    """Words in their splits, each with its count."""
    return sheet_html(
        (_("Word, as it is split now"), _("Count")),
        ((f'<span class="row">{chips(splits[word])}</span>', count(counts[word])) for word in splits),
    )


def word_counts_table(counts: Mapping[str, int]) -> str:
    """Words with their counts."""
    return sheet_html(
        (_("Word"), _("Count")),
        ((f"<code>{escape(word)}</code>", count(number)) for word, number in counts.items()),
    )


def tokens_table(name: str, heading: str, tokens: Mapping[str, str]) -> str:
    """Tokens, each with a plain text about it."""
    return sheet_html((name, heading), ((chip(token), escape(text)) for token, text in tokens.items()))


def side_by_side(*tables: str) -> str:
    """Tables beside one another."""
    return f'<div class="sheets">{"".join(tables)}</div>'


def prompt(rule: str, data: str, question: str) -> str:
    """A prompt: the rule to use (plain text), the data (markup), the question (markup)."""
    return f'<p class="rule">{escape(rule)}</p>{data}<p class="asked">{question}</p>'


def pair_html(pair: Iterable[str]) -> str:
    """A pair as two joined chips."""
    return f'<span class="pair">{chips(pair)}</span>'


def split_text(pieces: Iterable[str]) -> str:
    """Tokens as they are typed."""
    return " ".join(pieces)


def tokens_in_line(tokens: Iterable[str]) -> str:
    """Tokens in a line of text."""
    return f'<span class="row">{chips(tokens)}</span>'


def fraction(number: Fraction) -> str:
    """A fraction as plain text.

    >>> fraction(Fraction(5, 100))
    '1/20'
    """
    return f"{number.numerator}/{number.denominator}" if number.denominator > 1 else str(number.numerator)
