"""The steps of a run that change a word, a token or a pair: the stops when following one of these."""

from __future__ import annotations

from bisect import bisect_right

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace


def steps_changing_word(trace: AnyTrace, word: str) -> list[int]:
    """The steps that change the split of a word (a pre-token of the pipeline). An empty list for a word the
    run can't split.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=4)
    >>> [trace.pair_of(step) for step in steps_changing_word(trace, "hugs")]
    [Pair(first='u', second='g'), Pair(first='h', second='ug')]
    """
    if isinstance(trace, UnigramTrace) and word not in trace.corpus.words:
        return []
    try:
        return [step for step, _split in trace.history_of(word)[1:]]
    except TokenizersCoreError:  # it has characters unknown to the run
        return []


def steps_changing_token(trace: AnyTrace, token: str) -> list[int]:
    """The steps that make a token, merge it, or remove it; for Unigram, steps that prune it or change its
    count in a word's best split.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=4)
    >>> [trace.pair_of(step) for step in steps_changing_token(trace, "ug")]
    [Pair(first='u', second='g'), Pair(first='h', second='ug')]
    """
    if isinstance(trace, UnigramTrace):
        return _piece_changed(trace, token)
    identifier = trace.vocabulary.ids.get(token)
    if identifier is None:
        return []
    record, private = trace.record, chr(identifier)
    return [
        step
        for step in range(1, len(record) + 1)
        if private in record.pair(step) or record.token(step) == private
    ]


def _piece_changed(trace: UnigramTrace, piece: str) -> list[int]:
    number = next((number for number, (name, _count) in enumerate(trace.seed) if name == piece), None)
    if number is None:
        return []
    used: dict[int, int] = {}
    there = piece in trace.pieces_at(0)
    results = []
    for step, changed in enumerate(trace.changed_splits):
        times = {position: split.count(number) for position, split in changed.items()}
        differs = any(time != used.get(position, 0) for position, time in times.items())
        used |= times
        was, there = there, piece in trace.pieces_at(step)
        if step and (differs or was != there):
            results.append(step)
    return results


def steps_changing_pair(trace: AnyTrace, first: str, second: str) -> list[int]:
    """The steps that change the count of two neighbouring tokens; none for Unigram, as it has no pairs.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=4)
    >>> [trace.pair_of(step) for step in steps_changing_pair(trace, "g", "s")]
    [Pair(first='u', second='g')]
    """
    if not isinstance(trace, MergeTrace) or not {first, second} <= trace.vocabulary.ids.keys():
        return []
    wanted, result = trace.vocabulary.write((first, second)), set()
    for record in trace.records:
        at = record.changed_pairs.find(wanted)
        while at >= 0:
            if at % 2 == 0 and record.changes[at // 2]:
                result.add(bisect_right(record.change_ends, at // 2))
            at = record.changed_pairs.find(wanted, at + 1)
    return sorted(result)
