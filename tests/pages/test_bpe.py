"""The BPE page without a browser, through Streamlit's `AppTest`: links, examples, complaints, defaults.

Sources and oracles: the engine, asked for the same corpus and settings; the flipbook's own message to the
browser. Tests of JavaScript (keys, flips, Back) are in `tests/browser/`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import APP, PASTED, SMALL, Page, address, bodies, book, problems, run, tabs
from tokenizers_core import TIE_RULES, train_bpe
from tokensteps import limits
from tokensteps.drawing.narration.merging import MERGING_STOPS
from tokensteps.language.names import choice_name
from tokensteps.limits import PASTE_LIMIT, VOCABULARY_LIMIT
from tokensteps.runs.corpora import pack_text
from tokensteps.runs.rules import BPE_RULES, OWN_PATTERN, RULES_OF
from tokensteps.server import stores
from tokensteps.server.jobs import registry
from tokensteps.server.stores import corpora

TABS = [
    "Every pair",
    "Encode",
    "Charts",
    "Ties",
    "Follow a word",
    "Lineage",
    "How close?",
    "Code",
    "Files and link",
    "About this kind",
]
PAGE = Page("bpe", Path("pages", "train", "bpe.py"), BPE_RULES)
opened, value, rules, usual, with_tab = PAGE.opened, PAGE.value, PAGE.rules, PAGE.usual, PAGE.with_tab


def test_app_starts_at_home() -> None:
    app = AppTest.from_file(str(APP), default_timeout=300)
    run(app)
    assert app.title[0].value == "TokenSteps"
    assert "ts story" in "".join(html.proto.body for html in app.get("html"))


def test_a_bare_address_is_the_course() -> None:
    app = opened()
    assert app.title[0].value == "BPE"
    assert value(app, "corpus") == "course" and book(app)["last"] == 19
    assert problems(app) == [] and app.query_params == {}
    assert tabs(app) == TABS


def test_a_look_at_another_corpus_leaves_the_address() -> None:
    """Without a text, no stage is drawn; back at the first corpus, the address has that one."""
    app = PAGE.opened("")
    for corpus in ("paste", "course"):
        app.selectbox(key="bpe.corpus").set_value(corpus)
        run(app)
    assert address(app)["corpus"] == "course"


def test_a_link_sets_everything() -> None:
    text = pack_text(PASTED)
    query = f"corpus=paste&text={text}&pre=whitespace_split&normalizer=lowercase&ties=greatest&size=14&min=2"
    app = opened(f"{query}&special=%3Cs%3E&lines=0&show=bytes&step=2")
    assert problems(app) == []
    expected = {
        "corpus": "paste", "paste_text": PASTED, "pre": "whitespace_split", "normalizer": "lowercase", "ties": "greatest",
        "size": 14, "min": 2, "special": "<s>", "lines": False, "show": "bytes",
    }  # fmt: skip
    assert {name: value(app, name) for name in expected} == expected
    assert app.sidebar.text_area(key="bpe.paste_text").value == PASTED
    assert app.sidebar.selectbox(key="bpe.ties").value == "greatest"
    message = book(app)
    assert (
        message["seek"][0] == 2
        and message["last"] == 2
        and message["frames"][-1]["status"] == "vocabulary 14"
    )
    assert "0x" in message["frames"][2]["html"]
    assert app.query_params["text"] == text and app.query_params["step"] == "2"


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_example_renders_and_brings_its_settings(name: str) -> None:
    """Chosen in the sidebar, an example loads the settings for its point, and a reload of its link does
    too."""
    app = opened("corpus=highest" if name != "highest" else "corpus=hug")
    app.sidebar.selectbox(key="bpe.ties").set_value("greatest")
    run(app)
    app.sidebar.selectbox(key="bpe.corpus").set_value(name)
    run(app)
    assert rules(app) == usual(name) and problems(app) == []
    assert {key for key in app.query_params if key != "step"} == {"corpus"}
    frames = book(app)["frames"]
    assert frames[0]["label"] == "Start" and book(app)["seek"][0] == 0
    again = opened(f"corpus={name}&step={book(app)['last']}")
    assert rules(again) == usual(name)
    assert any(reason in book(again)["frames"][-1]["say"] for reason in MERGING_STOPS.values())


@pytest.mark.many(2)
@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("step", [0, 7, 19])
def test_every_tab_renders_at_every_kind_of_step(tab: str, step: int) -> None:
    app = opened(f"corpus=course&step={step}", tab)
    assert problems(app) == []
    assert book(app)["seek"][0] == step


def test_every_tab_renders_when_there_is_nothing_to_merge() -> None:
    app = opened(f"corpus=paste&text={pack_text('a')}")
    assert book(app)["last"] == 0
    for tab in TABS:
        assert problems(with_tab(app, tab)) == [], tab


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("corpus=nope", "corpus=&#x27;nope&#x27;"),
        ("corpus=<script>", "corpus=&#x27;&lt;script&gt;&#x27;"),
        ("corpus=course&size=abc", "size=&#x27;abc&#x27;"),
        ("corpus=course&size=99999", "size=&#x27;99999&#x27;"),
        ("corpus=course&ties=random", "ties=&#x27;random&#x27;"),
        ("corpus=course&lines=maybe", "lines=&#x27;maybe&#x27;"),
        (
            "corpus=paste&text=eNoLdamaged",
            "The text in this link is damaged: ask for the link again, or paste the text.",
        ),
        ("corpus=paste&text=eNpLTFJITAIABe", "The text in this link is damaged"),
        (
            "corpus=paste&id=0123",
            "This server no longer has the text of this link: paste or upload it again.",
        ),
        ("corpus=upload&id=0123&file=a.txt", "paste or upload it again."),
    ],
)
def test_damaged_links_are_reported_and_the_page_works_on(query: str, says: str) -> None:
    app = opened(query)
    assert len(problems(app)) == 1 and says in problems(app)[0]
    if "corpus=course" in query or "corpus=n" in query:
        assert book(app)["last"] == 19 and "the default is used" in problems(app)[0]


def test_a_complaint_stays_until_a_setting_is_changed() -> None:
    """And doesn't come back when that is changed back."""
    app = run(opened("corpus=course&size=40&ties=random"))
    assert len(problems(app)) == 1
    for size in (41, 40):
        app.sidebar.number_input(key="bpe.size").set_value(size)
        assert problems(run(app)) == []


