"""A socket to the first of a host's addresses that answers, within the time for one connection.

An address that takes long is not given up: the next is tried beside it. Addresses beyond those that came with
the name (IPv6, where there is IPv4) are asked for only when all of these have failed or take long, so that
most hosts cost one question to a name server and one connection.
"""

import asyncio
import errno
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence

from motherlode.fetch.failures import Kind

_MOST = 3  # addresses that are tried of those that came with a name, and of the others
_PARTS = 5  # of the time there is; after one of them, the next address is tried as well
_OURS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL})
_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})

Further = Callable[[], Awaitable[Sequence[str]]]


class UnreachedError(Exception):
    """Nobody has answered; `kind` and `address` are of the address whose failure says most."""

    def __init__(self, kind: Kind, address: str) -> None:
        super().__init__(f"{address}: {kind}")
        self.kind = kind
        self.address = address


async def reach(
    addresses: Sequence[str], port: int, further: Further, seconds: float
) -> tuple[socket.socket, str]:
    """A socket, and the address that it leads to. Raises `UnreachedError`."""
    attempts = _Attempts(addresses[:_MOST], port, further)
    try:
        async with asyncio.timeout(seconds):
            found = await attempts.first(seconds / _PARTS)
    except TimeoutError:
        found = None
    finally:
        attempts.end()
    if found is None:
        raise attempts.failure()
    return found


class _Attempts:
    """Connections that are under way, by their addresses."""

    def __init__(self, addresses: Sequence[str], port: int, further: Further) -> None:
        self._port = port
        self._waiting = list(addresses)
        self._further = further
        self._look: asyncio.Task[Sequence[str]] | None = None
        self._tried: dict[str, asyncio.Task[socket.socket]] = {}
        self._found: asyncio.Task[socket.socket] | None = None

    async def first(self, patience: float) -> tuple[socket.socket, str] | None:
        """The first that answers; None: none does."""
        under_way: set[asyncio.Task[socket.socket] | asyncio.Task[Sequence[str]]] = set()
        while (begun := self._begin()) is not None or under_way:
            if begun is not None:
                under_way.add(begun)
            limit = None if begun is None else patience
            done, under_way = await asyncio.wait(
                under_way, timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
            for address, task in self._tried.items():
                if task in done and task.exception() is None:
                    self._found = task
                    return task.result(), address
            if self._look in done:
                self._waiting += [one for one in self._look.result() if one not in self._tried][:_MOST]
        return None

    def _begin(self) -> "asyncio.Task[socket.socket] | asyncio.Task[Sequence[str]] | None":
        """The next thing to try; None: there is nothing left."""
        if self._waiting:
            address = self._waiting.pop(0)
            task = self._tried[address] = asyncio.create_task(_connected(address, self._port))
            return task
        if self._look is None:
            self._look = asyncio.create_task(_listed(self._further))
            return self._look
        return None

    def end(self) -> None:
        """Give up all but the one that was found."""
        if self._look is not None:
            self._look.cancel()
        for task in self._tried.values():
            if not task.cancel() and task is not self._found and task.exception() is None:
                task.result().close()

    def failure(self) -> UnreachedError:
        return _telling({address: _kind_of(task) for address, task in self._tried.items()})


async def _connected(address: str, port: int) -> socket.socket:
    plug = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        plug.setblocking(False)  # noqa: FBT003 - its own
        plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(plug, (address, port))
    except BaseException:
        plug.close()
        raise
    return plug


async def _listed(further: Further) -> Sequence[str]:
    return await further()


def _telling(kinds: Mapping[str, Kind]) -> UnreachedError:
    """The first failure, unless it is that there is no way there at all, as to IPv6 from many machines."""
    telling = [(kind, address) for address, kind in kinds.items() if kind is not Kind.UNREACHABLE]
    unreachable = [(Kind.UNREACHABLE, address) for address in kinds]
    return UnreachedError(*(telling or unreachable or [(Kind.NO_SUCH_HOST, "")])[0])


def _kind_of(task: "asyncio.Task[socket.socket]") -> Kind:
    """Why an attempt was in vain; what is still under way came too late."""
    error = task.exception() if task.done() and not task.cancelled() else TimeoutError()
    if isinstance(error, TimeoutError):
        return Kind.CONNECT_TIMEOUT
    number = error.errno if isinstance(error, OSError) else None
    if number in _OURS:
        return Kind.LOCAL
    return Kind.UNREACHABLE if number in _NO_WAY else Kind.REFUSED
