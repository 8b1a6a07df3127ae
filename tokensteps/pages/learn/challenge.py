"""The page of challenges: a class answers one, and its teacher checks the codes; and the part of a training
page for making one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from urllib.parse import urlencode

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.components.address import app_address, in_links, update_url
from tokensteps.components.flipbook import go_to
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.step_kinds import step_kind
from tokensteps.language.i18n import _, count, use_language
from tokensteps.language.messages import explained
from tokensteps.language.names import ASK_NAMES
from tokensteps.language.pages import PAGES
from tokensteps.limits import CHALLENGE_LIMIT, CODES_LIMIT, NAME_LIMIT, TITLE_LIMIT
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.settings import Recipe, corpus_title
from tokensteps.shell.classes import class_code, give_class
from tokensteps.shell.navigation import page_link
from tokensteps.teaching.challenge import (
    LEFT_OUT,
    Answers,
    Challenge,
    Checked,
    check_codes,
    class_table,
    grade_answers,
    open_challenge,
    questions_of,
    result_text,
    steps_table,
)
from tokensteps.teaching.game import Game, Hidden
from tokensteps.teaching.predictions import ASKS, steps_with_questions
from tokensteps.widgets import stage
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.downloads import show_address
from tokensteps.widgets.figures import show_rows
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.predict import (
    FRAMES,
    choose_pair,
    game_of,
    keep_game,
    show_question,
    show_words,
)
from tokensteps.widgets.questions import verdict_html
from tokensteps.widgets.tour import titled

# --- making one ---------------------------------------------------------------------------------------------


def show_challenge_maker(
    page: str, recipe: Recipe, url: Mapping[str, str | None], step: int, last: int
) -> None:
    """On a training page: fix the questions, and get the link."""
    st.header(_("A challenge for a class"), anchor=False)
    st.caption(
        _(
            "The link opens this run with its next steps hidden. Students who answer them get a code, and "
            "the challenge page checks the codes of a whole class."
        )
    )
    if not recipe.in_link():
        note(_("A link can't hold this corpus: choose an example, or a shorter text."))
        return
    if step >= last:
        note(_("No step follows this one: go back to the step where your class should start predicting."))
        return
    title, steps, requested = st.columns([3, 2, 3])
    name = text_box(
        _("Title"), TITLE_LIMIT, container=title, key=f"{page}.challenge.title", persist_state="session"
    )
    number = steps.number_input(
        _("Steps to predict"),
        value=min(5, last - step),
        step=1,
        key=f"{page}.challenge.steps.{last}",
        persist_state="session",
    )
    kind = requested.selectbox(
        _("Ask"),
        ("mixed", *ASKS[page]),
        format_func=lambda kind: _(ASK_NAMES[kind]),
        key=f"{page}.challenge.ask",
        persist_state="session",
    )
    most = min(CHALLENGE_LIMIT, last - step)
    if number is None or not 1 <= number <= most:
        message = _("{value} steps is out of range here: choose a number from 1 to {most}.")
        problem(message.format(value=count(number or 0), most=count(most)))
        return
    if name is None:
        return
    remaining = {key: value for key, value in url.items() if value is not None and key not in LEFT_OUT}
    challenge = Challenge(name, page, remaining, step, step + number, kind)
    show_address(challenge_link(challenge))
    if class_code() is not None:  # opened by its address, it would be outside the class
        page_link("challenge", _("Open the challenge"), {"c": challenge.sealed()})


def challenge_link(challenge: Challenge) -> str:
    """The address of a challenge, on this server."""
    return f"{app_address()}/{PAGES['challenge'].path}?{urlencode({'c': challenge.sealed(), **in_links()})}"


# --- answering it -------------------------------------------------------------------------------------------


def show() -> None:
    """The whole page: the challenge of the link, and the checking of codes."""
    sealed = st.query_params.get("c") or st.session_state.get("challenge", "")
    challenge = open_challenge(sealed) if sealed else None
    if challenge is None:
        titled("challenge", _("Challenge"))
        st.caption(_("Students predict the steps of a run, and their teacher checks the answers."))
        if sealed:
            problem(
                _(
                    "This link is not a challenge from this server, or it was altered on the way: ask for it again, and open it unchanged."
                )
            )
        else:
            note(
                _(
                    "To make a challenge, open a training page, choose the corpus and the rules, go to the step "
                    "where your class should begin, and copy the link from “Files and link”."
                )
            )
    else:
        st.session_state["challenge"] = sealed
        update_url({"c": sealed})
        titled("challenge", _("Challenge"))
        _take(challenge)
    with st.expander(
        _("For teachers: check the codes of a class"), expanded=challenge is None and not sealed
    ):
        _checker(sealed if challenge else "")


def _take(challenge: Challenge) -> None:
    """Train the challenge's run, and ask."""
    result = _trace(challenge, ".challenge")
    if result is not None:
        _ask(challenge, *result)


