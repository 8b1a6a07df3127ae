"""The playground without a browser, through Streamlit's `AppTest`: links, toggles, tokenizers, complaints.

Oracles: the engine, asked for the same corpus and text; the components' own messages to the browser. Tests of
JavaScript (typing, hovering, keys, Back) are in `tests/browser/`.
"""

from __future__ import annotations

import time
from base64 import b64encode
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
import tiktoken
from huggingface_hub import constants
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer, models, processors

from tests.pages.pages import run, sent_messages, settings_box, tables
from tokensteps.catalogue.analysis import interpret_escapes
from tokensteps.catalogue.choices import GPT2, READY, TokenizerSpec, public, title, upload_spec
from tokensteps.catalogue.shipped import gpt2
from tokensteps.catalogue.texts import TEXTS
from tokensteps.limits import PASTE_LIMIT, PLAYGROUND_LIMIT
from tokensteps.pages.explore.playground_chips import STRETCHES_SHOWN
from tokensteps.runs.corpora import pack_text, unpack_text
from tokensteps.server.stores import STORE_VARIABLE, text_store

APP = Path(__file__).resolve().parents[2] / "app.py"
HUG = "bpe?corpus=hug"
HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ \u202e"


def opened(**url: str) -> AppTest:
    """The playground as a link opens it."""
    app = AppTest.from_file(str(APP), default_timeout=300)
    for name, text in url.items():
        app.query_params[name] = text
    app.switch_page("pages/explore/playground.py")
    return run(app)


def message(app: AppTest, holding: str) -> dict[str, Any]:
    """The message of the component with something of this name."""
    result: dict[str, Any] = next(one for one in sent_messages(app) if holding in one)
    return result


def ids(app: AppTest) -> list[int]:
    """The ids of the chips."""
    chips = message(app, "kinds")
    return [identifier for number in chips["order"] for identifier in chips["kinds"][number][2:]]


def text_of(app: AppTest) -> str:
    """The chips' text, concatenated."""
    chips = message(app, "kinds")
    return "".join(chips["kinds"][number][1] for number in chips["order"] if len(chips["kinds"][number]) > 1)


def drawn_html(app: AppTest) -> list[str]:
    """Blocks of markup on the page, those above the chips too."""
    heads = [block for one in sent_messages(app) for block in one.get("head", [])]
    return [*(html.proto.body for html in app.get("html")), *heads]


def notes(app: AppTest, kind: str = "note") -> str:
    return " ".join(markup for markup in drawn_html(app) if f'class="ts {kind}' in markup)


def address(app: AppTest) -> dict[str, str]:
    """The address's parameters."""
    return {name: texts if isinstance(texts, str) else texts[0] for name, texts in app.query_params.items()}


def test_a_bare_address_shows_the_usual_text_and_tokenizer() -> None:
    app = opened()
    assert text_of(app) == TEXTS["first"].make() == message(app, "nonce")["text"]
    assert app.selectbox(key="playground.slot.0").value == READY[0]
    assert not address(app)
    assert not notes(app, "note problem")


def test_a_link_brings_text_tokenizers_and_toggles() -> None:
    text = "hugs and <s> pugs\nunhug 茶"
    url = {"text": str(pack_text(text)), "t1": f"{HUG}&step=3", "t2": HUG, "write": "ids", "specials": "0"}
    app = opened(**url)
    run = TokenizerSpec.parse(HUG).run()
    trace = run.algorithm.train(run.source.corpus(run.pipeline), **run.settings)
    assert ids(app) == trace.tokenizer(3).encode(text).ids
    assert text_of(app) == text and app.slider(key="playground.step.0").value == 3
    assert app.segmented_control(key="playground.write").value == "ids"
    assert app.toggle(key="playground.specials").value is False
    assert address(app) == url


def test_the_slider_takes_the_tokenizer_after_another_step() -> None:
    app = opened(text=str(pack_text("hugs")), t1=f"{HUG}&step=0")
    assert len(ids(app)) == 4
    app.slider(key="playground.step.0").set_value(3)
    run(app)
    assert len(ids(app)) == 2  # hug, s
    assert TokenizerSpec.parse(address(app)["t1"]).step == 3


