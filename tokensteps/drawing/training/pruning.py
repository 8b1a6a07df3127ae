"""Snapshot → frame for Unigram training: a piece pruned, an E step, an M step, with the words and the ranking.

As in `frames`, one function for each kind of event, and a frame is a pure function of its snapshot, the style and the
language in use.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import islice
from typing import cast

from tokenizers_core.training.lattice import Lattice
from tokenizers_core.training.pruning import (
    ExpectationEvent,
    Expected,
    FinalEvent,
    MaximizationEvent,
    PruneEvent,
    RankedPiece,
    Resplit,
    SeedEvent,
)
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokensteps.drawing.code_steps import code_attributes, unigram_beats
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style, chip, chips, token_html
from tokensteps.drawing.training.merging import (
    WORD_ROWS,
    Marked,
    Markup,
    Plain,
    Voice,
    aside_html,
    cut_mark,
    heading,
    stage_html,
    table_html,
    words_shown,
)
from tokensteps.language.glossary import once
from tokensteps.language.i18n import N_, _, count, ngettext, sentences
from tokensteps.language.numbers import chance, nats, percent

RANKED_ROWS = 8
ROWS_BEFORE = 2
"""Rows of the ranking shown above the piece that goes."""
ASIDE_ROWS = 3
"""Rows of words that an erratum takes the place of."""
FREE = 1e-9
"""A loss below this is rounding."""
STRIP_PIECES = 48
TOKENS_IN_SPLIT = 16
PIECES_SIDE_BY_SIDE = 13
"""A word whose splits, before and after, have more pieces together is shown around the place that changes …"""
PIECES_AROUND = 3
"""… with so many pieces on either side."""
CHARACTERS_SIDE_BY_SIDE = 24
"""Of a word with more characters, only the part that changes is shown."""
PIECES_NAMED = 4
"""Pieces that a sentence lists before it says how many more there are."""

STOP_REASONS = {
    "vocab_size": N_("Training ends here."),
    "no_pieces": N_("Training ends here: only characters are left, and they are never pruned."),
    "seed_size": N_(
        "Nothing to prune: the seed has {seed} pieces, no more than were asked for. Choose a smaller vocabulary, or a longer text."
    ),
    "seed_cut": N_(
        "Nothing to prune: the seed has {seed} pieces, no more than were asked for. Choose a smaller vocabulary, or a larger seed."
    ),
    "no_seed": N_(
        "Nothing to prune: the text gives a seed of single characters, and they are never pruned. Choose a longer text."
    ),
    "stopped": N_("Training was stopped here."),
}


def prune_frame(snapshot: UnigramSnapshot, style: Style, ahead: bool = True) -> Frame:
    """The frame of one step of Unigram training; with `ahead=False` it tells nothing of what comes next."""
    kind = snapshot.event.kind
    lead, detail = TELL[kind](snapshot, Marked(style))
    spoken = sentences(*TELL[kind](snapshot, Plain(style)))
    if snapshot.step == len(snapshot.trace):
        ending = _(STOP_REASONS[reason(snapshot.trace)]).format(seed=count(len(snapshot.trace.seed)))
        if cost_nothing(snapshot):
            ending = sentences(ending, _("No prune cost anything: ask for fewer pieces."))
        detail, spoken = sentences(detail, escape(ending)), sentences(spoken, ending)
    if ahead:
        detail += next_resplit(snapshot)
    aside = erratum(snapshot, style)
    html = stage_html(
        f'{lead}</p><p class="why">{detail}',
        words_panel(snapshot, style, WORD_ROWS - ASIDE_ROWS if aside else WORD_ROWS) + aside,
        PANELS[kind](snapshot, style) if ahead or kind != "prune" else ranking_panel(snapshot, style, ahead),
        code_attributes(unigram_beats(snapshot, style)),
    )
    label = token_html(pruned, style) if (pruned := pruned_piece(snapshot)) else escape(_(LABELS[kind]))
    return Frame(once(html + pieces_strip(snapshot, style)), spoken, label, pieces_status(snapshot))


def reason(trace: UnigramTrace) -> str:
    """Why training ended; of a seed with nothing to prune, what it lacks: text, room or substrings."""
    if trace.stop_reason != "seed_size":
        return trace.stop_reason
    if len(trace.seed) == trace.settings["seed_size"]:
        return "seed_cut"
    return "seed_size" if len(trace.seed) > len(trace.alphabet) else "no_seed"


def next_resplit(snapshot: UnigramSnapshot) -> str:
    """A way on, where a step splits no word anew: a button that goes to the next one that does."""
    resplit = snapshot.trace.record.resplit
    if snapshot.step in resplit:
        return ""
    following = next((step for step in resplit if step > snapshot.step), None)
    if following is None:
        return ""
    told = _("Next word that comes apart: step {step}").format(step=following)
    return f' <button type="button" class="go" data-step="{following}">{escape(told)}</button>'


def cost_nothing(snapshot: UnigramSnapshot) -> bool:
    """Whether a run in the course's way pruned, and split no word anew."""
    trace = snapshot.trace
    return trace.method == "course" and bool(trace.record.rounds) and not trace.record.resplit


