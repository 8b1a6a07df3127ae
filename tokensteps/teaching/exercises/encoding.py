"""Exercises on encoding a word: with BPE's merge rules, and with a WordPiece vocabulary."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from html import escape
from itertools import islice
from random import Random
from typing import Final

from tokenizers_core import train_bpe, train_wordpiece
from tokenizers_core.encoding.models.bpe import EncodingSnapshot
from tokenizers_core.encoding.models.wordpiece import MatchSnapshot
from tokenizers_core.trace import Trace
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing.tokens import chip, fill
from tokensteps.language.i18n import _, sentences
from tokensteps.language.numbers import FULL_WIDTH
from tokensteps.teaching.exercises.merging import Merging
from tokensteps.teaching.exercises.words import (
    SIZES,
    Draft,
    corpus_of,
    draw_words,
    link_to,
    pair_html,
    prompt,
    sheet_html,
    split_text,
    tokens_in_line,
)
from tokensteps.teaching.questions import Entry, Question, Verdict, right, unread, wrong
from tokensteps.teaching.slips.encoding import bpe_slip, wordpiece_slip
from tokensteps.teaching.slips.unigram import greedy_split
from tokensteps.teaching.splitting import read_split, split_hint

UNKNOWN: Final = "[UNK]"
RULES_LEARNED: Final = {1: 2, 2: 3, 3: 4, 4: 5, 5: 6}
"""BPE's learned merges."""
MERGES_MATCHED: Final = {1: 3, 2: 4, 3: 6, 4: 8, 5: 10}
"""WordPiece's learned merges: only the resulting vocabulary is shown."""
UNKNOWN_SHARE: Final = 0.25
"""From level 2 on, the share of unknown words for WordPiece."""
LENGTHS: Final = {1: (3, 4), 2: (4, 5), 3: (4, 6), 4: (5, 7), 5: (6, 9)}
"""Characters of the word to encode."""
STRANGE_FROM: Final = 3
"""From this level on, about a third of the words have an unknown character."""
STRANGE: Final = "xyzkqv"
ENCODING_ATTEMPTS: Final = 60


def draw_word(random: Random, words: Sequence[str], level: int) -> str:
    """A word of the level's length, made of pieces of the corpus's words."""
    while True:
        word = patched_word(random, words, LENGTHS[level])
        if level >= STRANGE_FROM and random.random() < 0.35:
            index = random.randrange(len(word))
            stranger = random.choice([letter for letter in STRANGE if letter not in "".join(words)])
            word = word[:index] + stranger + word[index + 1 :]
        if word not in words:
            return word


def patched_word(random: Random, words: Sequence[str], lengths: tuple[int, int]) -> str:
    """Pieces of words in a row, with so many characters at least and at most."""
    least, most = lengths
    word = ""  # it begins like a word of the corpus: WordPiece has other tokens there
    while len(word) < least:
        source = random.choice(words)
        start = random.randrange(len(source) - 1) if word else 0
        word += source[start : start + random.randint(2, 4)]
    return word[:most]


def read_spelling(answer: str, word: str, known: Collection[str], prefix: str = "") -> tuple[str, ...] | None:
    """The tokens of `word` as typed, with `[UNK]` for one character outside `known`; None if they don't make
    the word.

    >>> (
    ...     read_spelling("[unk] hug", "thug", "hug"),
    ...     read_spelling("t hug", "thug", "hug"),
    ...     read_spelling("h g", "hug", "hug"),
    ... )
    (('[UNK]', 'hug'), ('t', 'hug'), None)
    """
    plain = re.sub(r"[<\[(]unk[>\])]", "\0", answer.translate(FULL_WIDTH), flags=re.IGNORECASE)
    strangers = [letter for letter in word if letter not in known]
    if plain.count("\0") > len(strangers):
        return None
    if "\0" in plain:
        masked = "".join(letter if letter in known else "\0" for letter in word)
        pieces = read_split(plain.replace("\0", " \0 "), masked, prefix)
        return None if pieces is None else tuple(piece.replace("\0", UNKNOWN) for piece in pieces)
    return read_split(plain, word, prefix)


