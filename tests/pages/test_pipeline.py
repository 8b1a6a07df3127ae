"""The page “Pipeline” without a browser, through Streamlit's `AppTest`: stages, links, complaints, tabs,
files.

Sources and oracles: the engine, asked for the same corpus, stages and texts; the drawing's own message to the
browser; the `tokenizers` library for the downloaded file. Tests of JavaScript are in
`tests/browser/test_pipeline_page.py`; the drawing itself is tried in `tests/app/drawing/test_pipeline.py`.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer as Library

from tests.app.catalogue.test_renewal import bert
from tests.pages.pages import Page, address, bodies, problems, run, sent_messages, tables, tabs
from tokenizers_core import Tokenizer
from tokenizers_core.encoding.templates import TEMPLATES
from tokenizers_core.encoding.truncation import Truncation
from tokenizers_core.files.tokenizer_json import tokenizer_to_json
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokensteps.catalogue.choices import upload_spec
from tokensteps.catalogue.shipped import gpt2
from tokensteps.limits import PIPELINE_LIMIT
from tokensteps.pages.explore.pipeline import tokenizer_with_template
from tokensteps.pages.explore.pipeline_controls import PRESETS, SAMPLES, SPECIAL_TOKENS
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.runs.corpora import pack_text
from tokensteps.runs.rules import PIPELINE_RULES
from tokensteps.runs.settings import Recipe, read_url
from tokensteps.runs.trainings import train_model

PAGE = Page("pipeline", Path("pages", "explore", "pipeline.py"), PIPELINE_RULES)
value = PAGE.value
SMALL = {"corpus": "course", "size": "60"}
TABS = ["Encoding", "Windows", "Back to text", "Entities", "Files and link"]
HOSTILE = "<img src=x onerror=alert(1)> {x} **b** $x$ \u202e </div>"


def opened(tab: str = "", **url: str) -> AppTest:
    """The page as a link opens it; with a small corpus unless the link has another."""
    value = SMALL | url
    if value.get("model") == "unigram" or value.get("pre") == "byte_level":
        value["size"] = url.get("size", "330")
    return PAGE.opened(urlencode(value), tab)


def answer_box(app: AppTest) -> Any:
    """Where the words to be found are typed."""
    return next(box for box in app.text_input if box.label.startswith("An answer"))


def number_box(app: AppTest, end: str) -> Any:
    """A number of the exercise: the name's start or end."""
    return next(box for box in app.number_input if box.key and box.key.startswith(f"pipeline.ask.{end}."))


def drawing(app: AppTest) -> dict[str, Any]:
    """The drawing's message."""
    result: dict[str, Any] = next(one for one in sent_messages(app) if "atoms" in one)
    return result


def drawn_ids(app: AppTest) -> list[int]:
    """The drawn ids, by their tokens' places."""
    results = re.findall(r"data-r=4[^>]*data-i=(\d+)[^>]*>(\d+)</bdi>", drawing(app)["atoms"])
    return [
        int(identifier)
        for _place, identifier in sorted((int(position), identifier) for position, identifier in results)
    ]


def engine(app: AppTest) -> Tokenizer:
    """The engine's result with the page's settings."""
    names = [rule.name for rule in PIPELINE_RULES]
    values = {name: value(app, name) for name in (*names, "corpus", "show")}
    recipe = Recipe(
        "pipeline", PIPELINE_RULES, values, value(app, "paste") if values["corpus"] == "paste" else ""
    )
    source = recipe.source()
    assert source is not None
    pipeline = recipe.pipeline(source)
    trace = train_model(
        source.corpus(pipeline),
        values["model"],
        values["size"],
        SPECIAL_TOKENS[values["template"]],
        values["alphabet"] if pipeline.byte_level else "corpus",
    )
    return tokenizer_with_template(trace, values["template"])


def shows(app: AppTest, *texts: str) -> Tokenizer:
    """The drawing is the engine's encoding of these texts; returns the engine's tokenizer."""
    tokenizer = engine(app)
    assert drawn_ids(app) == tokenizer.encode(texts[0], texts[1] if len(texts) > 1 else None).ids
    return tokenizer


# --- any tokenizer ------------------------------------------------------------------------------------------


