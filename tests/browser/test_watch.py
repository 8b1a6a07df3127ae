"""“Stop at steps that change” on a training page in a real browser, by hand. Oracle: the engine on the same
five words."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT
from tests.browser.hands import retype
from tests.browser.test_bpe_page import Bpe
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.changes import steps_changing_pair, steps_changing_word

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def test_keys_go_to_the_steps_that_change_a_word(serve: Callable[..., str], page: Page) -> None:
    bpe = Bpe(page, serve(ROOT / "app.py")).open("/bpe?corpus=hug&step=0", 0)
    last = bpe.state()["last"]
    trace = train_bpe(Corpus.from_counts(HUG), merges=last)
    steps = steps_changing_word(trace, "hugs")
    assert 0 < len(steps) < last
    book = page.locator(".ts-flipbook")
    jump = book.get_by_role("button", name="Next step that changes this")
    expect(jump).to_be_hidden()
    box = page.get_by_role("textbox", name="Stop at steps that change")
    retype(box, "hugs")
    box.press("Enter")
    expect(book.locator(".line > [data-marked]")).to_have_count(len(steps))
    marked = book.locator(".line > [data-marked]").evaluate_all(
        "found => found.map(one => +one.dataset.step)"
    )
    assert marked == steps
    book.locator(".where").click()  # the keys are the stage's
    for step in steps:
        page.keyboard.press("Shift+ArrowRight")
        bpe.shows(step)
    page.keyboard.press("Shift+ArrowRight")
    bpe.shows(steps[-1])
    page.keyboard.press("Shift+ArrowLeft")
    bpe.shows(steps[-2])
    jump.click()
    bpe.shows(steps[-1])
    bpe.open("/bpe?corpus=hug&watch=u+%2B+g", 0)
    expect(book.locator(".line > [data-marked]")).to_have_count(len(steps_changing_pair(trace, "u", "g")))
