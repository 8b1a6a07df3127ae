"""The page “New from old”: retrain a tokenizer on another corpus, with its own stages, and see one text under
both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st

from tokenizers_core import BpeTrace, Tokenizer, cut_out, trim
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.options.trimming import bpe_of, earliest_merge
from tokensteps.catalogue.analysis import Analysis, analyse
from tokensteps.catalogue.renewal import Heritage, as_written, continued, heritage, tokenizer_of
from tokensteps.catalogue.shown_tokenizers import EngineSubject, ShownTokenizer, TrainedSubject
from tokensteps.catalogue.side_by_side import aligned_html
from tokensteps.components.address import is_back, update_url
from tokensteps.drawing.narration.options import corpus_html, cut_html, most_shortened, shortened_html
from tokensteps.drawing.tokens import Style, chips
from tokensteps.drawing.training.merging import merge_frame
from tokensteps.drawing.whatif import style_of
from tokensteps.language.i18n import N_, _, count, listed, use_language
from tokensteps.language.marks import lead_html
from tokensteps.language.messages import explained
from tokensteps.language.names import choice_name, normalizer_names, words_names
from tokensteps.language.numbers import percent
from tokensteps.language.pages import PAGES
from tokensteps.limits import RENEW_LIMIT, VOCABULARY_LIMIT
from tokensteps.pages.explore.playground_tokenizers import refused, tokenizer_box, tokenizer_settings
from tokensteps.pages.stepping import show_stage
from tokensteps.runs.algorithms import ALGORITHMS, Run
from tokensteps.runs.corpora import Source, plain_text
from tokensteps.runs.rules import RENEW_MORE, RENEW_RULES, RENEW_SIZE, USUAL_DROP
from tokensteps.runs.settings import corpus_title, write_short
from tokensteps.server.shared_cache import remembered
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.controls import Controls
from tokensteps.widgets.downloads import show_link, show_tokenizer_files
from tokensteps.widgets.notes import lasting, note, problem
from tokensteps.widgets.tour import titled

RENEW_PAGE = "renew"
OLD_SPEC = "bpe?corpus=prose"
"""The page's first tokenizer, trained on English only."""
NEW_LISTED = 60
"""The most tokens of the new one to list."""
SAMPLE = '''\
def half(number):
    """Return half of `number`."""
    if number is None:
        raise ValueError("no number")
    return number / 2
'''


LEADS: Final[Mapping[str, str]] = {
    "anew": N_(
        "A tokenizer fits the text it was trained on. Keep its stages, train it on other text, and see what changes."
    ),
    "on": N_(
        "A model knows its tokens by their ids. Go on training its tokenizer on other text: all old ids stay, and new tokens get "
        "the next ones."
    ),
    "trim": N_(
        "A smaller vocabulary from a large one: drop the merges that were learned last. All other tokens keep their ids."
    ),
}
"""How the new one comes from the old one → the page's sentence."""


class RenewControls(Controls):
    """The sidebar: the old tokenizer, and the corpus of the new one."""

    def __init__(self) -> None:
        super().__init__(RENEW_PAGE, RENEW_RULES, "modules")
        state, url = st.session_state, st.query_params.to_dict()
        first, complaints = self.key("a") not in state, list[str]()
        if reads_address(first):
            usual = SAMPLE if first or is_back() else state[self.key("a")]
            state[self.key("a")] = plain_text(self.short("a", url, usual, complaints))
            state[self.key("old")] = url.get("t1", OLD_SPEC)
        self.complaints += lasting(self.key("a"), complaints, (self["a"], self["old"]))

    def load_corpus_defaults(self) -> None:
        """Change nothing else with the corpus."""

    def old(self) -> str:
        """Choose the old tokenizer; returns its spec."""
        return tokenizer_box(RENEW_PAGE, "old", _("Old tokenizer"), [OLD_SPEC])

    def size_widget(self, usual: int) -> None:
        """The number of tokens for the new one, or of merges to add."""
        self.draw("more")
        if self["how"] == "anew":
            self.draw_setting(RENEW_SIZE._replace(placeholder=count(min(usual, VOCABULARY_LIMIT))))

    def dropped(self, merges: int) -> int:
        """The number of merges to drop, of so many."""
        if not merges:
            note(_("This tokenizer has no merges: there is nothing to drop."))
            return 0
        usual = min(USUAL_DROP, merges)
        rule = next(rule for rule in RENEW_RULES if rule.name == "drop")
        self.draw_setting(rule._replace(most=min(rule.most, merges), placeholder=count(usual)))
        return usual if self["drop"] is None else self["drop"]

    def url(self) -> dict[str, str | None]:
        """Settings, text and old tokenizer as URL parameters; None for usual values."""
        text, old = plain_text(self["a"]), self["old"]
        own = {"a": None if text == SAMPLE else write_short(text), "t1": None if old == OLD_SPEC else old}
        url = super().url() | own
        # A bare address stays bare: a second entry in the history would get in the way of Back.
        return url | ({"corpus": None} if url["corpus"] == self.start else {})


