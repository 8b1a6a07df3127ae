"""Uploads: each file recognized by its content, and the files that make one tokenizer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from tokenizers_core.errors import quoted
from tokenizers_core.files.loading import RANK_LINE
from tokensteps.catalogue.files.errors import MESSAGE_CHARACTERS, LoadError


class RecognizedFile(NamedTuple):
    """A recognized file."""

    file: str
    kind: str
    """tokenizer (tokenizer.json), vocab (vocab.json), merges, words (vocab.txt), ranks (.tiktoken), tekken
    (tekken.json), minbpe (minbpe's .model), pieces (SentencePiece's .model)."""
    content: Any
    """The document, the file's text, or the bytes of a SentencePiece model."""


def chosen_files(uploads: Sequence[RecognizedFile]) -> tuple[RecognizedFile, ...]:
    """The files that make the tokenizer. A tokenizer.json is complete, so files beside it are ignored. Raises
    LoadError."""
    kinds: dict[str, RecognizedFile] = {}
    for upload in uploads:
        if upload.kind in kinds:
            raise LoadError("several", kinds[upload.kind].file, other=quoted(upload.file))
        kinds[upload.kind] = upload
    if "tokenizer" in kinds:
        return (kinds["tokenizer"],)
    alone = [upload for upload in uploads if upload.kind in ALONE]
    halves = [kinds[kind] for kind in ("vocab", "merges") if kind in kinds]
    # BERT's folder has a vocab.txt, GPT-2's a vocab.json and a merges.txt; none has both.
    if len(alone) > 1 or (alone and halves):
        first, other, *_more = [*alone, *halves]
        raise LoadError("several", first.file, other=quoted(other.file))
    if len(halves) == 1:
        raise LoadError("no_merges" if halves[0].kind == "vocab" else "no_vocab", halves[0].file)
    return tuple(alone or halves)


ALONE: Final = ("words", "ranks", "tekken", "minbpe", "pieces")
"""Kinds of files with a whole tokenizer."""
MINBPE: Final = "minbpe v1"
"""The first line of minbpe's models."""
MAGIC: Final = (
    (b"version https://git-lfs.", "lfs"),
    (b"PK\x03\x04", "archive"),
    (b"\x1f\x8b", "archive"),
    (b"BZh", "archive"),
    (b"\xfd7zXZ", "archive"),
    (b"7z\xbc\xaf", "archive"),
    (b"\x89PNG", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"\x80\x02", "pickle"),
    (b"\x80\x03", "pickle"),
    (b"\x80\x04", "pickle"),
    (b"\x80\x05", "pickle"),
)
"""First bytes of other files, and the kinds of these files."""
# A protobuf message whose first field is a message (a piece) whose first field is a string; a float comes
# next.
SENTENCEPIECE = re.compile(rb"\n[\x02-\x7f]\n[\x00-\x7f]", re.DOTALL)
SCORE_LINE = re.compile(r"[^\t\n]*\t-?[0-9.]+(?:e-?[0-9]+)?")


def recognize(file: str, data: bytes) -> RecognizedFile:
    """A file's kind: by its content, or by its name if the content doesn't tell. Raises LoadError."""
    if not data.strip():
        raise LoadError("empty", file)
    for magic, kind in MAGIC:
        if data.startswith(magic):
            raise LoadError(kind, file)
    if SENTENCEPIECE.match(data) and data[4 + data[3] : 5 + data[3]] == b"\x15":
        return RecognizedFile(file, "pieces", data)
    if b"\x00" in data[:1000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise LoadError("binary", file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadError("not_utf8", file, position=error.start) from None
    if not text.strip():
        raise LoadError("empty", file)
    suffix = PurePath(file).suffix.lower()
    start = text.lstrip()
    if suffix == ".json" or start.startswith("{"):
        try:
            return _recognize_json(file, _parsed(file, text))
        except LoadError as error:
            # A brace is a token, too, and some vocabularies begin with it.
            if suffix == ".json" or error.why != "not_json":
                raise
    elif start.startswith("[") and isinstance(_json_or_none(text), list):
        raise LoadError("list", file)
    return RecognizedFile(file, _kind_of_text(file, text), text)


def _parsed(file: str, text: str) -> Any:
    def constant(name: str) -> None:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=constant)
    except RecursionError:
        raise LoadError("nested", file) from None
    except ValueError as error:
        raise LoadError("not_json", file, message=quoted(str(error), MESSAGE_CHARACTERS)) from None


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


SETTINGS: Final = (
    ("tokenizer_class", "tokenizer_config.json"),
    ("added_tokens_decoder", "tokenizer_config.json"),
    ("model_max_length", "tokenizer_config.json"),
    ("architectures", "config.json"),
    ("model_type", "config.json"),
    ("hidden_size", "config.json"),
    ("max_new_tokens", "generation_config.json"),
    ("transformers_version", "generation_config.json"),
    ("bos_token", "special_tokens_map.json"),
    ("unk_token", "special_tokens_map.json"),
    ("mask_token", "special_tokens_map.json"),
)
"""A key, and its file beside a tokenizer."""


def _recognize_json(file: str, content: Any) -> RecognizedFile:
    if isinstance(content, list):
        raise LoadError("list", file)
    if not isinstance(content, dict):
        raise LoadError("other_json", file, key=quoted("model"))
    if isinstance(content.get("model"), dict):
        return RecognizedFile(file, "tokenizer", content)
    if isinstance(content.get("config"), dict) and isinstance(content.get("vocab"), list):
        return RecognizedFile(file, "tekken", content)
    # Before the keys of other files: each of them may be a token.
    if content and all(type(value) in (int, float) for value in content.values()):
        return RecognizedFile(file, "vocab", content)
    if isinstance(content.get("algorithm"), str) and isinstance(content.get("steps"), list):
        raise LoadError("record", file)
    for key, looks in SETTINGS:
        if key in content:
            raise LoadError("settings", file, looks=looks)
    raise LoadError("other_json", file, key=quoted("model"))


def _kind_of_text(file: str, text: str) -> str:
    """Which of the three kinds of plain text a file is."""
    lines = [line for line in (line.rstrip("\r") for line in text.split("\n")) if line]
    name = PurePath(file).name.lower()
    if lines and lines[0].startswith("#version"):
        return "merges"
    if lines and lines[0] == MINBPE:
        return "minbpe"
    if name.endswith(".tiktoken") or all(map(RANK_LINE.fullmatch, lines)):
        return "ranks"
    if all(map(SCORE_LINE.fullmatch, lines)):
        raise LoadError("spm_vocab", file)
    if "merges" in name or all(len(line.split(" ")) == 2 and line.strip() == line for line in lines):
        return "merges"
    if name.endswith((".txt", ".vocab")) and not any(" " in line.strip() for line in lines):
        return "words"
    raise LoadError("unknown", file)
