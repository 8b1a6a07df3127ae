"""The encoding of a text: ids, with all facts about each, and the ways between characters, tokens and words.

Source and oracle: the `tokenizers` library, with its names and results. Offsets count characters (code
points).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Final, NamedTuple, Protocol, TypeVar

from tokenizers_core.encoding.added import AddedToken
from tokenizers_core.encoding.alignment import WHITE_SPACE
from tokenizers_core.encoding.templates import ONE_TEXT, TemplatePiece
from tokenizers_core.encoding.truncation import Padding
from tokenizers_core.errors import WHOLE_NUMBER, Phrase, SettingError, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import bytes_to_symbols
from tokenizers_core.text.spans import Span

PRINTED_TOKENS: Final = 20
PRINTED_CHARACTERS: Final = 60
"""Of each token, in the `repr` of an encoding."""

BLANK: Final = bytes_to_symbols(b" ") + WHITE_SPACE
"""A space in the byte alphabet, and white space as it is."""

T = TypeVar("T")


class Trimming(NamedTuple):
    """Offsets without the white space at a token's ends, as with `trim_offsets` in a file.

    >>> Trimming().of([(0, 3), (3, 7), (7, 9)], ["Ġto", "Ġbe!", "ĠĠ"])
    [(0, 3), (4, 7), (9, 9)]
    >>> Trimming(prefix_space=False).of([(0, 3)], ["Ġto"])
    [(1, 3)]
    """

    prefix_space: bool = True
    """Whether the first space of a text was added, and so takes no room."""

    def of(self, offsets: Sequence[Span], tokens: Sequence[str]) -> list[Span]:
        """The trimmed offsets of a text's tokens."""
        return [self._trimmed(span, token) for span, token in zip(offsets, tokens, strict=True)]

    def _trimmed(self, span: Span, token: str) -> Span:
        start, end = span
        leading = len(token) - len(token.lstrip(BLANK))
        trailing = len(token) - len(token.rstrip(BLANK))
        if leading and start == 0 and self.prefix_space:
            leading -= 1
        start = min(start + leading, end)
        return start, max(end - trailing, start) if end >= trailing else end


class TextEncoder(Protocol):
    """The parts of a tokenizer that an `Encoding` needs."""

    @property
    def trimming(self) -> Trimming | None:
        """How to trim white space off offsets; None if not at all."""

    @property
    def added(self) -> Sequence[AddedToken]:
        """The added tokens."""

    @property
    def tokens(self) -> Sequence[str]:
        """All tokens by id."""

    @property
    def vocab(self) -> Mapping[str, int]:
        """Token → id."""

    def ids(self, text: str) -> list[int]:
        """The ids of a text's tokens."""

    def quick_offsets(self, text: str, ids: Sequence[int]) -> list[Span] | None:
        """Offsets of a text's tokens from their ids, if their lengths suffice."""

    def align(self, text: str) -> tuple[list[Span], list[int]]:
        """Offsets and word ids of a text's tokens."""


class TokenizedText:
    """A text and its own tokens, before anything is added, cut or padded; offsets are computed only when
    used."""

    def __init__(self, tokenizer: TextEncoder, text: str) -> None:
        self.text = text
        self.ids = tokenizer.ids(text)
        self._tokenizer = tokenizer

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens as the vocabulary writes them."""
        names = self._tokenizer.tokens
        return [names[identifier] for identifier in self.ids]

    @cached_property
    def offsets(self) -> list[Span]:
        """The stretch of text behind each token."""
        quick = self._tokenizer.quick_offsets(self.text, self.ids)
        result = self._alignment[0] if quick is None else quick
        trimming = self._tokenizer.trimming
        if not trimming:
            return result
        # The spaces that an added token takes along are no part of its name, but of its stretch of text.
        with_spaces = {one.content for one in self._tokenizer.added if one.lstrip or one.rstrip}
        found = [
            self.text[start:end] if token in with_spaces else token
            for token, (start, end) in zip(self.tokens, result, strict=True)
        ]
        return trimming.of(result, found)

    @property
    def word_ids(self) -> list[int]:
        """The number of each token's pre-token or special token, from 0."""
        return self._alignment[1]

    @cached_property
    def _alignment(self) -> tuple[list[Span], list[int]]:
        return self._tokenizer.align(self.text)

    def tokens_on(self, start: int, end: int) -> Span | None:
        """The first and the last token with a character of the stretch `start` to `end`; None if no token has
        one.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> text = TokenizedText(train_bpe(Corpus.from_texts(["hug"]), merges=1).tokenizer(), "hug")
        >>> text.offsets, text.tokens_on(1, 3), text.tokens_on(1, 1)
        ([(0, 2), (2, 3)], (0, 1), None)
        """
        on = [
            number for number, (first, last) in enumerate(self.offsets) if max(first, start) < min(last, end)
        ]
        return (on[0], on[-1]) if on else None


