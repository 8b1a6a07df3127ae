"""A site without a server in Firefox and in WebKit, where they are here (`make browsers` installs them):
every page of it, from `file://` and from a plain web server with the policy of a strict host. `STRESS=1`
writes the whole site.

Oracle: errors, as a script before all others hears them; for answers, the questions' own verdicts on the same
texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.others import BROWSERS, Window, started, until
from tests.browser.test_site import (
    AS_MARKUP,
    CHECKED,
    GRADE,
    STRICT,
    WIDTHS,
    misjudged,
    served,
    small_site,
    written_site,
)
from tests.hostile import PWNED
from tests.samples import STRESS
from tokensteps.site.practice import practice_path

WHOLE = f"""
const told = (node) => Boolean(node?.textContent.trim()), {{ scrollWidth, clientWidth }} = document.documentElement;
const tasks = all(".task").filter((task) => task.querySelector("[type=submit]:not([hidden])"));
const faces = location.protocol === "file:" || document.fonts.check("15px Inter"); // from there, Firefox takes none
return document.readyState === "complete" && faces && told(all("h1")[0])
  && scrollWidth <= clientWidth && all(".book").every((book) => told(book.shadowRoot?.querySelector(".stage")))
  && (!tasks.length || told(all(".tally")[0])) && window.{PWNED} === undefined;
"""
"""Whether a page is complete: its face, its books, its count of answers; not wider than the window; and
nothing hostile ran."""
HEARD = """
window.heard = [];
const harmless = /^ResizeObserver loop|^Script error\\.$/;
addEventListener("error", ({ message, target }) => {
  if (!harmless.test(message)) heard.push(message ?? `${target.src ?? target.href} didn't come`);
}, true);
addEventListener("unhandledrejection", ({ reason }) => heard.push(String(reason)));
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => heard.push(`${effectiveDirective} ${blockedURI}`));
console.error = (...said) => heard.push(said.join(" "));
"""
"""WebKit's driver tells of no errors: here the page itself does. WebKit counts a size changed during a report
of sizes as one, and from `file://` it keeps an error's text to itself: the same pages come from a server,
too."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site; each of its pages listens to its own errors."""
    folder = written_site(tmp_path_factory) if STRESS else small_site(tmp_path_factory)
    (folder / "assets" / "heard.js").write_text(HEARD, "utf-8")
    for path in folder.rglob("*.html"):
        assets = "../" * (len(path.relative_to(folder).parts) - 1) + "assets"
        page = path.read_text("utf-8").replace(
            "<title>", f'<script src="{assets}/heard.js"></script>\n<title>', 1
        )
        path.write_text(page, "utf-8")
    return folder


@pytest.fixture(scope="module", params=BROWSERS)
def window(request: pytest.FixtureRequest) -> Iterator[Window]:
    with started(request.param) as window:
        yield window


@pytest.fixture(scope="module", params=["file", "http"])
def base(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "file":
        yield f"{folder.as_uri()}/"
        return
    with served(folder, STRICT) as address:
        yield address


def test_every_page_opens(folder: Path, base: str, window: Window) -> None:
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    assert len(paths) > 100
    window.remote.complaints()  # of earlier errors
    for path in paths:
        window.remote.ask("url", url=base + path)
        window.await_js(WHOLE)
        assert (path, window.js("return window.heard"), window.remote.complaints()) == (path, [], [])
    # And a fault is heard.
    window.js(
        "document.body.append(Object.assign(document.createElement('img'), { src: 'http://127.0.0.2/' }))"
    )
    window.await_js("return window.heard.some((one) => one.startsWith('img-src http://127.0.0.2'))")


def test_a_flipbook_steps(base: str, window: Window) -> None:
    window.visit(f"{base}en/runs/wordpiece-hug.html#3", ".stage .say")
    until(lambda: window.text(".where b") == "Step 3")
    window.press("Right")
    until(lambda: window.text(".where b") == "Step 4" and window.js("return location.hash") == "#4")
    window.press("Home")
    until(lambda: window.text(".where b") == "Step 0" and window.js("return location.hash") == "#0")


def test_bars_are_as_without_a_policy(folder: Path, window: Window) -> None:
    """Each bar in the same place as on the same page with its styles in the markup, as the app draws it."""
    page = folder / "en" / "runs" / "unigram-hug.html"
    free = page.with_name("free.html")
    free.write_text(re.sub("<meta http-equiv[^>]*>", "", page.read_text("utf-8")), "utf-8")
    widths = []
    for path, policy in ((page, STRICT), (free, "")):
        with served(folder, policy) as address:
            window.visit(f"{address}en/runs/{path.name}#1", ".stage .say")
            window.await_js("return document.fonts.check('15px Inter')")
            until(lambda: window.text(".where b") == "Step 1" and window.js("return all('.stage')[0].dataset.beat") == "2")  # fmt: skip
            if not policy:
                window.js(f"({AS_MARKUP})()")
            widths.append(window.js(f"return ({WIDTHS})()"))
    free.unlink()
    assert any(widths[0][0]) and widths[0] == widths[1]


def test_pointing_at_a_lattice_shows(base: str, window: Window) -> None:
    window.visit(f"{base}ja/runs/unigram-hug.html", ".lat .e[data-pick]")
    until(lambda: window.point(".lat .e[data-pick]") or window.js("return all('.lat .seen').length"))


def test_exercises_answer(base: str, window: Window) -> None:
    for kind in CHECKED:
        window.visit(f"{base}en/{practice_path(kind)}", ".tally")
        assert misjudged(kind, lambda typed: list(window.js(f"return ({GRADE})(arguments[0])", typed))) == []
