"""The page “Compare” without a browser, through Streamlit's `AppTest`: examples, links, complaints, tabs.

Sources and oracles: the engine, asked for the same corpus and settings (`compare`, tried in
`test_comparison.py`); the flipbook's own message to the browser. Tests of JavaScript are in
`tests/browser/test_compare_page.py`.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.drawing.test_comparison import example
from tests.app.drawing.test_tokens import HOSTILE, Read
from tests.pages.pages import PASTED, SMALL, Page, address, bodies, book, books, problems, run, tables, tabs
from tests.samples import spread
from tests.waiting import Clock, until
from tokenizers_core import Corpus
from tokenizers_core.measures import USUAL_ORDER, measure_sizes
from tokenizers_core.training.comparison import Comparison, compare
from tokensteps.language.measures import measure_name, measure_text, value_of
from tokensteps.limits import SEED_LIMIT, VOCABULARY_LIMIT
from tokensteps.runs import algorithms
from tokensteps.runs.algorithms import UNIGRAM, trace_at
from tokensteps.runs.corpora import EXAMPLES, pack_text
from tokensteps.runs.kinds import languages_of
from tokensteps.runs.parallel import table_of_lines
from tokensteps.runs.rules import COMPARE_RULES
from tokensteps.server import jobs
from tokensteps.server.jobs import Job, Registry
from tokensteps.server.tasks import Progress, Task

PAGE = Page("compare", Path("pages", "explore", "compare.py"), COMPARE_RULES)
opened, value, rules, usual = PAGE.opened, PAGE.value, PAGE.rules, PAGE.usual
TABS = [
    "Sweep chart",
    "Vocabulary overlap",
    "Where they disagree",
    "Measures",
    "At a glance",
    "Files and link",
]


def figure(app: AppTest) -> dict[str, Any]:
    """The chart on the page."""
    (chart,) = app.get("plotly_chart")
    spec: dict[str, Any] = json.loads(chart.proto.spec or chart.proto.figure.spec)
    return spec


def shows(app: AppTest, comparison: Comparison) -> None:
    """The stage steps through this comparison."""
    message = book(app)
    assert message["last"] == len(comparison)
    labels = [frame["label"] for frame in message["frames"]]
    first = message["first"]
    assert labels == [f"{size:,}" for size in comparison.sizes[first : first + len(labels)]]
    for frame, point in zip(message["frames"], comparison.sweep[first:], strict=False):
        fewest = min(number for number in point.tokens_per_word if number is not None)
        assert f"{fewest:.2f}" in frame["say"].split(". ")[0]


# --- examples and links -------------------------------------------------------------------------------------


def test_a_bare_address_is_the_four_sentences() -> None:
    app = opened()
    assert app.title[0].value == "Compare" and problems(app) == []
    # Written where training took a while.
    assert address(app).items() <= {"corpus": "course", "step": str(book(app)["seek"][0])}.items()
    assert tabs(app) == TABS
    assert value(app, "corpus") == "course"
    shows(app, example("course"))


@pytest.mark.slow
@pytest.mark.many(2)
@pytest.mark.parametrize("name", SMALL)
def test_every_example_renders_and_brings_its_settings(name: str) -> None:
    app = opened("corpus=highest" if name != "highest" else "corpus=hug")
    app.sidebar.selectbox(key="compare.ties").set_value("greatest")
    run(app)
    app.sidebar.selectbox(key="compare.corpus").set_value(name)
    run(app)
    assert rules(app) == usual(name) and problems(app) == []
    assert {key for key in app.query_params if key != "step"} == {"corpus"}
    shows(app, example(name))
    last = len(example(name))
    again = opened(f"corpus={name}&step={last}")
    assert rules(again) == usual(name) and book(again)["seek"][0] == last
    shows(again, example(name))


@pytest.mark.slow
def test_the_large_example_comes_with_progress() -> None:
    """It opens where the runs differ most, for its first visitor, too, or at the link's step."""
    assert usual("library")["size"] == 1000
    query = "corpus=library&seed=430&size=420"
    first, later = (book(opened(query))["seek"][0] for _ in range(2))
    assert first == later > 0
    app = opened(f"{query}&step=160")
    assert problems(app) == [] and rules(app) == usual("library") | {"seed": 430, "size": 420}
    message = book(app)
    assert message["seek"][0] == 160 and message["first"] > 0 and len(message["frames"]) == 96
    assert message["frames"][160 - message["first"]]["status"] == "vocabulary 410"


