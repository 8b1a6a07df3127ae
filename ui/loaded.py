"""Tokenizers from files: whatever somebody uploads, as a `Subject`, or an error that says what to do.

Every kind of file becomes one plain-data document, the `tokenizers` library's own format, and takes the same way from
there: checked here, where a mistake can be explained, then handed to the library.

The library is careless in three ways that matter on a server. It panics on some files and texts, and a panic is a
`BaseException`. Its `encode` holds the GIL, so that a hostile regular expression would stop every session; `encode_batch`
lets go of it, and so all work on texts happens there, in a thread that is given up after a while. And setting a property
of a tokenizer waits, with the GIL, for whatever that tokenizer is encoding; so nothing is set once it is shared.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import threading
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import PurePath
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from tokenizers import Tokenizer

from tokenizers_core.errors import TokenizersCoreError, UnknownIdError, quoted
from tokenizers_core.text import (
    BYTE_TO_SYMBOL,
    END_OF_WORD,
    LONGEST_PATTERN,
    PATTERNS,
    SPACE_MARK,
    SYMBOL_TO_BYTE,
    bytes_to_symbols,
    refuse_surrogates,
    symbols_to_bytes,
)
from ui.i18n import N_, _, count
from ui.subjects import Facts, Subject, Tokenized, Tokens
from ui.tokens import Style

SIZE_LIMIT = 40_000_000
"""Bytes of all files of one tokenizer; Gemma's tokenizer.json, with 262,000 tokens, has 33 million."""
TOKEN_LIMIT = 300_000
"""Tokens of one tokenizer: as many take the library 0.8 seconds, with the GIL held, and 150 MB."""
ADDED_LIMIT = 20_000
"""Added tokens: as many take the library 0.1 seconds."""
ID_LIMIT = 2 * TOKEN_LIMIT
"""An id has to be lower: some vocabularies have holes, but a list by id must stay small."""
EXPANSION_LIMIT = 100
"""How many times longer a pipeline may make a text: without a limit a small file could use up the memory."""
TEMPLATE_LIMIT = 1_000
"""Special tokens that may be put around a text."""
STAGES_LIMIT = 1_000
"""JSON objects in the pipeline; what people use has 30 at most."""
SECONDS = 10.0
"""Time for one text."""
RUNAWAYS = 2
"""Texts given up whose encoding still runs, after which no tokenizer with regular expressions is asked any more."""

Value = TypeVar("Value")
Document = dict[str, Any]
"""A tokenizer in the format of tokenizer.json."""


class LoadError(TokenizersCoreError):
    """Files that make no tokenizer. `why` is a key of `templates`.

    >>> print(LoadError("no_merges", "vocab.json"))
    'vocab.json' is one half of a BPE tokenizer: its merges.txt is missing; upload the two files together.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "nothing": N_(
            "No file was given; upload tokenizer.json, vocab.txt, vocab.json with merges.txt, or a .tiktoken file."
        ),
        "too_large": N_(
            "{file} has {size} bytes, more than {limit}; upload the tokenizer's file alone, without its model."
        ),
        "empty": N_("{file} is empty; download it again, or upload tokenizer.json from the same place."),
        "sentencepiece": N_(
            "{file} is a SentencePiece model in its binary form, which is not read here; upload the tokenizer.json that "
            "usually lies beside it."
        ),
        "pickle": N_(
            "{file} is a Python pickle, which may run programs when it is read; upload tokenizer.json instead."
        ),
        "archive": N_("{file} is an archive; unpack it and upload the tokenizer.json inside."),
        "image": N_("{file} is an image; upload tokenizer.json."),
        "binary": N_("{file} is no text but binary data; upload tokenizer.json."),
        "not_utf8": N_(
            "{file} is not UTF-8: byte {position} can't be read; save it as UTF-8, or download it again."
        ),
        "not_json": N_("{file} is not JSON: {message}; download it again."),
        "nested": N_("{file} is nested too deeply for a tokenizer; upload tokenizer.json."),
        "surrogate": N_(
            "{file} holds half of a UTF-16 pair, which UTF-8 can't hold; write U+FFFD in its place."
        ),
        "settings": N_(
            "{file} looks like {looks}, which holds settings and no vocabulary; upload the tokenizer.json beside it."
        ),
        "list": N_("{file} is a JSON list, which no tokenizer is; upload tokenizer.json."),
        "record": N_(
            "{file} is a record of a training run of TokenSteps; upload the tokenizer's files, such as vocab.json with "
            "merges.txt."
        ),
        "other_json": N_("{file} is JSON, but no tokenizer: {key} is missing; upload tokenizer.json."),
        "spm_vocab": N_(
            "{file} lists pieces with their scores, but not how text becomes words; upload tokenizer.json."
        ),
        "unknown": N_(
            "{file} is none of the files that hold a tokenizer; upload tokenizer.json, vocab.txt, vocab.json with "
            "merges.txt, or a .tiktoken file."
        ),
        "several": N_("{file} and {other} are two tokenizers; upload one at a time."),
        "no_merges": N_(
            "{file} is one half of a BPE tokenizer: its merges.txt is missing; upload the two files together."
        ),
        "no_vocab": N_(
            "{file} is one half of a BPE tokenizer: its vocab.json is missing; upload the two files together."
        ),
        "no_unknown": N_(
            "{file} has no token for unknown words, such as [UNK]; add a line [UNK], or upload tokenizer.json."
        ),
        "too_many_tokens": N_("{file} has {number} tokens, more than {limit}; choose a smaller tokenizer."),
        "too_many_added": N_(
            "{file} has {number} added tokens, more than {limit}; choose another tokenizer."
        ),
        "no_id": N_(
            "{file}: the id of {token} is {identifier}, not a whole number from 0; number the tokens from 0."
        ),
        "high_id": N_(
            "{file}: the id of {token} is {identifier}, but ids end below {limit} here; number the tokens from 0."
        ),
        "same_id": N_("{file}: {first} and {second} have the same id, {identifier}; give each its own."),
        "rank_line": N_(
            "Line {line_number} of {file} ({line}) is not a token in base64 and a rank, such as: aGVsbG8= 31373; "
            "download the file again."
        ),
        "rank_twice": N_(
            "Line {line_number} of {file} ({line}): the token or its rank stands above already; download the file again."
        ),
        "no_byte": N_(
            "{file} has no token for the byte {byte}, and so can't spell every text; download it again."
        ),
        "merge_line": N_(
            "Line {line_number} of {file} ({line}) is not two tokens parted by one space; download the file again."
        ),
        "merge_unknown": N_(
            "{file} merges {token}, which is not in the vocabulary; upload the two files of one and the same tokenizer."
        ),
        "stages": N_(
            "{file} has a pipeline of {number} components, more than {limit}; choose another tokenizer."
        ),
        "long_pattern": N_(
            "{file} has a regular expression of {number} characters, more than {limit}; choose another tokenizer."
        ),
        "expands": N_(
            "{file} makes texts more than {limit} times longer before it splits them; choose another tokenizer."
        ),
        "template": N_(
            "{file} puts more than {limit} special tokens around a text; choose another tokenizer."
        ),
        "library": N_(
            "{file} can't be loaded: the tokenizers library says {message}; download it again, or choose another tokenizer."
        ),
        "panic": N_(
            "{file} breaks the tokenizers library ({message}); download it again, or choose another tokenizer."
        ),
    }

    def __init__(self, why: str, file: str = "", **evidence: str | int) -> None:
        self.why, self.file = why, file
        self.template = self.templates[why]
        super().__init__(file=quoted(file), **evidence)


class EncodeError(TokenizersCoreError):
    """A loaded tokenizer that can't encode a text. `why` is a key of `templates`.

    >>> print(EncodeError("failed", "mine", message=quoted("Missing [UNK] token")))
    The tokenizer 'mine' can't encode this text: the tokenizers library says 'Missing [UNK] token'; use another text or \
another tokenizer.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "failed": N_(
            "The tokenizer {name} can't encode this text: the tokenizers library says {message}; use another text or "
            "another tokenizer."
        ),
        "panic": N_(
            "The tokenizer {name} breaks the tokenizers library on this text ({message}); use another text or another "
            "tokenizer."
        ),
        "slow": N_(
            "The tokenizer {name} took more than {seconds} seconds; use less text or another tokenizer."
        ),
        "busy": N_(
            "The tokenizer {name} is still busy with a text that took too long; wait, or use another tokenizer."
        ),
        "crowded": N_(
            "Other texts that took too long are still being worked on; wait before you use the tokenizer {name}."
        ),
    }

    def __init__(self, why: str, name: str, **evidence: str | int | float) -> None:
        self.why, self.name = why, name
        self.template = self.templates[why]
        super().__init__(name=quoted(name), **evidence)


