"""vocab.txt: a WordPiece vocabulary, one token a line, as BERT's."""

from __future__ import annotations

import re

from tokensteps.catalogue.files.documents import new_document
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.loaded import LoadedSubject, from_document
from tokensteps.catalogue.files.recognition import RecognizedFile
from tokensteps.catalogue.files.words import UNKNOWN_TOKENS
from tokensteps.language.i18n import N_

SPECIAL_TOKEN = re.compile(
    r"\[[A-Z]{2,}\]|<\|[^|<>]+\|>|</?s>|<(?:unk|UNK|pad|mask|bos|eos|cls|sep)>|\[unk\]"
)
UNUSED_TOKEN = re.compile(r"\[unused\d+\]")
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""Rust's white space; Python's `strip` would remove more."""


def from_vocab_txt(upload: RecognizedFile, name: str) -> LoadedSubject:
    """A WordPiece tokenizer like BERT's: the file holds the vocabulary, the rest is as in BERT's own code."""
    vocab: dict[str, int] = {}
    for identifier, line in enumerate(upload.content.removesuffix("\n").split("\n")):
        vocab[line.rstrip(WHITE_SPACE)] = identifier
    unknown = next((token for token in UNKNOWN_TOKENS if token in vocab), None)
    if unknown is None:
        raise LoadError("no_unknown", upload.file)
    special = [(token, vocab[token]) for token in vocab if SPECIAL_TOKEN.fullmatch(token)]
    ordinary = [
        token for token in vocab if not SPECIAL_TOKEN.fullmatch(token) and not UNUSED_TOKEN.fullmatch(token)
    ]
    cased = any(token.lower() != token for token in ordinary)
    notes = [
        N_(
            "Read as a WordPiece vocabulary like BERT's: text is cleaned and split at whitespace and punctuation."
        ),
        N_("Some tokens have capitals, so text keeps its case and its accents.")
        if cased
        else N_("No token has capitals, so text is lowercased and stripped of accents."),
    ]
    if not any(token.startswith("##") for token in ordinary):
        notes.append(N_("No token begins with ##, so a word is either one token or unknown."))
    template = None
    if "[CLS]" in vocab and "[SEP]" in vocab:
        template = {
            "type": "BertProcessing",
            "sep": ["[SEP]", vocab["[SEP]"]],
            "cls": ["[CLS]", vocab["[CLS]"]],
        }
    document = new_document(
        {
            "type": "WordPiece",
            "unk_token": unknown,
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
        special,
        normalizer={
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": not cased,
        },
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=template,
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )
    return from_document(document, upload.file, name, notes)
