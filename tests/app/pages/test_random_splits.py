"""Splits at random (`tokensteps/pages/train/random_splits.py`): the engine's own, drawn as inert text.

Oracle: the engine's samples and distribution, counted here; and an HTML parser, for hostile words.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.app.drawing.test_lattice import ATTRIBUTES, TAGS
from tests.app.drawing.test_tokens import Read, expect_markup
from tokenizers_core import Corpus, train_bpe, train_wordpiece
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokensteps.drawing.tokens import SHOW, Style
from tokensteps.pages.train.random_splits import samples_html

COUNTS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
HOSTILE = "<b>x</b>{x}&\u202e"


def models(word: str = "hugs") -> list[BpeModel | WordPieceModel]:
    corpus = Corpus.from_counts({**COUNTS, word: 3})
    bpe, wordpiece = train_bpe(corpus).tokenizer().model, train_wordpiece(corpus).tokenizer().model
    assert isinstance(bpe, BpeModel) and isinstance(wordpiece, WordPieceModel)
    return [bpe, wordpiece]


def test_samples_are_counted_beside_expected_numbers() -> None:
    for model in models():
        random = Random(5)
        drawn = [model.sample("hugs", 0.4, random) for _ in range(200)]
        expected = model.distribution("hugs", 0.4)
        assert expected is not None
        rows = samples_html(drawn, expected, Style(), 5).split("<tr>")[2:]
        for row, (split, times) in zip(rows, Counter(drawn).most_common(12), strict=True):
            cells = [Read("<td>" + cell.split("</table>")[0]).text for cell in row.split("<td>")[1:5]]
            assert cells[1:] == [str(times), f"{times / 2:.1f} %", f"{100 * expected[split]:.1f} %"]


def test_samples_whose_distribution_is_too_large_stand_alone() -> None:
    html = samples_html([("h", "ug"), ("hug",)], None, Style(), 0)
    assert "tick" not in html and "left:" not in html and "50.0 %" in html


@pytest.mark.parametrize("show", SHOW)
def test_hostile_words_are_only_text(show: str) -> None:
    style = Style(show=show)
    for model in models(HOSTILE):
        random = Random(1)
        drawn = [model.sample(HOSTILE, 0.3, random) for _ in range(20)]
        html = samples_html(drawn, None, style, 1)
        expect_markup(html, TAGS, ATTRIBUTES | {"width"})
        assert "<b>x" not in html
