"""Sentences on a step of Unigram training: a prune, an E step, an M step, the last choice of pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tokenizers_core.trace import GROWING
from tokenizers_core.training.pruning import (
    ExpectationEvent,
    FinalEvent,
    MaximizationEvent,
    PruneEvent,
    SeedEvent,
)
from tokenizers_core.training.unigram import excluded_from_seed
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokensteps.drawing.narration.options import (
    tell_cuts,
    tell_fallback,
    tell_initial,
    tell_left_out,
    tell_symbols,
)
from tokensteps.drawing.narration.text_format import FiguredNarration, TextFormat, some_tokens
from tokensteps.language.i18n import N_, _, count, listed, ngettext, sentences
from tokensteps.language.names import SEED_EXCLUSIONS
from tokensteps.language.numbers import estimate_formula, nats

PRUNING_STOPS: Final[Mapping[str, str]] = {
    "vocab_size": N_("Training ends here."),
    "no_pieces": N_("Training ends here: only characters are left, and they are never pruned."),
    "seed_size": N_(
        "Nothing to prune: the seed's size, {seed}, is no more than the target. Choose a smaller vocabulary, or a longer text."
    ),
    "seed_cut": N_(
        "Nothing to prune: the seed's size, {seed}, is no more than the target. Choose a smaller vocabulary, or a larger seed."
    ),
    "no_seed": N_(
        "Nothing to prune: the text's seed has only single characters, which are never pruned. Choose a longer text."
    ),
    "dropped": N_(
        "Training ends here, below the target: EM dropped the pieces that it expects less than half a time. Choose a smaller vocabulary, or a longer text."
    ),
    "stopped": N_("Training was stopped here."),
    GROWING: N_("Training goes on: the next step is on its way."),
}
"""The reason of a run's end, by `stop_kind` → the sentence at its last step."""
FREE: Final = 1e-9
"""A loss below this is rounding."""


def tell_unigram(snapshot: UnigramSnapshot, voice: TextFormat) -> FiguredNarration:
    """The narration of a step of Unigram, without the end."""
    event = snapshot.event
    match event.kind:
        case "start":
            return tell_seed(snapshot, event, voice)
        case "prune":
            return tell_prune(snapshot, event, voice)
        case "e_step":
            return tell_expectation(event, voice)
        case "m_step":
            return tell_maximization(event, voice)
        case "finalize":
            return tell_final(snapshot, event, voice)


def tell_end(snapshot: UnigramSnapshot) -> str:
    """At the last step, why training ended there, as plain text; "" before."""
    trace = snapshot.trace
    if snapshot.step < len(trace):
        return ""
    ending = _(PRUNING_STOPS[stop_kind(trace)]).format(seed=count(len(trace.seed)))
    if not cost_nothing(trace):
        return ending
    return sentences(ending, _("No prune cost anything: choose a smaller vocabulary."))


def stop_kind(trace: UnigramTrace) -> str:
    """`stop_reason`; for a seed with nothing to prune, the missing part: text, room or substrings."""
    if trace.stop_reason != "seed_size":
        return trace.stop_reason
    if len(trace.seed) == trace.settings["seed_size"]:
        return "seed_cut"
    return "seed_size" if len(trace.seed) > len(trace.alphabet) else "no_seed"


def cost_nothing(trace: UnigramTrace) -> bool:
    """Whether a run by the course's method pruned pieces, but changed no word's split, as can be said at its
    end."""
    return (
        trace.finished and trace.method == "course" and bool(trace.record.rounds) and not trace.record.resplit
    )


