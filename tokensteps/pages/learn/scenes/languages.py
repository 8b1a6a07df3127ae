"""The scene on languages: the same sentences in six of them, with the share of a context window and the
price."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

import streamlit as st

from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.drawing.stage_markup import bar
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.names import language_name
from tokensteps.language.numbers import percent, price_text
from tokensteps.limits import RENEW_LIMIT, SCENE_LINES, WINDOW_LIMIT
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.parallel import parallel_lines
from tokensteps.runs.settings import invalid_here
from tokensteps.teaching.scenes.scene_questions import times_as
from tokensteps.widgets.boxes import too_long
from tokensteps.widgets.notes import problem

LINES: Final = "matters.text.languages"
"""In session state: one text a line, for the learner to change,"""
FORTY: Final = "matters.forty"
"""whether all forty lines are counted instead,"""
WINDOW: Final = "matters.window"
"""the size of a context window,"""
PRICE: Final = "matters.price"
"""and the price of a million tokens."""
USUAL_PRICE: Final = 1.0
PRICE_WRITTEN: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)
MOST_PRICE: Final = 1_000_000.0
MILLION: Final = 1_000_000
TIMES_READ: Final = 1_000
"""The number of readings to pay for: a single one costs too little to be written."""


class Cost(NamedTuple):
    """The cost of one text with a tokenizer."""

    name: str
    """Plain text."""
    tokens: int


def first_lines() -> str:
    """The first sentence in all languages."""
    return "\n".join(lines[0] for lines in parallel_lines().values())


def costs_of(subject: ShownTokenizer, texts: Sequence[tuple[str, Sequence[str]]]) -> list[Cost]:
    """The tokens of texts, each named and in lines; each line is encoded by itself."""
    return [
        Cost(name, sum(len(subject.encode(line, specials=False).ids) for line in lines))
        for name, lines in texts
    ]


def named_lines(text: str) -> list[tuple[str, list[str]]]:
    """The lines of a text, the app's own named by their language, others numbered.

    >>> [name for name, _lines in named_lines("Das Brot ist noch warm.\\n\\nMahlzeit!")]
    ['German', 'Line 2']
    """
    ours = {line: language for language, lines in parallel_lines().items() for line in lines}
    results = []
    for number, line in enumerate((one for one in text.splitlines() if one.strip()), start=1):
        language = ours.get(line.strip())
        name = language_name(language) if language else _("Line {number}").format(number=count(number))
        results.append((name, [line.strip()]))
    return results


def read_price(text: str, complaints: list[str]) -> float:
    """A price in a link; the usual one without any, or for an impossible one (added to `complaints`).

    >>> read_price("0.15", []), read_price("", []), read_price("nan", []), read_price("1e9", [])
    (0.15, 1.0, 1.0, 1.0)
    """
    if not text:
        return USUAL_PRICE
    price = float(text) if PRICE_WRITTEN.fullmatch(text) else -1.0
    if 0 <= price <= MOST_PRICE:
        return price
    complaints.append(invalid_here("price", text))
    return USUAL_PRICE


def write_price(price: float) -> str:
    """A price in a link.

    >>> [write_price(price) for price in (0, 0.00002, 123456.78, 1_000_000)]
    ['0', '0.00002', '123456.78', '1000000']
    """
    return f"{price:.9f}".rstrip("0").rstrip(".")


def costs_html(name: str, costs: Sequence[Cost], window: int, price: float) -> str:
    """One tokenizer's table: a row for each text."""
    most = max((cost.tokens for cost in costs), default=1) or 1
    first = costs[0].tokens
    heads = (
        *("", "", _("Tokens"), _("Times the first"), _("Of the context window")),
        _("Price of {number} readings").format(number=count(TIMES_READ)),
    )
    head = "".join(f"<th>{escape(one)}</th>" for one in heads)
    cells = "".join(
        f"<tr><th>{escape(cost.name)}</th><td>{bar(cost.tokens / most)}</td><td>{count(cost.tokens)}</td>"
        f"<td>{times_as(cost.tokens, first)}</td><td>{percent(f'{100 * cost.tokens / window:.1f}')}</td>"
        f"<td>{price_text(cost.tokens * price * TIMES_READ / MILLION)}</td></tr>"
        for cost in costs
    )
    return (
        f'<table class="ts shares costs"><caption>{escape(name)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{cells}</tbody></table>"
    )


def languages(subjects: Sequence[ShownTokenizer]) -> None:
    """The same text in several languages: tokens, share of a context window, price."""
    left, middle, right = st.columns([2, 1, 1], vertical_alignment="bottom")
    left.segmented_control(
        _("Counted text"),
        [False, True],
        format_func=lambda forty: _("All forty sentences") if forty else _("The lines below"),
        key=FORTY,
        required=True,
        persist_state="session",
    )
    window = middle.number_input(
        _("Context window"), 1, WINDOW_LIMIT, key=WINDOW, step=1, persist_state="session"
    )
    price = right.number_input(
        _("Price of a million tokens"), 0.0, MOST_PRICE, key=PRICE, step=0.1, persist_state="session"
    )
    if st.session_state[FORTY]:
        texts: list[tuple[str, Sequence[str]]] = [
            (language_name(language), lines) for language, lines in parallel_lines().items()
        ]
    else:
        typed = plain_text(
            st.text_area(
                _("One text a line: the first is what the others are compared with"),
                key=LINES,
                height=175,
                persist_state="session",
            )
        )
        if len(typed) > RENEW_LIMIT:
            problem(too_long(_("One text a line"), len(typed), RENEW_LIMIT))
            return
        texts = [*named_lines(typed)]
        if len(texts) > SCENE_LINES:
            left_out = len(texts) - SCENE_LINES
            st.caption(
                ngettext(
                    "{number} more line is left out.", "{number} more lines are left out.", left_out
                ).format(number=count(left_out))
            )
            texts = texts[:SCENE_LINES]
        if not texts:
            problem(_("Write a text, one line for each language."))
            return
    st.html(
        "".join(costs_html(subject.name, costs_of(subject, texts), window, price) for subject in subjects)
    )
