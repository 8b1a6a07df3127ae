"""Words found by a class, graded by the class's current tokenizer."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers_core.training.algorithms import AnyTrace


def judge_parts(trace: AnyTrace, step: int, parts: int, words: Iterable[str]) -> dict[str, list[str]]:
    """The words split into so many tokens by a step's tokenizer. Two words are wrong, and so is an unknown
    one.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5}), merges=1)
    >>> judge_parts(trace, 1, 2, ["hug", "pug", "ug", "hug hug", "dog"])
    {'right': ['hug', 'pug'], 'wrong': ['ug', 'hug hug', 'dog']}
    """
    tokenizer = trace.tokenizer(min(max(step, 0), len(trace)))
    data: dict[str, list[str]] = {"right": [], "wrong": []}
    for word in words:
        tokens = tokenizer.encode(word).tokens
        known = tokenizer.model.unk_token not in tokens
        right = len(tokens) == parts and known and len(word.split()) == 1
        data["right" if right else "wrong"].append(word)
    return data
