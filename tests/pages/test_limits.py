"""Every limit for visitors, on a page that has it, through Streamlit's `AppTest`.

Oracle: `tokensteps/limits.py`. A page at a limit names it, names the excess, keeps the visitor's input, and
works again once that is mended. Limits of a file's contents are tried in
`tests/app/catalogue/test_loaded.py`, limits of answers that are corpora in
`tests/app/teaching/test_exercises.py`, and limits of a challenge's steps and codes in
`tests/pages/test_predict.py`.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

import tokensteps.catalogue.files.formats
import tokensteps.pages.train.tabs
import tokensteps.runs.corpora
import tokensteps.runs.settings
import tokensteps.widgets.corpus_input
from tests.pages.pages import Page, answer_box, bodies, books, problems, run, tables
from tokensteps import limits
from tokensteps.runs.corpora import Source, pack_text
from tokensteps.runs.rules import BPE_RULES, UNIGRAM_RULES, WORDPIECE_RULES
from tokensteps.runs.settings import read_url

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "bpe": Page("bpe", Path("pages", "train", "bpe.py"), BPE_RULES),
    "wordpiece": Page("wordpiece", Path("pages", "train", "wordpiece.py"), WORDPIECE_RULES),
    "unigram": Page("unigram", Path("pages", "train", "unigram.py"), UNIGRAM_RULES),
    "compare": Page("compare", Path("pages", "explore", "compare.py"), ()),
    "pipeline": Page("pipeline", Path("pages", "explore", "pipeline.py"), ()),
    "renew": Page("renew", Path("pages", "explore", "renew.py"), ()),
    "playground": Page("playground", Path("pages", "explore", "playground.py"), ()),
    "home": Page("home", Path("pages", "learn", "home.py"), ()),
    "glossary": Page("glossary", Path("pages", "learn", "glossary.py"), ()),
    "teach": Page("teach", Path("pages", "learn", "teach.py"), ()),
    "exercises": Page("exercises", Path("pages", "learn", "exercises.py"), ()),
    "challenge": Page("challenge", Path("pages", "learn", "challenge.py"), ()),
}
HUG = {"t1": "bpe?corpus=hug"}


def captions(app: AppTest) -> list[str]:
    """The small print."""
    return [caption.value for caption in app.caption]


@dataclass(frozen=True)
class Box:
    """A box on a page, and the limit of its text."""

    limit: int
    page: str
    key: str
    """The beginning of the box's key."""
    link: Mapping[str, str]
    tab: str = ""
    kind: str = "text_input"
    remedy: str = "shorten"
    """A word of the advice."""
    good: str = "u"
    """A valid text for the box."""


BOXES = [
    Box(limits.PASTE_LIMIT, "bpe", "bpe.paste_text", {"corpus": "paste"}, kind="text_area"),
    Box(limits.PASTE_LIMIT, "unigram", "unigram.counts_text", {"corpus": "counts"}, "", "text_area", good="hug 10"),
    Box(limits.PATTERN_LIMIT, "bpe", "bpe.regex", {"corpus": "hello", "pattern": "own"}),
    Box(limits.SPECIAL_LIMIT, "wordpiece", "wordpiece.special", {"corpus": "hug"}),
    Box(limits.ENCODE_LIMIT, "bpe", "bpe.encode.hug", {"corpus": "hug"}, "Encode"),
    Box(limits.FIND_LIMIT, "compare", "compare.looked_for", {"corpus": "hug"}, "Where they disagree"),
    Box(limits.FIND_LIMIT, "glossary", "glossary.find", {}),
    Box(limits.TITLE_LIMIT, "bpe", "bpe.challenge.title", {"corpus": "hug"}, "Files and link"),
    Box(limits.PIPELINE_LIMIT, "pipeline", "pipeline.a", {"corpus": "course", "size": "60"}, "", "text_area"),
    Box(limits.PASSAGE_LIMIT, "pipeline", "pipeline.answer.", {"corpus": "course", "size": "60", "a": "hug"}, "Windows"),
    Box(limits.RENEW_LIMIT, "renew", "renew.a", {"corpus": "course", "size": "90", **HUG}, "", "text_area"),
]  # fmt: skip


def opened(page: str, link: Mapping[str, str], tab: str = "") -> AppTest:
    return PAGES[page].opened(urlencode(link), tab)


