"""The page “Exercises”: choose a kind and a level, answer, see why, go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Any, Final, NamedTuple

import streamlit as st

from tokensteps.components.address import page_address, update_url
from tokensteps.language.i18n import N_, _, count, use_language
from tokensteps.language.pages import PAGES
from tokensteps.limits import EXERCISE_LIMIT, EXERCISES_REMEMBERED
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.shell.classes import class_code, give_class
from tokensteps.shell.navigation import page_link
from tokensteps.shell.walk import practised
from tokensteps.site.scorm import SCORM_VERSIONS, exercises_page, scorm_package
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS, MIXED, PATH_KIND, Exercise, make, next_level
from tokensteps.teaching.exercises.words import LEVELS
from tokensteps.teaching.feedback import in_steps, revealed, translated_verdict
from tokensteps.teaching.lessons import MATTERS_LINK
from tokensteps.teaching.questions import (
    AGAIN,
    RIGHT,
    TIED,
    UNREAD,
    WRONG,
    SeveralLines,
    Tally,
    Verdict,
    verdict_from_json,
    verdict_to_json,
)
from tokensteps.teaching.worksheets import exercise_tasks, worksheet
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.downloads import download, show_address
from tokensteps.widgets.keep import synced
from tokensteps.widgets.notes import lasting, note, problem
from tokensteps.widgets.questions import ask, empty_boxes, tally_html, verdict_html
from tokensteps.widgets.tour import titled

VERDICTS_STORED: Final = 20
"""Answers kept by a browser with their verdicts, for the way back: each has some hundred bytes."""

EXERCISES_PAGE: Final = "exercises"
EXERCISE_FORM: Final = f"{EXERCISES_PAGE}.form"
"""The prefix of the answer boxes' keys."""
WORKSHEET_EXERCISES: Final = 8
RISING: Final = "rising"
SEVERAL_KINDS: Final = {PATH_KIND: N_("Along the path, from easy to hard"), MIXED: N_("All kinds, mixed")}
"""Mixtures of several kinds, by name in links."""


class Selection(NamedTuple):
    """The open exercise, and whether the level adapts to the answers."""

    kind: str = next(iter(EXERCISE_KINDS))
    level: int = LEVELS[0]
    seed: int = 1
    rising: bool = True


START: Final = Selection()


def read_selection(url: Mapping[str, str]) -> tuple[Selection, list[str]]:
    """The exercise in an address, and complaints about the address. A given level is fixed unless the address
    says `rising=1`.

    >>> read_selection({"kind": "viterbi", "level": "3", "seed": "12"})[0]
    Selection(kind='viterbi', level=3, seed=12, rising=False)
    >>> read_selection({"seed": "12"})[0]
    Selection(kind='bpe_count', level=1, seed=12, rising=True)
    """
    known: dict[str, dict[str, Any]] = {
        "kind": {kind: kind for kind in (*EXERCISE_KINDS, *SEVERAL_KINDS)},
        "level": {str(level): level for level in LEVELS},
        "rising": {"0": False, "1": True},
    }
    complaints = []
    values: dict[str, Any] = {}
    for name in ("kind", "level", "seed", "rising"):
        text = url.get(name)
        if text is None:
            continue
        if name == "seed":
            fits = text.isascii() and text.isdigit() and int(text[:12]) <= EXERCISE_LIMIT
            value = int(text[:12]) if fits else None
        else:
            value = known[name].get(text)
        if value is None:
            message = _("The link says {name}={value}, which is not valid here; the default is used.")
            complaints.append(message.format(name=name, value=repr(text[:80])))
        else:
            values[name] = value
    return START._replace(**{"rising": "level" not in values, **values}), complaints


def write_selection(chosen: Selection) -> dict[str, str | None]:
    """The address's parameters; a bare address stays bare. In a class, it is always this exercise's own link:
    given out, it leads everybody to the same exercises, on one level."""
    if class_code() is not None:
        return {**exact(chosen), "rising": None}
    if chosen == START:
        return dict.fromkeys(("kind", "level", "seed", "rising"))
    return {**exact(chosen), "rising": "1" if chosen.rising else None}


def exact(chosen: Selection) -> dict[str, str | None]:
    """The parameters of this exercise's link, its level fixed."""
    return {"kind": chosen.kind, "level": str(chosen.level), "seed": str(chosen.seed)}