def pieces_status(snapshot: UnigramSnapshot) -> str:
    """How far pruning has come."""
    size, wanted = snapshot.trace.record.sizes[snapshot.step], snapshot.trace.settings["vocab_size"]
    if wanted is None or size <= wanted:
        return ngettext("{size} piece", "{size} pieces", size).format(size=count(size))
    message = _("{size} → {wanted} pieces")
    if size >= 1000:  # room is short
        message = _("{size} → {wanted}")
    return message.format(size=count(size), wanted=count(wanted))


# --- what happened, in words ------------------------------------------------------------------------------------------


def tell_seed(snapshot: UnigramSnapshot, voice: Voice) -> tuple[str, str]:
    """What training starts from."""
    event, trace = cast(SeedEvent, snapshot.event), snapshot.trace
    longer = event.pieces - event.characters
    if trace.method == "course":
        lead = _(
            "Training starts from {pieces} pieces: all {characters} characters, and the {longer} most frequent substrings."
        )
        detail = _(
            "A piece's probability is its count over {total}, the sum of all. Each word is split in the most probable way, "
            "and so the corpus costs {loss}: the sum over its words of frequency × −log P."
        )
    else:
        lead = _(
            "Training starts from {pieces} pieces: all {characters} characters, and the {longer} substrings with the highest "
            "count × length."
        )
        detail = _(
            "A piece's probability is that score over {total}, the sum of all, until EM works out better ones. "
            "Split in the most probable way, the corpus costs {loss}."
        )
    total = sum(number for _piece, number in trace.seed)
    told = voice.say(detail, total=count(total), loss=voice.strong(nats(snapshot.loss)))
    if cost_nothing(snapshot):
        told = sentences(
            told, voice.say(_("At this size, no word will come apart: ask for fewer pieces to see that."))
        )
    lead = voice.say(
        lead,
        pieces=voice.strong(count(event.pieces)),
        characters=count(event.characters),
        longer=count(longer),
    )
    return lead, told


def tell_prune(snapshot: UnigramSnapshot, voice: Voice) -> tuple[str, str]:
    """Which piece goes, what it costs, where it stood in the ranking, and what follows."""
    event = cast(PruneEvent, snapshot.event)
    grown = event.corpus_loss_pruned - event.corpus_loss_before
    if event.loss == 0 and grown >= FREE:
        lead = voice.say(
            _("Prune {piece}: it was ranked as free, but by now losing it costs {loss}."),
            piece=voice.token(event.piece),
            loss=voice.strong(nats(grown)),
        )
    elif event.loss == 0:
        lead = voice.say(_("Prune {piece}: losing it costs nothing."), piece=voice.token(event.piece))
    else:
        message = _("Prune {piece}: losing it costs {loss}.")
        if snapshot.trace.method == "sentencepiece":
            message = _("Prune {piece}: losing it costs about {loss}.")
        lead = voice.say(message, piece=voice.token(event.piece), loss=voice.strong(nats(event.loss)))
    why = [tell_use(event, voice), tell_place(event, voice)]
    if event.ends_round:
        why.append(tell_round_end(snapshot, event, voice))
    return lead, sentences(*why)


