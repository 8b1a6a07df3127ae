"""The words of a vocabulary's check: findings about a token, tokens' ingredients, and the differences between
nearly equal ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tokensteps.language.i18n import N_

FINDINGS: Final[Mapping[str, str]] = {
    "never": N_("No text gives it"),
    "open": N_("Not settled"),
    "shown": N_("Only within other text"),
    "apart": N_("Special or added"),
    "own": N_("Its own text gives it"),
}
"""The findings about a token, in the order of a menu."""

KIND_WORDS: Final[Mapping[str, str]] = {
    "Latin": N_("Latin"),
    "Greek": N_("Greek script"),
    "Cyrillic": N_("Cyrillic"),
    "Han": N_("Chinese characters"),
    "Hiragana": N_("Hiragana"),
    "Katakana": N_("Katakana"),
    "Hangul": N_("Hangul"),
    "Arabic": N_("Arabic script"),
    "Hebrew": N_("Hebrew script"),
    "Devanagari": N_("Devanagari"),
    "Bengali": N_("Bengali script"),
    "Tamil": N_("Tamil script"),
    "Telugu": N_("Telugu script"),
    "Thai": N_("Thai script"),
    "Armenian": N_("Armenian script"),
    "Georgian": N_("Georgian script"),
    "Ethiopic": N_("Ethiopic"),
    "Khmer": N_("Khmer script"),
    "Myanmar": N_("Burmese script"),
    "other": N_("other scripts"),
    "mixed": N_("several scripts"),
    "digits": N_("digits"),
    "signs": N_("punctuation and symbols"),
    "space": N_("whitespace"),
    "bytes": N_("parts of characters"),
}
"""A token's ingredients, by `tokenizers_core/health/makeup.py`."""

FOLD_WORDS: Final[Mapping[str, str]] = {
    "normalizer": N_("what its normalizer removes"),
    "unicode": N_("how characters are encoded (NFKC)"),
    "capitals": N_("capitals"),
    "space": N_("a space in front"),
    "both": N_("capitals and a space in front"),
}
"""The kinds of nearly equal tokens, by their only difference."""
