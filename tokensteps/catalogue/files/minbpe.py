"""minbpe's .model: the pattern, the special tokens, and the pairs in merge order, as ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tokenizers_core.errors import quoted
from tokenizers_core.text.byte_alphabet import bytes_to_symbols
from tokensteps.catalogue.files.documents import BYTES_ONLY, bpe_model, check_ids, check_lengths, new_document
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.loaded import LoadedSubject, from_document
from tokensteps.catalogue.files.ranks import numbered
from tokensteps.catalogue.files.recognition import RecognizedFile
from tokensteps.catalogue.files.words import words_as_bytes
from tokensteps.language.i18n import count
from tokensteps.language.numbers import read_whole
from tokensteps.limits import ADDED_LIMIT, LONG_TOKEN, TOKEN_LIMIT


def from_minbpe(
    upload: RecognizedFile, name: str, pattern: str | None, more: Mapping[str, int | None]
) -> LoadedSubject:
    """A byte-level BPE tokenizer: ids 0 to 255 are the bytes, then comes one for each pair. Raises
    LoadError."""
    lines = upload.content.rstrip("\n").split("\n")
    own = lines[1] if len(lines) > 1 else ""
    number = read_whole(lines[2]) if len(lines) > 2 else None
    if number is None or number > min(ADDED_LIMIT, len(lines) - 3):
        raise _wrong_line(upload, lines, 2)
    special: dict[str, int] = {}
    for index in range(3, 3 + number):
        token, _space, text = lines[index].rpartition(" ")
        identifier = read_whole(text)
        if not token or identifier is None:
            raise _wrong_line(upload, lines, index)
        special[token] = identifier
    tokens, merges = _merged(upload, lines, 3 + number)
    vocab = {bytes_to_symbols(token): identifier for identifier, token in enumerate(tokens)}
    if len(vocab) < len(tokens):
        [(token, _times)] = Counter(tokens).most_common(1)
        raise LoadError("minbpe_twice", upload.file, token=quoted(token.decode("utf-8", "backslashreplace")))
    special |= numbered(
        {token: value for token, value in more.items() if token not in special},
        [len(tokens) - 1, *special.values()],
    )
    check_ids(vocab | special, upload.file)
    chosen = pattern or own
    model = bpe_model(
        vocab | special,
        [[bytes_to_symbols(tokens[first]), bytes_to_symbols(tokens[second])] for first, second in merges],
    )
    document = new_document(
        model,
        special.items(),
        pre_tokenizer=words_as_bytes(chosen) if chosen else BYTES_ONLY,
        decoder=BYTES_ONLY,
    )
    subject = from_document(document, upload.file, name)
    subject.pattern = chosen
    return subject


def _merged(
    upload: RecognizedFile, lines: list[str], start: int
) -> tuple[list[bytes], list[tuple[int, int]]]:
    """The tokens by id, and the merged pairs behind all tokens after the bytes."""
    if len(lines) - start > TOKEN_LIMIT:
        raise LoadError(
            "too_many_tokens", upload.file, number=count(len(lines) - start), limit=count(TOKEN_LIMIT)
        )
    tokens = [bytes([byte]) for byte in range(256)]
    merges: list[tuple[int, int]] = []
    long: list[bytes] = []
    for index in range(start, len(lines)):
        parts = lines[index].split(" ")
        numbers = [one for one in map(read_whole, parts) if one is not None and one < len(tokens)]
        if not len(parts) == len(numbers) == 2:
            raise _wrong_line(upload, lines, index)
        first, second = numbers
        merges.append((first, second))
        tokens.append(tokens[first] + tokens[second])
        if len(tokens[-1]) > LONG_TOKEN:  # the next one may be twice as long
            long.append(tokens[-1])
            check_lengths(long, upload.file)
    return tokens, merges


def _wrong_line(upload: RecognizedFile, lines: list[str], index: int) -> LoadError:
    line = lines[index] if index < len(lines) else ""
    return LoadError("minbpe", upload.file, line_number=index + 1, line=quoted(line))
