"""What can go wrong, said so that a learner can act on it.

Every error of the engine is a `TokenizersCoreError`: a `ValueError` whose message gives the value, the reason
and the remedy. The evidence travels with it in two forms:

* as attributes under the parameters' names, raw (`error.vocab_size`), for programs;
* in `error.evidence`, ready to be shown (quoted, escaped, shortened), for people. The message is
  `error.template.format(**error.evidence)`, so a page translates the template and keeps the evidence.

>>> error = VocabSizeError(vocab_size=5, minimum=12, what="alphabet")
>>> print(error)
vocab_size=5 is below the alphabet's 12 symbols; choose at least 12.
>>> error.template
"vocab_size={vocab_size} is below the {what}'s {minimum} symbols; choose at least {minimum}."
>>> error.evidence == {"vocab_size": 5, "minimum": 12, "what": "alphabet"}
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

SHOWN_CHARACTERS = 60
"""The longest piece of somebody's text that a message repeats."""


def quoted(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    r"""`text` in quotes, control characters escaped, its middle replaced by `…` beyond `limit` characters.

    >>> print(quoted("tab\there"), quoted("x" * 30, limit=9))
    'tab\there' 'xxxx…xxxx'
    """
    if len(text) > limit:
        half = (limit - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    return repr(text)


class TokenizersCoreError(ValueError):
    """Base of every error that the engine raises on purpose.

    A subclass with one way to go wrong has a `template`; one with several has them in `templates`, by the
    reason's name, and each of its instances carries the `template` that applies.
    """

    template: str = ""
    templates: ClassVar[Mapping[str, str]] = {}

    def __init__(self, **evidence: str | int | float) -> None:
        self.evidence: dict[str, str | int | float] = evidence
        super().__init__(self.template.format(**evidence))

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with the message alone, and so an error could not be pickled.
        return _restored, (type(self), str(self), self.__dict__)


def _restored(kind: type[TokenizersCoreError], message: str, state: dict[str, Any]) -> TokenizersCoreError:
    """The error that `__reduce__` took apart."""
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


def all_templates() -> dict[str, tuple[str, ...]]:
    """Every template by its class's name: what a translator has to translate.

    >>> all_templates()["UnknownTokenError"]
    ('{token} is not in the vocabulary; choose a token that the vocabulary lists.',)
    """
    return {
        kind.__name__: tuple(kind.templates.values()) or (kind.template,)
        for kind in _subclasses(TokenizersCoreError)
    }


def _subclasses(kind: type[TokenizersCoreError]) -> Iterable[type[TokenizersCoreError]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


class EmptyCorpusError(TokenizersCoreError):
    """There is no word to train on. `characters` says how many characters were read all the same.

    >>> print(EmptyCorpusError(characters=0))
    The corpus is empty: no text was given; paste or upload some text.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "nothing": "The corpus is empty: no text was given; paste or upload some text.",
        "no_words": "The corpus has no words: its {characters} characters are all whitespace, or characters "
        "that the rules remove; add some text, or choose rules that keep more of it.",
    }

    def __init__(self, characters: int) -> None:
        self.characters = characters
        self.reason = "no_words" if characters else "nothing"
        self.template = self.templates[self.reason]
        super().__init__(characters=characters)


class UnknownNameError(TokenizersCoreError):
    """A setting's value is none of the names it may have.

    >>> print(UnknownNameError(kind="normalizer", name="NFX", known=("none", "nfc")))
    normalizer='NFX' is not known; choose one of none, nfc.
    """

    template = "{kind}={name} is not known; choose one of {known}."

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(kind=kind, name=quoted(name), known=", ".join(self.known))


class SettingError(TokenizersCoreError):
    """A setting has a value that makes no sense; `reason` says why, or what to choose.

    >>> print(SettingError(name="merges", value=-1, reason="choose at least 0"))
    merges=-1 can't be used: choose at least 0.
    """

    template = "{name}={value} can't be used: {reason}."

    def __init__(self, name: str, value: object, reason: str) -> None:
        self.name, self.value, self.reason = name, value, reason
        shown = quoted(value) if isinstance(value, str) else quoted(repr(value))[1:-1]
        super().__init__(name=name, value=shown, reason=reason)


class VocabSizeError(TokenizersCoreError):
    """The vocabulary asked for is smaller than what it has to hold (`what`) before training starts."""

    template = "vocab_size={vocab_size} is below the {what}'s {minimum} symbols; choose at least {minimum}."

    def __init__(self, vocab_size: int, minimum: int, what: str = "alphabet") -> None:
        self.vocab_size, self.minimum, self.what = vocab_size, minimum, what
        super().__init__(vocab_size=vocab_size, minimum=minimum, what=what)


class PatternError(TokenizersCoreError):
    """A regular expression that the `regex` library can't compile: its message, and where (None: unknown).

    >>> print(PatternError(pattern="(a", message="missing )"))
    The pattern '(a' is not a regular expression: missing ); mend it, or choose a pattern by name.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "at": "The pattern {pattern} is not a regular expression: {message} at character {position}; "
        "mend it, or choose a pattern by name.",
        "somewhere": "The pattern {pattern} is not a regular expression: {message}; "
        "mend it, or choose a pattern by name.",
    }

    def __init__(self, pattern: str, message: str, position: int | None = None) -> None:
        self.pattern, self.message, self.position = pattern, message, position
        self.template = self.templates["somewhere" if position is None else "at"]
        place = {} if position is None else {"position": position}
        super().__init__(pattern=quoted(pattern), message=message, **place)


class PatternTimeoutError(TokenizersCoreError):
    """A regular expression ran longer than `seconds`: it may be trying exponentially many ways to match.

    >>> print(PatternTimeoutError(pattern="(a|aa)+$", seconds=2.0))
    The pattern '(a|aa)+$' took more than 2 seconds; avoid repeating what repeats already, or use less text.
    """

    template = (
        "The pattern {pattern} took more than {seconds:g} seconds; "
        "avoid repeating what repeats already, or use less text."
    )

    def __init__(self, pattern: str, seconds: float) -> None:
        self.pattern, self.seconds = pattern, seconds
        super().__init__(pattern=quoted(pattern), seconds=seconds)


class SurrogateError(TokenizersCoreError):
    """Half of a UTF-16 pair stands alone in a text; UTF-8 can't hold it, so no byte-level token could.

    >>> print(SurrogateError(code_point=0xD83D, position=4))
    Character 4 of the text is the lone surrogate U+D83D, which UTF-8 can't hold; delete it or write U+FFFD.
    """

    template = (
        "Character {position} of the text is the lone surrogate {shown}, which UTF-8 can't hold; "
        "delete it or write U+FFFD."
    )

    def __init__(self, code_point: int, position: int) -> None:
        self.code_point, self.position = code_point, position
        super().__init__(shown=f"U+{code_point:04X}", position=position)


class CountsFileError(TokenizersCoreError):
    """A line of a file of word counts can't be read. `why` is a key of `templates`; lines count from 1.

    >>> print(CountsFileError(line_number=3, line="hug ten", why="not_a_count"))
    Line 3 ('hug ten'): the count has to be a whole number of at least 1; write a line like: hug 10.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "no_count": "Line {line_number} ({line}): there is no count; write a line like: hug 10.",
        "not_a_count": "Line {line_number} ({line}): the count has to be a whole number of at least 1; "
        "write a line like: hug 10.",
        "too_large": "Line {line_number} ({line}): the count has more than 18 digits; use a smaller one.",
        "no_word": "Line {line_number} ({line}): there is no word before the count; "
        "write a line like: hug 10.",
        "quotes": "Line {line_number} ({line}): the quotes don't match; close them on the same line, "
        'and write a quote inside a quoted word twice, like: "say ""hi""",10.',
        "too_many_fields": "Line {line_number} ({line}): it has more than a word and a count; "
        'put a word that holds a comma in quotes, like: "a,b",10.',
    }

    def __init__(self, line_number: int, line: str, why: str) -> None:
        self.line_number, self.line, self.why = line_number, line, why
        self.template = self.templates[why]
        super().__init__(line_number=line_number, line=quoted(line))


