"""Real HTTP, by aiohttp: one request, one response, and every way in which that can fail by its name."""

import asyncio
import socket
import ssl
from time import time
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import Connection

from motherlode.fetch.addresses import is_address, is_public
from motherlode.fetch.decoding import TooLargeError, decoded
from motherlode.fetch.dns import DnsOptions, Resolver
from motherlode.fetch.failures import Kind
from motherlode.fetch.options import NetworkOptions
from motherlode.fetch.web import FetchError, Request, Response
from motherlode.records import BadInputError
from motherlode.urls import host_of

_CODINGS = "gzip, deflate, br, zstd"
_MAX_LINE, _MAX_FIELD = 16_384, 16_384  # bytes of a status line and of a header

# What aiohttp raises, the particular before the general.
_KINDS: tuple[tuple[type[BaseException], Kind], ...] = (
    (aiohttp.ConnectionTimeoutError, Kind.CONNECT_TIMEOUT),
    (aiohttp.SocketTimeoutError, Kind.IDLE_TIMEOUT),
    (TimeoutError, Kind.TOTAL_TIMEOUT),
    (TooLargeError, Kind.TOO_LARGE),
    (aiohttp.ClientSSLError, Kind.TLS),
    (ssl.SSLError, Kind.TLS),
    (aiohttp.ClientConnectorDNSError, Kind.NO_SUCH_HOST),
    (aiohttp.ClientConnectorError, Kind.REFUSED),
    (aiohttp.ServerDisconnectedError, Kind.RESET),
    (aiohttp.ClientPayloadError, Kind.PROTOCOL),
    (aiohttp.ClientOSError, Kind.RESET),
    (aiohttp.ClientError, Kind.PROTOCOL),
    (ConnectionError, Kind.RESET),
    (OSError, Kind.RESET),
    (ValueError, Kind.PROTOCOL),
)


class HttpWeb:
    """The Web itself, or a sandbox in its place. An async context manager."""

    def __init__(self, options: NetworkOptions, user_agent: str, dns: DnsOptions | None = None) -> None:
        self._options = options
        self._user_agent = user_agent
        self._dns = dns or DnsOptions()
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        options = self._options
        where = _place(options.connect)
        names = _OnePlace(*where) if where else _Guarded(Resolver(self._dns), private=options.private)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, resolver=names, use_dns_cache=False, ssl=options.verify),
            timeout=aiohttp.ClientTimeout(
                total=options.timeout, sock_connect=options.connect_timeout, sock_read=options.idle_timeout
            ),
            headers={"User-Agent": self._user_agent, "Accept-Encoding": _CODINGS},
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            response_class=_Reply,
            max_line_size=_MAX_LINE,
            max_field_size=_MAX_FIELD,
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
        self._check(request.url)
        try:
            return await self._exchange(request)
        except FetchError as error:  # of the resolver, which knows only the host
            raise FetchError(error.kind, request.url) from error
        except tuple(kind for kind, _ in _KINDS) as error:
            raise FetchError(_kind_of(error), request.url) from error

    def _check(self, url: str) -> None:
        """An address in the URL itself is never resolved, so it is looked at here."""
        host = host_of(url).strip("[]")
        if (
            is_address(host)
            and not self._options.connect
            and not self._options.private
            and not is_public(host)
        ):
            raise FetchError(Kind.FORBIDDEN_ADDRESS, url)

    async def _exchange(self, request: Request) -> Response:
        if self._session is None:
            raise RuntimeError("an HttpWeb is entered before it fetches")
        began, at = asyncio.get_running_loop().time(), time()
        async with self._session.get(
            request.url, headers=dict(request.headers), allow_redirects=False
        ) as reply:
            raw = await self._body(reply)
            body = decoded(raw, reply.headers.get("Content-Encoding", ""), self._options.max_bytes)
            seconds = asyncio.get_running_loop().time() - began
            headers = tuple(reply.headers.items())
            return Response(request.url, reply.status, headers, body, at, seconds, _peer(reply))

    async def _body(self, reply: aiohttp.ClientResponse) -> bytes:
        """All of it, or `TooLargeError` as soon as it is too much; then the connection is dropped."""
        pieces, size = [], 0
        async for piece in reply.content.iter_any():
            pieces.append(piece)
            size += len(piece)
            if size > self._options.max_bytes:
                reply.close()
                raise TooLargeError(f"more than {self._options.max_bytes} bytes")
        return b"".join(pieces)


class _Reply(aiohttp.ClientResponse):
    """A response that knows whom it came from, also when the connection is free again before it is asked."""

    peer = ""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        transport = connection.transport
        place = transport.get_extra_info("peername") if transport is not None else None
        self.peer = str(place[0]) if place else ""
        return await super().start(connection)


def _peer(reply: aiohttp.ClientResponse) -> str:
    return reply.peer if isinstance(reply, _Reply) else ""


class _OnePlace(AbstractResolver):
    """Every name is one address: the sandbox's."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port

    async def resolve(
        self,
        host: str,
        _port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - aiohttp names it
    ) -> list[ResolveResult]:
        return [_result(host, self._host, self._port)]

    async def close(self) -> None:
        pass


class _Guarded(AbstractResolver):
    """Our resolver, less the addresses that no crawler may connect to; what it gives is connected to."""

    def __init__(self, resolver: Resolver, *, private: bool) -> None:
        self._resolver = resolver
        self._private = private

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - aiohttp names it
    ) -> list[ResolveResult]:
        found = (await self._resolver.resolve(host)).addresses
        allowed = [address for address in found if self._private or is_public(address)]
        if not allowed:
            raise FetchError(Kind.FORBIDDEN_ADDRESS, host)
        return [_result(host, address, port) for address in allowed]

    async def close(self) -> None:
        await self._resolver.close()


def _result(name: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    flags = socket.AI_NUMERICHOST
    return ResolveResult(hostname=name, host=address, port=port, family=family, proto=0, flags=flags)


def _kind_of(error: BaseException) -> Kind:
    return next(kind for family, kind in _KINDS if isinstance(error, family))


def _place(told: str) -> tuple[str, int] | None:
    if not told:
        return None
    host, _, port = told.rpartition(":")
    if not 0 < int(port) < 65536:  # noqa: PLR2004 - the ports there are
        raise BadInputError(f"network.connect = {told!r}: there is no port {port}.")
    return host.strip("[]"), int(port)
