"""The scene on glitch tokens: their origin, and the findings of a vocabulary's check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Final

import streamlit as st

from tokensteps.catalogue.health import health_of
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.drawing.stage_markup import way_html
from tokensteps.drawing.tokens import Style, chips, fill
from tokensteps.language.i18n import N_, _, count, ngettext
from tokensteps.limits import WORD_SHOWN
from tokensteps.pages.explore.health.health_view import findings
from tokensteps.pages.learn.home_lessons import show_page_link
from tokensteps.pages.learn.scenes.texts import draw_rows, text_of
from tokensteps.server.stores import digest
from tokensteps.teaching.lessons import Link
from tokensteps.teaching.scenes.scene_inputs import TIMES_NAMED, glitch_of
from tokensteps.widgets import stage
from tokensteps.widgets.notes import note

MOST_SHOWN: Final = 24
"""The most found tokens to show."""
CHECKED: Final = "matters.checked"
"""In session state: the specs of the vocabularies to check."""


def glitch(subjects: Mapping[str, ShownTokenizer]) -> None:
    """A name that becomes a token but never occurs in the model's text; then the same in whole vocabularies,
    by their specs."""
    name = text_of("glitch", _("A name that nobody else has"), WORD_SHOWN)
    if name is None:
        return
    if name.strip():
        _trained_here(name)
    else:
        note(_("There is no text yet."))
    st.header(_("Found in these vocabularies"), anchor=False)
    draw_rows([_vocabulary_row(spec, subject) for spec, subject in subjects.items()])
    for spec, subject in subjects.items():
        if not isinstance(subject, TrainedSubject):
            _check(spec)


def _trained_here(name: str) -> None:
    """Train a small tokenizer on the name, here and now."""
    result = glitch_of(name.strip())
    style = Style(byte_level=True, show="spaces")
    message = ngettext(
        "A tokenizer is trained on four sentences and on this name, {times} times: {tokens}. A model is then trained on the four sentences alone: "
        "of {learned} learned token, it never meets {unused}.",
        "A tokenizer is trained on four sentences and on this name, {times} times: {tokens}. A model is then trained on the four sentences alone: "
        "of {learned} learned tokens, it never meets {unused}.",
        result.learned,
    )
    text = fill(
        message,
        times=count(TIMES_NAMED),
        tokens=f'<span class="row">{chips(result.tokens, style)}</span>',
        learned=count(result.learned),
        unused=count(len(result.unused)),
    )
    st.html(f'<div class="ts"><p>{text}</p></div>')


def _vocabulary_row(spec: str, subject: ShownTokenizer) -> str:
    """A vocabulary's row: tokens not used in its own training text, or the findings of its check."""
    if isinstance(subject, TrainedSubject):
        unused = subject.unused
        text = _(
            "Learned, and yet its own training text uses none of them in the end: they were only parts of longer tokens."
        )
        shown, figures = unused, [(_("Never used"), len(unused), "warn" if unused else "")]
    else:
        health = _health(spec, subject)
        if health is None:
            text = _(
                "Its training text isn't known here: a check of the vocabulary says which tokens no text gives."
            )
            return way_html(escape(subject.name), [(_("Vocabulary"), subject.size, "")], "", escape(text))
        never = [subject.token(identifier) for identifier in health["never"]]
        text = _(
            "No text gives these. Others are possible, but may be rare: only a model's training text says whether it has met them."
        )
        shown, figures = tuple(never), [(_("No text gives it"), len(never), "warn" if never else "")]
    style = subject.style._replace(show="spaces")
    left_out = len(shown) - MOST_SHOWN
    more = (
        ngettext("… {number} more", "… {number} more", left_out).format(number=count(left_out))
        if left_out > 0
        else ""
    )
    drawn = f'<span class="row">{chips(shown[:MOST_SHOWN], style)}</span> <small>{escape(more)}</small>'
    return way_html(
        escape(subject.name), [*figures, (_("Vocabulary"), subject.size, "")], drawn, escape(text)
    )


def _health(spec: str, subject: ShownTokenizer) -> Mapping[str, Sequence[int]] | None:
    """The findings of a vocabulary's check; None before it is asked for, and while it is under way."""
    if spec not in st.session_state.get(CHECKED, ()):
        return None
    name = digest(f"health {spec}".encode())
    health = stage.build(f"matters.health.{name}", name, partial(health_of, subject))
    return None if health is None else findings(subject, health)


def _check(spec: str) -> None:
    """The button to check a vocabulary, and the way to all findings."""
    state = st.session_state
    with st.container(horizontal=True, gap="small"):
        if spec not in state.get(CHECKED, ()):
            st.button(
                _("Check all tokens"),
                key=f"matters.check.{digest(spec.encode())}",
                on_click=lambda: state.update({CHECKED: (*state.get(CHECKED, ()), spec)}),
            )
        show_page_link(
            Link(N_("The vocabulary's health, token by token"), "playground", {"t1": spec, "health": "A"})
        )
