"""The training loop shared by BPE and WordPiece: check the settings, split the words, merge, and record every
merge."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from numbers import Integral
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.encoding.models.pairs import SEPARATOR, split_word
from tokenizers_core.encoding.vocabulary import Private, Vocabulary
from tokenizers_core.errors import (
    WHOLE_NUMBER,
    Phrase,
    SettingError,
    UnreachedSizeWarning,
    VocabSizeError,
    refuse_no_tokens,
    refuse_unknown_name,
    refuse_wrong_type,
)
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, in_byte_alphabet, rewritten
from tokenizers_core.text.corpus import Corpus, refuse_no_corpus
from tokenizers_core.trace import GROWING, Growing
from tokenizers_core.training.merge_trace import MergePart, MergeTrace
from tokenizers_core.training.merging import Merge, MergeRecord, PairTable, Progress, Recorder
from tokenizers_core.training.options.bounds import Bounds
from tokenizers_core.training.options.limits import Limits, within
from tokenizers_core.training.ties import TIE_RULES, TieOrder

SomeTrace = TypeVar("SomeTrace", bound=MergeTrace)


class Beginning(NamedTuple):
    """The beginning of a run that extends a tokenizer."""

    tokens: Sequence[str]
    """The tokens by id, the new symbols last."""
    symbols: Sequence[str]
    """The symbols added by the corpus."""
    words: Sequence[Private]
    """The corpus's words in these tokens."""


def no_more(_cut: bool) -> Mapping[str, Any]:
    """No further fields: for kinds that record nothing beside the merges."""
    return {}


def run_training(
    kind: type[SomeTrace],
    merges_of: Callable[[PairTable, Vocabulary, TieOrder, int, Bounds | None], Iterator[Merge]],
    corpus: Corpus,
    *,
    vocab_size: int | None,
    merges: int | None,
    min_frequency: int,
    special_tokens: Sequence[str],
    tie_rule: str,
    progress: Progress | None,
    growing: Growing | None,
    prefix: str = "",
    suffix: str = "",
    extra_symbols: Iterable[str] = (),
    beginning: Beginning | None = None,
    limits: Limits = Limits(),  # noqa: B008 (a tuple)
    settings: Mapping[str, Any],
    vocabulary_of: type[Vocabulary] = Vocabulary,
    more: Mapping[str, Any] = MappingProxyType({}),
    recorded: Callable[[bool], Mapping[str, Any]] = no_more,
    tabled: bool = True,
    callers: int = 3,
) -> SomeTrace:
    """Train by merging and record it: check the settings, split the words, run `merges_of`, record every
    merge.

    `extra_symbols` are in the alphabet whether the corpus has them or not; `beginning` is the state before
    the first merge, if the words don't begin as their characters; `settings` are recorded with the common
    ones. `vocabulary_of` makes the vocabulary, whose length `vocab_size` limits; `more` are fields of the
    trace. So is the result of `recorded`: everything a kind has recorded beside the merges, or with its
    argument true only the part since the last cut. With `tabled` false, `merges_of` gets an empty table: it
    has tables of its own. `callers` is a warning's distance up the stack to the caller it is meant for.
    """
    refuse_no_corpus(corpus)
    check_settings(tie_rule, min_frequency, merges, vocab_size, special_tokens)
    symbols = corpus.pipeline.user_defined_symbols
    whole = (*symbols, *(BYTE_TOKENS if settings.get("byte_fallback") else ()))
    special_tokens = (*special_tokens, *whole)
    limits.check()
    for name, symbol in (("continuing_subword_prefix", prefix), ("end_of_word_suffix", suffix)):
        refuse_wrong_type(name, symbol, str, "give a str, which may be empty")
    words: Sequence[Private]
    if beginning is None:
        alphabet = alphabet_of(corpus, prefix, suffix, extra_symbols, limits)
        vocabulary = vocabulary_of([*special_tokens, *alphabet], prefix)
        words = private_words(
            corpus.words if tabled else (),
            vocabulary,
            suffix,
            partly=limits.drop_characters,
            unknown=kind.unknown_inside,
        )
    else:
        alphabet, vocabulary, words = (
            [*beginning.symbols],
            vocabulary_of(beginning.tokens, prefix),
            beginning.words,
        )
    if vocab_size is not None and vocab_size < len(vocabulary):
        raise VocabSizeError(
            vocab_size=vocab_size,
            minimum=len(vocabulary),
            what="starting vocabulary" if special_tokens else "alphabet",
        )

    table = PairTable(words, corpus.counts if tabled else ())
    order = TIE_RULES[tie_rule].in_run(table, vocabulary, corpus.pipeline.byte_level)
    bounds = None
    if beginning is not None or limits.max_token_length is not None or whole:
        taken = () if beginning is None else frozenset(beginning.tokens)
        bounds = kind.bounds_of(vocabulary, taken, limits.max_token_length, suffix, whole)
    run = merges_of(table, vocabulary, order, min_frequency, bounds)
    recorder, known = Recorder(), 0

    def trace(record: MergeRecord, stop_reason: str, cut: bool) -> SomeTrace:
        return kind(
            corpus=corpus,
            special_tokens=tuple(dict.fromkeys(special_tokens)),
            alphabet=tuple(alphabet),
            tokens=tuple(vocabulary.tokens),
            record=record,
            stop_reason=stop_reason,
            settings={
                "vocab_size": vocab_size,
                "merges": merges,
                "min_frequency": min_frequency,
                "tie_rule": tie_rule,
                "continuing_subword_prefix": prefix,
                **settings,
                **limits.non_defaults(),
            },
            **more,
            **recorded(cut),
        )

    def cut() -> SomeTrace | MergePart:
        nonlocal known
        before, known = known, len(vocabulary.tokens)
        if not before:
            return trace(recorder.cut(), GROWING, cut=True)
        return MergePart(tuple(vocabulary.tokens[before:]), recorder.cut(), recorded(True))

    grow = None if growing is None else partial(growing, cut)
    stop_reason = record_run(run, recorder, vocabulary, vocab_size, merges, progress, grow)
    if stop_reason == "no_pairs" and (table.counts or not tabled):
        enough = (pair for pair, count in table.counts.items() if count >= min_frequency)
        if bounds and any(map(bounds.reason, enough)):
            stop_reason = "bounds"
        elif min_frequency > 1:
            stop_reason = "min_frequency"
    result = trace(recorder.record(), stop_reason, cut=False)
    if result.shortfall:
        warnings.warn(str(result.shortfall), UnreachedSizeWarning, stacklevel=callers)
    return result


