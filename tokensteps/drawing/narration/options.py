"""Sentences on the options of training: symbols kept whole, characters left out, merges learned on top of a
tokenizer's, and why none in the middle can be cut out."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple

from tokenizers_core import MergeTrace, UnigramTrace
from tokenizers_core.encoding.byte_tokens import byte_token
from tokenizers_core.encoding.models.wordpiece import MAX_CHARACTERS
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.cutting import DIGITS, PIECE_DIGITS, CutAt, Scripts
from tokenizers_core.text.normalizers import steps_of
from tokenizers_core.text.rewriting import Replace
from tokenizers_core.text.splitting import SPACE_MARK
from tokenizers_core.training.options.limits import characters_of
from tokenizers_core.training.options.trimming import CutOut
from tokensteps.drawing.narration.text_format import TextFormat
from tokensteps.drawing.stage_markup import table_html
from tokensteps.drawing.tokens import Style, chips, fill, pair_chips
from tokensteps.language.i18n import _, count, listed, ngettext, sentences
from tokensteps.language.names import behavior_name, words_names

SYMBOLS_LISTED: Final = 6
"""The most symbols in a sentence."""
SHORTENED_LISTED: Final = 8
"""The number of the corpus's words shown under both tokenizers."""
STRANDED_LISTED: Final = 24
"""The number of listed tokens that no text produces any more."""


def tell_symbols(corpus: Corpus, voice: TextFormat) -> str:
    """Which user-defined symbols were cut out of the text before words were counted; nothing where there are
    none."""
    symbols = corpus.pipeline.user_defined_symbols
    if not symbols:
        return ""
    text = ngettext(
        "{number} symbol is kept whole and cut out of the text before words are counted: {symbols}.",
        "{number} symbols are kept whole and cut out of the text before words are counted: {symbols}.",
        len(symbols),
    )
    counts = dict(zip(symbols, corpus.symbols_cut_out, strict=True))
    sentence = voice.say(text, number=count(len(symbols)), symbols=tokens_with_counts(counts, voice))
    if not corpus.pipeline.marks_spaces or corpus.pipeline.marks_behind:
        return sentence
    behind = _(
        "What comes right after a symbol begins with {mark}, as in tokenizers; in SentencePiece, only after a space."
    )
    return sentences(sentence, voice.say(behind, mark=voice.token(SPACE_MARK)))


def tell_cuts(corpus: Corpus, voice: TextFormat) -> str:
    """The replacements in the text, and the further cuts of words; nothing without such rules."""
    pipeline = corpus.pipeline
    messages = []
    for step in steps_of(pipeline.normalizer):
        if isinstance(step, Replace):
            text = _("In the text, {text} is replaced by {other} first.")
            if not step.content:
                text = _("In the text, {text} is left out first.")
            messages.append(
                voice.say(text, text=voice.strong(step.pattern), other=voice.strong(step.content))
            )
    for cut, name in zip(pipeline.cuts, words_names(pipeline)[1:], strict=True):
        if isinstance(cut, Scripts):
            messages.append(voice.say(_("Words are also cut where the script changes.")))
        elif cut in (*DIGITS.values(), PIECE_DIGITS):
            messages.append(voice.say(_("Digits in words: {how}."), how=voice.strong(name)))
        elif isinstance(cut, CutAt):
            text = _("Words are also cut at {pattern}; each match is {how}.")
            messages.append(voice.say(text, pattern=voice.strong(name), how=voice.strong(behavior_name(cut))))
    return sentences(*messages)


def tell_left_out(trace: MergeTrace | UnigramTrace, voice: TextFormat) -> str:
    """Which characters limits have left out of the alphabet, with their counts; nothing where there are
    none."""
    left_out = trace.left_out
    if not left_out:
        return ""
    if isinstance(trace, UnigramTrace) and trace.settings.get("byte_fallback"):
        text = ngettext(
            "{number} character is not covered and in no piece: {characters}.",
            "{number} characters are not covered and in no piece: {characters}.",
            len(left_out),
        )
    elif isinstance(trace, UnigramTrace):
        text = ngettext(
            "{number} character is not covered, in no piece, and unknown: {characters}.",
            "{number} characters are not covered, in no piece, and unknown: {characters}.",
            len(left_out),
        )
    elif trace.unknown_inside:
        text = ngettext(
            "{number} character is outside of the alphabet and unknown in its words: {characters}.",
            "{number} characters are outside of the alphabet and unknown in their words: {characters}.",
            len(left_out),
        )
    elif trace.settings.get("byte_fallback"):
        text = ngettext(
            "{number} character is outside of the alphabet and left out here: {characters}.",
            "{number} characters are outside of the alphabet and left out here: {characters}.",
            len(left_out),
        )
    else:
        text = ngettext(
            "{number} character is outside of the alphabet, left out here and unknown to the tokenizer: {characters}.",
            "{number} characters are outside of the alphabet, left out here and unknown to the tokenizer: {characters}.",
            len(left_out),
        )
    return voice.say(text, number=count(len(left_out)), characters=tokens_with_counts(left_out, voice))


