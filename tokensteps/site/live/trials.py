"""The results of the page “Try”, trained in the visitor's browser: a run, its steps, and a text's encoding.

The page's worker asks for all of it, and answers travel as JSON. Markup comes from `drawing/` alone; typed
text goes there as text.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.files.exports import prunes_to_json, trace_to_json
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.training.algorithms import ALGORITHMS, AnyTrace
from tokenizers_core.training.unigram import grown_seed
from tokensteps.drawing.frame import Frame, payload, window, without_styles
from tokensteps.drawing.lattice.bars import LATTICE_CHARACTERS
from tokensteps.drawing.stage_markup import token_count
from tokensteps.drawing.tokens import chips, readable
from tokensteps.drawing.training.step_kinds import STEP_KINDS
from tokensteps.drawing.whatif import style_of
from tokensteps.language.i18n import N_, _, count, current_language, use_language
from tokensteps.language.labels import flipbook_labels
from tokensteps.language.messages import explained
from tokensteps.language.names import ALGORITHM_NAMES
from tokensteps.limits import ENCODE_LIMIT, LIVE_TEXT, STEPS_SENT, WHY_LISTED
from tokensteps.runs.rules import RULES_OF, SPLIT, USUAL_SEED

LIVE_WINDOW: Final = 48
"""Steps to draw at once in a visitor's browser: a tenth of a second each would be too long to wait for
hundreds."""

TELLING: Final = 0.2
"""Seconds between two reports of how far a run is."""
Tell = Callable[[int], object]
"""Hears how many steps are done."""


class LiveError(TokenizersCoreError):
    """A text beyond a browser's abilities. `why` is a key of `templates`.

    >>> print(LiveError("long", 30_000, LIVE_TEXT))
    The text has 30,000 characters, but the page takes 20,000: shorten it.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "long": N_("The text has {size} characters, but the page takes {limit}: shorten it."),
        "memory": N_("This is too much for the browser: use a shorter text or a smaller vocabulary."),
        "untrained": N_("Nothing has been trained yet: press “Train” first."),
    }

    def __init__(self, why: str, size: int = 0, limit: int = 0) -> None:
        self.template = self.templates[why]
        super().__init__(size=count(size), limit=count(limit))


class Book(NamedTuple):
    """Something to step through. Its `run` is a unique name on this page: with a new one, the flipbook starts
    anew."""

    run: str
    title: str
    last: int
    draw: Callable[[int], Frame]

    def around(self, step: int) -> range:
        """The steps to draw with this one."""
        return window(step, self.last, LIVE_WINDOW, LIVE_WINDOW)

    def drawn(self, shown: range, step: int, nonce: int) -> str:
        """The frames of these steps, as the flipbook reads them; with a new `nonce` it goes to `step`."""
        frames, labels = [without_styles(self.draw(at)) for at in shown], flipbook_labels(self.title)
        return payload(self.run, self.last, shown.start, frames, (step, nonce), labels).decode()


