"""One vocabulary, several ways to cut a word (`tokenizers_core/encoding/cuts/`).

Source: Uzan et al. 2024; golden/inference.json has worked examples. Oracles: all splits of a short word
enumerated, the greedy ways written out on strings, the models' own encoding and sampling, and a recount word
by word.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

from tests.samples import examples
from tokenizers_core import Corpus, Tokenizer, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.cuts.steps import PATHS_STEPPED
from tokenizers_core.encoding.cuts.table import PieceTable, longest_match, names_of, placed
from tokenizers_core.encoding.cuts.ways import SAMPLED, WAYS, Ways, cut_text
from tokenizers_core.encoding.models.bpe import BpeModel, BpeOptions
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.errors import SettingError
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "inference.json").read_text("utf-8"))
WORDS = st.text("abc", min_size=1, max_size=7)
TOKENS = st.sets(st.text("abc", min_size=1, max_size=4), max_size=9)
COUNTS = st.dictionaries(WORDS, st.integers(1, 9), min_size=1)
Split = tuple[str, ...]


def every_split(word: str) -> list[Split]:
    splits = []
    for cuts in product((False, True), repeat=len(word) - 1):
        ends = [index for index, cut in enumerate((*cuts, True), 1) if cut]
        splits.append(tuple(word[start:end] for start, end in zip([0, *ends], ends, strict=False)))
    return splits


def from_left(word: str, tokens: Collection[str]) -> list[str] | None:
    if not word:
        return []
    first = next((word[:end] for end in range(len(word), 0, -1) if word[:end] in tokens), None)
    rest = None if first is None else from_left(word[len(first) :], tokens)
    return None if rest is None or first is None else [first, *rest]


def from_right(word: str, tokens: Collection[str]) -> list[str] | None:
    backwards = from_left(word[::-1], {token[::-1] for token in tokens})
    return None if backwards is None else [token[::-1] for token in reversed(backwards)]


def longest_anywhere(word: str, tokens: Collection[str]) -> list[str] | None:
    if not word:
        return []
    for size in range(len(word), 0, -1):
        for start in range(len(word) - size + 1):
            if word[start : start + size] in tokens:
                before = longest_anywhere(word[:start], tokens)
                after = longest_anywhere(word[start + size :], tokens)
                whole = before is not None and after is not None
                return [*before, word[start : start + size], *after] if whole else None  # type: ignore[misc]
    return None


PLAIN: dict[str, Callable[[str, Collection[str]], list[str] | None]] = {
    "longest_prefix": from_left,
    "longest_suffix": from_right,
    "longest_token": longest_anywhere,
}


def shortest(word: str, tokens: Collection[str]) -> list[Split]:
    possible = [split for split in every_split(word) if {*split} <= {*tokens}]
    fewest = min(map(len, possible), default=0)
    return sorted(
        (split for split in possible if len(split) == fewest), key=lambda split: [-len(one) for one in split]
    )


def cut_by(ways: Ways, word: str, way: str) -> Split | None:
    return names_of(ways.cut(word, way))


def three(counts: dict[str, int]) -> list[Tokenizer]:
    corpus = Corpus.from_counts(counts)
    return [
        train_bpe(corpus, merges=6).tokenizer(),
        train_wordpiece(corpus, merges=6).tokenizer(),
        train_unigram(corpus, vocab_size=9).tokenizer(),
    ]


@pytest.mark.parametrize("word", GOLDEN["words"])
def test_the_golden_words(word: str) -> None:
    table = PieceTable.build(word, {*GOLDEN["vocabulary"]})
    known = GOLDEN["words"][word]
    for way in PLAIN:
        taken = [*getattr(table, way)()]
        assert names_of(table.whole(taken)) == tuple(known[way]), way
    assert [names_of(path) for path in table.shortest_paths()] == [*map(tuple, known["fewest_tokens"])]


@given(WORDS, TOKENS)
@examples(300)
def test_longest_first_and_fewest_as_written_out(word: str, tokens: set[str]) -> None:
    table = PieceTable.build(word, tokens)
    for way, plain in PLAIN.items():
        expected = plain(word, tokens)
        result = names_of(table.whole([*getattr(table, way)()]))
        assert result == (None if expected is None else tuple(expected)), way
    expected_paths = shortest(word, tokens)
    assert [names_of(path) for path in table.shortest_paths()] == expected_paths
    assert table.shortest_count == len(expected_paths)
    assert table.shortest_paths(1) == table.shortest_paths()[:1]
    assert table.fewest_before[-1] == (len(expected_paths[0]) if expected_paths else None)


@given(COUNTS, WORDS)
@examples(60)
def test_a_models_own_way_is_its_encoding(counts: dict[str, int], word: str) -> None:
    for tokenizer in three(counts):
        ways, unknown = tokenizer.ways, tokenizer.model.unk_token
        own = tuple(tokenizer.tokens[one] for one in tokenizer.model.encode_word(word))
        result = cut_by(ways, word, tokenizer.model.way)
        assert result == (None if unknown in own else own)
        fewest = ways.cut(word, "fewest_tokens")
        for way in ways.possible:
            cut = ways.cut(word, way)
            assert cut is None or (fewest is not None and len(fewest) <= len(cut))
            assert tokenizer.cut(word, way) == names_of(cut)


@given(COUNTS, WORDS, st.integers(0, 5))
@examples(60)
def test_steps_end_at_the_cut(counts: dict[str, int], word: str, seed: int) -> None:
    """Each step takes the first fitting choice, and the last one has the whole word; a sample is the model's
    own with the same seed."""
    for tokenizer in three({**counts, "cab": 1}):
        ways = tokenizer.ways
        everything = ways.all_cuts(word, 0.5, seed)
        for way in (*ways.possible, SAMPLED):
            steps, cut = ways.cut_steps(word, way, 0.5, seed), everything.cuts[way]
            if way in PLAIN:
                assert steps.stop_reason == ("spelled" if cut else "stuck")
                assert steps[-1].taken == (cut or steps[-1].taken)
                for snapshot in steps[1:]:
                    if snapshot.event.kind == "take":
                        assert snapshot.event.options[0] == snapshot.event.piece
            elif way == "fewest_tokens":
                paths = [one.event.path for one in steps if one.event.kind == "path"]
                assert (*paths,) == everything.paths and (paths[0] if paths else None) == cut
                assert len(steps) == len(word) + min(everything.path_count, PATHS_STEPPED)
            elif way == SAMPLED:
                sampled = tokenizer.model.sample(word, 0.5, Random(seed))
                unknown = tokenizer.model.unk_token in sampled
                assert names_of(cut) == (None if unknown else sampled)
                assert steps.stop_reason == ("stuck" if unknown else "spelled")
                assert unknown or steps[-1].taken == cut


@given(st.lists(WORDS, min_size=1, max_size=12), COUNTS)
@examples(40)
def test_a_text_is_its_words(words: list[str], counts: dict[str, int]) -> None:
    for tokenizer in three(counts):
        ways = tokenizer.ways
        result = cut_text(ways, Counter(words))
        cuts = [ways.cuts(word) for word in words]
        splits = [{cut for cut in one.values() if cut is not None} for one in cuts]
        assert result.occurrences == len(words)
        assert result.different == sum(len(one) > 1 for one in splits)
        for way, total in result.totals.items():
            mine = [one for one in cuts if one[way] is not None]
            assert total.words == len(mine)
            assert total.tokens == sum(len(one[way] or ()) for one in mine)
            assert total.unlike == sum(one[way] != one[result.own] for one in mine)
        order = [(one.different, one.spread, one.occurrences) for one in result.most]
        assert order == sorted(order, reverse=True)


def test_the_library_cuts_two_hundred_kilobytes_alike() -> None:
    """Judge: the `tokenizers` library on GPT-2's vocabulary. Its WordPiece, without a prefix, is the longest
    prefix; on everything written backwards it is the longest suffix; and its Unigram, where all pieces are
    equally probable, needs as few tokens as possible."""
    merges = (ROOT / "assets/vocabularies/gpt2/merges.txt").read_text("utf-8").splitlines()
    vocabulary = [*BYTE_TO_SYMBOL, *("".join(line.split(" ")) for line in merges)]
    ids = {token: index for index, token in enumerate(vocabulary)}
    backwards = {token[::-1]: index for token, index in ids.items()}
    options = {"unk_token": "a", "continuing_subword_prefix": "", "max_input_chars_per_word": 10_000}
    forward, reverse = models.WordPiece(ids, **options), models.WordPiece(backwards, **options)
    equal = models.Unigram([(token, -1.0) for token in vocabulary], 0, False)
    text = "".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
    text += "".join(path.read_text("utf-8") for path in sorted((ROOT / "assets/corpora").rglob("*.txt")))
    text += "".join(path.read_text("utf-8") for path in sorted((ROOT / "tokenizers_core/text").glob("*.py")))
    assert len(text.encode()) > 200_000
    words = {*Corpus.from_texts([text]).words}
    ways = Ways(BpeModel(vocabulary, []))
    for word in words:
        table = ways.table(word)
        prefix, suffix, fewest = (
            names_of(ways.cut(word, way, table))
            for way in ("longest_prefix", "longest_suffix", "fewest_tokens")
        )
        assert prefix == tuple(one.value for one in forward.tokenize(word)), word
        assert suffix == tuple(one.value[::-1] for one in reversed(reverse.tokenize(word[::-1]))), word
        assert fewest is not None and len(fewest) == len(equal.tokenize(word)), word


def test_where_the_ways_part() -> None:
    """Longest match takes abc, and then d is left alone; the fewest are two tokens in either case; merges may
    take three."""
    tokens = {"a", "b", "c", "d", "e", "ab", "abc", "cde", "de"}
    assert longest_match("abcde", tokens) == ("abc", "de")
    assert longest_match("abcde", tokens - {"de"}) == ("abc", "d", "e")
    assert names_of(PieceTable.build("abcde", tokens - {"de"}).shortest_paths()[0]) == ("ab", "cde")
    assert longest_match("abx", tokens) is None


def test_special_unknown_and_byte_tokens_are_no_part_of_a_word() -> None:
    """A text may be written like one of them; byte tokens stand for characters without a token, and for
    nothing else."""
    tokens = ["<unk>", "<s>", "<", "s", ">", "u", "n", "k", "<0xC3>", "<0xA9>", "0", "x", "C", "3"]
    model = BpeModel(tokens, [], "<unk>", options=BpeOptions(byte_fallback=True))
    ways = Ways(model, {"<s>"})
    assert cut_by(ways, "<s>", "longest_prefix") == ("<", "s", ">")
    assert cut_by(ways, "<unk>", "fewest_tokens") == ("<", "u", "n", "k", ">")
    assert cut_by(ways, "<0xC3>", "longest_token") == ("<", "0", "x", "C", "3", ">")
    assert cut_by(ways, "sé", "longest_suffix") == ("s", "<0xC3>", "<0xA9>")
    assert cut_by(ways, "sé", "merges") == ("s", "<0xC3>", "<0xA9>")


def test_prefixes_and_suffixes() -> None:
    wordpiece = train_wordpiece(Corpus.from_counts({"hug": 10, "hugs": 5, "gs": 3}), merges=3).tokenizer()
    assert wordpiece.cut("hugs", "longest_suffix") is not None
    assert [one.startswith("##") for one in wordpiece.cut("hugs", "longest_suffix") or ()][:1] == [False]
    ended = train_bpe(Corpus.from_texts(["low lower low"], pre_tokenizer="end_of_word"), merges=5).tokenizer()
    for way in ended.ways.possible:
        assert "".join(ended.cut("low", way) or ()) == "low</w>"
    assert placed(("a", "b"), ("ab", "c")) is None and placed("aab", ("a",), at_end=True) is None


def test_ways_that_a_model_lacks() -> None:
    bpe = BpeModel(["a", "b", "ab"], [Pair("a", "b")])
    unigram = UnigramModel(["<unk>", "a"], {"a": -1.0})
    assert "most_probable" not in Ways(bpe).possible and Ways(bpe).cut("ab", "most_probable") is None
    assert "merges" not in Ways(unigram).possible
    assert {*Ways(bpe).possible} | {*Ways(unigram).possible} == {*WAYS}
    with pytest.raises(SettingError, match="longest_prefix, longest_suffix"):
        Ways(bpe).cut("ab", "backwards")
