"""Hostile strings through all reading, drawing, charting, exporting and linking of a learner's text, without
a browser.

The strings come from `tests/hostile.py`: all fixed ones here, 10,000 with `HOSTILE_STRINGS=10000` (`make
hostile`). Oracles: Python's `html.parser`, which reads markup back; the same run on the same text with
letters in place of its signs, which has to draw the same elements; the text itself, to be given back by
files, links and chips; `csv` and `json`; and nothing but our own errors, with messages of one line. In the
browser: `tests/hostile_browser.py`.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pandas as pd
import pytest

from tests.app.drawing.test_tokens import Read, expect_markup, spelled_out
from tests.hostile import EVIL, KINDS, Hostile, batches, hostile, long_words
from tests.markup import Reader
from tokenizers_core import Corpus, Tokenizer, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.templates import TEMPLATES
from tokenizers_core.errors import SurrogateError, TokenizersCoreError
from tokenizers_core.files.exports import (
    FORMULA_STARTS,
    inert,
    pieces_tsv,
    prunes_to_csv,
    prunes_to_json,
    trace_to_csv,
    trace_to_json,
)
from tokenizers_core.files.tokenizer_json import parse_json, tokenizer_from_json
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.pipeline import Pipeline, pre_tokenize
from tokenizers_core.text.reading import decode_text, parse_counts
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokenizers_core.training.comparison import compare
from tokensteps.catalogue import hub, side_by_side
from tokensteps.catalogue.analysis import Analysis, analyse, interpret_escapes
from tokensteps.catalogue.choices import SET, TokenizerSpec, title, titles, upload_spec
from tokensteps.catalogue.files import formats
from tokensteps.catalogue.renewal import heritage
from tokensteps.catalogue.shown_tokenizers import TrainedSubject
from tokensteps.components.editor import as_typed
from tokensteps.drawing.charts import (
    CHARTS,
    PRUNE_CHARTS,
    loss_chart,
    score_chart,
    training_chart,
    worth_chart,
)
from tokensteps.drawing.chips import Shown, chips_html
from tokensteps.drawing.comparison import compare_frame, overlap_html
from tokensteps.drawing.encoding import encoding_frame, match_frame
from tokensteps.drawing.frame import Frame, payload
from tokensteps.drawing.handout import handout
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.pipeline.journey import journey
from tokensteps.drawing.pipeline.stages import stages_message, summary_html
from tokensteps.drawing.pipeline.windows import windows_html
from tokensteps.drawing.tables import matching, pair_table, piece_table, score_table, worth_table
from tokensteps.drawing.tabs import encoding_html, lineage_html, story_html
from tokensteps.drawing.tokens import SHOW, TOKEN_SHOWN, Style, chip, readable, token_html
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.drawing.training.pruning import prune_frame
from tokensteps.language.labels import flipbook_labels
from tokensteps.language.messages import explained
from tokensteps.limits import ANSWER_LIMIT
from tokensteps.pages.explore import playground_files as play_files
from tokensteps.pages.explore.pipeline import tokenizer_with_template
from tokensteps.pages.explore.pipeline_controls import SPECIAL_TOKENS
from tokensteps.pages.explore.pipeline_decoding import difference_html
from tokensteps.pages.explore.playground_charts import counts_chart
from tokensteps.pages.explore.playground_chips import cards_html, name_html
from tokensteps.pages.explore.renew import heritage_html
from tokensteps.pages.learn.exercises import read_selection
from tokensteps.pages.learn.home_sentence import sentence_html, ways_html
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.runs.corpora import pack_text, plain_text, unpack_text
from tokensteps.runs.rules import (
    BPE_RULES,
    COMPARE_RULES,
    PIPELINE_RULES,
    RENEW_RULES,
    UNIGRAM_RULES,
    WORDPIECE_RULES,
)
from tokensteps.runs.settings import read_short, read_url, write_short
from tokensteps.teaching.challenge import (
    Answers,
    Challenge,
    Checked,
    class_table,
    open_answers,
    open_challenge,
    result_text,
)
from tokensteps.teaching.exercises.construct import Wanted, construct, read_answer
from tokensteps.teaching.exercises.construct import check_corpus as check_construct
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS as EXERCISES
from tokensteps.teaching.exercises.kinds import make
from tokensteps.teaching.predictions import ASKS, next_question_step, question_after
from tokensteps.widgets.downloads import tokenizer_files

NUMBER = int(os.environ.get("HOSTILE_STRINGS", "620"))
STRINGS = hostile(NUMBER)
SOUND = [one._replace(text=plain_text(one.text)) for one in STRINGS]
"""As text boxes give them: without halves of UTF-16 pairs."""
SOME = SOUND[::9]
"""Strings for slow tests; of every kind, as there are fourteen."""
BATCH = 60
PAGES = {
    "bpe": BPE_RULES,
    "wordpiece": WORDPIECE_RULES,
    "unigram": UNIGRAM_RULES,
    "compare": COMPARE_RULES,
    "pipeline": PIPELINE_RULES,
    "renew": RENEW_RULES,
}
SIGNS = "<>&\"'`=/\\{}%$*_[]()!:;#@|^~?+-.,"
HARMLESS = str.maketrans(SIGNS, "".join(map(chr, range(0x13A0, 0x13A0 + len(SIGNS)))))
"""A letter for each sign with a meaning to somebody."""
BREAKS = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
"""Signs for another line in a log, or with an effect on a terminal."""
OURS = re.compile(
    r"(?:[\w .,:%;()*/+~#-]|&(?:lt|gt|amp);)*", re.DOTALL
)  # allowed contents of our own attributes, unless a learner's text belongs there
TEXTUAL = {"aria-label", "title", "data-values", "data-text", "alt", "placeholder"}
"""Attributes with a learner's text; a browser reads them as text and nothing else."""


