"""The technical words of the app: what each means, where it can be seen, and marks that let a reader ask for it in place.

A mark is `<span class="term" data-term="tie">tied</span>`: only the term's name travels with the page's text, and
`assets/components/terms.js` shows the definition. Which words stand for a term is up to the language, so the forms are translated too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from typing import NamedTuple

import regex

from tokensteps.language.i18n import N_, _, current_language

MARKS_IN_FRAME = 8
"""Each mark is a stop for the Tab key: a frame has to be left in a few presses."""


class Term(NamedTuple):
    """A word of the trade. `name`, `forms` and `definition` are to be translated."""

    id: str
    name: str
    forms: str
    """The ways it stands in sentences, apart by `|`; empty for one that is not marked. One with a capital is taken as written.
    A translation may give each its English word: `规范化器|规范化=normalization`."""
    definition: str
    page: str = ""
    """The page that shows it: the path in the app's address, or "" for none."""
    query: Mapping[str, str] = {}
    """What the address of that page has to say."""


class Section(NamedTuple):
    """Terms that belong together; `title` is to be translated."""

    title: str
    terms: tuple[Term, ...]


COURSE = {"corpus": "course"}
HUG = {"corpus": "hug"}
EM_RUN = {"corpus": "hug", "method": "sentencepiece"}

