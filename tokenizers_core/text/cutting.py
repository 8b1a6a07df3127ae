"""Pre-tokenizers composed of parts, as in files of the `tokenizers` library.

`splitting.py` has the named ones, used for training. These are for files from elsewhere: any sequence of cuts
at patterns, of marks for spaces, and of the byte alphabet. Source and oracle: the library's pre-tokenizers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise
from typing import Final, NamedTuple, Protocol, runtime_checkable

from tokenizers_core.text.patterns import PATTERNS, Stopwatch, finder, matches_in, regex
from tokenizers_core.text.rewriting import stopwatch_for
from tokenizers_core.text.spans import IdentitySpans, Span, origin_of
from tokenizers_core.text.splitting import (
    AS_BYTES,
    AS_IT_IS,
    BEHIND,
    PUNCTUATION,
    Notation,
    PreToken,
    align_bytes,
    show_bytes,
)

BEHAVIORS: Final = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
"""The fate of a match, in the library's words."""


class Piece(NamedTuple):
    """A stretch of text on its way to becoming a word."""

    text: str
    spans: Sequence[Span]
    """Where each character came from."""
    begins: bool
    """Whether the text begins with it."""

    def part(self, start: int, end: int) -> Piece:
        """The characters `start` to `end`."""
        begins = self.begins and (start == 0 or self.spans[start][0] == 0)
        return Piece(self.text[start:end], self.spans[start:end], begins)

    def in_front(self, mark: str) -> Piece:
        """With a mark before it, as part of its first character."""
        return self._replace(text=mark + self.text, spans=[self.spans[0], *self.spans])

    def behind(self, mark: str) -> Piece:
        """With a mark after it, as part of its last character."""
        return self._replace(text=self.text + mark, spans=[*self.spans, self.spans[-1]])


@runtime_checkable
class Cutter(Protocol):
    """One part of a pre-tokenizer."""

    rewrites: bool
    """Whether words differ from their stretches of text."""

    def cut(self, piece: Piece, stopwatch: Stopwatch) -> Iterable[Piece]:
        """The parts of a piece, which isn't empty."""


@dataclass(frozen=True)
class CutAt:
    """Cuts at the matches of a pattern. With `invert`, the text between the matches counts as the match.

    >>> def texts(behavior):
    ...     return [piece.text for piece in CutAt("-", behavior).cut(whole("a--b-"), stopwatch_for("-", ""))]
    >>> [texts(behavior) for behavior in BEHAVIORS]  # doctest: +NORMALIZE_WHITESPACE
    [['a', 'b'], ['a', '-', '-', 'b', '-'], ['a-', '-', 'b-'], ['a', '-', '-b', '-'], ['a', '--', 'b', '-']]
    """

    pattern: str
    behavior: str = "Isolated"
    invert: bool = False
    literal: bool = False
    """Whether the pattern is a plain text."""
    rewrites = False

    def matches(self, text: str, stopwatch: Stopwatch) -> list[Span]:
        if self.pattern in _PUBLISHED:
            return [match.span() for match in finder(self.pattern, text).finditer(text)]
        pattern = regex.escape(self.pattern, special_only=True) if self.literal else self.pattern
        return matches_in(text, pattern, stopwatch)

    def cut(self, piece: Piece, stopwatch: Stopwatch) -> Iterable[Piece]:
        size, matches = len(piece.text), self.matches(piece.text, stopwatch)
        if self.behavior == "Isolated" or (self.behavior == "Removed" and _adjoining(matches, size)):
            if self.behavior == "Removed" and not self.invert:
                return ()
            borders = sorted({0, size, *(edge for span in matches for edge in span)})
            return [piece.part(start, end) for start, end in pairwise(borders)]
        stretches = _GROUPED[self.behavior](_alternating(matches, size, self.invert))
        return [piece.part(start, end) for start, end in stretches if start < end]


_PUBLISHED: Final = frozenset(PATTERNS.values())
"""Patterns with a running time in proportion to the text."""

Matched = tuple[int, int, bool]
"""From where to where, and whether it is a match."""


def _adjoining(matches: Sequence[Span], size: int) -> bool:
    """Whether nothing is between the matches."""
    reached = 0
    for start, end in matches:
        if start != reached:
            return False
        reached = end
    return reached == size


def _alternating(matches: Iterable[Span], size: int, invert: bool) -> list[Matched]:
    """The matches and the stretches between them, in order."""
    stretches: list[Matched] = []
    reached = 0
    for start, end in matches:
        if start > reached:
            stretches.append((reached, start, invert))
        stretches.append((start, end, not invert))
        reached = end
    if reached < size:
        stretches.append((reached, size, invert))
    return stretches


