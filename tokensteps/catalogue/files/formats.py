"""Tokenizers from files: whatever somebody uploads, recognised by its contents, or an error that says what to do.

Every kind of file becomes one plain-data document, the `tokenizers` library's own format, and takes the same way from
there: `tokensteps/catalogue/files/loaded.py` checks it and hands it to the library.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from tokenizers_core.errors import Phrase, quoted
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, SYMBOL_TO_BYTE, bytes_to_symbols
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.splitting import END_OF_WORD, SPACE_MARK
from tokensteps.catalogue.files.loaded import (
    BYTES_ONLY,
    MESSAGE_CHARACTERS,
    Document,
    LoadedSubject,
    LoadError,
    Merges,
    check_ids,
    from_document,
    in_sequence,
    new_document,
)
from tokensteps.language.i18n import N_, count
from tokensteps.limits import FILES_LIMIT, TOKEN_LIMIT, TOKENIZER_LIMIT

# --- From files to documents ------------------------------------------------------------------------------------------


def load(files: Mapping[str, bytes], name: str = "", pattern: str | None = None) -> LoadedSubject:
    """The tokenizer in `files`, name → contents. Raises LoadError.

    `pattern` cuts text into words where the files don't say how, in a .tiktoken file and in a byte-level vocab.json: a
    name in `tokenizers_core.text.corpus.PATTERNS`, or a regular expression as tiktoken writes it.

    >>> files = {"vocab.json": b'{"h": 0, "u": 1, "g": 2, "ug": 3, "<unk>": 4}', "merges.txt": b"u g"}
    >>> subject = load(files)
    >>> [subject.token(identifier) for identifier in subject.encode("hug").ids], subject.facts(3).parts
    (['h', 'ug'], ('u', 'g'))
    """
    if not files:
        raise LoadError("nothing")
    refuse_too_much({file: len(data) for file, data in files.items()})
    uploads, errors = [], []
    for file, data in files.items():
        try:
            uploads.append(_recognise(file, data))
        except LoadError as error:
            errors.append(error)
    # A whole folder may be uploaded: what isn't the tokenizer does no harm as long as the tokenizer is among it.
    errors.sort(key=lambda error: error.why == "settings")
    try:
        chosen = _choose(uploads)
    except LoadError as error:
        raise errors[0] if errors and errors[0].why != "settings" else error from None
    if not chosen:
        raise errors[0]
    label = name or " + ".join(PurePath(upload.file).name for upload in chosen)
    if chosen[0].kind == "tokenizer":
        unused = [quoted(file) for file in files if file != chosen[0].file]
        message = N_("Not needed, and not read: {files}.")
        notes = [Phrase(message, files=", ".join(unused))] if unused else []
        return from_document(chosen[0].content, chosen[0].file, label, notes)
    if chosen[0].kind == "words":
        return _from_vocab_txt(chosen[0], label)
    if chosen[0].kind == "ranks":
        return _from_ranks(chosen[0], label, pattern)
    return _from_vocab_and_merges(chosen[0], chosen[1], label, pattern)


def refuse_too_much(sizes: Mapping[str, int]) -> None:
    """Raise LoadError for more than is read at once; `sizes` are the files' bytes by name."""
    if len(sizes) > FILES_LIMIT:
        raise LoadError("too_many_files", min(sizes), number=count(len(sizes) - 1), limit=count(FILES_LIMIT))
    if sum(sizes.values()) > TOKENIZER_LIMIT:
        largest = max(sizes, key=sizes.__getitem__)
        raise LoadError("too_large", largest, size=count(sum(sizes.values())), limit=count(TOKENIZER_LIMIT))


class Upload(NamedTuple):
    """A file that was recognised."""

    file: str
    kind: str
    """tokenizer (tokenizer.json), vocab (vocab.json), merges, words (vocab.txt), ranks (.tiktoken)."""
    content: Any
    """The document, or the file's text."""


