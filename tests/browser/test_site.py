"""A site without a server, as `tokensteps site` writes it: opened from `file://` and from a plain web server,
in Chromium.

Sources: docs/site.md; WCAG 2.2. Oracles: an HTML parser and the existing files, for links; axe-core; for
frames, the app's own of the same steps; for answers, the questions' own verdicts on the same texts; for
hashes, Python's `hashlib`, by way of those.
"""

from __future__ import annotations

import base64
import gzip
import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from tests.browser.hands import retype
from tests.browser.test_access import AXE, RULES
from tests.hostile import KINDS, PWNED
from tests.samples import STRESS
from tokensteps.cli.commands import command_line
from tokensteps.drawing.training.step_kinds import STEP_KINDS
from tokensteps.drawing.whatif import style_of
from tokensteps.language.i18n import use_language
from tokensteps.runs.algorithms import WORDPIECE, trace_at
from tokensteps.site.locks import READ_AS
from tokensteps.site.practice import practice_path, sets_of
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS
from tokensteps.teaching.questions import (
    UNREAD,
    Cells,
    Choice,
    Entry,
    Question,
    read_number,
)

pytestmark = pytest.mark.slow

LOOK = AXE.replace("resultTypes", "preload: false, resultTypes")
"""axe, without asking for the style sheets once more: a page's policy lets no script ask for anything."""
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
"""ASCII characters to full-width ones, as some keyboards type them."""
EACH = 12 if STRESS else 1
"""Exercises of each kind and level."""
HOSTILE = "".join(text for text in KINDS["markup"][:6] if max(text) < "\ud800")
LESSON = {
    "title": f"Lesson {HOSTILE}",
    "language": "ja",
    "text": f"One.\n\n{HOSTILE}",
    "part": [
        {
            "title": HOSTILE,
            "run": {
                "algorithm": "unigram",
                "text": "<b>hug</b> hugs & pug\nhug pug hug",
                "size": 60,
                "step": 1,
                "encode": "hug",
            },
            "steps": {"2": "Two.", "0": HOSTILE},
        },
        {
            "run": {"algorithm": "bpe", "counts": "hug 10\npug 5", "ties": "lowest_ids"},
            "steps": {"3": "Three."},
        },
        {
            "question": [
                {"ask": "A third?", "answer": 0.333},
                {"ask": f"Which? {HOSTILE}", "choices": ["<b>", HOSTILE], "answer": HOSTILE, "hint": HOSTILE},
                # Hashes over one block of SHA-256, and around its end.
                *({"ask": "a" * length, "answer": ["Straße", "ΣΑΣ"]} for length in range(26, 36)),
            ]
        },
    ],
}
KIND_PAGES = {
    "index": ("en/index.html", ".runs a"),
    "first": ("index.html", "main a"),
    "run": ("en/runs/unigram-hug.html", ".run:nth-of-type(3) .stage .say"),
    "file": ("zh/runs/bpe-b-txt.html", ".stage .say"),
    "own": ("ja/lessons/lesson.html", ".run:nth-of-type(2) .stage .say"),
    "path": ("en/lessons/path.html", ".opens a"),
    "cells": ("ja/exercises/viterbi.html", ".tally:not(:empty)"),
    "key": ("en/exercises/viterbi-key.html", ".box"),
    "choice": ("en/exercises/bpe_pair.html", ".tally:not(:empty)"),
    "corpus": ("en/exercises/construct.html", ".task"),
    "glossary": ("zh/glossary.html", ".entry"),
    "plan": ("en/lessons/90.html", ".activity"),
    "errata": ("en/errata.html", ".erratum"),
}  # fmt: skip
"""A page of each kind: its place, and an element there after it is drawn."""


def toml_value(value: object) -> str:
    """A value as TOML has it: of text, JSON's way of writing is among TOML's."""
    match value:
        case dict():
            return (
                "{" + ", ".join(f"{json.dumps(key)} = {toml_value(one)}" for key, one in value.items()) + "}"
            )
        case list():
            return f"[{', '.join(map(toml_value, value))}]"
    return json.dumps(value)


