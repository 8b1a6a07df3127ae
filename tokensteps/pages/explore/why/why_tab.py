"""The playground's tab “Why these tokens?”: a word through the stages and the model, its lineage, and the
obstacle to another split."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import islice
from typing import Any, Final

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError, quoted
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.choices import TokenizerSpec
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.catalogue.why import Explanation, StageDone, WordStory
from tokensteps.components.address import page_address, update_url
from tokensteps.components.chips import chosen_stretch
from tokensteps.drawing.encoding import encoding_frame, match_frame
from tokensteps.drawing.frame import WHOLE_RUN, Frame
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.pipeline.why import (
    SPACED_TEXT,
    StageRow,
    lineages,
    lineages_html,
    reason_html,
    stages_html,
)
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import N_, _, count
from tokensteps.language.messages import explained
from tokensteps.language.names import choice_name
from tokensteps.limits import PIPELINE_LIMIT, WHY_LIMIT, WHY_SPLIT_LIMIT, WHY_WORD
from tokensteps.pages.explore.playground_state import chosen_specs, playground_url, playground_value
from tokensteps.pages.explore.why.why_splits import Cuttable, costliest, word_at, words_in
from tokensteps.pages.explore.why.why_state import (
    NTH_LINKED,
    WHY_TAB,
    ask_about,
    note_tab,
    set_why,
    to_be_shown,
    why_url,
    why_value,
)
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.settings import invalid_here
from tokensteps.server.stores import digest
from tokensteps.widgets.boxes import too_long
from tokensteps.widgets.downloads import show_address
from tokensteps.widgets.notes import lasting, note, problem
from tokensteps.widgets.stage import small_book

WHOLE_LATTICE_SENT: Final = 32
"""A search through a lattice with fewer steps is sent in one piece: the frames of long words are large."""


def why_tab(analyses: Mapping[str, Analysis]) -> None:
    """One word: its choice, and everything about its tokens."""
    note_tab(WHY_TAB)
    st.caption(
        _(
            "Choose a word, type one, or click a token above: you see each step of its encoding, and what would have stopped any other split."
        )
    )
    _ask_and_tell(analyses)
    chosen_stretch("playground.why.chosen", _remember, to_be_shown())  # last: the part to scroll to is there


def _ask_and_tell(analyses: Mapping[str, Analysis]) -> None:
    """The question, and the whole answer."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        letter = choose_tokenizer(analyses)
        analysis = analyses[letter]
        word = choose_word(analysis)
        choice = st.container(width="stretch")  # if the text is split into several words
    for text in refused_texts():
        problem(text)
    if not word:
        note(_("There is no word yet: type one."))
        return
    subject = analysis.subject
    try:
        wanted = subject.why(word, why_value("nth"), playground_value("specials"))
        check_nth(wanted, letter)
        style = subject.style._replace(show="spaces")
        if len(wanted.words) > 1:
            with choice:
                choose_among(wanted, style)
        _show_stages(word, wanted, subject, style)
        if wanted.story is None:
            _why_no_story(wanted, subject)
            return
        split = _why_not(word, wanted.story, subject, style)
        _steps(letter, wanted.story, style)
        _lineage(wanted.story, style)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    _link(word, split, letter)


# --- The question -------------------------------------------------------------------------------------------


def choose_tokenizer(analyses: Mapping[str, Analysis]) -> str:
    """The letter of the tokenizer: a choice if there are several."""
    state, key, first = st.session_state, "playground.why.whose", next(iter(analyses))
    chosen = why_value("by") if why_value("by") in analyses else first
    if len(analyses) == 1:
        return first
    names = {letter: f"{letter} · {one.subject.name[:40]}" for letter, one in analyses.items()}
    state[key] = chosen
    st.selectbox(
        _("Tokenizer"),
        list(names),
        format_func=names.__getitem__,
        key=key,
        on_change=lambda: set_why(by="" if state[key] == first else state[key]),
        width=260,
    )
    return str(chosen)


