"""Snapshot → frame: what the flipbook shows for one step, as markup, as words for a screen reader, and as a label.

One function for each kind of event, found by `event.kind`. A frame is a pure function of its snapshot, the style and the
language in use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape
from itertools import islice
from typing import Any, Protocol, cast

from tokenizers_core.training.bpe import ApplyEvent, EncodingSnapshot
from tokenizers_core.training.merge_trace import Candidate, MergeEvent, MergeSnapshot, StartEvent
from tokenizers_core.training.merging import Pair
from tokenizers_core.training.wordpiece import (
    MatchEvent,
    MatchSnapshot,
    ScoredCandidate,
    WordPieceEvent,
)
from tokensteps.drawing.code_steps import code_attributes, merge_beats
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style, chip, chips, fill, readable, token_html
from tokensteps.language.glossary import fill_marked, marked, once
from tokensteps.language.i18n import N_, _, count, listed, ngettext, sentences
from tokensteps.language.names import TIE_RULE_WORDS

WORD_ROWS = 8
CANDIDATE_ROWS = 8
TOKENS_IN_ROW = 48
"""A longer word is cut around the place that changes, and the cut is said."""
VOCABULARY_CHIPS = 60

STOP_REASONS = {
    "vocab_size": N_("Training ends here: the vocabulary has the size that was asked for."),
    "max_merges": N_("Training ends here: the number of merges that was asked for is reached."),
    "min_frequency": N_("Training ends here: no pair that is left is frequent enough."),
    "no_pairs": N_("Training ends here: no pair is left, every word is one token."),
    "stopped": N_("Training was stopped here."),
}


class Voice(Protocol):
    """How a message's tokens and numbers are written: as markup or as plain text."""

    def token(self, token: str) -> str: ...

    def pair(self, pair: Pair) -> str: ...

    def strong(self, text: str) -> str: ...

    def fraction(self, top: str, bottom: str) -> str: ...

    def say(self, message: str, **fields: str) -> str: ...


_FORMULA = re.compile(
    r'<span class="frac">.*?</span></span>(?: = (?:<span class="frac">.*?</span></span>|<b>[^<]*</b>))+'
)


def in_one(html: str) -> str:
    """Markup whose formulas stay in one line if they fit into it.

    >>> in_one('Score = <span class="frac"><span>1</span><span>2</span></span> = <b>0.5</b>.')
    'Score = <span class="formula"><span class="frac"><span>1</span><span>2</span></span> = <b>0.5</b></span>.'
    """
    return _FORMULA.sub(r'<span class="formula">\g<0></span>', html)


class Markup:
    """A message as markup."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def token(self, token: str) -> str:
        return chip(token, self.style)

    def pair(self, pair: Pair) -> str:
        return pair_chips(pair, self.style)

    def strong(self, text: str) -> str:
        return f"<b>{escape(text)}</b>"

    def fraction(self, top: str, bottom: str) -> str:
        return f'<span class="frac"><span>{escape(top)}</span><span>{escape(bottom)}</span></span>'

    def say(self, message: str, **fields: str) -> str:
        return in_one(fill(message, **fields))


class Marked(Markup):
    """A message as markup with its terms marked; the frame that it goes into keeps one mark of each."""

    def say(self, message: str, **fields: str) -> str:
        return in_one(fill_marked(message, **fields))


class Plain:
    """A message as plain text, for screen readers and exports."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def token(self, token: str) -> str:
        return readable(token, self.style)

    def pair(self, pair: Pair) -> str:
        return f"{self.token(pair.first)} + {self.token(pair.second)}"

    def strong(self, text: str) -> str:
        return text

    def fraction(self, top: str, bottom: str) -> str:
        return f"{top} / ({bottom})"

    def say(self, message: str, **fields: str) -> str:
        return message.format(**fields)


Tell = Mapping[str, Callable[[MergeSnapshot, Voice], tuple[str, str]]]
"""Kind of event → what happened and why, in the words of a voice."""
Table = Callable[[Sequence[Any], "Pair | None", Style], str]
"""Candidates and the chosen pair → the rows of the panel of pairs."""


