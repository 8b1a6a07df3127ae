"""GPT-2's tokenizer, a part of the app (`tokensteps/catalogue/shipped.py`).

Oracle: `tiktoken`'s gpt2, with its two files put into its cache: they follow from the merges, and `tiktoken`
knows their hashes. Our ids and, decoded, our tokens' bytes have to equal its own. No network is used.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from unicodedata import name

import pytest
import tiktoken

from tests.samples import STRESS
from tokensteps.assets import read_asset
from tokensteps.catalogue import choices, hub, shipped
from tokensteps.catalogue.shipped import END_OF_TEXT, MERGES, REPOSITORY, gpt2
from tokensteps.catalogue.texts import SENTENCES, TEXTS

ROOT = Path(__file__).parents[3]
ADDRESS = "https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/"
SIZE = 5_000_000 if STRESS else 200_000
"""Bytes of random text for the comparison."""
SCRIPTS = (
    *((0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x5D0, 0x5EA)),
    *((0x620, 0x6FF), (0x900, 0x97F), (0xE01, 0xE5B), (0x1100, 0x11FF), (0x2000, 0x206F), (0x2200, 0x22FF)),
    *((0x3041, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0x1F300, 0x1F6FF), (0x20000, 0x20FFF)),
)
"""Blocks of Unicode for random words."""


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> tiktoken.Encoding:
    """tiktoken's own gpt2."""
    merges = read_asset(MERGES)
    vocab = {token: identifier for identifier, token in enumerate(gpt2().all_tokens())}
    files = {"vocab.bpe": f"#version: 0.2\n{merges}", "encoder.json": json.dumps(vocab)}
    folder = tmp_path_factory.mktemp("tiktoken")
    for file, text in files.items():
        (folder / hashlib.sha1(f"{ADDRESS}{file}".encode()).hexdigest()).write_text(text, "utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        # tiktoken deletes a file with another hash, and would then ask the network.
        patch.setattr("tiktoken.load.read_file", lambda path: pytest.fail(f"{path} differs"))
        return tiktoken.get_encoding("gpt2")


def random_text(seed: int, size: int) -> str:
    """Words, numbers, signs and white space of many scripts."""
    draw, written, length = random.Random(seed), list[str](), 0
    while length < size:
        first, last = draw.choice(SCRIPTS)
        word = "".join(chr(draw.randint(first, last)) for _ in range(draw.randint(1, 9)))
        word += draw.choice(
            (" ", " ", "  ", "\n", "\t", "\r\n", "", "'s ", "'LL ", ", ", f" {draw.random()} ", "\u3000")
        )
        written.append(word)
        length += len(word.encode())
    return "".join(written)


def test_sentences_and_texts_have_tiktokens_ids(truth: tiktoken.Encoding) -> None:
    for text in (*(one.text for one in SENTENCES), *(one.make() for one in TEXTS.values())):
        encoded = gpt2().encode(text, specials=False)
        assert list(encoded.ids) == truth.encode_ordinary(text)


def test_random_text_of_many_scripts_has_tiktokens_ids(truth: tiktoken.Encoding) -> None:
    for seed in range(0, SIZE, 100_000):
        text = random_text(seed, 100_000)
        assert list(gpt2().encode(text, specials=False).ids) == truth.encode_ordinary(text)


def test_every_code_point_and_every_token_is_tiktokens(truth: tiktoken.Encoding) -> None:
    subject = gpt2()
    assert subject.size == truth.n_vocab == 50_257
    assert [subject.token_bytes(identifier) for identifier in range(subject.size)] == [
        truth.decode_single_token_bytes(identifier) for identifier in range(truth.n_vocab)
    ]
    points = [chr(point) for point in range(0, 0x110000, 1 if STRESS else 97) if not 0xD800 <= point < 0xE000]
    text = "|".join(point for point in points if name(point, ""))
    assert list(subject.encode(text, specials=False).ids) == truth.encode_ordinary(text)


def test_the_special_token_is_found_only_on_request(truth: tiktoken.Encoding) -> None:
    text = f"one{END_OF_TEXT} two"
    assert list(gpt2().encode(text).ids) == truth.encode(text, allowed_special="all")
    assert list(gpt2().encode(text, specials=False).ids) == truth.encode_ordinary(text)
    assert gpt2().style.special_tokens == {END_OF_TEXT} and gpt2().added == ()


def test_a_token_knows_its_merge() -> None:
    subject = gpt2()
    lines = read_asset(MERGES).splitlines()
    for rank in (0, 1, 255, 31_000, len(lines) - 1):
        first, second = lines[rank].split(" ")
        facts = subject.facts(256 + rank)
        assert (facts.rank, facts.parts) == (rank, (first, second)) and subject.token(
            256 + rank
        ) == first + second


def test_all_names_lead_to_it_and_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "fetch", lambda name: pytest.fail(name))
    for written in (
        REPOSITORY,
        "gpt2",
        "https://huggingface.co/gpt2",
        "huggingface.co/openai-community/gpt2/",
    ):
        spec = choices.public(written)
        assert spec == choices.GPT2
        assert choices.order(f"hub?name={written}").make(choices.Progress()) is gpt2()


def test_reading_it_costs_the_start_nothing() -> None:
    """The home page's modules don't read it; it is read on request only."""
    code = (
        "import tokensteps.pages.learn.home, tokensteps.pages.explore.playground, gc;"
        "from tokensteps.catalogue.files.loaded import LoadedSubject;"
        "print(sum(isinstance(one, LoadedSubject) for one in gc.get_objects()))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "0"


def test_a_long_text_lets_other_threads_work(truth: tiktoken.Encoding) -> None:
    """A thread with sleeps of a millisecond never waits for as long as the encoding takes."""
    text = random_text(7, 1_000_000)
    library = gpt2().library
    longest, ended = 0.0, threading.Event()

    def watch() -> None:
        nonlocal longest
        last = time.process_time()
        while not ended.wait(0.001):
            now = time.process_time()
            longest, last = max(longest, now - last), now

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.process_time()
    library.tokenizer.encode_batch([text])  # type: ignore[attr-defined]
    taken = time.process_time() - start
    ended.set()
    watcher.join()
    assert longest < taken / 2


def test_the_licence_note_describes_the_file() -> None:
    note = read_asset("vocabularies/gpt2/README.md")
    assert "MIT" in note and REPOSITORY in note
    assert hashlib.sha256(f"#version: 0.2\n{read_asset(MERGES)}".encode()).hexdigest() in note
    assert hub.PUBLIC[REPOSITORY].title == shipped.TITLE and hub.PUBLIC[REPOSITORY].tokens == gpt2().size
