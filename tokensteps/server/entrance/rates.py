"""Rate limits: the surplus waits for its turn."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tokensteps.limits import BUSY_SHARE, Rate

REMEMBERED: Final = 5_000
"""Addresses with a record of their use: those with an open connection, and others up to this number, some 3
MB. An owner of thousands of addresses has as many bursts anyway."""


@dataclass
class Bucket:
    """A leaky bucket: the current level, and the speed of its drain.

    >>> bucket = Bucket(Rate(2, 0.5))
    >>> [bucket.take(1, now=0.0) for _ in range(4)]
    [0.0, 0.0, 2.0, 4.0]
    >>> bucket.take(1, now=100.0)
    0.0
    """

    rate: Rate
    level: float = 0.0
    """The amount taken and not yet restored."""
    at: float = 0.0
    """The time of that level."""

    def take(self, amount: float, now: float) -> float:
        """Take an amount; returns the seconds to wait for it."""
        self.level = max(0.0, self.level - max(0.0, now - self.at) * self.rate.pace) + amount
        self.at = now
        return max(0.0, self.level - self.rate.burst) / self.rate.pace

    def wait_at_most(self, seconds: float) -> None:
        """Forget the part that would make the next one wait longer than that."""
        self.level = min(self.level, self.rate.burst + self.rate.pace * seconds)

    def full(self, now: float) -> bool:
        """Whether one more would have to wait."""
        return self.level - max(0.0, now - self.at) * self.rate.pace >= self.rate.burst


class Load:
    """How much of a processor this process uses, all its threads together."""

    EVERY: Final = 0.5
    """Seconds of one measurement."""

    LATELY: Final = 10.0
    """Seconds after a request for a run in which the connection may soon wait for another: a learner reads
    that long between clicks."""

    def __init__(self) -> None:
        self._at, self._used, self._busy = time.monotonic(), time.process_time(), False
        self._last: object = None
        self._last_request = self._others_request = -math.inf

    def busy(self) -> bool:
        """Whether it used more than `BUSY_SHARE` lately."""
        now = time.monotonic()
        if now - self._at >= self.EVERY:
            used = time.process_time()
            self._busy = (used - self._used) / (now - self._at) > BUSY_SHARE
            self._at, self._used = now, used
        return self._busy

    def note_request(self, who: object, now: float) -> None:
        """This connection asks for a run."""
        if who is not self._last:
            self._last, self._others_request = who, self._last_request
        self._last_request = now

    def shared(self, who: object, now: float) -> bool:
        """Whether anybody but this connection has asked for a run lately.

        >>> load = Load()
        >>> load.note_request("she", now=0.0)
        >>> load.shared("she", now=1.0), load.shared("he", now=1.0), load.shared("he", now=20.0)
        (False, True, False)
        """
        return now - (self._others_request if who is self._last else self._last_request) < self.LATELY


@dataclass
class Account:
    """The use of one connection, or of one address."""

    rates: Mapping[str, Rate]
    name: str = ""
    """The address; a connection has none."""
    buckets: dict[str, Bucket] = field(default_factory=dict)
    connections: int = 0

    def bucket(self, name: str) -> Bucket:
        """The bucket of one kind of use."""
        return self.buckets.setdefault(name, Bucket(self.rates[name]))


class Addresses:
    """The accounts of all recent addresses.

    >>> there = Addresses({}, remembered=2)
    >>> there.account("a").connections = 1
    >>> [len(there._accounts) for name in "bcdef" if there.account(name)], "a" in there._accounts
    ([2, 2, 2, 2, 2], True)
    """

    def __init__(self, rates: Mapping[str, Rate], remembered: int = REMEMBERED) -> None:
        self._rates, self._remembered = rates, remembered
        self._accounts: OrderedDict[str, Account] = OrderedDict()
        """By address, the least recent first."""

    def account(self, address: str) -> Account:
        """The account of an address."""
        account = self._accounts.setdefault(address, Account(self._rates, address))
        self._accounts.move_to_end(address)
        for _ in range(2):  # as quick however many there are
            if len(self._accounts) > self._remembered:
                self._pass_over(next(iter(self._accounts)))
        return account

    def _pass_over(self, address: str) -> None:
        if self._accounts[address].connections:
            self._accounts.move_to_end(address)
        else:
            del self._accounts[address]


def network(host: str) -> str:
    """The address for counting: with IPv6 the network, since one visitor has billions of addresses.

    >>> network("192.0.2.7"), network("2001:db8:1:2:3:4:5:6"), network("")
    ('192.0.2.7', '2001:db8:1:2::', '')
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_address(int(address) >> 64 << 64))
