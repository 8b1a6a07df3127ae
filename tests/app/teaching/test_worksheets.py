"""Worksheets: questions on the first pages, the answers behind them.

Oracles: the sheets' own contents, solved in the slow, plain way (`oracle_worksheets.py`); pairs counted by a
plain loop over the words; the exercises' own solutions; Python's `html.parser`.
"""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from itertools import chain, pairwise

import pytest

from tests.app.teaching.oracle_worksheets import problems
from tests.samples import spread
from tokenizers_core import Corpus, train_bpe, train_paritybpe, train_pickybpe, train_superbpe, train_unigram
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.handout import paper_handout
from tokensteps.drawing.stage_markup import more_html
from tokensteps.drawing.tokens import Style
from tokensteps.language.names import LANGUAGE_NAMES
from tokensteps.runs.algorithms import ALGORITHMS, BPE, UNIGRAM, WORDPIECE, trace_at
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS, make
from tokensteps.teaching.worksheets import blank_form, exercise_tasks, run_tasks, worksheet

PLAIN = Style()
TAGS = {
    "main", "h1", "h2", "p", "section", "div", "span", "table", "tr", "th", "td", "bdi", "code", "b", "i",
    "em", "ul", "ol", "li", "wbr", "svg", "path", "rect", "circle", "g", "small", "strong", "sub", "sup",
}  # fmt: skip


