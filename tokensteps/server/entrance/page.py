"""The start page of every address of the app, its style sheet, and the script of its components.

Streamlit's own page asks for one script, this script for others after the first message, and so on. Here the
page asks at once for everything that its elements and texts need; and the app's styles and components come
with it as one cacheable file each, not as part of every session.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from contextvars import copy_context
from functools import cache, lru_cache
from html import escape
from typing import Final, NamedTuple

from tokensteps.assets import edited, read_asset
from tokensteps.bounded import Memo
from tokensteps.components.bundle import bundle
from tokensteps.components.flipbook import FLIPBOOK_STYLES
from tokensteps.language.i18n import LANGUAGES, language_tag, use_language, using_language
from tokensteps.language.messages import page_refused, too_old
from tokensteps.language.pages import PAGES
from tokensteps.limits import EARLY_ROOM
from tokensteps.server.entrance.prerendered_stage import PrerenderedStage
from tokensteps.server.entrance.shared_response import LASTING, SharedResponse, own_response
from tokensteps.streamlit_internals import first_page, scripts_for

SHEETS: Final = tuple(
    f"page/{name}.css" for name in ("style", "page", "prerendered", "tabs", "terms", "projector", "print")
)
"""The style sheets of every page, in their order."""
BUNDLE_ADDRESS: Final = re.compile(r"/app/static/(page|components)\.([0-9a-f]{16})\.(?:css|js)$")
"""The addresses of the joined style sheets and of the components; a browser recognizes a cached one by its
name."""
BUNDLE_TYPES: Final = {
    "page": b"text/css; charset=utf-8",
    "components": b"application/javascript; charset=utf-8",
}
EVERYWHERE: Final = ("component", "html", "choices", "link")
"""Elements of `streamlit_internals.DRAWS` on every page."""
ELEMENTS: Final = {"learn": ("text",), "train": ("box", "text", "number"), "explore": ("box", "text")}
"""Further elements of nearly every page of a section."""
TEXT_FACE: Final = "app/static/fonts/inter-latin-wght.woff2"
"""The face of all texts."""
TOKEN_FACE: Final = "app/static/fonts/fira-code-wght.woff2"
"""The face of all tokens: a page with a stage needs it at once, others ask for it with their first token."""
FACES: Final = {
    "SourceSansVF-Upright": TEXT_FACE,
    "MaterialSymbols-Rounded": "app/static/fonts/material-symbols.woff2",
}
"""Streamlit's faces → their replacements: the theme's face, for the moment before the theme is known; and
instead of all 4,300 icons only the used ones, 13 KB instead of 375 KB."""


class FirstFiles(NamedTuple):
    """The first files of a page, by names that change with the content."""

    styles: str
    """The digest of the style sheet."""
    components: str
    """The address of the components' script."""


_early_pages: Final = Memo(EARLY_ROOM)


def page_for(path: str, packed: bool = True) -> SharedResponse:
    """The page at a path, "" for the home page; compressed unless the client can't take that."""
    return _page(path, _first_files(), packed)


def early_page(path: str, early: PrerenderedStage, language: str, packed: bool = True) -> SharedResponse:
    """The page at a path with a stage on it, visible before Streamlit has started."""
    value = (path, _first_files(), packed)
    key = (*value, language, early.description, early.shown)
    return _early_pages.get(
        key, lambda: copy_context().run(_early, *value, language, early), lambda response: len(response.body)
    )


def own_faces(styles: bytes) -> bytes:
    """Streamlit's style sheet with our faces in place of its own, if it names any."""
    for face, ours in FACES.items():
        styles = re.sub(
            rb"url\(\.\./media/%s[^)]*\)" % face.encode(), b"url(../../%s)" % ours.encode(), styles
        )
    return styles


def bundle_at(path: str, packed: bool = True) -> SharedResponse | None:
    """The style sheet or the components' script, if this is the address of one. An old name gets the new one,
    for the moment: during a rolling restart, one server may give the page and another the rest."""
    requested = BUNDLE_ADDRESS.search(path)
    if requested is None:
        return None
    digest = _styles(edited(SHEETS))[0] if requested[1] == "page" else bundle().digest
    return _packed(requested[1], digest, requested[2] == digest, packed)


