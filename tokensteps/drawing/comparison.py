"""Snapshot of a comparison → frame: BPE, WordPiece and Unigram side by side at one vocabulary size; and its markup for tabs.

As in `frames`, a frame is a pure function of its snapshot, the style and the language in use. WordPiece's tokens stand in
words without their ##, so that what is the same looks the same in all three.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any, cast

from tokenizers_core.training.comparison import COMPARED, PAIRS, Overlap, SizeSnapshot, Standing
from tokenizers_core.training.sides import Cut, Merged, Regained, surface
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style, chip, chips
from tokensteps.drawing.training.merging import Marked, Markup, Plain, Voice, cut_mark, fraction_text
from tokensteps.language.glossary import once
from tokensteps.language.i18n import N_, _, count, ngettext, sentences
from tokensteps.language.names import ALGORITHM_NAMES, pair_name
from tokensteps.language.numbers import nats, percent, share_text

DIRECTIONS: Mapping[str, str] = {
    "bpe": N_("merges →"),
    "wordpiece": N_("merges →"),
    "unigram": N_("← prunes, from right to left"),
}
WORDS_SHOWN = 8
CHANGED_SHOWN = 3
"""Rows of them that are kept for the words that change at a size."""
FREQUENT_SHOWN = 2
"""Of the words that are cut differently, so many are the most frequent ones; then come those that all three cut differently."""
TOKENS_IN_ROW = 16
PIECES_NAMED = 4
CHIPS_SHOWN = 60
"""Tokens listed for each region of the overlap."""


def compare_frame(snapshot: SizeSnapshot, style: Style) -> Frame:
    """The frame of one vocabulary size."""
    voice, plain = Marked(style), Plain(style)
    lead, detail = tell_size(snapshot, voice)
    columns = "".join(column(snapshot, standing, style) for standing in snapshot.standings)
    html = f'<div class="say brief"><p>{lead}</p><p class="why">{detail}</p></div><div class="trio">{columns}</div>'
    size = count(snapshot.size)
    spoken = [
        *tell_size(snapshot, plain),
        *(
            plain.say(
                _("{name}: {told} {measure}"),
                name=ALGORITHM_NAMES[standing.algorithm],
                told=tell_standing(snapshot, standing, plain),
                measure=tell_measure(standing),
            ).strip()
            for standing in snapshot.standings
        ),
    ]
    return Frame(
        once(html),
        sentences(*spoken),
        size,
        _("vocabulary {size}").format(size=size),
    )


# --- in words ---------------------------------------------------------------------------------------------------------


def tell_size(snapshot: SizeSnapshot, voice: Voice) -> tuple[str, str]:
    """Who needs the fewest tokens, and how much is cut alike."""
    there = [standing for standing in snapshot.standings if standing.tokens is not None]
    fewest = min((cast(int, standing.tokens) for standing in there), default=0)
    best = [standing for standing in there if standing.tokens == fewest]
    if len(best) == len(COMPARED):
        message = _("With a vocabulary of {size}, all three need {number} tokens per word.")
    elif len(there) == 1:
        message = _("With a vocabulary of {size}, {names} needs {number} tokens per word.")
    elif len(best) == len(there):
        message = _("With a vocabulary of {size}, {names} need {number} tokens per word.")
    elif len(there) < len(COMPARED):
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
    if not snapshot.step and not missing:  # one line has to do
        details.append(
            voice.say(_("BPE and WordPiece merge towards the right; Unigram prunes towards the left."))
        )
    details += missing
    alike = snapshot.trace.sweep[snapshot.step].alike
    if alike is not None and snapshot.different == 0:
        details.append(voice.say(_("Every word is cut alike.")))
    elif alike is not None:
        details.append(
            voice.say(
                ngettext(
                    "All three cut {share} of the text alike, and {number} word differently. "
                    "≠ marks a cut that no other column has.",
                    "All three cut {share} of the text alike, and {number} different words differently. "
                    "≠ marks a cut that no other column has.",
                    snapshot.different,
                ),
                number=count(snapshot.different),
                share=share_text(alike) if alike else percent("0"),
            )
        )
    elif len(there) > 1:
        message = _("{names} cut every word alike.")
        if snapshot.different:
            message = ngettext(
                "{names} cut {number} word differently.",
                "{names} cut {number} different words differently.",
                snapshot.different,
            )
        details.append(voice.say(message, names=both(there), number=count(snapshot.different)))
    return lead, sentences(*details)


def both(standings: Sequence[Standing]) -> str:
    """The names of one or two algorithms."""
    return _(" and ").join(ALGORITHM_NAMES[standing.algorithm] for standing in standings)


def tell_missing(snapshot: SizeSnapshot) -> list[str]:
    """Who has no vocabulary of this size, a sentence each."""
    missing = [standing for standing in snapshot.standings if standing.step is None]
    return [
        (
            _("{name} was stopped at {size}.")
            if standing.algorithm == "unigram"
            else _("{name} starts at {size}.")
        ).format(name=ALGORITHM_NAMES[standing.algorithm], size=count(standing.limit or 0))
        for standing in missing
    ]


def tell_standing(snapshot: SizeSnapshot, standing: Standing, voice: Voice) -> str:
    """What an algorithm did to get to this size, or why it did nothing."""
    if standing.change is not None:
        told = CHANGES[standing.change.kind](standing.change, voice)
        if standing.limit is not None:
            told = sentences(told, voice.say(_("That makes {size}."), size=count(standing.limit)))
        return told
    if standing.limit is not None:
        return voice.say(tell_limit(snapshot, standing), size=count(standing.limit))
    if standing.algorithm == "unigram":
        if snapshot.step:
            return ""
        return voice.say(_("Ends here: only single characters are left."))
    return voice.say(_("Starts from {size} symbols."), size=count(snapshot.size))


def tell_merged(change: Merged, voice: Voice) -> str:
    """BPE's or WordPiece's merge."""
    fields = {"pair": voice.pair(change.pair), "token": voice.token(change.token), "freq": count(change.freq)}
    if change.score is None:
        told = voice.say(
            ngettext(
                "Merges {pair} to {token}: {freq} time.",
                "Merges {pair} to {token}: {freq} times.",
                change.freq,
            ),
            **fields,
        )
    else:
        fields["score"] = fraction_text(change.score)
        told = voice.say(
            ngettext(
                "Merges {pair} to {token}: {freq} time, score {score}.",
                "Merges {pair} to {token}: {freq} times, score {score}.",
                change.freq,
            ),
            **fields,
        )
    if change.again:
        again = voice.say(
            ngettext(
                "{number} merge before made a token once more.",
                "{number} merges before made tokens once more.",
                change.again,
            ),
            number=count(change.again),
        )
        told = sentences(told, again)
    return told


def tell_regained(change: Regained, voice: Voice) -> str:
    """What Unigram still has here."""
    listed = " ".join(map(voice.token, change.tokens[:PIECES_NAMED]))
    if change.loss is not None:
        told = _("Keeps {piece}, which is pruned next on the way left: that costs {loss} nats.")
        if change.loss == 0:
            told = _("Keeps {piece}, which is pruned next on the way left: that costs nothing.")
        return voice.say(told, piece=listed, loss=nats(change.loss))
    more = len(change.tokens) - PIECES_NAMED
    if more > 0:
        listed = voice.say(
            ngettext("{pieces} and {number} more", "{pieces} and {number} more", more),
            pieces=listed,
            number=count(more),
        )
    return voice.say(_("Keeps {pieces}, which go all at once on the way left."), pieces=listed)


CHANGES: Mapping[str, Callable[[Any, Voice], str]] = {"merged": tell_merged, "regained": tell_regained}


def tell_limit(snapshot: SizeSnapshot, standing: Standing) -> str:
    """Why an algorithm has no vocabulary of this size."""
    stopped = snapshot.trace.stop_reason == "stopped"
    if standing.algorithm == "unigram":
        if standing.size is None:
            return _("Training was stopped at {size} pieces, before it came down to this size.")
        if standing.size == len(snapshot.trace.unigram.seed):
            return _("Starts from {size} pieces: the seed has no more.")
        return _("Has no vocabulary of just this size: several pieces went at once. This one has {size}.")
    if standing.size is None:
        return _("Starts at {size}: inside a word, a letter is a symbol of its own, with ##.")
    if stopped:
        return _("Training was stopped at {size} tokens.")
    return _("Ended at {size} tokens: every word is one token.")


def tell_measure(standing: Standing) -> str:
    """How many tokens a word takes."""
    return "" if standing.tokens is None else _("{number} tokens per word.").format(number=per_word(standing))


def per_word(standing: Standing) -> str:
    """Tokens per word as text."""
    return "–" if standing.tokens_per_word is None else f"{standing.tokens_per_word:.2f}"


# --- a column ---------------------------------------------------------------------------------------------------------


def column(snapshot: SizeSnapshot, standing: Standing, style: Style) -> str:
    """One algorithm: what it did, what it costs, and how it cuts the words that all columns show."""
    name = standing.algorithm
    direction = escape(_(DIRECTIONS[name]))
    return (
        f"<section><h3>{ALGORITHM_NAMES[name]}<span>{direction}</span></h3>"
        f'<p class="did">{tell_standing(snapshot, standing, Markup(style))}</p>'
        f"{measure(snapshot, standing)}{words_panel(snapshot, standing, style)}</section>"
    )


def measure(snapshot: SizeSnapshot, standing: Standing) -> str:
    """Tokens per word as a number and as a bar, whose full length is a token for every character."""
    trace = snapshot.trace
    most = trace.bpe.token_totals[0] / trace.corpus.total
    share = 0 if standing.tokens_per_word is None else round(100 * standing.tokens_per_word / most)
    totals = [other.tokens for other in snapshot.standings if other.tokens is not None]
    fewest = standing.tokens is not None and standing.tokens == min(totals) != max(totals)
    best, unit = escape(_("fewest")), escape(_("tokens per word"))
    mark = f'<span class="mark">{best}</span>' if fewest else ""
    return (
        f'<div class="per"><b>{per_word(standing)}</b><span>{unit}</span>{mark}'
        f'<span class="track"><span class="bar{" now" if fewest else ""}" style="width:{share}%"></span></span></div>'
    )


def words_panel(snapshot: SizeSnapshot, standing: Standing, style: Style) -> str:
    """The words: those that are not cut alike, the most frequent first, then those that change at this size."""
    first, changed = words_shown(snapshot)
    cuts = snapshot.cuts((*first, *changed))
    made = made_here(standing)

    def rows(words: Sequence[str]) -> str:
        return "".join(
            row(
                cuts[word],
                standing.algorithm,
                snapshot.trace.corpus.counts[snapshot.trace.places[word]],
                made,
                style,
            )
            for word in words
        )

    if len(snapshot.trace.corpus.words) <= WORDS_SHOWN:
        return block_title(_("Words"), True) + rows(first)
    title = _("Cut differently") if snapshot.different else _("The most frequent words")
    below, nothing = block_title(_("Change at this size")), escape(_("none"))
    told = rows(changed) or f'<p class="none">{nothing}</p>'
    return f'{block_title(title, True)}{rows(first)}{below}<div class="fixed">{told}</div>'


def words_shown(snapshot: SizeSnapshot) -> tuple[list[str], list[str]]:
    """Which words to show: all where there are few, else those that are not cut alike, and those that change here."""
    corpus = snapshot.trace.corpus
    if len(corpus.words) <= WORDS_SHOWN:
        return list(corpus.words), []
    changed = snapshot.changed[:CHANGED_SHOWN]
    room = WORDS_SHOWN - CHANGED_SHOWN
    most_frequent = [corpus.words[place] for place in snapshot.trace.by_frequency[: 3 * WORDS_SHOWN]]
    telling = (*snapshot.leading[:FREQUENT_SHOWN], *snapshot.all_apart, *snapshot.leading, *most_frequent)
    first = list(islice((word for word in dict.fromkeys(telling) if word not in changed), room))
    different = {*snapshot.all_apart, *snapshot.leading}
    return sorted(first, key=lambda word: (word not in different, snapshot.trace.rank_of(word))), changed


def made_here(standing: Standing) -> frozenset[str]:
    """The surfaces of the tokens that came at this size."""
    return frozenset() if standing.change is None else frozenset(map(surface, standing.change.tokens))


def row(cuts: tuple[Cut | None, ...], algorithm: str, freq: int, made: frozenset[str], style: Style) -> str:
    """One word in one column: a sign, the tokens, how often it stands and how many tokens it is."""
    cut = cuts[COMPARED.index(algorithm)]
    if cut is None:
        return '<div class="w dim"><i class="sign"></i><span class="ts"></span><span class="f">–</span></div>'
    same, there = sum(other == cut for other in cuts), sum(other is not None for other in cuts)
    alike = same == there > 1
    sign, classes = ("=", " dim") if alike else ("≠", " odd") if same == 1 < there else ("", "")
    shown = "".join(
        chip(token, style, "hot" if token in made and len(token) > 1 else "") for token in cut[:TOKENS_IN_ROW]
    )
    more = cut_mark(_("{number} more"), max(0, len(cut) - TOKENS_IN_ROW))
    return (
        f'<div class="w{classes}"><i class="sign">{sign}</i><span class="ts">{shown}{more}</span>'
        f'<span class="f">{count(freq)} × <b>{count(len(cut))}</b></span></div>'
    )


def block_title(title: str, units: bool = False) -> str:
    """The title of some rows; with `units`, what stands at their ends."""
    ends = escape(_("count × tokens"))
    note = f"<span>{ends}</span>" if units else ""
    return f"<h4>{escape(title)}{note}</h4>"


# --- for tabs ---------------------------------------------------------------------------------------------------------


def overlap_html(overlap: Overlap, style: Style) -> str:
    """Who has which tokens: a row for each region of those that have a vocabulary, with its tokens."""
    head, number, more = (
        "".join(f"<th>{ALGORITHM_NAMES[name]}" for name in COMPARED),
        _("tokens"),
        _("{number} more"),
    )
    rows = "".join(
        f"<tr>{''.join(f'<td>{_mark(name, region, overlap)}' for name in COMPARED)}<td><b>{count(len(tokens))}</b>"
        f'<td><div class="row">{chips(tokens[:CHIPS_SHOWN], style)}'
        f"{cut_mark(more, max(0, len(tokens) - CHIPS_SHOWN))}</div>"
        for region, tokens in overlap.regions.items()
        if {*region} <= {*overlap.there}
    )
    return f'<div class="ts"><table class="regions"><tr>{head}<th>{escape(number)}<th>{rows}</table></div>'


def _mark(name: str, region: tuple[str, ...], overlap: Overlap) -> str:
    """A tick or a dot, or a dash for one that has no vocabulary, which is read out as a word."""
    kind, mark, told = "lacks", "·", _("has none of them")
    if name not in overlap.there:
        mark, told = "–", _("has no vocabulary of this size")
    elif name in region:
        kind, mark, told = "has", "✓", _("has them")
    told = escape(told)
    return f'<span role="img" aria-label="{told}" class="{kind}">{mark}</span>'


def jaccard_html(overlap: Overlap) -> str:
    """How much of two vocabularies is the same, pair by pair, with the numbers."""
    rows = ""
    for first, second in PAIRS:
        shared = overlap.size(first, second)
        either = overlap.size(first) + overlap.size(second) - shared
        index = overlap.jaccard(first, second)
        value = "–" if index is None else share_text(index) if index else "0 %"
        numbers = f"{count(shared)} / {count(either)}" if {first, second} <= {*overlap.there} else "–"
        rows += f"<tr><td>{escape(pair_name((first, second)))}<td>{numbers}<td><b>{value}</b>"
    names = (_("vocabularies"), _("in both / in either"), _("Jaccard index"))
    head = "".join(f"<th>{escape(name)}" for name in names)
    return f'<div class="ts"><table class="jaccard"><tr>{head}{rows}</table></div>'
