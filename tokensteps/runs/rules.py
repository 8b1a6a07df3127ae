"""A learner's settings on each page: names in the URL, usual values, possible values, and the words beside
the widget.

These tables serve a page's address and its sidebar alike. A new setting is a line here, with the names of its
choices in `tokensteps/language/names.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from tokenizers_core import TEMPLATES, TIE_RULES
from tokenizers_core.encoding.models.lattice import MAX_PIECE_LENGTH
from tokenizers_core.encoding.models.wordpiece import MAX_CHARACTERS
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokenizers_core.training.algorithms import ALGORITHMS, EVERY_RUN, KINDS
from tokenizers_core.training.kinds.superbpe import MOST_WORDS, SECOND_PATTERN
from tokensteps.drawing.tokens import SHOW
from tokensteps.language.i18n import N_
from tokensteps.language.names import ASK_NAMES, MODE_NAMES
from tokensteps.language.numbers import read_whole
from tokensteps.limits import (
    COUNT_LIMIT,
    LONGEST_LIMIT,
    LONGEST_WORD_LIMIT,
    PATTERN_LIMIT,
    PIPELINE_LIMIT,
    SEED_LIMIT,
    SPECIAL_LIMIT,
    VOCABULARY_LIMIT,
    WINDOW_LIMIT,
)

SettingKind = Literal["choice", "several", "switch", "number", "text"]
"""The sorts of settings' values."""


class Setting(NamedTuple):
    """One setting: its name in the URL and session state, its usual value, its possible values, and the words
    of its widget (messages, to be translated)."""

    name: str
    default: Any
    choices: Sequence[str] = ()
    least: int = 0
    """The least number, or number of choices."""
    most: int = 0
    length: int = 0
    limit: bool = False
    """Whether a number is an optional limit: empty means no limit, not the usual one."""
    label: str = ""
    help: str = ""
    placeholder: str = ""
    """The text in an empty number box."""
    when: tuple[str, ...] | None = None
    """The condition for this widget: another setting's name, and its values that let the widget appear."""

    @property
    def kind(self) -> SettingKind:
        """The sort of its value, and so of its widget."""
        if self.choices:
            return "several" if self.most else "choice"
        if isinstance(self.default, bool):
            return "switch"
        return "number" if self.most else "text"

    def parse(self, text: str) -> Any:
        """The value of a text in the URL. Raises ValueError for an impossible one."""
        match self.kind:
            case "choice":
                return text if text in self.choices else _refuse(text)
            case "several":
                chosen = [choice for choice in self.choices if choice in text.split(",")]
                fits = {*chosen} == {*text.split(",")} and self.least <= len(chosen) <= self.most
                return chosen if fits else _refuse(text)
            case "switch":
                return {"1": True, "0": False}[text] if text in ("0", "1") else _refuse(text)
            case "text":
                return text if len(text) <= self.length else _refuse(text[:80])
        if text == "":
            return None if self.limit else self.default
        number = read_whole(text)
        return number if number is not None and self.least <= number <= self.most else _refuse(text)

    def write(self, value: Any) -> str:
        """The value as text for the URL."""
        if value is None:
            return ""
        if self.kind == "several":
            return ",".join(choice for choice in self.choices if choice in value)
        return str(int(value)) if isinstance(value, bool) else str(value)


def _refuse(text: str) -> Any:
    raise ValueError(text)


