"""Training in the command line's terms: the options shared by all commands with training, and the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from tokenizers_core import ALPHABETS, METHODS, TIE_RULES, Corpus, Tokenizer
from tokenizers_core.encoding.models.lattice import MAX_PIECE_LENGTH
from tokenizers_core.encoding.models.wordpiece import MAX_CHARACTERS
from tokenizers_core.errors import (
    CountedRulesError,
    EmptyCorpusError,
    TokenizersCoreError,
    UnreachedSizeError,
    VocabSizeError,
)
from tokenizers_core.text.counting import counting_rules, is_counts, read_counts
from tokenizers_core.text.cutting import DIGITS, CutAt, Cutter, Scripts
from tokenizers_core.text.normalizers import NORMALIZERS
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.reading import decode_text
from tokenizers_core.text.rewriting import Replace
from tokenizers_core.text.splitting import PRE_TOKENIZERS
from tokenizers_core.training.algorithms import ALGORITHMS, KINDS, WORDPIECE, Algorithm, AnyTrace
from tokenizers_core.training.kinds.paritybpe import USUAL_ALPHA
from tokenizers_core.training.kinds.pickybpe import USUAL_THRESHOLD
from tokenizers_core.training.kinds.superbpe import MOST_WORDS
from tokenizers_core.training.merging import Progress
from tokenizers_core.training.unigram import SEED_PER_TOKEN, grown_seed
from tokensteps.cli.errors import OPTION_OF, UNREACHED, in_options
from tokensteps.cli.streams import (
    by_name,
    contents_of,
    counted,
    counts_of,
    input_name,
    inputs,
    meter,
    tell,
    texts_of,
    warn_of_invalid,
)
from tokensteps.language.names import BEHAVIOR_OF
from tokensteps.limits import COMMAND_SECONDS
from tokensteps.runs.rules import RULES_OF, USUAL_SEED, Setting
from tokensteps.runs.settings import digits_cut


def page_setting(algorithm: str, name: str) -> Setting:
    """A setting of an algorithm's page: the command line offers the same choices and starts from the same
    values."""
    return next(rule for rule in RULES_OF[algorithm] if rule.name == name)


PRE_TOKENIZERS_OF: Final[Mapping[str, Sequence[str]]] = {
    name: tuple(dict.fromkeys([page_setting(name, "pre").default, *page_setting(name, "pre").choices]))
    for name in ALGORITHMS
}
"""An algorithm's pre-tokenizers, the usual one first."""
UNIGRAM_SIZE: Final = page_setting("unigram", "size").default
"""Where Unigram ends if no size is asked for: it has no end of its own but the characters."""

MERGING: Final = tuple(name for name, algorithm in ALGORITHMS.items() if algorithm.ranked_by != "loss")
CUTTING: Final = ("digits", "scripts", "cut", "cut_behavior", "replace")
"""Options for how words are cut besides."""
ALGORITHMS_OF: Final = {
    "merges": MERGING,
    "min_frequency": MERGING,
    "tie_rule": MERGING,
    "alphabet": ("bpe",),
    "pattern": ("bpe",),
    "extend": ("bpe",),
    "byte_fallback": ("bpe", "unigram"),
    "limit_alphabet": MERGING,
    "character_coverage": tuple(ALGORITHMS),
    "max_input_chars_per_word": (WORDPIECE.name,),
    "method": ("unigram",),
    "seed_size": ("unigram",),
    "exact": ("unigram",),
    "whole_words": ("unigram",),
    "kind": ("bpe",),
    "transition": ("bpe",),
    "most_words": ("bpe",),
    "second_pattern": ("bpe",),
    "threshold": ("bpe",),
    "languages": ("bpe",),
    "parallel": ("bpe",),
    "global_merges": ("bpe",),
    "ratio": ("bpe",),
    "window": ("bpe",),
    "alpha": ("bpe",),
}
"""Options of only some algorithms → those algorithms."""
PIECES: Final = ("plain", "sentencepiece_bpe")
KINDS_OF: Final = {
    "extend": ("plain",),
    "max_token_length": PIECES,
    "limit_alphabet": ("plain",),
    "initial_alphabet": PIECES,
    "character_coverage": PIECES,
    "byte_fallback": PIECES,
    "transition": ("superbpe",),
    "most_words": ("superbpe",),
    "second_pattern": ("superbpe",),
    "threshold": ("pickybpe",),
    "languages": ("paritybpe",),
    "parallel": ("paritybpe",),
    "global_merges": ("paritybpe",),
    "ratio": ("paritybpe",),
    "window": ("paritybpe",),
    "alpha": ("paritybpe",),
}
"""Options of only some kinds of BPE → those kinds."""
ENDINGS: Final = {
    "vocab_size": "the vocabulary has reached the size you asked for",
    "max_merges": "the number of merges that was asked for is reached",
    "min_frequency": "no pair that is left is frequent enough",
    "no_pairs": "no pair is left, every word is one token",
    "bounds": "bounds exclude every pair that is left",
    "no_pieces": "only the characters are left",
    "dropped": "EM dropped pieces until fewer were left than that",
    "seed_size": "the seed is no larger than the size that was asked for",
}
"""Why a run ended."""


