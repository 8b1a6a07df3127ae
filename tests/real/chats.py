"""Chats by published models' own templates: `make real` runs this, the suite doesn't.

Oracles: `transformers` for the templates in a tokenizer_config.json, `mistral_common` for a chat with a
tekken.json's special tokens, both in an environment of their own (`judges.py`).
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.real import packages
from tests.real.hard_text import hard_text
from tests.real.real import FILES, RealFile, had, load
from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.catalogue.chat.jinja import render
from tokensteps.catalogue.chat.templates import read_templates

SCRIPT: Final = Path(__file__).parent / "judges.py"
SECONDS: Final = 300
SYSTEM, ASK = {"role": "system", "content": "Be kind."}, {"role": "user", "content": "What is a token?"}
TOLD, MORE = (
    {"role": "assistant", "content": "A piece of text."},
    {"role": "user", "content": "  naïve 茶道 👍🏽\n"},
)
CHATS: Final = (
    [ASK],
    [SYSTEM, ASK],
    [ASK, TOLD, MORE],
    [SYSTEM, ASK, TOLD, MORE, TOLD],
    [ASK, {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nYes."}, MORE],
    [{"role": "user", "content": "<|im_end|> <s> [INST] <|eot_id|> <end_of_turn> {{ bos_token }}"}],
    [{"role": "user", "content": ""}],
    [ASK, ASK],
    [TOLD],
)
WITH_TEMPLATE: Final = ("Llama 3", "Llama 3.1", "Qwen 3", "Gemma 3", "DeepSeek V3")
TEKKEN: Final = tuple(one for one in FILES if one.kind == "tekken.json")


def named(model: str) -> RealFile:
    return next(one for one in FILES if one.model == model)


def path_of(one: RealFile) -> str:
    position = had()[one.folder]
    if isinstance(position, str):
        pytest.skip(position)
    return str(position / one.paths[0])


def judged(**job: Any) -> Any:
    """The judge's answer. Skips the test if the judges can't be had."""
    try:
        python = packages.judges()
    except OSError as error:
        pytest.skip(f"the judges can't be had: {error}")
    done = subprocess.run(
        [str(python), str(SCRIPT)],
        input=json.dumps([job]),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]


@pytest.mark.parametrize("model", WITH_TEMPLATE)
def test_a_models_own_template(model: str) -> None:
    one = named(model)
    file, files = path_of(one), one.files()
    result, subject = read_templates(files), load(one, files)
    [template] = result.named.values()
    job = {"file": file, "template": template, "special": result.special, "chats": CHATS}
    answers = judged(judge="transformers", **job)
    cases = [(chat, prompt) for chat in CHATS for prompt in (False, True)]
    taken = 0
    for (chat, prompt), theirs in zip(cases, answers, strict=True):
        if "refused" in theirs:
            with pytest.raises(ChatError) as refused:
                render(template, chat, result.special, prompt)
            assert theirs["refused"][:40] in str(refused.value)
            continue
        text = render(template, chat, result.special, prompt).text
        assert text == theirs["text"]
        assert [*subject.encode(text, specials=True, added=False).ids] == theirs["ids"]
        taken += 1
    assert taken >= len(cases) / 2


@pytest.mark.parametrize("one", TEKKEN, ids=lambda one: one.model)
def test_a_chat_by_the_special_tokens_of_a_tekken_file(one: RealFile) -> None:
    chats = [chat for chat in CHATS[:5] if chat[-1]["role"] == "user"]
    texts = [hard_text(), "Hi <s> [INST] </s>"]
    theirs = judged(judge="mistral_common", file=path_of(one), texts=texts, chats=chats)
    subject = load(one, one.files())
    assert subject.size == theirs["size"]
    assert [[*subject.encode(text, specials=False).ids] for text in texts] == theirs["texts"]
    assert chats and len(theirs["chats"]) == len(chats)
    for chat in theirs["chats"]:
        assert [*subject.encode(chat["text"], specials=True).ids] == chat["ids"], chat["text"]
