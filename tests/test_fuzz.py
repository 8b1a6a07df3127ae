"""Random and mutated WebSocket messages at a real server, and mutated tokenizer files of every kind in the
processes for reading them.

The suite takes a sample; `make hostile` sends 100,000 messages and 20,000 files. Sources: the messages of the
app's pages, and small tokenizers of every kind, each changed in one to four places from a seed. Oracles: the
app's deliberate errors and nothing else; /_stcore/health, asked all the time; the operating system's list of
processes and their memory.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import random
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.load import opened, server
from tests.app.catalogue.test_loaded import KINDS, trained
from tests.app.server.test_entrance import served
from tests.loops import finished
from tests.waiting import pass_time
from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue.files import remote_tokenizer
from tokensteps.limits import COLLECT_SECONDS, RECONNECT_SECONDS
from tokensteps.server.tasks import Progress
from tokensteps.server.workers import Workers

ROOT = Path(__file__).parents[1]
MESSAGES = int(os.environ.get("HOSTILE_MESSAGES", "100"))
FILES = int(os.environ.get("HOSTILE_FILES", "150"))
FROZEN = 0.5 if MESSAGES > 10_000 else 1.5
"""Seconds without an answer that make the server count as frozen: the suite shares its machine with other
tests."""
GROWTH = 60_000_000
"""Allowed growth of a process in bytes after its first few hundred messages or files."""
LOADED, LEAK = (90_000_000, 15_000_000) if MESSAGES > 10_000 else (GROWTH, GROWTH)
"""The same for the first two fifths of many messages, by then everything has been loaded and every account
opened; and after them."""
CONNECTIONS = 8
EACH = 12
"""Messages over one connection: the guard lets more wait."""
PACE = 0.02 if MESSAGES > 10_000 else 0.25
"""Seconds for a refusal between two messages. Many messages meet some refusals in any case; of the sample's
few, a slow server would see none before the browser has gone."""
LEFT = RECONNECT_SECONDS + COLLECT_SECONDS + 5 if MESSAGES > 10_000 else 0.0
"""Seconds until departed sessions hold nothing any more; the sample's few sessions fit into `GROWTH`."""


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes with one to four changes: flipped, cut out, doubled, moved, or a number replaced by a hostile
    one."""
    for _ in range(chance.randint(1, 4)):
        if not data:
            return data
        start = chance.randrange(len(data))
        end = min(len(data), start + chance.choice((1, 1, 2, 8, 60, 1_000)))
        piece = data[start:end]
        match chance.randrange(6):
            case 0:
                piece = bytes(byte ^ (1 << chance.randrange(8)) for byte in piece)
            case 1:
                piece = b""
            case 2:
                piece *= chance.choice((2, 3, 50))
            case 3:
                piece = chance.randbytes(len(piece))
            case 4:
                piece = chance.choice(
                    (b"999999999999", b"-1", b"1e999", b"[" * 3_000, b'"\\ud800"', b"null", b"\xff", b"\x00")
                )
            case _:
                piece += data[chance.randrange(len(data)) :][: chance.choice((4, 100))]
        data = data[:start] + piece + data[end:]
    return data


def real_messages() -> list[bytes]:
    """A page's messages: a link, a step, a text, a tick, a request for a file, a download."""
    messages = []
    for query in ("", "corpus=hug&step=2", "corpus=paste"):
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = query, "bpe"
        widgets = message.rerun_script.widget_states.widgets
        widgets.add(id="$$ID-0-bpe.book", json_value='{"step": ["run", 3, 1]}')
        widgets.add(id="$$ID-0-bpe.paste_text", string_value="hug pug " * 50)
        widgets.add(id="$$ID-0-bpe.size", int_value=30)
        messages.append(message.SerializeToString())
    for fields in (
        {"app_heartbeat": True},
        {"stop_script": True},
        {"file_urls_request": {"request_id": "1", "file_names": ["a.txt", "b.json"], "session_id": "x"}},
        {"backend_operation_request": {"deferred_file": {"file_id": "a" * 64}}},
    ):
        messages.append(BackMsg(**fields).SerializeToString())
    return messages


