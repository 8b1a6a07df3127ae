"""Every error of the engine: its message, its evidence, its way through a pickle."""

from __future__ import annotations

import copy
import pickle

import pytest

from tokenizers_core import errors

UNSAVABLE = ("pattern", "part", "suffix", "token", "first", "second", "prefix")
"""Possible quotations in an UnsavableError."""
SAMPLES: list[errors.TokenizersCoreError] = [
    errors.EmptyCorpusError(0),
    errors.EmptyCorpusError(7),
    errors.EmptyCorpusError(0, used_up=True),
    errors.UnknownNameError("tie_rule", "x\x1b[0m", ("first", "greatest")),
    errors.SettingError("merges", -1, "choose at least 0"),
    errors.VocabSizeError(5, 12),
    errors.WrongTypeError("corpus", "{x}\x07", "make a corpus of it"),
    *(errors.UnreachedSizeError(why, 50, 16) for why in errors.UnreachedSizeError.templates),
    errors.PatternError("(\x00" * 500, "missing )", 3),
    errors.PatternError("{x}", "too odd"),
    errors.PatternTimeoutError("(a|aa)+$", 2.0),
    errors.SurrogateError(0xD800, 3),
    *(errors.CountsFileError(3, "hug\x07 {ten}" * 50, why) for why in errors.CountsFileError.templates),
    errors.CountedRulesError(("none", "byte_level", "{x}"), known=("bert",)),
    errors.CountedRulesError((("nfc", "lowercase"), "byte_level", "(\x00" * 500)),
    errors.ByteSymbolError("a b", 1),
    errors.UnknownTokenError("{x}"),
    errors.UnknownIdError(50, 50),
    errors.UnknownWordError("bug", "b"),
    *(errors.TemplateError("[CLS] {x}", "$A", why) for why in errors.TemplateError.templates),
    *(
        errors.TruncationError(why, "only_first", length=3, excess=5, minimum=12, stride=2, room=1)
        for why in errors.TruncationError.templates
    ),
    errors.LabelsError(2, 3),
    *(
        errors.TokenizerFileError(why, "model.{x}", {"a": ["\x07" * 500]}, "an object")
        for why in errors.TokenizerFileError.templates
    ),
    *(
        errors.VocabularyFileError(why, "{x}\x07.txt", 3, "'{x}'", "[UNK]")
        for why in errors.VocabularyFileError.templates
    ),
    errors.LackingPartError(["normalizer {x}", "added token '\x1b[0m'"]),
    *(
        errors.UnsavableError(
            why, **dict.fromkeys(UNSAVABLE, "{x}\x07"), byte="0x80", description="a model", file="merges.txt"
        )
        for why in errors.UnsavableError.templates
    ),
]


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: type(error).__name__)
def test_errors_carry_their_evidence(error: errors.TokenizersCoreError) -> None:
    message = str(error)
    assert message == error.template.format(**error.evidence)
    assert error.template in errors.all_templates()[type(error).__name__]
    assert message.isprintable() and message.endswith(".") and len(message) < 300
    for duplicate in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(duplicate) is type(error) and vars(duplicate) == vars(error) and str(duplicate) == message


def test_every_error_is_sampled() -> None:
    assert {type(error).__name__ for error in SAMPLES} >= {
        name for name in errors.all_templates() if getattr(errors, name, None) is not None
    }
    assert str(errors.VocabSizeError(vocab_size=5, minimum=12, what="alphabet")) == (
        "vocab_size=5 is below the alphabet's 12 symbols; choose at least 12."
    )
