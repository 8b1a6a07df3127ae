"""Settings in the URL (`ui/controls.py`): what is written is read back, and nothing else is trusted.

Oracle: the round trip itself, over every value that a setting may have and over generated nonsense.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ui.controls import (
    PATTERN_LIMIT,
    RULES,
    VIEWS,
    VOCABULARY_LIMIT,
    Setting,
    choice_name,
    corpus_title,
    special_tokens,
)
from ui.corpora import EXAMPLES, OWN

SETTINGS = {setting.name: setting for setting in (*RULES, *VIEWS)}


def values(setting: Setting) -> list[object]:
    """Values that a setting may have: all of them, or those at its edges."""
    if setting.choices:
        return list(setting.choices)
    if isinstance(setting.default, bool):
        return [True, False]
    if setting.most:
        return [setting.least, setting.most, setting.default]
    return ["", "<b> & </b>", "?&=#%20 +", "\u202e", "a" * setting.length]


@pytest.mark.parametrize("name", SETTINGS)
def test_every_value_survives_the_url(name: str) -> None:
    setting = SETTINGS[name]
    for value in values(setting):
        assert setting.parse(setting.write(value)) == value
        assert type(setting.parse(setting.write(value))) is type(value)


@pytest.mark.parametrize("name", SETTINGS)
@given(text=st.text(max_size=30) | st.integers().map(str))
@example(text="abc")
@example(text="-1")
@example(text="²")
@example(text="٣")
@example(text="1e3")
@example(text="0x10")
@example(text=" 5")
@example(text="9" * 5000)
def test_what_can_not_be_is_refused(name: str, text: str) -> None:
    setting = SETTINGS[name]
    try:
        value = setting.parse(text)
    except ValueError:
        assert text not in map(setting.write, values(setting))
        return
    if setting.choices or isinstance(setting.default, bool):
        assert value in values(setting)
    elif setting.most:
        assert value is None or setting.least <= value <= setting.most
    else:
        assert value == text and len(text) <= setting.length
    assert setting.parse(setting.write(value)) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("size", "abc"), ("size", "0"), ("size", str(VOCABULARY_LIMIT + 1)), ("size", "-5"), ("min", "0"),
        ("lines", "2"), ("lines", "true"), ("ties", "FIRST"), ("pre", ""), ("normalizer", "<b>"),
        ("regex", "a" * (PATTERN_LIMIT + 1)), ("show", "letter"),
    ],
)  # fmt: skip
def test_refused(name: str, text: str) -> None:
    with pytest.raises(ValueError):
        SETTINGS[name].parse(text)


def test_every_example_has_settings_that_a_link_can_hold() -> None:
    for example_ in EXAMPLES.values():
        for name, value in example_.settings.items():
            assert SETTINGS[name].parse(SETTINGS[name].write(value)) == value


def test_everything_has_a_name() -> None:
    for setting in RULES:
        for choice in setting.choices:
            assert choice_name(setting.name, choice)
    assert len({corpus_title(name) for name in (*EXAMPLES, *OWN)}) == len(EXAMPLES) + len(OWN)
    assert choice_name("pre", "none") != choice_name("normalizer", "none")


def test_special_tokens_are_separated_by_white_space() -> None:
    assert special_tokens("  <s>\t</s>\n<s>  <|a b|> ") == ("<s>", "</s>", "<|a", "b|>")
    assert special_tokens("") == ()


@pytest.mark.parametrize("setting", [rule for rule in RULES if rule.most], ids=lambda rule: rule.name)
def test_an_emptied_number_in_the_pages_own_link_means_the_usual_one(setting: Setting) -> None:
    """An emptied number box is None, which the address writes as nothing; the page must not refuse its own link."""
    assert setting.write(None) == ""
    assert setting.parse("") == setting.default
