"""The work on texts of a tokenizer of the `tokenizers` library.

For files from elsewhere it is done in a separate process (`remote_tokenizer.py`), which can be ended: the
library's Rust code may take hours, and panics on some texts. The app's own vocabulary (`shipped.py`) works in
the server's own process.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from tokenizers import Tokenizer

from tokenizers_core.encoding.cuts.ways import TextCuts, Ways, WordWays, cut_text
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.encoding.reasons import Reason
from tokenizers_core.encoding.templates import Template
from tokenizers_core.errors import LackingPartError, TokenizersCoreError, quoted
from tokenizers_core.files.tokenizer_json import (
    algorithm_of,
    model_of,
    normalizer_of,
    parse_json,
    pipeline_of,
    special_tokens_of,
    template_of,
)
from tokenizers_core.files.writer import END_MARK
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.normalizers import Normalizer, normalize
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.spans import Widened
from tokenizers_core.trace import Trace
from tokensteps.catalogue.files.errors import MESSAGE_CHARACTERS, EncodeError
from tokensteps.catalogue.flow import Flow, flow_of, words_in_text
from tokensteps.catalogue.shown_tokenizers import Tokens
from tokensteps.catalogue.why import Explanation, explained_by_library

# One text at a time: threads of the library's own would only take room.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


class Stages(NamedTuple):
    """The stages around a tokenizer's vocabulary, as parts of the engine."""

    algorithm: str
    pipeline: Pipeline
    special_tokens: tuple[str, ...]
    template: Template | None


