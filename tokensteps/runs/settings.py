"""What a run is made of, without any widget: corpus and rules, as a URL says them.

A `Recipe` is all that a learner chose. A page's sidebar makes one from its widgets (`tokensteps/widgets/controls.py`), a link holds one, and
the playground keeps those of the runs to take tokenizers from. Nothing a link says is trusted: what can't be is dropped, and
the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote

from tokenizers_core import TEMPLATES, TIE_RULES
from tokenizers_core.errors import CountedRulesError
from tokenizers_core.text.counting import is_counts
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokensteps.drawing.tokens import SHOW
from tokensteps.language.i18n import N_, _, count
from tokensteps.limits import (
    COUNT_LIMIT,
    PATTERN_LIMIT,
    PIPELINE_LIMIT,
    PLAIN_LIMIT,
    SEED_LIMIT,
    SPECIAL_LIMIT,
    VOCABULARY_LIMIT,
    patience,
)
from tokensteps.runs.corpora import EXAMPLES, OWN, Source, pack_text, plain_text, unpack_text
from tokensteps.server.cache import digest, text_store


class Setting(NamedTuple):
    """One thing that a learner can set: its name in the URL and session state, its default, what it may be."""

    name: str
    default: Any
    choices: Sequence[str] = ()
    least: int = 0
    most: int = 0
    length: int = 0
    limit: bool = False
    """Whether a number is a limit that can be lifted: emptied it means none, not the usual one."""

    def parse(self, text: str) -> Any:
        """The value that the URL's text stands for. Raises ValueError for one that can't be."""
        if self.choices:
            if text not in self.choices:
                raise ValueError(text)
            return text
        if isinstance(self.default, bool):
            return {"1": True, "0": False}[text] if text in ("0", "1") else _refuse(text)
        if self.most:
            if text == "":
                return None if self.limit else self.default
            number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else _refuse(text)
            return number if self.least <= number <= self.most else _refuse(text)
        return text if len(text) <= self.length else _refuse(text[:80])

    def write(self, value: Any) -> str:
        """The value as the URL has it."""
        if value is None:
            return ""
        return str(int(value)) if isinstance(value, bool) else str(value)


def _refuse(text: str) -> Any:
    raise ValueError(text)


RULES = (
    Setting("normalizer", "none", NORMALIZERS),
    Setting("pre", "byte_level", PRE_TOKENIZERS),
    Setting("pattern", "gpt2", (*PATTERNS, "own")),
    Setting("regex", r"\w+|\s+|[^\w\s]+", length=PATTERN_LIMIT),
    Setting("alphabet", "corpus", ("corpus", "bytes")),
    Setting("ties", "first", tuple(TIE_RULES)),
    Setting("size", None, least=1, most=VOCABULARY_LIMIT, limit=True),
    Setting("min", 1, least=1, most=COUNT_LIMIT),
    Setting("special", "", length=SPECIAL_LIMIT),
    Setting("lines", True),
)
WORDPIECE_RULES = tuple(
    Setting("pre", "bert", ("bert", "whitespace", "whitespace_split", "whitespace_split_punctuation"))
    if rule.name == "pre"
    else rule
    for rule in RULES
)
UNIGRAM_RULES = (
    Setting("normalizer", "none", NORMALIZERS),
    Setting(
        "pre",
        "whitespace_split_metaspace",
        ("whitespace_split_metaspace", "metaspace", "whitespace_split", "whitespace", "bert", "none"),
    ),
    Setting("method", "course", ("course", "sentencepiece")),
    Setting("seed", 1_000, least=1, most=SEED_LIMIT),
    Setting("size", 300, least=1, most=VOCABULARY_LIMIT, limit=True),
    Setting("exact", False),
    Setting("whole", True),
    Setting("special", "", length=SPECIAL_LIMIT),
    Setting("lines", True),
)
COMPARE_RULES = (
    Setting("normalizer", "none", NORMALIZERS),
    Setting(
        "pre",
        "whitespace_split_metaspace",
        ("whitespace_split_metaspace", "metaspace", "whitespace_split", "whitespace", "bert"),
    ),
    Setting("ties", "first", tuple(TIE_RULES)),
    Setting("method", "course", ("course", "sentencepiece")),
    Setting("seed", None, least=1, most=SEED_LIMIT),
    Setting("size", 300, least=1, most=VOCABULARY_LIMIT, limit=True),
    Setting("lines", True),
)
PIPELINE_RULES = (
    Setting("normalizer", "bert_uncased", NORMALIZERS),
    Setting("pre", "bert", PRE_TOKENIZERS),
    Setting("pattern", "gpt2", (*PATTERNS, "own")),
    Setting("regex", r"\w+|\s+|[^\w\s]+", length=PATTERN_LIMIT),
    Setting("alphabet", "bytes", ("bytes", "corpus")),
    Setting("model", "wordpiece", ("bpe", "wordpiece", "unigram")),
    Setting("template", "bert", tuple(TEMPLATES)),
    Setting("size", 4_000, least=1, most=VOCABULARY_LIMIT),
    Setting("lines", True),
    Setting("max", 24, least=1, most=PIPELINE_LIMIT),
    Setting("stride", 4, least=0, most=PIPELINE_LIMIT),
    Setting("strategy", "only_second", ("only_second", "only_first", "longest_first")),
    Setting("side", "right", ("right", "left")),
)
RENEW_RULES = (
    Setting("size", None, least=1, most=VOCABULARY_LIMIT, limit=True),
    Setting("lines", False),
)
PLAYGROUND_RULES = (
    Setting("write", "text", ("text", "ids", "bytes")),
    Setting("spaces", True),
    Setting("specials", True),
    Setting("added", False),
    Setting("escapes", False),
)
PLAYGROUND_SLOTS = ("t1", "t2", "t3", "t4")
"""The parameters of the tokenizers that the playground compares."""
MODES = ("watch", "predict")
"""Whether the steps of a run are shown, or to be found out first."""
ASKED = ("mixed", "pair", "count", "score", "piece", "loss", "split")
"""What is asked about the next step."""
VIEWS = (
    Setting("show", "letters", SHOW),
    Setting("mode", MODES[0], MODES),
    Setting("ask", ASKED[0], ASKED),
)
"""How it is shown; kept when the corpus changes."""


def _names(settings: Sequence[Setting]) -> frozenset[str]:
    return frozenset(setting.name for setting in settings)


OWN_CORPUS = frozenset(("text", "id", "file"))
"""The parameters that hold a text of the learner's, or name one that this server keeps."""
_SHARED = OWN_CORPUS | {"corpus"} | _names(VIEWS)
PAGE_PARAMETERS: Mapping[str, frozenset[str]] = {
    "home": frozenset({"say"}),
    "exercises": frozenset({"kind", "level", "seed", "rising"}),
    "challenge": frozenset(),
    "errata": frozenset(),
    "glossary": frozenset(),
    "bpe": _SHARED | _names(RULES),
    "wordpiece": _SHARED | _names(WORDPIECE_RULES),
    "unigram": _SHARED | _names(UNIGRAM_RULES),
    "playground": OWN_CORPUS | {*PLAYGROUND_SLOTS} | _names(PLAYGROUND_RULES),
    "compare": _SHARED | _names(COMPARE_RULES),
    "pipeline": _SHARED | _names(PIPELINE_RULES) | {"a", "b"},
    "renew": _SHARED | _names(RENEW_RULES) | {"a", "t1"},
}
"""By page: the parameters that the page reads when a link brings them. What it reads at every run is not among them: `step`,
`lang`, a challenge's `c`, the glossary's `term`."""


