"""The glossary's entries: the technical words of the app, each with its meaning, and a page to see it on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tokensteps.language.i18n import N_


class Term(NamedTuple):
    """A technical word. `name`, `forms`, `synonyms` and `definition` are to be translated."""

    id: str
    name: str
    forms: str
    """Its forms in sentences, separated by `|`; empty for an unmarked term. A form with a capital is matched
    as written. A translation may give the English word of each: `规范化器|规范化=normalization`."""
    synonyms: str
    """Its other names in courses, papers and libraries, separated by `|`: the glossary shows and finds them,
    no sentence uses them. A translation lists those of its language, however many there are."""
    definition: str
    page: str = ""
    """The page with an example: the path in the app's address, or "" for none."""
    query: Mapping[str, str] = {}
    """The parameters of that page's address."""


class Section(NamedTuple):
    """Related terms; `title` is to be translated."""

    title: str
    terms: tuple[Term, ...]


COURSE: Final = {"corpus": "course"}
HUG: Final = {"corpus": "hug"}
EM_RUN: Final = {"corpus": "hug", "method": "sentencepiece"}

SECTIONS: Final[tuple[Section, ...]] = (
    Section(
        N_("From text to words"),
        (
            Term(
                "corpus",
                N_("Corpus"),
                N_("corpus|corpora"),
                N_("training text|training data"),
                N_(
                    "The text that a tokenizer is trained on. Training needs only its words and how often each one occurs, except in SuperBPE and parity-aware BPE."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "normalizer",
                N_("Normalizer"),
                N_("normalizer|normalizers|normalization|normalizing"),
                N_("standardization|text cleaning"),
                N_(
                    "The first stage: it rewrites the text, for example in lowercase or without accents, before the text is cut into words."
                ),
                "pipeline",
            ),
            Term(
                "pre_tokenizer",
                N_("Pre-tokenizer"),
                N_("pre-tokenizer|pre-tokenizers|pre-tokenization"),
                N_("word splitting|pretokenization"),
                N_(
                    "The stage that cuts the text into words. No token crosses such a cut, except in SuperBPE."
                ),
                "pipeline",
            ),
            Term(
                "word",
                N_("Word (pre-token)"),
                N_("word|words|pre-token|pre-tokens"),
                N_("pretoken|chunk"),
                N_(
                    "A stretch of text between two cuts of the pre-tokenizer, often with the space before it. Every token lies inside one word, except in SuperBPE."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "byte",
                N_("Byte"),
                N_("byte|bytes"),
                N_("octet|8-bit value"),
                N_(
                    "A number from 0 to 255. In UTF-8, an English letter is one byte; letters of other scripts and emoji take two to four."
                ),
            ),
            Term(
                "byte_level",
                N_("Byte level"),
                N_("byte level|byte-level"),
                N_("byte-based|BBPE"),
                N_(
                    "Starting from the 256 bytes instead of characters, so that no text is unknown. Each byte is written as its own character."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "space_markers",
                N_("Ġ, ▁ and ␣"),
                N_("Ġ|▁|␣"),
                N_("space marker|space symbol"),
                N_(
                    "Signs for the space before a word. The vocabulary has Ġ at byte level, and ▁ in Metaspace and SentencePiece; ␣ is how this app draws both."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "end_of_word",
                N_("End of a word (</w>)"),
                N_("</w>"),
                N_("end-of-word marker|end-of-word suffix"),
                N_(
                    "Four characters at the end of a token that ends a word, as in the first BPE and in CLIP: hugs may be hug and s</w>."
                ),
            ),
        ),
    ),
    Section(
        N_("Tokens"),
        (
            Term(
                "tokenizer",
                N_("Tokenizer"),
                N_("tokenizer|tokenizers"),
                N_("tokeniser|segmenter"),
                N_(
                    "It cuts text into tokens, gives each one its id, and turns ids back into text. Training finds its vocabulary."
                ),
                "playground",
            ),
            Term(
                "token",
                N_("Token"),
                N_("token|tokens"),
                N_("vocabulary item|unit"),
                N_(
                    "An entry of the vocabulary: a word, part of a word or a single character. A model reads text as a sequence of tokens."
                ),
                "playground",
            ),
            Term(
                "subword",
                N_("Subword"),
                N_("subword|subwords"),
                N_("subword unit|word part"),
                N_(
                    "A part of a word that is a token. Frequent words become one token, rare ones are spelled with several subwords."
                ),
                "playground",
            ),
            Term(
                "vocabulary",
                N_("Vocabulary"),
                N_("vocabulary|vocabularies"),
                N_("vocab|dictionary"),
                N_(
                    "All the tokens that a tokenizer knows. Training ends when it reaches the size you asked for."
                ),
                "bpe",
                {**COURSE, "step": "19"},
            ),
            Term(
                "id",
                N_("Id"),
                N_("id|ids"),
                N_("token id|index|input id"),
                N_("The number of a token in the vocabulary. It is what the model sees."),
                "playground",
            ),
            Term(
                "symbol",
                N_("Symbol, alphabet"),
                N_("symbol|symbols|alphabet"),
                N_("base vocabulary|initial vocabulary"),
                N_(
                    "A symbol is what a word consists of before training: a character or a byte. The alphabet is all the different symbols in the corpus."
                ),
                "bpe",
                COURSE,
            ),
            Term(
                "special_token",
                N_("Special token"),
                N_("special token|special tokens"),
                N_("control token|control symbol|added token"),
                N_(
                    "A token that stands for a role rather than for text, such as the end of a text. It is never split and never merged."
                ),
                "pipeline",
            ),
            Term(
                "unknown",
                N_("Unknown token"),
                N_("unknown token|unknown tokens|unknown character|unknown characters|unknown"),
                N_("out of vocabulary|OOV|unk"),
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
                N_("symbol pair|adjacent pair|bigram"),
                N_("Two tokens next to each other inside a word."),
                "bpe",
                COURSE,
            ),
            Term(
                "count",
                N_("Count (frequency)"),
                N_("count|counts|frequency|frequencies|frequent"),
                N_("occurrences|number of times"),
                N_(
                    "How many times something occurs in the corpus. A pair counts once for each place in a word, times the word's own count."
                ),
                "bpe",
                HUG,
            ),
            Term(
                "merge",
                N_("Merge"),
                N_("merge|merges|merged|merging"),
                N_("merge rule|merge operation"),
                N_(
                    "To join a pair into one new token, wherever the pair occurs. Each merge is one step of training."
                ),
                "bpe",
                {**COURSE, "step": "1"},
            ),
            Term(
                "rank",
                N_("Rank"),
                N_("rank|ranks"),
                N_("priority|merge order"),
                N_(
                    "A merge's position in the order of learning. To encode a word, apply the earliest merge that fits first."
                ),
                "bpe",
                {**COURSE, "step": "19"},
            ),
            Term(
                "tie",
                N_("Tie"),
                N_("tie|ties|tied"),
                N_("draw|equal score"),
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
                N_("tie-breaking|tie-breaker"),
                N_(
                    "What decides among tied pairs. Programs use different rules, so they learn different merges from the same corpus."
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
                N_("subword prefix|continuing subword prefix"),
                N_(
                    "The two characters in front of a token that continues a word: hugs may be hug and ##s. A token without them begins a word."
                ),
                "wordpiece",
                HUG,
            ),
            Term(
                "score",
                N_("Score"),
                N_("score|scores"),
                N_("pair score|WordPiece score"),
                N_(
                    "How WordPiece chooses a pair: the pair's count divided by the product of its two symbols' counts. In a lattice: the log probability of a piece or a path."
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
                N_("sentence piece|unigram token"),
                N_("What Unigram calls a token: a character or a longer substring, with a probability."),
                "unigram",
                HUG,
            ),
            Term(
                "seed",
                N_("Seed vocabulary"),
                N_("seed vocabulary|seed"),
                N_("initial vocabulary|starting vocabulary"),
                N_(
                    "The many pieces that Unigram starts from: all characters and the most frequent substrings of the words."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "probability",
                N_("Probability of a piece"),
                N_("probability|probabilities|probable"),
                N_("relative frequency|unigram probability"),
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
                N_("logprob|natural logarithm"),
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
                N_("partition|way of cutting"),
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
                N_("most likely segmentation|Viterbi path"),
                N_("The most probable split of a word. Unigram uses it to encode the word."),
                "unigram",
                HUG,
            ),
            Term(
                "loss",
                N_("Loss"),
                N_("loss|losses|cost|costs"),
                N_("negative log likelihood|objective"),
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
                N_("removal|trimming"),
                N_(
                    "To remove pieces from the vocabulary, the cheapest ones first. Words that used them are re-segmented."
                ),
                "unigram",
                {**HUG, "step": "1"},
            ),
            Term(
                "round",
                N_("Round"),
                N_("round|rounds"),
                N_("iteration|pass"),
                N_(
                    "One pass of pruning: all pieces are ranked by their loss, and a fixed share of them is pruned."
                ),
                "unigram",
                {**HUG, "step": "1"},
            ),
            Term(
                "threshold",
                N_("Threshold"),
                N_("threshold|thresholds"),
                N_("cutoff|cut-off"),
                N_(
                    "A cutoff: pieces whose loss is below it are pruned, those above it stay. In PickyBPE, a token whose share (IoS) is above it leaves."
                ),
                "unigram",
                {**HUG, "step": "1"},
            ),
            Term(
                "lattice",
                N_("Lattice"),
                N_("lattice|lattices"),
                N_("word graph|segmentation graph"),
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
                N_("vertex|lattice position"),
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
                N_("arc|transition"),
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
                N_("Viterbi algorithm|dynamic programming"),
                N_(
                    "The search for the best split: from left to right, it keeps only the best path to each boundary."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "posterior",
                N_("Posterior"),
                N_("posterior|posteriors"),
                N_("posterior probability|marginal probability"),
                N_(
                    "The share of a word's probability held by the splits that have a given piece at a given place."
                ),
                "unigram",
                HUG,
            ),
            Term(
                "em",
                N_("EM"),
                N_("EM|forward–backward|Forward–backward"),
                N_("expectation maximization|Baum–Welch"),
                N_(
                    "Expectation–maximization: it alternates the E step and the M step. Plain EM never makes the corpus less probable; "
                    "SentencePiece's M step, which lowers rare pieces and drops some, may."
                ),
                "unigram",
                {**EM_RUN, "step": "1"},
            ),
            Term(
                "e_step",
                N_("Expectation step (E step)"),
                N_("E step|expectation step|expected count|expected counts"),
                N_("E-step|expectation"),
                N_(
                    "Counts each piece in all splits of all words, weighting each split by its probability: the expected counts."
                ),
                "unigram",
                {**EM_RUN, "step": "1"},
            ),
            Term(
                "m_step",
                N_("Maximization step (M step)"),
                N_("M step|maximization step"),
                N_("M-step|re-estimation"),
                N_("Computes new probabilities from the expected counts of the E step."),
                "unigram",
                {**EM_RUN, "step": "2"},
            ),
        ),
    ),
    Section(
        N_("One vocabulary, several ways"),
        (
            Term(
                "longest_prefix",
                N_("Longest match from the left"),
                N_("longest match from the left|longest match|longest prefix"),
                N_("longest prefix first|greedy matching|MaxMatch"),
                N_(
                    "Take the longest token that begins the word, then the longest that begins the rest, and so on. WordPiece encodes like that."
                ),
                "playground",
            ),
            Term(
                "longest_suffix",
                N_("Longest match from the right"),
                N_("longest match from the right|longest suffix"),
                N_("longest suffix first|backward maximum matching"),
                N_(
                    "Take the longest token that ends the word, then the longest that ends the rest, and so on. A word is cut from its end."
                ),
                "playground",
            ),
            Term(
                "longest_token",
                N_("Longest token anywhere first"),
                N_("longest token anywhere first"),
                N_("longest token first|FLOTA"),
                N_(
                    "Take the longest token in the whole word, the leftmost of several; then the same in what is left of it on both sides."
                ),
                "playground",
            ),
            Term(
                "fewest_tokens",
                N_("Fewest tokens (shortest path)"),
                N_("fewest tokens (shortest path)|shortest path|shortest paths"),
                N_("least tokens|minimal tokenization"),
                N_(
                    "Cut the word into as few tokens as possible: a shortest path through its lattice. Several paths may be equally short."
                ),
                "playground",
            ),
            Term(
                "sampled",
                N_("Sampling"),
                N_("sampling|sampled at random|dropout"),
                N_("subword regularization|BPE-dropout"),
                N_(
                    "Leave the split to chance: BPE passes over some of its merges, Unigram prefers probable splits. Models trained like that see many splits of a word."
                ),
                "playground",
            ),
        ),
    ),
    Section(
        N_("Measures"),
        (
            Term(
                "tokens_per_character",
                N_("Tokens per character"),
                N_("tokens per character"),
                N_("tokens per code point|token-to-character ratio"),
                N_(
                    "How many tokens a character takes on average. It works without spaces between words, but a character says more in one script than in another."
                ),
                "playground",
            ),
            Term(
                "whole_words",
                N_("Whole words"),
                N_("whole words|share of whole words"),
                N_("unsplit words|words kept whole"),
                N_(
                    "The share of words that are one token. It doesn't say whether the other words are cut at sensible places."
                ),
                "playground",
            ),
            Term(
                "vocabulary_used",
                N_("Vocabulary used"),
                N_("vocabulary used|share of the vocabulary used"),
                N_("vocabulary utilization|active vocabulary"),
                N_(
                    "The share of the vocabulary that occurs in a text. It grows with the text, so compare tokenizers on the same one."
                ),
                "playground",
            ),
            Term(
                "renyi_efficiency",
                N_("Rényi efficiency"),
                N_("Rényi efficiency|Rényi's entropy"),
                N_("normalized entropy|entropy efficiency"),
                N_(
                    "How evenly tokens are used: Rényi's entropy of their shares, divided by the largest possible. It is 1 where all occur equally often."
                ),
                "playground",
            ),
            Term(
                "premium",
                N_("Premium"),
                N_("premium|premiums"),
                N_("tokenization premium|language tax"),
                N_(
                    "How many times as many tokens a language takes as another one, for the same lines. What is paid per token costs that much more."
                ),
                "playground",
            ),
            Term(
                "gini",
                N_("Gini coefficient"),
                N_("Gini coefficient|Gini"),
                N_("Gini index|inequality index"),
                N_(
                    "How unequal some numbers are, such as the tokens per line of several languages: 0 where all are equal, close to 1 where one has nearly all."
                ),
                "playground",
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
                N_("tokenization|tokenizing"),
                N_(
                    "To turn a text into tokens and their ids, using what was learned in training. Decoding goes the other way."
                ),
                "playground",
            ),
            Term(
                "offset",
                N_("Offset"),
                N_("offset|offsets"),
                N_("character span|offset mapping"),
                N_(
                    "Where a token is in the original text: the positions of its first character and of the one after its last."
                ),
                "pipeline",
            ),
            Term(
                "template",
                N_("Template"),
                N_("template|templates|post-processing"),
                N_("post-processor|template processing"),
                N_(
                    "Where a model wants its special tokens around one text or two, for example [CLS] A [SEP] B [SEP]."
                ),
                "pipeline",
            ),
            Term(
                "context_window",
                N_("Context window"),
                N_("context window|context windows"),
                N_("context length|maximum sequence length"),
                N_(
                    "How many tokens a model reads at once. The more tokens a text takes, the less of it fits."
                ),
                "matters",
                {"scene": "languages"},
            ),
            Term(
                "fertility",
                N_("Fertility"),
                N_("fertility"),
                N_("tokens per word|subword fertility"),
                N_(
                    "How many tokens a word takes on average. It is 1 where every word is a token, and grows with words that the vocabulary wasn't trained on."
                ),
                "matters",
                {"scene": "languages"},
            ),
            Term(
                "price_per_token",
                N_("Price per token"),
                N_("price per token"),
                N_("token cost|API pricing"),
                N_(
                    "What a model's operator charges, usually for a million tokens. The same text costs more in a language that takes more tokens."
                ),
                "matters",
                {"scene": "languages"},
            ),
            Term(
                "glitch_token",
                N_("Glitch token"),
                N_("glitch token|glitch tokens"),
                N_("undertrained token|under-trained token"),
                N_(
                    "A token of the vocabulary that the model hardly met in its own training, because that used another text. What the model makes of it is chance."
                ),
                "matters",
                {"scene": "glitch"},
            ),
            Term(
                "spelling",
                N_("Spelling"),
                N_("spelling"),
                N_("counting letters|character-level tasks"),
                N_(
                    "Which letters are in a word, and how many. A model gets tokens, not letters, so it has to know each token's letters by heart."
                ),
                "matters",
            ),
            Term(
                "arithmetic",
                N_("Arithmetic"),
                N_("arithmetic"),
                N_("numbers|calculating"),
                N_(
                    "A number's tokens decide which digits a model sees together. Merges join digits that are often side by side; newer patterns cut in threes, or digit by digit."
                ),
                "matters",
                {"scene": "numbers"},
            ),
            Term(
                "stride",
                N_("Stride"),
                N_("stride|strides"),
                N_("overlap|window overlap"),
                N_(
                    "How many tokens a window over a long text shares with the window before it, so that nothing is lost at the cut."
                ),
                "pipeline",
            ),
        ),
    ),
)
TERMS: Final[Mapping[str, Term]] = {term.id: term for section in SECTIONS for term in section.terms}
