"""The command line is in the package `tokensteps` now: this says so, and nothing else."""

import sys

sys.exit("The command line has moved: python -m tokensteps " + " ".join(sys.argv[1:]))
