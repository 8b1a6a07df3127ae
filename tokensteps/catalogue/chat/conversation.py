"""A chat in typed form: messages with a role and a content, and their short form for links."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from tokenizers_core.errors import quoted
from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.language.i18n import count
from tokensteps.limits import CHAT_CHARACTERS, CHAT_MESSAGES

ROLES: Final = ("system", "user", "assistant", "tool")
"""The speakers' roles, in the words of templates, never translated."""


class ChatTurn(NamedTuple):
    """One message."""

    role: str
    content: str


FIRST_CHAT: Final = (
    ChatTurn("system", "You explain tokenizers in one sentence."),
    ChatTurn("user", "What is a token?"),
    ChatTurn("assistant", "A piece of text that the model reads as one unit."),
    ChatTurn("user", "And what does a chat cost?"),
)
"""The page's first chat."""
OPENINGS: Final = (FIRST_CHAT, FIRST_CHAT[1:], FIRST_CHAT[1:2], FIRST_CHAT[:2])
"""The same and parts of it, as some templates take no system message, or no more than one question."""


def write_turns(turns: Sequence[ChatTurn]) -> str:
    """The messages as a text for a link.

    >>> write_turns([ChatTurn("user", "Hi")])
    '[["user","Hi"]]'
    """
    return json.dumps(turns, ensure_ascii=False, separators=(",", ":"))


def read_turns(text: str) -> list[ChatTurn] | None:
    """The messages again; None for a text of another form, or with too many messages.

    >>> read_turns('[["user","Hi"],["tool","1"]]'), read_turns('[["king","Hi"]]'), read_turns("[")
    ([ChatTurn(role='user', content='Hi'), ChatTurn(role='tool', content='1')], None, None)
    """
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(result, list) or len(result) > CHAT_MESSAGES:
        return None
    turns = []
    for one in result:
        match one:
            case [str(role), str(content)] if role in ROLES:
                turns.append(ChatTurn(role, content))
            case _:
                return None
    return turns


def check_messages(data: Any, name: str) -> list[dict[str, Any]]:
    """The messages of a file as programs write it, `{"role": …, "content": …}` each, or `{"messages": [ …
    ]}`. Raises ChatError.

    >>> check_messages({"messages": [{"role": "user", "content": "Hi"}]}, "chat.json")
    [{'role': 'user', 'content': 'Hi'}]
    """
    if isinstance(data, dict):
        data = data.get("messages")
    if not isinstance(data, list) or not all(isinstance(one, dict) and "role" in one for one in data):
        raise ChatError("messages", name=quoted(name), message=quoted(json.dumps(data)[:60]))
    size = sum(len(str(one.get("content", ""))) for one in data)
    if not data or len(data) > CHAT_MESSAGES or size > CHAT_CHARACTERS:
        messages = f"{count(len(data))} messages, {count(size)} characters"
        raise ChatError("messages", name=quoted(name), message=quoted(messages))
    return data