NORMALIZE = Setting("normalizer", "none", NORMALIZERS, label=N_("Normalize"))
SPLIT = Setting("pre", "byte_level", PRE_TOKENIZERS, label=N_("Split into words"))
PATTERN = Setting("pattern", "gpt2", (*PATTERNS, "own"), label=N_("Pattern"), when=("pre", "byte_level"))
OWN_PATTERN = Setting(
    "regex",
    r"\w+|\s+|[^\w\s]+",
    length=PATTERN_LIMIT,
    label=N_("Regular expression"),
    help=N_("Each match is a word, and so is the text between matches."),
    when=("pattern", "own"),
)
ALPHABET = Setting(
    "alphabet", "corpus", ("corpus", "bytes"), label=N_("Start from"), when=("pre", "byte_level")
)
LINES_APART = Setting(
    "lines",
    True,
    label=N_("Each line is a separate text"),
    help=N_("Off: the whole corpus is one text, line breaks included."),
)
TIES = Setting("ties", "first", tuple(TIE_RULES), label=N_("When pairs tie, merge"))
METHOD = Setting(
    "method",
    "course",
    ("course", "sentencepiece"),
    label=N_("Method"),
    help=N_(
        "Course: the loss without a piece is computed on the whole corpus. SentencePiece, as in its release 0.2.3: EM fits the "
        "pieces' probabilities, and losses are estimated."
    ),
)
USUAL_SEED = 1_000
"""The size of Unigram's seed, unless it is given, or the vocabulary's size needs more (the engine's
`grown_seed`)."""
SEED_SIZE = Setting(
    "seed",
    None,
    least=1,
    most=SEED_LIMIT,
    label=N_("Seed vocabulary"),
    help=N_("How many pieces training starts from: every character, and the most frequent substrings."),
    placeholder=N_("3 × size, ≥ 1,000"),
)
SIZE = Setting(
    "size",
    None,
    least=1,
    most=VOCABULARY_LIMIT,
    limit=True,
    label=N_("Vocabulary size"),
    help=N_("Empty: merge until no pair is left."),
    placeholder=N_("until pairs run out"),
)
LEAST_COUNT_OF_PAIR = Setting(
    "min",
    1,
    least=1,
    most=COUNT_LIMIT,
    label=N_("Minimum pair count"),
    help=N_("Stop when the best pair occurs less often."),
)
EXACT = Setting(
    "exact",
    False,
    label=N_("Stop exactly at this size"),
    help=N_("Off: a round prunes its whole share, as the course does, and may overshoot the size."),
    when=("method", "course"),
)
WHOLE = Setting(
    "whole",
    True,
    label=N_("Whole words may be pieces"),
    help=N_("Off: only substrings that are shorter than their word, as in the hug, pug example."),
)
SPECIAL = Setting(
    "special",
    "",
    length=SPECIAL_LIMIT,
    label=N_("Special tokens"),
    help=N_("Separated by spaces. They come first in the vocabulary."),
)
LONGEST_TOKEN = Setting(
    "longest",
    None,
    least=1,
    most=LONGEST_LIMIT,
    label=N_("Longest token"),
    help=N_(
        "No pair is merged into a token of more characters (with byte level: bytes), however often it occurs. SentencePiece "
        "calls it max_sentencepiece_length; in tokenizers, max_token_length is one more."
    ),
    placeholder=N_("no limit"),
)
KEEP_WHOLE = Setting(
    "kept",
    "",
    length=SPECIAL_LIMIT,
    label=N_("Keep whole"),
    help=N_(
        "Symbols, separated by spaces, that are cut out of the text before words are counted: each stays one token, never split and "
        "never merged with others (user_defined_symbols, glossaries). Unlike special tokens they are text: decoding keeps them, and "
        "no template adds them."
    ),
)
MORE_CUTS = (
    KEEP_WHOLE,
    Setting(
        "replace",
        "",
        length=SPECIAL_LIMIT,
        label=N_("Replace"),
        help=N_(
            "A text that is replaced wherever it occurs, before anything else is rewritten (the normalizer Replace)."
        ),
    ),
    Setting(
        "put", "", length=SPECIAL_LIMIT, label=N_("Replace it by"), help=N_("Empty: the text is left out.")
    ),
    Setting(
        "cut",
        "",
        length=PATTERN_LIMIT,
        label=N_("Also cut at"),
        help=N_("A regular expression: words are cut at its matches, too (the pre-tokenizer Split)."),
    ),
    Setting(
        "cuts",
        "isolated",
        ("isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"),
        label=N_("Each match is"),
    ),
    Setting(
        "scripts",
        False,
        label=N_("Cut where the script changes"),
        help=N_(
            "Latin letters, Chinese characters with kana, digits with punctuation … As in tokenizers (UnicodeScripts), spaces in "
            "front of a word are lost."
        ),
    ),
    Setting(
        "digits",
        "together",
        ("together", "runs", "each", "left", "right"),
        label=N_("Digits"),
        help=N_(
            "Whether numbers are cut: from letters, into digits, or into groups of three, as GPT-4 does it from the left."
        ),
    ),
)
"""Further ways to cut the text and its words."""
FALLBACK = Setting(
    "bytes",
    False,
    label=N_("Byte fallback"),
    help=N_(
        "The vocabulary gets 256 byte pieces, <0x00> to <0xFF>: a character that it can't spell is written in its UTF-8 bytes "
        "instead of as unknown. Not with byte level, where nothing is unknown."
    ),
)
COVERAGE = Setting(
    "coverage",
    "1",
    ("1", "0.9999", "0.9995", "0.999", "0.995", "0.99", "0.98", "0.95", "0.9"),
    label=N_("Character coverage"),
    help=N_(
        "The alphabet has the most frequent characters, which cover this share of the corpus. The rare ones are left out of "
        "the words, and the tokenizer doesn't know them (character_coverage)."
    ),
)
INITIAL = Setting(
    "initial",
    "",
    length=SPECIAL_LIMIT,
    label=N_("Always in the alphabet"),
    help=N_(
        "Characters that are in the alphabet whether the corpus has them or not (initial_alphabet; in SentencePiece, required_chars)."
    ),
)
LIMITS = (
    LONGEST_TOKEN,
    Setting(
        "letters",
        None,
        least=1,
        most=COUNT_LIMIT,
        label=N_("Characters in the alphabet"),
        help=N_(
            "Only so many, the most frequent ones. The others are left out of the words, and the tokenizer doesn't know them "
            "(limit_alphabet)."
        ),
        placeholder=N_("no limit"),
    ),
    COVERAGE,
    INITIAL,
)
"""The optional limits of training by merging."""
PIECES_SPLIT = (
    "whitespace_split_metaspace",
    "whitespace_split_metaspace_behind",
    "metaspace",
    "whitespace_split",
    "whitespace",
    "bert",
)
"""Ways to split for all three algorithms."""