def test_a_run_of_the_page_takes_no_key_of_the_slider_back() -> None:
    """The browser's own value counts unless the page writes one (only where it differs)."""
    app = opened(text=str(pack_text("hugs")), t1=f"{HUG}&step=3")
    assert app.slider(key="playground.step.0").proto.set_value
    run(app)
    assert app.slider(key="playground.step.0").value == 3
    assert not app.slider(key="playground.step.0").proto.set_value


def test_a_late_message_of_a_slider_changes_no_file() -> None:
    """The browser may report a key on the slider when a file has already taken the run's place."""
    ranks = "\n".join(f"{b64encode(bytes([byte])).decode()} {byte}" for byte in range(256))
    spec = upload_spec({"mine.tiktoken": ranks.encode()})
    app = opened(text="hugs", t1=f"{HUG}&step=3")
    app.slider(key="playground.step.0").set_value(2)
    app.session_state["playground.specs"] = [spec]
    run(app)
    assert address(app)["t1"] == spec
    assert not any("upload it again" in markup for markup in drawn_html(app))


def test_a_second_tokenizer_comes_and_goes() -> None:
    app = opened(t1=HUG)
    app.selectbox(key="playground.slot.1").set_value(READY[1])
    run(app)
    assert address(app)["t2"] == READY[1] and app.selectbox(key="playground.slot.2").value is None
    assert any("<i>B</i> WordPiece" in line for line in message(app, "lines")["lines"])
    app.selectbox(key="playground.slot.1").set_value(None)
    run(app)
    assert "t2" not in address(app)


def test_a_share_of_a_context_window_is_shown_and_in_the_link() -> None:
    """Oracle: the engine's number of tokens, divided here."""
    app = opened(t1=f"{HUG}&step=0", text="hugs", window="32")
    figure = next(markup for markup in drawn_html(app) if "ts window" in markup)
    assert "<b>12.5 %</b> of a context window of 32 tokens" in unescape(figure) and "width:12.50%" in figure
    app.number_input(key="playground.window").set_value(2)
    run(app)
    assert address(app)["window"] == "2"
    figure = next(markup for markup in drawn_html(app) if "ts window" in markup)
    assert "200.0 %" in unescape(figure) and "width:100.00%" in figure and "over" in figure
    app.number_input(key="playground.window").set_value(None)
    run(app)
    assert "window" not in address(app) and not any("ts window" in markup for markup in drawn_html(app))


def test_a_special_token_is_put_in_once() -> None:
    """The menu has the tokenizers' special tokens, and sends the chosen one to the text box with a new number
    each time."""
    app = opened(t1=GPT2, text="hug")
    menu = app.selectbox(key="playground.special")
    assert menu.options == ["<|endoftext|>"] and message(app, "nonce")["insert"] == [0, ""]
    for number in (1, 2):
        app.selectbox(key="playground.special").set_value("<|endoftext|>")
        run(app)
        assert message(app, "nonce")["insert"] == [number, "<|endoftext|>"]
        assert app.selectbox(key="playground.special").value is None


def test_runs_of_this_session_are_offered() -> None:
    app = AppTest.from_file(str(APP), default_timeout=300)
    app.query_params["corpus"] = "hug"
    app.query_params["step"] = "2"
    app.switch_page("pages/train/bpe.py")
    run(app)
    app.switch_page("pages/explore/playground.py")
    run(app)
    offered = app.selectbox(key="playground.slot.0").options
    assert "BPE after step 2: hug, pug, pun, bun, hugs" in offered and len(set(offered)) == len(offered)


def test_escapes_are_read_and_no_longer_tied_to_the_text_box() -> None:
    typed = r"a\tb\n\u8336"
    app = opened(text=str(pack_text(typed)), escapes="1")
    assert text_of(app) == interpret_escapes(typed) == "a\tb\n茶"
    assert message(app, "kinds")["linked"] is False


