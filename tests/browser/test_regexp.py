"""The browser's `RegExp` in the place of `regex`, as the site's page “Try” has it, in plain Chromium, without
Python in it.

Oracle: `regex` itself on the same patterns and texts; for the engine on it, the engine on `regex`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import category

import pytest
import regex
from playwright.sync_api import Browser, Page

from tests.hostile import KINDS
from tests.samples import sampled
from tokenizers_core.text import normalizers, splitting
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.training import unigram
from tokensteps.drawing import tokens
from tokensteps.language import marks
from tokensteps.language.glossary import definitions
from tokensteps.language.i18n import LANGUAGES, use_language
from tokensteps.site.live import regexp

ROOT = Path(__file__).resolve().parents[2]
TEXTS = (
    "", "hug pug\n", "Isn't it 1,234.5 tokens? IT'S\t\u00a0\u2003fine …\r\n\r\n", "L'été à Noël, 20 €; e\u0301 a\u0308",
    "Straße ſ K ΣΑΣ ςσ İı", "Привет, мир!", "مرحبًا بالعالم ١٢٣", "שָׁלוֹם", "नमस्ते दुनिया।", "你好，世界！　全角", "カタカナーひらがな",
    "👩‍👩‍👧‍👦 🏳️‍🌈 🍵a𝒳𝓎 b", "\x1c\x1d\x85\u2028\u200b\u200c\u200d\ufeff_‿", "[a-z]{2}(x)|$^.*\\/", "##ing ▁the Ġthe </w> \x00",
    *KINDS["markup"][:3],
)  # fmt: skip
SIGNS = tuple(pattern.pattern for pattern in marks.TOKEN_SIGNS.values())
OWN = (
    *PATTERNS.values(), *(rule.pattern for rule in splitting.RULES.values() if rule.pattern), *SIGNS,
    rf"[{normalizers.CJK}]", r"\p{M}", r"[^\S ]", r"[\p{Cc}\p{Cf}\p{Co}\ufffd](?<![\t\n\r])", unigram.SCRIPT.pattern, marks.MARK.pattern, marks.PLACEHOLDER.pattern,
)  # fmt: skip
"""The patterns of the engine and the drawing in use on the page."""
PLAIN = (
    r"a*", r"(a)|(b)?", r"(?P<one>\d+)(?P<two>\D)?", r"^.|.$", r"\A\w|\w\Z", r"[^\W\d_]+", r"[]a^-]+", r"[\]\-a-f.]", r"x{2,}?|{", r"\x41|\u00e9|\U0001f375",
    r"(?<=\s)\S", r"(?<!\w)\w+?(?=\W)", r"(?i:straße|ς)", r"[\s\S]{3}", r"\t|\n|/", r"(?V1)[[\w]--[\p{Han}a-c]]+",
)  # fmt: skip
"""Patterns for all the translation's abilities."""


@pytest.fixture(scope="module")
def asking(browser: Browser) -> Iterator[Page]:
    """The stand-in with a real browser behind it."""
    page = browser.new_page()
    script = (ROOT / "assets" / "site" / "live" / "regexp.js").read_text("utf-8")
    page.evaluate(f"() => {{ {script} }}")

    @cache
    def ask(*arguments: object) -> list[int]:  # the ways to ask for all positions come to the same question
        positions: list[int] = page.evaluate("args => [...regexpPlaces(...args)]", arguments)
        return positions

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regexp, "positions_of", ask)
        yield page
    page.close()


def matches(engine: Any, pattern: str, text: str) -> dict[str, Any]:
    """All of a pattern's finds in a text."""
    flags = regexp.DOTALL if pattern in SIGNS else 0
    result = engine.compile(pattern, regex.DOTALL if flags and engine is regex else flags)
    ways = {name: getattr(result, name)(text) for name in ("search", "match", "fullmatch")}
    return {
        "all": [(one.span(), one.groups(), one.lastgroup, [one.span(at) for at in range(len(one.groups()) + 1)]) for one in result.finditer(text)],
        "findall": result.findall(text),
        "split": result.split(text),
        "sub": result.sub(lambda match: f"<{match[0]}>", text),
        **{name: hit and (hit.span(), hit[0], hit.groups()) for name, hit in ways.items()},
    }  # fmt: skip


@pytest.mark.parametrize("pattern", [*OWN, *PLAIN])
def test_a_pattern_has_the_matches_of_regex(asking: Page, pattern: str) -> None:
    for text in TEXTS[: sampled(len(TEXTS))] if pattern in OWN else TEXTS[:13]:
        assert matches(regexp, pattern, text) == matches(regex, pattern, text), text


@pytest.mark.parametrize(
    "pattern",
    [r"\w", r"\s", r"\d", r"\p{L}", r"\p{M}", r"\p{P}", r"\p{Zs}", r"\p{Han}", r"\p{Common}", tokens.TAKES_SKIN_TONE.pattern],
)  # fmt: skip
def test_a_class_has_the_same_characters(asking: Page, pattern: str) -> None:
    runs, every = f"{pattern}+", every_character()
    assert [one.span() for one in regexp.compile(runs).finditer(every)] == [
        one.span() for one in regex.finditer(runs, every)
    ]


