"""The pipeline page's drawings and texts, without the page: journeys, atoms, windows, maps, losses, labels,
padding.

Source: the stages are those of the `tokenizers` library, as in the Hugging Face course, chapter 6. Oracles:
slow, plain versions in this file, one character at a time (removed, dropped and rewritten characters;
characters without a bond; tokens shared by two windows); the engine's `normalize`, `Pipeline.words` and
`Encoding`, asked directly; an HTML parser's list of all tags, attributes and places in the grid.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.markup import Reader
from tests.samples import examples
from tokenizers_core import Corpus, Encoding, Tokenizer, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.tasks import group_entities
from tokenizers_core.encoding.templates import TEMPLATES, TWO_TEXTS
from tokenizers_core.encoding.truncation import DIRECTIONS, STRATEGIES, Padding, Truncation
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.normalizers import NORMALIZERS, normalize, normalized_text
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokensteps.drawing.pipeline.journey import Journey, Placed, grouped, journey
from tokensteps.drawing.pipeline.stages import (
    CHARACTERS_DRAWN,
    UNBROKEN,
    Stage,
    StageDrawing,
    described,
    quoted,
    stages_message,
    summary_html,
    uncut_spans,
)
from tokensteps.drawing.pipeline.windows import WINDOWS_DRAWN, AnswerRange, windows_html
from tokensteps.drawing.tokens import SHOW, Style
from tokensteps.pages.explore.pipeline_controls import PRESETS, SAMPLES, SPECIAL_TOKENS
from tokensteps.pages.explore.pipeline_decoding import difference_html, losses
from tokensteps.pages.explore.pipeline_tabs import (
    NAMED_ENTITIES,
    label_of,
    maps_text,
    padding,
    windows_needed,
)
from tokensteps.pages.explore.pipeline_view import PipelineView, pieces_text
from tokensteps.runs.rules import PIPELINE_RULES

quick = examples(80)

HOSTILE = (
    "<img src=x onerror=alert(1)> </div></bdi> {x} %s \"q\" 'a' &amp; \u202eevil \u0301\u0308 \0 👩‍👩‍👧 <s>"
)
TEXTS = (
    "",
    " ",
    "Who runs the café? 🙂",
    "Héllò hôw are ü? ﬁne…  thanks 👩‍🚀!\r\n\tⅣ ½ №",
    "e\u0323\u0301a\u0301\u0323 \u0301 o\u0308\u0308",
    "שלום עולם, مرحبا ١٢٣",
    "中文字符, 한국어 こんにちは",
    "▁a ▁▁ b▁",
    "a</w> b",
    "İstanbul ΣΑΣ ǅ ẞ",
    "one two\nthree\n\n four ",
    HOSTILE,
)
some_text = st.text(
    st.sampled_from("ab Z.,!…½ﬁé中\u0301\u0323\u0308\u200d\u202e\n\t▁🙂٣שİΣ<&'\"\0"), max_size=24
)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "<s>", "</s>", "<sep>", "<cls>", "<pad>", "<unk>")
LINES = (
    "who runs the cafe by the river and bakes the bread",
    "hello how are you fine thanks",
    "zoe runs to the river, and the bread runs out.",
)
MODELS = ("bpe", "wordpiece", "unigram")


def journeys(tokenizer: Tokenizer, encoding: Encoding) -> list[Journey]:
    """An encoding's texts before the model."""
    return [journey(tokenizer, text) for text in encoding.texts]


def packed(tokenizer: Tokenizer, encoding: Encoding, style: Style) -> bytes:
    """The message to the browser."""
    return stages_message(tokenizer, encoding, journeys(tokenizer, encoding), style)


@cache
def tokenizer(
    model: str = "wordpiece",
    normalizer: str = "bert_uncased",
    pre: str = "bert",
    template: str = "bert",
    special: tuple[str, ...] = SPECIAL,
) -> Tokenizer:
    """A small tokenizer of the engine's, with these stages."""
    corpus = Corpus.from_texts(LINES * 2, normalizer, pre)
    result: Any
    unknown = "[UNK]" if "[UNK]" in special else "<unk>"
    if model == "bpe":
        alphabet = "bytes" if pre == "byte_level" else "corpus"
        result = train_bpe(corpus, merges=25, special_tokens=special, alphabet=alphabet)
    elif model == "wordpiece":
        result = train_wordpiece(corpus, merges=40, special_tokens=special)
    else:
        result = train_unigram(corpus, 200, 60, special_tokens=special)
    return result.tokenizer(unk_token=unknown).with_options(template=TEMPLATES[template])  # type: ignore[no-any-return]


class Fate(NamedTuple):
    """The fate of a text's characters, found one at a time."""

    normalized: list[tuple[str, int, int]]
    words: list[tuple[str, int, int]]
    removed: list[int]
    dropped: list[int]


def encode(tokenizer: Tokenizer, texts: Sequence[str]) -> Encoding:
    """A text, or a pair."""
    return tokenizer.encode(texts[0], texts[1] if len(texts) > 1 else None)


