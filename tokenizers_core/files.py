"""Leaving the app: traces as JSON and CSV, vocabularies and merges as the files that other tools read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from tokenizers_core.merging import TIES_LISTED, MergeTrace
from tokenizers_core.tokenizer import Tokenizer

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def trace_to_dict(trace: MergeTrace) -> dict[str, Any]:
    """A whole run as plain data: the corpus, the settings, and every step's merge with its ties."""
    pipeline = trace.corpus.pipeline
    return {
        "algorithm": trace.algorithm,
        "settings": dict(trace.settings),
        "special_tokens": list(trace.special_tokens),
        "normalizer": pipeline.normalizer,
        "pre_tokenizer": pipeline.pre_tokenizer,
        "pattern": pipeline.pattern if pipeline.byte_level else None,
        "words": dict(trace.corpus.items()),
        "alphabet": list(trace.alphabet),
        "steps": [_step(trace, step, tied) for step, tied in enumerate(trace.tied_pairs(), start=1)],
        "stop_reason": trace.stop_reason,
        "vocab": list(trace.tokens),
    }


def _step(trace: MergeTrace, step: int, tied: Sequence[str]) -> dict[str, Any]:
    """What `trace[step].event` tells, taken from the record: a long run has many steps."""
    record = trace.record
    token = ord(record.token(step))
    return {
        "step": step,
        "pair": list(trace.pair_of(step)),
        "token": trace.tokens[token],
        "id": token,
        "freq": record.frequencies[step - 1],
        "applied": record.applied[step - 1],
        "tied_count": len(tied),
        "tied": [list(trace.read_pair(pair)) for pair in tied[:TIES_LISTED]],
        "words": [trace.corpus.words[index] for index in record.words_at(step)],
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
    stream = io.StringIO(newline="")
    writer = csv.writer(
        stream
    )  # lines end in CR LF (RFC 4180): then either of the two gets quotes in a field
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


def vocab_txt(tokenizer: Tokenizer) -> str:
    """`vocab.txt`: the tokens by id, one a line, as BERT has them."""
    return "\n".join([*tokenizer.tokens, ""])
