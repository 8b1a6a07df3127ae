"""A thing to watch while stepping: a word, a token or a pair, and the steps that change it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from tokenizers_core.changes import steps_changing_pair, steps_changing_token, steps_changing_word
from tokenizers_core.errors import quoted
from tokenizers_core.text.byte_alphabet import bytes_to_symbols
from tokenizers_core.text.splitting import SPACE_MARK
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import N_, _, count, ngettext, sentences
from tokensteps.widgets.notes import note, problem

WATCHED_KINDS = {
    "word": N_("the word {text}"),
    "token": N_("the token {text}"),
    "both": N_("{text}, a word and a token"),
    "pair": N_("the pair {text}"),
}
"""Kind of the watched thing → its name."""


class Watched(NamedTuple):
    """A watched thing."""

    typed: str
    kind: str
    """One of `WATCHED_KINDS`; "" for a text not in the run."""
    parts: tuple[str, ...] = ()
    """In the run's form: one, or a pair's two."""
    steps: tuple[int, ...] = ()


def watched_in(trace: AnyTrace, typed: str) -> Watched | None:
    """The typed text, found in a run; None for nothing typed.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_texts(["low lower lowest"]), merges=4)
    >>> [watched_in(trace, typed)[1:] for typed in ("lower", "lo ", "o + w", "zebra")]
    [('word', ('Ġlower',), (1, 2, 3, 4)), ('token', ('lo',), (1, 2)), ('pair', ('o', 'w'), (1,)), ('', (), ())]
    >>> {watched_in(trace, typed)[1:] for typed in ("o+w", "o ＋ w", "o +w ")}
    {('pair', ('o', 'w'), (1,))}
    """  # noqa: W505
    if not typed.strip():
        return None
    first, plus, second = typed.partition(" + ")
    if plus:
        return _watched_pair(trace, typed, (first, second))
    tokens = _known_tokens(trace)
    spelled = [*_spellings(trace, typed), *_spellings(trace, typed.strip())]
    word = next((one for one in spelled if one in trace.corpus.words), "")
    token = next((one for one in ([word] if word else spelled) if one in tokens), "")
    steps = {*steps_changing_word(trace, word)} if word else set()
    if token:
        steps |= {*steps_changing_token(trace, token)}
    kind = "both" if word and token else "word" if word else "token" if token else ""
    parts = tuple(filter(None, [word or token]))
    first, plus, second = typed.translate({ord("＋"): "+"}).partition("+")
    if plus and not parts:
        return _watched_pair(trace, typed, (first, second))
    return Watched(typed, kind, parts, tuple(sorted(steps)))


def _watched_pair(trace: AnyTrace, typed: str, sides: tuple[str, str]) -> Watched:
    tokens = _known_tokens(trace)
    first, second = (
        next(filter(tokens.__contains__, (*_spellings(trace, side), *_spellings(trace, side.strip()))), "")
        for side in sides
    )
    if first and second:
        return Watched(typed, "pair", (first, second), tuple(steps_changing_pair(trace, first, second)))
    return Watched(typed, "")


def _spellings(trace: AnyTrace, typed: str) -> Iterator[str]:
    """Ways for a run to write the typed text: as it is; with a space for ␣; as a word after
    a space, or before one."""
    pipeline = trace.corpus.pipeline
    yield typed
    text = typed.replace("␣", " ")
    if pipeline.byte_level:
        yield bytes_to_symbols(text.encode())
        yield bytes_to_symbols(f" {text}".encode())
    elif pipeline.marks_spaces:
        marked = text.replace(" ", SPACE_MARK)
        yield from (marked, SPACE_MARK + marked, marked + SPACE_MARK)


def _known_tokens(trace: AnyTrace) -> Container[str]:
    """All tokens of the run, at any step."""
    return trace.numbers if isinstance(trace, UnigramTrace) else trace.vocabulary.ids


def say_watched(watched: Watched, style: Style) -> None:
    """The number of steps that change it, and the keys to go to them."""
    if not watched.kind:
        message = _(
            "The run has no word or token {text}: type one, or a pair with a plus sign between two tokens."
        )
        problem(message.format(text=quoted(watched.typed)))
        return
    text = " + ".join(readable(part, style) for part in watched.parts)
    name = _(WATCHED_KINDS[watched.kind]).format(text=text)
    if not watched.steps:
        note(_("No step changes {name}.").format(name=name))
        return
    content = ngettext(
        "{number} step changes {name}; the timeline marks it.",
        "{number} steps change {name}; the timeline marks them.",
        len(watched.steps),
    )
    keys = _("Shift+→ goes to the next one, Shift+← to the one before.")
    note(sentences(content.format(number=count(len(watched.steps)), name=name), keys))
