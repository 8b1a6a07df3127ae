"""The pages of a site to read: its index, the glossary, the errata, the lesson plans and the path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from tokensteps.drawing.handout import filled
from tokensteps.language.glossary import entry_html
from tokensteps.language.i18n import LANGUAGES, _, count, current_language, sentences
from tokensteps.language.names import ALGORITHM_NAMES
from tokensteps.language.terms import SECTIONS
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.site.books import SiteRun, site_path
from tokensteps.site.layout import INDEX_PAGE, SitePage, in_language, link_html, whole_page
from tokensteps.site.practice import practice_path
from tokensteps.teaching.errata import errata, erratum_html
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS
from tokensteps.teaching.lessons import (
    LESSONS,
    Lesson,
    Link,
    activity_html,
    say,
    teacher_text,
)
from tokensteps.teaching.path.stations import STATIONS

PATH_PAGE = "lessons/path.html"


class Listed(NamedTuple):
    """A page in the index: its address from the site's folder, its title, and its language."""

    target: str
    title: str
    language: str


def entry_page(languages: Iterable[str]) -> str:
    """The site's first page: its languages."""
    links = [
        link_html(INDEX_PAGE, f"{code}/{INDEX_PAGE}", LANGUAGES[code], in_language(code))
        for code in languages
    ]
    return whole_page(INDEX_PAGE, "TokenSteps", "", filled("site/languages", links=listed_html(links)))


def listed_html(links: Iterable[str]) -> str:
    """Entries of a list."""
    return "".join(f"<li>{link}</li>" for link in links)


# --- the index ----------------------------------------------------------------------------------------------


def index_page(runs: Sequence[SiteRun], own: Iterable[Listed]) -> SitePage:
    """The site's contents, in the language in use; `own` are a teacher's lessons."""
    here = current_language()
    lessons = [
        link_html(
            f"{here}/{INDEX_PAGE}",
            one.target,
            one.title,
            "" if one.language == here else in_language(one.language),
        )
        for one in own
    ]
    lessons += [link_html(INDEX_PAGE, plan_path(lesson), plan_title(lesson)) for lesson in LESSONS]
    lessons.append(link_html(INDEX_PAGE, PATH_PAGE, _("A path through the app")))
    kinds = [
        link_html(INDEX_PAGE, practice_path(name), _(kind.title)) + f"<small>{escape(_(kind.trains))}</small>"
        for name, kind in EXERCISE_KINDS.items()
    ]
    lead = _(
        "How subword tokenizers are trained, step by step: BPE, WordPiece and Unigram. Nothing here needs a server."
    )
    body = filled(
        "site/index",
        lead=escape(lead),
        runs=escape(_("Runs")),
        about=escape(_("Open one, and step through it with ← and →.")),
        table=runs_table(runs),
        lessons=escape(_("Lessons")),
        plans=listed_html(lessons),
        exercises=escape(_("Exercises")),
        kinds=listed_html(kinds),
    )
    return SitePage(INDEX_PAGE, "TokenSteps", body)


def runs_table(runs: Sequence[SiteRun]) -> str:
    """The runs, a row for each corpus, a link for each algorithm; runs with settings of their own have rows
    of their own."""
    rows: dict[tuple[str, str], list[SiteRun]] = {}
    for run in runs:
        rows.setdefault((run.path.partition("-")[2], run.choices()), []).append(run)
    return "".join(map(run_row, rows.values()))


def run_row(runs: Sequence[SiteRun]) -> str:
    """One row of that table."""
    first = runs[0]
    about = _(EXAMPLES[first.example].about) if first.example else ""
    links = "".join(f"<td>{link_html(INDEX_PAGE, run.path, run.trained_by())}" for run in runs)
    remark = escape(sentences(about, first.choices()))
    return f'<tr><th scope="row"><bdi>{escape(first.corpus_title())}</bdi><small>{remark}</small></th>{links}'


# --- to be looked up ----------------------------------------------------------------------------------------


