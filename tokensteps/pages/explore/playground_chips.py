"""The playground's tokens as chips, a page at a time, each with a card of facts, and the figures above them:
one message, from the page when it is drawn, and from `live_typing/` for each key."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final, NamedTuple

from tokenizers_core.errors import Phrase
from tokensteps.bounded import WeakSharedCache
from tokensteps.catalogue.analysis import Analysis, analyse, interpret_escapes
from tokensteps.catalogue.shown_tokenizers import Facts, ShownTokenizer
from tokensteps.drawing.chips import Shown, TextRun, Version, chips_message
from tokensteps.drawing.tokens import chip, fill, token_html
from tokensteps.language.i18n import _, count, current_language, ngettext
from tokensteps.limits import NORMALIZED_LIMIT
from tokensteps.pages.explore.playground_files import counts_html, window_html
from tokensteps.pages.explore.why.why_state import WHY_TAB
from tokensteps.widgets.notes import note_html

CARDS_CACHED: Final = 8_000_000
"""Cached characters of tokens' details: a few vocabularies."""

STRETCHES_SHOWN = 2_500
"""Stretches of text on one page of chips."""
_known_facts: Final = WeakSharedCache[str](CARDS_CACHED)


class ChipsView(NamedTuple):
    """Everything apart from the text that decides the chips and the figures above them."""

    letter: str
    subject: ShownTokenizer
    shown: Shown
    specials: bool = True
    """Whether special tokens in the text are recognized."""
    added: bool = False
    """Whether the tokenizer puts its own around the text."""
    escapes: bool = False
    """Whether `\\n` and the like stand for characters."""
    window: int | None = None
    """Tokens of a context window."""
    page: int = 1
    language: str = "en"

    def analysis(self, text: str) -> Analysis:
        """The tokens of the typed text. Raises the errors of `ShownTokenizer.encode`."""
        read = interpret_escapes(text) if self.escapes else text
        return analyse(self.subject, read, self.specials, self.added)


