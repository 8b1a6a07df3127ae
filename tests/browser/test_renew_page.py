"""A new tokenizer from an old one in a real browser: the ready example, a tokenizer of one's own, links,
files, phones.

Sources and oracles: the engine, trained on the same corpora; the `tokenizers` library for an uploaded
tokenizer and for the downloaded file; the browser for history, widths, and for the effects of hostile text on
the page. Texts and drawings are tried in `tests/app/catalogue/test_renewal.py` and
`tests/pages/test_renew.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import FilePayload, Page, expect
from tokenizers import Tokenizer

from tests.app.catalogue.test_renewal import bert
from tests.browser.conftest import ROOT
from tests.browser.test_bpe_page import HOSTILE, TRACES_OF_ATTACK, WIDTHS
from tests.browser.test_bpe_page import Bpe as Learner
from tokensteps.pages.explore.renew import SAMPLE
from tokensteps.runs.corpora import pack_text

HUG = "bpe?corpus=hug"


class Renewer(Learner):
    """The page and a learner's actions on it."""

    def start(self, **url: str) -> Renewer:
        self.page.goto(f"{self.address}/renew{f'?{urlencode(url)}' if url else ''}")
        self.ready()
        return self

    def ready(self) -> None:
        self.page.locator("dl.counts").wait_for()
        self.rest()

    def counts(self, old: int, new: int) -> None:
        expect(self.page.locator("dl.counts dd")).to_contain_text([f"{old:,}", f"{new:,}"])

    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.href()).query))


@pytest.fixture
def renewer(serve: Callable[..., str], page: Page) -> Renewer:
    return Renewer(page, serve(ROOT / "app.py"))


@pytest.mark.slow
def test_a_newcomer_sees_indentation_become_a_token(renewer: Renewer) -> None:
    """61 tokens against 39; the downloaded file gives the 39 in the library; a text of one's own, Back,
    Forward, reload."""
    renewer.start()
    page = renewer.page
    renewer.counts(61, 39)
    renewer.untroubled()
    assert renewer.query() == {}
    expect(page.locator(".aligned")).to_contain_text("new: Python modules")
    expect(page.locator(".row.wide .t").filter(has_text="⏎␣␣␣").first).to_be_visible()
    library = Tokenizer.from_str(renewer.download("tokenizer.json"))
    result = library.encode(SAMPLE)
    assert len(result.ids) == 39 and "ĊĠĠĠ" in result.tokens
    text = "if x:\n    return None\n"
    renewer.type_text(text, "One text under both")
    expect(page.locator("dl.counts dd").nth(1)).to_have_text(str(len(library.encode(text).ids)))
    renewer.rest()
    assert renewer.query() == {"a": text}
    page.go_back()
    renewer.counts(61, 39)
    page.go_forward()
    expect(page.locator("dl.counts dd").nth(1)).to_have_text(str(len(library.encode(text).ids)))
    page.reload()
    renewer.ready()
    expect(page.get_by_label("One text under both")).to_have_value(text)
    assert max(page.evaluate(WIDTHS)) <= 0
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"document.documentElement.scrollWidth <= 390 && Math.max(...({WIDTHS})()) <= 0")


@pytest.mark.slow
def test_a_tokenizer_of_ones_own(renewer: Renewer) -> None:
    """Uploaded here, it is the old one; its template comes along, and is no token of the text. The pipeline
    offers it, too."""
    page, library = renewer.page, bert()
    text = "def the cats(number): return the rats"
    page.goto(f"{renewer.address}/renew?{urlencode({'corpus': 'hug', 't1': HUG, 'a': text})}")
    renewer.ready()
    file: FilePayload = {
        "name": "mine.json",
        "mimeType": "application/json",
        "buffer": library.to_str().encode(),
    }
    page.get_by_text("Upload a tokenizer").click()
    page.get_by_test_id("stFileUploader").locator("input[type=file]").first.set_input_files([file])
    expect(page.get_by_test_id("stSidebar").get_by_role("combobox").first).to_have_value("mine.json")
    renewer.rest()
    expect(page.get_by_label("One text under both")).to_have_value(text)
    expect(page.locator("dl.counts dd").first).to_have_text(
        str(len(library.encode(text, add_special_tokens=False).ids))
    )
    expect(page.locator(".heritage")).to_contain_text("[PAD] [UNK] [CLS] [SEP] [MASK]")
    renewer.rest()
    new = Tokenizer.from_str(renewer.download("tokenizer.json"))
    expect(page.locator("dl.counts dd").nth(1)).to_have_text(
        str(len(new.encode(text, add_special_tokens=False).ids))
    )
    renewer.untroubled()
    assert new.encode("hug").tokens[0] == "[CLS]"
    assert renewer.query()["t1"].startswith("file?mine.json=")
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Pipeline").click()
    expect(page.get_by_label("Second text, for a pair")).to_be_visible()
    renewer.choose("Tokenizer", "mine.json")
    expect(page.locator("ol.stages")).to_contain_text("BertNormalizer")
    expect(page.locator("ol.stages")).to_contain_text("[CLS] A [SEP] B [SEP]")
    renewer.untroubled()


def test_hostile_text_is_only_text(renewer: Renewer, dialogs: list[str]) -> None:
    """Corpus, text, special tokens of the old one: no element, no attribute, no request comes from them."""
    text = "\n".join(one.replace("\0", "") for one in HOSTILE)
    old = f"bpe?{urlencode({'corpus': 'paste', 'text': pack_text(text), 'special': '<script>window.bad=8</script>'})}"
    renewer.start(t1=old, corpus="paste", text=str(pack_text(text)), size="150", a=text)
    page = renewer.page
    renewer.untroubled()
    assert page.evaluate(TRACES_OF_ATTACK) == []
    expect(page.locator(".heritage")).to_contain_text("<script>window.bad=8</script>")
    expect(page.get_by_label("One text under both")).to_have_value(text)
    result = page.evaluate(
        "[...document.querySelectorAll('.aligned *, .heritage *, .counts *, .row.wide *')].map(e => e.localName)"
    )
    assert {*result} <= {"div", "section", "h2", "dl", "dt", "dd", "p", "span", "i", "bdi", "sup", "small"}
