"""The command to write a site of static pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tokensteps.cli.package import read_own_lesson
from tokensteps.cli.streams import (
    counted,
    lines_of,
    meter,
    refuse_no_text,
    tell,
    write_file,
)
from tokensteps.cli.training import QUIET, option
from tokensteps.language.i18n import LANGUAGES
from tokensteps.limits import UPLOAD_LIMIT
from tokensteps.runs.rules import SIZE

MEGABYTE = 1_000_000


@click.command(
    "site",
    short_help="Write a site of static pages: runs, lessons, exercises, glossary, errata.",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps site public\n"
    "  python -m tokensteps site public --language en --corpus hug --corpus course\n"
    "  python -m tokensteps site public words.tsv speech.txt --vocab-size 200 --lesson lesson.toml",
)
@click.argument("folder", metavar="OUT", type=click.Path(file_okay=False))
@click.argument("files", nargs=-1, metavar="[FILES]...", type=click.Path())
@option(
    "--corpus corpora",
    "An example of the app that the site has, as its links name it, such as hug. Give it several times for several.",
    metavar="NAME",
    multiple=True,
    usual="all",
)
@option(
    "--language languages",
    "A language of the site. Give it several times for several.",
    type=click.Choice(list(LANGUAGES)),
    multiple=True,
    usual="all",
)
@option(
    "--vocab-size size",
    "How many tokens the runs of FILES have.",
    type=click.IntRange(1, SIZE.most),
    usual="300",
)
@option(
    "--lesson lessons",
    "A lesson of your own in a TOML file; docs/site.md says how to write one. Give it several times for several.",
    type=click.Path(),
    metavar="FILE",
    multiple=True,
)
@option("--exercises", "How many exercises of each kind and level.", type=click.IntRange(1, 20), usual="3")
@option(
    "--live",
    "Add a page that trains on a text of the visitor's own, in the browser: 9 MB, for which npm gets Python for browsers, Pyodide.",
    is_flag=True,
)
@option(
    "--pyodide",
    "For --live without npm's registry: the package as a file, which npm pack makes.",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
)
@option("--no-keys", "Leave out the pages with the answers to the exercises.", is_flag=True)
@option("--force -f", "Write into a folder that isn't empty. What else is in it stays.", is_flag=True)
@QUIET
def site_command(
    folder: str,
    files: Sequence[str],
    corpora: Sequence[str],
    languages: Sequence[str],
    lessons: Sequence[str],
    live: bool,
    pyodide: str | None,
    no_keys: bool,
    force: bool,
    quiet: bool,
    **sizes: Any,
) -> None:
    """Write a folder of pages that need no server: for GitHub Pages, a course's site, a USB stick.

    The examples of the app through each algorithm, step by step; its lessons, exercises, glossary and errata;
    FILES, texts or word counts, as runs of their own. Answers to exercises are in the pages as salted hashes
    only. No page asks another host for anything.
    """
    out = Path(folder)
    if not force and out.is_dir() and any(out.iterdir()):
        raise click.UsageError(f"{out} isn't empty; choose another folder, or add --force to write into it.")
    # Here, because the other commands do without all this, and it takes a while to load.
    from tokensteps.site.build import Site, site_files
    from tokensteps.site.shared import in_bytes

    wanted = {"corpora": known_corpora(corpora), "languages": languages, **sizes}
    site = Site(
        files=own_files(files),
        lessons=[read_own_lesson(name) for name in lessons],
        keys=not no_keys,
        pyodide=package(live, pyodide),
        **{name: value for name, value in wanted.items() if value},
    )
    for lesson in site.lessons:
        if lesson.language not in site.languages:
            raise click.UsageError(
                f"{lesson.name}.toml is in the language {lesson.language}, which the site hasn't; add --language {lesson.language}."
            )
    with meter("Training and drawing", quiet) as move:  # all of it before any is written
        result = [(out / path, in_bytes(content)) for path, content in site_files(site, move)]
    for path, data in result:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, data)
    number, size = len(result), sum(len(data) for _path, data in result)
    tell(
        f"Written: {counted(number, 'file', 'files')}, {size / MEGABYTE:.1f} MB. Open {out / 'index.html'}",
        quiet,
    )


def package(live: bool, file: str | None) -> bytes:
    """Pyodide's npm package, from a file or from npm's registry; nothing without --live. Raises
    ClickException."""
    from tokensteps.site.live.live_files import PackageError, npm_package, pyodide_package

    if not live:
        if file:
            raise click.UsageError("--pyodide is for --live; add --live, or leave it out.")
        return b""
    try:
        return pyodide_package(Path(file).read_bytes() if file else npm_package())
    except PackageError as error:
        raise click.ClickException(str(error)) from None


def known_corpora(names: Sequence[str]) -> Sequence[str]:
    """The examples of these names. Raises UsageError for an unknown name."""
    from tokensteps.runs.corpora import EXAMPLES

    for name in names:
        if name not in EXAMPLES:
            raise click.UsageError(f"--corpus {name} is not known; choose one of {', '.join(EXAMPLES)}.")
    return tuple(dict.fromkeys(names))


def own_files(names: Sequence[str]) -> list[Any]:
    """Files to train on. Raises ClickException for a file without text, or one too large."""
    from tokensteps.site.build import OwnFile

    results = []
    for name in names:
        with open(name, "rb") as stream:
            data = stream.read(UPLOAD_LIMIT + 1)
        if len(data) > UPLOAD_LIMIT:
            raise click.ClickException(
                f"{name} has more than {UPLOAD_LIMIT:,} bytes; count its words first, with the count command, or shorten it."
            )
        for _line in refuse_no_text(name, lines_of([data]), forced=""):
            pass
        results.append(OwnFile(Path(name).name, data))
    return results
