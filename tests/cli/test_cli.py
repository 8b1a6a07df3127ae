"""The command line (`tokensteps/cli/`).

Oracles: the published worked examples in `golden/`; the engine and the app's handout, called directly with
the same arguments; Python's `csv`, `json` and `io` readers; and for exit codes and pipes a real shell.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import pty
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from tokenizers_core import (
    Corpus,
    Tokenizer,
    tokenizer_to_json,
    train_bpe,
    train_paritybpe,
    train_pickybpe,
    train_sentencepiece_bpe,
    train_superbpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.encoding.templates import TEMPLATES
from tokenizers_core.encoding.truncation import Truncation
from tokenizers_core.files.exports import (
    csv_table,
    merges_txt,
    pieces_tsv,
    prunes_to_csv,
    prunes_to_json,
    tiktoken_ranks,
    trace_to_csv,
    trace_to_json,
    vocab_json,
    vocab_txt,
)
from tokenizers_core.text.cutting import DIGITS, PIECE_DIGITS, CutAt, Scripts
from tokenizers_core.text.reading import decode_text
from tokenizers_core.text.rewriting import Replace
from tokenizers_core.training.algorithms import KINDS
from tokensteps.cli import training
from tokensteps.cli.commands import command_line
from tokensteps.cli.streams import lines_of
from tokensteps.cli.training import ALGORITHMS_OF, KINDS_OF, OPTION_OF, PRE_TOKENIZERS_OF, UNIGRAM_SIZE

ROOT = Path(__file__).parents[2]
COURSE, HUG, MIXED = (str(ROOT / "assets" / "corpora" / f"{name}.txt") for name in ("course", "hug", "mixed"))
COUNTS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
END = "<|endoftext|>"


def golden(name: str) -> dict[str, Any]:
    return json.loads((ROOT / "tests" / "golden" / f"{name}.json").read_text("utf-8"))


def course_lines() -> list[str]:
    return Path(COURSE).read_text("utf-8").splitlines()


def run(*arguments: object, stdin: str | bytes | None = None) -> Result:
    """A command in this process (with the language set back after it) and in this thread, the only one with
    alarms."""
    return copy_context().run(
        lambda: CliRunner().invoke(
            command_line, list(map(str, arguments)), input=stdin, prog_name="python -m tokensteps"
        )
    )


def output(*arguments: object, stdin: str | bytes | None = None) -> str:
    """The output of a successful command. Its bytes, decoded: line ends aren't translated."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout_bytes.decode("utf-8")


def complaint(code: int, *arguments: object, stdin: str | bytes | None = None) -> str:
    """The last line of a command with this exit code; nothing goes to standard output."""
    result = run(*arguments, stdin=stdin)
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()[-1]


def shell(command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A line in a real shell, with this Python as `python` and the project in the folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": python_path(), **variables}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def python_path() -> str:
    return os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))


def started(*arguments: str, **streams: Any) -> subprocess.Popen[bytes]:
    """A command in a process of its own, under way."""
    environment = {**os.environ, "PYTHONPATH": python_path()}
    return subprocess.Popen(
        [sys.executable, "-m", "tokensteps", *arguments],
        env=environment,
        # Tests in the background of a shell are deaf to Ctrl-C, and so would be their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **streams,
    )


@pytest.fixture(scope="module")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """BPE on the course's corpus, after `golden/bpe_course.json`: 50 tokens, and [UNK]."""
    path = tmp_path_factory.mktemp("cli") / "tokenizer.json"
    output("train", COURSE, "--vocab-size", 51, "--special-token", END, "--output", path)
    return str(path)


# --- Training -----------------------------------------------------------------------------------------------


def test_bpe_takes_the_published_steps() -> None:
    expected = golden("bpe_course")
    printed = json.loads(output("trace", COURSE, "-s", 50, "--special-token", END))
    lines = [
        {"pair": step["pair"], "token": step["token"], "freq": step["freq"], "tied_pairs": step["tied_count"]}
        for step in printed["steps"]
    ]
    assert lines == expected["steps"]
    assert printed["vocab"] == expected["vocab"]


def test_wordpiece_takes_the_published_steps() -> None:
    expected = golden("wordpiece_course")
    specials = [part for token in expected["special_tokens"] for part in ("--special-token", token)]
    printed = json.loads(output("trace", COURSE, "-a", "wordpiece", "-s", 70, *specials))
    assert [(step["pair"], step["token"]) for step in printed["steps"]] == [
        (step["pair"], step["token"]) for step in expected["steps"]
    ]
    assert printed["vocab"] == expected["vocab"]


def test_unigram_prunes_the_published_pieces() -> None:
    expected = golden("unigram_course")
    printed = json.loads(output("trace", COURSE, "-a", "unigram", "--seed-size", 300, "-s", 100))
    first_round = [step["piece"] for step in printed["steps"] if step["round"] == 1]
    assert first_round == expected["rounds"][0]["removed"]
    assert len(printed["pieces"]) == expected["final_vocab_size"]


