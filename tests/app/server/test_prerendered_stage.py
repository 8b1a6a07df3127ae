"""The stage within the page (`tokensteps/server/entrance/prerendered_stage.py`, `page.py`, `files.py`).

Source: the first answer holds the page's own picture, and nothing is worked out for it. Oracles: the frames
as they were packed; an HTML parser; the plain page for everybody else.
"""

from __future__ import annotations

import base64
import gzip
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.loops import finished
from tokensteps.bounded import SharedCache
from tokensteps.components.bundle import bundle
from tokensteps.drawing.frame import window
from tokensteps.language.pages import PAGES
from tokensteps.limits import STAGES_ROOM
from tokensteps.server.entrance import prerendered_stage
from tokensteps.server.entrance.files import FromMemory
from tokensteps.server.entrance.page import page_for
from tokensteps.server.entrance.prerendered_stage import (
    PageAddress,
    StageDescription,
    has_stage,
    note_stage,
    stage_for,
)
from tokensteps.server.shared_cache import drawn

HOSTILE = "<script>alert(1)</script>\"'&"
LEAD = '<div class="ts"><p class="lead">lead</p></div>'
HUG = {"corpus": "hug"}
LAST = 300


class Parts(HTMLParser):
    """The parts of an early page: the tags in it, and the texts within them."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.scripts: list[dict[str, str | None]] = []
        self.stage: dict[str, str | None] = {}
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        arguments = dict(attrs)
        if tag == "script":
            self.scripts.append(arguments)
        if arguments.get("class") == "ts-early":
            self.stage = arguments

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)


@pytest.fixture
def description(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> StageDescription:
    """A run of 300 steps at /bpe?corpus=hug, in English and Japanese, with the frames around steps 0 and 150
    on the shelf."""
    monkeypatch.setattr(prerendered_stage, "known_stages", SharedCache(STAGES_ROOM))
    name = request.node.name
    result = StageDescription(HOSTILE, LEAD, ("Step", "Predict", HOSTILE, "Tour"), name, LAST, ())
    for language in ("en", "ja"):
        note_stage(PageAddress("bpe", language, frozenset(HUG.items())), result)
    for step in (0, 150):
        drawn((name, window(step, LAST), ()), lambda step=step: gzip.compress(b"%d" % step), len)
    return result


def ask(path: str, query: str = "", accepted: str = "en-US,en;q=0.9") -> tuple[bytes, dict[bytes, bytes]]:
    """The browser's page, and its headers."""

    async def nobody(*_args: Any) -> None:
        raise AssertionError("Streamlit is asked for a page")

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"accept-language", accepted.encode()), (b"accept-encoding", b"gzip")]
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": headers,
    }
    finished(FromMemory(nobody)(scope, nobody, send))
    return gzip.decompress(sent[1]["body"]), dict(sent[0]["headers"])


def test_the_page_holds_the_stage_as_the_shelf_has_it(description: StageDescription) -> None:
    page, headers = ask("/bpe", "corpus=hug")
    parts = Parts(page)
    assert parts.stage["lang"] == "en" and "hidden" in parts.stage
    assert gzip.decompress(base64.b64decode(parts.texts["template"][0])) == b"0"
    assert LEAD.encode() in page and headers[b"cache-control"] == b"no-cache"
    assert [one["src"] for one in parts.scripts if one.get("src", "").startswith("./app")] == [
        f"./{bundle().address}"
    ]


def test_learners_text_stays_text(description: StageDescription) -> None:
    parts = Parts(ask("/bpe", "corpus=hug")[0])
    assert "".join(parts.texts["b"]) == HOSTILE and HOSTILE in "".join(parts.texts["i"])
    plain = Parts(gzip.decompress(page_for("bpe").body))
    assert len(parts.scripts) == len(plain.scripts) + 1


@pytest.mark.parametrize(
    ("query", "step"),
    [
        ("corpus=hug&step=0", b"0"), ("corpus=hug&step=40", b"0"), ("step=150&corpus=hug", b"150"),
        ("corpus=hug&step=-5", b"0"), ("corpus=hug&step=x", b"0"), ("corpus=hug&step=", b"0"),
    ],
)  # fmt: skip
def test_the_step_decides_which_frames(description: StageDescription, query: str, step: bytes) -> None:
    """An invalid one counts as the start, as on the page itself."""
    assert gzip.decompress(base64.b64decode(Parts(ask("/bpe", query)[0]).texts["template"][0])) == step


@pytest.mark.parametrize(
    "query",
    [
        "", "corpus=hug&size=9", "corpus=pug", "corpus=hug&walk=bpe", "corpus=hug&class=KX7P3H", "corpus=hug&mode=predict",
        "corpus=hug&embed=true", "corpus=hug&x=", "corpus=hug&step=299", "%ff=%ff", "corpus=hug&" + "a=&" * 20_000,
    ],
)  # fmt: skip
def test_any_other_address_gets_the_plain_page(description: StageDescription, query: str) -> None:
    """So does a step without drawn frames: nothing is drawn for it."""
    assert ask("/bpe", query)[0] == gzip.decompress(page_for("bpe").body)


def test_each_page_has_its_own(description: StageDescription) -> None:
    for page in PAGES.values():
        assert (b"ts-early" in ask(f"/{page.path}", "corpus=hug")[0]) == (page.path == "bpe")


def test_it_comes_in_the_visitors_language_or_not_at_all(description: StageDescription) -> None:
    def language(query: str, accepted: str) -> str | None:
        return Parts(ask("/bpe", query, accepted)[0]).stage.get("lang")

    assert language("corpus=hug", "ja,en;q=0.9") == "ja"
    assert language("corpus=hug&lang=ja", "en") == "ja"
    assert language("corpus=hug&lang=tlh", "en") == "en"
    assert language("corpus=hug", "zh-CN") is None  # nobody has seen it in Chinese


def test_a_browser_that_has_the_page_gets_another_one_with_a_stage(description: StageDescription) -> None:
    plain, with_stage = ask("/bpe")[1], ask("/bpe", "corpus=hug")[1]
    assert plain[b"etag"] != with_stage[b"etag"] != ask("/bpe", "corpus=hug&step=150")[1][b"etag"]
    assert ask("/bpe", "corpus=hug")[1] == with_stage


def test_the_known_runs_are_bounded(monkeypatch: pytest.MonkeyPatch, description: StageDescription) -> None:
    monkeypatch.setattr(prerendered_stage, "known_stages", SharedCache(5_000))
    positions = [
        PageAddress("bpe", "en", frozenset({("text", f"{number} {'x' * 500}")})) for number in range(50)
    ]
    for index in positions:
        note_stage(index, description)
    known = [has_stage(index) for index in positions]
    assert known[-1] and not known[0] and sum(known) < 20


def test_dropped_frames_are_not_waited_for(description: StageDescription) -> None:
    assert stage_for("bpe", HUG, "en") is not None
    note_stage(PageAddress("bpe", "en", frozenset(HUG.items())), description._replace(book="another run"))
    assert stage_for("bpe", HUG, "en") is None
