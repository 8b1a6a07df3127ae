"""A text on its way to ids, drawn: the stages one below the other, everything under its original characters.

    data = stages_message(tokenizer, tokenizer.encode(text), [journey(tokenizer, text)], Style())

The drawing is a row of *atoms*: stretches of text with borders in every stage, so that
`assets/components/pipeline.js` may break lines between them. Learners' text becomes markup through
`tokensteps.drawing.tokens` alone; descriptions are plain text.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from enum import IntEnum
from html import escape

from tokenizers_core.encoding.encoding import Encoding
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.text.spans import Span
from tokensteps.drawing.chips import direction
from tokensteps.drawing.pipeline.journey import Journey, Placed, grouped
from tokensteps.drawing.tokens import PLAIN, Style, colour, readable, token_html
from tokensteps.language.i18n import _, count, listed, ngettext

CHARACTERS_DRAWN = 600
"""The most characters of a text to draw, stage by stage."""
UNBROKEN = 24
"""Characters up to which a pre-token stays on one line."""


class Stage(IntEnum):
    """A row of the drawing."""

    TEXT = 0
    NORMALIZED = 1
    WORDS = 2
    TOKENS = 3
    IDS = 4
    TYPES = 5
    WORD_IDS = 6
    SPECIAL = 7
    ATTENTION = 8


class StageDrawing:
    """An encoding as atoms, and a description of each item in them."""

    def __init__(
        self, tokenizer: Tokenizer, encoding: Encoding, journeys: Sequence[Journey], style: Style
    ) -> None:
        """`journeys` belong to the encoding's texts."""
        self.tokenizer = tokenizer
        self.encoding = encoding
        self.style = style
        self.tells: list[str] = []
        self.journeys = journeys

    def atoms(self) -> str:
        """The markup of all atoms, in the order of the tokens."""
        return "".join(self._atoms())

    def _atoms(self) -> Iterator[str]:
        begun: set[int | None] = set()
        sequences = self.encoding.sequence_ids
        for sequence, index in self._order():
            if sequence is None:
                name = max((one for one in begun if one is not None), default=0)
                yield self._atom(name, 1, self._stack(index, 1, 1, None))
                continue
            own = [position for position, of in enumerate(sequences) if of == sequence]
            yield from self._sequence(sequence, own, new=bool(begun & {0}))
            begun.add(sequence)

    def _order(self) -> Iterator[tuple[int | None, int]]:
        """Sequences and the template's tokens, with the tokens' places, in the order of the template."""
        index = 0
        for piece in self.encoding.pieces:
            yield piece.sequence, index
            index += 1 if piece.sequence is None else self.encoding.sequence_ids.count(piece.sequence)

    def _sequence(self, sequence: int, tokens: list[int], new: bool) -> Iterator[str]:
        """The atoms of one text."""
        result = self.journeys[sequence]
        shown = min(len(result.text), CHARACTERS_DRAWN)
        normalized = grouped(result.normalized)
        offsets = self.encoding.offsets
        stacks = grouped([Placed(str(index), *offsets[index]) for index in tokens])
        # Normalizing may make several pre-tokens of one character: they go side by side, as its tokens do.
        words = grouped(
            [Placed(str(position), word.start, word.end) for position, word in enumerate(result.words)]
        )
        bonds = [(one[0], one[1]) for one in (*normalized, *stacks)]
        bonds += [
            (first, last) for first, last, members in words if len(members) > 1 or last - first <= UNBROKEN
        ]
        removed, dropped = {*result.removed}, {*result.dropped}
        leftwards = direction(result.text) == "rtl"
        for start, end in uncut_spans(shown, bonds):
            parts = []
            for at in range(start, end):
                parts.append(self._character(sequence, at, at - start + 1, tokens, removed, dropped))
            for first, last, members in normalized:
                if start <= first < end:
                    parts.append(
                        self._cell(
                            Stage.NORMALIZED,
                            first,
                            min(last, end),
                            start,
                            [self._rewritten(sequence, one) for one in members],
                        )
                    )
            for first, last, members in words:
                if first < end and last > start:
                    items = [self._word(sequence, int(one.text), start, end) for one in members]
                    parts.append(self._cell(Stage.WORDS, max(first, start), min(last, end), start, items))
            for first, last, members in stacks:
                if start <= first < end:
                    inside = "".join(self._token(int(one.text), sequence) for one in members)
                    width = min(last, end) - first
                    parts.append(_area(Stage.TOKENS + 1, first - start + 1, width, inside, "stack"))
            turn = leftwards and direction(result.text[start:end]) != "rtl"
            yield self._atom(sequence, end - start, "".join(parts), new=new and start == 0, turn=turn)

    def _atom(self, sequence: int, columns: int, inside: str, new: bool = False, turn: bool = False) -> str:
        """One stretch; `new` begins a line, `turn` makes it run from left to right in a right-to-left
        text."""
        turned = " dir=ltr" if turn else ""
        return f'<div class=atom data-n={sequence}{" data-b" if new else ""}{turned} style="--n:{columns}">{inside}</div>'

    def _stack(self, index: int, column: int, width: int, sequence: int | None) -> str:
        return _area(Stage.TOKENS + 1, column, width, self._token(index, sequence), "stack")

    def _item(
        self,
        stage: Stage,
        sequence: int | None,
        span: Span,
        tell: str,
        inside: str,
        classes: str = "",
        token: int = -1,
    ) -> str:
        """An item to point at."""
        self.tells.append(tell)
        of = "" if sequence is None else f" data-q={sequence} data-s={span[0]} data-e={span[1]}"
        mark = f" data-i={token}" if token >= 0 else ""
        return f'<bdi class="i {classes}" role=option data-r={int(stage)}{of}{mark} data-t={len(self.tells) - 1}>{inside}</bdi>'

    def _cell(self, stage: Stage, first: int, last: int, start: int, items: list[str]) -> str:
        return _area(stage + 1, first - start + 1, last - first, "".join(items), "cell")

    def _character(
        self, sequence: int, at: int, column: int, tokens: list[int], removed: set[int], dropped: set[int]
    ) -> str:
        """A character of the text, and under it a sign if it was removed or is in no pre-token."""
        character, span = self.journeys[sequence].text[at], (at, at + 1)
        tell = self._tell_character(sequence, at, tokens, removed, dropped)
        inside = f"{token_html(character)}<small>{at}</small>"
        parts = [
            _area(
                Stage.TEXT + 1, column, 1, self._item(Stage.TEXT, sequence, span, tell, inside, "ch"), "cell"
            )
        ]
        if at in removed:
            gone = self._item(Stage.NORMALIZED, sequence, span, tell, "∅", "none")
            parts.append(_area(Stage.NORMALIZED + 1, column, 1, gone, "cell"))
        if at in dropped:
            gone = self._item(Stage.WORDS, sequence, span, tell, "∅", "none")
            parts.append(_area(Stage.WORDS + 1, column, 1, gone, "cell"))
        return "".join(parts)

    def _rewritten(self, sequence: int, one: Placed) -> str:
        was = self.journeys[sequence].text[one.start : one.end]
        tell = _("{character} after normalizing, from {original}, {place}.").format(
            character=described(one.text),
            original=quoted(was),
            place=self._where(sequence, one.start, one.end),
        )
        classes = "ch" if one.text == was else "ch new"
        return self._item(
            Stage.NORMALIZED, sequence, (one.start, one.end), tell, token_html(one.text), classes
        )

    def _word(self, sequence: int, index: int, start: int, end: int) -> str:
        """A pre-token, or the part of it in this atom."""
        word = self.journeys[sequence].words[index]
        special = word.text in self.tokenizer.special_tokens
        content = readable(word.text, PLAIN if special else self.style)
        message = _("Pre-token {number}: {text}, {place}.")
        if special:
            message = _("Special token {text}, cut out before anything else; pre-token {number}, {place}.")
        tell = message.format(
            number=index, text=f"“{content}”", place=self._where(sequence, word.start, word.end)
        )
        first, last = max(word.start, start), min(word.end, end)
        classes = "word"
        if word.start < start:
            classes += " from"
        if word.end > end:
            classes += " on"
        text = token_html(word.text, PLAIN if special else self.style)
        if word.start < start or word.end > end:
            text = token_html(self.journeys[sequence].text[first:last])
        return self._item(Stage.WORDS, sequence, (word.start, word.end), tell, text, classes)

    def _token(self, index: int, sequence: int | None) -> str:
        """A token with all its facts from the encoding, one below the other."""
        encoding = self.encoding
        token, identifier = encoding.tokens[index], encoding.ids[index]
        tell = self._tell_token(index, sequence)
        word, special = encoding.word_ids[index], encoding.special_tokens_mask[index]
        unknown = token == self.tokenizer.model.unk_token
        name = f'<span class="t c{colour(token)} {"s" if special or unknown else ""}">{token_html(token, self.style)}</span>'
        cells = (
            (Stage.TOKENS, name, "tok"),
            (Stage.IDS, str(identifier), "id"),
            (Stage.TYPES, str(encoding.type_ids[index]), f"n type{encoding.type_ids[index] % 3}"),
            (Stage.WORD_IDS, "–" if word is None else str(word), "n"),
            (Stage.SPECIAL, str(special), "n on1" if special else "n"),
            (Stage.ATTENTION, str(encoding.attention_mask[index]), "n"),
        )
        span = encoding.offsets[index]
        inside = "".join(
            self._item(stage, sequence, span, tell, text, classes, index) for stage, text, classes in cells
        )
        return f"<div class=col>{inside}</div>"

    # --- descriptions ---------------------------------------------------------------------------------------

    def _where(self, sequence: int, start: int, end: int) -> str:
        """A place in a text, in words."""
        if end - start == 1:
            text = _("character {start}").format(start=start)
        else:
            text = _("characters {start} to {end}").format(start=start, end=end)
        if len(self.journeys) == 1:
            return text
        return _("{place} of text {letter}").format(place=text, letter="AB"[sequence])

    def _tell_character(
        self, sequence: int, at: int, tokens: list[int], removed: set[int], dropped: set[int]
    ) -> str:
        result = self.journeys[sequence]
        position = self._where(sequence, at, at + 1)
        lines = [_("{character}, {place}").format(character=described(result.text[at]), place=position)]
        if at in removed:
            lines.append(_("normalizing removes it"))
            return _tell(lines)
        written = "".join(one.text for one in result.normalized if one.start <= at < one.end)
        if written != result.text[at]:
            lines.append(_("normalized to {text}").format(text=quoted(written)))
        if at in dropped:
            lines.append(_("it separates two words and is in no pre-token"))
            return _tell(lines)
        lines += [
            _("in pre-token {number}, {text}").format(
                number=number, text=f"“{readable(word.text, self.style)}”"
            )
            for number, word in enumerate(result.words)
            if word.start <= at < word.end
        ]
        encoding = self.encoding
        lines += [
            _("in token {number}, {text}, id {identifier}").format(
                number=index,
                text=f"“{readable(encoding.tokens[index], self.style)}”",
                identifier=count(encoding.ids[index]),
            )
            for index in tokens
            if encoding.offsets[index][0] <= at < encoding.offsets[index][1]
        ]
        return _tell(lines)

    def _tell_token(self, index: int, sequence: int | None) -> str:
        encoding = self.encoding
        lines = [
            _("Token {number}: {text}, id {identifier}").format(
                number=index,
                text=f"“{readable(encoding.tokens[index], self.style)}”",
                identifier=count(encoding.ids[index]),
            )
        ]
        start, end = encoding.offsets[index]
        if sequence is None:
            lines.append(_("added by the template, from no character of the text"))
        elif start == end:
            lines.append(_("from no character of the text"))
        else:
            lines.append(self._where(sequence, start, end))
            lines.append(_("of pre-token {number}").format(number=encoding.word_ids[index]))
        if encoding.tokens[index] == self.tokenizer.model.unk_token:
            lines.append(_("the vocabulary can't spell it"))
        lines.append(_("type {number}").format(number=encoding.type_ids[index]))
        return _tell(lines)


