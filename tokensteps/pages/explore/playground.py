"""The playground: type or paste a text, see its tokens by one tokenizer or by several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from itertools import chain

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue.analysis import Analysis, analyse, interpret_escapes
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.catalogue.subjects import Subject
from tokensteps.catalogue.texts import TEXTS
from tokensteps.components.address import update_url
from tokensteps.components.editor import editor
from tokensteps.language.i18n import _, count, ngettext, use_language
from tokensteps.language.marks import lead_html
from tokensteps.language.messages import explained
from tokensteps.limits import PLAYGROUND_LIMIT, SPECIAL_LISTED
from tokensteps.pages.explore.playground_chips import show_chips
from tokensteps.pages.explore.playground_files import counts_html, window_html
from tokensteps.pages.explore.playground_state import (
    adds_to,
    chosen_specs,
    playground_key,
    playground_url,
    playground_value,
    read_playground_url,
    set_text,
)
from tokensteps.pages.explore.playground_tabs import show_playground_tabs
from tokensteps.pages.explore.playground_tokenizers import open_slot, refused, tokenizer_choice
from tokensteps.runs.rules import PLAYGROUND_RULES
from tokensteps.widgets.notes import lasting, problem
from tokensteps.widgets.tour import titled


def show() -> None:
    """The whole page: sidebar, text, chips, tabs."""
    complaints = read_playground_url()
    complaints = lasting("playground", complaints, (playground_value("text"), chosen_specs()))
    with st.sidebar:
        places = tokenizer_choice()
    titled("playground", _("Playground"))
    lead = _("Type or paste a text and see its tokens, with any tokenizer or several side by side.")
    st.html(lead_html(lead))
    complaints += refused("playground")
    with (
        st.container()
    ):  # what comes and goes in here must not move the text box, which would be drawn as a new one
        for complaint in complaints:
            problem(complaint)
        found = [
            (letter, open_slot(slot, place))
            for slot, (letter, place) in enumerate(zip(LETTERS, places, strict=False))
        ]
    show_text({letter: one.subject for letter, one in found if one is not None})


@st.fragment
def show_text(subjects: Mapping[str, Subject]) -> None:
    """The box, the counts, the chips and the tabs: everything that changes as somebody types. `subjects` are the loaded tokenizers by letter."""
    use_language(st.session_state["language"])
    typed = editor(
        playground_value("text"),
        "playground.editor",
        labels={
            "label": _("Text"),
            "placeholder": _("Type or paste a text …"),
            "hint": _(
                "Up to a million characters. Click a token to find it in the text; select text to find its tokens."
            ),
            "failed": _("The text box could not be loaded. Reload the page to try again."),
        },
        nonce=playground_value("nonce"),
        params=("text", "id"),
        insert=st.session_state.get("playground.insert", (0, "")),
    )
    if typed is not None and typed != playground_value("text"):
        _turn_back(playground_value("text"), typed)
        st.session_state["playground.text"] = typed
    text_settings(subjects)
    update_url(playground_url())
    text = playground_value("text")
    if len(text) > PLAYGROUND_LIMIT:
        message = _("The text has {size} characters, but the page takes {limit}: shorten it.")
        problem(message.format(size=count(len(text)), limit=count(PLAYGROUND_LIMIT)))
        return
    if playground_value("escapes"):
        text = interpret_escapes(text)
    adding = {letter for letter, spec in zip(LETTERS, chosen_specs(), strict=False) if spec in adds_to()}
    complaints = st.container()
    analyses: dict[str, Analysis] = {}
    for letter, subject in subjects.items():
        with complaints:
            analysis = _analysed(subject, text, letter in adding)
        if analysis is None:
            continue
        if (
            not analyses
        ):  # A, unless it can't be had: its tokens are on the page before the others are at work
            show_first(letter, analysis)
        analyses[letter] = analysis
    if analyses:
        show_playground_tabs(analyses)


def show_first(letter: str, analysis: Analysis) -> None:
    """The counts and the chips of one tokenizer."""
    window = window_html(len(analysis), playground_value("window"))
    st.html(f"{name_html(letter, analysis.subject)}{counts_html(analysis)}{window}")
    show_chips(analysis)


def _turn_back(old: str, new: str) -> None:
    """Go back to the first page of chips for a different text; while somebody goes on typing, stay on the page."""
    if abs(len(new) - len(old)) > 1_000 or new[:1_000] != old[:1_000]:
        st.session_state.pop("playground.page", None)


def name_html(letter: str, subject: Subject) -> str:
    """Whose tokens these are."""
    told = ngettext("{number} token in the vocabulary", "{number} tokens in the vocabulary", subject.size)
    size = escape(told.format(number=count(subject.size)))
    return f'<p class="ts whose"><i>{letter}</i> <b>{escape(subject.name)}</b> · {escape(subject.algorithm)} · {size}</p>'


def _analysed(subject: Subject, text: str, added: bool) -> Analysis | None:
    """A text's tokens, with those that the tokenizer puts around it if `added`; None if the tokenizer fails, with a message."""
    try:
        return analyse(subject, text, playground_value("specials"), added and bool(subject.added))
    except TokenizersCoreError as error:
        problem(explained(error))
        return None


