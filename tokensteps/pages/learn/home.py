"""The home page: what a token is, why subwords, three algorithms at a glance, a way through the app, and lesson plans.

All figures are counted here or come from runs of the engine; functions that end in `_html` return markup and draw nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from html import escape
from typing import Any, NamedTuple

import regex
import streamlit as st

from tokenizers_core import Corpus, train_bpe
from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue.analysis import Analysis, analyse
from tokensteps.catalogue.subjects import Subject, TrainedSubject
from tokensteps.components.address import in_links, page_address
from tokensteps.drawing.chips import Piece, line_html
from tokensteps.drawing.tokens import PLAIN, Style, chip, chips, colour, fill, token_html
from tokensteps.drawing.training.merging import TELL_BPE, TELL_WORDPIECE, Markup, Voice
from tokensteps.drawing.training.pruning import TELL
from tokensteps.language.i18n import N_, _, count, current_language, ngettext, sentences, use_language
from tokensteps.limits import PACK_LIMIT, SENTENCE_LIMIT
from tokensteps.runs.algorithms import ALGORITHMS, Run
from tokensteps.runs.corpora import EXAMPLES, pack_text, plain_text
from tokensteps.runs.settings import corpus_title, read_short, read_url, write_short
from tokensteps.server.cache import remembered, text_store
from tokensteps.shell.language import page_link
from tokensteps.streamlit_internals import text_in_browser
from tokensteps.teaching.errata import trace_of
from tokensteps.teaching.lessons import (
    COMPARE,
    LESSONS,
    PIPELINE,
    PRACTICE,
    SEED,
    STATIONS,
    Lesson,
    Link,
    facts,
    lesson_page,
    told,
)
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.downloads import download
from tokensteps.widgets.notes import explained, lasting, note, problem
from tokensteps.widgets.tour import titled

SENTENCE = "This unreadable handwriting is still a string of characters."
PIECES_SHOWN = 120
"""Pieces in a row of the comparison; the rest is counted, not drawn."""
CORPUS = "library"
SPEC_QUERY = {"corpus": CORPUS, "size": "2000"}
"""The tokenizer of this page. Its vocabulary is smaller than the number of different words in its corpus: that is the point."""
SPEC = "bpe?" + "&".join(f"{name}={value}" for name, value in SPEC_QUERY.items())
WORD = regex.compile(r"[\w\p{M}]+|[^\w\s\p{M}]+")
"""A word, for the comparison: letters and digits, or signs, that stand together."""

WATCH = Link(N_("Watch this tokenizer being trained"), "bpe", SPEC_QUERY)
GROWING = Link(N_("Step through BPE on four sentences"), "bpe", {"corpus": "course"})
MORE: tuple[Link, ...] = (
    Link(N_("Train on a page of your own text"), "bpe", {"corpus": "paste"}),
    SEED,
    Link(N_("Paste a text and see its tokens"), "playground"),
    PIPELINE,
    Link(N_("A new tokenizer from an old one, for other text"), "renew"),
)
"""What the way through the app leaves out."""

GROWING_STYLE = Style(byte_level=True)
GROWING_STAGES = (0, 6, 12, 19)
GROWING_WORDS = ("Ġtokenization", "Ġtokenizer", "Ġtokens")


def key(name: str) -> str:
    """A widget's key, the page's own."""
    return f"home.{name}"


# --- The visitor's sentence -------------------------------------------------------------------------------------------


def sentence_html(analysis: Analysis) -> str:
    """The tokens of a sentence as chips, each with its id. Tokens that share a character share a chip."""
    drawn = [
        (
            f'<span class="id"><bdi class="t c{colour(run.pieces[0].token) if run.pieces else 0}">{token_html(run.text)}</bdi>'
            f"<small>{' '.join(str(piece.id) for piece in run.pieces)}</small></span>",
            run.text,
        )
        for run in analysis.runs(0, len(analysis.stretches))
    ]
    label = escape(_("Tokens"))
    return f'<div class="ts encoded first-tokens" role="group" aria-label="{label}">{line_html(drawn)}</div>'


def sentence_counts_html(analysis: Analysis) -> str:
    """How many tokens and characters, and what the numbers and signs are."""
    tokens = ngettext("{number} token", "{number} tokens", len(analysis)).format(number=count(len(analysis)))
    length = len(analysis.text)
    characters = ngettext("{number} character", "{number} characters", length).format(number=count(length))
    message = _(
        "{tokens} for {characters}. The model gets only the numbers under them. ␣ is a space, part of the token that it begins."
    )
    return f'<p class="ts first-counts">{fill(message, tokens=f"<b>{tokens}</b>", characters=f"<b>{characters}</b>")}</p>'


def whose_html(subject: TrainedSubject, corpus: CorpusFacts) -> str:
    """Which tokenizer cuts the sentence."""
    message = _(
        "Cut by a byte-level BPE tokenizer with {size} tokens, trained on this server with this app. Its corpus is “{title}”: {length} "
        "characters."
    )
    shown = fill(
        message,
        size=count(subject.size),
        title=escape(corpus_title(CORPUS)),
        length=count(corpus.length),
    )
    return f'<p class="ts first-whose">{shown}</p>'


class CorpusFacts(NamedTuple):
    """What a corpus has: its length in characters, its different characters, its different words."""

    length: int
    characters: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=2)
def corpus_facts(name: str) -> CorpusFacts:
    """Count an example."""
    text = EXAMPLES[name].text()
    return CorpusFacts(len(text), frozenset(text), frozenset(WORD.findall(text)))


class Way(NamedTuple):
    """One way to cut a sentence."""

    name: str
    chips: tuple[tuple[str, str], ...]
    """Its pieces: the markup of each, and the text where it stands."""
    vocabulary: int
    unknown: tuple[str, ...]
    cost: str
    """Markup."""


def ways(analysis: Analysis, corpus: CorpusFacts) -> tuple[Way, Way, Way]:
    """A sentence as characters, as words and as subwords, with a vocabulary from the same corpus each."""
    text, subject = analysis.text, analysis.subject
    words = WORD.findall(text)
    different = list(dict.fromkeys(words))
    odd = tuple(word for word in different if not corpus.characters.issuperset(word))
    new = tuple(word for word in different if word not in corpus.words)
    # A word is unknown to the tokenizer where a token that stands for it is.
    lost_places = [
        analysis.offsets[place]
        for place, identifier in enumerate(analysis.ids)
        if identifier == subject.unknown_id
    ]
    lost = tuple(
        dict.fromkeys(
            match[0]
            for match in WORD.finditer(text)
            if any(start < match.end() and match.start() < end for start, end in lost_places)
        )
    )
    characters = _(
        "A small vocabulary, but every letter is a step for the model, and says little by itself: {number} of them here."
    )
    whole = _(
        "Few pieces, but every form of a word needs an entry of its own, and the corpus never had all words."
    )
    if new:
        chips_shown = " ".join(chip(word, PLAIN, "s") for word in new[:6]) + (" …" if len(new) > 6 else "")
        here = fill(_("Here all it can say is “unknown” for {words}."), words=chips_shown)
    else:
        here = escape(_("This sentence has only words of the corpus: try a rare one."))
    subwords = _(
        "Frequent words stay whole, rare ones are spelled with pieces; in the worst case, with single bytes. The price: someone has to "
        "learn the pieces, and that is what this app shows."
    )
    return (
        Way(
            _("Characters"),
            tuple(
                (_plain_chip(character, character not in corpus.characters), character) for character in text
            ),
            len(corpus.characters),
            odd,
            fill(characters, number=count(len(text))),
        ),
        Way(
            _("Words"),
            tuple((_plain_chip(word, word not in corpus.words), word) for word in words),
            len(corpus.words),
            new,
            sentences(escape(whole), here),
        ),
        Way(
            _("Subwords"),
            tuple(
                (_token_chip(piece, run.text if len(run.pieces) == 1 else "", subject), run.text)
                for run in analysis.runs(0, len(analysis.stretches))
                for piece in run.pieces
            ),
            subject.size,
            lost,
            escape(subwords),
        ),
    )


def _plain_chip(text: str, unknown: bool) -> str:
    """A character or a word; dashed where the vocabulary has no entry for it."""
    return chip(text, PLAIN, "u" if unknown else "")


def _token_chip(piece: Piece, text: str, subject: Subject) -> str:
    """A token in its own colour by the text that it stands for, or by its bytes where it has only some of a character."""
    shown = text or subject.token_bytes(piece.id).decode("utf-8", "surrogateescape")
    return f'<bdi class="t c{colour(piece.token)}{" u" if piece.unknown else ""}">{token_html(shown)}</bdi>'


def ways_html(analysis: Analysis, corpus: CorpusFacts) -> str:
    """The three ways, a row each."""
    rows = ""
    for way in ways(analysis, corpus):
        shown = line_html(way.chips[:PIECES_SHOWN])
        if len(way.chips) > PIECES_SHOWN:
            more = len(way.chips) - PIECES_SHOWN
            left_out = ngettext("… {number} more", "… {number} more", more).format(number=count(more))
            shown += f'<span class="cut">{escape(left_out)}</span>'
        figures = (
            (_("Pieces"), len(way.chips), ""),
            (_("Vocabulary"), way.vocabulary, ""),
            (_("Unknown words"), len(way.unknown), "warn" if way.unknown else ""),
        )
        cells = "".join(
            f'<div class="{kind}"><dt>{escape(name)}</dt><dd>{count(number)}</dd></div>'
            for name, number, kind in figures
        )
        rows += (
            f'<section><div><h3>{escape(way.name)}</h3><dl class="ts counts">{cells}</dl></div>'
            f'<div><div class="pieces">{shown}</div><p class="cost">{way.cost}</p></div></section>'
        )
    return f'<div class="ts ways">{rows}</div>'


# --- The three algorithms ---------------------------------------------------------------------------------------------


class Column(NamedTuple):
    """An algorithm in the table: what it does, row by row (markup), and the step that shows it."""

    name: str
    cells: tuple[str, ...]
    link: Link


ROWS = (
    N_("Starts from"),
    N_("Each step"),
    N_("Chooses by"),
    N_("First step on five words"),
    N_("Ends when"),
    N_("Encodes a word by"),
    N_("Used in"),
)


def _first_step(trace: Any, tell: Mapping[str, Callable[[Any, Voice], tuple[str, str]]]) -> str:
    """What the page of an algorithm says of its first step."""
    snapshot = trace[1]
    lead, _detail = tell[snapshot.event.kind](snapshot, Markup(PLAIN))
    return lead


def _encoded(how: str, trace: Any) -> str:
    """How the trained tokenizer cuts, and what becomes of a word that the corpus doesn't have."""
    tokens = chips(trace.tokenizer(len(trace)).encode("bug").tokens)
    here = fill(_("For the five words, bug becomes {tokens}"), tokens=f'<span class="row">{tokens}</span>')
    return sentences(escape(how), here)


