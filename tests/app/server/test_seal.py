"""The server's secret (`tokensteps/server/seal.py`): one for all processes, whole or not at all, never a weak
one.

Oracle: the answers of other processes, started at the same moment.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.samples import STRESS
from tokensteps.limits import LEAST_SECRET
from tokensteps.server import seal
from tokensteps.server.seal import SECRET_VARIABLE, SecretError, read_secret

ROOT = Path(__file__).parents[3]
SAY_SECRET = """
import sys
from pathlib import Path
from tokensteps.server import seal
seal.SECRET_FILE = Path(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
print(seal.secret())
"""
FULL_DISK = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this server would keep its secret."""
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    monkeypatch.setattr(seal, "SECRET_FILE", tmp_path / ".secret")
    return tmp_path / ".secret"


def process(file: Path, code: str = SAY_SECRET) -> subprocess.Popen[str]:
    entries = {key: value for key, value in os.environ.items() if key != SECRET_VARIABLE}
    return subprocess.Popen(
        [sys.executable, "-c", code, str(file)], cwd=ROOT, env=entries, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_servers_that_start_at_the_same_moment_agree(tmp_path: Path) -> None:
    for attempt in range(9 if STRESS else 1):
        file = tmp_path / f"{attempt}" / ".secret"
        file.parent.mkdir()
        servers = [process(file) for _ in range(6)]
        for server in servers:
            assert server.stdout is not None and server.stdout.readline() == "ready\n"
        for server in servers:
            assert server.stdin is not None
            server.stdin.write("\n")
            server.stdin.flush()
        messages = {server.communicate(timeout=60)[0].strip() for server in servers}
        assert messages == {file.read_text()} and len(file.read_text()) == 64
        assert [path.name for path in file.parent.iterdir()] == [".secret"]
        assert file.stat().st_mode & 0o077 == 0


def test_between_two_looks_at_the_file_another_process_may_have_written_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst moment for a second process: the first one has decided to write, and has not."""
    others = "a" * 64
    link = os.link

    def late(source: str, target: Path) -> None:
        file.write_text(others)
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    assert read_secret() == others
    assert [path.name for path in file.parent.iterdir()] == [".secret"]


def test_a_full_disk_leaves_no_file_and_a_warning(tmp_path: Path) -> None:
    server = process(tmp_path / ".secret", f"{FULL_DISK}\n{SAY_SECRET}")
    message, warned = server.communicate("\n", timeout=60)
    assert len(message.split()[-1]) == 64
    assert "can't be written (File too large)" in warned and f"Set {SECRET_VARIABLE}" in warned
    assert [*tmp_path.iterdir()] == []


def test_a_secret_in_memory_is_one_for_the_whole_process(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(seal, "SECRET_FILE", file / "no folder" / ".secret")
    stored = seal.process_singleton(read_secret)
    with caplog.at_level(logging.WARNING):
        assert stored() == stored() and len(stored()) == 64
    assert len(caplog.records) == 1


@pytest.mark.parametrize("held", ["", "\n", "hug", "a" * (LEAST_SECRET - 1)])
def test_an_empty_or_short_secret_is_refused(file: Path, held: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(held)
    size = len(held.strip())
    with pytest.raises(SecretError, match=f"{file} has {size} characters, fewer than 32.*delete it.*openssl"):
        read_secret()
    assert file.read_text() == held
    if held.strip():
        monkeypatch.setenv(SECRET_VARIABLE, held)
        with pytest.raises(SecretError, match=f"{SECRET_VARIABLE} has {size} characters.*openssl rand"):
            read_secret()


def test_a_binary_secret_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(bytes(range(100, 200)))
    with pytest.raises(SecretError, match=f"{file} can't be read.*{SECRET_VARIABLE}"):
        read_secret()
    monkeypatch.setenv(SECRET_VARIABLE, os.fsdecode(bytes(range(100, 200))))
    with pytest.raises(SecretError, match=f"{SECRET_VARIABLE} isn't ASCII text.*openssl rand"):
        read_secret()
    monkeypatch.setenv(SECRET_VARIABLE, " " * LEAST_SECRET)
    with pytest.raises(SecretError, match=f"{SECRET_VARIABLE} has 0 characters"):
        read_secret()


def test_a_long_enough_secret_is_accepted(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("a" * LEAST_SECRET + "\n")
    assert read_secret() == "a" * LEAST_SECRET
    monkeypatch.setenv(SECRET_VARIABLE, "b" * LEAST_SECRET)
    assert read_secret() == "b" * LEAST_SECRET