TRACES: dict[str, tuple[list[object], Any]] = {
    "bpe": (
        ["--min-frequency", 2, "--ties", "greatest", "--pattern", "cl100k_base", "--normalizer", "lowercase"],
        lambda: train_bpe(
            Corpus.from_texts(course_lines(), normalizer="lowercase", pattern="cl100k_base"),
            min_frequency=2,
            tie_rule="greatest",
        ),
    ),
    "bytes": (
        ["--alphabet", "bytes", "--merges", 5, "-n", "nfd", "-n", "strip_accents"],
        lambda: train_bpe(
            Corpus.from_texts(course_lines(), normalizer=("nfd", "strip_accents")), merges=5, alphabet="bytes"
        ),
    ),
    "limits": (
        [
            "--user-defined-symbol",
            "Face",
            "--max-token-length",
            3,
            "--limit-alphabet",
            20,
            "--initial-alphabet",
            "é",
            "--merges",
            30,
        ],
        lambda: train_bpe(
            Corpus.from_texts(course_lines(), user_defined_symbols=["Face"]),
            merges=30,
            max_token_length=3,
            limit_alphabet=20,
            initial_alphabet=("é",),
        ),
    ),
    "cuts": (
        [
            "--digits",
            "right",
            "--scripts",
            "--cut",
            "[aeiou]",
            "--cut-behavior",
            "merged_with_previous",
            "--replace",
            "[Cc]ourse",
            "class",
            "--merges",
            20,
        ],
        lambda: train_bpe(
            Corpus.from_texts(
                course_lines(),
                (Replace("[Cc]ourse", "class", literal=False),),
                cuts=(CutAt("[aeiou]", "MergedWithPrevious"), Scripts(), DIGITS["right"]),
            ),
            merges=20,
        ),
    ),
    "coverage": (
        ["-a", "wordpiece", "--character-coverage", 0.95, "--max-word-length", 5, "--merges", 20],
        lambda: train_wordpiece(
            Corpus.from_texts(course_lines(), pre_tokenizer="bert"),
            merges=20,
            character_coverage=0.95,
            max_input_chars_per_word=5,
        ),
    ),
    "fallback": (
        ["--byte-fallback", "-p", "whitespace_split", "--merges", 9],
        lambda: train_bpe(
            Corpus.from_texts(course_lines(), pre_tokenizer="whitespace_split"), merges=9, byte_fallback=True
        ),
    ),
    "pieces": (
        ["-a", "unigram", "-s", 90, "--max-token-length", 4],
        lambda: train_unigram(
            Corpus.from_texts(course_lines(), pre_tokenizer="whitespace_split_metaspace"),
            seed_size=1000,
            vocab_size=90,
            max_piece_length=4,
        ),
    ),
    "sentencepiece_bpe": (
        [
            "--kind",
            "sentencepiece_bpe",
            "-p",
            "metaspace",
            "--digits",
            "each",
            "--initial-alphabet",
            "é",
            "--merges",
            "9",
        ],
        lambda: train_sentencepiece_bpe(
            Corpus.from_texts(course_lines(), pre_tokenizer="metaspace", cuts=(PIECE_DIGITS,)),
            merges=9,
            initial_alphabet=("é",),
        ),
    ),
    "wordpiece": (
        ["-a", "wordpiece", "--merges", 9, "-p", "whitespace", "--ties", "lowest_ids"],
        lambda: train_wordpiece(
            Corpus.from_texts(course_lines(), pre_tokenizer="whitespace"), merges=9, tie_rule="lowest_ids"
        ),
    ),
    "unigram": (
        ["-a", "unigram", "-s", 90, "--exact", "--no-whole-words", "--seed-size", 200],
        lambda: train_unigram(
            Corpus.from_texts(course_lines(), pre_tokenizer="whitespace_split_metaspace"),
            seed_size=200,
            vocab_size=90,
            exact=True,
            whole_words=False,
        ),
    ),
    "sentencepiece": (
        [
            "-a",
            "unigram",
            "--method",
            "sentencepiece",
            "-s",
            "40",
            "-p",
            "metaspace",
            "--initial-alphabet",
            "é",
        ],
        lambda: train_unigram(
            Corpus.from_texts(course_lines(), pre_tokenizer="metaspace"),
            seed_size=1000,
            vocab_size=40,
            method="sentencepiece",
            initial_alphabet=("é",),
        ),
    ),
}


@pytest.mark.parametrize("name", TRACES)
def test_every_option_reaches_the_engine(name: str) -> None:
    options, train = TRACES[name]
    trace = train()
    to_json, to_csv = (
        (prunes_to_json, prunes_to_csv) if trace.algorithm == "unigram" else (trace_to_json, trace_to_csv)
    )
    assert output("trace", COURSE, *options) == to_json(trace) + "\n"
    assert output("trace", COURSE, *options, "--format", "csv") == to_csv(trace)


def test_files_and_standard_input_are_one_corpus(tmp_path: Path) -> None:
    lines = course_lines()
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text(
        "\n".join(lines[:1]), "utf-8"
    )  # no newline at its end: the line ends with the file all the same
    second.write_text("\n".join(lines[2:]) + "\n", "utf-8")
    expected = output("trace", COURSE)
    assert output("trace", stdin="\n".join(lines)) == expected
    assert output("trace", "-", stdin="\n".join(lines)) == expected
    assert output("trace", first, "-", second, stdin=lines[1]) == expected


