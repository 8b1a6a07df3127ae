r"""Reading a tokenizer from any kind of file written here, and some others: the file's name decides.

A tokenizer.json is complete, and so are SentencePiece's NAME.model and Mistral's tekken.json. The others hold
only tokens; the rest comes from arguments, the defaults of `train_bpe` and its like, or the tokens
themselves:

* NAME.tiktoken: byte-level BPE. The pattern is GPT-2's, or that of a published vocabulary of this size. Ids
  left out by the file belong to special tokens; their names must be given.
* vocab.json with merges.txt (the path may name either), and NAME-vocab.json with NAME-merges.txt: BPE.
* vocab.txt: WordPiece, text split as in BERT, but not normalized.
* NAME.vocab and NAME.tsv: Unigram, a mark `▁` in front of each word.

A folder means the tokenizer.json in it. A loaded tokenizer encodes and decodes as before, if the rules are
the same as in training.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import BpeModel, BpeOptions
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.encoding.tokenizer import FileFormat, Tokenizer
from tokenizers_core.errors import SettingError, VocabularyFileError, quoted
from tokenizers_core.files.exports import LINE_ESCAPES
from tokenizers_core.files.models import GAP_LIMIT, SCORE_LIMIT, TOKEN_LIMIT
from tokenizers_core.files.piece_files import Damaged, read_model
from tokenizers_core.files.pieces import tokenizer_of
from tokenizers_core.files.ranks import all_splits
from tokenizers_core.files.tekken import is_tekken, tekken_tokenizer
from tokenizers_core.files.tokenizer_json import parse_json, tokenizer_from_bytes, tokenizer_to_json
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, SYMBOL_TO_BYTE, bytes_to_symbols
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import END_OF_WORD, SPACE_MARK

Rules = Mapping[str, Any]
"""The given arguments of `Pipeline`."""
Reader = Callable[[Path, Rules, tuple[str, ...] | None], Tokenizer]
"""From a file, the rules and the special tokens."""
UNKNOWN_TOKENS: Final = ("[UNK]", "<unk>", "[unk]", "<UNK>")
"""Names of the unknown token; the first one in the vocabulary is used."""
PIECES_UNKNOWN: Final = "<unk>"
"""Its name among pieces, preferred to the others there."""
PATTERN_BY_SIZE: Final = (
    (range(50_000, 50_400), "gpt2"),
    (range(100_000, 100_400), "cl100k_base"),
    (range(128_000, 128_300), "cl100k_base"),
    (range(151_643, 151_700), "qwen2"),
    (range(199_000, 201_200), "o200k_base"),
)
"""Published vocabularies by the number of their tokens: OpenAI's and Whisper's, Llama 3's, Qwen's, and again
OpenAI's and Llama 4's."""
SPECIAL_FORM: Final = re.compile(r"\[[A-Z]{2,}\]|<\|[^|<>]+\|>|</?[a-z]{1,9}>")
"""The form of special tokens; BERT's pre-tokenizer never leaves such a word."""
LINE_ESCAPED: Final = {str(written): chr(character) for character, written in LINE_ESCAPES.items()}
"""Escape sequence in a table's line → the character that would end the line."""


def load_tokenizer(path: Path, rules: Rules, special_tokens: Sequence[str] | None) -> Tokenizer:
    """The tokenizer in a file: see `Tokenizer.load`. `rules` are arguments of `Pipeline` that the file
    doesn't say."""
    if path.is_dir():
        path = path / "tokenizer.json"
    read = reader_of(path)
    if read is None:
        values = rules if special_tokens is None else {**rules, "special_tokens": special_tokens}
        for name, value in values.items():
            raise SettingError(name=name, value=value, reason="the file has its own; leave it out")
        return from_piece_model(path) if PIECE_MODEL.search(path.name) else from_json(path)
    return read(path, rules, None if special_tokens is None else tuple(dict.fromkeys(special_tokens)))


def reader_of(path: Path) -> Reader | None:
    """The reader of a table, by the end of its name."""
    return next((read for ending, read in READERS.items() if path.name.endswith(ending)), None)


def refuse_other_kind(path: Path) -> None:
    """Raise SettingError if `load_tokenizer` would take a tokenizer.json of this name for another kind of
    file."""
    if not path.is_dir() and (reader_of(path) or PIECE_MODEL.search(path.name)):
        raise SettingError(
            name="path",
            value=path.name,
            reason="a tokenizer.json is written, and that is the name of another kind of file; "
            "choose a name such as tokenizer.json",
        )


