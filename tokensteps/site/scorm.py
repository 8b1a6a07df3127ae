"""A page of a site as a package for a learning platform, in SCORM 1.2 or 2004: its answers count there, and
it goes on where it was left.

The page checks the answers by itself, against salted hashes, as everywhere on a site. Source: the standard's
run-time environment and content packaging (ADL, SCORM 1.2 and 2004 4th edition).
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from html import escape
from string import Template
from typing import Final
from xml.sax.saxutils import escape as xml_text

from tokensteps.assets import read_asset
from tokensteps.drawing.handout import filled
from tokensteps.drawing.mark import mark
from tokensteps.language.i18n import _, count, current_language
from tokensteps.site.layout import SitePage, whole_page
from tokensteps.site.locks import locks_of
from tokensteps.site.practice import ANSWERS, SiteTask, answer_words, tally_line, task_html
from tokensteps.site.shared import IN_PLATFORM, classic, in_bytes, shared_files
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS, Exercise

SCORM_VERSIONS: Final = ("1.2", "2004")
MANIFEST: Final = "imsmanifest.xml"
NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters not allowed in XML, even when escaped."""
FILE_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The date of each file, so that the same lesson gives the same bytes."""


def exercises_page(exercises: Sequence[Exercise], title: str) -> SitePage:
    """A list of exercises as one page, in the language in use, without exercises that a page can't check."""
    checked = [(one, locks) for one, locks in zip(exercises, map(locks_of, exercises), strict=True) if locks]
    tasks = [
        SiteTask(
            f"exercise-{number}",
            f"{count(number)} · {_(EXERCISE_KINDS[one.kind].title)}",
            one.question.prompt,
            one.question.form,
            locks,
            one.question.worked,
        )
        for number, (one, locks) in enumerate(checked, start=1)
    ]
    body = "\n".join([f"<h1>{escape(title)}</h1>", tally_line(), *map(task_html, tasks), answer_words()])
    return SitePage("exercises.html", title, body, (ANSWERS,))


def scorm_package(page: SitePage, version: str) -> bytes:
    """The package of a page in the language in use: a ZIP file with the manifest and all of the page's
    files."""
    files = {name: in_bytes(content) for name, content in _package_files(page)}
    start = f"{current_language()}/{page.path}"
    digest = blake2b(b"".join(files.values()), digest_size=8).hexdigest()
    manifest = Template(read_asset(f"site/manifest-{version}.xml")).substitute(
        identifier=f"tokensteps-{digest}",
        title=xml_text(NOT_XML.sub("\ufffd", page.title)),
        start=start,
        files="\n".join(f'      <file href="{name}"/>' for name in sorted(files)),
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {MANIFEST: in_bytes(manifest), **files}.items():
            archive.writestr(zipfile.ZipInfo(name, FILE_DATE), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _package_files(page: SitePage) -> Iterator[tuple[str, str | bytes]]:
    """The page, and the shared files."""
    path = f"{current_language()}/{page.path}"
    message = _("No learning platform has opened this page: nothing is recorded.")
    body = filled("site/no-lms", message=escape(message)) + page.body
    head = filled("site/alone", mark=mark())
    yield path, whole_page(path, page.title, head, body, (*page.scripts, IN_PLATFORM), page.policy)
    yield from ((f"assets/{name}", content) for name, content in shared_files())
    yield f"assets/{IN_PLATFORM}", classic("", "site/scorm.js")
