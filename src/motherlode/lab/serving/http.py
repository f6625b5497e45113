"""HTTP/1.1 on a socket: one `Conversation` a connection, driven by the event loop."""

import asyncio
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

from motherlode.lab.misbehaviour.scene import Act, Asked, Close, Pause, Reset, Send, Stall
from motherlode.lab.serving.responder import Responder
from motherlode.lab.serving.responses import BadRequestError, parse_request, ready
from motherlode.lab.web import html

_MAX_HEAD = 64 * 1024
_MAX_BODY = 10 * 2**20


class Conversation(asyncio.Protocol):
    """Requests in order, each answered before the next is looked at."""

    def __init__(self, responder: Responder, open_ones: set["Conversation"]) -> None:
        self._responder = responder
        self._open_ones = open_ones
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._script: Iterator[Act] | None = None
        self._writable = True
        self._keep_alive = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]  # TCP gives a whole one
        self._open_ones.add(self)

    def connection_lost(self, _error: Exception | None) -> None:
        self._open_ones.discard(self)
        self._script = None

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._script is None:
            self._talk()

    def pause_writing(self) -> None:
        self._writable = False

    def resume_writing(self) -> None:
        self._writable = True
        if self._script is not None:
            self._act()

    def hang_up(self) -> None:
        """Break the conversation off; the sandbox closes down."""
        self._transport.abort()

    def _talk(self) -> None:
        """Answer every whole request in the buffer."""
        while self._script is None and not self._transport.is_closing():
            try:
                asked = self._next_request()
            except BadRequestError as error:
                self._refuse(error.status)
                return
            if asked is None:
                return
            said = self._responder.respond(asked)
            if isinstance(said, bytes):
                self._transport.write(said)
                self._end_turn()
            else:
                self._script = said
                self._act()

    def _next_request(self) -> Asked | None:
        """Take a whole request out of the buffer, its body dropped; None: there is more to come."""
        head, separator, rest = self._buffer.partition(b"\r\n\r\n")
        if not separator:
            if len(self._buffer) > _MAX_HEAD:
                raise BadRequestError(431)
            return None
        asked, keep_alive = parse_request(head)
        length = asked.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _MAX_BODY:
            raise BadRequestError(413)
        if len(rest) < int(length):
            return None
        self._buffer = rest[int(length) :]
        self._keep_alive = keep_alive
        return asked

    def _act(self) -> None:
        """Go on with the script until it has to wait."""
        while self._script is not None and self._writable:
            match next(self._script, None):
                case Send(data):
                    self._transport.write(data)
                    continue
                case Pause(seconds):
                    self._loop.call_later(seconds, self._wake, self._script)
                case Stall():
                    pass
                case Reset():
                    self._reset()
                case Close():
                    self._transport.close()
                case None:
                    self._script = None
                    self._end_turn()
                    self._talk()
            return

    def _wake(self, script: Iterator[Act]) -> None:
        """After a pause; the client may have gone in the meantime."""
        if self._script is script:
            self._act()

    def _end_turn(self) -> None:
        if not self._keep_alive:
            self._transport.close()

    def _reset(self) -> None:
        """Closing with a linger time of zero sends RST instead of FIN."""
        self._script = None
        with suppress(OSError):
            plug = self._transport.get_extra_info("socket")
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _refuse(self, status: int) -> None:
        response = ready(html("<p>This is no request.", status), gzip=False)
        self._transport.write(response.head + response.body)
        self._transport.close()
