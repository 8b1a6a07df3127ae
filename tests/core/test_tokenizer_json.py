"""Saving and loading our own tokenizers (`tokenizers_core/files/tokenizer_json.py`).

Oracles: the `tokenizers` library and `transformers.PreTrainedTokenizerFast`, which load our files and have to
give the same ids, offsets and texts; and the saved tokenizer, to be equal after loading. `benchmarks/text.py`
and `assets/corpora` are the texts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from benchmarks.text import library_text, prose
from tests.samples import STRESS, examples
from tokenizers_core import (
    TEMPLATES,
    Corpus,
    Padding,
    Template,
    Tokenizer,
    Truncation,
    train_bpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.encoding.decoders import (
    BpeDecoder,
    ByteLevelDecoder,
    Decoder,
    MetaspaceDecoder,
    SpaceDecoder,
    WordPieceDecoder,
)
from tokenizers_core.errors import PatternError, SettingError, UnsavableError
from tokenizers_core.files.oniguruma import from_oniguruma, to_oniguruma
from tokenizers_core.files.tokenizer_json import (
    algorithm_of,
    from_document,
    pipeline_of,
    special_tokens_of,
    template_of,
    tokenizer_from_json,
    tokenizer_to_json,
)
from tokenizers_core.files.writer import to_document
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import Pipeline, pre_tokenize
from tokenizers_core.text.splitting import PRE_TOKENIZERS

thorough = examples(100)

CORPORA = Path(__file__).parents[2] / "assets" / "corpora"
SCRIPTS = (
    "".join(path.read_text("utf-8") for path in sorted(CORPORA.glob("*.txt")))
    + """\
The quick brown fox doesn't jump over 12345 lazy dogs; it's  sleeping!
Der schnelle Fuchs läuft über die Straße, naïve Ärzte grüßen. ÉTÉ İstanbul ΑΣ
Быстрая лиса перепрыгивает через ленивую собаку.  Γρήγορη αλεπού.
敏捷的棕色狐狸跳过了懒狗。すばやい茶色の狐がのろまな犬を飛び越える。
الثعلب البني السريع يقفز فوق الكلب الكسول. השועל החום המהיר.
तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है। 빠른 갈색 여우가 게으른 개를 뛰어넘는다.
def f(x):\n\treturn x ** 2  # naïve\r\n👍🏽👨‍👩‍👧 e\u0301 ﬁ ▁ Ġ _x_ <s> <pad> <s><s>
"""
)
"""Many scripts: the training text of these tests' tokenizers."""

MEGABYTE = 1_000_000
OWN_PATTERN = r"^\s*#[^\n]*|\p{L}+|\p{N}{1,2}+|[^\s\p{L}\p{N}]++|\s+$|\s"


@cache
def megabyte() -> str:
    """A million bytes of code, prose and many scripts: the training lines rotated, so that not all of them
    are the same."""
    lines = [line for line in SCRIPTS.splitlines() if "<s>" not in line]
    turns = 400_000 // len("\n".join(lines).encode()) + 1
    turned = [line[by % 40 :] + " " + line[: by % 40] for by in range(turns) for line in lines]
    text = "\n".join([SCRIPTS, library_text(300_000), prose(300_000), *turned])
    return text.encode()[:MEGABYTE].decode("utf-8", "ignore")


@cache
def part_of_it() -> str:
    """All scripts, and every sixteenth line of that megabyte; under `make stress` every fourth."""
    return SCRIPTS + "\n".join(megabyte().split("\n")[:: 4 if STRESS else 16])


SPECIAL = ("<pad>", "<s>", "<s><s>")

