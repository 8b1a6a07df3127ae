"""First mistakes: an argument of an impossible type. The error names the argument, its value, its type, and
the right form.

Oracle: for each argument, its valid values; every other value of `VALUES` has to be refused by the engine's
own error.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pandas
import pytest

import tokenizers_core
from tokenizers_core import (
    Corpus,
    Padding,
    Pipeline,
    Template,
    Tokenizer,
    TokenizersCoreError,
    Truncation,
    answer_spans,
    compare,
    first_difference,
    group_entities,
    measure,
    measure_parallel,
    tipping_points,
    tokenizer_from_json,
    tokenizer_to_json,
    train_bpe,
    train_paritybpe,
    train_superbpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.errors import EmptyCorpusError, SettingError, UnreachedSizeWarning
from tokenizers_core.text import cutting

CORPUS = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
BYTES = Corpus.from_texts(["by the way", "on the way"], pre_tokenizer="byte_level")
TOKENIZER, UNIGRAM = train_bpe(CORPUS).tokenizer(), train_unigram(CORPUS, vocab_size=10)
ENCODING = TOKENIZER.encode("hug pug hugs pun")
VALUES: dict[str, Any] = {
    "str": "text", "bytes": b"text", "None": None, "int": 12, "float": 2.5, "bool": True, "texts": ["a", "b"],
    "counts": {"a": 1}, "object": object(), "ints": [1, 2], "nones": [None], "type": int,
}  # fmt: skip
TRAINERS: dict[str, Callable[..., Any]] = {
    "bpe": train_bpe,
    "wordpiece": train_wordpiece,
    "unigram": train_unigram,
    "compare": compare,
}
Call = Callable[[Any], Any]
CALLS: dict[str, tuple[Call, set[str]]] = {
    **{f"{name}: corpus": (train, set()) for name, train in TRAINERS.items()},
    **{
        f"{name}: vocab_size": (lambda value, train=train: train(CORPUS, vocab_size=value), {"int", "None"})
        for name, train in TRAINERS.items()
    },
    **{
        f"{name}: special_tokens": (
            lambda value, train=train: train(CORPUS, special_tokens=value),
            {"texts", "counts"},
        )
        for name, train in TRAINERS.items()
        if name != "compare"
    },
    **{
        f"{name}: {setting}": (
            lambda value, train=train, setting=setting: train(CORPUS, **{setting: value}),
            fine,
        )
        for name, setting, fine in (
            ("bpe", "merges", {"int", "None"}),
            ("wordpiece", "merges", {"int", "None"}),
            ("bpe", "min_frequency", {"int"}),
            ("bpe", "tie_rule", set[str]()),
            ("wordpiece", "tie_rule", set[str]()),
            ("bpe", "alphabet", set[str]()),
            ("bpe", "end_of_word_suffix", {"str", "None"}),
            ("bpe", "continuing_subword_prefix", {"str"}),
            ("unigram", "seed_size", {"int", "None"}),
            ("compare", "seed_size", {"int", "None"}),
            ("unigram", "method", set[str]()),
            ("unigram", "pruned_share", {"None"}),
            ("unigram", "max_piece_length", {"int"}),
            ("unigram", "steps", {"int", "None"}),
            ("wordpiece", "max_input_chars_per_word", {"int"}),
        )
        for train in [TRAINERS[name]]
    },
    "from_texts": (Corpus.from_texts, {"texts", "counts"}),
    "from_counts": (Corpus.from_counts, {"counts"}),
    "from_bytes": (Corpus.from_bytes, {"bytes"}),
    "normalizer": (lambda value: Corpus.from_texts(["a"], normalizer=value), set()),
    "pre_tokenizer": (lambda value: Corpus.from_texts(["a"], pre_tokenizer=value), set()),
    "pattern": (lambda value: Corpus.from_texts(["a"], pattern=value), {"str"}),
    "cuts": (lambda value: Corpus.from_texts(["a"], cuts=value), set()),
    "pipeline: pre_tokenizer": (lambda value: Pipeline(pre_tokenizer=value), set()),
    "timeout": (lambda value: Corpus.from_texts(["a"], timeout=value), {"int", "float"}),
    "encode": (TOKENIZER.encode, {"str"}),
    "pair": (lambda value: TOKENIZER.encode("a", value), {"str", "None"}),
    "ids": (TOKENIZER.ids, {"str"}),
    "encode_batch": (TOKENIZER.encode_batch, {"texts", "counts"}),
    "encode_iterable": (lambda value: list(TOKENIZER.encode_iterable(value)), {"texts", "counts"}),
    "decode": (TOKENIZER.decode, {"ints"}),
    "token": (TOKENIZER.token, {"int"}),
    "explain": (TOKENIZER.explain, {"str"}),
    "tokenizer_from_json": (tokenizer_from_json, set()),
    "tokenizer: special_tokens": (
        lambda value: TOKENIZER.with_options(special_tokens=value),
        {"texts", "counts"},
    ),
    "template": (lambda value: TOKENIZER.with_options(template=value), {"None"}),
    "truncation": (lambda value: TOKENIZER.with_options(truncation=value), {"None"}),
    "padding": (lambda value: TOKENIZER.with_options(padding=value), {"None"}),
    "template: single": (lambda value: Template(value, "$A $B"), set()),
    "template: pair": (lambda value: Template("$A", value), set()),
    "max_length": (Truncation, {"int"}),
    "pad_token": (lambda value: Padding(pad_token=value), {"str"}),
    **{
        f"{name}: unk_token": (
            lambda value, train=train: train(CORPUS).tokenizer(unk_token=value),
            {"str"},
        )
        for name, train in TRAINERS.items()
        if name != "compare"
    },
    "sample: dropout": (lambda value: TOKENIZER.sample("hug", dropout=value), {"None"}),
    "sample: temperature": (
        lambda value: UNIGRAM.tokenizer().sample("hug", temperature=value),
        {"int", "float", "None"},
    ),
    "measure: tokenizer": (lambda value: measure(value, "hug"), set()),
    "measure_parallel: tokenizer": (lambda value: measure_parallel(value, {"en": ["hug"]}), set()),
    "measure_parallel: texts": (lambda value: measure_parallel(TOKENIZER, value), set()),
    "measure_parallel: lines": (
        lambda value: measure_parallel(TOKENIZER, {"en": value}),
        {"texts", "counts"},
    ),
    "tokenizer_to_json": (tokenizer_to_json, set()),
    "first_difference": (lambda value: first_difference(train_bpe(CORPUS), value), set()),
    "parity: global_merges": (
        lambda value: train_paritybpe({"en": CORPUS}, merges=1, global_merges=value),
        {"int"},
    ),
    "parity: window": (
        lambda value: train_paritybpe({"en": CORPUS}, merges=1, window=value),
        {"int", "None"},
    ),
    "parity: ratio": (lambda value: train_paritybpe({"en": CORPUS}, merges=1, ratio=value), {"None"}),
    "length": (lambda value: Padding(length=value), {"int", "None"}),
    "tokenizer: pipeline": (lambda value: Tokenizer(value, TOKENIZER.model), set()),
    "tokenizer: model": (lambda value: Tokenizer(TOKENIZER.pipeline, value), set()),
    "tokenizer: added": (lambda value: TOKENIZER.with_options(added=value), set()),
    "tokenizer: decoder": (lambda value: TOKENIZER.with_options(decoder=value), {"None"}),
    "sample: seed": (lambda value: TOKENIZER.sample("hug", seed=value), {"int"}),
    "all_cuts: seed": (lambda value: TOKENIZER.ways.all_cuts("hug", seed=value), {"int"}),
    **{
        f"{name}: splits": (trace[1].splits, {"None"})
        for name, trace in (("bpe", train_bpe(CORPUS)), ("unigram", UNIGRAM))
    },
    "marked": (train_bpe(CORPUS)[1].marked, {"None"}),
    "tipping_points: words": (lambda value: tipping_points(train_bpe(CORPUS), 1, value), set()),
    "tipping_points: trace": (lambda value: tipping_points(value, 1, ["hug"]), set()),
    "lattice: k": (UNIGRAM[0].lattice("hug").k_best, {"int"}),
    "lattice: temperature": (UNIGRAM[0].lattice("hug").forward, {"int", "float"}),
    "comparison: word": (compare(CORPUS).rank_of, set()),
    "comparison: cuts": (compare(CORPUS)[2].cuts, set()),
    "overlap: name": (compare(CORPUS)[2].overlap().size, set()),
    "comparison: name": (lambda value: compare(CORPUS).first_size(value, 1.5), set()),
    "comparison: most": (lambda value: compare(CORPUS).first_size("bpe", value), {"int", "float"}),
    "renyi: order": (measure(TOKENIZER, "hug").renyi_efficiency, {"int", "float"}),
    "superbpe: vocab_size": (lambda value: train_superbpe(BYTES, value), {"int", "None"}),
    "superbpe: transition": (lambda value: train_superbpe(BYTES, transition=value), {"int", "None"}),
    "superbpe: most_words": (lambda value: train_superbpe(BYTES, most_words=value), {"int"}),
    "superbpe: stretches": (lambda value: train_superbpe(BYTES, stretches=value), {"None"}),
    "answer_spans: encoding": (lambda value: answer_spans(value, 0, 1, 0), set()),
    "answer_spans: start": (lambda value: answer_spans(ENCODING, value, 12, 0), {"int"}),
    "answer_spans: end": (lambda value: answer_spans(ENCODING, 0, value, 0), {"int"}),
    "answer_spans: sequence": (lambda value: answer_spans(ENCODING, 0, 1, value), set()),
    "group_entities: labels": (lambda value: group_entities(value, ENCODING), set()),
    "group_entities: encoding": (lambda value: group_entities(["O"], value), set()),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_type_is_named_with_its_value_and_a_remedy(call: str) -> None:
    work, fine = CALLS[call]
    for name, value in VALUES.items():
        if name in fine:
            work(value)
            continue
        with pytest.raises(TokenizersCoreError) as raised:
            work(value)
        assert str(raised.value).isprintable() and "; " in f"{raised.value}".replace(": ", "; "), (
            name,
            raised.value,
        )


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (
            lambda: train_bpe("to be"),  # type: ignore[arg-type]
            "corpus='to be' is of type str, which can't be used here; make a corpus of it first: "
            "Corpus.from_texts(['a text', 'another']).",
        ),
        (
            lambda: train_bpe(CORPUS, vocab_size="10"),  # type: ignore[arg-type]
            "vocab_size='10' is of type str, which can't be used here; give a whole number, such as 300.",
        ),
        (
            lambda: Corpus.from_counts(["hug", "pug"]),  # type: ignore[list-item]
            "counts='hug' is of type str, which can't be used here; give words with their counts, such as {'hug': 10}; "
            "Corpus.from_texts counts texts.",
        ),
        (
            lambda: TOKENIZER.encode(b"hug"),  # type: ignore[arg-type]
            "text=b'hug' is of type bytes, which can't be used here; give a str; bytes are one after data.decode('utf-8'); "
            "for several texts there is encode_batch.",
        ),
        (
            lambda: TOKENIZER.decode("5 13"),  # type: ignore[arg-type]
            "ids='5 13' is of type str, which can't be used here; give a list of ids, such as [5, 13].",
        ),
        (
            lambda: Tokenizer.load(None),  # type: ignore[arg-type]
            "path=None is of type NoneType, which can't be used here; give a file's name or a Path.",
        ),
        (
            lambda: Tokenizer.load("vocab.txt", special_tokens="[CLS]"),
            "special_tokens='[CLS]' is of type str, which can't be used here; special_tokens is one string, "
            "and its characters aren't texts; write [text].",
        ),
        (
            lambda: Corpus.from_file(3),  # type: ignore[arg-type]
            "path=3 is of type int, which can't be used here; give a file's name or a Path.",
        ),
    ],
)
def test_the_messages(work: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError) as raised:  # as Python's own; and a ValueError as all of the engine's
        work()
    assert isinstance(raised.value, TokenizersCoreError) and str(raised.value) == message


@pytest.mark.parametrize("path", ["a\0b"] if sys.platform == "win32" else ["a\0b", "a\ud800"])
def test_a_path_that_no_system_has(path: str, tmp_path: Path) -> None:
    for work in (Corpus.from_file, Tokenizer.load, TOKENIZER.save):
        with pytest.raises(SettingError, match="character that no file's name may have"):
            work(tmp_path / path)


def test_labels_and_an_unknown_token_have_to_be_text() -> None:
    with pytest.raises(TypeError, match=r"labels=None is of type NoneType.*write each label as a str"):
        group_entities([None] * len(ENCODING), ENCODING)  # type: ignore[list-item]
    for train in (train_bpe, train_wordpiece, train_unigram):
        with pytest.raises(SettingError, match="unk_token='' can't be used: name a token"):
            train(CORPUS, vocab_size=12).tokenizer(unk_token="")
    with pytest.raises(SettingError, match="unk_token='x' can't be used: choose a token of the vocabulary"):
        UnigramModel(["<unk>", "h"], {"h": -1.0}, "x")


@pytest.mark.parametrize(
    "use",
    [
        *(partial(train, CORPUS) for train in (train_bpe, train_wordpiece, train_unigram)),
        partial(Tokenizer.load, "vocab.txt"),
    ],
)
def test_special_tokens_are_read_more_than_once(use: Callable[..., Any]) -> None:
    """Those of an iterator would silently be lost."""
    with pytest.raises(TypeError, match=r"special_tokens=<generator.*: an iterator gives its tokens once"):
        use(special_tokens=(token for token in ["[UNK]", "[CLS]"]))


MISSING = (
    "each row, counted from 0, is a str: leave rows without a text out, as texts.dropna() does in pandas."
)


@pytest.mark.parametrize("count", [Corpus.from_texts, lambda texts: list(TOKENIZER.encode_iterable(texts))])
def test_a_row_without_text_is_named_with_its_number(count: Call) -> None:
    """Oracle: pandas, for trying the remedies."""
    series = pandas.Series(["to be", "or not", None, "to be"], index=list("abcd"))
    for texts, value, kind in (
        (series.astype(object).where(series.notna(), float("nan")), "nan", "float"),
        (["to be", "or not", None], "None", "NoneType"),
        (iter(["to be", "or not", 7]), "7", "int"),
    ):
        with pytest.raises(TypeError) as raised:
            count(texts)
        assert str(raised.value) == f"texts[2]={value} is of type {kind}, which can't be used here; {MISSING}"
    with pytest.raises(TypeError, match=r"^texts\[1\]=b'or' is of type bytes, .* data.decode\('utf-8'\)\.$"):
        count(["to be", b"or"])
    assert count(series.dropna()) == count(["to be", "or not", "to be"])


def test_a_row_of_a_batch_without_text_is_named_with_its_number() -> None:
    for value in (None, float("nan"), b"hug", ("hug",)):
        with pytest.raises(TypeError, match=r"^inputs\[2\]=.* each row, counted from 0, is a text or a pair"):
            TOKENIZER.encode_batch(["hug", ("hug", "pug"), value])  # type: ignore[list-item]


@pytest.mark.parametrize("count", [Corpus.from_texts, TOKENIZER.encode_batch, TOKENIZER.encode_iterable])
def test_a_table_needs_a_column(count: Call) -> None:
    """Before, its column names, the items of a loop over it, were taken for texts."""
    name = "inputs" if count == TOKENIZER.encode_batch else "texts"
    for column in ("text", "said"):
        table = pandas.DataFrame({"label": [1, 2], column: ["to be", "or not"]})
        with pytest.raises(TypeError) as raised:
            count(table)
        assert str(raised.value).endswith(
            f"give one of its columns, such as {name}['{column}'], of ['label', '{column}']."
        )
        count(table[column])


def test_all_bytes_at_once() -> None:
    with pytest.raises(
        TypeError, match=r"bytes are one after data\.decode\('utf-8'\), and write \[text\]\.$"
    ):
        Corpus.from_texts(b"to be")  # type: ignore[arg-type]
    assert Corpus.from_texts([b"to be".decode()]).lines == 1


@pytest.mark.parametrize(
    ("count", "rows", "nothing"),
    [
        (Corpus.from_texts, ["to be", "or not"], [""]),
        (Corpus.from_counts, [("to", 2), ("be", 1)], [("", 1)]),
    ],
)
def test_a_generator_that_was_read_before(count: Call, rows: list[Any], nothing: list[Any]) -> None:
    generator = (row for row in rows)
    assert count(generator).lines == 2
    with pytest.raises(EmptyCorpusError) as raised:
        count(generator)
    assert str(raised.value) == (
        "The corpus is empty: an iterator gives its texts once, and this one has none left; make a new one, or give a list."
    )
    for empty in ([], iter(nothing)):
        with pytest.raises(EmptyCorpusError, match="no text was given; add some text"):
            count(empty)


def test_words_that_pandas_has_counted() -> None:
    counts = pandas.Series(["hug", "pug", "hug"]).value_counts()
    expected = Corpus.from_counts({"hug": 2, "pug": 1})
    for value in (dict(counts), counts.items(), counts.to_dict()):
        assert Corpus.from_counts(value) == expected


@pytest.mark.parametrize("train", [train_bpe, train_wordpiece])
def test_an_unreachable_size_causes_a_warning(train: Callable[..., Any]) -> None:
    """Oracle: the remedy, the largest size without a warning."""
    with pytest.warns(UnreachedSizeWarning, match="vocab_size=500 can't be reached") as warned:
        trace = train(CORPUS, vocab_size=500)
    assert (str(warned[0].message), warned[0].filename) == (str(trace.shortfall), __file__)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnreachedSizeWarning)
        train(CORPUS, vocab_size=trace.shortfall.reached)
        train(CORPUS)
        with pytest.raises(UnreachedSizeWarning):
            train(CORPUS, vocab_size=trace.shortfall.reached + 1)


def test_the_named_parts_are_there() -> None:
    """The remedy for wrong cuts can be written as it stands."""
    with pytest.raises(
        TypeError, match=r"cuts='each' is of type str.* such as \[tokenizers_core\.text\.cutting"
    ) as error:
        Corpus.from_texts(["a 12"], pre_tokenizer="end_of_word", cuts="each")  # type: ignore[arg-type]
    match = re.search(r"\[(tokenizers_core\S+)\]", str(error.value))
    assert match and eval(match[1], {"tokenizers_core": tokenizers_core}) == cutting.DIGITS["each"]
    for one in (cutting.CutAt, 3, "each"):
        with pytest.raises(TypeError, match=r"cuts=.* can't be used here"):
            Corpus.from_texts(["a 12"], cuts=[one])  # type: ignore[list-item]
        with pytest.raises(TypeError, match=r"pre_tokenizer=.* can't be used here"):
            Corpus.from_texts(["a 12"], pre_tokenizer=(one,))  # type: ignore[arg-type]


def test_what_holds_numbers_of_each_language_does() -> None:
    corpora = {"en": CORPUS, "de": CORPUS}
    expected = train_paritybpe(corpora, merges=3, ratio=[1, 2])
    numpy = pytest.importorskip("numpy")
    for ratio in (
        numpy.array([1.0, 2.0]), pandas.Series([1.0, 2.0]), {"en": 1, "de": 2}.values(), iter([1, 2]), [Decimal(1), Decimal(2)],
    ):  # fmt: skip
        assert train_paritybpe(corpora, merges=3, ratio=ratio) == expected  # type: ignore[arg-type]
    with pytest.raises(TokenizersCoreError, match="a number above 0: en, de"):
        train_paritybpe(corpora, merges=3, ratio=[True, True])
    train_paritybpe(corpora, merges=3, window=numpy.int64(5), alpha=numpy.float32(1.5))  # type: ignore[arg-type]


def test_a_languages_lines_are_named() -> None:
    for lines, named in (("a line", "'a line'"), (iter(["a"]), "")):
        with pytest.raises(TypeError, match=rf"^texts\['de'\]={named}"):
            measure_parallel(TOKENIZER, {"en": ["hug"], "de": lines})  # type: ignore[dict-item]
    table = pandas.DataFrame({"en": ["hug", "pug"], "de": ["bun", "hugs"]})
    with pytest.raises(TypeError, match=r"of a table, texts\.to_dict\('list'\)"):
        measure_parallel(TOKENIZER, table)  # type: ignore[arg-type]
    assert measure_parallel(TOKENIZER, table.to_dict("list")).lines == 2


def test_numbers_of_other_libraries_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert len(train_bpe(CORPUS, vocab_size=numpy.int64(10)).tokens) == 10
    assert Truncation(numpy.int64(8)) == Truncation(8) and Padding(length=numpy.int64(8)) == Padding(length=8)
    assert TOKENIZER.decode(numpy.array([1, 2])) == TOKENIZER.decode([1, 2])


def test_the_package_is_marked_as_typed() -> None:
    assert (Path(__file__).parents[2] / "tokenizers_core" / "py.typed").is_file()
