"""Choosing tokenizers: the playground's sidebar with up to four, and the box of other pages for one, with the
same ways to add one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.patterns import PATTERNS
from tokensteps.catalogue import choices, hub, shipped
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.choices import OpenedTokenizer, TokenizerSpec
from tokensteps.catalogue.files import formats
from tokensteps.catalogue.hub import PublicTokenizer
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.messages import explained
from tokensteps.language.names import CHOICE_NAMES
from tokensteps.limits import (
    LARGEST_UPLOAD,
    PATTERN_LIMIT,
    REPOSITORY_LIMIT,
    SPECIAL_LIMIT,
)
from tokensteps.pages.explore.playground_state import chosen_specs, playground_key, replace_spec
from tokensteps.runs.algorithms import BPE
from tokensteps.runs.rules import PLAYGROUND_RULES, PLAYGROUND_SLOTS
from tokensteps.server.entrance.session_resources import session_resources
from tokensteps.shell.navigation import renew_link
from tokensteps.streamlit_internals import session_id
from tokensteps.widgets import stage
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.notes import problem

PLAYGROUND = "playground"
PUSHED_OUT = "playground.pushed_out"


def tokenizer_choice() -> list[DeltaGenerator]:
    """The select boxes for up to four tokenizers, and ways to add one; returns a place under each box for its
    step."""
    chosen, parents = chosen_specs(), []
    options = list(dict.fromkeys([*chosen, *choices.options()]))
    titles = choices.titles(options)
    with st.container():  # however many there are, what follows stays in its place, open and with the focus
        for slot in range(min(len(chosen) + 1, len(PLAYGROUND_SLOTS))):
            name = f"playground.slot.{slot}"
            st.session_state[name] = chosen[slot] if slot < len(chosen) else None
            st.selectbox(
                _("Tokenizer {letter}").format(letter=LETTERS[slot]),
                [None, *options] if slot else options,
                format_func=lambda spec: _("none") if spec is None else titles[spec],
                placeholder=_("side by side with …"),
                key=name,
                on_change=_choice_changed,
                args=(slot, name),
            )
            if slot < len(chosen):
                if text := choices.preset_of(chosen[slot]):
                    st.html(preset_html(text))
                parents.append(st.container())
    ways_to_add(PLAYGROUND, _show_first)
    _window_box()
    return parents


def _window_box() -> None:
    """The box for the size of a context window."""
    setting = next(setting for setting in PLAYGROUND_RULES if setting.name == "window")
    st.number_input(
        _(setting.label),
        min_value=setting.least,
        max_value=setting.most,
        value=None,
        step=1,
        key=playground_key("window"),
        help=_(setting.help),
        placeholder=_("tokens"),
        persist_state="session",
    )


def preset_html(preset: PublicTokenizer) -> str:
    """The main facts about a public tokenizer: its size, its origin, its licence, and its requirements."""
    tokens = ngettext("{number} token", "{number} tokens", preset.tokens).format(number=count(preset.tokens))
    facts = [tokens, *([preset.licence] if preset.licence else []), _needs(preset)]
    return f'<p class="ts preset">{escape(" · ".join(facts))}</p>'


def _needs(preset: PublicTokenizer) -> str:
    if preset.repository == shipped.REPOSITORY:
        return _("comes with this app")
    host = hub.HOST
    if preset.gated:
        message = _("{size} MB from {host}, a public copy: {original} asks you to accept its terms")
        return message.format(size=preset.megabytes, host=host, original=preset.gated)
    if preset.megabytes:
        return _("{size} MB from {host}").format(size=preset.megabytes, host=host)
    return _("from {host}").format(host=host)


def _choice_changed(slot: int, name: str) -> None:
    """Take over another choice in a select box."""
    spec, chosen = st.session_state[name], list(chosen_specs())
    chosen[slot : slot + 1] = [spec] if spec is not None else []
    st.session_state["playground.specs"] = chosen


def _show_first(spec: str) -> None:
    """Show a tokenizer in front; the others move on by one: nothing is pushed out while there is room, and
    then the page says what."""
    chosen, room = [spec, *(one for one in chosen_specs() if one != spec)], len(PLAYGROUND_SLOTS)
    st.session_state["playground.specs"] = chosen[:room]
    for one in chosen[room:]:
        st.session_state[PUSHED_OUT] = choices.title(one)


def pushed_out() -> list[str]:
    """Which tokenizer had to make room for the visitor's, told once."""
    name = st.session_state.pop(PUSHED_OUT, "")
    message = _(
        "There is room for {number} tokenizers, so {name} is no longer shown: choose it in a box to see it again."
    )
    return [message.format(number=count(len(PLAYGROUND_SLOTS)), name=name)] if name else []


