"""The tokenizers to choose from on a page, each under a spec: a text short enough for a link.

    bpe?corpus=library trained to the end, as the URL of a training page says
    bpe?corpus=course&size=50&step=12 the same after step 12 file?vocab.json=<digest>&merges.txt=<digest>
    uploaded: file names, and their keys on this server hub?name=openai-community/gpt2 public; this one comes
    with the app

Settings for an upload are there, too: ~name, ~pattern (how to split text into words, if the files don't say)
and ~special (special tokens missing from the files). Nothing in a spec is trusted: it may come from a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count as count_from
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from tokenizers_core.encoding.models.base import Model
from tokenizers_core.errors import Phrase, TokenizersCoreError, quoted
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.bounded import Memo
from tokensteps.catalogue import hub, shipped
from tokensteps.catalogue.files.remote_tokenizer import load_remote_tokenizer
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.language.i18n import N_, _, count, listed
from tokensteps.language.numbers import read_whole
from tokensteps.limits import (
    BROUGHT_REMEMBERED,
    CHAT_FILE_LIMIT,
    LOADING_SECONDS,
    PATTERN_LIMIT,
    RUNS_REMEMBERED,
    SPEC_LIMIT,
    SPECIAL_LIMIT,
    SUBJECTS_ROOM,
    TOKEN_SIZE,
)
from tokensteps.runs.algorithms import ALGORITHMS, Run
from tokensteps.runs.settings import corpus_title, read_url, setting_text
from tokensteps.server.jobs import Job, Registry, registry, tokenizer_registry
from tokensteps.server.stores import digest, file_store
from tokensteps.server.tasks import Progress
from tokensteps.streamlit_internals import session_id

READY = tuple(f"{name}?corpus=library" for name in ALGORITHMS)
"""Always in the list: one tokenizer of each algorithm, trained on the app's largest corpus."""
TITLE_CHARACTERS = 60
_subjects: Final = Memo(SUBJECTS_ROOM)
SET: Final = "~"
"""The prefix of settings in the spec of an upload; the rest are files."""
NAMED_WITHIN: Final = re.compile(rb'"_?name_or_path"\s*:\s*"([^"\\\n]{1,96})"')
"""The repository's name as configurations beside a tokenizer have it."""
OF_NO_ONE: Final = frozenset({"", ".", "model", "models", "tokenizer", "assets", "data", "resources"})
"""Folder names without any information about the tokenizer in them."""
OF_THE_CORPUS = ("corpus", "text", "id", "file", "step")
"""The parts of a spec about the corpus and the step, not the rules."""
ONLY_SHOWN = ("show", "mode", "ask", "watch")
"""The parameters of a training page without an effect on the run."""


class SpecError(TokenizersCoreError):
    """A spec without a possible tokenizer."""

    templates: ClassVar[Mapping[str, str]] = {
        "unknown": N_(
            "The link asks for the tokenizer {spec}, which this page doesn't know; choose one from the list."
        ),
        "nothing": N_("The link's tokenizer {spec} has no text to train on; choose one from the list."),
        "gone": N_("This server no longer has the file {spec}: upload it again."),
        "slow": N_("Loading {spec} takes more than a minute; try again later, or upload its tokenizer.json."),
        "step": N_("The link asks for step {spec}, which doesn't exist; choose one with the slider."),
    }

    def __init__(self, why: str, spec: str) -> None:
        self.template = self.templates[why]
        super().__init__(spec=quoted(spec))


