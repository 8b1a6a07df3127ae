"""Why these tokens (`tokensteps/catalogue/why.py`): the steps end in the library's tokens, for files of every
kind, and the stages are its own.

Oracles: the `tokenizers` library's encoding, normalizer and pre-tokenizer of the same text; `sentencepiece`
and `tiktoken`, on files made or read by them; GPT-2's real merges, a part of the app.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import sentencepiece
import tiktoken
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from tests.app.catalogue.test_other_files import LINES, trained
from tests.app.catalogue.test_remote_tokenizer import brought
from tests.app.catalogue.test_remote_tokenizer import pool as pool
from tests.samples import STRESS
from tokenizers_core import Corpus, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.reasons import Chosen
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.patterns import PATTERNS
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.shipped import gpt2
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.catalogue.texts import SENTENCES, TEXTS
from tokensteps.catalogue.why import WordStory
from tokensteps.server.workers import Workers

WORDS = sorted({word for one in SENTENCES for word in one.text.split()} | {*TEXTS["code"].make().split()})
TEXTS_TRIED = ["  naïve ﬁne ① 茶 🍵  ", "Éa\u0301 don't </s> <mask> x", *(one.text for one in SENTENCES[:8])]
BYTES = pre_tokenizers.ByteLevel.alphabet()


def train(tokenizer: Tokenizer, trainer: Any) -> Tokenizer:
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer


def library_of(subject: ShownTokenizer) -> Tokenizer:
    assert isinstance(subject, LoadedSubject)
    library: Any = subject.library
    tokenizer: Tokenizer = library.tokenizer
    return tokenizer


def gpt2_kind() -> Tokenizer:
    result = Tokenizer(models.BPE())
    result.pre_tokenizer, result.decoder = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        decoders.ByteLevel(),
    )
    result.post_processor = processors.ByteLevel(trim_offsets=True)
    return train(result, trainers.BpeTrainer(vocab_size=600, initial_alphabet=BYTES, show_progress=False))


def roberta_kind() -> Tokenizer:
    """A prefix space, trimmed offsets, and a mask with the space before it."""
    result = gpt2_kind()
    result.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    result.add_special_tokens(["<s>", "</s>", AddedToken("<mask>", lstrip=True, special=True)])
    ends = [(token, result.token_to_id(token)) for token in ("</s>", "<s>")]
    result.post_processor = processors.RobertaProcessing(*ends, trim_offsets=True)
    return result


def llama3_kind() -> Tokenizer:
    result = Tokenizer(models.BPE(ignore_merges=True))
    result.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(" ", "merged_with_next"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    result.decoder = decoders.ByteLevel()
    train(result, trainers.BpeTrainer(vocab_size=500, initial_alphabet=BYTES, show_progress=False))
    document = json.loads(result.to_str())
    document["model"]["vocab"]["Ġhuman"] = len(document["model"]["vocab"])  # a token without a merge
    return Tokenizer.from_str(json.dumps(document))


def bert_kind() -> Tokenizer:
    result = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    result.normalizer, result.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    result.decoder = decoders.WordPiece()
    return train(
        result, trainers.WordPieceTrainer(vocab_size=500, special_tokens=["[UNK]"], show_progress=False)
    )


def xlmr_kind() -> Tokenizer:
    """SentencePiece's compiled character map in front of Unigram; added tokens, not special."""
    result = library_of(load({"m.model": trained("unigram")}))
    result.pre_tokenizer = pre_tokenizers.Metaspace()
    result.add_tokens(["<extra>"])
    return result


def llama2_kind() -> Tokenizer:
    """Prepend and Replace, no pre-tokenizer, bytes for unknown characters."""
    pieces = [
        "<unk>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        *"▁thenaiv",
        "th",
        "▁th",
        "the",
        "▁the",
        "na",
        "iv",
    ]
    merges = [("t", "h"), ("▁", "th"), ("th", "e"), ("▁th", "e"), ("▁", "the"), ("n", "a"), ("i", "v")]
    vocab = {piece: index for index, piece in enumerate(pieces)}
    result = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    result.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    result.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return result


