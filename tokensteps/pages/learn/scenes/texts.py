"""The scenes on one text: letters, numbers, code, spaces. Each draws its boxes, and the tokenizers' results
for the typed text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import streamlit as st

from tokensteps.catalogue.analysis import Analysis, analyse
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.drawing.stage_markup import way_html
from tokensteps.drawing.tokens import PLAIN, chip
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.limits import SCENE_CODE, SENTENCE_LIMIT, WORD_SHOWN
from tokensteps.pages.learn.home_sentence import sentence_html
from tokensteps.runs.corpora import plain_text
from tokensteps.teaching.scenes.scene_inputs import DIGIT_RULES, cut_by
from tokensteps.teaching.scenes.scene_questions import GLITCH, PROMPT, SPELLED_WORD
from tokensteps.widgets.boxes import text_box

FIRST_CODE: Final = """\
def total(prices):
    found = 0
    for price in prices:
        if price:
            found += price
    return found
"""
FIRST_TEXTS: Final = {
    "letters": SPELLED_WORD,
    "numbers": "1234 × 5678",
    "code": FIRST_CODE,
    "glitch": GLITCH,
    "spaces": PROMPT,
}
"""Scene → the first text in its box."""
SECOND_TEXTS: Final = {"letters": "r", "spaces": "Hello"}
"""Scene → the first text in its second box."""


def text_key(scene: str) -> str:
    """The key of a scene's text in session state."""
    return f"matters.text.{scene}"


def second_text_key(scene: str) -> str:
    """The key of its second box's text in session state."""
    return f"matters.second.{scene}"


def text_of(scene: str, label: str, limit: int = SENTENCE_LIMIT) -> str | None:
    """The scene's box for a text; None if that is too long (with a message)."""
    return text_box(label, limit, key=text_key(scene), live="150ms", persist_state="session")


def second_of(scene: str, label: str, limit: int) -> str | None:
    """The scene's second box."""
    return text_box(label, limit, key=second_text_key(scene), live="150ms", persist_state="session")


def draw_rows(cells: Sequence[str]) -> None:
    """Draw the rows."""
    st.html(f'<div class="ts ways">{"".join(cells)}</div>')


def row(
    subject: ShownTokenizer, analysis: Analysis, remark: str = "", more: Sequence[tuple[str, int]] = ()
) -> str:
    """A tokenizer's row: its tokens with their ids, their number, `more` figures, and `remark`, markup."""
    figures = [(_("Tokens"), len(analysis)), *more, (_("Vocabulary"), subject.size)]
    return way_html(
        escape(subject.name),
        [(name, number, "") for name, number in figures],
        sentence_html(analysis, "real-tokens"),
        remark,
    )


def letters(subjects: Sequence[ShownTokenizer]) -> None:
    """The number of a letter in each token of a word."""
    left, right = st.columns([3, 1])
    with left:
        word = text_of("letters", _("A word, or several"))
    with right:
        letter = second_of("letters", _("A letter"), 1)
    if word is None or letter is None:
        return
    drawn = []
    for subject in subjects:
        analysis = analyse(subject, word, specials=False)
        spelled = [one.text for one in analysis.runs(0, len(analysis.stretches))]
        counts = [sum(one.lower() == letter.lower() for one in text) for text in spelled]
        message = _("{letter} in each token: {counts}. Together: {number}.").format(
            letter=letter, counts=" + ".join(map(count, counts)) or count(0), number=count(sum(counts))
        )
        drawn.append(row(subject, analysis, escape(message) if letter else ""))
    draw_rows(drawn)


def numbers(subjects: Sequence[ShownTokenizer]) -> None:
    """The cuts of a text's numbers by tokenizers and rules."""
    text = text_of("numbers", _("Numbers, or an exercise in arithmetic"))
    if text is None:
        return
    drawn = [row(subject, analyse(subject, text, specials=False)) for subject in subjects]
    for name, rule in DIGIT_RULES.items():
        pieces = cut_by(rule, text)
        shown = "".join(chip(piece, PLAIN) for piece in pieces)
        drawn.append(way_html(escape(_(name)), [(_("Pieces"), len(pieces), "")], shown, ""))
    draw_rows(drawn)


def blank_tokens(analysis: Analysis) -> int:
    """The number of tokens of nothing but white space."""
    return sum(not analysis.text[start:end].strip() and start < end for start, end in analysis.offsets)


def code(subjects: Sequence[ShownTokenizer]) -> None:
    """The cost of indentation before and after training on code."""
    text = plain_text(st.text_area(_("Code"), key=text_key("code"), height=190, persist_state="session"))
    if len(text) > SCENE_CODE:
        message = _(
            "The text has {size} characters; its first {limit} are shown. The playground takes all of it."
        )
        st.caption(message.format(size=count(len(text)), limit=count(SCENE_CODE)))
        text = text[:SCENE_CODE]
    drawn = []
    for subject in subjects:
        analysis = analyse(subject, text, specials=False)
        drawn.append(row(subject, analysis, more=[(_("White space alone"), blank_tokens(analysis))]))
    draw_rows(drawn)


def forms_of_word(word: str) -> list[str]:
    """A word with and without a space, in small letters and in capitals; each once.

    >>> forms_of_word("Hello"), forms_of_word("7")
    (['Hello', ' Hello', 'hello', ' hello', 'HELLO'], ['7', ' 7'])
    """
    return list(dict.fromkeys([word, f" {word}", word.lower(), f" {word.lower()}", word.upper()]))


def spaces(subjects: Sequence[ShownTokenizer]) -> None:
    """A prompt with a space at its end, and a word in several spellings."""
    left, right = st.columns([3, 1])
    with left:
        prompt = text_of("spaces", _("A prompt"))
    with right:
        word = second_of("spaces", _("A word"), WORD_SHOWN)
    if prompt is None or word is None:
        return
    drawn = []
    for subject in subjects:
        bare, spaced = (analyse(subject, text, specials=False) for text in (prompt, f"{prompt} "))
        spellings = [analyse(subject, form, specials=False) for form in forms_of_word(word) if form.strip()]
        ids = len({tuple(one.ids) for one in spellings})
        ends, forms = (
            f'<div class="spellings">{"".join(sentence_html(one, "real-tokens") for one in some)}</div>'
            for some in ((bare, spaced), spellings)
        )
        message = ngettext(
            "{number} way to write the word in ids.", "{number} ways to write the word in ids.", ids
        ).format(number=count(ids))
        figures = [(_("Tokens"), len(bare), ""), (_("With a space at the end"), len(spaced), "")]
        drawn.append(
            way_html(escape(subject.name), figures, f"{ends}{forms}", escape(message) if spellings else "")
        )
    draw_rows(drawn)
