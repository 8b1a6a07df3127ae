"""BPE as SentencePiece trains it (`model_type=bpe`).

Differences from plain BPE: of equally frequent pairs the one with the shortest token is merged, and of
equally long ones the first in Unicode's order; a pair that spells an existing token is never merged (from
characters no second pair comes to spell one, but a special token can be spelled); no token mixes scripts or
has a space inside, and none is longer than 16 characters. Encoding merges any two neighbours that spell a
token, the token learned first going first.

Source: SentencePiece 0.2.3, bpe_model_trainer.cc and trainer_interface.cc; oracle: the library. It differs in
two respects. When no pair is left, it goes on with pairs that occurred before, and here training ends. And of
many thousand pairs it considers only the most frequent ones, so ties of rare pairs, late in a run, may come
in another order.

Around user-defined symbols, words begin as in a tokenizer.json: there the text is cut at symbols first and
the text after one begins with ▁, while SentencePiece puts the marks first. So a run is the library's on the
same text with a space behind each symbol.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tokenizers_core.encoding.models.lattice import MAX_PIECE_LENGTH
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.errors import SettingError
from tokenizers_core.text.corpus import Corpus, refuse_no_corpus
from tokenizers_core.text.splitting import SPACE_MARK
from tokenizers_core.trace import Growing
from tokenizers_core.training.bpe import (
    BpeTrace,
    Counts,
    bpe_merges,
    train_by_counts,
)
from tokenizers_core.training.merge_trace import MergeSnapshot
from tokenizers_core.training.merging import Merge, PairTable, Progress
from tokenizers_core.training.options.bounds import AGAIN, MIXED_SCRIPTS, UNKNOWN, Bounds
from tokenizers_core.training.options.limits import Limits
from tokenizers_core.training.unigram import script


def mixes(token: str) -> bool:
    """Whether a token has characters of several scripts, or a space inside.

    >>> [mixes(token) for token in ("▁hug", "hug▁", "hug5", "日本の", "a▁b", "e\u0301")]
    [False, False, True, False, True, False]
    """
    scripts = {script(character) for character in token if character != SPACE_MARK} - {"Inherited"}
    return len(scripts) > 1 or SPACE_MARK in token[1:-1]


class PieceBounds(Bounds):
    """The bounds in SentencePiece, which also exclude tokens made by another pair, and mixed scripts."""

    def reason(self, pair: PrivatePair | str, size: int | None = None) -> str:
        tokens = self.vocabulary.tokens
        there = self.vocabulary.ids.get(self.token(pair))
        if there is not None and there < (len(tokens) if size is None else size):
            return AGAIN
        return super().reason(pair)

    def _worked_out(self, pair: PrivatePair | str) -> str:
        if PieceBpeTrace.unk_token in self.vocabulary.read(Private(pair)):
            return UNKNOWN
        return super()._worked_out(pair) or (MIXED_SCRIPTS if mixes(self.token(pair)) else "")


class CountsByToken(Counts):
    """The values that rank pairs: their counts. A merge also ends the chances of other pairs with its
    token."""

    def __init__(self, table: PairTable, vocabulary: Vocabulary) -> None:
        super().__init__(table)
        self.vocabulary = vocabulary

    def update(self, merge: Merge) -> Collection[PrivatePair]:
        vocabulary = self.vocabulary
        pairs = spellings(vocabulary.tokens[ord(merge.token)], vocabulary)
        return {*merge.changes, *map(vocabulary.write_pair, pairs)}


def spellings(token: str, vocabulary: Vocabulary) -> Iterator[Pair]:
    """The pairs of tokens that spell a token.

    >>> [*spellings("hug", Vocabulary(["h", "u", "g", "ug", "hu", "hug"]))]
    [Pair(first='h', second='ug'), Pair(first='hu', second='g')]
    """
    for cut in range(1, len(token)):
        pair = Pair(token[:cut], token[cut:])
        if vocabulary.ids.keys() >= {*pair}:
            yield pair


def train_sentencepiece_bpe(
    corpus: Corpus,
    vocab_size: int | None = None,
    *,
    merges: int | None = None,
    min_frequency: int = 1,
    special_tokens: Sequence[str] = (),
    max_token_length: int = MAX_PIECE_LENGTH,
    initial_alphabet: Sequence[str] = (),
    character_coverage: float = 1.0,
    byte_fallback: bool = False,
    tie_rule: str = "shortest",
    alphabet: str = "corpus",
    end_of_word_suffix: str | None = None,
    progress: Progress | None = None,
    growing: Growing | None = None,
) -> PieceBpeTrace:
    """Train BPE as SentencePiece does, and record every step. The settings and errors are those of
    `train_bpe`; SettingError also for words in bytes. A character left out by `character_coverage` is `[UNK]`
    in its word; `initial_alphabet` is SentencePiece's `required_chars`.

    >>> corpus = Corpus.from_texts(["hug pug pun bun hugs"], pre_tokenizer="whitespace_split_metaspace")
    >>> trace = train_sentencepiece_bpe(corpus)
    >>> [snapshot.event.token for snapshot in trace[1:6]]
    ['ug', 'un', '▁h', '▁p', '▁hug']
    """
    refuse_no_corpus(corpus)
    if corpus.pipeline.byte_level:
        raise SettingError(
            name="pre_tokenizer",
            value="byte_level",
            reason="SentencePiece trains on characters and marks spaces; choose metaspace",
        )
    if character_coverage != 1:  # or 1.0; anything but a number is refused
        special_tokens = tuple(dict.fromkeys((*special_tokens, PieceBpeTrace.unk_token)))
    return train_by_counts(
        PieceBpeTrace,
        bpe_merges,
        corpus,
        vocab_size=vocab_size,
        merges=merges,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        tie_rule=tie_rule,
        alphabet=alphabet,
        end_of_word_suffix=end_of_word_suffix,
        progress=progress,
        growing=growing,
        limits=Limits(max_token_length, None, initial_alphabet, character_coverage),
        settings={"byte_fallback": True} if byte_fallback else {},
    )


@dataclass(frozen=True, eq=False, repr=False)
class PieceBpeTrace(BpeTrace):
    """A recorded run of `train_sentencepiece_bpe`."""

    kind: ClassVar[str] = "sentencepiece_bpe"
    bounds_of: ClassVar[type[Bounds]] = PieceBounds
    unknown_inside: ClassVar[str] = BpeTrace.unk_token

    def values(self, table: PairTable) -> Counts:
        return CountsByToken(table, self.vocabulary)

    def merges_to_encode(self, snapshot: MergeSnapshot) -> Sequence[Pair]:
        """All pairs that spell a token, in the tokens' learning order."""
        known = Vocabulary(snapshot.vocab)
        learned = (pair.first + pair.second for pair in snapshot.merges)
        return [pair for token in learned for pair in spellings(token, known)]
