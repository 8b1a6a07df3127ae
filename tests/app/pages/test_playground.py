"""The playground's displays and files, without the page: specs, analyses, side by side, files.

Oracles: the engine's own encodings and traces; the text itself, to be given back by chips, cells and files;
an HTML parser's list of all tags; the csv and json modules. Specs come from links, so nothing of them is
trusted.
"""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from benchmarks.playground import counted, drawn
from tokenizers_core import Corpus, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue import choices, side_by_side
from tokensteps.catalogue.analysis import Analysis, analyse, interpret_escapes
from tokensteps.catalogue.choices import READY, SpecError, TokenizerSpec, upload_spec
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.catalogue.texts import SENTENCES, TEXTS
from tokensteps.drawing.chips import Shown
from tokensteps.language.i18n import use_language
from tokensteps.limits import BROUGHT_REMEMBERED, RUNS_REMEMBERED
from tokensteps.pages.explore import playground_files as play_files
from tokensteps.pages.explore.playground_charts import counts_chart, languages_chart
from tokensteps.pages.explore.playground_chips import cards_html, token_facts_html
from tokensteps.runs.algorithms import ALGORITHMS

HOSTILE = "<img src=x onerror=alert(1)> </script> =1+1 %{y} **b** $x$ \u202e & ' \""
MULTILINGUAL = "Naïve café 👩‍👩‍👧 e\u0301 한국어 עִבְרִית العربية 中文\r\n\tthe end  "
TEXT = "the cats chased the rats, the rats chased the cheese; naïve 茶\n"


def subject(kind: str, name: str = "mine") -> ShownTokenizer:
    """A small tokenizer of the engine's."""
    lines = TEXT.splitlines() * 2
    if kind == "bpe":
        trace = train_bpe(Corpus.from_texts(lines), merges=30, special_tokens=("<|end|>",), alphabet="bytes")
        return TrainedSubject(name, trace.tokenizer(), trace, len(trace))
    if kind == "wordpiece":
        pieces = train_wordpiece(
            Corpus.from_texts(lines, "bert_uncased", "bert"), 90, special_tokens=("[UNK]", "[CLS]")
        )
        return TrainedSubject(name, pieces.tokenizer(), pieces, len(pieces))
    corpus = Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace")
    run = train_unigram(corpus, 100, 50)
    return TrainedSubject(name, run.tokenizer(), run, len(run))


KINDS = ("bpe", "wordpiece", "unigram")
TEXTS_TRIED = (
    TEXT,
    MULTILINGUAL,
    HOSTILE,
    "",
    " ",
    "<|end|>[CLS] x",
    *(text.make() for text in TEXTS.values()),
)