def columns() -> tuple[Column, ...]:
    """The table's columns: all that is said of the five words comes from their runs."""
    bpe, wordpiece = trace_of("bpe", corpus="hug"), trace_of("wordpiece", corpus="hug")
    unigram = trace_of("unigram", corpus="hug")
    symbols = _("the characters of the corpus: {tokens}")
    merged = _("no pair is left, or the vocabulary is full. Here after {steps} merges: {size} tokens")
    see = N_("See this step: {algorithm}")
    return (
        Column(
            "BPE",
            (
                fill(symbols, tokens=f'<span class="row">{chips(bpe[0].vocab)}</span>'),
                escape(_("merges a pair of neighbours into one token, everywhere")),
                escape(_("how often the pair stands in the corpus")),
                _first_step(bpe, TELL_BPE),
                fill(merged, steps=count(len(bpe)), size=count(bpe.vocab_sizes[-1])),
                _encoded(_("repeating the merges in the order in which they were learned."), bpe),
                "GPT-2, GPT-4, RoBERTa, Llama 3",
            ),
            Link(see, "bpe", {"corpus": "hug", "step": "1"}),
        ),
        Column(
            "WordPiece",
            (
                fill(
                    _("the same characters; ## marks what continues a word: {tokens}"),
                    tokens=f'<span class="row">{chips(wordpiece[0].vocab)}</span>',
                ),
                escape(_("merges a pair of neighbours, as BPE does")),
                escape(_("how often the pair stands, divided by the product of how often its two parts do")),
                _first_step(wordpiece, TELL_WORDPIECE),
                fill(merged, steps=count(len(wordpiece)), size=count(wordpiece.vocab_sizes[-1])),
                _encoded(_("taking the longest token that fits, again and again, from the left."), wordpiece),
                "BERT, DistilBERT, ELECTRA",
            ),
            Link(see, "wordpiece", {"corpus": "hug", "step": "1"}),
        ),
        Column(
            "Unigram",
            (
                fill(
                    _("many pieces, here {number}: the characters and the most frequent substrings {tokens}"),
                    number=count(len(unigram.seed)),
                    tokens=f'<span class="row">{chips(piece for piece, _count in unigram.seed if len(piece) > 1)}</span>',
                ),
                escape(_("drops a piece that is missed least")),
                escape(_("the loss: how much less probable the corpus would be without the piece")),
                _first_step(unigram, TELL),
                fill(
                    _(
                        "the vocabulary is small enough; characters stay. Here after {steps} prunes: {size} pieces"
                    ),
                    steps=count(len(unigram)),
                    size=count(unigram.record.sizes[-1]),
                ),
                _encoded(_("finding the most probable of all splits."), unigram),
                "T5, ALBERT, XLNet, mBART",
            ),
            Link(see, "unigram", {"corpus": "hug", "step": "1"}),
        ),
    )