def test_an_uploaded_tokenizer_is_shown_stage_by_stage() -> None:
    """As the library encodes a pair by it: ids, marks, stages, windows, the way back, and a link back to
    it."""
    library = bert()
    spec = upload_spec({"tokenizer.json": library.to_str().encode()})
    texts = ("Thé cats", "chased the rats [SEP]")
    app = PAGE.opened(urlencode({"t1": spec, "a": texts[0], "b": texts[1], "max": "9"}))
    assert problems(app) == [] and drawn_ids(app) == library.encode(*texts).ids
    [cards] = bodies(app, "stages")
    assert "BertNormalizer" in cards and "WordPiece, 34 tokens" in cards and "[CLS] A [SEP] B [SEP]" in cards
    assert address(app)["t1"] == spec and not app.get("progress")
    assert value(app, "t1") == spec and not any(box.label == "Stages as in" for box in app.selectbox)
    assert "normalized" not in bodies(PAGE.with_tab(app, "Windows"), "windows")[0]
    app = PAGE.with_tab(app, "Back to text")
    assert library.decode(library.encode(*texts).ids, skip_special_tokens=False) in unescape(
        bodies(app, "decoded")[0]
    )
    assert any("own decoder" in text for text in bodies(app, "reasons"))
    app = PAGE.with_tab(app, "Files and link")
    assert spec in parse_qs(urlsplit(app.code[0].value).query)["t1"] and len(app.get("download_button")) == 0
    app.selectbox(key="pipeline.t1").set_value("")
    run(app)
    assert "t1" not in address(app) and any(box.label == "Stages as in" for box in app.selectbox)


@pytest.mark.parametrize("spec", ["unigram?corpus=hug", "hub?name=gpt2", "bpe?corpus=nowhere", "file?x=0"])
def test_trained_public_and_lost_tokenizers(spec: str) -> None:
    app = PAGE.opened(urlencode({"t1": spec, "a": "hugs"}))
    if spec.startswith(("bpe", "file")):
        assert len(problems(app)) == 1 and not bodies(app, "stages")
        return
    subject = gpt2() if spec.startswith("hub") else None
    assert problems(app) == [] and len(bodies(app, "stages")) == 1
    if subject is not None:
        assert drawn_ids(app) == [*subject.encode("hugs").ids]
        titles = app.selectbox(key="pipeline.t1").options
        assert len([title for title in titles if "GPT-2" in title]) == 1  # under its old name, too


# --- stages -------------------------------------------------------------------------------------------------


def test_a_bare_address_shows_a_pair_by_bert() -> None:
    app = PAGE.opened()
    assert app.title[0].value == "Pipeline" and problems(app) == [] and address(app) == {}
    assert tabs(app) == TABS
    tokenizer = shows(app, *SAMPLES["pair"][1:])
    assert (tokenizer.pipeline.normalizer, tokenizer.pipeline.pre_tokenizer) == ("bert_uncased", "bert")
    assert tokenizer.template == TEMPLATES["bert"]
    assert app.selectbox(key="pipeline.preset").value == "bert"
    [cards] = bodies(app, "stages")
    encoding = tokenizer.encode(*SAMPLES["pair"][1:])
    assert f"3 added: {len(encoding)} tokens in all" in cards and "WordPiece, 4,000 tokens" in cards
    assert "1 unknown" in cards  # the emoji


@pytest.mark.many(3)
@pytest.mark.parametrize("preset", PRESETS)
def test_presets_set_the_stages(preset: str) -> None:
    app = opened(a="Héllo, the course!", model="bpe", normalizer="nfd", size="330")
    assert app.selectbox(key="pipeline.preset").value == ""
    app.selectbox(key="pipeline.preset").set_value(preset)
    run(app)
    assert {name: value(app, name) for name in PRESETS[preset].values} == PRESETS[preset].values
    assert problems(app) == [] and app.selectbox(key="pipeline.preset").value == preset
    shows(app, "Héllo, the course!")


@pytest.mark.many(3)
@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_every_normalizer(normalizer: str) -> None:
    app = opened(normalizer=normalizer, a="Héllo, ﬁne!", b="the e\u0301nd")
    assert problems(app) == []
    shows(app, "Héllo, ﬁne!", "the e\u0301nd")