KIND = Setting(
    "kind",
    "plain",
    tuple(KINDS),
    label=N_("Kind"),
    help=N_(
        "SuperBPE: tokens may bridge spaces. PickyBPE: tokens that only live in others leave again. Parity-aware: the language that is served worst chooses; it needs a table with a column for each language. SentencePiece's BPE: its own tie rule, one script in a token."
    ),
)
KIND_RULES = (
    Setting(
        "threshold",
        "0.9",
        ("0.95", "0.9", "0.8", "0.7", "0.6", "0.5"),
        label=N_("Threshold"),
        help=N_(
            "A part leaves if a merge took more than this share of its places. A merge with itself counts once, though it takes two."
        ),
        when=("kind", "pickybpe"),
    ),
    Setting(
        "transition",
        None,
        least=1,
        most=VOCABULARY_LIMIT,
        label=N_("Tokens before stage 2"),
        help=N_("From this vocabulary size on, tokens may bridge spaces."),
        placeholder=N_("9/10 of the size"),
        when=("kind", "superbpe"),
    ),
    Setting(
        "mostwords",
        MOST_WORDS,
        least=1,
        most=20,
        label=N_("Words in a token"),
        help=N_("In stage 2 no token has more words than this."),
        when=("kind", "superbpe"),
    ),
    Setting(
        "second",
        SECOND_PATTERN,
        length=PATTERN_LIMIT,
        label=N_("Second pattern"),
        help=N_(
            "A regular expression. In stage 2 the text is cut only at its matches: each match is a stretch, and so is the text between."
        ),
        when=("kind", "superbpe"),
    ),
    Setting(
        "together",
        0,
        least=0,
        most=VOCABULARY_LIMIT,
        label=N_("Plain merges first"),
        help=N_("So many merges are chosen by all languages together, as plain BPE does."),
        when=("kind", "paritybpe"),
    ),
    Setting(
        "recent",
        None,
        least=1,
        most=10_000,
        label=N_("Window"),
        help=N_(
            "A language that chose more than twice its fair share of the last so many merges waits. Empty: never."
        ),
        placeholder=N_("no window"),
        when=("kind", "paritybpe"),
    ),
)
"""The settings of single kinds of BPE."""
MERGE_RULES = (
    NORMALIZE,
    SPLIT,
    PATTERN,
    OWN_PATTERN,
    ALPHABET,
    TIES,
    SIZE,
    LEAST_COUNT_OF_PAIR,
    SPECIAL,
    *MORE_CUTS,
    *LIMITS,
    FALLBACK,
    LINES_APART,
)
KINDS_WITH = {
    **{rule.name: ("plain",) for rule in LIMITS},
    **dict.fromkeys(("longest", "coverage", "initial", "bytes"), ("plain", "sentencepiece_bpe")),
    "ties": tuple(kind for kind in KINDS if kind != "sentencepiece_bpe"),
}
"""Rules of only some kinds of BPE: the others have no such limits, and SentencePiece has a tie rule of its
own."""
BPE_RULES = (
    KIND,
    *KIND_RULES,
    *(
        rule._replace(when=("kind", *KINDS_WITH[rule.name])) if rule.name in KINDS_WITH else rule
        for rule in MERGE_RULES
    ),
)
WORDPIECE_RULES = (
    *(
        SPLIT._replace(
            default="bert",
            choices=("bert", "whitespace", "whitespace_split", "whitespace_split_punctuation"),
        )
        if rule is SPLIT
        else rule
        for rule in MERGE_RULES
        if rule is not FALLBACK
    ),
    Setting(
        "maxword",
        MAX_CHARACTERS,
        least=1,
        most=LONGEST_WORD_LIMIT,
        label=N_("Longest word"),
        help=N_("In encoding, a word of more characters is unknown as a whole (max_input_chars_per_word)."),
    ),
)
UNIGRAM_RULES = (
    NORMALIZE,
    SPLIT._replace(default=PIECES_SPLIT[0], choices=(*PIECES_SPLIT, "none")),
    METHOD,
    SEED_SIZE,
    SIZE._replace(
        default=300,
        help=N_("Empty: prune until only the characters are left."),
        placeholder=N_("characters only"),
    ),
    EXACT,
    WHOLE,
    SPECIAL,
    *MORE_CUTS,
    LONGEST_TOKEN._replace(
        help=N_(
            "The seed has no pieces of more characters. SentencePiece calls it max_sentencepiece_length."
        ),
        placeholder=str(MAX_PIECE_LENGTH),
    ),
    COVERAGE._replace(
        help=N_(
            "The most frequent characters, which cover this share of the corpus, are pieces. The rare ones are unknown from the "
            "start, and no piece holds them (character_coverage)."
        )
    ),
    INITIAL._replace(when=("method", "sentencepiece")),
    FALLBACK,
    LINES_APART,
)
RULES_OF: Mapping[str, Sequence[Setting]] = {
    "bpe": BPE_RULES,
    "wordpiece": WORDPIECE_RULES,
    "unigram": UNIGRAM_RULES,
}
"""The rules of each algorithm's page."""
COMPARE_RULES = (
    Setting(
        "runs",
        [*ALGORITHMS][:3],
        tuple(EVERY_RUN),
        least=2,
        most=4,
        label=N_("Side by side"),
        help=N_(
            "Two to four. SuperBPE needs words in bytes, parity-aware BPE a table with a column for each language."
        ),
    ),
    *(rule._replace(when=("runs", *rule.when[1:])) for rule in KIND_RULES if rule.when),
    NORMALIZE,
    SPLIT._replace(default=PIECES_SPLIT[0], choices=(*PIECES_SPLIT, "byte_level")),
    TIES,
    METHOD._replace(label=N_("Unigram's method"), when=("runs", "unigram")),
    SEED_SIZE._replace(
        label=N_("Unigram's seed vocabulary"), placeholder=N_("4 × the largest"), when=("runs", "unigram")
    ),
    SIZE._replace(default=300, label=N_("Largest vocabulary")),
    LINES_APART,
)
PIPELINE_RULES = (
    NORMALIZE._replace(default="bert_uncased"),
    SPLIT._replace(default="bert"),
    PATTERN,
    OWN_PATTERN,
    ALPHABET._replace(default="bytes", choices=("bytes", "corpus")),
    *MORE_CUTS,
    Setting("model", "wordpiece", tuple(RULES_OF), label=N_("Model")),
    Setting(
        "template",
        "bert",
        tuple(TEMPLATES),
        label=N_("Template"),
        help=N_("What goes around a text, and between two texts."),
    ),
    SIZE._replace(default=4_000),
    LINES_APART,
    Setting(
        "max",
        24,
        least=1,
        most=PIPELINE_LIMIT,
        label=N_("Maximum tokens"),
        help=N_("The template's tokens count too."),
    ),
    Setting(
        "stride",
        4,
        least=0,
        most=PIPELINE_LIMIT,
        label=N_("Stride: shared tokens"),
        help=N_("How many tokens a window shares with the next one."),
    ),
    Setting("strategy", "only_second", ("only_second", "only_first", "longest_first"), label=N_("Cut")),
    Setting("side", "right", ("right", "left"), label=N_("Remove tokens")),
)
RENEW_SIZE = SIZE._replace(help=N_("Empty: as many as the old one has."), placeholder="")
RENEW_MORE = Setting(
    "more",
    500,
    least=1,
    most=VOCABULARY_LIMIT,
    label=N_("New merges"),
    help=N_("How many merges are learned after the old ones, from pairs that occur at least twice."),
    when=("how", "on"),
)
USUAL_DROP = 100
"""Merges to drop, unless it is given, or there are fewer."""
RENEW_RULES = (
    Setting(
        "how",
        "anew",
        ("anew", "on", "trim"),
        label=N_("Training"),
        help=N_(
            "Train anew: the stages stay, the vocabulary is learned again. Go on: all old tokens keep their ids, and new "
            "merges are learned on top. Trim: drop the last merges."
        ),
    ),
    RENEW_SIZE._replace(when=("how", "anew")),
    RENEW_MORE,
    Setting(
        "drop",
        None,
        least=0,
        most=COUNT_LIMIT,
        label=N_("Merges to drop"),
        help=N_("The last merges go, and the tokens that only they made. All other tokens keep their ids."),
        when=("how", "trim"),
    ),
    LINES_APART._replace(default=False),
)
PLAYGROUND_RULES = (
    Setting("write", "text", ("text", "ids", "bytes"), label=N_("Write tokens as")),
    Setting(
        "spaces",
        True,
        label=N_("Whitespace"),
        help=N_("Show it: ␣ for a space, ⇥ for a tab, ⏎ for the end of a line."),
    ),
    Setting(
        "specials",
        True,
        label=N_("Special tokens"),
        help=N_("Find special tokens in the text. Off: `<s>` or `[CLS]` is plain text like any other."),
    ),
    Setting(
        "added",
        "",
        length=4,
        label=N_("Add special tokens"),
        help=N_("Add what the tokenizer puts around a text for its model, such as `[CLS]` and `[SEP]`."),
    ),
    Setting(
        "window",
        None,
        least=1,
        most=WINDOW_LIMIT,
        label=N_("Context window"),
        help=N_(
            "How many tokens a model reads at once, such as 8192: the page says what share of them the text takes."
        ),
    ),
    Setting(
        "escapes",
        False,
        label=N_("Escapes"),
        help=N_(
            r"`\n` typed as two characters is a line break; `\t`, `\xe9`, `\u3053` and `\U0001f375` work too."
        ),
    ),
)
SCENE_RULES = (
    next(rule for rule in PLAYGROUND_RULES if rule.name == "window")._replace(default=1024),
    Setting("forty", False, label=N_("Counted text")),
)
"""The settings of the scene on languages; GPT-2's context window is the usual one."""
PLAYGROUND_SLOTS = ("t1", "t2", "t3", "t4")
"""The parameters of the playground's tokenizers."""
MODES = tuple(MODE_NAMES)
"""The ways to go through a run: its steps are shown, or predicted first."""
ASK_KINDS = tuple(ASK_NAMES)
"""The questions about the next step."""
VIEWS = (
    Setting(
        "show",
        SHOW[0],
        SHOW,
        label=N_("Show tokens"),
        help=N_(
            "As readable text, with a space drawn as ␣ or as the tokenizer's own marker, Ġ or ▁; exactly as in the vocabulary file; or as bytes. This changes how tokens look here, not the tokens."
        ),
    ),
    Setting("mode", MODES[0], MODES, label=N_("Mode")),
    Setting("ask", ASK_KINDS[0], ASK_KINDS, label=N_("Ask")),
    Setting(
        "watch",
        "",
        length=200,
        label=N_("Stop at steps that change"),
        help=N_(
            "A word of the corpus, a token, or a pair with a plus sign: `u + g`. The timeline marks the steps that change it, and Shift with an arrow key goes from one to the next."
        ),
    ),
)
"""The settings of a run's display; kept when the corpus changes."""