PIECE_MODEL: Final = re.compile(r"\.model(\.v[0-9][0-9a-z]*)?$")
"""How the name of a SentencePiece model ends; Mistral's have a version behind."""


def from_json(path: Path) -> Tokenizer:
    """A tokenizer.json, or a tekken.json."""
    data = path.read_bytes()
    if b'"token_bytes"' in data and is_tekken(document := parse_json(text_in(path))):
        return tekken_tokenizer(document)
    return tokenizer_from_bytes(data)


def from_piece_model(path: Path) -> Tokenizer:
    """SentencePiece's NAME.model."""
    try:
        return tokenizer_of(read_model(path.read_bytes()))
    except Damaged as error:
        raise VocabularyFileError("damaged", path.name, value=str(error)) from None


Tokenizer.file_format = FileFormat(tokenizer_to_json, refuse_other_kind, load_tokenizer)


def text_in(path: Path) -> str:
    """A file's text. Raises VocabularyFileError, and OSError."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise VocabularyFileError("not_utf8", path.name, value=str(error.start)) from None


def lines_in(path: Path) -> list[str]:
    """A file's lines, without the empty one at its end."""
    text = text_in(path)
    lines = without_returns(text.removesuffix("\n").split("\n")) if text else []
    if len(lines) > TOKEN_LIMIT:
        raise VocabularyFileError("too_many", path.name, value=f"{len(lines):,}", expected=f"{TOKEN_LIMIT:,}")
    return lines


def without_returns(lines: list[str]) -> list[str]:
    """A file's lines, without the U+000D at their ends if it was written on Windows. The last line may lack
    one.

    >>> without_returns(["a\\r", "\\r", "b"]), without_returns(["a\\r", "b", "c"])
    (['a', '', 'b'], ['a\\r', 'b', 'c'])
    """
    ended = [line for line in lines[:-1] if line] or lines
    return [line.removesuffix("\r") for line in lines] if all(one.endswith("\r") for one in ended) else lines


def each_once(path: Path, tokens: Sequence[str]) -> Sequence[str]:
    """Tokens by id, one a line. Raises VocabularyFileError for a repeated or empty token."""
    seen: set[str] = set()
    for number, token in enumerate(tokens, start=1):
        if not token or token in seen:
            raise VocabularyFileError(
                "line", path.name, line=number, value=quoted(token), expected="a token not listed earlier"
            )
        seen.add(token)
    return tokens


def unknown_in(path: Path, tokens: Collection[str]) -> str:
    """The required unknown token of a vocabulary. Raises VocabularyFileError."""
    result = next((token for token in UNKNOWN_TOKENS if token in tokens), "")
    if not result:
        raise VocabularyFileError("no_unknown", path.name, expected=", ".join(UNKNOWN_TOKENS))
    return result


def has_all_bytes(tokens: Collection[str]) -> bool:
    """Whether a vocabulary spells unknown characters in byte tokens."""
    return all(token in tokens for token in BYTE_TOKENS)


def build_tokenizer(
    model: Model, pipeline: Pipeline, special_tokens: Sequence[str] | None, recognized: Sequence[str]
) -> Tokenizer:
    """The tokenizer, with the given special tokens, or else the recognized ones."""
    special = recognized if special_tokens is None else special_tokens
    missing = next((token for token in special if token not in model.vocabulary.ids), None)
    if missing is not None:
        raise SettingError(
            name="special_tokens", value=missing, reason="the file has no such token; name those that it has"
        )
    return Tokenizer(pipeline, model, special)


# --- BPE: ranks ---------------------------------------------------------------------------------------------

# A token may be empty, as the last one of Whisper's is; tiktoken's writer has a single = for it.
RANK_LINE: Final = re.compile(r"([A-Za-z0-9+/]+={0,2}|=) ([0-9]{1,10})")