@given(
    st.one_of(
        st.binary(max_size=40),
        st.lists(
            st.sampled_from([b"\r", b"\n", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe3\x81", b"a", b"\x00"]),
            max_size=12,
        ).map(b"".join),
        st.text(max_size=20).map(lambda text: text.encode("utf-16")),
    )
)
def test_lines_are_the_engines(data: bytes) -> None:
    # `from_bytes` reads as the app does: a `none` pre-token is a line, or its part around a form feed's kin.
    whole = decode_text(data)
    lines = list(lines_of(io.BytesIO(data)))
    assert [line.text for line in lines] == [
        line.removesuffix("\n") for line in io.StringIO(whole.text, newline=None)
    ]
    assert sum(line.replaced for line in lines) == whole.replaced


def test_counts_are_read() -> None:
    trace = train_bpe(Corpus.from_counts(COUNTS))
    assert output("trace", "--counts", HUG) == trace_to_json(trace) + "\n"
    assert (
        output("trace", "--counts", stdin="hug 10\npug,5\npun\t12\nbun 4\nhugs 5")
        == trace_to_json(trace) + "\n"
    )


def test_defaults_are_the_apps() -> None:
    from tokensteps.runs.rules import BPE_RULES, UNIGRAM_RULES, WORDPIECE_RULES

    for algorithm, rules in (("bpe", BPE_RULES), ("wordpiece", WORDPIECE_RULES), ("unigram", UNIGRAM_RULES)):
        pre = next(rule for rule in rules if rule.name == "pre")
        assert PRE_TOKENIZERS_OF[algorithm][0] == pre.default
        assert set(PRE_TOKENIZERS_OF[algorithm]) == set(pre.choices)
    usual = {rule.name: rule.default for rule in UNIGRAM_RULES}
    assert (usual["seed"], usual["size"]) == (None, UNIGRAM_SIZE)


def test_the_summary_goes_to_standard_error_and_can_be_silenced(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    said = run("train", COURSE, "-s", 50, "-o", path).stderr.splitlines()
    assert said == [
        "Corpus: 4 lines, 36 words, 30 different ones",
        "BPE: 19 steps, a vocabulary of 50 tokens; the vocabulary has reached the size you asked for",
        "One of them is [UNK], which is added for what the corpus does not have",
        f"Written: {path}",
    ]
    assert run("train", COURSE, "-q", "--force", "-o", path).output == ""


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        (["--merges", 2], "number of merges"),
        (["--min-frequency", 4], "frequent enough"),
        ([], "no pair is left"),
        (["-a", "unigram", "-s", 90], "the size you asked for"),
    ],
)
def test_the_summary_has_the_reason_for_trainings_end(options: list[object], ending: str) -> None:
    assert ending in run("train", COURSE, *options).stderr
    # Without a size, there was no request that could not be met.
    assert "the seed is no larger" in run("train", "--counts", HUG, "-a", "unigram").stderr


# --- Output files -------------------------------------------------------------------------------------------


def test_tokenizer_json_is_the_engines(tmp_path: Path) -> None:
    trace = train_bpe(Corpus.from_texts(course_lines()), 49, special_tokens=[END])  # [UNK] is the fiftieth
    expected = tmp_path / "expected.json"
    trace.tokenizer().save(expected)
    options = ["train", COURSE, "-s", 50, "--special-token", END]
    printed = output(*options)
    assert printed == expected.read_text("utf-8")
    output(*options, "-o", tmp_path / "some.json")
    output(*options, "-o", tmp_path)
    assert (tmp_path / "some.json").read_bytes() == expected.read_bytes()
    assert (tmp_path / "tokenizer.json").read_bytes() == expected.read_bytes()


def test_the_output_format_follows_the_file_name(tmp_path: Path) -> None:
    corpus = Corpus.from_texts(course_lines())
    bpe = train_bpe(corpus, merges=20, alphabet="bytes")
    options = ["train", COURSE, "--merges", 20, "--alphabet", "bytes", "-o"]
    output(*options, tmp_path / "my-vocab.json")
    output(*options, tmp_path / "my.tiktoken")
    assert (tmp_path / "my-vocab.json").read_text("utf-8") == vocab_json(bpe.tokenizer())
    assert (tmp_path / "my-merges.txt").read_text("utf-8") == merges_txt(bpe)
    assert (tmp_path / "my.tiktoken").read_text("utf-8") == tiktoken_ranks(bpe.tokenizer())

    wordpiece = train_wordpiece(Corpus.from_texts(course_lines(), pre_tokenizer="bert"), 69)
    output("train", COURSE, "-a", "wordpiece", "-s", 70, "-o", tmp_path / "vocab.txt")
    assert (tmp_path / "vocab.txt").read_text("utf-8") == vocab_txt(wordpiece.tokenizer())

    unigram = train_unigram(
        Corpus.from_texts(course_lines(), pre_tokenizer="whitespace_split_metaspace"), 1000, 99
    )
    output("train", COURSE, "-a", "unigram", "-s", 100, "-o", tmp_path / "my.vocab")
    assert (tmp_path / "my.vocab").read_text("utf-8") == pieces_tsv(unigram)


def test_nothing_is_overwritten_without_force(tmp_path: Path) -> None:
    merges = tmp_path / "merges.txt"
    merges.write_text("mine")
    data = complaint(2, "train", COURSE, "-o", tmp_path / "vocab.json")
    assert data == f"Error: {merges} is there already; choose another --output, or add --force to replace it."
    assert (merges.read_text(), list(tmp_path.iterdir())) == ("mine", [merges])
    output("train", COURSE, "--merges", 1, "-f", "-o", tmp_path / "vocab.json")
    assert merges.read_text("utf-8") == "#version: 0.2\nĠ t\n"
    for command in ("trace", "handout"):
        assert "--force" in complaint(2, command, COURSE, "-o", merges)


def test_a_replaced_file_keeps_its_link_and_its_rights(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    output("trace", COURSE, "--merges", 1, "-f", "-o", link)
    assert link.is_symlink()
    assert json.loads(real.read_text("utf-8"))["algorithm"] == "bpe"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_closed_folder_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for a file that is there, or a link to it: a new one takes its place, once it is whole."""
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "run.json").write_text("old")
    (tmp_path / "link.json").symlink_to(closed / "run.json")
    # Whoever may do anything, as in a container, may write there in any case.
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != closed)
    monkeypatch.setattr("tokensteps.cli.commands.train_with_options", None)
    for path in (closed / "run.json", closed / "new.json", tmp_path / "link.json"):
        message = complaint(2, "trace", COURSE, "-f", "-o", path)
        assert message == f"Error: {path}: nothing can be written to {closed}; choose another folder."
    assert (closed / "run.json").read_text() == "old"


def test_a_device_is_written_to_and_never_replaced() -> None:
    output("trace", COURSE, "--merges", 1, "-o", os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trace.json"
    path.write_text("old")

    def fail(_self: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device", str(_self))

    monkeypatch.setattr(Path, "replace", fail)
    message = complaint(1, "trace", COURSE, "-q", "--force", "-o", path)
    assert message == f"Error: {path}: No space left on device; try another file or place."
    assert (path.read_text(), list(tmp_path.iterdir())) == ("old", [path])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("tokenizer.bin", [], "end it in one of vocab.txt, vocab.json, merges.txt, .tiktoken"),
        ("vocab.txt", [], "vocab.txt cannot hold a tokenizer of --algorithm bpe"),
        ("vocab.json", ["-a", "unigram"], "vocab.json cannot hold a tokenizer of --algorithm unigram"),
        ("my.vocab", ["-a", "wordpiece"], ".vocab or .tsv cannot hold a tokenizer of --algorithm wordpiece"),
        ("vocab.json", ["--template", "roberta"], "vocab.json cannot hold a --template"),
        ("none/tokenizer.json", [], "mkdir -p"),
    ],
)
def test_an_impossible_output_is_refused_before_training(
    name: str, options: list[str], message: str, tmp_path: Path
) -> None:
    assert message in complaint(2, "train", COURSE, *options, "-o", tmp_path / name)
    assert list(tmp_path.iterdir()) == []


# --- Errors -------------------------------------------------------------------------------------------------

VALUES: dict[str, list[object]] = {
    "merges": [3],
    "min_frequency": [1],
    "tie_rule": ["first"],
    "alphabet": ["corpus"],
    "pattern": ["gpt2"],
    "extend": ["tokenizer.json"],
    "limit_alphabet": [20],
    "byte_fallback": [],
    "initial_alphabet": ["é"],
    "character_coverage": [0.99],
    "max_input_chars_per_word": [50],
    "method": ["course"],
    "seed_size": [100],
    "exact": [],
    "whole_words": [],
    "kind": ["superbpe"],
    "transition": [20],
    "most_words": [2],
    "second_pattern": [r"\d+"],
    "threshold": [0.9],
    "languages": ["en=a.txt"],
    "parallel": ["en=a.txt"],
    "global_merges": [1],
    "ratio": ["en=1"],
    "window": [5],
    "alpha": [2],
}


@pytest.mark.parametrize("name", ALGORITHMS_OF)
@pytest.mark.parametrize("command", ["train", "trace", "handout"])
@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
def test_an_option_of_another_algorithm_is_refused_by_name(command: str, name: str, algorithm: str) -> None:
    if algorithm in ALGORITHMS_OF[name]:
        return
    message = complaint(2, command, COURSE, "-a", algorithm, OPTION_OF[name], *VALUES[name])
    assert message.startswith(f"Error: {OPTION_OF[name]} is for --algorithm {ALGORITHMS_OF[name][0]}")
    assert f"not for {algorithm}; leave it out" in message


@pytest.mark.parametrize("name", KINDS_OF)
@pytest.mark.parametrize("kind", KINDS)
def test_an_option_of_another_kind_is_refused_by_name(kind: str, name: str) -> None:
    if kind in KINDS_OF[name]:
        return
    value = {"max_token_length": [9]} | VALUES
    message = complaint(2, "trace", COURSE, "--kind", kind, OPTION_OF[name], *value[name])
    assert message.startswith(
        f"Error: {OPTION_OF[name]} is for --kind {KINDS_OF[name][0]}, not for {kind}; leave it out"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--counts", "--kind", "superbpe"], "--counts does not go with --kind superbpe, which needs texts"),
        (
            ["--kind", "superbpe", "-p", "bert"],
            "--pre-tokenizer 'bert' can't be used: SuperBPE bridges spaces",
        ),
        (
            ["--kind", "superbpe", "-s", "60", "--transition", "60"],
            "--transition 60 isn't below --vocab-size 60",
        ),
        (["--kind", "pickybpe", "--threshold", "1.5"], "'--threshold'"),
        (["--kind", "pickybpe"], "tokenizer.json cannot hold a tokenizer of --kind pickybpe"),
        (["--kind", "paritybpe"], "reads a file for each language; give them as --corpus en=english.txt"),
        (["--kind", "paritybpe", "--corpus", f"en={COURSE}"], "and no others"),
        (["--kind", "none"], "'--kind'"),
    ],
)
def test_options_that_a_kind_excludes(options: list[str], message: str) -> None:
    assert message in complaint(1 if "-p" in options else 2, "train", COURSE, *options)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--corpus", "en"], 2, "--corpus en: write a language and its file, such as en=english.txt"),
        (["--corpus", f"en={COURSE}", "--corpus", f"en={COURSE}"], 2, "en is given twice"),
        (
            ["--corpus", f"en={COURSE}", "--ratio", "en=x"],
            2,
            "--ratio en=x: x is no number; write one such as 1.5",
        ),
        (
            ["--corpus", f"en={COURSE}", "--ratio", "de=1"],
            1,
            "give each of the languages a number above 0: en",
        ),
        (["--corpus", f"en={COURSE}", "--parallel", f"de={COURSE}"], 1, "--parallel 'de' can't be used"),
        (
            ["--corpus", f"en={COURSE}", "--alpha", "0"],
            1,
            "--alpha 0.0 can't be used: choose a number above 0",
        ),
        (["--corpus", "en=none.txt"], 1, "none.txt: there is no such file or folder"),
    ],
)
def test_invalid_languages(options: list[str], code: int, message: str) -> None:
    assert message in complaint(code, "train", "--kind", "paritybpe", *options)


def test_each_kind_is_trained_as_the_engine_does() -> None:
    lines = (ROOT / "assets" / "corpora" / "phrases.txt").read_text("utf-8").splitlines()
    phrases = ROOT / "assets" / "corpora" / "phrases.txt"
    superwords = train_superbpe(
        Corpus.from_texts(lines), 219, transition=190, most_words=3, second_pattern=r"\.| b"
    )
    options = ["--kind", "superbpe", "-s", 220, "--transition", 190, "--most-words", 3]
    options += ["--second-pattern", r"\.| b"]
    assert output("train", phrases, *options) == tokenizer_to_json(superwords.tokenizer())
    picky = train_pickybpe(Corpus.from_texts(course_lines()), 60, threshold="0.6")
    assert (
        output("trace", COURSE, "--kind", "pickybpe", "--threshold", 0.6, "-s", 60)
        == trace_to_json(picky) + "\n"
    )
    files = {name: ROOT / "assets" / "corpora" / "parallel" / f"{name}.txt" for name in ("en", "de", "hi")}
    corpora = {name: Corpus.from_texts(path.read_text("utf-8").splitlines()) for name, path in files.items()}
    value = [part for name, path in files.items() for part in ("--corpus", f"{name}={path}")]
    parity = train_paritybpe(corpora, merges=60, global_merges=9, window=5, alpha=1.5)
    options = ["--global-merges", 9, "--window", 5, "--alpha", 1.5]
    kind = ["--kind", "paritybpe", "--merges", 60]
    assert output("trace", *kind, *value, *options) == trace_to_json(parity) + "\n"
    shares = {"en": 1.0, "de": 1.5, "hi": 2.0}
    options = [part for name, share in shares.items() for part in ("--ratio", f"{name}={share}")]
    wanted = trace_to_json(train_paritybpe(corpora, merges=60, ratio=shares)) + "\n"
    assert output("trace", *kind, *value, *options) == wanted
    options = [part for name, path in files.items() for part in ("--parallel", f"{name}={path}")]
    wanted = trace_to_json(train_paritybpe(corpora, merges=60, parallel=corpora)) + "\n"
    assert output("trace", *kind, *value, *options) == wanted


def test_pickybpe_is_written_as_its_tokens_alone(tmp_path: Path) -> None:
    output("train", COURSE, "--kind", "pickybpe", "-s", 60, "-o", tmp_path / "vocab.json")
    assert [path.name for path in tmp_path.iterdir()] == ["vocab.json"]
    trace = train_pickybpe(Corpus.from_texts(course_lines()), 59)
    assert json.loads((tmp_path / "vocab.json").read_text("utf-8")) == json.loads(
        vocab_json(trace.tokenizer())
    )


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--kind", "superbpe", "--transition", 50], "--kind superbpe"),
        (["--user-defined-symbol", "ing", "--replace", "x", "y"], "--user-defined-symbol, --replace"),
        (["--digits", "each"], "--digits, --scripts or --cut"),
        ([], ""),
    ],
)
def test_options_that_a_vocabulary_cannot_hold_are_named(
    options: list[object], named: str, tmp_path: Path
) -> None:
    """Encoding with such a file finds other tokens than training did."""
    for name in ("vocab.json", "tokenizer.json"):
        result = run("train", COURSE, "-s", 60, *options, "-o", tmp_path / name)
        assert result.exit_code == 0
        assert ("Warning" in result.stderr) == bool(named and name == "vocab.json")
        assert name == "tokenizer.json" or (f"no room for {named}, so" in result.stderr) == bool(named)


def test_names_of_the_greatest_length(tmp_path: Path) -> None:
    longest = tmp_path / ("文" * 83 + ".json")
    output("train", COURSE, "--merges", 2, "-o", longest)
    assert Tokenizer.load(longest).encode("hug").tokens


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are UTF-8")
def test_names_in_an_old_encoding(tmp_path: Path) -> None:
    """As archives bring them: in a table, and as a heading."""
    text, tokenizer = (tmp_path / os.fsdecode(b"gr\xfc\xdfe" + end) for end in (b".txt", b".json"))
    text.write_text("hello hello world\n", "utf-8")
    output("train", text, "--merges", 2, "-o", tokenizer)
    assert "gr\ufffd\ufffde.json" in output("measure", "-t", tokenizer, text)
    output("handout", text, "--merges", 2, "-o", tmp_path / "h.html")
    assert "gr\ufffd\ufffde.txt" in (tmp_path / "h.html").read_text("utf-8")


def test_a_missing_folders_remedy_is_a_command(tmp_path: Path) -> None:
    made = complaint(2, "train", COURSE, "--merges", 2, "-o", tmp_path / "new folder" / "x.json")
    assert made.endswith(f"mkdir -p '{tmp_path / 'new folder'}'")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-p", "bert", "--pattern", "gpt2"], "--pattern is for --pre-tokenizer byte_level, not for bert"),
        (
            ["-p", "bert", "--alphabet", "bytes"],
            "--alphabet bytes is for --pre-tokenizer byte_level, not for bert",
        ),
        (
            ["-a", "unigram", "-p", "byte_level"],
            "--pre-tokenizer byte_level does not go with --algorithm unigram",
        ),
        (["-a", "unigram", "--method", "sentencepiece", "--exact"], "--exact is for --method course"),
        (["--vocab-size", "0"], "'--vocab-size'"),
        (["--normalizer", "nfx"], "'--normalizer'"),
        (["--special-token", "\udce9"], "is not UTF-8"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], message: str) -> None:
    assert message in complaint(2, "train", COURSE, *options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-s", "5"], "--vocab-size 5 is below the alphabet's 30 symbols; choose at least 30."),
        (
            ["-a", "unigram", "-s", "5"],
            "--vocab-size 5 is below the alphabet's 30 symbols; choose at least 30.",
        ),
        (
            ["-a", "unigram", "--seed-size", "5"],
            "--seed-size 5 can't be used: choose at least 30, the corpus's character count.",
        ),
        (
            ["--special-token", ""],
            "--special-token '' can't be used: an empty token can't be found in a text.",
        ),
        (["--pattern", "(a"], "The pattern '(a' is not a valid regular expression"),
    ],
)
def test_the_engines_complaints_name_the_options(options: list[str], message: str) -> None:
    assert complaint(1, "trace", COURSE, "-q", *options).startswith(f"Error: {message}")


def test_unreadable_inputs(tmp_path: Path) -> None:
    missing, empty, blank = tmp_path / "missing.txt", tmp_path / "empty.txt", tmp_path / "blank.txt"
    empty.touch()
    blank.write_text(" \n\n ")
    message = complaint(1, "trace", missing)
    assert message.startswith(f"Error: {missing}: there is no such file or folder; check the name")
    assert complaint(1, "trace", tmp_path) == f"Error: {tmp_path} is a folder; name a file in it."
    assert complaint(1, "trace", empty) == f"Error: {empty}: there is no text; name a file that holds some."
    assert (
        complaint(1, "trace", stdin="")
        == "Error: standard input: there is no text; name a file that holds some."
    )
    message = complaint(1, "trace", blank, empty, "-p", "bert")
    assert message.startswith(f"Error: {blank}, {empty}: 2 characters and not one word")
    message = complaint(1, "trace", "--counts", COURSE)
    assert message.startswith(
        f"Error: {COURSE}: Line 1 ('This is the Hugging Face Course.'): the count must be"
    )
    assert complaint(1, "encode", "-t", missing, "a").startswith(f"Error: {missing}: there is no such file")


def test_a_file_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    # Root may read everything, so the refusal is made up.
    def refuse(name: str, _mode: str) -> None:
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr("builtins.open", refuse)
    message = complaint(1, "trace", "secret.txt")
    assert (
        message
        == "Error: secret.txt: permission denied; check who may read or write it, or choose another place."
    )


def test_an_invalid_tokenizer(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    for text in ("", "{}", "no json", "[1]"):
        path.write_text(text)
        assert complaint(1, "encode", "-t", path, "a").startswith("Error: ")


def test_invalid_utf8_is_counted_and_reported(tokenizer_file: str) -> None:
    result = run("trace", "-q", stdin=b"caf\xe9 ol\xe9\n\xff")
    assert result.exit_code == 0
    assert result.stderr == (
        "Warning: standard input: 3 stretches of invalid UTF-8 were read as U+FFFD; "
        "if it is text in another encoding, convert it to UTF-8 first.\n"
    )
    result = run("encode", "-t", tokenizer_file, stdin=b"\xff\n")
    assert "1 stretch of invalid UTF-8 was read" in result.stderr


def test_ctrl_c_ends_with_130_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object, **_settings: object) -> None:
        raise KeyboardInterrupt

    interrupted = replace(training.KINDS["plain"], train=interrupt)
    monkeypatch.setattr(training, "KINDS", {**training.KINDS, "plain": interrupted})
    assert complaint(130, "train", COURSE, "-o", tmp_path / "tokenizer.json") == "Interrupted."
    assert list(tmp_path.iterdir()) == []


# --- As modules ---------------------------------------------------------------------------------------------


def test_the_old_name_points_to_the_new_command(tmp_path: Path) -> None:
    done = shell("python -m cli train 'my corpus.txt' -s 50", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "The command line has moved: python -m tokensteps train 'my corpus.txt' -s 50\n"


def test_it_works_as_a_module_from_another_folder(tmp_path: Path) -> None:
    """Other commands in processes of their own: `test_every_example_runs`."""
    for line, expected in {
        f"count {COURSE}": "# tokensteps word counts",
        f"trace --counts {HUG} -q --format csv | head -n 1": "step,",
        f"handout --counts {HUG} -q": "<!doctype html>",
        "--help": "Usage: python -m tokensteps",
    }.items():
        done = shell(f"python -m tokensteps {line}", tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(expected), line


# --- Steps --------------------------------------------------------------------------------------------------


def test_one_step_is_its_snapshot() -> None:
    trace = train_bpe(Corpus.from_counts(COUNTS))
    message = json.loads(output("trace", "--counts", HUG, "--step", 3, "--candidates", 2))
    snapshot = trace[3]
    assert (message["step"], message["steps"], message["stop_reason"]) == (3, len(trace), "no_pairs")
    assert message["event"]["kind"] == "merge"
    assert (message["event"]["pair"], message["event"]["freq"]) == (["h", "ug"], 15)
    assert message["event"]["words"] == ["hug", "hugs"]
    assert message["vocab"] == list(snapshot.vocab)
    assert message["splits"] == {word: list(tokens) for word, tokens in snapshot.splits().items()}
    assert [one["pair"] for one in message["candidates"]] == [
        list(one.pair) for one in snapshot.candidates(2)
    ]


def test_a_score_is_a_fraction() -> None:
    message = json.loads(output("trace", "--counts", HUG, "-a", "wordpiece", "--step", 0))
    step = golden("wordpiece_hug")["steps"][0]
    assert message["event"]["kind"] == "start"
    assert (message["candidates"][0]["pair"], message["candidates"][0]["score"]) == (
        step["pair"],
        step["score"],
    )


@pytest.mark.parametrize("method", ["course", "sentencepiece"])
def test_every_unigram_step_can_be_printed(method: str) -> None:
    options = ["--counts", HUG, "-a", "unigram", "--method", method, "-s", 10, "--seed-size", 15]
    trace = train_unigram(Corpus.from_counts(COUNTS), 15, 10, method)
    for step in range(len(trace) + 1):
        message = json.loads(output("trace", *options, "--step", step))
        assert message["event"]["kind"] == trace[step].event.kind
        assert message["pieces"] == dict(trace[step].pieces)
        assert message["loss"] == trace[step].loss


def test_steps_count_from_the_end_too() -> None:
    trace = train_bpe(Corpus.from_counts(COUNTS))
    last = len(trace)
    assert output("trace", "--counts", HUG, "--step", -1) == output("trace", "--counts", HUG, "--step", last)
    assert output("trace", "--counts", HUG, "--step", -last - 1) == output(
        "trace", "--counts", HUG, "--step", 0
    )
    for step in (last + 1, -last - 2):
        message = complaint(1, "trace", "--counts", HUG, "-q", "--step", step)
        assert message.startswith(
            f"Error: --step {step} is outside this run: it has steps 0 (the start) to {last} (the end)"
        )
    assert "--candidates is for --step" in complaint(2, "trace", COURSE, "--candidates", 3)


def test_one_step_as_csv_is_its_row() -> None:
    rows = list(csv.reader(io.StringIO(trace_to_csv(train_bpe(Corpus.from_counts(COUNTS))), newline="")))
    assert output("trace", "--counts", HUG, "--step", 2, "--format", "csv") == csv_table(rows[0], [rows[2]])
    message = complaint(1, "trace", "--counts", HUG, "-q", "--step", 0, "--format", "csv")
    assert message == "Error: --step 0 is the start, which has no row; choose 1 or more, or --format json."


# --- Encoding -----------------------------------------------------------------------------------------------


def test_encode_agrees_with_the_published_example(tokenizer_file: str) -> None:
    for text, tokens in golden("bpe_course")["encode"].items():
        known = [token if token != "Ġ" else "Ġ" for token in tokens]
        assert output("encode", "-t", tokenizer_file, "--format", "tokens", text) == " ".join(known) + "\n"


def test_the_forms_of_an_encoding(tokenizer_file: str) -> None:
    tokenizer = Tokenizer.load(tokenizer_file)
    texts = ["This is a token.", "", f"To be{END}é"]
    encodings = [tokenizer.encode(text) for text in texts]
    value = "\n".join(texts) + "\n"
    ids = output("encode", "-t", tokenizer_file, stdin=value)
    assert ids.splitlines() == [" ".join(map(str, encoding.ids)) for encoding in encodings]
    message = list(
        map(json.loads, output("encode", "-t", tokenizer_file, "--format", "json", stdin=value).splitlines())
    )
    for fields, encoding in zip(message, encodings, strict=True):
        assert fields["ids"] == encoding.ids
        assert fields["tokens"] == encoding.tokens
        assert [tuple(span) for span in fields["offsets"]] == list(encoding.offsets)
        for name in ("word_ids", "type_ids", "special_tokens_mask", "attention_mask"):
            assert fields[name] == list(getattr(encoding, name))
        assert fields["overflowing"] == []
    rows = output("encode", "-t", tokenizer_file, "--format", "table", stdin=value).splitlines()
    assert rows[0] == "text\tid\ttoken\tstart\tend\tword\ttype"
    cells = [row.split("\t") for row in rows[1:]]
    assert [int(cell[1]) for cell in cells] == [identifier for one in encodings for identifier in one.ids]
    assert [cell[0] for cell in cells] == ["1"] * len(encodings[0].ids) + ["3"] * len(encodings[2].ids)


def test_text_comes_from_an_argument_a_file_or_standard_input(tokenizer_file: str) -> None:
    lines = course_lines()
    expected = output("encode", "-t", tokenizer_file, "--file", COURSE)
    assert expected == output("encode", "-t", tokenizer_file, stdin="\n".join(lines))
    assert expected == output("encode", "-t", tokenizer_file, "--file", "-", stdin="\n".join(lines))
    assert expected == "".join(output("encode", "-t", tokenizer_file, line) for line in lines)
    assert output("encode", "-t", tokenizer_file, stdin="") == ""
    assert "leave one of them out" in complaint(2, "encode", "-t", tokenizer_file, "--file", COURSE, "a text")


def test_training_goes_on_and_is_trimmed(tmp_path: Path) -> None:
    """The result of `train --extend` equals the engine's; without its newly learned merges, it is the old
    tokenizer again."""
    old, longer, shorter = (str(tmp_path / f"{name}.json") for name in ("old", "longer", "shorter"))
    output("train", COURSE, "--alphabet", "bytes", "--merges", 20, "--template", "bert", "-o", old)
    result = run("train", MIXED, "--extend", old, "--merges", 9, "-o", longer)
    assert result.exit_code == 0 and "BPE: 9 steps, a vocabulary of" in result.stderr
    loaded = Tokenizer.load(old)
    lines = Path(MIXED).read_text("utf-8").splitlines()
    trace = train_bpe(Corpus.from_texts(lines), merges=9, extend=loaded)
    built = Tokenizer.load(longer)
    assert list(built.tokens) == list(trace.tokens) and built.encode("hug").tokens[0] == "[CLS]"
    output("trim", longer, "--merges", 9, "-o", shorter)
    text = "This is the Hugging Face Course. こん"
    assert Tokenizer.load(shorter).encode(text).ids == loaded.encode(text).ids
    assert len(built.ids("\n".join(lines))) < len(loaded.ids("\n".join(lines)))
    assert "choose a number from 0 to 29" in complaint(1, "trim", longer, "--merges", 30)
    for name in ("x.tiktoken", "vocab.json", "merges.txt"):
        assert "a tokenizer.json is written" in complaint(
            2, "trim", longer, "--merges", 1, "-o", tmp_path / name
        )
    for option in (["--alphabet", "bytes"], ["-p", "bert"], ["--special-token", "<s>"]):
        assert "--extend goes on with what" in complaint(2, "train", COURSE, "--extend", old, *option)
    assert "there is no such file" in complaint(1, "train", COURSE, "--extend", str(tmp_path / "none.json"))


def test_decode_undoes_encode(tmp_path: Path) -> None:
    path = tmp_path / "bytes.json"
    output("train", COURSE, "--alphabet", "bytes", "--special-token", END, "-o", path)
    text = f"naïve Ärzte{END} 👍🏽 \t x\nThis is.\n"
    ids = output("encode", "-t", path, stdin=text)
    assert output("decode", "-t", path, stdin=ids) == text
    assert output("decode", "-t", path, "--skip-special-tokens", stdin=ids) == text.replace(END, "")
    assert output("decode", "-t", path, stdin="[40, 41]\n") == output("decode", "-t", path, 40, 41)
    wrong = run("decode", "-t", path, stdin="1 2\n1 x\n")  # the right lines before it are there
    assert (wrong.exit_code, len(wrong.stdout.splitlines())) == (1, 1)
    assert wrong.stderr == (
        "Error: Line 2 of standard input is '1 x'; write whole numbers parted by spaces or commas, such as: 5 13 15.\n"
    )


def test_an_invalid_id(tokenizer_file: str) -> None:
    size = len(Tokenizer.load(tokenizer_file).tokens)
    message = complaint(1, "decode", "-t", tokenizer_file, 5000)
    assert message.startswith(f"Error: 5000 is not an id of this vocabulary of {size} tokens")


def test_templates_pairs_and_truncation(tmp_path: Path) -> None:
    path = tmp_path / "bert.json"
    output("train", COURSE, "-a", "wordpiece", "-s", 80, "--template", "bert", "-o", path)
    trace = train_wordpiece(
        Corpus.from_texts(course_lines(), pre_tokenizer="bert"), 79, special_tokens=["[CLS]", "[SEP]"]
    )
    plain = trace.tokenizer()
    tokenizer = Tokenizer(plain.pipeline, plain.model, plain.special_tokens, template=TEMPLATES["bert"])
    message = output("encode", "-t", path, "--format", "tokens", "This is", "--pair", "the token")
    expected = tokenizer.encode("This is", "the token")
    assert message == " ".join(expected.tokens) + "\n"
    assert (expected.tokens[0], expected.tokens[-1]) == ("[CLS]", "[SEP]")
    bare = output("encode", "-t", path, "--format", "tokens", "--no-special-tokens", "This is")
    assert bare == " ".join(plain.encode("This is").tokens) + "\n"
    message = output("encode", "-t", path, "--format", "json", "--max-length", 6, "--stride", 1, COURSE)
    cut = Tokenizer(
        plain.pipeline,
        plain.model,
        plain.special_tokens,
        template=TEMPLATES["bert"],
        truncation=Truncation(max_length=6, stride=1),
    ).encode(COURSE)
    fields = json.loads(message)
    assert fields["tokens"] == cut.tokens
    assert [part["tokens"] for part in fields["overflowing"]] == [part.tokens for part in cut.overflowing]
    assert len(cut.overflowing) > 2
    assert "--stride is for --max-length" in complaint(2, "encode", "-t", path, "--stride", 1, "a")
    assert "--stride" in complaint(1, "encode", "-t", path, "--max-length", 4, "--stride", 9, "a")


# --- Handouts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
def test_a_handout_is_the_apps(algorithm: str) -> None:
    from tokensteps.drawing.handout import handout
    from tokensteps.drawing.tokens import Style
    from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
    from tokensteps.drawing.training.pruning import prune_frame

    frame: Any = {"bpe": merge_frame, "wordpiece": wordpiece_frame, "unigram": prune_frame}[algorithm]
    trace: Any = {
        "bpe": lambda: train_bpe(Corpus.from_counts(COUNTS), special_tokens=["<s>"]),
        "wordpiece": lambda: train_wordpiece(Corpus.from_counts(COUNTS), special_tokens=["<s>"]),
        "unigram": lambda: train_unigram(Corpus.from_counts(COUNTS), 1000, 12, special_tokens=["<s>"]),
    }[algorithm]()
    style = Style(False, "symbols", frozenset({"<s>"}))
    options = ["-a", algorithm, *(["-s", 12] if algorithm == "unigram" else []), "--special-token", "<s>"]
    page = output("handout", "--counts", HUG, *options, "--show", "symbols", "--title", "<Hug> & pug")
    assert page == handout("<Hug> & pug", len(trace), lambda step: frame(trace[step], style))
    assert "&lt;Hug&gt; &amp; pug</h1>" in page


def test_a_handout_has_a_title_and_names_its_omissions() -> None:
    assert "<title>BPE: course.txt</title>" in output("handout", COURSE, "--merges", 1)
    assert "<title>BPE</title>" in output("handout", stdin="a text")
    result = run("handout", MIXED)
    assert "The page holds the first 400 of " in result.stderr


# --- Help ---------------------------------------------------------------------------------------------------


def commands() -> dict[str, click.Command]:
    return {"": command_line, **command_line.commands}


@pytest.mark.parametrize("name", commands())
def test_help_teaches_every_option(name: str) -> None:
    command = commands()[name]
    shown = output(*filter(None, [name]), "--help")
    assert shown == output(*filter(None, [name]), "-h")
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help
            assert parameter.opts[0] in shown
    assert "python -m tokensteps" in shown


def examples(text: str) -> list[str]:
    """The lines of a text for people to type."""
    lines = map(str.strip, text.splitlines())
    return [line for line in lines if "python -m tokensteps " in line and not line.startswith("|")]


HELP = "\n".join(
    str(commands()[name].epilog)
    for name in ("train", "trim", "count", "encode", "decode", "show", "step", "trace", "handout")
)


DOCS = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md")))
}
"""The documents with examples. The README has the same ones in every language:
tests/app/language/test_locale.py."""
TEACHING = {"help": HELP, "documents": "\n".join(DOCS.values())}


def test_documents_have_examples() -> None:
    assert {"README.md", "docs/command-line.md"} <= {
        name for name, text in DOCS.items() if len(examples(text)) > 3
    }


@pytest.mark.parametrize("text", TEACHING.values(), ids=TEACHING)
def test_every_example_runs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines in need of a shell run in one; the others here."""
    for name in ("tokensteps", "tokenizers_core", "assets", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "messages.json").write_text('[{"role": "user", "content": "Hello"}]')
    monkeypatch.chdir(tmp_path)
    lines = [*dict.fromkeys(examples(text))]  # documents have some in common
    printed = ""
    for line in lines:  # in order: one writes the next one's input
        words = shlex.split(line)
        if {*"|>*$;&"} & {*line}:
            done = shell(line, tmp_path)
            code, out, err = done.returncode, done.stdout, done.stderr
        else:
            assert words[:3] == ["python", "-m", "tokensteps"]
            result = run(*words[3:])
            code, out, err = result.exit_code, result.stdout, result.stderr
        assert code == 0, err
        assert "Error" not in err and "Traceback" not in err
        printed += out
    for line in lines:
        words = shlex.split(line)
        written = [after for word, after in itertools.pairwise(words) if word in ("-o", "--output", ">")]
        assert all((tmp_path / name).stat().st_size for name in written)
    if text == HELP:
        assert "This is a token.\n" in printed


def test_version_is_the_projects() -> None:
    """The build reads it as text, from the one file that has it."""
    assert f'__version__: Final = "{output("--version").split()[1]}"' in (
        ROOT / "tokensteps" / "version.py"
    ).read_text("utf-8")


# --- A real process -----------------------------------------------------------------------------------------


def test_commands_that_draw_nothing_load_no_streamlit(tmp_path: Path) -> None:
    loaded = (
        "import sys, tokensteps.cli.commands; print({'streamlit', 'pandas', 'plotly'} & set(sys.modules))"
    )
    assert shell(f'python -c "{loaded}"', tmp_path).stdout == "set()\n"


def test_a_pipe_that_closes_early_ends_in_silence(tokenizer_file: str, tmp_path: Path) -> None:
    command = f"yes 'This is a token.' | head -n 200000 | python -m tokensteps encode -t {shlex.quote(tokenizer_file)}"
    done = shell(f"{command} | head -n 2", tmp_path)
    assert (len(done.stdout.splitlines()), done.stderr) == (2, "")
    done = shell(f"python -m tokensteps trace {COURSE} -q | true", tmp_path)
    assert done.stderr == ""


def test_runs_are_the_same_whatever_the_locale_and_the_hash_seed(tmp_path: Path) -> None:
    command = f"python -m tokensteps trace {MIXED} --merges 20 --special-token 茶"
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "1"}
    done, other = shell(command, tmp_path, **plain), shell(command, tmp_path, PYTHONHASHSEED="2")
    assert done.stdout == other.stdout == output("trace", MIXED, "--merges", 20, "--special-token", "茶")
    assert (done.returncode, done.stderr) == (other.returncode, other.stderr)
    assert shell("python -m tokensteps train --help", tmp_path, **plain).returncode == 0


def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    done = shell(f"python -m tokensteps trace {COURSE} -q > /dev/full", tmp_path)
    assert done.returncode == 1
    assert done.stderr == "Error: standard output: No space left on device; try another file or place.\n"


def test_standard_streams_may_be_closed(tmp_path: Path) -> None:
    done = shell(f"python -m tokensteps trace {COURSE} -q >&-", tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    done = shell("python -m tokensteps trace - <&-", tmp_path)
    assert (done.returncode, "There is nothing to read" in done.stderr) == (2, True)


def test_a_handout_needs_no_server(tmp_path: Path) -> None:
    done = shell(f"python -W error -m tokensteps handout {COURSE} -s 40 -o page.html", tmp_path)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "Written: page.html"
    assert "ScriptRunContext" not in done.stderr


def test_an_interrupted_process_leaves_nothing_behind(tmp_path: Path) -> None:
    process = started(
        "train", "-o", str(tmp_path / "tokenizer.json"), stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stderr is not None
    # Its answer to invalid text is no sign that it reads; a whole pipe's worth of read bytes is one.
    process.stdin.write(b"some text to read\n" * 20_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    process.stdin.close()
    assert process.wait(120) == 130
    assert process.stderr.read() == b"Interrupted.\n"
    process.stderr.close()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal: ours, and a process's."""
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)


def test_without_input_at_a_terminal_the_command_ends(terminal: tuple[int, int]) -> None:
    _ours, theirs = terminal
    process = started("train", stdin=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 2
    assert b"There is nothing to read: name text files, or pipe text in" in said


def test_a_terminal_sees_how_far_training_is(terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    process = started("trace", COURSE, "--merges", "20", "-o", os.devnull, stderr=theirs)
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 4096):
            said += part
    except OSError:
        pass  # Linux's sign for a closed other end
    assert process.wait(120) == 0
    assert b"Training" in said
    assert b"20/20" in said
