"""Four of the files through the page, uploaded as by a visitor: `make real` runs this, the suite doesn't.

Oracles: the ones in `real.py`, for the same files by other libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (  # noqa: F401 - fixtures
    ROOT,
    browser,
    open_page,
    page,
    pages,
    playwright,
    serve,
)
from tests.browser.test_playground_page import Playground, file
from tests.real.chats import named
from tests.real.real import RealFile, oracle

TEXT: Final = "I'M naïve: 茶道 e\u0301 ١٢٣ 12345 👩‍👩‍👧‍👦 <|endoftext|><s>[INST] x != y;"
UPLOADED: Final = ("Qwen 3", "Llama 2", "Whisper", "Mistral v3")
"""A file of each kind: bytes with a normalizer, marks for spaces, ranks, SentencePiece."""


@pytest.mark.parametrize("one", [*map(named, UPLOADED)], ids=lambda one: one.model)
def test_a_file_is_uploaded_by_hand(one: RealFile, serve: Callable[..., str], page: Page) -> None:  # noqa: F811
    files = one.files()
    other = oracle(one, files)
    playground = Playground(page, serve(ROOT / "app.py"))
    playground.start(text=TEXT)
    playground.rest()
    choose = playground.unfold("Upload a tokenizer").get_by_role("button", name="Upload", exact=True)
    expect(choose).to_be_enabled()
    with page.expect_file_chooser() as opened:
        choose.click()
    opened.value.set_files([file(name, data) for name, data in files.items()])  # type: ignore[list-item]
    playground.tokens(other.ids(TEXT))
    playground.flip("Special tokens")
    playground.tokens(other.plain(TEXT))
    playground.untroubled()
