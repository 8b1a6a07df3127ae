"""The playground's tab “Ways to cut” and the ways on Encode without a browser, through Streamlit's `AppTest`.

Oracles: the engine on GPT-2's own vocabulary, and the `tokenizers` library for the words of a text.
"""

from __future__ import annotations

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.pages.pages import bodies, books, problems, run, tables
from tests.pages.test_bpe import PAGE
from tests.pages.test_playground import address, notes, opened
from tokensteps.catalogue.choices import GPT2, upload_spec
from tokensteps.catalogue.shipped import gpt2
from tokensteps.language.names import USE_NAMES
from tokensteps.pages.explore.why.why_state import CUTS_TAB, WHY_TAB

HOSTILE = "<img src=x onerror=alert(1)> **b** $x$"
TEXT = "The tippings of a Unigram"


def cuts_opened(**url: str) -> AppTest:
    return opened(**{"t1": GPT2, "text": TEXT, "why": " tippings", "way": "longest_prefix", **url})


def rows(app: AppTest) -> dict[str, tuple[str, ...]]:
    """Way → the tokens in its row, as they are read."""
    [drawn] = bodies(app, "cuts")
    results = {}
    for row in drawn.split('<div role="listitem">')[1:]:
        name = re.search(r"<b>(.*?)</b>", row)
        assert name is not None
        chips = re.findall(r'<span class="p".*?>(.*?)</span>(?=<span class="[pf]")', row)
        results[unescape(re.sub(r"<[^>]+>", "", name[1]))] = tuple(
            unescape(re.sub(r"<[^>]+>", "", one)) for one in chips
        )
    return results


def test_a_link_shows_every_way_and_steps_through_one() -> None:
    app = cuts_opened()
    assert app.session_state["playground.tab"] == CUTS_TAB and problems(app) == []
    ways = gpt2().all_cuts("Ġtippings")
    shown = rows(app)
    for way, cut in ways.cuts.items():
        assert cut is not None
        assert shown[USE_NAMES[way]] == tuple(one.token.replace("Ġ", "␣") for one in cut), way
    assert len({tuple(cut or ()) for cut in ways.cuts.values()}) > 1, (
        "a word on which they agree shows nothing"
    )
    steps = gpt2().cut_steps("Ġtippings", "longest_prefix")
    [book] = [one for one in books(app) if one["last"] == len(steps)]
    assert "is the longest token that begins the rest" in book["frames"][1]["say"]
    assert address(app)["why"] == " tippings" and address(app)["way"] == "longest_prefix"


@pytest.mark.parametrize("way", ["merges", "longest_suffix", "longest_token", "fewest_tokens", "sampled"])
def test_each_way_is_stepped_through(way: str) -> None:
    app = cuts_opened()
    app.selectbox(key="playground.cuts.bpe.ways.way").select(way)
    run(app)
    assert address(app)["way"] == way and problems(app) == []
    steps = gpt2().cut_steps("Ġtippings", way)
    assert any(one["last"] == len(steps) for one in books(app))
    app.session_state["playground.tab"] = "Counts"
    assert not {"why", "way"} & address(run(app)).keys()


def test_a_sample_is_drawn_again() -> None:
    app = cuts_opened(way="sampled")
    app.slider(key="playground.cuts.bpe.ways.amount").set_value(1.0)
    run(app)
    assert rows(app)[USE_NAMES["sampled"]] == tuple("␣tippings")
    app.slider(key="playground.cuts.bpe.ways.amount").set_value(0.5)
    seen = set()
    for _again in range(8):
        app.button(key="playground.cuts.bpe.ways.again").click()
        seen.add(rows(run(app))[USE_NAMES["sampled"]])
    assert len(seen) > 1