def _unmatched(stretches: Sequence[Matched]) -> list[Span]:
    return [(start, end) for start, end, match in stretches if not match]


def _with_previous(stretches: Sequence[Matched]) -> list[Span]:
    """A match joins the stretch before it, unless that is a match."""
    joined: list[Span] = []
    after_match = False
    for start, end, match in stretches:
        if match and not after_match and joined:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
        after_match = match
    return joined


def _with_next(stretches: Sequence[Matched]) -> list[Span]:
    """A match joins the stretch after it, unless that is a match."""
    joined: list[Span] = []
    before_match = False
    for start, end, match in reversed(stretches):
        if match and not before_match and joined:
            joined[-1] = start, joined[-1][1]
        else:
            joined.append((start, end))
        before_match = match
    return joined[::-1]


def _contiguous(stretches: Sequence[Matched]) -> list[Span]:
    """Matches in a row are one."""
    joined: list[Span] = []
    last = False
    for start, end, match in stretches:
        if match == last and joined:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
        last = match
    return joined


_GROUPED: Final[dict[str, Callable[[Sequence[Matched]], list[Span]]]] = {
    "Removed": _unmatched,
    "MergedWithPrevious": _with_previous,
    "MergedWithNext": _with_next,
    "Contiguous": _contiguous,
}


@dataclass(frozen=True)
class Known:
    """A cut with a name in the library: WhitespaceSplit, Whitespace, BertPreTokenizer, Punctuation,
    Digits."""

    kind: str
    behavior: str = ""
    """Punctuation's; of digits "Isolated" for each by itself, else "Contiguous"."""
    rewrites = False

    def cut(self, piece: Piece, stopwatch: Stopwatch) -> Iterable[Piece]:
        pieces: Iterable[Piece] = [piece]
        for split in self._splits():
            pieces = [part for one in pieces for part in split.cut(one, stopwatch)]
        return pieces

    def _splits(self) -> Sequence[CutAt]:
        white_space = CutAt(r"\s", "Removed")
        match self.kind:
            case "WhitespaceSplit":
                return [white_space]
            case "Whitespace":
                return [CutAt(r"\w+|[^\w\s]+", "Removed", invert=True)]
            case "BertPreTokenizer":
                return [white_space, CutAt(f"[{PUNCTUATION}]", "Isolated")]
            case "Punctuation":
                return [CutAt(f"[{PUNCTUATION}]", self.behavior)]
            case _:
                return [CutAt(r"\p{N}", self.behavior)]


_SCRIPTS: Final = [
    "Zyyy",
    "Latn",
    "Hani",
    "Hira",
    "Kana",
    "Cyrl",
    "Grek",
    "Arab",
    "Hebr",
    "Deva",
    "Thai",
    "Hang",
    "Zinh",
    "Adlm",
    "Aghb",
    "Ahom",
    "Armi",
    "Armn",
    "Avst",
    "Bali",
    "Bamu",
    "Bass",
    "Batk",
    "Beng",
    "Berf",
    "Bhks",
    "Bopo",
    "Brah",
    "Brai",
    "Bugi",
    "Buhd",
    "Cakm",
    "Cans",
    "Cari",
    "Cham",
    "Cher",
    "Chrs",
    "Copt",
    "Cpmn",
    "Cprt",
    "Diak",
    "Dogr",
    "Dsrt",
    "Dupl",
    "Egyp",
    "Elba",
    "Elym",
    "Ethi",
    "Gara",
    "Geor",
    "Glag",
    "Gong",
    "Gonm",
    "Goth",
    "Gran",
    "Gujr",
    "Gukh",
    "Guru",
    "Hano",
    "Hatr",
    "Hluw",
    "Hmng",
    "Hmnp",
    "Hrkt",
    "Hung",
    "Ital",
    "Java",
    "Jurc",
    "Kali",
    "Kawi",
    "Khar",
    "Khmr",
    "Khoj",
    "Kits",
    "Knda",
    "Krai",
    "Kthi",
    "Lana",
    "Laoo",
    "Lepc",
    "Limb",
    "Lina",
    "Linb",
    "Lisu",
    "Lyci",
    "Lydi",
    "Mahj",
    "Maka",
    "Mand",
    "Mani",
    "Marc",
    "Medf",
    "Mend",
    "Merc",
    "Mero",
    "Miao",
    "Mlym",
    "Modi",
    "Mong",
    "Mroo",
    "Mtei",
    "Mult",
    "Mymr",
    "Nagm",
    "Nand",
    "Narb",
    "Nbat",
    "Newa",
    "Nkoo",
    "Nshu",
    "Ogam",
    "Olck",
    "Onao",
    "Orkh",
    "Orya",
    "Osge",
    "Osma",
    "Ougr",
    "Palm",
    "Pauc",
    "Pcun",
    "Perm",
    "Phag",
    "Phli",
    "Phlp",
    "Phnx",
    "Prti",
    "Qaai",
    "Rjng",
    "Rohg",
    "Runr",
    "Samr",
    "Sarb",
    "Saur",
    "Seal",
    "Sgnw",
    "Shaw",
    "Shrd",
    "Sidd",
    "Sidt",
    "Sind",
    "Sinh",
    "Sogd",
    "Sogo",
    "Sora",
    "Soyo",
    "Sund",
    "Sunu",
    "Sylo",
    "Syrc",
    "Tagb",
    "Takr",
    "Tale",
    "Talu",
    "Taml",
    "Tang",
    "Tavt",
    "Tayo",
    "Telu",
    "Tfng",
    "Tglg",
    "Thaa",
    "Tibt",
    "Tirh",
    "Tnsa",
    "Todr",
    "Tols",
    "Toto",
    "Tutg",
    "Ugar",
    "Vaii",
    "Vith",
    "Wara",
    "Wcho",
    "Xpeo",
    "Xsux",
    "Yezi",
    "Yiii",
    "Zanb",
]
"""Unicode's scripts by their codes, the most usual first."""
_ANY: Final = ""
"""The script of characters that belong to any: spaces, and unassigned code points."""