@pytest.mark.many(4)
@pytest.mark.parametrize("pre", PRE_TOKENIZERS)
@pytest.mark.parametrize("model", ALGORITHMS)
def test_every_pre_tokenizer_and_model(pre: str, model: str) -> None:
    template = list(TEMPLATES)[(PRE_TOKENIZERS.index(pre) + list(ALGORITHMS).index(model)) % len(TEMPLATES)]
    app = opened(pre=pre, model=model, template=template, a="This is a course, né?")
    assert problems(app) == []
    shows(app, "This is a course, né?")


@pytest.mark.parametrize("show", ["letters", "symbols", "bytes"])
def test_stages_are_switched_by_hand(show: str) -> None:
    app = opened(a="the course")
    app.selectbox(key="pipeline.template").set_value("xlnet")
    app.selectbox(key="pipeline.pre").set_value("byte_level")
    app.number_input(key="pipeline.size").set_value(300)
    app.segmented_control(key="pipeline.show").set_value(show)
    run(app)
    assert problems(app) == []
    tokenizer = shows(app, "the course")
    assert tokenizer.encode("the course").tokens[-1] == "<cls>"
    assert ("0x74" in drawing(app)["atoms"]) == (show == "bytes")
    assert address(app)["template"] == "xlnet" and address(app)["pre"] == "byte_level"


# --- texts and links ----------------------------------------------------------------------------------------


def test_a_link_brings_everything_back() -> None:
    url = SMALL | {
        "a": "Where? 🙂",
        "b": "In the café\u0301, “here”",
        "normalizer": "nfkc",
        "pre": "whitespace_split_punctuation",
        "model": "bpe",
        "template": "roberta",
        "max": "9",
        "stride": "1",
        "strategy": "only_first",
        "side": "left",
        "show": "symbols",
    }
    app = opened(**url)
    assert problems(app) == [] and address(app) == url
    assert (value(app, "max"), value(app, "stride"), value(app, "side")) == (9, 1, "left")
    shows(app, url["a"], url["b"])
    app.text_area(key="pipeline.a").set_value("another")
    run(app)
    assert address(app) == url | {"a": "another"}
    again = PAGE.opened(urlencode(address(app)))
    assert drawing(again) == drawing(app)


@pytest.mark.parametrize("model", ALGORITHMS)
def test_an_emptied_size_means_no_limit(model: str) -> None:
    """The engine trains without a size, and the address means the same."""
    app = opened(model=model, a="the course")
    app.number_input(key="pipeline.size").set_value(None)
    run(app)
    assert problems(app) == [] and address(app)["size"] == ""
    placeholder = "characters only" if model == "unigram" else "until pairs run out"
    assert app.number_input(key="pipeline.size").placeholder == placeholder
    shows(app, "the course")
    assert PAGE.rules(PAGE.opened(urlencode(address(app)))) == PAGE.rules(app)


def test_settings_of_a_closed_tab_stay_in_the_address() -> None:
    app = opened(tab="Windows", a="the course")
    app.number_input(key="pipeline.max").set_value(7)
    run(app)
    assert address(app)["max"] == "7"
    PAGE.with_tab(app, "Encoding")
    run(app)
    assert address(app)["max"] == "7" == str(value(app, "max"))


def test_a_link_with_a_text_alone_has_no_second() -> None:
    shows(opened(a="the course"), "the course")
    assert value(opened(a="the course"), "b") == ""
    only_second = opened(b="the course")
    assert value(only_second, "a") == "" and problems(only_second) == []
    shows(only_second, "", "the course")
    again = PAGE.opened(urlencode(address(only_second)))
    assert (value(again, "a"), value(again, "b")) == ("", "the course")


def test_samples() -> None:
    app = opened()
    for name, sample in SAMPLES.items():
        app.selectbox(key="pipeline.sample").set_value(name)
        run(app)
        assert problems(app) == [], name
        shows(app, *filter(None, sample[1:]))
        assert app.selectbox(key="pipeline.sample").value is None


