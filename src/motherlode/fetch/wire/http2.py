"""HTTP/2 on one connection (RFC 9113), by h2: several requests may be under way at once."""

import asyncio
from typing import TYPE_CHECKING, cast

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    ResponseReceived,
    StreamEnded,
    StreamReset,
)
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes

from motherlode.fetch.failures import Kind
from motherlode.fetch.web import FetchError
from motherlode.fetch.wire.http1 import StaleError
from motherlode.fetch.wire.intake import MAX_HEAD, Intake
from motherlode.fetch.wire.watch import Watch

if TYPE_CHECKING:
    from asyncio import Future, Transport

_WINDOW = 2**20  # bytes that may be under way without our say


class _Stream:
    """One request and what has come back of it."""

    __slots__ = ("done", "heard", "intake", "watch")

    def __init__(self, intake: Intake, watch: Watch, done: "Future[None]") -> None:
        self.intake = intake
        self.watch = watch
        self.done = done
        self.heard = False

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class Http2(asyncio.Protocol):
    """A connection. It is good for another exchange until either side says it is not."""

    name = "HTTP/2"

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._transport: Transport | None = None
        self._h2 = H2Connection(H2Configuration(client_side=True, header_encoding=None))
        self._streams: dict[int, _Stream] = {}
        self.exchanges = 0
        self.reusable = True

    async def exchange(self, head: bytes, intake: Intake, watch: Watch) -> None:
        """Send a request, written as for HTTP/1.1, and take its response in."""
        if self._transport is None or self._transport.is_closing() or not self.reusable:
            raise StaleError
        stream = _Stream(intake, watch, self._loop.create_future())
        self.exchanges += 1
        try:
            number = self._h2.get_next_available_stream_id()
            self._h2.send_headers(number, _headers(head), end_stream=True)
        except ProtocolError as error:  # it has no streams left, or is being closed
            self.reusable = False
            raise StaleError from error
        self._streams[number] = stream
        watch.start(stream.fail)
        self._flush()
        try:
            await stream.done
        finally:
            watch.stop()
            del self._streams[number]
            self._cancel(number)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("Transport", transport)
        self._h2.update_settings(
            {
                SettingCodes.ENABLE_PUSH: 0,
                SettingCodes.INITIAL_WINDOW_SIZE: _WINDOW,
                SettingCodes.MAX_HEADER_LIST_SIZE: 2 * MAX_HEAD,
            }
        )
        self._h2.initiate_connection()
        self._h2.increment_flow_control_window(_WINDOW)
        self._flush()

    def data_received(self, data: bytes) -> None:
        try:
            for event in self._h2.receive_data(data):
                self._take(event)
        except ProtocolError as error:
            self._end(Kind.PROTOCOL, type(error).__name__)
            self.abort()
            return
        self._flush()

    def connection_lost(self, error: Exception | None) -> None:
        self._end(Kind.RESET if error else Kind.PROTOCOL, "the connection ended first")

    def _take(self, event: Event) -> None:
        number = getattr(event, "stream_id", None) or 0
        stream = self._streams.get(number)
        match event:
            case DataReceived():
                self._h2.acknowledge_received_data(event.flow_controlled_length, number)
            case ConnectionTerminated():
                self.reusable = False
                if event.error_code:
                    self._end(Kind.RESET, "the host ended the connection")
        if stream is None or stream.done.done():
            return
        stream.heard = True
        try:
            self._tell(stream, event)
        except FetchError as error:
            stream.fail(error)

    def _tell(self, stream: _Stream, event: Event) -> None:
        match event:
            case ResponseReceived():
                stream.watch.heard(0)
                status = 0
                for name, value in event.headers:
                    if name == b":status":
                        status = int(value)
                    else:
                        stream.intake.add_header(bytes(name), bytes(value))
                stream.intake.begin(status)
            case DataReceived():
                stream.watch.heard(len(event.data))
                if event.data and stream.intake.add(event.data):
                    stream.finish()
            case StreamEnded():
                stream.finish()
            case StreamReset():
                stream.fail(stream.intake.failure(Kind.RESET, "the host ended the stream"))

    def _cancel(self, number: int) -> None:
        """A stream whose rest is not wanted is ended; those beside it go on."""
        try:
            self._h2.reset_stream(number, error_code=8)
        except ProtocolError:  # it has ended by itself
            return
        self._flush()

    def _end(self, kind: Kind, detail: str) -> None:
        self.reusable = False
        for stream in self._streams.values():
            stale = self.exchanges > 1 and not stream.heard
            stream.fail(StaleError() if stale else stream.intake.failure(kind, detail))

    def _flush(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(self._h2.data_to_send())


def _headers(head: bytes) -> list[tuple[bytes, bytes]]:
    first, *lines = head.rstrip(b"\r\n").split(b"\r\n")
    pairs = [line.split(b": ", 1) for line in lines]
    host = next(value for name, value in pairs if name == b"Host")
    rest = [(name.lower(), value) for name, value in pairs if name != b"Host"]
    return [
        (b":method", b"GET"),
        (b":scheme", b"https"),
        (b":authority", host),
        (b":path", first.split(b" ")[1]),
        *rest,
    ]
