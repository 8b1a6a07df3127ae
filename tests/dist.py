"""The package, installed beside nothing else: `make dist` builds it and runs this; the suite doesn't, as it
takes minutes.

Oracle: a newcomer's machine. Each Python that is found here gets an environment with the wheel alone, and the
app is started from an empty folder, for a user with an empty home.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from benchmarks.ports import free_port
from tests.browser import chromium
from tokensteps.limits import HEAD_PATIENCE, UPLOAD_PATIENCE

ROOT = Path(__file__).parents[1]
UV = os.environ.get("UV") or shutil.which("uv") or str(ROOT / ".venv" / "tools" / "bin" / "uv")
PYTHONS = [
    python
    for python in os.environ.get("PYTHONS", "3.11 3.12 3.13").split()
    if Path(UV).is_file()  # the suite reads this module for examples, on machines without it too
    and subprocess.run(
        [UV, "python", "find", "--offline", python], capture_output=True, check=False
    ).returncode
    == 0
]
"""Versions or paths: `make dist PYTHONS="3.11 /opt/python3.13/bin/python"`."""
SAYS = {"en": "Step 7", "zh": "第 7 步", "ja": "ステップ7"}
"""The stage's text at step 7, in each language."""
LIVED_IN = ("streamlit==1.66.1", "pandas==2.2.3", "plotly==5.24.1", "transformers==4.57.6")
HEAVY = {"streamlit", "pandas", "plotly", "numpy", "tokensteps"}
TYPED = ("pyright>=1.1.414,<2", "mypy>=2,<3")
"""Type checkers for README's sample, beside the package alone."""
NOTEBOOK = """import tokensteps.notebook
from tokenizers_core import Corpus, train_unigram
print(len(train_unigram(Corpus.from_counts({"hug": 10, "pug": 5}), vocab_size=6)._repr_html_()) > 10_000)"""
BODY_WAIT = 2 * UPLOAD_PATIENCE
"""Seconds until all clients that keep a server waiting are cut off."""
ENGINE_ALONE = f"import sys, tokenizers_core; print(*sorted({HEAVY!r} & {{*sys.modules}}))"