class Choice(NamedTuple):
    """An encoding's window of one text, and the windows of its overflowing encodings."""

    window: Span
    rest: tuple[Span, ...] = ()

    @property
    def others(self) -> list[Choice]:
        return [Choice(window) for window in self.rest]


def combined(choices: Sequence[Choice]) -> Iterator[tuple[Choice, ...]]:
    """The windows in the overflowing encodings of an encoding with `choices`, given in the template's order.

    With two texts, each window is combined with each, in the library's order. The library nests some
    encodings inside others, and so has them several times; those keep the rest of their windows.

    >>> [
    ...     [choice.window for choice in choices]
    ...     for choices in combined([Choice((0, 2), ((2, 4),)), Choice((0, 1), ((1, 2),))])
    ... ]
    [[(2, 4), (0, 1)], [(2, 4), (1, 2)], [(0, 2), (1, 2)]]
    """
    if len(choices) == 1:
        yield from ((other,) for other in choices[0].others)
        return
    first, second = choices
    for other in first.others:
        yield other, second
        yield from ((other, another) for another in second.others)
    yield from ((first, another) for another in second.others)


class Run(NamedTuple):
    """Neighbouring tokens of an encoding with the same origin."""

    size: int
    type_id: int
    sequence: int | None
    """The number of their text; None for the template's special tokens and for pads."""
    first: int = 0
    """The number of the first of them among the text's tokens."""
    identifier: int = 0
    """Their common id if they belong to no text."""
    token: str = ""
    attention: int = 1


