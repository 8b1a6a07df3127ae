"""``python -m tokensteps``."""

from __future__ import annotations

import io
import sys

from tokensteps.cli import INTERRUPTED


def main() -> None:
    """Run the command that the shell asks for."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Whatever the locale: names and help have more than ASCII in them, too.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        from tokensteps.cli.commands import (
            command_line,  # here, as a Ctrl-C may well come while this is loading
        )
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    command_line(prog_name="python -m tokensteps")


if __name__ == "__main__":
    main()
