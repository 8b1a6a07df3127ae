"""The playground: type or paste a text, see its tokens by one tokenizer or by several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tokenizers_core.errors import Phrase, TokenizersCoreError
from tokensteps.catalogue import choices, side_by_side
from tokensteps.catalogue.analysis import Analysis, analyse, interpret_escapes
from tokensteps.catalogue.choices import READY, Opened
from tokensteps.catalogue.files import formats
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.catalogue.subjects import Facts, Subject
from tokensteps.catalogue.texts import TEXTS
from tokensteps.components.address import is_back, page_address, update_url
from tokensteps.components.chips import linked_chips
from tokensteps.components.editor import as_typed, editor
from tokensteps.drawing.chips import Shown, TextRun, chips_message
from tokensteps.drawing.tokens import chip, fill, token_html
from tokensteps.language.glossary import lead_html
from tokensteps.language.i18n import N_, _, count, current_language, ngettext, use_language
from tokensteps.language.messages import explained
from tokensteps.limits import (
    CARDS_KEPT,
    DRAFTS_KEPT,
    LARGEST_UPLOAD,
    NORMALIZED_LIMIT,
    PACK_LIMIT,
    PLAYGROUND_LIMIT,
    REPOSITORY_LIMIT,
)
from tokensteps.pages.explore.playground_charts import counts_chart, languages_chart
from tokensteps.pages.explore.playground_files import counts_html, tokens_csv, tokens_html, tokens_json
from tokensteps.runs.corpora import pack_text, plain_text
from tokensteps.runs.rules import PLAYGROUND_RULES, PLAYGROUND_SLOTS
from tokensteps.runs.settings import read_setting, read_text
from tokensteps.server.shelf import Shelf
from tokensteps.server.stores import digest, text_store
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.downloads import download
from tokensteps.widgets.notes import lasting, note, problem, show_rows
from tokensteps.widgets.tabs import show_tabs
from tokensteps.widgets.tour import titled

STRETCHES_SHOWN = 2_500
"""Stretches of text on one page of chips."""
_facts: Shelf[tuple[Subject, int, str], str] = Shelf(CARDS_KEPT)


def key(name: str) -> str:
    """A widget's key, the page's own."""
    return f"playground.{name}"


def show() -> None:
    """The whole page: sidebar, text, chips, tabs."""
    complaints = _arrive()
    complaints = lasting("playground", complaints, (_state("text"), _chosen()))
    with st.sidebar:
        places = _choose()
    titled("playground", _("Playground"))
    lead = _("Type or paste a text and see its tokens: whatever tokenizer cuts it, and several side by side.")
    st.html(lead_html(lead))
    if refused := st.session_state.pop(key("refused"), ""):
        complaints.append(refused)
    with st.container():  # what comes and goes in here must not move the text box, which would be put up anew
        for complaint in complaints:
            problem(complaint)
        found = [
            (letter, _open(slot, place))
            for slot, (letter, place) in enumerate(zip(LETTERS, places, strict=False))
        ]
    show_text({letter: one.subject for letter, one in found if one is not None})


# --- State: in the session, and in the URL ----------------------------------------------------------------------------


def _state(name: str) -> Any:
    return st.session_state[key(name)]


def _chosen() -> list[str]:
    """The specs of the chosen tokenizers."""
    chosen: list[str] = _state("specs")
    return chosen


def _arrive() -> list[str]:
    """Read the URL when the session begins, after Back and from a link; returns what is wrong with it."""
    state, url = st.session_state, st.query_params.to_dict()
    first = key("text") not in state
    if not reads_address(first):
        return []
    complaints: list[str] = []
    for setting in PLAYGROUND_RULES:
        if setting.name in url or first or is_back():
            state[key(setting.name)] = read_setting(setting, url, setting.default, complaints)
    kept = read_text(url, complaints)
    text = None if kept is None else kept.decode("utf-8", "replace")
    if text is None and (first or is_back()):
        text = TEXTS["first"].make()
    if text is not None:
        set_text(text)
    specs = [url[slot] for slot in PLAYGROUND_SLOTS if url.get(slot)]
    if specs or first or is_back():
        state[key("specs")] = specs or [READY[0]]
    return complaints


def set_text(text: str) -> None:
    """Put a text into the box."""
    state = st.session_state
    state[key("text")] = as_typed(plain_text(text))
    state[key("nonce")] = state.get(key("nonce"), 0) + 1
    state.pop(key("page"), None)


def url() -> dict[str, str | None]:
    """What the page is about, as the URL has it: None for what is as usual."""
    values: dict[str, str | None] = {
        setting.name: None if _state(setting.name) == setting.default else setting.write(_state(setting.name))
        for setting in PLAYGROUND_RULES
    }
    text = _state("text")
    packed = pack_text(text) if len(text) <= PACK_LIMIT else None
    usual = text == TEXTS["first"].make()
    values["text"] = None if usual else packed
    values["id"] = None if usual or packed else _kept(text)
    for slot, spec in zip(PLAYGROUND_SLOTS, [*_chosen(), *[None] * len(PLAYGROUND_SLOTS)], strict=False):
        values[slot] = spec
    if _chosen() == [READY[0]]:
        values["t1"] = None
    return values


def _kept(text: str) -> str:
    """The name under which the server keeps a text. While somebody types, only the last few versions stay, and those that others use."""
    drafts: dict[str, int] = st.session_state.setdefault(key("drafts"), {})
    store, data = text_store(), text.encode("utf-8", "replace")
    new = not store.used(digest(data))
    name = store.put(data)
    if new or name in drafts:
        drafts[name] = store.used(name)
    if len(drafts) > DRAFTS_KEPT:
        oldest = next(iter(drafts))
        store.drop(oldest, drafts.pop(oldest))
    return name


# --- Sidebar: which tokenizers ----------------------------------------------------------------------------------------


def _choose() -> list[DeltaGenerator]:
    """The select boxes for up to four tokenizers, and the ways to bring one; a place under each box for its step."""
    chosen, places = _chosen(), []
    options = list(dict.fromkeys([*chosen, *choices.options()]))
    titles = choices.titles(options)
    for slot in range(min(len(chosen) + 1, len(PLAYGROUND_SLOTS))):
        name = key(f"slot.{slot}")
        st.session_state[name] = chosen[slot] if slot < len(chosen) else None
        st.selectbox(
            _("Tokenizer {letter}").format(letter=LETTERS[slot]),
            [None, *options] if slot else options,
            format_func=lambda spec: _("none") if spec is None else titles[spec],
            placeholder=_("side by side with …"),
            key=name,
            on_change=_change,
            args=(slot, name),
        )
        if slot < len(chosen):
            places.append(st.container())
    with st.expander(_("Upload a tokenizer")):
        _upload()
    with st.expander(_("Public tokenizer by name")):
        _by_name()
    return places


def _change(slot: int, name: str) -> None:
    """A select box has another choice."""
    spec, chosen = st.session_state[name], list(_chosen())
    chosen[slot : slot + 1] = [spec] if spec is not None else []
    st.session_state[key("specs")] = chosen


def _bring(spec: str) -> None:
    """Look at a tokenizer that the learner brings; one that can't be loaded leaves the page as it is."""
    try:
        with st.spinner(_("Loading the tokenizer …")):
            choices.bring(spec)
    except TokenizersCoreError as error:
        st.session_state[key("refused")] = explained(error)
    else:
        chosen = [one for one in _chosen() if one != spec]
        st.session_state[key("specs")] = [spec, *chosen[1:]]
    st.rerun()