@pytest.mark.many(2)
@pytest.mark.parametrize(
    "texts", [("", ""), (" ", ""), ("", "b"), ("the course", ""), (HOSTILE, HOSTILE), ("\u0301", "\u202e\u200d"), ("é" * 700, "a b " * 300)],
)  # fmt: skip
def test_every_tab_has_something_to_show(texts: tuple[str, str]) -> None:
    app = opened()
    app.text_area(key="pipeline.a").set_value(texts[0])
    app.text_area(key="pipeline.b").set_value(texts[1])
    for tab in TABS:
        PAGE.with_tab(app, tab)
        if tab != "Windows":  # its question may be longer than a window: that is said
            assert problems(app) == [], tab
        assert not any(
            tag in html.proto.body for html in app.get("html") for tag in ("<img", "</div></bdi>", "<script")
        ), tab
        shown = [*app.markdown, *app.caption, *app.header, *app.title]
        assert not any("onerror" in element.value for element in shown), tab
        assert "<img" not in drawing(app)["atoms"], tab


def test_too_long_a_text_is_refused_and_kept() -> None:
    app = opened(a="a")
    app.text_area(key="pipeline.b").set_value("b" * (PIPELINE_LIMIT + 1))
    run(app)
    assert "2,001 characters" in problems(app)[0] and "2,000" in problems(app)[0]
    assert len(value(app, "b")) == PIPELINE_LIMIT + 1
    app.text_area(key="pipeline.b").set_value("b" * PIPELINE_LIMIT)
    run(app)
    assert problems(app) == []
    assert any("The first 600 characters" in caption.value for caption in app.caption)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ({"corpus": "nonsense"}, "corpus='nonsense'"),
        ({"normalizer": "<b>"}, "normalizer="),
        ({"pre": "gpt"}, "pre='gpt'"),
        ({"model": "bytes"}, "model='bytes'"),
        ({"template": "gpt2"}, "template='gpt2'"),
        ({"max": "0"}, "max='0'"),
        ({"stride": "-1"}, "stride='-1'"),
        ({"size": "x"}, "size='x'"),
        ({"strategy": "none"}, "strategy='none'"),
        ({"corpus": "paste", "text": "eNoLdamaged"}, "damaged"),
    ],
)
def test_an_invalid_link_is_explained_and_the_rest_survives(url: dict[str, str], message: str) -> None:
    app = opened(a="the course", **url)
    assert any(message.replace("<", "&lt;").replace("'", "&#x27;") in problem for problem in problems(app))
    assert value(app, "a") == "the course"


def test_a_lost_text_stays_reported_until_another_is_typed() -> None:
    app = opened(a="~damaged", b="hug")
    assert "text of this link is lost" in problems(app)[0]
    assert "text of this link is lost" in problems(run(app))[0]
    app.text_area(key="pipeline.a").set_value("the course")
    assert problems(run(app)) == []


def test_a_later_link_without_a_text_has_lost_none() -> None:
    app = opened(a="~damaged")
    run(app.switch_page(str(Path("pages", "learn", "glossary.py"))))
    app.query_params.clear()
    app.query_params["t1"] = "bpe?corpus=hug"
    assert problems(run(app.switch_page(str(PAGE.script)))) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ({"size": "3"}, "below the starting vocabulary"),
        ({"pre": "byte_level", "size": "400", "pattern": "own", "regex": "("}, "regular expression"),
        ({"corpus": "paste", "text": str(pack_text(" \n "))}, "Write or paste a text first."),
    ],
)
def test_impossible_trainings_are_reported(url: dict[str, str], message: str) -> None:
    app = opened(a="a" * 60, **url)
    assert message in " ".join(problems(app))


def test_a_corpus_of_ones_own() -> None:
    app = opened(corpus="paste", text=str(pack_text(f"low lower {HOSTILE}")), a="lower")
    assert problems(app) == []
    assert "<img" not in drawing(app)["atoms"]
    assert drawing(app)["tells"][0].startswith("Token 0: “[CLS]”")


# --- tabs ---------------------------------------------------------------------------------------------------


def table(app: AppTest, column: str) -> Any:
    """The table with a column of this name."""
    return next(table for table in tables(app) if column in table)


