"""Text to ids and back (`tokenizers_core/encoding/tokenizer.py`).

Oracles, asked during the test with our own vocabulary and merges: the `tokenizers` library for ids and
offsets, through every pre-tokenizer; `tiktoken` for byte-level ids.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache

import pytest
import tiktoken
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import models, normalizers, pre_tokenizers

from tests.samples import examples
from tokenizers_core import BpeTrace, Corpus, Tokenizer, train_bpe, train_wordpiece
from tokenizers_core.errors import PatternTimeoutError, SurrogateError, UnknownIdError
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import PRE_TOKENIZERS

thorough = examples(200)

MULTILINGUAL = """\
The quick brown fox doesn't jump over 12345 lazy dogs; it's  sleeping!
Der schnelle Fuchs läuft über die Straße, naïve Ärzte grüßen.
Быстрая лиса перепрыгивает через ленивую собаку.  Γρήγορη αλεπού.
敏捷的棕色狐狸跳过了懒狗。すばやい茶色の狐がのろまな犬を飛び越える。
الثعلب البني السريع يقفز فوق الكلب الكسول. השועל החום המהיר.
तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है। 빠른 갈색 여우가 게으른 개를 뛰어넘는다.
def f(x):\n\treturn x ** 2  # naïve\r\n👍🏽👨‍👩‍👧 e\u0301 ﬁ ▁ Ġ </w> _x_
"""
"""The training text of these tests' tokenizers."""

texts = st.lists(
    st.one_of(
        st.sampled_from(MULTILINGUAL.split(" ")),
        st.sampled_from(sorted(set(MULTILINGUAL))),
        st.sampled_from([" ", "  ", "\n", "ж", "字", "🦊", "xyz", "<s>", "<s>>", "[UNK]"]),
    ),
    max_size=8,
).map("".join)


def trained(
    pre_tokenizer: str = "byte_level", pattern: str = "gpt2", normalizer: str = "none", **settings_: object
) -> BpeTrace:
    corpus = Corpus.from_texts(MULTILINGUAL.splitlines(), normalizer, pre_tokenizer, pattern)
    return train_bpe(corpus, merges=300, **settings_)  # type: ignore[arg-type]


@cache
def byte_level(pattern: str = "gpt2", *special_tokens: str) -> Tokenizer:
    return trained(pattern=pattern, special_tokens=special_tokens, alphabet="bytes").tokenizer()


# --- Judges from outside ------------------------------------------------------------------------------------


def judge(
    ours: Tokenizer,
    pre_tokenizer: pre_tokenizers.PreTokenizer,
    normalizer: normalizers.Normalizer | None = None,
) -> tokenizers.Tokenizer:
    """The `tokenizers` library with our vocabulary and merges."""
    merges = [tuple(pair) for pair in ours.model.merges]  # type: ignore[attr-defined]
    model = models.BPE(vocab=dict(ours.vocab), merges=merges, unk_token=ours.model.unk_token or None)
    theirs = tokenizers.Tokenizer(model)
    theirs.pre_tokenizer = pre_tokenizer
    if normalizer:
        theirs.normalizer = normalizer
    theirs.add_special_tokens(list(ours.special_tokens))
    return theirs


def isolated(pattern: str) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex(pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


CHARACTER_JUDGES: dict[str, pre_tokenizers.PreTokenizer] = {
    "whitespace_split": pre_tokenizers.WhitespaceSplit(),
    "whitespace": pre_tokenizers.Whitespace(),
    "bert": pre_tokenizers.BertPreTokenizer(),
    "metaspace": pre_tokenizers.Metaspace(),
    "whitespace_split_metaspace": pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    ),
    "none": pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split("\n", behavior="removed"),
            pre_tokenizers.Metaspace(prepend_scheme="never", split=False),
        ]
    ),
}


def check(ours: Tokenizer, theirs: tokenizers.Tokenizer, text: str) -> None:
    encoding, expected = ours.encode(text), theirs.encode(text)
    assert encoding.ids == expected.ids
    assert encoding.tokens == expected.tokens
    assert encoding.offsets == expected.offsets


