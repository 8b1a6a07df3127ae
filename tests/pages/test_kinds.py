"""The newer kinds of BPE on BPE's page, without a browser: links, every tab, untrainable settings.

Sources and oracles: the engine, asked for the same corpus and settings.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import Page, answer_box, bodies, book, books, problems, run, sent_messages, tabs
from tokenizers_core import Corpus, Tokenizer, train_paritybpe, train_pickybpe, train_superbpe
from tokenizers_core.counterfactual.divergence import vocabulary_difference
from tokenizers_core.counterfactual.effects import effects
from tokenizers_core.counterfactual.recounting import corpus_of
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.training.kinds.superbpe import SECOND_PATTERN
from tokensteps.catalogue.renewal import heritage
from tokensteps.catalogue.shown_tokenizers import TrainedSubject
from tokensteps.drawing.tokens import Style, pair_text
from tokensteps.drawing.training.merging import merge_frame
from tokensteps.drawing.whatif import style_of
from tokensteps.language.names import KIND_ABOUT, LANGUAGE_NAMES, language_name
from tokensteps.runs.algorithms import BPE, trace_at
from tokensteps.runs.corpora import EXAMPLES, Source, pack_text
from tokensteps.runs.parallel import parallel_lines
from tokensteps.runs.rules import BPE_RULES, COMPARE_RULES
from tokensteps.server.tasks import Progress
from tokensteps.teaching.challenge import Challenge, open_challenge, questions_of
from tokensteps.teaching.feedback import tries_for
from tokensteps.teaching.predictions import ASKS, ASKS_OF_KIND, question_after, steps_with_questions
from tokensteps.teaching.questions import RIGHT, TIED, WRONG, Choice

WHATIF = Page("whatif", Path("pages", "train", "whatif.py"), ())
RENEW = Page("renew", Path("pages", "explore", "renew.py"), ())
PLAYGROUND = Page("playground", Path("pages", "explore", "playground.py"), ())
COMPARE = Page("compare", Path("pages", "explore", "compare.py"), COMPARE_RULES)
PAGE = Page("bpe", Path("pages", "train", "bpe.py"), BPE_RULES)
ROOT = Path(__file__).parents[2]
EXAMPLE = {"superbpe": "phrases", "pickybpe": "scaffolding", "paritybpe": "parallel"}


def told(app: AppTest) -> list[str]:
    """The lines above the page's tables."""
    return [message["head"]["search"]["told"] for message in sent_messages(app, "table")]


def shown_in(app: AppTest) -> str:
    """All markup of a page."""
    return "".join(html.proto.body for html in app.get("html"))


@pytest.mark.parametrize("kind", EXAMPLE)
def test_each_step_with_a_symbol_is_drawn(kind: str) -> None:
    """A string to keep whole, also with the steps that are no merges."""
    trace = trace_at(BPE, corpus=EXAMPLE[kind], kept="th")
    assert trace.corpus.symbols_cut_out and trace.corpus.symbols_cut_out[0] > 0
    style = Style(trace.corpus.pipeline.byte_level)
    for snapshot in trace:
        assert merge_frame(snapshot, style).html


def test_examples_are_trained_as_the_engine_does() -> None:
    lines = EXAMPLES["phrases"].text().splitlines()
    superwords = train_superbpe(Corpus.from_texts(lines), 220, transition=190, min_frequency=2)
    assert trace_at(BPE, corpus="phrases").record == superwords.record
    assert superwords.stage_step is not None
    assert any(one.event.kind == "merge" and one.event.superword for one in superwords[1:])
    picky = train_pickybpe(
        Corpus.from_texts(EXAMPLES["scaffolding"].text().splitlines()), 90, threshold="0.6", min_frequency=2
    )
    assert trace_at(BPE, corpus="scaffolding").record == picky.record
    assert sum(one.event.kind == "remove" for one in picky[1:]) > 5
    title = {step: merge_frame(superwords[step], Style(True)).html for step in (5, superwords.stage_step)}
    assert "Stretches of text" not in title[5] and "Stretches of text" in title[superwords.stage_step]
    corpora = {
        name: Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace")
        for name, lines in parallel_lines().items()
    }
    assert trace_at(BPE, corpus="parallel")[-1].merges == train_paritybpe(corpora, 500)[-1].merges


