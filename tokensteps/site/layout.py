"""The frame of each page of a site: the document, the links to the other pages, the same page in other
languages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final, NamedTuple

from tokensteps.drawing.handout import filled
from tokensteps.drawing.mark import mark
from tokensteps.language.i18n import LANGUAGES, TAGS, _, current_language, language_tag

SITE_POLICY: Final = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; font-src 'self' file:; "
    "img-src 'self' file:; base-uri 'none'; form-action 'none'"
)
"""Nothing from another host; `file:` for a folder opened without a server: some browsers don't count it as
`'self'`."""
INDEX_PAGE: Final = "index.html"


class SitePage(NamedTuple):
    """One page. `path` counts from the folder of its language; `title` is plain text, `body` markup."""

    path: str
    title: str
    body: str
    scripts: Sequence[str] = ()
    """Of the files in `assets/`."""
    everywhere: bool = True
    """Whether the site has it in all its languages."""
    policy: str = SITE_POLICY
    """Its Content-Security-Policy."""


def relative(start: str, target: str) -> str:
    """The link from one page of a folder to another.

    >>> relative("en/runs/bpe-hug.html", "ja/index.html"), relative("glossary.html", "runs/bpe-hug.html#3")
    ('../../ja/index.html', 'runs/bpe-hug.html#3')
    """
    path, hash_sign, position = target.partition("#")
    return posixpath.relpath(path, posixpath.dirname(start) or ".") + hash_sign + position


def link_html(start: str, target: str, label: str, attributes: str = "") -> str:
    """A link from the page `start` to `target`; `label` is plain text, `attributes` markup."""
    return f'<a href="{escape(relative(start, target))}"{attributes}>{escape(label)}</a>'


def document(page: SitePage, languages: Iterable[str], extra: Iterable[tuple[str, str]] = ()) -> str:
    """The whole page in the language in use; `languages` are the site's, `extra` more of its pages, with
    their titles."""
    here = current_language()
    path = f"{here}/{page.path}"
    linked_pages = [
        *extra,
        (f"{INDEX_PAGE}#runs", _("Runs")),
        (f"{INDEX_PAGE}#lessons", _("Lessons")),
        (f"{INDEX_PAGE}#exercises", _("Exercises")),
        ("glossary.html", _("Glossary")),
        ("errata.html", _("Errata")),
    ]
    head = filled(
        "site/top",
        home=relative(path, f"{here}/{INDEX_PAGE}"),
        mark=mark(),
        pages=escape(_("Pages of this site")),
        places="".join(_nav_link(path, f"{here}/{target}", label) for target, label in linked_pages),
        language=escape(_("Language")),
        languages="".join(
            link_html(
                path,
                f"{other}/{page.path if page.everywhere else INDEX_PAGE}",
                LANGUAGES[other],
                in_language(other),
            )
            for other in languages
            if other != here
        ),
    )
    return whole_page(path, page.title, head, page.body, page.scripts, page.policy)


def in_language(code: str) -> str:
    """The attributes of a link to a page in another language."""
    tag = TAGS.get(code, code)
    return f' lang="{tag}" hreflang="{tag}"'


def _nav_link(start: str, target: str, label: str) -> str:
    here = ' aria-current="page"' if target == start else ""
    return link_html(start, target, label, here)


def whole_page(
    path: str, title: str, head: str, body: str, scripts: Sequence[str] = (), policy: str = SITE_POLICY
) -> str:
    """The document at `path`, relative to the site's folder; `title` is plain text, `head` and `body` are
    markup."""
    assets = relative(path, "assets")
    needs = _("This page needs JavaScript. Allow it in the browser's settings, then reload the page.")
    return filled(
        "site/page",
        language=language_tag(),
        policy=policy,
        title=escape(title if title == "TokenSteps" else f"{title} · TokenSteps"),
        assets=assets,
        head=head,
        needs=filled("site/needs", message=escape(needs)) if scripts else "",
        body=body,
        scripts="\n".join(f'<script src="{assets}/{name}"></script>' for name in scripts),
    )
