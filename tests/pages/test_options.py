"""The rarely used rules of training, on the training pages: set in the sidebar, said at the step where they
act, in links and in What if.

Oracle: the engine, trained directly with the same limits (compared with the libraries in
`tests/core/test_limits.py`).
"""

from __future__ import annotations

import ast
import html
import re
from pathlib import Path
from urllib.parse import urlencode

from tests.pages.pages import Page, address, bodies, book, problems, run
from tokenizers_core import Corpus, train_bpe, train_sentencepiece_bpe, train_unigram, train_wordpiece
from tokenizers_core.counterfactual.divergence import vocabulary_difference
from tokenizers_core.counterfactual.effects import effects
from tokenizers_core.text.cutting import DIGITS, PIECE_DIGITS, CutAt
from tokenizers_core.text.rewriting import Replace
from tokensteps import pages
from tokensteps.language.i18n import LANGUAGES, _, use_language
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.rules import BPE_RULES, RULES_OF, UNIGRAM_RULES, VIEWS, WORDPIECE_RULES

BPE = Page("bpe", Path("pages", "train", "bpe.py"), BPE_RULES)
WORDPIECE = Page("wordpiece", Path("pages", "train", "wordpiece.py"), WORDPIECE_RULES)
UNIGRAM = Page("unigram", Path("pages", "train", "unigram.py"), UNIGRAM_RULES)
WHATIF = Page("whatif", Path("pages", "train", "whatif.py"), ())


def course() -> Corpus:
    return Corpus.from_texts(EXAMPLES["course"].text().splitlines())


def plain(markup: str) -> str:
    return html.unescape(re.sub("<[^>]*>", "", markup))


def test_a_token_that_would_be_too_long_is_struck_out_where_it_would_have_won() -> None:
    app = BPE.opened(urlencode({"corpus": "course", "longest": "2", "size": "", "special": ""}))
    assert problems(app) == [] and address(app)["longest"] == "2"
    frames, trace = book(app)["frames"], train_bpe(course(), max_token_length=2)
    assert len(frames) == len(trace) + 1
    out = [step for step in range(1, len(trace) + 1) if trace[step].excluded]
    assert 0 < len(out) < len(trace)
    for step, frame in enumerate(frames):
        message = "would have been merged, but its token would be longer than 2 characters." in frame["say"]
        struck = '<tr class="out">' in frame["html"] and "too long" in plain(frame["html"])
        assert message == struck == (step in out)
    assert "bounds exclude every pair that is left" in frames[-1]["say"]


def test_the_rules_are_folded_until_one_is_set() -> None:
    usual, limited = BPE.opened("corpus=hug"), BPE.opened("corpus=hug&letters=4")
    folded = [
        [box.proto.expanded for box in app.sidebar.expander if box.label == "More rules"]
        for app in (usual, limited)
    ]
    assert folded == [[False], [True]]
    limited.number_input(key="bpe.letters").set_value(5)
    run(limited)
    assert address(limited)["letters"] == "5"


def test_characters_outside_of_the_alphabet_are_named_at_the_start() -> None:
    """In every language, with their counts, the most frequent first."""
    for language in LANGUAGES:
        app = BPE.opened(urlencode({"corpus": "hug", "letters": "4", "lang": language}))
        assert problems(app) == []
        start = book(app)["frames"][0]["say"]
        positions = [start.index(f"{token} × {number}") for token, number in (("h", 15), ("s", 5), ("b", 4))]
        assert positions == sorted(positions)


def test_a_coverage_and_characters_that_are_always_there() -> None:
    app = WORDPIECE.opened(
        urlencode({"corpus": "course", "coverage": "0.95", "initial": "é ü", "maxword": "6"})
    )
    assert problems(app) == []
    source = EXAMPLES["course"]
    pipeline = source.settings_on("wordpiece").get("pre", "bert")
    corpus = Corpus.from_texts(source.text().splitlines(), pre_tokenizer=pipeline)
    trace = train_wordpiece(corpus, character_coverage=0.95, initial_alphabet=("é", "ü"), merges=0)
    start = book(app)["frames"][0]["say"]
    assert f"{len(trace.left_out)} characters are outside of the alphabet" in start
    assert f"The alphabet has {len(trace.alphabet)} symbols" in start
    long = [word for word in corpus.words if len(word) > 6]
    assert f"{len(long)} words are longer than 6 characters, and unknown as a whole" in start


