"""Names to addresses (SPEC B24): asynchronous, several servers, a cache that keeps to lifetimes."""

import asyncio
import re
import socket
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol

import aiodns
from msgspec import Struct
from msgspec.structs import replace
from pycares import AAAARecordData, ARecordData, AresError, CNAMERecordData

from motherlode.fetch.dns.addresses import is_address
from motherlode.fetch.dns.hosts_file import HOSTS_FILE, HostsFile
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.options import DnsOptions
from motherlode.fetch.web import FetchError
from motherlode.records import BadInputError

_ADDRESS = (ARecordData, AAAARecordData)
_MAX_PREFETCH = 100  # look-ups under way
_MAX_ALIASES = 8
_NAME = re.compile(r"[!-~]{1,255}")  # a server may say anything
# A name that cannot be asked for (an empty label, one of 64 letters) does not exist either.
_ABSENT = frozenset(
    {aiodns.error.ARES_ENOTFOUND, aiodns.error.ARES_ENODATA, aiodns.error.ARES_EBADNAME}
)
# A question is sent again, each time after twice as long. From a server that was quick before,
# c-ares expects an answer within a quarter of a second, so this many are ten seconds and more: our
# own limit ends
# it.
_TRIES = 6


class Resolved(Struct, frozen=True):
    """The addresses of a host, the names that it is an alias for, and how long that holds."""

    addresses: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    ttl: float = 0.0


class Server(Protocol):
    """One name server. Raises `FetchError` for a name that does not exist, or if it cannot say."""

    async def look_up(self, host: str) -> Resolved: ...

    async def look_further(self, host: str) -> Resolved:
        """The addresses that `look_up` leaves out where it has found some: those of IPv6."""
        ...

    async def close(self) -> None: ...


class _Question(NamedTuple):
    host: str
    further: bool = False