class Trials:
    """All results of one visit. `language` is the page's, and `tell` gets the number of finished steps of a
    training."""

    def __init__(self, language: str, tell: Tell) -> None:
        use_language(language)
        self._tell = tell
        self._trace: AnyTrace | None = None
        self._books: dict[str, Book] = {}
        self._shown: dict[str, range] = {}
        self._number = 0

    def do(self, what: str, argument: str) -> str:
        """Do the page's task: one of the methods below, by its name, with its argument as JSON. An error is a
        sentence for the page."""
        acts = (self.train, self.encode, self.explain, self.frames, self.save)
        act: Any = next(one for one in acts if one.__name__ == what)
        try:
            return json.dumps(act(**json.loads(argument)))
        except (MemoryError, RecursionError):
            return json.dumps({"error": explained(LiveError("memory"))})
        except TokenizersCoreError as error:
            return json.dumps({"error": explained(error)})

    def warm_up(self) -> None:
        """Train a word with each algorithm, and forget it: the costs of a first run (patterns, catalogues,
        code that the browser compiles at its first call) are paid before somebody waits."""
        aside = Trials(current_language(), lambda _done: None)
        for algorithm, rules in RULES_OF.items():
            pre = next(rule.default for rule in rules if rule.name == SPLIT.name)
            aside.train("hug hugs pug", algorithm, pre, "")
        aside.encode("hugs")
        aside.explain("hugs")

    def train(self, text: str, algorithm: str, pre: str, size: str) -> dict[str, Any]:
        """Train on a text, with the app's usual settings for everything not on the page. Raises the engine's
        errors."""
        self._trace = run_of_text(text, algorithm, {"pre": pre, "size": size}, self._tell)
        trace, style = self._trace, style_of(self._trace)
        draw = STEP_KINDS[trace.ranked_by].frame
        return self._put(
            "training", ALGORITHM_NAMES[algorithm], len(trace), lambda step: draw(trace[step], style)
        )

    def encode(self, text: str) -> dict[str, Any]:
        """A text's tokens as markup, their ids, and its words, each with an explanation on request."""
        trace = self._known()
        encoding = trace.tokenizer().encode(bounded_text(text, ENCODE_LIMIT))
        return {
            "tokens": chips(encoding.tokens, style_of(trace)),
            "ids": ", ".join(map(str, encoding.ids)),
            "count": token_count(len(encoding)),
            "words": [*dict.fromkeys(text.split())][:WHY_LISTED],
        }

    def explain(self, word: str) -> dict[str, Any]:
        """How a word is encoded in the end, step by step: Unigram's lattice, BPE's merges, WordPiece's
        matches."""
        trace = self._known()
        style, draw = style_of(trace), STEP_KINDS[trace.ranked_by].encoding_frame
        story: Any = trace.tokenizer().explain(word[:LATTICE_CHARACTERS])
        title = _("{word}, encoded after step {step}")
        title = title.format(word=readable(word, style), step=count(len(trace)))
        last = min(len(story), STEPS_SENT)
        return self._put("encoding", title, last, lambda step: draw(story[step], style))

    def frames(self, book: str, step: int, nonce: int) -> dict[str, Any]:
        """The frames around a step of the book "training" or "encoding", unless the page has them."""
        shown = self._books[book].around(step)
        if shown == self._shown[book]:
            return {}
        self._shown[book] = shown
        return {"frames": self._books[book].drawn(shown, step, nonce)}

    def save(self) -> dict[str, Any]:
        """The run as a file, as the command `trace` writes it."""
        return {"file": run_json(self._known())}

    def _put(self, name: str, title: str, last: int, draw: Callable[[int], Frame]) -> dict[str, Any]:
        self._number += 1
        book = self._books[name] = Book(f"{self._number} {title}", title, last, draw)
        shown = self._shown[name] = book.around(0)
        return {"title": title, "frames": book.drawn(shown, 0, 1)}

    def _known(self) -> AnyTrace:
        if self._trace is None:
            raise LiveError("untrained")
        return self._trace


def bounded_text(text: str, limit: int) -> str:
    """The text. Raises LiveError if it is too long."""
    if len(text) > limit:
        raise LiveError("long", len(text), limit)
    return text


def run_of_text(text: str, algorithm: str, chosen: Mapping[str, str], tell: Tell) -> AnyTrace:
    """Train on a text as on a file of it, with these of the app's settings, in the form of its addresses, and
    the usual ones for the rest.

    Raises LiveError, ValueError for an impossible setting, and the engine's errors.
    """
    rules = {rule.name: rule for rule in RULES_OF[algorithm]}
    pre, size = (rules[name].parse(chosen[name]) for name in ("pre", "size"))
    corpus = Corpus.from_bytes(bounded_text(text, LIVE_TEXT).encode("utf-8", "replace"), pre_tokenizer=pre)
    reported = time.monotonic()

    def progress(done: int, _total: int | None) -> bool:
        nonlocal reported
        if time.monotonic() - reported > TELLING:
            reported = time.monotonic()
            tell(done)
        return True

    seed = {"seed_size": grown_seed(USUAL_SEED, size)} if ALGORITHMS[algorithm].ranked_by == "loss" else {}
    return ALGORITHMS[algorithm].train(corpus, vocab_size=size, progress=progress, **seed)


def run_json(trace: AnyTrace) -> str:
    """A run as JSON: all of its steps."""
    return prunes_to_json(trace) if trace.ranked_by == "loss" else trace_to_json(trace)
