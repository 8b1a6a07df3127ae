"""A tokenizer as plain data, in the format of the `tokenizers` library's tokenizer.json: making one, checking
one, reading one."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tokenizers import Tokenizer

from tokenizers_core.errors import Phrase, quoted
from tokenizers_core.files.writer import special_token_documents
from tokenizers_core.text.patterns import LONGEST_PATTERN
from tokensteps.catalogue.files.errors import MESSAGE_CHARACTERS, LoadError
from tokensteps.language.i18n import N_, count
from tokensteps.limits import (
    ADDED_CHARACTERS,
    ADDED_LIMIT,
    EXPANSION_LIMIT,
    ID_LIMIT,
    LONG_TOKEN,
    LONG_TOKENS_WORK,
    STAGES_LIMIT,
    TEMPLATE_LIMIT,
    TOKEN_LIMIT,
    WORD_CHARACTERS,
)

Document = dict[str, Any]
"""A tokenizer in the format of tokenizer.json."""
STAGES: Final = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
BYTES_ONLY: Final[Document] = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": False,
    "use_regex": False,
}
"""A pre-tokenizer from text to bytes, without splitting."""


def new_document(
    model: Document, special: Iterable[tuple[str, int]] = (), **stages: Document | None
) -> Document:
    """A tokenizer.json; `special` are the special tokens."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special_token_documents(special),
        **dict.fromkeys(STAGES),
        **stages,
        "model": model,
    }


def bpe_model(vocab: Mapping[str, int], merges: Sequence[Sequence[str]], **settings: object) -> Document:
    """The model of a tokenizer.json by BPE; `settings` are the unusual ones."""
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        **settings,
        "vocab": vocab,
        "merges": merges,
    }


def in_sequence(*pre_tokenizers: Document) -> Document:
    """Several pre-tokenizers, one after the other."""
    return {"type": "Sequence", "pretokenizers": list(pre_tokenizers)}


# --- Reading ------------------------------------------------------------------------------------------------


def nodes(tree: Any) -> Iterator[Document]:
    """All JSON objects in a tree, except in the large parts where there is nothing to find: vocabularies and
    merges.

    Without recursion, as a tree may be nested more deeply than Python can recurse.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(
                value for key, value in node.items() if key not in ("vocab", "merges", "added_tokens")
            )
        elif isinstance(node, list):
            waiting.extend(node)


def is_byte_level(document: Document) -> bool:
    """Whether the tokens are written in the byte alphabet."""
    stages = [document.get(stage) for stage in ("normalizer", "pre_tokenizer", "decoder")]
    return any(node.get("type") == "ByteLevel" for node in nodes(stages))


def model_vocabulary(document: Document, tokenizer: Tokenizer) -> dict[str, int]:
    """The model's tokens with their ids, without the added ones: the file's own, as the library takes longer
    to tell them."""
    vocab = document["model"].get("vocab")
    return vocab if isinstance(vocab, dict) else tokenizer.get_vocab(with_added_tokens=False)


class Merges(NamedTuple):
    """The merges of a BPE tokenizer by the ids of the two tokens."""

    firsts: Sequence[int]
    seconds: Sequence[int]
    rank: Mapping[int, int]
    """A token's id → the index of its first merge."""


NO_MERGES = Merges((), (), {})


def merges_of(model: Document, tokenizer: Tokenizer) -> Merges:
    """The merges of a model after the library has loaded, and so checked it."""
    vocab, pairs = model.get("vocab"), model.get("merges")
    if type(tokenizer.model).__name__ != "BPE" or not isinstance(vocab, dict) or not isinstance(pairs, list):
        return NO_MERGES
    prefix = len(model.get("continuing_subword_prefix") or "")
    parted = [pair.split(" ") if isinstance(pair, str) else pair for pair in pairs]
    firsts = array("I", [vocab[first] for first, _second in parted])
    seconds = array("I", [vocab[second] for _first, second in parted])
    result = [vocab[first + second[prefix:]] for first, second in parted]
    # A token's first merge comes last, and stays.
    return Merges(firsts, seconds, dict(zip(reversed(result), range(len(result) - 1, -1, -1), strict=True)))


def learned_from(token: str, ranks: Mapping[str, int]) -> tuple[str, str] | None:
    """A token's merge in a file of ranks: the last two parts when its symbols are merged with the tokens
    before it.

    >>> learned_from("abb", {"a": 0, "b": 1, "ab": 2, "bb": 3, "abb": 4}), learned_from("a", {"a": 0})
    (('ab', 'b'), None)
    """
    own = ranks[token]
    parts = [*token]
    while len(parts) > 2:
        lowest, position = min(
            (ranks.get(parts[position] + parts[position + 1], own), position)
            for position in range(len(parts) - 1)
        )
        if lowest >= own:
            return None
        parts[position : position + 2] = [parts[position] + parts[position + 1]]
    return (parts[0], parts[1]) if len(parts) == 2 else None


# --- Checking -----------------------------------------------------------------------------------------------


