"""The names for people of things with short names in the program: a setting's choices, tie rules, algorithms.

Each mapping goes from the program's name to a message. A name without its words is a KeyError.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from tokenizers_core.text.cutting import BEHAVIORS, DIGITS, PIECE_DIGITS, CutAt
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.rewriting import Replace
from tokenizers_core.training.algorithms import ALGORITHMS, AnyTrace
from tokenizers_core.training.bpe import BpeTrace
from tokensteps.language.i18n import N_, _, together

ALGORITHM_NAMES: Mapping[str, str] = {name: algorithm.title for name, algorithm in ALGORITHMS.items()}
"""Proper names: they are not translated."""


SIDE_NAMES: Mapping[str, str] = {
    **ALGORITHM_NAMES,
    "superbpe": "SuperBPE",
    "pickybpe": "PickyBPE",
    "paritybpe": N_("Parity-aware BPE"),
    "sentencepiece_bpe": N_("SentencePiece's BPE"),
}
"""The algorithms and the newer kinds of BPE as the sides of a comparison, to be translated."""


LANGUAGE_NAMES: Final[Mapping[str, str]] = {
    "en": N_("English"),
    "de": N_("German"),
    "es": N_("Spanish"),
    "ru": N_("Russian"),
    "zh": N_("Chinese"),
    "hi": N_("Hindi"),
}
"""A language of the parallel lines (BCP 47) → its name: four scripts, Latin, Cyrillic, Han and Devanagari."""


class TieRuleWords(NamedTuple):
    """The words about a tie rule."""

    name: str
    """As a choice in the sidebar."""
    code: str
    """As a heading over its source."""
    reason: str
    """Why it chose {pair}, as a sentence. It may use {word}, the first word with the pair, and the ids
    {first} and {second} of the pair's tokens."""


TIE_RULE_WORDS: Mapping[str, TieRuleWords] = {
    "first": TieRuleWords(
        N_("first met (course)"),
        N_("Tie rule: first met"),
        N_("Rule “first met”: reading the words in order, {pair} comes first, in {word}."),
    ),
    "lowest_ids": TieRuleWords(
        N_("lowest ids (tokenizers)"),
        N_("Tie rule: lowest ids"),
        N_("Rule “lowest ids”: {pair} has the ids {first} and {second}, the lowest."),
    ),
    "greatest": TieRuleWords(
        N_("greatest (CS336)"),
        N_("Tie rule: greatest"),
        N_("Rule “greatest”: as bytes, {pair} sorts last."),
    ),
    "shortest": TieRuleWords(
        N_("shortest token (SentencePiece)"),
        N_("Tie rule: shortest token"),
        N_(
            "Rule “shortest token”: {pair} makes the shortest token, and of equally long ones it sorts first."
        ),
    ),
}


class ExclusionWords(NamedTuple):
    """The words for a pair excluded by a bound."""

    mark: str
    """Beside the pair, struck out."""
    sentence: str
    """As a sentence: the {pair} would have been merged, and why it isn't. It may use {limit}."""


