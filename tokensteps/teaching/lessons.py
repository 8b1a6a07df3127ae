"""Lesson plans for a teacher: data, each activity with its link. The path for a learner is in
`tokensteps/teaching/path/`.

Figures are not written here: a sentence has fields, and `facts` gets their values from runs of the engine. A
text's claims about its link's page are listed beside it, and `tests/app/teaching/test_lessons.py` checks each
claim.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Literal, NamedTuple
from urllib.parse import urlencode

from tokenizers_core import TIE_RULES
from tokenizers_core.counterfactual.recounting import retrain, with_count
from tokenizers_core.counterfactual.tipping import tippings
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.kinds.paritybpe import ParityTrace
from tokensteps.catalogue.shipped import gpt2
from tokensteps.drawing.handout import filled, standalone_page
from tokensteps.drawing.mark import mark
from tokensteps.drawing.training.languages import gini_of_lines
from tokensteps.language.i18n import N_, _, count, current_language, listed, sentences, together
from tokensteps.language.names import choice_name, language_name
from tokensteps.language.numbers import nats, share_text
from tokensteps.language.pages import PAGES
from tokensteps.runs.algorithms import BPE, UNIGRAM, WORDPIECE, trace_at
from tokensteps.runs.corpora import EXAMPLES, pack_text
from tokensteps.teaching.events import merge_at, prune_at, scored, wordpiece_merge_at
from tokensteps.teaching.scenes.scene_questions import SPELLED_WORD, parallel_costs, times_as, tokens_of

HOME_QUERY: Mapping[str, str] = MappingProxyType({"corpus": "library", "size": "2000"})
"""The home page's tokenizer. Its vocabulary is smaller than the number of different words in its corpus: that
is the point."""
PLUS = "\u00a0+\u00a0"
"""Between the parts of a merge or a split: no line break there."""
NOTHING: Mapping[str, str] = MappingProxyType({})
WALK_PARAMETER = "walk"
"""In an address: which plan, or the path, and the number of the stop. The strip with the activity goes along
from there."""


class Link(NamedTuple):
    """A place in the app: its label (to be translated), its page (a key of `PAGES`), its address's
    parameters."""

    label: str
    page: str
    query: Mapping[str, str] = NOTHING
    tab: str = ""
    """The tab under the stage to open as well, if a plan or the path leads there (to be translated); "" for
    none."""


class Claim(NamedTuple):
    """A text's claim about its link's page."""

    kind: Literal[
        "even",  # two pairs are equally frequent after some merges of the five words
        "replays",  # a word that training hasn't seen is encoded in known pieces
        "bytes",  # a sign that training hasn't seen is as many tokens as bytes
        "three_ways",  # some words are cut in three ways, others are not
        "gpt2",  # GPT-2 cuts a word once
        "ways",  # the home page splits a sentence in three ways, and each has its price
        "pieces",  # the home page's tokenizer leaves frequent words whole, splits rare ones, and knows every word
        "asks",  # the page asks for these facts and shows none of them
        "merges",  # what is merged at the link's step, or next; how often it occurs, and where
        "follow",  # the merges after that
        "ends",  # after so many merges every word is one token
        "neighbors",  # a merge changes only the counts of its neighbors
        "ties",  # so many pairs are equally frequent, and which goes first
        "apart",  # under another rule, so many tokens differ each way: the tab shows which, and where the runs diverge
        "scores",  # two pairs' scores, of which the more frequent pair has the lower one
        "prunes",  # the cheapest prune, the first to cost something, and a word that it re-segments
        "splits",  # in how many ways a word can be split, and which is best
        "samples",  # how often the best split is expected among random samples of all splits
        "encodes",  # new words, one in pieces that are known, and letters that are not
        "disagree",  # words that one vocabulary has whole and another splits, in a tab
        "errata",  # published figures, each with a link to the step in question
        "costs",  # the language that takes GPT-2 the most tokens for the same sentences, and how many times those of English
        "spells",  # a word, its letters and its tokens for GPT-2
        "parity",  # what some languages take after the merges that the worst-served one chose, and after as many of plain BPE
        "tips",  # how many more of a word it takes for another pair to be merged first
    ]
    facts: tuple[str, ...] = ()
    """The fields of the text based on it."""


class Activity(NamedTuple):
    """Some minutes of a lesson: what the teacher does and the class answers (to be translated, with
    fields)."""

    minutes: int
    teacher: str
    answer: str
    claims: tuple[Claim, ...]
    link: Link | None = None
    """The link to its page; None for the home page, where the plans are."""
    ask: str = ""
    """The question for the whole class there, a key of `ASK_NAMES`; "" for none."""


class Lesson(NamedTuple):
    """A plan for a lesson."""

    minutes: int
    title: str
    aim: str
    activities: tuple[Activity, ...]


def playground_query(example: str) -> dict[str, str]:
    """The playground with BPE trained on an example, and the example's sample text."""
    return {"t1": f"bpe?corpus={example}", "text": pack_text(EXAMPLES[example].sample) or ""}


