"""All errors, worded so that a learner can act on them.

Every error of the engine is a `TokenizersCoreError`: a `ValueError` with the value, the reason and the remedy
in its message. Only a step not in a run is an `IndexError`, and a piece not in a model a `KeyError`, as in
any list and mapping. The evidence travels with it in two forms:

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

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from numbers import Integral, Real
from os import PathLike
from reprlib import repr as repr_shortened
from typing import Any, ClassVar

SHOWN_CHARACTERS = 60
"""The longest piece of a text repeated in a message."""


def shortened(text: str, limit: int) -> str:
    """`text`, its middle replaced by `…` beyond `limit` characters."""
    half = (limit - 1) // 2
    return text if len(text) <= limit else f"{text[:half]}…{text[-half:]}"


def quoted(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    r"""`text` in quotes, control characters escaped, its middle replaced by `…` beyond `limit` characters.

    >>> print(quoted("tab\there"), quoted("x" * 30, limit=9))
    'tab\there' 'xxxx…xxxx'
    """
    return repr(shortened(text, limit))


def quoted_pattern(pattern: str, limit: int = SHOWN_CHARACTERS) -> str:
    r"""A regular expression like `quoted`, with its backslashes and quotes as they were typed.

    >>> print(quoted_pattern(r"(\w+"), quoted_pattern("\x00'"))
    '(\w+' "\x00'"
    """
    shown = "".join(one if one.isprintable() else repr(one)[1:-1] for one in shortened(pattern, limit))
    mark = '"' if "'" in shown and '"' not in shown else "'"
    return f"{mark}{shown}{mark}"


class Numbered(str):
    """The template of a message with a count in it: for more than one as a string, and for `one`. `by` is the
    count's name.

    >>> pieces = Numbered("{number} piece is left", "{number} pieces are left", by="number")
    >>> pieces.chosen({"number": 1}), pieces.chosen({"number": 2})
    ('{number} piece is left', '{number} pieces are left')
    """

    one: str
    by: str

    def __new__(cls, one: str, other: str, by: str) -> Numbered:
        result = super().__new__(cls, other)
        result.one, result.by = one, by
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return Numbered, (self.one, str(self), self.by)

    def chosen(self, evidence: Mapping[str, str | int | float]) -> str:
        """The template for this evidence."""
        return self.one if str(evidence[self.by]) == "1" else str(self)


def template_for(template: str, evidence: Mapping[str, str | int | float]) -> str:
    """A template as it is, or the one of a `Numbered` that goes with this evidence."""
    return template.chosen(evidence) if isinstance(template, Numbered) else template


class Phrase(str):
    """Part of a message, with a template of its own, so that it can be translated like a message.

    It is `template.format(**evidence)`, and keeps both.

    >>> phrase = Phrase("choose at least {least}", least=3)
    >>> str(phrase), phrase.template, phrase.evidence
    ('choose at least 3', 'choose at least {least}', {'least': 3})
    """

    template: str
    evidence: dict[str, str | int | float]

    def __new__(cls, template: str, **evidence: str | int | float) -> Phrase:
        template = template_for(template, evidence)
        result = super().__new__(cls, template.format(**evidence))
        result.template, result.evidence = template, evidence
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Phrase, self.template, **self.evidence), ()


class TokenizersCoreError(ValueError):
    """Base of every error raised by the engine on purpose.

    A subclass with one way to go wrong has a `template`; one with several has them in `templates`, by the
    reason's name, and each of its instances has the right `template`.
    """

    template: str = ""
    templates: ClassVar[Mapping[str, str]] = {}

    def __init__(self, **evidence: str | int | float) -> None:
        self.evidence: dict[str, str | int | float] = evidence
        self.template = template_for(self.template, evidence)
        super().__init__(self.template.format(**evidence))

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with the message alone, and so an error could not be pickled.
        return _restored, (type(self), str(self), self.__dict__)


def _restored(kind: type[TokenizersCoreError], message: str, state: dict[str, Any]) -> TokenizersCoreError:
    """The inverse of `__reduce__`."""
    error = kind.__new__(kind, message)
    error.__dict__.update(state)
    return error


def all_templates() -> dict[str, tuple[str, ...]]:
    """Every template by its class's name, for translators.

    >>> all_templates()["UnknownTokenError"]
    ('{token} is not in the vocabulary; choose a token that is.',)
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
    """There is no word to train on. `characters` is the number of characters read nevertheless, `used_up`
    says whether the texts' source was an iterator that gave none.

    >>> print(EmptyCorpusError(characters=0))
    The corpus is empty: no text was given; add some text.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "nothing": "The corpus is empty: no text was given; add some text.",
        "used_up": "The corpus is empty: an iterator gives its texts once, and this one has none left; make a new one, "
        "or give a list.",
        "no_words": Numbered(
            "The corpus has no words: its only character is whitespace or is removed by the rules; add some text, or choose rules that "
            "keep more of it.",
            "The corpus has no words: its {characters} characters are all whitespace or are removed by the "
            "rules; add some text, or choose rules that keep more of it.",
            by="characters",
        ),
    }

    def __init__(self, characters: int, used_up: bool = False) -> None:
        self.characters = characters
        self.reason = "no_words" if characters else "used_up" if used_up else "nothing"
        self.template = self.templates[self.reason]
        super().__init__(characters=characters)


class UnknownNameError(TokenizersCoreError):
    """A setting's value is not one of its names.

    >>> print(UnknownNameError(kind="normalizer", name="NFX", known=("none", "nfc")))
    normalizer='NFX' is not known; choose one of none, nfc.
    """

    template = "{kind}={name} is not known; choose one of {known}."

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        super().__init__(kind=kind, name=_shown(name), known=", ".join(self.known))


def refuse_unknown_name(kind: str, name: object, known: Iterable[str]) -> None:
    """Raise UnknownNameError unless a value is one of the names, whatever else it may be.

    >>> refuse_unknown_name("method", ["course"], ("course", "sentencepiece"))
    Traceback (most recent call last):
    tokenizers_core.errors.UnknownNameError: method=['course'] is not known; choose one of course, sentencepiece.
    """  # noqa: W505
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(kind=kind, name=name, known=known)


class SettingError(TokenizersCoreError):
    """A setting has an invalid value; `reason` says why, or names the remedy.

    >>> print(SettingError(name="merges", value=-1, reason="choose at least 0"))
    merges=-1 can't be used: choose at least 0.
    """

    template = "{name}={value} can't be used: {reason}."

    def __init__(self, name: str, value: object, reason: str) -> None:
        self.name, self.value, self.reason = name, value, reason
        super().__init__(name=name, value=_shown(value), reason=reason)


def _shown(value: object) -> str:
    """A value of any kind, on one line and not too long."""
    return quoted(value) if isinstance(value, str) else quoted(repr(value))[1:-1]


class WrongTypeError(TokenizersCoreError, TypeError):
    """An argument has the wrong type: a text instead of a corpus, text instead of a number.

    >>> print(
    ...     WrongTypeError(
    ...         name="corpus", value="to be", remedy="make a corpus of it: Corpus.from_texts(['to be'])"
    ...     )
    ... )
    corpus='to be' is of type str, which can't be used here; make a corpus of it: Corpus.from_texts(['to be']).
    """  # noqa: W505

    template = "{name}={value} is of type {kind}, which can't be used here; {remedy}."

    def __init__(self, name: str, value: object, remedy: str) -> None:
        self.name, self.value, self.remedy = name, value, remedy
        super().__init__(name=name, value=_shown(value), kind=type(value).__name__, remedy=remedy)


def refuse_wrong_type(name: str, value: object, wanted: type | tuple[type, ...], remedy: str) -> None:
    """Raise WrongTypeError unless a value has the right type. True and False aren't numbers.

    >>> refuse_wrong_type("vocab_size", "10", Integral, WHOLE_NUMBER)
    Traceback (most recent call last):
    tokenizers_core.errors.WrongTypeError: vocab_size='10' is of type str, which can't be used here; \
give a whole number, such as 300.
    """
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted in (Integral, Real)):
        raise WrongTypeError(name, value, remedy)


WHOLE_NUMBER = "give a whole number, such as 300"
TEXT_WANTED = "give a str; bytes are one after data.decode('utf-8')"
PATH_WANTED = "give a file's name or a Path"


def refuse_no_path(path: str | PathLike[str]) -> None:
    """Raise WrongTypeError unless this can be a path, SettingError for characters that no file's name has."""
    refuse_wrong_type("path", path, (str, PathLike), PATH_WANTED)
    try:
        valid = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        valid = False
    if not valid:
        raise SettingError(
            name="path", value=str(path), reason="it has a character that no file's name may have"
        )


