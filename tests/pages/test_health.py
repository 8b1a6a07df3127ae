"""The playground's tab “Health” without a browser, through Streamlit's `AppTest`.

Oracles: the engine's own check of the same tokenizer (`tests/core/test_health.py` compares it with every
text), and the `tokenizers` library for a sentence's number of tokens.
"""

from __future__ import annotations

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from tests.pages.pages import run, tables
from tests.pages.test_playground import HOSTILE, HUG, address, notes, opened
from tokenizers_core.health.report import health
from tokensteps.catalogue.choices import order, upload_spec
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.health import health_of, health_of_loaded
from tokensteps.catalogue.shipped import gpt2
from tokensteps.catalogue.shown_tokenizers import TrainedSubject
from tokensteps.catalogue.side_by_side import fertilities
from tokensteps.catalogue.texts import SENTENCES
from tokensteps.language.health import FINDINGS, FOLD_WORDS, KIND_WORDS
from tokensteps.language.i18n import LANGUAGES
from tokensteps.pages.explore.health import health_view as view
from tokensteps.server.stores import digest
from tokensteps.server.tasks import Progress


def uncased() -> bytes:
    """A tokenizer.json in lower case with tokens out of its own reach, two of them markup."""
    vocab = ["[UNK]", "a", "b", "##b", "##,", "The", "the", HOSTILE, "<b>x</b>", "##ing", "ab"]
    result = Tokenizer(models.WordPiece({token: at for at, token in enumerate(vocab)}, unk_token="[UNK]"))
    result.normalizer = normalizers.BertNormalizer(lowercase=True)
    result.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    result.decoder = decoders.WordPiece()
    return result.to_str().encode()


def unreachable_tokens(app: AppTest) -> dict[str, str]:
    """Token → why no text gives it, as the table has them."""
    results = [table for table in tables(app) if "Why" in table]
    return dict(zip(results[0]["Token"], results[0]["Why"], strict=True)) if results else {}


def test_a_link_opens_the_tab_and_keeps_it() -> None:
    app = opened(t1=HUG, health="A")
    assert app.session_state["playground.tab"] == "Health"
    assert address(app)["health"] == "A"
    app.session_state["playground.tab"] = "Counts"
    assert "health" not in address(run(app))
    app.session_state["playground.tab"] = "Health"
    run(app)
    app.query_params["lang"] = "zh"
    app.run()  # once: the address is written while the tab still has its English name
    assert address(app)["health"] == "A"


def test_each_vocabulary_begins_with_its_own_findings() -> None:
    """Also where another one's were drawn before, as while this one is still on its way to a busy server."""
    app = opened(t1=upload_spec({"tokenizer.json": uncased()}), t2=HUG, health="B")
    assert set(unreachable_tokens(app)) == {"[UNK]"}
    app.selectbox(key="playground.health.whose.box").set_value("A")
    assert "The" in unreachable_tokens(run(app))


def test_unreachable_tokens_are_listed_with_their_reasons() -> None:
    spec = upload_spec({"tokenizer.json": uncased()})
    app = opened(t1=spec, t2=HUG, health="A")
    reasons = unreachable_tokens(app)
    assert set(reasons) == {"##,", "The", HOSTILE, "<b>x</b>"}
    assert reasons["##,"] == "It stands inside words only, but , is always a word of its own."
    assert reasons["The"] == "The normalizer turns T into t, and nothing into T."
    assert reasons["<b>x</b>"].startswith("The pre-tokenizer always cuts within it: < + b + >")
    markup = " ".join(html.proto.body for html in app.get("html"))
    assert "<img" not in markup
    app.selectbox(key="playground.health.finding").set_value("all")
    assert len(unreachable_tokens(run(app))) == 11
    app.text_input(key="playground.health.query").set_value("the")
    assert set(unreachable_tokens(run(app))) >= {"the"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tab_draws_in_every_language(language: str) -> None:
    app = opened(t1=HUG, health="A", lang=language)
    assert not app.exception
    assert len(tables(app)) >= 3


def test_a_process_of_its_own_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """An upload is checked where its files are, a large run in another process, and a small one here."""
    spec = upload_spec({"tokenizer.json": uncased()})
    uploaded = order(spec)
    subject = uploaded.opened(uploaded.make(Progress())).subject
    assert health_of(subject, Progress()).verdicts[4].kind == "alone"
    trained = order("bpe?corpus=hug")
    run_here = trained.opened(trained.make(Progress())).subject
    assert isinstance(run_here, TrainedSubject)
    assert health_of(run_here, Progress()) == health(run_here.tokenizer)
    monkeypatch.setattr("tokensteps.catalogue.health.HEALTH_HERE", 0)
    assert health_of(run_here, Progress()) == health(run_here.tokenizer)


def test_a_stopped_check_shows_its_part_and_can_go_on() -> None:
    app = opened(t1=HUG, health="A")
    name = digest(f"health {HUG}".encode())
    subject = order(HUG).opened(order(HUG).make(Progress())).subject
    assert isinstance(subject, TrainedSubject)
    for stopped in (None, health(subject.tokenizer, lambda _done, _total: False)):
        app.session_state["playground.health.A.stopped"] = {name: stopped}
        run(app)
        assert "The check was stopped" in notes(app)
        assert bool(tables(app)) == (stopped is not None)
        app.button(key="playground.health.A.again").click()
        assert "The check was stopped" not in notes(run(app))
        assert tables(app)


def test_a_second_click_on_going_on_is_no_error() -> None:
    """It comes after the run that took the button away."""
    app = opened(t1=HUG, health="A")
    app.session_state["playground.health.A.stopped"] = {digest(f"health {HUG}".encode()): None}
    run(app)
    click = WidgetState(id=app.button(key="playground.health.A.again").proto.id, trigger_value=True)
    for _click in range(2):
        app._run(WidgetStates(widgets=[click]))
        assert not app.exception


def test_a_sentences_token_count_equals_the_librarys() -> None:
    table = view.languages_table(fertilities({"A": gpt2()}))
    judge = gpt2().library.tokenizer  # type: ignore[attr-defined]
    assert list(table["Tokens"]) == [len(judge.encode(sentence.text).ids) for sentence in SENTENCES]
    words = dict(zip((sentence.code for sentence in SENTENCES), table["Tokens per word"], strict=True))
    assert {code for code, number in words.items() if number != number} == {"th", "zh", "ja"}
    assert words["en"] == len(judge.encode(SENTENCES[0].text).ids) / 10


def test_every_finding_kind_and_fold_has_words() -> None:
    subject = load({"tokenizer.json": uncased()}, "uncased")
    checked = health_of_loaded(subject)
    result = view.findings(subject, checked)
    assert {*result} == {*FINDINGS}
    assert sum(map(len, result.values())) == 11
    assert {*checked.doubles} <= {*FOLD_WORDS}
    assert {*checked.makeup.kinds} <= {*KIND_WORDS}
    assert (
        checked.makeup.lengths.get(4, 0) == 0 < max(checked.makeup.lengths) - 4
    )  # a length without tokens has no bar
    assert "<th>4</th><td></td><td>0</td><td>0 %</td>" in view.lengths_html(checked.makeup)
