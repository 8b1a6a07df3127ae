"""From a learner's choices to the engine's parameters (`tokensteps/runs/algorithms.py`, `kinds.py`,
`trainings.py`, `tippings.py`, `corpora.py`).

Oracle: the engine's arguments, and the figures of five words, written down by hand.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pytest

import tokensteps.runs.corpora
from tokenizers_core import Corpus, tokenizer_to_json, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.errors import CountedRulesError, SettingError, VocabSizeError
from tokenizers_core.text.counting import counts_tsv, without_rare
from tokenizers_core.text.cutting import DIGITS
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training.kinds.superbpe import SECOND_PATTERN
from tokensteps.language.messages import explained
from tokensteps.limits import SEED_LIMIT
from tokensteps.runs.algorithms import (
    BPE,
    COMPARE_ALGORITHM,
    UNIGRAM,
    WORDPIECE,
    Algorithm,
    compared,
    seed_pieces,
)
from tokensteps.runs.corpora import CorpusError, Source, plain_text, within_limits
from tokensteps.runs.kinds import languages_of
from tokensteps.runs.parallel import ParallelError
from tokensteps.runs.rules import USUAL_SEED
from tokensteps.runs.settings import read_url
from tokensteps.runs.tippings import bound_for, is_short
from tokensteps.runs.trainings import Written, go_on, seed_for, train_all, train_model
from tokensteps.server.stores import digest
from tokensteps.server.tasks import Progress
from tokensteps.server.traces import pickled

COUNTS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
HUG = Corpus.from_counts(COUNTS)
RULES = Pipeline("lowercase", "whitespace_split", "cl100k_base", 9.0, (DIGITS["each"],), ("<n>",))
"""None of them the usual one."""
MERGING = {"vocab_size": None, "min_frequency": 1, "special_tokens": (), "tie_rule": "first"}
LIMITED = {"longest": "3", "letters": "9", "initial": "é é ü", "coverage": "0.95"}
LIMITS = {
    "max_token_length": 3,
    "limit_alphabet": 9,
    "initial_alphabet": ("é", "ü"),
    "character_coverage": 0.95,
}
PRUNING = {
    "seed_size": 15, "vocab_size": 7, "method": "course", "exact": False, "whole_words": False, "special_tokens": (),
    "max_piece_length": 16, "initial_alphabet": (), "character_coverage": 1.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("algorithm", "url", "settings"),
    [
        (BPE, {}, MERGING | {"alphabet": "corpus"}),
        (BPE, {"size": "9", "min": "2", "special": "<s> </s>", "ties": "greatest"},
         {"vocab_size": 9, "min_frequency": 2, "special_tokens": ("<s>", "</s>"), "tie_rule": "greatest", "alphabet": "corpus"}),
        (BPE, LIMITED | {"bytes": "1"}, MERGING | LIMITS | {"alphabet": "corpus", "byte_fallback": True}),
        (BPE, {"alphabet": "bytes"}, MERGING | {"alphabet": "corpus"}),
        (BPE, {"pre": "byte_level", "alphabet": "bytes", "bytes": "1"}, MERGING | {"alphabet": "bytes"}),
        (BPE, LIMITED | {"kind": "superbpe", "transition": "12", "mostwords": "3", "second": "x"},
         MERGING | {"alphabet": "corpus", "kind": "superbpe", "transition": 12, "most_words": 3, "second_pattern": "x"}),
        (BPE, {"kind": "pickybpe", "threshold": "0.6"}, MERGING | {"alphabet": "corpus", "kind": "pickybpe", "threshold": "0.6"}),
        (BPE, {"kind": "paritybpe", "together": "5", "recent": "8"},
         MERGING | {"alphabet": "corpus", "kind": "paritybpe", "global_merges": 5, "window": 8}),
        (BPE, {"kind": "paritybpe"}, MERGING | {"alphabet": "corpus", "kind": "paritybpe", "global_merges": 0, "window": None}),
        (BPE, {"kind": "sentencepiece_bpe"},
         MERGING | {"alphabet": "corpus", "kind": "sentencepiece_bpe", "tie_rule": "shortest", "max_token_length": 16,
                    "initial_alphabet": (), "character_coverage": 1.0, "byte_fallback": False}),
        (BPE, {"kind": "sentencepiece_bpe", "bytes": "1", "ties": "greatest", **LIMITED},
         MERGING | {"alphabet": "corpus", "kind": "sentencepiece_bpe", "tie_rule": "shortest", "max_token_length": 3,
                    "initial_alphabet": ("é", "ü"), "character_coverage": 0.95, "byte_fallback": True}),
        (WORDPIECE, {"pre": "bert"}, MERGING | {"max_input_chars_per_word": 100}),
        (WORDPIECE, {"maxword": "5", **LIMITED}, MERGING | LIMITS | {"max_input_chars_per_word": 5}),
        (UNIGRAM, {}, PRUNING),
        (UNIGRAM, {"exact": "1", "initial": "é", "longest": "3", "coverage": "0.9", "bytes": "1", "whole": "1"},
         PRUNING | {"exact": True, "max_piece_length": 3, "character_coverage": 0.9, "byte_fallback": True, "whole_words": True}),
        (UNIGRAM, {"method": "sentencepiece", "exact": "1", "initial": "é", "special": "<s>"},
         PRUNING | {"method": "sentencepiece", "initial_alphabet": ("é",), "special_tokens": ("<s>",)}),
        (UNIGRAM, {"seed": "", "size": "8000"}, PRUNING | {"seed_size": 24_000, "vocab_size": 8_000}),
        (COMPARE_ALGORITHM, {"runs": "unigram,bpe", "ties": "greatest", "seed": "70", "size": "12"},
         {"runs": ("bpe", "unigram"), "kinds": {}, "vocab_size": 12, "tie_rule": "greatest", "method": "course", "seed_size": 70}),
        (COMPARE_ALGORITHM, {"runs": "pickybpe,superbpe,bpe,sentencepiece_bpe", "threshold": "0.5", "transition": "9"},
         {"runs": ("bpe", "superbpe", "pickybpe", "sentencepiece_bpe"), "vocab_size": 300, "tie_rule": "first",
          "kinds": {"superbpe": {"transition": 9, "most_words": 4, "second_pattern": SECOND_PATTERN}, "pickybpe": {"threshold": "0.5"}},
          "method": "course", "seed_size": None}),
    ],
)  # fmt: skip
def test_rules_become_settings_of_the_engine(
    algorithm: Algorithm[Any], url: dict[str, str], settings: dict[str, Any]
) -> None:
    assert algorithm.run_at({"corpus": "hug", **url}).settings == settings


def test_emptied_boxes_mean_the_usual_numbers() -> None:
    """An emptied number box is None."""
    for algorithm, url, emptied in (
        (BPE, {}, ("min",)),
        (BPE, {"kind": "superbpe"}, ("mostwords", "second")),
        (BPE, {"kind": "paritybpe"}, ("together",)),
        (BPE, {"kind": "sentencepiece_bpe"}, ("longest",)),
        (WORDPIECE, {}, ("min", "maxword")),
        (UNIGRAM, {}, ("longest",)),
    ):
        recipe = read_url(algorithm.name, algorithm.rules, {"corpus": "hug", **url}).recipe
        there = replace(recipe, values={**recipe.values, **dict.fromkeys(emptied)})
        run, usual = algorithm.run(there), algorithm.run(recipe)  # type: ignore[attr-defined]
        assert run.settings == usual.settings, (algorithm.name, url)


def test_a_runs_name_covers_all_of_its_settings() -> None:
    run = BPE.run_at({"corpus": "hug"})
    assert run.name == BPE.run_at({"corpus": "hug", "show": "bytes"}).name
    trace = run.make(Progress())
    assert pickle.loads(pickled(run.name) or b"").record == trace.record
    others = [
        WORDPIECE.run_at({"corpus": "hug"}),
        *(BPE.run_at({"corpus": "hug", name: text}) for name, text in (("size", "9"), ("normalizer", "nfkc"))),
        *(replace(run, source=replace(run.source, **change)) for change in (
            {"data": b"hug 1"}, {"counts": False}, {"lines": False}, {"recount": (("hug", 3),)}, {"recount": (("hug", 4),)},
        )),
    ]  # fmt: skip
    assert len({run.name, *(other.name for other in others)}) == 1 + len(others)
    assert replace(run, source=replace(run.source, name="x", texts=True)).name == run.name
    with pytest.raises(ValueError, match="names no corpus"):
        BPE.run_at({"corpus": "paste"})


def test_texts_go_along_where_counted_words_are_not_enough() -> None:
    def texts(algorithm: Algorithm[Any], **url: str) -> bool:
        task = algorithm.run_at({"corpus": "course", **url}).task
        assert task.grows == (algorithm is not COMPARE_ALGORITHM) and task.train is algorithm.train
        return bool(task.source.texts)  # type: ignore[attr-defined]

    assert [texts(BPE, kind=kind) for kind in ("plain", "pickybpe", "superbpe", "paritybpe")] == [
        False, False, True, True,
    ]  # fmt: skip
    assert [texts(COMPARE_ALGORITHM, runs=runs) for runs in ("bpe,unigram", "bpe,superbpe")] == [False, True]
    assert not texts(UNIGRAM)
    assert compared(["unigram", "x", "bpe"]) == ("bpe", "unigram")


def test_how_many_pieces_pruning_starts_from() -> None:
    """Three times the size and 1,000 at least on Unigram's page; four times where the size is all that is
    chosen."""
    arguments = ((None, None), (None, 333), (None, 334), (None, 16_000), (None, 20_000), (7, 8_000))
    assert [*map(seed_pieces, *zip(*arguments, strict=True))] == [1_000, 1_000, 1_002, 48_000, SEED_LIMIT, 7]
    assert [seed_for(size) for size in (1, 100, SEED_LIMIT, None)] == [4, 400, SEED_LIMIT, USUAL_SEED]


def test_impossible_comparisons_are_reported_in_the_pages_names() -> None:
    with pytest.raises(VocabSizeError) as size:
        train_all(HUG, vocab_size=3)
    assert explained(size.value) == (
        "Largest vocabulary: 3 is below the alphabet's 7 symbols; choose at least 7."
    )
    with pytest.raises(VocabSizeError) as one:
        train_all(Corpus.from_counts({"aa": 2}), ["bpe", "unigram"], vocab_size=0)
    assert explained(one.value) == (
        "Largest vocabulary: 0 is below the alphabet's 1 symbol; choose at least 1."
    )
    with pytest.raises(SettingError) as seed:
        train_all(HUG, vocab_size=12, seed_size=2)
    assert explained(seed.value).startswith("Unigram's seed vocabulary: 2 can't be used; choose at least 7")
    with pytest.raises(SettingError) as alone:
        train_all(HUG, ["bpe"], vocab_size=12)
    assert explained(alone.value) == "runs='bpe' can't be used: name two at least."
    with pytest.raises(ParallelError):  # its text is read as a table
        train_all(HUG, ["bpe", "paritybpe"], vocab_size=12)


def test_the_pipelines_model_is_trained_by_its_usual_rules() -> None:
    """Pairs that occur once are left alone; Unigram is SentencePiece's."""
    corpus = Corpus.from_texts(["ab ab cd"], pre_tokenizer="byte_level")
    bpe: Any = train_model(corpus, "bpe", 300, ("<s>",), "bytes")
    assert (
        bpe.record
        == train_bpe(corpus, 300, special_tokens=("<s>",), alphabet="bytes", min_frequency=2).record
    )
    assert len(bpe) == 1 < len(train_bpe(corpus, 300, alphabet="bytes"))
    pieces: Any = train_model(HUG, "unigram", 8, ("<s>",), "bytes")
    wanted = train_unigram(HUG, 32, 8, "sentencepiece", special_tokens=("<s>",))
    assert pieces[-1].pieces == wanted[-1].pieces and pieces.settings == wanted.settings
    assert train_model(HUG, "bpe", 20, (), "corpus", progress=lambda *_: False).stop_reason == "stopped"
    whole = Corpus.from_texts(["ab ab cd"], pre_tokenizer="whitespace_split")
    assert len(train_model(whole, "wordpiece", 30, (), "bytes")) == 1 < len(train_wordpiece(whole, 30))


