"""Templates (`tokenizers_core/encoding/templates.py`): the tokens around a text and around a pair.

Source: the syntax of the `tokenizers` library's `TemplateProcessing`, and the published templates of BERT,
RoBERTa, XLNet and T5. Oracle: the library itself, given the same templates in the same words, for tokens,
types and masks.
"""

from __future__ import annotations

import copy
import pickle

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers, processors

from tests.samples import examples
from tokenizers_core import TEMPLATES, Corpus, Template, Tokenizer, train_wordpiece
from tokenizers_core.encoding.templates import TemplatePiece, parse
from tokenizers_core.errors import TemplateError

thorough = examples(100)

SPECIALS = ("[PAD]", "[CLS]", "[SEP]", "<s>", "</s>", "<sep>", "<cls>")


def plain() -> Tokenizer:
    corpus = Corpus.from_texts(["hug pugs hugging"], pre_tokenizer="bert")
    return train_wordpiece(corpus, vocab_size=30, special_tokens=SPECIALS).tokenizer()


PLAIN = plain()


def library(single: str, pair: str) -> tokenizers.Tokenizer:
    theirs = tokenizers.Tokenizer(models.WordPiece(dict(PLAIN.vocab), unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.add_special_tokens(list(PLAIN.special_tokens))
    theirs.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(token, PLAIN.vocab[token]) for token in SPECIALS]
    )
    return theirs


def seen(encoding: object) -> tuple[object, ...]:
    names = ("tokens", "ids", "type_ids", "special_tokens_mask", "sequence_ids", "offsets", "word_ids")
    return tuple(getattr(encoding, name) for name in names)


# --- As published -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "single", "types", "pair", "pair_types"),
    [
        ("bert", "[CLS] hug [SEP]", [0, 0, 0], "[CLS] hug [SEP] pug [SEP]", [0, 0, 0, 1, 1]),
        ("roberta", "<s> hug </s>", [0, 0, 0], "<s> hug </s> </s> pug </s>", [0] * 6),
        ("xlnet", "hug <sep> <cls>", [0, 0, 2], "hug <sep> pug <sep> <cls>", [0, 0, 1, 1, 2]),
        ("t5", "hug </s>", [0, 0], "hug </s> pug </s>", [0] * 4),
    ],
)
def test_the_templates_of_the_models(
    name: str, single: str, types: list[int], pair: str, pair_types: list[int]
) -> None:
    corpus = Corpus.from_counts({"hug": 1, "pug": 1})
    tokenizer = train_wordpiece(corpus, special_tokens=SPECIALS).tokenizer()
    tokenizer = tokenizer.with_options(template=TEMPLATES[name])
    one, two = tokenizer.encode("hug"), tokenizer.encode("hug", "pug")
    assert (one.tokens, one.type_ids) == (single.split(), types)
    assert (two.tokens, two.type_ids) == (pair.split(), pair_types)
    bare = tokenizer.encode("hug", "pug", add_special_tokens=False)
    assert bare.tokens == ["hug", "pug"]
    assert bare.type_ids == [pair_types[two.tokens.index(token)] for token in bare.tokens]
    assert TEMPLATES["none"] is None


@pytest.mark.parametrize("name", [name for name, template in TEMPLATES.items() if template])
def test_the_library_reads_our_templates_the_same(name: str) -> None:
    template = TEMPLATES[name]
    assert template is not None
    ours, theirs = PLAIN.with_options(template=template), library(template.single, template.pair)
    for texts in [
        ("hug pugs",),
        ("",),
        ("hug", "pug pugs"),
        ("", "pug"),
        ("hug", ""),
        ("", ""),
        ("[SEP]", "<s>"),
    ]:
        for added in (True, False):
            assert seen(ours.encode(*texts, add_special_tokens=added)) == seen(
                theirs.encode(*texts, add_special_tokens=added)
            )
    assert template.added(False) == theirs.num_special_tokens_to_add(False)
    assert template.added(True) == theirs.num_special_tokens_to_add(True)


