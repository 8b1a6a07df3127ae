"""Snapshot → frame: what the flipbook shows for one step, as markup, as words for a screen reader, and as a label.

One function for each kind of event, found by `event.kind`. A frame is a pure function of its snapshot, the style and the
language in use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import islice
from typing import Protocol, cast

from tokenizers_core.bpe import ApplyEvent, EncodingSnapshot
from tokenizers_core.merging import Candidate, MergeEvent, MergeSnapshot, Pair, StartEvent
from ui.flipbook import Frame
from ui.i18n import N_, _, count, ngettext
from ui.tokens import Style, chip, chips, fill, readable, token_html

WORD_ROWS = 8
CANDIDATE_ROWS = 8
TOKENS_IN_ROW = 48
"""A longer word is cut around the place that changes, and the cut is said."""
VOCABULARY_CHIPS = 60

STOP_REASONS = {
    "vocab_size": N_("Training ends here: the vocabulary has the size that was asked for."),
    "max_merges": N_("Training ends here: the number of merges that was asked for is reached."),
    "min_frequency": N_("Training ends here: no pair that is left is frequent enough."),
    "no_pairs": N_("Training ends here: no pair is left, every word is one token."),
    "stopped": N_("Training was stopped here."),
}


class Voice(Protocol):
    """How a message's tokens and numbers are written: as markup or as plain text."""

    def token(self, token: str) -> str: ...

    def pair(self, pair: Pair) -> str: ...

    def strong(self, text: str) -> str: ...

    def say(self, message: str, **fields: str) -> str: ...


class Markup:
    """A message as markup."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def token(self, token: str) -> str:
        return chip(token, self.style)

    def pair(self, pair: Pair) -> str:
        return pair_chips(pair, self.style)

    def strong(self, text: str) -> str:
        return f"<b>{escape(text)}</b>"

    def say(self, message: str, **fields: str) -> str:
        return fill(message, **fields)


class Plain:
    """A message as plain text, for screen readers and exports."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def token(self, token: str) -> str:
        return readable(token, self.style)

    def pair(self, pair: Pair) -> str:
        return f"{self.token(pair.first)} + {self.token(pair.second)}"

    def strong(self, text: str) -> str:
        return text

    def say(self, message: str, **fields: str) -> str:
        return message.format(**fields)


def pair_chips(pair: Pair, style: Style) -> str:
    """Two chips that touch."""
    return f'<span class="pair">{chip(pair.first, style)}{chip(pair.second, style)}</span>'


# --- training by merging ----------------------------------------------------------------------------------------------


def merge_frame(snapshot: MergeSnapshot, style: Style) -> Frame:
    """The frame of one step of BPE."""
    lead, detail = TELL[snapshot.event.kind](snapshot, Markup(style))
    spoken = " ".join(TELL[snapshot.event.kind](snapshot, Plain(style)))
    html = (
        f'<div class="say"><p>{lead}</p><p class="why">{detail}</p></div>'
        f'<div class="cols"><section>{words_panel(snapshot, style)}</section>'
        f"<section>{candidates_panel(snapshot, style)}</section></div>"
        f"{vocabulary_strip(snapshot, style)}"
    )
    event = snapshot.event
    label = escape(_("Start")) if event.kind == "start" else token_html(event.token, style)
    return Frame(html, spoken, label, vocabulary_status(snapshot))


def vocabulary_status(snapshot: MergeSnapshot) -> str:
    """How far the vocabulary has come."""
    size, wanted = snapshot.vocab_size, snapshot.trace.settings.get("vocab_size")
    if wanted is None or wanted == size:
        return ngettext("{size} token", "{size} tokens", size).format(size=count(size))
    return _("{size} of {wanted} tokens").format(size=count(size), wanted=count(wanted))


