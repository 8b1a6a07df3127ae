"""The playground's tab “Chat”: messages through a chat template, and their cost in tokens."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue.analysis import Analysis, analyse
from tokensteps.catalogue.chat.asking import chat_registry, rendered, templates_order
from tokensteps.catalogue.chat.conversation import FIRST_CHAT, OPENINGS, ROLES, ChatTurn
from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.catalogue.chat.jinja import Rendered
from tokensteps.catalogue.chat.templates import CHAT_FORMATS, USUAL_NAME, ChatTemplates
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.drawing.chat import chat_html, cost_html, owner
from tokensteps.drawing.tokens import readable
from tokensteps.language.i18n import _, count, pgettext
from tokensteps.language.messages import explained
from tokensteps.language.numbers import price_text
from tokensteps.limits import CHAT_CHARACTERS, CHAT_MESSAGES
from tokensteps.pages.explore.chat import chat_state as chat
from tokensteps.pages.explore.measures.prices import answers_of, prices
from tokensteps.pages.explore.playground_state import chosen_specs
from tokensteps.pages.explore.playground_tokenizers import letter_box
from tokensteps.runs.corpora import plain_text
from tokensteps.streamlit_internals import session_id
from tokensteps.widgets import stage
from tokensteps.widgets.figures import show_rows
from tokensteps.widgets.notes import note, problem

STRETCHES_DRAWN = 2_500
"""The most stretches of a chat to draw."""


def chat_tab(analyses: Mapping[str, Analysis]) -> None:
    """Messages, a template, and the resulting tokens."""
    st.caption(
        _(
            "A model reads a chat as one text: a template writes marks around the messages, and each of them costs tokens, again with every turn."
        )
    )
    left, right = st.columns(2)
    letter = letter_box(analyses, _("Tokenizer"), chat.CHAT_TOKENIZER, left)
    spec = chosen_specs()[LETTERS.index(letter)]
    result = own_templates(spec, letter)
    with right:
        name = template_choice(result)
    if name != chat.MINE and chat.is_new():
        open_with_accepted(template_of(name, result), result.special)
    show_messages()
    template = template_of(name, result)
    turns = chat.turns()
    size = sum(len(turn.content) for turn in turns)
    if size > CHAT_CHARACTERS:
        message = _("The messages have {size} characters, but the page takes {limit}: shorten them.")
        problem(message.format(size=count(size), limit=count(CHAT_CHARACTERS)))
    elif not turns:
        note(_("There is no message yet: add one."))
    else:
        try:
            built = rendered(template, turns, result.special, chat.asks_on(), session_id())
            show_cost(analyse(analyses[letter].subject, built.text), built, turns)
        except TokenizersCoreError as error:
            problem(explained(error))
    if name != chat.MINE:
        with st.expander(_("The template")):
            st.code(template, language=None, wrap_lines=True)


def open_with_accepted(template: str, special: Mapping[str, str]) -> None:
    """Have the chat begin with messages accepted by the template, if it refuses the usual ones."""
    for opening in OPENINGS:
        try:
            rendered(template, opening, special, chat.asks_on(), session_id())
        except ChatError as error:
            if error.why not in ("refused", "failed"):
                return
        else:
            if opening != FIRST_CHAT:
                chat.open_with(opening)
            return


def own_templates(spec: str, letter: str) -> ChatTemplates:
    """The tokenizer's own templates; none during the search for them, or if they can't be had (with a
    message)."""
    try:
        name, find = templates_order(spec)
    except TokenizersCoreError as error:
        problem(explained(error))
        return ChatTemplates()
    return stage.build(f"playground.chat.{letter}", name, find, chat_registry) or ChatTemplates()


def template_choice(templates: ChatTemplates) -> str:
    """The choice of a template: the tokenizer's own, one of this page's, or the visitor's own; returns its
    name."""
    own = {f"{chat.OF_TOKENIZER}{name}": name for name in templates.named}
    titles = {
        **{key: _("the tokenizer's own") if name == USUAL_NAME else name for key, name in own.items()},
        **{
            name: _("{format} (written for this page)").format(format=_(one.title))
            for name, one in CHAT_FORMATS.items()
        },
        chat.MINE: _("a template of your own"),
    }
    chosen = chat.chosen_format()
    usual = next(iter(titles))
    key = "playground.chat.format.box"
    st.session_state[key] = chosen if chosen in titles else usual

    def choose() -> None:
        name = st.session_state[key]
        chat.choose_format("" if name == usual else name)

    st.selectbox(_("Chat template"), list(titles), format_func=titles.__getitem__, key=key, on_change=choose)
    if not own:
        st.caption(
            _(
                "This tokenizer comes without a chat template. The formats were written for this page, in the manner of well-known ones."
            )
        )
    return str(st.session_state[key])


def template_of(name: str, templates: ChatTemplates) -> str:
    """The template with this name; the visitor's own comes with its box."""
    if name != chat.MINE:
        own = templates.named.get(name.removeprefix(chat.OF_TOKENIZER))
        return CHAT_FORMATS[name].template if own is None else own
    key = "playground.chat.jinja.box"
    st.session_state[key] = chat.own_template()
    st.text_area(
        _("Your template, in Jinja"),
        key=key,
        height=190,
        on_change=lambda: chat.write_template(st.session_state[key]),
        help=_(
            "It finds `messages`, each with `role` and `content`, `add_generation_prompt`, and the tokenizer's special tokens, such as `bos_token`."
        ),
    )
    return chat.own_template()


