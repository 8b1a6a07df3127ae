"""The Unigram page without a browser, through Streamlit's `AppTest`: examples, both methods, links,
complaints, tabs.

Sources and oracles: `golden/unigram_*.json` (the Hugging Face course, recomputed); the engine, asked for the
same corpus and settings; the flipbooks' own messages. The common parts of all training pages are tried in
`test_bpe.py`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.drawing.test_tokens import HOSTILE, Read
from tests.core.test_unigram import golden
from tests.pages.pages import (
    PASTED,
    SMALL,
    Page,
    address,
    answer_box,
    bodies,
    book,
    books,
    problems,
    run,
    tabs,
)
from tests.samples import spread
from tokenizers_core import METHODS, Corpus, train_unigram
from tokensteps.drawing.lattice.bars import LATTICE_CHARACTERS
from tokensteps.drawing.narration.pruning import PRUNING_STOPS
from tokensteps.limits import SEED_LIMIT, VOCABULARY_LIMIT
from tokensteps.runs.corpora import pack_text
from tokensteps.runs.rules import UNIGRAM_RULES

TABS = [
    "Lattice", "Every piece", "Encode", "Charts", "Sample at random", "Exact and approximate loss", "How close?", "Follow a word", "Code",
    "Files and link",
]  # fmt: skip
PAGE = Page("unigram", Path("pages", "train", "unigram.py"), UNIGRAM_RULES)
opened, value, rules, usual, with_tab = PAGE.opened, PAGE.value, PAGE.rules, PAGE.usual, PAGE.with_tab
CHINESE = (
    "人工智能研究的一个主要目标是使机器能够胜任一些通常需要人类智能才能完成的复杂工作。但不同的时代、不同的人对这种“复杂工作”的理解是不同的。"
    "分词是自然语言处理的第一步，机器把句子切成词，再把词变成数字。"
)


def encoded(app: AppTest) -> str:
    """A text in the tab Encode, tokens and ids."""
    (result,) = [
        html.proto.body
        for html in app.get("html")
        if re.search(r'<[^>]*class="[^"]*\bencoded\b', html.proto.body)
    ]
    return Read(result).text


def markup(app: AppTest) -> str:
    """All markup on the page."""
    drawn = [html.proto.body for html in app.get("html")]
    for message in books(app):
        drawn += [frame[part] for frame in message["frames"] for part in ("html", "label")]
    return "\n".join(drawn)


# --- examples and links -------------------------------------------------------------------------------------


def as_drawn(piece: str) -> str:
    """A piece as the page shows it unless one asks for the vocabulary's own markers."""
    return piece.replace("▁", "␣")


def test_a_bare_address_is_the_course() -> None:
    app, figures = opened(), golden("course")
    assert app.title[0].value == "Unigram"
    assert value(app, "corpus") == "course" and problems(app) == [] and app.query_params == {}
    assert tabs(app) == TABS
    removed = [piece for round_ in figures["rounds"] for piece in round_["removed"]]
    message = book(app)
    assert message["last"] == len(removed) == 202
    for frame, piece in zip(message["frames"][1:], removed, strict=False):
        assert frame["say"].startswith(f"Prune {as_drawn(piece)}: losing it costs nothing.")
    end = book(opened("step=202"))["frames"][-1]
    assert end["status"] == f"{figures['final_vocab_size']} pieces"
    assert end["say"].startswith(f"Prune {as_drawn(removed[-1])}: ")


def test_errata_stand_at_the_courses_wrong_frames() -> None:
    first, last = book(opened())["frames"], book(opened("step=202"))["frames"]
    assert [index for index, frame in enumerate(first) if "Erratum" in frame["html"]] == [0]
    assert "413.1038" in first[0]["html"] and "382.1038" in first[0]["html"]
    assert [index for index, frame in enumerate(last) if "Erratum" in frame["html"]] == [len(last) - 1]
    assert not any("Erratum" in frame["html"] for frame in book(opened("exact=1&step=200"))["frames"])
    (text,) = [
        html.proto.body for html in opened("corpus=course").get("html") if "Erratum" in html.proto.body
    ]
    assert "41.5157" in text and "40.5157" in text  # the word to begin with is the course's


