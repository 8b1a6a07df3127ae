"""The flipbook in a real browser: keys, windows, URL and Back, and the standalone file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import at_rest, messages_sent, pause
from tests.browser.flipbook_demo import LABELS, frames
from tests.browser.hands import click_and_look, retype, slide, tab_to
from tokensteps.assets import read_script
from tokensteps.drawing.frame import payload, window
from tokensteps.drawing.handout import standalone_run
from tokensteps.language.numbers import read_whole

HERE = Path(__file__).resolve().parent
SCRIPT, OPTIONS = HERE / "flipbook_demo.py", ("--global.maxCachedMessageAge", "20")
"""The page, and the app's own setting for what .streamlit/config.toml says of it."""
BOOK = "document.querySelector('.ts-flipbook') ?? [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ts-flipbook')).find(Boolean)"
STATE = f"""() => {{ const b = {BOOK}; return b ? {{
  step: +b.querySelector('input').value, frame: +(b.querySelector('[data-frame]')?.dataset.frame ?? -1),
  beat: b.querySelector('.stage').dataset.beat, stale: b.hasAttribute('data-stale'),
  playing: b.hasAttribute('data-playing'), where: b.querySelector('.where').textContent,
  now: b.querySelector('.line .now')?.textContent }} : {{}}; }}"""


@pytest.fixture
def demo(serve: Callable[..., str], page: Page) -> Callable[[str], Page]:
    """Return `demo(query)`: the demo page at that query string, ready."""

    def start(query: str = "") -> Page:
        page.goto(serve(SCRIPT, *OPTIONS, folder=HERE) + query)
        page.locator("[data-frame]").wait_for()
        page.get_by_text("Python is at").wait_for()
        return page

    return start


def state(page: Page) -> dict[str, Any]:
    return page.evaluate(STATE)  # type: ignore[no-any-return]


def settled(page: Page, step: int) -> None:
    """Wait until the browser shows `step`, its frame, and Python and the URL have followed."""
    page.wait_for_function(
        f"want => {{ const s = ({STATE})(); return s.step === want && s.frame === want && !s.stale; }}",
        arg=step,
    )
    expect(page.get_by_text(f"Python is at {step};")).to_be_visible()
    page.wait_for_function("want => new URLSearchParams(location.search).get('step') === want", arg=str(step))


def runs(page: Page) -> int:
    match = re.search(r"runs (\d+)\.", page.get_by_text("Python is at").inner_text())
    assert match
    return int(match.group(1))


def hold(page: Page, key: str, times: int, every: int = 0) -> None:
    """Press a key and let it repeat, as a keyboard does when it is held."""
    for _ in range(times):
        page.keyboard.down(key)
        if every:
            pause(page, every)
    page.keyboard.up(key)


def go(page: Page, step: int) -> None:
    """Have it at a step, and nothing else with the focus."""
    slide(page.get_by_role("slider", name="Step"), step)
    page.evaluate("document.activeElement.blur()")
    settled(page, step)


def the_colour_scheme_is(page: Page, scheme: str) -> None:
    assert page.evaluate(f"getComputedStyle({BOOK}).colorScheme") == scheme
    ink = page.evaluate(f"getComputedStyle({BOOK}).color")  # light-dark() agrees
    assert (max(map(int, re.findall(r"\d+", ink))) > 128) == (scheme == "dark"), ink


@pytest.mark.slow
def test_stepping(demo: Callable[..., Page], page: Page) -> None:
    """One visit from a link on, in Streamlit's light theme, though the system is dark."""
    page.emulate_media(color_scheme="dark")
    demo("?step=20&embed=true&embed_options=light_theme")
    the_colour_scheme_is(page, "light")
    page.emulate_media(color_scheme="light")
    reports_once_after_a_burst(page)
    a_step_is_local_before_it_is_sent(page)
    other_keys_and_scrubber(page)
    buttons(page)
    two_beats(page)
    hold_past_the_window(page)
    next_window_comes_ahead_of_time(page)
    page_does_not_scroll(page)
    python_seeks(page)
    led_back_while_frames_are_on_their_way(page)