def box_of(app: AppTest, box: Box) -> Any:
    return next(one for one in getattr(app, box.kind) if (one.key or "").startswith(box.key))


@pytest.mark.parametrize("box", BOXES, ids=lambda box: f"{box.key}-{box.limit}")
def test_a_box_names_its_limit_and_keeps_longer_text(box: Box) -> None:
    app = opened(box.page, box.link, box.tab)
    assert problems(app) == []
    text = box.good + "u" * (box.limit + 1 - len(box.good))
    box_of(app, box).set_value(text)
    run(app)
    [message] = problems(app)
    assert f"{box.limit:,}" in message and f"{box.limit + 1:,}" in message and box.remedy in message
    assert box_of(app, box).value == text
    box_of(app, box).set_value(box.good)
    run(app)
    assert problems(app) == []


@pytest.mark.parametrize(
    ("where", "name", "least", "most"),
    [
        ("bpe", "size", 1, limits.VOCABULARY_LIMIT),
        ("wordpiece", "min", 1, limits.COUNT_LIMIT),
        ("unigram", "seed", 1, limits.SEED_LIMIT),
    ],
)
def test_a_number_beyond_its_limits_is_explained_in_its_box_and_in_a_link(
    where: str, name: str, least: int, most: int
) -> None:
    app = opened(where, {"corpus": "hug", name: "999999999"})
    [text] = problems(app)
    assert f"{name}=&#x27;999999999&#x27;" in text and f"{least} to {most:,}; the default is used" in text
    assert books(app)
    app.number_input(key=f"{where}.{name}").set_value(most + 1)
    run(app)
    [text] = problems(app)
    assert f"{most + 1:,} is out of range; choose a number from {least} to {most:,}." in text
    assert app.number_input(key=f"{where}.{name}").value == most + 1


def test_a_pattern_in_a_link_may_have_so_many_characters() -> None:
    app = opened("bpe", {"corpus": "hello", "pattern": "own", "regex": "a" * (limits.PATTERN_LIMIT + 1)})
    [text] = problems(app)
    assert "The link&#x27;s regex has 1,001 characters, more than 1,000" in text and books(app)


def test_a_complaint_about_a_link_stays_until_its_settings_are_changed() -> None:
    """A page begins anew after a training run: messages about the link must not go with the progress bar."""
    app = opened("bpe", {"corpus": "hug", "size": "999999999"})
    run(app)
    assert "999999999" in problems(app)[0]
    app.number_input(key="bpe.size").set_value(12)
    run(app)
    assert problems(app) == []


@pytest.mark.parametrize("bomb", [b"a" * 50_000_000, b"a" * (limits.LINK_TEXT_LIMIT + 1)])
def test_a_link_is_not_unpacked_beyond_its_limit(bomb: bytes) -> None:
    """A compressed bomb is refused after `LINK_TEXT_LIMIT` bytes, and the page goes on."""
    packed = urlsafe_b64encode(zlib.compress(bomb, 9)).decode()
    for page in ("bpe", "playground"):
        app = opened(page, {"corpus": "paste", "text": packed, **(HUG if page == "playground" else {})})
        assert "The text in this link is damaged" in problems(app)[0]
    app = opened("home", {"say": f"~{packed}"})
    assert len(problems(app)) == 1


def test_a_text_of_a_link_may_be_as_long_as_a_pasted_one() -> None:
    """Such a link can be made by hand, out of an easily compressed text."""
    text = "ab " * limits.PASTE_LIMIT
    app = opened("bpe", {"corpus": "paste", "text": str(pack_text(text))})
    assert "600,000 characters, but the limit is 200,000" in problems(app)[0]
    assert app.text_area(key="bpe.paste_text").value == text


