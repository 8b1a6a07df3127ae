"""The playground's tokens as chips, a page at a time, each with a card of facts about it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import streamlit as st

from tokenizers_core.errors import Phrase
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.subjects import Facts, Subject
from tokensteps.components.chips import linked_chips
from tokensteps.drawing.chips import Shown, TextRun, chips_message
from tokensteps.drawing.tokens import chip, fill, token_html
from tokensteps.language.i18n import _, count, current_language, ngettext
from tokensteps.limits import (
    CARDS_KEPT,
    NORMALIZED_LIMIT,
)
from tokensteps.pages.explore.playground_state import playground_value
from tokensteps.server.shelf import Shelf
from tokensteps.widgets.notes import note

STRETCHES_SHOWN = 2_500
"""Stretches of text on one page of chips."""
_known_facts: Shelf[tuple[Subject, int, str], str] = Shelf(CARDS_KEPT)


def show_chips(analysis: Analysis) -> None:
    """The tokens, a page at a time."""
    subject, text = analysis.subject, analysis.text
    for remark in subject.notes:
        note(remark_text(remark))
    sample = text[:NORMALIZED_LIMIT]
    normalized = subject.normalized(sample)
    if normalized != sample:
        shown = token_html(normalized[:80]) + ("…" if len(normalized) > 80 else "")
        message = _(
            "This tokenizer normalizes text before looking for tokens: {text} (except special tokens). The chips show your original."
        )
        st.html(f'<div class="ts note">{fill(message, text=f"<samp>{shown}</samp>")}</div>')
    pages = max(1, -(-len(analysis.stretches) // STRETCHES_SHOWN))
    page = min(st.session_state.get("playground.page", 1), pages)
    if page < st.session_state.get("playground.page", 1):
        st.session_state["playground.page"] = page  # the text has become shorter
    first, last = (page - 1) * STRETCHES_SHOWN, page * STRETCHES_SHOWN
    runs = analysis.runs(first, last)
    before = analysis.stretches[first].first if runs else 0
    data = chips_message(
        runs,
        Shown(playground_value("write"), playground_value("spaces"), subject.style),
        cards_html(analysis, runs),
        chip_labels(),
        f"{subject.name}:{page}:{current_language()}",
        linked=not playground_value("escapes") or text == playground_value("text"),
        first=before,
        total=len(analysis),
    )
    linked_chips(data, key="playground.chips")
    if pages > 1:
        message = _("Tokens {first} to {last} of {all} are shown; the counts cover everything.")
        drawn = sum(len(run.pieces) for run in runs)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.pagination(pages, key="playground.page")
            st.caption(
                message.format(first=count(before + 1), last=count(before + drawn), all=count(len(analysis)))
            )


def remark_text(remark: str) -> str:
    """A remark about a tokenizer, in the language in use; the tokenizer may have been loaded for somebody with another language."""
    if isinstance(remark, Phrase):
        return _(remark.template).format(**remark.evidence)
    return _(remark)


def chip_labels() -> dict[str, str]:
    """The words on the chips and around them."""
    return {
        "pane": _("Tokens"),
        "chip": _("{text}: {ids}"),
        "unknown": _("unk"),
        "ids": _("Ids"),
        "card": _("The token"),
        "hint": _("Point at a token, or move through them with the arrow keys."),
        "empty": _("No text, no tokens."),
        "token": _("Token {index} of {total}"),
        "tokens": _("Tokens {index} to {last} of {total}"),
        "characters": _("offsets ({start}, {end})"),
        "copy_ids": _("Copy ids"),
        "copy_tokens": _("Copy tokens"),
        "copy_text": _("Copy text"),
        "copied": _("{number} of {total} tokens copied"),
        "language": current_language(),
    }


def cards_html(analysis: Analysis, runs: Iterable[TextRun]) -> dict[int, str]:
    """A card for each token in the runs: what is known about it, and how often it occurs in the text."""
    cards = {}
    for identifier in {piece.id for run in runs for piece in run.pieces}:
        times = analysis.occurrences[identifier]
        told = ngettext("once in this text", "{number} times in this text", times).format(number=count(times))
        cards[identifier] = f"{token_facts_html(analysis.subject, identifier)}<p>{escape(told)}</p>"
    return cards


def token_facts_html(subject: Subject, identifier: int) -> str:
    """What is known about a token, whatever the text, in the language in use."""
    known = (subject, identifier, current_language())
    found = _known_facts.get(known)
    if found is None:
        found = _write_facts(subject, identifier)
        _known_facts.put(known, found, len(found))
    return found


def _write_facts(subject: Subject, identifier: int) -> str:
    token, data, facts = subject.token(identifier), subject.token_bytes(identifier), subject.facts(identifier)
    style = subject.style
    hexadecimal = " ".join(f"{byte:02X}" for byte in data[:32]) + (" …" if len(data) > 32 else "")
    rows = [
        (_("Id"), f"<code>{identifier}</code>"),
        (_("In the vocabulary"), f"<code>{token_html(token, style._replace(show='symbols'))}</code>"),
        (_("Bytes"), f"<code>{hexadecimal or '–'}</code>"),
        *_training_facts(facts, subject),
    ]
    if identifier == subject.unknown_id:
        rows.append((_("Kind"), escape(_("unknown: no token spells this"))))
    elif token in subject.only_added:
        rows.append((_("Kind"), escape(_("added token, not special: ordinary text that is kept whole"))))
    elif token in style.special_tokens:
        rows.append((_("Kind"), escape(_("special token"))))
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{value}</dd>" for name, value in rows)
    return f"<div>{chip(token, style)}<dl>{listed}</dl></div>"


def _training_facts(facts: Facts, subject: Subject) -> list[tuple[str, str]]:
    rows = []
    if facts.parts is not None:
        parts = " + ".join(chip(part, subject.style) for part in facts.parts)
        rows.append((_("Merged from"), f'<span class="parts">{parts}</span>'))
    if facts.rank is not None:
        rows.append((_("Rank"), f"<code>{count(facts.rank)}</code>"))
    if facts.score is not None:
        rows.append((_("Log probability"), f"<code>{facts.score:.4f}</code>"))
    if facts.freq is not None:
        name = _("Count in training") if facts.parts is None else _("Pair's count at merge")
        rows.append((name, f"<code>{count(facts.freq)}</code>"))
    return rows
