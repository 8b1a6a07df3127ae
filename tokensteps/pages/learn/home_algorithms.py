"""The table of the three algorithms on the home page and on Compare, and a few words at three steps of their
training.

Everything said about an algorithm comes from a run of the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from tokenizers_core import Corpus, MergeTrace, train_bpe
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing.narration.merging import tell_bpe, tell_wordpiece
from tokensteps.drawing.narration.pruning import tell_unigram
from tokensteps.drawing.narration.text_format import Markup
from tokensteps.drawing.tokens import PLAIN, Style, chips, fill
from tokensteps.language.i18n import N_, _, count, current_language, sentences
from tokensteps.runs.algorithms import BPE, UNIGRAM, WORDPIECE, trace_at
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.server.shared_cache import remembered
from tokensteps.teaching.lessons import Link

GROWING_STYLE = Style(byte_level=True, show="spaces")
GROWING_STAGES = (0, 6, 19)
GROWING_WORDS = ("Ġtokenization", "Ġtokenizer", "Ġtokens")


class Column(NamedTuple):
    """An algorithm in the table: its work, row by row (markup), and a link to the step as an example."""

    name: str
    cells: tuple[str, ...]
    link: Link


ALGORITHM_ROWS = (
    N_("Starts from"),
    N_("Each step"),
    N_("Chooses by"),
    N_("First step on five words"),
    N_("Ends when"),
    N_("Encodes a word by"),
    N_("Used in"),
)


SHORT_ROWS = (1, 2, 3)
"""The rows with the differences, for the home page."""


def known_columns() -> tuple[Column, ...]:
    """The table's columns, computed once per language."""
    result: tuple[Column, ...] = remembered(("home.columns", current_language()), algorithm_columns)
    return result


def algorithm_columns() -> tuple[Column, ...]:
    """The table's columns, in the order of the navigation."""
    return bpe_column(), wordpiece_column(), unigram_column()


def bpe_column() -> Column:
    """BPE on the five words."""
    trace: BpeTrace = trace_at(BPE, corpus="hug")
    return Column(
        "BPE",
        (
            fill(_("the characters of the corpus: {tokens}"), tokens=in_row(trace[0].vocab)),
            escape(_("merges a pair of neighbors into one token, everywhere")),
            escape(_("how often the pair occurs in the corpus")),
            tell_bpe(trace[1], Markup(PLAIN)).lead,
            end_of_merging(trace),
            encoding_of_bug(_("repeating the merges in the order they were learned."), trace),
            "GPT-2, GPT-4, RoBERTa, Llama 3",
        ),
        first_step("bpe"),
    )


def wordpiece_column() -> Column:
    """WordPiece on the five words."""
    trace: WordPieceTrace = trace_at(WORDPIECE, corpus="hug")
    symbols = _("the same characters; ## marks what continues a word: {tokens}")
    return Column(
        "WordPiece",
        (
            fill(symbols, tokens=in_row(trace[0].vocab)),
            escape(_("merges a pair of neighbors, as BPE does")),
            escape(_("the pair's count, divided by the product of its two parts' counts")),
            tell_wordpiece(trace.snapshot(1), Markup(PLAIN)).lead,
            end_of_merging(trace),
            encoding_of_bug(_("taking the longest token that fits, again and again, from the left."), trace),
            "BERT, DistilBERT, ELECTRA",
        ),
        first_step("wordpiece"),
    )


def unigram_column() -> Column:
    """Unigram on the five words."""
    trace: UnigramTrace = trace_at(UNIGRAM, corpus="hug")
    pieces = _("many pieces, here {number}: the characters and the most frequent substrings {tokens}")
    substrings = [piece for piece, _count in trace.seed if len(piece) > 1]
    end = _("the vocabulary is small enough; characters stay. Here after {steps} prunes: {size} pieces")
    return Column(
        "Unigram",
        (
            fill(pieces, number=count(len(trace.seed)), tokens=in_row(substrings)),
            escape(_("prunes a piece that is missed least")),
            escape(_("the loss: how much less probable the corpus would be without the piece")),
            tell_unigram(trace[1], Markup(PLAIN)).lead,
            fill(end, steps=count(len(trace)), size=count(trace.record.sizes[-1])),
            encoding_of_bug(_("finding the most probable of all splits."), trace),
            "T5, ALBERT, XLNet, mBART",
        ),
        first_step("unigram"),
    )


def in_row(tokens: Iterable[str]) -> str:
    """Tokens as chips in one row."""
    return f'<span class="row">{chips(tokens)}</span>'


def end_of_merging(trace: MergeTrace) -> str:
    """The end of merging in general, and its place here."""
    text = _("no pair is left, or the vocabulary is full. Here after {steps} merges: {size} tokens")
    return fill(text, steps=count(len(trace)), size=count(trace.vocab_sizes[-1]))


def encoding_of_bug(how: str, trace: BpeTrace | WordPieceTrace | UnigramTrace) -> str:
    """The trained tokenizer's encoding, and its result for a word not in the corpus."""
    tokens = trace.tokenizer(len(trace)).encode("bug").tokens
    here = fill(_("Trained on the five words, it turns bug into {tokens}"), tokens=in_row(tokens))
    return sentences(escape(how), here)


def first_step(page: str) -> Link:
    """The link to an algorithm's first step on the five words."""
    return Link(N_("See this step: {algorithm}"), page, {"corpus": "hug", "step": "1"})


def algorithms_html(columns: Sequence[Column], indices: Sequence[int] = range(len(ALGORITHM_ROWS))) -> str:
    """The algorithms side by side, in the rows at these indices; on a narrow screen, each cell names its
    algorithm."""
    heads = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in columns)
    rows = "".join(
        f'<tr><th scope="row">{escape(_(ALGORITHM_ROWS[index]))}</th>'
        + "".join(f"<td><b>{escape(column.name)}</b> {column.cells[index]}</td>" for column in columns)
        + "</tr>"
        for index in indices
    )
    return f'<div class="ts glance"><table><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


def growing_words() -> str:
    """Three words of the course's sentences at three steps of their training."""
    lines = EXAMPLES["course"].text().splitlines()
    trace = train_bpe(Corpus.from_texts(lines), 50, special_tokens=("<|endoftext|>",))
    rows = []
    for step in GROWING_STAGES:
        name = fill(_("step {step}"), step=str(step))
        splits = trace[step].splits(GROWING_WORDS)
        words = "".join(
            f'<span class="row">{chips(splits[word], GROWING_STYLE)}</span>' for word in GROWING_WORDS
        )
        rows.append(f'<span class="n">{name}</span><span class="row wide">{words}</span>')
    return f'<div class="ts story">{"".join(rows)}</div>'
