"""The sidebar of the page “Pipeline”: the stages, texts to try, and the model's training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from tokenizers_core.text.pipeline import Pipeline
from tokensteps.language.i18n import N_, _
from tokensteps.runs.algorithms import Algorithm
from tokensteps.runs.corpora import Source, plain_text
from tokensteps.runs.rules import PIPELINE_RULES, UNIGRAM_RULES, Setting
from tokensteps.runs.settings import Recipe, write_short
from tokensteps.runs.trainings import train_model
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.controls import WORD_SETTINGS, Controls
from tokensteps.widgets.notes import lasting

SPECIAL_TOKENS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    "roberta": ("<s>", "<pad>", "</s>", "<unk>", "<mask>"),
    "xlnet": ("<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"),
    "t5": ("<pad>", "</s>", "<unk>"),
}
"""The special tokens of a template's tokenizers, in the order of their vocabularies."""


class Preset(NamedTuple):
    """The stages of a well-known tokenizer."""

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
    """A text, or a pair of texts, as a good example."""

    title: str
    first: str
    second: str = ""


SAMPLES: Mapping[str, Sample] = {
    "pair": Sample(
        N_("A question and a passage"),
        "Who runs the café? 🙂",
        "Zoë runs the café by the river, and Héloïse bakes the bread.",
    ),
    "accents": Sample(N_("Accents and emoji"), "Héllò hôw are ü? ﬁne, thanks 👩‍🚀!"),
    "entities": Sample(
        N_("Names in a sentence"), "My name is Sylvain and I work at Hugging Face in Brooklyn."
    ),
    "code": Sample(N_("Code"), "def half(number):\n    return number / 2\n"),
    "scripts": Sample(N_("Many scripts"), "Straße, école, 你好世界, こんにちは, שלום, नमस्ते"),
}


def model_settings(recipe: Recipe, pipeline: Pipeline) -> dict[str, Any]:
    return {
        "model": recipe["model"],
        "vocab_size": recipe["size"],
        "special_tokens": SPECIAL_TOKENS[recipe["template"]],
        "alphabet": recipe["alphabet"] if pipeline.byte_level else "corpus",
    }


PIPELINE_ALGORITHM = Algorithm("pipeline", N_("Pipeline"), PIPELINE_RULES, model_settings, train_model)


class PipelineControls(Controls):
    """The sidebar: the stages first, and then the model's training."""

    def __init__(self) -> None:
        super().__init__(PIPELINE_ALGORITHM.name, PIPELINE_RULES, "library")
        state, url, complaints = st.session_state, st.query_params.to_dict(), list[str]()
        if reads_address(self.key("a") not in state):
            state[self.key("t1")] = url.get("t1", "")
            usual = SAMPLES["pair"]
            value = "a" in url or "b" in url
            for name, text in (("a", usual.first), ("b", usual.second)):
                usual_text = "" if value else text
                state[self.key(name)] = plain_text(self.short(name, url, usual_text, complaints))
        self.complaints += lasting(self.key("a"), complaints, (self["a"], self["b"]))

    def load_corpus_defaults(self) -> None:
        """Keep the stages when the corpus changes: they are the page's subject."""

    def chosen(self, recipe: Recipe, source: Source | None) -> Pipeline:
        """Always the chosen stages: word counts under other rules can't be used here."""
        return recipe.chosen(source)

    def texts(self) -> tuple[str, ...]:
        """The text, or the pair."""
        first, second = (plain_text(self[name]) for name in ("a", "b"))
        return (first, second) if second else (first,)

    def url(self) -> dict[str, str | None]:
        """Settings and texts as URL parameters; None for usual values."""
        first, second = (plain_text(self[name]) for name in ("a", "b"))
        usual = SAMPLES["pair"]
        own = (first, second) != (usual.first, usual.second)
        url = super().url() | {
            "a": write_short(first) if own else None,
            "b": write_short(second) if own and second else None,
            "t1": self["t1"] or None,
        }
        # A bare address stays bare: a second entry in the history would get in the way of Back.
        return url | ({"corpus": None} if url["corpus"] == self.start else {})

    def preset(self) -> str:
        """The preset with the same stages; "" if there is none."""
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
            _("Stages as in"),
            [*PRESETS, *([] if self.preset() else [""])],
            format_func=lambda name: PRESETS[name].title if name else _("custom"),
            key=self.key("preset"),
            on_change=self._take_preset,
        )
        with st.expander(_("Stages"), expanded=True):
            self.draw(*WORD_SETTINGS, "model", "template")
        self.options_widgets()

    def draw_setting(self, setting: Setting) -> None:
        """Draw one setting's widget; with Unigram as the model, an empty size has Unigram's meaning."""
        if setting.name == "size" and self["model"] == "unigram":
            own = next(rule for rule in UNIGRAM_RULES if rule.name == "size")
            setting = setting._replace(help=own.help, placeholder=own.placeholder)
        super().draw_setting(setting)

    def _take_preset(self) -> None:
        name = self["preset"]
        if name:
            for setting, value in PRESETS[name].values.items():
                st.session_state[self.key(setting)] = value

    def window_widgets(self, pair: bool) -> None:
        """The length and the overlap of the windows; for a pair, also the text to cut."""
        columns = st.columns([2, 2, 3, 3])
        for column, name in zip(columns, ("max", "stride", "strategy", "side"), strict=True):
            if name != "strategy" or pair:
                with column:
                    self.draw(name)

    def examples(self) -> None:
        """Texts to try."""
        st.selectbox(
            _("Texts to try"),
            list(SAMPLES),
            index=None,
            format_func=lambda name: _(SAMPLES[name].title),
            key=self.key("sample"),
            on_change=self._take_sample,
            placeholder=_("choose …"),
        )

    def _take_sample(self) -> None:
        if self["sample"]:
            self.take_sample(self["sample"])
            st.session_state[self.key("sample")] = None

    def take_sample(self, name: str) -> None:
        """Put texts to try into the boxes."""
        st.session_state[self.key("a")], st.session_state[self.key("b")] = SAMPLES[name][1:]