EXCLUSIONS: Mapping[str, ExclusionWords] = {
    "length": ExclusionWords(
        N_("too long"),
        N_("{pair} would have been merged, but its token would be longer than {limit} characters."),
    ),
    "kept": ExclusionWords(
        N_("kept whole"),
        N_(
            "{pair} would have been merged, but that is a symbol of its own, which is never made from others."
        ),
    ),
    "taken": ExclusionWords(
        N_("old token"),
        N_(
            "{pair} is better, but makes an old token by a way that the old merges don't take: its id stays as it is."
        ),
    ),
    "scripts": ExclusionWords(
        N_("scripts mixed"),
        N_(
            "{pair} would have been merged, but SentencePiece makes no piece of several scripts, or with a space inside."
        ),
    ),
    "unknown": ExclusionWords(
        N_("unknown character"),
        N_("{pair} would have been merged, but one of the two is a character that the alphabet leaves out."),
    ),
    "again": ExclusionWords(
        N_("made before"),
        N_(
            "{pair} would have been merged, but there is such a piece already, and SentencePiece makes each from one pair only."
        ),
    ),
}
SEED_EXCLUSIONS: Mapping[str, str] = {
    "length": N_("{piece} would be in the seed, but is longer than {limit} characters."),
    "kept": N_("{piece} would be in the seed, but is a symbol of its own, which is never made from others."),
    "unknown": N_("{piece} would be in the seed, but has a character that is unknown."),
}
"""Why Unigram's seed lacks a substring → the sentence about it."""
SHOW_NAMES: Mapping[str, str] = {
    "spaces": N_("with ␣"),
    "letters": N_("with Ġ, ▁"),
    "symbols": N_("raw"),
    "bytes": N_("bytes"),
}
MODE_NAMES: Mapping[str, str] = {"watch": N_("Step through"), "predict": N_("Predict")}
ASK_NAMES: Mapping[str, str] = {
    "mixed": N_("Each in turn"),
    "pair": N_("The next pair"),
    "count": N_("How often it occurs"),
    "score": N_("Its score"),
    "piece": N_("The next piece pruned"),
    "loss": N_("What losing it costs"),
    "split": N_("How a word is split next"),
    "bridge": N_("Within a word or across a space"),
    "leaves": N_("What leaves the vocabulary"),
    "language": N_("Which language chooses"),
}
"""The questions about the next step of a run."""
KIND_NAMES: Mapping[str, str] = {
    "plain": N_("plain BPE"),
    "superbpe": "SuperBPE",
    "pickybpe": "PickyBPE",
    "paritybpe": N_("parity-aware BPE"),
    "sentencepiece_bpe": N_("SentencePiece's BPE"),
}
"""A kind of BPE → its name."""
CHOICE_NAMES: Mapping[str, Mapping[str, str]] = {
    "normalizer": {
        "none": N_("none"),
        "nfc": "NFC",
        "nfd": "NFD",
        "nfkc": "NFKC",
        "nfkd": "NFKD",
        "lowercase": N_("lowercase"),
        "strip_accents": N_("strip accents"),
        "nfd_strip_accents": N_("NFD, strip accents"),
        "nfd_lowercase_strip_accents": N_("NFD, lowercase, strip accents"),
        "bert_cased": N_("BERT, cased"),
        "bert_uncased": N_("BERT, uncased"),
    },
    "pre": {
        "none": N_("None: each line is one stream"),
        "byte_level": N_("Byte level (GPT)"),
        "whitespace_split": N_("Split at whitespace"),
        "whitespace": N_("Words and punctuation"),
        "bert": N_("BERT"),
        "metaspace": N_("Metaspace"),
        "whitespace_split_metaspace": N_("Whitespace, ▁ in front"),
        "whitespace_split_metaspace_behind": N_("Whitespace, ▁ behind"),
        "whitespace_split_punctuation": N_("Whitespace, punctuation"),
        "end_of_word": N_("Whitespace, </w> at the end"),
    },
    "pattern": {
        "gpt2": "GPT-2",
        "cl100k_base": "GPT-4, Llama 3 (cl100k_base)",
        "o200k_base": "GPT-4o, gpt-oss (o200k_base)",
        "qwen2": "Qwen 1–3 (qwen2)",
        "tekken": "Mistral Nemo (tekken)",
        "deepseek_v3": "DeepSeek V3 (deepseek_v3)",
        "own": N_("custom pattern"),
    },
    "cuts": {
        "isolated": N_("a word of its own"),
        "removed": N_("removed"),
        "merged_with_previous": N_("part of the word before"),
        "merged_with_next": N_("part of the word after"),
        "contiguous": N_("a word, with matches beside it"),
    },
    "digits": {
        "together": N_("like other characters"),
        "runs": N_("numbers are words of their own"),
        "each": N_("one by one"),
        "left": N_("groups of three, from the left"),
        "right": N_("groups of three, from the right"),
    },
    "coverage": {
        "1": N_("all characters"),
        **{
            share: f"{100 * float(share):g} %"
            for share in ("0.9999", "0.9995", "0.999", "0.995", "0.99", "0.98", "0.95", "0.9")
        },
    },
    "alphabet": {"corpus": N_("the corpus's symbols"), "bytes": N_("all 256 bytes")},
    "kind": KIND_NAMES,
    "runs": SIDE_NAMES,
    "threshold": {share: share for share in ("0.95", "0.9", "0.8", "0.7", "0.6", "0.5")},
    "ties": {rule: words.name for rule, words in TIE_RULE_WORDS.items()},
    "method": {"course": N_("course: exact losses"), "sentencepiece": N_("SentencePiece: EM")},
    "how": {"anew": N_("Train anew"), "on": N_("Go on training"), "trim": N_("Trim")},
    "show": SHOW_NAMES,
    "mode": MODE_NAMES,
    "ask": ASK_NAMES,
    "model": ALGORITHM_NAMES,
    "template": {
        "none": N_("none"),
        "bert": "BERT: [CLS] A [SEP]",
        "roberta": "RoBERTa: <s> A </s>",
        "xlnet": "XLNet: A <sep> <cls>",
        "t5": "T5: A </s>",
    },
    "strategy": {
        "only_second": N_("the second text alone"),
        "only_first": N_("the first text alone"),
        "longest_first": N_("the longer one first"),
    },
    "side": {"right": N_("from its end"), "left": N_("from its beginning")},
}
"""Setting → choice → its name."""
BEHAVIOR_OF: Final[Mapping[str, str]] = {
    re.sub(r"\B(?=[A-Z])", "_", behavior).lower(): behavior for behavior in BEHAVIORS
}
"""The fate of a match, in an address → in the engine."""


