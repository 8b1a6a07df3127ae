"""A trained tokenizer at work: text to ids and back, with offsets into the original text.

The stages are the same as in the `tokenizers` library: special tokens are cut out first, the rest is
normalized and split into pre-tokens, and the model turns each pre-token into tokens. Then an encoding is cut
to its length, put into the template, and padded; a decoder turns tokens back into text.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, chain, count, pairwise, repeat
from numbers import Integral
from operator import add, sub
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, Final, NamedTuple

from tokenizers_core.encoding.added import AddedToken, Finder, Segment
from tokenizers_core.encoding.alignment import no_collecting
from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.encoding.cuts.table import names_of
from tokenizers_core.encoding.cuts.ways import Ways
from tokenizers_core.encoding.decoders import (
    BpeDecoder,
    ByteLevelDecoder,
    Decoder,
    MetaspaceDecoder,
    SpaceDecoder,
    WordPieceDecoder,
)
from tokenizers_core.encoding.encoding import Choice, Encoding, TokenizedText, Trimming
from tokenizers_core.encoding.models.base import Model, seeded
from tokenizers_core.encoding.reasons import Reason
from tokenizers_core.encoding.templates import ONE_TEXT, TWO_TEXTS, Template, TemplatePiece
from tokenizers_core.encoding.truncation import Padding, Truncation
from tokenizers_core.errors import (
    TEXT_WANTED,
    WHOLE_NUMBER,
    TemplateError,
    TokenizersCoreError,
    UnknownIdError,
    WrongTypeError,
    refuse_no_path,
    refuse_no_texts,
    refuse_no_tokens,
    refuse_wrong_type,
    rows_of,
)
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.cutting import ComposedSplitter
from tokenizers_core.text.normalizers import normalize, normalized_text
from tokenizers_core.text.pipeline import Pipeline, refuse_surrogates
from tokenizers_core.text.spans import IdentitySpans, Span, origin_of
from tokenizers_core.text.splitting import SPACE_MARK, PreToken, Splitter
from tokenizers_core.trace import Trace

FIRST_BYTES: Final = bytes(byte & 0xC0 != 0x80 for byte in range(256))
"""For each byte, 1 where a character of UTF-8 may begin with it, and 0 where it goes on."""
IDS_WANTED: Final = "give a list of ids, such as [5, 13]"


def decoder_for(pipeline: Pipeline, model: Model) -> Decoder:
    """The decoder for a pipeline's and a model's way of writing tokens.

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
        if pipeline.marks_behind:
            return BpeDecoder(SPACE_MARK)
        return MetaspaceDecoder(prepend_scheme="never" if pipeline.pre_tokenizer == "none" else "always")
    if prefix := model.vocabulary.prefix:
        return WordPieceDecoder(prefix, cleanup=False)
    return SpaceDecoder()


class PlacedWords(NamedTuple):
    """The pre-tokens of a text: where each begins, and where its tokens begin and end, counted from there."""

    bases: list[int]
    starts: list[Sequence[int]]
    ends: list[Sequence[int]]

    def add(self, base: int, starts: Sequence[int], ends: Sequence[int]) -> None:
        """One more pre-token."""
        self.bases.append(base)
        self.starts.append(starts)
        self.ends.append(ends)

    def offsets(self) -> list[Span]:
        """Of all tokens, in the text."""
        with no_collecting():
            return list(zip(self._from_bases(self.starts), self._from_bases(self.ends), strict=True))

    def _from_bases(self, offsets: Sequence[Sequence[int]]) -> Iterator[int]:
        bases = chain.from_iterable(map(repeat, self.bases, map(len, offsets)))
        return map(add, bases, chain.from_iterable(offsets))

    def numbers(self) -> list[int]:
        """For each token the number of its pre-token."""
        return list(chain.from_iterable(map(repeat, count(), map(len, self.starts))))


def trained_tokenizer(pipeline: Pipeline, model: Model, special_tokens: Iterable[str]) -> Tokenizer:
    """The tokenizer of a run. Its user-defined symbols have ids like special tokens, and are cut out of texts
    like them, but they are text; byte tokens have such ids, too, and are never found."""
    symbols = dict.fromkeys(pipeline.user_defined_symbols)
    special = [token for token in special_tokens if token not in symbols and token not in BYTE_TOKENS]
    return Tokenizer(pipeline, model, special, added=[AddedToken(one, special=False) for one in symbols])


