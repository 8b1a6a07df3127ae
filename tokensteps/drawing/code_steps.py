"""The current line of the plain version in each of a step's two beats, and the values of its names.

The listings are the files of `tokenizers_core/plain/` themselves. Lines are found by their beginnings, so
that they move with the source. Everything here is a pure function of a snapshot; `assets/components/code.js`
marks the lines named in a frame.
"""

from __future__ import annotations

import inspect
import io
import json
import keyword
import tokenize
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from html import escape
from types import ModuleType
from typing import Final, NamedTuple

from tokenizers_core.plain import (
    bpe,
    paritybpe,
    pickybpe,
    sentencepiece_bpe,
    superbpe,
    unigram,
    unigram_em,
    viterbi,
    wordpiece,
)
from tokenizers_core.trace import GROWING
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.kinds.pickybpe import RemoveEvent
from tokenizers_core.training.kinds.superbpe import StageEvent
from tokenizers_core.training.merge_trace import MergeSnapshot, MergeTrace, RuleEvent
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokenizers_core.training.wordpiece import ScoredCandidate
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import _
from tokensteps.language.numbers import nats

TOKEN_WIDTH = 14
"""Characters of a token among the values."""


Training = MergeTrace | UnigramTrace
"""A recorded run of any of the algorithms."""
Beats = tuple["Beat", "Beat"]
"""Where a step is in its first beat and in its second."""


class Beat(NamedTuple):
    """A step's current lines by their keys, the one with the values first, and the values as plain text."""

    keys: tuple[str, ...]
    values: str


_EMPTY = ("", "")


class Excerpt(NamedTuple):
    """Lines of one file: a file as a whole, or some of its functions."""

    file: ModuleType
    functions: tuple[Callable[..., object], ...] = ()

    @property
    def path(self) -> str:
        """The file's place in the project."""
        return f"{self.file.__name__.replace('.', '/')}.py"

    def lines(self) -> Iterator[tuple[str, str]]:
        """The file's name, then each line's number in the file and its text; two empty lines after each
        part."""
        yield "", f"# {self.path}"
        for part in self.functions or (self.file,):
            source, first = inspect.getsourcelines(part)
            for number, line in enumerate(source, start=max(first, 1)):
                yield str(number), line.rstrip("\n")
            yield from (_EMPTY, _EMPTY)


class Listing(NamedTuple):
    """A plain version on the page: its file, its imports from others, and for each key the unique beginning
    of a line."""

    excerpts: tuple[Excerpt, ...]
    beginnings: Mapping[str, str]

    @property
    def numbered(self) -> list[tuple[str, str]]:
        """All lines, each with its number in its file; "" for lines between files and functions."""
        return [line for excerpt in self.excerpts for line in excerpt.lines()][:-2]

    @property
    def source(self) -> str:
        """All lines as one text."""
        return "\n".join(text for _number, text in self.numbered)

    @property
    def lines(self) -> dict[str, int]:
        """Key → the place of its line in the listing, from 1."""
        lines = [text.strip() for _number, text in self.numbered]
        return {
            key: next(index for index, line in enumerate(lines, start=1) if line.startswith(beginning))
            for key, beginning in self.beginnings.items()
        }


_MERGING = {
    "split": "splits = {word: ",
    "full": "while len(vocabulary) < vocab_size",
    "none": "if not frequent:",
    "best": "pair = max(",
    "merge": "splits[word] = replace_pair(",
}
_MERGED_BY_BPE = Excerpt(bpe, (bpe.symbols_in, bpe.pair_counts, bpe.replace_pair))
_VITERBI = Excerpt(viterbi, (viterbi.viterbi, viterbi.forward_pass, viterbi.backtrace, viterbi.edges))
LISTINGS: Mapping[str, Listing] = {
    "bpe": Listing((Excerpt(bpe),), _MERGING),
    "pickybpe": Listing(
        (Excerpt(pickybpe), _MERGED_BY_BPE),
        {**_MERGING, "none": "if not counts:", "remove": "vocabulary.remove(part)"},
    ),
    "paritybpe": Listing(
        (Excerpt(paritybpe), _MERGED_BY_BPE),
        {
            "split": "splits = {language: ",
            "full": "while len(steps) < merges",
            "none": "if not counts:",
            "best": "pair = max(",
            "merge": "splits[word] = replace_pair(",
        },
    ),
    "sentencepiece_bpe": Listing(
        (Excerpt(sentencepiece_bpe), _MERGED_BY_BPE),
        {**_MERGING, "none": "if not allowed:", "best": "pair = min("},
    ),
    "superbpe": Listing(
        (Excerpt(superbpe), _MERGED_BY_BPE),
        {
            **_MERGING,
            "split": "learn(words, {word: ",
            "none": "if not counts:",
            "stage": "splits = stretches_of(texts, merges)",
        },
    ),
    "wordpiece": Listing(
        (Excerpt(wordpiece), _MERGED_BY_BPE),
        {**_MERGING, "score": "scores = {pair: Fraction("},
    ),
    "course": Listing(
        (Excerpt(unigram), _VITERBI),
        {
            "seed": "counts = frequent_substrings(",
            "full": "while len(model) > ",
            "cost": "costs[piece] = corpus_loss(",
            "rank": "ranking = sorted(",
            "choose": "for piece in ranking[",
            "prune": "del counts[piece]",
            "shares": "model = log_probabilities(counts)  #",
        },
    ),
    "sentencepiece": Listing(
        (Excerpt(unigram_em), Excerpt(unigram, (unigram.log_probabilities,)), _VITERBI),
        {
            "seed": "model = log_probabilities(repeated_substrings(",
            "e_step": "expected = expectation_step(",
            "m_step": "model = maximization_step(",
            "rank": "unused, losses = rank_pieces(",
            "choose": "for piece in list(losses)[",
            "prune": "del model[piece]",
            "finalize": "return final_model(",
        },
    ),
}


