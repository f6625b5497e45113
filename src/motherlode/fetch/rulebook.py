"""robots.txt of every host that is visited: fetched, kept, and asked before each fetch (RFC 9309)."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from logging import getLogger
from time import time

from motherlode.fetch.failures import Kind
from motherlode.fetch.options import RobotsOptions
from motherlode.fetch.robots import ALLOW_ALL, Robots, parse_robots
from motherlode.fetch.web import FetchError, Request, Response, Web
from motherlode.records import RobotsFile
from motherlode.urls import UrlError, address, host_of

MAX_BYTES = 500 * 1024
_MAX_HOPS = 5  # RFC 9309, section 2.3.1.2
_REMEMBERED = 20_000
_TOO_MANY = 429
_log = getLogger("motherlode.robots")


class RuleBook:
    """Rules by origin. `load` finds what an earlier run kept; what is new is handed over with its batch."""

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
        self._agent = agent
        self._load = load
        self._clock = clock
        self._files: OrderedDict[str, tuple[RobotsFile, Robots | None]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[tuple[RobotsFile, Robots | None]]] = {}
        self._changed: dict[str, RobotsFile] = {}
        self._ignored: set[str] = set()

    async def rules_for(self, url: str) -> Robots:
        """What a URL's host says to us. Raises `FetchError` if that cannot be found out now."""
        if self.ignores(host_of(url)):
            return ALLOW_ALL
        origin = origin_of(url)
        known = self._files.get(origin)
        if known is None or known[0].expires_at <= self._clock():
            known = await self._asked(origin)
        else:
            self._files.move_to_end(origin)
        if known[1] is None:
            raise FetchError(Kind.ROBOTS_UNREACHABLE, url, f"status {known[0].status}")
        return known[1]

    def ignores(self, host: str) -> bool:
        """Whether robots.txt is not kept to at a host; said once in the log."""
        ignored = not self._options.obey or any(_fits(host, told) for told in self._options.ignore)
        if ignored and host not in self._ignored:
            self._ignored.add(host)
            _log.warning("robots.txt of %s is not kept to, as the configuration says", host)
        return ignored

    def delay_of(self, url: str) -> float | None:
        """The crawl-delay that a host asks for, as far as is known."""
        known = self._files.get(origin_of(url))
        return known[1].delay if known is not None and known[1] is not None else None

    def changed(self) -> list[RobotsFile]:
        """The files that were fetched since this was last asked."""
        changed, self._changed = self._changed, {}
        return list(changed.values())

    async def _asked(self, origin: str) -> tuple[RobotsFile, Robots | None]:
        """Several fetches from one host wait for one robots.txt."""
        task = self._asking.get(origin)
        if task is None:
            task = self._asking[origin] = asyncio.create_task(self._ask(origin))
            task.add_done_callback(lambda _: self._asking.pop(origin, None))
        return await asyncio.shield(task)

    async def _ask(self, origin: str) -> tuple[RobotsFile, Robots | None]:
        kept = self._load(origin) if origin not in self._files else self._files[origin][0]
        if kept is not None and kept.expires_at > self._clock():
            return self._remember(kept)
        response = await self._fetch(f"{origin}/robots.txt")
        now = self._clock()
        status = response.status if response is not None else 404
        if status == _TOO_MANY or status >= 500:  # noqa: PLR2004 - the server's class of errors
            # What was known before still holds, if anything was; else nothing is allowed for a while.
            body, status = (kept.body, kept.status) if kept is not None else (None, status)
            file = RobotsFile(origin, status, body, now, now + self._options.retry)
        else:
            body = response.body if response is not None and response.ok else b""
            file = RobotsFile(origin, status, body, now, now + self._options.keep)
        self._changed[origin] = file
        return self._remember(file)

    async def _fetch(self, url: str) -> Response | None:
        """robots.txt, wherever it lies; None: nowhere that can be reached."""
        for _ in range(_MAX_HOPS + 1):
            response = await self._web.fetch(Request(url, cut=MAX_BYTES))
            location = response.header("location")
            if not 300 <= response.status < 400 or not location:  # noqa: PLR2004 - the class of redirects
                return response
            try:
                url = address(location, url).url
            except UrlError:
                return None
        return None

    def _remember(self, file: RobotsFile) -> tuple[RobotsFile, Robots | None]:
        robots = (
            None if file.body is None else parse_robots(file.body, self._agent) if file.body else ALLOW_ALL
        )
        self._files[file.origin] = known = (file, robots)
        self._files.move_to_end(file.origin)
        while len(self._files) > _REMEMBERED:
            self._files.popitem(last=False)
        return known


def origin_of(url: str) -> str:
    """Scheme and authority of a canonical URL.

    >>> origin_of("https://a.test:8443/b?c")
    'https://a.test:8443'
    """
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


def _fits(host: str, pattern: str) -> bool:
    if pattern.startswith("*."):
        return host == pattern[2:] or host.endswith(pattern[1:])
    return pattern in (host, "*")
