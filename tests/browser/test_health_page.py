"""The playground's tab “Health” in a real browser: an upload's vocabulary is checked, hostile tokens stay
text, the file has them, a link comes back to it.

Oracle: the vocabulary itself, made for this; the browser for the effects of hostile tokens on the page.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT
from tests.browser.test_bpe_page import TRACES_OF_ATTACK
from tests.browser.test_playground_page import Playground
from tests.pages.test_health import uncased
from tests.pages.test_playground import HOSTILE, HUG

pytestmark = pytest.mark.slow


def test_hostile_tokens_stay_text_in_the_tab_and_in_its_file(serve: Callable[..., str], page: Page) -> None:
    playground = Playground(page, serve(ROOT / "app.py")).start(HUG)
    playground.unfold("Upload a tokenizer")
    playground.upload({"name": "tokenizer.json", "mimeType": "application/json", "buffer": uncased()})
    expect(playground.page.locator(".whose").first).to_contain_text("tokenizer.json")
    panel = playground.tab("Health")
    never = panel.locator("dl.counts > div").filter(has_text="No text gives it").locator("dd")
    expect(never).to_have_text("4")
    playground.rest()
    assert page.evaluate(TRACES_OF_ATTACK) == []
    with page.expect_download() as started:
        panel.get_by_role("button", name="Plain CSV for programs", exact=True).first.click()
    rows = [*csv.DictReader(io.StringIO(Path(started.value.path()).read_text("utf-8"), newline=""))]
    playground.address_has(health="A")
    page.reload()
    expect(never).to_have_text("4")
    playground.untroubled()
    assert HOSTILE in {row["Token"] for row in rows}
