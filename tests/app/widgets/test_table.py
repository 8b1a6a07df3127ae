"""The table's messages (`tokensteps/components/table.py`, `packed_table`): those sent to the browser, and
those accepted from it.

Oracles: Python's own JSON reader and formatting; a list of messages that no script of ours sends.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
import streamlit as st

from tokensteps.components import table as module
from tokensteps.drawing.tables import PAPER_ROWS, packed_table


def columns(table: pd.DataFrame, **options: Any) -> dict[str, dict[str, Any]]:
    return {column["name"]: column for column in json.loads(packed_table(table, **options))["columns"]}


def test_cells_fit_into_a_script() -> None:
    """Numbers impossible in JSON or a script; markup."""
    table = pd.DataFrame(
        {
            "n": [2**53, 2**53 + 1, -(10**17)],
            "x": [0.1, float("nan"), float("inf")],
            "score": [Fraction(1, 3), Fraction(2), None],
            "text": ["<b>", None, "\u202e=1+1\n"],
            "maybe": pd.array([1, None, 3], dtype="Int64"),
            "none": [None, None, None],
        }
    )
    result = columns(table, digits=2)
    assert {name: (column["kind"], column["cells"]) for name, column in result.items()} == {
        "n": ("whole", [2**53, str(2**53 + 1), str(-(10**17))]),
        "x": ("decimal", [0.1, None, None]),
        "score": ("fraction", ["1/3", "2", None]),
        "text": ("text", ["<b>", None, "\u202e=1+1\n"]),
        "maybe": ("whole", [1, None, 3]),
        "none": ("text", [None, None, None]),
    }
    assert [name for name, column in result.items() if "digits" in column] == ["x"]
    assert columns(table, ids=True)["n"]["kind"] == "id" and columns(table, index=True)[""]["heads"]


def test_a_long_table_names_the_printed_share() -> None:
    message = json.loads(packed_table(pd.DataFrame({"n": range(PAPER_ROWS + 1)})))
    assert message["portion"] == PAPER_ROWS and "200 of 201 rows" in message["rest"]
    assert json.loads(packed_table(pd.DataFrame({"n": range(PAPER_ROWS)})))["rest"] == ""


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        "th",
        [],
        ["th"],
        ["th", True],
        ["th", 1, 1],
        [5, True, 1],
        ["th", True, "1"],
        {"th": True},
        "",
        "-plain",
        ["", "1"],
        ["th", 1],
        [None, 1],
    ],
)
def test_foreign_component_messages_are_ignored(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[object] = []
    monkeypatch.setattr(st, "session_state", {"one": {"asked": value, "file": value}, "other": value})
    for key in ("one", "other", "none"):
        module.take_search(key, lambda *arguments: heard.append(arguments))
        module.take_file(key, lambda *arguments: heard.append(arguments))
    assert heard == []
    monkeypatch.setattr(st, "session_state", {"one": {"asked": ["th", True, 1], "file": ["-plain", 2]}})
    module.take_search("one", lambda *arguments: heard.append(arguments))
    module.take_file("one", lambda *arguments: heard.append(arguments))
    assert heard == [("th", True), ("-plain", 2)]