def test_training_goes_on_from_a_written_tokenizer() -> None:
    old = train_bpe(HUG, merges=2, special_tokens=("[UNK]",)).tokenizer()
    written = Written(tokenizer_to_json(old))
    assert list(written.tokenizer().tokens) == list(old.tokens)
    assert repr(written) == f"Written({digest(written.document.encode())})"
    more = Corpus.from_counts({"mug": 3, "hug": 1})
    mine, wanted = go_on(more, "bpe", written, merges=1), train_bpe(more, merges=1, extend=old)
    assert list(mine.tokenizer().tokens) == list(wanted.tokenizer().tokens) and len(mine) == 1


def test_how_far_tipping_points_are_searched() -> None:
    """Twice the highest count, from 10 to 100; where that is asked for up to a tenth of a second."""
    counts = {1: 10, 5: 10, 6: 12, 12: 24, 50: 100, 51: 100}
    assert {n: bound_for(train_bpe(Corpus.from_counts({"ab": n, "c": 1}))) for n in counts} == counts
    merging, pruning = train_bpe(HUG), train_unigram(HUG, vocab_size=8)  # words of 16 symbols in all
    assert is_short(merging, 2_500, ["hug"]) and not is_short(merging, 2_501, ["hug"])
    assert is_short(merging, 1_250, ["hug", "pug"]) and not is_short(merging, 1_251, ["hug", "pug"])
    assert is_short(pruning, 146, ["hug"]) and not is_short(pruning, 147, ["hug"])