def small_site(folders: pytest.TempPathFactory) -> Path:
    """A site with two examples, a file, a lesson, in three languages."""
    own = folders.mktemp("own")
    (own / "<b>.txt").write_text(HOSTILE * 3, "utf-8")
    lines = (f"{key} = {toml_value(value)}" for key, value in LESSON.items())
    (own / "lesson.toml").write_text("\n".join(lines), "utf-8")
    few = ("--corpus", "hug", "--corpus", "course", "--lesson", own / "lesson.toml")
    return written_site(folders, own / "<b>.txt", *few, "--exercises", EACH)


def written_site(folders: pytest.TempPathFactory, *words: object) -> Path:
    """The site written by the command with these words."""
    out = folders.mktemp("site")
    done = CliRunner().invoke(command_line, ["site", *map(str, (out, *words))])
    assert (done.exit_code, done.stdout) == (0, ""), done.stderr
    files = [path for path in out.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1_000_000
    assert f"Written: {len(files)} files, {size:.1f} MB." in done.stderr
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_site(tmp_path_factory)


class Handler(http.server.SimpleHTTPRequestHandler):
    """A plain web server without headers, but for a policy of all below a path."""

    def __init__(self, *arguments: Any, policy: str, below: str, directory: str) -> None:
        self.policy, self.below = policy, below
        super().__init__(*arguments, directory=directory)

    def end_headers(self) -> None:
        if self.policy and self.path.startswith(self.below):
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_said: object) -> None: ...


STRICT = "default-src 'self'"
"""The policy of a strict host, as docs/site.md has it."""


@contextmanager
def served(folder: Path, policy: str = "", below: str = "/") -> Iterator[str]:
    """The address of a plain web server for a site, with this policy of everything below a path."""
    handler = partial(Handler, policy=policy, below=below, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder) as address:
        yield address


class Links(HTMLParser):
    """The links of a page, and the names of places in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [str(value) for name, value in attrs if name in ("href", "src", "action", "srcset")]
        self.ids += [str(value) for name, value in attrs if name == "id"]
        refuse_inline(tag, dict(attrs))


def refuse_inline(tag: str, attributes: dict[str, str | None]) -> None:
    """Fail for markup refused by a strict host: styles and scripts outside of files, data within an address
    itself."""
    assert tag != "style" and "style" not in attributes, (tag, attributes)
    assert tag != "script" or "src" in attributes or attributes["type"] in ("application/json", "text/plain")
    assert not any(name.startswith("on") for name in attributes), (tag, attributes)
    assert not any(str(value).startswith(("data:", "blob:", "javascript:")) for value in attributes.values())


def frames_of(page: str) -> list[str]:
    """The frames in a page's source."""
    packs = re.findall(r'<script type="text/plain">([^<]+)</script>', page)
    books = [json.loads(gzip.decompress(base64.b64decode(one))) for one in packs]
    return [frame["html"] + frame["label"] for book in books for frame in book["frames"]]


def test_every_link_leads_somewhere(folder: Path) -> None:
    pages = {path: Links(path) for path in folder.rglob("*.html")}
    assert len(pages) > 100
    wrong = []
    for path, page in pages.items():
        assert len({*page.ids}) == len(page.ids), path
        for link in page.links:
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            steps = parts.fragment.replace(".", "").isdigit()
            there = target.is_file() and (steps or not parts.fragment or parts.fragment in pages[target].ids)
            if parts.scheme or parts.netloc or link.startswith("/") or not there:
                wrong.append((path.relative_to(folder), link))
            if steps:
                assert 'class="book"' in target.read_text("utf-8"), link
    assert wrong == []
    reached = {folder / "index.html"}
    waiting = [*reached]
    while waiting:
        path = waiting.pop()
        links = {
            (path.parent / urlsplit(link).path).resolve() for link in pages[path].links if urlsplit(link).path
        }
        waiting += [one for one in links - reached if one in pages]
        reached |= links
    assert {*pages} <= reached


def test_pages_open_without_a_server(folder: Path, page: Page) -> None:
    """Errors, requests to other hosts and violations of the pages' policy fail the test at its end. From a
    server: `test_a_strict_host_sees_the_same`."""
    for path, sign in KIND_PAGES.values():
        page.goto(f"{folder.as_uri()}/{path}")
        page.locator(sign).first.wait_for()
        page.wait_for_function(FACE)
        assert page.evaluate(f"window.{PWNED}") is None
    page.goto(f"{folder.as_uri()}/en/runs/wordpiece-hug.html#3")
    expect(page.locator(".where").first).to_contain_text("Step 3")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.hash === '#4'")