def _upload() -> None:
    """Files of the learner's: those chosen together are one tokenizer, and then the box is empty for the next."""
    state = st.session_state
    turn = state.setdefault(key("uploads"), 0)
    files = st.file_uploader(
        _("tokenizer.json, vocab.txt, .tiktoken, or vocab.json with merges.txt (choose both at once)"),
        accept_multiple_files=True,
        key=key(f"files.{turn}"),
        max_upload_size=LARGEST_UPLOAD,
    )
    if files:
        state[key("uploads")] += 1
        try:  # before they are kept: files that are too large would drive out others
            formats.refuse_too_much({file.name: file.size for file in files})
        except TokenizersCoreError as error:
            state[key("refused")] = explained(error)
            st.rerun()
        _bring(choices.upload_spec({file.name: file.getvalue() for file in files}))


def _by_name() -> None:
    """A name on the public hub."""
    with st.form(key("named"), border=False):
        name = text_box(
            _("Repository"), REPOSITORY_LIMIT, key=key("name"), placeholder="openai-community/gpt2"
        )
        st.caption(
            _("It is asked for at huggingface.co, and kept on this server's disk. Your text stays here.")
        )
        if st.form_submit_button(_("Get it")) and name and name.strip():
            _bring(choices.public(name.strip()))


def _open(slot: int, place: DeltaGenerator) -> Opened | None:
    """The tokenizer in a slot; what keeps it from being there is said."""
    try:
        opened = stage.opened(_chosen()[slot], key(f"build.{slot}"))
        if opened is not None and opened.last:
            step = opened.last if opened.spec.step is None else opened.spec.step
            _step_slider(slot, place, step, opened.last)
    except TokenizersCoreError as error:
        problem(explained(error))
        return None
    return opened