def table_html(made: Sequence[Column]) -> str:
    """The algorithms beside each other; on a narrow screen each cell says whose it is."""
    heads = "".join(f'<th scope="col">{escape(column.name)}</th>' for column in made)
    rows = "".join(
        f'<tr><th scope="row">{escape(_(name))}</th>'
        + "".join(f"<td><b>{escape(column.name)}</b> {column.cells[place]}</td>" for column in made)
        + "</tr>"
        for place, name in enumerate(ROWS)
    )
    return f'<div class="ts glance"><table><thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


def growing_words() -> str:
    """Three words of the course's sentences at four steps of their training."""
    lines = EXAMPLES["course"].text().splitlines()
    trace = train_bpe(Corpus.from_texts(lines), 50, special_tokens=("<|endoftext|>",))
    rows = []
    for step in GROWING_STAGES:
        name = fill(_("step {step}"), step=str(step))
        splits = trace[step].splits(GROWING_WORDS)
        words = "".join(
            f'<span class="row">{chips(splits[word], GROWING_STYLE)}</span>' for word in GROWING_WORDS
        )
        rows.append(f'<span class="n">{name}</span><span class="row wide">{words}</span>')
    return f'<div class="ts story">{"".join(rows)}</div>'


# --- The page ---------------------------------------------------------------------------------------------------------