# --- On every page that takes any tokenizer -----------------------------------------------------------------

Take = Callable[[str], None]
"""A page's use of the spec of a tokenizer brought by the visitor."""


def letter_box(
    analyses: Mapping[str, Analysis], label: str, key: str, container: DeltaGenerator | None = None
) -> str:
    """A box to choose one of the playground's tokenizers; returns its letter, kept under `key`: also while
    another tab is open, or the tokenizer is still on its way."""
    state, box = st.session_state, f"{key}.box"
    state[box] = state[key] if state.get(key) in analyses else next(iter(analyses))

    def take() -> None:
        state[key] = state[box]

    names = {letter: f"{letter} · {one.subject.name[:40]}" for letter, one in analyses.items()}
    choose = st.selectbox if container is None else container.selectbox
    return choose(label, list(names), format_func=names.__getitem__, key=box, on_change=take)


def tokenizer_box(page: str, name: str, label: str, first: Sequence[str] = (), none: str = "") -> str:
    """A box to choose one tokenizer, and the ways to add one; returns its spec, kept in session state as the
    page's `name`.

    `first` are offered in front; `none` names the choice of no tokenizer, "".
    """
    state, key = st.session_state, f"{page}.{name}"
    if brought := state.pop(f"{key}.brought", None):
        state[key] = brought
    chosen = choices.as_listed(str(state[key]))
    if chosen != state[key]:
        state[key] = chosen
    specs = [spec for spec in dict.fromkeys([chosen, *first, *choices.options()]) if spec]
    titles = choices.titles(specs)
    with st.container():  # with or without these facts, what follows stays in its place
        st.selectbox(
            label,
            ["", *specs] if none else specs,
            format_func=lambda spec: titles[spec] if spec else none,
            key=key,
            persist_state="session",
        )
        if text := choices.preset_of(str(state[key])):
            st.html(preset_html(text))
    ways_to_add(page, lambda spec: state.update({f"{key}.brought": spec}))
    return str(state[key])


def tokenizer_settings(page: str, name: str, parent: DeltaGenerator, subject: ShownTokenizer | None) -> None:
    """The settings of the upload in a `tokenizer_box`; nothing for other tokenizers."""
    old = str(st.session_state[f"{page}.{name}"])
    spec = TokenizerSpec.parse(old)
    if spec.kind == "file":

        def replace(new: str) -> None:
            st.session_state[f"{page}.{name}.brought"] = choices.bring_again(old, new)

        _upload_settings(f"{page}.set", 0, parent, spec, subject, replace)


def ways_to_add(page: str, take: Take) -> None:
    """Two boxes: for a tokenizer's files, and for a public one by its name."""
    with st.expander(_("Upload a tokenizer")):
        _upload_box(page, take)
    with st.expander(_("Public tokenizer by name")):
        _name_form(page, take)


def refused(page: str) -> list[str]:
    """Why a page couldn't take the visitor's tokenizer, told once."""
    text = st.session_state.pop(f"{page}.refused", "")
    return [text] if text else []


def _bring(page: str, spec: str, take: Take, message: str) -> None:
    """Take a tokenizer of the learner's; if it can't be loaded, the page stays as it is, with a message.

    `message` describes the work meanwhile, in Streamlit's Markdown.
    """
    try:
        with st.spinner(message, show_time=True):
            choices.bring(spec)
    except TokenizersCoreError as error:
        st.session_state[f"{page}.refused"] = explained(error)
    else:
        take(spec)
    st.rerun()


def _upload_box(page: str, take: Take) -> None:
    """The box for files: files chosen together are one tokenizer, and then the box is empty for the next."""
    state = st.session_state
    turn = state.setdefault(f"{page}.uploads", 0)
    files = st.file_uploader(
        _(
            "tokenizer.json, tekken.json, vocab.txt, .tiktoken, .model (SentencePiece or minbpe), or vocab.json with merges.txt (choose both at once); with tokenizer_config.json for its chat template"
        ),
        accept_multiple_files=True,
        key=f"{page}.files.{turn}",
        max_upload_size=LARGEST_UPLOAD,
    )
    if files:
        state[f"{page}.uploads"] += 1
        try:  # before they are kept: files too large would evict others
            formats.refuse_too_much({file.name: file.size for file in files})
        except TokenizersCoreError as error:
            state[f"{page}.refused"] = explained(error)
            st.rerun()
        spec = choices.upload_spec({file.name: file.getvalue() for file in files}, choices.uploads_here())
        for file in files:  # the store has them
            session_resources().drop(session_id(), file.file_id)
        size = sum(file.size for file in files) / 1_000_000
        _bring(page, spec, take, _("Reading {size} MB and indexing the tokens …").format(size=f"{size:.1f}"))


