"""The command to show a text's tokens in the terminal, by one tokenizer or by several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from tokenizers_core import Tokenizer
from tokensteps.cli.loading import TOKENIZER_FILE, TOKENIZER_RULES, loaded
from tokensteps.cli.streams import inputs, texts_of, warn_of_invalid, write_lines
from tokensteps.cli.terminal.extra import language_option, with_extra
from tokensteps.cli.training import TEXT, option
from tokensteps.language.i18n import use_language

if TYPE_CHECKING:
    from rich.text import Text


def tokenizer_rules(command: Any) -> Any:
    """Give a command the options for files without rules for splitting text."""
    for add in reversed(TOKENIZER_RULES):
        command = add(command)
    return command


@click.command(
    "show",
    short_help="Show a text's tokens, coloured, in the terminal.",
    epilog="\b\nExamples:\n"
    '  python -m tokensteps show "This is not a token." -t tokenizer.json\n'
    '  python -m tokensteps show "naïve 茶道" -t tokenizer.json -t bytes.json\n'
    "  cat assets/corpora/course.txt | python -m tokensteps show - -t tokenizer.json",
)
@click.argument("text", type=TEXT, required=False)
@option(
    "--tokenizer -t tokenizer_files",
    f"{TOKENIZER_FILE} Give it several times to see one below the other.",
    type=click.Path(),
    required=True,
    multiple=True,
    metavar="FILE",
)
@tokenizer_rules
@language_option
def show_command(text: str | None, tokenizer_files: Sequence[str], language: str, **rules: Any) -> None:
    """Show the tokens of TEXT, each on its colour with its id, or of each line of standard input, which -
    names, too.

    In a pipe, and where NO_COLOR is set, it is plain text.
    """
    replaced: Counter[str] = Counter()
    texts: Iterable[str] = [text or ""]
    if text is None or text == "-":
        texts = texts_of(inputs(["-"] if text else [], "a TEXT"), replaced)
    tokenizers = [(path, loaded(path, **rules)) for path in tokenizer_files]
    use_language(language)
    with with_extra():
        from rich.console import Console

        # A pipe has no width: there, a terminal's usual one.
        console = Console(highlight=False, soft_wrap=True)
    try:
        write_lines(terminal_lines(console, token_lines(texts, tokenizers, console.width)))
    finally:
        warn_of_invalid(replaced)


def terminal_lines(console: Any, lines: Iterable[Text]) -> Iterator[str]:
    """Lines as this terminal takes them: with its codes for colours, or without any."""
    for line in lines:
        with console.capture() as captured:
            console.print(line, end="", crop=False)
        yield captured.get()


def token_lines(
    texts: Iterable[str], tokenizers: Sequence[tuple[str, Tokenizer]], width: int
) -> Iterator[Text]:
    """The output for each text, by each tokenizer."""
    from rich.text import Text

    from tokensteps.cli.terminal.chips import with_ids
    from tokensteps.drawing.tokens import Style
    from tokensteps.language.i18n import _, count

    for text in texts:
        for path, tokenizer in tokenizers:
            encoding = tokenizer.encode(text)
            style = Style(tokenizer.pipeline.byte_level, "spaces", frozenset(tokenizer.special_tokens))
            if len(tokenizers) > 1:
                yield Text(click.format_filename(path), "bold")
            yield from with_ids(encoding.tokens, encoding.ids, style, width)
            figures = {
                _("Tokens"): len(encoding),
                _("Characters"): len(text),
                _("Bytes"): len(text.encode("utf-8")),
            }
            yield Text(" · ".join(f"{name} {count(number)}" for name, number in figures.items()), "dim")
            yield Text()