@pytest.mark.parametrize(
    ("step", "there"), [("99", 19), ("-1", 0), ("abc", 0), ("", 0), ("²", 0), ("1e1", 0), ("9" * 400, 0)]
)
def test_damaged_steps_are_clamped(step: str, there: int) -> None:
    PAGE.clamps(step, there)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (" \n ", "Write or paste a text first."),
        ("x" * (PASTE_LIMIT + 1), "The text has 200,001 characters, but the limit is 200,000: shorten it"),
    ],
)
def test_texts_unfit_for_training(text: str, says: str) -> None:
    app = opened("corpus=paste&ties=greatest")
    app.text_area(key="bpe.paste_text").set_value(text)
    run(app)
    assert len(problems(app)) == 1 and says in problems(app)[0]
    assert value(app, "paste_text") == text and value(app, "ties") == "greatest"
    assert "tokensteps.flipbook" not in [part.proto.component_name for part in app.get("bidi_component")]


@pytest.mark.parametrize("corpus", ["hug", "counts", "paste"])
def test_your_text_brings_the_box_for_a_text(corpus: str) -> None:
    """Not in Predict, where a class may be."""
    app = opened(f"corpus={corpus}")
    app.button(key="bpe.to_own_text").click()
    run(app)
    assert app.session_state["bpe.corpus"] == "paste" and app.main.text_area(key="bpe.paste_text").value == ""
    assert not [
        button for button in opened("corpus=hug&mode=predict").button if button.key == "bpe.to_own_text"
    ]


