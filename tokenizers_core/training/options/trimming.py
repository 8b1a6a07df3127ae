"""Trimming: a BPE tokenizer without its last merges, and why merges in the middle can't be cut out.

A merge needs two tokens made by earlier merges. Without the last merges, all others work as before; without
one in the middle, every token made from its result can't be made any more: such a token stays in the
vocabulary and no text produces it.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import NamedTuple

from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.errors import WHOLE_NUMBER, Phrase, SettingError, refuse_wrong_type


def bpe_of(tokenizer: Tokenizer, name: str) -> BpeModel:
    """The tokenizer's model. Raises WrongTypeError, SettingError for another kind of model."""
    refuse_wrong_type(name, tokenizer, Tokenizer, "load one first: Tokenizer.load('tokenizer.json')")
    if not isinstance(tokenizer.model, BpeModel):
        raise SettingError(
            name=name,
            value=type(tokenizer.model).__name__.removesuffix("Model"),
            reason="only BPE has merges",
        )
    return tokenizer.model


def trim(tokenizer: Tokenizer, merges: int) -> Tokenizer:
    """The tokenizer without its last `merges` merges and the tokens made only by these. All other tokens keep
    their ids.

    Raises WrongTypeError, SettingError.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> tokenizer = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "hugs": 6}), merges=3).tokenizer()
    >>> [trim(tokenizer, number).encode("hugs").tokens for number in (0, 1, 2)]
    [['hugs'], ['hug', 's'], ['h', 'ug', 's']]
    """
    model = bpe_of(tokenizer, "tokenizer")
    refuse_wrong_type("merges", merges, Integral, WHOLE_NUMBER)
    if not 0 <= merges <= len(model.merges):
        reason = Phrase("choose a number from 0 to {most}", most=len(model.merges))
        raise SettingError(name="merges", value=merges, reason=reason)
    stored = model.merges[: len(model.merges) - merges]
    gone = merged_tokens(model, model.merges[len(stored) :]) - merged_tokens(model, stored)
    gone -= {*tokenizer.special_tokens, *(token.content for token in tokenizer.added)}
    tokens = ["" if token in gone else token for token in model.vocabulary.tokens]
    while tokens and not tokens[-1]:
        tokens.pop()
    return tokenizer.with_options(model=model.with_merges(tokens, stored))


def merged_tokens(model: BpeModel, merges: Sequence[Pair]) -> set[str]:
    """The tokens made by merges."""
    prefix = model.vocabulary.prefix
    return {first + second.removeprefix(prefix) for first, second in merges}


class CutOut(NamedTuple):
    """A vocabulary's losses without one of its merges."""

    pair: Pair
    token: str
    idle: tuple[Pair, ...]
    """Later merges that can't happen any more, in the order of their ranks: nothing makes one of their
    parts."""
    stranded: tuple[str, ...]
    """The tokens no longer made by any merge."""


def cut_out(tokenizer: Tokenizer, rank: int) -> CutOut:
    """A tokenizer's losses without the merge of this rank. Raises WrongTypeError, SettingError.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> tokenizer = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "hugs": 6}), merges=3).tokenizer()
    >>> cut_out(tokenizer, 0)
    CutOut(pair=Pair(first='u', second='g'), token='ug', idle=(Pair(first='h', second='ug'), Pair(first='hug', second='s')), \
stranded=('ug', 'hug', 'hugs'))
    """  # noqa: W505
    model = bpe_of(tokenizer, "tokenizer")
    refuse_wrong_type("rank", rank, Integral, WHOLE_NUMBER)
    if not 0 <= rank < len(model.merges):
        reason = Phrase("choose a number from 0 to {most}", most=len(model.merges) - 1)
        raise SettingError(name="rank", value=rank, reason=reason)
    prefix = model.vocabulary.prefix
    there = {*model.vocabulary.tokens} - merged_tokens(model, model.merges)
    idle = []
    for index, (first, second) in enumerate(model.merges):
        if index == rank:
            continue
        if first in there and second in there:
            there.add(first + second.removeprefix(prefix))
        elif index > rank:
            idle.append(Pair(first, second))
    pair = Pair(*model.merges[rank])
    stranded = [token for token in model.vocabulary.tokens if token and token not in there]
    return CutOut(pair, pair.first + pair.second.removeprefix(prefix), tuple(idle), tuple(stranded))


def earliest_merge(tokenizer: Tokenizer, text: str) -> int | None:
    """The rank of the first merge on the way to the longest token of a text; None if no token of it was
    merged from others."""
    model = bpe_of(tokenizer, "tokenizer")
    prefix = model.vocabulary.prefix
    rank_of: dict[str, int] = {}
    for rank, (first, second) in enumerate(model.merges):
        rank_of.setdefault(first + second.removeprefix(prefix), rank)
    merged = [token for token in tokenizer.encode(text).tokens if token in rank_of]
    waiting = [max(merged, key=len)] if merged else []
    ranks = []
    while waiting:
        token = waiting.pop()
        if token in rank_of:
            ranks.append(rank_of[token])
            waiting += model.merges[ranks[-1]]
    return min(ranks, default=None)
