"""Numbers as text: probabilities, logarithms, losses, shares, with a true minus sign and only as many digits
as are useful; and whole numbers back from text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from tokensteps.language.i18n import UNSPACED, count, current_language

FULL_WIDTH: Final = {0x3000: 0x20, **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}}
"""Full-width characters and spaces, as Chinese and Japanese keyboards type them, to ASCII ones."""
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def read_whole(text: str | None) -> int | None:
    """A whole number in at most nine ASCII digits; None for any other text.

    >>> [read_whole(text) for text in ("12", "-1", "2²", "٢", "9" * 10, "", None)]
    [12, None, None, None, None, None, None]
    """
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def log_text(log_probability: float, digits: int = 3) -> str:
    """A log probability with a true minus sign.

    >>> log_text(-5.2135), log_text(-2.45, 2), log_text(0.0)
    ('−5.213', '−2.45', '0')
    """
    if not log_probability:
        return "0"
    text = f"{abs(log_probability):.{digits}f}"
    return f"−{text}" if log_probability < 0 and float(text) else text


def probability_text(log_probability: float) -> str:
    """A probability, given by its log, to four significant digits.

    >>> [probability_text(math.log(number)) for number in (36 / 210, 16 / 210, 0.00544217687, 4.2e-7)]
    ['0.1714', '0.07619', '0.005442', '4.200 × 10⁻⁷']
    >>> probability_text(-2000)
    '2.577 × 10⁻⁸⁶⁹'
    """
    if log_probability >= math.log(0.0001):
        return f"{math.exp(log_probability):.4g}"
    return _with_power(log_probability, 3)


def _with_power(log: float, digits: int) -> str:
    """A number, given by its log, as a power of ten with this many decimals before it.

    >>> _with_power(math.log(9.96e30), 1), _with_power(math.log(3e-6), 0)
    ('1.0 × 10³¹', '3 × 10⁻⁶')
    """
    exponent = math.floor(log / math.log(10))
    mantissa = f"{math.exp(log - exponent * math.log(10)):.{digits}f}"
    if mantissa.startswith("10"):
        mantissa, exponent = f"{1:.{digits}f}", exponent + 1
    return f"{mantissa} × 10{str(exponent).translate(SUPERSCRIPT)}"


def percent(number: str) -> str:
    """A number with a percent sign, spaced as in the language in use.

    >>> percent("12")
    '12 %'
    """
    return number + ("%" if current_language() in UNSPACED else " %")


def share_text(share: float) -> str:
    """A share as a percentage.

    >>> [share_text(share) for share in (1.0, 0.99999, 0.61, 0.0123, 0.00012, 1e-9)]
    ['100 %', '> 99.9 %', '61.0 %', '1.2 %', '0.012 %', '< 0.01 %']
    """
    if share > 1 - 1e-9:
        return percent("100")
    if share >= 0.9995:
        return percent("> 99.9")
    if share < 0.0001:
        return percent("< 0.01")
    return percent(f"{100 * share:.1f}" if share >= 0.01 else f"{100 * share:.2g}")


def large_text(number: float) -> str:
    """A number of 1 or more: to three digits when it is small, in powers of ten when it is very large.

    >>> large_text(5.8333), large_text(10.5), large_text(12345.6), large_text(3**50)
    ('5.83', '10.5', '12,346', '7.2 × 10²³')
    """
    if number >= 1e9:
        mantissa, exponent = f"{number:.1e}".split("e+")
        return f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPT)}"
    return f"{number:.3g}" if number < 100 else count(round(number))


def whole_text(number: int) -> str:
    """A whole number, in powers of ten when it is very large."""
    return count(number) if number < 10**9 else large_text(number)


def price_text(price: float) -> str:
    """A price as people write it, small ones with enough digits to tell them apart.

    >>> [price_text(price) for price in (1234.5, 0.5, 0.0583, 0.0000123, 3e-7, 0)]
    ['1,234.50', '0.5', '0.0583', '0.0000123', '0.0000003', '0']
    """
    return f"{price:,.2f}" if price >= 1 else format(Decimal(f"{price:.3g}"), "f")


def cost_text(cost: float) -> str:
    """The cost of forcing an edge, in nats."""
    if 0 < cost < 1e-4:
        return _with_power(math.log(cost), 0)
    return f"{cost:.2f}" if cost >= 0.01 else f"{cost:.1g}"


def times_text(cost: float) -> str:
    """How many times less probable something is if it costs this many nats.

    >>> times_text(math.log(10.5)), times_text(2000)
    ('10.5', '3.9 × 10⁸⁶⁸')
    """
    if cost < 20:
        return large_text(math.exp(cost))
    return _with_power(cost, 1)


def nats(loss: float) -> str:
    """A loss, with only as many digits as are useful.

    >>> nats(382.10377642940875), nats(3.19128), nats(0.0), nats(-0.00001), nats(312345.678)
    ('382.1038', '3.1913', '0', '−0.00001', '312,345.7')
    >>> nats(-3e-6)
    '−3 × 10⁻⁶'
    """
    size = abs(loss)
    if 0 < size < 1e-5:
        return "\u2212" * (loss < 0) + _with_power(math.log(size), 0)
    digits = ".5f" if size < 1e-4 else ",.4f" if size < 10_000 else ",.1f"
    return f"{loss:{digits}}".replace("-", "\u2212") if loss else "0"


def estimate_formula(freq: int, total: int, counts: Sequence[int]) -> str:
    """SentencePiece's estimate of a loss with its numbers: `freq` of `total` pieces are each replaced by
    pieces with these counts.

    >>> estimate_formula(10, 62, (5, 5)), estimate_formula(3, 62, (2, 40, 0))
    ('10 × (ln(10/62) − 2 × ln(15/72))', '3 × (ln(3/62) − ln(5/68) − ln(43/68) − ln(3/68))')
    """
    after = count(total + freq * (len(counts) - 1))
    parts = "".join(
        f" − {f'{times} × ' if times > 1 else ''}ln({count(number + freq)}/{after})"
        for number, times in Counter(counts).items()
    )
    return f"{count(freq)} × (ln({count(freq)}/{count(total)}){parts})"


def chance(probability: float) -> str:
    """A probability to three digits, for tables.

    >>> chance(17 / 210), chance(0.000429), chance(0.0000123)
    ('0.0810', '0.000429', '1.23 × 10⁻⁵')
    """
    if probability >= 0.001:
        return f"{probability:.4f}"
    text = f"{probability:.3g}"
    mantissa, _e, exponent = text.partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPT)}" if exponent else text
