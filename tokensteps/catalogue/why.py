"""Why a tokenizer makes these tokens of a word: the stages before the model, each with its result, and the
model's own steps.

For a tokenizer from elsewhere, the stages are the `tokenizers` library's own components, called one after the
other, so all of the library's are supported: compiled character maps, prefixes, any pattern. The model's
steps are the engine's, on the merges, the vocabulary and the scores of the file; the library's tokens of the
same word are recorded beside them where they differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from tokenizers import PreTokenizedString, Tokenizer

from tokenizers_core.encoding.added import Segment
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.encoding.reasons import Join
from tokenizers_core.encoding.tokenizer import Tokenizer as OurTokenizer
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.files.writer import END_MARK
from tokenizers_core.text.normalizers import normalized_text
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.trace import StoredTrace, Trace
from tokenizers_core.training.kinds.pickybpe import PickyModel
from tokensteps.catalogue.files.documents import Document, bpe_model, new_document
from tokensteps.catalogue.flow import added_in, text_flow
from tokensteps.limits import STEPS_SENT, WHY_WORD


class StageDone(NamedTuple):
    """A stage before the model, and its result."""

    stage: str
    """added (tokens cut out first), normalizer or pre_tokenizer."""
    name: str
    """The library's name for its kind, or the engine's."""
    texts: tuple[str, ...]
    """The stretches of text after it."""


class WordStory(NamedTuple):
    """A word on its way through the model."""

    algorithm: str
    """bpe, wordpiece or unigram."""
    word: str
    tokens: tuple[str, ...]
    """As the vocabulary writes them."""
    ends: tuple[int, ...]
    """Where each of them ends in the word, in characters as the model sees them."""
    steps: Trace[Any]
    """The encoding, step by step: its beginning, where it is long."""
    symbols: tuple[str, ...] = ()
    """The symbols before BPE's first merge,"""
    joins: tuple[Join, ...] = ()
    """and the merges, one place after the other, whether or not the word is taken whole."""
    prefix: str = ""
    suffix: str = ""
    joined: bool = False
    """Whether the suffix is a part of the last token."""
    by_id: bool = False
    """Whether ranks are the ids of the merged tokens, as in a .tiktoken file."""
    library: tuple[str, ...] = ()
    """The library's own tokens, where they differ."""

    @property
    def whole(self) -> bool:
        """Whether the word was taken as it is, though it has more symbols: merges are ignored then."""
        return len(self.tokens) == 1 and len(self.symbols) > 1 and not len(self.steps)


class Explanation(NamedTuple):
    """A text's stages before the model, and one of its words in the model."""

    stages: tuple[StageDone, ...]
    words: tuple[str, ...]
    """The model's input; added tokens are among them."""
    nth: int = 0
    """The index of the examined word."""
    story: WordStory | None = None
    """None for an added token, without words, and where `lacking` says why."""
    lacking: TokenizersCoreError | None = None
    """The model's part that the engine lacks."""
    foreign: bool = True
    """Whether the stages are the library's."""


def story_of(model: Model, word: str) -> WordStory:
    """A word's encoding by a model of the engine.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> story = story_of(
    ...     train_bpe(Corpus.from_counts({"hug": 10, "pug": 5}), merges=1).tokenizer().model, "hug"
    ... )
    >>> story.tokens, story.ends, story.joins
    (('h', 'ug'), (1, 3), (Join(rank=0, start=1, middle=2, end=3),))
    """
    steps: Trace[Any] = model.explain(word)
    if len(steps) > STEPS_SENT:
        steps = StoredTrace(word, tuple(steps[: STEPS_SENT + 1]), "cut")
    tokens = tuple(model.vocabulary.tokens[identifier] for identifier in model.encode_word(word))
    ends = tuple(end for _start, end in model.spans(word))
    if isinstance(model, BpeModel):
        spelling = model.spelling(word)
        return WordStory(
            "bpe", word, tokens, ends, steps, spelling.symbols, tuple(spelling.joins(0, len(spelling.symbols))),
            model.vocabulary.prefix, model.suffix, model.options.suffix_joined, model.rank_is_id,
        )  # fmt: skip
    if isinstance(model, PickyModel):
        return WordStory("pickybpe", word, tokens, ends, steps, model.split(word), (), "", model.suffix)
    name = "wordpiece" if isinstance(model, WordPieceModel) else "unigram"
    return WordStory(name, word, tokens, ends, steps, prefix=model.vocabulary.prefix)


def explained_by_engine(tokenizer: OurTokenizer, text: str, index: int) -> Explanation:
    """A text through a tokenizer of the engine, and the word at `index`. Raises the errors of encoding."""
    pipeline = tokenizer.pipeline
    segments = [*tokenizer.segments(text)]
    stored = [(one.text, one.special) for one in segments]
    special = any(one.special for one in segments)
    stages = [StageDone("added", "", tuple(one for one, _ in stored))] if special else []
    names = pipeline.normalizer
    for name in (names,) if isinstance(names, str) else names:
        stored = [(one if special else normalized_text(one, (name,)), special) for one, special in stored]
        if name != "none":
            stages.append(StageDone("normalizer", part_name(name), tuple(one for one, _ in stored)))
    cutters = pipeline.pre_tokenizer
    name = cutters if isinstance(cutters, str) else " → ".join(map(part_name, cutters))
    for number, cut in enumerate((name, *map(part_name, pipeline.cuts))):  # each further cut is a stage
        words = cut_words(segments, replace(pipeline, cuts=pipeline.cuts[:number]))
        shown = tuple(word for word, _ in words)
        stages.append(StageDone("pre_tokenizer", cut, shown))
    explanation = Explanation(tuple(stages), shown, foreign=False)
    return _with_story(explanation, words, index, lambda: tokenizer.model)