def tell_seed(snapshot: UnigramSnapshot, event: SeedEvent, voice: TextFormat) -> FiguredNarration:
    """The start of training."""
    trace = snapshot.trace
    longer = event.pieces - event.characters
    if trace.method == "course":
        best = ngettext("the most frequent substring", "the {number} most frequent substrings", longer)
        detail = _(
            "A piece's probability is its count divided by {total}, the sum of all counts. Each word is "
            "split in the most probable way, so the corpus costs {loss}: the sum over its words of frequency "
            "× −log P."
        )
    else:
        best = ngettext(
            "the substring with the highest count × length",
            "the {number} substrings with the highest count × length",
            longer,
        )
        detail = _(
            "A piece's probability is that score divided by {total}, the sum of all scores, until EM finds "
            "better ones. Split in the most probable way, the corpus costs {loss}."
        )
    total = sum(number for _piece, number in trace.seed)
    text = ""
    if trace.knows_loss(0):
        text = voice.say(detail, total=count(total), loss=voice.strong(nats(snapshot.loss)))
    why = sentences(*rule_sentences(trace, voice))
    if cost_nothing(trace):
        size = voice.say(_("At this size no word is re-segmented: choose a smaller vocabulary to see that."))
        why = sentences(why, size)
    lead = voice.say(
        ngettext(
            "Training starts from {number} piece.", "Training starts from {number} pieces.", event.pieces
        ),
        number=voice.strong(count(event.pieces)),
    )
    characters = ngettext("the only character", "all {number} characters", event.characters)
    of_characters = ngettext("It is {characters}.", "They are {characters}.", event.pieces)
    seed = voice.say(
        _("They are {characters}, and {longer}.") if longer else of_characters,
        characters=voice.say(characters, number=count(event.characters)),
        longer=voice.say(best, number=count(longer)),
    )
    return FiguredNarration(lead, why, sentences(seed, text))


def rule_sentences(trace: UnigramTrace, voice: TextFormat) -> list[str]:
    """The effects of less usual rules on the text, the alphabet and the seed, a text for each rule in use."""
    messages = (
        tell_cuts(trace.corpus, voice),
        tell_symbols(trace.corpus, voice),
        tell_left_out(trace, voice),
        tell_initial(trace, voice),
        tell_not_in_seed(trace, voice),
        tell_fallback(trace.settings, voice),
    )
    return [*filter(None, messages)]


def tell_not_in_seed(trace: UnigramTrace, voice: TextFormat) -> str:
    """The best substring excluded from the seed by a bound, and the bound; nothing without one."""
    excluded = excluded_from_seed(trace, 1)
    if not excluded:
        return ""
    return voice.say(
        _(SEED_EXCLUSIONS[excluded[0].reason]),
        piece=voice.token(excluded[0].piece),
        limit=count(trace.settings["max_piece_length"]),
    )


def tell_prune(snapshot: UnigramSnapshot, event: PruneEvent, voice: TextFormat) -> FiguredNarration:
    """The pruned piece, its cost, its place in the ranking, and the consequences."""
    grown = event.corpus_loss_pruned - event.corpus_loss_before
    if event.loss == 0 and grown >= FREE:
        lead = voice.say(
            _("Prune {piece}: it was ranked as free, but losing it now costs {loss}."),
            piece=voice.token(event.piece),
            loss=voice.strong(nats(grown)),
        )
    elif event.loss == 0:
        lead = voice.say(_("Prune {piece}: losing it costs nothing."), piece=voice.token(event.piece))
    elif snapshot.trace.method == "course" and abs(grown - event.loss) >= FREE:
        lead = voice.say(
            _("Prune {piece}: its loss was {ranked} at its ranking, but losing it now costs {loss}."),
            piece=voice.token(event.piece),
            ranked=nats(event.loss),
            loss=voice.strong(nats(grown if grown >= FREE else 0.0)),
        )
    else:
        message = _("Prune {piece}: losing it costs {loss}.")
        if snapshot.trace.method == "sentencepiece":
            message = _("Prune {piece}: losing it costs about {loss}.")
        lead = voice.say(message, piece=voice.token(event.piece), loss=voice.strong(nats(event.loss)))
    figures = [tell_resplits(event, voice), tell_estimate(event, voice), tell_place(snapshot, event, voice)]
    if event.ends_round:
        figures.append(tell_round_end(snapshot, event, voice))
    return FiguredNarration(lead, tell_use(event, voice), sentences(*figures))


