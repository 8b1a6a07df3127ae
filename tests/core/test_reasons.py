"""Why not otherwise (`tokenizers_core/encoding/reasons.py`): every reason is true.

Oracle: `oracle_reasons.py`, which merges one place at a time, matches by trying every length, and adds up
every segmentation. For small vocabularies at random, every split of a word is held against it, so a false or
missing reason is found.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.oracle_reasons import by_longest, by_merges, log_probability, merged, segmentations
from tests.samples import examples
from tokenizers_core import Corpus, Tokenizer, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.models.bpe import BpeModel, BpeOptions
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.encoding.reasons import (
    Chosen,
    LessProbable,
    LongerMatch,
    MergedAcross,
    Misspelled,
    NotInVocabulary,
    OverLimit,
    RankedPair,
    Reason,
    TiedSplit,
    UnknownCharacter,
    Unreachable,
    WholeWord,
)
from tokenizers_core.errors import WrongTypeError

Split = tuple[str, ...]
LETTERS = "abc"
WORDS = st.text(LETTERS, min_size=1, max_size=7)


@st.composite
def merges_learned(draw: st.DrawFn) -> list[Pair]:
    """Merges of existing tokens, in an order perhaps impossible in training."""
    tokens = [*LETTERS]
    pairs: dict[Pair, None] = {}
    for _ in range(draw(st.integers(0, 9))):
        pair = Pair(draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens)))
        pairs[pair] = None
        tokens.append(pair.first + pair.second)
    return draw(st.permutations([*pairs])) if draw(st.booleans()) else [*pairs]


def bpe(merges: list[Pair], *more: str, **options: bool) -> BpeModel:
    tokens = dict.fromkeys([*LETTERS, *(one.first + one.second for one in merges), *more])
    return BpeModel([*tokens], merges, options=BpeOptions(**options))


@given(merges_learned(), WORDS, st.lists(WORDS, max_size=3))
@examples(600)
def test_bpe_reasons_are_true(merges: list[Pair], word: str, unmade: list[str]) -> None:
    """`unmade` are tokens without a merge."""
    model = bpe(merges, *unmade)
    ranks = {(one.first, one.second): rank for rank, one in enumerate(merges)}
    actual = by_merges((*word,), ranks)
    for split in segmentations(word):
        check_merged(model, word, split, actual, ranks)


def check_merged(
    model: BpeModel, word: str, split: Split, actual: Split, ranks: dict[tuple[str, str], int]
) -> None:
    reason = model.why_not(word, split)
    known = model.vocabulary.ids
    assert (reason.kind == "chosen") == (split == actual)
    assert (reason.kind == "not_in_vocabulary") == any(token not in known for token in split)
    match reason:
        case NotInVocabulary(token):
            assert token == next(one for one in split if one not in known)
        case Unreachable(token, alone, result):
            assert token in split and by_merges((*token,), ranks) == alone != (token,)
            all_ways = [(token[:cut], token[cut:]) for cut in range(1, len(token))]
            assert [(one.first, one.second) for one in result] == sorted(
                (way for way in all_ways if way in ranks), key=ranks.__getitem__
            )
        case MergedAcross():
            check_crossing(word, split, reason, ranks)
        case _:
            assert isinstance(reason, Chosen)


def check_crossing(word: str, split: Split, reason: MergedAcross, ranks: dict[tuple[str, str], int]) -> None:
    """The first merge across a cut is the one named, and the split's own merge comes later, or never."""
    cuts = {len("".join(split[:at])) for at in range(1, len(split))}
    done = merged((*word,), ranks)
    number, (_, pair, index) = next((number, one) for number, one in enumerate(done) if one[2] in cuts)
    assert (reason.made, reason.position) == (RankedPair(*pair, ranks[pair]), index)
    wanted = []
    at = 0
    for token in split:  # each token's merges, with nothing around it
        wanted += [(one, at + where) for _, one, where in merged((*token,), ranks)]
        at += len(token)
    if reason.wanted is None:  # both parts are tokens of the split
        edges = sorted({0, len(word), *cuts})
        left, right = edges[edges.index(index) - 1], edges[edges.index(index) + 1]
        assert (word[left:index], word[index:right]) == pair
    else:
        first, second, rank = reason.wanted
        assert ranks[first, second] == rank
        before = [(one, where) for _, one, where in done[: number + 1]]
        assert any(one == (first, second) and (one, where) not in before for one, where in wanted)