def plain_journey(tokenizer: Tokenizer, text: str) -> Fate:
    """The slow way: cut at special tokens (the longest first) by looking at every place, then ask the engine
    for each stretch."""
    pieces: list[tuple[str, int, bool]] = []
    at = since = 0
    while at < len(text):
        result = max(
            (one for one in tokenizer.special_tokens if text.startswith(one, at)), key=len, default=""
        )
        if not result:
            at += 1
            continue
        pieces += [(text[since:at], since, False), (result, at, True)]
        at = since = at + len(result)
    pieces.append((text[since:], since, False))
    normalized, words = [], []
    for piece, start, special in pieces:
        if special:
            normalized += [(piece[index], start + index, start + index + 1) for index in range(len(piece))]
            words.append((piece, start, start + len(piece)))
            continue
        written, spans = normalize(piece, tokenizer.pipeline.normalizer)
        for index, character in enumerate(written):
            normalized.append((character, start + spans[index][0], start + spans[index][1]))
        words += [(one.text, start + one.start, start + one.end) for one in tokenizer.pipeline.words(piece)]
    left, cut = (
        {at for _text, first, last in many for at in range(first, last)} for many in (normalized, words)
    )
    removed = [index for index in range(len(text)) if index not in left]
    dropped = [index for index in range(len(text)) if index in left and index not in cut]
    return Fate(normalized, words, removed, dropped)


def check_journey(tokenizer: Tokenizer, text: str) -> Journey:
    result, plain = journey(tokenizer, text), plain_journey(tokenizer, text)
    assert [tuple(one) for one in result.normalized] == plain.normalized
    assert [(one.text, one.start, one.end) for one in result.words] == plain.words
    assert (result.removed, result.dropped) == (plain.removed, plain.dropped)
    assert [tuple(one) for one in result.rewritten] == [
        one for one in plain.normalized if text[one[1] : one[2]] != one[0]
    ]
    in_words = {index for one in result.words for index in range(one.start, one.end)}
    assert in_words | {*result.removed} | {*result.dropped} == {*range(len(text))}
    assert not in_words & {*result.dropped}
    return result


@pytest.mark.parametrize("pre", PRE_TOKENIZERS)
def test_a_journey_agrees_with_the_stages(pre: str) -> None:
    for normalizer in NORMALIZERS:
        result = Tokenizer(Pipeline(normalizer, pre), tokenizer().model, SPECIAL)
        for text in (*TEXTS, "a<s>é</s>[CLS] <s"):
            match = check_journey(result, text)
            if not any(special in text for special in SPECIAL):
                assert "".join(one.text for one in match.normalized) == normalized_text(text, normalizer)
                assert match.words == result.pipeline.words(text)


@quick
@given(some_text, st.sampled_from(NORMALIZERS), st.sampled_from(PRE_TOKENIZERS))
def test_journeys_of_any_text(text: str, normalizer: str, pre: str) -> None:
    check_journey(Tokenizer(Pipeline(normalizer, pre), tokenizer().model, SPECIAL), text)


def test_special_tokens_are_cut_out_before_all_else() -> None:
    result = journey(tokenizer(), "É<s>É")
    assert [one.text for one in result.normalized] == ["e", "<", "s", ">", "e"]
    assert [one.text for one in result.words] == ["e", "<s>", "e"]


# --- groups -------------------------------------------------------------------------------------------------

spans = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=9)


@quick
@given(spans)
def test_grouped_keeps_order_and_parts_nothing_that_shares_a_character(
    given_: list[tuple[int, int]],
) -> None:
    placed = [Placed(str(at), start, start + size) for at, (start, size) in enumerate(given_)]
    groups = grouped(placed)
    assert [one for _start, _end, members in groups for one in members] == placed
    for start, end, members in groups:
        assert start == min(one.start for one in members) and end == max(one.end for one in members)
    for (_, end, _), (start, _, _) in pairwise(groups):
        assert end <= start
    for group in groups[1:]:
        assert group[0] < group[1], "what stands for no character is with the one before it"


@quick
@given(spans)
def test_grouped_joins_no_more_than_it_has_to(spans: list[tuple[int, int]]) -> None:
    """In a row of things in order, none of them empty: the plain way is to join while the next one begins too
    early."""
    placed = [Placed("x", start, start + size + 1) for start, size in sorted(spans)]
    expected: list[list[int]] = []
    for one in placed:
        if expected and one.start < expected[-1][1]:
            expected[-1][1] = max(expected[-1][1], one.end)
        else:
            expected.append([one.start, one.end])
    assert [[start, end] for start, end, _members in grouped(placed)] == expected


@quick
@given(st.integers(0, 12), spans)
def test_stretches_cut_wherever_no_bond_is(length: int, bonds_and_sizes: list[tuple[int, int]]) -> None:
    bonds = [(start, start + size) for start, size in bonds_and_sizes]
    results = list(uncut_spans(length, bonds))
    cuts = [at for at in range(1, length) if not any(start < at < end for start, end in bonds)]
    assert results == (list(pairwise([0, *cuts, length])) if length else [])


