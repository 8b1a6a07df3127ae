"""Look-ups in a vocabulary: tokens with a text, some bytes or a match, and the tokens of ids."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, Final, NamedTuple

import regex

from tokenizers_core.errors import PatternError, TokenizersCoreError, quoted
from tokenizers_core.text.patterns import compiled
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.language.i18n import N_, count
from tokensteps.language.numbers import FULL_WIDTH, read_whole
from tokensteps.limits import IDS_LIMIT

SEARCH_SECONDS: Final = 1.5
"""Processor time for one search, and time for one match: 50,000 tokens take a fifth of a second, and a
regular expression may take any time."""
MATCHES_SHOWN: Final = 200
"""The most listed tokens; the rest is counted."""


class LookupFailed(TokenizersCoreError):
    """A failed look-up. `why` is a key of `templates`."""

    templates: ClassVar[dict[str, str]] = {
        "bytes": N_("{query} is not bytes as hexadecimal digits; write two for each byte, such as E3 81."),
        "pattern": N_("{query} is not a regular expression: {reason}; fix it, or search for a text."),
        "slow": N_("The search for {query} takes too long; search for something simpler."),
        "ids": N_(
            "{query} is not an id of this vocabulary; write ids from 0 to {last}, separated by spaces or commas."
        ),
        "many": N_("There are {number} ids, more than {last}; look up fewer at once."),
    }

    def __init__(self, why: str, query: str, **evidence: str | int) -> None:
        self.why, self.template = why, self.templates[why]
        super().__init__(query=quoted(query, 80), **evidence)


class TokenMatches(NamedTuple):
    """The tokens found by a search: the ids of the first ones, and their number."""

    ids: tuple[int, ...]
    number: int


def search(subject: ShownTokenizer, kind: str, query: str) -> TokenMatches:
    """The tokens with `query` in their text ("text"), in their bytes, as hexadecimal digits ("bytes"), or as
    a regular expression with a match ("regex"). A token's text is its meaning and its form in the vocabulary:
    both ` the` and `Ġthe`, both `ing` and `##ing`. Raises LookupFailed.

    >>> from tokensteps.catalogue.shipped import gpt2
    >>> [gpt2().token(one) for one in search(gpt2(), "regex", "^Ġtokens?$").ids]
    ['Ġtoken', 'Ġtokens']
    """
    holds = _test(kind, query)
    deadline = time.thread_time() + SEARCH_SECONDS  # of the processor, as others use it, too
    results: list[int] = []
    try:
        for identifier, token in enumerate(subject.all_tokens()):
            left = deadline - time.thread_time()
            if left <= 0:
                raise LookupFailed("slow", query)
            if token and holds(subject.token_bytes(identifier), token, left):
                results.append(identifier)
    except TimeoutError:
        raise LookupFailed("slow", query) from None
    return TokenMatches(tuple(results[:MATCHES_SHOWN]), len(results))


def _test(kind: str, query: str) -> Callable[[bytes, str, float], bool]:
    """Whether a token fits, by its bytes and its spelling, within some seconds."""
    if kind == "regex":
        try:
            pattern = compiled(query)
        except PatternError as error:
            raise LookupFailed("pattern", query, reason=error.message) from None

        def finds(data: bytes, token: str, left: float) -> bool:
            text = data.decode("utf-8", "replace")
            return bool(
                pattern.search(text, timeout=left) or (text != token and pattern.search(token, timeout=left))
            )

        return finds
    if kind == "text":
        spelled = query.encode("utf-8", "replace")
        return lambda data, token, _left: spelled in data or query in token
    try:
        wanted = bytes.fromhex(query.replace("0x", " "))
    except ValueError:
        raise LookupFailed("bytes", query) from None
    return lambda data, _token, _left: wanted in data


def ids_written(subject: ShownTokenizer, written: str) -> list[int]:
    """The ids in the user's text. Raises LookupFailed for one not in the vocabulary.

    >>> from tokensteps.catalogue.shipped import gpt2
    >>> ids_written(gpt2(), "[15496, 995]")
    [15496, 995]
    >>> ids_written(gpt2(), "１５４９６、９９５")
    [15496, 995]
    """
    parts = regex.findall(r"[^\s,;、\[\]()]+", written.translate(FULL_WIDTH))
    if len(parts) > IDS_LIMIT:
        raise LookupFailed("many", "", number=count(len(parts)), last=count(IDS_LIMIT))
    tokens = subject.all_tokens()
    for part in parts:
        number = read_whole(part)
        if number is None or number >= len(tokens) or not tokens[number]:
            raise LookupFailed("ids", part, last=len(tokens) - 1)
    return [*map(int, parts)]