def show() -> None:
    """The whole page."""
    complaints = _arrive()
    complaints = lasting("home", complaints, st.session_state[key("sentence")])
    titled("home", "TokenSteps")
    lead = _(
        "A language model reads neither letters nor words but tokens: numbered pieces of text. Write a sentence and see its tokens."
    )
    st.html(f'<div class="ts"><p class="lead">{escape(lead)}</p></div>')
    for complaint in complaints:
        problem(complaint)
    show_sentence()
    st.header(_("Where the pieces come from"), anchor=False)
    st.caption(
        _(
            "Nobody writes them down: they are learned from text. Here are three words at four steps of BPE's training on four sentences; Ġ is the space before a word."
        )
    )
    st.html(remembered((key("growing"), current_language()), growing_words))
    show_link(GROWING)
    show_table()
    show_stations()
    show_lessons()
    st.header(_("More to try"), anchor=False)
    with st.container(horizontal=True, gap="small"):
        for link in MORE:
            show_link(link)


def show_link(link: Link, label: str | None = None) -> None:
    """A link within the app; `label`, translated already, in place of its own."""
    page_link(link.page, label or _(link.label), link.query)


def _arrive() -> list[str]:
    """Take the sentence out of the address when the session begins, from a link and after Back; returns complaints."""
    state, url = st.session_state, st.query_params.to_dict()
    if not reads_address(key("sentence") not in state):
        return []
    sentence = read_short(url["say"]) if "say" in url else None
    held = text_in_browser(key("sentence"))
    if held is not None:
        state[key("sentence")] = plain_text(held)
    elif sentence is not None:
        state[key("sentence")] = plain_text(sentence)
    elif key("sentence") not in state:
        state[key("sentence")] = SENTENCE
    if "say" in url and sentence is None and held is None:
        return [_("The text of this link is lost: ask for the link again, or paste the text.")]
    return []


