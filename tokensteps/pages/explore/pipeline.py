"""The page “Pipeline”: a text through normalization, pre-tokenization, model and post-processing, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

from tokenizers_core import Encoding, Tokenizer
from tokenizers_core.encoding.templates import TEMPLATES
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.components.address import update_url
from tokensteps.components.pipeline import pipeline_view
from tokensteps.drawing.pipeline.journey import Journey, journey
from tokensteps.drawing.pipeline.stages import CHARACTERS_DRAWN, stages_message, summary_html
from tokensteps.drawing.tokens import Style
from tokensteps.language.glossary import lead_html
from tokensteps.language.i18n import N_, _, count, use_language
from tokensteps.language.messages import explained
from tokensteps.language.names import choice_name
from tokensteps.limits import PIPELINE_LIMIT
from tokensteps.pages.explore import pipeline_tabs
from tokensteps.runs.algorithms import ALGORITHMS, Algorithm, Run
from tokensteps.runs.corpora import Source, plain_text
from tokensteps.runs.settings import PIPELINE_RULES, Recipe, write_short
from tokensteps.runs.trainings import train_model
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.controls import Controls
from tokensteps.widgets.notes import problem
from tokensteps.widgets.tabs import show_tabs
from tokensteps.widgets.tour import titled

SPECIAL_TOKENS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "roberta": ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    "xlnet": ("<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"),
    "t5": ("<pad>", "</s>", "<unk>"),
}
"""The special tokens of a template's tokenizers, in the order of their vocabularies."""


class Preset(NamedTuple):
    """The stages of a tokenizer that people know."""

    title: str
    values: Mapping[str, str]


def _preset(
    title: str, normalizer: str, pre: str, model: str, template: str, pattern: str = "gpt2"
) -> Preset:
    names = {"normalizer": normalizer, "pre": pre, "pattern": pattern, "model": model, "template": template}
    return Preset(title, names)


PRESETS: Mapping[str, Preset] = {
    "bert": _preset("BERT, uncased", "bert_uncased", "bert", "wordpiece", "bert"),
    "bert_cased": _preset("BERT, cased", "bert_cased", "bert", "wordpiece", "bert"),
    "gpt2": _preset("GPT-2", "none", "byte_level", "bpe", "none"),
    "gpt4": _preset("GPT-4", "none", "byte_level", "bpe", "none", "cl100k_base"),
    "roberta": _preset("RoBERTa", "none", "byte_level", "bpe", "roberta"),
    "xlnet": _preset("XLNet", "nfd_strip_accents", "whitespace_split_metaspace", "unigram", "xlnet"),
    "t5": _preset("T5", "nfkc", "metaspace", "unigram", "t5"),
}


class Sample(NamedTuple):
    """Texts that make a point."""

    title: str
    first: str
    second: str = ""


SAMPLES: Mapping[str, Sample] = {
    "pair": Sample(
        N_("A question and a passage"),
        "Who runs the café? 🙂",
        "Zoë runs the café by the river, and Héloïse bakes the bread.",
    ),
    "accents": Sample(N_("Accents and signs"), "Héllò hôw are ü? ﬁne, thanks 👩‍🚀!"),
    "entities": Sample(
        N_("Names in a sentence"), "My name is Sylvain and I work at Hugging Face in Brooklyn."
    ),
    "code": Sample(N_("Code"), "def half(number):\n    return number / 2\n"),
    "scripts": Sample(N_("Many scripts"), "Straße, école, 你好世界, こんにちは, שלום, नमस्ते"),
}


def _settings(recipe: Recipe, pipeline: Pipeline) -> dict[str, Any]:
    return {
        "model": recipe["model"],
        "vocab_size": recipe["size"],
        "special_tokens": SPECIAL_TOKENS[recipe["template"]],
        "alphabet": recipe["alphabet"] if pipeline.byte_level else "corpus",
    }