def tiktoken_file() -> bytes:
    """Ranks, as tiktoken has them: the ids of byte-level tokens, here of a tokenizer trained by the
    library."""
    ranks = sorted(gpt2_kind().get_vocab().items(), key=lambda one: one[1])
    tokens = [symbols_to_bytes(token) for token, _ in ranks]
    return b"\n".join(b"%s %d" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))


def by_transformers() -> bytes:
    # Half a second, too long for the collection of this file.
    from transformers import PreTrainedTokenizerFast

    fast = PreTrainedTokenizerFast(tokenizer_object=bert_kind(), unk_token="[UNK]")
    return bytes(fast.backend_tokenizer.to_str(), "utf-8")


def written(make: Callable[[], Tokenizer]) -> Callable[[], dict[str, bytes]]:
    return lambda: {"tokenizer.json": make().to_str().encode()}


KINDS: dict[str, Callable[[], dict[str, bytes]]] = {
    **{
        one.__name__: written(one)
        for one in (gpt2_kind, roberta_kind, llama3_kind, bert_kind, xlmr_kind, llama2_kind)
    },
    "transformers": lambda: {"tokenizer.json": by_transformers()},
    "t5": lambda: {"spiece.model": trained("unigram")},
    "unigram, bytes": lambda: {"m.model": trained("unigram, bytes")},
    "llama, sentencepiece": lambda: {"tokenizer.model": trained("as Llama")},
    "tiktoken": lambda: {"x.tiktoken": tiktoken_file()},
}


@cache
def files_of_kind(kind: str) -> dict[str, bytes]:
    """Made once: training is not the same each time."""
    return KINDS[kind]()


@cache
def subject_of(kind: str) -> LoadedSubject:
    return load(files_of_kind(kind))


def drawn(words: list[str], number: int) -> list[str]:
    return words if STRESS else random.Random(1).sample(words, number)


def last_tokens(story: WordStory) -> tuple[str, ...]:
    """The last step's tokens, from the vocabulary; Unigram's unknown characters as in the word."""
    last: Any = story.steps[-1]
    return tuple(edge.piece for edge in last.path) if story.algorithm == "unigram" else tuple(last.tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_the_steps_end_in_the_librarys_tokens(kind: str) -> None:
    subject = subject_of(kind)
    library = library_of(subject)
    for word in drawn(WORDS, 25):
        results: list[str] = []
        wanted = subject.why(word)
        for index in range(len(wanted.words)):
            story = subject.why(word, index).story
            assert story is not None and story.library == (), (word, story)
            assert subject.why_not(story.word, story.tokens) == Chosen(story.tokens)
            if story.algorithm != "unigram" or library.token_to_id(story.word) is not None:
                assert last_tokens(story) == story.tokens
            assert story.ends[-1] == len(story.word)
            results += story.tokens
        assert results == library.encode(word, add_special_tokens=False).tokens, word


@pytest.mark.parametrize("kind", KINDS)
def test_the_stages_are_the_librarys(kind: str) -> None:
    subject = subject_of(kind)
    library = library_of(subject)
    added = {token.content for token in library.get_added_tokens_decoder().values()}
    for text in TEXTS_TRIED:
        wanted = subject.why(text)
        assert wanted.words == tuple(wanted.stages[-1].texts if wanted.stages else (text,))
        if any(one.strip() in text for one in added):
            continue
        normal = [one.texts for one in wanted.stages if one.stage == "normalizer"]
        assert not normal or normal[-1] == (library.normalizer.normalize_str(text),)
        if library.pre_tokenizer is not None:
            value = normal[-1][0] if normal else text
            assert list(wanted.words) == [word for word, _ in library.pre_tokenizer.pre_tokenize_str(value)]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_offsets_and_decoded_text_are_the_librarys(kind: str) -> None:
    """Only `trim_offsets` differs, by intention: the space of `Ġthe` stays in its token's place. The ids
    don't change."""
    [(name, data)] = files_of_kind(kind).items()
    text = " ".join(one.text for one in SENTENCES)
    text *= 200_000 // len(text) if STRESS else 1
    subject = subject_of(kind)
    document = json.loads(data) if name == "tokenizer.json" else json.loads(library_of(subject).to_str())
    if (document["post_processor"] or {}).get("trim_offsets"):
        document["post_processor"]["trim_offsets"] = False
        if document["pre_tokenizer"]["type"] == "ByteLevel":
            document["pre_tokenizer"]["trim_offsets"] = False
    theirs = Tokenizer.from_str(json.dumps(document)).encode(text, add_special_tokens=False)
    ours = subject.encode(text)
    assert [*ours.ids] == theirs.ids and [*map(tuple, ours.offsets)] == theirs.offsets
    back = subject.flow(text).texts[0].back
    if name.endswith(".model"):
        truth = sentencepiece.SentencePieceProcessor(model_proto=data)
        assert theirs.ids == truth.encode(text)
        # SentencePiece writes ⁇ for an unknown character.
        assert back == truth.decode(theirs.ids) or truth.unk_id() in theirs.ids
    else:
        read = Tokenizer.from_str(json.dumps(document)).decode(theirs.ids, skip_special_tokens=False)
        assert back == read
    if kind == "tiktoken":
        ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in data.splitlines()}
        truth = tiktoken.Encoding(
            "x", pat_str=PATTERNS["cl100k_base"], mergeable_ranks=ranks, special_tokens={}
        )
        assert theirs.ids == truth.encode_ordinary(text)


