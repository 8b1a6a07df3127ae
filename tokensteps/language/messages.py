"""Errors in the language in use."""

from __future__ import annotations

from typing import Final

from tokenizers_core.errors import Phrase, SettingError, TokenizersCoreError
from tokensteps.language.i18n import N_, _
from tokensteps.language.names import CHOICE_NAMES, choice_name

_WORDS: Final = ("reason", "what", "expected", "message", "description", "wanted", "size", "problem")
"""Words among the evidence of errors: they are translated, unlike somebody's text: see `engine_messages` in
`i18n.py`."""

_ENGLISH: Final = {
    "vocab_size={vocab_size} is": "Vocabulary size: {vocab_size} is",
    "vocab_size={vocab_size} can't": "A vocabulary of {vocab_size} can't",
    "seed_size": "seed vocabulary",
}
"""Words for the engine's parameters, which nobody sees on the pages. The translations have them anyway."""

_LABELS: Final = {
    "seed_size": N_("Seed vocabulary"),
    "max_length": N_("Maximum tokens"),
    "stride": N_("Stride: shared tokens"),
    "pre_tokenizer": N_("Split into words"),
}
"""The engine's settings → the labels of their widgets."""
_NEEDS_TEXT: Final = N_(
    "SuperBPE needs a text: word counts don't say which word follows which. Choose a text as the corpus."
)
"""Instead of the engine's only complaint about a whole corpus, which is for programmers."""


def explained(error: TokenizersCoreError) -> str:
    """An error of the engine or the app as a sentence: the value, the reason, the remedy. Plain text."""
    template = _(error.template)
    evidence = {
        name: _translated(value) if name in _WORDS else value for name, value in error.evidence.items()
    }
    if isinstance(error, SettingError):
        if error.name == "corpus":
            return _(_NEEDS_TEXT)
        if error.name in _LABELS:
            evidence["name"] = _labelling(error.name)
            template = template.replace("{name}=", "{name}")
            evidence |= {"value": _value_shown(error), "reason": _reason_shown(str(evidence["reason"]))}
    for parameter, words in _ENGLISH.items():
        template = template.replace(parameter, words)
    return template.format(**evidence)


def _value_shown(error: SettingError) -> str | float:
    """The value as its widget has it."""
    if error.name == "pre_tokenizer" and str(error.value) in CHOICE_NAMES["pre"]:
        return choice_name("pre", str(error.value))
    return error.evidence["value"]


def _reason_shown(reason: str) -> str:
    """A translated reason with the widgets' words for the engine's names."""
    for split in ("byte_level", "metaspace"):
        reason = reason.replace(split, choice_name("pre", split))
    return reason.replace("max_length=", _labelling("max_length"))


def _labelling(name: str) -> str:
    """A setting's label, with the language's colon, before its value."""
    return _("{rule}: {value}").format(rule=_(_LABELS[name]), value="")


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