USE_NAMES: Mapping[str, str] = {
    "merges": N_("merges in their order (BPE)"),
    "longest_prefix": N_("longest match from the left"),
    "longest_suffix": N_("longest match from the right"),
    "longest_token": N_("longest token anywhere first"),
    "fewest_tokens": N_("fewest tokens (shortest path)"),
    "most_probable": N_("most probable (Unigram)"),
    "sampled": N_("sampled at random"),
}
"""A way to use a vocabulary → its name."""


def choice_name(setting: str, choice: str) -> str:
    """A choice's name, in the language in use.

    >>> choice_name("ties", "greatest"), choice_name("pre", "none"), choice_name("normalizer", "none")
    ('greatest (CS336)', 'None: each line is one stream', 'none')
    """
    return _(CHOICE_NAMES[setting][choice])


def behavior_name(cut: CutAt) -> str:
    """The fate of each match of a pattern.

    >>> behavior_name(CutAt("-", "MergedWithNext"))
    'part of the word after'
    """
    return choice_name("cuts", next(name for name, one in BEHAVIOR_OF.items() if one == cut.behavior))


def words_names(pipeline: Pipeline) -> list[str]:
    """How a pipeline splits text into words: its pre-tokenizer, and each further cut.

    >>> words_names(Pipeline(cuts=(DIGITS["each"], CutAt("-"))))
    ['Byte level (GPT)', 'one by one', '-']
    """
    names = {cut: name for name, cut in DIGITS.items()} | {PIECE_DIGITS: "each"}
    shown = [choice_name("pre", str(pipeline.pre_tokenizer))]
    for cut in pipeline.cuts:
        if cut in names:
            shown.append(choice_name("digits", names[cut]))
        else:
            shown.append(cut.pattern if isinstance(cut, CutAt) else _("by script"))
    return shown


def normalizer_names(pipeline: Pipeline) -> list[str]:
    """A pipeline's ways of rewriting text, in turn."""
    steps = (pipeline.normalizer,) if isinstance(pipeline.normalizer, str) else pipeline.normalizer
    return [
        choice_name("normalizer", step)
        if isinstance(step, str)
        else f"{step.pattern} → {step.content}"
        if isinstance(step, Replace)
        else type(step).__name__
        for step in steps
    ]


def language_name(language: str) -> str:
    """The name of a language of the parallel lines; a visitor's own name as it is.

    >>> language_name("hi"), language_name("Plattdeutsch")
    ('Hindi', 'Plattdeutsch')
    """
    return _(LANGUAGE_NAMES[language]) if language in LANGUAGE_NAMES else language


def run_name(algorithm: str, kind: str = "plain") -> str:
    """The name of a run's training: an algorithm, or a newer kind of BPE.

    >>> run_name("unigram"), run_name("bpe", "pickybpe"), run_name("bpe", "paritybpe")
    ('Unigram', 'PickyBPE', 'Parity-aware BPE')
    """
    name = ALGORITHM_NAMES[algorithm] if kind == "plain" else _(KIND_NAMES[kind])
    return name[:1].upper() + name[1:]