def test_gpt2s_words_of_many_scripts_step_to_the_librarys_tokens() -> None:
    """GPT-2's real merges: words of sentences in many languages, tokens put together, and characters of all
    of Unicode."""
    library: Any = gpt2().library
    model = library.model
    assert isinstance(model, BpeModel)
    random_ = random.Random(0)
    tokens = [token for token in gpt2().all_tokens() if not token.startswith("<|")]
    words = [
        word for one in SENTENCES for word, _ in library.tokenizer.pre_tokenizer.pre_tokenize_str(one.text)
    ]
    for _ in range(10_000 if STRESS else 300):
        words.append("".join(random_.choices(tokens, k=random_.randint(1, 4)))[:60])
    for _ in range(3_000 if STRESS else 100):
        text = "".join(chr(random_.choice([*range(32, 0x2000), *range(0x3040, 0xAC00)])) for _ in range(6))
        words += [word for word, _ in library.tokenizer.pre_tokenizer.pre_tokenize_str(text)]
    assert len(words) > (10_000 if STRESS else 500)
    for word in words:
        theirs = tuple(token.value for token in library.tokenizer.model.tokenize(word))
        assert model.explain(word)[-1].tokens == theirs and model.why_not(word, theirs) == Chosen(theirs)


def test_a_merges_rank_in_a_tiktoken_file_is_its_tokens_id() -> None:
    subject = subject_of("tiktoken")
    story = subject.why(" people").story
    assert story is not None and story.by_id and story.joins
    for join in story.joins:
        result = "".join(story.symbols[join.start : join.end])
        assert subject.token(join.rank) == result


def test_an_end_of_word_as_a_symbol_of_its_own() -> None:
    vocab = {token: index for index, token in enumerate(["l", "o", "w", "</w>", "lo", "w</w>"])}
    subject = load({"vocab.json": json.dumps(vocab).encode(), "merges.txt": b"l o\nw </w>"})
    story = subject.why("low").story
    assert story is not None and (story.word, story.tokens, story.joined) == ("low", ("lo", "w</w>"), False)
    assert story.symbols == ("l", "o", "w", "</w>")
    assert subject.why_not("low", ("lo", "w", "</w>")).kind == "merged_across"