def _step_slider(slot: int, place: DeltaGenerator, step: int, last: int) -> None:
    """Which step of its training a tokenizer is taken after."""
    name = key(f"step.{slot}")
    st.session_state[name] = min(step, last)
    place.slider(_("After step"), 0, last, key=name, on_change=_step, args=(slot, name))


def _step(slot: int, name: str) -> None:
    chosen = list(_chosen())
    chosen[slot] = choices.Spec.parse(chosen[slot]).at(st.session_state[name]).write()
    st.session_state[key("specs")] = chosen


# --- The text and its tokens ------------------------------------------------------------------------------------------


@st.fragment
def show_text(subjects: Mapping[str, Subject]) -> None:
    """The box, the counts, the chips and the tabs: all that follows the typing. Tokenizers by letter, those that are there."""
    use_language(st.session_state["language"])
    typed = editor(
        _state("text"),
        key("editor"),
        labels={
            "label": _("Text"),
            "placeholder": _("Type or paste a text …"),
            "hint": _(
                "Up to a million characters. Click a token to find it in the text; select text to find its tokens."
            ),
        },
        nonce=_state("nonce"),
        params=("text", "id"),
    )
    if typed is not None and typed != _state("text"):
        _turn_back(_state("text"), typed)
        st.session_state[key("text")] = typed
    _toggles(subjects.get("A"))
    update_url(url())
    text = _state("text")
    if len(text) > PLAYGROUND_LIMIT:
        message = _("The text has {size} characters, and the page takes {limit}: shorten it.")
        problem(message.format(size=count(len(text)), limit=count(PLAYGROUND_LIMIT)))
        return
    if _state("escapes"):
        text = interpret_escapes(text)
    analysed = {letter: _analysed(subject, text) for letter, subject in subjects.items()}
    analyses = {letter: one for letter, one in analysed.items() if one is not None}
    if "A" not in analyses:
        return  # said already: another one's tokens in its place would pass for its own
    st.html(f"{name_html(analyses['A'].subject)}{counts_html(analyses['A'])}")
    _chips(analyses["A"])
    _tabs(analyses)


def _turn_back(old: str, new: str) -> None:
    """Back to the first page of chips for another text; while somebody types on, the page stays."""
    if abs(len(new) - len(old)) > 1_000 or new[:1_000] != old[:1_000]:
        st.session_state.pop(key("page"), None)


def name_html(subject: Subject) -> str:
    """Whose tokens these are."""
    told = ngettext("{number} token in the vocabulary", "{number} tokens in the vocabulary", subject.size)
    size = escape(told.format(number=count(subject.size)))
    return f'<p class="ts whose"><i>A</i> <b>{escape(subject.name)}</b> · {escape(subject.algorithm)} · {size}</p>'


