"""Questions and other requests from browsers in a class, checked part by part, whatever their subject.

Tried with pydantic: it reads the deck (`as_deck`) in 23 lines in place of 27, names the field at fault but
not the limits of a number or list, and is 5 MB that nothing else here needs.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import regex

from tokenizers_core.files.exports import inert
from tokensteps.limits import (
    ASSIGNMENT_QUESTIONS,
    BARS,
    CHOICE_SHOWN,
    CHOICE_TOKENS,
    CHOICE_TYPED,
    CHOICES_LIMIT,
    DECK,
    JUDGED_AT_ONCE,
    LESSON_LINE,
    MOST_TYPED_CHOICES,
    NICKNAME_LIMIT,
    NUMBER_LIMIT,
    PREPARED_AT,
    PREPARED_ID,
    QUESTION_BYTES,
    QUESTION_LIMIT,
    QUESTION_PARTS,
    QUESTION_SECONDS,
    REPLY_LIMIT,
    SEALED_LIMIT,
    WORD_PARTS,
    WORD_SHOWN,
)

TEAMS: Final = (0, 2, 4)
INPUTS: Final = ("choices", "number", "text", "free")
PREPARED_TEXTS: Final = {
    "id": PREPARED_ID, "say": LESSON_LINE, "kind": 20, "answer": CHOICE_TYPED, "activity": 12, "at": PREPARED_AT,
}  # fmt: skip
"""The texts of a prepared question, each with its maximum length."""
NUMBER_BOUND: Final = 1e15
"""The bound of a right number: up to here, every whole one is exact."""
JOINERS: Final = "\u200c\u200d\ufe0f"
LOST_JOINER: Final = regex.compile(
    r"(?<![\p{Lo}\p{M}\p{S}])[\u200c\u200d]|[\u200c\u200d](?![\p{Lo}\p{M}\p{S}])|(?<!\p{So})\ufe0f"
)
"""A joiner outside a word of a script that needs it, such as Persian, and outside an emoji."""
INVISIBLE: Final = regex.compile(r"[\p{C}\p{Default_Ignorable_Code_Point}\u2800]")
"""A character without a look of its own; U+2800 is the empty pattern of Braille."""
ONCE: Final = regex.compile(r"[0-9a-f]{32}")
Kind = Literal[
    "form", "key", "gone", "shown", "late", "round", "place", "enough", "ended", "large", "often", "full", "store", "names"
]  # fmt: skip
"""The reasons for a refusal; the browser has the words for each."""
Judgement = Literal["right", "tied", "wrong"]
"""The judgement of an answer; a "tied" one is as good as the key, but not the rule's choice."""


class RequestRefused(Exception):
    """A request is turned down."""

    def __init__(self, kind: Kind, say: str = "") -> None:
        super().__init__(say or kind)
        self.kind, self.say = kind, say


def text(value: Any, limit: int, least: int = 0) -> str:
    """A text without spaces around it. Raises RequestRefused for anything else, a longer one, spaces alone
    for one that can't be empty, and half of a UTF-16 pair."""
    if not isinstance(value, str) or len(value) > limit or len(value.strip()) < least:
        raise RequestRefused("form", f"expected a text of {least} to {limit} characters")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise RequestRefused("form", "half of a UTF-16 pair isn't text")
    return value.strip()


