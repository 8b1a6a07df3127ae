"""The files of all pages, made as the server makes them: afterwards, in a thread of its own.

Oracle: that thread, in which Streamlit knows no session.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.pages.test_limits import HUG, opened
from tokensteps.widgets import downloads

FILES = "Files and link"
PLACES = [
    ("bpe", {"corpus": "hug", "step": "2"}, FILES),
    ("wordpiece", {"corpus": "hug", "step": "2"}, FILES),
    ("unigram", {"corpus": "paste", "text": "hug pug", "step": "2"}, FILES),
    ("compare", {"corpus": "hug"}, FILES),
    ("compare", {"corpus": "hug"}, "Where they disagree"),
    ("compare", {"corpus": "hug"}, "Measures"),
    ("pipeline", {"corpus": "course", "size": "60"}, FILES),
    ("pipeline", {"corpus": "course", "size": "60"}, "Entities"),
    ("renew", {"corpus": "course", "size": "90", **HUG}, ""),
    ("playground", HUG, FILES),
    ("playground", HUG, "Health"),
    ("playground", HUG, "Tokens by count"),
    ("exercises", {"kind": "bpe_pair"}, ""),
    ("teach", {}, ""),
]


@pytest.mark.parametrize(
    ("page", "link", "tab"), PLACES, ids=lambda part: part if isinstance(part, str) else ""
)
def test_every_file_is_made_without_a_session(
    page: str, link: Mapping[str, str], tab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    makers: list[Callable[[], str | bytes]] = []

    def noted(make: Callable[[], str | bytes]) -> Callable[[], str | bytes]:
        makers.append(make)
        return make

    monkeypatch.setattr(downloads, "cached_download", noted)
    opened(page, link, tab)
    with ThreadPoolExecutor(1) as elsewhere:
        assert makers and all(elsewhere.submit(make).result() for make in makers)
