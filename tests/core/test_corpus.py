"""Corpora (`tokenizers_core/text/corpus.py`), from texts, counts, files and bytes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.any_text import every_text, thorough
from tokenizers_core import errors
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.pipeline import Pipeline, pre_tokenize
from tokenizers_core.text.splitting import PRE_TOKENIZERS


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_lone_surrogate_is_refused(name: str) -> None:
    pipeline = Pipeline(pre_tokenizer=name)
    for use in (
        lambda: pipeline.words("abc\ud83d!"),
        lambda: pipeline.split("abc\ud83d!"),
        lambda: pre_tokenize("abc\ud83d!", name),
        lambda: Corpus.from_texts(["abc\ud83d!"], pre_tokenizer=name),
        lambda: Corpus.from_counts({"abc\ud83d!": 3}, pre_tokenizer=name),
    ):
        with pytest.raises(errors.SurrogateError, match=r"Character 3 .* U\+D83D.*delete it") as caught:
            use()
        assert (caught.value.position, caught.value.code_point) == (3, 0xD83D)


def test_empty_corpora() -> None:
    with pytest.raises(errors.EmptyCorpusError, match="no text was given"):
        Corpus.from_texts([])
    with pytest.raises(errors.EmptyCorpusError, match="no text was given"):
        Corpus.from_counts({})
    with pytest.raises(errors.EmptyCorpusError, match="3 characters are all whitespace") as caught:
        Corpus.from_texts([" ", "\t\n"], pre_tokenizer="whitespace_split")
    assert caught.value.characters == 3
    assert Corpus.from_texts([" \t\n"]).words == ("ĠĉĊ",)


def test_from_counts() -> None:
    corpus = Corpus.from_counts([("hug", 10), ("pug", 5), ("hug", 2), ("a hug", 3)])
    assert list(corpus.items()) == [("hug", 15), ("pug", 5), ("a", 3)]
    assert (corpus.total, corpus.lines, corpus.characters) == (23, 4, 14)
    assert Corpus.from_counts({"é": 2}, pre_tokenizer="byte_level").words == ("Ã©",)
    for count in (0, -1, 1.5, True, "3"):
        with pytest.raises(errors.SettingError, match="whole number"):
            Corpus.from_counts({"hug": count})  # type: ignore[arg-type]


def test_symbols() -> None:
    assert Corpus.from_texts(["low"], pre_tokenizer="end_of_word").symbols("low") == ("l", "o", "w", "</w>")
    assert Corpus.from_texts(["low"]).symbols("Ġlow") == ("Ġ", "l", "o", "w")


def test_digest_stands_for_words_counts_and_rules() -> None:
    base = Corpus.from_texts(["to be or"])
    assert base.digest == "29ce31963263c7f524b0353e05c05566"  # the same on every machine
    assert base.digest == Corpus.from_texts(["to", " be", " or"], timeout=9.0).digest
    others = [
        Corpus.from_texts(["to be or or"]),
        Corpus.from_texts(["to be o"]),
        Corpus.from_texts(["to be or"], normalizer="nfc"),
        Corpus.from_texts(["to be or"], pattern="cl100k_base"),
        Corpus.from_texts(["to be or"], pre_tokenizer="bert"),
    ]
    others.append(Corpus.from_texts(["to be or"], user_defined_symbols=["<x>"]))  # each is a token
    assert len({base.digest, *(other.digest for other in others)}) == 7
    assert (
        Corpus.from_texts(["a"], pre_tokenizer="bert", pattern="x").digest
        == Corpus.from_texts(["a"], pre_tokenizer="bert").digest
    )


def test_progress_can_stop() -> None:
    seen: list[int] = []
    Corpus.from_texts(["word " * 1000] * 100, progress=seen.append)
    assert seen == sorted(seen) and 2 < len(seen) < 10 and seen[-1] == 500_000

    def stop(characters: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Corpus.from_texts(("word " * 100_000 for _ in range(10**9)), progress=stop)


# --- Files --------------------------------------------------------------------------------------------------


@thorough
@given(st.lists(every_text, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n", "\r"]))
def test_bytes_are_read_as_their_lines(texts: list[str], end: str) -> None:
    lines = ["x", *(re.sub(r"[\r\n\ufeff]", "", text) for text in texts)]
    corpus = Corpus.from_texts(lines)
    for data in (end.join(lines) + end, end.join([*lines[:-1], lines[-1] + "."])):
        read = Corpus.from_bytes(data.encode())
        expected = corpus if data.endswith(end) else Corpus.from_texts([*lines[:-1], lines[-1] + "."])
        assert read == expected and read.replaced == 0
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        assert Corpus.from_bytes((end.join(lines) + end).encode(encoding)) == corpus


def test_file_is_read_as_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes("one two\r\n\nthrée\u2028four".encode())
    corpus = Corpus.from_file(path, pre_tokenizer="metaspace")
    assert corpus == Corpus.from_texts(["one two", "", "thrée\u2028four"], pre_tokenizer="metaspace")
    assert corpus == Corpus.from_bytes(path.read_bytes(), pre_tokenizer="metaspace")
    with pytest.raises(FileNotFoundError):
        Corpus.from_file(tmp_path / "none.txt")
    path.write_bytes(b"")
    with pytest.raises(errors.EmptyCorpusError):
        Corpus.from_file(path)


def test_reading_a_file_reports_progress(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"some words in a line\n" * 50_000)
    seen: list[int] = []
    corpus = Corpus.from_file(path, progress=seen.append)
    assert (corpus.lines, corpus.total) == (50_000, 250_000)
    assert 5 < len(seen) < 12 and seen[-1] == corpus.characters == 1_000_000
