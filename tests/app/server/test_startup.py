"""A server's work at its start (`tokensteps/server/startup.py`), and its launcher's check of it.

Oracle: the operating system's own count of a process's memory, in a process of its own.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.ports import free_port
from tests.waiting import until

ROOT = Path(__file__).parents[3]
AS_IT_BECOMES = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20)}
"""The thresholds that glibc itself arrives at when texts of such a size come and go; set, they are the same
in every run."""
FILL_AND_EMPTY = """
import threading
from pathlib import Path
from tokensteps.server.startup import give_memory_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4_096

def fill(retained):
    for _round in range(3):
        texts = []
        for _ in range(40):
            texts.append("x" * 1_000_000)
            retained.append("y" * 1_000)  # small things in between stay, as they do in a server

{call}
before, retained = resident(), []
for _ in range(2):
    thread = threading.Thread(target=fill, args=(retained,))
    thread.start()
    thread.join()
print(resident() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library, which has its own ways")
def test_released_memory_goes_back_to_the_system() -> None:
    def retained_bytes(call: str) -> int:
        """Bytes kept by a process after its threads have given them up."""
        command = (sys.executable, "-c", FILL_AND_EMPTY.replace("{call}", call))
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | AS_IT_BECOMES, capture_output=True, check=True, timeout=60
        )
        return int(done.stdout)

    assert retained_bytes("") > 30_000_000, "otherwise there is nothing to mend any more"
    assert retained_bytes("give_memory_back()") < 10_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, a machine has one address of its own only")
def test_the_launcher_sees_its_workers_at_another_address_and_below_a_path() -> None:
    """Oracle: Streamlit's own server. A container's health check asks the same."""
    variables = {**os.environ, "STREAMLIT_SERVER_BASE_URL_PATH": "/tokens", "ADDRESS": "127.0.0.2"}
    command = [sys.executable, "deploy/serve.py", "--workers", "1", "--port", str(free_port())]
    with subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL) as launcher:
        try:
            check = [*command, "--check"]
            until(lambda: subprocess.run(check, cwd=ROOT, env=variables).returncode == 0, 60)
        finally:
            launcher.terminate()
