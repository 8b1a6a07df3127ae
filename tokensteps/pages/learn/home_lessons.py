"""The home page's path through the app, and its lesson plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

import streamlit as st

from tokensteps.components.address import in_links
from tokensteps.language.i18n import _, count, current_language
from tokensteps.server.shelf import remembered
from tokensteps.shell.language import page_link
from tokensteps.teaching.lessons import LESSONS, PRACTICE, STATIONS, Lesson, Link, facts, lesson_page, told
from tokensteps.widgets.downloads import download


def show_page_link(link: Link, label: str | None = None) -> None:
    """A link within the app; `label`, already translated, replaces its own."""
    page_link(link.page, label or _(link.label), link.query)


def show_stations() -> None:
    """A path through the app, stop by stop."""
    st.header(_("A path through the app"), anchor=False)
    known = lesson_facts()
    for number, station in enumerate(STATIONS, start=1):
        _show_stop(number, told(station.insight, known), [station.link])
    _show_stop(len(STATIONS) + 1, _("Test yourself, and catch others' mistakes."), PRACTICE)


def _show_stop(number: int, insight: str, links: Sequence[Link]) -> None:
    with st.container(key=f"home_stop_{number}"):
        left, right = st.columns([5, 4], vertical_alignment="center", gap="small")
        left.html(_stop_html(number, insight))
        with right, st.container(gap="small"):
            for link in links:
                show_page_link(link)


def _stop_html(number: int, insight: str) -> str:
    return f'<p class="ts stop"><b>{count(number)}</b> <span>{escape(insight)}</span></p>'


def lesson_facts() -> dict[str, str]:
    """The figures in stations and lessons, computed once per language."""
    found: dict[str, str] = remembered(("home.facts", current_language()), facts)
    return found


def show_lessons() -> None:
    """The lesson plans, each on a tab."""
    st.header(_("What to teach with it"), anchor=False)
    st.caption(_("Three plans. Each link opens the page with words, settings and step ready."))
    st.caption(
        _(
            "In class, press P on any page for projector mode: large type that fills the screen. A clicker "
            "moves through the steps, and its black-screen key works too. Press Escape to leave."
        )
    )
    names = [_("{number} minutes").format(number=count(lesson.minutes)) for lesson in LESSONS]
    for tab, lesson in zip(st.tabs(names), LESSONS, strict=True):
        with tab:
            show_lesson(lesson)


def show_lesson(lesson: Lesson) -> None:
    """One plan: its aim, then its activities with their minutes and links, and the plan as a page to print."""
    known = lesson_facts()
    st.html(
        f'<div class="ts"><p class="aim"><b>{escape(_(lesson.title))}</b> {escape(told(lesson.aim, known))}</p></div>'
    )
    start = 0
    for activity in lesson.activities:
        with st.container(key=f"home_lesson_{lesson.minutes}_{start}", gap="xsmall"):
            st.html(
                activity_html(
                    start, activity.minutes, told(activity.teacher, known), told(activity.answer, known)
                )
            )
            if activity.link is not None:
                show_page_link(activity.link)
        start += activity.minutes
    address = (st.context.url or "").split("?")[0].rstrip("/")
    make: Callable[[], str] = partial(lesson_page, lesson, known, address, in_links())
    download(st, _("Printable version of this plan"), f"lesson-{lesson.minutes}.html", make, "home")


def activity_html(start: int, minutes: int, teacher: str, answer: str) -> str:
    """An activity: when, what the teacher does, and what the class answers."""
    unit, answers = escape(_("min")), escape(_("The class:"))
    return (
        f'<div class="ts activity"><span class="when">{start}–{start + minutes}<small>{unit}</small></span>'
        f"<p>{escape(teacher)}</p><p><b>{answers}</b> {escape(answer)}</p></div>"
    )
