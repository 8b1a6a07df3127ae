"""The site's page “Try”, with Pyodide in it: `make live` runs this, as it costs a minute and needs npm's
registry, once.

Oracle: the app's own runs of the same texts, as JSON; the browser; axe-core.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from click.testing import CliRunner
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.hands import retype
from tests.browser.others import BROWSERS, Window, started, until
from tests.browser.test_access import RULES
from tests.browser.test_regexp import SCRIPTS, TRAINED
from tests.browser.test_site import LOOK, STRICT, served
from tests.hostile import KINDS, PWNED
from tokenizers_core.files.exports import prunes_to_json, trace_to_json
from tokensteps.cli.commands import command_line
from tokensteps.runs.algorithms import ALGORITHMS, trace_at
from tokensteps.runs.corpora import EXAMPLES, pack_text
from tokensteps.site.live.live_files import PackageError, npm_package

LOADED = 120_000
"""Milliseconds for Python to load on a shared machine."""
PAGE = "en/try.html"
POLICY = f"{STRICT}; script-src 'self' 'wasm-unsafe-eval'"
"""A sufficient policy for the page, by docs/site.md."""


@pytest.fixture(scope="module")
def live_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with the page, and little else."""
    folder = tmp_path_factory.mktemp("live")
    package = folder / "pyodide.tgz"
    try:
        package.write_bytes(npm_package())
    except PackageError as error:
        pytest.skip(str(error))
    out = folder / "site"
    words = ["site", str(out), "--corpus", "hug", "--exercises", "1", "--live", "--pyodide", str(package)]
    done = CliRunner().invoke(command_line, words)
    assert done.exit_code == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def live_address(live_site: Path) -> Iterator[str]:
    with served(live_site, POLICY) as address:
        yield address


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    context.set_default_timeout(LOADED)
    yield context
    context.close()


def said(page: Page) -> Any:
    return page.locator("#try [role=status]")


def opened(context: BrowserContext, address: str) -> Page:
    """The page, with Python ready and the network off."""
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#try [type=submit]")).to_be_enabled(timeout=LOADED)
    context.set_offline(True)
    return page


def train(page: Page, text: str, algorithm: str, pre: str, size: str) -> None:
    page.locator("#try textarea").fill(text)
    page.select_option("#try [name=algorithm]", algorithm)
    page.select_option(f"#try [name=pre-{algorithm}]", pre)
    retype(page.locator("#try [name=size]"), size)
    page.click("#try [type=submit]")
    expect(page.locator("#try")).to_have_attribute("aria-busy", "false", timeout=LOADED)


def app_json(text: str, algorithm: str, pre: str, size: str) -> Any:
    trace: Any = trace_at(ALGORITHMS[algorithm], corpus="paste", text=pack_text(text), pre=pre, size=size)
    return json.loads(prunes_to_json(trace) if algorithm == "unigram" else trace_to_json(trace))


@pytest.mark.parametrize("origin", ["file", "strict", "lenient"])
def test_runs_are_the_servers(live_site: Path, context: BrowserContext, origin: str) -> None:
    """A host without a policy allows more, also what Pyodide doesn't want."""
    with served(live_site, POLICY if origin == "strict" else "") as address:
        runs_are_the_servers(f"{live_site.as_uri()}/" if origin == "file" else address, context)


def runs_are_the_servers(base: str, context: BrowserContext) -> None:
    requests: list[str] = []
    wrong: list[object] = []
    context.on("request", lambda request: requests.append(request.url))
    context.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page = opened(context, base + PAGE)
    assert any(one.startswith("blob:") for one in requests) == base.startswith("file:")
    del requests[:]
    for name, text in SCRIPTS.items():
        for algorithm, pre, size in TRAINED:
            train(page, text, algorithm, pre, size)
            expect(said(page)).to_contain_text("Trained in")
            with page.expect_download() as download:
                page.click(".save")
            if json.loads(download.value.path().read_text("utf-8")) != app_json(text, algorithm, pre, size):
                wrong.append((name, algorithm))
    assert wrong == []
    assert [one for one in requests if not one.startswith("blob:")] == []


def test_a_host_that_forbids_webassembly_is_named(live_site: Path, context: BrowserContext) -> None:
    with served(live_site, STRICT) as address:
        page = context.new_page()
        page.goto(address + PAGE)
        expect(said(page)).to_contain_text("let it say script-src 'self' 'wasm-unsafe-eval'", timeout=LOADED)