@pytest.mark.parametrize("pattern", PATTERNS)
def test_byte_level_ids_and_offsets_are_the_librarys(pattern: str) -> None:
    ours = byte_level(pattern, "<s>", "<s>>")
    theirs = judge(ours, isolated(PATTERNS[pattern]))

    @thorough
    @example(MULTILINGUAL)
    @given(texts)
    def check_text(text: str) -> None:
        check(ours, theirs, text)

    check_text()


@pytest.mark.parametrize("name", CHARACTER_JUDGES)
def test_character_ids_and_offsets_are_the_librarys(name: str) -> None:
    ours = trained(name, special_tokens=["<s>", "<s>>"]).tokenizer()
    theirs = judge(ours, CHARACTER_JUDGES[name])

    @thorough
    @example("".join(MULTILINGUAL.splitlines()))
    @given(texts)
    def check_text(text: str) -> None:
        check(ours, theirs, text)

    check_text()


@pytest.mark.parametrize("name", ["lowercase", "bert_uncased"])
def test_offsets_through_a_normalizer_are_the_librarys(name: str) -> None:
    ours = trained("bert", normalizer=name).tokenizer()
    normalizer = (
        normalizers.Lowercase() if name == "lowercase" else normalizers.BertNormalizer(lowercase=True)
    )
    theirs = judge(ours, pre_tokenizers.BertPreTokenizer(), normalizer)

    @thorough
    @given(texts.map(lambda text: text.replace("[UNK]", "")))
    def check_text(text: str) -> None:
        check(ours, theirs, text)

    check_text()


@pytest.mark.parametrize("pattern", ["gpt2", "o200k_base"])
def test_byte_level_ids_are_those_of_tiktoken(pattern: str) -> None:
    ours = byte_level(pattern, "<|end|>")
    ranks = {
        ours.token_bytes(identifier): identifier
        for identifier, token in enumerate(ours.tokens)
        if token != "<|end|>"
    }
    theirs = tiktoken.Encoding(
        "ours", pat_str=PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={"<|end|>": 0}
    )

    @thorough
    @example(MULTILINGUAL)
    @given(texts)
    def check_text(text: str) -> None:
        assert ours.encode(text).ids == theirs.encode(text, allowed_special="all")
        assert ours.decode(ours.encode(text).ids) == theirs.decode(ours.encode(text).ids) == text

    check_text()


# --- There and back -----------------------------------------------------------------------------------------


def test_markers_of_word_parts_stand_for_no_bytes() -> None:
    corpus = Corpus.from_counts({"hug": 10, "hugs": 5, "##": 1})
    pieces = train_wordpiece(corpus, special_tokens=["[UNK]"]).tokenizer()
    ends = train_bpe(corpus, end_of_word_suffix="</w>").tokenizer()
    for tokenizer in (pieces, ends):
        for word in ("hug", "hugs", "##"):
            assert b"".join(map(tokenizer.token_bytes, tokenizer.encode(word).ids)) == word.encode()
    assert [pieces.token_bytes(pieces.vocab[token]) for token in ("##s", "[UNK]")] == [b"s", b"[UNK]"]


@thorough
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.sampled_from([*PATTERNS]))
def test_byte_level_round_trips_any_text(text: str, pattern: str) -> None:
    tokenizer = byte_level(pattern, "<s>")
    encoding = tokenizer.encode(text)
    assert tokenizer.decode(encoding.ids) == text
    assert b"".join(map(tokenizer.token_bytes, encoding.ids)) == text.encode()
    assert len(encoding.tokens) == len(encoding.offsets) == len(encoding.word_ids) == len(encoding)


@thorough
@given(texts, st.sampled_from(PRE_TOKENIZERS), st.sampled_from(["none", "nfc", "nfkd", "bert_uncased"]))
def test_offsets_slice_the_original_text(text: str, name: str, normalizer: str) -> None:
    tokenizer = tokenizer_for(name, normalizer)
    encoding = tokenizer.encode(text)
    assert len(encoding.ids) == len(encoding.offsets) == len(encoding.word_ids)
    previous = 0
    for token, (start, end), word_id in zip(
        encoding.tokens, encoding.offsets, encoding.word_ids, strict=True
    ):
        assert 0 <= start <= end <= len(text)
        assert word_id in (previous, previous + 1)
        previous = word_id
        if normalizer != "none":
            continue
        if token in tokenizer.special_tokens:
            assert text[start:end] == token or (token == "[UNK]" and end == start + 1)
        elif name == "byte_level":
            assert tokenizer.token_bytes(tokenizer.vocab[token]) in text[start:end].encode()
        else:
            # A ▁ put in front of a word has no character of its own: alone, it has the word's first (as the
            # library says); and a spelled-out </w> is not the end of a word.
            shown = text[start:end].replace(" ", "▁")
            assert token in (shown, f"▁{shown}", f"{shown}</w>", "▁")