# --- Corpora ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "size", "says"),
    [
        ("WORD_LIMIT", 4, "a word of 4 symbols, 'hugs', but the limit is 3: add spaces"),
        (
            "CORPUS_LIMIT",
            16,
            "different words have 16 symbols in total, but the limit is 15: use a shorter text",
        ),
        ("SYMBOLS_LIMIT", 113, "have 113 symbols in total, but the limit is 112: divide all counts"),
    ],
)
def test_a_corpus_may_have_so_many_symbols(
    limit: str, size: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokensteps.runs.corpora, limit, size)
    assert within_limits(HUG) is HUG
    monkeypatch.setattr(tokensteps.runs.corpora, limit, size - 1)
    with pytest.raises(CorpusError) as caught:
        within_limits(HUG)
    assert says in str(caught.value)


def test_too_long_a_word_is_shown_in_part() -> None:
    error = CorpusError("word", 26, "abcdefghijklmnopqrstuvwxyz")
    assert "a word of 26 symbols, 'abcdefghi…rstuvwxyz', but" in str(error)


def test_a_source_is_read_by_the_pipelines_rules() -> None:
    rules = RULES
    text = Source("x", b"AB<n>ab\nCD ab\n")
    for texts in (False, True):
        progress: list[int] = []
        corpus = replace(text, texts=texts).corpus(rules, progress.append)
        assert progress and max(progress) >= 12
        assert dict(corpus.items()) == {"ab": 3, "cd": 1} and corpus.pipeline == rules
        assert corpus.texts == (("AB<n>ab", "CD ab") if texts else ())
    recounted = replace(text, recount=(("ab", 9), ("cd", 0))).corpus(rules)
    assert dict(recounted.items()) == {"ab": 9}
    counts = Source("x", b"AB<n>ab 3\ncd 1\n", counts=True).corpus(rules)
    assert dict(counts.items()) == {"ab": 6, "cd": 1} and counts.pipeline == rules
    for texts in (False, True):
        assert replace(text, lines=False, texts=texts).corpus(rules).pipeline == rules
    assert Source("x", b"a b\nc", lines=False, texts=True).corpus(rules).texts == ("a b\nc",)


