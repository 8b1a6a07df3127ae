"""Exercises on the ways to use one vocabulary: merges in their order, longest match, fewest tokens, the most
probable split."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from html import escape
from random import Random
from typing import Final, NamedTuple, TypeVar

from tokenizers_core import train_bpe
from tokenizers_core.encoding.cuts.table import PieceTable, longest_match, names_of
from tokenizers_core.encoding.models.lattice import equally_good
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.drawing.tokens import chip, fill
from tokensteps.language.i18n import N_, _, count, listed, ngettext, pgettext, sentences
from tokensteps.language.names import USE_NAMES
from tokensteps.language.numbers import chance
from tokensteps.teaching.exercises.encoding import (
    LENGTHS,
    alphabet_html,
    bpe_begun,
    bpe_steps,
    patched_word,
    rules_html,
)
from tokensteps.teaching.exercises.unigram import (
    draw_model,
    paths_of,
    probability,
    shares_table,
    unigram_link,
    worked,
)
from tokensteps.teaching.exercises.words import (
    SIZES,
    Address,
    Draft,
    corpus_of,
    draw_words,
    link_to,
    prompt,
    sheet_html,
    split_text,
    tokens_in_line,
)
from tokensteps.teaching.questions import Board, Entry, Question, Verdict, grade_split, right, wrong
from tokensteps.teaching.slips.encoding import Spelled, bpe_slip, way_slip
from tokensteps.teaching.slips.unigram import split_slip
from tokensteps.teaching.splitting import split_hint

Drawn = TypeVar("Drawn")
USE_RULES: Final[Mapping[str, str]] = {
    "merges": N_(
        "The word is split into characters. Then the first rule in the list that fits is applied wherever its pair occurs, again and "
        "again, until none fits."
    ),
    "longest_prefix": N_(
        "Take the longest token that begins the word, then the longest that begins the rest, and so on. Nothing else counts, neither "
        "the order of merge rules nor probabilities."
    ),
    "fewest_tokens": N_(
        "Take as few tokens as possible. Nothing else counts, neither the order of merge rules nor probabilities. If several splits "
        "have as few, any of them is right."
    ),
    "most_probable": N_(
        "A word is split into the pieces whose probabilities have the greatest product. If several splits tie, any of them is right."
    ),
}
"""A way to use a vocabulary → the instructions."""
RULES_USED: Final = {1: 3, 2: 4, 3: 5, 4: 6, 5: 7}
"""BPE's learned merges."""
ALL_UNLIKE_FROM: Final = 4
"""From this level on, the split in question differs from all other ways'; below, from one of them."""
USE_ATTEMPTS: Final = 8
"""The most vocabularies drawn for that; after them, one other way is enough."""
WORDS_TRIED: Final = 12
"""The most words tried with a vocabulary."""


class Used(NamedTuple):
    """A word and a vocabulary, and for each way to use it the splits of the word: several where they are as
    good."""

    word: str
    tokens: Collection[str]
    splits: Mapping[str, tuple[Spelled, ...]]

    def unlike(self, way: str) -> int:
        """The number of other ways without a common split with this one.

        >>> Used(
        ...     "hug",
        ...     (),
        ...     {
        ...         "merges": (("h", "ug"),),
        ...         "longest_prefix": (("hu", "g"),),
        ...         "fewest_tokens": (("hu", "g"), ("h", "ug")),
        ...     },
        ... ).unlike("merges")
        1
        """
        own = {*self.splits[way]}
        return sum(own.isdisjoint(result) for result in self.splits.values())


class Posed(NamedTuple):
    """The parts of a question about a way."""

    used: Used
    vocabulary: str
    """The vocabulary: markup."""
    token_facts: Mapping[str, str]
    """The facts about each token, plain text."""
    why: str
    """The way's path to its split: markup."""
    begun: str
    """How to begin: markup."""
    slip: Callable[[Spelled], str]
    """The mistake behind other tokens; "" if none is known."""
    facts: Mapping[str, object]
    link: Address | None


