"""Tokens and training in a terminal (`tokensteps/cli/terminal/`).

Oracles: the engine's encoding of the same text; Unicode's own widths of characters; the course's published
steps in `golden/`; and `textual`'s pilot, for pressing keys.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.cli.test_cli import COURSE, HUG, ROOT, complaint, output, shell
from tests.hostile import hostile
from tests.loops import finished
from tests.samples import STRESS
from tokenizers_core import Corpus, Tokenizer, train_bpe, train_superbpe, train_unigram, train_wordpiece
from tokensteps.cli.terminal import extra
from tokensteps.cli.terminal.panels import words_text
from tokensteps.cli.terminal.show import terminal_lines, token_lines
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import current_language

TEXT = "This is not a token: naïve 茶道 👍🏽 ไทย"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two tokenizers of the course's text: of characters, and of bytes."""
    folder = tmp_path_factory.mktemp("terminal")
    paths = [str(folder / name) for name in ("plain.json", "bytes.json")]
    output("train", COURSE, "-s", 50, "-o", paths[0])
    output("train", COURSE, "--alphabet", "bytes", "-s", 300, "-o", paths[1])
    return paths


def columns(line: str) -> int:
    """A line's columns, by Unicode's tables."""
    wide = {"W": 2, "F": 2}
    return sum(
        0 if unicodedata.combining(one) else wide.get(unicodedata.east_asian_width(one), 1) for one in line
    )


# --- show ---------------------------------------------------------------------------------------------------


def test_a_pipe_gets_every_token_with_its_id_as_plain_text(files: list[str]) -> None:
    for file in files:
        encoding = Tokenizer.load(file).encode(TEXT)
        *rows, message, blank = output("show", TEXT, "-t", file).splitlines()
        assert blank == "" and message.startswith(f"Tokens {len(encoding)} · Characters {len(TEXT)} · Bytes ")
        assert max(map(columns, rows)) <= 80 and not any("\x1b" in row for row in rows)
        style = Style(byte_level=True, show="spaces", special_tokens=frozenset(["[UNK]"]))
        written = " ".join(readable(token, style) for token in encoding.tokens).split()
        assert " ".join(rows[::2]).split() == written
        assert [*map(int, " ".join(rows[1::2]).split())] == encoding.ids


def test_several_tokenizers_and_several_lines_below_one_another(files: list[str]) -> None:
    lines = output("show", "-", "-t", files[0], "-t", files[1], stdin="to be\nor\n").splitlines()
    assert [line for line in lines if line in files] == files * 2
    assert [line for line in lines if line.startswith("Tokens")] == [
        f"Tokens {len(Tokenizer.load(file).encode(text))} · Characters {len(text)} · Bytes {len(text)}"
        for text in ("to be", "or")
        for file in files
    ]
    counts = output("show", "to", "-t", files[0], "--language", "zh").splitlines()[-2]
    assert counts.startswith("词元")


