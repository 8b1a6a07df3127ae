"""GPT-2's tokenizer, part of the app: a real model's vocabulary, from the first second and without a network.

Unlike files from elsewhere it needs no process of its own: the file is known, its pattern takes time in
proportion to the text, and the library lets other threads work while it encodes. It is read on first use, in
the thread of that job.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokensteps.assets import read_asset
from tokensteps.catalogue.files.documents import BYTES_ONLY, bpe_model, new_document
from tokensteps.catalogue.files.loaded import LoadedSubject, from_document
from tokensteps.catalogue.files.words import words_as_bytes
from tokensteps.server.process_singleton import process_singleton

REPOSITORY: Final = "openai-community/gpt2"
"""Its name on the model hub, also used in links."""
TITLE: Final = "GPT-2"
END_OF_TEXT: Final = "<|endoftext|>"
MERGES: Final = "vocabularies/gpt2/merges.txt"


@process_singleton
def gpt2() -> LoadedSubject:
    """The tokenizer; reading it takes half a second, once."""
    merges = [line.split(" ") for line in read_asset(MERGES).splitlines()]
    vocab = {token: identifier for identifier, token in enumerate(_tokens(merges))}
    model = bpe_model(vocab, merges)
    document = new_document(
        model,
        [(END_OF_TEXT, vocab[END_OF_TEXT])],
        pre_tokenizer=words_as_bytes("gpt2"),
        decoder=BYTES_ONLY,
    )
    return from_document(document, MERGES, TITLE)


def _tokens(merges: list[list[str]]) -> Iterator[str]:
    """The tokens by id, as given by the merges: first the bytes, printable ones in front."""
    yield from sorted(BYTE_TO_SYMBOL)
    for first, second in merges:
        yield first + second
    yield END_OF_TEXT
