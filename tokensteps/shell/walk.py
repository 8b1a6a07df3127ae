"""A walk along a lesson plan or the path: a strip on every page names the stop, and leads on;
`assets/components/walk.js` draws it.

The place is in the address and goes along from page to page, so a reload, a lost connection and the browser's
Back find it. The browser keeps a learner's progress on the path, for all its tabs, until the learner erases
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from typing import Any, Final

import streamlit as st

from tokensteps.assets import ASSETS
from tokensteps.components.address import in_links, is_back, update_url, write_linked_url
from tokensteps.components.base import component, ignore
from tokensteps.components.classes import class_in_links
from tokensteps.language.i18n import _, count, current_language, ngettext, sentences, together, use_language
from tokensteps.language.pages import PAGES
from tokensteps.runs.corpora import pack_text
from tokensteps.server.shared_cache import remembered
from tokensteps.teaching.exercises.words import LEVELS
from tokensteps.teaching.feedback import in_steps, revealed, translated_verdict
from tokensteps.teaching.game import Game, Hidden
from tokensteps.teaching.lessons import WALK_PARAMETER, Link, facts, say
from tokensteps.teaching.path.cards import CARDS, one_line, path_facts
from tokensteps.teaching.path.stations import FOLLOW_UP, OWN_STATION, STATIONS
from tokensteps.teaching.predictions import question_after
from tokensteps.teaching.questions import AGAIN, UNREAD, Question, Verdict
from tokensteps.teaching.walk import (
    PATH_WALK,
    Deed,
    PathProgress,
    WalkPosition,
    length_of,
    query_of,
    read_progress,
    read_walk,
    stop_at,
    stops_of,
    walk_title,
    write_walk,
)
from tokensteps.widgets import stage
from tokensteps.widgets.keep import synced_with_tabs
from tokensteps.widgets.questions import ask, verdict_html

WALK_POSITION: Final = "walk.position"
"""In session state: the stop, None without one,"""
PATH_PROGRESS: Final = "walk.progress"
"""the progress on the path,"""
PROGRESS_REQUESTED: Final = "walk.asked"
"""whether the browser was asked for its kept progress,"""
PATH_ERASED: Final = "walk.erased"
"""whether the browser is to forget it,"""
WALK_BEGUN: Final = "walk.begun"
"""the stop behind a pressed button,"""
WALK_LEFT: Final = "walk.left"
"""the stop left for its exercises,"""
PLAN_LEFT: Final = "walk.plan_left"
"""the stop at which a plan was left,"""
WALK_DEEDS: Final = "walk.deeds"
"""the learner's deeds at the stations in this session, by their numbers,"""
WALK_CARD: Final = "walk.card"
"""the station's number, the verdict on the last answer above the page, and the wrong answers so far,"""
SENTENCE_KEY: Final = "home.sentence"
"""the sentence on the home page,"""
WALK_TOAST: Final = "walk.told"
"""and a toast for the next page: this page's run ends with the change."""


def lesson_facts() -> dict[str, str]:
    """The figures in the stops' sentences, computed once per language."""
    results: dict[str, str] = remembered(
        ("home.facts", current_language()), lambda: {**facts(), **path_facts()}
    )
    return results


def walk_position() -> WalkPosition | None:
    """The visitor's stop of a plan or the path; None without either."""
    position: WalkPosition | None = st.session_state.get(WALK_POSITION)
    return position


def plan_under_way() -> WalkPosition | None:
    """The visitor's stop of a plan, also of one left; None without either."""
    position: WalkPosition | None = walk_position() or st.session_state.get(PLAN_LEFT)
    return position


def path_progress() -> PathProgress:
    """The learner's progress on the path."""
    done: PathProgress = st.session_state.get(PATH_PROGRESS, PathProgress())
    return done


def show_walk(page: str) -> bool:
    """Once at the top of each run, for the page with this name: the strip, if somebody follows a plan or the
    path.

    Returns whether a link has just led from one stop to another, perhaps on the same page: then its settings
    are in the address.
    """
    state = st.session_state
    if WALK_BEGUN in state:
        _go(state.pop(WALK_BEGUN))
    requested, was = read_walk(st.query_params.get(WALK_PARAMETER)), walk_position()
    led = requested is not None and requested != was
    if requested is not None and (led or state.get("page") != page):
        state[WALK_POSITION] = requested
        state.pop(PLAN_LEFT, None)
        open_stop_tab(page, requested)
    if led and page == state.get("page") == "home" and not is_back():
        write_linked_url()  # nothing else leads from Home to Home
    position = walk_position()
    if position is not None:
        if position.walk == PATH_WALK:
            state[PATH_PROGRESS] = path_progress()._replace(at=position.number)
        if requested is None:
            update_url({WALK_PARAMETER: write_walk(position)})
    with st.sidebar, st.container(key="walk"):
        if page == "home" or (position is not None and position.walk == PATH_WALK):
            _keep_progress(page)
        if position is not None:
            _strip(page, position)
    if position is not None and position.walk == PATH_WALK:
        _show_station_card(page, position.number)
    return led and "page" in state