def pair_chips(pair: Pair, style: Style) -> str:
    """Two chips that touch."""
    return f'<span class="pair">{chip(pair.first, style)}{chip(pair.second, style)}</span>'


# --- training by merging ----------------------------------------------------------------------------------------------


def merge_frame(snapshot: MergeSnapshot, style: Style, ahead: bool = True) -> Frame:
    """The frame of one step of BPE; with `ahead=False` it tells nothing of what comes next."""
    return training_frame(snapshot, style, TELL_BPE, candidate_table, ahead=ahead)


def wordpiece_frame(snapshot: MergeSnapshot, style: Style, ahead: bool = True) -> Frame:
    """The frame of one step of WordPiece; with `ahead=False` it tells nothing of what comes next."""
    return training_frame(snapshot, style, TELL_WORDPIECE, score_table, erratum(snapshot, style), ahead)


def training_frame(
    snapshot: MergeSnapshot, style: Style, tell: Tell, table: Table, aside: str = "", ahead: bool = True
) -> Frame:
    """The frame of one step of training by merging: what happened, the words, the pairs, the vocabulary.

    `aside` is markup for the room under the words; `ahead` whether pairs are listed that a merge is still to be chosen from.
    """
    event = snapshot.event
    lead, detail = tell[event.kind](snapshot, Marked(style))
    spoken = sentences(*tell[event.kind](snapshot, Plain(style)))
    html = stage_html(
        f'{lead}</p><p class="why">{detail}',
        words_panel(snapshot, style) + aside,
        candidates_panel(snapshot, style, table) if ahead or event.kind != "start" else unlisted(snapshot),
        code_attributes(merge_beats(snapshot, style)),
    ) + vocabulary_strip(snapshot, style)
    label = escape(_("Start")) if event.kind == "start" else token_html(event.token, style)
    return Frame(once(html), spoken, label, vocabulary_status(snapshot))


def stage_html(said: str, left: str, right: str, attributes: str = "") -> str:
    """The stage: what happened, and two panels under it. `attributes` are for the page's scripts."""
    return (
        f'<div class="say"{attributes}><p>{said}</p></div>'
        f'<div class="cols"><section>{left}</section><section>{right}</section></div>'
    )


def vocabulary_status(snapshot: MergeSnapshot) -> str:
    """How far the vocabulary has come."""
    size, wanted = snapshot.vocab_size, snapshot.trace.settings.get("vocab_size")
    if wanted is None or wanted == size:
        return _("vocabulary {size}").format(size=count(size))
    return _("vocabulary {size} of {wanted}").format(size=count(size), wanted=count(wanted))


def tell_start(snapshot: MergeSnapshot, voice: Voice) -> tuple[str, str]:
    """What there is before the first merge."""
    event = cast(StartEvent, snapshot.event)
    corpus = snapshot.trace.corpus
    lead = voice.say(
        ngettext(
            "Every word is split into its symbols. The alphabet has {size} symbol.",
            "Every word is split into its symbols. The alphabet has {size} symbols.",
            len(event.alphabet),
        ),
        size=voice.strong(count(len(event.alphabet))),
    )
    words = ngettext("{number} different word", "{number} different words", len(corpus.words))
    detail = voice.say(
        _("The corpus has {different}, {total} in all, which makes {tokens} tokens now."),
        different=words.format(number=count(len(corpus.words))),
        total=count(sum(corpus.counts)),
        tokens=count(snapshot.tokens),
    )
    if snapshot.step == len(snapshot.trace):
        detail = sentences(detail, voice.say(_(STOP_REASONS[snapshot.trace.stop_reason])))
    return lead, detail


