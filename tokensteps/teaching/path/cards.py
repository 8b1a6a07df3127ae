"""The stations' questions above their pages, with answers from the engine, in the forms and with the grading
of all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Final, NamedTuple

import regex

from tokensteps.catalogue.analysis import Analysis, analyse
from tokensteps.catalogue.choices import GPT2
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.drawing.chips import TextRun, run_chip
from tokensteps.drawing.tokens import Style, chips, fill
from tokensteps.language.i18n import _, count, listed, ngettext, sentences
from tokensteps.language.names import ALGORITHM_NAMES
from tokensteps.language.numbers import FULL_WIDTH
from tokensteps.limits import SENTENCE_LIMIT
from tokensteps.runs.algorithms import BPE, COMPARE_ALGORITHM, UNIGRAM, trace_at
from tokensteps.runs.corpora import EXAMPLES, plain_text
from tokensteps.runs.settings import corpus_title
from tokensteps.teaching.events import merge_at
from tokensteps.teaching.exercises.encoding import bpe_question
from tokensteps.teaching.exercises.unigram import best_question
from tokensteps.teaching.lessons import HOME_QUERY, PLUS
from tokensteps.teaching.path.stations import LONG_WORD, NEW_SIGN, NEW_WORD, SENTENCES_QUERY, STATIONS
from tokensteps.teaching.questions import (
    Entry,
    Question,
    Verdict,
    grade_number,
    grade_split,
    right,
    unread,
    wrong,
)
from tokensteps.teaching.splitting import split_hint

EXAMPLE_WORD: Final = "thunderstorm"
"""A word to be cut by the home page's tokenizer."""
WORD_WITH_LETTERS: Final = regex.compile(r"[\p{L}\p{M}\p{N}_]*\p{L}[\p{L}\p{M}\p{N}_]*")


class Card(NamedTuple):
    """A station's question."""

    make: Callable[[ShownTokenizer | None], Question]
    """Makes the question, with the tokenizer for it."""
    spec: str = ""
    """That tokenizer, for a question about one from a file; "" for none."""


class CutWord(NamedTuple):
    """A word of a text, and its tokens there."""

    text: str
    tokens: int
    runs: Sequence[TextRun]
    spaced: bool
    """Whether a space is before it."""


def one_line(answer: str) -> str:
    """A learner's answer as the home page's sentence."""
    return " ".join(plain_text(answer).split())


def words_cut(analysis: Analysis) -> list[CutWord]:
    """The words with letters, each with the tokens that have any of its characters."""
    result = []
    for match in WORD_WITH_LETTERS.finditer(analysis.text):
        covering = [
            index
            for index, stretch in enumerate(analysis.stretches)
            if stretch.start < match.end() and match.start() < stretch.end
        ]
        runs = analysis.runs(covering[0], covering[-1] + 1)
        tokens = sum(len(run.pieces) for run in runs)
        result.append(CutWord(match[0], tokens, runs, analysis.text[: match.start()].endswith(" ")))
    return result


def _in_row(runs: Sequence[TextRun]) -> str:
    return f'<span class="row">{"".join(map(run_chip, runs))}</span>'


def own_question(_subject: ShownTokenizer | None) -> Question:
    """Which word is cut into pieces?"""
    trace = trace_at(BPE, **HOME_QUERY)
    subject = TrainedSubject(
        corpus_title(HOME_QUERY["corpus"]), trace.tokenizer(len(trace)), trace, len(trace)
    )

    def explain(word: CutWord) -> str:
        message = ngettext(
            "{word} is {number} token: {tokens}.", "{word} is {number} tokens: {tokens}.", word.tokens
        )
        told = fill(
            message, word=f"<b>{escape(word.text)}</b>", number=count(word.tokens), tokens=_in_row(word.runs)
        )
        behind_space = analyse(subject, f" {word.text}")
        if word.tokens == 1 or word.spaced or len(behind_space) > 1:
            return told
        message = _("With a space before it, it would be one token: {token}.")
        whole = _in_row(behind_space.runs(0, len(behind_space.stretches)))
        return sentences(told, fill(message, token=whole))

    def grade(answer: str) -> Verdict:
        words = words_cut(analyse(subject, one_line(answer)[:SENTENCE_LIMIT]))
        if not words:
            return unread(_("Write a word with letters."))
        cut = max(words, key=lambda word: word.tokens)
        if cut.tokens > 1:
            return right(explain(cut))
        whole = escape(
            _("It occurs often in the text that this tokenizer learned from. Rarer words are cut.")
        )
        return wrong(explain(cut), sentences(explain(cut), whole))

    prompt = _(
        "Below, a tokenizer has left some words whole and cut others. Write a word of your own, or a sentence, in which you expect it to cut one."
    )
    [example] = words_cut(analyse(subject, EXAMPLE_WORD))
    return Question(
        "own", escape(prompt), Entry(_("a word of your own")), EXAMPLE_WORD, grade, explain(example)
    )


def new_word_question(_subject: ShownTokenizer | None) -> Question:
    """How is a word unseen in training cut?"""
    trace = trace_at(BPE, corpus="hug")
    question, _facts = bpe_question(trace, len(trace), NEW_WORD)
    merges = listed(PLUS.join(merge_at(trace, step).pair) for step in range(1, len(trace) + 1))
    prompt = fill(
        _(
            "{word} isn't among the five words. Begin with its letters, and go through the merges from the first to the last: {merges}. Which tokens are left?"
        ),
        word=f"<b>{escape(NEW_WORD)}</b>",
        merges=f"<b>{escape(merges)}</b>",
    )
    return replace(question, prompt=prompt)


