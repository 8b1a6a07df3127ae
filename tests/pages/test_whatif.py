"""The page “What if” without a browser, through Streamlit's `AppTest`: counts, other changes, links,
complaints, hostile text.

Oracle: the engine, which trains from scratch on the corpus with the change made by hand. Tests of JavaScript
are in `tests/browser/test_whatif_page.py`.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.drawing.test_tokens import expect_markup
from tests.pages.pages import Page, address, bodies, book, problems, run
from tokenizers_core import Corpus, first_difference, train_bpe
from tokensteps.pages.train.whatif_controls import KINDS
from tokensteps.runs.changes import rules_to_change
from tokensteps.runs.corpora import EXAMPLES, pack_text
from tokensteps.runs.rules import BPE_RULES
from tokensteps.runs.settings import read_url

PAGE = Page("whatif", Path("pages", "train", "whatif.py"), ())
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TAGS = {"div", "span", "bdi", "p", "b", "u", "h3", "section", "table", "tbody", "tr", "th", "td"}
"""The drawing's message."""
COURSE = EXAMPLES["course"].text().split("\n")


def opened(**url: str) -> AppTest:
    return PAGE.opened(urlencode(url))


def board(app: AppTest) -> str:
    """The two runs side by side, where a change has a training of its own."""
    [drawn] = bodies(app, "board")
    return drawn


def parted(html: str) -> int | None:
    """The step at which the drawn runs part: by the sentence, and by the marked column."""
    said = re.search(r"The runs diverge at step <b>(\d+)</b>", html)
    marked = re.search(r'<div class="cell parts"><span class="k">(\d+)', html)
    assert (said and said[1]) == (marked and marked[1])
    return int(said[1]) if said else None


def test_every_count_of_a_word_is_there_at_once() -> None:
    app = opened()
    message = book(app)
    assert problems(app) == [] and app.query_params == {}
    assert [box.label for box in app.selectbox] == ["The run", "What is changed", "Word"]
    assert app.selectbox(key="whatif.word").value == "pun"
    ours = train_bpe(Corpus.from_counts(HUG), 11)
    parts = []
    for count, frame in enumerate(message["frames"]):
        words = {word: number for word, number in (HUG | {"pun": count}).items() if number}
        theirs = train_bpe(Corpus.from_counts(words), 11)
        shorter = min(len(ours), len(theirs)) + 1 if len(ours) != len(theirs) else None
        parts.append(parted(frame["html"]))
        assert parts[-1] == (first_difference(ours, theirs) or shorter)
    assert len(parts) == 37 and parts[12] is None and {*parts} >= {1, 2, None}
    # It begins at the nearest count to the real one that changes something.
    assert message["seek"][0] == 11 and parts[11] is not None
    assert "pun × 11 instead of 12" in message["frames"][11]["status"]


def test_a_link_brings_the_run_the_word_the_count_and_the_text() -> None:
    app = opened(t1="wordpiece?corpus=hug", of="pug", step="3", a="hugs and pugs")
    message = book(app)
    assert problems(app) == [] and message["seek"][0] == 3
    assert (app.selectbox(key="whatif.word").value, app.text_input(key="whatif.a").value) == (
        "pug",
        "hugs and pugs",
    )
    assert "Your text" in message["frames"][3]["html"]
    assert {name: text for name, text in address(app).items() if name != "step"} == {
        "t1": "wordpiece?corpus=hug", "of": "pug", "a": "hugs and pugs",
    }  # fmt: skip
    [complaint] = problems(opened(a="~zz"))
    assert "The text of this link is lost" in complaint