# --- the drawing --------------------------------------------------------------------------------------------


class Item(NamedTuple):
    """Something in the drawing to point at."""

    row: int
    sequence: int | None
    start: int
    end: int
    token: int | None
    tell: int
    classes: frozenset[str]
    atom: int
    area: tuple[int, int, int, int]
    """Row, column, rows and columns of its cell."""
    cell: int


class Parsed(Reader):
    """A drawing, read back: its items and their texts, all tags and attributes."""

    def __init__(self, markup: str) -> None:
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.items: list[Item] = []
        self.texts: list[str] = []
        self.columns: list[int] = []
        self.sequences: list[int] = []
        self.new_lines: list[int] = []
        self.open: list[str] = []
        self.area = (0, 0, 0, 0)
        self.cell = 0
        super().__init__(markup)
        assert self.open == []

    def understand(self, tag: str, attrs: list[tuple[str, str | None]]) -> tuple[str, dict[str, str]]:
        return tag, {name: value or "" for name, value in attrs}

    def take(self, understood: tuple[str, dict[str, str]]) -> None:
        tag, given_ = understood
        self.tags[tag] += 1
        self.open.append(tag)
        self.attributes |= {*given_}
        classes = given_.get("class", "").split()
        if classes == ["atom"]:
            self.columns.append(int(given_["style"].removeprefix("--n:")))
            self.sequences.append(int(given_["data-n"]))
            if "data-b" in given_:
                self.new_lines.append(len(self.columns) - 1)
        elif area := re.fullmatch(
            r"grid-area:(\d+) / (\d+) / span (\d+) / span (\d+)", given_.get("style", "")
        ):
            row, column, rows, columns_ = map(int, area.groups())
            self.area = (row, column, rows, columns_)
            self.cell += 1
        elif "i" in classes:
            number = {name: int(value) for name, value in given_.items() if name.startswith("data-")}
            self.items.append(
                Item(
                    number["data-r"],
                    number.get("data-q"),
                    number.get("data-s", -1),
                    number.get("data-e", -1),
                    number.get("data-i"),
                    number["data-t"],
                    frozenset(classes) - {"i"},
                    len(self.columns) - 1,
                    self.area,
                    self.cell,
                )
            )
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.texts and "small" not in self.open:
            self.texts[-1] += data


def check_drawing(tokenizer: Tokenizer, *texts: str, style: Style | None = None) -> Parsed:
    """The checks for any drawing; returns it."""
    encoding = encode(tokenizer, texts)
    drawing = StageDrawing(
        tokenizer, encoding, journeys(tokenizer, encoding), style or Style(tokenizer.pipeline.byte_level)
    )
    parsed = Parsed(drawing.atoms())
    assert {*parsed.tags} <= {"div", "bdi", "span", "small"}
    allowed = {"class", "style", "role", "data-n", "data-b", "data-r", "data-q", "data-s", "data-e", "data-i"}
    assert parsed.attributes <= {*allowed, "data-t", "dir"}
    assert sorted(item.tell for item in parsed.items) == [*range(len(drawing.tells))]
    by_row: dict[int, list[Item]] = {int(stage): [] for stage in Stage}
    for item in parsed.items:
        by_row[item.row].append(item)
    drawn = {
        index
        for index, (of, (start, end)) in enumerate(zip(encoding.sequence_ids, encoding.offsets, strict=True))
        if of is None or start < CHARACTERS_DRAWN or start == end == CHARACTERS_DRAWN
    }
    for stage in (Stage.TOKENS, Stage.IDS, Stage.TYPES, Stage.WORD_IDS, Stage.SPECIAL, Stage.ATTENTION):
        row = by_row[stage]
        assert Counter(item.token for item in row) == dict.fromkeys(drawn, 1), stage.name
        for item in row:
            assert item.token is not None and item.sequence == encoding.sequence_ids[item.token]
            if item.sequence is not None:
                assert (item.start, item.end) == encoding.offsets[item.token]
    assert [item.token for item in by_row[Stage.TOKENS]] == sorted(drawn)
    values = {
        Stage.IDS: encoding.ids, Stage.TYPES: encoding.type_ids, Stage.SPECIAL: encoding.special_tokens_mask,
        Stage.ATTENTION: encoding.attention_mask, Stage.WORD_IDS: ["–" if one is None else one for one in encoding.word_ids],
    }  # fmt: skip
    for item, text in zip(parsed.items, parsed.texts, strict=True):
        if item.row in values and item.token is not None:
            assert text == str(cast("list[object]", values[Stage(item.row)])[item.token])
    for sequence, text in enumerate(texts):
        plain = plain_journey(tokenizer, text)
        length = min(len(text), CHARACTERS_DRAWN)
        own = {row: [item for item in items if item.sequence == sequence] for row, items in by_row.items()}
        assert [(item.start, item.end) for item in own[Stage.TEXT]] == [(at, at + 1) for at in range(length)]
        none = {row: [item.start for item in items if "none" in item.classes] for row, items in own.items()}
        assert none[Stage.NORMALIZED] == [at for at in plain.removed if at < length]
        assert none[Stage.WORDS] == [at for at in plain.dropped if at < length]
        written = [item for item in own[Stage.NORMALIZED] if "none" not in item.classes]
        assert [(item.start, item.end) for item in written] == [
            (start, end) for _text, start, end in plain.normalized if start < length
        ]
        assert ["new" in item.classes for item in written] == [
            text[start:end] != one for one, start, end in plain.normalized if start < length
        ]
        words = Counter((item.start, item.end) for item in own[Stage.WORDS] if "none" not in item.classes)
        expected = Counter((start, end) for _text, start, end in plain.words if start < length)
        assert words.keys() == expected.keys()
        assert all(words[span] == expected[span] for span in words if span[1] - span[0] <= UNBROKEN)
    positions: set[tuple[int, int, int]] = set()
    cells = {(item.atom, item.area, item.cell) for item in parsed.items}
    for atom, (row_, column, rows, columns), _cell in cells:
        assert column >= 1 and column + columns - 1 <= parsed.columns[atom], "a cell reaches out of its atom"
        for position in (
            (atom, r, c) for r in range(row_, row_ + rows) for c in range(column, column + columns)
        ):
            assert position not in positions, "two cells on the same place"
            positions.add(position)
    return parsed


