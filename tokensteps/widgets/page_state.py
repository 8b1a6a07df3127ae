"""The settings of a page with a corpus: in session state under ``<page>.<name>``, and in the URL.

The URL is read when a session begins, when a link brings settings, and after Back or Forward. From then on
session state is the truth, and its differences from the corpus's own settings are written to the URL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from tokensteps.components.address import is_back, update_url
from tokensteps.language.i18n import _, count
from tokensteps.language.numbers import read_whole
from tokensteps.runs.corpora import OWN, plain_text
from tokensteps.runs.rules import BPE_RULES, OWN_CORPUS, RULES_OF, VIEWS, Setting
from tokensteps.runs.settings import Recipe, invalid_here, read_short, read_url, usual_value
from tokensteps.server.stores import corpora, digest, text_store
from tokensteps.streamlit_internals import text_in_browser
from tokensteps.teaching.predictions import asks_of
from tokensteps.widgets.arrival import reads_address, returned
from tokensteps.widgets.notes import lasting

OWN_FOLLOWS: Final = frozenset({*RULES_OF, "compare"})
"""The pages that pass on a text of the learner's own to one another."""


def leave_own(page: str, query: Mapping[str, str]) -> None:
    """Forget the page's own text or file if the address that a class leads to has none: its lecturer has none
    any more, and the one before isn't the class's."""
    corpus = query.get("corpus")
    if corpus not in OWN or OWN_CORPUS & query.keys():
        return
    if corpus == "upload":
        st.session_state.pop(f"{page}.upload_data", None)
    else:
        st.session_state[f"{page}.{corpus}_text"] = ""


