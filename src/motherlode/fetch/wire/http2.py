"""HTTP/2 on one connection (RFC 9113), by h2: several requests may be under way at once."""

import asyncio
import re
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RemoteSettingsChanged,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError, TooManyStreamsError
from h2.settings import SettingCodes

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.web import FetchError
from motherlode.fetch.wire.http1 import StaleError
from motherlode.fetch.wire.intake import MAX_HEAD, Intake
from motherlode.fetch.wire.watch import Watch

if TYPE_CHECKING:
    from asyncio import Future, Transport

    from hyperframe.frame import Frame, GoAwayFrame

_WINDOW = 2**20  # bytes that may be under way without our say

_STATUS = re.compile(rb"[1-9]\d\d")  # RFC 9110, section 15: three digits


class _Http2Stream:
    """One request and what has come back of it."""

    __slots__ = ("closed", "done", "heard", "intake", "unsent", "watch")

    def __init__(self, intake: Intake, watch: Watch, done: "Future[None]") -> None:
        self.intake = intake
        self.watch = watch
        self.done = done
        self.unsent = b""  # of the request's body, until the host's windows have room
        self.heard = False
        self.closed = False  # by the host

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


class _Connection(H2Connection):
    """h2 takes nothing after a GOAWAY, though a host may still finish what it has begun (RFC 9113,
    6.8).
    """

    def _receive_goaway_frame(self, frame: "GoAwayFrame") -> "tuple[list[Frame], list[Event]]":
        state = self.state_machine.state
        taken = super()._receive_goaway_frame(frame)
        self.state_machine.state = state
        return taken


