"""Sentences while a word is cut by a vocabulary alone: longest tokens first, fewest tokens, or at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tokenizers_core.encoding.cuts.steps import CutSnapshot, FewestSnapshot, ReachEvent, TakeEvent
from tokenizers_core.encoding.cuts.ways import WordWays
from tokensteps.drawing.narration.text_format import TextFormat, some_tokens
from tokensteps.language.i18n import N_, _, count, ngettext, sentences
from tokensteps.language.numbers import share_text

BEGUN: Final[Mapping[str, str]] = {
    "longest_prefix": N_(
        "Take the longest token that begins the word, then the longest that begins the rest."
    ),
    "longest_suffix": N_("Take the longest token that ends the word, then the longest that ends the rest."),
    "longest_token": N_(
        "Take the longest token anywhere in the word, the leftmost of several, then the longest in what is left."
    ),
    "sampled": N_("Chance decides at each choice: what comes first may drop out, or be passed over."),
}
"""A way → how it goes."""
TAKEN: Final[Mapping[str, str]] = {
    "longest_prefix": N_("{token} is the longest token that begins the rest: take it."),
    "longest_suffix": N_("{token} is the longest token that ends the rest: take it."),
    "longest_token": N_("{token} is the longest token in what is left: take it."),
    "sampled": N_("{token} is chosen."),
}
"""A way → the sentence on a token."""


def tell_cut(snapshot: CutSnapshot, way: str, voice: TextFormat) -> str:
    """One token was taken, or the word was about to be cut, or can't be."""
    event, table = snapshot.event, snapshot.table
    match event.kind:
        case "uncut":
            return voice.say(_(BEGUN[way]))
        case "stuck":
            return voice.say(_("No token fits what is left: the word can't be cut this way."))
        case "take":
            said = [voice.say(_(TAKEN[way]), token=voice.token(event.piece.token)), *_by_chance(event, voice)]
            if table.whole(snapshot.taken) is not None and way != "sampled":
                said.append(voice.say(_("The whole word is cut.")))
            return sentences(*said)


def _by_chance(event: TakeEvent, voice: TextFormat) -> list[str]:
    """A sample's dropped options, and the probability of its choice."""
    said = []
    if event.dropped:
        message = ngettext("{tokens} dropped out first.", "{tokens} dropped out first.", len(event.dropped))
        said.append(voice.say(message, tokens=some_tokens(event.dropped, voice)))
    if event.share is not None:
        said.append(voice.say(_("Its probability here was {share}."), share=share_text(event.share)))
    return said


def tell_fewest(snapshot: FewestSnapshot, voice: TextFormat) -> tuple[str, str]:
    """The search for the fewest tokens: the step's result, and the reason."""
    event, table = snapshot.event, snapshot.table
    match event.kind:
        case "uncut":
            lead = voice.say(_("Every token that spells a stretch of the word is drawn over its characters."))
            return lead, voice.say(
                _(
                    "From left to right: how few tokens lead to each boundary? One more than to where the last one starts."
                )
            )
        case "reach":
            return _tell_reached(event, snapshot.reached, voice)
        case "path":
            lead = voice.say(
                ngettext(
                    "{tokens}: {number} token, and no path has fewer.",
                    "{tokens}: {number} tokens, and no path has fewer.",
                    len(event.path),
                ),
                tokens=" ".join(voice.token(one.token) for one in event.path),
                number=count(len(event.path)),
            )
            all_paths = table.shortest_count
            if all_paths == 1:
                return lead, voice.say(_("No other path has as few."))
            return lead, voice.say(
                _("This is path {place} of {number} that are equally short; longer first tokens come first."),
                place=count(event.number),
                number=count(all_paths),
            )


def _tell_reached(event: ReachEvent, reached: Sequence[int | None], voice: TextFormat) -> tuple[str, str]:
    """The fewest tokens to a boundary, and the possible last ones."""
    fewest = event.fewest
    if fewest is None:
        return voice.say(_("No tokens lead to boundary {position}."), position=str(event.position)), ""
    message = ngettext(
        "Boundary {position} takes {number} token at least.",
        "Boundary {position} takes {number} tokens at least.",
        fewest,
    )
    best = [one.token for one in event.arrivals if reached[one.start] == fewest - 1]
    last = ngettext("The last of them is {tokens}.", "The last of them may be {tokens}.", len(best))
    return (
        voice.say(message, position=str(event.position), number=count(fewest)),
        voice.say(last, tokens=some_tokens(best, voice)),
    )


def tell_where_ways_part(ways: WordWays, voice: TextFormat) -> str:
    """Whether all ways agree on a word, and where they part first. A sample isn't counted."""
    cuts = {cut for way, cut in ways.cuts.items() if cut is not None and way != "sampled"} | {*ways.paths}
    if not cuts:
        return voice.say(_("The vocabulary can't spell this word: no way cuts it."))
    if len(cuts) == 1 and any(cut is None for way, cut in ways.cuts.items() if way != "sampled"):
        return voice.say(_("The ways that can cut the word cut it alike."))
    if len(cuts) == 1:
        return voice.say(_("All ways cut the word alike."))
    message = ngettext("{number} different split.", "{number} different splits.", len(cuts))
    said = [voice.say(message, number=count(len(cuts)))]
    shared = 0
    while len({cut[shared] for cut in cuts}) == 1:
        shared += 1
    if shared:
        first = next(iter(cuts))[:shared]
        said.append(
            voice.say(
                _("They agree on {tokens} and part there."),
                tokens=some_tokens([one.token for one in first], voice),
            )
        )
    else:
        said.append(voice.say(_("They part at the first token.")))
    return sentences(*said)
