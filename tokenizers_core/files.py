"""Leaving the app: traces as JSON and CSV, vocabularies and merges as the files that other tools read."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from tokenizers_core.merging import MergeEvent, MergeTrace
from tokenizers_core.tokenizer import Tokenizer

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def trace_to_dict(trace: MergeTrace) -> dict[str, Any]:
    """A whole run as plain data: the corpus, the settings, and every step's merge with its ties."""
    return {
        "algorithm": trace.algorithm,
        "settings": dict(trace.settings),
        "special_tokens": list(trace.special_tokens),
        "normalizer": trace.corpus.pipeline.normalizer,
        "pre_tokenizer": trace.corpus.pipeline.pre_tokenizer,
        "words": dict(trace.corpus.items()),
        "alphabet": list(trace.alphabet),
        "steps": [_step(trace, step) for step in range(1, len(trace) + 1)],
        "stop_reason": trace.stop_reason,
        "vocab": list(trace.tokens),
    }


def _step(trace: MergeTrace, step: int) -> dict[str, Any]:
    event = trace.event(step)
    assert isinstance(event, MergeEvent)  # step 0 alone is not a merge
    return {
        "step": step,
        "pair": list(event.pair),
        "token": event.token,
        "id": event.token_id,
        "freq": event.freq,
        "applied": event.applied,
        "tied_count": event.tied_count,
        "tied": [list(tie.pair) for tie in event.tied],
        "words": list(event.words),
        "vocab_size": trace.vocab_sizes[step],
        "tokens": trace.token_totals[step],
    }


def trace_to_json(trace: MergeTrace) -> str:
    """A whole run as JSON."""
    return json.dumps(trace_to_dict(trace), ensure_ascii=False, indent=1)


def trace_to_csv(trace: MergeTrace) -> str:
    """A run as CSV, one step a row, for a spreadsheet.

    Text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["step", "first", "second", "token", "freq", "tied_count", "vocab_size", "tokens"])
    for point in trace.history:
        pair = trace.pair_of(point.step)
        texts = [_inert(text) for text in (pair.first, pair.second, point.token)]
        writer.writerow([point.step, *texts, point.freq, point.tied_count, point.vocab_size, point.tokens])
    return stream.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def vocab_json(tokenizer: Tokenizer) -> str:
    """`vocab.json`: token → id."""
    return json.dumps(dict(tokenizer.vocab), ensure_ascii=False)


def merges_txt(trace: MergeTrace, step: int | None = None) -> str:
    """`merges.txt`: the merges by rank, one a line, the two tokens parted by a space; a pair stands there once."""
    snapshot = trace[-1 if step is None else step]
    lines = [f"{pair.first} {pair.second}" for pair in dict.fromkeys(snapshot.merges)]
    return "\n".join(["#version: 0.2", *lines]) + "\n"
