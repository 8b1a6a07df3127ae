"""The server's drawing of a text while somebody types: the page's own chips, and nothing for anybody else.

Oracles: the same text put together here with Python's own strings, and the page's own message for it; the
engine's encoding. HTTP statuses for refusals. Browsers and the page together are in
`tests/browser/test_playground_page.py`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from starlette.applications import Starlette

from tests.app.classroom.web import Answer
from tests.app.pages.test_playground import HOSTILE, MULTILINGUAL, subject
from tests.loops import finished, responses
from tests.samples import sampled
from tests.waiting import Clock
from tokensteps.drawing.chips import Shown
from tokensteps.language.i18n import use_language
from tokensteps.limits import PLAYGROUND_LIMIT, TYPED_BODY, TYPED_RATE
from tokensteps.pages.explore.live_typing import typing_sessions
from tokensteps.pages.explore.live_typing.routes import TYPED_ROUTES
from tokensteps.pages.explore.live_typing.typing_sessions import (
    close_typing_session,
    open_typing_session,
    typing_address,
)
from tokensteps.pages.explore.playground_chips import ChipsView, chips_data
from tokensteps.server.startup import MIDDLEWARE

SESSION = "a-name-that-nobody-guesses"
LETTERS = ["a", "hug ", "é", "茶", "👩‍👩‍👧", "\n", "  ", "😀", "\t", "<|end|>", "<b>"]


@pytest.fixture
def view() -> Iterator[ChipsView]:
    """A page with texts in its typing session."""
    mine = subject("bpe")
    view = ChipsView("A", mine, Shown(style=mine.style))
    open_typing_session(SESSION, view, "")
    yield view
    close_typing_session(SESSION)


def ask(body: bytes | dict[str, Any], session: str = SESSION, **headers: str) -> Answer:
    """A request through the real guard, without a socket."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    values = {"host": "a.example", "content-type": "application/json"} | headers
    scope = {
        "type": "http", "method": "POST", "path": f"/{typing_address(session)}", "query_string": b"", "scheme": "http",
        "headers": [(name.encode(), text.encode()) for name, text in values.items()], "http_version": "1.1",
    }  # fmt: skip
    app = Starlette(routes=TYPED_ROUTES, middleware=MIDDLEWARE)
    return Answer(finished(responses(app, scope, data)))


def typed(text: str, at: int = 1, nonce: int = 1) -> dict[str, Any]:
    """A message with the whole text."""
    return {"nonce": nonce, "at": at, "base": None, "put": text}


def units(text: str) -> int:
    """The length of a text, by a browser's count."""
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize("seed", range(sampled(100)))
def test_key_by_key_the_chips_are_those_of_the_whole_text(view: ChipsView, seed: int) -> None:
    random, text = Random(seed), MULTILINGUAL.replace("\r\n", "\n")  # as a text box holds it
    assert ask(typed(text)).status == 200
    for at in range(2, 12):
        start, end = sorted(random.choices(range(len(text) + 1), k=2))
        end = min(end, start + random.choice([0, 1, 3]))
        put = "".join(random.choices(LETTERS, k=random.randrange(3)))
        positions = {"from": units(text[:start]), "to": units(text[:end])}
        text = text[:start] + put + text[end:]
        data = ask({"nonce": 1, "at": at, "base": at - 1, "put": put, **positions}).json
        assert data["version"] == [1, at] and data["cards"] is None
        assert data | {"cards": 0} == json.loads(chips_data(view, chips_text(data), (1, at))) | {"cards": 0}
        assert [one for kind in data["order"] for one in data["kinds"][kind][2:]] == [
            *view.subject.encode(text).ids
        ]


def chips_text(message: dict[str, Any]) -> str:
    """The chips' text, concatenated."""
    return "".join(message["kinds"][kind][1] for kind in message["order"] if len(message["kinds"][kind]) > 1)