def refuse_no_texts(name: str, value: object) -> None:
    """Raise WrongTypeError unless a value can hold several texts. One string holds characters, a table's
    columns have names."""
    if isinstance(value, str):
        raise WrongTypeError(
            name, value, f"{name} is one string, and its characters aren't texts; write [text]"
        )
    if isinstance(value, bytes | bytearray | memoryview):
        raise WrongTypeError(name, value, f"{TEXT_WANTED}, and write [text]")
    refuse_wrong_type(name, value, Iterable, "give a list of texts, such as ['to be', 'or not']")
    if type(value).__name__ == "DataFrame":  # of pandas, Polars and others, without importing them
        columns = list(value.columns)  # type: ignore[attr-defined]
        one = "text" if "text" in columns or not columns else columns[-1]
        wanted = f"give one of its columns, such as {name}[{_shown(one)}], of {_shown(columns)}"
        raise WrongTypeError(name, value, wanted)


def rows_of(name: str, values: Iterable[object]) -> Iterator[str]:
    """Each row of several texts, from 0. Raises WrongTypeError, with the row's number, for the first one that
    isn't a text.

    >>> list(rows_of("texts", ["to be", None]))
    Traceback (most recent call last):
    tokenizers_core.errors.WrongTypeError: texts[1]=None is of type NoneType, which can't be used here; \
each row, counted from 0, is a str: leave rows without a text out, as texts.dropna() does in pandas.
    """
    missing = f"each row, counted from 0, is a str: leave rows without a text out, as {name}.dropna() does in pandas"
    for row, value in enumerate(values):
        if not isinstance(value, str):
            remedy = TEXT_WANTED if isinstance(value, bytes | bytearray | memoryview) else missing
            raise WrongTypeError(f"{name}[{row}]", value, remedy)
        yield value