async def fuzz(port: int, number: int, seed: int) -> int:
    """Send so many messages, over as many connections as it takes; how many of these were closed."""
    chance, real, closed, sent = random.Random(seed), real_messages(), 0, 0
    while sent < number:
        address = {"X-Forwarded-For": f"198.51.{chance.randrange(256)}.{chance.randrange(256)}"}
        try:
            async with opened(port, "bpe", {"corpus": "hug"}, address) as session:
                try:
                    for _ in range(min(EACH, number - sent)):
                        message = (
                            chance.randbytes(chance.choice((0, 3, 40, 2_000)))
                            if chance.random() < 0.1
                            else mutated(chance.choice(real), chance)
                        )
                        sent += 1
                        await session.socket.send(message)
                        with suppress(TimeoutError):
                            await asyncio.wait_for(session.socket.wait_closed(), PACE)
                            break
                finally:  # a message may meet a connection closed on the one before
                    closed += session.socket.close_code == 1008
        except (websockets.WebSocketException, OSError, ExceptionGroup):
            pass
    return closed


def test_messages_neither_stop_the_server_nor_stay_in_it() -> None:
    with server(ROOT) as (port, process):

        async def everybody(number: int, seed: int) -> int:
            each = [fuzz(port, number // CONNECTIONS, seed + one) for one in range(CONNECTIONS)]
            return sum(await asyncio.gather(*each))

        async def visit() -> int:
            async with opened(port, "bpe", {"corpus": "hug"}) as session:
                await session.run()
                return int(session.head["last"])

        assert finished(visit()) > 2
        finished(everybody(min(MESSAGES, 400), 1))
        children = len(process.children(recursive=True))
        for number, limit in ((2 * MESSAGES // 5, LOADED), (MESSAGES - 2 * MESSAGES // 5, LEAK)):
            before = process.memory_info().rss
            with served(port, process, FROZEN):
                assert finished(everybody(number, 1_000 + number)) > number / 50, (
                    "hardly anything was refused"
                )
            assert finished(visit()) > 2, "the server serves others as before"
            pass_time(LEFT)
            grown = process.memory_info().rss - before
            print(f"grown by {grown / 1e6:.0f} MB from {before / 1e6:.0f} MB")
            assert grown < limit
        assert len(process.children(recursive=True)) <= children + 1


# --- Files --------------------------------------------------------------------------------------------------


def sources() -> list[Mapping[str, bytes]]:
    """Small tokenizers of every kind for upload."""
    ranks = b"\n".join(
        base64.b64encode(token) + f" {rank}".encode()
        for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), b"aa", b"ab", b"aab"])
    )
    return [
        *({"tokenizer.json": trained(kind).to_str().encode()} for kind in KINDS),
        {"vocab.json": json.dumps({"h": 0, "u": 1, "g": 2, "ug": 3, "<unk>": 4}).encode(), "merges.txt": b"#version: 0.2\nu g\n"},
        {"vocab.txt": b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nhug\n##s\npug\n"},
        {"mine.tiktoken": ranks},
    ]  # fmt: skip


def tried(files: Mapping[str, bytes], name: str) -> bool:
    """Whether the files make a tokenizer; any error not raised on purpose ends the test."""
    text = "hug [CLS] aab 🙂 naïve"
    with suppress(TokenizersCoreError):
        subject = remote_tokenizer.load_remote_tokenizer(
            name, lambda: files, "mine", Progress(), lambda: name
        )
        for work in (subject.encode, subject.normalized):
            with suppress(TokenizersCoreError):
                work(text)
        for identifier in range(min(50, len(subject.all_tokens()))):
            subject.facts(identifier)
            subject.token_bytes(identifier)
        return True
    return False


def test_files_neither_stop_the_server_nor_stay_in_it(monkeypatch: Any) -> None:
    pool = Workers(2, 5, remote_tokenizer.__name__)
    monkeypatch.setattr(remote_tokenizer, "readers", lambda: pool)
    monkeypatch.setattr(remote_tokenizer, "ENCODING_SECONDS", 5.0)
    whole, process = sources(), psutil.Process()
    assert all(tried(files, f"whole {number}") for number, files in enumerate(whole))
    before, children = process.memory_info().rss, len(process.children(recursive=True))

    def one(number: int) -> bool:
        chance = random.Random(number)
        files = dict(chance.choice(whole))
        victim = chance.choice([*files])
        return tried({**files, victim: mutated(files[victim], chance)}, f"mutated {number}")

    with ThreadPoolExecutor(2) as two:
        result = sum(two.map(one, range(FILES)))
    assert 0 < result < FILES
    assert process.memory_info().rss - before < GROWTH
    assert len(process.children(recursive=True)) <= children + 1
    pool.close()
