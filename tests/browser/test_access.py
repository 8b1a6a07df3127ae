"""Every page for everybody: WCAG 2.2 AA as far as a machine can tell, in light and dark, by keyboard alone,
and in little room.

Sources: WCAG 2.2 (1.1.1, 1.4.3, 1.4.10, 1.4.11, 2.1.1, 2.1.2, 2.4.3, 2.4.7, 2.4.11, 2.5.8, 3.1.1, 4.1.2).
Oracles: axe-core, with open shadow roots included; the browser's own computed styles, boxes and accessibility
tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import FileChooser, FilePayload, Page, expect

from tests.browser.conftest import ROOT, all_there, at_rest, left_over, open_tab, turn_to
from tests.browser.hands import tab_to
from tokensteps.catalogue.choices import GPT2

PAGES = {
    "Home": ("/", ".first-tokens"),
    "Exercises": ("/exercises?kind=viterbi&level=2&seed=1", ".question"),
    "Challenge": ("/challenge", "h1"),
    "Errata": ("/errata", ".erratum"),
    "Glossary": ("/glossary", "dl.entry"),
    "BPE": ("/bpe?corpus=course&step=7", ".st-key-bpe-book .say"),
    "WordPiece": ("/wordpiece?corpus=course&step=3", ".st-key-wordpiece-book .say"),
    "Unigram": ("/unigram?corpus=course&step=3", ".stage .lat"),
    "Playground": ("/playground", ".ts-chips .l"),
    "Compare": ("/compare", ".stage .trio"),
    "Pipeline": ("/pipeline", ".ts-pipeline .atom"),
    "Retrain": ("/renew", ".heritage"),
}
"""Every page of the navigation: its address, and an element there after it is drawn."""
VISITS = (
    ("Home", "Exercises", "Challenge", "Errata", "Glossary"),
    ("BPE", "WordPiece", "Unigram"),
    ("Playground", "Compare", "Pipeline", "Retrain"),
)
"""Pages visited one after the other without loading anything anew."""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = """(rules) => {
  const { id, options } = axe._audit.checks['color-contrast']; // options given are all there are
  axe.configure({ checks: [{ id, options: { ...options, ignorePseudo: true } }] });
  return axe.run(document, { resultTypes: ['violations'], runOnly: rules }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, html, any, all, none }) =>
      [id, target.join(' '), html.slice(0, 200), [...any, ...all, ...none][0]?.message]))); }"""
"""Its findings. Where something is drawn before or after an element, axe would give no judgement of its
contrast, and take four fifths of its time to find that out: so drawings there don't count, and the rest
does."""
COMING = '[data-testid="stSkeleton"], [data-testid="stSpinner"], [data-stale="true"]'
GROUND = "() => getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).backgroundColor"
# How far the page is wider than its window.
WIDER = """() => [document.documentElement, document.querySelector('[data-testid="stMain"]')]
  .map((node) => node.scrollWidth - node.clientWidth)"""
STOPS, BACK = 45, 12
"""How often Tab is pressed from the page's beginning, and Shift+Tab from its end."""
MENU = "[data-testid=stSidebarNav] a"
"""The menu is the same on all pages: on the further ones of a visit, Tab is pressed from its last link on."""