def reports_once_after_a_burst(page: Page) -> None:
    before = runs(page)
    page.evaluate("""() => { for (let i = 0; i < 30; i++)
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', repeat: i > 0, bubbles: true, composed: true, cancelable: true})); }""")
    expect(page.get_by_text("Python is at 50; reported 50;")).to_be_visible()
    at_rest(page)
    assert runs(page) == before + 1


NOTES_EVENTS = f"""() => {{ window.tsEvents = []; for (const kind of ['own', 'step'])
  document.addEventListener(`tokensteps:${{kind}}`, () => window.tsEvents.push(`${{kind}} ${{({STATE})().step}}`)); }}"""


def a_step_is_local_before_it_is_sent(page: Page) -> None:
    """A class's strip that is still on its way takes any other step for the one that it was led to."""
    page.evaluate(NOTES_EVENTS)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.tsEvents") == ["own 51", "step 51"]


def other_keys_and_scrubber(page: Page) -> None:
    go(page, 3)
    page.keyboard.press("End")
    settled(page, 299)
    page.keyboard.press("ArrowRight")
    assert state(page)["step"] == 299
    page.keyboard.press("Home")
    settled(page, 0)
    page.keyboard.press("Control+ArrowRight")
    page.keyboard.press("Space")
    assert state(page)["playing"]
    page.wait_for_function(f"() => ({STATE})().step > 0")  # it plays on its own
    page.keyboard.press("ArrowRight")
    stopped = state(page)
    assert not stopped["playing"] and stopped["step"] > 1
    scrubber = page.get_by_role("slider", name="Step")
    tab_to(scrubber)
    page.keyboard.press("ArrowRight")  # once, not once for us and once for the slider
    assert state(page)["step"] == stopped["step"] + 1
    box = scrubber.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2)
    assert 145 <= state(page)["step"] <= 154
    settled(page, state(page)["step"])


def buttons(page: Page) -> None:
    go(page, 5)
    pressed = click_and_look(page.get_by_role("button", name="Step forward"), STATE)
    assert pressed["step"] == 6 and pressed["beat"] == "1"
    page.keyboard.press("Space")  # presses the focused button
    assert state(page)["step"] == 7
    assert not state(page)["playing"]
    page.keyboard.press("ArrowLeft")
    assert state(page)["step"] == 6
    assert state(page)["beat"] == "2"
    page.get_by_role("button", name="Ġt9", exact=True).click()
    assert state(page)["step"] == 9
    page.get_by_role("button", name="Speed 1×").click()
    expect(page.get_by_role("button", name="Speed 2×")).to_be_visible()
    page.get_by_role("button", name="Last step").click()
    settled(page, 299)
    page.get_by_role("button", name="Play").click()  # at the end: from the start
    page.wait_for_function(
        f"() => {{ const {{ step, playing }} = ({STATE})(); return playing && step < 200; }}"
    )
    page.get_by_role("button", name="Pause").click()
    assert not state(page)["playing"]


def two_beats(page: Page) -> None:
    go(page, 5)
    page.wait_for_function(f"() => ({STATE})().beat === '2'")
    page.evaluate(f"""() => {{ window.beats = []; const stage = ({BOOK}).querySelector('.stage');
        new MutationObserver(() => window.beats.push(stage.dataset.beat)).observe(stage, {{attributeFilter: ['data-beat']}}); }}""")
    for step in (6, 7):
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"() => ({STATE})().beat === '2'")
        settled(page, step)  # Python's answer must not start the beats again
        assert page.evaluate("window.beats.splice(0)") == ["1", "2"]
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    assert state(page)["step"] == 8 and state(page)["beat"] == "2"
    page.emulate_media(reduced_motion="no-preference")