def option(names: str, teaching: str, usual: str = "", **settings: Any) -> Callable[[Any], Any]:
    """An option with its names, its effect, and the default."""
    ending = f"  [default: {usual}]" if usual else ""
    return click.option(*names.split(), help=teaching + ending, **settings)


if TYPE_CHECKING:
    _TextParameter = click.ParamType[str]
else:
    _TextParameter = click.ParamType  # before click 8.4 it takes no type


class TextType(_TextParameter):
    """Text as UTF-8, whatever the locale."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            # Bytes invalid in the locale come as lone surrogates.
            return value if value.isascii() else value.encode("utf-8", "surrogateescape").decode("utf-8")
        except UnicodeError:
            self.fail(f"{value!r} is not UTF-8; write it anew.", param, ctx)


TEXT: Final = TextType()
POSITIVE: Final = click.IntRange(min=1)
AS_TEXT: Final = option(
    "--text as_text",
    "Read a file as text even if it looks like something else, such as a picture.",
    is_flag=True,
)
QUIET: Final = option("--quiet -q", "Say nothing but warnings and errors.", is_flag=True)


def pipeline_options(usual: str) -> tuple[Callable[[Any], Any], ...]:
    """The options for how text becomes words; `usual` describes the default pre-tokenizer."""
    return (
        option(
            "--normalizer -n",
            f"Rewrite the text before it is split: {', '.join(NORMALIZERS)}. "
            "Give it several times to apply several, in turn.",
            type=click.Choice(NORMALIZERS),
            metavar="NAME",
            multiple=True,
            usual="none",
        ),
        option(
            "--pre-tokenizer -p",
            f"How text is split into words, which no token crosses: {', '.join(PRE_TOKENIZERS)}.",
            type=click.Choice(PRE_TOKENIZERS),
            metavar="NAME",
            usual=usual,
        ),
        option(
            "--pattern",
            f"bpe with byte_level: the pattern that matches words, {', '.join(PATTERNS)} "
            "or a regular expression of your own.",
            type=TEXT,
            usual="gpt2",
        ),
    )


TRAINING_OPTIONS: Final = (
    click.argument("files", nargs=-1, metavar="[FILES]..."),
    option(
        "--algorithm -a",
        "bpe merges the most frequent pair of neighbours, wordpiece the pair that stands together most often for how "
        "often its parts stand at all; unigram starts from many pieces and prunes what the text misses least.",
        type=click.Choice(list(ALGORITHMS)),
        default="bpe",
        show_default=True,
    ),
    option(
        "--kind",
        "bpe: superbpe lets tokens bridge spaces in a second stage; pickybpe removes tokens that hardly occur outside of longer ones; "
        "with paritybpe the language that takes most tokens chooses, and there is a --corpus for each; sentencepiece_bpe has SentencePiece's "
        "rules.",
        type=click.Choice(list(KINDS)),
        usual="plain",
    ),
    option(
        "--vocab-size -s",
        "Stop at this many tokens, special tokens and single characters included, and in train the unknown token that is "
        "added. If there can't be so many, what there is is written, and the command ends with 1.",
        type=POSITIVE,
        usual=f"no limit; unigram: {UNIGRAM_SIZE}",
    ),
    option("--merges", "bpe, wordpiece: stop after this many merges.", type=click.IntRange(min=0), usual="no limit"),
    option(
        "--min-frequency",
        "bpe, wordpiece: merge no pair that occurs fewer times than this.",
        type=POSITIVE,
        usual="1",
    ),
    option(
        "--ties tie_rule",
        "bpe, wordpiece: which of several equally good pairs is merged. "
        f"{'; '.join(f'{name}: {rule.meaning}' for name, rule in TIE_RULES.items())}.",
        type=click.Choice(list(TIE_RULES)),
        usual="first",
    ),
    option(
        "--alphabet",
        "bpe: start from the symbols that the corpus has, or from all 256 bytes, which leaves nothing unknown.",
        type=click.Choice(list(ALPHABETS)),
        usual="corpus",
    ),
    option(
        "--extend extend",
        "bpe: go on training the tokenizer in this file. Its stages, special tokens, ids and merges stay; what is learned comes after "
        "them. --vocab-size counts its tokens too, --merges only the new ones.",
        type=click.Path(),
        metavar="FILE",
    ),
    option(
        "--max-token-length",
        "Make no token of more characters than this (with byte_level: bytes), an end-of-word symbol and ## not counted.",
        type=POSITIVE,
        usual=f"no limit; unigram: {MAX_PIECE_LENGTH}",
    ),
    option(
        "--limit-alphabet",
        "bpe, wordpiece: start from this many characters, the most frequent ones. The others are left out and unknown.",
        type=POSITIVE,
        usual="no limit",
    ),
    option(
        "--initial-alphabet",
        "A character that is in the alphabet whether the corpus has it or not (unigram: with --method sentencepiece). Give it once for each.",
        type=TEXT,
        multiple=True,
        metavar="CHARACTER",
    ),
    option(
        "--character-coverage",
        "Start from the most frequent characters that cover this share of the corpus, such as 0.9995.",
        type=float,
        usual="1",
    ),
    option(
        "--max-word-length max_input_chars_per_word",
        "wordpiece: in encoding, a word of more characters is unknown as a whole.",
        type=POSITIVE,
        usual=str(MAX_CHARACTERS),
    ),
    option(
        "--transition",
        "superbpe: tokens may bridge spaces from this many tokens on; an unknown token that is added isn't counted.",
        type=POSITIVE,
        usual="nine tenths of the size",
    ),
    option("--most-words", "superbpe: make no token of more words than this.", type=POSITIVE, usual=str(MOST_WORDS)),
    option(
        "--second-pattern",
        "superbpe: cut the text only at the matches of this regular expression where tokens may bridge spaces.",
        type=TEXT,
        usual="the authors'",
    ),
    option(
        "--threshold",
        "pickybpe: a token leaves when a merge takes more than this share of its places.",
        type=click.FloatRange(0, 1),
        usual=str(float(USUAL_THRESHOLD)),
    ),
    option(
        "--corpus languages",
        "paritybpe: a language and the file with its text, such as en=english.txt. Give it once for each language.",
        type=TEXT,
        multiple=True,
        metavar="NAME=FILE",
    ),
    option(
        "--parallel",
        "paritybpe: a language and a file with the same lines as the others'. Who takes most tokens there chooses.",
        type=TEXT,
        multiple=True,
        metavar="NAME=FILE",
        usual="the corpora themselves",
    ),
    option(
        "--global-merges",
        "paritybpe: all languages together choose this many merges first, as plain BPE does.",
        type=click.IntRange(min=0),
        usual="0",
    ),
    option(
        "--ratio",
        "paritybpe, instead of --parallel: a language and how much it should be compressed beside the others, such as en=1.5. "
        "Give it once for each language.",
        type=TEXT,
        multiple=True,
        metavar="NAME=NUMBER",
    ),
    option(
        "--window",
        "paritybpe: a language that chose too many of this many last merges waits.",
        type=POSITIVE,
        usual="none",
    ),
    option(
        "--alpha",
        "paritybpe with --window: too many is more than this many times its fair share.",
        type=float,
        usual=str(USUAL_ALPHA),
    ),
    option(
        "--byte-fallback",
        "bpe, unigram: give the vocabulary 256 byte tokens, <0x00> to <0xFF>, which spell what is unknown otherwise.",
        is_flag=True,
        default=None,
    ),
    option(
        "--method",
        "unigram: the Hugging Face course's way, with exact losses, or SentencePiece's, with EM.",
        type=click.Choice(list(METHODS)),
        usual="course",
    ),
    option(
        "--seed-size",
        "unigram: how many pieces pruning starts from: the characters, and the substrings that promise most.",
        type=POSITIVE,
        usual=f"{SEED_PER_TOKEN} times the size, at least {USUAL_SEED:,}",
    ),
    option(
        "--exact",
        "unigram, course: stop exactly at the size. Without it, a round prunes a tenth of the pieces and may pass it.",
        is_flag=True,
        default=None,
    ),
    option(
        "--no-whole-words whole_words",
        "unigram: leave out of the seed what is never shorter than its word.",
        is_flag=True,
        flag_value=False,
        default=None,
    ),
    *pipeline_options(
        "; ".join(
            [*(f"{name}: {names[0]}" for name, names in PRE_TOKENIZERS_OF.items()), "--counts: whitespace_split"]
        )
    ),
    option(
        "--special-token special_tokens",
        "A token that stands in no text by itself, such as [CLS]. Give it once for each; they get the first ids, in turn.",
        type=TEXT,
        multiple=True,
        metavar="TOKEN",
    ),
    option(
        "--digits",
        f"Cut numbers, too: {', '.join(DIGITS)}: from letters, into digits, or into groups of three from the left or the right.",
        type=click.Choice(list(DIGITS)),
    ),
    option("--scripts", "Cut words where the script changes, too.", is_flag=True, default=None),
    option(
        "--cut",
        "Cut words at the matches of this regular expression, too; --cut-behavior says what becomes of a match.",
        type=TEXT,
        metavar="PATTERN",
    ),
    option(
        "--cut-behavior",
        f"What --cut does with a match: {', '.join(BEHAVIOR_OF)}.",
        type=click.Choice(list(BEHAVIOR_OF)),
        metavar="NAME",
        usual="isolated",
    ),
    option(
        "--replace",
        "Replace each match of a regular expression by a text, before --normalizer.",
        type=(TEXT, TEXT),
        multiple=True,
        metavar="PATTERN TEXT",
    ),
    option(
        "--user-defined-symbol user_defined_symbols",
        "A symbol that is kept whole: it is cut out of the text before words are counted, and is one token, never split and never "
        "merged. Unlike a special token it is text. Give it once for each.",
        type=TEXT,
        multiple=True,
        metavar="SYMBOL",
    ),
    option(
        "--counts",
        "The files hold words and how often each occurs, one a line: hug 10. Or one file that the count command wrote, whose "
        "words stay as they are.",
        is_flag=True,
    ),
    AS_TEXT,
    QUIET,
)  # fmt: skip
"""The options of every command with training."""


def training_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of training."""
    for add in reversed(TRAINING_OPTIONS):
        command = add(command)
    return command


