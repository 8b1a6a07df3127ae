"""Where chat templates come from: the files beside a tokenizer, and a few formats of this app's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from tokenizers_core.errors import quoted
from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.language.i18n import N_, count
from tokensteps.limits import CHAT_FILE_LIMIT, CHAT_TEMPLATE_LIMIT, CHAT_TEMPLATES

SETTINGS_FILES: Final = ("special_tokens_map.json", "chat_template.json", "tokenizer_config.json")
"""Possible files of a template or the names of special tokens; later files win."""
TEMPLATE_FILE: Final = "chat_template.jinja"
"""The template in a file of its own; it wins over those in settings."""
SUFFIX: Final = ".jinja"
USUAL_NAME: Final = "default"
"""The name of a single template, and, of several, the one for ordinary chats."""


class ChatTemplates(NamedTuple):
    """The chat templates in a tokenizer's files."""

    named: Mapping[str, str] = {}
    """Name → template; the usual one comes first."""
    special: Mapping[str, str] = {}
    """Special tokens by their names in templates, such as bos_token."""


def is_chat_file(name: str) -> bool:
    """Whether a file beside a tokenizer may say something about chats.

    >>> (
    ...     is_chat_file("mine/tokenizer_config.json"),
    ...     is_chat_file("chat_template.jinja"),
    ...     is_chat_file("tokenizer.json"),
    ... )
    (True, True, False)
    """
    file = PurePath(name).name
    return file in SETTINGS_FILES or file.endswith(SUFFIX)


def read_templates(files: Mapping[str, bytes]) -> ChatTemplates:
    """The templates in a tokenizer's files, name → contents; other files are not looked at. Raises ChatError.

    >>> read_templates(
    ...     {
    ...         "tokenizer_config.json": b'{"chat_template": "{{ bos_token }}", "bos_token": {"content": "<s>"}}'
    ...     }
    ... )
    ChatTemplates(named={'default': '{{ bos_token }}'}, special={'bos_token': '<s>'})
    """  # noqa: W505
    named: dict[str, str] = {}
    special: dict[str, str] = {}
    by_name = {PurePath(name).name: name for name in files if is_chat_file(name)}
    for name in by_name.values():
        if len(files[name]) > CHAT_FILE_LIMIT:
            size, limit = count(len(files[name])), count(CHAT_FILE_LIMIT)
            raise ChatError("large_file", file=quoted(name), size=size, limit=limit)
    for file in SETTINGS_FILES:
        if file in by_name:
            settings = _chat_settings(by_name[file], files[by_name[file]])
            named |= _templates_in(settings.get("chat_template"))
            special |= _special_in(settings)
    for file, name in by_name.items():
        if file.endswith(SUFFIX):
            key = USUAL_NAME if file == TEMPLATE_FILE else file.removesuffix(SUFFIX)
            named[key] = files[name].decode("utf-8-sig", "replace")
    if len(named) > CHAT_TEMPLATES:
        raise ChatError("many_templates", file=quoted(next(iter(by_name))), limit=CHAT_TEMPLATES)
    for template in named.values():
        if len(template) > CHAT_TEMPLATE_LIMIT:
            raise ChatError("long_template", size=count(len(template)), limit=count(CHAT_TEMPLATE_LIMIT))
    return ChatTemplates(dict(sorted(named.items(), key=lambda one: one[0] != USUAL_NAME)), special)


def _chat_settings(name: str, data: bytes) -> dict[str, Any]:
    try:
        result = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ChatError("file", file=quoted(name), message=quoted(str(error), 120)) from None
    if not isinstance(result, dict):
        raise ChatError("file", file=quoted(name), message=quoted(type(result).__name__))
    return result


def _templates_in(written: Any) -> dict[str, str]:
    """A `chat_template`: one, or a list of named ones."""
    if isinstance(written, str):
        return {USUAL_NAME: written}
    results = {}
    for one in written if isinstance(written, list) else ():
        match one:
            case {"name": str(name), "template": str(template)}:
                results[name[:60]] = template
    return results


def _special_in(settings: Mapping[str, Any]) -> dict[str, str]:
    """The special tokens that settings name: each as its text, or as an object with it."""
    results = {}
    for key, value in settings.items():
        text = value.get("content") if isinstance(value, dict) else value
        if key.endswith("_token") and isinstance(text, str):
            results[key[:60]] = text
    return results


# --- Formats of this app's own ------------------------------------------------------------------------------


class Format(NamedTuple):
    """A well-known way to write a chat: its title, and this app's own template for it."""

    title: str
    template: str


CHAT_FORMATS: Final[Mapping[str, Format]] = {
    "chatml": Format(
        N_("like ChatML"),
        """\
{% for message in messages %}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %}
""",
    ),
    "llama2": Format(
        N_("like Llama 2"),
        """\
{% set chat = namespace(system="") %}
{% for message in messages %}
{% if message.role == "system" %}
{% set chat.system = "<<SYS>>\\n" + message.content + "\\n<</SYS>>\\n\\n" %}
{% elif message.role == "assistant" %}
{{- " " + message.content + " " + (eos_token or "</s>") }}
{%- else %}
{{- (bos_token or "<s>") + "[INST] " + chat.system + message.content + " [/INST]" }}
{%- set chat.system = "" %}
{% endif %}
{% endfor %}
""",
    ),
    "llama3": Format(
        N_("like Llama 3"),
        """\
{{- bos_token or "<|begin_of_text|>" }}
{%- for message in messages %}
{{- "<|start_header_id|>" + message.role + "<|end_header_id|>\\n\\n" + message.content | trim + "<|eot_id|>" }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- "<|start_header_id|>assistant<|end_header_id|>\\n\\n" }}
{%- endif %}
""",
    ),
    "plain": Format(
        N_("plain: User, Assistant"),
        """\
{% for message in messages %}
{{ message.role | capitalize }}: {{ message.content }}
{% endfor %}
{% if add_generation_prompt %}
Assistant:
{%- endif %}
""",
    ),
}
"""Formats for tokenizers without a template of their own, by their names in links."""