@dataclass
class Record:
    """A learner's results in this session."""

    total: Tally = field(default_factory=Tally)
    by_kind: dict[str, Tally] = field(default_factory=dict)
    recent: tuple[str, ...] = ()
    """The verdicts since the level last changed."""
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """The last verdict by the exercise's name: an exercise stays answered when the learner comes back to
    it."""
    remark: tuple[str, Verdict] | None = None
    """The name of an exercise after a try, and the remark on a later, unreadable try."""
    tries: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The wrong answers to the open exercise, by its name."""

    def answer(self, exercise: Exercise, text: str, verdict: Verdict) -> None:
        """Note an answer: before it counts, there are hints."""
        over = self.answered(self.verdicts.get(exercise.name))
        before = () if over else self.tries.get(exercise.name, ())
        verdict = in_steps(exercise.question, before, text, verdict, one_try=over)
        if verdict.kind == AGAIN:
            self.tries = {exercise.name: (*before, text)}
        self.count(exercise, verdict)

    def give_up(self, exercise: Exercise) -> None:
        """Count a tried but abandoned exercise as wrong."""
        if exercise.name in self.tries and not self.answered(self.verdicts.get(exercise.name)):
            question, last = exercise.question, self.tries[exercise.name][-1]
            verdict = question.grade(last)
            if verdict.kind == UNREAD:  # words of another language
                verdict = Verdict(WRONG, question.solution)
            self.count(exercise, in_steps(question, (), last, verdict, one_try=True))

    def count(self, exercise: Exercise, verdict: Verdict) -> None:
        """Note a verdict. The first one on an exercise counts; later ones are only shown. A verdict on an
        unreadable answer does neither."""
        before = self.verdicts.get(exercise.name)
        self.remark = None
        if verdict.kind == UNREAD and before is not None and before.kind != UNREAD:
            self.remark = (exercise.name, verdict)
            return
        self.verdicts.pop(exercise.name, None)
        self.verdicts[exercise.name] = verdict
        if len(self.verdicts) > EXERCISES_REMEMBERED:
            del self.verdicts[next(iter(self.verdicts))]
        if not self.answered(verdict) or self.answered(before):
            return
        self.tries.pop(exercise.name, None)
        self.total = self.total.after(verdict.kind)
        self.by_kind[exercise.kind] = self.by_kind.get(exercise.kind, Tally()).after(verdict.kind)
        self.recent = (*self.recent, verdict.kind)[-10:]

    @staticmethod
    def answered(verdict: Verdict | None) -> bool:
        """Whether this is the verdict on an exercise, not a hint or a remark on an unreadable answer."""
        return verdict is not None and verdict.kind not in (UNREAD, AGAIN)


# --- state --------------------------------------------------------------------------------------------------


def open_selection() -> tuple[Selection, list[str]]:
    """The learner's exercise, from the address or from before; and complaints about the address."""
    state = st.session_state
    key = f"{EXERCISES_PAGE}.place"
    complaints: list[str] = []
    if reads_address(key not in state):
        former = state.get(key)
        state[key], complaints = read_selection(st.query_params.to_dict())
        if state[key].kind == PATH_KIND and "seed" not in st.query_params:
            state[key] = _after_answered(state[key])
        _set_widgets(state[key])
        if former is not None and state[key] != former:  # the boxes are about another exercise
            empty_boxes(EXERCISE_FORM)
    return state[key], complaints


def _after_answered(chosen: Selection) -> Selection:
    """The first exercise from there on that isn't answered: a station's own was the first of its kind."""
    record = _record()
    while record.answered(record.verdicts.get(make(chosen.kind, chosen.level, chosen.seed).name)):
        chosen = chosen._replace(seed=chosen.seed + 1)
    return chosen


def _set_widgets(chosen: Selection) -> None:
    st.session_state[f"{EXERCISES_PAGE}.kind"] = chosen.kind
    st.session_state[f"{EXERCISES_PAGE}.level"] = RISING if chosen.rising else str(chosen.level)


def _record() -> Record:
    record: Record = st.session_state.setdefault(f"{EXERCISES_PAGE}.record", Record())
    return record


def keep_record(record: Record) -> None:
    """Have the browser keep the record, or restore an earlier session's."""
    what: list[Any] = []
    if record.total.answered or record.tries:
        recent_verdicts = list(record.verdicts.items())[-VERDICTS_STORED:]
        lines = [[name, *verdict_to_json(verdict)] for name, verdict in recent_verdicts]
        what = [record.total, record.by_kind, record.recent, lines, record.tries]
    match synced(EXERCISES_PAGE, what):
        case [list(total), dict(by_kind), list(recent), list(verdicts), dict(tries)] if len(total) == len(
            Tally._fields
        ):
            record.tries = {name: tuple(answers) for name, answers in tries.items()}
            record.total = Tally(*total)
            record.by_kind = {kind: Tally(*tally) for kind, tally in by_kind.items()}
            record.recent = tuple(recent)
            record.verdicts = {name: verdict_from_json(*verdict) for name, *verdict in verdicts}
            st.rerun()  # so that the browser keeps it again


