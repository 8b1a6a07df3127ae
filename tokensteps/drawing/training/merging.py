"""Snapshot → frame for BPE and WordPiece: the merge, the words, its candidates, the vocabulary.

A frame is a pure function of its snapshot, the style and the language in use. Its sentences are in
`drawing/narration/`, the panel of pairs in `candidates`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from html import escape
from itertools import pairwise
from typing import Final, TypeVar

from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.training.kinds.paritybpe import ParityTrace
from tokenizers_core.training.kinds.pickybpe import RemoveEvent
from tokenizers_core.training.kinds.superbpe import SuperTrace
from tokenizers_core.training.merge_trace import (
    MergeEvent,
    MergeSnapshot,
    MergeTrace,
    RuleEvent,
    StartEvent,
)
from tokenizers_core.training.wordpiece import WordPieceSnapshot
from tokensteps.drawing.code_steps import code_attributes, merge_beats
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.errata import wordpiece_erratum
from tokensteps.drawing.narration.merging import tell_bpe, tell_wordpiece
from tokensteps.drawing.narration.text_format import Marked, Narration, Plain, TextFormat
from tokensteps.drawing.stage_markup import (
    WORD_ROWS,
    cut_mark,
    frequency_text,
    heading,
    rows_html,
    stage_html,
    start_label,
    strip_html,
    word_html,
    words_count,
    words_shown,
)
from tokensteps.drawing.tokens import Style, chip, chips, lit_chip, lit_id, removed_label, token_html
from tokensteps.drawing.training.candidates import (
    COUNT_TABLE,
    SCORE_TABLE,
    PairTable,
    answer_attributes,
    listed_pairs,
    pairs_panel,
    question_panel,
)
from tokensteps.drawing.training.languages import languages_panel
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.language.marks import first_marks

TOKENS_IN_ROW: Final = 48
"""A longer word is cut around the changed place, and the cut is shown."""
VOCABULARY_CHIPS: Final = 60

SomeSnapshot = TypeVar("SomeSnapshot", bound=MergeSnapshot)


def merge_frame(snapshot: MergeSnapshot, style: Style, ahead: bool = True, quiz: bool = False) -> Frame:
    """The frame of one step of BPE; with `ahead=False` it gives nothing away of the next step, for a question
    about it (`quiz`)."""
    above = languages_panel(snapshot)
    return training_frame(snapshot, style, tell_bpe, COUNT_TABLE, ahead=ahead, quiz=quiz, above=above)


def wordpiece_frame(
    snapshot: WordPieceSnapshot, style: Style, ahead: bool = True, quiz: bool = False
) -> Frame:
    """The frame of one step of WordPiece, as in `merge_frame`; its erratum names a pair of a later merge."""
    aside = wordpiece_erratum(snapshot, style) if ahead else ""
    return training_frame(snapshot, style, tell_wordpiece, SCORE_TABLE, aside, ahead, quiz)


def training_frame(
    snapshot: SomeSnapshot,
    style: Style,
    tell: Callable[[SomeSnapshot, TextFormat, bool], Narration],
    table: PairTable,
    aside: str = "",
    ahead: bool = True,
    quiz: bool = False,
    above: str = "",
) -> Frame:
    """The frame of one step of training by merging.

    `table` lists its pairs; `aside` is markup to show under the words, `above` over them. Without `ahead`,
    nothing is said about the next merge's candidates; with a question about that (`quiz`), they are listed
    without a hint at the answer.
    """
    event = snapshot.event
    lead, why = tell(snapshot, Marked(style), ahead)
    html = stage_html(
        f'{lead}</p><p class="why">{why}',
        above + words_panel(snapshot, style, listed_pairs(snapshot, ahead), quiz) + aside,
        pairs_panel(snapshot, table, style) if ahead else question_panel(snapshot, table, style, quiz),
        code_attributes(merge_beats(snapshot, style)),
    ) + vocabulary_strip(snapshot, style)
    return Frame(
        first_marks(html),
        sentences(*tell(snapshot, Plain(style), ahead)),
        step_label(event, style),
        vocabulary_status(snapshot),
    )


def step_label(event: StartEvent | MergeEvent | RuleEvent, style: Style) -> str:
    """A step's label in the timeline."""
    match event:
        case MergeEvent():
            return token_html(event.token, style)
        case RemoveEvent():
            return removed_label(event.token, style)
        case RuleEvent():
            return escape(_("stage 2"))
    return escape(start_label())