def encoding_question(
    text: str,
    word: str,
    true: Sequence[str],
    known: Collection[str],
    why: str,
    slip: Callable[[tuple[str, ...]], str],
    way: str,
    prefix: str = "",
) -> Question:
    """Spell a word in tokens; `text` is the prompt, `true` the tokens, `why` markup, `slip` the mistake
    behind other tokens, and `way`, markup, how to begin."""
    plain = tuple(
        token.removeprefix(prefix) if index and prefix else token for index, token in enumerate(true)
    )
    whole = bool(prefix)  # WordPiece: one [UNK] for all of the word

    def grade(answer: str) -> Verdict:
        if whole and re.fullmatch(r"\W*unk\W*", answer.translate(FULL_WIDTH).strip(), re.IGNORECASE):
            pieces: tuple[str, ...] | None = (UNKNOWN,)
        elif whole:
            pieces = read_split(answer, word, prefix)
        else:
            pieces = read_spelling(answer, word, known)
        if pieces is None:
            return unread(
                _("Those tokens don't make {word}: type all of it, with a space between two tokens.").format(
                    word=word
                )
            )
        if pieces == plain:
            return right(why)
        yours = fill(_("You answered {yours}."), yours=tokens_in_line(pieces))
        return wrong(sentences(yours, why), yours, slip(pieces))

    return Question("encode", text, Entry(split_hint(word, prefix)), split_text(true), grade, why, way)


def fitting(
    random: Random,
    level: int,
    train: Callable[..., Merging],
    merges: int,
    fits: Callable[[Sequence[str], str], bool],
) -> tuple[dict[str, int], Merging, str]:
    """A corpus, its trace, and a word with fitting tokens; if none is found, the last word tried."""
    result = None
    for _attempt in range(ENCODING_ATTEMPTS):
        counts = draw_words(random, SIZES[level]._replace(words=SIZES[level].words + 1))
        trace = train(corpus_of(counts), merges=merges)
        if len(trace) < merges:
            continue
        tokenizer = trace.tokenizer()
        for _word in range(4):
            word = draw_word(random, list(counts), level)
            result = counts, trace, word
            if fits(tokenizer.encode(word).tokens, word):
                return result
    if result is None:
        raise ValueError(f"No corpus of level {level} has {merges} merges.")
    return result


def merged(tokens: Sequence[str], word: str) -> bool:
    """Whether rules were used, but tokens are left to merge."""
    return 1 < len(tokens) < len(word)


def bpe_encode(random: Random, level: int) -> Draft:
    """A word by merge rules."""
    counts, trace, word = fitting(random, level, train_bpe, RULES_LEARNED[level], merged)
    question, facts = bpe_question(trace, len(trace), word)
    return Draft(question, facts, link_to(trace.algorithm, counts, step=str(len(trace))))


def bpe_question(trace: BpeTrace, step: int, word: str) -> tuple[Question, dict[str, object]]:
    """How a word is encoded after `step` merges of BPE."""
    merges = [(pair.first, pair.second) for pair in trace[step].merges]
    tokenizer = trace.tokenizer(step)
    text = prompt(
        _(
            "The word is split into characters. Then the first rule in the list that fits is applied "
            "wherever its pair occurs, again and again, until none fits. An unknown character becomes [UNK], "
            "which no rule fits."
        ),
        f"{rules_html(merges)}{alphabet_html(trace.alphabet)}",
        fill(_("Which tokens is {word} split into?"), word=f"<code>{escape(word)}</code>"),
    )
    steps = tokenizer.explain(word)
    letters = steps[0].tokens

    def slip(yours: tuple[str, ...]) -> str:
        return bpe_slip(yours, letters, word, merges)

    question = encoding_question(
        text,
        word,
        tokenizer.encode(word).tokens,
        trace.alphabet,
        bpe_steps(steps),
        slip,
        bpe_begun(steps),
    )
    facts: dict[str, object] = {
        "merges": merges,
        "alphabet": trace.alphabet,
        "word": word,
        "words": dict(trace.corpus.items()),
    }
    return question, facts


