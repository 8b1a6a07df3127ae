"""Chats by `transformers` and `mistral_common`: a script for an environment of their own, from JSON to JSON.

They want other versions of this project's packages, so they are kept away from it; `packages.judges` makes
the environment.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from mistral_common.protocol.instruct.messages import AssistantMessage, SystemMessage, UserMessage  # type: ignore[import-not-found]
from mistral_common.protocol.instruct.request import ChatCompletionRequest  # type: ignore[import-not-found]
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer  # type: ignore[import-not-found]
from transformers import PreTrainedTokenizerFast

MESSAGES = {"system": SystemMessage, "user": UserMessage, "assistant": AssistantMessage}


def by_transformers(file: str, template: str, special: dict[str, str], chats: list[Any]) -> list[Any]:
    """For each chat, without and with the prompt for an answer: its text and ids, or the template's
    refusal."""
    tokenizer: Any = PreTrainedTokenizerFast(tokenizer_file=file, chat_template=template, **special)
    return [answer(tokenizer, chat, prompt) for chat in chats for prompt in (False, True)]


def answer(tokenizer: Any, chat: Any, prompt: bool) -> Any:
    values = {"add_generation_prompt": prompt, "return_dict": False}
    try:
        text = tokenizer.apply_chat_template(chat, tokenize=False, **values)
    except Exception as error:
        return {"refused": str(error)}
    return {"text": text, "ids": list(tokenizer.apply_chat_template(chat, tokenize=True, **values))}


def by_mistral(file: str, texts: list[str], chats: list[Any]) -> dict[str, Any]:
    """The ids of texts, and of chats with these ids' text."""
    tokenizer = MistralTokenizer.from_file(file)
    own = tokenizer.instruct_tokenizer.tokenizer
    results = []
    for chat in chats:
        messages = [MESSAGES[one["role"]](content=one["content"]) for one in chat]
        match = tokenizer.encode_chat_completion(ChatCompletionRequest(messages=messages))
        results.append({"text": match.text, "ids": match.tokens})
    return {
        "texts": [own.encode(text, bos=False, eos=False) for text in texts],
        "chats": results,
        "size": own.n_words,
    }


if __name__ == "__main__":
    job = json.load(sys.stdin)
    answers = {"transformers": by_transformers, "mistral_common": by_mistral}
    json.dump([answers[one.pop("judge")](**one) for one in job], sys.stdout)
