"""A web that says what a test tells it to, on the loop's time; and a fetcher that goes out into it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from motherlode.fetch import FetchError, PolitenessOptions, Request, Response, RobotsOptions
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.fetcher import Fetched, Fetcher
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.urls import address, host_of, registrable_domain

AGENT = "motherlode"
POLITE = PolitenessOptions()
# A page's text; a status, with headers and a body; a failure; or whatever a request brings.
Plain = str | FailureKind | int | tuple[int, dict[str, str]] | tuple[int, dict[str, str], bytes]
Said = Plain | Callable[[Request], Plain]


def now() -> float:
    return asyncio.get_running_loop().time()


def moved(target: str, status: int = 302) -> tuple[int, dict[str, str]]:
    return status, {"Location": target}


def in_turn(*said: Plain) -> Callable[[Request], Plain]:
    """One thing after another, the last for ever."""
    left = list(said)
    return lambda _request: left.pop(0) if len(left) > 1 else left[0]


class ScriptedWeb:
    """Each answer takes `seconds`. It remembers who was asked when, and how many were at once."""

    def __init__(self, pages: Mapping[str, Said], seconds: float = 0.0, address: str = "") -> None:
        self.pages = dict(pages)
        self.seconds = seconds
        self.address = address
        self.asked: list[tuple[float, str]] = []
        self.most: Counter[str] = Counter()  # at once, by host and by domain
        self._at_once: Counter[str] = Counter()

    def expect(self, host: str) -> None:
        pass

    async def fetch(self, request: Request) -> Response:
        host, began = host_of(request.url), now()
        self.asked.append((began, request.url))
        places = {f"host {host}", f"domain {registrable_domain(host)}"}
        self._at_once.update(places)
        self.most |= self._at_once
        try:
            await asyncio.sleep(self.seconds)
            return self._response(request, began)
        finally:
            self._at_once.subtract(places)

    def urls(self) -> list[str]:
        """What was asked for, robots.txt aside."""
        return [url for _, url in self.asked if not url.endswith("/robots.txt")]

    def times(self, host: str) -> list[float]:
        return [
            at for at, url in self.asked if host_of(url) == host and not url.endswith("/robots.txt")
        ]

    def _response(self, request: Request, began: float) -> Response:
        said = self.pages.get(request.url, 404)
        plain = said(request) if callable(said) else said
        if isinstance(plain, FailureKind):
            raise FetchError(plain, request.url)
        status, headers, body = _parts(plain)
        seconds = now() - began
        mime = "text/html" if body else ""
        return Response(
            request.url,
            status,
            headers,
            body[: request.cut or None],
            began,
            seconds,
            self.address,
            mime,
        )


def _parts(plain: Plain) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
    if isinstance(plain, str):
        return 200, (("Content-Type", "text/html"),), plain.encode()
    if isinstance(plain, int):
        return plain, (), b""
    status, headers, *body = plain
    return int(status), tuple(headers.items()), body[0] if body else b""


def fetcher(
    web: ScriptedWeb,
    options: PolitenessOptions = POLITE,
    **parts: Any,
) -> Fetcher:
    """A fetcher by the loop's clock. Where the web has no robots.txt, everything may be fetched."""
    robots = parts.pop("robots", RobotsOptions())
    courtesy: RateLimiter[str] = RateLimiter(options)
    rulebook = RobotsCache(web, robots, AGENT, clock=now)
    return Fetcher(web=web, courtesy=courtesy, rulebook=rulebook, clock=now, **parts)


async def fetch(given: Fetcher, url: str, attempts: int = 1) -> Fetched:
    """Wait for a turn, and fetch."""
    found = address(url)
    await given.courtesy.turn(found.host)
    return await given.fetch(found, attempts=attempts)


def numbered(pattern: str, count: int) -> Iterator[str]:
    return (pattern.format(number) for number in range(count))
