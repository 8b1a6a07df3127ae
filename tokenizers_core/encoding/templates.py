"""A tokenizer's template of special tokens around a text, or two: `[CLS] $A [SEP]`.

Source: the syntax comes from the `tokenizers` library's `TemplateProcessing`; the templates come from the
published models' papers and the Hugging Face course.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tokenizers_core.errors import TemplateError, refuse_wrong_type
from tokenizers_core.lazy import cached_property

LARGEST_TYPE: Final = 2**32 - 1
"""The largest type id: the library keeps it in 32 bits."""


class TemplatePiece(NamedTuple):
    """One place in a template: a special token (`token`), or the tokens of a text (`sequence`); the other is
    None."""

    token: str | None
    sequence: int | None
    """0 for the first text, 1 for the second."""
    type_id: int

    @property
    def written(self) -> str:
        """The piece as a template writes it.

        >>> TemplatePiece("[SEP]", None, 1).written, TemplatePiece(None, 0, 0).written
        ('[SEP]:1', '$A:0')
        """
        name = self.token if self.sequence is None else f"${'AB'[self.sequence]}"
        return f"{name}:{self.type_id}"


ONE_TEXT: Final = (TemplatePiece(None, 0, 0),)
"""The pieces to use if there is no template."""

TWO_TEXTS: Final = (*ONE_TEXT, TemplatePiece(None, 1, 1))
"""The same for a pair: the second text follows the first, with type 1."""


@dataclass(frozen=True)
class Template:
    """The special tokens around a `single` text, and around a `pair`: pieces separated by spaces, each `name`
    or `name:type`.

    `$A` and `$B` are the tokens of the first and the second text; any other name is a special token. The
    type, a whole number, is 0 unless given. As in the library `$` is also `$A`, and `$2` is `$A:2`. So
    special tokens with a space or a colon, or with a `$` in front, can't be written here.

    Raises TemplateError: one text needs `$A` and has no `$B`, a pair needs both, each of them once.

    >>> template = Template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
    >>> template.single_pieces[1]
    TemplatePiece(token=None, sequence=0, type_id=0)
    >>> [piece.written for piece in template.pair_pieces]
    ['[CLS]:0', '$A:0', '[SEP]:0', '$B:1', '[SEP]:1']
    >>> template.special_tokens, template.added(pair=False), template.added(pair=True)
    (('[CLS]', '[SEP]'), 2, 3)
    """

    single: str
    pair: str

    def __post_init__(self) -> None:
        for name, written in (("single", self.single), ("pair", self.pair)):
            refuse_wrong_type(name, written, str, "write the text's place and its tokens, such as '[CLS] $A'")
        check(self.single, self.single_pieces, pair=False)
        check(self.pair, self.pair_pieces, pair=True)

    @cached_property
    def single_pieces(self) -> tuple[TemplatePiece, ...]:
        """The pieces around one text, in order."""
        return parse(self.single)

    @cached_property
    def pair_pieces(self) -> tuple[TemplatePiece, ...]:
        """The pieces around two texts, in order."""
        return parse(self.pair)

    @cached_property
    def special_tokens(self) -> tuple[str, ...]:
        """The names of the special tokens, in order of first appearance."""
        pieces = (*self.single_pieces, *self.pair_pieces)
        return tuple(dict.fromkeys(piece.token for piece in pieces if piece.token is not None))

    def pieces(self, pair: bool, add_special_tokens: bool = True) -> tuple[TemplatePiece, ...]:
        """The pieces around one text or a pair; without special tokens only the texts' places.

        >>> [
        ...     piece.written
        ...     for piece in Template("<s> $A", "<s> $B $A:1").pieces(True, add_special_tokens=False)
        ... ]
        ['$B:0', '$A:1']
        """
        pieces = self.pair_pieces if pair else self.single_pieces
        return pieces if add_special_tokens else tuple(piece for piece in pieces if piece.token is None)

    def written_with(self, token: str) -> str:
        """Whichever of the two templates has a special token; the first if both have it."""
        return self.single if any(piece.token == token for piece in self.single_pieces) else self.pair

    def added(self, pair: bool) -> int:
        """The number of special tokens put around one text, or around a pair."""
        return sum(piece.token is not None for piece in self.pieces(pair))


def parse(template: str) -> tuple[TemplatePiece, ...]:
    """The pieces of one template. Raises TemplateError.

    >>> parse("$A <sep> <cls>:2")[2]
    TemplatePiece(token='<cls>', sequence=None, type_id=2)
    """
    return tuple(parse_piece(written, template) for written in template.split(" ") if written)


def parse_piece(written: str, template: str) -> TemplatePiece:
    """One piece of `template`. Raises TemplateError."""
    name, colon, number = written.partition(":")
    if not name:
        raise TemplateError(template=template, piece=written, why="no_name")
    if colon and not is_type(number):
        raise TemplateError(template=template, piece=written, why="type")
    type_id = int(number) if colon else 0
    if not name.startswith("$"):
        return TemplatePiece(name, None, type_id)
    text = name[1:]
    if text in ("B", "b"):
        return TemplatePiece(None, 1, type_id)
    if text in ("", "A", "a"):
        return TemplatePiece(None, 0, type_id)
    if is_type(text):
        return TemplatePiece(None, 0, type_id if colon else int(text))
    raise TemplateError(template=template, piece=written, why="unknown_text")


def is_type(text: str) -> bool:
    """Whether a text is a type id, written in plain digits."""
    # Python would refuse to read a number with thousands of digits.
    return text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= LARGEST_TYPE


def check(template: str, pieces: tuple[TemplatePiece, ...], pair: bool) -> None:
    """Check that each text has exactly one place. Raises TemplateError."""
    positions = [piece.sequence for piece in pieces if piece.sequence is not None]
    if not pair and 1 in positions:
        raise TemplateError(template=template, piece="$B", why="second_text")
    for sequence, piece in enumerate(("$A", "$B") if pair else ("$A",)):
        if sequence not in positions:
            raise TemplateError(template=template, piece=piece, why="no_pair" if pair else "no_text")
        if positions.count(sequence) > 1:
            raise TemplateError(template=template, piece=piece, why="twice")


TEMPLATES: Final[Mapping[str, Template | None]] = {
    "none": None,
    "bert": Template("[CLS]:0 $A:0 [SEP]:0", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"),
    "roberta": Template("<s> $A </s>", "<s> $A </s> </s> $B </s>"),
    # On the right of the text, with a type of its own: XLNet has `<cls>` last.
    "xlnet": Template("$A:0 <sep>:0 <cls>:2", "$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2"),
    "t5": Template("$A </s>", "$A </s> $B </s>"),
}
"""Templates by their best-known model; None adds nothing to a text."""