# --- The subject ------------------------------------------------------------------------------------------------------


class Merges(NamedTuple):
    """The merges of a BPE tokenizer by the ids of the two tokens."""

    firsts: Sequence[int]
    seconds: Sequence[int]
    rank: Mapping[int, int]
    """A token's id → the place of the first merge that makes it."""


NO_MERGES = Merges((), (), {})


class LoadedSubject(Subject):
    """A tokenizer of the `tokenizers` library."""

    def __init__(
        self,
        name: str,
        tokenizer: Tokenizer,
        document: Document,
        merges: Merges = NO_MERGES,
        notes: Iterable[str] = (),
        respelled: tuple[str, str] = ("", ""),
    ) -> None:
        """`document` is what `tokenizer` was made of. `respelled`: a character of its tokens, and what it stands for."""
        model = document["model"]
        self.name = name
        self.tokenizer = tokenizer
        self.algorithm = type(tokenizer.model).__name__
        self.size = tokenizer.get_vocab_size(with_added_tokens=True)
        self.notes = tuple(notes)
        self._merges = merges
        self._respelled = respelled
        self._names = self._by_id(tokenizer.get_vocab(with_added_tokens=True))
        added = tokenizer.get_added_tokens_decoder()
        self._added_ids = frozenset(added)
        self.style = Style(
            byte_level=_is_byte_level(document),
            special_tokens=frozenset(token.content for token in added.values()),
        )
        self._byte_fallback = bool(model.get("byte_fallback"))
        self._scores = (
            array("d", (score for _piece, score in model["vocab"]))
            if self.algorithm == "Unigram"
            else array("d")
        )
        self.unknown_token, self.unknown_id = self._unknown(model)
        self._has_patterns = any("Regex" in node for node in _nodes(document))
        self._slow_normalizer = any("Regex" in node for node in _nodes(document.get("normalizer")))
        self._given_up: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.added = self._put_around()

    def encode(self, text: str, specials: bool = True, added: bool = False) -> Tokenized:
        """The tokens of `text`, as in `Subject`. Raises EncodeError, SurrogateError."""
        refuse_surrogates(text)
        tokenizer = self.tokenizer if specials else self._plain

        def work() -> Tokenized:
            [encoding] = tokenizer.encode_batch([text], add_special_tokens=added)
            return Tokens(encoding.ids, encoding.offsets)

        return self._in_time(work)

    def normalized(self, text: str) -> str:
        refuse_surrogates(text)
        normalizer = self.tokenizer.normalizer
        if normalizer is None:
            return text
        if self._slow_normalizer:
            shown = self._shows_normalized
            return self._in_time(lambda: bytes(shown.encode_batch([text])[0].ids).decode("utf-8"))
        return self._in_time(lambda: str(normalizer.normalize_str(text)))

    def token(self, identifier: int) -> str:
        """The token with this id, "" for one that is unused. Raises UnknownIdError."""
        if not 0 <= identifier < len(self._names):
            raise UnknownIdError(identifier=identifier, size=len(self._names))
        return self._names[identifier]

    def token_bytes(self, identifier: int) -> bytes:
        token = self.token(identifier)
        if identifier not in self._added_ids:
            if self.style.byte_level and SYMBOL_TO_BYTE.keys() >= set(token):
                return symbols_to_bytes(token)
            if self._byte_fallback and (byte := BYTE_TOKEN.fullmatch(token)):
                return bytes.fromhex(byte[1])
        return token.encode("utf-8")

    def facts(self, identifier: int) -> Facts:
        self.token(identifier)
        merges = self._merges
        rank = merges.rank.get(identifier)
        if rank is not None:
            return Facts(
                rank=rank, parts=(self._names[merges.firsts[rank]], self._names[merges.seconds[rank]])
            )
        return Facts(score=self._scores[identifier]) if identifier < len(self._scores) else Facts()

    def all_tokens(self) -> Sequence[str]:
        return self._names

    # --- setting up ---------------------------------------------------------------------------------------------------

    def _by_id(self, vocab: Mapping[str, int]) -> tuple[str, ...]:
        names = [""] * (max(vocab.values(), default=-1) + 1)
        for token, identifier in vocab.items():
            names[identifier] = token
        written, meant = self._respelled
        return tuple(name.replace(written, meant) for name in names) if written else tuple(names)

    def _unknown(self, model: Document) -> tuple[str, int | None]:
        if self.algorithm == "Unigram":
            identifier = model.get("unk_id")
            return ("", None) if identifier is None else (model["vocab"][identifier][0], identifier)
        token = model.get("unk_token") or ""
        identifier = self.tokenizer.token_to_id(token) if token else None
        return (token, identifier) if identifier is not None else ("", None)

    def _put_around(self) -> tuple[str, ...]:
        try:
            return tuple(map(self.token, self.encode("", added=True).ids))
        except (EncodeError, UnknownIdError):
            return ()  # a template that names tokens which aren't there: asking for it will say so

    @cached_property
    def _plain(self) -> Tokenizer:
        """The same tokenizer, to which special tokens are plain text. It shares the model, which is what takes room."""
        plain = Tokenizer(self.tokenizer.model)
        for _identifier, token in sorted(self.tokenizer.get_added_tokens_decoder().items()):
            (plain.add_special_tokens if token.special else plain.add_tokens)([token])
        if self.tokenizer.normalizer is not None:
            plain.normalizer = self.tokenizer.normalizer
        if self.tokenizer.pre_tokenizer is not None:
            plain.pre_tokenizer = self.tokenizer.pre_tokenizer
        if self.tokenizer.post_processor is not None:
            plain.post_processor = self.tokenizer.post_processor
        plain.encode_special_tokens = True
        return plain

    @cached_property
    def _shows_normalized(self) -> Tokenizer:
        """A tokenizer whose ids are the bytes of the normalized text.

        `normalize_str` holds the GIL, so a normalizer with a regular expression of anybody's has to go through this.
        """
        shown = Tokenizer.from_str(
            json.dumps(
                _document(
                    {
                        "type": "BPE",
                        "vocab": dict(zip(BYTE_TO_SYMBOL, range(256), strict=True)),
                        "merges": [],
                    },
                    # Short stretches, because the library takes and remembers them whole.
                    pre_tokenizer=_sequence({"type": "FixedLength", "length": 32}, BYTES_ONLY),
                )
            )
        )
        assert self.tokenizer.normalizer is not None  # asked for by `normalized` only
        shown.normalizer = self.tokenizer.normalizer
        return shown

    # --- working in time ----------------------------------------------------------------------------------------------

    def _in_time(self, work: Callable[[], Value]) -> Value:
        """What `work` gives, if it does so in time. A thread can't be ended, so one that takes longer is left behind."""
        self._refuse_when_crowded()
        outcome: list[Value] = []
        failure: list[BaseException] = []

        def run() -> None:
            try:
                outcome.append(work())
            except BaseException as error:  # a panic is no Exception; what it is, is sorted out below
                failure.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(SECONDS)
        if thread.is_alive():
            with self._lock:
                self._given_up.append(thread)
            with _runaways_lock:
                _runaways.append(thread)
            raise EncodeError("slow", self.name, seconds=f"{SECONDS:g}")
        if not failure:
            return outcome[0]
        message = quoted(str(failure[0]), MESSAGE_CHARACTERS)
        if isinstance(failure[0], Exception):
            raise EncodeError("failed", self.name, message=message) from None
        if _is_panic(failure[0]):
            raise EncodeError("panic", self.name, message=message) from None
        raise failure[0]

    def _refuse_when_crowded(self) -> None:
        with self._lock:
            self._given_up = [thread for thread in self._given_up if thread.is_alive()]
            if self._given_up:
                raise EncodeError("busy", self.name)
        with _runaways_lock:
            _runaways[:] = [thread for thread in _runaways if thread.is_alive()]
            if self._has_patterns and len(_runaways) >= RUNAWAYS:
                raise EncodeError("crowded", self.name)


