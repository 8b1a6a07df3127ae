"""Above the words of parity-aware BPE: how many tokens each language's lines take, and which language chose."""

from __future__ import annotations

from html import escape

from tokenizers_core.training.kinds.paritybpe import ParityMergeEvent, ParityTrace
from tokenizers_core.training.merge_trace import MergeSnapshot
from tokensteps.drawing.stage_markup import bar, heading, mark_html, table_html
from tokensteps.language.i18n import _, count


def languages_panel(snapshot: MergeSnapshot) -> str:
    """Each language's tokens as a bar, before the merge of this step; nothing for other kinds of BPE."""
    trace, event = snapshot.trace, snapshot.event
    if not isinstance(trace, ParityTrace):
        return ""
    chose = event.language if isinstance(event, ParityMergeEvent) else ""
    tokens = trace.parallel_tokens(max(0, snapshot.step - 1))
    told = _("chooses")
    lines, most = trace.parallel_lines(), max(tokens.values()) or 1
    rows = "".join(
        f"<tr{' class=now' if language == chose else ''}>"
        f"<td>{escape(language)}{mark_html(told if language == chose else '')}"
        f"<td>{count(number)}<td>{number / max(1, lines[language]):.1f}"
        f"<td>{bar(number / most)}"
        for language, number in tokens.items()
    )
    return heading(_("Tokens of the parallel lines")) + table_html(
        (_("language"), _("tokens"), _("per line"), ""), rows
    )