@pytest.mark.parametrize("pre", PRE_TOKENIZERS)
def test_drawings_of_every_pre_tokenizer_and_normalizer(pre: str) -> None:
    """Of the texts a few with each two of them, so that every text meets every pre-tokenizer; the hostile one
    meets all of both."""
    positions = [*PRE_TOKENIZERS].index(pre)
    for number, normalizer in enumerate(NORMALIZERS):
        result = tokenizer(
            MODELS[number % len(MODELS)], normalizer, pre, list(TEMPLATES)[number % len(TEMPLATES)]
        )
        for text in (
            *TEXTS[(number + positions) % 6 :: 6],
            *([HOSTILE] if (number + positions) % 3 == 0 else []),
        ):
            check_drawing(result, text, "né…")
        check_drawing(result, TEXTS[number % len(TEXTS)])


@quick
@given(
    some_text,
    some_text,
    st.sampled_from(MODELS),
    st.sampled_from(["bert_uncased", "nfkc", "nfc", "nfkd"]),
    st.sampled_from(["bert", "byte_level", "metaspace", "end_of_word"]),
    st.sampled_from(sorted(TEMPLATES)),
)
def test_drawings_of_any_text(
    text: str, other: str, model: str, normalizer: str, pre: str, template: str
) -> None:
    check_drawing(tokenizer(model, normalizer, pre, template), text, other)


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("length", "pre", "unit"),  # each two of them together
    [
        (CHARACTERS_DRAWN, "byte_level", "a"),
        (CHARACTERS_DRAWN, "end_of_word", "é🙂 the "),
        (CHARACTERS_DRAWN + 1, "end_of_word", "a"),
        (CHARACTERS_DRAWN + 1, "byte_level", "é🙂 the "),
        (CHARACTERS_DRAWN + 9, "end_of_word", "é🙂 the "),
        (CHARACTERS_DRAWN + 9, "byte_level", "a"),
    ],
)
def test_a_long_text_is_drawn_up_to_a_point(length: int, pre: str, unit: str) -> None:
    text = (unit * length)[:length]
    parsed = check_drawing(tokenizer("bpe", "nfkc", pre), text)
    assert sum(item.row == Stage.TEXT for item in parsed.items) == min(length, CHARACTERS_DRAWN)


def test_several_pre_tokens_of_one_character_stand_side_by_side() -> None:
    """NFKC makes three stops of “…”, and BERT a pre-token of each."""
    parsed = check_drawing(tokenizer("bpe", "nfkc"), "ok…")
    stops = [
        text
        for item, text in zip(parsed.items, parsed.texts, strict=True)
        if item.row == 2 and item.start == 2
    ]
    assert stops == [".", ".", "."]


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_second_text_begins_a_line_and_the_templates_tokens_stand_in_order(template: str) -> None:
    result = tokenizer(template=template)
    parsed = check_drawing(result, "the river", "the bread")
    assert len(parsed.new_lines) == 1
    first = parsed.new_lines[0]
    assert {item.sequence for item in parsed.items if item.atom < first} <= {0, None}
    assert {item.sequence for item in parsed.items if item.atom >= first} <= {1, None}
    assert parsed.sequences == [int(atom >= first) for atom in range(len(parsed.columns))]
    assert check_drawing(result, "the river").new_lines == []


def test_words_are_broken_only_when_they_are_long() -> None:
    result = tokenizer("bpe", "none", "whitespace_split")
    short = check_drawing(result, "r" * UNBROKEN + " a")
    assert short.columns[1:-1] == [
        UNBROKEN,
        1,
        1,
    ]  # the word, the space, the other word; around them the template
    long = check_drawing(result, "r" * (UNBROKEN + 1))
    words = [item for item in long.items if item.row == Stage.WORDS]
    assert len(words) == UNBROKEN + 1 == len({item.atom for item in words})
    assert words[0].classes == {"word", "on"} and words[-1].classes == {"word", "from"}
    assert words[5].classes == {"word", "on", "from"}