@cache
def _script(character: str) -> str:
    """A character's script, Chinese characters' for kana, as the library has it."""
    if character == " ":
        return _ANY
    if character == "ー":
        return "Hani"
    match = next((one for one in _SCRIPTS if regex.match(rf"\p{{Script={one}}}", character)), _ANY)
    return "Hani" if match in ("Hira", "Kana") else match


@dataclass(frozen=True)
class Scripts:
    """Cuts where the script changes: the library's UnicodeScripts. Digits and punctuation are a script of
    their own, a space has any.

    As in the library, spaces at the beginning are lost.

    >>> [piece.text for piece in Scripts().cut(whole("apple リンゴ яблоко 3"), stopwatch_for("", ""))]
    ['apple ', 'リンゴ ', 'яблоко ', '3']
    """

    rewrites = False

    def cut(self, piece: Piece, stopwatch: Stopwatch) -> Iterable[Piece]:
        del stopwatch
        borders: list[int] = []
        last = _ANY
        for index, character in enumerate(piece.text):
            script = _script(character)
            if script == _ANY:
                continue
            if last != script:
                borders.append(index)
            last = script
        return [piece.part(start, end) for start, end in pairwise([*borders, len(piece.text)])]


@dataclass(frozen=True)
class Marked:
    """Writes a mark for each space, and puts one in front: "always", only where a text begins ("first"), or
    "never"; or one at the end ("behind", SentencePiece's `treat_whitespace_as_suffix`).

    With `split`, each mark begins a piece, or ends one.
    """

    mark: str
    scheme: str = "always"
    split: bool = True
    rewrites = True

    def cut(self, piece: Piece, stopwatch: Stopwatch) -> Iterable[Piece]:
        piece = piece._replace(text=piece.text.replace(" ", self.mark))
        if self.scheme == "behind":
            if not piece.text.endswith(self.mark):
                piece = piece.behind(self.mark)
            return CutAt(self.mark, "MergedWithPrevious", literal=True).cut(piece, stopwatch)
        wanted = self.scheme == "always" or (self.scheme == "first" and piece.begins)
        if wanted and not piece.text.startswith(self.mark):
            piece = piece.in_front(self.mark)
        if not self.split:
            return [piece]
        return CutAt(self.mark, "MergedWithNext", literal=True).cut(piece, stopwatch)


@dataclass(frozen=True)
class Bytes:
    """Writes text in the byte alphabet; before that it may put a space in front, and cut like GPT-2."""

    add_prefix_space: bool = False
    use_regex: bool = False
    rewrites = True

    def cut(self, piece: Piece, stopwatch: Stopwatch) -> Iterable[Piece]:
        if self.add_prefix_space and not piece.text.startswith(" "):
            piece = piece.in_front(" ")
        cut = CutAt(PATTERNS["gpt2"]).cut(piece, stopwatch) if self.use_regex else [piece]
        return [
            one._replace(text=show_bytes(one.text), spans=align_bytes(one.text, one.spans)) for one in cut
        ]


