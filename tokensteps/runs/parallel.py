"""Forty short lines that say the same in six languages, written for this app: what a vocabulary costs each language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from tokensteps.assets import read_asset
from tokensteps.language.i18n import N_

PARALLEL_LANGUAGES: Final[Mapping[str, str]] = {
    "en": N_("English"),
    "de": N_("German"),
    "es": N_("Spanish"),
    "ru": N_("Russian"),
    "zh": N_("Chinese"),
    "hi": N_("Hindi"),
}
"""Language (BCP 47) → its name: four scripts, Latin, Cyrillic, Han and Devanagari."""


@cache
def parallel_lines() -> Mapping[str, tuple[str, ...]]:
    """Language → its lines; the same number of a line is the same sentence.

    >>> [lines[7] for lines in parallel_lines().values()][:3]
    ['The bread is still warm.', 'Das Brot ist noch warm.', 'El pan todavía está caliente.']
    """
    return {
        language: tuple(read_asset(f"corpora/parallel/{language}.txt").splitlines())
        for language in PARALLEL_LANGUAGES
    }
