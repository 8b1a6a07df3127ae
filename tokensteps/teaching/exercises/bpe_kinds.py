"""Exercises on the newer kinds of BPE: SuperBPE's merges across spaces, PickyBPE's removals, the choosing
language of parity-aware BPE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from html import escape
from random import Random
from typing import Final

from tokenizers_core import Corpus, Pair, train_paritybpe, train_pickybpe, train_superbpe
from tokenizers_core.training.kinds.paritybpe import ParityTrace
from tokenizers_core.training.kinds.pickybpe import PickyTrace
from tokenizers_core.training.kinds.superbpe import SuperTrace, may_be_token
from tokensteps.drawing.tokens import PLAIN, Style, chip, chips, fill, pair_chips, pair_text
from tokensteps.language.i18n import _, count, sentences
from tokensteps.language.names import language_name
from tokensteps.runs.corpora import pack_text
from tokensteps.runs.parallel import parallel_lines
from tokensteps.teaching.events import merge_at, removals_after
from tokensteps.teaching.exercises.merging import MERGES_BEFORE, MERGING_ATTEMPTS, fits_level
from tokensteps.teaching.exercises.words import (
    SIZES,
    Address,
    Draft,
    corpus_of,
    draw_words,
    link_to,
    prompt,
    sheet_html,
    tokens_in_line,
    words_table,
)
from tokensteps.teaching.merge_questions import (
    NONE_LEAVES,
    ask_chooser,
    ask_leaving,
    ask_pair,
    splits_at,
    word_counts_at,
)
from tokensteps.teaching.questions import Choice, Question, Verdict, grade_choice, wrong
from tokensteps.teaching.slips.merging import count_all, removal_choices

# --- SuperBPE -----------------------------------------------------------------------------------------------

PHRASES: Final = (
    ("by the way", "on the way", "all the way", "in the way", "by the time", "all the time", "on time"),
    ("in the end", "at the end", "at the top", "in the air", "at the door", "on top", "in the end of it"),
    ("as well as", "as soon as", "as long as", "as far as", "so far", "so long", "as well", "as soon"),
    ("one by one", "side by side", "one day", "the other day", "one side", "the other side", "by day"),
    (
        "of the sea",
        "by the sea",
        "out of the sea",
        "out of time",
        "part of the sea",
        "out of it",
        "part of it",
    ),
)
"""Lines of words that recur together, so that pairs across a space are frequent."""
BRIDGED: Final = {1: 0, 2: 1, 3: 1, 4: 2, 5: 3}
"""How many merges of stage 2 come before the question."""
LINES_DRAWN: Final = {1: 3, 2: 3, 3: 4, 4: 4, 5: 5}
MOST_TIMES: Final = 4
"""How often a line occurs at most."""
SPACES_SHOWN: Final = Style(byte_level=True, show="spaces")


def draw_super(random: Random, level: int) -> tuple[dict[str, int], SuperTrace, int]:
    """Lines with their counts, a run, and the step asked about. From level 3 on, some words are not one token
    yet when stage 2 begins."""
    fits = fits_level(random, level)
    result = None
    for _attempt in range(MERGING_ATTEMPTS):
        lines = {
            line: random.randint(1, MOST_TIMES)
            for line in random.sample(random.choice(PHRASES), LINES_DRAWN[level])
        }
        texts = [line for line, times in lines.items() for _time in range(times)]
        most_words = random.choice((2, 3)) if level > 1 else 4
        corpus = Corpus.from_texts(texts)
        trace = train_superbpe(corpus, most_words=most_words)
        if level > 2:
            whole = trace.vocab_sizes[(trace.stage_step or 1) - 1]
            trace = train_superbpe(corpus, most_words=most_words, transition=whole - random.randint(1, level))
        step = (trace.stage_step or 0) + BRIDGED[level]
        if step < len(trace) and trace[step].pair_count > 1:
            result = lines, trace, step
            if fits(trace, step):
                break
    if result is None:
        raise ValueError(f"No lines of level {level} have two pairs in stage 2.")
    return result


def super_pair(random: Random, level: int) -> Draft:
    """The next merge of SuperBPE in stage 2, with frequent pairs beyond its limit on words among the
    choices."""
    lines, trace, step = draw_super(random, level)
    most_words = int(trace.settings["most_words"])
    rule = _(
        "In its second stage, SuperBPE counts the pairs of neighbors in a whole line, also across a space, and merges the most "
        "frequent one whose token has at most {most} words. If pairs tie, the one met first wins, reading the lines from the top, "
        "left to right."
    ).format(most=count(most_words))
    counts = word_counts_at(trace, step)
    rows = (
        (f'<span class="row">{chips(tokens, SPACES_SHOWN)}</span>', count(counts[line]))
        for line, tokens in splits_at(trace, step).items()
    )
    data = sheet_html((_("Line, as it is split now"), _("Count")), rows)
    prompt_html = prompt(rule, data, escape(_("Which pair is merged next?")))
    question = with_traps(ask_pair(trace, step, SPACES_SHOWN), forbidden_pairs(trace, step), prompt_html)
    transition = trace.settings["transition"]
    facts = {
        "lines": lines,
        "step": step,
        "transition": transition,
        "most_words": most_words,
        "bridged": BRIDGED[level],
    }
    packed = pack_text("\n".join(line for line, times in lines.items() for _time in range(times)))
    query = {"kind": "superbpe", "corpus": "paste", "mostwords": str(most_words), "step": str(step)}
    if transition is not None:
        query["transition"] = str(transition)
    return Draft(question, facts, Address(trace.algorithm, {**query, "text": packed}) if packed else None)


def forbidden_pairs(trace: SuperTrace, step: int) -> dict[str, Verdict]:
    """The pairs frequent enough, but with too many words for a token, each with its verdict."""
    event = merge_at(trace, step + 1)
    counted = count_all(splits_at(trace, step), word_counts_at(trace, step)).pairs
    return {
        pair_text(Pair(*pair), SPACES_SHOWN): too_many_words("".join(pair), event.pair)
        for pair, number in counted.items()
        if number >= event.freq and not may_be_token("".join(pair), trace.settings["most_words"])
    }


def too_many_words(token: str, chosen: Pair) -> Verdict:
    mine = fill(_("{token} would have too many words."), token=chip(token, SPACES_SHOWN))
    text = fill(_("The next merge is {pair}."), pair=pair_chips(chosen, SPACES_SHOWN))
    return wrong(sentences(mine, text), mine, "too_many_words")


def with_traps(question: Question, traps: Mapping[str, Verdict], prompt_html: str) -> Question:
    """A question with more (wrong) options, and a prompt of its own."""
    assert isinstance(question.form, Choice)  # of pairs, tokens, languages
    options = tuple(sorted({*question.form.options, *traps}))

    def grade(answer: str) -> Verdict:
        return traps[answer] if answer in traps else question.grade(answer)

    return replace(question, prompt=prompt_html, form=Choice(options), grade=grade_choice(options, grade))


# --- PickyBPE -----------------------------------------------------------------------------------------------

THRESHOLDS: Final = ("0.5", "0.6", "0.7", "0.8", "0.9")


def outcome(trace: PickyTrace, step: int) -> str:
    """Whether something leaves after the merge of a step; and if not, whether a share is just the
    threshold."""
    if [*removals_after(trace, step)]:
        return "leaves"
    splits, counts, pair = splits_at(trace, step - 1), word_counts_at(trace, step - 1), trace.pair_of(step)
    learned = [part for part in pair if part in trace.step_of_token]
    known = removal_choices(splits, counts, pair, learned, Fraction(trace.settings["threshold"]))
    return "equals" if dict(known)["at_threshold"] else "stays"


def draw_picky(random: Random, level: int) -> tuple[PickyTrace, int]:
    """A run, and the number of its steps before a merge with a learned part that might leave."""
    wanted = random.choice(("leaves", "leaves", "stays", "equals"))
    result = None
    for _attempt in range(MERGING_ATTEMPTS):
        counts, threshold = draw_words(random, SIZES[level]), random.choice(THRESHOLDS)
        trace = train_pickybpe(corpus_of(counts), threshold=threshold)
        later = range(MERGES_BEFORE[level] + 1, len(trace))
        step = next((step for step in later if may_leave(trace, step)), None)
        if step is not None:
            result = trace, step
            if outcome(trace, step + 1) == wanted:
                break
    if result is None:
        raise ValueError(f"No corpus of level {level} merges a learned token.")
    return result


def may_leave(trace: PickyTrace, step: int) -> bool:
    """Whether the next step merges two tokens, one of them learned."""
    if not trace.record.is_merge(step + 1):
        return False
    first, second = trace.pair_of(step + 1)
    return first != second and not {first, second} <= {*trace.alphabet}


def picky_removal(random: Random, level: int) -> Draft:
    """Which tokens leave after the next merge of PickyBPE? Its characters and its result are among the
    choices."""
    trace, step = draw_picky(random, level)
    question = ask_leaving(trace, step, PLAIN)
    assert question is not None  # a learned token is merged
    counts, pair = dict(trace.corpus.items()), trace.pair_of(step + 1)
    threshold = Fraction(trace.settings["threshold"])
    rule = _(
        "After each merge, PickyBPE looks at the two tokens that were merged: which share of a token's places did the merge take? If "
        "it is more than the threshold, the token leaves the vocabulary. Single characters always stay."
    )
    request = fill(
        _(
            "{pair} is merged next. The threshold is {threshold}. What leaves the vocabulary then? ({nothing}: nothing.)"
        ),
        pair=pair_chips(pair),
        threshold=str(float(threshold)),
        nothing=NONE_LEAVES,
    )
    prompt_html = prompt(rule, words_table(trace.splits(step), counts), request)
    letters = [part for part in pair if part in trace.alphabet]
    traps = {"".join(pair): wrong(question.solution, question.worked, "new_token")}
    if letters:
        verdict = wrong(question.solution, question.worked, "characters_too")
        traps |= {letters[0]: verdict, " + ".join(pair): verdict}
    facts = {"words": counts, "step": step, "threshold": threshold, "pair": tuple(pair)}
    more = {"kind": "pickybpe", "threshold": str(float(threshold)), "step": str(step)}
    return Draft(with_traps(question, traps, prompt_html), facts, link_to(trace.algorithm, counts, **more))


# --- parity-aware BPE ---------------------------------------------------------------------------------------

COUNTABLE: Final = ("en", "de", "es", "ru")
"""Languages with characters that a learner can tell apart."""
LANGUAGES_EACH: Final = {1: 2, 2: 3, 3: 3, 4: 4, 5: 3}
LINES_EACH: Final = {1: 1, 2: 1, 3: 1, 4: 1, 5: 2}
LINE_LENGTH: Final = 32
"""Characters of a line, at most: few enough to be counted."""


def draw_parity(random: Random, level: int) -> tuple[dict[str, list[str]], ParityTrace, int]:
    """Parallel lines, and a run with common merges until only rare pairs are left; then one language chooses.
    Ties come from level 3 on."""
    languages = random.sample(COUNTABLE, LANGUAGES_EACH[level])
    texts = {language: parallel_lines()[language] for language in languages}
    short = [row for row in zip(*texts.values(), strict=True) if max(map(len, row)) <= LINE_LENGTH]
    result = None
    for _attempt in range(MERGING_ATTEMPTS):
        rows = random.sample(short, LINES_EACH[level])
        lines = {language: [*own] for language, own in zip(texts, zip(*rows, strict=True), strict=True)}
        corpora = {
            name: Corpus.from_texts(own, pre_tokenizer="whitespace_split_metaspace")
            for name, own in lines.items()
        }
        step = len(train_paritybpe(corpora, merges=100, global_merges=100, min_frequency=2))
        trace = train_paritybpe(corpora, merges=step + 1, global_merges=step)
        tokens = [*trace.parallel_tokens(step).values()]
        if trace.language_at(step + 1):
            result = lines, trace, step
            if level > 2 or tokens.count(max(tokens)) == 1:
                break
    if result is None:
        raise ValueError(f"No lines of level {level} leave a language a pair to choose.")
    return result


def parity_chooser(random: Random, level: int) -> Draft:
    """Which language chooses the next merge?"""
    lines, trace, step = draw_parity(random, level)
    question = ask_chooser(trace, step, PLAIN)
    assert question is not None  # from this step on, one language chooses
    rule = _(
        "In parity-aware BPE the language chooses whose lines take the most tokens: the next merge is the most frequent pair of its "
        "own lines. If languages tie, the first in the table chooses."
    )
    names = {language: language_name(language) for language in lines}
    rows = ((words_in_tokens(trace, step, language), name) for language, name in names.items())
    data = sheet_html((_("Its words, as they are split now"), _("Language")), rows)
    prompt_html = prompt(rule, data, escape(_("Which language chooses the next merge?")))
    packed = pack_text(
        "\n".join("\t".join(row) for row in [tuple(lines), *zip(*lines.values(), strict=True)])
    )
    query = {
        "kind": "paritybpe",
        "corpus": "paste",
        "pre": "whitespace_split_metaspace",
        "together": str(step),
    }
    link = Address(trace.algorithm, {**query, "text": packed, "step": str(step)}) if packed else None
    form = Choice(tuple(sorted(names)), names=names)
    return Draft(replace(question, prompt=prompt_html, form=form), {"parallel": lines, "step": step}, link)


def words_in_tokens(trace: ParityTrace, step: int, language: str) -> str:
    """The words of a language's lines in their tokens, each as often as it occurs: markup."""
    corpus = trace.corpora[language]
    splits = zip(trace.splits(step, corpus.words).values(), corpus.counts, strict=True)
    return " ".join(tokens_in_line(tokens) for tokens, number in splits for _time in range(number))
