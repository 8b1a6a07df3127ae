"""The part of a style sheet in use by a page's markup: a page of one step needs a quarter of the app's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

CSS_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
SELECTOR_LISTS: Final = re.compile(r":(?:is|where|not|has)\((?:[^()]|\([^()]*\))*\)")
"""Parts of a selector with several possible matches: these count as used."""
SELECTOR_NAME: Final = re.compile(r"[.\[#]([a-zA-Z][\w-]*)")
"""A class, an attribute or an id in a selector."""
SPARE_SIGNS: Final = re.compile(r"(?<=[{};]) | (?=[{}])|;(?= ?})")
"""Signs a browser doesn't need."""
MARKUP_NAME: Final = re.compile(r"[\w-]+")
GROUP_RULES: Final = ("@media", "@supports", "@container")
"""Rules with other rules inside."""


def used_styles(css: str, markup: str) -> str:
    """The rules with only names from the markup in their selectors, without comments and spare spaces.

    >>> used_styles(
    ...     ".w, .id { x: y }  .c .w { x: y } @media print { .id { x: y } i { x: y } }", '<i class="w">'
    ... )
    '.w{x: y}@media print{i{x: y}}'
    """
    css = SPARE_SIGNS.sub("", " ".join(CSS_COMMENT.sub("", css).split()))
    return "".join(_used_rules(css, {*MARKUP_NAME.findall(markup)}))


def _used_rules(css: str, words: set[str]) -> Iterator[str]:
    for head, body in _css_rules(css):
        if head.startswith(GROUP_RULES):
            inner = "".join(_used_rules(body, words))
            if inner:
                yield f"{head}{{{inner}}}"
        elif head.startswith("@"):
            yield f"{head}{{{body}}}"
        else:
            used = [
                one
                for one in _selectors(head)
                if {*SELECTOR_NAME.findall(SELECTOR_LISTS.sub("", one))} <= words
            ]
            if used:
                yield f"{','.join(used)}{{{body}}}"


def _css_rules(css: str) -> Iterator[tuple[str, str]]:
    """Each rule's selector, or other text before its braces, and the contents of the braces."""
    depth = start = opened = 0
    for brace in re.finditer(r"[{}]", css):
        if brace[0] == "{":
            if not depth:
                opened = brace.start()
            depth += 1
            continue
        depth -= 1
        if not depth:
            yield css[start:opened].strip(), css[opened + 1 : brace.start()]
            start = brace.end()


def _selectors(head: str) -> Iterator[str]:
    """The selectors of a list: commas within parentheses don't part them."""
    yield from (one.strip() for one in re.split(r",(?![^()]*\))", head))
