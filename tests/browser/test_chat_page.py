"""The playground's tab “Chat” in a real browser: typing, the keyboard, a reload, an endless template.

Oracle: the app's shipped GPT-2 on the template's text, compared with `transformers` elsewhere; the browser
for widths and for the effects of hostile text on the page.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, at_rest
from tests.browser.hands import retype, tab_to
from tests.browser.test_bpe_page import TRACES_OF_ATTACK, WIDTHS
from tokensteps.catalogue.chat.conversation import ChatTurn, write_turns
from tokensteps.catalogue.chat.jinja import render
from tokensteps.catalogue.chat.templates import CHAT_FORMATS
from tokensteps.catalogue.choices import GPT2
from tokensteps.catalogue.shipped import gpt2

pytestmark = pytest.mark.slow

ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
HOSTILE = "<img src=x onerror='window.bad=1'> **b** <|im_end|>"


def tokens_of(*turns: ChatTurn) -> str:
    messages = [turn._asdict() for turn in turns]
    return str(len(gpt2().encode(render(CHAT_FORMATS["chatml"].template, messages, {}, True).text).ids))


def test_a_chat_is_written_sent_round_and_stopped(serve: Callable[..., str], page: Page) -> None:
    first, second = ChatTurn("user", "Hello"), ChatTurn("assistant", "Hi there")
    query = urlencode({"t1": GPT2, "chat": write_turns([first, second])})
    page.goto(f"{serve(ROOT / 'app.py')}/playground?{query}")
    tokens = page.locator("dl.counts").filter(has_text="of the messages").locator("dd").first
    expect(tokens).to_have_text(tokens_of(first, second))
    box = page.get_by_role("textbox", name="Message 1", exact=True)
    box.fill(HOSTILE)
    box.press("Control+Enter")
    first = ChatTurn("user", HOSTILE)
    expect(tokens).to_have_text(tokens_of(first, second))
    assert page.evaluate(TRACES_OF_ATTACK) == []
    down = page.get_by_role("button", name="Down (message 1)", exact=True)
    tab_to(down)
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Message 2", exact=True)).to_have_value(HOSTILE)
    expect(tokens).to_have_text(tokens_of(second, first))
    page.wait_for_function(
        "turns => new URLSearchParams(location.search).get('chat') === turns",
        arg=write_turns([second, first]),
    )
    page.reload()
    expect(page.get_by_role("textbox", name="Message 2", exact=True)).to_have_value(HOSTILE)
    expect(tokens).to_have_text(tokens_of(second, first))
    add = page.get_by_role("button", name="Add a message", exact=True)
    tab_to(add)
    for message in ("Message 3", "Message 4"):
        page.keyboard.press("Enter")
        expect(page.get_by_role("textbox", name=message, exact=True)).to_be_visible()
        at_rest(page)
        expect(add).to_be_focused()
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"document.documentElement.scrollWidth <= 390 && Math.max(...({WIDTHS})()) <= 0")


def test_the_focus_stays_with_the_messages(serve: Callable[..., str], page: Page) -> None:
    """The pressed button vanishes, or is of no more use."""
    turns = write_turns([ChatTurn("user", "Hello"), ChatTurn("assistant", "Hi"), ChatTurn("user", "Bye")])
    page.goto(f"{serve(ROOT / 'app.py')}/playground?{urlencode({'t1': GPT2, 'chat': turns})}")
    tab_to(page.get_by_role("button", name="Up (message 2)", exact=True))
    for key, name in (
        ("Enter", "Down (message 1)"),
        ("Enter", "Down (message 2)"),
        ("Enter", "Up (message 3)"),
        ("Tab", "Remove message 3"),
        ("Enter", "Add a message"),
    ):
        page.keyboard.press(key)
        expect(page.get_by_role("button", name=name, exact=True)).to_be_focused()
        at_rest(page)
        if name == "Down (message 2)":  # now and then, its row is drawn anew
            page.evaluate("document.activeElement.blur(); document.body.append('')")
            expect(page.get_by_role("button", name=name, exact=True)).to_be_focused()
    tab_to(page.get_by_role("button", name="Remove message 1", exact=True), "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Message 2", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Remove message 1", exact=True)).to_be_focused()


def test_an_endless_template_in_a_link_is_stopped(serve: Callable[..., str], page: Page) -> None:
    turns = write_turns([ChatTurn("user", "hug")])
    query = urlencode({"t1": GPT2, "chat": turns, "format": "mine", "jinja": ENDLESS})
    page.goto(f"{serve(ROOT / 'app.py')}/playground?{query}")
    expect(page.locator(".note.problem")).to_contain_text("takes longer than 1 s")
    own = page.get_by_role("textbox", name="Your template, in Jinja", exact=True)
    expect(own).to_have_value(ENDLESS)
    retype(own, "{{ messages[0].content }}!")
    own.press("Control+Enter")
    expect(page.locator(".chat bdi")).to_have_text(["h", "ug", "!"])
    expect(page.locator(".note.problem")).to_have_count(0)
    page.wait_for_function("!location.search.includes('range')")