@pytest.mark.parametrize("kind", EXAMPLE)
def test_a_link_opens_every_tab(kind: str) -> None:
    corpus = EXAMPLE[kind]
    trace = trace_at(BPE, corpus=corpus)
    app = PAGE.opened(f"corpus={corpus}&step=5")
    assert problems(app) == [] and book(app)["last"] == len(trace)
    assert KIND_ABOUT[kind].source not in shown_in(app)
    names = tabs(app)
    assert names[-1] == "About this kind"
    for name in names:
        shown = PAGE.with_tab(app, name)
        assert problems(shown) == [], name
        assert not shown.exception, name
    assert KIND_ABOUT[kind].source in shown_in(shown)


@pytest.mark.parametrize("kind", EXAMPLE)
def test_steps_that_are_no_merges_are_not_counted_as_merges(kind: str) -> None:
    trace = trace_at(BPE, corpus=EXAMPLE[kind])
    merges = [step for step in range(1, len(trace) + 1) if trace[step].event.kind == "merge"]
    ties = PAGE.opened(f"corpus={EXAMPLE[kind]}", tab="Ties")
    assert any(f" of {len(merges)} merges " in caption.value for caption in ties.caption)
    other = next((step for step in range(1, len(trace)) if step not in merges), None)
    for step, merged in ((0, True), *([(other - 1, False)] if other else [])):
        [sent] = told(PAGE.opened(f"corpus={EXAMPLE[kind]}&step={step}", tab="Every pair"))
        assert f"pairs after step {step}" in sent and ("merged next" in sent) == merged


def test_no_pair_is_left_at_the_end() -> None:
    app = PAGE.opened("corpus=hug&size=&step=7", tab="Every pair")
    assert told(app) == ["No pair is left after step 7."]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "others"),
    [
        ("corpus=phrases&transition=110&ties=greatest&watch=the", {"transition": 110, "ties": "greatest"}),
        ("corpus=scaffolding&threshold=0.8&step=9", {"threshold": "0.8", "size": 90}),
        ("corpus=parallel&together=20&size=", {"together": 20, "size": 700}),
        ("corpus=course&kind=sentencepiece_bpe&pre=metaspace", {"pre": "metaspace", "size": 50}),
        (
            f"corpus=paste&text={pack_text('hug pug')}&kind=pickybpe&pre=end_of_word",
            {"paste_text": "hug pug"},
        ),
    ],
)
def test_about_a_kind_leads_to_plain_bpe_beside_it(query: str, others: dict[str, Any]) -> None:
    """The link opens Compare on the same corpus, by the page's rules as far as Compare has them."""
    app = PAGE.opened(query, "About this kind")
    [link] = [one.proto for one in app.get("page_link") if one.proto.page == "compare"]
    there = COMPARE.opened(link.query_string)
    assert problems(there) == [] and "watch" not in there.query_params
    kind = PAGE.value(app, "kind")
    assert COMPARE.value(there, "runs") == ["bpe", kind] and PAGE.value(app, "corpus") == COMPARE.value(
        there, "corpus"
    )
    assert {name: COMPARE.value(there, name) for name in others} == others
    assert book(there)["last"] > 0