@pytest.mark.parametrize("write", ["text", "ids", "bytes"])
def test_hostile_text_and_names_are_inert(write: str) -> None:
    own = f"bpe?{urlencode({'corpus': 'paste', 'text': pack_text(HOSTILE), 'special': '<script>alert(1)</script>'})}"
    app = opened(text=str(pack_text(HOSTILE + "<script>alert(1)</script>")), t1=own, t2=HUG, write=write)
    assert text_of(app) == HOSTILE + "<script>alert(1)</script>"
    chips = message(app, "kinds")
    drawn = [kind[0] for kind in chips["kinds"]] + list(chips["cards"].values())
    drawn += [markup for markup in drawn_html(app) if "<style" not in markup]
    assert not any(tag in markup for markup in drawn for tag in ("<img", "<script", "<s>"))
    shown = [*app.markdown, *app.caption, *app.header, *app.title]
    assert not any("onerror" in element.value for element in shown)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ({"t1": "gpt9"}, "this page doesn't know"),
        ({"t1": "bpe?corpus=hug&step=-1"}, "which doesn't exist"),
        ({"t1": "bpe?corpus=hug&size=1"}, "below the alphabet"),
        ({"t1": "file?tokenizer.json=0123"}, "no longer has the file"),
        ({"t1": "hub?name=../../etc/passwd"}, "etc/passwd"),
        ({"text": "eNoLdamaged"}, "damaged"),
        ({"id": "0123"}, "no longer has the text"),
        ({"write": "<b>"}, "write="),
    ],
)
def test_an_invalid_link_is_explained_and_the_rest_survives(url: dict[str, str], expected: str) -> None:
    text = {} if "text" in url or "id" in url else {"text": str(pack_text("keep me"))}
    app = opened(**url, **text)
    assert expected in unescape(notes(app, "note problem"))
    assert message(app, "nonce")["text"] == ("keep me" if text else TEXTS["first"].make())


@pytest.mark.parametrize("text", ["hello there", "!!", "damaged", "<b>&amp;</b> 茶 \n\ttab", "eN route"])
def test_a_text_that_was_typed_into_the_address_is_taken_as_it_is(text: str) -> None:
    app = opened(text=text)
    assert message(app, "nonce")["text"] == text and not notes(app, "note problem")
    assert unpack_text(address(app)["text"]) == text  # the page's address is compressed


def test_where_a_cannot_be_had_the_next_is_shown() -> None:
    text = "hugs and pugs"
    app = opened(t1="file?tokenizer.json=0123", t2=HUG, text=text)
    assert "no longer has the file" in unescape(notes(app, "note problem"))
    run_of = TokenizerSpec.parse(HUG).run()
    trace = run_of.algorithm.train(run_of.source.corpus(run_of.pipeline), **run_of.settings)
    assert ids(app) == trace.tokenizer().encode(text).ids
    assert any('class="ts whose"><i>B</i>' in markup for markup in drawn_html(app))


def test_where_a_fails_on_a_text_no_chips_of_another_are_shown() -> None:
    """Oracle: the library, which can't encode a word missing in such a vocabulary."""
    spec = upload_spec({"tokenizer.json": Tokenizer(models.WordLevel({"hug": 0}, "[UNK]")).to_str().encode()})
    app = opened(t1=spec, t2=GPT2, text="pug")
    assert "can't encode this text" in unescape(notes(app, "note problem"))
    with pytest.raises(StopIteration):
        message(app, "kinds")
    assert ids(opened(t1=spec, t2=GPT2, text="hug")) == [0]


def test_gpt2_is_the_second_tokenizer_and_can_go() -> None:
    app = opened()
    assert app.selectbox(key="playground.slot.1").value == GPT2 and not address(app)
    text = next(html.proto.body for html in app.get("html") if "ts preset" in html.proto.body)
    assert "50,257" in text and "comes with this app" in text
    app.selectbox(key="playground.slot.1").set_value(None)
    run(app)
    assert address(app) == {"t1": READY[0]}


def test_a_text_over_the_limit_is_refused_and_kept() -> None:
    app = opened(text=str(pack_text("a")))
    app.session_state["playground.text"] = "a" * (PLAYGROUND_LIMIT + 1)
    run(app)
    assert "1,000,001 characters" in notes(app, "note problem")


