"""The playground's settings: in session state, and in the URL."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from tokensteps.catalogue.choices import GPT2, READY, as_listed
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.catalogue.texts import TEXTS
from tokensteps.components.address import is_back
from tokensteps.components.editor import as_typed
from tokensteps.limits import PACK_LIMIT
from tokensteps.pages.explore.chat.chat_state import chat_url, read_chat_url
from tokensteps.pages.explore.health.health_state import health_url, read_health_url
from tokensteps.pages.explore.why.why_state import chosen_letters, read_why_url, why_url
from tokensteps.runs.corpora import pack_text, plain_text
from tokensteps.runs.rules import PLAYGROUND_RULES, PLAYGROUND_SLOTS
from tokensteps.runs.settings import invalid_here, read_setting, read_text
from tokensteps.server.stores import digest, text_store
from tokensteps.widgets.arrival import reads_address

DRAFTS_STORED: Final = 4
"""Versions of a text during typing, each under a name of its own: Back finds the last few."""

USUAL_TOKENIZERS = (READY[0], GPT2)
"""The tokenizers at a bare address: one trained here, and one of a real model."""


def playground_key(name: str) -> str:
    """A widget's key, the page's own."""
    return f"playground.{name}"


def playground_value(name: str) -> Any:
    """The setting with this name."""
    return st.session_state[playground_key(name)]


def chosen_specs() -> list[str]:
    """The specs of the chosen tokenizers."""
    chosen: list[str] = playground_value("specs")
    return chosen


def adds_to() -> list[str]:
    """The specs of the tokenizers with their own special tokens added to the text."""
    added: list[str] = st.session_state.setdefault("playground.added_to", [])
    return added


def replace_spec(slot: int, spec: str) -> None:
    """Put another spec in a slot; the settings of the one before stay."""
    chosen = list(chosen_specs())
    st.session_state["playground.added_to"] = [spec if one == chosen[slot] else one for one in adds_to()]
    chosen[slot] = spec
    st.session_state["playground.specs"] = chosen


def read_playground_url() -> list[str]:
    """Read the URL when the session begins, after Back, and when a link brings settings; returns complaints
    about it."""
    state, url = st.session_state, st.query_params.to_dict()
    first = "playground.text" not in state
    if not reads_address(first):
        return []
    complaints: list[str] = []
    for setting in PLAYGROUND_RULES:
        if setting.name in url or first or is_back():
            state[playground_key(setting.name)] = read_setting(setting, url, setting.default, complaints)
    stored = read_text(url, complaints)
    text = None if stored is None else stored.decode("utf-8", "replace")
    if text is None and (first or is_back()):
        text = TEXTS["first"].make()
    if text is not None:
        set_text(text)
    specs = [as_listed(url[slot]) for slot in PLAYGROUND_SLOTS if url.get(slot)]
    if specs or first or is_back():
        state["playground.specs"] = specs or [*USUAL_TOKENIZERS]
    if "added" in url or first or is_back():
        # Links of earlier versions say 1 for all of them.
        letters = LETTERS if playground_value("added") == "1" else playground_value("added")
        if letters != LETTERS and not {*letters} <= {*chosen_letters()}:
            complaints.append(invalid_here("added", letters))
            letters = ""
        state["playground.added_to"] = [
            spec for letter, spec in zip(LETTERS, chosen_specs(), strict=False) if letter in letters
        ]
    read_chat_url(url, chosen_letters(), first or is_back(), complaints)
    read_health_url(url, chosen_letters(), complaints)
    read_why_url(url, chosen_letters(), first or is_back(), complaints)
    return complaints


def set_text(text: str) -> None:
    """Put a text into the box."""
    state = st.session_state
    state["playground.text"] = as_typed(plain_text(text))
    state["playground.nonce"] = state.get("playground.nonce", 0) + 1
    state.pop("playground.page", None)


def playground_url() -> dict[str, str | None]:
    """The page's state as URL parameters; None for usual values."""
    values: dict[str, str | None] = {
        setting.name: None
        if playground_value(setting.name) == setting.default
        else setting.write(playground_value(setting.name))
        for setting in PLAYGROUND_RULES
    }
    added = [letter for letter, spec in zip(LETTERS, chosen_specs(), strict=False) if spec in adds_to()]
    values["added"] = "".join(added) or None
    usual = playground_value("text") == TEXTS["first"].make()
    values |= {"text": None, "id": None, **({} if usual else text_query())}
    for slot, spec in zip(PLAYGROUND_SLOTS, [*chosen_specs(), *[None] * len(PLAYGROUND_SLOTS)], strict=False):
        values[slot] = spec
    if tuple(chosen_specs()) == USUAL_TOKENIZERS:
        values |= dict.fromkeys(PLAYGROUND_SLOTS)
    return values | chat_url() | health_url() | why_url()


def text_query() -> dict[str, str]:
    """The parameter with the text, or with the name of the server's copy."""
    text = playground_value("text")
    packed = pack_text(text) if len(text) <= PACK_LIMIT else None
    return {"text": packed} if packed else {"id": store_draft(text)}


def store_draft(text: str) -> str:
    """Have the server keep a text; returns its name there. During typing, it keeps only the last few
    versions, and those in use elsewhere."""
    drafts: dict[str, int] = st.session_state.setdefault("playground.drafts", {})
    store, data = text_store(), text.encode("utf-8", "replace")
    new = not store.used(digest(data))
    name = store.put(data)
    if new or name in drafts:
        drafts[name] = store.used(name)
    if len(drafts) > DRAFTS_STORED:
        oldest = next(iter(drafts))
        store.drop(oldest, drafts.pop(oldest))
    return name