class TextWork(Protocol):
    """A tokenizer's work on texts, in this process or in another."""

    def encode(self, text: str, specials: bool, added: bool) -> Tokens:
        """As in `ShownTokenizer`. Raises EncodeError."""

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of several texts, without the special tokens around a text. Raises EncodeError."""

    def normalized(self, text: str) -> str:
        """The text after the normalizer. Raises EncodeError."""

    def flow(self, text: str, pair: str) -> Flow:
        """The effect of each stage on a text, or with a non-empty `pair` on both. Raises EncodeError."""

    def why(self, text: str, index: int, specials: bool) -> Explanation:
        """As in `ShownTokenizer`. Raises EncodeError."""

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        """As in `ShownTokenizer`. Raises LackingPartError, TokenizerFileError for a model not in the engine;
        EncodeError."""

    def all_cuts(self, word: str, amount: float | None, seed: int) -> WordWays:
        """As in `ShownTokenizer`. Raises TokenizerFileError, EncodeError."""

    def cut_steps(self, word: str, way: str, amount: float | None, seed: int) -> Trace[Any]:
        """As in `ShownTokenizer`. Raises TokenizerFileError, EncodeError."""

    def cut_text(self, text: str, specials: bool) -> TextCuts:
        """As in `ShownTokenizer`. Raises TokenizerFileError, EncodeError."""

    def stages(self) -> Stages:
        """Raises LackingPartError, TokenizerFileError if the engine lacks one of the parts; EncodeError."""

    def written(self) -> str:
        """The content of its tokenizer.json. Raises EncodeError."""


class PlainVocabulary(WordPieceModel):
    """A vocabulary without its model in the engine: its tokens can be put together, but no way is its own."""

    way = ""

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(tokens, unk_token="", prefix="")


class Library:
    """The library's tokenizer in this process."""

    def __init__(
        self, name: str, tokenizer: Tokenizer, marked: bool = False, rank_is_id: bool = False
    ) -> None:
        """`marked`: U+10FFFF in its tokens means `</w>`. `rank_is_id`: tokens have ranks and merges follow,
        as in tiktoken."""
        self.name, self.tokenizer = name, tokenizer
        self._marked, self._rank_is_id = marked, rank_is_id

    def encode(self, text: str, specials: bool, added: bool) -> Tokens:
        with _failing(self.name):
            tokenizer = self.tokenizer if specials else self._plain
            # `encode` would hold the GIL all the time; a batch lets other threads work.
            encoding = tokenizer.encode_batch([text], add_special_tokens=added)[0]
        widened = self._widened(text)
        return Tokens(encoding.ids, [*map(widened.of, encoding.offsets)] if widened else encoding.offsets)

    def _widened(self, text: str) -> Widened:
        """Which characters of a text became one in the normalizer. The library gives a token only one of
        them: `é` without its accent."""
        if self._normalizer is None or (normalized := self.normalized(text)) == text:
            return Widened(())
        try:
            written, spans = normalize(text, self._normalizer)
        except TokenizersCoreError:
            return Widened(())
        return Widened(spans if written == normalized else ())

    @cached_property
    def _normalizer(self) -> Normalizer | None:
        """The normalizer as the engine has it; None where it lacks one."""
        if self.tokenizer.normalizer is None:
            return None
        try:
            own = parse_json(self.tokenizer.normalizer.__getstate__().decode())
            return normalizer_of({"model": {}, "normalizer": own})
        except TokenizersCoreError:
            return None

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of several texts, without the special tokens around a text. Raises EncodeError."""
        with _failing(self.name):
            encodings = self.tokenizer.encode_batch([*texts], add_special_tokens=False)
            return [encoding.ids for encoding in encodings]

    def normalized(self, text: str) -> str:
        normalizer = self.tokenizer.normalizer
        with _failing(self.name):
            return text if normalizer is None else str(normalizer.normalize_str(text))

    def flow(self, text: str, pair: str) -> Flow:
        with _failing(self.name):
            return flow_of(self.tokenizer, [text, pair] if pair else [text], self._widened)

    def stages(self) -> Stages:
        document = parse_json(self.tokenizer.to_str())
        return Stages(
            algorithm_of(document), pipeline_of(document), special_tokens_of(document), template_of(document)
        )

    def written(self) -> str:
        return str(self.tokenizer.to_str())

    def why(self, text: str, index: int, specials: bool) -> Explanation:
        with _failing(self.name):
            tokenizer = self.tokenizer if specials else self._plain
            return explained_by_library(tokenizer, text, index, lambda: self.model, self._marked)

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        return self.model.why_not(word, tokens)

    def all_cuts(self, word: str, amount: float | None, seed: int) -> WordWays:
        return self.ways.all_cuts(word, amount, seed)

    def cut_steps(self, word: str, way: str, amount: float | None, seed: int) -> Trace[Any]:
        return self.ways.cut_steps(word, way, amount, seed)

    def cut_text(self, text: str, specials: bool) -> TextCuts:
        with _failing(self.name):
            words = words_in_text(self.tokenizer if specials else self._plain, text)
        mark = END_MARK if self._marked else ""
        return cut_text(self.ways, Counter(word.removesuffix(mark) for word in words))

    @cached_property
    def ways(self) -> Ways:
        """Its vocabulary, ready to cut words. Raises TokenizerFileError."""
        added = {token.content for token in self.tokenizer.get_added_tokens_decoder().values()}
        try:
            return Ways(self.model, added)
        except LackingPartError:
            return Ways(PlainVocabulary([*self.tokenizer.get_vocab()]), added)

    @cached_property
    def model(self) -> Model:
        """The model alone, as the engine has it. Raises LackingPartError, TokenizerFileError."""
        model = model_of(parse_json(self.tokenizer.to_str()), self._marked)
        if self._rank_is_id and isinstance(model, BpeModel):
            model.rank_by_id()
        return model

    @cached_property
    def _plain(self) -> Tokenizer:
        """The same tokenizer, but special tokens are plain text to it. It shares the model, most of the
        memory."""
        plain = Tokenizer(self.tokenizer.model)
        # All at once: the library rebuilds its automaton for each call.
        plain.add_tokens([token for _id, token in sorted(self.tokenizer.get_added_tokens_decoder().items())])
        if self.tokenizer.normalizer is not None:
            plain.normalizer = self.tokenizer.normalizer
        if self.tokenizer.pre_tokenizer is not None:
            plain.pre_tokenizer = self.tokenizer.pre_tokenizer
        if self.tokenizer.post_processor is not None:
            plain.post_processor = self.tokenizer.post_processor
        plain.encode_special_tokens = True
        return plain


@contextmanager
def _failing(name: str) -> Iterator[None]:
    """Whatever goes wrong in the library as an EncodeError; panics are no `Exception`."""
    try:
        yield
    except BaseException as error:
        message = quoted(str(error), MESSAGE_CHARACTERS)
        if isinstance(error, Exception):
            raise EncodeError("failed", name, message=message) from None
        if is_panic(error):
            raise EncodeError("panic", name, message=message) from None
        raise


def is_panic(error: BaseException) -> bool:
    """Whether the library's Rust code panicked. The exception's class can't be imported, only recognized."""
    return type(error).__name__ == "PanicException" and type(error).__module__ == "pyo3_runtime"
