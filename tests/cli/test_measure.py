"""The command `measure` (`tokensteps/cli/measure.py`). Oracle: the engine's measures of the same text, and
counts by hand."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tokenizers_core import Corpus, Tokenizer, measure, measure_parallel, train_bpe, train_wordpiece
from tokensteps.cli.commands import command_line

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "assets/corpora/course.txt"
PARALLEL = ROOT / "assets/corpora/parallel"


def run(*arguments: object, text: str = "") -> Result:
    return CliRunner().invoke(command_line, ["measure", *map(str, arguments)], input=text)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    corpus, folder = Corpus.from_file(str(COURSE)), tmp_path_factory.mktemp("measure")
    results = [folder / "bpe.json", folder / "wordpiece.json"]
    train_bpe(corpus, merges=20).tokenizer().save(results[0])
    train_wordpiece(corpus, merges=20).tokenizer().save(results[1])
    return results


def test_each_format_has_the_engines_figures(files: list[Path]) -> None:
    text = COURSE.read_text("utf-8").rstrip("\n")
    own = measure(Tokenizer.load(files[0]), text)
    result = run(
        "-t", files[0], "-t", files[1], COURSE, "--format", "json", "--order", 3, "--whole-vocabulary"
    )
    assert result.exit_code == 0, result.output
    match = json.loads(result.stdout)["bpe.json"]
    assert match["fertility"] == own.fertility and match["tokens"] == own.tokens
    assert match["renyi_efficiency"] == own.renyi_efficiency(3, vocabulary=True)
    table = run("-t", files[0], "-t", files[1], COURSE).stdout
    head, *rows = table.splitlines()
    assert head.split() == ["bpe.json", "wordpiece.json"]
    [fertility] = [row for row in rows if row.startswith("Tokens per word (fertility)")]
    assert fertility.split()[-2] == f"{own.fertility:.4f}"
    csv_rows = [*csv.reader(io.StringIO(run("-t", files[0], COURSE, "--format", "csv").stdout))]
    assert csv_rows[0] == ["measure", "bpe.json"]
    assert ["bytes", str(own.bytes)] in csv_rows
    counted = dict(re.split(r"  +", row.strip())[:2] for row in rows if not row.startswith("Rényi"))
    assert counted["Different tokens"] == str(own.different)
    assert counted["Tokens in the vocabulary"] == str(own.size)


def test_standard_input_and_a_file_are_the_same(files: list[Path]) -> None:
    text = COURSE.read_text("utf-8")
    assert run("-t", files[0], "-", text=text).stdout == run("-t", files[0], COURSE).stdout


def test_parallel_lines(files: list[Path]) -> None:
    languages = {"en": PARALLEL / "en.txt", "de": PARALLEL / "de.txt"}
    options = [part for name, path in languages.items() for part in ("--parallel", f"{name}={path}")]
    result = json.loads(run("-t", files[0], *options, "--format", "json").stdout)["bpe.json"]
    lines = {name: path.read_text("utf-8").splitlines() for name, path in languages.items()}
    own = measure_parallel(Tokenizer.load(files[0]), lines)
    assert result["gini"] == own.gini and result["premium.de"] == own.premium["de"]
    assert result["tokens_per_line.en"] == own.per_line["en"] and "fertility" not in result


def test_a_missing_premium_is_explained(files: list[Path], tmp_path: Path) -> None:
    """Unknown tokens spell nothing. Counted by hand: the course has a “z” (tokenization), and no “Z”."""
    for name, line in {"en": "the", "de": "Zzz"}.items():
        (tmp_path / f"{name}.txt").write_text(line, "utf-8")
    options = [part for name in ("en", "de") for part in ("--parallel", f"{name}={tmp_path / name}.txt")]
    result = run("-t", files[0], *options)
    assert result.exit_code == 0 and re.search(r"Premium, de +–", result.stdout)
    assert "Warning: bpe.json: unknown tokens: 1 in de. Such a language has no premium" in result.stderr
    assert "unknown" not in run("-t", files[0], *options[:2], "--parallel", f"fr={tmp_path}/en.txt").stderr


def test_missing_measures_have_a_reason(files: list[Path], tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    short.write_text("one line\n", "utf-8")
    picky = tmp_path / "vocab.json"
    trained = ["train", "-a", "bpe", "--kind", "pickybpe", "-o", str(picky), str(short)]
    assert CliRunner().invoke(command_line, trained).exit_code == 0
    for arguments, message in (
        (["-t", files[0], "--parallel", "en"], "write a language and its file"),
        (["-t", files[0], "--parallel", f"en={short}", "--parallel", f"en={short}"], "en is given twice"),
        (
            ["-t", files[0], "--parallel", f"en={short}", "--parallel", f"de={PARALLEL / 'de.txt'}"],
            "--parallel {'en': 1, 'de': 40} can't be used: de has 40 lines and en has 1",
        ),
        (["-t", files[0], "--parallel", f"en={short}"], "a second language is missing"),
        (["-t", files[0], "-t", files[0], short], "given twice"),
        (["-t", tmp_path / "none.json", short], "none.json"),
        (["-t", picky, short], "no file holds the tokens that PickyBPE removes"),
        (["-t", files[0], "--order", "-1", short], "--order"),
        (["-t", files[0], "--order", "nan", short], "--order nan can't be used"),
    ):
        result = run(*arguments)
        assert result.exit_code in (1, 2) and message in result.stderr, result.output


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, names are Unicode")
def test_equally_named_files_in_a_folder_whose_name_is_not_utf_8(files: list[Path], tmp_path: Path) -> None:
    paths = [tmp_path / os.fsdecode(name) / "t.json" for name in (b"a\xff", b"b")]
    for path in paths:
        path.parent.mkdir()
        shutil.copy(files[0], path)
    result = run("-t", paths[0], "-t", paths[1], COURSE, "--format", "json")
    assert result.exit_code == 0, result.output
    assert [*json.loads(result.stdout)] == [str(tmp_path / "a\ufffd" / "t.json"), str(paths[1])]
