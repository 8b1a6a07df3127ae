"""The command line as a table: arguments, standard input, the exit code, and the output. Each line is a test.

Oracles: for results, the engine called directly or the published example; for exit codes and pipes, a real
shell and the programs of every Unix (`yes`, `head`, `true`).
"""

from __future__ import annotations

import re
import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.test_cli import COURSE, HUG, ROOT, output, run, shell
from tokenizers_core import Corpus, Tokenizer, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.files.exports import merges_txt, pieces_tsv, tiktoken_ranks, vocab_json, vocab_txt
from tokenizers_core.text.counting import WordCounts, counts_tsv

SUGGESTS = tuple(map(int, version("click").split(".")[:2])) >= (
    8,
    4,
)  # the intended command or option, in these words
PNG = (ROOT / "docs" / "bpe-light.png").read_bytes()
LATIN = "Straße für Füße\nein Bär läuft\n".encode("latin-1") * 3
CYRILLIC = "кириллица в старой кодировке\n".encode("koi8-r")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with each kind of file from `train`, texts, and things other than text."""
    result = tmp_path_factory.mktemp("table")
    lines = Path(COURSE).read_text("utf-8").splitlines()
    bpe = train_bpe(Corpus.from_texts(lines), 60, alphabet="corpus")
    full = train_bpe(Corpus.from_texts(lines), merges=30, alphabet="bytes", special_tokens=["<s>"])
    wordpiece = train_wordpiece(Corpus.from_texts(lines, pre_tokenizer="bert"), 70)
    unigram = train_unigram(
        Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace"), vocab_size=99
    )
    bpe.tokenizer().save(result / "t.json")
    (result / "vocab.json").write_text(vocab_json(bpe.tokenizer()), "utf-8")
    (result / "merges.txt").write_text(merges_txt(bpe), "utf-8")
    (result / "x.tiktoken").write_text(tiktoken_ranks(full.tokenizer()), "utf-8")
    full.tokenizer().save(result / "x.json")
    (result / "vocab.txt").write_text(vocab_txt(wordpiece.tokenizer()), "utf-8")
    wordpiece.tokenizer().save(result / "w.json")
    (result / "u.vocab").write_text(pieces_tsv(unigram), "utf-8")
    unigram.tokenizer().save(result / "u.json")
    (result / "half-vocab.json").write_text(vocab_json(bpe.tokenizer()), "utf-8")
    (result / "bad.tiktoken").write_text("AA== zero\n", "utf-8")
    (result / "course.txt").write_text("\n".join(lines), "utf-8")
    (result / "picture.png").write_bytes(PNG)
    (result / "counts.tsv").write_text(counts_tsv(WordCounts(Corpus.from_texts(["hug hug"]))), "utf-8")
    (result / "class.toml").write_text(
        'title = "x"\nlanguage = "en"\n[[question]]\nask = "Why?"\nby = "free"\n', "utf-8"
    )
    (result / "latin.txt").write_bytes(LATIN)
    (result / "koi8.txt").write_bytes(CYRILLIC)
    chat = result / "model"
    chat.mkdir()
    bpe.tokenizer().save(chat / "tokenizer.json")
    (chat / "tokenizer_config.json").write_text(
        '{"chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}"}', "utf-8"
    )
    (result / "chat.json").write_text('[{"role": "user", "content": "This is"}]', "utf-8")
    (result / "loop.jinja").write_text("{% for a in range(99999) %}" * 3 + "{% endfor %}" * 3, "utf-8")
    (result / "-hello").write_text("to be", "utf-8")
    return result


class Line(NamedTuple):
    """A line of the table."""

    typed: str
    """After `python -m tokensteps`."""
    code: int = 0
    out: str = ""
    """A pattern for all of standard output; "" for nothing there."""
    err: str = ""
    """A pattern for a part of standard error; "" for nothing there."""
    stdin: bytes | None = None
    """Standard input."""


ANYTHING = r"(?s).+"
IDS = r"(\d+ )*\d+\n"

TABLE = {
    # help and version
    "help": Line("--help", out=r"(?s)Usage: .*Begin with:.*"),
    "short help": Line("-h", out=r"(?s)Usage: .*"),
    "no command": Line("", 2, err="(?s)Usage: .*Commands:"),
    "version": Line("--version", out=r"tokensteps \d+\.\d+\.\d+\n"),
    "no such command": Line("tain", 2, err="No such command 'tain'" + (".*train" if SUGGESTS else "")),
    "no such option": Line("train --vocabsize 5", 2, err="No such option '--vocabsize'.*Did you mean .*--vocab-size" if SUGGESTS else "No such option.*--vocab-size"),
    **{
        f"help of {name}": Line(f"{name} --help", out=rf"(?s)Usage: python -m tokensteps {name} .*Examples:.*")
        for name in ("train", "encode", "show", "decode", "trace", "step", "handout", "package", "count", "open")
    },
    # packages, and drawings in a terminal
    "a package without a key": Line("package construct --scorm 1.2 -o x.zip", 2, err="only the app can check these answers"),
    "a package of a live class": Line("package class.toml --scorm 1.2 -o x.zip", 2, err=r"class\.toml has no part: add one with \[\[part\]\]"),
    "a package of nothing": Line("package nothing --scorm 1.2 -o x.zip", 2, err="neither a .toml file nor a kind of exercise; choose one of bpe_"),
    "a package without a version": Line("package bpe_pair -o x.zip", 2, err="'--scorm'"),
    "a package of another version": Line("package bpe_pair --scorm 1.3 -o x.zip", 2, err="'1.3' is not one of '1.2', '2004'"),
    "a package of no lesson": Line("package none.toml --scorm 1.2 -o x.zip", 1, err="none.toml"),
    "steps in a pipe": Line("step course.txt -s 40 -q", out=r"(?s)0\t.*\n8\t[^\n]*\n9\t.*"),
    "tokens of a line": Line("show -t t.json -", stdin="to be\n", out=r"(?s).*Tokens \d+ · Characters 5 · Bytes 5\n\n"),
    # sizes
    "a size": Line("train course.txt -s 60", out=ANYTHING, err=r"a vocabulary of 60 tokens; .*\nOne of them is \[UNK\]"),
    "a size of bytes": Line("train course.txt -s 300 --alphabet bytes", out=ANYTHING, err="a vocabulary of 300 tokens; "),
    "a size with [UNK] named": Line("train course.txt -s 60 --special-token [UNK]", out=ANYTHING, err="of 60 tokens; "),
    "a size that is too small": Line(
        "train course.txt -s 30", 1, err=r"^Error: --vocab-size 30 is below the 31 tokens that .*\[UNK\]; choose at least 31\.$"
    ),
    "the least size": Line("train course.txt -s 31", out=ANYTHING, err="of 31 tokens; "),
    "a trace's least size": Line("trace course.txt -s 30", out=ANYTHING, err="of 30 tokens; "),
    **{
        f"a size out of reach, {algorithm}, {command}": Line(
            f"{command} course.txt -a {algorithm} -s 8000",
            1,
            out=ANYTHING,
            err=r"(?m)^Error: --vocab-size 8000 can't be reached: .*; choose at most (\d+), or add text\. What there is has been written\.$",
        )
        for algorithm in ("bpe", "wordpiece", "unigram")
        for command in ("train", "trace", "handout")
    },
    "a size beyond the seed": Line(
        "train course.txt -a unigram -s 200 --seed-size 150",
        1,
        out=ANYTHING,
        err="for 151 tokens only; choose at most 151, or a larger --seed-size",
    ),
    "a size that only the seed was in the way of": Line(
        "train course.txt -a unigram -s 400", out=ANYTHING, err="the vocabulary has reached the size"
    ),
    "a size that EM leaves no pieces for": Line(
        "train course.txt -a unigram --method sentencepiece -s 60", 1, out=ANYTHING, err="--vocab-size 60 can't be reached: EM dropped"
    ),
    "no size, nothing out of reach": Line("train hug.txt --counts -a unigram", out=ANYTHING, err="the seed is no larger"),
    "no size to speak of": Line("train course.txt -s 0", 2, err="'--vocab-size'"),
    # things other than text
    "a picture": Line("train picture.png", 1, err=r"^Error: picture\.png is no text in UTF-8: it has null bytes.*--text"),
    "a picture from a pipe": Line("train", 1, stdin=PNG, err="^Error: standard input is no text"),
    "a picture that is forced": Line("train picture.png --text --merges 3", out=ANYTHING, err="Warning: picture.png: .*U\\+FFFD"),
    "a picture that is traced": Line("trace picture.png", 1, err="is no text in UTF-8"),
    "word counts as a text": Line("train counts.tsv", 1, err=r"counts\.tsv holds word counts, no text; .* add --counts .*--text"),
    "word counts as counts": Line("train counts.tsv --counts --merges 1", out=ANYTHING, err="1 step, a vocabulary of . tokens"),
    "word counts that are forced": Line("train counts.tsv --text --merges 1", out=ANYTHING, err="1 step, a vocabulary of 39 tokens"),
    "cuts where words have an end": Line("train course.txt -p end_of_word --digits each", 2, err="--digits does not go with --pre-tokenizer end_of_word"),
    "a picture that is counted": Line("count picture.png", 1, err="is no text in UTF-8"),
    "an old encoding": Line("train koi8.txt", 1, err="koi8.txt is no text in UTF-8: .* characters are not UTF-8"),
    "an old encoding, a little of it": Line("train latin.txt", out=ANYTHING, err="Warning: latin.txt: .*convert it to UTF-8"),
    "no file": Line("train none.txt", 1, err="none.txt: there is no such file or folder"),
    "a folder": Line("train .", 1, err="is a folder; name a file in it"),
    "nothing": Line("train", 1, stdin=b"", err="there is no text"),
    # encode
    "a text": Line('encode -t t.json "This is"', out=IDS),
    "lines": Line("encode -t t.json", stdin=b"This is\n\na token\n", out=rf"{IDS}\n{IDS}"),
    "a file": Line("encode -t t.json --file course.txt", out=rf"({IDS}){{4}}"),
    "tokens": Line("encode -t t.json --format tokens This", out=r"This\n"),
    "json": Line("encode -t t.json --format json This", out=r'\{"ids": .*"overflowing": \[\]\}\n'),
    "a table": Line("encode -t t.json --format table This", out=r"text\tid\ttoken\tstart\tend\tword\ttype\n1\t.*\n"),
    "a text that looks like options": Line("encode -t t.json -hello", 2, err=r"No such option:? '?-e'?\.? If that is a text .* put -- in front"),
    "a text that looks like a long option": Line("encode -t t.json --hello", 2, err="put -- in front"),
    "a chat": Line("encode -t model --chat chat.json --format tokens", out=r"T\S* .*\n"),
    "a chat by a known format": Line("encode -t model/tokenizer.json --chat chat.json --chat-template plain --generation-prompt", out=IDS),
    "a chat by an endless template": Line("encode -t t.json --chat chat.json --chat-template loop", 1, err="takes longer than 1 s"),
    "a chat without a template": Line("encode -t model --chat chat.json --chat-template no", 1, err="has no chat template 'no'; choose one .*: default, chatml"),
    "a chat that is none": Line("encode -t model --chat course.txt", 1, err="course.txt: not JSON: .*; write "),
    "messages that are none": Line("encode -t model --chat t.json", 1, err="'t.json' is not a list of messages"),
    "a chat and a text": Line("encode -t model --chat chat.json text", 2, err="leave TEXT, --file and --pair out"),
    "a template without a chat": Line("encode -t model --generation-prompt text", 2, err="are for --chat"),
    "a text after --": Line("encode -t t.json -- -hello", out=IDS),
    "a file that looks like options": Line("train -ello", 2, err="put -- in front"),
    "a file after --": Line("train -- -hello", out=ANYTHING, err="Corpus: 1 line"),
    "a text twice": Line("encode -t t.json --file course.txt text", 2, err="leave one of them out"),
    "no tokenizer": Line("encode text", 2, err="Missing option '--tokenizer'"),
    "no such tokenizer": Line("encode -t none.json text", 1, err="none.json: there is no such file or folder"),
    "a text as a tokenizer": Line("encode -t course.txt text", 1, err="course.txt: The file is not JSON"),
    "a picture as a tokenizer": Line("encode -t picture.png text", 1, err="picture.png: Byte 0 of the file is not UTF-8"),
    # every file from train
    "vocab.json": Line("encode -t vocab.json This", out=IDS, err="vocab.json does not say how text is split; taken: .* byte_level"),
    "merges.txt": Line("encode -t merges.txt This", out=IDS, err="--pre-tokenizer byte_level"),
    "half of two files": Line("encode -t half-vocab.json This", 1, err="half of a tokenizer, and 'half-merges.txt' is not beside it"),
    "vocab.txt": Line("encode -t vocab.txt This", out=IDS, err="--pre-tokenizer bert"),
    "vocab.txt by rules": Line("encode -t vocab.txt -n bert_uncased This", out=IDS),
    "NAME.vocab": Line("encode -t u.vocab This", out=IDS, err="--pre-tokenizer whitespace_split_metaspace"),
    ".tiktoken": Line("encode -t x.tiktoken --special-token <s> This<s>", out=IDS, err="--pattern gpt2"),
    ".tiktoken without its special tokens": Line("encode -t x.tiktoken This", 1, err=r"leaves out 1 id \(0\).*--special-token"),
    ".tiktoken that is damaged": Line("encode -t bad.tiktoken This", 1, err="Line 1 of 'bad.tiktoken' is 'AA== zero', but must be"),
    "rules that the file has": Line("encode -t t.json -p bert This", 1, err="--pre-tokenizer 'bert' can't be used: the file has its own"),
    # decode
    "ids": Line("decode -t t.json 5 13 15", out=r".+\n"),
    "ids with commas": Line("decode -t t.json 5,13,15", out=r".+\n"),
    "ids in brackets": Line("decode -t t.json [5, 13, 15]", out=r".+\n"),
    "ids from a pipe": Line("decode -t t.json", stdin=b"[5, 13]\n15\n", out=r".+\n.+\n"),
    "no ids": Line("decode -t t.json 5 x", 1, err="What was given is '5 x'; write whole numbers parted by spaces or commas"),
    "no ids in a pipe": Line("decode -t t.json", 1, stdin=b"x\n", err="Line 1 of standard input is 'x'"),
    "an id that is none": Line("decode -t t.json 5000", 1, err="5000 is not an id of this vocabulary of 61 tokens"),
    "a number beyond all ids": Line(f"decode -t t.json {'9' * 5000}", 1, err="is not an id of this vocabulary"),
    "a negative id": Line("decode -t t.json -5", 2, err="No such option:? '?-5"),
    ".tiktoken decodes": Line("decode -t x.tiktoken --special-token <s> 1 2 0", out=r'!"<s>\n', err="taken: "),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_each_line_of_the_table(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = TABLE[name]
    monkeypatch.chdir(folder)
    if not (folder / "hug.txt").exists():
        (folder / "hug.txt").write_bytes(Path(HUG).read_bytes())
    result = run(*shlex.split(line.typed), stdin=line.stdin)
    assert result.exit_code == line.code, result.output
    assert "Traceback" not in result.stderr
    assert re.fullmatch(line.out, result.stdout_bytes.decode("utf-8"))
    if line.err:
        assert re.search(line.err, result.stderr, re.MULTILINE | (re.DOTALL if line.code == 2 else 0)), (
            result.stderr
        )
    else:
        assert result.stderr == ""


@pytest.mark.parametrize(
    ("name", "same", "more"),
    [
        ("vocab.json", "t.json", []),
        ("merges.txt", "t.json", []),
        ("vocab.txt", "w.json", []),
        ("u.vocab", "u.json", []),
        ("x.tiktoken", "x.json", ["--special-token", "<s>"]),
    ],
)
def test_trained_files_encode_as_their_tokenizer_json(
    name: str, same: str, more: list[str], folder: Path
) -> None:
    text = "This is the token.<s> to be é 東京 \t x"
    for form in ("ids", "tokens", "json"):
        expected = output("encode", "-t", folder / same, "--format", form, text)
        assert output("encode", "-t", folder / name, *more, "--format", form, text) == expected
    ids = output("encode", "-t", folder / same, text)
    assert output("decode", "-t", folder / name, *more, stdin=ids) == output(
        "decode", "-t", folder / same, stdin=ids
    )


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
def test_the_named_size_can_be_reached(algorithm: str, tmp_path: Path) -> None:
    """With a size out of reach, the result so far is written, with exit code 1. Oracle: the error's own
    remedy, and the file's length."""
    short = run("train", COURSE, "-a", algorithm, "-s", 8000, "-o", tmp_path / "short.json")
    most = int(re.findall(r"choose at most (\d+)", short.stderr)[0])
    assert short.exit_code == 1
    output("train", COURSE, "-a", algorithm, "-s", most, "-o", tmp_path / "t.json")
    assert len(Tokenizer.load(tmp_path / "t.json").tokens) == most
    if algorithm != "unigram":  # its seed grows with the requested size
        assert (tmp_path / "short.json").read_bytes() == (tmp_path / "t.json").read_bytes()
    assert len(Tokenizer.load(tmp_path / "short.json").tokens) == most
    assert run("train", COURSE, "-a", algorithm, "-s", most + 1).exit_code == 1


