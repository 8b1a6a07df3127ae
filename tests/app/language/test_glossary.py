"""The glossary and its marks (`tokensteps/language/terms.py`, `glossary.py`, `marks.py`), and the texts of
the tour (`tokensteps/teaching/tour.py`).

Source: the README's promise that every technical word is explained in place. Oracles: markup written out by
hand; `html.parser`, which reads it back; the pages' own reading of links; the engine's step behind a link;
frames of the examples.
"""

from __future__ import annotations

import gettext
import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.app.drawing.test_tokens import HOSTILE, Read, text
from tokensteps.drawing.encoding import encoding_frame, match_frame
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.handout import handout, standalone_run
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.tokens import Style, chip, lit_chip
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.drawing.training.pruning import prune_frame
from tokensteps.language import i18n
from tokensteps.language.glossary import definitions, entry_html, forms_of, matches, synonyms
from tokensteps.language.marks import (
    MARKS_IN_FRAME,
    fill_marked,
    first_marks,
    lead_html,
    marked,
    marks_in,
    unmarked,
)
from tokensteps.language.pages import PAGES
from tokensteps.language.terms import SECTIONS, TERMS, Term
from tokensteps.runs.algorithms import ALGORITHMS, BPE, UNIGRAM, WORDPIECE, trace_at
from tokensteps.runs.settings import read_url
from tokensteps.teaching.scenes.scene_questions import SCENES
from tokensteps.teaching.tour import STOPS, tour

ROOT = Path(__file__).resolve().parents[3]
LINKED = [term for term in TERMS.values() if term.page]


def plain(markup: str) -> str:
    """Marks written short: `[tie:Tied]`."""
    return re.sub(
        r'<span class="term" role="button" tabindex="0" data-term="(\w+)">(.*?)</span>', r"[\1:\2]", markup
    )


# --- the entries --------------------------------------------------------------------------------------------


def test_every_term_is_defined_once() -> None:
    listed = [term for section in SECTIONS for term in section.terms]
    assert len(listed) == len(TERMS) >= 35
    forms = [form.casefold() for term in listed for form in set(forms_of(term))]
    assert len(set(forms)) >= len(forms) - 1  # Forward–backward, in either case
    for term in listed:
        assert re.fullmatch(r"\w+", term.id)
        assert term.name and forms_of(term)
        sentences = re.split(r"(?<=[.:;]) (?=[A-Z])", term.definition)
        assert 1 <= len(sentences) <= 3 and term.definition.endswith((".", ".]")), term.definition
        assert 30 < len(term.definition) < 200, term.definition


@pytest.mark.parametrize("term", LINKED, ids=lambda term: term.id)
def test_every_link_opens(term: Term) -> None:
    """The page is there, reads the link without a complaint, and the run has the step."""
    assert (ROOT / PAGES[term.page].script).is_file()
    if term.page == "matters":
        assert {*term.query} <= {"scene"} and term.query.get("scene", "letters") in SCENES
        return
    if term.page not in ALGORITHMS:
        assert not term.query
        return
    query = dict(term.query)
    step = int(query.pop("step", "0"))
    rules = ALGORITHMS[term.page].rules
    assert read_url(term.page, rules, query).complaints == []
    assert {*query} <= {"corpus", *(rule.name for rule in rules)}
    assert step <= len(trace_at(ALGORITHMS[term.page], **query))


def test_links_show_the_promised_example() -> None:
    def event(name: str) -> Any:
        query = {key: value for key, value in TERMS[name].query.items() if key != "step"}
        return trace_at(ALGORITHMS[TERMS[name].page], **query)[int(TERMS[name].query["step"])].event

    assert event("tie").tied_count > 1 and event("tie_rule").tied_count > 1
    assert event("merge").kind == event("score").kind == "merge"
    assert event("prune").kind == event("loss").kind == event("round").kind == "prune"
    assert (event("e_step").kind, event("m_step").kind) == ("e_step", "m_step")


def test_entries_are_found_by_name_form_or_definition() -> None:
    assert matches(TERMS["tie"], " TIED ") and matches(TERMS["tie"], "equally good")
    assert not matches(TERMS["tie"], "lattice")
    assert all(matches(term, "") for term in TERMS.values())


def test_entries_are_found_by_synonyms() -> None:
    for term in TERMS.values():
        assert len(synonyms(term)) >= 2, term.id
        assert all(matches(term, name.upper()) for name in synonyms(term))
        assert f'<dd class="also">Also: {", ".join(synonyms(term))}</dd>' in entry_html(term)
    results = {
        name: [term.id for term in TERMS.values() if matches(term, name)] for name in ("bigram", "vocab")
    }
    assert results["bigram"] == ["pair"] and "vocabulary" in results["vocab"]