def test_the_text_can_be_trained_on() -> None:
    """The link opens BPE's page with the box's text; without words, or beyond that page's limit, there is
    none."""

    def link(text: str) -> dict[str, str] | None:
        app.session_state["playground.text"] = text
        run(app)
        results = [
            one.proto.query_string for one in app.get("page_link") if one.proto.label == "Train on this text"
        ]
        return dict(parse_qsl(results[0])) if results else None

    app = opened(text=str(pack_text("short")))
    short, long = link("low lower"), link("".join(map(chr, range(33, 50_000))))
    assert short is not None and short["corpus"] == "paste" and unpack_text(short["text"]) == "low lower"
    assert long is not None and long["corpus"] == "paste" and text_store().get(long["id"]) is not None
    assert link(" \n") is None and link("a" * (PASTE_LIMIT + 1)) is None


def test_a_long_text_is_drawn_a_page_at_a_time_and_counted_whole() -> None:
    text = "hug pug " * 4_000
    app = opened(t1=HUG)
    app.session_state["playground.text"] = text
    run(app)
    chips = message(app, "kinds")
    assert chips["total"] > STRETCHES_SHOWN >= len(ids(app))
    assert any(f"{chips['total']:,}" in markup for markup in drawn_html(app) if "counts" in markup)
    assert text_of(app) == text[: len(text_of(app))]
    app.session_state["playground.page"] = 2
    run(app)
    assert message(app, "kinds")["first"] > 0


@pytest.mark.parametrize(
    "tab", ["Side by side", "Counts", "Costly words", "Languages", "Look up", "Files and link"]
)
@pytest.mark.parametrize("text", ["", HOSTILE, "one two\nthree"])
def test_every_tab_draws(tab: str, text: str) -> None:
    app = opened(t1=READY[0], t2=HUG, **({"text": str(pack_text(text))} if text else {}))
    app.session_state["playground.tab"] = tab
    if not text:
        app.session_state["playground.text"] = ""
    run(app)
    assert not notes(app, "note problem")


def test_the_link_holds_the_text_or_has_a_note() -> None:
    app = opened(text=str(pack_text("short")))
    assert unpack_text(address(app)["text"]) == "short"
    app.session_state["playground.text"] = "".join(map(chr, range(33, 50_000)))
    app.session_state["playground.tab"] = "Files and link"
    run(app)
    assert "id" in address(app) and "text" not in address(app)
    assert "hold this text. Its address" in notes(app)