def _first_files() -> FirstFiles:
    return FirstFiles(_styles(edited(SHEETS))[0], bundle().address)


@lru_cache(maxsize=2)
def _styles(_edits: tuple[int, ...]) -> tuple[str, bytes]:
    """The digest in the style sheet's name, and the sheet."""
    styles = "\n".join(map(read_asset, SHEETS)).encode("utf-8")
    return hashlib.sha256(styles).hexdigest()[:16], styles


@lru_cache(maxsize=8)
def _packed(name: str, _digest: str, lasting: bool, packed: bool) -> SharedResponse:
    text = _styles(edited(SHEETS))[1] if name == "page" else bundle().text.encode("utf-8")
    return own_response(text, BUNDLE_TYPES[name], LASTING if lasting else b"no-cache", packed)


@lru_cache(maxsize=4 * len(PAGES))
def _page(path: str, files: FirstFiles, packed: bool) -> SharedResponse:
    return _composed_page(path, files, packed)


def _early(
    path: str, files: FirstFiles, packed: bool, language: str, early: PrerenderedStage
) -> SharedResponse:
    use_language(language)
    description, styles_of_book = early.description, escape(json.dumps(FLIPBOOK_STYLES))
    watch, predict, own, tour = map(escape, description.beside)
    modes = f"<span><i>{watch}</i><i>{predict}</i></span>"
    head = f"<b>{escape(description.title)}</b>{modes}<i>{own}</i><i><s>{tour}</s></i>"
    frames = base64.b64encode(early.frames).decode("ascii")
    stage = (
        f'<div class="ts-early" lang="{language_tag()}" hidden><div class="head">{head}</div>{description.lead}'
        f'<div class="book" data-styles="{styles_of_book}"></div><template>{frames}</template></div>'
        f'<script type="module" async crossorigin src="./{files.components}"></script>'
    )
    return _composed_page(path, files, packed, stage)


@cache
def _scripts(section: str) -> tuple[str, ...]:
    """Streamlit's scripts for the pages of a section; the search reads a hundred files."""
    return tuple(f"static/js/{name}" for name in scripts_for((*EVERYWHERE, *ELEMENTS[section])))


def _composed_page(path: str, files: FirstFiles, packed: bool, stage: str = "") -> SharedResponse:
    """A page with a `stage` before Streamlit has started: the stage's script and faces come before all
    others."""
    section = next(page.section for page in PAGES.values() if page.path == path)
    names = (*_scripts(section), files.components)
    scripts = [f'<link rel="modulepreload" crossorigin href="./{name}">' for name in names]
    faces = [
        f'<link rel="preload" crossorigin as="font" type="font/woff2" href="./{face}">'
        for face in ((TEXT_FACE, TOKEN_FACE) if stage else (TEXT_FACE,))
    ]
    sheet = f"./app/static/page.{files.styles}.css"
    body = f'<link rel="stylesheet" href="{sheet}">{stage}{refused_html()}{old_html()}'  # here it comes after Streamlit's own styles
    if stage:
        first = [*faces, scripts.pop(), f'<link rel="preload" as="style" href="{sheet}">']
        page = first_page("\n".join(scripts), body, "\n".join(first))
    else:
        page = first_page("\n".join((*scripts, *faces)), body)
    return own_response(page.encode("utf-8"), b"text/html; charset=utf-8", b"no-cache", packed)


def refused_html() -> str:
    """The message for a page refused by the server as another site's, hidden until the page's own script
    shows it; in each language, as below."""
    positions = {name: f'<code data-told="{name}"></code>' for name in ("origin", "host")}
    return f'<div class="refused" role="alert" hidden>{_in_each_language(lambda: escape(page_refused()).format(**positions))}</div>'


def old_html() -> str:
    """The message for a browser that is too old, hidden until the style sheet shows it; in each language,
    since the visitor's is unknown so far."""
    return f'<div class="too-old" hidden>{_in_each_language(lambda: escape(too_old()))}</div>'


def _in_each_language(tell: Callable[[], str]) -> str:
    text = []
    for language in LANGUAGES:
        with using_language(language):
            text.append(f'<p lang="{language_tag()}">{tell()}</p>')
    return "".join(text)
