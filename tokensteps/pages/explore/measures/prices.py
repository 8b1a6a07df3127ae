"""The visitor's prices, and the cost of tokens at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from tokensteps.language.i18n import _

DEAREST = 1_000_000.0


def prices() -> tuple[float, float]:
    """Per million tokens: a model's input, and its output. They stay while the session lasts."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = [
            st.number_input(
                label,
                min_value=0.0,
                max_value=DEAREST,
                value=usual,
                step=0.1,
                format="%.4f",
                key=f"playground.price.{name}",
                persist_state="session",
                width=240,
            )
            for name, label, usual in (
                ("in", _("Price of a million tokens read"), 1.0),
                ("out", _("Price of a million tokens written"), 4.0),
            )
        ]
    st.caption(_("The prices are examples: type those of your model, in any currency."))
    read, written = typed
    return read or 0.0, written or 0.0


class AnswerCost(NamedTuple):
    """One answer of a chat: the tokens before it (the model's input), and its own."""

    message: int
    read: int
    written: int


def answers_of(owners: Sequence[int | None], roles: Sequence[str]) -> list[AnswerCost]:
    """A chat's answers, from its tokens' owners (messages from 0, or the template): before each, all is read
    again.

    >>> answers_of([None, 0, 0, None, 1, None, 2, 3, 3], ["user", "assistant", "user", "assistant"])
    [AnswerCost(message=1, read=4, written=1), AnswerCost(message=3, read=7, written=2)]
    """
    results = []
    for number, role in enumerate(roles):
        if role == "assistant" and number in owners:
            results.append(AnswerCost(number, owners.index(number), owners.count(number)))
    return results
