"""Tokenizers from files, cached on disk ready for use (`tokensteps/catalogue/compiled.py`).

Oracle: the same files, read anew: the library's whole document of the tokenizer, and all the app's knowledge
of it.
"""

from __future__ import annotations

import base64
import json
import os
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.app.catalogue.test_loaded import bpe, document, files_of
from tests.app.catalogue.test_other_files import tekken
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokensteps.catalogue import compiled
from tokensteps.catalogue.files import remote_tokenizer
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.limits import COMPILED_MERGES
from tokensteps.server.stores import SealedStore
from tokensteps.server.tasks import Progress
from tokensteps.server.workers import Workers

RANKS = {**{bytes([byte]): byte for byte in range(256)}, b"ab": 256, b"abb": 257, b"ug": 300}
MERGES = ["a b", "ab c", "b c", "a bc"]
"""Two merges make the same token."""
TOKENS = {token: 7 * index for index, token in enumerate(["<unk>", *"abc", "ab", "bc", "abc", "[PAD]"])}
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
KINDS: dict[str, tuple[dict[str, bytes], dict[str, Any]]] = {
    "options and flags": (
        files_of(
            document(
                bpe(vocab=TOKENS, merges=MERGES, unk_token="<unk>", fuse_unk=True, dropout=0.1),
                [
                    {"id": 8, "content": "<new>", "special": False, "lstrip": True},
                    {"id": 49, "content": "[PAD]", "rstrip": True, "single_word": True},
                    {"id": 0, "content": "<unk>", "normalized": True},
                ],
                normalizer={"type": "Lowercase"},
                pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
            )
        ),
        {},
    ),
    "prefix and suffix": (
        files_of(
            document(
                bpe(
                    vocab={"a": 0, "##b": 1, "ab": 2, "##b</w>": 3, "ab</w>": 4},
                    merges=["a ##b", "a ##b</w>"],
                    continuing_subword_prefix="##",
                    end_of_word_suffix="</w>",
                )
            )
        ),
        {},
    ),
    "ranks": (
        {"x.tiktoken": b"".join(base64.b64encode(one) + b" %d\n" % rank for one, rank in RANKS.items())},
        {"pattern": "gpt2", "special": {"<s>": None, "<|end|>": 500}},
    ),
    "tekken": ({"tekken.json": tekken()}, {}),
    "vocabulary with ends of words": (
        {
            "vocab.json": json.dumps({"a": 0, "b</w>": 1, "ab</w>": 2, "b": 3}).encode(),
            "merges.txt": b"#version: 0.2\na b</w>\n",
        },
        {},
    ),
    "byte-level vocabulary": (
        {
            "vocab.json": json.dumps(
                {token: index for index, token in enumerate([*BYTE_TO_SYMBOL, "Ġa"])}
            ).encode(),
            "merges.txt": "Ġ a".encode(),
        },
        {"special": {"<s>": 300}},
    ),
}  # fmt: skip
TEXT = "a abc  <new> [PAD] <unk> <s>ab, aBcx\u0301 <|end|>"


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SealedStore:
    store = SealedStore(tmp_path / "compiled", 10**7, 10**7)
    monkeypatch.setattr(compiled, "compiled_store", lambda: store)
    monkeypatch.setattr(compiled, "COMPILED_MERGES", 0)
    return store


def known(subject: LoadedSubject) -> dict[str, Any]:
    """All the app's knowledge of a tokenizer."""
    own = {
        name: value for name, value in vars(subject).items() if name not in ("library", "source", "_ranks")
    }
    merges = own.pop("_merges")
    return {**own, "pattern": subject.pattern, "merges": ([*merges.firsts], [*merges.seconds], merges.rank)}


@pytest.mark.parametrize("kind", KINDS)
def test_the_stored_form_is_read_back_unchanged(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files, how = KINDS[kind]
    truth = load(files, "mine", **how)
    first = compiled.load_once(files, "mine", how)

    def never(*_given: object, **_told: object) -> None:
        raise AssertionError("read anew")

    monkeypatch.setattr(compiled, "load", never)
    again = compiled.load_once(files, "mine", how)
    for one in (first, again):
        assert one.source is None  # the document isn't kept in memory
        assert one.library.tokenizer.to_str() == truth.library.tokenizer.to_str()  # type: ignore[attr-defined]
        assert known(one) == known(truth)
        assert [one.facts(index) for index in range(one.size)] == [
            truth.facts(index) for index in range(one.size)
        ]
        for specials in (True, False):
            assert one.encode(TEXT, specials) == truth.encode(TEXT, specials)
        assert one.why(TEXT) == truth.why(TEXT)
    named = compiled.load_once(files, "", how)
    assert named.name == first.name  # the first visitor's, for one without a name
    with pytest.raises(AssertionError):  # other files, or another way to read them
        compiled.load_once(files, "mine", {**how, "pattern": "qwen2"})


def test_no_changed_value_is_accepted(
    own_store: SealedStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files, _how = KINDS["options and flags"]
    compiled.load_once(files, "mine", {})
    [path] = (tmp_path / "compiled").iterdir()
    whole = path.read_bytes()
    assert compiled.compiled_store().get(path.name) == whole[32:]
    for changed in (whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1]), b"", whole.replace(b"<new>", b"<old>")):
        path.write_bytes(changed)
        assert own_store.get(path.name) is None
        assert compiled.load_once(files, "mine", {}).token(8) == "<new>"  # and it is mended
        assert path.read_bytes() == whole
    other = path.with_name("0" * 32)
    other.write_bytes(whole)  # one tokenizer under another's name
    assert own_store.get(other.name) is None
    monkeypatch.setattr("tokensteps.server.stores.secret", lambda: "another server's, of enough characters")
    assert own_store.get(path.name) is None


def test_refused_files_are_refused_again(tmp_path: Path) -> None:
    files = files_of(document(bpe(merges=["a c"])))
    for _ in range(2):
        with pytest.raises(LoadError):
            compiled.load_once(files, "mine", {})
    assert not [*(tmp_path / "compiled").iterdir()]


def test_a_reader_stores_and_reuses_slow_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes, one after the other. Oracle: the first one's file, with its time of use set by the
    second."""
    letters = [chr(0x4E00 + index) for index in range(101)]
    pairs = [*product(letters, letters)]
    assert len(pairs) >= COMPILED_MERGES
    tokens = [*letters, *map("".join, pairs)]
    files = files_of(
        document(bpe(vocab={token: index for index, token in enumerate(tokens)}, merges=[*map(list, pairs)]))
    )
    folder, ids = Path(os.environ["TOKENSTEPS_STORE"]) / "compiled", []
    before = {*folder.iterdir()} if folder.exists() else set()
    used: list[int] = []
    for _ in range(2):
        pool = Workers(1, 5, remote_tokenizer.__name__)
        monkeypatch.setattr(remote_tokenizer, "readers", lambda pool=pool: pool)
        subject = remote_tokenizer.load_remote_tokenizer("large", lambda: files, "mine", Progress(), str)
        ids.append([*subject.encode("一丁").ids])
        pool.close()
        [path] = {*folder.iterdir()} - before
        used.append(path.stat().st_mtime_ns)
    assert ids == [[tokens.index("一丁")]] * 2 and used[0] < used[1]
