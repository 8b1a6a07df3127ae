"""Other ways to split a word with a vocabulary (`tokenizers_core/encoding/inference.py`).

Source: Uzan et al. 2024. Oracles: all splits of a short word enumerated; WordPiece's own encoding, which is longest match from the
left; and BPE's merges, which give the same tokens in their order.
"""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import Corpus, train_bpe, train_wordpiece
from tokenizers_core.encoding.inference import fewest_tokens, longest_match, piece
from tokenizers_core.training.wordpiece import WordPieceModel

WORDS = st.text("abc", max_size=7)
TOKENS = st.sets(st.text("abc", min_size=1, max_size=4), max_size=9)


def every_split(word: str) -> list[tuple[str, ...]]:
    splits = []
    for cuts in product((False, True), repeat=max(0, len(word) - 1)):
        ends = [place for place, cut in enumerate((*cuts, True), 1) if cut] if word else []
        splits.append(tuple(word[start:end] for start, end in zip([0, *ends], ends, strict=False)))
    return splits


@given(WORDS, TOKENS)
@examples(200)
def test_the_fewest_tokens_of_all_splits(word: str, tokens: set[str]) -> None:
    possible = [split for split in every_split(word) if all(len(one) == 1 or one in tokens for one in split)]

    def unknown(split: tuple[str, ...]) -> int:
        return sum(one not in tokens for one in split)

    expected = min(possible, key=lambda split: (unknown(split), len(split), [-len(one) for one in split]))
    assert fewest_tokens(word, tokens) == expected


@given(st.dictionaries(WORDS.filter(bool), st.integers(1, 9), min_size=1), WORDS.filter(bool))
@examples(100)
def test_longest_match_is_how_wordpiece_encodes(counts: dict[str, int], word: str) -> None:
    model = train_wordpiece(Corpus.from_counts(counts), merges=6).tokenizer().model
    assert isinstance(model, WordPieceModel)
    split = model.longest_matches(word)
    if split != ["[UNK]"]:
        symbols = [piece(word, place, place + 1, "") for place in range(len(word))]
        written = [symbols[0], *(f"##{symbol}" for symbol in symbols[1:])]
        assert longest_match(written, model.vocabulary.ids, "##") == tuple(split)


@given(st.dictionaries(WORDS.filter(bool), st.integers(1, 9), min_size=1), WORDS.filter(bool))
@examples(100)
def test_no_way_takes_fewer_tokens_than_the_fewest(counts: dict[str, int], word: str) -> None:
    model = train_bpe(Corpus.from_counts({**counts, "abc": 1}), merges=6).tokenizer().model
    by_merges = model.vocabulary.read(model.start(word))  # type: ignore[attr-defined]
    fewest = fewest_tokens(by_merges, model.vocabulary.ids)
    assert len(fewest) <= min(len(longest_match(word, model.vocabulary.ids)), len(tuple(model.spell(word))))
    assert "".join(fewest) == word


def test_where_the_ways_part() -> None:
    """Longest match takes abc, and then d is left alone; the fewest are two tokens in either case; merges may take three."""
    tokens = {"a", "b", "c", "d", "e", "ab", "abc", "cde", "de"}
    assert longest_match("abcde", tokens) == ("abc", "de")
    assert fewest_tokens("abcde", tokens) == ("abc", "de")
    tokens -= {"de"}
    assert longest_match("abcde", tokens) == ("abc", "d", "e")
    assert fewest_tokens("abcde", tokens) == ("ab", "cde")