ALGORITHMS: dict[str, Callable[[Corpus], Tokenizer]] = {
    "bpe": lambda corpus: train_bpe(corpus, merges=300, special_tokens=SPECIAL).tokenizer(),
    "bpe of bytes": lambda corpus: train_bpe(
        corpus, merges=300, special_tokens=SPECIAL, alphabet="bytes"
    ).tokenizer(),
    "bpe with a prefix": lambda corpus: train_bpe(
        corpus, merges=300, special_tokens=SPECIAL, continuing_subword_prefix="##", end_of_word_suffix=""
    ).tokenizer(),
    "wordpiece": lambda corpus: train_wordpiece(corpus, vocab_size=900, special_tokens=SPECIAL).tokenizer(),
    "unigram of the course": lambda corpus: train_unigram(
        corpus, seed_size=900, vocab_size=600, special_tokens=SPECIAL
    ).tokenizer(),
    "unigram of sentencepiece": lambda corpus: train_unigram(
        corpus, seed_size=900, vocab_size=600, method="sentencepiece", special_tokens=SPECIAL
    ).tokenizer(),
    "unigram with bytes": lambda corpus: train_unigram(
        corpus, seed_size=900, vocab_size=600, method="sentencepiece", special_tokens=SPECIAL
    ).tokenizer(byte_fallback=True),
}

PIPELINES = [
    *((name, "gpt2") for name in PRE_TOKENIZERS),
    *(("byte_level", pattern) for pattern in (*PATTERNS, OWN_PATTERN) if pattern != "gpt2"),
]


@cache
def trained(
    algorithm: str,
    pre_tokenizer: str = "whitespace_split",
    pattern: str = "gpt2",
    normalizer: str | tuple[str, ...] = "none",
) -> Tokenizer:
    corpus = Corpus.from_texts(SCRIPTS.splitlines(), normalizer, pre_tokenizer, pattern, timeout=600.0)
    return ALGORITHMS[algorithm](corpus)


@cache
def in_library(ours: Tokenizer) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_str(tokenizer_to_json(ours))


def offsets_differ(ours: Tokenizer, token: str) -> bool:
    """Whether the documentation mentions the library's own placement of such a token."""
    return token == "</w>" or (token.startswith("<0x") and token in ours.vocab)


def expect_same(ours: Tokenizer, text: str, offsets: bool = True) -> None:
    """The library gives the same ids, offsets and text."""
    theirs = in_library(ours)
    encoding, expected = ours.encode(text), theirs.encode(text)
    assert encoding.ids == expected.ids
    assert encoding.type_ids == expected.type_ids
    if offsets and encoding.offsets != expected.offsets:
        for token, mine, wanted in zip(encoding.tokens, encoding.offsets, expected.offsets, strict=True):
            assert mine == wanted or offsets_differ(ours, token), (token, mine, wanted)
    for skip in (False, True):
        assert ours.decode(encoding.ids, skip) == theirs.decode(expected.ids, skip_special_tokens=skip)


def expect_back(ours: Tokenizer, texts: list[str]) -> Tokenizer:
    """The tokenizer comes back from its file, and writes the same file."""
    written = tokenizer_to_json(ours)
    back = tokenizer_from_json(written)
    assert tokenizer_to_json(back) == written
    assert list(back.tokens) == list(ours.tokens)
    assert {*back.special_tokens} == {*ours.special_tokens}
    assert (back.truncation, back.padding) == (ours.truncation, ours.padding)
    for pair in (False, True):
        pieces = [template and template.pieces(pair) for template in (back.template, ours.template)]
        assert pieces[0] == pieces[1]
    assert back.decoder == ours.decoder
    for text in texts:
        encoding, expected = back.encode(text), ours.encode(text)
        assert (encoding.ids, encoding.offsets) == (expected.ids, expected.offsets)
        assert back.decode(encoding.ids) == ours.decode(expected.ids)
    return back


# --- The same ids and offsets -------------------------------------------------------------------------------