def _name_form(page: str, take: Take) -> None:
    """The form for a tokenizer's name on the public hub."""
    with st.form(f"{page}.named", border=False):
        name = text_box(
            _("Repository"), REPOSITORY_LIMIT, key=f"{page}.name", placeholder="openai-community/gpt2"
        )
        st.caption(
            _("It is downloaded from huggingface.co and kept on this server's disk. Your text stays here.")
        )
        if st.form_submit_button(_("Get it")) and name and name.strip():
            _bring(page, choices.public(name.strip()), take, _("Loading the tokenizer …"))


# --- In the playground --------------------------------------------------------------------------------------


def open_slot(slot: int, parent: DeltaGenerator) -> OpenedTokenizer | None:
    """The tokenizer in a slot; None if it can't be opened, with a message."""
    try:
        opened = stage.opened_tokenizer(chosen_specs()[slot], f"playground.build.{slot}")
        spec = choices.TokenizerSpec.parse(chosen_specs()[slot])
        if spec.kind == "file":
            subject = None if opened is None else opened.subject
            _upload_settings("playground.set", slot, parent, spec, subject, partial(_set_again, slot))
        if opened is not None and opened.last:
            step = opened.last if opened.spec.step is None else opened.spec.step
            _step_slider(slot, parent, step, opened.last)
        if opened is not None and opened.subject.algorithm == BPE.title:
            with parent:
                renew_link(chosen_specs()[slot])
    except TokenizersCoreError as error:
        problem(explained(error))
        return None
    return opened


def _set_again(slot: int, new: str) -> None:
    """Set an upload in a slot anew."""
    replace_spec(slot, choices.bring_again(chosen_specs()[slot], new))


def _upload_settings(
    key: str,
    slot: int,
    parent: DeltaGenerator,
    spec: TokenizerSpec,
    subject: ShownTokenizer | None,
    take: Take,
) -> None:
    """A learner's tokenizer: its name, and, if they are missing in its files, the pattern and the special
    tokens.

    `subject` is None if it isn't loaded, perhaps because of its settings; `take` gets the spec with other
    settings.
    """
    boxes = f"{slot}.{spec.write()}"  # another file in this slot has boxes of its own
    with parent.popover(_("Name and settings")), st.form(f"{key}.{boxes}", border=False):
        name = text_box(
            _("Name"),
            choices.TITLE_CHARACTERS,
            key=f"{key}.name.{boxes}",
            value=choices.title(spec.write()),
        )
        settings = {"name": (name or "").strip()}
        if subject is None or getattr(subject, "pattern", None) is not None:
            settings |= _pattern_boxes(key, boxes, spec)
        if st.form_submit_button(_("Apply")):
            take(spec.set(**settings).write())
            st.rerun()


def _pattern_boxes(key: str, boxes: str, spec: TokenizerSpec) -> dict[str, str]:
    """The pattern and the special tokens, for files without them."""
    pattern = spec.setting("pattern")
    usual = pattern if pattern in PATTERNS else "own" if pattern else ""
    titles = CHOICE_NAMES["pattern"]
    names = {
        "": _("as the files suggest"),
        **{name: _(titles[name]) for name in PATTERNS},
        "own": _("a regular expression"),
    }
    chosen = st.selectbox(
        _("Split into words by"),
        list(names),
        index=list(names).index(usual),
        format_func=names.__getitem__,
        key=f"{key}.pattern.{boxes}",
    )
    own = text_box(
        _("Regular expression"),
        PATTERN_LIMIT,
        key=f"{key}.own.{boxes}",
        value=pattern if usual == "own" else "",
    )
    special = text_box(
        _("Special tokens"),
        SPECIAL_LIMIT,
        key=f"{key}.special.{boxes}",
        value=spec.setting("special"),
        help=_("Separated by spaces, with an id if it isn't the next one: `<|endoftext|>=100257 <|pad|>`"),
    )
    return {"pattern": (own or "") if chosen == "own" else chosen, "special": (special or "").strip()}


def _step_slider(slot: int, parent: DeltaGenerator, step: int, last: int) -> None:
    """The slider for the tokenizer's training step."""
    name = f"playground.step.{slot}"
    if st.session_state.get(name) != min(
        step, last
    ):  # each writing takes back a key pressed while the page runs
        st.session_state[name] = min(step, last)
    parent.slider(_("After step"), 0, last, key=name, on_change=_step_changed, args=(slot, name))


def _step_changed(slot: int, name: str) -> None:
    spec = choices.TokenizerSpec.parse(chosen_specs()[slot])
    if spec.trained:  # the browser may tell of the slider when a file has taken the run's place
        replace_spec(slot, spec.at(st.session_state[name]).write())