def _analysed(subject: Subject, text: str) -> Analysis | None:
    """A text's tokens; what keeps a tokenizer from making them is said."""
    try:
        return analyse(subject, text, _state("specials"), _state("added") and bool(subject.added))
    except TokenizersCoreError as error:
        problem(explained(error))
        return None


def _examples() -> None:
    """Texts to try."""

    def take() -> None:
        name = st.session_state[key("example")]
        if name is not None:
            set_text(TEXTS[name].make())
        st.session_state[key("example")] = None

    st.selectbox(
        _("Try a text"),
        list(TEXTS),
        index=None,
        format_func=lambda name: _(TEXTS[name].title),
        key=key("example"),
        on_change=take,
        placeholder=_("Try a text …"),
        label_visibility="collapsed",
        width=170,
    )


def _toggles(subject: Subject | None) -> None:
    """How it is shown, and how the text is read."""
    names = {"text": _("text"), "ids": _("ids"), "bytes": _("bytes")}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _examples()
        st.segmented_control(
            _("Write tokens as"),
            list(names),
            format_func=names.__getitem__,
            key=key("write"),
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
        for setting in PLAYGROUND_RULES:
            if setting.kind == "switch" and (
                setting.name != "added" or (subject is not None and subject.added)
            ):
                st.toggle(
                    _(setting.label), key=key(setting.name), help=_(setting.help), persist_state="session"
                )


def _chips(analysis: Analysis) -> None:
    """The tokens, a page at a time."""
    subject, text = analysis.subject, analysis.text
    for remark in subject.notes:
        note(remark_text(remark))
    sample = text[:NORMALIZED_LIMIT]
    normalized = subject.normalized(sample)
    if normalized != sample:
        shown = token_html(normalized[:80]) + ("…" if len(normalized) > 80 else "")
        message = _(
            "This tokenizer normalizes text before it looks for tokens: {text} (special tokens apart). The chips show yours."
        )
        st.html(f'<div class="ts note">{fill(message, text=f"<samp>{shown}</samp>")}</div>')
    pages = max(1, -(-len(analysis.stretches) // STRETCHES_SHOWN))
    page = min(st.session_state.get(key("page"), 1), pages)
    if page < st.session_state.get(key("page"), 1):
        st.session_state[key("page")] = page  # the text has become shorter
    first, last = (page - 1) * STRETCHES_SHOWN, page * STRETCHES_SHOWN
    runs = analysis.runs(first, last)
    before = analysis.stretches[first].first if runs else 0
    data = chips_message(
        runs,
        Shown(_state("write"), _state("spaces"), subject.style),
        cards_html(analysis, runs),
        chip_labels(),
        f"{subject.name}:{page}:{current_language()}",
        linked=not _state("escapes") or text == _state("text"),
        first=before,
        total=len(analysis),
    )
    linked_chips(data, key=key("chips"))
    if pages > 1:
        message = _("Tokens {first} to {last} of {all} are drawn; everything is counted.")
        drawn = sum(len(run.pieces) for run in runs)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.pagination(pages, key=key("page"))
            st.caption(
                message.format(first=count(before + 1), last=count(before + drawn), all=count(len(analysis)))
            )


def remark_text(remark: str) -> str:
    """A remark on a tokenizer in the language in use; the tokenizer may have been loaded for somebody who reads another."""
    if isinstance(remark, Phrase):
        return _(remark.template).format(**remark.evidence)
    return _(remark)


def chip_labels() -> dict[str, str]:
    """The words on the chips and around them."""
    return {
        "pane": _("Tokens"),
        "chip": _("{text}: {ids}"),
        "unknown": _("unk"),
        "ids": _("Ids"),
        "card": _("The token"),
        "hint": _("Point at a token, or move through them with the arrow keys."),
        "empty": _("No text, no tokens."),
        "token": _("Token {index} of {total}"),
        "tokens": _("Tokens {index} to {last} of {total}"),
        "characters": _("offsets ({start}, {end})"),
        "language": current_language(),
    }


def cards_html(analysis: Analysis, runs: Iterable[TextRun]) -> dict[int, str]:
    """What is known of each token in the runs, and how often it stands in the text."""
    cards = {}
    for identifier in {piece.id for run in runs for piece in run.pieces}:
        times = analysis.occurrences[identifier]
        told = ngettext("once in this text", "{number} times in this text", times).format(number=count(times))
        cards[identifier] = f"{facts_html(analysis.subject, identifier)}<p>{escape(told)}</p>"
    return cards


def facts_html(subject: Subject, identifier: int) -> str:
    """What is known of a token, whatever the text, in the language in use."""
    key = (subject, identifier, current_language())
    found = _facts.get(key)
    if found is None:
        found = _facts_html(subject, identifier)
        _facts.put(key, found, len(found))
    return found


def _facts_html(subject: Subject, identifier: int) -> str:
    token, data, facts = subject.token(identifier), subject.token_bytes(identifier), subject.facts(identifier)
    style = subject.style
    hexadecimal = " ".join(f"{byte:02X}" for byte in data[:32]) + (" …" if len(data) > 32 else "")
    rows = [
        (_("Id"), f"<code>{identifier}</code>"),
        (_("In the vocabulary"), f"<code>{token_html(token, style._replace(show='symbols'))}</code>"),
        (_("Bytes"), f"<code>{hexadecimal or '–'}</code>"),
        *_facts_rows(facts, subject),
    ]
    if identifier == subject.unknown_id:
        rows.append((_("Kind"), escape(_("unknown: no token spells this"))))
    elif token in style.special_tokens:
        rows.append((_("Kind"), escape(_("special token"))))
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{value}</dd>" for name, value in rows)
    return f"<div>{chip(token, style)}<dl>{listed}</dl></div>"


def _facts_rows(facts: Facts, subject: Subject) -> list[tuple[str, str]]:
    rows = []
    if facts.parts is not None:
        parts = " + ".join(chip(part, subject.style) for part in facts.parts)
        rows.append((_("Merged from"), f'<span class="parts">{parts}</span>'))
    if facts.rank is not None:
        rows.append((_("Rank"), f"<code>{count(facts.rank)}</code>"))
    if facts.score is not None:
        rows.append((_("Log probability"), f"<code>{facts.score:.4f}</code>"))
    if facts.freq is not None:
        name = _("Counted in training") if facts.parts is None else _("Pair's count then")
        rows.append((name, f"<code>{count(facts.freq)}</code>"))
    return rows


# --- Tabs -------------------------------------------------------------------------------------------------------------


def _tabs(analyses: Mapping[str, Analysis]) -> None:
    bodies: Mapping[str, Callable[[Mapping[str, Analysis]], None]] = {
        N_("Side by side"): _aligned,
        N_("Counts"): _counts,
        N_("Costly words"): _words,
        N_("Languages"): _languages,
        N_("Files and link"): _files,
    }
    show_tabs(key("tab"), bodies, analyses)


def _table(table: pd.DataFrame, name: str) -> None:
    """A table with its numbers written alike: whole ones with their thousands set apart, others with two digits."""
    formats = {
        str(column): st.column_config.NumberColumn(format="localized" if values.dtype.kind == "i" else "%.2f")
        for column, values in table.items()
        if values.dtype.kind in "if"
    }
    show_rows(table, key=key(name), column_config=formats)


def _aligned(analyses: Mapping[str, Analysis]) -> None:
    """The text once a tokenizer, aligned."""
    if len(analyses) < 2:
        note(_("Choose a second tokenizer in the sidebar, and the text appears here once for each, aligned."))
        return
    st.caption(
        _(
            "Where all agree on the boundaries, the chips stand plain; where they differ, they are framed. A small number says how many tokens share what can't be cut."
        )
    )
    st.html(side_by_side.aligned_html(analyses))
    text = analyses["A"].text
    if len(text) > side_by_side.CHARACTERS_SHOWN:
        message = _("The first {shown} of {all} characters are aligned; everything is counted.")
        st.caption(message.format(shown=count(side_by_side.CHARACTERS_SHOWN), all=count(len(text))))
    st.header(_("Boundaries shared, %"), anchor=False)
    st.dataframe(side_by_side.agreement_table(analyses).round(1), width="content", key=key("agreement"))


def _counts(analyses: Mapping[str, Analysis]) -> None:
    """What the text costs each."""
    if not analyses["A"].text:
        note(_("There is no text yet."))
        return
    st.caption(
        _(
            "A word is what stands between white space, a grapheme what a reader takes for one character. Bytes are those of "
            "UTF-8. Unknown tokens stand for what the vocabulary can't spell."
        )
    )
    _table(side_by_side.counts_table(analyses), "counts")
    st.plotly_chart(
        counts_chart(analyses),
        key=key("counts.chart"),
        config={"displaylogo": False},
        alt=_("Tokens by tokenizer"),
    )


def _words(analyses: Mapping[str, Analysis]) -> None:
    """The words that cost most."""
    table = side_by_side.costliest_words(analyses)
    if table.empty:
        note(_("The text has no words."))
        return
    st.caption(
        _("A word is what stands between white space. Tokens each time it stands in the text, on average.")
    )
    st.html(
        side_by_side.words_html(
            {letter: analysis.subject for letter, analysis in analyses.items()},
            list(table["word"][: side_by_side.WORDS_DRAWN]),
        )
    )
    names = {"word": _("Word"), "occurrences": _("Times")}
    _table(table.rename(columns=names), "words")


def _languages(analyses: Mapping[str, Analysis]) -> None:
    """The same sentence in many languages."""
    subjects = {letter: analysis.subject for letter, analysis in analyses.items()}
    st.caption(
        _(
            "One sentence in many languages. The rarer a script was in the training text, the more tokens a byte-level tokenizer "
            "needs, up to one for each byte; others give up, and “?” marks where some of the tokens are unknown. Lengths differ "
            "too: the sentence has the fewest characters in Chinese."
        )
    )
    try:
        rows = side_by_side.fertilities(subjects)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    st.plotly_chart(
        languages_chart(rows, analyses),
        key=key("languages.chart"),
        config={"displaylogo": False},
        alt=_("Tokens by language"),
    )
    _table(side_by_side.fertility_table(rows, analyses), "languages")
    if st.button(_("Put these sentences into the box"), key=key("languages.take")):
        set_text(TEXTS["languages"].make())
        st.rerun(scope="fragment")


def _files(analyses: Mapping[str, Analysis]) -> None:
    """What can be taken away."""
    st.header(_("This page as a link"), anchor=False)
    values = {name: value for name, value in url().items() if value is not None}
    st.session_state[key("drafts")] = {}  # from here on somebody may have the link: this version stays
    st.code(page_address(values), language=None, wrap_lines=True)
    if "id" in values:
        note(
            _(
                "A link can't hold this text. Its address brings it back on this server as long as the server "
                "remembers it; to pass it on, send the text itself."
            )
        )
    if any(value.startswith("file?") for value in values.values()):
        note(_("An uploaded tokenizer is remembered by this server only, and only for a while."))
    analysis = analyses["A"]
    st.header(_("The tokens"), anchor=False)
    shown = Shown(_state("write"), _state("spaces"), analysis.subject.style)
    makers: tuple[tuple[str, str, Callable[[], str | bytes]], ...] = (
        (_("Tokens (CSV)"), "tokens.csv", partial(tokens_csv, analysis)),
        (_("Tokens (JSON)"), "tokens.json", partial(tokens_json, analysis)),
        (
            _("Coloured page (HTML)"),
            "tokens.html",
            partial(tokens_html, analysis, shown),
        ),
    )
    for column, (label, name, make) in zip(st.columns(len(makers)), makers, strict=True):
        download(column, label, name, make, "playground")