def output_options(teaching: str) -> Callable[[Any], Any]:
    """Give a command `--output` and `--force`."""

    def add(command: Any) -> Any:
        command = option("--force -f", "Replace the output if it is there already.", is_flag=True)(command)
        path = click.Path(allow_dash=True)
        return option("--output -o", teaching, type=path, default="-", usual="standard output")(command)

    return add


def train_with_options(
    files: Sequence[str],
    algorithm: str,
    counts: bool,
    quiet: bool,
    as_text: bool,
    for_tokenizer: bool = False,
    **options: Any,
) -> AnyTrace:
    """Read the corpus and train; returns the trace. For a tokenizer, the size includes its unknown token.

    If there can't be as many tokens as asked for, the command writes the ones it has and ends with an error.
    """
    values = {name: value for name, value in options.items() if value not in (None, ())}
    refuse_foreign_options(algorithm, values)
    kind = values.pop("kind", "plain")
    if algorithm == "bpe":
        check_kind(kind, files, counts, values)
    if "extend" in values:
        values["extend"] = tokenizer_to_extend(values)
    wanted = "the files with the word counts" if counts else "text files"
    contents = contents_of(inputs(files, wanted)) if counts else []
    corpus: Corpus | dict[str, Corpus] | None = corpus_counted(contents, algorithm, values)
    if isinstance(corpus, Corpus):
        settings = training_settings(algorithm, values, str(corpus.pipeline.pre_tokenizer))
    else:
        pipeline = pipeline_settings(algorithm, counts, values, kind)
        settings = training_settings(algorithm, values, str(pipeline["pre_tokenizer"]))
        if counts:
            corpus = read_counted(contents, pipeline)
        elif kind == "paritybpe":
            read = partial(read_languages, pipeline=pipeline, quiet=quiet, as_text=as_text)
            corpus = read("--corpus", settings.pop("languages"))
            if "parallel" in settings:
                settings["parallel"] = read("--parallel", settings["parallel"])
        else:
            corpus = read_corpus(inputs(files, wanted), pipeline, quiet, as_text, held=kind == "superbpe")
    unknown = unknown_to_add(algorithm, settings) if for_tokenizer else ""
    with meter("Training", quiet) as move:
        trace = run_with_room(algorithm_named(algorithm, kind), corpus, settings, unknown, progress=move)
    shortfall = trace.shortfall
    if shortfall and "vocab_size" in values:
        click.get_current_context().meta[UNREACHED] = in_options(with_room(shortfall, bool(unknown)))
    tell(
        f"Corpus: {counted(trace.corpus.lines, 'line', 'lines')}, {counted(trace.corpus.total, 'word', 'words')}, "
        f"{counted(len(trace.corpus), 'different one', 'different ones')}",
        quiet,
    )
    tell(
        f"{algorithm_named(algorithm, kind).title}: {counted(len(trace), 'step', 'steps')}, a vocabulary of "
        f"{counted(trace[-1].vocab_size + bool(unknown), 'token', 'tokens')}; {ENDINGS[trace.stop_reason]}",
        quiet,
    )
    if unknown:
        tell(f"One of them is {unknown}, which is added for what the corpus does not have", quiet)
    return trace


