"""Why a token is never produced, as a sentence. Plain text: tables show it, and files hold it."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers_core.health.verdicts import Verdict
from tokensteps.drawing.tokens import readable
from tokensteps.language.i18n import _, count
from tokensteps.language.numbers import nats

SHOWN_PARTS = 12
"""The most tokens of a split to write out."""


def finding_key(verdict: Verdict | None) -> str:
    """The key in `FINDINGS` of a verdict; None is for a token produced by its own text."""
    if verdict is None:
        return "own"
    return "never" if verdict.ruled_out else verdict.kind


def tell_verdict(verdict: Verdict | None) -> str:
    """The verdict on a token; "" for one produced by its own text."""
    if verdict is None:
        return ""
    split = written_split(verdict.instead)
    pair = written_split(verdict.pair)
    match verdict.kind:
        case "shown":
            return _("This text has it among its tokens: {text}").format(text=readable(verdict.text))
        case "apart":
            return _("It is put in or recognized as it is, and not made by the model.")
        case "open":
            return _("None of the texts we tried gives it, and nothing rules it out.")
        case "earlier":
            return _(
                "Its own merge has rank {own}, but {pair} comes first, with rank {rank}: what comes out is {split}."
            ).format(own=count(verdict.own_rank), pair=pair, rank=count(verdict.rank), split=split)
        case "part":
            return _(
                "It would be merged from {pair}, but {part} is never formed: what comes out is {split}."
            ).format(pair=pair, part=verdict.text, split=split)
        case "unmerged":
            return _("No merge makes it: what comes out is {split}.").format(split=split)
        case "symbol":
            return _("The vocabulary doesn't have its symbol {symbol}, so nothing is merged with it.").format(
                symbol=verdict.text
            )
        case "better":
            return _("In every text, {split} is more probable, by {nats} nats.").format(
                split=split, nats=nats(verdict.nats)
            )
        case "long":
            return _("A word of more than {limit} characters is unknown as a whole.").format(
                limit=count(verdict.limit)
            )
        case "bytes":
            return _("No text has these bytes in a row: {bytes} is not UTF-8.").format(bytes=verdict.text)
        case "spelled":
            return _("Only the character {character} has this byte, and that is a token itself.").format(
                character=readable(verdict.text)
            )
        case "normalized" if not "".join(verdict.instead):
            return _("The normalizer removes {character}.").format(character=readable(verdict.text))
        case "normalized":
            return _("The normalizer turns {character} into {result}, and nothing into {character}.").format(
                character=readable(verdict.text), result=readable("".join(verdict.instead))
            )
        case "alone":
            return _("It stands inside words only, but {character} is always a word of its own.").format(
                character=readable(verdict.text)
            )
        case "cut":
            return _("The pre-tokenizer always cuts within it: {split}.").format(split=split)
    raise KeyError(verdict.kind)


def written_split(tokens: Sequence[str]) -> str:
    """Tokens with a plus between them; of many only the first ones.

    >>> written_split(("Ġt", "he"))
    'Ġt + he'
    """
    shown = " + ".join(tokens[:SHOWN_PARTS])
    return f"{shown} + …" if len(tokens) > SHOWN_PARTS else shown
