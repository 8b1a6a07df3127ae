"""Sentences on a run and its variant with one change: their first divergence, and the reason, with both runs'
numbers."""

from __future__ import annotations

from fractions import Fraction

from tokenizers_core.counterfactual.divergence import Decision, choice_at
from tokenizers_core.encoding.vocabulary import PrivatePair
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.kinds.paritybpe import ParityTrace
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.drawing.narration.closeness import margin_text, tell_choice
from tokensteps.drawing.narration.text_format import Narration, TextFormat
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.language.names import language_name


def tell_parting(
    ours: AnyTrace, theirs: AnyTrace, step: int | None, ours_in: TextFormat, theirs_in: TextFormat
) -> Narration:
    """The first divergence of two runs, and each one's choice there, with the numbers of both choices."""
    if step is None:
        steps = ngettext("{number} step", "{number} steps", len(ours)).format(number=count(len(ours)))
        return Narration(
            ours_in.say(_("No effect: both runs make the same choices in all {steps}."), steps=steps), ""
        )
    lead = ours_in.say(_("The runs diverge at step {step}."), step=ours_in.strong(count(step)))
    if step > 1:
        lead = sentences(lead, ours_in.say(_("Until then they make the same choices.")))
    here, there = choice_at(ours, step), choice_at(theirs, step)
    return Narration(
        lead,
        sentences(
            ours_in.say(_("As it is: {told}."), told=tell_pick(ours, step, here, there, ours_in, theirs_in)),
            theirs_in.say(
                _("What if: {told}."), told=tell_pick(theirs, step, there, here, theirs_in, ours_in)
            ),
        ),
    )


def tell_pick(
    trace: AnyTrace,
    step: int,
    choice: Decision | None,
    other: Decision | None,
    voice: TextFormat,
    other_voice: TextFormat,
) -> str:
    """A run's choice at a step, with its number, and the number of the other run's choice there: that one is
    written as in its own run, whose tokens may be bytes."""
    text = tell_choice(choice, voice)
    if choice is None or choice.kind not in ("merge", "prune"):
        return text
    mine = value_at(trace, step, choice)
    if mine is not None:
        text = voice.say(_("{choice} ({value})"), choice=text, value=value_text(trace, mine))
    if isinstance(trace, ParityTrace) and (language := trace.language_at(step)):
        text = voice.say(
            _("{language} chooses and {told}"), language=voice.strong(language_name(language)), told=text
        )
    if other is None or other.kind != choice.kind:
        return text
    rival = other_voice.pair(other.tokens) if other.kind == "merge" else other_voice.token(other.tokens[0])  # type: ignore[arg-type]
    theirs = value_at(trace, step, other)
    if theirs is None:
        if not isinstance(trace, MergeTrace):
            message = _("{choice}; {rival} is not ranked here")
        elif is_there(trace, step, other):
            message = _("{choice}; {rival} may not be merged here")
        else:
            message = _("{choice}; {rival} is no pair here")
        return voice.say(message, choice=text, rival=rival)
    message = _("{choice}; {rival} has {value}")
    if theirs == mine and isinstance(trace, MergeTrace):
        message = _("{choice}; {rival} has {value} too, and the tie rule decides")
    elif theirs == mine and isinstance(trace, UnigramTrace) and trace.method == "course":
        message = _("{choice}; {rival} has {value} too, but comes later in the seed")
    return voice.say(message, choice=text, rival=rival, value=value_text(trace, theirs))


def value_at(trace: AnyTrace, step: int, choice: Decision) -> int | float | Fraction | None:
    """The value of a choice's pair or piece in a step's ranking: count, score or loss; None where it can't be
    chosen."""
    if isinstance(trace, MergeTrace):
        values = {tuple(one.pair): one.value for one in trace.candidates(step - 1)}
        return values.get(choice.tokens)
    round_ = trace.record.rounds[trace.round_of(step) - 1]
    number = trace.numbers.get(choice.tokens[0])
    left = list(round_.ranking[step - round_.first_step :])
    return round_.losses[step - round_.first_step + left.index(number)] if number in left else None


def is_there(trace: MergeTrace, step: int, choice: Decision) -> bool:
    """Whether a choice's pair occurs before a step: a bound may forbid its merge."""
    if not trace.vocabulary.ids.keys() >= {*choice.tokens}:
        return False
    return PrivatePair(trace.vocabulary.write(choice.tokens)) in trace.pairs_there(step - 1)


def value_text(trace: AnyTrace, value: int | float | Fraction) -> str:
    """A value with its unit."""
    text = margin_text(value)
    if isinstance(value, float):
        return _("loss {value}").format(value=text)
    if isinstance(trace, MergeTrace) and isinstance(value, int) and trace.ranked_by == "count":
        return _("{value} ×").format(value=text)
    return _("score {value}").format(value=text)