# The stops of Tab: each is noted when the key is let go, with the looks of its surroundings.
WALK = """() => {
  const deep = () => { let at = document.activeElement; while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement; return at; };
  const up = (node) => node.parentElement ?? node.getRootNode().host;
  const around = (node) => { // a ring may be drawn on a neighbour or on what holds it
    const all = [node, ...(up(node)?.children ?? [])];
    for (let at = node, far = 0; far < 8 && (at = up(at)) && at !== document.body; far++) all.push(at);
    return all.slice(0, 40);
  };
  const look = (node) => ['', '::before', '::after'].map((part) => {
    const s = getComputedStyle(node, part);
    return [s.outlineStyle === 'none' ? '' : s.outline, s.boxShadow, s.borderColor, s.borderWidth, s.backgroundColor, s.textDecoration].join();
  }).join(' | ');
  const shown = (node) => { // some point of it lies in the window with nothing over it
    const box = node.getBoundingClientRect(), root = node.getRootNode(), inside = [];
    for (const x of [.02, .25, .5, .75, .98]) for (const y of [.1, .5, .9]) {
      const [left, top] = [box.left + x * box.width, box.top + y * box.height];
      if (left < 0 || top < 0 || left >= innerWidth || top >= innerHeight) continue;
      const hit = root.elementFromPoint(left, top);
      if (hit && (node.contains(hit) || hit.contains(node) || [...(node.labels ?? [])].some((one) => one?.contains(hit)))) return true;
      inside.push(hit?.outerHTML.slice(0, 80));
    }
    return box.width < 3 ? 'unseen' : false;
  };
  const stops = [];
  const note = ({ key }) => {
    if (key !== 'Tab') return;
    const node = deep(), held = around(node);
    stops.push({ node, held, focused: held.map(look), shown: shown(node) });
  };
  addEventListener('keyup', note, true);
  window.walked = async () => { // names and the looks without the focus
    removeEventListener('keyup', note, true);
    deep()?.blur();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
    axe.setup(document);
    const calm = new Map(), looks = (one) => calm.get(one) ?? calm.set(one, look(one)).get(one);
    const told = stops.map(({ node, held, focused, shown }, index) => ({
      what: node.outerHTML.replace(/\\s+/g, ' ').slice(0, 160), body: node === document.body,
      name: node.isConnected && axe.utils.getNodeFromTree(node) ? axe.commons.text.accessibleText(node).trim() : '?', shown,
      same: node === stops[index - 1]?.node, ring: held.some((one, at) => one.isConnected && looks(one) !== focused[at]),
    }));
    axe.teardown();
    return told;
  };
}"""


@pytest.fixture
def calm(open_page: Callable[..., Page]) -> Page:
    """A page with reduced motion: nothing is measured half way."""
    return open_page(reduced_motion="reduce")


def rest(page: Page) -> None:
    """Wait until Python and the page are done."""
    at_rest(page)
    expect(page.locator(COMING)).to_have_count(0)


def drawn(page: Page, address: str, sign: str) -> None:
    """Open a page, and wait until it stands there."""
    page.goto(address)
    page.locator(sign).first.wait_for()
    rest(page)
    page.evaluate(AXE_SCRIPT)


def turned(page: Page, address: str, sign: str) -> None:
    """Go to another page without loading anything anew, and wait until it stands there."""
    turn_to(page, address)
    page.locator(sign).first.wait_for()
    rest(page)


def violations(page: Page) -> dict[str, Any]:
    """The findings of axe, in light and in dark: first in the page's own theme; the other one comes without a
    reload, and stays."""
    results = {}
    themes = ["light", "dark"]
    if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"):
        themes.reverse()
    for theme in themes:
        rules = RULES
        if theme == themes[1]:
            before = page.evaluate(GROUND)
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            page.wait_for_function(f"before => ({GROUND})() !== before", arg=before)
            rules = ["color-contrast"]  # the only rule about colours; all else is the same page
        results[theme] = left_over(page, AXE, rules)  # parts of the page may get the other theme later
    return {theme: each for theme, each in results.items() if each}


def walk(page: Page, stops: int = STOPS) -> list[dict[str, Any]]:
    """The stops of Tab from the focus, or from the beginning, and of Shift+Tab from there back."""
    page.evaluate(WALK)
    for _ in range(stops):
        page.keyboard.press("Tab")
    page.evaluate("document.activeElement.blur()")
    for _ in range(BACK):
        page.keyboard.press("Shift+Tab")
    return page.evaluate("walked()")  # type: ignore[no-any-return]


def wrong_stops(stops: list[dict[str, Any]]) -> list[Any]:
    """Stops without a name, without a visible focus, out of sight, or impossible to leave by Tab."""
    results: list[Any] = []
    for index, stop in enumerate(stops):
        if stop["body"]:  # past the page's end
            continue
        lacks = [what for what in ("name", "ring", "shown") if not stop[what]]
        if index and stop["same"]:
            lacks.append("left")
        if lacks:
            results.append((lacks, stop["what"]))
    return results


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: visit[0])
def test_pages_are_for_everybody(serve: Callable[..., str], calm: Page, visit: tuple[str, ...]) -> None:
    """axe is content in both themes; Tab goes through; at 200 % zoom and in 320 pixels nothing needs to be
    scrolled across."""
    address, sign = PAGES[visit[0]]
    drawn(calm, serve(ROOT / "app.py") + address, sign)
    is_for_everybody(calm, visit[0])
    for name in visit[1:]:
        turned(calm, *PAGES[name])
        is_for_everybody(calm, name, past_menu=True)