def test_the_encoding_in_full() -> None:
    app = opened(tab="Encoding", a="the café", b="Là!")
    encoding = shows(app, "the café", "Là!").encode("the café", "Là!")
    result = table(app, "attention_mask")
    for column, expected in {
        "id": encoding.ids, "type_id": encoding.type_ids, "start": [start for start, _ in encoding.offsets],
        "end": [end for _, end in encoding.offsets], "special_tokens_mask": encoding.special_tokens_mask,
        "attention_mask": encoding.attention_mask,
    }.items():  # fmt: skip
        assert list(result[column]) == expected
    for column, optional in {"word_id": encoding.word_ids, "sequence_id": encoding.sequence_ids}.items():
        assert [
            None if empty else number
            for number, empty in zip(result[column], result[column].isna(), strict=True)
        ] == optional
    app.segmented_control(key="pipeline.map.text").set_value(1)
    run(app)
    app.number_input(key="pipeline.map.1").set_value(1)
    run(app)
    assert f"encoding.char_to_token(1, 1)  # → {encoding.char_to_token(1, 1)}" in app.code[0].value
    app.number_input(key="pipeline.map.1").set_value(3)
    run(app)
    assert "choose a number from 0 to 2" in problems(app)[0]


@pytest.mark.parametrize(("text", "message"), [("a", "1 token fits into"), ("a a", "2 tokens fit into")])
def test_one_window(text: str, message: str) -> None:
    app = opened(tab="Windows", a=text, template="none")
    assert any(message in caption.value for caption in app.caption)


def test_windows_and_the_answer() -> None:
    app = opened(tab="Windows", max="24", stride="4", size="90")
    texts = SAMPLES["pair"][1:]
    tokenizer = shows(app, *texts)
    encoding = tokenizer.with_options(truncation=Truncation(24, 4, "only_second")).encode(*texts)
    number = 1 + len(encoding.overflowing)
    assert number > 2 and any(f"need {number} windows" in caption.value for caption in app.caption)
    [windows] = bodies(app, "windows")
    assert windows.count("<section") == number
    answer_box(app).set_value("river")
    run(app)
    [windows] = bodies(app, "windows")
    start = texts[1].index("river")
    holding = [one.tokens_on(start, start + 5, 1) is not None for one in (encoding, *encoding.overflowing)]
    assert re.findall(r'<section class="(\w+)"', windows) == ["yes" if one else "no" for one in holding]
    assert any(holding) and not all(holding)
    answer_box(app).set_value(HOSTILE)
    run(app)
    assert "does not contain" in problems(app)[0] and "&lt;img" in problems(app)[0]
    answer_box(app).set_value("")
    run(app)
    assert problems(app) == [] and 'class="yes"' not in bodies(app, "windows")[0]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ({"max": "3"}, "Stride: shared tokens: 4 can't be used: Maximum tokens: 3 leaves"),
        (
            {"max": "8", "stride": "5"},
            "Stride: shared tokens: 5 can't be used: Maximum tokens: 8 leaves 5 tokens for text; choose less than 5.",
        ),
        ({"max": "4", "stride": "0"}, "only_second"),
    ],
)
def test_impossible_windows_are_explained(url: dict[str, str], message: str) -> None:
    app = opened(tab="Windows", **url)
    assert message in unescape(problems(app)[0]) and bodies(app, "windows") == []
    assert drawn_ids(app)  # the rest of the page is there


def test_windows_need_their_numbers() -> None:
    app = opened(tab="Windows", a="the course")
    app.number_input(key="pipeline.max").set_value(None)
    run(app)
    assert "how long a window may be" in bodies(app, "note")[0]


def test_back_to_text() -> None:
    app = opened(tab="Back to text", a="the Çourse", b="this is", normalizer="bert_uncased")
    tokenizer = shows(app, "the Çourse", "this is")
    encoding = tokenizer.encode("the Çourse", "this is")
    first = bodies(app, "decoded")[0]
    assert f"<bdi>{tokenizer.decode(encoding.ids)}</bdi>" in first
    assert f"<bdi>{tokenizer.decode(encoding.ids, skip_special_tokens=True)}</bdi>" in first
    reasons = bodies(app, "reasons")
    assert "Normalizing: 1 character was" in reasons[0] and "comes back exactly as it was" in reasons[1]
    assert [heading.value for heading in app.header] == ["Text A", "Text B"]


