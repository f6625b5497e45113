"""What a redirect asks for next, and the one loop that follows redirects of a single request.

A crawl follows redirects in `fetcher`, with a turn at each host and a memory of pages; forms and
search sources do so here (RFC 9110, section 15.4).
"""

from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from motherlode.fetch.failures import FailureKind
from motherlode.fetch.web import FetchError, Request, Response
from motherlode.urls import UrlError, UrlRules, address

MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_REPEATS = frozenset({307, 308})  # they keep the method and the body
# Of forms and services: only the spelling is made canonical, no parameter is dropped.
EXACT_URLS = UrlRules(tracking_parameters=(), session_parameters=(), max_url=8_000)

Send = Callable[[Request], Awaitable[Response]]


def next_request(request: Request, response: Response) -> Request | None:
    """Return the request that a redirect asks for; None: the response is no redirect.

    A POST becomes a GET without a body by 301, 302 and 303, and is repeated by 307 and 308 at its
    own origin only, or at the same host over TLS: what was typed for one host is not handed to
    another. Headers stay with their origin, too. Raises `FetchError` if nothing may be asked.
    """
    location = response.header("location") if response.status in REDIRECTS else ""
    if not location:
        return None
    try:
        url = address(location, request.url, EXACT_URLS).url
    except UrlError as error:
        raise FetchError(FailureKind.BAD_REDIRECT, request.url, f"no URL: {error.kind}") from error
    same_origin = _origin(url) == _origin(request.url)
    headers = request.headers if same_origin else ()
    if request.method == "GET" or response.status not in _REPEATS:
        return Request(url, headers, request.types, request.cut)
    if not same_origin and url.split("/", 3)[:3] != _over_tls(request.url):
        detail = f"status {response.status} would hand the form to {_origin(url)}"
        raise FetchError(FailureKind.BAD_REDIRECT, request.url, detail)
    return replace(request, url=url, headers=headers)


async def follow_redirects(request: Request, send: Send) -> Response:
    """Return the response at the end of at most `MAX_REDIRECTS` redirects.

    Each request goes out by `send`, which keeps to robots.txt, turns and limits. Raises
    `FetchError`.
    """
    here = request
    for _ in range(MAX_REDIRECTS + 1):
        response = await send(here)
        following = next_request(here, response)
        if following is None:
            return response
        here = following
    raise FetchError(FailureKind.REDIRECTS, request.url, f"more than {MAX_REDIRECTS}")


def _over_tls(url: str) -> list[str]:
    """Return scheme and authority of a URL, by TLS where it has none and names no port."""
    scheme, empty, authority = url.split("/", 3)[:3]
    return ["https:" if ":" not in authority else scheme, empty, authority]


def _origin(url: str) -> str:
    """Return scheme and authority of a canonical URL."""
    return "/".join(url.split("/", 3)[:3])
