"""Terms explained in place, and the tour of a training page, in a real browser.

Source: WCAG 2.2, 1.4.13 (content on hover or focus can be dismissed, pointed at, and stays) and 2.1.2 (no
keyboard trap); the glossary, with its definitions from `tokensteps/language/terms.py`. Oracle: the browser's
display, places, and focus.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, all_there, pause
from tests.browser.hands import tab_to
from tests.browser.test_bpe_page import Bpe
from tokensteps.drawing.handout import handout
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.merging import merge_frame
from tokensteps.language.terms import TERMS
from tokensteps.runs.algorithms import BPE, trace_at
from tokensteps.teaching.tour import STOPS

FOCUSED = """() => { let a = document.activeElement; while (a.shadowRoot?.activeElement) a = a.shadowRoot.activeElement;
  return a.dataset.term ?? a.dataset.do ?? a.role ?? a.tagName; }"""
OVERLAP = """() => { const [ring, card] = [".ring", ".card"].map((name) => {
    for (const host of document.querySelectorAll("[data-testid=stBidiComponentIsolated], [data-testid=stBidiComponentIsolated] *")) {
      const found = host.shadowRoot?.querySelector(`.ts-tour ${name}`); if (found) return found.getBoundingClientRect(); } });
  const across = Math.min(ring.right, card.right) - Math.max(ring.left, card.left);
  const down = Math.min(ring.bottom, card.bottom) - Math.max(ring.top, card.top);
  return Math.max(0, across) * Math.max(0, down); }"""
"""How much of its subject a stop's card covers, in square pixels."""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def explained(page: Page, term: str) -> None:
    """The one tooltip gives this term's meaning, within the window."""
    tip = page.locator(".ts-tip:popover-open")
    expect(tip).to_have_count(1)
    expect(tip.locator("p")).to_have_text(TERMS[term].definition)
    box: Any = tip.bounding_box()
    window: Any = page.viewport_size
    assert box["x"] >= 0 and box["y"] >= 0
    assert box["x"] + box["width"] <= window["width"] and box["y"] + box["height"] <= window["height"]


def silent(page: Page) -> None:
    expect(page.locator(".ts-tip:popover-open")).to_have_count(0)


@pytest.mark.slow
def test_terms_are_explained_in_place(serve: Callable[..., str], page: Page) -> None:
    """By mouse and by keyboard, on the page and in the flipbook's shadow; Escape, leaving and stepping put it
    away."""
    bpe = Bpe(page, serve(ROOT / "app.py")).open("/bpe?corpus=course&step=7", step=7)
    bpe.rest()  # the explanations' script comes with the page's end
    lead = page.locator("[data-testid=stMain] .lead .term[data-term=vocabulary]")
    lead.hover()
    explained(page, "vocabulary")
    expect(page.get_by_role("tooltip")).to_contain_text("Vocabulary")
    page.locator(".ts-tip").hover()  # it may be pointed at itself, WCAG 1.4.13
    pause(page, 400)
    explained(page, "vocabulary")
    page.keyboard.press("Escape")
    silent(page)

    tied = page.locator(".say .term[data-term=tie]")
    tied.hover()
    explained(page, "tie")
    page.locator("h1").hover()
    silent(page)
    tab_to(lead)
    explained(page, "vocabulary")
    for _ in range(20):  # into the shadow, by keyboard alone
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == "pair":
            break
    explained(page, "pair")
    assert page.locator(".say .term:focus").evaluate("e => e.ariaDescription") == TERMS["pair"].definition
    page.keyboard.press("ArrowLeft")  # the arrow is the flipbook's; focus and explanation stay with the word
    bpe.at(6)
    assert page.evaluate(FOCUSED) == "pair"
    explained(page, "pair")
    page.keyboard.press("Enter")
    link = page.get_by_role("link", name="Glossary").last
    expect(link).to_be_focused()
    assert str(link.get_attribute("href")).endswith("glossary?term=pair")
    expect(page.get_by_role("dialog", name="Pair")).to_be_visible()
    page.keyboard.press("Escape")
    silent(page)
    assert page.evaluate(FOCUSED) == "pair"
    assert bpe.state()["step"] == 6 and not bpe.state()["playing"]


