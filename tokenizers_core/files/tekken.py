"""tekken.json: Mistral's tokenizers, byte-level BPE as tokens and their ranks, with the special tokens in
front.

Source: `mistral_common`'s Tekkenizer; it passes the ranks to tiktoken, without tokens beyond the model's
vocabulary.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

from tokenizers_core.encoding.models.bpe import BpeModel, BpeOptions
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.files.json_objects import Part, wrong
from tokenizers_core.files.models import TOKEN_LIMIT
from tokenizers_core.files.ranks import all_splits
from tokenizers_core.text.byte_alphabet import bytes_to_symbols
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.pipeline import Pipeline

UNLISTED: Final = (
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
)
"""The special tokens of the first files (not listed there), by id: mistral_common's
`Tekkenizer.DEPRECATED_SPECIAL_TOKENS`."""


def is_tekken(document: Any) -> bool:
    """Whether a JSON file is a tekken.json.

    >>> is_tekken({"config": {"pattern": "."}, "vocab": []}), is_tekken({"model": {}})
    (True, False)
    """
    match document:
        case {"config": {"pattern": _}, "vocab": list()}:
            return True
    return False


def tekken_tokenizer(document: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer of a tekken.json. Raises TokenizerFileError, PatternError."""
    file = Part.of(document, "")
    config = file.part("config")
    reserved = config.number("default_num_special_tokens", TOKEN_LIMIT)
    size = config.number("default_vocab_size", TOKEN_LIMIT)
    special = special_by_id(file, reserved)
    ranks: dict[bytes, int] = {}
    for index, entry in enumerate(file.items("vocab")[: max(0, size - reserved)]):
        ranks[_token(Part.of(entry, f"vocab[{index}]"))] = reserved + index
    missing = next((byte for byte in range(256) if bytes([byte]) not in ranks), None)
    if missing is not None:
        raise wrong("vocab", f"0x{missing:02X}", "a vocabulary with all 256 bytes")
    tokens = [*special, *map(bytes_to_symbols, ranks)]
    merges = [Pair(*map(bytes_to_symbols, pair)) for pair in all_splits(ranks)]
    model = BpeModel(tokens, merges, options=BpeOptions(ignore_merges=True))
    model.rank_by_id()
    written = config.text("pattern")
    pattern = next((name for name, known in PATTERNS.items() if known == written), written)
    return Tokenizer(Pipeline(pattern=pattern), model, special)


def _token(entry: Part) -> bytes:
    written = entry.text("token_bytes")
    try:
        token = b64decode(written, validate=True)
    except ValueError:
        token = b""
    if not token:
        raise wrong(entry.at("token_bytes"), written, "a token in base64")
    return token


def special_by_id(file: Part, reserved: int) -> list[str]:
    """The special tokens, with a filler for each unused reserved id, as in mistral_common. Raises
    TokenizerFileError."""
    results = {rank: f"<SPECIAL_{rank}>" for rank in range(reserved)}
    if file.get("special_tokens", None) is None:
        results |= dict(enumerate(UNLISTED[:reserved]))
    else:
        for index, entry in enumerate(file.items("special_tokens")):
            part = Part.of(entry, f"special_tokens[{index}]")
            results[part.number("rank", reserved - 1)] = part.text("token_str")
    return [*results.values()]