def hold_past_the_window(page: Page) -> None:
    go(page, 60)
    assert 130 not in window(60, 299) and 40 not in window(130, 299)
    hold(page, "ArrowRight", 70, every=5)
    assert state(page)["step"] == 130
    settled(page, 130)
    hold(page, "ArrowLeft", 90)
    assert state(page)["step"] == 40
    settled(page, 40)
    assert state(page)["now"] == "Ġt40"


def next_window_comes_ahead_of_time(page: Page) -> None:
    go(page, 75)
    page.evaluate(
        f"() => {{ const b = {BOOK}; window.stale = 0; new MutationObserver(() => window.stale++).observe(b, {{attributeFilter: ['data-stale']}}); }}"
    )
    for _ in range(10):
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        at_rest(page)
    settled(page, 115)
    assert page.evaluate("window.stale") == 0


def page_does_not_scroll(page: Page) -> None:
    go(page, 5)
    page.set_viewport_size({"width": 1366, "height": 300})
    where = "document.querySelector('[data-testid=stMain]').scrollTop"
    page.evaluate(where + " = 120")
    assert page.evaluate(where) == 120
    page.keyboard.press("End")
    settled(page, 299)
    page.keyboard.press("Home")
    settled(page, 0)
    assert page.evaluate(where) == 120
    assert page.evaluate(f"({BOOK}).querySelector('.line').scrollLeft") == 0
    page.set_viewport_size({"width": 1366, "height": 768})


KEEP = "steps => document[Symbol.for('tokensteps.stage')].dispatchEvent(new CustomEvent('tokensteps:keep', { detail: { steps } }))"
"""A class's message about the limits of its students' steps."""


def python_seeks(page: Page) -> None:
    page.get_by_role("button", name="Go to 200").click()
    settled(page, 200)
    page.get_by_role("button", name="Rerun").click()
    expect(page.get_by_text("Python is at 200; reported None;")).to_be_visible()
    page.keyboard.press("ArrowLeft")  # from the button (it has no use for arrows)
    settled(page, 199)
    page.get_by_role("button", name="Go to 200").click()
    settled(page, 200)
    page.get_by_role("button", name="Lose the session", exact=True).click()
    page.keyboard.press("ArrowLeft")  # before the new session, with its 200, speaks
    settled(page, 199)
    page.keyboard.press("ArrowLeft")  # not told yet when the stage goes
    page.get_by_role("button", name="Lose the session and its run").click()
    page.get_by_role("button", name="It is made").click()
    settled(page, 198)
    assert state(page)["beat"] == "2"
    page.evaluate(KEEP, [0, 60])
    settled(page, 60)
    page.get_by_role("button", name="Go to 200").click()  # its frames come from Python, without those of 60
    at_rest(page)
    settled(page, 60)
    page.evaluate(KEEP, None)


LEADS_BACK = f"""steps => {{ const write = history.replaceState; history.replaceState = (...args) => {{
    write.apply(history, args); history.replaceState = write; setTimeout(() => ({KEEP})(steps)); }}; }}"""
"""Have a class lead back as soon as a step of one's own is sent, before Python can answer."""


def led_back_while_frames_are_on_their_way(page: Page) -> None:
    """The frames in the browser hold the step, so that Python isn't told; the coming ones don't."""
    go(page, 20)
    page.evaluate(LEADS_BACK, [0, 10])
    page.keyboard.press("End")
    settled(page, 10)
    at_rest(page)
    settled(page, 10)
    page.evaluate(KEEP, None)


@pytest.mark.slow
def test_beside_other_widgets(demo: Callable[..., Page]) -> None:
    """One visit from a deep link on: a text box, a select box, a reload."""
    page = demo("?step=150")
    a_deep_link_and_a_reload(page)
    typing_does_not_step(page)
    a_link_to_elsewhere_leaves_it_connected(page)
    rerun_leaves_the_stage_alone(page)
    back_returns_to_the_former_corpus_and_step(page)


