"""tokenizer.json: one file with everything about a tokenizer, in the format of the `tokenizers` library.

A tokenizer saved here gives the same ids and offsets there, and the same text when it decodes. These are the
exceptions:

* A composed character (normalizers nfc and nfkc) has the offsets of its first part there, and of all its
  parts here. The replacement of several characters by a Replace or a compiled map has the offsets of all of
  them here, and of one of them there.
* An added token found in the normalized text is decoded in its normalized form there, and as it was added
  here.
* `</w>` as a symbol of its own is written as the character U+10FFFF, put at the ends of words by a
  normalizer. As a token by itself it has the offsets of the word's last character there, and the place after
  it here; a decoder other than BPE's shows it as it is written.
* For the library's Unigram a text that spells a byte token (`<0x41>`, with byte_fallback) is that token, and
  the same goes for a special token spelled only after normalizing. Of two splits, equally good except for
  rounding, it may choose the other.
* With byte_fallback, unknown characters in a row all have the place of the row there; and the bytes of a cut
  character are as many U+FFFD as there are.
* Characters newer than one side's tables of Unicode (see `text/normalizers.py`).
* In BPE without an unknown token, the offsets after a left-out character: the library counts as if it weren't
  there.
* The differences in windows (see `encoding.py`) and special tokens (see `decoders.py`).

A tokenizer read back is the same in every respect. Some parts may have another name: `end_of_word` without
the symbol is `whitespace_split`, ("nfd", "strip_accents") is "nfd_strip_accents", and in a pattern `{1,3}+`
is an atomic group.

Parts beyond the format are an UnsavableError: a suffix as a symbol that isn't `</w>`, beside a prefix, or
after words not separated by white space; a pattern that `oniguruma.py` can't translate; a model or
decoder from outside the engine.

Source: the format is the library's, as its serializers write it; older ways of writing the same are read too.
"""

from __future__ import annotations

import json
from typing import Any

from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.templates import Template
from tokenizers_core.encoding.tokenizer import Tokenizer, refuse_no_tokenizer
from tokenizers_core.errors import (
    TEXT_WANTED,
    LackingPartError,
    TokenizerFileError,
    refuse_wrong_type,
)
from tokenizers_core.files import models, reader
from tokenizers_core.files.json_objects import read
from tokenizers_core.files.writer import Document, to_document
from tokenizers_core.text.normalizers import Normalizer
from tokenizers_core.text.pipeline import Pipeline

__all__ = [
    "Document",
    "algorithm_of",
    "from_document",
    "model_of",
    "normalizer_of",
    "pipeline_of",
    "special_tokens_of",
    "template_of",
    "to_document",
    "tokenizer_from_bytes",
    "tokenizer_from_json",
    "tokenizer_to_json",
]


def tokenizer_to_json(tokenizer: Tokenizer) -> str:
    """The text of a tokenizer.json. Raises UnsavableError.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> ours = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2).tokenizer()
    >>> tokenizer_from_json(tokenizer_to_json(ours)).encode("not to be").tokens
    ['n', 'o', 't', 'Ġ', 'to', 'Ġb', 'e']
    """
    refuse_no_tokenizer(tokenizer)
    return json.dumps(to_document(tokenizer), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def tokenizer_from_json(text: str) -> Tokenizer:
    """The tokenizer of a tokenizer.json. Raises the errors of `parse_json` and `from_document`."""
    return from_document(parse_json(text))


def tokenizer_from_bytes(data: bytes) -> Tokenizer:
    """The same for a file's bytes, in UTF-8."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TokenizerFileError("not_utf8", value=error.start) from None
    return tokenizer_from_json(text)


def parse_json(text: str) -> Any:
    """The plain data of a file. Raises TokenizerFileError: for invalid JSON, and for NaN and infinities.

    >>> parse_json('{"model": NaN}')
    Traceback (most recent call last):
    tokenizers_core.errors.TokenizerFileError: The file is not JSON: NaN is no number; save the tokenizer again, or download the file again.
    """  # noqa: W505

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is no number")

    refuse_wrong_type("text", text, str, TEXT_WANTED)
    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise TokenizerFileError("nested") from None
    except ValueError as error:
        raise TokenizerFileError("not_json", value=str(error)) from None


def from_document(document: object) -> Tokenizer:
    """The tokenizer of a tokenizer.json's content.

    Raises TokenizerFileError for faults, LackingPartError for everything unsupported, and the errors of
    making a Pipeline, Template, Truncation, Padding or Tokenizer.
    """
    tokenizer = read(document, reader.tokenizer)
    if tokenizer is None:  # and yet nothing was named
        raise LackingPartError(["its model"])
    return tokenizer


def model_of(document: object, marked: bool = False) -> Model:
    """A tokenizer.json's model alone, for words from another program's normalizer and pre-tokenizer.

    So it is available for files with other parts unsupported here. `marked`: U+10FFFF in its tokens means
    `</w>`. Raises TokenizerFileError, and LackingPartError for an unsupported model.

    >>> vocab = {"<s>": 9, "h": 4, "u": 5, "hu": 7}
    >>> model_of(
    ...     {
    ...         "model": {"type": "BPE", "vocab": vocab, "merges": ["h u"]},
    ...         "normalizer": {"type": "Precompiled"},
    ...     }
    ... ).why_not("hu", ("h", "u"))
    MergedAcross(made=RankedPair(first='h', second='u', rank=0), wanted=None, position=1)
    """
    model = read(document, lambda file, lacking: models.model_alone(file, lacking, marked))
    if model is None:  # and yet nothing was named
        raise LackingPartError(["its model"])
    return model


# --- Parts for training another tokenizer -------------------------------------------------------------------


def pipeline_of(document: object) -> Pipeline:
    """A tokenizer.json's way from text to words, for one's own corpus. Raises the errors of `from_document`
    about it.

    >>> pipeline_of(
    ...     {"model": {}, "pre_tokenizer": {"type": "BertPreTokenizer"}, "normalizer": {"type": "NFC"}}
    ... )
    Pipeline(normalizer='nfc', pre_tokenizer='bert', pattern='gpt2', timeout=2.0, cuts=(), user_defined_symbols=())
    """  # noqa: W505
    return read(document, reader.training_pipeline)


def normalizer_of(document: object) -> Normalizer:
    """A tokenizer.json's normalizer: it traces each character for the model back to its source. Raises the
    errors of `from_document` about it.

    >>> normalizer_of({"model": {}, "normalizer": {"type": "Prepend", "prepend": "▁"}})
    (Prepend(front='▁'),)
    """
    return read(document, lambda file, lacking: reader.normalizer_and_mark(file, lacking)[0])


def algorithm_of(document: object) -> str:
    """bpe, wordpiece or unigram. Raises LackingPartError for another.

    >>> algorithm_of({"model": {"type": "WordLevel"}})
    Traceback (most recent call last):
    tokenizers_core.errors.LackingPartError: tokenizer.json uses parts that TokenSteps lacks: model WordLevel.
    Load it with the tokenizers library, or choose another tokenizer.
    """
    return read(document, models.algorithm)


def special_tokens_of(document: object) -> tuple[str, ...]:
    """The special tokens by id. Raises LackingPartError for tokens with unsupported options."""
    return read(document, models.special_tokens)


def template_of(document: object) -> Template | None:
    """The template around a text; None for none. Raises LackingPartError, TemplateError."""
    return read(document, reader.template)
