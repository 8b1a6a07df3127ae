"""Questions about the next step of a training run: which pair, which piece, how often, which score, how a word is split then.

All keys come from the trace. A pair that ties and loses by the tie rule is graded as tied; of pieces that cost the same, each is
right, for nothing but the order in the list decides between them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, Final, cast

from tokenizers_core.training.lattice import Lattice
from tokenizers_core.training.merge_trace import Candidate, MergeEvent, MergeTrace
from tokenizers_core.training.merging import merge_pair
from tokenizers_core.training.pruning import PruneEvent, RankedPiece
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import ScoredCandidate
from tokensteps.drawing.narration.merging import score_numbers, tell_rule
from tokensteps.drawing.narration.voice import Markup
from tokensteps.drawing.tokens import Style, chip, chips, fill, parts, readable
from tokensteps.language.i18n import N_, _, count, listed, ngettext, sentences
from tokensteps.language.names import choice_name
from tokensteps.language.numbers import chance, nats
from tokensteps.teaching.questions import (
    MARKERS,
    Choice,
    Entry,
    Question,
    Verdict,
    grade_choice,
    grade_number,
    grade_split,
    right,
    tied,
    wrong,
)

OPTIONS: Final = 200
"""Pairs to choose from: the best ones, in alphabetical order."""
PIECES: Final = 6
"""Pieces to choose from."""
WORD_LENGTH: Final = 24
"""Characters of a word that somebody is asked to split."""
EDGES: Final = 14
"""Pieces in a word that somebody is asked to split."""
SAME: Final = 1e-9
"""Nats that are rounding."""

Ask = Callable[[Any, int, Style], "Question | None"]
"""Asks about the step after a step of a trace; None where this can't be asked."""


# --- merging ----------------------------------------------------------------------------------------------------------


def ask_pair(trace: MergeTrace, step: int, style: Style) -> Question:
    """Which pair is merged next?"""
    event, candidates = _merge(trace, step), trace.candidates(step, OPTIONS)
    labels = {_label(candidate, style): candidate for candidate in candidates}
    chosen = candidates[0]
    voice = Markup(style)
    value = score_told if trace.algorithm == "wordpiece" else times_told
    because = fill(_("{pair}: {value}."), pair=voice.pair(chosen.pair), value=value(chosen, voice))
    if event.tied_count > 1:
        because = sentences(because, tell_rule(trace[step + 1], event, voice))

    def grade(answer: str) -> Verdict:
        yours = labels[answer]
        if answer == _label(chosen, style):
            return right(because)
        numbers = fill(
            _("{yours}: {your_value}; {pair}: {value}."),
            yours=voice.pair(yours.pair),
            your_value=value(yours, voice),
            pair=voice.pair(chosen.pair),
            value=value(chosen, voice),
        )
        if yours.tied:
            return tied(sentences(numbers, tell_rule(trace[step + 1], event, voice)))
        return wrong(numbers)

    options = tuple(sorted(labels))
    prompt = _("Which pair is merged next?")
    if trace.algorithm == "wordpiece":
        prompt = _("Which pair is merged next? The one with the highest score, pair / (first × second).")
    rule = _("When pairs tie: {rule}.").format(rule=choice_name("ties", trace.settings["tie_rule"]))
    return Question(
        "pair",
        f"{escape(prompt)} <small>{escape(rule)}</small>",
        Choice(options),
        _label(chosen, style),
        grade_choice(options, grade),
        because,
    )


def ask_count(trace: MergeTrace, step: int, style: Style) -> Question:
    """How often does the next pair stand?"""
    event, voice = _merge(trace, step), Markup(style)
    prompt = fill(
        _("{pair} is merged next. How often does it stand in the corpus now?"), pair=voice.pair(event.pair)
    )
    words = [
        fill(_("{word} × {number}"), word=chips(tokens, style), number=count(trace.word_frequencies[word]))
        for word, tokens in trace.splits(step, event.words[:6]).items()
    ]
    more = "" if len(event.words) <= len(words) else " …"
    where = fill(_("It stands in {words}"), words=listed(words) + more)
    return Question(
        "count",
        prompt,
        Entry(_("a number, such as 12")),
        str(event.freq),
        grade_number(event.freq, where, where, count(event.freq)),
        f"<b>{count(event.freq)}</b> {where}",
    )