class Elements(Reader):
    """The elements of some markup and the names of their attributes, one after the other; and their texts."""

    def __init__(self, markup: str) -> None:
        self.tags: list[tuple[str, ...]] = []
        self.text = ""
        super().__init__(markup)

    def understand(self, tag: str, attrs: list[tuple[str, str | None]]) -> tuple[str, ...]:
        for name, value in attrs:
            assert not name.startswith("on") and name not in ("href", "src", "srcset", "srcdoc", "action"), (
                tag,
                name,
            )
            assert name in TEXTUAL or OURS.fullmatch(value or ""), (tag, name, value)
        return (tag, *sorted(name for name, _value in attrs))

    def take(self, understood: tuple[str, ...]) -> None:
        self.tags.append(understood)

    def handle_endtag(self, tag: str) -> None:
        self.tags.append((f"/{tag}",))

    def handle_data(self, data: str) -> None:
        self.text += data


TAGS = {
    *("div", "p", "span", "b", "i", "bdi", "section", "h2", "h3", "table", "thead", "tbody", "tr", "th", "td", "small", "samp", "del", "ins"),
    *("dl", "dt", "dd", "ul", "ol", "li", "code", "sup", "button", "em", "wbr", "h4", "details", "summary"),
}  # fmt: skip


def sound(markup: str) -> Elements:
    """Markup of ours: our elements, our attributes, and no address anywhere."""
    read = Elements(markup)
    assert {name.removeprefix("/") for name, *_attributes in read.tags} <= TAGS, markup[:2000]
    return read


def message_of(error: TokenizersCoreError) -> str:
    """A learner's message about an error: one line of bounded length, the same in the log."""
    for narration in (explained(error), str(error)):
        assert not BREAKS.search(narration), narration
        assert len(narration) < 1000
    return explained(error)


def ours(use: Callable[..., Any], *arguments: Any) -> Any:
    """The result of `use`; None where it refuses with an error of ours."""
    try:
        return use(*arguments)
    except TokenizersCoreError as error:
        message_of(error)
        return None


# --- the strings --------------------------------------------------------------------------------------------


def test_the_strings_are_of_every_kind_and_always_the_same() -> None:
    assert hostile(700) == hostile(700) and hostile(700)[:300] == hostile(300)
    assert hostile(700, seed=1) != hostile(700, seed=2)
    assert {kind for kind, _text in STRINGS} == {*KINDS}
    assert len({text for _kind, text in STRINGS}) == NUMBER
    everything = {one.text for one in hostile(1000)}
    assert everything >= {text[:6000] for texts in KINDS.values() for text in texts}


# --- readers ------------------------------------------------------------------------------------------------