@cache
def every_character() -> str:
    """All characters known to this Python: younger characters may be missing from the tables of a browser."""
    return "".join(
        character for character in map(chr, range(0x110000)) if category(character) not in ("Cn", "Cs")
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_terms_are_marked_where_regex_marks_them(asking: Page, language: str) -> None:
    """The terms of all definitions, in one text, with word separators in front of them and behind."""
    use_language(language)
    try:
        pattern, _ids = marks.terms_pattern(language)
        texts = [message for _name, message in definitions().values()]
    finally:
        use_language("en")
    text = "\n".join([*texts, "Tied, UNTIED; merge-pairs pairs' re-merge MERGE\u0301 Tokens1 _token 対ペアx"])
    theirs = [match.span() for match in pattern.finditer(text)]
    assert [match.span() for match in regexp.compile(pattern.pattern).finditer(text)] == theirs
    assert len(theirs) > 50


@pytest.mark.parametrize("text", [r"a.b*c [x] (y) {2} \ ^$ | - / &&", "</w> ## Ġ", "é👩‍👩‍👧"])
def test_escaped_text_matches_itself(asking: Page, text: str) -> None:
    assert regexp.fullmatch(regexp.escape(text, literal_spaces=True), text)
    assert regexp.fullmatch(regex.escape(text, literal_spaces=True), text)


@pytest.mark.parametrize(
    "pattern", [r"a++", r"(?>a)", r"\X", r"a(*SKIP)b", r"\bx", r"(?R)", r"[a", r"(?s:.)", r"\G", r"(?P=one)"]
)
def test_patterns_unknown_to_the_browser_are_an_error(asking: Page, pattern: str) -> None:
    with pytest.raises(regexp.error, match="at position"):
        regexp.search(pattern, "a")


def test_a_missing_group_and_a_strange_replacement_are_errors(asking: Page) -> None:
    match = regexp.search("(a)|b", "b")
    assert match is not None and match[1] is None and match.span(1) == (-1, -1)
    with pytest.raises(IndexError, match="no such group: 2"):
        match.span(2)
    with pytest.raises(regexp.error, match="backslash"):
        regexp.sub("(a)", r"\1", "a")
    with pytest.raises(regexp.error, match="DOTALL"):
        regexp.search("a", "a", regexp.VERBOSE)


# --- the engine on it ---------------------------------------------------------------------------------------

SCRIPTS = {
    "english": "This is the Hugging Face Course. It's about tokens, isn't it? 12,345 tokens!",
    "french": "L'été, où l'on goûte à la crème brûlée; déjà vu à Noël, 20 €.",
    "german": "Straße, Größe, Übermut; die Straßen größer, die Größten übermütig.",
    "russian": "Привет, мир! Приветливый мирный житель приветствует мир.",
    "arabic": "مرحبا بالعالم، مرحبًا بكم في عالم الكلمات ١٢٣.",
    "hebrew": "שלום עולם, שָׁלוֹם לכל העולם.",
    "hindi": "नमस्ते दुनिया, नमस्कार दुनिया भर के लोगों को।",
    "chinese": "你好，世界！世界你好，分词器把句子切成词元。\u3000全角空格",
    "japanese": "こんにちは、世界！カタカナとひらがなと漢字。カタカナ",
    "emoji": "👩‍👩‍👧‍👦 family 🏳️‍🌈 flag 🍵🍵 tea\u00a0nbsp\u0085next sep 𝒳𝓎𝓏 <b>&amp;",
}
"""Texts of ten scripts, for training on the page in its own test, too."""
TRAINED = (
    ("bpe", "byte_level", "60"),
    ("wordpiece", "bert", "60"),
    ("unigram", "whitespace_split_metaspace", "50"),
)


def test_the_engine_on_it_trains_the_same_runs(asking: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second engine beside the first, imported with the stand-in where it imports `regex`."""
    theirs = [run_of(text, *wanted) for text in SCRIPTS.values() for wanted in TRAINED]
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("tokenizers_core", "tokensteps", "regex")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "regex", regexp)
    try:
        assert [run_of(text, *wanted) for text in SCRIPTS.values() for wanted in TRAINED] == theirs
        assert sys.modules["tokenizers_core.text.patterns"].regex is regexp
    finally:
        for name in [
            name for name in sys.modules if name.partition(".")[0] in ("tokenizers_core", "tokensteps")
        ]:
            del sys.modules[name]  # the former state comes back


def run_of(text: str, algorithm: str, pre: str, size: str) -> dict[str, Any]:
    """A run as the page saves it."""
    from tokensteps.site.live.trials import run_json, run_of_text

    run: dict[str, Any] = json.loads(
        run_json(run_of_text(text, algorithm, {"pre": pre, "size": size}, lambda _done: None))
    )
    return run