def ask_score(trace: MergeTrace, step: int, style: Style) -> Question:
    """What is the next pair's score?"""
    event, voice = _merge(trace, step), Markup(style)
    chosen = cast(ScoredCandidate, event.candidates[0])
    prompt = fill(
        _("{pair} is merged next. What is its score, {formula}?"),
        pair=voice.pair(event.pair),
        formula=voice.fraction(_("pair"), _("first × second")),
    )
    told = fill(
        _(
            "{pair} stands {freq} times, {first} {first_freq} times and {second} {second_freq} times: {numbers} = {score}."
        ),
        pair=voice.pair(event.pair),
        freq=count(chosen.freq),
        first=chip(event.pair.first, style),
        first_freq=count(chosen.first_freq),
        second=chip(event.pair.second, style),
        second_freq=count(chosen.second_freq),
        numbers=score_numbers(chosen, voice),
        score=f"<b>{chosen.score}</b>",
    )
    return Question(
        "score",
        prompt,
        Entry(_("a fraction or a decimal, such as 5/(20 × 5)")),
        f"{chosen.freq}/({chosen.first_freq} × {chosen.second_freq})",
        grade_number(chosen.score, told, told, str(chosen.score)),
        told,
    )


def ask_merged_split(trace: MergeTrace, step: int, style: Style) -> Question | None:
    """How is a word split after the next merge?"""
    event, voice = _merge(trace, step), Markup(style)
    prefix = trace.prefix if trace.algorithm == "wordpiece" else ""
    word = next((word for word in event.words[:50] if _can_be_typed(trace, step, word, style)), None)
    if word is None:
        return None
    now, then = trace.splits(step, [word])[word], trace.splits(step + 1, [word])[word]
    pieces = shown(then, style, prefix)
    others = {
        shown(merge_pair(now, tie.pair, _joined(tie.pair, prefix)), style, prefix): tie.pair
        for tie in event.tied[1:]
    }
    told = fill(
        _("The merge was {pair}, so the word became {split}."),
        pair=voice.pair(event.pair),
        split=chips(then, style),
    )

    def compare(yours: tuple[str, ...]) -> Verdict:
        if yours in others:
            ties = fill(
                _("{pair} ties with {other}."),
                pair=voice.pair(others[yours]),
                other=voice.pair(event.pair),
            )
            return tied(sentences(ties, tell_rule(trace[step + 1], event, voice), told))
        if yours == shown(now, style, prefix):
            return wrong(sentences(escape(_("So it is split now.")), told))
        return wrong(sentences(fill(_("You cut it into {pieces}."), pieces=escape(" ".join(yours))), told))

    return Question(
        "split",
        fill(_("How will this word be split after the next merge? Now: {split}"), split=chips(now, style)),
        Entry(split_hint("".join(pieces))),
        " ".join(pieces),
        grade_split("".join(pieces), pieces, compare, prefix, told),
        told,
    )


def _joined(pair: tuple[str, str], prefix: str) -> str:
    """The token that a pair becomes."""
    return pair[0] + pair[1].removeprefix(prefix)


def _can_be_typed(trace: Any, step: int, word: str, style: Style) -> bool:
    """Whether a word is short, and its tokens are plain text, before and after: not so where a character is cut into bytes."""
    if len(word) > WORD_LENGTH:
        return False
    tokens = [*trace.splits(step, [word])[word], *trace.splits(step + 1, [word])[word]]
    return not any(part.named or "◌" in part.text for token in tokens for part in parts(token, style))


def split_hint(word: str) -> str:
    """How a split is typed."""
    if word[:1] in MARKERS:
        return _("with a space wherever it is cut, such as h ug s; {marker} may be left out").format(
            marker=word[:1]
        )
    return _("with a space wherever it is cut, such as h ug s")


def shown(tokens: Sequence[str], style: Style, prefix: str = "") -> tuple[str, ...]:
    """Tokens as a learner reads them, without continuation prefix.

    >>> shown(("h", "##ug"), Style(), "##"), shown(("Ġthe",), Style(byte_level=True))
    (('h', 'ug'), ('Ġthe',))
    """
    plain = [token.removeprefix(prefix) if place and prefix else token for place, token in enumerate(tokens)]
    return tuple(readable(token, style) for token in plain)


def times_told(candidate: Candidate | ScoredCandidate, _voice: Markup) -> str:
    """How often a pair stands."""
    return escape(
        ngettext("{number} time", "{number} times", candidate.freq).format(number=count(candidate.freq))
    )


def score_told(candidate: Candidate | ScoredCandidate, voice: Markup) -> str:
    """A pair's score, worked out."""
    scored = cast(ScoredCandidate, candidate)
    return f"{score_numbers(scored, voice)} = <b>{scored.score}</b>"


def _label(candidate: Candidate | ScoredCandidate, style: Style) -> str:
    return f"{readable(candidate.pair.first, style)} + {readable(candidate.pair.second, style)}"


def _merge(trace: MergeTrace, step: int) -> MergeEvent:
    return cast(MergeEvent, trace.event(step + 1))