@cache
def tokenizer_for(name: str, normalizer: str) -> Tokenizer:
    return trained(name, normalizer=normalizer, special_tokens=["<s>"]).tokenizer()


@pytest.mark.parametrize(
    ("name", "text", "back"),
    [
        ("end_of_word", "low  lower", "low lower"),
        ("metaspace", "to be  or", "to be  or"),
        ("whitespace_split_metaspace", "to be  or", "to be or"),
        ("none", "to be  or", "to be  or"),
        ("whitespace_split", "to be", "t o b e"),
    ],
)
def test_decoding(name: str, text: str, back: str) -> None:
    tokenizer = train_bpe(Corpus.from_texts([text], pre_tokenizer=name), merges=0).tokenizer()
    assert tokenizer.decode(tokenizer.encode(text).ids) == back


def test_decoding_a_cut_character_and_special_tokens() -> None:
    tokenizer = byte_level("gpt2", "<s>")
    ids = tokenizer.encode("<s>🦊").ids
    assert tokenizer.decode(ids) == "<s>🦊"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "🦊"
    assert tokenizer.decode(ids[:-1]) == "<s>\ufffd"
    assert tokenizer.decode([]) == ""


def test_ids_outside_the_vocabulary() -> None:
    tokenizer = byte_level()
    size = len(tokenizer.tokens)
    for identifier in (-1, size):
        with pytest.raises(UnknownIdError) as caught:
            tokenizer.decode([identifier])
        message = (
            f"{identifier} is not an id of this vocabulary of {size} tokens; choose one from 0 to {size - 1}."
        )
        assert str(caught.value) == message


# --- Encodings ----------------------------------------------------------------------------------------------


def test_encoding() -> None:
    tokenizer = train_bpe(
        Corpus.from_texts(["low lower lowest"], pre_tokenizer="end_of_word"), merges=3
    ).tokenizer()
    encoding = tokenizer.encode("low lowly")
    assert encoding.tokens == ["low", "</w>", "low", "l", "[UNK]", "</w>"]
    assert encoding.offsets == [(0, 3), (3, 3), (4, 7), (7, 8), (8, 9), (9, 9)]
    assert encoding.word_ids == [0, 0, 1, 1, 1, 1]
    assert encoding.text == "low lowly"
    assert repr(encoding) == f"Encoding(tokens={encoding.tokens!r})"


def test_empty_text() -> None:
    encoding = byte_level().encode("")
    assert (encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids) == ([], [], [], [])


def test_the_end_of_word_symbol_spelled_out_keeps_its_characters() -> None:
    corpus = Corpus.from_counts({"a</w>b": 9}, pre_tokenizer="end_of_word")
    tokenizer = train_bpe(corpus, merges=3).tokenizer()
    encoding = tokenizer.encode("</w>a a</w>")
    assert [encoding.text[start:end] for start, end in encoding.offsets if end > start] == [
        token.removesuffix("</w>") or token
        for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True)
        if end > start
    ]


def test_unknown_characters() -> None:
    trace = train_bpe(Corpus.from_counts({"ab": 2}), merges=1)
    tokenizer = trace.tokenizer()
    assert tokenizer.encode("xabyy").tokens == ["[UNK]", "ab", "[UNK]", "[UNK]"]
    assert (tokenizer.vocab["[UNK]"], tokenizer.special_tokens) == (3, ("[UNK]",))
    assert trace.tokenizer(unk_token="?").encode("x").tokens == ["?"]
    named = train_bpe(trace.corpus, special_tokens=["[UNK]"]).tokenizer()
    assert (named.vocab["[UNK]"], named.encode("x").ids) == (0, [0])


def test_nothing_is_unknown_with_all_bytes() -> None:
    tokenizer = byte_level()
    assert tokenizer.special_tokens == ()
    assert "[UNK]" not in tokenizer.vocab
    # From the corpus's own bytes alone, some are.
    few = train_bpe(Corpus.from_texts(["ab"])).tokenizer()
    assert few.encode("ab!").tokens == ["ab", "[UNK]"]


