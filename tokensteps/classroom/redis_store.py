"""Logs in Redis or Valkey, for servers on several machines: each log a list, whose commands write and read in one go.

Needs the package `redis` (`pip install "tokensteps[redis]"`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tokensteps.classroom.store import StoreError, after_known
from tokensteps.limits import CLASS_IDLE, CLASS_SECONDS, CLASSES

PREFIX: Final = "tokensteps:class:"
ALL: Final = "tokensteps:classes"
"""Code → when something was last written."""
REACH: Final = 2.0
"""Seconds that it may take to reach it, or to answer: events wait for as long."""
CREATE: Final = """
local quiet = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[4])
for _, code in ipairs(quiet) do
  if redis.call('EXISTS', ARGV[1] .. code .. ':log') == 0 then redis.call('ZREM', KEYS[1], code) end
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
"""Begins a log unless there is one, or no room: in a script, because no other server may come between."""


class RedisStore:
    """Logs in the Redis at an address, such as `redis://host:6379/0`."""

    def __init__(self, address: str) -> None:
        try:
            import redis
        except ImportError as error:
            raise StoreError('Classes in a Redis need its package: pip install "redis>=8.1,<9".') from error
        self._error: type[Exception] = redis.RedisError
        try:
            self._redis: Any = redis.Redis.from_url(
                address, decode_responses=True, socket_timeout=REACH, socket_connect_timeout=REACH
            )
        except ValueError as error:
            raise StoreError(f"{address}: {error}; write redis://host:6379/0") from error

    def create(self, code: str, line: str, now: float) -> bool:
        """Begin a log, which the server forgets by itself after a day."""
        given = (PREFIX, code, line, now - CLASS_IDLE, now, CLASSES, int(CLASS_SECONDS))
        return bool(self._ask(lambda redis: redis.eval(CREATE, 1, ALL, *given)))

    def add(self, code: str, line: str, known: int, now: float) -> Sequence[str]:
        """Write a line where there is a log, and read what others wrote before it, in one go."""

        def both(redis: Any) -> Any:
            with redis.pipeline(transaction=True) as together:
                together.rpushx(PREFIX + code + ":log", line)
                together.lrange(PREFIX + code + ":log", known, -1)
                together.zadd(ALL, {code: now}, xx=True)
                return together.execute()

        number, lines, _ = self._ask(both)
        return list(lines) if number else ()

    def read(self, code: str, known: int) -> Sequence[str]:
        """All lines after those."""
        return list(self._ask(lambda redis: redis.lrange(PREFIX + code + ":log", known, -1)))

    def news(self, known: Mapping[str, int]) -> Mapping[str, Sequence[str] | None]:
        """What is new, in one question for all."""

        def each(redis: Any) -> Any:
            with redis.pipeline(transaction=False) as together:
                for code, number in known.items():
                    together.lrange(PREFIX + code + ":log", number - 1, -1)
                return together.execute()

        return after_known(dict(zip(known, self._ask(each), strict=True)))

    def here(self, code: str, server: str, who: str, now: float) -> None:
        """Note who is at a server."""

        def both(redis: Any) -> None:
            with redis.pipeline(transaction=True) as together:
                together.hset(PREFIX + code + ":here", server, json.dumps([now, who]))
                together.expire(PREFIX + code + ":here", int(CLASS_SECONDS))
                together.execute()

        self._ask(both)

    def everywhere(self, code: str, since: float) -> Sequence[str]:
        """What servers have noted since then."""
        noted = [json.loads(one) for one in self._ask(lambda redis: redis.hvals(PREFIX + code + ":here"))]
        return [who for at, who in noted if at > since]

    def _ask(self, question: Any) -> Any:
        try:
            return question(self._redis)
        except (self._error, OSError) as error:
            raise StoreError(f"Redis: {error}") from error
