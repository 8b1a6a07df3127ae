"""The contents of the wheel: everything for the app, and nothing else. `make dist` also installs it, and
opens the app (`tests/dist.py`).

Oracle: the checkout's files, as `tokensteps/assets.py` looks for them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.test_locks import requirements_in
from tokensteps import assets
from tokensteps.assets import APP, PACKAGES
from tokensteps.cli.opening import streamlit_command
from tokensteps.version import __version__

ROOT = Path(__file__).parents[2]
BESIDE = (".streamlit/config.toml", "app.py", "assets", "pages", "static")
"""The app's needs besides the packages: the wheel has it in tokensteps/_app/."""


def files(*places: str) -> set[str]:
    """All files in these places of the checkout, but Python's own caches."""
    results = [
        path for index in places for path in (ROOT / index, *(ROOT / index).rglob("*")) if path.is_file()
    ]
    return {path.relative_to(ROOT).as_posix() for path in results if "__pycache__" not in path.parts}


def test_the_wheel_has_all_files_of_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = "make dev installs what builds the package"
    build = pytest.importorskip("hatchling.build", reason=reason)
    pytest.importorskip("hatch_requirements_txt", reason=reason)
    monkeypatch.chdir(ROOT)
    with zipfile.ZipFile(tmp_path / build.build_wheel(str(tmp_path))) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (described,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = wheel.read(described).decode()
        points = wheel.read(described.replace("METADATA", "entry_points.txt")).decode()
    assert held == files("tokenizers_core", "tokensteps") | {
        f"tokensteps/_app/{name}" for name in files(*BESIDE)
    }
    assert f"\nVersion: {__version__}\n" in metadata
    wanted = re.findall(
        r"^Requires-Dist: ([^;\n]+)$", metadata, re.MULTILINE
    )  # those of an extra have a condition
    assert {(canonicalize_name(one.name), one.specifier) for one in map(Requirement, wanted)} == {
        (canonicalize_name(one.name), one.specifier) for one in requirements_in("requirements.txt")
    }
    assert points.split() == ["[console_scripts]", "tokensteps", "=", "tokensteps.__main__:installed"]


def test_the_engines_package_holds_the_same_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = pytest.importorskip("hatchling.build", reason="make dev installs what builds the package")
    monkeypatch.chdir(ROOT / "packaging" / "core")
    with zipfile.ZipFile(tmp_path / build.build_wheel(str(tmp_path))) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (described,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = wheel.read(described).decode()
    beside = {f"tokensteps/_app/{name}" for name in ("LICENSE", *files("assets"))}
    assert held == files("tokenizers_core", "tokensteps") | beside
    assert f"\nVersion: {__version__}\n" in metadata
    wanted = [*map(Requirement, re.findall(r"^Requires-Dist: ([^\n]+)$", metadata, re.MULTILINE))]
    assert wanted == [one for one in requirements_in("requirements.txt") if one.name == "regex"]


def test_a_missing_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only the engine is installed, the command ends with a sentence, not with a traceback."""
    say = "import sys; sys.modules.update(dict.fromkeys({}, None)); from tokensteps.__main__ import main; main(words={})"
    for missing, words in (("click", []), ("streamlit", ["open", "--no-browser"])):
        command = [sys.executable, "-c", say.format([missing], words)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.startswith(
            f"This needs {missing}, which is not installed"
        )


def test_an_installed_app_is_found_in_the_package(tmp_path: Path) -> None:
    """In a process of its own, as the place is found once: a copy of the module, with and without the wheel's
    additions."""
    package = tmp_path / "tokensteps"
    package.mkdir()
    (package / "assets.py").write_text(Path(str(assets.__file__)).read_text("utf-8"), "utf-8")
    say = f"import sys; sys.path[0] = {str(package)!r}; import assets; print(assets.APP, assets.DATA_FOLDER)"
    home = {"HOME": str(tmp_path / "home"), "USERPROFILE": str(tmp_path / "home")}

    def places() -> str:
        return subprocess.run(
            [sys.executable, "-c", say], env=home, capture_output=True, text=True, check=True
        ).stdout

    assert places().split() == [str(tmp_path), str(tmp_path)]
    (package / "_app").mkdir()
    assert places().split() == [str(package / "_app"), str(tmp_path / "home" / ".tokensteps")]


def test_in_a_checkout_it_stays_where_it_is() -> None:
    assert APP == PACKAGES == ROOT
    assert streamlit_command(None, browser=True) == ["streamlit", "run", str(ROOT / "app.py")]


def test_the_command_alone_opens_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit isn't started: its call is recorded."""
    from tokensteps import __main__ as main
    from tokensteps.cli import opening

    run: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(opening.runpy, "run_module", lambda name, run_name: run.append((name, sys.argv)))
    monkeypatch.setattr(sys, "argv", ["tokensteps"])
    monkeypatch.setenv("CI", "1")
    with pytest.raises(SystemExit) as ended:
        main.installed()
    assert ended.value.code == 0
    ((name, words),) = run
    assert name == "streamlit" and words == streamlit_command(None, browser=False)


def test_the_engine_imports_nothing_of_the_app() -> None:
    """And of others' only `regex`: a notebook has to wait for every import."""
    say = "import sys; before = {*sys.modules}; import tokenizers_core; print(*{name.split('.')[0] for name in {*sys.modules} - before})"
    done = subprocess.run([sys.executable, "-c", say], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} - {*sys.stdlib_module_names} <= {"tokenizers_core", "regex", "_regex"}


def test_the_project_file_has_no_version_of_its_own() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
