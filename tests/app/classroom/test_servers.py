"""Servers in processes of their own with a shared store, one of them killed in the middle of a vote.

Oracle: every student's own answer, required in the summary; every event counted at the students' sockets.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from benchmarks.classroom import Browser, Lesson, Outcome, hold, lose
from benchmarks.ports import free_port
from tests.app.classroom.web import ROOT, bare_server
from tests.loops import finished
from tokensteps.classroom.address import local_address


def whole(outcome: Outcome, students: int, questions: int) -> bool:
    """Whether nothing was lost and nothing came twice."""
    messages = (outcome.lost, outcome.twice, outcome.refused, outcome.wrong, outcome.answers)
    return messages == (0, 0, 0, 0, students * questions)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "redis"])
def test_a_server_is_killed_in_the_middle_of_a_vote(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    environment = {"TOKENSTEPS_STORE": str(tmp_path), "TOKENSTEPS_SECRET": "x" * 32}
    if kind == "redis":
        environment["TOKENSTEPS_REDIS"] = request.getfixturevalue("redis_address")
    with ExitStack() as stack:
        # With a Redis, they needn't share a folder.
        folders = [{**environment, "TOKENSTEPS_STORE": str(tmp_path / name)} for name in ("a", "b")]
        value = folders if kind == "redis" else [environment] * 2
        servers = [stack.enter_context(bare_server(**one)) for one in value]
        lesson = Lesson(students=20, answer_within=2.0)
        outcome = finished(lose([port for port, _process in servers], lesson, servers[1][1].kill))
    assert whole(outcome, 20, 1)
    assert outcome.back > 0


@pytest.mark.slow
def test_a_server_is_started_again_in_the_middle_of_a_vote(tmp_path: Path) -> None:
    """A lone server: nobody opens the class again, and every answer counts, those given meanwhile, too."""
    with ExitStack() as stack, ThreadPoolExecutor(1) as pool:
        environment = {"TOKENSTEPS_STORE": str(tmp_path), "TOKENSTEPS_SECRET": "x" * 32}
        port, process = stack.enter_context(bare_server(**environment))

        def start_again() -> None:
            process.kill()
            process.wait()
            pool.submit(stack.enter_context, bare_server(port, **environment))

        outcome = finished(lose([port], Lesson(students=20, answer_within=2.0), start_again))
    assert whole(outcome, 20, 1)
    assert outcome.back > 0


def test_a_small_class_follows_and_answers(tmp_path: Path) -> None:
    with bare_server(TOKENSTEPS_STORE=str(tmp_path)) as (port, _process):
        outcome = finished(hold([port], Lesson(20, steps=15, questions=2, answer_within=0.5, pace=0.1)))
    assert whole(outcome, 20, 2)
    assert len(outcome.followed) == 20 * 15
    assert len(outcome.counted) == 20 * 2


def test_the_app_prints_its_address_and_ends_with_a_class_open(tmp_path: Path) -> None:
    """The whole app, as `make run` starts it: it would wait for ever for event streams to be finished."""
    port = free_port()
    command = (
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    )
    environment = {**os.environ, "TOKENSTEPS_STORE": str(tmp_path)}
    output = tmp_path / "output"
    with output.open("wb") as file:
        process = subprocess.Popen(
            (*command, "--browser.serverAddress", "localhost"),
            cwd=ROOT,
            env=environment,
            stdout=file,
            start_new_session=True,
        )
    try:
        finished(_attend(port, process))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    result = local_address()
    if result:
        assert f"http://{result}:{port}" in output.read_text()


async def _attend(port: int, process: subprocess.Popen[bytes]) -> None:
    """Open a class, listen, and end the server."""
    lecturer = Browser([port])
    opened = await asyncio.wait_for(lecturer.insist("open"), 240)
    lecturer.credential = opened["key"]
    listening = asyncio.create_task(lecturer.listen(opened["code"], lambda *_heard: None))
    await asyncio.wait_for(lecturer.listening.wait(), 60)
    process.send_signal(signal.SIGTERM)
    await asyncio.to_thread(process.wait, 240)
    listening.cancel()
    lecturer.drop()
