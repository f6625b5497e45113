"""Real HTTP, by aiohttp."""

import asyncio
import socket
from time import time
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from motherlode.fetch.decoding import TooLargeError, decoded
from motherlode.fetch.options import NetworkOptions
from motherlode.fetch.web import FetchError, Request, Response
from motherlode.records import BadInputError

_CODINGS = "gzip, deflate, br, zstd"


class HttpWeb:
    """The Web itself, or a sandbox in its place. An async context manager."""

    def __init__(self, options: NetworkOptions, user_agent: str) -> None:
        self._options = options
        self._user_agent = user_agent
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        where = _place(self._options.connect)
        resolver = _OnePlace(*where) if where else None
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, resolver=resolver),
            timeout=aiohttp.ClientTimeout(total=self._options.timeout),
            headers={"User-Agent": self._user_agent, "Accept-Encoding": _CODINGS},
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def fetch(self, request: Request) -> Response:
        if self._session is None:
            raise RuntimeError("an HttpWeb is entered before it fetches")
        began = asyncio.get_running_loop().time()
        at = time()
        try:
            async with self._session.get(
                request.url, headers=dict(request.headers), allow_redirects=False
            ) as reply:
                raw = await self._body(reply)
                coding = reply.headers.get("Content-Encoding", "")
                body = decoded(raw, coding, self._options.max_bytes)
                seconds = asyncio.get_running_loop().time() - began
                return Response(request.url, reply.status, tuple(reply.headers.items()), body, at, seconds)
        except TimeoutError as error:
            raise FetchError("timed out", request.url) from error
        except TooLargeError as error:
            raise FetchError("too large", request.url) from error
        except aiohttp.ClientConnectorError as error:
            raise FetchError("no connection", request.url) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise FetchError("broken response", request.url) from error

    async def _body(self, reply: aiohttp.ClientResponse) -> bytes:
        body = await reply.content.read(self._options.max_bytes + 1)
        pieces = [body]
        size = len(body)
        while body:
            body = await reply.content.read(self._options.max_bytes + 1)
            pieces.append(body)
            size += len(body)
            if size > self._options.max_bytes:
                reply.close()
                raise TooLargeError
        return b"".join(pieces)


class _OnePlace(AbstractResolver):
    """Every name is one address: the sandbox's."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port

    async def resolve(
        self, host: str, _port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=self._host,
                port=self._port,
                family=family,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        pass


def _place(told: str) -> tuple[str, int] | None:
    if not told:
        return None
    host, _, port = told.rpartition(":")
    if not 0 < int(port) < 65536:  # noqa: PLR2004 - the ports there are
        raise BadInputError(f"network.connect = {told!r}: there is no port {port}.")
    return host.strip("[]"), int(port)
