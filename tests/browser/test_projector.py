"""Projector mode in a real browser: its contents, its sizes, and the keys of a presenter's clicker.

Source: the rule of thumb that text on a screen is read from the back row when its capitals are a fiftieth of
the screen's height, 14.4 px of 720, that is type of 20 px; narration has 26 px here where there is room, all
else at least 20. A clicker sends Page Down, Page Up, `b` or `.`. Oracle: the browser's computed styles, its
geometry, the address and the focus.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.app.drawing.test_comparison import example
from tests.browser.conftest import ROOT, all_there, at_rest, left_over, open_tab, pause, turn_to
from tests.browser.hands import tab_to
from tests.browser.test_walk import held
from tokensteps.drawing.handout import handout
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.merging import merge_frame
from tokensteps.language.pages import PAGES as PAGE_PATHS
from tokensteps.runs.algorithms import BPE, trace_at
from tokensteps.shell.walk import lesson_facts
from tokensteps.teaching.lessons import LESSONS
from tokensteps.teaching.walk import WalkPosition, query_of, stops_of

SCREEN = {"viewport": {"width": 1280, "height": 720}}
ON = "document.documentElement.hasAttribute('data-projector')"
BOOK = "document[Symbol.for('tokensteps.stage')]"
PAGES = ("playground", "pipeline", "renew")
STAGES = ("bpe", "wordpiece", "unigram", "compare")
STEP = f"+{BOOK}?.querySelector('input').value"
SMALL = f"""([selector, least]) => [...{BOOK}.querySelectorAll(selector)].filter(e => e.checkVisibility() && e.textContent.trim())
  .map(e => [e.className || e.tagName, e.textContent.slice(0, 30), parseFloat(getComputedStyle(e).fontSize)]).filter(found => found[2] < least)"""
OUTSIDE = f"""() => [{BOOK}, ...{BOOK}.children, ...{BOOK}.querySelectorAll('.transport > *, .stage > *, .cols > section, .trio > section')]
  .filter(e => e.checkVisibility() && !e.matches('.unseen')).map(e => [e.className || e.tagName, e.getBoundingClientRect()])
  .filter(([, r]) => r.left < 0 || r.top < 0 || r.right > innerWidth + .5 || r.bottom > innerHeight + .5).map(([name, r]) => [name, r.right, r.bottom])"""
NARRATION = ".say p:not(.why), .say p:not(.why) .t"
FIGURES = ".w .t, td .t, .more, .say, .say .why, .figures > summary, .f, td, th, h3, .mark, .line > button, .where, .vocab .t, .vocab .k, .did, .per, h4"
BEYOND = f"""() => [...{BOOK}.querySelectorAll('.line .now')].map(e => e.getBoundingClientRect()).filter(r => r.left < 0 || r.right > innerWidth)"""
UNDER = f"""parts => {{ const boxes = what => [...what].filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect());
  const over = boxes(document.querySelectorAll('.ts-projector > button, .ts-open-projected'));
  return boxes([...{BOOK}.querySelectorAll('.transport > *'), ...(parts ? document.querySelectorAll(parts) : [])]).filter(one => over.some(other => one.right > other.left && one.top < other.bottom
    && one.bottom > other.top)).map(one => [one.left, one.right]); }}"""
TOLD = f"""() => [...{BOOK}.querySelectorAll('.where > span')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"""
TYPE = "e => e.currentCSSZoom * parseFloat(getComputedStyle(e).fontSize)"
CUT = f"""() => [...{BOOK}.querySelectorAll('.cols > section')].flatMap(part => [...part.querySelectorAll('.w, tr')]
  .map(row => [part.getBoundingClientRect().bottom, row.getBoundingClientRect()])
  .filter(([end, row]) => row.top < end - 2 && row.bottom > end + 2).map(([end, row]) => [end, row.top, row.bottom]))"""


def ready(page: Page, address: str) -> Page:
    """The page is there, with its button, and Python rests."""
    page.goto(address)
    all_there(page)
    return page


def a_pen_draws_beside_a_resting_hand(page: Page) -> None:
    """The hand's edge comes before the pen; it moves a little while that draws, and goes before it."""
    hand, line = page.context.new_cdp_session(page), page.locator(".ts-ink polyline")

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y} for x, y in points]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    def pen(kind: str, x: float) -> None:
        buttons = {"button": "left", "buttons": 1, "clickCount": 1}
        hand.send(
            "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": 200, "pointerType": "pen", **buttons}
        )

    touch("touchStart", (600, 500))
    pen("mousePressed", 300)
    for x in (330, 360):
        pen("mouseMoved", x)
        touch("touchMove", (600 + x / 100, 500))
    touch("touchEnd")
    pen("mouseMoved", 400)
    pen("mouseReleased", 400)
    expect(line).to_have_count(2)
    box = line.last.bounding_box()
    assert box and abs(box["y"] - 200) < 8 and box["height"] < 16 and abs(box["width"] - 100) < 16


