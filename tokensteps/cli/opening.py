"""The command to open the app in the browser, from wherever the packages are."""

from __future__ import annotations

import importlib
import os
import runpy
import sys

import click

from tokensteps.assets import APP, PACKAGES
from tokensteps.cli.training import option


def has_screen() -> bool:
    """Whether a browser could be opened here: on Linux, only with a display."""
    return not sys.platform.startswith("linux") or bool({"DISPLAY", "WAYLAND_DISPLAY"} & {*os.environ})


def streamlit_command(port: int | None, browser: bool) -> list[str]:
    """Streamlit's own command line, as in `make run`.

    >>> streamlit_command(8600, browser=False)[-6:]
    ['--server.headless', 'true', '--browser.serverAddress', 'localhost', '--server.port', '8600']
    """
    words = ["streamlit", "run", str(APP / "app.py")]
    if APP != PACKAGES:
        words += ["--server.fileWatcherType", "none"]  # nobody edits installed files
    if not browser:
        # Naming the address keeps Streamlit from asking the internet for it.
        words += ["--server.headless", "true", "--browser.serverAddress", "localhost"]
    return words if port is None else [*words, "--server.port", str(port)]


@click.command(
    "open",
    short_help="Open the app in the browser.",
    epilog="\b\nExamples:\n  python -m tokensteps open\n  python -m tokensteps open --port 8600 --no-browser",
)
@option(
    "--port", "Where the app listens.", type=click.IntRange(1, 65_535), usual="8501, or the next free one"
)
@option("--no-browser", "Start the app, and open no browser.", is_flag=True)
def open_command(port: int | None, no_browser: bool) -> None:
    """Start the app on this machine and open it in the browser. Ctrl-C ends it.

    Where pip has installed TokenSteps, `tokensteps` alone does the same.
    """
    sys.argv = streamlit_command(port, browser=has_screen() and not no_browser and not os.environ.get("CI"))
    importlib.import_module("streamlit")  # this way the error has the name of a missing package
    runpy.run_module("streamlit", run_name="__main__")