def from_ranks(path: Path, rules: Rules, special_tokens: tuple[str, ...] | None) -> Tokenizer:
    """NAME.tiktoken. Special tokens, in their order, get the ids left out by the file, and then the next
    ones."""
    ranks = ranks_in(path)
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        raise VocabularyFileError("no_byte", path.name, value=f"0x{missing:02X}")
    pattern = next((known for sizes, known in PATTERN_BY_SIZE if len(ranks) in sizes), "gpt2")
    pipeline = replace(Pipeline(pattern=pattern), **rules)
    by_id = {rank: bytes_to_symbols(token) for token, rank in ranks.items()}
    waiting = iter(special_tokens or ())
    size = max(by_id) + 1
    gaps = [identifier for identifier in range(size) if identifier not in by_id] if size > len(by_id) else []
    for identifier in gaps:
        token = next(waiting, None)
        if token is None:
            raise VocabularyFileError(
                "gap", path.name, value=str(len(gaps)), expected=", ".join(map(str, gaps[:5]))
            )
        by_id[identifier] = token
    tokens = [by_id[identifier] for identifier in range(size)] + list(waiting)
    if len(set(tokens)) < len(tokens):
        raise SettingError(
            name="special_tokens", value=special_tokens, reason="one of them is an ordinary token of the file"
        )
    merges = [Pair(*map(bytes_to_symbols, pair)) for pair in all_splits(ranks)]
    # A word in the vocabulary is its token, whether the merges lead there or not.
    model = BpeModel(tokens, merges, options=BpeOptions(ignore_merges=True))
    return build_tokenizer(model, pipeline, special_tokens, ())


def ranks_in(path: Path) -> dict[bytes, int]:
    """The tokens' bytes with their ranks. Raises VocabularyFileError."""
    ranks: dict[bytes, int] = {}
    taken: set[int] = set()
    for number, line in enumerate(lines_in(path), start=1):
        if not line:
            continue
        match = RANK_LINE.fullmatch(line)
        try:
            token = b64decode(match[1].removeprefix("="), validate=True) if match else None
        except binascii.Error:
            token = None
        rank = int(match[2]) if match else -1
        if token is None or not 0 <= rank < TOKEN_LIMIT:
            expected = "a token in base64, a space and its rank"
        elif token in ranks or rank in taken:
            expected = "a token and a rank not listed earlier"
        else:
            ranks[token] = rank
            taken.add(rank)
            continue
        raise VocabularyFileError("line", path.name, line=number, value=quoted(line), expected=expected)
    return ranks


# --- BPE: vocabulary and merges -----------------------------------------------------------------------------

VOCAB, MERGES = "vocab.json", "merges.txt"


def from_vocab_and_merges(path: Path, rules: Rules, special_tokens: tuple[str, ...] | None) -> Tokenizer:
    """vocab.json and merges.txt, whichever of the two is named."""
    start = path.name.removesuffix(VOCAB).removesuffix(MERGES)
    vocab_path, merges_path = path.with_name(start + VOCAB), path.with_name(start + MERGES)
    for half in (vocab_path, merges_path):
        if not half.exists() and half != path:
            raise VocabularyFileError("half", path.name, expected=half.name)
    tokens = tokens_of(vocab_path)
    known = set(tokens)
    merges = merges_in(merges_path, known)
    results = {first + second for first, second in merges}
    # The end of a word is a symbol of its own here, and part of the last character in other programs.
    joined = any(
        len(token) == 1 + len(END_OF_WORD) and token.endswith(END_OF_WORD) and token not in results
        for token in tokens
    )
    symbols = {token for token in tokens if len(token.removesuffix(END_OF_WORD)) == 1 or token == END_OF_WORD}
    fallback = has_all_bytes(known)
    ordinary = results | symbols | ({*BYTE_TOKENS} if fallback else set())
    matches = [token for token in tokens if token and token not in ordinary]
    own = replace(pipeline_shown_by(results | symbols), **rules)
    suffix = END_OF_WORD if own.suffix or joined else ""
    unknown = next((token for token in UNKNOWN_TOKENS if token in known), "")
    options = BpeOptions(suffix_joined=joined, byte_fallback=fallback)
    model = BpeModel(tokens, merges, unknown, suffix, options=options)
    return build_tokenizer(model, own, special_tokens, matches)


def tokens_of(path: Path) -> list[str]:
    """The tokens of a vocab.json by id, "" for an unused one. Raises VocabularyFileError and
    TokenizerFileError."""
    vocab = parse_json(text_in(path))
    if not isinstance(vocab, dict) or not vocab or len(vocab) > TOKEN_LIMIT:
        raise VocabularyFileError("not_a_vocab", path.name)
    by_id = {identifier: token for token, identifier in vocab.items() if type(identifier) is int}
    size = max(by_id, default=-1) + 1
    if len(by_id) < len(vocab) or min(by_id) < 0 or size > len(by_id) + GAP_LIMIT:
        raise VocabularyFileError("not_a_vocab", path.name)
    return [by_id.get(identifier, "") for identifier in range(size)]


