"""Text in, data out: files and standard input, read a line at a time; files written whole or not at all."""

from __future__ import annotations

import codecs
import errno
import os
import re
import shlex
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import chain, repeat
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from tokenizers_core import TokenizersCoreError
from tokenizers_core.text.counting import is_counts
from tokenizers_core.text.reading import DecodedText, decode_text, parse_counts


def warn_of_invalid(replaced: Mapping[str, int]) -> None:
    """Warn about inputs with invalid UTF-8."""
    for name, number in replaced.items():
        if number:
            text = counted(number, "stretch of invalid UTF-8 was", "stretches of invalid UTF-8 were")
            remedy = "if it is text in another encoding, convert it to UTF-8 first"
            click.echo(f"Warning: {input_name(name)}: {text} read as U+FFFD; {remedy}.", err=True)


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> counted(1, "line", "lines"), counted(1200, "line", "lines")
    ('1 line', '1,200 lines')
    """
    return f"{number:,} {one if number == 1 else many}"


def input_name(name: str) -> str:
    """The name of an input in messages."""
    return "standard input" if name == "-" else click.format_filename(name)


def opened(name: str) -> Any:
    """A context with a file's bytes; `-` is standard input, and stays open."""
    return nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb")


def inputs(files: Sequence[str], wanted: str) -> Sequence[str]:
    """The files to read, or standard input if none is named. Refuses to wait for somebody to type."""
    names = files or ("-",)
    if "-" in names and (sys.stdin is None or (not files and sys.stdin.isatty())):
        raise click.UsageError(
            f"There is nothing to read: name {wanted}, or pipe text in, as in: "
            f"cat corpus.txt | {click.get_current_context().command_path} (to type it, name - and end with Ctrl-D)."
        )
    return names


def lines_of(stream: Iterable[bytes]) -> Iterator[DecodedText]:
    r"""The lines of a file without their ends, one at a time; read as the engine's `Corpus.from_file` reads
    them.

    >>> [line.text for line in lines_of([b"a\r\n", b"b\rc"])]
    ['a', 'b', 'c']
    """
    pieces = iter(stream)
    first = next(pieces, b"")
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        # In these encodings a line does not end where a byte of a newline is: they are read at once.
        first += b"".join(pieces)
    # Only the file's beginning may hold a mark. With one put in front, no other line is taken for another
    # encoding.
    marked = (codecs.BOM_UTF8 + piece for piece in pieces)
    for text, replaced in map(decode_text, chain([first] if first else [], marked)):
        lines = re.split("\r\n|\r|\n", text)
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines):
            yield DecodedText(line, 0 if number else replaced)