def glossary_page(runs: Sequence[SiteRun]) -> SitePage:
    """Every term, and where it can be seen."""
    lead = _("The field's terms in plain words.")
    parts = [f'<p class="lead">{escape(lead)}</p>']
    for section in SECTIONS:
        parts.append(f"<h2>{escape(_(section.title))}</h2>")
        for term in section.terms:
            target = site_path(runs, term.page, term.query)
            link = link_html("glossary.html", target, _("See it")) if target else ""
            parts.append(f'<div class="looked-up">{entry_html(term)}{link}</div>')
    return SitePage("glossary.html", _("Glossary"), titled_body(_("Glossary"), parts))


def errata_page(runs: Sequence[SiteRun]) -> SitePage:
    """Where published walk-throughs are wrong."""
    lead = _(
        "The best-known texts on training tokenizers have wrong figures in their worked examples. Here "
        "is what the engine computes from the same words, and why. Each link opens the step."
    )
    parts = [f'<p class="lead">{escape(lead)}</p>']
    for one in errata():
        target = site_path(runs, one.page, one.query)
        label = _("Open the step: {algorithm}").format(algorithm=ALGORITHM_NAMES[one.page])
        link = opening_link(link_html("errata.html", target, label)) if target else ""
        parts.append(f'<section class="box">{erratum_html(one)}{link}</section>')
    return SitePage("errata.html", _("Errata"), titled_body(_("Errata"), parts))


def titled_body(title: str, parts: Iterable[str]) -> str:
    """Markup under a heading."""
    return "\n".join([f"<h1>{escape(title)}</h1>", *parts])


# --- lessons ------------------------------------------------------------------------------------------------


def plan_path(lesson: Lesson) -> str:
    """The page of a plan."""
    return f"lessons/{lesson.minutes}.html"


def plan_title(lesson: Lesson) -> str:
    """A plan's name, with its minutes."""
    minutes = _("{number} minutes").format(number=count(lesson.minutes))
    return _("{number}: {title}").format(number=minutes, title=_(lesson.title))


def plan_pages(runs: Sequence[SiteRun], known: Mapping[str, str]) -> Iterator[SitePage]:
    """The lesson plans and the path; `known` has the figures in their sentences."""
    for lesson in LESSONS:
        path, start = plan_path(lesson), 0
        parts = [f'<p class="lead">{escape(say(lesson.aim, known))}</p>', remark_html()]
        for one in lesson.activities:
            parts.append(
                activity_html(start, one.minutes, teacher_text(one, known), say(one.answer, known))
                + plan_link(runs, path, one.link)
            )
            start += one.minutes
        yield SitePage(path, plan_title(lesson), titled_body(plan_title(lesson), parts))
    parts = [remark_html()]
    for number, station in enumerate(STATIONS, start=1):
        practice = practice_path(station.exercise) if station.exercise else ""
        links = plan_link(runs, PATH_PAGE, station.link)
        if practice:
            label = _(EXERCISE_KINDS[station.exercise].title)
            links += opening_link(link_html(PATH_PAGE, practice, label))
        label = f"{count(number)}. {_(station.link.label)}"
        summary = escape(_("What follows from it"))
        insight = (
            f"<details><summary>{summary}</summary><p>{escape(say(station.insight, known))}</p></details>"
        )
        parts.append(f"<h2>{escape(label)}</h2><p>{escape(say(station.ask, known))}</p>{insight}{links}")
    title = _("A path through the app")
    yield SitePage(PATH_PAGE, title, titled_body(title, parts))


def remark_html() -> str:
    """The limits of these pages without the app."""
    remark = _(
        "This was written for the app, which has tabs and pages that a site without a server lacks. Where this site has the run, a link opens it."
    )
    return f'<p class="note">{escape(remark)}</p>'


def plan_link(runs: Sequence[SiteRun], path: str, link: Link | None) -> str:
    """The link of a plan's activity, as far as the site has the page."""
    target = site_path(runs, link.page, link.query) if link is not None else None
    if link is None or target is None:
        return ""
    return opening_link(link_html(path, target, _(link.label)))


def opening_link(link: str) -> str:
    """A link to the subject of a text."""
    return f'<p class="opens">{link}</p>'
