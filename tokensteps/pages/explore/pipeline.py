"""The page “Pipeline”: a text through normalization, pre-tokenization, model and post-processing, and
back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tokenizers_core import Tokenizer
from tokenizers_core.encoding.templates import TEMPLATES
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.components.address import update_url
from tokensteps.components.pipeline import pipeline_view
from tokensteps.drawing.pipeline.journey import journey
from tokensteps.drawing.pipeline.stages import CHARACTERS_DRAWN, stages_message, summary_html
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import N_, _, count, use_language
from tokensteps.language.marks import lead_html
from tokensteps.language.messages import explained
from tokensteps.language.names import choice_name
from tokensteps.limits import PIPELINE_LIMIT
from tokensteps.pages.explore.pipeline_controls import PIPELINE_ALGORITHM, PipelineControls
from tokensteps.pages.explore.pipeline_decoding import decode_tab
from tokensteps.pages.explore.pipeline_tabs import encoding_tab, entities_tab, files_tab, windows_tab
from tokensteps.pages.explore.pipeline_view import PipelineView, chosen_view, model_text, pieces_text
from tokensteps.pages.explore.playground_tokenizers import refused, tokenizer_box, tokenizer_settings
from tokensteps.runs.algorithms import ALGORITHMS, Run
from tokensteps.runs.corpora import Source
from tokensteps.widgets import stage
from tokensteps.widgets.notes import problem
from tokensteps.widgets.tabs import show_tabs
from tokensteps.widgets.tour import titled


def show() -> None:
    """The whole page."""
    controls = PipelineControls()
    source = None
    with st.sidebar:
        spec = tokenizer_box(controls.page, "t1", _("Tokenizer"), none=_("with stages of your choice"))
        settings = st.container()
        if not spec:
            controls.stages()
            with st.expander(_("What the model is trained on")):
                source = controls.corpus()
                controls.lines_widget(source)
                controls.training_widgets()
        controls.show_widget()
        controls.examples()
    pipeline = None if spec else controls.pipeline(source)
    titled("pipeline", _(PIPELINE_ALGORITHM.title))
    lead = _("One text through normalization, pre-tokenization, model and post-processing, and back.")
    st.html(lead_html(lead))
    controls.complaints += refused(controls.page)
    if spec:
        for complaint in controls.complaints:
            problem(complaint)
    else:
        controls.say_complaints(source)
    texts = show_texts(controls)
    if texts is None:
        return
    try:
        if spec:
            show_chosen(controls, spec, texts, settings)
        elif source is not None and pipeline is not None and not controls.blocked:
            show_trained(controls, source, pipeline, texts)
    except TokenizersCoreError as error:
        problem(explained(error))


def show_chosen(
    controls: PipelineControls, spec: str, texts: tuple[str, ...], settings: DeltaGenerator
) -> None:
    """The texts by a chosen tokenizer; `settings` is the place for its settings. Raises the errors of
    encoding."""
    opened = stage.opened_tokenizer(spec, controls.key("t1"))
    tokenizer_settings(controls.page, "t1", settings, None if opened is None else opened.subject)
    if opened is not None:
        show_stages(chosen_view(controls, opened.subject, texts))


def show_trained(
    controls: PipelineControls, source: Source, pipeline: Pipeline, texts: tuple[str, ...]
) -> None:
    """The texts by a tokenizer with the chosen stages, once it is trained. Raises the errors of encoding."""
    recipe = controls.recipe()
    run = Run(PIPELINE_ALGORITHM, source, pipeline, PIPELINE_ALGORITHM.settings(recipe, pipeline))
    trace = stage.trained(run)
    if trace is None:
        return
    tokenizer = tokenizer_with_template(trace, recipe["template"])
    encoding = tokenizer.encode(texts[0], texts[1] if len(texts) > 1 else None)
    journeys = [journey(tokenizer, text) for text in texts]
    style = Style(pipeline.byte_level, controls["show"], frozenset(tokenizer.special_tokens))
    names = (
        choice_name("normalizer", controls["normalizer"]),
        choice_name("pre", controls["pre"]),
        model_text(ALGORITHMS[controls["model"]].title, len(tokenizer.tokens)),
        pieces_text(encoding.pieces),
    )
    show_stages(PipelineView(controls, tokenizer, texts, encoding, journeys, style, names))


def show_texts(controls: PipelineControls) -> tuple[str, ...] | None:
    """The boxes for a text or a pair of texts; returns the texts, or None if one is too long, with a
    message."""
    left, right = st.columns(2)
    left.text_area(_("Text"), key=controls.key("a"), height=80, persist_state="session")
    right.text_area(
        _("Second text, for a pair"),
        key=controls.key("b"),
        height=80,
        persist_state="session",
        placeholder=_("none"),
    )
    update_url(controls.url())
    texts = controls.texts()
    for text in texts:
        if len(text) > PIPELINE_LIMIT:
            message = _(
                "The text has {size} characters, but this page takes {limit}: shorten it, or use the playground."
            )
            problem(message.format(size=count(len(text)), limit=count(PIPELINE_LIMIT)))
            return None
    return texts


def tokenizer_with_template(trace: AnyTrace, template: str) -> Tokenizer:
    """A run's tokenizer, with a template."""
    unknown = next((token for token in trace.special_tokens if token in ("[UNK]", "<unk>")), None)
    tokenizer = trace.tokenizer(unk_token=unknown) if unknown else trace.tokenizer()
    return tokenizer.with_options(template=TEMPLATES[template])


def show_stages(view: PipelineView) -> None:
    """The drawing and, under it, the tabs."""
    use_language(st.session_state["language"])
    tokenizer = view.tokenizer
    st.html(summary_html(view.journeys, view.encoding, view.names, tokenizer.model.unk_token))
    if any(len(text) > CHARACTERS_DRAWN for text in view.texts):
        message = _("The first {number} characters of a text are shown; the tabs have them all.")
        st.caption(message.format(number=count(CHARACTERS_DRAWN)))
    pipeline_view(stages_message(tokenizer, view.encoding, view.journeys, view.style), key=view.key("view"))
    parts: Mapping[str, Callable[[PipelineView], None]] = {
        N_("Encoding"): encoding_tab,
        N_("Windows"): windows_tab,
        N_("Back to text"): decode_tab,
        N_("Entities"): entities_tab,
        N_("Files and link"): files_tab,
    }
    show_tabs(view.key("tab"), parts, view)
