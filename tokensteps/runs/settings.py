"""A run's corpus and rules, without any widget: read from a URL and written to one.

A `Recipe` is all of a learner's choices. A page's sidebar makes one from its widgets
(`tokensteps/widgets/controls.py`), a link holds one, and the playground keeps those of the runs to take
tokenizers from. Nothing in a link is trusted: impossible values are dropped with a complaint on the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from tokenizers_core.errors import CountedRulesError
from tokenizers_core.text.counting import is_counts
from tokenizers_core.text.cutting import DIGITS, PIECE_DIGITS, CutAt, Cutter, Scripts
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.rewriting import Replace
from tokensteps.bounded import bounded, text_bytes
from tokensteps.language.i18n import N_, _, count
from tokensteps.language.names import BEHAVIOR_OF, choice_name
from tokensteps.limits import (
    PLAIN_LIMIT,
    PUT_ROOM,
    patience,
)
from tokensteps.runs.corpora import EXAMPLES, OWN, Source, is_packed, pack_text, plain_text, unpack_text
from tokensteps.runs.rules import OWN_PATTERN, VIEWS, Setting
from tokensteps.server.stores import digest, text_store


@dataclass(frozen=True)
class Recipe:
    """The corpus, the rules and the views of a run: everything that decides its result and its display."""

    page: str
    """The algorithm's page: its examples have settings of their own."""
    rules: Sequence[Setting]
    values: Mapping[str, Any]
    """`corpus`, and the value of every rule and view by its name."""
    text: str = ""
    """The learner's own text or word counts."""
    file: tuple[str, bytes] = ("", b"")
    """Name and contents of the learner's file."""

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def url(self) -> dict[str, str | None]:
        """The URL's parameters: the corpus, the differences from its own settings, and None for the rest."""
        corpus = self["corpus"]
        url: dict[str, str | None] = {"corpus": corpus, "text": None, "id": None, "file": None}
        for setting in (*self.rules, *VIEWS):
            value = setting.write(self[setting.name])
            usual = setting.write(usual_value(self.page, corpus, setting))
            url[setting.name] = None if value == usual else value
        if url["mode"] is None:  # no questions then
            url["ask"] = None
        return url | self._own_url()

    def _own_url(self) -> dict[str, str | None]:
        corpus = self["corpus"]
        if corpus == "upload":
            name, data = self.file
            return {"id": _stored(data), "file": name} if data else {}
        if corpus in EXAMPLES or not self.text:
            return {}
        packed = pack_text(self.text)
        return {"text": packed} if packed else {"id": _stored(self.text.encode("utf-8"))}

    def in_link(self) -> bool:
        """Whether a link can hold the whole corpus."""
        return self["corpus"] not in OWN or bool(self._own_url().get("text"))

    def source(self) -> Source | None:
        """The source of the corpus; None while there is nothing to read yet."""
        corpus, lines = self["corpus"], self["lines"]
        if corpus in EXAMPLES:
            example = EXAMPLES[corpus]
            return Source(corpus, example.text().encode("utf-8"), example.counts, lines)
        if corpus == "upload":
            name, data = self.file
            counts = name.lower().endswith((".csv", ".tsv")) or is_counts(data)
            return Source(digest(data), data, counts, lines) if data else None
        return Source(corpus, self.text.encode("utf-8"), corpus == "counts", lines) if self.text else None

    def pipeline(self, source: Source | None) -> Pipeline:
        """From text to words: by the rules in a file of word counts, or else by the chosen rules.

        Raises CountedRulesError for a file with rules unfit for the page, and the errors of `chosen` and
        `Source.counted_by`.
        """
        counted_by = source.counted_by(patience(len(source.data))) if source else None
        if counted_by is None:
            return self.chosen(source)
        fitting = next(rule.choices for rule in self.rules if rule.name == "pre")
        if counted_by.pre_tokenizer not in fitting:
            raise CountedRulesError(counted_by.rules, fitting)
        return counted_by

    def chosen(self, source: Source | None) -> Pipeline:
        """The chosen rules. Raises the errors of `Pipeline` for a learner's own pattern."""
        pattern = "gpt2"  # the pipeline needs one even if there is none to choose
        if "pattern" in self.values:
            pattern = self["pattern"]
        if pattern == "own":
            pattern = self["regex"] or OWN_PATTERN.default
        size = len(source.data) if source else 0
        if "kept" not in self.values:
            return Pipeline(self["normalizer"], self["pre"], pattern, patience(size))
        normalizer = self["normalizer"]
        if self["replace"]:
            normalizer = (Replace(self["replace"], self["put"]), normalizer)
        stored = special_tokens(self["kept"])
        return Pipeline(normalizer, self["pre"], pattern, patience(size), self._cuts(), stored)

    def _cuts(self) -> tuple[Cutter, ...]:
        """The cuts behind the pre-tokenizer, in turn."""
        cuts: list[Cutter] = []
        if self["cut"]:
            cuts.append(CutAt(self["cut"], BEHAVIOR_OF[self["cuts"]]))
        if self["scripts"]:
            cuts.append(Scripts())
        if self["digits"] in DIGITS:
            cuts.append(digits_cut(self["digits"], self.values.get("kind", "")))
        return tuple(cuts)


