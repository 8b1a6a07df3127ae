"""The address typed in by students, and its QR code.

Oracle: the system's own word on its addresses; the code's modules as `segno` draws them itself, in another
form.
"""

from __future__ import annotations

import re
import socket

import pytest
import segno

from tokensteps.classroom import address, startup
from tokensteps.classroom.address import BORDER, local_address, qr, reachable
from tokensteps.limits import QR_LIMIT


@pytest.mark.parametrize(
    "text", ["http://192.0.2.7:8501/?class=CDFHJK", "x" * QR_LIMIT, "<svg onload=alert(1)>", "ü" * 50]
)
def test_a_code_is_the_one_that_segno_draws(text: str) -> None:
    drawn = qr(text)
    assert re.fullmatch(r"(M\d+ \d+h1v1h-1z)+", drawn.path), "nothing of the text gets into the markup"
    dark = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)", drawn.path)}
    rows = [*segno.make_qr(text, error="m").matrix_iter(border=BORDER)]
    assert drawn.size == len(rows)
    assert dark == {(x, y) for y, row in enumerate(rows) for x, one in enumerate(row) if one}


def test_a_code_has_a_bound() -> None:
    with pytest.raises(ValueError, match="too many for a QR code"):
        qr("x" * (QR_LIMIT + 1))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost:8501/bpe", "http://192.0.2.7:8501"),
        ("http://127.0.0.1:8501", "http://192.0.2.7:8501"),
        ("http://[::1]:8501/", "http://192.0.2.7:8501"),
        ("http://0.0.0.0/", "http://192.0.2.7"),
        ("https://tokens.example.edu/compare?a=b#c", "https://tokens.example.edu"),
        ("http://192.0.2.1:80/", "http://192.0.2.1:80"),
        ("http://user:word@host.example/", "http://host.example"),
    ],
)
def test_this_machines_name_for_itself_is_replaced(
    url: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address, "local_address", lambda: "192.0.2.7")
    assert reachable(url) == expected


def test_without_a_network_the_address_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nowhere(socket.socket):
        def connect(self, _address: object) -> None:
            raise OSError("Network is unreachable")

    monkeypatch.setattr(address.socket, "socket", Nowhere)
    assert local_address() == ""
    assert reachable("http://localhost:8501/") == "http://localhost:8501"
    assert (
        reachable("http://[::1]:8501/") == "http://[::1]:8501" and reachable("http://[::]/") == "http://[::]"
    )


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        (["10.1.2.3"], "10.1.2.3"),
        (["127.0.0.1", None, "192.168.1.5"], "192.168.1.5"),
        (["127.0.0.1"] * 4, ""),
        ([None] * 4, ""),
    ],
)
def test_the_address_is_the_first_that_others_reach(
    own: list[str | None], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Oracle: the addresses that a system says it would send from, None where there is no way; a loopback is
    reached by nobody else."""
    said = iter(own)

    class Answering(socket.socket):
        def connect(self, _address: object) -> None:
            self.said = next(said)
            if self.said is None:
                raise OSError("Network is unreachable")

        def getsockname(self) -> tuple[str | None, int]:
            return self.said, 9

    monkeypatch.setattr(address.socket, "socket", Answering)
    assert local_address() == expected
    assert [*said] == []


def test_finding_the_address_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(socket.socket):
        def send(self, *_given: object) -> int:
            raise AssertionError("something is sent")

        sendto = sendall = send  # type: ignore[assignment]

    monkeypatch.setattr(address.socket, "socket", Silent)
    result = local_address()
    if result:
        with socket.socket() as own:
            own.bind((result, 0))  # only an address of this machine can be bound


@pytest.mark.parametrize(
    ("listens", "network", "certificate", "expected"),
    [
        ("", "192.0.2.7", "", "http://192.0.2.7:8501/tokens"),
        (None, "192.0.2.7", "", "http://192.0.2.7:8501/tokens"),
        ("0.0.0.0", "192.0.2.7", "", "http://192.0.2.7:8501/tokens"),
        ("::", "192.0.2.7", "", "http://192.0.2.7:8501/tokens"),
        ("", "192.0.2.7", "own.pem", "https://192.0.2.7:8501/tokens"),
        ("127.0.0.1", "192.0.2.7", "", None),
        ("localhost", "192.0.2.7", "", None),
        ("", "", "", None),
    ],
)
def test_a_server_prints_the_address_that_a_class_can_type(
    listens: str | None,
    network: str,
    certificate: str,
    expected: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """None, if it listens to its own machine alone, or there is no network. Source: `server.address` in
    Streamlit's options."""
    options = {"server.address": listens, "server.port": 8501, "server.sslCertFile": certificate}
    monkeypatch.setattr(startup.st, "get_option", options.__getitem__)
    monkeypatch.setattr(startup, "local_address", lambda: network)
    monkeypatch.setattr(startup, "base_path", lambda: "/tokens")
    startup.tell_address()
    printed = f"  For a class in the same network: {expected}\n\n" if expected else ""
    assert capsys.readouterr().out == printed