def readers() -> Mapping[str, Callable[[str], Any]]:
    """Every function that takes any text at all, by name; None or an error of ours is as good an answer as
    any."""
    return {
        "counts": parse_counts,
        "bytes": lambda text: decode_text(text.encode("utf-8", "surrogatepass")),
        "utf-16": lambda text: decode_text(b"\xff\xfe" + text.encode("utf-8", "surrogatepass")),
        "packed": unpack_text,
        "short": read_short,
        "short, packed": lambda text: read_short(f"~{text}"),
        "short, kept": lambda text: read_short(f"!{text}"),
        "challenge": open_challenge,
        "challenge's link": lambda text: open_challenge(f"{text}?c={text}"),
        "code": open_answers,
        "spec": TokenizerSpec.parse,
        "spec's run": lambda text: TokenizerSpec.parse(f"bpe?{text}").run(),
        "spec's title": title,
        "repository": hub.checked,
        "exercise": lambda text: read_selection({"kind": text, "level": text, "seed": text}),
        "corpus that answers": read_answer,
        "escapes": interpret_escapes,
        "box": as_typed,
    }


@pytest.mark.parametrize("name", readers())
def test_all_readers_refuse_with_errors_of_ours(name: str) -> None:
    read = readers()[name]
    for one in STRINGS:
        ours(read, one.text)


def test_answers_are_graded_or_not_understood() -> None:
    """Every kind of exercise with every string as its answer: a verdict with sound markup."""
    exercises = [make(kind, 2, 7).question for kind in EXERCISES]
    for index, one in enumerate(SOUND):
        question = exercises[index % len(exercises)]
        sound(question.grade(one.text[:ANSWER_LIMIT]).reason)
        if one.kind in ("tables", "formats", "json"):
            for question in exercises:
                sound(question.grade(one.text[:100]).reason)


def test_a_constructed_corpus_is_inert() -> None:
    facts = construct(random.Random(3), 1).facts
    wanted = Wanted(facts["merges"], facts["wordpiece"])
    for one in SOUND:
        for answer in (
            one.text,
            f"{one.text} 3",
            "\n".join(f"{word[:40]} 2" for word in one.text.split()[:9]),
        ):
            sound(check_construct(answer[:ANSWER_LIMIT], wanted).reason)


@pytest.mark.parametrize("name", PAGES)
def test_links_with_anything_in_them_open(name: str) -> None:
    """Every parameter at once: impossible values are dropped and reported, and the rest makes a link with the
    same meaning."""
    rules = PAGES[name]
    names = [*(rule.name for rule in rules), "corpus", "text", "id", "file", "step", "show", "mode", "ask"]
    for one in STRINGS:
        complaints = read_url(name, rules, dict.fromkeys(names, one.text)).complaints
        assert all(len(message) < 1000 and not BREAKS.search(message) for message in complaints)
    for one in SOUND:
        own = {"corpus": "paste", "text": pack_text(one.text) or "", "pattern": "own"}
        recipe = read_url(name, rules, {**own, "regex": one.text, "special": one.text}).recipe
        assert recipe.text == (one.text if own["text"] else "")
        query = urlencode({name: text for name, text in recipe.url().items() if text is not None})
        again = read_url(name, rules, dict(parse_qsl(query, keep_blank_values=True))).recipe
        assert (again.values, again.text) == (recipe.values, recipe.text)


def test_texts_survive_every_way_they_travel() -> None:
    """Links, names of tokenizers and files, challenges and codes: every character comes back."""
    for one in SOUND:
        text = one.text
        assert read_short(write_short(text)) == text
        packed = pack_text(text)
        assert packed is None or unpack_text(packed) == (text if packed else None)
        spec = TokenizerSpec("hub", {"name": text[:900]})
        assert TokenizerSpec.parse(spec.write()) == spec
        assert text[:60].lstrip(SET) in TokenizerSpec.parse(upload_spec({text[:60]: b"x"})).query
        challenge = Challenge(text[:80], "bpe", {"corpus": "paste", "special": text[:80]}, 0, 3, "pair")
        assert open_challenge(challenge.sealed()) == challenge
        result = Answers("x", text[:80], 1, (text[:80],))
        assert open_answers(result.code()) == result
        assert result_text(challenge, Checked(result, [])).startswith(text[:80])
        assert class_table([Checked(result, [])]).iloc[0, 0] == (text[:80] or "no name")
    names = titles([one.text for one in SOUND[:300]])
    assert len({*names.values()}) == len(names)


