"""Frames and tables made once for all (`tokensteps/server/steps.py`). Oracle: the same, drawn here and
now."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.core.test_growing import TRAINERS, grown
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.drawing.tables import packed_table, pair_table
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.drawing.training.pruning import prune_frame
from tokensteps.language.i18n import current_language, use_language
from tokensteps.language.labels import flipbook_labels
from tokensteps.runs.corpora import EXAMPLES, Source
from tokensteps.server import steps as module
from tokensteps.server.steps import Drawing, Steps, Window, draw_window, drawing_version, rows
from tokensteps.server.tasks import Progress, Task, TrainingError
from tokensteps.server.traces import train
from tokensteps.server.workers import Workers

NAME = "test_ui_steps"
STYLE = Style(byte_level=True)
FRAMES = {"bpe": merge_frame, "wordpiece": wordpiece_frame}


@pytest.fixture(scope="module")
def steps() -> Steps:
    source = Source("mixed", EXAMPLES["mixed"].text().encode())
    trace = train(NAME, Task(train_bpe, source, Pipeline(), {"merges": 60}), Progress())
    return Steps(merge_frame, trace, STYLE)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    was = current_language()
    use_language("en")
    yield
    use_language(was)


def window(number: int, language: str = "en") -> Window:
    use_language(language)
    return Window(f"{NAME}:{language}", 60, range(number), flipbook_labels(), "step")


@pytest.mark.parametrize("name", TRAINERS)
def test_a_growing_runs_kept_frames_equal_the_whole_runs(name: str) -> None:
    """Frames with the same name and edition are the same, whichever of the run's traces drew them."""
    corpus, frame = EXAMPLES["mixed"].text(), FRAMES.get(name, prune_frame)
    parts, whole = grown(
        TRAINERS[name], Corpus.from_texts([corpus[:200]]), {0, 9, 12, 15, 30, 60}.__contains__
    )
    stored = 0
    for part, longer in pairwise([*parts, whole]):
        for step in range(len(part) + 1):
            if drawing_version(part, step) == drawing_version(longer, step):
                stored += 1
                assert frame(part[step], STYLE) == frame(longer[step], STYLE)
    assert stored > 10
    assert all(drawing_version(part, len(part)) != drawing_version(whole, len(part)) for part in parts)


@pytest.mark.many(2)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_another_process_draws_the_same(steps: Steps, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one, pool = window(61, language), Workers(1, module="tokensteps.server.steps")
    sent: list[Drawing] = []
    run = pool.run

    def note(drawing: Drawing, progress: Progress) -> bytes:
        sent.append(drawing)
        return run(drawing, progress)

    monkeypatch.setattr(pool, "run", note)
    monkeypatch.setattr(module, "drawers", lambda: pool)
    assert draw_window(NAME, one, steps) == one.packed(steps)
    assert len(sent) == 1
    pool.close()


def test_few_frames_and_those_of_a_lost_process_are_drawn_here(
    steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        calls = 0

        def run(self, _drawing: Drawing, _progress: Progress) -> bytes:
            Broken.calls += 1
            raise TrainingError("lost")

    monkeypatch.setattr(module, "drawers", Broken)
    assert draw_window(NAME, window(5), steps) == window(5).packed(steps) and Broken.calls == 0
    assert draw_window(NAME, window(61), steps) == window(61).packed(steps) and Broken.calls == 1
    assert draw_window("not kept", window(61), steps) == window(61).packed(steps) and Broken.calls == 1
    assert issubclass(TrainingError, TokenizersCoreError)


def test_a_table_is_built_once_but_for_searches(steps: Steps) -> None:
    whole = rows(NAME, pair_table, steps.trace, 9, STYLE)
    assert whole is rows(NAME, pair_table, steps.trace, 9, STYLE)
    assert whole == packed_table(pair_table(steps.trace[9], STYLE))
    result = rows(NAME, pair_table, steps.trace, 9, STYLE, "e")
    assert result == packed_table(pair_table(steps.trace[9], STYLE, "e")) != whole
    assert pickle.loads(pickle.dumps(steps)).trace[3] == steps.trace[3]
