"""vocab.json and merges.txt: a BPE tokenizer in two files."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tokenizers_core.errors import quoted
from tokenizers_core.files.loading import without_returns
from tokenizers_core.files.writer import END_MARK, MARK_ENDS
from tokenizers_core.text.splitting import END_OF_WORD
from tokensteps.catalogue.files.documents import BYTES_ONLY, bpe_model, check_ids, new_document
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.loaded import LoadedSubject, from_document
from tokensteps.catalogue.files.ranks import numbered
from tokensteps.catalogue.files.recognition import RecognizedFile
from tokensteps.catalogue.files.words import UNKNOWN_TOKENS, published_pattern, word_rule


def from_vocab_and_merges(
    vocab: RecognizedFile,
    merges: RecognizedFile,
    name: str,
    pattern: str | None,
    more: Mapping[str, int | None],
) -> LoadedSubject:
    """A BPE tokenizer. Its files don't say how text becomes words, but its tokens show it."""
    ids: dict[str, int] = vocab.content
    check_ids(ids, vocab.file)
    ids = ids | numbered({token: value for token, value in more.items() if token not in ids}, ids.values())
    check_ids(ids, vocab.file)
    known = ids.keys()
    pairs = _pairs_over_lines(merges, known) if any("\n" in token for token in ids) else _pairs(merges)
    for pair in pairs:
        for token in (*pair, "".join(pair)):
            if token not in known:
                raise LoadError("merge_unknown", merges.file, token=quoted(token))
    result = {first + second for first, second in pairs}
    unknown = next((token for token in UNKNOWN_TOKENS if token in ids), None)
    # The end of a word is a symbol of its own in the first programs for BPE, and part of the last character
    # in later ones.
    joined = any(len(token) == 5 and token.endswith(END_OF_WORD) and token not in result for token in ids)
    apart = END_OF_WORD in ids and not joined
    symbols = {token for token in ids if len(token.removesuffix(END_OF_WORD)) == 1 or token == END_OF_WORD}
    # A token without a merge can only be found in the text as it is.
    special = [(token, ids[token]) for token in ids if token and token not in result and token not in symbols]
    ordinary = result | symbols
    published = published_pattern(len(vocab.content), next(iter(vocab.content)))
    words = word_rule(ordinary, pattern, published)
    respelled = ("", "")
    if words.end and apart:
        respelled = (END_MARK, END_OF_WORD)
        ids = {token.replace(END_OF_WORD, END_MARK): identifier for token, identifier in ids.items()}
        pairs = [
            (first.replace(END_OF_WORD, END_MARK), second.replace(END_OF_WORD, END_MARK))
            for first, second in pairs
        ]
    document = new_document(
        bpe_model(
            ids,
            [list(pair) for pair in pairs],
            unk_token=unknown,
            end_of_word_suffix=None if respelled[0] else words.end,
        ),
        special,
        normalizer=MARK_ENDS if respelled[0] else None,
        pre_tokenizer=words.pre_tokenizer,
        decoder=words.decoder,
    )
    subject = from_document(document, vocab.file, name, [words.note], respelled=respelled)
    if words.decoder == BYTES_ONLY:
        subject.pattern = pattern or published or "gpt2"
    return subject


def _pairs(merges: RecognizedFile) -> list[tuple[str, str]]:
    lines = without_returns(merges.content.removesuffix("\n").split("\n"))
    pairs = []
    for line_number, line in enumerate(lines, start=1):
        if not line or (line_number == 1 and line.startswith("#version")):
            continue
        first, space, second = line.partition(" ")
        if not (first and space and second) or " " in second:
            raise LoadError("merge_line", merges.file, line_number=line_number, line=quoted(line))
        pairs.append((first, second))
    return pairs


def _pairs_over_lines(merges: RecognizedFile, known: Collection[str]) -> list[tuple[str, str]]:
    """The merges of a vocabulary with line ends in some tokens, written to the file as they are.

    A merge ends at a line end if its two tokens and the merged one are known, and if the rest of the file can
    be read, too. So the file is read from its end.
    """
    text = merges.content
    text = text if text.endswith("\n") else f"{text}\n"
    start = text.index("\n") + 1 if text.startswith("#version") else 0
    longest = max(map(len, known))
    read: dict[int, tuple[str, str, int]] = {len(text): ("", "", 0)}
    for begin in range(len(text) - 1, start - 1, -1):
        if begin != start and text[begin - 1] != "\n":
            continue
        space = text.find(" ", begin + 1, begin + longest + 1)
        first = text[begin:space]
        end = text.find("\n", space + 2) if space > 0 and first in known else -1
        while 0 < end <= space + longest + 1:
            second = text[space + 1 : end]
            if end + 1 in read and second in known and first + second in known:
                read[begin] = first, second, end + 1
                break
            end = text.find("\n", end + 1)
    if start not in read:
        return _pairs(merges)  # which says where it is wrong
    pairs = []
    while start < len(text):
        first, second, start = read[start]
        pairs.append((first, second))
    return pairs
