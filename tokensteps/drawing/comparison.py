"""Snapshot of a comparison → frame: its runs side by side at one vocabulary size; and its markup for tabs.

A frame is a pure function of its snapshot, the style and the language in use. WordPiece's tokens are shown
without their ## inside words, so that equal tokens look the same in all columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from itertools import combinations, islice

from tokenizers_core.training.comparison import Cut, Overlap, SizeSnapshot, Standing, surface
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.comparison import per_word, tell_measure, tell_size, tell_standing
from tokensteps.drawing.narration.text_format import Marked, Markup, Plain
from tokensteps.drawing.stage_markup import cut_mark, more_text, word_list
from tokensteps.drawing.tokens import Style, chip, chips
from tokensteps.drawing.training.step_kinds import STEP_KINDS
from tokensteps.language.i18n import _, count, sentences
from tokensteps.language.marks import first_marks
from tokensteps.language.names import side_name, side_names
from tokensteps.language.numbers import share_text

WORDS_SHOWN = 8
CHANGED_SHOWN = 3
"""The number of rows reserved for words that change at a size."""
FREQUENT_SHOWN = 2
"""This many of the most frequent words with different cuts come first; then words cut by each run in its own
way."""
TOKENS_IN_COLUMN = 16
CHIPS_SHOWN = 60
"""Tokens listed for each region of the overlap."""


def compare_frame(snapshot: SizeSnapshot, style: Style) -> Frame:
    """The frame of one vocabulary size."""
    voice, plain = Marked(style), Plain(style)
    lead, detail = tell_size(snapshot, voice)
    columns = "".join(column(snapshot, standing, style) for standing in snapshot.standings)
    html = f'<div class="say brief"><p>{lead}</p><p class="why">{detail}</p></div><div class="trio">{columns}</div>'
    size = count(snapshot.size)
    spoken = [
        *tell_size(snapshot, plain),
        *(
            plain.say(
                _("{name}: {told} {measure}"),
                name=side_name(standing.name),
                told=tell_standing(snapshot, standing, plain),
                measure=tell_measure(standing),
            ).strip()
            for standing in snapshot.standings
        ),
    ]
    return Frame(
        first_marks(html),
        sentences(*spoken),
        size,
        _("vocabulary {size}").format(size=size),
    )


# --- a column -----------------------------------------------------------------------------------------------


def column(snapshot: SizeSnapshot, standing: Standing, style: Style) -> str:
    """One algorithm: its change, its tokens per word, and its cuts of the words common to all columns."""
    name = standing.name
    direction = escape(_(STEP_KINDS[snapshot.trace.runs[name].ranked_by].direction))
    return (
        f"<section><h3>{escape(side_name(name))}<span>{direction}</span></h3>"
        f'<p class="did">{tell_standing(snapshot, standing, Markup(style))}</p>'
        f"{measure(snapshot, standing)}{cuts_panel(snapshot, standing, style)}</section>"
    )


def measure(snapshot: SizeSnapshot, standing: Standing) -> str:
    """Tokens per word as a number and as a bar; a full bar is one token per character."""
    trace = snapshot.trace
    totals = [run.token_totals for run in trace.runs.values()]
    most = max(total[end] for total in totals for end in (0, -1)) / trace.corpus.total
    share = 0 if standing.tokens_per_word is None else round(100 * standing.tokens_per_word / most)
    needed = [other.tokens for other in snapshot.standings if other.tokens is not None]
    fewest = standing.tokens is not None and standing.tokens == min(needed) != max(needed)
    best, unit = escape(_("fewest")), escape(_("tokens per word"))
    mark = f'<span class="mark">{best}</span>' if fewest else ""
    return (
        f'<div class="per"><b>{per_word(standing)}</b><span>{unit}</span>{mark}'
        f'<span class="track"><span class="bar{" now" if fewest else ""}" style="width:{share}%"></span></span></div>'
    )


def cuts_panel(snapshot: SizeSnapshot, standing: Standing, style: Style) -> str:
    """The words: ones with different cuts, the most frequent first, then ones that change at this size."""
    first, changed = compared_words(snapshot)
    cuts = snapshot.cuts((*first, *changed))
    result = new_tokens(standing)
    position = snapshot.standings.index(standing)

    def rows(words: Sequence[str]) -> str:
        return word_list(
            cut_row(
                cuts[word],
                position,
                snapshot.trace.corpus.counts[snapshot.trace.word_indices[word]],
                result,
                style,
            )
            for word in words
        )

    if len(snapshot.trace.corpus.words) <= WORDS_SHOWN:
        return block(block_title(_("Words"), True) + rows(first))
    title = _("Split differently") if snapshot.different else _("The most frequent words")
    nothing = escape(_("none"))
    text = rows(changed) if changed else f'<p class="none">{nothing}</p>'
    return (
        block(block_title(title, True) + rows(first))
        + words_left_html(snapshot, cuts.values())
        + block(block_title(_("Change at this size")) + f'<div class="fixed">{text}</div>')
    )


def block(shown: str) -> str:
    """Rows with their title: the flipbook leaves both out together."""
    return f'<div class="part">{shown}</div>'


def words_left_html(snapshot: SizeSnapshot, shown: Collection[tuple[Cut | None, ...]]) -> str:
    """How many words are not shown here: of those with different splits, if there are any. It keeps its line
    when there are none."""
    number = snapshot.different - sum(len({*cuts} - {None}) > 1 for cuts in shown)
    if not snapshot.different:
        number = len(snapshot.trace.corpus.words) - len(shown)
    text = escape(more_text(number)) if number else ""
    return f'<p class="more" data-more="{number}">{text}</p>'


def compared_words(snapshot: SizeSnapshot) -> tuple[list[str], list[str]]:
    """The words to show: all of a few; of many, ones with different cuts, and ones that change at this
    size."""
    corpus = snapshot.trace.corpus
    if len(corpus.words) <= WORDS_SHOWN:
        return list(corpus.words), []
    changed = snapshot.changed[:CHANGED_SHOWN]
    room = WORDS_SHOWN - CHANGED_SHOWN
    most_frequent = [corpus.words[index] for index in snapshot.trace.by_frequency[: 3 * WORDS_SHOWN]]
    telling = (*snapshot.leading[:FREQUENT_SHOWN], *snapshot.all_apart, *snapshot.leading, *most_frequent)
    first = list(islice((word for word in dict.fromkeys(telling) if word not in changed), room))
    different = {*snapshot.all_apart, *snapshot.leading}
    return sorted(first, key=lambda word: (word not in different, snapshot.trace.rank_of(word))), changed


def new_tokens(standing: Standing) -> frozenset[str]:
    """The new tokens at this size, without ##."""
    return frozenset() if standing.change is None else frozenset(map(surface, standing.change.tokens))


