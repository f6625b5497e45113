"""HTTP/1.1 on one connection: a request goes out, its response comes in, under the eye
of a watch.
"""

import asyncio
import re
from typing import TYPE_CHECKING, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.web import FetchError
from motherlode.fetch.wire.intake import MAX_HEAD, Intake
from motherlode.fetch.wire.watch import Watch

if TYPE_CHECKING:
    from asyncio import Future, Transport

_MAX_INTERIM = 10  # responses like "100 Continue"
_MAX_WRAPPING = 16  # bytes about each byte of a body; a chunk of one byte takes five
_OK = 200
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"^content-length:([^\r\n]*)\r?\n", re.IGNORECASE | re.MULTILINE)


class StaleError(Exception):
    """A connection that was kept open turned out to be closed before anything came back."""


class Http1(asyncio.Protocol):
    """A connection. One exchange at a time; `reusable` says whether there can be another."""

    name = "HTTP/1.1"

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._transport: Transport | None = None
        self._parser = self._new_parser()
        self._intake: Intake | None = None
        self._watch: Watch | None = None
        self._done: Future[None] | None = None
        self._wrapping = 0  # bytes received that are no body: the head, sizes of chunks, trailers
        self._head = b""  # what has come while there was no body
        self._body = False
        self._interim = 0
        self.exchanges = 0
        self.reusable = True

    async def exchange(self, message: bytes, intake: Intake, watch: Watch) -> None:
        """Send a request, head and body, and take its response in.

        Raises `FetchError`, or `StaleError`.
        """
        if self._transport is None or self._transport.is_closing():
            raise StaleError
        self._done = self._loop.create_future()
        self._intake, self._watch = intake, watch
        self._wrapping, self._head, self._body, self._interim = 0, b"", False, 0
        self.exchanges += 1
        self.reusable = False
        watch.start(self._fail)
        self._transport.write(message)
        try:
            await self._done
        finally:
            watch.stop()
            self._intake = self._watch = None
            self._head = b""
            if not self.reusable:
                self.abort()

    def close(self) -> None:
        """Give an idle connection up. No farewell: over TLS, some hosts leave one waiting for
        theirs.
        """
        self.reusable = False
        self.abort()

    def abort(self) -> None:
        """Drop the connection, whatever is under way on it."""
        if self._transport is not None:
            self._transport.abort()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self._intake is None or self._watch is None or self._over:
            self.reusable = False  # nobody asked for this
            self.abort()
            return
        self._watch.heard(len(data))
        before = self._intake.received
        if not self._body:
            self._head += data
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as error:
            self._go_on(error, self._intake)
        self._wrapping += len(data) - (self._intake.received - before)
        if self._wrapping > 2 * MAX_HEAD + _MAX_WRAPPING * self._intake.received:
            kind = FailureKind.PROTOCOL if self._body else FailureKind.HEADERS
            self._fail(self._intake.failure(kind, "more wrapping than body" if self._body else ""))

    def eof_received(self) -> bool:
        if self._intake is None:
            self.reusable = False  # at once: until `connection_lost`, somebody may want it
        elif self._body and self._intake.ends_with_connection:
            self._finish()
        return False

    def connection_lost(self, error: Exception | None) -> None:
        self.reusable = False
        if self._intake is None or self._over:
            return
        if not self._wrapping and self.exchanges > 1:
            self._fail(StaleError())
        elif error is not None or not self._wrapping:
            self._fail(self._intake.failure(FailureKind.RESET))
        elif self._body and self._intake.ends_with_connection:
            self._finish()
        else:
            self._fail(self._intake.failure(FailureKind.PROTOCOL, "the connection ended first"))

    def _new_parser(self) -> HttpResponseParser:
        parser = HttpResponseParser(self)
        # What browsers forgive, and what lets nothing pass for something else in a client.
        parser.set_dangerous_leniencies(
            lenient_headers=True,
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
        )
        return parser

    def _go_on(self, error: HttpParserError | HttpParserUpgrade, intake: Intake) -> None:
        """After an error of the parser: with a length that is told twice alike, else not at all."""
        if not self._body and "Content-Length" in str(error):
            if not has_head(self._head):
                return  # the parser says the same again when there is more
            mended = with_one_length(self._head)
            if mended is not None:
                intake.forget()
                self._parser, self._head = self._new_parser(), mended
                try:
                    self._parser.feed_data(mended)
                except (HttpParserError, HttpParserUpgrade) as another:
                    self._go_on(another, intake)
                return
        # A response that was complete before it went wrong is complete.
        self._fail(intake.failure(FailureKind.PROTOCOL, str(error).partition(":")[0][:80]))
        self.reusable = False

    # What the parser calls. What is raised in here would come out as an error of the parser's.

    def on_message_begin(self) -> None:
        if self._over:
            self.reusable = False  # a second response to one request, be it only its first letter

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._intake is not None and not self._over:
            try:
                self._intake.add_header(name, value)
            except FetchError as error:
                self._fail(error)

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if self._intake is None or self._over or status < _OK:
            return
        self._body, self._head = True, b""
        self._intake.begin(status)

    def on_body(self, data: bytes) -> None:
        if self._intake is None or self._over:
            return
        try:
            if self._intake.add(data):
                self._finish()
                self.reusable = False
        except FetchError as error:
            self._fail(error)

    def on_message_complete(self) -> None:
        if self._intake is None or self._over:
            return
        if self._parser.get_status_code() >= _OK:
            self.reusable = self._parser.should_keep_alive()
            self._finish()
        else:
            self._interim += 1
            self._intake.forget()
            if self._interim > _MAX_INTERIM:
                self._fail(
                    self._intake.failure(FailureKind.PROTOCOL, "interim responses without an end")
                )

    @property
    def _over(self) -> bool:
        return self._done is None or self._done.done()

    def _finish(self) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_result(None)

    def _fail(self, error: Exception) -> None:
        if self._done is not None and not self._done.done():
            self.reusable = False
            self._done.set_exception(error)


def has_head(received: bytes) -> bool:
    """Whether a head is complete."""
    return b"\n\r\n" in received or b"\n\n" in received


def with_one_length(received: bytes) -> bytes | None:
    """Return a response that repeats its length with one length (RFC 9110, 8.6).

    None: it has one length already, or lengths that contradict each other.

    >>> with_one_length(b"HTTP/1.1 200 OK\\r\\nContent-Length: 5, 5\\r\\n\\r\\nhello")
    b'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nhello'
    """
    end = _HEAD_END.search(received)
    if end is None:
        return None
    head, rest = received[: end.end()], received[end.end() :]
    headers: list[bytes] = _LENGTH.findall(head)
    lengths = [length.strip() for header in headers for length in header.split(b",")]
    if len(lengths) == 1 or len(set(lengths)) != 1 or not lengths[0].isdigit():
        return None
    status, line, others = head.partition(b"\n")
    return (
        status + line + b"Content-Length: " + lengths[0] + b"\r\n" + _LENGTH.sub(b"", others) + rest
    )
