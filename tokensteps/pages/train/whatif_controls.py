"""The settings of the page “What if”: the run, its one change, a text of one's own; in session state and in
the address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from tokenizers_core.counterfactual.tipping import at_play
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.catalogue import choices
from tokensteps.catalogue.choices import SpecError, TokenizerSpec
from tokensteps.components.address import is_back
from tokensteps.drawing.tokens import readable
from tokensteps.drawing.whatif import style_of
from tokensteps.language.i18n import N_, _, count
from tokensteps.language.names import choice_name
from tokensteps.language.numbers import read_whole
from tokensteps.limits import COUNT_LIMIT, FIND_LIMIT, WORDS_LISTED
from tokensteps.runs.algorithms import ALGORITHMS, Run
from tokensteps.runs.changes import ADD, COUNT, DOUBLE, Change, documents, rules_to_change
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.kinds import WITH_TEXTS
from tokensteps.runs.rules import Setting
from tokensteps.runs.settings import Recipe, invalid_here, read_short, read_url, write_short
from tokensteps.streamlit_internals import text_in_browser
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.notes import lasting, note, problem

WHATIF_PAGE: Final = "whatif"
FIRST_RUN: Final = "bpe?corpus=hug&size=11"
"""The page's first run: small enough to follow with pencil and paper, and too small to make every word a
token."""
STARTERS: Final = (
    *(f"{name}?corpus={corpus}" for corpus in ("hug", "course") for name in ALGORITHMS),
    *(f"bpe?corpus={corpus}" for corpus in ("phrases", "scaffolding", "parallel")),
)
"""Runs on offer at all times."""
KINDS: Final[Mapping[str, str]] = {
    COUNT: N_("How often a word occurs"),
    ADD: N_("A word comes in"),
    DOUBLE: N_("A line is there twice"),
}
LINE_SHOWN: Final = 60
"""Characters of a line in the box for choosing one."""


class WhatIfControls:
    """The page's settings and their widgets."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        if reads_address(self.key("t1") not in st.session_state):
            self._read_url(st.query_params.to_dict())

    def _read_url(self, url: Mapping[str, str]) -> None:
        state = st.session_state
        state[self.key("t1")] = url.get("t1", FIRST_RUN)
        state[self.key("what")] = url.get("what", COUNT)
        state[self.key("linked")] = {name: url[name] for name in ("what", "of", "to") if name in url}
        usual = "" if is_back() else state.get(self.key("a"), "")
        if (held := text_in_browser(self.key("a"))) is None:
            held = read_short(url["a"]) if "a" in url else usual
        if held is None:
            self.complaints.append(
                _("The text of this link is lost: ask for the link again, or paste the text.")
            )
        state[self.key("a")] = plain_text(held)

    def key(self, name: str) -> str:
        """A widget's key, the page's own."""
        return f"{WHATIF_PAGE}.{name}"

    # --- the run --------------------------------------------------------------------------------------------

    @property
    def spec(self) -> TokenizerSpec:
        """The run as it is. Raises SpecError for anything but a run trained here."""
        spec = TokenizerSpec.parse(st.session_state[self.key("t1")])
        if not spec.trained:
            raise SpecError("unknown", spec.write())
        return spec

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the run's own page, the step left out."""
        return {name: text for name, text in self.spec.query.items() if name != "step"}

    @property
    def run(self) -> Run[AnyTrace]:
        """The run as it is. Raises the errors of `TokenizerSpec.run`."""
        return self.spec.run()

    @property
    def recipe(self) -> Recipe:
        """The run's ingredients."""
        spec = self.spec
        return read_url(spec.kind, ALGORITHMS[spec.kind].rules, spec.query).recipe

    def run_widget(self) -> None:
        """Choose the run: one of this session's, or one of the fixed ones."""
        chosen = st.session_state[self.key("t1")]
        here = [spec for spec in choices.runs_here() if TokenizerSpec.parse(spec).trained]
        specs = list(dict.fromkeys([chosen, *here, *STARTERS]))
        titles = choices.titles(specs)
        st.selectbox(
            _("The run"),
            specs,
            format_func=lambda spec: titles[spec],
            key=self.key("t1"),
            persist_state="session",
        )

    # --- the change -----------------------------------------------------------------------------------------

    def change_widgets(self, ours: AnyTrace, many: Callable[[str], bool]) -> Change | None:
        """Choose the change; None while it is incomplete. `many` says whether all counts of a word are shown
        at once."""
        change = self._choose(ours, many)
        for text in lasting(WHATIF_PAGE, self.complaints, change):
            problem(text)
        return change

    def _complain(self, name: str, value: str | None) -> None:
        """Say that this parameter of the link is dropped; nothing of a missing one."""
        if value:
            self.complaints.append(invalid_here(name, value))

    def _choose(self, ours: AnyTrace, many: Callable[[str], bool]) -> Change | None:
        run, recipe = self.run, self.recipe
        rules = {rule.name: rule for rule in rules_to_change(recipe)}
        lines = documents(run.source)
        counted = run.settings.get("kind") not in WITH_TEXTS
        kinds = [*([COUNT, ADD] if counted else []), *([DOUBLE] if lines else []), *rules]
        linked = st.session_state.pop(self.key("linked"), {})
        of, to = linked.get("of"), linked.get("to")
        word = read_short(of or "")
        if st.session_state[self.key("what")] not in kinds:
            self._complain("what", linked.get("what"))
            st.session_state[self.key("what")] = COUNT if counted else "kind"
        left, right = st.columns([2, 3])
        what = left.selectbox(
            _("What is changed"),
            kinds,
            format_func=lambda kind: _(KINDS[kind] if kind in KINDS else rules[kind].label),
            key=self.key("what"),
            persist_state="session",
        )
        with right:
            match what:
                case "count":
                    if of and word not in ours.corpus.words[:WORDS_LISTED]:
                        self._complain("of", of)
                        to = None  # it was for that word
                    return self._count(ours, word, to, many)
                case "add":
                    if word is None:
                        self._complain("of", of)
                    return self._add(word, to)
                case "double":
                    return self._double(lines, of)
            return self._rule(rules[what], recipe, to)

    def _count(self, ours: AnyTrace, of: str | None, to: str | None, many: Callable[[str], bool]) -> Change:
        words = ours.corpus.words[:WORDS_LISTED]
        key, style = self.key("word"), style_of(ours, "spaces")
        if of in words or st.session_state.get(key) not in words:
            played = at_play(ours, min(1, len(ours)), len(words))
            st.session_state[key] = (
                of if of in words else next((word for word in played if word in words), words[0])
            )
        word = str(
            st.selectbox(
                _("Word"),
                words,
                format_func=lambda word: (
                    f"{readable(word, style)[:80]}  × {count(ours.word_frequencies[word])}"
                ),
                key=key,
                persist_state="session",
            )
        )
        if many(word):
            return Change(COUNT, word)
        number = ours.word_frequencies[word]
        return Change(
            COUNT, word, self._number("times", _("Occurs instead"), to, 2 * number, len(words) == 1)
        )

    def _number(self, name: str, label: str, to: str | None, usual: int, least: int) -> int:
        """A whole number up to the greatest count; `to` is the link's value."""
        key = self.key(name)
        linked = read_whole(to)
        if linked is not None and least <= linked <= COUNT_LIMIT:
            st.session_state[key] = linked
        else:
            self._complain("to", to)
        if st.session_state.get(key) is None:
            st.session_state[key] = min(usual, COUNT_LIMIT)
        return int(st.number_input(label, least, COUNT_LIMIT, step=1, key=key, persist_state="session"))

    def _add(self, of: str | None, to: str | None) -> Change | None:
        if of:
            st.session_state[self.key("new")] = plain_text(of)
        text = text_box(_("Word that comes in"), FIND_LIMIT, key=self.key("new"), persist_state="session")
        times = self._number("new_times", _("How often"), to, 10, 1)
        if not (text or "").strip():
            note(_("Type a word that comes in."))
            return None
        return Change(ADD, str(text), times)

    def _double(self, lines: list[str], of: str | None) -> Change:
        key, numbers = self.key("line"), list(range(1, 1 + len(lines[:WORDS_LISTED])))
        if (linked := read_whole(of)) in numbers:
            st.session_state[key] = linked
        else:
            self._complain("of", of)
        if st.session_state.get(key) not in numbers:
            st.session_state[key] = 1
        line = st.selectbox(
            _("Line"),
            numbers,
            format_func=lambda number: f"{number}: {lines[number - 1][:LINE_SHOWN]}",
            key=key,
            persist_state="session",
        )
        return Change(DOUBLE, str(line))

    def _rule(self, rule: Setting, recipe: Recipe, to: str | None) -> Change | None:
        """The other value of a rule."""
        now, key = recipe[rule.name], self.key(f"to.{rule.name}")
        linked = None
        if to is not None:
            try:
                linked = rule.parse(to)
            except ValueError:
                self._complain("to", to)
            same = linked is not None and linked in (now, "own")
            if same and rule.kind in ("switch", "choice"):  # no change, or none without a pattern
                self._complain("to", to)
        if rule.kind == "switch":
            message = _("{label}: now off, what if on") if not now else _("{label}: now on, what if off")
            st.caption(message.format(label=_(rule.label)))
            return Change(rule.name, to=not now)
        if rule.kind == "choice":
            others = [choice for choice in rule.choices if choice not in (now, "own")]
            if linked in others or st.session_state.get(key) not in others:
                st.session_state[key] = linked if linked in others else others[0]
            chosen = st.selectbox(
                _("Instead of {choice}").format(choice=choice_name(rule.name, now)),
                others,
                format_func=lambda choice: choice_name(rule.name, choice),
                key=key,
                persist_state="session",
            )
            return Change(rule.name, to=chosen)
        if rule.kind == "text":
            if linked:
                st.session_state[key] = linked
            text = text_box(_(rule.label), rule.length, key=key, persist_state="session")
            if text == "":
                note(_("Type another value for “{label}”.").format(label=_(rule.label)))
            return Change(rule.name, to=text) if text else None
        if linked is not None:
            st.session_state[key] = linked
        elif st.session_state.get(key) is None:
            st.session_state[key] = min(rule.most, 2 * (now or rule.default or 100))
        number = st.number_input(
            _(rule.label), rule.least, rule.most, step=1, key=key, persist_state="session"
        )
        return Change(rule.name, to=int(number))

    # --- the address ----------------------------------------------------------------------------------------

    def url(self, change: Change | None = None) -> dict[str, str | None]:
        """The settings in the address's form; None for the usual values."""
        state = st.session_state
        run, text = state[self.key("t1")], plain_text(state.get(self.key("a"), ""))
        what = change.what if change else state.get(self.key("what"), COUNT)
        url: dict[str, str | None] = {
            "t1": None if run == FIRST_RUN else run,
            "what": None if what == COUNT else what,
            "of": None,
            "to": None,
            "a": write_short(text) if text else None,
        }
        if change is None:
            return url
        value = change.to
        url["of"] = write_short(change.of) if change.of else None
        url["to"] = None if value is None else str(int(value)) if isinstance(value, bool) else str(value)
        return url
