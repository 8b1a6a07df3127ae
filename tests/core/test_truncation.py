"""Windows and pads (`tokenizers_core/encoding/truncation.py`) against the `tokenizers` library."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import processors

from tests.core.encodings import (
    JUDGES,
    agree,
    around,
    hostile,
    lettered,
    letters,
    library,
    of_pipeline,
    seen,
    thorough,
    ways,
)
from tests.core.test_tokenizer import judge
from tokenizers_core import (
    TEMPLATES,
    Padding,
    Template,
    Truncation,
)
from tokenizers_core.encoding.truncation import DIRECTIONS, STRATEGIES, windows
from tokenizers_core.errors import SettingError, TruncationError, UnknownNameError


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_windows_are_the_librarys(strategy: str, direction: str) -> None:
    refused: dict[str, int] = {}
    lengths = (0, 1, 2, 5, 8)
    for max_length, stride in product(range(4, 11), range(4)):
        if stride >= max_length - 3:
            continue
        ours = lettered().with_options(
            template=TEMPLATES["bert"], truncation=Truncation(max_length, stride, strategy, direction)
        )
        theirs = library(ours)
        for length in lengths:
            why = agree(ours, theirs, letters(length))
            refused[why] = refused.get(why, 0) + 1
        for pair in product(lengths, lengths):
            why = agree(ours, theirs, *map(letters, pair))
            refused[why] = refused.get(why, 0) + 1
    assert refused[""] > 150
    assert (
        set(refused)
        == {
            "longest_first": {"", "stride"},
            "only_first": {"", "too_short", "stride"},
            "only_second": {"", "too_short", "no_second", "stride"},
        }[strategy]
    )


@pytest.mark.parametrize(("max_length", "stride"), [(1, 0), (3, 0), (4, 1), (5, 3)])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_windows_without_a_template(max_length: int, stride: int, direction: str) -> None:
    """Known difference: there the library forgets the text of the tokens in a pair's later windows."""
    ours = lettered().with_options(truncation=Truncation(max_length, stride, direction=direction))
    theirs = library(ours)
    for lengths in product((0, 1, 2, 5, 7), (0, 1, 4)):
        agree(ours, theirs, *map(letters, lengths), without=("sequence_ids", "n_sequences"))
        agree(ours, theirs, letters(lengths[0]))
    if max_length > 1:
        for window in ours.encode(letters(9), letters(1)).overflowing:
            assert (window.n_sequences, window.sequence_ids) == (2, window.type_ids)


def test_windows_have_the_types_of_their_template() -> None:
    """Known difference: the library's later windows have the text's number as type, but where a model has a
    class of its own."""
    truncation = Truncation(8, stride=1)
    ours = lettered().with_options(template=TEMPLATES["roberta"], truncation=truncation)
    theirs = library(ours)
    for lengths in product((1, 3, 6), (1, 3, 6)):
        assert not agree(ours, theirs, *map(letters, lengths), without=("type_ids",))
    assert any(1 in window.type_ids for window in theirs.encode(letters(6), letters(6)).overflowing)
    theirs.post_processor = processors.RobertaProcessing(
        ("</s>", ours.vocab["</s>"]), ("<s>", ours.vocab["<s>"]), trim_offsets=False
    )
    for lengths in product((1, 3, 6), (1, 3, 6)):
        encoding, expected = (one.encode(*map(letters, lengths)) for one in (ours, theirs))
        assert [window.type_ids for window in encoding.overflowing] == [
            window.type_ids for window in expected.overflowing
        ]


def test_windows_of_a_template_with_the_second_text_first() -> None:
    template = Template("$A [SEP]", "$B [SEP] $A:1 [SEP]:1")
    for max_length, strategy in product((5, 6, 9), STRATEGIES):
        ours = lettered().with_options(template=template, truncation=Truncation(max_length, 0, strategy))
        theirs = library(ours)
        for lengths in product((1, 3, 6), (1, 3, 6)):
            agree(ours, theirs, *map(letters, lengths), without=("type_ids",))


@thorough
@given(hostile, hostile, st.integers(9, 30), st.integers(0, 2), st.sampled_from(DIRECTIONS))
def test_windows_of_any_text(text: str, pair: str, max_length: int, stride: int, direction: str) -> None:
    ours = of_pipeline("byte_level").with_options(
        template=TEMPLATES["xlnet"],
        truncation=Truncation(max_length, stride, direction=direction),
        padding=Padding(direction=direction, pad_type_id=3, multiple_of=4),
    )
    theirs = around(judge(ours, JUDGES["byte_level"]), ours)
    for given_ in ((text,), (text, pair)):
        encoding, expected = ours.encode(*given_), theirs.encode(*given_)
        assert seen(encoding) == seen(expected)
        for window, wanted in zip(
            [encoding, *encoding.overflowing][:4], [expected, *expected.overflowing][:4], strict=True
        ):
            assert ways(window, 20) == ways(wanted, 20)


def test_the_library_has_no_windows_either_where_the_stride_leaves_no_room() -> None:
    ours = lettered().with_options(template=TEMPLATES["bert"], truncation=Truncation(6, 2))
    with pytest.raises(TruncationError) as caught:
        ours.encode(letters(3), letters(3))
    assert str(caught.value) == (
        "stride=2 is too large for a text that keeps 1 of its tokens; "
        "choose a stride below 1, or a larger max_length."
    )
    with pytest.raises(BaseException, match="`stride` must be strictly less than `max_len=1`"):
        library(ours).encode(letters(3), letters(3))