def tell_use(event: PruneEvent, voice: Voice) -> str:
    """Who used the piece, and what stands in its place."""
    words = len(event.resplits)
    if not words:
        return voice.say(_("No word's best split uses it."))
    spelled = voice.say(
        _("By itself, {piece} would now be {pieces}."),
        piece=voice.token(event.piece),
        pieces=" ".join(map(voice.token, event.alternative)),
    )
    if event.loss == 0 and event.corpus_loss_pruned - event.corpus_loss_before < FREE:
        told = voice.say(
            ngettext(
                "{number} word is split anew, in a way that is equally good.",
                "{number} words are split anew, in ways that are equally good.",
                words,
            ),
            number=count(words),
        )
    elif event.loss == 0:
        told = voice.say(
            ngettext(
                "It was spare when the round began; since then {number} word had come to use it.",
                "It was spare when the round began; since then {number} words had come to use it.",
                words,
            ),
            number=count(words),
        )
    else:
        told = voice.say(
            ngettext("{number} word is split anew.", "{number} words are split anew.", words),
            number=count(words),
        )
    return sentences(told, spelled) if event.alternative else told


def tell_place(event: PruneEvent, voice: Voice) -> str:
    """Its place in the round."""
    if event.ranked == 1:
        return voice.say(_("Round {round}: the only longer piece left goes."), round=str(event.round))
    if event.pruned == 1:
        return voice.say(
            _("Round {round}: the cheapest of {ranked} pieces goes."),
            round=str(event.round),
            ranked=count(event.ranked),
        )
    return voice.say(
        _("Round {round}: number {place} of the {pruned} cheapest, which go."),
        round=str(event.round),
        place=count(event.place),
        pruned=count(event.pruned),
    )


def tell_round_end(snapshot: UnigramSnapshot, event: PruneEvent, voice: Voice) -> str:
    """What the end of a round brings."""
    if snapshot.trace.method != "course":
        return voice.say(
            _("The round ends at a loss of {loss}; next, EM works out new probabilities."),
            loss=voice.strong(nats(event.corpus_loss)),
        )
    return voice.say(
        _(
            "The round ends at a loss of {before}. The {size} pieces left share the probability anew, which makes it {after}."
        ),
        size=count(snapshot.trace.record.sizes[snapshot.step]),
        before=nats(event.corpus_loss_pruned),
        after=voice.strong(nats(event.corpus_loss)),
    )


def tell_expectation(snapshot: UnigramSnapshot, voice: Voice) -> tuple[str, str]:
    """The E step."""
    event = cast(ExpectationEvent, snapshot.event)
    lead = voice.say(
        _(
            "E step {iteration} of 2: count each piece in all splits of all words, each split as much as it is probable."
        ),
        iteration=str(event.iteration),
    )
    detail = voice.say(
        _(
            "A word with two equally good splits gives each piece half a count. Forward–backward adds them up without listing "
            "the splits. All its splits together, a word costs {objective} on average; plain EM would never raise that."
        ),
        objective=voice.strong(nats(event.objective)),
    )
    return lead, detail


def tell_maximization(snapshot: UnigramSnapshot, voice: Voice) -> tuple[str, str]:
    """The M step, and where SentencePiece departs from plain EM."""
    event = cast(MaximizationEvent, snapshot.event)
    lead = voice.say(
        ngettext(
            "M step {iteration} of 2: new probabilities from the expected counts; {number} piece is dropped.",
            "M step {iteration} of 2: new probabilities from the expected counts; {number} pieces are dropped.",
            len(event.dropped),
        ),
        iteration=str(event.iteration),
        number=voice.strong(count(len(event.dropped))),
    )
    detail = voice.say(
        _(
            "Plain EM would take the share of the counts, c / Σc. SentencePiece takes exp(digamma(c) − digamma(Σc)), which is "
            "less for rare pieces, and drops what is expected less than half a time."
        )
    )
    dropped = tell_pieces(_("Dropped: {pieces}."), event.dropped, voice)
    return lead, sentences(detail, dropped)


def tell_final(snapshot: UnigramSnapshot, voice: Voice) -> tuple[str, str]:
    """The last step of SentencePiece's way."""
    event = cast(FinalEvent, snapshot.event)
    lead = voice.say(
        _(
            "Finalize: all characters of the corpus, and the most probable of the other pieces, {size} in all."
        ),
        size=voice.strong(count(snapshot.trace.record.sizes[snapshot.step])),
    )
    detail = [
        voice.say(_("The corpus costs {loss}."), loss=voice.strong(nats(event.corpus_loss))),
        tell_pieces(_("Put back: {pieces}."), event.restored, voice),
        tell_pieces(_("Left out: {pieces}."), event.dropped, voice),
    ]
    return lead, sentences(*detail)


