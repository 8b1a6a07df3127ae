"""The health of a vocabulary: tokens produced by some text, tokens produced by none, and the make-up of a
vocabulary.

Oracles: on small vocabularies every text up to a length, encoded one by one, by the `tokenizers` library
where it has the same model; on GPT-2's 50,257 tokens `tiktoken`, asked for each token's own text and for
every text said to have one. For input to a model: every string over letters of all classes, cut by the
pre-tokenizers themselves; all characters of Unicode, encoded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import product
from random import Random

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as LibraryTokenizer
from tokenizers import models

from tests.core.any_text import TELLING, every_text
from tests.samples import examples, sampled, spread
from tokenizers_core import Corpus, Pipeline, Tokenizer, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.models.bpe import BpeModel, BpeOptions
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.health.makeup import FOLDS, doubles, kind_of
from tokenizers_core.health.merges import MergeProofs
from tokenizers_core.health.reach import Checked, Reach
from tokenizers_core.health.report import health
from tokenizers_core.health.scores import outdone
from tokenizers_core.health.texts import characters_lost, completions, fits_in_a_word, in_some_text
from tokenizers_core.health.verdicts import OPEN
from tokenizers_core.text.normalizers import normalized_text
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokensteps.catalogue.health import health_of_loaded
from tokensteps.catalogue.shipped import gpt2

LONGEST = 6


def every(letters: str, longest: int) -> Iterator[str]:
    """All texts of these letters up to a length, but the empty one."""
    for length in range(1, longest + 1):
        yield from map("".join, product(letters, repeat=length))


def some_merges(random: Random, prefix: str = "", suffix: str = "") -> tuple[list[str], list[Pair]]:
    """A vocabulary over a and b, and merges in an order impossible in training: many tokens are never
    formed."""
    tokens = ["a", "b", *((f"{prefix}a", f"{prefix}b") if prefix else ())]
    if suffix:
        tokens += [f"{token}{suffix}" for token in tokens]
    merges: dict[Pair, None] = {}
    for _ in range(random.randint(2, 30)):
        first, second = random.choice(tokens), random.choice(tokens)
        joined = first + second.removeprefix(prefix)
        fits = second.startswith(prefix) and not (suffix and first.endswith(suffix))
        if fits and len(joined.removeprefix(prefix).removesuffix(suffix)) <= LONGEST:
            merges[Pair(first, second)] = None
            tokens.append(joined)
    if random.random() < 0.3:
        tokens.append("".join(random.choices("ab", k=3)))  # perhaps without a merge
    order = [*merges]
    random.shuffle(order)
    return list(dict.fromkeys(tokens)), order


@pytest.mark.parametrize(("prefix", "suffix"), [("", ""), ("#", ""), ("", "/"), ("#", "/")])
def test_a_token_is_formed_in_some_word_or_its_own_symbols_never_meet(prefix: str, suffix: str) -> None:
    kinds = set()
    for seed in range(sampled(480)):
        tokens, merges = some_merges(Random(seed), prefix, suffix)
        # c is never merged: a token formed in some place of a word can stand there.
        tokens += dict.fromkeys([f"{before}c{after}" for before in ("", prefix) for after in ("", suffix)])
        vocab = {token: identifier for identifier, token in enumerate(tokens)}
        marks = {"continuing_subword_prefix": prefix, "end_of_word_suffix": suffix}
        library = LibraryTokenizer(
            models.BPE(vocab, [*merges], **{name: mark for name, mark in marks.items() if mark})
        )
        ours = BpeModel(tokens, merges, "", suffix, prefix, BpeOptions(suffix_joined=bool(suffix)))
        around = ("{}", "c{}", "{}c", "c{}c")
        words = ["c", "ccc", *(one.format(word) for word in every("ab", LONGEST) for one in around)]
        produced = {token for word in words for token in library.encode(word).tokens}
        produced |= {tokens[one] for word in words for one in ours.encode_word(word)}
        proofs = MergeProofs(ours)
        verdicts = {token: proofs.ruled_out(token) for token in tokens}
        assert {token for token in tokens if verdicts[token] is OPEN} == produced, seed
        kinds |= {verdict.kind for verdict in verdicts.values()}
    assert kinds >= {"open", "earlier", "part"}


@pytest.mark.parametrize("seed", range(sampled(320)))
def test_a_reason_names_a_merge_that_does_come_first(seed: int) -> None:
    tokens, merges = some_merges(Random(seed))
    proofs = MergeProofs(BpeModel(tokens, merges))
    for token in tokens:
        verdict = proofs.ruled_out(token)
        if verdict.kind == "earlier":
            own = merges[verdict.own_rank]
            assert own.first + own.second == token
            assert merges[verdict.rank] == verdict.pair
            assert "".join(verdict.instead) == token != verdict.instead[0]
        elif verdict.kind == "part":
            assert "".join(verdict.pair) == token
            assert verdict.text in verdict.pair
            assert verdict.text not in verdict.instead


@pytest.mark.parametrize("seed", range(sampled(320)))
def test_a_piece_is_on_some_best_path_or_loses_in_every_text(seed: int) -> None:
    random = Random(seed)
    words = {"".join(random.choices("ab", k=random.randint(2, 4))) for _ in range(6)}
    scores = {piece: -10 * random.random() for piece in ["a", *words, *(["b"] if seed % 3 else [])]}
    model = UnigramModel(["<unk>", *scores], scores)
    library = LibraryTokenizer(models.Unigram([("<unk>", -20.0), *scores.items()], unk_id=0))
    produced = {token for word in every("ab", 8) for token in library.encode(word).tokens}
    lost = {piece for piece in scores if outdone(model, piece) is not OPEN}
    assert lost.isdisjoint(produced)
    if "b" in scores:  # then nothing but other pieces can beat one
        assert {*scores} - lost <= produced


WORDPIECE_TEXTS = [*every("aA,中 #", 4)]


@pytest.mark.parametrize("seed", range(sampled(96)))
def test_berts_unreachable_tokens_are_ruled_out_and_others_shown(seed: int) -> None:
    random = Random(seed)
    results = {"".join(random.choices("aaA,中", k=random.randint(1, 3))) for _ in range(8)}
    tokens = ["[UNK]", "a", *sorted(results - {"a"}), *(f"##{token}" for token in sorted(results))]
    pipeline = Pipeline("bert_cased" if seed % 6 else "bert_uncased", "bert")
    tokenizer = Tokenizer(pipeline, WordPieceModel(tokens))
    produced = {identifier for text in WORDPIECE_TEXTS for identifier in tokenizer.ids(text)}
    checked = health(tokenizer)
    verdicts = checked.verdicts
    never = {identifier for identifier, verdict in verdicts.items() if verdict.ruled_out}
    assert never.isdisjoint(produced)
    assert checked.finished
    # Nothing is left open here, and every token not ruled out was seen or shown.
    assert {verdict.kind for verdict in verdicts.values()} <= {"apart", "shown", "normalized", "cut", "alone"}
    for identifier, verdict in verdicts.items():
        if verdict.kind == "shown":
            assert identifier in tokenizer.ids(verdict.text)


@pytest.mark.parametrize("seed", range(sampled(96)))
@pytest.mark.parametrize("pre_tokenizer", ["byte_level", "metaspace", "none", "whitespace_split"])
def test_tokens_of_all_short_texts_are_never_ruled_out(pre_tokenizer: str, seed: int) -> None:
    random = Random(seed)
    texts = ["".join(random.choices("ab A1é", k=30)) for _ in range(4)]
    corpus = Corpus.from_texts(
        texts, normalizer=random.choice(["none", "lowercase"]), pre_tokenizer=pre_tokenizer
    )
    tokenizer = train_bpe(corpus, merges=15).tokenizer()
    shuffled = BpeModel(
        [*tokenizer.tokens, "A!", "aA"],
        random.sample(tokenizer.model.merges, len(tokenizer.model.merges)),  # type: ignore[attr-defined]
        "[UNK]",
    )
    tokenizer = Tokenizer(tokenizer.pipeline, shuffled, ["[UNK]"])
    produced = {identifier for text in every("ab A1é", 4) for identifier in tokenizer.ids(text)}
    verdicts = health(tokenizer).verdicts
    assert {one for one, verdict in verdicts.items() if verdict.ruled_out}.isdisjoint(produced)
    assert {one for one, verdict in verdicts.items() if verdict is OPEN}.isdisjoint(produced)


# --- GPT-2 --------------------------------------------------------------------------------------------------


def test_gpt2_has_thirteen_bytes_that_no_text_has_and_all_other_tokens_are_shown() -> None:
    subject = gpt2()
    result = health_of_loaded(subject)
    ranks = {subject.token_bytes(one): one for one in range(50_256)}
    judge = tiktoken.Encoding("gpt2", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={})
    never = {one: verdict for one, verdict in result.verdicts.items() if verdict.ruled_out}
    assert {subject.token_bytes(one)[0] for one in never} == {0xC0, 0xC1, *range(0xF5, 0x100)}
    assert {verdict.kind for verdict in result.verdicts.values()} == {"bytes", "shown", "apart"}
    for one, verdict in result.verdicts.items():
        if verdict.kind == "shown":
            assert one in judge.encode_ordinary(verdict.text)
    own = [one for one in range(50_256) if one not in result.verdicts]
    for one in spread(own, 10_000):
        assert judge.encode_ordinary(subject.token_bytes(one).decode()) == [one]
    assert result.makeup.spaced == sum(data[:1] == b" " != data for data in ranks)
    assert sum(result.makeup.kinds.values()) == 50_256


def test_gpt2_with_two_merges_exchanged_has_tokens_whose_merges_never_meet() -> None:
    """`h` + `e` moved to the front takes the `h` of `Ġt` + `h`; the library says of each whether its own text
    has it."""
    words = {"the": 5, "then": 4, "her": 3, "th": 9}
    tokenizer = train_bpe(Corpus.from_counts(words), merges=4).tokenizer()
    model = tokenizer.model
    assert isinstance(model, BpeModel)
    assert [*map("".join, model.merges)] == ["th", "the", "then", "he"]
    moved = Tokenizer(
        tokenizer.pipeline,
        BpeModel(tokenizer.tokens, [model.merges[3], *model.merges[:3]], "[UNK]"),
        ["[UNK]"],
    )
    verdicts = health(moved).verdicts
    messages = {moved.tokens[one]: verdict for one, verdict in verdicts.items() if verdict.ruled_out}
    assert {token: verdict.kind for token, verdict in messages.items()} == {"the": "earlier", "then": "part"}
    assert messages["the"].pair == ("h", "e")
    assert (messages["the"].rank, messages["the"].own_rank, messages["the"].instead) == (0, 2, ("t", "he"))


# --- Input to a model ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pipeline",
    [
        *(Pipeline(pattern=pattern) for pattern in PATTERNS),
        *(Pipeline(pre_tokenizer=name) for name in PRE_TOKENIZERS if name != "byte_level"),
    ],
    ids=lambda pipeline: pipeline.pattern if pipeline.byte_level else pipeline.pre_tokenizer,
)
def test_all_that_is_within_a_pre_token_fits_in_a_word(pipeline: Pipeline) -> None:
    splitter = pipeline.splitter()
    seen: set[str] = set()
    for letters, longest in (("aAʰ中1.' \n▁", 4), ("'lLrESa", 4), ("\u0301aA.\r\n/ 1", 4)):
        for text in every(letters, longest):
            seen.update(splitter.matches(text))
    within = {
        word[start:end]
        for word in seen
        for start in range(len(word))
        for end in range(start + 1, len(word) + 1)
    }
    assert [stretch for stretch in within if not fits_in_a_word(stretch, pipeline)] == []
    if pipeline.pre_tokenizer != "none":
        assert not fits_in_a_word("a a", pipeline)


@pytest.mark.parametrize("normalizer", ["bert_uncased", "nfkc", ("nfd", "strip_accents", "nfc", "lowercase")])
def test_a_normalized_text_has_no_character_that_cannot_come_out(normalizer: str | tuple[str, ...]) -> None:
    lost = characters_lost(normalizer)
    assert "a" not in lost
    assert ("É" in lost) == (normalizer != "nfkc")

    @examples(150)
    @given(every_text | st.text(st.sampled_from(TELLING + "ÅΩkKﬁẛ가한"), max_size=12))
    def check(text: str) -> None:
        assert lost.isdisjoint(normalized_text(text, normalizer))  # type: ignore[attr-defined]

    check()


def test_bytes_in_a_row_are_those_of_some_text() -> None:
    singles: set[bytes] = set()
    pairs: set[bytes] = set()
    for code in (*range(0x10000), *range(0x10000, sys.maxunicode + 1, 64)):
        if not 0xD800 <= code < 0xE000:
            data = chr(code).encode()
            singles.update(data[at : at + 1] for at in range(len(data)))
            pairs.update(data[at : at + 2] for at in range(len(data) - 1))
    lasts = {bytes([one]) for one in (*range(0xC0),)}
    firsts = {bytes([one]) for one in (*range(0x80), *range(0xC2, 0xF5))}
    pairs |= {last + first for last in lasts for first in firsts}
    assert {bytes([one]) for one in range(256) if in_some_text(bytes([one]))} == singles
    assert {bytes(pair) for pair in product(range(256), repeat=2) if in_some_text(bytes(pair))} == pairs
    assert not in_some_text(b"\x80" * 4)


@pytest.mark.parametrize(
    "data", [b"\xe3", b"\xe3\x81", b"\x81\x82", b"\xf0\x9f", b"\x9f\x92\xa9a", b"\xc3", b"\xa9"]
)
def test_texts_around_parts_of_characters_have_these_parts(data: bytes) -> None:
    texts = [*completions(data)]
    assert texts
    assert all(data in text.encode() for text in texts)


# --- Byte fallback, limits, being stopped -------------------------------------------------------------------


def fallback(pieces: Iterable[str]) -> Tokenizer:
    scores = dict.fromkeys([*pieces, *(f"<0x{byte:02X}>" for byte in range(256))], -5.0)
    return Tokenizer(
        Pipeline(pre_tokenizer="whitespace_split"),
        UnigramModel(["<unk>", *scores], scores, byte_fallback=True),
        ["<unk>"],
    )


def test_a_byte_whose_character_is_a_token_is_never_needed() -> None:
    tokenizer = fallback(["A", "é"])
    messages = {tokenizer.tokens[one]: verdict for one, verdict in health(tokenizer).verdicts.items()}
    assert messages["<0x41>"].kind == "spelled"
    assert messages["<0x42>"].text == "B"
    by_kind = {
        kind: {token for token in messages if messages[token].kind == kind}
        for kind in ("bytes", "open", "shown")
    }
    assert by_kind["bytes"] == {f"<0x{byte:02X}>" for byte in (0xC0, 0xC1, *range(0xF5, 256))}
    assert all(tokenizer.vocab[token] in tokenizer.ids(messages[token].text) for token in by_kind["shown"])
    # White space never reaches the model.
    assert by_kind["open"] <= {f"<0x{byte:02X}>" for byte in range(0x21)}


def test_a_check_has_progress_and_can_be_stopped() -> None:
    tokenizer = fallback("abc")
    messages: list[tuple[int, int | None]] = []

    def stop(done: int, total: int | None) -> bool:
        messages.append((done, total))
        return False

    result = health(tokenizer, stop)
    assert not result.finished
    assert messages == [(259, 260)]
    assert Reach(Checked(["a"], lambda _one: b"a", lambda texts: [[0] for _ in texts])).check() == {}


def test_trained_vocabularies_are_healthy() -> None:
    """BPE can form every learned token: each merge was made in a word of the corpus. (WordPiece and Unigram
    leave symbols of merged words.)"""
    corpus = Corpus.from_texts(["the cat sat on the mat with the rat, then the bat"])
    for trace in (
        train_bpe(corpus, merges=30),
        train_wordpiece(corpus, vocab_size=40),
        train_unigram(corpus, vocab_size=40),
    ):
        tokenizer = trace.tokenizer()
        kinds = {verdict.kind for verdict in health(tokenizer).verdicts.values()}
        assert kinds <= {"apart", "shown", "better"}, trace.algorithm


# --- Make-up of a vocabulary --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [("hug", "Latin"), (" кот", "Cyrillic"), ("ใจ", "Thai"), ("नि", "Devanagari"), ("日本", "Han"), ("한", "Hangul"), ("ア", "Katakana"),
     ("ᚠ", "other"), ("aя", "mixed"), ("don't", "Latin"), ("3rd", "Latin"), (" 42", "digits"), ("٤", "digits"), ("…", "signs"),
     (" ⇒", "signs"), ("\t\t", "space"), ("\u0301", "signs")],
)  # fmt: skip
def test_a_token_is_classified_by_its_letters_script(text: str, kind: str) -> None:
    assert kind_of(text.encode()) == kind


def test_doubles_are_those_that_a_fold_makes_equal() -> None:
    texts = {0: "The", 1: " the", 2: "the", 3: "ﬁ", 4: "fi", 5: " "}
    assert doubles(texts, FOLDS["unicode"]).groups == ((3, 4),)
    assert doubles(texts, FOLDS["capitals"]).groups == ((0, 2), (3, 4))
    assert doubles(texts, FOLDS["space"]).groups == ((1, 2),)
