"""The playground's tab “Chat” without a browser, through Streamlit's `AppTest`: messages, templates, costs,
links, complaints.

Oracles: the template, rendered in this process (`render`, compared with `transformers` elsewhere), and the
`tokenizers` library for the ids of that text.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.catalogue.test_chat import library
from tests.pages.pages import bodies, problems, run
from tests.pages.test_playground import address, notes, opened
from tokensteps.catalogue.chat.conversation import FIRST_CHAT, ChatTurn, read_turns, write_turns
from tokensteps.catalogue.chat.jinja import render
from tokensteps.catalogue.chat.templates import CHAT_FORMATS
from tokensteps.catalogue.choices import GPT2, upload_spec
from tokensteps.catalogue.shipped import gpt2
from tokensteps.limits import CHAT_CHARACTERS
from tokensteps.pages.explore.chat.chat_state import CHAT_TAB
from tokensteps.runs.settings import read_short

OWN = "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}: {{ m.content }}<|im_end|>{% endfor %}{% if add_generation_prompt %}!{% endif %}"
HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ \u202e"


def chat_opened(**url: str) -> AppTest:
    return opened(**{"chat": write_turns(FIRST_CHAT), "t1": GPT2, **url})


def text_read(app: AppTest) -> str:
    """The model's text, as the page shows it."""
    return next(
        one.value
        for one in app.code
        if one.value.startswith(("<", "System", "[")) and not one.value[:2].isdigit()
    )


def ids_shown(app: AppTest) -> list[int]:
    return [int(one) for one in next(one.value for one in app.code if one.value[:1].isdigit()).split(", ")]


def turns_in(app: AppTest) -> Any:
    return read_turns(str(read_short(address(app)["chat"])))


def uploaded(**settings: Any) -> str:
    config = {"bos_token": {"content": "<s>"}, **settings}
    files = {
        "tokenizer.json": library().to_str().encode(),
        "tokenizer_config.json": json.dumps(config).encode(),
    }
    return upload_spec(files)


def test_messages_by_a_format_of_the_page() -> None:
    """GPT-2 has no template: the formats are offered and said to be the page's own."""
    app = chat_opened()
    assert app.session_state["playground.tab"] == CHAT_TAB and problems(app) == []
    text = render(CHAT_FORMATS["chatml"].template, [turn._asdict() for turn in FIRST_CHAT], {}, True).text
    assert text_read(app) == text.rstrip("\n") or text_read(app) == text
    assert ids_shown(app) == [*gpt2().encode(text).ids]
    assert "ordinary text" in notes(app) and "chat" not in address(app)  # as usual, so not in the address
    assert any("comes without a chat template" in one.value for one in app.caption)
    box = app.selectbox(key="playground.chat.format.box")
    assert (
        box.options[-1] == "a template of your own" and "like Llama 2 (written for this page)" in box.options
    )
    box.set_value("llama3")
    app.toggle(key="playground.chat.prompt.box").set_value(False)
    run(app)
    text = render(CHAT_FORMATS["llama3"].template, [turn._asdict() for turn in FIRST_CHAT], {}, False).text
    assert ids_shown(app) == [*gpt2().encode(text).ids]
    assert address(app)["format"] == "llama3" and address(app)["prompt"] == "0"


def test_messages_are_added_edited_moved_and_removed() -> None:
    app = chat_opened(chat=write_turns([ChatTurn("user", "one"), ChatTurn("assistant", "two")]))
    areas = [area.key for area in app.text_area if area.label.startswith("Message")]
    numbers = [key.rpartition(".")[2] for key in areas if key]
    app.text_area(key=areas[0]).set_value("ONE")
    app.selectbox(key=f"playground.chat.role.{numbers[0]}").set_value("system")
    run(app)
    app.button(key="playground.chat.add").click()
    run(app)
    assert turns_in(app) == [ChatTurn("system", "ONE"), ChatTurn("assistant", "two"), ChatTurn("user", "")]
    app.button(key=f"playground.chat.down.{numbers[0]}").click()
    run(app)
    app.button(key=f"playground.chat.out.{numbers[1]}").click()
    run(app)
    assert turns_in(app) == [ChatTurn("system", "ONE"), ChatTurn("user", "")]
    assert app.text_area(key=areas[0]).value == "ONE" and problems(app) == []
    for button in [one for one in app.button if one.label.startswith("Remove")]:
        app.button(key=button.key).click()
        run(app)
    assert "There is no message yet" in notes(app)


