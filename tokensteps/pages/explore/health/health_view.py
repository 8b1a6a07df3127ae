"""A vocabulary's check as figures, as bars (markup), and as rows of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

import pandas as pd

from tokenizers_core.health.makeup import Makeup, kind_of
from tokenizers_core.health.report import Health
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.side_by_side import Fertility
from tokensteps.drawing.narration.health import finding_key, tell_verdict, written_split
from tokensteps.drawing.stage_markup import bar
from tokensteps.drawing.tokens import chips
from tokensteps.language.health import FINDINGS, KIND_WORDS
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.numbers import percent, share_text

LONGEST_BAR: Final = 16
"""Tokens of at least so many characters share a bar."""
UNSPACED_SENTENCES: Final = frozenset("".join(map(chr, range(0x3040, 0x3100))) + "，。、ๆ")
"""A sentence with one of these is in a script without spaces between words."""
NUMBERS_CUT: Final = ("7", "42", "365", "2026", "12345", "1234567", "3.14159", "1,234,567")
CODE_CUT: Final = "def f(x):\n    if x:\n        return [x]\n\tpass\n"


def findings(subject: ShownTokenizer, health: Health) -> dict[str, list[int]]:
    """The ids of the vocabulary by finding, in the order of `FINDINGS`."""
    results: dict[str, list[int]] = {name: [] for name in FINDINGS}
    for identifier, token in enumerate(subject.all_tokens()):
        if token:
            results[finding_key(health.verdicts.get(identifier))].append(identifier)
    return results


def figures_html(groups: Mapping[str, Sequence[int]], health: Health) -> str:
    """The most important numbers in a row."""
    makeup = health.makeup
    total = sum(map(len, groups.values()))
    figures = [
        (_("Tokens"), count(total), "main"),
        (_("No text gives it"), count(len(groups["never"])), "warn" if groups["never"] else ""),
        (_("Not settled"), count(len(groups["open"])), ""),
        (_("Only within other text"), count(len(groups["shown"])), ""),
        (_("Special or added"), count(len(groups["apart"])), ""),
        (_("With a space in front"), share_of(makeup.spaced, makeup.tokens), ""),
        (_("Parts of characters"), count(makeup.kinds.get("bytes", 0)), ""),
    ]
    if makeup.inside:
        figures.insert(-1, (_("Inside words"), share_of(makeup.inside, makeup.tokens), ""))
    cells = "".join(
        f'<div class="{kind}"><dt>{escape(name)}</dt><dd>{figure}</dd></div>'
        for name, figure, kind in figures
    )
    return f'<dl class="ts counts findings">{cells}</dl>'


def findings_table(subject: ShownTokenizer, health: Health, ids: Iterable[int]) -> pd.DataFrame:
    """One row per token, with its finding."""
    rows = []
    for identifier in ids:
        data, verdict = subject.token_bytes(identifier), health.verdicts.get(identifier)
        kind = "" if verdict is not None and verdict.kind == "apart" else _(KIND_WORDS[kind_of(data)])
        rows.append(
            (
                identifier,
                subject.token(identifier),
                _(FINDINGS[finding_key(verdict)]),
                tell_verdict(verdict),
                kind,
                len(data),
                data.hex(" ").upper(),
            )
        )
    names = (_("Id"), _("Token"), _("Finding"), _("Why"), _("Consists of"), _("Length in bytes"), _("Bytes"))
    return pd.DataFrame(rows, columns=list(names))


def share_of(part: int, whole: int) -> str:
    """A share of tokens as a percentage.

    >>> share_of(1, 4), share_of(0, 4), share_of(0, 0)
    ('25.0 %', '0 %', '0 %')
    """
    return share_text(part / whole) if part else percent("0")


def bars_html(title: str, rows: Sequence[tuple[str, int]], total: int) -> str:
    """Shares of a whole as bars, each with its number."""
    most = max((number for _name, number in rows), default=1) or 1
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{bar(number / most) if number else ''}</td><td>{count(number)}</td>"
        f"<td>{share_of(number, total)}</td></tr>"
        for name, number in rows
    )
    return f'<table class="ts shares"><caption>{escape(title)}</caption>{cells}</table>'


def kinds_html(makeup: Makeup) -> str:
    """The tokens' ingredients."""
    rows = [(_(KIND_WORDS[kind]), number) for kind, number in makeup.kinds.items()]
    return bars_html(_("By script"), rows, makeup.tokens)