def tell_margin(snapshot: UnigramSnapshot, voice: TextFormat) -> str:
    """Which piece of the ranking comes next, and how much more it costs; nothing where it costs the same, or
    nothing was pruned."""
    event, margin = snapshot.event, snapshot.trace.margin(snapshot.step)
    if event.kind != "prune" or not margin:
        return ""
    following = snapshot.trace.ranking(event.round, event.rank, event.rank + 1)[0]
    message = _("The runner-up, {piece}, costs {margin} more.")
    return voice.say(message, piece=voice.token(following.piece), margin=nats(margin))


def tell_use(event: PruneEvent, voice: TextFormat) -> str:
    """Whether words used the piece, and its replacement there."""
    if not event.resplits:
        if event.estimate is not None:
            return voice.say(_("By now, no word's best split uses it."))
        return voice.say(_("No word's best split uses it."))
    same = event.estimate is not None and event.estimate.replacement == event.alternative
    if not event.alternative or same:
        return ""
    return voice.say(
        _("On its own, {piece} would now be {pieces}."),
        piece=voice.token(event.piece),
        pieces=" ".join(map(voice.token, event.alternative)),
    )


def tell_resplits(event: PruneEvent, voice: TextFormat) -> str:
    """How many words used the piece; nothing if none did."""
    words = len(event.resplits)
    if not words:
        return ""
    if event.loss == 0 and event.corpus_loss_pruned - event.corpus_loss_before < FREE:
        message = ngettext(
            "{number} word is re-segmented in an equally good way.",
            "{number} words are re-segmented in equally good ways.",
            words,
        )
    elif event.loss == 0:
        message = ngettext(
            "It was free when the round began; since then {number} word has come to use it.",
            "It was free when the round began; since then {number} words have come to use it.",
            words,
        )
    else:
        message = ngettext("{number} word is re-segmented.", "{number} words are re-segmented.", words)
    return voice.say(message, number=count(words))


def tell_estimate(event: PruneEvent, voice: TextFormat) -> str:
    """Where SentencePiece's estimate comes from, with its numbers; nothing if the loss is exact or the piece
    was unused."""
    result = event.estimate
    if result is None:
        return ""
    added = len(result.replacement) - 1
    counts = dict(zip(result.replacement, result.counts, strict=True))
    listing = listed(
        f"{voice.token(part)} × {count(number + result.freq)}" for part, number in counts.items()
    )
    return voice.say(
        ngettext(
            "Estimate: before the round, {piece} was the only piece in the best splits. With {pieces} in its place "
            "they would have {after}, and SentencePiece counts {counts} among them: {formula} = {loss}.",
            "Estimate: before the round, the best splits had {total} pieces, {freq} of them {piece}. With {pieces} in "
            "its place they would have {after}, and SentencePiece counts {counts} among them: {formula} = {loss}.",
            result.total,
        ),
        total=count(result.total),
        freq=count(result.freq),
        piece=voice.token(event.piece),
        pieces=" ".join(map(voice.token, result.replacement)),
        after=count(result.total + result.freq * added),
        counts=listing,
        formula=estimate_formula(result.freq, result.total, result.counts),
        loss=nats(event.loss),
    )