def test_unigrams_seed_without_excluded_pieces() -> None:
    """Struck out with the reason, and mentioned, where it would have been in the seed; the unknown
    characters, with their counts."""
    app = UNIGRAM.opened(urlencode({"corpus": "hug", "longest": "2", "size": "8"}))
    start = book(app)["frames"][0]
    assert problems(app) == [] and address(app)["longest"] == "2"
    assert "hug would be in the seed, but is longer than 2 characters" in start["say"]
    assert '<tr class="out">' in start["html"] and "too long" in plain(start["html"])
    app = UNIGRAM.opened(urlencode({"corpus": "hug", "coverage": "0.9", "size": "8"}))
    start = book(app)["frames"][0]
    assert problems(app) == [] and address(app)["coverage"] == "0.9"
    assert "2 characters are not covered, in no piece, and unknown: s × 5, b × 4." in start["say"]
    assert "unknown character" in plain(start["html"])
    assert "out" not in re.findall(
        '<tr class="([a-z]+)">', book(UNIGRAM.opened("corpus=hug"))["frames"][0]["html"]
    )


def test_bpe_as_sentencepiece_trains_it() -> None:
    """The engine's run, with SentencePiece's own rules: no tie rule to choose, and pairs excluded by a rule
    struck out."""
    app = BPE.opened(
        urlencode(
            {
                "corpus": "course",
                "kind": "sentencepiece_bpe",
                "pre": "whitespace_split_metaspace",
                "size": "",
                "special": "",
            }
        )
    )
    corpus = Corpus.from_texts(
        EXAMPLES["course"].text().splitlines(), pre_tokenizer="whitespace_split_metaspace"
    )
    trace = train_sentencepiece_bpe(corpus)
    frames = book(app)["frames"]
    assert problems(app) == [] and len(frames) == len(trace) + 1
    assert (
        "bpe.ties" not in {box.key for box in app.sidebar.selectbox}
        and BPE.value(app, "kind") == "sentencepiece_bpe"
    )
    for step, frame in enumerate(frames):
        said = [one.reason for one in trace[step].excluded]
        assert ("SentencePiece makes no piece of several scripts" in frame["say"]) == (
            said[:1] == ["scripts"]
        )
    assert any("scripts mixed" in plain(frame["html"]) for frame in frames)
    hidden = {
        "corpus": "course",
        "kind": "sentencepiece_bpe",
        "pre": "whitespace_split_metaspace",
        "mode": "predict",
    }
    predicted = BPE.opened(urlencode({**hidden, "step": "2"}))
    assert problems(predicted) == [] and book(predicted)["last"] == 2 < len(trace)
    refused = BPE.opened(urlencode({"corpus": "course", "kind": "sentencepiece_bpe", "pre": "byte_level"}))
    assert "choose Metaspace" in problems(refused)[0]
    chosen = BPE.opened("corpus=course")
    assert not [caption for caption in chosen.sidebar.caption if "Not there" in caption.value]
    chosen.selectbox(key="bpe.kind").set_value("sentencepiece_bpe")
    run(chosen)
    assert problems(chosen) == [] and BPE.value(chosen, "pre") == "whitespace_split_metaspace"
    assert address(chosen)["pre"] == "whitespace_split_metaspace"
    [said] = [caption.value for caption in chosen.sidebar.caption if "Not there" in caption.value]
    assert "characters and ▁ instead of bytes" in said
    assert "Not there: Characters in the alphabet." in said


def test_a_rules_additions_are_explained() -> None:
    """Characters always in the alphabet, where they come in; words with ▁ behind a symbol; SentencePiece's
    own digits."""
    url = {
        "corpus": "paste",
        "text": "hug 12² <n>hug",
        "kind": "sentencepiece_bpe",
        "pre": "whitespace_split_metaspace",
    }
    app = BPE.opened(urlencode(url | {"initial": "é h", "digits": "each", "kept": "<n>", "size": ""}))
    assert problems(app) == [] and (address(app)["initial"], address(app)["digits"]) == ("é h", "each")
    start = book(app)["frames"][0]["say"]
    assert "1 character is in the alphabet without being in the corpus: é." in start
    assert "as in tokenizers; in SentencePiece, only after a space." in start
    words = [*Corpus.from_texts(["hug 12² "], pre_tokenizer=url["pre"], cuts=(PIECE_DIGITS,)).words]
    assert words == ["▁hug", "▁", "1", "2", "²"]
    assert f"{len(words)} different words, {len(words) + 1} in all" in start
    app = UNIGRAM.opened(urlencode({"corpus": "hug", "method": "sentencepiece", "initial": "é", "size": "9"}))
    frames = book(app)["frames"]
    assert (
        problems(app) == []
        and "1 character isn't in the corpus and comes in at the last step: é" in frames[0]["say"]
    )
    assert "Always in the alphabet, and so put back: é" in plain(frames[-1]["html"])
    course_method = UNIGRAM.opened(urlencode({"corpus": "hug", "initial": "é"}))
    assert problems(course_method) == [] and "last step" not in book(course_method)["frames"][0]["say"]


