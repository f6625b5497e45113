"""A session with forms: the page of a form, its submission and the pages of results after it.

One place for requests that are no part of a crawl: each goes out in its host's turn, after its
robots.txt was asked, with the cookies of the session, and redirects are followed.
"""

from dataclasses import dataclass, field
from typing import Any

from motherlode.fetch.cookie_jar import CookieJar, CookieWeb
from motherlode.fetch.failures import FailureKind, of_status
from motherlode.fetch.politeness.rate_limiter import RateLimiter  # noqa: TC001 - the fields of a dataclass are looked up
from motherlode.fetch.redirects import follow_redirects
from motherlode.fetch.response_headers import retry_after
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.fetch.web import FetchError, Request, Response, Web
from motherlode.urls import host_of

_HOLD_S = 30.0  # where a host that is busy does not say how long
_MAX_HOLD_S = 86_400.0
_BUSY = frozenset({FailureKind.TOO_MANY, FailureKind.UNAVAILABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class FormSession:
    """Sends requests one after another; its cookies live as long as it does.

    `courtesy` and `rulebook` may be those of a crawl, so that both share turns and robots.txt.
    """

    web: Web
    courtesy: "RateLimiter[Any]"
    rulebook: RobotsCache
    cookies: CookieJar = field(default_factory=CookieJar)

    async def send(self, request: Request) -> Response:
        """Return the response at the end of all redirects, whatever its status.

        Raises `FetchError`, also where robots.txt forbids a URL on the way; that URL is not asked.
        A host that answers 429 or 503 is left alone, and nothing is sent to it again from here.
        """
        return await follow_redirects(request, self._send_in_turn)

    async def _send_in_turn(self, request: Request) -> Response:
        host, seconds, delay = host_of(request.url), None, None
        await self.courtesy.turn(host)
        try:
            robots = await self.rulebook.rules_for(request.url)
            delay = robots.delay
            if robots.rules and not robots.allows(request.url):
                raise FetchError(FailureKind.ROBOTS, request.url)
            seconds = 0.0
            response = await CookieWeb(self.web, self.cookies).fetch(request)
            seconds = response.seconds
            self._note(response, host)
        finally:
            self.courtesy.release(host, seconds, delay)
        return response

    def _note(self, response: Response, host: str) -> None:
        """Leave a host alone that asks for it."""
        if of_status(response.status) in _BUSY:
            asked = retry_after(response)
            self.courtesy.hold(host, _HOLD_S if asked is None else min(asked, _MAX_HOLD_S))
