"""The command to pack a lesson for a learning platform."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokensteps.cli.streams import refuse_to_overwrite, tell, write_file
from tokensteps.cli.training import QUIET, option
from tokensteps.language.i18n import LANGUAGES, use_language

if TYPE_CHECKING:
    from tokensteps.site.lesson_file import OwnLesson


@click.command(
    "package",
    short_help="Pack a lesson or exercises for a learning platform (SCORM).",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps package lesson.toml --scorm 1.2 --output lesson.zip\n"
    "  python -m tokensteps package bpe_pair --scorm 2004 --language ja --output pairs.zip",
)
@click.argument("lesson")
@option(
    "--scorm version",
    "Which SCORM the platform takes: Moodle 1.2, Canvas both.",
    type=click.Choice(["1.2", "2004"]),
    required=True,
)
@option(
    "--language",
    "The language of exercises. A lesson's file says its own.",
    type=click.Choice(list(LANGUAGES)),
    default="en",
    show_default=True,
)
@option(
    "--exercises number",
    "How many exercises of each level.",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
)
@option("--output -o", "Where the package goes, a ZIP file.", type=click.Path(dir_okay=False), required=True)
@option("--force -f", "Replace the output if it is there already.", is_flag=True)
@QUIET
def package_command(
    lesson: str, version: str, language: str, number: int, output: str, force: bool, quiet: bool
) -> None:
    """Pack LESSON, a lesson's TOML file or a kind of exercise, for Moodle, Canvas and other learning
    platforms.

    The platform gets the score, the progress and each answer, and the page goes on where it was left. It
    needs no network.
    """
    refuse_to_overwrite(output, force)
    # Here, because the other commands do without all this, and it takes a while to load.
    from tokensteps.language.i18n import _
    from tokensteps.site.lesson_page import own_lesson_page
    from tokensteps.site.locks import locks_of
    from tokensteps.site.practice import sets_of
    from tokensteps.site.scorm import exercises_page, scorm_package
    from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS

    if lesson in EXERCISE_KINDS:
        use_language(language)
        result = [one for exercises in sets_of(lesson, number).values() for one in exercises]
        if not any(map(locks_of, result)):
            raise click.UsageError(
                f"{lesson}: only the app can check these answers; choose another kind of exercise."
            )
        page = exercises_page(result, _(EXERCISE_KINDS[lesson].title))
    elif Path(lesson).suffix == ".toml":
        own = read_own_lesson(lesson)
        use_language(own.language)
        page = own_lesson_page(own, "lesson.html")
    else:
        kinds = ", ".join(EXERCISE_KINDS)
        raise click.UsageError(
            f"{lesson} is neither a .toml file nor a kind of exercise; choose one of {kinds}."
        )
    data = scorm_package(page, version)
    write_file(Path(output), data)
    tell(f"Written: {output}, {len(data) / 1e6:.1f} MB, SCORM {version}", quiet)


def read_own_lesson(file: str) -> OwnLesson:
    """The lesson in a file. Raises UsageError for one without parts: its page would be empty, and done at
    once for a learning platform."""
    from tokensteps.site.lesson_file import read_lesson

    result = read_lesson(Path(file))
    if not result.parts:
        raise click.UsageError(
            f"{file} has no part: add one with [[part]]; questions of a live class alone are no lesson."
        )
    return result
