"""What leaves the app (`tokenizers_core/files.py`).

Oracles: Python's `json` and `csv` readers, and the `tokenizers` library, which loads `vocab.json` and `merges.txt`.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from tokenizers_core import TIE_RULES, Corpus, MergeEvent, train_bpe
from tokenizers_core.files import merges_txt, trace_to_csv, trace_to_dict, trace_to_json, vocab_json

HUG = train_bpe(
    Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}),
    special_tokens=["<s>"],
    vocab_size=12,
)

TEXT = Path(__file__).read_text("utf-8") + "naïve Ärzte, 敏捷的狐狸 👍🏽\n\n  x=1"


@pytest.mark.parametrize("step", [0, 40, 300])
def test_vocabulary_and_merges_load_in_the_tokenizers_library(step: int, tmp_path: Path) -> None:
    trace = train_bpe(Corpus.from_texts([TEXT]), merges=300, alphabet="bytes")
    ours = trace.tokenizer(step)
    vocab, merges = tmp_path / "vocab.json", tmp_path / "merges.txt"
    vocab.write_text(vocab_json(ours), "utf-8")
    merges.write_text(merges_txt(trace, step), "utf-8")
    theirs = Tokenizer(models.BPE.from_file(str(vocab), str(merges)))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert theirs.get_vocab() == ours.vocab
    encoding, expected = ours.encode(TEXT), theirs.encode(TEXT)
    assert (encoding.ids, encoding.offsets) == (expected.ids, expected.offsets)


def test_merges_txt() -> None:
    assert merges_txt(HUG, 2) == "#version: 0.2\nu g\nu n\n"
    assert merges_txt(HUG) == "#version: 0.2\nu g\nu n\nh ug\np un\n"
    assert merges_txt(HUG, 0) == "#version: 0.2\n"


def test_a_pair_learned_twice_stands_in_merges_txt_once() -> None:
    trace = train_bpe(Corpus.from_counts({"</w></w>": 3, "a</w>": 2}, pre_tokenizer="end_of_word"))
    lines = merges_txt(trace).splitlines()
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("rule", TIE_RULES)
def test_json_tells_what_the_events_tell(rule: str) -> None:
    trace = train_bpe(Corpus.from_texts([TEXT]), merges=60, tie_rule=rule)
    data = json.loads(trace_to_json(trace))
    assert data == json.loads(json.dumps(trace_to_dict(trace)))
    for number, step in enumerate(data["steps"], start=1):
        snapshot = trace[number]
        event = snapshot.event
        assert isinstance(event, MergeEvent)
        assert step == {
            "step": number,
            "pair": [*event.pair],
            "token": event.token,
            "id": event.token_id,
            "freq": event.freq,
            "applied": event.applied,
            "tied_count": event.tied_count,
            "tied": [[*tie.pair] for tie in event.tied],
            "words": [*event.words],
            "vocab_size": snapshot.vocab_size,
            "tokens": snapshot.tokens,
        }
    assert len(data["steps"]) == 60


def test_json_of_the_whole_run() -> None:
    data = json.loads(trace_to_json(HUG))
    assert data["algorithm"] == "bpe"
    assert data["settings"]["vocab_size"] == 12
    assert (data["normalizer"], data["pre_tokenizer"], data["pattern"]) == ("none", "whitespace_split", None)
    assert data["words"] == {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    assert (data["special_tokens"], data["alphabet"]) == (["<s>"], [*"bghnpsu"])
    assert (data["stop_reason"], data["vocab"]) == ("vocab_size", [*HUG.tokens])


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(trace_to_csv(HUG), newline="")))
    assert rows[0] == {
        "step": "1",
        "first": "u",
        "second": "g",
        "token": "ug",
        "freq": "20",
        "tied_count": "1",
        "vocab_size": "9",
        "tokens": "93",
    }
    assert [row["token"] for row in rows] == ["ug", "un", "hug", "pun"]


@pytest.mark.parametrize("word", ["=1", "+1", "-1", "@a", "\t=", "\r="])
def test_csv_holds_no_formula(word: str) -> None:
    trace = train_bpe(Corpus.from_counts({word: 1}, pre_tokenizer="none"))
    row = next(csv.DictReader(io.StringIO(trace_to_csv(trace), newline="")))
    assert (row["first"], row["second"], row["token"]) == (
        f"'{word[0]}",
        word[1].replace("=", "'="),
        f"'{word}",
    )


def test_csv_of_quotes_and_commas() -> None:
    trace = train_bpe(Corpus.from_counts({'",': 1}))
    row = next(csv.DictReader(io.StringIO(trace_to_csv(trace), newline="")))
    assert (row["first"], row["second"], row["token"]) == ('"', ",", '",')


def test_files_of_a_run_without_steps() -> None:
    trace = train_bpe(Corpus.from_counts({"a": 1}))
    assert json.loads(trace_to_json(trace))["steps"] == []
    assert trace_to_csv(trace).count("\n") == 1
