"""Real HTTP behind the `Web` seam: one request, one response, and every way that can fail by its
name.
"""

import asyncio
import re
from pathlib import Path
from time import monotonic, time
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from motherlode.fetch.dns.hosts_file import HOSTS_FILE
from motherlode.fetch.dns.resolver import Resolved, Resolver
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.options import DnsOptions, NetworkOptions
from motherlode.fetch.submissions import check_submission
from motherlode.fetch.web import FetchError, Phases, Request, Response
from motherlode.fetch.wire.cookies import Cookies
from motherlode.fetch.wire.dialer import Dialer, HttpOrigin, OpenConnection
from motherlode.fetch.wire.http1 import StaleError
from motherlode.fetch.wire.intake import Intake
from motherlode.fetch.wire.pool import Pool
from motherlode.fetch.wire.watch import Watch

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_CODINGS = "gzip, deflate, br, zstd"
_PORTS = {"http": 80, "https": 443}
_TRIES = 3  # connections that were kept open may all turn out to be closed
_PROXY_REFUSES = 407
_WAITED_TOO_LONG = 408
_HTTP1_REFUSED = frozenset({426, 505})  # upgrade required, HTTP version not supported
_NO_AUTHORITY = re.compile(r"[@?#\\]")
_MAX_PORT = 65_536
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


class HttpWeb:
    """The Web itself, or a sandbox in its place. An async context manager."""

    def __init__(
        self,
        options: NetworkOptions,
        user_agent: str,
        dns: DnsOptions | None = None,
        hosts_file: Path = HOSTS_FILE,
    ) -> None:
        self._options = options
        self._resolver = Resolver(dns or DnsOptions(), hosts_file=hosts_file)
        self._dialer = Dialer(options, self._resolver)
        self._pool = Pool(options.keep_alive, options.idle_connections)
        self._cookies = Cookies() if options.cookies else None
        fixed = {"User-Agent": user_agent, "Accept": _ACCEPT, "Accept-Encoding": _CODINGS}
        self._fixed = "".join(f"{name}: {_line(value)}\r\n" for name, value in fixed.items())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.close()
        await self._resolver.close()

    async def resolve(self, host: str) -> Resolved:
        """Where a host is, as a fetch would find it. Raises `FetchError` if it is nowhere."""
        return await self._resolver.resolve(host)

    def expect(self, host: str) -> None:
        if not self._options.connect:
            self._resolver.prefetch(host)

    async def fetch(self, request: Request) -> Response:
        """Return the response to one request.

        A GET is sent again if a connection that was kept open turns out to be closed. A POST opens
        a connection of its own, and goes out twice only if the host has said that it did not look
        at it: by 426 or 505, or over HTTP/2 by REFUSED_STREAM or GOAWAY (RFC 9110, 9.2.2).
        """
        try:
            async with asyncio.timeout(self._options.timeout):
                return await self._fetch(request)
        except TimeoutError as error:
            raise FetchError(FailureKind.TOTAL_TIMEOUT, request.url) from error
        except FetchError as error:
            if not str(error).startswith(request.url):  # of the dialler, which knows only the host
                raise FetchError(error.kind, request.url, error.detail) from error
            raise

    async def _fetch(self, request: Request) -> Response:
        if request.method != "GET" or request.body:
            check_submission(request)
        origin, authority, target = _parts(request.url)
        for attempt in range(_TRIES):
            kept_open = attempt < _TRIES - 1 and request.method == "GET"
            line = self._pool.take(origin) if kept_open else None
            reused = line is not None
            if line is None:
                line = await self._dialer.dial(origin)
            try:
                message = self._message(request, line, origin.host, authority, target)
                response = await self._exchange(request, line, message, reused=reused)
            except StaleError:
                continue
            finally:
                self._pool.give(origin, line)
            if response.status == _WAITED_TOO_LONG and reused:  # for a request, before it had ours
                continue
            if response.status == _PROXY_REFUSES and line.proxy is not None:
                raise FetchError(FailureKind.PROXY, request.url, "it wants to know who asks")
            if response.status in _HTTP1_REFUSED and self._dialer.needs_http2(origin):
                self._pool.forget(origin)  # what is open speaks HTTP/1.1
                continue
            if self._cookies is not None:
                self._cookies.learn(origin.host, response)
            return response
        raise FetchError(FailureKind.RESET, request.url)

    async def _exchange(
        self, request: Request, line: OpenConnection, message: bytes, *, reused: bool
    ) -> Response:
        loop = asyncio.get_running_loop()
        intake = Intake(request, self._options.max_bytes)
        watch = Watch(loop, self._options, request.url)
        at = time()
        await line.connection.exchange(message, intake, watch)
        body = intake.end()
        opened = Phases() if reused else line.phases
        ended = monotonic()
        phases = replace(
            opened, first_byte=watch.first_at - watch.began, transfer=ended - watch.first_at
        )
        seconds = opened.resolve + opened.connect + opened.tls + (ended - watch.began)
        return Response(
            request.url,
            intake.status,
            intake.response_headers(),
            body,
            at,
            seconds,
            line.address,
            intake.mime,
            intake.received,
            phases,
            line.connection.name,
            intake.told,
            line.aliases,
            intake.sent,
        )

    def _message(
        self, request: Request, line: OpenConnection, host: str, authority: str, target: str
    ) -> bytes:
        extra = "".join(f"{_line(name)}: {_line(value)}\r\n" for name, value in request.headers)
        if request.method != "GET":
            extra += _content_lines(request)
        if self._cookies is not None and not _has_cookies(request):
            extra += self._cookies.header(host)
        if line.proxy is not None:
            target = request.url
            if line.proxy.authorization:
                extra += f"Proxy-Authorization: {line.proxy.authorization}\r\n"
        first = f"{request.method} {target} HTTP/1.1\r\n"
        head = f"{first}Host: {authority}\r\n{self._fixed}{extra}\r\n"
        return head.encode("utf-8", "surrogateescape") + request.body


def _parts(url: str) -> tuple[HttpOrigin, str, str]:
    """Origin, authority and target of a canonical URL."""
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    default = _PORTS.get(scheme)
    if default is None or not authority:
        raise FetchError(FailureKind.PROTOCOL, url, "only http and https are fetched")
    if not url.isascii() or not url.isprintable() or " " in url or _NO_AUTHORITY.search(authority):
        raise FetchError(FailureKind.PROTOCOL, url[:200], "not a canonical URL")
    host, port = authority, ""
    if authority[-1] != "]":
        head, colon, tail = authority.rpartition(":")
        if colon:
            host, port = head, tail
    if port and not (port.isdecimal() and int(port[:9]) < _MAX_PORT):
        raise FetchError(FailureKind.PROTOCOL, url[:200], "not a canonical URL")
    return HttpOrigin(scheme, host, int(port or default)), authority, f"{slash or '/'}{path}"


def _content_lines(request: Request) -> str:
    """The header lines that say what a POST carries."""
    kind = f"Content-Type: {_line(request.content_type)}\r\n" if request.content_type else ""
    return f"{kind}Content-Length: {len(request.body)}\r\n"


def _has_cookies(request: Request) -> bool:
    """Whether whoever asks brings cookies of a session."""
    return any(name.lower() == "cookie" for name, _ in request.headers)


def _line(text: str) -> str:
    """Text that stays within its line, without what no header may hold (RFC 9110, 5.5)."""
    return _CONTROLS.sub("", text).strip()
