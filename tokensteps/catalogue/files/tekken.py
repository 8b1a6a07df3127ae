"""tekken.json: Mistral's tokenizers, byte-level BPE as tokens and their ranks, with the special tokens in
front."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from tokenizers_core.errors import quoted
from tokenizers_core.files.tekken import UNLISTED
from tokensteps.catalogue.files.documents import Document
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.files.ranks import from_rank_table
from tokensteps.catalogue.files.recognition import RecognizedFile
from tokensteps.language.i18n import N_, count
from tokensteps.limits import ADDED_LIMIT, TOKEN_LIMIT


def from_tekken(upload: RecognizedFile, name: str) -> LoadedSubject:
    """A tokenizer from a complete file: the pattern, the tokens, the special tokens. Raises LoadError."""
    config: Document = upload.content["config"]
    pattern = config.get("pattern")
    if not isinstance(pattern, str) or not pattern:
        raise _wrong_part(upload, "config.pattern")
    reserved = _number(
        upload, "config.default_num_special_tokens", config.get("default_num_special_tokens"), ADDED_LIMIT
    )
    size = _number(upload, "config.default_vocab_size", config.get("default_vocab_size"), TOKEN_LIMIT)
    listed = upload.content["vocab"]
    ranks: dict[bytes, int] = {}
    for index, entry in enumerate(listed[: max(0, size - reserved)]):
        ranks[_token(upload, f"vocab[{index}]", entry)] = reserved + index
    special = _special(upload, reserved)
    notes = [N_("Ids begin with the special tokens, then come the tokens of the vocabulary.")]
    if len(listed) > size - reserved:
        notes.append(N_("The file has more tokens than its model uses: the rest is left out."))
    return from_rank_table(upload, ranks, special, name, pattern, notes)


def _token(upload: RecognizedFile, part: str, entry: Any) -> bytes:
    written = entry.get("token_bytes") if isinstance(entry, dict) else None
    try:
        token = base64.b64decode(written, validate=True) if isinstance(written, str) else b""
    except (binascii.Error, ValueError):
        token = b""
    if not token:
        raise _wrong_part(upload, part)
    return token


def _special(upload: RecognizedFile, reserved: int) -> dict[str, int]:
    """The special tokens, with a filler under each unused reserved id, as in mistral_common."""
    special: dict[str, int] = {}
    listed = upload.content.get("special_tokens")
    if listed is None:
        listed = [{"token_str": token, "rank": rank} for rank, token in enumerate(UNLISTED[:reserved])]
    if not isinstance(listed, list) or len(listed) > reserved:
        raise _wrong_part(upload, "special_tokens")
    for index, entry in enumerate(listed):
        token, rank = (entry.get("token_str"), entry.get("rank")) if isinstance(entry, dict) else (None, None)
        if not isinstance(token, str) or not token or type(rank) is not int or not 0 <= rank < reserved:
            raise _wrong_part(upload, f"special_tokens[{index}]")
        special[token] = rank
    taken = {*special.values()}
    fillers = {f"<SPECIAL_{rank}>": rank for rank in range(reserved) if rank not in taken}
    return special | fillers


def _number(upload: RecognizedFile, part: str, value: Any, limit: int) -> int:
    if type(value) is not int or not 0 <= value <= limit:
        if type(value) is int and value > limit:
            raise LoadError("too_many_tokens", upload.file, number=count(value), limit=count(limit))
        raise _wrong_part(upload, part)
    return value


def _wrong_part(upload: RecognizedFile, part: str) -> LoadError:
    return LoadError("tekken", upload.file, part=quoted(part))
