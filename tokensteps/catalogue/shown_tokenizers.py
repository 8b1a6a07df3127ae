"""The playground's view of any tokenizer, whether trained here or loaded from files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from tokenizers_core.encoding.cuts.ways import TextCuts, WordWays, cut_text
from tokenizers_core.encoding.reasons import Reason
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.normalizers import normalized_text
from tokenizers_core.text.spans import Span
from tokenizers_core.text.splitting import SPACE_MARK
from tokenizers_core.trace import Trace
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.catalogue.why import Explanation, explained_by_engine
from tokensteps.drawing.tokens import Style
from tokensteps.language.names import trace_name
from tokensteps.limits import CUT_LIMIT


class Tokenized(Protocol):
    """An encoded text. The engine's `Encoding` is one, with offsets computed when needed."""

    @property
    def ids(self) -> Sequence[int]: ...

    @property
    def offsets(self) -> Sequence[Span]:
        """(start, end) in characters (code points) of the text given; a token without text has start ==
        end."""


class Tokens(NamedTuple):
    """A `Tokenized` that has everything at once."""

    ids: Sequence[int]
    offsets: Sequence[Span]


class Facts(NamedTuple):
    """Facts about a token besides its text; None for unknown ones."""

    rank: int | None = None
    """Its merge's rank, from 0; in a file of ranks, its token's rank there, equal to the id."""
    parts: tuple[str, str] | None = None
    """The two tokens it was merged from."""
    score: float | None = None
    """Unigram: its log probability."""
    freq: int | None = None
    """How often the pair occurred in the training corpus when it was merged, or the piece in the seed's
    count."""
    step: int | None = None
    """Its training step."""