def tell_start(snapshot: MergeSnapshot, voice: Voice) -> tuple[str, str]:
    """What there is before the first merge."""
    event = cast(StartEvent, snapshot.event)
    corpus = snapshot.trace.corpus
    lead = voice.say(
        ngettext(
            "Every word is split into its symbols. The alphabet has {size} symbol.",
            "Every word is split into its symbols. The alphabet has {size} symbols.",
            len(event.alphabet),
        ),
        size=voice.strong(count(len(event.alphabet))),
    )
    words = ngettext("{number} different word", "{number} different words", len(corpus.words))
    detail = voice.say(
        _("The corpus has {different}, {total} in all, which makes {tokens} tokens now."),
        different=words.format(number=count(len(corpus.words))),
        total=count(sum(corpus.counts)),
        tokens=count(snapshot.tokens),
    )
    if snapshot.step == len(snapshot.trace):
        detail += " " + voice.say(_(STOP_REASONS[snapshot.trace.stop_reason]))
    return lead, detail


def tell_merge(snapshot: MergeSnapshot, voice: Voice) -> tuple[str, str]:
    """What was merged, and why that pair."""
    event = cast(MergeEvent, snapshot.event)
    times = ngettext("{number} time", "{number} times", event.freq)
    lead = voice.say(
        _("Merge {pair} into {token}. The pair stands {times} in the corpus."),
        pair=voice.pair(event.pair),
        token=voice.token(event.token),
        times=voice.strong(times.format(number=count(event.freq))),
    )
    why = [tell_ties(snapshot, event, voice)]
    if event.applied != event.freq:
        why.append(
            voice.say(
                _("It overlaps itself: counted {freq} times, merged {applied} times."),
                freq=count(event.freq),
                applied=count(event.applied),
            )
        )
    if not event.is_new:
        why.append(voice.say(_("The vocabulary has this token already, made another way: it does not grow.")))
    if snapshot.step == len(snapshot.trace):
        why.append(voice.say(_(STOP_REASONS[snapshot.trace.stop_reason])))
    return lead, " ".join(why)


def tell_ties(snapshot: MergeSnapshot, event: MergeEvent, voice: Voice) -> str:
    """Why this pair and not another one as frequent."""
    if event.tied_count == 1:
        if not event.runner_ups:
            return voice.say(_("It is the only pair left."))
        second = event.runner_ups[0]
        return voice.say(
            _("No other pair is as frequent; next comes {pair} with {freq}."),
            pair=voice.pair(second.pair),
            freq=count(second.freq),
        )
    others = [tie.pair for tie in event.tied[1:4]]
    more = event.tied_count - 1 - len(others)
    listed = ", ".join(voice.pair(pair) for pair in others)
    if more:
        listed = voice.say(
            ngettext("{pairs} and {number} more", "{pairs} and {number} more", more),
            pairs=listed,
            number=count(more),
        )
    tied = voice.say(ngettext("Tied with {pairs}.", "Tied with {pairs}.", event.tied_count - 1), pairs=listed)
    return f"{tied} {tell_rule(snapshot, event, voice)}"


def tell_rule(snapshot: MergeSnapshot, event: MergeEvent, voice: Voice) -> str:
    """How the tie rule decided."""
    chosen = voice.pair(event.pair)
    rule = snapshot.trace.settings["tie_rule"]
    if rule == "first":
        return voice.say(
            _("Rule “first met”: reading the words in order, {pair} comes first, in {word}."),
            pair=chosen,
            word=f"{voice.token(event.tied[0].word)}",
        )
    if rule == "lowest_ids":
        ids = snapshot.trace.vocabulary.ids
        return voice.say(
            _("Rule “lowest ids”: {pair} has the ids {first} and {second}, the lowest."),
            pair=chosen,
            first=str(ids[event.pair.first]),
            second=str(ids[event.pair.second]),
        )
    return voice.say(_("Rule “greatest”: as bytes, {pair} sorts last."), pair=chosen)


TELL: dict[str, Callable[[MergeSnapshot, Voice], tuple[str, str]]] = {
    "start": tell_start,
    "merge": tell_merge,
}


