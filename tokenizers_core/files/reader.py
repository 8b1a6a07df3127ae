"""From a tokenizer.json's document to a tokenizer: see `tokenizer_json.py`.

Each function reads one part of the file, and lists unsupported parts.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from tokenizers_core.encoding.decoders import (
    PREPEND_SCHEMES,
    BpeDecoder,
    ByteLevelDecoder,
    BytesToText,
    ComposedDecoder,
    Decoder,
    DecodingStep,
    Fuse,
    MetaspaceDecoder,
    ReplaceInTokens,
    SpaceDecoder,
    StripTokens,
    WordPieceDecoder,
)
from tokenizers_core.encoding.encoding import Trimming
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.templates import LARGEST_TYPE, TEMPLATES, Template, TemplatePiece
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.encoding.truncation import Padding, Truncation
from tokenizers_core.files.json_objects import Lacking, Part, flattened, text_of, whole_number, wrong
from tokenizers_core.files.models import (
    TOKEN_LIMIT,
    added_tokens_of,
    algorithm,
    bpe_model,
    names_of_special,
    ordinary_tokens,
    unigram_model,
    wordpiece_model,
)
from tokenizers_core.files.oniguruma import from_oniguruma
from tokenizers_core.files.writer import (
    END_MARK,
    JOINED_BY_SPACES,
    MARK_ENDS,
    MARK_SPACES_BEHIND,
    NORMALIZER_PARTS,
    PRE_TOKENIZER_PARTS,
    STRATEGY_NAMES,
    Document,
    bert_normalizer,
    metaspace,
)
from tokenizers_core.text.charsmap import CharacterMap
from tokenizers_core.text.cutting import BEHAVIORS, Bytes, CutAt, Cutter, Known, Marked, Scripts, named_parts
from tokenizers_core.text.normalizers import Normalizer
from tokenizers_core.text.patterns import PATTERNS, compiled, regex
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.rewriting import Nmt, Precompiled, Prepend, Replace, Rewriting, Strip
from tokenizers_core.text.splitting import BEHIND, END_OF_WORD, SPACE_MARK

# --- From text to words -------------------------------------------------------------------------------------

_SINGLE_NORMALIZERS: Final = {
    str(parts[0]["type"]): name for name, parts in NORMALIZER_PARTS.items() if len(parts) == 1
}


def normalizer_and_mark(file: Part, lacking: Lacking) -> tuple[Normalizer, str]:
    """The normalizer's name, or its steps, and its mark for the ends of words, "" for none."""
    parts = flattened(file, "normalizer", "normalizers")
    marked = ""
    if parts and dict(parts[-1].content) in (MARK_ENDS, MARK_SPACES_BEHIND):
        marked = parts.pop().text("content")
    steps: list[str | Rewriting] = []
    for part in parts:
        if part.kind == "BertNormalizer":
            steps += _bert_names(part, lacking)
        elif part.kind in _SINGLE_NORMALIZERS:
            steps.append(_SINGLE_NORMALIZERS[part.kind])
        else:
            steps += filter(None, [_rewriting(part, lacking)])
    result = _joined(steps)
    if len(result) == 1 and isinstance(result[0], str):
        return result[0], marked
    return result or "none", marked


def _rewriting(part: Part, lacking: Lacking) -> Rewriting | None:
    """A step without a name here; None when it is lacking."""
    if part.kind == "Replace":
        return _replace(part, "normalizer", lacking)
    if part.kind == "Prepend":
        return Prepend(part.text("prepend"))
    if part.kind == "Strip":
        return Strip(part.flag("strip_left", True), part.flag("strip_right", True))
    if part.kind == "Precompiled":
        return _precompiled(part)
    if part.kind == "Nmt":
        return Nmt()
    lacking.add(f"normalizer {part.kind}")
    return None


def _precompiled(part: Part) -> Precompiled:
    """SentencePiece's compiled map, in base64."""
    written = part.text("precompiled_charsmap")
    try:
        charsmap = b64decode(written, validate=True)
        CharacterMap.of(charsmap)
    except ValueError:
        raise wrong(part.at("precompiled_charsmap"), written, "a compiled character map, in base64") from None
    return Precompiled(charsmap)


