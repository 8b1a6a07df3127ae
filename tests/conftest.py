"""What all tests share: texts too long for a link are kept in a folder that goes when the tests are done."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

if "TOKENSTEPS_STORE" not in os.environ:  # else this is a worker of the run that has set it
    FOLDER = tempfile.mkdtemp(prefix="tokensteps-kept-")
    os.environ["TOKENSTEPS_STORE"] = FOLDER
    atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
