"""The chapter to read (`tokenizers_core/plain/`): true to the published figures, and the same as the engine
at every step.

Sources: `golden/*.json`, the worked examples of the Hugging Face course and of BPE with `</w>`, recomputed.
Oracles: the engine's traces and tokenizers; `oracle_*.py`, plain versions that share nothing with either.
Corpora: the published ones, and generated ones with few letters, so that pairs overlap and tie.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import json
import math
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core import oracle_bpe, oracle_unigram, oracle_wordpiece
from tests.samples import examples
from tokenizers_core import Corpus, UnigramTrace, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.plain import (
    bpe,
    byte_alphabet,
    paritybpe,
    pickybpe,
    sentencepiece_bpe,
    superbpe,
    unigram,
    unigram_em,
    viterbi,
    wordpiece,
)  # fmt: skip
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.segmentation import digamma
from tokenizers_core.training.wordpiece import ScoredCandidate

TESTS = Path(__file__).parents[1]
KINDS = (superbpe, pickybpe, paritybpe, sentencepiece_bpe)
CHAPTER = (bpe, byte_alphabet, wordpiece, viterbi, unigram, unigram_em, *KINDS)
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
MOST_LINES = 30
"""Of a function, its docstring included: enough for a slide."""
MOST_CODE = 20
"""Of its lines after the docstring."""

words = (
    st.text("ab", min_size=1, max_size=8)
    | st.text("abc", min_size=1, max_size=6)
    | st.text("aé👍", min_size=1, max_size=4)
)
corpora = st.dictionaries(words, st.integers(1, 5), min_size=1, max_size=6)
latin = st.dictionaries(st.text("abé", min_size=1, max_size=9), st.integers(1, 5), min_size=1, max_size=6)
"""One script: the plain version's seed also has pieces of several."""
few = examples(60)


