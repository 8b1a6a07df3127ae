"""The commands, each with a help to teach its work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, count
from typing import Any

import click

from tokenizers_core import TEMPLATES, Truncation, tokenizer_to_json, trim
from tokenizers_core.files.steps import CANDIDATES
from tokensteps.cli.chat import chat_text, in_folder
from tokensteps.cli.count import count_command
from tokensteps.cli.doctor import doctor_command
from tokensteps.cli.errors import Commands
from tokensteps.cli.loading import loaded, tokenizer_options
from tokensteps.cli.measure import column_names, measure_all, measure_options
from tokensteps.cli.opening import open_command
from tokensteps.cli.package import package_command
from tokensteps.cli.site import site_command
from tokensteps.cli.streams import (
    inputs,
    refuse_to_overwrite,
    tell,
    texts_of,
    warn_of_invalid,
    write_lines,
    write_output,
)
from tokensteps.cli.terminal.show import show_command
from tokensteps.cli.terminal.step import step_command
from tokensteps.cli.training import (
    POSITIVE,
    TEXT,
    algorithm_named,
    option,
    output_options,
    train_with_options,
    training_options,
)
from tokensteps.cli.views import (
    COLUMNS,
    FILE_KINDS,
    FORMATS,
    files_to_write,
    read_ids,
    trace_text,
    warn_of_left_out,
)
from tokensteps.drawing.tokens import SHOW, Style
from tokensteps.language.i18n import LANGUAGES, use_language
from tokensteps.limits import HANDOUT_STEPS
from tokensteps.version import __version__


def show_version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """`--version`: the project's."""
    if wanted:
        click.echo(f"tokensteps {__version__}")
        context.exit()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nBegin with:\n"
    "  python -m tokensteps train assets/corpora/course.txt --vocab-size 50 --output tokenizer.json\n"
    '  python -m tokensteps encode --tokenizer tokenizer.json "This is not a token."',
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and exit.",
)
def command_line() -> None:
    """Train subword tokenizers step by step, and use them.

    Results go to standard output, messages to standard error. A command ends with 0 if all went well, 1 if
    something is wrong with the data, 2 if something is wrong with the command, 130 after Ctrl-C, 141 if
    nobody reads its output any more.
    """


command_line.add_command(open_command)
command_line.add_command(doctor_command)
command_line.add_command(count_command)
command_line.add_command(site_command)
command_line.add_command(package_command)
command_line.add_command(show_command)
command_line.add_command(step_command)


@command_line.command(
    "train",
    short_help="Train a tokenizer on text and write it to a file.",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps train assets/corpora/course.txt --vocab-size 50 --output tokenizer.json\n"
    "  cat assets/corpora/*.txt | python -m tokensteps train --alphabet bytes -s 400 > bytes.json\n"
    "  python -m tokensteps train --counts assets/corpora/hug.txt --merges 3 --output vocab.json\n"
    '  python -m tokensteps train assets/corpora/course.txt -a wordpiece -s 70 --special-token "[UNK]" -o vocab.txt\n'
    "  python -m tokensteps train assets/corpora/mixed.txt -a unigram -s 400 --output mixed.vocab",
)
@training_options
@option(
    "--template",
    "Put special tokens around each text when it is encoded, as this model does; the vocabulary gets them.",
    type=click.Choice(list(TEMPLATES)),
    default="none",
    show_default=True,
)
@output_options(
    "Where the tokenizer goes; the name says in which form: tokenizer.json (for encode and the tokenizers library), "
    "vocab.json (merges.txt comes beside it), NAME.tiktoken, vocab.txt, NAME.vocab; a folder gets a tokenizer.json."
)
def train_command(template: str, output: str, force: bool, **options: Any) -> None:
    """Train a tokenizer on text FILES, or on standard input, and write it.

    Each line is a text of its own. Files are UTF-8 (or UTF-16 with a byte order mark) and never held in
    memory as a whole, except with --kind superbpe.
    """
    files = files_to_write(output, options["algorithm"], template != "none", options["kind"])
    for path in files:
        refuse_to_overwrite(path, force)
    around = TEMPLATES[template]
    options["special_tokens"] += around.special_tokens if around else ()
    trace = train_with_options(**options, for_tokenizer=True)
    tokenizer = trace.tokenizer()
    if around or not options["extend"]:
        tokenizer = tokenizer.with_options(template=around)
    contents = {path: kind.write(trace, tokenizer) for path, kind in files.items()}
    for path, text in contents.items():
        write_output(path, text, options["quiet"])
    warn_of_left_out(files, trace.corpus.pipeline, options["kind"])


