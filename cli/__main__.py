"""The command line is in the package `tokensteps` now: this says so, and nothing else."""

import shlex
import sys

sys.exit("The command line has moved: " + shlex.join(["python", "-m", "tokensteps", *sys.argv[1:]]))