def test_rules_unknown_to_a_kind_are_named() -> None:
    """In every language: the labels of plain BPE's rules missing in this kind."""
    for language in LANGUAGES:
        use_language(language)
        app = BPE.opened(urlencode({"corpus": "hug", "kind": "pickybpe", "lang": language}))
        unknown = ("longest", "letters", "coverage", "initial", "bytes")
        labels = [_(rule.label) for rule in BPE_RULES if rule.name in unknown]
        use_language("en")
        [said] = [caption.value for caption in app.sidebar.caption if "PickyBPE" in caption.value]
        assert all(label in said for label in labels)


def test_symbols_that_are_kept_whole() -> None:
    """Named with their counts at the start, on every page; one token each in the vocabulary, and in the
    words' splits none."""
    for page in (BPE, WORDPIECE, UNIGRAM):
        app = page.opened(
            urlencode(
                {"corpus": "paste", "text": "hug <n> pug <n>hug</n> hugs", "kept": "<n> </n>", "size": ""}
            )
        )
        assert problems(app) == [] and address(app)["kept"] == "<n> </n>"
        frames = book(app)["frames"]
        assert "2 symbols are kept whole" in frames[0]["say"] and "<n> × 2, </n> × 1" in frames[0]["say"]
        assert all("&lt;n" not in label["label"] for label in frames[1:])
    app = WHATIF.opened(urlencode({"t1": "bpe?corpus=hug", "what": "kept", "to": "ug"}))
    assert problems(app) == [] and app.selectbox(key="whatif.what").value == "kept"


def test_words_are_cut_besides_on_every_page() -> None:
    """The words of each run equal the engine's with the same cuts, and the tokenizer encodes alike."""
    text = "In 12345 runs, ab-cd ran 67 times; yes-no, 890"
    for page in (BPE, WORDPIECE, UNIGRAM):
        url = {
            "corpus": "paste",
            "text": text,
            "pre": "whitespace_split",
            "digits": "right",
            "cut": "-",
            "cuts": "removed",
        }
        app = page.opened(urlencode(url | {"replace": "ran", "put": "RAN", "size": ""}))
        assert problems(app) == [] and address(app)["digits"] == "right"
        corpus = Corpus.from_texts(
            [text],
            (Replace("ran", "RAN"), "none"),
            "whitespace_split",
            cuts=(CutAt("-", "Removed"), DIGITS["right"]),
        )
        assert {"12", "345", "RAN", "ab", "cd"} <= {*corpus.words}
        start = book(app)["frames"][0]["say"]
        assert "In the text, ran is replaced by RAN first. " in start
        assert "Words are also cut at -; each match is removed." in start
        assert "Digits in words: groups of three, from the right." in start
        words = plain(book(app)["frames"][0]["html"])
        assert f"{len(corpus)} different words" in book(app)["frames"][0]["say"] or str(len(corpus)) in words


def test_byte_pieces_come_in_and_are_named() -> None:
    for page, more in ((BPE, {"pre": "whitespace_split"}), (UNIGRAM, {})):
        app = page.opened(urlencode({"corpus": "hug", "bytes": "1", "size": "", **more}))
        assert problems(app) == [] and address(app)["bytes"] == "1"
        assert "256 byte pieces, <0x00> to <0xFF>, spell" in book(app)["frames"][0]["say"]
    covered = UNIGRAM.opened(
        urlencode({"text": "hug " * 9 + "é", "bytes": "1", "coverage": "0.9", "size": "260"})
    )
    assert "not covered and in no piece" in book(covered)["frames"][0]["say"]
    app = WHATIF.opened(urlencode({"t1": "unigram?corpus=hug", "what": "bytes"}))
    assert problems(app) == [] and app.selectbox(key="whatif.what").value == "bytes"
    (said,) = bodies(app, "note")
    assert "from 7 to 263: both runs keep as many pieces" in said