def tell_pieces(message: str, pieces: Sequence[str], voice: Voice) -> str:
    """A sentence that lists pieces, the first few of many; nothing for none."""
    if not pieces:
        return ""
    listed = " ".join(map(voice.token, pieces[:PIECES_NAMED]))
    more = len(pieces) - PIECES_NAMED
    if more > 0:
        listed = voice.say(
            ngettext("{pieces} and {number} more", "{pieces} and {number} more", more),
            pieces=listed,
            number=count(more),
        )
    return voice.say(message, pieces=listed)


# --- the words --------------------------------------------------------------------------------------------------------


def words_panel(snapshot: UnigramSnapshot, style: Style, limit: int) -> str:
    """The words and their best splits; those that this step splits anew first, as they were and as they are."""
    corpus, event = snapshot.trace.corpus, snapshot.event
    changed = {resplit.word: resplit for resplit in changed_splits(snapshot)}
    shown = words_shown(corpus.words, list(changed))[:limit]
    if len(corpus.words) <= WORD_ROWS and changed:
        shown.sort(key=lambda word: word not in changed)
    splits = snapshot.splits(word for word in shown if word not in changed)
    rows = [
        resplit_row(changed[word], pruned_piece(snapshot), snapshot.trace.word_frequencies[word], style)
        if word in changed
        else split_row(splits[word], snapshot.trace.word_frequencies[word], event.kind == "start", style)
        for word in shown
    ]
    if event.kind == "e_step":
        rows = [shared_row(snapshot.lattice(word), style) for word in shown]
    if event.kind == "prune":
        title = _("Words split anew")
        number = _("{changed} of {all}").format(changed=count(len(changed)), all=count(len(corpus.words)))
    else:
        title = (
            _("Best splits, and their share of all splits") if event.kind == "e_step" else _("Best splits")
        )
        number = ngettext("{number} word", "{number} words", len(corpus.words))
        number = number.format(number=count(len(corpus.words)))
    return heading(title, number) + "".join(rows)


def changed_splits(snapshot: UnigramSnapshot) -> Sequence[Resplit]:
    """The words that a prune splits anew; of those that there is room for, the ones that a new model splits anew."""
    if snapshot.event.kind == "prune":
        return snapshot.event.resplits
    if snapshot.event.kind not in ("m_step", "finalize"):
        return []
    words = list(islice(snapshot.trace.corpus.words, WORD_ROWS))
    before, after = snapshot.trace.splits(snapshot.step - 1, words), snapshot.splits(words)
    return [Resplit(word, before[word], after[word]) for word in words if before[word] != after[word]]


def pruned_piece(snapshot: UnigramSnapshot) -> str:
    """The piece that a step prunes; "" for none."""
    return snapshot.event.piece if snapshot.event.kind == "prune" else ""


def resplit_row(resplit: Resplit, gone: str, frequency: int, style: Style) -> str:
    """A word as it was split and as it is now; of a long one, the part that changes."""
    before, after, cut = resplit.before, resplit.after, (False, False)
    long = len(resplit.word) > CHARACTERS_SIDE_BY_SIDE
    if long or len(before) + len(after) > PIECES_SIDE_BY_SIDE:
        same, rest = common_ends(before, after)
        around = 0 if long else PIECES_AROUND
        head, tail = max(0, same - around), max(0, rest - around)
        before, after = before[head : len(before) - tail], after[head : len(after) - tail]
        cut = head > 0, tail > 0
    marked = "".join(
        chip(piece, style, "gone" if piece == gone else "") for piece in before[:TOKENS_IN_SPLIT]
    )
    arrow = '<span class="to">→</span>'
    left, right = ('<span class="cut">…</span>' if away else "" for away in cut)
    return row_html(
        left
        + marked
        + left_out(before)
        + right
        + arrow
        + left
        + chips(after[:TOKENS_IN_SPLIT], style)
        + left_out(after)
        + right,
        times(frequency),
        "",
    )