class TokenizerSpec(NamedTuple):
    """A spec, taken apart."""

    kind: str
    query: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> TokenizerSpec:
        """Raises SpecError for one of no known kind."""
        kind, _mark, query = text.partition("?")
        if len(text) > SPEC_LIMIT or kind not in (*ALGORITHMS, "file", "hub"):
            raise SpecError("unknown", text)
        try:
            return cls(kind, dict(parse_qsl(query, keep_blank_values=True, max_num_fields=40)))
        except ValueError:
            raise SpecError("unknown", text) from None

    def write(self) -> str:
        """The text again."""
        return f"{self.kind}?{urlencode(self.query, safe='/', errors='replace')}"

    @property
    def trained(self) -> bool:
        """Whether it is trained here."""
        return self.kind in ALGORITHMS

    @property
    def step(self) -> int | None:
        """The step of its training to take it from; None for the end. Raises SpecError."""
        text = self.query.get("step")
        if text is None:
            return None
        step = read_whole(text)
        if step is None:
            raise SpecError("step", text)
        return step

    @property
    def files(self) -> dict[str, str]:
        """The names of uploaded files, and their keys on this server."""
        return {name: remaining for name, remaining in self.query.items() if not name.startswith(SET)}

    def set(self, **settings: str) -> TokenizerSpec:
        """The same upload with other settings; "" takes one away."""
        chosen = {f"{SET}{name}": text for name, text in settings.items()}
        query = {name: text for name, text in {**self.query, **chosen}.items() if text or name in self.files}
        return TokenizerSpec(self.kind, query)

    def setting(self, name: str) -> str:
        """The setting of this name, "" for none."""
        return self.query.get(f"{SET}{name}", "")

    def at(self, step: int) -> TokenizerSpec:
        """The same run after another step."""
        return TokenizerSpec(self.kind, {**self.query, "step": str(step)})

    def run(self) -> Run[AnyTrace]:
        """The training run of the spec. Raises SpecError, and the engine's errors for impossible rules."""
        algorithm = ALGORITHMS[self.kind]
        recipe, complaints = read_url(self.kind, algorithm.rules, self.query)
        if complaints:
            raise SpecError("unknown", self.write())
        run = algorithm.run(recipe)
        if run is None:
            raise SpecError("nothing", self.write())
        return run


def title(text: str) -> str:
    """The title of the tokenizer under a spec: plain text from anybody."""
    try:
        spec = TokenizerSpec.parse(text)
        step = spec.step
    except TokenizersCoreError:
        return text[:TITLE_CHARACTERS]
    if spec.kind == "hub":
        return hub.title_of(hub.named(spec.query.get("name", "")))[:TITLE_CHARACTERS]
    if spec.kind == "file":
        return (spec.setting("name") or " + ".join(spec.files))[:TITLE_CHARACTERS]
    corpus = corpus_title(spec.query.get("corpus", "course"))
    rules = {name: value for name, value in spec.query.items() if name not in OF_THE_CORPUS}
    algorithm = ALGORITHMS[spec.kind].title
    size = read_whole(rules.get("size"))
    if step is None and [*rules] == ["size"] and size is not None:
        message = _("{algorithm}, size {size}: {corpus}")
        return message.format(algorithm=algorithm, size=count(size), corpus=corpus[:TITLE_CHARACTERS])
    settings = (
        setting_text(rule, rules[rule.name]) for rule in ALGORITHMS[spec.kind].rules if rule.name in rules
    )
    corpus = _within_title([corpus[:TITLE_CHARACTERS], *filter(None, settings)])
    if step is None:
        return _("{algorithm}: {corpus}").format(algorithm=algorithm, corpus=corpus)
    return _("{algorithm} after step {step}: {corpus}").format(
        algorithm=algorithm, step=count(step), corpus=corpus
    )


def _within_title(parts: Sequence[str]) -> str:
    """As many of the parts as a title has room for.

    >>> _within_title(["Four sentences", "Vocabulary size: 50", "Keep whole: " + "x" * 40])
    'Four sentences, Vocabulary size: 50 …'
    """
    shown = len(parts)
    while shown > 1 and len(listed(parts[:shown])) > TITLE_CHARACTERS:
        shown -= 1
    return listed(parts[:shown]) + (" …" if shown < len(parts) else "")


def preset_of(text: str) -> hub.PublicTokenizer | None:
    """The preset of a spec; None for any other."""
    try:
        spec = TokenizerSpec.parse(text)
    except SpecError:
        return None
    return hub.PUBLIC.get(hub.named(spec.query.get("name", ""))) if spec.kind == "hub" else None


def titles(specs: Iterable[str]) -> dict[str, str]:
    """The title of each, no two alike: a select box would take equal names for one choice."""
    results: dict[str, str] = {}
    for spec in specs:
        name = numbered = title(spec)
        number = 1
        while numbered in results.values():
            number += 1
            numbered = f"{name} ({number})"
        results[spec] = numbered
    return results


# --- This session's tokenizers ------------------------------------------------------------------------------


def remember_run(algorithm: str, url: Mapping[str, str | None], step: int) -> str:
    """Add a training page's run, at its step, to the list of tokenizers. Returns its spec."""
    spec = spec_of(algorithm, url)
    runs: dict[str, int] = st.session_state.setdefault("catalogue.runs", {})
    name = spec.write()
    runs.pop(name, None)
    runs[name] = step
    while len(runs) > RUNS_REMEMBERED:
        del runs[next(iter(runs))]
    return spec.at(step).write()


