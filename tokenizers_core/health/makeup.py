"""The makeup of a vocabulary: scripts, lengths, spaces, digits, indentation, bytes, and nearly equal
tokens."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from tokenizers_core.text.patterns import regex

SCRIPTS: Final = (
    "Latin", "Greek", "Cyrillic", "Han", "Hiragana", "Katakana", "Hangul", "Arabic", "Hebrew", "Devanagari", "Bengali", "Tamil",
    "Telugu", "Thai", "Armenian", "Georgian", "Ethiopic", "Khmer", "Myanmar",
)  # fmt: skip
"""The recognized scripts, by Unicode's names; all others are "other"."""
_KINDS: Final = {
    "space": r"\s+",
    "digits": r"\s?\p{N}+",
    "signs": r"\s?[^\s\p{L}\p{N}\p{M}]+",
}
_LETTERS: Final = regex.compile(r"\p{L}")
_SCRIPT_OF: Final = regex.compile(
    "|".join([rf"(?P<{name}>\p{{{name}}})" for name in SCRIPTS] + [r"(?P<Common>[\p{Common}\p{Inherited}])"])
)
_KIND_OF: Final = regex.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _KINDS.items()))


def kind_of(data: bytes) -> str:
    """A token's kind: the script of its letters ("mixed" for several, "other" for a rare one), or "digits",
    "signs" or "space" without letters, or "bytes" if it is no whole text.

    >>> [kind_of(text.encode()) for text in (" the", "naïve", "кот", "日本", "の日", " 2026", "!?", "\\n\\t")]
    ['Latin', 'Latin', 'Cyrillic', 'Han', 'mixed', 'digits', 'signs', 'space']
    >>> kind_of(b"\\xe3\\x81"), kind_of(b"")
    ('bytes', 'signs')
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "bytes"
    if match := _KIND_OF.fullmatch(text):
        return str(match.lastgroup)
    names = set()
    for letter in _LETTERS.findall(text):
        script = _SCRIPT_OF.match(letter)
        names.add(str(script.lastgroup) if script else "other")
    names.discard("Common")
    if len(names) > 1:
        return "mixed"
    return names.pop() if names else "signs"


class Makeup(NamedTuple):
    """Counts over the tokens of the model: special and added ones are left out."""

    tokens: int
    kinds: Mapping[str, int]
    """By `kind_of`, the most frequent first."""
    lengths: Mapping[int, int]
    """By length in characters; tokens with incomplete characters are left out."""
    spaced: int
    """Tokens with a space before something else."""
    inside: int
    """Tokens with a continuation prefix: they occur inside words only."""
    digits: Mapping[int, int]
    """By the number of digits: tokens of 0 to 9 only, with or without a space in front."""
    spaces: Mapping[str, tuple[int, ...]]
    """The lengths of tokens of nothing but spaces (" "), tabs or line feeds."""
    longest: tuple[int, ...]
    """The ids of the longest tokens, in bytes, the longest first."""


LONGEST_LISTED: Final = 100
_DIGITS: Final = regex.compile(r" ?([0-9]+)")


def makeup_of(tokens: Mapping[int, bytes], inside: Iterable[int] = ()) -> Makeup:
    """The makeup of tokens, given their bytes by id, and the ids of tokens with a continuation prefix.

    >>> makeup = makeup_of({0: b" the", 1: b"12", 2: b"  ", 3: b" 7"})
    >>> makeup.spaced, makeup.digits, makeup.spaces[" "], makeup.longest[0], makeup.lengths
    (2, {1: 1, 2: 1}, (2,), 0, {2: 3, 4: 1})
    """
    kinds: Counter[str] = Counter()
    lengths: Counter[int] = Counter()
    digits: Counter[int] = Counter()
    spaces: dict[str, set[int]] = {" ": set(), "\t": set(), "\n": set()}
    spaced = 0
    for data in tokens.values():
        kinds[kind_of(data)] += 1
        spaced += data.startswith(b" ") and bool(data.strip(b" "))
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        lengths[len(text)] += 1
        if match := _DIGITS.fullmatch(text):
            digits[len(match[1])] += 1
        if len(set(text)) == 1 and text[0] in spaces:
            spaces[text[0]].add(len(text))
    longest = sorted(tokens, key=lambda identifier: (-len(tokens[identifier]), identifier))
    return Makeup(
        len(tokens),
        dict(kinds.most_common()),
        dict(sorted(lengths.items())),
        spaced,
        len({*inside}),
        dict(sorted(digits.items())),
        {sign: tuple(sorted(match)) for sign, match in spaces.items()},
        tuple(longest[:LONGEST_LISTED]),
    )


# --- Nearly equal tokens ------------------------------------------------------------------------------------

Fold = Callable[[str], str]
FOLDS: Final[Mapping[str, Fold]] = {
    "unicode": lambda text: unicodedata.normalize("NFKC", text),
    "capitals": str.casefold,
    "space": lambda text: text.removeprefix(" "),
    "both": lambda text: text.removeprefix(" ").casefold(),
}
"""Small differences between two tokens: ways of writing the same characters, capitals, a space in front, or
the last two."""
GROUPS_LISTED: Final = 500


class Doubles(NamedTuple):
    """Tokens with the same folded text."""

    number: int
    """Number of superfluous tokens, if one of each group stayed."""
    groups: tuple[tuple[int, ...], ...]
    """The ids of each group, the largest groups first, some hundred at most."""


def doubles(texts: Mapping[int, str], fold: Fold) -> Doubles:
    """The tokens with the same non-empty text after `fold`.

    >>> doubles({0: "The", 1: " the", 2: "the", 3: " "}, FOLDS["both"])
    Doubles(number=2, groups=((0, 1, 2),))
    """
    results: defaultdict[str, list[int]] = defaultdict(list)
    for identifier, text in texts.items():
        if folded := fold(text):
            results[folded].append(identifier)
    groups = sorted(
        (tuple(group) for group in results.values() if len(group) > 1), key=lambda group: (-len(group), group)
    )
    return Doubles(sum(len(group) - 1 for group in groups), tuple(groups[:GROUPS_LISTED]))
