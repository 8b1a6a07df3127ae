"""A foreign tokenizer's stages (`tokensteps/catalogue/flow.py`), and the engine's encoding made of them
(`foreign.py`).

Oracle: the `tokenizers` library's own encoding of the same text or pair, field by field; its normalizer on a
whole text; its words, put together from its tokens' offsets.
"""

from __future__ import annotations

import pickle
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.app.catalogue.test_loaded import TEXTS
from tests.app.catalogue.test_renewal import bert, gpt2, llama, t5
from tokenizers_core.encoding.truncation import Truncation
from tokensteps.catalogue.files import remote_tokenizer
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.flow import Flow, flow_of
from tokensteps.catalogue.foreign import ForeignTokenizer, journey_of
from tokensteps.catalogue.shipped import gpt2 as shipped
from tokensteps.server.tasks import Progress
from tokensteps.server.workers import Workers


def roberta() -> Tokenizer:
    tokenizer = gpt2()
    tokenizer.add_special_tokens(["<s>", "</s>"])
    ends = [(token, tokenizer.token_to_id(token)) for token in ("</s>", "<s>")]
    tokenizer.post_processor = processors.RobertaProcessing(*ends, trim_offsets=False, add_prefix_space=False)
    return tokenizer


def xlnet() -> Tokenizer:
    """Its marks come last; a normalizer makes the text longer, and ▁ is in front of the first word only."""
    tokenizer = t5()
    tokenizer.add_special_tokens(["<sep>", "<cls>"])
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKD(), normalizers.Replace("&", "and"), normalizers.StripAccents()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    marks = [(token, tokenizer.token_to_id(token)) for token in ("<sep>", "<cls>")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A:0 <sep>:0 <cls>:2", pair="$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2", special_tokens=marks
    )
    return tokenizer


def words_alone() -> Tokenizer:
    """A model unknown to the engine, and no pre-tokenizer."""
    return Tokenizer(models.WordLevel({"hug": 0, "[UNK]": 1}, unk_token="[UNK]"))


NFD_TEXT = unicodedata.normalize("NFD", "é ệ 한국어 각 ñ Ångström x")
COMPOSING = {
    "NFC": (normalizers.NFC(), NFD_TEXT),
    "NFKC": (normalizers.NFKC(), NFD_TEXT),
    "replacing": (normalizers.Replace(Regex(r"\d+"), "<num>"), "metro $12 system 345="),
    "several": (
        normalizers.Sequence([normalizers.NFC(), normalizers.Replace("é ", "_"), normalizers.Lowercase()]),
        NFD_TEXT,
    ),
}


@pytest.mark.parametrize("name", COMPOSING)
def test_every_character_belongs_to_the_tokens_that_it_went_into(name: str) -> None:
    """The library gives a token only one of several characters composed to one: an accent, a vowel of Korean,
    the 1 of 12 would belong to none."""
    normalizer, text = COMPOSING[name]
    tokenizer = gpt2()
    tokenizer.normalizer = normalizer
    subject = load({"tokenizer.json": tokenizer.to_str().encode()})
    offsets = subject.encode(text).offsets
    assert {at for start, end in offsets for at in range(start, end)} == {*range(len(text))}
    assert subject.encode(text).ids == tokenizer.encode(text).ids
    flow = subject.flow(text).texts[0]
    assert flow.offsets == [*offsets]
    for stage in (flow.normalized, flow.words):
        assert {at for _one, start, end in stage for at in range(start, end)} == {*range(len(text))}
    if name == "replacing":
        assert {(7, 9), (17, 20)} <= {*offsets}
    again = subject.encode(text + "[SEP]")
    assert [*again.offsets][: len(offsets) - 1] == [*offsets][:-1]


MAKERS: dict[str, Callable[[], Tokenizer]] = {
    maker.__name__: maker for maker in (bert, gpt2, t5, llama, roberta, xlnet, words_alone)
}
CASES = [
    *((text,) for text in TEXTS),
    ("Who is é?", "A & [SEP] b"),
    ("", "hug"),
    ("hug", ""),
    ("a", "a"),
    ("the <s>cats</s>", "rats"),
]


def loaded(maker: Callable[[], Tokenizer]) -> tuple[LoadedSubject, Tokenizer]:
    """As the app has it, and as the library has it without truncation and with all of a token's place."""
    subject = load({"tokenizer.json": maker().to_str().encode()})
    library: Any = subject.library
    return subject, library.tokenizer


