"""The document that a tokenizer.json holds as a tokenizer: see `tokenizer_json.py`.

Each function reads one part of the file, and lists what isn't supported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tokenizers_core.encoding.decoders import (
    PREPEND_SCHEMES,
    BpeDecoder,
    ByteLevelDecoder,
    Decoder,
    MetaspaceDecoder,
    SpaceDecoder,
    WordPieceDecoder,
)
from tokenizers_core.encoding.model import Model
from tokenizers_core.encoding.templates import LARGEST_TYPE, TEMPLATES, Template, TemplatePiece
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.encoding.truncation import Padding, Truncation
from tokenizers_core.files.models import (
    TOKEN_LIMIT,
    added_tokens_of,
    algorithm,
    bpe_model,
    special_tokens,
    unigram_model,
    wordpiece_model,
)
from tokenizers_core.files.oniguruma import from_oniguruma
from tokenizers_core.files.parts import Lacking, Part, flattened, text_of, whole_number, wrong
from tokenizers_core.files.writer import (
    END_MARK,
    JOINED_BY_SPACES,
    MARK_ENDS,
    NORMALIZER_PARTS,
    PRE_TOKENIZER_PARTS,
    STRATEGY_NAMES,
    Document,
    bert_normalizer,
    metaspace,
)
from tokenizers_core.text.patterns import PATTERNS, regex
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import END_OF_WORD, SPACE_MARK

# --- From text to words -----------------------------------------------------------------------------------------------

_SINGLE_NORMALIZERS: Final = {
    str(parts[0]["type"]): name for name, parts in NORMALIZER_PARTS.items() if len(parts) == 1
}


def normalizer_of(file: Part, lacking: Lacking) -> tuple[str | tuple[str, ...], bool]:
    """The normalizer's name or names, and whether it marks the ends of words."""
    parts = flattened(file, "normalizer", "normalizers")
    marked = bool(parts) and dict(parts[-1].content) == MARK_ENDS
    if marked:
        parts.pop()
    names: list[str] = []
    for part in parts:
        if part.kind == "BertNormalizer":
            names += _bert_names(part, lacking)
        elif part.kind in _SINGLE_NORMALIZERS:
            names.append(_SINGLE_NORMALIZERS[part.kind])
        else:
            lacking.add(f"normalizer {part.kind}")
    found = _joined(names)
    return (found[0] if len(found) == 1 else found or "none"), marked


_SEVERAL: Final = {
    tuple(_SINGLE_NORMALIZERS[str(part["type"])] for part in parts): name
    for name, parts in NORMALIZER_PARTS.items()
    if len(parts) > 1
}