LARGE = [
    (algorithm, *PIPELINES[at])
    for at, algorithm in enumerate(
        [
            *("bpe of bytes", "wordpiece", "unigram of sentencepiece", "bpe", "unigram of the course"),
            *("bpe", "bpe", "wordpiece", "bpe", "unigram with bytes", "bpe", "wordpiece", "bpe of bytes"),
            *("bpe of bytes", "bpe", "unigram with bytes"),
        ]
    )
]
"""Each pre-tokenizer and pattern with one of the algorithms; all of the matrix is checked with smaller
texts."""
WHOLE = [
    ("bpe of bytes", "byte_level", "gpt2"),
    ("wordpiece", "whitespace_split", "gpt2"),
    ("unigram of the course", "metaspace", "gpt2"),
]
"""One of each kind, with the whole megabyte under `make stress`."""


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "pre_tokenizer", "pattern"), LARGE)
def test_a_large_text_has_the_librarys_ids_and_offsets(
    algorithm: str, pre_tokenizer: str, pattern: str
) -> None:
    ours = trained(algorithm, pre_tokenizer, pattern)
    text = megabyte() if STRESS and (algorithm, pre_tokenizer, pattern) in WHOLE else part_of_it()
    if pre_tokenizer == "none":  # where text isn't cut into words, hardly any two words are the same
        text = text[-100_000:]
    encoding, expected = ours.encode(text), in_library(ours).encode(text)
    assert encoding.ids == expected.ids
    if encoding.offsets != expected.offsets:
        for token, mine, wanted in zip(encoding.tokens, encoding.offsets, expected.offsets, strict=True):
            assert mine == wanted or offsets_differ(ours, token), (token, mine, wanted)


def test_every_pipeline_and_algorithm_is_checked_with_a_large_text() -> None:
    assert {*WHOLE} <= {*LARGE} and len(megabyte().encode()) > MEGABYTE - 4
    assert (250_000 if STRESS else 65_000) < len(part_of_it().encode()) < 350_000
    assert {(name, pattern) for _, name, pattern in LARGE} == {*PIPELINES}
    assert {algorithm for algorithm, _, _ in LARGE} == {*ALGORITHMS} - {"bpe with a prefix"}
    assert {name for name, _ in PIPELINES} == {*PRE_TOKENIZERS}


SMALL = [*SCRIPTS.splitlines(), "xyz <s>ж 字", "🦊 q<s><s>x", "", "  two  ", "字字 ж"]


def by_turns(items: Sequence[tuple[str, str]], turn: int) -> Sequence[tuple[str, str]]:
    """Every second one, beginning with the first or the second: over all turns, each of them. Under `make
    stress` all."""
    return items if STRESS else items[turn % 2 :: 2]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_pipeline_has_the_librarys_ids_offsets_and_texts(algorithm: str) -> None:
    for pre_tokenizer, pattern in by_turns(PIPELINES, [*ALGORITHMS].index(algorithm)):
        ours = trained(algorithm, pre_tokenizer, pattern)
        for text in SMALL:
            expect_same(ours, text)
        back = expect_back(ours, SMALL)
        if pattern != OWN_PATTERN and pre_tokenizer != "end_of_word":
            assert replace(back.pipeline, timeout=600.0) == ours.pipeline
        if pre_tokenizer == "end_of_word" and ours.model.suffix:
            assert replace(back.pipeline, timeout=600.0) == ours.pipeline and back.model.suffix == "</w>"


def composes(normalizer: str | tuple[str, ...]) -> bool:
    """Whether characters are composed, with the library's own kind of offsets."""
    return {"nfc", "nfkc"} & {*((normalizer,) if isinstance(normalizer, str) else normalizer)} != set()


NORMALIZED = [*NORMALIZERS, ("nfkc", "lowercase"), ("bert_cased", "nfd_strip_accents")]
MODELS = [
    ("bpe", "end_of_word"),
    ("bpe of bytes", "byte_level"),
    ("wordpiece", "bert"),
    ("unigram with bytes", "metaspace"),
]


@pytest.mark.parametrize("normalizer", NORMALIZED)
def test_every_normalizer_has_the_librarys_ids_and_offsets(normalizer: str | tuple[str, ...]) -> None:
    for algorithm, pre_tokenizer in by_turns(MODELS, NORMALIZED.index(normalizer)):
        ours = trained(algorithm, pre_tokenizer, normalizer=normalizer)
        for text in SMALL:
            expect_same(ours, text, offsets=not composes(normalizer))
        back = expect_back(ours, SMALL)
        assert replace(back.pipeline, timeout=600.0) == ours.pipeline