PREDICT_LINK = Link(
    N_("Predict what comes next before you see it"), "bpe", {"corpus": "hug", "mode": "predict"}
)
TO_COUNT_LINK = Link(
    N_("The same five words, before the pairs are counted"),
    "bpe",
    {"corpus": "hug", "mode": "predict", "ask": "pair"},
)
GO_ON_LINK = Link(
    N_("Predict what comes after the first merge"),
    "bpe",
    {"corpus": "hug", "mode": "predict", "ask": "pair", "step": "1"},
)
TIE_LINK = Link(N_("A tie: several pairs are equally frequent"), "bpe", {"corpus": "course", "step": "2"})
TIES_LINK = TIE_LINK._replace(tab=N_("Ties"))
TO_SCORE_LINK = Link(
    N_("The same words with WordPiece, before the scores are known"),
    "wordpiece",
    {"corpus": "hug", "mode": "predict", "ask": "pair"},
)
PRUNE_LINK = Link(N_("Unigram: a prune, and what it costs"), "unigram", {"corpus": "hug", "step": "6"})
TO_PRUNE_LINK = Link(
    N_("Unigram, before the first prune that costs something"),
    "unigram",
    {"corpus": "hug", "mode": "predict", "ask": "piece", "step": "5"},
)
LATTICE_LINK = Link(
    N_("The lattice: every split of a word at once"), "unigram", {"corpus": "hug", "step": "0"}, N_("Lattice")
)
SAMPLES_LINK = Link(
    N_("Unigram: splits at random"), "unigram", {"corpus": "hug", "step": "0"}, N_("Sample at random")
)
ENCODE_LINK = Link(N_("Encode new text with what was learned"), "playground", playground_query("hug"))
COMPARE_LINK = Link(
    N_("The three algorithms side by side, at every vocabulary size"),
    "compare",
    {"corpus": "course", "step": "28"},
    N_("Where they disagree"),
)
PIPELINE_LINK = Link(N_("One text through the whole pipeline, from characters to ids and back"), "pipeline")
WHATIF_LINK = Link(
    N_("One more of a word, and one more: when is another pair merged?"),
    "whatif",
    {"t1": "bpe?corpus=hug", "of": "pun", "step": "12"},
)
MATTERS_LINK = Link(N_("Why it matters: letters, numbers, languages, code"), "matters")
LANGUAGES_LINK = Link(
    N_("The same forty sentences in six languages"), "matters", {"scene": "languages", "forty": "1"}
)
PARITY_LINK = Link(
    N_("The language that is served worst chooses the next merge"),
    "bpe",
    {"corpus": "parallel", "step": "90"},
    N_("About this kind"),
)
LETTERS_LINK = Link(N_("What a model gets instead of letters"), "matters", {"scene": "letters"})
CHALLENGE_LINK = Link(N_("Challenges: set one for your class, then check the answers"), "challenge")
ERRATA_LINK = Link(N_("Where published figures are wrong"), "errata")
GLOSSARY_LINK = Link(N_("Every technical term, in one or two sentences"), "glossary")

PRACTICE: tuple[Link, ...] = (PREDICT_LINK, CHALLENGE_LINK, ERRATA_LINK, GLOSSARY_LINK)
"""More pages for learners to test themselves."""

