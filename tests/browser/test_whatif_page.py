"""The page “What if” and the tab “How close?” in a real browser: a dragged count, the address after it, steps
without the server.

Oracles: the engine, trained with the slider's count; for widths and times, the browser itself.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, open_tab, wait_for_function
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.counterfactual.divergence import first_divergence

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
BOOK = (
    "[...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ts-flipbook')).find(Boolean)"
)
DRAG = f"""async counts => {{
  const book = {BOOK}, slider = book.querySelector('input[type=range]'), seen = [];
  for (const count of counts) {{
    slider.value = count;
    slider.dispatchEvent(new Event('input', {{bubbles: true}}));
    await new Promise(requestAnimationFrame);
    await new Promise(done => setTimeout(done));
    seen.push(book.querySelector('.cell.parts .k')?.textContent ?? '');
  }}
  return seen; }}"""
"""Drag to each count; the step that is marked as soon as it is painted."""


@pytest.mark.slow
def test_a_count_is_dragged_without_the_server(serve: Callable[..., str], page: Page) -> None:
    """Each count shows at once where the engine's two runs part; the address follows, and a reload stays; a
    phone scrolls one way."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(serve(ROOT / "app.py") + "/whatif")
    wait_for_function(page, f"() => {BOOK}?.querySelector('.whatif')")
    ours = train_bpe(Corpus.from_counts(HUG), 11)
    counts = [*range(1, 37, 5), *range(36, 0, -5)]
    seen = page.evaluate(DRAG, counts)
    for count, marked in zip(counts, seen, strict=True):
        step = first_divergence(ours, train_bpe(Corpus.from_counts(HUG | {"pun": count}), 11))
        assert marked == ("" if step is None else str(step)), count
    page.wait_for_url("**/whatif?*step=1")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    page.reload()
    expect(page.get_by_text("pun occurs 12 times in the corpus")).to_be_visible()
    run = page.get_by_role("combobox", name="The run")
    expect(run).to_have_css("text-overflow", "ellipsis")  # its value is longer than a phone is wide
    wait_for_function(page, f"() => {BOOK}?.querySelector('input[type=range]').value === '1'")


PRESS = """async key => {
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, composed: true, cancelable: true}));
  await new Promise(requestAnimationFrame); // which draws the step
  await new Promise(requestAnimationFrame);
  return document.querySelector('.closeness:not([data-waits]) > :not([hidden])')?.dataset.at; }"""
"""A key and a look two frames later, in one go: however slow the machine is, the server wasn't asked in
between."""


def test_tipping_points_follow_the_flipbook_without_the_server(serve: Callable[..., str], page: Page) -> None:
    """Each prepared step's table is there at once; where there is none (the start), the last one waits and
    Python says why."""
    page.goto(serve(ROOT / "app.py") + "/bpe?corpus=hug&step=1")
    open_tab(page, "How close?")
    page.locator("[data-at='7']").wait_for(state="attached")
    assert [page.evaluate(PRESS, "ArrowRight") for _step in range(3)] == ["2", "3", "4"]
    expect(page.locator(".closeness > [data-at='4'] .tipping")).to_be_visible()
    expect(page.locator(".closeness > :not([hidden])")).to_have_count(1)
    page.wait_for_url("**/bpe?*step=4")
    assert page.evaluate(PRESS, "Home") is None
    expect(page.get_by_text("The start chooses nothing")).to_be_visible()
