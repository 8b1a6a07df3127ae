"""Snapshot → frame for Unigram training: a piece pruned, an E step, an M step, with the words and the pieces.

A frame is a pure function of its snapshot, the style and the language in use. Its sentences are in
`drawing/narration/`, the panel of words in `resplits`, the panel of pieces in `pieces`.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from tokenizers_core.training.unigram_trace import UnigramSnapshot
from tokensteps.drawing.code_steps import code_attributes, unigram_beats
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.errata import unigram_erratum
from tokensteps.drawing.narration.pruning import rule_sentences, tell_end, tell_margin, tell_unigram
from tokensteps.drawing.narration.text_format import Marked, Plain
from tokensteps.drawing.stage_markup import CANDIDATE_ROWS, WORD_ROWS, stage_html, start_label, strip_html
from tokensteps.drawing.tokens import Style, chip, token_html
from tokensteps.drawing.training.pieces import pieces_panel
from tokensteps.drawing.training.resplits import splits_panel
from tokensteps.language.i18n import N_, _, count, ngettext, sentences
from tokensteps.language.marks import first_marks

ERRATUM_ROWS: Final = 3
"""Rows of words replaced by an erratum."""
RULES_ROWS: Final = 2
"""Rows replaced by the sentences on several rules."""
STRIP_PIECES: Final = 48
STEP_NAMES: Final[Mapping[str, str]] = {
    "e_step": N_("E step"),
    "m_step": N_("M step"),
    "finalize": N_("Finalize"),
}
"""Kind of step → the name of later steps without a prune."""


def prune_frame(snapshot: UnigramSnapshot, style: Style, ahead: bool = True, **_options: bool) -> Frame:
    """The frame of one step of Unigram training; with `ahead=False` it gives nothing away of the next step. A
    question about that (`_options`) changes nothing: it has its own list of pieces."""
    event, ending = snapshot.event, tell_end(snapshot)
    voice, plain = Marked(style), Plain(style)
    lead, why, figures = tell_unigram(snapshot, voice)
    why = sentences(why, escape(ending)) + (next_resplit(snapshot) if ahead else "")
    erratum = unigram_erratum(snapshot, style)
    # Notes on several rules take the place of rows: the parts below stay in sight.
    is_long = event.kind == "start" and len(rule_sentences(snapshot.trace, plain)) > 1
    rows = WORD_ROWS - (ERRATUM_ROWS if erratum else RULES_ROWS if is_long else 0)
    html = stage_html(
        f'{lead}</p><p class="why">{why}',
        splits_panel(snapshot, style, rows) + erratum,
        pieces_panel(snapshot, style, ahead, CANDIDATE_ROWS - (RULES_ROWS if is_long else 0)),
        code_attributes(unigram_beats(snapshot, style)) + (" data-long" if is_long else ""),
        sentences(figures, tell_margin(snapshot, voice) if ahead else ""),
    ) + pieces_strip(snapshot, style)
    spoken = sentences(*tell_unigram(snapshot, plain), tell_margin(snapshot, plain) if ahead else "", ending)
    label = token_html(event.piece, style) if event.kind == "prune" else escape(step_name(event.kind))
    return Frame(first_marks(html), spoken, label, pieces_status(snapshot))


def step_name(kind: str) -> str:
    """The name of a step without a prune."""
    return start_label() if kind == "start" else _(STEP_NAMES[kind])


def next_resplit(snapshot: UnigramSnapshot) -> str:
    """On a step without a re-split word, a button to the next step with one."""
    resplit = snapshot.trace.record.resplit
    if snapshot.step in resplit:
        return ""
    following = next((step for step in resplit if step > snapshot.step), None)
    if following is None:
        return ""
    text = _("Next re-segmented word: step {step}").format(step=following)
    return f' <button type="button" class="go" data-step="{following}">{escape(text)}</button>'


def pieces_status(snapshot: UnigramSnapshot) -> str:
    """How far pruning has come."""
    trace = snapshot.trace
    size, wanted = trace.record.sizes[snapshot.step], trace.settings["vocab_size"]
    if wanted is not None:
        wanted -= len(trace.special_tokens)
    if wanted is None or size <= wanted:
        return ngettext("{size} piece", "{size} pieces", size).format(size=count(size))
    message = ngettext("{size} → {wanted} piece", "{size} → {wanted} pieces", wanted)
    if size >= 1000:  # room is short
        message = _("{size} → {wanted}")
    return message.format(size=count(size), wanted=count(wanted))


def pieces_strip(snapshot: UnigramSnapshot, style: Style) -> str:
    """The remaining longer pieces, most probable first."""
    shown = snapshot.trace.likeliest_at(snapshot.step, STRIP_PIECES)
    more = snapshot.trace.record.sizes[snapshot.step] - len(shown) - len(snapshot.trace.alphabet)
    drawn = "".join(chip(piece, style) for piece in shown) or escape(_("none"))
    return strip_html(_("Longer pieces left, most probable first"), drawn, max(0, more))
