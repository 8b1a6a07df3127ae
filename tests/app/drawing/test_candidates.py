"""The panel of candidates beside the words (`tokensteps/drawing/training/candidates.py`).

Sources and oracles: `golden/wordpiece_*.json`, the Hugging Face course's walk-throughs recomputed; the plain
version in `tests/core/oracle_wordpiece.py` for all scores; the course's five words, with pairs countable by
hand.
"""

from __future__ import annotations

import re
from fractions import Fraction
from html import unescape
from typing import Any

import pytest

from tests.app.drawing.test_merging import TAGS
from tests.app.drawing.test_tokens import Read, expect_markup
from tests.core.oracle_wordpiece import plain_wordpiece
from tests.core.test_wordpiece import golden, trained
from tokenizers_core import Corpus, train_bpe
from tokensteps.assets import read_asset
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.candidates import COUNT_COLUMNS, SCORE_COLUMNS, candidates_html

PLAIN = Style()
FIVE_WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def rows(table: str) -> list[list[str]]:
    """A table's rows, as the text of their cells."""
    return [
        [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.split(r"<td[^>]*>", row)[1:]]
        for row in table.split("<tr")[2:]
    ]


def test_bpes_columns_on_five_words() -> None:
    """Pair, count, its change by the step before, and a bar as long as the count is large.

    ug occurs 10 + 5 + 5 times, pu 5 + 12 times, … Merging u + g leaves pu the 12 of pun, and makes h + ug, p
    + ug and ug + s.
    """
    trace = train_bpe(Corpus.from_counts(FIVE_WORDS), merges=2)
    start = candidates_html(trace.candidates(0), COUNT_COLUMNS, None, PLAIN)
    expect_markup(start, TAGS, {"class", "style"})
    assert re.findall(r"<th[^>]*>(?:<span[^>]*>)?(\w+)", start) == ["pair", "count", "change"]
    assert [cells[:3] for cells in rows(start)] == [
        ["ug", "20", "·"], ["pu", "17", "·"], ["un", "16", "·"], ["hu", "15", "·"], ["gs", "5", "·"], ["bu", "4", "·"],
    ]  # fmt: skip
    after = candidates_html(trace.candidates(1), COUNT_COLUMNS, trace.pair_of(2), PLAIN)
    assert [cells[:3] for cells in rows(after)] == [
        ["unmerged", "16", "·"], ["hug", "15", "+15"], ["pu", "12", "−5"],
        ["pug", "5", "+5"], ["ugs", "5", "+5"], ["bu", "4", "·"],
    ]  # fmt: skip
    assert re.findall(r"width:(\d+)%", after) == ["100", "93", "75", "31", "31", "25"]


def test_one_best_pair_is_not_called_tied() -> None:
    trace = train_bpe(Corpus.from_counts({"ab": 2, "cd": 2, "ef": 1}))
    tied = candidates_html(trace.candidates(0), COUNT_COLUMNS, None, PLAIN)
    assert [cells[0] for cells in rows(tied)] == ["abtied", "cdtied", "ef"]
    alone = candidates_html(trace.candidates(0)[:1], COUNT_COLUMNS, None, PLAIN)
    assert [cells[0] for cells in rows(alone)] == ["ab"]


def test_projector_mode_knows_the_columns_that_it_leaves_out() -> None:
    style = read_asset("page/projector.css")
    for column in (*COUNT_COLUMNS, *SCORE_COLUMNS):
        assert not column.hidden or f".hide-{column.hidden} {{ display: none; }}" in style


@pytest.mark.parametrize("name", ["hug", "course"])
def test_every_pair_of_wordpiece_with_its_score(name: str) -> None:
    """Pair, count, both symbols' counts, fraction, decimal, and the score's change by the step before."""
    trace = trained(name)
    plain, _ = plain_wordpiece(golden(name)["word_freqs"], "first")
    before: dict[Any, Fraction] = {}
    for step, recount in enumerate(plain[: len(trace)]):
        candidates = trace.candidates(step)
        markup = candidates_html(candidates, SCORE_COLUMNS, trace.pair_of(step + 1), PLAIN)
        expect_markup(markup, TAGS)
        assert Read(markup.split("</table>")[0].split("<tr")[1]).text.endswith(
            "paircountfirst × secondscorechange"
        )
        shown = rows(markup)
        assert len(shown) == len(recount.scores)
        for candidate, (_, freq, product, fraction, decimal, change) in zip(candidates, shown, strict=True):
            score = recount.scores[candidate.pair]
            assert Fraction(fraction) == score
            first, second = map(int, product.split(" × "))
            assert Fraction(int(freq), first * second) == score
            assert decimal == f"{float(score):.3g}"
            old = before.get(candidate.pair)
            if old is None:
                assert change == ("new" if step else "·")
            elif old == score:
                assert change == "·"
            else:
                assert float(change.replace("−", "-")) == pytest.approx(float(score - old), rel=0.06)
        assert markup.count("merged</span>") == 1 and shown[0][0].endswith("merged")
        before = recount.scores


def test_new_same_and_rising_scores() -> None:
    """After ##g + ##s: ##gs is new behind ##u, and ##u ##g keeps its score: 15 / (36 × 15) = 1/36. After h +
    ##u, p ##u scores higher, since ##u is rarer: 17 / (17 × 21), up from 1/36 by 0.0198.
    """
    trace = trained("hug")

    def row(step: int, pair: str) -> list[str]:
        shown = rows(candidates_html(trace.candidates(step), SCORE_COLUMNS, None, PLAIN))
        return next(cells[1:] for cells in shown if cells[0].removesuffix("tied") == pair)

    assert row(1, "##u##gs") == ["5", "36 × 5", "1/36", "0.0278", "new"]
    assert row(1, "##u##g") == ["15", "36 × 15", "1/36", "0.0278", "·"]
    assert row(2, "p##u") == ["17", "17 × 21", "1/21", "0.0476", "+0.02"]
    assert '<span class="up">+0.02</span>' in candidates_html(trace.candidates(2), SCORE_COLUMNS, None, PLAIN)
