"""`tokensteps doctor`: its findings on a machine, and on a running app with and without a proxy that changes
things.

Oracles: the tests' own set-up; the app as `make run` starts it.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from benchmarks.load import ROOT, server
from benchmarks.ports import free_port
from tests.below_a_path import below_a_path
from tests.browser.cable import Cable
from tests.half_dead import another_protocol, half_dead, silent
from tests.waiting import until
from tokensteps.cli import doctor
from tokensteps.cli.commands import command_line


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without faults."""
    monkeypatch.setenv("TOKENSTEPS_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("TOKENSTEPS_SECRET", "x" * 40)
    for name in ("TOKENSTEPS_REDIS", "TOKENSTEPS_FRAME_ANCESTORS"):
        monkeypatch.delenv(name, raising=False)


def diagnosis(*arguments: str) -> tuple[int, dict[str, str]]:
    """Its exit code, and each finding's first word → its state and the whole of it."""
    result = CliRunner().invoke(command_line, ["doctor", "--json", *arguments])
    findings = json.loads(result.stdout)
    return result.exit_code, {
        re.split(r"[: ]", one["what"])[0]: f"{one['state']} {one['what']}" for one in findings
    }


def test_a_machine_on_which_all_is_well(tmp_path: Path) -> None:
    code, result = diagnosis()
    assert code == 0 and not [one for one in result.values() if one.startswith("wrong")]
    assert {"Python", "streamlit", "tokenizers", "memory", "open", "store", "secret"} <= {*result}
    assert str(tmp_path / "store") in result["store"] and not [*(tmp_path / "store").iterdir()]
    plain = CliRunner().invoke(command_line, ["doctor"])
    assert plain.exit_code == 0 and plain.stdout.count("\n") == len(result)
    assert all(re.match(r" *(ok|note)  \w", line) for line in plain.stdout.splitlines())


def test_a_machines_problems_are_named_with_their_remedies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TOKENSTEPS_STORE", str(tmp_path / "file" / "store"))
    monkeypatch.setenv("TOKENSTEPS_SECRET", "short")
    monkeypatch.setenv("TOKENSTEPS_FRAME_ANCESTORS", "https://a.example/path")
    monkeypatch.setattr(doctor, "SERVER_MEMORY", 1 << 60)
    with half_dead(another_protocol) as address:
        monkeypatch.setenv("TOKENSTEPS_REDIS", f"redis://{address}/0")
        code, result = diagnosis()
    assert code == 1
    for name, remedy in (
        ("store", "can't be written (Not a directory); name another folder in TOKENSTEPS_STORE"),
        ("secret", "has 5 characters, fewer than 32"),
        ("frames", "'https://a.example/path' is not a site; write addresses such as"),
        ("memory", "a server with its processes takes"),
        ("Redis", "Redis: "),
    ):
        assert result[name].startswith("wrong ") and remedy in result[name], result[name]


def test_local_stores_and_secrets_are_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A free host would lose it at a new start."""
    for name in ("TOKENSTEPS_STORE", "TOKENSTEPS_SECRET"):
        monkeypatch.delenv(name)
    monkeypatch.setattr("tokensteps.server.stores.STORE", tmp_path / "kept")
    monkeypatch.setattr("tokensteps.server.seal.SECRET_FILE", tmp_path / "secret")
    _code, result = diagnosis()
    assert (
        result["store"].startswith("note ")
        and "set TOKENSTEPS_STORE to a folder that stays" in result["store"]
    )
    assert result["secret"].startswith("note ") and "set TOKENSTEPS_SECRET" in result["secret"]
    (tmp_path / "file").write_text("")
    unwritable = tmp_path / "file" / "secret"
    monkeypatch.setattr("tokensteps.server.seal.SECRET_FILE", unwritable)
    assert diagnosis()[1]["secret"].startswith(f"wrong secret: {unwritable} can't be written")


class Renaming(Cable):
    """A proxy that changes the name."""

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(re.sub(rb"(?<=\r\nHost: )[^\r]+", b"inner:8501", data))
            other.shutdown(socket.SHUT_WR)


class Changing(Cable):
    """A proxy that changes the name, and drops the upgrade and the app's policy."""

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                data = re.sub(rb"(?<=\r\nHost: )[^\r]+", b"inner:8501", data)
                data = re.sub(rb"\r\nUpgrade: [^\r]+", b"", data)
                other.sendall(data.replace(b"content-security-policy:", b"x:"))
            other.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def app() -> Iterator[str]:
    with server(ROOT) as (port, _process):
        yield f"http://127.0.0.1:{port}"


def test_a_properly_reached_app(app: str) -> None:
    code, result = diagnosis(app)
    assert code == 0, result
    assert result["page"] == "ok page: the app answers"
    assert result["Host"].startswith("ok ") and result["WebSocket"] == "ok WebSocket: it comes through"
    assert result["HTTP/2"].startswith("note ")


def test_a_proxy_that_changes_headers(app: str) -> None:
    proxy = Changing(app)
    code, result = diagnosis(proxy.address)
    assert code == 1
    assert "a proxy takes its security headers out" in result["page"]
    assert "asked by the name 'inner:8501'" in result["Host"]
    assert result["Host"].endswith(f"or set STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS={proxy.address}")
    assert result["WebSocket"].startswith("wrong ") and "not 101" in result["WebSocket"]
    proxy.pull_out()


def test_the_recipe_for_a_path_behind_nginx_with_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All comes through; and the app's own addresses, such as a class's, are below the path as well."""
    with below_a_path(tmp_path) as (address, certificate):
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        until(lambda: not diagnosis(address)[1]["page"].startswith("wrong"))
        code, findings = diagnosis(address)
        assert code == 0, "\n".join(findings.values())
        assert findings["page"] == "ok page: the app answers" and "https" not in findings
        assert findings["Host"].startswith("ok ") and findings["WebSocket"].startswith("ok ")
        assert findings["HTTP/2"] == "ok HTTP/2: yes"
        requested = Request(f"{address}/class/api/open", b"{}", {"Content-Type": "application/json"})
        with urlopen(requested) as answer:
            opened = json.load(answer)
        assert re.fullmatch(rf"https?://[^/]+/tokens/\?class={opened['code']}", opened["link"])


def test_the_variable_that_mends_a_name_that_was_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The advice of the page and this command: with the browser's address, all comes through."""
    proxy = Renaming("http://127.0.0.1:1")
    monkeypatch.setenv("STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS", f"https://tokens.example.edu {proxy.address}")
    with server(ROOT) as (port, _process):
        proxy.server = ("127.0.0.1", port)
        code, result = diagnosis(proxy.address)
        assert code == 0 and result["Host"].startswith("ok ") and result["WebSocket"].startswith("ok "), (
            result
        )
    proxy.pull_out()


def test_wrong_paths_and_unreachable_addresses(app: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "EACH_ANSWER", 1.0)
    code, result = diagnosis(f"{app}/elsewhere/deep")
    assert code == 1 and "is it the app's address, with its path?" in result["page"]
    code, result = diagnosis(f"http://127.0.0.1:{free_port()}")
    assert code == 1 and result["page"].startswith("wrong page: no answer from 127.0.0.1:")
    with half_dead(silent) as address:
        code, result = diagnosis(f"http://{address}")
        assert code == 1 and "no answer from" in result["page"]
    for typed in ("ftp://x", "http://[bad", "http://"):
        wrong = CliRunner().invoke(command_line, ["doctor", typed])
        assert wrong.exit_code == 2 and f"{typed!r} is no address of an app" in wrong.stderr