def test_an_entry_is_a_definition_with_an_address() -> None:
    assert '<dt id="term-tie">Tie</dt>' in entry_html(TERMS["tie"])
    assert "&lt;unk&gt;" in entry_html(TERMS["unknown"])
    assert "wanted" in entry_html(TERMS["tie"], True) and "wanted" not in entry_html(TERMS["tie"])


# --- marks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Tied with {pairs}.", "[tie:Tied] with {pairs}."),
        ("merged, MERGES & merge", "[merge:merged], MERGES &amp; merge"),
        ("the best split of a split", "the [best_split:best split] of a [split:split]"),
        ("retokenized and unpaired and subtoken", "retokenized and unpaired and subtoken"),
        ("Tokenizers and pre-tokenizers", "[tokenizer:Tokenizers] and [pre_tokenizer:pre-tokenizers]"),
        ("pre-token; re-merge, merge-ready", "[word:pre-token]; re-merge, merge-ready"),
        ("EM, em and Viterbi, viterbi", "[em:EM], em and [viterbi:Viterbi], viterbi"),
        ("{token} {pair:>3} a token", "{token} {pair:&gt;3} a [token:token]"),
        ("tokenと{n}個のpair、##", "[token:token]と{n}個の[pair:pair]、[continuation:##]"),
        ("<b>token</b>", "&lt;b&gt;[token:token]&lt;/b&gt;"),
        ("", ""),
    ],
)
def test_marks(message: str, expected: str) -> None:
    assert plain(marked(message)) == expected


def test_terms_already_seen_are_not_marked_again() -> None:
    seen = {"tie"}
    assert plain(marked("tied pair", seen)) == "tied [pair:pair]"
    assert seen == {"tie", "pair"}
    assert plain(marked("a pair", seen)) == "a pair"


def test_fields_are_markup_already() -> None:
    assert plain(fill_marked("{pair} is a pair", pair="<i>token</i>")) == "<i>token</i> is a [pair:pair]"


