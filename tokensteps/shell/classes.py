"""A class, live: a strip on every page of a class's members; `assets/components/class.js` draws it, and talks
to the room.

The class's code is in the address and goes along from page to page. The browser knows whether its owner leads
or follows: it keeps the key or the device. Python leads a follower to another page, makes questions from the
trace, and describes the open page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

import streamlit as st

from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.assets import ASSETS
from tokensteps.components.address import in_links, is_back, update_url
from tokensteps.components.base import component
from tokensteps.components.classes import (
    CLASS_BEFORE,
    CLASS_CODE,
    CLASS_JUDGED,
    CLASS_PARAMETER,
    class_again,
    class_in_links,
    enter_class,
)
from tokensteps.components.flipbook import go_to
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style
from tokensteps.language.classes import class_labels, misread, read_code
from tokensteps.language.i18n import _, together
from tokensteps.language.names import ASK_NAMES
from tokensteps.language.numbers import read_whole
from tokensteps.language.pages import PAGES
from tokensteps.limits import CLASS_QUERY, JUDGED_AT_ONCE, REPLY_LIMIT
from tokensteps.runs.rules import PAGE_PARAMETERS
from tokensteps.shell.walk import lesson_facts, open_stop_tab, plan_data, walk_position
from tokensteps.teaching.classes.class_question import ask_class, class_kinds
from tokensteps.teaching.classes.words import judge_parts
from tokensteps.teaching.lessons import WALK_PARAMETER
from tokensteps.teaching.questions import HALF, QUARTER, RIGHT, TIED, WRONG
from tokensteps.teaching.walk import WalkPosition, read_walk, stop_at, write_walk
from tokensteps.widgets.notes import problem
from tokensteps.widgets.page_state import leave_own
from tokensteps.widgets.stage import STAGE_ON, is_awaited

ALSO_READ: Final = frozenset({"c", "term"})
"""Parameters read by pages at every run: a challenge, and an entry of the glossary."""
FIELDS: Final = 60
"""Parameters of the address for a class, at most: BPE's page has nearly forty."""
SETTLED: Final = frozenset({RIGHT, HALF, QUARTER, TIED, WRONG})
"""Verdicts that count in a class's progress."""

CLASS_LEAD: Final = "class.lead"
"""In session state: the class's next place,"""
CLASS_WENT: Final = "class.went"
"""the browser's id of the last move,"""
CLASS_LED: Final = "class.led"
"""the place of a move in this run,"""
CLASS_ASKS: Final = "class.asks"
"""the lecturer's wanted question,"""
CLASS_QUESTION: Final = "class.question"
"""the page's finished question,"""
CLASS_JUDGES: Final = "class.judges"
"""words to grade, with their question and the step of the tokenizer,"""
CLASS_TYPED: Final = "class.typed"
"""the code typed last,"""
CLASS_PRESENTS: Final = "class.presents"
"""and whether this is the lecturer's own screen, with its requested activity of a plan, in the browser's
form."""
STRIP_KEY: Final = "class_strip"


class Destination(NamedTuple):
    """A validated place to lead somebody to."""

    page: str
    query: dict[str, str]
    nonce: str
    stop: WalkPosition | None = None
    """The activity of a plan, if it was requested as one."""


def read_destination(message: Any) -> Destination | None:
    """The class's place, from the browser's message; None for an invalid one. Only the page's own parameters
    are left of its address.

    >>> read_destination({"page": "bpe", "query": "corpus=hug&evil=1&lang=ja", "step": 3, "nonce": "7"})
    Destination(page='bpe', query={'corpus': 'hug', 'step': '3'}, nonce='7', stop=None)
    >>> read_destination({"page": "nowhere"}), read_destination(["bpe"])
    (None, None)

    A lecturer's tab takes up the class's plan, too.

    >>> read_destination({"page": "bpe", "query": "", "nonce": "8", "walk": "30.2"})
    Destination(page='bpe', query={'walk': '30.2'}, nonce='8', stop=None)

    The presenter view goes to an activity of the plan: its page and settings, and the plan itself if that
    device walks it.

    >>> read_destination({"stop": "30.3", "walk": "", "nonce": "9"})
    Destination(page='bpe', query={'corpus': 'course', 'step': '2'}, nonce='9', stop=WalkPosition(walk='30', number=3))
    >>> read_destination({"stop": "path.99", "walk": "path.99", "nonce": "9"})
    """  # noqa: W505
    match message:
        case {"stop": str(text)} if (position := read_walk(text)) is not None:
            link = stop_at(position, lesson_facts()).link
            query = {**link.query, **({WALK_PARAMETER: text} if message.get("walk") else {})}
            return Destination(link.page, query, str(message.get("nonce", ""))[:40], position)
        case {"page": str(page), "query": str(query)} if page in PAGES and len(query) <= CLASS_QUERY:
            try:
                results = dict(parse_qsl(query, keep_blank_values=True, max_num_fields=FIELDS))
            except ValueError:
                return None
            wanted = {name: results[name] for name in results if name in PAGE_PARAMETERS[page] | ALSO_READ}
            step = read_whole(str(message.get("step")))
            if step is not None:
                wanted["step"] = str(step)
            walk = read_walk(str(message.get("walk", "")))
            if walk is not None:
                wanted[WALK_PARAMETER] = write_walk(walk)
            return Destination(page, wanted, str(message.get("nonce", ""))[:40])
    return None


