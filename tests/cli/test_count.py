"""Counting on the command line and on Dask (`tokensteps/cli/count.py`, `tokensteps/cli/cluster.py`), and
training on the output.

Oracle: `Corpus.from_file` and the engine's training on the text itself.
"""

from __future__ import annotations

import os
import pty
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from types import ModuleType

import click
import psutil
import pytest
from click.testing import CliRunner, Result

from tests.half_dead import another_protocol, dripping, half_dead, silent
from tests.loops import apart
from tokenizers_core import Corpus, Pipeline, Tokenizer, train_bpe, train_unigram
from tokenizers_core.errors import PatternTimeoutError
from tokenizers_core.text.counting import counts_tsv, read_counts, without_rare
from tokensteps.cli.cluster import MISSING, cluster, count_on
from tokensteps.cli.commands import command_line
from tokensteps.limits import UPLOAD_LIMIT

ROOT = Path(__file__).parents[2]
MIXED = str(ROOT / "assets" / "corpora" / "mixed.txt")


def run(*arguments: object, text: str | bytes = "") -> Result:
    return copy_context().run(lambda: CliRunner().invoke(command_line, list(map(str, arguments)), input=text))


def complaint(code: int, *arguments: object, text: str | bytes = "") -> str:
    """The last line of a failing command."""
    result = run(*arguments, text=text)
    assert result.exit_code == code, result.output
    return result.stderr.splitlines()[-1]


@pytest.fixture(scope="module")
def counts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("counts") / "mixed.tsv"
    result = run("count", MIXED, "--output", path)
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[0] == (
        f"Corpus: 11 lines, {Corpus.from_file(MIXED).total:,} words, {len(Corpus.from_file(MIXED)):,} different ones"
    )
    return path


def test_the_file_is_the_corpus_and_training_on_it_learns_the_same(counts_file: Path, tmp_path: Path) -> None:
    corpus = Corpus.from_file(MIXED, timeout=60.0)
    assert read_counts(counts_file.read_text("utf-8"), 60.0).corpus == corpus
    outputs = [tmp_path / "text.json", tmp_path / "counts.json"]
    shared = ("--alphabet", "bytes", "-s", 400, "-p", "byte_level")
    assert run("train", MIXED, *shared, "-o", outputs[0]).exit_code == 0
    assert run("train", "--counts", counts_file, *shared[:4], "-o", outputs[1]).exit_code == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    assert Tokenizer.load(outputs[1]).encode("A tea shop").ids


def test_from_a_pipe_into_a_pipe() -> None:
    """The given rules are in the file; unigram takes them from there."""
    text = Path(MIXED).read_bytes()
    result = run("count", "-n", "nfkc", "-n", "lowercase", "-p", "metaspace", "-m", 2, "-q", text=text)
    assert (result.exit_code, result.stderr) == (0, "")
    corpus = Corpus.from_file(MIXED, ("nfkc", "lowercase"), "metaspace")
    assert result.stdout == counts_tsv(without_rare(corpus, 2))
    trained = run("trace", "--counts", "-a", "unigram", "--format", "csv", "-q", text=result.stdout)
    trace = train_unigram(without_rare(corpus, 2).corpus, seed_size=1000, vocab_size=300)
    assert trained.exit_code == 0 and len(trained.stdout.splitlines()) == len(trace) + 1


def test_omissions_are_reported(tmp_path: Path) -> None:
    result = run(
        "count", "-m", 2, "-p", "whitespace", "-o", tmp_path / "counts.tsv", text="to be or not to be\n"
    )
    assert result.stderr.splitlines() == [
        "Corpus: 1 line, 6 words, 4 different ones",
        "Left out: 2 different words that occur fewer than 2 times, 2 occurrences",
        f"Written: {tmp_path / 'counts.tsv'}",
    ]
    one = run("count", "-m", 2, "-p", "whitespace", text="to be to")
    assert "1 different word that occurs fewer than 2 times, 1 occurrence" in one.stderr