def tell_merge(snapshot: MergeSnapshot, voice: Voice) -> tuple[str, str]:
    """What was merged, and why that pair."""
    event = cast(MergeEvent, snapshot.event)
    times = ngettext("{number} time", "{number} times", event.freq)
    lead = voice.say(
        _("Merge {pair} into {token}. The pair stands {times} in the corpus."),
        pair=voice.pair(event.pair),
        token=voice.token(event.token),
        times=voice.strong(times.format(number=count(event.freq))),
    )
    next_best = ""
    if event.runner_ups:
        next_best = voice.say(
            _("No other pair is as frequent; second is {pair} with {freq}."),
            pair=voice.pair(event.runner_ups[0].pair),
            freq=count(event.runner_ups[0].freq),
        )
    return lead, sentences(
        tell_ties(snapshot, event, voice, next_best), *tell_oddities(snapshot, event, voice)
    )


def tell_oddities(snapshot: MergeSnapshot, event: MergeEvent, voice: Voice) -> list[str]:
    """What is out of the ordinary: overlaps, a token made before, the end."""
    odd = []
    if event.applied != event.freq:
        odd.append(
            voice.say(
                _("It overlaps itself: counted {freq} times, merged {applied} times."),
                freq=count(event.freq),
                applied=count(event.applied),
            )
        )
    if not event.is_new:
        odd.append(voice.say(_("The vocabulary has this token already, made another way: it does not grow.")))
    if snapshot.step == len(snapshot.trace):
        odd.append(voice.say(_(STOP_REASONS[snapshot.trace.stop_reason])))
    return odd


def tell_ties(snapshot: MergeSnapshot, event: MergeEvent, voice: Voice, next_best: str) -> str:
    """Why this pair and not another one as good; `next_best` names the next one where none is."""
    if event.tied_count == 1:
        return next_best or voice.say(_("It is the only pair left."))
    others = [tie.pair for tie in event.tied[1:4]]
    more = event.tied_count - 1 - len(others)
    pairs = listed(voice.pair(pair) for pair in others)
    if more:
        pairs = voice.say(
            ngettext("{pairs} and {number} more", "{pairs} and {number} more", more),
            pairs=pairs,
            number=count(more),
        )
    tied = voice.say(ngettext("Tied with {pairs}.", "Tied with {pairs}.", event.tied_count - 1), pairs=pairs)
    return sentences(tied, tell_rule(snapshot, event, voice))


def tell_rule(snapshot: MergeSnapshot, event: MergeEvent, voice: Voice) -> str:
    """How the tie rule decided."""
    rule, ids = snapshot.trace.settings["tie_rule"], snapshot.trace.vocabulary.ids
    return voice.say(
        _(TIE_RULE_WORDS[rule].reason),
        pair=voice.pair(event.pair),
        word=voice.token(event.tied[0].word),
        first=str(ids[event.pair.first]),
        second=str(ids[event.pair.second]),
    )


def tell_wordpiece(snapshot: MergeSnapshot, voice: Voice) -> tuple[str, str]:
    """What was merged, with its score worked out, and what BPE would have merged."""
    event = cast(WordPieceEvent, snapshot.event)
    chosen, *others = cast(tuple[ScoredCandidate, ...], event.candidates)
    lead = voice.say(
        _("Merge {pair} into {token}. Score = {formula} = {numbers} = {score}."),
        pair=voice.pair(event.pair),
        token=voice.token(event.token),
        formula=voice.fraction(_("pair"), _("first × second")),
        numbers=score_numbers(chosen, voice),
        score=voice.strong(fraction_text(chosen.score)),
    )
    next_best = ""
    if others:
        next_best = voice.say(
            _("No other pair scores as high; second is {pair} with {score}."),
            pair=voice.pair(others[0].pair),
            score=fraction_text(others[0].score),
        )
    why = [tell_ties(snapshot, event, voice, next_best), tell_bpe_choice(event, voice)]
    return lead, sentences(*why, *tell_oddities(snapshot, event, voice))


