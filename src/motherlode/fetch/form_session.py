"""A session with forms: the page of a form, its submission and the pages of results after it.

One place for requests that are no part of a crawl: each goes out in its host's turn, after its
robots.txt was asked, with the cookies of the session, and redirects are followed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from motherlode.fetch.cookie_jar import CookieJar, CookieWeb
from motherlode.fetch.failures import FailureKind, of_status
from motherlode.fetch.politeness.rate_limiter import RateLimiter  # noqa: TC001 - the fields of a dataclass are looked up
from motherlode.fetch.redirects import EXACT_URLS, follow_redirects
from motherlode.fetch.response_headers import retry_after
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.fetch.web import FetchError, Request, Response, Web
from motherlode.urls import UrlError, address, host_of

NoteExchange = Callable[[Request, Response], None]
_HOLD_S = 30.0  # where a host that is busy does not say how long
_MAX_HOLD_S = 86_400.0
_SHOWN = 200  # characters of an address in a message
_BUSY = frozenset({FailureKind.TOO_MANY, FailureKind.UNAVAILABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class FormSession:
    """Sends requests one after another; its cookies live as long as it does.

    `courtesy` and `rulebook` may be those of a crawl, so that both share turns and robots.txt.
    `note_exchange` is called with each request and its response, redirects included: for archives.
    """

    web: Web
    courtesy: "RateLimiter[Any]"
    rulebook: RobotsCache
    cookies: CookieJar = field(default_factory=CookieJar)
    note_exchange: NoteExchange = lambda _request, _response: None

    async def send(self, request: Request) -> Response:
        """Return the response at the end of all redirects, whatever its status.

        The URL may be spelled as a page has it. Raises `FetchError`, also where robots.txt forbids
        a URL on the way; that URL is not asked. What fails is not sent again: a POST may have done
        its work. A host that answers 429 or 503 is left alone as long as it asks for.
        """
        try:
            url = address(request.url, None, EXACT_URLS).url
        except UrlError as error:
            detail = f"no URL: {error.kind}"
            raise FetchError(FailureKind.PROTOCOL, request.url[:_SHOWN], detail) from error
        return await follow_redirects(replace(request, url=url), self._send_in_turn)

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
            self.note_exchange(request, response)
            self._leave_alone_if_busy(host, response)
        finally:
            self.courtesy.release(host, seconds, delay)
        return response

    def _leave_alone_if_busy(self, host: str, response: Response) -> None:
        """Leave a host alone that asks for it."""
        if of_status(response.status) in _BUSY:
            asked = retry_after(response)
            self.courtesy.hold(host, _HOLD_S if asked is None else min(asked, _MAX_HOLD_S))
