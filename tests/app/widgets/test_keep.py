"""A tab's data for a session (`tokensteps/widgets/keep.py`), and the pages' use of it.

Oracle: the stored values; a browser that gives back something else. The way through a real one is in
`tests/browser/test_predict_page.py` and `test_exercises_page.py`.
"""

from __future__ import annotations

from functools import reduce
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

import tokensteps.widgets.keep
from tokensteps.limits import SEALED_LIMIT
from tokensteps.pages.learn.exercises import EXERCISES_PAGE, VERDICTS_STORED, Record, keep_record
from tokensteps.server.seal import seal
from tokensteps.teaching.exercises.kinds import make
from tokensteps.teaching.questions import RIGHT, WRONG, GivenAnswer, Tally, Verdict
from tokensteps.teaching.walk import PATH_WALK, PathProgress, read_progress
from tokensteps.widgets.keep import synced, synced_with_tabs


class Browser:
    """A tab's data, by place, instead of `keep.js`."""

    def __init__(self) -> None:
        self.held: dict[str, str] = {}

    def __call__(self, *, key: str, data: dict[str, str], on_kept_change: Any, on_erased_change: Any) -> Any:
        assert key == f"keep-{data['place']}" and on_kept_change is not None
        if data["text"]:
            self.held[data["place"]] = data["text"]
            return SimpleNamespace(kept=None)
        return SimpleNamespace(kept=self.held.pop(data["place"], None))


@pytest.fixture
def tab(monkeypatch: pytest.MonkeyPatch) -> Browser:
    result = Browser()
    monkeypatch.setattr(tokensteps.widgets.keep, "component", lambda _name, _styles: result)
    return result


def test_a_new_session_gets_the_last_ones_kept_values(tab: Browser) -> None:
    assert synced("here", []) == []
    assert synced("here", [1, ["\u202e <b>", None]]) == []
    assert synced("elsewhere", []) == []
    assert synced("here", []) == [1, ["\u202e <b>", None]]
    assert synced("here", []) == []


@pytest.mark.parametrize(
    "value",
    ["", "x", "\0", "x" * 100_000, seal("kept", ["elsewhere", [1]]), seal("kept", {"here": [1]}), seal("game", ["here", [1]]), seal("kept", ["here", [1]])[:-1]],
)  # fmt: skip
def test_forged_values_are_refused(value: str, tab: Browser) -> None:
    tab.held["here"] = value
    assert synced("here", []) == []


def test_the_record_of_exercises_comes_back(tab: Browser) -> None:
    """Tallies whole; of the verdicts on answers, the latest, each with its answer, for another language."""
    record = Record()
    keep_record(record)
    assert not tab.held
    for seed in range(VERDICTS_STORED + 5):
        given = GivenAnswer("en", str(seed), before=("1", "2")) if seed % 2 else None
        verdict = Verdict(WRONG if seed % 3 else RIGHT, f"<b>{seed}</b>", given=given)
        record.count(make("bpe_count", 1, seed), verdict)
    keep_record(record)
    again = Record()
    keep_record(again)
    assert (again.total, again.by_kind, again.recent) == (record.total, record.by_kind, record.recent)
    assert list(again.verdicts.items()) == list(record.verdicts.items())[-VERDICTS_STORED:]
    assert isinstance(again.total, Tally) and again.total.answered == VERDICTS_STORED + 5
    earlier = [record.total, {}, [], [["name", WRONG, "<b>1</b>", []]], {}]
    tab.held[EXERCISES_PAGE] = seal("kept", [EXERCISES_PAGE, earlier])
    keep_record(another := Record())
    assert another.verdicts == {"name": Verdict(WRONG, "<b>1</b>")}
    tab.held[EXERCISES_PAGE] = seal("kept", [EXERCISES_PAGE, ["another version's"]])
    keep_record(other := Record())
    assert other == Record()


def test_the_path_is_kept_for_every_tab_until_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run of a session asks, though the page has something to keep already; all tabs' lists are put
    together, and the browser is told by the next run that they are known."""
    sent: list[dict[str, Any]] = []
    lines = [
        seal("kept", [PATH_WALK, [3, [1, 2, 77], [], [2]]]),
        "forged",
        seal("kept", [PATH_WALK, [4, [4], [4], []]]),
    ]

    def browser(*, key: str, data: dict[str, Any], on_kept_change: Any, on_erased_change: Any) -> Any:
        assert key == f"keep-{PATH_WALK}" and None not in (on_kept_change, on_erased_change)
        sent.append(data)
        return SimpleNamespace(kept="\n".join(lines))

    def keep(what: list[Any], *, erased: bool = False) -> PathProgress:
        results = synced_with_tabs(PATH_WALK, what, page="home", erased=erased, on_erased=lambda: None)
        return reduce(PathProgress.together, map(read_progress, results), PathProgress(5, frozenset({5})))

    monkeypatch.setattr(tokensteps.widgets.keep, "component", lambda _name, _styles: browser)
    monkeypatch.setattr(st, "session_state", {})
    every = PathProgress(5, frozenset({1, 2, 4, 5}), shown=frozenset({4}), practised=frozenset({2}))
    assert keep([]) == keep(PathProgress(5, frozenset({5})).saved()) == every
    keep([], erased=True)
    assert [(one["known"], one["erased"], bool(one["text"])) for one in sent] == [
        ("", False, False),
        ("\n".join(lines), False, True),
        ("\n".join(lines), True, False),
    ]
    lines[:] = ["x" * 1_000_000]
    keep([])
    keep([])
    assert len(sent[-1]["known"]) <= SEALED_LIMIT
