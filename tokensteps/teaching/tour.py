"""The guided tour of a training page: the words of each stop, and their targets; `assets/components/tour.js`
leads it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from tokenizers_core.training.algorithms import ALGORITHMS
from tokensteps.language.i18n import N_, _


class Stop(NamedTuple):
    """One stop: a title and a text, to be translated, and their target.

    `host` is a selector on the page, with the page's name for `{page}`; `inside`, where there is one,
    continues within its shadow root. All matches are ringed together; a stop with an invisible target is
    skipped.
    """

    title: str
    text: str
    host: str
    inside: str = ""


BOOK: Final = ".st-key-{page}-book [data-testid=stBidiComponentIsolated], .st-key-{page}-book"
CORPUS_STOP: Final = Stop(
    N_("The corpus"),
    N_(
        "What the tokenizer learns from: an example, your own text, a file, or a list of words with their counts."
    ),
    ".st-key-{page}-corpus",
)
RULES_STOP: Final = Stop(
    N_("The rules"),
    N_(
        "How text becomes words, when training ends, and whatever else affects what is learned. Change one and look at the same step again."
    ),
    "[data-testid=stSidebar] [data-testid=stExpander]",
)
TRANSPORT_STOP: Final = Stop(
    N_("Step through training"),
    N_(
        "Step with these buttons or the arrow keys, Home and End; Space plays. The line below them lists what was learned: click an entry to go there."
    ),
    BOOK,
    ".transport, .line",
)
TABS_STOP: Final = Stop(
    N_("Look closer"),
    N_(
        "Tables, charts, one word through every step, the code as it runs, files to download. They follow the step above."
    ),
    ".st-key-tabs-{page}-tab [role=tablist]",
)
MERGE_SAID_STOP: Final = Stop(
    N_("What happens in this step"),
    N_("Which pair is merged, and why this one. Point at a word with a dotted line to see what it means."),
    BOOK,
    ".say",
)
MERGE_WORDS_STOP: Final = Stop(
    N_("The words"),
    N_(
        "The corpus's words as the tokens they are made of now, and how often each word occurs. Words that change are outlined; in a long list they come first."
    ),
    BOOK,
    ".cols > section:first-child",
)
PAIRS_STOP: Final = Stop(
    N_("The pairs"),
    N_(
        "The candidates, best first: how often each pair occurs, and how the last step changed that. Ties are marked."
    ),
    BOOK,
    ".cols > section:last-child",
)
SCORES_STOP: Final = Stop(
    N_("The pairs"),
    N_(
        "The candidates, highest score first: the pair's count divided by the counts of its two symbols. Ties are marked."
    ),
    BOOK,
    ".cols > section:last-child",
)
QUESTION_STOP: Final = Stop(
    N_("The question"),
    N_(
        "What comes next is hidden until you say what it will be: choose, type, or click in the words. After a wrong try, there is a hint."
    ),
    ".st-key-{page}-predict",
)
HIDDEN_PAIRS_STOP: Final = Stop(
    N_("The pairs"),
    N_("Not ranked here: count them in the words. Once you have answered, the pair that is merged appears."),
    BOOK,
    ".cols > section:last-child",
)
HIDDEN_PIECES_STOP: Final = Stop(
    N_("The pieces"),
    N_("The pieces with their probabilities; what losing one costs appears only after your answer."),
    BOOK,
    ".cols > section:last-child",
)
PRUNE_SAID_STOP: Final = Stop(
    N_("What happens in this step"),
    N_(
        "Which piece is pruned, and what losing it costs. Point at a word with a dotted line to see what it means."
    ),
    BOOK,
    ".say",
)
SPLITS_STOP: Final = Stop(
    N_("The words"),
    N_("Each word's best split with the pieces of this step. A re-segmented word shows both splits."),
    BOOK,
    ".cols > section:first-child",
)
PIECES_STOP: Final = Stop(
    N_("The pieces"),
    N_(
        "The pieces and the numbers that decide: first their probabilities, then what losing each would cost, cheapest first."
    ),
    BOOK,
    ".cols > section:last-child",
)
STAGE_STOPS: Final = {
    "count": (MERGE_SAID_STOP, MERGE_WORDS_STOP, PAIRS_STOP),
    "score": (MERGE_SAID_STOP, MERGE_WORDS_STOP, SCORES_STOP),
    "loss": (PRUNE_SAID_STOP, SPLITS_STOP, PIECES_STOP),
}
"""The value that decides a step → the stops on its stage."""
STOPS: Final = {
    name: (CORPUS_STOP, RULES_STOP, TRANSPORT_STOP, *STAGE_STOPS[algorithm.ranked_by], TABS_STOP)
    for name, algorithm in ALGORITHMS.items()
}
"""The stops of each training page, by its name."""
PREDICTED: Final = {
    PAIRS_STOP: HIDDEN_PAIRS_STOP,
    SCORES_STOP: HIDDEN_PAIRS_STOP,
    PIECES_STOP: HIDDEN_PIECES_STOP,
}
"""The replacement of a stop in Predict: nothing is ranked there."""


def tour(page: str, predict: bool = False) -> dict[str, Any]:
    """A page's tour for the browser, in the language in use; with `predict`, for a page with questions about
    the next step."""
    stops: tuple[Stop, ...] = STOPS[page]
    if predict:
        corpus, rules, *others = (PREDICTED.get(stop, stop) for stop in stops)
        stops = (corpus, rules, QUESTION_STOP, *others)
    return {
        "page": page,
        "stops": [
            {
                "title": _(stop.title),
                "text": _(stop.text),
                "host": stop.host.format(page=page),
                "inside": stop.inside,
            }
            for stop in stops
        ],
        "labels": {
            "start": _("Show me around"),
            "offer": _("New here? A one-minute tour shows you around."),
            "tour": _("Tour of this page"),
            "place": _("{place} of {number}"),
            "back": _("Back"),
            "next": _("Next"),
            "done": _("Done"),
            "close": _("Close"),
        },
    }
