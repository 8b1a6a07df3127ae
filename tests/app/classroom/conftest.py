"""Shared by several tests of classes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress

import pytest

from benchmarks.ports import free_port
from tests.app.classroom import redis_server
from tests.waiting import until
from tokensteps.classroom import redis_store
from tokensteps.classroom.redis_store import RedisStore
from tokensteps.classroom.store import StoreError


@pytest.fixture(scope="session")
def redis_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real Redis or Valkey of its own, in memory alone; without one, the test is left out."""
    command = redis_server.find()
    if command is None:
        pytest.skip(redis_server.LEFT_OUT)
    port = free_port()
    options = ("--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
    folder = tmp_path_factory.mktemp("redis")
    process = subprocess.Popen((command, *options), cwd=folder, stdout=subprocess.DEVNULL)
    address = f"redis://127.0.0.1:{port}/0"

    def answers() -> bool:
        with suppress(StoreError):
            RedisStore(address).read("CDFHJK", 0)
            return True
        return False

    until(answers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redis_store, "REACH", 60.0)  # the clock of a busy machine gives up nothing
        yield address
    process.terminate()
    process.wait()
