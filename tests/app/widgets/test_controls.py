"""Settings in the URL (`tokensteps/runs/settings.py`, `tokensteps/widgets/controls.py`): written values are
read back, and nothing else is trusted.

Oracle: the round trip itself, over every possible value of a setting and over generated nonsense. A page's
widgets come from Streamlit's `AppTest`, on a page with nothing but its sidebar.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.samples import examples
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokensteps.language.names import choice_name
from tokensteps.limits import PATTERN_LIMIT, SEED_LIMIT, VOCABULARY_LIMIT
from tokensteps.runs.corpora import EXAMPLES, OWN, Example
from tokensteps.runs.rules import BPE_RULES, COMPARE_RULES, UNIGRAM_RULES, VIEWS, WORDPIECE_RULES, Setting
from tokensteps.runs.settings import corpus_title, special_tokens

PAGES = {"bpe": BPE_RULES, "wordpiece": WORDPIECE_RULES, "unigram": UNIGRAM_RULES, "compare": COMPARE_RULES}
SETTINGS = {setting.name: setting for setting in (*BPE_RULES, *VIEWS)}
UNIGRAM = {setting.name: setting for setting in UNIGRAM_RULES}
EVERY = {f"{page}.{rule.name}": rule for page, rules in PAGES.items() for rule in (*rules, *VIEWS)}


def values(setting: Setting) -> list[object]:
    """Possible values of a setting: all of them, or those at its edges."""
    if setting.kind == "several":
        sizes = range(setting.least, setting.most + 1)
        return [list(chosen) for size in sizes for chosen in combinations(setting.choices, size)]
    if setting.choices:
        return list(setting.choices)
    if isinstance(setting.default, bool):
        return [True, False]
    if setting.most:
        return [setting.least, setting.most, setting.default, *([None] if setting.limit else [])]
    return ["", "<b> & </b>", "?&=#%20 +", "\u202e", "a" * setting.length]


@pytest.mark.parametrize("name", EVERY)
def test_every_value_survives_the_url(name: str) -> None:
    setting = EVERY[name]
    for value in values(setting):
        assert setting.parse(setting.write(value)) == value
        assert type(setting.parse(setting.write(value))) is type(value)


@pytest.mark.parametrize("name", EVERY)
@examples(100)
@given(text=st.text(max_size=30) | st.integers().map(str))
@example(text="abc")
@example(text="-1")
@example(text="²")
@example(text="٣")
@example(text="1e3")
@example(text="0x10")
@example(text=" 5")
@example(text="9" * 5000)
def test_invalid_values_are_refused(name: str, text: str) -> None:
    setting = EVERY[name]
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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pre", "byte_level"), ("pre", "end_of_word"), ("method", "Course"), ("method", ""), ("seed", "0"),
        ("seed", str(SEED_LIMIT + 1)), ("seed", "many"), ("size", "0"), ("size", str(VOCABULARY_LIMIT + 1)),
        ("exact", "yes"), ("exact", ""), ("whole", "2"), ("lines", "-1"),
    ],
)  # fmt: skip
def test_refused_on_the_unigram_page(name: str, text: str) -> None:
    with pytest.raises(ValueError):
        UNIGRAM[name].parse(text)


def test_rules_of_the_unigram_page() -> None:
    """Unigram has no pairs, hence no ties; and it cuts only where no pattern is needed."""
    assert set(UNIGRAM) & {"ties", "min", "alphabet", "pattern", "regex"} == set()
    assert set(UNIGRAM["pre"].choices) < set(PRE_TOKENIZERS)
    assert {name: rule.default for name, rule in UNIGRAM.items() if name not in SETTINGS} == {
        "method": "course",
        "seed": None,
        "exact": False,
        "whole": True,
    }


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("corpus", EXAMPLES)
def test_every_example_has_settings_that_a_link_can_hold(corpus: str, page: str) -> None:
    rules = {rule.name: rule for rule in PAGES[page]}
    for name, value in EXAMPLES[corpus].settings_on(page).items():
        assert rules[name].parse(rules[name].write(value)) == value


def test_an_example_has_settings_for_each_page() -> None:
    one = Example("one", "", str, "", {"size": 1}, by_page={"wordpiece": {"size": 2}, "unigram": {"size": 3}})
    assert [one.settings_on(page).get("size") for page in PAGES] == [1, 2, 3, None]
    bare = Example("bare", "", str, "", {"size": 1})
    assert bare.settings_on("bpe") == {"size": 1}
    assert (
        bare.settings_on("wordpiece") == bare.settings_on("unigram") == {}
    )  # the page's usual ones, not BPE's
    for corpus in EXAMPLES.values():
        assert set(corpus.by_page) <= {*PAGES} - {"bpe"}


def test_examples_on_the_unigram_page() -> None:
    assert EXAMPLES["course"].settings_on("unigram") == {"seed": 300, "size": 100}
    hug = EXAMPLES["hug"].settings_on("unigram")
    assert hug == {"pre": "whitespace_split", "whole": False, "seed": 15, "size": 7}
    assert all(EXAMPLES[name].settings_on("unigram") for name in EXAMPLES)


def test_everything_has_a_name() -> None:
    for setting in (*BPE_RULES, *WORDPIECE_RULES, *UNIGRAM_RULES, *COMPARE_RULES):
        for choice in setting.choices:
            assert choice_name(setting.name, choice)
    assert len({corpus_title(name) for name in (*EXAMPLES, *OWN)}) == len(EXAMPLES) + len(OWN)
    assert choice_name("pre", "none") != choice_name("normalizer", "none")


def test_special_tokens_are_separated_by_white_space() -> None:
    assert special_tokens("  <s>\t</s>\n<s>  <|a b|> ") == ("<s>", "</s>", "<|a", "b|>")
    assert special_tokens("") == ()


@pytest.mark.parametrize("name", [name for name, rule in EVERY.items() if rule.kind == "number"])
def test_an_emptied_number_in_the_pages_own_link_means_the_usual_one(name: str) -> None:
    """An emptied number box is None, an empty value in the address; the page must not refuse its own link.

    An emptied limit means no limit, also where one is usual.
    """
    setting = EVERY[name]
    assert setting.write(None) == ""
    assert setting.parse("") == (None if setting.limit else setting.default)
    assert setting.limit == (setting.name == "size")


def sidebar(page: str) -> None:
    """A page with nothing but its sidebar: a script of its own for `AppTest`."""
    import streamlit

    from tokensteps.runs import rules
    from tokensteps.widgets import controls

    rules = {
        "bpe": rules.BPE_RULES,
        "wordpiece": rules.WORDPIECE_RULES,
        "unigram": rules.UNIGRAM_RULES,
        "compare": rules.COMPARE_RULES,
    }
    shown = controls.Controls(page, rules[page])
    source = shown.corpus()
    streamlit.session_state["pipeline"] = shown.rules_widgets(source)
    shown.training_widgets()
    shown.show_widget()
    shown.say_complaints(source)
    streamlit.session_state["url"] = shown.url()
    streamlit.session_state["blocked"] = shown.blocked


def opened(page: str, **url: str) -> AppTest:
    app = AppTest.from_function(sidebar, args=(page,), default_timeout=300)
    for name, text in url.items():
        app.query_params[name] = text
    return ran(app)


def ran(app: AppTest) -> AppTest:
    app.run()
    assert [error.value for error in app.exception] == []
    return app


def drawn(app: AppTest) -> list[str]:
    """The names of the rules with a widget."""
    kinds = ("selectbox", "number_input", "toggle", "text_input")
    keys = {str(widget.key).partition(".")[2] for kind in kinds for widget in app.get(kind)}
    return sorted(keys - {"corpus"})


def url_of(app: AppTest) -> dict[str, Any]:
    """The page's parameters for the address."""
    return {name: text for name, text in app.session_state["url"].items() if text is not None}


