"""A web of the lab behind the `Web` seam: the same answers, good and bad, no sockets,
virtual time.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from msgspec import Meta, Struct

from motherlode.fetch import DnsOptions, FetchError, NetworkOptions, Request, Response
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.submissions import check_submission
from motherlode.fetch.wire.http1 import Http1
from motherlode.fetch.wire.intake import Intake
from motherlode.fetch.wire.watch import Watch
from motherlode.lab.misbehaviour import Habits
from motherlode.lab.misbehaviour.scene import Act, Close, Pause, Reset, Send, Stall
from motherlode.lab.serving.responder import REFUSAL, Responder
from motherlode.lab.serving.responses import NO_BODY, unchanged, with_validator
from motherlode.lab.serving.search_site import with_search_engine
from motherlode.lab.web import NOT_FOUND, Answer, LabWeb, SandboxRequest, handler_of

_CODINGS = "gzip, deflate, br, zstd"


class Timing(Struct, frozen=True, forbid_unknown_fields=True):
    """What a fetch costs, in virtual time, and how politely hosts are treated."""

    latency: Annotated[float, Meta(ge=0, description="Seconds until the first byte.")] = 0.0
    bandwidth: Annotated[float, Meta(ge=0, description="Bytes a second; 0: no limit.")] = 0.0
    delay: Annotated[float, Meta(ge=0, description="Seconds between two fetches from a host.")] = (
        0.0
    )
    connections: Annotated[int, Meta(ge=1, description="Connections to a host at once.")] = 2
    timeout: Annotated[float, Meta(gt=0, description="Seconds until a fetch is given up.")] = 60.0
    max_bytes: Annotated[int, Meta(ge=1, description="Bytes until a body is given up.")] = (
        50 * 2**20
    )


class Replay:
    """Answers requests out of a web: the same requests get the same answers, in the same order."""

    def __init__(
        self,
        web: LabWeb,
        timing: Timing = Timing(),  # noqa: B008 - frozen
        habits: Habits | None = None,
    ) -> None:
        self._web = with_search_engine(web)
        self._timing = timing
        self._options = NetworkOptions(timeout=timing.timeout, max_bytes=timing.max_bytes)
        self._habits = habits or Habits(otherwise=web.habit_of)
        self._responder = Responder(
            self._web, self._habits, lambda: asyncio.get_running_loop().time(), keep=0
        )
        self._gates: dict[str, _Gate] = {}

    def expect(self, host: str) -> None:
        pass

    async def fetch(self, request: Request) -> Response:
        if request.method != "GET" or request.body:
            check_submission(request)
        host = request.url.partition("://")[2].partition("/")[0]
        async with self._turn(host):
            began = asyncio.get_running_loop().time()
            intake = Intake(request, self._options.max_bytes)
            try:
                async with asyncio.timeout(self._timing.timeout):
                    await _spend(self._timing.latency)
                    await self._answer(request, host, intake)
                    body = intake.end()
                    if self._timing.bandwidth:
                        await _spend(len(body) / self._timing.bandwidth)
            except TimeoutError as error:
                raise FetchError(FailureKind.TOTAL_TIMEOUT, request.url) from error
            seconds = asyncio.get_running_loop().time() - began
            headers = intake.response_headers()
            return Response(
                request.url,
                intake.status,
                headers,
                body,
                began,
                seconds,
                "",
                intake.mime,
                intake.received,
            )

    async def _answer(self, request: Request, host: str, intake: Intake) -> None:
        name = host.partition(":")[0]
        habit = self._habits.of(name)
        if habit is None:
            self._say(request, name, intake)
        elif habit.name == "dns-unknown":
            raise FetchError(FailureKind.NO_SUCH_HOST, request.url)
        elif habit.name.startswith("dns-"):
            if habit.name == "dns-silent":
                await _spend(DnsOptions().timeout)
            raise FetchError(FailureKind.NAME_SERVER, request.url)
        else:
            await self._perform(_asked(request, name), intake)

    def _say(self, request: Request, host: str, intake: Intake) -> None:
        """What a host without a habit says; no bytes are made for it."""
        said = self._answer_to(request, host)
        status, headers, body = said.status, said.headers, said.body
        if request.headers and unchanged(_asked(request, host), said):
            told = tuple(
                pair for pair in said.headers if pair[0].lower() in ("etag", "last-modified")
            )
            status, headers, body = 304, told, b""
        for name, value in headers:
            intake.add_header(name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        intake.begin(status)
        if body and status not in NO_BODY:
            intake.add(body)

    def _answer_to(self, request: Request, host: str) -> Answer:
        handler = handler_of(self._web, host)
        if handler is not None:
            return with_validator(handler.reply(_asked(request, host)) or NOT_FOUND)
        if request.method != "GET":
            return REFUSAL
        return with_validator(self._web.answer(request.url) or NOT_FOUND)

    async def _perform(self, asked: SandboxRequest, intake: Intake) -> None:
        """Play the script of a misbehaving host to the very code that reads from sockets."""
        loop = asyncio.get_running_loop()
        connection = Http1(loop)
        connection.connection_made(_Stage())
        watch = Watch(loop, self._options, asked.url, loop.time)
        exchange = asyncio.create_task(connection.exchange(b"", intake, watch))
        try:
            await asyncio.sleep(0)
            for act in self._responder.script(asked):
                await _play(act, connection, exchange)
                if exchange.done():
                    break
            await exchange
        finally:
            exchange.cancel()

    @asynccontextmanager
    async def _turn(self, host: str) -> AsyncIterator[None]:
        """Wait until the host may be asked."""
        gate = self._gates.setdefault(host, _Gate(self._timing.connections))
        async with gate.free:
            now = asyncio.get_running_loop().time()
            wait = gate.not_before - now
            gate.not_before = max(now, gate.not_before) + self._timing.delay
            if wait > 0:
                await asyncio.sleep(wait)
            yield


class _Gate:
    """A host's door: so many at once, and not before a moment."""

    def __init__(self, connections: int) -> None:
        self.free = asyncio.Semaphore(connections)
        self.not_before = 0.0


class _Stage(asyncio.Transport):
    """What a connection wants of a socket, with nobody at the other end."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def abort(self) -> None:
        pass


async def _play(act: Act, connection: Http1, exchange: asyncio.Task[None]) -> None:
    match act:
        case Send(data):
            connection.data_received(data)
            await asyncio.sleep(0)
        case Pause(seconds):
            await asyncio.wait({exchange}, timeout=seconds)
        case Stall():
            await asyncio.wait({exchange})
        case Reset():
            connection.connection_lost(ConnectionResetError())
        case Close():
            connection.eof_received()
            connection.connection_lost(None)


async def _spend(seconds: float) -> None:
    if seconds:
        await asyncio.sleep(seconds)


def _asked(request: Request, host: str) -> SandboxRequest:
    target = "/" + request.url.partition("://")[2].partition("/")[2]
    headers = {name.lower(): value for name, value in request.headers}
    if request.content_type:
        headers["content-type"] = request.content_type
    return SandboxRequest(
        method=request.method,
        url=request.url,
        host=host,
        target=target,
        headers={"accept-encoding": _CODINGS, **headers},
        body=request.body,
    )
