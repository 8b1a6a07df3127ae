"""A training page's notes for the next visitor to the same address: the stage within the page.

Source and oracle: the page itself, as its first run for an address shows it; the first answer must show the
same or nothing.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from tests.pages.pages import Page, address, book
from tokensteps.bounded import SharedCache
from tokensteps.limits import STAGES_ROOM
from tokensteps.runs.corpora import pack_text, prose
from tokensteps.runs.rules import RULES_OF
from tokensteps.server.entrance import prerendered_stage
from tokensteps.server.entrance.prerendered_stage import PrerenderedStage, stage_for
from tokensteps.server.stores import text_store

PAGES = {name: Page(name, Path("pages", "train", f"{name}.py"), RULES_OF[name]) for name in ("bpe", "wordpiece", "unigram")}  # fmt: skip


@pytest.fixture(autouse=True)
def _unvisited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prerendered_stage, "known_stages", SharedCache(STAGES_ROOM))


def there(page: str, query: str = "", language: str = "en") -> PrerenderedStage | None:
    return stage_for(page, dict(parse_qsl(query)), language)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("query", ["", "corpus=hug", "corpus=course&step=3", "corpus=hug&show=bytes&size=12"])
def test_the_next_visitor_of_an_address_gets_the_same_stage(page: str, query: str) -> None:
    assert there(page, query) is None
    app = PAGES[page].opened(query)
    result = there(page, query)
    assert result is not None
    shown, data = json.loads(gzip.decompress(result.frames)), book(app)
    assert {name: shown[name] for name in ("run", "first", "last", "frames", "labels")} == {
        name: data[name] for name in ("run", "first", "last", "frames", "labels")
    }
    assert result.description.title == app.title[0].value
    assert result.description.lead in [html.proto.body for html in app.get("html")]


def test_the_first_corpus_neednt_be_named() -> None:
    PAGES["bpe"].opened()
    assert there("bpe") == there("bpe", "corpus=course") is not None
    assert there("wordpiece") is None and there("bpe", language="ja") is None


def test_the_address_that_the_page_writes_itself_has_it() -> None:
    """After a change of settings, as when somebody shares the link."""
    app = PAGES["bpe"].opened("corpus=hug")
    app.session_state["bpe.ties"] = "greatest"
    app.run()
    query = address(app)
    assert query["ties"] == "greatest" and stage_for("bpe", query, "en") is not None


def test_a_text_comes_along_only_if_the_link_holds_it() -> None:
    """A text kept by the server is gone after its time: no page may show it then."""
    packed = pack_text("hug pug hugs")
    PAGES["bpe"].opened(f"corpus=paste&text={packed}")
    assert there("bpe", f"corpus=paste&text={packed}") is not None
    cached = text_store().put(prose()[:30_000].encode())
    query = f"corpus=paste&id={cached}&size=100"  # few steps, all in one window of frames
    app = PAGES["bpe"].opened(query)
    assert address(app)["id"] == cached
    assert (book(app)["first"], len(book(app)["frames"])) == (0, book(app)["last"] + 1)
    assert there("bpe", query) is None


def test_the_questions_answer_is_not_given_away() -> None:
    PAGES["bpe"].opened("corpus=hug&mode=predict")
    assert there("bpe", "corpus=hug&mode=predict") is None and there("bpe", "corpus=hug") is None
