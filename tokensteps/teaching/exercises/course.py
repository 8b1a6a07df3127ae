"""Questions about the examples of the Hugging Face course, chapter 6; every answer is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from random import Random
from typing import Final

from tokenizers_core import train_bpe, train_unigram, train_wordpiece
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.reading import parse_counts
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import _, sentences
from tokensteps.language.numbers import FULL_WIDTH
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.teaching.exercises.encoding import bpe_question, wordpiece_question
from tokensteps.teaching.exercises.merging import next_pair, scored_words
from tokensteps.teaching.exercises.unigram import best_question, probability_question
from tokensteps.teaching.exercises.words import Address, Draft, corpus_of, prompt, words_table
from tokensteps.teaching.questions import Entry, Question, Verdict, grade_split, right, wrong

COURSE_MERGES: Final = 3
"""The course makes three merges by hand."""
ACCENTS: Final = "Héllò hôw are ü?"


@cache
def words() -> dict[str, int]:
    """hug, pug, pun, bun, hugs with their counts."""
    return dict(parse_counts(EXAMPLES["hug"].text()))


def bpe_run() -> BpeTrace:
    """The course's run of BPE on those words, as the training page opens it."""
    return train_bpe(corpus_of(words()))


def wordpiece_run() -> WordPieceTrace:
    """The same of WordPiece."""
    return train_wordpiece(corpus_of(words()))


def unigram_run() -> UnigramTrace:
    """The same of Unigram."""
    settings = EXAMPLES["hug"].settings_on("unigram")
    return train_unigram(
        corpus_of(words()), settings["seed"], settings["size"], whole_words=settings["whole"], method="course"
    )


def course_address(page: str, step: int) -> Address:
    """The same run on its page."""
    return Address(page, {"corpus": "hug", "step": str(step)})


def next_merge(trace: BpeTrace | WordPieceTrace) -> Draft:
    """The merge after the course's three."""
    algorithm = trace.algorithm
    if trace.ranked_by == "score":
        data = scored_words(trace, COURSE_MERGES, 1)
    else:
        data = words_table(trace[COURSE_MERGES].splits(), words())
    question = next_pair(trace, COURSE_MERGES, data)
    return Draft(
        question,
        {"words": words(), "step": COURSE_MERGES, "ask": algorithm},
        course_address(algorithm, COURSE_MERGES),
    )


def encode_bpe(word: str) -> Draft:
    """A word after three merges of BPE."""
    trace = bpe_run()
    question, facts = bpe_question(trace, COURSE_MERGES, word)
    return Draft(question, {**facts, "ask": "encode_bpe"}, course_address("bpe", COURSE_MERGES))


def encode_wordpiece(word: str) -> Draft:
    """A word after three merges of WordPiece."""
    trace = wordpiece_run()
    question, facts = wordpiece_question(trace, COURSE_MERGES, word)
    return Draft(question, {**facts, "ask": "encode_wordpiece"}, course_address("wordpiece", COURSE_MERGES))


def split_probability(*pieces: str) -> Draft:
    """The probability of a split under the first model of Unigram."""
    trace = unigram_run()
    question, facts = probability_question(trace, pieces)
    return Draft(question, {**facts, "ask": "probability"}, course_address("unigram", 0))


def best_split(word: str) -> Draft:
    """The best split of a word under the same model."""
    trace = unigram_run()
    question, facts = best_question(trace, word)
    return Draft(question, {**facts, "ask": "best"}, course_address("unigram", 0))


def cut_into_words(name: str, pre_tokenizer: str, text: str) -> Draft:
    """Pre-tokenization."""
    true = Pipeline(pre_tokenizer=pre_tokenizer).split(text)
    rules = {
        "bert": _(
            "BERT's pre-tokenizer splits at whitespace and makes each punctuation mark a separate word."
        ),
        "byte_level": _(
            "GPT-2's pre-tokenizer, also used by RoBERTa, groups letters with letters, digits with digits "
            "and other characters with their like; no word mixes two kinds, except endings such as 's."
        ),
    }
    why = fill(_("{name}: {words}."), name=escape(name), words=code_html(true))

    def compare(pieces: tuple[str, ...]) -> Verdict:
        yours = fill(_("You answered {yours}."), yours=code_html(pieces))
        slip = "cut_missing" if len(pieces) < len(true) else "cut_too_many" if len(pieces) > len(true) else ""
        return wrong(sentences(yours, why), yours, slip)

    graded = grade_split(text, true, compare)
    wanted = fill(
        _(
            "Before a tokenizer's model runs, the text is split into words. Which words does {name} split {text} into?"
        ),
        name=escape(name),
        text=f"<code>{escape(text)}</code>",
    )
    question = Question(
        "words",
        prompt(rules[pre_tokenizer], "", wanted),
        Entry(_("the words with a space between them; the whole text if it is not split")),
        " ".join(true),
        lambda answer: right(why) if graded(answer).kind == "right" else graded(answer),
        why,
    )
    facts = {"text": text, "pre_tokenizer": pre_tokenizer, "ask": "words"}
    return Draft(question, facts, Address("pipeline", {"pre": pre_tokenizer, "a": text}))


def normalized(text: str) -> Draft:
    """Normalization."""
    true = " ".join(Pipeline("bert_uncased", "whitespace_split").split(text))
    why = f"<code>{escape(true)}</code>"

    def grade(answer: str) -> Verdict:
        plain = " ".join(answer.translate(FULL_WIDTH).split())
        if plain == true:
            return right(why)
        mine = f"<code>{escape(answer.strip()[:80])}</code>"
        bare = " ".join(Pipeline("strip_accents", "whitespace_split").split(plain))
        slip = "capitals_left" if plain != plain.lower() else "accents_left" if plain != bare else ""
        return wrong(
            fill(_("You answered {yours}; it should be {true}."), yours=mine, true=why),
            fill(_("You answered {yours}."), yours=mine),
            slip,
        )

    question = Question(
        "normalize",
        prompt(
            _("The normalizer of BERT's uncased models strips accents and lowercases all letters."),
            "",
            fill(_("What does {text} become?"), text=f"<code>{escape(text)}</code>"),
        ),
        Entry(_("the whole text")),
        true,
        grade,
        why,
    )
    facts = {"text": text, "ask": "normalize"}
    return Draft(question, facts, Address("pipeline", {"normalizer": "bert_uncased", "a": text}))


def code_html(pieces: Sequence[str]) -> str:
    """Words as they are, side by side."""
    return " ".join(f"<code>{escape(piece)}</code>" for piece in pieces)


QUESTIONS: Final[Mapping[int, tuple[Callable[[], Draft], ...]]] = {
    1: (
        lambda: next_merge(bpe_run()),
        lambda: cut_into_words("GPT-2", "byte_level", "81s"),
        lambda: normalized(ACCENTS),
    ),
    2: (
        lambda: encode_bpe("unhug"),
        lambda: encode_bpe("pugs"),
        lambda: cut_into_words("BERT", "bert", "81s"),
    ),
    3: (lambda: next_merge(wordpiece_run()), lambda: encode_wordpiece("pugs"), lambda: encode_bpe("mug")),
    4: (lambda: split_probability("pu", "g"), lambda: encode_wordpiece("bum"), lambda: encode_bpe("thug")),
    5: (
        lambda: best_split("unhug"),
        lambda: best_split("huggun"),
        lambda: split_probability("p", "u", "g"),
    ),
}
"""By level; the seed picks one."""


def course(random: Random, level: int) -> Draft:
    """One of the questions."""
    return random.choice(QUESTIONS[level])()