@pytest.mark.slow
@pytest.mark.many(3)
@pytest.mark.many(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SMALL)
def test_every_example_renders_with_both_methods(name: str, method: str) -> None:
    app = opened("corpus=highest" if name != "highest" else "corpus=hug")
    app.sidebar.number_input(key="unigram.seed").set_value(77)
    run(app)
    app.sidebar.selectbox(key="unigram.corpus").set_value(name)
    run(app)
    assert rules(app) == usual(name) and problems(app) == []
    assert {key for key in app.query_params if key != "step"} == {"corpus"}
    app.sidebar.selectbox(key="unigram.method").set_value(method)
    run(app)
    assert rules(app) == usual(name) | {"method": method} and problems(app) == []
    assert book(app)["frames"][0]["label"] == "Start" and book(app)["seek"][0] == 0
    (lead,) = [html.proto.body for html in app.get("html") if 'class="lead' in html.proto.body]
    assert {"course": ">The Hugging Face course's way: ", "sentencepiece": ">SentencePiece's way: "}[
        method
    ] in lead
    last = book(app)["last"]
    again = opened(f"corpus={name}&method={method}&step={last}")
    assert rules(again) == usual(name) | {"method": method} and problems(again) == []
    assert book(again)["last"] == last > 0 and book(again)["seek"][0] == last
    reasons = [re.escape(reason).replace(r"\{seed\}", r"[\d,]+") for reason in PRUNING_STOPS.values()]
    assert any(re.search(reason, book(again)["frames"][-1]["say"]) for reason in reasons)


def test_sentencepieces_steps() -> None:
    app = opened("corpus=hug&method=sentencepiece")
    labels = [Read(frame["label"]).text for frame in book(app)["frames"]]
    assert labels[:5] == ["Start", "E step", "M step", "E step", "M step"] and labels[-1] == "Finalize"
    assert "unigram.exact" not in [
        toggle.key for toggle in app.sidebar.toggle
    ]  # only the course's way may pass the size
    assert "unigram.exact" in [toggle.key for toggle in opened("corpus=hug").sidebar.toggle]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("method=sentencepiece&seed=500&size=18&whole=0", {"method": "sentencepiece", "seed": 500, "size": 18, "whole": False}),
        ("seed=60&size=25&exact=1", {"method": "course", "seed": 60, "size": 25, "exact": True}),
        ("seed=70&size=&whole=0", {"seed": 70, "size": None, "whole": False, "exact": False}),
        ("size=30&special=%3Cs%3E%20%3C/s%3E&pre=bert&normalizer=lowercase&lines=0",
         {"size": 30, "special": "<s> </s>", "pre": "bert", "normalizer": "lowercase", "lines": False}),
    ],
)  # fmt: skip
def test_a_link_sets_everything_and_is_written_back(query: str, expected: dict[str, Any]) -> None:
    text = pack_text(PASTED * 3)
    full = f"corpus=paste&text={text}&{query}"
    app = opened(f"{full}&step=2")
    assert problems(app) == []
    assert {name: value(app, name) for name in expected} == expected
    assert value(app, "paste_text") == PASTED * 3
    assert book(app)["seek"][0] == 2
    sent = parse_qs(f"{full}&step=2", keep_blank_values=True)
    assert address(app) == {name: texts[0] for name, texts in sent.items()}
    own = {rule.name: value(app, rule.name) for rule in UNIGRAM_RULES}
    corpus = Corpus.from_texts([PASTED * 3], own["normalizer"], own["pre"])
    trace = train_unigram(
        corpus, own["seed"], own["size"], own["method"], exact=own["exact"], whole_words=own["whole"],
        special_tokens=own["special"].split(),
    )  # fmt: skip
    message = book(app)
    assert message["last"] == len(trace) >= 2
    for step, kind in enumerate(trace.record.kinds):
        if kind == "prune":
            assert message["frames"][step]["say"].startswith("Prune ")
            assert Read(message["frames"][step]["label"]).text == as_drawn(trace.history[step].piece)