@pytest.mark.parametrize(
    ("page", "url", "names"),
    [
        ("bpe", {}, "alphabet kind lines min normalizer pattern pre size special ties"),
        ("bpe", {"pattern": "own"}, "alphabet kind lines min normalizer pattern pre regex size special ties"),
        ("bpe", {"pre": "bert"}, "kind lines min normalizer pre size special ties"),
        ("wordpiece", {}, "lines min normalizer pre size special ties"),
        ("unigram", {}, "exact lines method normalizer pre seed size special whole"),
        ("unigram", {"corpus": "hug"}, "exact method normalizer pre seed size special whole"),
        ("unigram", {"method": "sentencepiece"}, "lines method normalizer pre seed size special whole"),
        ("compare", {}, "lines method normalizer pre seed size ties"),
        ("compare", {"corpus": "hug", "method": "sentencepiece"}, "method normalizer pre seed size ties"),
    ],
)
def test_a_page_has_widgets_for_its_own_rules(page: str, url: dict[str, str], names: str) -> None:
    assert drawn(opened(page, **url)) == names.split()


def test_a_link_sets_the_rules_of_the_unigram_page_and_is_written_again() -> None:
    url = {
        "corpus": "hug", "normalizer": "nfkc", "pre": "none", "method": "sentencepiece", "seed": "50000",
        "size": "", "exact": "1", "whole": "1", "special": "<unk> <s>", "lines": "0",
    }  # fmt: skip
    app = opened("unigram", **url)
    assert url_of(app) == url
    rules = {name: app.session_state[f"unigram.{name}"] for name in url}
    assert (rules["seed"], rules["size"], rules["exact"], rules["lines"]) == (50_000, None, True, False)
    assert app.session_state["pipeline"].pre_tokenizer == "none" and not app.session_state["blocked"]


