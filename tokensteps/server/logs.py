"""The server's log, with a throttle: repeated failures don't fill the disk with tracebacks."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from tokensteps.limits import RECORD_LIMIT, RECORDS_ALIKE, RECORDS_SECONDS

SOURCES: Final = 1_000
"""Places in the code with a count of records."""
FORMATTER: Final = logging.Formatter()


class Throttle(logging.Filter):
    """Lets through a few records per minute of each place in the code; the next minute's first one says how
    many were left out. Long ones are cut."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[tuple[Any, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this one is written."""
        key, now = _origin(record), time.monotonic()
        since, number = self._seen.get(key, (now, 0))
        if now - since > RECORDS_SECONDS:
            if number > RECORDS_ALIKE:
                record.msg = f"{record.getMessage()} (and {number - RECORDS_ALIKE} like this before)"
                record.args = None
            since, number = now, 0
        if len(self._seen) > SOURCES:
            self._seen.clear()
        self._seen[key] = since, number + 1
        if number >= RECORDS_ALIKE:
            return False
        _bound(record)
        return True


def _origin(record: logging.LogRecord) -> tuple[Any, ...]:
    """A record's origin: the line that wrote it, and the line that failed."""
    kind, trace = None, None
    if record.exc_info:
        kind, _error, trace = record.exc_info
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
    failed = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace is not None else None
    return record.name, record.pathname, record.lineno, kind, failed


def _bound(record: logging.LogRecord) -> None:
    message = record.getMessage()
    if len(message) > RECORD_LIMIT:
        record.msg, record.args = _middle_left_out(message), None
    if record.exc_info and not record.exc_text:
        record.exc_text = _middle_left_out(FORMATTER.formatException(record.exc_info))


def _middle_left_out(text: str) -> str:
    """A text of bounded length; the end of a traceback says most."""
    if len(text) <= RECORD_LIMIT:
        return text
    half = RECORD_LIMIT // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


@contextmanager
def throttled() -> Iterator[None]:
    """Inside, every logger is throttled, present and future ones."""
    throttle = Throttle()
    usual = logging.getLoggerClass()

    class Throttled(usual):  # type: ignore[misc, valid-type]
        def __init__(self, name: str, level: int = logging.NOTSET) -> None:
            super().__init__(name, level)
            self.addFilter(throttle)

    known = [logging.root, *logging.root.manager.loggerDict.values()]
    loggers = [logger for logger in known if isinstance(logger, logging.Logger)]
    for logger in loggers:
        logger.addFilter(throttle)
    logging.setLoggerClass(Throttled)
    try:
        yield
    finally:
        logging.setLoggerClass(usual)
        for logger in loggers:
            logger.removeFilter(throttle)