FACE = "document.fonts.ready.then(() => document.fonts.check('15px Inter'))"
WIDTHS = """() => [...document.querySelectorAll('.book')].map((book) =>
  [...book.shadowRoot.querySelectorAll('[data-style], .bar, .e, .atom')].map((node) => {
    const { left, top, width, height } = node.getBoundingClientRect(); return [left, top, width, height].join(); }))"""
AS_MARKUP = """() => { for (const book of document.querySelectorAll('.book')) {
  const stage = book.shadowRoot.querySelector('.stage'); stage.innerHTML = stage.innerHTML.replaceAll(/ style="[^"]*"/g, '').replaceAll(/ data-style=("[^"]*")/g, '$& style=$1'); } }"""
"""The same frames on a page without any policy, with their styles in the markup, as the app draws them."""


def test_a_strict_host_sees_the_same(folder: Path, address: str, open_page: Callable[..., Page]) -> None:
    """Every page under exactly the policy in docs/site.md; each bar in the same place as without one. Of the
    languages, one: the markup of the others is the same, and `Links` reads it."""
    pages = {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in folder.rglob("*.html")}
    for path, source in pages.items():
        frames = frames_of(source)
        assert bool(frames) == ('class="book"' in source)
        assert not any(re.search(r"<[^>]* style=", frame) for frame in frames), path
    for sheet in (folder / "assets").glob("*.css"):
        assert not re.search(r"data:|blob:|@import|https?:", sheet.read_text("utf-8")), sheet
    strict, free = open_page(), open_page(own="without a policy")
    free.route("**/*.html", lambda route: route.fulfill(
        body=re.sub("<meta http-equiv[^>]*>", "", route.fetch().text()), content_type="text/html"))  # fmt: skip
    with served(folder, STRICT) as base:
        for path in sorted(pages):
            if path.startswith(("ja/", "zh/")) and not (STRESS or "/lessons/lesson" in path):
                continue
            strict.goto(base + path)
            strict.wait_for_function("document.querySelectorAll('.book').length === 0 || [...document.querySelectorAll('.book')]"
                                     ".every((book) => book.shadowRoot.querySelector('.stage > *'))")  # fmt: skip
            strict.wait_for_function(FACE)
            assert strict.evaluate(f"window.{PWNED}") is None
            if not re.match(r"en/runs/(?:bpe|unigram)-hug\.html", path):
                continue
            free.goto(address + path)
            free.wait_for_function(FACE)
            for page in (strict, free):
                page.keyboard.press("ArrowRight")
                expect(page.locator(".where b").first).to_have_text("Step 1")
                expect(page.locator(".stage").first).to_have_attribute("data-beat", "2")
            free.evaluate(AS_MARKUP)
            widths = strict.evaluate(WIDTHS)
            assert any(widths[0]) and widths == free.evaluate(WIDTHS), path


@pytest.mark.many(2)
@pytest.mark.parametrize("kind", KIND_PAGES)
def test_a_page_of_the_site_is_for_everybody(address: str, page: Page, kind: str) -> None:
    path, sign = KIND_PAGES[kind]
    page.emulate_media(reduced_motion="reduce")
    page.goto(address + path)
    page.locator(sign).first.wait_for()
    page.evaluate(AXE_SCRIPT)
    assert page.evaluate(LOOK, RULES) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert page.evaluate(LOOK, ["color-contrast"]) == []
    page.set_viewport_size({"width": 320, "height": 640})
    page.wait_for_function("() => document.documentElement.scrollWidth === 320")
    page.emulate_media(color_scheme="light", media="print", reduced_motion="reduce")
    assert not page.locator(".top nav").first.is_visible()
    assert page.locator("main").is_visible()