def whole(value: Any, least: int, most: int) -> int:
    """A whole number within bounds. Raises RequestRefused."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise RequestRefused("form", f"expected a whole number from {least} to {most}")
    return value


def truth(value: Any) -> bool:
    """True or false. Raises RequestRefused."""
    if not isinstance(value, bool):
        raise RequestRefused("form", "expected true or false")
    return value


def nickname(value: Any) -> str:
    """A name to show: one line of letters, without changes of direction and invisible characters.

    >>> nickname("  A\\u200dna\\u202e  B.\\n"), nickname(None), nickname("x" * 99) == "x" * 24
    ('Ana B.', '', True)
    >>> nickname("Ana\\ufe0f"), nickname("\\u3164\\u2800"), nickname("❤\\ufe0f") == "❤\\ufe0f"
    ('Ana', '', True)
    >>> nickname("می\\u200cنا") == "می\\u200cنا"
    True
    """
    if not isinstance(value, str):
        return ""
    seen = (
        letter
        for letter in unicodedata.normalize("NFC", value[: 4 * NICKNAME_LIMIT])
        if letter.isspace() or letter in JOINERS or not INVISIBLE.fullmatch(letter)
    )
    name: str = LOST_JOINER.sub("", " ".join("".join(seen).split())[:NICKNAME_LIMIT])
    return name.strip()


def once(value: Any) -> str:
    """A browser's name for a request that it may have to repeat; "" without one.

    >>> once("0123456789abcdef" * 2), once("me"), once(None)
    ('0123456789abcdef0123456789abcdef', '', '')
    """
    return value if isinstance(value, str) and ONCE.fullmatch(value) else ""


def as_deck(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The lecturer's prepared questions, in the browser's form: only the lecturer's other browsers read them.
    Raises RequestRefused."""
    questions = payload.get("questions")
    if not isinstance(questions, list) or len(questions) > DECK:
        raise RequestRefused("form", f"expected a list of at most {DECK} questions")
    return {"questions": [_prepared(one) for one in questions]}


def _prepared(one: Any) -> dict[str, Any]:
    if not isinstance(one, Mapping):
        raise RequestRefused("form", "expected a question")
    choices = one.get("choices")
    if not isinstance(choices, list) or len(choices) > MOST_TYPED_CHOICES:
        raise RequestRefused("form", f"expected a list of at most {MOST_TYPED_CHOICES} choices")
    return {
        **{name: text(one.get(name, ""), most) for name, most in PREPARED_TEXTS.items()},
        "choices": [text(choice, CHOICE_TYPED) for choice in choices],
        "right": whole(one.get("right"), -1, MOST_TYPED_CHOICES - 1),
    }