def texts_of(
    files: Sequence[str],
    replaced: Counter[str],
    move: Callable[[int, int | None], None] | None = None,
    checked: bool = False,
) -> Iterator[str]:
    """The lines of all files, one at a time; counts invalid UTF-8 by file.

    `move` is called now and then with the bytes read so far and the total, None if that isn't known. If
    `checked`, raises ClickException for a file without text.
    """
    done = reported = 0
    total = size_of(files) if move else None

    def watched(stream: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal done, reported
        for piece in stream:
            yield piece
            done += len(piece)
            if move and done - reported >= STRIDE:
                reported = done
                move(done, total)

    for name in files:
        with opened(name) as stream:
            lines = lines_of(watched(stream))
            for line in refuse_counts(name, refuse_no_text(name, lines)) if checked else lines:
                replaced[name] += line.replaced
                yield line.text


MOST_INVALID = 0.3
"""A file with a larger share of characters that aren't UTF-8 is no text to train on: a picture, or Cyrillic
in an old encoding. German in Latin-1 has a tenth of this share."""


ALL_THE_SAME: Final = ", or add --text to read it all the same"


def refuse_no_text(
    name: str, lines: Iterable[DecodedText], forced: str = ALL_THE_SAME
) -> Iterator[DecodedText]:
    """The lines of a file. Raises ClickException for a file without text, such as a picture or an archive.
    `forced` says how the command can be made to read it."""
    characters = invalid = 0
    for line in lines:
        characters += len(line.text) + 1
        invalid += line.replaced
        if "\0" in line.text:
            raise no_text(
                name,
                "it has null bytes, as pictures, archives and text in UTF-16 without a mark have",
                forced,
            )
        yield line
    if invalid > MOST_INVALID * characters:
        raise no_text(name, f"{invalid:,} of its {characters:,} characters are not UTF-8", forced)


def refuse_counts(name: str, lines: Iterable[DecodedText]) -> Iterator[DecodedText]:
    """The lines of a file. Raises ClickException for one with word counts: they are no text to train on."""
    for number, line in enumerate(lines):
        if not number and is_counts(line.text.encode()):
            raise click.ClickException(
                f"{input_name(name)} holds word counts, no text; name a text file, add --counts to train on "
                "the counted words, or --text to read the file all the same."
            )
        yield line


def no_text(name: str, reason: str, forced: str) -> click.ClickException:
    """The complaint about a file without text."""
    return click.ClickException(
        f"{input_name(name)} is no text in UTF-8: {reason}; name a text file, convert it to UTF-8{forced}."
    )


def refuse_what_is_no_text(files: Sequence[str]) -> None:
    """Check the beginnings of files before other processes read them. Raises ClickException for a file
    without text."""
    for name in files:
        with opened(name) as stream:
            lines = lines_of([stream.read(STRIDE).rpartition(b"\n")[0]])
            for _line in refuse_counts(name, refuse_no_text(name, lines)):
                pass


STRIDE = 1 << 17
"""Bytes between two moves of a bar: well under a tenth of a second."""


def size_of(files: Sequence[str]) -> int | None:
    """The bytes of all files; None if one of them has no known size, such as a pipe."""
    if "-" in files:
        return None
    try:
        stats = [os.stat(name) for name in files]
    except OSError:
        return None  # the error of opening that file will be reported
    return sum(one.st_size for one in stats) if all(stat.S_ISREG(one.st_mode) for one in stats) else None


def contents_of(files: Iterable[str]) -> list[tuple[str, bytes]]:
    """Each file's name with its contents."""
    contents = []
    for name in files:
        with opened(name) as stream:
            contents.append((name, stream.read()))
    return contents


def counts_of(contents: Iterable[tuple[str, bytes]], replaced: Counter[str]) -> Iterator[tuple[str, int]]:
    """The words and counts of all files."""
    for name, data in contents:
        decoded = decode_text(data)
        replaced[name] += decoded.replaced
        try:
            yield from parse_counts(decoded.text)
        except TokenizersCoreError as error:
            raise click.ClickException(f"{input_name(name)}: {error}") from None


@contextmanager
def meter(label: str, quiet: bool, in_bytes: bool = False) -> Iterator[Callable[..., None]]:
    """A progress bar on the terminal. Yields the function to move it: `move(done, total)`, without `total` if
    that is unknown.

    It shows both numbers, or the percentage of bytes. There is none if standard error is no terminal.
    """
    bars: list[Any] = []

    def move(done: int, total: int | None = None) -> None:
        if quiet or sys.stderr is None or not sys.stderr.isatty():
            return
        if not bars:
            endless = repeat(None) if total is None else None
            shares = in_bytes and total is not None
            bar = click.progressbar(
                endless, total, label=label, file=sys.stderr, show_pos=not shares, show_percent=shares
            )
            bars.append(stack.enter_context(bar))
        bars[0].update(done - bars[0].pos)

    with ExitStack() as stack:
        yield move
        for bar in bars:
            bar.update((bar.length or bar.pos) - bar.pos)


def refuse_to_overwrite(output: str, force: bool) -> None:
    """Before any work: raise UsageError if the output can't be written."""
    path = Path(output)
    if output != "-":
        if path.is_file() and not force:
            raise click.UsageError(
                f"{path} is there already; choose another --output, or add --force to replace it."
            )
        if path.is_dir():
            raise click.UsageError(f"{path} is a folder; name a file in it.")
        if not path.absolute().parent.is_dir():
            raise click.UsageError(
                f"{path}: there is no folder {path.parent}; make it first: mkdir -p {shlex.quote(str(path.parent))}"
            )
        folder = path.resolve().parent  # a link stays a link
        if (path.is_file() or not path.exists()) and not os.access(folder, os.W_OK):
            raise click.UsageError(f"{path}: nothing can be written to {folder}; choose another folder.")


def write_output(path: str, text: str, quiet: bool) -> None:
    """Write a text to a file, or to standard output for `-`."""
    if path == "-":
        write_data(text)
        return
    write_file(Path(path), text.encode("utf-8"))
    tell(f"Written: {path}", quiet)


def standard_output() -> BinaryIO:
    """Standard output for bytes. Raises OSError if the shell has closed it."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdout.buffer


def write_data(text: str) -> None:
    """Write to standard output at once: UTF-8, with the text's own line ends."""
    stdout = standard_output()
    stdout.write(text.encode("utf-8"))
    stdout.flush()


def write_file(path: Path, data: bytes) -> None:
    """Write a file completely or not at all: nobody ever sees half of it."""
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a device or a pipe: nothing may take its place
        return
    # A short name: the file's own may be as long as names can be.
    part = path.with_name(f".tokensteps.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    finally:
        part.unlink(missing_ok=True)


def tell(message: str, quiet: bool) -> None:
    """A message on standard error."""
    if not quiet:
        click.echo(message, err=True)


def write_lines(lines: Iterable[str]) -> None:
    """Write to standard output; on a terminal, each line at once."""
    stdout = standard_output()
    watched = stdout.isatty()
    for line in lines:
        stdout.write(f"{line}\n".encode())
        if watched:
            stdout.flush()
    stdout.flush()


def by_name(option: str, arguments: Sequence[str], wanted: str) -> dict[str, str]:
    """Language → its value, from NAME=VALUE; `wanted` describes the value. Raises UsageError.

    >>> by_name("--parallel", ["en=a.txt", "de=b.txt"], "file, such as en=english.txt")
    {'en': 'a.txt', 'de': 'b.txt'}
    """
    values: dict[str, str] = {}
    for one in arguments:
        name, _mark, value = one.partition("=")
        if not (name and value):
            raise click.UsageError(f"{option} {one}: write a language and its {wanted}.")
        if name in values:
            raise click.UsageError(f"{option} {one}: {name} is given twice; leave one of them out.")
        values[name] = value
    return values
