"""A watched word, token or pair on the training pages, through Streamlit's `AppTest`: the marked steps, and
the text.

Oracle: the splits of the engine's snapshots, compared step by step.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.pages import Page, bodies, book, problems, run
from tests.pages.test_bpe import PAGE as BPE
from tests.pages.test_unigram import PAGE as UNIGRAM
from tests.pages.test_wordpiece import PAGE as WORDPIECE
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.changes import steps_changing_word
from tokensteps.pages.train.watch import watched_in
from tokensteps.runs.rules import COMPARE_RULES

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COMPARE = Page("compare", Path("pages", "explore", "compare.py"), COMPARE_RULES)


def marks(page: Page, query: str) -> list[int] | None:
    app = page.opened(query)
    assert problems(app) == []
    results: list[int] | None = book(app).get("marks")
    return results


def test_the_steps_of_a_word_are_marked() -> None:
    trace = train_bpe(Corpus.from_counts(HUG), merges=9)
    splits = [snapshot.splits()["hugs"] for snapshot in trace]
    changed = [step for step in range(1, len(splits)) if splits[step] != splits[step - 1]]
    result = marks(BPE, "corpus=hug&watch=hugs")
    assert result is not None and result[: len(changed)] == changed


def test_a_token_and_a_pair() -> None:
    token = marks(BPE, "corpus=hug&watch=ug")
    assert token is not None and token[0] == 1, "u and g are merged first"
    app = BPE.opened("corpus=hug&watch=u+%2B+g")
    assert book(app)["marks"] == [1] and "the pair u + g" in bodies(app, "note")[0]
    assert "Shift+→" in bodies(app, "note")[0]


@pytest.mark.parametrize(("page", "watched"), [(WORDPIECE, "hugs"), (UNIGRAM, "hugs"), (UNIGRAM, "hug")])
def test_every_training_page_has_it(page: Page, watched: str) -> None:
    result = marks(page, f"corpus=hug&watch={watched}")
    assert result and result == sorted(set(result))


@pytest.mark.parametrize("pre", ["metaspace", "whitespace_split_metaspace_behind"])
def test_a_word_is_found_without_its_mark(pre: str) -> None:
    """Its space may stand before it or behind it."""
    app = BPE.opened(f"corpus=hug&watch=hugs&pre={pre}")
    assert book(app)["marks"] and "a word and a token" in bodies(app, "note")[0]


def test_a_token_of_another_spelling_is_not_mixed_in() -> None:
    """The word ␣hug is no token yet; hug, without its space, is one."""
    corpus = Corpus.from_texts(["ahug bhug chug hug"], pre_tokenizer="metaspace")
    trace = train_bpe(corpus, merges=2)
    watched = watched_in(trace, "hug")
    assert watched is not None and trace.vocabulary.tokens[-1] == "hug"
    assert watched[1:3] == ("word", ("▁hug",))
    assert [*watched.steps] == steps_changing_word(trace, "▁hug")


def test_nothing_is_marked_where_nothing_is_watched() -> None:
    assert marks(BPE, "corpus=hug") is None
    app = BPE.opened("corpus=hug&watch=%3Cb%3Ezebra")
    assert "marks" not in book(app) and "&lt;b&gt;zebra" in problems(app)[0]
    app = BPE.opened("corpus=hug&watch=u+%2B+zebra")
    assert "marks" not in book(app) and len(problems(app)) == 1
    assert "marks" not in book(COMPARE.opened("corpus=hug&watch=hugs"))


def test_predict_marks_nothing_ahead() -> None:
    """A mark would tell the next step."""
    app = BPE.opened("corpus=hug&mode=predict&watch=hugs&step=1")
    assert "marks" not in book(app)


def test_typed_text_goes_into_the_address() -> None:
    app = BPE.opened("corpus=hug")
    app.text_input(key="bpe.watch").set_value("pun")
    run(app)
    assert book(app)["marks"] and app.query_params["watch"] in ("pun", ["pun"])
