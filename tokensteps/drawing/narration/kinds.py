"""Sentences on the steps of the newer kinds of BPE, and on the special cases of their merges."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tokenizers_core.training.kinds.paritybpe import ParityMergeEvent, ParityTrace, chooser_of
from tokenizers_core.training.kinds.pickybpe import PickyMergeEvent, RemoveEvent
from tokenizers_core.training.kinds.superbpe import StageEvent, SuperMergeEvent
from tokenizers_core.training.merge_trace import MergeEvent, MergeSnapshot, RuleEvent
from tokensteps.drawing.narration.text_format import Narration, TextFormat
from tokensteps.language.i18n import _, count, listed, ngettext, sentences
from tokensteps.language.names import language_name


def tell_rule_event(event: RuleEvent, voice: TextFormat) -> Narration:
    """The narration of a step other than a merge."""
    match event:
        case RemoveEvent():
            return tell_removal(event, voice)
        case StageEvent():
            return tell_stage(event, voice)
    raise ValueError(f"nothing is said of {event.kind}")


def tell_removal(event: RemoveEvent, voice: TextFormat) -> Narration:
    """PickyBPE: the removed token, its share in numbers, and the replacement of its occurrences."""
    twice = event.into == 2 * event.token
    taken = event.merged * (2 if twice else 1)
    lead = voice.say(
        ngettext(
            "Remove {token}: merging it into {into} took its only place.",
            "Remove {token}: merging it into {into} took {taken} of its {all} places.",
            taken + event.left,
        ),
        token=voice.token(event.token),
        into=voice.token(event.into),
        taken=voice.strong(count(taken)),
        all=voice.strong(count(taken + event.left)),
    )
    share = voice.say(
        _("Its share (IoS) is {numbers} = {share}, more than the threshold of {threshold}."),
        numbers=voice.fraction(count(event.merged), f"{count(event.merged)} + {count(event.left)}"),
        share=voice.strong(str(event.share)),
        threshold=str(event.threshold),
    )
    if twice:
        share = sentences(share, voice.say(_("IoS counts each merge once, though it takes two places.")))
    if not event.left:
        return Narration(lead, sentences(share, voice.say(_("It occurs nowhere else."))))
    rest = ngettext(
        "The {left} place left is split into {parts}.",
        "The {left} places left are split into {parts}.",
        event.left,
    )
    parts = " ".join(map(voice.token, event.parts))
    return Narration(lead, sentences(share, voice.say(rest, left=count(event.left), parts=parts)))


def tell_stage(event: StageEvent, voice: TextFormat) -> Narration:
    """SuperBPE: the change from words to stretches."""
    lead = voice.say(
        _("From here on tokens may bridge spaces: stretches of text take the place of words."),
    )
    why = voice.say(
        _(
            "{words} different words become {stretches} different stretches, cut by the second pattern. The corpus had {before} tokens; the merges so far cut the stretches into {after}."
        ),
        words=count(event.words),
        stretches=count(event.stretches),
        before=count(event.tokens_before),
        after=count(event.tokens_after),
    )
    return Narration(lead, why)


def tell_chooser(event: MergeEvent, voice: TextFormat, snapshot: MergeSnapshot | None = None) -> str:
    """Parity-aware BPE: the choosing language, the reason, and the plain rule's merge; "" for other kinds.

    The snapshot after the merge adds the ratio, or the languages that are served worse.
    """
    if not isinstance(event, ParityMergeEvent) or event.plain is None:
        return ""
    if not event.language:
        return voice.say(_("One of the first merges, which all languages choose together."))
    tokens = event.tokens_before or {}
    chose = voice.say(
        _("{language} chooses: of the parallel lines, its own take {tokens} tokens."),
        language=voice.strong(language_name(event.language)),
        tokens=voice.strong(count(tokens[event.language])),
    )
    if snapshot is not None and isinstance(snapshot.trace, ParityTrace):
        ratio = tell_ratio(snapshot.trace, event, voice)
        chose = sentences(ratio or chose, *tell_passed_over(snapshot.trace, snapshot.step - 1, voice))
    if event.plain == event.pair:
        return sentences(chose, voice.say(_("Plain BPE would merge the same pair.")))
    plain = ngettext(
        "Plain BPE would merge {pair}, which occurs {number} time in all languages together.",
        "Plain BPE would merge {pair}, which occurs {number} times in all languages together.",
        event.plain_freq,
    )
    return sentences(chose, voice.say(plain, pair=voice.pair(event.plain), number=count(event.plain_freq)))


def tell_ratio(trace: ParityTrace, event: ParityMergeEvent, voice: TextFormat) -> str:
    """The choosing language, and its compression for its ratio; "" in a run without ratios."""
    if trace.settings["ratio"] is None:
        return ""
    ratios = dict(zip(trace.languages, trace.settings["ratio"], strict=True))
    return voice.say(
        _(
            "{language} chooses: for its ratio of {ratio}, its text is compressed least, from {before} to {after} tokens."
        ),
        language=voice.strong(language_name(event.language)),
        ratio=str(ratios[event.language]),
        before=count(trace.parallel_tokens(0)[event.language]),
        after=voice.strong(count((event.tokens_before or {})[event.language])),
    )


def tell_passed_over(trace: ParityTrace, step: int, voice: TextFormat) -> Iterator[str]:
    """The languages that are served worse after `step` steps than the choosing one: those that have to wait,
    and those without a pair."""
    tokens = trace.parallel_tokens(step)
    chooser = chooser_of([*trace.parallel_tokens(0).values()], trace.settings)
    needs = [chooser.need(number, [*tokens.values()]) for number in range(len(tokens))]
    worse = [number for number, need in enumerate(needs) if need > needs[trace.chooser_at(step)]]
    waiting = []
    if window := trace.settings["window"]:
        recent = [*trace.chosen[max(trace.settings["global_merges"], step - window) : step]]
        waiting = [number for number in worse if Fraction(recent.count(number), window) > chooser.most]
    without = [number for number in worse if number not in waiting]

    def names(numbers: list[int]) -> str:
        return listed(voice.strong(language_name(trace.languages[number])) for number in numbers)

    if waiting:
        text = ngettext(
            "{languages} is served worse, but has to wait: it chose too often within the window of {window}.",
            "{languages} are served worse, but have to wait: they chose too often within the window of {window}.",
            len(waiting),
        )
        yield voice.say(text, languages=names(waiting), window=count(window))
    if without:
        text = ngettext(
            "{languages} is served worse, but has no pair left that is frequent enough.",
            "{languages} are served worse, but have no pair left that is frequent enough.",
            len(without),
        )
        yield voice.say(text, languages=names(without))


def tell_kind(event: MergeEvent, voice: TextFormat) -> list[str]:
    """Sentences on a merge special to a newer kind."""
    match event:
        case PickyMergeEvent(restored=True):
            return [voice.say(_("It was removed before, and comes back."))]
        case SuperMergeEvent(superword=True, stage=2):
            return [voice.say(_("It bridges a space: plain BPE never makes this token."))]
    return []