def algorithm_named(algorithm: str, kind: str | None) -> Algorithm[AnyTrace]:
    """The algorithm, or the kind of BPE."""
    return KINDS[kind or "plain"] if algorithm == "bpe" else ALGORITHMS[algorithm]


def check_kind(kind: str, files: Sequence[str], counts: bool, options: dict[str, Any]) -> None:
    """Raise UsageError for an option at odds with the kind of BPE; ratios are read."""
    for name in options:
        own, *_ = kinds = KINDS_OF.get(name, (kind,))
        if kind not in kinds:
            remedy = "" if own == "plain" else f", or add --kind {own}"
            raise click.UsageError(
                f"{OPTION_OF[name]} is for --kind {own}, not for {kind}; leave it out{remedy}."
            )
    if counts and kind in ("superbpe", "paritybpe"):
        raise click.UsageError(
            f"--counts does not go with --kind {kind}, which needs texts; name text files."
        )
    if kind == "paritybpe":
        if "languages" not in options or files:
            raise click.UsageError(
                "--kind paritybpe reads a file for each language; give them as --corpus en=english.txt, and no others."
            )
        if "ratio" in options:
            options["ratio"] = {
                name: number_of(name, number)
                for name, number in by_name("--ratio", options["ratio"], "number, such as en=1.5").items()
            }


