"""The page “New from old”: retrain a tokenizer on another corpus, with its own stages, and see one text under both."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st

from tokenizers_core import Tokenizer
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.catalogue.analysis import Analysis, analyse
from tokensteps.catalogue.renewal import Heritage, heritage
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.catalogue.side_by_side import aligned_html
from tokensteps.components.address import update_url
from tokensteps.drawing.tokens import chips
from tokensteps.language.i18n import _, count, listed
from tokensteps.language.marks import lead_html
from tokensteps.language.messages import explained
from tokensteps.language.names import choice_name
from tokensteps.language.numbers import percent
from tokensteps.language.pages import PAGES
from tokensteps.limits import RENEW_LIMIT, VOCABULARY_LIMIT
from tokensteps.pages.explore.playground_tokenizers import refused, tokenizer_box, tokenizer_settings
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.rules import RENEW_RULES, RENEW_SIZE
from tokensteps.runs.settings import corpus_title, write_short
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.controls import Controls
from tokensteps.widgets.downloads import show_link, show_tokenizer_files
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.tour import titled

RENEW_PAGE = "renew"
OLD_SPEC = "bpe?corpus=prose"
"""The tokenizer that the page starts with: it was trained on English only."""
NEW_LISTED = 60
"""How many tokens of the new one are listed."""
SAMPLE = '''\
def half(number):
    """Return half of `number`."""
    if number is None:
        raise ValueError("no number")
    return number / 2
'''


class RenewControls(Controls):
    """The sidebar: the old tokenizer, and the corpus of the new one."""

    def __init__(self) -> None:
        super().__init__(RENEW_PAGE, RENEW_RULES, "modules")
        state, url = st.session_state, st.query_params.to_dict()
        first = self.key("a") not in state
        if reads_address(first):
            state[self.key("a")] = plain_text(self.short("a", url, SAMPLE))
            state[self.key("old")] = url.get("t1", OLD_SPEC)

    def load_corpus_defaults(self) -> None:
        """Change nothing else with the corpus."""

    def old(self) -> str:
        """Choose the old tokenizer; returns its spec."""
        return tokenizer_box(RENEW_PAGE, "old", _("Old tokenizer"), [OLD_SPEC])

    def size_widget(self, usual: int) -> None:
        """How many tokens the new one gets."""
        self.draw_setting(RENEW_SIZE._replace(placeholder=count(min(usual, VOCABULARY_LIMIT))))

    def url(self) -> dict[str, str | None]:
        """Settings, text and old tokenizer as URL parameters; None for those with their usual values."""
        text, old = plain_text(self["a"]), self["old"]
        own = {"a": None if text == SAMPLE else write_short(text), "t1": None if old == OLD_SPEC else old}
        url = super().url() | own
        # A bare address stays bare: a second entry in the history would get in the way of Back.
        return url | ({"corpus": None} if url["corpus"] == self.start else {})


@dataclass(frozen=True)
class Renewal:
    """The old tokenizer and the new one."""

    heritage: Heritage
    old: Analysis
    new: Analysis
    tokenizer: Tokenizer
    trace: AnyTrace


def show() -> None:
    """The whole page."""
    controls = RenewControls()
    with st.sidebar:
        old = controls.old()
        settings = st.container()
        st.header(_("The new one is trained on"), anchor=False)
        source = controls.corpus()
        controls.lines_widget(source)
    titled(RENEW_PAGE, _(PAGES[RENEW_PAGE].title))
    lead = _(
        "A tokenizer fits the text it was trained on. Keep its stages, train it on other text, and see what changes."
    )
    st.html(lead_html(lead))
    update_url(controls.url())
    for told in refused(RENEW_PAGE):
        problem(told)
    try:
        opened = stage.opened_tokenizer(old, f"{RENEW_PAGE}.old")
        tokenizer_settings(RENEW_PAGE, "old", settings, None if opened is None else opened.subject)
        if opened is None:
            return
        handed = heritage(opened.subject)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    with st.sidebar:
        controls.size_widget(handed.size)
    controls.say_complaints(source)
    if source is None or controls.blocked:
        return
    run = handed.run(source, controls["size"] or min(handed.size, VOCABULARY_LIMIT))
    trace = stage.trained(run, ".new")
    if trace is None:
        return
    st.html(heritage_html(handed))
    st.text_area(_("One text under both"), key=controls.key("a"), height=170, persist_state="session")
    text = plain_text(controls["a"])
    if len(text) > RENEW_LIMIT:
        message = _(
            "The text has {size} characters, but this page takes {limit}: shorten it, or use the playground."
        )
        problem(message.format(size=count(len(text)), limit=count(RENEW_LIMIT)))
        return
    try:
        show_both(renewed(handed, trace, opened.subject, text, controls["corpus"]), controls)
    except TokenizersCoreError as error:
        problem(explained(error))


def renewed(handed: Heritage, trace: AnyTrace, old: ShownTokenizer, text: str, corpus: str) -> Renewal:
    """A text under the old tokenizer and under the one that was trained on `corpus` with its stages."""
    tokenizer = handed.tokenizer(trace)
    name = _("new: {corpus}").format(corpus=corpus_title(corpus))
    # Only the texts are compared: what a template adds is left out of both counts.
    new = TrainedSubject(name, tokenizer.with_options(template=None), trace, len(trace))
    return Renewal(handed, analyse(old, text), analyse(new, text), tokenizer, trace)


def heritage_html(handed: Heritage) -> str:
    """What is kept, and what is learned again."""
    pipeline = handed.pipeline
    normalizer = pipeline.normalizer
    names = (normalizer,) if isinstance(normalizer, str) else normalizer
    split = choice_name("pre", str(pipeline.pre_tokenizer))
    if pipeline.byte_level:
        pattern = pipeline.pattern[:60]
        if pipeline.pattern in PATTERNS:
            pattern = choice_name("pattern", pipeline.pattern)
        split = listed([split, pattern])
    rows = (
        (_("Algorithm"), ALGORITHMS[handed.algorithm].title),
        (_("Normalize"), listed(choice_name("normalizer", str(name)) for name in names)),
        (_("Split into words"), split),
        (_("Special tokens"), " ".join(handed.special_tokens) or _("none")),
        (_("Template"), handed.template.single if handed.template else _("none")),
    )
    kept = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    over, anew = escape(_("Kept from the old one")), escape(_("Retrained"))
    learned = escape(_("The vocabulary and, with BPE, the merges: everything training makes."))
    return (
        f'<div class="ts heritage"><section><h2>{over}</h2><dl>{kept}</dl></section>'
        f"<section><h2>{anew}</h2><p>{learned}</p></section></div>"
    )


def show_both(found: Renewal, controls: RenewControls) -> None:
    """The text under both tokenizers, the new tokens, and the files."""
    old, new = found.old, found.new
    st.html(totals_html(len(old), len(new)))
    if old.text:
        st.html(aligned_html({"A": old, "B": new}))
    else:
        note(_("No text, no tokens."))
    st.header(_("Tokens that only the new one has"), anchor=False)
    st.caption(
        _("Those in the text first, longest to shortest, then the rest of the vocabulary in order of ids.")
    )
    st.html(f'<div class="ts row wide">{chips(only_new(found), new.subject.style)}</div>')
    st.header(_("The new tokenizer"), anchor=False)
    show_tokenizer_files(found.tokenizer, RENEW_PAGE)
    show_link(_("Link to this page"), controls.recipe(), controls.url())


def totals_html(old: int, new: int) -> str:
    """The two counts and their difference."""
    change = ""
    if old and new != old:
        share = percent(f"{abs(100 * (new - old) / old):.0f}")
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
        f'<div class="{"main" if place == 1 else ""}"><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>'
        for place, (name, figure) in enumerate(figures)
    )
    return f'<dl class="ts counts">{cells}</dl>'


def only_new(found: Renewal) -> list[str]:
    """The new tokenizer's tokens that the old one lacks: those in the text first, longest first, then the others. At most `NEW_LISTED`."""
    known = {*found.old.subject.all_tokens()}
    subject = found.new.subject
    in_text = {subject.token(identifier) for identifier in found.new.ids}
    rest = [token for token in subject.all_tokens() if token not in known and token not in in_text]
    return [*sorted(in_text - known, key=lambda token: (-len(token), token)), *rest][:NEW_LISTED]
