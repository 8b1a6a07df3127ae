"""Hostile strings through every input of the app, in a real browser: ``python -m tests.hostile_browser``.

The strings of `tests/hostile.py`, joined into as few interactions as an input's limits allow; where that is
more than ``--interactions``, evenly chosen ones. All of them are some 20,000 interactions and take hours:
``--turn 1/2`` and ``--turn 2/2``, side by side, do half of them each. After each: no request to another host,
no dialog, no script that ran, no element that the app doesn't make, no exception on the page, none in the
server's log, and the text still in its box. Prints what passed; ends with 1 if anything was found.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from playwright.sync_api import Error, Locator, Page, sync_playwright

from benchmarks.ports import free_port
from tests.browser import chromium
from tests.browser.conftest import ARGUMENTS, RESTS, ROOT, SERVER, TOURS_TAKEN
from tests.browser.test_chips import box, written
from tests.hostile import EVIL, PWNED, hostile
from tokensteps.limits import ANSWER_LIMIT, FIND_LIMIT, PASTE_LIMIT, PATTERN_LIMIT, SPECIAL_LIMIT
from tokensteps.runs.corpora import pack_text, plain_text

INJECTED = """([host, pwned]) => {
  const found = [], all = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  const ours = new Set(['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'VIDEO', 'AUDIO', 'FORM', 'LINK', 'BASE', 'META', 'MARQUEE', 'MATH']);
  for (const e of all(document)) {
    if (e.closest('head')) continue;
    const logo = /^st(Sidebar|Header)Logo$/.test(e.dataset?.testid ?? '');
    if (ours.has(e.tagName) && !logo && !(e.tagName === 'FORM' && e.dataset.testid) && !e.closest('[data-testid=stForm]')) found.push(e.outerHTML.slice(0, 160));
    if (e.tagName.includes('-') && !/^[a-z]+-icon$/i.test(e.tagName)) found.push(e.outerHTML.slice(0, 160));
    if (e.classList?.contains('katex')) found.push('katex ' + e.textContent.slice(0, 80));
    if (/^(STYLE|SCRIPT)$/i.test(e.tagName) && e.type !== 'application/json' && (e.textContent.includes(host) || e.textContent.includes(pwned))) found.push(e.outerHTML.slice(0, 160));
    for (const a of e.attributes) {
      if (/^on/.test(a.name)) found.push(`${e.tagName} ${a.name}`);
      if (/^(href|src|srcset|style|action|formaction|poster|data|xlink:href|background)$/.test(a.name) && /javascript:|vbscript:/i.test(a.value.replace(/\\s/g, ''))) found.push(`${e.tagName} ${a.name}=${a.value.slice(0, 160)}`);
      if (/^(src|srcset|style|action|formaction|poster|data|xlink:href|background)$/.test(a.name) && a.value.includes(host)) found.push(`${e.tagName} ${a.name}=${a.value.slice(0, 160)}`);
      if (a.name === 'href' && e.tagName === 'A' && new URL(e.href, location).host !== location.host) found.push(`A ${a.value.slice(0, 160)}`);
    }
  }
  for (const e of document.querySelectorAll('[data-testid=stException]')) found.push('exception: ' + e.textContent.slice(0, 600));
  if (pwned in window) found.push('a script ran');
  return [...new Set(found)]; }"""
"""Elements and attributes foreign to the app, and exceptions."""
HOVER = """() => { for (const plot of document.querySelectorAll('.js-plotly-plot')) {
  const points = plot.querySelectorAll('.point, .points path'), box = plot.querySelector('.nsewdrag')?.getBoundingClientRect();
  if (box) for (const share of [.1, .3, .5, .7, .9]) plot.querySelector('.nsewdrag').dispatchEvent(new MouseEvent('mousemove', {bubbles: true, clientX: box.x + box.width * share, clientY: box.y + box.height / 2}));
} }"""
LINKS = ("https://huggingface.co", "https://github.com")
"""Addresses behind the app's own links."""


class Visitor:
    """A page and its result."""

    def __init__(self, page: Page, address: str, log: Path) -> None:
        self.page, self.address, self.log = page, address, log
        self.findings: list[str] = []
        self.read = 0
        page.set_default_timeout(60_000)
        page.add_init_script(TOURS_TAKEN)
        page.on("request", self._request)
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.note("the page", f"script error: {error}"))

    def _request(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1":
            self.note("the page", f"request: {request.url}")

    def _dialog(self, dialog: Any) -> None:
        self.note("the page", f"dialog: {dialog.message}")
        dialog.dismiss()

    def note(self, where: str, what: str) -> None:
        """Keep a fault."""
        self.findings.append(f"{where}: {what}")
        print("FOUND", where, what[:1500], flush=True)

    def open(self, path: str) -> None:
        """Go there."""
        self.page.goto(self.address + path)
        self.rest()

    def rest(self) -> None:
        """Wait until Python is at rest and nothing is in the making."""
        self.page.wait_for_timeout(40)
        end = time.monotonic() + 90
        while time.monotonic() < end:
            self.page.wait_for_function(RESTS, arg=time.monotonic(), timeout=90_000)
            if not self.page.locator("[data-testid=stProgress]").count():
                return
            self.page.wait_for_timeout(200)
        self.note("the page", "is still busy after 90 seconds")

    def check(self, where: str) -> None:
        """Look for faults: on the page, and in the server's log."""
        for what in self.page.evaluate(INJECTED, [EVIL, PWNED]):
            if not what.startswith(tuple(f"A {link}" for link in LINKS)):
                self.note(where, what)
        text = self.log.read_text(errors="replace")
        new, self.read = text[self.read :], len(text)
        if "Traceback" in new or "Error" in new:
            self.note(where, f"in the log: {new[-1500:]}")

    def put(self, field: Locator, text: str, key: str, where: str) -> None:
        """Put a text into a box, and check that it is still there after Python's answer."""
        field.fill(text)
        field.press(key)
        self.rest()
        stored = field.input_value()
        expected = text.replace("\r\n", "\n").replace("\r", "\n")
        if field.evaluate("e => e.tagName") == "INPUT":
            expected = expected.replace("\n", "")
        if stored != expected:
            index = next((at for at, (a, b) in enumerate(zip(stored, expected, strict=False)) if a != b), -1)
            self.note(
                where,
                f"lost text at {index}: {stored[index : index + 30]!r}, not {expected[index : index + 30]!r}",
            )
        self.check(where)


def joined(texts: Sequence[str], limit: int, join: str) -> Iterator[tuple[str, int]]:
    """As many texts as fit an input at a time, each at most half of it and none twice, and how many they
    are."""
    part: list[str] = []
    size = 0
    for text in dict.fromkeys(text[: limit // 2] for text in texts):
        if part and size + len(join) + len(text) > limit:
            yield join.join(part), len(part)
            part, size = [], 0
        part.append(text)
        size += len(text) + len(join)
    yield join.join(part), len(part)


class Attack:
    """All inputs, one method each; `run` calls them."""

    def __init__(
        self,
        visitor: Visitor,
        strings: Sequence[str],
        interactions: int,
        turn: slice = slice(None),
        only: Sequence[str] = (),
    ) -> None:
        self.visitor, self.page = visitor, visitor.page
        self.strings, self.interactions, self.turn, self.only = strings, interactions, turn, only
        self.passed: dict[str, tuple[int, int, float]] = {}

    def each(
        self, name: str, limit: int, join: str, use: Callable[[str], None], some: slice = slice(None)
    ) -> None:
        """Pass the strings, or `some` of them where the same input is on several pages, through one input."""
        if self.only and name not in self.only:
            return
        start, address = time.monotonic(), self.page.url
        parts = list(joined(self.strings[some], limit, join))
        chosen = parts[:: -(-len(parts) // self.interactions)][self.turn]
        passed = 0
        for text, number in chosen:
            try:
                use(text)
                passed += number
            except Error as error:
                self.visitor.note(name, f"{error!s:.300} with {text[:200]!r}")
                self.page.goto(address)
                self.visitor.rest()
        self.passed[name] = (len(chosen), passed, time.monotonic() - start)
        print(
            f"{name}: {passed} strings in {len(chosen)} interactions, {self.passed[name][2]:.0f} s",
            flush=True,
        )

    def box(self, label: str) -> Locator:
        return self.page.get_by_label(label, exact=True).first

    def tabs(self, where: str) -> None:
        """Open every tab, point at the charts, and look."""
        for name in self.page.get_by_role("tab").all_inner_texts():
            self.page.get_by_role("tab", name=name, exact=True).first.click()
            self.visitor.rest()
            self.page.evaluate(HOVER)
            self.page.wait_for_timeout(100)
            self.visitor.check(f"{where}, {name}")

    # --- the inputs -----------------------------------------------------------------------------------------

    def pasted(self) -> None:
        """The corpus of each page: as text; on the training pages every tab, at the last step."""
        pages = (
            "bpe?pre=whitespace_split&min=3&",
            "wordpiece?pre=whitespace_split&min=3&",
            "unigram?seed=1&",
            "compare?size=700&",
        )
        for path in pages:
            name = path.partition("?")[0]
            self.visitor.open(f"/{path}corpus=paste")
            count = 0

            def paste(text: str, name: str = name) -> None:
                nonlocal count
                self.visitor.put(self.box("Your text"), text, "Control+Enter", f"{name}, pasted")
                count += 1
                if count in (1, 4):
                    if self.page.locator(".ts-flipbook .stage").count():
                        self.page.locator(".ts-flipbook .stage").first.click()
                        self.page.keyboard.press("End")
                        self.visitor.rest()
                    self.tabs(name)

            limit = 20_000 if name in ("unigram", "compare") else PASTE_LIMIT // 4
            self.each(f"{name}: pasted text", limit, "\n", paste)

    def counted(self) -> None:
        self.visitor.open("/bpe?corpus=counts&min=3")
        label = "One word per line, a space, and how often it occurs"
        self.each(
            "bpe: word counts",
            20_000,
            "\n",
            lambda text: self.visitor.put(self.box(label), text, "Control+Enter", "counts"),
        )
        lines = [f'"{" ".join(text.split())[:60].replace(chr(34), chr(34) * 2)}",3' for text in self.strings]
        strings, self.strings = self.strings, lines
        self.each(
            "bpe: word counts, readable",
            30_000,
            "\n",
            lambda text: self.visitor.put(self.box(label), text, "Control+Enter", "counts"),
        )
        self.strings = strings

    def patterns(self) -> None:
        self.visitor.open("/bpe?corpus=course&pattern=own")
        label = "Regular expression"
        self.each(
            "bpe: own pattern",
            PATTERN_LIMIT,
            "|",
            lambda text: self.visitor.put(self.box(label), one_line(text), "Enter", "pattern"),
        )

    def special(self) -> None:
        for index, name in enumerate(("bpe", "wordpiece", "unigram")):
            self.visitor.open(f"/{name}?corpus=hug")
            self.each(
                f"{name}: special tokens",
                SPECIAL_LIMIT,
                " ",
                lambda text: self.visitor.put(self.box("Special tokens"), one_line(text), "Enter", "special"),
                slice(index, None, 3),
            )

    def searched(self) -> None:
        """Searches in tables, and words typed into a select box."""
        self.visitor.open("/bpe?corpus=course&step=19")
        self.each(
            "bpe: find",
            FIND_LIMIT,
            " ",
            lambda text: self.visitor.put(self.box("Find"), one_line(text), "Enter", "find"),
        )
        self.page.get_by_role("tab", name="Encode", exact=True).click()
        self.visitor.rest()
        field = self.page.get_by_label("Text to encode with what was learned up to this step", exact=True)
        self.each(
            "bpe: encode", 2000, " ", lambda text: self.visitor.put(field, one_line(text), "Enter", "encode")
        )
        self.visitor.open("/unigram?corpus=hug")

        def word(text: str) -> None:
            box = self.page.get_by_label("Word (▁ stands for a space)", exact=True)
            box.fill(one_line(text))
            box.press("Enter")
            self.visitor.rest()
            self.visitor.check("lattice's word")

        self.each("unigram: the lattice's word", 400, " ", word)

    def uploaded(self) -> None:
        """Files: their contents and their names."""
        names = iter(self.strings * 3)
        for page in ("bpe", "wordpiece"):
            self.visitor.open(f"/{page}?corpus=upload&pre=whitespace_split&min=4")

            def send(text: str) -> None:
                name = next(names).replace("\0", "")[:120] + next(iter((".txt", ".csv")))
                self.page.locator("input[type=file]").first.set_input_files(
                    {"name": name, "mimeType": "text/plain", "buffer": text.encode("utf-8", "replace")}
                )
                self.visitor.rest()
                self.visitor.check("upload")

            self.each(f"{page}: uploaded file", 60_000, "\n", send)

    def playground(self) -> None:
        self.visitor.open(
            "/playground?t1="
            + quote("bpe?corpus=course", safe="")
            + "&t2="
            + quote("wordpiece?corpus=hug", safe="")
        )
        area = box(self.page)
        count = 0

        def type_text(text: str) -> None:
            nonlocal count
            area.fill(text)
            self.page.wait_for_timeout(400)
            self.visitor.rest()
            if written(self.page) != text.replace("\r\n", "\n").replace("\r", "\n"):
                self.visitor.note("playground", "lost text")
            self.visitor.check("playground")
            for index in (0, 1, 2):
                chips = self.page.locator(".ts-chips .r")
                if chips.count() > index:
                    chips.nth(index).hover()
            count += 1
            if count in (1, 3):
                self.tabs("playground")
            self.visitor.check("playground's cards")

        self.each("playground: text", 30_000, "\n", type_text)

    def tokenizers(self) -> None:
        """Files of tokenizers with these tokens and names, and names on the hub (it is not reached from
        here)."""
        self.visitor.open("/playground")
        names = iter(self.strings)

        def upload(text: str) -> None:
            self.page.get_by_text("Upload a tokenizer", exact=True).first.evaluate(
                "e => e.closest('details').open || e.closest('summary').click()"
            )
            self.page.locator("input[type=file]").first.set_input_files(
                {
                    "name": next(names).replace("\0", "")[:100] + ".txt",
                    "mimeType": "text/plain",
                    "buffer": ("[UNK]\n" + text).encode("utf-8", "replace"),
                }
            )
            self.visitor.rest()
            self.page.wait_for_timeout(300)
            self.visitor.check("tokenizer's file")

        self.each("playground: tokenizer's file", 60_000, "\n", upload)

        def name(text: str) -> None:
            self.page.get_by_text("Public tokenizer by name", exact=True).first.evaluate(
                "e => e.closest('details').open || e.closest('summary').click()"
            )
            self.box("Repository").fill(one_line(text))
            self.page.get_by_role("button", name="Get it", exact=True).click()
            self.visitor.rest()
            self.visitor.check("hub's name")

        self.each("playground: repository", 96, " ", name)

    def pipeline(self) -> None:
        self.visitor.open("/pipeline?corpus=course&size=300")
        for label in ("Text", "Second text, for a pair"):
            self.each(
                f"pipeline: {label}",
                900,
                "\n",
                lambda text, label=label: self.visitor.put(
                    self.box(label), text, "Control+Enter", "pipeline"
                ),
            )  # type: ignore[misc]
        self.tabs("pipeline")

    def renewed(self) -> None:
        self.visitor.open("/renew?corpus=hug&t1=" + quote("bpe?corpus=course", safe=""))
        self.each(
            "renew: text",
            9_000,
            "\n",
            lambda text: self.visitor.put(self.box("One text under both"), text, "Control+Enter", "renew"),
        )

    def sentence(self) -> None:
        self.visitor.open("/")
        self.each(
            "home: sentence",
            290,
            " ",
            lambda text: self.visitor.put(self.box("Your sentence"), one_line(text), "Enter", "home"),
        )

    def answers(self) -> None:
        """Exercises with typed answers, questions of a run, a class's challenge and its codes."""
        for index, kind in enumerate(("bpe_count", "bpe_encode", "construct", "wordpiece_score", "viterbi")):
            self.visitor.open(f"/exercises?kind={kind}&seed=3")

            def answer(text: str, kind: str = kind) -> None:
                boxes = self.page.locator(
                    "[data-testid=stForm] input[type=text], [data-testid=stForm] textarea"
                )
                if not boxes.count():  # answered: the next one may be of another form
                    self.visitor.open(f"/exercises?kind={kind}&seed=3")
                boxes.first.fill(text if kind == "construct" else one_line(text))
                self.page.get_by_role("button", name="Check", exact=True).click()
                self.visitor.rest()
                self.visitor.check(f"exercise {kind}")

            self.each(f"exercise: {kind}", 300, "\n", answer, slice(index, None, 5))
        self.visitor.open("/bpe?corpus=course&mode=predict&ask=split")

        def predict(text: str) -> None:
            boxes = self.page.locator("[data-testid=stForm] input[type=text]")
            if not boxes.count():
                self.visitor.open("/bpe?corpus=course&mode=predict&ask=split")
            boxes.first.fill(one_line(text)[:ANSWER_LIMIT])
            self.page.get_by_role("button", name="Check", exact=True).click()
            self.visitor.rest()
            self.visitor.check("predict")

        self.each("bpe: predicted split", 900, " ", predict)
        self.visitor.open("/challenge")
        box = self.page.get_by_label("Codes, one per line", exact=True)
        self.each(
            "challenge: link",
            900,
            " ",
            lambda text: self.visitor.put(self.box("Challenge link"), one_line(text), "Enter", "challenge"),
        )
        self.each(
            "challenge: codes", 6000, "\n", lambda text: self.visitor.put(box, text, "Control+Enter", "codes")
        )
        self.visitor.open("/bpe?corpus=hug&step=1")
        self.page.get_by_role("tab", name="Files and link", exact=True).click()
        self.visitor.rest()
        self.each(
            "bpe: challenge's title",
            80,
            " ",
            lambda text: self.visitor.put(self.box("Title"), one_line(text), "Enter", "title"),
        )

    def addresses(self) -> None:
        """Every parameter of every page."""
        names = ("corpus", "text", "id", "file", "step", "show", "mode", "ask", "normalizer", "pre", "pattern", "regex", "alphabet", "ties",
                 "size", "min", "special", "lines", "method", "seed", "exact", "whole", "a", "b", "t1", "t2", "t3", "say", "kind", "level", "c",
                 "model", "template", "max", "stride", "strategy", "side", "lang", "write", "spaces", "specials", "added", "escapes", "tab", "find")  # fmt: skip
        pages = (
            "",
            "bpe",
            "wordpiece",
            "unigram",
            "compare",
            "playground",
            "pipeline",
            "renew",
            "exercises",
            "challenge",
            "glossary",
            "errata",
            "nowhere",
        )
        index = 0

        def go(text: str) -> None:
            nonlocal index
            page, index = pages[index % len(pages)], index + 1
            self.visitor.open(f"/{page}?{urlencode(dict.fromkeys(names, text[:150]))}")
            self.visitor.check(f"/{page} with everything")
            packed = pack_text(text)
            own = {
                "corpus": "paste",
                "text": packed or "",
                "special": text[:100],
                "pattern": "own",
                "regex": text[:100],
            }
            own |= {
                "a": text[:300],
                "b": text[:200],
                "say": text[:200],
                "t1": f"bpe?{urlencode({'corpus': 'paste', 'text': packed or ''})}",
            }
            self.visitor.open(f"/{page}?{urlencode(own)}")
            self.visitor.check(f"/{page} with text")

        self.each("addresses", 400, " ", go)

    def halves(self) -> None:
        """Halves of UTF-16 pairs, typed: no automation can send them, a script in the page can."""
        for path, what in (
            ("/playground", "[role=textbox]"),
            ("/bpe?corpus=paste", "textarea"),
            ("/", "input[type=text]"),
        ):
            self.visitor.open(path)
            self.page.locator(what).first.evaluate(
                """e => { const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), 'value').set;
                set.call(e, 'a\\ud800b \\udc00 low lower'); e.dispatchEvent(new Event('input', {bubbles: true})); e.blur(); }"""
            )
            self.visitor.rest()
            self.visitor.check(f"halves of pairs in {path}")

    def run(self, chosen: Sequence[str]) -> None:
        """All of them, or the named ones."""
        every = (self.halves, self.pasted, self.counted, self.patterns, self.special, self.searched, self.uploaded, self.playground,
                 self.tokenizers, self.pipeline, self.renewed, self.sentence, self.answers, self.addresses)  # fmt: skip
        for one in every:
            if not chosen or one.__name__ in chosen:
                try:
                    one()
                except Error as error:
                    self.visitor.note(one.__name__, str(error)[:500])


def one_line(text: str) -> str:
    """As a box of one line takes it."""
    return " ".join(text.split())


def main() -> int:
    """Start a server and a browser, and try everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strings", type=int, default=10_000)
    parser.add_argument("--interactions", type=int, default=20)
    parser.add_argument("--turn", default="1/1", help="which of how many parts: 2/3")
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument(
        "--only", action="append", default=[], help='one input, such as "bpe: find"; repeatable'
    )
    parser.add_argument("inputs", nargs="*", help="groups of inputs, such as pasted; all if none is given")
    value = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit(1))  # so that the server ends, too
    strings = [plain_text(one.text) for one in hostile(value.strings, value.seed)]
    port = str(free_port())
    path = chromium.find()
    if path is None:
        print(chromium.ADVICE)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENSTEPS_STORE": str(Path(folder) / "kept")}
        with log.open("wb") as stream:
            command = [
                sys.executable,
                "-m",
                "streamlit",
                "run",
                str(ROOT / "app.py"),
                *SERVER,
                "--server.port",
                port,
            ]
            server = subprocess.Popen(
                command, cwd=ROOT, stdout=stream, stderr=subprocess.STDOUT, env=environment
            )
        try:
            with sync_playwright() as playwright:
                time.sleep(3)
                browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
                context = browser.new_context(viewport={"width": 1366, "height": 768})
                visitor = Visitor(context.new_page(), f"http://127.0.0.1:{port}", log)
                turn, turns = map(int, value.turn.split("/"))
                attack = Attack(
                    visitor, strings, value.interactions, slice(turn - 1, None, turns), value.only
                )
                attack.run(value.inputs)
                browser.close()
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    print(
        json.dumps(
            {
                name: {"interactions": n, "strings": s, "seconds": round(t)}
                for name, (n, s, t) in attack.passed.items()
            },
            indent=1,
        )
    )
    print(f"{len(visitor.findings)} findings")
    return 1 if visitor.findings else 0


if __name__ == "__main__":
    sys.exit(main())