def merges_in(path: Path, known: Collection[str]) -> list[Pair]:
    """The merges by rank; their tokens must be known. Raises VocabularyFileError."""
    merges: dict[Pair, None] = {}
    for number, line in enumerate(lines_in(path), start=1):
        if not line or (number == 1 and line.startswith("#version")):
            continue
        pair = Pair(*line.split(" ")) if line.count(" ") == 1 else Pair("", "")
        if not (pair.first in known and pair.second in known and pair.first + pair.second in known):
            raise VocabularyFileError(
                "line",
                path.name,
                line=number,
                value=quoted(line),
                expected="two tokens of the vocabulary, parted by a space, that make a third",
            )
        merges[pair] = None
    return list(merges)


def pipeline_shown_by(tokens: Collection[str]) -> Pipeline:
    """How text is split where only the tokens show it.

    >>> [
    ...     pipeline_shown_by(tokens).pre_tokenizer
    ...     for tokens in (["Ġthe"], ["the</w>"], ["▁the"], ["▁of▁the"], ["the"])
    ... ]
    ['byte_level', 'end_of_word', 'whitespace_split_metaspace', 'none', 'whitespace']
    """
    characters = set().union(*tokens)
    if BYTE_TO_SYMBOL[ord(" ")] in characters and SYMBOL_TO_BYTE.keys() >= characters:
        return Pipeline()
    if any(token.endswith(END_OF_WORD) for token in tokens):
        return Pipeline(pre_tokenizer="end_of_word")
    if any(SPACE_MARK in token[1:].lstrip(SPACE_MARK) for token in tokens):
        return Pipeline(pre_tokenizer="none")
    return Pipeline(pre_tokenizer="whitespace_split_metaspace" if SPACE_MARK in characters else "whitespace")


# --- WordPiece ----------------------------------------------------------------------------------------------


def from_vocab_txt(path: Path, rules: Rules, special_tokens: tuple[str, ...] | None) -> Tokenizer:
    """vocab.txt. A line's number is its token's id; an empty line's is unused, and so are those of a repeated
    token but the last."""
    lines = lines_in(path)
    last = {token: identifier for identifier, token in enumerate(lines)}
    tokens = [token if last[token] == identifier else "" for identifier, token in enumerate(lines)]
    model = WordPieceModel(tokens, unknown_in(path, tokens))
    special = [token for token in tokens if SPECIAL_FORM.fullmatch(token)]
    return build_tokenizer(model, replace(Pipeline(pre_tokenizer="bert"), **rules), special_tokens, special)


# --- Unigram ------------------------------------------------------------------------------------------------

PIECE_LINE: Final = re.compile(r"([^\t]+)\t(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e-?[0-9]{1,3})?)")


def from_pieces(path: Path, rules: Rules, special_tokens: tuple[str, ...] | None) -> Tokenizer:
    """NAME.vocab or NAME.tsv. A token with the score 0, and not 0.0, is special: no piece of text has such a
    score."""
    tokens, pieces, special = [], {}, []
    for number, line in enumerate(lines_in(path), start=1):
        match = PIECE_LINE.fullmatch(line)
        if not match or abs(float(match[2])) > SCORE_LIMIT:
            raise VocabularyFileError(
                "line",
                path.name,
                line=number,
                value=quoted(line),
                expected="a piece, a tab and its log probability",
            )
        token = re.sub(r"\\[\\tnr]", lambda escaped: LINE_ESCAPED[escaped[0]], match[1])
        tokens.append(token)
        if match[2] == "0":
            special.append(token)
        else:
            pieces[token] = float(match[2])
    each_once(path, tokens)
    unknown = PIECES_UNKNOWN if PIECES_UNKNOWN in tokens else unknown_in(path, tokens)
    longest = max(map(len, pieces), default=1)
    if fallback := has_all_bytes({*tokens}):
        special = [token for token in special if token not in BYTE_TOKENS]
    model = UnigramModel(tokens, pieces, unknown, fallback, longest)
    own = replace(Pipeline(pre_tokenizer="whitespace_split_metaspace"), **rules)
    return build_tokenizer(model, own, special_tokens, special)


READERS: Final[Mapping[str, Reader]] = {
    ".tiktoken": from_ranks,
    VOCAB: from_vocab_and_merges,
    MERGES: from_vocab_and_merges,
    "vocab.txt": from_vocab_txt,
    ".vocab": from_pieces,
    ".tsv": from_pieces,
}
"""The end of a file's name, and its reader; any other file is a tokenizer.json."""
