"""The expected costs of a training (`tokensteps/server/costs.py`).

Oracle: processor seconds of the engine on one of two busy cores at 2.6 GHz, on the app's prose and on random
letters (seed 1), in one word up to 2,000 letters and in words of two to nine letters beyond. They are written
down here, because another machine has others.
"""

from __future__ import annotations

import random
import string
from typing import Any

import pytest

from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training.algorithms import ALGORITHMS
from tokensteps.limits import HERE_SECONDS, SHORT_SECONDS
from tokensteps.runs.corpora import Source, prose
from tokensteps.runs.trainings import train_all, train_model
from tokensteps.server.costs import expected_seconds
from tokensteps.server.tasks import Task, worth_sending

TRAINERS = {name: one.train for name, one in ALGORITHMS.items()}
WORDS = Pipeline(pre_tokenizer="whitespace")


def letters(number: int) -> str:
    chance = random.Random(1)
    if number <= 2_000:
        return "".join(chance.choices(string.ascii_lowercase, k=number))
    words: list[str] = []
    while sum(map(len, words)) + len(words) < number:
        words.append("".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 9))))
    return " ".join(words)[:number]


MEASURED = [
    ("bpe", "random", 600, {"vocab_size": 1_000}, 0.030),
    ("bpe", "random", 5_000, {"vocab_size": 20_000}, 0.064),
    ("bpe", "random", 40_000, {"vocab_size": 1_000}, 0.149),
    ("bpe", "random", 40_000, {"vocab_size": 20_000}, 0.701),
    ("bpe", "prose", 40_000, {"vocab_size": 20_000}, 0.071),
    ("wordpiece", "random", 600, {"vocab_size": 1_000}, 0.070),
    ("wordpiece", "random", 40_000, {"vocab_size": 1_000}, 0.321),
    ("wordpiece", "random", 40_000, {"vocab_size": 20_000}, 4.632),
    ("wordpiece", "prose", 40_000, {"vocab_size": 20_000}, 0.727),
    ("unigram", "prose", 600, {"seed_size": 5_000, "method": "course"}, 0.051),
    ("unigram", "prose", 2_000, {"seed_size": 5_000, "method": "course"}, 0.100),
    ("unigram", "random", 600, {"seed_size": 300, "method": "course"}, 0.279),
    ("unigram", "random", 2_000, {"seed_size": 5_000, "method": "course"}, 6.365),
    ("unigram", "random", 10_000, {"seed_size": 5_000, "method": "course"}, 1.745),
    ("unigram", "random", 10_000, {"seed_size": 50_000, "method": "course"}, 3.452),
    ("unigram", "random", 600, {"seed_size": 300, "method": "sentencepiece"}, 0.095),
    ("unigram", "random", 2_000, {"seed_size": 5_000, "method": "sentencepiece"}, 0.742),
    ("unigram", "random", 10_000, {"seed_size": 5_000, "method": "sentencepiece"}, 0.365),
    ("unigram", "random", 10_000, {"seed_size": 50_000, "method": "sentencepiece"}, 0.596),
]


@pytest.mark.many(3)
@pytest.mark.parametrize(("name", "kind", "size", "settings", "measured"), MEASURED)
def test_expected_costs_are_near_measured_ones(
    name: str, kind: str, size: int, settings: dict[str, Any], measured: float
) -> None:
    text = prose()[:size] if kind == "prose" else letters(size)
    assert measured / 4.5 < expected_seconds(TRAINERS[name], settings, text.encode(), WORDS) < 8 * measured


def task(train: Any, text: str, **settings: Any) -> Task[Any]:
    return Task(train, Source("x", text.encode()), WORDS, settings)


def test_six_hundred_letters_with_a_large_seed_are_not_small() -> None:
    """Before, they took 2.1 seconds inside the server."""
    hostile = task(TRAINERS["unigram"], letters(600), seed_size=50_000, vocab_size=60, method="course")
    assert worth_sending(hostile) and hostile.seconds > SHORT_SECONDS
    for name in ("bpe", "wordpiece"):
        assert not worth_sending(task(TRAINERS[name], prose()[:600], vocab_size=300))
    assert not worth_sending(
        task(TRAINERS["unigram"], prose()[:300], seed_size=1_000, vocab_size=100, method="course")
    )


def test_several_trainings_cost_their_sum_and_a_named_model_its_own() -> None:
    data = prose()[:5_000].encode()
    settings = {"vocab_size": 500, "seed_size": 2_000, "method": "course"}
    each = [expected_seconds(TRAINERS[name], settings, data, WORDS) for name in TRAINERS]
    reading = 1e-6 * len(data)
    read_again = (len(TRAINERS) - 1) * reading
    assert expected_seconds(train_all, settings, data, WORDS) == pytest.approx(sum(each) - read_again)
    own = expected_seconds(train_model, {**settings, "model": "wordpiece"}, data, WORDS)
    assert own == pytest.approx(each[[*TRAINERS].index("wordpiece")])


def test_a_text_that_is_not_cut_into_words_costs_more_and_a_long_one_is_estimated_from_its_beginning() -> (
    None
):
    settings = {"seed_size": 5_000, "method": "course"}
    text = " ".join(letters(2_000)[index : index + 5] for index in range(0, 2_000, 5)).encode()
    whole, words = (
        expected_seconds(TRAINERS["unigram"], settings, text, pipeline)
        for pipeline in (Pipeline(pre_tokenizer="none"), WORDS)
    )
    assert whole > 10 * words
    once, twice = (
        expected_seconds(TRAINERS["bpe"], {}, b"ab " * number, WORDS) for number in (10**5, 2 * 10**5)
    )
    assert once < twice < 3 * once
    assert expected_seconds(TRAINERS["bpe"], {}, prose().encode() * 50, WORDS) > HERE_SECONDS
    assert expected_seconds(TRAINERS["bpe"], {}, b"", WORDS) == 0
