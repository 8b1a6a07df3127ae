"""A run and the same run with one thing changed → markup: both timelines, the vocabularies, the words, tokens
per word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from tokenizers_core.counterfactual.divergence import (
    Decision,
    VocabularyDifference,
    aligned,
    choice_at,
    first_divergence,
    vocabulary_difference,
)
from tokenizers_core.counterfactual.effects import Effects, effects
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.closeness import tell_choice
from tokensteps.drawing.narration.text_format import Markup, Plain
from tokensteps.drawing.narration.whatif import tell_parting
from tokensteps.drawing.tokens import PLAIN, Style, chip, chips, pair_chips
from tokensteps.language.i18n import _, count, ngettext, sentences

BEFORE_PARTING = 6
"""Steps drawn before the first divergence of the runs."""
STEPS_DRAWN = 30
TOKENS_DRAWN_EACH = 30
WORDS_APART_DRAWN = 8


@dataclass(frozen=True)
class WhatIf:
    """Two runs, how their tokens are written, and a text of the learner's own."""

    ours: AnyTrace
    theirs: AnyTrace
    show: str = "letters"
    text: str = ""

    @cached_property
    def parting(self) -> int | None:
        return first_divergence(self.ours, self.theirs)

    @cached_property
    def vocabulary_difference(self) -> VocabularyDifference:
        return vocabulary_difference(self.ours, self.theirs)

    @cached_property
    def effects(self) -> Effects:
        return effects(self.ours, self.theirs, self.vocabulary_difference)

    @cached_property
    def styles(self) -> tuple[Style, Style]:
        """How each run's tokens are written."""
        return style_of(self.ours, self.show), style_of(self.theirs, self.show)

    @cached_property
    def text_tokens(self) -> tuple[list[str], list[str]]:
        """The tokens of the text of one's own with each."""
        runs = zip((self.ours, self.theirs), self.vocabulary_difference.steps, strict=True)
        first, second = (run.tokenizer(step).encode(self.text).tokens for run, step in runs)
        return first, second


def style_of(trace: AnyTrace, show: str = PLAIN.show) -> Style:
    """How a run's tokens are written."""
    return Style(trace.corpus.pipeline.byte_level, show, frozenset(trace.special_tokens))


def whatif_html(comparison: WhatIf) -> str:
    """Everything, from the step where the runs part down to tokens per word."""
    lead, why = tell_parting(
        comparison.ours, comparison.theirs, comparison.parting, *map(Markup, comparison.styles)
    )
    says = f'<div class="say brief"><p>{lead}</p><p class="why">{why}</p></div>'
    return (
        f'{says}<div class="whatif">{starts_html(comparison)}{timelines_html(comparison)}'
        f'<div class="halves"><section>{vocabularies_panel(comparison)}</section>'
        f"<section>{measures_panel(comparison)}{apart_panel(comparison)}</section></div></div>"
    )


def whatif_frame(comparison: WhatIf, label: str, status: str) -> Frame:
    """A frame of a flipbook through many changes; `label` is markup, `status` plain text."""
    spoken = tell_parting(
        comparison.ours, comparison.theirs, comparison.parting, *map(Plain, comparison.styles)
    )
    return Frame(whatif_html(comparison), sentences(status + ".", *spoken), label, status)


# --- the timelines ------------------------------------------------------------------------------------------


def starts_html(comparison: WhatIf) -> str:
    """The symbols, or Unigram's seed, at the start of only one of the runs; nothing when both start alike."""
    rows = []
    starts = [choice.tokens for run in (comparison.ours, comparison.theirs) if (choice := choice_at(run, 0))]
    names = (_("Only as it is, from the start"), _("Only what if, from the start"))
    for name, mine, others, style in zip(names, starts, reversed(starts), comparison.styles, strict=True):
        known = {*others}
        if own := [token for token in mine if token not in known]:
            rows.append(tokens_row(name, own, style))
    return f'<div class="story">{"".join(rows)}</div>' if rows else ""


def timelines_html(comparison: WhatIf) -> str:
    """Both runs step by step, one under the other: each column is a step, and the one where they part is
    marked."""
    last, parting = max(len(comparison.ours), len(comparison.theirs)), comparison.parting
    first = max(1, (parting or 1) - BEFORE_PARTING)
    beside = [
        *aligned(comparison.ours, comparison.theirs)
    ]  # up to where they part, both are at the same step
    shown = beside[first - 1 : first - 1 + STEPS_DRAWN]
    names = "".join(f"<span>{escape(name)}</span>" for name in (_("Step"), _("As it is"), _("What if")))
    cells = "".join(
        cell_html(comparison, *steps, parts=column == parting)
        for column, steps in enumerate(shown, start=first)
    )
    before = _("Steps 1 to {step} are the same.").format(step=count(first - 1)) if first > 1 else ""
    rest = (
        _("… and so on, up to step {step}.").format(step=count(last))
        if len(beside) >= first + STEPS_DRAWN
        else ""
    )
    above, below = (f"<p>{escape(text)}</p>" if text else "" for text in (before, rest))
    return f'<div class="twins">{above}<div class="twin"><div class="cell names">{names}</div>{cells}</div>{below}</div>'


