"""Messages between this process and one that it started, without anybody waiting for the other's pen.

Over there, `multiprocessing.connection.Connection` sends, each message with its length before it, and
`receive_message` receives. Here the loop takes messages in as they arrive: reading on the spot would stop
everybody until the last byte of a long one is written.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from socket import MSG_WAITALL, socket
from typing import cast

_LATE = 0.02  # seconds: if it was this loop that was held up, the message is there, but not taken in yet
_SHORT = 4  # bytes that say how long a message is
_LONG = 8  # and where they cannot, behind four that say so


class Channel(asyncio.Protocol):
    """Our end of a pair of sockets."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._arriving = bytearray()
        self._messages: deque[bytes] = deque()
        self._expecting: asyncio.Future[None] | None = None
        self._ended = False

    @classmethod
    async def open(cls, ours: socket) -> "Channel":
        _, line = await asyncio.get_running_loop().create_unix_connection(cls, sock=ours)
        return line

    def send(self, parts: Sequence[bytes]) -> None:
        """A message of some parts. It goes out as fast as it is taken in over there."""
        if self._transport is None or self._transport.is_closing():
            raise EOFError
        self._transport.writelines([_heading(sum(map(len, parts))), *parts])

    async def receive(self, seconds: float) -> bytes:
        """The next message. Raises `TimeoutError`, or `EOFError` where nobody is at the other end."""
        if not self._messages:
            if self._ended:
                raise EOFError
            self._expecting = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(seconds):
                    await self._expecting
            except TimeoutError:
                await asyncio.sleep(_LATE)
                if not self._messages:
                    raise
            if not self._messages:
                raise EOFError
        return self._messages.popleft()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._arriving += data
        while (length := self._length()) is not None:
            begin, end = length
            if len(self._arriving) < end:
                return
            self._messages.append(bytes(memoryview(self._arriving)[begin:end]))
            del self._arriving[:end]
            self._wake()

    def connection_lost(self, _error: Exception | None) -> None:
        self._ended = True
        self._wake()

    def _length(self) -> tuple[int, int] | None:
        """Where the message that is arriving begins and ends; None: not even that has arrived."""
        if len(self._arriving) < _SHORT:
            return None
        size, begin = int.from_bytes(self._arriving[:_SHORT], "big", signed=True), _SHORT
        if size < 0:
            begin += _LONG
            if len(self._arriving) < begin:
                return None
            size = int.from_bytes(self._arriving[_SHORT:begin], "big")
        return begin, begin + size

    def _wake(self) -> None:
        if self._expecting is not None and not self._expecting.done():
            self._expecting.set_result(None)


def receive_message(line: socket) -> memoryview:
    """The next message, at the other end. Raises `EOFError` where nobody is at this one.

    Its bytes are waited for in one call, so that who reads meanwhile is not asked for the interpreter as
    each piece of it comes.
    """
    size = int.from_bytes(_taken(line, _SHORT), "big", signed=True)
    return _taken(line, size if size >= 0 else int.from_bytes(_taken(line, _LONG), "big"))


def _taken(line: socket, size: int) -> memoryview:
    taken = memoryview(bytearray(size))
    missing = taken
    while missing:
        count = line.recv_into(missing, 0, MSG_WAITALL)
        if not count:
            raise EOFError
        missing = missing[count:]
    return taken


def _heading(size: int) -> bytes:
    """How long a message is, as `Connection` says it."""
    if size < 1 << 31:
        return size.to_bytes(_SHORT, "big")
    return (-1).to_bytes(_SHORT, "big", signed=True) + size.to_bytes(_LONG, "big")
