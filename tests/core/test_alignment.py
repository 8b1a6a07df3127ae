"""Tokens' places on a text, and tokenizations' common borders (`tokenizers_core/encoding/alignment.py`).

Oracles: `oracle_alignment.py`, which is slow and shares nothing with the engine; the properties of a cover (a
partition, no token twice, nothing joined without need), checked directly; `regex`'s `\\X` on whole texts;
small cases by hand. The offsets are generated, our own tokenizers' on text in many scripts, and the
`tokenizers` library's.
"""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Sequence
from functools import cache
from itertools import chain, pairwise

import pytest
import regex
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import models, normalizers, pre_tokenizers, processors

from tests.core.oracle_alignment import (
    is_white_space,
    plain_agreement,
    plain_align,
    plain_cover,
    plain_graphemes,
    plain_trimmed,
    plain_word_costs,
    plain_words,
)
from tests.samples import STRESS, examples
from tokenizers_core import Corpus, Tokenizer, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.alignment import (
    WHITE_SPACE,
    Block,
    Stretch,
    WordCost,
    align,
    boundary_agreement,
    count_text,
    cover,
    word_costs,
)
from tokenizers_core.errors import SettingError, SurrogateError
from tokenizers_core.text.spans import Span

thorough = examples(200)

MULTILINGUAL = """\
The quick brown fox doesn't jump over 12345 lazy dogs; it's  sleeping!
Der schnelle Fuchs läuft über die Straße, nai\u0308ve Ärzte. Tiếng Việt, Tie\u0302\u0301ng Vie\u0323\u0302t.
敏捷的棕色狐狸跳过了懒狗。すばやい茶色の狐、か\u3099。\u3000빠른 갈색 여우 \u1112\u1161\u11ab\u1100\u1173\u11af
الثعلب البُنِّي السريع. השועל הח\u05d5\u05bcם \u200fהמהיר. तेज़ भूरी लोमड़ी क्षत्रिय สวัสดีครับ ที่นี่
👍🏽👨‍👩‍👧 🇩🇪🇫🇷🇬 ☕️ 1️⃣ 🏴󠁧󠁢󠁳󠁣󠁴󠁿 def f(x):\r\n\treturn x\u00a0ﬁ ½ ① ẛ̣ ▁ Ġ </w> \u200b\u2028\x1c\x85.
"""


# --- Offsets and texts --------------------------------------------------------------------------------------

LENGTHS = st.integers(0, 9)


def spans_in(length: int) -> st.SearchStrategy[Span]:
    positions = st.integers(0, length)
    return st.tuples(positions, positions).map(lambda span: (min(span), max(span)))


@st.composite
def in_any_order(draw: st.DrawFn, length: int) -> list[Span]:
    return draw(st.lists(spans_in(length), max_size=7))


@st.composite
def mostly_in_order(draw: st.DrawFn, length: int) -> list[Span]:
    """Sorted spans, perhaps with one repeated, or replaced by the span of a token without text."""
    drawn = draw(st.lists(spans_in(length), max_size=7))
    offsets = sorted(drawn)
    if offsets and draw(st.booleans()):
        position = draw(st.integers(0, len(offsets) - 1))
        offsets.insert(position, offsets[position])
    if draw(st.booleans()):
        offsets = [*offsets, (0, 0)]
    return offsets


@st.composite
def one_after_the_other(draw: st.DrawFn, length: int) -> list[Span]:
    """Spans between borders, some of them left out, some there twice."""
    borders = sorted(draw(st.sets(st.integers(1, max(1, length - 1)), max_size=5)) & {*range(1, length)})
    positions = list(pairwise([0, *borders, length])) if length else []
    return [span for span in positions for _ in range(draw(st.sampled_from([1, 1, 1, 0, 2])))]


def offsets_in(length: int) -> st.SearchStrategy[list[Span]]:
    return in_any_order(length) | mostly_in_order(length) | one_after_the_other(length)


lengths_and_offsets = LENGTHS.flatmap(lambda length: st.tuples(st.just(length), offsets_in(length)))
spaced = st.text("ab \n\u3000\x1cé", max_size=9)
"""Short texts with much white space in them, and U+001C, white space to Python alone."""