class Resolver:
    """The machine's own names and all servers, behind one cache. Look-ups of a name at one time are
    one.
    """

    def __init__(
        self,
        options: DnsOptions,
        servers: Sequence[Server] = (),
        clock: Callable[[], float] = monotonic,
        hosts_file: Path = HOSTS_FILE,
    ) -> None:
        self._options = options
        self._servers = list(servers) or _servers(options, clock)
        self._clock = clock
        self._file = HostsFile(hosts_file)
        self._known: OrderedDict[_Question, tuple[float, Resolved | FailureKind]] = OrderedDict()
        self._asking: dict[_Question, asyncio.Task[Resolved]] = {}

    async def resolve(self, host: str) -> Resolved:
        """The addresses of a host. Raises `FetchError` if there are none."""
        if is_address(bare := host.strip("[]")):
            return Resolved((bare,))
        return await self._answer(_Question(host))

    async def further(self, host: str) -> tuple[str, ...]:
        """Its addresses of IPv6, for a host whose others do not answer; none, if there are none or
        nobody can say. What the machine knows by itself, it knows whole.
        """
        if is_address(host.strip("[]")) or self._file.addresses_of(host):
            return ()
        try:
            return (await self._answer(_Question(host, further=True))).addresses
        except FetchError:
            return ()

    def prefer(self, host: str, address: str) -> None:
        """This address of a host has answered, and those before it have not: from now on it is the
        first.
        """
        expires, found = self._known.get(_Question(host), (0.0, None))
        if isinstance(found, Resolved):
            others = (one for one in found.addresses if one != address)
            self._known[_Question(host)] = expires, replace(found, addresses=(address, *others))

    def prefetch(self, host: str) -> None:
        """Look a host up before it is needed, unless it is known or enough others are being looked
        up.
        """
        question = _Question(host)
        if len(self._asking) >= _MAX_PREFETCH or question in self._asking or self._cached(question):
            return
        if not is_address(host.strip("[]")):
            task = self._asking[question] = asyncio.create_task(self._ask(question))
            task.add_done_callback(_seen)

    async def close(self) -> None:
        for task in list(self._asking.values()):
            task.cancel()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)
        for server in self._servers:
            await server.close()

    async def _answer(self, question: _Question) -> Resolved:
        found = self._cached(question)
        if found is None:
            if question not in self._asking:
                self._asking[question] = asyncio.create_task(self._ask(question))
            return await asyncio.shield(self._asking[question])
        if isinstance(found, FailureKind):
            raise FetchError(found, question.host)
        return found

    def _cached(self, question: _Question) -> Resolved | FailureKind | None:
        """What is remembered, as long as it holds."""
        expires, found = self._known.get(question, (0.0, None))
        if found is None or expires <= self._clock():
            return None
        self._known.move_to_end(question)
        return found

    async def _ask(self, question: _Question) -> Resolved:
        own = self._file.addresses_of(question.host)
        try:
            async with asyncio.timeout(self._options.timeout):
                found = Resolved(own) if own else await self._first_answer(question)
        except TimeoutError as error:
            raise FetchError(FailureKind.NAME_SERVER, question.host) from error
        except FetchError as error:
            if error.kind == FailureKind.NO_SUCH_HOST:
                self._remember(question, FailureKind.NO_SUCH_HOST, self._options.negative_ttl)
            raise
        finally:
            del self._asking[question]
        ttl = min(max(found.ttl, self._options.min_ttl), self._options.max_ttl)
        self._remember(question, found, ttl)
        return found

    async def _first_answer(self, question: _Question) -> Resolved:
        """Ask the first server; when it takes long or fails, the next as well. Who knows first is
        right.
        """
        asked: set[asyncio.Task[Resolved]] = set()
        servers = list(self._servers)
        try:
            while servers or asked:
                if servers:
                    asked.add(asyncio.create_task(_asked(servers.pop(0), question)))
                patience = self._options.patience if servers else None
                done, asked = await asyncio.wait(
                    asked, timeout=patience, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    error = task.exception()
                    if error is None:
                        return task.result()
                    if not isinstance(error, FetchError) or error.kind == FailureKind.NO_SUCH_HOST:
                        raise error
            raise FetchError(FailureKind.NAME_SERVER, question.host)
        finally:
            for task in asked:
                task.cancel()

    def _remember(self, question: _Question, found: Resolved | FailureKind, ttl: float) -> None:
        self._known[question] = (self._clock() + ttl, found)
        self._known.move_to_end(question)
        if len(self._known) > self._options.cache:
            self._known.popitem(last=False)


async def _asked(server: Server, question: _Question) -> Resolved:
    return await (server.look_further if question.further else server.look_up)(question.host)


def _seen(task: asyncio.Task[Resolved]) -> None:
    """Nobody may be waiting for this look-up: its failure is no news."""
    if not task.cancelled():
        task.exception()


class _Channel:
    """A way to a server by c-ares, and how many look-ups are under way on it."""

    __slots__ = ("opened", "resolver", "under_way")

    def __init__(self, resolver: aiodns.DNSResolver, opened: float) -> None:
        self.resolver = resolver
        self.opened = opened
        self.under_way = 0


class _AresServer:
    """A server, or those of the system, by c-ares.

    That has a memory of its own, up to an hour even for an empty answer, and pycares has no switch
    for it. It goes with its channel, so a channel is used no longer than we would remember any
    answer ourselves.
    """

    def __init__(
        self, servers: list[str] | None, options: DnsOptions, clock: Callable[[], float]
    ) -> None:
        self._named = servers
        self._timeout = min(options.patience, options.timeout)
        self._keep = min(options.max_ttl, options.negative_ttl)
        self._clock = clock
        self._channel = self._open()

    async def look_up(self, host: str) -> Resolved:
        async with self._lent() as resolver:
            found = await _query(resolver, host, "A")
            return found if found.addresses else await _query(resolver, host, "AAAA", last=True)

    async def look_further(self, host: str) -> Resolved:
        async with self._lent() as resolver:
            return await _query(resolver, host, "AAAA", last=True)

    async def close(self) -> None:
        await self._channel.resolver.close()

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[aiodns.DNSResolver]:
        channel = await self._current()
        channel.under_way += 1
        try:
            yield channel.resolver
        finally:
            channel.under_way -= 1
            if channel is not self._channel and not channel.under_way:
                await channel.resolver.close()

    async def _current(self) -> _Channel:
        old = self._channel
        if self._clock() - old.opened < self._keep:
            return old
        self._channel = self._open()
        if not old.under_way:  # else whoever is the last to use it closes it
            await old.resolver.close()
        return self._channel

    def _open(self) -> _Channel:
        resolver = aiodns.DNSResolver(nameservers=self._named, timeout=self._timeout, tries=_TRIES)
        return _Channel(resolver, self._clock())


async def _query(
    resolver: aiodns.DNSResolver, host: str, kind: str, *, last: bool = False
) -> Resolved:
    try:
        answer = (await resolver.query_dns(host, kind)).answer
    except aiodns.error.DNSError as error:
        absent = error.args[0] in _ABSENT
        if error.args[0] == aiodns.error.ARES_ENODATA and not last:
            return Resolved(())
        raise FetchError(
            FailureKind.NO_SUCH_HOST if absent else FailureKind.NAME_SERVER, host
        ) from error
    addresses = tuple(record.data.addr for record in answer if isinstance(record.data, _ADDRESS))
    names = (record.data.cname for record in answer if isinstance(record.data, CNAMERecordData))
    aliases = tuple(islice(filter(_NAME.fullmatch, names), _MAX_ALIASES))
    if not addresses and last:
        raise FetchError(FailureKind.NO_SUCH_HOST, host)
    return Resolved(addresses, aliases, float(min((record.ttl for record in answer), default=0)))


class _SystemServer:
    """The system's own resolver, which also knows files and local names; it says nothing of
    lifetimes.
    """

    async def look_up(self, host: str) -> Resolved:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            absent = error.errno in (
                socket.EAI_NONAME,
                getattr(socket, "EAI_NODATA", socket.EAI_NONAME),
            )
            raise FetchError(
                FailureKind.NO_SUCH_HOST if absent else FailureKind.NAME_SERVER, host
            ) from error
        except (UnicodeError, OSError) as error:
            raise FetchError(FailureKind.NO_SUCH_HOST, host) from error
        return Resolved(tuple(dict.fromkeys(str(place[4][0]) for place in found)))

    async def look_further(self, host: str) -> Resolved:
        raise FetchError(FailureKind.NO_SUCH_HOST, host)  # it has said all

    async def close(self) -> None:
        pass


def _servers(options: DnsOptions, clock: Callable[[], float]) -> list[Server]:
    """Those that were named; else the system's, and its own resolver should they fail."""
    if options.servers:
        return [_named(server, options, clock) for server in options.servers]
    return [_AresServer(None, options, clock), _SystemServer()]


def _named(server: str, options: DnsOptions, clock: Callable[[], float]) -> Server:
    try:
        return _AresServer([server], options, clock)
    except AresError as error:
        raise BadInputError(
            f"dns.servers: {server[:100]!r} is not the address of a name server, such as "
            "192.0.2.53 or "
            "192.0.2.53:5353."
        ) from error
