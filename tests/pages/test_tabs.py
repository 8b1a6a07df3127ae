"""Tabs of all pages with a stage, and the pipeline's, without a browser, through Streamlit's `AppTest`.

Streamlit forgets the choices of a tab that isn't drawn, unless it is told to keep them.

Oracle: the widgets' own values, before another tab and after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import Page, run, tabs

pytestmark = pytest.mark.slow

PAGES = {
    "bpe": (Path("pages", "train", "bpe.py"), "corpus=hug&step=3"),
    "wordpiece": (Path("pages", "train", "wordpiece.py"), "corpus=hug&step=3"),
    "unigram": (Path("pages", "train", "unigram.py"), "corpus=hug&step=3"),
    "compare": (Path("pages", "explore", "compare.py"), "corpus=hug"),
    "pipeline": (Path("pages", "explore", "pipeline.py"), "corpus=hug&a=hugs+pugs&b=bun"),
}


def boxes(app: AppTest) -> Iterator[Any]:
    """The page's widgets for a choice, outside of the sidebar."""
    for kind in ("selectbox", "segmented_control", "toggle", "slider", "text_input", "number_input"):
        yield from app.main.get(kind)


def choose_another(box: Any) -> None:
    match box.type:
        case "selectbox":
            box.select_index(len(box.options) - 1)
        case "toggle":
            box.set_value(not box.value)
        case "slider":
            box.set_value(box.max)
        case "text_input":
            box.set_value("hug")
        case "number_input":
            box.set_value(2)
        case _:
            box.set_value(box.options[-1])


def values(app: AppTest) -> dict[str, Any]:
    return {box.key: box.value for box in boxes(app)}


@pytest.mark.parametrize("name", PAGES)
def test_the_choices_of_a_tab_are_there_again_after_another_tab(name: str) -> None:
    script, query = PAGES[name]
    page = Page(name, script, ())
    app = page.opened(query)
    names, changed = tabs(app), set()
    for tab, another in zip(names, [*names[1:], names[0]], strict=True):
        before = values(page.with_tab(app, tab))
        everywhere = values(page.with_tab(app, another)).keys() & before.keys()
        page.with_tab(app, tab)
        for box in [box for box in boxes(app) if box.key not in everywhere]:
            choose_another(box)
        chosen = values(run(app))
        changed |= {key for key in before if chosen.get(key) != before[key]}
        page.with_tab(app, another)
        assert values(page.with_tab(app, tab)) == chosen, tab
    assert len(changed) >= 3
