"""The tokens and the model of a tokenizer.json: see `reader.py`."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from tokenizers_core.encoding.added import AddedToken
from tokenizers_core.encoding.alignment import no_collecting
from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import BpeModel, BpeOptions
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.encoding.models.wordpiece import MAX_CHARACTERS, PREFIX, WordPieceModel
from tokenizers_core.errors import TokenizerFileError, quoted
from tokenizers_core.files.json_objects import Lacking, Part, flattened, text_of, whole_number, wrong
from tokenizers_core.files.writer import END_MARK
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokenizers_core.text.splitting import END_OF_WORD

TOKEN_LIMIT: Final = 1_000_000
"""More tokens than any published vocabulary has."""
GAP_LIMIT: Final = 100_000
"""More ids without a token than any published vocabulary has."""
WORD_LIMIT: Final = 1_000
"""The longest word, in characters, for WordPiece to look up: the time grows with its square."""
PIECE_LIMIT: Final = 1_000
"""The longest piece of Unigram: the time for a text grows with it."""
SCORE_LIMIT: Final = 1e12
"""Beyond any log probability, and small enough for sums over a whole text."""


# --- Tokens -------------------------------------------------------------------------------------------------


def taken(path: str, identifier: int, other: str) -> TokenizerFileError:
    """The error for an id already used by another token."""
    return wrong(path, identifier, "an id other than that of {other}", other=quoted(other))


class Added(NamedTuple):
    """A token cut out of the text before anything else happens to it."""

    token: str
    identifier: int
    part: Part


def added_tokens_of(file: Part) -> list[Added]:
    """The added tokens, by id."""
    added = []
    for at, value in enumerate(
        file.items("added_tokens") if file.get("added_tokens", None) is not None else ()
    ):
        part = Part.of(value, f"added_tokens[{at}]")
        token = part.text("content")
        if not token:
            raise wrong(part.at("content"), token, "a string of at least one character")
        added.append(Added(token, part.number("id", TOKEN_LIMIT - 1), part))
    added.sort(key=lambda one: one.identifier)
    for first, second in pairwise(added):
        if first.identifier == second.identifier:
            raise taken(second.part.at("id"), second.identifier, first.token)
    return added


def special_tokens(file: Part, lacking: Lacking) -> tuple[str, ...]:
    """The special tokens by id. Added tokens with unsupported options are lacking."""
    normalizes = bool(flattened(file, "normalizer", "normalizers"))
    added = added_tokens_of(file)
    for token, _, part in added:
        odd = [f"with {name}" for name in ("lstrip", "rstrip", "single_word") if part.flag(name, False)]
        if part.flag("normalized", not part.flag("special", False)) and normalizes:
            odd.append("that is looked for after normalizing")
        if not part.flag("special", False):
            odd.append("that is not special")
        lacking.unless(not odd, f"added token {token!r} {', '.join(odd)}")
    return tuple(dict.fromkeys(token for token, _, _ in added))


def names_of_special(added: Iterable[Added]) -> tuple[str, ...]:
    """The special tokens, by id."""
    return tuple(dict.fromkeys(token for token, _, part in added if part.flag("special", False)))


def ordinary_tokens(added: Iterable[Added], normalizes: bool) -> list[AddedToken]:
    """The tokens that aren't special, or not found like special tokens here: by flags, or in the normalized
    text. Even where nothing `normalizes`, the latter are looked for after all others, so it matters unless
    all tokens are alike."""
    tokens = [
        AddedToken(
            token,
            part.flag("single_word", False),
            part.flag("lstrip", False),
            part.flag("rstrip", False),
            part.flag("normalized", not part.flag("special", False)),
            part.flag("special", False),
        )
        for token, _, part in added
    ]
    usual = [one.special and one.plain for one in tokens]
    late = normalizes or not all(usual) or len({one.normalized for one in tokens}) > 1
    return [one for one, plain in zip(tokens, usual, strict=True) if not plain or (one.normalized and late)]


def tokens_by_id(vocab: Mapping[str, int], added: Iterable[Added]) -> list[str]:
    """The tokens by their ids, "" for an unused id. Raises TokenizerFileError."""
    holders: dict[int, str] = {}
    ids = dict(vocab)
    for token, identifier in vocab.items():
        if type(identifier) is not int or not 0 <= identifier < TOKEN_LIMIT:
            whole_number(identifier, f"model.vocab[{token!r}]", TOKEN_LIMIT - 1)
        if (other := holders.setdefault(identifier, token)) != token:
            raise taken(f"model.vocab[{token!r}]", identifier, other)
    for token, identifier, part in added:
        if ids.setdefault(token, identifier) != identifier:
            raise wrong(part.at("id"), identifier, "{id}, as in the vocabulary", id=ids[token])
        if (other := holders.setdefault(identifier, token)) != token:
            raise taken(part.at("id"), identifier, other)
    size = max(holders, default=-1) + 1
    if size - len(holders) > GAP_LIMIT:
        raise wrong("model.vocab", size - 1, "an id below {size}", size=len(holders) + GAP_LIMIT)
    return [holders.get(identifier, "") for identifier in range(size)]


def added_only(added: Iterable[Added], vocab: Container[str]) -> frozenset[str]:
    """The added tokens that the model's own vocabulary lacks."""
    return frozenset(token for token, _, _ in added if token not in vocab)