def a_deep_link_and_a_reload(page: Page) -> None:
    assert (state(page)["step"], state(page)["frame"]) == (150, 150)
    page.keyboard.press("ArrowRight")
    settled(page, 151)
    page.reload()
    settled(page, 151)


def typing_does_not_step(page: Page) -> None:
    go(page, 5)
    field = page.get_by_label("Text")
    field.click()
    page.keyboard.type("ab cd")
    for key in ("ArrowLeft", "Home", "End", "ArrowRight", "Space"):
        page.keyboard.press(key)
    assert field.input_value() == "ab cd "
    assert state(page)["step"] == 5
    assert not state(page)["playing"]


def a_link_to_elsewhere_leaves_it_connected(page: Page) -> None:
    """Only a link that leaves the page ends its reports: one in a new tab doesn't, nor one with Ctrl held."""
    link = page.get_by_role("link", name="A new tab")
    for modifiers in ([], ["ControlOrMeta"]):
        go(page, 40 + len(modifiers))
        with page.context.expect_page() as popup:
            link.click(modifiers=modifiers)  # type: ignore[arg-type]
        popup.value.close()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_text(f"Python is at {41 + len(modifiers)};")).to_be_visible()


def rerun_leaves_the_stage_alone(page: Page) -> None:
    go(page, 20)
    page.keyboard.press("ArrowRight")
    settled(page, 21)
    # The narration comes 400 ms after the move: it is no change by a rerun.
    page.wait_for_function(f"() => ({BOOK}).querySelector('.live').textContent.startsWith('Step 21 ')")
    page.evaluate(f"""() => {{ const b = {BOOK}; window.changes = 0; b.querySelector('.stage').firstElementChild.mine = 1;
        new MutationObserver(list => window.changes += list.length).observe(b, {{subtree: true, childList: true, characterData: true}}); }}""")
    before = runs(page)
    page.get_by_role("button", name="Rerun").click()
    expect(page.get_by_text(f"runs {before + 1}.")).to_be_visible()
    retype(page.get_by_label("Text"), "abc")
    page.keyboard.press("Enter")  # the whole script
    expect(page.get_by_text(f"runs {before + 2}.")).to_be_visible()
    at_rest(page)
    assert page.evaluate("window.changes") == 0
    assert page.evaluate(f"({BOOK}).querySelector('.stage').firstElementChild.mine") == 1
    assert state(page)["step"] == 21


def back_returns_to_the_former_corpus_and_step(page: Page) -> None:
    go(page, 5)
    start = page.evaluate("history.length")
    hold(page, "ArrowRight", 20)
    settled(page, 25)
    page.keyboard.press("End")
    settled(page, 299)
    page.keyboard.press("ArrowLeft")
    settled(page, 298)
    assert page.evaluate("history.length") == start  # steps don't stack
    page.get_by_label("Corpus").click()
    page.get_by_role("option", name="short").click()
    expect(page.get_by_text("corpus short; Python is at 0;")).to_be_visible()
    page.wait_for_function(f"() => ({STATE})().where.startsWith('Step 0 of 19')")
    assert page.evaluate("history.length") == start + 1
    page.evaluate("document.activeElement.blur()")  # the select box keeps the focus, and the arrows
    page.keyboard.press("ArrowRight")
    settled(page, 1)
    page.go_back()
    expect(page.get_by_text("corpus long; Python is at 298;")).to_be_visible()
    settled(page, 298)
    page.go_forward()
    expect(page.get_by_text("corpus short; Python is at 1;")).to_be_visible()
    settled(page, 1)
    page.keyboard.press("ArrowRight")
    settled(page, 2)
    page.go_back()
    settled(page, 298)
    page.keyboard.press("ArrowLeft")
    settled(page, 297)
    assert page.evaluate("history.length") == start + 1


