"""Connections that wait for another request, each for a while."""

import asyncio
from collections import OrderedDict

from motherlode.fetch.wire.dialing import Line, Origin
from motherlode.fetch.wire.http2 import Http2


class Pool:
    """Idle connections by origin. One of HTTP/2 serves several requests at once, so it is lent, not given."""

    def __init__(self, keep: float, most: int) -> None:
        self._keep = keep
        self._most = most
        self._idle: OrderedDict[int, tuple[Origin, Line, asyncio.TimerHandle]] = OrderedDict()
        self._by_origin: dict[Origin, list[int]] = {}
        self._shared: dict[Origin, Line] = {}
        self._count = 0

    def take(self, origin: Origin) -> Line | None:
        """A connection that is ready, the one used last; None: there is none."""
        shared = self._shared.get(origin)
        if shared is not None:
            if shared.connection.reusable:
                return shared
            del self._shared[origin]
        numbers = self._by_origin.get(origin)
        while numbers:
            line = self._remove(numbers[-1])
            if line.connection.reusable:
                return line
        return None

    def give(self, origin: Origin, line: Line) -> None:
        """Keep a connection for later, if it can be used again."""
        connection = line.connection
        if isinstance(connection, Http2):
            if self._shared.setdefault(origin, line) is not line:
                connection.close()
            return
        if not connection.reusable or not self._keep or not self._most:
            connection.close()
            return
        while len(self._idle) >= self._most:
            self._drop(next(iter(self._idle)))
        self._count += 1
        timer = asyncio.get_running_loop().call_later(self._keep, self._drop, self._count)
        self._idle[self._count] = (origin, line, timer)
        self._by_origin.setdefault(origin, []).append(self._count)

    def close(self) -> None:
        for number in list(self._idle):
            self._drop(number)
        for line in self._shared.values():
            line.connection.close()
        self._shared.clear()

    def _drop(self, number: int) -> None:
        if number in self._idle:
            self._remove(number).connection.close()

    def _remove(self, number: int) -> Line:
        origin, line, timer = self._idle.pop(number)
        timer.cancel()
        numbers = self._by_origin[origin]
        numbers.remove(number)
        if not numbers:
            del self._by_origin[origin]
        return line