def common_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many pieces two splits have in common at their beginning, and at their end.

    >>> common_ends(("a", "bc", "d", "e"), ("a", "b", "c", "d", "e"))
    (1, 2)
    """
    most = min(len(before), len(after))
    same = next((place for place in range(most) if before[place] != after[place]), most)
    rest = next(
        (place for place in range(most - same) if before[-1 - place] != after[-1 - place]), most - same
    )
    return same, rest


def split_row(split: Sequence[str], frequency: int, lit: bool, style: Style) -> str:
    """A word and its best split."""
    return row_html(
        chips(split[:TOKENS_IN_SPLIT], style) + left_out(split), times(frequency), "" if lit else " dim"
    )


def shared_row(lattice: Lattice, style: Style) -> str:
    """A word's best split, and what share of the word's probability it has among all of its splits."""
    best = lattice.best()
    if best is None:
        return ""
    share = math.exp(best.log_probability - lattice.log_total)
    digits = 0 if share < 0.995 or lattice.path_count == 1 else 1
    note = percent(f"{100 * share:.{digits}f}")
    return row_html(chips(best.pieces[:TOKENS_IN_SPLIT], style) + left_out(best.pieces), note, "")


def left_out(split: Sequence[str]) -> str:
    """How many pieces of a long word are not shown."""
    return cut_mark(_("{number} more"), max(0, len(split) - TOKENS_IN_SPLIT))


def times(frequency: int) -> str:
    """How often a word stands in the corpus."""
    return f"× {count(frequency)}"


def row_html(shown: str, note: str, classes: str) -> str:
    """A word's row."""
    return (
        f'<div class="w{classes}"><span class="ts">{shown}</span><span class="f">{escape(note)}</span></div>'
    )


# --- the pieces -------------------------------------------------------------------------------------------------------


def seed_panel(snapshot: UnigramSnapshot, style: Style) -> str:
    """The seed's most promising substrings."""
    trace = snapshot.trace
    shown = list(islice((item for item in trace.seed if len(item[0]) > 1), RANKED_ROWS))
    most = max((number for _piece, number in shown), default=1)
    rows = "".join(
        f"<tr><td>{chip(piece, style)}<td>{count(number)}<td>{chance(math.exp(snapshot.pieces[piece]))}<td>{bar(number / most)}"
        for piece, number in shown
    )
    name = _("count") if trace.method == "course" else _("count × length")
    longer = len(trace.seed) - len(trace.alphabet)
    number = ngettext("{number} piece", "{number} pieces", longer).format(number=count(longer))
    return heading(_("The seed's longer pieces"), number) + table_html(
        (_("piece"), name, _("probability"), ""), rows
    )


def bar(share: float, classes: str = "bar") -> str:
    """A bar of that share of the room."""
    return f'<span class="{classes}" style="width:{max(2, round(100 * share))}%"></span>'


def ranking_panel(snapshot: UnigramSnapshot, style: Style, ahead: bool = True) -> str:
    """The round's ranking around the piece that goes (up to it, unless `ahead`), and the line between what goes and what stays."""
    event, trace = cast(PruneEvent, snapshot.event), snapshot.trace
    rows = list(ranked_rows(event, lambda start, stop: trace.ranking(event.round, start, stop)))
    if not ahead:
        rows = [row for row in rows if row is not None and row.place <= event.place]
    most = max((row.loss for row in rows if row is not None), default=0.0) or 1.0
    drawn = "".join(
        '<tr class="gap"><td colspan="5">⋯' if row is None else ranked_row(row, event, most, style)
        for row in rows
    )
    exact = trace.method == "course"
    title = _("What each costs") if exact else _("What each costs, about")
    number = _("{pruned} of {ranked} go").format(pruned=count(event.pruned), ranked=count(event.ranked))
    if exact:
        number = _("{pruned} of {ranked} go · {characters} characters stay").format(
            pruned=count(event.pruned), ranked=count(event.ranked), characters=count(len(trace.alphabet))
        )
    return heading(title, number) + table_html(
        ("", _("piece"), _("probability"), _("loss"), ""), drawn, "ranking"
    )


def ranked_rows(
    event: PruneEvent, rows: Callable[[int, int], list[RankedPiece]]
) -> Iterable[RankedPiece | None]:
    """The rows to show: some around the piece that goes, and, where those lie apart, two at the threshold after a gap."""
    last = max(0, event.ranked - RANKED_ROWS)
    start = min(max(0, event.place - 1 - ROWS_BEFORE), last)
    if event.pruned < start + RANKED_ROWS or event.pruned >= event.ranked:
        yield from rows(start, start + RANKED_ROWS)
        return
    yield from rows(start, start + RANKED_ROWS - 3)
    yield None
    yield from rows(event.pruned - 1, event.pruned + 1)


