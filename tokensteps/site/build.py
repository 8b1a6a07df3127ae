"""All of a site, file by file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count as numbers
from typing import Final, NamedTuple, TypeVar
from unicodedata import normalize

from tokensteps.language.i18n import LANGUAGES, using_language
from tokensteps.language.terms import TERMS
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.rules import RULES_OF
from tokensteps.site.books import SiteRun, example_run, file_run, run_page, train_here
from tokensteps.site.layout import INDEX_PAGE, SitePage, document
from tokensteps.site.lesson_file import OwnLesson
from tokensteps.site.lesson_page import own_lesson_page
from tokensteps.site.live.live_files import live_files
from tokensteps.site.live.page import TRY_PAGE, try_page, try_title
from tokensteps.site.practice import practice_pages
from tokensteps.site.shared import shared_files
from tokensteps.site.texts import Listed, entry_page, errata_page, glossary_page, index_page, plan_pages
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS
from tokensteps.teaching.lessons import LESSONS, facts
from tokensteps.teaching.path.cards import path_facts
from tokensteps.teaching.path.stations import STATIONS

OWN_SIZE: Final = 300
"""Tokens for runs of one's own files, unless something else is asked for: as in the app's examples of that
size."""
EXERCISES_EACH: Final = 3
"""Exercises of each kind and level."""
PLAN_NAMES: Final = ("path", *(str(lesson.minutes) for lesson in LESSONS))
"""Names of lesson pages: not allowed for a teacher's lesson."""


class OwnFile(NamedTuple):
    """A corpus of one's own: a text, or word counts."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Site:
    """The contents of a site."""

    languages: Sequence[str] = tuple(LANGUAGES)
    corpora: Sequence[str] = tuple(EXAMPLES)
    """Examples."""
    files: Sequence[OwnFile] = ()
    size: int = OWN_SIZE
    """Of the vocabularies of `files`."""
    lessons: Sequence[OwnLesson] = ()
    exercises: int = EXERCISES_EACH
    keys: bool = True
    """Whether there are pages with the answers."""
    pyodide: bytes = b""
    """Its npm package, for the page “Try”; without it there is no such page."""


def runs_of(site: Site) -> list[SiteRun]:
    """Its runs: each corpus with each algorithm, one's own first; then runs with settings of their own from
    the links in the site's texts."""
    runs = [
        file_run(algorithm, name, file.name, file.data, site.size)
        for name, file in slugs(site.files, lambda one: one.name, EXAMPLES)
        for algorithm in RULES_OF
    ]
    runs += [example_run(algorithm, {"corpus": corpus}) for corpus in site.corpora for algorithm in RULES_OF]
    links = [(one.page, one.query) for one in TERMS.values()]
    links += [(station.link.page, station.link.query) for station in STATIONS]
    links += [(one.link.page, one.link.query) for lesson in LESSONS for one in lesson.activities if one.link]
    runs += [
        example_run(page, query)
        for page, query in links
        if page in RULES_OF and query.get("corpus") in site.corpora
    ]
    return [*{run.path: run for run in runs}.values()]


Thing = TypeVar("Thing")


def slugs(
    things: Iterable[Thing], name_of: Callable[[Thing], str], taken: Iterable[str]
) -> list[tuple[str, Thing]]:
    """Each thing with a unique name, made from its own name and fit for an address.

    >>> slugs(["a b.txt", "A-b.txt", "Über.txt", "字.txt"], str, ["text"])
    [('a-b-txt', 'a b.txt'), ('a-b-txt-2', 'A-b.txt'), ('uber-txt', 'Über.txt'), ('txt', '字.txt')]
    """
    results: dict[str, Thing] = {}
    reserved = {*taken}
    for one in things:
        letters = normalize("NFKD", name_of(one)).encode("ascii", "ignore").decode().lower()
        plain = re.sub(r"[^a-z0-9]+", "-", letters)[:40].strip("-") or "own"
        free = (
            name
            for number in numbers(1)
            if (name := f"{plain}-{number}" if number > 1 else plain) not in reserved
        )
        name = next(free)
        reserved.add(name)
        results[name] = one
    return [*results.items()]


def site_files(
    site: Site, tell: Callable[[int, int], None] = lambda _done, _all: None
) -> Iterator[tuple[str, str | bytes]]:
    """Every file of a site: its path from the site's folder, and its contents. `tell` gets the number of
    finished runs.
    """
    yield from ((f"assets/{name}", content) for name, content in shared_files())
    if site.pyodide:
        yield from ((f"assets/{name}", text) for name, text in live_files(site.pyodide))
        yield from in_languages(site, partial(one_page, try_page))
    yield ".nojekyll", ""  # GitHub's pages are served as they are
    yield INDEX_PAGE, entry_page(site.languages)
    own = []
    for name, lesson in slugs(site.lessons, lambda one: one.name, PLAN_NAMES):
        path = f"lessons/{name}.html"
        own.append(Listed(f"{lesson.language}/{path}", lesson.title, lesson.language))
        yield from in_languages(site, partial(one_page, own_lesson_page, lesson, path), [lesson.language])
    runs = runs_of(site)
    for done, run in enumerate(runs):
        tell(done, len(runs))
        trace = train_here(run.recipe)
        yield from in_languages(site, partial(one_page, run_page, run, trace))
    tell(len(runs), len(runs))
    yield from in_languages(site, partial(read_pages, site, runs, own))


def one_page(make: Callable[..., SitePage], *arguments: object) -> list[SitePage]:
    """A page alone."""
    return [make(*arguments)]


def in_languages(
    site: Site, make: Callable[[], Iterable[SitePage]], languages: Iterable[str] = ()
) -> Iterator[tuple[str, str]]:
    """Pages in all languages of a site, or in these alone: path and text of each."""
    for language in languages or site.languages:
        with using_language(language):
            positions = [(TRY_PAGE, try_title())] if site.pyodide else []
            result = [(page.path, document(page, site.languages, positions)) for page in make()]
        yield from ((f"{language}/{path}", text) for path, text in result)


def read_pages(site: Site, runs: Sequence[SiteRun], own: Sequence[Listed]) -> Iterator[SitePage]:
    """All but the runs and a teacher's lessons, in the language in use."""
    yield index_page(runs, own)
    yield glossary_page(runs)
    yield errata_page(runs)
    yield from plan_pages(runs, {**facts(), **path_facts()})
    for kind in EXERCISE_KINDS:
        yield from practice_pages(kind, site.exercises, site.keys)