def as_place(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The lecturer's place: page, query without step, step, tab; and the lecturer's device. Raises
    RequestRefused."""
    return {
        "page": text(payload.get("page", ""), 60),
        "query": text(payload.get("query", ""), SEALED_LIMIT),
        "step": whole(payload.get("step", 0), 0, 10**9),
        "tab": text(payload.get("tab") or "", 60),
        "by": text(payload.get("by") or "", 12),
    }


def as_plan(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The present or wanted activity of a plan on one of the lecturer's devices; "" ends the plan. Raises
    RequestRefused."""
    return {"walk": text(payload.get("walk", ""), 12), "by": text(payload.get("by") or "", 12)}


def as_teams(payload: Mapping[str, Any]) -> dict[str, int]:
    """The number of teams. Raises RequestRefused."""
    teams = payload.get("teams")
    if type(teams) is not int or teams not in TEAMS:
        raise RequestRefused("form", "teams is one of: " + ", ".join(map(str, TEAMS)))
    return {"teams": teams}


def as_pace(payload: Mapping[str, Any]) -> dict[str, int | None]:
    """The first and the last step for students to step alone; without any, they follow. Raises
    RequestRefused.

    >>> as_pace({"first": 2, "last": 5}), as_pace({})
    ({'first': 2, 'last': 5}, {'first': None, 'last': None})
    """
    if payload.get("first") is None and payload.get("last") is None:
        return {"first": None, "last": None}
    first = whole(payload.get("first"), 0, 10**9)
    return {"first": first, "last": whole(payload.get("last"), first, 10**9)}


def as_lost(payload: Mapping[str, Any]) -> dict[str, int]:
    """The step where a student is lost, on a page with steps. Raises RequestRefused.

    >>> as_lost({"step": 2}), as_lost({"step": None})
    ({'step': 2}, {})
    """
    return {} if payload.get("step") is None else {"step": whole(payload["step"], 0, 10**9)}


def read_assignment(payload: Mapping[str, Any]) -> dict[str, Any]:
    """An exercise set or a challenge for everybody; one without questions ends it. Raises RequestRefused."""
    return {
        "page": text(payload.get("page", ""), 60),
        "query": text(payload.get("query", ""), SEALED_LIMIT),
        "questions": whole(payload.get("questions"), 0, ASSIGNMENT_QUESTIONS),
        "label": text(payload.get("label") or "", QUESTION_LIMIT),
    }


def read_question(payload: Any) -> dict[str, Any]:
    """A question with its key, and nothing else. Raises RequestRefused."""
    if not isinstance(payload, Mapping):
        raise RequestRefused("form", "expected a question")
    way = payload.get("input")
    key, tied = payload.get("key", []), payload.get("tied", [])
    if way not in INPUTS:
        raise RequestRefused("form", "a question needs an input: " + ", ".join(INPUTS))
    if not all(isinstance(one, list) and len(one) <= CHOICES_LIMIT for one in (key, tied)):
        raise RequestRefused(
            "form", f"the key, and what ties with it, are lists of at most {CHOICES_LIMIT} answers"
        )
    longest = NUMBER_LIMIT if way == "number" else REPLY_LIMIT
    question: dict[str, Any] = {
        "kind": text(payload.get("kind", ""), 40),
        "say": _say(payload.get("say")),
        "input": way,
        "key": [text(one, longest, 1) for one in key],
        "tied": [text(one, longest, 1) for one in tied],
    }
    if way == "number" and payload.get("near"):
        question["near"] = _bounds(payload["near"])
    if payload.get("word"):
        question["word"] = text(payload["word"], WORD_SHOWN)
    if way == "choices":
        question["choices"] = _choices(payload.get("choices"))
    if way == "free" and payload.get("parts"):
        question["parts"] = whole(payload["parts"], 1, WORD_PARTS)
    if payload.get("seconds"):
        question["seconds"] = whole(payload["seconds"], 5, QUESTION_SECONDS)
    if len(json.dumps(question)) > QUESTION_BYTES:
        raise RequestRefused("large", f"a question with its choices has at most {QUESTION_BYTES} bytes")
    return question


def _bounds(values: Any) -> list[float]:
    if not isinstance(values, list) or len(values) != 2:
        raise RequestRefused("form", "expected the least and the greatest right number")
    if not all(isinstance(one, int | float) and abs(one) < NUMBER_BOUND for one in values):
        raise RequestRefused("form", f"expected two numbers below {NUMBER_BOUND:g}")
    return [*map(float, values)]


def as_picks(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Free answers for the wall, in place of the earlier picks. Raises RequestRefused."""
    return {"picked": _texts(payload.get("picked"), BARS)}


def as_judged(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The engine's judgement of answers: some are right, some wrong. Raises RequestRefused."""
    return {name: _texts(payload.get(name), JUDGED_AT_ONCE) for name in ("right", "wrong")}


def _texts(values: Any, most: int) -> list[str]:
    if not isinstance(values, list) or len(values) > most:
        raise RequestRefused("form", f"expected a list of at most {most} answers")
    return [text(one, REPLY_LIMIT, 1) for one in values]


def same_answer(question: Mapping[str, Any], answer: str) -> str:
    """The common form of free answers that differ only in spaces, case and the way of writing accents (as one
    character or two); a word to split keeps its case.

    >>> same_answer({}, "  The  Most frequent"), same_answer({"parts": 3}, " Hugs ")
    ('the most frequent', 'Hugs')
    """
    words = " ".join(answer.split())
    return words if "parts" in question else unicodedata.normalize("NFC", words.casefold())


def _choices(values: Any) -> list[dict[str, Any]]:
    if not isinstance(values, list) or not 2 <= len(values) <= CHOICES_LIMIT:
        raise RequestRefused("form", f"expected 2 to {CHOICES_LIMIT} choices")
    choices = []
    for one in values:
        if not isinstance(one, Mapping):
            raise RequestRefused("form", "a choice has an id, and a text or tokens")
        choice: dict[str, Any] = {"id": text(one.get("id"), REPLY_LIMIT, 1)}
        if one.get("text") is not None:
            choice["text"] = sentence(one["text"])
        if one.get("say") is not None:
            choice["say"] = _say(one["say"])
        tokens = one.get("tokens")
        if tokens is not None:
            if not isinstance(tokens, list) or len(tokens) > CHOICE_TOKENS:
                raise RequestRefused("form", f"a choice has at most {CHOICE_TOKENS} tokens")
            choice["tokens"] = [token_text(token) for token in tokens]
        choices.append(choice)
    if len({one["id"] for one in choices}) < len(choices):
        raise RequestRefused("form", "two choices have the same id")
    return choices


def _say(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not 1 <= len(value) <= 12:
        raise RequestRefused("form", "expected a sentence in 1 to 12 languages, by their codes")
    return {text(name, 12): sentence(words) for name, words in value.items()}


def sentence(value: Any) -> Any:
    """A sentence: a text, or a list of texts and tokens, `{"t": …, "c": index in the palette}`. Raises
    RequestRefused."""
    if not isinstance(value, list):
        return text(value, QUESTION_LIMIT)
    if len(value) > QUESTION_PARTS:
        raise RequestRefused("form", f"a sentence has at most {QUESTION_PARTS} parts")
    parts: list[Any] = []
    for part in value:
        if isinstance(part, Mapping):
            parts.append({"t": token_text(part.get("t")), "c": whole(part.get("c"), 0, 9)})
        else:
            parts.append(token_text(part))
    if len(as_text(parts)) > QUESTION_LIMIT:
        raise RequestRefused("form", f"expected a text of at most {QUESTION_LIMIT} characters")
    return parts


def said_of(say: Mapping[str, Any]) -> str:
    """A question in English, or in its only language, on one line.

    >>> said_of({"": "Is BPE greedy?\\nWhy?"})
    'Is BPE greedy? Why?'
    """
    text = as_text(say.get("en") or next(iter(say.values())))
    return " ".join(line.strip() for line in text.splitlines())


def as_text(words: Any) -> str:
    """A sentence as text alone.

    >>> as_text([{"t": "h", "c": 1}, {"t": "ug", "c": 3}, " is merged."])
    'h ug is merged.'
    """
    if isinstance(words, str):
        return words
    result, after = "", False
    for part in words:
        token = isinstance(part, Mapping)
        result += (" " if token and after else "") + (part["t"] if isinstance(part, Mapping) else part)
        after = token
    return result


def token_text(value: Any) -> str:
    """A token, unchanged, since its spaces belong to it. Raises RequestRefused."""
    text(value, QUESTION_LIMIT)
    return str(value)


class AnswerKey:
    """The right answers, read once: a round has hundreds of answers.

    >>> key = AnswerKey({"key": ["0.333", "2"], "tied": ["0.5"]})
    >>> [key.verdict(answer) for answer in ("2", "0.333", "0.5", "7", "?")]
    ['right', 'right', 'tied', 'wrong', 'wrong']
    >>> AnswerKey({"key": []}).verdict("a") is None
    True
    >>> close = AnswerKey({"key": ["1230"], "near": [1222.0, 1247.0]})
    >>> [close.verdict(answer) for answer in ("1235", "1221.9")]
    ['right', 'wrong']
    """

    def __init__(self, question: Mapping[str, Any]) -> None:
        self._right, self._tied = frozenset(question["key"]), frozenset(question.get("tied", ()))
        self._near = question.get("near")

    def verdict(self, answer: str) -> Judgement | None:
        """The verdict on an answer; None without a key."""
        if not self._right:
            return None
        if answer in self._right:
            return "right"
        if self._near is not None and self._near[0] <= float(answer) <= self._near[1]:
            return "right"
        return "tied" if answer in self._tied else "wrong"


def answer_text(question: Mapping[str, Any], answer: str) -> str:
    """A readable answer: a choice's own words, or else the answer itself, such as `u + g`.

    >>> own = {
    ...     "choices": [
    ...         {"id": "1", "text": ["yes"]},
    ...         {"id": "u + g", "text": [{"t": "u", "c": 1}, {"t": "g", "c": 2}]},
    ...     ]
    ... }
    >>> answer_text(own, "1"), answer_text(own, "u + g"), answer_text({}, "h ug")
    ('yes', 'u + g', 'h ug')
    """
    for choice in question.get("choices", ()):
        words = choice.get("text", [])
        if choice["id"] == answer and words and all(isinstance(part, str) for part in words):
            shown = as_text(words)
            return shown if len(shown) <= CHOICE_SHOWN else f"{shown[: CHOICE_SHOWN - 1]}…"
    return answer


def for_spreadsheets(rows: Iterable[list[object]]) -> Iterator[list[object]]:
    """Rows with harmless cells: none is a formula."""
    return ([inert(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
