"""Chats in the processes for foreign tokenizers: reading templates, and rendering.

A template may loop for hours, multiply texts until the memory is full, or call itself. Loops are interrupted
after a second of processor time, by an alarm within the process, so that its loaded tokenizers stay; other
work is ended with the process. Additional memory is limited.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.catalogue.chat.jinja import ChatMessage, Rendered, render
from tokensteps.catalogue.chat.templates import ChatTemplates, read_templates
from tokensteps.limits import CHAT_EXPECTED, CHAT_GRACE, CHAT_MEMORY, CHAT_SECONDS, READING_FILES_SECONDS
from tokensteps.server.tasks import Progress


class TooLong(BaseException):
    """The alarm; templates can't catch it."""


@dataclass(frozen=True)
class RenderRequest:
    """A chat to be rendered."""

    template: str
    messages: Sequence[ChatMessage]
    special: Mapping[str, str]
    generation_prompt: bool
    seconds: float = CHAT_EXPECTED
    limit: float = CHAT_SECONDS + CHAT_GRACE

    def __call__(self, _progress: Progress) -> Rendered:
        try:
            with alarm(CHAT_SECONDS), little_memory(CHAT_MEMORY):
                return render(self.template, self.messages, self.special, self.generation_prompt)
        except TooLong:
            raise slow() from None
        except MemoryError:
            raise greedy() from None


@dataclass(frozen=True)
class TemplatesReading:
    """A tokenizer's files, to read its templates from."""

    files: Mapping[str, bytes] = field(repr=False)
    seconds: float = CHAT_EXPECTED
    limit: float = READING_FILES_SECONDS

    def __call__(self, _progress: Progress) -> ChatTemplates:
        return read_templates(self.files)


def slow() -> ChatError:
    """The error for a slow template."""
    return ChatError("slow", seconds=f"{CHAT_SECONDS:g}")


def greedy() -> ChatError:
    """The error for a template with too much memory."""
    return ChatError("memory", limit=CHAT_MEMORY // 1_000_000)


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise TooLong after some seconds of work, where the system can interrupt a thread: only the main one,
    and not on Windows.

    A busy machine takes longer by the clock: that isn't the template's fault.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def raise_too_long(_number: int, _frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, raise_too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def little_memory(room: int) -> Iterator[None]:
    """Limit the process to `room` additional bytes, where the system tells its size."""
    try:
        import resource

        taken = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = taken + room if soft == resource.RLIM_INFINITY else min(soft, taken + room)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