def test_an_empty_box_is_on_the_page_and_one_with_a_text_beside_it() -> None:
    app = opened("corpus=paste")
    assert problems(app) == [] and not app.sidebar.text_area
    for blank in ("", " \n\t"):  # the box stays, and says what is missing
        app.main.text_area(key="bpe.paste_text").set_value(blank)
        app.button(key="bpe.train").click()
        assert "Write or paste a text first." in "".join(problems(run(app)))
        assert not app.sidebar.text_area and app.main.text_area(key="bpe.paste_text").value == blank
    assert "Write or paste words with" in "".join(problems(opened(f"corpus=counts&text={pack_text(' ')}")))
    app.main.text_area(key="bpe.paste_text").set_value("a b")
    app.button(key="bpe.train").click()
    run(app)
    assert bodies(app, "note") == [] and not app.main.text_area
    app.sidebar.text_area(key="bpe.paste_text").set_value("")
    run(app)
    assert app.main.text_area(key="bpe.paste_text").value == ""
    app = opened("corpus=upload")
    assert "Upload a file in the sidebar" in bodies(app, "note")[0] and not app.main.text_area


def state(app: AppTest, key: str) -> object:
    return app.session_state[key]


def on_page(app: AppTest, name: str, **url: str) -> AppTest:
    """Another page, by the navigation or a link, as the browser goes there."""
    app.query_params.clear()
    for key, value in url.items():
        app.query_params[key] = value
    app.switch_page(str(Path("pages", "train", f"{name}.py")))
    return run(app)


def test_a_text_of_ones_own_follows_from_page_to_page() -> None:
    """Until an example is chosen there, or a link brings another; a changed text comes back as well."""
    app = opened(f"corpus=paste&text={pack_text('low lower')}")
    for name in ("wordpiece", "unigram"):
        on_page(app, name)
        assert (state(app, f"{name}.corpus"), state(app, f"{name}.paste_text")) == ("paste", "low lower")
        assert problems(app) == [] and address(app)["corpus"] == "paste" and "text" in address(app)
    app.sidebar.text_area(key="unigram.paste_text").set_value("low slow")
    run(app)
    on_page(app, "bpe")
    assert state(app, "bpe.paste_text") == "low slow"
    on_page(app, "wordpiece", corpus="hug")
    assert state(app, "wordpiece.corpus") == "hug"
    on_page(app, "unigram")
    assert (state(app, "unigram.corpus"), state(app, "unigram.paste_text")) == ("paste", "low slow")
    app.sidebar.selectbox(key="unigram.corpus").set_value("counts")
    run(app)
    app.text_area(key="unigram.counts_text").set_value("hug 3")
    run(app)
    on_page(app, "bpe")
    assert (state(app, "bpe.corpus"), state(app, "bpe.counts_text")) == ("counts", "hug 3")
    app.sidebar.selectbox(key="bpe.corpus").set_value("highest")
    run(app)
    on_page(app, "wordpiece")
    assert state(app, "wordpiece.corpus") == "hug"  # as it was left


def test_an_emptied_text_follows_nowhere() -> None:
    app = opened(f"corpus=paste&text={pack_text('low lower')}")
    app.text_area(key="bpe.paste_text").set_value("")
    run(app)
    on_page(app, "wordpiece")
    assert state(app, "wordpiece.corpus") != "paste" and "text" not in address(app)


@pytest.mark.parametrize("name", ["wordpiece", "unigram"])
def test_a_text_that_follows_takes_no_rules_of_an_example_along(name: str) -> None:
    """The next page was left with rules of its own. Oracle: the rules after a link with the text alone."""
    text = pack_text("low lower")
    fresh = on_page(opened("corpus=hug"), name, corpus="paste", text=text)
    usual = {rule.name: state(fresh, f"{name}.{rule.name}") for rule in RULES_OF[name]}
    app = on_page(opened("corpus=hug"), name, corpus="hug", size="12", norm="lowercase")
    assert state(app, f"{name}.size") == 12 != usual["size"]
    on_page(app, "bpe", corpus="paste", text=text)
    on_page(app, name)
    assert {rule.name: state(app, f"{name}.{rule.name}") for rule in RULES_OF[name]} == usual
    assert state(app, f"{name}.paste_text") == "low lower" and problems(app) == []


def test_invalid_numbers() -> None:
    PAGE.refuses_numbers(
        opened("corpus=course"),
        (
            "size",
            3,
            "Vocabulary size: 3 is below the starting vocabulary&#x27;s 31 symbols; choose at least 31.",
        ),
        ("size", 0, f"0 is out of range; choose a number from 1 to {VOCABULARY_LIMIT:,}."),
        ("size", -4, "-4 is out of range"),
        ("size", 10**12, "1,000,000,000,000 is out of range; choose a number from 1 to 20,000."),
        ("min", 0, "0 is out of range; choose a number from 1 to 1,000,000."),
    )


