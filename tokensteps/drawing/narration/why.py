"""Sentences on a split a tokenizer doesn't make: the obstacle, with its evidence."""

from __future__ import annotations

from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.reasons import (
    LessProbable,
    LongerMatch,
    MergedAcross,
    RankedPair,
    Reason,
    TiedSplit,
    UnknownCharacter,
    Unreachable,
)
from tokensteps.drawing.narration.lattice import path_text
from tokensteps.drawing.narration.text_format import Narration, TextFormat, some_tokens
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.language.numbers import cost_text, log_text, times_text


def tell_reason(reason: Reason, voice: TextFormat, unk_token: str = "") -> Narration:
    """The obstacle to a split, and its consequences; `unk_token` replaces words that can't be spelled."""
    match reason.kind:
        case "chosen":
            return Narration(voice.say(_("This is the split that the tokenizer makes.")), "")
        case "misspelled":
            message = _("These tokens don't spell {word}: change them, or choose another split.")
            return Narration(voice.say(message, word=voice.token(reason.word)), "")
        case "not_in_vocabulary":
            return Narration(
                voice.say(_("{token} is not in the vocabulary."), token=voice.token(reason.token)), ""
            )
        case "over_limit" if reason.unk_token:
            message = _(
                "The word has {length} characters. Words of more than {limit} are not looked up: it is {unknown} as a whole."
            )
            unknown = voice.token(reason.unk_token)
            length, limit = voice.strong(count(reason.length)), count(reason.limit)
            return Narration(voice.say(message, length=length, limit=limit, unknown=unknown), "")
        case "over_limit":
            message = ngettext(
                "A piece of {length} character is never looked for: the longest have {limit}.",
                "A piece of {length} characters is never looked for: the longest have {limit}.",
                reason.length,
            )
            return Narration(voice.say(message, length=count(reason.length), limit=count(reason.limit)), "")
        case "whole_word":
            message = _(
                "{word} is a token itself, and this tokenizer takes such words whole, without merging."
            )
            return Narration(voice.say(message, word=voice.token(reason.word)), "")
        case "unknown_character":
            return Narration(_tell_unknown(reason, voice), "")
        case "unreachable":
            return _tell_unreachable(reason, voice)
        case "merged_across":
            return _tell_merged(reason, voice)
        case "longer_match":
            return _tell_longer(reason, voice, unk_token)
        case "less_probable":
            return _tell_less_probable(reason, voice)
        case "tied":
            return _tell_tie(reason, voice)


def _pair(pair: RankedPair, voice: TextFormat) -> str:
    return voice.pair(Pair(pair.first, pair.second))


def _tell_unknown(reason: UnknownCharacter, voice: TextFormat) -> str:
    character = voice.token(reason.character)
    if not reason.instead:
        return voice.say(
            _("{character} is not a token, so it is left out before anything is merged."), character=character
        )
    message = _("{character} is not a token: {instead} stands for it before anything is merged.")
    return voice.say(message, character=character, instead=some_tokens(reason.instead, voice))


def _tell_unreachable(reason: Unreachable, voice: TextFormat) -> Narration:
    message = _(
        "{token} is in the vocabulary, but merging never makes it here: by itself it becomes {tokens}."
    )
    lead = voice.say(message, token=voice.token(reason.token), tokens=some_tokens(reason.alone, voice))
    if not reason.merges:
        return Narration(lead, voice.say(_("No learned merge makes it.")))
    best = reason.merges[0]
    message = _("{pair}, rank {rank}, would make it, but these two are never side by side.")
    return Narration(lead, voice.say(message, pair=_pair(best, voice), rank=count(best.rank)))


def _tell_merged(reason: MergedAcross, voice: TextFormat) -> Narration:
    result, wanted = reason.made, reason.wanted
    pair, rank = _pair(result, voice), voice.strong(count(result.rank))
    if wanted is None:
        message = _("Both tokens are made on the way, but they are merged further: {pair} has rank {rank}.")
        return Narration(voice.say(message, pair=pair, rank=rank), "")
    other = _pair(wanted, voice)
    if wanted == result:
        message = _("{pair} has rank {rank} and occurs in two places that overlap.")
        why = voice.say(_("Merging goes from left to right, so the left one was merged."))
        return Narration(voice.say(message, pair=pair, rank=rank), why)
    message = _("{wanted} has rank {later}; {pair} came first, rank {rank}.")
    later = voice.strong(count(wanted.rank))
    lead = voice.say(message, wanted=other, later=later, pair=pair, rank=rank)
    if not reason.final:
        return Narration(lead, voice.say(_("It joined what this split keeps apart.")))
    return Narration(lead, voice.say(_("It joined what this split keeps apart, and no merge is undone.")))


def _tell_longer(reason: LongerMatch, voice: TextFormat, unk_token: str) -> Narration:
    message = _("{longer} is in the vocabulary too, and longer than {token}: the longest match is taken.")
    lead = voice.say(message, longer=voice.token(reason.longer), token=voice.token(reason.token))
    if not reason.rest:
        return Narration(lead, "")
    message = _("Later no token begins the rest, {rest}, so the whole word is {unknown}.")
    return Narration(lead, voice.say(message, rest=voice.token(reason.rest), unknown=voice.token(unk_token)))


def _tell_less_probable(reason: LessProbable, voice: TextFormat) -> Narration:
    lead = voice.say(
        _("This split costs {nats} nats more than {path}: it is {times} times less probable."),
        nats=voice.strong(cost_text(reason.nats)),
        path=path_text(reason.tokens, voice),
        times=times_text(reason.nats),
    )
    why = voice.say(
        _("Its log probability is {own}, that of the best split {best}."),
        own=log_text(reason.log_probability),
        best=log_text(reason.best),
    )
    if reason.unknown:
        message = _(
            "{characters} is no piece: it counts as an unknown character, with a log probability of {log}."
        )
        if len(reason.unknown) > 1:
            message = _(
                "{characters} are no pieces: each counts as an unknown character, with a log probability of {log}."
            )
        unknown = voice.say(
            message, characters=some_tokens(reason.unknown, voice), log=log_text(reason.unknown_log)
        )
        why = sentences(why, unknown)
    return Narration(lead, why)


def _tell_tie(reason: TiedSplit, voice: TextFormat) -> Narration:
    lead = voice.say(_("This split is just as probable."))
    message = _("At boundary {place}, {winner} and {loser} tie: the longer piece is met first, and kept.")
    if reason.rounding:
        message = _("At boundary {place}, {winner} and {loser} tie, apart from rounding, which decides.")
    why = voice.say(
        message,
        place=str(reason.end),
        winner=voice.token(reason.winner),
        loser=voice.token(reason.loser),
    )
    return Narration(lead, why)