def _choose(uploads: Sequence[Upload]) -> tuple[Upload, ...]:
    """The files that make the tokenizer. A tokenizer.json holds all there is, so what lies beside it is left alone."""
    kinds: dict[str, Upload] = {}
    for upload in uploads:
        if upload.kind in kinds:
            raise LoadError("several", kinds[upload.kind].file, other=quoted(upload.file))
        kinds[upload.kind] = upload
    if "tokenizer" in kinds:
        return (kinds["tokenizer"],)
    alone = [upload for upload in uploads if upload.kind in ("words", "ranks")]
    halves = [kinds[kind] for kind in ("vocab", "merges") if kind in kinds]
    # BERT's folder has a vocab.txt, GPT-2's a vocab.json and a merges.txt; none has both.
    if len(alone) > 1 or (alone and halves):
        first, other, *_more = [*alone, *halves]
        raise LoadError("several", first.file, other=quoted(other.file))
    if len(halves) == 1:
        raise LoadError("no_merges" if halves[0].kind == "vocab" else "no_vocab", halves[0].file)
    return tuple(alone or halves)


MAGIC: Final = (
    (b"PK\x03\x04", "archive"),
    (b"\x1f\x8b", "archive"),
    (b"BZh", "archive"),
    (b"\xfd7zXZ", "archive"),
    (b"7z\xbc\xaf", "archive"),
    (b"\x89PNG", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"\x80\x02", "pickle"),
    (b"\x80\x03", "pickle"),
    (b"\x80\x04", "pickle"),
    (b"\x80\x05", "pickle"),
)
"""How files begin that are none of ours."""
# A protobuf message whose first field is a message (a piece) whose first field is a string; a float comes next.
SENTENCEPIECE = re.compile(rb"\n[\x02-\x7f]\n[\x00-\x7f]", re.DOTALL)
RANK_LINE = re.compile(r"([A-Za-z0-9+/]+={0,2}) ([0-9]{1,10})")
SCORE_LINE = re.compile(r"[^\t\n]*\t-?[0-9.]+(?:e-?[0-9]+)?")