def choose_word(analysis: Analysis) -> str:
    """The word: one of the text's, or any other; at first the one with the most tokens."""
    state, key = st.session_state, "playground.why.word"
    text = analysis.text[:PIPELINE_LIMIT]
    words = words_in(text, analysis.subject.style.byte_level)
    if stretch := state.pop("playground.why.stretch", None):
        ask_about(word_at(words, analysis.text, *stretch))
        update_url(why_url())
    word = str(why_value("why")) or costliest(words, list(islice(analysis.offsets, PIPELINE_LIMIT)))
    state[key] = word or None

    def take() -> None:
        typed = plain_text(state[key]).replace("␣", " ")
        if len(typed) > WHY_LIMIT:
            _not_taken(N_("Word"), len(typed), WHY_LIMIT)
        else:
            ask_about(typed)

    st.selectbox(
        _("Word"),
        list(dict.fromkeys([*([word] if word else []), *words])),
        format_func=lambda one: readable(one, SPACED_TEXT),
        accept_new_options=True,
        key=key,
        on_change=take,
        placeholder=_("Type a word …"),
        width=260,
    )
    return word


def _remember(start: int, end: int) -> None:
    """Remember the chosen stretch of the text until its word is known."""
    st.session_state["playground.why.stretch"] = start, end


def _not_taken(label: str, size: int, limit: int) -> None:
    """Remember that a typed text was too long, until the page is drawn in its language."""
    st.session_state["playground.why.refused"] = label, size, limit


def refused_texts() -> list[str]:
    """Why the typed text couldn't be taken, told once."""
    narration = st.session_state.pop("playground.why.refused", None)
    return [] if narration is None else [too_long(_(narration[0]), *narration[1:])]


def check_nth(explanation: Explanation, letter: str) -> None:
    """Forget the number of a word that there isn't, and complain if a link has it. A tokenizer may be still
    on its way, with another in its place."""
    state, nth, complaints = st.session_state, why_value("nth"), []
    if letter == (why_value("by") or LETTERS[0]):
        linked = state.pop(NTH_LINKED, None)
        if nth >= len(explanation.words):
            complaints = [invalid_here("nth", str(nth))] if linked == nth else []
            set_why(nth=-1)
            update_url(why_url())
    for text in lasting("playground.why", complaints, (why_value("why"), why_value("nth"), letter)):
        problem(text)


def choose_among(explanation: Explanation, style: Style) -> None:
    """The choice among the words of a text before the model."""
    state, key = st.session_state, "playground.why.which"
    state[key] = explanation.nth
    st.selectbox(
        _("It is split into {number} words first").format(number=count(len(explanation.words))),
        range(len(explanation.words)),
        format_func=lambda index: readable(explanation.words[index], style)[:80],
        key=key,
        on_change=lambda: set_why(nth=state[key], split=""),
        width=260,
    )


# --- The answer ---------------------------------------------------------------------------------------------


def _show_stages(text: str, explanation: Explanation, subject: ShownTokenizer, style: Style) -> None:
    rows = [_row(one, explanation.foreign) for one in explanation.stages]
    tokens = explanation.story.tokens if explanation.story else ()
    model = StageRow(subject.algorithm, _("model"), tokens)
    st.html(stages_html(text, rows, model, style))
    if explanation.foreign:
        st.caption(
            _(
                "The stages before the model are the tokenizers library's own; the model's steps follow the merges, the vocabulary and the scores in the file."
            )
        )
    if explanation.story and explanation.story.library:
        message = _("The tokenizers library makes other tokens of this word: {tokens}.")
        note(message.format(tokens=" · ".join(readable(one, style) for one in explanation.story.library)))


def _row(done: StageDone, foreign: bool) -> StageRow:
    """A stage in words."""
    in_bytes = done.name in ("ByteLevel", "byte_level")
    if done.stage == "added":
        return StageRow(_("Added tokens"), _("found first"), done.texts)
    kind = _("normalizer") if done.stage == "normalizer" else _("pre-tokenizer")
    if foreign:
        name = _("compiled character map") if done.name == "Precompiled" else done.name
    else:
        name = choice_name("normalizer" if done.stage == "normalizer" else "pre", done.name)
    return StageRow(name, kind, done.texts, in_bytes)


def _why_no_story(explanation: Explanation, subject: ShownTokenizer) -> None:
    """Why there are no steps."""
    if not explanation.words:
        note(_("Nothing of this text is left for the model."))
    elif explanation.lacking is not None and subject.algorithm == "WordLevel":
        note(
            _("A WordLevel model has one token for a whole word, or none: there is nothing to step through.")
        )
    elif explanation.lacking is not None:
        note(explained(explanation.lacking))
    elif len(explanation.words[explanation.nth]) > WHY_WORD:
        message = _("For the model, this word has {number} symbols; up to {limit} are stepped through.")
        note(message.format(number=count(len(explanation.words[explanation.nth])), limit=count(WHY_WORD)))
    else:
        message = _(
            "{token} is an added token: it is found in the text before everything else, and never split."
        )
        note(message.format(token=quoted(explanation.words[explanation.nth])))