def whole(text: str, spans: Sequence[Span] | None = None, begins: bool = True) -> Piece:
    """A text before it is cut; `spans` say where its characters came from."""
    return Piece(text, IdentitySpans(len(text)) if spans is None else spans, begins)


def named_parts(pre_tokenizer: str, pattern: str, cuts: Sequence[Cutter]) -> tuple[Cutter, ...]:
    """The parts of a named pre-tokenizer, and further cuts behind it; the byte alphabet comes last.

    >>> [
    ...     word.text
    ...     for word in ComposedSplitter(named_parts("byte_level", "gpt2", [DIGITS["each"]])).words("a 12")
    ... ]
    ['a', 'Ġ', '1', '2']
    """
    white_space = Known("WhitespaceSplit")
    named: dict[str, tuple[Cutter, ...]] = {
        "whitespace_split": (white_space,),
        "whitespace": (Known("Whitespace"),),
        "bert": (Known("BertPreTokenizer"),),
        "metaspace": (Marked("▁"),),
        "whitespace_split_metaspace": (white_space, Marked("▁")),
        BEHIND: (white_space, Marked("▁", "behind")),
        "whitespace_split_punctuation": (white_space, Known("Punctuation", "Isolated")),
        "none": (CutAt("\n", "Removed", literal=True), Marked("▁", "never", split=False)),
    }
    if pre_tokenizer == "byte_level":
        return (CutAt(PATTERNS.get(pattern, pattern)), *cuts, Bytes())
    return (*named[pre_tokenizer], *cuts)


DIGITS: Final[dict[str, Cutter]] = {
    "runs": Known("Digits", "Contiguous"),
    "each": Known("Digits", "Isolated"),
    "left": CutAt(r"\p{N}{1,3}"),
    "right": CutAt(r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))"),
}
"""How digits can be cut: all of a number in one word, each alone, or in groups of three from the left or from
the right."""

PIECE_DIGITS: Final = CutAt("[0-9０-９]")
"""Each digit alone as in SentencePiece (`split_digits`): numbers such as ² and ٣ are no digits there."""


class ComposedSplitter:
    """A pre-tokenizer from parts at work, with the interface of `Splitter`.

    >>> cutters = (CutAt(r"\\p{N}"), CutAt("[a-z]+"), Bytes())
    >>> [word.text for word in ComposedSplitter(cutters).words("a1 é")]
    ['a', '1', 'ĠÃ©']
    """

    def __init__(self, cutters: Sequence[Cutter], stopwatch: Stopwatch | None = None) -> None:
        """All texts share the time of a `stopwatch`; without one, each has its own."""
        own = tuple(cutters)
        self._stopwatch = stopwatch
        self.notation: Notation = AS_IT_IS
        if own and own[-1] == Bytes():
            self.notation, own = AS_BYTES, own[:-1]
        self._cutters = own
        self.in_place = not any(cutter.rewrites for cutter in own)
        """Whether words are stretches of the text, and so only shown differently."""

    def _pieces(self, piece: Piece) -> list[Piece]:
        stopwatch = self._stopwatch or stopwatch_for("", piece.text)
        pieces = [piece] if piece.text else []
        for cutter in self._cutters:
            pieces = [part for one in pieces for part in cutter.cut(one, stopwatch)]
        return pieces

    def matches(self, text: str, begins: bool = True, spans: Sequence[Span] | None = None) -> list[str]:
        """The words of a text, before they are shown in the `notation`; `spans` as for `words`."""
        return [piece.text for piece in self._pieces(whole(text, spans, begins))]

    def starts_of(self, text: str, matches: Sequence[str]) -> list[int]:
        """The starts of the words found by `matches`, if they are stretches of the text."""
        *starts, end = accumulate(map(len, matches), initial=0)
        if end == len(text):
            return starts
        return [piece.spans[0][0] for piece in self._pieces(whole(text))]

    def words(
        self, text: str, spans: Sequence[Span] | None = None, begins: bool = True
    ) -> Iterator[PreToken]:
        """The words with their places; `spans` say where the characters of the text came from."""
        show, align = self.notation
        for piece in self._pieces(whole(text, spans, begins)):
            start, end = origin_of(piece.spans, 0, len(piece.text))
            yield PreToken(show(piece.text), start, end, align(piece.text, piece.spans))