# --- pruning ----------------------------------------------------------------------------------------------------------


def ask_piece(trace: UnigramTrace, step: int, style: Style) -> Question:
    """Which piece is pruned next?"""
    event = _prune(trace, step)
    offered = {readable(row.piece, style): row for row in offered_pieces(trace, event)}
    exact = trace.method == "course"
    because = cost_told(event.piece, event.loss, style)

    def grade(answer: str) -> Verdict:
        yours = offered[answer]
        if yours.piece == event.piece:
            return right(because)
        both = sentences(cost_told(yours.piece, yours.loss, style), because)
        if yours.loss <= event.loss + SAME:
            same = escape(_("They cost the same; which one goes first is only the list's order."))
            return right(sentences(both, same))
        return wrong(both)

    options = tuple(sorted(offered))
    prompt = _(
        "Which of these pieces goes next: which one does the corpus miss least? Of those that cost the same, any is right."
    )
    if not exact:
        prompt = _("Which of these pieces goes next: whose loss does SentencePiece estimate as the least?")
    return Question(
        "piece",
        escape(prompt) + probabilities(trace, step, [row.piece for row in offered.values()], style),
        Choice(options),
        readable(event.piece, style),
        grade_choice(options, grade),
        because,
    )


def offered_pieces(trace: UnigramTrace, event: PruneEvent) -> list[RankedPiece]:
    """The piece that goes, and some of those ranked behind it, evenly spaced."""
    first, last = event.place - 1, event.ranked - 1
    wanted = min(PIECES, last - first + 1)
    places = [first + round((last - first) * index / max(1, wanted - 1)) for index in range(wanted)]
    return [trace.ranking(event.round, place, place + 1)[0] for place in dict.fromkeys(places)]


def cost_told(piece: str, loss: float, style: Style) -> str:
    """What losing a piece costs."""
    if abs(loss) < SAME:
        return fill(_("Without {piece} the corpus costs no more."), piece=chip(piece, style))
    return fill(
        _("Without {piece} the corpus costs {loss} more."),
        piece=chip(piece, style),
        loss=f"<b>{nats(loss)}</b>",
    )


def probabilities(trace: UnigramTrace, step: int, pieces: Sequence[str], style: Style) -> str:
    """Pieces with their probabilities after a step, in one line."""
    model = trace.pieces_at(step)
    shown = [
        f'<span class="given">{chip(piece, style)} {chance(math.exp(model[piece]))}</span>'
        for piece in sorted(pieces, key=lambda piece: (-len(piece), piece))
    ]
    return f'<p class="givens">{"".join(shown)}</p>'


def ask_loss(trace: UnigramTrace, step: int, style: Style) -> Question | None:
    """By how much does the loss grow without the next piece? None unless a round begins, for only then the losses are worked out anew."""
    event = _prune(trace, step)
    if trace.method != "course" or event.place > 1:
        return None
    true = 0.0 if abs(event.loss) < SAME else event.loss
    users = [word for word, split in trace.splits(step, trace.corpus.words).items() if event.piece in split]
    inside = dict.fromkeys(edge.piece for word in users for edge in trace[step].lattice(word).edges)
    if len(inside) > EDGES:
        return None  # no sum to do by hand
    prompt = fill(
        _("{piece} goes next. By how much does the corpus's loss grow, in nats (natural logarithms)?"),
        piece=chip(event.piece, style),
    )
    if users:
        given = escape(_("The pieces in the words that use it, with their probabilities:"))
        prompt = sentences(prompt, given)
    told = sentences(cost_told(event.piece, event.loss, style), loss_told(trace, step, event.piece, style))
    return Question(
        "loss",
        prompt + probabilities(trace, step, [*inside], style),
        Entry(_("a number with two digits or more, such as 3.4")),
        nats(true).replace("−", "-"),
        grade_number(true, told, told, nats(true), by_hand=True),
        told,
    )


def loss_told(trace: UnigramTrace, step: int, piece: str, style: Style) -> str:
    """Which words need another split without a piece, and what that costs each of them: markup."""
    pieces = trace[step].pieces
    others = {other: log for other, log in pieces.items() if other != piece}
    told = []
    for word, split in trace[step].splits().items():
        if piece not in split:
            continue
        path = Lattice.build(word, others).best()
        if path is None:
            continue
        told.append(
            fill(
                _("{before} → {after}: {number} × ({cost_after} − {cost_before})."),
                before=f'<span class="row">{chips(split, style)}</span>',
                after=f'<span class="row">{chips(path.pieces, style)}</span>',
                number=count(trace.word_frequencies[word]),
                cost_after=f"{-path.log_probability:.4f}",
                cost_before=f"{-sum(pieces[part] for part in split):.4f}",
            )
        )
    return sentences(*told) or escape(_("No best split uses it: nothing changes."))


