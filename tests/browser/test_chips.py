"""The playground's text box and chips in a real browser: typing, linking, copying, keys, hostile text, large
text."""

from __future__ import annotations

import json
import re
import shutil
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT, at_rest, messages_sent, pause
from tests.browser.hands import retype
from tests.browser.playground_demo import HOSTILE, LABELS
from tokensteps.assets import read_asset, read_script
from tokensteps.drawing.chips import Piece, Shown, TextRun, chips_message

HERE = Path(__file__).resolve().parent
DRAWN = {
    "div",
    "section",
    "h2",
    "p",
    "span",
    "bdi",
    "i",
    "wbr",
    "style",
    "h4",
    "dl",
    "dt",
    "dd",
    "code",
    "button",
    "output",
}
"""Every kind of element in the viewer and the demo's cards."""
VIEW = "node.cmTile.root.view"
"""CodeMirror's view of a text box, as its `EditorView.findFromDOM` finds it."""
CARET = f"node => {{ const {{ state }} = {VIEW}, {{ from, to }} = state.selection.main; return [from, to, state.sliceDoc(from, to)]; }}"


@pytest.fixture(scope="session")
def address(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the demo, from a folder with the app's static files: a page with requests answered by a
    test has no cache."""
    folder = tmp_path_factory.mktemp("demo")
    demo = (HERE / "playground_demo.py").read_text("utf-8")
    (folder / "demo.py").write_text(
        demo.replace("Path(__file__).resolve().parents[2]", repr(ROOT.as_posix())), "utf-8"
    )
    shutil.copytree(ROOT / "static", folder / "static")
    return serve(folder / "demo.py", "--server.enableStaticServing", "true", folder=folder)


@pytest.fixture
def demo(address: str, page: Page, open_page: Callable[..., Page]) -> Callable[..., Page]:
    """Return `demo(query, **options)`: the demo page at that query string, ready."""
    usual = page

    def start(query: str = "", **options: object) -> Page:
        page = open_page(**options) if options else usual
        page.goto(address + query)
        page.locator(".ts-chips .r").first.wait_for()
        status(page).wait_for()
        box(page).wait_for()
        return page

    return start


def status(page: Page) -> Locator:
    return page.get_by_text(re.compile(r"\d+ characters; \d+ tokens; runs \d+\."))


def numbers(page: Page) -> tuple[int, ...]:
    """Characters and tokens as Python counts them, and how often it has run."""
    return tuple(map(int, re.findall(r"\d+", status(page).inner_text())))


def box(page: Page) -> Locator:
    return page.get_by_label("Text", exact=True)


def written(page: Page) -> str:
    """The contents of the text box, the lines out of sight as well."""
    return str(box(page).evaluate(f"node => {VIEW}.state.doc.toString()"))


def has_written(page: Page, text: str) -> None:
    """Wait until this is in the text box."""
    box(page).wait_for()
    wait = "([node, text]) => node.cmTile.root.view.state.doc.toString() === text"
    page.wait_for_function(wait, arg=[box(page).element_handle(), text])


def write(page: Page, text: str) -> None:
    """Put something else into the text box, without a look at the focus."""
    change = f"(node, insert) => {VIEW}.dispatch({{ changes: {{ from: 0, to: {VIEW}.state.doc.length, insert: JSON.parse(insert) }} }})"
    box(page).evaluate(change, json.dumps(text))


def select(page: Page, start: int, end: int) -> None:
    """Select in the text box, as with the mouse; offsets in UTF-16."""
    box(page).click()
    box(page).evaluate(
        f"(node, [anchor, head]) => {VIEW}.dispatch({{ selection: {{ anchor, head }} }})", [start, end]
    )


def chip(page: Page, text: str) -> Locator:
    return page.locator(".ts-chips .r[role]").filter(has_text=re.compile(rf"^{re.escape(text)}$"))


def settled(page: Page, text: str) -> None:
    """Wait until Python has `text`, and the chips show it."""
    expect(page.get_by_text(f"{len(text)} characters; ")).to_be_visible()
    visible = "".join(shown(text))
    page.wait_for_function(
        """want => { const pane = [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ts-chips .pane')).find(Boolean);
        return pane.textContent === want; }""",
        arg=f"<s>{visible}</s>",
    )


def shown(text: str) -> list[str]:
    """Plain text with signs for white space."""
    return [{" ": "␣", "\t": "⇥", "\n": "⏎"}.get(character, character) for character in text]


def lit(page: Page, how: str = "lit") -> tuple[list[str], list[str]]:
    """The chips and the ids with that class."""
    return (
        page.locator(f".ts-chips .r.{how}").all_inner_texts(),
        page.locator(f".ts-chips .ids span.{how}").all_inner_texts(),
    )


def copied(page: Page) -> str:
    page.evaluate(
        "document.addEventListener('copy', event => { window.copied = event.clipboardData.getData('text/plain'); }, {once: true})"
    )
    page.keyboard.press("Control+c")
    return page.evaluate("window.copied")  # type: ignore[no-any-return]


@pytest.mark.slow
def test_typing(demo: Callable[..., Page]) -> None:
    """One visit to an empty box."""
    page = demo("?example=empty")
    typing_shows_chips(page)
    fast_typing_loses_nothing(page)
    half_a_pair_is_mended(page)
    composition_is_left_alone(page)
    keyboard_alone(page)
    copy_gives_the_text_itself(page)


def empty(page: Page) -> None:
    retype(box(page), "")
    settled(page, "")


def typing_shows_chips(page: Page) -> None:
    expect(page.locator(".ts-chips .card")).to_contain_text(LABELS["hint"])
    box(page).click()
    page.keyboard.type("Hello my world,\t12\n\nnext")
    settled(page, "Hello my world,\t12\n\nnext")
    assert page.locator(".ts-chips .l").count() == 3
    assert page.locator(".ts-chips .ids p").inner_text().count(", ") == numbers(page)[1] - 1
    page.keyboard.press("ArrowUp")
    page.keyboard.type("in between ")  # only that line is drawn anew; the rest moves on
    settled(page, "Hello my world,\t12\nin between \nnext")
    chip(page, "next").hover()
    assert lit(page)[0] == ["next"]
    expect(page.locator(".ts-chips .card")).to_contain_text("characters 31–35")
    assert lit(page)[1] == page.locator(".ts-chips .ids span").all_inner_texts()[-2:-1]
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    settled(page, "")


def fast_typing_loses_nothing(page: Page) -> None:
    text = "The quick brown fox jumps over the lazy dog. "
    box(page).click()
    for at, character in enumerate(text):
        page.keyboard.type(character)
        if at % 9 == 0:
            pause(page, 75)  # long enough for a report: the answer comes while the next letters are typed
    assert written(page) == text
    settled(page, text)
    assert written(page) == text
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("!")  # the caret was left alone too
    settled(page, f"{text[:-1]}! ")


def half_a_pair_is_mended(page: Page) -> None:
    write(page, "a\ud83d")
    settled(page, "a\ufffd")


def composition_is_left_alone(page: Page) -> None:
    """An input method, as Chromium's own protocol drives it: nothing is reported until it has decided."""
    empty(page)
    box(page).click()
    keys = page.context.new_cdp_session(page)
    before = numbers(page)[2]
    for text in ("k", "か", "かn", "かん", "かんじ"):
        keys.send(
            "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
        )
        at_rest(page)
    assert numbers(page)[2] == before
    keys.send("Input.insertText", {"text": "漢字"})
    settled(page, "漢字")
    assert written(page) == "漢字"
    keys.detach()


def keyboard_alone(page: Page) -> None:
    text = "one two\nשלום עולם\nthree four five"
    box(page).fill(text)
    settled(page, text)
    focused = "document.activeElement.shadowRoot?.activeElement?.textContent"
    box(page).click()
    page.keyboard.press("Tab")
    for _ in range(12):  # past the demo's own controls
        if page.evaluate(focused) == "<s>":
            break
        page.keyboard.press("Tab")
    card = page.locator(".ts-chips .card")
    seen = []
    for key in [*["ArrowRight"] * 4, *["ArrowLeft"] * 2, "ArrowDown", "ArrowUp", "End", "ArrowRight", "Home"]:
        page.keyboard.press(key)
        seen.append(page.evaluate(focused))
        assert lit(page)[0] == [seen[-1]]
    # In the right-to-left line, left is onwards.
    assert seen[:6] == ["one", "␣two", "⏎", "שלום", "␣עולם", "⏎"]
    assert seen[6] in ("three", "␣four", "␣five", "</s>") and seen[7] in ("שלום", "␣עולם", "⏎")
    assert seen[8:] == ["</s>", "</s>", "<s>"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert lit(page, "pin")[0] == ["one"]
    assert box(page).evaluate(CARET) == [0, 3, "one"]
    assert page.evaluate(focused) == "one"
    page.keyboard.press("ArrowRight")
    expect(card).to_contain_text("characters 3–7")
    page.keyboard.press("Space")
    assert lit(page, "pin")[0] == ["␣two"]
    page.keyboard.press("Escape")
    assert lit(page, "pin") == ([], [])
    assert page.locator(".ts-chips .pane [tabindex='0']").count() == 1
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "␣two"


def copy_gives_the_text_itself(page: Page) -> None:
    text = "\u0301a b\t\u200bc\n日本語 👨‍👩‍👧 \u202ex\f</p>"
    box(page).fill(text)
    expect(page.get_by_text(f"{len(text)} characters; ")).to_be_visible()
    expect(page.locator(".ts-chips .pane")).to_contain_text("◌́a")
    copies(page, text)
    page.get_by_text("bytes", exact=True).click()
    expect(page.locator(".ts-chips .pane")).to_contain_text("0xE6")
    copies(page, text)
    page.get_by_test_id("stRadio").get_by_text("text", exact=True).click()
    expect(page.locator(".ts-chips .pane")).to_contain_text("◌́a")


def copies(page: Page, text: str) -> None:
    """All of the chips, and two of them."""
    select = """([from, to]) => { const root = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('.pane'));
        const chips = root.querySelectorAll('.r'), last = chips[to < 0 ? chips.length + to : to];
        getSelection().setBaseAndExtent(chips[from].firstChild, 0, last, last.childNodes.length); }"""
    page.evaluate(select, [0, -1])
    assert copied(page) == text
    page.evaluate(select, [1, 2])
    assert copied(page) == "\u0301a b"


@pytest.mark.slow
def test_pointing(demo: Callable[..., Page]) -> None:
    """One visit to a short text with letters of two UTF-16 units, and to long ones."""
    page = demo("?example=astral")
    drag_copies_and_ids_copy_as_a_list(page)
    hover_links_chip_id_and_card(page)
    click_selects_in_the_text_box(page)
    selected_text_lights_up_its_chips(page)
    focus_survives_new_data_and_is_never_taken(page)
    a_click_scrolls_its_token_into_view(page)
    a_selection_brings_its_chips_into_sight(page)


def hover_links_chip_id_and_card(page: Page) -> None:
    card = page.locator(".ts-chips .card")
    height = card.bounding_box()
    page.locator(".ts-chips .ids span").first.hover()
    assert lit(page) == (["<s>"], ["0"])
    expect(card).to_contain_text("Token 1 of 16")
    assert "characters" not in card.inner_text()
    chip(page, "␣one").hover()
    chips, ids = lit(page)
    assert chips == ["␣one"] and len(ids) == 1
    expect(card).to_contain_text("Token 8 of 16")
    expect(card).to_contain_text("characters 2–6")
    expect(card).to_contain_text("20 6f 6e 65")
    page.locator(".ts-chips .r[data-n]").first.hover()
    chips, ids = lit(page)
    assert chips == ["😀"] and len(ids) == 3
    expect(card).to_contain_text("Tokens 2–4 of 16")
    assert card.locator("dl").count() == 3
    page.mouse.move(2, 2)
    assert lit(page) == ([], [])
    expect(card).to_contain_text(LABELS["hint"])
    page.locator(".ts-chips .ids span").nth(7).click()  # pins
    chip(page, "␣two").hover()
    expect(card).to_contain_text("Token 12 of 16")
    page.mouse.move(2, 2)
    expect(card).to_contain_text("Token 8 of 16")
    assert lit(page, "pin")[0] == ["␣one"]
    assert card.bounding_box() == height
    chip(page, "␣one").click()
    assert lit(page, "pin") == ([], [])


def drag_copies_and_ids_copy_as_a_list(page: Page) -> None:
    start, end = chip(page, "␣one").bounding_box(), chip(page, "␣two").bounding_box()
    assert start and end
    page.mouse.move(start["x"] + 4, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] - 4, end["y"] + end["height"] / 2, steps=5)
    page.mouse.up()
    assert lit(page, "pin") == ([], [])  # the end of a drag is no click
    assert copied(page) == " one 😀 two"
    ids = page.locator(".ts-chips .ids p")
    ids.evaluate("row => getSelection().selectAllChildren(row)")
    page.evaluate("() => { window.copied = undefined; }")
    assert (
        page.evaluate(
            "() => { const [r] = [...document.querySelectorAll('*')].map(e => e.shadowRoot).filter(r => r?.querySelector('.ids')); return (r.getSelection?.() ?? getSelection()).toString(); }"
        )
        == ids.inner_text()
    )
    assert re.fullmatch(r"0, (\d+, )+1", ids.inner_text())


def click_selects_in_the_text_box(page: Page) -> None:
    for text, selected in [("␣one", [4, 8, " one"]), ("three", [16, 21, "three"]), ("␣😀", [8, 11, " 😀"])]:
        chip(page, text).click()
        assert box(page).evaluate(CARET) == selected
        assert page.locator(".ts-editor .cm-selectionBackground").count() == 1
        assert lit(page, "pin")[0] == [text]
    page.keyboard.press("Escape")


def selected_text_lights_up_its_chips(page: Page) -> None:
    select(page, 5, 9)  # "ne", " ", half of 😀
    expect(page.locator(".ts-chips .in")).to_have_count(2)
    assert lit(page, "in")[0] == ["␣one", "␣😀"]
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".ts-chips .in")).to_have_count(0)


