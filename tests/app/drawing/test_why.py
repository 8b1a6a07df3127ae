"""The text about a split that a tokenizer doesn't make (`drawing/narration/why.py`), and drawings of stages
and lineages.

Oracle: the reasons' own evidence; the sentences are spelled out for one worked example of each kind.
"""

from __future__ import annotations

import pytest

from tokenizers_core.encoding.reasons import (
    Chosen,
    LessProbable,
    LongerMatch,
    MergedAcross,
    Misspelled,
    NotInVocabulary,
    OverLimit,
    RankedPair,
    Reason,
    TiedSplit,
    UnknownCharacter,
    Unreachable,
    WholeWord,
)
from tokensteps.drawing.narration.text_format import Marked, Plain
from tokensteps.drawing.narration.why import tell_reason
from tokensteps.drawing.pipeline.why import StageRow, reason_html, stages_html
from tokensteps.drawing.tokens import Style

PLAIN = Plain(Style())
SE, ETTLE, AA = RankedPair("se", "tt", 812), RankedPair("s", "ettle", 31337), RankedPair("a", "a", 0)
TOLD: list[tuple[Reason, str, str]] = [
    (Chosen(("a",)), "This is the split that the tokenizer makes.", ""),
    (Misspelled("ab"), "These tokens don't spell ab: change them, or choose another split.", ""),
    (NotInVocabulary("##ish"), "##ish is not in the vocabulary.", ""),
    (
        OverLimit(101, 100, "[UNK]"),
        "The word has 101 characters. Words of more than 100 are not looked up: it is [UNK] as a whole.",
        "",
    ),
    (OverLimit(17, 16), "A piece of 17 characters is never looked for: the longest have 16.", ""),
    (
        WholeWord("hug"),
        "hug is a token itself, and this tokenizer takes such words whole, without merging.",
        "",
    ),
    (UnknownCharacter("aé", "é", ()), "é is not a token, so it is left out before anything is merged.", ""),
    (
        UnknownCharacter("aé", "é", ("<0xC3>", "<0xA9>")),
        "é is not a token: <0xC3> <0xA9> stands for it before anything is merged.",
        "",
    ),
    (
        Unreachable("abc", ("a", "bc"), (RankedPair("ab", "c", 7),)),
        "abc is in the vocabulary, but merging never makes it here: by itself it becomes a bc.",
        "ab + c, rank 7, would make it, but these two are never side by side.",
    ),
    (
        Unreachable("abc", ("a", "bc"), ()),
        "abc is in the vocabulary, but merging never makes it here: by itself it becomes a bc.",
        "No learned merge makes it.",
    ),
    (
        MergedAcross(SE, ETTLE, 2),
        "s + ettle has rank 31,337; se + tt came first, rank 812.",
        "It joined what this split keeps apart, and no merge is undone.",
    ),
    (
        MergedAcross(SE, ETTLE, 2, final=False),
        "s + ettle has rank 31,337; se + tt came first, rank 812.",
        "It joined what this split keeps apart.",
    ),
    (
        MergedAcross(SE, None, 2),
        "Both tokens are made on the way, but they are merged further: se + tt has rank 812.",
        "",
    ),
    (
        MergedAcross(AA, AA, 1),
        "a + a has rank 0 and occurs in two places that overlap.",
        "Merging goes from left to right, so the left one was merged.",
    ),
    (
        LongerMatch("h", "hug", ""),
        "hug is in the vocabulary too, and longer than h: the longest match is taken.",
        "",
    ),
    (
        LongerMatch("h", "hu", "gs"),
        "hu is in the vocabulary too, and longer than h: the longest match is taken.",
        "Later no token begins the rest, gs, so the whole word is [UNK].",
    ),
    (
        LessProbable(-8.31, -6.0, ("h", "ug"), (), -20.0),
        "This split costs 2.31 nats more than h · ug: it is 10.1 times less probable.",
        "Its log probability is −8.310, that of the best split −6.000.",
    ),
    (
        LessProbable(-26.0, -6.0, ("h", "ug"), ("x",), -20.0),
        "This split costs 20.00 nats more than h · ug: it is 4.9 × 10⁸ times less probable.",
        "Its log probability is −26.000, that of the best split −6.000. x is no piece: it counts as an unknown character, with a log "
        "probability of −20.000.",
    ),
    (
        TiedSplit("ug", "g", 3, False),
        "This split is just as probable.",
        "At boundary 3, ug and g tie: the longer piece is met first, and kept.",
    ),
    (
        TiedSplit("g", "ug", 3, True),
        "This split is just as probable.",
        "At boundary 3, g and ug tie, apart from rounding, which decides.",
    ),
]


@pytest.mark.parametrize(("reason", "lead", "why"), TOLD, ids=lambda one: getattr(one, "kind", None))
def test_every_reason_is_explained(reason: Reason, lead: str, why: str) -> None:
    assert tell_reason(reason, PLAIN, "[UNK]") == (lead, why)
    assert "<b>" not in lead and tell_reason(reason, Marked(Style()), "[UNK]").lead


def test_hostile_texts_are_escaped() -> None:
    attack = "<img src=x onerror=alert(1)>"
    drawn = stages_html(
        attack, [StageRow("NFC", attack, (attack, "b"))], StageRow("BPE", "", (attack,)), Style()
    )
    drawn += reason_html((attack,), NotInVocabulary(attack), Style(), attack)
    assert "<img" not in drawn and drawn.count("&lt;img") == 6


def test_a_stage_without_a_change_has_a_note() -> None:
    rows = [StageRow("NFC", "normalizer", (" é",)), StageRow("ByteLevel", "pre-tokenizer", ("ĠÃ©",), True)]
    drawn = stages_html(" é", rows, StageRow("BPE", "model", ("ĠÃ©",)), Style(byte_level=True, show="spaces"))
    assert "unchanged" in drawn and "Ġé" in drawn and "Ã" not in drawn and drawn.count("␣é") == 2
    assert "nothing is left" in stages_html(
        " ", [StageRow("Strip", "", ())], StageRow("BPE", "", ()), Style()
    )