def listing_of(trace: Training) -> str:
    """The name of the run's plain version: Unigram has one for each method."""
    if isinstance(trace, BpeTrace) and trace.kind != "plain":
        return trace.kind
    return str(trace.settings.get("method", trace.algorithm))


CHOOSING_RULES: Final = (
    "max_token_length",
    "limit_alphabet",
    "character_coverage",
    "global_merges",
    "ratio",
    "window",
    "extend",
)
"""Settings that change which pair is merged, and that no plain version has."""


def would_choose_otherwise(trace: Training) -> bool:
    """Whether the plain version may choose other pairs, ties aside."""
    if not isinstance(trace, MergeTrace):
        return False
    kind, pipeline, settings = listing_of(trace), trace.corpus.pipeline, dict(trace.settings)
    if kind == "sentencepiece_bpe" and settings.get("max_token_length") == sentencepiece_bpe.LONGEST:
        del settings["max_token_length"]
    if pipeline.user_defined_symbols or (kind == "superbpe" and pipeline.cuts):
        return True
    return any(map(settings.get, CHOOSING_RULES))


def rules_left_out(trace: Training) -> list[str]:
    """Sentences on this run's rules missing from the plain version."""
    settings = trace.settings
    lines = []
    if settings.get("tie_rule", "first") != "first" and listing_of(trace) != "sentencepiece_bpe":
        lines.append(_("When pairs tie, this code takes the one met first; this run uses another rule."))
    if would_choose_otherwise(trace):
        lines.append(
            _("This code leaves out some of this run's rules, so in places it would choose another pair.")
        )
    if (
        settings.get("exact")
        or not settings.get("whole_words", True)
        or ("method" in settings and trace.special_tokens)
    ):
        lines.append(
            _(
                "This code leaves out some of this run's rules; they change the numbers, not what the lines do."
            )
        )
    return lines


# --- beats --------------------------------------------------------------------------------------------------


def short_token(token: str, style: Style) -> str:
    """A token among the values: the beginning of a long one, and right-to-left ones isolated."""
    text = readable(token, style)
    if len(text) > TOKEN_WIDTH:
        text = text[: TOKEN_WIDTH - 1] + "…"
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text):
        return f"\u2068{text}\u2069"
    return text


def merge_beats(snapshot: MergeSnapshot, style: Style) -> Beats:
    """A merge: the best pair is chosen, then replaced in the words."""
    trace, event = snapshot.trace, snapshot.event
    end: tuple[str, ...] = ()
    if snapshot.step == len(trace):
        stops = {"vocab_size": ("full",), "no_pairs": ("none",), "min_frequency": ("none",)}
        end = stops.get(trace.stop_reason, ())
    if event.kind == "start":
        start = f"len(splits) = {len(trace.corpus.words)}   len(vocabulary) = {snapshot.vocab_size}"
        return Beat(("split",), start), Beat(("split", *end), start)
    if event.kind == "remove" or event.kind == "stage":
        return (Beat((event.kind, *end), rule_values(event, style)),) * 2
    pair = f"pair = ({short_token(event.pair.first, style)}, {short_token(event.pair.second, style)})"
    match event.candidates[0]:
        case ScoredCandidate() as best:
            numbers = f"{best.freq} / ({best.first_freq} × {best.second_freq})"
            chosen = Beat(("best", "score"), f"{pair}   scores[pair] = {numbers} = {best.score}")
        case _:
            chosen = Beat(("best",), f"{pair}   counts[pair] = {event.freq}")
    return chosen, Beat(("merge", *end), f"token = {short_token(event.token, style)}")


