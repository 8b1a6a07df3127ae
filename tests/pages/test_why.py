"""The playground's tab “Why these tokens?” without a browser, through Streamlit's `AppTest`: words, splits,
links, impossible questions.

Oracles: the engine on GPT-2's own merges, and the `tokenizers` library for the tokens.
"""

from __future__ import annotations

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer, models

from tests.pages.pages import bodies, problems, run
from tests.pages.test_playground import address, ids, notes, opened
from tokensteps.catalogue.choices import GPT2, upload_spec
from tokensteps.catalogue.shipped import gpt2
from tokensteps.drawing.pipeline.why import SPACED_TEXT
from tokensteps.drawing.tokens import readable
from tokensteps.limits import WHY_LIMIT
from tokensteps.pages.explore.why.why_splits import costliest
from tokensteps.pages.explore.why.why_state import WHY_TAB

HOSTILE = "<img src=x onerror=alert(1)> **b** $x$"


def why_opened(**url: str) -> AppTest:
    return opened(**{"t1": GPT2, "text": "We settled in.", **url})


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def reason(app: AppTest) -> str:
    [result] = [one.proto.body for one in app.get("html") if 'class="ts reason"' in one.proto.body]
    return plain(result)


def test_the_tab_does_not_begin_with_a_number_of_single_digits() -> None:
    """Qwen 3 makes six words of “ 12345”, each with one symbol: the tab began with it, and had no step to
    show."""
    digits = [(index, index + 1) for index in range(6)]
    words = {" 12345": (0, 6), " naïve": (6, 12)}
    assert costliest(words, [*digits, (6, 9), (9, 10), (10, 12)]) == " naïve"
    assert costliest({" 12345": (0, 6)}, digits) == " 12345"


def test_a_link_shows_the_word_its_stages_and_the_reason() -> None:
    app = why_opened(why=" settled", split="␣sett led")
    assert app.session_state["playground.tab"] == WHY_TAB and problems(app) == []
    assert app.selectbox(key="playground.why.word").value == " settled"
    [narration] = bodies(app, "story why")
    assert "ByteLevel" in narration and "Ġsettled" in plain(narration).replace("␣", "Ġ")
    why = gpt2().why_not("Ġsettled", ("Ġsett", "led"))
    assert why.kind == "unreachable" or why.kind == "not_in_vocabulary" or why.kind == "merged_across"
    assert "rank" in reason(app) or "vocabulary" in reason(app)
    assert {name: address(app)[name] for name in ("why", "split")} == {
        "why": " settled",
        "split": "␣sett led",
    }


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        ({"health": "z"}, "A"),
        ({"health": "D"}, "A"),
        ({"health": "AB"}, "A"),
        ({"why": "settled", "by": "z"}, None),
        ({"why": "settled", "by": "D"}, None),
        ({"why": "settled", "by": "AB"}, None),
        ({"why": "settled", "nth": "x"}, None),
        ({"why": "settled", "nth": "99"}, None),
        ({"why": "settled", "way": "longest_prefix", "nth": "99"}, None),
        ({"why": "settled", "way": "nonsense"}, None),
        ({"added": "XY"}, None),
        ({"added": "AD"}, None),
        ({"format": "nonsense"}, None),
    ],
)
def test_an_impossible_value_in_a_link_is_reported_and_leaves_the_address(
    wrong: dict[str, str], shown: str | None
) -> None:
    """Oracle: the complaint about any other parameter; the address says what is shown, with a word's rest."""
    name = list(wrong)[-1]
    app = opened(t1=GPT2, t2="bpe?corpus=hug", text="We settled.", **wrong)
    for _ in range(2):
        [complaint] = problems(app)
        assert f"{name}='{wrong[name]}', which is not valid here" in unescape(complaint)
        assert address(app).get(name) == shown
        assert address(app).get("why") == wrong.get("why")
        run(app)


def test_the_address_has_only_letters_of_chosen_tokenizers() -> None:
    """After the second is taken away, the first is shown."""
    for wrong in ({"health": "B"}, {"why": "settled", "by": "B"}):
        app = opened(t1=GPT2, t2="bpe?corpus=hug", text="We settled.", **wrong)
        assert wrong.items() <= address(app).items() and problems(app) == []
        app.session_state["playground.specs"] = [GPT2]
        assert "B" not in address(run(app)).values() and problems(app) == []


def test_another_word_and_another_split_are_chosen() -> None:
    app = why_opened(why=" settled")
    app.selectbox(key="playground.why.word").select("We")
    run(app)
    assert address(app)["why"] == "We" and "split" not in address(app)
    app.selectbox(key="playground.why.other").select("W · e")
    run(app)
    assert "Both tokens are made on the way" in reason(app)
    app.session_state["playground.tab"] = "Counts"
    assert "why" not in address(run(app))