def test_back_has_the_words_own_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another word begins at its first telling count; Back to the word before finds the count left there."""
    app = opened(of="hug", step="4")
    there = address(app)
    app.selectbox(key="whatif.word").select("bun")
    first = book(run(app))["seek"][0]
    assert book(opened(of="bun"))["seek"][0] == first
    monkeypatch.setattr("tokensteps.components.address.is_history_navigation", lambda: True)
    app.query_params.clear()
    for name, text in there.items():
        app.query_params[name] = text
    assert book(run(app))["seek"][0] == 4
    assert address(app)["step"] == "4" and app.selectbox(key="whatif.word").value == "hug"


@pytest.mark.parametrize(
    ("page", "kind"),
    [(PAGE, "text_input"), (Page("renew", Path("pages", "explore", "renew.py"), ()), "text_area")],
)
def test_a_text_of_ones_own_stays_with_a_link_without_one(page: Page, kind: str) -> None:
    """As from a training page, with its run alone. Oracle: what was typed."""
    app, key = page.opened(), f"{page.name}.a"
    getattr(app, kind)(key=key).set_value("my own text")
    run(app)
    app.switch_page(str(Path("pages", "learn", "glossary.py")))
    run(app)
    app.query_params.clear()
    app.query_params["t1"] = "bpe?corpus=course"
    app.switch_page(str(page.script))
    assert run(app).session_state[key] == "my own text"


def test_of_two_pieces_that_cost_as_little_the_first_in_the_seed_goes() -> None:
    """With one `pun` less, `hu` is before `un`; losing either costs nothing."""
    frame = book(opened(t1="unigram?corpus=hug", of="pun"))["frames"][11]
    text = unescape(re.sub("<.*?>", "", frame["say"]))
    assert text.count("has loss 0 too, but comes later in the seed.") == 2


def test_another_tie_rule_parts_the_runs_at_the_engines_step() -> None:
    app = opened(t1="bpe?corpus=course", what="ties", to="greatest")
    runs = [train_bpe(Corpus.from_texts(COURSE), 50, special_tokens=("<|endoftext|>",), tie_rule=rule)
            for rule in ("first", "greatest")]  # fmt: skip
    drawn = board(app)
    assert parted(drawn) == first_difference(*runs)
    assert "and the tie rule decides" in drawn
    ours, theirs = ({*run[-1].vocab} for run in runs)
    assert (
        f"Learned only in “As it is”: {len(ours - theirs)}<" in drawn
        and f"Learned by both: {len(ours & theirs) - len(runs[0].alphabet) - 1}<" in drawn
    )
    tokens = [run.token_totals[-1] for run in runs]
    assert [f"{number} / {runs[0].corpus.total}" in drawn for number in tokens] == [True, True]
    app.selectbox(key="whatif.to.ties").set_value("lowest_ids")
    run(app)
    assert address(app)["to"] == "lowest_ids"
    third = train_bpe(Corpus.from_texts(COURSE), 50, special_tokens=("<|endoftext|>",), tie_rule="lowest_ids")
    assert parted(board(app)) == first_difference(runs[0], third)


def test_each_kind_of_change_draws_both_runs() -> None:
    app = opened(t1="bpe?corpus=course")
    assert app.selectbox(key="whatif.what").options[:3] == [*KINDS.values()]
    rules = [rule.name for rule in rules_to_change(read_url("bpe", BPE_RULES, {"corpus": "course"}).recipe)]
    assert len(app.selectbox(key="whatif.what").options) == len(KINDS) + len(rules)
    for what in [*KINDS, *rules][1:]:
        app.selectbox(key="whatif.what").set_value(what)
        if what == "add":
            app.session_state["whatif.new"] = "hugging hugs"
        if what in ("initial", "kept", "replace", "put", "cut"):
            app.session_state[f"whatif.to.{what}"] = "e"
        run(app)
        assert problems(app) == [] and address(app)["what"] == what
        assert "As it is" in board(app), what


def test_another_alphabet_changes_the_size_with_a_note() -> None:
    """Oracle: the engine; with all bytes as its alphabet, a run of as many merges ends at the size named in
    the note."""
    app = opened(t1="bpe?corpus=course&pre=byte_level", what="alphabet", to="bytes")
    corpus = Corpus.from_texts(COURSE, pre_tokenizer="byte_level")
    ours = train_bpe(corpus, 50, special_tokens=("<|endoftext|>",))
    theirs = train_bpe(corpus, merges=len(ours), special_tokens=("<|endoftext|>",), alphabet="bytes")
    [text] = [one for one in bodies(app, "note") if "size" in one]
    assert f"from 50 to {len(theirs[-1].vocab)}:" in text and parted(board(app)) is None
    app.selectbox(key="whatif.what").set_value("ties")
    assert not [one for one in bodies(run(app), "note") if "size" in one]


def test_a_word_that_comes_in_goes_through_the_pipeline() -> None:
    app = opened(t1="bpe?corpus=hug&size=11", what="add", of="mug hug", to="6")
    there = train_bpe(Corpus.from_counts(HUG | {"hug": 16, "mug": 6}), 11)
    drawn = board(app)
    assert parted(drawn) == first_difference(train_bpe(Corpus.from_counts(HUG), 11), there)
    assert "Only what if, from the start: 1" in drawn  # an m


def test_a_line_twice_is_a_text_with_that_line_twice() -> None:
    app = opened(t1="bpe?corpus=course", what="double", of="2")
    there = train_bpe(Corpus.from_texts([*COURSE, COURSE[1]]), 50, special_tokens=("<|endoftext|>",))
    ours = train_bpe(Corpus.from_texts(COURSE), 50, special_tokens=("<|endoftext|>",))
    assert parted(board(app)) == first_difference(ours, there)


def test_senseless_links_are_reported() -> None:
    for url in (
        {"t1": "hub?name=gpt2"},
        {"t1": "x"},
        {"t1": "bpe?corpus=paste"},
        {"t1": "bpe?corpus=hug&size=1"},
    ):
        assert len(problems(opened(**url))) == 1, url
    app = opened(what="nonsense", of="nobody")
    complaints = problems(app)
    assert [re.findall(r"\w+='.+?'", unescape(text)) for text in complaints] == [
        ["what='nonsense'"],
        ["of='nobody'"],
    ]
    assert app.selectbox(key="whatif.word").value == "pun"
    assert problems(run(app)) == complaints  # until the change is another one
    app.selectbox(key="whatif.word").set_value("hug")
    assert problems(run(app)) == []
    for url, senseless in (
        ({"what": "ties", "to": "best"}, "to='best'"),
        ({"what": "double", "of": "99"}, "of='99'"),
        ({"what": "double", "of": "2²"}, "of='2²'"),
        ({"what": "min", "to": "0"}, "to='0'"),
        ({"what": "ties", "to": "first"}, "to='first'"),  # the run's own
        ({"what": "lines", "to": "1"}, "to='1'"),
        ({"what": "pattern", "to": "own"}, "to='own'"),
        ({"what": "add", "of": "hug", "to": "999999999"}, "to='999999999'"),
        ({"what": "add", "of": "hug", "to": "0"}, "to='0'"),
        ({"what": "add", "of": "~x"}, "of='~x'"),
    ):
        (complaint,) = problems(opened(t1="bpe?corpus=course", **url))
        assert senseless in unescape(complaint) and "not valid" in complaint


def test_a_word_beyond_those_listed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its count isn't given to the word that is there instead."""
    monkeypatch.setattr("tokensteps.pages.train.whatif_controls.WORDS_LISTED", 2)
    monkeypatch.setattr("tokensteps.pages.train.whatif.all_counts_at_once", lambda *_arguments: False)
    app = opened(of="bun", to="3")
    [complaint] = problems(app)
    assert "of='bun'" in unescape(complaint)
    word = app.selectbox(key="whatif.word").value
    assert word in ("hug", "pug") and app.number_input(key="whatif.times").value == 2 * HUG[word]
    assert (address(app)["of"], address(app)["to"]) == (word, str(2 * HUG[word]))


