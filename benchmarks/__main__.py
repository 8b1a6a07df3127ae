"""``python -m benchmarks``: a table of ratios; ``--quick`` repeats less."""

from __future__ import annotations

import argparse
import os
import platform
import sys

# The Rust side gets one thread, as ours has; read when the library is imported, so set before.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

from benchmarks import bpe, encoding, kinds, playground, unigram, wordpiece
from benchmarks.measure import Result, table


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="repeat less: a first impression")
    repeats = 2 if parser.parse_args().quick else 5
    results: list[Result] = []
    for measure in (*bpe.ALL, *kinds.ALL, *wordpiece.ALL, *unigram.ALL, *encoding.ALL, *playground.ALL):
        for result in measure(repeats):
            print(f"{result.mark:4} {result.name}: {result.value:.3g} {result.unit}", file=sys.stderr)
            results.append(result)
    print(f"Python {platform.python_version()}, medians of {repeats}, processor time.")
    print()
    print(table(results))


if __name__ == "__main__":
    main()
