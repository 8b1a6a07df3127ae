"""Tokenizers from files, cached on disk in a ready form, under the digest of the files.

Checking a file of some 30 MB, and computing merges from ranks, takes seconds; the library then reads the JSON
again. The cache has all results: tokens as a JSON list, merges as arrays of ids. It is sealed
(`SealedStore`), since none of it is checked again.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import tokenizers
from tokenizers import AddedToken, Tokenizer, models

import tokenizers_core
from tokenizers_core.errors import Phrase
from tokensteps.catalogue.files.documents import NO_MERGES, Document, Merges, merges_of
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.limits import COMPILED_MERGES
from tokensteps.server.stores import compiled_store, digest

FLAGS: Final = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")
MODEL_OPTIONS: Final = (
    "unk_token",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
)
"""The arguments of the library's BPE beside its vocabulary and merges."""
LENGTH: Final = 8
"""Bytes of the number in front of the JSON."""


def load_once(files: Mapping[str, bytes], name: str, how: Mapping[str, Any]) -> LoadedSubject:
    """Like `formats.load`, but from the cache of these files, or else cached now. Raises LoadError."""
    key = _key_of(files, how)
    known = compiled_store().get(key)
    if known is not None:
        return restored(known, name)
    subject = load(files, name, **how)
    source, subject.source = subject.source, None
    if source and subject.algorithm == "BPE" and len(source[0]["model"]["merges"]) >= COMPILED_MERGES:
        compiled_store().put(key, compiled(subject, *source))
    return subject


def _key_of(files: Mapping[str, bytes], how: Mapping[str, Any]) -> str:
    contents = sorted((name, digest(data)) for name, data in files.items())
    record = {key: value if isinstance(value, str) else dict(value) for key, value in how.items()}
    return digest(json.dumps([_version(), contents, record], sort_keys=True).encode())


@cache
def _version() -> str:
    """All that decides the result for a file: the code of the readers, the library, the order of bytes in an
    array."""
    code = [*Path(__file__).parent.rglob("*.py"), *Path(tokenizers_core.__file__).parent.rglob("*.py")]
    text = f"{tokenizers.__version__} {sys.byteorder}".encode()
    return digest(text + b"".join(path.read_bytes() for path in sorted(code)))


def compiled(subject: LoadedSubject, document: Document, tokenizer: Tokenizer) -> bytes:
    """A tokenizer by BPE as bytes; `document` and `tokenizer` are its sources."""
    model = document["model"]
    merges, added = merges_of(model, tokenizer), tokenizer.get_added_tokens_decoder()
    arrays = [
        array("I", numbers)
        for numbers in (
            model["vocab"].values(),
            merges.firsts,
            merges.seconds,
            merges.rank,
            merges.rank.values(),
        )
    ]
    header = {
        "name": subject.name,
        "notes": [
            [one.template, one.evidence] if isinstance(one, Phrase) else [one] for one in subject.notes
        ],
        "pattern": subject.pattern,
        "respelled": subject.respelled,
        "rank_is_id": subject.rank_is_id,
        "document": {**document, "added_tokens": [], "model": {**model, "vocab": {}, "merges": []}},
        "tokens": [*model["vocab"]],
        "added": [[getattr(token, flag) for flag in FLAGS] for _id, token in sorted(added.items())],
        "sizes": [*map(len, arrays)],
    }
    written = json.dumps(header).encode()
    return b"".join([len(written).to_bytes(LENGTH), written, *map(array.tobytes, arrays)])


def restored(data: bytes, name: str) -> LoadedSubject:
    """The tokenizer in the output of `compiled`, under this name, or else its own."""
    begin = LENGTH + int.from_bytes(data[:LENGTH])
    header = json.loads(data[LENGTH:begin])
    ids, firsts, seconds, result, positions = _arrays(memoryview(data)[begin:], header["sizes"])
    vocab = dict(zip(header["tokens"], ids, strict=True))
    document = header["document"]
    tokenizer = Tokenizer.from_str(json.dumps(document))
    by_id = dict(zip(ids, header["tokens"], strict=True)).__getitem__
    record = {key: document["model"][key] for key in MODEL_OPTIONS if document["model"].get(key) is not None}
    tokenizer.model = models.BPE(
        vocab, [*zip(map(by_id, firsts), map(by_id, seconds), strict=True)], **record
    )
    tokenizer.add_tokens([AddedToken(**dict(zip(FLAGS, one, strict=True))) for one in header["added"]])
    document["model"]["vocab"] = vocab
    merges = Merges(firsts, seconds, dict(zip(result, positions, strict=True)))
    subject = LoadedSubject(
        name or header["name"],
        tokenizer,
        document,
        NO_MERGES if header["rank_is_id"] else merges,
        [Phrase(one[0], **one[1]) if len(one) > 1 else one[0] for one in header["notes"]],
        tuple(header["respelled"]),
        header["rank_is_id"],
    )
    subject.pattern, subject.source = header["pattern"], None
    return subject


def _arrays(data: memoryview, sizes: Sequence[int]) -> Iterator[array[int]]:
    for size in sizes:
        numbers = array("I")
        end = size * numbers.itemsize
        numbers.frombytes(data[:end])
        data = data[end:]
        yield numbers