def enter(page: Page) -> Page:
    page.keyboard.press("p")
    page.wait_for_function(ON)
    return page


def legible(page: Page) -> None:
    """The stage is all there is, within the window, in type for the back row."""
    for hidden in ("stSidebar", "stHeader", "stHeading"):
        for result in page.locator(f"[data-testid={hidden}]").all():
            expect(result).to_be_hidden()
    expect(page.get_by_role("tab")).to_have_count(0)
    box = page.evaluate(f"(({{ width, height }}) => [width, height])({BOOK}.getBoundingClientRect())")
    assert box == [1280, 720]
    for finds, what in (
        (OUTSIDE, None),
        (UNDER, None),
        (CUT, None),
        (TOLD, None),
        (SMALL, [NARRATION, 26]),
        (SMALL, [FIGURES, 20]),
    ):
        # Fewer rows, each of them whole, as soon as they are laid out.
        assert left_over(page, finds, what) == []


@pytest.mark.slow
def test_a_lecture(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """P, a clicker, a black screen, a reload, another page and Escape, on one visit."""
    app = serve(ROOT / "app.py")
    page = ready(open_page(**SCREEN), f"{app}/bpe?corpus=course&step=7")
    page.wait_for_function(f"{STEP} === 7")
    page.keyboard.press("PageDown")  # outside of the mode it scrolls, and b is a letter
    page.keyboard.press("b")
    assert page.evaluate(STEP) == 7 and not page.evaluate(ON)
    tab_to(page.get_by_role("button", name="Projector mode (P)"))
    page.keyboard.press("Enter")
    page.wait_for_function(ON)
    expect(
        page.get_by_role("status").filter(has_text="Projector mode. Press Escape to leave.")
    ).to_have_count(1)
    assert page.evaluate(f"{BOOK}.getRootNode().activeElement.dataset.do") == "next"  # the focus isn't lost
    legible(page)

    for _ in range(5):
        page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    assert page.evaluate(STEP) == 11
    page.wait_for_function("new URLSearchParams(location.search).get('step') === '11'")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(STEP) == 12

    black = page.locator(".ts-blackout")
    for key, other in (("b", "PageDown"), (".", "F5")):
        page.keyboard.press(key)
        expect(black).to_be_visible()
        assert page.evaluate("document.elementFromPoint(640, 360).className") == "ts-blackout"
        page.keyboard.press("Shift")  # is no key yet
        expect(black).to_be_visible()
        page.keyboard.press(other)  # wakes, and does nothing else
        expect(black).to_be_hidden()
    held(page, "b")  # is one press
    expect(black).to_be_visible()
    held(page, "PageDown")  # wakes, however long it lasts
    expect(black).to_be_hidden()
    assert page.evaluate(STEP) == 12

    term = page.locator(".say .term").first
    term.hover()
    expect(page.locator(".ts-tip:popover-open")).to_have_count(1)
    page.keyboard.press("Escape")  # puts away the explanation, and no more
    expect(page.locator(".ts-tip:popover-open")).to_have_count(0)
    assert page.evaluate(ON)

    page.wait_for_function("new URLSearchParams(location.search).get('step') === '12'")
    page.reload()
    page.wait_for_function(f"{ON} && {BOOK}?.isConnected && {STEP} === 12")
    legible(page)
    turn_to(page, "/glossary")
    page.locator("dl.entry").first.wait_for()
    assert page.evaluate(ON)
    for hidden in ("stSidebar", "stHeader"):
        expect(page.get_by_test_id(hidden)).to_be_hidden()
    at_rest(page)
    page.keyboard.press("PageDown")
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 300")
    page.keyboard.press("Escape")
    page.wait_for_function(f"!({ON})")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    assert page.evaluate("document.fullscreenElement") is None


def test_every_page(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """From page to page in the mode: chrome is gone, type is large, nothing lies beside the window."""
    page = ready(open_page(**SCREEN, color_scheme="dark"), f"{serve(ROOT / 'app.py')}/exercises")
    enter(page)
    page.get_by_role("combobox", name="Kind").click()
    options = page.get_by_role("option")
    expect(options.first).to_be_visible()
    page.keyboard.press("Escape")  # closes the list, and no more
    expect(options).to_have_count(0)
    for name in ("", *PAGES, *STAGES):
        turn_to(page, f"/{name}")
        if name in STAGES:
            page.wait_for_function(
                f"""{BOOK}?.querySelector('.say') && document.querySelector('.st-key-{name}-book')?.contains({BOOK}.getRootNode().host)"""
            )
            for key in ("PageDown", "PageDown"):
                page.keyboard.press(key)
            legible(page)
            assert page.evaluate(BEYOND) == []  # of the timeline, the token just learned is in sight
            if name == "compare":
                words_that_change_come_with_a_key(page)
            continue
        page.wait_for_function(f"location.pathname === '/{name}'")
        # The playground begins with its text and its tokens, and needs no title.
        head, least = (".ts-chips .pane .t", 20) if name == "playground" else ("h1", 40)
        page.locator(head).first.wait_for()
        at_rest(page)  # the measured parts aren't drawn anew meanwhile
        for hidden in ("stSidebar", "stHeader"):
            expect(page.get_by_test_id(hidden)).to_be_hidden()
        assert page.locator(head).first.evaluate(TYPE) >= least
        assert page.evaluate(
            "(m => m.scrollWidth <= m.clientWidth)(document.querySelector('[data-testid=stMain]'))"
        )
        if name == "pipeline":
            page.wait_for_function(f"({STAGES_IN_ROWS})().join() === '2,2'")  # never three and one
        if name == "playground":
            assert page.evaluate(CUT_LINES) == []
            ids_out_of_sight_are_counted_and_come_with_a_key(page)
    page.evaluate("document.exitFullscreen()")  # as the browser's own Escape does
    page.wait_for_function(f"!({ON})")
    assert page.evaluate(f"!{BOOK}.hasAttribute('data-projector')")
    enter(page)
    page.get_by_role("button", name="Leave projector mode").click()
    assert not page.evaluate(ON)


STAGES_IN_ROWS = """() => { const tops = [...document.querySelectorAll('.stages li')].map((one) => one.offsetTop);
  return [...new Set(tops)].map((top) => tops.filter((one) => one === top).length); }"""
"""How many of the pipeline's stages are in each row."""
CUT_LINES = """() => { const root = [...document.querySelectorAll('.st-key-playground-editor *')].map((one) => one.shadowRoot).find(Boolean);
  const box = root.querySelector('.field').getBoundingClientRect(), range = document.createRange();
  range.selectNodeContents(root.querySelector('.cm-content'));
  return [...range.getClientRects()].filter(({ top, bottom }) => top < box.bottom && bottom > box.bottom).map(({ bottom }) => bottom - box.bottom); }"""
"""Lines of the text at the edge of their box."""
COMPARED = f"""() => {{ const [column, ...others] = {BOOK}.querySelectorAll('.trio > section');
  const seen = (what) => [...column.querySelectorAll(what)].filter((one) => one.checkVisibility());
  const heights = [column, ...others].map((one) => Math.round(one.querySelector('.track').getBoundingClientRect().top));
  return {{ titles: seen('h4').map((one) => one.firstChild.textContent), level: new Set(heights).size === 1,
    words: seen('.w').length + Number(seen('.more')[0]?.textContent.match(/\\d+/)[0] ?? 0) }}; }}"""


def words_that_change_come_with_a_key(page: Page) -> None:
    """Behind the words that are split differently; shown and counted, all are there. Bars are at one height.
    Oracle: the engine's number of words with different splits (all words shown are among them)."""
    assert page.evaluate(COMPARED)["level"]
    for _ in range(2):  # to where Unigram's sentence takes three lines
        page.keyboard.press("PageUp")
        page.wait_for_function(f"({COMPARED})().level")
    compared = page.evaluate(COMPARED)
    assert compared["titles"] == ["Split differently"]
    assert compared["words"] == example("course")[page.evaluate(STEP)].different
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"({COMPARED})().titles.join() === 'Change at this size'")
    assert page.evaluate(COMPARED)["words"] == compared["words"]


IDS = """() => { const root = [...document.querySelectorAll('.st-key-playground-chips *')].map((one) => one.shadowRoot).find(Boolean);
  const row = root.querySelector('.ids > p'), box = row.getBoundingClientRect();
  const below = [...row.children].filter((id) => id.getBoundingClientRect().top > box.bottom - 1).length;
  const ids = [...row.children].map((id) => [id, id.getBoundingClientRect()]);
  const cut = ids.filter(([, { top, bottom }]) => [box.top, box.bottom].some((edge) => top < edge - 1 && bottom > edge + 1)).length;
  const lit = ids.some(([id, { top, bottom }]) => id.matches('.lit') && top > box.top - 1 && bottom < box.bottom + 1);
  return { below, cut, lit, told: Number(root.querySelector('.below').textContent.match(/\\d+/)?.[0] ?? 0), lines: row.clientHeight / 21 }; }"""


def ids_out_of_sight_are_counted_and_come_with_a_key(page: Page) -> None:
    """In a panel of their own, too, where they have more than a line."""
    page.wait_for_function(f"(({{ below, told }}) => told > 40 && told === below)(({IDS})())")
    page.keyboard.press("v")
    page.wait_for_function(f"(({{ below, told, lines }}) => lines >= 2 && told === below)(({IDS})())")
    before = page.evaluate(IDS)["told"]
    assert 0 < before < 55
    for token in (-9, 25, 0):
        page.locator(".st-key-playground-chips .ts-chips .r[role]").nth(token).hover()
        page.wait_for_function(f"(({{ lit, cut }}) => lit && !cut)(({IDS})())")
    assert page.evaluate(IDS)["told"] == before
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    page.wait_for_function(f"(({{ below, told }}) => told === 0 && below === 0)(({IDS})())")
    page.keyboard.press("Escape")
    expect(page.locator("html[data-panel]")).to_have_count(0)


@pytest.mark.slow
def test_words_panels_and_a_question(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """In one visit, from page to page."""
    page = ready(open_page(**SCREEN), f"{serve(ROOT / 'app.py')}/bpe?corpus=parallel&step=9")
    all_languages_are_in_view(page)
    turn(page, "bpe", "corpus=course", 2)
    words_that_do_not_fit_are_counted_and_come_with_a_key(page)
    any_panel_with_four_keys(page)
    a_question_stays_usable(page)


def all_languages_are_in_view(page: Page) -> None:
    """The worst served of them decides: words give way to them. Oracle: the six languages of the example."""
    enter(page)
    rows = page.locator(".ts-flipbook .languages tr:not(:has(th))")
    expect(rows.filter(visible=True)).to_have_count(6)
    page.keyboard.press("Escape")
    page.wait_for_function(f"!({ON})")


def turn(page: Page, name: str, query: str, step: int) -> None:
    """Go on to another page with a run, once the address has the step of this one, and wait until its stage
    is at this step and Python rests."""
    page.wait_for_function(f"String({STEP}) === new URLSearchParams(location.search).get('step')")
    turn_to(page, f"/{name}?{query}&step={step}")
    page.wait_for_function(
        f"""{BOOK}?.querySelector('.say') && document.querySelector('.st-key-{name}-book')?.contains({BOOK}.getRootNode().host) && {STEP} === {step}"""
    )
    at_rest(page)


def a_question_stays_usable(page: Page) -> None:
    """Letters typed into a field are letters; a clicker steps nevertheless; the form has its room."""
    turn(page, "bpe", "corpus=hug&mode=predict&ask=count", 2)
    answer = page.get_by_label("Your answer")
    expect(answer).to_be_visible()
    page.set_viewport_size({"width": 700, "height": 500})
    enter(page)
    page.wait_for_function(f"{BOOK}.getBoundingClientRect().width === 700")
    assert page.evaluate(UNDER, '[class*="-predict"] .question') == []
    page.keyboard.press("Escape")
    page.wait_for_function(f"!({ON}) && !document.fullscreenElement")
    page.set_viewport_size(SCREEN["viewport"])
    enter(page)
    answer.click()
    page.keyboard.type("pb.")
    expect(answer).to_have_value("pb.")
    assert page.evaluate(ON)
    page.keyboard.press("PageUp")
    assert page.evaluate(STEP) == 1
    assert page.evaluate(OUTSIDE) == []
    for name in ("Check", "Reveal"):
        box = page.get_by_role("button", name=name).bounding_box()
        assert box and box["x"] + box["width"] <= 1280 and box["y"] + box["height"] <= 720
    assert page.evaluate(SMALL, [NARRATION, 20]) == []
    page.get_by_role("button", name="Reveal").click()
    page.wait_for_function(f"{STEP} === 3")
    expect(page.locator(".verdict.wrong")).to_be_visible()


def words_in_sight(page: Page) -> tuple[int, int]:
    """The number of words on the stage, as soon as it fits, and the number of others that it mentions."""
    shown, message = page.evaluate(
        f"""(async () => {{ for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
          const pane = {BOOK}.querySelector('.cols > section');
          const end = Math.min(innerHeight, pane.getBoundingClientRect().bottom) + 1;
          return [[...pane.querySelectorAll('.w')].filter(w => w.checkVisibility() && w.getBoundingClientRect().bottom <= end).length,
            pane.querySelector('.more')?.textContent ?? '']; }})()"""
    )
    return shown, int("".join(filter(str.isdigit, message)) or 0)


def words_that_do_not_fit_are_counted_and_come_with_a_key(page: Page) -> None:
    """Oracle: the corpus “Four sentences” has 30 different words; shown and counted make 30, and ↓ walks
    through all."""
    page.wait_for_function(f"{BOOK}?.querySelector('.say') && {STEP} === 2")
    assert words_in_sight(page) == (8, 22)
    enter(page)
    seen: set[str] = set()
    for _ in range(8):
        shown, more = words_in_sight(page)
        assert shown > 0 and shown + more == 30
        seen |= {
            *page.evaluate(
                f"""[...{BOOK}.querySelectorAll('.cols > section:first-child .w')].filter(w => w.checkVisibility()).map(w => w.querySelector('.ts').innerText.replace(/\\s/g, ''))"""
            )
        }
        page.keyboard.press("ArrowDown")
    assert len(seen) == 30
    page.keyboard.press("Escape")
    page.wait_for_function(f"!({ON})")
    assert words_in_sight(page) == (8, 22)


def any_panel_with_four_keys(page: Page) -> None:
    """V, F5 or a number projects a panel; Page Down steps on there; Escape goes back, and then out. Pen,
    pointer, keys."""
    turn(page, "unigram", "corpus=hug", 1)
    enter(page)
    tabs = page.locator("[class*=st-key-tabs-]")
    expect(tabs).to_be_hidden()
    page.keyboard.press("F5")  # a clicker's start key
    lattice = page.locator(".st-key-unigram-lattice-book .ts-flipbook")
    expect(lattice).to_be_visible()
    assert not page.evaluate(f"{BOOK}.checkVisibility()")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Lattice")
    page.wait_for_function(
        "(e => e && e.top >= 0 && e.bottom <= innerHeight)(document.querySelector('.st-key-unigram-lattice-book')?.getBoundingClientRect())"
    )
    page.keyboard.press("PageDown")
    expect(lattice.locator(".where b")).to_contain_text("1")
    page.keyboard.press("v")
    expect(page.get_by_role("tab", selected=True)).to_have_text("Every piece")
    page.keyboard.press("PageDown")  # no steps of its own: the run's
    page.wait_for_function(f"{STEP} === 2")
    page.keyboard.press("Escape")
    expect(tabs).to_be_hidden()
    assert page.evaluate(ON) and page.evaluate(f"{BOOK}.checkVisibility()")
    on_a_french_keyboard(page, lattice)

    page.keyboard.press("d")
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(500, 400, steps=4)
    page.mouse.up()
    line = page.locator(".ts-ink polyline")
    expect(line).to_be_visible()
    box = line.bounding_box()
    assert box and abs(box["x"] - 300) < 8 and abs(box["width"] - 200) < 16
    a_pen_draws_beside_a_resting_hand(page)
    page.keyboard.press("PageDown")
    expect(line).to_have_count(0)  # gone with the step
    page.keyboard.press("l")
    expect(page.locator(".ts-ink i")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".ts-ink i")).to_be_hidden()
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keys in projector mode")
    expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    assert page.evaluate(ON)
    page.keyboard.press("Escape")
    page.wait_for_function(f"!({ON})")


def on_a_french_keyboard(page: Page, lattice: Locator) -> None:
    """Figures and the full stop are there with Shift alone."""
    keyboard = page.context.new_cdp_session(page)

    def press(key: str, code: str) -> None:
        for kind in ("keyDown", "keyUp"):
            keyboard.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code, "modifiers": 8})

    press("2", "Digit2")
    expect(lattice).to_be_visible()
    press("1", "Digit1")
    expect(lattice).to_be_hidden()
    press(".", "Comma")
    expect(page.locator(".ts-blackout")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".ts-blackout")).to_be_hidden()