def test_a_file_of_counted_words_is_read_by_its_own_rules_alone() -> None:
    counted = without_rare(Corpus.from_texts(["low low", "lower"], "lowercase"), 1)
    source = Source("x", counts_tsv(counted).encode(), counts=True)
    assert source.counted_by(9.0) == replace(counted.corpus.pipeline, timeout=9.0)
    assert dict(source.corpus(counted.corpus.pipeline).items()) == dict(counted.corpus.items())
    recipe = replace(read_url("bpe", BPE.rules, {"corpus": "upload"}).recipe, file=("x.txt", source.data))
    run = BPE.run(recipe)
    assert run is not None and run.pipeline.rules == counted.corpus.pipeline.rules
    with pytest.raises(CountedRulesError, match="other rules apply here"):
        source.corpus(Pipeline())
    assert replace(source, counts=False).counted_by() is None is Source("x", b"low 2", True).counted_by()


def test_a_table_becomes_a_corpus_for_each_language() -> None:
    table = Source("x", b"en\tde\nHi<n>\tHallo 12\nyou\tdu\n", texts=True).corpus(RULES)
    for texts, corpora in ((False, languages_of(table)), (True, languages_of(table, True))):
        assert {language: dict(one.items()) for language, one in corpora.items()} == {
            "en": {"hi": 1, "you": 1},
            "de": {"hallo": 1, "1": 1, "2": 1, "du": 1},
        }
        assert all(one.pipeline == RULES for one in corpora.values())
        assert corpora["de"].texts == (("Hallo 12", "du") if texts else ())


def test_a_table_is_trained_on_language_by_language() -> None:
    """For SuperBPE beside parity-aware BPE, the languages know their texts."""
    text = "en\tde\nthe cat\tdie Katze\n"
    trace: Any = BPE.run_at({"corpus": "paste", "text": text, "kind": "paritybpe"}).make(Progress())
    assert [*trace.corpora] == ["en", "de"]
    table = Source("x", text.encode(), texts=True).corpus(Pipeline())
    assert [*train_all(table, ["superbpe", "paritybpe"], vocab_size=20)[0].standings]


def test_halves_of_pairs_are_replaced() -> None:
    assert (plain_text(None), plain_text("\ud83c\udf75 \udf75"), plain_text("")) == ("", "🍵 \ufffd", "")