def characters(text: str) -> tuple[str, ...]:
    """The characters of a text, each once, without white space."""
    return tuple(dict.fromkeys("".join(text.split())))


def digits_cut(digits: str, kind: str) -> Cutter:
    """The cut of numbers, by its name in `DIGITS`; SentencePiece's BPE has its own for single digits."""
    return PIECE_DIGITS if (digits, kind) == ("each", "sentencepiece_bpe") else DIGITS[digits]


class Reading(NamedTuple):
    """The result of reading a URL: a recipe, and complaints for the page to show."""

    recipe: Recipe
    complaints: list[str]


def read_url(page: str, rules: Sequence[Setting], url: Mapping[str, str], start: str = "course") -> Reading:
    """The recipe in a URL's parameters, with the usual values for missing ones; `start` is the usual
    corpus."""
    complaints: list[str] = []
    corpus = url.get("corpus", "paste" if url.get("text") else start)
    if corpus not in EXAMPLES and corpus not in OWN:
        complaints.append(invalid_here("corpus", corpus))
        corpus = start
    values = {"corpus": corpus}
    for setting in (*rules, *VIEWS):
        values[setting.name] = read_setting(setting, url, usual_value(page, corpus, setting), complaints)
    if corpus in EXAMPLES:
        if url.get("text"):
            message = _("The link has a text and says corpus={corpus}: its text is left out.")
            complaints.append(message.format(corpus=corpus))
        return Reading(Recipe(page, rules, values), complaints)
    data = read_text(url, complaints)
    if corpus == "upload":
        return Reading(Recipe(page, rules, values, file=(url.get("file", "")[:80], data or b"")), complaints)
    text = None if data is None else plain_text(data.decode("utf-8", "replace"))
    return Reading(Recipe(page, rules, values, text=text or ""), complaints)


def read_setting(setting: Setting, url: Mapping[str, str], usual: Any, complaints: list[str]) -> Any:
    """A setting's value in a URL; `usual` if the URL has none, or, with an entry in `complaints`, an
    impossible one."""
    if setting.name not in url:
        return usual
    try:
        return setting.parse(url[setting.name])
    except ValueError as error:
        complaints.append(_beyond(setting, url[setting.name]) or invalid_here(setting.name, str(error)))
        return usual


def _beyond(setting: Setting, text: str) -> str | None:
    """The complaint about a number or a text beyond its setting's limits; None if something else is wrong."""
    if setting.kind == "number" and text.isascii() and text.isdigit():
        message = _(
            "The link says {name}={value}, but it must be from {least} to {most}; the default is used."
        )
        return message.format(
            name=setting.name, value=repr(text[:20]), least=count(setting.least), most=count(setting.most)
        )
    if setting.length and len(text) > setting.length:
        message = _("The link's {name} has {size} characters, more than {limit}; the default is used.")
        return message.format(name=setting.name, size=count(len(text)), limit=count(setting.length))
    return None


