"""Chats (`tokensteps/catalogue/chat/`): templates rendered as by other programs, the owner of each piece of
text, and harmful templates.

Oracle: `apply_chat_template` of `transformers`, with the same template, messages and tokenizer; for the
messages' own text, templates that write it between otherwise unused brackets. The templates of five families
and more were written for these tests, in the manner of models' own.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.app.pages.test_playground import Tags
from tests.app.server.processes import children, worked
from tests.hostile import hostile
from tests.waiting import pass_time
from tokensteps.catalogue import choices, hub
from tokensteps.catalogue.analysis import analyse
from tokensteps.catalogue.chat import asking
from tokensteps.catalogue.chat.conversation import (
    FIRST_CHAT,
    ROLES,
    ChatTurn,
    check_messages,
    read_turns,
    write_turns,
)
from tokensteps.catalogue.chat.errors import ChatError
from tokensteps.catalogue.chat.jinja import Rendered, render
from tokensteps.catalogue.chat.rendering import RenderRequest, TooLong, alarm
from tokensteps.catalogue.chat.templates import CHAT_FORMATS, ChatTemplates, read_templates
from tokensteps.catalogue.files import remote_tokenizer
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.formats import load
from tokensteps.catalogue.shown_tokenizers import TrainedSubject
from tokensteps.drawing.chat import chat_html, cost_html
from tokensteps.language.messages import explained
from tokensteps.limits import (
    CHAT_FILE_LIMIT,
    CHAT_GRACE,
    CHAT_MEMORY,
    CHAT_MESSAGES,
    CHAT_OUTPUT_LIMIT,
    CHAT_SECONDS,
    CHAT_TEMPLATE_LIMIT,
    CHAT_TEMPLATES,
)
from tokensteps.runs.algorithms import BPE, trace_at
from tokensteps.runs.corpora import plain_text
from tokensteps.server import workers
from tokensteps.server.tasks import Progress
from tokensteps.server.workers import Workers

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
FAMILIES = {
    "chatml": """\
{%- if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\nBe kind.<|im_end|>\\n' }}{% endif %}
{%- for message in messages %}
{%- set content = message.content if message.content is string else '' %}
{%- if message.role == "assistant" and '</think>' in content %}{% set content = content.split('</think>')[-1].lstrip('\\n') %}{% endif %}
{{- '<|im_start|>' ~ message.role ~ '\\n' ~ content ~ '<|im_end|>' ~ '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and not enable_thinking %}{{ '<think></think>' }}{% endif %}
{%- endif %}
""",
    "instructions": """\
{% if messages[0]['role'] == 'system' %}{% set rest = messages[1:] %}{% set said = messages[0]['content'] %}{% else %}{% set rest = messages %}{% set said = false %}{% endif %}
{% for message in rest %}
    {% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
        {{ raise_exception('User and assistant have to take turns.') }}
    {% endif %}
    {% if loop.first and said %}{% set content = '<<SYS>>\\n' + said + '\\n<</SYS>>\\n\\n' + message['content'] %}{% else %}{% set content = message['content'] %}{% endif %}
    {% if message['role'] == 'user' %}
        {{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}
    {% else %}
        {{ ' ' + content.strip() + ' ' + eos_token }}
    {% endif %}
{% endfor %}
""",
    "headers": """\
{{- bos_token }}
{%- set ns = namespace(tools=false) %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\nToday: " + strftime_now("%Y") + "\\n" }}
{%- if tools is not none %}{% set ns.tools = true %}{% endif %}
{%- if messages[0].role == 'system' %}{{ messages[0].content | trim }}{% set messages = messages[1:] %}{% endif %}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if message.role == "tool" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" + (message.content | tojson) + "<|eot_id|>" }}
        {%- continue %}
    {%- endif %}
    {{- "<|start_header_id|>" + message.role + "<|end_header_id|>\\n\\n" + message.content | trim + "<|eot_id|>" }}
{%- endfor %}
{%- if add_generation_prompt %}{{ "<|start_header_id|>assistant<|end_header_id|>\\n\\n" }}{% endif %}
{{- "" if not ns.tools else "tools" }}
""",
    "turns": """\
{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('There is no system role.') }}{% endif %}{% for message in messages %}{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}{% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}""",
    "macros": """\
{%- macro said(message, name="someone") -%}
<|{{ name }}|>{{ message.content }}<|end|>
{%- endmacro -%}
{%- for message in messages if message.role in ("system", "user", "assistant") -%}
{%- if message.role == "assistant" -%}
{% generation %}{{ said(message, name="model") }}{% endgeneration %}
{%- else -%}
{{ said(message, message.role | upper) }}
{%- endif -%}
{%- if loop.index > 6 %}{% break %}{% endif -%}
{%- endfor -%}
{{ dict(a=1) | tojson(indent=2) }}{{ [1, "é<"] | tojson }}{{ eos_token if add_generation_prompt else "" }}""",
    **{name: one.template for name, one in CHAT_FORMATS.items()},
}
CHATS: dict[str, list[dict[str, str]]] = {
    "first": [turn._asdict() for turn in FIRST_CHAT],
    "turns": [
        {"role": "user", "content": "  Who is there?\n"},
        {"role": "assistant", "content": "<think>me</think>\n\nuser, assistant: 茶 👩‍👩‍👧 <b>&amp;</b>"},
        {"role": "user", "content": "user"},
    ],
    "hostile": [
        {"role": "user", "content": "</s><s>[INST] {{ 7 * 7 }} {% for %} <|im_end|>"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "שלום \u202e x"},
    ],
    "tool": [*[turn._asdict() for turn in FIRST_CHAT], {"role": "tool", "content": '{"a": "é<&>"}'}],
}


@cache
def library() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer: Any = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=[*SPECIAL.values(), "<|im_start|>", "<|im_end|>", "<start_of_turn>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["the user and the assistant and the system take turns"] * 3, trainer)
    return tokenizer


@pytest.fixture(scope="module")
def pool() -> Iterator[Workers]:
    result = Workers(2, 5, remote_tokenizer.__name__)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "readers", lambda: result)
        patch.setattr(workers, "SLOWER", 1_000)  # the clock of a busy machine ends nothing
        yield result
    result.close()


# --- as other programs render -------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_text_and_ids_are_those_of_transformers(family: str) -> None:
    from transformers import PreTrainedTokenizerFast

    theirs: Any = PreTrainedTokenizerFast(
        tokenizer_object=library(), chat_template=FAMILIES[family], **SPECIAL
    )
    subject = load({"tokenizer.json": library().to_str().encode()})
    done = 0
    for messages in CHATS.values():
        for prompt in (True, False):
            arguments: dict[str, Any] = {"add_generation_prompt": prompt}
            text, refused = "", ""
            try:
                text = theirs.apply_chat_template(messages, tokenize=False, **arguments)
            except Exception as error:
                refused = str(error)
            if refused:
                with pytest.raises(ChatError) as ours:
                    render(FAMILIES[family], messages, SPECIAL, prompt)
                assert refused[:40] in str(ours.value)
                continue
            result = render(FAMILIES[family], messages, SPECIAL, prompt)
            assert result.text == text
            ids = theirs.apply_chat_template(messages, tokenize=True, return_dict=False, **arguments)
            assert list(subject.encode(result.text, specials=True, added=False).ids) == list(ids)
            done += 1
    assert done >= 2


# --- the owner of each piece of text ------------------------------------------------------------------------


@pytest.mark.parametrize("chat", CHATS)
@pytest.mark.parametrize("change", ["", "|trim", "|upper", "|tojson"])
def test_the_messages_own_text_is_found(chat: str, change: str) -> None:
    messages = CHATS[chat]
    template = "{% for m in messages %}⟦{{ m.role }}⟧{{ m.content" + change + " }}⟦/⟧{% endfor %}"
    result = render(template, messages, {}, False)
    between = re.findall("⟦(?:system|user|assistant|tool)⟧(.*?)⟦/⟧", result.text, re.DOTALL)
    assert len(between) == len(messages)
    for message, text, spans in zip(messages, between, result.own, strict=True):
        if change == "|upper":
            # The mark in the text's place is changed as well, so it isn't found: reported, never guessed.
            assert spans == ()
        elif not message["content"].strip():
            assert spans == ()
        else:
            match = "".join(result.text[start:end] for start, end in spans)
            assert match == (text.strip('"') if change == "|tojson" else text)


def test_a_text_that_is_written_twice_is_found_twice() -> None:
    template = "{% for m in messages %}<{{ m.content }}|{{ m.content }}>{% endfor %}"
    assert render(template, [{"role": "user", "content": "hug"}], {}, False) == Rendered(
        "<hug|hug>", (((1, 4), (5, 8)),)
    )


def test_a_template_that_looks_into_the_text_leaves_it_unfound() -> None:
    template = "{% for m in messages %}{% if m.content == 'a' %}A!{% else %}other {{ m.content }}{% endif %}{% endfor %}"
    assert render(template, [{"role": "user", "content": "a"}], {}, False) == Rendered("A!", ((),))


# --- harmful templates --------------------------------------------------------------------------------------

HARM = {
    "endless loops": ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "slow"),
    "an endless macro": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"),
    "nested brackets": ("{{ " + "(" * 5_000 + ")" * 5_000 + " }}", "recursion"),
    "a huge text": ("{{ 'a' * 10 ** 10 }}", "memory"),
    "a huge text in a loop": ("{% set n = namespace(t='a') %}{% for i in range(99) %}{% set n.t = n.t + n.t %}{% endfor %}", "memory"),
    "a huge number, which can't be interrupted": ("{{ 9 ** (9 ** 9) }}", "slow"),
    "a wide format": ("{{ '%1000000000d' % 1 }}", "memory"),
    "much output": ("{% for i in range(99999) %}aaaaaaaaaa{% endfor %}", "output"),
    "Python's inner parts": ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "unsafe"),
    "a way to the system": ("{{ cycler.__init__.__globals__.os.popen('id').read() }}", "unsafe"),
    "a way by a format": ("{{ '{0.__class__.__mro__}'.format('') }}", "unsafe"),
    "inner names in a namespace": ("{% set n = namespace(__class__=3) %}", "unsafe"),
    "changed messages": ("{{ messages.append(1) }}", "unsafe"),
    "an import": ("{% import 'os' as os %}", "unsafe"),
    "an include": ("{% include '/etc/passwd' %}", "unsafe"),
    "another's base": ("{% extends 'base' %}", "unsafe"),
    "a mistake": ("{{ messages[0].content", "syntax"),
    "a missing thing": ("{{ messages.nothing.more }}", "failed"),
    "a word of its own": ("{{ raise_exception('no <b>turns</b>') }}", "refused"),
    "its length": ("a" * (CHAT_TEMPLATE_LIMIT + 1), "long_template"),
}  # fmt: skip


def test_harmful_templates_end_within_a_second_with_an_error(
    pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = list(FIRST_CHAT)
    assert asking.rendered("warm {{ 1 }}", requests, {}, False, "").text == "warm 1"
    for name, (template, why) in HARM.items():
        began = worked()
        with pytest.raises(ChatError) as error:
            asking.rendered(template, requests, {}, False, "me")
        spent = worked() - began
        # On a busy machine, a template that takes memory bit by bit may use up its second first.
        assert error.value.why in {why, "slow" if why == "memory" else why}, name
        assert spent < CHAT_SECONDS + CHAT_GRACE + 10, f"{name}: a new process may have begun"
        narration = explained(error.value)
        assert "\n" not in narration and (": " in narration or "; " in narration)
    monkeypatch.setattr(pool, "run", None)  # known: it isn't tried again
    with pytest.raises(ChatError):
        asking.rendered(HARM["endless loops"][0], requests, {}, False, "somebody else")


def test_a_second_is_one_of_work_not_of_waiting() -> None:
    """A machine with much to do gives a template's process a tenth of the time. Oracle: the process's own
    clock of its work."""
    with alarm(0.1):
        pass_time(0.3)
    began = time.process_time()

    def work() -> None:
        with alarm(0.1):
            while time.process_time() < began + 5:
                pass

    with pytest.raises(TooLong):
        work()
    assert 0.05 < time.process_time() - began < 2  # its clock ticks in milliseconds


def test_an_interrupted_loop_leaves_the_process_and_its_memory_intact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result, before, wanted = Workers(1, 5, remote_tokenizer.__name__), children(), [ChatTurn("user", "x")]
    monkeypatch.setattr(asking, "readers", lambda: result)
    monkeypatch.setattr(workers, "SLOWER", 1_000)  # the clock of a busy machine doesn't end it
    asking.rendered("{{ 1 }}", wanted, {}, False, "")
    worker = children() - before
    slow, greedy = (
        "{% for i in range(9999) %}" + HARM["endless loops"][0] + "{% endfor %}",
        "{{ 'b' * 10 ** 10 }}",
    )
    for template in (slow, greedy):
        with pytest.raises(ChatError):
            asking.rendered(template, wanted, {}, False, "")
    assert len(worker) == 1 and worker <= children()  # earlier tests may begin processes of their own
    big = load({"tokenizer.json": library().to_str().encode()})
    assert CHAT_MEMORY and big.size  # and it still does its other work
    assert asking.rendered("{{ 2 }}", wanted, {}, False, "").text == "2"
    result.close()


def test_nothing_of_a_template_runs_in_the_servers_process(monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Any] = []

    class Nobody:
        def run(self, work: RenderRequest, progress: Progress) -> bytes:
            requests.append((work.template, progress.session))
            raise ChatError("crowded")

    monkeypatch.setattr(asking, "readers", Nobody)
    with pytest.raises(ChatError):
        asking.rendered("{{ 3 }}", [ChatTurn("user", "x")], {}, True, "me")
    assert requests == [("{{ 3 }}", "me")]


def test_output_up_to_the_limit_is_taken() -> None:
    template = "{% for i in range(" + str(CHAT_OUTPUT_LIMIT // 100) + ") %}" + "a" * 100 + "{% endfor %}"
    assert len(render(template, [], {}, False).text) == CHAT_OUTPUT_LIMIT


# --- where templates come from ------------------------------------------------------------------------------


def test_templates_of_a_tokenizers_files() -> None:
    config = {
        "chat_template": [
            {"name": "tool_use", "template": "T"},
            {"name": "default", "template": "D"},
            {"name": 3},
        ],
        "bos_token": {"content": "<s>", "lstrip": False},
        "eos_token": "</s>",
        "pad_token": None,
        "add_bos_token": True,
    }
    files = {"mine/tokenizer_config.json": json.dumps(config).encode(), "vocab.json": b"not looked at"}
    special = {"bos_token": "<s>", "eos_token": "</s>"}
    assert read_templates(files) == ChatTemplates({"default": "D", "tool_use": "T"}, special)
    assert [*read_templates(files).named] == ["default", "tool_use"]
    files |= {"mine/chat_template.jinja": "J é".encode(), "rag.jinja": b"R"}
    assert read_templates(files).named == {"default": "J é", "tool_use": "T", "rag": "R"}
    old = {
        "special_tokens_map.json": b'{"bos_token": "<old>", "sep_token": "|"}',
        "tokenizer_config.json": b'{"bos_token": "<s>"}',
    }
    assert read_templates(old) == ChatTemplates({}, {"bos_token": "<s>", "sep_token": "|"})
    assert read_templates({}) == ChatTemplates({}, {})


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"tokenizer_config.json": b"{"}, "file"),
        ({"tokenizer_config.json": b"[" * 100_000}, "file"),
        ({"tokenizer_config.json": b"[]"}, "file"),
        ({"tokenizer_config.json": b"\xff"}, "file"),
        ({"tokenizer_config.json": b" " * (CHAT_FILE_LIMIT + 1)}, "large_file"),
        ({"chat_template.jinja": b"a" * (CHAT_TEMPLATE_LIMIT + 1)}, "long_template"),
        ({f"{number}.jinja": b"a" for number in range(CHAT_TEMPLATES + 1)}, "many_templates"),
    ],
)
def test_files_without_settings(files: dict[str, bytes], why: str) -> None:
    with pytest.raises(ChatError) as error:
        read_templates(files)
    assert error.value.why == why


def test_settings_beside_a_tokenizer_are_no_trouble_for_it() -> None:
    tokenizer = {"tokenizer.json": library().to_str().encode()}
    beside = {
        "tokenizer_config.json": b'{"bos_token": "<s>", "tokenizer_class": "x"}',
        "chat_template.jinja": b"a b\nc d",
    }
    assert load(tokenizer | beside).all_tokens() == load(tokenizer).all_tokens()
    assert load(tokenizer | beside).notes == ()
    halves = {"vocab.json": b'{"h": 0, "u": 1, "hu": 2}', "merges.txt": b"h u"}
    assert load(halves | beside).size == 3
    with pytest.raises(LoadError, match="settings but no vocabulary"):
        load(beside)
    with pytest.raises(LoadError, match="not a tokenizer file"):
        load({"chat_template.jinja": b"a b"})


def test_an_upload_keeps_its_template_and_a_repositorys_is_fetched(
    pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "tokenizer.json": library().to_str().encode(),
        "tokenizer_config.json": b'{"chat_template": "{{ eos_token }}", "eos_token": "</s>"}',
    }
    spec = choices.TokenizerSpec.parse(choices.upload_spec(files))
    assert asking.find_templates(spec, Progress()) == ChatTemplates(
        {"default": "{{ eos_token }}"}, {"eos_token": "</s>"}
    )
    requests: list[Any] = []

    def beside(repository: str, names: tuple[str, ...]) -> dict[str, bytes]:
        requests.append((repository, names))
        return {"chat_template.jinja": b"J"}

    monkeypatch.setattr(hub, "fetch_beside", beside)
    result = asking.find_templates(choices.TokenizerSpec.parse(choices.public("me/mine")), Progress())
    assert result.named == {"default": "J"}
    assert requests == [("me/mine", ("tokenizer_config.json", "chat_template.jinja"))]
    for without in (choices.GPT2, choices.READY[0]):
        assert asking.find_templates(choices.TokenizerSpec.parse(without), Progress()) == ChatTemplates()
    assert len(requests) == 1


# --- messages -----------------------------------------------------------------------------------------------


def test_messages_travel_in_links() -> None:
    turns = [ChatTurn(role, f'a "{role}"\n茶 <b>') for role in ROLES]
    assert read_turns(write_turns(turns)) == turns
    for damaged in (
        "",
        "{}",
        "[1]",
        '[["user"]]',
        '[["user", 1]]',
        '[["root", "x"]]',
        "[" * 99_999,
        write_turns([ChatTurn("user", "")] * (CHAT_MESSAGES + 1)),
    ):
        assert read_turns(damaged) is None


@pytest.mark.parametrize(
    "parsed", [None, {}, [], ["x"], [{"content": "x"}], [{"role": "user", "content": "x" * 60_000}]]
)
def test_a_file_that_holds_no_messages(parsed: Any) -> None:
    with pytest.raises(ChatError, match="list of messages"):
        check_messages(parsed, "chat.json")


# --- drawn --------------------------------------------------------------------------------------------------


def test_the_drawing_is_escaped_and_marks_the_message() -> None:
    subject = load({"tokenizer.json": library().to_str().encode()})
    result = render(
        CHAT_FORMATS["chatml"].template, [{"role": "user", "content": "<img src=x> <|im_end|>"}], {}, True
    )
    analysis = analyse(subject, result.text)
    drawn = chat_html(analysis.runs(0, 999), result.own, legend=False)
    assert "<img" not in drawn
    start = subject.encode("<|im_start|>").ids[0]
    assert f'<bdi class="t of s" title="{start}">&lt;|im_start|&gt;</bdi>' in drawn
    assert drawn.count('class="t of s in"') == 1  # the one in the message
    shown = re.sub("<.*?>", "", drawn)
    assert shown.startswith("&lt;|im_start|&gt;user⏎") and "&lt;img␣src=x&gt;␣&lt;|im_end|&gt;" in shown
    assert "<dd>5</dd>" in cost_html(12, 5, 3) and "58 %" in cost_html(12, 5, 3)


def test_unknown_characters_are_drawn_as_text_not_as_special_tokens() -> None:
    trace = trace_at(BPE, corpus="hug")
    subject = TrainedSubject("small", trace.tokenizer(), trace, len(trace))
    unknown = subject.unknown_token
    analysis = analyse(subject, f"hug{unknown}ü")
    drawn = chat_html(analysis.runs(0, 9), [[(0, len(analysis.text))]], legend=False)
    assert re.findall(r'class="t of s in"[^>]*>(.*?)<', drawn) == [unknown]
    assert analysis.unknown == 1 and analysis.lost == {2}


def test_hostile_messages_stay_text_and_are_found() -> None:
    """Oracle: the text itself, between the format's own words; an HTML parser's list of all tags."""
    subject = load({"tokenizer.json": library().to_str().encode()})
    for evil in hostile(60):
        content = plain_text(evil.text)[:2_000]
        if not content.strip():
            continue
        result = render(CHAT_FORMATS["chatml"].template, [{"role": "user", "content": content}], {}, False)
        assert result.text == f"<|im_start|>user\n{content}<|im_end|>\n"
        assert result.own == (((17, 17 + len(content)),),)
        tags = Tags(chat_html(analyse(subject, result.text).runs(0, 999), result.own, legend=False))
        assert tags.tags <= {"div", "bdi", "span"} and tags.attributes <= {"class", "dir", "title"}