class Tags(HTMLParser):
    """Every tag and every attribute's name in a piece of markup, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _value in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


# --- specs --------------------------------------------------------------------------------------------------


@given(
    st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=5),
    st.sampled_from([*ALGORITHMS, "file", "hub"]),
)
def test_a_spec_is_read_back(query: dict[str, str], kind: str) -> None:
    query = {name: text.encode("utf-8", "replace").decode() for name, text in query.items()}
    query = {name.encode("utf-8", "replace").decode(): text for name, text in query.items()}
    assert TokenizerSpec.parse(TokenizerSpec(kind, query).write()) == TokenizerSpec(kind, query)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gpt2",
        "bpe2?corpus=hug",
        "?",
        "javascript:alert(1)",
        "file",
        "bpe?" + "a=" * 20_000,
        "bpe?" + "a=1&" * 60,
    ],
)
def test_invalid_specs_are_refused(text: str) -> None:
    if text == "file":
        assert TokenizerSpec.parse(text) == TokenizerSpec("file", {})
        return
    with pytest.raises(SpecError, match="which this page doesn't know"):
        TokenizerSpec.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bpe?corpus=nonsense", "this page doesn't know"),
        ("bpe?corpus=hug&size=-4", "this page doesn't know"),
        ("bpe?corpus=paste", "no text to train on"),
        ("unigram?corpus=hug&method=magic", "this page doesn't know"),
    ],
)
def test_an_impossible_training_is_refused(text: str, message: str) -> None:
    with pytest.raises(TokenizersCoreError, match=message):
        TokenizerSpec.parse(text).run()


@pytest.mark.parametrize("step", ["-1", "x", "1e3", "²", "9" * 12, ""])
def test_an_invalid_step_is_refused(step: str) -> None:
    with pytest.raises(SpecError, match="which doesn't exist"):
        _ = TokenizerSpec("bpe", {"corpus": "hug", "step": step}).step


def test_a_spec_trains_like_the_training_page() -> None:
    run = TokenizerSpec.parse("bpe?corpus=hug&step=3").run()
    trace = run.algorithm.train(run.source.corpus(run.pipeline), **run.settings)
    assert [trace[step].event.token for step in (1, 2, 3)] == [
        "ug",
        "un",
        "hug",
    ]  # the course's first three merges
    assert run.name == TokenizerSpec.parse("bpe?corpus=hug").run().name  # the step makes no other run


def test_titles_differ() -> None:
    """Streamlit's select box takes options of the same title for one."""
    specs = ["bpe?corpus=hug", "bpe?corpus=hug&size=12", "bpe?corpus=paste&text=a", "bpe?corpus=paste&text=b"]
    specs += [
        "file?tokenizer.json=1",
        "file?tokenizer.json=2",
        f"hub?name={'x' * 70}1",
        f"hub?name={'x' * 70}2",
    ]
    result = choices.titles(specs)
    assert list(result) == specs and len(set(result.values())) == len(specs)
    assert result["bpe?corpus=hug&size=12"] == "BPE, size 12: hug, pug, pun, bun, hugs"
    assert result["file?tokenizer.json=2"] == "tokenizer.json (2)"


def test_titles() -> None:
    assert choices.title("bpe?corpus=course&step=1200") == "BPE after step 1,200: Four sentences"
    assert choices.title(READY[1]) == "WordPiece: Prose, code, many scripts"
    title = "BPE after step 3: hug, pug, pun, bun, hugs, Minimum pair count: 2"
    assert (
        choices.title("bpe?corpus=hug&min=2&step=3&nonsense=1") == title
    )  # in words, not as the address has it
    use_language("ja")
    assert choices.title("bpe?corpus=hug&min=2") == "BPE：hug, pug, pun, bun, hugs、ペアの最小回数：2"
    use_language("en")
    assert choices.title("hub?name=openai-community/gpt2") == "GPT-2"
    assert choices.title("hub?name=some/one") == "some/one"
    assert choices.title("file?vocab.json=1&merges.txt=2") == "vocab.json + merges.txt"
    assert len(choices.title("nonsense" * 100)) <= choices.TITLE_CHARACTERS


def test_a_public_tokenizer_is_in_the_list_under_each_of_its_names() -> None:
    """Another one under the same title would be “GPT-2 (2)”. Oracle: the hub's own names of this
    repository."""
    for name in ("gpt2", "hf.co/gpt2/tree/main", "openai-community/gpt2"):
        assert choices.as_listed(f"hub?name={name}") == choices.GPT2
    for other in ("hub?name=gpt22", "file?gpt2=1", "nonsense"):
        assert choices.as_listed(other) == other


def bringing(specs: list[str]) -> None:
    """A page with somebody's own tokenizers."""
    from tokensteps.catalogue.choices import bring

    for spec in specs:
        bring(spec)


def test_the_latest_loaded_tokenizers_are_offered() -> None:
    """One file under many names, one of them brought twice."""
    files = TokenizerSpec.parse(upload_spec({"vocab.txt": b"[PAD]\n[UNK]\nthe\n##s\n"}))
    specs = [files.set(name=f"number {number}").write() for number in range(BROUGHT_REMEMBERED + 3)]
    app = AppTest.from_function(bringing, args=([*specs, specs[-3]],), default_timeout=300).run()
    assert not app.exception
    latest = [specs[-3], specs[-1], specs[-2], *specs[-4::-1]]
    assert app.session_state["catalogue.brought"] == latest[:BROUGHT_REMEMBERED]