@pytest.mark.parametrize("show", SHOW)
@pytest.mark.parametrize("pre", ["byte_level", "bert", "metaspace", "none"])
def test_hostile_text_is_only_text(pre: str, show: str) -> None:
    result = tokenizer("bpe", "none", pre)
    style = Style(result.pipeline.byte_level, show, frozenset(result.special_tokens))
    parsed = check_drawing(result, HOSTILE, HOSTILE, style=style)
    characters = [text for item, text in zip(parsed.items, parsed.texts, strict=True) if item.row == 0]
    visible = [
        character
        for character in HOSTILE
        if character.isascii() and character.isprintable() and character != " "
    ]
    assert [text for text in characters if text in visible] == visible * 2
    assert characters[HOSTILE.index("\u202e")] == "U+202E" and characters[HOSTILE.index("\0")] == "U+0000"
    assert characters[HOSTILE.index("\u0301")] == "◌\u0301"  # it would stand on the part before it
    message = json.loads(packed(result, result.encode(HOSTILE, HOSTILE), style))
    assert not any(raw in tell for tell in message["tells"] for raw in ("\u202e", "\0"))
    assert [message["texts"], message["ways"], message["names"].count("<span>")] == [
        ["Text A", "Text B"],
        ["ltr"] * 2,
        9,
    ]


def test_the_payload_is_deterministic_with_the_texts_direction() -> None:
    result = tokenizer("bpe", "none", "byte_level", "none")
    style = Style(True)
    encoding = result.encode("שלום, עולם", "peace 12")
    assert packed(result, encoding, style) == packed(result, result.encode("שלום, עולם", "peace 12"), style)
    assert json.loads(packed(result, encoding, style))["ways"] == ["rtl", "ltr"]
    assert json.loads(packed(result, result.encode("a"), style))["texts"] == ["Text"]
    assert json.loads(packed(result, result.encode(""), style))["atoms"] == ""


def test_descriptions_of_a_character_and_of_a_token() -> None:
    result = tokenizer()
    encoding = result.encode("café 🙂", "bread")
    drawing = StageDrawing(result, encoding, journeys(result, encoding), Style())
    parsed = Parsed(drawing.atoms())

    def tell_at(row: int, start: int, sequence: int | None = 0) -> str:
        return next(
            drawing.tells[item.tell]
            for item in parsed.items
            if (item.row, item.sequence) == (row, sequence) and (sequence is None or item.start == start)
        )

    accent = tell_at(Stage.TEXT, 3)
    assert accent.startswith(
        "“é” (U+00E9 latin small letter e with acute), character 3 of text A; normalized to “e”;"
    )
    token = encoding.char_to_token(3)
    assert token is not None
    assert f"in token {token}, “{encoding.tokens[token]}”, id {encoding.ids[token]}." in accent
    assert "in pre-token 0, “cafe”" in accent
    assert tell_at(Stage.TEXT, 4).endswith("it separates two words and is in no pre-token.")
    assert "from “é”" in tell_at(Stage.NORMALIZED, 3)
    assert tell_at(Stage.WORDS, 0) == "Pre-token 0: “cafe”, characters 0 to 4 of text A."
    special = tell_at(Stage.TOKENS, 0, None)
    assert "“[CLS]”" in special and "from no character" in special
    smile = tell_at(Stage.IDS, 5)
    assert "the vocabulary can't spell it" in smile and "character 5 of text A; of pre-token 1" in smile
    assert tell_at(Stage.TYPES, 0, 1).endswith("type 1.")
    result = tokenizer(normalizer="strip_accents")
    tells = json.loads(packed(result, result.encode("e\u0301"), Style()))["tells"]
    assert any(tell.endswith("character 1; normalizing removes it.") for tell in tells)
    assert described("\0") == "“U+0000” (U+0000)" and quoted("") == "∅"