def _chosen() -> None:
    """Take over another kind or level."""
    state = st.session_state
    chosen: Selection = state[f"{EXERCISES_PAGE}.place"]
    _leave(chosen)
    level = state[f"{EXERCISES_PAGE}.level"]
    rising = level == RISING
    state[f"{EXERCISES_PAGE}.place"] = chosen._replace(
        kind=state[f"{EXERCISES_PAGE}.kind"], level=chosen.level if rising else int(level), rising=rising
    )
    _record().recent = ()
    empty_boxes(EXERCISE_FORM)


def _leave(chosen: Selection) -> None:
    """Count the abandoned exercise, if it was tried."""
    use_language(st.session_state.get("language", "en"))
    _record().give_up(make(chosen.kind, chosen.level, chosen.seed))


def _go_on() -> None:
    """Open the next exercise, on another level if the answers so far say so."""
    state, record = st.session_state, _record()
    chosen: Selection = state[f"{EXERCISES_PAGE}.place"]
    _leave(chosen)
    level = next_level(chosen.level, record.recent) if chosen.rising else chosen.level
    if level != chosen.level:
        record.recent = ()
        state[f"{EXERCISES_PAGE}.level_changed"] = (chosen.level, level)
    state[f"{EXERCISES_PAGE}.place"] = chosen._replace(level=level, seed=min(chosen.seed + 1, EXERCISE_LIMIT))
    empty_boxes(EXERCISE_FORM)