def test_own_text_is_stepped_encoded_and_stays_text(live_address: str, context: BrowserContext) -> None:
    page = opened(context, live_address + PAGE)
    hostile = "".join(KINDS["markup"][:8])
    train(page, f"hug pug pun bun hugs hug\n{hostile}", "unigram", "whitespace_split_metaspace", "60")
    book = page.locator("#results .run").first.locator(".book")
    expect(book.locator(".where b")).to_have_text("Step 0")
    page.keyboard.press("ArrowRight")
    expect(book.locator(".where b")).to_have_text("Step 1")
    page.locator("#encode [name=text]").fill(f"hugs {hostile}")
    page.keyboard.press("Enter")
    expect(page.locator("#encode .tokens .t").first).to_have_text("▁hug")
    expect(page.locator("#results .run").last.locator(".lat")).to_be_visible()
    page.select_option("#encode select", index=1)
    expect(page.locator("#results h2").last).to_contain_text(hostile.split()[0][:6])
    assert page.evaluate(f"window.{PWNED}") is None
    assert page.locator("#results :is(script, img, iframe)").count() == 0
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(LOOK, RULES) == []
    page.set_viewport_size({"width": 320, "height": 640})
    page.wait_for_function("() => document.documentElement.scrollWidth === 320")


def test_a_long_run_comes_in_windows_and_can_be_stopped(live_address: str, context: BrowserContext) -> None:
    page = opened(context, live_address + PAGE)
    train(page, EXAMPLES["prose"].text()[:20_000], "bpe", "byte_level", "")
    book = page.locator("#results .run").first.locator(".book")
    page.locator("#results h2").first.click()
    page.keyboard.press("End")
    expect(book.locator(".vocab")).to_be_visible()
    expect(book.locator(".ts-flipbook:not([data-stale])")).to_be_visible(timeout=LOADED)
    last = book.locator(".where").text_content() or ""
    assert "1,8" in last
    page.locator("#try textarea").fill("x" * 20_001)
    page.click("#try [type=submit]")
    expect(said(page)).to_have_text("The text has 20,001 characters, but the page takes 20,000: shorten it.")
    page.locator("#try textarea").fill(EXAMPLES["prose"].text()[:20_000])
    page.select_option("#try [name=algorithm]", "unigram")
    page.click("#try [type=submit]")
    page.click("#try .stop")
    expect(said(page)).to_have_text("Ready.", timeout=LOADED)
    expect(page.locator("#results")).to_be_hidden()


@pytest.mark.parametrize("name", BROWSERS)
def test_other_browsers_train_the_same(live_site: Path, name: str) -> None:
    """The server is gone once the page is there, and Firefox has no network at all."""
    with started(name) as window:
        with served(live_site) as address:
            window.remote.ask("url", url=address + PAGE)
            until(lambda: window.js(READY), LOADED / 1000)
        window.remote.go_offline()
        assert differing(window) == []
        window.remote.ask("url", url=f"{live_site.as_uri()}/{PAGE}")
        assert differing(window) == []
        assert window.remote.complaints() == []


def differing(window: Window) -> list[tuple[str, str]]:
    """The texts and algorithms with a different saved run on the page and in the app."""
    return [
        (name, wanted[0])
        for name, text in SCRIPTS.items()
        for wanted in TRAINED
        if json.loads(_saved(window, text, *wanted)) != app_json(text, *wanted)
    ]


READY = "return !document.querySelector('#try [type=submit]').disabled"
FILLED = """
const [text, algorithm, pre, size] = arguments, form = document.getElementById("try");
if (form.querySelector("[type=submit]").disabled) return false;
URL.createObjectURL = (blob) => { blob.text().then((saved) => { window.saved = saved; }); return "#"; };
Object.assign(form.elements.text, { value: text });
form.elements.algorithm.value = algorithm; form.elements[`pre-${algorithm}`].value = pre; form.elements.size.value = size;
window.saved = null; form.requestSubmit();
return true;
"""
RESTS = "return document.getElementById('try').ariaBusy === 'false'"


def _saved(window: Window, text: str, *settings: str) -> str:
    """The page's JSON after a training: the download is kept in the page."""
    until(lambda: window.js(FILLED, text, *settings), LOADED / 1000)
    until(lambda: window.js(RESTS), LOADED / 1000)
    window.js("document.querySelector('.save').click()")
    return str(until(lambda: window.js("return window.saved")))
