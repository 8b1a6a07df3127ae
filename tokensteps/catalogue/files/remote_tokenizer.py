"""Tokenizers from elsewhere in processes of their own: their files are read there, and their texts encoded.

A file can burn a core for hours, take all memory, or hold the GIL while all other visitors wait. A process
can be ended, and is: after so many seconds of processor time, at so much memory, and after some time without
requests. The result is a `LoadedSubject` that knows its tokens and passes texts on.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import methodcaller
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Final

import tokensteps.catalogue.chat.rendering  # noqa: F401 - imported before a chat's second begins
from tokenizers_core.encoding.cuts.ways import TextCuts, WordWays
from tokenizers_core.encoding.reasons import Reason
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.trace import Trace
from tokensteps.bounded import SharedCache
from tokensteps.catalogue.compiled import load_once
from tokensteps.catalogue.files.errors import EncodeError, LoadError
from tokensteps.catalogue.files.library import Stages
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.flow import Flow
from tokensteps.catalogue.shown_tokenizers import Tokens
from tokensteps.catalogue.why import Explanation
from tokensteps.limits import (
    ENCODING_PACE,
    ENCODING_SECONDS,
    READER_IDLE_SECONDS,
    READER_ROOM,
    READERS,
    READING_FILES_PACE,
    READING_FILES_SECONDS,
    SLOW_REMEMBERED,
    SLOWER,
    TRAINING_MEMORY,
    WHY_SECONDS,
)
from tokensteps.server.process_singleton import process_singleton
from tokensteps.server.stores import digest
from tokensteps.server.tasks import Progress, Stopped, TrainingError
from tokensteps.server.workers import Workers

Files = Mapping[str, bytes]
"""A tokenizer's files: name → contents."""
READER_NICENESS: Final = 5
"""By how much the priority of these processes is lower than the server's."""
READ_BY_ENGINE: Final = frozenset({"why", "why_not", "all_cuts", "cut_steps", "cut_text"})
"""Work that needs the file's model in the engine first."""
_here: Final = SharedCache[str, LoadedSubject](READER_ROOM)
"""In such a process: the tokenizers it has loaded, by their keys."""


class Missing(Exception):
    """Raised by a process without the tokenizer: it needs the files."""


@dataclass(frozen=True)
class Request:
    """A request to such a process about a tokenizer, which it loads first if necessary."""

    key: str
    name: str
    ask: Callable[..., Any]
    """It is called with the tokenizer and, if it `reports`, with a callback for its progress."""
    seconds: float
    limit: float
    files: Files | None = field(default=None, repr=False)
    how: Mapping[str, Any] = field(default_factory=dict)
    """The other arguments of `load`: the pattern, the special tokens."""
    reports: bool = False

    def __call__(self, progress: Progress) -> Any:
        subject = _here.get(self.key)
        if subject is None:
            if self.files is None:
                raise Missing
            with _nothing_collected():
                subject = load_once(self.files, self.name, self.how)
            _here.put(self.key, subject, sum(map(len, self.files.values())))
        return self.ask(subject, progress.steps) if self.reports else self.ask(subject)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Without looking for garbage: of the millions of objects in a file hardly one is any, and a third of the
    time goes."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@process_singleton
def readers() -> Workers:
    """This server's processes for tokenizers from elsewhere."""
    return Workers(READERS, READER_NICENESS, __name__, READER_IDLE_SECONDS)


def _reading_seconds(files: Files) -> float:
    return READING_FILES_PACE * sum(map(len, files.values()))


