"""A new tokenizer from an old one, without the page: the parts handed on by trained tokenizers and by files,
and their display.

Source: “Training a new tokenizer from an old one”, Hugging Face course, chapter 6: all but the vocabulary
stays. Oracles: the engine, trained directly with the same stages; the `tokenizers` library, with its
documents and its own trained tokenizers for comparison; an HTML parser's list of all tags.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from tokenizers import Tokenizer as Library
from tokenizers import models, normalizers, pre_tokenizers, processors, trainers

from tests.app.pages.test_playground import Tags
from tokenizers_core import Corpus, train_bpe, train_sentencepiece_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.templates import TEMPLATES, Template
from tokenizers_core.errors import LackingPartError
from tokenizers_core.files.tokenizer_json import tokenizer_to_json
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokensteps.catalogue.analysis import analyse
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.renewal import Heritage, heritage
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.drawing.tokens import chips
from tokensteps.pages.explore.renew import NEW_LISTED, Renewal, heritage_html, only_in, totals_html
from tokensteps.runs.corpora import Source

ENGLISH = "the cats chased the rats, the rats chased the cheese\n" * 4
CODE = "def half(number):\n    return number / 2\n\n\ndef twice(number):\n    return number * 2\n" * 4
BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
HOSTILE = "<img src=x onerror=alert(1)>"


def source(text: str = CODE, lines: bool = False) -> Source:
    return Source("mine", text.encode(), False, lines)


def trained(kind: str, normalizer: str = "none", pre: str = "byte_level", **settings: Any) -> TrainedSubject:
    corpus = Corpus.from_texts(ENGLISH.splitlines(), normalizer, pre)
    trace: Any
    if kind == "bpe":
        trace = train_bpe(corpus, merges=40, **settings)
    elif kind == "wordpiece":
        trace = train_wordpiece(corpus, merges=40, **settings)
    else:
        trace = train_unigram(corpus, 200, 60, **settings)
    return TrainedSubject("mine", trace.tokenizer(), trace, len(trace))


def gpt2() -> Library:
    tokenizer = Library(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer: Any = trainers.BpeTrainer(
        vocab_size=280,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([ENGLISH], trainer)
    return tokenizer


def bert() -> Library:
    tokenizer = Library(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer: Any = trainers.WordPieceTrainer(vocab_size=60, special_tokens=[*BERT], show_progress=False)
    tokenizer.train_from_iterator([ENGLISH], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def t5() -> Library:
    tokenizer = Library(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer: Any = trainers.UnigramTrainer(
        vocab_size=40, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator([ENGLISH], trainer)
    return tokenizer


def llama() -> Library:
    """Normalizers put ▁ in front of the text and in place of spaces; no pre-tokenizer."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁the"]
    vocab = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Library(models.BPE(vocab, [], unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return tokenizer


def loaded(tokenizer: Library) -> ShownTokenizer:
    return load({"tokenizer.json": tokenizer.to_str().encode()})


def renewed(handed: Heritage, text: str = CODE, size: int = 0) -> tuple[Any, Any]:
    """The new one's trace, and its tokenizer, without the page."""
    run = handed.run(source(text), size or handed.size)
    trace = run.algorithm.train(run.source.corpus(run.pipeline), **run.settings)
    return trace, handed.tokenizer(trace)


# --- parts handed on ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("normalizer", NORMALIZERS)
@pytest.mark.parametrize("pre", PRE_TOKENIZERS)
def test_a_tokenizer_trained_here_hands_on_its_stages(normalizer: str, pre: str) -> None:
    subject = trained("bpe", normalizer, pre, special_tokens=["<s>", "[UNK]"])
    result = heritage(subject)
    assert result.pipeline == Pipeline(normalizer, pre)
    assert (result.algorithm, result.special_tokens, result.template) == ("bpe", ("<s>", "[UNK]"), None)
    assert result.size == subject.size
    # and so does the same one, read from its file, as far as a file says it
    again = load({"tokenizer.json": tokenizer_to_json(subject.tokenizer).encode()})
    assert isinstance(again, LoadedSubject)
    handed = heritage(again)
    same = Pipeline(normalizer, "whitespace_split" if pre == "end_of_word" else pre)
    assert handed._replace(pipeline=result.pipeline) == result and handed.pipeline in (result.pipeline, same)


@pytest.mark.parametrize(
    ("library", "algorithm", "pipeline", "special", "template"),
    [
        (gpt2, "bpe", Pipeline(), ("<|endoftext|>",), None),
        (bert, "wordpiece", Pipeline("bert_uncased", "bert"), BERT, TEMPLATES["bert"]),
        (t5, "unigram", Pipeline("nfkc", "metaspace"), ("<pad>", "</s>", "<unk>"), None),
    ],
)
def test_a_file_hands_on_its_stages(
    library: Any, algorithm: str, pipeline: Pipeline, special: tuple[str, ...], template: Template | None
) -> None:
    tokenizer = library()
    result = heritage(loaded(tokenizer))
    assert (result.algorithm, result.pipeline, result.special_tokens) == (algorithm, pipeline, special)
    assert result.size == tokenizer.get_vocab_size()
    assert (result.template is None) == (template is None)
    if template is not None and result.template is not None:
        assert result.template.single_pieces == template.single_pieces
        assert result.template.pair_pieces == template.pair_pieces
    alphabet = "bytes" if library is gpt2 else None
    assert result.settings.get("alphabet") == alphabet


@pytest.mark.parametrize("library", [gpt2, bert])
def test_the_new_one_is_the_librarys_train_new_from_iterator(library: Any) -> None:
    """The library, trained with the same stages, special tokens and size on the same text, has the same
    vocabulary."""
    old = library()
    result = heritage(loaded(old))
    trace, new = renewed(result, size=290 if library is gpt2 else 70)
    theirs = Library.from_str(old.to_str())
    trainer: Any
    if library is gpt2:
        trainer = trainers.BpeTrainer(
            vocab_size=290,
            min_frequency=2,
            special_tokens=["<|endoftext|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
    else:
        trainer = trainers.WordPieceTrainer(
            vocab_size=70, min_frequency=2, special_tokens=[*BERT], show_progress=False
        )
    theirs.train_from_iterator([CODE], trainer)
    assert len(trace) > 5
    if library is gpt2:
        assert {*new.tokens} == {*theirs.get_vocab()}
        for text in (CODE, ENGLISH, "def a(b):\n        é 🙂"):
            assert new.encode(text).tokens == theirs.encode(text).tokens
    else:  # the library makes WordPiece's vocabulary by BPE; the stages and their additions are the same
        for text in ("Return Number", "hÉ!"):
            words = [
                piece
                for piece, _span in theirs.pre_tokenizer.pre_tokenize_str(
                    theirs.normalizer.normalize_str(text)
                )
            ]
            assert [word.text for word in new.pipeline.words(text)] == words
            assert new.encode(text).tokens[0] == "[CLS]" == theirs.encode(text).tokens[0]
            assert new.encode(text, "b").type_ids[-2:] == theirs.encode(text, "b").type_ids[-2:]


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
def test_the_new_one_is_trained_by_the_old_ones_rules(kind: str) -> None:
    pre = {"bpe": "byte_level", "wordpiece": "bert", "unigram": "metaspace"}[kind]
    unknown = "<unk>" if kind == "unigram" else "[UNK]"
    subject = trained(kind, "nfkc", pre, special_tokens=[unknown, "<s>"])
    result, size = heritage(subject), 90
    trace, new = renewed(result, size=size)
    corpus = Corpus.from_texts([CODE], "nfkc", pre)
    assert new.pipeline == subject.tokenizer.pipeline and new.special_tokens == (unknown, "<s>")
    expected: Any
    if kind == "bpe":
        expected = train_bpe(
            corpus,
            size,
            special_tokens=[unknown, "<s>"],
            min_frequency=2,
            alphabet="corpus",
            tie_rule="lowest_ids",
        )
    elif kind == "wordpiece":
        expected = train_wordpiece(corpus, size, special_tokens=[unknown, "<s>"], min_frequency=2)
    else:
        expected = train_unigram(
            corpus, 4 * size, size, special_tokens=[unknown, "<s>"], method="sentencepiece"
        )
    assert list(new.tokens) == list(expected.tokenizer(unk_token=unknown).tokens)
    assert new.model.unk_token == unknown and len(trace) > 0


def test_bpe_as_sentencepiece_trains_it_is_handed_on() -> None:
    """Its limits, too, where they were set; the others are the usual ones."""
    pre: Any = {"pre_tokenizer": "whitespace_split_metaspace"}
    for limits in ({}, {"initial_alphabet": ("é",)}):
        old = train_sentencepiece_bpe(Corpus.from_texts([ENGLISH], **pre), **limits)
        _trace, new = renewed(heritage(TrainedSubject("old", old.tokenizer(), old, len(old))), size=60)
        corpus = Corpus.from_texts([CODE], **pre)
        expected = train_sentencepiece_bpe(corpus, 60, special_tokens=["[UNK]"], min_frequency=2, **limits)
        assert list(new.tokens) == list(expected.tokens) and ("é" in new.tokens) == bool(limits)


def test_indentation_becomes_one_token() -> None:
    """The course's example: trained on code, a line's indentation is a token; trained on English it isn't."""
    old = trained("bpe", alphabet="bytes")
    result = heritage(old)
    _trace, new = renewed(result, size=300)
    assert "ĊĠĠĠ" in new.tokens and "ĊĠĠĠ" not in old.tokenizer.tokens
    text = "def half(number):\n    return number / 2\n"
    assert len(new.encode(text)) < len(old.encode(text).ids)


def test_whole_byte_alphabets_are_kept_and_only_those() -> None:
    whole = heritage(trained("bpe", alphabet="bytes"))
    part = heritage(trained("bpe"))
    other = heritage(trained("unigram", "none", "metaspace", special_tokens=["<unk>"]))
    assert (whole.settings["alphabet"], part.settings["alphabet"]) == ("bytes", "corpus")
    assert "alphabet" not in other.settings and "tie_rule" not in other.settings


# --- parts that can't be handed on --------------------------------------------------------------------------


def test_lacking_parts_are_all_named() -> None:
    with pytest.raises(LackingPartError) as caught:
        heritage(loaded(llama()))
    message = str(caught.value)
    assert "Prepend" in message and "Replace" in message


def changed(library: Library, **parts: Any) -> ShownTokenizer:
    document = json.loads(library.to_str()) | parts
    return load({"tokenizer.json": json.dumps(document).encode()})


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Digits", "individual_digits": True}}, "Digits"),
        ({"normalizer": {"type": "Strip", "strip_left": True, "strip_right": True}}, "Strip"),
        ({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}}, "add_prefix_space"),
        ({"pre_tokenizer": {"type": "CharDelimiterSplit", "delimiter": "<"}}, "CharDelimiterSplit"),
    ],
)  # fmt: skip
def test_each_lacking_part_is_named(parts: dict[str, Any], named: str) -> None:
    with pytest.raises(LackingPartError, match=named):
        heritage(changed(gpt2(), **parts))


def test_a_word_list_is_no_algorithm_of_ours() -> None:
    library = Library(models.WordLevel({"the": 0, "<unk>": 1}, unk_token="<unk>"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    with pytest.raises(LackingPartError, match="WordLevel"):
        heritage(loaded(library))


# --- display ------------------------------------------------------------------------------------------------


def renewal(old: ShownTokenizer, text: str, size: int = 0) -> Renewal:
    result = heritage(old)
    trace, new = renewed(result, size=size)
    return Renewal(analyse(old, text), analyse(TrainedSubject("new", new, trace, len(trace)), text), new)


def test_tokens_of_only_the_new_one_are_listed() -> None:
    old = trained("bpe", alphabet="bytes")
    result = renewal(old, "def half(number):\n    return", size=330)
    listed = only_in(result.new, result.old)
    vocabulary = {*result.tokenizer.tokens} - {*old.tokenizer.tokens}
    assert {*listed} <= vocabulary and len({*listed}) == len(listed) == min(NEW_LISTED, len(vocabulary))
    in_text = [token for token in listed if token in {*map(result.new.subject.token, result.new.ids)}]
    assert in_text == listed[: len(in_text)] != []
    assert [len(token) for token in in_text] == sorted(map(len, in_text), reverse=True)
    rest = listed[len(in_text) :]
    assert [result.tokenizer.vocab[token] for token in rest] == sorted(
        result.tokenizer.vocab[token] for token in rest
    )


def test_hostile_tokenizers_are_only_text() -> None:
    corpus = Corpus.from_texts([f"{HOSTILE} {HOSTILE}"], pre_tokenizer="byte_level", pattern=r"<[^>]*>|\s+")
    trace = train_bpe(corpus, merges=30, special_tokens=[HOSTILE.replace(" ", "")])
    tokenizer = trace.tokenizer()
    special = HOSTILE.replace(" ", "")
    tokenizer = tokenizer.with_options(template=Template(f"{special} $A", f"{special} $A $B"))
    result = heritage(TrainedSubject(HOSTILE, tokenizer, trace, len(trace)))
    parsed = Tags(heritage_html(result, "Retrained", "All."))
    assert parsed.tags == {"div", "section", "h2", "dl", "dt", "dd", "p"} and parsed.attributes == {"class"}
    assert special in parsed.text and r"<[^>]*>|\s+" in parsed.text
    assert Tags(chips(tokenizer.tokens)).tags <= {"bdi"}


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (61, 39, "36 % fewer"),
        (39, 61, "56 % more"),
        (500, 502, "0.4 % more"),
        (5, 5, "the same"),
        (0, 0, "–"),
        (0, 4, "–"),
        (4, 0, "100 % fewer"),
    ],
)
def test_totals(old: int, new: int, difference: str) -> None:
    text = Tags(totals_html(old, new)).text
    assert text == f"Tokens, old{old}Tokens, new{new}Difference{difference}"