@dataclass(frozen=True)
class Recipe:
    """The corpus and the rules of a run: everything that decides what comes out, and how it is shown."""

    page: str
    """The algorithm's page, whose examples have settings of their own."""
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
        """The URL's parameters: the corpus, what differs from its own settings, and None for the rest."""
        corpus = self["corpus"]
        url: dict[str, str | None] = {"corpus": corpus, "text": None, "id": None, "file": None}
        for setting in (*self.rules, *VIEWS):
            value = self[setting.name]
            usual = value == usual_value(self.page, corpus, setting)
            url[setting.name] = None if usual else setting.write(value)
        if url["mode"] is None:  # nothing is asked
            url["ask"] = None
        return url | self._own_url()

    def _own_url(self) -> dict[str, str | None]:
        corpus = self["corpus"]
        if corpus == "upload":
            name, data = self.file
            return {"id": _kept(data), "file": name} if data else {}
        if corpus in EXAMPLES or not self.text:
            return {}
        packed = pack_text(self.text)
        return {"text": packed} if packed else {"id": _kept(self.text.encode("utf-8"))}

    def in_link(self) -> bool:
        """Whether a link holds the whole corpus."""
        return self["corpus"] not in OWN or bool(self._own_url().get("text"))

    def source(self) -> Source | None:
        """Where the corpus comes from; None while there is nothing to read yet."""
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
        """From text to words: as the file says whose words are counted, else by the rules that were chosen.

        Raises CountedRulesError for a file that the page has no use for, and what `chosen` and `Source.counted_by` raise.
        """
        counted_by = source.counted_by(patience(len(source.data))) if source else None
        if counted_by is None:
            return self.chosen(source)
        fitting = next(rule.choices for rule in self.rules if rule.name == "pre")
        if counted_by.pre_tokenizer not in fitting:
            raise CountedRulesError(counted_by.rules, fitting)
        return counted_by

    def chosen(self, source: Source | None) -> Pipeline:
        """The rules that were chosen. Raises what `Pipeline` raises for a pattern of the learner's own."""
        pattern = "gpt2"  # the pipeline takes one even where there is none to choose
        if "pattern" in self.values:
            pattern = (self["regex"] if self["pattern"] == "own" else self["pattern"]) or pattern
        size = len(source.data) if source else 0
        return Pipeline(self["normalizer"], self["pre"], pattern, patience(size))