def _trace(challenge: Challenge, slot: str) -> tuple[AnyTrace, Style] | None:
    """The run and its display style; None while it is not there, with a message; `slot` as in `stage`."""
    reading = challenge.reading()
    for complaint in reading.complaints:
        problem(complaint)
    try:
        run = challenge.run()
    except TokenizersCoreError as error:
        problem(explained(error))
        return None
    if run is None:
        return None
    trace = stage.trained(run, slot)
    if trace is None or (trace.stop_reason == "stopped" and len(trace) < challenge.last):
        return None  # its questions would be fewer; `trace` offers to go on
    show = reading.recipe["show"]
    return trace, Style(trace.corpus.pipeline.byte_level, show, frozenset(trace.special_tokens))


@st.fragment
def _ask(challenge: Challenge, trace: AnyTrace, style: Style) -> None:
    """The questions, the steps found so far, and, at the end, the code."""
    use_language(st.session_state["language"])
    prefix = f"challenge-{challenge.name}"
    hidden = Hidden(
        prefix,
        challenge.name,
        trace,
        style,
        step_kind(challenge.page).frame,
        challenge.question_kind,
        min(challenge.last, len(trace)),
        one_try=True,
    )
    new = f"{prefix}.game" not in st.session_state
    game = game_of(hidden, challenge.first)
    taken_up = keep_game(hidden, game)
    if taken_up or new:
        go_to(hidden.book, game.reached)
    if taken_up:
        st.rerun()  # so that the browser keeps it again
    wanted = steps_with_questions(trace, challenge.first, hidden.last)
    give_class(
        "challenge",
        len(wanted),
        challenge.title or _("Challenge"),
        {wanted.index(one.step - 1): one.verdict for one in game.predictions if one.step - 1 in wanted},
    )
    st.html(facts_html(challenge))
    if game.reached < hidden.last:
        show_question(hidden, game)
    else:
        _finish(challenge, hidden, game)
    stage.small_book(
        hidden.book,
        f"{hidden.name}:{hidden.drawing(game.reached)}",
        game.reached,
        partial(hidden.draw, game.reached),
        trace=hidden.name,
        whole=FRAMES,
        on_answer=partial(choose_pair, hidden, game),
    )
    show_words(hidden, game)


def facts_html(challenge: Challenge) -> str:
    """The teacher's title; the algorithm, and the corpus."""
    text = _(
        "{algorithm} on “{corpus}”, steps {first} to {last}. Only you see your answers until you hand in the code."
    ).format(
        algorithm=ALGORITHMS[challenge.page].title,
        corpus=corpus_title(challenge.reading().recipe["corpus"]),
        first=count(challenge.first + 1),
        last=count(challenge.last),
    )
    title = f"<b>{escape(challenge.title)}</b> " if challenge.title else ""
    return f'<div class="ts lead">{title}{escape(text)}</div>'


def _finish(challenge: Challenge, hidden: Hidden, game: Game) -> None:
    """The result, and the code to hand in."""
    prefix = hidden.key
    if (verdict := game.reply(hidden)) is not None:
        st.html(verdict_html(verdict))
    name = text_box(_("Your name, as your teacher knows you"), NAME_LIMIT, key=f"{prefix}.name")
    answers = tuple(answer.text for answer in game.predictions)
    result = Answers(challenge.name, (name or "").strip(), game.seconds, answers)
    checked = Checked(result, grade_answers(questions_of(challenge, hidden.trace, hidden.style), answers))
    st.code(result_text(challenge, checked), language=None, wrap_lines=True)
    if not result.name:
        note(_("Enter your name to get the code to hand in."))
        return
    st.markdown(_("Hand in this code:"))
    st.code(result.code(), language=None, wrap_lines=True)


# --- checking codes -----------------------------------------------------------------------------------------


def _checker(sealed: str) -> None:
    """A teacher's part: the challenge's link and the codes, one a line."""
    st.caption(
        _(
            "A student can start over in another window, or try the same words elsewhere: treat the codes as practice, not as an exam."
        )
    )
    link = st.text_input(
        _("Challenge link"), key="challenge.link", placeholder=sealed[:60], persist_state="session"
    )
    codes = st.text_area(_("Codes, one per line"), key="challenge.codes", height=120, persist_state="session")
    lines = plain_text(codes).splitlines()
    number = sum(bool(line.strip()) for line in lines)
    challenge = open_challenge(plain_text(link) or sealed)
    if not number and (challenge or not link):
        return
    if challenge is None:
        problem(_("Paste the challenge link into the first box, exactly as this server made it."))
        return
    if number > CODES_LIMIT:
        message = _("{size} codes is over the limit of {limit} at once: check them in parts.")
        problem(message.format(size=count(number), limit=count(CODES_LIMIT)))
        return
    result = _trace(challenge, ".check")
    if result is None:
        return
    held, refused = check_codes(challenge, *result, lines)
    for text in refused:
        problem(text)
    if held:
        show_rows(class_table(held), "challenge.class")
        show_rows(steps_table(held), "challenge.steps")
