"""Chat templates: from messages to the model's one input text, and the places of the messages' own text in
it.

    template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    render(template, [{"role": "user", "content": "Hi"}], {}, False)

A template is a program from anybody. It runs in Jinja's sandbox, without access to Python's inner parts; the
caller limits its costs (`rendering.py`).

Source: the documentation of chat templates in `transformers`, with a template's variables and functions:
`messages`, `tools`, `documents`, `add_generation_prompt`, the special tokens by name, `raise_exception`,
`strftime_now`, a `tojson` that doesn't escape HTML, `{% break %}` and `{% continue %}`, and `{% generation
%}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, NoReturn

from jinja2 import BaseLoader, Environment, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from tokenizers_core.errors import quoted
from tokenizers_core.text.spans import Span
from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.language.i18n import count
from tokensteps.limits import CHAT_OUTPUT_LIMIT, CHAT_TEMPLATE_LIMIT

ChatMessage = Mapping[str, Any]
"""One message: its role, its content, and whatever else a template may want of it."""
_STAND_IN: Final = "qzx"
"""Stands for a message's text while its place is looked for; repeated until no message and no template has
it."""
_MESSAGE_SHOWN: Final = 200
"""The most repeated characters of a template's own message."""


class Rendered(NamedTuple):
    """A chat as one text."""

    text: str
    own: tuple[tuple[Span, ...], ...]
    """For each message, the stretches of `text` that are its content; () where there is none, or the template
    has rewritten it beyond recognition."""


class TemplateRefusal(TemplateError):
    """A template's own error, by `raise_exception`."""


class GenerationBlock(Extension):
    """`{% generation %} … {% endgeneration %}`: marks a model's own text. Here it only groups."""

    tags: Final = {"generation"}  # type: ignore[misc]  # Jinja's own is a set of an instance

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("group"), [], [], body).set_lineno(line)

    def group(self, caller: Callable[[], str]) -> str:
        """The block's text."""
        return caller()


class NoOthers(BaseLoader):
    """No template finds another."""

    def get_source(self, environment: Environment, template: str) -> NoReturn:  # noqa: ARG002 - as Jinja calls it
        raise SecurityError(f"the template {template!r}, another file")


class PlainNamespace(Namespace):
    """Jinja's `namespace`, for plain names only."""

    def __init__(self, *mappings: Any, **names: Any) -> None:
        values = dict(*mappings, **names)
        for name in values:
            _refuse_inner(name)
        super().__init__(values)

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_inner(name)
        super().__setitem__(name, value)


def _refuse_inner(name: object) -> None:
    if str(name).startswith("_"):
        raise SecurityError(f"the name {name!r} in a namespace")


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _raise_exception(message: object = "") -> NoReturn:
    raise TemplateRefusal(str(message)[:_MESSAGE_SHOWN])


def _environment() -> ImmutableSandboxedEnvironment:
    result = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[GenerationBlock, loopcontrols],
        loader=NoOthers(),
    )
    result.filters["tojson"] = _to_json
    result.globals |= {
        "raise_exception": _raise_exception,
        "strftime_now": lambda written: datetime.now().strftime(written),
        "dict": lambda *arguments, **named: dict(*arguments, **named),
        "namespace": PlainNamespace,
    }
    return result


def render(
    template: str, messages: Sequence[ChatMessage], special: Mapping[str, str], generation_prompt: bool
) -> Rendered:
    """The messages by a chat template; `special` are the names of special tokens, such as bos_token. Raises
    ChatError.

    >>> shout = "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}\\n{% endfor %}"
    >>> render(shout, [{"role": "user", "content": " user? "}], {"bos_token": "<s>"}, False)
    Rendered(text='<s>[user] user?\\n', own=(((10, 15),),))
    """
    if len(template) > CHAT_TEMPLATE_LIMIT:
        raise ChatError("long_template", size=count(len(template)), limit=count(CHAT_TEMPLATE_LIMIT))
    try:
        compiled = _environment().from_string(template)

        def draw(chat: Sequence[ChatMessage]) -> str:
            # Other programs leave out None: many templates would write the word.
            plain = [{key: value for key, value in one.items() if value is not None} for one in chat]
            values = {"messages": plain, "tools": None, "documents": None, **special}
            return _bounded(compiled.generate(**values, add_generation_prompt=generation_prompt))

        text = draw(messages)
        return Rendered(text, tuple(_own(draw, text, messages, at) for at in range(len(messages))))
    except Exception as error:
        raise _explained(error) from None


def _explained(error: Exception) -> Exception:
    """A template's fault as a ChatError; lack of memory is the process's own trouble."""
    text = quoted(str(error), _MESSAGE_SHOWN)
    match error:
        case ChatError() | MemoryError():
            return error
        case TemplateSyntaxError():
            return ChatError("syntax", line=error.lineno, message=quoted(error.message or "", _MESSAGE_SHOWN))
        case RecursionError():
            return ChatError("recursion")
        case SecurityError():
            return ChatError("unsafe", message=text)
        case TemplateRefusal():
            return ChatError("refused", message=text)
    return ChatError("failed", message=text)


def _bounded(pieces: Any) -> str:
    written, size = [], 0
    for piece in pieces:
        size += len(piece)
        if size > CHAT_OUTPUT_LIMIT:
            raise ChatError("output", limit=count(CHAT_OUTPUT_LIMIT))
        written.append(piece)
    return "".join(written)


def _own(
    draw: Callable[[Sequence[ChatMessage]], str], text: str, messages: Sequence[ChatMessage], at: int
) -> tuple[Span, ...]:
    """The places of message `at`'s content in `text`: the parts that change when a mark replaces it."""
    content = messages[at].get("content")
    if not isinstance(content, str) or not content.strip():
        return ()
    mark = _STAND_IN
    while mark in text:
        mark += _STAND_IN
    try:
        marked = draw([*messages[:at], {**messages[at], "content": mark}, *messages[at + 1 :]])
    except (TemplateError, ChatError, TypeError, ValueError):
        return ()  # the template looks into the content
    return around(text, marked.split(mark))


def around(text: str, fixed: Sequence[str]) -> tuple[Span, ...]:
    """The equally long stretches of `text` between the `fixed` ones; () if these aren't there.

    >>> (
    ...     around("<a>hug</a>", ["<a>", "</a>"]),
    ...     around("hug, hug!", ["", ", ", "!"]),
    ...     around("HUG", ["hug"]),
    ...     around("ab", ["b", ""]),
    ... )
    (((3, 6),), ((0, 3), (5, 8)), (), ())
    """
    positions = len(fixed) - 1
    left = len(text) - sum(map(len, fixed))
    if positions < 1 or left < positions or left % positions:
        return ()
    size, at = left // positions, 0
    results = []
    for number, one in enumerate(fixed):
        if not text.startswith(one, at):
            return ()
        at += len(one)
        if number < positions:
            results.append((at, at + size))
            at += size
    return tuple(results)