class Http2(asyncio.Protocol):
    """A connection. It is good for another exchange until either side says it is not."""

    name = "HTTP/2"

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._transport: Transport | None = None
        self._h2 = _Connection(H2Configuration(client_side=True, header_encoding=None))
        self._streams: dict[int, _Http2Stream] = {}
        self.exchanges = 0
        self.reusable = True

    async def exchange(self, message: bytes, intake: Intake, watch: Watch) -> None:
        """Send a request, written as for HTTP/1.1, and take its response in."""
        if self._transport is None or self._transport.is_closing() or not self.reusable:
            raise StaleError
        head, _, body = message.partition(b"\r\n\r\n")
        number = self._open(head, ends=not body)
        stream = self._streams[number] = _Http2Stream(intake, watch, self._loop.create_future())
        self.exchanges += 1
        watch.start(stream.fail)
        if body:
            stream.unsent = body
            self._send_body(number, stream)
        self._flush()
        try:
            await stream.done
        finally:
            watch.stop()
            self._leave(number)

    def close(self) -> None:
        """Begin nothing new, and be gone when what is under way has ended."""
        self.reusable = False
        if not self._streams:
            self.abort()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("Transport", transport)
        self._h2.initiate_connection()  # first: nothing may precede the preface
        self._h2.update_settings(
            {
                SettingCodes.ENABLE_PUSH: 0,
                SettingCodes.INITIAL_WINDOW_SIZE: _WINDOW,
                SettingCodes.MAX_HEADER_LIST_SIZE: 2 * MAX_HEAD,
            }
        )
        self._h2.increment_flow_control_window(_WINDOW)
        self._flush()

    def data_received(self, data: bytes) -> None:
        try:
            for event in self._h2.receive_data(data):
                self._take(event)
        except ProtocolError as error:
            self._end(FailureKind.PROTOCOL, type(error).__name__)
            self.abort()
            return
        self._flush()

    def connection_lost(self, error: Exception | None) -> None:
        self._end(
            FailureKind.RESET if error else FailureKind.PROTOCOL, "the connection ended first"
        )

    def eof_received(self) -> None:
        self.reusable = False  # at once: until `connection_lost`, somebody may want it

    def _open(self, head: bytes, *, ends: bool) -> int:
        """Send the head of a request, which may be all of it; returns the number of its stream."""
        try:
            number = self._h2.get_next_available_stream_id()
            self._h2.send_headers(number, _headers(head), end_stream=ends)
        except TooManyStreamsError as error:  # busy, and good for others later
            raise StaleError from error
        except ProtocolError as error:  # it has no numbers left, or is being closed
            self.reusable = False
            raise StaleError from error
        return number

    def _send_body(self, number: int, stream: _Http2Stream) -> None:
        """Send as much of a request's body as the host takes now."""
        with suppress(ProtocolError):  # the stream has ended, which its events say
            while stream.unsent:
                window = self._h2.local_flow_control_window(number)
                size = min(window, self._h2.max_outbound_frame_size, len(stream.unsent))
                if size <= 0:
                    return
                piece, rest = stream.unsent[:size], stream.unsent[size:]
                self._h2.send_data(number, piece, end_stream=not rest)
                stream.unsent = rest

    def _send_bodies(self) -> None:
        """Go on with every request whose body waits for room."""
        for number, stream in self._streams.items():
            if stream.unsent and not stream.closed:
                self._send_body(number, stream)

    def _take(self, event: Event) -> None:
        number = getattr(event, "stream_id", None) or 0
        stream = self._streams.get(number)
        match event:
            case DataReceived():
                self._h2.acknowledge_received_data(event.flow_controlled_length or 0, number)
            case WindowUpdated() | RemoteSettingsChanged():
                self._send_bodies()
            case ConnectionTerminated():
                self._retire(event)
        if stream is None:
            return
        stream.closed = stream.closed or isinstance(event, StreamEnded | StreamReset)
        if stream.done.done():
            return
        stream.heard = True
        try:
            self._tell(stream, event)
        except FetchError as error:
            stream.fail(error)

    def _retire(self, event: ConnectionTerminated) -> None:
        """The host takes no more requests; those after the last that it names it has
        not looked at.
        """
        for number, stream in self._streams.items():
            if number > (event.last_stream_id or 0):
                stream.fail(StaleError())
        if event.error_code:
            self._end(FailureKind.RESET, "the host ended the connection")
        self.close()

    def _tell(self, stream: _Http2Stream, event: Event) -> None:
        match event:
            case ResponseReceived():
                stream.watch.heard(0)
                status = 0
                for name, value in event.headers:
                    if name == b":status":
                        status = int(value) if _STATUS.fullmatch(value) else 0
                    else:
                        stream.intake.add_header(bytes(name), bytes(value))
                if not status:
                    raise stream.intake.failure(FailureKind.PROTOCOL, "no status")
                stream.intake.begin(status)
            case DataReceived():
                stream.watch.heard(len(event.data))
                if event.data and stream.intake.add(event.data):
                    stream.finish()
            case StreamEnded():
                stream.finish()
            case StreamReset() if event.error_code == ErrorCodes.REFUSED_STREAM:
                stream.fail(StaleError())  # not looked at (RFC 9113, 8.7)
            case StreamReset():
                stream.fail(stream.intake.failure(FailureKind.RESET, "the host ended the stream"))

    def _leave(self, number: int) -> None:
        """An exchange is over, well or not."""
        stream = self._streams.pop(number)
        if not stream.closed or stream.unsent:
            self._cancel(number)
        if not self.reusable:
            self.close()

    def _cancel(self, number: int) -> None:
        """A stream whose rest is not wanted is ended; those beside it go on."""
        try:
            self._h2.reset_stream(number, error_code=ErrorCodes.CANCEL)
        except ProtocolError:  # it has ended by itself
            return
        self._flush()

    def _end(self, kind: FailureKind, detail: str) -> None:
        self.reusable = False
        for stream in self._streams.values():
            stale = self.exchanges > 1 and not stream.heard
            stream.fail(StaleError() if stale else stream.intake.failure(kind, detail))

    def _flush(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(self._h2.data_to_send())


def _headers(head: bytes) -> list[tuple[bytes, bytes]]:
    first, *lines = head.rstrip(b"\r\n").split(b"\r\n")
    method, target, _ = first.split(b" ")
    pairs = [line.split(b": ", 1) for line in lines]
    host = next(value for name, value in pairs if name == b"Host")
    rest = [(name.lower(), value) for name, value in pairs if name != b"Host"]
    return [
        (b":method", method),
        (b":scheme", b"https"),
        (b":authority", host),
        (b":path", target),
        *rest,
    ]
