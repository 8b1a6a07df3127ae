"""The output of the commands: encodings and traces as text, tokenizers as files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from tokenizers_core import Encoding, Tokenizer
from tokenizers_core.errors import quoted
from tokenizers_core.files.exports import (
    LINE_ESCAPES,
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
from tokenizers_core.files.steps import step_to_csv, step_to_json
from tokenizers_core.files.tokenizer_json import tokenizer_to_json
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training.algorithms import ALGORITHMS, WORDPIECE, AnyTrace

# --- Tokenizers ---------------------------------------------------------------------------------------------


class FileKind(NamedTuple):
    """A kind of file for a tokenizer."""

    fits: re.Pattern[str]
    """Matches its name."""
    algorithms: Sequence[str]
    """The algorithms of the tokenizers that fit in it."""
    write: Callable[[Any, Tokenizer], str]
    """Its text, for a trace and its tokenizer."""


FILE_KINDS: Final[Mapping[str, FileKind]] = {
    "vocab.txt": FileKind(re.compile(r"vocab\.txt$"), (WORDPIECE.name,), lambda _trace, tokenizer: vocab_txt(tokenizer)),
    "vocab.json": FileKind(re.compile(r"vocab\.json$"), ("bpe",), lambda _trace, tokenizer: vocab_json(tokenizer)),
    "merges.txt": FileKind(re.compile(r"merges\.txt$"), ("bpe",), lambda trace, _tokenizer: merges_txt(trace)),
    ".tiktoken": FileKind(re.compile(r"\.tiktoken$"), ("bpe",), lambda _trace, tokenizer: tiktoken_ranks(tokenizer)),
    ".vocab or .tsv": FileKind(re.compile(r"\.(vocab|tsv)$"), ("unigram",), lambda trace, _tokenizer: pieces_tsv(trace)),
    "tokenizer.json": FileKind(re.compile(r"\.json$|^-$"), tuple(ALGORITHMS), lambda _trace, tokenizer: tokenizer_to_json(tokenizer)),
}  # fmt: skip
"""The files that `train` writes; the first one that fits is used."""


def files_to_write(
    output: str, algorithm: str, with_template: bool, kind: str | None = None
) -> dict[str, FileKind]:
    """Path → the kind of file to write there. Raises UsageError for a file unfit for the tokenizer."""
    path = Path(output)
    if output != "-" and path.is_dir():
        path = path / "tokenizer.json"
    name = next((name for name, kind in FILE_KINDS.items() if kind.fits.search(path.name)), None)
    if name is None:
        raise click.UsageError(
            f"--output {output}: its name says nothing of what to write; end it in one of {', '.join(FILE_KINDS)}."
        )
    if algorithm not in FILE_KINDS[name].algorithms:
        raise click.UsageError(
            f"{name} cannot hold a tokenizer of --algorithm {algorithm}; choose another name, such as tokenizer.json."
        )
    if kind == "pickybpe" and name != "vocab.json":
        raise click.UsageError(
            f"{name} cannot hold a tokenizer of --kind pickybpe, which removes tokens again; choose vocab.json for its tokens "
            "alone, or print every step with the trace command."
        )
    if with_template and name != "tokenizer.json":
        raise click.UsageError(
            f"{name} cannot hold a --template; choose tokenizer.json, or leave the template out."
        )
    files = {str(path): FILE_KINDS[name]}
    if name == "vocab.json" and kind != "pickybpe":  # neither is complete without the other
        files[str(path.with_name(path.name.removesuffix(name) + "merges.txt"))] = FILE_KINDS["merges.txt"]
    return files


def warn_of_left_out(files: Mapping[str, FileKind], pipeline: Pipeline, kind: str | None) -> None:
    """Warn about options of the training that the files can't hold, and that `encode` can't be told."""
    if FILE_KINDS["tokenizer.json"] in files.values():
        return
    normalizer = pipeline.normalizer
    options = {
        "--kind superbpe": kind == "superbpe",
        "--user-defined-symbol": bool(pipeline.user_defined_symbols),
        "--digits, --scripts or --cut": bool(pipeline.cuts),
        "--replace": not isinstance(normalizer, str) and not all(isinstance(one, str) for one in normalizer),
    }
    named = ", ".join(name for name, used in options.items() if used)
    if named:
        click.echo(
            f"Warning: {', '.join(map(click.format_filename, files))}: no room for {named}, so encode finds other tokens with it; "
            "write a tokenizer.json as well.",
            err=True,
        )


# --- Encodings ----------------------------------------------------------------------------------------------

COLUMNS: Final = ("text", "id", "token", "start", "end", "word", "type")


def as_ids(_number: int, encoding: Encoding) -> Iterator[str]:
    """The ids of a text, on one line."""
    yield " ".join(map(str, encoding.ids))


def as_tokens(_number: int, encoding: Encoding) -> Iterator[str]:
    """The tokens of a text, on one line."""
    yield " ".join(token.translate(LINE_ESCAPES) for token in encoding.tokens)


def as_rows(number: int, encoding: Encoding) -> Iterator[str]:
    """The tokens of a text, one a row, as `COLUMNS` has them; the word is empty where a token is in none."""
    columns = (encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, encoding.type_ids)
    for identifier, token, (start, end), word, type_id in zip(*columns, strict=True):
        shown = token.translate(LINE_ESCAPES)
        yield "\t".join(
            map(str, (number, identifier, shown, start, end, "" if word is None else word, type_id))
        )


def as_json(_number: int, encoding: Encoding) -> Iterator[str]:
    """Everything about a text, on one line."""
    yield json.dumps(encoding_fields(encoding), ensure_ascii=False)


def encoding_fields(encoding: Encoding) -> dict[str, Any]:
    """An encoding as plain data, with the parts cut off by truncation."""
    names = ("ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask", "attention_mask")
    data = {name: list(getattr(encoding, name)) for name in names}
    return {**data, "overflowing": [encoding_fields(part) for part in encoding.overflowing]}


FORMATS: Final[Mapping[str, Callable[[int, Encoding], Iterator[str]]]] = {
    "ids": as_ids,
    "tokens": as_tokens,
    "json": as_json,
    "table": as_rows,
}
"""How an encoding is written, in lines; each function also gets the text's number."""


