"""The command for stepping through training in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tokenizers_core.training.algorithms import ALGORITHMS, AnyTrace
from tokensteps.cli.streams import write_lines
from tokensteps.cli.terminal.extra import language_option, with_extra
from tokensteps.cli.training import train_with_options, training_options
from tokensteps.language.i18n import use_language


@click.command(
    "step",
    short_help="Train, and step through it in the terminal.",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps step assets/corpora/course.txt --vocab-size 50\n"
    "  python -m tokensteps step --counts assets/corpora/hug.txt -a wordpiece --language ja\n"
    "  python -m tokensteps step assets/corpora/course.txt -a unigram -s 100 | tail -n 3",
)
@training_options
@click.option("--step", "at", help="Begin at this step.  [default: 0]", type=click.IntRange(min=0), default=0)
@language_option
def step_command(at: int, language: str, **options: Any) -> None:
    """Train like the train command, and step through it: the arrow keys go back and on, / searches a token, g
    jumps, q leaves.

    In a pipe, each step is a line: its number, and what happened.
    """
    piped = sys.stdout is None or not sys.stdout.isatty()
    if not piped and "-" in (options["files"] or ("-",)):
        raise click.UsageError(
            "The keys come from standard input, so the text can't; name a file, or pipe the steps out."
        )
    if not piped:
        with with_extra():  # before the training: it may take long
            from tokensteps.cli.terminal.stepper import Stepper
    trace = train_with_options(**options)
    use_language(language)
    if piped:
        write_lines(step_lines(trace, at))
        return
    from tokensteps.drawing.whatif import style_of

    names = ", ".join(Path(name).name for name in options["files"])
    heading = f"{ALGORITHMS[trace.algorithm].title} · {click.format_filename(names)}"
    Stepper(trace, heading, style_of(trace, "spaces"), language, min(at, len(trace))).run()


def step_lines(trace: AnyTrace, first: int) -> Iterator[str]:
    """A line for each step."""
    from tokensteps.drawing.training.step_kinds import STEP_KINDS
    from tokensteps.drawing.whatif import style_of

    draw, style = STEP_KINDS[trace.ranked_by].frame, style_of(trace, "spaces")
    for step in range(min(first, len(trace)), len(trace) + 1):
        yield f"{step}\t{draw(trace[step], style).say}"