def test_a_clicker_reveals(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """In Predict, Page Down after the last step shown reveals the next one; held down, it reveals no more."""
    page = ready(open_page(**SCREEN), f"{serve(ROOT / 'app.py')}/bpe?corpus=hug&mode=predict&ask=pair")
    page.wait_for_function(f"{BOOK}?.querySelector('.say') && {STEP} === 0")
    enter(page)
    assert words_in_sight(page) == (5, 0)
    page.keyboard.press("PageDown")
    page.wait_for_function(f"{STEP} === 1")
    expect(page.locator(".verdict.wrong")).to_be_visible()
    at_rest(page)
    assert (
        page.evaluate("document.activeElement.localName") != "input"
    )  # the lecturer's next key isn't typed there
    page.keyboard.down("PageDown")
    pause(page, 1000)
    for _ in range(3):
        page.keyboard.down("PageDown")
    at_rest(page)
    assert page.evaluate(STEP) <= 2  # the first press counts, its repetitions don't


def test_the_handout(open_page: Callable[..., Page], tmp_path: Path) -> None:
    """The same mode and keys, under its own Content-Security-Policy."""
    trace = trace_at(BPE, corpus="hug")
    path = tmp_path / "handout.html"
    path.write_text(handout("hug", len(trace), lambda step: merge_frame(trace[step], Style())), "utf-8")
    page = open_page(**SCREEN)
    page.goto(path.as_uri())
    page.get_by_role("button", name="Projector mode (P)").wait_for()
    enter(page)
    legible(page)
    expect(page.locator("h1")).to_be_hidden()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    assert page.evaluate(STEP) == 2
    page.keyboard.press("b")
    expect(page.locator(".ts-blackout")).to_be_visible()
    page.keyboard.press("Escape")  # wakes: any key
    expect(page.locator(".ts-blackout")).to_be_hidden()
    page.keyboard.press("p")
    assert not page.evaluate(ON)
    expect(page.locator("h1")).to_be_visible()


TINY = """least => { const found = [], look = (node) => { for (const one of node.childNodes) {
    if (one.nodeType === 1 && !one.matches('style, script, .ts-walk, .ts-class')) { if (one.shadowRoot) look(one.shadowRoot); look(one); }
    const part = one.parentElement ?? one.parentNode.host;
    if (one.nodeType !== 3 || !one.data.trim() || !part.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange(), style = getComputedStyle(part);
    range.selectNodeContents(one);
    const { width, height, top, bottom } = range.getBoundingClientRect(), size = parseFloat(style.fontSize) * part.currentCSSZoom;
    if (width > 1 && height > 1 && bottom > 0 && top < innerHeight && style.clipPath === 'none' && size < least) found.push([size, one.data]); } };
  look(document.body); return found; }"""
"""Text in sight of less than so many pixels, in components, too, but not on the lecturer's own strips."""


@pytest.mark.slow
def test_nothing_on_a_panel_of_a_plan_is_small(
    serve: Callable[..., str], open_page: Callable[..., Page]
) -> None:
    """Every panel opened by an activity, at 1280 × 800."""
    page, address = open_page(viewport={"width": 1280, "height": 800}), serve(ROOT / "app.py")
    opened = set()
    for lesson in LESSONS:
        for number, stop in enumerate(stops_of(str(lesson.minutes), lesson_facts()), start=1):
            link = stop.link
            if not link.tab or link.tab in opened:
                continue
            opened.add(link.tab)
            query = urlencode(query_of(WalkPosition(str(lesson.minutes), number), link))
            enter(ready(page, f"{address}/{PAGE_PATHS[link.page].path}?{query}"))
            tab = page.locator("[data-projected]").get_by_role("tab", name=link.tab, exact=True)
            expect(tab).to_have_attribute("aria-selected", "true")
            page.wait_for_function(
                "document.querySelector('[data-projected]').getBoundingClientRect().height > 300"
            )
            page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
            assert left_over(page, TINY, 18) == [], link.tab  # once its zoom is found
            page.keyboard.press("p")
    assert len(opened) > 3


@pytest.mark.slow
def test_the_next_panel_begins_in_sight(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """However late its charts come, and however far below its beginning."""
    page = open_page(viewport={"width": 1366, "height": 768})
    enter(ready(page, f"{serve(ROOT / 'app.py')}/compare?corpus=course&step=28"))
    for name in ("Sweep chart", "Vocabulary overlap"):
        page.keyboard.press("v")
        tab = page.locator("[data-projected]").get_by_role("tab", name=name, exact=True)
        expect(tab).to_have_attribute("aria-selected", "true")
        expect(page.locator("[data-projected] .js-plotly-plot .main-svg").last).to_be_visible()
        at_rest(page)
    expect(page.locator("[data-projected] .regions")).to_be_in_viewport(ratio=0.5, timeout=5_000)


PLOTTED = """() => [...document.querySelectorAll('[data-projected] .js-plotly-plot')].flatMap((plot) => {
  const scale = plot.getBoundingClientRect().width / plot.offsetWidth, texts = [...plot.querySelectorAll('text')];
  return texts.filter((one) => one.textContent.trim()).map((one) => scale * parseFloat(getComputedStyle(one).fontSize)); })"""
"""The sizes of a chart's labels on the screen."""
CODE_NOW = """() => { const list = [...document.querySelectorAll('[data-projected] *')].map((one) => one.shadowRoot?.querySelector('.ts-code ol')).find(Boolean);
  const [line, box] = [list?.querySelector('li.now'), list].map((one) => one?.getBoundingClientRect());
  return Boolean(line) && line.top > box.top && line.bottom < box.bottom; }"""
CLIPPED = """() => [...document.querySelectorAll('[data-projected] *')].flatMap((one) => [...one.shadowRoot?.querySelectorAll('.lat .e') ?? []])
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""
"""Pieces of a lattice with a number too long for them."""


@pytest.mark.slow
def test_tabs_on_the_wall(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """At 1280 × 800: no label is small, the mouse finds a chart's points, the current line of the code is in
    sight, and no number is cut."""
    page, app = open_page(viewport={"width": 1280, "height": 800}), serve(ROOT / "app.py")

    def project(name: str) -> None:
        open_tab(page, name)
        at_rest(page)
        enter(page).keyboard.press("v")
        tab = page.locator("[data-projected]").get_by_role("tab", name=name, exact=True)
        expect(tab).to_have_attribute("aria-selected", "true")
        at_rest(page)

    def leave() -> None:
        for _ in range(2):
            page.keyboard.press("Escape")
        page.wait_for_function(f"!({ON})")

    ready(page, f"{app}/bpe?corpus=course&step=9")
    project("Charts")
    page.wait_for_function(f"(sizes => sizes.length > 5 && Math.min(...sizes) >= 18)(({PLOTTED})())")
    assert found_by_mouse(page, ".point >> nth=12") == "step 13: nd"
    leave()
    project("Code")
    page.wait_for_function(f"({CODE_NOW})()")
    leave()
    project("Encode")
    assert left_over(page, TINY, 18) == []
    leave()
    ready(page, f"{app}/unigram?corpus=course&size=40&step=127")
    project("Lattice")
    assert left_over(page, CLIPPED) == []
    leave()
    runs = "runs=bpe,superbpe,pickybpe,unigram"
    enter(ready(page, f"{app}/compare?corpus=phrases&{runs}&pre=byte_level&step=75"))
    four = f"{BOOK}?.querySelectorAll('.trio > section').length === 4"
    page.wait_for_function(f"{four} && ({COMPARED})().level")


def found_by_mouse(page: Page, point: str) -> str:
    """The first line of the words that a chart shows at a point."""
    box = page.locator(f"[data-projected] .js-plotly-plot {point}").bounding_box()
    assert box
    words = page.locator("[data-projected] .hoverlayer .hovertext tspan").first
    for shift in range(40):  # Plotly looks at the mouse at most every 50 ms
        page.mouse.move(box["x"] + box["width"] / 2 + shift % 2, box["y"] + box["height"] / 2)
        pause(page, 60)
        if words.count():
            return words.text_content() or ""
    return ""