def _tell(parts: Sequence[str]) -> str:
    return _("{facts}.").format(facts=_("; ").join(parts))


def quoted(text: str) -> str:
    """A text within a sentence: in quotes, with names for invisible characters.

    >>> quoted("e "), quoted("")
    ('“e␣”', '∅')
    """
    return f"“{readable(text)}”" if text else "∅"


def described(character: str) -> str:
    """A character with its number and its name in Unicode.

    >>> described("é"), described("\\n")
    ('“é” (U+00E9 latin small letter e with acute)', '“⏎” (U+000A)')
    """
    name = unicodedata.name(character, "").lower()
    return f"“{readable(character)}” (U+{ord(character):04X}{' ' + name if name else ''})"


def uncut_spans(length: int, bonds: Sequence[Span]) -> Iterator[Span]:
    """A text cut at every place outside the bonds.

    >>> list(uncut_spans(5, [(0, 2), (1, 3)]))
    [(0, 3), (3, 4), (4, 5)]
    """
    reach = list(range(1, length + 1))
    for start, end in bonds:
        if start < length:
            reach[start] = max(reach[start], min(end, length))
    start = end = 0
    for at in range(length):
        if at == end and at > start:
            yield start, end
            start = at
        end = max(end, reach[at])
    if length:
        yield start, end


