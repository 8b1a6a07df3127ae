"""Uses of offsets (`tokenizers_core/encoding/tasks.py`): answers and entities.

Oracles: plain searches for answers; the Hugging Face course's examples, recomputed.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.encodings import (
    SPECIALS,
    hostile,
    lettered,
    of_pipeline,
    thorough,
)
from tokenizers_core import (
    TEMPLATES,
    AnswerSpan,
    Encoding,
    Entity,
    Padding,
    Tokenizer,
    Truncation,
    answer_spans,
    group_entities,
    windows_with,
)
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.encoding.truncation import DIRECTIONS
from tokenizers_core.errors import LabelsError, SettingError

# --- Answers ------------------------------------------------------------------------------------------------


def plain_answer(
    window: Encoding, whole: Encoding, start: int, end: int, sequence: int
) -> tuple[int, int] | None:
    """The answer's tokens by looking at every one; None unless the window has as many as the whole text
    has."""

    def on(encoding: Encoding) -> list[int]:
        return [
            index
            for index, (first, last) in enumerate(encoding.offsets)
            if encoding.sequence_ids[index] == sequence
            and any(first <= character < last for character in range(start, end))
        ]

    result, wanted = on(window), on(whole)
    assert len(result) <= len(wanted)
    return (result[0], result[-1]) if result and len(result) == len(wanted) else None


@thorough
@example("👨‍👩‍👧 naïve 中文", 0, 3, 9, 1, "right")
@given(
    hostile,
    st.integers(0, 30),
    st.integers(0, 12),
    st.integers(8, 16),
    st.integers(0, 2),
    st.sampled_from(DIRECTIONS),
)
def test_answers_are_found_in_the_windows_that_hold_them(
    context: str, start: int, length: int, max_length: int, stride: int, direction: str
) -> None:
    start, end = min(start, len(context)), min(start + length, len(context))
    whole = of_pipeline("byte_level").with_options(
        template=TEMPLATES["bert"], padding=Padding(direction=direction)
    )
    cut = whole.with_options(truncation=Truncation(max_length, stride, "only_second", direction))
    encoding = cut.encode("x?", context)
    result = answer_spans(encoding, start, end)
    wanted = [
        plain_answer(window, whole.encode("x?", context), start, end, 1)
        for window in (encoding, *encoding.overflowing)
    ]
    assert result == [AnswerSpan(number, tokens) for number, tokens in enumerate(wanted)]
    assert windows_with(encoding, start, end) == [number for number, tokens in enumerate(wanted) if tokens]
    for span in result:
        assert span.labels == (span.tokens or (0, 0))


def course_labels(offsets: list[tuple[int, int]], context: range, start: int, end: int) -> tuple[int, int]:
    """The labels by the rule of the Hugging Face course, chapter 7: walk in from both ends of the context."""
    first, last = context[0], context[-1]
    if offsets[first][0] > start or offsets[last][1] < end:
        return 0, 0
    while first <= context[-1] and offsets[first][0] <= start:
        first += 1
    while last >= context[0] and offsets[last][1] >= end:
        last -= 1
    return first - 1, last + 1


def test_answers_of_whole_words_are_those_of_the_course() -> None:
    tokenizer = lettered().with_options(
        template=TEMPLATES["bert"], truncation=Truncation(9, 2, "only_second")
    )
    context = "ab cd efg h ij"
    encoding = tokenizer.encode("a b", context)
    words = [(0, 2), (3, 5), (6, 9), (10, 11), (12, 14)]
    seen_: set[bool] = set()
    for (start, _), (_, end) in product(words, words):
        if start >= end:
            continue
        for window, span in zip(
            [encoding, *encoding.overflowing], answer_spans(encoding, start, end), strict=True
        ):
            positions = [index for index, text in enumerate(window.sequence_ids) if text == 1]
            labels = course_labels(window.offsets, range(positions[0], positions[-1] + 1), start, end)
            assert span.labels == labels
            seen_.add(labels == (0, 0))
    assert seen_ == {True, False}


def test_answers_in_no_window() -> None:
    tokenizer = lettered().with_options(template=TEMPLATES["bert"])
    encoding = tokenizer.encode("a b", "c  d")
    assert windows_with(encoding, 0, 4) == [0]
    assert answer_spans(encoding, 0, 4) == [AnswerSpan(0, (4, 5))]
    assert answer_spans(encoding, 0, 1, sequence=0) == [AnswerSpan(0, (1, 1))]
    assert windows_with(encoding, 1, 3) == []  # spaces, in no token
    assert windows_with(encoding, 2, 2) == []
    for start, end in ((-1, 2), (3, 2), (0, 5)):
        with pytest.raises(SettingError, match="choose a start and an end from 0 to 4, in order"):
            windows_with(encoding, start, end)
    for sequence in (-1, 2):
        with pytest.raises(SettingError, match="the encoding has 2, numbered from 0"):
            windows_with(encoding, 0, 1, sequence)
        with pytest.raises(SettingError, match="the encoding has 2, numbered from 0"):
            encoding.tokens_on(0, 1, sequence)


# --- Entities -----------------------------------------------------------------------------------------------

COURSE = "My name is Sylvain and I work at Hugging Face in Brooklyn."


@cache
def course() -> Tokenizer:
    """With the course's own tokens: `S ##yl ##va ##in`, `Hu ##gging Face`."""
    pieces = [
        "My",
        "name",
        "is",
        "S",
        "##yl",
        "##va",
        "##in",
        "and",
        "I",
        "work",
        "at",
        "Hu",
        "##gging",
        "Face",
        "in",
        "Brooklyn",
        ".",
    ]
    plain = lettered()
    return Tokenizer(
        plain.pipeline, WordPieceModel([*SPECIALS, "[UNK]", *pieces]), SPECIALS, template=TEMPLATES["bert"]
    )


