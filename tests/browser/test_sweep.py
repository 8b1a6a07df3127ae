"""Nothing needed for a question is cut or needs scrolling: pages in lecturers' windows, projector mode on and
off.

`STRESS=1` sweeps over every page, corpus, question and window; without it, over combinations that once hid
words. Oracle: the browser's geometry, and the number of words in the corpus.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, at_rest, left_over, turn_to
from tests.samples import STRESS
from tokensteps.language.pages import PAGE_SECTIONS, pages_in
from tokensteps.teaching.predictions import ASKS

pytestmark = pytest.mark.slow

WINDOWS = ((1280, 800), (1366, 768), (1920, 1080), *(((1440, 900), (1920, 1200)) if STRESS else ()))
ONCE_CUT = (
    "bpe?corpus=hug&mode=predict&ask=pair",
    "wordpiece?corpus=hug&mode=predict&ask=score",
    "unigram?corpus=hug",
    "bpe?corpus=course&mode=predict&ask=count&step=3",
    "compare?corpus=course",
    "playground",
)
EVERY = (
    *(one.path for section in PAGE_SECTIONS for one in pages_in(section)),
    *(
        f"{name}?corpus={corpus}&step={step}"
        for name in (*ASKS, "compare")
        for corpus in ("hug", "course", "highest", "hello", "mixed")
        for step in (0, 1, 7)
    ),
    *(
        f"{name}?corpus={corpus}&mode=predict&ask={ask}"
        for name, asks in ASKS.items()
        for corpus in ("hug", "course", "highest")
        for ask in asks
    ),
)
ADDRESSES = tuple(dict.fromkeys((*ONCE_CUT, *EVERY))) if STRESS else ONCE_CUT
VISITS = tuple(ADDRESSES[at : at + 6] for at in range(0, len(ADDRESSES), 6))
PROJECTED = "document.documentElement.hasAttribute('data-projector')"
BOOK = "document[Symbol.for('tokensteps.stage')]"
SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"
FINDINGS = f"""() => {{
  const book = {BOOK}, found = [], name = e => e.className || e.tagName, on = document.documentElement.hasAttribute('data-projector');
  const main = document.querySelector('[data-testid="stMain"]');
  if (main.scrollWidth > main.clientWidth + 1) found.push(['page', 'wider than the window', main.scrollWidth, main.clientWidth]);
  const tokens = on && document.querySelector('.st-key-playground-chips')?.getBoundingClientRect();
  if (tokens && (tokens.bottom > innerHeight || tokens.height < 200)) found.push(['tokens', 'below the fold', tokens.top, tokens.bottom]);
  if (!book?.isConnected || !book.checkVisibility()) return found;
  const asked = document.querySelector('[data-testid="stForm"]') !== null; // else a row of tokens may go on where it fades
  const fades = e => !on && !asked && e.matches('.w .ts') && getComputedStyle(e).overflowX === 'auto' && getComputedStyle(e).maskImage !== 'none';
  for (const e of book.querySelectorAll('.say, .cols > section, .trio > section, .did, h3, h4, .w, .w .ts, td .t, .aside, .vocab > div')) {{
    if (!e.checkVisibility() || getComputedStyle(e).display.startsWith('inline')) continue;
    if (e.scrollHeight > e.clientHeight + 2 && e.matches('.say, section, .did, .aside, .vocab > div')) found.push([name(e), 'cut below', e.textContent.slice(0, 40), e.scrollHeight, e.clientHeight]);
    if (e.scrollWidth > e.clientWidth + 2 && !fades(e)) found.push([name(e), 'cut at the end', e.textContent.slice(0, 40), e.scrollWidth, e.clientWidth]);
    const box = e.getBoundingClientRect();
    if (box.right > innerWidth + 1 || (on && box.bottom > innerHeight + 1)) found.push([name(e), 'outside', e.textContent.slice(0, 40), box.right, box.bottom]);
  }}
  for (const pane of book.querySelectorAll('.cols > section')) {{
    const rows = [...pane.querySelectorAll(':scope > .w, :scope > .ws > .w, tr:has(td):not(:has(th), .gap)')], more = pane.querySelector('.more');
    const hidden = rows.filter(row => !row.checkVisibility()).length + Number(more?.dataset.more ?? 0);
    const told = Number((more?.textContent ?? '').replace(/\\D/g, '')) || 0;
    if (hidden !== told) found.push([name(pane), 'hides', hidden, 'says', told]);
    const total = /(\\d+) words$/.exec(pane.querySelector('h3')?.textContent ?? '');
    const shown = rows.filter(row => row.matches('.w') && row.checkVisibility()).length;
    if (total && shown + told !== Number(total[1])) found.push([name(pane), 'of', total[1], shown, told]);
    if (on && document.querySelector('[data-testid="stForm"]') && rows.length < 9 && told && rows[0]?.matches('.w')) found.push([name(pane), 'a question lacks words', told]);
  }}
  return found;
}}"""


def opened(page: Page, app: str, address: str) -> None:
    """Go to an address: without loading anything anew, if the app is open at another page."""
    name = address.split("?")[0]
    if page.url.startswith(app) and urlsplit(page.url).path != f"/{name}":
        turn_to(page, f"/{address}")
    else:
        page.goto(f"{app}/{address}")
    page.locator(".ts-projector-start").wait_for(state="attached")
    if name in (*ASKS, "compare"):
        page.wait_for_function(
            f"{BOOK}?.querySelector('.say') && document.querySelector('.st-key-{name}-book')?.contains({BOOK}.getRootNode().host)"
        )
    if "mode=predict" in address:
        expect(page.get_by_test_id("stForm")).to_be_visible()
    at_rest(page)


def cut_in_each_window(page: Page) -> dict[tuple[int, int], object]:
    """Cut or hidden parts, by window."""
    findings = {}
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(SETTLED)
        if result := left_over(page, FINDINGS):
            findings[width, height] = result
    return findings


@pytest.mark.parametrize("addresses", VISITS, ids=lambda addresses: addresses[0])
def test_nothing_is_cut(
    serve: Callable[..., str], open_page: Callable[..., Page], addresses: tuple[str, ...]
) -> None:
    """Each window, without and with projector mode, in one visit."""
    page, app = open_page(), serve(ROOT / "app.py")
    for address in addresses:
        opened(page, app, address)
        assert cut_in_each_window(page) == {}, address
        # The test sets the window's size; a browser refuses that while the page fills the screen.
        page.evaluate("Element.prototype.requestFullscreen = undefined")
        page.keyboard.press("p")
        page.wait_for_function(PROJECTED)
        assert cut_in_each_window(page) == {}, f"{address}, projected"
        page.keyboard.press("Escape")
        page.wait_for_function(f"!{PROJECTED}")