def test_an_upload_has_a_name_and_settings_which_the_link_keeps() -> None:
    """Oracle: tiktoken's own encoder, given the same ranks, pattern and special token."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"12": 256, b"123": 257}
    lines = "\n".join(f"{b64encode(token).decode()} {rank}" for token, rank in ranks.items())
    files = {"mine/x.tiktoken": lines.encode(), "mine/config.json": b'{"_name_or_path": "me/mine"}'}
    spec = upload_spec(files)
    text = "1234<s> a"
    app = opened(t1=spec, text=text)
    assert TokenizerSpec.parse(spec).setting("name") == "me/mine"
    assert any("<b>me/mine</b>" in markup for markup in drawn_html(app))
    settings_box(app.text_input, "playground.set.name.0").set_value("My <b>own</b>")
    settings_box(app.selectbox, "playground.set.pattern.0").set_value("own")
    settings_box(app.text_input, "playground.set.own.0").set_value(r"\d{1,2}|\D")
    settings_box(app.text_input, "playground.set.special.0").set_value("<s>=300")
    next(button for button in app.button if button.label == "Apply").click()
    run(app)
    truth = tiktoken.Encoding("t", pat_str=r"\d{1,2}|\D", mergeable_ranks=ranks, special_tokens={"<s>": 300})
    assert ids(app) == truth.encode(text, allowed_special="all")
    again = opened(t1=address(app)["t1"], text=text)
    assert ids(again) == ids(app)
    whose = next(markup for markup in drawn_html(again) if "ts whose" in markup)
    assert "My &lt;b&gt;own&lt;/b&gt;" in whose


def test_uploads_have_different_names() -> None:
    """Files without a name get a number; files that come again keep the name given by somebody."""
    brought: list[str] = []
    for number in range(4):
        brought.insert(0, upload_spec({"tokenizer.json": b"%d" % number}, brought))
    names = ["tokenizer.json (4)", "tokenizer.json (3)", "tokenizer.json (2)", "tokenizer.json"]
    assert [title(spec) for spec in brought] == names
    brought[1] = TokenizerSpec.parse(brought[1]).set(name="mine").write()
    assert upload_spec({"tokenizer.json": b"2"}, brought) == brought[1]
    assert (
        title(upload_spec({"qwen/models/vocab.json": b"", "qwen/models/merges.txt": b""}, brought)) == "qwen"
    )


def test_an_upload_from_before_a_reload_keeps_its_name() -> None:
    """It is in the address alone then, perhaps beside nonsense."""

    def page() -> None:
        import streamlit as st

        from tokensteps.catalogue.choices import upload_spec, uploads_here

        st.session_state["specs"] = [
            upload_spec({"tokenizer.json": one}, uploads_here()) for one in (b"0", b"1")
        ]

    app, first = AppTest.from_function(page), upload_spec({"tokenizer.json": b"0"})
    app.query_params["t1"], app.query_params["t2"] = first, "file?x"
    app.run()
    assert [title(spec) for spec in app.session_state["specs"]] == ["tokenizer.json", "tokenizer.json (2)"]
    assert app.session_state["specs"][0] == first


def test_an_invalid_pattern_is_reported_and_can_be_changed() -> None:
    ranks = "\n".join(f"{b64encode(bytes([byte])).decode()} {byte}" for byte in range(256))
    spec = TokenizerSpec.parse(upload_spec({"x.tiktoken": ranks.encode()})).set(pattern="(").write()
    app = opened(t1=spec, t2=HUG, text="hug")
    assert "can't be used" in unescape(notes(app, "note problem"))
    assert "As soon as two" in notes(app, "note") and "Choose a second" not in notes(app, "note")
    settings_box(app.selectbox, "playground.set.pattern.0").set_value("gpt2")
    next(button for button in app.button if button.label == "Apply").click()
    run(app)
    assert ids(app) == [*b"hug"] and not notes(app, "note problem")


def test_special_tokens_are_added_by_each_tokenizer_for_itself() -> None:
    """Oracle: the tokenizers library, which adds them itself."""
    tokenizer = Tokenizer(models.WordLevel({"hug": 0, "[CLS]": 1, "[UNK]": 2}, unk_token="[UNK]"))
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A", None, [("[CLS]", 1)])
    spec = upload_spec({"tokenizer.json": tokenizer.to_str().encode()})
    other = TokenizerSpec.parse(spec).set(name="other").write()
    app = opened(t1=spec, t2=other, text="hug")
    assert ids(app) == tokenizer.encode("hug", add_special_tokens=False).ids
    app.toggle(key="playground.adding.A").set_value(True)
    run(app)
    assert ids(app) == tokenizer.encode("hug").ids and address(app)["added"] == "A"
    assert app.toggle(key="playground.adding.B").value is False
    for value, first, second in (("A", True, False), ("B", False, True), ("1", True, True)):
        again = opened(t1=spec, t2=other, text="hug", added=value)
        assert [again.toggle(key=f"playground.adding.{letter}").value for letter in "AB"] == [first, second]


@pytest.mark.slow
def test_choices_of_a_tab_are_there_again_after_another_tab() -> None:
    app = opened(t1="bpe?corpus=hug", t2=GPT2, text="hug")
    boxes = {"Look up": "lookup", "Tokens by count": "tokens", "Health": "health", "Chat": "chat"}
    for tab, name in boxes.items():
        app.session_state["playground.tab"] = tab
        run(app)
        app.selectbox(key=f"playground.{name}.whose.box").select("B")
        if name == "lookup":
            app.selectbox(key="playground.lookup.kind").set_value("regex")
            app.text_input(key="playground.lookup.query").set_value("^th")
            app.text_input(key="playground.lookup.ids").set_value("1 2 3")
        run(app)
    for tab, name in boxes.items():
        app.session_state["playground.tab"] = tab
        assert notes(run(app), "note problem") == ""
        assert app.selectbox(key=f"playground.{name}.whose.box").value == "B"
        if name == "lookup":
            assert app.selectbox(key="playground.lookup.kind").value == "regex"
            assert [box.value for box in app.text_input if box.key.startswith("playground.lookup")] == [
                "^th",
                "1 2 3",
            ]


def test_look_up_finds_tokens_and_the_text_of_ids() -> None:
    """Oracle: tiktoken's word for GPT-2's first ids (15496, 995 is “Hello world”), and a plain search through
    all tokens."""
    app = opened(t1=GPT2, text="hug")
    app.session_state["playground.tab"] = "Look up"
    run(app)
    app.text_input(key="playground.lookup.query").set_value("hug")
    app.text_input(key="playground.lookup.ids").set_value("[15496, 995]")
    run(app)
    assert app.code[-1].value == "Hello world"
    [table] = [table for table in tables(app) if "Token" in table]
    tokens = [identifier for identifier in range(50_257) if b"hug" in gpt2().token_bytes(identifier)]
    assert list(table["Id"]) == tokens and list(table["Rank"]) == [one - 256 for one in tokens]
    for kind, query, said in (
        ("bytes", "zz", "not bytes"),
        ("regex", "(", "not a regular expression"),
        ("regex", r"(\w+\w*)+(?<!a)!$", ""),
    ):
        app.selectbox(key="playground.lookup.kind").set_value(kind)
        app.text_input(key="playground.lookup.query").set_value(query)
        run(app)
        assert said in notes(app, "note problem")
    app.text_input(key="playground.lookup.query").set_value("")
    app.text_input(key="playground.lookup.ids").set_value("999999")
    run(app)
    assert "not an id of this vocabulary" in notes(app, "note problem")


def test_tokenizers_of_one_corpus_are_distinguished() -> None:
    """A tokenizer from a link, of another size than the one always offered, stays chosen while the page is
    used."""
    small, text = "bpe?corpus=library&size=600", "Tokenizers split unfamiliar words."
    app = opened(t1=small, t2="wordpiece?corpus=hug", text=text)
    run_of = TokenizerSpec.parse(small).run()
    trace = run_of.algorithm.train(run_of.source.corpus(run_of.pipeline), **run_of.settings)
    expected = list(trace.tokenizer().encode(text).ids)
    assert ids(app) == expected
    boxes = [app.selectbox(key=f"playground.slot.{index}") for index in (0, 1)]
    assert boxes[0].value == small and len(set(boxes[0].options)) == len(boxes[0].options)
    boxes[1].set_value(GPT2)
    run(app)
    assert address(app)["t1"] == small and address(app)["t2"] == GPT2 and ids(app) == expected


def test_a_public_name_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unreachable hub, and nothing on disk: it is said at once, and the page works on with the text as it
    is."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path))
    app, text = opened(t1=HUG, text="hugs and pugs"), "hugs and pugs"
    before = ids(app)
    for name, complaint in (
        ("someone/unknown-<b>", "is not a repository name"),
        ("../../etc/passwd", "is not a repository name"),
        ("someone/unknown", "'127.0.0.1' can't be reached"),
    ):
        app.text_input(key="playground.name").set_value(name)
        next(button for button in app.button if button.label == "Get it").click()
        start = time.monotonic()
        run(app)
        assert complaint in unescape(notes(app, "note problem")) and "<b>" not in notes(app, "note problem")
        assert time.monotonic() - start < 60 and ids(app) == before
    slot = app.selectbox(key="playground.slot.0")
    slot.set_value(public("google-bert/bert-base-cased"))  # the list has public ones, too
    run(app)
    assert "'google-bert/bert-base-cased' is not on this server yet" in unescape(notes(app, "note problem"))
    assert message(app, "nonce")["text"] == text
    app.selectbox(key="playground.slot.0").set_value(READY[0])
    run(app)
    assert ids(app) and address(app)["t1"] == READY[0] and not notes(app, "note problem")