def test_files_are_tokenizers_or_refused() -> None:
    """As contents and as names of all kinds of files; the names have that kind's endings."""
    for index, one in enumerate(STRINGS):
        data = one.text.encode("utf-8", "replace")
        for ending in ("", ".json", ".txt", ".tiktoken", ".model")[index % 5 :: 5]:
            ours(formats.load, {one.text[:200] + ending: data})
        ours(formats.load, {"vocab.json": json.dumps({one.text: 0, "a": 1}).encode(), "merges.txt": data})
        ours(formats.load, {"tokenizer.json": data})
        ours(tokenizer_from_json, one.text)
        ours(parse_json, one.text)


def test_tokenizers_with_hostile_tokens_are_drawn_as_text() -> None:
    """vocab.txt, vocab.json and tokenizer.json with these tokens: chips, cards, names."""
    for batch in batches(SOUND, 4 * BATCH):
        tokens = list(
            dict.fromkeys(token for one in batch for token in one.text.split("\n") if token.strip())
        )
        lines = "\n".join(["[UNK]", *tokens])
        for files in ({"vocab.txt": lines.encode()}, {batch[0].text[:60] + ".txt": lines.encode()}):
            subject = ours(formats.load, files)
            if subject is None:
                continue
            assert {*subject.all_tokens()} >= {token for token in tokens if token == token.strip()} - {""}
            drawn(analyse(subject, "\n".join(tokens)[:3000]))


@pytest.mark.parametrize("length", [50, 50_000])
def test_patterns_end_in_time(length: int) -> None:
    """A pattern of a learner's own: refused, done or given up, within its time and as much again."""
    patience, slowest = 0.2, 0.0
    texts = (("ab " * length)[:length] + "!", "a" * length + "!")
    patterns = [one.text[:1000] for one in SOUND if one.kind in ("regex", "json", "markup")]
    for index, pattern in enumerate(patterns if length < 100 else patterns[:: max(1, len(patterns) // 12)]):
        start = time.thread_time()
        words = ours(pre_tokenize, texts[index % 2], "byte_level", pattern, patience)
        slowest = max(slowest, time.thread_time() - start)
        assert words is None or sum(word.end - word.start for word in words) == length + 1
    assert slowest < 4 * patience + 0.5


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:(?:(?:(?:a{1000}){1000}){1000}){1000})",
        "(?:(?:a{1000}){1000,}){3}",
        "(?:ab){4000000000}",
        "(?R)",
        "x(a?(?R)b?)",
        "(?<q>a|(?&q)(?&q))x",
        "(?P<q>a(?P>q)?)",
        "(a(?1)?)",
        "(?x)(?:(?:a{1 0 0 0}){1 0 0 0}){1#\n000}",
        "(?ix:a b)",
    ],
)
def test_patterns_that_would_take_the_machines_memory_are_refused(pattern: str) -> None:
    """Measured: the first took 30 s and all memory there was, before its time began; files that claim 700
    MB."""
    start = time.thread_time()
    with pytest.raises(TokenizersCoreError) as caught:
        Pipeline(pattern=pattern)
    assert time.thread_time() - start < 0.2
    message_of(caught.value)


def test_halves_of_pairs_are_refused_by_name() -> None:
    for one in STRINGS:
        if one.text != plain_text(one.text):
            with pytest.raises(SurrogateError):
                Corpus.from_texts([one.text])
            with pytest.raises(SurrogateError):
                Corpus.from_counts({one.text: 1})


# --- drawings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("byte_level", [False, True])
def test_chips_show_the_whole_text(byte_level: bool) -> None:
    for one in STRINGS:
        for show in SHOW:
            style = Style(byte_level, show)
            read = expect_markup(chip(one.text, style), {"bdi"})
            assert read.text == Read(token_html(one.text, style)).text
            assert readable(one.text, style).replace(" ", "").replace("\u200e", "") == read.text.replace(
                " ", ""
            )
            assert not BREAKS.search(read.text)
        if len(one.text) <= TOKEN_SHOWN:
            assert Read(chip(one.text)).text == spelled_out(
                one.text, {" ": "␣", "\t": "⇥", "\n": "⏎", "\r": "␍"}
            )


def test_a_long_token_is_shown_by_its_ends() -> None:
    """A million letters can be one token; each frame has it several times."""
    token = "b" + "a" * 999_998 + "<"
    assert Read(chip(token)).text == f"b{'a' * 199}…999,600…{'a' * 199}<"
    assert readable(token) == Read(chip(token)).text
    assert Read(chip("a" * TOKEN_SHOWN)).text == "a" * TOKEN_SHOWN


