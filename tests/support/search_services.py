"""Search services for tests: a web that answers as told, and a clock that only sleep moves."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from motherlode.app.services.open_sources import SourceAnswer, open_sources
from motherlode.fetch import FetchError, Request, Response
from motherlode.fetch.failures import FailureKind
from motherlode.portal.config_reader import default_config
from motherlode.sources.search.pace import RequestPace

# A JSON value; a body with its type; a status with headers and a body; or a failure.
Reply = dict[str, Any] | tuple[str, str | bytes] | tuple[int, dict[str, str], str] | FailureKind


class StoppedClock:
    """Seconds that only `sleep` moves."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class SearchService:
    """A web in which every URL gets the next reply, the last one for ever; or what a function returns."""

    def __init__(
        self, *replies: Reply | Callable[[str], Reply], clock: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._replies = list(replies)
        self._clock = clock
        self.requests: list[Request] = []
        self.times: list[float] = []

    @property
    def urls(self) -> list[str]:
        return [request.url for request in self.requests]

    def expect(self, host: str) -> None:
        pass

    async def fetch(self, request: Request) -> Response:
        self.requests.append(request)
        self.times.append(self._clock())
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if callable(reply) and not isinstance(reply, FailureKind):
            reply = reply(request.url)
        if isinstance(reply, FailureKind):
            raise FetchError(reply, request.url)
        return response_of(request.url, reply)


def response_of(url: str, reply: Any) -> Response:
    if isinstance(reply, dict):
        reply = ("application/json", msgspec.json.encode(reply))
    status, headers, body = (
        reply if len(reply) == 3 else (200, {"Content-Type": reply[0]}, reply[1])
    )
    data = body.encode() if isinstance(body, str) else body
    mime = headers.get("Content-Type", "").partition(";")[0]
    return Response(url, status, tuple(headers.items()), data, 0.0, 0.0, mime=mime)


def asked(
    source: str,
    service: SearchService,
    *settings: str,
    query: str = "barn owls",
    wanted: int = 5,
    clock: StoppedClock | None = None,
) -> SourceAnswer:
    """What a source returns, by way of the service alone."""
    return asked_often(source, service, [query], *settings, wanted=wanted, clock=clock)[0]


def asked_often(
    source: str,
    service: SearchService,
    queries: list[str],
    *settings: str,
    wanted: int = 5,
    clock: StoppedClock | None = None,
) -> list[SourceAnswer]:
    """What a source returns for one query after another."""
    clock = clock or StoppedClock()
    config = default_config(["crawler.contact=me@example.org", *settings])

    async def ask() -> list[SourceAnswer]:
        pace = RequestPace(clock, clock.sleep)
        async with open_sources(config, source.split(), web=service, pace=pace) as sources:
            return [await sources.search(query, wanted) for query in queries]

    return asyncio.run(ask())


def parameters_of(url: str) -> Mapping[str, str]:

    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