@command_line.command(
    "trim",
    short_help="Drop the last merges of a BPE tokenizer.",
    epilog="\b\nExample:\n  python -m tokensteps trim tokenizer.json --merges 10 --output smaller.json",
)
@click.argument("file", type=click.Path())
@option(
    "--merges",
    "How many merges go, the last ones first, with the tokens that only they make. All other tokens keep their ids.",
    type=click.IntRange(min=0),
    required=True,
)
@output_options("Where the tokenizer.json goes.")
def trim_command(file: str, merges: int, output: str, force: bool) -> None:
    """Drop the last merges of the BPE tokenizer in FILE.

    Only the end of the list can go: later merges need the tokens that earlier ones make.
    """
    if {*files_to_write(output, "bpe", with_template=False).values()} != {FILE_KINDS["tokenizer.json"]}:
        raise click.UsageError(f"--output {output}: a tokenizer.json is written; choose such a name.")
    refuse_to_overwrite(output, force)
    tokenizer = loaded(file, ())
    write_output(output, tokenizer_to_json(trim(tokenizer, merges)), quiet=False)


@command_line.command(
    "encode",
    short_help="Turn text into tokens.",
    epilog="\b\nExamples:\n"
    '  python -m tokensteps encode --tokenizer tokenizer.json "This is not a token."\n'
    '  python -m tokensteps encode --tokenizer tokenizer.json --format table "This is not a token."\n'
    "  cat assets/corpora/course.txt | python -m tokensteps encode --tokenizer tokenizer.json --format json\n"
    "  python -m tokensteps encode --tokenizer tokenizer.json --chat messages.json --chat-template chatml",
)
@tokenizer_options
@click.argument("text", type=TEXT, required=False)
@option(
    "--file",
    "Encode the lines of this file; - is standard input.",
    type=click.Path(allow_dash=True),
    metavar="FILE",
)
@option(
    "--format",
    "ids or tokens, parted by spaces, one text a line; json: an object a line with ids, tokens, offsets and all else; "
    "table: one token a row, parted by tabs.",
    type=click.Choice(list(FORMATS)),
    default="ids",
    show_default=True,
)
@option("--pair", "A second text that goes with each one, as an answer with a question.", type=TEXT)
@option(
    "--chat",
    'Encode the messages of this JSON file ([{"role": "user", "content": "Hello"}]) through the chat template beside the '
    "tokenizer: of chat_template.jinja or tokenizer_config.json. --tokenizer may name their folder.",
    type=click.Path(allow_dash=True),
    metavar="FILE",
)
@option(
    "--chat-template",
    "With --chat: another of the tokenizer's templates by its name, or chatml, llama2, llama3, plain (well-known formats).",
    type=TEXT,
    metavar="NAME",
)
@option("--generation-prompt", "With --chat: end with what makes the model answer.", is_flag=True)
@option(
    "--no-special-tokens", "Leave the tokenizer's template out: nothing is put around the text.", is_flag=True
)
@option("--max-length", "Cut each text to this many tokens, the template's included.", type=POSITIVE)
@option(
    "--stride",
    "With --max-length: what is cut off follows in further stretches (in json), which share this many tokens with the one "
    "before.",
    type=click.IntRange(min=0),
)
def encode_command(
    tokenizer_file: str,
    text: str | None,
    file: str | None,
    chat: str | None,
    chat_template: str | None,
    generation_prompt: bool,
    format: str,
    pair: str | None,
    no_special_tokens: bool,
    max_length: int | None,
    stride: int | None,
    **rules: Any,
) -> None:
    """Turn TEXT into tokens, or each line of a file or of standard input, which - names, too.

    Lines are read and written one at a time: a pipe may be as long as it likes.
    """
    if text == "-":
        text, file = None, file or "-"
    if text is not None and file is not None:
        raise click.UsageError("TEXT and --file are both given; leave one of them out.")
    if chat is not None and not (text is None and file is None and pair is None):
        raise click.UsageError("--chat stands for the text; leave TEXT, --file and --pair out.")
    if chat is None and (chat_template or generation_prompt):
        raise click.UsageError("--chat-template and --generation-prompt are for --chat; add that.")
    if stride is not None and max_length is None:
        raise click.UsageError("--stride is for --max-length; add that, or leave --stride out.")
    replaced: Counter[str] = Counter()
    texts: Iterable[str] = [text or ""]
    tokenizer_file = in_folder(tokenizer_file)
    if chat is not None:
        texts = [chat_text(tokenizer_file, chat, chat_template or "", generation_prompt)]
    elif text is None:
        texts = texts_of(inputs([file] if file else [], "a TEXT or a --file"), replaced)
    tokenizer = loaded(tokenizer_file, **rules)
    if max_length is not None:
        tokenizer = tokenizer.with_options(truncation=Truncation(max_length, stride or 0))
    encodings = (
        tokenizer.encode(one, pair, add_special_tokens=not (no_special_tokens or chat)) for one in texts
    )
    lines = chain.from_iterable(map(FORMATS[format], count(1), encodings))
    try:
        write_lines(chain(["\t".join(COLUMNS)], lines) if format == "table" else lines)
    finally:
        warn_of_invalid(replaced)