def test_a_link_sets_everything_and_is_written_back() -> None:
    text = pack_text(PASTED * 3)
    query = f"corpus=paste&text={text}&pre=whitespace&normalizer=lowercase&ties=greatest&method=sentencepiece&seed=40&size=25&lines=0&step=4"
    app = opened(query)
    assert problems(app) == []
    expected = {"corpus": "paste", "pre": "whitespace", "normalizer": "lowercase", "ties": "greatest",
                "method": "sentencepiece", "seed": 40, "size": 25, "lines": False, "paste_text": PASTED * 3}  # fmt: skip
    assert {name: value(app, name) for name in expected} == expected
    assert address(app) == {name: texts[0] for name, texts in parse_qs(query).items()}
    corpus = Corpus.from_texts([PASTED * 3], "lowercase", "whitespace")
    shows(app, compare(corpus, 25, tie_rule="greatest", method="sentencepiece", seed_size=40))
    assert book(app)["seek"][0] == 4


def captions(app: AppTest) -> str:
    return " ".join(one.value for one in app.caption)


def test_newer_kinds_of_bpe_side_by_side() -> None:
    """The engine's comparison of the same runs, in each tab; a link with rules of the kinds' own."""
    query = "corpus=phrases&runs=bpe,superbpe,pickybpe&transition=90&threshold=0.6&pre=byte_level&size=110&step=60"
    app = opened(query)
    assert problems(app) == [] and address(app) == {name: texts[0] for name, texts in parse_qs(query).items()}
    comparison = compare(
        Corpus.from_texts(EXAMPLES["phrases"].text().splitlines()),
        110,
        runs=["bpe", "superbpe", "pickybpe"],
        kinds={"superbpe": {"transition": 90}, "pickybpe": {"threshold": "0.6"}},
    )
    shows(app, comparison)
    said = [frame["say"] for frame in book(app)["frames"]]
    assert any("From here on tokens may bridge spaces." in one for one in said)
    assert any(" left." in one for one in said)
    assert "SuperBPE's tokens bridge spaces" in captions(app) and "PickyBPE's tokens leave" in captions(app)
    labels = {box.label for box in app.sidebar.number_input} | {box.label for box in app.sidebar.selectbox}
    assert {"Tokens before stage 2", "Threshold"} <= labels and "Unigram's method" not in labels
    for tab in TABS[1:]:
        PAGE.with_tab(app, tab)
        assert problems(app) == []
    words = comparison[60].disagreements()
    assert tables(PAGE.with_tab(app, "Where they disagree"))[0]["word"].tolist() == [
        result.word.replace("Ġ", "␣") for result in words
    ]


@pytest.mark.slow
def test_the_sidebar_names_the_compared_runs() -> None:
    """SuperBPE takes the split it needs, parity-aware BPE the table; one alone gets a message; the address
    has them in one order."""
    app = opened("corpus=hug")
    chosen = app.sidebar.multiselect(key="compare.runs")
    run(chosen.set_value(["unigram", "bpe"]).run())
    assert address(app)["runs"] == "bpe,unigram"
    assert " through BPE and Unigram, side" in app.get("html")[0].proto.body
    run(app.sidebar.multiselect(key="compare.runs").set_value(["bpe"]).run())
    assert "Side by side: choose at least 2." in problems(app)[0] and books(app) == []
    run(app.sidebar.multiselect(key="compare.runs").set_value(["superbpe", "bpe"]).run())
    assert value(app, "pre") == "byte_level" and "SuperBPE needs a text" in problems(app)[0]
    run(
        app.sidebar.multiselect(key="compare.runs").set_value(["bpe", "sentencepiece_bpe", "paritybpe"]).run()
    )
    assert value(app, "pre") == "whitespace_split_metaspace" and len(problems(app)) == 1
    run(app.button(key="compare.to_table").click().run())
    assert value(app, "corpus") == "parallel" and value(app, "runs") == ["bpe", "wordpiece", "unigram"]