def focus_survives_new_data_and_is_never_taken(page: Page) -> None:
    chip(page, "␣one").click()
    page.keyboard.press("ArrowRight")
    focused = "document.activeElement.shadowRoot?.activeElement?.textContent"
    assert page.evaluate(focused) == "␣😀"
    # A text from elsewhere, while the focus is among the chips.
    write(page, "a b c d e f g")
    settled(page, "a b c d e f g")
    assert page.evaluate(focused) == "␣d"
    assert lit(page, "pin") == ([], [])
    box(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" h")
    settled(page, "a b c d e f g h")
    assert page.evaluate("document.activeElement.shadowRoot?.activeElement?.role") == "textbox"


def a_click_scrolls_its_token_into_view(page: Page) -> None:
    long = "\n".join(f"line {number}" for number in range(200))
    box(page).fill(long)
    settled(page, long)
    scroller = page.locator(".ts-editor .cm-scroller")
    assert scroller.evaluate("part => part.scrollTop = 0") == 0
    position = page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop")
    chip(page, "199").or_(chip(page, "␣199")).click()
    expect(page.locator(".ts-editor .cm-selectionBackground")).to_have_count(1)
    mark = page.locator(".ts-editor .cm-selectionBackground").bounding_box()
    area = scroller.bounding_box()
    assert mark and area and area["y"] < mark["y"] < area["y"] + area["height"] - mark["height"]
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") >= position


