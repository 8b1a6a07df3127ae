"""Why these tokens (`tokensteps/catalogue/why.py`): the steps end in the library's tokens, for files of every kind, and the stages are its own.

Oracles: the `tokenizers` library's encoding, normalizer and pre-tokenizer of the same text; `sentencepiece` and `tiktoken`, on files that
they make or read; GPT-2's real merges, which come with the app.
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
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from tests.app.catalogue.test_apart import brought
from tests.app.catalogue.test_apart import pool as pool
from tests.app.catalogue.test_other_files import LINES, trained
from tests.samples import STRESS
from tokenizers_core import Corpus, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.encoding.reasons import Chosen
from tokenizers_core.files.models import model_alone
from tokenizers_core.files.tokenizer_json import model_of
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.shipped import gpt2
from tokensteps.catalogue.subjects import Subject, TrainedSubject
from tokensteps.catalogue.texts import SENTENCES, TEXTS
from tokensteps.server.workers import Workers

WORDS = sorted({word for one in SENTENCES for word in one.text.split()} | {*TEXTS["code"].make().split()})
TEXTS_TRIED = ["  naïve ﬁne ① 茶 🍵  ", "Éa\u0301 don't </s> <mask> x", *(one.text for one in SENTENCES[:8])]
BYTES = pre_tokenizers.ByteLevel.alphabet()


def train(tokenizer: Tokenizer, trainer: Any) -> Tokenizer:
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer


def gpt2_kind() -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    return train(made, trainers.BpeTrainer(vocab_size=600, initial_alphabet=BYTES, show_progress=False))


def roberta_kind() -> Tokenizer:
    """A prefix space, trimmed offsets, and a mask that takes the space before it."""
    made = gpt2_kind()
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.add_special_tokens(["<s>", "</s>", AddedToken("<mask>", lstrip=True, special=True)])
    ends = [(token, made.token_to_id(token)) for token in ("</s>", "<s>")]
    made.post_processor = processors.RobertaProcessing(*ends, trim_offsets=True)
    return made


def llama3_kind() -> Tokenizer:
    made = Tokenizer(models.BPE(ignore_merges=True))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(" ", "merged_with_next"), pre_tokenizers.ByteLevel(False, use_regex=False)]
    )
    made.decoder = decoders.ByteLevel()
    train(made, trainers.BpeTrainer(vocab_size=500, initial_alphabet=BYTES, show_progress=False))
    document = json.loads(made.to_str())
    document["model"]["vocab"]["Ġhuman"] = len(document["model"]["vocab"])  # a token that no merge makes
    return Tokenizer.from_str(json.dumps(document))


def bert_kind() -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    return train(made, trainers.WordPieceTrainer(vocab_size=500, special_tokens=["[UNK]"], show_progress=False))


def xlmr_kind() -> Tokenizer:
    """SentencePiece's compiled character map in front of Unigram; added tokens that are not special."""
    document = json.loads(load({"m.model": trained("unigram")}).work("tokenizer_json"))
    made = Tokenizer.from_str(json.dumps(document))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.add_tokens(["<extra>"])
    return made


def llama2_kind() -> Tokenizer:
    """Prepend and Replace, no pre-tokenizer, bytes for unknown characters."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁thenaiv", "th", "▁th", "the", "▁the", "na", "iv"]
    merges = [("t", "h"), ("▁", "th"), ("th", "e"), ("▁th", "e"), ("▁", "the"), ("n", "a"), ("i", "v")]
    vocab = {piece: place for place, piece in enumerate(pieces)}
    made = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return made