@dataclass(frozen=True)
class Renewal:
    """The old tokenizer and the new one."""

    old: Analysis
    new: Analysis
    tokenizer: Tokenizer


def show() -> None:
    """The whole page."""
    controls = RenewControls()
    source = None
    with st.sidebar:
        old = controls.old()
        controls.draw("how")
        settings = st.container()
        if controls["how"] != "trim":
            st.header(_("The new one is trained on"), anchor=False)
            source = controls.corpus()
            controls.lines_widget(source)
    titled(RENEW_PAGE, _(PAGES[RENEW_PAGE].title))
    how = controls["how"]
    st.html(lead_html(_(LEADS[how])))
    update_url(controls.url())
    for text in refused(RENEW_PAGE):
        problem(text)
    try:
        result = stage.opened_tokenizer(old, f"{RENEW_PAGE}.old")
        tokenizer_settings(RENEW_PAGE, "old", settings, None if result is None else result.subject)
        if result is None:
            return
        with st.sidebar:
            controls.size_widget(result.subject.size)
        match how:
            case "trim":
                show_trimmed(controls, result.subject)
            case "on":
                show_continued(controls, result.subject, source)
            case _:
                show_renewed(controls, result.subject, source)
    except TokenizersCoreError as error:
        problem(explained(error))


def show_renewed(controls: RenewControls, old: ShownTokenizer, source: Source | None) -> None:
    """A new vocabulary for the old one's stages. Raises the errors of `heritage`."""
    handed = heritage(old)
    controls.say_complaints(source)
    if source is None or controls.blocked:
        return
    run = handed.run(source, controls["size"] or min(handed.size, VOCABULARY_LIMIT))
    trace = stage.trained(run, ".new")
    if trace is None:
        return
    learned = _("The vocabulary and, with BPE, the merges: everything training makes.")
    st.html(heritage_html(handed, _("Retrained"), learned))
    text = text_under_both(controls)
    if text is not None:
        show_both(renewed(handed, trace, old, text, controls["corpus"]), controls)


def show_continued(controls: RenewControls, old: ShownTokenizer, source: Source | None) -> None:
    """The old one's merges and more, learned on top, one a step. Raises the errors of `as_written` and
    `heritage`."""
    stored, handed = as_written(old), heritage(old)
    controls.say_complaints(source)
    if source is None or controls.blocked:
        return
    run = continued(handed, stored, source, controls["more"] or RENEW_MORE.default)
    trace = stage.trained(run, ".new")
    if not isinstance(trace, BpeTrace):
        return
    learned = _(
        "New merges, which come after the old ones. No token changes its id, and special tokens stay."
    )
    st.html(heritage_html(handed, _("Learned on top"), learned))
    show_steps(controls, run, trace)
    style = style_of(trace, "spaces")
    shortened = remembered((most_shortened, run.name, len(trace)), lambda: most_shortened(trace))
    st.html(corpus_html(trace) + shortened_html(shortened, style))
    text = text_under_both(controls)
    if text is not None:
        name = _("new: {corpus}").format(corpus=corpus_title(controls["corpus"]))
        tokenizer = trace.tokenizer()
        new = TrainedSubject(name, tokenizer.with_options(template=None), trace, len(trace))
        show_both(Renewal(analyse(old, text), analyse(new, text), tokenizer), controls)


@st.fragment
def show_steps(controls: RenewControls, run: Run[AnyTrace], trace: BpeTrace) -> None:
    """The merges learned on top, to step through; and the link to the step."""
    use_language(st.session_state["language"])
    style = style_of(trace, "spaces")
    step = show_stage(controls, controls.url(), run, trace, merge_frame, style)
    show_link(_("This step as a link"), controls.recipe(), controls.url(), step)


def show_trimmed(controls: RenewControls, old: ShownTokenizer) -> None:
    """The old one without its last merges, and why none in the middle can be cut out. Raises the errors of
    `as_written` and `trim`."""
    whole = tokenizer_of(as_written(old))
    with st.sidebar:
        drop = controls.dropped(len(bpe_of(whole, "tokenizer").merges))
    for complaint in controls.complaints:
        problem(complaint)
    if controls.blocked:
        return
    tokenizer = trim(whole, drop)
    name = _("trimmed: {name}").format(name=old.name)
    new = EngineSubject(name, old.algorithm, tokenizer.with_options(template=None), len(tokenizer.vocab))
    text = text_under_both(controls)
    if text is None:
        return
    show_both(Renewal(analyse(old, text), analyse(new, text), tokenizer), controls)
    style = Style(whole.pipeline.byte_level, "spaces", frozenset(whole.special_tokens))
    if (example := earliest_merge(tokenizer, text)) is not None:
        st.header(_("Why only the end can go"), anchor=False)
        st.html(cut_html(cut_out(tokenizer, example), style))


