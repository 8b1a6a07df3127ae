"""`encode --chat`: the messages of a file through the chat template beside a tokenizer."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tokenizers_core.errors import quoted


def in_folder(path: str) -> str:
    """The tokenizer's file: in a folder, its tokenizer.json."""
    return str(Path(path) / "tokenizer.json") if Path(path).is_dir() else path


def chat_text(tokenizer_file: str, messages_file: str, template_name: str, generation_prompt: bool) -> str:
    """The model's input as text. Raises ChatError, and the errors of opening the files."""
    # Here, as it takes a moment, and most runs do without.
    from tokensteps.catalogue.chat.conversation import check_messages
    from tokensteps.catalogue.chat.rendering import RenderRequest
    from tokensteps.catalogue.chat.templates import (
        CHAT_FORMATS,
        USUAL_NAME,
        is_chat_file,
        read_templates,
    )
    from tokensteps.server.tasks import Progress

    with click.open_file(messages_file, encoding="utf-8-sig") as file:
        try:
            written = json.load(file)
        except (ValueError, RecursionError) as error:
            text = f"{click.format_filename(messages_file)}: not JSON: {quoted(str(error), 120)}"
            raise click.ClickException(f'{text}; write [{{"role": "user", "content": "Hello"}}].') from None
    messages = check_messages(written, messages_file)
    folder = Path(tokenizer_file).resolve().parent
    beside = {one.name: one.read_bytes() for one in sorted(folder.iterdir()) if is_chat_file(one.name)}
    result = read_templates(beside)
    templates = {**{name: one.template for name, one in CHAT_FORMATS.items()}, **result.named}
    name = template_name or (USUAL_NAME if result.named else "")
    if name not in templates:
        known = ", ".join([*result.named, *CHAT_FORMATS])
        what = f"no chat template {quoted(name)}" if name else "no chat template"
        raise click.ClickException(
            f"{click.format_filename(str(folder))} has {what}; choose one with --chat-template: {known}."
        )
    return RenderRequest(templates[name], messages, result.special, generation_prompt)(Progress()).text