def _why_not(word: str, story: WordStory, subject: ShownTokenizer, style: Style) -> str:
    """Another split, chosen or typed, and its obstacle; returns the split."""
    state, key = st.session_state, "playground.why.other"
    cuttable = Cuttable(story, subject.style.byte_level)
    offered = cuttable.offered(frozenset(subject.all_tokens()))
    if not offered:
        return ""
    split = str(why_value("split")) or offered[0]
    st.header(_("Why not otherwise?"), anchor=False)
    state[key] = split

    def take() -> None:
        typed = plain_text(state[key])
        if len(typed) > WHY_SPLIT_LIMIT:
            _not_taken(N_("Another split"), len(typed), WHY_SPLIT_LIMIT)
        else:
            set_why(why=word, split=typed)

    st.selectbox(
        _("Another split: choose one, or type it with a space at each cut"),
        list(dict.fromkeys([split, *offered])),
        accept_new_options=True,
        key=key,
        on_change=take,
    )
    tokens = cuttable.read(split)
    if tokens:
        reason = subject.why_not(story.word, tokens)
        st.html(reason_html(tokens, reason, style, subject.unknown_token))
    else:
        message = _("{split} doesn't make {word}: write all of its characters, with a space at each cut.")
        problem(message.format(split=quoted(split), word=quoted(cuttable.shown)))
    if story.by_id:
        st.caption(
            _("This file ranks tokens, not merges: a merge's rank is the id of the token that it makes.")
        )
    return split


def _steps(letter: str, story: WordStory, style: Style) -> None:
    """The word's encoding on the flipbook."""
    st.header(_("Step by step"), anchor=False)
    if story.whole:
        note(_("The word is a token itself, and this tokenizer takes such words whole: nothing is merged."))
        return
    if not len(story.steps):
        note(
            _("For this model, the word is a single symbol: there is nothing to merge.")
            if len(story.tokens) == 1
            else _("No merge of this tokenizer fits this word: its symbols stay as they are.")
        )
        return
    if story.steps.stop_reason == "cut":
        note(
            _("Only the first {number} steps of this word are shown.").format(number=count(len(story.steps)))
        )
    spec = chosen_specs()[LETTERS.index(letter)]
    small_book(
        "playground.why.book",
        digest(repr((spec, story.word, story.tokens)).encode("utf-8", "replace")),
        len(story.steps),
        partial(_frame, story, style),
        whole=WHOLE_LATTICE_SENT if story.algorithm == "unigram" else WHOLE_RUN,
        title=_("Step by step"),
    )


def _frame(story: WordStory, style: Style, step: int) -> Frame:
    snapshot: Any = story.steps[step]
    match story.algorithm:
        case "bpe":
            return encoding_frame(snapshot, style, by_rank=True)
        case "pickybpe":
            return encoding_frame(snapshot, style)  # removals have steps, but no ranks
        case "wordpiece":
            return match_frame(snapshot, style)
        case _:
            return lattice_frame(snapshot, style)


def _lineage(story: WordStory, style: Style) -> None:
    """The lineage of BPE's tokens."""
    trees = lineages(story.symbols, story.joins, story.prefix)
    if not any(tree.parts for tree in trees) or (story.whole and len(trees) > 1):
        return
    st.header(_("Lineage, with the ranks of the merges"), anchor=False)
    st.html(lineages_html(trees, style))


def _link(word: str, split: str, letter: str) -> None:
    """The address of this view, for somebody else."""
    nth = why_value("nth")
    values = {**playground_url(), "why": word, "split": split or None, "by": why_value("by") or None}
    values["nth"] = None if nth < 0 else str(nth)
    st.header(_("Link to this answer"), anchor=False)
    show_address(page_address(values))
    if TokenizerSpec.parse(chosen_specs()[LETTERS.index(letter)]).kind == "file":
        note(_("Only this server remembers an uploaded tokenizer, and only for a while."))
