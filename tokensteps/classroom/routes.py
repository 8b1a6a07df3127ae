"""A browser's requests to a class, over HTTP: small messages in JSON, and one stream of events.

They come through the same guard as all requests (`tokensteps/server/headers.py`), so other sites' pages are
refused before.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tokensteps.classroom import questions as form
from tokensteps.classroom.address import qr, reachable
from tokensteps.classroom.codes import Person, credential, read_credential
from tokensteps.classroom.hub import OpenClass, hub, once_at_a_time
from tokensteps.classroom.questions import Kind, RequestRefused
from tokensteps.classroom.room import Room
from tokensteps.classroom.stream import EventStream
from tokensteps.classroom.summary import SUMMARIES
from tokensteps.language.classes import read_code
from tokensteps.language.numbers import read_whole
from tokensteps.limits import (
    CLASS_BODY,
    CLASS_RATES,
    CONNECTIONS_EACH,
    DEVICE_RATE,
    KEY_SHARE,
    PREPARED_ID,
    QR_LIMIT,
    REPLY_LIMIT,
    STUDENT_BODY,
    SUMMARY_PIECE,
    Rate,
)
from tokensteps.server.entrance.bodies import BodyError, read_body
from tokensteps.server.entrance.rates import Account, Addresses, Bucket, network
from tokensteps.server.entrance.unknown_addresses import base_path
from tokensteps.server.process_singleton import process_singleton

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

API: Final = "/class/api"
STATUS: Final[Mapping[Kind, int]] = {
    "form": 400, "key": 403, "gone": 404, "names": 404, "shown": 409, "late": 409, "round": 409, "place": 409, "enough": 409,
    "ended": 410, "large": 413, "often": 429, "full": 503, "store": 503,
}  # fmt: skip
SAY: Final[Mapping[str, str]] = {
    "key": "This needs the lecturer's key, or a device that has joined this class.",
    "shown": "The answers are on the wall: they can't be changed any more.",
    "late": "The time is over.",
    "round": "There is no such question now.",
    "place": "Show a step first.",
    "names": "Ask for nicknames before the first question, or not at all.",
    "enough": "This device has said too much.",
    "ended": "The class is over.",
    "full": "There is no room for more.",
}
"""For readers of the raw response; people see the browser's own words, in their language."""
Body = dict[str, Any]


def _round(body: Body) -> Body:
    return {"round": form.whole(body.get("round"), 1, 10**6)}


def _read_answer(body: Body) -> Body:
    said = {**_round(body), "a": form.text(body.get("answer"), REPLY_LIMIT, 1)}
    return {**said, "q": form.whole(body["question"], 0, 10**4)} if "question" in body else said


def _read_question(body: Body) -> Body:
    named = {"prepared": form.text(body["prepared"], PREPARED_ID)} if "prepared" in body else {}
    return {"question": form.read_question(body.get("question")), **named}


LECTURERS: Final[Mapping[str, Callable[[Body], Body]]] = {
    "place": form.as_place,
    "plan": form.as_plan,
    "pace": form.as_pace,
    "teams": form.as_teams,
    "names": lambda body: {"on": form.truth(body.get("on"))},
    "blank": lambda body: {"on": form.truth(body.get("on"))},
    "call": lambda body: {"all": form.truth(body.get("all"))},
    "deck": form.as_deck,
    "ask": _read_question,
    "again": _round,
    "show": _round,
    "drop": _round,
    "reveal": _round,
    "pick": lambda body: {**_round(body), **form.as_picks(body)},
    "judge": lambda body: {**_round(body), **form.as_judged(body)},
    "put": _round,
    "give": form.read_assignment,
    "end": lambda _body: {},
}
"""Action with the key → the reader of its message."""
STUDENTS: Final[Mapping[str, Callable[[Body], Body]]] = {
    "answer": _read_answer,
    "lost": form.as_lost,
    "mode": lambda body: {"follows": form.truth(body.get("follows"))},
}
"""Action of a device → the reader of its message."""
MAKERS: Final = frozenset({"ask", "again", "give"})


@process_singleton
def known_addresses() -> Addresses:
    return Addresses(CLASS_RATES)


def _account(scope: Mapping[str, Any]) -> Account:
    """The account of the requesting address."""
    return known_addresses().account(network((scope.get("client") or ("",))[0]))


def _spend(bucket: Bucket) -> None:
    """Take one, or be refused: after too many requests a browser tries again later. Raises RequestRefused."""
    now = time.monotonic()
    if bucket.full(now):
        raise RequestRefused("often", "Too many messages from here. Try again in a moment.")
    bucket.take(1, now)


