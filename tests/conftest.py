"""Shared by all tests: a folder for texts too long for a link, removed after the tests; the same examples on
every machine; the marks `many`, for a test with more cases than every run needs, and `slow`; an event loop
for each test that is a coroutine; and the choice of a worker's next file.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from inspect import iscoroutinefunction, signature
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from tests.loops import finished
from tests.samples import SLOW, STRESS

if "TOKENSTEPS_STORE" not in os.environ:  # else the run of this worker has set it
    FOLDER = tempfile.mkdtemp(prefix="tokensteps-kept-")
    os.environ["TOKENSTEPS_STORE"] = FOLDER
    atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)

# Started processes run it before all else; it is no test.
collect_ignore = ["app/server/black_hole/sitecustomize.py", "real/judges.py"]

# The tests start Python dozens of times, as servers, workers and commands: they share compiled modules.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# The same examples on every machine, half as many as Hypothesis would try; and no deadline, as machines are
# shared.
settings.register_profile(
    "tokensteps", derandomize=True, database=None, deadline=None, max_examples=100 if STRESS else 50
)
settings.load_profile("tokensteps")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "many(share): of its cases the suite tries one in `share`, `make stress` all"
    )
    config.addinivalue_line(
        "markers", "slow: seconds of both cores; runs with `make test SLOW=1`, or where its file is named"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that is a coroutine runs in an event loop of its own."""
    if not iscoroutinefunction(test := pyfuncitem.obj):
        return None
    finished(test(**{name: pyfuncitem.funcargs[name] for name in signature(test).parameters}))
    return True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Without looking for garbage, as the collected items stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test marked `many`, every so-manieth case, and none that is marked `slow`. A named case is never
    left out, nor a slow test of a named file."""
    if STRESS or any("::" in argument for argument in config.args):
        return
    slow = SLOW or any(argument.endswith(".py") for argument in config.args)
    seen: defaultdict[str, int] = defaultdict(int)
    kept, left_out = [], []
    for item in items:
        runs = slow or not item.get_closest_marker("slow")
        if runs and (mark := item.get_closest_marker("many")):
            name = item.nodeid.partition("[")[0]
            runs = seen[name] % mark.args[0] == 0
            seen[name] += 1
        (kept if runs else left_out).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="module", autouse=True)
def _collect_what_is_new() -> None:
    """Of garbage, Python's collector looks for the newest alone: a process after half of the tests has
    millions of objects, of kept traces above all, and a look through all of them takes a second each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _cheaper_app_tests() -> Iterator[None]:
    """Every `AppTest` looks through all installed packages for components; this takes longer than a page's
    run. Each run compiles app.py and the page's script, and interrupts the page every millisecond to ask for
    its end. And it lacks the server's patches: without them Streamlit copies the whole session state for each
    widget."""
    with pytest.MonkeyPatch.context() as patch:
        if "streamlit.testing.v1" in sys.modules:  # some test has asked for it
            from streamlit.components.v2 import manifest_scanner as scanner
            from streamlit.runtime.scriptrunner.script_cache import ScriptCache
            from streamlit.testing.v1 import app_test, local_script_runner

            from tokensteps.streamlit_tuning import PATCHES

            patch.setattr(scanner, "scan_component_manifests", cache(scanner.scan_component_manifests))
            compiled = ScriptCache()
            for module in (app_test, local_script_runner):
                patch.setattr(module, "ScriptCache", lambda: compiled)
            ask = local_script_runner.require_widgets_deltas

            def wait(runner: Any, timeout: float = 3) -> None:
                runner._script_thread.join(max(timeout, 60))  # machines are shared
                if not runner.script_stopped():
                    ask(runner, 0)  # ends it, with an error about the time

            patch.setattr(local_script_runner, "require_widgets_deltas", wait)
            for module in ("session_state", "fragment_places"):
                getattr(import_module(f"tokensteps.streamlit_tuning.{module}"), PATCHES[module])()
        yield


def pytest_runtest_teardown() -> None:
    """The next test begins in English, also when the one before it failed in another language."""
    if "tokensteps.language.i18n" in sys.modules:
        sys.modules["tokensteps.language.i18n"].use_language("en")


@pytest.fixture(scope="session", autouse=True)
def _streamlits_logs_go_up() -> Iterator[None]:
    """Streamlit has dozens of loggers without propagation, and pytest hangs two handlers on each of them,
    three times a test. Here they propagate: to the one at the top, where pytest listens as well."""
    with pytest.MonkeyPatch.context() as patch:
        for name, logger in logging.Logger.manager.loggerDict.items():
            if name.startswith("streamlit.") and isinstance(logger, logging.Logger):
                patch.setattr(logger, "propagate", True)
        yield


FIRST_IN_BROWSER = tuple(
    f"tests/browser/test_{name}.py"
    for name in (
        "playground_page", "access", "bpe_page", "class_flow", "class", "class_hands", "compare_page", "lesson", "walk",
        "unigram_page", "wordpiece_page", "chips", "path", "growing", "flipbook", "class_presenter", "projector",
        "class_words", "behind_nginx",
    )
)  # fmt: skip
"""Files of half a minute and more. They begin first, in this order: the last of them would keep one worker
busy when the others are done."""
LONG = frozenset(
    f"tests/{name}.py"
    for name in (
        "app/catalogue/test_remote_tokenizer",
        "app/catalogue/test_hub",
        "app/classroom/test_servers",
        "app/server/test_entrance",
        "app/server/test_outwards",
        "app/server/test_steps",
        "app/server/test_workers",
        "app/test_streamlit_tuning",
        "core/test_unigram_library",
        "test_fuzz",
        "test_hostile",
    )
)
"""Files of few, long tests, mostly with waits for servers and other processes. Files with many tests come
first."""


class Mixed(LoadFileScheduling):  # type: ignore[misc]
    """Whole files to workers, as `--dist loadfile` has it, but never a browser at all of them while there is
    anything else to do: a browser's test waits a good deal, for pages and for its own pauses, and the others
    use the processor meanwhile. Of the long files one at a time from the beginning on, so that none is left
    for the end, when the other workers have nothing to do."""

    def _assign_work_unit(self, node: Any) -> None:
        browser_wanted = self._others_at(in_browser, node) < max(1, len(self.assigned_work) - 1)
        long_wanted = not self._others_at(LONG.__contains__, node)

        def misfit(scope: str) -> tuple[bool, int]:
            if in_browser(scope):
                return not browser_wanted, [*FIRST_IN_BROWSER, scope].index(scope)
            return browser_wanted, (scope in LONG) != long_wanted

        self.workqueue.move_to_end(min(self.workqueue, key=misfit), last=False)
        super()._assign_work_unit(node)

    def _others_at(self, kind: Callable[[str], bool], node: Any) -> int:
        """How many workers but this one are at a file of a kind."""
        return sum(
            any(kind(scope) and not all(done.values()) for scope, done in units.items())
            for one, units in self.assigned_work.items()
            if one is not node
        )


def in_browser(scope: str) -> bool:
    """Whether a file has browser tests."""
    return scope.startswith("tests/browser/")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Mixed | None:
    """Ours in the place of `--dist loadfile`; any other choice is respected."""
    return Mixed(config, log) if config.getoption("dist") == "loadfile" else None