class Names(HTMLParser):
    """The elements of a document's body."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.feed(page.split("<body>")[1].split("</body>")[0])

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)


def names(page: str) -> set[str]:
    return Names(page).tags


def text(markup: str) -> str:
    return unescape(re.sub(r"<[^>]*>", " ", markup))


@pytest.mark.parametrize("step", [0, 1, 7])
def test_pairs_are_asked_blank_and_answered_in_full(step: int) -> None:
    trace = trace_at(BPE, corpus="hug")
    tasks = run_tasks(trace, step, PLAIN)
    first = min(step, len(trace) - 3)
    assert [task.title for task in tasks] == [
        *(f"Merge {first + number}" for number in (1, 2, 3)),
        "Words to split",
    ]
    for before, task in enumerate(tasks[:3], start=first):
        pairs: Counter[tuple[str, str]] = Counter()
        for word, split in trace[before].splits().items():
            for pair in pairwise(split):
                pairs[pair] += trace.word_frequencies[word]
        assert task.question.count('class="blank') == 2 * len(pairs)
        rows = re.findall(r"<tr><td>(<span class=\"pair\">.*?)</td><td>(\d+)</td></tr>", task.answer)
        results = {tuple(text(pair).split()): int(number) for pair, number in rows}
        assert results == dict(pairs)
        assert '<span class="pair">' not in task.question


def test_the_newer_kinds_on_paper() -> None:
    """Only merges are counted for; SuperBPE has its stretches, PickyBPE names the removals, parity-aware BPE
    the choosing language."""
    lines = Corpus.from_texts(["by the way", "on the way", "the way to it"])
    way = train_superbpe(lines, 22, transition=20)
    hug = train_pickybpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}))
    cats = train_paritybpe({"en": Corpus.from_texts(["the cat"]), "de": Corpus.from_texts(["die Katze"])})
    for trace in (way, hug, cats):
        for step in range(len(trace) + 1):
            tasks = run_tasks(trace, step, PLAIN)
            merges = [int(task.title.removeprefix("Merge ")) for task in tasks[:-1]]
            assert len(merges) == 3 and all(map(trace.record.is_merge, merges))
            assert [*chain.from_iterable(problems(task.question, task.answer) for task in tasks)] == []
            assert names(worksheet("x", tasks)) <= TAGS | {"del"}
            words = [word for word in trace.corpus.words if 1 < len(word) <= 10][-8:]
            tokenizer = trace.tokenizer(step)
            answer = text(tasks[-1].answer).split()
            for word in words:
                assert " ".join([word, *tokenizer.encode(word.replace("Ġ", " ")).tokens]) in " ".join(answer)
    stretches = text(run_tasks(way, len(way), PLAIN)[2].question)
    assert "by ĠtheĠway 1" in " ".join(stretches.split())
    *_others, leaves, split = run_tasks(hug, len(hug), PLAIN)
    assert "the threshold is 9/10" in text(leaves.question) and "Remove" in leaves.answer
    assert "Remove" not in leaves.question and split.question.count("<del>") == 2
    chosen = [(cats.language_at(step), run_tasks(cats, step - 1, PLAIN)[0]) for step in (1, 3)]
    for language, task in chosen:
        assert f"{LANGUAGE_NAMES[language]} chooses" in text(task.question)
        assert ("K a t z e" in " ".join(text(task.question).split())) == (language == "de")
    assert {language for language, _task in chosen} == {"en", "de"}


LARGE = {"modules"}
"""Corpora that take long to train on."""
SPACED = [corpus for corpus, example in EXAMPLES.items() if not example.counts and corpus not in LARGE]
"""Corpora that are texts."""
SHEETS = [
    *(("unigram", {"corpus": corpus, **more}) for corpus in EXAMPLES if corpus not in LARGE
      for more in ({}, {"method": "sentencepiece"}, {"coverage": "0.95"}, {"coverage": "0.95", "bytes": "on"})),
    *(("wordpiece", {"corpus": corpus, **more}) for corpus in EXAMPLES if corpus not in LARGE
      for more in ({}, {"coverage": "0.95"}, {"maxword": "5"})),
    *(("bpe", {"corpus": corpus, "kind": "plain", **more}) for corpus in EXAMPLES if corpus not in LARGE
      for more in ({}, {"pre": "end_of_word"}, {"coverage": "0.95"})),
    *(("bpe", {"corpus": corpus, "kind": "superbpe", "pre": "byte_level"}) for corpus in SPACED),
    *(("bpe", {"corpus": corpus, "kind": "pickybpe"}) for corpus in EXAMPLES if corpus not in LARGE),
    *(("bpe", {"corpus": corpus, "kind": "sentencepiece_bpe", "pre": "whitespace_split_metaspace"}) for corpus in SPACED),
    ("bpe", {"corpus": "parallel", "kind": "paritybpe"}),
]  # fmt: skip
ONCE_WRONG = [
    ("bpe", {"corpus": "python", "kind": "pickybpe"}),
    ("bpe", {"corpus": "hug", "pre": "end_of_word"}),
    ("unigram", {"corpus": "library"}),
    ("unigram", {"corpus": "prose"}),
    ("unigram", {"corpus": "hug", "coverage": "0.9"}),
    ("wordpiece", {"corpus": "hug", "maxword": "3"}),
    ("bpe", {"corpus": "phrases", "kind": "superbpe"}),
    ("bpe", {"corpus": "hug", "longest": "3"}),
]
"""Sheets whose keys could not be had from what was printed: steps, pieces, ends of words, unknown characters
or the rules that exclude a pair were missing."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "address"), [*ONCE_WRONG, *spread(SHEETS)], ids=lambda part: str(part).replace("'", "")
)
def test_a_sheet_is_solved_from_what_is_printed_on_it(algorithm: str, address: dict[str, str]) -> None:
    trace = trace_at(ALGORITHMS[algorithm], **address)
    tasks = [
        task
        for step in sorted({0, 1, 2, len(trace) // 3, len(trace) * 2 // 3, len(trace)})
        for task in run_tasks(trace, step, PLAIN)
    ]
    assert tasks and "unk" not in text("".join(task.answer for task in tasks)).lower()
    assert [*chain.from_iterable(problems(task.question, task.answer) for task in tasks)] == []


def test_a_key_has_every_best_split() -> None:
    """Oracle: the page of errata. The pieces of hug + s, hu + gs and h + ugs occur 15 and 5 times."""
    *tables, words = run_tasks(trace_at(UNIGRAM, corpus="hug"), 0, PLAIN)
    for key in (tables[0].answer.split("</table>")[1], words.answer.rpartition("<tr>")[2]):
        splits = sorted(text(split).split()[-2:] for split in key.split(" = "))
        assert splits == [["h", "ugs"], ["hu", "gs"], ["hug", "s"]]


@pytest.mark.parametrize("algorithm", [BPE, WORDPIECE, UNIGRAM])
@pytest.mark.parametrize("corpus", ["hug", "course", "highest"])
def test_a_sheet_is_a_page_with_its_key_behind_it(algorithm: object, corpus: str) -> None:
    trace = trace_at(algorithm, corpus=corpus)  # type: ignore[arg-type,var-annotated]
    page = worksheet("<b>", run_tasks(trace, 2, PLAIN))
    assert names(page) <= TAGS
    wanted, key = page.split('<section class="key">')
    assert wanted.count('class="task"') == key.count('class="task"') > 0
    assert "blank" in wanted.split("<body>")[1] and "blank" not in key
    assert "<b></h1>" not in page and "&lt;b&gt;</h1>" in page and "<script" not in page


@pytest.mark.parametrize("kind", EXERCISE_KINDS)
def test_exercises_on_paper(kind: str) -> None:
    """The solution is on the key's page alone."""
    exercises = [make(kind, level, 7) for level in (1, 5)]
    page = worksheet(kind, exercise_tasks((kind, one) for one in exercises))
    assert names(page) <= TAGS
    wanted, key = page.split('<section class="key">')
    for one in exercises:
        assert one.question.solution in key and one.question.solution not in wanted
        assert one.question.prompt in wanted
        if kind == "paritybpe_language":  # to choose from are the languages of the table, by the same names
            printed = re.findall(r"<li><bdi>(.*?)</bdi>", blank_form(one.question.form))
            assert len(printed) > 1 and all(f"<td>{name}</td>" in one.question.prompt for name in printed)


def test_hostile_words_are_text() -> None:
    corpus = Corpus.from_counts({"<script>x": 3, "</td>&": 2, "<b>": 1})
    for trace in (train_bpe(corpus, merges=3), train_unigram(corpus, 40, None)):
        page = worksheet("x", run_tasks(trace, 1, PLAIN))
        assert names(page) <= TAGS and "script" not in names(page)
        assert "<script>x" not in page and "</td>&" not in page


def test_all_steps_on_paper() -> None:
    page = paper_handout(
        "<i>",
        250,
        lambda step: Frame(f"<p>frame {step}</p>{more_html(0, 22)}", "", "", f"<{step}"),
        ("last", Frame(more_html(20, 2), "", "", "")),
    )
    assert page.count('class="step"') == 202 and "frame 200<" in page and "frame 201<" not in page
    assert "and 22 more" not in page and "and 20 more" in page, "the hidden ones are shown on paper"
    assert "The first 200 of 250 steps." in page and "&lt;i&gt;" in page and "&lt;200" in page
