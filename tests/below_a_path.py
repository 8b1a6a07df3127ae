"""The app below a path behind nginx with TLS, by the recipe in docs/hosts.md."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.load import ROOT, server
from benchmarks.ports import free_port
from tests.browser import nginx


@contextmanager
def below_a_path(folder: Path) -> Iterator[tuple[str, Path]]:
    """Its address, and the certificate to trust."""
    program = nginx.find()
    if program is None or shutil.which("openssl") is None:
        pytest.skip("no nginx or no openssl here")
    recipe = (ROOT / "docs" / "hosts.md").read_text("utf-8").partition("```nginx\n")[2].partition("```")[0]
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    front = free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", "tokens")
        with server(ROOT, "/tokens") as (port, _process):
            temporary = " ".join(
                f"{kind}_temp_path {folder}/{kind};"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            )
            (folder / "nginx.conf").write_text(
                f"pid {folder}/pid; error_log stderr crit; events {{}} http {{ access_log off; {temporary} server {{ listen 127.0.0.1:{front} ssl http2; "
                f"ssl_certificate cert.pem; ssl_certificate_key key.pem; large_client_header_buffers 4 64k; {recipe.replace('8501', str(port))} }} }}"
            )
            words = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
            process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
            try:
                yield f"https://localhost:{front}/tokens", folder / "cert.pem"
            finally:
                process.terminate()
                process.wait(10)