def _replace(part: Part, stage: str, lacking: Lacking) -> Replace | None:
    """The replacement of a text, or of the matches of a pattern."""
    pattern, content = part.part("pattern"), part.text("content")
    if "String" in pattern.content:
        return Replace(pattern.text("String"), content)
    written = pattern.text("Regex")
    ours, refused = from_oniguruma(written)
    if refused:
        lacking.add(f"{stage} Replace of the regular expression {written!r}, from {refused!r} on")
        return None
    compiled(ours)
    return Replace(ours, content, literal=False)


_SEVERAL: Final = {
    tuple(_SINGLE_NORMALIZERS[str(part["type"])] for part in parts): name
    for name, parts in NORMALIZER_PARTS.items()
    if len(parts) > 1
}


def _joined(names: Sequence[str | Rewriting]) -> tuple[str | Rewriting, ...]:
    """The names, with several in a row joined into one name where there is one.

    >>> _joined(["bert_cased", "nfd", "strip_accents"])
    ('bert_cased', 'nfd_strip_accents')
    """
    joined: list[str | Rewriting] = []
    position = 0
    while position < len(names):
        rows: list[tuple[Any, ...]] = [tuple(names[position : position + width]) for width in (3, 2, 1)]
        row = next((row for row in rows if row in _SEVERAL), rows[-1])
        joined.append(_SEVERAL.get(row, row[0]))
        width = len(row)
        position += width
    return tuple(joined)


def _bert_names(part: Part, lacking: Lacking) -> Sequence[str]:
    """BERT's normalizer by its four switches; not all combinations are supported."""
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
    """How text is cut into words: our pre-tokenizer, or its parts, and its pattern."""

    pre_tokenizer: str | tuple[Cutter, ...] = "whitespace_split"
    pattern: str = "gpt2"


def words_of(file: Part, lacking: Lacking) -> Words:
    """The pre-tokenizer equivalent to the file's parts: a name, or else the parts."""
    parts = flattened(file, "pre_tokenizer", "pretokenizers")
    shapes = [*map(_shape, parts)]
    for name, known in PRE_TOKENIZER_PARTS.items():
        if shapes == known and name != BEHIND:  # that one needs a normalizer, too
            return Words(name)
    kinds = [part.kind for part in parts]
    own = kinds[-1:] == ["ByteLevel"] and not parts[-1].flag("add_prefix_space", True)
    by_regex = own and parts[-1].flag("use_regex", True)
    if kinds == ["ByteLevel"] and by_regex:
        return Words("byte_level")
    if kinds == ["Split", "ByteLevel"] and own and not by_regex:
        pattern = _pattern(parts[0])
        if pattern:
            return Words("byte_level", pattern)
    return Words(tuple(filter(None, [_cutter(part, lacking) for part in parts])))


def described_words(file: Part) -> str:
    """A pre-tokenizer's parts, each with its own settings."""
    return " + ".join(map(_described, flattened(file, "pre_tokenizer", "pretokenizers"))) or "null"


def _described(part: Part) -> str:
    """A pre-tokenizer's name, with its own settings."""
    said = [
        f"{key} {value}" for key, value in part.content.items() if isinstance(value, str) and key != "type"
    ]
    if part.kind == "ByteLevel":
        said = [] if part.flag("use_regex", True) else ["use_regex false"]
        said += ["add_prefix_space"] if part.flag("add_prefix_space", True) else []
    return part.kind + (f" with {', '.join(said)}" if said else "")


def _shape(part: Part) -> Document:
    """A pre-tokenizer as we would write it, if it has a name here."""
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
    if part.kind == "Metaspace" and part.text("replacement") == SPACE_MARK:
        return metaspace(_scheme(part), part.flag("split", True))
    return {}


def _scheme(part: Part) -> str:
    # Before there were schemes, a mark was always put in front or never.
    scheme = "always" if part.flag("add_prefix_space", True) else "never"
    if "prepend_scheme" in part.content:
        return part.choice("prepend_scheme", {name: name for name in PREPEND_SCHEMES})
    return scheme