@pytest.mark.parametrize(
    ("where", "rules"),
    [
        ("bpe", {"pre": "whitespace_split"}),
        ("wordpiece", {}),
        ("unigram", {}),
        ("unigram", {"method": "sentencepiece", "pre": "none"}),
        ("compare", {}),
    ],
)
def test_a_word_may_have_so_many_symbols(where: str, rules: Mapping[str, str]) -> None:
    """A word of 10,000 takes Unigram half a minute, one of a million hours: a test can only check that it
    never begins."""
    word = "xy" * (limits.WORD_LIMIT // 2) + "z"
    app = opened(where, {"corpus": "paste", "text": str(pack_text(f"hug {word} pug\nhug")), **rules})
    [text] = problems(app)
    assert re.search(r"a word of 2,0\d\d symbols", text) and "the limit is 2,000" in text and "spaces" in text
    assert "xyxyx" in text and len(text) < 400  # the word itself only in part
    assert app.text_area(key=f"{where}.paste_text").value == f"hug {word} pug\nhug"
    app.text_area(key=f"{where}.paste_text").set_value("hug pug\nhug")
    run(app)
    assert problems(app) == [] and books(app)


def test_a_long_line_that_is_one_word_may_be_cut_by_the_rules() -> None:
    """The message's advice helps: with other rules the same text is trained on."""
    text = "ab cd " * 400
    app = opened("unigram", {"corpus": "paste", "text": str(pack_text(text)), "pre": "none", "size": "5"})
    assert "symbols" in problems(app)[0] and "rules that split the text" in problems(app)[0]
    app.selectbox(key="unigram.pre").set_value("whitespace_split")
    run(app)
    assert problems(app) == [] and books(app)


def test_the_different_words_may_have_so_many_symbols_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tried with a lower limit, exceeded by a short text; equal words count once."""
    monkeypatch.setattr(tokensteps.runs.corpora, "CORPUS_LIMIT", 12)
    app = opened(
        "bpe", {"corpus": "paste", "pre": "whitespace_split", "text": str(pack_text("abcdef ghijklm " * 9))}
    )
    [text] = problems(app)
    assert "have 13 symbols in total, but the limit is 12" in text and "shorter text" in text
    app.text_area(key="bpe.paste_text").set_value("abcdef ghijkl " * 9)
    run(app)
    assert problems(app) == [] and books(app)


def test_a_pattern_of_ones_own_has_so_many_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The classic of a regular expression with doubled work for each character; the time is shortened for the
    test."""
    assert (limits.patience(0), limits.patience(limits.UPLOAD_LIMIT)) == (1.5, 11.5)
    recipe, complaints = read_url("bpe", BPE_RULES, {"corpus": "hug"})
    source = Source("upload", b"x" * 2_000_000)
    assert complaints == [] and recipe.pipeline(source).timeout == limits.patience(2_000_000)
    monkeypatch.setattr(tokensteps.runs.settings, "patience", lambda _size: 0.2)
    text = "a" * 60 + "!"
    link = {"corpus": "paste", "text": str(pack_text(text)), "pattern": "own", "regex": "(a|aa)+$"}
    app = opened("bpe", link)
    [message] = problems(app)
    assert "took more than 0.2 seconds" in message and "use less text" in message
    assert app.text_area(key="bpe.paste_text").value == text
    app.text_input(key="bpe.regex").set_value("a|!")
    run(app)
    assert problems(app) == [] and books(app)


def test_too_large_a_corpus_leaves_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The browser refuses far too large files; the others are weighed here, with a lower limit for the
    test."""
    monkeypatch.setattr(tokensteps.widgets.corpus_input, "UPLOAD_LIMIT", 1_000_000)
    app = opened("bpe", {"corpus": "upload", "pre": "whitespace_split"})
    app.sidebar.get("file_uploader")[0].set_value(("good.txt", b"hug pug pun", "text/plain"))
    run(app)
    assert problems(app) == [] and books(app)
    app.sidebar.get("file_uploader")[0].set_value(("large.txt", b"pug " * 250_000 + b"x", "text/plain"))
    run(app)
    [text] = problems(app)
    assert "The file has 1,000,001 bytes, but the limit is 1,000,000" in text and "upload part of it" in text
    assert "Using good.txt" in bodies(app, "note")[0] and books(app)
    app.sidebar.get("file_uploader")[0].set_value(("small.txt", b"ab ab", "text/plain"))
    run(app)
    assert problems(app) == [] and len(books(app)[0]["frames"]) == 2


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"tokenizer.json": b"[" * 200_001}, "&#x27;tokenizer.json&#x27; has 200,001 bytes, more than 200,000; upload"),
        ({"a.json": b"[" * 100_000, "b.json": b"[" * 100_001}, "&#x27;b.json&#x27; has 200,001 bytes, more than 200,000; upload"),
        ({f"{number}.json": b"[]" for number in range(21)}, "&#x27;0.json&#x27; and 20 more files exceed the limit of 20 at once; upload"),
        ({"tokenizer.json": b"[" * 200_000}, "is nested too deeply for a tokenizer; upload"),
        ({"tokenizer.zip": b"PK\x03\x04" + b"0" * 500}, "is an archive; unpack it"),
    ],
    ids=("bytes", "together", "files", "json bomb", "zip bomb"),
)  # fmt: skip
def test_too_large_a_tokenizer_leaves_the_last_one(
    files: Mapping[str, bytes], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokensteps.catalogue.files.formats, "TOKENIZER_LIMIT", 200_000)
    app = opened("playground", {**HUG, "text": str(pack_text("hug"))})
    app.sidebar.get("file_uploader")[0].set_value([(name, data, "") for name, data in files.items()])
    run(app)
    [text] = problems(app)
    assert says in text
    assert app.session_state["playground.text"] == "hug" and app.session_state["playground.specs"] == [
        HUG["t1"]
    ]
    run(app)
    assert problems(app) == [text]
    app.session_state["playground.text"] = "hugs"
    run(app)
    assert problems(app) == []


def test_the_name_of_a_repository_may_have_so_many_characters() -> None:
    app = opened("playground", HUG)
    app.text_input(key="playground.name").set_value("a" * (limits.REPOSITORY_LIMIT + 1))
    next(button for button in app.button if button.label == "Get it").click()
    run(app)
    [text] = problems(app)
    assert "97 characters is over the limit of 96; shorten" in text
    assert app.session_state["playground.specs"] == [HUG["t1"]]


def test_the_playground_takes_so_many_characters() -> None:
    app = opened("playground", HUG)
    app.session_state["playground.text"] = "a" * (limits.PLAYGROUND_LIMIT + 1)
    run(app)
    [text] = problems(app)
    assert "1,000,001 characters, but the page takes 1,000,000: shorten it" in text
    assert len(app.session_state["playground.text"]) == limits.PLAYGROUND_LIMIT + 1


def test_an_answer_may_have_so_many_characters() -> None:
    app = opened("exercises", {"kind": "construct", "level": "1", "seed": "1"})
    answer_box(app, "exercises.form", "lines").set_value("x" * (limits.ANSWER_LIMIT + 1))
    next(button for button in app.button if button.label == "Check").click()
    run(app)
    shown = " ".join(html.proto.body for html in app.get("html"))
    assert "The answer has 4,001 characters, but at most 4,000 are read: shorten it." in shown
    assert len(answer_box(app, "exercises.form", "lines").value or "") == limits.ANSWER_LIMIT + 1


@pytest.mark.parametrize("name", ["bpe", "wordpiece", "unigram"])
def test_counts_must_fit_the_tables_together(name: str) -> None:
    """Each of these counts is fine; their sum would not fit 64 bits."""
    counts = "\n".join(f"hug{letter} {10**17 - 1}" for letter in "abcdefghijklmnopqrstuvwxyz")
    app = PAGES[name].opened(urlencode({"corpus": "counts", "text": pack_text(counts), "size": 40}))
    assert any(f"the limit is {limits.SYMBOLS_LIMIT:,}" in problem for problem in problems(app))
    largest = limits.SYMBOLS_LIMIT // 8
    app = PAGES[name].opened(
        urlencode(
            {"corpus": "counts", "text": pack_text(f"hug {largest}\npug {largest}"), "size": 40, "seed": 20}
        )
    )
    assert problems(app) == [] and books(app)


@pytest.mark.parametrize(
    ("name", "tab"), [("bpe", "Every pair"), ("wordpiece", "Every pair"), ("unigram", "Every piece")]
)
def test_a_long_table_shows_its_top_until_expanded(
    name: str, tab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search covers all rows, and its text stays while another tab is open."""
    page = PAGES[name]

    def table_note(app: AppTest) -> str:
        return str(searched(app)["told"])

    def asks(app: AppTest) -> bool:
        return searched(app)["everything"] is not None

    whole = page.opened("corpus=hug&step=1", tab)
    table = tables(whole)[0]
    assert not asks(whole) and f"All {len(table)} " in table_note(whole)
    monkeypatch.setattr(tokensteps.pages.train.tabs, "TOP_ROWS", 3)
    app = page.opened("corpus=hug&step=1", tab)
    assert asks(app) and tables(app)[0].equals(table.head(3))
    assert re.search(rf"\b3 .*of {len(table)} ", table_note(app))
    last = str(table.iloc[-1, 1])
    app.session_state[f"{name}.looked_for"] = last
    assert last in set(tables(run(app))[0].iloc[:, 1]) and not asks(app)
    app.session_state[f"{name}.looked_for"] = ""
    app.session_state[f"{name}.all"] = True
    assert tables(run(app))[0].equals(table)
    assert tables(page.with_tab(app, "Code")) == []
    assert tables(page.with_tab(app, tab))[0].equals(table)


def searched(app: AppTest) -> dict[str, Any]:
    """The text above the page's table."""
    parts = [part.proto for part in app.get("bidi_component")]
    [data] = [part.bytes for part in parts if part.component_name == "tokensteps.table"]
    return dict(json.loads(data)["head"]["search"])


@pytest.mark.parametrize(("name", "tab"), [("bpe", "Every pair"), ("unigram", "Every piece")])
def test_a_tables_search_names_its_limit(name: str, tab: str) -> None:
    """Too long, it stays in its box with a message, and nothing is looked for."""
    app = PAGES[name].opened("corpus=hug&step=1", tab)
    rows = tables(app)[0]
    text = "u" * (limits.FIND_LIMIT + 1)
    app.session_state[f"{name}.looked_for"] = text
    head = searched(run(app))
    assert head["text"] == text and "101 characters" in head["problem"] and "limit of 100" in head["problem"]
    assert tables(app)[0].equals(rows)
    app.session_state[f"{name}.looked_for"] = text[:-1]
    assert searched(run(app))["problem"] == "" and tables(app)[0].empty


@pytest.mark.parametrize("seed", [str(limits.EXERCISE_LIMIT + 1), "9" * 5_000])
def test_the_number_of_an_exercise_in_a_link_has_nine_digits(seed: str) -> None:
    app = opened("exercises", {"kind": "construct", "seed": seed})
    assert "seed=" in problems(app)[0] and len(problems(app)[0]) < 300
    assert opened("exercises", {"kind": "construct", "seed": str(limits.EXERCISE_LIMIT)}).exception == []


def test_a_sealed_text_is_not_even_read_beyond_its_limit() -> None:
    app = opened("challenge", {"c": "x" * (limits.SEALED_LIMIT + 1)})
    assert "This link is not a challenge from this server" in problems(app)[0]


# --- The module itself --------------------------------------------------------------------------------------


def test_the_server_takes_as_much_as_the_largest_upload() -> None:
    """Streamlit refuses a larger one before any page sees it, so both have to say the same."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["maxUploadSize"] == limits.LARGEST_UPLOAD >= limits.UPLOAD_LIMIT / 1_000_000


def assigned(file: Path) -> list[tuple[str, bool]]:
    """The capital names assigned by a module, each with whether a docstring follows."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    results = []
    for line, after in zip(body, [*body[1:], *body[:1]], strict=True):
        target = (
            line.target
            if isinstance(line, ast.AnnAssign)
            else line.targets[0]
            if isinstance(line, ast.Assign)
            else None
        )
        if isinstance(target, ast.Name) and target.id.isupper():
            text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            results.append((target.id, text and ": " in str(after.value.value)))
    return results


def test_every_limit_has_a_reason_and_is_in_use() -> None:
    """The reason is the part after the colon of its docstring; a limit is in use if another module names
    it."""
    names = assigned(ROOT / "tokensteps" / "limits.py")
    used = {
        name
        for folder in ("tokensteps", "pages")
        for file in (ROOT / folder).rglob("*.py")
        if file.name != "limits.py"
        for name in re.findall(r"\b[A-Z_]{4,}\b", file.read_text(encoding="utf-8"))
    }
    own = (ROOT / "tokensteps" / "limits.py").read_text(encoding="utf-8")
    assert [name for name, has_reason in names if not has_reason] == []
    assert [name for name, _told in names if name not in used and own.count(name) < 2] == []
    assert len(names) == len({name for name, _told in names}) > 60


def test_no_other_module_has_limits() -> None:
    """Limits of a visitor's input or the server's work are in one place. Only limits of drawings are left
    elsewhere."""
    drawn = {"MARKER_LIMIT", "CURVE_LIMIT", "SCATTER_LIMIT", "NOTEBOOK_ROOM"}
    results = {
        name
        for folder in ("tokensteps", "pages")
        for file in (ROOT / folder).rglob("*.py")
        if file.name != "limits.py"
        for name, _told in assigned(file)
        if re.search(r"_(LIMIT|ROOM|REMEMBERED)$", name)
    }
    assert results - drawn == set()
