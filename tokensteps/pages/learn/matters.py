"""Why it matters: six scenes on a tokenizer's meaning for a model and its users, each with a question to
answer first.

A scene is drawn once its question has been answered, or its answer shown. Its boxes are in
`tokensteps/pages/learn/scenes/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from itertools import pairwise
from typing import Final

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue import choices
from tokensteps.catalogue.choices import GPT2
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.components.address import is_back, page_address, update_url
from tokensteps.language.i18n import N_, _, use_language
from tokensteps.language.marks import lead_html, marked
from tokensteps.language.messages import explained
from tokensteps.language.pages import PAGES
from tokensteps.limits import SCENE_CODE
from tokensteps.pages.explore.playground_tokenizers import refused, ways_to_add
from tokensteps.pages.learn.home_lessons import show_page_link
from tokensteps.pages.learn.scenes import languages, texts
from tokensteps.pages.learn.scenes.glitch import glitch
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.rules import PLAYGROUND_SLOTS, SCENE_RULES
from tokensteps.runs.settings import invalid_here, read_setting, read_short, write_short
from tokensteps.teaching.feedback import in_steps, revealed, translated_verdict
from tokensteps.teaching.lessons import Link
from tokensteps.teaching.questions import (
    AGAIN,
    UNREAD,
    Question,
    Verdict,
    verdict_from_json,
    verdict_to_json,
)
from tokensteps.teaching.scenes.scene_questions import SCENES
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.downloads import show_address
from tokensteps.widgets.keep import synced
from tokensteps.widgets.notes import lasting, note, problem
from tokensteps.widgets.questions import ask, verdict_html
from tokensteps.widgets.tour import titled

MATTERS: Final = "matters"
SCENE: Final = "matters.scene"
"""In session state: the open scene,"""
CHOSEN: Final = "matters.chosen"
"""the specs of the tokenizers,"""
BROUGHT: Final = "matters.brought"
"""the spec of a newly added one,"""
TURNED: Final = "matters.turned"
"""whether a button has just opened another scene,"""
ANSWERED: Final = "matters.answered"
"""by scene, the verdict on the last answer, and the wrong ones so far;"""
OWN_TEXTS: Final = "matters.own_texts"
"""and whether a text has been changed: from then on, the browser keeps the texts."""
OUR_TOKENIZERS: Final = ("bpe?corpus=library&size=1000", "bpe?corpus=library&size=4000")
"""Tokenizers of this app, trained alike to two sizes."""
USUAL_SPECS: Final = (*OUR_TOKENIZERS, GPT2)
BY_SCENE: Final[Mapping[str, tuple[str, ...]]] = {
    "code": ("bpe?corpus=prose", "bpe?corpus=modules", GPT2),
}
"""Scene → its usual tokenizers, if they aren't the common ones: here before and after training on code."""
MOST_CHOSEN: Final = len(PLAYGROUND_SLOTS)