def test_missing_browser_features_are_named(address: str, browser: Browser) -> None:
    """Without scripts; and, as in an old browser, without shadows in markup."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in ("runs/bpe-hug.html", "exercises/viterbi.html"):
        page.goto(f"{address}zh/{path}")
        expect(page.locator("noscript p")).to_be_visible()
    page.goto(f"{address}zh/glossary.html")
    expect(page.locator("noscript")).to_have_count(0)
    context.close()
    page = browser.new_page()
    page.route(
        "**/*.html",
        lambda route: route.fulfill(body=route.fetch().text().replace("shadowrootmode", "not-yet")),
    )
    page.goto(f"{address}en/runs/bpe-hug.html")
    expect(page.locator(".book > .note").first).to_be_visible()
    expect(page.locator(".book > .note").first).to_contain_text("too old")
    page.close()


def test_a_runs_frames_are_the_apps(folder: Path, page: Page) -> None:
    trace = trace_at(WORDPIECE, corpus="hug")
    page.goto(f"{folder.as_uri()}/ja/runs/wordpiece-hug.html")
    use_language("ja")
    try:
        frames = [STEP_KINDS["score"].frame(trace[step], style_of(trace)) for step in range(len(trace) + 1)]
    finally:
        use_language("en")
    stage = page.locator(".stage").first
    shown = (
        "html => { const box = document.createElement('div'); box.innerHTML = html; return box.textContent; }"
    )
    for step, frame in enumerate(frames):
        if step:
            page.keyboard.press("ArrowRight")
        expect(page.locator(".where > span").first).to_contain_text(frame.status)
        assert page.evaluate(shown, frame.html) == stage.text_content()


# --- answers ------------------------------------------------------------------------------------------------

GRADE = """answers => answers.map(([name, typed]) => {
  const task = document.getElementById(name), boxes = [...task.querySelectorAll('[name="answer"]')];
  boxes.forEach((box, at) => { box.value = typed[at]; });
  task.querySelector('form').requestSubmit();
  return task.querySelector('.verdict').className.split(' ').at(-1);
})"""


def attempts(question: Question) -> Iterator[str]:
    """Right, wrong and invalid answers, as people type them."""
    key = question.key
    yield from (key, f"  {key} ", "", "-")
    match question.form:
        case Cells():
            lines = key.split("\n")
            yield from ("\n".join(["99" if at == index else line for at, line in enumerate(lines)])
                        for index in range(0, len(lines), 2))  # fmt: skip
            yield "\n".join(["x", *lines[1:]])
            yield "\n".join([lines[0], "x", *lines[2:]])
            yield "\n".join([lines[0], lines[1].capitalize(), *lines[2:]])
            yield key.translate(WIDE)
        case Entry() if READ_AS[question.kind] in ("count", "number"):
            number = read_number(key)
            assert number is not None
            value = number.value
            yield from (f"{float(value):.{digits}g}" for digits in (2, 3, 6, 9))
            yield from (
                f"{float(value) * 1.07:.4g}",
                f"{float(f'{float(value):.1g}'):g}",
                f"{float(f'{float(value) * 1.4:.1g}'):g}",
                f"{key}.",
                f"{float(value) + 1:.5f}",
                f"{float(value):.3e}",
                f"−{key}",
            )
            yield from (
                f"{float(value) * 100:.5f} %",
                f"{key}%",
                f"({key})",
                f"≈ {key}",
                f"{key}/1",
                f"1 − 1 + {key}",
            )
            yield from (
                f"{value.numerator}/{value.denominator}",
                f"{value.numerator} ÷ (1×{value.denominator})",
                f"{value.numerator} x 1/{value.denominator}",
            )
            yield from (
                f"{float(value):.3f}".replace(".", ","),
                "1,234",
                "two",
                "1/0",
                "2**9",
                "(1",
                "()",
                "1 2",
                "1e5",
                "1.2³",
                "9^9^9",
                f"({key})^1",
                f"({key})**1",
                f"({key})¹ nats",
                f"{key} times",
                f"{key} = {float(value):.4g}",
                f"{key} = 99",
                f"≈{float(value) * 1000:.4g} × 10⁻³",
            )
        case Entry():
            yield from (
                key.replace(" ", "|"),
                key.replace(" ", " + "),
                f"[{key}]",
                f" {key.capitalize()}",
                key.replace("##", ""),
                "unk",
                "[UNK]",
            )
            yield from (
                key.replace(" ", ""),
                " ".join(key.replace(" ", "")),
                key if "[UNK]" in key else key.translate(WIDE),
                key[::-1],
                key[:-1],
                key.upper(),
                f"{key} x",
            )


def expected(question: Question, typed: str) -> set[str]:
    """A page's allowed verdicts on an answer graded here. It takes all wrong splits alike, and needn't tell
    apart splits of no word."""
    if not typed.strip():
        return {"unread"}  # the app doesn't even ask the question
    kind = question.grade(typed).kind
    return {"unread", "wrong"} if kind == UNREAD and read_number(typed) is None else {kind}


CHECKED = [kind for kind in EXERCISE_KINDS if kind != "construct"]
"""Kinds of exercises for a page to check."""
Typed = list[tuple[str, list[str]]]
"""Answers: the name of the exercise's place, and the texts for its boxes."""