def checked_words(words: Iterable[object]) -> Iterator[str]:
    """Several words, each checked. Raises WrongTypeError."""
    refuse_no_texts("words", words)
    return rows_of("words", words)


def refuse_no_tokens(special_tokens: object) -> None:
    """Raise WrongTypeError unless the special tokens are several strings, to be read more than once,
    SettingError for an empty one."""
    refuse_no_texts("special_tokens", special_tokens)
    if isinstance(special_tokens, Iterator):
        raise WrongTypeError(
            "special_tokens", special_tokens, "give a list: an iterator gives its tokens once"
        )
    for token in special_tokens:  # type: ignore[attr-defined]
        refuse_wrong_type("special_tokens", token, str, "write each token as a str, such as '[UNK]'")
        if not token:
            raise SettingError(
                name="special_tokens", value="", reason="an empty token can't be found in a text"
            )


class VocabSizeError(TokenizersCoreError):
    """The requested vocabulary is smaller than its necessary contents (`what`) before training starts."""

    template: str = Numbered(
        "vocab_size={vocab_size} is below the {what}'s {minimum} symbol; choose at least {minimum}.",
        "vocab_size={vocab_size} is below the {what}'s {minimum} symbols; choose at least {minimum}.",
        by="minimum",
    )

    def __init__(self, vocab_size: int, minimum: int, what: str = "alphabet") -> None:
        self.vocab_size, self.minimum, self.what = vocab_size, minimum, what
        super().__init__(vocab_size=vocab_size, minimum=minimum, what=what)


