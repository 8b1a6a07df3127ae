"""Runs read from an address, and written into one (`tokensteps/runs/settings.py`).

Oracle: values and complaints, written down by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tokenizers_core import Corpus
from tokenizers_core.errors import CountedRulesError
from tokenizers_core.text.counting import counts_tsv, without_rare
from tokenizers_core.text.cutting import DIGITS, PIECE_DIGITS, CutAt, Scripts
from tokenizers_core.text.rewriting import Replace
from tokensteps.limits import PLAIN_LIMIT, patience
from tokensteps.runs.corpora import EXAMPLES, Source, is_packed, pack_text, unpack_text
from tokensteps.runs.rules import BPE_RULES, COMPARE_RULES, OWN_PATTERN, UNIGRAM_RULES, VIEWS
from tokensteps.runs.settings import (
    Recipe,
    corpus_title,
    read_short,
    read_url,
    setting_text,
    write_short,
)
from tokensteps.server.stores import digest, text_store

DAMAGED = "The text in this link is damaged: ask for the link again, or paste the text."
GONE = "This server no longer has the text of this link: paste or upload it again."
NOISE = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=20_000))
"""A text that no link can hold."""


def recipe(url: Mapping[str, str]) -> Recipe:
    """The settings that BPE's page reads from an address without faults."""
    result, complaints = read_url("bpe", BPE_RULES, url)
    assert (complaints, result.page, result.rules) == ([], "bpe", BPE_RULES)
    return result


def written(one: Recipe) -> dict[str, str]:
    return {name: text for name, text in one.url().items() if text is not None}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ({"corpus": "none"}, ["The link says corpus='none', which is not valid here; the default is used."]),
        ({"corpus": "hug", "size": "0"}, ["The link says size='0', but it must be from 1 to 20,000; the default is used."]),
        ({"corpus": "hug", "size": "9" * 30}, [f"The link says size='{'9' * 20}', but it must be from 1 to 20,000; the default is used."]),
        ({"corpus": "hug", "size": "-5"}, ["The link says size='-5', which is not valid here; the default is used."]),
        ({"corpus": "hug", "special": "x" * 501}, ["The link's special has 501 characters, more than 500; the default is used."]),
        ({"corpus": "hug", "ties": "x" * 90}, [f"The link says ties='{'x' * 80}', which is not valid here; the default is used."]),
        ({"corpus": "hug", "lines": "2", "min": "²"}, [f"The link says {name}, which is not valid here; the default is used." for name in ("min='²'", "lines='2'")]),
        ({"corpus": "hug", "text": "low"}, ["The link has a text and says corpus=hug: its text is left out."]),
        ({"corpus": "hug", "text": ""}, []),
        ({"text": "eNoLz"}, [DAMAGED]),
        ({"text": "eNoLz", "id": "gone"}, [DAMAGED]),
        ({"corpus": "paste", "id": "gone"}, [GONE]),
        ({"corpus": "upload", "id": "gone", "file": "x.txt"}, [GONE]),
        ({"corpus": "paste", "id": ""}, []),
    ],
)  # fmt: skip
def test_wrong_values_are_reported_and_defaults_used(url: dict[str, str], expected: list[str]) -> None:
    result, complaints = read_url("bpe", BPE_RULES, url)
    assert complaints == expected
    assert result.values == recipe({"corpus": result["corpus"]}).values
    assert result.text == result.file[0].replace("x.txt", "") == ""


@pytest.mark.parametrize("runs", ["bpe", "bpe,none,unigram", "bpe,wordpiece,unigram,superbpe,pickybpe", ""])
def test_too_few_or_too_many_or_unknown_runs_are_reported(runs: str) -> None:
    result, complaints = read_url("compare", COMPARE_RULES, {"runs": runs})
    assert result["runs"] == ["bpe", "wordpiece", "unigram"]
    assert complaints == [f"The link says runs='{runs}', which is not valid here; the default is used."]


