"""The command `measure`: measures of tokenizers on a text, and on the same lines in several languages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import click

from tokenizers_core import Tokenizer, TokenizersCoreError, measure, measure_parallel
from tokenizers_core.files.exports import csv_table
from tokenizers_core.measures import USUAL_ORDER, Measures, ParallelMeasures
from tokensteps.cli.errors import in_options
from tokensteps.cli.streams import by_name, inputs, texts_of, warn_of_invalid, write_data
from tokensteps.cli.training import TEXT, option
from tokensteps.language.measures import OF_TEXT, measure_name, value_of

COUNTED: Final[Mapping[str, str]] = {
    "tokens": "Tokens",
    "words": "Words",
    "characters": "Characters",
    "bytes": "Bytes",
    "different": "Different tokens",
    "size": "Tokens in the vocabulary",
    "unknown": "Unknown tokens",
}
"""A measure's ingredients → their name in a table."""
MeasureRow = list[object]


def parallel_texts(values: Sequence[str], replaced: Counter[str]) -> dict[str, list[str]]:
    """The lines of each language, given as NAME=FILE."""
    named = by_name("--parallel", values, "file, such as en=english.txt")
    if len(named) == 1:
        raise click.UsageError(f"--parallel {values[0]}: a second language is missing; add its --parallel.")
    return {name: [*texts_of([path], replaced)] for name, path in named.items()}


def rows_of(
    measures: Mapping[str, Measures], parallel: Mapping[str, ParallelMeasures], order: float, vocabulary: bool
) -> list[MeasureRow]:
    """A row for each count, measure and language: its name, and a value for each tokenizer."""
    rows: list[MeasureRow] = []
    if measures:
        rows += [[name, *(getattr(one, name) for one in measures.values())] for name in COUNTED]
        rows += [
            [name, *(value_of(one, name, order, vocabulary) for one in measures.values())] for name in OF_TEXT
        ]
    if parallel:
        languages = next(iter(parallel.values())).tokens
        for language in languages:
            rows.append(
                [f"tokens_per_line.{language}", *(one.per_line[language] for one in parallel.values())]
            )
        for language in languages:
            rows.append([f"premium.{language}", *(one.premium[language] for one in parallel.values())])
        rows.append(["gini", *(one.gini for one in parallel.values())])
    return rows


def warn_of_unknown(parallel: Mapping[str, ParallelMeasures]) -> None:
    """Say why a premium is missing: unknown tokens spell nothing."""
    for name, measures in parallel.items():
        if counts := ", ".join(
            f"{number} in {language}" for language, number in measures.unknown.items() if number
        ):
            click.echo(
                f"Warning: {name}: unknown tokens: {counts}. Such a language has no premium; its tokens per line and the Gini "
                "coefficient count each unknown token as one.",
                err=True,
            )


def measure_table(rows: Sequence[MeasureRow], names: Sequence[str]) -> str:
    """Rows for people: measures by their names, columns aligned."""

    def cell(value: object) -> str:
        return "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)

    shown = [["", *names]]
    for name, *values in rows:
        shown.append([row_name(str(name)), *map(cell, values)])
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = (
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(one.rjust(width) for one, width in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in shown
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def row_name(name: str) -> str:
    """The name of a row for people.

    >>> row_name("different"), row_name("gini"), row_name("tokens_per_line.pt.br")
    ('Different tokens', 'Gini coefficient', 'Tokens per line, pt.br')
    """
    if name in (*OF_TEXT, "gini"):
        return measure_name(name)
    what, _dot, language = name.partition(".")
    return COUNTED.get(name, f"{what.replace('_', ' ').capitalize()}, {language}")


def measure_csv(rows: Sequence[MeasureRow], names: Sequence[str]) -> str:
    """A row a measure, for a spreadsheet."""
    return csv_table(["measure", *names], rows)


def measure_json(rows: Sequence[MeasureRow], names: Sequence[str]) -> str:
    """Tokenizer → measure → value."""
    results = {name: {str(row[0]): row[index] for row in rows} for index, name in enumerate(names, start=1)}
    return json.dumps(results, ensure_ascii=False, indent=1) + "\n"


MEASURE_FORMATS: Final[Mapping[str, Callable[[Sequence[MeasureRow], Sequence[str]], str]]] = {
    "table": measure_table,
    "csv": measure_csv,
    "json": measure_json,
}


def column_names(paths: Sequence[str]) -> list[str]:
    """The tokenizers' names in a table: their files', or their whole paths where files are called alike.

    >>> column_names(["a/tokenizer.json", "b.json"]), column_names(["a/tokenizer.json", "b/tokenizer.json"])
    (['tokenizer.json', 'b.json'], ['a/tokenizer.json', 'b/tokenizer.json'])
    """
    short = [click.format_filename(path, shorten=True) for path in paths]
    return short if len({*short}) == len(short) else [*map(click.format_filename, paths)]


def measure_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of measuring."""
    for add in reversed(
        (
            option(
                "--order",
                "The order of Rényi's entropy, from 0 on; 1 is Shannon's.",
                type=click.FloatRange(min=0),
                default=USUAL_ORDER,
                show_default=True,
            ),
            option(
                "--whole-vocabulary vocabulary",
                "Take the Rényi efficiency over the whole vocabulary, not over the tokens that occur.",
                is_flag=True,
            ),
            option(
                "--parallel",
                "The lines of a language, and where they are (en=english.txt); give it once for each language. The same line says "
                "the same in all; premiums are over the first.",
                type=TEXT,
                multiple=True,
                metavar="NAME=FILE",
            ),
            option(
                "--format",
                "table for people, csv for a spreadsheet, json for programs.",
                type=click.Choice(list(MEASURE_FORMATS)),
                default="table",
                show_default=True,
            ),
        )
    ):
        command = add(command)
    return command


def measure_all(
    tokenizers: Mapping[str, Tokenizer],
    files: Sequence[str],
    order: float,
    vocabulary: bool,
    parallel: Sequence[str],
    format: str,
) -> None:
    """Measure the tokenizers, and write the results."""
    replaced: Counter[str] = Counter()
    texts = parallel_texts(parallel, replaced)
    results: dict[str, Measures] = {}
    if files or not texts:
        text = "\n".join(texts_of(inputs(files, "FILES or --parallel"), replaced))
        results = {name: measure(one, text) for name, one in tokenizers.items()}
    lines: dict[str, Any] = {}
    try:
        if texts:
            lines = {name: measure_parallel(one, texts) for name, one in tokenizers.items()}
    except TokenizersCoreError as error:
        raise click.UsageError(in_options(error)) from None
    finally:
        warn_of_invalid(replaced)
    warn_of_unknown(lines)
    write_data(MEASURE_FORMATS[format](rows_of(results, lines, order, vocabulary), [*tokenizers]))