def invalid_here(name: str, value: str) -> str:
    """The complaint about an invalid parameter."""
    message = _("The link says {name}={value}, which is not valid here; the default is used.")
    return message.format(name=name, value=repr(value[:80]))


def read_text(url: Mapping[str, str], complaints: list[str]) -> bytes | None:
    """The text in a URL, compressed or typed by hand, or the stored one with its id; None without one, or,
    with an entry in `complaints`, if it is damaged or gone."""
    written = url.get("text", "")
    text = unpack_text(written) if is_packed(written) else written or None
    cached = text_store().get(url.get("id", ""))
    if written and text is None:
        complaints.append(_("The text in this link is damaged: ask for the link again, or paste the text."))
    elif url.get("id") and cached is None:
        complaints.append(_("This server no longer has the text of this link: paste or upload it again."))
    return cached if text is None else text.encode("utf-8", "replace")


def write_short(text: str) -> str:
    """A short text as a parameter: unchanged, or `~` and the compressed text, or `!` and its name in this
    server's store.

    >>> write_short("hug & pug"), read_short(write_short("hug " * 500)) == "hug " * 500
    ('hug & pug', True)
    """
    if len(quote(text)) <= PLAIN_LIMIT and not text.startswith(("~", "!")):
        return text
    packed = pack_text(text)
    return f"!{_stored(text.encode('utf-8'))}" if packed is None else f"~{packed}"


def read_short(parameter: str) -> str | None:
    """The text again; None if it is damaged, or no longer on this server."""
    if parameter.startswith("~"):
        return unpack_text(parameter[1:])
    if parameter.startswith("!"):
        cached = text_store().get(parameter[1:])
        return None if cached is None else cached.decode("utf-8", "replace")
    return parameter


def usual_value(page: str, corpus: str, setting: Setting) -> Any:
    """A setting's value unless the URL says otherwise: the corpus's own, or the general one."""
    own = EXAMPLES[corpus].settings_on(page) if corpus in EXAMPLES else {}
    return own.get(setting.name, setting.default)


@bounded(PUT_ROOM, text_bytes)
def _stored(data: bytes) -> str:
    """The name of these bytes in the server's store: computed once, as the address is written at every
    step."""
    return text_store().put(data)


def corpus_title(name: str) -> str:
    """The title of a corpus; an unknown name from a link stays unchanged."""
    own = {
        "paste": N_("Your own text"),
        "counts": N_("Your own word counts"),
        "upload": N_("Your own file"),
    }
    if name in EXAMPLES:
        return _(EXAMPLES[name].title)
    return _(own[name]) if name in own else name


def setting_text(rule: Setting, text: str) -> str:
    """A rule and its value from an address, in the language in use; "" for an invalid value.

    >>> from tokensteps.runs.rules import EXACT, LEAST_COUNT_OF_PAIR, SIZE, TIES
    >>> setting_text(LEAST_COUNT_OF_PAIR, "2"), setting_text(SIZE, ""), setting_text(SIZE, "many")
    ('Minimum pair count: 2', 'Vocabulary size: until pairs run out', '')
    >>> setting_text(EXACT, "1"), setting_text(EXACT, "0"), setting_text(TIES, "greatest")
    ('Stop exactly at this size', 'Stop exactly at this size: off', 'When pairs tie, merge: greatest (CS336)')
    """
    try:
        value = rule.parse(text)
    except ValueError:
        return ""
    match rule.kind:
        case "choice":
            shown = choice_name(rule.name, text)
        case "switch" if value:
            return _(rule.label)
        case "switch":
            shown = _("off")
        case "number":
            shown = _(rule.placeholder) if value is None else count(value)
        case _:
            shown = text or _("none")
    return _("{rule}: {value}").format(rule=_(rule.label), value=shown)


def special_tokens(text: str) -> tuple[str, ...]:
    """A learner's special tokens, typed with white space between them.

    >>> special_tokens(" <s>  </s> <s>")
    ('<s>', '</s>')
    """
    return tuple(dict.fromkeys(text.split()))