@command_line.command(
    "decode",
    short_help="Turn ids back into text.",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps decode --tokenizer tokenizer.json 5 13 15 47\n"
    "  python -m tokensteps decode --tokenizer tokenizer.json 5,13,15\n"
    '  python -m tokensteps encode --tokenizer tokenizer.json "This is a token." | python -m tokensteps decode --tokenizer tokenizer.json',
)
@tokenizer_options
@click.argument("ids", nargs=-1, type=TEXT)
@option("--skip-special-tokens", "Leave special tokens out of the text.", is_flag=True)
def decode_command(tokenizer_file: str, ids: Sequence[str], skip_special_tokens: bool, **rules: Any) -> None:
    """Turn IDS back into text, or each line of ids on standard input.

    This undoes encode. Ids are parted by spaces or commas; bytes that are not UTF-8 become U+FFFD.
    """
    files = () if ids else inputs([], "the ids")
    tokenizer = loaded(tokenizer_file, **rules)
    lines: Iterable[list[int]]
    if ids:
        lines = [read_ids(" ".join(ids), "What was given")]
    else:
        texts = enumerate(texts_of(files, Counter()), start=1)
        lines = (read_ids(text, f"Line {number} of standard input") for number, text in texts)
    write_lines(tokenizer.decode(line, skip_special_tokens=skip_special_tokens) for line in lines)


@command_line.command(
    "measure",
    short_help="Measure tokenizers on text.",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps measure -t tokenizer.json assets/corpora/course.txt\n"
    "  python -m tokensteps measure -t small.json -t large.json --format csv book.txt > measures.csv\n"
    "  python -m tokensteps measure -t tokenizer.json --parallel en=assets/corpora/parallel/en.txt --parallel de=assets/corpora/parallel/de.txt",
)
@option(
    "--tokenizer -t tokenizer_files",
    "What train wrote, or another program's tokenizer.json; give it once for each tokenizer.",
    type=click.Path(),
    multiple=True,
    required=True,
    metavar="FILE",
)
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True))
@measure_options
def measure_command(tokenizer_files: Sequence[str], files: Sequence[str], **options: Any) -> None:
    """Measure tokenizers on text FILES, or on standard input, and on the same lines in several languages.

    Tokens per word (fertility), per character and per byte, whole words, the vocabulary that is used, the
    Rényi efficiency; of parallel lines, each language's premium and the Gini coefficient.
    """
    names = column_names(tokenizer_files)
    if len({*names}) < len(names):
        raise click.UsageError("--tokenizer: one file is given twice; leave one of them out.")
    tokenizers = {name: loaded(path, ()) for name, path in zip(names, tokenizer_files, strict=True)}
    measure_all(tokenizers, files, **options)