def cell_html(comparison: WhatIf, ours: int | None, theirs: int | None, parts: bool) -> str:
    """One step of both runs, None where one of them waits; `parts` is true at their first divergence."""
    here = None if ours is None else choice_at(comparison.ours, ours)
    there = None if theirs is None else choice_at(comparison.theirs, theirs)
    state = "alike" if here == there else "parts" if parts else "apart"
    runs = (comparison.ours, ours), (comparison.theirs, theirs)
    taken = (step for run, step in runs if step is not None and step <= len(run))  # none once a run has ended
    steps = " · ".join(map(count, dict.fromkeys(taken)))
    shown = "".join(
        choice_html(choice, style) for choice, style in zip((here, there), comparison.styles, strict=True)
    )
    return f'<div class="cell {state}"><span class="k">{steps}</span>{shown}</div>'


def choice_html(choice: Decision | None, style: Style) -> str:
    """A step's choice, small: the pair, the pruned piece, or a word for it."""
    match choice:
        case None:
            return '<span class="none">–</span>'
        case Decision("merge", tokens):
            return f"<span>{pair_chips(Pair(*tokens), style)}</span>"
        case Decision("prune" | "remove", (token,)):
            return f"<span>{chip(token, style, 'gone')}</span>"
        case Decision("stage"):
            return f'<span class="none">{escape(_("stage 2"))}</span>'
    return f'<span class="none">{tell_choice(choice._replace(tokens=()), Markup(style))}</span>'


# --- effects ------------------------------------------------------------------------------------------------


def tokens_row(name: str, tokens: Sequence[str], style: Style) -> str:
    """A row of tokens with their number; `name` is plain text."""
    more = "…" if len(tokens) > TOKENS_DRAWN_EACH else ""
    text = _("{letter}: {told}").format(letter=name, told=count(len(tokens)))
    return f'<span class="n">{escape(text)}</span><span class="row">{chips(tokens[:TOKENS_DRAWN_EACH], style)}{more}</span>'


def vocabularies_panel(comparison: WhatIf) -> str:
    """The tokens learned by only one of the runs, at the same vocabulary size."""
    at = comparison.vocabulary_difference
    name = ngettext("Vocabularies of {size} token", "Vocabularies of {size} tokens", at.size)
    sizes = [
        run.snapshot(step).vocab_size
        for run, step in zip((comparison.ours, comparison.theirs), at.steps, strict=True)
    ]
    if max(sizes) > at.size and at.steps == (len(comparison.ours), len(comparison.theirs)):
        name = _("Vocabularies at the end: {ours} and {theirs} tokens")
    title = escape(name.format(size=count(at.size), ours=count(sizes[0]), theirs=count(sizes[1])))
    both = _("{letter}: {told}").format(letter=_("Learned by both"), told=count(at.shared))
    rows = (
        f'<span class="n">{escape(both)}</span><span class="row"></span>'
        + tokens_row(_("Learned only in “As it is”"), at.ours, comparison.styles[0])
        + tokens_row(_("Learned only in “What if”"), at.theirs, comparison.styles[1])
    )
    return f'<h3>{title}</h3><div class="story">{rows}</div>'


def measures_panel(comparison: WhatIf) -> str:
    """Tokens per word of both, on the corpus and on a text of one's own."""
    names = "".join(f"<th>{escape(name)}" for name in ("", _("As it is"), _("What if")))
    rows = row_html(_("Corpus"), [(one.tokens, one.words) for one in comparison.effects.measures])
    if words := len(comparison.text.split()):
        rows += row_html(_("Your text"), [(len(tokens), words) for tokens in comparison.text_tokens])
    title = escape(_("Tokens per word"))
    return f'<h3>{title}</h3><table class="tipping"><tr>{names}{rows}</table>{text_panel(comparison)}'


def text_panel(comparison: WhatIf) -> str:
    """The text of one's own in the tokens of both; nothing without one."""
    if not comparison.text.strip():
        return ""
    names = (_("As it is"), _("What if"))
    rows = "".join(map(tokens_row, names, comparison.text_tokens, comparison.styles))
    return f'<h3>{escape(_("Your text"))}</h3><div class="story">{rows}</div>'


def row_html(name: str, measures: Sequence[tuple[int, int]]) -> str:
    """Tokens per word of both, with the underlying numbers."""
    cells = "".join(
        f'<td><b>{tokens / words:.2f}</b> <span class="to">{count(tokens)} / {count(words)}</span>'
        for tokens, words in measures
    )
    return f"<tr><td>{escape(name)}{cells}"


def apart_panel(comparison: WhatIf) -> str:
    """The words with different splits by the two tokenizers."""
    apart = comparison.effects.apart
    title = escape(_("Words split differently: {number}").format(number=count(len(apart))))
    rows = "".join(
        f'<span class="n">× {count(one.frequency)}</span><span class="row">{chips(one.ours, comparison.styles[0])}'
        f'<span class="to">→</span>{chips(one.theirs, comparison.styles[1])}</span>'
        for one in apart[:WORDS_APART_DRAWN]
    )
    more = "" if len(apart) <= WORDS_APART_DRAWN else "<span>…</span>"
    return f'<h3>{title}</h3><div class="story">{rows}{more}</div>'
