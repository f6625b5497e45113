"""Messages between the event loop and a worker process; neither blocks the other.

The worker sends with `multiprocessing.connection.Connection`, which puts a length before each
message, and receives with `receive_message`. The event loop collects bytes as they arrive: a
blocking read would stop it until the last byte of a long message is written.
"""

import asyncio
import struct
from collections import deque
from collections.abc import Sequence
from itertools import accumulate, pairwise
from socket import MSG_WAITALL, socket
from typing import cast

# Seconds to wait on after a timeout: if the loop itself was blocked, the message may have arrived
# without being collected yet.
_LATE_MESSAGE_S = 0.02
_LENGTH_BYTES = 4
_LONG_LENGTH_BYTES = 8  # follow a length of -1, for messages of 2 GB and more
_PART_SIZE_BYTES = 8


class Channel(asyncio.Protocol):
    """The event loop's end of a socket pair."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._messages: deque[bytes] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._is_closed = False

    @classmethod
    async def open(cls, ours: socket) -> "Channel":
        _, channel = await asyncio.get_running_loop().create_unix_connection(cls, sock=ours)
        return channel

    def send(self, parts: Sequence[bytes]) -> None:
        """Send parts as one message, without waiting. Raises `EOFError` if the worker is gone."""
        if self._transport is None or self._transport.is_closing():
            raise EOFError
        self._transport.writelines([_length_prefix(sum(map(len, parts))), *parts])

    async def receive(self, timeout_s: float) -> bytes:
        """Return the next message. Raises `TimeoutError`, or `EOFError` if the worker is gone."""
        if not self._messages:
            if self._is_closed:
                raise EOFError
            await self._wait_for_message(timeout_s)
            if not self._messages:
                raise EOFError
        return self._messages.popleft()

    async def _wait_for_message(self, timeout_s: float) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout_s):
                await self._waiter
        except TimeoutError:
            await asyncio.sleep(_LATE_MESSAGE_S)
            if not self._messages:
                raise

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # Called by asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (bounds := self._message_bounds()) is not None:
            begin, end = bounds
            if len(self._buffer) < end:
                return
            self._messages.append(bytes(memoryview(self._buffer)[begin:end]))
            del self._buffer[:end]
            self._wake()

    def connection_lost(self, _error: Exception | None) -> None:
        self._is_closed = True
        self._wake()

    def _message_bounds(self) -> tuple[int, int] | None:
        """Return where the first message begins and ends; None until its length has arrived."""
        if len(self._buffer) < _LENGTH_BYTES:
            return None
        begin = _LENGTH_BYTES
        size = int.from_bytes(self._buffer[:begin], "big", signed=True)
        if size < 0:
            begin += _LONG_LENGTH_BYTES
            if len(self._buffer) < begin:
                return None
            size = int.from_bytes(self._buffer[_LENGTH_BYTES:begin], "big")
        return begin, begin + size

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def receive_message(connection: socket) -> memoryview:
    """Return the next message, in the worker. Raises `EOFError` if the other end is closed.

    All bytes are waited for in one call: the reading thread keeps the interpreter meanwhile.
    """
    size = int.from_bytes(_receive_bytes(connection, _LENGTH_BYTES), "big", signed=True)
    if size < 0:
        size = int.from_bytes(_receive_bytes(connection, _LONG_LENGTH_BYTES), "big")
    return _receive_bytes(connection, size)


def _receive_bytes(connection: socket, size: int) -> memoryview:
    received = memoryview(bytearray(size))
    missing = received
    while missing:
        count = connection.recv_into(missing, 0, MSG_WAITALL)
        if not count:
            raise EOFError
        missing = missing[count:]
    return received


def _length_prefix(size: int) -> bytes:
    """Return a message's length in the format of `multiprocessing.connection.Connection`."""
    if size < 1 << 31:
        return size.to_bytes(_LENGTH_BYTES, "big")
    prefix = (-1).to_bytes(_LENGTH_BYTES, "big", signed=True)
    return prefix + size.to_bytes(_LONG_LENGTH_BYTES, "big")


def join_parts(parts: Sequence[bytes]) -> list[bytes]:
    """Return a message that `split_parts` takes apart: number of parts, their sizes, the parts.

    As one message, a batch costs the receiving thread one switch of the interpreter in all.
    """
    sizes = [len(parts), *map(len, parts)]
    return [struct.pack(f"<{len(sizes)}Q", *sizes), *parts]


def split_parts(message: memoryview) -> list[memoryview]:
    """Return the parts of a message made by `join_parts`."""
    (count,) = struct.unpack_from("<Q", message)
    sizes = struct.unpack_from(f"<{count}Q", message, _PART_SIZE_BYTES)
    ends = accumulate(sizes, initial=(count + 1) * _PART_SIZE_BYTES)
    return [message[start:end] for start, end in pairwise(ends)]
