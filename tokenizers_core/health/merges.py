"""Whether merges can lead to a token.

BPE makes a token out of neighbouring symbols, and meanwhile nothing is merged across the token's edges: such
a merge would still be there at the end. So inside these edges the merges are the same as for these symbols
alone: of all pairs the lowest rank goes first, of equal ones the leftmost, and both are the same whether or
not there are others outside. Hence a token is in some word's encoding only if its own symbols, alone, become
that one token. (Not its own *text*: that has a word's beginning and end, and perhaps a space in front.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tokenizers_core.encoding.models.bpe import BpeModel, lowest_rank_pair
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.vocabulary import Private
from tokenizers_core.health.verdicts import OPEN, Verdict
from tokenizers_core.lazy import cached_property

_BYTE: Final = re.compile("<0x[0-9A-F]{2}>")
_BYTES_IN_A_ROW: Final = re.compile(f"(?:{_BYTE.pattern})+")


class MergeProofs:
    """Proofs about the tokens of one BPE model."""

    def __init__(self, model: BpeModel) -> None:
        self.model = model

    @cached_property
    def makers(self) -> dict[str, list[tuple[int, Pair]]]:
        """Token → its merges, each with its rank; the lowest rank first."""
        prefix, result = self.model.vocabulary.prefix, dict[str, list[tuple[int, Pair]]]()
        for rank, pair in enumerate(self.model.merges):
            result.setdefault(pair.first + pair.second.removeprefix(prefix), []).append((rank, pair))
        return result

    def spellings(self, token: str) -> Iterator[tuple[str, ...]]:
        """All possible sequences of a token's symbols: its place in the word decides.

        >>> list(MergeProofs(BpeModel(["a", "##b", "##ab"], [], prefix="##")).spellings("##ab"))
        [('#', '###', '##a', '##b'), ('##a', '##b')]
        """
        options, prefix, suffix = self.model.options, self.model.vocabulary.prefix, self.model.suffix
        if options.byte_fallback and _BYTES_IN_A_ROW.fullmatch(token):
            yield tuple(_BYTE.findall(token))
        inside = [(token, False)]
        if prefix and token.startswith(prefix):
            inside.append((token.removeprefix(prefix), True))
        for body, is_inside in inside:
            ended = [(body, "")]
            if suffix and body.endswith(suffix):
                ended.append((body.removesuffix(suffix), suffix))
            for letters, end in ended:
                symbols = [
                    (prefix if index or is_inside else "") + letter for index, letter in enumerate(letters)
                ]
                if end and not options.suffix_joined:
                    symbols.append(end)
                elif end and symbols:
                    symbols[-1] += end
                if symbols:
                    yield tuple(symbols)

    def ruled_out(self, token: str) -> Verdict:
        """Why no word's encoding has this token; OPEN if some word's may."""
        model = self.model
        if model.options.ignore_merges or (model.unk_token and model.unk_token in token):
            return OPEN  # a whole word may be the token, and the unknown token is a symbol, too
        if model.options.byte_fallback and _BYTE.search(token) and not _BYTES_IN_A_ROW.fullmatch(token):
            return OPEN  # characters and bytes could be mixed in more ways than one
        result = OPEN
        for symbols in self.spellings(token):
            verdict = self._alone(token, symbols)
            if verdict is OPEN:
                return OPEN
            if result is OPEN or result.kind == "symbol":  # the likelier way of spelling says more
                result = verdict
        return result

    def _alone(self, token: str, symbols: tuple[str, ...]) -> Verdict:
        """The verdict on these symbols alone; OPEN if they become the token."""
        known = self.model.vocabulary.ids
        for symbol in symbols:
            if symbol not in known:
                return Verdict("symbol", symbol)
        steps = [symbols]
        applied: list[tuple[int, Pair]] = []
        while (step := self._next(steps[-1])) is not None:
            after, rank, pair = step
            steps.append(after)
            applied.append((rank, pair))
        if steps[-1] == (token,):
            return OPEN
        makers = self.makers.get(token)
        if not makers:
            return Verdict("unmerged", instead=steps[-1])
        own_rank, own = makers[0]
        crossing = self._crossing(own, steps, applied)
        if crossing is not None:
            rank, pair = crossing
            return Verdict(
                "earlier", instead=steps[-1], pair=(pair.first, pair.second), rank=rank, own_rank=own_rank
            )
        missing = next((part for part in own if part not in steps[-1]), own.first)
        return Verdict("part", missing, steps[-1], (own.first, own.second), own_rank=own_rank)

    def _next(self, symbols: tuple[str, ...]) -> tuple[tuple[str, ...], int, Pair] | None:
        """The symbols after the merge of lowest rank, the rank, and the pair; None when no merge is left."""
        model, vocabulary = self.model, self.model.vocabulary
        text = vocabulary.write(symbols)
        pair = lowest_rank_pair(text, model.ranks)
        if pair is None:
            return None
        after = Private(text.replace(pair, model.merged[pair], model.places))
        return vocabulary.read(after), model.ranks[pair], Pair(*vocabulary.read(pair))

    def _crossing(
        self, own: Pair, steps: list[tuple[str, ...]], applied: list[tuple[int, Pair]]
    ) -> tuple[int, Pair] | None:
        """The first merge across the place where the token's two parts should meet."""
        position = self._length(own.first)
        for after, merge in zip(steps[1:], applied, strict=True):
            edges, at = {0}, 0
            for symbol in after:
                at += self._length(symbol)
                edges.add(at)
            if position not in edges:
                return merge
        return None

    def _length(self, token: str) -> int:
        """How many characters of a row of symbols a token takes; a prefix counts for none, wherever it is."""
        return len(token.removeprefix(self.model.vocabulary.prefix))