_runaways: list[threading.Thread] = []
_runaways_lock = threading.Lock()

MESSAGE_CHARACTERS = 120
"""The longest message of the library that is repeated."""
BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")


def _is_panic(error: BaseException) -> bool:
    """Whether the library's Rust code panicked. The exception's class can't be imported, only recognised."""
    return type(error).__name__ == "PanicException" and type(error).__module__ == "pyo3_runtime"


# --- From files to documents ------------------------------------------------------------------------------------------


def load(files: Mapping[str, bytes], name: str = "", pattern: str | None = None) -> LoadedSubject:
    """The tokenizer in `files`, name → contents. Raises LoadError.

    `pattern` cuts text into words where the files don't say how, in a .tiktoken file and in a byte-level vocab.json: a
    name in `tokenizers_core.text.PATTERNS`, or a regular expression as tiktoken writes it.

    >>> files = {"vocab.json": b'{"h": 0, "u": 1, "g": 2, "ug": 3, "<unk>": 4}', "merges.txt": b"u g"}
    >>> subject = load(files)
    >>> [subject.token(identifier) for identifier in subject.encode("hug").ids], subject.facts(3).parts
    (['h', 'ug'], ('u', 'g'))
    """
    size = sum(map(len, files.values()))
    if not files:
        raise LoadError("nothing")
    if size > SIZE_LIMIT:
        largest = max(files, key=lambda file: len(files[file]))
        raise LoadError("too_large", largest, size=count(size), limit=count(SIZE_LIMIT))
    uploads, errors = [], []
    for file, data in files.items():
        try:
            uploads.append(_recognise(file, data))
        except LoadError as error:
            errors.append(error)
    # A whole folder may be uploaded: what isn't the tokenizer does no harm as long as the tokenizer is among it.
    errors.sort(key=lambda error: error.why == "settings")
    try:
        chosen = _choose(uploads)
    except LoadError as error:
        raise errors[0] if errors and errors[0].why != "settings" else error from None
    if not chosen:
        raise errors[0]
    label = name or " + ".join(PurePath(upload.file).name for upload in chosen)
    if chosen[0].kind == "tokenizer":
        unused = [quoted(file) for file in files if file != chosen[0].file]
        notes = [_("Not needed, and not read: {files}.").format(files=", ".join(unused))] if unused else []
        return from_document(chosen[0].content, chosen[0].file, label, notes)
    if chosen[0].kind == "words":
        return _from_vocab_txt(chosen[0], label)
    if chosen[0].kind == "ranks":
        return _from_ranks(chosen[0], label, pattern)
    return _from_vocab_and_merges(chosen[0], chosen[1], label, pattern)


