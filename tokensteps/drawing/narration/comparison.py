"""Sentences on one vocabulary size in a comparison of several runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tokenizers_core.training.comparison import Change, Merged, Regained, SizeSnapshot, Standing
from tokenizers_core.training.merge_trace import MergeTrace
from tokensteps.drawing.narration.merging import told_stop_reason
from tokensteps.drawing.narration.text_format import Narration, TextFormat, some_tokens
from tokensteps.language.i18n import N_, _, count, ngettext, sentences
from tokensteps.language.names import side_name, side_names
from tokensteps.language.numbers import nats, percent, share_text


def tell_size(snapshot: SizeSnapshot, voice: TextFormat) -> Narration:
    """Which algorithm needs the fewest tokens, and how much is cut alike."""
    totals = [standing.tokens for standing in snapshot.standings if standing.tokens is not None]
    there = [standing for standing in snapshot.standings if standing.tokens is not None]
    best = [standing for standing in there if standing.tokens == min(totals)]
    if len(best) == len(snapshot.standings) > 2:
        message = _("With a vocabulary of {size}, all need {number} tokens per word.")
    elif len(there) == 1:
        message = _("With a vocabulary of {size}, {names} needs {number} tokens per word.")
    elif len(best) == len(there):
        message = _("With a vocabulary of {size}, {names} need {number} tokens per word.")
    elif len(best) == 1 and len(there) < len(snapshot.standings):
        message = _(
            "With a vocabulary of {size}, {names} needs fewer tokens than {others}: {number} per word."
        )
    elif len(best) == 1:
        message = _("With a vocabulary of {size}, {names} needs the fewest tokens: {number} per word.")
    else:
        message = _("With a vocabulary of {size}, {names} need the fewest tokens: {number} per word.")
    lead = voice.say(
        message,
        size=voice.strong(count(snapshot.size)),
        names=voice.strong(both(best)),
        others=both([standing for standing in there if standing not in best]),
        number=voice.strong(per_word(best[0])) if best else "",
    )
    details = []
    missing = tell_missing(snapshot)
    if not snapshot.step and not missing:  # there is only room for one line
        details.append(tell_directions(snapshot, voice))
    details += missing
    alike = snapshot.trace.sweep[snapshot.step].alike
    if alike is not None and snapshot.different == 0:
        details.append(voice.say(_("Every word is split the same way.")))
    elif alike is not None:
        details.append(
            voice.say(
                ngettext(
                    "{share} of the text is split the same way; {number} word is split differently. ≠ marks a "
                    "split found in no other column.",
                    "{share} of the text is split the same way; {number} different words are split differently. "
                    "≠ marks a split found in no other column.",
                    snapshot.different,
                ),
                number=count(snapshot.different),
                share=share_text(alike) if alike else percent("0"),
            )
        )
    elif len(there) > 1:
        message = _("{names} split every word the same way.")
        if snapshot.different:
            message = ngettext(
                "{names} split {number} word differently.",
                "{names} split {number} different words differently.",
                snapshot.different,
            )
        details.append(voice.say(message, names=both(there), number=count(snapshot.different)))
    return Narration(lead, sentences(*details))


def both(standings: Sequence[Standing]) -> str:
    """The names of some runs; "" for none."""
    return side_names(standing.name for standing in standings) if standings else ""


def shrinks(snapshot: SizeSnapshot, standing: Standing) -> bool:
    """Whether a run comes from larger vocabularies to smaller ones."""
    return snapshot.trace.runs[standing.name].ranked_by == "loss"


def tell_directions(snapshot: SizeSnapshot, voice: TextFormat) -> str:
    """Which runs grow with the size."""
    growing = [standing for standing in snapshot.standings if not shrinks(snapshot, standing)]
    if len(growing) == len(snapshot.standings):
        return voice.say(_("To the right, all grow by merging."))
    if len(growing) > 1:
        return voice.say(
            _("To the right, all others grow by merging; to the left, Unigram shrinks by pruning.")
        )
    message = _("To the right, {names} grows by merging; to the left, Unigram shrinks by pruning.")
    return voice.say(message, names=both(growing))


def tell_missing(snapshot: SizeSnapshot) -> list[str]:
    """Which algorithms have no vocabulary of this size, a sentence each."""
    missing = [standing for standing in snapshot.standings if standing.step is None]
    return [
        (
            _("{name} was stopped at {size}.")
            if shrinks(snapshot, standing)
            else _("{name} starts at {size}.")
        ).format(name=side_name(standing.name), size=count(standing.limit or 0))
        for standing in missing
    ]


def tell_standing(snapshot: SizeSnapshot, standing: Standing, voice: TextFormat) -> str:
    """An algorithm's change at this size, or why there is none."""
    if standing.change is not None:
        text = tell_change(standing.change, voice, snapshot.trace.settings["method"] != "course")
        if standing.limit is not None:
            text = sentences(text, voice.say(_("That makes {size}."), size=count(standing.limit)))
        return text
    if standing.limit is not None:
        return voice.say(tell_limit(snapshot, standing), size=count(standing.limit))
    if shrinks(snapshot, standing):
        if snapshot.step:
            return ""
        return voice.say(_("Ends here: only single characters are left."))
    return voice.say(
        ngettext("Starts from {size} symbol.", "Starts from {size} symbols.", snapshot.size),
        size=count(snapshot.size),
    )


