"""Whether Unigram's best split can have a piece.

The best split of a word is made of the best splits of its stretches: if one of a stretch's other splits were
better than the piece, it would be better in the whole word, too. So a piece that loses against another split
of its own characters loses in every text, by the same number of nats.
"""

from __future__ import annotations

from typing import Final

from tokenizers_core.encoding.models.unigram import UnigramModel, best_split, lattice_edges
from tokenizers_core.health.verdicts import OPEN, Verdict

CLEAR: Final = 1e-6
"""Nats from which one split is better than another whatever rounding does: sums of a word's scores are off by
less than a billionth."""


def outdone(model: UnigramModel, piece: str) -> Verdict:
    """Why no text has this piece; OPEN if some may.

    >>> model = UnigramModel(["<unk>", "h", "ug", "hug"], {"h": -1.0, "ug": -2.0, "hug": -5.0})
    >>> outdone(model, "hug")
    Verdict(kind='better', text='', instead=('h', 'ug'), pair=('', ''), rank=0, own_rank=0, nats=2.0, limit=0)
    >>> outdone(model, "ug").kind
    'open'
    """
    if piece not in model.pieces or len(piece) < 2:
        return OPEN
    parts = sorted(
        {
            part
            for start in range(len(piece))
            for end in range(start + 1, len(piece) + 1)
            if (part := piece[start:end]) in model.pieces and part != piece
        }
    )
    numbers = {part: number for number, part in enumerate(parts)}
    scores = [*(model.pieces[part] for part in parts), model.unknown]
    best = best_split(lattice_edges(piece, numbers, model.max_length, len(parts)), scores)
    nats = best.log_probability - model.pieces[piece]
    if nats <= CLEAR:
        return OPEN
    return Verdict(
        "better", instead=tuple([*parts, model.unk_token][number] for number in best.pieces), nats=nats
    )