def _area(row: int, column: int, width: int, inside: str, classes: str) -> str:
    rows = f"{row} / {column} / span {6 if classes == 'stack' else 1} / span {max(1, width)}"
    return f'<div class={classes} style="grid-area:{rows}">{inside}</div>'


def stage_names() -> dict[Stage, str]:
    """The names of the stages."""
    return {
        Stage.TEXT: _("Text"),
        Stage.NORMALIZED: _("Normalized"),
        Stage.WORDS: _("Pre-tokens"),
        Stage.TOKENS: _("Tokens"),
        Stage.IDS: _("Ids"),
        Stage.TYPES: _("Type ids"),
        Stage.WORD_IDS: _("Word ids"),
        Stage.SPECIAL: _("Special?"),
        Stage.ATTENTION: _("Attention"),
    }


def stages_message(
    tokenizer: Tokenizer, encoding: Encoding, journeys: Sequence[Journey], style: Style
) -> bytes:
    """Pack the drawing for the browser; the same arguments always give the same bytes."""
    drawing = StageDrawing(tokenizer, encoding, journeys, style)
    pair = len(encoding.texts) > 1
    message = {
        "atoms": drawing.atoms(),
        "tells": drawing.tells,
        "names": "".join(f"<span>{escape(name)}</span>" for name in stage_names().values()),
        "ways": ["rtl" if direction(text) == "rtl" else "ltr" for text in encoding.texts],
        "texts": [_("Text A"), _("Text B")] if pair else [_("Text")],
        "labels": {
            "flow": _("The stages of the text"),
            "hint": _(
                "Point at anything, or choose it with the arrow keys, to see where it came from and what it becomes."
            ),
        },
    }
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


