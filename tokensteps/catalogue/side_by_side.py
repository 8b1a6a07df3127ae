"""Several tokenizers on one text: frames and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

import pandas as pd

from tokenizers_core.encoding.alignment import Block, Stretch, align, boundary_agreement, word_costs
from tokensteps.catalogue.analysis import Analysis, analyse
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.texts import SENTENCES
from tokensteps.drawing.tokens import PLAIN, chip, token_html
from tokensteps.language.i18n import _, count
from tokensteps.limits import WORDS_LISTED

LETTERS = "ABCD"
"""Short names of the tokenizers, where there is no room for their own."""
CHARACTERS_SHOWN = 3_000
"""The most characters shown side by side."""
WORDS_DRAWN = 12


def letters_html(analyses: Mapping[str, Analysis]) -> str:
    """The legend: the letters of the tokenizers."""
    return "".join(
        f'<span class="who r{letter}"><i>{letter}</i> {escape(analysis.subject.name)}</span>'
        for letter, analysis in analyses.items()
    )


def aligned_html(analyses: Mapping[str, Analysis]) -> str:
    """The text's first characters, one row a tokenizer, aligned where all have a boundary."""
    return f'<div class="ts aligned">{"".join(aligned_lines(analyses))}</div>'


def aligned_lines(analyses: Mapping[str, Analysis]) -> list[str]:
    """The same without the box around it: the legend, and the markup of each line."""
    text = _text(analyses)
    covers, lost = _covers(analyses)
    blocks = align(text, covers, CHARACTERS_SHOWN, lost)
    lines: list[list[Block]] = [[]]
    for block in blocks:
        lines[-1].append(block)
        if "\n" in text[block.start : block.end]:
            lines.append([])
    legend = f'<p class="legend">{letters_html(analyses)}</p>'
    return [legend, *(_line_html(analyses, line) for line in lines if line)]


def _text(analyses: Mapping[str, Analysis]) -> str:
    """The text, the same for all."""
    return next(iter(analyses.values())).text


def _covers(analyses: Mapping[str, Analysis]) -> tuple[list[Sequence[Stretch]], list[frozenset[int]]]:
    """Each one's stretches, and its unknown ones among them."""
    return [one.stretches for one in analyses.values()], [one.lost for one in analyses.values()]


def _line_html(analyses: Mapping[str, Analysis], blocks: Sequence[Block]) -> str:
    tags = "".join(f'<span class="r{letter}"><i>{letter}</i></span>' for letter in analyses)
    drawn = "".join(_block_html(analyses, block) for block in blocks)
    return f'<div class="line" dir="auto"><span class="b who" aria-hidden="true">{tags}</span>{drawn}</div>'


def _block_html(analyses: Mapping[str, Analysis], block: Block) -> str:
    rows = "".join(
        f'<span class="r{letter}">{"".join(_stretch_html(analysis, index) for index in part)}</span>'
        for (letter, analysis), part in zip(analyses.items(), block.parts, strict=True)
    )
    return f'<span class="b{"" if block.agree else " differ"}">{rows}</span>'


def _stretch_html(analysis: Analysis, index: int) -> str:
    """A stretch as a chip with its text, and the number of its tokens if there are several; marked if it is
    unknown."""
    start, end, first, last = analysis.stretches[index]
    text = analysis.text[start:end]
    if first == last:
        return f'<span class="gap">{token_html(text)}</span>'
    token = analysis.subject.token(analysis.ids[first])
    if not text:
        return chip(token, analysis.subject.style, "s")
    if index in analysis.lost:
        return f'{chip(text, PLAIN, "u")}<small class="unk">{escape(_("unk"))}</small>'
    drawn = chip(text, PLAIN)
    return drawn if last - first == 1 else f"{drawn}<sup>{last - first}</sup>"


def text_counts_table(analyses: Mapping[str, Analysis]) -> pd.DataFrame:
    """One row a tokenizer: its cost for the text."""
    rows = [
        {
            _("Tokenizer"): f"{letter} · {analysis.subject.name}",
            _("Algorithm"): analysis.subject.algorithm,
            _("Vocabulary"): analysis.subject.size,
            _("Tokens"): len(analysis),
            _("Tokens per word"): analysis.per_word,
            _("Bytes per token"): analysis.bytes_per_token,
            _("Unknown, %"): 100 * analysis.unknown / len(analysis) if len(analysis) else None,
        }
        for letter, analysis in analyses.items()
    ]
    return pd.DataFrame(rows)


