"""A corpus of 1 GB, counted on Dask's local cluster and trained from its counts: ``python -m
benchmarks.counting``.

The text is the standard library's, repeated; every pass gives some of its longer words other endings, so that
new words keep coming, as in any text. The counts are compared with the plain count on a sample; memory is
that of every process, sampled all along; for comparison there are the plain count, and the `tokenizers`
library's counting on one thread.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

# One thread for the Rust side; read when the library is imported, so set before.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import psutil
import regex
import tokenizers

from benchmarks.text import library_text
from tokenizers_core import Corpus, Pipeline, train_bpe
from tokenizers_core.text.counting import (
    WordCounts,
    counts_tsv,
    least_minimum,
    read_counts,
    without_rare,
)
from tokensteps.cli.cluster import cluster, count_on
from tokensteps.limits import UPLOAD_LIMIT

EVERY = 10
"""One in so many words of seven letters and more gets another ending in each pass."""
MERGES = 4000


def varied_text(size: int) -> Iterator[str]:
    """At least `size` bytes of text: passes over the standard library's modules, with other endings of some
    words."""
    source = library_text(size)  # the whole library, if `size` is more
    pieces = LONG_WORD.split(source)  # every other one is a long word
    indices: dict[str, list[int]] = {}
    for index in range(1, len(pieces), 2):
        indices.setdefault(pieces[index], []).append(index)
    words = sorted(indices)
    written = 0
    for turn in count():
        ending = "".join(chr(ord("a") + turn // power % 26) for power in (676, 26, 1))
        varied = pieces.copy()
        for word in words[turn % EVERY :: EVERY] if turn else ():
            for index in indices[word]:
                varied[index] = word + ending
        text = "".join(varied)
        yield text
        written += len(text.encode())
        if written >= size:
            return


LONG_WORD = regex.compile(r"\b([A-Za-z]{7,})\b")


class Memory:
    """The resident memory of this process and its children, sampled every half second."""

    def __init__(self) -> None:
        self.samples: list[tuple[float, int, list[int]]] = []
        """Seconds since the start, this process's bytes, and those of the workers, the largest first."""
        self.cpu: dict[int, float] = {}
        """The processor time of each worker, so far."""

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Sample while the block runs."""
        over = threading.Event()
        thread = threading.Thread(target=self._sample, args=(over,))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _sample(self, over: threading.Event) -> None:
        start, this = time.monotonic(), psutil.Process()
        while not over.wait(0.5):
            workers = []
            for child in this.children(recursive=True):
                try:
                    if "spawn_main" in " ".join(child.cmdline()):
                        workers.append(child.memory_info().rss)
                        self.cpu[child.pid] = sum(child.cpu_times()[:2])
                except psutil.Error:
                    continue  # it has just ended
            self.samples.append(
                (time.monotonic() - start, this.memory_info().rss, sorted(workers, reverse=True))
            )

    def table(self, parts: int = 10) -> str:
        """Means over equal stretches of time, in megabytes."""
        last = self.samples[-1][0]
        rows = ["| time      | this process | workers, all | largest worker |", "| --- | --- | --- | --- |"]
        for part in range(parts):
            low, high = last * part / parts, last * (part + 1) / parts
            stretch = [sample for sample in self.samples if low <= sample[0] <= high]
            if stretch:
                own = mean(sample[1] for sample in stretch) / 1e6
                together = mean(sum(sample[2]) for sample in stretch) / 1e6
                largest = max((sample[2][0] for sample in stretch if sample[2]), default=0) / 1e6
                rows.append(
                    f"| {low:.0f}–{high:.0f} s | {own:.0f} MB | {together:.0f} MB | {largest:.0f} MB |"
                )
        return "\n".join(rows)


def timed(name: str, size: int, seconds: float, cpu: float, rows: list[tuple[str, str]]) -> None:
    """Note a speed: by the clock, and for each second of a processor."""
    rows.append((name, f"{seconds:.1f} s, {cpu:.1f} s of processors: {size / cpu / 1e6:.2f} MB for each"))
    print(f"{name}: {rows[-1][1]}", file=sys.stderr)


def on_cluster(paths: Sequence[Path], minimum: int, workers: int, memory: Memory) -> tuple[WordCounts, float]:
    """Count files on a cluster of this machine; the time begins when the cluster is ready."""
    with cluster(workers, None) as client, memory.watched():
        start = time.monotonic()
        counts = count_on(
            client, list(map(str, paths)), Pipeline(timeout=60.0), minimum, lambda _done, _total: None
        )
        return counts, time.monotonic() - start


def rust_count(path: Path) -> None:
    """The `tokenizers` library's splitting and counting: a training that stops before the first merge."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=256, show_progress=False, initial_alphabet=alphabet)
    with open(path, encoding="utf-8") as lines:
        tokenizer.train_from_iterator((line.rstrip("\n") for line in lines), trainer)


