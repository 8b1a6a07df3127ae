"""Tables on pages (`tokensteps/widgets/figures.py`): a copy for a spreadsheet is never a formula, and one for
a program is unchanged.

Oracle: the standard library's reader of CSV.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from streamlit import config

from tokenizers_core.files.exports import FORMULA_STARTS
from tokensteps.widgets.figures import rows_to_csv

ROOT = Path(__file__).parents[3]
LINK = '=HYPERLINK("http://evil.example","click")'


def read(text: str) -> list[list[str]]:
    return [*csv.reader(io.StringIO(text, newline=""))]


def test_a_students_name_is_no_formula() -> None:
    table = pd.DataFrame(
        {"name": [LINK, "Ann"], "right": [3, -2], "share": [0.5, float("nan")], LINK: [None, True]}
    )
    assert read(rows_to_csv(table)) == [
        ["name", "right", "share", f"'{LINK}"],
        [f"'{LINK}", "3", "0.5", ""],
        ["Ann", "-2", "", "True"],
    ]


@given(st.lists(st.text(st.sampled_from("=+-@＝'\t\r\n\",;ab"), max_size=5), min_size=1, max_size=5))
def test_every_text_comes_back_and_none_is_a_formula(texts: list[str]) -> None:
    cells = [row[0] for row in read(rows_to_csv(pd.DataFrame({"text": texts, "n": 1})))[1:]]
    assert not any(cell.startswith(FORMULA_STARTS) for cell in cells)
    quoted = [cell[1:] if cell.lstrip("'").startswith(FORMULA_STARTS) else cell for cell in cells]
    assert quoted == texts
    plain = read(rows_to_csv(pd.DataFrame({"text": texts, "n": 1}), plain=True))
    assert [row[0] for row in plain[1:]] == texts  # for programs, nothing is put in front


def test_every_table_has_the_apps_own_export() -> None:
    """Streamlit's is off, and it draws no table but the editable one, which goes with its file."""
    assert re.search(
        r"^disableDataExport = true$", (ROOT / ".streamlit/config.toml").read_text(), re.MULTILINE
    )
    assert "client.disableDataExport" in config.get_config_options()
    drawn = {
        (path.stem, name)
        for path in (ROOT / "tokensteps").rglob("*.py")
        for name in re.findall(r"\.(dataframe|table|data_editor)\(", path.read_text())
    }
    assert drawn == {("pipeline_tabs", "data_editor")}
    assert "save_rows(edited" in (ROOT / "tokensteps/pages/explore/pipeline_tabs.py").read_text()
