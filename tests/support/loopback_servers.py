"""Servers on loopback that do to each guest what a test tells them, and a loop that forgives nothing."""

import asyncio
import gc
import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import Event, RequestReceived, StreamReset
from h2.exceptions import ProtocolError

from motherlode.fetch import FetchError, NetworkOptions, Request, Response
from motherlode.fetch.dns.resolver import Resolved, Resolver
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.options import DnsOptions

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, Any]], Any]
PATIENCE = 20.0  # seconds; a limit for what is about to happen, never a measure
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>hello\n"
PAGE = b"<p>hello\n"


class Guest:
    """One connection, as the server sees it."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.number = number

    async def head(self) -> bytes:
        """The next request; nothing, if the guest has left."""
        try:
            return await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""

    async def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()

    async def flood(self, piece: bytes, most: int) -> int:
        """Say it again and again until the guest is gone; how many bytes that took."""
        said = 0
        with suppress(ConnectionError):
            while said < most and not self.writer.is_closing():
                await self.say(piece)
                said += len(piece)
                await asyncio.sleep(0)
        return said

    async def left(self) -> None:
        """Wait until the guest is gone."""
        with suppress(ConnectionError):
            while await self.reader.read(65536):
                pass

    def reset(self) -> None:
        self.writer.transport.abort()


class Site:
    """A server, and what it has seen."""

    def __init__(self) -> None:
        self.port = 0
        self.connections = 0
        self.heads: list[bytes] = []
        self.flooded: list[int] = []
        self.open = 0

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"


Handler = Callable[[Guest, Site], Awaitable[None]]


@asynccontextmanager
async def serving(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    """A server for as long as the block lasts."""
    site = Site()
    tasks: set[asyncio.Task[None]] = set()

    async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        site.connections += 1
        site.open += 1
        try:
            await handler(Guest(reader, writer, site.connections), site)
        except (ConnectionError, ssl.SSLError, ProtocolError, asyncio.CancelledError):
            pass  # the guest has left, or is no longer of use
        finally:
            site.open -= 1
            writer.close() if tls is None else writer.transport.abort()
            tasks.discard(task)

    server = await asyncio.start_server(receive, "127.0.0.1", 0, ssl=tls, backlog=200)
    site.port = server.sockets[0].getsockname()[1]
    try:
        yield site
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=PATIENCE)
        await asyncio.sleep(0)


def saying(*answers: bytes, close: bool = False) -> Handler:
    """One answer to each request, the last again and again; `close`: and then hang up."""

    async def handle(guest: Guest, site: Site) -> None:
        while head := await guest.head():
            site.heads.append(head)
            await guest.say(answers[min(len(site.heads), len(answers)) - 1])
            if close:
                return

    return handle


def once(handle: Callable[[Guest], Awaitable[None]]) -> Handler:
    """Hear a request, then do something."""

    async def whole(guest: Guest, site: Site) -> None:
        site.heads.append(await guest.head())
        await handle(guest)

    return whole


def answer(body: bytes, *headers: str, status: str = "200 OK", mime: str = "text/html") -> bytes:
    """A response with its length."""
    lines = [
        f"HTTP/1.1 {status}",
        f"Content-Length: {len(body)}",
        f"Content-Type: {mime}",
        *headers,
    ]
    return "".join(f"{line}\r\n" for line in lines).encode("latin-1") + b"\r\n" + body


def options(**told: Any) -> NetworkOptions:
    """Those of a test: loopback is open, no proxy is looked for, nobody waits long."""
    return NetworkOptions(**{"private": True, "proxy": "none", "timeout": PATIENCE, **told})


async def outcome(web: HttpWeb, url: str, **told: Any) -> Response | FetchError:
    try:
        return await web.fetch(Request(url, **told))
    except FetchError as error:
        return error


def kind(result: Response | FetchError) -> str:
    """The kind of a failure; a response is none."""
    return result.kind if isinstance(result, FetchError) else f"status {result.status}"


def good(result: Response | FetchError) -> Response:
    assert isinstance(result, Response), result
    return result


async def visit(
    handler: Handler, *paths: str, network: NetworkOptions | None = None, **told: Any
) -> tuple[list[Response | FetchError], Site]:
    """What comes of fetching these paths, one after another, from a server of their own."""
    async with serving(handler) as site, HttpWeb(network or options(), "tests") as web:
        return [await outcome(web, site.url(path), **told) for path in paths or ("/",)], site


def strictly(run: Run, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run some work on a loop whose every complaint, and every task left over, is a failure."""
    complaints: list[dict[str, Any]] = []

    async def whole() -> T:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        result = await asyncio.wait_for(work(), 2 * PATIENCE)
        await settled(lambda: len(asyncio.all_tasks()) == 1)
        return result

    result: T = run(whole())
    assert not complaints, complaints
    return result