def words_panel(snapshot: MergeSnapshot, style: Style) -> str:
    """The words that changed, first; each merged token stands as its two parts in a group that closes up."""
    corpus, event = snapshot.trace.corpus, snapshot.event
    changed = () if event.kind == "start" else event.words
    lit = set(corpus.words if event.kind == "start" else changed)
    frequencies = snapshot.trace.word_frequencies
    rows = [
        word_row(groups, frequencies[word], word in lit, style)
        for word, groups in snapshot.marked(words_shown(corpus.words, changed)).items()
    ]
    if event.kind == "start":
        title, number = _("Words"), ngettext("{number} word", "{number} words", len(corpus.words))
        number = number.format(number=count(len(corpus.words)))
    else:
        title = _("Words that change")
        number = _("{changed} of {all}").format(changed=count(len(changed)), all=count(len(corpus.words)))
    return f"<h3>{escape(title)}<span>{escape(number)}</span></h3>{''.join(rows)}"


def words_shown(words: Sequence[str], changed: Sequence[str]) -> list[str]:
    """Which words to show: all in their order when they fit, else the changed ones first.

    >>> words_shown(["a", "b", "c"], ["b"])
    ['a', 'b', 'c']
    >>> words_shown([f"w{number}" for number in range(20)], ["w7", "w9"])[:3]
    ['w7', 'w9', 'w0']
    """
    if len(words) <= WORD_ROWS:
        return list(words)
    first = list(changed[:WORD_ROWS])
    others = (word for word in words[: 2 * WORD_ROWS] if word not in first)
    return first + list(islice(others, WORD_ROWS - len(first)))


