"""The extra with `rich` and `textual`, and the language of a terminal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import click

from tokensteps.cli.training import option
from tokensteps.language.i18n import LANGUAGES, language_of

INSTALL_EXTRA: Final = 'pip install "tokensteps[terminal]"'
OF_THE_EXTRA: Final = ("rich", "textual")


@contextmanager
def with_extra() -> Iterator[None]:
    """Say what to install if a package of the extra is missing. Raises ClickException."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in OF_THE_EXTRA:
            raise
        raise click.ClickException(
            f"This needs {missing}, which is not installed. Get it: {INSTALL_EXTRA}"
        ) from None


def own_language() -> str:
    """The available language that fits this terminal's settings."""
    wanted = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return language_of(wanted.partition(".")[0])


def language_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--language`."""
    add: Callable[..., Callable[..., Any]] = option(
        "--language",
        "The language of what is shown.",
        type=click.Choice(list(LANGUAGES)),
        default=own_language,
        usual="this terminal's",
    )
    return add(command)
