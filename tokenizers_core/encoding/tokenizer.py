"""Using what was learned: text to ids and back, with offsets into the original text.

The stages are those of the `tokenizers` library: special tokens are cut out first, the rest is normalized and split
into pre-tokens, and the model turns each pre-token into tokens. Then an encoding is cut to its length, put into the
template, and padded; a decoder turns tokens back into text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from tokenizers_core.encoding.decoders import (
    BpeDecoder,
    ByteLevelDecoder,
    Decoder,
    MetaspaceDecoder,
    SpaceDecoder,
    WordPieceDecoder,
)
from tokenizers_core.encoding.encoding import Choice, Encoding, TokenizedText
from tokenizers_core.encoding.model import Model
from tokenizers_core.encoding.templates import ONE_TEXT, TWO_TEXTS, Template, TemplatePiece
from tokenizers_core.encoding.truncation import Padding, Truncation
from tokenizers_core.errors import TemplateError, UnknownIdError
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.normalizers import normalized_text
from tokenizers_core.text.patterns import regex
from tokenizers_core.text.pipeline import Pipeline, refuse_surrogates
from tokenizers_core.text.spans import Span
from tokenizers_core.text.splitting import SPACE_MARK, PreToken, Splitter
from tokenizers_core.trace import Trace


class Segment(NamedTuple):
    """A stretch of text: a special token, or text for the model; offsets into the whole text."""

    text: str
    start: int
    special: bool


def decoder_for(pipeline: Pipeline, model: Model) -> Decoder:
    """The decoder that undoes how a pipeline and a model write tokens.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> tokenizer = train_bpe(Corpus.from_texts(["to be"], pre_tokenizer="end_of_word"), merges=1).tokenizer()
    >>> decoder_for(tokenizer.pipeline, tokenizer.model)
    BpeDecoder(suffix='</w>')
    """
    if pipeline.byte_level:
        return ByteLevelDecoder()
    if model.suffix:
        return BpeDecoder(model.suffix)
    if pipeline.marks_spaces:
        return MetaspaceDecoder(prepend_scheme="never" if pipeline.pre_tokenizer == "none" else "always")
    if prefix := model.vocabulary.prefix:
        return WordPieceDecoder(prefix, cleanup=False)
    return SpaceDecoder()


class FileFormat(NamedTuple):
    """How tokenizers are written to files and read from them."""

    write: Callable[[Tokenizer], str]
    read: Callable[[Path, Mapping[str, Any], Sequence[str] | None], Tokenizer]


class Tokenizer:
    """A pipeline, a model and special tokens turn text to ids and back; options say what is put around texts, and their length.

    Raises TemplateError if the vocabulary lacks a token of the template, and SettingError if the template leaves no room
    for text.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        model: Model,
        special_tokens: Sequence[str] = (),
        template: Template | None = None,
        truncation: Truncation | None = None,
        padding: Padding | None = None,
        decoder: Decoder | None = None,
    ) -> None:
        """Without a `decoder`, the one that belongs to the pipeline is used: see `decoder_for`."""
        self.pipeline = pipeline
        self.model = model
        self.special_tokens = tuple(special_tokens)
        self.template = template
        self.truncation = truncation
        self.padding = padding
        self.decoder = decoder or decoder_for(pipeline, model)
        self._given: dict[str, Any] = {
            "pipeline": pipeline,
            "model": model,
            "special_tokens": self.special_tokens,
            "template": template,
            "truncation": truncation,
            "padding": padding,
            "decoder": decoder,
        }
        longest_first = sorted(self.special_tokens, key=len, reverse=True)
        self._special = regex.compile("|".join(map(regex.escape, longest_first))) if longest_first else None
        self._set_apart = self._tokens_set_apart()
        if truncation:
            truncation.room(template.added(pair=False) if template else 0)

    def _tokens_set_apart(self) -> frozenset[str]:
        """The tokens that are read as they are written: special tokens, the template's, and the pad. Raises TemplateError."""
        of_template = self.template.special_tokens if self.template else ()
        for token in of_template:
            if self.template and token not in self.vocab:
                raise TemplateError(template=self.template.written_with(token), piece=token, why="missing")
        padding = self.padding
        is_pad = padding and self.vocab.get(padding.pad_token) == padding.pad_id
        return frozenset(
            (*self.special_tokens, *of_template, *([padding.pad_token] if padding and is_pad else []))
        )

    def with_options(self, **changes: Any) -> Tokenizer:
        """A tokenizer with other `special_tokens`, `template`, `truncation`, `padding` or `decoder`; None takes one away.

        Pipeline and model are shared, so that words which one tokenizer has encoded are known to the other. Raises what
        making a tokenizer raises.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> from tokenizers_core.encoding.templates import TEMPLATES
        >>> plain = train_bpe(Corpus.from_texts(["to be"]), merges=1, special_tokens=["[CLS]", "[SEP]"]).tokenizer()
        >>> encoding = plain.with_options(template=TEMPLATES["bert"]).encode("to", "be")
        >>> encoding.tokens, encoding.type_ids
        (['[CLS]', 'to', '[SEP]', 'b', 'e', '[SEP]'], [0, 0, 0, 1, 1, 1])
        """
        return Tokenizer(**(self._given | changes))

    @property
    def tokens(self) -> Sequence[str]:
        """All tokens by id."""
        return self.model.vocabulary.tokens

    @property
    def vocab(self) -> Mapping[str, int]:
        """Token → id."""
        return self.model.vocabulary.ids

    def encode(self, text: str, pair: str | None = None, add_special_tokens: bool = True) -> Encoding:
        """The tokens of `text`, or of a pair of texts: cut, in the template, and padded.

        `add_special_tokens` adds those of the template; without them, the texts still get its type ids. If the padding has no
        length of its own, a single encoding is padded only to a multiple, and its windows to the same length. Raises what
        `Pipeline.words` raises, TruncationError, and SettingError if a pair's template leaves no room for text.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> tokenizer = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2).tokenizer()
        >>> encoding = tokenizer.encode("not to be")
        >>> encoding.tokens, encoding.offsets
        (['n', 'o', 't', 'Ġ', 'to', 'Ġb', 'e'], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 6), (6, 8), (8, 9)])
        """
        encoding = self._encode(text, pair, add_special_tokens)
        return self._pad([encoding])[0]

    def encode_batch(
        self, inputs: Iterable[str | tuple[str, str]], add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The encodings of texts and pairs of texts, padded to one length if there is a padding. Raises what `encode` does.

        >>> from tokenizers_core import Corpus, Padding, Tokenizer, train_bpe
        >>> trace = train_bpe(Corpus.from_texts(["to be"]), merges=1, special_tokens=["[PAD]"])
        >>> tokenizer = trace.tokenizer().with_options(padding=Padding())
        >>> [encoding.tokens for encoding in tokenizer.encode_batch(["to", ("be", "to")])]
        [['to', '[PAD]', '[PAD]'], ['b', 'e', 'to']]
        """
        if isinstance(inputs, str):
            raise TypeError("inputs is one string, and its characters aren't texts; write [text].")
        encodings = []
        for one in inputs:
            text, pair = (one, None) if isinstance(one, str) else one
            encodings.append(self._encode(text, pair, add_special_tokens))
        return self._pad(encodings)

    def _encode(self, text: str, pair: str | None, add_special_tokens: bool) -> Encoding:
        """An encoding before it is padded."""
        pieces = self._pieces(pair is not None, add_special_tokens)
        sequences = [TokenizedText(self, text)]
        if pair is not None:
            sequences.append(TokenizedText(self, pair))
        if self.truncation is None:
            return Encoding(self, sequences, pieces)
        lengths = [len(sequence.ids) for sequence in sequences]
        windows = self.truncation.windows(lengths, len(pieces) - len(sequences))
        return Encoding(self, sequences, pieces, [Choice(first, tuple(rest)) for first, *rest in windows])

    def _pieces(self, pair: bool, add_special_tokens: bool) -> tuple[TemplatePiece, ...]:
        """What an encoding is put together from."""
        if self.template is None:
            return TWO_TEXTS if pair else ONE_TEXT
        return self.template.pieces(pair, add_special_tokens)

    def _pad(self, encodings: list[Encoding]) -> list[Encoding]:
        """Encodings of one length, if there is a padding."""
        if self.padding is None or not encodings:
            return encodings
        length = self.padding.target(max(map(len, encodings)))
        return [encoding.padded(self.padding, length) for encoding in encodings]

    def encode_iterable(self, texts: Iterable[str]) -> Iterator[int]:
        """The ids of one text after the other, lazily: a text is read when its first id is needed.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> tokenizer = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5}), merges=1).tokenizer()
        >>> list(tokenizer.encode_iterable(["hug pug", "hug"]))
        [1, 4, 2, 4, 1, 4]
        """
        for text in texts:
            yield from self.ids(text)

    def ids(self, text: str) -> list[int]:
        """The ids of the tokens of `text`, each different word encoded once."""
        # All segments share one splitter, and so share the time limit for a pattern of the user's own.
        splitter, split = self.pipeline.splitter(), self.pipeline.split
        segments = [
            (segment, [] if segment.special else split(segment.text, splitter))
            for segment in self.segments(text)
        ]
        ids: list[int] = []
        for segment, words in segments:
            if segment.special:
                ids.append(self.vocab[segment.text])
                continue
            encoded = {word: self.model.encode_word(word) for word in set(words)}
            ids.extend(chain.from_iterable(map(encoded.__getitem__, words)))
        return ids

    def segments(self, text: str) -> Iterator[Segment]:
        """`text` cut at its special tokens, longest first.

        Special tokens are found in the text as it is, before normalization. Raises SurrogateError.
        """
        refuse_surrogates(text)  # here, so that the error counts from the start of the whole text
        position = 0
        for match in self._special.finditer(text) if self._special else ():
            if match.start() > position:
                yield Segment(text[position : match.start()], position, False)
            yield Segment(match.group(), match.start(), True)
            position = match.end()
        if position < len(text):
            yield Segment(text[position:], position, False)

    def align(self, text: str) -> tuple[list[tuple[int, int]], list[int]]:
        """Offsets and word ids of the tokens of `text`."""
        words: list[list[Span]] = []
        splitter = self.pipeline.splitter()
        for segment in self.segments(text):
            if segment.special:
                words.append([(segment.start, segment.start + len(segment.text))])
            else:
                words += self._align_words(segment, splitter)
        return list(chain.from_iterable(words)), [number for number, word in enumerate(words) for _ in word]

    def _align_words(self, segment: Segment, splitter: Splitter) -> list[list[Span]]:
        """The offsets of each pre-token's tokens."""
        if normalized_text(segment.text, self.pipeline.normalizer) != segment.text:
            words = self.pipeline.words(segment.text, splitter)
            return [
                [(segment.start + start, segment.start + end) for start, end in self.word_offsets(word)]
                for word in words
            ]
        # Nothing was rewritten: equal stretches of text have equal offsets, relative to where they begin.
        within: dict[str, list[Span]] = {}
        found = []
        for start, end in splitter.spans(segment.text):
            stretch = segment.text[start:end]
            if stretch not in within:
                within[stretch] = list(self.word_offsets(splitter.pre_token(stretch)))
            base = segment.start + start
            found.append([(base + first, base + last) for first, last in within[stretch]])
        return found

    def word_offsets(self, word: PreToken) -> Iterator[Span]:
        """The stretch of the original text behind each token of a pre-token."""
        for first, last in self.model.spans(word.text):
            covered = word.spans[first:last]
            # Not just the first and the last character's: normalizing may have moved an accent.
            starts, ends = [start for start, _ in covered], [end for _, end in covered]
            yield min(starts, default=word.end), max(ends, default=word.end)

    def explain(self, word: str) -> Trace[Any]:
        """The encoding of one pre-token (as `pipeline.words` gives them), step by step."""
        return self.model.explain(word)

    def token_bytes(self, identifier: int) -> bytes:
        """The bytes of text that a token stands for; special tokens and the template's tokens stand for their own text.

        A continuation prefix and an end-of-word symbol stand for none, and ``▁`` for a space.
        """
        token = self.token(identifier)
        if token in self._set_apart:
            return token.encode("utf-8")
        if self.pipeline.byte_level:
            return symbols_to_bytes(token)
        token = token.removeprefix(self.model.vocabulary.prefix).removesuffix(self.model.suffix)
        if self.pipeline.marks_spaces:
            token = token.replace(SPACE_MARK, " ")
        return token.encode("utf-8")

    def token(self, identifier: int) -> str:
        """The token with this id."""
        if not 0 <= identifier < len(self.tokens):
            raise UnknownIdError(identifier=identifier, size=len(self.tokens))
        return self.tokens[identifier]

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of `ids`, as the decoder reads it. Invalid UTF-8, as when a character is cut, becomes U+FFFD.

        Byte-level, ``▁`` and ``</w>`` tokens give their spaces back; the other pre-tokenizers have dropped them, so tokens
        are joined by spaces, as in the `tokenizers` library without a decoder; ``##`` joins a token to the one before it.
        With `skip_special_tokens`, the template's tokens and pads are left out too. Raises UnknownIdError.
        """
        tokens = map(self.token, ids)
        wanted = [token for token in tokens if not (skip_special_tokens and token in self._set_apart)]
        return self.decoder.decode(self.model.join(wanted), self._set_apart)

    # --- files ----------------------------------------------------------------------------------------------------

    file_format: ClassVar[FileFormat]
    """What `save` and `load` use. A room above this one fills it in: see `files/loading.py`."""

    def save(self, path: str | Path) -> None:
        """Write a tokenizer.json, which the `tokenizers` library reads too: see `files/tokenizer_json.py`.

        Raises UnsavableError for what the format can't hold, and OSError.
        """
        text = self.file_format.write(self)  # before the file is opened, which would empty it
        Path(path).write_text(text, encoding="utf-8", newline="\n")

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        normalizer: str | tuple[str, ...] | None = None,
        pre_tokenizer: str | None = None,
        pattern: str | None = None,
        special_tokens: Sequence[str] | None = None,
    ) -> Tokenizer:
        """Read a tokenizer.json, ours or from elsewhere, or any other file that is written here, by its name.

        A .tiktoken file, vocab.json with merges.txt, vocab.txt, and .vocab or .tsv don't say how text is split, nor which
        tokens are special: the other arguments do, or else what `files/loading.py` says is taken.

        Raises TokenizerFileError or VocabularyFileError for what is wrong with a file, LackingPartError for parts that aren't
        built here, SettingError for what the file says itself or doesn't have, and OSError.
        """
        rules = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "pattern": pattern}
        given = {name: value for name, value in rules.items() if value is not None}
        return cls.file_format.read(Path(path), given, special_tokens)