@pytest.mark.slow
def test_a_tap_explains_on_a_phone(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    page = open_page(**PHONE)
    bpe = Bpe(page, serve(ROOT / "app.py")).open("/bpe?corpus=course&step=7", step=7)
    bpe.rest()  # the explanation goes away when its word moves
    page.locator(".say .term[data-term=corpus]").tap()
    explained(page, "corpus")
    link = page.locator(".ts-tip a")
    with page.context.expect_page() as opened:
        link.tap()
    expect(opened.value.locator("[class*=-wanted] dt")).to_have_text("Corpus")
    opened.value.close()
    page.locator("h1").tap()
    silent(page)
    assert bpe.state()["step"] == 7


@pytest.mark.slow
def test_the_tour(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """Offered once; by keyboard from stop to stop; Tab leaves it; Escape closes it and gives the focus
    back."""
    page = open_page(tours=True)
    bpe = Bpe(page, serve(ROOT / "app.py")).open("/bpe?corpus=course&step=3", step=3)
    offer = page.locator(".ts-tour .start.main")  # the button itself: it lies on nothing
    expect(offer).to_have_accessible_description("New here? A one-minute tour shows you around.")
    expect(page.locator(".ts-tour :popover-open")).to_have_count(0)
    bpe.press("ArrowRight")  # the offer takes no key
    bpe.at(4)
    page.get_by_role("button", name="Show me around").press("Enter")
    expect(offer).to_have_count(0)
    card = page.locator(".ts-tour .card")
    ring = page.locator(".ts-tour .ring")
    number = len(STOPS["bpe"])
    for index, stop in enumerate(STOPS["bpe"], 1):
        expect(card.get_by_role("heading")).to_have_text(stop.title)
        expect(card).to_contain_text(f"{index} of {number}")
        expect(card).to_be_focused()
        expect(ring).to_be_visible()
        box: Any = card.bounding_box()
        assert page.evaluate(OVERLAP) == 0, stop.title
        assert (
            box["x"] >= 0
            and box["y"] >= 0
            and box["x"] + box["width"] <= 1366
            and box["y"] + box["height"] <= 768
        )
        if index < number:
            bpe.press("ArrowRight")
    expect(card.get_by_role("button", name="Done")).to_be_visible()
    bpe.press("ArrowLeft")
    expect(card).to_contain_text(f"{number - 1} of {number}")
    assert bpe.state()["step"] == 4  # the flipbook has heard of none of these arrows
    expect(card).not_to_have_attribute("aria-modal", "true")
    assert [(bpe.press("Tab"), page.evaluate(FOCUSED))[1] for _ in range(6)] == [
        "back",
        "next",
        "close",
        "back",  # elements behind it aren't operated unseen
        "next",
        "close",
    ]
    expect(card).to_be_visible()  # the page can be used meanwhile, with a mouse
    page.locator(".ts-flipbook").first.get_by_role("button", name="Next step").press("Enter")
    bpe.at(5)
    expect(card).to_be_visible()
    bpe.press("Escape")
    expect(card).to_be_hidden()
    expect(ring).to_be_hidden()
    assert page.evaluate(FOCUSED) == "start"

    page.reload()
    bpe.at(5)
    expect(page.get_by_role("button", name="Show me around")).to_have_count(1)
    expect(offer).to_have_count(0)
    page.locator(".ts-tour .start").click()
    expect(card).to_be_visible()
    page.get_by_role("link", name="Home").press("Enter")
    expect(page.locator(".ts-tour")).to_have_count(0)  # it goes with its page


def test_the_tour_skips_missing_elements(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """On a phone, the sidebar is closed: no stop leads to it. Ended by a key, far down, the tour gives the
    focus back in sight."""
    page = open_page(**PHONE)
    Bpe(page, serve(ROOT / "app.py")).open("/wordpiece?corpus=hug&step=1", step=None).shows(1)
    all_there(page)  # the tour leads to what is there when it begins
    page.locator(".ts-tour .start").tap()
    card = page.locator(".ts-tour .card")
    expect(card).to_contain_text("1 of 5")
    expect(card.get_by_role("heading")).to_have_text("Step through training")
    for _ in range(4):
        card.get_by_role("button", name="Next").tap()
        box: Any = card.bounding_box()
        assert (
            box["x"] >= 0
            and box["x"] + box["width"] <= 390
            and box["y"] >= 0
            and box["y"] + box["height"] <= 844
        )
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.locator(".ts-tour .start")).to_be_focused()
    expect(page.locator(".ts-tour .start")).to_be_in_viewport(ratio=1)


def test_a_handout_explains_its_terms_offline(open_page: Callable[..., Page], tmp_path: Path) -> None:
    """The handout's policy lets both scripts run; there is no glossary to go to."""
    trace = trace_at(BPE, corpus="hug")
    file = tmp_path / "hug.html"
    file.write_text(
        handout("hug", len(trace), lambda step: merge_frame(trace[step], Style())), encoding="utf-8"
    )
    page = open_page(fresh=True, offline=True)
    page.goto(file.as_uri())
    page.locator(".say .term[data-term=symbol]").hover()
    explained(page, "symbol")
    page.keyboard.press("ArrowRight")
    page.locator(".say .term[data-term=merge]").click()
    explained(page, "merge")
    expect(page.locator(".ts-tip a")).to_have_count(0)
