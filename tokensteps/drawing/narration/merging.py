"""Sentences on a step of merging, BPE's or WordPiece's: the merge, and the reason for that pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tokenizers_core.trace import GROWING
from tokenizers_core.training.kinds.paritybpe import ParityMergeEvent
from tokenizers_core.training.merge_trace import (
    Excluded,
    MergeEvent,
    MergeSnapshot,
    MergeTrace,
    StartEvent,
)
from tokenizers_core.training.wordpiece import ScoredCandidate, WordPieceEvent, WordPieceSnapshot
from tokensteps.drawing.narration.kinds import tell_chooser, tell_kind, tell_rule_event
from tokensteps.drawing.narration.options import (
    tell_cuts,
    tell_fallback,
    tell_initial,
    tell_left_out,
    tell_long_words,
    tell_symbols,
)
from tokensteps.drawing.narration.text_format import Narration, TextFormat
from tokensteps.language.i18n import N_, _, count, listed, ngettext, sentences
from tokensteps.language.names import EXCLUSIONS, TIE_RULE_WORDS

MERGING_STOPS: Final[Mapping[str, str]] = {
    "vocab_size": N_("Training ends here: the vocabulary has reached the size you asked for."),
    "max_merges": N_("Training ends here: it has made the number of merges you asked for."),
    "min_frequency": N_("Training ends here: no remaining pair is frequent enough."),
    "no_pairs": N_("Training ends here: no pair is left; every word is one token."),
    "bounds": N_("Training ends here: bounds exclude every pair that is left."),
    "stopped": N_("Training was stopped here."),
    GROWING: N_("Training goes on: the next step is on its way."),
}
"""A trace's `stop_reason` → the sentence at its last step."""
TIES_NAMED: Final = 3
"""The most tied pairs in a sentence before the number of the others."""


def tell_bpe(snapshot: MergeSnapshot, voice: TextFormat, ahead: bool = True) -> Narration:
    """The narration of a step of BPE; without `ahead`, nothing about the candidates for the next merge."""
    event = snapshot.event
    if event.kind == "start":
        return tell_start(snapshot, event, voice)
    if event.kind != "merge":
        text = tell_rule_event(event, voice)
        return text._replace(why=sentences(text.why, tell_stop(snapshot, voice)))
    times = ngettext("{number} time", "{number} times", event.freq)
    lead = voice.say(
        _("Merge {pair} into {token}. The pair occurs {times} in this language's corpus.")
        if isinstance(event, ParityMergeEvent) and event.language
        else _("Merge {pair} into {token}. The pair occurs {times} in the corpus."),
        pair=voice.pair(event.pair),
        token=voice.token(event.token),
        times=voice.strong(times.format(number=count(event.freq))),
    )
    next_best = ""
    if ahead and event.runner_ups:
        next_best = voice.say(
            ngettext(
                "No tie: the runner-up, {pair}, occurs {freq} time, {margin} fewer.",
                "No tie: the runner-up, {pair}, occurs {freq} times, {margin} fewer.",
                event.runner_ups[0].freq,
            ),
            pair=voice.pair(event.runner_ups[0].pair),
            freq=count(event.runner_ups[0].freq),
            margin=count(event.freq - event.runner_ups[0].freq),
        )
    ties = tell_ties(snapshot, event, voice, next_best, ahead)
    return Narration(
        lead,
        sentences(
            tell_chooser(event, voice, snapshot),
            ties,
            tell_new(snapshot, event, voice),
            *tell_oddities(snapshot, event, voice),
        ),
    )


def tell_new(snapshot: MergeSnapshot, event: MergeEvent, voice: TextFormat) -> str:
    """In a run that extends a tokenizer, the merge's rank and its token's id; nothing in others."""
    if not (old := snapshot.trace.old_merges):
        return ""
    text = ngettext(
        "New: merge {rank}, after the old one; the token gets the id {id}.",
        "New: merge {rank}, after the {old} old ones; the token gets the id {id}.",
        len(old),
    )
    return voice.say(text, rank=count(event.rank + 1), old=count(len(old)), id=str(event.token_id))


def tell_excluded(snapshot: MergeSnapshot, voice: TextFormat) -> str:
    """A better pair excluded by a bound, and the bound; nothing without one."""
    excluded = snapshot.excluded
    return tell_exclusion(snapshot.trace, excluded[0], voice) if excluded else ""


def tell_exclusion(trace: MergeTrace, excluded: Excluded, voice: TextFormat) -> str:
    """The bound that excluded a pair."""
    return voice.say(
        _(EXCLUSIONS[excluded.reason].sentence),
        pair=voice.pair(excluded.candidate.pair),
        limit=count(trace.settings.get("max_token_length") or 0),
    )


def tell_wordpiece(snapshot: WordPieceSnapshot, voice: TextFormat, ahead: bool = True) -> Narration:
    """The narration of a step of WordPiece: the score's calculation, and BPE's choice; without `ahead` as in
    `tell_bpe`."""
    event = snapshot.event
    if event.kind == "start":
        return tell_start(snapshot, event, voice)
    chosen, *others = event.candidates
    lead = voice.say(
        _("Merge {pair} into {token}. Score = {formula} = {numbers} = {score}."),
        pair=voice.pair(event.pair),
        token=voice.token(event.token),
        formula=voice.fraction(_("pair"), _("first × second")),
        numbers=score_numbers(chosen, voice),
        score=voice.strong(str(chosen.score)),
    )
    next_best = ""
    if ahead and others:
        next_best = voice.say(
            _("No tie: the runner-up, {pair}, scores {score}, {margin} less."),
            pair=voice.pair(others[0].pair),
            score=str(others[0].score),
            margin=str(chosen.score - others[0].score),
        )
    why = [tell_ties(snapshot, event, voice, next_best, ahead)]
    if ahead or event.most_frequent.pair == event.pair:
        why.append(tell_bpe_choice(snapshot, event, voice))
    return Narration(lead, sentences(*why, *tell_oddities(snapshot, event, voice)))


def tell_start(snapshot: MergeSnapshot, event: StartEvent, voice: TextFormat) -> Narration:
    """The state before the first merge."""
    if (old := snapshot.trace.extended) is not None:
        lead = voice.say(
            ngettext(
                "The old tokenizer splits every word. It has {tokens}, and the corpus adds {number} symbol.",
                "The old tokenizer splits every word. It has {tokens}, and the corpus adds {number} symbols.",
                len(event.alphabet),
            ),
            tokens=voice.strong(
                ngettext("{number} token", "{number} tokens", len(old.vocab)).format(
                    number=count(len(old.vocab))
                )
            ),
            number=count(len(event.alphabet)),
        )
        symbols = tell_symbols(snapshot.trace.corpus, voice)
        return Narration(lead, sentences(tell_corpus(snapshot, voice), symbols, tell_stop(snapshot, voice)))
    lead = voice.say(
        ngettext(
            "Every word is split into its symbols. The alphabet has {size} symbol.",
            "Every word is split into its symbols. The alphabet has {size} symbols.",
            len(event.alphabet),
        ),
        size=voice.strong(count(len(event.alphabet))),
    )
    return Narration(
        lead,
        sentences(
            tell_corpus(snapshot, voice),
            tell_cuts(snapshot.trace.corpus, voice),
            tell_symbols(snapshot.trace.corpus, voice),
            tell_left_out(snapshot.trace, voice),
            tell_initial(snapshot.trace, voice),
            tell_long_words(snapshot.trace, voice),
            tell_fallback(snapshot.trace.settings, voice),
            tell_stop(snapshot, voice),
        ),
    )


def tell_corpus(snapshot: MergeSnapshot, voice: TextFormat) -> str:
    """The corpus before the first merge."""
    corpus = snapshot.trace.corpus
    words = ngettext("{number} different word", "{number} different words", len(corpus.words))
    return voice.say(
        ngettext(
            "The corpus has {different}, {total} in all: {tokens} token now.",
            "The corpus has {different}, {total} in all: {tokens} tokens now.",
            snapshot.tokens,
        ),
        different=words.format(number=count(len(corpus.words))),
        total=count(sum(corpus.counts)),
        tokens=count(snapshot.tokens),
    )


def tell_stop(snapshot: MergeSnapshot, voice: TextFormat) -> str:
    """At the last step, why training ended there; nothing before."""
    if snapshot.step < len(snapshot.trace):
        return ""
    reason = told_stop_reason(snapshot.trace)
    if reason == "no_pairs" and snapshot.trace.left_out:  # a word may have no character left
        return voice.say(_("Training ends here: no pair is left."))
    return voice.say(_(MERGING_STOPS[reason]))


def told_stop_reason(trace: MergeTrace) -> str:
    """A run's stop reason; SuperBPE's second stage may leave pairs that no token may span."""
    left_out = trace.stop_reason == "no_pairs" and trace.pairs_there(len(trace))
    return "bounds" if left_out else trace.stop_reason