def test_an_uploaded_tokenizers_own_template() -> None:
    spec = uploaded(
        chat_template=[
            {"name": "default", "template": OWN},
            {"name": "tool_use", "template": "{{ bos_token }}T"},
        ]
    )
    app = chat_opened(t1=spec)
    text = render(OWN, [turn._asdict() for turn in FIRST_CHAT], {"bos_token": "<s>"}, True).text
    assert ids_shown(app) == library().encode(text, add_special_tokens=False).ids and text_read(app) == text
    [counts] = [one for one in bodies(app, "counts") if "of the messages" in one]
    tokens = library().encode(text, add_special_tokens=False)
    special = sum(token in ("<s>", "<|im_start|>", "<|im_end|>") for token in tokens.tokens)
    own = sum(len(library().encode(turn.content, add_special_tokens=False).ids) for turn in FIRST_CHAT)
    assert f"<dd>{len(tokens.ids)}</dd>" in counts and f"<dd>{special}</dd>" in counts
    assert abs(len(tokens.ids) - own - int(counts.split("of the template</dt><dd>")[1].split("<")[0])) <= len(
        FIRST_CHAT
    )
    app.selectbox(key="playground.chat.format.box").set_value("own/tool_use")
    run(app)
    assert ids_shown(app) == library().encode("<s>T", add_special_tokens=False).ids
    assert "rewrites message 1" in notes(app) and address(app)["format"] == "own/tool_use"


@pytest.mark.parametrize("special", ["", "[UNK]"])
def test_an_unknown_character_is_no_special_token(special: str) -> None:
    """The unknown token is a special one; a message holds it only where it spells it."""
    tokenizer = f"bpe?{urlencode({'corpus': 'hug', 'special': special})}"
    app = chat_opened(chat=write_turns([ChatTurn("user", "Zürich")]), t1=tokenizer)
    assert problems(app) == [] and {0 if special else 14} & {*ids_shown(app)}
    assert "could pretend" not in notes(app) and "ordinary text" in notes(app)
    app = chat_opened(chat=write_turns([ChatTurn("user", "hug[UNK]")]), t1=tokenizer)
    assert "Message 1 holds [UNK]" in notes(app)


def test_a_hostile_template_of_ones_own_and_hostile_messages() -> None:
    """Both are text and nothing else, also in the error message; the link has both."""
    turns = [ChatTurn("user", HOSTILE + " <|im_end|>")]
    app = chat_opened(t1=uploaded(), chat=write_turns(turns), format="mine", jinja=OWN)
    assert "speaks" not in notes(app) and "pretend to be another message" in notes(app)
    assert "<img" not in "".join(one.proto.body for one in app.get("html"))
    app.text_area(key="playground.chat.jinja.box").set_value("{{ raise_exception('" + HOSTILE + "') }}")
    run(app)
    [text] = problems(app)
    assert "refuses these messages" in text and "&lt;img" in text
    assert read_short(address(app)["jinja"]) == "{{ raise_exception('" + HOSTILE + "') }}"
    app.text_area(key="playground.chat.jinja.box").set_value(
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    )
    run(app)
    assert "takes longer than 1 s" in problems(app)[0]


def test_a_link_has_the_tokenizer_of_the_chat() -> None:
    chat = write_turns([ChatTurn("user", "one")])
    app = chat_opened(t1="bpe?corpus=hug", t2=GPT2, chat=chat)
    assert "with" not in address(app)
    app.selectbox(key="playground.chat.whose.box").select("B")
    ids = ids_shown(run(app))
    assert address(app)["with"] == "B"
    again = chat_opened(**address(app))
    assert ids_shown(again) == ids and again.selectbox(key="playground.chat.whose.box").value == "B"
    lost = chat_opened(t1="bpe?corpus=hug", chat=chat, **{"with": "B"})
    assert "The link says with=" in problems(lost)[0] and "with" not in address(lost)


def test_damaged_links_and_long_messages() -> None:
    app = opened(chat='[["king","x"]]', format="nothing", t1=GPT2)
    assert "chat in this link is damaged" in problems(app)[0]
    app = chat_opened(chat="~damaged", jinja="~damaged")
    assert len(problems(app)) == 2
    app = chat_opened(chat=write_turns([ChatTurn("user", "a b " * (CHAT_CHARACTERS // 4 + 1))]))
    assert "but the page takes 50,000: shorten them" in problems(app)[0]


def test_a_chat_opens_with_messages_that_its_template_takes() -> None:
    """Oracle: the template itself, which refuses a system message, like Mistral's and Gemma's first ones."""
    strict = "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}<{{ m.role }}>{% endfor %}"
    spec = uploaded(chat_template=strict)
    app = opened(t1=spec)
    app.session_state["playground.tab.open"] = CHAT_TAB
    app.session_state["playground.tab"] = CHAT_TAB
    run(app)
    assert problems(app) == []
    assert text_read(app) == "".join(f"<{turn.role}>" for turn in FIRST_CHAT[1:])
    assert any("no system" in one for one in problems(chat_opened(t1=spec)))  # a link's own stay as they are
