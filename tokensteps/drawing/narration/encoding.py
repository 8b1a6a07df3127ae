"""Sentences while a word is encoded, with BPE's merges or by WordPiece's longest match."""

from __future__ import annotations

from tokenizers_core.encoding.models.bpe import EncodingSnapshot
from tokenizers_core.encoding.models.wordpiece import MatchSnapshot
from tokensteps.drawing.narration.text_format import TextFormat
from tokensteps.language.i18n import _, count, sentences


def tell_encoding(snapshot: EncodingSnapshot, voice: TextFormat, by_rank: bool = False) -> str:
    """BPE: the learned merge just applied to the word, and the next one; `by_rank` without known training
    steps."""
    event = snapshot.event
    match event.kind:
        case "split":
            done = voice.say(_("The word is split into its symbols."))
        case "undo":
            done = voice.say(
                _("{token} was removed in step {step}: it is split into {parts} again."),
                token=voice.token(event.token),
                step=str(event.rank + 1),
                parts=" ".join(map(voice.token, event.parts)),
            )
        case "apply" if by_rank:
            done = voice.say(
                _("{pair} has rank {rank}, the lowest of the pairs here: merge it into {token}."),
                pair=voice.pair(event.pair),
                rank=count(event.rank),
                token=voice.token(event.token),
            )
        case "apply":
            done = voice.say(
                _(
                    "{pair} was learned in step {step}, the earliest of the pairs here: merge it into {token}."
                ),
                pair=voice.pair(event.pair),
                step=str(snapshot.learned_in(event.rank)),
                token=voice.token(event.token),
            )
    if snapshot.options:
        pair, rank = snapshot.options[0]
        following = (
            voice.say(_("Next: {pair}, rank {rank}."), pair=voice.pair(pair), rank=count(rank))
            if by_rank
            else voice.say(
                _("Next: {pair}, learned in step {step}."),
                pair=voice.pair(pair),
                step=str(snapshot.learned_in(rank)),
            )
        )
        return sentences(done, following)
    return sentences(done, voice.say(_("No learned pair is left: the word is encoded.")))


def tell_match(snapshot: MatchSnapshot, voice: TextFormat) -> str:
    """WordPiece: the tried substring, and the consequence."""
    event = snapshot.event
    match event.kind:
        case "begin":
            return voice.say(
                _(
                    "Look for the longest token that begins the word, then for the longest that begins the rest."
                )
            )
        case "unknown" if event.too_long:
            return voice.say(_("The word is too long to look up: it is unknown as a whole."))
        case "unknown":
            return voice.say(
                _("No token begins the rest, so the whole word is {unknown}."),
                unknown=voice.token(snapshot.tokens[0]),
            )
        case "match" if not event.found:
            message = _("{piece} is not in the vocabulary: try one character fewer.")
            if event.end - event.start == 1:
                message = _("{piece} is not in the vocabulary.")
        case "match" if snapshot.rest:
            message = _("{piece} is in the vocabulary: take it.")
        case "match":
            message = _("{piece} is in the vocabulary: the word is encoded.")
    return voice.say(message, piece=voice.token(event.piece))