def test_half_a_pair_does_no_harm(view: ChipsView) -> None:
    """A browser may cut an emoji in two; the remaining half becomes U+FFFD, as in the page's text."""
    assert ask(typed("a😀b")).status == 200
    data = ask({"nonce": 1, "at": 2, "base": 1, "from": 2, "to": 3, "put": ""}).json
    assert chips_text(data) == "a\ufffdb"
    data = ask(rb'{"nonce": 1, "at": 3, "base": null, "put": "\ud83d"}').json
    assert chips_text(data) == "\ufffd"


def test_the_pages_settings_hold_in_its_typing_session(view: ChipsView) -> None:
    other = view._replace(
        shown=view.shown._replace(write="ids"), escapes=True, specials=False, window=8, language="ja"
    )
    open_typing_session(SESSION, other, "")
    data = ask(typed(r"hug\thug <|end|>")).json
    use_language("ja")
    try:
        expected = json.loads(chips_data(other, r"hug\thug <|end|>", (1, 1)))
    finally:
        use_language("en")
    assert data | {"cards": 0} == expected | {"cards": 0}
    assert data["linked"] is False and "\t" in chips_text(data) and data["labels"]["language"] == "ja"


def test_hostile_text_is_inert_here_too(view: ChipsView) -> None:
    data = ask(typed(HOSTILE)).json
    markup = "".join([*(kind[0] for kind in data["kinds"]), *data["head"]])
    assert chips_text(data) == HOSTILE and not any(tag in markup for tag in ("<img", "<script", "</script"))


def test_answers_are_compressed_for_clients_that_accept_it(view: ChipsView) -> None:
    plain, packed = ask(typed("hug " * 500)), ask(typed("hug " * 500), **{"accept-encoding": "br, gzip"})
    assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 3


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[1]", 400),
        (b"{" * 9_000, 400),
        ({}, 400),
        ({"nonce": "1", "at": 1, "base": None, "put": "x"}, 400),
        ({"nonce": 1, "at": 1, "base": None, "put": ["x"]}, 400),
        ({"nonce": 1, "at": 1, "base": 0, "put": "x", "from": 0, "to": 0}, 205),
        ({"nonce": 1, "at": 2, "base": 1, "put": "x", "from": 2, "to": 1}, 400),
        ({"nonce": 1, "at": 2, "base": 1, "put": "x", "from": -1, "to": 0}, 400),
        ({"nonce": 1, "at": 2, "base": 1, "put": "x", "from": 0, "to": 10**30}, 400),
        ({"nonce": 1, "at": 2, "base": 1, "put": "x", "from": 0.5, "to": 1}, 400),
        ({"nonce": 2, "at": 2, "base": 1, "put": "x", "from": 0, "to": 0}, 205),
        ({"nonce": 1, "at": 2, "base": 1, "put": "x" * PLAYGROUND_LIMIT, "from": 0, "to": 0}, 413),
        (b'"' + b"x" * TYPED_BODY + b'"', 413),
    ],
)
def test_invalid_changes_are_refused_and_change_nothing(
    view: ChipsView, body: bytes | dict[str, Any], status: int
) -> None:
    assert ask(typed("hug")).status == 200
    answer = ask(body)
    assert answer.status == status and answer.body == b""
    after = ask({"nonce": 1, "at": 2, "base": 1, "put": "s", "from": 3, "to": 3})
    assert chips_text(after.json) == "hugs"


def test_only_the_pages_own_browser_is_answered(view: ChipsView) -> None:
    assert ask(typed("hug"), session="another").status == 404
    assert ask(typed("hug"), origin="http://evil.example").status == 403
    assert ask(typed("hug"), **{"content-type": "text/plain"}).status == 400
    assert ask(typed("hug"), origin="http://a.example").status == 200
    close_typing_session(SESSION)
    assert ask(typed("hug")).status == 404


def test_clients_over_the_rate_have_to_wait(view: ChipsView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typing_sessions, "time", clock := Clock())
    burst, extra = round(TYPED_RATE.burst), 3
    statuses = [ask(typed("hug", at)).status for at in range(burst + extra)]
    assert statuses == [200] * burst + [429] * extra
    clock.now += (extra + 1) / TYPED_RATE.pace
    assert ask(typed("hug")).status == 200