# --- Models -------------------------------------------------------------------------------------------------

MODEL_TYPES: Final = {"BPE": "bpe", "WordPiece": "wordpiece", "Unigram": "unigram"}
"""A model's type in a tokenizer.json → its algorithm here."""


def algorithm(file: Part, lacking: Lacking) -> str:
    """The name of the model's algorithm; "" if it isn't ours."""
    model = file.part("model")
    if "type" not in model.content:  # as in files from before 2020
        if "merges" in model.content:
            return "bpe"
        return "unigram" if "unk_id" in model.content else "wordpiece"
    if model.kind not in MODEL_TYPES:
        lacking.add(f"model {model.kind}")
    return MODEL_TYPES.get(model.kind, "")


def vocab_of(model: Part) -> Mapping[str, int]:
    """Token → id of BPE and WordPiece."""
    vocab = model.part("vocab").content
    if len(vocab) > TOKEN_LIMIT:
        raise wrong("model.vocab", f"{len(vocab)} tokens", "at most {limit}", limit=TOKEN_LIMIT)
    for token in vocab:
        text_of(token, "model.vocab")
    return vocab


def unknown_token(model: Part, tokens: Container[str], needed: bool = True) -> str:
    """The unknown token; "" for none. If it is `needed`, it must be in the vocabulary."""
    token = model.optional_text("unk_token")
    if token and token not in tokens:
        if not needed:
            return ""
        raise wrong("model.unk_token", token, "a token of the vocabulary")
    return token


def bpe_model(
    model: Part, added: Sequence[Added], marked: bool, lacking: Lacking, as_bytes: bool = False
) -> BpeModel | None:
    """BPE; with `marked`, END_MARK means `</w>`, and with `as_bytes`, words are in the byte alphabet. None
    when something is lacking."""
    vocab = vocab_of(model)
    dropout = model.get("dropout", None)
    if dropout is not None and not isinstance(dropout, int | float):
        raise wrong("model.dropout", dropout, "a number or null")
    lacking.unless(not dropout, f"model BPE with dropout {dropout}")
    prefix, suffix = (
        model.optional_text("continuing_subword_prefix"),
        model.optional_text("end_of_word_suffix"),
    )
    options = BpeOptions(
        bool(suffix),
        *(model.flag(name, False) for name in ("fuse_unk", "byte_fallback", "ignore_merges")),
    )
    tokens = tokens_by_id(vocab, added)
    # Where all symbols are in the vocabulary, the library never looks the unknown token up.
    complete = as_bytes and not prefix and not suffix and vocab.keys() >= set(BYTE_TO_SYMBOL)
    unk_token = unknown_token(model, tokens, needed=not complete)
    merges = merges_of(model, vocab, prefix, lacking)
    if options.byte_fallback:
        lacking.unless(
            BYTE_TOKENS.keys() <= vocab.keys(), "model BPE with byte_fallback, but not all 256 bytes"
        )
    if marked:
        lacking.unless(not suffix, "model BPE with END_MARK and end_of_word_suffix")
        special = {one.token for one in added}
        tokens = [token if token in special else token.replace(END_MARK, END_OF_WORD) for token in tokens]
        named = [token for token in tokens if token]
        if len(set(named)) < len(named):
            raise wrong("model.vocab", END_OF_WORD, "spelled in only one way")
        merges = [Pair(*(token.replace(END_MARK, END_OF_WORD) for token in pair)) for pair in merges]
        suffix = END_OF_WORD
    if lacking:
        return None
    return BpeModel(tokens, merges, unk_token, suffix, prefix, options, added_only(added, vocab))


def merges_of(model: Part, vocab: Mapping[str, int], prefix: str, lacking: Lacking) -> list[Pair]:
    """The merges by rank, each written as two tokens or as one string with a space. Raises
    TokenizerFileError."""
    pairs = []
    listed = model.items("merges")
    with no_collecting():
        for at, written in enumerate(listed):
            if isinstance(written, str) and written.startswith("#version"):  # the head of a merges.txt
                continue
            pair = written.split(" ") if isinstance(written, str) else written
            match pair:
                case [str(first), str(second)]:
                    pass
                case _:
                    raise wrong(f"model.merges[{at}]", written, "two tokens")
            if not (first in vocab and second in vocab and first + second[len(prefix) :] in vocab):
                result = (first, second, first + second[len(prefix) :])
                missing = next(token for token in result if token not in vocab)
                expected = "in the vocabulary, which lacks {token}"
                raise wrong(f"model.merges[{at}]", f"{first} {second}", expected, token=quoted(missing))
            if prefix and not second.startswith(prefix):
                lacking.add(f"model.merges[{at}] with a second token that doesn't begin with {prefix!r}")
            pairs.append(Pair(first, second))
    # In the library a repeated pair has its last place.
    return list(dict.fromkeys(reversed(pairs)))[::-1]