def tell_initial(trace: MergeTrace | UnigramTrace, voice: TextFormat) -> str:
    """Which characters are in the alphabet without being in the corpus; nothing where there are none."""
    there = characters_of(trace.corpus)
    added = [one for one in trace.settings.get("initial_alphabet", ()) if one not in there]
    if not added:
        return ""
    if isinstance(trace, UnigramTrace):
        text = ngettext(
            "{number} character isn't in the corpus and comes in at the last step: {characters}.",
            "{number} characters aren't in the corpus and come in at the last step: {characters}.",
            len(added),
        )
    else:
        text = ngettext(
            "{number} character is in the alphabet without being in the corpus: {characters}.",
            "{number} characters are in the alphabet without being in the corpus: {characters}.",
            len(added),
        )
    return voice.say(text, number=count(len(added)), characters=listed(map(voice.token, added)))


def tell_long_words(trace: MergeTrace, voice: TextFormat) -> str:
    """The corpus's words beyond the tokenizer's own limit, if one was set; nothing without any."""
    limit = trace.settings.get("max_input_chars_per_word", MAX_CHARACTERS)
    long = {word: number for word, number in trace.corpus.items() if len(word) > limit}
    if limit == MAX_CHARACTERS or not long:
        return ""
    text = ngettext(
        "{number} word is longer than {limit} characters, and unknown as a whole to the tokenizer: {words}.",
        "{number} words are longer than {limit} characters, and unknown as a whole to the tokenizer: {words}.",
        len(long),
    )
    words = tokens_with_counts(long, voice)
    return voice.say(text, number=count(len(long)), limit=count(limit), words=words)


def tell_fallback(settings: Mapping[str, Any], voice: TextFormat) -> str:
    """The purpose of byte pieces, if the vocabulary has any; otherwise nothing."""
    if not settings.get("byte_fallback"):
        return ""
    text = _("256 byte pieces, {first} to {last}, spell the characters that the vocabulary can't.")
    return voice.say(text, first=voice.token(byte_token(0)), last=voice.token(byte_token(255)))


def tokens_with_counts(counts: Mapping[str, int], voice: TextFormat) -> str:
    """The first few tokens, each with its count, and how many more there are."""
    shown = [
        voice.say("{token} × {count}", token=voice.token(token), count=count(number))
        for token, number in [*counts.items()][:SYMBOLS_LISTED]
    ]
    more = len(counts) - len(shown)
    if not more:
        return listed(shown)
    message = ngettext("{characters} and {number} more", "{characters} and {number} more", more)
    return voice.say(message, characters=listed(shown), number=count(more))


class Shortened(NamedTuple):
    """A word of the corpus, as the old tokenizer splits it and as the new one does."""

    times: int
    old: Sequence[str]
    new: Sequence[str]

    @property
    def saved(self) -> int:
        return self.times * (len(self.old) - len(self.new))


def most_shortened(trace: MergeTrace) -> list[Shortened]:
    """The words with the most tokens saved by the new merges, the greatest savings first."""
    before, after = trace[0].splits(), trace[-1].splits()
    words = (Shortened(number, before[word], after[word]) for word, number in trace.corpus.items())
    return heapq.nlargest(SHORTENED_LISTED, (one for one in words if one.saved), key=lambda one: one.saved)


def shortened_html(words: Sequence[Shortened], style: Style) -> str:
    """Words of the corpus under both tokenizers, side by side; nothing for none."""
    rows = "".join(
        f'<tr><td><span class="row">{chips(one.old, style)}</span><td><span class="row">{chips(one.new, style)}</span>'
        f"<td>{count(one.times)}<td>{count(one.saved)}"
        for one in words
    )
    names = (_("Word, old"), _("Word, new"), _("Count"), _("Tokens saved"))
    return f'<div class="ts scroll">{table_html(names, rows, "tipping shortened")}</div>' if words else ""


def corpus_html(trace: MergeTrace) -> str:
    """The corpus under the old tokenizer and under the new one."""
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


def cut_html(losses: CutOut, style: Style) -> str:
    """The vocabulary's losses without one merge in the middle."""
    lead = fill(
        escape(_("Take one merge out, {pair} into {token}, and nothing makes {token} any more.")),
        pair=pair_chips(losses.pair, style),
        token=chips([losses.token], style),
    )
    idle = ngettext(
        "{number} later merge never happens, since it needs a token that nothing makes.",
        "{number} later merges never happen, since they need a token that nothing makes.",
        len(losses.idle),
    ).format(number=count(len(losses.idle)))
    stranded = ngettext(
        "{number} token stays in the vocabulary and takes an id, but no text produces it:",
        "{number} tokens stay in the vocabulary and take ids, but no text produces them:",
        len(losses.stranded),
    ).format(number=count(len(losses.stranded)))
    end = _("The last merges can go because no other merge needs them.")
    listed = chips(losses.stranded[:STRANDED_LISTED], style)
    more = "" if len(losses.stranded) <= STRANDED_LISTED else " …"
    return (
        f'<div class="ts"><p>{lead}</p><p>{sentences(escape(idle), escape(stranded))}</p>'
        f'<div class="ts row wide">{listed}{more}</div><p>{escape(end)}</p></div>'
    )
