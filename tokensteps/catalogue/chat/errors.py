"""Why a chat can't be rendered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tokenizers_core.errors import TokenizersCoreError
from tokensteps.language.i18n import N_


class ChatError(TokenizersCoreError):
    """An unreadable chat template, or messages it can't render. `why` is a key of `templates`.

    >>> print(ChatError("slow", seconds=1))
    The chat template takes longer than 1 s: remove its endless or nested loops, or choose another template.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "syntax": N_(
            "Line {line} of the chat template is not valid Jinja: {message}; correct it, or choose another template."
        ),
        "refused": N_(
            "The chat template refuses these messages: {message}; change the messages or their order, or choose another template."
        ),
        "unsafe": N_(
            "The chat template wants something that templates may not do: {message}; remove it, or choose another template."
        ),
        "failed": N_(
            "The chat template fails on these messages: {message}; change the messages, or choose another template."
        ),
        "recursion": N_(
            "The chat template calls itself without end: correct its macros, or choose another template."
        ),
        "slow": N_(
            "The chat template takes longer than {seconds} s: remove its endless or nested loops, or choose another template."
        ),
        "memory": N_(
            "The chat template needs more than {limit} MB of memory, or crashes: make it write less, or choose another template."
        ),
        "output": N_(
            "The chat template writes more than {limit} characters: shorten the messages, or choose another template."
        ),
        "crowded": N_("Too many chats are waiting to be rendered: try again in a minute."),
        "long_template": N_(
            "The chat template has {size} characters, more than {limit}: shorten it, or choose another template."
        ),
        "many_templates": N_("{file} has more than {limit} chat templates: leave the others out."),
        "file": N_(
            "{file} can't be read as the settings of a tokenizer: {message}; download it again, or choose one of this page's templates."
        ),
        "large_file": N_(
            "{file} has {size} bytes, more than {limit}: choose one of this page's templates, or leave out what isn't needed."
        ),
        "messages": N_(
            '{name} is not a list of messages: {message}; write [{{"role": "user", "content": "Hello"}}] or the like.'
        ),
    }

    def __init__(self, why: str, **evidence: str | int) -> None:
        self.why, self.template = why, self.templates[why]
        super().__init__(**evidence)