def test_the_corpus_that_a_page_begins_with() -> None:
    usual = read_url("bpe", BPE_RULES, {}).recipe
    assert usual["corpus"] == "course" and usual == recipe({"corpus": "course"})
    for url in ({}, {"corpus": "none"}):
        assert read_url("bpe", BPE_RULES, url, "hug").recipe["corpus"] == "hug"
    typed = recipe({"text": "low lower"})
    assert (typed["corpus"], typed.text) == ("paste", "low lower")


def test_an_address_has_the_differences_from_the_corpuss_own_rules() -> None:
    url = {
        "corpus": "hug",
        "size": "12",
        "ties": "greatest",
        "special": "<s>",
        "mode": "predict",
        "ask": "pair",
    }
    every = {"corpus", "text", "id", "file", *(rule.name for rule in (*BPE_RULES, *VIEWS))}
    assert written(recipe(url)) == url and {*recipe(url).url()} == every
    own = {"corpus": "hug", "pre": "whitespace_split", "lines": "1"}
    assert written(recipe(own)) == {"corpus": "hug"} and recipe(own).in_link()
    assert written(recipe({"corpus": "hug", "ask": "pair"})) == {"corpus": "hug"}  # nothing is asked


@pytest.mark.parametrize("corpus", ["paste", "counts"])
def test_a_text_of_ones_own_is_in_the_link_or_in_the_store(corpus: str) -> None:
    short = replace(recipe({"corpus": corpus}), text="hug 10")
    assert written(short) == {"corpus": corpus, "text": pack_text("hug 10")} and short.in_link()
    long = replace(short, text=NOISE)
    assert written(long) == {"corpus": corpus, "id": digest(NOISE.encode())} and not long.in_link()
    for one in (short, long):
        assert recipe(written(one)).text == one.text
        for lines in (True, False):
            read = replace(one, values={**one.values, "lines": lines}).source()
            assert read == Source(corpus, one.text.encode(), corpus == "counts", lines)
    empty = replace(short, text="")
    assert written(empty) == {"corpus": corpus} and empty.source() is None


def test_a_file_of_ones_own_is_in_the_store() -> None:
    data = b"hug\xff,10\n"
    file = replace(recipe({"corpus": "upload"}), file=("n" * 90 + ".csv", data))
    url = written(file)
    assert url == {"corpus": "upload", "id": digest(data), "file": "n" * 90 + ".csv"} and not file.in_link()
    assert recipe(url).file == ("n" * 80, data)
    names = {"words.csv": True, "WORDS.TSV": True, "words.txt": False, "csv": False}
    for name, counts in names.items():
        assert replace(file, file=(name, data)).source() == Source(digest(data), data, counts, True)
    whole = replace(file, values={**file.values, "lines": False})
    assert whole.source() == Source(digest(data), data, True, False)
    none = recipe({"corpus": "upload"})
    assert none.file == ("", b"") and none.source() is None and written(none) == {"corpus": "upload"}


def test_invalid_bytes_are_replaced() -> None:
    """A link may name a file as if it were a pasted text."""
    name = text_store().put(b"hug\xff")
    assert recipe({"corpus": "paste", "id": name}).text == read_short(f"!{name}") == "hug\ufffd"
    assert recipe({"text": "hug\ud83c"}).text == "hug?"


def test_an_example_is_read_as_it_is_meant() -> None:
    assert recipe({"corpus": "hug"}).source() == Source("hug", EXAMPLES["hug"].text().encode(), True, True)
    apart = recipe({"corpus": "course", "lines": "0"}).source()
    assert apart == Source("course", EXAMPLES["course"].text().encode(), False, False)