async def _read(request: Request, limit: int) -> Body:
    """A message. Raises RequestRefused."""
    try:
        _size, body = await read_body(request, limit)
    except BodyError as error:
        raise RequestRefused("large" if error.status == 413 else "form", str(error)) from error
    return body


async def _asker(shown: object, code: str, lecturer: bool | None) -> tuple[Person, OpenClass]:
    """The sender, and the class. The seal is checked before the class: with a forged seal, nobody learns of
    existing classes. Raises RequestRefused."""
    person = read_credential(shown, code)
    if person is None or lecturer not in (None, person.lecturer):
        raise RequestRefused("key")
    open_class = await hub().get(code)
    devices = open_class.room.devices
    if not person.lecturer and person.number not in devices:  # it may have joined at another server just now
        await hub().read_news()
    if person.born != open_class.room.born or not (person.lecturer or person.number in devices):
        raise RequestRefused("key")
    rate = (
        Rate(KEY_SHARE * DEVICE_RATE.burst, KEY_SHARE * DEVICE_RATE.pace) if person.lecturer else DEVICE_RATE
    )
    _spend(open_class.buckets.setdefault(person.number, Bucket(rate)))
    return person, open_class


def _code(request: Request) -> str:
    code = read_code(request.path_params["code"])
    if code is None:
        _spend(_account(request.scope).bucket("wrong"))
        raise RequestRefused("gone", "There is no such class. Look at the code again.")
    return code


async def _open(request: Request) -> Body:
    account = _account(request.scope)
    _spend(account.bucket("post"))
    nicknames = (await _read(request, STUDENT_BODY)).get("nicknames", False)
    wanted = form.truth(nicknames)
    scheme = request.headers.get("x-forwarded-proto", request.scope["scheme"]).split(",")[0].strip()
    here = f"{'https' if scheme == 'https' else 'http'}://{request.headers.get('host', '')[:300]}"
    try:
        address = reachable(here)
    except ValueError as error:
        raise RequestRefused("form", "The Host header is no address.") from error
    _spend(account.bucket("open"))
    try:
        code, born = await hub().open(wanted)
    except RequestRefused:
        account.bucket("open").take(-1, time.monotonic())
        raise
    link = f"{address}{base_path()}/?class={code}"
    return {
        "code": code, "key": credential(Person(code, born, 0)), "address": address, "link": link, "qr": qr(link)._asdict(),
    }  # fmt: skip


async def _class_of_code(code: str, wrong: Bucket) -> OpenClass:
    """A class by its code alone, unless too many codes were wrong. A try counts before the store is asked, so
    that simultaneous tries count, too, and is taken back unless the code was wrong; a class in memory needs
    no store. Raises RequestRefused."""
    now = time.monotonic()
    if wrong.full(now):
        raise RequestRefused("often", "Too many wrong codes from here. Try again in a minute.")
    if hub().knows(code):
        return await hub().get(code)
    wrong.take(1, now)
    try:
        open_class = await hub().get(code)
    except RequestRefused as refused:
        if refused.kind == "store":
            wrong.take(-1, time.monotonic())
        raise
    wrong.take(-1, time.monotonic())
    return open_class


async def _join(request: Request) -> Body:
    account = _account(request.scope)
    _spend(account.bucket("join"))
    code, body = _code(request), await _read(request, STUDENT_BODY)
    person = read_credential(body.get("device"), code)
    open_class = await hub().get(code) if person else await _class_of_code(code, account.bucket("wrong"))
    name = form.nickname(body.get("nickname"))
    at = round(hub().clock(), 2)
    if (
        person is not None
        and person.born == open_class.room.born
        and person.number in open_class.room.devices
    ):
        number = person.number
        if name and not open_class.room.ended:
            await hub().add(open_class, {"do": "nick", "at": at, "n": number, "nickname": name})
    else:
        more = {"nickname": name if open_class.room.nicknames else "", "once": form.once(body.get("once"))}
        used = {key: value for key, value in more.items() if value}
        number = await hub().add(open_class, {"do": "join", "at": at, **used})
    return {"device": credential(Person(code, open_class.room.born, number)), "number": number}