def test_an_invalid_pattern_is_reported() -> None:
    app = BPE.opened(urlencode({"corpus": "course", "cut": "("}))
    assert "(" in problems(app)[0]
    assert BPE.value(app, "cut") == "("


def test_what_if_without_a_bound() -> None:
    """With and without, side by side: the page's own pair."""
    app = WHATIF.opened(urlencode({"t1": "bpe?corpus=hug&longest=2", "what": "longest", "to": "9"}))
    assert problems(app) == []
    assert app.selectbox(key="whatif.what").value == "longest"
    drawn = " ".join(plain(one.proto.body) for one in app.get("html"))
    assert "hug" in drawn and bodies(app, "note problem") == []


def test_invalid_limits_are_reported() -> None:
    app = BPE.opened("corpus=hug&longest=0&coverage=2&letters=x")
    message = " ".join(map(html.unescape, problems(app)))
    assert all(name in message for name in ("longest=", "coverage=", "letters="))


def test_no_widget_of_a_page_has_the_key_of_a_rule() -> None:
    """The rule “Replace” and the search above a table had one name in session state: a search changed the
    corpus.

    Oracle: the pages' sources, read by `ast`.
    """
    rules = {setting.name for rules in RULES_OF.values() for setting in rules} | {view.name for view in VIEWS}
    results = [
        f"{file.name}:{node.lineno} {node.args[0].value}"
        for file in sorted(Path(pages.__path__[0]).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "key"
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value in rules
    ]
    assert results == []
    app = BPE.opened("corpus=hug&step=1", "Every pair")
    app.session_state["bpe.looked_for"] = "ug"
    assert "find" not in address(run(app))


def test_what_if_has_a_pair_for_each_option() -> None:
    """With and without, for every rarely used rule: the page offers it, trains both runs, and complains of
    nothing."""
    pairs = {
        "bpe?corpus=course&pre=whitespace_split": {
            "kept": "token", "replace": "the", "cut": "-", "scripts": "1", "digits": "each", "longest": "3", "letters": "9",
            "coverage": "0.95", "initial": "é", "bytes": "1", "ties": "shortest",
        },
        "wordpiece?corpus=course": {"longest": "3", "coverage": "0.95", "maxword": "5"},
        "unigram?corpus=hug&size=8": {"longest": "2", "coverage": "0.9", "kept": "hug", "bytes": "1"},
        "unigram?corpus=hug&size=9&method=sentencepiece": {"initial": "é"},
        "bpe?corpus=course&kind=sentencepiece_bpe&pre=whitespace_split_metaspace": {
            "longest": "3", "coverage": "0.95", "initial": "é", "digits": "each", "kept": "token",
        },
    }  # fmt: skip
    for run_url, options in pairs.items():
        for what, to in options.items():
            app = WHATIF.opened(urlencode({"t1": run_url, "what": what, "to": to}))
            assert (run_url, what, problems(app)) == (run_url, what, [])
            assert app.selectbox(key="whatif.what").value == what and bodies(app, "note problem") == []


def test_what_if_compares_like_with_like() -> None:
    """A word with a symbol kept whole by only one run is no word of both, and the symbol is a token; byte
    pieces are no reason to compare a run's end with the other's start. Oracle: the corpora of both runs."""
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    free = train_bpe(Corpus.from_counts(counts))
    whole = train_bpe(Corpus.from_counts(counts, user_defined_symbols=("hu",)))
    both = vocabulary_difference(free, whole)
    result, (here, there) = effects(free, whole, both), both.steps
    assert [one.tokens for one in result.measures] == [free[here].tokens, whole[there].tokens + 15]
    assert not [one for one in result.apart if "[UNK]" in one.ours + one.theirs]
    for train, options in ((train_bpe, {}), (train_unigram, {"vocab_size": 7})):
        with_bytes = {**options, **({"vocab_size": 263} if options else {}), "byte_fallback": True}
        runs = [train(Corpus.from_counts(counts), **settings) for settings in (options, with_bytes)]
        for pair in (runs, runs[::-1]):
            difference = vocabulary_difference(*pair)
            assert (
                difference.steps == (len(runs[0]), len(runs[0])) and not difference.ours + difference.theirs
            )
            assert not effects(*pair, difference).apart