def test_a_file_that_the_app_does_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy works: with the named minimum, there is no message any more."""
    monkeypatch.setattr("tokensteps.cli.count.UPLOAD_LIMIT", 1000)
    text = "\n".join(f"word{number}a " * number for number in range(1, 120))
    output = run("count", "-p", "whitespace_split", text=text).stderr.splitlines()[-1]
    assert "and the app takes 1,000; with --minimum" in output
    minimum = output.split("--minimum ")[1].split(" ")[0]
    again = run("count", "-p", "whitespace_split", "-m", minimum, text=text)
    assert len(again.stdout.encode()) <= 1000 and "the app" not in again.stderr
    assert UPLOAD_LIMIT > 1000


def test_mistakes(counts_file: Path, tmp_path: Path) -> None:
    hug = ROOT / "assets" / "corpora" / "hug.txt"
    broken = tmp_path / "broken.tsv"
    broken.write_bytes(counts_file.read_bytes() + b"again\n")
    line = counts_file.read_bytes().count(b"\n") + 1
    assert complaint(2, "train", "--counts", counts_file, hug) == (
        f"Error: {counts_file} holds a whole corpus, counted by its own rules; "
        "leave the other files out, or count them together."
    )
    assert complaint(2, "train", "--counts", counts_file, "-n", "nfc") == (
        f"Error: {counts_file} says by which rules its words were counted; "
        "leave --normalizer out, or count the text again."
    )
    assert complaint(1, "train", "--counts", counts_file, "-a", "unigram").startswith(
        f"Error: {counts_file}: The words in the file were counted with --pre-tokenizer 'byte_level', "
        "which can't be used here; count the text again with one of whitespace_split_metaspace,"
    )
    assert complaint(1, "train", "--counts", broken).startswith(
        f"Error: {broken}: Line {line} ('again'): it should"
    )
    assert complaint(1, "count", "-m", 9, text="to be") == (
        "Error: --minimum 9 can't be used: no word occurs that often; choose a lower one."
    )
    assert complaint(1, "count", text="") == (
        "Error: standard input: there is no text; name a file that holds some."
    )
    assert complaint(2, "count", "--workers", 2, text="to be").startswith(
        "Error: Standard input can't be counted on a cluster"
    )
    assert complaint(2, "count", MIXED, "--workers", 2, "--scheduler", "x").startswith(
        "Error: --workers and --scheduler are both given"
    )
    assert complaint(2, "count", MIXED, "--scheduler", "nonsense") == (
        "Error: --scheduler 'nonsense' is no address; write one like tcp://10.0.0.5:8786."
    )
    assert complaint(2, "count", MIXED, "-p", "bert", "--pattern", "gpt2").startswith(
        "Error: --pattern is for"
    )


@pytest.mark.parametrize("serve", [silent, dripping, another_protocol])
def test_an_invalid_scheduler_is_reported_in_one_line(
    serve: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dask itself waits for ever for an answer, and takes a web server's “HTTP/1.1” for a length of
    exabytes."""
    pytest.importorskip("distributed")
    monkeypatch.setattr("tokensteps.cli.cluster.ANSWERS_WITHIN", 1)
    with half_dead(serve) as address:
        start = time.monotonic()
        message = complaint(1, "count", MIXED, "--scheduler", f"tcp://{address}")
        assert time.monotonic() - start < 60
    assert message.startswith(f"Error: There is no Dask scheduler at tcp://{address}: ")
    assert message.endswith("; check the address and that it runs.")


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module set to None can't be imported."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert complaint(1, "count", MIXED, "--workers", 2) == f"Error: {MISSING}"
    assert run("count", MIXED).exit_code == 0


def test_a_bar_moves_while_a_file_is_read(tmp_path: Path) -> None:
    """On a terminal only: percents of the file's bytes, up to all of them."""
    text = tmp_path / "large.txt"
    text.write_text("to be or not to be\n" * 60_000, "utf-8")
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "tokensteps",
        "count",
        str(text),
        "--output",
        str(tmp_path / "counts.tsv"),
    ]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
    os.close(ours)
    assert process.returncode == 0
    assert shown.count(b"Reading") > 2 and b"100%" in shown and b"Written:" in shown


# --- Dask ---------------------------------------------------------------------------------------------------


def test_a_local_cluster_has_the_counts_of_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real worker processes. Source of the text: every example corpus in several blocks, with bytes other
    than UTF-8."""
    files = [str(path) for path in sorted((ROOT / "assets" / "corpora").glob("*.txt"))]
    odd = tmp_path / "odd.txt"
    odd.write_bytes(b"to be\r\n\xff\xfe\xc3\ror not\n" * 40)
    files.append(str(odd))
    lines = [line for name in files for line in Path(name).read_text("utf-8", "replace").splitlines()]
    assert "\x85" not in "".join(lines)  # `splitlines` ends a line there, and files don't
    plain = Corpus.from_texts(lines)
    heard: list[tuple[int, int]] = []
    # A page tested before this stays there as the main module, and each worker would run it.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    with cluster(2, None) as client:
        ports = [
            port.laddr
            for process in (os.getpid(), *client.run(os.getpid).values())
            for port in psutil.Process(process).net_connections()
            if port.status == psutil.CONN_LISTEN
        ]
        assert ports and {address.ip for address in ports} == {"127.0.0.1"}
        counts = count_on(client, files, Pipeline(), 1, lambda *step: heard.append(step), size=100)
        cut = count_on(client, files, Pipeline(), 3, lambda *_step: None, size=1000)

        def visited() -> object:
            with cluster(None, client.scheduler.address) as visitor:  # as `--scheduler` does
                return count_on(visitor, files, Pipeline(), 3, lambda *_step: None)

        assert apart(visited) == cut
        endless = tmp_path / "endless.txt"
        endless.write_text("a" * 60 + "!\n", "utf-8")
        slow = Pipeline(pattern=r"(a|aa)+$", timeout=0.01)
        with pytest.raises(PatternTimeoutError):
            count_on(client, [str(endless)], slow, 1, lambda *_step: None)
    monkeypatch.setattr("tokensteps.cli.cluster.PATIENCE", 0.1)
    with (
        cluster(0, None) as idle,
        pytest.raises(click.ClickException, match="has no workers; start some there: dask worker tcp://"),
    ):
        apart(cluster(None, idle.scheduler.address).__enter__)
    assert (counts.corpus.words, counts.corpus.counts, counts.corpus.ends) == (
        plain.words,
        plain.counts,
        plain.ends,
    )
    assert counts.corpus.lines == len(lines) and counts.corpus.replaced == 40 * 3
    expected = without_rare(plain, 3)
    assert (cut.corpus.words, cut.rare, cut.rare_total) == (
        expected.corpus.words,
        expected.rare,
        expected.rare_total,
    )
    total = sum(map(os.path.getsize, files))
    assert heard and heard == sorted(heard) and heard[-1][0] <= total == heard[-1][1]
    assert train_bpe(counts.corpus, merges=20).tokens == train_bpe(plain, merges=20).tokens
