"""Markup for the training pages' tabs: a word through the steps, a token's lineage, an encoded text, where
two runs part."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tokenizers_core.encoding.encoding import Encoding
from tokenizers_core.training.merge_trace import Lineage, MergeTrace
from tokensteps.drawing.tokens import Style, chip, chips, fill, pair_chips
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.language.names import KindWords, choice_name

TOKENS_SHOWN = 600
ROWS_SHOWN = 400
LINEAGE_DEPTH = 40


def story_html(history: Sequence[tuple[int, tuple[str, ...]]], step: int, style: Style) -> str:
    """A word's segmentations, one per row, each with its step; the current one is marked."""
    now = max(result for result, _tokens in history if result <= step)
    rows = []
    for result, tokens in history[:ROWS_SHOWN]:
        name = _("step {step}").format(step=result) if result else _("start")
        classes = "n at" if result == now else "n"
        later = " later" if result > step else ""
        more = "" if len(tokens) <= TOKENS_SHOWN else escape(_("… cut here"))
        rows.append(
            f'<span class="{classes}">{escape(name)}</span>'
            f'<span class="row{later}">{chips(tokens[:TOKENS_SHOWN], style)}{more}</span>'
        )
    if len(history) > ROWS_SHOWN:
        rows.append('<span class="n">…</span><span class="row">' + escape(_("… cut here")) + "</span>")
    return f'<div class="ts story">{"".join(rows)}</div>'


def lineage_html(lineage: Lineage, style: Style, by_rank: bool = False) -> str:
    """A token above the two it was made from, down to the alphabet; `by_rank` names merges by their ranks,
    from 0."""
    return f'<div class="ts scroll">{_branch(lineage, style, LINEAGE_DEPTH, by_rank)}</div>'


def _branch(lineage: Lineage, style: Style, depth: int, by_rank: bool) -> str:
    result = _("step {step}").format(step=lineage.step) if lineage.step else _("alphabet")
    if by_rank:
        result = _("rank {rank}").format(rank=count(lineage.step - 1)) if lineage.step else ""
    parts = "".join(_branch(part, style, depth - 1, by_rank) for part in lineage.parts) if depth else "…"
    below = f'<span class="parts">{parts}</span>' if lineage.parts else ""
    return f'<span class="tree">{chip(lineage.token, style)}<small>{escape(result)}</small>{below}</span>'


def encoding_html(encoding: Encoding, style: Style) -> str:
    """The tokens of a text with their ids."""
    number = len(encoding.ids)
    text = ngettext("{number} token", "{number} tokens", number).format(number=count(number))
    tokens = "".join(
        f'<span class="id">{chip(token, style)}<small>{identifier}</small></span>'
        for token, identifier in list(zip(encoding.tokens, encoding.ids, strict=True))[:TOKENS_SHOWN]
    )
    return f'<div class="ts encoded">{tokens}<span class="k">{escape(text)}</span></div>'


def parting_html(trace: MergeTrace, rival: MergeTrace, step: int, style: Style) -> str:
    """Two runs at the first step with different merges."""
    rows = "".join(f"<p>{_parting_row(run, step, style)}</p>" for run in (trace, rival))
    text = _("The runs diverge at step {step}, where both pairs are equally good.")
    return f'<div class="ts parting"><p>{fill(text, step=f"<b>{step}</b>")}</p>{rows}</div>'


def _parting_row(run: MergeTrace, step: int, style: Style) -> str:
    rule = choice_name("ties", run.settings["tie_rule"])
    freq, tokens = run.record.frequencies[step - 1], run.token_totals[-1]
    merged = fill(
        ngettext("With {rule}: {pair}, {freq} time.", "With {rule}: {pair}, {freq} times.", freq),
        rule=f"<b>{escape(rule)}</b>",
        pair=pair_chips(run.pair_of(step), style),
        freq=count(freq),
    )
    left = ngettext(
        "At the end: {tokens} token in the corpus.", "At the end: {tokens} tokens in the corpus.", tokens
    )
    return sentences(merged, fill(left, tokens=count(tokens)))


def vocabularies_html(
    trace: MergeTrace, rival: MergeTrace, style: Style, ours: str = "", theirs: str = ""
) -> str:
    """The learned tokens of two runs: shared ones, and each one's own. `ours` and `theirs` (translated, plain
    text) name the runs' own; the default is this page's WordPiece and the library's, at the same size."""
    here, there = set(trace.step_of_token), set(rival.step_of_token)
    rows = (
        (_("Learned by both"), [token for token in trace.step_of_token if token in there]),
        (
            ours or _("Only here, by score"),
            [token for token in trace.step_of_token if token not in there],
        ),
        (
            theirs or _("Only in the library, by count"),
            [token for token in rival.step_of_token if token not in here],
        ),
    )
    line = _("{letter}: {told}")
    shown = "".join(
        f'<span class="n">{escape(line.format(letter=name, told=count(len(tokens))))}</span>'
        f'<span class="row">{chips(tokens[:80], style)}{"…" if len(tokens) > 80 else ""}</span>'
        for name, tokens in rows
    )
    return f'<div class="ts story">{shown}</div>'


def kind_html(words: KindWords) -> str:
    """A kind of BPE: its paper, the paper's claims and measurements, and the part shown on the page."""
    link = f'<a href="{escape(words.link)}">{escape(words.source)}</a>'
    parts = (
        (_("Paper"), link),
        (_("Its claim"), escape(_(words.claims))),
        (_("Here"), escape(_(words.here))),
    )
    return (
        '<dl class="ts about">'
        + "".join(f"<dt>{escape(name)}</dt><dd>{text}</dd>" for name, text in parts)
        + "</dl>"
    )