def test_rules_become_a_pipeline() -> None:
    """Texts are replaced before all else, and cuts come in the order of the page."""
    source = Source("x", b"x" * 2_000_000)
    plain = recipe({"pre": "byte_level", "pattern": "cl100k_base"}).pipeline(source)
    assert (plain.normalizer, plain.pre_tokenizer, plain.pattern, plain.timeout) == (
        "none", "byte_level", "cl100k_base", patience(2_000_000),
    )  # fmt: skip
    assert (plain.cuts, plain.user_defined_symbols) == ((), ())
    own = {"pattern": "own", "regex": r"\w+"}
    assert recipe(own).pipeline(None).pattern == r"\w+" and recipe(own).pipeline(None).timeout == patience(0)
    assert recipe({"pattern": "own", "regex": ""}).pipeline(None).pattern == OWN_PATTERN.default
    url = {
        "normalizer": "nfkc", "replace": "a", "put": "b", "kept": "<n> </n> <n>", "cut": "-", "cuts": "merged_with_next",
        "scripts": "1", "digits": "each",
    }  # fmt: skip
    cut = recipe(url).pipeline(None)
    assert cut.normalizer == (Replace("a", "b"), "nfkc") and cut.user_defined_symbols == ("<n>", "</n>")
    assert cut.cuts == (CutAt("-", "MergedWithNext"), Scripts(), DIGITS["each"])
    pieces = {"digits": "each", "kind": "sentencepiece_bpe", "pre": "metaspace"}
    assert recipe(pieces).pipeline(None).cuts == (PIECE_DIGITS,)
    assert recipe(pieces | {"digits": "runs"}).pipeline(None).cuts == (DIGITS["runs"],)
    compared = read_url("compare", COMPARE_RULES, {"normalizer": "nfkc"}).recipe.pipeline(source)
    assert (compared.normalizer, compared.pre_tokenizer, compared.timeout, compared.cuts) == (
        "nfkc", "whitespace_split_metaspace", patience(2_000_000), (),
    )  # fmt: skip


def test_a_file_of_counted_words_brings_its_rules_and_they_must_fit_the_page() -> None:
    counts = without_rare(Corpus.from_texts(["hug hug"], "lowercase"), 1)
    file = ("words.txt", counts_tsv(counts).encode())
    source = replace(recipe({"corpus": "upload", "pre": "end_of_word"}), file=file).source()
    assert source is not None and source.counts and source.is_counted
    pipeline = recipe({"pre": "end_of_word"}).pipeline(source)
    assert pipeline.rules == counts.corpus.pipeline.rules and pipeline.timeout == patience(len(file[1]))
    with pytest.raises(CountedRulesError) as caught:
        read_url("unigram", UNIGRAM_RULES, {}).recipe.pipeline(source)
    assert caught.value.known == next(rule.choices for rule in UNIGRAM_RULES if rule.name == "pre")


def test_short_texts_as_parameters() -> None:
    for text in ("", "hug & pug", "a" * PLAIN_LIMIT, "é" * (PLAIN_LIMIT // 6)):
        assert write_short(text) == text == read_short(text)
    for text in ("~", "!x", "a" * (PLAIN_LIMIT + 1), "é" * (PLAIN_LIMIT // 6 + 1)):
        packed = write_short(text)
        assert packed[0] == "~" and is_packed(packed[1:]) and unpack_text(packed[1:]) == text
        assert read_short(packed) == text
    assert write_short(NOISE) == f"!{digest(NOISE.encode())}" and read_short(write_short(NOISE)) == NOISE
    assert read_short("~nonsense") is read_short("!gone") is None


def test_a_rule_is_put_in_words() -> None:
    rules = {rule.name: rule for rule in BPE_RULES}
    assert setting_text(rules["special"], "") == "Special tokens: none"
    assert setting_text(rules["special"], "<s> </s>") == "Special tokens: <s> </s>"
    assert setting_text(rules["size"], "12000") == "Vocabulary size: 12,000"
    assert [*map(corpus_title, ("paste", "counts", "upload", "hug", "<b>"))] == [
        "Your own text", "Your own word counts", "Your own file", "hug, pug, pun, bun, hugs", "<b>",
    ]  # fmt: skip
