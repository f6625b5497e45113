"""A web of the lab behind the `Web` seam: the same answers, good and bad, no sockets, virtual time."""

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.client import HTTPException, HTTPResponse
from typing import Annotated, Any, cast

from msgspec import Meta, Struct

from motherlode.fetch import FetchError, Request, Response
from motherlode.fetch.decoding import TooLargeError, decoded
from motherlode.lab.misbehaviour import Habits
from motherlode.lab.misbehaviour.scene import Asked, Close, Pause, Reset, Send, Stall
from motherlode.lab.serving.responder import Responder
from motherlode.lab.serving.responses import NO_BODY, unchanged, with_validator
from motherlode.lab.web import NOT_FOUND, LabWeb

_CODINGS = "gzip, deflate, br, zstd"


class Timing(Struct, frozen=True, forbid_unknown_fields=True):
    """What a fetch costs, in virtual time, and how politely hosts are treated."""

    latency: Annotated[float, Meta(ge=0, description="Seconds until the first byte.")] = 0.0
    bandwidth: Annotated[float, Meta(ge=0, description="Bytes a second; 0: no limit.")] = 0.0
    delay: Annotated[float, Meta(ge=0, description="Seconds between two fetches from a host.")] = 0.0
    connections: Annotated[int, Meta(ge=1, description="Connections to a host at once.")] = 2
    timeout: Annotated[float, Meta(gt=0, description="Seconds until a fetch is given up.")] = 60.0
    max_bytes: Annotated[int, Meta(ge=1, description="Bytes until a body is given up.")] = 20_000_000


class Replay:
    """Answers requests out of a web: the same requests get the same answers, in the same order."""

    def __init__(self, web: LabWeb, timing: Timing = Timing(), habits: Habits | None = None) -> None:  # noqa: B008 - frozen
        self._web = web
        self._timing = timing
        self._habits = habits or Habits(otherwise=web.habit_of)
        self._responder = Responder(web, self._habits, lambda: asyncio.get_running_loop().time(), keep=0)
        self._gates: dict[str, _Gate] = {}

    async def fetch(self, request: Request) -> Response:
        host = request.url.partition("://")[2].partition("/")[0]
        async with self._turn(host):
            began = asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(self._timing.timeout):
                    await _spend(self._timing.latency)
                    response = await self._answered(request, host, began)
                    if self._timing.bandwidth:
                        await _spend(len(response.body) / self._timing.bandwidth)
            except TimeoutError as error:
                raise FetchError("timed out", request.url) from error
            except TooLargeError as error:
                raise FetchError("too large", request.url) from error
            except (HTTPException, ValueError) as error:
                raise FetchError("broken response", request.url) from error
            seconds = asyncio.get_running_loop().time() - began
            return Response(request.url, response.status, response.headers, response.body, began, seconds)

    async def _answered(self, request: Request, host: str, at: float) -> Response:
        name = host.partition(":")[0]
        habit = self._habits.of(name)
        if habit is not None:
            if habit.name == "dns-silent":
                await asyncio.sleep(self._timing.timeout * 2)
            if habit.name.startswith("dns-"):
                raise FetchError("no such host", request.url)
            return await self._performed(_asked(request, name), at)
        said = with_validator(self._web.answer(request.url) or NOT_FOUND)
        if request.headers and unchanged(_asked(request, name), said):
            told = tuple(pair for pair in said.headers if pair[0].lower() in ("etag", "last-modified"))
            return Response(request.url, 304, told, b"", at, 0.0)
        if said.status in NO_BODY:
            return Response(request.url, said.status, said.headers, b"", at, 0.0)
        body = decoded(said.body, said.header("content-encoding"), self._timing.max_bytes)
        return Response(request.url, said.status, said.headers, body, at, 0.0)

    async def _performed(self, asked: Asked, at: float) -> Response:
        """Watch the script of a misbehaving host, and make of its bytes what an HTTP client makes of them."""
        wire = io.BytesIO()
        for act in self._responder.script(asked):
            match act:
                case Send(data):
                    wire.write(data)
                    if wire.tell() > self._timing.max_bytes:
                        raise TooLargeError
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Stall():
                    await asyncio.sleep(self._timing.timeout * 2)
                case Reset():
                    raise FetchError("connection reset", asked.url)
                case Close():
                    break
        wire.seek(0)
        reader = HTTPResponse(cast("Any", _Plug(wire)))
        reader.begin()
        headers = tuple(reader.getheaders())
        coding = reader.getheader("Content-Encoding") or ""
        return Response(
            asked.url, reader.status, headers, decoded(reader.read(), coding, self._timing.max_bytes), at, 0.0
        )

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


class _Plug:
    """What `HTTPResponse` wants of a socket."""

    def __init__(self, wire: io.BytesIO) -> None:
        self._wire = wire

    def makefile(self, _mode: str) -> io.BytesIO:
        return self._wire


async def _spend(seconds: float) -> None:
    if seconds:
        await asyncio.sleep(seconds)


def _asked(request: Request, host: str) -> Asked:
    target = "/" + request.url.partition("://")[2].partition("/")[2]
    headers = {name.lower(): value for name, value in request.headers}
    return Asked("GET", request.url, host, target, {"accept-encoding": _CODINGS, **headers})