class UnreachedSizeError(TokenizersCoreError):
    """Training ended with fewer tokens than requested. `why` is a key of `templates`; `reached` is the actual
    number.

    A trace has it as its `shortfall`: the run is valid nevertheless.

    >>> print(UnreachedSizeError("no_pairs", vocab_size=50, reached=16))
    vocab_size=50 can't be reached: with 16 tokens no pair is left to merge; choose at most 16, or add text.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "no_pairs": Numbered(
            "vocab_size={vocab_size} can't be reached: with {reached} token no pair is left to merge; "
            "choose at most {reached}, or add text.",
            "vocab_size={vocab_size} can't be reached: with {reached} tokens no pair is left to merge; "
            "choose at most {reached}, or add text.",
            by="reached",
        ),
        "seed_size": Numbered(
            "vocab_size={vocab_size} can't be reached: the text has pieces for {reached} token only; "
            "choose at most {reached}, or add text.",
            "vocab_size={vocab_size} can't be reached: the text has pieces for {reached} tokens only; "
            "choose at most {reached}, or add text.",
            by="reached",
        ),
        "seed_cut": Numbered(
            "vocab_size={vocab_size} can't be reached: the seed has pieces for {reached} token only; "
            "choose at most {reached}, or a larger seed_size.",
            "vocab_size={vocab_size} can't be reached: the seed has pieces for {reached} tokens only; "
            "choose at most {reached}, or a larger seed_size.",
            by="reached",
        ),
        "dropped": Numbered(
            "vocab_size={vocab_size} can't be reached: EM dropped the pieces that it expects less than half a time, "
            "and {reached} token was left; choose at most {reached}, or add text.",
            "vocab_size={vocab_size} can't be reached: EM dropped the pieces that it expects less than half a time, "
            "and {reached} tokens were left; choose at most {reached}, or add text.",
            by="reached",
        ),
    }

    def __init__(self, why: str, vocab_size: int, reached: int) -> None:
        self.why, self.vocab_size, self.reached = why, vocab_size, reached
        self.template = self.templates[why]
        super().__init__(vocab_size=vocab_size, reached=reached)


class UnreachedSizeWarning(UserWarning):
    """Training's warning when the requested size can't be reached: a trace's `shortfall`, in words."""