SECTIONS: tuple[Section, ...] = (
    Section(
        N_("From text to words"),
        (
            Term(
                "corpus",
                N_("Corpus"),
                N_("corpus|corpora"),
                N_(
                    "The text that a tokenizer is trained on. Training only needs its words and how often each one stands in it."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "normalizer",
                N_("Normalizer"),
                N_("normalizer|normalizers|normalization|normalizing"),
                N_(
                    "The first stage: it rewrites the text, for example to lower case or without accents, before anything is cut."
                ),
                "pipeline",
            ),
            Term(
                "pre_tokenizer",
                N_("Pre-tokenizer"),
                N_("pre-tokenizer|pre-tokenizers|pre-tokenization"),
                N_("The stage that cuts the text into words. No token ever reaches across such a cut."),
                "pipeline",
            ),
            Term(
                "word",
                N_("Word (pre-token)"),
                N_("word|words|pre-token|pre-tokens"),
                N_(
                    "A stretch of text between two cuts of the pre-tokenizer, often with the space before it. Tokens are looked for inside words."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "byte",
                N_("Byte"),
                N_("byte|bytes"),
                N_(
                    "A number from 0 to 255. In UTF-8, a letter of English is one byte; letters of other scripts and emoji are two to four."
                ),
            ),
            Term(
                "byte_level",
                N_("Byte level"),
                N_("byte level|byte-level"),
                N_(
                    "A way to begin with the 256 bytes instead of characters, so that no text is unknown. Each byte is written as a letter of its own."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "space_markers",
                N_("Ġ and ▁"),
                N_("Ġ|▁"),
                N_(
                    "Signs that stand for a space at the beginning of a token: Ġ at byte level, ▁ in Metaspace and SentencePiece."
                ),
                "bpe",
                COURSE,
            ),
        ),
    ),
    Section(
        N_("Tokens"),
        (
            Term(
                "token",
                N_("Token"),
                N_("token|tokens"),
                N_(
                    "An entry of the vocabulary: a word, a part of one or a single character. A model reads text as a sequence of tokens."
                ),
                "playground",
            ),
            Term(
                "subword",
                N_("Subword"),
                N_("subword|subwords"),
                N_(
                    "A part of a word that is a token. Frequent words become one token, rare ones are spelled with several subwords."
                ),
                "playground",
            ),
            Term(
                "vocabulary",
                N_("Vocabulary"),
                N_("vocabulary|vocabularies"),
                N_(
                    "All tokens that a tokenizer knows. Training ends when it has the size that was asked for."
                ),
                "bpe",
                {**COURSE, "step": "19"},
            ),
            Term(
                "id",
                N_("Id"),
                N_("id|ids"),
                N_("The number of a token in the vocabulary. It is what the model gets to see."),
                "playground",
            ),
            Term(
                "symbol",
                N_("Symbol, alphabet"),
                N_("symbol|symbols|alphabet"),
                N_(
                    "A symbol is what a word consists of before training: a character or a byte. All different symbols of the corpus are the alphabet."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "special_token",
                N_("Special token"),
                N_("special token|special tokens"),
                N_(
                    "A token that stands for no text but for a role, such as the end of a text. It is never cut and never merged."
                ),
                "pipeline",
            ),
            Term(
                "unknown",
                N_("Unknown token"),
                N_("unknown token|unknown tokens|unknown character|unknown characters|unknown"),
                N_(
                    "A special token, [UNK] or <unk>, that takes the place of what the vocabulary cannot spell."
                ),
                "pipeline",
            ),
        ),
    ),
    Section(
        N_("Merging (BPE)"),
        (
            Term(
                "pair",
                N_("Pair"),
                N_("pair|pairs"),
                N_("Two tokens that stand next to each other inside a word."),
                "bpe",
                COURSE,
            ),
            Term(
                "count",
                N_("Count (frequency)"),
                N_("count|counts|frequency|frequencies|frequent"),
                N_(
                    "How many times something stands in the corpus. A pair counts once for each place in a word, times the word's own count."
                ),
                "bpe",
                HUG,
            ),
            Term(
                "merge",
                N_("Merge"),
                N_("merge|merges|merged|merging"),
                N_(
                    "To join a pair into one new token, wherever the pair stands. Each merge is one step of training."
                ),
                "bpe",
                {**COURSE, "step": "1"},
            ),
            Term(
                "rank",
                N_("Rank"),
                N_("rank|ranks"),
                N_(
                    "The place of a merge in the order of learning. To encode a word, the earliest merge that fits comes first."
                ),
                "bpe",
                {**COURSE, "step": "19"},
            ),
            Term(
                "tie",
                N_("Tie"),
                N_("tie|ties|tied"),
                N_(
                    "Two or more candidates are equally good: pairs with the same count or score, or splits with the same probability. For pairs, a tie rule decides."
                ),
                "bpe",
                {**COURSE, "step": "2"},
            ),
            Term(
                "tie_rule",
                N_("Tie rule"),
                N_("tie rule|tie rules|rule|rules"),
                N_(
                    "What decides among tied pairs. Programs differ in it, and so learn different merges from the same corpus."
                ),
                "bpe",
                {**COURSE, "step": "7"},
            ),
        ),
    ),
    Section(
        N_("WordPiece"),
        (
            Term(
                "continuation",
                N_("Continuation prefix (##)"),
                N_("continuation prefix|##"),
                N_(
                    "The two signs in front of a token that continues a word: hugs may be hug and ##s. A token without them begins a word."
                ),
                "wordpiece",
                HUG,
            ),
            Term(
                "score",
                N_("Score"),
                N_("score|scores"),
                N_(
                    "What WordPiece chooses a pair by: the pair's count divided by the product of its two symbols' counts."
                ),
                "wordpiece",
                {**HUG, "step": "1"},
            ),
        ),
    ),
    Section(
        N_("Unigram"),
        (
            Term(
                "piece",
                N_("Piece"),
                N_("piece|pieces"),
                N_("What Unigram calls a token: a character or a longer substring, with a probability."),
                "unigram",
                HUG,
            ),
            Term(
                "seed",
                N_("Seed vocabulary"),
                N_("seed vocabulary|seed"),
                N_(
                    "The many pieces that Unigram starts from: all characters and the substrings that stand most often in the words."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "probability",
                N_("Probability of a piece"),
                N_("probability|probabilities|probable"),
                N_(
                    "The piece's share of all pieces in the corpus. A split is as probable as the product of its pieces' probabilities."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "log_probability",
                N_("Log probability, nat"),
                N_("log probability|log probabilities|log likelihood|log|nat|nats"),
                N_(
                    "The natural logarithm of a probability; its unit is the nat. Logs are added where probabilities are multiplied."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "split",
                N_("Split (segmentation)"),
                N_("split|splits|segmentation|segmentations"),
                N_(
                    "A word cut into tokens, one after the other, with nothing left over. Most words have many splits."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "best_split",
                N_("Best split"),
                N_("best split|best splits|best segmentation"),
                N_("The most probable split of a word. Unigram encodes the word with it."),
                "unigram",
                HUG,
            ),
            Term(
                "loss",
                N_("Loss"),
                N_("loss|losses|cost|costs"),
                N_(
                    "What the corpus costs, in nats: the sum of −log P over its words. A piece's loss is how much that grows without it."
                ),
                "unigram",
                {**HUG, "step": "1"},
            ),
            Term(
                "prune",
                N_("Prune"),
                N_("prune|prunes|pruned|pruning"),
                N_(
                    "To take pieces out of the vocabulary, the cheapest ones first. Words that used them are split anew."
                ),
                "unigram",
                {**HUG, "step": "1"},
            ),
            Term(
                "round",
                N_("Round"),
                N_("round|rounds"),
                N_(
                    "One pass of pruning: all pieces are ranked by their loss, and a fixed share of them goes."
                ),
                "unigram",
                {**HUG, "step": "1"},
            ),
            Term(
                "threshold",
                N_("Threshold"),
                N_("threshold|thresholds"),
                N_(
                    "A limit on which something depends: pieces whose loss lies below it are pruned, those above it stay."
                ),
                "unigram",
                {**HUG, "step": "1"},
            ),
            Term(
                "lattice",
                N_("Lattice"),
                N_("lattice|lattices"),
                N_(
                    "A drawing of all splits of a word at once: a bar for every piece at every place where it fits."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "node",
                N_("Node (boundary)"),
                N_("node|nodes|boundary|boundaries"),
                N_(
                    "A place between two characters in a lattice, where a piece may end and the next one begin."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "edge",
                N_("Edge"),
                N_("edge|edges"),
                N_(
                    "A piece at its place in a lattice, from one boundary to another. SentencePiece's code calls it a node."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "viterbi",
                N_("Viterbi"),
                N_("Viterbi"),
                N_(
                    "The search for the best split: from left to right, it keeps the best way to each boundary only."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "posterior",
                N_("Posterior"),
                N_("posterior|posteriors"),
                N_(
                    "The share of a word's probability that the splits with a given piece hold, at a given place."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "em",
                N_("EM"),
                N_("EM|forward–backward|Forward–backward"),
                N_(
                    "Expectation–maximization: E step and M step in turn, each time with probabilities that fit the corpus better."
                ),
                "unigram",
                {**EM_RUN, "step": "1"},
            ),
            Term(
                "e_step",
                N_("Expectation step (E step)"),
                N_("E step|expectation step|expected count|expected counts"),
                N_(
                    "Counts each piece in all splits of all words, each split as much as it is probable: the expected counts."
                ),
                "unigram",
                {**EM_RUN, "step": "1"},
            ),
            Term(
                "m_step",
                N_("Maximization step (M step)"),
                N_("M step|maximization step"),
                N_("Works out new probabilities from the expected counts of the E step."),
                "unigram",
                {**EM_RUN, "step": "2"},
            ),
        ),
    ),
    Section(
        N_("Encoding and models"),
        (
            Term(
                "encoding",
                N_("Encoding"),
                N_("encoding|encodings|encode|encodes|encoded"),
                N_(
                    "To turn a text into tokens and their ids, with what was learned in training. Decoding goes the other way."
                ),
                "playground",
            ),
            Term(
                "offset",
                N_("Offset"),
                N_("offset|offsets"),
                N_(
                    "Where a token stands in the text as it was given: the numbers of its first character and of the one after its last."
                ),
                "pipeline",
            ),
            Term(
                "template",
                N_("Template"),
                N_("template|templates|post-processing"),
                N_(
                    "Where a model wants its special tokens around one text or two, for example [CLS] A [SEP] B [SEP]."
                ),
                "pipeline",
            ),
            Term(
                "stride",
                N_("Stride"),
                N_("stride|strides"),
                N_(
                    "How many tokens a window over a long text shares with the window before it, so that nothing is lost at the cut."
                ),
                "pipeline",
            ),
        ),
    ),
)
TERMS: Mapping[str, Term] = {term.id: term for section in SECTIONS for term in section.terms}

_PLACEHOLDER = regex.compile(r"(\{[^{}]*\})")
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts whose words are not set apart by spaces, or not from their particles."""
_MARK = regex.compile(r'<span class="term" role="button" tabindex="0" data-term="(\w+)">([^<]*)</span>')


def forms_of(term: Term) -> list[str]:
    """The ways a term stands in sentences of the language in use."""
    return [form for form, _english in _forms(term)]


def _forms(term: Term) -> list[tuple[str, str]]:
    """The same, each with its English word if a translation says it: `规范化器|规范化=normalization`."""
    if not term.forms:
        return []
    pairs = [form.partition("=") for form in _(term.forms).split("|") if form]
    return [(own, other) for own, _equals, other in pairs]


def english(term: Term) -> str:
    """What most of the literature calls a term, for a reader of another language; "" where the term is that already.

    >>> from tokensteps.language.i18n import use_language
    >>> language = use_language("ja")
    >>> english(TERMS["merge"]), english(TERMS["space_markers"])
    ('merge', '')
    >>> language = use_language("en")
    >>> english(TERMS["merge"])
    ''
    """
    first = term.forms.split("|")[0]
    named = _(term.name)
    return "" if named == term.name or not first.isascii() or first.casefold() in named.casefold() else first


def definitions(ids: Iterable[str] = TERMS) -> dict[str, tuple[str, str]]:
    """Name, in English as well, and definition of terms, in the language in use."""
    named = {name: (_(TERMS[name].name), english(TERMS[name])) for name in ids}
    return {
        name: (f"{own} · {other}" if other else own, _(TERMS[name].definition))
        for name, (own, other) in named.items()
    }


def marked(message: str, seen: set[str] | None = None) -> str:
    """A message as markup with the first place of each term marked; its fields stay, and those already `seen` are left out.

    >>> marked("Tied & {pairs}")
    '<span class="term" role="button" tabindex="0" data-term="tie">Tied</span> &amp; {pairs}'
    """
    if seen is not None:
        return _marked(message, seen)
    return _marked_afresh(message, current_language())


@lru_cache(maxsize=4096)
def _marked_afresh(message: str, _language: str) -> str:
    return _marked(message, set())


def _marked(message: str, seen: set[str]) -> str:
    pattern, ids = _pattern(current_language())
    shown = []
    for place, part in enumerate(_PLACEHOLDER.split(message)):
        at = 0
        for match in pattern.finditer(part) if place % 2 == 0 else ():
            name = ids.get(match[0]) or ids[match[0].casefold()]
            if name in seen:
                continue
            seen.add(name)
            shown.append(escape(part[at : match.start()], quote=False) + _mark(name, match[0]))
            at = match.end()
        shown.append(escape(part[at:], quote=False))
    return "".join(shown)


def _mark(name: str, text: str) -> str:
    return (
        f'<span class="term" role="button" tabindex="0" data-term="{name}">{escape(text, quote=False)}</span>'
    )


@lru_cache(maxsize=8)
def _pattern(_language: str) -> tuple[regex.Pattern[str], dict[str, str]]:
    """What finds the terms of the language in use, longest first; and form → term, by the form in small letters too."""
    found = {form: term.id for term in TERMS.values() for form in forms_of(term)}
    ids = found | {form.casefold(): name for form, name in found.items() if form == form.lower()}
    wanted = "|".join(map(_form_pattern, sorted(found, key=len, reverse=True)))
    return regex.compile(wanted or r"(?!)"), ids


def _form_pattern(form: str) -> str:
    """Letters and digits of scripts with spaces end a word; a form in small letters is found in any case."""
    letter = rf"[[\w]--[{_UNSPACED}]]"
    before = rf"(?<!{letter}|\w-)" if regex.match(rf"(?V1){letter}", form) else ""
    after = rf"(?!{letter}|-\w)" if regex.match(rf"(?V1){letter}", form[-1]) else ""
    body = regex.escape(form, literal_spaces=True)
    return rf"(?V1:{before}{f'(?i:{body})' if form == form.lower() else body}{after})"


def fill_marked(message: str, **markup: str) -> str:
    """Like `fill` of tokensteps/drawing/tokens.py, its terms marked: the message is escaped, its fields are markup already."""
    return marked(message).format(**markup)


def once(html: str, limit: int = MARKS_IN_FRAME) -> str:
    """A frame's markup with one mark for each term, the first, and no more than `limit` of them."""
    seen: set[str] = set()

    def keep(match: regex.Match[str]) -> str:
        if match[1] in seen or len(seen) == limit:
            return str(match[2])
        seen.add(match[1])
        return str(match[0])

    return str(_MARK.sub(keep, html))


def unmarked(html: str) -> str:
    """Markup without its marks."""
    return once(html, 0)


def marks_in(html: str) -> list[str]:
    """The terms that are marked, in their order."""
    return [str(match[1]) for match in _MARK.finditer(html)]


def lead_html(message: str) -> str:
    """A page's sentence about itself, its terms marked, and in another language than English followed by the English ones."""
    told = _MARK.sub(lambda mark: mark[0] + _english_html(TERMS[mark[1]], mark[2]), marked(message))
    return f'<div class="ts"><p class="lead under-title">{told}</p></div>'


def _english_html(term: Term, said: str) -> str:
    """English in brackets after a term: the form's own, else for the first form the term's."""
    forms = _forms(term)
    other = dict(forms).get(said) or (english(term) if said == forms[0][0] else "")
    return f'（<span lang="en">{escape(other, quote=False)}</span>）' if other else ""


def matches(term: Term, text: str) -> bool:
    """Whether an entry has a text in its name, its forms or its definition."""
    wanted = text.casefold().strip()
    parts = [_(part) for part in (term.name, term.forms, term.definition) if part]
    return any(wanted in part.casefold() for part in (*parts, english(term)))


def entry_html(term: Term, wanted: bool = False) -> str:
    """A glossary entry; the one that was asked for stands out."""
    other = english(term)
    name = escape(_(term.name), quote=False) + (
        f' <span lang="en">{escape(other, quote=False)}</span>' if other else ""
    )
    return (
        f'<dl class="ts entry{" wanted" if wanted else ""}"><dt id="term-{term.id}">{name}</dt>'
        f"<dd>{escape(_(term.definition), quote=False)}</dd></dl>"
    )
