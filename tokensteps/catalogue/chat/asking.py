"""Pages' requests about chats to the processes for foreign tokenizers."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from functools import partial
from typing import Final

from tokensteps.bounded import SharedCache, text_bytes
from tokensteps.catalogue import hub, shipped
from tokensteps.catalogue.chat.conversation import ChatTurn
from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.catalogue.chat.jinja import Rendered
from tokensteps.catalogue.chat.rendering import RenderRequest, TemplatesReading, greedy, slow
from tokensteps.catalogue.chat.templates import (
    SETTINGS_FILES,
    TEMPLATE_FILE,
    ChatTemplates,
    is_chat_file,
)
from tokensteps.catalogue.choices import TokenizerSpec, stored_files
from tokensteps.catalogue.files.remote_tokenizer import readers
from tokensteps.limits import CHAT_TEMPLATES_CACHED, CHATS_ROOM
from tokensteps.server.jobs import Registry
from tokensteps.server.process_singleton import process_singleton
from tokensteps.server.stores import digest
from tokensteps.server.tasks import Progress, Stopped, TrainingError

BESIDE: Final = (SETTINGS_FILES[-1], TEMPLATE_FILE)
"""The files to look for in a public repository: the others are outdated."""
_rendered: Final = SharedCache[str, Rendered | ChatError](CHATS_ROOM)


@process_singleton
def chat_registry() -> Registry:
    """The chat templates found beside tokenizers."""
    return Registry(CHAT_TEMPLATES_CACHED)


def rendered(
    template: str, turns: Sequence[ChatTurn], special: Mapping[str, str], prompt: bool, session: str
) -> Rendered:
    """The messages, rendered by a template in another process; `prompt` adds the request for the model's
    answer. Raises ChatError.

    Failures aren't tried again: a page asks at every click.
    """
    work = RenderRequest(template, [turn._asdict() for turn in turns], dict(special), prompt)
    key = digest(pickle.dumps(astuple(work)))
    result = _rendered.get(key)
    if result is None:
        try:
            result = _render_in_reader(work, session)
        except ChatError as error:
            if error.why == "crowded":
                raise
            result = error.with_traceback(None)
        _rendered.put(key, result, 1_000 + text_bytes(getattr(result, "text", "")))
    if isinstance(result, ChatError):
        raise result
    return result


def _render_in_reader(work: RenderRequest, session: str) -> Rendered:
    try:
        result: Rendered = pickle.loads(readers().run(work, Progress(session=session)))
    except Stopped:
        raise ChatError("crowded") from None
    except TrainingError as error:
        if error.why == "busy":
            raise ChatError("crowded") from None
        raise (slow() if error.why == "time" else greedy()) from None
    return result


def find_templates(spec: TokenizerSpec, progress: Progress) -> ChatTemplates:
    """The chat templates of the tokenizer under a spec: of its files, or of its public repository. Raises
    ChatError, HubError, SpecError."""
    progress.phase = "loading"
    repository = hub.named(spec.query.get("name", "")) if spec.kind == "hub" else ""
    if spec.trained or repository == shipped.REPOSITORY:
        return ChatTemplates()
    if repository:
        files = hub.fetch_beside(repository, BESIDE)
    else:
        files = {name: data for name, data in stored_files(spec).items() if is_chat_file(name)}
    if not files:
        return ChatTemplates()
    try:
        result: ChatTemplates = pickle.loads(readers().run(TemplatesReading(files), progress))
    except TrainingError as error:
        raise (ChatError("crowded") if error.why == "busy" else greedy()) from None
    return result


def templates_order(text: str) -> tuple[str, partial[ChatTemplates]]:
    """A name for a spec's chat templates, and the function to find them. Raises SpecError."""
    spec = TokenizerSpec.parse(text)
    return digest(f"chat {text}".encode()), partial(find_templates, spec)