def _cutter(part: Part, lacking: Lacking) -> Cutter | None:
    """A pre-tokenizer as a part of a composed one; None when it is lacking."""
    match part.kind:
        case "WhitespaceSplit" | "Whitespace" | "BertPreTokenizer":
            return Known(part.kind)
        case "Punctuation":
            return Known(part.kind, _behavior(part, "Isolated"))
        case "Digits":
            return Known(part.kind, "Isolated" if part.flag("individual_digits", False) else "Contiguous")
        case "UnicodeScripts":
            return Scripts()
        case "CharDelimiterSplit":
            return CutAt(part.text("delimiter"), "Removed", literal=True)
        case "Split":
            return _split(part, lacking)
        case "Metaspace":
            mark = part.text("replacement")
            if len(mark) != 1:
                raise wrong(part.at("replacement"), mark, "one character")
            return Marked(mark, _scheme(part), part.flag("split", True))
        case "ByteLevel":
            part.flag("trim_offsets", True)  # without meaning here, but not without a type
            return Bytes(part.flag("add_prefix_space", True), part.flag("use_regex", True))
    lacking.add(f"pre_tokenizer {part.kind}")
    return None


def _behavior(part: Part, default: object = "") -> str:
    value = part.text("behavior", default)
    if value not in BEHAVIORS:
        raise wrong(part.at("behavior"), value, "one of {choices}", choices=", ".join(BEHAVIORS))
    return value


def _split(part: Part, lacking: Lacking) -> CutAt | None:
    """A cut at a pattern, or at a text."""
    pattern, behavior, invert = part.part("pattern"), _behavior(part), part.flag("invert", False)
    if "String" in pattern.content:
        return CutAt(pattern.text("String"), behavior, invert, literal=True)
    written = pattern.text("Regex")
    if written in PATTERNS.values():
        return CutAt(written, behavior, invert)
    ours, refused = from_oniguruma(written)
    if refused:
        lacking.add(f"the regular expression {written!r}, from {refused!r} on")
        return None
    compiled(ours)
    return CutAt(ours, behavior, invert)


def _pattern(split: Part) -> str:
    """The pattern of an isolating Split, in our form; "" for another Split, or a pattern with a different
    meaning here."""
    pattern = split.part("pattern")
    if "String" in pattern.content:
        written, ours, refused = "", regex.escape(pattern.text("String"), special_only=True), ""
    else:
        written = pattern.text("Regex")
        ours, refused = from_oniguruma(written)
    name = next((name for name, known in PATTERNS.items() if known == written), "")
    behavior, invert = split.text("behavior"), split.flag("invert", False)
    # A pattern with a name matches all of a text, so that nothing is left between its matches to be removed.
    if behavior != "Isolated" and not (name and behavior == "Removed" and invert):
        return ""
    return name or ("" if refused else ours)


# --- Around the text ----------------------------------------------------------------------------------------


def template(file: Part, lacking: Lacking) -> Template | None:
    """The template of the post-processors; None for none."""
    results: list[Template] = []
    for part in flattened(file, "post_processor", "processors"):
        if part.kind == "TemplateProcessing":
            results += filter(None, [_template(part, lacking)])
        elif part.kind == "BertProcessing":
            cls, sep = _named(part, "cls", lacking), _named(part, "sep", lacking)
            results.append(Template(f"{cls} $A {sep}", f"{cls} $A {sep} $B:1 {sep}:1"))
        elif part.kind == "RobertaProcessing":
            cls, sep = _named(part, "cls", lacking), _named(part, "sep", lacking)
            results.append(Template(f"{cls} $A {sep}", f"{cls} $A {sep} {sep} $B {sep}"))
        elif part.kind != "ByteLevel":
            lacking.add(f"post_processor {part.kind}")
    lacking.unless(len(results) < 2, f"post_processor with {len(results)} templates")
    return _with_types(results[0]) if results else None