@thorough
@given(st.integers(0, 40), st.integers(1, 12), st.integers(0, 11), st.sampled_from(DIRECTIONS))
def test_windows_cover_the_text_and_share_the_stride(
    length: int, room: int, stride: int, direction: str
) -> None:
    if length > room and stride >= room:
        with pytest.raises(TruncationError):
            windows(length, room, stride, direction)
        return
    result = windows(length, room, stride, direction)
    result = result if direction == "right" else [(length - end, length - start) for start, end in result]
    assert result[0][0] == 0 and result[-1][1] == length
    for (_, end), (start, after) in pairwise(result):
        assert end - start == stride and after > end
    assert all(end - start == room for start, end in result[:-1])


def test_truncations_that_make_no_sense() -> None:
    for settings_, message in [
        ({"max_length": 0}, "max_length=0 can't be used: choose a whole number of at least 1."),
        ({"max_length": True}, "max_length=True can't be used"),
        ({"max_length": 4, "stride": -1}, "stride=-1 can't be used"),
        (
            {"max_length": 4, "stride": 4},
            "stride=4 can't be used: max_length=4 leaves 4 tokens for text; choose less than 4.",
        ),
    ]:
        with pytest.raises(SettingError) as caught:
            Truncation(**settings_)  # type: ignore[arg-type]
        assert str(caught.value).startswith(message)
    with pytest.raises(UnknownNameError, match="strategy='shortest' is not known"):
        Truncation(4, strategy="shortest")
    with pytest.raises(UnknownNameError, match="direction='up' is not known"):
        Truncation(4, direction="up")
    bert = lettered().with_options(template=TEMPLATES["bert"])
    with pytest.raises(
        SettingError, match="max_length=2 can't be used: the template takes 2 tokens; choose at least 3"
    ):
        bert.with_options(truncation=Truncation(2))
    with pytest.raises(SettingError, match="stride=2 can't be used: max_length=4 leaves 2 tokens"):
        bert.with_options(truncation=Truncation(4, 2))
    short = bert.with_options(truncation=Truncation(3))
    assert short.encode("a b").tokens == ["[CLS]", "a", "[SEP]"]
    with pytest.raises(SettingError, match="3 tokens; choose at least 4"):
        short.encode("a", "b")
    first = bert.with_options(truncation=Truncation(7, strategy="only_first"))
    with pytest.raises(TruncationError) as refused:
        first.encode(letters(2), letters(9))
    error = refused.value
    assert (error.why, error.numbers) == ("too_short", {"length": 2, "excess": 7, "minimum": 13})
    longer = bert.with_options(truncation=Truncation(13, strategy="only_first"))
    assert len(longer.encode(letters(2), letters(9))) == 13


# --- Pads ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("template", ["none", "bert"])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("length", [None, 0, 5, 9])
@pytest.mark.parametrize("multiple_of", [None, 1, 4])
def test_pads_are_the_librarys(
    template: str, direction: str, length: int | None, multiple_of: int | None
) -> None:
    ours = lettered().with_options(
        template=TEMPLATES[template],
        padding=Padding(lettered().vocab["[PAD]"], 7, "[PAD]", direction, length, multiple_of),
        truncation=Truncation(8, stride=1),
    )
    theirs = library(ours)
    # Known difference: without a template the library gives pads to the text.
    without = () if template == "bert" else ("sequence_ids", "n_sequences")
    batch: list[Any] = ["", "a", letters(4), ("a", "b c"), letters(9), (letters(6), letters(8))]
    for one in batch:
        agree(ours, theirs, *([one] if isinstance(one, str) else one), without=without)
    for some in (batch, batch[:2], batch[1:5], []):
        result, expected = ours.encode_batch(some), theirs.encode_batch(some)
        assert [seen(one, without) for one in result] == [seen(one, without) for one in expected]
    bare, expected = (
        ours.encode_batch(batch[:4], add_special_tokens=False),
        theirs.encode_batch(batch[:4], add_special_tokens=False),
    )
    assert [seen(one, without) for one in bare] == [seen(one, without) for one in expected]
    assert bare[1].char_to_token(0) == expected[1].char_to_token(0)


def test_pads_are_of_no_text() -> None:
    tokenizer = lettered().with_options(padding=Padding(length=3))
    encoding = tokenizer.encode("a")
    assert (encoding.tokens, encoding.sequence_ids) == (["a", "[PAD]", "[PAD]"], [0, None, None])
    assert encoding.token_to_chars(1) is encoding.token_to_sequence(1) is None
    assert library(tokenizer).encode("a").sequence_ids == [0, 0, 0]
    named = lettered().with_options(padding=Padding(pad_id=3, pad_token="nothing", length=2)).encode("a")
    assert (named.tokens[1], named.ids[1]) == ("nothing", 3)


def test_paddings_that_make_no_sense() -> None:
    for settings_ in (
        {"pad_id": -1},
        {"pad_type_id": -1},
        {"pad_type_id": 2**32},
        {"length": -1},
        {"multiple_of": 0},
        {"length": 1.5},
    ):
        with pytest.raises(SettingError) as caught:
            Padding(**settings_)  # type: ignore[arg-type]
        evidence = caught.value.evidence
        assert [(evidence["name"], evidence["value"])] == [
            (name, repr(one)) for name, one in settings_.items()
        ]
    with pytest.raises(UnknownNameError, match="direction='up' is not known"):
        Padding(direction="up")