def running(sizes: list[int]) -> None:
    """A page on which somebody trains to these sizes, and stops at each one's step."""
    from tokensteps.catalogue.choices import remember_run

    for step, size in enumerate(sizes):
        remember_run("bpe", {"corpus": "hug", "size": f"{size}", "text": None}, step)


def test_the_latest_runs_are_offered_at_their_step() -> None:
    """One of them looked at twice."""
    sizes = [*range(10, 10 + RUNS_REMEMBERED + 1)]
    app = AppTest.from_function(running, args=([*sizes, 12],), default_timeout=300).run()
    assert not app.exception
    latest = {f"bpe?corpus=hug&size={size}": size - 10 for size in sizes[1:] if size != 12}
    runs = app.session_state["catalogue.runs"]
    assert [*runs.items()] == [*latest.items(), ("bpe?corpus=hug&size=12", len(sizes))]


# --- analyses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", TEXTS_TRIED)
def test_runs_give_back_text_and_tokens(kind: str, text: str) -> None:
    analysis = analyse(subject(kind), text)
    runs = analysis.runs(0, len(analysis.stretches))
    assert "".join(run.text for run in runs) == text
    assert [piece.id for run in runs for piece in run.pieces] == list(analysis.ids)
    middle = len(analysis.stretches) // 2
    assert analysis.runs(0, middle) + analysis.runs(middle, len(analysis.stretches)) == runs
    assert sum(analysis.occurrences.values()) == len(analysis)


def test_figures_of_an_analysis() -> None:
    analysis = analyse(subject("wordpiece"), "the zzz 茶")
    assert (
        analysis.unknown == 1 == sum(token == "[UNK]" for token in map(analysis.subject.token, analysis.ids))
    )
    assert (analysis.counts.words, analysis.counts.characters, analysis.counts.bytes) == (3, 9, 11)
    assert analysis.per_word == len(analysis) / 3 and analysis.bytes_per_token == 11 / len(analysis)
    empty = analyse(subject("bpe"), "")
    assert (empty.per_word, empty.bytes_per_token, len(empty)) == (None, None, 0)


def test_special_tokens_in_the_text_are_found_or_are_text() -> None:
    one = subject("bpe")
    result, plain = analyse(one, "<|end|>"), analyse(one, "<|end|>", specials=False)
    assert len(result) == 1 < len(plain) and plain.unknown == 0
    assert b"".join(map(one.token_bytes, plain.ids)) == b"<|end|>"


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (r"a\nb", "a\nb"), (r"\t\r\0\\n", "\t\r\0\\n"), (r"\x41\u3053\U0001F375", "Aこ🍵"), (r"\ud83c\udf75", "🍵"),
        (r"\ud83c", "\ufffd"), (r"\q \x4 \u12 \U00110000", r"\q \x4 \u12 \U00110000"), ("\\", "\\"), ("", ""),
    ],
)  # fmt: skip
def test_escapes(typed: str, read: str) -> None:
    assert interpret_escapes(typed) == read


@given(st.text(st.characters(exclude_characters="\\", exclude_categories=["Cs"])))
def test_text_without_a_backslash_has_no_escapes(text: str) -> None:
    assert interpret_escapes(text) == text


