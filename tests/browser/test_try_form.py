"""The site's page “Try” without Pyodide: its display of Python's answers, given here beforehand, in CPython.

Oracle: those answers; axe-core. `make live` has the whole page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.browser.hands import retype
from tests.browser.test_access import RULES
from tests.browser.test_site import LOOK, STRICT, served
from tests.hostile import KINDS, PWNED
from tokensteps.language.i18n import use_language
from tokensteps.site.build import Site, in_languages
from tokensteps.site.live.live_files import LIVE, TRY, WORKER, try_script, worker_script
from tokensteps.site.live.page import try_page
from tokensteps.site.live.trials import Trials
from tokensteps.site.shared import in_bytes, shared_files

pytestmark = pytest.mark.slow

HOSTILE = "".join(text for text in KINDS["markup"][:6] if max(text) < "\ud800")
ANSWERING = "onmessage = ({ data: { id, what } }) => postMessage({ id, result: ANSWERS[what] });"
"""Stands for the worker: to each question one answer."""
ECHO = """onmessage = ({ data: { id, what, payload } }) =>
  postMessage({ id, result: what === "train" ? { error: `${what}: ${payload.size}` } : {} });"""
"""The same, but training says its size only."""
PICKY = "if (globalThis.importScripts) throw new Error('Classic web workers are not supported');"
"""What Pyodide does as soon as it is read."""


@pytest.fixture(scope="module")
def try_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page in all languages, with all parts shared with others, and a worker with prepared answers."""
    out = tmp_path_factory.mktemp("try")
    files = {f"assets/{name}": text for name, text in shared_files()} | {f"assets/{TRY}": try_script()}
    files |= dict(in_languages(Site(pyodide=b"there"), lambda: [try_page()]))
    for name, text in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(in_bytes(text))
    return out


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def answered(site: Path, answers: dict[str, Any], answering: str = ANSWERING) -> None:
    worker = worker_script(f"{PICKY} const ANSWERS = {json.dumps(answers)};", answering, ours=())
    (site / "assets" / WORKER).write_text(worker, "utf-8")
    (site / "assets" / LIVE).write_text("tokenstepsParts({})", "utf-8")


def test_answers_are_shown(try_site: Path, page: Page, stack: ExitStack) -> None:
    """On a strict host."""
    trials = Trials("ja", lambda _done: None)
    values = {
        "train": {"text": f"hug pug pun bun hugs\n{HOSTILE}", "algorithm": "unigram", "pre": "whitespace_split_metaspace", "size": "60"},
        "encode": {"text": f"hugs {HOSTILE}"},
        "explain": {"word": "hugs"},
        "save": {},
    }  # fmt: skip
    try:
        messages = {what: json.loads(trials.do(what, json.dumps(wanted))) for what, wanted in values.items()}
    finally:
        use_language("en")
    answers = {"start": {}, "frames": {}, **messages}
    answered(try_site, answers)
    address = stack.enter_context(served(try_site, STRICT))
    page.goto(f"{address}ja/try.html")
    expect(page.locator("#try [role=status]")).to_have_text(
        json.loads(page.locator("#words").text_content() or "")["ready"]
    )
    page.select_option("[name=algorithm]", "unigram")
    expect(page.locator("[name=pre-unigram]")).to_be_visible()
    expect(page.locator("[name=pre-bpe]")).to_be_hidden()
    page.click("#try [type=submit]")
    expect(page.locator("#encode .count")).to_have_text(messages["encode"]["count"])
    assert page.locator("#encode option").all_text_contents() == messages["encode"]["words"]
    expect(page.locator("#results .run").last.locator(".lat")).to_be_visible()
    frames = json.loads(messages["train"]["frames"])["frames"]
    page.keyboard.press("ArrowRight")
    expect(page.locator("#results .run").first.locator(".where > span")).to_contain_text(frames[1]["status"])
    with page.expect_download() as download:
        page.click(".save")
    assert download.value.path().read_text("utf-8") == messages["save"]["file"]
    assert page.evaluate(f"window.{PWNED}") is None
    assert page.locator("#results :is(script, img, iframe)").count() == 0
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(LOOK, RULES) == []
    page.set_viewport_size({"width": 320, "height": 640})
    page.wait_for_function("() => document.documentElement.scrollWidth === 320")
    answered(try_site, answers | {"save": {"error": f"Nothing: {HOSTILE}"}})
    page.reload()
    page.click("#try [type=submit]")
    page.click(".save")
    expect(page.locator("#try [role=status]")).to_have_text(f"Nothing: {HOSTILE}")


def test_a_size_is_a_whole_number_in_digits(try_site: Path, page: Page) -> None:
    """As Python reads it, however the browser lets it be typed."""
    answered(try_site, {}, ECHO)
    page.goto(f"{try_site.as_uri()}/en/try.html")
    for typed, said in (("60", "60"), ("1e2", "100"), ("100.0", "100"), ("007", "7"), ("", "")):
        retype(page.locator("[name=size]"), typed)
        page.click("#try [type=submit]")
        expect(page.locator("#try [role=status]")).to_have_text(f"train: {said}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_errors_are_sentences(try_site: Path, open_page: Callable[..., Page], language: str) -> None:
    answered(try_site, {"start": {}, "train": {"error": f"No: {HOSTILE}"}})
    page, note = open_page(errors=True), "#try [role=status]"
    page.goto(f"{try_site.as_uri()}/{language}/try.html")
    page.click("#try [type=submit]")
    expect(page.locator(note)).to_have_text(f"No: {HOSTILE}")
    expect(page.locator("#try [type=submit]")).to_be_enabled()
    expect(page.locator("#results")).to_be_hidden()
    words = json.loads(page.locator("#words").text_content() or "")
    for why in ("refused", "failed"):
        answered(try_site, {"start": {why: True}})
        page.reload()
        expect(page.locator(note)).to_have_text(words[why])
        expect(page.locator("#try [type=submit]")).to_be_disabled()
    (try_site / "assets" / "live.js").unlink()
    page.reload()
    expect(page.locator(note)).to_have_text(words["failed"])
    expect(page.locator("#try [type=submit]")).to_be_disabled()
