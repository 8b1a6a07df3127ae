"""The length of encodings: truncation into windows, and padding.

Source and oracle: the `tokenizers` library, with its names and results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Final

from tokenizers_core.encoding.templates import LARGEST_TYPE
from tokenizers_core.errors import (
    Numbered,
    Phrase,
    SettingError,
    TruncationError,
    refuse_unknown_name,
    refuse_wrong_type,
)
from tokenizers_core.text.spans import Span

STRATEGIES: Final = ("longest_first", "only_first", "only_second")
"""Which of two texts is cut: the longer one, and then both; the first; the second."""

DIRECTIONS: Final = ("right", "left")
"""The side of a text to cut or pad."""


# --- Cutting ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Truncation:
    """Encodings have at most `max_length` tokens, including the template's; the rest goes into `overflowing`
    windows.

    A window begins with the last `stride` tokens of the one before it, and extends as far as there is room.
    With `direction` "left" the end of the text is kept, and the windows go towards its beginning.

    Raises SettingError, UnknownNameError when made: the stride has to be less than `max_length`.
    """

    max_length: int
    stride: int = 0
    strategy: str = "longest_first"
    direction: str = "right"

    def __post_init__(self) -> None:
        check_number("max_length", self.max_length, 1)
        check_number("stride", self.stride, 0)
        refuse_unknown_name("strategy", self.strategy, STRATEGIES)
        check_direction(self.direction)
        self.room(0)

    def room(self, added: int) -> int:
        """How many tokens of text fit beside `added` other tokens. Raises SettingError if the stride takes
        all the room.

        >>> Truncation(max_length=8, stride=2).room(3)
        5
        """
        room = self.max_length - added
        if room <= 0:
            raise SettingError(
                name="max_length",
                value=self.max_length,
                reason=Phrase(
                    Numbered(
                        "the template takes {added} token; choose at least {least}",
                        "the template takes {added} tokens; choose at least {least}",
                        by="added",
                    ),
                    added=added,
                    least=added + self.stride + 1,
                ),
            )
        if self.stride >= room:
            raise SettingError(
                name="stride",
                value=self.stride,
                reason=Phrase(
                    Numbered(
                        "max_length={max_length} leaves {room} token for text; choose less than {room}",
                        "max_length={max_length} leaves {room} tokens for text; choose less than {room}",
                        by="room",
                    ),
                    max_length=self.max_length,
                    room=room,
                ),
            )
        return room

    def windows(self, lengths: Sequence[int], added: int) -> list[list[Span]]:
        """The windows of each text, given the texts' lengths in tokens. Raises SettingError, TruncationError.

        >>> Truncation(max_length=7, stride=1).windows([2, 5], added=3)
        [[(0, 2)], [(0, 2), (1, 3), (2, 4), (3, 5)]]
        """
        rooms = self.rooms(lengths, self.room(added))
        return [
            windows(length, room, self.stride, self.direction)
            for length, room in zip(lengths, rooms, strict=True)
        ]

    def rooms(self, lengths: Sequence[int], room: int) -> Sequence[int]:
        """How much of `room` each text gets. Raises TruncationError.

        >>> Truncation(10).rooms([4, 9], 10), Truncation(10).rooms([7, 9], 9)
        ([4, 6], [4, 5])
        >>> Truncation(10, strategy="only_second").rooms([4, 9], 10)
        [4, 6]
        """
        excess = sum(lengths) - room
        if excess <= 0:
            return lengths
        if self.strategy == "longest_first":
            return share(lengths, room)
        cut = STRATEGIES.index(self.strategy) - 1
        if cut >= len(lengths):
            raise TruncationError(why="no_second", strategy=self.strategy)
        if lengths[cut] <= excess:
            raise TruncationError(
                why="too_short",
                strategy=self.strategy,
                length=lengths[cut],
                excess=excess,
                minimum=self.max_length + excess - lengths[cut] + 1,
            )
        return [length - excess * (index == cut) for index, length in enumerate(lengths)]


def share(lengths: Sequence[int], room: int) -> list[int]:
    """Room for texts that are too long together: the longer is cut first, then both to half each, as in the
    library.

    If the halves differ, the longer text gets the larger half; of two equally long texts, the second does.

    >>> share([12], 5), share([2, 9], 7), share([9, 8], 7), share([8, 8], 7)
    ([5], [2, 5], [4, 3], [3, 4])
    """
    if len(lengths) == 1:
        return [room]
    short, long = sorted(lengths)
    if room - short >= short:
        long = room - short
    else:
        short, long = room // 2, room - room // 2
    return [long, short] if lengths[0] > lengths[1] else [short, long]


def windows(length: int, room: int, stride: int, direction: str) -> list[Span]:
    """The stretches of `length` tokens that fit into `room`, the kept one first. Raises TruncationError.

    Without any room nothing is kept, and everything is left over in one stretch.

    >>> windows(7, 4, 2, "right"), windows(7, 4, 1, "left"), windows(3, 0, 0, "right")
    ([(0, 4), (2, 6), (4, 7)], [(3, 7), (0, 4)], [(0, 0), (0, 3)])
    """
    if length <= room:
        return [(0, length)]
    if not room:
        return [(0, 0), (0, length)]
    if stride >= room:
        raise TruncationError(why="stride", stride=stride, room=room)
    starts = range(0, length - stride, room - stride)
    results = [(start, min(start + room, length)) for start in starts]
    return results if direction == "right" else [(length - end, length - start) for start, end in results]


# --- Padding ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Padding:
    """Makes the encodings of a batch equally long: pads are added on the `direction` side of shorter ones.

    They get the length `length`, or else the longest one's in the batch, rounded up to a multiple of
    `multiple_of` if given. Nothing is cut. As in the library, `pad_token` needn't be the vocabulary's token
    for `pad_id`.

    Raises SettingError, UnknownNameError when made.
    """

    pad_id: int = 0
    pad_type_id: int = 0
    pad_token: str = "[PAD]"
    direction: str = "right"
    length: int | None = None
    multiple_of: int | None = None

    def __post_init__(self) -> None:
        check_number("pad_id", self.pad_id, 0)
        check_number("pad_type_id", self.pad_type_id, 0)
        refuse_wrong_type("pad_token", self.pad_token, str, "name a token, such as '[PAD]'")
        if self.length is not None:
            check_number("length", self.length, 0)
        if self.multiple_of is not None:
            check_number("multiple_of", self.multiple_of, 1)
        if self.pad_type_id > LARGEST_TYPE:
            raise SettingError(
                name="pad_type_id",
                value=self.pad_type_id,
                reason=Phrase("choose at most {most}", most=LARGEST_TYPE),
            )
        check_direction(self.direction)

    def target(self, longest: int) -> int:
        """The length to be reached, given the longest of the batch.

        >>> Padding().target(5), Padding(multiple_of=8).target(5), Padding(length=12, multiple_of=8).target(5)
        (5, 8, 16)
        """
        target = longest if self.length is None else self.length
        return target if self.multiple_of is None else -(-target // self.multiple_of) * self.multiple_of


def check_number(name: str, value: object, least: int) -> None:
    """Raise SettingError if a setting is not a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise SettingError(
            name=name, value=value, reason=Phrase("choose a whole number of at least {least}", least=least)
        )


def check_direction(direction: str) -> None:
    """Raise UnknownNameError if this isn't a side of a text."""
    refuse_unknown_name("direction", direction, DIRECTIONS)