def _with_types(parsed: Template) -> Template:
    """The template as one of the known ones, or else in full: so there is only one way to write it."""
    for known in TEMPLATES.values():
        if known and (known.single_pieces, known.pair_pieces) == (parsed.single_pieces, parsed.pair_pieces):
            return known
    return Template(
        " ".join(piece.written for piece in parsed.single_pieces),
        " ".join(piece.written for piece in parsed.pair_pieces),
    )


def trimming(file: Part) -> Trimming | None:
    """How white space is left out of offsets; None where it isn't."""
    parts = [
        part
        for part in flattened(file, "post_processor", "processors")
        if part.kind in ("RobertaProcessing", "ByteLevel") and part.flag("trim_offsets", True)
    ]
    # After the first trimming nothing is left to trim, except a first space.
    return Trimming(all(part.flag("add_prefix_space", True) for part in parts)) if parts else None


def _named(part: Part, key: str, lacking: Lacking) -> str:
    """The token of `["[CLS]", 101]`."""
    pair = part.items(key)
    if len(pair) != 2:
        raise wrong(part.at(key), pair, "a token and its id")
    whole_number(pair[1], part.at(key), TOKEN_LIMIT)
    return _writable(text_of(pair[0], part.at(key)), part, lacking)


def _writable(token: str, part: Part, lacking: Lacking) -> str:
    """A token fit for a template; if it isn't, that is lacking, and a placeholder takes its place."""
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
            piece.written
            for at, value in enumerate(part.items(key))
            for piece in _template_pieces(Part.of(value, f"{part.at(key)}[{at}]"), tokens, part, lacking)
        )
        for key in ("single", "pair")
    ]
    # A pair's template without both texts is none of ours; without texts there is no template at all.
    return Template(*written) if len(lacking) == before else None


def _template_pieces(piece: Part, tokens: Part, template: Part, lacking: Lacking) -> list[TemplatePiece]:
    """A text's place, or a special token (it may mean several tokens)."""
    if "Sequence" in piece.content:
        sequence = piece.part("Sequence")
        return [
            TemplatePiece(
                None, sequence.choice("id", {"A": 0, "B": 1}), sequence.number("type_id", LARGEST_TYPE)
            )
        ]
    special = piece.part("SpecialToken")
    stands_for = tokens.part(special.text("id"))
    names = [text_of(name, stands_for.at("tokens")) for name in stands_for.items("tokens")]
    if not names or len(stands_for.items("ids")) != len(names):
        raise wrong(stands_for.at("ids"), stands_for.items("ids"), "as many ids as tokens")
    type_id = special.number("type_id", LARGEST_TYPE)
    return [TemplatePiece(_writable(name, template, lacking), None, type_id) for name in names]


DIRECTION_NAMES: Final = {"Right": "right", "Left": "left"}
LENGTH_LIMIT: Final = 10_000_000
"""The limit for a file's encoding lengths, in tokens."""


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
        multiple_of=None if multiple is None else part.number("pad_to_multiple_of", LENGTH_LIMIT) or None,
    )


def decoder(file: Part, falls_back: bool, marked: bool, lacking: Lacking) -> Decoder:
    """The decoder; `falls_back`: some tokens are bytes."""
    parts = flattened(file, "decoder", "decoders")
    usual = parts
    if falls_back and parts and parts[0].kind == "ByteFallback":
        usual = parts[1:]  # the model's own way of reading them
        if usual and dict(usual[0].content) == JOINED_BY_SPACES:
            return SpaceDecoder()
        falls_back = False
    without = None if file.get("decoder", None) else SpaceDecoder()  # an empty decoder joins without spaces
    if without and not falls_back:
        return without
    last = _single_decoder(usual[-1], marked) if usual else without
    if len(usual) == 1 and last and not falls_back:
        return last
    steps = [_decoding_step(part, lacking) for part in (parts[:-1] if last and usual else parts)]
    return ComposedDecoder(tuple(filter(None, steps)), last)