def show_toast() -> None:
    """At the end of each run: the last page's remaining message. A run that is overtaken before leaves it to
    the next one: its own messages may be dropped."""
    if toast := st.session_state.pop(WALK_TOAST, ""):
        st.toast(toast, duration="long")


# --- a station's question -----------------------------------------------------------------------------------


def _show_station_card(page: str, number: int) -> None:
    """Above the station's page: its question, or the verdict on the answer."""
    station = STATIONS[number - 1]
    if not station.card or page != station.link.page:
        return
    card = CARDS[station.card]
    with st.container(key="walk-card", border=True, gap="xsmall"):
        subject = None
        if card.spec:
            opened = stage.opened_tokenizer(card.spec, "walk.card")
            if opened is None:
                return
            subject = opened.subject
        tried = st.session_state.get(WALK_CARD)
        verdict = tried[1] if tried is not None and tried[0] == number else None
        if verdict is None or verdict.kind in (AGAIN, UNREAD):
            question = card.make(subject)
            ask(
                "walk.ask",
                question,
                partial(_card_answered, number, question),
                partial(_card_shown, number, question),
            )
        if verdict is not None:
            st.html(verdict_html(translated_verdict(verdict, partial(card.make, subject))))


def open_question(page: str) -> str:
    """The name of the question above this page (see `CARDS`) while it is open; "" for none. What the page
    shows mustn't be its answer."""
    position = walk_position()
    if position is None or position.walk != PATH_WALK:
        return ""
    station, tried = STATIONS[position.number - 1], st.session_state.get(WALK_CARD)
    answered = tried is not None and tried[0] == position.number and tried[1].kind not in (AGAIN, UNREAD)
    return "" if answered or page != station.link.page else station.card


def _card_answered(number: int, question: Question, text: str, verdict: Verdict) -> None:
    """Note an answer to a station's question: after a wrong one there is a hint, and in the end the
    answer."""
    state = st.session_state
    before = state.get(WALK_CARD)
    tries: tuple[str, ...] = before[2] if before is not None and before[0] == number else ()
    verdict = in_steps(question, tries, text, verdict, counted=False)
    state[WALK_CARD] = (number, verdict, (*tries, text) if verdict.kind == AGAIN else tries)
    if verdict.kind not in (AGAIN, UNREAD):
        yours = one_line(text)
        state[WALK_DEEDS] = {**state.get(WALK_DEEDS, {}), number: Deed(yours, question.key)}
        _tick(number)
        if number == OWN_STATION:
            state[SENTENCE_KEY] = yours  # the page shows its tokens


def _card_shown(number: int, question: Question) -> None:
    """Show the answer to a learner who gives none: the station is done, and its tick says so."""
    state = st.session_state
    use_language(state["language"])
    state[WALK_CARD] = (number, revealed(question), ())
    state[WALK_DEEDS] = {**state.get(WALK_DEEDS, {}), number: Deed("", question.key)}
    _tick(number)


def _tick(number: int) -> None:
    state = st.session_state
    state[PATH_PROGRESS] = path_progress().after(number, state[WALK_DEEDS][number])


def note_predictions(corpus: str, hidden: Hidden, game: Game) -> None:
    """On the path, a game of predicting completes its station after enough answers or shown steps."""
    position, deeds = walk_position(), st.session_state.get(WALK_DEEDS, {})
    if position is None or position.walk != PATH_WALK:
        return
    station = STATIONS[position.number - 1]
    first = int(station.link.query.get("step", "0")) + 1
    if not station.predictions or (hidden.key, corpus) != (station.link.page, station.link.query["corpus"]):
        return
    # Any steps from there on: after Back or Forward, a game may begin in the midst of the station.
    wanted = [one for one in game.predictions if one.step >= first][: station.predictions]
    keys = [question_after(hidden.trace, one.step - 1, one.kind, hidden.style).key for one in wanted]
    value = [one.text for one in wanted if one.text]
    deed = Deed(together(value) if value else "", together(keys) if keys else "")
    if len(wanted) < station.predictions or deeds.get(position.number) == deed:
        return
    st.session_state[WALK_DEEDS] = {**deeds, position.number: deed}
    _tick(position.number)
    st.rerun()  # the strip is outside of the stage's fragment


