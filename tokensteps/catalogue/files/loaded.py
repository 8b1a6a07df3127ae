"""A tokenizer of the `tokenizers` library as a `Subject`, from that library's own format.

A document is checked here, where a mistake can be explained, then handed to the library. What else somebody uploads becomes
a document first, in `tokensteps/catalogue/files/formats.py`.

The library is careless in three ways that matter on a server. It panics on some files and texts, and a panic is a
`BaseException`. Its `encode` holds the GIL, so that a hostile regular expression would stop every session; `encode_batch`
lets go of it, and so all work on texts happens there, in a thread that is given up after a while. And setting a property
of a tokenizer waits, with the GIL, for whatever that tokenizer is encoding; so nothing is set once it is shared.
"""

from __future__ import annotations

import json
import re
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from tokenizers import Tokenizer

from tokenizers_core.errors import Phrase, TokenizersCoreError, UnknownIdError, quoted
from tokenizers_core.files.writer import special_token_documents
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, SYMBOL_TO_BYTE, symbols_to_bytes
from tokenizers_core.text.patterns import LONGEST_PATTERN
from tokenizers_core.text.pipeline import refuse_surrogates
from tokenizers_core.text.splitting import SPACE_MARK
from tokensteps.catalogue.subjects import Facts, Subject, Tokenized, Tokens
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import N_, count
from tokensteps.limits import (
    ADDED_LIMIT,
    ENCODING_SECONDS,
    EXPANSION_LIMIT,
    ID_LIMIT,
    RUNAWAYS,
    STAGES_LIMIT,
    TEMPLATE_LIMIT,
    TOKEN_LIMIT,
)

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
        "too_many_files": N_(
            "{file} and {number} more files are more than the {limit} that are read at once; upload the tokenizer's alone."
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
        self._prefix = str(model.get("continuing_subword_prefix") or "")
        self._marks_spaces = any(
            node.get("type") == "Metaspace" or SPACE_MARK in (node.get("prepend"), node.get("content"))
            for node in _nodes(document)
        )
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
            token = token.removeprefix(self._prefix)
            if self._marks_spaces:
                token = token.replace(SPACE_MARK, " ")
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
                new_document(
                    {
                        "type": "BPE",
                        "vocab": dict(zip(BYTE_TO_SYMBOL, range(256), strict=True)),
                        "merges": [],
                    },
                    # Short stretches, because the library takes and remembers them whole.
                    pre_tokenizer=in_sequence({"type": "FixedLength", "length": 32}, BYTES_ONLY),
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
        thread.join(ENCODING_SECONDS)
        if thread.is_alive():
            with self._lock:
                self._given_up.append(thread)
            with _runaways_lock:
                _runaways.append(thread)
            raise EncodeError("slow", self.name, seconds=f"{ENCODING_SECONDS:g}")
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
        notes = [*notes, N_("Dropout is switched off: a text always becomes the same tokens.")]
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
        check_ids(vocab, file)
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


def check_ids(vocab: Mapping[str, Any], file: str) -> None:
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
            message = N_(
                "{token} has the id {listed} in the file, but {identifier} in the tokenizers library."
            )
            token = quoted(listed["content"])
            yield Phrase(message, token=token, listed=listed["id"], identifier=numbered)
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


def new_document(
    model: Document, special: Iterable[tuple[str, int]] = (), **stages: Document | None
) -> Document:
    """A tokenizer.json; `special` are the special tokens."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special_token_documents(special),
        **dict.fromkeys(STAGES),
        **stages,
        "model": model,
    }


def in_sequence(*pre_tokenizers: Document) -> Document:
    return {"type": "Sequence", "pretokenizers": list(pre_tokenizers)}


BYTES_ONLY: Final[Document] = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": False,
    "use_regex": False,
}
"""Text as bytes, without cutting it."""
