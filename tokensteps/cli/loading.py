"""The options of commands with a tokenizer, and loading it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import click

from tokenizers_core import Tokenizer, TokenizersCoreError
from tokenizers_core.errors import VocabularyFileError
from tokenizers_core.files.loading import reader_of
from tokensteps.cli.errors import in_options
from tokensteps.cli.streams import tell
from tokensteps.cli.training import TEXT, option, pipeline_options

TOKENIZER_FILE: Final = (
    "What train wrote: a tokenizer.json (another program's, too), NAME.tiktoken, vocab.json with merges.txt, vocab.txt, "
    "NAME.vocab."
)
TOKENIZER_OPTION: Final = option(
    "--tokenizer -t tokenizer_file", TOKENIZER_FILE, type=click.Path(), required=True, metavar="FILE"
)
NO_REMOVALS: Final = (
    " If train wrote it with --kind pickybpe, there is no merges.txt, since no file holds the tokens that PickyBPE removes: use "
    "another kind here, or measure(train_pickybpe(corpus, ...).tokenizer(), text) in Python."
)
"""What the error of a vocab.json without merges.txt adds."""


def loaded(path: str, special_tokens: Sequence[str], **rules: Any) -> Tokenizer:
    """The tokenizer in a file; `rules` are for files without rules of their own."""
    values = {name: value for name, value in rules.items() if value not in (None, ())}
    try:
        tokenizer = Tokenizer.load(path, special_tokens=special_tokens or None, **values)
    except TokenizersCoreError as error:
        halved = (
            isinstance(error, VocabularyFileError) and error.why == "half" and path.endswith("vocab.json")
        )
        message = f"{in_options(error)}{NO_REMOVALS if halved else ''}"
        raise click.ClickException(f"{click.format_filename(path)}: {message}") from None
    if not values and reader_of(Path(path)):
        normalizer, pre_tokenizer, pattern = tokenizer.pipeline.rules
        taken = (
            f"--normalizer {normalizer} --pre-tokenizer {pre_tokenizer}{pattern and f' --pattern {pattern}'}"
        )
        tell(f"{click.format_filename(path)} does not say how text is split; taken: {taken}", quiet=False)
    return tokenizer


TOKENIZER_RULES: Final = (
    *pipeline_options("as train; the tokens of vocab.json show it"),
    option(
        "--special-token special_tokens",
        "A special token of a file that doesn't name them; give it once for each, in the order of their ids.",
        type=TEXT,
        multiple=True,
        metavar="TOKEN",
    ),
)
"""Options for facts missing in all files but tokenizer.json."""


def tokenizer_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of using a tokenizer."""
    for add in reversed((TOKENIZER_OPTION, *TOKENIZER_RULES)):
        command = add(command)
    return command