def check_document(document: Document, file: str) -> None:
    """Refuse documents that the library would accept but the server or a page couldn't handle. Raises
    LoadError."""
    vocab = document["model"].get("vocab")
    added = document.get("added_tokens") or []
    number = len(vocab) if isinstance(vocab, dict | list) else 0
    if number > TOKEN_LIMIT:
        raise LoadError("too_many_tokens", file, number=count(number), limit=count(TOKEN_LIMIT))
    if isinstance(added, list) and len(added) > ADDED_LIMIT:
        raise LoadError("too_many_added", file, number=count(len(added)), limit=count(ADDED_LIMIT))
    _check_texts(vocab, added, file)
    _check_numbers(document, file)
    if isinstance(vocab, dict):
        check_ids(vocab, file)
    stages = [*nodes([document.get(stage) for stage in STAGES])]
    if len(stages) > STAGES_LIMIT:
        raise LoadError("stages", file, number=count(len(stages)), limit=count(STAGES_LIMIT))
    # All of them together: compiling can't be stopped.
    length = sum(len(str(node.get("Regex", ""))) for node in stages)
    if length > LONGEST_PATTERN:
        raise LoadError("long_pattern", file, number=count(length), limit=count(LONGEST_PATTERN))
    factor = 1.0
    for stage in ("normalizer", "pre_tokenizer"):
        for node in nodes(document.get(stage)):
            factor *= _expansion(node)
    if factor > EXPANSION_LIMIT:
        raise LoadError("expands", file, limit=EXPANSION_LIMIT)
    around = document.get("post_processor")
    listed = sum(len(node["ids"]) for node in nodes(around) if isinstance(node.get("ids"), list))
    positions = sum("SpecialToken" in node for node in nodes(around))
    if max(listed, 1) * positions > TEMPLATE_LIMIT:
        raise LoadError("template", file, limit=count(TEMPLATE_LIMIT))


def check_lengths(tokens: Iterable[str] | Iterable[bytes], file: str) -> None:
    """Raise LoadError for tokens too long to work on."""
    long = [token for token in tokens if len(token) > LONG_TOKEN]
    if sum(len(token) ** 2 for token in long) > LONG_TOKENS_WORK:
        longest = max(long, key=len)
        shown = longest if isinstance(longest, str) else longest.decode("utf-8", "backslashreplace")
        raise LoadError(
            "long_token", file, token=quoted(shown, MESSAGE_CHARACTERS), number=count(len(longest))
        )


def _check_texts(vocab: Any, added: Any, file: str) -> None:
    """Raise LoadError for too long tokens, and for added tokens too long together."""
    tokens = vocab if isinstance(vocab, dict | list) else ()
    named = (one[0] if isinstance(one, list) and one else one for one in tokens)
    check_lengths((token for token in named if isinstance(token, str)), file)
    contents = [token.get("content") for token in nodes(added)] if isinstance(added, list) else []
    total = sum(len(content) for content in contents if isinstance(content, str))
    if total > ADDED_CHARACTERS:
        raise LoadError("long_added", file, number=count(total), limit=count(ADDED_CHARACTERS))


def _check_numbers(document: Document, file: str) -> None:
    """Raise LoadError for too high a number: ids in templates, lengths, and anything read by later versions
    of the library."""
    for node in nodes(
        {key: value for key, value in document.items() if key not in ("truncation", "padding")}
    ):
        for key, value in node.items():
            limit = WORD_CHARACTERS if key == "max_input_chars_per_word" else ID_LIMIT
            numbers = value if isinstance(value, list) else [value]
            for number in numbers:
                if isinstance(number, int | float) and not abs(number) <= limit:
                    shown = quoted(str(number), MESSAGE_CHARACTERS).strip("'")
                    raise LoadError(
                        "high_number",
                        file,
                        key=quoted(key, MESSAGE_CHARACTERS),
                        number=shown,
                        limit=count(limit),
                    )


def _expansion(node: Document) -> float:
    """How many times longer a component can make a text, in the worst case."""
    kind, content = node.get("type"), node.get("content")
    if kind == "ByteLevel":
        return 2.0  # a byte becomes a character of up to two
    if kind == "Prepend":
        return 1.0 + len(str(node.get("prepend", "")))
    if kind != "Replace" or not isinstance(content, str):
        return 1.0
    pattern = node.get("pattern")
    replaced = pattern.get("String") if isinstance(pattern, dict) else None
    # A regular expression may match nothing at all, between any two characters.
    return (
        max(1.0, len(content) / len(replaced))
        if isinstance(replaced, str) and replaced
        else 1.0 + len(content)
    )


def check_ids(vocab: Mapping[str, Any], file: str) -> None:
    """Raise LoadError unless every token has an id of its own: a whole number from 0 that is not too high."""
    holders: dict[int, str] = {}
    for token, identifier in vocab.items():
        if type(identifier) is not int or identifier < 0:
            raise LoadError("no_id", file, token=quoted(token), identifier=quoted(str(identifier)).strip("'"))
        if identifier >= ID_LIMIT:
            raise LoadError(
                "high_id", file, token=quoted(token), identifier=identifier, limit=count(ID_LIMIT)
            )
        other = holders.setdefault(identifier, token)
        if other is not token:
            raise LoadError("same_id", file, first=quoted(other), second=quoted(token), identifier=identifier)


def check_added(document: Document, tokenizer: Tokenizer, file: str) -> Iterator[str]:
    """Notes on added tokens with another id in the library than in the file. Raises LoadError for a repeated
    id.

    That happens where ids are missing in the vocabulary: the first new token gets the number of tokens as its
    id.
    """
    decoder = tokenizer.get_added_tokens_decoder()
    vocab = model_vocabulary(document, tokenizer) if decoder else {}
    model = {identifier: token for token, identifier in vocab.items() if identifier in decoder}
    for identifier, added in decoder.items():
        other = model.get(identifier, added.content)
        if other != added.content:
            first, second = quoted(other), quoted(added.content)
            raise LoadError("same_id", file, first=first, second=second, identifier=identifier)
    for listed in document.get("added_tokens") or ():
        numbered = tokenizer.token_to_id(listed["content"])
        if numbered is not None and numbered != listed["id"]:
            message = N_(
                "{token} has the id {listed} in the file, but {identifier} in the tokenizers library."
            )
            token = quoted(listed["content"])
            yield Phrase(message, token=token, listed=listed["id"], identifier=numbered)
            return  # one note is enough: if one is moved, so are those after it