def test_each_sort_of_chance_has_an_amount_of_its_own() -> None:
    """A dropout is no temperature: with another tokenizer, the sample begins at the usual one, and the first
    one's is there again."""
    app = cuts_opened(t2="unigram?corpus=hug", text="hug", why="hug", way="sampled")
    app.slider(key="playground.cuts.bpe.ways.amount").set_value(0.0)
    run(app)
    for letter, sort, amount in (("B", "unigram", 1.0), ("A", "bpe", 0.0)):
        app.selectbox(key="playground.why.whose").select(letter)
        run(app)
        assert problems(app) == [] and address(app)["way"] == "sampled"
        assert app.slider(key=f"playground.cuts.{sort}.ways.amount").value == amount


def test_the_whole_text_is_counted() -> None:
    """Oracle: the ways of each of the library's words in the text."""
    app = cuts_opened()
    cutter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words = [word for word, _place in cutter.pre_tokenize_str(TEXT)]
    cuts = [gpt2().all_cuts(word).cuts for word in words]
    [table] = [one for one in tables(app) if "Words it can't cut" in one]
    for row, way in zip(table.to_dict("records"), [one for one in cuts[0] if one != "sampled"], strict=True):
        assert row["Way"] == USE_NAMES[way]
        assert int(row["Tokens"]) == sum(len(one[way] or ()) for one in cuts)
        unlike = sum(one[way] != one["merges"] for one in cuts)
        assert float(row["Words unlike the tokenizer's own split, %"]) == pytest.approx(
            100 * unlike / len(words), abs=0.01
        )
    different = sum(len({cut for way, cut in one.items() if way != "sampled"}) > 1 for one in cuts)
    assert f"({different} of {len(words)})" in " ".join(one.value for one in app.markdown)


def test_hostile_words_are_only_text() -> None:
    app = cuts_opened(why=HOSTILE, text=HOSTILE, way="fewest_tokens")
    assert problems(app) == []
    assert "<img" not in " ".join(one.proto.body for one in app.get("html"))
    app = cuts_opened(way="<script>")
    assert app.session_state["playground.tab"] == WHY_TAB


def test_other_peoples_vocabularies() -> None:
    """A WordLevel model, foreign to the engine: its words can be put together, but no way is its own. And
    WordPiece."""
    words = Tokenizer(models.WordLevel({"hug": 0, "s": 1, "?": 2, "hugs": 3}, unk_token="?"))
    app = cuts_opened(t1=upload_spec({"tokenizer.json": words.to_str().encode()}), text="hugs", why="hugshug")
    assert problems(app) == [] and rows(app)[USE_NAMES["longest_prefix"]] == ("hugs", "hug")
    assert USE_NAMES["merges"] not in rows(app)
    app = cuts_opened(t1="wordpiece?corpus=hug", text="hugs", why="hugs")
    assert rows(app)[USE_NAMES["longest_prefix"]] == rows(app)[USE_NAMES["fewest_tokens"]]
    app = cuts_opened(t1="unigram?corpus=hug", text="hugs x", why="x")
    [drawn] = bodies(app, "cuts")
    assert problems(app) == [] and "can't spell this word" in unescape(re.sub(r"<[^>]+>", "", drawn))


def test_too_long_a_word_is_reported() -> None:
    app = cuts_opened(why="x" * 100, text="ü" * 200)
    assert problems(app) == []
    app = opened(t1="bpe?corpus=hug&pre=none", text="x", why="y" * 120, way="merges")
    assert problems(app) == [] and "stepped through" not in notes(app)


def test_encode_has_the_ways_of_its_step() -> None:
    app = PAGE.opened("corpus=hug&step=3", tab="Encode")
    [drawn] = bodies(app, "cuts")
    assert USE_NAMES["longest_suffix"] in drawn and problems(app) == []


def test_a_word_without_a_step() -> None:
    """Only a token is taken whole; symbols without a merge stay."""
    app = PAGE.opened("corpus=hug&step=3", tab="Encode")
    for text, message in (("bnp", "the word's symbols stay"), ("b", "is a token itself")):
        app.text_input(key="bpe.encode.hug").set_value(text)
        run(app)
        assert message in unescape(" ".join(bodies(app, "note")))
    app.text_input(key="bpe.encode.hug").set_value("bé")  # no way cuts it, as it stands above
    run(app)
    assert "There is no step" not in " ".join(bodies(app, "note")) and rows(app)