class Reading(NamedTuple):
    """A URL, read: the recipe that it stands for, and what was wrong with it, to be said."""

    recipe: Recipe
    complaints: list[str]


def read_url(page: str, rules: Sequence[Setting], url: Mapping[str, str], start: str = "course") -> Reading:
    """The recipe in a URL's parameters, the usual values for what it leaves out; `start` is the usual corpus."""
    complaints: list[str] = []
    corpus = url.get("corpus", start)
    if corpus not in EXAMPLES and corpus not in OWN:
        complaints.append(_refusal("corpus", corpus))
        corpus = start
    values = {"corpus": corpus}
    for setting in (*rules, *VIEWS):
        values[setting.name] = read_setting(setting, url, usual_value(page, corpus, setting), complaints)
    if corpus in EXAMPLES:
        return Reading(Recipe(page, rules, values), complaints)
    data = read_text(url, complaints)
    if corpus == "upload":
        return Reading(Recipe(page, rules, values, file=(url.get("file", "")[:80], data or b"")), complaints)
    text = None if data is None else plain_text(data.decode("utf-8", "replace"))
    return Reading(Recipe(page, rules, values, text=text or ""), complaints)


def read_setting(setting: Setting, url: Mapping[str, str], usual: Any, complaints: list[str]) -> Any:
    """A setting's value in a URL; `usual` where the URL has none, or one that can't be, which is added to `complaints`."""
    if setting.name not in url:
        return usual
    try:
        return setting.parse(url[setting.name])
    except ValueError as error:
        complaints.append(_beyond(setting, url[setting.name]) or _refusal(setting.name, str(error)))
        return usual


def _beyond(setting: Setting, text: str) -> str | None:
    """What is said of a number or text of a link that is beyond its setting's limits; None where something else is wrong."""
    if setting.most and text.isascii() and text.isdigit():
        message = _("The link says {name}={value}, and it may be {least} to {most}; the usual value is used.")
        return message.format(
            name=setting.name, value=repr(text[:20]), least=count(setting.least), most=count(setting.most)
        )
    if setting.length and len(text) > setting.length:
        message = _("The link's {name} has {size} characters, and may have {limit}; the usual value is used.")
        return message.format(name=setting.name, size=count(len(text)), limit=count(setting.length))
    return None


def _refusal(name: str, value: str) -> str:
    message = _("The link says {name}={value}, which is not possible here; the usual value is used.")
    return message.format(name=name, value=repr(value[:80]))


def read_text(url: Mapping[str, str], complaints: list[str]) -> bytes | None:
    """The text that a URL holds, or names to this server; None without one, or without it any more, which is complained of."""
    text = unpack_text(url.get("text"))
    kept = text_store().get(url.get("id", ""))
    if url.get("text") and text is None:
        complaints.append(_("The text of this link is damaged: ask for the link again, or paste the text."))
    elif url.get("id") and kept is None:
        complaints.append(
            _("This server does not have the text of this link any more: paste or upload it again.")
        )
    return kept if text is None else text.encode("utf-8", "replace")


def write_short(text: str) -> str:
    """A text of a page's own as a parameter: as it is, or `~` and the text compressed, or `!` and its name on this server.

    >>> write_short("hug & pug"), read_short(write_short("hug " * 500)) == "hug " * 500
    ('hug & pug', True)
    """
    if len(quote(text)) <= PLAIN_LIMIT and not text.startswith(("~", "!")):
        return text
    packed = pack_text(text)
    return f"!{_kept(text.encode('utf-8'))}" if packed is None else f"~{packed}"


def read_short(parameter: str) -> str | None:
    """The text again; None for one that is damaged, or that this server doesn't have any more."""
    if parameter.startswith("~"):
        return unpack_text(parameter[1:])
    if parameter.startswith("!"):
        kept = text_store().get(parameter[1:])
        return None if kept is None else kept.decode("utf-8", "replace")
    return parameter


def usual_value(page: str, corpus: str, setting: Setting) -> Any:
    """A setting's value where nothing else is said: the corpus's own, or the general one."""
    own = EXAMPLES[corpus].settings_on(page) if corpus in EXAMPLES else {}
    return own.get(setting.name, setting.default)


@lru_cache(maxsize=16)
def _kept(data: bytes) -> str:
    """The name under which the server keeps these bytes: worked out once, for the address is written at every step."""
    return text_store().put(data)


def corpus_title(name: str) -> str:
    """What a corpus is called; one that a link made up, as the link has it."""
    own = {
        "paste": N_("Your own text"),
        "counts": N_("Your own word counts"),
        "upload": N_("A file of yours"),
    }
    if name in EXAMPLES:
        return _(EXAMPLES[name].title)
    return _(own[name]) if name in own else name


def special_tokens(text: str) -> tuple[str, ...]:
    """The special tokens that a learner typed, separated by white space.

    >>> special_tokens(" <s>  </s> <s>")
    ('<s>', '</s>')
    """
    return tuple(dict.fromkeys(text.split()))
