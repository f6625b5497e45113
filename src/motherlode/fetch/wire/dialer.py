"""From a host to an open connection: names, the guard, proxies, TLS; every phase timed
and bounded.
"""

import asyncio
import socket
import ssl
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from motherlode.fetch.dns.addresses import is_address, is_public, leads_inside
from motherlode.fetch.dns.resolver import Resolver
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.options import NetworkOptions
from motherlode.fetch.web import FetchError, Phases
from motherlode.fetch.wire.http1 import Http1
from motherlode.fetch.wire.http2 import Http2
from motherlode.fetch.wire.proxies import Proxies, Proxy
from motherlode.fetch.wire.sockets import UnreachedError, reach
from motherlode.records import BadInputError

if TYPE_CHECKING:
    from asyncio import Transport

Connection = Http1 | Http2
_MAX_CONNECT_ANSWER = 16_384  # bytes that a proxy may say before a tunnel begins
_HTTP1, _HTTP2 = "http/1.1", "h2"
_FAREWELL = 1.0  # seconds for a host to say goodbye over TLS; the default is 30
_PORTS = 65_536


class HttpOrigin(NamedTuple):
    """Scheme, host and port: what a connection is good for."""

    scheme: str
    host: str
    port: int


class Endpoint(NamedTuple):
    """Where something is: the name that leads there, its addresses, the port, what the name is an
    alias for; and whether a person has said so, who may lead anywhere.
    """

    name: str
    addresses: tuple[str, ...]
    port: int
    aliases: tuple[str, ...] = ()
    told: bool = False


class OpenConnection(NamedTuple):
    """An open connection, whom it leads to, what it cost to open, the proxy it goes through in
    plain, and the names that the host is an alias for.
    """

    connection: Connection
    address: str
    phases: Phases
    proxy: Proxy | None = None
    aliases: str = ""


