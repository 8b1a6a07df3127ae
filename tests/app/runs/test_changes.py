"""The values of one change of a run (`tokensteps/runs/changes.py`). How a page shows it is in
`tests/pages/test_whatif.py`.

Oracle: the engine, trained on the corpus with the change made by hand; sizes and counts by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import tokensteps.runs.changes
from tokenizers_core import Corpus, train_bpe
from tokensteps.limits import VOCABULARY_LIMIT
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.runs.changes import (
    Change,
    all_counts_at_once,
    changed,
    counts_to_try,
    documents,
    highest_count,
    recounted,
    rules_to_change,
    size_along,
)
from tokensteps.runs.corpora import Source
from tokensteps.runs.settings import Recipe, read_url
from tokensteps.server.tasks import Progress

COUNTS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
HUG = Corpus.from_counts(COUNTS)


def recipe_of(url: Mapping[str, str], page: str = "bpe") -> Recipe:
    return read_url(page, ALGORITHMS[page].rules, url).recipe


def after(change: Change, url: Mapping[str, str], page: str = "bpe") -> Any:
    """The run with one thing changed."""
    recipe = recipe_of(url, page)
    run = ALGORITHMS[page].run(recipe)
    assert run is not None
    return changed(run, recipe, run.source.corpus(run.pipeline), change)


def test_the_possible_changes_depend_on_the_choice() -> None:
    """Neither the size nor special tokens; a rule that depends on another only where that one applies."""

    def names(page: str = "bpe", **url: str) -> list[str]:
        return [rule.name for rule in rules_to_change(recipe_of({"corpus": "hug", **url}, page))]

    own = {"pattern": "own", "pre": "byte_level"}
    assert {"size", "special"}.isdisjoint(names()) and names()[:3] == ["kind", "normalizer", "pre"]
    assert {"pattern", "regex", "alphabet"} <= {*names(**own)}
    assert {"pattern", "regex", "alphabet"}.isdisjoint(names(pattern="own"))
    assert "regex" not in names(pre="byte_level") and "pattern" in names(pre="byte_level")
    assert "threshold" in names(kind="pickybpe") and "threshold" not in names(kind="superbpe")
    assert "exact" in names("unigram") and "exact" not in names("unigram", method="sentencepiece")


def test_lines_that_could_be_there_twice() -> None:
    text = Source("x", b"low\n \nlower\n")
    assert documents(text) == ["low", "lower"]
    assert (
        documents(Source("x", text.data, counts=True)) == documents(Source("x", text.data, lines=False)) == []
    )
    twice = after(
        Change("double", "2"), {"corpus": "paste", "text": "low\n \nlower", "pre": "whitespace_split"}
    )
    assert dict(twice.make(Progress()).corpus.items()) == {"low": 1, "lower": 2}


def test_words_come_in_or_occur_more_often() -> None:
    hug = {"corpus": "hug"}
    assert after(Change("count", "pug", 7), hug).source.recount == (("pug", 7),)
    there = after(Change("add", "mug hug mug", 6), hug)
    assert there.source.recount == (("mug", 12), ("hug", 16))
    assert dict(there.make(Progress()).corpus.items()) == COUNTS | {"hug": 16, "mug": 12}
    cut = after(
        Change("add", "HUG<n>12", 2), hug | {"normalizer": "lowercase", "kept": "<n>", "digits": "each"}
    )
    assert cut.source.recount == (("hug", 12), ("1", 2), ("2", 2))


def test_another_rule_is_another_run() -> None:
    assert after(Change("ties", to="greatest"), {"corpus": "hug", "size": "9"}).settings == (
        ALGORITHMS["bpe"].run_at({"corpus": "hug", "size": "9", "ties": "greatest"}).settings
    )
    parity = {"corpus": "parallel", "size": "130", "kind": "paritybpe"}
    together = after(Change("kind", to="plain"), parity)
    assert together.settings["global_merges"] == VOCABULARY_LIMIT and together.settings["kind"] == "paritybpe"
    assert after(Change("kind", to="superbpe"), parity).settings["kind"] == "superbpe"


@pytest.mark.parametrize(
    ("url", "change", "size"),
    [
        ({"size": "12"}, Change("ties", to="greatest"), None),
        ({}, Change("bytes", to=True), None),
        ({"size": "12"}, Change("bytes", to=True), 268),
        ({"size": "268", "bytes": "1"}, Change("bytes", to=False), 12),
        ({"size": "12", "pre": "byte_level"}, Change("bytes", to=True), None),
        ({"size": "12", "pre": "byte_level"}, Change("alphabet", to="bytes"), 12 + 256 - 7),
        ({"size": "300", "pre": "byte_level", "alphabet": "bytes"}, Change("alphabet", to="corpus"), 300 - 256 + 7),
        ({"pre": "byte_level"}, Change("alphabet", to="bytes"), None),
    ],
)  # fmt: skip
def test_another_alphabet_takes_the_size_along(url: dict[str, str], change: Change, size: int | None) -> None:
    """So that both runs merge as often: the five words have seven letters."""
    assert size_along(recipe_of({"corpus": "hug", **url}), HUG, change) == size
    run = after(change, {"corpus": "hug", **url})
    assert run.settings["vocab_size"] == (size or (int(url["size"]) if "size" in url else None))


def test_counts_that_a_word_can_be_moved_to() -> None:
    assert [*map(highest_count, (0, 1, 4, 5, 12))] == [12, 12, 12, 15, 36]
    assert counts_to_try(HUG, "pun") == range(37) and counts_to_try(HUG, "bun") == range(13)
    assert counts_to_try(Corpus.from_counts({"hug": 10, "pug": 4}), "pug") == range(13)
    assert counts_to_try(Corpus.from_counts({"hug": 10}), "hug") == range(1, 31)


def test_a_recounted_run_is_the_engines_on_those_counts() -> None:
    run = ALGORITHMS["bpe"].run_at({"corpus": "hug", "size": "11"})
    trace = run.make(Progress())
    assert recounted(run, trace, "pug", 5) is trace
    other: Any = recounted(run, trace, "pug", 30)
    assert other.record == train_bpe(Corpus.from_counts(COUNTS | {"pug": 30}), 11).record != trace.record


def test_all_counts_are_tried_at_once_where_that_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to 99 and 0, as far as a slider goes: symbols × steps × trainings."""
    trace = train_bpe(HUG)
    assert all_counts_at_once(trace, 33) and not all_counts_at_once(trace, 34)
    work = 16 * len(trace) * 37
    monkeypatch.setattr(tokensteps.runs.changes, "WHATIF_HERE", work)
    assert all_counts_at_once(trace, 12)
    monkeypatch.setattr(tokensteps.runs.changes, "WHATIF_HERE", work - 1)
    assert not all_counts_at_once(trace, 12)