@st.composite
def tokenizations(draw: st.DrawFn) -> tuple[str, list[list[Stretch]]]:
    text = draw(spaced)
    number = draw(st.integers(1, 3))
    return text, [cover(len(text), draw(offsets_in(len(text)))) for _ in range(number)]


scripts = st.lists(
    st.sampled_from(MULTILINGUAL.split(" ")) | st.sampled_from(sorted(set(MULTILINGUAL))), max_size=12
).map(lambda parts: "".join(parts))


# --- Cover --------------------------------------------------------------------------------------------------


def check_cover(length: int, offsets: Sequence[Span], stretches: Sequence[Stretch]) -> None:
    """The promises of `cover`, checked on its result."""
    # A partition of the text, and of the tokens.
    starts, ends = [stretch.start for stretch in stretches], [stretch.end for stretch in stretches]
    assert [*starts, length] == [0, *ends]
    assert list(chain(*(range(stretch.first, stretch.last) for stretch in stretches))) == [
        *range(len(offsets))
    ]
    positions = {}
    for index, (start, end, first, last) in enumerate(stretches):
        assert start < end or first < last, "an empty stretch has a token"
        inside = [offsets[token] for token in range(first, last)]
        for token in range(first, last):
            positions[token] = index
        with_text = [span for span in inside if span[0] < span[1]]
        if with_text:  # not longer than its tokens, and not shorter
            assert (start, end) == (min(span[0] for span in with_text), max(span[1] for span in with_text))
        else:
            assert len(inside) <= 1
            assert (start == end) == (len(inside) == 1)
        # Nothing is joined without need: across each cut some text would come out of order.
        for cut in range(1, len(inside)):
            before = max((span[1] for span in inside[:cut] if span[0] < span[1]), default=0)
            after = min((span[0] for span in inside[cut:] if span[0] < span[1]), default=length)
            assert before > after
    for one, (start, end) in enumerate(offsets):
        for other, span in enumerate(offsets[:one]):
            if max(start, span[0]) < min(end, span[1]):
                assert positions[one] == positions[other], "tokens that share characters share a stretch"


@thorough
@given(lengths_and_offsets)
@example((3, [(0, 1), (1, 2), (2, 3)]))
@example((5, [(0, 0), (1, 2), (4, 5), (2, 3), (0, 0)]))
def test_cover_is_the_plain_one(case: tuple[int, list[Span]]) -> None:
    length, offsets = case
    stretches = cover(length, offsets)
    assert stretches == plain_cover(length, offsets)
    assert all(type(stretch) is Stretch for stretch in stretches)
    check_cover(length, offsets, stretches)


@pytest.mark.parametrize(
    ("length", "offsets", "wanted"),
    [
        (0, [], []),
        (2, [], [(0, 2, 0, 0)]),
        (0, [(0, 0), (0, 0)], [(0, 0, 0, 1), (0, 0, 1, 2)]),
        # [CLS] a, white space, b [SEP], white space: [SEP] stays behind b, before nobody's text.
        (4, [(0, 0), (0, 1), (2, 3), (0, 0)], [(0, 0, 0, 1), (0, 1, 1, 2), (1, 2, 2, 2), (2, 3, 2, 3), (3, 3, 3, 4), (3, 4, 4, 4)]),
        # A lone ▁ within white space stays where it is.
        (4, [(0, 1), (2, 2), (3, 4)], [(0, 1, 0, 1), (1, 2, 1, 1), (2, 2, 1, 2), (2, 3, 2, 2), (3, 4, 2, 3)]),
        # A token without text between two that share a character.
        (2, [(0, 1), (2, 2), (0, 1), (1, 2)], [(0, 1, 0, 3), (1, 2, 3, 4)]),
        # Backwards, with a chain: the third comes before the second, the fourth shares with the third.
        (6, [(0, 1), (4, 5), (2, 3), (2, 4), (5, 6)], [(0, 1, 0, 1), (1, 2, 1, 1), (2, 5, 1, 4), (5, 6, 4, 5)]),
        # A token far out of order takes everything back to its place along.
        (3, [(0, 1), (1, 2), (2, 3), (0, 1)], [(0, 3, 0, 4)]),
    ],
)  # fmt: skip
def test_covers_by_hand(length: int, offsets: list[Span], wanted: list[tuple[int, ...]]) -> None:
    assert cover(length, offsets) == wanted