def test_a_card_agrees_with_the_trace() -> None:
    one = subject("bpe")
    assert isinstance(one, TrainedSubject)
    analysis = analyse(one, "the the rats")
    identifier = analysis.ids[1]
    card = Tags(cards_html(analysis, analysis.runs(0, 9))[identifier]).text
    facts = one.facts(identifier)
    assert facts.rank is not None and facts.freq is not None and facts.parts is not None
    assert (
        f"Id{identifier}" in card
        and f"Rank{facts.rank}" in card
        and f"Pair's count at merge{facts.freq}" in card
    )
    assert f"{analysis.occurrences[identifier]} time" in card or "once in this text" in card
    piece = analyse(subject("unigram"), "the").ids[0]
    assert "Log probability-" in Tags(token_facts_html(subject("unigram"), piece)).text


def test_bytes_are_those_of_the_text() -> None:
    """With any spelling of tokens: prefixes, signs for spaces, unknown tokens."""
    for kind in KINDS:
        for text in (TEXT, MULTILINGUAL, " the  cats"):
            analysis = analyse(subject(kind), text)
            pieces = [piece for run in analysis.runs(0, len(analysis.stretches)) for piece in run.pieces]
            for run in analysis.runs(0, len(analysis.stretches)):
                if run.pieces and not any(piece.unknown for piece in run.pieces):
                    assert b"".join(piece.data for piece in run.pieces) == run.text.encode()
            assert [piece.data for piece in pieces] == [
                analysis.bytes_at(index) for index in range(len(analysis))
            ]


def test_a_mark_put_in_front_of_a_word_stands_for_no_text() -> None:
    analysis = analyse(subject("unigram"), "zthe the")
    tokens = [analysis.subject.token(identifier) for identifier in analysis.ids]
    assert tokens[0] == "▁" and analysis.offsets[0] == (0, 0)
    assert all(run.text or run.pieces[0].token == "▁" for run in analysis.runs(0, 99))


# --- side by side -------------------------------------------------------------------------------------------


def three(text: str) -> dict[str, Analysis]:
    return {letter: analyse(subject(kind, HOSTILE), text) for letter, kind in zip("ABC", KINDS, strict=True)}


@pytest.mark.parametrize("text", TEXTS_TRIED)
def test_aligned_rows_hold_the_text_and_no_markup_of_it(text: str) -> None:
    parsed = Tags(side_by_side.aligned_html(three(text)))
    assert parsed.tags <= {"div", "p", "span", "i", "bdi", "sup", "small"}
    assert parsed.attributes <= {"class", "dir", "aria-hidden"}
    assert HOSTILE.replace("\u202e", "") in parsed.text.replace("\u202e", "")  # the tokenizer's name, as text


def test_unknown_characters_are_marked_and_no_shared_boundaries() -> None:
    """Byte-level BPE knows every character, WordPiece doesn't know ж: one of three boundaries of “the ж the”
    is where both know the token."""
    analyses = {
        letter: analyse(subject(kind), "the ж the", specials=False)
        for letter, kind in zip("AB", ("bpe", "wordpiece"), strict=True)
    }
    _legend, line = side_by_side.aligned_lines(analyses)
    assert line.count(">unk<") == 1 and '<span class="b differ">' in line
    assert (
        side_by_side.agreement_table(analyses)["A"]["B"] == 50
    )  # ж and the second “the”: only that is shared


def test_counts_and_words() -> None:
    analyses = three(TEXT)
    table = side_by_side.text_counts_table(analyses)
    assert list(table["Tokens"]) == [len(analysis) for analysis in analyses.values()]
    words = side_by_side.costliest_words(analyses)
    assert (
        set(words["word"]) == set(TEXT.split())
        and dict(zip(words["word"], words["occurrences"], strict=True))["the"] == 4
    )
    most = words[["A", "B", "C"]].max(axis=1)
    assert list(most) == sorted(most, reverse=True)
    assert side_by_side.costliest_words(three(" ")).empty
    parsed = Tags(
        side_by_side.words_html(
            {letter: analysis.subject for letter, analysis in analyses.items()}, [HOSTILE]
        )
    )
    assert parsed.tags <= {"div", "span", "i", "bdi", "sup", "small"}


