"""Languages: gettext catalogues under ``assets/locale``, chosen per browser session.

Every text for a person goes through `_` or `ngettext`. English is the language of the source, so it needs no
catalogue.
"""

from __future__ import annotations

import ast
import gettext as gettext_module
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import IO

from tokensteps.assets import ASSETS

LOCALE_FOLDER = ASSETS / "locale"
LANGUAGES = {"en": "English", "zh": "简体中文", "ja": "日本語"}
"""Language code → its name in itself."""
TAGS = {"zh": "zh-Hans"}
"""Languages with a tag in documents more precise than their code."""
UNSPACED = ("zh", "ja")
"""Languages without spaces between sentences, and with their own comma in lists."""

_language: ContextVar[str] = ContextVar("language", default="en")


@cache
def catalogue(language: str) -> gettext_module.NullTranslations:
    return gettext_module.translation("tokensteps", LOCALE_FOLDER, [language], fallback=True)


def use_language(language: str) -> str:
    """Use `language` from here on in this thread, or English if it is unknown; returns the code."""
    _language.set(language if language in LANGUAGES else "en")
    return _language.get()


@contextmanager
def using_language(language: str) -> Iterator[None]:
    """Use `language` within this block alone."""
    before = current_language()
    use_language(language)
    try:
        yield
    finally:
        use_language(before)


def language_of(tag: str) -> str:
    """The language for a reader of `tag` (BCP 47).

    >>> [language_of(tag) for tag in ("zh-CN", "ja", "JA-jp", "de-AT", "")]
    ['zh', 'ja', 'ja', 'en', 'en']
    """
    code = tag.replace("_", "-").split("-")[0].lower()
    return code if code in LANGUAGES else "en"


def visitors_language(requested: str, accepted: str) -> str:
    """The language of a visitor, asked for in the address, or else accepted in these tags, in the form of the
    header Accept-Language.

    >>> visitors_language("zh", "ja"), visitors_language("", "ja-JP,en;q=0.9"), visitors_language("tlh", "")
    ('zh', 'ja', 'en')
    """
    return requested if requested in LANGUAGES else language_of(accepted.partition(",")[0])


def current_language() -> str:
    """The code of the language in use."""
    return _language.get()


def language_tag() -> str:
    """The tag of the language in use, for documents (BCP 47)."""
    return TAGS.get(_language.get(), _language.get())


def _(message: str) -> str:
    """`message` in the language in use."""
    return catalogue(_language.get()).gettext(message)


def ngettext(one: str, many: str, number: int) -> str:
    """The form of a message for `number`, in the language in use."""
    return catalogue(_language.get()).ngettext(one, many, number)


def pgettext(context: str, message: str) -> str:
    """`message` in the language in use, where other languages have another word for it in another context."""
    return catalogue(_language.get()).pgettext(context, message)


def N_(message: str) -> str:
    """Mark a message for translation where it is defined; `_` translates it where it is used."""
    return message


def sentences(*parts: str) -> str:
    """Sentences one after the other, separated as the language in use does it; empty ones are left out.

    >>> sentences("One.", "", "Two.")
    'One. Two.'
    """
    return ("" if _language.get() in UNSPACED else " ").join(filter(None, parts))


def ended(markup: str) -> str:
    """HTML before another sentence: with a full stop, if it ends with a formula.

    >>> ended("3 + 4 = <b>7</b>"), ended("It occurs 7 times.")
    ('3 + 4 = <b>7</b>.', 'It occurs 7 times.')
    """
    stop = "。" if _language.get() in UNSPACED else "."
    return markup + stop if re.search(r"\w(?:<[^>]*>)*$", markup) else markup


def listed(parts: Iterable[str]) -> str:
    """The parts of a list in one line.

    >>> listed(["hug", "pug"])
    'hug, pug'
    """
    return ("、" if _language.get() in UNSPACED else ", ").join(parts)


def together(parts: Iterable[str]) -> str:
    """The parts of a list as a sentence has them.

    >>> together(["m"]), together(["m", "t"]), together(["m", "t", "x"])
    ('m', 'm and t', 'm, t and x')
    """
    *before, last = parts
    return _("{first} and {second}").format(first=listed(before), second=last) if before else last


def engine_messages(
    fileobj: IO[bytes], *_arguments: object, **_options: object
) -> Iterator[tuple[int, str, str, list[str]]]:
    """The engine's error messages, extracted for Babel: the engine itself knows nothing about translation.

    That is each error's `template` and `templates`, and the words that fill them in: a `Phrase`, what a file
    was expected (`wrong`) to hold, and plain text given as a reason; of a `Numbered`, both forms.
    """
    tree = ast.parse(fileobj.read())
    results: list[ast.AST] = []
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(bases=[ast.Name(id="TokenizersCoreError"), *_others]):
                for line in node.body:
                    match line:
                        case ast.Assign(targets=[ast.Name(id="template")], value=ast.Constant() as text):
                            results.append(text)
                        case ast.AnnAssign(target=ast.Name(id="templates"), value=ast.Dict(values=texts)):
                            results.extend(texts)
            case ast.Call(func=ast.Name(id="Phrase"), args=[text, *_more]):
                results.append(text)
            case ast.Call(func=ast.Name(id="Numbered"), args=[one, other]):
                results += [one, other]
            case ast.Call(func=ast.Name(id="wrong"), args=[_part, _value, text]):
                results.append(text)
            case ast.keyword(arg="reason" | "what" | "message", value=text):
                results += [text.body, text.orelse] if isinstance(text, ast.IfExp) else [text]
    for node in results:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, "_", node.value, []


def count(number: int) -> str:
    """A whole number with its thousands separated.

    >>> count(12345)
    '12,345'
    """
    return f"{number:,}"