def check_settings(
    tie_rule: str,
    min_frequency: int,
    merges: int | None,
    vocab_size: int | None,
    special_tokens: Sequence[str],
) -> None:
    """Raise UnknownNameError for an unknown tie rule, WrongTypeError or SettingError for an invalid number or
    token."""
    refuse_unknown_name("tie_rule", tie_rule, TIE_RULES)
    refuse_wrong_type("min_frequency", min_frequency, Integral, WHOLE_NUMBER)
    for name, number in (("merges", merges), ("vocab_size", vocab_size)):
        if number is not None:
            refuse_wrong_type(name, number, Integral, WHOLE_NUMBER)
    for name, value, least in (("min_frequency", min_frequency, 1), ("merges", merges, 0)):
        if value is not None and value < least:
            raise SettingError(name=name, value=value, reason=Phrase("choose at least {least}", least=least))
    refuse_no_tokens(special_tokens)


def alphabet_of(
    corpus: Corpus, prefix: str, suffix: str, extra_symbols: Iterable[str], limits: Limits
) -> list[str]:
    """The initial alphabet of training, sorted: the words' characters, with `prefix` inside words, and the
    others."""
    always = {*extra_symbols, *limits.initial_alphabet}
    symbols = always | {*filter(None, [suffix])}
    if limits.drop_characters:
        allowed = limits.alphabet(corpus, always)
        positions = {symbol for word in corpus.words for symbol in split_word(word, prefix)}
        results = {symbol for symbol in positions if (symbol.removeprefix(prefix) or symbol) in allowed}
        return sorted(results | (symbols & allowed) | {*filter(None, [suffix])})
    if prefix:
        symbols.update(word[0] for word in corpus.words)
        symbols.update(prefix + symbol for symbol in set("".join([word[1:] for word in corpus.words])))
    elif not (symbols.issuperset(BYTE_TO_SYMBOL) and in_byte_alphabet(corpus.words)):
        symbols.update("".join(corpus.words))
    return sorted(symbols)


def private_words(
    words: Sequence[str], vocabulary: Vocabulary, suffix: str, partly: bool = False, unknown: str = ""
) -> list[Private]:
    """Words split into their symbols, as private characters; `partly` writes `unknown` for symbols not in the
    vocabulary, "" for nothing."""
    ids, prefix = vocabulary.ids, vocabulary.prefix
    written: list[Any]  # a call for each word only to name its type would be felt
    if partly:
        return [vocabulary.write(within(split_word(word, prefix, suffix), ids, unknown)) for word in words]
    if not prefix and not suffix and (table := vocabulary.byte_table(SEPARATOR)):
        with suppress(UnicodeError):  # a character outside the byte alphabet
            text: Any = rewritten(words, table)
            written = text.split(SEPARATOR)
            return written
    end = chr(ids[suffix]) if suffix else ""
    inside = {
        ord(token[-1]): chr(identifier)
        for token, identifier in ids.items()
        if len(token) == len(prefix) + 1 and token.startswith(prefix)
    }
    if prefix:
        written = [chr(ids[word[0]]) + word[1:].translate(inside) + end for word in words]
    else:
        written = [word.translate(inside) + end for word in words]
    return written


def record_run(
    run: Iterator[Merge],
    recorder: Recorder,
    vocabulary: Vocabulary,
    vocab_size: int | None,
    merges: int | None,
    progress: Progress | None,
    grow: Callable[[], object] | None,
) -> str:
    """Write down the merges of `run` up to the limits; returns the reason for stopping there. `grow` is
    called before each."""
    start = len(vocabulary)
    wanted = merges if vocab_size is None else vocab_size - start
    result = 0
    while True:
        if vocab_size is not None and len(vocabulary) >= vocab_size:
            return "vocab_size"
        if merges is not None and result >= merges:
            return "max_merges"
        if grow is not None:
            grow()
        if progress is not None and result % 64 == 0:
            done = result if vocab_size is None else len(vocabulary) - start
            if progress(done, wanted) is False:
                return "stopped"
        merge = next(run, None)
        if merge is None:
            return "no_pairs"
        recorder.add(merge)
        result += merge.token != merge.pair[0]  # not only a change of another kind
