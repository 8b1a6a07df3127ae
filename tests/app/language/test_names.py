"""Everything with a short name in the engine and the app has words."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest

from tokenizers_core import METHODS, TIE_RULES, Corpus, train_bpe
from tokenizers_core.encoding.templates import TEMPLATES
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokenizers_core.training.algorithms import ALGORITHMS
from tokenizers_core.training.bpe import ALPHABETS
from tokensteps.drawing.tokens import SHOW, Style
from tokensteps.drawing.training.merging import merge_frame
from tokensteps.language.names import CHOICE_NAMES, choice_name
from tokensteps.runs.rules import MODES
from tokensteps.teaching.predictions import ASKS, ASKS_OF_KIND


def test_every_name_of_the_engine_has_words_and_no_words_are_left_over() -> None:
    names = {
        "normalizer": NORMALIZERS,
        "pre": PRE_TOKENIZERS,
        "pattern": [*PATTERNS, "own"],
        "alphabet": ALPHABETS,
        "ties": TIE_RULES,
        "method": METHODS,
        "show": SHOW,
        "mode": MODES,
        "ask": ["mixed", *chain.from_iterable((*ASKS.values(), *ASKS_OF_KIND.values()))],
        "model": ALGORITHMS,
        "template": TEMPLATES,
    }
    assert {setting: {*CHOICE_NAMES[setting]} for setting in names} == {
        setting: {*known} for setting, known in names.items()
    }


def test_names_without_words_are_an_error() -> None:
    """A new tie rule is not described in the words of another one."""
    with pytest.raises(KeyError, match="no such rule"):
        choice_name("ties", "no such rule")
    trace = train_bpe(Corpus.from_counts({"ab": 1, "cd": 1}), merges=1)
    unknown = replace(trace, settings={**trace.settings, "tie_rule": "no such rule"})
    vars(unknown)["event"] = trace.event  # its steps follow the rule of its training
    with pytest.raises(KeyError, match="no such rule"):
        merge_frame(unknown[1], Style())