@pytest.mark.parametrize("text", [None, "", "-3", "²", "1e3", "9" * 5000, " 4"])
def test_nonsense_in_the_url_counts_as_absent(text: str | None) -> None:
    assert read_whole(text) is None


def test_overtaken_cleanup_keeps_the_book(open_page: Callable[..., Page]) -> None:
    """Streamlit calls the cleanup of a run overtaken by newer data, while the component stays."""
    page = open_page(fresh=True)
    page.goto("data:text/html,<div id=host></div>")
    data = payload("run", 19, 0, frames(range(20), 19), (3, 1), LABELS).decode()
    page.evaluate(
        """async ([script, data]) => {
        const book = (await import(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})))).default;
        const host = document.getElementById('host'), root = host.attachShadow({mode: 'open'});
        window.sent = [];
        const run = () => book({data, parentElement: root, setStateValue: (...sent) => window.sent.push(sent)});
        window.run = run; window.cleanup = run(); }""",
        [read_script("flipbook"), data],
    )
    page.keyboard.press("ArrowRight")
    page.evaluate("() => { const old = window.cleanup; window.cleanup = run(); old(); }")
    page.keyboard.press("ArrowRight")
    assert state(page)["step"] == 5
    page.wait_for_function("window.sent.at(-1)?.[1][1] === 5")
    messages_sent(page)  # and nothing else comes
    sent = page.evaluate("window.sent")
    assert sent[-1] == ["step", ["run", 5, 1]]
    page.evaluate("() => { host.remove(); window.cleanup(); }")
    page.keyboard.press("ArrowRight")
    messages_sent(page)
    assert page.evaluate("window.sent") == sent


@pytest.mark.slow
def test_narrow_in_the_dark(open_page: Callable[..., Page], serve: Callable[..., str]) -> None:
    """A phone, at a link beyond the last step, in Streamlit's dark theme, though the system is light."""
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto(serve(SCRIPT, *OPTIONS, folder=HERE) + "?step=99999&embed=true&embed_options=dark_theme")
    page.locator("[data-frame]").wait_for()
    assert state(page)["step"] == 299
    the_colour_scheme_is(page, "dark")
    sizes = page.evaluate(
        f"[...({BOOK}).querySelectorAll('.transport button')].filter(b => b.checkVisibility()).map(b => b.getBoundingClientRect()).map(r => [r.width, r.height])"
    )
    assert all(width >= 40 and height >= 40 for width, height in sizes), sizes
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    one_finger_turns_the_page(page)