def test_special_tokens_are_cut_out_first_and_longest_first() -> None:
    tokenizer = train_bpe(
        Corpus.from_counts({"ab<s>": 1}), merges=9, special_tokens=["<s>", "<s><s>", "a"]
    ).tokenizer()
    encoding = tokenizer.encode("<s><s><s>ab")
    assert encoding.tokens == ["<s><s>", "<s>", "a", "b"]
    assert encoding.offsets == [(0, 6), (6, 9), (9, 10), (10, 11)]
    assert encoding.word_ids == [0, 1, 2, 3]
    assert byte_level("gpt2", ".*").encode("x.*y").tokens == ["x", ".*", "y"]


def test_texts_are_encoded_lazily() -> None:
    read: list[str] = []

    def endless() -> Iterator[str]:
        while True:
            read.append("to be")
            yield "to be"

    tokenizer = byte_level()
    ids = tokenizer.encode_iterable(endless())
    assert read == []
    one = tokenizer.encode("to be").ids
    assert [next(ids) for _ in range(3 * len(one))] == 3 * one
    assert len(read) == 3


@thorough
@given(st.lists(texts, max_size=4))
def test_encoding_texts_one_after_the_other(several: list[str]) -> None:
    tokenizer = byte_level("gpt2", "<s>")
    expected = [identifier for text in several for identifier in tokenizer.encode(text).ids]
    assert list(tokenizer.encode_iterable(several)) == expected


def test_words_that_were_encoded_before_are_remembered_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = trained(alphabet="bytes").tokenizer()
    monkeypatch.setattr(type(tokenizer.model), "WORDS_REMEMBERED", 3)
    expected = byte_level().encode(MULTILINGUAL).ids
    assert tokenizer.encode(MULTILINGUAL).ids == expected == tokenizer.encode(MULTILINGUAL).ids
    assert len(tokenizer.model.known_words) == 3
    assert (
        len(tokenizer.model.stretches(str((tokenizer.pipeline.pre_tokenizer, *tokenizer.pipeline.cuts)))) == 3
    )


def test_tokenizers_that_share_a_model_remember_what_their_own_pre_tokenizer_shows() -> None:
    """Of " be", one shows `Ġbe` and the other `▁be`: neither gets the other's cached results. The oracle is a
    separate model."""
    tokenizer = trained(alphabet="bytes").tokenizer()
    other = Tokenizer(Pipeline(pre_tokenizer="none"), tokenizer.model)
    alone = Tokenizer(Pipeline(pre_tokenizer="none"), trained(alphabet="bytes").tokenizer().model)
    text = " be"
    assert tokenizer.encode(text).ids != alone.encode(text).ids
    for _again in range(2):
        assert tokenizer.encode(text).tokens == byte_level().encode(text).tokens
        assert other.encode(text).ids == alone.encode(text).ids


# --- Hostile input ------------------------------------------------------------------------------------------


def test_a_lone_surrogate_is_placed_in_the_whole_text() -> None:
    tokenizer = byte_level("gpt2", "<s>")
    for use in (lambda text: tokenizer.encode(text), lambda text: list(tokenizer.encode_iterable([text]))):
        with pytest.raises(SurrogateError) as caught:
            use("ab<s>\ud83d")
        assert (caught.value.position, caught.value.code_point) == (5, 0xD83D)


def test_a_pattern_of_ones_own_times_out_once_for_all_segments() -> None:
    corpus = Corpus.from_texts(["a"], pattern="(a|aa)+!", timeout=0.2)
    tokenizer = train_bpe(corpus, special_tokens=["<s>"]).tokenizer()
    start = time.thread_time()
    with pytest.raises(PatternTimeoutError):
        tokenizer.encode(("a" * 26 + "<s>") * 200)
    assert time.thread_time() - start < 5


def test_one_long_word_is_encoded_in_near_linear_time() -> None:
    tokenizer = trained("whitespace_split").tokenizer()
    word = MULTILINGUAL.replace(" ", "").replace("\n", "").replace("\t", "").replace("\r", "") * 100
    assert "".join(tokenizer.encode(word).tokens) == word