def class_code() -> str | None:
    """The visitor's class."""
    code: str | None = st.session_state.get(CLASS_CODE)
    return code


def leave_class() -> None:
    """Leave the class."""
    st.session_state[CLASS_CODE] = None
    update_url({CLASS_PARAMETER: None})


def show_class() -> bool:
    """Once at the top of each run: the strip for members of a class.

    Returns whether the class has just led here: then its settings are in the address.
    """
    state = st.session_state
    state.pop(STAGE_ON, None)  # the last run's
    going: Destination | None = state.pop(CLASS_LEAD, None)
    if is_back():  # after Back, an earlier move leads nobody on
        state.pop(CLASS_LED, None)
    elif going is not None:
        _lead_to(going)
    linked = st.query_params.get(CLASS_PARAMETER)
    wanted = read_code(linked)
    if linked and wanted is None:
        st.toast(impossible_code(linked), duration="long")
        update_url({CLASS_PARAMETER: None})
    known = (None, class_code(), state.get(CLASS_BEFORE))
    if wanted not in known and (CLASS_CODE not in state or class_code() is not None):
        enter_class(wanted)
    code = class_code()
    if code is not None and linked != code:
        update_url({CLASS_PARAMETER: code})
    on, walk = state.get(CLASS_PRESENTS, (False, ""))
    with st.sidebar, st.container(key="class"):
        if code is not None:
            st.html(ASSETS / "page" / "class.css")
            component("class", ())(
                key=STRIP_KEY,
                data={
                    "code": code,
                    "typed": state.get(CLASS_TYPED) == code,
                    "labels": class_labels(),
                    "presents": [on, walk],
                    "plan": plan_data(read_walk(walk)),
                },
                on_go_change=_led,
                on_ask_change=_ask_question,
                on_present_change=_presents,
                on_judge_change=_judges,
                on_leave_change=leave_class,
            )
    led: Destination | None = state.get(CLASS_LED)
    step = led and read_whole(led.query.get("step"))
    if led and step is not None:
        # The address may have another step by now: until the page has come, the last page's stage writes its
        # own there.
        go_to(f"{led.page}.book", step)
    return led is not None and "page" in state


def _latest_message(name: str) -> Any:
    """The strip's latest message under this name."""
    result = st.session_state.get(STRIP_KEY)
    return result.get(name) if isinstance(result, Mapping) else None


def _led() -> None:
    st.session_state[CLASS_LEAD] = read_destination(_latest_message("go"))


def _ask_question() -> None:
    match _latest_message("ask"):
        case {"nonce": str(nonce), "kind": str(kind), "step": step}:
            st.session_state[CLASS_ASKS] = nonce[:40], kind, step if isinstance(step, int) else None


def _judges() -> None:
    match _latest_message("judge"):
        case {"round": int(number), "parts": int(parts), "step": int(step), "words": list(words)}:
            wanted = [one[:REPLY_LIMIT] for one in words[:JUDGED_AT_ONCE] if isinstance(one, str)]
            st.session_state[CLASS_JUDGES] = number, parts, step, wanted


def _presents() -> None:
    match _latest_message("present"):
        case {"on": bool(on), "walk": str(walk)}:
            st.session_state[CLASS_PRESENTS] = on, walk[:12]


def _lead_to(to: Destination) -> None:
    state = st.session_state
    state[CLASS_WENT], state[CLASS_LED] = to.nonce, to
    if to.stop is not None:
        open_stop_tab(to.page, to.stop)
    leave_own(to.page, to.query)
    position = (
        walk_position() if to.page == state.get("page") else None
    )  # an address without one would end the plan
    plan = {WALK_PARAMETER: write_walk(position)} if position else {}
    query = {**plan, **to.query, **class_in_links(), **in_links()}
    st.switch_page(PAGES[to.page].script, query_params=query)