def test_words_without_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chinese forms are found inside running text, the longest first; marks of one language never reach
    another."""
    everywhere = {term.forms: "" for term in TERMS.values()}
    forms = {TERMS["tie"].forms: "并列", TERMS["tie_rule"].forms: "并列规则", TERMS["pair"].forms: "词对|对"}
    everywhere |= forms
    translation = gettext.NullTranslations()
    translation.gettext = lambda message: (
        everywhere.get(message)
        or (  # type: ignore[method-assign]
            "无" if message in everywhere else message
        )
    )
    monkeypatch.setitem(i18n.LANGUAGES, "made up", "中文")
    monkeypatch.setattr(i18n, "catalogue", lambda language: translation)
    before = i18n.current_language()
    try:
        i18n.use_language("made up")
        text = plain(marked("按并列规则，{n}个词对并列，对。"))
        assert text == "按[tie_rule:并列规则]，{n}个[pair:词对][tie:并列]，对。"
    finally:
        i18n.use_language(before)


@given(text)
def test_any_text_stays_text(message: str) -> None:
    """Read back, the markup is the text again; no other element or attribute comes of it."""
    read = Read(marked(message))
    assert read.tags <= {"span"}
    assert {name for name, _ in read.attributes} <= {"class", "role", "tabindex", "data-term"}
    assert unmarked(marked(message)) == escape(message, quote=False)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_never_becomes_a_tag(hostile: str) -> None:
    assert Read(lead_html(f"A token {hostile}")).tags == {"div", "p", "span"}
    assert "script" not in Read(marked(f"{hostile} token")).tags


def test_a_frame_keeps_the_first_marks() -> None:
    html = first_marks("".join(marked(f"<{word}>") for word in ("tied", "pair", "tie", "pairs")))
    assert plain(html) == "&lt;[tie:tied]&gt;&lt;[pair:pair]&gt;&lt;tie&gt;&lt;pairs&gt;"
    many = first_marks(" ".join(marked(term.name) for term in TERMS.values()))
    assert len(marks_in(many)) == MARKS_IN_FRAME
    assert unmarked(marked("a token")) == "a token"


def test_a_token_s_sign_is_marked_where_it_first_stands() -> None:
    """In a chip, never in a button (it can't hold another one); a sign in the middle of a token, or outside
    of one, is none."""
    byte_level, plain_style = Style(byte_level=True), Style()
    shown = {
        "space_markers": [
            ("Ġt", byte_level, "Ġ"),
            ("▁t", plain_style, "▁"),
            ("Ġt", Style(True, "spaces"), "␣"),
        ],
        "continuation": [("##t", plain_style, "##")],
        "end_of_word": [("t</w>", plain_style, "&lt;/w&gt;")],
    }
    for name, cases in shown.items():
        for token, style, sign in cases:
            drawn = chip(token, style)
            assert plain(first_marks(drawn * 2)) == drawn.replace(sign, f"[{name}:{sign}]") + drawn
            assert first_marks(f"<button>{drawn}</button>") == f"<button>{drawn}</button>"
            lit = lit_chip(token, "0123456789", style, "hot")
            assert plain(first_marks(f"<button>{drawn}</button>{lit}")).count(f"[{name}:{sign}]") == 1
            assert unmarked(first_marks(drawn)) == drawn
            assert {*definitions(marks_in(first_marks(drawn)))} == {name}
    for token in ("t▁", "a##b", "</w>t", "t␣"):
        assert first_marks(chip(token)) == chip(token)
    assert first_marks("<p>▁ ##</p>") == "<p>▁ ##</p>"


def frames() -> Iterator[tuple[str, Frame]]:
    """Frames of every kind: the runs of an example, all steps, and words encoded with them."""
    style = Style()
    for corpus in ("hug", "course"):
        bpe, wordpiece = trace_at(BPE, corpus=corpus), trace_at(WORDPIECE, corpus=corpus)
        for step in range(len(bpe) + 1):
            yield f"bpe {step}", merge_frame(bpe[step], style)
        for step in range(len(wordpiece) + 1):
            yield f"wordpiece {step}", wordpiece_frame(wordpiece[step], style)
        for trace, draw in ((bpe, encoding_frame), (wordpiece, match_frame)):
            story: Any = trace.tokenizer().explain(trace.corpus.words[0])
            for step in range(len(story) + 1):
                yield f"encoding {step}", draw(story[step], style)
    for method in ("course", "sentencepiece"):
        unigram = trace_at(UNIGRAM, corpus="hug", method=method)
        for step in range(len(unigram) + 1):
            yield f"{method} {step}", prune_frame(unigram[step], style)
        lattice: Any = unigram.tokenizer().explain("hugs")
        for step in range(len(lattice) + 1):
            yield f"lattice {step}", lattice_frame(lattice[step], style)


def test_frames_mark_terms_once_and_few() -> None:
    used: set[str] = set()
    for name, frame in frames():
        marks = marks_in(frame.html)
        assert frame.html.count("data-term=") == len(marks) == len(set(marks)) <= MARKS_IN_FRAME, name
        assert {*marks} <= {*TERMS}
        assert "data-term" not in frame.say + frame.label + frame.status
        assert not any(TERMS[mark].definition in frame.html for mark in marks)
        used |= {*marks}
    assert {
        "merge",
        "pair",
        "tie",
        "score",
        "piece",
        "prune",
        "loss",
        "e_step",
        "m_step",
        "posterior",
    } <= used


# --- the handout --------------------------------------------------------------------------------------------


def embedded(page: str) -> Any:
    """The definitions in a handout."""
    match = re.search(r'<script type="application/json" id="terms">(.*?)</script>', page, re.DOTALL)
    assert match
    return json.loads(match[1])


def test_a_handout_holds_the_definitions_it_marks() -> None:
    trace = trace_at(BPE, corpus="hug")
    page = handout("hug", len(trace), lambda step: merge_frame(trace[step], Style()))
    marks = {*re.findall(r"data-term=(?:\\?\"|\\u0022)(\w+)", page)} - {"${held[name]}"}
    terms = embedded(page)["terms"]
    assert marks and {*terms} == marks
    assert {name: tuple(text) for name, text in terms.items()} == definitions(sorted(marks))
    assert "href" not in embedded(page)  # there is no glossary to go to


def test_a_hostile_definition_stays_in_its_element() -> None:
    data = json.dumps({"first": 0, "last": 0, "frames": [{}]}).encode()
    page = standalone_run("x", data, terms={"tie": ("</script><b>", "<!--")})
    assert embedded(page)["terms"] == {"tie": ["</script><b>", "<!--"]}


# --- the tour -----------------------------------------------------------------------------------------------


def test_every_training_page_has_a_tour() -> None:
    assert {*STOPS} == {*ALGORITHMS}
    for page, stops in STOPS.items():
        assert 6 <= len(stops) <= 8
        text = tour(page)
        wanted = tour(page, predict=True)["stops"]
        assert [stop["title"] for stop in wanted if stop not in text["stops"]] == [
            "The question",
            stops[-2].title,
        ]
        assert [stop["title"] for stop in text["stops"]] == [stop.title for stop in stops]
        assert all(0 < len(stop["text"]) < 200 for stop in text["stops"])
        assert not any("{" in stop["host"] + stop["inside"] for stop in text["stops"])
        assert {"{place}", "{number}"} <= {*re.findall(r"\{\w+\}", text["labels"]["place"])}