pieces_of_text = st.lists(
    st.sampled_from(SCRIPTS.split(" "))
    | st.sampled_from(sorted(set(SCRIPTS)))
    | st.sampled_from([" ", "  ", "\n", "ж", "字", "🦊", "xyz", "<s>", "<s>>", "<pad>"]),
    max_size=8,
).map("".join)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_any_text_has_the_librarys_ids(algorithm: str) -> None:
    @thorough
    @example("", "none")
    @given(pieces_of_text, st.sampled_from(["byte_level", "metaspace", "end_of_word", "none"]))
    def check(text: str, pre_tokenizer: str) -> None:
        expect_same(trained(algorithm, pre_tokenizer), text)

    check()


def test_an_unknown_token_of_another_name_and_none_at_all() -> None:
    trace = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=3)
    for unk_token in ("[UNK]", "?", "<unk>"):
        ours = trace.tokenizer(unk_token=unk_token)
        assert to_document(ours)["model"]["unk_token"] == unk_token
        expect_same(ours, "to be, é!")
    all_bytes = train_bpe(Corpus.from_texts(["to be"]), merges=3, alphabet="bytes").tokenizer()
    assert to_document(all_bytes)["model"]["unk_token"] is None


# --- Around the text ----------------------------------------------------------------------------------------

NAMES = ("[PAD]", "[CLS]", "[SEP]", "<s>", "</s>", "<sep>", "<cls>")


@cache
def plain() -> Tokenizer:
    corpus = Corpus.from_texts(SCRIPTS.splitlines(), pre_tokenizer="bert")
    return train_wordpiece(corpus, vocab_size=700, special_tokens=NAMES).tokenizer()


def expect_same_encodings(ours: Tokenizer, *texts: str) -> None:
    """The library gives the same encoding of one text or of a pair, with all there is to it."""
    theirs = in_library(ours)
    for add_special_tokens in (True, False):
        encoding = ours.encode(*texts, add_special_tokens=add_special_tokens)
        expected = theirs.encode(*texts, add_special_tokens=add_special_tokens)
        # Of further windows the library forgets the template's types.
        assert encoding.type_ids == expected.type_ids
        for mine, wanted in zip(
            (encoding, *encoding.overflowing), (expected, *expected.overflowing), strict=True
        ):
            assert mine.ids == wanted.ids
            assert mine.offsets == wanted.offsets
            assert mine.attention_mask == wanted.attention_mask
            assert mine.special_tokens_mask == wanted.special_tokens_mask


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize(
    "truncation",
    [
        None,
        Truncation(12),
        Truncation(14, stride=2, strategy="only_second"),
        Truncation(15, 3, "only_first", "left"),
    ],
)
@pytest.mark.parametrize(
    "padding",
    [None, Padding(), Padding(0, 1, "[PAD]", "left", 40, 8), Padding(length=16)],
)
def test_templates_truncation_and_padding_are_saved(
    name: str, truncation: Truncation | None, padding: Padding | None
) -> None:
    ours = plain().with_options(template=TEMPLATES[name], truncation=truncation, padding=padding)
    one, other = "A tram", "It is here."
    if truncation and truncation.strategy == "only_first":
        one, other = "The quick brown fox jumps", "x"
    if truncation and truncation.strategy == "only_second":
        one, other = "x", "The quick brown fox jumps"
    else:
        expect_same_encodings(ours, one)
    expect_same_encodings(ours, one, other)
    back = expect_back(ours, [])
    assert back.encode(one, other).ids == ours.encode(one, other).ids


def test_a_template_of_ones_own() -> None:
    ours = plain().with_options(template=Template("<s> <s> $A:3 [SEP]:2", "$B:7 <s> $A"))
    expect_same_encodings(ours, "to be")
    expect_same_encodings(ours, "to be", "or not")
    assert expect_back(ours, ["to be"]).template == template_of(to_document(ours))


DECODERS: list[Decoder] = [
    SpaceDecoder(),
    ByteLevelDecoder(),
    WordPieceDecoder(),
    WordPieceDecoder("@", cleanup=False),
    MetaspaceDecoder(),
    MetaspaceDecoder(prepend_scheme="never"),
    MetaspaceDecoder("_", "first"),
    BpeDecoder(),
]


@pytest.mark.parametrize("decoder", DECODERS, ids=repr)
def test_decoders_are_saved(decoder: Decoder) -> None:
    for algorithm in ("wordpiece", "bpe", "unigram with bytes"):
        for pre_tokenizer in ("metaspace", "byte_level", "end_of_word"):
            ours = trained(algorithm, pre_tokenizer).with_options(decoder=decoder)
            if ours.model.suffix and not isinstance(decoder, BpeDecoder):
                continue  # the file has another name for </w>, and no decoder of ours brings it back
            theirs = in_library(ours)
            for text in ("to be, do n't", "naïve 字 ▁x", "", "a _ b"):
                ids = ours.encode(text).ids
                assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
            expect_back(ours, ["to be"])


# --- Files --------------------------------------------------------------------------------------------------


def test_saving_and_loading(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    ours = plain().with_options(template=TEMPLATES["bert"])
    ours.save(path)
    assert path.read_bytes() == tokenizer_to_json(ours).encode()
    assert Tokenizer.load(str(path)).encode("to be").ids == ours.encode("to be").ids
    assert tokenizers.Tokenizer.from_file(str(path)).encode("to be").ids == ours.encode("to be").ids
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert Tokenizer.load(path).tokens == ours.tokens
    with pytest.raises(FileNotFoundError):
        Tokenizer.load(tmp_path / "none.json")
    with pytest.raises(OSError):
        ours.save(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["t.tiktoken", "vocab.json", "merges.txt", "vocab.txt", "u.vocab", "u.tsv", "u.model", "u.model.v3"],
)
def test_the_name_of_another_kind_of_file_is_refused(name: str, tmp_path: Path) -> None:
    """`Tokenizer.load` would take the file for one of these."""
    with pytest.raises(SettingError, match=re.escape(f"path='{name}' can't be used")) as caught:
        plain().save(tmp_path / name)
    assert "choose a name such as tokenizer.json" in str(caught.value) and not [*tmp_path.iterdir()]
    (tmp_path / name).mkdir()  # `load` looks for a tokenizer.json in a folder of any name
    with pytest.raises(IsADirectoryError):
        plain().save(tmp_path / name)


def test_an_unsavable_tokenizer_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("precious")
    corpus = Corpus.from_texts(["a b"], pattern=r"\w+")
    with pytest.raises(UnsavableError):
        train_bpe(corpus).tokenizer().save(path)
    assert path.read_text() == "precious"


@pytest.mark.parametrize("algorithm", ["bpe of bytes", "wordpiece", "unigram with bytes"])
def test_transformers_load_the_file_and_write_one_that_comes_back(algorithm: str, tmp_path: Path) -> None:
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    from transformers import PreTrainedTokenizerFast

    ours = trained(algorithm, "byte_level" if algorithm == "bpe of bytes" else "metaspace")
    ours = ours.with_options(template=Template("<s> $A", "<s> $A <s> $B:1"))
    path = tmp_path / "tokenizer.json"
    ours.save(path)
    unknown = {} if algorithm == "bpe of bytes" else {"unk_token": ours.model.unk_token}
    theirs = PreTrainedTokenizerFast(tokenizer_file=str(path), pad_token="<pad>", bos_token="<s>", **unknown)
    folder = tmp_path / "folder"
    theirs.save_pretrained(folder)
    again = PreTrainedTokenizerFast.from_pretrained(folder)
    back = Tokenizer.load(folder / "tokenizer.json")
    for text in SMALL:
        expected = ours.encode(text)
        for one in (theirs, again):
            encoding = one(text, return_offsets_mapping=True)
            assert encoding["input_ids"] == expected.ids
            if algorithm != "unigram with bytes":
                assert [tuple(span) for span in encoding["offset_mapping"]] == expected.offsets
            assert one.decode(expected.ids) == ours.decode(expected.ids)
        assert back.encode(text).ids == expected.ids
        assert back.encode(text, "x").ids == theirs(text, "x")["input_ids"]


def test_settings_for_training_another_tokenizer() -> None:
    old = trained("bpe", "end_of_word", normalizer="nfd_strip_accents")
    document = to_document(old.with_options(template=Template("<s> $A", "<s> $A $B")))
    assert replace(pipeline_of(document), timeout=600.0) == old.pipeline
    assert algorithm_of(document) == "bpe"
    assert {*special_tokens_of(document)} == {*old.special_tokens}
    assert template_of(document) == Template("<s>:0 $A:0", "<s>:0 $A:0 $B:0")
    assert template_of(to_document(old)) is None
    names = {"bpe": "bpe", "wordpiece": "wordpiece", "unigram of the course": "unigram"}
    for algorithm, name in names.items():
        assert algorithm_of(to_document(trained(algorithm))) == name


def test_the_file_is_plain_data() -> None:
    for algorithm in ALGORITHMS:
        ours = trained(algorithm)
        document = to_document(ours)
        assert json.loads(tokenizer_to_json(ours)) == document
        assert from_document(document).tokens == ours.tokens


# --- Beyond the format --------------------------------------------------------------------------------------


def bpe(pre_tokenizer: str, *texts: str, **settings_: Any) -> Tokenizer:
    return train_bpe(Corpus.from_texts(texts, pre_tokenizer=pre_tokenizer), **settings_).tokenizer()


class Shouting(Decoder):
    """A decoder missing in the library."""

    def decode(self, tokens: Any, special_tokens: Any = ()) -> str:
        return "".join(tokens).upper()


UNSAVABLE: dict[str, Callable[[], Tokenizer]] = {
    "pattern": lambda: train_bpe(Corpus.from_texts(["a b"], pattern=r"\w+|\s")).tokenizer(),
    "suffix": lambda: bpe("byte_level", "a b", end_of_word_suffix="</w>"),
    "spelled_suffix": lambda: bpe("end_of_word", "a</w> a</w> a</w>"),
    "prefix": lambda: bpe("end_of_word", "ab ab", continuing_subword_prefix="##"),
    "not_special": lambda: plain().with_options(special_tokens=["nowhere"]),
    "part": lambda: plain().with_options(decoder=Shouting()),
}


@pytest.mark.parametrize("why", UNSAVABLE)
def test_impossible_saves_have_a_reason(why: str) -> None:
    ours = UNSAVABLE[why]()
    with pytest.raises(UnsavableError) as caught:
        tokenizer_to_json(ours)
    assert caught.value.why == why
    assert str(caught.value).startswith("tokenizer.json can't hold ")


def test_errors_of_saving() -> None:
    with pytest.raises(UnsavableError) as caught:
        tokenizer_to_json(UNSAVABLE["pattern"]())
    assert str(caught.value) == (
        "tokenizer.json can't hold the pattern '\\w+|\\s': the tokenizers library reads '\\w+|\\s' differently, "
        "or not at all; rewrite it, or choose a pattern by name."
    )
    other = bpe("end_of_word", "a b", end_of_word_suffix="_")
    with pytest.raises(UnsavableError, match="can't hold '_' as a separate symbol"):
        tokenizer_to_json(other)
    early = bpe("end_of_word", "low lower lowest", merges=2, continuing_subword_prefix="##")
    assert not any("</w>" in second for _, second in early.model.merges)  # type: ignore[attr-defined]
    with pytest.raises(UnsavableError, match=r"can't hold '</w>', which continues a word .* begin with '##'"):
        tokenizer_to_json(early)


def test_a_special_token_like_the_end_of_a_word() -> None:
    corpus = Corpus.from_texts(["ab ab"], pre_tokenizer="end_of_word")
    ours = train_bpe(corpus, special_tokens=["x</w>"]).tokenizer()
    assert ours.encode("ab x</w> ab").ids == in_library(ours).encode("ab x</w> ab").ids
    expect_back(ours, ["ab x</w> ab"])
    with pytest.raises(UnsavableError):
        tokenizer_to_json(train_bpe(corpus, special_tokens=["</w>"]).tokenizer())


# --- Patterns read alike by two programs --------------------------------------------------------------------

ITEMS = [
    *(
        "a",
        "b",
        "1",
        " ",
        "\n",
        "é",
        "字",
        ".",
        "'",
        r"\n",
        r"\.",
        r"\s",
        r"\S",
        r"\d",
        r"\p{L}",
        r"\P{N}",
        r"\p{Lu}",
    ),
    *(
        "[ab1]",
        "[^a]",
        "[a-z]",
        r"[^\s\p{L}]",
        r"[\w]",
        "[a&&b]",
        "^",
        "$",
        r"\A",
        r"\Z",
        r"\w",
        r"\b",
        "(?i:'s|'t)",
    ),
    *("(", "(?:", "(?=", "(?!", "(?>", ")", ")", ")", "|", "|"),
    *("*", "+", "?", "*?", "++", "{2}", "{1,2}", "{1,2}+", "{2}?", "{,2}", "{0,}"),
]
patterns = st.lists(st.sampled_from(ITEMS), min_size=1, max_size=8).map("".join)
snippets = st.text(st.sampled_from("ab1 \n\r.'sStTéÉ字_²"), max_size=12)


@examples(600)
@example(r"(?:a|b)+?\Z", "ab\n")
@example(r"(?:a?b){1,2}+", "abb1abab")
@example(r"\s$|(?=[A-Z])", "aTb \n")
@given(patterns, snippets)
def test_translated_patterns_cut_alike(pattern: str, text: str) -> None:
    translated = to_oniguruma(pattern)
    try:
        Pipeline(pattern=pattern)
    except PatternError:
        return
    if translated.refused:
        return
    split = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(translated.pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    expected = [(token, *span) for token, span in split.pre_tokenize_str(text)]
    assert pre_tokenize(text, pattern=pattern) == expected
    back = from_oniguruma(translated.pattern)
    assert not back.refused
    assert pre_tokenize(text, pattern=back.pattern) == expected
    assert to_oniguruma(back.pattern).pattern == translated.pattern


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_with_a_name_need_no_translation(name: str) -> None:
    assert to_oniguruma(PATTERNS[name]) == from_oniguruma(PATTERNS[name]) == (PATTERNS[name], "")


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            r"\w",
            r"\bx",
            "(?i)a",
            "(?i:ss)",
            "(?m:^a)",
            "(?<=a)b",
            "(?P<n>a)",
            r"(a)\1",
            "(?#x)",
            "(?|a)",
            r"\x41",
        ),
        *(
            "a**",
            "(a*)*",
            "(?:|a)+",
            "(?=a)+",
            "a{2}?",
            "a{3,2}",
            "a{,2}",
            "[[a]]",
            "[a--b]",
            "[a||b]",
            "[]a]",
        ),
        *(
            "(a",
            "a)",
            "{",
            "a}",
            r"\p{Han}",
            r"\p{^L}",
            r"\p{Cn}",
            "*a",
            "a{1,2}?+",
            r"\G",
            r"\K",
            r"\R",
            r"\X",
            "\\",
        ),
    ],
)
def test_patterns_that_are_not_known_to_be_read_alike(pattern: str) -> None:
    assert to_oniguruma(pattern).refused and from_oniguruma(pattern).refused


def test_places_and_possessive_counts_are_written_otherwise() -> None:
    assert from_oniguruma("^a").refused == "^a" and from_oniguruma("a$").refused == "$"
    assert from_oniguruma(r"a\z|\Ab|c\Z").pattern == r"a\Z|^b|c$"
    assert from_oniguruma("a{1,2}+").refused == "{1,2}+"
    assert to_oniguruma("(?:ab){1,2}+c").pattern == "(?>(?:ab){1,2})c"
