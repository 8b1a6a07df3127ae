"""Parity-aware BPE: the tokens of each language's lines, the choosing language, and plain BPE's tokens for
comparison."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from tokenizers_core.measures import gini
from tokenizers_core.training.kinds.paritybpe import ParityMergeEvent, ParityTrace
from tokenizers_core.training.merge_trace import MergeSnapshot
from tokensteps.drawing.stage_markup import bar, heading, mark_html, table_html
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.measures import measure_name, measure_text
from tokensteps.language.names import choice_name, language_name


def languages_panel(snapshot: MergeSnapshot) -> str:
    """Each language's tokens as a bar, before the merge of this step; nothing for other kinds of BPE."""
    trace, event = snapshot.trace, snapshot.event
    if not isinstance(trace, ParityTrace):
        return ""
    chose = event.language if isinstance(event, ParityMergeEvent) else ""
    tokens = trace.parallel_tokens(max(0, snapshot.step - 1))
    text = _("chooses")
    lines, most = trace.parallel_lines(), max(tokens.values()) or 1
    rows = "".join(
        f"<tr{' class=now' if language == chose else ''}>"
        f"<td>{escape(language_name(language))}{mark_html(text if language == chose else '')}"
        f"<td>{count(number)}<td>{number / max(1, lines[language]):.1f}"
        f"<td>{bar(number / most)}"
        for language, number in tokens.items()
    )
    return heading(_("Tokens of the parallel lines")) + table_html(
        (_("language"), _("tokens"), _("per line"), ""), rows, "languages"
    )


def gini_of_lines(trace: ParityTrace, tokens: Mapping[str, int]) -> str:
    """How unequal the languages' tokens per line are: plain text."""
    lines = trace.parallel_lines()
    return measure_text("gini", gini([number / max(1, lines[name]) for name, number in tokens.items()]))


def beside_plain_html(trace: ParityTrace, step: int) -> str:
    """Each language's tokens after `step` merges, and after as many of plain BPE; below, how unequal they
    are."""
    parity, plain = trace.parallel_tokens(step), trace.plain_tokens(step)
    most = max(*parity.values(), *plain.values()) or 1

    def track(share: float) -> str:
        return f'<span class="track">{bar(share)}</span>'

    rows = "".join(
        f"<tr><td>{escape(language_name(language))}"
        f"<td>{count(number)}<td>{track(number / most)}"
        f"<td>{count(plain[language])}<td>{track(plain[language] / most)}"
        for language, number in parity.items()
    )
    last = f"<tr><td>{escape(measure_name('gini'))}<td>{gini_of_lines(trace, parity)}<td><td>{gini_of_lines(trace, plain)}<td>"
    text = ngettext(
        "Tokens of the parallel lines after {step} merge",
        "Tokens of the parallel lines after {step} merges",
        step,
    )
    table = table_html(
        (_("language"), choice_name("kind", "paritybpe"), "", choice_name("kind", "plain"), ""),
        rows + last,
        "beside",
    )
    return f'<div class="ts segmentations">{heading(text.format(step=count(step)))}{table}</div>'