class PageState:
    """The settings of one page, by their names, and complaints about them."""

    def __init__(self, page: str, rules: Sequence[Setting] = BPE_RULES, start: str = "course") -> None:
        self.page = page
        self.rules = rules
        self.start = start
        """The page's first corpus."""
        self.complaints: list[str] = []
        """Errors in the settings, to be shown on the page."""
        self.blocked = False
        """Whether they prevent all training."""
        if reads_address(f"{page}.corpus" not in st.session_state):
            self._read_url()
        if page in OWN_FOLLOWS:
            self._follow_own()
        self.complaints = lasting(page, self.complaints, self.recipe())

    def key(self, name: str) -> str:
        """The session-state key of a setting."""
        return f"{self.page}.{name}"

    def __getitem__(self, name: str) -> Any:
        return st.session_state[self.key(name)]

    def setting(self, name: str) -> Setting | None:
        """The setting with this name, if the page has it."""
        return next((setting for setting in (*self.rules, *VIEWS) if setting.name == name), None)

    def applies(self, setting: Setting) -> bool:
        """Whether a setting applies now: if it depends on a choice, the page must have that setting with such
        a value."""
        if setting.when is None:
            return True
        name, *values = setting.when
        other = self.setting(name)
        if other is None or not self.applies(other):
            return False
        chosen = self[name] if other.kind == "several" else [self[name]]
        return not {*values}.isdisjoint(chosen)

    def load_corpus_defaults(self) -> None:
        """Set the rules that show the point of the chosen corpus best."""
        st.session_state.pop(self.key("pre_replaced"), None)
        for setting in self.rules:
            st.session_state[self.key(setting.name)] = usual_value(self.page, self["corpus"], setting)

    def _read_url(self) -> None:
        state = st.session_state
        recipe, complaints = read_url(self.page, self.rules, st.query_params.to_dict(), self.start)
        self.complaints += complaints
        state.pop(self.key("pre_replaced"), None)
        step = st.query_params.get("step")
        if step and read_whole(step) is None:
            self.complaints.append(invalid_here("step", step))
        for name, value in recipe.values.items():
            state[self.key(name)] = value
        if self.page in RULES_OF:
            asks = ("mixed", *asks_of(self.page, recipe.values.get("kind", "plain")))
            if self["ask"] not in asks:  # another page's, or another kind's
                self.complaints.append(invalid_here("ask", self["ask"]))
                state[self.key("ask")] = asks[0]
        box = self.key(f"{recipe['corpus']}_text")
        if recipe.text and text_in_browser(box) is None:
            state[box] = recipe.text
        if recipe.file[1]:
            self.keep_file(*recipe.file)
        lacks_text = bool(self.own_text()) and not recipe.text
        if is_back() and (complaints or lacks_text):  # later runs write nothing: the address would stay wrong
            update_url(self.url())

    def _follow_own(self) -> None:
        """Bring a text of the learner's own along from another page with one, unless a link has settings.

        The session holds the last visited page's text; a page that has had it already keeps its later
        choices.
        """
        state, seen = st.session_state, self.key("own")
        brought: tuple[str, str, tuple[str, str]] | None = state.get("own")
        if returned() and brought is not None and brought != state.get(seen):
            corpus, text, file = brought
            if self["corpus"] != corpus:
                state[self.key("corpus")] = corpus
                self.load_corpus_defaults()
            if corpus == "upload":
                state[self.key("upload_data")] = file
            else:
                state[self.key(f"{corpus}_text")] = text
            update_url(self.url())  # it was bare, and would restore something else
        file = state.get(self.key("upload_data"), ("", ""))
        if self["corpus"] not in OWN:
            state.pop("own", None)
        elif file[0] if self["corpus"] == "upload" else self.own_text():
            state["own"] = state[seen] = (self["corpus"], self.own_text(), file)
        elif brought is not None and brought == state.get(seen) and brought[0] == self["corpus"]:  # emptied
            state.pop("own", None)

    def short(self, name: str, url: Mapping[str, str], usual: str, complaints: list[str]) -> str:
        """A text of the page's own: from the browser, if the page outlived its session, or from a URL.
        `usual` without one, or, with an entry in `complaints`, for a lost one."""
        text = text_in_browser(self.key(name))
        if text is None:
            text = read_short(url[name]) if name in url else usual
        if text is None:
            complaints.append(_("The text of this link is lost: ask for the link again, or paste the text."))
        return usual if text is None else text

    def recipe(self) -> Recipe:
        """All settings."""
        names = ("corpus", *(setting.name for setting in (*self.rules, *VIEWS)))
        values = {name: self[name] for name in names}
        file, data = self.own_file()
        return Recipe(self.page, self.rules, values, self.own_text(), (file, data or b""))

    def url(self) -> dict[str, str | None]:
        """The settings as parameters of the URL."""
        return self.recipe().url()

    def own_text(self) -> str:
        """The learner's pasted or typed text. Halves of UTF-16 pairs are replaced, since UTF-8 can't hold
        them."""
        return plain_text(st.session_state.get(self.key(f"{self['corpus']}_text")))

    def keep_file(self, name: str, data: bytes) -> None:
        """Store the learner's file: the server has it, and the session its name."""
        stored = digest(data)
        corpora().put(stored, data, len(data))
        st.session_state[self.key("upload_data")] = (name, stored)

    def take_file(self, name: str, data: bytes, identifier: str) -> bool:
        """Store the file in the upload's box: a new one, or again the one in use. After Back the box still
        holds the file of before, and the address has another: False then."""
        state, taken = st.session_state, self.key("file_taken")
        new, state[taken] = state.get(taken) != identifier, identifier
        if not new and state.get(self.key("upload_data")) != (name, digest(data)):
            return False
        self.keep_file(name, data)
        return True

    def own_file(self) -> tuple[str, bytes | None]:
        """Name and contents of the learner's file; an empty name without one, and None if the server has
        dropped it."""
        name, cached = st.session_state.get(self.key("upload_data"), ("", ""))
        data = corpora().get(cached)
        return name, text_store().get(cached) if data is None else data

    def complain(self, message: str, **numbers: int) -> None:
        """Add a complaint: a message with numbers filled in."""
        self.complaints.append(message.format(**{name: count(number) for name, number in numbers.items()}))

    def refuse(self, complaint: str) -> None:
        """Add a complaint, and train nothing."""
        self.complaints.append(complaint)
        self.blocked = True