@pytest.mark.parametrize("span", [(-1, 2), (2, 6), (6, 6), (3, 2), (-2, -1)])
def test_offsets_outside_the_text_are_refused(span: Span) -> None:
    message = rf"^offsets=\[\({span[0]}, {span[1]}\)\] can't be used: token 1 is not within a text of length 5; give"
    with pytest.raises(SettingError, match=message):
        cover(5, [(0, 1), span, (4, 5)])


def test_the_garbage_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()
    cover(1, [(0, 1)])
    assert gc.isenabled()
    gc.disable()
    try:
        cover(1, [(0, 1)])
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_long_text() -> None:
    length, size = 60_000, 3
    plain = [(start, start + size) for start in range(0, length, size)]
    parted = [(start, end - 1) for start, end in plain]
    twice = [span for span in plain for _ in range(2)]
    assert cover(length, plain) == [
        (start, end, index, index + 1) for index, (start, end) in enumerate(plain)
    ]
    assert len(cover(length, parted)) == 2 * len(plain)
    assert [stretch[:2] for stretch in cover(length, twice)] == plain
    assert cover(length, plain[::-1]) == [(0, length, 0, len(plain))]
    stretches = cover(length, parted)
    assert pickle.loads(pickle.dumps(stretches)) == stretches


# --- Real encodings -----------------------------------------------------------------------------------------


@cache
def engine(name: str) -> Tokenizer:
    lines = MULTILINGUAL.splitlines()
    if name == "wordpiece":
        corpus = Corpus.from_texts(lines, "bert_uncased", "bert")
        return train_wordpiece(corpus, vocab_size=300).tokenizer()
    if name == "unigram":
        corpus = Corpus.from_texts(lines, "nfkc", "metaspace")
        return train_unigram(corpus, vocab_size=250).tokenizer()
    if name == "unigram_bytes":
        corpus = Corpus.from_texts(["the quick brown fox"], "none", "metaspace")
        return train_unigram(corpus, vocab_size=30).tokenizer(byte_fallback=True)
    if name == "end_of_word":
        return train_bpe(Corpus.from_texts(lines, "nfd", name), merges=60).tokenizer()
    return train_bpe(Corpus.from_texts(["the quick brown fox"]), merges=12, alphabet="bytes").tokenizer()


ENGINES = ("bpe", "end_of_word", "wordpiece", "unigram", "unigram_bytes")


@cache
def library(name: str) -> tokenizers.Tokenizer:
    """Tokenizers of the library with few words and every byte or, like BERT, with [CLS] and [SEP]."""
    if name == "bert":
        words = [
            *"abcdefghijklmnopqrstuvwxyz",
            *(f"##{letter}" for letter in "aeionrst"),
            "the",
            "fox",
            "def",
        ]
        vocab = {word: index for index, word in enumerate(["[UNK]", "[CLS]", "[SEP]", *words])}
        theirs = tokenizers.Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
        theirs.normalizer = normalizers.BertNormalizer()
        theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        theirs.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
        return theirs
    if name == "metaspace":
        pieces = [
            ("<unk>", 0.0),
            ("▁", -2.0),
            *((letter, -4.0) for letter in "abcdefghiklnorstuwx"),
            ("▁the", -3.0),
        ]
        theirs = tokenizers.Tokenizer(models.Unigram(pieces, unk_id=0))
        theirs.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("  ", " ")])
        theirs.pre_tokenizer = pre_tokenizers.Metaspace()
        return theirs
    alphabet = {symbol: index for index, symbol in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    vocab = {**alphabet, "th": 256, "the": 257, "Ġthe": 258}
    theirs = tokenizers.Tokenizer(models.BPE(vocab, [("t", "h"), ("th", "e"), ("Ġ", "the")]))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=name == "prefix_space")
    if name == "nfd":
        theirs.normalizer = normalizers.NFD()
    return theirs


LIBRARIES = ("bert", "metaspace", "byte_level", "prefix_space", "nfd")