def test_plain_bpe_has_nothing_beside_it() -> None:
    app = PAGE.opened("corpus=hug", "About this kind")
    assert not [one for one in app.get("page_link") if one.proto.page == "compare"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "corpus=hug&kind=superbpe&pre=byte_level",
            "SuperBPE needs a text: word counts don't say which word follows which.",
        ),
        (
            "corpus=course&kind=superbpe&pre=bert",
            "Split into words: BERT can't be used: SuperBPE bridges spaces, which only Byte level (GPT) keeps",
        ),
        (
            "corpus=course&kind=sentencepiece_bpe&pre=byte_level",
            "Split into words: Byte level (GPT) can't be used: SentencePiece trains on characters and marks "
            "spaces; choose Metaspace.",
        ),
        ("corpus=course&kind=paritybpe", "two languages at least"),
    ],
)
def test_texts_unfit_for_a_kind(query: str, message: str) -> None:
    assert any(message in unescape(problem) for problem in problems(PAGE.opened(query)))


def test_a_text_of_one_column_leads_to_the_forty_lines() -> None:
    app = PAGE.opened("corpus=course&kind=paritybpe")
    assert any("two languages at least" in problem for problem in problems(app))
    app.button(key="bpe.to_table").click()
    app = run(app)
    assert problems(app) == [] and PAGE.value(app, "corpus") == "parallel"
    assert book(app)["last"] == len(trace_at(BPE, corpus="parallel"))
    assert not [button for button in app.button if button.key == "bpe.to_table"]


def test_the_second_pattern_is_a_choice() -> None:
    """Oracle: the engine. An invalid pattern is reported, and a link brings a valid one; an empty one is the
    usual one."""
    lines = EXAMPLES["phrases"].text().splitlines()
    own = train_superbpe(
        Corpus.from_texts(lines), 220, transition=190, min_frequency=2, second_pattern=r"[.,]| the"
    )
    app = PAGE.opened("corpus=phrases&second=%5B.,%5D%7C%20the")
    assert problems(app) == [] and book(app)["last"] == len(own)
    usual = trace_at(BPE, corpus="phrases")
    assert trace_at(BPE, corpus="phrases", second="[.,]| the").record == own.record != usual.record
    assert any("[.," in problem for problem in problems(PAGE.opened("corpus=phrases&second=%5B.,")))
    assert PAGE.value(PAGE.opened("corpus=phrases&second="), "second") == SECOND_PATTERN


def test_a_pasted_table_is_languages() -> None:
    text = pack_text("en\tde\nthe cat\tdie Katze\nthe dog\tder Hund\n")
    app = PAGE.opened(f"corpus=paste&text={text}&kind=paritybpe&step=1")
    assert problems(app) == []
    assert PAGE.value(app, "kind") == "paritybpe"


def test_plain_bpe_stands_beside_parity() -> None:
    golden = json.loads((ROOT / "tests" / "golden" / "paritybpe.json").read_text("utf-8"))
    letters = str.maketrans("çğıöşü", "CGIOSU")  # the golden run is in characters, the page's in bytes
    rows = [[line.translate(letters) for line in row] for row in zip(*golden["lines"].values(), strict=True)]
    text = pack_text("\n".join("\t".join(row) for row in [(*golden["lines"],), *rows]))
    rules = "pre=byte_level&pattern=own&regex=%20%3F%5CS%2B&alphabet=corpus"
    query = f"corpus=paste&text={text}&kind=paritybpe&{rules}&step=40"
    shown = shown_in(PAGE.opened(query, "About this kind"))
    for language, figure in golden["tokens_after"].items():
        plain = golden["plain_bpe_tokens_after"][language]
        assert re.search(rf"<td>{language_name(language)}<td>{figure}<td>.+?<td>{plain}<td>", shown), language
    assert re.search(r"Gini coefficient<td>0\.0039<td><td>0\.0928<td>", shown)
    assert "parallel lines after 40 " in shown