def spec_of(algorithm: str, url: Mapping[str, str | None]) -> TokenizerSpec:
    """A training page's run, by its address, to its end."""
    return TokenizerSpec(
        algorithm, {name: text for name, text in url.items() if text is not None and name not in ONLY_SHOWN}
    )


def runs_here() -> list[str]:
    """The specs of this session's runs, the latest first, each at the step where it was left."""
    runs: dict[str, int] = st.session_state.get("catalogue.runs", {})
    specs = [(TokenizerSpec.parse(name), step) for name, step in reversed(runs.items())]
    return [spec.at(step).write() for spec, step in specs]


def upload_spec(files: Mapping[str, bytes], brought: Iterable[str] = ()) -> str:
    """The spec of a learner's files; this server keeps the files for a while.

    It is named after their repository or folder, and numbered if another upload, among those `brought` so
    far, has the same name. The same files have the same spec.
    """
    stored = {_shortened(name.lstrip(SET)): file_store().put(data) for name, data in files.items()}
    others = []
    for one in brought:
        with suppress(SpecError):  # a link may have anything
            others.append(TokenizerSpec.parse(one))
    again = next((one for one in others if one.kind == "file" and one.files == stored), None)
    if again is not None:
        return again.write()
    named = TokenizerSpec("file", stored).set(name=_name_within(files))
    name, taken = title(named.write()), {title(one.write()) for one in others}
    if name in taken:
        number = next(number for number in count_from(2) if f"{name} ({number})" not in taken)
        named = named.set(name=f"{name} ({number})")
    return named.write()


def _name_within(files: Mapping[str, bytes]) -> str:
    """The repository named in one of the files, or their common folder; "" without either.

    >>> _name_within(
    ...     {"vocab.txt": b"", "tokenizer_config.json": b'{"name_or_path": "me/mine", "lower": true}'}
    ... )
    'me/mine'
    >>> _name_within({"mine/vocab.json": b"", "mine/merges.txt": b""}), _name_within({"vocab.txt": b""})
    ('mine', '')
    >>> _name_within({"tokenizer-qwen3/models/tokenizer.json": b""})
    'tokenizer-qwen3'
    """
    for data in files.values():
        if match := NAMED_WITHIN.search(data, 0, CHAT_FILE_LIMIT):
            return match[1].decode("utf-8", "replace").strip("/").removeprefix("./")[:TITLE_CHARACTERS]
    folders = {name.rpartition("/")[0] for name in files}
    own = [part for part in folders.pop().split("/") if part not in OF_NO_ONE] if len(folders) == 1 else []
    return own[-1][:TITLE_CHARACTERS] if own else ""


def special_of(text: str) -> dict[str, int | None]:
    """Special tokens in typed form, separated by white space, each with its id if it has one of its own.

    >>> special_of("<|endoftext|>=100257 <|fim|> a=b")
    {'<|endoftext|>': 100257, '<|fim|>': None, 'a=b': None}
    """
    results: dict[str, int | None] = {}
    for written in text[:SPECIAL_LIMIT].split():
        token, _mark, number = written.rpartition("=")
        identifier = read_whole(number) if token else None
        results[written if identifier is None else token] = identifier
    return results


def _shortened(name: str) -> str:
    """A file's name, without its middle if it is long: the ends of special files' names stay.

    >>> _shortened("tokenizer.json"), len(_shortened("x" * 100 + ".json"))
    ('tokenizer.json', 60)
    >>> _shortened("x" * 99 + "/special_tokens_map.json").endswith("…/special_tokens_map.json")
    True
    """
    return name if len(name) <= TITLE_CHARACTERS else f"{name[: TITLE_CHARACTERS - 25]}…{name[-24:]}"


def public(name: str) -> str:
    """The spec of a public tokenizer, by its name or the address of its page."""
    return TokenizerSpec("hub", {"name": hub.named(name)}).write()


def as_listed(text: str) -> str:
    """The list's spec of this tokenizer: a link may have a public one's old repository name, or its page."""
    preset = preset_of(text)
    return text if preset is None else public(preset.repository)


FROM_HERE: Final = N_("The model hub can't be reached: this is {file} from this server.")
GPT2: Final = public(shipped.REPOSITORY)
"""The spec of the app's own public tokenizer."""


def brought_here() -> list[str]:
    """The specs of this session's own tokenizers, the latest first."""
    brought: list[str] = st.session_state.setdefault("catalogue.brought", [])
    return brought


def uploads_here() -> list[str]:
    """The specs of this session's own tokenizers, and of those in the address, as after a reload."""
    return [*brought_here(), *(one for one in st.query_params.to_dict().values() if one.startswith("file?"))]


