"""The sidebar of a training page: corpus and rules, each in session state under ``<page>.<name>`` and in the URL.

The URL is read when a session begins and after Back or Forward; from then on session state is the truth, and what
differs from the corpus's own settings is written to the URL. Nothing a link says is trusted: what can't be is
dropped, and the page says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import streamlit as st

from tokenizers_core import TIE_RULES
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text import NORMALIZERS, PATTERNS, PRE_TOKENIZERS, Pipeline
from ui.cache import digest, text_store
from ui.corpora import (
    EXAMPLES,
    OWN,
    PASTE_LIMIT,
    UPLOAD_LIMIT,
    Source,
    pack_text,
    plain_text,
    unpack_text,
)
from ui.flipbook import is_back
from ui.i18n import N_, _, count, ngettext
from ui.notes import explained, note, problem
from ui.tokens import SHOW

VOCABULARY_LIMIT = 20_000
"""Tokens that a page trains to."""
SEED_LIMIT = 50_000
"""Pieces that pruning starts from."""
PATTERN_LIMIT = 1_000
SPECIAL_LIMIT = 500


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
    Setting("min", 1, least=1, most=1_000_000),
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
VIEWS = (Setting("show", "letters", SHOW),)
"""How it is shown; kept when the corpus changes."""

NAMES: Mapping[str, str] = {
    "none": N_("none"),
    "nfc": "NFC",
    "nfd": "NFD",
    "nfkc": "NFKC",
    "nfkd": "NFKD",
    "lowercase": N_("lowercase"),
    "strip_accents": N_("strip accents"),
    "nfd_strip_accents": N_("NFD, strip accents"),
    "nfd_lowercase_strip_accents": N_("NFD, lowercase, strip accents"),
    "bert_cased": N_("BERT, cased"),
    "bert_uncased": N_("BERT, uncased"),
    "byte_level": N_("Byte level (GPT)"),
    "whitespace_split": N_("Split at white space"),
    "whitespace": N_("Words and punctuation"),
    "bert": N_("BERT"),
    "metaspace": N_("Metaspace"),
    "whitespace_split_metaspace": N_("White space, ▁ in front"),
    "whitespace_split_punctuation": N_("White space, punctuation"),
    "end_of_word": N_("White space, </w> at the end"),
    "gpt2": "GPT-2",
    "cl100k_base": "GPT-4 (cl100k_base)",
    "o200k_base": "GPT-4o (o200k_base)",
    "own": N_("a pattern of my own"),
    "corpus": N_("the symbols it has"),
    "bytes": N_("all 256 bytes"),
    "first": N_("first met (course)"),
    "lowest_ids": N_("lowest ids (tokenizers)"),
    "greatest": N_("greatest (CS336)"),
    "course": N_("course: exact losses"),
    "sentencepiece": N_("SentencePiece: EM"),
}
PRE_NONE = N_("None: a line is one stream")
SHOW_NAMES = {"letters": N_("text"), "symbols": N_("raw"), "bytes": N_("bytes")}


class Controls:
    """The settings of one page, in session state under the page's name."""

    def __init__(self, page: str, rules: Sequence[Setting] = RULES, start: str = "course") -> None:
        self.page = page
        self.rules = rules
        self.start = start
        self.complaints: list[str] = []
        """What is wrong with the settings, to be said on the page."""
        self.blocked = False
        """Whether it is so wrong that nothing can be trained."""
        arrived = st.session_state.get("arrival") == "link"
        if f"{page}.corpus" not in st.session_state or arrived or is_back():
            self._read_url()

    def key(self, name: str) -> str:
        """The session-state key of a setting."""
        return f"{self.page}.{name}"

    def __getitem__(self, name: str) -> Any:
        return st.session_state[self.key(name)]

    def default(self, setting: Setting, corpus: str) -> Any:
        """A setting's value where nothing else is said: the corpus's own, or the general one."""
        own = EXAMPLES[corpus].settings_on(self.page) if corpus in EXAMPLES else {}
        return own.get(setting.name, setting.default)

    def load_corpus_defaults(self) -> None:
        """Set the rules that make the chosen corpus's point."""
        for setting in self.rules:
            st.session_state[self.key(setting.name)] = self.default(setting, self["corpus"])

    def _read_url(self) -> None:
        state, url = st.session_state, st.query_params
        corpus = url.get("corpus", self.start)
        if corpus not in EXAMPLES and corpus not in OWN:
            self._refuse("corpus", corpus)
            corpus = self.start
        state[self.key("corpus")] = corpus
        for setting in (*self.rules, *VIEWS):
            value = self.default(setting, corpus)
            if setting.name in url:
                try:
                    value = setting.parse(url[setting.name])
                except ValueError as error:
                    self._refuse(setting.name, str(error))
            state[self.key(setting.name)] = value
        if corpus in OWN:
            text = unpack_text(url.get("text"))
            kept = text_store().get(url.get("id", ""))
            name = url.get("file", "")[:80]
            if text is None and kept is not None and corpus != "upload":
                text = kept.decode("utf-8", "replace")
            if url.get("text") and text is None:
                self.complaints.append(
                    _("The text of this link is damaged: ask for the link again, or paste the text.")
                )
            elif url.get("id") and kept is None:
                self.complaints.append(
                    _("This server does not have the text of this link any more: paste or upload it again.")
                )
            if corpus != "upload" and text is not None:
                state[self.key(f"{corpus}_text")] = text
            if corpus == "upload" and kept is not None:
                state[self.key("upload_data")] = (name, kept)

    def url(self) -> dict[str, str | None]:
        """The settings as the URL has them: the corpus, what differs from its own settings, and None for the rest."""
        corpus = self["corpus"]
        url: dict[str, str | None] = {"corpus": corpus, "text": None, "id": None, "file": None}
        for setting in (*self.rules, *VIEWS):
            value = self[setting.name]
            usual = value == self.default(setting, corpus)
            url[setting.name] = None if usual else setting.write(value)
        return url | self._own_url()

    def _own_url(self) -> dict[str, str | None]:
        corpus = self["corpus"]
        if corpus == "upload":
            name, data = st.session_state.get(self.key("upload_data"), ("", b""))
            return {"id": _kept(data), "file": name} if data else {}
        text = self.own_text() if corpus in OWN else ""
        if not text:
            return {}
        packed = pack_text(text)
        return {"text": packed} if packed else {"id": _kept(text.encode("utf-8"))}

    def own_text(self) -> str:
        """What the learner pasted or typed, with halves of UTF-16 pairs replaced, which no UTF-8 text can hold."""
        return plain_text(st.session_state.get(self.key(f"{self['corpus']}_text")))

    def in_link(self) -> bool:
        """Whether a link holds the whole corpus."""
        return self["corpus"] not in OWN or ("text" in (own := self._own_url()) and bool(own["text"]))

    # --- widgets -------------------------------------------------------------------------------------------------

    def corpus(self) -> Source | None:
        """The corpus part of the sidebar; None while there is nothing to read yet."""
        st.selectbox(
            _("Corpus"),
            (*EXAMPLES, *OWN),
            format_func=corpus_title,
            key=self.key("corpus"),
            on_change=self.load_corpus_defaults,
            persist_state="session",
        )
        corpus = self["corpus"]
        if corpus in EXAMPLES:
            example = EXAMPLES[corpus]
            st.caption(_(example.about))
            return Source(corpus, example.text().encode("utf-8"), example.counts, self["lines"])
        if corpus == "upload":
            return self._upload()
        return self._typed(corpus)

    def _typed(self, corpus: str) -> Source | None:
        label = _("Your text") if corpus == "paste" else _("Words and counts, one a line: hug 10")
        st.text_area(
            label,
            key=self.key(f"{corpus}_text"),
            height=180,
            persist_state="session",
            placeholder=_("Paste a page of text …") if corpus == "paste" else "hug 10\npug 5",
        )
        text = self.own_text()
        if not text:
            return None
        if len(text) > PASTE_LIMIT:
            message = _(
                "The text has {size} characters, and a page takes {limit}: shorten it, or upload it as a file."
            )
            self._complain(message, size=len(text), limit=PASTE_LIMIT)
            return None
        if not text.strip():
            message = _("The text is blank: its {size} characters are all white space. Give it some words.")
            self._complain(message, size=len(text))
            return None
        if "\ufffd" in text:
            message = ngettext(
                "The text holds U+FFFD {size} time: it stands for what was no character, such as half of a UTF-16 pair. "
                "If that is not meant, paste the text again from its source.",
                "The text holds U+FFFD {size} times: it stands for what was no character, such as half of a UTF-16 pair. "
                "If that is not meant, paste the text again from its source.",
                text.count("\ufffd"),
            )
            self._complain(message, size=text.count("\ufffd"))
        return Source(corpus, text.encode("utf-8"), corpus == "counts", self["lines"])

    def _upload(self) -> Source | None:
        file = st.file_uploader(
            _("A text file, or word counts as .csv or .tsv"),
            type=["txt", "csv", "tsv"],
            key=self.key("file"),
            max_upload_size=UPLOAD_LIMIT // 1_000_000,
        )
        key = self.key("upload_data")
        if file is not None:
            st.session_state[key] = (file.name, file.getvalue())
        name, data = st.session_state.get(key, ("", b""))
        if not name:
            return None
        if not data.strip():
            message = _("The file has {size} bytes and no words: choose another one.")
            self._complain(message, size=len(data))
            return None
        if file is None:
            note(_("Using {name}, uploaded before.").format(name=name))
        return Source(digest(data), data, name.lower().endswith((".csv", ".tsv")), self["lines"])

    def rules_widgets(self, source: Source | None) -> Pipeline | None:
        """The rules part of the sidebar; None when a pattern of the learner's own is broken."""
        self._choice("normalizer", _("Normalize"))
        self._choice("pre", _("Split into words"))
        if self["pre"] == "byte_level" and self._has("pattern"):
            self._byte_level_widgets()
        if source is None or not source.counts:
            self._toggle(
                "lines",
                _("Each line is a text of its own"),
                _("Off: the whole corpus is one text, line ends included."),
            )
        try:
            return Pipeline(self["normalizer"], self["pre"], self._pattern(), self._patience(source))
        except TokenizersCoreError as error:
            self.complaints.append(explained(error))
            return None

    def _byte_level_widgets(self) -> None:
        """What only the byte-level rule has: a pattern that cuts, and a choice of first symbols."""
        self._choice("pattern", _("Pattern"))
        if self["pattern"] == "own":
            st.text_input(
                _("Regular expression"),
                key=self.key("regex"),
                max_chars=PATTERN_LIMIT,
                persist_state="session",
                help=_("Each match is a word, and so is what stands between matches."),
            )
        self._choice("alphabet", _("Start from"))

    def _pattern(self) -> str:
        """The pattern, which the pipeline takes even where there is none to choose."""
        if not self._has("pattern"):
            return "gpt2"
        return (self["regex"] if self["pattern"] == "own" else self["pattern"]) or "gpt2"

    def _patience(self, source: Source | None) -> float:
        """Seconds that a pattern of the learner's own may take: a page of text is done in one."""
        return 1.5 + round(len(source.data) / 1e6, 1) if source else 1.5

    def training_widgets(self) -> None:
        """How training chooses, where it starts and stops, what is special: as much of it as the page has."""
        self._choice("ties", _("When pairs tie, merge"))
        self._choice(
            "method",
            _("Method"),
            _(
                "Course: the loss without a piece is worked out on the whole corpus. "
                "SentencePiece: EM fits the pieces' probabilities, and losses are estimated."
            ),
        )
        self._number(
            "seed",
            _("Seed vocabulary"),
            _("How many pieces training starts from: every character, and the most frequent substrings."),
        )
        self._size_widget()
        self._number("min", _("Least count of a pair"), _("Stop when the best pair occurs less often."))
        if self._has("method") and self["method"] == "course":
            self._toggle(
                "exact",
                _("Stop exactly at this size"),
                _("Off: a round removes its whole share, as the course does, and may pass the size."),
            )
        self._toggle(
            "whole",
            _("Whole words may be pieces"),
            _("Off: only substrings that are shorter than their word, as in the hug, pug example."),
        )
        st.text_input(
            _("Special tokens"),
            key=self.key("special"),
            max_chars=SPECIAL_LIMIT,
            persist_state="session",
            help=_("Separated by spaces. They come first in the vocabulary."),
        )

    def _size_widget(self) -> None:
        """Where to stop: a merging vocabulary grows to this size, a pruned one shrinks to it."""
        told, placeholder = _("Empty: merge until no pair is left."), _("until no pair is left")
        if self._has("seed"):
            told = _("Empty: prune until only the characters are left.")
            placeholder = _("until only characters are left")
        self._number("size", _("Vocabulary size"), told, placeholder)

    def _toggle(self, name: str, label: str, told: str) -> None:
        """A switch, if the page has the setting."""
        if self._has(name):
            st.toggle(label, key=self.key(name), persist_state="session", help=told)

    def _number(self, name: str, label: str, told: str, placeholder: str = "") -> None:
        """A number box, if the page has the setting; a number that can't be stops the page."""
        if not self._has(name):
            return
        st.number_input(
            label,
            value=None,
            step=1,
            key=self.key(name),
            placeholder=placeholder,
            persist_state="session",
            help=told,
        )
        # Checked here: given its limits, the widget would keep a number beyond them to itself, and say nothing.
        value, setting = self[name], self._setting(name)
        if value is not None and not setting.least <= value <= setting.most:
            message = _("{label}: {value} is not possible; choose a number from {least} to {most}.")
            self.complaints.append(
                message.format(label=label, value=count(value), least=setting.least, most=count(setting.most))
            )
            self.blocked = True

    def show_widget(self) -> None:
        """How tokens are written."""
        st.segmented_control(
            _("Write tokens"),
            SHOW,
            format_func=lambda name: _(SHOW_NAMES[name]),
            key=self.key("show"),
            help=_("As readable text, exactly as in the vocabulary file, or as bytes."),
            required=True,
            persist_state="session",
        )

    def _setting(self, name: str) -> Setting:
        return next(rule for rule in self.rules if rule.name == name)

    def _has(self, name: str) -> bool:
        """Whether the page has a setting."""
        return any(rule.name == name for rule in self.rules)

    def _choice(self, name: str, label: str, told: str | None = None) -> None:
        """A select box, if the page has the setting."""
        if not self._has(name):
            return
        st.selectbox(
            label,
            self._setting(name).choices,
            format_func=lambda choice: choice_name(name, choice),
            key=self.key(name),
            persist_state="session",
            help=told,
        )

    def say_complaints(self, source: Source | None) -> None:
        """Say on the page what is wrong; with nothing wrong and nothing to train on, say how to begin."""
        for complaint in self.complaints:
            problem(complaint)
        if source is None and not self.complaints:
            note(
                _(
                    "Paste a text, type word counts or upload a file in the sidebar, and its training appears here."
                )
            )

    def _refuse(self, name: str, value: str) -> None:
        message = _("The link says {name}={value}, which is not possible here; the usual value is used.")
        self.complaints.append(message.format(name=name, value=repr(value[:80])))

    def _complain(self, message: str, **numbers: int) -> None:
        self.complaints.append(message.format(**{name: count(number) for name, number in numbers.items()}))


@lru_cache(maxsize=16)
def _kept(data: bytes) -> str:
    """The name under which the server keeps these bytes: worked out once, for the address is written at every step."""
    return text_store().put(data)


def choice_name(setting: str, choice: str) -> str:
    """What a choice is called."""
    if setting == "pre" and choice == "none":
        return _(PRE_NONE)
    return _(NAMES[choice])


def corpus_title(name: str) -> str:
    """What a corpus is called."""
    own = {
        "paste": N_("Your own text"),
        "counts": N_("Your own word counts"),
        "upload": N_("A file of yours"),
    }
    return _(EXAMPLES[name].title if name in EXAMPLES else own[name])


def special_tokens(text: str) -> tuple[str, ...]:
    """The special tokens that a learner typed, separated by white space.

    >>> special_tokens(" <s>  </s> <s>")
    ('<s>', '</s>')
    """
    return tuple(dict.fromkeys(text.split()))