def a_selection_brings_its_chips_into_sight(page: Page) -> None:
    long = "word " * 900
    write(page, long)  # `fill` sees the lines in sight alone, out of many more
    settled(page, long)
    pane = page.locator(".ts-chips .pane")
    where = "document.querySelector('[data-testid=stMain]').scrollTop"
    before = page.evaluate(where)
    select(page, 4480, 4484)
    expect(page.locator(".ts-chips .in")).to_have_count(1)
    assert pane.evaluate("pane => pane.scrollTop") > 200
    assert page.evaluate(where) == before


@pytest.mark.slow
def test_python_and_the_box(demo: Callable[..., Page], page: Page) -> None:
    """One visit: the messages to Python and their time, its answers, and its light theme, though the system
    is dark."""
    page.emulate_media(color_scheme="dark")
    demo("?embed=true&embed_options=light_theme")
    the_colours_are(page, dark=False)
    page.emulate_media(color_scheme="light")
    reports_at_once_and_only_once(page)
    python_gives_another_text(page)


def reports_at_once_and_only_once(page: Page) -> None:
    before = numbers(page)[2]
    assert before == 1  # mounting has reported nothing
    box(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.type("abc")
    page.keyboard.press("Control+Enter")
    settled(page, "abc")
    page.keyboard.press("Tab")  # no trap; leaving has nothing left to say
    assert page.evaluate("document.activeElement.shadowRoot?.activeElement?.role") != "textbox"
    at_rest(page)
    assert numbers(page)[2] <= before + 3
    assert written(page) == "abc"


def python_gives_another_text(page: Page) -> None:
    retype(box(page), "typed")
    settled(page, "typed")
    page.get_by_role("button", name="Example").click()
    settled(page, "An example, <b>ready</b>.\nIts second line.")
    assert written(page) == "An example, <b>ready</b>.\nIts second line."
    box(page).press("End")
    page.keyboard.type("+")
    settled(page, "An example, <b>ready</b>.+\nIts second line.")
    page.get_by_role("button", name="Rerun").click()
    expect(page.get_by_text(re.compile("43 characters"))).to_be_visible()
    assert written(page) == "An example, <b>ready</b>.+\nIts second line."


def the_colours_are(page: Page, dark: bool) -> None:
    for part in (".ts-chips .pane", ".ts-editor .cm-content"):
        ink = page.locator(part).evaluate("node => getComputedStyle(node).color")
        assert (max(map(int, re.findall(r"\d+", ink))) > 128) == dark, ink


@pytest.mark.slow
def test_hostile_text_in_the_dark(demo: Callable[..., Page], page: Page, dialogs: list[str]) -> None:
    """One visit to a hostile text, in a box not joined to its chips, and in Streamlit's dark theme, though
    the system is light."""
    demo("?example=hostile&linked=no&embed=true&embed_options=dark_theme")
    the_colours_are(page, dark=True)
    hostile_text_is_inert(page, dialogs)
    what_is_not_linked_stays_as_it_is(page)


def what_is_not_linked_stays_as_it_is(page: Page) -> None:
    page.evaluate(
        "() => { window.told = 0; document.addEventListener('tokensteps:selection', () => window.told++); }"
    )
    box(page).press("ControlOrMeta+a")
    page.wait_for_function("window.told")
    page.locator(".ts-chips .r[role]").nth(8).click()
    assert lit(page, "in") == ([], [])
    assert box(page).evaluate(CARET)[:2] == [0, len(HOSTILE)]


def hostile_text_is_inert(page: Page, dialogs: list[str]) -> None:
    for run, write in enumerate(("ids", "bytes", "text"), start=numbers(page)[2] + 1):
        page.get_by_test_id("stRadio").get_by_text(write, exact=True).click()
        expect(status(page)).to_contain_text(f"runs {run}.")
        for at in (1, 8, 20):
            page.locator(".ts-chips .r[role]").nth(at).hover()
    tags, handlers = (
        page.evaluate("""() => { const root = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('.pane'));
        const all = [...root.querySelectorAll('*')];
        return [all.map(e => e.localName), all.flatMap(e => e.getAttributeNames()).filter(n => /^on|^src$|^href$|^style$/.test(n))]; }""")
    )
    assert set(tags) <= DRAWN and handlers == [] and dialogs == []
    assert written(page) == HOSTILE


HARNESS = """async ([script, css, data]) => {
    window.load = (await import(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})))).default;
    const host = document.body.appendChild(document.createElement('div')), root = host.attachShadow({mode: 'open'});
    host.id = 'host';
    root.innerHTML = '<style></style>';
    root.querySelector('style').textContent = css;
    window.sent = [];
    window.run = text => { window.bytes = new TextEncoder().encode(text);
        return load({data: window.bytes, key: 'one', parentElement: root, setStateValue: (...sent) => window.sent.push(sent)}); };
    window.root = root;
    window.cleanup = run(data); }"""


def mount(page: Page, name: str, data: str) -> None:
    """The component alone, without Streamlit."""
    page.goto("data:text/html,<!doctype html><body style='margin:20px'>")
    css = "\n".join(map(read_asset, (f"components/{name}.css", "page/style.css")))
    page.evaluate(HARNESS, [read_script(name), css, data])


def hostile_runs() -> list[TextRun]:
    names = [
        HOSTILE,
        "</bdi><img src=http://evil.test/a.png>",
        '" onfocus="alert(5)',
        "\ud800",
        "\x00",
        "{ids}",
        "-->",
    ]
    drawn = []
    for at, name in enumerate(names):
        data = name.encode("utf-8", "surrogatepass")
        piece = Piece(at, name, data, at, at + 1, False, at % 2 == 0)
        special = Piece(100 + at, name, b"", at, at, True, False)
        drawn += [
            TextRun(name, at, at + 1, (piece,)),
            TextRun(name, at, at + 1, (piece, special)),
            TextRun("", at, at, (special,)),
            TextRun(name, at, at + 1, ()),
        ]
    return drawn


def test_hostile_vocabulary_is_inert(page: Page, dialogs: list[str]) -> None:
    labels = {**LABELS, **{name: f"{text} <img src=x onerror=alert(6)>\"'" for name, text in LABELS.items()}}
    for write in ("text", "ids", "bytes"):
        mount(page, "chips", chips_message(hostile_runs(), Shown(write), {}, labels, "<b>").decode())
        for at in range(0, 20, 3):
            page.locator(".r[role]").nth(at).hover()
            page.locator(".r[role]").nth(at).click()
        tags, names = page.evaluate("""() => { const all = [...root.querySelectorAll('*')];
            return [all.map(e => e.localName), all.flatMap(e => e.getAttributeNames())]; }""")
        assert set(tags) <= DRAWN and dialogs == [], write
        assert set(names) <= {
            "data-copy", "data-off",
            "class", "dir", "role", "aria-label", "aria-selected", "data-n", "data-empty", "tabindex",
        }  # fmt: skip
        assert page.locator(".r").count() == 28


def test_a_key_on_a_full_page_redraws_only_the_change(page: Page) -> None:
    """Chips pushed out at the end of the page don't draw all between. Oracle: the ids sent; the browser, for
    the remaining nodes."""

    def packed(ids: list[int], at: int) -> str:
        pieces = [(one, "\n" if not one % 5 else "ab") for one in ids[:500]]
        runs = [
            TextRun(text, 2 * index, 2 * index + 2, (Piece(one, text, b"", 0, 0, False, False),))
            for index, (one, text) in enumerate(pieces)
        ]
        return chips_message(runs, Shown(), {}, LABELS, "one", version=(0, at)).decode()

    ids = [*range(1, 601)]
    mount(page, "chips", packed(ids, 0))
    changes = ([*ids[:12], 7, 8, *ids[12:]], ids, ids[3:], ids, [9, 9, *ids], ids[:400], [], ids, ids[1:])
    for at, changed in enumerate(changes, start=1):
        stored, text = page.evaluate(
            """data => { const nodes = () => [...root.querySelectorAll('.r, .ids span')], before = new Set(nodes());
            run(data); return [nodes().filter(node => before.has(node)).length, root.querySelector('.ids p').textContent]; }""",
            packed(changed, at),
        )
        assert text == ", ".join(map(str, changed[:500]))
        assert stored >= 2 * len(changed[:500]) - 40 or {len(changed), len(changes[at - 2])} & {0, 400}


def test_overtaken_cleanup_and_mounting_again(open_page: Callable[..., Page]) -> None:
    """Streamlit calls the cleanup of a run overtaken by newer data; and a layout may put the box up anew."""
    page = open_page()

    def data(text: str, nonce: int, heard: bool) -> str:
        labels = {"label": "Text", "placeholder": "", "hint": "", "failed": ""}
        script = (
            "data:text/javascript;base64,"
            + b64encode((ROOT / "static/scripts/codemirror.js").read_bytes()).decode()
        )
        return json.dumps(
            {
                "script": script,
                "nonce": nonce,
                "text": text,
                "heard": heard,
                "params": [],
                "insert": [0, ""],
                "labels": labels,
            }
        )

    def sent(some: bool = False) -> Any:
        if some:
            page.wait_for_function("window.sent.length")
        messages_sent(page)
        return page.evaluate("window.sent.splice(0)")

    mount(page, "editor", data("first", 0, False))
    area = box(page)
    area.press("End")
    page.keyboard.type("!")
    page.evaluate(
        "data => { const old = cleanup; window.cleanup = run(data); old(); }", data("first", 0, False)
    )
    assert sent(some=True) == [["text", [0, "first!", 1]]]
    assert written(page) == "first!"
    page.evaluate("data => { run(data); }", data("first", 0, True))
    assert sent() == []
    page.evaluate(
        "data => { run(data); }", data("first", 0, False)
    )  # another session doesn't know the typed text
    assert sent(some=True) == [["text", [0, "first!", 1]]]
    page.evaluate("data => { run(data); }", data("first", 0, False))
    assert sent() == []
    page.evaluate(  # in one go: however slow the machine is, nothing is reported in between
        """data => { const node = root.querySelector(".cm-content"), { view } = node.cmTile.root;
            view.dispatch({ changes: { from: 0, insert: "?" } }); run(data); }""",
        data("second", 1, False),
    )  # the learner asked for another text
    assert sent() == []
    assert written(page) == "second"
    area.press("End")
    page.keyboard.type("+")
    assert sent(some=True) == [["text", [1, "second+", 1]]]
    # Mounted again: Python knows the typed text, but its own former text is older.
    unmount = "async () => { root.host.remove(); cleanup(); await new Promise(done => setTimeout(done)); }"
    page.evaluate(unmount)
    page.evaluate("data => { document.body.append(root.host); run(data); }", data("second", 1, True))
    assert written(page) == "second+"
    page.evaluate(unmount)
    page.evaluate("data => { document.body.append(root.host); run(data); }", data("remembered", 1, False))
    assert written(page) == "remembered"
    assert box(page).count() == 1
    assert sent() == []


EDGES = """chips => ['pane', 'card', 'ids'].map((part) => chips.querySelector(`.${part}`).getBoundingClientRect())
  .flatMap(({ top, bottom }) => [top, bottom].map(Math.round))"""
"""Where the text, its card and the ids begin and end."""


@pytest.mark.slow
def test_narrow_and_right_to_left(demo: Callable[..., Page]) -> None:
    page = demo("", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    edges = page.locator(".ts-chips").evaluate(EDGES)  # in one go: the layout may still change
    assert edges == sorted(edges), edges
    page.locator(".ts-chips .r[role]").nth(2).tap()
    assert len(lit(page, "pin")[0]) == 1
    wide = demo("")
    boxes = [chip(wide, text).first.bounding_box() for text in ("مرحبا", "␣هذا", "␣202", "5")]
    x = [result["x"] for result in boxes if result]
    assert x[0] > x[1] > x[2] and x[3] > x[2]  # words run to the left, a number to the right
    retype(box(wide), "In Hebrew: שלום עולם again")
    settled(wide, "In Hebrew: שלום עולם again")
    boxes = [chip(wide, text).bounding_box() for text in ("In", "␣עולם", "␣שלום", "␣again")]
    x = [result["x"] for result in boxes if result]
    assert x == sorted(x)
