"""The settings of the playground's “Why these tokens?”: in session state, and in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.language.i18n import N_, _, use_language
from tokensteps.language.names import USE_NAMES
from tokensteps.language.numbers import read_whole
from tokensteps.limits import WHY_LIMIT, WHY_SPLIT_LIMIT
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.settings import invalid_here

WHY_TAB: Final = N_("Why these tokens?")
CUTS_TAB: Final = N_("Ways to cut")
USUAL: Final[Mapping[str, Any]] = {"why": "", "split": "", "nth": -1, "by": "", "way": ""}
"""The word in question, the split to compare it with, its number among the model's words (−1: the longest),
the tokenizer's letter, and the way of cutting for the steps of the second tab."""
NTH_LINKED: Final = "playground.why.nth.linked"
"""In session state: the number of the word in a link just opened."""


def why_value(name: str) -> Any:
    """The setting with this name."""
    return st.session_state.setdefault(f"playground.why.{name}", USUAL[name])


def set_why(**values: Any) -> None:
    """Set some of the settings."""
    for name, value in values.items():
        st.session_state[f"playground.why.{name}"] = value


def ask_about(word: str) -> None:
    """Ask about another word: nothing is set for it yet."""
    set_why(why=plain_text(word)[:WHY_LIMIT], split="", nth=-1)


def open_why_tab(name: str = WHY_TAB) -> None:
    """Have the tab, or the other one about a word, open when the tabs are drawn."""
    st.session_state["playground.tab.open"] = name
    st.session_state["playground.tab"] = _(name)


def ask_about_stretch(start: int, end: int) -> None:
    """Open the tab for the token in this stretch of the text, by the tokenizer of the shown chips, and bring
    it into sight."""
    state = st.session_state
    use_language(state["language"])  # this comes before the page is drawn
    open_why_tab()
    set_why(by="")
    state["playground.why.stretch"] = start, end
    state["playground.why.show"] = state.get("playground.why.shown", 0) + 1


def to_be_shown() -> int:
    """A new number if the tab is to come into sight, else 0."""
    state = st.session_state
    number: int = state.pop("playground.why.show", 0)
    state["playground.why.shown"] = number or state.get("playground.why.shown", 0)
    return number


def read_why_url(url: Mapping[str, str], letters: str, afresh: bool, complaints: list[str]) -> None:
    """Read the settings from a URL; with `afresh`, missing parameters mean the usual values. A link with a
    word opens the tab. `letters` are those of the tokenizers."""
    value = {name: plain_text(text) for name, text in url.items() if name in USUAL}
    if afresh:
        set_why(**USUAL)
    if not value.get("why"):
        return
    ask_about(value["why"])
    nth = read_whole(value.get("nth"))
    fits = {"nth": nth is not None, "by": value.get("by") in [*letters], "way": value.get("way") in USE_NAMES}
    for name, fit in fits.items():
        if value.get(name) and not fit:
            complaints.append(invalid_here(name, value[name]))
    st.session_state[NTH_LINKED] = nth
    set_why(
        split=value.get("split", "")[:WHY_SPLIT_LIMIT],
        nth=-1 if nth is None else nth,
        by=value["by"] if fits["by"] else "",
        way=value["way"] if fits["way"] else "",
    )
    open_why_tab(CUTS_TAB if why_value("way") else WHY_TAB)


def why_url() -> dict[str, str | None]:
    """The settings as URL parameters, while the tab is open; None for usual values, and nothing before the
    word is known."""
    if "playground.why.stretch" in st.session_state:
        return {}
    tab = st.session_state.get("playground.tab")
    about = {name: tab in (_(name), st.session_state.get(f"{name}.tab")) for name in (WHY_TAB, CUTS_TAB)}
    left_out = {"split"} if about[CUTS_TAB] else {"way"}
    if why_value("by") not in [*chosen_letters()]:
        left_out.add("by")
    opened = any(about.values()) and why_value("why")
    return {
        name: str(why_value(name)) if opened and name not in left_out and why_value(name) != usual else None
        for name, usual in USUAL.items()
    }


def chosen_letters() -> str:
    """The letters of the chosen tokenizers."""
    return LETTERS[: len(st.session_state["playground.specs"])]


def note_tab(name: str) -> None:
    """Remember a tab's name: the address is written before the tabs are drawn, and after a change of language
    the open one still has its old name."""
    st.session_state[f"{name}.tab"] = st.session_state["playground.tab"]