def _recognise(file: str, data: bytes) -> Upload:
    """What a file is: by its content, and by its name where that doesn't tell."""
    if not data.strip():
        raise LoadError("empty", file)
    for magic, kind in MAGIC:
        if data.startswith(magic):
            raise LoadError(kind, file)
    if SENTENCEPIECE.match(data) and data[4 + data[3] : 5 + data[3]] == b"\x15":
        raise LoadError("sentencepiece", file)
    if b"\x00" in data[:1000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise LoadError("binary", file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LoadError("not_utf8", file, position=error.start) from None
    if not text.strip():
        raise LoadError("empty", file)
    suffix = PurePath(file).suffix.lower()
    start = text.lstrip()
    if suffix == ".json" or start.startswith("{"):
        try:
            return _recognise_json(file, _parsed(file, text))
        except LoadError as error:
            # Braces are tokens too, and stand at the beginning of some lists.
            if suffix == ".json" or error.why != "not_json":
                raise
    elif start.startswith("[") and isinstance(_json_or_none(text), list):
        raise LoadError("list", file)
    return Upload(file, _kind_of_text(file, text), text)


def _parsed(file: str, text: str) -> Any:
    def constant(name: str) -> None:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=constant)
    except RecursionError:
        raise LoadError("nested", file) from None
    except ValueError as error:
        raise LoadError("not_json", file, message=quoted(str(error), MESSAGE_CHARACTERS)) from None


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


SETTINGS: Final = (
    ("tokenizer_class", "tokenizer_config.json"),
    ("added_tokens_decoder", "tokenizer_config.json"),
    ("model_max_length", "tokenizer_config.json"),
    ("architectures", "config.json"),
    ("model_type", "config.json"),
    ("hidden_size", "config.json"),
    ("max_new_tokens", "generation_config.json"),
    ("transformers_version", "generation_config.json"),
    ("bos_token", "special_tokens_map.json"),
    ("unk_token", "special_tokens_map.json"),
    ("mask_token", "special_tokens_map.json"),
)
"""A key that gives away which of a tokenizer's neighbours a file is."""


def _recognise_json(file: str, content: Any) -> Upload:
    if isinstance(content, list):
        raise LoadError("list", file)
    if not isinstance(content, dict):
        raise LoadError("other_json", file, key=quoted("model"))
    if isinstance(content.get("model"), dict):
        return Upload(file, "tokenizer", content)
    if {"algorithm", "steps", "words"} <= content.keys():
        raise LoadError("record", file)
    if content and all(type(value) in (int, float) for value in content.values()):
        return Upload(file, "vocab", content)
    for key, looks in SETTINGS:
        if key in content:
            raise LoadError("settings", file, looks=looks)
    raise LoadError("other_json", file, key=quoted("model"))


def _kind_of_text(file: str, text: str) -> str:
    """Which of the three kinds of plain text a file is."""
    lines = [line for line in (line.rstrip("\r") for line in text.split("\n")) if line]
    name = PurePath(file).name.lower()
    if lines and lines[0].startswith("#version"):
        return "merges"
    if name.endswith(".tiktoken") or all(map(RANK_LINE.fullmatch, lines)):
        return "ranks"
    if all(map(SCORE_LINE.fullmatch, lines)):
        raise LoadError("spm_vocab", file)
    if "merges" in name or all(len(line.split(" ")) == 2 and line.strip() == line for line in lines):
        return "merges"
    if name.endswith((".txt", ".vocab")) and not any(" " in line.strip() for line in lines):
        return "words"
    raise LoadError("unknown", file)


# --- vocab.txt --------------------------------------------------------------------------------------------------------

UNKNOWN_TOKENS = ("[UNK]", "<unk>", "[unk]", "<UNK>", "<|unk|>")
"""What the unknown token is called, the first that a vocabulary has."""
SPECIAL_TOKEN = re.compile(
    r"\[[A-Z]{2,}\]|<\|[^|<>]+\|>|</?s>|<(?:unk|UNK|pad|mask|bos|eos|cls|sep)>|\[unk\]"
)
UNUSED_TOKEN = re.compile(r"\[unused\d+\]")
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What Rust takes for white space: Python's `strip` would take more."""


def _from_vocab_txt(upload: Upload, name: str) -> LoadedSubject:
    """A WordPiece tokenizer as BERT's: the file holds the vocabulary, the rest is what its authors' program does."""
    vocab: dict[str, int] = {}
    for identifier, line in enumerate(upload.content.removesuffix("\n").split("\n")):
        vocab[line.rstrip(WHITE_SPACE)] = identifier
    unknown = next((token for token in UNKNOWN_TOKENS if token in vocab), None)
    if unknown is None:
        raise LoadError("no_unknown", upload.file)
    special = [(token, vocab[token]) for token in vocab if SPECIAL_TOKEN.fullmatch(token)]
    ordinary = [
        token for token in vocab if not SPECIAL_TOKEN.fullmatch(token) and not UNUSED_TOKEN.fullmatch(token)
    ]
    cased = any(token.lower() != token for token in ordinary)
    notes = [
        N_(
            "Taken for a WordPiece vocabulary as BERT's: text is cleaned and split at white space and punctuation."
        ),
        N_("Some tokens have capitals, so text keeps its case and its accents.")
        if cased
        else N_("No token has capitals, so text is written in small letters, without accents."),
    ]
    if not any(token.startswith("##") for token in ordinary):
        notes.append(N_("No token begins with ##, so a word is known whole or not at all."))
    template = None
    if "[CLS]" in vocab and "[SEP]" in vocab:
        template = {
            "type": "BertProcessing",
            "sep": ["[SEP]", vocab["[SEP]"]],
            "cls": ["[CLS]", vocab["[CLS]"]],
        }
    document = new_document(
        {
            "type": "WordPiece",
            "unk_token": unknown,
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
        special,
        normalizer={
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": not cased,
        },
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=template,
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    )
    return from_document(document, upload.file, name, notes)


# --- vocab.json and merges.txt ----------------------------------------------------------------------------------------

END_MARK = "\U0010ffff"
"""Written for `</w>` where that is a symbol of its own: the library's symbols are single characters. (No text has it:
it is no character.)"""


def _from_vocab_and_merges(vocab: Upload, merges: Upload, name: str, pattern: str | None) -> LoadedSubject:
    """A BPE tokenizer whose files don't say how text becomes words: its tokens give that away."""
    ids: dict[str, int] = vocab.content
    check_ids(ids, vocab.file)
    known = ids.keys()
    pairs = _pairs_over_lines(merges, known) if any("\n" in token for token in ids) else _pairs(merges)
    for pair in pairs:
        for token in (*pair, "".join(pair)):
            if token not in known:
                raise LoadError("merge_unknown", merges.file, token=quoted(token))
    made = {first + second for first, second in pairs}
    unknown = next((token for token in UNKNOWN_TOKENS if token in ids), None)
    # The end of a word is a symbol of its own in the first programs for BPE, and part of the last character in later ones.
    joined = any(len(token) == 5 and token.endswith(END_OF_WORD) and token not in made for token in ids)
    apart = END_OF_WORD in ids and not joined
    symbols = {token for token in ids if len(token.removesuffix(END_OF_WORD)) == 1 or token == END_OF_WORD}
    # A token that nothing makes has to be found in the text as it is.
    special = [(token, ids[token]) for token in ids if token and token not in made and token not in symbols]
    ordinary = made | symbols
    words = _words(ordinary, pattern)
    respelled = ("", "")
    if words.end and apart:
        respelled = (END_MARK, END_OF_WORD)
        ids = {token.replace(END_OF_WORD, END_MARK): identifier for token, identifier in ids.items()}
        pairs = [
            (first.replace(END_OF_WORD, END_MARK), second.replace(END_OF_WORD, END_MARK))
            for first, second in pairs
        ]
    document = new_document(
        {
            "type": "BPE",
            "dropout": None,
            "unk_token": unknown,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None if respelled[0] else words.end,
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": ids,
            "merges": [list(pair) for pair in pairs],
        },
        special,
        normalizer=MARK_ENDS if respelled[0] else None,
        pre_tokenizer=words.pre_tokenizer,
        decoder=words.decoder,
    )
    return from_document(document, vocab.file, name, [words.note], respelled=respelled)


def _pairs(merges: Upload) -> list[tuple[str, str]]:
    lines = merges.content.removesuffix("\n").split("\n")
    if all(line.endswith("\r") for line in lines if line):  # a file from Windows, and no token ends in U+000D
        lines = [line.removesuffix("\r") for line in lines]
    pairs = []
    for line_number, line in enumerate(lines, start=1):
        if not line or (line_number == 1 and line.startswith("#version")):
            continue
        first, space, second = line.partition(" ")
        if not (first and space and second) or " " in second:
            raise LoadError("merge_line", merges.file, line_number=line_number, line=quoted(line))
        pairs.append((first, second))
    return pairs


def _pairs_over_lines(merges: Upload, known: Collection[str]) -> list[tuple[str, str]]:
    """The merges of a vocabulary whose tokens hold ends of lines, which stand in the file as they are.

    A merge ends at an end of line where the two tokens and what they make are known, and where the rest can be read too: so
    this is read from the end.
    """
    text = merges.content
    text = text if text.endswith("\n") else f"{text}\n"
    start = text.index("\n") + 1 if text.startswith("#version") else 0
    longest = max(map(len, known))
    read: dict[int, tuple[str, str, int]] = {len(text): ("", "", 0)}
    for begin in range(len(text) - 1, start - 1, -1):
        if begin != start and text[begin - 1] != "\n":
            continue
        space = text.find(" ", begin + 1, begin + longest + 1)
        first = text[begin:space]
        end = text.find("\n", space + 2) if space > 0 and first in known else -1
        while 0 < end <= space + longest + 1:
            second = text[space + 1 : end]
            if end + 1 in read and second in known and first + second in known:
                read[begin] = first, second, end + 1
                break
            end = text.find("\n", end + 1)
    if start not in read:
        return _pairs(merges)  # which says where it is wrong
    pairs = []
    while start < len(text):
        first, second, start = read[start]
        pairs.append((first, second))
    return pairs


class Words(NamedTuple):
    """How text becomes words, and how one knows."""

    note: str
    pre_tokenizer: Document
    decoder: Document | None = None
    end: str | None = None


# Between a character and white space or the end: the place, which is empty, becomes the mark.
MARK_ENDS: Final[Document] = {
    "type": "Replace",
    "pattern": {"Regex": r"(?<=\S)(?=\s|\z)"},
    "content": END_MARK,
}


def _words(tokens: Collection[str], pattern: str | None) -> Words:
    """What the tokens give away. `tokens` are those of the model, without the special ones."""
    has_end = any(token.endswith(END_OF_WORD) for token in tokens)
    characters = set().union(*(token.removesuffix(END_OF_WORD) for token in tokens))
    single = {token for token in tokens if len(token) == 1}
    space = BYTE_TO_SYMBOL[ord(" ")]
    all_bytes = set(BYTE_TO_SYMBOL) <= single
    if all_bytes or (space in characters and SYMBOL_TO_BYTE.keys() >= characters):
        return Words(
            N_(
                "The tokens are written in the byte alphabet, so text is cut into words as GPT-2 does, and then into bytes."
            )
            if pattern in (None, "gpt2")
            else N_(
                "The tokens are written in the byte alphabet, so text is cut into words by the pattern, and then into bytes."
            ),
            _cut_to_bytes(pattern or "gpt2"),
            BYTES_ONLY,
            END_OF_WORD if has_end else None,  # as in CLIP
        )
    if has_end:
        return Words(
            N_("Some tokens end in </w>, so text is split at white space, and every word ends in that."),
            {"type": "WhitespaceSplit"},
            {"type": "BPEDecoder", "suffix": END_OF_WORD},
            END_OF_WORD,
        )
    if any(SPACE_MARK in token[1:].lstrip(SPACE_MARK) for token in tokens):
        return Words(
            N_(
                "Some tokens have ▁ inside, so text isn't split but at the ends of lines, and spaces are written ▁."
            ),
            in_sequence(
                {"type": "Split", "pattern": {"String": "\n"}, "behavior": "Removed", "invert": False},
                {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": "never", "split": False},
            ),
            {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": "never", "split": False},
        )
    if SPACE_MARK in characters:
        metaspace = {
            "type": "Metaspace",
            "replacement": SPACE_MARK,
            "prepend_scheme": "always",
            "split": True,
        }
        return Words(
            N_("Some tokens begin with ▁, so spaces are written so, and text is split before each."),
            metaspace,
            metaspace,
        )
    return Words(
        N_("No token tells how words begin or end, so text is split at white space."),
        {"type": "WhitespaceSplit"},
    )


def _cut_to_bytes(pattern: str) -> Document:
    """Words by a pattern, as bytes. tiktoken leaves out what the pattern doesn't match, and so does this."""
    regex = PATTERNS.get(pattern) or _in_onigurumas_words(pattern)
    return in_sequence(
        {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Removed", "invert": True}, BYTES_ONLY
    )


PATTERN_ITEM = re.compile(
    r"""(?P<atom>\\[pP]\{[^}]*\}|\\.|\[(?:\\.|\[:\w+:\]|[^\]\\])+\]|[^\\()\[\]{}|+*?^$])
        (?P<range>\{\d+(?:,\d*)?\}|\{,\d+\})\+
      |(?P<other>\\.|\[(?:\\.|\[:\w+:\]|[^\]\\])+\]|.)""",
    re.VERBOSE | re.DOTALL,
)


def _in_onigurumas_words(pattern: str) -> str:
    r"""A regular expression as tiktoken writes it, for the library's Oniguruma, which reads three things differently.

    There `{1,3}+` repeats, and `^` and `$` stand at every line.

    >>> _in_onigurumas_words(r"\p{N}{1,3}+|\s++$|[$^]{2}|\$")
    '(?>\\p{N}{1,3})|\\s++\\z|[$^]{2}|\\$'
    """
    anchors = {"^": r"\A", "$": r"\z"}
    return PATTERN_ITEM.sub(
        lambda item: (
            f"(?>{item['atom']}{item['range']})"
            if item["range"]
            else anchors.get(item["other"], item["other"])
        ),
        pattern,
    )


# --- .tiktoken --------------------------------------------------------------------------------------------------------

PATTERN_BY_SIZE: Final = (
    (range(50_000, 50_400), "gpt2"),
    (range(100_000, 100_400), "cl100k_base"),
    (range(199_000, 201_100), "o200k_base"),
)
"""OpenAI's vocabularies by the number of their tokens."""


def _from_ranks(upload: Upload, name: str, pattern: str | None) -> LoadedSubject:
    """A byte-level BPE tokenizer from tokens and their ranks, which say by themselves what may be merged, and when."""
    ranks = _ranks(upload)
    if len(ranks) > TOKEN_LIMIT:
        raise LoadError("too_many_tokens", upload.file, number=count(len(ranks)), limit=count(TOKEN_LIMIT))
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        raise LoadError("no_byte", upload.file, byte=f"0x{missing:02X}")
    notes = [N_("The file has no special tokens such as <|endoftext|>: they are plain text here.")]
    if pattern is None:
        pattern = next((known for sizes, known in PATTERN_BY_SIZE if len(ranks) in sizes), "cl100k_base")
        message = N_(
            "The file doesn't say how text is cut into words; with {number} tokens it is taken to be {pattern}."
        )
        notes.insert(0, Phrase(message, number=count(len(ranks)), pattern=pattern))
    vocab = {bytes_to_symbols(token): rank for token, rank in ranks.items()}
    check_ids(vocab, upload.file)
    document = new_document(
        {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            # A word that is a token is that token, whether merging would get there or not.
            "ignore_merges": True,
            "vocab": vocab,
            "merges": [
                [bytes_to_symbols(first), bytes_to_symbols(second)] for first, second in all_splits(ranks)
            ],
        },
        pre_tokenizer=_cut_to_bytes(pattern),
        decoder=BYTES_ONLY,
    )
    return from_document(document, upload.file, name, notes, merges=_learned(ranks))


def _ranks(upload: Upload) -> dict[bytes, int]:
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for line_number, line in enumerate(upload.content.split("\n"), start=1):
        if not line.strip():
            continue
        found = RANK_LINE.fullmatch(line.strip())
        try:
            token = base64.b64decode(found[1], validate=True) if found else b""
        except binascii.Error:
            token = b""
        if not found or not token:
            raise LoadError("rank_line", upload.file, line_number=line_number, line=quoted(line))
        rank = int(found[2])
        if token in ranks or rank in seen:
            raise LoadError("rank_twice", upload.file, line_number=line_number, line=quoted(line))
        ranks[token] = rank
        seen.add(rank)
    return ranks


def all_splits(ranks: Mapping[bytes, int]) -> Iterator[tuple[bytes, bytes]]:
    """Every way to make a token out of two, by the token's rank.

    tiktoken merges any two neighbours that make a token, the lowest rank first and then the leftmost. The order of one
    token's splits would matter only where two of them compete for the same bytes, and no vocabulary leads there: the tests
    look for one.

    >>> list(all_splits({b"a": 0, b"b": 1, b"ab": 2, b"bb": 3, b"abb": 4}))
    [(b'a', b'b'), (b'b', b'b'), (b'a', b'bb'), (b'ab', b'b')]
    """
    for token in sorted(ranks, key=ranks.__getitem__):
        for place in range(1, len(token)):
            if token[:place] in ranks and token[place:] in ranks:
                yield token[:place], token[place:]


def _learned(ranks: Mapping[bytes, int]) -> Merges:
    """How each token was made: the two that merging its bytes comes down to with the tokens before it."""
    firsts, seconds, rank = array("I"), array("I"), dict[int, int]()
    for token in sorted(ranks, key=ranks.__getitem__):
        if len(token) < 2:
            continue
        parts = _merged_below(token, ranks)
        if len(parts) == 2:
            rank[ranks[token]] = len(firsts)
            firsts.append(ranks[parts[0]])
            seconds.append(ranks[parts[1]])
    return Merges(firsts, seconds, rank)


def _merged_below(token: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """The bytes of a token, merged with the tokens of lower rank only."""
    own = ranks[token]
    parts = [token[place : place + 1] for place in range(len(token))]
    while len(parts) > 2:
        lowest, place = min(
            (ranks.get(parts[place] + parts[place + 1], own), place) for place in range(len(parts) - 1)
        )
        if lowest >= own:
            break
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts
