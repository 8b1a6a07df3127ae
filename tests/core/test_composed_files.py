"""tokenizer.json files put together from many parts: each part, and the whole set of published models' parts.

Oracle: the `tokenizers` library, which makes the files and encodes the same texts. Offsets are the library's,
but for a replacement of several characters: there the engine gives a token all of them, and the library the
last.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, trainers

from tests.core.test_foreign_files import BYTES, LINES, small
from tests.samples import examples
from tokenizers_core.errors import TokenizerFileError
from tokenizers_core.files.tokenizer_json import from_document, tokenizer_from_json, tokenizer_to_json
from tokenizers_core.text.cutting import BEHAVIORS, CutAt, whole
from tokenizers_core.text.rewriting import Nmt, Precompiled, Replace, stopwatch_for

HARD = [
    *LINES,
    " <think>x</think>  <mask> a<mask>b [x] <|é|>",
    "metro $12 system 345=",
    "  leading\u00a0and\u200btrailing \t\r\n\r\n",
    "DON'T we'LL 3.14 ١٢٣ ½ e\u0301a\u0323\u0302 한국어",
    "▁▁ ▁a _b_ Ġ   " + " " * 70 + "x" * 150,
    "\n\n",
    "-",
]

DEEPSEEK = [
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
]

CUTTERS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "deepseek": lambda: pre_tokenizers.Sequence(
        [
            *(pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in DEEPSEEK),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    ),
    "bytes with a space": lambda: pre_tokenizers.ByteLevel(add_prefix_space=True),
    "words, bytes with a space": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)]
    ),
    "bytes alone": lambda: pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    "digits, then bytes": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    ),
    "digits together": lambda: pre_tokenizers.Digits(individual_digits=False),
    "delimiter": lambda: pre_tokenizers.CharDelimiterSplit("-"),
    "punctuation": lambda: pre_tokenizers.Punctuation("merged_with_previous"),
    "punctuation in a row": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("contiguous")]
    ),
    **{
        f"marks {scheme} {split} {before}": lambda scheme=scheme, split=split, before=before: (  # type: ignore[misc]
            pre_tokenizers.Sequence(
                [
                    *([pre_tokenizers.WhitespaceSplit()] if before else []),
                    pre_tokenizers.Metaspace("▁", prepend_scheme=scheme, split=split),
                ]
            )
        )
        for scheme, split, before in product(("always", "first", "never"), (True, False), (True, False))
    },
    "another mark": lambda: pre_tokenizers.Metaspace("_"),
    **{
        f"split {behavior} {invert}": lambda behavior=behavior, invert=invert: pre_tokenizers.Split(  # type: ignore[misc]
            Regex(r"[a-e ]|\p{N}+"), behavior, invert
        )
        for behavior, invert in product(
            ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"), (True, False)
        )
    },
    "split at a text": lambda: pre_tokenizers.Split(" ", "merged_with_previous"),
}

NORMALIZERS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "llama 2": lambda: normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
    "gemma": lambda: normalizers.Replace(" ", "▁"),
    "strip": lambda: normalizers.Sequence(
        [normalizers.Strip(left=True, right=False), normalizers.Lowercase()]
    ),
    "strip right": lambda: normalizers.Strip(left=False, right=True),
    "nfd and a prefix": lambda: normalizers.Sequence([normalizers.NFD(), normalizers.Prepend("<>")]),
    "one character for one": lambda: normalizers.Replace(Regex(r"[0-9]"), "#"),
    "none for one": lambda: normalizers.Replace(Regex("[aeiou]"), ""),
}

FLAGS = ["lstrip", "rstrip", "single_word", "normalized", "special"]


def trained(cutter: str, normalizer: str, **more: Any) -> tokenizers.Tokenizer:
    """A tokenizer trained by the library with these parts; its added tokens have the flags in `more`."""
    theirs = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if result := CUTTERS[cutter]():
        theirs.pre_tokenizer = result
    if result := NORMALIZERS[normalizer]():
        theirs.normalizer = result
    special = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    alphabet = BYTES if "bytes" in cutter or cutter == "deepseek" else []
    theirs.train_from_iterator(
        LINES, trainers.BpeTrainer(vocab_size=700, special_tokens=special, initial_alphabet=alphabet)
    )
    document = json.loads(theirs.to_str())
    document["added_tokens"] = []
    theirs = tokenizers.Tokenizer.from_str(json.dumps(document))
    tokens = [AddedToken(token, **more) for token in ("<mask>", "<think>", "</think>", "[x]", "Ex", "<|é|>")]
    (theirs.add_special_tokens if more.get("special") else theirs.add_tokens)(tokens)
    return theirs


def check(theirs: tokenizers.Tokenizer, texts: list[str], places: bool = True, read: bool = True) -> None:
    """`read`: compare the decoded text too. The library writes an added token in its normalized form if it
    searched for that form."""
    ours = tokenizer_from_json(theirs.to_str())
    again = tokenizer_from_json(tokenizer_to_json(ours))
    for text in texts:
        encoding, expected = ours.encode(text), theirs.encode(text)
        assert encoding.ids == expected.ids, text
        if places:
            assert encoding.offsets == expected.offsets, text
        assert again.encode(text).ids == expected.ids
        assert again.decode(expected.ids) == ours.decode(expected.ids)
        if not read:
            continue
        assert ours.decode(expected.ids) == theirs.decode(expected.ids, skip_special_tokens=False)
        assert ours.decode(expected.ids, True) == theirs.decode(expected.ids)


@pytest.mark.parametrize("cutter", CUTTERS)
def test_each_way_to_cut(cutter: str) -> None:
    check(trained(cutter, "nothing"), HARD)


@pytest.mark.many(3)
@pytest.mark.parametrize("normalizer", NORMALIZERS)
@pytest.mark.parametrize("cutter", ["nothing", "deepseek", "marks first True True", "split removed False"])
def test_each_normalizer(normalizer: str, cutter: str) -> None:
    check(trained(cutter, normalizer), HARD, read=normalizer == "nothing")


@pytest.mark.many(3)
@pytest.mark.parametrize("flags", [*product((False, True), repeat=5)], ids=str)
@pytest.mark.parametrize(
    ("normalizer", "cutter"),
    [("nothing", "deepseek"), ("strip", "marks first True False"), ("llama 2", "nothing")],
)
def test_added_tokens_with_all_flags(flags: tuple[bool, ...], normalizer: str, cutter: str) -> None:
    more = dict(zip(FLAGS, flags, strict=True))
    texts = [*HARD, "a  <mask>  b", "<mask>\n<mask>", "Exx Ex xEx ex", "<MASK> <mask>é", "[x]<think>[x]"]
    check(trained(cutter, normalizer, **more), texts, read=normalizer == "nothing" or not more["normalized"])


DECODERS: dict[str, Callable[[], Any]] = {
    "llama 2": lambda: decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    ),
    "gemma": lambda: decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    ),
    "replace alone": lambda: decoders.Replace(Regex("[a-e]+"), "*"),
    "strip": lambda: decoders.Strip("e", 1, 0),
    "bytes, then marks": lambda: decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()]),
    "marks alone": lambda: decoders.Metaspace(),
    "two": lambda: decoders.Sequence([decoders.Fuse(), decoders.Fuse()]),
}


@pytest.mark.parametrize("name", DECODERS)
def test_each_decoder(name: str) -> None:
    theirs = trained("nothing", "llama 2", special=True)
    theirs.decoder = DECODERS[name]()
    check(theirs, HARD)


def test_a_template_with_several_tokens_for_a_name() -> None:
    theirs = trained("deepseek", "nothing", special=True)
    ids = {token: theirs.token_to_id(token) for token in ("<mask>", "<think>")}
    document = json.loads(theirs.to_str())
    document["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "begin", "type_id": 1}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [
            {"Sequence": {"id": "B", "type_id": 2}},
            {"SpecialToken": {"id": "begin", "type_id": 1}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "special_tokens": {"begin": {"id": "begin", "ids": [*ids.values()], "tokens": [*ids]}},
    }
    theirs, ours = tokenizers.Tokenizer.from_str(json.dumps(document)), from_document(document)
    for texts in (("a b",), ("a b", "c")):
        encoding, expected = ours.encode(*texts), theirs.encode(*texts)
        assert (encoding.ids, encoding.tokens, encoding.type_ids) == (
            expected.ids,
            expected.tokens,
            expected.type_ids,
        )
    assert tokenizer_from_json(tokenizer_to_json(ours)).encode("a b").ids == ours.encode("a b").ids


def test_ids_without_a_token() -> None:
    document = small()
    document["model"]["vocab"] = {"?": 0, "a": 5, "b": 2, "ab": 7}
    theirs, ours = tokenizers.Tokenizer.from_str(json.dumps(document)), from_document(document)
    assert ours.encode("ab a b x").ids == theirs.encode("ab a b x").ids == [7, 5, 2, 0]
    assert ours.decode([7, 1, 5]) == theirs.decode([7, 1, 5]) == "ab a"
    assert json.loads(tokenizer_to_json(ours))["model"]["vocab"] == document["model"]["vocab"]


def test_a_merge_that_ranks_before_the_ones_that_make_its_parts() -> None:
    """Gemma lists its runs of spaces the longest first."""
    merges = [["aaa", "a"], ["aa", "a"], ["a", "a"]]
    vocab = {token: at for at, token in enumerate(["?", "a", "aa", "aaa", "aaaa"])}
    document = small(model={"type": "BPE", "unk_token": "?", "vocab": vocab, "merges": merges})
    theirs, ours = tokenizers.Tokenizer.from_str(json.dumps(document)), from_document(document)
    for length in (*range(1, 30), 99, 100, 101, 250):
        assert ours.encode("a" * length).ids == theirs.encode("a" * length).ids
    assert ours.encode("aaaaaa").tokens == ["aaaa", "aa"]
    assert ours.explain("aaaaaa")[-1].tokens == ("aaaa", "aa")
    assert ours.why_not("aaaaaa", ["aaa", "aaa"]).kind == "merged_across"


@examples(200)
@given(st.permutations(range(9)), st.text("abc", max_size=130))
@example(list(range(8, -1, -1)), "abcabcbcaabbccaabc" * 7)
def test_merges_in_any_order(order: list[int], text: str) -> None:
    """With any ranks: the lowest first, and of equal ones the leftmost."""
    pairs = [(one, other) for one in "abc" for other in "abc"]
    deeper = [(first + second, third) for first, second in pairs[:5] for third in "ab"]
    listed = [*(deeper[at % len(deeper)] for at in order[:4]), *(pairs[at] for at in order), *deeper]
    merges = [*dict.fromkeys(listed)]
    tokens = dict.fromkeys(["?", *"abc", *(first + second for first, second in merges)])
    vocab = {token: at for at, token in enumerate(tokens)}
    document = small(model={"type": "BPE", "unk_token": "?", "vocab": vocab, "merges": [*map(list, merges)]})
    theirs, ours = tokenizers.Tokenizer.from_str(json.dumps(document)), from_document(document)
    assert ours.encode(text).ids == theirs.encode(text).ids


@cache
def charsmap() -> str:
    """The compiled map of a SentencePiece model with its usual rules (nmt_nfkc), in base64."""
    import sentencepiece

    from tokensteps.catalogue.files.sentencepiece import read_model

    return base64.b64encode(read_model(sentencepiece_model(sentencepiece)).charsmap).decode()


def sentencepiece_model(library: Any) -> bytes:
    import io

    written = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=written,
        vocab_size=300,
        hard_vocab_limit=False,
        minloglevel=9,
    )
    return written.getvalue()


def test_a_compiled_map_of_characters() -> None:
    document = small(
        normalizer={"type": "Precompiled", "precompiled_charsmap": charsmap()}, pre_tokenizer=None
    )
    step, theirs = (
        Precompiled(base64.b64decode(charsmap())),
        normalizers.Precompiled(base64.b64decode(charsmap())),
    )
    texts = [
        *HARD,
        "ﬁ ① Ｆｕｌｌ ㍿ ﾊﾟ e\u0301\u0323 \u200b\u00ad \ufeff⅐",
        "".join(map(chr, range(0x20, 0x3000))),
    ]
    for text in texts:
        assert step.rewrite(text) == theirs.normalize_str(text)
        assert len(step.align(text)) == len(step.rewrite(text))
    from_document(document)
    for broken in (
        "!",
        base64.b64encode(b"\xff\xff").decode(),
        base64.b64encode(b"\xff\xff\xff\x7f1234").decode(),
    ):
        document["normalizer"]["precompiled_charsmap"] = broken
        with pytest.raises(TokenizerFileError, match="precompiled_charsmap"):
            from_document(document)


def test_the_rules_for_translation_on_every_character() -> None:
    step, theirs = Nmt(), normalizers.Nmt()
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    assert step.rewrite(text) == theirs.normalize_str(text)
    assert [text[start:end] for start, end in step.align(text)] == [
        one for one in text if theirs.normalize_str(one)
    ]


@examples(100)
@given(st.binary(max_size=80), st.text(max_size=9))
def test_any_bytes_are_a_map_or_an_error(units: bytes, text: str) -> None:
    """A trie may lead anywhere: out of its bounds, and in circles."""
    data = (len(units) // 4 * 4).to_bytes(4, "little") + units
    step = Precompiled(data)
    assert len(step.align(text)) == len(step.rewrite(text))


def test_a_replacement_belongs_to_all_replaced_characters() -> None:
    step = Replace(r"\d+", "<num>", literal=False)
    text = "metro $12 system 345="
    assert step.rewrite(text) == "metro $<num> system <num>="
    assert {span for span in step.align(text) if span[1] - span[0] > 1} == {(7, 9), (17, 20)}


@pytest.mark.parametrize("pattern", [r"\s*\z", "e?", " ?(?=x)", " *", "(?=x)", "l|(?=l)", ""])
@pytest.mark.parametrize("text", ["a  ", "hello ", "ee x.", "a b\n\n", "x", ""])
def test_an_empty_match_right_behind_another(pattern: str, text: str) -> None:
    ours = Replace(pattern.replace(r"\z", r"\Z"), "#", literal=False)
    assert ours.rewrite(text) == normalizers.Replace(Regex(pattern), "#").normalize_str(text)
    assert len(ours.align(text)) == len(ours.rewrite(text))
    for behavior, invert in product(BEHAVIORS if text else (), (False, True)):
        name = re.sub(r"\B([A-Z])", r"_\1", behavior).lower()
        truth = pre_tokenizers.Split(Regex(pattern), name, invert).pre_tokenize_str(text)
        cut = CutAt(ours.pattern, behavior, invert).cut(whole(text), stopwatch_for(pattern, text))
        assert [piece.text for piece in cut] == [piece for piece, _ in truth], (behavior, invert)


def test_invalid_cuts_in_a_file() -> None:
    wrong = {"type": "Split", "pattern": {"String": "a"}, "behavior": "Lost", "invert": False}
    with pytest.raises(TokenizerFileError, match=", ".join(BEHAVIORS)):
        from_document(small(pre_tokenizer=wrong))
    with pytest.raises(TokenizerFileError, match="always, first, never"):
        from_document(
            small(pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "last"})
        )
