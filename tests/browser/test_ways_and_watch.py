"""“Ways to cut” and “Measures” in the playground, and “Stop at steps that change” on a training page, in a real browser, by hand.

Oracles: the engine on GPT-2's own vocabulary, and on five words; a newcomer, who opens the link that the page shows.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, as_a_newcomer, open_tab
from tests.browser.test_bpe_page import TRACES_OF_ATTACK, WIDTHS, Bpe
from tests.browser.test_playground_page import Playground
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.changes import steps_changing_pair, steps_changing_word
from tokensteps.catalogue.choices import GPT2
from tokensteps.catalogue.shipped import gpt2
from tokensteps.language.names import USE_NAMES

TEXT = "Its tippings. <img src=x onerror='window.bad=1'>"
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def test_one_word_in_every_way(serve: Callable[..., str], page: Page) -> None:
    playground = Playground(page, serve(ROOT / "app.py"))
    playground.start(text=TEXT, t1=GPT2)
    playground.tokens(list(gpt2().encode(TEXT).ids))
    open_tab(page, "Ways to cut")
    word = page.get_by_role("combobox", name="Word", exact=True)
    word.fill("tippings")
    word.press("Enter")
    ways = gpt2().all_cuts("tippings")
    rows = page.locator(".cuts [role=listitem]")
    for way in ("merges", "longest_prefix", "longest_suffix", "longest_token", "fewest_tokens"):
        row = rows.filter(has_text=USE_NAMES[way])
        expect(row.locator(".t")).to_have_text([one.token for one in ways.cuts[way] or ()])
    playground.rest()
    page.get_by_role("combobox", name="Step through").click()
    page.get_by_role("option", name="fewest tokens").click()
    book = page.locator(".ts-flipbook")
    expect(book.locator(".where")).to_contain_text("boundary 0 of 8")  # not the steps of the way before
    book.locator('[data-do="last"]').click()
    fewest = [one.token for one in ways.cuts["fewest_tokens"] or ()]
    expect(book.locator(".e.best")).to_have_text(fewest)
    link = page.locator("[data-testid=stCode]").filter(has_text="way=").first.inner_text().strip()

    as_a_newcomer(page, link)
    expect(page.get_by_role("combobox", name="Step through")).to_have_value("fewest tokens")
    expect(rows.filter(has_text="fewest tokens").locator(".t")).to_have_text(fewest)
    assert page.evaluate(TRACES_OF_ATTACK) == []

    open_tab(page, "Measures")
    page.get_by_role("combobox", name="Measure", exact=True).click()
    page.get_by_role("option", name="Vocabulary used").click()
    ids = gpt2().encode(TEXT).ids
    expect(page.locator(".measure")).to_contain_text(f"{len({*ids})} / 50,257 = ")
    page.get_by_role("button", name="What it is made of: “Tokens by count”").click()
    expect(page.get_by_text(f"{len({*ids})} different tokens among {len(ids)}.")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390 and max(page.evaluate(WIDTHS)) <= 0


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
    box.fill("hugs")
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