def word_row(groups: Sequence[Sequence[str]], frequency: int, lit: bool, style: Style) -> str:
    """One word: its tokens as chips, and its frequency.

    What this step merged is there twice, as the two parts and as the token: the stylesheet shows the parts in the
    first beat and the token in the second.
    """
    cut_before = cut_after = 0
    if len(groups) > TOKENS_IN_ROW:
        site = next((place for place, group in enumerate(groups) if len(group) > 1), 0)
        cut_before = max(0, site - TOKENS_IN_ROW // 3)
        cut_after = max(0, len(groups) - cut_before - TOKENS_IN_ROW)
        groups = groups[cut_before : cut_before + TOKENS_IN_ROW]
    shown = "".join(
        chip(group[0], style)
        if len(group) == 1
        else f'<span class="m"><span>{chips(group, style)}</span>{chip("".join(group), style, "hot")}</span>'
        for group in groups
    )
    before = f'<span class="cut">{escape(_("{number} before").format(number=count(cut_before)))}</span>'
    after = f'<span class="cut">{escape(_("{number} more").format(number=count(cut_after)))}</span>'
    return (
        f'<div class="w{"" if lit else " dim"}"><span class="ts">{before if cut_before else ""}{shown}'
        f'{after if cut_after else ""}</span><span class="f">× {count(frequency)}</span></div>'
    )


def candidates_panel(snapshot: MergeSnapshot, style: Style) -> str:
    """The pairs this merge was chosen from; at the start, those the first merge will be chosen from."""
    event = snapshot.event
    if event.kind == "start":
        candidates, total = snapshot.candidates(CANDIDATE_ROWS), snapshot.pair_count
        title = _("Pairs to choose from")
    else:
        candidates, total = list(event.candidates[:CANDIDATE_ROWS]), event.pair_count
        title = _("Pairs before this merge")
    number = ngettext("{number} pair", "{number} pairs", total).format(number=count(total))
    chosen = event.pair if event.kind != "start" else None
    tied = sum(candidate.tied for candidate in candidates) > 1
    rows = "".join(
        candidate_row(candidate._replace(tied=tied and candidate.tied), candidates[0].freq, chosen, style)
        for candidate in candidates
    )
    head = "".join(f"<th>{escape(name)}" for name in (_("pair"), _("count"), _("change")))
    return f"<h3>{escape(title)}<span>{escape(number)}</span></h3><table><tr>{head}<th>{rows}</table>"


def candidate_row(candidate: Candidate, most: int, chosen: Pair | None, style: Style) -> str:
    """One pair: its count, what the step before did to it, and a bar."""
    now = candidate.pair == chosen
    classes = " ".join(name for name, holds in (("now", now), ("tie", candidate.tied)) if holds)
    sign = "up" if candidate.change > 0 else "down"
    change = f'<span class="{sign}">{candidate.change:+,}</span>'.replace("-", "\u2212")
    tie = f'<span class="mark">{escape(_("tied"))}</span>' if candidate.tied and not now else ""
    mark = f'<span class="mark">{escape(_("merged"))}</span>' if now else tie
    return (
        f'<tr class="{classes}"><td>{pair_chips(candidate.pair, style)}{mark}<td>{count(candidate.freq)}'
        f"<td>{change if candidate.change else '·'}"
        f'<td><span class="bar" style="width:{max(2, 100 * candidate.freq // most)}%"></span>'
    )


def vocabulary_strip(snapshot: MergeSnapshot, style: Style) -> str:
    """The vocabulary, newest token first and ringed, then back to the alphabet as far as there is room."""
    vocab = snapshot.vocab
    newest = None if snapshot.event.kind == "start" else snapshot.event.token
    shown = vocab[: -VOCABULARY_CHIPS - 1 : -1]
    if newest is not None and newest not in shown:
        shown = (newest, *shown)  # made a second time: it is further back
    classes = {newest: "hot"} | dict.fromkeys(style.special_tokens, "s")
    return (
        f'<div class="vocab"><div><span class="k">{escape(_("Vocabulary, newest first"))}</span>'
        + "".join(chip(token, style, classes.get(token, "")) for token in shown)
        + ('<span class="k">…</span>' if len(shown) < len(vocab) else "")
        + "</div></div>"
    )


# --- encoding a word --------------------------------------------------------------------------------------------------


def encoding_frame(snapshot: EncodingSnapshot, style: Style) -> Frame:
    """The frame of one step of encoding a word with learned merges."""
    voice, plain = Markup(style), Plain(style)
    event = snapshot.event
    spoken = tell_encoding(snapshot, plain)
    rows = "".join(
        f"<tr{' class=now' if place == 0 else ''}><td>{pair_chips(pair, style)}<td>{rank + 1}"
        for place, (pair, rank) in enumerate(snapshot.options[:CANDIDATE_ROWS])
    )
    table = f"<table><tr><th>{escape(_('pair'))}<th>{escape(_('learned in step'))}{rows}</table>"
    nothing = f'<p class="why">{escape(_("No learned pair is left: the word is encoded."))}</p>'
    html = (
        f'<div class="say"><p>{tell_encoding(snapshot, voice)}</p></div><div class="cols"><section>'
        f"<h3>{escape(_('The word'))}<span>{escape(_token_count(len(snapshot.tokens)))}</span></h3>"
        f'<div class="w big"><span class="ts">{"".join(chip(token, style) for token in snapshot.tokens)}</span></div>'
        f"</section><section><h3>{escape(_('Learned pairs in it'))}</h3>{table if rows else nothing}</section></div>"
    )
    label = token_html(cast(ApplyEvent, event).token, style) if snapshot.step else escape(_("Start"))
    return Frame(html, spoken, label, _token_count(len(snapshot.tokens)))


def _token_count(number: int) -> str:
    return ngettext("{number} token", "{number} tokens", number).format(number=count(number))


def tell_encoding(snapshot: EncodingSnapshot, voice: Voice) -> str:
    """What was done to the word, and what comes next."""
    if snapshot.event.kind == "split":
        done = voice.say(_("The word is split into its symbols."))
    else:
        event = cast(ApplyEvent, snapshot.event)
        done = voice.say(
            _("{pair} was learned in step {step}, the earliest of the pairs here: merge it into {token}."),
            pair=voice.pair(event.pair),
            step=str(event.rank + 1),
            token=voice.token(event.token),
        )
    if snapshot.options:
        pair, rank = snapshot.options[0]
        return f"{done} " + voice.say(
            _("Next: {pair}, learned in step {step}."), pair=voice.pair(pair), step=str(rank + 1)
        )
    return f"{done} " + voice.say(_("No learned pair is left: the word is encoded."))