def golden(name: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((TESTS / "golden" / f"{name}.json").read_text("utf-8"))
    return figures


@cache
def course(pre_tokenizer: str) -> Corpus:
    return Corpus.from_texts(golden("bpe_course")["corpus"], pre_tokenizer=pre_tokenizer)


# --- BPE and WordPiece --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bpe_hug", "bpe_end_of_word", "bpe_course"])
def test_bpe_has_the_published_figures(name: str) -> None:
    figures = golden(name)
    end = "</w>" if name == "bpe_end_of_word" else ""
    size = {"bpe_hug": math.inf, "bpe_end_of_word": 17, "bpe_course": 50}[name]
    special = figures.get("special_tokens", [])
    vocabulary, merges, splits = bpe.train(figures["word_freqs"], size, special, end_of_word=end)
    assert merges == [(tuple(step["pair"]), step["freq"]) for step in figures["steps"]]
    assert vocabulary == [*special, *figures["alphabet"], *(step["token"] for step in figures["steps"])]
    assert splits == figures["final_splits"]


def test_bpe_encodes_the_published_examples() -> None:
    figures = golden("bpe_hug")
    vocabulary, merges, _splits = bpe.train(figures["word_freqs"], len(figures["alphabet"]) + 3)
    for word, tokens in figures["encode_after_three_merges"].items():
        assert bpe.encode(word, merges, vocabulary) == tokens
    figures = golden("bpe_course")
    vocabulary, merges, _splits = bpe.train(figures["word_freqs"], 50, figures["special_tokens"])
    for text, tokens in figures["encode"].items():
        pre_tokens = course("byte_level").pipeline.split(text)
        assert [token for word in pre_tokens for token in bpe.encode(word, merges, vocabulary)] == tokens
        assert byte_alphabet.to_text(bpe.decode(tokens)) == text


@pytest.mark.parametrize(("name", "size"), [("hug", math.inf), ("course", 70)])
def test_wordpiece_has_the_published_figures(name: str, size: float) -> None:
    figures = golden(f"wordpiece_{name}")
    special = figures.get("special_tokens", [])
    vocabulary, merges, splits = wordpiece.train(figures["word_freqs"], size, special)
    assert [(pair, str(score)) for pair, score in merges] == [
        (tuple(step["pair"]), step["score"]) for step in figures["steps"]
    ]
    assert vocabulary == [*special, *figures["alphabet"], *(step["token"] for step in figures["steps"])]
    assert splits == figures["final_splits"]


def test_wordpiece_encodes_the_published_examples() -> None:
    figures = golden("wordpiece_hug")
    published = [*figures["alphabet"], "##gs", "hu", "hug"]
    for word, tokens in figures["encode_with_published_vocab"].items():
        assert wordpiece.encode(word, published) == tokens
    figures = golden("wordpiece_course")
    for word, tokens in figures["encode_word"].items():
        assert wordpiece.encode(word, figures["vocab"]) == tokens
    assert wordpiece.encode("a" * 101, ["a", "##a"]) == ["[UNK]"]
    assert wordpiece.encode("a" * 100, ["a", "##a"]) == ["a", *["##a"] * 99]


def same_merges(trained: tuple[Any, Any, Any], trace: MergeTrace) -> None:
    """The same pairs with the same counts or scores, the same vocabulary, the same words."""
    vocabulary, merges, splits = trained
    assert len(merges) == len(trace)
    for step, (pair, value) in enumerate(merges, start=1):
        event = trace[step].event
        assert event.kind == "merge" and pair == event.pair
        best = event.candidates[0]
        assert value == (best.score if isinstance(best, ScoredCandidate) else event.freq)
    assert tuple(vocabulary) == trace[-1].vocab
    assert {word: tuple(symbols) for word, symbols in splits.items()} == trace[-1].splits()


@few
@given(corpora, st.integers(1, 4), st.sampled_from(["", "</w>"]))
def test_bpe_is_the_engines_at_every_size(counts: dict[str, int], least: int, end: str) -> None:
    corpus = Corpus.from_counts(counts, pre_tokenizer="end_of_word" if end else "whitespace_split")
    whole = train_bpe(corpus, special_tokens=["<s>"], min_frequency=least)
    for size in range(len(whole[0].vocab), len(whole[-1].vocab) + 2):
        trained = bpe.train(counts, size, ["<s>"], least, end)
        same_merges(trained, train_bpe(corpus, size, special_tokens=["<s>"], min_frequency=least))


@few
@given(corpora, st.integers(1, 4))
def test_wordpiece_is_the_engines_at_every_size(counts: dict[str, int], least: int) -> None:
    corpus = Corpus.from_counts(counts)
    whole = train_wordpiece(corpus, special_tokens=["<s>"], min_frequency=least)
    for size in range(len(whole[0].vocab), len(whole[-1].vocab) + 2):
        trained = wordpiece.train(counts, size, ["<s>"], least)
        same_merges(trained, train_wordpiece(corpus, size, special_tokens=["<s>"], min_frequency=least))


@few
@given(corpora)
def test_merging_is_the_oracles(counts: dict[str, int]) -> None:
    symbols = sorted(set("".join(counts)))
    steps, tokens = oracle_bpe.plain_bpe(counts, list, symbols, "first", str.encode, 10_000)
    merges = [(step.pair, step.freq) for step in steps]
    assert bpe.train(counts)[:2] == (tokens, merges)
    for number in range(len(merges) + 1):
        known = merges[:number]
        for word in [*counts, "ba👍"]:
            expected = oracle_bpe.plain_encode(word, [pair for pair, _count in known])
            assert bpe.encode(word, known, [*tokens, "👍", "b", "a"]) == expected
    scored, tokens = oracle_wordpiece.plain_wordpiece(counts, "first")
    assert wordpiece.train(counts)[:2] == (tokens, [(step.pair, step.scores[step.pair]) for step in scored])


@few
@given(corpora, st.text("abcé👍", min_size=1, max_size=9), st.data())
def test_encoding_and_decoding_are_the_engines(
    counts: dict[str, int], word: str, data: st.DataObject
) -> None:
    for end, pre_tokenizer in (("", "whitespace_split"), ("</w>", "end_of_word")):
        trace: Any = train_bpe(Corpus.from_counts(counts, pre_tokenizer=pre_tokenizer))
        step = data.draw(st.integers(0, len(trace)))
        vocabulary, merges, _splits = bpe.train(counts, len(trace[step].vocab), end_of_word=end)
        tokenizer = trace.tokenizer(len(merges))
        tokens = bpe.encode(word, merges, vocabulary, end)
        assert tokens == tokenizer.encode(word).tokens
        if end:  # without a mark, only the tokens of one word can be joined
            assert bpe.decode(tokens * 2, end) == tokenizer.decode(tokenizer.encode(word).ids * 2)
    trace = train_wordpiece(Corpus.from_counts(counts))
    vocabulary, _merges, _splits = wordpiece.train(counts)
    tokens = wordpiece.encode(word, vocabulary)
    assert tokens == trace.tokenizer().encode(word).tokens
    assert wordpiece.decode([*tokens, *tokens]) == " ".join(
        ["".join(token.removeprefix("##") for token in tokens)] * 2
    )


# --- Bytes --------------------------------------------------------------------------------------------------


def test_the_byte_alphabet_is_the_engines() -> None:
    assert [byte_alphabet.SYMBOLS[byte] for byte in range(256)] == list(BYTE_TO_SYMBOL)


@few
@given(st.dictionaries(st.text(min_size=1, max_size=5), st.integers(1, 5), min_size=1, max_size=5))
def test_byte_level_bpe_is_the_engines(counts: dict[str, int]) -> None:
    corpus = Corpus.from_counts(counts, pre_tokenizer="byte_level")
    written = {byte_alphabet.to_symbols(word): count for word, count in counts.items()}
    if tuple(written) != corpus.words:  # a text cut by the pattern
        written = dict(corpus.items())
    trace = train_bpe(corpus, 260, alphabet="bytes")
    vocabulary, merges, splits = bpe.train(written, 260, alphabet=byte_alphabet.SYMBOLS.values())
    same_merges((vocabulary, merges, splits), trace)
    for text in [*counts, "é👍 hug"]:
        tokens = bpe.encode(byte_alphabet.to_symbols(text), merges, vocabulary)
        assert byte_alphabet.to_text(bpe.decode(tokens)) == text
        cut = bpe.decode(tokens[:-1])
        assert byte_alphabet.to_text(cut) == bytes(map(list(BYTE_TO_SYMBOL).index, cut)).decode(
            errors="replace"
        )


# --- Unigram, the course's way ------------------------------------------------------------------------------


def test_viterbi_has_the_published_figures() -> None:
    figures = golden("unigram_hug")
    model = unigram.log_probabilities(dict(figures["freqs_in_order"]))
    best, backpointers = viterbi.forward_pass("unhug", model)
    for row in figures["viterbi_unhug"]:
        assert math.exp(best[row["end"]]) == pytest.approx(row["probability"])
        assert viterbi.backtrace("unhug"[: row["end"]], backpointers) == row["tokens"]
    for word, row in figures["words"].items():
        pieces, log_probability = viterbi.viterbi(word, model)
        assert pieces == row["tokens"] == unigram.encode(word, model)
        assert math.exp(log_probability) == pytest.approx(row["probability"])
    loss = unigram.corpus_loss(figures["word_freqs"], model)
    assert loss == pytest.approx(figures["loss"])
    for piece, cost in figures["removal_losses"].items():
        assert unigram.corpus_loss(figures["word_freqs"], model, piece) - loss == pytest.approx(
            cost, abs=1e-9
        )


def test_the_courses_unigram_has_the_published_figures() -> None:
    figures = golden("unigram_course")
    corpus = figures["word_freqs"]
    seed = unigram.frequent_substrings(corpus, 300)
    assert list(seed.items()) == [tuple(row) for row in figures["seed_freqs_in_order"]]
    model = unigram.log_probabilities(seed)
    for word, row in figures["viterbi"].items():
        pieces, log_probability = viterbi.viterbi(word, model)
        assert pieces == row["tokens"] and -log_probability == pytest.approx(row["cost"])
    assert unigram.corpus_loss(corpus, model) == pytest.approx(figures["initial_loss"])
    model = unigram.train(corpus, 100)
    removed = [piece for row in figures["rounds"] for piece in row["removed"]]
    assert set(model) == set(seed) - set(removed) and len(model) == figures["final_vocab_size"]
    for text, tokens in figures["encode"].items():
        pre_tokens = ["▁" + word for word in text.split()]
        assert [token for word in pre_tokens for token in unigram.encode(word, model)] == tokens
        assert unigram.decode(tokens) == text


def same_rounds(counts: dict[str, int], trace: UnigramTrace) -> None:
    """The same seed, the cost of each piece's removal in every round, and the model after it."""
    seed = unigram.frequent_substrings(counts, trace.settings["seed_size"])
    assert tuple(seed.items()) == trace.seed
    for number, round_ in enumerate(trace.record.rounds, start=1):
        model = dict(trace[round_.first_step - 1].pieces)
        loss = unigram.corpus_loss(counts, model)
        assert loss == round_.loss
        for row in trace.ranking(number):
            assert unigram.corpus_loss(counts, model, row.piece) - loss == row.loss
        left = trace[round_.first_step + round_.pruned - 1].pieces
        assert unigram.log_probabilities({piece: seed[piece] for piece in left}) == dict(left)
    trained = unigram.train(counts, trace.settings["vocab_size"], trace.settings["seed_size"])
    assert list(trained.items()) == list(trace[-1].pieces.items())


@pytest.mark.parametrize("size", [7, 10])
def test_the_courses_unigram_is_the_engines_on_five_words(size: int) -> None:
    same_rounds(HUG, train_unigram(Corpus.from_counts(HUG), vocab_size=size))


def test_the_courses_unigram_is_the_engines_on_its_own_corpus() -> None:
    """Its seed of 300 pieces, its eleven rounds, with tied losses by the dozen."""
    corpus = course("whitespace_split_metaspace")
    same_rounds(dict(corpus.items()), train_unigram(corpus))


@few
@given(corpora, st.integers(0, 6))
def test_the_courses_unigram_is_the_engines_and_the_oracles(counts: dict[str, int], more: int) -> None:
    size = len(set("".join(counts))) + more
    same_rounds(counts, train_unigram(Corpus.from_counts(counts), vocab_size=size))
    _rounds, left = oracle_unigram.plain_unigram_course(counts, 300, size)
    assert unigram.train(counts, size) == {piece: -cost for piece, cost in oracle_unigram.costs(left).items()}


def test_characters_are_never_pruned() -> None:
    assert (
        list(unigram.train(HUG, 0, 0)) == list(unigram.train(HUG, 0)) == ["h", "u", "g", "p", "n", "b", "s"]
    )


@few
@given(corpora, st.text("abcé👍", max_size=9))
def test_the_best_split_is_the_best_of_all(counts: dict[str, int], word: str) -> None:
    trace = train_unigram(Corpus.from_counts(counts))
    model = dict(trace[-1].pieces)
    unknown = min(model.values()) - 10
    pieces, log_probability = viterbi.viterbi(word, model)
    assert "".join(pieces) == word
    best = max(oracle_unigram.all_paths(word, model, unknown), key=lambda path: path[1])
    assert log_probability == pytest.approx(best[1])
    assert unigram.encode(word, model) == trace.tokenizer().encode(word).tokens
    posteriors = oracle_unigram.plain_posteriors(word, model, unknown)
    spans = [(start, end) for start, end, _score in viterbi.edges(word, model)]
    assert [share for _piece, share in unigram_em.edge_posteriors(word, model)] == pytest.approx(
        [posteriors[span] for span in spans]
    )


# --- Unigram, SentencePiece's way ---------------------------------------------------------------------------


def same_steps(counts: dict[str, int], trace: UnigramTrace) -> None:
    """Each step, from the engine's model before it: expected counts, the new model, the ranking, the final
    choice."""
    vocab_size = trace.settings["vocab_size"]
    for step in range(1, len(trace) + 1):
        event, before, after = trace[step].event, dict(trace[step - 1].pieces), dict(trace[step].pieces)
        match event.kind:
            case "e_step":
                expected = unigram_em.expectation_step(counts, before)
                assert expected == close({row.piece: row.freq for row in event.expected})
            case "m_step":
                assert unigram_em.maximization_step(expected) == close(after)
            case "prune" if event.rank == 1:
                unused, losses = unigram_em.rank_pieces(counts, before)
                ranking = trace.ranking(event.round)
                assert losses == close({row.piece: row.loss for row in ranking})
                assert unused == [row.piece for row in ranking[: len(unused)]]
            case "finalize":
                assert unigram_em.final_model(before, trace.alphabet, vocab_size) == close(after)


def close(numbers: dict[str, float]) -> Any:
    return pytest.approx(numbers, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("size", [30, 90])
def test_sentencepiece_is_the_engines_on_the_courses_corpus(size: int) -> None:
    corpus = course("whitespace_split_metaspace")
    counts = dict(corpus.items())
    trace = train_unigram(corpus, vocab_size=size, method="sentencepiece")
    assert {"e_step", "m_step", "finalize"} <= set(trace.record.kinds)
    assert ("prune" in trace.record.kinds) == (size == 30)
    assert tuple(unigram_em.repeated_substrings(counts, corpus.ends).items()) == trace.seed
    same_steps(counts, trace)
    assert unigram_em.train(counts, size, ends=corpus.ends) == close(dict(trace[-1].pieces))


@pytest.mark.parametrize("size", [7, 9])
def test_sentencepiece_is_the_engines_on_five_words(size: int) -> None:
    trace = train_unigram(Corpus.from_counts(HUG), vocab_size=size, method="sentencepiece")
    same_steps(HUG, trace)
    assert unigram_em.train(HUG, size) == close(dict(trace[-1].pieces))


@few
@given(latin)
def test_sentencepiece_is_the_engines_and_the_oracles_on_generated_corpora(counts: dict[str, int]) -> None:
    """From the engine's model before each step, as rounding breaks ties in later rounds one way or the
    other."""
    trace = train_unigram(Corpus.from_counts(counts), vocab_size=20, method="sentencepiece")
    assert tuple(unigram_em.repeated_substrings(counts).items()) == trace.seed
    same_steps(counts, trace)
    model = dict(trace[0].pieces)
    expected = unigram_em.expectation_step(counts, model)
    assert expected == close(oracle_unigram.plain_e_step(counts, model).expected)
    if max(expected.values()) >= 0.5:
        assert unigram_em.maximization_step(expected) == close(oracle_unigram.plain_m_step(expected))


def test_sentencepiece_ends_with_fewer_pieces_than_there_are_characters() -> None:
    assert sorted(unigram_em.train(HUG, 1)) == sorted("hugpnbs")


@given(st.floats(0.5, 1e6))
def test_psi_is_digamma(x: float) -> None:
    assert unigram_em.psi(x) == pytest.approx(digamma(x), rel=1e-9, abs=1e-9)


# --- The files ----------------------------------------------------------------------------------------------


def imported(path: Path) -> set[str]:
    """The modules imported by a source, and for `from a import b` also `a.b`."""
    results = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            results |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            results |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return results


@pytest.mark.parametrize("module", CHAPTER, ids=lambda module: module.__name__)
def test_a_file_needs_the_standard_library_and_the_chapter_alone(module: ModuleType) -> None:
    for name in imported(Path(inspect.getfile(module))):
        assert name.startswith("tokenizers_core.plain.") or name.partition(".")[0] in sys.stdlib_module_names


def test_the_oracles_share_nothing_with_the_engine() -> None:
    oracles = sorted(TESTS.rglob("oracle_*.py"))
    assert oracles
    for path in oracles:
        assert not [name for name in imported(path) if name.startswith(("tokenizers_core", "tokensteps"))]
        assert all(".oracle_" in name for name in imported(path) if name.partition(".")[0] == "tests")


@pytest.mark.parametrize("module", CHAPTER, ids=lambda module: module.__name__)
def test_a_file_begins_with_a_worked_run_and_every_example_is_true(module: ModuleType) -> None:
    text = module.__doc__ or ""
    assert ">>>" in text and ("hug" in text or module in KINDS)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 2 and result.failed == 0


@pytest.mark.parametrize("module", CHAPTER, ids=lambda module: module.__name__)
def test_every_function_fits_on_a_slide(module: ModuleType) -> None:
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.FunctionDef):
            first, last = node.body[0], cast(int, node.end_lineno)
            assert ast.get_docstring(node), node.name
            assert last - node.lineno < MOST_LINES, node.name
            assert last - cast(int, first.end_lineno) <= MOST_CODE, node.name


def test_the_reading_guide_names_every_file() -> None:
    import tokenizers_core.plain as chapter

    names = [module.__name__.rpartition(".")[2] for module in CHAPTER]
    assert [line.split("`")[1] for line in str(chapter.__doc__).splitlines() if line[:1].isdigit()] == names
    files = {path.stem for path in Path(inspect.getfile(chapter)).parent.glob("*.py")}
    assert files - {"__init__"} == {*names}