def ways(random: Random, level: int) -> Draft:
    """A word's split by one way to use a vocabulary trained for another."""
    pose = random.choice((pose_merges, pose_pieces))
    way, posed = pose(random, level)
    return Draft(way_question(way, posed), {**posed.facts, "way": way}, posed.link)


def way_to_ask(
    random: Random, level: int, drawn: Callable[[], Iterator[tuple[Drawn, Used]]], own: str
) -> tuple[Drawn, Used, str]:
    """A run, a word, and a way to split it: `own`, the vocabulary's purpose, the longest match or the fewest
    tokens.

    `drawn` gives words with a run, another one each time; `own` and the longest match split them differently.
    """
    way = random.choice((own, "longest_prefix", "fewest_tokens"))
    attempt = 0
    while True:
        attempt += 1
        many = attempt <= USE_ATTEMPTS
        for run, used in drawn():
            wanted = len(used.splits) - 1 if many and level >= ALL_UNLIKE_FROM else 1
            requested = [
                one for one in used.splits if used.unlike(one) >= wanted and (one == way or not many)
            ]
            if requested:
                return run, used, random.choice(requested)


def words_tried(random: Random, counts: Mapping[str, int], level: int) -> list[str]:
    """Words of the level's length to be tried with the vocabulary of these."""
    return [patched_word(random, list(counts), LENGTHS[level]) for _word in range(WORDS_TRIED)]


def fewest_splits(word: str, tokens: Collection[str]) -> tuple[Spelled, ...]:
    """Every split of a word into as few tokens as possible, the longest first tokens first.

    >>> fewest_splits("abcd", ["a", "b", "c", "d", "ab", "abc", "bcd"])
    (('abc', 'd'), ('a', 'bcd'))
    """
    return tuple(filter(None, map(names_of, PieceTable.build(word, tokens).shortest_paths())))


def way_question(way: str, posed: Posed) -> Question:
    """A word's split by one way to use a vocabulary; the answer also shows the others."""
    used = posed.used
    true, *as_good = used.splits[way]
    why = posed.why
    if as_good:
        others = listed(tokens_in_line(split) for split in as_good)
        why = sentences(why, fill(_("Just as good: {others}."), others=others))
    rows = ((escape(_(USE_NAMES[other])), tokens_in_line(result[0])) for other, result in used.splits.items())
    why += sheet_html((_("Way"), pgettext("a word's", "Split")), rows)

    def compare(pieces: Spelled) -> Verdict:
        if pieces in as_good:
            return right(why)
        yours = fill(_("You answered {yours}."), yours=tokens_in_line(pieces))
        slip = "not_in_vocabulary" if not {*pieces} <= {*used.tokens} else way_slip(way, pieces, used.splits)
        return wrong(sentences(yours, why), yours, slip or posed.slip(pieces))

    return Question(
        "encode",
        prompt(
            _(USE_RULES[way]),
            posed.vocabulary,
            fill(_("Which tokens is {word} split into this way?"), word=f"<code>{escape(used.word)}</code>"),
        ),
        Entry(split_hint(used.word)),
        split_text(true),
        grade_split(used.word, true, compare, explanation=why),
        why,
        posed.begun,
        Board(used.word, {token: text for token, text in posed.token_facts.items() if token in used.word}),
    )


def way_texts(way: str, used: Used) -> tuple[str, str]:
    """How the longest match or the fewest tokens come about, and how to begin: markup."""
    split = used.splits[way][0]
    if way == "longest_prefix":
        why = fill(
            _("{tokens}: each is the longest token that begins the rest."), tokens=tokens_in_line(split)
        )
        begun = _("The longest token that begins the word is {token}. What begins the rest?")
        return why, fill(begun, token=chip(split[0]))
    why = fill(_("{tokens}: no split has fewer tokens."), tokens=tokens_in_line(split))
    begun = ngettext("{number} token is enough.", "{number} tokens are enough.", len(split))
    return why, escape(begun.format(number=count(len(split))))