def refuse_no_tokenizer(tokenizer: object) -> None:
    """Raise WrongTypeError for anything but a tokenizer: a run, a file's name."""
    refuse_wrong_type(
        "tokenizer",
        tokenizer,
        Tokenizer,
        "make one first: trace.tokenizer(), or Tokenizer.load('tokenizer.json')",
    )


class FileFormat(NamedTuple):
    """How tokenizers are written to files and read from them."""

    write: Callable[[Tokenizer], str]
    refuse: Callable[[Path], None]
    """Refuse the name of another kind of file: `read` would take it for one."""
    read: Callable[[Path, Mapping[str, Any], Sequence[str] | None], Tokenizer]


class Tokenizer:
    """A pipeline, a model and special tokens turn text to ids and back; options add a template around texts,
    and control their length.

    Raises TemplateError if the vocabulary lacks a token of the template, and SettingError if the template
    leaves no room for text.
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
        added: Sequence[AddedToken] = (),
        trimming: Trimming | None = None,
    ) -> None:
        """Without a `decoder`, the pipeline's own is used: see `decoder_for`.

        `added` are further tokens to find in a text: not special ones, or found in other ways than special
        tokens here. With `trimming`, a token's offset excludes white space.
        """
        refuse_wrong_type(
            "pipeline", pipeline, Pipeline, "make a Pipeline first, or take a corpus's: corpus.pipeline"
        )
        refuse_wrong_type("model", model, Model, "give a model, such as another tokenizer's: tokenizer.model")
        for name, value, wanted in (
            ("template", template, Template),
            ("truncation", truncation, Truncation),
            ("padding", padding, Padding),
            ("decoder", decoder, Decoder),
        ):
            remedy = f"make a {wanted.__name__} first; help({wanted.__name__}) says how"
            refuse_wrong_type(name, value, (wanted, NoneType), remedy)
        refuse_no_texts("added", added)
        self.added = tuple(added)
        for one in self.added:
            refuse_wrong_type("added", one, AddedToken, "make each an AddedToken, such as AddedToken('<x>')")
        self.pipeline = pipeline
        self.model = model
        refuse_no_texts("special_tokens", special_tokens)
        self.special_tokens = tuple(special_tokens)
        for token in self.special_tokens:
            refuse_wrong_type("special_tokens", token, str, "write each token as a str, such as '[UNK]'")
        self.template = template
        self.truncation = truncation
        self.padding = padding
        self.trimming = trimming
        self.decoder = decoder or decoder_for(pipeline, model)
        self._stretches = model.stretches(str((pipeline.pre_tokenizer, *pipeline.cuts)))
        self._arguments: dict[str, Any] = {
            "pipeline": pipeline,
            "model": model,
            "special_tokens": self.special_tokens,
            "template": template,
            "truncation": truncation,
            "padding": padding,
            "decoder": decoder,
            "added": self.added,
            "trimming": trimming,
        }
        self._early, self._late = self._finders()
        self._set_apart = self._tokens_set_apart()
        self._added_names = frozenset(token.content for token in self.added)
        remaining = frozenset(token.content for token in self.added if not token.special)
        self._skipped = (self._set_apart - remaining) | {""}
        if truncation:
            truncation.room(template.added(pair=False) if template else 0)

    def _finders(self) -> tuple[Finder, Finder | None]:
        """The finders of special and added tokens: first in the text as it is, then in the normalized text;
        None without tokens to find there."""
        otherwise = {token.content for token in self.added}
        usual = [AddedToken(token) for token in self.special_tokens if token not in otherwise]
        late = [token for token in self.added if token.normalized]
        early = Finder([*usual, *(token for token in self.added if not token.normalized)])
        if not late:
            return early, None
        written = [normalized_text(token.content, self.pipeline.normalizer) for token in late]
        return early, Finder(late, written)

    def _tokens_set_apart(self) -> frozenset[str]:
        """The tokens without text: special tokens, the template's, and the pad. Raises TemplateError."""
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
        """A tokenizer with other `special_tokens`, `template`, `truncation`, `padding` or `decoder`; None
        takes one away.

        Pipeline and model are shared, and so is the cache of encoded words. Raises the errors of making a
        tokenizer.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> from tokenizers_core.encoding.templates import TEMPLATES
        >>> plain = train_bpe(
        ...     Corpus.from_texts(["to be"]), merges=1, special_tokens=["[CLS]", "[SEP]"]
        ... ).tokenizer()
        >>> encoding = plain.with_options(template=TEMPLATES["bert"]).encode("to", "be")
        >>> encoding.tokens, encoding.type_ids
        (['[CLS]', 'to', '[SEP]', 'b', 'e', '[SEP]'], [0, 0, 0, 1, 1, 1])
        """
        return Tokenizer(**(self._arguments | changes))

    @property
    def tokens(self) -> Sequence[str]:
        """All tokens by id."""
        return self.model.vocabulary.tokens

    def __repr__(self) -> str:
        return f"<Tokenizer: {type(self.model).__name__}, {len(self.vocab):,} tokens>"

    @property
    def vocab(self) -> Mapping[str, int]:
        """Token → id."""
        return self.model.vocabulary.ids

    def encode(self, text: str, pair: str | None = None, add_special_tokens: bool = True) -> Encoding:
        """The tokens of `text`, or of a pair of texts: cut, in the template, and padded.

        `add_special_tokens` adds the template's; without them, the texts still get its type ids. If the
        padding has no length of its own, a single encoding is padded only to a multiple, and its windows to
        the same length. Raises the errors of `Pipeline.words`, TruncationError, and SettingError if a pair's
        template leaves no room for text.

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
        """The encodings of texts and pairs of texts, padded to one length if there is a padding. Raises the
        errors of `encode`.

        >>> from tokenizers_core import Corpus, Padding, Tokenizer, train_bpe
        >>> trace = train_bpe(Corpus.from_texts(["to be"]), merges=1, special_tokens=["[PAD]"])
        >>> tokenizer = trace.tokenizer().with_options(padding=Padding())
        >>> [encoding.tokens for encoding in tokenizer.encode_batch(["to", ("be", "to")])]
        [['to', '[PAD]', '[PAD]'], ['b', 'e', 'to']]
        """
        refuse_no_texts("inputs", inputs)
        encodings = []
        for row, one in enumerate(inputs):
            if not isinstance(one, str) and not (isinstance(one, tuple | list) and len(one) == 2):
                raise WrongTypeError(
                    f"inputs[{row}]",
                    one,
                    "each row, counted from 0, is a text or a pair of texts, ('a question', 'its answer'); leave others out",
                )
            text, pair = (one, None) if isinstance(one, str) else one
            encodings.append(self._encode(text, pair, add_special_tokens))
        return self._pad(encodings)

    def _encode(self, text: str, pair: str | None, add_special_tokens: bool) -> Encoding:
        """An encoding before it is padded."""
        refuse_wrong_type("text", text, str, f"{TEXT_WANTED}; for several texts there is encode_batch")
        refuse_wrong_type("pair", pair, (str, NoneType), TEXT_WANTED)
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
        """The parts of an encoding."""
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
        refuse_no_texts("texts", texts)
        return chain.from_iterable(map(self.ids, rows_of("texts", texts)))

    def ids(self, text: str) -> list[int]:
        """The ids of the tokens of `text`, each different word encoded once."""
        # All segments share one splitter, and so share the time limit for a pattern of the user's own.
        splitter = self.pipeline.splitter()
        segments = [
            (part, [] if part.special else splitter.matches(part.text, begins, spans))
            for part, spans, begins in self._normalized_segments(text)
        ]
        ids: list[int] = []
        for segment, stretches in segments:
            if segment.special:
                ids.append(self.vocab[segment.text])
            else:
                for of_stretch in self._ids_of(stretches, splitter.notation.show):
                    ids += of_stretch
        return ids

    def _normalized_segments(self, text: str) -> Iterator[tuple[Segment, Sequence[Span] | None, bool]]:
        """`text` cut at special and added tokens, and normalized between them; with each segment, the places
        of its characters, where words depend on them, and whether the text begins with it."""
        pipeline = self.pipeline
        for segment in self.segments(text):
            if segment.special:
                yield segment, None, False
            elif self._late is None and not pipeline.marks_beginning:
                written = normalized_text(segment.text, pipeline.normalizer)
                yield segment._replace(text=written), None, not segment.start
            else:
                yield from self._placed_parts(segment)

    def _placed_parts(self, segment: Segment) -> Iterator[tuple[Segment, Sequence[Span], bool]]:
        """A segment's normalized text, cut at the tokens in it: each part with the places of its characters
        in the segment."""
        text, spans = normalize(segment.text, self.pipeline.normalizer)
        for part in self._late.segments(text) if self._late else [Segment(text, 0, False, len(text))]:
            own = spans[part.start : part.end]
            yield part, own, bool(own) and not segment.start and own[0][0] == 0

    def _ids_of(self, stretches: Sequence[str], show: Callable[[str], str]) -> Iterable[tuple[int, ...]]:
        """The ids of each stretch of text; `show` rewrites it for the model."""
        known = self._stretches
        with suppress(KeyError):  # as in most texts but the first ones
            return list(map(known.__getitem__, stretches))
        different = set(stretches)
        encoded = {stretch: known[stretch] for stretch in different if stretch in known}
        new = list(different.difference(encoded))
        spelled = list(zip(new, self.model.encode_words(list(map(show, new))), strict=True))
        self.model.remember(known, spelled)
        encoded.update(spelled)
        return map(encoded.__getitem__, stretches)

    def sample(
        self, text: str, dropout: float | None = None, temperature: float | None = None, seed: int = 0
    ) -> list[str]:
        """The tokens of `text` split at random, each occurrence of a word separately; the same seed gives the
        same tokens.

        BPE and WordPiece take a `dropout`, by default 0.1, and Unigram a `temperature`, by default 1. Raises
        SettingError for the other one's setting or an impossible value, and the errors of `encode`.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> tokenizer = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5}), merges=2).tokenizer()
        >>> tokenizer.sample("hug hug hug", dropout=0.5, seed=3)
        ['h', 'u', 'g', 'h', 'ug', 'hug']
        """
        amount = self.model.amount(dropout, temperature)
        random, splitter = seeded(seed), self.pipeline.splitter()
        tokens: list[str] = []
        for segment, spans, begins in self._normalized_segments(text):
            if segment.special:
                tokens.append(segment.text)
                continue
            for word in splitter.matches(segment.text, begins, spans):
                tokens += self.model.sample(splitter.notation.show(word), amount, random)
        return tokens

    def segments(self, text: str) -> Iterator[Segment]:
        """`text` cut at its special tokens, longest first.

        Special tokens are found in the text as it is, before normalization. Raises SurrogateError.
        """
        refuse_surrogates(text)  # here, for positions from the start of the whole text
        return self._early.segments(text)

    def quick_offsets(self, text: str, ids: Sequence[int]) -> list[Span] | None:
        """Offsets of the tokens of `text` from their ids, if they spell all its bytes, one after the other:
        then their lengths suffice. Otherwise None, and `align` goes by the words.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> tokenizer = train_bpe(Corpus.from_texts(["né"]), merges=0, alphabet="bytes").tokenizer()
        >>> tokenizer.quick_offsets("né", tokenizer.ids("né"))
        [(0, 1), (1, 2), (1, 2)]
        """
        if not self.pipeline.byte_level or not self.pipeline.splitter().in_place:
            return None
        unknown = self.vocab.get(self.model.unk_token)
        if unknown in ids or normalized_text(text, self.pipeline.normalizer) != text:
            return None
        borders = list(accumulate(map(self._byte_lengths.__getitem__, ids), initial=0))
        data = text.encode("utf-8")
        if borders[-1] != len(data):  # the pattern leaves text out
            return None
        with no_collecting():
            if len(data) == len(text):
                return list(pairwise(borders))
            # How many characters have begun, at each byte.
            begun = array("I", accumulate(data.translate(FIRST_BYTES)))
            firsts = map(sub, map(begun.__getitem__, borders[:-1]), repeat(1))
            lasts = map(begun.__getitem__, map(sub, borders[1:], repeat(1)))
            return list(zip(firsts, lasts, strict=True))

    @cached_property
    def _byte_lengths(self) -> list[int]:
        """The number of bytes of each token's text, by id, in the byte alphabet; a special token is its own
        text."""
        apart = (*self.special_tokens, *(token.content for token in self.added))
        special = {self.vocab[token]: len(token.encode("utf-8")) for token in apart}
        return [special.get(identifier, len(token)) for identifier, token in enumerate(self.tokens)]

    def align(self, text: str) -> tuple[list[Span], list[int]]:
        """Offsets and word ids of the tokens of `text`."""
        words = PlacedWords([], [], [])
        splitter = self.pipeline.splitter()
        for segment in self.segments(text):
            if segment.special:
                words.add(segment.start, (0,), (segment.end - segment.start,))
            elif self._is_unchanged(segment.text, splitter):
                self._place_equal_words(segment, splitter, words)
            else:
                self._place_words(segment, splitter, words)
        return words.offsets(), words.numbers()

    def _is_unchanged(self, text: str, splitter: Splitter | ComposedSplitter) -> bool:
        """Whether nothing is rewritten before the model: then equal stretches of text have equal offsets,
        relative to where they begin."""
        if self._late or not splitter.in_place:
            return False
        return normalized_text(text, self.pipeline.normalizer) == text

    def _place_words(
        self, segment: Segment, splitter: Splitter | ComposedSplitter, words: PlacedWords
    ) -> None:
        """Add the pre-tokens of a segment, and the tokens found in its normalized text."""
        for part, spans, begins in self._placed_parts(segment):
            if part.special:
                first, last = origin_of(spans, 0, len(spans))
                words.add(segment.start + first, (0,), (last - first,))
                continue
            for word in splitter.words(part.text, spans, begins):
                words.add(segment.start, *self._columns(word))

    def _place_equal_words(
        self, segment: Segment, splitter: Splitter | ComposedSplitter, words: PlacedWords
    ) -> None:
        """Add the pre-tokens of a segment unchanged by the normalizer, with only one look at each different
        one."""
        matches = splitter.matches(segment.text)
        columns = {
            match: self._columns_in_order(splitter.notation.pre_token(match)) for match in set(matches)
        }
        firsts = {match: starts for match, (starts, _ends) in columns.items()}
        lasts = {match: ends for match, (_starts, ends) in columns.items()}
        bases = splitter.starts_of(segment.text, matches)
        words.bases.extend(map(segment.start.__add__, bases) if segment.start else bases)
        words.starts.extend(map(firsts.__getitem__, matches))
        words.ends.extend(map(lasts.__getitem__, matches))

    def _columns(self, word: PreToken) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where each token of a pre-token begins, and where each ends."""
        offsets = list(self.word_offsets(word))
        return tuple(start for start, _ in offsets), tuple(end for _, end in offsets)

    def _columns_in_order(self, word: PreToken) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The same for an unchanged pre-token: its characters' places are in order."""
        spans, end = word.spans, word.end
        inside = list(self.model.spans(word.text))
        if isinstance(spans, IdentitySpans):
            positions = [(first, last) if first < last else (end, end) for first, last in inside]
        else:
            positions = [
                (spans[first][0], spans[last - 1][1]) if first < last else (end, end)
                for first, last in inside
            ]
        return tuple([first for first, _ in positions]), tuple([last for _, last in positions])

    def word_offsets(self, word: PreToken) -> Iterator[Span]:
        """The stretch of the original text behind each token of a pre-token."""
        for first, last in self.model.spans(word.text):
            if first == last:
                yield word.end, word.end
            else:  # not just the first and the last character's: normalizing may have moved an accent
                yield origin_of(word.spans, first, last)

    def explain(self, word: str) -> Trace[Any]:
        """The encoding of one pre-token (as `pipeline.words` gives them), step by step."""
        refuse_wrong_type("word", word, str, TEXT_WANTED)
        return self.model.explain(word)

    def why_not(self, word: str, tokens: Iterable[str]) -> Reason:
        """What stopped the tokenizer from splitting a pre-token (as `pipeline.words` give them) into these
        tokens.

        The tokens are written as in the vocabulary: with the continuation prefix, in the byte alphabet. See
        `reasons.py`.

        >>> from tokenizers_core import Corpus, train_wordpiece
        >>> tokenizer = train_wordpiece(Corpus.from_counts({"hug": 10, "pug": 5}), merges=2).tokenizer()
        >>> tokenizer.why_not("hug", ["h", "##u", "##g"])
        LongerMatch(token='h', longer='hu', rest='')
        """
        refuse_wrong_type("word", word, str, TEXT_WANTED)
        refuse_no_texts("tokens", tokens)
        split = tuple(tokens)
        for token in split:
            refuse_wrong_type("tokens", token, str, "write each token as a str, such as 'hug'")
        return self.model.why_not(word, split)

    @cached_property
    def ways(self) -> Ways:
        """Its vocabulary, ready to cut words in other ways than its model does."""
        return Ways(self.model, self._set_apart | self._added_names)

    def cut(self, word: str, way: str) -> tuple[str, ...] | None:
        """The tokens of a pre-token (as `pipeline.words` gives them) by one of `cuts.ways.WAYS`; None where
        it can't be cut this way.

        Raises SettingError for another way.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> tokenizer = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "hugs": 5}), merges=2).tokenizer()
        >>> (
        ...     tokenizer.cut("hugs", "merges"),
        ...     tokenizer.cut("hugs", "longest_suffix"),
        ...     tokenizer.cut("hugs", "most_probable"),
        ... )
        (('hug', 's'), ('hug', 's'), None)
        """
        refuse_wrong_type("word", word, str, TEXT_WANTED)
        return names_of(self.ways.cut(word, way))

    def token_bytes(self, identifier: int) -> bytes:
        """A token's bytes of text; special tokens and the template's tokens are their own text.

        A continuation prefix and an end-of-word symbol have none, and ``▁`` is a space. Raises
        UnknownIdError.
        """
        token = self.token(identifier)
        if token in self._set_apart or token in self._added_names:
            return token.encode("utf-8")
        if self.pipeline.byte_level:
            return symbols_to_bytes(token)
        if self.model.join([token]) != [token]:
            return bytes([BYTE_TOKENS[token]])
        # A prefix alone is a text of its own, such as the word ##: a continuation is never empty.
        token = (token.removeprefix(self.model.vocabulary.prefix) or token).removesuffix(self.model.suffix)
        if self.pipeline.marks_spaces:
            token = token.replace(SPACE_MARK, " ")
        return token.encode("utf-8")

    def token(self, identifier: int) -> str:
        """The token with this id. Raises UnknownIdError."""
        refuse_wrong_type("identifier", identifier, Integral, WHOLE_NUMBER)
        if not 0 <= identifier < len(self.tokens):
            raise UnknownIdError(identifier=identifier, size=len(self.tokens))
        return self.tokens[identifier]

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of `ids`, as the decoder reads it. Invalid UTF-8, as when a character is cut, becomes
        U+FFFD.

        Byte-level, ``▁`` and ``</w>`` tokens give their spaces back; the other pre-tokenizers have dropped
        them, so tokens are joined by spaces, as in the `tokenizers` library without a decoder; ``##`` joins a
        token to the one before it. With `skip_special_tokens`, the template's tokens and pads are left out
        too. Raises UnknownIdError.
        """
        if isinstance(ids, str | bytes):
            raise WrongTypeError("ids", ids, IDS_WANTED)
        refuse_wrong_type("ids", ids, Iterable, IDS_WANTED)
        ids = list(ids)
        try:
            known = {identifier: self.token(identifier) for identifier in dict.fromkeys(ids)}
        except TokenizersCoreError:
            raise
        except TypeError:  # a list among them
            raise WrongTypeError("ids", ids, IDS_WANTED) from None
        tokens = list(map(known.__getitem__, ids))
        skipped = self._skipped if skip_special_tokens else {""}
        if not skipped.isdisjoint(known.values()):
            tokens = [token for token in tokens if token not in skipped]
        joined = tokens if self.decoder.reads_byte_tokens else self.model.join(tokens)
        return self.decoder.decode(joined, self._set_apart | self._added_names)

    # --- files ----------------------------------------------------------------------------------------------

    file_format: ClassVar[FileFormat]
    """The format of `save` and `load`, set by a room above this one: see `files/loading.py`."""

    def save(self, path: str | Path) -> None:
        """Write a tokenizer.json, which the `tokenizers` library reads too: see `files/tokenizer_json.py`.

        Raises UnsavableError for parts the format can't hold, SettingError for the name of another kind of
        file, and OSError.
        """
        refuse_no_path(path)
        self.file_format.refuse(Path(path))
        text = self.file_format.write(self)  # before opening the file, as that would empty it
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
        """Read a tokenizer.json, ours or from elsewhere, or another supported file, by its name.

        A .tiktoken file, vocab.json with merges.txt, vocab.txt, and .vocab or .tsv don't say how text is
        split, nor which tokens are special: the other arguments do, or else the defaults in
        `files/loading.py` apply.

        Raises TokenizerFileError or VocabularyFileError for a faulty file, LackingPartError for unsupported
        parts, SettingError for rules in the file itself or missing from it, and OSError.
        """
        refuse_no_path(path)
        if special_tokens is not None:
            refuse_no_tokens(special_tokens)
        rules = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "pattern": pattern}
        values = {name: value for name, value in rules.items() if value is not None}
        return cls.file_format.read(Path(path), values, special_tokens)
