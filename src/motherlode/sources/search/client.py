"""Requests of a search source: its pace, its refusals, redirects, and the size of its answers.

robots.txt is not consulted: the user has configured each service, and calls it
(docs/decisions/2026-11-18-search-sources.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec
from msgspec.structs import replace

from motherlode.documents.mime import sniff_mime
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.redirects import EXACT_URLS, follow_redirects
from motherlode.fetch.response_headers import retry_after
from motherlode.fetch.web import FetchError, Headers, Request, Response, Web
from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.pace import RequestPace
from motherlode.urls import UrlError, address

MAX_ANSWER_BYTES = 10 * 2**20
_CUT = MAX_ANSWER_BYTES + 1
MAX_TRIES = 3
MAX_RETRY_WAIT_S = 30.0  # a longer Retry-After is a refusal
FIRST_RETRY_WAIT_S = 2.0  # where the service does not say how long; doubled each time
MAX_HOLD_S = 86_400.0
BUSY = frozenset({429, 503})
DENIED = frozenset({401, 403})
NOT_FOUND = frozenset({404, 410})
SERVER_ERROR = 500

Parameters = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchClient:
    """Sends the requests of one source; `interval` is the seconds between two to the same host.

    `key_variable` names the environment variable of the key, for messages.
    """

    name: str
    web: Web
    pace: RequestPace
    interval: float = 0.0
    key_variable: str = ""

    def error(self, problem: str, status: int = 0) -> SourceError:
        """Return an error; `problem` completes a sentence that begins with the source's name."""
        return SourceError(self.name, problem, status)

    async def get(self, url: str, parameters: Parameters = {}, headers: Headers = ()) -> Response:  # noqa: B006 - read only
        """Return a successful response; redirects are followed.

        `headers` may hold a key, so they go to no other host. Raises `SourceError`.
        """
        here = self._address(url, parameters)
        return await self.send(Request(here, headers, cut=_CUT))

    async def send(self, request: Request) -> Response:
        """Return the successful response to a GET or POST; redirects are followed.

        A POST is sent once: a service that is busy is not asked again. Raises `SourceError`.
        """
        url = self._resolved(request.url, None)
        bounded = replace(request, url=url, cut=min(request.cut or _CUT, _CUT))
        try:
            response = await follow_redirects(bounded, self._patient_fetch)
        except FetchError as error:
            raise self._misdirected(error) from error
        return self._checked(response)

    async def get_json(
        self,
        url: str,
        parameters: Parameters = {},  # noqa: B006 - read only
        headers: Headers = (),
    ) -> Any:
        """Return the JSON object of a successful response. Raises `SourceError`."""
        response = await self.get(url, parameters, headers)
        try:
            decoded = msgspec.json.decode(response.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            found = "an HTML page" if is_html(response) else "something that is no JSON"
            raise self.error(f"sent {found} where JSON was expected") from error
        if not isinstance(decoded, dict):
            raise self.unexpected()
        return decoded

    def unexpected(self) -> SourceError:
        """Return the error of an answer that is not built as documented."""
        return self.error("sent an answer of another form than documented; it may have changed")

    async def _patient_fetch(self, request: Request) -> Response:
        """Return the response; a service that is busy is asked again after a bounded time."""
        host = urlsplit(request.url).netloc
        wait = self.pace.held_for(host)
        for attempt in range(MAX_TRIES if request.method == "GET" else 1):
            if wait > MAX_RETRY_WAIT_S:
                break
            await self.pace.wait_for_turn(host, self.interval)
            response = await self._fetch(request)
            if response.status not in BUSY:
                return response
            asked = retry_after(response)
            wait = FIRST_RETRY_WAIT_S * 2**attempt if asked is None else min(asked, MAX_HOLD_S)
            self.pace.hold(host, wait)
        raise self.error(
            f"asks not to be called for another {wait:,.0f} s; "
            "its terms limit the number of requests"
        )

    async def _fetch(self, request: Request) -> Response:
        try:
            return await self.web.fetch(request)
        except FetchError as error:
            if error.kind == FailureKind.FORBIDDEN_ADDRESS:
                problem = (
                    "is on a private network, where requests are refused; "
                    "network.private=true allows them"
                )
                raise self.error(problem) from error
            if error.kind == FailureKind.ROBOTS:
                raise self.error("forbids its address to crawlers (robots.txt)") from error
            detail = f", {error.detail}" if error.detail else ""
            raise self.error(f"cannot be reached ({error.kind}{detail})") from error

    def _misdirected(self, error: FetchError) -> SourceError:
        """Return the error of redirects that cannot be followed."""
        if error.kind == FailureKind.REDIRECTS:
            return self.error("redirects again and again")
        if error.detail.endswith("URL too long"):
            return self.error("cannot take a query as long as this one")
        return self.error(f"redirects to an address that is not asked ({error.detail})")

    def _checked(self, response: Response) -> Response:
        status = response.status
        if status in DENIED:
            advice = f"; check the key in {self.key_variable}" if self.key_variable else ""
            raise self.error(f"refuses the request (status {status}){advice}", status)
        if status in NOT_FOUND:
            raise self.error(f"has nothing at its address (status {status}); check its url", status)
        if status >= SERVER_ERROR:
            raise self.error(f"fails (status {status}); try again later", status)
        if not response.ok:
            raise self.error(f"does not accept the request (status {status})", status)
        if len(response.body) > MAX_ANSWER_BYTES:
            raise self.error(f"sent more than {MAX_ANSWER_BYTES // 2**20} MB")
        return response

    def _address(self, url: str, parameters: Parameters) -> str:
        separator = "" if not parameters else "&" if "?" in url else "?"
        query = urlencode(parameters, errors="replace")
        return self._resolved(f"{url}{separator}{query}", None)

    def _resolved(self, reference: str, base: str | None) -> str:
        try:
            return address(reference, base, EXACT_URLS).url
        except UrlError as error:
            if error.kind == "URL too long":
                raise self.error("cannot take a query as long as this one") from error
            raise self.error(f"has an address that is no URL ({error.kind})") from error


def is_html(response: Response) -> bool:
    """Return whether a response is an HTML page, by its header and by how it begins."""
    return "html" in sniff_mime(response.body, response.header("content-type"))