def vocabulary_status(snapshot: MergeSnapshot) -> str:
    """How far the vocabulary has come."""
    size, wanted = snapshot.vocab_size, snapshot.trace.settings.get("vocab_size")
    if wanted is None or wanted == size:
        return _("vocabulary {size}").format(size=count(size))
    return _("vocabulary {size} of {wanted}").format(size=count(size), wanted=count(wanted))


def counted_as(trace: MergeTrace, step: int) -> tuple[str, str]:
    """The units in which a step's pairs are counted, and their number: words, or SuperBPE's stretches of
    text."""
    number = len(trace.corpus_at(step).words)
    if not (isinstance(trace, SuperTrace) and trace.in_stage_2(step)):
        return _("Words"), words_count(number)
    text = ngettext("{number} stretch", "{number} stretches", number)
    return _("Stretches of text"), text.format(number=count(number))


def words_panel(
    snapshot: MergeSnapshot, style: Style, listed: Sequence[Pair] = (), quiz: bool = False
) -> str:
    """The words, changed ones first. Pairs `listed` beside them light up from there; with a question about a
    pair (`quiz`), any can be pointed at in the words themselves, and chosen."""
    trace, event = snapshot.trace, snapshot.event
    corpus = trace.corpus_at(snapshot.step)
    changed: tuple[str, ...] = ()
    lit, merged = {*corpus.words}, ""
    title, number = counted_as(trace, snapshot.step)
    removed = event.token if isinstance(event, RemoveEvent) else ""
    if isinstance(event, MergeEvent | RemoveEvent):
        changed, lit, merged = event.words, {*event.words}, event.token
        number = _("{changed} of {all} change").format(
            changed=count(len(changed)), all=count(len(corpus.words))
        )
    shown = words_shown(corpus.words, changed)
    marked = (
        before_removal(trace, snapshot.step, event, shown)
        if isinstance(event, RemoveEvent)
        else snapshot.marked(shown)
    )
    rows = [
        word_row(
            groups, merged, trace.count_at(snapshot.step, word), word in lit, style, {*listed}, quiz, removed
        )
        for word, groups in marked.items()
    ]
    languages = len(trace.languages) if isinstance(trace, ParityTrace) else 0  # with bars above
    limit = max(2, WORD_ROWS - languages)
    return heading(title, number) + rows_html(rows, len(corpus.words), limit)


def before_removal(
    trace: MergeTrace, step: int, event: RemoveEvent, words: Iterable[str]
) -> dict[str, list[tuple[str, ...]]]:
    """Word → its tokens, each in a tuple of its own; the removed token is given as its parts."""
    return {
        word: [event.parts if token == event.token else (token,) for token in split]
        for word, split in trace.splits(step - 1, words).items()
    }


