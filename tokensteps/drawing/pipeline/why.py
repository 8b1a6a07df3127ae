"""Why these tokens: the stages before the model, the lineage of a word's tokens, and the obstacle to another
split."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from tokenizers_core.encoding.reasons import Join, Reason
from tokenizers_core.training.merge_trace import Lineage
from tokensteps.drawing.narration.text_format import Marked
from tokensteps.drawing.narration.why import tell_reason
from tokensteps.drawing.tabs import lineage_html
from tokensteps.drawing.tokens import Style, chips, token_html
from tokensteps.language.i18n import _
from tokensteps.language.marks import first_marks

SPACED_TEXT: Final = Style(show="spaces")
"""How text is shown before a stage writes it in the byte alphabet."""
STRETCHES_LISTED: Final = 40
"""The most stretches of a text shown for a stage."""


class StageRow(NamedTuple):
    """A stage for display: its name, its kind, and the stretches of text after it."""

    name: str
    kind: str
    texts: Sequence[str]
    in_bytes: bool = False
    """Whether it writes them in the byte alphabet."""


def stages_html(text: str, stages: Sequence[StageRow], model: StageRow, style: Style) -> str:
    """The text after each stage, or one word for a stage without an effect; the last one is the model with
    its tokens, if any."""
    rows = _stage_html(StageRow(_("Text"), "", (text,)), _stretches_html((text,), SPACED_TEXT))
    before, manner = [text], SPACED_TEXT
    same = _remark(_("unchanged"))
    for stage in stages:
        manner = style._replace(show="letters") if stage.in_bytes else manner
        rows += _stage_html(stage, same if [*stage.texts] == before else _stretches_html(stage.texts, manner))
        before = [*stage.texts]
    if model.texts:
        rows += _stage_html(model, chips(model.texts, style))
    return f'<div class="ts story why">{rows}</div>'


def _stage_html(stage: StageRow, shown: str) -> str:
    kind = f"<small>{escape(stage.kind)}</small> " if stage.kind else ""
    return f'<span class="n">{kind}<b>{escape(stage.name)}</b></span><span class="row">{shown}</span>'


def _stretches_html(texts: Sequence[str], style: Style) -> str:
    """Stretches of text side by side, with their spaces to be seen."""
    more = "…" if len(texts) > STRETCHES_LISTED else ""
    drawn = "".join(f"<samp><bdi>{token_html(text, style)}</bdi></samp>" for text in texts[:STRETCHES_LISTED])
    return drawn + more if texts else _remark(_("nothing is left"))


def _remark(text: str) -> str:
    return f'<span class="k">{escape(text)}</span>'


def lineages(symbols: Sequence[str], joins: Sequence[Join], prefix: str = "") -> list[Lineage]:
    """The lineage of each of a word's tokens, from its merges; a step is a rank, from 1.

    >>> [tree] = lineages(("h", "u", "g"), [Join(7, 1, 2, 3), Join(9, 0, 1, 3)])
    >>> tree.token, tree.step, [part.token for part in tree.parts]
    ('hug', 10, ['h', 'ug'])
    """
    trees = {index: Lineage(symbol, 0) for index, symbol in enumerate(symbols)}
    for join in joins:
        left, right = trees[join.start], trees.pop(join.middle)
        token = left.token + right.token.removeprefix(prefix)
        trees[join.start] = Lineage(token, join.rank + 1, (left, right))
    return [trees[index] for index in sorted(trees)]


def lineages_html(trees: Sequence[Lineage], style: Style) -> str:
    """The trees of the merged tokens, side by side."""
    drawn = "".join(lineage_html(tree, style, by_rank=True) for tree in trees if tree.parts)
    return f'<div class="lineages">{drawn}</div>'


def reason_html(tokens: Sequence[str], reason: Reason, style: Style, unk_token: str) -> str:
    """A split the tokenizer doesn't make, and the obstacle."""
    lead, why = tell_reason(reason, Marked(style), unk_token)
    more = f'<p class="why">{why}</p>' if why else ""
    return first_marks(
        f'<div class="ts reason" role="status"><p class="row">{chips(tokens, style)}</p><p>{lead}</p>{more}</div>'
    )
