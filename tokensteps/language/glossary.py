"""The glossary in the language in use: a term's names, forms, synonyms and definition, and its entry on the
page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from tokensteps.language.i18n import _, listed
from tokensteps.language.terms import TERMS, Term


def forms_of(term: Term) -> list[str]:
    """A term's forms in sentences of the language in use."""
    return [form for form, _english in forms_with_english(term)]


def forms_with_english(term: Term) -> list[tuple[str, str]]:
    """The same, each with the English word in its translation, or "": `规范化器|规范化=normalization`."""
    if not term.forms:
        return []
    pairs = [form.partition("=") for form in _(term.forms).split("|") if form]
    return [(own, other) for own, _equals, other in pairs]


def english(term: Term) -> str:
    """The usual English name of a term in the literature, for a reader of another language; "" if the term is
    shown like that already.

    >>> from tokensteps.language.i18n import use_language
    >>> language = use_language("ja")
    >>> english(TERMS["merge"]), english(TERMS["space_markers"])
    ('merge', '')
    >>> language = use_language("en")
    >>> english(TERMS["merge"])
    ''
    """
    first = term.forms.split("|")[0]
    named = _(term.name)
    return "" if named == term.name or not first.isascii() or first.casefold() in named.casefold() else first


def synonyms(term: Term) -> list[str]:
    """A term's other names in the language in use."""
    return _(term.synonyms).split("|")


def definitions(ids: Iterable[str] = TERMS) -> dict[str, tuple[str, str]]:
    """Term → its name (with the English one added in other languages) and its definition."""
    named = {name: (_(TERMS[name].name), english(TERMS[name])) for name in ids}
    return {
        name: (f"{own} · {other}" if other else own, _(TERMS[name].definition))
        for name, (own, other) in named.items()
    }


def matches(term: Term, text: str) -> bool:
    """Whether a text occurs in an entry's name, forms, synonyms or definition.

    >>> matches(TERMS["pair"], "Bigram"), matches(TERMS["tie"], "bigram")
    (True, False)
    """
    wanted = text.casefold().strip()
    parts = [_(part) for part in (term.name, term.forms, term.definition) if part]
    return any(wanted in part.casefold() for part in (*parts, *synonyms(term), english(term)))


def entry_html(term: Term, wanted: bool = False) -> str:
    """A glossary entry; the `wanted` one is highlighted."""
    other = english(term)
    name = escape(_(term.name), quote=False) + (
        f' <span lang="en">{escape(other, quote=False)}</span>' if other else ""
    )
    also = _("Also: {names}").format(names=listed(synonyms(term)))
    return (
        f'<dl class="ts entry{" wanted" if wanted else ""}"><dt id="term-{term.id}">{name}</dt>'
        f"<dd>{escape(_(term.definition), quote=False)}</dd>"
        f'<dd class="also">{escape(also, quote=False)}</dd></dl>'
    )
