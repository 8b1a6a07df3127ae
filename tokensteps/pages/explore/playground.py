"""The playground: type or paste a text, see its tokens by one tokenizer or by several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from secrets import token_urlsafe
from typing import Final

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.catalogue.texts import TEXTS
from tokensteps.components.address import update_url
from tokensteps.components.chips import linked_chips
from tokensteps.components.editor import editor
from tokensteps.drawing.chips import Shown, Version
from tokensteps.language.i18n import _, count, current_language, use_language
from tokensteps.language.marks import lead_html
from tokensteps.language.messages import explained
from tokensteps.limits import PASTE_LIMIT, PLAYGROUND_LIMIT
from tokensteps.pages.explore.live_typing.typing_sessions import (
    close_typing_session,
    open_typing_session,
    typing_address,
)
from tokensteps.pages.explore.playground_chips import (
    STRETCHES_SHOWN,
    ChipsView,
    chips_data,
    pages_of,
    turns_back,
)
from tokensteps.pages.explore.playground_state import (
    adds_to,
    chosen_specs,
    playground_key,
    playground_url,
    playground_value,
    read_playground_url,
    set_text,
    text_query,
)
from tokensteps.pages.explore.playground_tabs import show_playground_tabs
from tokensteps.pages.explore.playground_tokenizers import (
    PLAYGROUND,
    open_slot,
    pushed_out,
    refused,
    tokenizer_choice,
)
from tokensteps.pages.explore.why.why_state import ask_about_stretch
from tokensteps.runs.rules import PLAYGROUND_RULES
from tokensteps.shell.navigation import page_link
from tokensteps.streamlit_internals import session_id
from tokensteps.widgets.notes import lasting, note, problem
from tokensteps.widgets.tour import titled

SPECIAL_LISTED: Final = 300
"""Special tokens in the menu for putting one into the text: Llama 3 has 256, and all are sent with every
pressed key."""


def show() -> None:
    """The whole page: sidebar, text, chips, tabs."""
    complaints = read_playground_url()
    complaints = lasting("playground", complaints, (playground_value("text"), chosen_specs()))
    with st.sidebar:
        positions = tokenizer_choice()
    titled("playground", _("Playground"))
    lead = _("Type or paste a text and see its tokens, with any tokenizer or several side by side.")
    st.html(lead_html(lead))
    with (
        st.container()
    ):  # the contents come and go, but must not move the text box: it would be drawn as a new one
        for complaint in complaints:
            problem(complaint)
        results = [
            (letter, open_slot(slot, index))
            for slot, (letter, index) in enumerate(zip(LETTERS, positions, strict=False))
        ]
    show_text({letter: one.subject for letter, one in results if one is not None})


@st.fragment
def show_text(subjects: Mapping[str, ShownTokenizer]) -> None:
    """The box, the counts, the chips and the tabs: the parts that change during typing. `subjects` are the
    loaded tokenizers by letter."""
    use_language(st.session_state["language"])
    brought = st.container()
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
        address=typing_address(_typing_name()),
    )
    if typed is not None and typed.text != playground_value("text"):
        if turns_back(playground_value("text"), typed.text):
            st.session_state.pop("playground.page", None)
        st.session_state["playground.text"] = typed.text
    with brought:
        say_brought()
    version = playground_value("nonce"), 0 if typed is None else typed.at
    with st.container(key="playground.train"):
        training_link()
    text_settings(subjects)
    update_url(playground_url())
    text = playground_value("text")
    if len(text) > PLAYGROUND_LIMIT:
        close_typing_session(_typing_name())
        message = _("The text has {size} characters, but the page takes {limit}: shorten it.")
        problem(message.format(size=count(len(text)), limit=count(PLAYGROUND_LIMIT)))
        return
    views = {letter: _view(letter, subject) for letter, subject in subjects.items()}
    complaints = st.container()
    analyses: dict[str, Analysis] = {}
    for letter, view in views.items():
        with complaints:
            analysis = _analysed(view, text)
        if analysis is None and not analyses:
            break  # the chips of another tokenizer would be taken for this one's
        if analysis is None:
            continue
        if not analyses:  # its tokens are on the page before the others are at work
            show_first(view, text, analysis, version)
        analyses[letter] = analysis
    if not analyses:
        close_typing_session(_typing_name())
        return
    with st.container(key="playground.follows"):  # dimmed while somebody types: it is about the text before
        show_playground_tabs(analyses)


def say_brought() -> None:
    """What became of the visitor's tokenizer: why it was refused, or what it pushed out; until the text or
    the tokenizers are changed."""
    about = playground_value("text"), chosen_specs()
    for text in lasting("playground.file", refused(PLAYGROUND), about):
        problem(text)
    for text in lasting("playground.room", pushed_out(), about):
        note(text)


def _typing_name() -> str:
    """The name of this visitor's typing session: see `live_typing/typing_sessions.py`."""
    name: str = st.session_state.setdefault("playground.desk", token_urlsafe(16))
    return name