@command_line.command(
    "trace",
    short_help="Train, and print every step or one.",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps trace assets/corpora/course.txt --vocab-size 50 --format csv\n"
    "  python -m tokensteps trace --counts assets/corpora/hug.txt --step 1\n"
    "  python -m tokensteps trace assets/corpora/course.txt -a unigram -s 100 --step -1 --output last.json",
)
@training_options
@option(
    "--format",
    "json: the settings, the corpus and every step. csv: one step a row, for a spreadsheet.",
    type=click.Choice(["json", "csv"]),
    default="json",
    show_default=True,
)
@option(
    "--step",
    "Print the state after this step alone: what happened, what comes next, vocabulary, every word's tokens. 0 is the "
    "start, negative steps count from the end: -1 is the last.",
    type=int,
)
@option(
    "--candidates",
    "With --step: how many of the pairs or pieces that may come next are listed, best first.",
    type=click.IntRange(min=0),
    usual=str(CANDIDATES),
)
@output_options("Where the trace goes.")
def trace_command(
    format: str, step: int | None, candidates: int | None, output: str, force: bool, **options: Any
) -> None:
    """Train like the train command, and print what training did, step by step.

    Nothing is left out: a spreadsheet or a few lines of Python can draw from it whatever the app does not.
    """
    if step is None and candidates is not None:
        raise click.UsageError("--candidates is for --step; add --step, or leave it out.")
    refuse_to_overwrite(output, force)
    trace = train_with_options(**options)
    write_output(
        output,
        trace_text(trace, format, step, CANDIDATES if candidates is None else candidates),
        options["quiet"],
    )


@command_line.command(
    "handout",
    short_help="Train, and write a page that steps through it offline.",
    epilog="\b\nExamples:\n"
    "  python -m tokensteps handout assets/corpora/course.txt --vocab-size 50 --output course.html\n"
    '  python -m tokensteps handout --counts assets/corpora/hug.txt -a wordpiece --title "hug, pug, pun" > hug.html',
)
@training_options
@option("--title", "The heading of the page.", type=TEXT, usual="the algorithm and the files")
@option(
    "--show",
    "How tokens are written: as readable letters, as symbols (as in the vocabulary file), or as bytes.",
    type=click.Choice(SHOW),
    default=SHOW[0],
    show_default=True,
)
@option(
    "--language",
    "The language of the page.",
    type=click.Choice(list(LANGUAGES)),
    default="en",
    show_default=True,
)
@output_options("Where the page goes.")
def handout_command(
    title: str | None, show: str, language: str, output: str, force: bool, **options: Any
) -> None:
    """Train like the train command, and write one HTML file that steps through it offline.

    The page is the app's own stage, with nothing to load: it works from a USB stick, in slides and in a
    course's site.
    """
    refuse_to_overwrite(output, force)
    trace = train_with_options(**options)
    # Here, because most runs do without them, and they take a while to load.
    from tokensteps.drawing.handout import handout
    from tokensteps.drawing.training.step_kinds import STEP_KINDS

    draw = STEP_KINDS[trace.ranked_by].frame
    style = Style(trace.corpus.pipeline.byte_level, show, frozenset(trace.special_tokens))
    files = ", ".join(click.format_filename(name, shorten=True) for name in options["files"] if name != "-")
    name = algorithm_named(trace.algorithm, options["kind"]).title
    heading = title or ": ".join(filter(None, [name, files]))
    use_language(language)
    page = handout(heading, len(trace), lambda step: draw(trace[step], style))
    if len(trace) > HANDOUT_STEPS:
        tell(f"The page holds the first {HANDOUT_STEPS} of {len(trace):,} steps.", options["quiet"])
    write_output(output, page, options["quiet"])
