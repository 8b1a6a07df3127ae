"""Uses of offsets: finding an answer's tokens, and the text of an entity from its tokens' labels.

Source: question answering and token classification in the Hugging Face course, chapters 6 and 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Final, NamedTuple

from tokenizers_core.encoding.encoding import Encoding
from tokenizers_core.errors import (
    WHOLE_NUMBER,
    LabelsError,
    Phrase,
    SettingError,
    refuse_no_texts,
    refuse_wrong_type,
)
from tokenizers_core.text.spans import Span

ENCODING_WANTED: Final = "give what tokenizer.encode(text) returned"

# --- Question answering: which windows hold the answer ------------------------------------------------------


class AnswerSpan(NamedTuple):
    """An answer's position in one window: its first and its last token, counted in that window; None if it
    isn't there."""

    window: int
    """0 for the encoding itself, then its overflowing ones."""
    tokens: Span | None

    @property
    def labels(self) -> Span:
        """The target for a model: the answer's first and last token; (0, 0) if the window doesn't contain all
        of it.

        Token 0 is the `[CLS]` of BERT's template. Source: the Hugging Face course, chapter 7, question
        answering.

        >>> AnswerSpan(0, (8, 9)).labels, AnswerSpan(1, None).labels
        ((8, 9), (0, 0))
        """
        return self.tokens or (0, 0)


def answer_spans(encoding: Encoding, start: int, end: int, sequence: int = 1) -> list[AnswerSpan]:
    """The positions of the characters `start` to `end` of a text in each window of an encoding.

    A window contains them if it has all of their tokens. Characters without a token don't count, and a
    stretch of only such characters is in no window. Raises SettingError for an impossible stretch or text.

    >>> from tokenizers_core import Corpus, Truncation, train_bpe
    >>> tokenizer = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2).tokenizer()
    >>> encoding = tokenizer.with_options(truncation=Truncation(4, stride=1)).encode("not to be")
    >>> encoding, encoding.overflowing
    (Encoding(tokens=['n', 'o', 't', 'Ġ']), [Encoding(tokens=['Ġ', 'to', 'Ġb', 'e'])])
    >>> answer_spans(encoding, 4, 9, sequence=0)
    [AnswerSpan(window=0, tokens=None), AnswerSpan(window=1, tokens=(1, 3))]
    """
    refuse_wrong_type("encoding", encoding, Encoding, ENCODING_WANTED)
    for name, number in (("start", start), ("end", end)):
        refuse_wrong_type(name, number, Integral, WHOLE_NUMBER)
    encoding.window(sequence)  # raises, if there is no such text
    length = len(encoding.texts[sequence])
    if not 0 <= start <= end <= length:
        raise SettingError(
            name="stretch",
            value=(start, end),
            reason=Phrase("choose a start and an end from 0 to {length}, in order", length=length),
        )
    return [
        AnswerSpan(number, window.tokens_on(start, end, sequence))
        for number, window in enumerate([encoding, *encoding.overflowing])
    ]


def windows_with(encoding: Encoding, start: int, end: int, sequence: int = 1) -> list[int]:
    """The numbers of the windows with the characters `start` to `end` of a text; see `answer_spans`.

    0 is the encoding itself, and its overflowing ones follow. Raises SettingError.
    """
    return [span.window for span in answer_spans(encoding, start, end, sequence) if span.tokens is not None]


# --- Token classification: which characters an entity has ---------------------------------------------------

OUTSIDE: Final = "O"
"""The label of tokens outside all entities."""


class Entity(NamedTuple):
    """A stretch of a text with one label from a model."""

    label: str
    start: int
    end: int
    text: str
    sequence: int = 0


def split_label(label: str) -> tuple[bool, str]:
    """Whether a token's label always begins a new entity, and the entity's label.

    >>> split_label("B-PER"), split_label("I-PER"), split_label("PER")
    ((True, 'PER'), (False, 'PER'), (False, 'PER'))
    """
    return label.startswith("B-"), label[2:] if label.startswith(("B-", "I-")) else label


def group_entities(labels: Sequence[str], encoding: Encoding) -> list[Entity]:
    """The entities described by the labels, one label for each token of an encoding.

    Neighbours with the same label are one entity, and `B-` begins a new one; `O` ends an entity, and so does
    a template's token, whatever its label. The text of an entity is taken from the original by its offsets,
    so its spaces are right; spaces at its ends (from byte-level tokens) are not part of it. Source: the
    Hugging Face course, chapters 6 and 7. Raises LabelsError.

    >>> from tokenizers_core import Corpus, train_wordpiece
    >>> corpus = Corpus.from_texts(["Hugging Face"], pre_tokenizer="bert")
    >>> encoding = train_wordpiece(corpus, merges=8).tokenizer().encode("at Hugging  Face")
    >>> group_entities(["O" if word == 0 else "I-ORG" for word in encoding.word_ids], encoding)
    [Entity(label='ORG', start=3, end=16, text='Hugging  Face', sequence=0)]
    """
    refuse_no_texts("labels", labels)
    refuse_wrong_type("encoding", encoding, Encoding, ENCODING_WANTED)
    labels = [*labels]
    for label in labels:
        refuse_wrong_type("labels", label, str, "write each label as a str, such as 'I-PER'")
    if len(labels) != len(encoding):
        raise LabelsError(labels=len(labels), tokens=len(encoding))
    groups: list[tuple[str, int, list[Span]]] = []
    inside = False
    for label, sequence, span in zip(labels, encoding.sequence_ids, encoding.offsets, strict=True):
        if sequence is None or label == OUTSIDE:
            inside = False
            continue
        begins, name = split_label(label)
        if not inside or begins or groups[-1][:2] != (name, sequence):
            groups.append((name, sequence, []))
        groups[-1][2].append(span)
        inside = True
    entities = (_entity(label, sequence, spans, encoding) for label, sequence, spans in groups)
    return [entity for entity in entities if entity.text]


def _entity(label: str, sequence: int, spans: Sequence[Span], encoding: Encoding) -> Entity:
    """An entity of neighbouring tokens."""
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    text = encoding.texts[sequence][start:end]
    start += len(text) - len(text.lstrip())
    text = text.strip()
    return Entity(label, start, start + len(text), text, sequence)
