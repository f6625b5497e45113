"""A socket to the first of a host's addresses that answers, within the time for one connection.

Nearly always that is the first of them, so nothing else is prepared before it has failed or takes
long. Then the others are tried, each beside those before it; then further ones are asked for (of
IPv6, where there is IPv4); at last the first is tried again, if it took long. So most hosts cost
one question to a name server and one connection.
"""

import asyncio
import errno
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence

from motherlode.fetch.failures import FailureKind

_MOST = 3  # addresses that are tried of those that came with a name, and of the further ones
_PARTS = 5  # of the time there is; after one of them, the next is tried as well
_OURS = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL})
_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})

Further = Callable[[], Awaitable[Sequence[str]]]


class UnreachedError(Exception):
    """Nobody has answered; `kind` and `address` are of the address whose failure says most."""

    def __init__(self, kind: FailureKind, address: str) -> None:
        super().__init__(f"{address}: {kind}")
        self.kind = kind
        self.address = address


async def reach(
    addresses: Sequence[str], port: int, further: Further, seconds: float
) -> tuple[socket.socket, str]:
    """A socket, and the address that it leads to. Raises `UnreachedError`."""
    first, *others = addresses[:_MOST]
    patience = seconds / _PARTS
    limit = asyncio.timeout(patience)
    try:
        async with limit:
            return await _connected(first, port), first
    except OSError as error:  # TimeoutError is one
        attempts = _Attempts(others, port, further)
        attempts.begin_with(first, _kind_of(error))
    try:
        async with asyncio.timeout_at((limit.when() or 0.0) - patience + seconds):
            return await attempts.next(patience)
    except TimeoutError:
        raise attempts.failure() from None
    finally:
        attempts.end()


class _Attempts:
    """Connections that are under way, by their addresses."""

    def __init__(self, addresses: Sequence[str], port: int, further: Further) -> None:
        self._port = port
        self._waiting = list(addresses)
        self._further = further
        self._again: list[str] = []
        self._look: asyncio.Task[Sequence[str]] | None = None
        self._tried: dict[str, asyncio.Task[socket.socket]] = {}
        self._kinds: dict[str, FailureKind] = {}  # of failures
        self._found: asyncio.Task[socket.socket] | None = None

    def begin_with(self, first: str, kind: FailureKind) -> None:
        """The first has failed, or takes long."""
        self._kinds[first] = kind
        self._again = [first] if kind is FailureKind.CONNECT_TIMEOUT else []

    async def next(self, patience: float) -> tuple[socket.socket, str]:
        """The next that answers. Raises `UnreachedError` if none does."""
        under_way: set[asyncio.Task[socket.socket] | asyncio.Task[Sequence[str]]] = set()
        while (begun := self._begin()) is not None or under_way:
            if begun is not None:
                under_way.add(begun)
            limit = None if begun is None else patience
            done, under_way = await asyncio.wait(
                under_way, timeout=limit, return_when=asyncio.FIRST_COMPLETED
            )
            for address, task in self._tried.items():
                if task not in done:
                    continue
                error = task.exception()
                if error is None:
                    self._found = task
                    return task.result(), address
                self._kinds[address] = _kind_of(error)
            if self._look in done:
                known = self._tried.keys() | self._kinds.keys()
                self._waiting += [one for one in self._look.result() if one not in known][:_MOST]
        raise self.failure()

    def _begin(self) -> "asyncio.Task[socket.socket] | asyncio.Task[Sequence[str]] | None":
        """What to try next; None: nothing is left."""
        if not self._waiting and self._look is None:
            self._look = asyncio.create_task(_listed(self._further))
            return self._look
        waiting = self._waiting or self._again
        if not waiting:
            return None
        address = waiting.pop(0)
        task = self._tried[address] = asyncio.create_task(_connected(address, self._port))
        return task

    def end(self) -> None:
        """Give up all but the one that was found."""
        if self._look is not None:
            self._look.cancel()
        for task in self._tried.values():
            if not task.cancel() and task is not self._found and task.exception() is None:
                task.result().close()

    def failure(self) -> UnreachedError:
        """The first of all failures, unless it is that there is no way there, as to IPv6 from many
        machines; what is still under way came too late.
        """
        kinds: Mapping[str, FailureKind] = {
            **dict.fromkeys(self._tried, FailureKind.CONNECT_TIMEOUT),
            **self._kinds,
        }
        told = [
            address for address, kind in kinds.items() if kind is not FailureKind.UNREACHABLE
        ] or [*kinds]
        return UnreachedError(kinds[told[0]], told[0])


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


def _kind_of(error: BaseException) -> FailureKind:
    if isinstance(error, TimeoutError):
        return FailureKind.CONNECT_TIMEOUT
    number = error.errno if isinstance(error, OSError) else None
    if number in _OURS:
        return FailureKind.LOCAL
    return FailureKind.UNREACHABLE if number in _NO_WAY else FailureKind.REFUSED
