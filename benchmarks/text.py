"""Texts for training and encoding: from Python's own standard library, on every machine, or made here."""

from __future__ import annotations

import pydoc_data.topics
import sysconfig
from functools import cache
from pathlib import Path
from random import Random
from typing import Final


@cache
def library_text(size: int) -> str:
    """The first `size` characters of the standard library's sources."""
    text = ""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        if len(text) >= size:
            break
        text += path.read_text("utf-8")
    return text[:size]


@cache
def prose(size: int) -> str:
    """The first `size` characters of Python's help topics: English about Python."""
    return "\n".join(pydoc_data.topics.topics.values())[:size]


WORDS: Final = [
    "朝",
    "昼",
    "夜",
    "学校",
    "先生",
    "子ども",
    "日本語",
    "勉強",
    "電車",
    "東京",
    "大阪",
    "写真",
    "料理",
    "天気",
    "世界",
    "人間",
    "時間",
    "問題",
    "質問",
    "答え",
    "言葉",
    "文字",
    "コンピューター",
    "プログラム",
    "テキスト",
    "データ",
    "モデル",
    "トークン",
    "ひらがな",
    "わたし",
    "あなた",
    "これ",
    "それ",
    "いつも",
    "とても",
    "新しい",
    "古い",
    "大きな",
    "小さな",
    "美しい",
    "静かな",
    "行きます",
    "来ます",
    "見ます",
    "食べました",
    "読んでいる",
    "書いた",
    "話して",
    "考える",
    "使われる",
    "2026",
]
PARTICLES: Final = ["は", "が", "を", "に", "で", "と", "の", "も", "から", "まで", "、"]


@cache
def japanese(size: int) -> str:
    """The first `size` characters of random sentences, always the same ones: no sense, but real words."""
    draw, sentences, long = Random(1), [], 0
    while long < size:
        words = draw.choices(WORDS, k=draw.randint(3, 12))
        sentences.append(
            "".join(word + draw.choice(PARTICLES) for word in words)[:-1] + draw.choice(("。", "。\n"))
        )
        long += len(sentences[-1])
    return "".join(sentences)[:size]


@cache
def long_prose(size: int) -> str:
    """Prose of any length: the paragraphs of `prose`, each time in another order."""
    draw, result, long = Random(1), [], 0
    paragraphs = prose(10**7).split("\n\n")
    while long < size:
        draw.shuffle(paragraphs)
        result += paragraphs
        long += sum(len(paragraph) + 2 for paragraph in paragraphs)
    return "\n\n".join(result)[:size]
