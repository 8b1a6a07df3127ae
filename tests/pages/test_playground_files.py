"""Every kind of tokenizer file: opened, named, in the link, there again after a reload, and removed, four at
once.

Oracle: the same files read by themselves, outside the page (tested elsewhere with the libraries' tokenizers).
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.app.catalogue.test_other_files import minbpe, tekken, trained
from tests.pages.pages import bodies, run, settings_box, tables
from tests.pages.test_playground import address, drawn_html, ids, opened
from tokensteps.catalogue.choices import READY, TokenizerSpec, title, upload_spec
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.shipped import gpt2
from tokensteps.catalogue.texts import TEXTS

TEXT = "the inner loop, tea"
Files = dict[str, bytes]


def tokenizer_json() -> bytes:
    result = Tokenizer(models.BPE({"t": 0, "h": 1, "e": 2, "th": 3, "Ġ": 4}, [("t", "h")]))
    result.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return result.to_str().encode()


def vocab_and_merges() -> Files:
    vocab = {token: index for index, token in enumerate(gpt2().all_tokens()[:600])}
    merges = "\n".join(" ".join(gpt2().facts(index).parts or ()) for index in range(256, 600))
    return {"vocab.json": json.dumps(vocab).encode(), "merges.txt": merges.encode()}


def ranks() -> bytes:
    lines = (f"{b64encode(gpt2().token_bytes(index)).decode()} {index}" for index in range(600))
    return "\n".join(lines).encode()


FOURS: tuple[Callable[[], dict[str, Files]], ...] = (
    lambda: {
        "the library's": {"tokenizer.json": tokenizer_json()},
        "Mistral's": {"tekken.json": tekken()},
        "BERT's": {"vocab.txt": b"[PAD]\n[UNK]\nthe\nin\n##ner\nloop\n,\nt\n##ea\n"},
        "OpenAI's": {"x.tiktoken": ranks()},
    },
    lambda: {
        "GPT-2's": vocab_and_merges(),
        "Unigram's": {"u.model": trained("unigram")},
        "Llama's": {"l.model": trained("as Llama")},
        "minbpe's": {"m.model": minbpe(r"\w+|\W", {}, TEXTS["code"].make(), 40)[0]},
    },
)


@pytest.mark.parametrize("four", FOURS, ids=["documents and lists", "pairs and models"])
def test_files_of_every_kind_are_opened_named_linked_reloaded_and_removed(
    four: Callable[[], dict[str, Files]],
) -> None:
    files = four()
    specs = [TokenizerSpec.parse(upload_spec(one)).set(name=name).write() for name, one in files.items()]
    truth = [list(load(one).encode(TEXT).ids) for one in files.values()]
    link = dict(zip(("t1", "t2", "t3", "t4"), specs, strict=True))
    app = opened(text=TEXT, **link)
    app.session_state["playground.tab"] = "Counts"
    run(app)
    for again in (app, opened(**address(app))):  # the second one is another visitor's with the link
        assert ids(again) == truth[0]
        assert {name: address(again)[name] for name in link} == link
        whose = next(markup for markup in drawn_html(again) if "ts whose" in markup)
        assert f"<b>{next(iter(files)).replace(chr(39), '&#x27;')}</b>" in whose
    [table] = [table for table in tables(app) if "Tokens" in table]
    assert list(table["Tokens"]) == list(map(len, truth))
    named = [f"{letter} · {name}" for letter, name in zip("ABCD", files, strict=True)]
    assert list(table["Tokenizer"]) == named
    settings_box(app.text_input, "playground.set.name.1").set_value("Another name")
    [button for button in app.button if button.label == "Apply"][1].click()
    run(app)
    assert TokenizerSpec.parse(address(app)["t2"]).setting("name") == "Another name"
    app.selectbox(key="playground.slot.3").set_value(None)
    run(app)
    app.selectbox(key="playground.slot.0").set_value(READY[0])
    run(app)
    assert "t4" not in address(app) and address(app)["t1"] == READY[0] and address(app)["t3"] == specs[2]
    for spec, name in zip(specs, files, strict=True):  # another upload in a slot has its own name in the box
        app.session_state["playground.specs"] = [spec]
        run(app)
        assert settings_box(app.text_input, "playground.set.name.0").value == name


def upload(app: AppTest, name: str, data: bytes) -> AppTest:
    """Bring a file, and then another text: what the page says after each."""
    [box] = [one for one in app.sidebar.get("file_uploader") if str(one.key).startswith("playground.files")]
    box.set_value((name, data, "text/plain"))
    return run(app)


def test_a_refusal_is_about_this_text_and_a_fifth_tokenizer_pushes_one_out() -> None:
    """Both are said until the text is changed."""
    app = upload(
        opened(text=TEXT, t1=READY[0], t2=READY[1], t3=READY[2], t4="bpe?corpus=hug"), "a.json", b"{"
    )
    assert any("a.json" in text for text in bodies(app, "note problem"))
    upload(app, "vocab.txt", b"[PAD]\n[UNK]\nthe\n")
    assert "t4" in address(app) and "hug" not in "".join(address(app).values())
    [said] = [text for text in bodies(app, "note") if "no longer shown" in text]
    assert "room for 4 tokenizers" in said and title("bpe?corpus=hug") in said
    app.session_state["playground.text"] = "another"
    run(app)
    assert not bodies(app, "note problem") and not [one for one in bodies(app, "note") if "no longer" in one]