def tell_place(snapshot: UnigramSnapshot, event: PruneEvent, voice: TextFormat) -> str:
    """The piece's place in the round, and in the course's method why it goes before others of equal cost."""
    if event.ranked == 1:
        return voice.say(_("Round {round}: the only longer piece left is pruned."), round=str(event.round))
    if event.pruned == 1 and event.tied > 1 and snapshot.trace.method == "course":
        return voice.say(
            _(
                "Round {round}: {tied} of {ranked} pieces cost equally little; of these, the first in the seed is pruned."
            ),
            round=str(event.round),
            tied=count(event.tied),
            ranked=count(event.ranked),
        )
    if event.pruned == 1:
        return voice.say(
            ngettext(
                "Round {round}: the only piece is pruned.",
                "Round {round}: the cheapest of {ranked} pieces is pruned.",
                event.ranked,
            ),
            round=str(event.round),
            ranked=count(event.ranked),
        )
    return voice.say(
        _("Round {round}: number {place} of the {pruned} cheapest, all pruned."),
        round=str(event.round),
        place=count(event.rank),
        pruned=count(event.pruned),
    )


def tell_round_end(snapshot: UnigramSnapshot, event: PruneEvent, voice: TextFormat) -> str:
    """The end of a round."""
    if snapshot.trace.method != "course":
        return voice.say(
            _("The round ends at a loss of {loss}; next, EM computes new probabilities."),
            loss=voice.strong(nats(event.corpus_loss)),
        )
    return voice.say(
        ngettext(
            "The round ends at a loss of {before}. With all of the probability on the only piece left, it becomes {after}.",
            "The round ends at a loss of {before}. With the probability shared among the {size} pieces left, it becomes {after}.",
            snapshot.trace.record.sizes[snapshot.step],
        ),
        size=count(snapshot.trace.record.sizes[snapshot.step]),
        before=nats(event.corpus_loss_pruned),
        after=voice.strong(nats(event.corpus_loss)),
    )


def tell_expectation(event: ExpectationEvent, voice: TextFormat) -> FiguredNarration:
    """The E step."""
    lead = voice.say(
        _(
            "E step {iteration} of 2: count each piece in all splits of all words, weighting each split by its probability."
        ),
        iteration=str(event.iteration),
    )
    why = voice.say(_("A word with two equally good splits gives each piece half a count."))
    figures = voice.say(
        _(
            "Forward–backward sums the counts without listing the splits. Over all its splits, a word costs {objective} on average; "
            "plain EM would never raise that."
        ),
        objective=voice.strong(nats(event.objective)),
    )
    return FiguredNarration(lead, why, figures)


def tell_maximization(event: MaximizationEvent, voice: TextFormat) -> FiguredNarration:
    """The M step, and where SentencePiece departs from plain EM."""
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
            "Plain EM would use the share of the counts, c / Σc. SentencePiece uses exp(digamma(c) − "
            "digamma(Σc)), which is smaller for rare pieces, and drops pieces whose expected count is below "
            "one half."
        )
    )
    dropped = tell_pieces(_("Dropped: {pieces}."), event.dropped, voice)
    return FiguredNarration(lead, "", sentences(dropped, detail))


def tell_final(snapshot: UnigramSnapshot, event: FinalEvent, voice: TextFormat) -> FiguredNarration:
    """The last step of SentencePiece's method."""
    lead = voice.say(
        _("Finalize: keep all characters of the alphabet and the most probable other pieces, {size} in all."),
        size=voice.strong(count(snapshot.trace.record.sizes[snapshot.step])),
    )
    figures = (
        voice.say(_("The corpus costs {loss}."), loss=voice.strong(nats(event.corpus_loss))),
        tell_pieces(_("Put back: {pieces}."), event.restored, voice),
        tell_pieces(_("Left out: {pieces}."), event.dropped, voice),
    )
    added = tuple(
        piece for piece in event.restored if piece in snapshot.trace.settings.get("initial_alphabet", ())
    )
    always = tell_pieces(_("Always in the alphabet, and so put back: {pieces}."), added, voice)
    return FiguredNarration(lead, always, sentences(*figures))


def tell_pieces(message: str, pieces: tuple[str, ...], voice: TextFormat) -> str:
    """A sentence with a list of pieces; nothing for none."""
    return voice.say(message, pieces=some_tokens(pieces, voice)) if pieces else ""
