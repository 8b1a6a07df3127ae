"""NAME.tiktoken: a byte-level BPE tokenizer as tokens and their ranks."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping

from tokenizers_core.errors import Phrase, quoted
from tokenizers_core.files.loading import RANK_LINE
from tokenizers_core.files.ranks import all_splits
from tokenizers_core.text.byte_alphabet import bytes_to_symbols
from tokensteps.catalogue.files.documents import (
    BYTES_ONLY,
    bpe_model,
    check_ids,
    check_lengths,
    new_document,
)
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.loaded import LoadedSubject, from_document
from tokensteps.catalogue.files.recognition import RecognizedFile
from tokensteps.catalogue.files.words import published_pattern, words_as_bytes
from tokensteps.language.i18n import N_, count
from tokensteps.limits import TOKEN_LIMIT


def from_ranks(
    upload: RecognizedFile, name: str, pattern: str | None, special: Mapping[str, int | None]
) -> LoadedSubject:
    """A byte-level BPE tokenizer from tokens and their ranks: the possible merges and their order follow from
    them."""
    ranks = _ranks(upload)
    notes = []
    if not special:
        notes.append(N_("The file has no special tokens such as <|endoftext|>: they are plain text here."))
    if pattern is None:
        pattern = published_pattern(len(ranks), "") or "cl100k_base"
        message = N_(
            "The file doesn't say how text is split into words; with {number} tokens, {pattern} is assumed."
        )
        notes.insert(0, Phrase(message, number=count(len(ranks)), pattern=pattern))
    subject = from_rank_table(upload, ranks, numbered(special, ranks.values()), name, pattern, notes)
    subject.pattern = pattern
    return subject


def numbered(special: Mapping[str, int | None], taken: Iterable[int]) -> dict[str, int]:
    """Special tokens with their ids: the given ones, and the next free ones.

    >>> numbered({"<s>": None, "<|end|>": 9, "<pad>": None}, [0, 1, 2])
    {'<s>': 3, '<|end|>': 9, '<pad>': 10}
    """
    result, last = {}, max(taken, default=-1)
    for token, identifier in special.items():
        result[token] = last + 1 if identifier is None else identifier
        last = max(last, result[token])
    return result


def from_rank_table(
    upload: RecognizedFile,
    ranks: Mapping[bytes, int],
    special: Mapping[str, int],
    name: str,
    pattern: str,
    notes: list[str],
) -> LoadedSubject:
    """A byte-level BPE tokenizer from tokens and their ids in merge order."""
    if len(ranks) > TOKEN_LIMIT:
        raise LoadError("too_many_tokens", upload.file, number=count(len(ranks)), limit=count(TOKEN_LIMIT))
    check_lengths(ranks, upload.file)
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        raise LoadError("no_byte", upload.file, byte=f"0x{missing:02X}")
    vocab = {**{bytes_to_symbols(token): rank for token, rank in ranks.items()}, **special}
    check_ids(vocab, upload.file)
    document = new_document(
        bpe_model(
            vocab,
            [[bytes_to_symbols(first), bytes_to_symbols(second)] for first, second in all_splits(ranks)],
            # A word in the vocabulary is its token, whether the merges lead there or not.
            ignore_merges=True,
        ),
        special.items(),
        pre_tokenizer=words_as_bytes(pattern),
        decoder=BYTES_ONLY,
    )
    return from_document(document, upload.file, name, notes, rank_is_id=True)


def _ranks(upload: RecognizedFile) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for line_number, line in enumerate(upload.content.split("\n"), start=1):
        if not line.strip():
            continue
        match = RANK_LINE.fullmatch(line.strip())
        try:
            token = base64.b64decode(match[1].removeprefix("="), validate=True) if match else None
        except binascii.Error:
            token = None
        if not match or token is None:
            raise LoadError("rank_line", upload.file, line_number=line_number, line=quoted(line))
        rank = int(match[2])
        if token in ranks or rank in seen:
            raise LoadError("rank_twice", upload.file, line_number=line_number, line=quoted(line))
        ranks[token] = rank
        seen.add(rank)
    return ranks
