"""Exercises with a corpus as answer: word counts with the requested merges. The engine trains on the answer
to grade it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from random import Random
from typing import Final, NamedTuple

from tokenizers_core import train_bpe, train_wordpiece
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.reading import parse_counts
from tokenizers_core.training.merge_trace import Candidate, MergeTrace
from tokenizers_core.training.wordpiece import ScoredCandidate
from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import _, count, sentences
from tokensteps.language.messages import explained
from tokensteps.language.numbers import FULL_WIDTH
from tokensteps.limits import CORPUS_COUNT, CORPUS_LINES, CORPUS_WORD
from tokensteps.teaching.events import merge_at
from tokensteps.teaching.exercises.merging import bpe_rule, wordpiece_rule
from tokensteps.teaching.exercises.words import (
    SIZES,
    Draft,
    corpus_of,
    counts_text,
    draw_words,
    link_to,
    pair_html,
    prompt,
    word_counts_table,
)
from tokensteps.teaching.questions import (
    UNREAD,
    WRONG,
    Question,
    SeveralLines,
    Verdict,
    right,
    tied,
    unread,
    wrong,
)
from tokensteps.teaching.slips.merging import PairName

MERGES_WANTED: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 4}
"""How many merges of BPE the corpus has to make."""
BOTH: Final = 5
"""The level with WordPiece's first merge on the same words, too."""


class Wanted(NamedTuple):
    """The required results of training on the corpus."""

    merges: tuple[PairName, ...]
    """The first merges of BPE."""
    wordpiece: PairName | None = None
    """The first merge of WordPiece on the same words."""


def construct(random: Random, level: int) -> Draft:
    """Word counts with given first merges."""
    while True:
        counts = draw_words(random, SIZES[level])
        trace = train_bpe(corpus_of(counts), merges=MERGES_WANTED[level])
        if len(trace) == MERGES_WANTED[level] and merge_at(trace, 1).freq > 1:
            break
    merges: tuple[PairName, ...] = tuple((pair.first, pair.second) for pair in trace[-1].merges)
    wanted = Wanted(merges)
    rule = bpe_rule()
    if level == BOTH:
        pair = merge_at(train_wordpiece(corpus_of(counts), merges=1), 1).pair
        wanted = Wanted(merges, (pair.first, pair.second))
        rule = sentences(rule, wordpiece_rule())
    example = fill(_("One of many that work: {corpus}"), corpus=word_counts_table(counts))

    def grade(answer: str) -> Verdict:
        verdict = check_corpus(answer, wanted)
        if verdict.kind == WRONG:
            verdict = verdict._replace(reason=verdict.reason + example)
        return verdict._replace(cells=(0,)) if verdict.kind in (WRONG, UNREAD) else verdict

    question = Question(
        "construct",
        prompt(
            rule,
            wanted_html(wanted),
            escape(
                _(
                    "Write a corpus whose training begins like this: on each line a word, a space, and its count. "
                    "Any corpus that works is right; we train on it to check."
                )
            ),
        ),
        SeveralLines("\n".join([_("a word and its count")] * 2)),
        counts_text(counts),
        grade,
        example,
        fill(
            _(
                "Begin with words that have {pair}, and give them high counts. Then add words for what comes next."
            ),
            pair=pair_html(wanted.merges[0]),
        ),
    )
    facts = {"merges": wanted.merges, "wordpiece": wanted.wordpiece, "words": counts}
    return Draft(question, facts, link_to("bpe", counts, step="0"))


def wanted_html(wanted: Wanted) -> str:
    """The wanted merges, as a list."""
    lines = [
        fill(_("Merge {number}: {pair}"), number=str(number), pair=pair_html(pair))
        for number, pair in enumerate(wanted.merges, start=1)
    ]
    if wanted.wordpiece:
        message = _("WordPiece, trained on the same words, first merges: {pair}")
        lines.append(fill(message, pair=pair_html(wanted.wordpiece)))
    return f'<ul class="wanted">{"".join(f"<li>{line}</li>" for line in lines)}</ul>'


