"""Sentences on the closeness of a step: the margin, and the alternative choice."""

from __future__ import annotations

from fractions import Fraction

from tokenizers_core.counterfactual.divergence import Decision
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.merge_trace import MergeTrace
from tokensteps.drawing.narration.merging import name_tied
from tokensteps.drawing.narration.text_format import TextFormat, some_tokens
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.numbers import nats


def tell_choice(choice: Decision | None, voice: TextFormat) -> str:
    """A step's choice, in a few words; None is beyond the end of a run."""
    if choice is None:
        return voice.say(_("training has ended"))
    match choice.kind:
        case "start":
            return voice.say(_("starts from other symbols"))
        case "merge":
            return voice.say(_("merges {pair}"), pair=voice.pair(Pair(*choice.tokens)))
        case "remove":
            return voice.say(_("removes {token}"), token=voice.token(choice.tokens[0]))
        case "stage":
            return voice.say(_("lets tokens bridge spaces from here on"))
        case "prune":
            return voice.say(_("prunes {piece}"), piece=voice.token(choice.tokens[0]))
        case "m_step" if choice.tokens:
            return voice.say(_("drops {pieces}"), pieces=some_tokens(choice.tokens, voice))
        case "m_step":
            return voice.say(_("drops nothing"))
        case "finalize":
            return voice.say(_("chooses the last pieces"))
    return voice.say(_("counts pieces"))


def margin_text(margin: float | Fraction) -> str:
    """A margin in its own unit: a whole count, a score as a fraction, or nats.

    >>> margin_text(3), margin_text(Fraction(1, 45)), margin_text(0.29012)
    ('3', '1/45', '0.2901')
    """
    if isinstance(margin, float):
        return nats(margin)
    return count(margin) if isinstance(margin, int) else str(margin)


def tell_margin_of(trace: AnyTrace, step: int, voice: TextFormat) -> str:
    """The lead over a step's runner-up; "" for a step without a choice."""
    margin = trace.margin(step)
    if not step or not is_choice(trace, step):
        return ""
    if margin is None:
        return voice.say(_("Step {step} had no runner-up."), step=count(step))
    if not margin:
        return tell_tie(trace, step, voice)
    rival = runner_up(trace, step, voice)
    text = voice.strong(margin_text(margin))
    if isinstance(margin, float):
        message = _("At step {step} the runner-up, {rival}, cost {margin} nats more.")
    elif isinstance(margin, int):
        message = ngettext(
            "At step {step} the runner-up, {rival}, was {margin} occurrence behind.",
            "At step {step} the runner-up, {rival}, was {margin} occurrences behind.",
            margin,
        )
    else:
        message = _("At step {step} the runner-up, {rival}, scored {margin} less.")
    return voice.say(message, step=count(step), rival=rival, margin=text)


def is_choice(trace: AnyTrace, step: int) -> bool:
    """Whether a step, from 1, chose one of several: a pair to merge, or a piece to prune."""
    return (
        trace.record.is_merge(step) if isinstance(trace, MergeTrace) else trace.record.kinds[step] == "prune"
    )


def tell_tie(trace: AnyTrace, step: int, voice: TextFormat) -> str:
    """The alternatives tied with a step's choice."""
    if isinstance(trace, MergeTrace):
        event = trace.event(step)
        if event.kind != "merge":
            raise ValueError(f"Step {step} merges nothing; give a step that was a tie.")
        rivals, number = name_tied(event, voice), event.tied_count - 1
    else:
        tied = trace.tied_with(step)
        rivals, number = some_tokens(tied, voice), len(tied)
    message = ngettext(
        "Step {step} was a tie: {rival} was just as good.",
        "Step {step} was a tie between {all}: {rival} were just as good.",
        number,
    )
    return voice.say(message, step=count(step), rival=rivals, all=count(number + 1))


def runner_up(trace: AnyTrace, step: int, voice: TextFormat) -> str:
    """The runner-up, a pair or a piece, of a step that has one."""
    if isinstance(trace, MergeTrace):
        return voice.pair(trace.candidates(step - 1, 2)[1].pair)
    number = trace.round_of(step)
    position = step - trace.record.rounds[number - 1].first_step
    return voice.token(trace.ranking(number, position + 1, position + 2)[0].piece)


def tell_ties_of(trace: AnyTrace) -> str:
    """The number of ties in a run, as plain text; "" for a run without any runner-up."""
    margins = [margin for margin in margins_of(trace) if margin is not None]
    if not margins:
        return ""
    message = _("Steps with a runner-up: {all}; ties among them: {ties}.")
    return message.format(ties=count(margins.count(0)), all=count(len(margins)))


def margins_of(trace: AnyTrace) -> list[float | Fraction | None]:
    """The margin of each step, from 1."""
    if isinstance(trace, MergeTrace):
        return [point.margin for point in trace.history]
    return list(trace.margins[1:])
