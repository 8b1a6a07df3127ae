"""Links, and files made on download."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import copy_context
from functools import partial
from html import escape
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import streamlit as st

from tokenizers_core import Tokenizer
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.errors import UnsavableError
from tokenizers_core.files.exports import (
    merges_txt,
    pieces_tsv,
    tiktoken_ranks,
    vocab_json,
    vocab_txt,
)
from tokenizers_core.files.tokenizer_json import tokenizer_to_json
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokensteps.components.address import page_address
from tokensteps.language.i18n import _, current_language, sentences, use_language
from tokensteps.language.messages import explained
from tokensteps.language.names import ALGORITHM_NAMES
from tokensteps.language.pages import PAGE_AT, PAGES, tab_title
from tokensteps.runs.settings import Recipe
from tokensteps.server.shared_cache import cached_download
from tokensteps.widgets.notes import note

EMBEDDED_HEIGHTS: Final[Mapping[str, int]] = {
    "home": 560,
    "matters": 900,
    "exercises": 640,
    "challenge": 900,
    **dict.fromkeys(ALGORITHM_NAMES, 700),
    "whatif": 720,
    "compare": 740,
    "renew": 900,
}
"""Page → height in pixels of its frame in another page, for a width of 800 pixels or more: the stage and the
names of the tabs, or the page's other main part, have room."""
OTHER_HEIGHT: Final = 800
"""The same for all other pages."""
MEDIA_TYPES: Mapping[str, str] = {
    "html": "text/html",
    "csv": "text/csv",
    "json": "application/json",
    "zip": "application/zip",
}


def tokenizer_files(tokenizer: Tokenizer) -> dict[str, Callable[[], str]]:
    """The files of a tokenizer: name → the function that makes its text. The first has all of it, the others
    the vocabulary.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> list(tokenizer_files(train_bpe(Corpus.from_counts({"hug": 10}), merges=1).tokenizer()))
    ['tokenizer.json', 'vocab.json', 'merges.txt']
    """
    writers: dict[str, Callable[[Tokenizer], str]] = {"tokenizer.json": tokenizer_to_json}
    if isinstance(tokenizer.model, BpeModel):
        writers |= {"vocab.json": vocab_json, "merges.txt": merges_txt}
        if tokenizer.pipeline.byte_level and {*BYTE_TO_SYMBOL} <= tokenizer.vocab.keys():
            writers["ranks.tiktoken"] = tiktoken_ranks
    elif isinstance(tokenizer.model, WordPieceModel):
        writers["vocab.txt"] = vocab_txt
    else:
        writers["unigram.vocab"] = pieces_tsv
    return {name: partial(write, tokenizer) for name, write in writers.items()}


def show_tokenizer_files(tokenizer: Tokenizer, key: str) -> None:
    """A download button for each file, and the purpose of the files."""
    columns = iter(st.columns(4))
    for name, make in tokenizer_files(tokenizer).items():
        try:
            make()  # the file can't hold every pattern of a learner's
        except UnsavableError as error:
            note(explained(error))
        else:
            download(next(columns), name, name, make, key)
    st.caption(
        _(
            "tokenizer.json holds the whole tokenizer, for the tokenizers library; the other files hold what was learned, not how text is split into words."
        )
    )


def download(
    column: Any,
    label: str,
    name: str,
    make: Callable[[], str | bytes],
    key: str,
    kind: Literal["primary", "secondary", "tertiary"] = "secondary",
) -> None:
    """A download button, with its file made on demand; `name` is the file's name, and part of the button's
    key."""
    column.download_button(
        label,
        cached_download(in_this_language(make)),
        name,
        MEDIA_TYPES.get(name.rpartition(".")[2], "text/plain"),
        key=f"{key}.file.{name}",
        type=kind,
        on_click="ignore",
        width="content" if column is st or kind == "tertiary" else "stretch",
    )


def in_this_language(make: Callable[[], str | bytes]) -> Callable[[], str | bytes]:
    """`make`, in the language in use now: Streamlit calls it later, in a thread set to English."""
    language = current_language()

    def speak() -> str | bytes:
        use_language(language)
        return make()

    return lambda: copy_context().run(speak)


def show_address(address: str) -> None:
    """An address to copy; under it, folded, the HTML for putting the page into another one."""
    st.code(address, language=None, wrap_lines=True)
    with st.expander(_("Embed")):
        st.code(embedding(address), language=None, wrap_lines=True)
        text = _(
            "HTML for a course page: it shows this page without the sidebar and the title. Whoever runs this server decides on which sites it may be shown."
        )
        excerpt = _("To show only some of the steps, write `&steps=3..9` after `embed=true`.")
        st.caption(sentences(text, excerpt if "step=" in address else ""))


def embedding(address: str) -> str:
    """The HTML for showing an address in another page, with a link for readers without the frame: the site
    may remove its authors' frames, or lack permission to show the app.

    >>> print(embedding("http://localhost/bpe?corpus=hug&step=7"))
    <iframe src="http://localhost/bpe?corpus=hug&amp;step=7&amp;embed=true" title="BPE · TokenSteps" width="100%" height="700" style="border: 0" loading="lazy" allow="clipboard-write; fullscreen"></iframe>
    <p><a href="http://localhost/bpe?corpus=hug&amp;step=7" target="_blank">Nothing to see above? Open the page in a tab of its own.</a></p>
    """  # noqa: W505
    # The home page's path may be that of the whole app behind a proxy.
    page = PAGE_AT.get(urlsplit(address).path.rpartition("/")[2], "home")
    source = f"{address}{'&' if '?' in address else '?'}embed=true"
    title = tab_title(PAGES[page])
    elsewhere = _("Nothing to see above? Open the page in a tab of its own.")
    height = EMBEDDED_HEIGHTS.get(page, OTHER_HEIGHT)
    return (
        f'<iframe src="{escape(source)}" title="{escape(title)}" width="100%" height="{height}" '
        'style="border: 0" loading="lazy" allow="clipboard-write; fullscreen"></iframe>\n'
        f'<p><a href="{escape(address)}" target="_blank">{escape(elsewhere)}</a></p>'
    )


def show_link(title: str, recipe: Recipe, url: Mapping[str, str | None], step: int | None = None) -> None:
    """The address of the page in this state, or the reason why there is none."""
    st.header(title, anchor=False)
    if recipe.in_link():
        show_address(page_address(url, step))
        return
    note(
        _(
            "A link can't hold this corpus. Its address restores it on this server for as long as the server "
            "remembers it; to share it, send the text itself."
        )
    )


def sheet(write: Callable[[Any], str], what: Any) -> bytes:
    """A table as CSV, with a byte order mark: without it, spreadsheets assume an old 8-bit encoding."""
    return write(what).encode("utf-8-sig")