@pytest.mark.parametrize("size", [60, 75, 100])
@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
def test_a_file_has_the_requested_number_of_tokens(algorithm: str, size: int, tmp_path: Path) -> None:
    for more in ([], ["--special-token", "[UNK]"], ["--template", "bert"]):
        output("train", COURSE, "-a", algorithm, "-s", size, *more, "-f", "-o", tmp_path / "t.json")
        assert len(Tokenizer.load(tmp_path / "t.json").tokens) == size
    exact = ["-a", "unigram", "--exact", "-s", size, "-f", "-o", tmp_path / "t.json"]
    output("train", COURSE, *exact)
    assert len(Tokenizer.load(tmp_path / "t.json").tokens) == size


# --- Pipes, in a real shell ---------------------------------------------------------------------------------

PIPES = {
    "a reader that leaves": ("yes 'This is' | head -n 100000 | python -m tokensteps encode -t t.json | head -n 2", "141", 2),
    "a reader that never was": ("python -m tokensteps trace course.txt -q | true", "141", 0),
    "help for nobody": ("python -m tokensteps train --help | true", "141", 0),
    "a reader that stays": ("yes 'This is' | head -n 3 | python -m tokensteps encode -t t.json | cat", "0", 3),
    "there and back": ("python -m tokensteps encode -t x.json to,be | python -m tokensteps decode -t x.json", "0", 1),
    "an error before a pipe": ("python -m tokensteps train course.txt -s 5 -q | cat >&2", "1", 0),
    "ids cut off with head, as yes has it": ("yes | head -n 1", "141", 1),
}  # fmt: skip
"""A pipe, the exit code of its program before the last, and how many lines come out."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PIPES)
def test_pipes_end_as_those_of_other_programs(name: str, folder: Path) -> None:
    pipe, code, lines = PIPES[name]
    done = shell(f"bash -c {shlex.quote(pipe + '; echo ${PIPESTATUS[-2]} >&2')}", folder)
    *said, status = done.stderr.splitlines()
    assert (status, len(done.stdout.splitlines())) == (code, lines)
    assert [line for line in said if not line.startswith("Error: ")] == []


def test_warnings_of_the_engine_stay_in_the_engine(tmp_path: Path) -> None:
    """The library warns; the command line and the app say it themselves, even where warnings are errors."""
    train = f"train --counts {shlex.quote(HUG)} -a unigram -o t.json"
    done = shell(f"python -W error -m tokensteps {train}", tmp_path)
    assert (done.returncode, "Warning" in done.stderr) == (0, False)
    library = "from tokenizers_core import *; train_unigram(Corpus.from_counts({'ab': 2}), vocab_size=9)"
    done = shell(f'{shlex.quote(sys.executable)} -c "{library}"', tmp_path)
    assert "UnreachedSizeWarning: vocab_size=9 can't be reached" in done.stderr