def read_ids(text: str, source: str) -> list[int]:
    """The ids in a text, parted by spaces or commas; `source` says where it is from.

    >>> read_ids("[5, 13] 15", "Line 1")
    [5, 13, 15]
    """
    if not re.fullmatch(r"[\s,\[\]0-9]*", text):
        raise click.ClickException(
            f"{source} is {quoted(text)}; write whole numbers parted by spaces or commas, such as: 5 13 15."
        )
    return [int(digits) for digits in re.findall("[0-9]{1,4300}", text)]


# --- Traces -------------------------------------------------------------------------------------------------


def trace_text(trace: AnyTrace, format: str, step: int | None, candidates: int) -> str:
    """A run, or one step of it, as JSON or CSV."""
    number = None if step is None else step_number(step, len(trace))
    if format == "csv":
        if number is None:
            return prunes_to_csv(trace) if trace.ranked_by == "loss" else trace_to_csv(trace)
        if not number:
            raise click.ClickException(
                "--step 0 is the start, which has no row; choose 1 or more, or --format json."
            )
        return step_to_csv(trace, number)
    if number is None:
        return (prunes_to_json(trace) if trace.ranked_by == "loss" else trace_to_json(trace)) + "\n"
    return step_to_json(trace, number, candidates) + "\n"


def step_number(step: int, last: int) -> int:
    """A step's number, counted from the end if negative.

    >>> step_number(-1, 19), step_number(0, 19)
    (19, 0)
    """
    if not -last - 1 <= step <= last:
        raise click.ClickException(
            f"--step {step} is outside this run: it has steps 0 (the start) to {last} (the end); negative ones count from "
            f"the end, to {-last - 1}."
        )
    return step % (last + 1)
