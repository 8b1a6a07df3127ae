"""Questions about the next merge: the pair, its count, its score, the split of a word after it.

For the newer kinds of BPE also: whether it bridges a space, the removals after it, the choosing language.

A tied pair that loses by the tie rule is graded as tied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from html import escape
from itertools import chain
from typing import Final

from tokenizers_core.counterfactual.recounting import corpus_of
from tokenizers_core.encoding.models.pairs import Pair, merge_pair
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.kinds.paritybpe import ParityTrace
from tokenizers_core.training.kinds.pickybpe import PickyTrace
from tokenizers_core.training.kinds.superbpe import SuperTrace, is_superword
from tokenizers_core.training.merge_trace import Candidate, MergeTrace
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing.narration.kinds import tell_chooser
from tokensteps.drawing.narration.merging import score_numbers, tell_exclusion, tell_rule
from tokensteps.drawing.narration.text_format import Markup
from tokensteps.drawing.stage_markup import WORDS_TO_COUNT
from tokensteps.drawing.tokens import Style, chip, chips, fill, pair_chips, pair_text, readable
from tokensteps.drawing.training.candidates import PAIRS_OFFERED, offered_pairs
from tokensteps.language.i18n import _, count, listed, ngettext, sentences
from tokensteps.language.names import choice_name, language_name
from tokensteps.teaching.events import merge_at, removals_after, scored
from tokensteps.teaching.questions import (
    Choice,
    Entry,
    Question,
    Verdict,
    bound_text,
    grade_choice,
    grade_number,
    grade_split,
    right,
    symbol_sentence,
    tied,
    wrong,
)
from tokensteps.teaching.slips.merging import (
    Named,
    bridge_choices,
    chooser_choices,
    count_all,
    count_choices,
    counting_slips,
    joined,
    merge_slips,
    removal_choices,
    score_choices,
    scoring_slips,
)
from tokensteps.teaching.splitting import as_read, can_be_typed, split_hint, symbol_after, with_symbol

AHEAD: Final = 40
"""The most steps by which a learner's answer is likely to be ahead."""
NONE_LEAVES: Final = "–"
"""Stands for no token."""


def ask_pair(trace: MergeTrace, step: int, style: Style) -> Question:
    """Which pair is merged next?"""
    event, candidates = merge_at(trace, step + 1), offered_pairs(trace, step)
    labels = {pair_text(candidate.pair, style): candidate for candidate in candidates}
    excluded = {one.candidate.pair: one for one in trace.excluded(step + 1)}
    chosen = next(one for one in candidates if one.pair == event.pair)
    voice = Markup(style)
    value = _score_text if trace.ranked_by == "score" else _count_text
    because = fill(_("{pair}: {value}."), pair=voice.pair(chosen.pair), value=value(chosen, voice))
    if event.tied_count > 1:
        because = sentences(because, tell_rule(trace[step + 1], event, voice))

    def grade(answer: str) -> Verdict:
        yours = labels[answer]
        if answer == pair_text(chosen.pair, style):
            return right(because)
        if yours.pair in excluded:
            why = tell_exclusion(trace, excluded[yours.pair], voice)
            return wrong(sentences(why, because), why)
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
    if trace.ranked_by == "score":
        prompt = _("Which pair is merged next? The one with the highest score, pair / (first × second).")
    if language := chooser(trace, step):
        prompt = _(
            "{language} chooses. Which pair is merged next, the most frequent one in its corpus?"
        ).format(language=language_name(language))
    return Question(
        "pair",
        f"{escape(prompt)} <small>{escape(choice_rule_text(trace))}</small>",
        Choice(options),
        pair_text(chosen.pair, style),
        grade_choice(options, grade),
        because,
        fill(_("The pair that is merged has {value}."), value=value(chosen, voice)),
    )


def choice_rule_text(trace: MergeTrace) -> str:
    """What decides a tie, and how long a token may be, as plain text."""
    rule = _("When pairs tie: {rule}.").format(rule=choice_name("ties", trace.settings["tie_rule"]))
    longest = trace.settings.get("max_token_length")
    return sentences(rule, bound_text(longest)) if longest else rule