def rules_html(merges: Iterable[tuple[str, str]]) -> str:
    """Merge rules in their order, as a table."""
    return sheet_html(
        (_("Rule"), _("Merge"), _("Becomes")),
        ((str(number), pair_html(pair), chip("".join(pair))) for number, pair in enumerate(merges, start=1)),
    )


def alphabet_html(alphabet: Iterable[str]) -> str:
    """A vocabulary's known characters, as a line."""
    letters = fill(_("Known characters: {letters}"), letters=tokens_in_line(alphabet))
    return f'<p class="known">{letters}</p>'


def bpe_steps(explained: Trace[EncodingSnapshot]) -> str:
    """The encoding, merge by merge: markup."""
    return " → ".join(tokens_in_line(snapshot.tokens) for snapshot in explained)


def bpe_begun(explained: Trace[EncodingSnapshot]) -> str:
    """How the encoding begins: markup, never with its end."""
    shown = min(2, max(1, len(explained) - 1))
    begun = [tokens_in_line(snapshot.tokens) for snapshot in islice(explained, shown)]
    return " → ".join([*begun, "…"])


def wordpiece_encode(random: Random, level: int) -> Draft:
    """A word by the longest match."""
    unknown = level > 1 and random.random() < UNKNOWN_SHARE

    def fits(tokens: Sequence[str], spelled: str) -> bool:
        return list(tokens) == [UNKNOWN] if unknown else merged(tokens, spelled)

    counts, trace, word = fitting(random, level, train_wordpiece, MERGES_MATCHED[level], fits)
    question, facts = wordpiece_question(trace, len(trace), word)
    return Draft(question, facts, link_to(trace.algorithm, counts, step=str(len(trace))))


def wordpiece_question(trace: WordPieceTrace, step: int, word: str) -> tuple[Question, dict[str, object]]:
    """How a word is encoded after `step` merges of WordPiece."""
    vocabulary = vocabulary_of(trace, step)
    tokenizer = trace.tokenizer(step)
    text = prompt(
        _(
            "Take the longest token that begins the word, then the longest that begins the rest, and so on; "
            "## marks tokens inside a word. If no token fits at some point, the whole word becomes one [UNK]."
        ),
        vocabulary_html(vocabulary),
        fill(_("Which tokens is {word} split into?"), word=f"<code>{escape(word)}</code>"),
    )
    why, true = wordpiece_steps(tokenizer.explain(word)), tokenizer.encode(word).tokens

    def slip(yours: tuple[str, ...]) -> str:
        return wordpiece_slip(yours, word, true, vocabulary, "##", UNKNOWN)

    first = greedy_split(word, (token for token in vocabulary if not token.startswith("##")))[:1]
    way = _("The longest token that begins the word is {token}. What begins the rest?")
    way = fill(way, token=chip(first[0])) if first else escape(_("Is there a token that begins the word?"))
    question = encoding_question(text, word, true, word, why, slip, way, "##")
    return question, {"vocabulary": vocabulary, "word": word, "words": dict(trace.corpus.items())}


def vocabulary_of(trace: WordPieceTrace, step: int) -> list[str]:
    """The vocabulary after a step, ordered for look-ups: tokens inside a word behind the others."""
    return sorted(trace[step].vocab, key=lambda token: (token.startswith("##"), token))


def vocabulary_html(vocabulary: Iterable[str]) -> str:
    """A vocabulary, as a line."""
    shown = fill(_("Vocabulary: {tokens}"), tokens=tokens_in_line(vocabulary))
    return f'<p class="known">{shown}</p>'


def wordpiece_steps(explained: Trace[MatchSnapshot]) -> str:
    """The matches, and where the word could not be spelled any further: markup."""
    last = explained[-1]
    if last.event.kind != "unknown":
        return fill(
            _("{tokens}: each is the longest token that begins the rest."), tokens=tokens_in_line(last.tokens)
        )
    before = explained[-2]  # the last failed try
    return fill(
        _("After {found}, no token begins the rest, {rest}: the whole word is {unknown}.")
        if before.tokens
        else _("No token begins {rest}: the whole word is {unknown}."),
        found=tokens_in_line(before.tokens),
        rest=f"<code>{escape(before.rest)}</code>",
        unknown=chip(UNKNOWN),
    )