def show() -> None:
    """The whole page."""
    complaints = read_matters_url()
    with st.sidebar:
        chosen = choose_tokenizers()
    keep_answers()
    titled(MATTERS, _(PAGES[MATTERS].title))
    lead = _(
        "What a tokenizer means for a model and for those who use it: six scenes, on your own input. Answer first, then try."
    )
    st.html(lead_html(lead))
    for text in (*lasting(MATTERS, complaints, st.session_state[SCENE]), *refused(MATTERS)):
        problem(text)
    st.segmented_control(
        _("Scene"),
        list(SCENES),
        format_func=lambda name: _(SCENES[name].title),
        key=SCENE,
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    name: str = st.session_state[SCENE]
    update_url({**scene_url(name, chosen), "say": None, "also": None})
    if show_scene_question(name):
        show_scene(chosen)


def read_matters_url() -> list[str]:
    """Read the address when the session begins, after Back, and when a link brings settings; returns
    complaints."""
    state, url = st.session_state, st.query_params.to_dict()
    first = SCENE not in state
    if first:
        state.update({CHOSEN: None, ANSWERED: {}, OWN_TEXTS: False, **usual_texts()})
    if not reads_address(first):
        return []
    complaints: list[str] = []
    resets = first or is_back()
    for setting in SCENE_RULES:
        if resets or setting.name in url:
            state[f"{MATTERS}.{setting.name}"] = read_setting(setting, url, setting.default, complaints)
    if resets or "price" in url:
        state[languages.PRICE] = languages.read_price(url.get("price", ""), complaints)
    if resets or "scene" in url:
        state[SCENE] = url.get("scene", next(iter(SCENES)))
        if state[SCENE] not in SCENES:
            complaints.append(invalid_here("scene", state[SCENE]))
            state[SCENE] = next(iter(SCENES))
    for parameter, key in (
        ("say", texts.text_key(state[SCENE])),
        ("also", texts.second_text_key(state[SCENE])),
    ):
        if parameter in url:
            said = read_short(url[parameter])
            if said is None:
                complaints.append(
                    _("The text of this link is lost: ask for the link again, or paste the text.")
                )
            elif key in state:
                state[key] = plain_text(said)
    specs = [choices.as_listed(url[slot]) for slot in PLAYGROUND_SLOTS if url.get(slot)]
    if specs or resets:
        state[CHOSEN] = specs or None
    return complaints


def usual_of(scene: str) -> tuple[str, ...]:
    """A scene's usual tokenizers."""
    return BY_SCENE.get(scene, USUAL_SPECS)


def scene_url(scene: str, chosen: Sequence[str]) -> dict[str, str | None]:
    """The scene and its tokenizers as parameters; None for usual ones."""
    slots: dict[str, str | None] = dict.fromkeys(PLAYGROUND_SLOTS)
    if tuple(chosen) != usual_of(scene):
        slots |= dict(zip(PLAYGROUND_SLOTS, chosen, strict=False))
    settings = {
        setting.name: None
        if st.session_state[f"{MATTERS}.{setting.name}"] == setting.default
        else setting.write(st.session_state[f"{MATTERS}.{setting.name}"])
        for setting in SCENE_RULES
    }
    price = st.session_state[languages.PRICE]
    settings["price"] = None if price == languages.USUAL_PRICE else languages.write_price(price)
    return {"scene": None if scene == next(iter(SCENES)) else scene, **settings, **slots}


def choose_tokenizers() -> tuple[str, ...]:
    """The sidebar: the scenes' tokenizers, unless somebody chooses a scene's own."""
    state, box = st.session_state, "matters.box"
    chosen = list(state[CHOSEN] or usual_of(state[SCENE]))
    if brought := state.pop(BROUGHT, None):
        state[CHOSEN] = chosen = [brought, *(one for one in chosen if one != brought)][:MOST_CHOSEN]
    options = list(dict.fromkeys([*chosen, *USUAL_SPECS, *BY_SCENE["code"], *choices.options()]))
    titles = choices.titles(options)
    if state.get(box) != chosen:
        state[box] = chosen

    def take() -> None:
        state[CHOSEN] = list(state[box]) or None

    st.multiselect(
        _("Tokenizers"),
        options,
        format_func=titles.__getitem__,
        key=box,
        max_selections=MOST_CHOSEN,
        on_change=take,
    )
    ways_to_add(MATTERS, lambda spec: state.update({BROUGHT: spec}))
    return tuple(chosen)


# --- what the browser keeps ---------------------------------------------------------------------------------


def keep_answers() -> None:
    """Have the browser keep the answers, or restore an earlier session's."""
    state = st.session_state
    lines = [[name, tries, *verdict_to_json(verdict)] for name, (verdict, tries) in state[ANSWERED].items()]
    if kept := synced(f"{MATTERS}.answers", lines):
        state[ANSWERED] = {
            name: (verdict_from_json(*verdict), tuple(tries)) for name, tries, *verdict in kept
        }


def keep_texts() -> None:
    """The same for the texts in the boxes, up to the length that the scenes show."""
    state = st.session_state
    usual = usual_texts()
    own = {
        key: plain_text(state[key])[:SCENE_CODE] for key in usual if state.get(key, usual[key]) != usual[key]
    }
    state[OWN_TEXTS] |= bool(own)
    if kept := synced(f"{MATTERS}.texts", [own] if state[OWN_TEXTS] else []):
        state.update({**usual, **kept[0], OWN_TEXTS: True})


def usual_texts() -> dict[str, str]:
    """The first text of each box, by its key in session state."""
    return {
        languages.LINES: languages.first_lines(),
        **{texts.text_key(name): text for name, text in texts.FIRST_TEXTS.items()},
        **{texts.second_text_key(name): text for name, text in texts.SECOND_TEXTS.items()},
    }


# --- the question -------------------------------------------------------------------------------------------


def show_scene_question(name: str) -> bool:
    """The scene's question and the reply to the answer; returns whether it is answered."""
    opened = stage.opened_tokenizer(GPT2, "matters.question")
    if opened is None:
        return False
    verdict, _tries = st.session_state[ANSWERED].get(name, (None, ()))
    over = verdict is not None and verdict.kind not in (AGAIN, UNREAD)
    with st.container(key="matters_question", border=True, gap="xsmall"):
        question = SCENES[name].make(opened.subject)
        if over:
            st.html(f'<div class="ts question">{question.prompt}</div>')
        else:
            ask(
                f"matters.ask.{name}",
                question,
                partial(_scene_answered, name, question),
                partial(_scene_shown, name, question),
            )
        if verdict is not None:
            st.html(verdict_html(translated_verdict(verdict, lambda: question)))
    return over


def _scene_answered(name: str, question: Question, text: str, verdict: Verdict) -> None:
    """Note an answer: after a wrong one there is a hint, and in the end the answer."""
    _before, tries = st.session_state[ANSWERED].get(name, (None, ()))
    verdict = in_steps(question, tries, text, verdict, counted=False)
    _note(name, verdict, (*tries, text) if verdict.kind == AGAIN else tries)


def _scene_shown(name: str, question: Question) -> None:
    use_language(st.session_state["language"])
    _note(name, revealed(question), ())


def _note(name: str, verdict: Verdict, tries: tuple[str, ...]) -> None:
    st.session_state[ANSWERED] = {**st.session_state[ANSWERED], name: (verdict, tries)}


# --- the scene ----------------------------------------------------------------------------------------------


@st.fragment
def show_scene(chosen: Sequence[str]) -> None:
    """The consequences, the learner's input under each tokenizer, the sources, and the way on."""
    use_language(st.session_state["language"])
    if st.session_state.pop(TURNED, False):
        st.rerun()  # the scenes' names and the question are outside of this fragment
    keep_texts()
    name: str = st.session_state[SCENE]
    scene = SCENES[name]
    st.html(f'<div class="ts follows"><p>{marked(_(scene.follows))}</p></div>')
    subjects: dict[str, ShownTokenizer] = {}
    with st.container():  # the parts below keep their place when they are done: a hand may be on it
        for number, spec in enumerate(chosen):
            try:
                opened = stage.opened_tokenizer(spec, f"matters.build.{number}")
            except TokenizersCoreError as error:
                problem(explained(error))
                continue
            if opened is not None:
                subjects[spec] = opened.subject
    if not subjects:
        note(_("Choose a tokenizer in the sidebar."))
        return
    with st.container(key=f"matters_scene_{name}", gap="small"):
        try:
            draw_scene(name, subjects)
        except TokenizersCoreError as error:
            problem(explained(error))
    text = _("Measured in: {sources}.").format(sources=" · ".join(scene.sources))
    st.html(f'<p class="ts sources">{escape(text)}</p>')
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        following = next_scene(name)
        if following is None:
            show_page_link(Link(N_("All terms: the glossary"), "glossary"))
        else:
            title = _("Next: {title}").format(title=_(SCENES[following].title))
            st.button(title, key="matters.next", on_click=_open_scene, args=(following,))
        with st.popover(_("This scene as a link"), type="tertiary"):
            show_address(page_address({**scene_url(name, chosen), **said(name)}))


def _open_scene(name: str) -> None:
    st.session_state.update({SCENE: name, TURNED: True})


def draw_scene(name: str, subjects: Mapping[str, ShownTokenizer]) -> None:
    """The scene itself."""
    match name:
        case "letters":
            texts.letters([*subjects.values()])
        case "numbers":
            texts.numbers([*subjects.values()])
        case "languages":
            languages.languages([*subjects.values()])
        case "code":
            texts.code([*subjects.values()])
        case "glitch":
            glitch(subjects)
        case "spaces":
            texts.spaces([*subjects.values()])


def next_scene(name: str) -> str | None:
    """The scene after this one; None after the last."""
    names = list(SCENES)
    return dict(pairwise(names)).get(name)


def said(name: str) -> dict[str, str]:
    """The text in a scene's boxes, as parameters of a link: only values other than the usual."""
    usual, state = usual_texts(), st.session_state
    return {
        parameter: write_short(plain_text(state[key]))
        for parameter, key in (("say", texts.text_key(name)), ("also", texts.second_text_key(name)))
        if key in state and state[key] != usual[key]
    }