def _examples() -> None:
    """Texts to try."""

    def take() -> None:
        name = st.session_state["playground.example"]
        if name is not None:
            set_text(TEXTS[name].make())
        st.session_state["playground.example"] = None

    st.selectbox(
        _("Try a text"),
        list(TEXTS),
        index=None,
        format_func=lambda name: _(TEXTS[name].title),
        key="playground.example",
        on_change=take,
        placeholder=_("Try a text …"),
        label_visibility="collapsed",
        width=135,
    )


def _special_menu(subjects: Iterable[Subject]) -> None:
    """The tokenizers' special tokens, to be put into the text at the caret."""
    state, key = st.session_state, "playground.special"
    found = [sorted(subject.style.special_tokens - subject.only_added) for subject in subjects]
    tokens = list(dict.fromkeys(chain.from_iterable(found)))[:SPECIAL_LISTED]
    if not tokens:
        return

    def take() -> None:
        if state[key] is not None:
            number, _token = state.get("playground.insert", (0, ""))
            state["playground.insert"] = (number + 1, state[key])
        state[key] = None

    st.selectbox(
        _("Insert a special token"),
        tokens,
        index=None,
        key=key,
        on_change=take,
        placeholder=_("Special token …"),
        label_visibility="collapsed",
        width=150,
    )


def text_settings(subjects: Mapping[str, Subject]) -> None:
    """How tokens are shown, and how the text is read."""
    names = {"text": _("text"), "ids": _("ids"), "bytes": _("bytes")}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _examples()
        _special_menu(subjects.values())
        st.segmented_control(
            _("Write tokens as"),
            list(names),
            format_func=names.__getitem__,
            key="playground.write",
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
        for setting in PLAYGROUND_RULES:
            if setting.kind == "switch":
                st.toggle(
                    _(setting.label),
                    key=playground_key(setting.name),
                    help=_(setting.help),
                    persist_state="session",
                )
        for letter, subject in subjects.items():
            if subject.added:
                _adding_toggle(letter, alone=len(subjects) == 1)


def _adding_toggle(letter: str, alone: bool) -> None:
    """Whether one tokenizer adds its own special tokens; `alone` says that there is no other."""
    setting = next(setting for setting in PLAYGROUND_RULES if setting.name == "added")
    spec, key = chosen_specs()[LETTERS.index(letter)], f"playground.adding.{letter}"
    st.session_state[key] = spec in adds_to()

    def change() -> None:
        others = [one for one in adds_to() if one != spec]
        st.session_state["playground.added_to"] = [*others, spec] if st.session_state[key] else others

    label = _(setting.label) if alone else _("Add special tokens: {letter}").format(letter=letter)
    st.toggle(label, key=key, help=_(setting.help), on_change=change)