def test_widgets_write_the_link() -> None:
    """Chosen by hand, each setting comes into the address, and the usual value leaves it."""
    app = opened("corpus=course")
    app.sidebar.selectbox(key="unigram.method").set_value("sentencepiece")
    app.sidebar.number_input(key="unigram.seed").set_value(400)
    app.sidebar.number_input(key="unigram.size").set_value(40)
    app.sidebar.toggle(key="unigram.whole").set_value(False)
    run(app)
    expected = {"corpus": "course", "method": "sentencepiece", "seed": "400", "size": "40", "whole": "0"}
    assert {name: text for name, text in address(app).items() if name != "step"} == expected
    app.sidebar.selectbox(key="unigram.method").set_value("course")
    app.sidebar.toggle(key="unigram.whole").set_value(True)
    run(app)
    app.sidebar.toggle(key="unigram.exact").set_value(True)
    run(app)
    assert set(app.query_params) - {"step"} == {"corpus", "seed", "size", "exact"}
    assert book(app)["last"] == 400 - 40  # exactly at this size
    assert problems(app) == []


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("corpus=nope", "corpus=&#x27;nope&#x27;"),
        ("corpus=course&size=abc", "size=&#x27;abc&#x27;"),
        ("corpus=course&seed=0", "seed=&#x27;0&#x27;"),
        ("corpus=course&seed=99999999", "seed=&#x27;99999999&#x27;"),
        ("corpus=course&method=%3Cb%3E", "method=&#x27;&lt;b&gt;&#x27;"),
        ("corpus=course&exact=yes", "exact=&#x27;yes&#x27;"),
        ("corpus=course&pre=byte_level", "pre=&#x27;byte_level&#x27;"),
        ("corpus=paste&text=eNoLzk", "The text in this link is damaged"),
    ],
)
def test_damaged_links_are_reported(query: str, says: str) -> None:
    app = opened(query)
    assert len(problems(app)) == 1 and says in problems(app)[0]
    if "paste" not in query:
        assert book(app)["last"] == 202


@pytest.mark.parametrize(("step", "there"), [("999", 202), ("-1", 0), ("abc", 0)])
def test_damaged_steps_are_clamped(step: str, there: int) -> None:
    PAGE.clamps(step, there)


# --- impossible numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_invalid_numbers(method: str) -> None:
    text = "low lower lowest lower slow"  # ▁lowerst: 8 characters
    PAGE.refuses_numbers(
        opened(f"corpus=paste&text={pack_text(text)}&size=12&method={method}"),
        ("size", 3, ("Vocabulary size: 3 is below", "choose at least 8")),
        ("seed", 3, ("Seed vocabulary: 3 can", "choose at least 8")),
        (
            "size",
            0,
            ("Vocabulary size: 0 is out of range", f"choose a number from 1 to {VOCABULARY_LIMIT:,}."),
        ),
        ("seed", 0, ("Seed vocabulary: 0 is out of range", f"choose a number from 1 to {SEED_LIMIT:,}.")),
        ("seed", -4, ("-4 is out of range", f"{SEED_LIMIT:,}")),
        ("size", 10**12, ("1,000,000,000,000 is out of range", f"{VOCABULARY_LIMIT:,}")),
    )


def test_an_emptied_size_prunes_down_to_the_characters() -> None:
    app = opened("corpus=hug")
    app.sidebar.number_input(key="unigram.size").set_value(None)
    run(app)
    assert problems(app) == [] and app.query_params["size"] in ("", [""])
    last = book(app)["frames"][-1]
    alphabet = {character for word in golden("hug")["word_freqs"] for character in word}
    assert book(app)["last"] == 15 - len(alphabet) and last["status"] == f"{len(alphabet)} pieces"
    again = opened("corpus=hug&size=")
    assert value(again, "size") is None and book(again)["last"] == book(app)["last"]
    assert value(opened("corpus=hug"), "size") == usual("hug")["size"] == len(alphabet)