def ranked_row(row: RankedPiece, event: PruneEvent, most: float, style: Style) -> str:
    """One piece of the ranking."""
    now, past = row.place == event.place, row.place < event.place
    classes = " ".join(
        name
        for name, holds in (
            ("now", now),
            ("past", past),
            ("stays", not row.pruned),
            ("first-kept", row.place == event.pruned + 1),
        )
        if holds
    )
    word = _("pruned") if now else _("gone") if past else "" if row.pruned else _("stays")
    mark = f'<span class="mark">{escape(word)}</span>' if word else ""
    return (
        f'<tr class="{classes}"><td>{count(row.place)}<td>{chip(row.piece, style, "gone" if past or now else "")}{mark}'
        f"<td>{chance(row.probability)}<td><b>{nats(row.loss)}</b><td>{bar(row.loss / most) if row.loss > 0 else ''}"
    )


def expected_panel(snapshot: UnigramSnapshot, style: Style) -> str:
    """The pieces that are expected most often."""
    event = cast(ExpectationEvent, snapshot.event)
    shown = heapq.nlargest(RANKED_ROWS, event.expected, key=lambda row: row.freq)
    most = max((row.freq for row in shown), default=1.0)
    rows = "".join(
        f"<tr><td>{chip(row.piece, style)}<td>{chance(row.before)}<td><b>{row.freq:,.2f}</b><td>{bar(row.freq / most)}"
        for row in shown
    )
    number = ngettext("{number} piece", "{number} pieces", len(event.expected))
    return heading(
        _("Expected counts, highest first"), number.format(number=count(len(event.expected)))
    ) + table_html((_("piece"), _("probability"), _("expected count"), ""), rows)


def estimated_panel(snapshot: UnigramSnapshot, style: Style) -> str:
    """Old and new probabilities: some frequent pieces, some that only just stay, some that go."""
    event = cast(MaximizationEvent, snapshot.event)
    kept = [row for row in event.expected if row.after is not None]
    total = sum(row.freq for row in kept)
    gone = [row for row in event.expected if row.after is None]
    parts = [
        heapq.nlargest(3, kept, key=lambda row: row.freq),
        heapq.nsmallest(3, kept, key=lambda row: row.freq)[::-1] if len(kept) > 6 else [],
        heapq.nlargest(2, gone, key=lambda row: row.freq),
    ]
    drawn = "".join(estimated_row(row, total, style) for part in parts for row in part)
    number = ngettext("{number} piece stays", "{number} pieces stay", len(kept)).format(
        number=count(len(kept))
    )
    return heading(_("From expected counts to probabilities"), number) + table_html(
        (_("piece"), _("expected count c"), _("c / Σc"), _("probability"), ""), drawn, "scores"
    )


def estimated_row(row: Expected, total: float, style: Style) -> str:
    """One piece in an M step."""
    share = row.freq / total if total else 0.0
    if row.after is None:
        word = escape(_("dropped"))
        return (
            f'<tr class="past"><td>{chip(row.piece, style, "gone")}<td>{row.freq:.3f}<td>{chance(share)}'
            f'<td><span class="mark">{word}</span><td>'
        )
    change = percent(f"{100 * (row.after / share - 1):+.0f}".replace("-", "\u2212")) if share else ""
    return f"<tr><td>{chip(row.piece, style)}<td>{row.freq:,.2f}<td>{chance(share)}<td><b>{chance(row.after)}</b><td>{change}"


def final_panel(snapshot: UnigramSnapshot, style: Style) -> str:
    """The most probable pieces of the end."""
    shown = list(
        islice(((piece, log) for piece, log in snapshot.pieces.items() if len(piece) > 1), RANKED_ROWS)
    )
    most = max((math.exp(log) for _piece, log in shown), default=1.0)
    rows = "".join(
        f"<tr><td>{chip(piece, style)}<td>{chance(math.exp(log))}<td>{nats(log)}<td>{bar(math.exp(log) / most)}"
        for piece, log in shown
    )
    return heading(_("The most probable longer pieces")) + table_html(
        (_("piece"), _("probability"), _("log probability"), ""), rows
    )


def pieces_strip(snapshot: UnigramSnapshot, style: Style) -> str:
    """The longer pieces that are left, most probable first."""
    pieces = snapshot.pieces
    longer = ((log, piece) for piece, log in pieces.items() if len(piece) > 1)
    shown = heapq.nsmallest(STRIP_PIECES, longer, key=lambda item: -item[0])
    more = snapshot.trace.record.sizes[snapshot.step] > len(shown) + len(snapshot.trace.alphabet)
    return (
        '<div class="vocab"><div><span class="k">'
        + escape(_("Longer pieces left, most probable first"))
        + "</span>"
        + ("".join(chip(piece, style) for _log, piece in shown) or escape(_("none")))
        + ('<span class="k">…</span>' if more else "")
        + "</div></div>"
    )


