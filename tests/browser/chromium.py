"""Find a Chromium for the browser tests and screenshots; with ``--ensure``, install one when there is none.

``CHROMIUM=/path/to/browser`` names one, and then no other is tried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "~/Applications/Chromium.app/Contents/MacOS/Chromium",
    "~/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
)
# Playwright's folders for its downloaded browsers, and their names there.
DOWNLOADS = ("~/.cache/ms-playwright", "~/Library/Caches/ms-playwright", "~/AppData/Local/ms-playwright")
DOWNLOADED = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
    "chromium_headless_shell-*/chrome-*/headless_shell*",
    "chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell*",
)
APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq")
DEBIAN_PACKAGES = ("chromium", "fonts-noto-cjk", "fonts-noto-color-emoji")
SHELL = "chromium-headless-shell"
"""The same engine without the browser around it: command and package. Unseen drawing costs a third of the
time."""
ADVICE = """\
The browser tests need Chromium or Chrome, and none was found or could be installed. Any of these helps:
  Debian:    sudo apt install chromium fonts-noto-cjk fonts-noto-color-emoji
  Ubuntu:    .venv/bin/python -m playwright install --with-deps chromium
  macOS:     install Google Chrome, or .venv/bin/python -m playwright install chromium
  elsewhere: CHROMIUM=/path/to/chromium make test
`make unit` runs the tests that need no browser."""


def candidates() -> Iterator[str]:
    """Every place where a Chromium may be, the most explicit first."""
    named = os.environ.get("CHROMIUM")
    if named:
        yield shutil.which(named) or named
        return
    for command in COMMANDS:
        path = shutil.which(command)
        if path:
            yield path
    for application in APPLICATIONS:
        yield os.path.expanduser(application)
    for folder in (os.environ.get("PLAYWRIGHT_BROWSERS_PATH", ""), *DOWNLOADS):
        # Without a home directory "~" stays as it is, and simply isn't there.
        root = Path(os.path.expanduser(folder)) if folder else None
        if root and root.is_dir():
            for pattern in DOWNLOADED:
                yield from (str(path) for path in sorted(root.glob(pattern), reverse=True))


def runs(path: str) -> bool:
    """Whether the file starts as a browser: Ubuntu's ``chromium-browser`` may be a stub that only asks for a
    snap."""
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        return False
    if sys.platform == "win32":  # Chrome prints no version there; it would open a window instead
        return True
    try:
        return (
            subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


@cache
def find() -> str | None:
    """The path of a working Chromium, or None."""
    return next((path for path in candidates() if runs(path)), None)


def for_tests() -> str | None:
    """The path of a Chromium for tests: the shell, if it is here and no other browser is named."""
    shell = None if os.environ.get("CHROMIUM") else shutil.which(SHELL)
    return shell if shell and runs(shell) else find()


def prefix() -> list[str] | None:
    """The prefix for a command as root: nothing for root, sudo without a password; None without either."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if (
        shutil.which("sudo")
        and not subprocess.run([*sudo, "true"], capture_output=True, check=False).returncode
    ):
        return sudo
    return None


def installs() -> Iterator[list[list[str]]]:
    """The ways to install one here, the best first, each as the commands to run."""
    root = prefix() if shutil.which("apt-get") else None
    if root is not None:
        apt = [*root, *APT]
        yield [[*apt, "update"], [*apt, "install", "-y", "--no-install-recommends", *DEBIAN_PACKAGES]]
    playwright = [sys.executable, "-m", "playwright", "install"]
    yield [[*playwright, *(["--with-deps"] if root == [] else []), "chromium"]]


def ensure() -> str | None:
    """The path of a Chromium, installed if need be; None when nothing helped."""
    if find() is None and not os.environ.get("CHROMIUM"):
        for commands in installs():
            for command in commands:
                print("No Chromium yet:", " ".join(command), flush=True)
                if subprocess.run(command, check=False).returncode:
                    break
            find.cache_clear()
            if find():
                break
    return find()


def ensure_shell() -> None:
    """Install the shell, where a package of it may be had without asking anybody; tests work without it,
    too."""
    root = prefix() if shutil.which("apt-get") else None
    if root is None or shutil.which(SHELL) or os.environ.get("CHROMIUM"):
        return
    install = [*root, *APT, "install", "-y", "--no-install-recommends", SHELL]
    print("For the tests:", " ".join(install), flush=True)
    if subprocess.run(install, check=False).returncode:
        print(f"No {SHELL}: the tests take Chromium itself, and a third longer.")


def main(arguments: list[str]) -> int:
    path = ensure() if "--ensure" in arguments else find()
    if path is None:
        print(ADVICE, file=sys.stderr)
        return 1
    print(f"Chromium: {path}")
    if "--ensure" in arguments:
        ensure_shell()
        print(f"For the tests: {for_tests()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