def tell_change(change: Change, voice: TextFormat, estimated: bool) -> str:
    """An algorithm's new tokens over the size before; `estimated` says whether Unigram's losses are
    estimates."""
    match change.kind:
        case "merged":
            return tell_merged(change, voice)
        case "regained":
            return tell_regained(change, voice, estimated)


def tell_merged(change: Merged, voice: TextFormat) -> str:
    """A merge, and other changes with it."""
    fields = {"pair": voice.pair(change.pair), "token": voice.token(change.token), "freq": count(change.freq)}
    if change.score is None:
        narration = voice.say(
            ngettext(
                "Merges {pair} into {token}: {freq} time.",
                "Merges {pair} into {token}: {freq} times.",
                change.freq,
            ),
            **fields,
        )
    else:
        fields["score"] = str(change.score)
        narration = voice.say(
            ngettext(
                "Merges {pair} into {token}: {freq} time, score {score}.",
                "Merges {pair} into {token}: {freq} times, score {score}.",
                change.freq,
            ),
            **fields,
        )
    more = [narration]
    if change.bridging:
        more.append(voice.say(_("From here on tokens may bridge spaces.")))
    if change.removals == len(change.lost) == 1:
        more.append(voice.say(_("{token} left."), token=voice.token(change.lost[0])))
    elif change.removals:
        left = count(change.removals)
        message = _("Other merges: {number}; tokens that left: {left}.")
        more.append(voice.say(message, number=count(change.again), left=left))
    elif change.again:
        message = ngettext(
            "{number} earlier merge made an existing token again.",
            "{number} earlier merges made existing tokens again.",
            change.again,
        )
        more.append(voice.say(message, number=count(change.again)))
    return sentences(*more)


def tell_regained(change: Regained, voice: TextFormat, estimated: bool) -> str:
    """Unigram's pieces that last until here."""
    listed = some_tokens(change.tokens, voice)
    if change.loss is None and len(change.tokens) == 1:
        return voice.say(_("Keeps {piece}, the next to go on the way left."), piece=listed)
    if change.loss is None:
        return voice.say(_("Keeps {pieces}, which are all pruned at once on the way left."), pieces=listed)
    text = _("Keeps {piece}, the next to be pruned on the way left: that costs {loss} nats.")
    if estimated:
        text = _("Keeps {piece}, the next to be pruned on the way left: that costs about {loss} nats.")
    if change.loss == 0:
        text = _("Keeps {piece}, the next to be pruned on the way left: that costs nothing.")
    return voice.say(text, piece=listed, loss=nats(change.loss))


def tell_limit(snapshot: SizeSnapshot, standing: Standing) -> str:
    """Why an algorithm has no vocabulary of this size."""
    stopped = snapshot.trace.stop_reason == "stopped"
    if shrinks(snapshot, standing):
        if standing.size is None:
            return ngettext(
                "Training was stopped at {size} piece, before it got down to this size.",
                "Training was stopped at {size} pieces, before it got down to this size.",
                standing.limit or 0,
            )
        if standing.size == snapshot.trace.sides[snapshot.standings.index(standing)].sizes[0]:
            return ngettext(
                "Starts from {size} piece: the seed has no more.",
                "Starts from {size} pieces: the seed has no more.",
                standing.size,
            )
        return _(
            "Has no vocabulary of exactly this size: several pieces were pruned at once. This one has {size}."
        )
    if standing.size is None:
        return _("Starts at {size}: a letter inside a word is a separate symbol, with ##.")
    if stopped:
        return ngettext(
            "Training was stopped at {size} token.", "Training was stopped at {size} tokens.", standing.size
        )
    run = snapshot.trace.runs[standing.name]
    if isinstance(run, MergeTrace) and told_stop_reason(run) == "bounds":
        return ngettext(
            "Ended at {size} token: bounds exclude every pair that is left.",
            "Ended at {size} tokens: bounds exclude every pair that is left.",
            standing.size,
        )
    if standing.tokens != snapshot.trace.corpus.total:
        return ngettext(
            "Ended at {size} token: no pair is left.",
            "Ended at {size} tokens: no pair is left.",
            standing.size,
        )
    return ngettext(
        "Ended at {size} token: every word is one token.",
        "Ended at {size} tokens: every word is one token.",
        standing.size,
    )


def tell_measure(standing: Standing) -> str:
    """How many tokens a word takes."""
    return "" if standing.tokens is None else _("{number} tokens per word.").format(number=per_word(standing))


def per_word(standing: Standing) -> str:
    """Tokens per word as text."""
    return "–" if standing.tokens_per_word is None else f"{standing.tokens_per_word:.2f}"


KIND_NOTES: Mapping[str, str] = {
    "superbpe": N_(
        "SuperBPE's tokens bridge spaces: they are counted in the text, and each word is split as a text of its own."
    ),
    "pickybpe": N_("PickyBPE's tokens leave again: its size is that of the tokens present."),
    "paritybpe": N_(
        "Parity-aware BPE sees each column of the table by itself, the others see all columns together."
    ),
}
"""A note on a newer kind of BPE beside the others."""


def tell_kinds(names: Iterable[str]) -> list[str]:
    """Notes on these runs, a sentence each."""
    return [_(KIND_NOTES[name]) for name in names if name in KIND_NOTES]
