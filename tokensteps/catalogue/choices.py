"""The tokenizers that a page can choose from, each under a spec: a short text that a link can hold.

    bpe?corpus=library                   trained: the URL of a training page says how, here to its end
    bpe?corpus=course&size=50&step=12    the same kind of thing after step 12
    file?vocab.json=<digest>&merges.txt=<digest>     uploaded: file names, and what this server keeps them under
    hub?name=openai-community/gpt2       public

Nothing a spec says is trusted: it may come out of a link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError, quoted
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.catalogue import hub
from tokensteps.catalogue.files import formats
from tokensteps.catalogue.subjects import Subject, TrainedSubject
from tokensteps.language.i18n import N_, _, count, listed
from tokensteps.limits import BROUGHT_REMEMBERED, LOADING_SECONDS, RUNS_REMEMBERED, SPEC_LIMIT, SUBJECTS_KEPT
from tokensteps.runs.algorithms import ALGORITHMS, Run
from tokensteps.runs.settings import corpus_title, read_url
from tokensteps.server.jobs import Job, Registry, registry, tokenizer_registry
from tokensteps.server.shelf import Memo
from tokensteps.server.stores import digest, file_store
from tokensteps.server.tasks import Progress

READY = tuple(f"{name}?corpus=library" for name in ALGORITHMS)
"""What everybody finds: one tokenizer of each algorithm, trained on the largest corpus that comes with the app."""
NAME_SHOWN = 60
_subjects: Final = Memo(SUBJECTS_KEPT)
OF_THE_CORPUS = ("corpus", "text", "id", "file", "step")
"""What a spec says of the corpus and the step, and not of the rules."""


class SpecError(TokenizersCoreError):
    """A spec that no tokenizer can be made from."""

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


class Spec(NamedTuple):
    """A spec, taken apart."""

    kind: str
    query: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> Spec:
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
        """Whether a training page says how it is made."""
        return self.kind in ALGORITHMS

    @property
    def step(self) -> int | None:
        """The step after which to take it; None at the end of its training. Raises SpecError."""
        text = self.query.get("step")
        if text is None:
            return None
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise SpecError("step", text)
        return int(text)

    def at(self, step: int) -> Spec:
        """The same run after another step."""
        return Spec(self.kind, {**self.query, "step": str(step)})

    def run(self) -> Run[AnyTrace]:
        """The training that it stands for. Raises SpecError and what the engine raises for rules that can't be."""
        algorithm = ALGORITHMS[self.kind]
        recipe, complaints = read_url(self.kind, algorithm.rules, self.query)
        if complaints:
            raise SpecError("unknown", self.write())
        run = algorithm.run(recipe)
        if run is None:
            raise SpecError("nothing", self.write())
        return run


def title(text: str) -> str:
    """What the tokenizer under a spec is called: plain text, anybody's."""
    try:
        spec = Spec.parse(text)
        step = spec.step
    except TokenizersCoreError:
        return text[:NAME_SHOWN]
    if spec.kind == "hub":
        name = spec.query.get("name", "")
        return next(
            (title for title, repository in hub.PUBLIC.items() if repository == name), name[:NAME_SHOWN]
        )
    if spec.kind == "file":
        return " + ".join(spec.query)[:NAME_SHOWN]
    corpus = corpus_title(spec.query.get("corpus", "course"))
    rules = [f"{name}={value}" for name, value in spec.query.items() if name not in OF_THE_CORPUS]
    corpus = listed([corpus, *rules])[:NAME_SHOWN]
    algorithm = ALGORITHMS[spec.kind].title
    if step is None:
        return _("{algorithm}: {corpus}").format(algorithm=algorithm, corpus=corpus)
    return _("{algorithm} after step {step}: {corpus}").format(
        algorithm=algorithm, step=count(step), corpus=corpus
    )


def titles(specs: Iterable[str]) -> dict[str, str]:
    """What each is called, no two alike: a select box takes those for one."""
    found: dict[str, str] = {}
    for spec in specs:
        name = numbered = title(spec)
        number = 1
        while numbered in found.values():
            number += 1
            numbered = f"{name} ({number})"
        found[spec] = numbered
    return found


# --- What this session has --------------------------------------------------------------------------------------------