def test_entities_are_found_by_offsets() -> None:
    app = opened(tab="Entities", a=SAMPLES["entities"].first)
    result = table(app, "entity")
    text = SAMPLES["entities"].first
    assert [*zip(result["entity"], result["text[start:end]"], strict=True)] == [
        ("PER", "Sylvain"), ("ORG", "Hugging Face"), ("LOC", "Brooklyn"),
    ]  # fmt: skip
    assert all(
        text[start:end] == name
        for start, end, name in zip(result["start"], result["end"], result["text[start:end]"], strict=True)
    )
    start = text.index("Hugging Face")
    number_box(app, "start").set_value(start)
    number_box(app, "end").set_value(start + 7)
    run(app)
    assert "is &#x27;Hugging&#x27;" in problems(app)[0]
    number_box(app, "end").set_value(start + 12)
    run(app)
    assert problems(app) == [] and f"Right: text[{start}:{start + 12}]" in bodies(app, "note")[-1]
    for begin, end in ((-5, start + 12), (start - len(text), start - len(text) + 12)):
        number_box(app, "start").set_value(begin)
        number_box(app, "end").set_value(end)
        run(app)
        assert problems(app)


def test_each_place_of_a_name_has_its_offsets() -> None:
    app = opened(tab="Entities", a="From Brooklyn to Brooklyn.")
    for start, right in ((5, True), (6, False), (17, True)):
        number_box(app, "start").set_value(start)
        number_box(app, "end").set_value(start + len("Brooklyn"))
        run(app)
        assert (problems(app) == []) == right


def test_a_text_without_names_has_no_entities() -> None:
    assert "All tokens are O" in bodies(opened(tab="Entities", a="the course"), "note")[0]
    assert "no tokens to label" in bodies(opened(tab="Entities", a="", b="x"), "note")[0]


# --- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_the_file_gives_the_same_ids_in_the_library(preset: str) -> None:
    """The page's drawing agrees with the `tokenizers` library's results from the page's file."""
    texts = ("This is the Hugging Face Course, é 🙂!", "to the  token")
    app = opened(tab="Files and link", a=texts[0], b=texts[1], size="330", **PRESETS[preset].values)
    assert problems(app) == []
    labels = [button.proto.label for button in app.get("download_button")]
    assert labels[0] == "tokenizer.json"
    library = Library.from_str(tokenizer_to_json(engine(app)))
    encoding = library.encode(*texts)
    assert drawn_ids(app) == encoding.ids
    types = re.findall(r"data-r=5[^>]*data-i=(\d+)[^>]*>(\d+)</bdi>", drawing(app)["atoms"])
    assert [
        int(of) for _place, of in sorted((int(position), of) for position, of in types)
    ] == encoding.type_ids


def test_the_link_is_the_address() -> None:
    app = opened(tab="Files and link", a="the café & co", size="70")
    shown = next(code.value for code in app.code if "corpus=" in code.value)
    assert shown.partition("?")[2] == urlencode(address(app))
    assert read_url("pipeline", PIPELINE_RULES, address(app)).complaints == []


def test_too_many_windows_are_refused() -> None:
    """Two texts, both cut: each window of one with each of the other."""
    app = opened(tab="Windows", a="a b " * 400, b="a b " * 400, strategy="longest_first", max="8", stride="1")
    assert "windows, more than 2,000" in problems(app)[0] and bodies(app, "windows") == []


def test_a_long_text_comes_back_out_of_its_link() -> None:
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 600)))
    app = opened(a=text)
    parameter = address(app)["a"]
    assert parameter.startswith("~") and len(parameter) < 3_000
    assert value(opened(a=parameter), "a") == text
    damaged = opened(a=parameter[:-30])
    assert "text of this link is lost" in problems(damaged)[0]


def test_a_sentence_with_names_is_offered() -> None:
    app = opened(tab="Entities", a="the course")
    app.button(key="pipeline.names").click()
    run(app)
    assert value(app, "a") == SAMPLES["entities"].first
    assert "Hugging Face" in list(table(app, "entity")["text[start:end]"])