@given(merges_learned(), WORDS)
@examples(200)
def test_a_word_taken_whole(merges: list[Pair], word: str) -> None:
    model = bpe(merges, word, ignore_merges=True)
    assert model.why_not(word, (word,)) == Chosen((word,))
    for split in segmentations(word):
        if len(split) > 1:
            missing = next((token for token in split if token not in model.vocabulary.ids), None)
            assert model.why_not(word, split) == (
                WholeWord(word) if missing is None else NotInVocabulary(missing)
            )


def test_bpe_on_the_example_of_the_issue() -> None:
    """`se + tt` comes before the merges for `s + ettle`."""
    merges = [
        Pair("t", "t"),
        Pair("s", "e"),
        Pair("l", "e"),
        Pair("e", "tt"),
        Pair("ett", "le"),
        Pair("se", "tt"),
    ]
    tokens = [*"setl", *(one.first + one.second for one in merges)]
    model = BpeModel(tokens, merges)
    reason = model.why_not("settle", ("s", "ettle"))
    assert reason == MergedAcross(RankedPair("s", "e", 1), RankedPair("e", "tt", 3), 1)
    assert model.why_not("settle", ("set", "tle")) == NotInVocabulary("set")
    assert model.why_not("settle", ("sett", "le")).kind == "chosen"
    assert model.why_not("settle", ("se", "tt", "le")) == MergedAcross(RankedPair("se", "tt", 5), None, 2)
    assert model.why_not("settle", ("settle",)) == NotInVocabulary("settle")
    for wrong in ((), ("",), ("settl",), ("settles",), ("s", "", "ettle")):
        assert model.why_not("settle", wrong) == Misspelled("settle")


def test_equal_pairs_that_overlap() -> None:
    model = bpe([Pair("a", "a")])
    assert model.why_not("aaa", ("a", "aa")) == MergedAcross(
        RankedPair("a", "a", 0), RankedPair("a", "a", 0), 1
    )


def test_marks_bytes_and_unknown_characters() -> None:
    joined = BpeModel(
        ["?", "a", "b</w>", "b", "ab</w>"], [Pair("a", "b</w>")], "?", "</w>",
        options=BpeOptions(suffix_joined=True, fuse_unk=True),
    )  # fmt: skip
    assert joined.why_not("ab", ("a", "b</w>")) == MergedAcross(RankedPair("a", "b</w>", 0), None, 1)
    assert joined.why_not("ab", ("ab</w>",)).kind == "chosen"
    assert joined.why_not("xyab", ("x", "y", "ab</w>")) == NotInVocabulary("x")
    assert joined.why_not("xyab", ("?", "ab</w>")).kind == "chosen"
    prefixed = BpeModel(["a", "##b", "##c", "##bc"], [Pair("##b", "##c")], prefix="##")
    assert prefixed.why_not("abc", ("a", "##b", "##c")) == MergedAcross(RankedPair("##b", "##c", 0), None, 2)
    bytes_ = ["<0xC3>", "<0xA9>"]
    falling = BpeModel(["a", "aé", *bytes_], [], options=BpeOptions(byte_fallback=True))
    assert falling.why_not("aé", ("aé",)) == UnknownCharacter("aé", "é", tuple(bytes_))
    assert falling.why_not("aé", ("a", *bytes_)).kind == "chosen"
    dropping = BpeModel(["a", "aé"], [])
    assert dropping.why_not("aé", ("aé",)) == UnknownCharacter("aé", "é", ())


PIECES = st.sets(st.text(LETTERS, min_size=1, max_size=4), max_size=9)