# --- The stages in words ------------------------------------------------------------------------------------


def summary_html(
    drawing_of: Sequence[Journey], encoding: Encoding, names: Sequence[str], unknown: str
) -> str:
    """The result of each stage, as four cards: `names` are the stages' choices."""
    rewritten = sum(len(result.rewritten) for result in drawing_of)
    removed = sum(len(result.removed) for result in drawing_of)
    words = sum(len(result.words) for result in drawing_of)
    dropped = sum(len(result.dropped) for result in drawing_of)
    added = sum(of is None for of in encoding.sequence_ids)
    own = len(encoding) - added
    unknowns = encoding.tokens.count(unknown) if unknown else 0
    text = (
        (
            _("Normalize"),
            _("{number} rewritten, {removed} removed").format(
                number=count(rewritten), removed=count(removed)
            ),
        ),
        (
            _("Split"),
            listed(
                (
                    ngettext("{number} pre-token", "{number} pre-tokens", words).format(number=count(words)),
                    ngettext("{number} character left out", "{number} characters left out", dropped).format(
                        number=count(dropped)
                    ),
                )
            ),
        ),
        (
            _("Model"),
            ngettext("{number} token, {unknown} unknown", "{number} tokens, {unknown} unknown", own).format(
                number=count(own), unknown=count(unknowns)
            ),
        ),
        (
            _("Post-process"),
            ngettext(
                "{added} added: {number} token in all", "{added} added: {number} tokens in all", len(encoding)
            ).format(added=count(added), number=count(len(encoding))),
        ),
    )
    cards = "".join(
        f"<li><b>{escape(title)}</b> <span>{escape(name)}</span><p>{escape(what)}</p></li>"
        for (title, what), name in zip(text, names, strict=True)
    )
    return f'<ol class="ts stages">{cards}</ol>'