def open_stop_tab(page: str, position: WalkPosition) -> None:
    """Open the tab of a stop."""
    link = stop_at(position, lesson_facts()).link
    if link.tab and link.page == page:
        st.session_state[f"{page}.tab"] = _(link.tab)


def _keep_progress(page: str) -> None:
    """Have the browser keep the progress, after asking it for its earlier one."""
    state, now = st.session_state, path_progress()
    what = now.saved() if state.get(PROGRESS_REQUESTED) else []
    erased = state.get(PATH_ERASED, False)
    lists = synced_with_tabs(PATH_WALK, what, page=page, erased=erased, on_erased=erase_progress)
    state[PROGRESS_REQUESTED] = True
    results = [result for result in map(read_progress, lists) if result != PathProgress()]
    if results:
        state[PATH_PROGRESS] = reduce(PathProgress.together, results, now)
        if any(result.old for result in results) and not now.old:
            toast = _(
                "The path is new. The stations that you did on the old one are marked “answer shown”: do them yourself whenever you like."
            )
            st.session_state[WALK_TOAST] = toast
        if state[PATH_PROGRESS] != now:
            st.rerun()  # so that the page shows it, and the browser keeps it again


def _strip(page: str, position: WalkPosition) -> None:
    """The strip, and the actions of its buttons and keys."""
    st.html(ASSETS / "page" / "walk.css")
    wanted = component("walk", ())(key="walk_strip", data=strip(page, position), on_go_change=ignore).go
    length = length_of(position.walk)
    match wanted:
        case "leave":
            leave_walk()
            if position.walk != PATH_WALK:
                st.session_state[PLAN_LEFT] = position
            kept = PAGES["home" if position.walk == PATH_WALK else "teach"]
            toast = _("“{page}” has the place where you stopped.").format(page=_(kept.title))
            st.session_state[WALK_TOAST] = toast
            st.rerun()
        case "practise" if exercise_link(position) is not None:
            st.session_state[WALK_LEFT] = position
            _switch(exercise_link(position), position)
        case "return":
            _return(position)
        case int(number) if 1 <= number <= length:
            _go(WalkPosition(position.walk, number))
        case int(number) if number > length:
            _end(position)


def _go(position: WalkPosition) -> None:
    """Go to a stop. A station with a text to encode takes the learner's own, if they have written one on the
    path."""
    link = stop_at(position, lesson_facts()).link
    own = st.session_state.get(WALK_DEEDS, {}).get(OWN_STATION)
    if position.walk == PATH_WALK and "text" in link.query and own is not None and not own.shown:
        link = link._replace(query={**link.query, "text": pack_text(own.yours) or ""})
    _switch(link, position)


def _end(position: WalkPosition) -> None:
    """After the last stop: a plan ends at home, the path at its exercises."""
    leave_walk()
    if position.walk != PATH_WALK:
        st.session_state[WALK_TOAST] = _("That was the last stop.")
        _lead("home", {})
    st.session_state[WALK_TOAST] = farewell(path_progress())
    _lead(FOLLOW_UP.page, FOLLOW_UP.query)


def farewell(now: PathProgress) -> str:
    """A learner's share of the path, done without help: plain text."""
    by_oneself = len(now.done - now.shown)
    message = ngettext(
        "You did {number} of {all} stations yourself.",
        "You did {number} of {all} stations yourself.",
        by_oneself,
    ).format(number=count(by_oneself), all=count(len(STATIONS)))
    return sentences(message, _("These exercises begin where the path began, and get harder."))


def _return(position: WalkPosition) -> None:
    """Go to a stop; from its exercises, with its last settings: the page remembers them."""
    link = stop_at(position, lesson_facts()).link
    as_it_was = st.session_state.pop(WALK_LEFT, None) == position
    _switch(link._replace(query={}) if as_it_was else link, position)


def _switch(link: Link | None, position: WalkPosition) -> None:
    if link is not None:
        _lead(link.page, query_of(position, link))


def _lead(page: str, query: Mapping[str, str]) -> None:
    st.switch_page(PAGES[page].script, query_params={**query, **class_in_links(), **in_links()})


def begin_walk(position: WalkPosition) -> None:
    """Go to a stop, as a callback: a link to the present page would not be written to the address."""
    st.session_state[WALK_BEGUN] = position


