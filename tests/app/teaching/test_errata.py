"""The errata: published figures against computed ones.

Source: section 6 of the project's specification, with figures recomputed apart from this engine and written
out here; the golden files beside the tests.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tokensteps.language.errata import ERRATUM_WORDS
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.runs.settings import read_url
from tokensteps.teaching.errata import Erratum, errata, erratum, erratum_html

GOLDEN = Path(__file__).parents[2] / "golden"
EXPECTED = {
    "probability_of_p": (
        "5/210",
        "0.000389",
        "0.0022676",
        "P(p) = 17/210",
        "0.00132",
        "0.00771",
        "34/25725",
        "17/2205",
    ),
    "third_wordpiece_merge": (
        "(hu, ##g)",
        "(hu, ##gs) → hugs: 1/15",
        "5 / (15 × 5) = 1/15",
        "10 / (15 × 15) = 2/45",
        "1/21",
    ),
    "hugs_after_it": ('["hug", "##s"]', '["hugs"]', "(hu, ##gs)"),
    "loss_of_four_sentences": ("413.1038", "382.1038", "31 words"),
    "cost_of_hopefully": ("41.5157", "40.5157"),
    "pruned_to": ("100", "98"),
    "tied_splits": (
        "pug → [pu, g], pun → [pu, n], bun → [bu, n], hugs → [hug, s]",
        "pug → [pu, g] = [p, ug], pun → [pu, n] = [p, un], bun → [bu, n] = [b, un], hugs → [hug, s] = [hu, gs] = [h, ugs]",
        "pu × n = 17 × 16, p × un = 17 × 16",
        "hug × s = 15 × 5, hu × gs = 15 × 5, h × ugs = 15 × 5",
    ),
    "rules_learned": ("“hu” and “g”", "[UNK] hug", "(u, g)", "(h, ug)"),
    "spelling_of_coolest": ("c o l l e s t", "c o o l e s t </w>"),
}
"""Figures required in each, published or computed."""


@pytest.mark.parametrize("name", ERRATUM_WORDS)
def test_each_has_its_figures(name: str) -> None:
    one = erratum(name)
    message = f"{one.published} | {one.computed} | {one.arithmetic}"
    for figure in EXPECTED[name]:
        assert figure in message
    assert one.published != one.computed


def test_each_erratum_names_its_edition() -> None:
    """Source: the files of huggingface/course, and its pull request with the correction of “thug” in the
    English text."""
    assert all("2026" in one.edition for one in errata() if "Hugging Face" in one.where)
    assert [one.name for one in errata() if "translations" in one.edition] == ["rules_learned"]


def test_all_rows_are_there() -> None:
    assert [*ERRATUM_WORDS] == list(EXPECTED) == [one.name for one in errata()]


def test_figures_are_the_golden_ones() -> None:
    """Computed elsewhere, by slow plain programs."""
    course = json.loads((GOLDEN / "unigram_course.json").read_text(encoding="utf-8"))
    hug = json.loads((GOLDEN / "unigram_hug.json").read_text(encoding="utf-8"))
    message = " ".join(f"{one.computed} {one.arithmetic}" for one in errata())
    assert f"{course['word_count']} words" in message
    for fraction in hug["segmentations_of_pug"].values():
        assert fraction in message


@pytest.mark.parametrize("name", ERRATUM_WORDS)
def test_links_open_an_existing_step(name: str) -> None:
    one = erratum(name)
    algorithm = ALGORITHMS[one.page]
    query = dict(one.query)
    step = int(query.pop("step"))
    recipe, complaints = read_url(one.page, algorithm.rules, query)
    assert not complaints
    run = algorithm.run(recipe)
    assert run is not None
    from tokensteps.server.tasks import Progress

    assert 0 <= step <= len(run.make(Progress()))


def test_quotes_are_text() -> None:
    one = Erratum("name", "<b>", "<i>", "<s>x", "<u>z", "{y}", "a < b", "bpe", {})
    html = erratum_html(one)
    assert (
        "&lt;b&gt;" in html
        and "&lt;i&gt;" in html
        and "&lt;s&gt;x" in html
        and "&lt;u&gt;z" in html
        and "{y}" in html
        and "a &lt; b" in html
    )


@pytest.mark.parametrize("name", ERRATUM_WORDS)
def test_asides_quote_published_text(name: str) -> None:
    """The frame's aside and the page of errata are about the same figures."""
    words = ERRATUM_WORDS[name]
    figures = re.findall(r"[0-9][0-9./]*[0-9]", words.published)
    for aside in filter(None, (words.aside, words.word_aside)):
        assert any(figure in aside for figure in figures), (name, aside)


def test_an_erratum_without_words_or_figures_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {**ERRATUM_WORDS, "new": ERRATUM_WORDS["pruned_to"]}
    monkeypatch.setattr("tokensteps.teaching.errata.ERRATUM_WORDS", words)
    for name in ("new", "unheard_of"):
        with pytest.raises(KeyError, match=name):
            erratum(name)