def several(number: int, thing: str) -> str:
    """One thing, or several."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


@pytest.mark.parametrize("texts", [(text,) for text in TEXTS] + [(TEXTS[2], TEXTS[3]), ("", "the")])
def test_the_summary_counts(texts: tuple[str, ...]) -> None:
    result = tokenizer()
    encoding = encode(result, texts)
    plain = [plain_journey(result, text) for text in texts]
    markup = summary_html([journey(result, text) for text in texts], encoding, [HOSTILE] * 4, "[UNK]")
    parsed = Parsed(markup)
    assert parsed.tags == {"ol": 1, "li": 4, "b": 4, "span": 4, "p": 4} and parsed.attributes == {"class"}
    messages = re.findall(r"<p>(.*?)</p>", markup)
    rewritten = sum(
        text[start:end] != one
        for text, of in zip(texts, plain, strict=True)
        for one, start, end in of.normalized
    )
    added = 2 + (len(texts) > 1)
    assert messages == [
        f"{rewritten} rewritten, {sum(len(of.removed) for of in plain)} removed",
        f"{several(sum(len(of.words) for of in plain), 'pre-token')}, {several(sum(len(of.dropped) for of in plain), 'character')} left out",
        f"{several(len(encoding) - added, 'token')}, {encoding.tokens.count('[UNK]')} unknown",
        f"{added} added: {several(len(encoding), 'token')} in all",
    ]


# --- windows ------------------------------------------------------------------------------------------------


class Chips(HTMLParser):
    """The windows, read back: of each its class, and every chip's classes and text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.windows: list[tuple[str, list[set[str]]]] = []
        self.maps: list[list[tuple[float, float]]] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given_ = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.attributes |= {*given_}
        classes = {*given_.get("class", "").split()}
        if tag == "section":
            self.windows.append((given_["class"], []))
            self.maps.append([])
        elif tag == "bdi" and "t" in classes:
            self.windows[-1][1].append(classes & {"s", "pad", "again", "hot"})
        elif tag == "i":
            start, width = re.findall(r"[\d.]+(?=%)", given_["style"])
            assert given_["style"] == f"inset-inline-start:{start}%;width:{width}%"
            self.maps[-1].append((float(start), float(width)))


LETTERS = "abcdefghijklmnopqrstuvwxyz"


@cache
def spelled() -> Tokenizer:
    """A tokenizer with the letters of one-letter words as tokens: each token has offsets of its own."""
    trace = train_bpe(
        Corpus.from_texts([" ".join(LETTERS)], pre_tokenizer="whitespace_split"),
        merges=0,
        special_tokens=SPECIAL,
    )
    return trace.tokenizer(unk_token="[UNK]")