class Dialer:
    """Opens connections. Raises `FetchError` for whatever goes wrong."""

    def __init__(self, options: NetworkOptions, resolver: Resolver) -> None:
        self._options = options
        self._resolver = resolver
        self._overrides = Overrides(options)
        self._proxies = Proxies("none" if options.connect else options.proxy)
        self._contexts: dict[tuple[str, ...], ssl.SSLContext] = {}
        self._needing: set[HttpOrigin] = set()  # those that refused HTTP/1.1

    def needs_http2(self, origin: HttpOrigin) -> bool:
        """A host refused HTTP/1.1: whether it makes sense to try HTTP/2 instead, from now on."""
        if self._options.http2 != "needed" or origin.scheme != "https" or origin in self._needing:
            return False
        self._needing.add(origin)
        return True

    async def dial(self, origin: HttpOrigin) -> OpenConnection:
        """A new connection to a host."""
        try:
            return await self._dial(origin)
        except ssl.SSLError as error:
            if "no application protocol" in _reason(error) and self.needs_http2(origin):
                return await self.dial(origin)
            raise _tls_failure(error, origin.host) from error

    async def _dial(self, origin: HttpOrigin) -> OpenConnection:
        began = monotonic()
        proxy = self._proxy_to(origin)
        if proxy is None:
            place = await self._place_of(origin)
        else:
            self._guard_literal(origin.host)
            place = await self._place_of_proxy(proxy, origin.host)
        resolved = monotonic()
        plug, address = await self._connect(place, origin.host, to_proxy=proxy is not None)
        connected = monotonic()
        tls = origin.scheme == "https" and not self._options.connect
        try:
            if proxy is not None and tls:
                await self._tunnel(plug, proxy, origin)
            connection = await self._speak(plug, origin, tls=tls)
        except BaseException:
            plug.close()
            raise
        ready = monotonic()
        phases = Phases(resolved - began, connected - resolved, ready - connected if tls else 0.0)
        way = None if tls else proxy
        return OpenConnection(
            connection, "" if proxy else address, phases, way, " ".join(place.aliases)
        )

    def _proxy_to(self, origin: HttpOrigin) -> Proxy | None:
        """None: a host is reached directly, as each is of which a person has said where it is."""
        if self._overrides.place_of(origin.host) is not None:
            return None
        return self._proxies.lead_to(origin.scheme, origin.host)

    async def _place_of(self, origin: HttpOrigin) -> Endpoint:
        """Where a host is, less the addresses that no crawler may connect to."""
        told = self._overrides.place_of(origin.host)
        if told is not None:
            name, port = told
            found = (name,) if is_address(name) else (await self._resolver.resolve(name)).addresses
            return Endpoint(name, found, port or origin.port, told=True)
        resolved = await self._resolver.resolve(origin.host)
        found = resolved.addresses
        allowed = self._allowed(found)
        if not allowed:
            raise FetchError(FailureKind.FORBIDDEN_ADDRESS, origin.host, found[0] if found else "")
        return Endpoint(origin.host, allowed, origin.port, resolved.aliases)

    async def _place_of_proxy(self, proxy: Proxy, host: str) -> Endpoint:
        try:
            found = (await self._resolver.resolve(proxy.host)).addresses
            return Endpoint(proxy.host, found, proxy.port, told=True)
        except FetchError as error:  # the host that it should lead to is not to blame
            raise FetchError(FailureKind.PROXY, host, f"{proxy.host}: {error.kind}") from error

    def _guard_literal(self, host: str) -> None:
        """Through a proxy, only what stands in the URL itself can be looked at."""
        bare = host.strip("[]")
        inside = not is_public(bare) if is_address(bare) else leads_inside(bare)
        if inside and not self._options.private:
            raise FetchError(FailureKind.FORBIDDEN_ADDRESS, host, bare)

    def _allowed(self, addresses: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            address for address in addresses if self._options.private or is_public(address)
        )

    async def _connect(
        self, place: Endpoint, host: str, *, to_proxy: bool
    ) -> tuple[socket.socket, str]:
        """A socket to the first address that answers; all of them share the time there is."""

        async def further() -> tuple[str, ...]:
            found = await self._resolver.further(place.name)
            return found if place.told else self._allowed(found)

        try:
            plug, address = await reach(
                place.addresses, place.port, further, self._options.connect_timeout
            )
        except UnreachedError as error:
            kind = FailureKind.PROXY if to_proxy else error.kind
            raise FetchError(kind, host, f"{error.address} port {place.port}") from error
        if address != place.addresses[0]:
            self._resolver.prefer(place.name, address)
        return plug, address

    async def _tunnel(self, plug: socket.socket, proxy: Proxy, origin: HttpOrigin) -> None:
        """Ask a proxy for a way through (CONNECT)."""
        loop = asyncio.get_running_loop()
        target = f"{origin.host}:{origin.port}"
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if proxy.authorization:
            lines.append(f"Proxy-Authorization: {proxy.authorization}")
        said = b""
        try:
            async with asyncio.timeout(self._options.connect_timeout):
                await loop.sock_sendall(plug, ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
                while b"\r\n\r\n" not in said:
                    piece = await loop.sock_recv(plug, 4096)
                    said += piece
                    if not piece or len(said) > _MAX_CONNECT_ANSWER:
                        raise FetchError(FailureKind.PROXY, origin.host, "no answer")
        except (TimeoutError, OSError) as error:
            raise FetchError(FailureKind.PROXY, origin.host, "no answer") from error
        status = said.split(b"\r\n", 1)[0].split(b" ")[1:2]
        if status != [b"200"]:
            shown = said.split(b"\r\n", 1)[0][:60].decode("latin-1")
            raise FetchError(FailureKind.PROXY, origin.host, shown)

    async def _speak(self, plug: socket.socket, origin: HttpOrigin, *, tls: bool) -> Connection:
        loop = asyncio.get_running_loop()
        if not tls:
            try:
                _, plain = await loop.create_connection(lambda: Http1(loop), sock=plug)
            except OSError as error:  # it went away the moment it was there
                raise FetchError(FailureKind.RESET, origin.host) from error
            return plain
        try:
            async with asyncio.timeout(self._options.tls_timeout):
                return await self._secure(plug, origin)
        except (TimeoutError, ConnectionAbortedError) as error:
            raise FetchError(FailureKind.TLS_TIMEOUT, origin.host) from error
        except ssl.SSLError:
            raise
        except (OSError, ValueError) as error:  # ValueError: a host name that TLS cannot name
            raise FetchError(FailureKind.TLS_BROKEN, origin.host, str(error)[:80]) from error

    async def _secure(self, plug: socket.socket, origin: HttpOrigin) -> Connection:
        loop = asyncio.get_running_loop()
        chooser = _Chooser(loop)
        try:
            await loop.create_connection(
                lambda: chooser,
                sock=plug,
                ssl=self._context(self._protocols(origin)),
                server_hostname=origin.host.strip("[]"),
                ssl_handshake_timeout=self._options.tls_timeout + 5,
                ssl_shutdown_timeout=_FAREWELL,
            )
        except BaseException:
            # Cancelled after the handshake, asyncio would say goodbye on a socket that is then
            # closed under it; the next one to get its number would be taken for it.
            if chooser.chosen is not None:
                chooser.chosen.abort()
            raise
        assert chooser.chosen is not None  # noqa: S101 - a transport is made before it is returned
        return chooser.chosen

    def _protocols(self, origin: HttpOrigin) -> tuple[str, ...]:
        """What is offered. HTTP/1.1 always is: a host may refuse it once and have nothing else."""
        wanted = self._options.http2 == "always" or origin in self._needing
        return (_HTTP2, _HTTP1) if wanted else (_HTTP1,)

    def _context(self, names: tuple[str, ...]) -> ssl.SSLContext:
        if names not in self._contexts:
            context = ssl.create_default_context()
            if not self._options.verify:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            context.set_alpn_protocols(list(names))
            self._contexts[names] = context
        return self._contexts[names]


class _Chooser(asyncio.Protocol):
    """Becomes the protocol that TLS agreed upon, before a byte arrives."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.chosen: Connection | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        agreed: Any = transport.get_extra_info("ssl_object")
        http2 = agreed is not None and agreed.selected_alpn_protocol() == _HTTP2
        self.chosen = Http2(self._loop) if http2 else Http1(self._loop)
        cast("Transport", transport).set_protocol(self.chosen)
        self.chosen.connection_made(transport)


def _tls_failure(error: ssl.SSLError, host: str) -> FetchError:
    if isinstance(error, ssl.SSLCertVerificationError):
        return FetchError(FailureKind.TLS, host, error.verify_message)
    return FetchError(FailureKind.TLS_BROKEN, host, _reason(error)[:80])


def _reason(error: ssl.SSLError) -> str:
    """What went wrong, in words. Not every alert has a name of its own; then the text has it."""
    return (error.reason or str(error)).replace("_", " ").lower()


class Overrides:
    """Where hosts are when a portal says so (`[network] connect` and `overrides`)."""

    def __init__(self, options: NetworkOptions) -> None:
        self._everywhere = (
            parse_place(options.connect, "network.connect") if options.connect else None
        )
        self._single: dict[str, tuple[str, int]] = {}
        for setting in options.overrides:
            host, _, place = setting.partition("=")
            self._single[host.lower()] = parse_place(place, "network.overrides")

    def place_of(self, host: str) -> tuple[str, int] | None:
        """Address and port (0: the URL's own) for a host; None: the name itself says where."""
        found = self._single.get(host)
        while found is None and self._single and "." in host:
            host = host.partition(".")[2]
            found = self._single.get(f"*.{host}")
        return found or self._everywhere


def parse_place(place: str, setting: str) -> tuple[str, int]:
    """Return host and port of HOST, HOST:PORT or [ADDRESS]:PORT; port 0 where there is none.

    >>> parse_place("[::1]:8080", "x"), parse_place("127.0.0.1", "x")
    (('::1', 8080), ('127.0.0.1', 0))
    """
    if place.startswith("["):
        host, _, rest = place[1:].partition("]")
        port = rest.removeprefix(":")
    else:
        host, _, port = place.partition(":")
    number = int(port or 0)
    if not (0 < number < _PORTS or not port):
        raise BadInputError(f"{setting} = {place!r}: there is no port {port}.")
    return host, number
