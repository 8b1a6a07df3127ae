"""What all tests share: a folder for texts too long for a link, which goes when the tests are done; the same examples on every
machine; and `many`, the mark of a test with more cases than every run needs.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections import defaultdict

import pytest
from hypothesis import settings

from tests.samples import STRESS

if "TOKENSTEPS_STORE" not in os.environ:  # else this is a worker of the run that has set it
    FOLDER = tempfile.mkdtemp(prefix="tokensteps-kept-")
    os.environ["TOKENSTEPS_STORE"] = FOLDER
    atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)

# The same examples on every machine; and no deadline, as machines are shared.
settings.register_profile("tokensteps", derandomize=True, database=None, deadline=None)
settings.load_profile("tokensteps")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "many(share): of its cases the suite tries one in `share`, `make stress` all"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test marked `many`, every so-manieth case. Whoever names a file or a case gets what is named."""
    if STRESS or any("::" in argument for argument in config.args):
        return
    seen: defaultdict[str, int] = defaultdict(int)
    left_out = []
    for item in items:
        mark = item.get_closest_marker("many")
        if mark is not None:
            name = item.nodeid.partition("[")[0]
            if seen[name] % mark.args[0]:
                left_out.append(item)
            seen[name] += 1
    items[:] = [item for item in items if item not in set(left_out)]
    config.hook.pytest_deselected(items=left_out)