def test_a_split_is_typed_and_impossible_ones_are_refused() -> None:
    app = why_opened(text="resettled", why=" resettled")
    box = app.selectbox(key="playground.why.other")
    assert box.value == "␣resettled" and "is not in the vocabulary" in reason(app)
    for typed in ("re sett led", "_re · sett · led"):  # s + et; ␣re + s
        message = reason(typed_into(app, "other", typed))
        assert "set has rank 2,361; ␣res came first, rank 325." in message
    assert "This is the split" in reason(typed_into(app, "other", "res ett led"))
    assert "write all of its characters" in " ".join(problems(typed_into(app, "other", "re settle")))
    assert any("limit" in one for one in problems(typed_into(app, "other", "r " * 500)))


def typed_into(app: AppTest, box: str, typed: str) -> AppTest:
    """A typed text other than a box's options: the browser sends it as it is."""
    result = app.selectbox(key=f"playground.why.{box}")
    result.options.append(readable(typed, SPACED_TEXT) if box == "word" else typed)
    result.set_value(typed)
    return run(app)


def test_words_that_are_typed() -> None:
    app = why_opened()
    app.session_state["playground.tab"] = WHY_TAB
    run(app)
    box = app.selectbox(key="playground.why.word")
    assert "why" not in address(app) and box.value in (" settled", "We")
    typed_into(app, "word", HOSTILE)
    assert len(gpt2().why(HOSTILE).words) > 5 and problems(app) == []
    assert "<img src" not in " ".join(one.proto.body for one in app.get("html"))
    app.selectbox(key="playground.why.which").select(2)
    assert address(run(app))["nth"] == "2"
    typed_into(app, "word", "x" * (WHY_LIMIT + 1))
    assert any(str(WHY_LIMIT) in one for one in problems(app)) and address(app)["why"] == HOSTILE


def test_out_of_range_values_in_a_link() -> None:
    for query in ({"nth": "-3"}, {"nth": "99999"}, {"nth": "7"}, {"by": "Z"}, {"split": "☃" * 9_000}):
        app = why_opened(why="settled, we", **query)
        assert app.session_state["playground.tab"] == WHY_TAB
        assert "nth" not in address(app) or address(app)["nth"] == "7"
    app = why_opened(why="z" * 9_000)
    assert len(app.selectbox(key="playground.why.word").value) == WHY_LIMIT


def test_one_of_several_tokenizers() -> None:
    app = why_opened(t2="wordpiece?corpus=hug", why="hugs", by="B")
    assert app.selectbox(key="playground.why.whose").value == "B"
    [narration] = bodies(app, "story why")
    assert "WordPiece" in plain(narration) and "the tokenizers library's own" not in str(
        [one.value for one in app.caption]
    )
    app.selectbox(key="playground.why.whose").select("A")
    run(app)
    assert "by" not in address(app) and "ByteLevel" in plain(bodies(app, "story why")[0])


def test_special_tokens_as_plain_text_are_split() -> None:
    """Oracle: the chips above, with the engine's tokens of the text."""
    end = "<|endoftext|>"
    app = why_opened(text=f"a{end}", why=end)
    assert "never split" in notes(app)
    app.toggle(key="playground.specials").set_value(False)
    run(app)
    drawn = plain(bodies(app, "story why")[0])
    assert "never split" not in notes(app) and "Added tokens" not in drawn
    longest = "".join(gpt2().token(one) for one in ids(app)[3:6])
    assert longest == "endoftext" and drawn.endswith(longest) and address(app)["specials"] == "0"


def test_a_model_without_steps() -> None:
    words = Tokenizer(models.WordLevel({"hug": 0, "?": 1}, unk_token="?"))
    app = why_opened(t1=upload_spec({"tokenizer.json": words.to_str().encode()}), why="hug")
    assert "one token for a whole word" in notes(app)
    assert "only for a while" not in notes(app)


def test_a_word_with_nothing_to_merge_has_a_note_and_no_buttons() -> None:
    """Oracle: the engine's own steps for it."""
    for word, message in (("7", "a single symbol"), ("zq", "No merge of this tokenizer fits"), ("We", "")):
        story = gpt2().why(word).story
        assert story is not None and bool(message) == (len(story.steps) == 0)
        app = why_opened(text=f"{word} settled", why=word)
        assert problems(app) == [] and message in notes(app)
        books = [one for one in app.get("bidi_component") if "flipbook" in str(one.proto.component_name)]
        assert bool(books) == (not message)
