"""Logs in Redis or Valkey, for servers on several machines: each log is a list, with commands for writing and
reading in one go.

Needs the package `redis` (`pip install "tokensteps[redis]"`).
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tokensteps.classroom.store import StoreError, after_known
from tokensteps.limits import CLASS_IDLE, CLASS_SECONDS, CLASSES

PREFIX: Final = "tokensteps:class:"
ALL: Final = "tokensteps:classes"
"""Code → the time of the last entry."""
REACH: Final = 2.0
"""Seconds to reach the store, and for a whole answer: events wait for as long."""
CREATE: Final = """
for _, code in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if redis.call('TYPE', ARGV[1] .. code .. ':log')['ok'] ~= 'list' then redis.call('ZREM', KEYS[1], code) end
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[6]) then
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  if tonumber(first[2]) > tonumber(ARGV[4]) then return 0 end
  redis.call('DEL', ARGV[1] .. first[1] .. ':log', ARGV[1] .. first[1] .. ':here')
  redis.call('ZREM', KEYS[1], first[1])
end
local log = ARGV[1] .. ARGV[2] .. ':log'
if redis.call('EXISTS', log) == 1 then return 0 end
redis.call('RPUSH', log, ARGV[3])
redis.call('EXPIRE', log, ARGV[7])
redis.call('ZADD', KEYS[1], ARGV[5], ARGV[2])
return 1
"""
"""Begins a log unless there is one, or no room: in a script, so that no other server can come between."""


class RedisStore:
    """Logs in the Redis at an address, such as `redis://host:6379/0`.

    Other programs may use it, too: entries in another form are skipped, and hold up only their own class.
    """

    def __init__(self, address: str) -> None:
        try:
            import redis
        except ImportError as error:
            raise StoreError('Classes in a Redis need its package: pip install "redis>=5.0.1,<9".') from error
        try:
            self._redis: Any = redis.Redis.from_url(
                address,
                decode_responses=True,
                encoding_errors="replace",
                socket_timeout=REACH,
                socket_connect_timeout=REACH,
            )
        except ValueError:  # its text may hold a part of the password, which is nothing for a log
            raise StoreError(
                "TOKENSTEPS_REDIS can't be read as an address; write redis://host:6379/0, and a # in a password as %23."
            ) from None

    def create(self, code: str, line: str, now: float) -> bool:
        """Begin a log; Redis forgets it by itself after a day."""
        value = (PREFIX, code, line, now - CLASS_IDLE, now, CLASSES, int(CLASS_SECONDS))
        return bool(self._ask(lambda redis: redis.eval(CREATE, 1, ALL, *value)))

    def add(self, code: str, line: str, known: int, now: float) -> Sequence[str]:
        """Write a line if there is a log, and read the unknown lines before it, in one go."""

        def both(redis: Any) -> Any:
            with redis.pipeline(transaction=True) as together:
                together.rpushx(PREFIX + code + ":log", line)
                together.lrange(PREFIX + code + ":log", known, -1)
                together.zadd(ALL, {code: now}, xx=True)
                return together.execute()

        number, lines, _ = self._ask(both)
        return list(lines) if number else ()

    def read(self, code: str, known: int) -> Sequence[str]:
        """All lines after the first `known`."""
        return list(self._ask(lambda redis: redis.lrange(PREFIX + code + ":log", known, -1)))

    def news(self, known: Mapping[str, int]) -> Mapping[str, Sequence[str] | None]:
        """The new lines, in one request for all."""

        def each(redis: Any) -> Any:
            with redis.pipeline(transaction=False) as together:
                for code, number in known.items():
                    together.lrange(PREFIX + code + ":log", number - 1, -1)
                return together.execute(raise_on_error=False)

        result = zip(known, self._ask(each), strict=True)
        return after_known({code: lines if isinstance(lines, list) else () for code, lines in result})

    def here(self, code: str, server: str, who: str, now: float) -> None:
        """Note the people at a server."""

        def both(redis: Any) -> None:
            with redis.pipeline(transaction=True) as together:
                together.hset(PREFIX + code + ":here", server, json.dumps([now, who]))
                together.expire(PREFIX + code + ":here", int(CLASS_SECONDS))
                together.execute()

        self._ask(both)

    def everywhere(self, code: str, since: float) -> Sequence[str]:
        """The servers' notes of people since then."""
        noted = map(_noted, self._ask(lambda redis: redis.hvals(PREFIX + code + ":here")))
        return [who for at, who in noted if at > since]

    def _ask(self, question: Any) -> Any:
        """The package's own limit is on each piece of an answer: with single bytes an answer would take for
        ever."""
        guard = threading.Timer(REACH, self._redis.connection_pool.disconnect)
        guard.start()
        try:
            return question(self._redis)
        except Exception as error:  # a closed connection ends in one of several errors
            raise StoreError(f"Redis: {error}") from error
        finally:
            guard.cancel()


def _noted(one: str) -> tuple[float, str]:
    """The time and the people of a server's note; long ago for a note in another form.

    >>> _noted('[5.0, "[1, 2]"]'), _noted("5"), _noted("[1, 2, 3]")
    ((5.0, '[1, 2]'), (-inf, ''), (-inf, ''))
    """
    try:
        at, who = json.loads(one)
        return float(at), str(who)
    except (ValueError, TypeError, RecursionError):
        return -math.inf, ""