def _joined(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with one name for those of several in a row that have it.

    >>> _joined(["bert_cased", "nfd", "strip_accents"])
    ('bert_cased', 'nfd_strip_accents')
    """
    joined: list[str] = []
    place = 0
    while place < len(names):
        width = next((width for width in (3, 2) if tuple(names[place : place + width]) in _SEVERAL), 1)
        row = tuple(names[place : place + width])
        joined.append(_SEVERAL.get(row, row[0]))
        place += width
    return tuple(joined)


def _bert_names(part: Part, lacking: Lacking) -> Sequence[str]:
    """BERT's normalizer by its four switches, not all combinations of which are supported."""
    lowercase = part.flag("lowercase")
    clean, chinese = part.flag("clean_text"), part.flag("handle_chinese_chars")
    strip = part.get("strip_accents", None)
    if strip is None:
        strip = lowercase
    elif not isinstance(strip, bool):
        raise wrong(part.at("strip_accents"), strip, "true, false or null")
    if clean and chinese and strip == lowercase:
        return ["bert_uncased" if lowercase else "bert_cased"]
    if not strip and clean == chinese:
        return [*(["bert_cased"] if clean else []), *(["lowercase"] if lowercase else [])]
    usual = bert_normalizer(lowercase) | {"strip_accents": lowercase}
    switches = {"clean_text": clean, "handle_chinese_chars": chinese, "strip_accents": strip}
    odd = [f"{name} {str(value).lower()}" for name, value in switches.items() if value != usual[name]]
    lacking.add(f"normalizer BertNormalizer with {', '.join(odd)}")
    return []


class Words(NamedTuple):
    """How text is cut into words: our pre-tokenizer, and its pattern."""

    pre_tokenizer: str = "whitespace_split"
    pattern: str = "gpt2"


def words_of(file: Part, lacking: Lacking) -> Words:
    """The pre-tokenizer that the file's parts amount to."""
    parts = flattened(file, "pre_tokenizer", "pretokenizers")
    before = len(lacking)
    shapes = [_shape(part, lacking) for part in parts]
    for name, known in PRE_TOKENIZER_PARTS.items():
        if shapes == known:
            return Words(name)
    kinds = [part.kind for part in parts]
    if kinds == ["ByteLevel"] and parts[0].flag("use_regex", True):
        return Words("byte_level")
    if kinds == ["Split", "ByteLevel"] and not parts[1].flag("use_regex", True):
        return Words("byte_level", _pattern(parts[0], lacking))
    if len(lacking) == before:
        lacking.add(f"pre_tokenizer {' + '.join(map(_described, parts)) or 'null'}")
    return Words()


def _described(part: Part) -> str:
    """A pre-tokenizer's name, with what it says of itself."""
    said = [
        f"{key} {value}" for key, value in part.content.items() if isinstance(value, str) and key != "type"
    ]
    if part.kind == "ByteLevel":
        said = [] if part.flag("use_regex", True) else ["use_regex false"]
    return part.kind + (f" with {', '.join(said)}" if said else "")


def _shape(part: Part, lacking: Lacking) -> Document:
    """A pre-tokenizer as we would write it; what is not ours at all is lacking."""
    if part.kind in ("WhitespaceSplit", "Whitespace", "BertPreTokenizer"):
        return {"type": part.kind}
    if part.kind == "Punctuation":
        return {"type": part.kind, "behavior": part.text("behavior", "Isolated")}
    if part.kind == "Split":
        return {
            "type": "Split",
            "pattern": dict(part.part("pattern").content),
            "behavior": part.text("behavior"),
            "invert": part.flag("invert", False),
        }
    if part.kind == "Metaspace":
        if part.text("replacement") != SPACE_MARK:
            lacking.add(f"pre_tokenizer Metaspace with replacement {part.text('replacement')!r}")
        # Before there were schemes, a mark was always put in front or never.
        scheme = "always" if part.flag("add_prefix_space", True) else "never"
        return metaspace(part.text("prepend_scheme", scheme), part.flag("split", True))
    if part.kind == "ByteLevel":
        lacking.unless(
            not part.flag("add_prefix_space", True), "pre_tokenizer ByteLevel with add_prefix_space"
        )
        part.flag("trim_offsets", True)  # without meaning here, but not without a type
        return {"type": part.kind}
    lacking.add(f"pre_tokenizer {part.kind}")
    return {}


def _pattern(split: Part, lacking: Lacking) -> str:
    """The pattern that a Split cuts at, in our words."""
    pattern = split.part("pattern")
    if "String" in pattern.content:
        written, ours, refused = "", regex.escape(pattern.text("String"), special_only=True), ""
    else:
        written = pattern.text("Regex")
        ours, refused = from_oniguruma(written)
    name = next((name for name, known in PATTERNS.items() if known == written), "")
    if refused:
        lacking.add(f"the regular expression {written!r}, from {refused!r} on")
    behavior, invert = split.text("behavior"), split.flag("invert", False)
    # A pattern with a name matches all of a text, so that nothing is left between its matches to be removed.
    if behavior != "Isolated" and not (name and behavior == "Removed" and invert):
        lacking.add(f"pre_tokenizer Split with behavior {behavior!r}" + (", inverted" if invert else ""))
    return name or ours


# --- Around the text --------------------------------------------------------------------------------------------------


def template(file: Part, lacking: Lacking) -> Template | None:
    """What the post-processors put around a text; None for nothing."""
    found: list[Template] = []
    for part in flattened(file, "post_processor", "processors"):
        if part.kind == "TemplateProcessing":
            found += filter(None, [_template(part, lacking)])
        elif part.kind == "BertProcessing":
            cls, sep = _named(part, "cls", lacking), _named(part, "sep", lacking)
            found.append(Template(f"{cls} $A {sep}", f"{cls} $A {sep} $B:1 {sep}:1"))
        elif part.kind == "RobertaProcessing":
            _refuse_trimming(part, lacking)
            cls, sep = _named(part, "cls", lacking), _named(part, "sep", lacking)
            found.append(Template(f"{cls} $A {sep}", f"{cls} $A {sep} {sep} $B {sep}"))
        elif part.kind == "ByteLevel":
            _refuse_trimming(part, lacking)
        else:
            lacking.add(f"post_processor {part.kind}")
    lacking.unless(len(found) < 2, f"post_processor with {len(found)} templates")
    return _with_types(found[0]) if found else None


def _with_types(found: Template) -> Template:
    """The template as one of those that we know, or else in full: so it is written in one way only."""
    for known in TEMPLATES.values():
        if known and (known.single_pieces, known.pair_pieces) == (found.single_pieces, found.pair_pieces):
            return known
    return Template(
        " ".join(piece.written for piece in found.single_pieces),
        " ".join(piece.written for piece in found.pair_pieces),
    )


def _refuse_trimming(part: Part, lacking: Lacking) -> None:
    if part.flag("trim_offsets", True):
        lacking.add(f"post_processor {part.kind} with trim_offsets")


def _named(part: Part, key: str, lacking: Lacking) -> str:
    """The token of `["[CLS]", 101]`."""
    pair = part.items(key)
    if len(pair) != 2:
        raise wrong(part.at(key), pair, "a token and its id")
    whole_number(pair[1], part.at(key), TOKEN_LIMIT)
    return _writable(text_of(pair[0], part.at(key)), part, lacking)


def _writable(token: str, part: Part, lacking: Lacking) -> str:
    """A token that a template can be written with; if it can't, that is lacking, and another takes its place."""
    if token and not token.startswith("$") and " " not in token and ":" not in token:
        return token
    lacking.add(f"post_processor {part.kind} with the token {token!r}")
    return "-"


def _template(part: Part, lacking: Lacking) -> Template | None:
    """A TemplateProcessing; None when something is lacking."""
    tokens = part.part("special_tokens")
    before = len(lacking)
    written = [
        " ".join(
            _template_piece(Part.of(value, f"{part.at(key)}[{at}]"), tokens, part, lacking).written
            for at, value in enumerate(part.items(key))
        )
        for key in ("single", "pair")
    ]
    # A pair's template without both texts is none of ours; without texts there is no template at all.
    return Template(*written) if len(lacking) == before else None


def _template_piece(piece: Part, tokens: Part, template: Part, lacking: Lacking) -> TemplatePiece:
    if "Sequence" in piece.content:
        sequence = piece.part("Sequence")
        return TemplatePiece(
            None, sequence.choice("id", {"A": 0, "B": 1}), sequence.number("type_id", LARGEST_TYPE)
        )
    special = piece.part("SpecialToken")
    name = special.text("id")
    stands_for = tokens.part(name)
    if [*stands_for.items("tokens")] != [name] or len(stands_for.items("ids")) != 1:
        lacking.add(f"post_processor TemplateProcessing with {name!r} for other tokens")
    return TemplatePiece(_writable(name, template, lacking), None, special.number("type_id", LARGEST_TYPE))


DIRECTION_NAMES: Final = {"Right": "right", "Left": "left"}
LENGTH_LIMIT: Final = 10_000_000
"""The longest encoding that a file may demand, in tokens."""


def truncation(file: Part) -> Truncation | None:
    """How encodings are cut."""
    if file.get("truncation", None) is None:
        return None
    part = file.part("truncation")
    return Truncation(
        max_length=part.number("max_length", 2**63),
        stride=part.number("stride", 2**63),
        strategy=part.choice("strategy", {name: ours for ours, name in STRATEGY_NAMES.items()}),
        direction=part.choice("direction", DIRECTION_NAMES) if "direction" in part.content else "right",
    )


def padding(file: Part) -> Padding | None:
    """How encodings are filled up."""
    if file.get("padding", None) is None:
        return None
    part = file.part("padding")
    length: int | None = None
    if isinstance(part.get("strategy"), Mapping):
        length = part.part("strategy").number("Fixed", LENGTH_LIMIT)
    else:
        part.choice("strategy", {"BatchLongest": None})
    multiple = part.get("pad_to_multiple_of", None)
    return Padding(
        pad_id=part.number("pad_id", TOKEN_LIMIT),
        pad_type_id=part.number("pad_type_id", LARGEST_TYPE),
        pad_token=part.text("pad_token"),
        direction=part.choice("direction", DIRECTION_NAMES),
        length=length,
        multiple_of=None if multiple is None else part.number("pad_to_multiple_of", LENGTH_LIMIT),
    )


def decoder(file: Part, falls_back: bool, marked: bool, lacking: Lacking) -> Decoder:
    """What reads tokens as text; `falls_back`: some tokens are bytes."""
    parts = flattened(file, "decoder", "decoders")
    if falls_back:
        if parts and parts[0].kind == "ByteFallback":
            parts = parts[1:]
        else:
            lacking.add("a decoder without ByteFallback, for a model that has it")
    if len(parts) > 1:
        lacking.add(f"decoder {' + '.join(part.kind for part in parts)}")
        return SpaceDecoder()
    if not parts or (falls_back and dict(parts[0].content) == JOINED_BY_SPACES):
        return SpaceDecoder()
    part = parts[0]
    if part.kind == "ByteLevel":
        return ByteLevelDecoder()
    if part.kind == "WordPiece":
        return WordPieceDecoder(part.text("prefix"), part.flag("cleanup"))
    if part.kind == "Metaspace":
        scheme = "always" if part.flag("add_prefix_space", True) else "never"
        schemes = {name: name for name in PREPEND_SCHEMES}
        chosen = part.choice("prepend_scheme", schemes) if "prepend_scheme" in part.content else scheme
        return MetaspaceDecoder(part.text("replacement"), chosen)
    if part.kind == "BPEDecoder":
        suffix = part.text("suffix")
        return BpeDecoder(END_OF_WORD if marked and suffix == END_MARK else suffix)
    lacking.add(f"decoder {part.kind}")
    return SpaceDecoder()


# --- All of it --------------------------------------------------------------------------------------------------------


def pipeline(file: Part, lacking: Lacking) -> Pipeline:
    """The way from text to words."""
    normalizer, marked = normalizer_of(file, lacking)
    words = words_of(file, lacking)
    name = words.pre_tokenizer
    if marked:
        lacking.unless(name == "whitespace_split", f"normalizer Replace before pre_tokenizer {name}")
        name = "end_of_word"
    # What is lacking may have left a pattern that isn't one.
    return Pipeline(normalizer, name, words.pattern if not lacking else "gpt2")


def tokenizer(file: Part, lacking: Lacking) -> Tokenizer | None:
    """The tokenizer; None when something is lacking."""
    _, marked = normalizer_of(file, lacking)
    way = pipeline(file, lacking)
    special = special_tokens(file, lacking)
    added, around = added_tokens_of(file), template(file, lacking)
    cut, filled = truncation(file), padding(file)
    name, part = algorithm(file, lacking), file.part("model")
    model: Model | None = None
    if marked and name != "bpe":
        lacking.add("normalizer Replace")
    if name == "bpe":
        model = bpe_model(part, added, marked, lacking)
    elif name == "wordpiece":
        model = wordpiece_model(part, added, lacking)
    elif name == "unigram":
        model = unigram_model(part, added, special, lacking)
    falls_back = name in ("bpe", "unigram") and part.flag("byte_fallback", False)
    reading = decoder(file, falls_back, marked, lacking)
    if lacking or model is None:
        return None
    return Tokenizer(way, model, special, around, cut, filled, reading)