def encoded(name: str, text: str) -> list[Span]:
    if name in ENGINES:
        return engine(name).encode(text).offsets
    return [(start, end) for start, end in library(name).encode(text).offsets]


@pytest.mark.parametrize("name", [*ENGINES, *LIBRARIES])
def test_covers_of_real_encodings(name: str) -> None:
    @examples(150)
    @given(scripts)
    @example("")
    @example(" ")
    @example("👨‍👩‍👧 the e\u0301\u0323 ﬁ")
    def check(text: str) -> None:
        offsets = encoded(name, text)
        stretches = cover(len(text), offsets)
        check_cover(len(text), offsets, stretches)
        assert stretches == plain_cover(len(text), offsets)
        assert "".join(text[stretch.start : stretch.end] for stretch in stretches) == text
        costs = word_costs(text, stretches)
        assert costs == plain_word_costs(text, stretches)

    check()


def test_a_whole_text_in_all_scripts() -> None:
    covers = []
    for name in (*ENGINES, *LIBRARIES):
        offsets = encoded(name, MULTILINGUAL)
        covers.append(cover(len(MULTILINGUAL), offsets))
        check_cover(len(MULTILINGUAL), offsets, covers[-1])
    assert align(MULTILINGUAL, covers) == plain_align(MULTILINGUAL, covers)
    assert boundary_agreement(MULTILINGUAL, covers) == plain_agreement(MULTILINGUAL, covers)


def test_the_bytes_of_an_emoji_share_a_stretch() -> None:
    text = "fox 🦊!"
    stretches = cover(len(text), encoded("bpe", text))
    (fox,) = [stretch for stretch in stretches if stretch.start <= 4 < stretch.end]
    # Ġ may stand alone; then the fox has four tokens. Nothing of its bytes is anywhere else.
    assert (fox.start, fox.end) == (4, 5) and fox.last - fox.first == 4


def test_bert_s_special_tokens_stand_at_both_ends() -> None:
    text = "the fox"
    assert encoded("bert", text) == [(0, 0), (0, 3), (4, 7), (0, 0)]
    wanted = [(0, 0, 0, 1), (0, 3, 1, 2), (3, 4, 2, 2), (4, 7, 2, 3), (7, 7, 3, 4)]
    assert cover(len(text), encoded("bert", text)) == wanted


def test_a_lone_end_of_word_is_an_empty_stretch() -> None:
    tokenizer = train_bpe(
        Corpus.from_texts(["low low lower"], pre_tokenizer="end_of_word"), merges=2
    ).tokenizer()
    encoding = tokenizer.encode("low low")
    assert encoding.tokens == ["low", "</w>", "low", "</w>"]
    wanted = [(0, 3, 0, 1), (3, 3, 1, 2), (3, 4, 2, 2), (4, 7, 2, 3), (7, 7, 3, 4)]
    stretches = cover(7, encoding.offsets)
    assert stretches == wanted
    assert word_costs("low low", stretches) == [WordCost("low", 2, 2)]


# --- Counting -----------------------------------------------------------------------------------------------

joiners = st.text(
    st.sampled_from(
        "a\r\n \u0301\u0323\u200d\u200c\u0e33\u0903\u0915\u094d\u0937\u093f\u0600\u0d4e\u1100\u1161\u11a8가각"
        "👍🏽👨👩❤\ufe0f\u20e3🇩🇪\U000e0067\U000e007f\u00ad\u200b©⌚\u1cf5\u1a43\U00011a3a"
    ),
    max_size=12,
)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@thorough
@given(joiners | anything | scripts | st.text("ab \r\n\t", max_size=9))
@example(MULTILINGUAL)
@example("")
def test_counts_are_the_plain_ones(text: str) -> None:
    counts = count_text(text)
    assert counts == (len(text), plain_graphemes(text), len(plain_words(text)), len(text.encode()))


def ends_of(plane: int) -> list[tuple[int, int]]:
    """The first and the last code points of a plane."""
    start, end = plane * 0x10000, (plane + 1) * 0x10000
    return [(start, start + 0x100), (end - 0x600, end)]


MATES = "xक👍가각\n\u00ad\u00a9"


