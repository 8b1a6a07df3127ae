"""A frame in a page of another site without permission to show the app: its reader gets a sentence about it,
and a link to a tab of its own.

The browser refuses such a frame by itself (`frame-ancestors`), in words that sound as if the server were
down. The page sent instead is no part of the app: sentences and a link, without a script, so everybody may
show it. An unrecognized site meets the policy all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextvars import copy_context
from html import escape
from typing import Final
from urllib.parse import parse_qsl, urlencode

from tokensteps.drawing.handout import standalone_page
from tokensteps.drawing.mark import mark
from tokensteps.language.i18n import _, language_tag, use_language, visitors_language
from tokensteps.server.entrance.shared_response import Header, header_of

SHOWN_WITHIN: Final = frozenset({b"iframe", b"frame", b"object", b"embed"})
"""The destinations in browsers' requests for a page inside another one (Fetch Metadata, `Sec-Fetch-Dest`)."""
EMBEDDING: Final = ("embed", "embed_options")
"""Parameters of a page in a frame."""


def may_show(origin: str, source: str) -> bool:
    """Whether a source of `frame-ancestors` matches the pages of `origin`; the browser itself checks the
    scheme.

    >>> (
    ...     may_show("https://a.example.edu/course", "*.example.edu"),
    ...     may_show("https://example.edu", "*.example.edu"),
    ... )
    (True, False)
    >>> (
    ...     may_show("http://a.example:8080", "http://a.example:8080"),
    ...     may_show("http://a.example:8080", "a.example"),
    ... )
    (True, False)
    >>> may_show("https://a.example:443", "a.example"), may_show("https://a.example", "a.example:443")
    (True, True)
    """
    (host, port), (named, at) = (
        address.lower().rpartition("://")[2].partition("/")[0].partition(":")[::2]
        for address in (origin, source)
    )
    usual = {"80", "443", ""}
    same_host = host.endswith(named[1:]) if named.startswith("*.") else host == named
    return same_host and (port == at or {port, at} <= usual)


def is_refused(headers: Iterable[Header], ancestors: Sequence[str]) -> bool:
    """Whether the request for a page comes from a frame without permission, as far as the browser says."""
    headers = [*headers]
    if header_of(headers, b"sec-fetch-dest") not in SHOWN_WITHIN:
        return False
    if header_of(headers, b"sec-fetch-site") == b"same-origin":
        return "'self'" not in ancestors
    origin = header_of(headers, b"referer").decode("latin-1")
    others = [source for source in ancestors if not source.startswith("'")]
    return not others if not origin else not any(may_show(origin, source) for source in others)


def refusal(query: str, accepted: str) -> bytes:
    """The page about the refusal, for an address with this query, in its language or else the first of
    `Accept-Language`."""
    parameters = parse_qsl(query, keep_blank_values=True)
    requested = dict(parameters).get("lang", "")
    language = visitors_language(requested, accepted)
    alone = "?" + urlencode([(name, text) for name, text in parameters if name not in EMBEDDING])
    return copy_context().run(_page_in, language, alone).encode("utf-8")


def _page_in(language: str, href: str) -> str:
    use_language(language)
    return standalone_page(
        "framed",
        _("TokenSteps isn't shown here"),
        language=language_tag(),
        styles=("handout/run.css", "handout/mark.css"),
        mark=mark(),
        told=escape(_("The server that it runs on doesn't let this site show it within its pages.")),
        href=escape(href),
        link=escape(_("Open the page in a tab of its own")),
        footer=escape(_("Do you run that server? Name this site in TOKENSTEPS_FRAME_ANCESTORS.")),
    )