def misjudged(kind: str, grade: Callable[[Typed], list[str]]) -> list[tuple[str, str, str, str]]:
    """A page's verdicts that the app wouldn't give: the exercise, the answer, the page's verdict and the
    app's. The page tells right from wrong in any case."""
    wrong, seen = [], set()
    for exercises in sets_of(kind, EACH).values():
        for one in exercises:
            question, name = one.question, f"level-{one.level}-{one.seed}"
            typed = [*question.form.options] if isinstance(question.form, Choice) else [*attempts(question)]
            cells = question.form.open if isinstance(question.form, Cells) else 1
            arguments = [
                text
                for text in typed
                if not isinstance(question.form, Cells) or text.count("\n") == cells - 1
            ]
            boxes = [(name, text.split("\n") if cells > 1 else [text]) for text in arguments]
            for text, said in zip(arguments, grade(boxes), strict=True):
                seen.add(said)
                if said not in expected(question, text):
                    wrong.append((name, text, said, question.grade(text).kind))
    assert {"right", "wrong"} <= seen
    return wrong


@pytest.mark.parametrize("kind", CHECKED)
def test_a_pages_feedback_equals_the_apps(folder: Path, page: Page, kind: str) -> None:
    page.goto(f"{folder.as_uri()}/en/{practice_path(kind)}")
    assert misjudged(kind, lambda typed: page.evaluate(GRADE, typed)) == []
    expect(page.locator(".tally")).to_contain_text("5 of 5 solved" if EACH == 1 else " solved")


def test_no_key_is_in_a_pages_source(folder: Path) -> None:
    for kind in EXERCISE_KINDS:
        path = folder / "en" / practice_path(kind)
        source = path.read_text("utf-8")
        key = path.with_name(f"{kind}-key.html").read_text("utf-8")
        for exercises in sets_of(kind, EACH).values():
            for one in exercises:
                question = one.question
                assert question.solution in key and question.solution not in source
                if not isinstance(question.form, Choice) and {*question.key} & {*" \n"}:
                    assert question.key not in source


def test_a_wrong_answer_brings_a_hint(folder: Path, page: Page) -> None:
    page.goto(f"{folder.as_uri()}/en/exercises/bpe_count.html")
    task = page.locator("#level-1-1")
    expect(task.locator(".hint")).to_be_hidden()
    retype(task.get_by_label("Your answer"), "two")
    page.keyboard.press("Enter")
    unread = "“two” can't be read as a number: type a whole number in digits."
    expect(task.get_by_role("status")).to_have_text(unread)
    retype(task.get_by_label("Your answer"), "99")
    page.keyboard.press("Enter")
    expect(task.get_by_role("status")).to_have_text("Not this one.")
    expect(task.locator(".hint")).to_contain_text("= ?")
    expect(task.get_by_label("Your answer")).to_have_attribute("aria-invalid", "true")
    tally, box = page.locator(".tally").bounding_box(), task.bounding_box()
    assert tally and box and (tally["x"], tally["width"]) == (box["x"], box["width"])  # tasks scroll under it