def check_windows(
    first: int,
    second: int,
    truncation: Truncation,
    template: str,
    answer: tuple[int, int] | None,
    sequence: int,
) -> None:
    texts = [" ".join(LETTERS[:first]), *([" ".join(LETTERS[:second])] if second else [])]
    try:
        result = spelled().with_options(template=TEMPLATES[template], truncation=truncation)
        result = result.with_options(padding=padding(result))
        [encoding] = result.encode_batch([(texts[0], texts[1]) if second else texts[0]])
    except TokenizersCoreError:
        return
    windows: list[Encoding] = [encoding, *encoding.overflowing]
    requested = AnswerRange(sequence, *answer) if answer else None
    parsed = Chips(windows_html(encoding, Style(), requested))
    assert parsed.tags <= {"div", "section", "h2", "span", "i", "small", "p", "bdi"}
    assert len(parsed.windows) == len(windows)
    positions = [
        [(of, *span) for of, span in zip(one.sequence_ids, one.offsets, strict=True)] for one in windows
    ]
    all_of = {of: {(of, at, at + 1) for at in range(0, len(text), 2)} for of, text in enumerate(texts)}
    wanted = {one for one in all_of[sequence] if answer and one[1] < answer[1] and answer[0] < one[2]}
    for number, (own, (kind, chips)) in enumerate(zip(positions, parsed.windows, strict=True)):
        here = {one for one in own if one[0] is not None}
        before = {*positions[number - 1]} if number else set()
        match = bool(wanted) and wanted <= here
        assert kind == ("" if answer is None else "yes" if match else "no")
        for index, (one, marks) in enumerate(zip(own, chips, strict=True)):
            if one[0] is None:
                assert marks == ({"s"} if windows[number].attention_mask[index] else {"s", "pad"})
                continue
            again = one in before and not all_of[one[0]] <= before
            assert marks == {
                name for name, has in (("again", again), ("hot", match and one in wanted)) if has
            }
        for of, (start, width) in zip(sorted(all_of), parsed.maps[number], strict=True):
            mine = sorted(one[1] // 2 for one in here if one[0] == of)
            total = len(all_of[of])
            assert width == pytest.approx(100 * len(mine) / total, abs=0.051)
            assert not mine or start == pytest.approx(100 * mine[0] / total, abs=0.051)


@quick
@given(
    st.integers(1, 26),
    st.integers(0, 26),
    st.integers(1, 30),
    st.integers(0, 6),
    st.sampled_from(STRATEGIES),
    st.sampled_from(DIRECTIONS),
    st.sampled_from(sorted(TEMPLATES)),
    st.none() | st.tuples(st.integers(0, 50), st.integers(1, 12)),
)
def test_windows_mark_their_overlap_and_the_answer(
    first: int,
    second: int,
    longest: int,
    stride: int,
    strategy: str,
    side: str,
    template: str,
    answer: tuple[int, int] | None,
) -> None:
    try:
        truncation = Truncation(longest, stride, strategy if second else "longest_first", side)
    except TokenizersCoreError:
        return
    length = 2 * (second or first) - 1
    results = (min(answer[0], length), min(answer[0] + answer[1], length)) if answer else None
    check_windows(first, second, truncation, template, results, int(bool(second)))


@pytest.mark.parametrize("side", DIRECTIONS)
def test_windows_of_the_course(side: str) -> None:
    """Ten tokens, six to a window, three of them the template's, one shared: (0, 3), (2, 5), (4, 7), … ."""
    check_windows(10, 0, Truncation(5, 1, "longest_first", side), "bert", (6, 9), 0)
    result = spelled().with_options(template=TEMPLATES["bert"], truncation=Truncation(5, 1, direction=side))
    parsed = Chips(windows_html(result.encode(" ".join(LETTERS[:7])), Style(), None))
    shared = [sum("again" in chip for chip in chips) for _kind, chips in parsed.windows]
    assert shared == [0, 1, 1]


def test_hostile_text_in_windows_is_only_text() -> None:
    result = tokenizer("bpe", "none", "whitespace_split").with_options(truncation=Truncation(12, 2))
    parsed = Chips(windows_html(result.encode(HOSTILE), Style(), AnswerRange(0, 0, 5)))
    assert parsed.tags == {"div", "section", "h2", "span", "i", "small", "p", "bdi"}
    assert parsed.attributes == {"class", "style"}


@pytest.mark.parametrize("template", TEMPLATES)
def test_padding_is_the_models_own(template: str) -> None:
    result = tokenizer("bpe", "none", "byte_level", template, SPECIAL_TOKENS[template] or ("<unk>",))
    match = padding(result)
    if template == "none":
        assert match is None
        return
    expected = {
        "bert": ("[PAD]", 0, 0, "right"), "roberta": ("<pad>", 1, 0, "right"),
        "xlnet": ("<pad>", 5, 3, "left"), "t5": ("<pad>", 0, 0, "right"),
    }[template]  # fmt: skip
    token, identifier, of_type, side = expected  # as the published configurations have them
    assert match == Padding(identifier, of_type, token, side)
    [short, _long] = result.with_options(padding=match).encode_batch(["the", "the river runs by the cafe"])
    last = short.tokens[-1] if side == "left" else short.tokens[0]
    assert last != token and short.attention_mask.count(0) == short.tokens.count(token) > 0


# --- back to text -------------------------------------------------------------------------------------------


def view_of(tokenizer: Tokenizer, *texts: str) -> PipelineView:
    """The view's fields, as far as the tabs use them."""
    result = SimpleNamespace(
        tokenizer=tokenizer,
        texts=texts,
        encoding=encode(tokenizer, texts),
        journeys=[journey(tokenizer, text) for text in texts],
        style=Style(tokenizer.pipeline.byte_level),
    )
    return cast(PipelineView, result)


def decoded(view: PipelineView, sequence: int) -> str:
    own = zip(view.encoding.ids, view.encoding.sequence_ids, strict=True)
    return view.tokenizer.decode([identifier for identifier, of in own if of == sequence])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("pre", PRE_TOKENIZERS)
def test_each_reason_is_given_exactly_when_true(model: str, pre: str) -> None:
    """Plain: look at every character, every token; words that touch in the text but not when decoded."""
    for normalizer in ("none", "nfc", "bert_uncased"):
        result = tokenizer(model, normalizer, pre)
        for text in (*TEXTS, "the river", "the river, and", "who [CLS] runs"):
            view = view_of(result, text)
            back = decoded(view, 0)
            message = losses(view, 0, back)
            if back == text:
                assert message == ["The text comes back exactly as it was."]
                continue
            plain = plain_journey(result, text)
            changed = sum(text[start:end] != one for one, start, end in plain.normalized) + len(plain.removed)
            own = zip(view.encoding.tokens, view.encoding.sequence_ids, strict=True)
            unknown = sum((token, of) == ("[UNK]", 0) for token, of in own)
            kinds = [one.split(":")[0] for one in message]
            assert ("Normalizing" in kinds) == (changed > 0)
            assert ("Splitting" in kinds) == (len(plain.dropped) > 0)
            assert ("The model" in kinds) == (unknown > 0)
            numbers = [
                int(match[1])
                for one in message
                if (match := re.match(r"(?:Normalizing|Splitting|The model): (\d+) ", one))
            ]
            assert numbers == [one for one in (changed, len(plain.dropped), unknown) if one]
            assert message, "what is lost has a reason"


def test_reasons_of_a_pair_are_each_texts_own() -> None:
    result = tokenizer("bpe", "bert_uncased", "bert")
    view = view_of(result, "the river", "Thé 🙂")
    assert decoded(view, 0) == "the river" and len(losses(view, 0, "the river")) == 1
    text = losses(view, 1, decoded(view, 1))
    assert text[0].startswith("Normalizing: 2 characters") and "1 character between" in text[1]
    assert "1 token is [UNK]" in text[2]


@quick
@given(some_text, some_text)
def test_a_difference_has_both_texts(text: str, back: str) -> None:
    markup = difference_html(text, back)
    parsed = Parsed(markup)
    assert {*parsed.tags} <= {"dl", "dt", "dd", "bdi", "del", "ins"} and parsed.attributes <= {"class"}
    same = [
        re.sub(r"<(del|ins)>.*?</\1>", "", one, flags=re.S)
        for one in re.findall(r"<dd><bdi>(.*?)</bdi></dd>", markup, re.S)
    ]
    assert len(same) < 2 or same[0] == same[1]
    assert ("<del>" in markup, "<ins>" in markup) != (False, False) or text == back


# --- maps and entities --------------------------------------------------------------------------------------


@quick
@given(
    some_text,
    some_text,
    st.sampled_from(["bert", "byte_level", "metaspace"]),
    st.integers(0, 30),
    st.integers(0, 1),
)
def test_the_maps_are_the_encodings(text: str, other: str, pre: str, position: int, sequence: int) -> None:
    """The code shown gives, when run, the result shown beside it."""
    encoding = tokenizer("bpe", "nfkc", pre).encode(text, other)
    lines = maps_text(encoding, position, sequence).split("\n")
    for line in lines:
        code, value = line.split("  # → ")
        assert repr(eval(code, {"encoding": encoding})) == value
    assert (
        ("token_to_chars" in lines[2])
        if encoding.char_to_token(position, sequence) is not None
        else len(lines) == 2
    )


@pytest.mark.parametrize(
    ("model", "pre"), [("wordpiece", "bert"), ("bpe", "byte_level"), ("unigram", "metaspace")]
)
def test_the_labels_of_the_example_make_its_names(model: str, pre: str) -> None:
    """The course's sentence: three names, found with their places for any tokens."""
    text = SAMPLES["entities"].first
    result = tokenizer(model, "bert_cased" if pre == "bert" else "none", pre)
    encoding = result.encode(text)
    labels = [
        "O" if of is None else label_of(text, span)
        for of, span in zip(encoding.sequence_ids, encoding.offsets, strict=True)
    ]
    results = {
        entity.text: (entity.label, entity.start, entity.end) for entity in group_entities(labels, encoding)
    }
    assert results == {
        name: (kind, text.index(name), text.index(name) + len(name)) for name, kind in NAMED_ENTITIES.items()
    }


# --- settings -----------------------------------------------------------------------------------------------


def test_presets_are_settings_and_templates_have_their_tokens() -> None:
    choices = {rule.name: rule.choices for rule in PIPELINE_RULES}
    for preset in PRESETS.values():
        assert all(value in choices[name] for name, value in preset.values.items())
    assert SPECIAL_TOKENS.keys() == TEMPLATES.keys()
    for name, template in TEMPLATES.items():
        needed = template.special_tokens if template else ()
        assert {*needed} <= {*SPECIAL_TOKENS[name]} and len({*SPECIAL_TOKENS[name]}) == len(
            SPECIAL_TOKENS[name]
        )


def test_templates_in_words() -> None:
    bert, xlnet = TEMPLATES["bert"], TEMPLATES["xlnet"]
    assert bert is not None
    assert xlnet is not None
    assert pieces_text(bert.pair_pieces) == "[CLS] A [SEP] B [SEP]"
    assert pieces_text(xlnet.single_pieces) == "A <sep> <cls>"
    assert pieces_text(TWO_TEXTS) == "no template"


def test_left_to_right_words_in_a_right_to_left_text_keep_their_direction() -> None:
    """Characters stand in columns: a Latin word or a number must not run backwards in a Hebrew line."""
    result = tokenizer("bpe", "none", "bert")
    encoding = result.encode("שלום hello 12")
    atoms = re.findall(r"<div class=atom data-n=0( dir=ltr)?.*?(?=<div class=atom|$)", StageDrawing(
        result, encoding, journeys(result, encoding), Style()
    ).atoms(), re.S)  # fmt: skip
    assert [bool(turned) for turned in atoms] == [False, False, True, True, True, True, False]
    plain = result.encode("hello 12")
    assert "dir=" not in StageDrawing(result, plain, journeys(result, plain), Style()).atoms()


def test_only_so_many_windows_are_drawn() -> None:
    result = tokenizer("bpe", "none", "bert").with_options(truncation=Truncation(4, 1))
    encoding = result.encode("the river " * 60)
    assert len(encoding.overflowing) > WINDOWS_DRAWN
    html = windows_html(encoding, Style(), AnswerRange(0, 0, 3))
    assert html.count("<section") == WINDOWS_DRAWN


@pytest.mark.parametrize("strategy", ["longest_first", "only_second"])
@pytest.mark.parametrize("lengths", [(3, 40), (40, 40), (25, 24)])
def test_windows_are_counted_before_they_are_built(strategy: str, lengths: tuple[int, int]) -> None:
    """Oracle: the windows themselves. If both texts are cut, some stand several times in the list: at least
    as many."""
    result = tokenizer("bpe", "none", "bert")
    texts = tuple(" ".join("x" * length) for length in lengths)
    truncation = Truncation(lengths[0] + 6, 1, strategy)
    encoding = result.encode(*texts)
    view = cast(PipelineView, SimpleNamespace(texts=texts, encoding=encoding))
    match = result.with_options(truncation=truncation).encode(*texts)
    different = {(one.window(0), one.window(1)) for one in [match, *match.overflowing]}
    assert windows_needed(view, truncation) == len(different)