class Upload(NamedTuple):
    """A file that was recognised."""

    file: str
    kind: str
    """tokenizer (tokenizer.json), vocab (vocab.json), merges, words (vocab.txt), ranks (.tiktoken)."""
    content: Any
    """The document, or the file's text."""


def _choose(uploads: Sequence[Upload]) -> tuple[Upload, ...]:
    """The files that make the tokenizer. A tokenizer.json holds all there is, so what lies beside it is left alone."""
    kinds: dict[str, Upload] = {}
    for upload in uploads:
        if upload.kind in kinds:
            raise LoadError("several", kinds[upload.kind].file, other=quoted(upload.file))
        kinds[upload.kind] = upload
    if "tokenizer" in kinds:
        return (kinds["tokenizer"],)
    alone = [upload for upload in uploads if upload.kind in ("words", "ranks")]
    halves = [kinds[kind] for kind in ("vocab", "merges") if kind in kinds]
    # BERT's folder has a vocab.txt, GPT-2's a vocab.json and a merges.txt; none has both.
    if len(alone) > 1 or (alone and halves):
        first, other, *_more = [*alone, *halves]
        raise LoadError("several", first.file, other=quoted(other.file))
    if len(halves) == 1:
        raise LoadError("no_merges" if halves[0].kind == "vocab" else "no_vocab", halves[0].file)
    return tuple(alone or halves)