class ShownTokenizer(ABC):
    """A tokenizer to look at."""

    name: str
    """Plain text from anybody: escape it for display."""
    algorithm: str
    """BPE, WordPiece, Unigram or WordLevel."""
    size: int
    """Vocabulary size, added tokens included."""
    style: Style
    """How its tokens are shown; all special and added tokens are among its special tokens."""
    only_added: frozenset[str] = frozenset()
    """Added tokens that aren't special: words of text kept whole."""
    unknown_id: int | None
    unknown_token: str
    added: tuple[str, ...]
    """The special tokens around a text in `encode` with `added`; () when there are none."""
    notes: tuple[str, ...]
    """Assumptions made while loading, to be translated: plain text, or a `Phrase` with its values."""

    @abstractmethod
    def encode(self, text: str, specials: bool = True, added: bool = False) -> Tokenized:
        """The tokens of `text`.

        With `specials`, special tokens written in the text are recognized; without, they are plain text.
        `added` puts the tokenizer's own around the text (`[CLS] … [SEP]`).
        """

    @abstractmethod
    def ids_of(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """The ids of several texts, with nothing put around them."""

    @abstractmethod
    def normalized(self, text: str) -> str:
        """The text after the normalizer; unchanged if there is none."""

    @abstractmethod
    def token(self, identifier: int) -> str:
        """The token with this id."""

    @abstractmethod
    def token_bytes(self, identifier: int) -> bytes:
        """A token's bytes of text; for a special token, its own text's.

        A continuation prefix has none, and `▁` is a space.
        """

    @abstractmethod
    def why(self, text: str, index: int = -1, specials: bool = True) -> Explanation:
        """A text's stages before the model, and the steps of its word number `index`, or of its longest one.

        `specials` as in `encode`.
        """

    @abstractmethod
    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        """The obstacle to the model's splitting a word (in the model's form) into these tokens."""

    @abstractmethod
    def all_cuts(self, word: str, amount: float | None = None, seed: int = 0) -> WordWays:
        """A word, in the model's form, by every possible way of the vocabulary; `amount` and `seed` are for a
        sample."""

    @abstractmethod
    def cut_steps(self, word: str, way: str, amount: float | None = None, seed: int = 0) -> Trace[Any]:
        """One of these ways, step by step."""

    @abstractmethod
    def cut_text(self, text: str, specials: bool = True) -> TextCuts:
        """The words of the text's first `CUT_LIMIT` characters by every way. `specials` as in `encode`."""

    @abstractmethod
    def facts(self, identifier: int) -> Facts:
        """The facts about a token besides its text."""

    @cached_property
    def mark_id(self) -> int | None:
        """The id of `▁` alone (a space, or a mark added in front of a word)."""
        tokens = self.all_tokens()
        return tokens.index(SPACE_MARK) if SPACE_MARK in tokens else None

    @abstractmethod
    def all_tokens(self) -> Sequence[str]:
        """All tokens by id; "" for unused ids."""


class EngineSubject(ShownTokenizer):
    """A tokenizer of the engine, without its training."""

    def __init__(self, name: str, algorithm: str, tokenizer: Tokenizer, size: int) -> None:
        self.name = name
        self.algorithm = algorithm
        self.tokenizer = tokenizer
        self.size = size
        self.style = Style(
            byte_level=tokenizer.pipeline.byte_level, special_tokens=frozenset(tokenizer.special_tokens)
        )
        self.unknown_token = tokenizer.model.unk_token
        self.unknown_id = tokenizer.vocab.get(self.unknown_token) if self.unknown_token else None
        self.added = ()
        self.notes = ()
        # The same model, so that both share the words already encoded; but no special tokens to recognize.
        self._plain = Tokenizer(tokenizer.pipeline, tokenizer.model)

    def encode(self, text: str, specials: bool = True, added: bool = False) -> Tokenized:  # noqa: ARG002 - it adds none
        return (self.tokenizer if specials else self._plain).encode(text)

    def ids_of(self, texts: Sequence[str]) -> list[Sequence[int]]:
        return [*map(self.tokenizer.ids, texts)]

    def normalized(self, text: str) -> str:
        return normalized_text(text, self.tokenizer.pipeline.normalizer)

    def why(self, text: str, index: int = -1, specials: bool = True) -> Explanation:
        return explained_by_engine(self.tokenizer if specials else self._plain, text, index)

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        return self.tokenizer.why_not(word, tokens)

    def all_cuts(self, word: str, amount: float | None = None, seed: int = 0) -> WordWays:
        return self.tokenizer.ways.all_cuts(word, amount, seed)

    def cut_steps(self, word: str, way: str, amount: float | None = None, seed: int = 0) -> Trace[Any]:
        return self.tokenizer.ways.cut_steps(word, way, amount, seed)

    def cut_text(self, text: str, specials: bool = True) -> TextCuts:
        tokenizer = self.tokenizer if specials else self._plain
        segments = [one.text for one in tokenizer.segments(text[:CUT_LIMIT]) if not one.special]
        words = Counter(word for one in segments for word in tokenizer.pipeline.split(one))
        return cut_text(self.tokenizer.ways, words)

    def token(self, identifier: int) -> str:
        return self.tokenizer.token(identifier)

    def token_bytes(self, identifier: int) -> bytes:
        return self.tokenizer.token_bytes(identifier)

    def facts(self, identifier: int) -> Facts:  # noqa: ARG002 - its training isn't known
        return Facts()

    def all_tokens(self) -> Sequence[str]:
        return self.tokenizer.tokens


class TrainedSubject(EngineSubject):
    """A tokenizer of the engine after a step of its training run.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2, special_tokens=["<s>"])
    >>> subject = TrainedSubject("mine", trace.tokenizer(), trace, len(trace))
    >>> [subject.token(identifier) for identifier in subject.encode("<s>to").ids]
    ['<s>', 'to']
    >>> [subject.token(identifier) for identifier in subject.encode("<s>to", specials=False).ids]
    ['[UNK]', '[UNK]', '[UNK]', 'to']
    >>> subject.facts(subject.encode("to").ids[0])
    Facts(rank=0, parts=('t', 'o'), score=None, freq=2, step=1)
    """

    def __init__(self, name: str, tokenizer: Tokenizer, trace: AnyTrace, step: int) -> None:
        # The size is the training page's: without an unknown token added for encoding.
        super().__init__(name, trace_name(trace), tokenizer, trace[step].vocab_size)
        self.trace = trace
        self._step = step

    def facts(self, identifier: int) -> Facts:
        return self.facts_of(self.token(identifier))

    def facts_of(self, token: str) -> Facts:
        """The same by the token itself."""
        trace = self.trace
        if isinstance(trace, UnigramTrace):
            return self._piece_facts(token)
        step = trace.step_of_token.get(token)
        if step is None or step > self._step:
            return Facts()
        pair = trace.pair_of(step)
        return Facts(
            rank=trace.rank_of_step(step),
            parts=(pair.first, pair.second),
            freq=trace.record.frequencies[step - 1],
            step=step,
        )

    @cached_property
    def unused(self) -> tuple[str, ...]:
        """Learned tokens that don't occur in the training corpus in the end: parts merged further everywhere.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5}), merges=2)
        >>> TrainedSubject("mine", trace.tokenizer(), trace, len(trace)).unused
        ('ug',)
        """
        used = {token for split in self.trace[self._step].splits().values() for token in split}
        learned = (token for token in self.tokenizer.tokens if self.facts_of(token).freq is not None)
        return tuple(token for token in learned if token not in used)

    @cached_property
    def _counted(self) -> dict[str, int]:
        """Piece → its count in the seed; SentencePiece's method multiplies that by the length."""
        assert isinstance(self.trace, UnigramTrace)
        times_length = self.trace.method == "sentencepiece"
        return {piece: count // (len(piece) if times_length else 1) for piece, count in self.trace.seed}

    def _piece_facts(self, token: str) -> Facts:
        assert isinstance(self.trace, UnigramTrace)
        score = self.trace.pieces_at(self._step).get(token)
        return Facts() if score is None else Facts(score=score, freq=self._counted.get(token))
