"""Marks on the glossary's terms in sentences, for looking a term up in place.

A mark is `<span class="term" data-term="tie">tied</span>`: only the term's name travels with the page's text,
and `assets/components/terms.js` shows the definition. Each language has its own words for a term, so its
forms are translated.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Final

from tokenizers_core.text.patterns import regex
from tokensteps.language.glossary import english, forms_of, forms_with_english
from tokensteps.language.i18n import current_language
from tokensteps.language.terms import TERMS, Term

MARKS_IN_FRAME: Final = 6
"""Each mark is a stop for the Tab key: it should take only a few presses to leave a frame."""
PLACEHOLDER: Final = regex.compile(r"(\{[^{}]*\})")
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts without spaces between words, or without one between a word and its particles."""
TOKEN_SIGNS: Final = {
    "space_markers": regex.compile(r'<button.*?</button>|<bdi class="t [^>]*>([Ġ▁␣])', regex.DOTALL),
    "continuation": regex.compile(r'<button.*?</button>|<bdi class="t [^>]*>(##)', regex.DOTALL),
    "end_of_word": regex.compile(r"<button.*?</button>|(&lt;/w&gt;)(?=</bdi>)", regex.DOTALL),
}
"""Term → a pattern for its sign in a chip, as the group; not in a button, which can't contain another one."""
MARK: Final = regex.compile(r'<span class="term" role="button" tabindex="0" data-term="(\w+)">([^<]*)</span>')


def marked(message: str, seen: set[str] | None = None) -> str:
    """A message as markup, each term marked where it first occurs, unless it was `seen` before; the message's
    fields stay.

    >>> marked("Tied & {pairs}")
    '<span class="term" role="button" tabindex="0" data-term="tie">Tied</span> &amp; {pairs}'
    """
    if seen is not None:
        return _marked(message, seen)
    return _marked_afresh(message, current_language())


@lru_cache(maxsize=4096)
def _marked_afresh(message: str, _language: str) -> str:
    return _marked(message, set())


def _marked(message: str, seen: set[str]) -> str:
    pattern, ids = terms_pattern(current_language())
    shown = []
    for index, part in enumerate(PLACEHOLDER.split(message)):
        at = 0
        for match in pattern.finditer(part) if index % 2 == 0 else ():
            name = ids.get(match[0]) or ids[match[0].casefold()]
            if name in seen:
                continue
            seen.add(name)
            shown.append(escape(part[at : match.start()], quote=False) + _mark(name, match[0]))
            at = match.end()
        shown.append(escape(part[at:], quote=False))
    return "".join(shown)


def _mark(name: str, text: str) -> str:
    return _mark_html(name, escape(text, quote=False))


def _mark_html(name: str, html: str) -> str:
    return f'<span class="term" role="button" tabindex="0" data-term="{name}">{html}</span>'


@lru_cache(maxsize=8)
def terms_pattern(_language: str) -> tuple[regex.Pattern[str], dict[str, str]]:
    """A pattern for the terms of the language in use, longest first; and form → term, also by the form in
    lower case."""
    results = {form: term.id for term in TERMS.values() for form in forms_of(term)}
    ids = results | {form.casefold(): name for form, name in results.items() if form == form.lower()}
    wanted = "|".join(map(_form_pattern, sorted(results, key=len, reverse=True)))
    return regex.compile(wanted or r"(?!)"), ids


def _form_pattern(form: str) -> str:
    """A pattern for one form as a whole word, in scripts with spaces; a form in lower case matches any
    case."""
    letter = rf"[[\w]--[{_UNSPACED}]]"
    before = rf"(?<!{letter}|\w-)" if regex.match(rf"(?V1){letter}", form) else ""
    after = rf"(?!{letter}|-\w)" if regex.match(rf"(?V1){letter}", form[-1]) else ""
    body = regex.escape(form, literal_spaces=True)
    return rf"(?V1:{before}{f'(?i:{body})' if form == form.lower() else body}{after})"


def fill_marked(message: str, **markup: str) -> str:
    """Like `fill` of tokensteps/drawing/tokens.py, with terms marked: the message is escaped, its fields are
    markup already."""
    return marked(message).format(**markup)


def first_marks(html: str, limit: int = MARKS_IN_FRAME) -> str:
    """A frame's markup with only the first mark of each term, and at most `limit` marks; tokens' signs, such
    as Ġ, are marked too."""
    seen: set[str] = set()
    for name, sign in TOKEN_SIGNS.items() if limit else ():
        result = next((match for match in sign.finditer(html) if match[1]), None)
        if result:
            html = html[: result.start(1)] + _mark_html(name, result[1]) + html[result.end(1) :]

    def keep(match: regex.Match[str]) -> str:
        if match[1] in seen or len(seen) == limit:
            return str(match[2])
        seen.add(match[1])
        return str(match[0])

    return str(MARK.sub(keep, html))


def unmarked(html: str) -> str:
    """Markup without marks."""
    return first_marks(html, 0)


def marks_in(html: str) -> list[str]:
    """The marked terms, in order."""
    return [str(match[1]) for match in MARK.finditer(html)]


def lead_html(message: str) -> str:
    """A page's introduction with its terms marked; in other languages, the English terms follow in
    brackets."""
    text = MARK.sub(lambda mark: mark[0] + _english_html(TERMS[mark[1]], mark[2]), marked(message))
    return f'<div class="ts"><p class="lead under-title">{text}</p></div>'


def _english_html(term: Term, said: str) -> str:
    """The English word in brackets after a term: the form's own; for the first form, the term's."""
    forms = forms_with_english(term)
    other = dict(forms).get(said) or (english(term) if said == forms[0][0] else "")
    return f'（<span lang="en">{escape(other, quote=False)}</span>）' if other else ""