@pytest.fixture(scope="module", params=PYTHONS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and its requirements."""
    folder = tmp_path_factory.mktemp("place")
    (wheel,) = (ROOT / "dist").glob("tokensteps-*.whl")
    subprocess.run([UV, "venv", "--quiet", "--python", request.param, folder / "env"], check=True)
    subprocess.run([UV, "pip", "install", "--quiet", "--python", folder / "env", wheel], check=True)
    (folder / "home").mkdir()
    return folder


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, set[str], set[str]]:
    """An environment in use, with versions of last year; its packages before the wheel came, and after."""
    folder = tmp_path_factory.mktemp("lived-in")
    (wheel,) = (ROOT / "dist").glob("tokensteps-*.whl")
    python = folder / "env" / "bin" / "python"
    subprocess.run([UV, "venv", "--quiet", "--python", PYTHONS[0], folder / "env"], check=True)

    def install(*packages: str | Path) -> set[str]:
        subprocess.run([UV, "pip", "install", "--quiet", "--python", python, *packages], check=True)
        listed = subprocess.run(
            [UV, "pip", "freeze", "--quiet", "--python", python], capture_output=True, text=True, check=True
        )
        return {*listed.stdout.split("\n")}

    (folder / "home").mkdir()
    return folder, install(*LIVED_IN), install(wheel)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the engine's wheel."""
    folder = tmp_path_factory.mktemp("engine")
    (wheel,) = (ROOT / "dist").glob("tokensteps_core-*.whl")
    subprocess.run([UV, "venv", "--quiet", "--python", PYTHONS[0], folder / "env"], check=True)
    subprocess.run([UV, "pip", "install", "--quiet", "--python", folder / "env", wheel], check=True)
    (folder / "home").mkdir()
    return folder


def environment(folder: Path) -> dict[str, str]:
    return {"PATH": f"{folder}/env/bin:/usr/bin:/bin", "HOME": f"{folder}/home", "LANG": "C.UTF-8"}


def said(folder: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=folder / "home", env=environment(folder), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[str]:
    """The app, as the command opens it."""
    port = str(free_port())
    log = (folder / "log.txt").open("w")
    process = subprocess.Popen(
        ["tokensteps", "open", "--port", port, "--no-browser"],
        executable=folder / "env" / "bin" / "tokensteps", cwd=folder / "home", env=environment(folder), stdout=log, stderr=log,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).close()
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < deadline, (
                    folder / "log.txt"
                ).read_text()
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)
        log.close()


def test_there_is_a_python_to_try() -> None:
    assert PYTHONS, f"{UV} finds no Python"


def test_nothing_is_replaced_where_others_are_at_home(lived_in: tuple[Path, set[str], set[str]]) -> None:
    """`pip install tokensteps` beside `transformers` and older versions of common requirements: all of it
    stays, and all of it works."""
    position, before, after = lived_in
    assert before <= after
    assert said(
        position, "python", "-W", "ignore", "-c", "import transformers; print(transformers.__version__)"
    )
    with opened(position) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.goto(f"{server}/bpe?corpus=course&step=7")
        expect(page.locator(".ts-flipbook .where p")).to_contain_text("Step 7", timeout=60_000)
        browser.close()


def test_slow_clients_of_the_installed_server_are_cut_off(folder: Path) -> None:
    """Endless heads and bodies, as with `make run`: 50 of each, and a visitor who isn't held up."""
    with opened(folder) as server:
        address = ("127.0.0.1", urlsplit(server).port)
        begun = [
            b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
            b"POST /class/api/open HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
        ]
        waiting = [socket.create_connection(address) for _ in range(100)]
        for number, line in enumerate(waiting):
            line.sendall(begun[number % 2])
            line.settimeout(BODY_WAIT)
        with urllib.request.urlopen(f"{server}/_stcore/health", timeout=2) as answer:
            assert answer.status == 200
        start, ended = time.monotonic(), []
        for line in waiting:
            with contextlib.suppress(ConnectionError):
                while line.recv(65_536):
                    pass
            ended.append(time.monotonic() - start)
            line.close()
        assert 5 < ended[0] < 2 * HEAD_PATIENCE and ended[-1] < BODY_WAIT


def test_the_engines_package_needs_one_other(engine: Path) -> None:
    listed = subprocess.run(
        [UV, "pip", "list", "--quiet", "--format", "json", "--python", engine / "env"],
        capture_output=True,
        check=True,
    )
    assert {one["name"] for one in json.loads(listed.stdout)} == {"tokensteps-core", "regex"}
    assert said(engine, "python", "-c", NOTEBOOK) == "True\n"
    for words in (("tokensteps",), ("python", "-m", "tokensteps", "train", "a.txt")):
        done = subprocess.run(words, env=environment(engine), capture_output=True, text=True)
        assert done.returncode == 1
        assert done.stderr.startswith("This needs click") and done.stderr.endswith("pip install tokensteps\n")


def test_type_checkers_see_the_package(engine: Path) -> None:
    (sample,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    script = engine / "home" / "sample.py"
    script.write_text(sample, "utf-8")
    assert said(engine, "python", str(script)).startswith("1 u g 20\n")
    python = str(engine / "env" / "bin" / "python")
    pyright, mypy = (
        [UV, "tool", "run", "--quiet", "--from", wanted, wanted.partition(">")[0]] for wanted in TYPED
    )
    for checked in ([*pyright, "--pythonpath", python], [*mypy, "--strict", "--python-executable", python]):
        done = subprocess.run([*checked, script], cwd=engine / "home", capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_engine_comes_alone(folder: Path) -> None:
    assert said(folder, "python", "-c", ENGINE_ALONE) == "\n"
    # The other packages are there all the same.
    assert said(folder, "python", "-c", "import streamlit, pandas, plotly; print(1)") == "1\n"


def test_the_command_works(folder: Path) -> None:
    assert said(folder, "tokensteps", "--version").startswith("tokensteps ")
    assert "Usage: tokensteps " in said(folder, "tokensteps", "--help")
    (folder / "home" / "a.txt").write_text("This is a text. This is a test.", "utf-8")
    said(folder, "tokensteps", "train", "a.txt", "-s", "20", "-o", "tokenizer.json")
    assert said(folder, "tokensteps", "encode", "-t", "tokenizer.json", "This").split()


def test_a_deep_link_opens_in_each_language(folder: Path) -> None:
    """With the fonts, asking no other host, and writing nothing into the packages."""
    installed = {path for path in (folder / "env").rglob("*") if "__pycache__" not in path.parts}
    with opened(folder) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        hosts: set[str] = set()
        page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
        for language, step in SAYS.items():
            page.goto(f"{server}/bpe?corpus=course&step=7&lang={language}")
            expect(page.locator(".ts-flipbook .where p")).to_contain_text(step, timeout=60_000)
            expect(page.locator(".ts-flipbook .stage .cols")).to_be_visible()
            page.evaluate("document.fonts.ready.then(() => true)")
            faces = page.evaluate(
                "[...document.fonts].filter((face) => face.status === 'loaded').map((face) => face.family)"
            )
            assert {"Inter", "Fira Code"} <= {face.strip('"') for face in faces}
            assert page.locator("[data-testid=stException]").count() == 0
        # An answer from another process: a run too long for the server's own.
        page.goto(f"{server}/unigram?corpus=mixed&size=300&step=3")
        expect(page.locator(".ts-flipbook .where b").first).to_have_text("Step 3", timeout=60_000)
        browser.close()
    assert hosts <= {urlsplit(server).netloc, ""}
    assert (folder / "home" / ".tokensteps" / ".secret").exists()
    assert {path for path in (folder / "env").rglob("*") if "__pycache__" not in path.parts} == installed