def rule_values(event: RuleEvent, style: Style) -> str:
    """The values of the names in a step other than a merge."""
    match event:
        case RemoveEvent():
            share = f"Fraction({event.merged}, {event.merged + event.left})"
            return f"part = {short_token(event.token, style)}   {share} > {event.threshold}"
        case StageEvent():
            return f"len(splits) = {event.stretches}"
    return ""


def unigram_beats(snapshot: UnigramSnapshot, style: Style) -> Beats:
    """A prune: the piece is chosen by its place in the ranking, then it goes. Other steps have one line."""
    trace, event = snapshot.trace, snapshot.event
    course = trace.method == "course"
    size = f"len({'counts' if course else 'model'}) = {trace.record.sizes[snapshot.step]}"
    end = (
        ("full",)
        if course and snapshot.step == len(trace) and trace.stop_reason not in ("stopped", GROWING)
        else ()
    )
    match event.kind:
        case "prune":
            piece = f"piece = {short_token(event.piece, style)}"
            ranking = () if event.rank > 1 else ("rank", "cost") if course else ("rank",)
            lost = f"{'costs' if course else 'losses'}[piece] = {nats(event.loss)}"
            renewed = ("shares",) if course and event.ends_round else ()
            return (
                Beat(("choose", *ranking), f"{piece}   {lost}"),
                Beat(("prune", *renewed, *end), f"{piece}   {size}"),
            )
        case "e_step":
            most = max(event.expected, key=lambda row: row.freq)
            size += f"   expected[{short_token(most.piece, style)}] = {most.freq:.2f}"
    key = "seed" if event.kind == "start" else event.kind
    return Beat((key,), size), Beat((key, *end), size)


def code_attributes(beats: Beats) -> str:
    """Both beats as attributes of a frame: keys joined by `+`, beats by a space, their values by a new
    line."""
    first, second = beats
    if first == second:
        return f' data-code="{"+".join(first.keys)}" data-values="{escape(first.values)}"'
    keys = " ".join("+".join(beat.keys) for beat in beats)
    return f' data-code="{keys}" data-values="{escape(first.values)}\n{escape(second.values)}"'


# --- the source ---------------------------------------------------------------------------------------------


def coloured(source: str) -> list[str]:
    """The lines of a Python source as markup: keywords, strings, comments, numbers and the names of
    functions.

    >>> coloured("return 1  # one")
    ['<span class=k>return</span> <span class=n>1</span>  <span class=c># one</span>']
    """
    lines = source.splitlines()
    marked: list[list[tuple[int, int, str]]] = [[] for _line in lines]
    defined = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = "f" if defined and token.type == tokenize.NAME else kind_of(token)
        defined = token.string == "def"
        (first, start), (last, end) = token.start, token.end
        for row in range(first, last + 1) if kind else ():
            stop = end if row == last else len(lines[row - 1])
            marked[row - 1].append((start if row == first else 0, stop, kind))
    return [coloured_line(line, spans) for line, spans in zip(lines, marked, strict=True)]


def kind_of(token: tokenize.TokenInfo) -> str:
    """The class of a token of Python; "" for one without a colour."""
    if token.type == tokenize.NAME and keyword.iskeyword(token.string):
        return "k"
    return {tokenize.STRING: "s", tokenize.COMMENT: "c", tokenize.NUMBER: "n"}.get(token.type, "")


def coloured_line(line: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """A line with some of its stretches marked."""
    html, done = "", 0
    for start, end, kind in spans:
        html += f"{escape(line[done:start], quote=False)}<span class={kind}>{escape(line[start:end], quote=False)}</span>"
        done = end
    return html + escape(line[done:], quote=False)


@cache
def listing_html(listing: str) -> str:
    """The lines of a listing, numbered as in their files."""
    shown = LISTINGS[listing]
    return "".join(
        f'<li><i aria-hidden="true">{number}</i><code>{line}</code><b></b></li>'
        for (number, _text), line in zip(shown.numbered, coloured(shown.source), strict=True)
    )


def listing_message(trace: Training, label: str) -> bytes:
    """The browser's message: the listing and its file's name, each key's line, a name for screen readers."""
    name = listing_of(trace)
    listing = LISTINGS[name]
    message = {
        "html": listing_html(name),
        "file": listing.excerpts[0].path,
        "lines": listing.lines,
        "label": label,
    }
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