def ask_count(trace: MergeTrace, step: int, style: Style) -> Question:
    """How often does the next pair occur?"""
    event, voice = merge_at(trace, step + 1), Markup(style)
    language = chooser(trace, step)
    message = _("{pair} is merged next. How often does it occur in the corpus now?")
    if language:
        message = _("{language} chooses {pair}. How often does it occur in the corpus of this language now?")
    prompt = fill(message, pair=voice.pair(event.pair), language=escape(language_name(language)))
    counts = word_counts_at(trace, step)
    there = [word for word in event.words if word in counts]
    words = [
        fill(_("{word} × {number}"), word=chips(tokens, style), number=count(counts[word]))
        for word, tokens in trace.splits(step, there[:6]).items()
    ]
    more = "" if len(there) <= len(words) else " …"
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
            slips=lambda: counting_slips(splits_at(trace, step), counts, event.pair, prefix_of(trace)),
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
                splits_at(trace, step), word_counts_at(trace, step), event.pair, trace.prefix
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
    behind = symbol_after(trace, "".join(pieces))
    text = sentences(text, symbol_sentence(behind, style))

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
        fill(
            _("How will this word be split after the next merge? Now: {split}"),
            split=chips(with_symbol(now, behind), style),
        ),
        Entry(split_hint("".join(pieces), prefix)),
        " ".join(with_symbol(pieces, behind)),
        grade_split("".join(pieces), pieces, compare, prefix, text, behind, style),
        text,
        fill(_("The next merge is {pair}."), pair=voice.pair(event.pair)),
    )


def pair_slip(trace: MergeTrace, step: int, yours: Pair) -> str:
    """The mistake behind a wrong pair; "" if none is known."""
    splits, counts, prefix = splits_at(trace, step), word_counts_at(trace, step), prefix_of(trace)
    slips = score_choices if trace.ranked_by == "score" else count_choices
    known = slips(splits, counts, prefix)
    if isinstance(trace, SuperTrace) and trace.in_stage_2(step):
        known = chain(bridge_choices(splits, counts), known)
    return _slip_to(yours, known, len(count_all(splits, counts).pairs))


def _slip_to(answer: Named, known: Iterable[tuple[str, set[Named]]], options: int) -> str:
    """The mistake behind a wrong answer; "" if none is known. A mistake by which all options are equal
    chooses none."""
    return next((name for name, chosen in known if answer in chosen and len(chosen) < options), "")


def splits_at(trace: MergeTrace, step: int) -> Mapping[str, Sequence[str]]:
    """All words behind the choice of the next merge, in their tokens."""
    return trace.splits(step, word_counts_at(trace, step))


def word_counts_at(trace: MergeTrace, step: int) -> Mapping[str, int]:
    """How often each of those words occurs."""
    return dict(corpus_of(trace, step + 1).items())


def chooser(trace: MergeTrace, step: int) -> str:
    """The choosing language of the next merge; "" for other kinds of BPE, and where all languages choose
    together."""
    return trace.language_at(step + 1) if isinstance(trace, ParityTrace) else ""


def prefix_of(trace: MergeTrace) -> str:
    """The continuation prefix; "" if there is none."""
    return trace.prefix if trace.ranked_by == "score" else ""


def shows_counts(trace: AnyTrace) -> bool:
    """Whether the counts of pairs are beside the question: where there are too many words to count in."""
    return len(trace.corpus.words) > WORDS_TO_COUNT


def _count_text(candidate: Candidate, _voice: Markup) -> str:
    """How often a pair occurs."""
    return escape(
        ngettext("{number} time", "{number} times", candidate.freq).format(number=count(candidate.freq))
    )


def _score_text(candidate: Candidate, voice: Markup) -> str:
    """A pair's score, with its numbers."""
    known = scored(candidate)
    return f"{score_numbers(known, voice)} = <b>{known.score}</b>"


# --- Questions on the newer kinds of BPE: answers are pairs, tokens, names of languages ---------------------


def ask_bridge(trace: MergeTrace, step: int, style: Style) -> Question | None:
    """SuperBPE's stage 2: is the best pair within a word merged next, as by plain BPE, or the best across a
    space?"""
    if not isinstance(trace, SuperTrace) or not trace.in_stage_2(step):
        return None
    best_pairs: dict[bool, Candidate] = {}
    for one in trace.candidates(step, PAIRS_OFFERED):
        best_pairs.setdefault(is_superword("".join(one.pair)), one)
    if len(best_pairs) < 2:
        return None
    event, voice = merge_at(trace, step + 1), Markup(style)
    labels = {pair_text(one.pair, style): one for one in best_pairs.values()}
    key = pair_text(event.pair, style)
    messages = (
        _("Within words, {pair} is the most frequent: {number}."),
        _("Across spaces, {pair} is: {number}."),
    )
    because = sentences(
        *(
            fill(message, pair=pair_chips(best.pair, style), number=f"<b>{count(best.freq)}</b>")
            for message, best in zip(messages, (best_pairs[False], best_pairs[True]), strict=True)
        )
    )

    def grade(answer: str) -> Verdict:
        if answer == key:
            return right(because)
        if labels[answer].tied:
            return tied(sentences(because, tell_rule(trace[step + 1], event, voice)))
        return wrong(because, fill(_("Count {pair} again."), pair=pair_chips(labels[answer].pair, style)))

    options = tuple(sorted(labels))
    return Question(
        "bridge",
        escape(
            _(
                "Tokens may bridge spaces here. Which pair is merged next: the best one within a word, or the best one across a space?"
            )
        ),
        Choice(options, {name: pair_chips(one.pair, style) for name, one in labels.items()}),
        key,
        grade_choice(options, grade),
        because,
        because,
    )