def _view(letter: str, subject: ShownTokenizer) -> ChipsView:
    """The page's settings for showing the text with one of its tokenizers."""
    return ChipsView(
        letter,
        subject,
        Shown(playground_value("write"), playground_value("spaces"), subject.style),
        specials=playground_value("specials"),
        added=bool(subject.added) and chosen_specs()[LETTERS.index(letter)] in adds_to(),
        escapes=playground_value("escapes"),
        window=playground_value("window"),
        page=st.session_state.get("playground.page", 1),
        language=current_language(),
    )


def _analysed(view: ChipsView, text: str) -> Analysis | None:
    """A text's tokens; None if the tokenizer fails, with a message."""
    try:
        return view.analysis(text)
    except TokenizersCoreError as error:
        problem(explained(error))
        return None


def show_first(view: ChipsView, text: str, analysis: Analysis, version: Version) -> None:
    """The counts and the chips of one tokenizer; from here on, the server draws them for each key."""
    pages = pages_of(analysis)
    if view.page > pages:  # the text has become shorter
        st.session_state["playground.page"] = pages
        view = view._replace(page=pages)
    open_typing_session(_typing_name(), view, session_id())
    linked_chips(chips_data(view, text, version), "playground.chips", ask_about_stretch)
    if pages > 1:
        with st.container(key="playground.follows.pages", horizontal=True, vertical_alignment="center"):
            st.pagination(pages, key="playground.page")
            st.caption(_page_summary(view.page, analysis))


def _page_summary(page: int, analysis: Analysis) -> str:
    """A sentence on the tokens of this page."""
    stretches = analysis.stretches[(page - 1) * STRETCHES_SHOWN : page * STRETCHES_SHOWN]
    message = _("Tokens {first} to {last} of {all} are shown; the counts cover everything.")
    return message.format(
        first=count(stretches[0].first + 1), last=count(stretches[-1].last), all=count(len(analysis))
    )


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


def _special_menu(subjects: Iterable[ShownTokenizer]) -> None:
    """The tokenizers' special tokens, for putting one into the text at the caret."""
    state, key = st.session_state, "playground.special"
    results = [sorted(subject.style.special_tokens - subject.only_added) for subject in subjects]
    tokens = list(dict.fromkeys(chain.from_iterable(results)))[:SPECIAL_LISTED]
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


def training_link() -> None:
    """The way on from a text to its lessons."""
    text = playground_value("text")
    if text.strip() and len(text) <= PASTE_LIMIT:
        page_link("bpe", _("Train on this text"), {"corpus": "paste", **text_query()})


def text_settings(subjects: Mapping[str, ShownTokenizer]) -> None:
    """The settings for showing tokens, and for reading the text."""
    names = {"text": _("text"), "ids": _("ids"), "bytes": _("bytes")}
    with st.container(key="playground.settings", horizontal=True, vertical_alignment="center", gap="small"):
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
    """The switch for one tokenizer's own special tokens; `alone` says that there is no other tokenizer."""
    setting = next(setting for setting in PLAYGROUND_RULES if setting.name == "added")
    spec, key = chosen_specs()[LETTERS.index(letter)], f"playground.adding.{letter}"
    st.session_state[key] = spec in adds_to()

    def change() -> None:
        others = [one for one in adds_to() if one != spec]
        st.session_state["playground.added_to"] = [*others, spec] if st.session_state[key] else others

    label = _(setting.label) if alone else _("Add special tokens: {letter}").format(letter=letter)
    st.toggle(label, key=key, help=_(setting.help), on_change=change)
