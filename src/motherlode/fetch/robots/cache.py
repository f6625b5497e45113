"""robots.txt of every host that is visited: fetched, kept, and asked before each fetch
(RFC 9309).
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from logging import getLogger
from time import time

from msgspec.structs import replace

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.options import RobotsOptions
from motherlode.fetch.reachability import Reachability
from motherlode.fetch.response_headers import retry_after
from motherlode.fetch.robots.rules import ALLOW_ALL, Robots, parse_robots
from motherlode.fetch.web import FetchError, Request, Response, Web
from motherlode.records import RobotsFile
from motherlode.urls import UrlError, address, host_of

MAX_BYTES = 500 * 1024
_MAX_HOPS = 5  # RFC 9309, section 2.3.1.2
_REMEMBERED = 20_000  # hosts
_MEMORY = (
    20 * 2**20
)  # bytes of all files that are remembered; their rules take several times as much
_UPKEEP = 1000  # bytes that a file takes besides its own, about
_TOO_MANY = 429
_DAY = 86_400.0  # seconds; nobody is left alone for longer
SCHEME = 8  # characters; that of http is shorter by one, and no host is empty
_log = getLogger("motherlode.robots")


_Known = tuple[RobotsFile, Robots | None]


class _Asking:
    """A robots.txt that is under way, and how many wait for it."""

    __slots__ = ("task", "waiting")

    def __init__(self, task: asyncio.Task[_Known]) -> None:
        self.task = task
        self.waiting = 0


class RobotsCache:
    """Rules by origin. `load` finds what an earlier run kept; what is new is handed over with its
    batch.
    """

    def __init__(
        self,
        web: Web,
        options: RobotsOptions,
        agent: str,
        load: Callable[[str], RobotsFile | None] = lambda _origin: None,
        clock: Callable[[], float] = time,
    ) -> None:
        self._web = web
        self._options = options
        self._excepting = not options.obey or bool(options.ignore)
        self._agent = agent
        self._load = load
        self._clock = clock
        self._files: OrderedDict[str, _Known] = OrderedDict()
        self._room = _MEMORY
        self._asking: dict[str, _Asking] = {}
        self._changed: dict[str, RobotsFile] = {}
        self._ignored: set[str] = set()
        self.reachability = Reachability()  # of the web that both this and the fetcher use

    async def rules_for(self, url: str) -> Robots:
        """What a URL's host says to us. Raises `FetchError` if that cannot be found out now."""
        robots = self.rules_at_hand(url)
        if robots is not None:
            return robots
        origin = origin_of(url)
        known = self._fresh(origin) or await self._asked(origin)
        if known[1] is None:
            wait = known[0].expires_at - self._clock()
            raise FetchError(FailureKind.ROBOTS_UNREACHABLE, url, f"status {known[0].status}", wait)
        return known[1]

    def rules_at_hand(self, url: str) -> Robots | None:
        """The same without waiting, as it is for nearly every fetch; None: `rules_for`
        knows more.
        """
        if self._excepting and self.ignores(host_of(url)):
            return ALLOW_ALL
        known = self._fresh(origin_of(url))
        return None if known is None else known[1]

    def ignores(self, host: str) -> bool:
        """Whether robots.txt is not kept to at a host; said once in the log."""
        ignored = is_ignored(host, self._options)
        if ignored and host not in self._ignored:
            if len(self._ignored) >= _REMEMBERED:
                self._ignored.clear()
            self._ignored.add(host)
            _log.warning("robots.txt of %s is not kept to, as the configuration says", host)
        return ignored

    def know(self, file: RobotsFile) -> None:
        """Take a file as read, whatever was kept of it."""
        self._remember(file)

    def changed(self) -> list[RobotsFile]:
        """The files that were fetched since this was last asked."""
        changed, self._changed = self._changed, {}
        return list(changed.values())

    def _fresh(self, origin: str) -> _Known | None:
        known = self._files.get(origin)
        if known is None or known[0].expires_at <= self._clock():
            return None
        self._files.move_to_end(origin)
        return known

    async def _asked(self, origin: str) -> _Known:
        """Several fetches from one host wait for one robots.txt; once nobody does, it is not asked
        for.
        """
        asking = self._asking.get(origin)
        if asking is None:
            asking = self._asking[origin] = _Asking(asyncio.create_task(self._ask(origin)))
        asking.waiting += 1
        try:
            return await asyncio.shield(asking.task)
        finally:
            asking.waiting -= 1
            if not asking.waiting:
                asking.task.cancel()
                del self._asking[origin]

    async def _ask(self, origin: str) -> _Known:
        kept = self._files[origin][0] if origin in self._files else self._load(origin)
        if kept is not None and kept.expires_at > self._clock():
            return self._remember(kept)
        try:
            response = await self._fetch(f"{origin}/robots.txt")
        except FetchError:
            if kept is None or kept.body is None:
                raise
            return self._learn(_still(kept, self._clock(), self._options.retry))
        now = self._clock()
        status = response.status if response is not None else 404
        if status == _TOO_MANY or status >= 500:  # noqa: PLR2004 - the server's class of errors
            # Nothing is allowed for a while, unless something was known before.
            kept = (
                RobotsFile(origin, status, None, now, now)
                if kept is None or kept.body is None
                else kept
            )
            asked_for = (retry_after(response) if response is not None else None) or 0.0
            return self._learn(_still(kept, now, max(self._options.retry, min(asked_for, _DAY))))
        body = response.body if response is not None and response.ok else b""
        return self._learn(RobotsFile(origin, status, body, now, now + self._options.keep))

    def _learn(self, file: RobotsFile) -> _Known:
        self._changed[file.origin] = file
        return self._remember(file)

    async def _fetch(self, url: str) -> Response | None:
        """robots.txt, wherever it lies; None: nowhere that can be reached."""
        first = host_of(url)
        for _ in range(_MAX_HOPS + 1):
            try:
                response = await self._web.fetch(Request(url, cut=MAX_BYTES))
                self.reachability.note_answer()
            except FetchError as error:
                if host_of(url) == first:
                    raise
                if error.kind == FailureKind.FORBIDDEN_ADDRESS:
                    return None
                # Another host's fault is not this one's: it is not to become bad for it.
                raise FetchError(FailureKind.ROBOTS_UNREACHABLE, url, error.kind) from error
            location = response.header("location")
            if not 300 <= response.status < 400 or not location:  # noqa: PLR2004 - the class of redirects
                return response
            try:
                url = address(location, url).url
            except UrlError:
                return None
        return None

    def _remember(self, file: RobotsFile) -> _Known:
        robots = (
            None
            if file.body is None
            else parse_robots(file.body, self._agent)
            if file.body
            else ALLOW_ALL
        )
        if file.origin in self._files:
            self._room += _weight(self._files.pop(file.origin)[0])
        self._files[file.origin] = known = (file, robots)
        self._room -= _weight(file)
        while self._room < 0:
            self._room += _weight(self._files.popitem(last=False)[1][0])
        return known


def origin_of(url: str) -> str:
    """Scheme and authority of a canonical URL.

    >>> origin_of("https://a.test:8443/b?c")
    'https://a.test:8443'
    """
    end = url.find("/", SCHEME)
    return url if end < 0 else url[:end]


def _still(kept: RobotsFile, now: float, seconds: float) -> RobotsFile:
    """What was known before, for a while longer."""
    return replace(kept, expires_at=now + seconds)


def _weight(file: RobotsFile) -> int:
    return len(file.body or b"") + _UPKEEP


def is_ignored(host: str, options: RobotsOptions) -> bool:
    """Whether a person lets us pass over the robots.txt of a host."""
    return not options.obey or any(_fits(host, told) for told in options.ignore)


def _fits(host: str, pattern: str) -> bool:
    if pattern.startswith("*."):
        return host == pattern[2:] or host.endswith(pattern[1:])
    return pattern in (host, "*")