def bytes_question(_subject: ShownTokenizer | None) -> Question:
    """How many tokens is a sign unseen in training?"""
    trace = trace_at(BPE, **SENTENCES_QUERY)
    tokens = trace.tokenizer(len(trace)).encode(NEW_SIGN).tokens
    data = " ".join(f"{byte:02X}" for byte in NEW_SIGN.encode())
    prompt = fill(
        _(
            "The vocabulary on this page began with one token for each of the 256 bytes, and learned a few merges from four English sentences. In UTF-8, {sign} is the bytes {bytes}. How many tokens is it?"
        ),
        sign=escape(NEW_SIGN),
        bytes=f"<code>{data}</code>",
    )
    text = fill(
        _("{sign}: {tokens}, a token for each byte, as no merge knows them."),
        sign=escape(NEW_SIGN),
        tokens=chips(tokens, Style(byte_level=True)),
    )
    way = escape(_("A character may be one byte or several: count the bytes."))
    return Question(
        "bytes",
        prompt,
        Entry(_("a whole number")),
        str(len(tokens)),
        grade_number(len(tokens), text, text, count(len(tokens))),
        text,
        way,
    )


def gpt2_question(subject: ShownTokenizer | None) -> Question:
    """How does GPT-2 cut a long word?"""
    assert subject is not None  # see `Card.spec`
    offsets = subject.encode(LONG_WORD).offsets
    pieces = tuple(LONG_WORD[start:end] for start, end in offsets)
    text = fill(_("GPT-2 cuts it into {tokens}."), tokens=f'<span class="row">{chips(pieces)}</span>')

    def compare(yours: tuple[str, ...]) -> Verdict:
        fewer, more = (
            _("GPT-2 needs fewer tokens: it has longer ones."),
            _("GPT-2 needs more tokens than that."),
        )
        other = _("That many tokens, but cut elsewhere.")
        hint = more if len(yours) < len(pieces) else fewer if len(yours) > len(pieces) else other
        return wrong(text, escape(hint))

    prompt = fill(
        _(
            "GPT-2's tokenizer learned 50,000 merges from web pages. How does it cut {word}? Guess: which parts occur in many other words?"
        ),
        word=f"<b>{escape(LONG_WORD)}</b>",
    )
    return Question(
        "gpt2",
        prompt,
        Entry(split_hint(LONG_WORD)),
        " ".join(pieces),
        grade_split(LONG_WORD, pieces, compare, explanation=text),
        text,
    )


def lattice_question(_subject: ShownTokenizer | None) -> Question:
    """Which split of a word is the most probable?"""
    question, _facts = best_question(trace_at(UNIGRAM, corpus="hug", size="7"), EXAMPLES["hug"].word)
    prompt = fill(
        _(
            "Each piece has its probability. Cover {word} with pieces: which cut has the greatest product? A tip: few pieces, few factors below 1."
        ),
        word=f"<b>{escape(EXAMPLES['hug'].word)}</b>",
    )
    return replace(question, prompt=prompt)


def differs_question(_subject: ShownTokenizer | None) -> Question:
    """Which word do the three cut differently?"""
    link = next(station.link for station in STATIONS if station.card == "differs")
    query = dict(link.query)
    step = int(query.pop("step"))
    snapshot = trace_at(COMPARE_ALGORITHM, **query)[step]
    cuts = {one.word: one for one in snapshot.disagreements()}
    ways = [word for word, one in cuts.items() if one.apart == "all"]

    def explain(word: str) -> str:
        each = [
            fill(
                _("{algorithm}: {tokens}"),
                algorithm=escape(name),
                tokens=f'<span class="row">{chips(cut)}</span>',
            )
            for name, cut in zip(ALGORITHM_NAMES.values(), cuts[word].cuts, strict=True)
            if cut
        ]
        return fill(_("{facts}."), facts=listed(each))

    def grade(answer: str) -> Verdict:
        word = answer.translate(FULL_WIDTH).strip().lower()
        if word in ways:
            return right(explain(word))
        if word not in snapshot.trace.corpus.words:
            message = _("{word} isn't one of the five words: type one of them.")
            return unread(message.format(word=repr(answer.strip()[:40])))
        mine = (
            explain(word)
            if word in cuts
            else fill(_("All three cut {word} alike."), word=f"<b>{escape(word)}</b>")
        )
        return wrong(mine, mine)

    prompt = _("Which of the five words is cut in three different ways? There are several; one will do.")
    why = explain(ways[0])
    return Question("differs", escape(prompt), Entry(_("one of the words")), ways[0], grade, why)


CARDS: Final[Mapping[str, Card]] = {
    "own": Card(own_question),
    "new_word": Card(new_word_question),
    "bytes": Card(bytes_question),
    "gpt2": Card(gpt2_question, GPT2),
    "lattice": Card(lattice_question),
    "differs": Card(differs_question),
}
"""The questions, by the stations' own names for them."""


def path_facts() -> dict[str, str]:
    """The values of the fields only in the stations' sentences, not in plans."""
    bpe = trace_at(BPE, corpus="hug")
    link = next(station.link for station in STATIONS if any(claim.kind == "even" for claim in station.claims))
    tie = [one for one in bpe.candidates(int(link.query["step"]), 2) if one.tied]
    sentences = trace_at(BPE, **SENTENCES_QUERY)
    return {
        "even_first": PLUS.join(tie[0].pair),
        "even_second": PLUS.join(tie[1].pair),
        "even_freq": count(tie[0].freq),
        "new_word": NEW_WORD,
        "new_pieces": PLUS.join(bpe.tokenizer(len(bpe)).encode(NEW_WORD).tokens),
        "sign": NEW_SIGN,
        "sign_bytes": count(len(sentences.tokenizer(len(sentences)).encode(NEW_SIGN).ids)),
        "long_word": LONG_WORD,
    }