class ByteSymbolError(TokenizersCoreError):
    """A string that should be written in the byte alphabet holds another character.

    >>> print(ByteSymbolError(symbols="a b", position=1))
    Character 1 of 'a b' is ' ', which is not in the byte alphabet; a space is written Ġ there, a newline Ċ.
    """

    template = (
        "Character {position} of {symbols} is {symbol}, which is not in the byte alphabet; "
        "a space is written Ġ there, a newline Ċ."
    )

    def __init__(self, symbols: str, position: int) -> None:
        self.symbols, self.position = symbols, position
        super().__init__(symbols=quoted(symbols), position=position, symbol=quoted(symbols[position]))


class UnknownTokenError(TokenizersCoreError):
    """A token that the vocabulary doesn't have."""

    template = "{token} is not in the vocabulary; choose a token that the vocabulary lists."

    def __init__(self, token: str) -> None:
        self.token = token
        super().__init__(token=quoted(token))


class UnknownIdError(TokenizersCoreError):
    """An id outside the vocabulary.

    >>> print(UnknownIdError(identifier=50, size=50))
    50 is not an id of this vocabulary of 50 tokens; choose one from 0 to 49.
    """

    template = "{identifier} is not an id of this vocabulary of {size} tokens; choose one from 0 to {last}."

    def __init__(self, identifier: int, size: int) -> None:
        self.identifier, self.size = identifier, size
        super().__init__(identifier=identifier, size=size, last=size - 1)


class UnknownWordError(TokenizersCoreError):
    """A word holds a symbol that the corpus never showed.

    >>> print(UnknownWordError(word="bug", symbol="b"))
    The word 'bug' has the symbol 'b', which the corpus doesn't have; choose a word written in its alphabet.
    """

    template = (
        "The word {word} has the symbol {symbol}, which the corpus doesn't have; "
        "choose a word written in its alphabet."
    )

    def __init__(self, word: str, symbol: str) -> None:
        self.word, self.symbol = word, symbol
        super().__init__(word=quoted(word), symbol=quoted(symbol))
