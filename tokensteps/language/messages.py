"""Errors in the language in use."""

from __future__ import annotations

from typing import Final

from tokenizers_core.errors import Phrase, SettingError, TokenizersCoreError
from tokensteps.language.i18n import _

_WORDS: Final = ("reason", "what", "expected", "message", "description", "wanted", "size", "problem")
"""Words among the evidence of errors: they are translated, unlike somebody's text: see `engine_messages` in
`i18n.py`."""

_ENGLISH: Final = {
    "vocab_size={vocab_size} is": "Vocabulary size: {vocab_size} is",
    "vocab_size={vocab_size} can't": "A vocabulary of {vocab_size} can't",
    "seed_size": "seed vocabulary",
}
"""Words for the engine's parameters, which nobody sees on the pages. The translations have them anyway."""


def explained(error: TokenizersCoreError) -> str:
    """An error of the engine or the app as a sentence: the value, the reason, the remedy. Plain text."""
    template = _(error.template)
    evidence = {
        name: _translated(value) if name in _WORDS else value for name, value in error.evidence.items()
    }
    if isinstance(error, SettingError) and error.name == "seed_size":
        evidence["name"], template = _("Seed vocabulary"), template.replace("{name}=", "{name}: ")
    for parameter, words in _ENGLISH.items():
        template = template.replace(parameter, words)
    return template.format(**evidence)


def too_old() -> str:
    """The message of a browser without the features for drawing our pages."""
    return _("This browser is too old for this page. A current Chrome, Edge, Firefox or Safari can show it.")


def page_refused() -> str:
    """The message of a page that the server takes for another site's."""
    return _(
        "This page is at {origin}, but the server was asked by the name {host}, so it takes the page for another site’s and doesn’t talk with it. "
        "If you run the server: have the proxy in front of it pass the Host header on unchanged, with its port, or set "
        "STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS to the page’s address."
    )


def _translated(value: str | float) -> str | float:
    if isinstance(value, Phrase):
        return _(value.template).format(**value.evidence)
    return _(value) if value and isinstance(value, str) else value