def trace_name(trace: AnyTrace) -> str:
    """The same of a trace."""
    return run_name(trace.algorithm, trace.kind if isinstance(trace, BpeTrace) else "plain")


def side_name(name: str) -> str:
    """One side of a comparison."""
    return choice_name("runs", name)


def side_names(names: Iterable[str]) -> str:
    """Several of them.

    >>> side_names(["bpe", "unigram"])
    'BPE and Unigram'
    """
    return together(map(side_name, names))


# --- The kinds of BPE, each with its paper ------------------------------------------------------------------


class KindWords(NamedTuple):
    """The words for one kind of BPE, to be translated."""

    lead: str
    """The novelty, in a sentence, and where to look."""
    source: str
    """Its paper; a name: it is not translated."""
    link: str
    claims: str
    """The paper's claims, and the data behind them."""
    here: str
    """The parts of it that this page can show, and those it can't."""


KIND_ABOUT: Final[Mapping[str, KindWords]] = {
    "plain": KindWords(
        N_(
            "Merge the most frequent pair of neighbors, everywhere, again and again, until the vocabulary is full."
        ),
        "Sennrich, Haddow, Birch (2016)",
        "https://aclanthology.org/P16-1162",
        N_(
            "Words that a translation model has never seen can be spelled from parts: translations from English into German and Russian gain up to 1.1 and 1.3 BLEU over a dictionary for such words."
        ),
        N_("Every step of the training is here. How well a model translates with it is not."),
    ),
    "superbpe": KindWords(
        N_(
            "SuperBPE first learns words, then lets tokens bridge spaces: go to “stage 2” in the timeline and watch phrases become one token."
        ),
        "Liu, Hayase, Hofmann, Oh, Smith and Choi (2025)",
        "https://arxiv.org/abs/2503.13423",
        N_(
            "With 200,000 tokens in the vocabulary, a text takes up to 33 percent fewer of them than with BPE. A language model of 8 billion parameters gains 4.0 percentage points on average over 30 tasks at the same cost of training, and needs 27 percent less computation to answer."
        ),
        N_(
            "The page shows both stages, the change between them, and how many tokens the corpus has at each step. A corpus of this size can't show what a language model gains."
        ),
    ),
    "pickybpe": KindWords(
        N_(
            "PickyBPE removes a token again once it lives almost only in longer ones: a struck-out token in the timeline is one that leaves, and the sentence below says its share."
        ),
        "Chizhov, Arnett, Korotkova and Yamshchikov (2024)",
        "https://arxiv.org/abs/2409.04599",
        N_(
            "Hardly any tokens are left that a model sees too rarely to learn them, and texts get no longer. Translation, on which it was measured, gets no worse and in several cases better."
        ),
        N_(
            "The page shows each removal and what its places become, and each token that comes back. Whether rare tokens harm a model takes a model to see. Ties follow your rule; in the authors' program, the order in which pairs happen to be stored."
        ),
    ),
    "paritybpe": KindWords(
        N_(
            "In parity-aware BPE the language that takes most tokens for the same lines chooses the next merge: the bars above the words say which."
        ),
        "Foroutan, Meister, Paul, Niklaus, Ahmadi, Bosselut and Sennrich (2025)",
        "https://arxiv.org/abs/2508.04796",
        N_(
            "Languages take more similar numbers of tokens, with a Gini coefficient lower by up to 89 percent (in the paper's version of 2026). All together take hardly more, and language models show no systematic loss on their tasks."
        ),
        N_(
            "The page shows who chooses, why, and what plain BPE would have merged. Forty lines in six languages show how the rule works; they are too few to say what it does to a language."
        ),
    ),
    "sentencepiece_bpe": KindWords(
        N_(
            "BPE with SentencePiece's rules: the shortest token wins a tie, no token mixes scripts, and each is made from one pair only. Struck-out pairs are those that a rule excludes."
        ),
        "Kudo and Richardson (2018)",
        "https://aclanthology.org/D18-2012",
        N_(
            "One program that trains on plain text of any language, without splitting it into words first, and gives the text back exactly."
        ),
        N_(
            "The page follows release 0.2.3 of SentencePiece (model_type=bpe) and learns the same pieces, up to the step where no pair is left: the library then goes on with pairs that no longer occur. Late in long runs, among pairs that are equally rare, the order can differ."
        ),
    ),
}
"""Kind of BPE → its words."""