def test_entities_of_the_course() -> None:
    encoding = course().encode(COURSE)
    assert encoding.tokens[4:8] == ["S", "##yl", "##va", "##in"]
    assert encoding.tokens[12:15] == ["Hu", "##gging", "Face"]
    labels = ["O"] * len(encoding)
    labels[4:8], labels[12:15], labels[16] = ["I-PER"] * 4, ["I-ORG"] * 3, "I-LOC"
    expected = [
        Entity("PER", 11, 18, "Sylvain"),
        Entity("ORG", 33, 45, "Hugging Face"),
        Entity("LOC", 49, 57, "Brooklyn"),
    ]
    assert group_entities(labels, encoding) == expected
    assert group_entities([label.removeprefix("I-") for label in labels], encoding) == expected
    labels[4] = labels[12] = "B-PER"
    assert group_entities(labels, encoding) == [
        expected[0],
        Entity("PER", 33, 35, "Hu"),
        Entity("ORG", 35, 45, "gging Face"),
        expected[2],
    ]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("O O O O O O", []),
        ("O B-X B-X O O O", ["X:a", "X:b"]),
        ("O B-X I-X O O O", ["X:a b"]),
        ("O I-X I-X O B-X O", ["X:a b", "X:c"]),
        ("O I-X I-Y O O O", ["X:a", "Y:b"]),
        ("O X I-X O Y O", ["X:a b", "Y:c"]),
        ("O X O O X O", ["X:a", "X:c"]),
        ("O O X X X X", ["X:b", "X:c"]),  # a template's token ends an entity, with any label
        ("X X O O O O", ["X:a"]),
        ("O B- B-O O O O", [":a", "O:b"]),
    ],
)
def test_where_entities_end(labels: str, expected: list[str]) -> None:
    encoding = lettered().with_options(template=TEMPLATES["bert"]).encode("a  b", "c")
    result = group_entities(labels.split(), encoding)
    assert [f"{entity.label}:{entity.text}".replace("  ", " ") for entity in result] == expected
    for entity in result:
        assert encoding.texts[entity.sequence][entity.start : entity.end] == entity.text
        assert entity.sequence == (entity.text == "c")


def test_two_texts_side_by_side_are_two_entities() -> None:
    encoding = lettered().encode("a", "b")
    assert group_entities(["X", "X"], encoding) == [Entity("X", 0, 1, "a"), Entity("X", 0, 1, "b", 1)]


def test_spaces_at_an_entitys_ends_are_not_part_of_it() -> None:
    """Byte-level tokens begin with a space; and of a space alone nothing is left."""
    encoding = of_pipeline("byte_level").encode("in Straße, über  ")
    labels = ["O" if start < 2 else "PLACE" for start, _ in encoding.offsets]
    assert group_entities(labels, encoding) == [Entity("PLACE", 3, 15, "Straße, über")]
    only_last = ["O"] * (len(encoding) - 1) + ["PLACE"]
    assert encoding.text[slice(*encoding.offsets[-1])].isspace()
    assert group_entities(only_last, encoding) == []


def test_a_label_for_each_token() -> None:
    encoding = lettered().encode("a b")
    for labels in ([], ["O"], ["O"] * 3):
        with pytest.raises(LabelsError) as caught:
            group_entities(labels, encoding)
        assert (caught.value.labels, caught.value.tokens) == (len(labels), 2)