class PatternError(TokenizersCoreError):
    """A regular expression is invalid in the `regex` library: its message, and where (None: unknown).

    >>> print(PatternError(pattern="(a", message="missing )"))
    The pattern '(a' is not a valid regular expression: missing ); fix it, or leave it out.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "at": "The pattern {pattern} is not a valid regular expression: {message} at character {position}; fix "
        "it, or leave it out.",
        "somewhere": "The pattern {pattern} is not a valid regular expression: {message}; fix it, or leave it out.",
    }

    def __init__(self, pattern: str, message: str, position: int | None = None) -> None:
        self.pattern, self.message, self.position = pattern, message, position
        self.template = self.templates["somewhere" if position is None else "at"]
        index = {} if position is None else {"position": position}
        super().__init__(pattern=quoted_pattern(pattern), message=message, **index)


class PatternTimeoutError(TokenizersCoreError):
    """A regular expression ran longer than `seconds`: it may be trying exponentially many ways to match.

    >>> print(PatternTimeoutError(pattern="(a|aa)+$", seconds=2.0))
    The pattern '(a|aa)+$' took more than 2 seconds; avoid nested repetition, or use less text.
    """

    template = (
        "The pattern {pattern} took more than {seconds:g} seconds; avoid nested repetition, or use less text."
    )

    def __init__(self, pattern: str, seconds: float) -> None:
        self.pattern, self.seconds = pattern, seconds
        super().__init__(pattern=quoted_pattern(pattern), seconds=seconds)


class SurrogateError(TokenizersCoreError):
    """Half of a UTF-16 pair occurs alone in a text; UTF-8 can't hold it, so no byte-level token could.

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
    Line 3 ('hug ten'): the count must be a whole number of at least 1. Write a word, a space and its count, such as “hug 10”.
    """  # noqa: W505

    templates: ClassVar[Mapping[str, str]] = {
        "no_count": "Line {line_number} ({line}): the count is missing. Write a word, a space and its count, such as “hug 10”.",
        "not_a_count": "Line {line_number} ({line}): the count must be a whole number of at least 1. "
        "Write a word, a space and its count, such as “hug 10”.",
        "too_large": "Line {line_number} ({line}): the count has more than 18 digits; use a smaller one.",
        "no_word": "Line {line_number} ({line}): there is no word before the count. "
        "Write a word, a space and its count, such as “hug 10”.",
        "quotes": "Line {line_number} ({line}): the quotes don't match; close them on the same line, "
        'and write a quote inside a quoted word twice, like: "say ""hi""",10.',
        "too_many_fields": "Line {line_number} ({line}): it has more than a word and a count; put a word that contains a "
        'comma in quotes, like: "a,b",10.',
        "header": "Line {line_number} ({line}): it should name the rules used to count the words, but can't be "
        "read; count the text again.",
        "row": "Line {line_number} ({line}): it should hold a word that these rules produce, its count, and how "
        "often it ends a text, separated by tabs; count the text again.",
        "twice": "Line {line_number} ({line}): the word is already in the file; count the text again.",
    }

    def __init__(self, line_number: int, line: str, why: str) -> None:
        self.line_number, self.line, self.why = line_number, line, why
        self.template = self.templates[why]
        super().__init__(line_number=line_number, line=quoted(line))


