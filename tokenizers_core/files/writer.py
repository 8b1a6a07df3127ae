"""From a tokenizer to a tokenizer.json's document: see `tokenizer_json.py`."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tokenizers_core.encoding.decoders import (
    BpeDecoder,
    ByteLevelDecoder,
    BytesToText,
    ComposedDecoder,
    Decoder,
    Fuse,
    MetaspaceDecoder,
    ReplaceInTokens,
    SpaceDecoder,
    StripTokens,
    WordPieceDecoder,
)
from tokenizers_core.encoding.encoding import Trimming
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.encoding.templates import Template, TemplatePiece
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.encoding.truncation import Padding, Truncation
from tokenizers_core.errors import Phrase, UnsavableError
from tokenizers_core.files.json_objects import VERSION
from tokenizers_core.files.oniguruma import to_oniguruma
from tokenizers_core.text.cutting import Bytes, CutAt, Cutter, Known, Marked, Scripts
from tokenizers_core.text.normalizers import Normalizer
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.rewriting import Nmt, Precompiled, Prepend, Replace, Strip
from tokenizers_core.text.splitting import BEHIND, END_OF_WORD, SPACE_MARK
from tokenizers_core.training.kinds.pickybpe import PickyModel

Document = dict[str, Any]
"""A JSON object."""

END_MARK: Final = "\U0010ffff"
"""Written for `</w>` as a symbol of its own: the library's symbols are single characters. (It is no
character, so no text should have it.)"""

MARK_ENDS: Final[Document] = {
    "type": "Replace",
    "pattern": {"Regex": r"(?<=\S)(?=\s|\z)"},
    "content": END_MARK,
}
"""Puts the mark between a character and white space or the end of the text."""


def bert_normalizer(lowercase: bool) -> Document:
    """BERT's normalizer; without `lowercase` accents are kept too."""
    return {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": lowercase,
    }


MARK_SPACES_BEHIND: Final[Document] = MARK_ENDS | {
    "pattern": {"Regex": rf"(?<=[^\s{SPACE_MARK}])(?=\s|\z)"},
    "content": SPACE_MARK,
}
"""Puts ▁ behind each word. (The library's Metaspace puts it in front alone.)"""