def bring(spec: str) -> None:
    """Load a learner's tokenizer, and add it to the list. Raises SpecError, HubError and LoadError."""
    result = tokenizer_registry().ask(
        digest(spec.encode()), partial(_load, TokenizerSpec.parse(spec)), LOADING_SECONDS
    )
    if isinstance(result, Job):
        raise SpecError("slow", title(spec))
    brought = brought_here()
    if spec in brought:
        brought.remove(spec)
    brought.insert(0, spec)
    del brought[BROUGHT_REMEMBERED:]


def bring_again(old: str, new: str) -> str:
    """Offer a learner's tokenizer under another spec, in place of the old one. Returns the new one."""
    brought = brought_here()
    brought[:] = dict.fromkeys(new if one == old else one for one in brought)
    return new


def options() -> list[str]:
    """All choices, this session's own first."""
    own = [*brought_here(), *runs_here()]
    return list(dict.fromkeys([*own, *READY, *map(public, hub.PUBLIC)]))


# --- From a spec to a tokenizer -----------------------------------------------------------------------------


class OpenedTokenizer(NamedTuple):
    """A ready tokenizer, and its spec."""

    spec: TokenizerSpec
    subject: ShownTokenizer
    last: int | None = None
    """The last step of its training; None if it was not trained here."""


class BuildRequest(NamedTuple):
    """A tokenizer to build: a page builds it under `name`, in `registry`, and passes it to `opened`."""

    spec: TokenizerSpec
    name: str
    make: Callable[[Progress], Any]
    registry: Callable[[], Registry]
    step: int | None = None

    def opened(self, result: Any) -> OpenedTokenizer:
        """The tokenizer, from the result: a subject, or the trace of its training."""
        if not self.spec.trained:
            return OpenedTokenizer(self.spec, result)
        last = len(result)
        step = last if self.step is None else min(self.step, last)
        return OpenedTokenizer(self.spec, _tokenizer(self.name, step, title(self.spec.write()), result), last)


def order(text: str) -> BuildRequest:
    """The request to build the tokenizer under a spec. Raises SpecError, and the errors of
    `TokenizerSpec.run`."""
    spec = TokenizerSpec.parse(text)
    if not spec.trained:
        return BuildRequest(spec, digest(text.encode()), partial(_load, spec), tokenizer_registry)
    run = spec.run()
    return BuildRequest(spec, run.name, run.make, registry, spec.step)


def _load(spec: TokenizerSpec, progress: Progress) -> ShownTokenizer:
    """Raises SpecError, HubError and LoadError."""
    progress.phase = "loading"
    if spec.kind == "hub":
        repository = hub.named(spec.query.get("name", ""))
        if repository == shipped.REPOSITORY:
            return shipped.gpt2()
        name, files = hub.title_of(repository), partial(hub.fetch, repository)
    else:
        name, files = title(spec.write()), partial(stored_files, spec)
    how: dict[str, Any] = {}
    if spec.setting("pattern"):
        how["pattern"] = spec.setting("pattern")[:PATTERN_LIMIT]
    if spec.setting("special"):
        how["special"] = special_of(spec.setting("special"))
    # Whatever its name: the same files are read once for all.
    key = digest(spec.set(name="").write().encode())
    subject = load_remote_tokenizer(key, files, name, progress, session_id, how)
    if spec.kind == "hub" and (local := hub.taken_from(spec.query.get("name", ""))):
        subject.notes = (*subject.notes, Phrase(FROM_HERE, file=quoted(local)))
    return subject


def stored_files(spec: TokenizerSpec) -> dict[str, bytes]:
    """The learner's files. Raises SpecError."""
    files = {}
    for name, stored in spec.files.items():
        data = file_store().get(stored)
        if data is None:
            raise SpecError("gone", name)
        files[name] = data
    return files


def _subject_size(subject: TrainedSubject) -> int:
    """A tokenizer's bytes after much encoding: its tokens, and its model's cached words."""
    return Model.BYTES_REMEMBERED + sum(TOKEN_SIZE + 4 * len(token) for token in subject.all_tokens())


def _tokenizer(run: str, step: int, name: str, trace: AnyTrace) -> ShownTokenizer:
    """A trained tokenizer; `run` is the cache's key, so the trace needn't be compared."""
    return _subjects.get(
        (run, step, name), lambda: TrainedSubject(name, trace.tokenizer(step), trace, step), _subject_size
    )