@pytest.mark.parametrize("name", MAKERS)
def test_the_encoding_is_the_librarys(name: str) -> None:
    subject, library = loaded(MAKERS[name])
    for texts in CASES:
        ours = ForeignTokenizer(subject, flow_of(library, texts)).encode(*texts)
        theirs = library.encode_batch([texts if len(texts) > 1 else texts[0]])[0]
        assert ours.ids == theirs.ids, texts
        assert ours.tokens == [
            library.id_to_token(one) for one in theirs.ids
        ]  # Unigram's spells unknown characters
        assert ours.type_ids == theirs.type_ids
        assert ours.special_tokens_mask == theirs.special_tokens_mask
        assert ours.attention_mask == theirs.attention_mask
        own = [not mask for mask in theirs.special_tokens_mask]
        for mine, other in ((ours.offsets, theirs.offsets), (ours.word_ids, theirs.word_ids)):
            assert [a for a, is_own in zip(mine, own, strict=True) if is_own] == [
                b for b, is_own in zip(other, own, strict=True) if is_own
            ], texts
        if library.post_processor is not None:
            assert ours.sequence_ids == theirs.sequence_ids


@pytest.mark.parametrize("name", MAKERS)
def test_each_stage_agrees_with_the_librarys_component(name: str) -> None:
    _subject, library = loaded(MAKERS[name])
    for text in TEXTS:
        [result] = flow_of(library, [text]).texts
        added = {token.content for token in library.get_added_tokens_decoder().values()}
        if library.normalizer is not None and not any(token in text for token in added):
            assert "".join(one[0] for one in result.normalized) == library.normalizer.normalize_str(text)
        elif library.normalizer is None:
            assert [one[0] for one in result.normalized] == [*text]
        assert all(
            0 <= start <= end <= len(text) for _text, start, end in [*result.normalized, *result.words]
        )
        for at, (start, end) in enumerate(result.offsets):  # each token lies in its own pre-token
            _word, first, last = (
                result.words[result.word_ids[at]] if name != "words_alone" else (text, 0, len(text))
            )
            assert first <= start <= end <= last, (text, at)
        assert result.back == library.decode(result.ids, skip_special_tokens=False)


def test_added_tokens_are_words_that_no_stage_touches() -> None:
    _subject, library = loaded(bert)
    [result] = flow_of(library, ["É[SEP]x"]).texts
    assert result.words == [("e", 0, 1), ("[SEP]", 1, 6), ("x", 6, 7)]
    assert [one[0] for one in result.normalized] == ["e", *"[SEP]", "x"]
    assert journey_of(result).rewritten[0].text == "e" and journey_of(result).dropped == []


def test_the_stages_have_the_librarys_names() -> None:
    assert flow_of(bert(), ["x"]).components == {
        "normalizer": "BertNormalizer",
        "pre_tokenizer": "BertPreTokenizer",
        "post_processor": "TemplateProcessing",
        "decoder": "",
    }
    assert flow_of(llama(), ["x"]).components["normalizer"] == "Prepend → Replace"


def test_windows_are_cut_from_the_librarys_tokens() -> None:
    subject, library = loaded(bert)
    text = "the cats chased the rats"
    tokenizer = ForeignTokenizer(subject, flow_of(library, [text]))
    [encoding] = tokenizer.with_options(truncation=Truncation(8, 2)).encode_batch([text])
    library.enable_truncation(8, stride=2)
    theirs = library.encode(text)
    windows = [encoding.ids, *(one.ids for one in encoding.overflowing)]
    assert windows == [theirs.ids, *(one.ids for one in theirs.overflowing)]


def test_another_process_gives_the_same() -> None:
    workers, files = Workers(1, 5, remote_tokenizer.__name__), {"tokenizer.json": bert().to_str().encode()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote_tokenizer, "readers", lambda: workers)
        there = remote_tokenizer.load_remote_tokenizer(
            "flow", lambda: files, "mine", Progress(), lambda: "me"
        )
        result = there.flow("Who is é?", "he")
        assert result == load(files).flow("Who is é?", "he")
        assert isinstance(pickle.loads(pickle.dumps(result)), Flow)
    workers.close()


def test_gpt2_that_comes_with_the_app_has_stages_too() -> None:
    result = shipped().flow("Hello world")
    assert [one[0] for one in result.texts[0].words] == ["Hello", "Ġworld"]
    assert result.whole == "Hello world" and result.components["pre_tokenizer"] == "Split → ByteLevel"