def test_a_corpus_brings_its_settings_to_the_unigram_page() -> None:
    app = opened("unigram")
    assert app.number_input(key="unigram.seed").value == 300 and url_of(app) == {"corpus": "course"}
    assert app.number_input(key="unigram.size").placeholder == "characters only"
    app.selectbox(key="unigram.corpus").set_value("hug")
    ran(app)
    assert app.toggle(key="unigram.whole").value is False and url_of(app) == {"corpus": "hug"}
    app.toggle(key="unigram.whole").set_value(True)
    app.number_input(key="unigram.seed").set_value(None)
    ran(app)
    assert url_of(app) == {"corpus": "hug", "whole": "1", "seed": ""} and not app.session_state["blocked"]


def test_the_page_that_compares_takes_words_that_all_three_can_take() -> None:
    """Whole streams are not for all; empty numbers show their meaning."""
    rules = {rule.name: rule for rule in COMPARE_RULES}
    assert set(rules["pre"].choices) == {*UNIGRAM["pre"].choices, "byte_level"} - {"none"}
    app = opened("compare")
    assert app.number_input(key="compare.size").label == "Largest vocabulary"
    assert app.number_input(key="compare.seed").label == "Unigram's seed vocabulary"
    assert app.number_input(key="compare.seed").placeholder == "4 × the largest"
    assert app.selectbox(key="compare.method").label == "Unigram's method"
    assert url_of(opened("compare", size="", seed="70", ties="greatest")) == {
        "corpus": "course", "size": "", "seed": "70", "ties": "greatest",
    }  # fmt: skip
    assert opened("unigram").number_input(key="unigram.size").label == "Vocabulary size"


@pytest.mark.parametrize(("name", "number"), [("seed", 0), ("seed", 50_001), ("size", 20_001), ("size", -1)])
def test_invalid_numbers_stop_the_unigram_page(name: str, number: int) -> None:
    app = opened("unigram")
    app.number_input(key=f"unigram.{name}").set_value(number)
    ran(app)
    (message,) = [html.proto.body for html in app.get("html") if "note problem" in html.proto.body]
    most = "50,000" if name == "seed" else "20,000"
    assert f"{number:,} is out of range; choose a number from 1 to {most}." in message
    assert app.session_state["blocked"]
    assert app.session_state[f"unigram.{name}"] == number  # kept, to be mended


def test_the_exact_stop_is_kept_while_another_method_hides_it() -> None:
    app = opened("unigram", exact="1", method="sentencepiece")
    app.selectbox(key="unigram.method").set_value("course")
    ran(app)
    assert app.toggle(key="unigram.exact").value is True