# --- vocabularies -------------------------------------------------------------------------------------------


def pose_merges(random: Random, level: int) -> tuple[str, Posed]:
    """BPE's vocabulary: its merges in their order, or its tokens otherwise."""
    size = SIZES[level]._replace(words=SIZES[level].words + 1)

    def drawn() -> Iterator[tuple[BpeTrace, Used]]:
        counts = draw_words(random, size)
        trace = train_bpe(corpus_of(counts), merges=RULES_USED[level])
        tokenizer = trace.tokenizer()
        tokens = [*trace.alphabet, *dict.fromkeys("".join(pair) for pair in trace[-1].merges)]
        for word in words_tried(random, counts, level):
            merged, longest = tuple(tokenizer.encode(word).tokens), longest_match(word, tokens)
            if longest and merged != longest:
                ways = {
                    "merges": (merged,),
                    "longest_prefix": (longest,),
                    "fewest_tokens": fewest_splits(word, tokens),
                }
                yield trace, Used(word, tokens, ways)

    trace, used, way = way_to_ask(random, level, drawn, "merges")
    merges = [(pair.first, pair.second) for pair in trace[-1].merges]
    steps = trace.tokenizer().explain(used.word)
    why, begun = (bpe_steps(steps), bpe_begun(steps)) if way == "merges" else way_texts(way, used)

    def slip(yours: Spelled) -> str:
        return bpe_slip(yours, used.word, used.word, merges) if way == "merges" else ""

    counts = dict(trace.corpus.items())
    rule = _("rule {number}")
    data = {token: _("character") for token in trace.alphabet}
    for number, pair in enumerate(merges, start=1):
        data.setdefault("".join(pair), rule.format(number=number))
    facts = {"words": counts, "merges": merges, "alphabet": trace.alphabet, "word": used.word}
    link = link_to(trace.algorithm, counts, step=str(len(trace)))
    rules = f"{rules_html(merges)}{alphabet_html(trace.alphabet)}"
    return way, Posed(used, rules, data, why, begun, slip, facts, link)


def pose_pieces(random: Random, level: int) -> tuple[str, Posed]:
    """Unigram's vocabulary: by its probabilities, or its pieces otherwise."""

    def drawn() -> Iterator[tuple[UnigramTrace, Used]]:
        counts, trace = draw_model(random, level)
        pieces = dict(trace.seed)
        for word in words_tried(random, counts, level):
            best, longest = trace[0].lattice(word).best(), longest_match(word, pieces)
            if best is not None and longest and best.pieces != longest:
                paths = paths_of(trace, word)
                probable = tuple(path.pieces for path in paths if equally_good(path, paths[0]))
                ways = {
                    "most_probable": probable,
                    "longest_prefix": (longest,),
                    "fewest_tokens": fewest_splits(word, pieces),
                }
                yield trace, Used(word, pieces, ways)

    trace, used, way = way_to_ask(random, level, drawn, "most_probable")
    seed, best = dict(trace.seed), used.splits[way][0]
    weights = {piece: Fraction(number, sum(seed.values())) for piece, number in seed.items()}
    if way == "most_probable":
        why = fill(_("{split}: {numbers}."), split=tokens_in_line(best), numbers=escape(worked(best, seed)))
        text = _("The most probable split has probability {chance}.")
        begun = escape(text.format(chance=chance(float(probability(best, seed)))))
    else:
        why, begun = way_texts(way, used)

    def slip(yours: Spelled) -> str:
        return split_slip(used.word, yours, weights) if way == "most_probable" else ""

    counts = dict(trace.corpus.items())
    known = {piece: f"{number}/{sum(seed.values())}" for piece, number in seed.items()}
    facts = {"words": counts, "pieces": seed, "word": used.word}
    link = unigram_link(counts, trace, 0)
    return way, Posed(used, shares_table(seed), known, why, begun, slip, facts, link)