class CountedRulesError(TokenizersCoreError):
    """A file's words were counted by rules unusable here. `known`: usable pre-tokenizers; () if other rules
    apply.

    >>> print(CountedRulesError(("none", "byte_level", "gpt2"), known=("bert", "whitespace")))
    The words in the file were counted with pre_tokenizer='byte_level', which can't be used here; \
count the text again with one of bert, whitespace.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "known": "The words in the file were counted with pre_tokenizer={pre_tokenizer}, which can't be used here; "
        "count the text again with one of {known}.",
        "other": "The words in the file were counted with normalizer={normalizer}, pre_tokenizer={pre_tokenizer} "
        "and pattern={pattern}, but other rules apply here; choose the same ones, or use the text itself.",
    }

    def __init__(
        self, rules: tuple[str | tuple[object, ...], object, str], known: Iterable[str] = ()
    ) -> None:
        normalizer, pre_tokenizer, self.pattern = rules
        self.pre_tokenizer = str(pre_tokenizer)
        self.normalizer, self.known = normalizer, tuple(known)
        self.template = self.templates["known" if self.known else "other"]
        names = (normalizer,) if isinstance(normalizer, str) else normalizer
        super().__init__(
            normalizer=quoted(", ".join(map(str, names))),
            pre_tokenizer=quoted(self.pre_tokenizer),
            pattern=quoted_pattern(self.pattern, 36),
            known=", ".join(self.known),
        )


class ByteSymbolError(TokenizersCoreError):
    """A string for the byte alphabet has another character.

    >>> print(ByteSymbolError(symbols="a b", position=1))
    Character 1 of 'a b' is ' ', which is not in the byte alphabet; that alphabet writes a space as Ġ and a newline as Ċ.
    """  # noqa: W505

    template = (
        "Character {position} of {symbols} is {symbol}, which is not in the byte alphabet; that alphabet "
        "writes a space as Ġ and a newline as Ċ."
    )

    def __init__(self, symbols: str, position: int) -> None:
        self.symbols, self.position = symbols, position
        super().__init__(symbols=quoted(symbols), position=position, symbol=quoted(symbols[position]))


class UnknownTokenError(TokenizersCoreError):
    """A token is not in the vocabulary."""

    template = "{token} is not in the vocabulary; choose a token that is."

    def __init__(self, token: str) -> None:
        self.token = token
        super().__init__(token=quoted(token))


class UnknownIdError(TokenizersCoreError):
    """An id outside the vocabulary.

    >>> print(UnknownIdError(identifier=50, size=50))
    50 is not an id of this vocabulary of 50 tokens; choose one from 0 to 49.
    """

    template: str = Numbered(
        "{identifier} is not an id of this vocabulary of {size} token; choose 0.",
        "{identifier} is not an id of this vocabulary of {size} tokens; choose one from 0 to {last}.",
        by="size",
    )

    def __init__(self, identifier: int, size: int) -> None:
        self.identifier, self.size = identifier, size
        super().__init__(identifier=identifier, size=size, last=size - 1)


class UnknownWordError(TokenizersCoreError):
    """A word has a symbol that isn't in the corpus.

    >>> print(UnknownWordError(word="bug", symbol="b"))
    The word 'bug' has the symbol 'b', which is not in the corpus; choose a word written in its alphabet.
    """

    template = (
        "The word {word} has the symbol {symbol}, which is not in the corpus; choose a word written in "
        "its alphabet."
    )

    def __init__(self, word: str, symbol: str) -> None:
        self.word, self.symbol = word, symbol
        super().__init__(word=quoted(word), symbol=quoted(symbol))


class TemplateError(TokenizersCoreError):
    """A template is unusable. `why` is a key of `templates`; `piece` is its faulty part.

    >>> print(TemplateError(template="[CLS] [SEP]", piece="$A", why="no_text"))
    The template '[CLS] [SEP]' has no '$A'; write it where the text goes, like: [CLS] $A [SEP].
    """

    templates: ClassVar[Mapping[str, str]] = {
        "no_text": "The template {shown} has no {piece}; write it where the text goes, like: [CLS] $A [SEP].",
        "no_pair": "The template {shown} for a pair has no {piece}; write both $A and $B, "
        "like: [CLS] $A [SEP] $B:1 [SEP]:1.",
        "second_text": "The template {shown} for one text has {piece}; use it only in the template for a pair.",
        "twice": "The template {shown} has {piece} more than once; write it once.",
        "unknown_text": "The template {shown} has {piece}, which is not a text; write $A for the first text, $B for the "
        "second.",
        "no_name": "The template {shown} has {piece}, which has no name; write a special token or $A before the "
        "colon.",
        "type": "The template {shown} has {piece}, whose type can't be read; write a whole number after a single "
        "colon, like: [SEP]:1.",
        "missing": "The template {shown} has {piece}, which is not in the vocabulary; "
        "train with it as a special token, or choose a template without it.",
    }

    def __init__(self, template: str, piece: str, why: str) -> None:
        # `template` is the message's, as in every error; the learner's is kept as `written`.
        self.written, self.piece, self.why = template, piece, why
        self.template = self.templates[why]
        super().__init__(shown=quoted(template), piece=quoted(piece))


class TruncationError(TokenizersCoreError):
    """A text can't be cut as requested. `why` is a key of `templates`; all numbers count tokens.

    >>> print(TruncationError(why="too_short", strategy="only_first", length=3, excess=5, minimum=12))
    strategy='only_first' can't cut 5 tokens from a text of 3; choose longest_first, or a max_length of at least 12.
    """  # noqa: W505

    templates: ClassVar[Mapping[str, str]] = {
        "too_short": Numbered(
            "strategy={strategy} can't cut {excess} token from a text of {length}; choose longest_first, or "
            "a max_length of at least {minimum}.",
            "strategy={strategy} can't cut {excess} tokens from a text of {length}; choose longest_first, or "
            "a max_length of at least {minimum}.",
            by="excess",
        ),
        "no_second": "strategy={strategy} cuts the second text, but there is none; provide a pair, or choose "
        "longest_first.",
        "stride": "stride={stride} is too large for a text that keeps {room} of its tokens; "
        "choose a stride below {room}, or a larger max_length.",
    }

    def __init__(self, why: str, strategy: str = "", **numbers: int) -> None:
        self.why, self.strategy, self.numbers = why, strategy, numbers
        self.template = self.templates[why]
        super().__init__(strategy=quoted(strategy), **numbers)


class LabelsError(TokenizersCoreError):
    """There are more labels than tokens, or fewer.

    >>> print(LabelsError(labels=2, tokens=3))
    The number of labels is 2, but that of tokens is 3; give each token of the encoding a label, O if it is in no entity.
    """  # noqa: W505

    template = (
        "The number of labels is {labels}, but that of tokens is {tokens}; give each token of the encoding a label, O if it "
        "is in no entity."
    )

    def __init__(self, labels: int, tokens: int) -> None:
        self.labels, self.tokens = labels, tokens
        super().__init__(labels=labels, tokens=tokens)


class TokenizerFileError(TokenizersCoreError):
    """A tokenizer.json can't be read. `why` is a key of `templates`; `part` says where in the file, as
    `model.merges[3]`.

    >>> print(TokenizerFileError("wrong", part="model.vocab", value=7, expected="an object"))
    model.vocab in tokenizer.json is 7, but must be an object; fix the file, or save the tokenizer again.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "not_utf8": "Byte {value} of the file is not UTF-8; choose a tokenizer.json, which is text in UTF-8.",
        "not_json": "The file is not JSON: {value}; save the tokenizer again, or download the file again.",
        "nested": "Lists and objects in the file are nested too deeply; choose a tokenizer.json, which needs only "
        "a few levels.",
        "missing": "{part} in tokenizer.json is missing; fix the file, or save the tokenizer again.",
        "wrong": "{part} in tokenizer.json is {value}, but must be {expected}; fix the file, or save the "
        "tokenizer again.",
    }

    def __init__(self, why: str, part: str = "", value: object = "", expected: str = "") -> None:
        self.why, self.part, self.value, self.expected = why, part, value, expected
        self.template = self.templates[why]
        shown = _in_json(value) if why == "wrong" else _printable(str(value))
        super().__init__(part=_printable(part), value=shown, expected=expected)


