"""Connections that wait for another request, each for a while."""

import asyncio
from collections import OrderedDict

from motherlode.fetch.wire.dialer import HttpOrigin, OpenConnection
from motherlode.fetch.wire.http2 import Http2


class Pool:
    """Idle connections by origin. One of HTTP/2 serves several requests at once, so it is lent, not
    given: it counts as idle all the while, and if its time is up in mid-request it ends after that.
    """

    def __init__(self, keep: float, most: int) -> None:
        self._keep = keep
        self._most = most
        self._idle: OrderedDict[int, tuple[HttpOrigin, OpenConnection, asyncio.TimerHandle]] = (
            OrderedDict()
        )
        self._by_origin: dict[HttpOrigin, list[int]] = {}
        self._count = 0

    def take(self, origin: HttpOrigin) -> OpenConnection | None:
        """A connection that is ready, the one used last; None: there is none."""
        numbers = self._by_origin.get(origin)
        while numbers:
            line = self._remove(numbers[-1])
            if not line.connection.reusable:
                line.connection.close()
                continue
            if isinstance(line.connection, Http2):
                self._keep_for_later(origin, line)
            return line
        return None

    def give(self, origin: HttpOrigin, line: OpenConnection) -> None:
        """Keep a connection for later, if it can be used again."""
        shared = self._shared(origin) if isinstance(line.connection, Http2) else None
        if shared is not None and self._idle[shared][1] is line:
            self._remove(shared)  # to begin its time anew
            shared = None
        if shared is not None or not line.connection.reusable or not self._keep or not self._most:
            line.connection.close()
        else:
            self._keep_for_later(origin, line)

    def forget(self, origin: HttpOrigin) -> None:
        """Keep nothing that leads there."""
        for number in list(self._by_origin.get(origin, ())):
            self._drop(number)

    def close(self) -> None:
        self._most = 0  # what comes back late is not kept
        for number in list(self._idle):
            self._drop(number)

    def _shared(self, origin: HttpOrigin) -> int | None:
        """The connection that all requests to a host share; None: there is none."""
        numbers = self._by_origin.get(origin, ())
        return next(
            (one for one in numbers if isinstance(self._idle[one][1].connection, Http2)), None
        )

    def _keep_for_later(self, origin: HttpOrigin, line: OpenConnection) -> None:
        while len(self._idle) >= self._most:
            self._drop(next(iter(self._idle)))
        self._count += 1
        timer = asyncio.get_running_loop().call_later(self._keep, self._drop, self._count)
        self._idle[self._count] = (origin, line, timer)
        self._by_origin.setdefault(origin, []).append(self._count)

    def _drop(self, number: int) -> None:
        if number in self._idle:
            self._remove(number).connection.close()

    def _remove(self, number: int) -> OpenConnection:
        origin, line, timer = self._idle.pop(number)
        timer.cancel()
        numbers = self._by_origin[origin]
        numbers.remove(number)
        if not numbers:
            del self._by_origin[origin]
        return line
