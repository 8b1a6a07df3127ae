"""A tokenizer of the `tokenizers` library as a `ShownTokenizer`, from that library's own format.

A document is checked here, for errors with an explanation, then handed to the library. Other files become a
document first, in `formats.py`.

Reading files and encoding texts are done in processes of their own (`remote_tokenizer.py`).
"""

from __future__ import annotations

import copy
import json
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tokenizers import Tokenizer

from tokenizers_core.encoding.cuts.ways import TextCuts, WordWays
from tokenizers_core.encoding.reasons import Reason
from tokenizers_core.errors import UnknownIdError, quoted
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import SYMBOL_TO_BYTE, symbols_to_bytes
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import refuse_surrogates
from tokenizers_core.text.splitting import END_OF_WORD, SPACE_MARK
from tokenizers_core.trace import Trace
from tokensteps.catalogue.files.documents import (
    NO_MERGES,
    Document,
    Merges,
    check_added,
    check_document,
    is_byte_level,
    learned_from,
    merges_of,
    model_vocabulary,
    nodes,
)
from tokensteps.catalogue.files.errors import MESSAGE_CHARACTERS, EncodeError, LoadError
from tokensteps.catalogue.files.library import Library, Stages, TextWork, is_panic
from tokensteps.catalogue.flow import Flow
from tokensteps.catalogue.shown_tokenizers import Facts, ShownTokenizer, Tokenized
from tokensteps.catalogue.why import Explanation
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import N_
from tokensteps.limits import CUT_LIMIT

BYTE_TOKEN: Final = re.compile(r"<0x([0-9A-F]{2})>")
KNOWN_PATTERNS: Final = frozenset({"", *PATTERNS.values()})
"""Regular expressions with a running time in proportion to the text."""