def test_each_language_of_a_table_has_its_corpus() -> None:
    """Oracle: `languages_of` the table, and the engine; after as many tokens, parity-aware BPE stays behind
    the plain one."""
    app = opened("corpus=parallel&runs=bpe,paritybpe&size=480&step=40")
    assert problems(app) == [] and "Parity-aware BPE sees each column" in captions(app)
    corpus = Corpus.from_texts([table_of_lines()], pre_tokenizer="whitespace_split_metaspace")
    comparison = compare(languages_of(corpus), 480, runs=["bpe", "paritybpe"])
    shows(app, comparison)


def test_an_emptied_size_goes_on_until_no_pair_is_left() -> None:
    app = opened("corpus=course&size=40")
    assert book(app)["last"] == 10
    app.sidebar.number_input(key="compare.size").set_value(None)
    run(app)
    assert problems(app) == [] and book(app)["last"] == len(example("course", size=None)) == 144


def test_other_rules_make_another_comparison() -> None:
    app = opened("corpus=course")
    app.sidebar.selectbox(key="compare.method").set_value("sentencepiece")
    app.sidebar.selectbox(key="compare.ties").set_value("lowest_ids")
    run(app)
    assert {*app.query_params} - {"step"} == {"corpus", "method", "ties"}
    shows(app, example("course", method="sentencepiece", ties="lowest_ids"))


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("corpus=nope", "corpus=&#x27;nope&#x27;"),
        ("corpus=course&size=abc", "size=&#x27;abc&#x27;"),
        ("corpus=course&seed=0", "seed=&#x27;0&#x27;"),
        ("corpus=course&runs=bpe,glove", "runs=&#x27;bpe,glove&#x27;"),
        ("corpus=course&runs=bpe", "runs=&#x27;bpe&#x27;"),
        ("corpus=course&runs=3", "runs=&#x27;3&#x27;, which is not valid here"),
        ("corpus=course&pre=none", "pre=&#x27;none&#x27;"),
        ("corpus=course&ties=%3Cb%3E", "ties=&#x27;&lt;b&gt;&#x27;"),
        ("corpus=paste&text=eNoLdamaged", "The text in this link is damaged"),
    ],
)
def test_damaged_links_are_reported(query: str, says: str) -> None:
    app = opened(query)
    assert len(problems(app)) == 1 and says in problems(app)[0]
    if "paste" not in query:
        shows(app, example("course"))


def test_it_opens_where_the_three_differ_most() -> None:
    """Oracle: tokens per word of each size, one by one. At step 0 all three columns are alike."""
    comparison = example("course")
    heights = [
        [height for height in point.tokens_per_word if height is not None] for point in comparison.sweep
    ]
    gaps = [max(row) - min(row) for row in heights]
    for query in ("", "corpus=course"):
        assert book(opened(query))["seek"][0] == gaps.index(max(gaps)) > 0
    assert book(opened("corpus=course&step=0"))["seek"][0] == 0


def test_a_step_beyond_the_end_is_the_last_one() -> None:
    app = opened("corpus=course&step=999")
    assert book(app)["seek"][0] == 144 and problems(app) == []


@pytest.mark.parametrize("step", ["-1", "abc"])
def test_an_invalid_step_is_reported(step: str) -> None:
    app = opened(f"corpus=course&step={step}")
    assert len(problems(app)) == 1 and f"step=&#x27;{step}&#x27;" in problems(app)[0]


def test_a_text_in_an_address_is_the_learners_own() -> None:
    """As docs/links.md promises, also without `corpus`."""
    app = opened("text=tea+team+steam")
    assert (
        problems(app) == []
        and value(app, "corpus") == "paste"
        and value(app, "paste_text") == "tea team steam"
    )
    app = opened("corpus=hug&text=tea")
    assert value(app, "corpus") == "hug" and "its text is left out" in problems(app)[0]


# --- impossible settings ------------------------------------------------------------------------------------


def test_invalid_numbers() -> None:
    """By their names on this page."""
    text = "low lower lowest lower slow"  # ▁lowerst: 8 characters
    seed = ">Unigram&#x27;s seed vocabulary: "
    PAGE.refuses_numbers(
        opened(f"corpus=paste&text={pack_text(text)}"),
        ("size", 3, (">Largest vocabulary: 3 is below the alphabet&#x27;s 8 symbols", "choose at least 8")),
        ("seed", 3, f"{seed}3 can&#x27;t be used; choose at least 8"),
        ("size", 0, (">Largest vocabulary: 0 is out of range", f"from 1 to {VOCABULARY_LIMIT:,}.")),
        ("seed", -4, (f"{seed}-4 is out of range", f"{SEED_LIMIT:,}")),
    )


