"""The command `count`: from text to a file of word counts, by itself or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from tokenizers_core.errors import EmptyCorpusError
from tokenizers_core.text.counting import WordCounts, counts_tsv, least_minimum, without_rare
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.cli.streams import (
    counted,
    input_name,
    inputs,
    meter,
    refuse_to_overwrite,
    refuse_what_is_no_text,
    tell,
    warn_of_invalid,
    write_output,
)
from tokensteps.cli.training import (
    AS_TEXT,
    POSITIVE,
    QUIET,
    TEXT,
    nothing_to_train_on,
    option,
    output_options,
    pipeline_options,
    pipeline_settings,
    read_corpus,
)
from tokensteps.limits import UPLOAD_LIMIT

COUNTING_OPTIONS: Final = (
    click.argument("files", nargs=-1, metavar="[FILES]..."),
    *pipeline_options("byte_level"),
    option(
        "--minimum -m",
        "Leave out words that occur fewer times than this. Their characters may then be missing from a vocabulary.",
        type=POSITIVE,
        default=1,
        show_default=True,
    ),
    option(
        "--workers",
        "Count on so many processes of this machine, with Dask.",
        type=POSITIVE,
        metavar="N",
        usual="one process, without Dask",
    ),
    option(
        "--scheduler",
        "Count on the Dask cluster whose scheduler has this address, such as tcp://10.0.0.5:8786. The scheduler and its "
        "workers need this folder on their Python path, and the workers the files under the same names.",
        type=TEXT,
        metavar="ADDRESS",
    ),
    AS_TEXT,
    QUIET,
)
"""The options of `count`."""


def counting_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of counting."""
    for add in reversed(COUNTING_OPTIONS):
        command = add(command)
    return command


@click.command(
    "count",
    short_help="Count the words of a large corpus and write them to a file.",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps count assets/corpora/*.txt --output counts.tsv\n"
    "  cat assets/corpora/*.txt | python -m tokensteps count -n lowercase -p bert --minimum 2 > bert.tsv\n"
    "  python -m tokensteps train --counts bert.tsv -a wordpiece -s 80 --force --output vocab.txt",
)
@counting_options
@output_options("Where the counts go: a table of words, counts, and how often each word ends a text.")
def count_command(
    files: Sequence[str],
    minimum: int,
    workers: int | None,
    scheduler: str | None,
    output: str,
    force: bool,
    quiet: bool,
    as_text: bool,
    **options: Any,
) -> None:
    """Count the words of text FILES, or of standard input, and write a file that train --counts and the app
    read.

    Each line is a text of its own. The words in the file are those that training sees: they go through no
    rule again, and training on them learns what training on the text does. With --workers or --scheduler,
    many processes count.
    """
    values = {name: value for name, value in options.items() if value not in (None, ())}
    pipeline = pipeline_settings("bpe", False, values)
    if workers and scheduler:
        raise click.UsageError("--workers and --scheduler are both given; leave one of them out.")
    refuse_to_overwrite(output, force)
    files = inputs(files, "text files")
    if workers or scheduler:
        counts = counted_on_cluster(files, pipeline, minimum, workers, scheduler, quiet, as_text)
    else:
        counts = without_rare(read_corpus(files, pipeline, quiet, as_text), minimum)
    text = counts_tsv(counts)
    tell_counts(counts, quiet)
    write_output(output, text, quiet)
    size = len(text.encode("utf-8"))
    if size > UPLOAD_LIMIT:
        tell(
            f"The file has {size:,} bytes, and the app takes {UPLOAD_LIMIT:,}; "
            f"with --minimum {least_minimum(counts, UPLOAD_LIMIT)} there is one that it takes.",
            quiet,
        )


def counted_on_cluster(
    files: Sequence[str],
    pipeline: dict[str, Any],
    minimum: int,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
    as_text: bool,
) -> WordCounts:
    """Count files on a Dask cluster."""
    if "-" in files:
        raise click.UsageError(
            "Standard input can't be counted on a cluster, whose workers open files; name files, "
            "or leave --workers and --scheduler out."
        )
    if not as_text:
        refuse_what_is_no_text(files)
    from tokensteps.cli.cluster import cluster, count_on  # here, as Dask may not be there

    try:
        with cluster(workers, scheduler) as client, meter("Counting", quiet, in_bytes=True) as move:
            counts = count_on(client, files, Pipeline(**pipeline), minimum, move)
    except EmptyCorpusError as error:
        raise click.ClickException(nothing_to_train_on(files, error.characters)) from None
    warn_of_invalid({", ".join(map(input_name, files)): counts.corpus.replaced})
    return counts


def tell_counts(counts: WordCounts, quiet: bool) -> None:
    """Report the counted and the left-out parts."""
    corpus = counts.corpus
    tell(
        f"Corpus: {counted(corpus.lines, 'line', 'lines')}, "
        f"{counted(corpus.total + counts.rare_total, 'word', 'words')}, "
        f"{counted(len(corpus) + counts.rare, 'different one', 'different ones')}",
        quiet,
    )
    if counts.rare:
        tell(
            f"Left out: {counted(counts.rare, 'different word', 'different words')} that "
            f"{'occurs' if counts.rare == 1 else 'occur'} fewer than {counts.minimum:,} times, "
            f"{counted(counts.rare_total, 'occurrence', 'occurrences')}",
            quiet,
        )