class VocabularyFileError(TokenizersCoreError):
    """A file of tokens (not a tokenizer.json) can't be read. `why` is a key of `templates`; lines count from
    1.

    >>> print(
    ...     VocabularyFileError(
    ...         "line", "my.tiktoken", line=3, value="'IGI='", expected="a token and its rank"
    ...     )
    ... )
    Line 3 of 'my.tiktoken' is 'IGI=', but must be a token and its rank; fix the file, or save the tokenizer again.
    """  # noqa: W505

    templates: ClassVar[Mapping[str, str]] = {
        "not_utf8": "Byte {value} of {file} is not UTF-8; save the tokenizer again, or choose another file.",
        "too_many": "{file} has {value} lines, more than {expected}; choose a smaller vocabulary.",
        "line": "Line {line} of {file} is {value}, but must be {expected}; fix the file, or save the tokenizer again.",
        "no_unknown": "{file} has no token for what is unknown; add a line with one of {expected}.",
        "no_byte": "{file} has no token for the byte {value}; train BPE with alphabet='bytes'.",
        "gap": Numbered(
            "{file} leaves out {value} id ({expected}), which belongs to a special token; name it as special_tokens.",
            "{file} leaves out {value} ids ({expected}), which belong to special tokens; name those as special_tokens, in "
            "the order of their ids.",
            by="value",
        ),
        "half": "{file} is half of a tokenizer, and {expected} is not beside it; put it there.",
        "damaged": "{file} is no SentencePiece model that can be read: {value}; save it again, or choose another file.",
        "not_a_vocab": "{file} is no vocabulary: it must be an object with a number, from 0 on, for each token; choose another "
        "file, or save the tokenizer again.",
    }

    def __init__(self, why: str, file: str, line: int = 0, value: str = "", expected: str = "") -> None:
        self.why, self.file, self.line, self.value, self.expected = why, file, line, value, expected
        self.template = self.templates[why]
        super().__init__(
            file=quoted(file),
            line=line,
            value=value,
            expected=quoted(expected) if why == "half" else expected,
        )