PIPELINE = Algorithm("pipeline", N_("Pipeline"), PIPELINE_RULES, _settings, train_model)


class PipelineControls(Controls):
    """The sidebar: the stages first, and then what the model is trained on."""

    def __init__(self) -> None:
        super().__init__(PIPELINE.name, PIPELINE_RULES, "library")
        state, url = st.session_state, st.query_params.to_dict()
        if reads_address(self.key("a") not in state):
            usual = SAMPLES["pair"]
            given = "a" in url or "b" in url
            for name, text in (("a", usual.first), ("b", usual.second)):
                state[self.key(name)] = plain_text(self.short(name, url, "" if given else text))

    def load_corpus_defaults(self) -> None:
        """Another corpus leaves the stages as they are: they are what the page is about."""

    def chosen(self, recipe: Recipe, source: Source | None) -> Pipeline:
        """The stages are what the page is about: words that were counted otherwise can't be trained on here."""
        return recipe.chosen(source)

    def texts(self) -> tuple[str, ...]:
        """The text, or the pair."""
        first, second = (plain_text(self[name]) for name in ("a", "b"))
        return (first, second) if second else (first,)

    def url(self) -> dict[str, str | None]:
        """Settings and texts, None for what is as usual."""
        first, second = (plain_text(self[name]) for name in ("a", "b"))
        usual = SAMPLES["pair"]
        own = (first, second) != (usual.first, usual.second)
        url = super().url() | {
            "a": write_short(first) if own else None,
            "b": write_short(second) if own and second else None,
        }
        # A bare address stays bare: a second entry in the history would be in the way of Back.
        return url | ({"corpus": None} if url["corpus"] == self.start else {})

    def preset(self) -> str:
        """The preset that the stages are; "" for none of them."""
        return next(
            (
                name
                for name, preset in PRESETS.items()
                if all(self[key] == value for key, value in preset.values.items())
            ),
            "",
        )

    def stages(self) -> None:
        """The stages' widgets."""
        st.session_state[self.key("preset")] = self.preset()
        st.selectbox(
            _("The stages of"),
            [*PRESETS, *([] if self.preset() else [""])],
            format_func=lambda name: PRESETS[name].title if name else _("my own choice"),
            key=self.key("preset"),
            on_change=self._take_preset,
        )
        with st.expander(_("Stages"), expanded=True):
            self.cutting_widgets()
            self._choice("model", _("Model"))
            self._choice("template", _("Template"), _("What is put around the text, and between two."))

    def _take_preset(self) -> None:
        name = self["preset"]
        if name:
            for setting, value in PRESETS[name].values.items():
                st.session_state[self.key(setting)] = value

    def window_widgets(self, pair: bool) -> None:
        """How long the windows are, and what they share; which text is cut is a question for a pair only."""
        columns = st.columns([2, 2, 3, 3])
        with columns[0]:
            self._number("max", _("Longest, in tokens"), _("The template's tokens count too."))
        with columns[1]:
            told = _("How many tokens of a window come again in the next one.")
            self._number("stride", _("Stride: shared tokens"), told)
        if pair:
            with columns[2]:
                self._choice("strategy", _("Cut"))
        with columns[3]:
            self._choice("side", _("Take tokens away"))

    def examples(self) -> None:
        """Texts to try."""
        st.selectbox(
            _("Texts to try"),
            [None, *SAMPLES],
            format_func=lambda name: _("choose …") if name is None else _(SAMPLES[name].title),
            key=self.key("sample"),
            on_change=self._take_sample,
        )

    def _take_sample(self) -> None:
        if self["sample"]:
            self.take_sample(self["sample"])
            st.session_state[self.key("sample")] = None

    def take_sample(self, name: str) -> None:
        """Put texts to try into the boxes."""
        st.session_state[self.key("a")], st.session_state[self.key("b")] = SAMPLES[name][1:]