def read_answer(answer: str) -> dict[str, int] | str:
    """The typed word counts, also in full-width digits, or their fault.

    >>> read_answer("hug 10\\nhug　２"), read_answer("hug 1000001")[:30]
    ({'hug': 12}, 'A count must be a whole number')
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    if len(lines) > CORPUS_LINES:
        return _("You have {number} lines, but the limit is {limit}: remove some.").format(
            number=count(len(lines)), limit=CORPUS_LINES
        )
    answer = re.sub(
        r"(?<=[\s,])[０-９]+(?=\s*$)", lambda match: match[0].translate(FULL_WIDTH), answer, flags=re.M
    )
    try:
        pairs = parse_counts(answer)
    except TokenizersCoreError as error:
        return explained(error)
    counts: dict[str, int] = {}
    for word, number in pairs:
        if len(word) > CORPUS_WORD:
            return _(
                "A word may have at most {limit} characters, but {word}… has {number}: shorten it."
            ).format(limit=CORPUS_WORD, word=word[:12], number=count(len(word)))
        if not 1 <= number <= CORPUS_COUNT:
            return _("A count must be a whole number from 1 to {limit}: change the one for {word}.").format(
                limit=count(CORPUS_COUNT), word=word
            )
        counts[word] = counts.get(word, 0) + number
    return counts or _("Your answer has no words: type a word, a space and its count on each line.")


def check_corpus(answer: str, wanted: Wanted) -> Verdict:
    """Train on the answer, and compare."""
    counts = read_answer(answer)
    if isinstance(counts, str):
        return unread(counts)
    try:
        corpus = corpus_of(counts)
        traces: list[tuple[str, MergeTrace, Sequence[PairName]]] = [
            ("BPE", train_bpe(corpus, merges=len(wanted.merges)), wanted.merges)
        ]
        if wanted.wordpiece:
            traces.append(("WordPiece", train_wordpiece(corpus, merges=1), (wanted.wordpiece,)))
    except TokenizersCoreError as error:
        return unread(explained(error))
    ties = []
    for name, trace, merges in traces:
        for number, pair in enumerate(merges, start=1):
            verdict = compare(name, trace, number, pair)
            if verdict is not None:
                return verdict
            if merge_at(trace, number).tied_count > 1:
                message = _("{algorithm}, merge {number}: {pair} was tied, but is met first.")
                ties.append(
                    fill(
                        message,
                        algorithm=name,
                        number=str(number),
                        pair=pair_html(merge_at(trace, number).pair),
                    )
                )
    return right(
        sentences(escape(_("Training on your words makes exactly the merges you were asked for.")), *ties)
    )


def compare(name: str, trace: MergeTrace, number: int, wanted: PairName) -> Verdict | None:
    """The fault of one merge; None if it is right."""
    fields = {"algorithm": name, "number": str(number), "wanted": pair_html(wanted)}
    if number > len(trace):
        message = _(
            "{algorithm} makes no merge {number} on your words: no pair is left. It should have been {wanted}."
        )
        return wrong(result := fill(message, **fields), result)
    event = merge_at(trace, number)
    if tuple(event.pair) == wanted:
        return None
    candidates: Mapping[PairName, Candidate] = {one.pair: one for one in trace.candidates(number - 1)}
    standing, chosen = candidates.get(wanted), candidates[event.pair]
    fields |= {"pair": pair_html(event.pair), "figure": figure(chosen)}
    if standing is None:
        message = _(
            "{algorithm}, merge {number} is {pair} ({figure}); {wanted} doesn't occur in your words then."
        )
        return wrong(result := fill(message, **fields), result)
    fields["yours"] = figure(standing)
    if standing.tied:
        message = _(
            "{algorithm}, merge {number}: {wanted} ({yours}) is tied with {pair} ({figure}), which is met first."
        )
        return tied(fill(message, **fields))
    message = _("{algorithm}, merge {number} is {pair} ({figure}); {wanted} has {yours}.")
    return wrong(result := fill(message, **fields), result)


def figure(candidate: Candidate) -> str:
    """A pair's value for the choice: its count, or its score with its numbers. Markup."""
    if isinstance(candidate, ScoredCandidate):
        return (
            f"{count(candidate.freq)}/({count(candidate.first_freq)} × {count(candidate.second_freq)})"
            f" = {candidate.score}"
        )
    return count(candidate.freq)