def load_remote_tokenizer(
    key: str,
    files: Callable[[], Files],
    name: str,
    progress: Progress,
    session: Callable[[], str],
    how: Mapping[str, Any] = MappingProxyType({}),
) -> LoadedSubject:
    """The tokenizer in `files`; these are requested again when a process no longer has them.

    `key` is the same for the same files and `how` (the other arguments of `load`): the first upload is read
    for all. `session` names the visitor's session when a text is encoded. Raises LoadError, TrainingError
    when too many are waiting, Stopped, and the errors of `files`.
    """
    value = files()
    seconds, limit = _reading_seconds(value), READING_FILES_SECONDS
    request = Request(key, name, LoadedSubject.without_library, seconds, limit, value, dict(how))
    try:
        subject: LoadedSubject = pickle.loads(readers().run(request, progress))
    except TrainingError as error:
        if error.why == "busy":
            raise
        file = " + ".join(PurePath(file).name for file in value)
        if error.why == "time":
            raise LoadError("slow", file, seconds=f"{READING_FILES_SECONDS:g}") from None
        raise LoadError("memory", file, limit=TRAINING_MEMORY // 1_000_000) from None
    subject.name = name or subject.name  # another visitor's upload may have another name
    subject.library = RemoteTokenizer(key, subject.name, files, session, subject.has_own_patterns, how)
    return subject


def _without_name(evidence: Mapping[str, str | int | float]) -> dict[str, str | int | float]:
    return {part: value for part, value in evidence.items() if part != "name"}


class RemoteTokenizer:
    """`TextWork` of a tokenizer in another process."""

    def __init__(
        self,
        key: str,
        name: str,
        files: Callable[[], Files],
        session: Callable[[], str],
        has_own_patterns: bool,
        how: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self._key, self._name, self._files, self._session = key, name, files, session
        self._how = dict(how)
        self._least_seconds = ENCODING_SECONDS if has_own_patterns else 0.0
        """Users' own patterns may take any time: such a tokenizer waits in the queue of slow work."""
        self._too_slow: dict[str, None] = {}
        """Digests of too slow requests: a page asks again and again."""

    def encode(self, text: str, specials: bool, added: bool) -> Tokens:
        encoded: Tokens = self._ask("encode", text, specials, added)
        return encoded

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        results: list[list[int]] = self._ask("ids", texts)
        return results

    def normalized(self, text: str) -> str:
        normal: str = self._ask("normalized", text)
        return normal

    def flow(self, text: str, pair: str) -> Flow:
        result: Flow = self._ask("flow", text, pair)
        return result

    def why(self, text: str, index: int, specials: bool) -> Explanation:
        result: Explanation = self._ask("why", text, index, specials)
        return result

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        result: Reason = self._ask("why_not", word, tokens)
        return result

    def all_cuts(self, word: str, amount: float | None, seed: int) -> WordWays:
        result: WordWays = self._ask("all_cuts", word, amount, seed)
        return result

    def cut_steps(self, word: str, way: str, amount: float | None, seed: int) -> Trace[Any]:
        result: Trace[Any] = self._ask("cut_steps", word, way, amount, seed)
        return result

    def cut_text(self, text: str, specials: bool) -> TextCuts:
        result: TextCuts = self._ask("cut_text", text, specials)
        return result

    def stages(self) -> Stages:
        result: Stages = self._ask("stages")
        return result

    def written(self) -> str:
        result: str = self._ask("written")
        return result

    def _ask(
        self, what: str, text: str | Sequence[str] = "", *manner: bool | str | float | tuple[str, ...] | None
    ) -> Any:
        ask = methodcaller("work", what, *([text] if what not in ("stages", "written") else []), *manner)
        key = digest(pickle.dumps((what, text, manner)))
        seconds = WHY_SECONDS if what in READ_BY_ENGINE else ENCODING_SECONDS
        if key in self._too_slow:
            raise self._slow(seconds)
        expected = max(
            self._least_seconds, ENCODING_PACE * (len(text) if isinstance(text, str) else sum(map(len, text)))
        )
        request = Request(self._key, self._name, ask, expected, seconds)
        progress = Progress(session=self._session())
        try:
            return self._answer(request, progress)
        except (TrainingError, Stopped) as error:
            why = error.why if isinstance(error, TrainingError) else "busy"
            if why == "busy":
                raise EncodeError("crowded", self._name) from None
            self._remember(key)
            raise (self._slow(seconds) if why == "time" else EncodeError("lost", self._name)) from None

    def check(self, ask: Callable[..., Any], seconds: float, limit: float, progress: Progress) -> Any:
        """The result of `ask` for the tokenizer in its process, with reports of its progress. Raises the
        errors of workers, and EncodeError."""
        return self._answer(Request(self._key, self._name, ask, seconds, limit, reports=True), progress)

    def _answer(self, request: Request, progress: Progress) -> Any:
        """The answer of a process; it gets the files if it needs them."""
        try:
            try:
                answer = readers().run(request, progress)
            except Missing:
                files = self._files_again()
                limit = request.limit + SLOWER * _reading_seconds(files)
                answer = readers().run(replace(request, files=files, limit=limit, how=self._how), progress)
        except EncodeError as error:  # with the name from the first upload of the files
            raise EncodeError(error.why, self._name, **_without_name(error.evidence)) from None
        return pickle.loads(answer)

    def _files_again(self) -> Files:
        try:
            return self._files()
        except TokenizersCoreError:
            raise EncodeError("gone", self._name) from None

    def _slow(self, seconds: float) -> EncodeError:
        return EncodeError("slow", self._name, seconds=f"{seconds:g}")

    def _remember(self, key: str) -> None:
        self._too_slow[key] = None
        while len(self._too_slow) > SLOW_REMEMBERED:
            self._too_slow.pop(next(iter(self._too_slow)), None)
