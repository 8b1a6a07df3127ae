"""The playground's tabs “Measures” and “Tokens by count”, and the cost of a text and a chat, through
Streamlit's `AppTest`.

Oracles: GPT-2's ids by the `tokenizers` library, counted here.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import bodies, problems, run, tables
from tests.pages.test_playground import opened
from tokenizers_core import measure
from tokensteps.catalogue.choices import GPT2
from tokensteps.catalogue.shipped import gpt2
from tokensteps.language.marks import marks_in, unmarked
from tokensteps.language.measures import MEASURES, OF_TEXT, measure_name, measure_text
from tokensteps.language.terms import TERMS
from tokensteps.limits import PARALLEL_CHARACTERS
from tokensteps.pages.explore.measures.measures_tab import MEASURES_TAB
from tokensteps.pages.explore.measures.tokens_tab import TOKENS_TAB
from tokensteps.runs.algorithms import BPE, trace_at
from tokensteps.runs.parallel import parallel_lines

TEXT = "the cat and the unbelievably naïve cat"
KEY = "playground.measures"


def on_tab(tab: str, **url: str) -> AppTest:
    app = opened(**{"t1": GPT2, "t2": "bpe?corpus=hug", "text": TEXT, **url})
    app.session_state["playground.tab"] = tab
    return run(app)


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", html))


def test_the_table_is_a_recount() -> None:
    app = on_tab(MEASURES_TAB)
    assert problems(app) == []
    ids = gpt2().encode(TEXT).ids
    table = tables(app)[0]
    assert [*table["Measure"]] == [measure_name(name) for name in OF_TEXT]
    [column] = [name for name in table if str(name).startswith("A · ")]
    shown = dict(zip(OF_TEXT, table[column], strict=True))
    assert shown["fertility"] == f"{len(ids) / 7:.4f}"
    assert shown["tokens_per_byte"] == f"{len(ids) / len(TEXT.encode()):.4f}"
    assert shown["vocabulary_used"] == f"{100 * len({*ids}) / 50257:.2f} %"
    shares = [count / len(ids) for count in Counter(ids).values()]
    power = sum(share**2.5 for share in shares)
    assert shown["renyi_efficiency"] == f"{math.log2(power) / -1.5 / math.log2(len(shares)):.4f}"
    app.segmented_control(key=f"{KEY}.vocabulary").set_value(True)
    run(app)
    again = dict(zip(OF_TEXT, tables(app)[0][column], strict=True))
    assert again["renyi_efficiency"] == f"{math.log2(power) / -1.5 / math.log2(50257):.4f}"
    # The other one has an unknown token beside its run's tokens. Oracle: the engine, on its tokenizer.
    ours = measure(trace_at(BPE, corpus="hug").tokenizer(), TEXT)
    [other] = [name for name in table if str(name).startswith("B · ")]
    assert ours.unknown and dict(zip(OF_TEXT, table[other], strict=True))["vocabulary_used"] == measure_text(
        "vocabulary_used", ours.vocabulary_used
    )


@pytest.mark.parametrize("name", MEASURES)
def test_each_measure_is_explained_with_its_numbers(name: str) -> None:
    app = on_tab(MEASURES_TAB)
    app.selectbox(key=f"{KEY}.one").select(name)
    [output] = bodies(run(app), "measure")
    words = MEASURES[name]
    said = plain(unmarked(output))
    assert all(text in said for text in (words.definition, words.formula, words.silent))
    assert name not in TERMS or name in marks_in(output)
    if name == "fertility":
        assert f"{len(gpt2().encode(TEXT).ids)} / 7 = " in plain(output)
    if name == "gini":
        assert "2 × " in plain(output) and " / (2 × 6 × " in plain(output)
    app.button(key=f"{KEY}.made_of").click()
    assert run(app).session_state["playground.tab"] == words.tab and problems(app) == []


def test_parallel_lines_are_counted_by_the_library() -> None:
    app = on_tab(MEASURES_TAB, t2="")
    [table] = [one for one in tables(app) if "Premium A" in one]
    lines = parallel_lines()
    tokens = {
        language: sum(len(gpt2().encode(line).ids) for line in texts) for language, texts in lines.items()
    }
    for row, (language, number) in zip(table.to_dict("records"), tokens.items(), strict=False):
        assert float(row["Tokens per line A"]) == pytest.approx(number / 40), language
        assert float(row["Premium A"]) == pytest.approx(number / tokens["en"])
    values = [*tokens.values()]
    apart = sum(abs(one - other) for one in values for other in values)
    assert float(table["Tokens per line A"].iloc[-1]) == pytest.approx(
        apart / (2 * 6 * sum(values)), abs=1e-4
    )


def test_lines_of_ones_own() -> None:
    app = on_tab(MEASURES_TAB, t2="")
    app.segmented_control(key=f"{KEY}.lines").set_value("own")
    run(app)
    for text, complaint in (
        ("only one", "one column"),
        ("a\tb\nx", "Row 2 has 1 cells"),
        ("a\ta\nx\ty", "Two columns are called 'a'"),
        ("a\tb", "at least one line"),
        ("x" * (PARALLEL_CHARACTERS + 1), "shorten it"),
    ):
        app.text_area(key=f"{KEY}.own").set_value(text)
        run(app)
        assert complaint in plain(" ".join(problems(app))), text
    app.text_area(key=f"{KEY}.own").set_value("<b>en</b>\txx\nGood morning.\tGuten Morgen.")
    run(app)
    assert problems(app) == []
    [table] = [one for one in tables(app) if "Premium A" in one]
    assert [*table["Language"]][:2] == ["<b>en</b>", "xx"]
    assert float(table["Premium A"][1]) == pytest.approx(len(gpt2().encode("Guten Morgen.").ids) / 3)


def test_tokens_by_count() -> None:
    app = on_tab(TOKENS_TAB)
    ids = gpt2().encode(TEXT).ids
    table = tables(app)[0]
    assert {
        int(one): int(number) for one, number in zip(table["Id"], table["Count"], strict=True)
    } == Counter(ids)
    assert [*map(int, table["Count"])] == sorted(map(int, table["Count"]), reverse=True)
    assert sum(map(float, table["Share, %"])) == pytest.approx(100, abs=0.1)
    [cat] = [row for row in table.to_dict("records") if row["Token"] == "Ġcat"]
    assert int(cat["First character"]) == 3 and int(cat["Count"]) == 2
    words = opened(text="ß, 🍵", t1=GPT2)  # bytes as everywhere on the page, not in the byte alphabet
    words.session_state["playground.tab"] = TOKENS_TAB
    assert [*tables(run(words))[0]["Token"]][:2] == ["ß", ","]


def test_the_cost_of_a_text() -> None:
    app = on_tab(TOKENS_TAB)
    app.number_input(key="playground.price.in").set_value(2000.0)
    app.number_input(key="playground.price.out").set_value(5_000_000.0 / 10)
    run(app)
    [table] = [one for one in tables(app) if "Cost if a model reads it" in one]
    tokens = len(gpt2().encode(TEXT).ids)
    assert table["Cost if a model reads it"][0] == f"{tokens * 2000 / 1e6:.3g}"
    assert table["Cost if a model writes it"][0] == f"{tokens / 2:,.2f}"
    app.session_state["playground.tab"] = MEASURES_TAB
    run(app)
    app.session_state["playground.tab"] = TOKENS_TAB
    assert run(app).number_input(key="playground.price.in").value == 2000.0


def test_the_cost_of_a_chat() -> None:
    app = on_tab("Chat")
    [table] = [one for one in tables(app) if "Tokens written" in one]
    rows = table.to_dict("records")
    *answers, last = rows
    assert answers and last["Answer"] == "all"
    for column in ("Tokens read", "Tokens written"):
        assert int(last[column]) == sum(int(row[column]) for row in answers)
    read, written = int(last["Tokens read"]), int(last["Tokens written"])
    assert float(last["Cost"]) == pytest.approx((read + 4 * written) / 1e6, abs=1e-6)
