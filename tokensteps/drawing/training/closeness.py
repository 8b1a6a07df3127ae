"""The closeness of a step: the words that could tip it, with the necessary changes, as a table of markup."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from tokenizers_core.counterfactual.recounting import corpus_of
from tokenizers_core.counterfactual.tipping import Tip, Tipping
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.narration.closeness import tell_choice
from tokensteps.drawing.narration.text_format import Markup
from tokensteps.drawing.tokens import Style, chips
from tokensteps.language.i18n import _, count


def tipping_html(
    trace: AnyTrace, step: int, tippings: Mapping[str, Tipping], bound: int, style: Style
) -> str:
    """Each word's split before the step, its count, and the first change in each direction that tips the
    step."""
    splits = trace.snapshot(max(0, step - 1)).splits(tippings)
    counts = dict(corpus_of(trace, step).items())
    names = (
        _("Word"),
        _("Occurs now"),
        _("If it occurred more often"),
        _("If it occurred less often"),
    )
    head = "".join(f"<th>{escape(name)}" for name in names)
    rows = "".join(
        f'<tr><td><span class="row">{chips(splits[word], style)}</span><td>{count(counts[word])}'
        + "".join(f"<td>{tip_html(tip, counts[word], bound, style)}" for tip in tipping)
        for word, tipping in tippings.items()
    )
    return f'<div class="ts scroll"><table class="tipping"><tr>{head}{rows}</table></div>'


def tip_html(tip: Tip | None, number: int, bound: int, style: Style) -> str:
    """A change, the resulting count, and the new choice."""
    if tip is None:
        none = escape(_("not within {bound}").format(bound=count(bound)))
        return f'<span class="none">{none}</span>'
    change = f"{'+' if tip.change > 0 else '−'}{count(abs(tip.change))}"
    text = tell_choice(tip.instead, Markup(style))
    return f'<b>{change}</b> <span class="to">→ {count(number + tip.change)}:</span> {text}'