def explained_by_library(
    tokenizer: Tokenizer, text: str, index: int, model: Callable[[], Model], marked: bool
) -> Explanation:
    """A text through a tokenizer of the library, and the word at `index` through the engine's `model` of its
    file.

    With `marked`, END_MARK means `</w>`. Raises the library's errors.
    """
    [encoding] = tokenizer.encode_batch([text], add_special_tokens=False)
    cut = [*added_in(tokenizer, text, encoding)]
    flow = text_flow(tokenizer, text, encoding)
    words = [(word, (start, end) in cut) for word, start, end in flow.words]
    stages = [*_foreign_stages(tokenizer, text, cut)]
    shown = tuple(word for word, _ in words)
    if (stages[-1].texts if stages else (text,)) != shown:
        # A step may depend on a stretch's neighbours: then the library's combined result is shown.
        name = " → ".join(one.name for one in stages if one.stage == "pre_tokenizer")
        stages = [one for one in stages if one.stage != "pre_tokenizer"]
        stages.append(StageDone("pre_tokenizer", name, shown))
    unmarked = [
        (word.removesuffix(END_MARK), special) if marked else (word, special) for word, special in words
    ]
    result = _with_story(Explanation(tuple(stages), shown), unmarked, index, model)
    if result.story is None:
        return result
    theirs = tuple(token.value for token in tokenizer.model.tokenize(words[result.nth][0]))
    if marked:
        theirs = tuple(token.replace(END_MARK, result.story.suffix) for token in theirs)
    return (
        result
        if theirs == result.story.tokens
        else result._replace(story=result.story._replace(library=theirs))
    )


def cut_words(segments: Iterable[Segment], pipeline: Pipeline) -> list[tuple[str, bool]]:
    """The words of a text's segments, each with whether it is an added token."""
    words: list[tuple[str, bool]] = []
    for segment in segments:
        results = [segment.text] if segment.special else pipeline.split(segment.text)
        words += [(word, segment.special) for word in results]
    return words


def part_name(part: object) -> str:
    """The name of a normalizer's or a pre-tokenizer's part: the engine's own, or the kind in a file.

    >>> from tokenizers_core.text.rewriting import Prepend
    >>> part_name("nfc"), part_name(Prepend("▁"))
    ('nfc', 'Prepend')
    """
    return part if isinstance(part, str) else type(part).__name__


def _with_story(
    explanation: Explanation, words: Sequence[tuple[str, bool]], index: int, model: Callable[[], Model]
) -> Explanation:
    """With the story of one word: if there is none at `index`, the longest except added tokens, the first of
    several."""
    if not 0 <= index < len(words):
        own = [at for at, (_word, special) in enumerate(words) if not special]
        index = max(own, key=lambda at: len(words[at][0]), default=0)
    explanation = explanation._replace(nth=index)
    if not words or words[index][1] or len(words[index][0]) > WHY_WORD:
        return explanation
    try:
        return explanation._replace(story=story_of(model(), words[index][0]))
    except TokenizersCoreError as error:
        return explanation._replace(lacking=error)


def _foreign_stages(tokenizer: Tokenizer, text: str, cut: Sequence[tuple[int, int]]) -> Iterator[StageDone]:
    """Each step of the library's normalizer and pre-tokenizer, by itself, on the text between the added
    tokens."""
    edges = sorted({0, len(text), *(edge for span in cut for edge in span)})
    stored = [(text[start:end], (start, end) in cut) for start, end in pairwise(edges)]
    if cut:
        yield StageDone("added", "", tuple(one for one, _ in stored))
    for part in _parts(tokenizer.normalizer, "normalizers"):
        step = _alone("normalizer", part).normalizer
        stored = [(one if special else step.normalize_str(one), special) for one, special in stored]
        yield StageDone("normalizer", str(part["type"]), tuple(one for one, _ in stored))
    for part in _parts(tokenizer.pre_tokenizer, "pretokenizers"):
        cutter = _alone("pre_tokenizer", part).pre_tokenizer
        stored = [
            (piece, special)
            for one, special in stored
            for piece in ([one] if special else _cut_by(cutter, one))
        ]
        yield StageDone("pre_tokenizer", str(part["type"]), tuple(one for one, _ in stored))


def _cut_by(cutter: Any, text: str) -> list[str]:
    result = PreTokenizedString(text)
    cutter.pre_tokenize(result)
    return [piece for piece, _span, _tokens in result.get_splits() if piece]


def _parts(component: Any, within: str) -> Iterator[Document]:
    """A component's steps, as a tokenizer.json has them."""
    waiting = [] if component is None else [json.loads(component.__getstate__())]
    while waiting:
        part = waiting.pop(0)
        if part.get("type") == "Sequence":
            waiting[:0] = part[within]
        else:
            yield part


def _alone(stage: str, part: Document) -> Tokenizer:
    """A tokenizer with nothing but one component."""
    return Tokenizer.from_str(json.dumps(new_document(bpe_model({}, [])) | {stage: part}))
