"""Exports of one step: the state after it as JSON, and its row of the run's table as CSV."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.files.exports import csv_table, prunes_to_csv, trace_to_csv
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.wordpiece import ScoredCandidate

CANDIDATES: Final = 10
"""The default number of candidates listed for a step."""


def step_to_json(trace: AnyTrace, step: int, candidates: int = CANDIDATES) -> str:
    """The state after a step as JSON: event, candidates, vocabulary, and every word as it is split."""
    return json.dumps(step_to_dict(trace, step, candidates), ensure_ascii=False, indent=1, allow_nan=False)


def step_to_csv(trace: AnyTrace, step: int, plain: bool = False) -> str:
    """The row of a step, from 1, in the run's table, under the table's head; `plain` as for the whole
    table."""
    table = prunes_to_csv(trace, plain) if trace.ranked_by == "loss" else trace_to_csv(trace, plain)
    rows = csv.reader(io.StringIO(table, newline=""))
    return csv_table(next(rows), [*islice(rows, step - 1, step)])


def step_to_dict(trace: AnyTrace, step: int, candidates: int) -> dict[str, Any]:
    """The state after a step as plain data, with so many of the candidates."""
    snapshot = trace[step]
    data: dict[str, object] = {
        "algorithm": trace.algorithm,
        "step": step,
        "steps": len(trace),
        "stop_reason": trace.stop_reason,
        "event": snapshot.event,
        "candidates": snapshot.candidates(candidates),
        "vocab_size": snapshot.vocab_size,
        "vocab": snapshot.vocab,
        "splits": snapshot.splits(),
    }
    if trace.ranked_by == "loss":
        data |= {"loss": trace[step].loss, "pieces": trace[step].pieces}
    return {name: as_json(value) for name, value in data.items()}


def as_json(value: Any) -> Any:
    """A value of the engine for JSON: records as objects, fractions as text, unknown numbers as null.

    >>> as_json((Pair("u", "g"), Fraction(1, 20), math.nan))
    [['u', 'g'], '1/20', None]
    """
    if is_dataclass(value) and not isinstance(value, type):
        names = [*(["kind"] if hasattr(value, "kind") else []), *(field.name for field in fields(value))]
        names += ["score"] if isinstance(value, ScoredCandidate) else []
        return {name: as_json(getattr(value, name)) for name in names}
    if hasattr(value, "_asdict") and not isinstance(value, Pair):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: as_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(part) for part in value]
    if isinstance(value, Fraction):
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