def lengths_html(makeup: Makeup) -> str:
    """The lengths of the tokens."""
    rows = [
        (count(length), makeup.lengths.get(length, 0))
        for length in range(1, min(max(makeup.lengths, default=1), LONGEST_BAR - 1) + 1)
    ]
    if longer := sum(number for length, number in makeup.lengths.items() if length >= LONGEST_BAR):
        rows.append((_("{length} or more").format(length=count(LONGEST_BAR)), longer))
    return bars_html(_("By length in characters"), rows, makeup.tokens)


def tell_digits(makeup: Makeup) -> str:
    """For each number of digits, how many of all such numbers are tokens."""
    lines = [
        ngettext("{digits} digit: {number}", "{digits} digits: {number}", digits).format(
            digits=count(digits), number=count(number)
        )
        for digits, number in makeup.digits.items()
    ]
    return _("Tokens of digits alone, with or without a space in front: {told}").format(
        told=" · ".join(lines) if lines else _("none")
    )


def tell_spaces(makeup: Makeup) -> str:
    """The lengths of the tokens of nothing but spaces, tabs or line feeds."""
    names = {" ": _("spaces: {lengths}"), "\t": _("tabs: {lengths}"), "\n": _("line feeds: {lengths}")}
    lines = [
        names[sign].format(lengths=ranges(lengths)) for sign, lengths in makeup.spaces.items() if lengths
    ]
    return _("Tokens of nothing but white space, by length: {told}").format(
        told=" · ".join(lines) if lines else _("none")
    )


def ranges(numbers: Sequence[int]) -> str:
    """Whole numbers in order, runs of them shortened.

    >>> ranges((1, 2, 3, 4, 8, 16, 17))
    '1–4, 8, 16–17'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in runs)


def cuts_html(subject: ShownTokenizer, texts: Iterable[str]) -> str:
    """The tokenizer's cuts of some texts, one a row, with visible white space."""
    rows, style = [], subject.style._replace(show="spaces")
    for text in texts:
        tokens = [subject.token(identifier) for identifier in subject.encode(text, specials=False).ids]
        rows.append(f'<p class="row">{chips(tokens, style)}</p>')
    return f'<div class="ts cuts">{"".join(rows)}</div>'


def doubles_table(subject: ShownTokenizer, groups: Iterable[Sequence[int]]) -> pd.DataFrame:
    """One row per group of tokens with the same result."""
    rows = [
        (
            len(group),
            written_split([subject.token(one) for one in group]).replace(" + ", "  "),
            " ".join(map(str, group)),
        )
        for group in groups
    ]
    return pd.DataFrame(rows, columns=[_("How many"), _("Tokens"), _("Ids")])


def longest_table(subject: ShownTokenizer, ids: Iterable[int]) -> pd.DataFrame:
    """The longest tokens."""
    rows = []
    for identifier in ids:
        data = subject.token_bytes(identifier)
        text = data.decode("utf-8", "replace")
        rows.append((identifier, subject.token(identifier), text, len(text), len(data)))
    columns = [_("Id"), _("Token"), _("Text"), _("Length in characters"), _("Length in bytes")]
    return pd.DataFrame(rows, columns=columns)


def languages_table(rows: Sequence[Fertility]) -> pd.DataFrame:
    """The cost of one sentence in each language."""
    table = []
    for row in rows:
        tokens, known = row.tokens[0], not row.unknown[0]  # unknown tokens spell nothing, so they are few
        words = None if UNSPACED_SENTENCES & set(row.text) else len(row.text.split())
        table.append(
            {
                _("Language"): row.language,
                _("Tokens"): tokens,
                _("Tokens per word"): tokens / words if words and known else None,
                _("Tokens per character"): tokens / len(row.text) if known else None,
                _("× English"): row.premium(0, rows[0]),
                _("Unknown"): row.unknown[0],
                _("Sentence"): row.text,
            }
        )
    return pd.DataFrame(table)