def word_row(
    groups: Sequence[Sequence[str]],
    merged: str,
    frequency: int,
    lit: bool,
    style: Style,
    listed: Set[Pair] = frozenset(),
    quiz: bool = False,
    removed: str = "",
) -> str:
    """One word: its tokens as chips, and its frequency; `listed` and `quiz` as in `words_panel`, `removed`
    as in `lit_groups`.

    Whatever this step merged is in the markup twice, as the two parts and as the token: the stylesheet shows
    the parts in the first beat and the token in the second.
    """
    cut_before = cut_after = 0
    if len(groups) > TOKENS_IN_ROW:
        site = next((index for index, group in enumerate(groups) if len(group) > 1), 0)
        cut_before = max(0, site - TOKENS_IN_ROW // 3)
        cut_after = max(0, len(groups) - cut_before - TOKENS_IN_ROW)
        groups = groups[cut_before : cut_before + TOKENS_IN_ROW]
    shown = (
        joined_groups(groups, merged, style, removed)
        if quiz
        else lit_groups(groups, merged, style, listed, removed)
    )
    before, after = _("{number} before"), _("{number} more")
    return word_html(
        cut_mark(before, cut_before) + shown + cut_mark(after, cut_after),
        frequency_text(frequency),
        "" if lit else " dim",
    )


def lit_groups(
    groups: Sequence[Sequence[str]], merged: str, style: Style, listed: Set[Pair], removed: str = ""
) -> str:
    """A word's tokens; tokens in a listed pair light up with it, and a new token with its parts' pairs.

    With `removed`, groups replace a removed token: it is shown in the first beat, they are in the second.
    """
    ids = iter(pair_ids([token for group in groups for token in group], listed))
    shown = ""
    for group in groups:
        own = [next(ids) for _token in group]
        if len(group) == 1:
            shown += lit_chip(group[0], own[0], style)
            continue
        if removed:
            shown += undone_html(group, own, removed, style)
            continue
        parts = "".join(lit_chip(part, its, style) for part, its in zip(group, own, strict=True))
        whole = " ".join(dict.fromkeys(" ".join(own).split()))
        shown += f'<span class="m"><span>{parts}</span>{lit_chip(merged, whole, style, "hot")}</span>'
    return shown


def undone_html(parts: Sequence[str], ids: Sequence[str], removed: str, style: Style) -> str:
    """A removed token, and its replacement."""
    written = "".join(lit_chip(part, its, style, "hot") for part, its in zip(parts, ids, strict=True))
    return f'<span class="m"><span>{chip(removed, style, "gone")}</span>{written}</span>'


def joined_groups(groups: Sequence[Sequence[str]], merged: str, style: Style, removed: str = "") -> str:
    """A word's tokens as they are after the step, with something between each two to point at and click."""
    if removed:
        groups = [(part,) for group in groups for part in group]
    tokens = [group[0] if len(group) == 1 else merged for group in groups]
    shown = ""
    for index, (group, ids) in enumerate(zip(groups, pair_ids(tokens), strict=True)):
        if index:
            shown += f'<i class="join" {answer_attributes(Pair(*tokens[index - 1 : index + 1]))}></i>'
        drawn = lit_chip(tokens[index], ids, style, "" if len(group) == 1 else "hot")
        shown += (
            drawn if len(group) == 1 else f'<span class="m"><span>{chips(group, style)}</span>{drawn}</span>'
        )
    return shown


def pair_ids(tokens: Sequence[str], listed: Set[Pair] | None = None) -> list[str]:
    """For each token of a word the ids of its pairs (if `listed`), separated by spaces.

    >>> [len(ids.split()) for ids in pair_ids("hugs")]
    [1, 2, 2, 1]
    """
    pairs = [Pair(*pair) for pair in pairwise(tokens)]
    ids = [lit_id(*pair) if listed is None or pair in listed else "" for pair in pairs]
    return [
        " ".join(dict.fromkeys(filter(None, ids[max(0, index - 1) : index + 1])))
        for index in range(len(tokens))
    ]


def vocabulary_strip(snapshot: MergeSnapshot, style: Style) -> str:
    """The vocabulary, newest token first and ringed, then back to the alphabet as far as there is room."""
    vocab = snapshot.vocab
    event = snapshot.event
    newest = event.token if isinstance(event, MergeEvent | RemoveEvent) else None
    shown = vocab[: -VOCABULARY_CHIPS - 1 : -1]
    if newest is not None and newest not in shown:
        shown = (newest, *shown)  # it was made before, so it is further back, or it has just left
    ring = "gone" if event.kind == "remove" else "hot"
    classes = {newest: ring} | dict.fromkeys(style.special_tokens, "s")
    drawn = "".join(chip(token, style, classes.get(token, "")) for token in shown)
    return strip_html(_("Vocabulary, newest first"), drawn, len(vocab) - len({*shown} & {*vocab}))