def tell_bpe_choice(event: WordPieceEvent, voice: Voice) -> str:
    """Which pair is the most frequent, and why it lost."""
    rival = event.most_frequent
    if rival.pair == event.pair:
        return voice.say(_("It is the most frequent pair too: BPE would merge it here."))
    times = ngettext("{number} time", "{number} times", rival.freq).format(number=count(rival.freq))
    chosen = cast(ScoredCandidate, event.candidates[0])
    if rival.score == chosen.score:
        return voice.say(
            _("BPE would merge {pair} here: it stands {times}, and scores the same."),
            pair=voice.pair(rival.pair),
            times=times,
        )
    return voice.say(
        _("BPE would merge {pair} here: it stands {times}, but scores {numbers} = {score}."),
        pair=voice.pair(rival.pair),
        times=times,
        numbers=f"{rival.freq} / ({rival.first_freq} × {rival.second_freq})",
        score=fraction_text(rival.score),
    )


def score_numbers(candidate: ScoredCandidate, voice: Voice) -> str:
    """The score's formula with the pair's numbers in it."""
    return voice.fraction(str(candidate.freq), f"{candidate.first_freq} × {candidate.second_freq}")


def fraction_text(score: Fraction) -> str:
    """A score as a reduced fraction.

    >>> fraction_text(Fraction(5, 100)), fraction_text(Fraction(1))
    ('1/20', '1')
    """
    return str(score)