def test_models_without_steps() -> None:
    plain = load(
        {"tokenizer.json": Tokenizer(models.WordLevel({"hug": 0, "?": 1}, unk_token="?")).to_str().encode()}
    )
    wanted = plain.why("hug")
    assert wanted.story is None and "WordLevel" in str(wanted.lacking) and wanted.words == ("hug",)
    roberta = subject_of("roberta_kind")
    assert roberta.why("<mask>").story is None and roberta.why("<mask>").lacking is None
    after = roberta.why("a <mask> b")
    assert after.stages[0].stage == "added" and after.words[after.nth] == "Ġa"
    assert subject_of("bert_kind").why("   ").words == ()
    assert subject_of("gpt2_kind").why("茶" * 100).story is None  # three hundred bytes


@pytest.mark.parametrize("kind", ["gpt2_kind", "roberta_kind", "bert_kind", "xlmr_kind"])
def test_special_tokens_may_be_plain_text(kind: str) -> None:
    """As in the library with the same setting: no stage finds the special tokens, and the model makes tokens
    of their parts."""
    subject = subject_of(kind)
    special = min(subject.style.special_tokens - subject.only_added, default="[UNK]")
    text = f"a {special} b"
    results: list[str] = []
    for index in range(len(subject.why(text, 0, specials=False).words)):
        wanted = subject.why(text, index, specials=False)
        assert wanted.story is not None and wanted.stages[0].stage != "added"
        results += wanted.story.tokens
    assert results == [subject.token(one) for one in subject.encode(text, specials=False).ids]


def test_any_index_in_a_link() -> None:
    for index in (-5, 0, 1, 99):
        wanted = subject_of("bert_kind").why("don't stop", index)
        assert wanted.words[wanted.nth] == {0: "don", 1: "'"}.get(index, "stop")


def test_the_longest_word_is_explained_by_default() -> None:
    """Before, it was the first: of “ 12345” in DeepSeek's split the space, a word without steps."""
    wanted = subject_of("bert_kind").why("a don't", -1)
    assert wanted.words[wanted.nth] == "don"


def test_in_a_process_of_its_own_it_is_the_same(pool: Workers) -> None:
    files = files_of_kind("xlmr_kind")
    apart, here = brought(files), subject_of("xlmr_kind")
    assert apart.why("naïvely")._replace(story=None) == here.why("naïvely")._replace(story=None)
    there, story = apart.why("naïvely").story, here.why("naïvely").story
    assert there is not None and story is not None and last_tokens(there) == last_tokens(story)
    assert apart.why_not(story.word, (story.word,)) == here.why_not(story.word, (story.word,))


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram"])
def test_a_tokenizer_trained_here(kind: str) -> None:
    if kind == "bpe":
        trace: Any = train_bpe(
            Corpus.from_texts(LINES[:5], pre_tokenizer="end_of_word"), merges=60, special_tokens=["<s>"]
        )
    elif kind == "wordpiece":
        trace = train_wordpiece(Corpus.from_texts(LINES[:5], "bert_uncased", "bert"), merges=60)
    else:
        trace = train_unigram(
            Corpus.from_texts(LINES[:5], pre_tokenizer="whitespace_split_metaspace"), 200, 80
        )
    subject = TrainedSubject("mine", trace.tokenizer(), trace, len(trace))
    for text in ("All human", "<s>Éach", "x"):
        wanted = subject.why(text)
        assert not wanted.foreign and wanted.stages[-1].texts == wanted.words
        story = wanted.story
        assert story is not None and story.tokens == tuple(
            subject.token(one) for one in trace.tokenizer().encode(story.word.lstrip("▁")).ids
        )
    special = next(iter(subject.style.special_tokens), "")
    assert not special or subject.why(special).story is None
    assert subject.why(special or "x", specials=False).story is not None
