"""``python -m tokensteps``, and the command ``tokensteps`` where pip has installed it."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from tokensteps.cli import INTERRUPTED


def main(name: str = "python -m tokensteps", words: Sequence[str] | None = None) -> None:
    """Run the shell's command, under the `name` for help's texts; `words` stand for the shell's."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Whatever the locale: names and help have more than ASCII in them, too.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        from tokensteps.cli.commands import (
            command_line,  # here, as a Ctrl-C may well come while this is loading
        )

        command_line(words, prog_name=name)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        sys.exit(without(error))


def without(error: ModuleNotFoundError) -> str:
    """The message for an engine installed alone. A missing module of our own is a mistake.

    >>> without(ModuleNotFoundError("No module named 'click'", name="click"))
    'This needs click, which is not installed: the engine is here without the app and the command. Get them: pip install tokensteps'
    """  # noqa: W505
    missing = (error.name or "").partition(".")[0]
    if missing in ("", "tokenizers_core", "tokensteps"):
        raise error
    return (
        f"This needs {missing}, which is not installed: the engine is here without the app and the command. "
        "Get them: pip install tokensteps"
    )


def installed() -> None:
    """Run `tokensteps`: without a word after it, it opens the app."""
    main("tokensteps", sys.argv[1:] or ["open"])


if __name__ == "__main__":
    main()
