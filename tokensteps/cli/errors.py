"""Errors as the user sees them: one line, in the words of the command line, and the right exit code."""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import click

from tokenizers_core.errors import TokenizersCoreError
from tokensteps.assets import ASSETS
from tokensteps.cli import INTERRUPTED, NOBODY_READS

OPTION_OF: Final = {
    "vocab_size": "--vocab-size",
    "merges": "--merges",
    "min_frequency": "--min-frequency",
    "special_tokens": "--special-token",
    "user_defined_symbols": "--user-defined-symbol",
    "tie_rule": "--ties",
    "alphabet": "--alphabet",
    "extend": "--extend",
    "max_token_length": "--max-token-length",
    "max_piece_length": "--max-token-length",
    "byte_fallback": "--byte-fallback",
    "limit_alphabet": "--limit-alphabet",
    "initial_alphabet": "--initial-alphabet",
    "character_coverage": "--character-coverage",
    "max_input_chars_per_word": "--max-word-length",
    "kind": "--kind",
    "transition": "--transition",
    "most_words": "--most-words",
    "second_pattern": "--second-pattern",
    "threshold": "--threshold",
    "languages": "--corpus",
    "corpora": "--corpus",
    "parallel": "--parallel",
    "global_merges": "--global-merges",
    "ratio": "--ratio",
    "window": "--window",
    "alpha": "--alpha",
    "method": "--method",
    "seed_size": "--seed-size",
    "exact": "--exact",
    "whole_words": "--no-whole-words",
    "normalizer": "--normalizer",
    "pre_tokenizer": "--pre-tokenizer",
    "pattern": "--pattern",
    "digits": "--digits",
    "scripts": "--scripts",
    "cut": "--cut",
    "cut_behavior": "--cut-behavior",
    "replace": "--replace",
    "max_length": "--max-length",
    "stride": "--stride",
    "template": "--template",
    "minimum": "--minimum",
    "order": "--order",
    "texts": "--parallel",
}
"""The engine's parameters → their options."""


SomeCommand = TypeVar("SomeCommand", bound=click.Command)
UNREACHED: Final = "tokensteps.unreached"
"""Where a click context keeps why the vocabulary isn't as large as was asked for."""


class Commands(click.Group):
    """The commands. Anything wrong with the data is reported in one line, without a traceback."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, with examples in the form of its call."""
        result = super().get_command(ctx, cmd_name)
        return as_called(result, ctx) if result else None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        click.Group.format_epilog(as_called(self, ctx), ctx, formatter)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with ended_with_its_reader():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with ended_with_its_reader():
                done = super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except click.NoSuchOption as error:
            text = f"{error.message} {hint_for_text(error)}"
            raise click.NoSuchOption(error.option_name, text, error.possibilities, error.ctx) from None
        except TokenizersCoreError as error:
            raise click.ClickException(in_options(error)) from None
        except OSError as error:
            raise click.ClickException(trouble_with_file(error)) from None
        if UNREACHED in ctx.meta:  # the training may have taken hours, so its result has been written
            raise click.ClickException(f"{ctx.meta[UNREACHED]} What there is has been written.")
        return done


def as_called(command: SomeCommand, ctx: click.Context) -> SomeCommand:
    """The command with examples to type here: under its name in this call, with the corpora's own paths."""
    corpora = ASSETS / "corpora"
    with suppress(ValueError):  # somewhere else
        corpora = corpora.relative_to(Path.cwd())
    text = copy(command)
    text.epilog = (
        (command.epilog or "")
        .replace("python -m tokensteps", ctx.find_root().info_name or "tokensteps")
        .replace("assets/corpora", shlex.quote(str(corpora)))
    )
    return text


def hint_for_text(error: click.NoSuchOption) -> str:
    """The remedy if a text or a file's name was taken for options."""
    path = error.ctx.command_path if error.ctx else "the command"
    return f"If that is a text or the name of a file, put -- in front of it, after all options: {path} ... -- -TEXT"


@contextmanager
def ended_with_its_reader() -> Iterator[None]:
    """End the program in silence when nobody reads its output any more, as other programs in a pipe do."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        for stream in (sys.stdout, sys.stderr):
            pour_away(stream)
        sys.exit(NOBODY_READS)


def pour_away(stream: IO[str] | None) -> None:
    """Discard the output that a closed pipe hasn't taken: Python would write it once more at its end, and
    complain."""
    with suppress(AttributeError, OSError, ValueError):  # it may be None, or no file
        number = stream.fileno()  # type: ignore[union-attr]
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def in_options(error: TokenizersCoreError) -> str:
    """An error of the engine, with the command line's options in place of its parameters.

    >>> from tokenizers_core.errors import SettingError, VocabSizeError
    >>> print(in_options(VocabSizeError(vocab_size=5, minimum=12)))
    --vocab-size 5 is below the alphabet's 12 symbols; choose at least 12.
    >>> print(
    ...     in_options(
    ...         SettingError(name="stride", value=9, reason="of max_length=4 there are 2 tokens for text")
    ...     )
    ... )
    --stride 9 can't be used: of --max-length 4 there are 2 tokens for text.
    """
    evidence = {**error.evidence}
    if "reason" in evidence:
        evidence["reason"] = with_option_names(str(evidence["reason"]))
    template = re.sub(r"^\{(name|kind)\}=", lambda match: f"{evidence[match[1]]}=", error.template)
    # Not in the finished message: the user's own text in it stays as it is.
    return with_option_names(template).format(**evidence)


def with_option_names(text: str) -> str:
    """A text about parameters, with options in their place."""
    return re.sub(
        r"\b(\w+)=|(?<!\{)\b(max_length|vocab_size|seed_size|special_tokens)\b",
        lambda match: OPTION_OF.get(match[1] or match[2], match[0]) + (" " if match[1] in OPTION_OF else ""),
        text,
    )


def trouble_with_file(error: OSError) -> str:
    """Why the system refused a file, and the remedy."""
    name = "standard output" if error.filename is None else click.format_filename(error.filename)
    match error:
        case FileNotFoundError():
            return f"{name}: there is no such file or folder; check the name, which counts from {Path.cwd()}."
        case IsADirectoryError():
            return f"{name} is a folder; name a file in it."
        case PermissionError():
            return f"{name}: permission denied; check who may read or write it, or choose another place."
    return f"{name}: {error.strerror or error}; try another file or place."