# --- errata -----------------------------------------------------------------------------------------------------------

HUG_CORPUS = (("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5))
COURSE_LOSS = 382.10377642940875
"""What the course's four sentences cost with its seed of 300 pieces; it prints 31 more."""


def erratum(snapshot: UnigramSnapshot, style: Style) -> str:
    """Where the course's walk-through of Unigram goes wrong: what it says, and what the numbers say."""
    trace = snapshot.trace
    if trace.method != "course":
        return ""
    voice = Markup(style)
    start, end = snapshot.step == 0, snapshot.step == len(trace)
    if (
        start
        and tuple(trace.corpus.items()) == HUG_CORPUS
        and sum(number for _piece, number in trace.seed) == 210
    ):
        told = voice.say(
            _(
                "The course takes P({p}) as 5/210. Computed: {p} stands 5 + 12 = 17 times, so it is 17/210, like P({pu})."
            ),
            p=voice.token("p"),
            pu=voice.token("pu"),
        )
        return aside_html(told)
    if not is_course_run(snapshot):
        return ""
    if start:
        told = voice.say(
            _(
                "The course prints 413.1038. Its code starts each word's score at 1, not 0, which adds 1 for each of {words} words: {loss} is right."
            ),
            words=count(trace.corpus.total),
            loss=voice.strong(nats(snapshot.loss)),
        )
        return aside_html(told)
    if end and trace.record.sizes[snapshot.step] == 98:
        told = voice.say(
            _(
                "The course says that this prunes to 100. Its loop, like this one, ends at 98: the last round takes 10."
            )
        )
        return aside_html(told)
    return ""


def lattice_erratum(snapshot: UnigramSnapshot, lattice: Lattice, style: Style) -> str:
    """Where the course's figures for one word go wrong."""
    voice, path = Markup(style), lattice.best()
    if path is None:
        return ""
    if snapshot.step == 0 and lattice.text == "Hopefully" and is_course_run(snapshot):
        return aside_html(
            voice.say(
                _(
                    "The course gives 41.5157 for this word, 1 too much, since its code starts at 1. Computed: {cost}."
                ),
                cost=voice.strong(nats(-path.log_probability)),
            )
        )
    if snapshot.step == 0 and lattice.text == "pug" and is_hug_run(snapshot):
        return aside_html(
            voice.say(
                _(
                    "The course takes P({p}) as 5/210, and so gets 0.000389 for {letters} and 0.0022676 for {pug}. With 17/210 "
                    "they are 0.00132 and 0.00771, and the last is as good as {other}."
                ),
                p=voice.token("p"),
                letters=" ".join(map(voice.token, "pug")),
                pug=" ".join(map(voice.token, ("pu", "g"))),
                other=" ".join(map(voice.token, ("p", "ug"))),
            )
        )
    return ""


def is_hug_run(snapshot: UnigramSnapshot) -> bool:
    """Whether this is the course's run by hand: five words, and their strict substrings as the seed."""
    trace = snapshot.trace
    return (
        trace.method == "course"
        and tuple(trace.corpus.items()) == HUG_CORPUS
        and sum(number for _piece, number in trace.seed) == 210
    )


def is_course_run(snapshot: UnigramSnapshot) -> bool:
    """Whether this is the course's own run: its four sentences, its seed, its target."""
    trace = snapshot.trace
    return (
        math.isclose(trace.record.losses[0], COURSE_LOSS)
        and trace.corpus.total == 31
        and trace.settings["vocab_size"] == 100
        and not trace.settings["exact"]
    )


Tell = Mapping[str, Callable[[UnigramSnapshot, Voice], tuple[str, str]]]

TELL: Tell = {
    "start": tell_seed,
    "prune": tell_prune,
    "e_step": tell_expectation,
    "m_step": tell_maximization,
    "finalize": tell_final,
}
PANELS: Mapping[str, Callable[[UnigramSnapshot, Style], str]] = {
    "start": seed_panel,
    "prune": ranking_panel,
    "e_step": expected_panel,
    "m_step": estimated_panel,
    "finalize": final_panel,
}
LABELS = {"start": N_("Start"), "e_step": N_("E step"), "m_step": N_("M step"), "finalize": N_("Finalize")}