def cut_row(cuts: tuple[Cut | None, ...], position: int, freq: int, new: frozenset[str], style: Style) -> str:
    """One word in the column at `position`: a sign, its tokens, how often it occurs and how many tokens it
    takes."""
    cut = cuts[position]
    if cut is None:
        return '<li class="w dim"><i></i><span class="ts"></span><span class="f">–</span></li>'
    same, there = sum(other == cut for other in cuts), sum(other is not None for other in cuts)
    alike = same == there > 1
    sign, classes = ("=", " dim") if alike else ("≠", " odd") if same == 1 < there else ("", "")
    shown = "".join(
        chip(token, style, "hot" if token in new and len(token) > 1 else "")
        for token in cut[:TOKENS_IN_COLUMN]
    )
    more = cut_mark(_("{number} more"), max(0, len(cut) - TOKENS_IN_COLUMN))
    return (
        f'<li class="w{classes}"><i>{sign}</i><span class="ts">{shown}{more}</span>'
        f'<span class="f">{count(freq)} × <b>{count(len(cut))}</b></span></li>'
    )


def block_title(title: str, units: bool = False) -> str:
    """The title of some rows; with `units`, also the units of the numbers at their ends."""
    ends = escape(_("count × tokens"))
    note = f"<span>{ends}</span>" if units else ""
    return f"<h4>{escape(title)}{note}</h4>"


# --- for tabs -----------------------------------------------------------------------------------------------


def overlap_html(overlap: Overlap, style: Style) -> str:
    """The vocabularies' shared tokens: a row for each region of the overlap, with its tokens."""
    head, number, more = (
        "".join(f"<th>{escape(side_name(name))}" for name in overlap.names),
        _("tokens"),
        _("{number} more"),
    )
    rows = "".join(
        f"<tr>{''.join(f'<td>{_membership(name, region, overlap)}' for name in overlap.names)}<td><b>{count(len(tokens))}</b>"
        f'<td><div class="row">{chips(tokens[:CHIPS_SHOWN], style)}'
        f"{cut_mark(more, max(0, len(tokens) - CHIPS_SHOWN))}</div>"
        for region, tokens in overlap.regions.items()
        if {*region} <= {*overlap.there}
    )
    return f'<div class="ts"><table class="regions"><tr>{head}<th>{escape(number)}<th>{rows}</table></div>'


def _membership(name: str, region: tuple[str, ...], overlap: Overlap) -> str:
    """A tick, a dot, or a dash for an algorithm without a vocabulary; screen readers say a word instead."""
    kind, mark, text = "lacks", "·", _("has none of them")
    if name not in overlap.there:
        mark, text = "–", _("has no vocabulary of this size")
    elif name in region:
        kind, mark, text = "has", "✓", _("has them")
    text = escape(text)
    return f'<span role="img" aria-label="{text}" class="{kind}">{mark}</span>'


def jaccard_html(overlap: Overlap) -> str:
    """How much two vocabularies have in common, pair by pair, with the numbers."""
    rows = ""
    for first, second in combinations(overlap.names, 2):
        shared = overlap.size(first, second)
        either = overlap.size(first) + overlap.size(second) - shared
        index = overlap.jaccard(first, second)
        value = "–" if index is None else share_text(index) if index else "0 %"
        numbers = f"{count(shared)} / {count(either)}" if {first, second} <= {*overlap.there} else "–"
        rows += f"<tr><td>{escape(side_names((first, second)))}<td>{numbers}<td><b>{value}</b>"
    names = (_("vocabularies"), _("in both / in either"), _("Jaccard index"))
    head = "".join(f"<th>{escape(name)}" for name in names)
    return f'<div class="ts"><table class="jaccard"><tr>{head}{rows}</table></div>'