def remember_run(algorithm: str, url: Mapping[str, str | None], step: int) -> str:
    """Keep a run that a training page shows, at the step it shows, for the list of tokenizers; returns its spec."""
    query = {name: text for name, text in url.items() if text is not None and name != "show"}
    runs: dict[str, int] = st.session_state.setdefault("catalogue.runs", {})
    name = Spec(algorithm, query).write()
    runs.pop(name, None)
    runs[name] = step
    while len(runs) > RUNS_REMEMBERED:
        del runs[next(iter(runs))]
    return Spec(algorithm, query).at(step).write()


def runs_here() -> list[str]:
    """The specs of this session's runs, the latest first, each at the step it was left at."""
    runs: dict[str, int] = st.session_state.get("catalogue.runs", {})
    specs = [(Spec.parse(name), step) for name, step in reversed(runs.items())]
    return [spec.at(step).write() for spec, step in specs]


def upload_spec(files: Mapping[str, bytes]) -> str:
    """The spec of a learner's files, which this server keeps for a while."""
    return Spec("file", {_shortened(name): file_store().put(data) for name, data in files.items()}).write()


def _shortened(name: str) -> str:
    """A file's name, its middle left out if it is long.

    >>> _shortened("tokenizer.json"), len(_shortened("x" * 100 + ".json"))
    ('tokenizer.json', 60)
    """
    return name if len(name) <= NAME_SHOWN else f"{name[: NAME_SHOWN - 21]}…{name[-20:]}"


def public(name: str) -> str:
    """The spec of a public tokenizer."""
    return Spec("hub", {"name": name}).write()


def bring(spec: str) -> None:
    """Load a tokenizer that the learner brings, and keep it for the list. Raises SpecError, HubError and LoadError."""
    found = tokenizer_registry().ask(digest(spec.encode()), partial(_load, Spec.parse(spec)), LOADING_SECONDS)
    if isinstance(found, Job):
        raise SpecError("slow", title(spec))
    brought: list[str] = st.session_state.setdefault("catalogue.brought", [])
    if spec in brought:
        brought.remove(spec)
    brought.insert(0, spec)
    del brought[BROUGHT_REMEMBERED:]


def options() -> list[str]:
    """Everything that there is to choose from, this session's own first."""
    own = [*st.session_state.get("catalogue.brought", []), *runs_here()]
    return list(dict.fromkeys([*own, *READY, *map(public, hub.PUBLIC.values())]))


# --- From a spec to a tokenizer ---------------------------------------------------------------------------------------


class Opened(NamedTuple):
    """A tokenizer that is there: how it was asked for, and what it is."""

    spec: Spec
    subject: Subject
    last: int | None = None
    """The last step of its training; None for one that was not trained here."""


class Order(NamedTuple):
    """What has to be made for a tokenizer: a page builds it under `name`, in `registry`, and hands it to `opened`."""

    spec: Spec
    name: str
    make: Callable[[Progress], Any]
    registry: Callable[[], Registry]
    step: int | None = None

    def opened(self, made: Any) -> Opened:
        """The tokenizer, from what was made: a subject, or the trace of its training."""
        if not self.spec.trained:
            return Opened(self.spec, made)
        last = len(made)
        step = last if self.step is None else min(self.step, last)
        return Opened(self.spec, _tokenizer(self.name, step, title(self.spec.write()), made), last)


def order(text: str) -> Order:
    """What to make for the tokenizer under a spec. Raises SpecError, and what `Spec.run` raises."""
    spec = Spec.parse(text)
    if not spec.trained:
        return Order(spec, digest(text.encode()), partial(_load, spec), tokenizer_registry)
    run = spec.run()
    return Order(spec, run.name, run.make, registry, spec.step)


def _load(spec: Spec, progress: Progress) -> Subject:
    """Raises SpecError, HubError and LoadError."""
    progress.phase = "loading"
    if spec.kind == "hub":
        return hub.fetch(spec.query.get("name", ""))
    files = {}
    for name, kept in spec.query.items():
        data = file_store().get(kept)
        if data is None:
            raise SpecError("gone", name)
        files[name] = data
    return formats.load(files, " + ".join(files))


def _tokenizer(run: str, step: int, name: str, trace: AnyTrace) -> Subject:
    """A trained tokenizer; `run` says which, so the trace needn't be compared."""
    return _subjects.get(
        (run, step, name), lambda: TrainedSubject(name, trace.tokenizer(step), trace, step), lambda _made: 1
    )