def leave_walk() -> None:
    """Follow no plan and no path from now on."""
    st.session_state[WALK_POSITION] = None
    update_url({WALK_PARAMETER: None})


def erase_progress() -> None:
    """Forget the progress on the path, here and in the browser: also after another tab has erased it."""
    state = st.session_state
    state[PATH_PROGRESS], state[PATH_ERASED] = PathProgress(), True
    for answers in (WALK_DEEDS, WALK_CARD):
        state.pop(answers, None)
    position = walk_position()
    if position is not None and position.walk == PATH_WALK:
        leave_walk()


def practised(kind: str) -> None:
    """An exercise of this kind was solved: on the path, it counts for a station."""
    position = walk_position()
    if position is None or position.walk != PATH_WALK:
        return
    solved = {number for number, station in enumerate(STATIONS, start=1) if station.exercise == kind}
    now = path_progress()
    st.session_state[PATH_PROGRESS] = now._replace(practised=now.practised | solved)


def exercise_link(position: WalkPosition) -> Link | None:
    """The exercises of a station of the path; None without any."""
    kind = STATIONS[position.number - 1].exercise if position.walk == PATH_WALK else ""
    query = {"kind": kind, "level": str(LEVELS[0]), "rising": "1"}
    return Link("", "exercises", query) if kind else None


def strip(page: str, position: WalkPosition) -> dict[str, Any]:
    """The strip's data for the browser, in the language in use."""
    stops, now = stops_of(position.walk, lesson_facts()), path_progress()
    here = stops[position.number - 1]
    begins = sum(stop.minutes for stop in stops[: position.number - 1])
    on_path = position.walk == PATH_WALK
    done = now.done if on_path else frozenset(range(1, position.number))
    named = _("{number}: {title}")
    listed_stops = [
        {
            "name": named.format(number=count(number), title=_(stop.link.label)),
            "done": number in done,
            "shown": on_path and number in now.shown,
            "practised": on_path and number in now.practised,
        }
        for number, stop in enumerate(stops, start=1)
    ]
    is_done = on_path and position.number in now.done
    exercise = "practise" if exercise_link(position) is not None and is_done else ""
    if on_path and page != here.link.page:
        exercise = "return"
    note = here.note
    deed = st.session_state.get(WALK_DEEDS, {}).get(position.number)
    if is_done:
        insight = say(STATIONS[position.number - 1].insight, lesson_facts())
        note = deed.named(position.number, lesson_facts()) if deed is not None else insight
    return {
        "place": write_walk(position),
        "number": position.number,
        "title": walk_title(position.walk),
        "stop": _(here.link.label),
        "minutes": here.minutes,
        "when": f"{begins}–{begins + here.minutes}" if here.minutes else "",
        "note": "" if exercise == "return" else note,  # the note is about the station
        "answer": here.answer,
        "waits": here.link.page == "matters" or here.link.query.get("mode") == "predict",
        "tab": bool(here.link.tab) and page == here.link.page,
        "stops": listed_stops,
        "ticked": (_("answer shown") if position.number in now.shown else _("done")) if is_done else "",
        "path": on_path and page == here.link.page,
        "ready": not on_path or is_done or exercise == "return",
        "exercise": exercise,
        "solved": on_path and position.number in now.practised,
        "labels": strip_labels(),
    }


def plan_data(position: WalkPosition | None) -> dict[str, Any] | None:
    """An activity of a plan for the lecturer's own screen, in the language in use; None for none, and on the
    path."""
    if position is None or position.walk == PATH_WALK:
        return None
    stops = stops_of(position.walk, lesson_facts())
    here = stops[position.number - 1]
    return {
        "walk": position.walk,
        "number": position.number,
        "of": len(stops),
        "title": walk_title(position.walk),
        "stop": _(here.link.label),
        "minutes": here.minutes,
        "note": here.note,
        "answer": here.answer,
    }


def strip_labels() -> dict[str, str]:
    """The words on the strip."""
    return {
        "place": _("{place} of {number}"),
        "done": _("done"),
        "shown": _("answer shown"),
        "skip": _("Skip"),
        "solved": _("exercise solved"),
        "back": _("Back"),
        "next": _("Next"),
        "finish": _("Finish"),
        "leave": _("Leave this plan"),
        "note": _("Note"),
        "answer": _("Expected answer:"),
        "show": _("Show"),
        "practise": _("Practice"),
        "return": _("Back to the station"),
        "timer": _("Time at this stop"),
        "minutes": _("min"),
    }