def ask_pruned_split(trace: UnigramTrace, step: int, style: Style) -> Question | None:
    """How is a word split when the next piece is gone?"""
    event = _prune(trace, step)
    words = [resplit.word for resplit in event.resplits[:20]] or _words_with(trace, step, event.piece)
    word = next((word for word in words if _can_be_typed(trace, step, word, style)), None)
    if word is None:
        return None
    after = trace[step + 1]
    then = after.splits([word])[word]
    pieces = shown(then, style)
    logs = {shown((piece,), style)[0]: log for piece, log in after.pieces.items() if piece in word}
    if any(piece not in logs for piece in pieces):
        return None  # a character that SentencePiece's way has pruned, to put it back at the end
    best = sum(logs[piece] for piece in pieces)
    told = fill(
        _("The most probable split without it is {split}: {chance}."),
        split=chips(then, style),
        chance=chance(math.exp(best)),
    )

    def compare(yours: tuple[str, ...]) -> Verdict:
        if any(piece not in logs for piece in yours):
            missing = next(piece for piece in yours if piece not in logs)
            unknown = fill(_("There is no piece {piece} then."), piece=f"<code>{escape(missing)}</code>")
            return wrong(sentences(unknown, told))
        mine = sum(logs[piece] for piece in yours)
        numbers = fill(_("Your split has the probability {chance}."), chance=chance(math.exp(mine)))
        return (right if mine > best - SAME else wrong)(sentences(numbers, told))

    prompt = fill(
        _(
            "{piece} goes next. How will {word} be split then? The pieces in it, with their probabilities then:"
        ),
        piece=chip(event.piece, style),
        word=f"<b>{escape(''.join(pieces))}</b>",
    )
    return Question(
        "split",
        prompt + probabilities(trace, step + 1, [piece for piece in after.pieces if piece in word], style),
        Entry(split_hint("".join(pieces))),
        " ".join(pieces),
        grade_split("".join(pieces), pieces, compare, told=told),
        told,
    )


def _words_with(trace: UnigramTrace, step: int, piece: str) -> list[str]:
    """Words that hold a piece, and few enough others to compare."""
    words = [word for word in trace.corpus.words[:500] if piece in word]
    return [word for word in words[:20] if len(trace[step].lattice(word).edges) <= EDGES]


def _prune(trace: UnigramTrace, step: int) -> PruneEvent:
    return cast(PruneEvent, trace.event(step + 1))


# --- which is asked ---------------------------------------------------------------------------------------------------

ASKS: Final[Mapping[str, Mapping[str, Ask]]] = {
    "bpe": {"pair": ask_pair, "count": ask_count, "split": ask_merged_split},
    "wordpiece": {"pair": ask_pair, "score": ask_score, "split": ask_merged_split},
    "unigram": {"piece": ask_piece, "loss": ask_loss, "split": ask_pruned_split},
}
"""What can be asked about a run of an algorithm; the first can be asked at every merge or prune."""
ASK_NAMES: Final[Mapping[str, str]] = {
    "mixed": N_("Ask by turns"),
    "pair": N_("The next pair"),
    "count": N_("How often it stands"),
    "score": N_("Its score"),
    "piece": N_("The next piece to go"),
    "loss": N_("What losing it costs"),
    "split": N_("How a word is split then"),
}


def next_asked(trace: Any, step: int) -> int | None:
    """The step, this one or a later one, after which a merge or a prune follows; None where none does."""
    if trace.algorithm != "unigram":
        return step if step < len(trace) else None
    kinds = trace.record.kinds
    return next((at - 1 for at in range(step + 1, len(kinds)) if kinds[at] == "prune"), None)


def on_screen(trace: MergeTrace, step: int) -> bool:
    """Whether the frame of this step, which lists the pairs before its merge, has the next pair's numbers already."""
    chosen = _merge(trace, step).candidates[0]
    if trace.algorithm == "wordpiece":
        scored = cast(ScoredCandidate, chosen)
        return scored.before == scored.score
    return step > 0 and chosen.change == 0


def question_after(trace: Any, step: int, kind: str, style: Style) -> Question:
    """The question about the step after `step` (see `next_asked`): of this kind where it can be asked, by turns for “mixed”."""
    asks = ASKS[trace.algorithm]
    usual, *_others = asks
    if kind not in asks:
        kind = [*asks][step % len(asks)]
        if kind in ("count", "score") and on_screen(trace, step):
            kind = usual
    question = asks[kind](trace, step, style)
    return question or cast(Question, asks[usual](trace, step, style))