def offer_question(trace: AnyTrace, style: Style) -> None:
    """On a page with a trace: make the lecturer's wanted question."""
    state = st.session_state  # requests stay until they are done: another message may overtake this run
    judges = state.get(CLASS_JUDGES)
    if judges is not None:
        number, parts, step, words = judges
        state[CLASS_JUDGED] = {"round": number, **judge_parts(trace, step, parts, words)}
        del state[CLASS_JUDGES]
    asks = state.get(CLASS_ASKS)
    if asks is None:
        return
    nonce, kind, step = asks
    step = min(max(step or 0, 0), len(trace))
    kinds, position = class_kinds(trace, step, style), walk_position()
    if kind == "mixed" and position is not None:  # the one of the plan's activity, if any
        planned = stop_at(position, lesson_facts()).ask
        kind = planned if planned in kinds else kind
    names = [[one, _(ASK_NAMES[one])] for one in kinds]
    question = ask_class(trace, step, kind, style)
    state[CLASS_QUESTION] = {"nonce": nonce, "question": question, "kinds": names}
    del state[CLASS_ASKS]


def _is_aside(page: str) -> bool:
    """Whether a lecturer may look at this page without leading anybody there: the pages for classes and for
    teachers, and Home unless it is a plan's stop."""
    position = walk_position()
    if page == "home" and position is not None:
        return stop_at(position, lesson_facts()).link.page != page
    return page in ("home", "classroom", "teach")


def class_page(page: str) -> None:
    """At the end of each run: describe the page to the strip, and hand over the question. A page whose stage
    has yet to come is still on its way."""
    state = st.session_state
    if class_code() is None:
        return
    state.pop(CLASS_LED, None)  # only now: a run overtaken by another message has led nowhere
    awaited = is_awaited(page)
    if not awaited:
        asks = state.pop(CLASS_ASKS, None)  # a page without a trace left it
        state.pop(CLASS_JUDGES, None)
        if asks is not None:
            state[CLASS_QUESTION] = {"nonce": asks[0], "question": None, "kinds": []}
    position = state.get(f"{page}.book.position")
    usual = [
        [name, value] for name, value in (position["url"] if position else {}).items() if value is not None
    ]
    data = {
        "page": page,
        "path": None if awaited else PAGES[page].path,
        "aside": _is_aside(page),
        "usual": usual,
        "stage": state.get(STAGE_ON) == page,
        "went": state.get(CLASS_WENT, ""),
        # Until the next question: a busy browser may skip one run's data in favour of the next one's.
        "question": state.get(CLASS_QUESTION),
        "judged": state.get(CLASS_JUDGED),
    }
    component("class_page", ())(key="class_page", data=data)


def offer_ahead(page: str, step: int, draw: Callable[[int], Frame]) -> None:
    """In Predict, where the browser doesn't have the next step: tell the lecturer's own screen of it."""
    if class_code() is not None and st.session_state.get(CLASS_PRESENTS, (False,))[0]:
        ahead = {"step": step, "say": draw(step).say}
        component("class_page", ())(key=f"{page}.class_ahead", data={"ahead": ahead, "on": page})


def give_class(page: str, questions: int, label: str, done: Mapping[int, str], first: int = 0) -> None:
    """On a page of questions: the set that can be given to a class from here on, and the verdicts on answered
    ones, by number; `first` is the number for an address without one."""
    if class_code() is not None:
        value = {"questions": questions, "label": label, "first": first}
        answers = {str(number): kind for number, kind in done.items() if kind in SETTLED}
        data = {"given": value, "answered": answers, "on": page}
        component("class_page", ())(key=f"{page}.class_given", data=data)


def impossible_code(typed: str | None) -> str:
    """The answer to a text that can't be a class's code."""
    letters = misread(typed)
    if letters:
        return _("No class's code has {letters} in it: look at it again.").format(letters=together(letters))
    return _("A class's code has six letters and digits: look at it again.")


def join_box(page: str, width: int) -> None:
    """A box for a class's code, and the way back to this browser's own class."""
    key = f"{page}.join"

    def typed() -> None:
        text = st.session_state.get(key)
        code = read_code(text)
        st.session_state[f"{key}.wrong"] = text if code is None else ""
        if code is not None:
            enter_class(code)
            st.session_state[CLASS_TYPED] = code
            st.session_state[key] = ""

    st.text_input(
        _("Join a class: code"),
        key=key,
        on_change=typed,
        max_chars=16,
        placeholder=_("Join a class: code"),
        label_visibility="collapsed",
        width=width,
    )
    if wrong := st.session_state.get(f"{key}.wrong"):
        problem(impossible_code(wrong))
    class_again(page)