PUBLISHED_CORPUS = (("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5))
PUBLISHED_THIRD = Pair("hu", "##g")
"""The course's corpus, and the pair that its walk-through merges third."""


def erratum(snapshot: MergeSnapshot, style: Style) -> str:
    """Where the course's walk-through of WordPiece goes wrong: what it says, and what the numbers say."""
    trace = snapshot.trace
    if snapshot.step != 3 or tuple(trace.corpus.items()) != PUBLISHED_CORPUS:
        return ""
    candidates = cast(list[ScoredCandidate], trace.candidates(2))
    published = next((candidate for candidate in candidates if candidate.pair == PUBLISHED_THIRD), None)
    chosen = candidates[0]
    if published is None or published.pair == chosen.pair:
        return ""
    voice = Markup(style)
    told = voice.say(
        _(
            "The course merges {published} here, for a score of 1/15. Computed: {numbers} = {score}, and {chosen} has {best}."
        ),
        published=voice.pair(published.pair),
        numbers=score_numbers(published, voice),
        score=voice.strong(fraction_text(published.score)),
        chosen=voice.pair(chosen.pair),
        best=fraction_text(chosen.score),
    )
    return aside_html(told)


def aside_html(told: str) -> str:
    """Where a published text that learners have open beside the page differs: what it says, and what is computed."""
    return '<p class="aside"><b>' + escape(_("Erratum")) + f"</b> {told}</p>"


TELL_BPE: Tell = {"start": tell_start, "merge": tell_merge}
TELL_WORDPIECE: Tell = {"start": tell_start, "merge": tell_wordpiece}


def words_panel(snapshot: MergeSnapshot, style: Style) -> str:
    """The words that changed, first; each merged token stands as its two parts in a group that closes up."""
    corpus, event = snapshot.trace.corpus, snapshot.event
    changed = () if event.kind == "start" else event.words
    lit = set(corpus.words if event.kind == "start" else changed)
    frequencies = snapshot.trace.word_frequencies
    merged = "" if event.kind == "start" else event.token
    rows = [
        word_row(groups, merged, frequencies[word], word in lit, style)
        for word, groups in snapshot.marked(words_shown(corpus.words, changed)).items()
    ]
    if event.kind == "start":
        title, number = _("Words"), ngettext("{number} word", "{number} words", len(corpus.words))
        number = number.format(number=count(len(corpus.words)))
    else:
        title = _("Words that change")
        number = _("{changed} of {all}").format(changed=count(len(changed)), all=count(len(corpus.words)))
    return heading(title, number) + "".join(rows)


def words_shown(words: Sequence[str], changed: Sequence[str]) -> list[str]:
    """Which words to show: all in their order when they fit, else the changed ones first.

    >>> words_shown(["a", "b", "c"], ["b"])
    ['a', 'b', 'c']
    >>> words_shown([f"w{number}" for number in range(20)], ["w7", "w9"])[:3]
    ['w7', 'w9', 'w0']
    """
    if len(words) <= WORD_ROWS:
        return list(words)
    first = list(changed[:WORD_ROWS])
    others = (word for word in words[: 2 * WORD_ROWS] if word not in first)
    return first + list(islice(others, WORD_ROWS - len(first)))


def word_row(groups: Sequence[Sequence[str]], merged: str, frequency: int, lit: bool, style: Style) -> str:
    """One word: its tokens as chips, and its frequency.

    What this step merged is there twice, as the two parts and as the token: the stylesheet shows the parts in the
    first beat and the token in the second.
    """
    cut_before = cut_after = 0
    if len(groups) > TOKENS_IN_ROW:
        site = next((place for place, group in enumerate(groups) if len(group) > 1), 0)
        cut_before = max(0, site - TOKENS_IN_ROW // 3)
        cut_after = max(0, len(groups) - cut_before - TOKENS_IN_ROW)
        groups = groups[cut_before : cut_before + TOKENS_IN_ROW]
    shown = "".join(
        chip(group[0], style)
        if len(group) == 1
        else f'<span class="m"><span>{chips(group, style)}</span>{chip(merged, style, "hot")}</span>'
        for group in groups
    )
    before, after = _("{number} before"), _("{number} more")
    return (
        f'<div class="w{"" if lit else " dim"}"><span class="ts">{cut_mark(before, cut_before)}{shown}'
        f'{cut_mark(after, cut_after)}</span><span class="f">× {count(frequency)}</span></div>'
    )


def cut_mark(message: str, number: int) -> str:
    """How many tokens are not shown; nothing when all are."""
    return f'<span class="cut">{fill(message, number=count(number))}</span>' if number else ""


def heading(title: str, note: str = "") -> str:
    """A panel's title, and a note at its other end."""
    return f"<h3><b>{marked(title)}</b><span>{escape(note)}</span></h3>"


def candidates_panel(snapshot: MergeSnapshot, style: Style, table: Table) -> str:
    """The pairs this merge was chosen from; at the start, those the first merge will be chosen from."""
    event = snapshot.event
    if event.kind == "start":
        candidates, total, chosen = snapshot.candidates(CANDIDATE_ROWS), snapshot.pair_count, None
        title = _("Pairs to choose from")
    else:
        candidates, total, chosen = list(event.candidates[:CANDIDATE_ROWS]), event.pair_count, event.pair
        title = _("Pairs before this merge")
    if sum(candidate.tied for candidate in candidates) < 2:
        candidates = [replace(candidate, tied=False) for candidate in candidates]
    number = ngettext("{number} pair", "{number} pairs", total).format(number=count(total))
    return heading(title, number) + table(candidates, chosen, style)


def unlisted(snapshot: MergeSnapshot) -> str:
    """What stands in the place of the pairs where somebody is to find out the best one."""
    number = ngettext("{number} pair", "{number} pairs", snapshot.pair_count).format(
        number=count(snapshot.pair_count)
    )
    told = _("Neighbours in the words make the pairs; a word counts as often as it stands in the corpus.")
    return heading(_("Pairs to choose from"), number) + f'<p class="why">{escape(told)}</p>'


def candidate_table(candidates: Sequence[Candidate], chosen: Pair | None, style: Style) -> str:
    """BPE's pairs: count, what the step before did to it, and a bar."""
    rows = "".join(candidate_row(candidate, candidates[0].freq, chosen, style) for candidate in candidates)
    return table_html((_("pair"), _("count"), _("change"), ""), rows)


def score_table(candidates: Sequence[ScoredCandidate], chosen: Pair | None, style: Style) -> str:
    """WordPiece's pairs: count, its symbols' counts, score, and what the step before did to the score."""
    rows = "".join(score_row(candidate, chosen, style) for candidate in candidates)
    return table_html(
        (_("pair"), _("count"), _("first × second"), _("score"), "", _("change")), rows, "scores"
    )


def table_html(names: Sequence[str], rows: str, classes: str = "") -> str:
    """A table with a head."""
    head = "".join(
        f"<th>{marked(name)}" if name else "<td>" for name in names
    )  # a column of bars has no head
    return f'<table class="{classes}"><tr>{head}{rows}</table>'


def pair_cell(candidate: Candidate | ScoredCandidate, chosen: Pair | None, style: Style) -> str:
    """A row's beginning: the pair, whether it is merged now, whether it is tied."""
    now = candidate.pair == chosen
    classes = " ".join(name for name, holds in (("now", now), ("tie", candidate.tied)) if holds)
    word = _("merged") if now else _("tied") if candidate.tied else ""
    mark = f'<span class="mark">{escape(word)}</span>' if word else ""
    return f'<tr class="{classes}"><td>{pair_chips(candidate.pair, style)}{mark}'


def score_row(candidate: ScoredCandidate, chosen: Pair | None, style: Style) -> str:
    """One pair with its score as fraction and decimal."""
    change = "·"
    if candidate.before is None and candidate.change:
        change = escape(_("new"))
    elif candidate.before is not None and candidate.before != candidate.score:
        change = signed(f"{float(candidate.score - candidate.before):+.2g}")
    return (
        f"{pair_cell(candidate, chosen, style)}<td>{count(candidate.freq)}"
        f"<td>{count(candidate.first_freq)} × {count(candidate.second_freq)}"
        f"<td><b>{fraction_text(candidate.score)}</b><td>{float(candidate.score):.3g}<td>{change}"
    )


def signed(number: str) -> str:
    """A number with its sign, green or red, with a true minus."""
    classes = "up" if number.startswith("+") else "down"
    return f'<span class="{classes}">{number}</span>'.replace(">-", ">\u2212")


def candidate_row(candidate: Candidate, most: int, chosen: Pair | None, style: Style) -> str:
    """One pair: its count, what the step before did to it, and a bar."""
    change = signed(f"{candidate.change:+,}") if candidate.change else "·"
    return (
        f"{pair_cell(candidate, chosen, style)}<td>{count(candidate.freq)}<td>{change}"
        f'<td><span class="bar" style="width:{max(2, 100 * candidate.freq // most)}%"></span>'
    )


def vocabulary_strip(snapshot: MergeSnapshot, style: Style) -> str:
    """The vocabulary, newest token first and ringed, then back to the alphabet as far as there is room."""
    vocab = snapshot.vocab
    newest = None if snapshot.event.kind == "start" else snapshot.event.token
    shown = vocab[: -VOCABULARY_CHIPS - 1 : -1]
    if newest is not None and newest not in shown:
        shown = (newest, *shown)  # made a second time: it is further back
    classes = {newest: "hot"} | dict.fromkeys(style.special_tokens, "s")
    return (
        '<div class="vocab"><div><span class="k">'
        + escape(_("Vocabulary, newest first"))
        + "</span>"
        + "".join(chip(token, style, classes.get(token, "")) for token in shown)
        + ('<span class="k">…</span>' if len(shown) < len(vocab) else "")
        + "</div></div>"
    )


# --- encoding a word --------------------------------------------------------------------------------------------------


def encoding_frame(snapshot: EncodingSnapshot, style: Style) -> Frame:
    """The frame of one step of encoding a word with learned merges."""
    voice, plain = Marked(style), Plain(style)
    event = snapshot.event
    spoken = tell_encoding(snapshot, plain)
    rows = "".join(
        f"<tr{' class=now' if place == 0 else ''}><td>{pair_chips(pair, style)}<td>{rank + 1}"
        for place, (pair, rank) in enumerate(snapshot.options[:CANDIDATE_ROWS])
    )
    word = f'<div class="w big"><span class="ts">{chips(snapshot.tokens, style)}</span></div>'
    nothing = '<p class="why">' + escape(_("No learned pair is left: the word is encoded.")) + "</p>"
    pairs = table_html((_("pair"), _("learned in step")), rows) if rows else nothing
    html = stage_html(
        tell_encoding(snapshot, voice),
        heading(_("The word"), token_count(len(snapshot.tokens))) + word,
        heading(_("Learned pairs in it")) + pairs,
    )
    label = token_html(cast(ApplyEvent, event).token, style) if snapshot.step else escape(_("Start"))
    return Frame(once(html), spoken, label, token_count(len(snapshot.tokens)))


def token_count(number: int) -> str:
    return ngettext("{number} token", "{number} tokens", number).format(number=count(number))


def tell_encoding(snapshot: EncodingSnapshot, voice: Voice) -> str:
    """What was done to the word, and what comes next."""
    if snapshot.event.kind == "split":
        done = voice.say(_("The word is split into its symbols."))
    else:
        event = snapshot.event
        done = voice.say(
            _("{pair} was learned in step {step}, the earliest of the pairs here: merge it into {token}."),
            pair=voice.pair(event.pair),
            step=str(event.rank + 1),
            token=voice.token(event.token),
        )
    if snapshot.options:
        pair, rank = snapshot.options[0]
        following = voice.say(
            _("Next: {pair}, learned in step {step}."), pair=voice.pair(pair), step=str(rank + 1)
        )
        return sentences(done, following)
    return sentences(done, voice.say(_("No learned pair is left: the word is encoded.")))


def match_frame(snapshot: MatchSnapshot, style: Style) -> Frame:
    """The frame of one try of WordPiece's encoding: the longest token that begins the rest of the word."""
    told = tell_match(snapshot, Marked(style))
    status = token_count(len(snapshot.tokens))
    event = snapshot.event
    found = chips(snapshot.tokens, style)
    rest = f'<bdi class="rest">{token_html(snapshot.rest, style)}</bdi>' if snapshot.rest else ""
    tries = try_rows(event, snapshot, style) if event.kind == "match" else ""
    spelled = f'<div class="w big"><span class="ts">{found}{rest}</span></div>'
    html = stage_html(
        told,
        heading(_("Found so far"), status) + spelled,
        heading(_("Tried here, longest first")) + tries,
    )
    label = escape(_("Start"))
    if event.kind == "match":
        match = event
        mark = "✓" if match.found else "–"
        label = f"{mark} {token_html(match.piece, style)}"
    elif snapshot.step:
        label = token_html(snapshot.tokens[0], style)
    return Frame(once(html), tell_match(snapshot, Plain(style)), label, status)


def try_rows(event: MatchEvent, snapshot: MatchSnapshot, style: Style) -> str:
    """The last tries from this place in the word, the newest at the bottom."""
    prefix = event.piece[: len(event.piece) - (event.end - event.start)]
    text = event.piece[len(prefix) :] + (
        snapshot.rest[event.end - event.start :] if not event.found else snapshot.rest
    )
    ends = range(len(text), event.end - event.start - 1, -1)
    rows = []
    for length in ends[-CANDIDATE_ROWS:]:
        now = length == event.end - event.start
        answer = _("in the vocabulary") if now and event.found else _("not in the vocabulary")
        rows.append(
            f"<tr{' class=now' if now else ''}><td>{chip(prefix + text[:length], style)}<td>{escape(answer)}"
        )
    return f"<table>{''.join(rows)}</table>"


def tell_match(snapshot: MatchSnapshot, voice: Voice) -> str:
    """What was tried, and what follows from it."""
    event = snapshot.event
    if event.kind == "begin":
        return voice.say(
            _("Look for the longest token that begins the word, then for the longest that begins the rest.")
        )
    if event.kind == "unknown":
        if event.too_long:
            return voice.say(_("The word is too long to be looked up: it is unknown as a whole."))
        return voice.say(
            _("No token begins the rest, so the whole word is {unknown}."),
            unknown=voice.token(snapshot.tokens[0]),
        )
    match = event
    if match.found:
        told = (
            _("{piece} is in the vocabulary: take it.")
            if snapshot.rest
            else _("{piece} is in the vocabulary: the word is encoded.")
        )
        return voice.say(told, piece=voice.token(match.piece))
    return voice.say(
        _("{piece} is not in the vocabulary: try one character less."), piece=voice.token(match.piece)
    )