def test_a_size_below_wordpieces_alphabet_is_explained() -> None:
    """abab, ba: two characters, but four symbols with ##."""
    app = opened(f"corpus=paste&pre=whitespace_split&text={pack_text('abab abab ba')}&size=3")
    (text,) = problems(app)
    assert "Largest vocabulary: 3 is below the WordPiece alphabet" in text and "choose at least 4" in text


def test_nothing_to_compare_yet() -> None:
    app = opened("corpus=paste")
    assert problems(app) == [] and app.main.text_area(key="compare.paste_text").value == ""
    blank = opened("corpus=counts")
    blank.text_area(key="compare.counts_text").set_value("hug ten")
    run(blank)
    assert "Line 1" in problems(blank)[0]


@pytest.mark.many(3)
@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("text", ["a", "a a", "ab", "\u0301\u0301", "🍵"])
def test_every_tab_renders_for_the_smallest_texts(text: str, tab: str) -> None:
    app = opened(f"corpus=paste&text={pack_text(text)}", tab)
    assert problems(app) == [] and book(app)["frames"][0]["say"]


# --- tabs ---------------------------------------------------------------------------------------------------


@pytest.mark.many(2)
@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("query", ["corpus=hug", "corpus=course", "corpus=highest&method=sentencepiece"])
def test_every_tab_renders_at_every_kind_of_step(query: str, tab: str) -> None:
    last = book(opened(query))["last"]
    for step in (0, 1, last // 2, last):
        app = opened(f"{query}&step={step}", tab)
        assert problems(app) == [] and book(app)["seek"][0] == step


def test_the_charts_are_the_sweep() -> None:
    comparison = example("course")
    app = opened("corpus=course&step=40", "Sweep chart")
    drawn = figure(app)
    assert [line["name"] for line in drawn["data"]] == ["BPE", "WordPiece", "Unigram"]
    assert drawn["layout"]["shapes"][0]["x0"] == comparison.sizes[40] == 70
    app.session_state["compare.chart"] = "alike"
    run(app)
    assert figure(app)["data"][-1]["name"] == "all"
    assert (
        figure(opened("corpus=course&step=9", "Vocabulary overlap"))["data"][0]["name"] == "BPE and WordPiece"
    )


@pytest.mark.parametrize("name", ["fertility", "renyi_efficiency", "whole_words"])
def test_measures_over_the_sizes_are_the_engines(name: str) -> None:
    """The chart's points, the table at this size, and fertility as the sweep has it."""
    comparison = example("course")
    app = opened("corpus=course&step=40", "Measures")
    app.selectbox(key="compare.measure").select(name)
    run(app)
    drawn = figure(app)["data"]
    positions = [comparison.sizes.index(size) for size in drawn[0]["x"]]
    assert 40 in positions and positions[0] == 0 and positions[-1] == len(comparison)
    rows = [*measure_sizes(comparison, positions)]
    for line, column in zip(drawn, zip(*rows, strict=True), strict=True):
        expected = [None if one is None else value_of(one, name, USUAL_ORDER, False) for one in column]
        assert line["y"] == pytest.approx(expected)
    if name == "fertility":
        assert [line["y"][positions.index(40)] for line in drawn] == pytest.approx(
            comparison.sweep[40].tokens_per_word
        )
    [table] = [one for one in tables(app) if "Measure" in one]
    here = rows[positions.index(40)]
    assert [*table.loc[table["Measure"] == measure_name(name)].iloc[0]][1:] == [
        measure_text(name, None if one is None else value_of(one, name, USUAL_ORDER, False)) for one in here
    ]


def test_buttons_go_to_sizes_worth_a_look() -> None:
    app = opened("corpus=course", "Sweep chart")
    comparison = example("course")
    gaps = [max(map(float, filter(None, point.tokens_per_word))) - min(map(float, filter(None, point.tokens_per_word))) for point in comparison.sweep]  # fmt: skip
    position = gaps.index(max(gaps))
    (button,) = [button for button in app.button if button.label.startswith("Lines farthest apart")]
    assert button.label == f"Lines farthest apart: size {comparison.sizes[position]}"
    button.click()
    run(app)
    assert book(app)["seek"][0] == position


def test_words_can_be_found_and_sorted_out() -> None:
    snapshot = example("course")[40]
    words = snapshot.disagreements()
    app = opened("corpus=course&step=40", "Where they disagree")
    table = tables(app)[0]
    assert table["word"].tolist() == [result.word.replace("▁", "␣") for result in words]
    app.selectbox(key="compare.who").set_value("wordpiece")
    run(app)
    own = [result.word.replace("▁", "␣") for result in words if result.apart == "wordpiece"]
    assert tables(app)[0]["word"].tolist() == own and own
    assert any(caption.value.startswith(f"{len(own)} different word") for caption in app.caption)
    app.text_input(key="compare.looked_for").set_value("zzz")
    run(app)
    assert tables(app) == [] and problems(app) == []


def test_the_link_brings_the_step_back() -> None:
    text = pack_text(PASTED)
    app = opened(f"corpus=paste&text={text}&size=20&step=5", "Files and link")
    link, _embed = app.code
    query = parse_qs(link.value.partition("?")[2])
    assert query["text"] == [text] and query["step"] == ["5"] and query["size"] == ["20"]
    labels = [button.label for button in app.get("download_button")]
    assert len(labels) == 3 and labels[0].startswith("Handout")


def test_a_text_too_long_for_a_link_has_a_note() -> None:
    random = Random(5)
    # Few words, in no order: quick to train on, and hard to pack.
    text = " ".join(f"w{random.randrange(99)}" for _ in range(9000))
    assert pack_text(text) is None
    app = opened("corpus=paste&size=30", "Files and link")
    app.text_area(key="compare.paste_text").set_value(text)
    run(app)
    assert problems(app) == [] and any(
        "A link can&#x27;t hold this corpus" in note for note in bodies(app, "note")
    )
    assert "id" in app.query_params and app.code.len == 0


def test_training_can_be_stopped_and_taken_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Training is under way for as long as the test wants."""
    go_on = threading.Event()

    def train(_name: str, task: Task[Any], progress: Progress) -> Any:
        def steps(done: int, total: int | None) -> bool:
            until(lambda: progress.stop or go_on.is_set())
            return progress.steps(done, total)

        return task.train(task.source.corpus(task.pipeline), progress=steps, **task.settings)

    monkeypatch.setattr(algorithms, "train", train)
    app = PAGE.start("text=tea+team+steam+meat+mate+tame").run()
    assert books(app) == []
    app.button(key="compare.stop").click()
    stopped = book(run(app))["last"]
    assert any("Training was stopped at these vocabulary sizes: BPE" in note for note in bodies(app, "note"))
    go_on.set()
    app.button(key="compare.again").click()
    assert book(run(app))["last"] > stopped and bodies(app, "note") == []


def test_a_run_with_others_waiting_cannot_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody ends it for a class; a visitor waiting alone may."""

    def script() -> None:
        import streamlit as st

        from tokensteps.widgets import stage

        st.session_state["language"] = "en"
        registry: Registry = st.session_state["registry"]
        stage.build("compare", "run", lambda progress: None, lambda: registry)

    monkeypatch.setattr(jobs, "time", Clock())
    gate, registry = threading.Event(), Registry()
    job = registry.ask("run", lambda _progress: gate.wait(60), 0)
    assert isinstance(job, Job)
    app = AppTest.from_function(script)
    app.session_state["registry"] = registry
    assert [button.key for button in app.run().button] == ["compare.stop"] and not app.caption
    job.shared("somebody else")
    assert not app.run().button and "Others are waiting for this run" in app.caption[0].value
    gate.set()


def test_a_stopped_comparison_shows_each_runs_progress() -> None:
    """A comparison's steps are sizes: their number says nothing about training."""

    def script() -> None:
        from tokensteps.widgets import stage

        stage.build("compare", "run", lambda _progress: None)

    corpus = Corpus.from_texts(["hug pug pun bun hugs " * 3])
    full = compare(corpus, 12)
    stopped = compare(
        corpus, 12, progress=lambda done, _total: done <= len(full.sides[0].trace) + len(full.sides[1].trace)
    )
    reached = [side.sizes[-1] for side in stopped.sides]  # fmt: skip
    assert stopped.stop_reason == "stopped" and reached[2] > stopped.sizes[0]
    app = AppTest.from_function(script)
    app.session_state["compare.stopped"] = {"run": stopped}
    run(app)
    (text,) = bodies(app, "note")
    assert "at these vocabulary sizes: BPE {}, WordPiece {}, Unigram {}.".format(*reached) in text
    assert "steps" not in text and [button.key for button in app.button] == ["compare.again"]


def test_where_one_is_missing_the_tabs_say_so() -> None:
    """WordPiece starts at 13 in the “highest” example, and this is size 12."""
    for tab in TABS[:3]:
        app = opened("corpus=highest&step=1", tab)
        (text,) = [caption.value for caption in app.caption if "WordPiece starts at 13." in caption.value]
        assert "all have them" not in text and problems(app) == []


# --- hostile text -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("show", ["letters", "symbols", "bytes"])
def test_hostile_text_stays_text_everywhere(show: str) -> None:
    words = [*(word.replace("\ud800", "x") for word in HOSTILE if word), "$x$", "**b**", "</script>", "a\u202eb",
             "<img/src=x/onerror=bad()>", "<img src=x onerror=alert(1)>", "{piece} {0} %s"]  # fmt: skip
    text = pack_text(" ".join(words) + "\n" + " ".join(words))
    allowed = {"div", "p", "span", "b", "bdi", "section", "h3", "h4", "i", "ul", "li"}
    read = set()  # the stage's frames are the same beside each tab
    for tab in TABS:
        app = opened(f"corpus=paste&show={show}&size=120&text={text}&step=30", tab)
        assert problems(app) == []
        drawn = [html.proto.body for html in app.get("html")]
        frames = book(app)["frames"]
        drawn += [frame[part] for frame in frames for part in ("html", "label")]
        for frame in spread(frames):
            if frame["html"] not in read:
                assert Read(frame["html"]).tags <= allowed
                read.add(frame["html"])
        for attack in ("<img", "<script", "</script", "onerror=bad()>", "<b>x</b>", "\u202e"):
            assert attack not in "\n".join(drawn), (tab, attack)
        for message in (*app.caption, *app.markdown, *app.header, *app.title):
            assert (
                "bad()" not in message.value and "alert(" not in message.value and "$x$" not in message.value
            ), tab
        for button in app.button:
            assert "bad" not in button.label


# --- Unigram here and on its own page -----------------------------------------------------------------------


def note_on_unigrams_page(app: AppTest) -> list[str]:
    """The page's text about Unigram's own page."""
    return [one.value for one in app.caption if one.value.startswith("Unigram's page opens this corpus")]


@pytest.mark.parametrize("name", ["hello", "course"])
def test_why_unigrams_page_has_other_pieces(name: str) -> None:
    """The note where the two runs differ, with their seeds; both are trained here as their pages do it."""
    here = example(name).runs["unigram"]
    there = trace_at(UNIGRAM, corpus=name)
    (text,) = note_on_unigrams_page(opened(f"corpus={name}"))
    assert dict(here.seed) != dict(there.seed)
    assert f"a seed of at most {len(there.seed):,} pieces instead of {len(here.seed):,}" in text
    assert ("shorter than their word" in text) == (not there.settings["whole_words"])
    assert "method" not in text
    (text,) = note_on_unigrams_page(opened(f"corpus={name}&method=sentencepiece"))
    assert "the course's method" in text
    (text,) = note_on_unigrams_page(opened(f"corpus={name}&normalizer=lowercase"))
    assert "words split by other rules" in text


def test_no_note_where_unigrams_page_trains_the_same() -> None:
    """A short text of one's own: both seeds hold all of its substrings, and their runs prune the same
    pieces."""
    text = "hug pug pun bun hugs"
    values = {"corpus": "paste", "text": pack_text(text) or ""}
    app = opened(f"corpus=paste&text={values['text']}")
    assert note_on_unigrams_page(app) == [] and problems(app) == []
    corpus = Corpus.from_texts([text], pre_tokenizer="whitespace_split_metaspace")
    here, there = compare(corpus, 300).runs["unigram"], trace_at(UNIGRAM, **values, size="")
    assert here.seed == there.seed
    assert [step.event.piece for step in list(here)[1:]] == [step.event.piece for step in list(there)[1:]]
