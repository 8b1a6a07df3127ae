"""Questions about the next merge: which pair, how often it occurs, what it scores, how a word is split then.

A pair that ties and loses by the tie rule is graded as tied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from tokenizers_core.encoding.models.pairs import Pair, merge_pair
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.merge_trace import Candidate, MergeTrace
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing.narration.merging import score_numbers, tell_rule
from tokensteps.drawing.narration.text_format import Markup
from tokensteps.drawing.stage_markup import WORDS_TO_COUNT
from tokensteps.drawing.tokens import Style, chip, chips, fill, pair_text
from tokensteps.drawing.training.candidates import PAIRS_OFFERED
from tokensteps.language.i18n import _, count, listed, ngettext, sentences
from tokensteps.language.names import choice_name
from tokensteps.teaching.events import merge_at, scored
from tokensteps.teaching.questions import (
    Choice,
    Entry,
    Question,
    Verdict,
    grade_choice,
    grade_number,
    grade_split,
    right,
    tied,
    wrong,
)
from tokensteps.teaching.slips.merging import (
    count_choices,
    counting_slips,
    joined,
    merge_slips,
    score_choices,
    scoring_slips,
)
from tokensteps.teaching.splitting import as_read, can_be_typed, split_hint

AHEAD: Final = 40
"""Steps that a learner is likely to be ahead at most."""


def ask_pair(trace: MergeTrace, step: int, style: Style) -> Question:
    """Which pair is merged next?"""
    event, candidates = merge_at(trace, step + 1), trace.candidates(step, PAIRS_OFFERED)
    labels = {pair_text(candidate.pair, style): candidate for candidate in candidates}
    chosen = candidates[0]
    voice = Markup(style)
    value = _score_told if trace.algorithm == "wordpiece" else _count_told
    because = fill(_("{pair}: {value}."), pair=voice.pair(chosen.pair), value=value(chosen, voice))
    if event.tied_count > 1:
        because = sentences(because, tell_rule(trace[step + 1], event, voice))

    def grade(answer: str) -> Verdict:
        yours = labels[answer]
        if answer == pair_text(chosen.pair, style):
            return right(because)
        numbers = fill(
            _("{yours}: {your_value}; {pair}: {value}."),
            yours=voice.pair(yours.pair),
            your_value=value(yours, voice),
            pair=voice.pair(chosen.pair),
            value=value(chosen, voice),
        )
        if yours.tied:
            return tied(sentences(numbers, tell_rule(trace[step + 1], event, voice)))
        mine = fill(
            _("{pair}: {value}. Another pair has more."),
            pair=voice.pair(yours.pair),
            value=value(yours, voice),
        )
        return wrong(numbers, mine, pair_slip(trace, step, yours.pair))

    options = tuple(sorted(labels))
    prompt = _("Which pair is merged next?")
    if trace.algorithm == "wordpiece":
        prompt = _("Which pair is merged next? The one with the highest score, pair / (first × second).")
    rule = _("When pairs tie: {rule}.").format(rule=choice_name("ties", trace.settings["tie_rule"]))
    return Question(
        "pair",
        f"{escape(prompt)} <small>{escape(rule)}</small>",
        Choice(options),
        pair_text(chosen.pair, style),
        grade_choice(options, grade),
        because,
        fill(_("The pair that is merged has {value}."), value=value(chosen, voice)),
    )


def ask_count(trace: MergeTrace, step: int, style: Style) -> Question:
    """How often does the next pair occur?"""
    event, voice = merge_at(trace, step + 1), Markup(style)
    prompt = fill(
        _("{pair} is merged next. How often does it occur in the corpus now?"), pair=voice.pair(event.pair)
    )
    words = [
        fill(_("{word} × {number}"), word=chips(tokens, style), number=count(trace.count_at(step, word)))
        for word, tokens in trace.splits(step, event.words[:6]).items()
    ]
    more = "" if len(event.words) <= len(words) else " …"
    where = fill(_("It occurs in {words}"), words=listed(words) + more)
    return Question(
        "count",
        prompt,
        Entry(_("a whole number")),
        str(event.freq),
        grade_number(
            event.freq,
            where,
            where,
            count(event.freq),
            slips=lambda: counting_slips(
                splits_at(trace, step), trace.word_frequencies, event.pair, prefix_of(trace)
            ),
        ),
        f"<b>{count(event.freq)}</b> {where}",
        where,
    )


def ask_score(trace: WordPieceTrace, step: int, style: Style) -> Question:
    """What is the next pair's score?"""
    event, voice = merge_at(trace, step + 1), Markup(style)
    chosen = scored(event.candidates[0])
    prompt = fill(
        _("{pair} is merged next. What is its score, {formula}?"),
        pair=voice.pair(event.pair),
        formula=voice.fraction(_("pair"), _("first × second")),
    )
    figures = {
        "pair": voice.pair(event.pair),
        "freq": count(chosen.freq),
        "first": chip(event.pair.first, style),
        "first_freq": count(chosen.first_freq),
        "second": chip(event.pair.second, style),
        "second_freq": count(chosen.second_freq),
    }
    text = fill(
        _(
            "Counts: {pair} {freq}, {first} {first_freq}, {second} {second_freq}. So the score is {numbers} = {score}."
        ),
        numbers=score_numbers(chosen, voice),
        score=f"<b>{chosen.score}</b>",
        **figures,
    )
    return Question(
        "score",
        prompt,
        Entry(_("a fraction such as a/(b × c), or a decimal")),
        f"{chosen.freq}/({chosen.first_freq} × {chosen.second_freq})",
        grade_number(
            chosen.score,
            text,
            text,
            str(chosen.score),
            slips=lambda: scoring_slips(
                splits_at(trace, step), trace.word_frequencies, event.pair, trace.prefix
            ),
        ),
        text,
        fill(
            _("Counts: {pair} {freq}, {first} {first_freq}, {second} {second_freq}."),
            **figures,
        ),
    )