def head(path: Path, size: int, into: Path) -> Path:
    """The first lines of a file, about `size` bytes."""
    with open(path, "rb") as source, open(into, "wb") as target:
        while target.tell() < size and (line := source.readline()):
            target.write(line)
    return into


def main() -> None:
    """Make the text, count it in every way, train, and print the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.counting", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000, help="of text (1000)")
    parser.add_argument(
        "--sample", type=int, default=50, help="megabytes that are counted in other ways, too (50)"
    )
    parser.add_argument("--minimum", type=int, default=2, help="a word's least count (2)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    options = parser.parse_args()
    rows: list[tuple[str, str]] = []
    with TemporaryDirectory() as folder:
        path, sample = Path(folder, "corpus.txt"), Path(folder, "sample.txt")
        with open(path, "w", encoding="utf-8", newline="") as file:
            for text in varied_text(options.megabytes * 1_000_000):
                file.write(text)
        size = path.stat().st_size
        head(path, options.sample * 1_000_000, sample)
        sampled = sample.stat().st_size
        rows.append(("text", f"{size / 1e6:.0f} MB, sample {sampled / 1e6:.0f} MB"))

        start, cpu = time.monotonic(), time.process_time()
        plain = Corpus.from_file(sample, timeout=60.0)
        plain_cpu = time.process_time() - cpu
        timed("plain count of the sample, one process", sampled, time.monotonic() - start, plain_cpu, rows)
        start, cpu = time.monotonic(), time.process_time()
        rust_count(sample)
        rust_cpu = time.process_time() - cpu
        timed("tokenizers library, sample, one thread", sampled, time.monotonic() - start, rust_cpu, rows)
        rows.append(("plain count : tokenizers library", f"{plain_cpu / rust_cpu:.2f} ×"))
        memory = Memory()
        counts, seconds = on_cluster([sample], 1, options.workers, memory)
        timed(f"cluster, sample, {options.workers} workers", sampled, seconds, sum(memory.cpu.values()), rows)
        if counts.corpus != plain:
            raise SystemExit("the cluster counts the sample differently")
        rows.append(("the sample's counts", "equal, order and totals included"))
        memory = Memory()
        counts, seconds = on_cluster([path], options.minimum, options.workers, memory)
        timed(f"cluster, all, {options.workers} workers", size, seconds, sum(memory.cpu.values()), rows)
    corpus = counts.corpus
    own, largest = (
        max(sample[1] for sample in memory.samples),
        max(sample[2][0] for sample in memory.samples if sample[2]),
    )
    rows += [
        (
            "peak memory",
            f"{own / 1e6:.0f} MB here (scheduler included), {largest / 1e6:.0f} MB in the largest worker",
        ),
        ("words", f"{corpus.total + counts.rare_total:,}"),
        (
            "different words",
            f"{len(corpus) + counts.rare:,}, {len(corpus):,} of them at least {options.minimum} times",
        ),
    ]
    start = time.monotonic()
    text = counts_tsv(counts)
    written = len(text.encode())
    rows.append(("file of counts", f"{written / 1e6:.2f} MB, written in {time.monotonic() - start:.1f} s"))
    fitting = least_minimum(counts, UPLOAD_LIMIT)
    fits = len(counts_tsv(without_rare(corpus, fitting)).encode()) / 1e6
    rows.append((f"minimum for {UPLOAD_LIMIT / 1e6:.0f} MB", f"{fitting}: {fits:.2f} MB"))
    start = time.monotonic()
    if read_counts(text, 60.0) != counts:
        raise SystemExit("the file is read as something else")
    rows.append(("file of counts, read", f"{time.monotonic() - start:.1f} s, equal"))
    start = time.monotonic()
    trace = train_bpe(corpus, merges=MERGES, alphabet="bytes")
    rows.append(
        (f"BPE from the counts, {MERGES:,} merges", f"{time.monotonic() - start:.1f} s, {len(trace):,} steps")
    )
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, wall time.\n")
    print("| what | measured |\n| --- | --- |")
    print("\n".join(f"| {name} | {value} |" for name, value in rows))
    print()
    print(memory.table())


if __name__ == "__main__":
    main()