def test_languages() -> None:
    rows = side_by_side.fertilities({"A": subject("bpe"), "B": subject("wordpiece")})
    assert len(rows) == len(SENTENCES) and rows[0].premium(0, rows[0]) == 1
    greek = next(row for row in rows if row.language == "Greek")
    assert greek.unknown[0] == 0 < greek.unknown[1]
    assert greek.premium(1, rows[0]) is None  # a few unknown tokens are no saving
    assert greek.tokens[0] > 2 * rows[0].tokens[0]  # two bytes a letter, and none of them merged
    table = side_by_side.fertility_table(rows, "AB")
    assert list(table["Tokens A"]) == [row.tokens[0] for row in rows]


def test_charts_read_no_tags_in_names() -> None:
    figure = counts_chart(three(TEXT))
    assert all("<" not in name for name in figure.data[0].y)
    assert figure.layout.yaxis.type == "category"
    assert len(languages_chart(side_by_side.fertilities({"A": subject("bpe")}), "A").data) == 1


# --- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [TEXT, MULTILINGUAL, HOSTILE, ""])
def test_files_hold_every_token(kind: str, text: str) -> None:
    analysis = analyse(subject(kind, HOSTILE), text)
    rows = list(
        csv.DictReader(io.StringIO(play_files.tokens_sheet(analysis).decode("utf-8-sig"), newline=""))
    )
    assert [int(row["id"]) for row in rows] == list(analysis.ids)
    assert not any(
        cell.startswith(("=", "+", "-", "@", "\t", "\r"))
        for row in rows
        for cell in (row["token"], row["text"])
    )
    plain = list(csv.DictReader(io.StringIO(play_files.tokens_csv(analysis), newline="")))
    assert [row["text"] for row in plain] == [text[start:end] for start, end in analysis.offsets]
    assert [row["token"] for row in plain] == [
        analysis.subject.token(identifier) for identifier in analysis.ids
    ]
    data = json.loads(play_files.tokens_json(analysis))
    assert data["text"] == text and [token["id"] for token in data["tokens"]] == list(analysis.ids)
    assert all(text[token["start"] : token["end"]] == token["text"] for token in data["tokens"])
    assert data["counts"]["tokens"] == len(analysis) and data["tokenizer"] == HOSTILE


@pytest.mark.parametrize("text", [TEXT, MULTILINGUAL, HOSTILE, ""])
def test_the_page_of_html_is_inert(text: str) -> None:
    page = play_files.tokens_html(analyse(subject("bpe", HOSTILE), text), Shown())
    parsed = Tags(page)
    assert parsed.tags <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "dl", "dt", "dd", "div", "p", "bdi", "wbr", "i", "span",
    }  # fmt: skip
    assert not {name for name in parsed.attributes if name.startswith("on") or name in ("src", "href")}
    assert "default-src 'none'" in page and "url(" not in page and "http:" not in page


def test_a_long_text_is_cut_in_the_page_with_a_note() -> None:
    page = play_files.tokens_html(analyse(subject("bpe"), "the rats " * 15_000), Shown())
    assert "The first 20,00" in page


def test_the_benchmark_measures_the_pages_own_analyses() -> None:
    """Its analyses don't use the page's cache; an earlier change of analyses had missed them."""
    mine = subject("bpe")
    assert counted(mine, "hug pugs")[0] == len(analyse(mine, "hug pugs"))
    assert drawn(mine, "hug pugs")


def test_a_name_behind_thousands_of_added_tokens_is_found() -> None:
    """A configuration is sorted, so that `name_or_path` comes after the added tokens: a megabyte of them, in
    Gemma 3's."""
    added = {str(number): {"content": f"<unused{number}>", "special": False} for number in range(6_000)}
    config = json.dumps({"added_tokens_decoder": added, "name_or_path": "me/mine"}).encode()
    assert len(config) > 250_000
    assert (
        TokenizerSpec.parse(upload_spec({"vocab.txt": b"a", "config.json": config})).setting("name")
        == "me/mine"
    )