types = st.sampled_from(["", ":0", ":1", ":2", ":007", ":4294967295"])
special = st.builds(str.__add__, st.sampled_from(SPECIALS), types)
some = st.lists(special, max_size=3)
first = st.sampled_from(["$", "$A", "$a", "$2", "$A:1", "$0:3", "$A:0"])
second = st.sampled_from(["$B", "$b", "$B:1", "$B:5"])


@thorough
@given(some, first, some, some, first, some, second, some, st.booleans())
def test_any_template_means_the_same_to_the_library(
    before: list[str],
    one: str,
    after: list[str],
    left: list[str],
    two: str,
    middle: list[str],
    three: str,
    right: list[str],
    turned: bool,
) -> None:
    single = " ".join([*before, one, *after])
    texts = [three, two] if turned else [two, three]
    pair = " ".join([*left, texts[0], *middle, texts[1], *right])
    ours, theirs = PLAIN.with_options(template=Template(single, pair)), library(single, pair)
    assert seen(ours.encode("hug pugs")) == seen(theirs.encode("hug pugs"))
    assert seen(ours.encode("hug", "pugs hug")) == seen(theirs.encode("hug", "pugs hug"))


def test_pieces() -> None:
    template = Template("[CLS]  $A:0 <x>:2 ", "$B <x> $:1")
    assert template.single_pieces == (
        TemplatePiece("[CLS]", None, 0),
        TemplatePiece(None, 0, 0),
        TemplatePiece("<x>", None, 2),
    )
    assert [piece.sequence for piece in template.pair_pieces] == [1, None, 0]
    assert template.special_tokens == ("[CLS]", "<x>")
    assert (template.added(False), template.added(True)) == (2, 1)
    assert template == Template("[CLS]  $A:0 <x>:2 ", "$B <x> $:1") != Template("$A", "$A $B")
    assert hash(template) == hash(copy.copy(template))
    assert pickle.loads(pickle.dumps(template)).pair_pieces == template.pair_pieces
    for piece in template.single_pieces:
        assert parse(piece.written) == (piece,)


# --- Refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("single", "pair", "why", "piece"),
    [
        ("", "$A $B", "no_text", "$A"),
        ("[CLS]", "$A $B", "no_text", "$A"),
        ("$B", "$A $B", "second_text", "$B"),
        ("$A $B", "$A $B", "second_text", "$B"),
        ("$A", "$A", "no_pair", "$B"),
        ("$A", "$B [SEP]", "no_pair", "$A"),
        ("$A $A", "$A $B", "twice", "$A"),
        ("$A", "$A $B $0", "twice", "$A"),
        ("$A", "$A $B $b", "twice", "$B"),
        ("$C", "$A $B", "unknown_text", "$C"),
        ("$A$A", "$A $B", "unknown_text", "$A$A"),
        ("$-1", "$A $B", "unknown_text", "$-1"),
        ("$A:x", "$A $B", "type", "$A:x"),
        ("$A:", "$A $B", "type", "$A:"),
        ("$A:1:2", "$A $B", "type", "$A:1:2"),
        ("$A:-1", "$A $B", "type", "$A:-1"),
        ("$A:²", "$A $B", "type", "$A:²"),
        ("$A:4294967296", "$A $B", "type", "$A:4294967296"),
        (f"$A:{'9' * 5000}", "$A $B", "type", f"$A:{'9' * 5000}"),
        ("$A :1", "$A $B", "no_name", ":1"),
    ],
)
def test_invalid_templates(single: str, pair: str, why: str, piece: str) -> None:
    with pytest.raises(TemplateError) as caught:
        Template(single, pair)
    error = caught.value
    assert (error.why, error.piece) == (why, piece)
    assert error.written in (single, pair)
    assert str(error) == error.template.format(**error.evidence) and len(str(error)) < 300
    assert vars(pickle.loads(pickle.dumps(error))) == vars(error)


def test_a_token_missing_from_the_vocabulary() -> None:
    with pytest.raises(TemplateError) as caught:
        PLAIN.with_options(template=Template("$A", "$A [MISSING] $B"))
    assert (caught.value.why, caught.value.piece) == ("missing", "[MISSING]")
    assert str(caught.value) == (
        "The template '$A [MISSING] $B' has '[MISSING]', which is not in the vocabulary; "
        "train with it as a special token, or choose a template without it."
    )