def ask_leaving(trace: MergeTrace, step: int, style: Style) -> Question | None:
    """PickyBPE: which parts of the next merge leave the vocabulary after it? None for two equal parts: their
    share isn't the merge's share of their places."""
    if not isinstance(trace, PickyTrace):
        return None
    event = merge_at(trace, step + 1)
    if event.pair.first == event.pair.second:
        return None
    learned = [part for part in event.pair if part in trace.step_of_token]
    if not learned:
        return None
    removals = {one.token: one for one in removals_after(trace, step + 1)}
    shares, at = [], step + 1
    for part in learned:
        removal = removals.get(part)
        left = removal.left if removal else _occurrences(trace, at, part)
        at += removal is not None
        shares.append(
            fill(
                _("{token}: the merge takes {taken} of its {all} places."),
                token=chip(part, style),
                taken=f"<b>{count(event.applied)}</b>",
                all=f"<b>{count(event.applied + left)}</b>",
            )
        )
    worked = sentences(*shares)
    sets = [(), *((part,) for part in learned), *([tuple(learned)] if learned[1:] else [])]
    labels = {" + ".join(readable(part, style) for part in one) or NONE_LEAVES: one for one in sets}
    shown = {
        name: " + ".join(chip(part, style) for part in one) or NONE_LEAVES for name, one in labels.items()
    }
    gone = tuple(part for part in learned if part in removals)
    key = next(name for name, one in labels.items() if one == gone)
    because = sentences(worked, fill(_("So this leaves: {tokens}."), tokens=shown[key]))

    def grade(answer: str) -> Verdict:
        if answer == key:
            return right(because)
        splits, counts = splits_at(trace, step), word_counts_at(trace, step)
        known = removal_choices(splits, counts, event.pair, learned, Fraction(trace.settings["threshold"]))
        slip = next((name for name, parts in known if parts == {*labels[answer]}), "")
        return wrong(because, worked, slip)

    return Question(
        "leaves",
        fill(
            _(
                "{pair} is merged next. A learned part leaves the vocabulary if the merge takes more than {threshold} of its places. Which part leaves? ({nothing}: none.)"
            ),
            pair=pair_chips(event.pair, style),
            threshold=str(trace.settings["threshold"]),
            nothing=NONE_LEAVES,
        ),
        Choice(tuple(labels), shown),
        key,
        grade_choice(tuple(labels), grade),
        because,
        worked,
    )


def _occurrences(trace: MergeTrace, step: int, token: str) -> int:
    """How often a token occurs in the corpus after a step."""
    counts = trace.word_frequencies
    return sum(tokens.count(token) * counts[word] for word, tokens in trace.splits(step).items())


def ask_chooser(trace: MergeTrace, step: int, style: Style) -> Question | None:
    """Parity-aware BPE: which language chooses the next merge? None where tokens alone don't tell: a language
    with as many has to wait or has no pair left, or languages have ratios."""
    key = chooser(trace, step)
    if not isinstance(trace, ParityTrace) or not key or trace.settings["ratio"]:
        return None
    event, as_needy = merge_at(trace, step + 1), trace.as_needy(step)
    tokens = trace.parallel_tokens(step)
    if any(number >= tokens[key] for language, number in tokens.items() if language not in as_needy):
        return None
    numbers = escape(
        listed(f"{language_name(language)} {count(number)}" for language, number in tokens.items())
    )
    worked = fill(_("Tokens of the parallel lines: {numbers}."), numbers=numbers)
    because = sentences(worked, tell_chooser(event, Markup(style)))

    def grade(answer: str) -> Verdict:
        if answer == key:
            return right(because)
        if answer in as_needy:
            return tied(sentences(worked, escape(_("Of equals, the first language chooses."))))
        texts = trace.corpora if trace.parallel is None else trace.parallel
        known = chooser_choices(
            {name: trace.splits(step, text.words) for name, text in texts.items()},
            {name: dict(text.items()) for name, text in texts.items()},
        )
        return wrong(because, worked, _slip_to(answer, known, len(texts)))

    options = trace.languages
    return Question(
        "language",
        escape(_("The language whose parallel lines are served worst chooses the next merge. Which is it?")),
        Choice(
            options,
            {one: escape(language_name(one)) for one in options},
            {one: language_name(one) for one in options},
        ),
        key,
        grade_choice(options, grade),
        because,
        worked,
    )
