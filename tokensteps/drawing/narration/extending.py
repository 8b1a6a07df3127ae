"""What is said of merges learned on top of a tokenizer's, and why none in the middle can be cut out."""

from __future__ import annotations

from html import escape
from typing import Final

from tokenizers_core import MergeTrace
from tokenizers_core.training.options.trimming import CutOut
from tokensteps.drawing.tokens import Style, chips, fill, pair_chips
from tokensteps.language.i18n import _, count, ngettext

STRANDED_LISTED: Final = 24
"""How many tokens are listed that no text produces any more."""


def corpus_html(trace: MergeTrace) -> str:
    """What the old tokenizer made of the corpus, and what the new one makes of it."""
    totals = trace.token_totals
    shares = [f"{total / max(1, trace.corpus.characters):.3f}" for total in (totals[0], totals[-1])]
    figures = (
        (_("Corpus: tokens, old"), count(totals[0])),
        (_("Corpus: tokens, new"), count(totals[-1])),
        (_("Tokens per character, old"), shares[0]),
        (_("Tokens per character, new"), shares[1]),
    )
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>" for name, figure in figures
    )
    return f'<dl class="ts counts">{cells}</dl>'


def cut_html(found: CutOut, style: Style) -> str:
    """What would come of the vocabulary without one merge in the middle."""
    lead = fill(
        escape(_("Take one merge out, {pair} into {token}, and nothing makes {token} any more.")),
        pair=pair_chips(found.pair, style),
        token=chips([found.token], style),
    )
    idle = ngettext(
        "{number} later merge never happens, since it needs a token that nothing makes.",
        "{number} later merges never happen, since they need a token that nothing makes.",
        len(found.idle),
    ).format(number=count(len(found.idle)))
    stranded = ngettext(
        "{number} token stays in the vocabulary and takes an id, but no text produces it:",
        "{number} tokens stay in the vocabulary and take ids, but no text produces them:",
        len(found.stranded),
    ).format(number=count(len(found.stranded)))
    end = _("The last merges can go because no other merge needs them.")
    listed = chips(found.stranded[:STRANDED_LISTED], style)
    more = "" if len(found.stranded) <= STRANDED_LISTED else " …"
    return (
        f'<div class="ts"><p>{lead}</p><p>{escape(idle)} {escape(stranded)}</p>'
        f'<div class="ts row wide">{listed}{more}</div><p>{escape(end)}</p></div>'
    )
