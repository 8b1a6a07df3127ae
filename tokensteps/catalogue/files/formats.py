"""Tokenizers from files: any upload, recognized by its content, or an error with the remedy.

Every kind of file becomes one plain-data document in the `tokenizers` library's own format (`documents.py`).
From there all go the same way: `loaded.py` checks the document and hands it to the library.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType

from tokenizers_core.errors import Phrase, quoted, quoted_pattern
from tokensteps.catalogue.chat.templates import SUFFIX, is_chat_file
from tokensteps.catalogue.files.errors import MESSAGE_CHARACTERS, LoadError
from tokensteps.catalogue.files.loaded import LoadedSubject, from_document
from tokensteps.catalogue.files.minbpe import from_minbpe
from tokensteps.catalogue.files.ranks import from_ranks
from tokensteps.catalogue.files.recognition import chosen_files, recognize
from tokensteps.catalogue.files.sentencepiece import from_sentencepiece
from tokensteps.catalogue.files.tekken import from_tekken
from tokensteps.catalogue.files.vocab_and_merges import from_vocab_and_merges
from tokensteps.catalogue.files.vocab_txt import from_vocab_txt
from tokensteps.catalogue.files.words import fault_of
from tokensteps.language.i18n import N_, count
from tokensteps.limits import FILES_LIMIT, TOKENIZER_LIMIT


def load(
    files: Mapping[str, bytes],
    name: str = "",
    pattern: str | None = None,
    special: Mapping[str, int | None] = MappingProxyType({}),
) -> LoadedSubject:
    """The tokenizer in `files`, name → contents. Raises LoadError.

    `pattern` splits text into words if the files don't say how, as in a .tiktoken file and a byte-level
    vocab.json: a name in `tokenizers_core.text.patterns.PATTERNS`, or a regular expression in tiktoken's
    form. `special` are special tokens missing from such files, each with its id, or None for the next one.

    >>> files = {"vocab.json": b'{"h": 0, "u": 1, "g": 2, "ug": 3, "<unk>": 4}', "merges.txt": b"u g"}
    >>> subject = load(files)
    >>> [subject.token(identifier) for identifier in subject.encode("hug").ids], subject.facts(3).parts
    (['h', 'ug'], ('u', 'g'))
    """
    if not files:
        raise LoadError("nothing")
    refuse_too_much({file: len(data) for file, data in files.items()})
    uploads, errors = [], []
    own = {file: data for file, data in files.items() if not is_chat_file(file)}
    if not own and all(file.endswith(SUFFIX) for file in files):
        raise LoadError("unknown", next(iter(files)))
    for file, data in (own or files).items():  # files about chats are read for a chat
        if file.endswith(SUFFIX):
            continue
        try:
            uploads.append(recognize(file, data))
        except LoadError as error:
            errors.append(error)
    # A whole folder may be uploaded: other files do no harm as long as the tokenizer is among them.
    errors.sort(key=lambda error: error.why == "settings")
    try:
        chosen = chosen_files(uploads)
    except LoadError as error:
        raise errors[0] if errors and errors[0].why != "settings" else error from None
    if not chosen:
        raise errors[0]
    label = name or " + ".join(PurePath(upload.file).name for upload in chosen)
    if chosen[0].kind == "tokenizer":
        unused = [quoted(file) for file in own if file != chosen[0].file]
        message = N_("Not needed, so not read: {files}.")
        notes = [Phrase(message, files=", ".join(unused))] if unused else []
        return from_document(chosen[0].content, chosen[0].file, label, notes)
    if chosen[0].kind == "words":
        return from_vocab_txt(chosen[0], label)
    if chosen[0].kind == "tekken":
        return from_tekken(chosen[0], label)
    if chosen[0].kind == "pieces":
        return from_sentencepiece(chosen[0], label)
    try:
        if chosen[0].kind == "ranks":
            return from_ranks(chosen[0], label, pattern, special)
        if chosen[0].kind == "minbpe":
            return from_minbpe(chosen[0], label, pattern, special)
        return from_vocab_and_merges(chosen[0], chosen[1], label, pattern, special)
    except LoadError as error:
        if not pattern or error.why != "library" or not (message := fault_of(pattern)):
            raise
        evidence = {"pattern": quoted_pattern(pattern), "message": quoted(message, MESSAGE_CHARACTERS)}
        raise LoadError("pattern", chosen[0].file, **evidence) from None


def refuse_too_much(sizes: Mapping[str, int]) -> None:
    """Raise LoadError for more than is read at once; `sizes` are bytes by file name."""
    if len(sizes) > FILES_LIMIT:
        raise LoadError("too_many_files", min(sizes), number=count(len(sizes) - 1), limit=count(FILES_LIMIT))
    if sum(sizes.values()) > TOKENIZER_LIMIT:
        largest = max(sizes, key=sizes.__getitem__)
        raise LoadError("too_large", largest, size=count(sum(sizes.values())), limit=count(TOKENIZER_LIMIT))