def tell_oddities(snapshot: MergeSnapshot, event: MergeEvent, voice: TextFormat) -> list[str]:
    """Special cases: a bound, overlaps, a token already in the vocabulary, the end."""
    odd = [tell_excluded(snapshot, voice)]
    if event.applied != event.freq:
        odd.append(
            voice.say(
                _("It overlaps itself: {freq} counted, {applied} merged."),
                freq=count(event.freq),
                applied=count(event.applied),
            )
        )
    if not event.is_new:
        odd.append(
            voice.say(_("The vocabulary already has this token, made another way, so it does not grow."))
        )
    return [*odd, *tell_kind(event, voice), tell_stop(snapshot, voice)]


def tell_ties(
    snapshot: MergeSnapshot, event: MergeEvent, voice: TextFormat, next_best: str, ahead: bool = True
) -> str:
    """Why this pair and not another, equally good one; without a tie, the sentence `next_best` on the
    runner-up.

    Without `ahead`, the others are counted and not named: they may come next.
    """
    if event.tied_count == 1:
        return next_best if event.pair_count > 1 else tell_only_pair(snapshot, voice)
    if not ahead:
        others_tied = event.tied_count - 1
        text = ngettext("Tied with {number} other pair.", "Tied with {number} other pairs.", others_tied)
        return sentences(voice.say(text, number=count(others_tied)), tell_rule(snapshot, event, voice))
    pairs = name_tied(event, voice)
    tied = voice.say(ngettext("Tied with {pairs}.", "Tied with {pairs}.", event.tied_count - 1), pairs=pairs)
    return sentences(tied, tell_rule(snapshot, event, voice))


def tell_only_pair(snapshot: MergeSnapshot, voice: TextFormat) -> str:
    """The only candidate: others may be there, but excluded by a bound, or too rare."""
    if len(snapshot.trace.pairs_there(snapshot.step - 1)) > 1:
        return voice.say(_("It is the only pair that may be merged."))
    if isinstance(snapshot.event, ParityMergeEvent) and snapshot.event.language:
        return voice.say(_("It is the only pair left in this language's corpus."))
    return voice.say(_("It is the only pair left."))


def name_tied(event: MergeEvent, voice: TextFormat) -> str:
    """The pairs tied with the merged one: the first few, and the number of the others."""
    others = [tie.pair for tie in event.tied[1 : 1 + TIES_NAMED]]
    more = event.tied_count - 1 - len(others)
    pairs = listed(voice.pair(pair) for pair in others)
    if not more:
        return pairs
    message = ngettext("{pairs} and {number} more", "{pairs} and {number} more", more)
    return voice.say(message, pairs=pairs, number=count(more))


def tell_rule(snapshot: MergeSnapshot, event: MergeEvent, voice: TextFormat) -> str:
    """How the tie rule decided, in the words of `TIE_RULE_WORDS`."""
    rule, ids = snapshot.trace.settings["tie_rule"], snapshot.trace.vocabulary.ids
    return voice.say(
        _(TIE_RULE_WORDS[rule].reason),
        pair=voice.pair(event.pair),
        word=voice.token(event.tied[0].word),
        first=str(ids[event.pair.first]),
        second=str(ids[event.pair.second]),
    )


def tell_bpe_choice(snapshot: WordPieceSnapshot, event: WordPieceEvent, voice: TextFormat) -> str:
    """Which pair is the most frequent, and why it lost; nothing if a bound excludes that pair."""
    rival = event.most_frequent
    if rival.freq < max(snapshot.trace.pair_counts(snapshot.step - 1).values()):
        return ""
    if rival.pair == event.pair:
        return voice.say(_("It is also the most frequent pair: BPE would merge it here."))
    times = ngettext("{number} time", "{number} times", rival.freq).format(number=count(rival.freq))
    if rival.score == event.candidates[0].score:
        return voice.say(
            _("BPE would merge {pair} here: it occurs {times}, and scores the same."),
            pair=voice.pair(rival.pair),
            times=times,
        )
    return voice.say(
        _("BPE would merge {pair} here: it occurs {times}, but scores {numbers} = {score}."),
        pair=voice.pair(rival.pair),
        times=times,
        numbers=f"{rival.freq} / ({rival.first_freq} × {rival.second_freq})",
        score=str(rival.score),
    )


def score_numbers(candidate: ScoredCandidate, voice: TextFormat) -> str:
    """The score's formula with the pair's numbers in it."""
    return voice.fraction(str(candidate.freq), f"{candidate.first_freq} × {candidate.second_freq}")
