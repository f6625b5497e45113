"""A web that asks robots.txt before each request."""

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.fetch.web import FetchError, Request, Response, Web


class RobotsWeb:
    """A web whose forbidden URLs fail as `FailureKind.ROBOTS`, and are not asked for."""

    def __init__(self, web: Web, rulebook: RobotsCache) -> None:
        self._web = web
        self._rulebook = rulebook

    async def fetch(self, request: Request) -> Response:
        robots = await self._rulebook.rules_for(request.url)
        if robots.rules and not robots.allows(request.url):
            raise FetchError(FailureKind.ROBOTS, request.url)
        return await self._web.fetch(request)

    def expect(self, host: str) -> None:
        self._web.expect(host)
