"""Questions about the next prune: the piece, its cost, the split of a word after it.

Of pieces with equal cost, each is right: only their order in the list decides between them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from tokenizers_core.encoding.models.lattice import Lattice
from tokenizers_core.training.pruning import PruneEvent, RankedPiece
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.drawing.tokens import Style, chip, chips, fill, readable
from tokensteps.language.i18n import _, count, sentences
from tokensteps.language.numbers import chance, nats
from tokensteps.teaching.events import prune_at
from tokensteps.teaching.questions import (
    Board,
    Choice,
    Entry,
    Question,
    Verdict,
    bound_text,
    grade_choice,
    grade_number,
    grade_split,
    near_by_hand,
    right,
    symbol_sentence,
    wrong,
)
from tokensteps.teaching.slips.unigram import ROUNDING, ResplitWord, choosing_slip, loss_slips, split_slip
from tokensteps.teaching.splitting import as_read, can_be_typed, split_hint, symbol_after, with_symbol

PIECES_OFFERED: Final = 6
"""Pieces to choose from."""
MOST_EDGES: Final = 14
"""Pieces in a word to split by hand: more would be tedious."""


def ask_piece(trace: UnigramTrace, step: int, style: Style) -> Question:
    """Which piece is pruned next?"""
    event = prune_at(trace, step + 1)
    offered = {readable(row.piece, style): row for row in offered_pieces(trace, event)}
    exact = trace.method == "course"
    because = cost_sentence(event.piece, event.loss, style)

    def grade(answer: str) -> Verdict:
        yours = offered[answer]
        if yours.piece == event.piece:
            return right(because)
        mine = cost_sentence(yours.piece, yours.loss, style)
        both = sentences(mine, because)
        if yours.loss <= event.loss + ROUNDING:
            same = escape(_("They cost the same; only their order in the list decides which goes first."))
            return right(sentences(both, same))
        return wrong(both, mine, piece_slip(trace, step, yours.piece, [*offered.values()]))

    options = tuple(sorted(offered))
    prompt = _(
        "Which of these pieces is pruned next: which is missed least? If several cost the same, any of them is right."
    )
    if not exact:
        prompt = _("Which of these pieces is pruned next: whose loss is lowest by SentencePiece's estimate?")
    pieces = [offered[option].piece for option in options]
    return Question(
        "piece",
        sentences(escape(prompt), escape(_("The pieces with their probabilities:")))
        + probabilities(trace, step, pieces, style),
        Choice(options),
        readable(event.piece, style),
        grade_choice(options, grade),
        because,
        _least_sentence(event.loss),
    )


def offered_pieces(trace: UnigramTrace, event: PruneEvent) -> list[RankedPiece]:
    """The next pruned piece, and some others ranked behind it, evenly spaced."""
    first, last = event.rank - 1, event.ranked - 1
    wanted = min(PIECES_OFFERED, last - first + 1)
    positions = [first + round((last - first) * index / max(1, wanted - 1)) for index in range(wanted)]
    return [trace.ranking(event.round, position, position + 1)[0] for position in dict.fromkeys(positions)]


def cost_sentence(piece: str, loss: float, style: Style) -> str:
    """The cost of losing a piece."""
    if abs(loss) < ROUNDING:
        return fill(_("Without {piece}, the corpus costs no more."), piece=chip(piece, style))
    return fill(
        _("Without {piece}, the corpus costs {loss} more."),
        piece=chip(piece, style),
        loss=f"<b>{nats(loss)}</b>",
    )


def _least_sentence(loss: float) -> str:
    """The cost of the next pruned piece, without its name: markup."""
    if abs(loss) < ROUNDING:
        return escape(_("Losing the piece that goes costs nothing."))
    return fill(_("Losing the piece that goes costs {loss}."), loss=f"<b>{nats(loss)}</b>")


def piece_slip(trace: UnigramTrace, step: int, yours: str, offered: Sequence[RankedPiece]) -> str:
    """The mistake behind a wrong piece; "" if none is known."""
    model = trace.pieces_at(step)
    types: dict[str, float] = {}
    if (
        trace.method == "course" and prune_at(trace, step + 1).rank == 1
    ):  # otherwise the losses are an earlier model's
        types = {
            row.piece: sum(word.after - word.before for word in resplits(trace, step, row.piece))
            for row in offered
        }
    return choosing_slip(
        yours,
        {row.piece: model[row.piece] for row in offered},
        {row.piece: row.loss for row in offered},
        types,
    )


def probabilities(trace: UnigramTrace, step: int, pieces: Sequence[str], style: Style) -> str:
    """Pieces and unknown characters with their probabilities after a step, in one line. A no-break space ties
    each number to its piece, in a live class, too."""
    model, unknown = trace.pieces_at(step), trace[step].unknown
    items = [
        f'<span class="given">{chip(piece, style)}\u00a0{chance(math.exp(model.get(piece, unknown)))}</span>'
        for piece in pieces
    ]
    return f'<p class="givens">{"".join(items)}</p>'


def longest_first(pieces: Iterable[str]) -> list[str]:
    return sorted(pieces, key=lambda piece: (-len(piece), piece))


def ask_loss(trace: UnigramTrace, step: int, style: Style) -> Question | None:
    """By how much does the loss grow without the next piece? None unless a round begins: only then are the
    losses computed."""
    event = prune_at(trace, step + 1)
    if trace.method != "course" or event.rank > 1:
        return None
    true = 0.0 if abs(event.loss) < ROUNDING else event.loss
    users = [word for word, split in trace.splits(step, trace.corpus.words).items() if event.piece in split]
    inside = dict.fromkeys(edge.piece for word in users for edge in trace[step].lattice(word).edges)
    if len(inside) > MOST_EDGES:
        return None  # too long a sum to do by hand
    prompt = fill(
        _("{piece} is pruned next. How much does the corpus's loss grow, in nats (natural logarithms)?"),
        piece=chip(event.piece, style),
    )
    if users:
        value = escape(_("The pieces in the words that use it, with their probabilities:"))
        prompt = sentences(prompt, value)
    narration = sentences(
        cost_sentence(event.piece, event.loss, style), loss_sentences(trace, step, event.piece, style)
    )
    return Question(
        "loss",
        prompt + probabilities(trace, step, longest_first(inside), style),
        Entry(_("a number with at least two digits")),
        nats(true).replace("−", "-"),
        grade_number(
            true,
            narration,
            narration,
            nats(true),
            by_hand=True,
            slips=lambda: loss_slips([*resplits(trace, step, event.piece)]),
        ),
        narration,
        loss_sentences(trace, step, event.piece, style),
        near=near_by_hand(true),
    )


def resplits(trace: UnigramTrace, step: int, piece: str) -> Iterator[ResplitWord]:
    """The words with another split without a piece."""
    pieces, unknown = trace[step].pieces, trace[step].unknown
    others = {other: log for other, log in pieces.items() if other != piece}
    for word, split in trace[step].splits().items():
        path = Lattice.build(word, others, unknown).best() if piece in split else None
        if path is not None:
            before = -sum(pieces.get(part, unknown) for part in split)
            yield ResplitWord(trace.word_frequencies[word], before, -path.log_probability, split, path.pieces)


def loss_sentences(trace: UnigramTrace, step: int, piece: str, style: Style) -> str:
    """The words with another split without a piece, and the cost for each: markup."""
    lines = [
        fill(
            _("{before} → {after}: {number} × ({cost_after} − {cost_before})."),
            before=f'<span class="row">{chips(word.split, style)}</span>',
            after=f'<span class="row">{chips(word.split_after, style)}</span>',
            number=count(word.number),
            cost_after=f"{word.after:.4f}",
            cost_before=f"{word.before:.4f}",
        )
        for word in resplits(trace, step, piece)
    ]
    return sentences(*lines) or escape(_("No best split uses it: nothing changes."))


def ask_pruned_split(trace: UnigramTrace, step: int, style: Style) -> Question | None:
    """How is a word split when the next piece is gone?"""
    event = prune_at(trace, step + 1)
    words = [resplit.word for resplit in event.resplits[:20]] or _words_with(trace, step, event.piece)
    after = trace[step + 1]
    typed = (word for word in words if can_be_typed(trace, step, word, style))
    # SentencePiece's method prunes characters, restored at the end; others are unknown from the start.
    known = (word for word in typed if after.pieces.keys() >= {*after.splits([word])[word]})
    word = next(known, None)
    if word is None:
        return None
    then = after.splits([word])[word]
    pieces = as_read(then, style)
    logs = {as_read((piece,), style)[0]: log for piece, log in after.pieces.items() if piece in word}
    behind, longest = symbol_after(trace, word), trace.settings["max_piece_length"]
    best = sum(logs[piece] for piece in pieces)
    text = fill(
        _("The most probable split without it is {split}: {chance}."),
        split=chips(then, style),
        chance=chance(math.exp(best)),
    )
    text = sentences(text, symbol_sentence(behind, style))

    def compare(yours: tuple[str, ...]) -> Verdict:
        if any(piece not in logs for piece in yours):
            missing = next(piece for piece in yours if piece not in logs)
            unknown = fill(_("By then there is no piece {piece}."), piece=f"<code>{escape(missing)}</code>")
            if len(missing) > longest:
                unknown = sentences(unknown, escape(bound_text(longest)))
            slip = "pruned_piece" if missing == as_read((event.piece,), style)[0] else ""
            return wrong(sentences(unknown, text), unknown, slip)
        mine = sum(logs[piece] for piece in yours)
        numbers = fill(_("Your split has probability {chance}."), chance=chance(math.exp(mine)))
        if mine > best - ROUNDING:
            return right(sentences(numbers, text))
        weights = {piece: math.exp(log) for piece, log in logs.items()}
        return wrong(sentences(numbers, text), numbers, split_slip("".join(pieces), yours, weights))

    prompt = fill(
        _(
            "{piece} is pruned next. How will {word} be split then? The pieces in it, with their probabilities then:"
        ),
        piece=chip(event.piece, style),
        word=f"<b>{escape(''.join(pieces) + behind)}</b>",
    )
    return Question(
        "split",
        prompt
        + probabilities(
            trace, step + 1, longest_first(piece for piece in after.pieces if piece in word), style
        ),
        Entry(split_hint("".join(pieces))),
        " ".join(with_symbol(pieces, behind)),
        grade_split("".join(pieces), pieces, compare, explanation=text, behind=behind, style=style),
        text,
        fill(
            _("The most probable split without it has probability {chance}."), chance=chance(math.exp(best))
        ),
        Board(
            "".join(pieces) + behind,
            {piece: chance(math.exp(log)) for piece, log in logs.items()}
            | ({behind: _("kept whole")} if behind else {}),
        ),
    )


def _words_with(trace: UnigramTrace, step: int, piece: str) -> list[str]:
    """Words with a piece, and few enough other pieces to compare."""
    words = [word for word in trace.corpus.words[:500] if piece in word]
    return [word for word in words[:20] if len(trace[step].lattice(word).edges) <= MOST_EDGES]
