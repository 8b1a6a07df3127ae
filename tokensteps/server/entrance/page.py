"""The page that every address of the app begins with, and its style sheet.

Streamlit's own page asks for one script, which asks for others once the first message has come, and so on. Here it asks at once for
what its elements and its texts are going to need; and the app's styles come with it as one file, which a browser keeps,
not as part of every session.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from html import escape
from typing import Final

from tokensteps.assets import edited, read_asset
from tokensteps.language.i18n import LANGUAGES, current_language, language_tag, use_language
from tokensteps.language.messages import too_old
from tokensteps.language.pages import PAGES
from tokensteps.server.entrance.kept import CommonAnswer, Header, packed_answer
from tokensteps.streamlit_internals import first_page, scripts_for

SHEETS: Final = ("page/style.css", "page/page.css", "page/terms.css", "page/projector.css", "page/print.css")
"""The style sheets of every page, in their order."""
SHEET: Final = re.compile(r"/app/static/page\.([0-9a-f]{16})\.css$")
"""Where they are, as one; by its name a browser knows whether it has it."""
EVERYWHERE: Final = ("component", "html", "choices")
"""Elements of `streamlit_internals.DRAWS` that every page has."""
ELEMENTS: Final = {"learn": ("text",), "train": ("box", "text", "number"), "explore": ("box", "text")}
"""And those of nearly every page of a section."""
TEXT_FACE: Final = "app/static/fonts/inter-latin-wght.woff2"
"""The face of all texts."""
FACES: Final = {
    "SourceSansVF-Upright": TEXT_FACE,
    "MaterialSymbols-Rounded": "app/static/fonts/material-symbols.woff2",
}
"""Streamlit's faces → what comes in their place: for the moment before it knows the theme, the theme's face; and of its 4,300 icons
those that it uses, 13 KB instead of 375 KB."""
LASTING: Final = b"public, immutable, max-age=31536000"
"""Of a file whose name says what is in it."""


def page_for(path: str) -> CommonAnswer:
    """The page at a path, "" for the home page."""
    return _page(path, edited(SHEETS))


def own_faces(styles: bytes) -> bytes:
    """Streamlit's style sheet with other faces in it; nothing changes where it names none of these."""
    for face, ours in FACES.items():
        styles = re.sub(
            rb"url\(\.\./media/%s[^)]*\)" % face.encode(), b"url(../../%s)" % ours.encode(), styles
        )
    return styles


def sheet_at(path: str) -> CommonAnswer | None:
    """The style sheet, if that is what this address is of. An old name gets the new one, for the moment: of several servers that are
    restarted in turn, one may give the page and another its styles."""
    asked = SHEET.search(path)
    if asked is None:
        return None
    edits = edited(SHEETS)
    return _sheet(edits, asked[1] == _styles(edits)[0])


@lru_cache(maxsize=2)
def _styles(_edits: tuple[int, ...]) -> tuple[str, bytes]:
    """The digest that names the style sheet, and the sheet."""
    styles = "\n".join(map(read_asset, SHEETS)).encode("utf-8")
    return hashlib.sha256(styles).hexdigest()[:16], styles


@lru_cache(maxsize=4)
def _sheet(edits: tuple[int, ...], lasting: bool) -> CommonAnswer:
    caching = LASTING if lasting else b"no-cache"
    return _made_here(_styles(edits)[1], b"text/css; charset=utf-8", caching)


@lru_cache(maxsize=2 * len(PAGES))
def _page(path: str, edits: tuple[int, ...]) -> CommonAnswer:
    section = next(page.section for page in PAGES.values() if page.path == path)
    scripts = scripts_for((*EVERYWHERE, *ELEMENTS[section]))
    head = [f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in scripts]
    head += [f'<link rel="preload" crossorigin as="font" type="font/woff2" href="./{TEXT_FACE}">']
    digest, _all = _styles(edits)
    body = [f'<link rel="stylesheet" href="./app/static/page.{digest}.css">', old_html()]
    page = first_page("\n".join(head), "\n".join(body))
    return _made_here(page.encode("utf-8"), b"text/html; charset=utf-8", b"no-cache")


def old_html() -> str:
    """What the style sheet brings to light in a browser that is too old, in each language: nobody knows yet which is the visitor's."""
    before, told = current_language(), []
    for language in LANGUAGES:
        use_language(language)
        told.append(f'<p lang="{language_tag()}">{escape(too_old())}</p>')
    use_language(before)
    return f'<div class="too-old" hidden>{"".join(told)}</div>'


def _made_here(text: bytes, kind: bytes, caching: bytes) -> CommonAnswer:
    tag = b'"%s"' % hashlib.sha256(text).hexdigest()[:32].encode("ascii")
    said: list[Header] = [(b"content-type", kind), (b"cache-control", caching), (b"etag", tag)]
    return packed_answer(said, text)