@lru_cache(maxsize=1)
def home_run() -> Run:
    """The training of this page's tokenizer: that of its link."""
    algorithm = ALGORITHMS["bpe"]
    run = algorithm.run(read_url("bpe", algorithm.rules, SPEC_QUERY).recipe)
    assert run is not None  # an example has a text
    return run


@st.fragment
def show_sentence() -> None:
    """The box and all that follows the typing."""
    use_language(st.session_state["language"])
    typed = plain_text(
        st.text_input(
            _("Your sentence"),
            key=key("sentence"),
            placeholder=_("Write a sentence …"),
            live="150ms",
            persist_state="session",
        )
    )
    sentence = typed[:SENTENCE_LIMIT]
    with st.container(key="home_sentence", gap="small"):
        if len(typed) > SENTENCE_LIMIT:
            message = _(
                "The text has {size} characters; its first {limit} are shown. The playground takes all of it."
            )
            note(message.format(size=count(len(typed)), limit=count(SENTENCE_LIMIT)))
        run = home_run()
        trace = stage.build("home", run.name, run.make)
        if trace is not None:
            subject = remembered(
                (key("subject"), run.name, len(trace), current_language()),
                partial(TrainedSubject, corpus_title(CORPUS), trace.tokenizer(len(trace)), trace, len(trace)),
            )
            _show_tokens(subject, sentence, typed)


def _show_tokens(subject: TrainedSubject, sentence: str, typed: str) -> None:
    """The sentence's tokens, and the three ways to cut it."""
    corpus = corpus_facts(CORPUS)
    try:
        analysis = analyse(subject, sentence)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    if sentence:
        st.html(sentence_html(analysis) + sentence_counts_html(analysis))
    else:
        empty = escape(_("No text, no tokens: write something."))
        st.html(f'<p class="ts first-counts">{empty}</p>')
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show_link(Link(N_("Paste a whole text: the playground"), "playground", carried(typed)))
        show_link(WATCH)
        with st.popover(_("This sentence as a link"), type="tertiary"):
            st.code(page_address({"say": write_short(sentence)}), language=None, wrap_lines=True)
    st.html(whose_html(subject, corpus))
    st.header(_("Why subwords?"), anchor=False)
    st.caption(
        _(
            "The same sentence in three ways, each with a vocabulary from the same corpus. Dashed: not in the vocabulary."
        )
    )
    st.html(ways_html(analysis, corpus))