@pytest.mark.parametrize("mate", MATES)
def test_graphemes_beside_every_character(mate: str) -> None:
    """Every code point, before and behind one of each kind of characters without joins among themselves.

    Ideographs, private use, and unassigned ones, only beside x, and of planes with nothing else, only the
    ends: all in them are of one kind. The suite tries every sixth with each mate but x, another sixth with
    the next one.
    """
    spans = [(0, 0xD800), (0xE000, 0x20100), (0xE0000, 0xE1100)]
    if mate == "x":
        spans += [edge for plane in range(2, 17) for edge in ends_of(plane)]
    else:
        spans[:2] = [(0, 0x3500), (0x9F00, 0xD800), (0xF800, 0x20000)]
    characters = [chr(point) for point in chain(*(range(*span) for span in spans))]
    if mate != "x" and not STRESS:
        characters = characters[MATES.index(mate) % 6 :: 6]
    for start in range(0, len(characters), 50_000):
        text = mate.join(characters[start : start + 50_000])
        assert count_text(text).graphemes == len(regex.findall(r"\X", text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", (0, 0, 0, 0)),
        ("a\r\nb", (4, 3, 2, 4)),
        ("\r\r\n\n", (4, 3, 0, 4)),
        ("nai\u0308ve", (6, 5, 1, 7)),
        ("🇩🇪🇫🇷🇬", (5, 3, 1, 20)),
        ("ที่นี่", (6, 2, 1, 18)),
        ("狐狸 跳\u3000过", (6, 6, 3, 16)),
        ("a\x1cb\x85c", (5, 5, 2, 6)),
    ],
)
def test_counts_by_hand(text: str, wanted: tuple[int, int, int, int]) -> None:
    assert count_text(text) == wanted


def test_surrogates_are_refused() -> None:
    with pytest.raises(SurrogateError):
        count_text("a\ud800")


def test_white_space_is_that_of_patterns() -> None:
    """U+001C to U+001F are white space to Python alone."""
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]))
    assert "".join(regex.findall(r"\s", everything)) == WHITE_SPACE
    assert "".join(filter(is_white_space, everything)) == WHITE_SPACE
    assert [character for character in everything if character.isspace()] == sorted(
        [*WHITE_SPACE, *"\x1c\x1d\x1e\x1f"]
    )


# --- Costs --------------------------------------------------------------------------------------------------


@thorough
@given(tokenizations())
def test_word_costs_are_the_plain_ones(case: tuple[str, list[list[Stretch]]]) -> None:
    text, covers = case
    for stretches in covers:
        costs = word_costs(text, stretches)
        assert costs == plain_word_costs(text, stretches)
        visible = [stretch for stretch in stretches if plain_trimmed(text, [stretch])]
        assert sum(cost.tokens for cost in costs) == sum(last - first for _, _, first, last in visible)
        assert sum(cost.occurrences for cost in costs) == count_text(text).words


def test_word_costs_by_hand() -> None:
    text = " the  end the"
    offsets = [(0, 0), (0, 4), (4, 5), (5, 8), (8, 9), (9, 11), (11, 11), (11, 13), (0, 0)]
    # [CLS] Ġthe Ġ Ġen d Ġt (a token without text) he [SEP]
    assert word_costs(text, cover(len(text), offsets)) == [("the", 2, 3), ("end", 1, 2)]
    assert word_costs("of the", cover(6, [(0, 6)])) == [("of", 1, 1), ("the", 1, 0)]
    assert word_costs("  ", cover(2, [(0, 2)])) == word_costs("", cover(0, [(0, 0)])) == []
    assert word_costs("a b", cover(3, [])) == [("a", 1, 0), ("b", 1, 0)]


# --- Several tokenizations ----------------------------------------------------------------------------------


@thorough
@given(tokenizations())
def test_blocks_are_the_plain_ones(case: tuple[str, list[list[Stretch]]]) -> None:
    text, covers = case
    blocks = align(text, covers)
    assert blocks == plain_align(text, covers)
    assert "".join(text[block.start : block.end] for block in blocks) == text
    for index, stretches in enumerate(covers):
        assert list(chain(*(block.parts[index] for block in blocks))) == [*range(len(stretches))]
    for limit in range(len(text) + 2):
        assert align(text, covers, limit) == [block for block in blocks if block.start < limit]