class Encoding:
    """The encoding of a text or a pair: the ids at once, everything else when it is used.

    Every list has an entry for each token. `offsets` are (start, end) character positions in the token's own
    text; byte-level tokens that share a character all have the whole character's. `word_ids` number the
    pre-tokens and the special tokens in a text from 0. The template's tokens and pads have offsets (0, 0),
    and None for a word id and a sequence id. As in the library, a search for a character or a word of a text
    that the encoding doesn't have (number 1, of one text) goes through all of its tokens.

    Where the library contradicts itself, this class keeps one meaning: windows have their template's type ids
    (the library's later windows have the text's number), pads never belong to a text (the library's do
    without a template), and a pair's windows know their texts (the library's don't without a template).
    """

    def __init__(
        self,
        tokenizer: TextEncoder,
        sequences: Sequence[TokenizedText],
        pieces: Sequence[TemplatePiece],
        choices: Sequence[Choice] | None = None,
        padding: Padding | None = None,
        length: int = 0,
    ) -> None:
        """`pieces` with the tokens of `sequences`, of each the window in `choices` (default: all); padded to
        `length`."""
        self._tokenizer = tokenizer
        self._sequences = sequences
        self._pieces = pieces
        self._chosen = choices
        self._padding = padding
        self._length = length

    def __len__(self) -> int:
        return sum(run.size for run in self._runs)

    def __repr__(self) -> str:
        """One line: of a long text the first tokens, and how many there are."""
        first = [token[:PRINTED_CHARACTERS] for token in self.tokens[:PRINTED_TOKENS]]
        return f"Encoding(tokens={first}{f', {len(self):,} in all' if len(self) > PRINTED_TOKENS else ''})"

    @property
    def text(self) -> str:
        """The text; of a pair the first."""
        return self._sequences[0].text

    @property
    def texts(self) -> tuple[str, ...]:
        """The text, or both."""
        return tuple(sequence.text for sequence in self._sequences)

    @property
    def pieces(self) -> Sequence[TemplatePiece]:
        """Its parts: the template's special tokens and the texts' places, in order."""
        return self._pieces

    @property
    def n_sequences(self) -> int:
        """The number of texts: 1 or 2."""
        return len(self._sequences)

    @cached_property
    def _choices(self) -> Sequence[Choice]:
        if self._chosen is None:
            return [Choice((0, len(sequence.ids))) for sequence in self._sequences]
        return self._chosen

    @cached_property
    def _runs(self) -> list[Run]:
        runs = [self._run(piece) for piece in self._pieces]
        pads = self._length - sum(run.size for run in runs)
        if self._padding is None or pads <= 0:
            return runs
        padding = self._padding
        run = Run(
            pads,
            padding.pad_type_id,
            None,
            identifier=padding.pad_id,
            token=padding.pad_token,
            attention=0,
        )
        return [*runs, run] if padding.direction == "right" else [run, *runs]

    def _run(self, piece: TemplatePiece) -> Run:
        if piece.token is not None:
            identifier = self._tokenizer.vocab[piece.token]
            return Run(1, piece.type_id, None, identifier=identifier, token=piece.token)
        sequence = piece.sequence or 0
        start, end = self._choices[sequence].window
        return Run(end - start, piece.type_id, sequence, start)

    def _collect(
        self, of_text: Callable[[TokenizedText], Sequence[T]], of_run: Callable[[Run], T]
    ) -> list[T]:
        """An entry for each token: from its text's list, or its run's common one."""
        results: list[T] = []
        for run in self._runs:
            if run.sequence is None:
                results += [of_run(run)] * run.size
            else:
                results += of_text(self._sequences[run.sequence])[run.first : run.first + run.size]
        return results

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens."""
        if self._pieces is ONE_TEXT and self._chosen is None and self._padding is None:
            return self._sequences[0].ids  # just the text: no need for a second list
        return self._collected_ids

    @cached_property
    def _collected_ids(self) -> list[int]:
        return self._collect(lambda text: text.ids, lambda run: run.identifier)

    @cached_property
    def tokens(self) -> list[str]:
        """The tokens as the vocabulary writes them."""
        return self._collect(lambda text: text.tokens, lambda run: run.token)

    @cached_property
    def offsets(self) -> list[Span]:
        """Where each token is in its own text, in characters: (start, end)."""
        return self._collect(lambda text: text.offsets, lambda _run: (0, 0))

    @cached_property
    def word_ids(self) -> list[int | None]:
        """The number of each token's word in its own text, from 0; None if a token belongs to no text."""
        return self._collect(lambda text: text.word_ids, lambda _run: None)

    @cached_property
    def type_ids(self) -> list[int]:
        """The type of each token, as the template says; without a template 0 and, for a second text, 1."""
        return [run.type_id for run in self._runs for _ in range(run.size)]

    @cached_property
    def sequence_ids(self) -> list[int | None]:
        """Which text each token belongs to: 0 or 1; None if to none."""
        return [run.sequence for run in self._runs for _ in range(run.size)]

    @cached_property
    def special_tokens_mask(self) -> list[int]:
        """1 for the template's tokens and pads; they belong to no text. A special token spelled out in a text
        has 0."""
        return [int(run.sequence is None) for run in self._runs for _ in range(run.size)]

    @cached_property
    def attention_mask(self) -> list[int]:
        """0 for pads, to be ignored by a model; 1 for everything else."""
        return [run.attention for run in self._runs for _ in range(run.size)]

    @cached_property
    def overflowing(self) -> list[Encoding]:
        """The parts cut off by truncation: one more encoding for each further window of the text.

        If both texts of a pair were cut, there is one for each two windows. As in the library, some of those
        have overflowing encodings of their own, also in this list.
        """
        order = [piece.sequence for piece in self._pieces if piece.sequence is not None]
        # The permutation that puts one text or two into the template's order is its own inverse.
        return [
            self._changed(choices=[choices[index] for index in order])
            for choices in combined([self._choices[sequence] for sequence in order])
        ]

    def padded(self, padding: Padding, length: int) -> Encoding:
        """The same, `overflowing` included, each with pads up to `length` tokens."""
        return self._changed(padding=padding, length=length)

    def _changed(
        self,
        choices: Sequence[Choice] | None = None,
        padding: Padding | None = None,
        length: int | None = None,
    ) -> Encoding:
        return Encoding(
            self._tokenizer,
            self._sequences,
            self._pieces,
            self._chosen if choices is None else choices,
            padding or self._padding,
            self._length if length is None else length,
        )

    # --- The ways between characters, tokens and words ------------------------------------------------------

    @cached_property
    def _ranges(self) -> dict[int, range]:
        """Where each text's tokens are in this encoding."""
        ranges, position = {}, 0
        for run in self._runs:
            if run.sequence is not None:
                ranges[run.sequence] = range(position, position + run.size)
            position += run.size
        return ranges

    def _range(self, sequence_index: int) -> range:
        """The tokens to search for a text; all of them, as in the library, if there is no such text."""
        if sequence_index < 0:
            return range(0)
        return self._ranges.get(sequence_index, range(len(self)))

    @cached_property
    def _tokens_at(self) -> dict[range, dict[int, int]]:
        """Range of tokens → character → its first token in the range; filled in when needed."""
        return {}

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The first token with the character at `char_pos` of a text; None if there is none.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> encoding = (
        ...     train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2).tokenizer().encode("not to be")
        ... )
        >>> encoding.tokens, encoding.char_to_token(5), encoding.token_to_chars(4), encoding.word_to_tokens(1)
        (['n', 'o', 't', 'Ġ', 'to', 'Ġb', 'e'], 4, (4, 6), (3, 5))
        """
        tokens = self._range(sequence_index)
        at = self._tokens_at.get(tokens)
        if at is None:
            at = {}
            for token in reversed(tokens):  # so that the first token stays
                start, end = self.offsets[token]
                for position in range(start, end):
                    at[position] = token
            self._tokens_at[tokens] = at
        return at.get(char_pos)

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The number of the word with the character at `char_pos` of a text; None if there is none."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def token_to_chars(self, token_index: int) -> Span | None:
        """Where a token is in its own text: (start, end); None if it belongs to no text, or there is no such
        token."""
        return None if self.token_to_sequence(token_index) is None else self.offsets[token_index]

    def token_to_sequence(self, token_index: int) -> int | None:
        """Which text a token belongs to; None if to none, or if there is no such token."""
        return self.sequence_ids[token_index] if 0 <= token_index < len(self) else None

    def token_to_word(self, token_index: int) -> int | None:
        """The number of a token's word in its own text; None if it belongs to no text, or there is no such
        token."""
        return self.word_ids[token_index] if 0 <= token_index < len(self) else None

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> Span | None:
        """The tokens of a word of a text: the first, and the one after the last; None if the window has none
        of them."""
        results = []
        for token in self._range(sequence_index):
            word = self.word_ids[token]
            if word is not None and word > word_index:
                break
            if word == word_index:
                results.append(token)
        return (results[0], results[-1] + 1) if results else None

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> Span | None:
        """The position in its text of a word, or of its part in the window: (start, end); None if the window
        has none."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        return None if tokens is None else (self.offsets[tokens[0]][0], self.offsets[tokens[1] - 1][1])

    def window(self, sequence_index: int = 0) -> Span:
        """Which of a text's own tokens this encoding has, counted in the whole text: (first, the one after
        the last). Raises SettingError if there is no such text.

        >>> from tokenizers_core import Corpus, Truncation, train_bpe
        >>> tokenizer = train_bpe(Corpus.from_texts(["hug"]), merges=0).tokenizer()
        >>> encoding = tokenizer.with_options(truncation=Truncation(2, stride=1)).encode("hug")
        >>> encoding.window(), encoding.overflowing[0].window()
        ((0, 2), (1, 3))
        """
        refuse_wrong_type("sequence", sequence_index, Integral, WHOLE_NUMBER)
        if not 0 <= sequence_index < self.n_sequences:
            raise SettingError(
                name="sequence",
                value=sequence_index,
                reason=Phrase("the encoding has {number}, numbered from 0", number=self.n_sequences),
            )
        return self._choices[sequence_index].window

    def tokens_on(self, start: int, end: int, sequence_index: int = 0) -> Span | None:
        """The first and the last of the tokens on a stretch of a text, if this window has all of them; else
        None. Raises SettingError if there is no such text."""
        first, last = self.window(sequence_index)
        on = self._sequences[sequence_index].tokens_on(start, end)
        if on is None:
            return None
        if on[0] < first or on[1] >= last:
            return None
        shift = self._ranges[sequence_index].start - first
        return on[0] + shift, on[1] + shift
