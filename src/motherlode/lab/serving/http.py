"""HTTP/1.1 on a socket: one `Conversation` a connection, driven by the event loop."""

import asyncio
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from html import escape

from msgspec.structs import replace

from motherlode.lab.misbehaviour.scene import Act, Close, Pause, Reset, Send, Stall
from motherlode.lab.serving.responder import Responder
from motherlode.lab.serving.responses import BadRequestError, parse_request, ready
from motherlode.lab.web import SandboxRequest, html
from motherlode.records import LodeError

_MAX_HEAD = 64 * 1024
_MAX_BODY = 10 * 2**20
_MAX_AHEAD = 2**20  # bytes that a client may send while it is being answered
_STEPS = 64  # of one conversation, until the others have their turn
_LAST_WORDS = 2.0  # seconds in which a client may read why it is refused


class Conversation(asyncio.Protocol):
    """Requests in order, each answered before the next is looked at."""

    def __init__(self, responder: Responder, open_ones: set["Conversation"]) -> None:
        self._responder = responder
        self._open_ones = open_ones
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._script: Iterator[Act] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._writable = True
        self._keep_alive = True
        self._deaf = False  # whatever comes is dropped, and nothing more is said

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]  # TCP gives a whole one
        self._open_ones.add(self)

    def connection_lost(self, _error: Exception | None) -> None:
        self._open_ones.discard(self)
        self._script = None
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        self._buffer += data
        if self._script is None:
            self._go_on()
        if len(self._buffer) > _MAX_BODY + _MAX_AHEAD:
            self._transport.abort()  # it sends and sends, and reads nothing

    def pause_writing(self) -> None:
        self._writable = False

    def resume_writing(self) -> None:
        self._writable = True
        self._go_on()

    def hang_up(self) -> None:
        """Break the conversation off; the sandbox closes down."""
        self._transport.abort()

    def _go_on(self) -> None:
        """Answer one request after another, until there is something to wait for."""
        for _ in range(_STEPS):
            if (
                not self._writable
                or self._deaf
                or self._timer is not None
                or self._transport.is_closing()
            ):
                return
            if self._script is not None:
                self._act(next(self._script, None))
            elif not self._answer():
                return
        self._wait(0.0)  # the others want to be heard, too

    def _answer(self) -> bool:
        """Begin to answer the next request; false: none has come yet."""
        try:
            asked = self._next_request()
            if asked is None:
                return False
            said = self._responder.respond(asked)
        except BadRequestError as error:
            self._refuse("This is no request.", error.status)
        except LodeError as error:
            self._refuse(str(error), 500)
        else:
            self._say(said)
        return True

    def _next_request(self) -> SandboxRequest | None:
        """Take a whole request out of the buffer, with its body; None: there is more to come."""
        head, separator, rest = self._buffer.lstrip(b"\r\n").partition(b"\r\n\r\n")
        if len(head) > _MAX_HEAD:
            raise BadRequestError(431)
        if not separator:
            return None
        asked, keep_alive = parse_request(head)
        length = asked.headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > len(str(_MAX_BODY)) or int(length) > _MAX_BODY:
            raise BadRequestError(413)
        if len(rest) < int(length):
            return None
        self._buffer = rest[int(length) :]
        self._keep_alive = keep_alive
        return replace(asked, body=rest[: int(length)]) if int(length) else asked

    def _say(self, said: bytes | Iterator[Act]) -> None:
        if isinstance(said, bytes):
            self._transport.write(said)
            self._end_turn()
        else:
            self._script = said

    def _act(self, act: Act | None) -> None:
        match act:
            case Send(data):
                self._transport.write(data)
            case Pause(seconds):
                self._wait(seconds)
            case Stall():
                self._deaf = True
            case Reset():
                self._reset()
            case Close():
                self._transport.close()
            case None:
                self._script = None
                self._end_turn()

    def _wait(self, seconds: float) -> None:
        self._timer = self._loop.call_later(seconds, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self._go_on()

    def _end_turn(self) -> None:
        if not self._keep_alive:
            self._transport.close()

    def _reset(self) -> None:
        """Closing with a linger time of zero sends RST instead of FIN."""
        self._deaf = True
        with suppress(OSError):
            plug = self._transport.get_extra_info("socket")
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _refuse(self, why: str, status: int) -> None:
        """Say why, and close; what is still coming is read, as a reset could overtake the words."""
        response = ready(html(f"<p>{escape(why)}", status), gzip=False)
        self._deaf, self._buffer = True, b""
        self._transport.write(response.head + response.body)
        self._transport.write_eof()
        self._timer = self._loop.call_later(_LAST_WORDS, self._transport.close)
