"""The home page's path through the app, and its lesson plans."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

import streamlit as st

from tokensteps.components.address import app_address, in_links
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.shell.navigation import page_link
from tokensteps.shell.walk import (
    begin_walk,
    erase_progress,
    lesson_facts,
    path_progress,
    plan_under_way,
    walk_position,
)
from tokensteps.teaching.lessons import (
    LESSONS,
    Lesson,
    Link,
    activity_html,
    lesson_page,
    say,
    teacher_text,
)
from tokensteps.teaching.path.stations import STATIONS
from tokensteps.teaching.walk import PATH_WALK, PathProgress, WalkPosition, query_of
from tokensteps.widgets.downloads import download


def show_page_link(link: Link, label: str | None = None, position: WalkPosition | None = None) -> None:
    """A link within the app; `label`, already translated, replaces its own. With a `position`, the strip of
    that plan or of the path goes along."""
    page_link(link.page, label or _(link.label), link.query if position is None else query_of(position, link))


def show_path() -> None:
    """The path through the app: its stations, the finished ones among them, and the next one."""
    st.header(_("A path through the app"), anchor=False)
    done = path_progress()
    st.caption(
        _(
            "A strip at the foot of the page goes along: what to look at, the exercises that belong to it, and the way to the next "
            "station (or press N; Shift+N goes back, X leads to the exercises). Your progress is kept by this browser alone, on this computer, until you erase it."
        )
    )
    half = (len(STATIONS) + 1) // 2
    for column, first in zip(st.columns(2, gap="small"), (0, half), strict=True):
        with column, st.container(key=f"home_path_{first}", gap="xsmall"):
            for number, station in enumerate(STATIONS[first : first + half], start=first + 1):
                sign = "✓" if number in done.done else count(number)
                show_page_link(
                    station.link, f"**{sign}** {_(station.link.label)}", WalkPosition(PATH_WALK, number)
                )
    if done == PathProgress():
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show_next_station()
        template = ngettext(
            "{number} station of {all} done", "{number} stations of {all} done", len(done.done)
        )
        message = template.format(number=count(len(done.done)), all=count(len(STATIONS)))
        st.html(f'<p class="ts walked">{escape(message)}</p>', width="content")
        st.button(_("Erase my progress"), key="home.erase", on_click=erase_progress, type="tertiary")


def show_next_station() -> None:
    """The link to begin the path, or to go on with it; nothing at the end of it, or if the next station is
    the present one."""
    done = path_progress()
    if len(done.done) == len(STATIONS):
        return
    following = done.following()
    if walk_position() == WalkPosition(PATH_WALK, following) and STATIONS[following - 1].link.page == "home":
        return
    label = _("Continue with station {number}").format(number=count(following))
    if done == PathProgress():
        label = _("New here? Start")
    show_page_link(STATIONS[following - 1].link, label, WalkPosition(PATH_WALK, following))


def show_lessons() -> None:
    """The lesson plans, each to start or to read; the present one is open."""
    st.header(_("What to teach with it"), anchor=False)
    st.caption(
        _(
            "A plan that you start goes along on every page: a strip has the activity, its minutes and your note. N leads to the next "
            "activity, Shift+N back, and H hides the note. Press P for projector mode: large type that fills the screen. There, a "
            "clicker moves through the steps; hold its key to change the activity."
        )
    )
    for lesson in LESSONS:
        with st.container(key=f"home_plan_{lesson.minutes}", horizontal=True, gap="small"):
            name = _("{number} minutes").format(number=count(lesson.minutes))
            now = plan_under_way()
            at = now.number if now is not None and now.walk == str(lesson.minutes) else 0
            with st.expander(f"**{name}** · {_(lesson.title)}", expanded=bool(at)):
                show_lesson(lesson, at)
            st.button(
                _("Continue") if at else _("Start"),
                key=f"home.begin_{lesson.minutes}",
                on_click=begin_walk,
                args=(WalkPosition(str(lesson.minutes), at or 1),),
            )


def show_lesson(lesson: Lesson, at: int = 0) -> None:
    """One plan: its aim, then its activities with their minutes and links, and the plan as a page to print.
    `at` is the number of the activity under way; 0 for none."""
    known = lesson_facts()
    st.html(f'<div class="ts"><p class="aim">{escape(say(lesson.aim, known))}</p></div>')
    start = 0
    for number, activity in enumerate(lesson.activities, start=1):
        with st.container(key=f"home_lesson_{lesson.minutes}_{start}", gap="xsmall"):
            st.html(
                activity_html(
                    *(start, activity.minutes, teacher_text(activity, known), say(activity.answer, known)),
                    here=number == at,
                )
            )
            if activity.link is not None:
                show_page_link(activity.link, position=WalkPosition(str(lesson.minutes), number))
        start += activity.minutes
    make: Callable[[], str] = partial(lesson_page, lesson, known, app_address(), in_links())
    download(st, _("Printable version of this plan"), f"lesson-{lesson.minutes}.html", make, "home")
