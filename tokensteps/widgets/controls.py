"""The sidebar of a training page: corpus and rules, each in session state under ``<page>.<name>`` and in the URL.

The URL is read when a session begins and after Back or Forward; from then on session state is the truth, and what
differs from the corpus's own settings is written to the URL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.counting import counting_header
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.drawing.tokens import SHOW
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.messages import explained
from tokensteps.language.names import choice_name
from tokensteps.limits import PASTE_LIMIT, PATTERN_LIMIT, UPLOAD_LIMIT
from tokensteps.runs.corpora import EXAMPLES, OWN, Source, plain_text
from tokensteps.runs.rules import BPE_RULES, MODES, VIEWS, Setting
from tokensteps.runs.settings import Recipe, corpus_title, read_short, read_url, usual_value
from tokensteps.streamlit_internals import text_in_browser
from tokensteps.teaching.predictions import ASK_NAMES
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.boxes import too_long
from tokensteps.widgets.notes import lasting, note, problem


class Controls:
    """The settings of one page, in session state under the page's name."""

    def __init__(self, page: str, rules: Sequence[Setting] = BPE_RULES, start: str = "course") -> None:
        self.page = page
        self.rules = rules
        self.start = start
        self.complaints: list[str] = []
        """What is wrong with the settings, to be said on the page."""
        self.blocked = False
        """Whether it is so wrong that nothing can be trained."""
        if reads_address(f"{page}.corpus" not in st.session_state):
            self._read_url()
        self.complaints = lasting(page, self.complaints, self.recipe())

    def key(self, name: str) -> str:
        """The session-state key of a setting."""
        return f"{self.page}.{name}"

    def __getitem__(self, name: str) -> Any:
        return st.session_state[self.key(name)]

    def load_corpus_defaults(self) -> None:
        """Set the rules that make the chosen corpus's point."""
        for setting in self.rules:
            st.session_state[self.key(setting.name)] = usual_value(self.page, self["corpus"], setting)

    def _read_url(self) -> None:
        state = st.session_state
        recipe, complaints = read_url(self.page, self.rules, st.query_params.to_dict(), self.start)
        self.complaints += complaints
        for name, value in recipe.values.items():
            state[self.key(name)] = value
        box = self.key(f"{recipe['corpus']}_text")
        if recipe.text and text_in_browser(box) is None:
            state[box] = recipe.text
        if recipe.file[1]:
            state[self.key("upload_data")] = recipe.file

    def short(self, name: str, url: Mapping[str, str], usual: str) -> str:
        """A text of the page's own: in the browser, if a page outlived its session, or in a URL; `usual` without one, or where
        it is lost, which is complained of."""
        text = text_in_browser(self.key(name))
        if text is None:
            text = read_short(url[name]) if name in url else usual
        if text is None:
            self.complaints.append(
                _("The text of this link is lost: ask for the link again, or paste the text.")
            )
        return usual if text is None else text

    def recipe(self) -> Recipe:
        """What the sidebar says."""
        names = ("corpus", *(setting.name for setting in (*self.rules, *VIEWS)))
        file = st.session_state.get(self.key("upload_data"), ("", b""))
        return Recipe(self.page, self.rules, {name: self[name] for name in names}, self.own_text(), file)

    def url(self) -> dict[str, str | None]:
        """The settings as the URL has them."""
        return self.recipe().url()

    def own_text(self) -> str:
        """What the learner pasted or typed, with halves of UTF-16 pairs replaced, which no UTF-8 text can hold."""
        return plain_text(st.session_state.get(self.key(f"{self['corpus']}_text")))

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
            st.caption(_(EXAMPLES[corpus].about))
            return self.recipe().source()
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
        return self.recipe().source()

    def _upload(self) -> Source | None:
        file = st.file_uploader(
            _("A text file, or word counts as .csv or .tsv"),
            type=["txt", "csv", "tsv"],
            key=self.key("file"),
            max_upload_size=UPLOAD_LIMIT // 1_000_000,
            help=_(
                "For a larger text, upload the word counts that `python -m tokensteps count` makes of it."
            ),
        )
        key = self.key("upload_data")
        if file is not None and file.size > UPLOAD_LIMIT:  # the browser counts in larger megabytes
            message = _(
                "The file has {size} bytes, and a page takes {limit}: upload a part of it, or its word counts."
            )
            self._complain(message, size=file.size, limit=UPLOAD_LIMIT)
            file = None
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
        return self.recipe().source()

    def rules_widgets(self, source: Source | None) -> Pipeline | None:
        """The rules part of the sidebar; None when they can't be used, which is complained of."""
        if source is not None and source.is_counted:
            pipeline = self.pipeline(source)
            if pipeline is not None:
                self._counted_widgets(source, pipeline)
            return pipeline
        self.cutting_widgets()
        self.lines_widget(source)
        return self.pipeline(source)

    def _counted_widgets(self, source: Source, pipeline: Pipeline) -> None:
        """What a file says of how its words were counted: there is nothing to choose."""
        names = [pipeline.normalizer] if isinstance(pipeline.normalizer, str) else pipeline.normalizer
        told = _("The words in this file are counted. Normalized: {normalizer}. Split: {pre_tokenizer}.")
        normalizer = ", ".join(choice_name("normalizer", name) for name in names)
        split = choice_name("pre", pipeline.pre_tokenizer)
        note(told.format(normalizer=normalizer, pre_tokenizer=split))
        if pipeline.byte_level:
            known = pipeline.pattern in PATTERNS
            pattern = choice_name("pattern", pipeline.pattern) if known else pipeline.pattern[:PATTERN_LIMIT]
            note(_("Pattern: {pattern}").format(pattern=pattern))
        minimum = counting_header(source.data)["minimum"]
        if minimum > 1:
            told = _("Words that occur fewer than {minimum} times are not in it.")
            note(told.format(minimum=count(minimum)))
        if pipeline.byte_level:
            self._choice("alphabet", _("Start from"))

    def cutting_widgets(self) -> None:
        """How text becomes words."""
        self._choice("normalizer", _("Normalize"))
        self._choice("pre", _("Split into words"))
        if self["pre"] == "byte_level" and self._has("pattern"):
            self._byte_level_widgets()

    def lines_widget(self, source: Source | None) -> None:
        """What a text of the corpus is."""
        if source is None or not source.counts:
            self._toggle(
                "lines",
                _("Each line is a text of its own"),
                _("Off: the whole corpus is one text, line ends included."),
            )

    def pipeline(self, source: Source | None) -> Pipeline | None:
        """From text to words; None when that can't be done, which is complained of."""
        if self.blocked:
            return None
        try:
            return self.chosen(self.recipe(), source)
        except TokenizersCoreError as error:
            self.complaints.append(explained(error))
            return None

    def chosen(self, recipe: Recipe, source: Source | None) -> Pipeline:
        """The pipeline that a recipe stands for on this page. Raises what `Recipe.pipeline` raises."""
        return recipe.pipeline(source)

    def _byte_level_widgets(self) -> None:
        """What only the byte-level rule has: a pattern that cuts, and a choice of first symbols."""
        self._choice("pattern", _("Pattern"))
        if self["pattern"] == "own":
            st.text_input(
                _("Regular expression"),
                key=self.key("regex"),
                persist_state="session",
                help=_("Each match is a word, and so is what stands between matches."),
            )
            self._check_length("regex", _("Regular expression"))
        self._choice("alphabet", _("Start from"))

    def training_widgets(self) -> None:
        """How training chooses, where it starts and stops, what is special: as much of it as the page has."""
        together = self._has("ties") and self._has("method")  # merging and pruning on one page
        self._choice("ties", _("When pairs tie, merge"))
        self._choice(
            "method",
            _("Unigram's method") if together else _("Method"),
            _(
                "Course: the loss without a piece is worked out on the whole corpus. "
                "SentencePiece: EM fits the pieces' probabilities, and losses are estimated."
            ),
        )
        self._number(
            "seed",
            _("Unigram's seed vocabulary") if together else _("Seed vocabulary"),
            _("How many pieces training starts from: every character, and the most frequent substrings."),
            _("4 × the largest") if together else "",
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
        if self._has("special"):
            st.text_input(
                _("Special tokens"),
                key=self.key("special"),
                persist_state="session",
                help=_("Separated by spaces. They come first in the vocabulary."),
            )
            self._check_length("special", _("Special tokens"))

    def _size_widget(self) -> None:
        """Where to stop: a merging vocabulary grows to this size, a pruned one shrinks to it."""
        told, placeholder = _("Empty: merge until no pair is left."), _("until no pair is left")
        if self._has("seed") and self._has("ties"):
            self._number("size", _("Largest vocabulary"), told, placeholder)
            return
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

    def _check_length(self, name: str, label: str) -> None:
        """A text that is longer than its setting may be stops the page."""
        size, limit = len(self[name] or ""), self._setting(name).length
        if size > limit:
            self.complaints.append(too_long(label, size, limit))
            self.blocked = True

    def show_widget(self) -> None:
        """How tokens are written."""
        st.segmented_control(
            _("Write tokens"),
            SHOW,
            format_func=lambda name: choice_name("show", name),
            key=self.key("show"),
            help=_("As readable text, exactly as in the vocabulary file, or as bytes."),
            required=True,
            persist_state="session",
        )

    def mode_widget(self, on_change: Callable[[], None]) -> None:
        """Whether the steps are shown, or to be found out first."""
        st.segmented_control(
            _("Mode"),
            MODES,
            format_func=lambda mode: choice_name("mode", mode),
            key=self.key("mode"),
            label_visibility="collapsed",
            required=True,
            on_change=on_change,
            persist_state="session",
        )

    def ask_widget(self, kinds: Sequence[str]) -> None:
        """What is asked about the next step: one of `kinds`."""
        if self["ask"] not in kinds:
            st.session_state[self.key("ask")] = kinds[0]
        st.selectbox(
            _("Ask"),
            kinds,
            format_func=lambda kind: _(ASK_NAMES[kind]),
            key=self.key("ask"),
            persist_state="session",
            label_visibility="collapsed",
            width=230,
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

    def _complain(self, message: str, **numbers: int) -> None:
        self.complaints.append(message.format(**{name: count(number) for name, number in numbers.items()}))