def test_a_table_with_empty_boxes_is_not_graded_yet(folder: Path, page: Page) -> None:
    """Otherwise each box could be tried by itself: in a learning platform, such an answer is no try."""
    page.goto(f"{folder.as_uri()}/en/exercises/viterbi.html")
    task = page.locator(".task").first
    boxes = task.locator("[name=answer]")
    boxes.first.click()
    page.keyboard.type("77")
    page.keyboard.press("Enter")
    expect(task.get_by_role("status")).to_have_text("Give an answer first.")
    expect(boxes.first).to_have_attribute("aria-invalid", "false")
    expect(boxes.nth(1)).to_have_attribute("aria-invalid", "true")


MINUTES = """() => Math.min(...[...document.querySelectorAll('.activity')].map((node) => {
  const time = document.createRange(); time.selectNodeContents(node.querySelector('.when'));
  return node.querySelector('p').getBoundingClientRect().left - time.getBoundingClientRect().right; }))"""


def test_a_plans_minutes_stand_apart_on_a_phone(folder: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    for language, title in (("en", "90 minutes: "), ("zh", "90 分钟：三种"), ("ja", "90分：3つ")):
        page.goto(f"{folder.as_uri()}/{language}/lessons/90.html")
        expect(page.locator("h1")).to_contain_text(title)
        assert page.evaluate(MINUTES) >= 12


def test_choices_are_on_paper(folder: Path, open_page: Callable[..., Page]) -> None:
    """A list that opens by a click has nothing to tick there."""
    page = open_page()
    page.goto(f"{folder.as_uri()}/en/exercises/bpe_pair.html")
    task = page.locator(".task").first
    box, printed = task.get_by_label("Your answer"), task.locator(".paper")
    choices = box.locator("option").all_inner_texts()[1:]
    expect(printed).to_be_hidden()
    page.emulate_media(media="print")
    expect(box).to_be_hidden()
    expect(printed.locator("li")).to_have_text(choices)
    expect(printed).to_be_visible()
    page.emulate_media(media="screen")


def test_a_teachers_lesson(folder: Path, page: Page) -> None:
    """Its steps, its questions; hostile parts of it are text."""
    page.goto(f"{folder.as_uri()}/ja/lessons/lesson.html")
    expect(page.locator("h1")).to_have_text(f"Lesson {HOSTILE}")
    assert page.locator("html").get_attribute("lang") == "ja"
    titles = page.locator(".run > h2")
    expect(titles.first).to_have_text("Unigram：自分のテキスト")
    expect(titles.nth(2)).to_have_text("BPE：自分の単語頻度表")
    expect(page.locator(".where").first).to_contain_text("1")
    page.locator("a[href='#1.2']").click()
    expect(page.locator(".where b").first).to_have_text("ステップ2")
    page.locator("a[href='#3.3']").click()
    expect(page.locator(".run").nth(2).locator(".where b")).to_have_text("ステップ3")
    expect(page.locator(".where b").first).to_have_text("ステップ2")
    piece = page.locator(".lat .e").first
    place = piece.bounding_box()
    assert place
    page.mouse.move(600, 400)
    page.mouse.wheel(0, place["y"] - 4)  # the lattice goes under the tally
    page.wait_for_function("scrollY > 0")
    page.wait_for_function("document.querySelector('.tally').getBoundingClientRect().top === 0")
    assert page.evaluate("x => document.elementFromPoint(x, 12).className", place["x"] + 4) == "tally"
    said = {f"question-{number}": [*tries] for number, tries in {
        1: (("1/3", "wrong"), ("0.333", "right"), ("333/1000", "right"), ("0.3", "unread"), ("0.2", "wrong")),
        2: (("<b>", "wrong"), (HOSTILE, "right")),
        **dict.fromkeys(range(3, 13), (("straße", "right"), (" ΣΑς ", "right"), ("strasse", "wrong"))),
    }.items()}  # fmt: skip
    arguments = [[name, [typed]] for name, tries in said.items() for typed, _verdict in tries]
    assert page.evaluate(GRADE, arguments) == [
        verdict for tries in said.values() for _typed, verdict in tries
    ]
    assert page.locator("main :is(img, iframe, object, form[action])").count() == 0
    assert Links(folder / "ja" / "lessons" / "lesson.html").tags <= Links(folder / "en" / "runs" / "bpe-hug.html").tags | {
        "form", "input", "button", "select", "option", "h3", "ol", "li", "bdi", "p",
    }  # fmt: skip