@given(PIECES, PIECES, WORDS)
@examples(600)
def test_wordpiece_reasons_are_true(first: set[str], inside: set[str], word: str) -> None:
    tokens = sorted({*first, *(f"##{one}" for one in inside)})
    model = WordPieceModel(["[UNK]", *tokens], max_characters=6)
    greedy, rest = by_longest(word, tokens)
    actual = greedy if not rest and len(word) <= 6 else ("[UNK]",)
    for pieces in segmentations(word):
        split = (pieces[0], *(f"##{piece}" for piece in pieces[1:]))
        match model.why_not(word, split):
            case Chosen(chosen):
                assert split == chosen == actual
            case OverLimit(length, limit, unk_token):
                assert (length, limit, unk_token) == (len(word), 6, "[UNK]") and length > limit
            case NotInVocabulary(token):
                assert token == next(one for one in split if one not in tokens)
            case LongerMatch(token, longer, left):
                at = next(index for index, one in enumerate(split) if one != greedy[index])
                assert split[at] == token
                assert greedy[: at + 1] == (*split[:at], longer) and len(longer) > len(token)
                assert longer in tokens and longer.startswith(token) and left == rest
            case other:
                raise AssertionError(other)
    assert model.why_not(word, (word, "a")) == Misspelled(word)


SCORES = st.dictionaries(
    st.text(LETTERS, min_size=1, max_size=4),
    st.sampled_from([-1.0, -2.0, -3.0, -4.5, math.log(0.3)]),
    max_size=9,
)


@given(SCORES, WORDS)
@examples(600)
def test_unigram_reasons_are_true(scores: dict[str, float], word: str) -> None:
    model = UnigramModel(["<unk>", *scores], scores)
    unknown = model.unknown
    every = {split: log_probability(split, scores, unknown) for split in segmentations(word)}
    best = max(every.values())
    for split, own in every.items():
        reason: Reason = model.why_not(word, split)
        match reason:
            case Chosen():
                assert own == pytest.approx(best, rel=1e-12)
                assert tuple(model.vocabulary.tokens[one] for one in model.spell(word)) == reason.tokens
            case NotInVocabulary(token):
                assert own == -math.inf and token == next(
                    one for one in split if len(one) > 1 and one not in scores
                )
            case LessProbable():
                assert reason.nats == pytest.approx(best - own) and reason.nats > 0
                assert every[reason.tokens] == pytest.approx(best)
                assert reason.unknown == tuple(one for one in split if one not in scores)
                assert reason.unknown_log == unknown
            case TiedSplit(winner, loser, position, rounding):
                assert own == pytest.approx(best, rel=1e-11)
                ends = [len("".join(split[: at + 1])) for at in range(len(split))]
                assert split[ends.index(position)] == loser and word[:position].endswith(winner)
                assert rounding or len(winner) > len(loser)
            case other:
                raise AssertionError(other)
    assert sum(model.why_not(word, split).kind == "chosen" for split in every) == 1


def test_unigram_takes_what_the_word_becomes() -> None:
    model = UnigramModel(["<unk>", "h", "g"], {"h": -1.0, "g": -1.0})
    for split in (("h", "ü", "g"), ("h", "<unk>", "g")):
        assert model.why_not("hüg", split) == Chosen(("h", "<unk>", "g"))
    long = UnigramModel(["<unk>", "hug"], {"hug": -1.0}, max_length=2)
    assert long.why_not("hug", ("hug",)) == OverLimit(3, 2)


CORPUS = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})


@pytest.mark.parametrize(
    "tokenizer",
    [
        train_bpe(CORPUS, merges=3).tokenizer(),
        train_wordpiece(CORPUS, merges=3).tokenizer(),
        train_unigram(CORPUS, seed_size=30, vocab_size=12).tokenizer(),
    ],
    ids=["bpe", "wordpiece", "unigram"],
)
def test_every_tokenizer_answers(tokenizer: Tokenizer) -> None:
    for word in ("hugs", "pun", "bugs"):
        assert tokenizer.why_not(word, iter(tokenizer.encode(word).tokens)).kind == "chosen"
    assert tokenizer.why_not("", ["a"]) == Misspelled("")
    assert {tokenizer.cut("", way) for way in tokenizer.ways.possible} == {()}
    for bad in ((1, ["a"]), ("a", "a"), ("a", [1]), ("a", None)):
        with pytest.raises(WrongTypeError):
            tokenizer.why_not(*bad)  # type: ignore[arg-type]