def carried(text: str) -> dict[str, str]:
    """The playground's parameters for a text, with this page's tokenizer; no text leaves the one that is there."""
    if not text:
        return {"t1": SPEC}
    packed = pack_text(text) if len(text) <= PACK_LIMIT else None
    if packed is None:
        return {"t1": SPEC, "id": text_store().put(text.encode("utf-8", "replace"))}
    return {"t1": SPEC, "text": packed}


def show_table() -> None:
    """The three algorithms at a glance, and a link to the first step of each."""
    st.header(_("Three ways to learn the pieces"), anchor=False)
    st.caption(
        told(N_("On five words: {words}. What is said of them here is what the training pages do."), _facts())
    )
    made: Sequence[Column] = remembered((key("columns"), current_language()), columns)
    st.html(table_html(made))
    with st.container(horizontal=True, gap="small"):
        for column in made:
            show_link(column.link, _(column.link.label).format(algorithm=column.name))
        show_link(Link(N_("All three at once: compare"), COMPARE.page, {"corpus": "hug"}))


def show_stations() -> None:
    """A way through the app, one stop after the other."""
    st.header(_("A path through the app"), anchor=False)
    known = _facts()
    for number, station in enumerate(STATIONS, start=1):
        _show_stop(number, told(station.insight, known), [station.link])
    _show_stop(len(STATIONS) + 1, _("Test yourself, and catch others' mistakes."), PRACTICE)


def _show_stop(number: int, insight: str, links: Sequence[Link]) -> None:
    with st.container(key=f"home_stop_{number}"):
        left, right = st.columns([5, 4], vertical_alignment="center", gap="small")
        left.html(_stop_html(number, insight))
        with right, st.container(gap="small"):
            for link in links:
                show_link(link)


def _stop_html(number: int, insight: str) -> str:
    return f'<p class="ts stop"><b>{count(number)}</b> <span>{escape(insight)}</span></p>'


def _facts() -> dict[str, str]:
    """The figures of stations and lessons, asked for once."""
    found: dict[str, str] = remembered((key("facts"), current_language()), facts)
    return found


def show_lessons() -> None:
    """The lesson plans, each on a tab."""
    st.header(_("What to teach with it"), anchor=False)
    st.caption(_("Three plans. Each link opens the page with words, settings and step set."))
    st.caption(
        _(
            "In front of a class, press P on any page for projector mode: large type that fills the screen. A clicker steps there, and its "
            "key for a black screen works, too. Escape leaves."
        )
    )
    names = [_("{number} minutes").format(number=count(lesson.minutes)) for lesson in LESSONS]
    for tab, lesson in zip(st.tabs(names), LESSONS, strict=True):
        with tab:
            show_lesson(lesson)


def show_lesson(lesson: Lesson) -> None:
    """One plan: its aim, then its activities with their minutes and links, and the plan as a page to print."""
    known = _facts()
    st.html(
        f'<div class="ts"><p class="aim"><b>{escape(_(lesson.title))}</b> {escape(told(lesson.aim, known))}</p></div>'
    )
    start = 0
    for activity in lesson.activities:
        with st.container(key=f"home_lesson_{lesson.minutes}_{start}", gap="xsmall"):
            st.html(
                activity_html(
                    start, activity.minutes, told(activity.teacher, known), told(activity.answer, known)
                )
            )
            if activity.link is not None:
                show_link(activity.link)
        start += activity.minutes
    address = (st.context.url or "").split("?")[0].rstrip("/")
    make: Callable[[], str] = partial(lesson_page, lesson, known, address, in_links())
    download(st, _("This plan as a page to print"), f"lesson-{lesson.minutes}.html", make, "home")


def activity_html(start: int, minutes: int, teacher: str, answer: str) -> str:
    """An activity: when, what the teacher does, what the class answers."""
    unit, answers = escape(_("min")), escape(_("The class:"))
    return (
        f'<div class="ts activity"><span class="when">{start}–{start + minutes}<small>{unit}</small></span>'
        f"<p>{escape(teacher)}</p><p><b>{answers}</b> {escape(answer)}</p></div>"
    )