def test_nothing_that_steers_a_terminal_gets_out(files: list[str]) -> None:
    tokenizer = Tokenizer.load(files[1])
    console = Console(force_terminal=False, width=80)
    for one in hostile(200 if STRESS else 100):
        text = f"\x1b]0;bad\x07\x1b[2J\x9b31m\u202e{one.text}".encode("utf-8", "replace").decode()
        for line in terminal_lines(console, token_lines([text], [("x", tokenizer)], 80)):
            results = {one for one in line if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp")}
            assert results <= {"\u200e"}, line
    assert len(output("show", "\x1b[2J", "-t", files[1]).splitlines()) == 4


def test_a_terminal_has_colours_unless_switched_off(files: list[str], tmp_path: Path) -> None:
    """Through a terminal of the system's own, 40 columns wide."""
    line = f"{sys.executable} -m tokensteps show 'This is not a token at all, is it' -t {files[0]}"
    for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        command = f'script -qec "stty cols 40; {line}" /dev/null'
        done = shell(command, tmp_path, TERM="xterm-256color", COLUMNS="40", **variables)
        assert done.returncode == 0, done.stderr
        assert ("48;5;" in done.stdout) == coloured and "This" in done.stdout


# --- the rest of the command line ---------------------------------------------------------------------------


def test_encode_reads_standard_input_for_a_dash(files: list[str]) -> None:
    value = "to be\nor not\n"
    assert output("encode", "-t", files[0], "-", stdin=value) == output("encode", "-t", files[0], stdin=value)
    assert "leave one of them out" in complaint(2, "encode", "-t", files[0], "to", "--file", COURSE)


def test_without_the_extra_the_command_names_the_package(
    files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    message = complaint(1, "show", "to be", "-t", files[0])
    assert message == f"Error: This needs rich, which is not installed. Get it: {extra.INSTALL_EXTRA}"
    assert (
        len(output("step", HUG, "--counts", "--merges", 2, "-q").splitlines()) == 3
    )  # a pipe needs none of it


def test_help_is_under_the_name_that_was_called_and_its_examples_are_there(tmp_path: Path) -> None:
    """As after `pip install`, from a folder without corpora."""
    code = "from tokensteps.__main__ import main; main('tokensteps', ['step', '--help'])"
    output = shell(f'python -c "{code}"', tmp_path).stdout
    assert "  tokensteps step" in output and "python -m" not in output
    named = next(word for word in output.split() if word.endswith("course.txt"))
    assert Path(named).is_absolute() and Path(named).exists()


def test_a_shell_completes_commands_and_options(tmp_path: Path) -> None:
    code = "from tokensteps.__main__ import installed; installed()"
    words = {"COMP_WORDS": "tokensteps st", "COMP_CWORD": "1", "_TOKENSTEPS_COMPLETE": "bash_complete"}
    assert "plain,step" in shell(f'python -c "{code}"', tmp_path, **words).stdout.split()


@pytest.mark.parametrize(
    ("locale", "language"), [("ja_JP.UTF-8", "ja"), ("zh_CN", "zh"), ("C", "en"), ("", "en")]
)
def test_the_terminals_language(locale: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", locale)
    assert extra.own_language() == language


# --- step ---------------------------------------------------------------------------------------------------


def test_a_pipe_gets_a_line_for_each_step() -> None:
    golden = json.loads((ROOT / "tests" / "golden" / "bpe_course.json").read_text("utf-8"))["steps"]
    lines = output("step", COURSE, "-s", 50, "--special-token", "<|endoftext|>", "-q").splitlines()
    assert [line.split("\t")[0] for line in lines] == [*map(str, range(len(golden) + 1))]
    for line, step in zip(lines[1:], golden, strict=True):
        token = step["token"].replace("Ġ", "␣")
        assert f" into {token}. The pair occurs {step['freq']} time" in line
    assert output("step", COURSE, "-s", 50, "-q", "--step", 19, "--language", "ja").startswith("19\t")
    assert current_language() == "en"  # a command's own goes with it, not on to the next tests


def corpus(rule: str) -> Corpus:
    return Corpus.from_texts(Path(COURSE).read_text("utf-8").splitlines(), pre_tokenizer=rule)


TRACES: dict[str, Callable[[], Any]] = {
    "bpe": lambda: train_bpe(corpus("byte_level"), vocab_size=50),
    "wordpiece": lambda: train_wordpiece(corpus("bert"), vocab_size=70),
    "unigram": lambda: train_unigram(corpus("whitespace_split_metaspace"), seed_size=200, vocab_size=60),
    "unigram, sentencepiece": lambda: train_unigram(
        corpus("whitespace_split_metaspace"), seed_size=200, vocab_size=60, method="sentencepiece"
    ),
}


RUN_NAME = "notes[red] [b=']"
"""A file's name that Textual would read as markup."""


def stepped(
    trace: Any,
    keys: Callable[[Any, Any], Coroutine[Any, Any, None]],
    size: tuple[int, int] = (80, 24),
    **more: Any,
) -> None:
    pytest.importorskip("textual", reason="the extra tokensteps[terminal] isn't installed")
    from tokensteps.cli.terminal.stepper import Stepper

    style = Style(trace.corpus.pipeline.byte_level, "spaces")

    async def go() -> None:
        app = Stepper(trace, RUN_NAME, style, more.get("language", "en"))
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await keys(app, pilot)

    finished(go())


def screen(app: Any) -> str:
    """The text on the screen."""
    return "\n".join(
        "".join(segment.text for segment in line) for line in app.screen._compositor.render_strips()
    )


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", TRACES)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_every_step_fits_the_screen(algorithm: str, size: tuple[int, int]) -> None:
    trace = TRACES[algorithm]()

    async def keys(app: Any, pilot: Any) -> None:
        for step in (0, 1, len(trace) // 2, len(trace)):
            app.action_to(step)
            await pilot.pause()
            seen = screen(app)
            lines = seen.splitlines()
            assert len(lines) <= size[1] and max(map(columns, lines)) <= size[0]
            assert f"Step {step} of {len(trace)}" in seen and "Quit" in lines[-1]
            event = trace[step].event
            if event.kind == "merge":
                assert readable(event.token, app.style) in seen and "merged" in seen
                word = event.words[0]
                tokens = " ".join(readable(one, app.style) for one in trace[step].splits([word])[word])
                assert tokens[: size[0] // 4] in seen
            if event.kind == "prune":
                assert f"{readable(event.piece, app.style)} pruned" in seen

    stepped(trace, keys, size)


def test_the_keys_go_through_the_run() -> None:
    trace = TRACES["bpe"]()

    async def keys(app: Any, pilot: Any) -> None:
        for key, step in (
            ("right", 1), ("right", 2), ("left", 1), ("home", 0), ("left", 0), ("pagedown", 10), ("end", 20), ("right", 20),
            ("pageup", 10),
        ):  # fmt: skip
            await pilot.press(key)
            assert app.step == step, key
        assert RUN_NAME in screen(app)
        results = [trace[step].event.token for step in range(1, 21)]
        with_o = [step for step, token in enumerate(results, start=1) if "o" in token]
        await pilot.press("home", "slash", "o", "enter")
        assert app.step == with_o[0]
        await pilot.press("n")
        assert app.step == with_o[1]
        await pilot.press("end", "n")  # around the end
        assert app.step == with_o[0]
        await pilot.press("g", "1", "7", "enter")
        assert app.step == 17
        await pilot.press("g", "x", "enter")
        await pilot.pause()
        assert app.step == 17 and "x is no step; write a number up to 20." in screen(app)
        await pilot.press("slash", "☃", "enter")
        await pilot.pause()
        assert app.step == 17 and "No step makes or prunes a token with ☃." in screen(app)
        await pilot.press("slash", "q", "escape", "right")
        assert app.step == 18 and app.is_running  # the typed text was no command

    stepped(trace, keys)


@pytest.mark.parametrize(("language", "word"), [("zh", "退出"), ("ja", "終了")])
def test_other_languages_and_no_colours(language: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def keys(app: Any, pilot: Any) -> None:
        await pilot.press("right")
        await pilot.pause()
        assert word in screen(app)
        styles = [
            segment.style
            for line in app.screen._compositor.render_strips()
            for segment in line
            if segment.style
        ]
        assert all(one.color is None or len({*one.color.get_truecolor()}) == 1 for one in styles)  # greys
        assert any(one.underline and one.bold for one in styles)  # the new token stands out all the same

    stepped(TRACES["bpe"](), keys, language=language)


def test_superbpe_has_its_stretches_in_stage_2() -> None:
    """Oracle: the run's own words; before the change of stages they are words."""
    lines = ["by the way", "by the way", "on the way", "the way to it"]
    trace = train_superbpe(Corpus.from_texts(lines), 22, transition=20)
    assert trace.stage_step is not None
    for snapshot in trace:
        shown = str(words_text(snapshot, Style(True, "spaces"), 9, 60)).split("\n")
        stage_2 = snapshot.step >= trace.stage_step
        assert shown[0].startswith("Stretches of text" if stage_2 else "Words")
        assert len(shown) == 1 + len((trace.stretches if stage_2 else trace.corpus).words)
    assert any("2" in line for line in shown[1:])