def is_for_everybody(page: Page, name: str, past_menu: bool = False) -> None:
    """The present page."""
    assert page.evaluate("document.documentElement.lang") == "en", name
    assert violations(page) == {}, name
    menu = page.locator(MENU)
    if past_menu:
        tab_to(menu.last)
    stops = walk(page, STOPS - menu.count() if past_menu else STOPS)
    assert wrong_stops(stops) == [], name
    least = 10 if past_menu else 15
    assert len({stop["what"] for stop in stops}) >= least, f"{name}: Tab hardly went anywhere"
    for width, height in ((683, 384), (320, 640), (1366, 768)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(f"() => ({WIDER})().join() === '0,0'")
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "false")


@pytest.mark.slow
def test_opened_parts_are_accessible(serve: Callable[..., str], calm: Page) -> None:
    """The tour, a chart, an explained term, a verdict, a lattice; and axe does look into shadows: two faults
    planted there are found."""
    drawn(calm, serve(ROOT / "app.py") + "/bpe?corpus=course&step=7", ".stage .say")
    calm.get_by_role("button", name="Show me around").press("Enter")
    calm.locator(".ts-tour .card").wait_for()
    assert violations(calm) == {}
    calm.emulate_media(color_scheme="light")
    calm.keyboard.press("Escape")
    open_tab(calm, "Charts")
    chart = calm.get_by_test_id("stPlotlyChart")
    chart.locator("svg").first.wait_for()
    rest(calm)
    expect(
        calm.locator(
            "[data-testid='stPlotlyChart'][aria-label^='Count of the chosen pair: from 7 at the start to 2 at the end']"
        ).first
    ).to_be_visible()
    calm.locator(".say .term").first.hover()
    calm.locator(".ts-tip:popover-open").wait_for()
    assert calm.evaluate(AXE, RULES) == []
    calm.locator(".ts-flipbook .stage").evaluate("stage => stage.append(document.createElement('button'))")
    assert [fault[0] for fault in calm.evaluate(AXE, ["wcag2a"])] == ["button-name"]
    calm.locator(".ts-flipbook .say").evaluate("say => { say.style.color = '#ccc'; }")
    assert "color-contrast" in {fault[0] for fault in calm.evaluate(AXE, ["color-contrast"])}
    an_answer_by_keyboard(calm)
    what_is_heard_of_a_lattice(calm)


def an_answer_by_keyboard(calm: Page) -> None:
    """An exercise is answered without a mouse; its verdict is for everybody."""
    turned(calm, "/exercises?kind=bpe_count&level=1&seed=1", ".question")
    calm.get_by_label("Your answer").press_sequentially("99")
    calm.keyboard.press("Enter")
    calm.locator(".verdict.wrong").wait_for()
    rest(calm)
    assert violations(calm) == {}


def what_is_heard_of_a_lattice(calm: Page) -> None:
    """Two flipbooks have names; each bar says where it lies; a step reads out its sums. Oracle: the course's
    table for unhug."""
    turned(calm, "/unigram?corpus=hug&step=0", ".stage .lat")
    expect(calm.get_by_role("group", name="Step through training", exact=True)).to_have_count(1)
    lattice = calm.get_by_role("group", name="Lattice", exact=True)
    lattice.get_by_role("button", name="Next step").click()
    for _ in range(3):
        calm.keyboard.press("ArrowRight")
    expect(lattice.locator(".live")).to_contain_text(
        "hu from 2: −2.575 + −2.639 = −5.214. u from 3: −5.214 + −1.764 = −6.977."
    )
    names = lattice.locator("[data-pick]").evaluate_all("bars => bars.map(bar => bar.ariaLabel)")
    assert len(set(names)) == len(names) == 9
    assert (
        "un from 0 to 2: probability 0.07619, log −2.575; posterior 85.4 %, best last piece at a boundary"
        in names
    )
    assert lattice.get_by_role("group", name="unhug").count() == 1


TOP = "() => document.querySelector('[data-testid=\"stMain\"]').scrollTop"