@pytest.mark.parametrize("kind", EXAMPLE)
def test_predictions_are_graded_at_every_merge_of_every_kind(kind: str) -> None:
    """Steps without a merge are passed over. Oracle: the words before the step's choice, recounted."""
    trace = trace_at(BPE, corpus=EXAMPLE[kind])
    steps = steps_with_questions(trace, 0, len(trace))
    merges = [step - 1 for step in range(1, len(trace) + 1) if trace.record.is_merge(step)]
    assert steps == merges and (len(steps) < len(trace)) == (kind != "paritybpe")
    style = style_of(trace, "spaces")
    for step in steps[:: 1 + len(steps) // 8]:
        counts: Counter[tuple[str, str]] = Counter()
        corpus = corpus_of(trace, step + 1)
        times = dict(corpus.items())
        for word, tokens in trace.splits(step, corpus.words).items():
            for pair in pairwise(tokens):
                token = "".join(pair)
                if ":Ġ" not in token and len([*filter(None, token.split("Ġ"))]) <= 4:  # SuperBPE's stage 2
                    counts[pair] += times[word]
        question = question_after(trace, step, "pair", style)
        assert isinstance(question.form, Choice)
        best = {
            pair_text(Pair(*pair), style) for pair, number in counts.items() if number == max(counts.values())
        }
        wrong = [option for option in question.form.options if option not in best][:9]
        assert all(question.grade(option).kind in (RIGHT, TIED) for option in best & {*question.form.options})
        assert all(question.grade(option).kind == WRONG for option in wrong)
        assert question.grade(question.key).kind == RIGHT
        number = ASKS["bpe"]["count"](trace, step, style)
        assert number.grade(str(max(counts.values()))).kind == RIGHT
        assert number.grade("0").kind == WRONG  # the likeliest mistake is found for it
        assert question_after(trace, step, "split", style).grade("x").kind != RIGHT


@pytest.mark.parametrize("kind", EXAMPLE)
def test_a_kind_is_predicted_step_by_step(kind: str) -> None:
    """The kind's own step is asked for, hinted at and found out; the browser has no frame ahead."""
    corpus, ask = EXAMPLE[kind], {"superbpe": "bridge", "pickybpe": "leaves", "paritybpe": "language"}[kind]
    trace = trace_at(BPE, corpus=corpus)
    style = style_of(trace, "spaces")
    start = next(
        step
        for step in steps_with_questions(trace, 0, len(trace))
        if question_after(trace, step, ask, style).kind == ask
        and (kind != "pickybpe" or not trace.record.is_merge(step + 2))
    )
    app = PAGE.opened(f"corpus={corpus}&mode=predict&ask={ask}&step={start}")
    assert problems(app) == [] and book(app)["last"] == start
    question = question_after(trace, start, ask, style)
    assert isinstance(question.form, Choice)
    other = next(option for option in question.form.options if question.grade(option).kind == WRONG)
    for answer in (other, question.key)[
        tries_for(question) == 1 :
    ]:  # with two options, the other one is given away
        answer_box(app, "bpe.predict", "choice").set_value(answer)
        app.button(key="bpe.predict.check").click()
        app = run(app)
    assert "verdict right" in shown_in(app) and book(app)["last"] > start
    if kind == "pickybpe":  # the removal is shown with the merge before it
        assert book(app)["last"] >= start + 2
    if kind == "paritybpe":
        assert "sorted by spelling" not in book(app)["frames"][-1]["html"]
        pair_page = PAGE.opened(f"corpus={corpus}&mode=predict&ask=pair&step={start}")
        assert f"{LANGUAGE_NAMES[trace.language_at(start + 1)]} chooses." in shown_in(pair_page)
        assert "sorted by spelling" in book(pair_page)["frames"][-1]["html"]
    app.button(key="bpe.predict.give_up").click()
    answer = shown_in(run(app))
    assert "verdict wrong shown" in answer and "Shown." in answer


def whatif(spec: str, **url: str) -> str:
    """The page “What if” about a run."""
    app = WHATIF.opened(urlencode({"t1": spec, **url}))
    assert problems(app) == []
    return "".join(bodies(app, "board"))


@pytest.mark.parametrize("kind", EXAMPLE)
def test_plain_bpe_and_each_kind_are_aligned_in_what_if(kind: str) -> None:
    """Oracle: the merges of both runs. A step of the kind alone stands by itself, so equal merges come one
    under the other."""
    spec = f"bpe?corpus={EXAMPLE[kind]}"
    drawn = whatif(spec, what="kind", to="plain", a="by the way")
    ours: Any = trace_at(BPE, corpus=EXAMPLE[kind])
    theirs = ours.plain_run if kind == "paritybpe" else trace_at(BPE, corpus=EXAMPLE[kind], kind="plain")
    parting = next(
        step
        for step in range(1, len(ours) + 1)
        if not ours.record.is_merge(step) or step > len(theirs) or ours.pair_of(step) != theirs.pair_of(step)
    )
    assert f"The runs diverge at step <b>{parting}</b>" in drawn
    [column] = re.findall(r'<div class="cell parts"><span class="k">(.*?)</span>(.*?)</div>', drawn)
    assert column[0] == str(parting)
    says = {"superbpe": "lets tokens bridge spaces", "pickybpe": "removes", "paritybpe": "chooses and merges"}
    assert says[kind] in drawn
    if kind != "paritybpe":  # plain BPE waits in this column, and goes on beside the kind's next step
        assert '<span class="none">–</span>' in column[1]
        its = f" · {parting}" if parting <= len(theirs) else ""  # an ended run has no such step
        assert f'<span class="k">{parting + 1}{its}</span>' in drawn
    assert "Learned only in “As it is”" in drawn and "<h3>Your text</h3>" in drawn
    back = whatif(f"{spec}&kind=plain", what="kind", to=kind)
    assert says[kind] in back or kind == "paritybpe"


def test_stretches_are_counted_in_their_own_tokens() -> None:
    """Oracle: the run's recorded tokens of the whole corpus; words alone would show nothing of SuperBPE's
    second stage."""
    ours, theirs = trace_at(BPE, corpus="phrases"), trace_at(BPE, corpus="phrases", kind="plain")
    both = effects(ours, theirs, vocabulary_difference(ours, theirs)).measures
    assert [one.tokens for one in both] == [ours[-1].tokens, theirs[-1].tokens]
    assert [one.words for one in both] == [ours.corpus.total] * 2 and both[0].tokens < both[1].tokens


def test_impossible_changes_of_a_kind_are_not_offered() -> None:
    """Counts of words say nothing of the stretches and languages for two kinds' training."""
    for kind, corpus in EXAMPLE.items():
        app = WHATIF.opened(urlencode({"t1": f"bpe?corpus={corpus}"}))
        offered = app.selectbox(key="whatif.what").options
        assert ("How often a word occurs" in offered) == (kind == "pickybpe")
        assert problems(app) == [] and app.get("html")
    app = WHATIF.opened(urlencode({"t1": "bpe?corpus=hug", "what": "kind", "to": "superbpe"}))
    assert any(
        "SuperBPE needs a text" in problem or "only Byte level" in problem for problem in problems(app)
    )


@pytest.mark.parametrize("kind", EXAMPLE)
def test_a_challenge_of_each_kind(kind: str) -> None:
    """Its sealed link opens the same run, and its questions are about merges of that run; their keys are
    right."""
    set_up = Challenge("Monday", "bpe", {"corpus": EXAMPLE[kind]}, 2, 110, "mixed")
    opened = open_challenge(f"https://example.org/challenge?c={set_up.sealed()}")
    assert opened == set_up and opened.reading().complaints == []
    trace = trace_at(BPE, corpus=EXAMPLE[kind])
    style = Style(trace.corpus.pipeline.byte_level, "spaces", frozenset())
    wanted = questions_of(opened, trace, style)
    assert trace.kind == kind and all(trace.record.is_merge(step) for step, _question in wanted)
    assert {question.grade(question.key).kind for _step, question in wanted} == {"right"}
    assert {*ASKS_OF_KIND[kind]} <= {question.kind for _step, question in wanted}


def test_the_languages_leave_room_for_words() -> None:
    """With six languages above them, two words are in sight of a frame, and the others a click away."""
    html = merge_frame(trace_at(BPE, corpus="parallel")[5], Style()).html
    assert len(re.findall(r'<li class="w(?! beyond)', html)) == 2 and 'class="w beyond' in html


@pytest.mark.parametrize("kind", EXAMPLE)
def test_the_playground_explains_a_kinds_splits(kind: str) -> None:
    """Oracle: the engine's steps of encoding (for PickyBPE merges and removals in their order)."""
    tokenizer = trace_at(BPE, corpus=EXAMPLE[kind]).tokenizer()
    [word, *_] = tokenizer.pipeline.split("newspaper")
    spec = {"t1": f"bpe?corpus={EXAMPLE[kind]}", "why": "newspaper"}
    app = PLAYGROUND.opened(urlencode(spec))
    assert problems(app) == [] and not app.exception
    steps = next(one for one in books(app) if "why" in str(one))
    assert steps["last"] == len(tokenizer.model.explain(word))
    split = PLAYGROUND.opened(urlencode({**spec, "split": "news paper"}))
    assert problems(split) == [] and not split.exception


def test_a_kind_is_retrained_as_that_kind() -> None:
    """Oracle: the engine, on the new corpus with the old one's settings. A kind with need of a table says
    so."""
    lines = EXAMPLES["course"].text().split("\n")
    for kind, message in {"pickybpe": "", "superbpe": "", "paritybpe": "two languages at least"}.items():
        url = {"t1": f"bpe?corpus={EXAMPLE[kind]}", "how": "anew", "corpus": "course", "size": "70"}
        app = RENEW.opened(urlencode(url))
        assert [message in one for one in problems(app)] == ([True] if message else []), kind
    subject = TrainedSubject("", picky_tokenizer(), trace_at(BPE, corpus="scaffolding"), 166)
    handed = heritage(subject)
    source = Source("course", EXAMPLES["course"].text().encode())
    again = handed.run(source, 70).make(Progress())
    rules = {"min_frequency": 2, "tie_rule": "lowest_ids", "special_tokens": handed.special_tokens}
    assert again.record == train_pickybpe(Corpus.from_texts(lines), 70, threshold="0.6", **rules).record


def picky_tokenizer() -> Tokenizer:
    """The tokenizer of PickyBPE's example."""
    return trace_at(BPE, corpus="scaffolding").tokenizer()


def test_the_split_chosen_before_a_kind_is_back_after_it() -> None:
    """SentencePiece's BPE takes a split of its own; one chosen meanwhile stays."""
    app = PAGE.opened("corpus=course")
    before = PAGE.value(app, "pre")
    for meanwhile in ("", "whitespace_split"):
        app.sidebar.selectbox(key="bpe.kind").set_value("sentencepiece_bpe")
        assert before == "byte_level" != PAGE.value(run(app), "pre")
        if meanwhile:
            app.sidebar.selectbox(key="bpe.pre").set_value(meanwhile)
            run(app)
        app.sidebar.selectbox(key="bpe.kind").set_value("plain")
        assert PAGE.value(run(app), "pre") == (meanwhile or before)


def test_a_split_replaced_on_one_corpus_stays_there() -> None:
    app = PAGE.opened("corpus=course")
    for name, choice in (("kind", "sentencepiece_bpe"), ("corpus", "parallel"), ("kind", "plain")):
        app.sidebar.selectbox(key=f"bpe.{name}").set_value(choice)
        run(app)
    assert PAGE.value(app, "pre") == PAGE.value(PAGE.opened("corpus=parallel"), "pre") != "byte_level"