def corpora() -> Iterator[tuple[list[Hostile], str, str]]:
    """The strings, a batch at a time, with a normalizer and a pre-tokenizer: they take turns."""
    for index, batch in enumerate(batches(SOME, BATCH)):
        yield batch, NORMALIZERS[index % len(NORMALIZERS)], PRE_TOKENIZERS[index % len(PRE_TOKENIZERS)]


def texts_of(batch: list[Hostile], longest: int = 300) -> list[str]:
    return [one.text[:longest] for one in batch]


def frames_of(trace: Any, draw: Callable[..., Frame], style: Style, number: int = 6) -> list[Frame]:
    """Some frames of a run, the first and the last among them."""
    steps = sorted({*range(0, len(trace), max(1, len(trace) // number)), len(trace)})
    return [draw(trace[step], style) for step in steps]


def check_frames(frames: list[Frame]) -> None:
    """Their markup, the plain texts beside it, and the message and the handout with them."""
    for frame in frames:
        sound(frame.html)
        expect_markup(frame.label, {"bdi"})
        assert not BREAKS.search(frame.say) and not BREAKS.search(frame.status)
    data = payload("run", len(frames) - 1, 0, frames, (0, 0), flipbook_labels())
    sent = json.loads(data)["frames"]
    assert [one["html"] for one in sent] == [frame.html for frame in frames]


TRAININGS: list[tuple[str, Callable[..., Any], Callable[..., Frame], dict[str, Any]]] = [
    ("bpe", train_bpe, merge_frame, {}),
    ("wordpiece", train_wordpiece, wordpiece_frame, {}),
    ("unigram", train_unigram, prune_frame, {"seed_size": 900, "vocab_size": None}),
    (
        "unigram",
        train_unigram,
        prune_frame,
        {"seed_size": 900, "vocab_size": None, "method": "sentencepiece"},
    ),
]


def trained() -> Iterator[tuple[list[Hostile], Any, Callable[..., Frame], Style]]:
    """A run on each batch; the algorithms take turns, the first batches have all of them."""
    for index, (batch, normalizer, pre) in enumerate(corpora()):
        chosen = TRAININGS if index < 2 else TRAININGS[index % 4 : index % 4 + 1]
        for name, train, draw, settings in chosen:
            rules = (normalizer, pre) if name == "bpe" or pre != "byte_level" else (normalizer, "whitespace")
            special = tuple(dict.fromkeys(word for one in batch[:9] for word in one.text[:50].split()))
            merging = {} if name == "unigram" else {"merges": 60}
            try:
                corpus = Corpus.from_texts(texts_of(batch), *rules)
                trace = train(corpus, special_tokens=special, **merging, **settings)
            except TokenizersCoreError as error:
                message_of(error)
                continue
            show = SHOW[index % 3]
            yield batch, trace, draw, Style(corpus.pipeline.byte_level, show, frozenset(special))


def figure_texts(figure: Any) -> Iterator[tuple[str, str]]:
    """Every string in a figure, and the name it stands under."""

    def walk(name: str, part: Any) -> Iterator[tuple[str, str]]:
        if isinstance(part, str):
            yield name, part
        elif isinstance(part, dict):
            for key, inner in part.items():
                yield from walk(key, inner)
        elif isinstance(part, list):
            for inner in part:
                yield from walk(name, inner)

    yield from walk("", json.loads(figure.to_json()) | {"layout": {}})


def check_chart(figure: Any, tokens: set[str]) -> None:
    """No text of a figure holds a tag but our own templates; it shows the tokens."""
    for name, text in figure_texts(figure):
        if name == "hovertemplate":
            assert re.sub(r"<br>|<extra>\w*</extra>", "", text).count("<") == 0 and EVIL not in text
        elif name == "customdata":
            assert "<" not in text and ">" not in text
            shown = unescape(text)
            assert text == shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    names = {unescape(row[0]) for one in figure.data if one.customdata is not None for row in one.customdata}
    assert not tokens or names & tokens, (list(names)[:5], list(tokens)[:5])


def check_cells(table: pd.DataFrame) -> None:
    """A table's texts are readable: nothing invisible in them."""
    for _name, column in table.items():
        for cell in column:
            assert not isinstance(cell, str) or not BREAKS.search(cell), cell


def test_training_is_drawn_charted_and_exported_as_text() -> None:
    """Frames, tables, charts, stories, lineages, files: of the three algorithms, with hostile special tokens,
    too."""
    for batch, trace, draw, style in trained():
        check_frames(frames_of(trace, draw, style, 4))
        last, tokens = trace[len(trace)], [*trace[len(trace)].vocab]
        shown = {readable(token, style) for token in tokens}
        if trace.algorithm == "unigram":
            rows = trace.worth(len(trace), 20)
            check_cells(piece_table(last, style))
            check_cells(worth_table(rows, style))
            check_chart(worth_chart(rows, style), set())
            check_chart(loss_chart(trace, next(iter(PRUNE_CHARTS)), 0, style), set())
        else:
            for snapshot in (trace[0], last):
                check_cells((score_table if trace.algorithm == "wordpiece" else pair_table)(snapshot, style))
            for find in texts_of(batch[:8], 40):
                table = (score_table if trace.algorithm == "wordpiece" else pair_table)(trace[0], style, find)
                assert len(table) == len(matching(table, find)) <= trace[0].pair_count
            if len(trace):
                check_chart(training_chart(trace, next(iter(CHARTS)), len(trace), style), shown)
                sound(lineage_html(trace.lineage(trace[len(trace)].event.token), style))
            if trace.algorithm == "wordpiece" and len(trace):
                check_chart(score_chart(last, style), set())
        word = trace.corpus.words[-1]
        sound(story_html(trace.history_of(word), len(trace), style))
        if next_question_step(trace, 0) is not None:
            for kind in ASKS[trace.algorithm]:
                question = question_after(trace, next_question_step(trace, 0) or 0, kind, style)
                sound(question.prompt)
                sound(question.solution)
                for one in batch[:10]:
                    sound(question.grade(one.text).reason)
        check_exports(trace)
        check_tokenizer(trace, texts_of(batch, 60), style)


def cells_of(text: str) -> list[dict[str, str]]:
    """A table as a spreadsheet reads it."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def restored(cell: str) -> str:
    """A cell's text before an apostrophe was put in front."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA_STARTS) else cell


def check_exports(trace: Any) -> None:
    """JSON gives every word and token back; in a table, no cell begins as a formula does, and each comes back
    too."""
    unigram = trace.algorithm == "unigram"
    document = json.loads((prunes_to_json if unigram else trace_to_json)(trace))
    assert document["words"] == dict(trace.corpus.items())
    rows = cells_of((prunes_to_csv if unigram else trace_to_csv)(trace))
    assert len(rows) == len(trace)
    algorithm_columns = ("piece",) if unigram else ("first", "second", "token")
    for row, step in zip(rows, document["steps"], strict=True):
        value = [step.get("piece", "")] if unigram else [*step["pair"], step["token"]]
        for name, text in zip(algorithm_columns, value, strict=True):
            assert not row[name].startswith(FORMULA_STARTS)
            assert row[name] == inert(text) and restored(row[name]) == text
    if unigram:
        assert document["pieces"] == [[piece, score] for piece, score in trace[-1].pieces.items()]
        assert len(pieces_tsv(trace).splitlines()) >= 1
    else:
        assert document["vocab"] == list(trace.tokens)


def check_tokenizer(trace: Any, texts: list[str], style: Style) -> None:
    """The trained tokenizer: its files, encodings, explanations."""
    tokenizer = trace.tokenizer()
    for name, write in tokenizer_files(tokenizer).items():
        text = ours(write)
        if text is not None and name == "tokenizer.json":
            again = ours(tokenizer_from_json, text)
            assert again is None or again.vocab == tokenizer.vocab
    for text in texts[:12]:
        encoding = ours(tokenizer.encode, text)
        if encoding is None:
            continue
        sound(encoding_html(encoding, style))
        sound(windows_html(encoding, style, None))
        sound(difference_html(text, tokenizer.decode(encoding.ids)))
        for word in tokenizer.pipeline.split(text)[:1]:
            story = tokenizer.explain(word)
            draw = {"bpe": encoding_frame, "wordpiece": match_frame, "unigram": lattice_frame}[
                trace.algorithm
            ]
            for step in {0, len(story)}:
                frame = draw(story[step], style)
                sound(frame.html)
                assert not BREAKS.search(frame.say)


def test_the_same_with_letters_in_place_of_signs_draws_the_same_elements() -> None:
    """Nothing in a text makes an element or an attribute: as many as a harmless text of the same shape has,
    in the same order."""
    for index, batch in enumerate(batches(SOME, BATCH // 2)):
        # Not SentencePiece's: its seed depends on how the characters sort.
        _name, train, draw, settings = TRAININGS[index % 3]
        merging = {} if settings else {"merges": 40}
        words = [word for text in texts_of(batch, 120) for word in text.split() if word.isprintable()]
        drawn = []
        for read in (words, [word.translate(HARMLESS) for word in words]):
            trace = train(
                Corpus.from_counts([(word, 1) for word in read], "none", "whitespace_split"),
                **merging,
                **settings,
            )
            drawn.append([sound(frame.html).tags for frame in frames_of(trace, draw, Style(), 8)])
        assert drawn[0] == drawn[1]


def drawn(analysis: Analysis) -> None:
    """All drawings of a text's tokens in the playground and on the first page; the text comes back from the
    chips."""
    runs = analysis.runs(0, len(analysis.stretches))
    for write in ("text", "ids", "bytes"):
        shown = Shown(write, True, analysis.subject.style)
        sound(chips_html(runs, shown, chip="{text}: {ids}", unknown="unk"))
    for card in cards_html(analysis, runs[:40]).values():
        sound(card)
    sound(name_html("A", analysis.subject))
    sound(sentence_html(analysis))
    both = {"A": analysis, "B": analysis}
    sound(side_by_side.aligned_html(both))
    words = side_by_side.costliest_words(both)
    if not words.empty:
        subjects = {letter: one.subject for letter, one in both.items()}
        sound(side_by_side.words_html(subjects, list(words["word"][:12])))
    for name, text in figure_texts(counts_chart(both)):
        assert name == "hovertemplate" or "<" not in text
    rows = cells_of(play_files.tokens_sheet(analysis).decode("utf-8-sig"))
    assert len(rows) == len(analysis)
    for row, (start, end) in zip(rows, analysis.offsets, strict=True):
        assert not row["token"].startswith(FORMULA_STARTS) and not row["text"].startswith(FORMULA_STARTS)
        assert restored(row["text"]) == analysis.text[start:end]
    assert json.loads(play_files.tokens_json(analysis))["text"] == analysis.text
    page = play_files.tokens_html(analysis, Shown("text", False, analysis.subject.style))
    tags = re.findall(r"<(\w+)", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))
    assert {*tags} - TAGS <= {"html", "head", "meta", "title", "style", "body", "main", "h1"}
    assert "script" not in tags and "default-src 'none'" in page


def test_the_playground_is_only_text() -> None:
    """A tokenizer of each kind, named by a string, on all strings: chips, cards, rows, charts, files."""
    for index, batch in enumerate(batches(SOME, BATCH)):
        name, train, _draw, settings = TRAININGS[index % 3]
        merging = {} if settings else {"merges": 60}
        pre = "byte_level" if name == "bpe" else "whitespace_split_metaspace" if settings else "bert"
        trace = train(Corpus.from_texts(texts_of(batch, 100), pre_tokenizer=pre), **merging, **settings)
        for one in batch[:: max(1, len(batch) // 4)]:
            subject = TrainedSubject(one.text[:60], trace.tokenizer(), trace, len(trace))
            text = as_typed("\n".join(texts_of(batch, 60)))
            drawn(analyse(subject, text[:1500]))
        sound(heritage_html(heritage(subject), "Retrained", "The merges."))


def test_comparison_and_pipeline_are_only_text() -> None:
    for index, batch in enumerate(batches(SOME, BATCH)):
        corpus = Corpus.from_texts(texts_of(batch, 50), pre_tokenizer="whitespace_split_metaspace")
        compared = ours(lambda corpus=corpus: compare(corpus, None))
        if compared is not None:
            check_frames(frames_of(compared, compare_frame, Style(), 3))
            sound(overlap_html(compared[len(compared) // 2].overlap(), Style()))
        template = list(TEMPLATES)[index % len(TEMPLATES)]
        trace = train_bpe(corpus, merges=30, special_tokens=SPECIAL_TOKENS[template])
        tokenizer = tokenizer_with_template(trace, template)
        for one, other in zip(batch[::6], batch[1::6], strict=False):
            texts = one.text[:200], other.text[:200]
            encoding = tokenizer.encode(*texts)
            journeys = [journey(tokenizer, text) for text in texts]
            for show in SHOW:
                style = Style(False, show, frozenset(tokenizer.special_tokens))
                sent = json.loads(stages_message(tokenizer, encoding, journeys, style))
                for markup in (sent["atoms"], sent["names"]):
                    sound(markup)
            sound(summary_html(journeys, encoding, [one.text] * 4, other.text))


def test_the_handout_is_a_file_of_ours() -> None:
    """The handout's title is the learner's, and so are all texts of its frames: as many elements as with a
    harmless title."""
    batch = SOUND[:BATCH]
    trace = train_bpe(Corpus.from_texts(texts_of(batch)), merges=12)

    def elements(name: str) -> list[str]:
        page = handout(name, len(trace), lambda step: merge_frame(trace[step], Style(True)))
        assert page.count("</script") == page.count("<script")
        return re.findall(r"<(/?[a-zA-Z!][\w-]*)", page)

    usual = elements("harmless")
    for one in SOUND[:: max(1, len(SOUND) // 20)]:
        assert elements(one.text) == usual


def test_the_first_page_is_only_text() -> None:
    from tokensteps.pages.learn.home_sentence import corpus_facts

    trace = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=5, alphabet="bytes")
    subject = TrainedSubject("mine", trace.tokenizer(), trace, len(trace))
    facts = corpus_facts("course")
    for one in SOME:
        analysis = analyse(subject, one.text[:300])
        sound(sentence_html(analysis))
        sound(ways_html(analysis, facts))


# --- files for spreadsheets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [*FORMULA_STARTS])
def test_spreadsheet_formulas_are_written_as_text(start: str) -> None:
    """OWASP's list of formulas' first characters, in full width too: an apostrophe in front makes it text,
    and nothing else changes."""
    token = f"{start}cmd|'/C calc'!A0"
    trace = train_bpe(Corpus.from_counts({token: 3}, "none", "none"), merges=len(token))
    rows = cells_of(trace_to_csv(trace))
    if start in "\t\r\n":  # white space: `none` keeps the first two inside a word
        assert all(not row["token"].startswith(FORMULA_STARTS) for row in rows)
    else:
        assert rows[-1]["token"] == f"'{token.replace(' ', '▁')}"
        assert restored(rows[-1]["token"]) == token.replace(" ", "▁")


# --- words without an end -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", long_words(6))
def test_long_words_are_trained_on_and_drawn(kind: str) -> None:
    """A word of 10,000 characters (with all strings: of a million): frames stay small, and nothing of the
    word is lost."""
    size = 1_000_000 if NUMBER >= 10_000 else 10_000
    word = long_words(size)[kind]
    corpus = Corpus.from_texts([word], pre_tokenizer="whitespace_split")
    assert corpus.words == (word,)
    for train, draw in ((train_bpe, merge_frame), (train_wordpiece, wordpiece_frame)):
        trace = train(corpus, merges=24)
        frames = frames_of(trace, draw, Style(), 2)
        assert max(len(frame.html) for frame in frames) < 200_000
        assert "".join(trace.splits(len(trace), [word])[word]).replace("##", "") == word.replace("##", "")


def test_a_text_of_single_agreeing_letters_is_compared_in_time() -> None:
    """Measured: more than a minute for the page's limit of 2,000 characters, before there was an end to
    it."""
    text, back = "aA" * 1000, "a" * 2000
    start = time.thread_time()
    markup = difference_html(text, back)
    assert time.thread_time() - start < 6
    read = Elements(markup)
    assert text in read.text and back in read.text


def test_every_algorithm_is_here() -> None:
    assert {name for name, *_rest in TRAININGS} == {*ALGORITHMS}


def test_tokenizers_survive_their_files() -> None:
    """tokenizer.json with hostile special tokens: the tokens read back equal the written ones."""
    for batch in batches(SOUND, 4 * BATCH):
        special = tuple(dict.fromkeys(word for one in batch for word in one.text[:200].split()))[:200]
        trace = train_bpe(Corpus.from_texts(["low lower lowest"]), merges=3, special_tokens=special)
        result = trace.tokenizer()
        text = ours(tokenizer_files(result)["tokenizer.json"])
        if text is not None:
            assert isinstance(tokenizer_from_json(text), Tokenizer)
            assert tokenizer_from_json(text).vocab == result.vocab