LESSONS: tuple[Lesson, ...] = (
    Lesson(
        10,
        N_("What is a token?"),
        N_("Students can say what a token is and how a merge is chosen."),
        (
            Activity(
                2,
                N_(
                    "Type a sentence from the class into the box on the home page. Ask which words stay whole, and why."
                ),
                N_("Frequent words get a token of their own; rare ones are split into pieces."),
                (Claim("pieces"),),
            ),
            Activity(
                4,
                N_(
                    "Write the five words and their counts on the board. Have the class count neighbors, then enter its answer."
                ),
                N_("{bpe_pair}, {bpe_freq} times: in {bpe_words}."),
                (Claim("asks", ("bpe_pair",)), Claim("merges", ("bpe_freq", "bpe_words"))),
                TO_COUNT_LINK,
                "pair",
            ),
            Activity(
                3,
                N_("Before each of the next steps, ask which pair comes next; the page says who is right."),
                N_("The most frequent pair left: {bpe_next}."),
                (Claim("asks"), Claim("follow", ("bpe_next",))),
                GO_ON_LINK,
                "pair",
            ),
            Activity(
                1,
                N_("Ask what a model sees of a word it has never met."),
                N_("Its pieces: no word is unknown as long as its characters are known."),
                (Claim("pieces"),),
            ),
        ),
    ),
    Lesson(
        30,
        N_("Two ways to choose a pair"),
        N_("Students can run BPE by hand and say how WordPiece differs."),
        (
            Activity(
                3,
                N_(
                    "On the home page, show a sentence as characters, words and subwords. Ask what each choice costs."
                ),
                N_(
                    "Characters: many pieces. Words: a large vocabulary, and unknown words. Subwords: a bit of both."
                ),
                (Claim("ways"),),
            ),
            Activity(
                8,
                N_("Run BPE on five words: groups count the pairs, and one group names the next merge."),
                N_("{bpe_pair} first, {bpe_freq} times. After {bpe_merges} merges every word is one token."),
                (
                    Claim("asks", ("bpe_pair",)),
                    Claim("merges", ("bpe_freq",)),
                    Claim("ends", ("bpe_merges",)),
                ),
                TO_COUNT_LINK,
                "pair",
            ),
            Activity(
                4,
                N_("Stop at a tie. Ask whether it matters which of the pairs goes first."),
                N_(
                    "{tied} pairs occur {tie_freq} times each; {tie_pair} was met first. With {tie_other}, "
                    "{apart} tokens of the vocabulary are others: the Ties tab lists them."
                ),
                (Claim("ties", ("tied", "tie_freq", "tie_pair")), Claim("apart", ("apart", "tie_other"))),
                TIE_LINK,
            ),
            Activity(
                8,
                N_(
                    "The same words with WordPiece: have the class work out the scores of {wp_frequent} and {wp_pair}. Which pair is merged?"
                ),
                N_(
                    "{wp_pair}: {wp_sum} = {wp_score}. {wp_frequent}: {wp_frequent_sum} = {wp_frequent_score}."
                ),
                (
                    Claim("asks", ("wp_sum", "wp_score", "wp_frequent_sum", "wp_frequent_score")),
                    Claim("scores", ("wp_pair", "wp_frequent")),
                ),
                TO_SCORE_LINK,
                "pair",
            ),
            Activity(
                3,
                N_("Encode new words. Ask what happens to letters that are not in the training text."),
                N_("bug becomes {bug}; {unseen} never occurred in the training text, so they are unknown."),
                (Claim("encodes", ("bug", "unseen")),),
                ENCODE_LINK,
            ),
            Activity(
                4,
                N_(
                    "The same sentences in six languages: ask in which of them a model that charges by the token costs most, and why. Let the class set the price."
                ),
                N_(
                    "{dear}: {dear_tokens} tokens with GPT-2, {dear_times} times the {cheap_tokens} of English. Its vocabulary was learned from English web pages."
                ),
                (Claim("costs", ("dear", "dear_tokens", "dear_times", "cheap_tokens")),),
                LANGUAGES_LINK,
            ),
        ),
    ),
    Lesson(
        90,
        N_("Three algorithms, from counting to probability"),
        N_("Students can explain all three algorithms on five words and compare them on a text."),
        (
            Activity(
                8,
                N_(
                    "Sentences from the class on the home page: characters, words, subwords. Collect what each choice costs."
                ),
                N_("Pieces, vocabulary and unknown words: no choice is best in all three."),
                (Claim("ways"),),
            ),
            Activity(
                10,
                N_(
                    "BPE by hand, in groups. Then go through the steps together, and watch which counts change."
                ),
                N_("{bpe_pair} first, {bpe_freq} times; a merge changes only the counts of its neighbors."),
                (Claim("asks", ("bpe_pair",)), Claim("merges", ("bpe_freq",)), Claim("neighbors")),
                TO_COUNT_LINK,
                "pair",
            ),
            Activity(
                5,
                N_(
                    "Ask how many more {tip_word} it would take for another pair to be merged first. Then drag the count on the page."
                ),
                N_(
                    "{tip_more} more: then {tip_pair} occurs {tip_freq} times, and {bpe_pair} only {bpe_freq}."
                ),
                (Claim("tips", ("tip_word", "tip_more", "tip_pair", "tip_freq", "bpe_pair", "bpe_freq")),),
                WHATIF_LINK,
            ),
            Activity(
                5,
                N_("A tie. Show the Ties tab, and go to the step where another rule diverges."),
                N_("{tied} pairs occur {tie_freq} times each. The data doesn't decide: the rule does."),
                (Claim("ties", ("tied", "tie_freq")), Claim("apart")),
                TIES_LINK,
            ),
            Activity(
                10,
                N_(
                    "The same words with WordPiece: have the class work out the scores of {wp_frequent} and {wp_pair}. Which pair is merged?"
                ),
                N_(
                    "{wp_pair}: {wp_sum} = {wp_score}. {wp_frequent}: {wp_frequent_sum} = {wp_frequent_score}."
                ),
                (
                    Claim("asks", ("wp_sum", "wp_score", "wp_frequent_sum", "wp_frequent_score")),
                    Claim("scores", ("wp_pair", "wp_frequent")),
                ),
                TO_SCORE_LINK,
                "pair",
            ),
            Activity(
                10,
                N_(
                    "Unigram: ask which piece costs least to remove. Enter the answer, and the page shows the prune and what it costs."
                ),
                N_("Pruning {piece} turns {word} from {before} into {after}, which costs {loss} nats."),
                (Claim("asks", ("piece", "loss", "after")), Claim("prunes", ("word", "before"))),
                TO_PRUNE_LINK,
                "piece",
            ),
            Activity(
                10,
                N_(
                    "The Lattice tab, below the step (in projector mode, press F5): have the class count the splits of a word, then step through the Viterbi algorithm."
                ),
                N_("{paths} splits of {lattice_word}; the best is {best}."),
                (Claim("splits", ("paths", "lattice_word", "best")),),
                LATTICE_LINK,
            ),
            Activity(
                5,
                N_(
                    "The tab Sample at random: ask how often the best split of {lattice_word} will come up, then sample."
                ),
                N_(
                    "{best} in about {best_share} of the samples: its probability, divided by that of all {paths} splits."
                ),
                (Claim("splits", ("lattice_word", "best", "paths")), Claim("samples", ("best_share",))),
                SAMPLES_LINK,
            ),
            Activity(
                8,
                N_(
                    "Compare all three on four sentences. Have the class say where they cut differently, and why."
                ),
                N_(
                    "Words that stay whole in one vocabulary are split in another; the “Where they disagree” tab lists them."
                ),
                (Claim("disagree"),),
                COMPARE_LINK,
            ),
            Activity(
                3,
                N_(
                    "Ask how many r are in {spelled}, and what a model sees of them. Then try words of the class."
                ),
                N_(
                    "None: instead of {spelled_letters} letters, GPT-2 gets {spelled_tokens} tokens, {spelled_pieces}."
                ),
                (Claim("spells", ("spelled", "spelled_letters", "spelled_tokens", "spelled_pieces")),),
                LETTERS_LINK,
            ),
            Activity(
                5,
                N_(
                    "The same sentences in six languages: ask in which of them a model that charges by the token costs most, and why. Let the class set the price."
                ),
                N_(
                    "{dear}: {dear_tokens} tokens with GPT-2, {dear_times} times the {cheap_tokens} of English. Its vocabulary was learned from English web pages."
                ),
                (Claim("costs", ("dear", "dear_tokens", "dear_times", "cheap_tokens")),),
                LANGUAGES_LINK,
            ),
            Activity(
                6,
                N_(
                    "What came after BPE: parity-aware BPE, on the same forty lines. Ask which language chooses, and who pays for it. Then open the tab “About this kind”, which has plain BPE beside it. “Kind” in the sidebar leads to SuperBPE and PickyBPE."
                ),
                N_(
                    "The language with the most tokens. After {parity_merges} merges, Russian takes {parity_ru} tokens instead of {plain_ru}, and English {parity_en} instead of {plain_en}; the Gini coefficient is {parity_gini} instead of {plain_gini}."
                ),
                (
                    Claim(
                        "parity",
                        (
                            "parity_merges",
                            "parity_ru",
                            "plain_ru",
                            "parity_en",
                            "plain_en",
                            "parity_gini",
                            "plain_gini",
                        ),
                    ),
                ),
                PARITY_LINK,
                "language",
            ),
            Activity(
                5,
                N_("Homework: find the wrong figure in a published example, and correct it."),
                N_("Each one is worked out on the page, and its link opens the step."),
                (Claim("errata"),),
                ERRATA_LINK,
            ),
        ),
    ),
)