def ask_merged_split(trace: MergeTrace, step: int, style: Style) -> Question | None:
    """How is a word split after the next merge?"""
    event, voice = merge_at(trace, step + 1), Markup(style)
    prefix = prefix_of(trace)
    word = next((word for word in event.words[:50] if can_be_typed(trace, step, word, style)), None)
    if word is None:
        return None
    now, then = trace.splits(step, [word])[word], trace.splits(step + 1, [word])[word]
    pieces = as_read(then, style, prefix)
    others = {
        as_read(merge_pair(now, tie.pair, joined(tie.pair, prefix)), style, prefix): tie.pair
        for tie in event.tied[1:]
    }
    text = fill(
        _("The merge was {pair}, so the word became {split}."),
        pair=voice.pair(event.pair),
        split=chips(then, style),
    )

    def compare(yours: tuple[str, ...]) -> Verdict:
        if yours in others:
            ties = fill(
                _("{pair} ties with {other}."),
                pair=voice.pair(others[yours]),
                other=voice.pair(event.pair),
            )
            return tied(sentences(ties, tell_rule(trace[step + 1], event, voice), text))
        mine = fill(_("You cut it into {pieces}."), pieces=escape(" ".join(yours)))
        later = (trace.splits(at, [word])[word] for at in range(step + 2, min(len(trace), step + AHEAD) + 1))
        known = merge_slips(now, event.pair, prefix, later)
        slip = next((name for name, tokens in known if as_read(tokens, style, prefix) == yours), "")
        return wrong(sentences(mine, text), mine, slip)

    return Question(
        "split",
        fill(_("How will this word be split after the next merge? Now: {split}"), split=chips(now, style)),
        Entry(split_hint("".join(pieces), prefix)),
        " ".join(pieces),
        grade_split("".join(pieces), pieces, compare, prefix, text),
        text,
        fill(_("The next merge is {pair}."), pair=voice.pair(event.pair)),
    )


def pair_slip(trace: MergeTrace, step: int, yours: Pair) -> str:
    """The mistake that leads to a pair which is not the next one; "" if none is known."""
    splits, counts, prefix = splits_at(trace, step), trace.word_frequencies, prefix_of(trace)
    slips = score_choices if trace.algorithm == "wordpiece" else count_choices
    return next((name for name, best in slips(splits, counts, prefix) if yours in best), "")


def splits_at(trace: MergeTrace, step: int) -> Mapping[str, Sequence[str]]:
    """All words after a step, in their tokens."""
    return trace.splits(step, trace.corpus_at(step).words)


def prefix_of(trace: MergeTrace) -> str:
    """What begins the tokens inside a word; "" if nothing does."""
    return trace.prefix if trace.algorithm == "wordpiece" else ""


def is_given(trace: AnyTrace) -> bool:
    """Whether the counts of pairs are beside the question: where there are too many words to count in."""
    return len(trace.corpus.words) > WORDS_TO_COUNT


def _count_told(candidate: Candidate, _voice: Markup) -> str:
    """How often a pair occurs."""
    return escape(
        ngettext("{number} time", "{number} times", candidate.freq).format(number=count(candidate.freq))
    )


def _score_told(candidate: Candidate, voice: Markup) -> str:
    """A pair's score, with its numbers."""
    known = scored(candidate)
    return f"{score_numbers(known, voice)} = <b>{known.score}</b>"
