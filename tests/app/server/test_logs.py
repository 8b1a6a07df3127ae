"""The server's log. Oracle: records counted by hand."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.waiting import Clock
from tokensteps.limits import RECORD_LIMIT, RECORDS_ALIKE
from tokensteps.server import logs
from tokensteps.server.logs import throttled


class Listener(logging.Handler):
    """Keeps the lines instead of writing them."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def listener() -> Iterator[Listener]:
    one = Listener()
    logger = logging.getLogger("tests.throttled")
    logger.propagate = False
    logger.addHandler(one)
    yield one
    logger.removeHandler(one)


def fail(message: str) -> None:
    try:
        raise ValueError(message)
    except ValueError:
        logging.getLogger("tests.throttled").exception("It failed")


def test_one_place_writes_a_few_records_a_minute(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "time", clock := Clock())
    logger = logging.getLogger("tests.throttled")
    with throttled():
        for number in range(1_000):
            fail(f"number {number}")
        assert len(listener.lines) == RECORDS_ALIKE
        assert "number 4" in listener.lines[-1]
        logger.warning("Something %s", "else")
        assert listener.lines[-1] == "Something else", "another place isn't kept from it"
        clock.now += 61
        fail("later")
        assert listener.lines[-1].startswith("It failed (and 995 like this before)\nTraceback")
    for _ in range(10):
        fail("outside")
    assert len(listener.lines) == RECORDS_ALIKE + 2 + 10


def test_a_logger_to_come_is_throttled_too() -> None:
    one = Listener()
    with throttled():
        logger = logging.getLogger("tests.throttled.later")
        logger.propagate = False
        logger.addHandler(one)
        for _ in range(100):
            logger.error("Again")
    assert one.lines == ["Again"] * RECORDS_ALIKE
    assert type(logging.getLogger("tests.throttled.after")) is logging.getLoggerClass()


def test_a_long_record_is_cut_in_its_middle(listener: Listener) -> None:
    """A visitor's text may be in it, and fill the disk as well as many records."""
    with throttled():
        fail("a" * 1_000_000 + " the end")
        logging.getLogger("tests.throttled").error("b" * 1_000_000)
    first, second = listener.lines
    assert first.startswith("It failed\nTraceback") and first.endswith(" the end")
    assert "characters left out]" in first and "characters left out]" in second
    assert max(map(len, listener.lines)) < RECORD_LIMIT + 100


def test_places_are_counted_up_to_a_limit(listener: Listener) -> None:
    with throttled():
        for number in range(2_500):
            logging.getLogger(f"tests.throttled.{number % 3}").handle(
                logging.LogRecord("tests", logging.ERROR, f"/{number}", 1, "a", None, None)
            )