def show_messages() -> None:
    """The messages: each with its role, its text, and its place."""
    result = chat.chat_rows()
    with st.container():  # however many there are, the button below stays in its place, with the focus
        for index, row in enumerate(result):
            key = f"playground.chat.row.{row.number}"
            with st.container(horizontal=True, vertical_alignment="center", gap="small", key=key):
                _message_row(index, row, last=index == len(result) - 1)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            _("Add a message"),
            key="playground.chat.add",
            on_click=chat.add,
            disabled=len(result) >= CHAT_MESSAGES,
        )
        key = "playground.chat.prompt.box"
        st.session_state[key] = chat.asks_on()
        st.toggle(
            _("Generation prompt"),
            key=key,
            on_change=lambda: chat.ask_on(st.session_state[key]),
            help=_(
                "End with what the template writes before an answer, so that the model goes on as the assistant."
            ),
        )


def _message_row(index: int, row: chat.Row, last: bool) -> None:
    """One message's widgets."""
    role, text = f"playground.chat.role.{row.number}", f"playground.chat.text.{row.number}"
    st.session_state[role], st.session_state[text] = row.turn
    number = index + 1
    st.selectbox(
        _("Role of message {number}").format(number=number),
        ROLES,
        key=role,
        on_change=lambda: chat.change(row.number, role=st.session_state[role]),
        label_visibility="collapsed",
        width=130,
    )
    st.text_area(
        _("Message {number}").format(number=number),
        key=text,
        on_change=lambda: chat.change(row.number, content=plain_text(st.session_state[text])),
        label_visibility="collapsed",
        height=68,
        width="stretch",
    )
    # Text in asterisks is for screen readers, not for the eye: the row shows the message's number.
    for name, label, does, off in (
        ("up", _("Up *(message {number})*"), partial(chat.move, row.number, -1), index == 0),
        ("down", _("Down *(message {number})*"), partial(chat.move, row.number, 1), last),
        ("out", _("Remove *message {number}*"), partial(chat.remove, row.number), False),
    ):
        key = f"playground.chat.{name}.{row.number}"
        st.button(label.format(number=number), key=key, on_click=does, disabled=off, type="tertiary")


def show_cost(analysis: Analysis, rendered: Rendered, turns: list[ChatTurn]) -> None:
    """The chat's tokens: their number, their owners, and the tokens themselves."""
    subject = analysis.subject
    whose = [owner(start, end, rendered.own) for start, end in analysis.offsets]
    special = [
        subject.token(one) in subject.style.special_tokens and not analysis.is_unknown(index)
        for index, one in enumerate(analysis.ids)
    ]
    own = sum(one is not None for one in whose)
    marks = sum(mark for one, mark in zip(whose, special, strict=True) if one is None)
    st.html(cost_html(len(analysis), own, marks))
    if own < len(analysis) and not marks:
        note(
            _(
                "To this tokenizer, the template's marks are ordinary text, which it splits into several tokens. A model that was trained with a template has a special token for each."
            )
        )
    for number, turn in enumerate(turns):
        _remarks(analysis, number, turn, whose, special, rendered)
    runs = analysis.runs(0, STRETCHES_DRAWN)
    st.html(chat_html(runs, rendered.own))
    if len(analysis.stretches) > STRETCHES_DRAWN:
        st.caption(
            _("The first {number} tokens are shown; the counts cover everything.").format(
                number=count(STRETCHES_DRAWN)
            )
        )
    table = pd.DataFrame(
        {
            _("Message"): range(1, len(turns) + 1),
            _("Role"): [turn.role for turn in turns],
            _("Tokens"): [whose.count(number) for number in range(len(turns))],
            _("Characters"): [len(turn.content) for turn in turns],
        }
    )
    show_rows(table, key="playground.chat.table")
    show_prices(whose, turns)
    st.caption(_("Ids"))
    st.code(", ".join(map(str, analysis.ids)), language=None, wrap_lines=True)
    st.caption(_("The text that the model reads"))
    st.code(rendered.text, language=None, wrap_lines=True)


def show_prices(whose: list[int | None], turns: list[ChatTurn]) -> None:
    """The chat's cost at the visitor's prices: for each answer, the model reads the whole chat before it
    again."""
    st.header(_("What the chat costs"), anchor=False)
    read, written = prices()
    answers = answers_of(whose, [turn.role for turn in turns])
    if not answers:
        note(_("There is no answer yet: add a message of the role “assistant”."))
        return
    rows = [
        {
            pgettext("in a chat", "Answer"): _("message {number}").format(number=answer.message + 1),
            _("Tokens read"): answer.read,
            _("Tokens written"): answer.written,
            _("Cost"): price_text((answer.read * read + answer.written * written) / 1_000_000),
        }
        for answer in answers
    ]
    all_read, all_written = (sum(column) for column in zip(*(one[1:] for one in answers), strict=True))
    cost = price_text((all_read * read + all_written * written) / 1_000_000)
    last = {
        pgettext("in a chat", "Answer"): _("all"),
        _("Tokens read"): all_read,
        _("Tokens written"): all_written,
        _("Cost"): cost,
    }
    show_rows(pd.DataFrame([*rows, last]), "playground.chat.costs")


def _remarks(
    analysis: Analysis,
    number: int,
    turn: ChatTurn,
    whose: list[int | None],
    special: list[bool],
    rendered: Rendered,
) -> None:
    """Oddities of a message: it can't be found again, or it contains the template's own markup."""
    if turn.content.strip() and not rendered.own[number]:
        message = _(
            "The template rewrites message {number}, or leaves it out: its tokens count as the template's."
        )
        note(message.format(number=number + 1))
    inside = [index for index, one in enumerate(whose) if one == number and special[index]]
    if inside:
        message = _(
            "Message {number} holds {token}, which the tokenizer reads as a special token: a text could pretend to be another message. Programs have to take such tokens out."
        )
        token = readable(analysis.subject.token(analysis.ids[inside[0]]))
        note(message.format(number=number + 1, token=token))