def _names(settings: Sequence[Setting]) -> frozenset[str]:
    return frozenset(setting.name for setting in settings)


OWN_CORPUS = frozenset(("text", "id", "file"))
"""The parameters with a text of the learner's, or with the id of one stored on this server."""
_SHARED = OWN_CORPUS | {"corpus"} | _names(VIEWS)
PAGE_PARAMETERS: Mapping[str, frozenset[str]] = {
    "home": frozenset({"say", "lost"}),
    "exercises": frozenset({"kind", "level", "seed", "rising"}),
    "challenge": frozenset(),
    "matters": frozenset({"scene", "say", "also", "price", *PLAYGROUND_SLOTS}) | _names(SCENE_RULES),
    "errata": frozenset(),
    "glossary": frozenset({"find"}),
    "teach": frozenset(),
    "classroom": frozenset(),
    **{page: _SHARED | _names(rules) for page, rules in RULES_OF.items()},
    "playground": OWN_CORPUS
    | {*PLAYGROUND_SLOTS, "chat", "with", "format", "jinja", "prompt"}
    | {"health", "why", "split", "nth", "by", "way"}
    | _names(PLAYGROUND_RULES),
    "whatif": frozenset({"t1", "what", "of", "to", "a"}),
    "compare": _SHARED | _names(COMPARE_RULES),
    "pipeline": _SHARED | _names(PIPELINE_RULES) | {"a", "b", "t1"},
    "renew": _SHARED | _names(RENEW_RULES) | {"a", "t1"},
}
"""Page → its parameters in a link. Those read at every run are not among them: `step`, `lang`, a challenge's
`c`, the glossary's `term`."""
