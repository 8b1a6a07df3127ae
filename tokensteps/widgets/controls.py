"""The sidebar of a page with a corpus: the corpus, and the widgets of its settings, listed in
`tokensteps/runs/rules.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.counting import counting_header
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.language.i18n import _, count, listed
from tokensteps.language.messages import explained
from tokensteps.language.names import ASK_NAMES, choice_name
from tokensteps.limits import PATTERN_LIMIT
from tokensteps.runs.corpora import EXAMPLES, Source
from tokensteps.runs.parallel import is_table
from tokensteps.runs.rules import KINDS_WITH, MORE_CUTS, PIECES_SPLIT, VIEWS, Setting
from tokensteps.runs.settings import Recipe
from tokensteps.widgets.boxes import too_long
from tokensteps.widgets.corpus_input import corpus_input, empty_box
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.page_state import PageState

WORD_SETTINGS = ("normalizer", "pre", "pattern", "regex", "alphabet")
"""The settings from text to words."""
TRAINING_SETTINGS = (
    "threshold",
    "transition",
    "mostwords",
    "second",
    "together",
    "recent",
    "ties",
    "method",
    "seed",
    "size",
    "min",
    "exact",
    "whole",
    "special",
)
"""The settings of training: its choices, its start and end, special tokens."""


OPTIONS = (
    "kept",
    "replace",
    "put",
    "cut",
    "cuts",
    "scripts",
    "digits",
    "longest",
    "letters",
    "coverage",
    "initial",
    "maxword",
    "bytes",
)
"""The settings of few runs."""


class Controls(PageState):
    """The settings of one page and their widgets."""

    def corpus(self) -> Source | None:
        """The corpus part of the sidebar; None while there is nothing to read yet."""
        with st.container():  # later elements keep their places, so that the browser needn't make them anew
            return corpus_input(self)

    def draw(self, *names: str) -> None:
        """Draw the widgets of these settings, in this order, if the page has them and they apply now."""
        for name in names:
            setting = self.setting(name)
            if setting is not None and self.applies(setting):
                self.draw_setting(setting)

    def draw_setting(self, setting: Setting) -> None:
        """Draw one setting's widget. A number or text beyond its limits stops the page: a widget with limits
        would silently keep such a value to itself."""
        key, label = self.key(setting.name), _(setting.label)
        text = _(setting.help) if setting.help else None
        match setting.kind:
            case "choice":
                st.selectbox(
                    label,
                    setting.choices,
                    format_func=lambda choice: choice_name(setting.name, choice),
                    key=key,
                    persist_state="session",
                    help=text,
                    on_change=self._take_split if setting.name == "kind" else None,
                )
            case "several":
                st.multiselect(
                    label,
                    setting.choices,
                    format_func=lambda choice: choice_name(setting.name, choice),
                    key=key,
                    max_selections=setting.most,
                    persist_state="session",
                    help=text,
                    on_change=self._take_bytes,
                )
                if len(self[setting.name]) < setting.least:
                    message = _("{label}: choose at least {least}.")
                    self.refuse(message.format(label=label, least=setting.least))
            case "switch":
                st.toggle(label, key=key, persist_state="session", help=text)
            case "number":
                st.number_input(
                    label,
                    value=None,
                    step=1,
                    key=key,
                    placeholder=_(setting.placeholder) if setting.placeholder else "",
                    persist_state="session",
                    help=text,
                )
                self._check_number(setting)
            case "text":
                if setting.default and not self[setting.name]:  # emptied: the usual text comes back
                    st.session_state[key] = setting.default
                st.text_input(label, key=key, persist_state="session", help=text)
                self._check_length(setting)

    def _check_number(self, setting: Setting) -> None:
        value = self[setting.name]
        if value is not None and not setting.least <= value <= setting.most:
            message = _("{label}: {value} is out of range; choose a number from {least} to {most}.")
            self.refuse(
                message.format(
                    label=_(setting.label),
                    value=count(value),
                    least=setting.least,
                    most=count(setting.most),
                )
            )

    def _check_length(self, setting: Setting) -> None:
        size = len(self[setting.name] or "")
        if size > setting.length:
            self.refuse(too_long(_(setting.label), size, setting.length))

    def rules_widgets(self, source: Source | None) -> Pipeline | None:
        """The rules part of the sidebar; None if they can't be used, with a complaint."""
        if source is not None and source.is_counted:
            pipeline = self.pipeline(source)
            if pipeline is not None:
                self._tell_counted(source, pipeline)
            return pipeline
        self.draw(*WORD_SETTINGS)
        self.lines_widget(source)
        return self.pipeline(source)

    def _tell_counted(self, source: Source, pipeline: Pipeline) -> None:
        """Say how the words in a file were counted: almost nothing is left to choose."""
        names = [pipeline.normalizer] if isinstance(pipeline.normalizer, str) else pipeline.normalizer
        text = _(
            "The words in this file are already counted. Normalized: {normalizer}. Split: {pre_tokenizer}."
        )
        normalizer = ", ".join(choice_name("normalizer", str(name)) for name in names)
        split = choice_name("pre", str(pipeline.pre_tokenizer))
        note(text.format(normalizer=normalizer, pre_tokenizer=split))
        if pipeline.byte_level:
            known = pipeline.pattern in PATTERNS
            pattern = choice_name("pattern", pipeline.pattern) if known else pipeline.pattern[:PATTERN_LIMIT]
            note(_("Pattern: {pattern}").format(pattern=pattern))
        minimum = counting_header(source.data)["minimum"]
        if minimum > 1:
            text = _("Words that occur fewer than {minimum} times are left out.")
            note(text.format(minimum=count(minimum)))
        alphabet = self.setting("alphabet")
        if pipeline.byte_level and alphabet is not None:
            self.draw_setting(alphabet)

    def lines_widget(self, source: Source | None) -> None:
        """Whether each line of the corpus is a text of its own."""
        if source is None or not source.counts:
            self.draw("lines")

    def pipeline(self, source: Source | None) -> Pipeline | None:
        """The pipeline from text to words; None if it can't be used, with a complaint."""
        if self.blocked:
            return None
        try:
            return self.chosen(self.recipe(), source)
        except TokenizersCoreError as error:
            self.complaints.append(explained(error))
            return None

    def chosen(self, recipe: Recipe, source: Source | None) -> Pipeline:
        """The pipeline of a recipe on this page. Raises the errors of `Recipe.pipeline`."""
        return recipe.pipeline(source)

    def training_widgets(self) -> None:
        """The page's settings of training: its choices, its start and end, special tokens."""
        self.draw("kind")
        if (kind := self.setting("kind")) and self[kind.name] != kind.default:
            self._tell_kind()
        self.draw(*TRAINING_SETTINGS)

    def _take_split(self) -> None:
        """Take a split fit for the kind: SentencePiece's BPE can't be trained on bytes."""
        self._fit_split(needs_bytes=False, needs_characters=self["kind"] == "sentencepiece_bpe")

    def _take_bytes(self) -> None:
        """Take a split fit for the compared runs: SuperBPE needs bytes, SentencePiece's BPE characters."""
        self._fit_split("superbpe" in self["runs"], "sentencepiece_bpe" in self["runs"])

    def _fit_split(self, needs_bytes: bool, needs_characters: bool) -> None:
        """Put a fit split in the place of the chosen one; without a need, the chosen one is back, unless
        another was chosen since."""
        state, key, replaced = st.session_state, self.key("pre"), self.key("pre_replaced")
        chosen, put = state.get(replaced, ("", ""))
        if put != state[key]:
            chosen = state[key]
        if needs_bytes:
            state[key] = "byte_level"
        elif not needs_characters:
            state[key] = chosen
        elif state[key] == "byte_level":
            state[key] = PIECES_SPLIT[0]
        state[replaced] = (chosen, state[key])

    def _tell_kind(self) -> None:
        """Name the rules of plain BPE unknown to this kind, and the reason."""
        hidden = (rule for rule in self.rules if rule.name in KINDS_WITH and not self.applies(rule))
        if self["kind"] == "sentencepiece_bpe":
            text = _(
                "SentencePiece takes characters and ▁ instead of bytes, and its own tie rule; the coverage sets the alphabet. Not there: "
                "{rules}."
            )
        else:
            text = _("As in its paper, {kind} is trained without: {rules}.")
        rules = listed(_(rule.label) for rule in hidden if rule.name != "ties")
        st.caption(text.format(kind=choice_name("kind", self["kind"]), rules=rules))

    def options_widgets(self, source: Source | None = None) -> None:
        """The page's settings of few runs: folded, unless one of them is set. Counted words can no longer be
        cut."""
        cuts = MORE_CUTS if source is not None and source.is_counted else ()
        options = [setting for name in OPTIONS if (setting := self.setting(name)) and setting not in cuts]
        if options:
            is_set = any(self[option.name] != option.default for option in options)
            with st.expander(_("More rules"), expanded=is_set):
                self.draw(*(option.name for option in options))

    def show_widget(self) -> None:
        """The choice of the tokens' form."""
        self._segments("show", "visible")

    def mode_widget(self, on_change: Callable[[], None]) -> None:
        """The choice between stepping through and predicting."""
        self._segments("mode", "collapsed", on_change)

    def _segments(
        self,
        name: str,
        visibility: Literal["visible", "collapsed"],
        on_change: Callable[[], None] | None = None,
    ) -> None:
        """A choice with all options visible."""
        setting = next(view for view in VIEWS if view.name == name)
        st.segmented_control(
            _(setting.label),
            setting.choices,
            format_func=lambda choice: choice_name(name, choice),
            key=self.key(name),
            help=_(setting.help) if setting.help else None,
            label_visibility=visibility,
            required=True,
            on_change=on_change,
            persist_state="session",
        )

    def own_text_button(self) -> None:
        """The way to a text of the learner's own; `assets/components/page.js` takes the learner to its
        box."""
        st.button(_("Your text"), key=self.key("to_own_text"), on_click=self._take_corpus, args=("paste",))

    def offer_table(self, source: Source | None) -> None:
        """For parity-aware BPE on a text without a table: the way to an example with one."""
        chosen = self.recipe().values
        kinds = (chosen.get("kind"), *chosen.get("runs", ()))
        if "paritybpe" not in kinds or source is None or is_table(source.data):
            return
        message, example = _("Take the example “{name}”"), EXAMPLES["parallel"]
        st.button(
            message.format(name=_(example.title)),
            key=self.key("to_table"),
            on_click=self._take_corpus,
            args=("parallel",),
        )

    def _take_corpus(self, corpus: str) -> None:
        if self["corpus"] != corpus:
            st.session_state[self.key("corpus")] = corpus
            self.load_corpus_defaults()

    def ask_widget(self, kinds: Sequence[str]) -> None:
        """The choice of the question about the next step: one of `kinds`."""
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

    def say_complaints(self, source: Source | None) -> None:
        """Show the complaints; without a corpus, the empty box for one, or else a note on how to begin."""
        for complaint in self.complaints:
            problem(complaint)
        if source is None and not empty_box(self) and not self.complaints:
            note(_("Upload a file in the sidebar to see its training here."))
