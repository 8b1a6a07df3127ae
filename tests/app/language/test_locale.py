"""The catalogues (`assets/locale`): complete in every language, nothing fuzzy, nothing left over, compiled.

Oracles: Babel's extractor, run over the sources as `make messages` runs it; its reader of .po and writer of
.mo files; and `string.Formatter` for the fields.
"""

from __future__ import annotations

import io
import pickle
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
import regex
from babel.messages import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_file
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

from tokenizers_core.errors import Phrase, SettingError, VocabSizeError, all_templates
from tokensteps.language.glossary import definitions, english, entry_html, forms_of
from tokensteps.language.i18n import (
    LANGUAGES,
    LOCALE_FOLDER,
    _,
    engine_messages,
    listed,
    ngettext,
    sentences,
    use_language,
)
from tokensteps.language.marks import lead_html
from tokensteps.language.messages import explained
from tokensteps.language.terms import SECTIONS, TERMS
from tokensteps.runs.corpora import EXAMPLES

ROOT = Path(__file__).resolve().parents[3]
OTHERS = sorted({*LANGUAGES} - {"en"})
AS_IN_ENGLISH = {
    "text", "hug", "pug", "pun", "bun", "hugs", "highest", "higher", "lower", "hello", "cased", "uncased",
    "id", "ids", "log",
}  # fmt: skip
"""Words that stay: corpora, names and signs, the same in every language."""


@cache
def template() -> Catalog:
    with (LOCALE_FOLDER / "tokensteps.pot").open("rb") as file:
        return read_po(file)


def file_of(language: str) -> Path:
    return LOCALE_FOLDER / language / "LC_MESSAGES" / "tokensteps.po"


@cache
def catalogue(language: str) -> Catalog:
    with file_of(language).open("rb") as file:
        return read_po(file, locale=language)


def messages(catalogue: Catalog) -> Iterator[Message]:
    return (message for message in catalogue if message.id)


def forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def fields(text: str) -> Counter[str]:
    return Counter(name for _text, name, _spec, _conversion in Formatter().parse(text) if name is not None)