def test_special_tokens_come_first_and_take_room() -> None:
    """Two of ten tokens are special: eight pieces are left, and an encoded special token is one token."""
    app = opened("corpus=hug&size=10&special=%3Cs%3E+%3C/s%3E&step=7")
    assert problems(app) == [] and value(app, "special") == "<s> </s>"
    message = book(app)
    corpus = Corpus.from_counts(golden("hug")["word_freqs"], pre_tokenizer="whitespace_split")
    trace = train_unigram(corpus, 15, 10, whole_words=False, special_tokens=["<s>", "</s>"])
    assert len(trace[-1].pieces) == 8 and trace[-1].vocab[:2] == ("<s>", "</s>")
    assert message["last"] == len(trace) and message["frames"][-1]["status"] == "8 pieces"
    with_tab(app, "Encode")
    app.text_input(key="unigram.encode.hug").set_value("<s>hug</s>")
    run(app)
    read = encoded(app)
    assert read == f"<s>0hug{trace[-1].vocab.index('hug')}</s>13 tokens"


# --- tabs ---------------------------------------------------------------------------------------------------


@pytest.mark.many(2)
@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("query", ["corpus=hug", "corpus=course", "corpus=hug&method=sentencepiece"])
def test_every_tab_renders_at_every_kind_of_step(query: str, tab: str) -> None:
    app = with_tab(opened(query), tab)
    last = book(app)["last"]
    assert problems(app) == [] and book(app)["seek"][0] == 0 and last >= 8
    for step in (last // 2, last):
        app = opened(f"{query}&step={step}", tab)
        assert problems(app) == [] and book(app)["seek"][0] == step and book(app)["last"] == last


# Each text with both methods, both ways to cut it and both ends of the training; each two of these meet as
# well.
SMALLEST = [
    ("a", "course", "none", 99),
    ("a", "sentencepiece", "whitespace_split_metaspace", 0),
    ("a a", "course", "whitespace_split_metaspace", 99),
    ("a a", "sentencepiece", "none", 0),
    ("ab", "course", "none", 0),
    ("ab", "sentencepiece", "whitespace_split_metaspace", 99),
    ("\u0301\u0301", "course", "whitespace_split_metaspace", 0),
    ("\u0301\u0301", "sentencepiece", "none", 99),
    ("🍵", "course", "none", 99),
    ("🍵", "sentencepiece", "whitespace_split_metaspace", 0),
]


@pytest.mark.many(2)
@pytest.mark.parametrize(("text", "method", "pre", "step"), SMALLEST)
def test_every_tab_renders_for_the_smallest_texts(text: str, method: str, pre: str, step: int) -> None:
    app = opened(f"corpus=paste&text={pack_text(text)}&method={method}&pre={pre}&size=&step={step}")
    for tab in TABS:
        with_tab(app, tab)
        assert problems(app) == [], tab
        assert book(app)["seek"][0] == (book(app)["last"] if step else 0)


def test_a_text_of_one_character() -> None:
    app = opened(f"corpus=paste&pre=none&text={pack_text('a')}")
    assert problems(app) == [] and book(app)["last"] == 0
    assert PRUNING_STOPS["no_seed"] in book(app)["frames"][0]["say"]
    assert book(app)["frames"][0]["status"] == "1 piece"


def test_byte_fallback() -> None:
    """An unknown ŷ is <unk>, or the bytes C5 B7."""
    app = with_tab(opened("corpus=hug&step=5"), "Encode")
    app.text_input(key="unigram.encode.hug").set_value("hug ŷ")
    run(app)
    assert "<unk>" in encoded(app) and "<0xC5>" not in encoded(app) and "hug" in encoded(app)
    app.toggle(key="unigram.as_bytes").set_value(True)
    run(app)
    assert "<unk>" not in encoded(app) and "<0xC5>" in encoded(app) and "<0xB7>" in encoded(app)
    assert problems(app) == []
    app.toggle(key="unigram.as_bytes").set_value(False)
    run(app)
    assert "<unk>" in encoded(app)


def test_a_run_with_bytes_asks_nothing_about_them() -> None:
    app = with_tab(opened("corpus=hug&step=5&bytes=1&size="), "Encode")
    app.text_input(key="unigram.encode.hug").set_value("hug ŷ")
    run(app)
    assert "<0xC5>" in encoded(app) and problems(app) == []
    assert "unigram.as_bytes" not in [toggle.key for toggle in app.toggle]


def test_the_lattice_tab_begins_with_the_courses_word() -> None:
    app = opened("corpus=hug")
    stage, lattice = books(app)
    assert stage["last"] == 15 - 7 and lattice["frames"][0]["say"].startswith(
        "unhug can be cut into pieces in 8 ways."
    )
    for frame, row in zip(lattice["frames"][1:], golden("hug")["viterbi_unhug"], strict=False):
        assert f"{row['probability']:.4g}" in frame["say"] and " · ".join(row["tokens"]) in frame["say"]
    word = next(box for box in app.selectbox if (box.key or "").startswith("unigram.lattice.word"))
    word.set_value("pug")
    run(app)
    assert any("0.0022676" in html.proto.body for html in app.get("html"))
    assert "0.00771" in books(app)[1]["frames"][-1]["say"]


def test_samples_are_of_the_word_in_the_lattice() -> None:
    app = opened("corpus=hug")
    word = next(box for box in app.selectbox if (box.key or "").startswith("unigram.lattice.word"))
    word.set_value("pug")
    with_tab(run(app), "Sample at random")
    assert len(books(app)) == 1  # the stage
    (shown,) = [html for element in app.get("html") if "Seed 0:" in (html := element.proto.body)]
    drawn = {
        "".join(re.findall(r'class="t[^"]*"[^>]*>([^<]+)<', row))
        for row in shown.split("</table>")[0].split("<tr>")[2:]
    }
    assert drawn == {"pug"}
    app.button(key="unigram.lattice.again").click()
    run(app)
    assert any("Seed 1:" in element.proto.body for element in app.get("html"))


# --- texts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_blank_text_is_reported_and_can_be_mended(method: str) -> None:
    app = opened(f"corpus=paste&method={method}&seed=50")
    assert problems(app) == [] and not app.sidebar.text_area
    app.text_area(key="unigram.paste_text").set_value(" \n\t\u3000")
    run(app)
    assert len(problems(app)) == 1 and "Write or paste a text first." in problems(app)[0]
    assert value(app, "method") == method and value(app, "seed") == 50
    app.main.text_area(key="unigram.paste_text").set_value("a b ab abab")
    run(app)
    assert problems(app) == [] and book(app)["last"] >= 0 and books(app)


def test_a_text_emptied_by_the_rules_gets_a_remedy_of_this_page() -> None:
    """The message's offer has to be among the choices."""
    app = opened(f"corpus=paste&text={pack_text(chr(0x301) * 3)}&normalizer=strip_accents")
    assert len(problems(app)) == 1 and "3 characters" in problems(app)[0]
    assert "byte_level" not in problems(app)[0]


def test_unreadable_counts_name_the_line() -> None:
    app = opened("corpus=counts")
    app.text_area(key="unigram.counts_text").set_value("hug 10\npug five")
    run(app)
    assert "Line 2 (&#x27;pug five&#x27;)" in problems(app)[0]


@pytest.mark.many(3)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tab", TABS)
def test_chinese_as_one_stream(tab: str, method: str) -> None:
    app = with_tab(
        opened(f"corpus=paste&pre=none&method={method}&seed=300&size=100&text={pack_text(CHINESE)}"), tab
    )
    assert problems(app) == []
    text = f"The word has {len(CHINESE)} characters; its first {LATTICE_CHARACTERS} are shown."
    assert [text in note for note in bodies(app, "note")].count(True) == (
        tab in ("Lattice", "Sample at random")
    )
    assert "1 word" in book(app)["frames"][0]["html"]
    if tab == "Lattice":
        letters = (
            books(app)[1]["frames"][0]["html"].split('class="ruler" aria-hidden="true">')[1].split("<i")[0]
        )
        assert Read(letters).text == CHINESE[:60]
        assert books(app)[1]["last"] >= 60
    for frame in book(app)["frames"]:
        assert len(frame["html"].encode()) < 12_000


HOSTILE_TEXT = " ".join(
    [
        *(word.replace("\ud800", "x") for word in HOSTILE if word),
        "<img/src=x/onerror=bad()>",
        "<img src=x onerror=alert(1)>",
        "</td></tr></table>",
        "</script><script>bad()</script>",
        "{piece} {loss} {numbers} {0} %s",
        "\x00 \u202e e\u0301\u0301 [x](javascript:bad()) :red[x] $x^2$",
    ]
)


@pytest.mark.parametrize(
    ("pre", "method", "show", "step"),  # each two of them together; a step past the end is the last one
    [
        ("whitespace_split_metaspace", "course", "letters", 0),
        ("none", "sentencepiece", "letters", 999),
        ("whitespace_split_metaspace", "sentencepiece", "bytes", 999),
        ("none", "course", "bytes", 0),
        ("whitespace_split_metaspace", "course", "symbols", 999),
        ("none", "sentencepiece", "symbols", 0),
    ],
)
def test_hostile_text_stays_text_everywhere(pre: str, method: str, show: str, step: int) -> None:
    special = "%3Cb%3E%20%3Cimg/src=y%3E%20%7Bx%7D"
    text = pack_text(f"{HOSTILE_TEXT}\n{HOSTILE_TEXT}")
    app = opened(
        f"corpus=paste&pre={pre}&method={method}&show={show}&seed=200&size=120&special={special}&text={text}&step={step}"
    )
    assert problems(app) == [] and book(app)["seek"][0] == (book(app)["last"] if step else 0)
    allowed = {
        "div", "p", "span", "b", "bdi", "details", "summary", "section", "h3", "table", "tr", "th", "td",
        "small", "button", "i", "ol", "ul", "li",
    }  # fmt: skip
    read = set()  # the stage's frames are the same beside each tab; each is drawn as in tests/app/drawing/test_pruning.py
    for tab in TABS:
        with_tab(app, tab)
        assert problems(app) == [], tab
        drawn = markup(app)
        for attack in ("<img", "<script", "</script", "onerror=bad()>", "<b>x</b>", "<!--"):
            assert attack not in drawn, (tab, attack)
        for message in books(app):
            for frame in spread(message["frames"]):
                if frame["html"] not in read:
                    assert Read(frame["html"]).tags <= allowed, tab
                    read.add(frame["html"])
        for words in (*app.caption, *app.markdown, *app.header, *app.title):
            assert "bad()" not in words.value and "alert(" not in words.value, tab


def test_a_hostile_word_in_the_lattice() -> None:
    app = opened("corpus=counts&pre=none&seed=200&size=")
    word = "<img/src=x/onerror=alert(1)></td>\u202ea\u0301{word}"
    app.text_area(key="unigram.counts_text").set_value(f"{word} 3\n<b>x</b> 2")
    run(app)
    assert problems(app) == []
    assert "<img" not in markup(app) and "<script" not in markup(app) and "<b>x</b>" not in markup(app)
    letters = books(app)[1]["frames"][0]["html"].split('class="ruler" aria-hidden="true">')[1].split("<i")[0]
    assert Read(letters).text.startswith("<img/src=x/onerror=alert(1)></td>U+202Ea◌\u0301{word}")


def test_the_same_words_in_numbers_of_ones_own_get_the_erratum_too() -> None:
    """The erratum goes by the corpus and the seed, not by the example's name."""
    app = opened("corpus=counts&pre=whitespace_split&whole=0&size=10&seed=15")
    app.text_area(key="unigram.counts_text").set_value("hug 10\npug 5\npun 12\nbun 4\nhugs 5")
    run(app)
    assert ["Erratum" in frame["html"] for frame in book(app)["frames"]] == [True, *[False] * 5]


def test_the_paths_question_is_not_answered_under_it() -> None:
    """Until it is: then the lattice is that of its word."""

    def first_word(app: AppTest) -> str:
        word = next(box for box in app.selectbox if (box.key or "").startswith("unigram.lattice.word"))
        return str(word.value)

    app = opened("corpus=hug&step=0&walk=path.8")
    assert "unhug" in markup(app) and first_word(app) == "hug"
    assert books(app)[1]["frames"][0]["say"].startswith("hug can be cut")
    for answer, shown in (("u n hug", "hug"), ("un hug", "unhug")):
        answer_box(app, "walk.ask", "entry").set_value(answer)
        app.button(key="walk.ask.check").click()
        assert first_word(run(app)) == shown
    assert first_word(opened("corpus=hug&step=0")) == "unhug"
