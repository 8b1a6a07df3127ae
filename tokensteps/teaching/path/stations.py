"""The path through the app for a learner: its stations, each with a task before any explanation.

A station is done after its task, or after its answer was shown. Figures are not written here: see `facts` in
`tokensteps/teaching/lessons.py`.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import urlencode

from tokensteps.catalogue.choices import GPT2
from tokensteps.language.i18n import N_
from tokensteps.teaching.lessons import (
    TO_COUNT_LINK,
    TO_PRUNE_LINK,
    TO_SCORE_LINK,
    Claim,
    Link,
    playground_query,
)

NEW_WORD: Final = "bugs"
"""A word absent from the training on five words."""
NEW_SIGN: Final = "🍵"
"""A character absent from the four sentences."""
LONG_WORD: Final = "tokenization"
"""A word for GPT-2 to cut."""
SENTENCES_QUERY: Final = {"corpus": "course", "alphabet": "bytes", "size": "276"}
"""BPE on four sentences, from all bytes."""


class Station(NamedTuple):
    """One stop on the way. Its texts are to be translated; the ones at the end have fields."""

    link: Link
    ask: str
    """The task there."""
    named: str
    """The learner's result, with `{yours}` for the answer."""
    insight: str
    """The consequence."""
    claims: tuple[Claim, ...] = ()
    card: str = ""
    """The question above the page, a key of `CARDS` (`tokensteps/teaching/path/cards.py`); "" where the page
    itself asks, in Predict."""
    predictions: int = 0
    """How many steps are to be predicted there."""
    exercise: str = ""
    """Its kind of exercise; "" for none."""


STATIONS: Final[tuple[Station, ...]] = (
    Station(
        Link(N_("Pieces, not words: your own sentence"), "home"),
        N_("Frequent words stay whole, rare ones are cut. Write one of your own that will be cut."),
        N_("You wrote {yours}."),
        N_(
            "A model reads neither letters nor words but tokens. The page shows those of your text; change it as you like."
        ),
        (Claim("pieces"),),
        card="own",
    ),
    Station(
        TO_COUNT_LINK._replace(label=N_("BPE on five words: predict two merges")),
        N_(
            "Which neighbors occur together most often? Click between two tokens, or choose a pair. Do it twice."
        ),
        N_("You answered {yours}."),
        N_(
            "BPE merges the most frequent pair, everywhere, then counts again: {bpe_pair}, {bpe_freq} times, came first."
        ),
        (Claim("asks", ("bpe_pair",)), Claim("merges", ("bpe_freq",))),
        predictions=2,
        exercise="bpe_count",
    ),
    Station(
        Link(
            N_("A tie, and who decides"),
            "bpe",
            {"corpus": "hug", "mode": "predict", "ask": "pair", "step": "4"},
        ),
        N_("Four merges later: count once more. Which pair is next? Look twice before you answer."),
        N_("You answered {yours}."),
        N_(
            "{even_first} and {even_second} occur {even_freq} times each: a rule decides, not the data. Here, the pair met first wins."
        ),
        (Claim("even", ("even_first", "even_second", "even_freq")),),
        predictions=1,
        exercise="bpe_pair",
    ),
    Station(
        Link(N_("Encode a word that training has never seen"), "bpe", {"corpus": "hug", "step": "7"}),
        N_("Cut a new word, “{new_word}”, with the merges that were learned: oldest first."),
        N_("You cut it into {yours}."),
        N_(
            "Encoding counts nothing: it replays the merges in their order. A new word becomes known pieces: {new_pieces}."
        ),
        (Claim("replays", ("new_word", "new_pieces")),),
        card="new_word",
        exercise="bpe_encode",
    ),
    Station(
        Link(
            N_("Bytes: why nothing is unknown"),
            "playground",
            {**playground_query("course"), "t1": f"bpe?{urlencode(SENTENCES_QUERY)}"},
        ),
        N_(
            "A tokenizer that starts from bytes meets {sign} for the first time. How many tokens does it make?"
        ),
        N_("You answered {yours}."),
        N_(
            "{sign} is {sign_bytes} bytes, and each byte is in the vocabulary: so nothing is unknown. In lists of tokens, the byte of a space is written Ġ."
        ),
        (Claim("bytes", ("sign", "sign_bytes")),),
        card="bytes",
    ),
    Station(
        Link(
            N_("A real vocabulary: GPT-2's 50,000 merges"),
            "playground",
            {**playground_query("course"), "t1": GPT2, "t2": "bpe?corpus=course"},
        ),
        N_("Four sentences taught few merges; GPT-2 has 50,000. How does it cut “{long_word}”?"),
        N_("You cut it into {yours}."),
        N_(
            "“{long_word}” is cut, but only once: the web, which GPT-2 learned from, has both parts often. Now write a text of your own in the box."
        ),
        (Claim("gpt2", ("long_word",)),),
        card="gpt2",
    ),
    Station(
        TO_SCORE_LINK._replace(label=N_("WordPiece: the same words, another winner")),
        N_(
            "WordPiece divides a pair's count by the product of its parts' counts. Which pair has the highest score?"
        ),
        N_("You answered {yours}."),
        N_(
            "{wp_frequent} is most frequent, but {wp_pair} wins with {wp_score}: its parts rarely occur apart."
        ),
        (Claim("asks", ("wp_score",)), Claim("scores", ("wp_frequent", "wp_pair"))),
        predictions=1,
        exercise="wordpiece_score",
    ),
    Station(
        Link(N_("Many ways to cut a word: the lattice"), "unigram", {"corpus": "hug", "step": "0"}),
        N_("Unigram gives each piece a probability. Cut “{lattice_word}” so that the product is greatest."),
        N_("You cut it into {yours}."),
        N_(
            "There are {paths} ways; {best} is the most probable. The Viterbi algorithm finds it without trying them all."
        ),
        (Claim("splits", ("lattice_word", "paths", "best")),),
        card="lattice",
        exercise="viterbi",
    ),
    Station(
        TO_PRUNE_LINK._replace(label=N_("Unigram: what is missed least goes")),
        N_("Now pieces are removed. Which one would the five words miss least?"),
        N_("You answered {yours}."),
        N_(
            "Without {piece}, {word} becomes {after}, and the loss, which says how improbable the text is, grows least: by {loss} nats, as its unit is called."
        ),
        (Claim("asks", ("piece", "loss", "after")), Claim("prunes", ("word",))),
        predictions=1,
        exercise="unigram_piece",
    ),
    Station(
        Link(N_("Compare: the same words, three tokenizers"), "compare", {"corpus": "hug", "step": "3"}),
        N_("Three vocabularies of the same size. Find a word that is cut in three different ways."),
        N_("You found {yours}."),
        N_(
            "Same words, same vocabulary size, other tokens: what a tokenizer counts decides what a model sees."
        ),
        (Claim("three_ways"),),
        card="differs",
        exercise="wordpiece_encode",
    ),
)
"""The way through the app, in its order: one new idea at each."""
FOLLOW_UP: Final = Link(
    N_("Exercises, from easy to hard"), "exercises", {"kind": "path", "level": "1", "rising": "1"}
)
"""The end of the path: exercises on its stations' topics, and no others."""
OWN_STATION: Final = 1
"""Where the learner writes a text of their own."""
OLD_STATIONS: Final = {1: 2, 2: 3, 3: 7, 4: 9, 5: 8, 6: 4, 7: 10}
"""The stations of the first path: number there → number here."""