def _printable(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """A text with quotes of its own, or none: shortened, and escaped only if it has to be."""
    if text.isprintable() and len(text) <= limit:
        return text
    return quoted(text, limit)[1:-1]


def _in_json(value: object) -> str:
    """A value of a file, shortened, about as the file writes it."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return quoted(value)
    try:
        return _printable(repr_shortened(value))
    except ValueError:  # Python writes no number of thousands of digits
        return "a very long number"


class LackingPartError(TokenizersCoreError):
    """A tokenizer.json needs parts unsupported here; `parts` names them, each with its place and value.

    >>> print(LackingPartError(["normalizer Precompiled", "added token '<mask>' with lstrip"]))
    tokenizer.json uses parts that TokenSteps lacks: normalizer Precompiled; added token '<mask>' with lstrip. \
Load it with the tokenizers library, or choose another tokenizer.
    """  # noqa: W505

    template = (
        "tokenizer.json uses parts that TokenSteps lacks: {parts}. "
        "Load it with the tokenizers library, or choose another tokenizer."
    )

    def __init__(self, parts: Iterable[str]) -> None:
        self.parts = tuple(parts)
        super().__init__(parts="; ".join(_printable(part, limit=200) for part in self.parts))


class UnsavableError(TokenizersCoreError):
    """A file of this kind can't hold the tokenizer. `why` is a key of `templates`.

    >>> print(UnsavableError("no_byte", byte="0x80"))
    A .tiktoken file holds all 256 bytes, but 0x80 is not a token here; train BPE with alphabet='bytes'.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "pattern": "tokenizer.json can't hold the pattern {pattern}: the tokenizers library reads {part} "
        "differently, or not at all; rewrite it, or choose a pattern by name.",
        "suffix": "tokenizer.json can't hold {suffix} as a separate symbol at the end of these words; train with "
        "pre_tokenizer='end_of_word', or without a suffix.",
        "spelled_suffix": "tokenizer.json can't hold the token {token}, which occurs in the text but also marks the end of "
        "a word; remove it from the corpus, or save vocab.json and merges.txt.",
        "prefix": "tokenizer.json can't hold {token}, which continues a word but doesn't begin with {prefix}; train "
        "without a suffix or without a prefix.",
        "not_special": "tokenizer.json can't hold the special token {token}, which has no id; "
        "give it one when training.",
        "part": "tokenizer.json can't hold {description}; choose one that comes with the engine.",
        "not_bytes": "A .tiktoken file holds byte-level BPE, but this tokenizer is something else; train BPE with "
        "pre_tokenizer='byte_level' and alphabet='bytes'.",
        "no_byte": "A .tiktoken file holds all 256 bytes, but {byte} is not a token here; train BPE with "
        "alphabet='bytes'.",
        "no_merge": "A .tiktoken file holds bytes and the tokens merged from them, but no merge makes {token}; name "
        "it as a special token, or save tokenizer.json.",
        "order": "A .tiktoken file merges by id, but {token} has a lower id than a token learned before it; save "
        "tokenizer.json instead.",
        "not_merges": "merges.txt holds the merges of BPE, but this tokenizer has none; choose another file.",
        "removals": "{file} can't hold PickyBPE, which removes tokens again; save the run as JSON, or only the tokens as "
        "vocab.json.",
        "not_pieces": "A table of pieces holds those of Unigram, but this tokenizer has none; choose another file.",
    }

    def __init__(self, why: str, **evidence: str) -> None:
        self.why = why
        self.template = self.templates[why]
        vars(self).update(evidence)
        super().__init__(
            **{
                name: text
                if name in ("byte", "description", "file")
                else (quoted_pattern if name in ("pattern", "part") else quoted)(text)
                for name, text in evidence.items()
            }
        )