def one_finger_turns_the_page(page: Page) -> None:
    """Two of them don't, also where the first one is lifted first."""
    hand = page.context.new_cdp_session(page)
    box = page.locator("[data-frame]").bounding_box()
    assert box

    def fingers(kind: str, *at: float) -> None:
        points = [{"x": x, "y": box["y"] + 10 + 20 * finger, "id": finger} for finger, x in enumerate(at)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", 100)
    fingers("touchMove", 180)
    fingers("touchEnd")
    settled(page, 298)
    fingers("touchStart", 300)
    fingers("touchStart", 300, 100)
    fingers("touchEnd")
    fingers("touchStart", 300)
    fingers("touchMove", 220)
    fingers("touchEnd")
    settled(page, 299)
    page.keyboard.press("ArrowLeft")
    settled(page, 298)


def test_standalone(open_page: Callable[..., Page], tmp_path: Path) -> None:
    pages = frames(range(20), 19)
    evil = "</script><script>document.title='bad'</script>\u2028"
    pages[2] = pages[2]._replace(
        status=evil, html=pages[2].html + "<img src='https://example.com/x.png' alt=''>"
    )
    data = payload("run", 19, 0, pages, (0, 1), LABELS, param="step")
    path = tmp_path / "run.html"
    path.write_text(
        standalone_run("BPE <b>&", data, footer_html="<a href='#0'>TokenSteps</a>"), encoding="utf-8"
    )
    page = open_page(errors=True, fresh=True)  # the policy reports that it stops the image
    page.goto(path.as_uri())
    page.locator("[data-frame]").wait_for()
    assert page.title() == "BPE <b>&"
    assert page.evaluate(f"getComputedStyle({BOOK}).colorScheme") == "light dark"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert (state(page)["step"], state(page)["frame"]) == (18, 18)
    page.wait_for_url(re.compile("#18$"))
    page.reload()
    page.locator("[data-frame]").wait_for()
    assert state(page)["step"] == 18
    page.emulate_media(media="print")
    expect(page.get_by_role("button", name="Step forward")).to_be_hidden()


def picking(step: int) -> str:
    """A frame with choices: each marks itself and the next one."""
    positions = "".join(
        f'<button data-pick="{index}" data-of="{index} {index - 1}" style="grid-column:{index}">p{index}</button>'
        for index in range(1, 31)
    )
    here = f"<i data-here style='display:block;width:2px;margin-inline-start:{60 * step}px'>|</i>"
    return (
        f'<p data-frame="{step}">step {step}</p><div data-pane style="overflow:auto;width:300px">'
        f'<div style="display:grid;grid-template-columns:repeat(30,60px)">{positions}</div>{here}</div>'
    )


def test_choices_in_a_frame(open_page: Callable[..., Page], tmp_path: Path) -> None:
    """A picked word is marked until it is picked again, in every frame; focus, keys and scrolling stay."""
    pages = [page._replace(html=picking(step)) for step, page in enumerate(frames(range(20), 19))]
    path = tmp_path / "run.html"
    path.write_text(standalone_run("Choices", payload("run", 19, 0, pages, (0, 1), LABELS)), encoding="utf-8")
    page = open_page(fresh=True)
    page.goto(path.as_uri())
    marked = f"""how => [...({BOOK}).querySelectorAll('.stage .' + how)].map(e => e.textContent)"""
    pressed = (
        f"""() => [...({BOOK}).querySelectorAll('.stage [aria-pressed=true]')].map(e => e.textContent)"""
    )
    focus = f"() => ({BOOK}).getRootNode().activeElement?.textContent"
    scroll = f"() => ({BOOK}).querySelector('[data-pane]').scrollLeft"
    page.get_by_role("button", name="p2", exact=True).click()
    assert page.evaluate(marked, "picked") == ["p2", "p3"] and page.evaluate(pressed) == ["p2"]
    page.get_by_role("button", name="p3", exact=True).hover()
    assert page.evaluate(marked, "seen") == ["p3", "p4"] and page.evaluate(marked, "picked") == ["p2", "p3"]
    for step in (1, 2):
        page.keyboard.press("ArrowRight")
        assert state(page)["step"] == state(page)["frame"] == step
        assert page.evaluate(focus) == "p2" and page.evaluate(pressed) == ["p2"]
        assert page.evaluate(marked, "picked") == ["p2", "p3"] and page.evaluate(scroll) == 0
    page.keyboard.press("Space")
    assert page.evaluate(marked, "picked") == page.evaluate(pressed) == [] and not state(page)["playing"]
    page.keyboard.press("Enter")
    assert page.evaluate(pressed) == ["p2"] and state(page)["step"] == 2
    page.mouse.move(0, 0)
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert page.evaluate(scroll) > 0  # the place of the step stays in sight
    page.evaluate(f"() => {{ ({BOOK}).querySelector('[data-pane]').scrollLeft -= 20; }}")
    before = page.evaluate(scroll)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(scroll) == before
    page.get_by_role("button", name="p13", exact=True).click()
    assert page.evaluate(marked, "picked") == ["p13", "p14"]
    page.keyboard.press("End")
    page.keyboard.press("Home")
    assert page.evaluate(scroll) < 60 and page.evaluate(pressed) == ["p13"]
