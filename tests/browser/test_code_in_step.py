"""The tab Code in a real browser: the line at work follows the stage, beat by beat, without asking the
server.

Oracles: the engine's merges and prunes of the same corpora; the sources of the plain versions; the browser
for colours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import ROOT, open_tab
from tests.browser.hands import slide
from tests.browser.test_bpe_page import Bpe as Learner
from tests.browser.test_lattice_view import CONTRAST
from tests.core.test_unigram import golden
from tokenizers_core import Corpus, train_bpe
from tokensteps.drawing.code_steps import LISTINGS

pytestmark = pytest.mark.slow

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
BOX = "[...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ts-code')).find(Boolean)"
PAINTED = (
    "li.now > i, li:nth-child(-n + 60) code, li:nth-child(-n + 60) code span, li > b:not(:empty), header p"
)
"""The example at the top of the file, and the function `train` under it."""
_READ = """
  const lines = [...box.querySelectorAll('li')], list = box.querySelector('ol').getBoundingClientRect();
  const read = (how) => lines.filter(line => line.className === how).map(line => [lines.indexOf(line) + 1, line.querySelector('b').textContent]);
  const here = box.querySelector('[aria-current=step]'), at = here?.getBoundingClientRect();
  return { now: read('now'), was: read('was'), current: lines.indexOf(here) + 1, head: box.querySelector('header').innerText,
    rows: [...box.querySelectorAll('header p + p')].map(row => row.textContent),
    height: box.offsetHeight, seen: Boolean(at && at.top >= list.top && at.bottom <= list.bottom), scrolled: document.querySelector('[data-testid=stMain]').scrollTop };"""
CODE = f"() => {{ const box = {BOX}; {_READ} }}"
NEXT = f"""async () => {{
  document.body.dispatchEvent(new KeyboardEvent('keydown', {{key: 'ArrowRight', bubbles: true, composed: true, cancelable: true}}));
  await null;
  return ({CODE})(); }}"""
"""A key and a look in one go, after the code has been told (a microtask): however slow the machine is, the
first beat is not over in between, as it may be after a frame."""


class Reader(Learner):
    """A learner with the tab Code open."""

    def read(self, path: str) -> None:
        self.page.goto(self.address + path)
        self.page.locator(".ts-flipbook .stage .say").first.wait_for()
        open_tab(self.page, "Code")
        self.page.locator(".ts-code li").first.wait_for()
        self.rest()
        self.page.locator(".ts-flipbook .stage .say").first.click(position={"x": 3, "y": 3})

    def code(self) -> dict[str, Any]:
        return self.page.evaluate(CODE)  # type: ignore[no-any-return]

    def next(self) -> dict[str, Any]:
        """Press →; the code's display in the first beat."""
        return self.page.evaluate(NEXT)  # type: ignore[no-any-return]

    def working(self, line: int) -> dict[str, Any]:
        """The code's display once that line is at work."""
        self.page.wait_for_function(f"line => ({CODE})().current === line", arg=line)
        return self.code()


def test_the_line_follows_each_beat_of_a_merge(serve: Callable[..., str], page: Page) -> None:
    reader, trace, lines = (
        Reader(page, serve(ROOT / "app.py")),
        train_bpe(Corpus.from_counts(HUG)),
        LISTINGS["bpe"].lines,
    )
    source = (ROOT / "tokenizers_core" / "plain" / "bpe.py").read_text("utf-8").splitlines()
    numbers = {
        key: next(number for number, line in enumerate(source, start=1) if beginning in line)
        for key, beginning in LISTINGS["bpe"].beginnings.items()
    }
    reader.read("/bpe?corpus=hug")
    start = reader.working(lines["split"])
    assert start["now"] == [[lines["split"], "len(splits) = 5   len(vocabulary) = 7"]] and start["seen"]
    top = start["scrolled"]
    for step in (1, 2):
        event: Any = trace[step].event
        chosen = reader.next()
        pair = f"pair = ({', '.join(event.pair)})   counts[pair] = {event.freq}"
        assert chosen["now"] == [[lines["best"], pair]] and chosen["was"] == []
        done = reader.working(lines["merge"])
        assert done["now"] == [[lines["merge"], f"token = {event.token}"]]
        assert done["was"] == [[lines["best"], pair]] and f"Step {step} of {len(trace)}" in done["head"]
        assert done["head"].startswith("tokenizers_core/plain/bpe.py · ")
        assert done["rows"] == [f"{numbers['best']}  {pair}", f"{numbers['merge']}  token = {event.token}"]
        assert done["seen"] and done["height"] == start["height"] and done["scrolled"] == top
    reader.press("End")
    end = reader.working(lines["merge"])
    assert [line for line, _values in end["now"]] == [lines["none"], lines["merge"]]
    assert (
        end["now"][1][1].startswith("token = bun") and end["was"][0][1] == "pair = (b, un)   counts[pair] = 4"
    )
    slide(page.get_by_role("slider", name="Step").first, 1)
    back = reader.working(lines["merge"])
    assert back["now"][0][1].startswith("token = ug") and back["scrolled"] == top
    reader.rest()
    assert reader.code()["current"] == lines["merge"]  # Python has followed, and nothing is lost


def test_another_corpus_and_both_of_unigrams_ways(serve: Callable[..., str], page: Page) -> None:
    """The flipbook gets a new run under the open tab; the listing changes with the method."""
    reader, course = Reader(page, serve(ROOT / "app.py")), LISTINGS["course"].lines
    pruned = [piece for round_ in golden("course")["rounds"] for piece in round_["removed"]]
    reader.read("/unigram?corpus=course")
    reader.working(course["seed"])
    chosen = reader.next()
    assert [line for line, _values in chosen["now"]] == sorted(
        course[key] for key in ("cost", "rank", "choose")
    )
    assert chosen["now"][-1][1].startswith(f"piece = {pruned[0]}   costs[piece] = ")
    done = reader.working(course["prune"])
    assert done["now"] == [[course["prune"], f"piece = {pruned[0]}   len(counts) = 299"]]
    reader.press("End")
    page.wait_for_function(f"() => ({CODE})().now.length === 3")
    assert [line for line, _values in reader.code()["now"]] == sorted(
        course[key] for key in ("full", "prune", "shares")
    )
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.wait_for_function(
            f"scheme => {{ const box = {BOX}; return getComputedStyle(box).colorScheme === scheme && Math.min(...({CONTRAST})(box, {PAINTED!r})) >= 4.5; }}",
            arg=scheme,
        )
    reader.choose("Method", "SentencePiece: EM")
    sentencepiece = LISTINGS["sentencepiece"].lines
    page.wait_for_function(f"line => ({CODE})().current === line", arg=sentencepiece["seed"])
    page.locator(".ts-flipbook .stage .say").first.click(position={"x": 3, "y": 3})
    reader.press("ArrowRight")
    assert reader.working(sentencepiece["e_step"])["now"][0][1].startswith("len(model) = ")