class LoadedSubject(ShownTokenizer):
    """A tokenizer of the `tokenizers` library: its tokens' facts, and the worker on texts."""

    library: TextWork
    source: tuple[Document, Tokenizer] | None = None
    """Its sources, until they are cached or dropped."""
    pattern: str | None = None
    """The pattern for words where the files don't have one, so that the user may choose another; None where
    they do."""

    def __init__(
        self,
        name: str,
        tokenizer: Tokenizer,
        document: Document,
        merges: Merges = NO_MERGES,
        notes: Iterable[str] = (),
        respelled: tuple[str, str] = ("", ""),
        rank_is_id: bool = False,
    ) -> None:
        """`document` is the source of `tokenizer`. `respelled`: a character in its tokens, and its meaning.
        `rank_is_id`: its file ranks tokens, and merges follow from that."""
        self.source = document, tokenizer
        model = document["model"]
        self.name = name
        written, meant = respelled
        self.library = Library(name, tokenizer, meant == END_OF_WORD, rank_is_id)
        self.rank_is_id = rank_is_id
        self.algorithm = type(tokenizer.model).__name__
        self.size = tokenizer.get_vocab_size(with_added_tokens=True)
        self.notes = tuple(notes)
        self._merges = merges
        self.respelled = respelled
        added = tokenizer.get_added_tokens_decoder()
        contents = {token.content: identifier for identifier, token in added.items()}
        self._names = self._by_id(model_vocabulary(document, tokenizer) | contents)
        self._added_ids = frozenset(added)
        self._special_ids = frozenset(identifier for identifier, token in added.items() if token.special)
        self.style = Style(
            byte_level=is_byte_level(document),
            special_tokens=frozenset(
                token.content.replace(written, meant) if written else token.content
                for token in added.values()
            ),
        )
        self.only_added = frozenset(token.content for token in added.values() if not token.special)
        self._byte_fallback = bool(model.get("byte_fallback"))
        self._prefix = str(model.get("continuing_subword_prefix") or "")
        self._marks_spaces = any(
            node.get("type") == "Metaspace" or SPACE_MARK in (node.get("prepend"), node.get("content"))
            for node in nodes(document)
        )
        self._scores = (
            array("d", (score for _piece, score in model["vocab"]))
            if self.algorithm == "Unigram"
            else array("d")
        )
        self.unknown_token, self.unknown_id = self._unknown(model, tokenizer)
        self.has_own_patterns = not {str(node.get("Regex", "")) for node in nodes(document)} <= KNOWN_PATTERNS
        """Whether it has unknown regular expressions: they may take any time."""
        self._normalizes = tokenizer.normalizer is not None
        self.added = self._put_around()

    def encode(self, text: str, specials: bool = True, added: bool = False) -> Tokenized:
        """The tokens of `text`, as in `ShownTokenizer`. Raises EncodeError, SurrogateError."""
        refuse_surrogates(text)
        return self.library.encode(text, specials, added)

    def ids_of(self, texts: Sequence[str]) -> list[Sequence[int]]:
        for text in texts:
            refuse_surrogates(text)
        return [*self.library.ids(tuple(texts))]

    def normalized(self, text: str) -> str:
        refuse_surrogates(text)
        return self.library.normalized(text) if self._normalizes else text

    def flow(self, text: str, pair: str = "") -> Flow:
        """The effect of each stage on a text, or on a pair. Raises EncodeError, SurrogateError."""
        refuse_surrogates(text)
        refuse_surrogates(pair)
        return self.library.flow(text, pair)

    def why(self, text: str, index: int = -1, specials: bool = True) -> Explanation:
        refuse_surrogates(text)
        return self.library.why(text, index, specials)

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        refuse_surrogates(word)
        return self.library.why_not(word, tokens)

    def all_cuts(self, word: str, amount: float | None = None, seed: int = 0) -> WordWays:
        refuse_surrogates(word)
        return self.library.all_cuts(word, amount, seed)

    def cut_steps(self, word: str, way: str, amount: float | None = None, seed: int = 0) -> Trace[Any]:
        refuse_surrogates(word)
        return self.library.cut_steps(word, way, amount, seed)

    def cut_text(self, text: str, specials: bool = True) -> TextCuts:
        refuse_surrogates(text)
        return self.library.cut_text(text[:CUT_LIMIT], specials)

    def stages(self) -> Stages:
        """The stages around its vocabulary. Raises the errors of `TextWork.stages`."""
        return self.library.stages()

    @cached_property
    def written(self) -> str:
        """The content of its tokenizer.json. Raises the errors of `TextWork.written`."""
        return self.library.written()

    def work(self, name: str, *arguments: Any) -> Any:
        """The result of the library's method `name`, for another process."""
        return getattr(self.library, name)(*arguments)

    def without_library(self) -> LoadedSubject:
        """The same, to be sent to another process: the library's tokenizer stays here."""
        sent = copy.copy(self)
        del sent.library, sent.source
        return sent

    def token(self, identifier: int) -> str:
        """The token with this id, "" for an unused one. Raises UnknownIdError."""
        if not 0 <= identifier < len(self._names):
            raise UnknownIdError(identifier=identifier, size=len(self._names))
        return self._names[identifier]

    def token_bytes(self, identifier: int) -> bytes:
        token = self.token(identifier)
        if identifier not in self._special_ids:
            # Added tokens are written as text, but decoded like any other unless special.
            if (
                self.style.byte_level
                and identifier not in self._added_ids
                and SYMBOL_TO_BYTE.keys() >= set(token)
            ):
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
        if self.rank_is_id and identifier not in self._added_ids:
            # A file of ranks has one for every token, the bytes too: the id.
            token = self._names[identifier]
            return Facts(rank=identifier, parts=learned_from(token, self._ranks)) if token else Facts()
        position = merges.rank.get(identifier)
        if position is not None:
            parts = self._names[merges.firsts[position]], self._names[merges.seconds[position]]
            return Facts(rank=position, parts=parts)
        return Facts(score=self._scores[identifier]) if identifier < len(self._scores) else Facts()

    @cached_property
    def _ranks(self) -> Mapping[str, int]:
        """The ranked tokens: reading how each was learned would take longer than all the rest of the file."""
        return {
            token: identifier
            for identifier, token in enumerate(self._names)
            if token and identifier not in self._added_ids
        }

    def all_tokens(self) -> Sequence[str]:
        return self._names

    # --- setting up -----------------------------------------------------------------------------------------

    def _by_id(self, vocab: Mapping[str, int]) -> tuple[str, ...]:
        names = [""] * (max(vocab.values(), default=-1) + 1)
        for token, identifier in vocab.items():
            names[identifier] = token
        written, meant = self.respelled
        return tuple(name.replace(written, meant) for name in names) if written else tuple(names)

    def _unknown(self, model: Document, tokenizer: Tokenizer) -> tuple[str, int | None]:
        if self.algorithm == "Unigram":
            identifier = model.get("unk_id")
            return ("", None) if identifier is None else (model["vocab"][identifier][0], identifier)
        token = model.get("unk_token") or ""
        identifier = tokenizer.token_to_id(token) if token else None
        return (token, identifier) if identifier is not None else ("", None)

    def _put_around(self) -> tuple[str, ...]:
        try:
            return tuple(map(self.token, self.encode("", added=True).ids))
        except (EncodeError, UnknownIdError):
            return ()  # a template with missing tokens: encoding with it will say so


# --- From documents to subjects -----------------------------------------------------------------------------


def from_document(
    document: Document,
    file: str,
    name: str,
    notes: Iterable[str] = (),
    respelled: tuple[str, str] = ("", ""),
    rank_is_id: bool = False,
) -> LoadedSubject:
    """A tokenizer from the content of its tokenizer.json. Raises LoadError. `respelled`, `rank_is_id`: see
    `LoadedSubject`."""
    check_document(document, file)
    # Every token is to be seen: nothing is truncated, nothing padded.
    document = {**document, "truncation": None, "padding": None}
    if document["model"].get("dropout"):
        document["model"] = {**document["model"], "dropout": None}
        notes = [*notes, N_("Dropout is off: a text always gives the same tokens.")]
    for node in nodes(document):
        # With it, the library leaves the space of `Ġthe` out of the token's offsets; ids don't change.
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
    merges = NO_MERGES if rank_is_id else merges_of(document["model"], tokenizer)
    notes = [*notes, *check_added(document, tokenizer, file)]
    return LoadedSubject(name, tokenizer, document, merges, notes, respelled, rank_is_id)


def _from_str(written: str, file: str) -> Tokenizer:
    """The library's tokenizer. Raises LoadError, whatever goes wrong in there."""
    try:
        return Tokenizer.from_str(written)
    except Exception as error:
        message = quoted(str(error), MESSAGE_CHARACTERS)
        raise LoadError("library", file, message=message) from None
    except BaseException as error:
        if not is_panic(error):
            raise
        message = quoted(str(error), MESSAGE_CHARACTERS)
        raise LoadError("panic", file, message=message) from None