def facts() -> dict[str, str]:
    """The values of the sentences' fields, from runs at the same addresses as the links."""
    return {**_merge_facts(), **_prune_facts(), **_scene_facts(), **_parity_facts()}


def _scene_facts() -> dict[str, str]:
    """GPT-2's tokens of the scenes' own texts."""
    costs, pieces = parallel_costs(gpt2()), tokens_of(gpt2(), SPELLED_WORD)
    dearest = max(costs, key=costs.__getitem__)
    return {
        "dear": language_name(dearest),
        "dear_tokens": count(costs[dearest]),
        "dear_times": times_as(costs[dearest], costs["en"]),
        "cheap_tokens": count(costs["en"]),
        "spelled": SPELLED_WORD,
        "spelled_letters": count(len(SPELLED_WORD)),
        "spelled_tokens": count(len(pieces)),
        "spelled_pieces": PLUS.join(pieces),
    }


def _parity_facts() -> dict[str, str]:
    """The forty lines in tokens of parity-aware BPE and of plain BPE."""
    trace, step = trace_at(BPE, corpus="parallel"), int(PARITY_LINK.query["step"])
    assert isinstance(trace, ParityTrace)  # the kind for which that corpus is there
    tokens = {"parity": trace.parallel_tokens(step), "plain": trace.plain_tokens(step)}
    return {
        "parity_merges": count(step),
        **{f"{kind}_{name}": count(own[name]) for kind, own in tokens.items() for name in ("en", "ru")},
        **{f"{kind}_gini": gini_of_lines(trace, own) for kind, own in tokens.items()},
    }


