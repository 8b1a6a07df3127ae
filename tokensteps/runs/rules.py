"""What a learner can set on each page: names in the URL, usual values, what is possible, and the words beside the widget.

A page reads these tables, its address and its sidebar alike. A new setting is a line here, its choices have their names in
`tokensteps/language/names.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tokenizers_core import TEMPLATES, TIE_RULES
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokensteps.drawing.tokens import SHOW
from tokensteps.limits import (
    COUNT_LIMIT,
    PATTERN_LIMIT,
    PIPELINE_LIMIT,
    SEED_LIMIT,
    SPECIAL_LIMIT,
    VOCABULARY_LIMIT,
)


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


BPE_RULES = (
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
    for rule in BPE_RULES
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
    "bpe": _SHARED | _names(BPE_RULES),
    "wordpiece": _SHARED | _names(WORDPIECE_RULES),
    "unigram": _SHARED | _names(UNIGRAM_RULES),
    "playground": OWN_CORPUS | {*PLAYGROUND_SLOTS} | _names(PLAYGROUND_RULES),
    "compare": _SHARED | _names(COMPARE_RULES),
    "pipeline": _SHARED | _names(PIPELINE_RULES) | {"a", "b"},
    "renew": _SHARED | _names(RENEW_RULES) | {"a", "t1"},
}
"""By page: the parameters that the page reads when a link brings them. What it reads at every run is not among them: `step`,
`lang`, a challenge's `c`, the glossary's `term`."""