def pages_of(analysis: Analysis) -> int:
    """The number of pages of chips for a text."""
    return max(1, -(-len(analysis.stretches) // STRETCHES_SHOWN))


def turns_back(old: str, new: str) -> bool:
    """Whether a text is a different one, shown from its first page; with more typing, the page stays."""
    return abs(len(new) - len(old)) > 1_000 or new[:1_000] != old[:1_000]


def chips_data(view: ChipsView, text: str, version: Version, cards: bool = True) -> bytes:
    """The message to draw a page of chips, and the figures above it, in the language in use.

    `text` is the typed text, at this `version`; without `cards`, the browser keeps its own. Raises the errors
    of `ShownTokenizer.encode`.
    """
    analysis = view.analysis(text)
    page = min(view.page, pages_of(analysis))
    first, last = (page - 1) * STRETCHES_SHOWN, page * STRETCHES_SHOWN
    runs = analysis.runs(first, last)
    return chips_message(
        runs,
        view.shown,
        cards_html(analysis, runs) if cards else None,
        chip_labels(),
        f"{view.subject.name}:{page}:{current_language()}",
        linked=analysis.text == text,
        first=analysis.stretches[first].first if runs else 0,
        total=len(analysis),
        head=_head(view, analysis),
        version=version,
    )


def _head(view: ChipsView, analysis: Analysis) -> list[str]:
    """The part above the chips: the tokenizer's name, the counts, and notes on the tokenizer."""
    blocks = [name_html(view.letter, view.subject), counts_html(analysis)]
    blocks += [window_html(len(analysis), view.window)] if view.window else []
    blocks += [note_html(escape(remark_text(remark))) for remark in view.subject.notes]
    sample = analysis.text[:NORMALIZED_LIMIT]
    normalized = view.subject.normalized(sample)
    if normalized != sample:
        shown = token_html(normalized[:80]) + ("…" if len(normalized) > 80 else "")
        message = _(
            "This tokenizer normalizes text before looking for tokens: {text} (except special tokens). The chips show your original."
        )
        blocks.append(note_html(fill(message, text=f"<samp>{shown}</samp>")))
    return blocks


def name_html(letter: str, subject: ShownTokenizer) -> str:
    """The name of the tokens' tokenizer."""
    text = ngettext("{number} token in the vocabulary", "{number} tokens in the vocabulary", subject.size)
    size = escape(text.format(number=count(subject.size)))
    return f'<p class="ts whose"><i>{letter}</i> <b>{escape(subject.name)}</b> · {escape(subject.algorithm)} · {size}</p>'


def remark_text(remark: str) -> str:
    """A remark about a tokenizer, in the language in use; the tokenizer may have been loaded for somebody
    with another language."""
    if isinstance(remark, Phrase):
        return _(remark.template).format(**remark.evidence)
    return _(remark)


def chip_labels() -> dict[str, str]:
    """The words on the chips and around them."""
    return {
        "pane": _("Tokens"),
        "chip": _("{text}: {ids}"),
        "unknown": _("unk"),
        "ids": _("Ids"),
        "card": _("The token"),
        "hint": _("Point at a token, or move through them with the arrow keys."),
        "empty": _("No text, no tokens."),
        "token": _("Token {index} of {total}"),
        "tokens": _("Tokens {index} to {last} of {total}"),
        "characters": _("offsets ({start}, {end})"),
        "copy_ids": _("Copy ids"),
        "copy_tokens": _("Copy tokens"),
        "copy_text": _("Copy text"),
        "copied": _("copied: {number} of {total}"),
        "rest_one": ngettext("and {number} more", "and {number} more", 1),
        "rest_other": ngettext("and {number} more", "and {number} more", 2),
        "why": _(WHY_TAB),
        "language": current_language(),
    }


def cards_html(analysis: Analysis, runs: Iterable[TextRun]) -> dict[int, str]:
    """A card for each token in the runs: its facts, and its count in the text."""
    cards = {}
    for identifier in {piece.id for run in runs for piece in run.pieces}:
        times = analysis.occurrences[identifier]
        text = ngettext("once in this text", "{number} times in this text", times).format(number=count(times))
        cards[identifier] = f"{token_facts_html(analysis.subject, identifier)}<p>{escape(text)}</p>"
    return cards


def token_facts_html(subject: ShownTokenizer, identifier: int) -> str:
    """The facts about a token, whatever the text, in the language in use."""
    known = (identifier, current_language())
    result = _known_facts.get(subject, known)
    if result is None:
        result = _write_facts(subject, identifier)
        _known_facts.put(subject, known, result, len(result))
    return result


def _write_facts(subject: ShownTokenizer, identifier: int) -> str:
    token, data, facts = subject.token(identifier), subject.token_bytes(identifier), subject.facts(identifier)
    style = subject.style
    hexadecimal = " ".join(f"{byte:02X}" for byte in data[:32]) + (" …" if len(data) > 32 else "")
    rows = [
        (_("Id"), f"<code>{identifier}</code>"),
        (_("In the vocabulary"), f"<code>{token_html(token, style._replace(show='symbols'))}</code>"),
        (_("Bytes"), f"<code>{hexadecimal or '–'}</code>"),
        *_training_facts(facts, subject),
    ]
    if identifier == subject.unknown_id:
        rows.append((_("Kind"), escape(_("unknown: no token spells this"))))
    elif token in subject.only_added:
        rows.append((_("Kind"), escape(_("added token, not special: ordinary text that is kept whole"))))
    elif token in style.special_tokens:
        rows.append((_("Kind"), escape(_("special token"))))
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{value}</dd>" for name, value in rows)
    return f"<div>{chip(token, style)}<dl>{listed}</dl></div>"


def _training_facts(facts: Facts, subject: ShownTokenizer) -> list[tuple[str, str]]:
    rows = []
    if facts.parts is not None:
        parts = " + ".join(chip(part, subject.style) for part in facts.parts)
        rows.append((_("Merged from"), f'<span class="parts">{parts}</span>'))
    if facts.rank is not None:
        rows.append((_("Rank"), f"<code>{count(facts.rank)}</code>"))
    if facts.score is not None:
        rows.append((_("Log probability"), f"<code>{facts.score:.4f}</code>"))
    if facts.freq is not None:
        name = _("Count in training") if facts.parts is None else _("Pair's count at merge")
        rows.append((name, f"<code>{count(facts.freq)}</code>"))
    return rows