def _tip_facts(bpe: BpeTrace) -> dict[str, str]:
    """The change that tips the first merge, and the new first pair."""
    word = WHATIF_LINK.query["of"]
    tip = tippings(bpe, 1, [word])[word].more
    assert tip is not None  # a fact of the corpus
    other = with_count(bpe.corpus, word, bpe.word_frequencies[word] + tip.change)
    first = merge_at(retrain(bpe, other, 1), 1)
    return {
        "tip_word": word,
        "tip_more": count(tip.change),
        "tip_pair": PLUS.join(first.pair),
        "tip_freq": count(first.freq),
    }


def _merge_facts() -> dict[str, str]:
    bpe, course = trace_at(BPE, corpus="hug"), trace_at(BPE, corpus="course")
    tie = merge_at(course, int(TIE_LINK.query["step"]))
    other = next(rule for rule in TIE_RULES if rule != course.settings["tie_rule"])
    apart = {*course.step_of_token} - {*trace_at(BPE, corpus="course", ties=other).step_of_token}
    first = merge_at(bpe, 1)
    wordpiece = trace_at(WORDPIECE, corpus="hug")
    event = wordpiece_merge_at(wordpiece, 1)
    chosen, frequent = scored(event.candidates[0]), event.most_frequent
    sample = EXAMPLES["hug"].sample
    return {
        "words": listed(
            f"{word} {count(number)}"
            for word, number in zip(bpe.corpus.words, bpe.corpus.counts, strict=True)
        ),
        "bpe_pair": PLUS.join(first.pair),
        "bpe_freq": count(first.freq),
        "bpe_words": together(first.words),
        "bpe_next": listed(PLUS.join(merge_at(bpe, step).pair) for step in (2, 3, 4)),
        "bpe_merges": count(len(bpe)),
        **_tip_facts(bpe),
        "tie_step": TIE_LINK.query["step"],
        "tie_pair": PLUS.join(tie.pair),
        "tied": count(tie.tied_count),
        "tie_other": choice_name("ties", other),
        "apart": count(len(apart)),
        "tie_freq": count(tie.freq),
        "wp_pair": PLUS.join(event.pair),
        "wp_score": str(chosen.score),
        "wp_sum": f"{chosen.freq} / ({chosen.first_freq} × {chosen.second_freq})",
        "wp_frequent": PLUS.join(frequent.pair),
        "wp_frequent_score": str(frequent.score),
        "wp_frequent_sum": f"{frequent.freq} / ({frequent.first_freq} × {frequent.second_freq})",
        "sample": sample,
        "unseen": together(sorted({*sample} - {*"".join(bpe.corpus.words), " "})),
        "bug": PLUS.join(bpe.tokenizer(len(bpe)).encode("bug").tokens),
    }


