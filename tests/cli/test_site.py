"""The command that writes a site (`tokensteps/cli/site.py`). Its files are tried in
`tests/browser/test_site.py`.

Oracle: the written files.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tokenizers_core import Corpus
from tokenizers_core.text.counting import WordCounts, counts_tsv
from tokensteps.cli import site
from tokensteps.cli.commands import command_line
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.site import build
from tokensteps.site.live import live_files


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command_line, ["site", *map(str, arguments)])


def test_refused_options(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "CNAME").write_text("x", "utf-8")
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "short.txt").write_text("hug pug", "utf-8")
    (tmp_path / "run.toml").write_text(
        "title = 'T'\n[[part]]\nrun = { algorithm = 'bpe', corpus = 'hug', step = 99 }", "utf-8"
    )
    (tmp_path / "ja.toml").write_text("title = 'T'\nlanguage = 'ja'\n[[part]]", "utf-8")
    (tmp_path / "class.toml").write_text(
        "title = 'T'\n[[question]]\nask = 'A?'\nchoices = ['a', 'b']", "utf-8"
    )
    out = tmp_path / "out"
    for code, message, arguments in (
        (2, "full isn't empty; choose another folder, or add --force to write into it.", [tmp_path / "full"]),
        (2, f"--corpus hugs is not known; choose one of {', '.join(EXAMPLES)}", [out, "--corpus", "hugs"]),
        (1, "none.txt: there is no such file or folder", [out, tmp_path / "none.txt"]),
        (1, "as pictures, archives and text in UTF-16 without a mark have; name a text file, convert it to UTF-8.", [out, tmp_path / "picture.txt"]),
        (1, "The corpus is empty: no text was given", [out, tmp_path / "empty.txt"]),
        (1, "none.toml: there is no such file", [out, "--lesson", tmp_path / "none.toml"]),
        (2, "ja.toml is in the language ja, which the site hasn't; add --language ja.",
         [out, "--lesson", tmp_path / "ja.toml", "--language", "en"]),
        (2, "class.toml has no part: add one with [[part]]; questions of a live class alone are no lesson.",
         [out, "--lesson", tmp_path / "class.toml"]),
        (1, "run.toml, part 1: run: step is 99, but must be a step of the run, from 0 to 7: change it.",
         [out, "--lesson", tmp_path / "run.toml"]),
        (1, "--vocab-size 2 is below the alphabet's 5 symbols; choose at least 5.",
         [out, tmp_path / "short.txt", "--vocab-size", "2"]),
        (2, "0 is not in the range 1<=x<=20", [out, "--exercises", "0"]),
        (2, "30000 is not in the range 1<=x<=20000", [out, tmp_path / "short.txt", "--vocab-size", "30000"]),
    ):  # fmt: skip
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (code, ""), message
        assert message in done.stderr
    assert not out.exists()


def test_requested_parts_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of all pages, one."""
    requests: list[build.Site] = []

    def one_file(wanted: build.Site, _tell: object) -> list[tuple[str, str]]:
        requests.append(wanted)
        return [("en/x/y.html", "1234567890")]

    monkeypatch.setattr(build, "site_files", one_file)
    (tmp_path / "CNAME").write_text("x", "utf-8")
    counts = counts_tsv(WordCounts(Corpus.from_texts(["hug hug hug"])))
    (tmp_path / "words.tsv").write_text(counts, "utf-8")
    done = run(
        tmp_path,
        tmp_path / "words.tsv",
        "--force",
        "--vocab-size",
        9,
        "--corpus",
        "hug",
        "--no-keys",
        "--language",
        "zh",
    )
    assert done.stderr == f"Written: 1 file, 0.0 MB. Open {tmp_path / 'index.html'}\n"
    assert (tmp_path / "en" / "x" / "y.html").read_text("utf-8") == "1234567890"
    assert (tmp_path / "CNAME").read_text("utf-8") == "x"
    file = build.OwnFile("words.tsv", counts.encode())
    assert requests == [
        build.Site(languages=("zh",), corpora=("hug",), files=[file], size=9, lessons=[], keys=False)
    ]
    assert run(tmp_path, "--force", "--quiet").stderr == ""
    assert requests[1] == build.Site(files=[], lessons=[])


def test_a_large_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "UPLOAD_LIMIT", 3)
    (tmp_path / "a.txt").write_text("abcd", "utf-8")
    done = run(tmp_path / "out", tmp_path / "a.txt")
    assert done.exit_code == 1 and "a.txt has more than 3 bytes; count its words first" in done.stderr


def test_python_for_browsers_is_there_or_reported_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, file = tmp_path / "out", tmp_path / "pyodide.tgz"
    file.write_bytes(b"PK")
    done = run(out, "--pyodide", file)
    assert done.exit_code == 2 and "--pyodide is for --live; add --live" in done.stderr
    monkeypatch.setattr(live_files.shutil, "which", lambda _name: None)
    done = run(out, "--live")
    assert done.exit_code == 1 and "npm isn't here" in done.stderr and "--pyodide FILE" in done.stderr
    done = run(out, "--live", "--pyodide", file)
    assert done.exit_code == 1 and "isn't npm's package of pyodide" in done.stderr
    assert not out.exists()