def wordpiece_model(model: Part, added: Sequence[Added], lacking: Lacking) -> WordPieceModel | None:
    """WordPiece. None when something is lacking."""
    vocab = vocab_of(model)
    unk_token = unknown_token(model, vocab)
    if not unk_token:
        raise wrong("model.unk_token", unk_token, "a token of the vocabulary")
    longest = model.number("max_input_chars_per_word", 2**63, MAX_CHARACTERS)
    lacking.unless(longest <= WORD_LIMIT, f"model WordPiece with max_input_chars_per_word {longest}")
    prefix = model.text("continuing_subword_prefix", PREFIX)
    tokens = tokens_by_id(vocab, added)
    if lacking:
        return None
    return WordPieceModel(tokens, unk_token, longest, prefix, added_only(added, vocab))


def unigram_model(
    model: Part, added: Sequence[Added], special: Sequence[str], lacking: Lacking
) -> UnigramModel | None:
    """Unigram. None when something is lacking."""
    scores = scores_of(model)
    outside = added_only(added, scores)
    tokens = tokens_by_id({token: identifier for identifier, token in enumerate(scores)}, added)
    unk_id = model.get("unk_id", None)
    if unk_id is None:
        lacking.add("model Unigram without an unknown token")
        return None
    whole_number(unk_id, "model.unk_id", max(len(scores) - 1, 0))
    if unk_id >= len(scores):
        raise wrong("model.unk_id", unk_id, "the index of a piece")
    byte_fallback = model.flag("byte_fallback", False)
    if byte_fallback:
        missing = BYTE_TOKENS.keys() - scores.keys()
        lacking.unless(not missing, "model Unigram with byte_fallback, but not all 256 bytes")
    # A special token is no piece of text, unless it has a probability as pieces have.
    for token in special:
        if scores.get(token) == 0.0:
            del scores[token]
    longest = max(map(len, scores), default=1)
    lacking.unless(longest <= PIECE_LIMIT, f"model Unigram with a piece of {longest} characters")
    if lacking:
        return None
    unigram = UnigramModel(tokens, scores, tokens[unk_id], byte_fallback, longest)
    unigram.added_only = outside
    return unigram


def scores_of(model: Part) -> dict[str, float]:
    """The pieces' log probabilities, by id. Raises TokenizerFileError."""
    scores: dict[str, float] = {}
    listed = model.items("vocab")
    if len(listed) > TOKEN_LIMIT:
        raise wrong("model.vocab", f"{len(listed)} pieces", "at most {limit}", limit=TOKEN_LIMIT)
    for at, entry in enumerate(listed):
        path = f"model.vocab[{at}]"
        if not isinstance(entry, list | tuple) or len(entry) != 2:
            raise wrong(path, entry, "a piece and its log probability")
        piece = text_of(entry[0], path)
        score = entry[1]
        if (
            isinstance(score, bool)
            or not isinstance(score, int | float)
            or not -SCORE_LIMIT <= score <= SCORE_LIMIT
        ):
            raise wrong(
                path,
                score,
                "a number from {least} to {most}",
                least=f"{-SCORE_LIMIT:g}",
                most=f"{SCORE_LIMIT:g}",
            )
        if not piece:
            raise wrong(path, piece, "a piece of at least one character")
        if piece in scores:
            raise wrong(path, piece, "a piece not listed earlier")
        scores[piece] = float(score)
    return scores


def model_alone(file: Part, lacking: Lacking, marked: bool = False) -> Model | None:
    """The model without anything around it, for words from another program's normalizer and pre-tokenizer.

    Its tokens are renumbered in the order of their ids, so that gaps don't matter; added tokens are left out,
    as they never reach the model. `marked` as for `bpe_model`. None when something is lacking.
    """
    part, name = file.part("model"), algorithm(file, lacking)
    if name == "unigram":
        return unigram_model(part, (), (), lacking)
    if not name:
        return None
    by_id = sorted(
        vocab_of(part).items(), key=lambda one: whole_number(one[1], f"model.vocab[{one[0]!r}]", 2**63)
    )
    numbered = Part(
        part.path, {**part.content, "vocab": {token: index for index, (token, _) in enumerate(by_id)}}
    )
    if name == "wordpiece":
        return wordpiece_model(numbered, (), lacking)
    return bpe_model(numbered, (), marked, lacking)