@pytest.fixture(params=OTHERS)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each language but English, spoken during the test."""
    yield use_language(request.param)
    use_language("en")


def test_the_template_has_all_messages_of_the_sources() -> None:
    results = set()
    for file in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py"), *(ROOT / "tokensteps").rglob("*.py")]:
        for _line, message, _comments, _context in extract_from_file(
            "python", file, {**DEFAULT_KEYWORDS, "N_": None}
        ):
            results.add(forms(message))
    for file in (ROOT / "tokenizers_core").rglob("*.py"):
        with file.open("rb") as source:
            results |= {(message,) for _line, _function, message, _comments in engine_messages(source)}
    assert results == {forms(message.id) for message in messages(template())}, "run `make messages`"
    assert {(text,) for texts in all_templates().values() for text in texts} <= results


def test_every_message_is_translated(language: str) -> None:
    here = {(message.context, forms(message.id)): message for message in messages(catalogue(language))}
    assert here.keys() == {(message.context, forms(message.id)) for message in messages(template())}, (
        "run `make messages`"
    )
    assert not catalogue(language).obsolete
    assert [one for one, message in here.items() if message.fuzzy] == []
    assert [one for one, message in here.items() if not all(forms(message.string))] == []


def test_the_compiled_catalogue_equals_its_source(language: str) -> None:
    compiled = io.BytesIO()
    write_mo(compiled, catalogue(language))
    with file_of(language).with_suffix(".mo").open("rb") as here:
        now = {(one.context, forms(one.id)): one.string for one in read_mo(here)}
    compiled.seek(0)
    source = {(one.context, forms(one.id)): one.string for one in read_mo(compiled)}
    assert now == source, "run `make messages`"


def test_translations_have_the_fields_of_their_message(language: str) -> None:
    wrong = []
    for message in messages(catalogue(language)):
        wanted = forms(message.id)[-1]
        for text in forms(message.string):
            if "%{" in wanted:  # Plotly's, as they are
                same = regex.findall(r"%\{[^}]*\}", wanted) == regex.findall(r"%\{[^}]*\}", text)
            else:
                same = fields(wanted).keys() == fields(text).keys()
            if not same:
                wrong.append((wanted, text))
    assert wrong == []


def test_markup_is_kept(language: str) -> None:
    """A message is text nearly everywhere; where it holds Markdown or a tag, the translation holds the
    same."""
    marks = r"`[^`]*`|\*\*|<[^>]*>|\[[A-Z]+\]"
    for message in messages(catalogue(language)):
        wanted, text = forms(message.id)[-1], forms(message.string)[0]
        if "|" not in wanted:  # the forms of a term
            assert {*regex.findall(marks, wanted)} == {*regex.findall(marks, text)}, (wanted, text)


def test_one_form_for_every_number(language: str) -> None:
    assert catalogue(language).num_plurals == 1
    for one, many in (message.id for message in messages(catalogue(language)) if message.pluralizable):
        assert ngettext(one, many, 1) == ngettext(one, many, 2)


def test_nothing_is_left_in_english(language: str) -> None:
    """A text with words has letters of its own language, unless they are names, code or figures."""
    own = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
    left = []
    for message in messages(catalogue(language)):
        wanted, text = forms(message.id)[-1], forms(message.string)[0]
        words = regex.findall(
            r"(?<![\w.`$_/\[-])[a-z]{2,}(?![\w`_/\[-]|\.\w)", regex.sub(r"%?\{[^}]*\}|\[.*?\]", "", text)
        )
        if {*words} - AS_IN_ENGLISH and not regex.search(own, text):
            left.append((wanted, text))
    assert left == []


def test_punctuation_is_that_of_the_language(language: str) -> None:
    """After a letter of the language, marks are as wide as it is; a sentence ends as one."""
    wrong, corpora = [], {example.title for example in EXAMPLES.values()}
    for message in messages(catalogue(language)):
        wanted, text = forms(message.id)[-1], forms(message.string)[0]
        if regex.search(r"[\p{Han}\p{Hiragana}\p{Katakana}][,;:!?](?!\w)", text) and text not in corpora:
            wrong.append(text)
        if wanted.endswith(".") and len(wanted) > 20 and not text.endswith(("。", "）", "」", "”", ".")):
            wrong.append(text)
    assert wrong == []


def test_terms_stand_in_the_sentences_of_the_language(language: str) -> None:
    lines = [
        form
        for message in messages(catalogue(language))
        if "|" not in forms(message.id)[0]
        for form in forms(message.string)
    ]
    everywhere = "\n".join(lines).casefold()
    owners: dict[str, str] = {}
    for term in TERMS.values():
        for form in forms_of(term):
            assert owners.setdefault(form, term.id) == term.id, f"{form} stands for two terms"
    lost = [
        term.id
        for term in TERMS.values()
        if not any(form.casefold() in everywhere for form in forms_of(term))
    ]
    assert len(lost) <= 2, (
        lost
    )  # a term is left unmarked in most sentences if its usual word has too many other meanings
    names = [_(term.name) for section in SECTIONS for term in section.terms]
    assert len({*names}) == len(names)
    assert english(TERMS["merge"]) == "merge"


def test_the_english_term_stands_beside_its_first_use(language: str) -> None:
    merge, normalizing = forms_of(TERMS["merge"])[0], forms_of(TERMS["normalizer"])[1]
    lead = lead_html(f"{merge}、{normalizing}、{merge}。")
    assert regex.findall(r'（<span lang="en">(.*?)</span>）', lead) == ["merge", "normalization"]
    assert definitions(["merge"])["merge"][0] == f"{_(TERMS['merge'].name)} · merge"
    assert '<span lang="en">merge</span>' in entry_html(TERMS["merge"])
    use_language("en")
    assert "lang=" not in lead_html("A merge of pairs.") + entry_html(TERMS["merge"])


def test_choices_stay_apart(language: str) -> None:
    """A select box finds an option by its label."""
    titles = [_(example.title) for example in EXAMPLES.values()]
    assert len({*titles}) == len(titles)
    pages = [
        _(title)
        for title in (
            "Home",
            "Exercises",
            "Challenge",
            "Errata",
            "Glossary",
            "Playground",
            "Compare",
            "Pipeline",
        )
    ]
    assert len({*pages}) == len(pages)


def test_the_engine_is_heard_in_the_language(language: str) -> None:
    wish = SettingError(name="merges", value=-1, reason=Phrase("choose at least {least}", least=3))
    for error in (wish, VocabSizeError(vocab_size=5, minimum=12, what="alphabet")):
        narration = explained(error)
        assert narration != str(error)
        assert not regex.search(r"choose|alphabet|can't", narration)
        assert regex.search(r"\p{Han}", narration)
    assert "3" in explained(wish)
    labelled = explained(SettingError(name="max_length", value=3, reason="choose at least 4"))
    assert "：3" in labelled and ": " not in labelled  # the label's colon is the language's own
    assert str(pickle.loads(pickle.dumps(wish)).evidence["reason"]) == "choose at least 3"


def test_sentences_and_lists(language: str) -> None:
    assert sentences("一。", "", "二。") == "一。二。"
    assert listed(["hug", "pug"]) == "hug、pug"


@pytest.mark.parametrize("code", OTHERS)
def test_the_readme_is_the_same_in_every_language(code: str) -> None:
    """Headings, code, links, pictures and the rows of tables: a change of one README is a change of all."""

    def skeleton(name: str) -> dict[str, list[str]]:
        text = (ROOT / name).read_text("utf-8")
        prose = regex.sub(r"(?ms)^```.*?^```$", "", text)
        cells = regex.findall(r"(?m)^\| (`[^|]*)\|", prose)
        return {
            "headings": regex.findall(r"(?m)^#+(?= )", prose),
            "code": regex.findall(r"(?ms)^```.*?^```$|^    .*?$", text),
            "links": [
                link.replace(f"-{code}.png", "-light.png")  # a picture may be in the language
                for link in regex.findall(r"\]\(([^)]+)\)", prose)
                if not link.startswith("README")
            ],
            "rows": [name for cell in cells for name in regex.findall(r"`[^`]*`", cell)],
        }

    assert skeleton(f"README.{code}.md") == skeleton("README.md")