async def settled(true: Callable[[], bool]) -> None:
    """Wait until something has come true."""
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - whatever it is, it sets no event
            await asyncio.sleep(0.005)


def sockets() -> int:
    """How many sockets this process has open."""
    gc.collect()
    count = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            count += os.readlink(descriptor).startswith("socket:")  # noqa: PTH115 - no path at all
    return count


class Names:
    """A name server that says what it was told to; of several answers each once, the last for ever. It has
    further addresses of every host, or none."""

    def __init__(self, *, further: tuple[str, ...] = (), **hosts: str) -> None:
        self._hosts = {host.replace("_", "."): told.split() for host, told in hosts.items()}
        self._further = further
        self.asked: list[str] = []
        self.asked_further = 0

    async def look_up(self, host: str) -> Resolved:
        told = self._hosts[host]
        self.asked.append(host)
        return Resolved((told.pop(0) if len(told) > 1 else told[0],))

    async def look_further(self, host: str) -> Resolved:
        self.asked_further += 1
        if not self._further:
            raise FetchError(FailureKind.NO_SUCH_HOST, host)
        return Resolved(self._further)

    async def close(self) -> None:
        pass


class NoNames(Names):
    """A name server that knows nobody."""

    async def look_up(self, host: str) -> Resolved:
        raise FetchError(FailureKind.NO_SUCH_HOST, host)


def with_names(web: HttpWeb, names: Names, **told: Any) -> HttpWeb:
    """The same, asking this name server."""
    web._resolver = web._dialer._resolver = Resolver(DnsOptions(**told), [names])
    return web


class H2Guest:
    """One HTTP/2 connection, as the server sees it."""

    def __init__(self, guest: Guest) -> None:
        self.guest = guest
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.resets: list[int] = []

    async def flush(self) -> None:
        await self.guest.say(self.h2.data_to_send())

    async def events(self) -> AsyncIterator[Event]:
        await self.flush()
        while data := await self.guest.reader.read(65536):
            events = self.h2.receive_data(data)
            self.resets += [
                event.stream_id or 0 for event in events if isinstance(event, StreamReset)
            ]
            for event in events:
                yield event
            await self.flush()

    async def requests(self) -> AsyncIterator[tuple[int, dict[str, str]]]:
        async for event in self.events():
            if isinstance(event, RequestReceived):
                yield (
                    event.stream_id or 0,
                    {str(name): str(value) for name, value in event.headers or ()},
                )

    def begin(
        self, stream: int, *headers: tuple[str, str], status: str = "200", end: bool = False
    ) -> None:
        told = [(":status", status), ("content-type", "text/html"), *headers]
        self.h2.send_headers(stream, told, end_stream=end)

    async def reply(self, stream: int, body: bytes = PAGE, status: str = "200") -> None:
        """A small response."""
        self.begin(stream, status=status)
        self.h2.send_data(stream, body, end_stream=True)
        await self.flush()

    async def pour(self, stream: int, body: bytes) -> int:
        """A response of any size, as fast as the windows allow; how much of it was taken."""
        self.begin(stream)
        sent = 0
        events = self.events()
        while sent < len(body) and stream not in self.resets:
            room = min(self.h2.local_flow_control_window(stream), 16_384, len(body) - sent)
            if room:
                self.h2.send_data(
                    stream, body[sent : sent + room], end_stream=sent + room == len(body)
                )
                sent += room
                await self.flush()
            else:
                await anext(events)
        return sent


def ended(results: Iterable[Response | FetchError]) -> list[str]:
    return [kind(result) for result in results]