def test_a_rule_with_a_text_asks_for_it() -> None:
    app = opened(t1="bpe?corpus=course", what="cut")
    assert problems(app) == [] and "Type another value for “Also cut at”." in bodies(app, "note")[0]
    app.text_input(key="whatif.to.cut").set_value("e")
    run(app)
    assert address(app)["to"] == "e" and board(app)


def test_an_undone_change_leaves_the_address() -> None:
    """Another change, and back; and a change that lacks its words has its kind in the address."""
    app = opened()
    for what in ("ties", "count"):
        app.selectbox(key="whatif.what").set_value(what)
        run(app)
    assert address(app).keys().isdisjoint({"what", "to"})
    app.selectbox(key="whatif.what").set_value("cut")
    run(app)
    assert address(app)["what"] == "cut" and "to" not in address(app)


def test_a_learners_words_stay_text() -> None:
    text = "<script>alert(1)</script> <b>low</b> 'x' \u202elow <b>low</b> {x} $x$"
    spec = "bpe?" + urlencode(
        {"corpus": "paste", "text": pack_text(text), "pre": "whitespace_split", "size": "40"}
    )
    drawn = [frame["html"] for frame in book(opened(t1=spec, of="<b>low</b>", a=text))["frames"]]
    for html in drawn:
        expect_markup(html, TAGS)


def test_a_training_page_leads_here_with_its_settings() -> None:
    page = Page("unigram", Path("pages", "train", "unigram.py"), ())
    app = page.opened("corpus=hug&size=9&step=2&show=bytes")
    [link] = [one.proto for one in app.get("page_link") if one.proto.label == "What if …"]
    assert parse_qs(urlsplit(f"?{link.query_string}").query) == {"t1": ["unigram?corpus=hug&size=9"]}