def agreement_table(analyses: Mapping[str, Analysis]) -> pd.DataFrame:
    """How much of their boundaries each two tokenizers share, in percent. Where an unknown token begins is
    shared with nobody."""
    shares = boundary_agreement(_text(analyses), *_covers(analyses))
    names = list(analyses)
    index = pd.Index(names, name=_("Tokenizer"))
    return pd.DataFrame([[100 * share for share in row] for row in shares], index=index, columns=names)


def costliest_words(analyses: Mapping[str, Analysis]) -> pd.DataFrame:
    """The words with the most tokens, one word a row, with the average number of tokens per occurrence."""
    costs = [word_costs(analysis.text, analysis.stretches) for analysis in analyses.values()]
    letters = list(analyses)
    table = pd.DataFrame(
        {"word": [cost.word for cost in costs[0]], "occurrences": [cost.occurrences for cost in costs[0]]}
    )
    for letter, column in zip(letters, costs, strict=True):
        table[letter] = [cost.tokens / cost.occurrences for cost in column]
    table["most"] = table[letters].max(axis=1)
    table["all"] = table["most"] * table["occurrences"]
    return (
        table.sort_values(["most", "all"], ascending=False, kind="stable")
        .head(WORDS_LISTED)
        .drop(columns=["most", "all"])
    )


def words_html(subjects: Mapping[str, ShownTokenizer], words: Sequence[str]) -> str:
    """Words as each tokenizer splits them, each with a space in front, as in running text."""
    rows = []
    for word in words:
        cells = []
        for letter, subject in subjects.items():
            analysis = analyse(subject, f" {word}", specials=False)
            tokens = sum(cost.tokens for cost in word_costs(analysis.text, analysis.stretches))
            cut = "".join(_stretch_html(analysis, index) for index in range(len(analysis.stretches)))
            cells.append(
                f'<span class="r{letter}"><i>{letter}</i> {cut} <small>{count(tokens)}</small></span>'
            )
        rows.append(f'<span class="b">{"".join(cells)}</span>')
    return f'<div class="ts aligned words">{"".join(f"<div class=line>{row}</div>" for row in rows)}</div>'


class Fertility(NamedTuple):
    """How many tokens the sentence takes in a language."""

    language: str
    """Translated."""
    text: str
    tokens: tuple[int, ...]
    """By tokenizer."""
    unknown: tuple[int, ...]
    """How many of them are the unknown token."""

    def premium(self, index: int, first: Fertility) -> float | None:
        """The ratio to the first language's tokens; None where some are unknown and would distort it."""
        known = not self.unknown[index] and not first.unknown[index]
        return self.tokens[index] / first.tokens[index] if known and first.tokens[index] else None


def fertilities(subjects: Mapping[str, ShownTokenizer]) -> list[Fertility]:
    """The same sentence in many languages."""
    results = []
    for sentence in SENTENCES:
        analyses = [analyse(subject, sentence.text, specials=False) for subject in subjects.values()]
        tokens, unknown = tuple(map(len, analyses)), tuple(analysis.unknown for analysis in analyses)
        results.append(Fertility(_(sentence.language), sentence.text, tokens, unknown))
    return results


def fertility_table(rows: Sequence[Fertility], letters: Iterable[str]) -> pd.DataFrame:
    """One row a language: tokens by tokenizer, and their ratio to the first language's."""
    table = []
    for row in rows:
        cells: dict[str, object] = {_("Language"): row.language}
        for index, letter in enumerate(letters):
            cells[_("Tokens {letter}").format(letter=letter)] = row.tokens[index]
            cells[_("× English {letter}").format(letter=letter)] = row.premium(index, rows[0])
            cells[_("Unknown {letter}").format(letter=letter)] = row.unknown[index]
        table.append({**cells, _("Sentence"): row.text})
    return pd.DataFrame(table)