def _prune_facts() -> dict[str, str]:
    unigram = trace_at(UNIGRAM, corpus="hug", size="7")
    event = prune_at(unigram, int(PRUNE_LINK.query["step"]))
    resplit = event.resplits[0]
    word = EXAMPLES["hug"].word
    lattice = unigram[0].lattice(word)
    best = lattice.best()
    return {
        "piece": event.piece,
        "loss": nats(event.loss),
        "word": resplit.word,
        "before": PLUS.join(resplit.before),
        "after": PLUS.join(resplit.after),
        "lattice_word": word,
        "paths": count(lattice.path_count),
        "best": PLUS.join(best.pieces) if best else "",
        "best_share": share_text(math.exp(best.log_probability - lattice.log_total)) if best else "",
    }


def say(message: str, known: Mapping[str, str]) -> str:
    """A sentence in the language in use, its fields filled in: plain text."""
    return _(message).format(**known)


def teacher_text(activity: Activity, known: Mapping[str, str]) -> str:
    """The teacher's part, and the way to ask a live class: plain text."""
    asks = _("In a live class, press A: everybody answers on their own device.") if activity.ask else ""
    return sentences(say(activity.teacher, known), asks)


def activity_html(start: int, minutes: int, teacher: str, answer: str, here: bool = False) -> str:
    """An activity: its time, the teacher's part, and the class's answer; `here` marks the current one."""
    unit, answers = escape(_("min")), escape(_("Expected answer:"))
    return (
        f'<div class="ts activity{" here" if here else ""}"><span class="when">{start}–{start + minutes}<small>{unit}</small></span>'
        f"<p>{escape(teacher)}</p><p><b>{answers}</b> {escape(answer)}</p></div>"
    )


def lesson_page(
    lesson: Lesson, known: Mapping[str, str], address: str, language: Mapping[str, str] = NOTHING
) -> str:
    """A plan as a page of its own, for printing; `address` is the app's, and `language` its links' parameter
    for the language."""
    names = (_("Minutes"), _("Teacher"), _("Class"))
    rows, start = [], 0
    for number, activity in enumerate(lesson.activities, start=1):
        link = activity.link
        page, query = ("home", NOTHING) if link is None else (link.page, link.query)
        position = {WALK_PARAMETER: f"{lesson.minutes}.{number}"}
        target = f"{address}/{PAGES[page].path}?{urlencode({**query, **position, **language})}"
        rows.append(
            filled(
                "lesson-row",
                minutes=f"{start}–{start + activity.minutes}",
                teacher=escape(teacher_text(activity, known)),
                address=escape(target),
                answer=escape(say(activity.answer, known)),
            )
        )
        start += activity.minutes
    return standalone_page(
        "lesson",
        _(lesson.title),
        language=current_language(),
        styles=("handout/lesson.css", "handout/mark.css"),
        mark=mark(),
        aim=escape(say(lesson.aim, known)),
        heads="".join(f"<th>{escape(name)}</th>" for name in names),
        rows="\n".join(rows),
    )