@pytest.mark.slow
def test_keys_scroll_a_page_that_has_just_come(serve: Callable[..., str], page: Page) -> None:
    """Nothing has the focus on arrival: keys scroll the page all the same. A link pressed by a key stays
    behind with its page: the next page has the focus, and Tab leads to its first control. Out of projector
    mode, the control with the focus is in sight."""
    page.goto(serve(ROOT / "app.py"))
    all_there(page)
    page.keyboard.press("PageDown")
    page.wait_for_function(f"({TOP})() > 300")
    tab_to(page.get_by_role("link", name="Compare all three side by side"))
    page.keyboard.press("Enter")
    page.wait_for_function("location.pathname === '/compare'")
    expect(page.locator(".stage .trio")).to_be_visible()
    at_rest(page)
    expect(page.get_by_test_id("stMain")).to_be_focused()
    assert page.evaluate(TOP) == 0
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Your text")).to_be_focused()

    page.keyboard.press("p")
    page.wait_for_function("document.documentElement.hasAttribute('data-projector')")
    page.goto(serve(ROOT / "app.py"))
    at_rest(page)
    lesson = page.get_by_role("link", name="Watch this tokenizer being trained")
    tab_to(lesson)
    page.keyboard.press("Escape")
    page.wait_for_function("!document.documentElement.hasAttribute('data-projector')")
    expect(lesson).to_be_focused()
    expect(lesson).to_be_in_viewport(ratio=0.9)


TALL = "() => { document.querySelector('[data-testid=\"stMain\"] > *').style.minHeight = '3000px'; }"
"""Between two pages, none is ever too short to stay scrolled, as it is on a fast machine."""


@pytest.mark.slow
def test_a_page_begins_at_its_top(serve: Callable[..., str], page: Page) -> None:
    """However far the last one was scrolled."""
    page.goto(f"{serve(ROOT / 'app.py')}/bpe?corpus=hug")
    all_there(page)
    page.evaluate(TALL)
    for title in ("Glossary", "Errata"):
        page.mouse.move(800, 400)
        page.mouse.wheel(0, 350)
        page.wait_for_function(f"({TOP})() > 300")
        page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True).click()
        page.wait_for_url(f"**/{title.lower()}*")
        at_rest(page)
        assert page.evaluate(TOP) == 0


@contextmanager
def chosen(page: Page, *files: FilePayload) -> Iterator[None]:
    """Files for the browser's dialogs, one each. The test listens before it opens the page: Chromium learns
    of it late, and shows its own dialog to a key pressed meanwhile."""
    left = [*files]

    def choose(dialog: FileChooser) -> None:
        dialog.set_files(left.pop(0))

    page.on("filechooser", choose)
    yield
    page.remove_listener("filechooser", choose)
    assert left == []


def stays_on(page: Page, button: str) -> None:
    """The focus, once everything is drawn anew."""
    at_rest(page)
    page.wait_for_function("document.activeElement !== document.body")
    expect(page.get_by_role("button", name=button, exact=True)).to_be_focused()


@pytest.mark.slow
def test_a_tokenizer_chosen_by_keyboard_leaves_the_focus(serve: Callable[..., str], page: Page) -> None:
    """The box is drawn anew for the next files: the focus goes along, for a second try. A new tokenizer
    changes the number of boxes above: another box than the one in hand would be folded."""
    broken = FilePayload(name="broken.json", mimeType="application/json", buffer=b"{")
    good = FilePayload(name="vocab.txt", mimeType="text/plain", buffer=b"[UNK]\nhug\n##s\n")
    address, gpt2 = serve(ROOT / "app.py"), urlencode({"t1": GPT2})
    for path, wanted in (("playground", "Tokenizer B"), (f"pipeline?{gpt2}", "Tokenizer")):
        with chosen(page, broken, good):
            page.goto(f"{address}/{path}")
            all_there(page)
            tab_to(page.locator("summary", has_text="Upload a tokenizer"))
            page.keyboard.press("Enter")
            button = page.get_by_role("button", name="Upload", exact=True)
            expect(button).to_be_visible()
            tab_to(button)
            page.keyboard.press("Enter")
            expect(page.locator(".note.problem")).to_contain_text("broken.json")
            stays_on(page, "Upload")
            page.keyboard.press("Enter")
            expect(page.get_by_role("button", name="Name and settings")).to_be_visible()
            expect(page.get_by_label(wanted, exact=True)).to_be_visible()
            stays_on(page, "Upload")


@pytest.mark.slow
def test_a_text_chosen_by_keyboard_leaves_the_focus(serve: Callable[..., str], page: Page) -> None:
    """The button gives way to the file and another button, for the next one: not to the file's cross, and not
    to the question mark above them."""
    with chosen(page, FilePayload(name="mine.txt", mimeType="text/plain", buffer=b"hug pug")):
        page.goto(f"{serve(ROOT / 'app.py')}/wordpiece?corpus=upload")
        all_there(page)
        tab_to(page.get_by_role("button", name="Upload", exact=True))
        page.keyboard.press("Enter")
        expect(page.locator(".st-key-wordpiece-book .say")).to_be_visible()
    stays_on(page, "Add files")