def number_of(name: str, number: str) -> float:
    """A language's ratio. Raises UsageError."""
    try:
        return float(number)
    except ValueError:
        raise click.UsageError(
            f"--ratio {name}={number}: {number} is no number; write one such as 1.5."
        ) from None


def tokenizer_to_extend(options: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer in the file of `--extend`. Raises UsageError for options already decided by it,
    ClickException for faults in it."""
    path = str(options["extend"])
    for name in ("normalizer", "pre_tokenizer", "pattern", "special_tokens", "alphabet", *CUTTING):
        if name in options:
            raise click.UsageError(
                f"--extend goes on with what {click.format_filename(path)} says; leave {OPTION_OF[name]} out."
            )
    try:
        return Tokenizer.load(path)
    except TokenizersCoreError as error:
        raise click.ClickException(f"{click.format_filename(path)}: {in_options(error)}") from None


def unknown_to_add(algorithm: str, settings: Mapping[str, Any]) -> str:
    """The unknown token that the trace's tokenizer will add; "" if it has that already, or needs none."""
    unknown = ALGORITHMS[algorithm].trace.unk_token
    if (
        "extend" in settings
        or (algorithm == "bpe" and settings.get("byte_fallback"))
        or settings.get("alphabet") == "bytes"
        or unknown in settings.get("special_tokens", ())
    ):
        return ""
    return unknown


def run_with_room(
    algorithm: Algorithm[AnyTrace],
    corpus: Corpus | Mapping[str, Corpus],
    settings: Mapping[str, Any],
    unknown: str,
    progress: Progress,
) -> AnyTrace:
    """The run, with room for an unknown token, to be added later."""
    room = 1 if unknown and settings.get("vocab_size") else 0
    if room:
        settings = {**settings, "vocab_size": settings["vocab_size"] - room}
    try:
        return algorithm.train(corpus, progress=progress, **settings)
    except VocabSizeError as error:
        if not room:
            raise
        raise click.ClickException(
            f"--vocab-size {error.vocab_size + room} is below the {error.minimum + room} tokens that there are before training: "
            f"special tokens, the alphabet, and {unknown}; choose at least {error.minimum + room}."
        ) from None


def with_room(shortfall: UnreachedSizeError, room: bool) -> UnreachedSizeError:
    """A shortfall in numbers that include the unknown token."""
    return UnreachedSizeError(shortfall.why, shortfall.vocab_size + room, shortfall.reached + room)


def pipeline_settings(
    algorithm: str, counts: bool, options: Mapping[str, Any], kind: str = "plain"
) -> dict[str, Any]:
    """How text becomes words: the engine's parameters. Raises UsageError if they don't fit the algorithm."""
    if "extend" in options:
        rules = options["extend"].pipeline
        named = {
            "normalizer": rules.normalizer,
            "pre_tokenizer": rules.pre_tokenizer,
            "pattern": rules.pattern,
        }
        symbols = options.get("user_defined_symbols", ())
        return named | {"timeout": COMMAND_SECONDS, "user_defined_symbols": symbols}
    usual = "whitespace_split" if counts else PRE_TOKENIZERS_OF[algorithm][0]
    chosen = options.get("pre_tokenizer", usual)
    fitting = PRE_TOKENIZERS_OF[algorithm]
    if chosen not in fitting:
        raise click.UsageError(
            f"--pre-tokenizer {chosen} does not go with --algorithm {algorithm}; choose one of {', '.join(fitting)}."
        )
    if "pattern" in options and chosen != "byte_level":
        raise click.UsageError(
            f"--pattern is for --pre-tokenizer byte_level, not for {chosen}; leave one of them out."
        )
    if "cut_behavior" in options and "cut" not in options:
        raise click.UsageError("--cut-behavior is for --cut; leave it out, or add --cut PATTERN.")
    cuts = cuts_from(options, kind)
    if cuts and chosen == "end_of_word":
        cutting = next(OPTION_OF[name] for name in CUTTING if name in options)
        raise click.UsageError(
            f"{cutting} does not go with --pre-tokenizer end_of_word, as words would end at each cut; leave one of them out."
        )
    replaced = [Replace(pattern, text, literal=False) for pattern, text in options.get("replace", ())]
    normalizer = (*replaced, *options.get("normalizer", () if replaced else ("none",)))
    return {
        "cuts": cuts,
        "normalizer": normalizer[0] if len(normalizer) == 1 and not replaced else normalizer,
        "pre_tokenizer": chosen,
        "pattern": options.get("pattern", "gpt2"),
        "timeout": COMMAND_SECONDS,
        "user_defined_symbols": options.get("user_defined_symbols", ()),
    }


def cuts_from(options: Mapping[str, Any], kind: str) -> tuple[Cutter, ...]:
    """The cuts behind the pre-tokenizer, in turn."""
    cuts: list[Cutter] = []
    if "cut" in options:
        cuts.append(CutAt(options["cut"], BEHAVIOR_OF[options.get("cut_behavior", "isolated")]))
    if "scripts" in options:
        cuts.append(Scripts())
    if "digits" in options:
        cuts.append(digits_cut(options["digits"], kind))
    return tuple(cuts)


def refuse_foreign_options(algorithm: str, options: Mapping[str, Any]) -> None:
    """Raise UsageError for another algorithm's option: nothing is ignored in silence."""
    for name in options:
        fitting = ALGORITHMS_OF.get(name, (algorithm,))
        if algorithm not in fitting:
            raise click.UsageError(
                f"{OPTION_OF[name]} is for --algorithm {' and '.join(fitting)}, not for {algorithm}; "
                f"leave it out, or add --algorithm {fitting[0]}."
            )


def training_settings(algorithm: str, options: Mapping[str, Any], pre_tokenizer: str) -> dict[str, Any]:
    """The arguments of the engine's training function."""
    if options.get("alphabet") == "bytes" and pre_tokenizer != "byte_level":
        raise click.UsageError(
            f"--alphabet bytes is for --pre-tokenizer byte_level, not for {pre_tokenizer}; leave one of them out."
        )
    if "exact" in options and options.get("method") == "sentencepiece":
        raise click.UsageError(
            "--exact is for --method course; SentencePiece's way always stops at the size."
        )
    transition, most = options.get("transition", 0), options.get("vocab_size")
    if most is not None and transition >= most:
        raise click.UsageError(
            f"--transition {transition} isn't below --vocab-size {most}, so no token would bridge a space; "
            "lower the one, or raise the other."
        )
    usual: dict[str, Any] = {}
    if algorithm == "unigram":
        size = options.get("vocab_size", UNIGRAM_SIZE)
        usual = {"vocab_size": size, "seed_size": grown_seed(USUAL_SEED, size)}
    of_the_pipeline = ("normalizer", "pre_tokenizer", "pattern", "user_defined_symbols", *CUTTING)
    settings = {**usual, **{name: value for name, value in options.items() if name not in of_the_pipeline}}
    if algorithm == "unigram" and "max_token_length" in settings:
        settings["max_piece_length"] = settings.pop("max_token_length")
    return settings


def corpus_counted(
    contents: Sequence[tuple[str, bytes]], algorithm: str, options: Mapping[str, Any]
) -> Corpus | None:
    """The corpus in a file written by `count`, with rules of its own; None if there is no such file."""
    name, data = next((one for one in contents if is_counts(one[1])), ("", b""))
    if not name:
        return None
    shown = input_name(name)
    if len(contents) > 1:
        raise click.UsageError(
            f"{shown} holds a whole corpus, counted by its own rules; leave the other files out, or count them together."
        )
    for setting in ("normalizer", "pre_tokenizer", "pattern", "user_defined_symbols", *CUTTING):
        if setting in options:
            raise click.UsageError(
                f"{shown} says by which rules its words were counted; leave {OPTION_OF[setting]} out, or count the text again."
            )
    try:
        rules = counting_rules(data)
        if rules.pre_tokenizer not in PRE_TOKENIZERS_OF[algorithm]:
            raise CountedRulesError(rules.rules, PRE_TOKENIZERS_OF[algorithm])
        return read_counts(decode_text(data).text, COMMAND_SECONDS).corpus
    except TokenizersCoreError as error:
        raise click.ClickException(f"{shown}: {in_options(error)}") from None


def read_counted(contents: Sequence[tuple[str, bytes]], pipeline: Mapping[str, Any]) -> Corpus:
    """The words of all files of counts."""
    replaced: Counter[str] = Counter()
    with reporting_faults([name for name, _ in contents], replaced):
        corpus = Corpus.from_counts(counts_of(contents, replaced), **pipeline)
    return replace(corpus, replaced=replaced.total())


def read_languages(
    name: str, values: Sequence[str], pipeline: Mapping[str, Any], quiet: bool, as_text: bool
) -> dict[str, Corpus]:
    """The words of each language, from the file in its option of this name."""
    return {
        language: read_corpus([path], pipeline, quiet, as_text)
        for language, path in by_name(name, values, "file, such as en=english.txt").items()
    }


def read_corpus(
    files: Sequence[str], pipeline: Mapping[str, Any], quiet: bool, as_text: bool, held: bool = False
) -> Corpus:
    """The words of all files, counted; with `held`, the corpus has the texts too."""
    replaced: Counter[str] = Counter()
    with reporting_faults(files, replaced), meter("Reading", quiet, in_bytes=True) as move:
        texts = texts_of(files, replaced, move, checked=not as_text)
        corpus = Corpus.from_texts([*texts] if held else texts, **pipeline)
    return replace(corpus, replaced=replaced.total())


@contextmanager
def reporting_faults(files: Sequence[str], replaced: Counter[str]) -> Iterator[None]:
    """Report faults in the files read inside."""
    try:
        yield
    except EmptyCorpusError as error:
        raise click.ClickException(nothing_to_train_on(files, error.characters)) from None
    except click.ClickException:
        replaced.clear()  # a refused file was not read
        raise
    finally:
        warn_of_invalid(replaced)


def nothing_to_train_on(files: Sequence[str], characters: int) -> str:
    """Why the corpus has no words.

    >>> nothing_to_train_on(["a.txt"], 0)
    'a.txt: there is no text; name a file that holds some.'
    """
    names = ", ".join(map(input_name, files))
    if not characters:
        return f"{names}: there is no text; name a file that holds some."
    return (
        f"{names}: {characters:,} characters and not one word: they are all white space, or --normalizer removes them; "
        "choose another file or rule."
    )
