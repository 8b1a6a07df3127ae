"""``make mutants``: small faults put into a room's code, one at a time, and the share of them undetected by
its nearest tests.

mutmut makes the faults and runs, for each one, the tests that reach its function. Each room is tried in a
copy of the checkout; tests of names and sources, and of the line blamed by a warning, are left out, as there
they would see mutmut's own changes. `docs/mutants.md` has the last table.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / ".mutants"
SAMPLE: Final = "*__mutmut_*1"
"""The faults tried unless others are named: of each function the 1st, 11th, 21st, ..."""


class Room(NamedTuple):
    """The mutated code, and the tests to notice."""

    sources: str
    tests: tuple[str, ...]


ROOMS: Final = {
    "training": Room(
        "tokenizers_core/training/*",
        tuple(
            f"tests/core/test_{name}.py"
            for name in ("bpe", "byte_fallback", "comparison", "counterfactual", "extending", "growing", "limits", "merging", "paritybpe", "pickybpe", "sentencepiece_bpe", "superbpe", "symbols", "ties", "trace", "unigram", "wordpiece")
        ),
    ),
    "encoding": Room(
        "tokenizers_core/encoding/*",
        tuple(
            f"tests/core/test_{name}.py"
            for name in ("alignment", "bpe", "decoders", "dropout", "encoding", "lattice", "reasons", "tasks", "templates", "tokenizer", "truncation")
        ),
    ),
    "runs": Room(
        "tokensteps/runs/*",
        ("tests/app/runs", "tests/app/drawing/test_data.py", "tests/app/widgets/test_controls.py"),
    ),
    "classroom": Room(
        "tokensteps/classroom/*",
        tuple(f"tests/app/classroom/test_{name}.py" for name in ("address", "bounds", "room", "routes", "store", "stream")),
    ),
    "entrance": Room(
        "tokensteps/server/entrance/*",
        tuple(
            f"tests/app/server/test_{name}.py"
            for name in ("files", "headers", "messages", "prerendered_stage", "session_resources")
        ),
    ),
}  # fmt: skip
SETTINGS: Final = """\
[mutmut]
source_paths=
  tokenizers_core
  tokensteps
only_mutate=
  {sources}
also_copy=
  {copied}
pytest_add_cli_args=
  -n
  0
  -p
  no:cacheprovider
  -k
  (not __mutmut_ or __mutmut_orig) and not names_the_line
timeout_multiplier=4
pytest_add_cli_args_test_selection=
  {tests}
"""
COPIED: Final = (
    ".streamlit", "app.py", "assets", "benchmarks", "deploy", "docs", "pages", "requirements.txt", "static", "tokenizers_core", "tokensteps"
)  # fmt: skip
KILLED, SURVIVED, UNTESTED = {1, 3}, {0}, {5, 33}
"""mutmut's exit codes; all others mean too much time or the end of the process; a test run notices these,
too."""


def try_room(name: str, faults: Sequence[str], folder: Path) -> Counter[str]:
    """Try a room's faults, and count their outcomes."""
    room = ROOMS[name]
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, folder], check=True)
    tests = (*room.tests, room.sources.removesuffix("/*"))  # with the examples in its docstrings
    settings = SETTINGS.format(sources=room.sources, copied="\n  ".join(COPIED), tests="\n  ".join(tests))
    (folder / "setup.cfg").write_text(settings, "utf-8")
    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        run = subprocess.run(
            [Path(sys.executable).with_name("mutmut"), "run", "--max-children", "2", *faults],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    if run.returncode:
        raise SystemExit(
            f"{name}: mutmut has not tried its faults; the end of {folder / 'log.txt'} says why."
        )
    return Counter(result(code) for code in codes(folder).values())


def codes(folder: Path) -> dict[str, int]:
    """Fault → mutmut's exit code for it, of the tried ones."""
    metas = [json.loads(path.read_text("utf-8")) for path in (folder / "mutants").rglob("*.meta")]
    return {
        name: code for meta in metas for name, code in meta["exit_code_by_key"].items() if code is not None
    }


def result(code: int) -> str:
    """The outcome of a fault."""
    return "survived" if code in SURVIVED else "untested" if code in UNTESTED else "killed"


def row(name: str, counts: Counter[str]) -> str:
    """A line of the table.

    >>> row("runs", Counter(killed=6, survived=2, untested=2))
    '| runs | 10 | 6 | 2 | 2 | 25 % |'
    """
    tried = counts["killed"] + counts["survived"]
    share = f"{counts['survived'] / tried:.0%}".replace("%", " %") if tried else "–"
    return f"| {name} | {counts.total()} | {counts['killed']} | {counts['survived']} | {counts['untested']} | {share} |"


def main(words: Iterable[str]) -> None:
    """Try the named rooms, or all; words with a `*` name faults."""
    named = [*words]
    faults = [word for word in named if "*" in word] or [SAMPLE]
    print(
        "| Room | Faults | Killed | Survived | Not reached | Share that survived |\n| --- | --- | --- | --- | --- | --- |"
    )
    for name in [word for word in named if "*" not in word] or ROOMS:
        folder = FOLDER / name
        print(row(name, try_room(name, faults, folder)), flush=True)
        survivors = sorted(fault for fault, code in codes(folder).items() if code in SURVIVED)
        (folder / "survivors.txt").write_text("\n".join(survivors) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