def _take_answer(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Note the verdict; an empty answer to an answered exercise means: go on."""
    record = _record()
    if not answer.strip() and record.answered(record.verdicts.get(exercise.name)):
        _go_on()
    else:
        record.answer(exercise, answer, verdict)
        if verdict.kind in (RIGHT, TIED):
            practised(exercise.kind)


def _shown(exercise: Exercise) -> None:
    """Reveal the answer: this counts as wrong, once."""
    use_language(st.session_state.get("language", "en"))
    _record().count(exercise, revealed(exercise.question, N_("The answer: {solution}")))


# --- the page -----------------------------------------------------------------------------------------------


def kind_title(kind: str) -> str:
    """A kind's name."""
    return _(SEVERAL_KINDS[kind] if kind in SEVERAL_KINDS else EXERCISE_KINDS[kind].title)


def level_title(level: str) -> str:
    """A level's name."""
    return _("adaptive") if level == RISING else level


def show() -> None:
    """The whole page."""
    chosen, complaints = open_selection()
    keep_record(_record())
    titled(EXERCISES_PAGE, _(PAGES[EXERCISES_PAGE].title))
    st.caption(
        _(
            "As many as you like, each with its own words, graded by the engine that trains the tokenizers here."
        )
    )
    update_url(write_selection(chosen))
    for complaint in lasting(EXERCISES_PAGE, complaints, chosen):
        problem(complaint)
    kind, level = st.columns([1, 1], vertical_alignment="bottom")
    kind.selectbox(
        _("Kind"),
        (*EXERCISE_KINDS, *SEVERAL_KINDS),
        format_func=kind_title,
        key=f"{EXERCISES_PAGE}.kind",
        on_change=_chosen,
        persist_state="session",
    )
    level.segmented_control(
        _("Level"),
        (RISING, *map(str, LEVELS)),
        required=True,
        format_func=level_title,
        key=f"{EXERCISES_PAGE}.level",
        on_change=_chosen,
        persist_state="session",
        help=_("Adaptive: three right in a row move you up a level, two wrong in a row move you down one."),
    )
    if chosen.kind == PATH_KIND:  # the end of the path
        page_link(MATTERS_LINK.page, _(MATTERS_LINK.label))
    exercise = make(chosen.kind, chosen.level, chosen.seed)
    show_exercise(exercise)
    _give(chosen, exercise)
    show_record()
    st.header(_("This exercise as a link"), anchor=False)
    show_address(page_address(exact(chosen)))
    message = _("Worksheet: this exercise and the next {number}, with a key (HTML)")
    label = message.format(number=WORKSHEET_EXERCISES - 1)
    download(st, label, "exercises.html", partial(print_exercises, chosen), EXERCISES_PAGE)
    if not isinstance(exercise.question.form, SeveralLines):  # only the app can check these answers
        with st.container(horizontal=True):
            for version in SCORM_VERSIONS:
                label = _("The same for a learning platform (SCORM {version})").format(version=version)
                pack = partial(pack_exercises, chosen, version)
                download(st, label, f"exercises-scorm-{version}.zip", pack, EXERCISES_PAGE)


def _give(chosen: Selection, exercise: Exercise) -> None:
    """In a class: a way to give these exercises to it; it learns the learner's progress with given ones."""
    done: dict[int, str] = st.session_state.setdefault(
        f"{EXERCISES_PAGE}.done {chosen.kind} {chosen.level}", {}
    )
    verdict = _record().verdicts.get(exercise.name)
    if _record().answered(verdict) and verdict is not None:
        done.setdefault(chosen.seed, verdict.kind)
    give_class(EXERCISES_PAGE, WORKSHEET_EXERCISES, list_title(chosen), done, first=START.seed)


def print_exercises(chosen: Selection) -> str:
    """The open exercise and the next ones, on the same level, for paper."""
    result = exercises_from(chosen)
    return worksheet(
        list_title(chosen), exercise_tasks((_(EXERCISE_KINDS[one.kind].title), one) for one in result)
    )


def pack_exercises(chosen: Selection, version: str) -> bytes:
    """The same as a SCORM package."""
    return scorm_package(exercises_page(exercises_from(chosen), list_title(chosen)), version)


def exercises_from(chosen: Selection) -> list[Exercise]:
    """The open exercise and the next ones, on the same level."""
    seeds = range(chosen.seed, min(chosen.seed + WORKSHEET_EXERCISES, EXERCISE_LIMIT + 1))
    return [make(chosen.kind, chosen.level, seed) for seed in seeds]


def list_title(chosen: Selection) -> str:
    """The title of all of them."""
    return _("{kind}, level {level}").format(kind=kind_title(chosen.kind), level=chosen.level)


def show_exercise(exercise: Exercise) -> None:
    """The exercise, its form, and the verdict on the answer."""
    record = _record()
    verdict = record.verdicts.get(exercise.name)
    done = record.answered(verdict)
    with st.container(border=True, key=f"{EXERCISES_PAGE}-exercise"):
        st.html(head_html(exercise, record.total))
        with st.container():  # always there, so that the boxes below keep their place and the focus
            show_level_change()
        ask(EXERCISE_FORM, exercise.question, partial(_take_answer, exercise), partial(_shown, exercise))
        show_verdict(exercise, record)
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            st.button(
                _("Next exercise"),
                on_click=_go_on,
                key=f"{EXERCISES_PAGE}.next",
                type="primary" if done else "secondary",
            )
            if done and exercise.link is not None:
                page, query = exercise.link
                label = (
                    _("Open this corpus: {algorithm}").format(algorithm=ALGORITHMS[page].title)
                    if page in ALGORITHMS
                    else _("Open it in the pipeline")
                )
                page_link(page, label, query)
        st.caption(
            _("“Check” with nothing typed also takes you to the next exercise. Trying again doesn't count.")
            if done
            else _("“Reveal” counts as a wrong answer. So does “Next exercise” after a wrong try.")
            if verdict is not None and verdict.kind == AGAIN
            else _("“Reveal” counts as a wrong answer; “Next exercise” doesn't count.")
        )


def show_level_change() -> None:
    """A note on a change of level."""
    changed = st.session_state.pop(f"{EXERCISES_PAGE}.level_changed", None)
    if changed:
        message = (
            _("Three right in a row: now level {level}.")
            if changed[1] > changed[0]
            else _("Two wrong in a row: back to level {level}.")
        )
        note(message.format(level=changed[1]))


def show_verdict(exercise: Exercise, record: Record) -> None:
    """The verdict on the last answer, under its button."""
    verdict = record.verdicts.get(exercise.name)
    if record.remark is not None and record.remark[0] == exercise.name:
        verdict = record.remark[1]
    if verdict is not None:
        st.html(verdict_html(translated_verdict(verdict, lambda: exercise.question)))


def head_html(exercise: Exercise, total: Tally) -> str:
    """The exercise's number and kind, and the score so far."""
    kind = EXERCISE_KINDS[exercise.kind]
    name = _("{kind}, level {level}, number {seed}").format(
        kind=_(kind.title), level=exercise.level, seed=count(exercise.seed)
    )
    return (
        f'<div class="ts exercise-head"><span><b>{escape(name)}</b> {escape(_(kind.trains))}</span>'
        f"{tally_html(total)}</div>"
    )


def show_record() -> None:
    """A table with a row for each tried kind."""
    record = _record()
    if not record.by_kind:
        return
    st.header(_("This session"), anchor=False)
    st.html(record_html(record))


def record_html(record: Record) -> str:
    """The table."""
    head = (_("Kind"), _("Answered"), _("Right"), _("Tied"), _("Best streak"))
    rows = [
        (
            _(EXERCISE_KINDS[kind].title),
            count(tally.answered),
            tally.score,
            count(tally.tied),
            count(tally.best),
        )
        for kind, tally in ((kind, record.by_kind.get(kind)) for kind in EXERCISE_KINDS)
        if tally is not None
    ]
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        f"<tr><td>{escape(title)}</td>{''.join(f'<td>{number}</td>' for number in numbers)}</tr>"
        for title, *numbers in rows
    )
    return f'<div class="ts"><table class="sheet"><tr>{top}</tr>{body}</table></div>'