def text_under_both(controls: RenewControls) -> str | None:
    """The box for a text; its contents, or None if they are too long (with a message)."""
    st.text_area(_("One text under both"), key=controls.key("a"), height=170, persist_state="session")
    text = plain_text(controls["a"])
    if len(text) > RENEW_LIMIT:
        message = _(
            "The text has {size} characters, but this page takes {limit}: shorten it, or use the playground."
        )
        problem(message.format(size=count(len(text)), limit=count(RENEW_LIMIT)))
        return None
    return text


def renewed(handed: Heritage, trace: AnyTrace, old: ShownTokenizer, text: str, corpus: str) -> Renewal:
    """A text under the old tokenizer and under a new one, trained on `corpus` with the old one's stages."""
    tokenizer = handed.tokenizer(trace)
    name = _("new: {corpus}").format(corpus=corpus_title(corpus))
    # Only the texts are compared: a template's tokens are left out of both counts.
    new = TrainedSubject(name, tokenizer.with_options(template=None), trace, len(trace))
    return Renewal(analyse(old, text), analyse(new, text), tokenizer)


def heritage_html(handed: Heritage, title: str, learned: str) -> str:
    """The kept parts, and, under a title of its own, the `learned` ones."""
    pipeline = handed.pipeline
    split, *cuts = words_names(pipeline)
    if pipeline.byte_level:
        pattern = pipeline.pattern[:60]
        if pipeline.pattern in PATTERNS:
            pattern = choice_name("pattern", pipeline.pattern)
        split = listed([split, pattern])
    rows = (
        (_("Algorithm"), ALGORITHMS[handed.algorithm].title),
        (_("Normalize"), listed(normalizer_names(pipeline))),
        (_("Split into words"), listed([split, *cuts])),
        (_("Special tokens"), " ".join(handed.special_tokens) or _("none")),
        (_("Template"), handed.template.single if handed.template else _("none")),
    )
    stored = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    over, anew, learned = escape(_("Kept from the old one")), escape(title), escape(learned)
    return (
        f'<div class="ts heritage"><section><h2>{over}</h2><dl>{stored}</dl></section>'
        f"<section><h2>{anew}</h2><p>{learned}</p></section></div>"
    )


def show_both(renewal: Renewal, controls: RenewControls) -> None:
    """The text under both tokenizers, the tokens of only one of them, and the files."""
    old, new = renewal.old, renewal.new
    st.html(totals_html(len(old), len(new)))
    if old.text:
        st.html(aligned_html({"A": old, "B": new}))
    else:
        note(_("No text, no tokens."))
    more, less = (old, new) if controls["how"] == "trim" else (new, old)
    gone, came = _("Tokens that only the old one has"), _("Tokens that only the new one has")
    st.header(gone if more is old else came, anchor=False)
    st.caption(
        _("Those in the text first, longest to shortest, then the rest of the vocabulary in order of ids.")
    )
    style = more.subject.style._replace(show="spaces")
    st.html(f'<div class="ts row wide">{chips(only_in(more, less), style)}</div>')
    st.header(_("The new tokenizer"), anchor=False)
    show_tokenizer_files(renewal.tokenizer, RENEW_PAGE)
    if controls["how"] != "on":  # otherwise the link is under the steps
        show_link(_("Link to this page"), controls.recipe(), controls.url())


def totals_html(old: int, new: int) -> str:
    """The two counts and their difference."""
    change = ""
    if old and new != old:
        changed = 100 * abs(new - old) / old
        share = percent(f"{changed:.0f}" if changed >= 1 else f"{changed:.1g}")
        change = (
            _("{share} fewer").format(share=share) if new < old else _("{share} more").format(share=share)
        )
    elif old:
        change = _("the same")
    figures = (
        (_("Tokens, old"), count(old)),
        (_("Tokens, new"), count(new)),
        (_("Difference"), change or "–"),
    )
    cells = "".join(
        f'<div class="{"main" if index == 1 else ""}"><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>'
        for index, (name, figure) in enumerate(figures)
    )
    return f'<dl class="ts counts">{cells}</dl>'


def only_in(one: Analysis, other: Analysis) -> list[str]:
    """One tokenizer's tokens missing in the other: those in the text first, longest first, then the others.
    At most `NEW_LISTED`."""
    known = {*other.subject.all_tokens()}
    subject = one.subject
    in_text = {subject.token(identifier) for identifier in one.ids}
    rest = [token for token in subject.all_tokens() if token not in known and token not in in_text]
    return [*sorted(in_text - known, key=lambda token: (-len(token), token)), *rest][:NEW_LISTED]
