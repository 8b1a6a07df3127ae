"""The settings of the playground's chat: in session state, and in the URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import streamlit as st

from tokensteps.catalogue.chat.conversation import FIRST_CHAT, ChatTurn, read_turns, write_turns
from tokensteps.catalogue.chat.templates import CHAT_FORMATS
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.language.i18n import _
from tokensteps.limits import CHAT_TEMPLATE_LIMIT
from tokensteps.pages.explore.why.why_state import chosen_letters
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.settings import invalid_here, read_short, write_short

MINE: Final = "mine"
"""The visitor's own template."""
OF_TOKENIZER: Final = "own/"
"""The first part of the names of a tokenizer's own templates."""
CHAT_TAB: Final = "Chat"
CHAT_TOKENIZER: Final = "playground.chat.whose"
"""In session state: the letter of the tokenizer, `with` in the URL."""


class Row(NamedTuple):
    """A message on the page; its number stays when it moves."""

    number: int
    turn: ChatTurn


def _get(name: str, usual: Any) -> Any:
    return st.session_state.setdefault(f"playground.chat.{name}", usual)


def _put(name: str, value: Any) -> None:
    st.session_state[f"playground.chat.{name}"] = value


def chat_rows() -> list[Row]:
    """The messages, in their order."""
    results: list[Row] = _get("rows", [Row(number, turn) for number, turn in enumerate(FIRST_CHAT)])
    return results


def turns() -> list[ChatTurn]:
    """The messages in the form for a template."""
    return [row.turn for row in chat_rows()]


def change(number: int, **parts: str) -> None:
    """Give a message another role or content."""
    _put(
        "rows",
        [Row(row.number, row.turn._replace(**parts)) if row.number == number else row for row in chat_rows()],
    )


def move(number: int, offset: int) -> None:
    """Move a message up or down."""
    moved = chat_rows().copy()
    at = next((index for index, row in enumerate(moved) if row.number == number), None)
    if at is None:  # removed by a click just before
        return
    row = moved.pop(at)
    moved.insert(max(0, at + offset), row)
    _put("rows", moved)


def remove(number: int) -> None:
    """Take a message away."""
    _put("rows", [row for row in chat_rows() if row.number != number])


def is_new() -> bool:
    """Whether the messages are still the page's first ones, not a link's."""
    return turns() == [*FIRST_CHAT] and not _get("linked", False)


def open_with(opening: Sequence[ChatTurn]) -> None:
    """Begin with other messages."""
    _put("rows", [])
    _append([*opening])


def add() -> None:
    """Add a message of the next speaker: the assistant answers, the user asks."""
    last = chat_rows()[-1].turn.role if chat_rows() else "assistant"
    _append([ChatTurn("assistant" if last == "user" else "user", "")])


def _append(more: list[ChatTurn]) -> None:
    """Add messages, each with a number never used before: the browser's boxes are known by them."""
    first = 1 + max([_get("last", len(FIRST_CHAT)), *(row.number for row in chat_rows())])
    _put("rows", [*chat_rows(), *(Row(first + index, turn) for index, turn in enumerate(more))])
    _put("last", first + len(more))


def chosen_format() -> str:
    """The name of the chosen template; "" for the usual one."""
    return str(_get("format", ""))


def choose_format(name: str) -> None:
    """Choose a template by its name."""
    _put("format", name)


def own_template() -> str:
    """The visitor's own template; at first one of this page's."""
    return str(_get("jinja", CHAT_FORMATS["chatml"].template))


def write_template(text: str) -> None:
    """Keep the visitor's template."""
    _put("jinja", plain_text(text))


def asks_on() -> bool:
    """Whether the chat ends with the prompt for the model's answer."""
    return bool(_get("prompt", True))


def ask_on(on: bool) -> None:
    """Turn this prompt on or off."""
    _put("prompt", on)


def read_chat_url(url: Mapping[str, str], letters: str, afresh: bool, complaints: list[str]) -> None:
    """Read the chat from a URL, with a tokenizer of one of these `letters`; with `afresh`, missing parameters
    mean the usual values. A link with a chat opens the tab."""
    if "with" in url or afresh:
        st.session_state[CHAT_TOKENIZER] = letter = url.get("with", LETTERS[0])
        if letter not in [*letters]:
            complaints.append(invalid_here("with", letter))
            st.session_state[CHAT_TOKENIZER] = LETTERS[0]
    if "chat" in url:
        text = read_short(url["chat"])
        result = None if text is None else read_turns(text)
        if result is None:
            complaints.append(_("The chat in this link is damaged or gone: ask for the link again."))
        else:
            open_with(result)
            _put("linked", True)
            st.session_state["playground.tab.open"] = CHAT_TAB
            st.session_state["playground.tab"] = _(CHAT_TAB)
    elif afresh:
        _put("linked", False)
        _put("rows", [Row(number, turn) for number, turn in enumerate(FIRST_CHAT)])
    if "jinja" in url:
        written = read_short(url["jinja"])
        if written is None or len(written) > CHAT_TEMPLATE_LIMIT:
            complaints.append(_("The chat template in this link is damaged or gone: ask for the link again."))
        else:
            write_template(written)
    for name, usual in (("format", ""), ("prompt", "1")):
        if name in url or afresh:
            value = url.get(name, usual)[:80]
            if (
                name == "format"
                and value not in ("", *CHAT_FORMATS, MINE)
                and not value.startswith(OF_TOKENIZER)
            ):
                complaints.append(invalid_here("format", value))
                value = usual
            _put(name, value != "0" if name == "prompt" else value)


def chat_url() -> dict[str, str | None]:
    """The chat as URL parameters; None for usual values."""
    chosen, letter = chosen_format(), st.session_state.get(CHAT_TOKENIZER)
    return {
        "with": letter if letter in [*chosen_letters()[1:]] else None,
        "chat": None if turns() == [*FIRST_CHAT] else write_short(write_turns(turns())),
        "format": chosen or None,
        "jinja": write_short(own_template()) if chosen == MINE else None,
        "prompt": None if asks_on() else "0",
    }
