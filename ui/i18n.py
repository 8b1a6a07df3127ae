"""Languages: gettext catalogues under ``assets/locale``, chosen per browser session.

Every text that a person reads goes through `_` or `ngettext`. English is the language of the source, so it needs no
catalogue.
"""

from __future__ import annotations

import gettext as gettext_module
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LOCALE_FOLDER = Path(__file__).parent.parent / "assets" / "locale"
LANGUAGES = {"en": "English"}
"""Language code → its name in itself."""

_language: ContextVar[str] = ContextVar("language", default="en")


@cache
def _catalogue(language: str) -> gettext_module.NullTranslations:
    return gettext_module.translation("tokensteps", LOCALE_FOLDER, [language], fallback=True)


def use_language(language: str) -> str:
    """Speak `language` from here on in this thread, or English if it is unknown; returns the code."""
    _language.set(language if language in LANGUAGES else "en")
    return _language.get()


def current_language() -> str:
    """The code of the language in use."""
    return _language.get()


def _(message: str) -> str:
    """`message` in the language in use."""
    return _catalogue(_language.get()).gettext(message)


def ngettext(one: str, many: str, number: int) -> str:
    """The form of a message that fits `number`, in the language in use."""
    return _catalogue(_language.get()).ngettext(one, many, number)


def N_(message: str) -> str:
    """Mark a message for translation where it is defined; `_` translates it where it is shown."""
    return message


def count(number: int) -> str:
    """A whole number with its thousands set apart.

    >>> count(12345)
    '12,345'
    """
    return f"{number:,}"