NORMALIZER_PARTS: Final[Mapping[str, Sequence[Document]]] = {
    "none": [],
    "nfc": [{"type": "NFC"}],
    "nfd": [{"type": "NFD"}],
    "nfkc": [{"type": "NFKC"}],
    "nfkd": [{"type": "NFKD"}],
    "lowercase": [{"type": "Lowercase"}],
    "strip_accents": [{"type": "StripAccents"}],
    "nfd_strip_accents": [{"type": "NFD"}, {"type": "StripAccents"}],
    "nfd_lowercase_strip_accents": [{"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}],
    "bert_cased": [bert_normalizer(False)],
    "bert_uncased": [bert_normalizer(True)],
}
"""The library's parts for each of our normalizers."""


def byte_level(use_regex: bool) -> Document:
    """The library's byte level: the byte alphabet, and with `use_regex` GPT-2's way to cut."""
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": use_regex}


def metaspace(prepend_scheme: str, split: bool) -> Document:
    """The library's Metaspace (its decoder has the same name)."""
    return {
        "type": "Metaspace",
        "replacement": SPACE_MARK,
        "prepend_scheme": prepend_scheme,
        "split": split,
    }


_AT_WHITESPACE: Final[Document] = {"type": "WhitespaceSplit"}

PRE_TOKENIZER_PARTS: Final[Mapping[str, Sequence[Document]]] = {
    "whitespace_split": [_AT_WHITESPACE],
    "whitespace": [{"type": "Whitespace"}],
    "bert": [{"type": "BertPreTokenizer"}],
    "metaspace": [metaspace("always", True)],
    "whitespace_split_metaspace": [_AT_WHITESPACE, metaspace("always", True)],
    BEHIND: [
        _AT_WHITESPACE,
        {
            "type": "Split",
            "pattern": {"String": SPACE_MARK},
            "behavior": "MergedWithPrevious",
            "invert": False,
        },
    ],
    "whitespace_split_punctuation": [_AT_WHITESPACE, {"type": "Punctuation", "behavior": "Isolated"}],
    "end_of_word": [_AT_WHITESPACE],
    "none": [
        {"type": "Split", "pattern": {"String": "\n"}, "behavior": "Removed", "invert": False},
        metaspace("never", False),
    ],
}
"""The same for the pre-tokenizers; byte level comes with a pattern."""

JOINED_BY_SPACES: Final[Document] = {"type": "WordPiece", "prefix": END_MARK, "cleanup": False}
"""Inside a sequence of decoders, this joins tokens with spaces, as without a decoder: no token has that
prefix."""


def to_document(tokenizer: Tokenizer) -> Document:
    """The content of a tokenizer.json. Raises UnsavableError.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> document = to_document(train_bpe(Corpus.from_counts({"hug": 10}), merges=1).tokenizer())
    >>> document["model"]["vocab"], document["model"]["merges"], document["pre_tokenizer"]
    ({'g': 0, 'h': 1, 'u': 2, 'hu': 3, '[UNK]': 4}, [['h', 'u']], {'type': 'WhitespaceSplit'})
    """
    model = tokenizer.model
    marked = isinstance(model, BpeModel) and bool(model.suffix) and not model.options.suffix_joined
    pipeline = tokenizer.pipeline
    if marked and (
        pipeline.pre_tokenizer not in ("end_of_word", "whitespace_split") or model.suffix != END_OF_WORD
    ):
        raise UnsavableError("suffix", suffix=model.suffix)
    for token in tokenizer.special_tokens:
        if token not in tokenizer.vocab:
            raise UnsavableError("not_special", token=token)
        if marked and token == END_OF_WORD:
            raise UnsavableError("spelled_suffix", token=token)
    normalizers = normalizer_parts(pipeline.normalizer) + ([MARK_ENDS] if marked else [])
    normalizers += [MARK_SPACES_BEHIND] if pipeline.marks_behind else []
    return {
        "version": VERSION,
        "truncation": truncation_document(tokenizer.truncation),
        "padding": padding_document(tokenizer.padding),
        "added_tokens": added_token_documents(tokenizer),
        "normalizer": in_sequence(normalizers, "normalizers"),
        "pre_tokenizer": in_sequence(pre_tokenizer_parts(pipeline), "pretokenizers"),
        "post_processor": in_sequence(
            [
                *trimming_parts(tokenizer.trimming),
                *filter(None, [template_document(tokenizer.template, tokenizer.vocab)]),
            ],
            "processors",
        ),
        "decoder": decoder_document(tokenizer.decoder, model, marked),
        "model": model_document(model, frozenset(tokenizer.special_tokens), marked),
    }


def special_token_documents(tokens: Iterable[tuple[str, int]]) -> list[Document]:
    """Special tokens with their ids as the format lists them, by id: found in the unchanged text, wherever
    they occur."""
    return [
        {
            "id": identifier,
            "content": token,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for token, identifier in sorted(tokens, key=lambda item: (item[1], item[0]))
    ]


def added_token_documents(tokenizer: Tokenizer) -> list[Document]:
    """All tokens found before the model, by id, each with its options."""
    vocab = tokenizer.vocab
    documents = special_token_documents(
        (token, vocab[token]) for token in dict.fromkeys(tokenizer.special_tokens)
    )
    results = {document["content"]: document for document in documents}
    for token in tokenizer.added:
        results[token.content] = {"id": vocab[token.content], **token._asdict()}
    return sorted(results.values(), key=lambda document: int(document["id"]))


def in_sequence(parts: Sequence[Document], name: str) -> Document | None:
    """Several parts as one, with the list under `name`; a single part unchanged; None for none.

    >>> in_sequence([{"type": "NFD"}, {"type": "Lowercase"}], "normalizers")
    {'type': 'Sequence', 'normalizers': [{'type': 'NFD'}, {'type': 'Lowercase'}]}
    """
    if len(parts) > 1:
        return {"type": "Sequence", name: list(parts)}
    return parts[0] if parts else None


# --- From text to words -------------------------------------------------------------------------------------


def normalizer_parts(normalizer: Normalizer) -> list[Document]:
    """The library's parts for a normalizer, or several in turn. Raises UnsavableError."""
    names = (normalizer,) if isinstance(normalizer, str) else normalizer
    return [
        part
        for name in names
        for part in (NORMALIZER_PARTS[name] if isinstance(name, str) else [rewriting_document(name)])
    ]


def rewriting_document(step: object) -> Document:
    """A rewriting that came from a file. Raises UnsavableError for one of SentencePiece's own."""
    match step:
        case Replace(pattern, content, literal):
            return {"type": "Replace", "pattern": pattern_document(pattern, literal), "content": content}
        case Prepend(front):
            return {"type": "Prepend", "prepend": front}
        case Strip(left, right):
            return {"type": "Strip", "strip_left": left, "strip_right": right}
        case Nmt():
            return {"type": "Nmt"}
        case Precompiled(charsmap):
            return {"type": "Precompiled", "precompiled_charsmap": b64encode(charsmap).decode("ascii")}
    raise UnsavableError("part", description=Phrase("a normalizer of type {kind}", kind=type(step).__name__))


def pattern_document(pattern: str, literal: bool) -> Document:
    """A plain text, or a regular expression as the library reads it. Raises UnsavableError."""
    if literal:
        return {"String": pattern}
    translation = to_oniguruma(pattern)
    if pattern not in PATTERNS.values() and translation.refused:
        raise UnsavableError("pattern", pattern=pattern, part=translation.refused)
    return {"Regex": translation.pattern or pattern}


def cutter_document(part: Cutter) -> Document:
    """A part of a file's pre-tokenizer. Raises UnsavableError."""
    match part:
        case CutAt(pattern, behavior, invert, literal):
            written = pattern_document(pattern, literal)
            return {"type": "Split", "pattern": written, "behavior": behavior, "invert": invert}
        case Scripts():
            return {"type": "UnicodeScripts"}
        case Known("Digits", behavior):
            return {"type": "Digits", "individual_digits": behavior == "Isolated"}
        case Known(kind, behavior):
            return {"type": kind} | ({"behavior": behavior} if behavior else {})
        case Marked(mark, "behind"):
            return cutter_document(CutAt(mark, "MergedWithPrevious", literal=True))
        case Marked(mark, scheme, split):
            return metaspace(scheme, split) | {"replacement": mark}
        case Bytes(add_prefix_space, use_regex):
            return byte_level(use_regex) | {"add_prefix_space": add_prefix_space}
    raise UnsavableError(
        "part", description=Phrase("a pre-tokenizer of type {kind}", kind=type(part).__name__)
    )


def pre_tokenizer_parts(pipeline: Pipeline) -> Sequence[Document]:
    """The library's parts for a pipeline's pre-tokenizer. Raises UnsavableError."""
    if isinstance(pipeline.pre_tokenizer, tuple) or pipeline.cuts:
        return [cutter_document(part) for part in pipeline.parts]
    if not pipeline.byte_level:
        return PRE_TOKENIZER_PARTS[pipeline.pre_tokenizer]
    if pipeline.pattern == "gpt2":
        return [byte_level(use_regex=True)]
    translation = to_oniguruma(PATTERNS.get(pipeline.pattern, pipeline.pattern))
    if translation.refused:
        raise UnsavableError("pattern", pattern=pipeline.pattern, part=translation.refused)
    split = {
        "type": "Split",
        "pattern": {"Regex": translation.pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    return [split, byte_level(use_regex=False)]


# --- Models -------------------------------------------------------------------------------------------------


def model_document(model: Model, special_tokens: frozenset[str], marked: bool) -> Document:
    """A model; `marked` says whether `</w>` is written as END_MARK. Raises UnsavableError."""
    if isinstance(model, PickyModel):
        raise UnsavableError("removals", file="tokenizer.json")
    if isinstance(model, BpeModel):
        return _bpe_document(model, special_tokens, marked)
    if isinstance(model, WordPieceModel):
        return {
            "type": "WordPiece",
            "unk_token": model.unk_token,
            "continuing_subword_prefix": model.vocabulary.prefix,
            "max_input_chars_per_word": model.max_characters,
            "vocab": dict(_ids_in_model(model)),
        }
    if isinstance(model, UnigramModel):
        return {
            "type": "Unigram",
            "unk_id": model.vocabulary.ids[model.unk_token],
            # The library sets nothing apart: a token without a piece gets a score that is never the least.
            "vocab": [
                [token, model.pieces.get(token, 0.0)]
                for token in model.vocabulary.tokens[: 1 + max(_ids_in_model(model).values())]
            ],
            "byte_fallback": model.byte_fallback,
        }
    raise UnsavableError("part", description=Phrase("a model of type {kind}", kind=type(model).__name__))


def _ids_in_model(model: Model) -> Mapping[str, int]:
    """The tokens in the model's part of a file: its own. Others are added tokens there, if the library, which
    counts on from the model's last one, gives them the same ids."""
    own = model.own_ids()
    others = sorted(model.vocabulary.ids[token] for token in model.vocabulary.ids.keys() - own.keys())
    return own if others == [*range(len(own), len(own) + len(others))] else model.vocabulary.ids


def _bpe_document(model: BpeModel, special_tokens: frozenset[str], marked: bool) -> Document:
    written = {
        token: token if token in special_tokens or not marked else token.replace(END_OF_WORD, END_MARK)
        for token in model.vocabulary.tokens
    }
    prefix = model.vocabulary.prefix
    merges = []
    if marked and prefix:  # the library would put it before the symbol at the end, too
        raise UnsavableError("prefix", token=model.suffix, prefix=prefix)
    for first, second in dict.fromkeys(model.merges):  # a pair learned twice has its first rank
        if not second.startswith(prefix):  # the library would cut off as many characters all the same
            raise UnsavableError("prefix", token=second, prefix=prefix)
        token = first + second.removeprefix(prefix)
        if written[token] != written[first] + written[second].removeprefix(prefix):
            raise UnsavableError("spelled_suffix", token=token)
        merges.append([written[first], written[second]])
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": model.unk_token or None,
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": model.suffix if model.suffix and not marked else None,
        "fuse_unk": model.options.fuse_unk,
        "byte_fallback": model.options.byte_fallback,
        "ignore_merges": model.options.ignore_merges,
        "vocab": {written[token]: identifier for token, identifier in _ids_in_model(model).items()},
        "merges": merges,
    }


# --- Around the text ----------------------------------------------------------------------------------------


def trimming_parts(trimming: Trimming | None) -> list[Document]:
    """The library's part for trimming offsets."""
    if trimming is None:
        return []
    return [byte_level(use_regex=True) | {"trim_offsets": True, "add_prefix_space": trimming.prefix_space}]


def template_document(template: Template | None, vocab: Mapping[str, int]) -> Document | None:
    """The library's part for a template.

    >>> template_document(Template("<s> $A", "<s> $A $B:1"), {"<s>": 7})["special_tokens"]
    {'<s>': {'id': '<s>', 'ids': [7], 'tokens': ['<s>']}}
    """
    if template is None:
        return None
    return {
        "type": "TemplateProcessing",
        "single": [_piece_document(piece) for piece in template.single_pieces],
        "pair": [_piece_document(piece) for piece in template.pair_pieces],
        "special_tokens": {
            token: {"id": token, "ids": [vocab[token]], "tokens": [token]}
            for token in sorted(template.special_tokens)
        },
    }


def _piece_document(piece: TemplatePiece) -> Document:
    if piece.token is not None:
        return {"SpecialToken": {"id": piece.token, "type_id": piece.type_id}}
    return {"Sequence": {"id": "B" if piece.sequence else "A", "type_id": piece.type_id}}


STRATEGY_NAMES: Final[Mapping[str, str]] = {
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
}
"""The library's names of truncation strategies."""


def truncation_document(truncation: Truncation | None) -> Document | None:
    """How encodings are cut."""
    if truncation is None:
        return None
    return {
        "direction": truncation.direction.capitalize(),
        "max_length": truncation.max_length,
        "strategy": STRATEGY_NAMES[truncation.strategy],
        "stride": truncation.stride,
    }


def padding_document(padding: Padding | None) -> Document | None:
    """How encodings are filled up."""
    if padding is None:
        return None
    return {
        "strategy": "BatchLongest" if padding.length is None else {"Fixed": padding.length},
        "direction": padding.direction.capitalize(),
        "pad_to_multiple_of": padding.multiple_of,
        "pad_id": padding.pad_id,
        "pad_type_id": padding.pad_type_id,
        "pad_token": padding.pad_token,
    }


def decoder_document(decoder: Decoder, model: Model, marked: bool) -> Document | None:
    """The library's decoder. Raises UnsavableError."""
    falls_back = (
        model.byte_fallback
        if isinstance(model, UnigramModel)
        else isinstance(model, BpeModel) and model.options.byte_fallback
    )
    own = _decoder_document(decoder, marked)
    if not falls_back or decoder.reads_byte_tokens:
        return own
    return in_sequence([{"type": "ByteFallback"}, own or JOINED_BY_SPACES], "decoders")


def composed_document(decoder: ComposedDecoder, marked: bool) -> Document | None:
    """A sequence of decoders, kept as a sequence even with a single part. Raises UnsavableError."""
    parts: list[Document] = []
    for step in decoder.steps:
        match step:
            case ReplaceInTokens(pattern):
                parts.append(rewriting_document(pattern))
            case BytesToText():
                parts.append({"type": "ByteFallback"})
            case Fuse():
                parts.append({"type": "Fuse"})
            case StripTokens(content, start, stop):
                parts.append({"type": "Strip", "content": content, "start": start, "stop": stop})
    if decoder.last and (last := _decoder_document(decoder.last, marked)):
        parts.append(last)
    return in_sequence(parts, "decoders")


def _decoder_document(decoder: Decoder, marked: bool) -> Document | None:
    """The decoder itself."""
    if isinstance(decoder, SpaceDecoder):
        return None
    if isinstance(decoder, ComposedDecoder):
        return composed_document(decoder, marked)
    if isinstance(decoder, ByteLevelDecoder):
        return byte_level(use_regex=True)
    if isinstance(decoder, WordPieceDecoder):
        return {"type": "WordPiece", "prefix": decoder.prefix, "cleanup": decoder.cleanup}
    if isinstance(decoder, MetaspaceDecoder):
        return {
            "type": "Metaspace",
            "replacement": decoder.replacement,
            "prepend_scheme": decoder.prepend_scheme,
            "split": True,
        }
    if isinstance(decoder, BpeDecoder):
        respell = marked and decoder.suffix == END_OF_WORD
        return {"type": "BPEDecoder", "suffix": END_MARK if respell else decoder.suffix}
    raise UnsavableError("part", description=Phrase("a decoder of type {kind}", kind=type(decoder).__name__))