@dataclass(frozen=True)
class View:
    """What the tabs look at."""

    controls: PipelineControls
    run: Run
    trace: Any
    tokenizer: Tokenizer
    texts: tuple[str, ...]
    encoding: Encoding
    journeys: list[Journey]
    style: Style

    def key(self, name: str) -> str:
        """A widget's key, the page's own."""
        return f"{PIPELINE.name}.{name}"


def show() -> None:
    """The whole page."""
    controls = PipelineControls()
    with st.sidebar:
        controls.stages()
        with st.expander(_("What the model is trained on")):
            source = controls.corpus()
            controls.lines_widget(source)
            controls.training_widgets()
        controls.show_widget()
        controls.examples()
    pipeline = controls.pipeline(source)
    titled("pipeline", _(PIPELINE.title))
    lead = _("One text through normalization, pre-tokenization, model and post-processing, and back.")
    st.html(lead_html(lead))
    controls.say_complaints(source)
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
                "The text has {size} characters, and this page takes {limit}: shorten it, or use the playground."
            )
            problem(message.format(size=count(len(text)), limit=count(PIPELINE_LIMIT)))
            return
    if source is None or pipeline is None or controls.blocked:
        return
    recipe = controls.recipe()
    run = Run(PIPELINE, source, pipeline, PIPELINE.settings(recipe, pipeline))
    trace = stage.trained(run)
    if trace is None:
        return
    try:
        tokenizer = made(trace, recipe["template"])
        encoding = tokenizer.encode(texts[0], texts[1] if len(texts) > 1 else None)
        journeys = [journey(tokenizer, text) for text in texts]
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    style = Style(pipeline.byte_level, controls["show"], frozenset(tokenizer.special_tokens))
    show_stages(View(controls, run, trace, tokenizer, texts, encoding, journeys, style))


def made(trace: Any, template: str) -> Tokenizer:
    """The tokenizer of a run with a template."""
    unknown = next((token for token in trace.special_tokens if token in ("[UNK]", "<unk>")), None)
    tokenizer: Tokenizer = trace.tokenizer(unk_token=unknown) if unknown else trace.tokenizer()
    return tokenizer.with_options(template=TEMPLATES[template])


def show_stages(view: View) -> None:
    """The drawing and, under it, the tabs."""
    use_language(st.session_state["language"])
    tokenizer, controls = view.tokenizer, view.controls
    names = (
        choice_name("normalizer", controls["normalizer"]),
        choice_name("pre", controls["pre"]),
        _("{algorithm}, {size} tokens").format(
            algorithm=ALGORITHMS[controls["model"]].title, size=count(len(tokenizer.tokens))
        ),
        template_text(controls["template"], len(view.texts) > 1),
    )
    st.html(summary_html(view.journeys, view.encoding, names, tokenizer.model.unk_token))
    if any(len(text) > CHARACTERS_DRAWN for text in view.texts):
        message = _("The first {number} characters of a text are drawn; the tabs have all.")
        st.caption(message.format(number=count(CHARACTERS_DRAWN)))
    pipeline_view(stages_message(tokenizer, view.encoding, view.journeys, view.style), key=view.key("view"))
    parts: Mapping[str, Callable[[View], None]] = {
        N_("Encoding"): pipeline_tabs.encoding_tab,
        N_("Windows"): pipeline_tabs.windows_tab,
        N_("Back to text"): pipeline_tabs.decode_tab,
        N_("Entities"): pipeline_tabs.entities_tab,
        N_("Files and link"): pipeline_tabs.files_tab,
    }
    show_tabs(view.key("tab"), parts, view)


def template_text(name: str, pair: bool) -> str:
    """A template as it reads for one text or for two."""
    template = TEMPLATES[name]
    if template is None:
        return _("no template")
    pieces = template.pair_pieces if pair else template.single_pieces
    return " ".join(piece.token if piece.token is not None else "AB"[piece.sequence or 0] for piece in pieces)