def _single_decoder(part: Part, marked: bool) -> Decoder | None:
    """A decoder from tokens to text; None for a step from tokens to tokens, or an unknown part."""
    if part.kind == "ByteLevel":
        return ByteLevelDecoder()
    if part.kind == "WordPiece":
        return WordPieceDecoder(part.text("prefix"), part.flag("cleanup"))
    if part.kind == "Metaspace":
        return MetaspaceDecoder(part.text("replacement"), _scheme(part))
    if part.kind == "BPEDecoder":
        suffix = part.text("suffix")
        return BpeDecoder(END_OF_WORD if marked and suffix == END_MARK else suffix)
    return None


def _decoding_step(part: Part, lacking: Lacking) -> DecodingStep | None:
    """A step of a composed decoder; None when it is lacking."""
    match part.kind:
        case "Replace":
            pattern = _replace(part, "decoder", lacking)
            return ReplaceInTokens(pattern) if pattern else None
        case "ByteFallback":
            return BytesToText()
        case "Fuse":
            return Fuse()
        case "Strip":
            content = part.text("content")
            if len(content) != 1:
                raise wrong(part.at("content"), content, "one character")
            return StripTokens(content, part.number("start", LENGTH_LIMIT), part.number("stop", LENGTH_LIMIT))
    lacking.add(f"decoder {part.kind}")
    return None


# --- All of it ----------------------------------------------------------------------------------------------


def pipeline(file: Part, lacking: Lacking) -> Pipeline:
    """The way from text to words."""
    normalizer, marked = normalizer_and_mark(file, lacking)
    words = words_of(file, lacking)
    name = words.pre_tokenizer
    if marked == SPACE_MARK:
        name = spaces_behind(name)
        lacking.unless(name != "", f"normalizer Replace before pre_tokenizer {described_words(file)}")
    elif marked:
        described = name if isinstance(name, str) else described_words(file)
        lacking.unless(name == "whitespace_split", f"normalizer Replace before pre_tokenizer {described}")
        name = "end_of_word"
    # A lacking part may have left an invalid pattern.
    return Pipeline(normalizer, name, words.pattern if not lacking else "gpt2")


def spaces_behind(words: str | tuple[Cutter, ...]) -> str | tuple[Cutter, ...]:
    """The equivalent of a pre-tokenizer that cuts behind each ▁, put there by a normalizer; "" for another
    one."""
    usual = named_parts(BEHIND, "", ())
    cut = (usual[0], CutAt(SPACE_MARK, "MergedWithPrevious", literal=True))
    if not isinstance(words, tuple) or words[: len(cut)] != cut:
        return ""
    return BEHIND if words == cut else (*usual, *words[len(cut) :])


def training_pipeline(file: Part, lacking: Lacking) -> Pipeline:
    """The same, made of the engine's own parts only, as needed to count a corpus."""
    result = pipeline(file, lacking)
    if result.only_named_parts:
        return result
    if not isinstance(result.pre_tokenizer, str):
        lacking.add(f"pre_tokenizer {described_words(file)}")
    for step in result.normalizer if isinstance(result.normalizer, tuple) else ():
        if not isinstance(step, str):
            lacking.add(f"normalizer {type(step).__name__}")
    return result


def tokenizer(file: Part, lacking: Lacking) -> Tokenizer | None:
    """The tokenizer; None when something is lacking."""
    _, marked = normalizer_and_mark(file, lacking)
    way = pipeline(file, lacking)
    added = added_tokens_of(file)
    special, otherwise = names_of_special(added), ordinary_tokens(added, way.normalizer != "none")
    around = template(file, lacking)
    cut, filled = truncation(file), padding(file)
    name, part = algorithm(file, lacking), file.part("model")
    model: Model | None = None
    if marked == END_MARK and name != "bpe":
        lacking.add("normalizer Replace")
    if name == "bpe":
        model = bpe_model(part, added, marked == END_MARK, lacking, way.byte_level)
    elif name == "wordpiece":
        model = wordpiece_model(part, added, lacking)
    elif name == "unigram":
        model = unigram_model(part, added, special, lacking)
    falls_back = name in ("bpe", "unigram") and part.flag("byte_fallback", False)
    reading = decoder(file, falls_back, marked == END_MARK, lacking)
    if lacking or model is None:
        return None
    return Tokenizer(way, model, special, around, cut, filled, reading, otherwise, trimming(file))
