"""The home page in a browser: the tokens are there, and follow the typing.

Source: the page's promise, one's own sentence in tokens. Oracle: the engine's encoding by the tokenizer named
on the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT, at_rest, pause
from tests.browser.hands import retype
from tokensteps.catalogue.choices import TokenizerSpec
from tokensteps.language.i18n import LANGUAGES
from tokensteps.pages.learn.home import SENTENCE, SPEC

SENTENCE_PART = ".st-key-home_sentence"
MOST_EMPTY = 70
"""Pixels between the folded part and the next heading."""
TYPED = "re-tokenize 茶 <b>x</b>"
NO_EMPTY_STRETCH = """([selector, most]) => {
  const heading = [...document.querySelectorAll('h2')].find((one) => one.innerText === 'Three ways to learn the pieces');
  const gap = heading.getBoundingClientRect().top - document.querySelector(selector).getBoundingClientRect().bottom;
  return 0 < gap && gap < most; }"""
"""Whether the next heading follows soon."""


WIDER = "(main => main.scrollWidth - main.clientWidth)(document.querySelector('[data-testid=stMain]'))"


def tokenizer() -> Any:
    run = TokenizerSpec.parse(SPEC).run()
    return run.algorithm.train(run.source.corpus(run.pipeline), **run.settings).tokenizer()


def test_a_visit(serve: Callable[..., str], page: Page) -> None:
    page.goto(serve(ROOT / "app.py"))
    it_is_three_screens(page)
    tokens_follow_the_typing(page)


def it_is_three_screens(page: Page) -> None:
    """In each language, English last."""
    for code, name in reversed(LANGUAGES.items()):
        page.get_by_test_id("stSidebar").get_by_text(name, exact=True).click()
        expect(page.locator("html")).to_have_attribute("lang", re.compile(f"^{code}"))
        at_rest(page)
        expect(page.locator(".first-tokens small").first).to_be_visible()
        expect(page.locator("[data-testid=stMain] [data-testid=stPageLink]").last).to_be_visible()
        for width, height in ((1280, 800), (1366, 768)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_function(
                f"document.querySelector('[data-testid=stMain]').scrollHeight <= 3 * {height}"
            )


def tokens_follow_the_typing(page: Page) -> None:
    numbers = page.locator(".first-tokens small")
    cut = tokenizer()
    ids = cut.encode(SENTENCE).ids
    expect(numbers).to_have_text([str(number) for number in ids])
    for width, height in ((1366, 768), (1000, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(NO_EMPTY_STRETCH, arg=[f"{SENTENCE_PART} details", MOST_EMPTY])
    box = page.get_by_label("Your sentence")
    retype(box, "")
    expect(page.get_by_text("No text, no tokens")).to_be_visible()
    box.press_sequentially(TYPED, delay=20)  # as somebody types, without Enter
    expect(page.locator(".first-counts").first).to_contain_text(
        f"{len(cut.encode(TYPED).ids)} tokens for {len(TYPED)} characters"
    )
    expect(box).to_have_value(TYPED)
    assert " ".join(numbers.all_inner_texts()).split() == [str(number) for number in cut.encode(TYPED).ids]
    long_words_stay_on_the_page(page, box)
    retype(box, TYPED)
    expect(numbers.last).to_have_text(str(cut.encode(TYPED).ids[-1]))
    at_rest(page)  # the link comes after the numbers
    page.get_by_role("link", name="Paste a whole text").click()
    expect(page.locator(".ts-chips .ids p")).to_have_text(", ".join(map(str, cut.encode(TYPED).ids)))


def long_words_stay_on_the_page(page: Page, box: Locator) -> None:
    """A word that a phone's line can't hold, and a sentence without spaces, in "Why subwords?"."""
    folded = page.get_by_test_id("stExpander").locator("details", has_text="Why subwords?")
    for sentence in ("a" * 100, "今天天气很好我们去公园散步吧" * 4):
        box.click()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(sentence)
        expect(page.locator(".ways .cost").nth(1)).to_contain_text(sentence)
        at_rest(page)
        if folded.get_attribute("open") is None:
            folded.locator("summary").click()
        expect(page.locator(".ways")).to_be_visible()
        assert page.evaluate(WIDER) == 0


LIVE = 400
"""Milliseconds; more than the box waits for another letter."""
SLOW = """(() => {
  const { postMessage } = MessagePort.prototype, now = performance.now.bind(performance);
  const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  let ahead = 0, waiting = null;
  performance.now = () => now() + ahead;
  MessagePort.prototype.postMessage = function (...all) {
    waiting ? waiting.push(() => postMessage.apply(this, all)) : postMessage.apply(this, all); };
  Object.defineProperty(HTMLInputElement.prototype, "value", { ...value, get() {
    if (waiting) ahead += 10; // React goes on drawing later
    return value.get.call(this); } });
  window.hold = () => { waiting = []; };
  window.drawSome = () => { const some = waiting; waiting = []; some.forEach((draw) => draw()); };
  window.drawAll = () => { const all = waiting; waiting = null; all.forEach((draw) => draw()); };
})()"""
"""A device on which React's drawing, asked for by messages, comes late, and in small portions."""


def test_a_slow_device_loses_no_letter(serve: Callable[..., str], page: Page) -> None:
    """The second letter is typed before the first has been drawn, and is due before the first is sent."""
    page.add_init_script(SLOW)
    page.goto(serve(ROOT / "app.py"))
    at_rest(page)
    box = page.get_by_label("Your sentence")
    retype(box, "")
    expect(page.get_by_text("No text, no tokens")).to_be_visible()
    at_rest(page)
    page.evaluate("hold()")
    page.keyboard.type("a")
    pause(page, LIVE)
    page.keyboard.type("b")
    page.evaluate("drawSome()")
    pause(page, LIVE)
    page.evaluate("drawAll()")
    expect(page.locator(".first-counts").first).to_contain_text("for 2 characters")
    expect(box).to_have_value("ab")