MAGIC: Final = (
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
"""How files begin that are none of ours."""
# A protobuf message whose first field is a message (a piece) whose first field is a string; a float comes next.
SENTENCEPIECE = re.compile(rb"\n[\x02-\x7f]\n[\x00-\x7f]", re.DOTALL)
RANK_LINE = re.compile(r"([A-Za-z0-9+/]+={0,2}) ([0-9]{1,10})")
SCORE_LINE = re.compile(r"[^\t\n]*\t-?[0-9.]+(?:e-?[0-9]+)?")


def _recognise(file: str, data: bytes) -> Upload:
    """What a file is: by its content, and by its name where that doesn't tell."""
    if not data.strip():
        raise LoadError("empty", file)
    for magic, kind in MAGIC:
        if data.startswith(magic):
            raise LoadError(kind, file)
    if SENTENCEPIECE.match(data) and data[4 + data[3] : 5 + data[3]] == b"\x15":
        raise LoadError("sentencepiece", file)
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
            return _recognise_json(file, _parsed(file, text))
        except LoadError as error:
            # Braces are tokens too, and stand at the beginning of some lists.
            if suffix == ".json" or error.why != "not_json":
                raise
    elif start.startswith("[") and isinstance(_json_or_none(text), list):
        raise LoadError("list", file)
    return Upload(file, _kind_of_text(file, text), text)


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
"""A key that gives away which of a tokenizer's neighbours a file is."""


def _recognise_json(file: str, content: Any) -> Upload:
    if isinstance(content, list):
        raise LoadError("list", file)
    if not isinstance(content, dict):
        raise LoadError("other_json", file, key=quoted("model"))
    if isinstance(content.get("model"), dict):
        return Upload(file, "tokenizer", content)
    if {"algorithm", "steps", "words"} <= content.keys():
        raise LoadError("record", file)
    if content and all(type(value) in (int, float) for value in content.values()):
        return Upload(file, "vocab", content)
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
    if name.endswith(".tiktoken") or all(map(RANK_LINE.fullmatch, lines)):
        return "ranks"
    if all(map(SCORE_LINE.fullmatch, lines)):
        raise LoadError("spm_vocab", file)
    if "merges" in name or all(len(line.split(" ")) == 2 and line.strip() == line for line in lines):
        return "merges"
    if name.endswith((".txt", ".vocab")) and not any(" " in line.strip() for line in lines):
        return "words"
    raise LoadError("unknown", file)


# --- From documents to subjects ---------------------------------------------------------------------------------------


def from_document(
    document: Document,
    file: str,
    name: str,
    notes: Iterable[str] = (),
    merges: Merges | None = None,
    respelled: tuple[str, str] = ("", ""),
) -> LoadedSubject:
    """A tokenizer from the content of its tokenizer.json. Raises LoadError. `merges`: those to tell of, if not its own."""
    _check(document, file)
    # What is cut off or filled up can't be looked at.
    document = {**document, "truncation": None, "padding": None}
    if document["model"].get("dropout"):
        document["model"] = {**document["model"], "dropout": None}
        notes = [*notes, _("Dropout is switched off: a text always becomes the same tokens.")]
    for node in _nodes(document):
        # The library would leave the space of `Ġthe` out of the token's offsets; it leaves ids alone.
        if node.get("trim_offsets") is True:
            node["trim_offsets"] = False
    try:
        written = json.dumps(document, ensure_ascii=False, allow_nan=False)
        written.encode("utf-8")
    except UnicodeEncodeError:
        raise LoadError("surrogate", file) from None
    except (ValueError, RecursionError) as error:
        raise LoadError("not_json", file, message=quoted(str(error), MESSAGE_CHARACTERS)) from None
    tokenizer = _from_str(written, file)
    if merges is None:
        merges = _merges_of(document["model"], tokenizer)
    notes = [*notes, *_check_added(document, tokenizer, file)]
    return LoadedSubject(name, tokenizer, document, merges, notes, respelled)


def _from_str(written: str, file: str) -> Tokenizer:
    """The library's tokenizer, whatever goes wrong in there told as a LoadError."""
    try:
        return Tokenizer.from_str(written)
    except Exception as error:
        message = quoted(str(error), MESSAGE_CHARACTERS)
        raise LoadError("library", file, message=message) from None
    except BaseException as error:
        if not _is_panic(error):
            raise
        message = quoted(str(error), MESSAGE_CHARACTERS)
        raise LoadError("panic", file, message=message) from None


def _nodes(tree: Any) -> Iterator[Document]:
    """All JSON objects in a tree but those that are large and hold nothing of ours: vocabularies and merges.

    Without recursion: a tree that could be read may still be deeper than Python likes to go.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(
                value for key, value in node.items() if key not in ("vocab", "merges", "added_tokens")
            )
        elif isinstance(node, list):
            waiting.extend(node)


STAGES: Final = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def _is_byte_level(document: Document) -> bool:
    stages = [document.get(stage) for stage in ("normalizer", "pre_tokenizer", "decoder")]
    return any(node.get("type") == "ByteLevel" for node in _nodes(stages))


def _check(document: Document, file: str) -> None:
    """Refuse what the library would take, and the server couldn't bear or a page couldn't show. Raises LoadError."""
    vocab = document["model"].get("vocab")
    added = document.get("added_tokens") or []
    number = len(vocab) if isinstance(vocab, dict | list) else 0
    if number > TOKEN_LIMIT:
        raise LoadError("too_many_tokens", file, number=count(number), limit=count(TOKEN_LIMIT))
    if isinstance(added, list) and len(added) > ADDED_LIMIT:
        raise LoadError("too_many_added", file, number=count(len(added)), limit=count(ADDED_LIMIT))
    if isinstance(vocab, dict):
        _check_ids(vocab, file)
    stages = [*_nodes([document.get(stage) for stage in STAGES])]
    if len(stages) > STAGES_LIMIT:
        raise LoadError("stages", file, number=count(len(stages)), limit=count(STAGES_LIMIT))
    # All of them together: compiling can't be stopped.
    length = sum(len(str(node.get("Regex", ""))) for node in stages)
    if length > LONGEST_PATTERN:
        raise LoadError("long_pattern", file, number=count(length), limit=count(LONGEST_PATTERN))
    factor = 1.0
    for stage in ("normalizer", "pre_tokenizer"):
        for node in _nodes(document.get(stage)):
            factor *= _expansion(node)
    if factor > EXPANSION_LIMIT:
        raise LoadError("expands", file, limit=EXPANSION_LIMIT)
    around = document.get("post_processor")
    listed = sum(len(node["ids"]) for node in _nodes(around) if isinstance(node.get("ids"), list))
    places = sum("SpecialToken" in node for node in _nodes(around))
    if max(listed, 1) * places > TEMPLATE_LIMIT:
        raise LoadError("template", file, limit=count(TEMPLATE_LIMIT))


def _check_ids(vocab: Mapping[str, Any], file: str) -> None:
    holders: dict[int, str] = {}
    for token, identifier in vocab.items():
        if type(identifier) is not int or identifier < 0:
            raise LoadError("no_id", file, token=quoted(token), identifier=quoted(str(identifier)).strip("'"))
        if identifier >= ID_LIMIT:
            raise LoadError(
                "high_id", file, token=quoted(token), identifier=identifier, limit=count(ID_LIMIT)
            )
        other = holders.setdefault(identifier, token)
        if other is not token:
            raise LoadError("same_id", file, first=quoted(other), second=quoted(token), identifier=identifier)


def _check_added(document: Document, tokenizer: Tokenizer, file: str) -> Iterator[str]:
    """Notes on added tokens that the library numbers in its own way. Raises LoadError when it gives an id away twice.

    It does so where the vocabulary has holes: the first new token's id is the number of tokens.
    """
    decoder = tokenizer.get_added_tokens_decoder()
    vocab = tokenizer.get_vocab(with_added_tokens=False) if decoder else {}
    model = {identifier: token for token, identifier in vocab.items()}
    for identifier, added in decoder.items():
        other = model.get(identifier, added.content)
        if other != added.content:
            first, second = quoted(other), quoted(added.content)
            raise LoadError("same_id", file, first=first, second=second, identifier=identifier)
    for listed in document.get("added_tokens") or ():
        numbered = tokenizer.token_to_id(listed["content"])
        if numbered is not None and numbered != listed["id"]:
            yield _(
                "{token} has the id {listed} in the file, but {identifier} in the tokenizers library."
            ).format(token=quoted(listed["content"]), listed=listed["id"], identifier=numbered)
            return  # one will do: where one is moved, those after it are


def _expansion(node: Document) -> float:
    """How many times longer a component can make a text, in the library's most unkind case."""
    kind, content = node.get("type"), node.get("content")
    if kind == "ByteLevel":
        return 2.0  # a byte becomes a character of up to two
    if kind == "Prepend":
        return 1.0 + len(str(node.get("prepend", "")))
    if kind != "Replace" or not isinstance(content, str):
        return 1.0
    pattern = node.get("pattern")
    replaced = pattern.get("String") if isinstance(pattern, dict) else None
    # A regular expression may match nothing at all, between any two characters.
    return (
        max(1.0, len(content) / len(replaced))
        if isinstance(replaced, str) and replaced
        else 1.0 + len(content)
    )


def _merges_of(model: Document, tokenizer: Tokenizer) -> Merges:
    """The merges of a model that was loaded, so they are known to be right."""
    vocab, pairs = model.get("vocab"), model.get("merges")
    if type(tokenizer.model).__name__ != "BPE" or not isinstance(vocab, dict) or not isinstance(pairs, list):
        return NO_MERGES
    prefix = len(model.get("continuing_subword_prefix") or "")
    firsts, seconds, rank = array("I"), array("I"), dict[int, int]()
    for place, pair in enumerate(pairs):
        first, second = pair.split(" ") if isinstance(pair, str) else pair
        firsts.append(vocab[first])
        seconds.append(vocab[second])
        rank.setdefault(vocab[first + second[prefix:]], place)
    return Merges(firsts, seconds, rank)


def _document(
    model: Document, special: Iterable[tuple[str, int]] = (), **stages: Document | None
) -> Document:
    """A tokenizer.json; `special` are the special tokens."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": identifier,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for token, identifier in sorted(special, key=lambda item: item[1])
        ],
        **dict.fromkeys(STAGES),
        **stages,
        "model": model,
    }


def _sequence(*pre_tokenizers: Document) -> Document:
    return {"type": "Sequence", "pretokenizers": list(pre_tokenizers)}


BYTES_ONLY: Final[Document] = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": False,
    "use_regex": False,
}
"""Text as bytes, without cutting it."""


# --- vocab.txt --------------------------------------------------------------------------------------------------------

UNKNOWN_TOKENS = ("[UNK]", "<unk>", "[unk]", "<UNK>", "<|unk|>")
"""What the unknown token is called, the first that a vocabulary has."""
SPECIAL_TOKEN = re.compile(
    r"\[[A-Z]{2,}\]|<\|[^|<>]+\|>|</?s>|<(?:unk|UNK|pad|mask|bos|eos|cls|sep)>|\[unk\]"
)
UNUSED_TOKEN = re.compile(r"\[unused\d+\]")
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What Rust takes for white space: Python's `strip` would take more."""


def _from_vocab_txt(upload: Upload, name: str) -> LoadedSubject:
    """A WordPiece tokenizer as BERT's: the file holds the vocabulary, the rest is what its authors' program does."""
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
        _(
            "Taken for a WordPiece vocabulary as BERT's: text is cleaned and split at white space and punctuation."
        ),
        _("Some tokens have capitals, so text keeps its case and its accents.")
        if cased
        else _("No token has capitals, so text is written in small letters, without accents."),
    ]
    if not any(token.startswith("##") for token in ordinary):
        notes.append(_("No token begins with ##, so a word is known whole or not at all."))
    template = None
    if "[CLS]" in vocab and "[SEP]" in vocab:
        template = {
            "type": "BertProcessing",
            "sep": ["[SEP]", vocab["[SEP]"]],
            "cls": ["[CLS]", vocab["[CLS]"]],
        }
    document = _document(
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


# --- vocab.json and merges.txt ----------------------------------------------------------------------------------------

END_MARK = "\U0010ffff"
"""Written for `</w>` where that is a symbol of its own: the library's symbols are single characters. (No text has it:
it is no character.)"""


def _from_vocab_and_merges(vocab: Upload, merges: Upload, name: str, pattern: str | None) -> LoadedSubject:
    """A BPE tokenizer whose files don't say how text becomes words: its tokens give that away."""
    ids: dict[str, int] = vocab.content
    _check_ids(ids, vocab.file)
    known = ids.keys()
    pairs = _pairs_over_lines(merges, known) if any("\n" in token for token in ids) else _pairs(merges)
    for pair in pairs:
        for token in (*pair, "".join(pair)):
            if token not in known:
                raise LoadError("merge_unknown", merges.file, token=quoted(token))
    made = {first + second for first, second in pairs}
    unknown = next((token for token in UNKNOWN_TOKENS if token in ids), None)
    # The end of a word is a symbol of its own in the first programs for BPE, and part of the last character in later ones.
    joined = any(len(token) == 5 and token.endswith(END_OF_WORD) and token not in made for token in ids)
    apart = END_OF_WORD in ids and not joined
    symbols = {token for token in ids if len(token.removesuffix(END_OF_WORD)) == 1 or token == END_OF_WORD}
    # A token that nothing makes has to be found in the text as it is.
    special = [(token, ids[token]) for token in ids if token and token not in made and token not in symbols]
    ordinary = made | symbols
    words = _words(ordinary, pattern)
    respelled = ("", "")
    if words.end and apart:
        respelled = (END_MARK, END_OF_WORD)
        ids = {token.replace(END_OF_WORD, END_MARK): identifier for token, identifier in ids.items()}
        pairs = [
            (first.replace(END_OF_WORD, END_MARK), second.replace(END_OF_WORD, END_MARK))
            for first, second in pairs
        ]
    document = _document(
        {
            "type": "BPE",
            "dropout": None,
            "unk_token": unknown,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None if respelled[0] else words.end,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": ids,
            "merges": [list(pair) for pair in pairs],
        },
        special,
        normalizer=MARK_ENDS if respelled[0] else None,
        pre_tokenizer=words.pre_tokenizer,
        decoder=words.decoder,
    )
    return from_document(document, vocab.file, name, [words.note], respelled=respelled)


def _pairs(merges: Upload) -> list[tuple[str, str]]:
    lines = merges.content.removesuffix("\n").split("\n")
    if all(line.endswith("\r") for line in lines if line):  # a file from Windows, and no token ends in U+000D
        lines = [line.removesuffix("\r") for line in lines]
    pairs = []
    for line_number, line in enumerate(lines, start=1):
        if not line or (line_number == 1 and line.startswith("#version")):
            continue
        first, space, second = line.partition(" ")
        if not (first and space and second) or " " in second:
            raise LoadError("merge_line", merges.file, line_number=line_number, line=quoted(line))
        pairs.append((first, second))
    return pairs


def _pairs_over_lines(merges: Upload, known: Collection[str]) -> list[tuple[str, str]]:
    """The merges of a vocabulary whose tokens hold ends of lines, which stand in the file as they are.

    A merge ends at an end of line where the two tokens and what they make are known, and where the rest can be read too: so
    this is read from the end.
    """
    text = merges.content
    text = text if text.endswith("\n") else f"{text}\n"
    start = text.index("\n") + 1 if text.startswith("#version") else 0
    longest = max(map(len, known))
    read: dict[int, tuple[str, str, int]] = {len(text): ("", "", 0)}
    for begin in range(len(text) - 1, start - 1, -1):
        if begin != start and text[begin - 1] != "\n":
            continue
        space = text.find(" ", begin + 1, begin + longest + 1)
        first = text[begin:space]
        end = text.find("\n", space + 2) if space > 0 and first in known else -1
        while 0 < end <= space + longest + 1:
            second = text[space + 1 : end]
            if end + 1 in read and second in known and first + second in known:
                read[begin] = first, second, end + 1
                break
            end = text.find("\n", end + 1)
    if start not in read:
        return _pairs(merges)  # which says where it is wrong
    pairs = []
    while start < len(text):
        first, second, start = read[start]
        pairs.append((first, second))
    return pairs


class Words(NamedTuple):
    """How text becomes words, and how one knows."""

    note: str
    pre_tokenizer: Document
    decoder: Document | None = None
    end: str | None = None


# Between a character and white space or the end: the place, which is empty, becomes the mark.
MARK_ENDS: Final[Document] = {
    "type": "Replace",
    "pattern": {"Regex": r"(?<=\S)(?=\s|\z)"},
    "content": END_MARK,
}


def _words(tokens: Collection[str], pattern: str | None) -> Words:
    """What the tokens give away. `tokens` are those of the model, without the special ones."""
    has_end = any(token.endswith(END_OF_WORD) for token in tokens)
    characters = set().union(*(token.removesuffix(END_OF_WORD) for token in tokens))
    single = {token for token in tokens if len(token) == 1}
    space = BYTE_TO_SYMBOL[ord(" ")]
    all_bytes = set(BYTE_TO_SYMBOL) <= single
    if all_bytes or (space in characters and SYMBOL_TO_BYTE.keys() >= characters):
        return Words(
            _(
                "The tokens are written in the byte alphabet, so text is cut into words as GPT-2 does, and then into bytes."
            )
            if pattern in (None, "gpt2")
            else _(
                "The tokens are written in the byte alphabet, so text is cut into words by the pattern, and then into bytes."
            ),
            _cut_to_bytes(pattern or "gpt2"),
            BYTES_ONLY,
            END_OF_WORD if has_end else None,  # as in CLIP
        )
    if has_end:
        return Words(
            _("Some tokens end in </w>, so text is split at white space, and every word ends in that."),
            {"type": "WhitespaceSplit"},
            {"type": "BPEDecoder", "suffix": END_OF_WORD},
            END_OF_WORD,
        )
    if any(SPACE_MARK in token[1:].lstrip(SPACE_MARK) for token in tokens):
        return Words(
            _(
                "Some tokens have ▁ inside, so text isn't split but at the ends of lines, and spaces are written ▁."
            ),
            _sequence(
                {"type": "Split", "pattern": {"String": "\n"}, "behavior": "Removed", "invert": False},
                {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": "never", "split": False},
            ),
            {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": "never", "split": False},
        )
    if SPACE_MARK in characters:
        metaspace = {
            "type": "Metaspace",
            "replacement": SPACE_MARK,
            "prepend_scheme": "always",
            "split": True,
        }
        return Words(
            _("Some tokens begin with ▁, so spaces are written so, and text is split before each."),
            metaspace,
            metaspace,
        )
    return Words(
        _("No token tells how words begin or end, so text is split at white space."),
        {"type": "WhitespaceSplit"},
    )


def _cut_to_bytes(pattern: str) -> Document:
    """Words by a pattern, as bytes. tiktoken leaves out what the pattern doesn't match, and so does this."""
    regex = PATTERNS.get(pattern) or _in_onigurumas_words(pattern)
    return _sequence(
        {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Removed", "invert": True}, BYTES_ONLY
    )


PATTERN_ITEM = re.compile(
    r"""(?P<atom>\\[pP]\{[^}]*\}|\\.|\[(?:\\.|\[:\w+:\]|[^\]\\])+\]|[^\\()\[\]{}|+*?^$])
        (?P<range>\{\d+(?:,\d*)?\}|\{,\d+\})\+
      |(?P<other>\\.|\[(?:\\.|\[:\w+:\]|[^\]\\])+\]|.)""",
    re.VERBOSE | re.DOTALL,
)


def _in_onigurumas_words(pattern: str) -> str:
    r"""A regular expression as tiktoken writes it, for the library's Oniguruma, which reads three things differently.

    There `{1,3}+` repeats, and `^` and `$` stand at every line.

    >>> _in_onigurumas_words(r"\p{N}{1,3}+|\s++$|[$^]{2}|\$")
    '(?>\\p{N}{1,3})|\\s++\\z|[$^]{2}|\\$'
    """
    anchors = {"^": r"\A", "$": r"\z"}
    return PATTERN_ITEM.sub(
        lambda item: (
            f"(?>{item['atom']}{item['range']})"
            if item["range"]
            else anchors.get(item["other"], item["other"])
        ),
        pattern,
    )


# --- .tiktoken --------------------------------------------------------------------------------------------------------

PATTERN_BY_SIZE: Final = (
    (range(50_000, 50_400), "gpt2"),
    (range(100_000, 100_400), "cl100k_base"),
    (range(199_000, 201_100), "o200k_base"),
)
"""OpenAI's vocabularies by the number of their tokens."""


def _from_ranks(upload: Upload, name: str, pattern: str | None) -> LoadedSubject:
    """A byte-level BPE tokenizer from tokens and their ranks, which say by themselves what may be merged, and when."""
    ranks = _ranks(upload)
    if len(ranks) > TOKEN_LIMIT:
        raise LoadError("too_many_tokens", upload.file, number=count(len(ranks)), limit=count(TOKEN_LIMIT))
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        raise LoadError("no_byte", upload.file, byte=f"0x{missing:02X}")
    notes = [_("The file has no special tokens such as <|endoftext|>: they are plain text here.")]
    if pattern is None:
        pattern = next((known for sizes, known in PATTERN_BY_SIZE if len(ranks) in sizes), "cl100k_base")
        notes.insert(
            0,
            _(
                "The file doesn't say how text is cut into words; with {number} tokens it is taken to be {pattern}."
            ).format(number=count(len(ranks)), pattern=pattern),
        )
    vocab = {bytes_to_symbols(token): rank for token, rank in ranks.items()}
    _check_ids(vocab, upload.file)
    document = _document(
        {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            # A word that is a token is that token, whether merging would get there or not.
            "ignore_merges": True,
            "vocab": vocab,
            "merges": [
                [bytes_to_symbols(first), bytes_to_symbols(second)] for first, second in all_splits(ranks)
            ],
        },
        pre_tokenizer=_cut_to_bytes(pattern),
        decoder=BYTES_ONLY,
    )
    return from_document(document, upload.file, name, notes, merges=_learned(ranks))


def _ranks(upload: Upload) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for line_number, line in enumerate(upload.content.split("\n"), start=1):
        if not line.strip():
            continue
        found = RANK_LINE.fullmatch(line.strip())
        try:
            token = base64.b64decode(found[1], validate=True) if found else b""
        except binascii.Error:
            token = b""
        if not found or not token:
            raise LoadError("rank_line", upload.file, line_number=line_number, line=quoted(line))
        rank = int(found[2])
        if token in ranks or rank in seen:
            raise LoadError("rank_twice", upload.file, line_number=line_number, line=quoted(line))
        ranks[token] = rank
        seen.add(rank)
    return ranks


def all_splits(ranks: Mapping[bytes, int]) -> Iterator[tuple[bytes, bytes]]:
    """Every way to make a token out of two, by the token's rank.

    tiktoken merges any two neighbours that make a token, the lowest rank first and then the leftmost. The order of one
    token's splits would matter only where two of them compete for the same bytes, and no vocabulary leads there: the tests
    look for one.

    >>> list(all_splits({b"a": 0, b"b": 1, b"ab": 2, b"bb": 3, b"abb": 4}))
    [(b'a', b'b'), (b'b', b'b'), (b'a', b'bb'), (b'ab', b'b')]
    """
    for token in sorted(ranks, key=ranks.__getitem__):
        for place in range(1, len(token)):
            if token[:place] in ranks and token[place:] in ranks:
                yield token[:place], token[place:]


def _learned(ranks: Mapping[bytes, int]) -> Merges:
    """How each token was made: the two that merging its bytes comes down to with the tokens before it."""
    firsts, seconds, rank = array("I"), array("I"), dict[int, int]()
    for token in sorted(ranks, key=ranks.__getitem__):
        if len(token) < 2:
            continue
        parts = _merged_below(token, ranks)
        if len(parts) == 2:
            rank[ranks[token]] = len(firsts)
            firsts.append(ranks[parts[0]])
            seconds.append(ranks[parts[1]])
    return Merges(firsts, seconds, rank)


def _merged_below(token: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """The bytes of a token, merged with the tokens of lower rank only."""
    own = ranks[token]
    parts = [token[place : place + 1] for place in range(len(token))]
    while len(parts) > 2:
        lowest, place = min(
            (ranks.get(parts[place] + parts[place + 1], own), place) for place in range(len(parts) - 1)
        )
        if lowest >= own:
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts
