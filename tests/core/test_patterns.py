"""Regular expressions (`tokenizers_core/text/patterns.py`): the user's own are kept whole, timed out,
refused; the published ones' quick twins."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import errors
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.patterns import PATTERNS, compiled, finder, twin
from tokenizers_core.text.pipeline import Pipeline, pre_tokenize
from tokenizers_core.text.splitting import PRE_TOKENIZERS, Splitter


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("b", "aabbc", ["aa", "b", "b", "c"]),
        ("x*", "axxb", ["a", "xx", "b"]),
        ("", "abc", ["a", "b", "c"]),
        ("(?=[A-Z])", "camelCaseName", ["camel", "Case", "Name"]),
        (r"(\w)(\d)", "a1 b2", ["a1", "Ġ", "b2"]),  # groups don't replace the match
        ("(?r)..", "abcde", ["a", "bc", "de"]),
        (r"a\Kb", "xabx", ["xa", "b", "x"]),
        ("gpt3", "a gpt3", ["aĠ", "gpt3"]),  # a name missing in PATTERNS is a pattern like any other
    ],
)
def test_own_pattern_loses_nothing(pattern: str, text: str, expected: list[str]) -> None:
    assert [word.text for word in pre_tokenize(text, pattern=pattern)] == expected


CATASTROPHIC = "(a|aa)+$"  # `regex` sees through the textbook's (a+)+$


def test_own_pattern_times_out() -> None:
    for read in (
        lambda: pre_tokenize("a" * 60 + "!", pattern=CATASTROPHIC, timeout=0.2),
        lambda: Corpus.from_texts(["a" * 60 + "!"], pattern=CATASTROPHIC, timeout=0.2),
        lambda: Corpus.from_counts({"a" * 60 + "!": 2}, "none", "byte_level", CATASTROPHIC, 0.2),
    ):
        started = time.thread_time()
        with pytest.raises(errors.PatternTimeoutError, match=r"more than 0\.2 seconds") as caught:
            read()
        assert time.thread_time() - started < 2
        assert (caught.value.pattern, caught.value.seconds) == (CATASTROPHIC, 0.2)


def test_timeout_covers_the_whole_corpus() -> None:
    """Texts, quick one by one, still end together: what is left gets no fresh allowance."""
    read = 0

    def texts() -> Iterable[str]:
        nonlocal read
        while True:
            read += 1
            yield "word " * 50

    with pytest.raises(errors.PatternTimeoutError):
        Corpus.from_texts(texts(), pattern=r"\w+", timeout=0.2)
    assert read > 1


def test_only_matching_takes_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each text takes a second of the held clock, and hours pass between two of them."""
    clock = [0.0]

    def look() -> float:
        clock[0] += 1
        return clock[0]

    def texts() -> Iterable[str]:
        for _ in range(4):
            clock[0] += 3600
            yield "a word"

    monkeypatch.setattr("tokenizers_core.text.patterns.processor_seconds", look)
    assert Corpus.from_texts(texts(), pattern=r"\w+", timeout=3.5).total > 0
    with pytest.raises(errors.PatternTimeoutError):
        Corpus.from_texts(texts(), pattern=r"\w+", timeout=3)


def test_patterns_that_only_look_catastrophic() -> None:
    assert pre_tokenize("a" * 40 + "!", pattern="(a+)+$") == [("a" * 40 + "!", 0, 41)]


@pytest.mark.parametrize(
    ("pattern", "message", "position"),
    [
        ("(a", "missing )", 2),
        (r"(\p{L}", r"'(\p{L}'", 6),  # as it was typed
        ("[z-a]", "bad character range", 4),
        ("a{99999999999999999999}", "repeat count too big", 2),
        ("(?u)(?a)a", "incompatible", None),
        ("(" * 5000, "nested too deeply", None),
        ("a" * 10_001, "longer than 10000", None),
    ],
)
def test_invalid_pattern(pattern: str, message: str, position: int | None) -> None:
    for use in (lambda: pre_tokenize("x", pattern=pattern), lambda: Pipeline(pattern=pattern)):
        with pytest.raises(errors.PatternError, match=re.escape(message)) as caught:
            use()
        assert (caught.value.pattern, caught.value.position) == (pattern, position)
        assert len(str(caught.value)) < 300
    assert Pipeline(pre_tokenizer="bert", pattern=pattern)  # not used, so not looked at


@examples(300)
@given(
    st.text("()[]{}*+?|\\^$.-:=!<>&pPLKXRgkdwbAiruvxae09# \né", max_size=10), st.text("ab0 é\n", max_size=8)
)
def test_any_pattern_splits_or_is_refused(pattern: str, text: str) -> None:
    try:
        words = pre_tokenize(text, pattern=pattern, timeout=0.05)
    except (errors.PatternError, errors.PatternTimeoutError):
        return
    assert symbols_to_bytes("".join(word.text for word in words)).decode() == text


PUBLISHED = sorted({*PATTERNS.values(), *(Splitter(name, "", 1.0).pattern for name in PRE_TOKENIZERS[1:])})
BMP = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]


@pytest.mark.parametrize("pattern", PUBLISHED)
def test_a_twin_has_its_patterns_matches(pattern: str) -> None:
    """Oracle: `regex` itself, on every character of the Basic Multilingual Plane between letters, spaces,
    digits and itself."""
    for characters, last in ((BMP, 0xFFFF), (BMP[:0x80], 0x7F)):
        text = "".join(f"a{one} {one}'{one}\n" for one in characters)
        assert twin(pattern, last).findall(text) == compiled(pattern).findall(text)


@given(
    st.sampled_from(PUBLISHED),
    st.text(st.sampled_from("aZß日ſ1²'\u0301 \r\n\t\x1c\x85\xa0.,$+/_▁"), max_size=30),
)
def test_a_twin_finds_it_in_any_order(pattern: str, text: str) -> None:
    match = compiled(pattern).findall(text)
    assert match == twin(pattern, 0xFFFF).findall(text) == finder(pattern, text).findall(text)


def test_which_text_a_twin_is_for() -> None:
    """`re` and `regex` differ in more than speed: a text beyond the twin's characters is left to `regex`, and
    so is a short one."""
    pattern = PATTERNS["gpt2"]
    assert finder(pattern, "to be") is twin(pattern, 0x7F)
    assert finder(pattern, "né" * 50_000) is twin(pattern, 0xFFFF)
    assert finder(pattern, "né") is finder(pattern, "n𝔢" * 50_000) is compiled(pattern)