def test_size_may_be_empty() -> None:
    app = opened("corpus=course")
    app.sidebar.number_input(key="bpe.size").set_value(None)
    run(app)
    assert problems(app) == [] and app.query_params["size"] == ""
    assert book(app)["last"] > 19
    again = opened("corpus=course&size=")
    assert value(again, "size") is None and book(again)["last"] == book(app)["last"]


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(a", "The pattern &#x27;(a&#x27; is not a valid regular expression"),
        (
            "(a|aa)+$",
            "The pattern &#x27;(a|aa)+$&#x27; took more than 0.2 seconds; avoid nested repetition, or use less text",
        ),
        ("<b>[", "&lt;b&gt;["),
    ],
)
def test_invalid_patterns(pattern: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Invalid patterns get a message and stay in their box; the next, valid one is taken. An emptied box
    takes the usual one."""
    monkeypatch.setattr(limits, "PATTERN_SECONDS", 0.2)
    app = opened(f"corpus=paste&pattern=own&text={pack_text('a' * 60 + '!')}")
    app.sidebar.text_input(key="bpe.regex").set_value(pattern)
    run(app)
    assert len(problems(app)) == 1 and says in problems(app)[0]
    assert value(app, "regex") == pattern
    app.sidebar.text_input(key="bpe.regex").set_value("a|!")
    run(app)
    assert problems(app) == [] and book(app)["last"] == 0
    app.sidebar.text_input(key="bpe.regex").set_value("")
    run(app)
    assert problems(app) == [] and value(app, "regex") == OWN_PATTERN.default
    assert "regex" not in app.query_params and book(app)["last"] > 0


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        (
            "a.csv",
            b"hug,10\npug;5\n",
            "Line 2 (&#x27;pug;5&#x27;): the count is missing. Write a word, a space and its count, such as “hug 10”.",
        ),
        ("a.tsv", b"hug\t10\npug\tten\n", "Line 2 ("),
        ("a.txt", b" \n\n ", "The file has 4 bytes and no words: choose another one."),
        ("a.txt", b"", "The file has 0 bytes and no words: choose another one."),
    ],
)
def test_unreadable_files(name: str, data: bytes, says: str) -> None:
    app = opened("corpus=upload&ties=greatest")
    app.sidebar.get("file_uploader")[0].set_value((name, data, "text/plain"))
    run(app)
    assert len(problems(app)) == 1 and says in problems(app)[0]
    assert value(app, "ties") == "greatest"


def test_invalid_utf_8_is_read_and_reported() -> None:
    app = opened("corpus=upload")
    app.sidebar.get("file_uploader")[0].set_value(("a.txt", b"caf\xe9 caf\xe9", "text/plain"))
    run(app)
    assert problems(app) == []
    assert (
        "2 stretches of invalid UTF-8 in the file were read as U+FFFD: save the file as UTF-8"
        in bodies(app, "note")[0]
    )
    assert "id" in app.query_params
    again = opened("&".join(f"{name}={text}" for name, text in app.query_params.items()))
    assert problems(again) == [] and book(again)["last"] == book(app)["last"]


def test_back_brings_the_file_before_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: the address after Back, while the upload's box still holds the newer file."""
    app = opened("corpus=upload")
    urls, books = [], []
    for name, data in (("a.txt", b"hug pug pun"), ("b.txt", b"low lower lowest")):
        app.sidebar.get("file_uploader")[0].set_value((name, data, "text/plain"))
        urls.append(address(run(app)))
        books.append(book(app)["last"])
    for there, name in ((0, "a.txt"), (1, "b.txt")):  # Back, then Forward
        with monkeypatch.context() as patch:
            patch.setattr("tokensteps.components.address.is_history_navigation", lambda: True)
            for parameter, text in urls[there].items():
                app.query_params[parameter] = text
            run(app)
        run(app)
        assert value(app, "upload_data")[0] == name == address(app)["file"]
        assert address(app) == urls[there] and book(app)["last"] == books[there]
        assert ("Using a.txt" in "".join(bodies(app, "note"))) == (name == "a.txt")


def test_a_file_dropped_by_the_server_is_requested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Corpora share one room; a short one is in the store on disk as well."""
    app = opened("corpus=upload")
    app.sidebar.get("file_uploader")[0].set_value(("a.txt", b"hug pug pun", "text/plain"))
    run(app)
    held = app.session_state["bpe.upload_data"]
    corpora().drop(held[1])
    later = opened("corpus=upload")
    later.session_state["bpe.upload_data"] = held
    run(later)
    assert problems(later) == [] and book(later)["last"] == book(app)["last"]
    monkeypatch.setattr(stores.TextStore, "get", lambda _self, _name: None)
    run(later)
    assert "paste or upload it again." in problems(later)[0]


def test_errors_in_typed_counts_name_the_line() -> None:
    app = opened("corpus=counts")
    app.text_area(key="bpe.counts_text").set_value("hug 10\npug five")
    run(app)
    assert (
        "Line 2 (&#x27;pug five&#x27;)" in problems(app)[0]
        and value(app, "counts_text") == "hug 10\npug five"
    )
    app.sidebar.text_area(key="bpe.counts_text").set_value("hug 10\npug 5")
    run(app)
    assert problems(app) == [] and "15 times" in book(app)["frames"][1]["say"]


def test_hostile_text_stays_text_in_every_message() -> None:
    hostile = "<img/src=x/onerror=bad()> </script><script>bad()</script> {pair} \x00 \u202e"
    app = opened(f"corpus=paste&pre=whitespace_split&special=%3Cb%3E&text={pack_text(hostile)}")
    assert problems(app) == []
    for frame in book(app)["frames"]:
        assert (
            "<img" not in frame["html"] + frame["label"] and "<script" not in frame["html"] + frame["label"]
        )
    for tab in TABS:
        with_tab(app, tab)
        for html in app.get("html"):
            assert "<img" not in html.proto.body and "<script" not in html.proto.body


def test_a_typed_corpus_outlives_a_look_at_others() -> None:
    app = opened(f"corpus=paste&text={pack_text(PASTED)}")
    app.sidebar.selectbox(key="bpe.corpus").set_value("hug")
    run(app)
    assert "text" not in app.query_params
    app.sidebar.selectbox(key="bpe.corpus").set_value("paste")
    run(app)
    assert app.sidebar.text_area(key="bpe.paste_text").value == PASTED
    assert app.query_params["text"] == pack_text(PASTED)


def test_names_of_rules_are_offered() -> None:
    app = opened()
    assert app.sidebar.selectbox(key="bpe.ties").options == [choice_name("ties", rule) for rule in TIE_RULES]


def test_a_stopped_run_stays_with_its_session() -> None:
    """Both runs have the same name, and the same steps in the first window."""
    query = "corpus=library&size=800"
    whole = book(opened(query))
    name, last = whole["run"].split(":")[0], whole["last"]
    trace = registry().values.get(name)
    assert trace is not None and last == len(trace) > 200
    corpus = trace.corpus
    part = train_bpe(corpus, vocab_size=trace.vocab_sizes[180], progress=lambda done, _total: done < 170)
    assert part.stop_reason == "stopped" and 100 < len(part) < last
    app = PAGE.start(query)
    app.session_state["bpe.stopped"] = {name: part}
    stopped = book(run(app))
    assert (stopped["last"], stopped["first"]) == (len(part), whole["first"])
    assert any("stopped after" in note for note in bodies(app, "note"))
    app.session_state["bpe.stopped"] = {name: trace}  # "Stop here" came when it had just ended
    assert book(run(app))["last"] == last
    assert not any("stopped after" in note for note in bodies(app, "note"))
    again = book(opened(query))
    assert (again["last"], again["run"]) == (last, whole["run"])


@pytest.mark.parametrize(
    ("tab", "key", "other"),
    [("Encode", "bpe.encode.hug", "Files and link"), ("Files and link", "bpe.challenge.title", "Encode")],
)
def test_a_look_at_another_tab_loses_no_text(tab: str, key: str, other: str) -> None:
    app = with_tab(opened("corpus=hug"), tab)
    app.text_input(key=key).set_value("my own word")
    run(app)
    assert app.text_input(key=key).value == "my own word"
    app = with_tab(with_tab(app, other), tab)
    assert app.text_input(key=key).value == "my own word"