@thorough
@given(tokenizations(), st.sets(st.integers(0, 12)))
def test_unknown_tokens_agree_with_none(case: tuple[str, list[list[Stretch]]], places: set[int]) -> None:
    text, covers = case
    unknown = [
        {index for index in places if index < len(cover)} if not at else set()
        for at, cover in enumerate(covers)
    ]
    assert boundary_agreement(text, covers, unknown) == plain_agreement(text, covers, unknown)
    for known, block in zip(plain_align(text, covers), align(text, covers, unknown=unknown), strict=True):
        assert block == (*known[:3], known[3] and (not text or not unknown[0] & {*block.parts[0]}))


@thorough
@given(tokenizations())
def test_agreement_is_the_plain_one(case: tuple[str, list[list[Stretch]]]) -> None:
    text, covers = case
    table = boundary_agreement(text, covers)
    assert table == plain_agreement(text, covers)
    for one in range(len(covers)):
        assert table[one][one] == 1.0
        assert all(0 <= table[one][other] == table[other][one] <= 1 for other in range(len(covers)))


@examples(60)
@given(scripts)
def test_real_tokenizations_side_by_side(text: str) -> None:
    covers = [
        cover(len(text), encoded(name, text)) for name in ("bpe", "wordpiece", "unigram", "bert", "metaspace")
    ]
    assert align(text, covers) == plain_align(text, covers)
    assert boundary_agreement(text, covers) == plain_agreement(text, covers)


def test_white_space_is_no_disagreement() -> None:
    text = "to the end"
    bert = cover(10, [(0, 0), (0, 2), (3, 6), (7, 10), (0, 0)])  # [CLS] to the end [SEP]
    gpt = cover(10, [(0, 2), (2, 6), (6, 10)])  # to Ġthe Ġend
    other = cover(10, [(0, 3), (3, 7), (7, 8), (8, 10)])  # toĠ theĠ e nd
    assert align(text, [bert, gpt]) == [
        Block(0, 2, (range(2), range(1)), True),
        Block(2, 6, (range(2, 4), range(1, 2)), True),
        Block(6, 10, (range(4, 7), range(2, 3)), True),
    ]
    assert align(text, [gpt, other]) == [Block(0, 10, (range(3), range(4)), False)]
    assert boundary_agreement(text, [bert, gpt, other]) == [[1, 1, 2 / 3], [1, 1, 2 / 3], [2 / 3, 2 / 3, 1]]


def test_text_that_only_one_has_is_a_disagreement() -> None:
    left_out, stored = cover(3, [(0, 1), (2, 3)]), cover(3, [(0, 1), (1, 2), (2, 3)])
    assert [block.agree for block in align("a\u200bb", [left_out, stored])] == [True, False, True]
    assert [block.agree for block in align("a b", [left_out, stored])] == [True, True, True]


def test_texts_without_a_cut() -> None:
    assert align("", [[], []]) == align("", [cover(0, [(0, 0)])], limit=0) == []
    assert align("", [cover(0, [(0, 0)]), []]) == [Block(0, 0, (range(1), range(0)), True)]
    assert boundary_agreement("", [[], []]) == [[1.0, 1.0], [1.0, 1.0]]
    whole, nothing = cover(3, [(0, 3)]), cover(3, [])
    assert align("a b", [whole, nothing]) == [Block(0, 3, (range(1), range(1)), False)]
    assert boundary_agreement("a b", [whole, nothing]) == [[1.0, 1.0], [1.0, 1.0]]
    assert boundary_agreement("a b", [whole, cover(3, [(0, 1), (1, 3)])]) == [[1.0, 0.0], [0.0, 1.0]]


def test_covers_of_another_text_are_refused() -> None:
    for compare in (align, boundary_agreement):
        with pytest.raises(
            SettingError, match=r"^covers='abc' can't be used: cover 1 is of a text of length 2, not 3"
        ):
            compare("abc", [cover(3, []), cover(2, [])])
        with pytest.raises(SettingError, match="there is none to compare; give at least one"):
            compare("abc", [])