async def _act(request: Request) -> Body:
    _spend(_account(request.scope).bucket("post"))
    action, code = request.path_params["action"], _code(request)
    lecturer = action in LECTURERS
    if not lecturer and action not in STUDENTS:
        raise RequestRefused("form", "There is no such message.")
    body = await _read(request, CLASS_BODY if lecturer else STUDENT_BODY)
    person, open_class = await _asker(body.get("as"), code, lecturer)
    said = (LECTURERS if lecturer else STUDENTS)[action](body)
    if action == "place":
        said = _without_page(open_class.room, said)
    who = {} if lecturer else {"n": person.number}
    result = await hub().add(open_class, {"do": action, "at": round(hub().clock(), 2), **who, **said})
    return {"round": result} if action in MAKERS and result else {}


def _without_page(room: Room, place: Body) -> Body:
    """A place with its run's number instead of a known page and query: a text in an address can be long."""
    run = room.runs.get((place["page"], place["query"]))
    return place if run is None else {"run": run, **{name: place[name] for name in ("step", "tab", "by")}}


async def _summarize(request: Request) -> Body | Response:
    _spend(_account(request.scope).bucket("post"))
    code, requested = _code(request), request.query_params
    _, open_class = await _asker(requested.get("as"), code, True)
    kind = requested.get("form", "json")
    if kind not in SUMMARIES:
        raise RequestRefused("form", "form is one of: " + ", ".join(SUMMARIES))
    _spend(open_class.summaries)
    data = await once_at_a_time(open_class.telling, kind, lambda: _make(open_class.room, kind))
    if kind in ("json", "students"):
        return InPieces(data, media_type="application/json")
    named = {"Content-Disposition": f'attachment; filename="class-{code}-{kind}.csv"'}
    return InPieces(data, media_type="text/csv; charset=utf-8", headers=named)


async def _make(room: Room, kind: str) -> bytes:
    """A summary of a class as it stands now, made in another thread. Raises RequestRefused."""
    still = room.copy()
    return await hub().apart(lambda: SUMMARIES[kind](still))


class InPieces(Response):
    """A long response: the connection holds a piece or two for a slow reader, and others have their turn
    between them."""

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Send it."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        for start in range(0, len(self.body), SUMMARY_PIECE):
            piece = self.body[start : start + SUMMARY_PIECE]
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b""})


async def _draw_qr(request: Request) -> Body:
    _spend(_account(request.scope).bucket("post"))
    await _asker(request.query_params.get("as"), _code(request), True)
    try:
        return qr(form.text(request.query_params.get("text"), QR_LIMIT, 1))._asdict()
    except ValueError as error:  # letters of several bytes
        raise RequestRefused("form", "That is too long for a QR code.") from error


def _answered(
    handle: Callable[[Request], Awaitable[Body | Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """A route with a response in JSON, also for a refusal."""

    async def answer(request: Request) -> Response:
        try:
            value = await handle(request)
        except RequestRefused as turned:
            return _turned(turned)
        return value if isinstance(value, Response) else JSONResponse(value)

    return answer


def _turned(turned: RequestRefused) -> Response:
    """The reason for a refusal, as a word for the browser and a sentence for people."""
    said = {"error": turned.kind, "say": turned.say or SAY.get(turned.kind, turned.kind)}
    headers = {"Retry-After": "1"} if turned.kind in ("often", "store") else {}
    return JSONResponse(said, STATUS[turned.kind], headers)


class Events:
    """The route of the event stream: plain ASGI, since it lasts as long as the page."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with events, or with the reason for a refusal."""
        request, account = Request(scope), _account(scope)
        try:
            _spend(account.bucket("stream"))
            if account.connections >= CONNECTIONS_EACH:
                raise RequestRefused("often", "Too many streams from here.")
            person, open_class = await _asker(request.query_params.get("as"), _code(request), None)
        except RequestRefused as turned:
            await _turned(turned)(scope, receive, send)
            return
        account.connections += 1
        try:
            await EventStream(hub(), open_class, person, _after(request))(scope, receive, send)
        finally:
            account.connections -= 1


def _after(request: Request) -> int | None:
    """A browser's last event: in a header when it reconnects by itself, in the address after a new start of
    the script."""
    return read_whole(request.headers.get("last-event-id") or request.query_params.get("after"))


ROUTES: Final = (
    Route(f"{API}/open", _answered(_open), methods=["POST"]),
    Route(f"{API}/{{code}}/events", Events(), methods=["GET"]),
    Route(f"{API}/{{code}}/summary", _answered(_summarize), methods=["GET"]),
    Route(f"{API}/{{code}}/qr", _answered(_draw_qr), methods=["GET"]),
    Route(f"{API}/{{code}}/join", _answered(_join), methods=["POST"]),
    Route(f"{API}/{{code}}/{{action}}", _answered(_act), methods=["POST"]),
)
"""Served beside Streamlit's own."""
