"""A session with forms against a sandbox: turns, robots.txt, cookies, tokens and redirects."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs

import pytest

from motherlode.crawl.exchanges import exchange_of_submission
from motherlode.fetch import (
    FetchError,
    NetworkOptions,
    PolitenessOptions,
    Request,
    Response,
    RobotsOptions,
)
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.form_session import FormSession
from motherlode.fetch.http import HttpWeb
from motherlode.fetch.politeness.rate_limiter import RateLimiter
from motherlode.fetch.robots.cache import RobotsCache
from motherlode.fetch.robots.robots_web import RobotsWeb
from motherlode.lab.clock import run_virtually
from motherlode.lab.recorded import RecordedWeb
from motherlode.lab.replay import Replay
from motherlode.lab.web import Answer, RequestHandler, SandboxRequest, html
from motherlode.sources.search.client import SearchClient
from motherlode.sources.search.errors import SourceError
from motherlode.sources.search.pace import RequestPace
from motherlode.store.archive import Archive, ArchiveOptions, Identity
from support.interactive_webs import HandledWeb, RecordingHandler, serving_web

T = TypeVar("T")
FORM = "application/x-www-form-urlencoded"
PORTAL, OTHER = "portal.test", "other.test"
EAGER = PolitenessOptions(delay=0.0, slowdown=0.0)


class TokenPortal:
    """A portal whose form has a token that holds once, for the session that it was given to."""

    def __init__(self) -> None:
        self.requests: list[SandboxRequest] = []
        self._tokens: dict[str, str] = {}

    def reply(self, request: SandboxRequest) -> Answer | None:
        self.requests.append(request)
        session = request.headers.get("cookie", "").removeprefix("session=")
        match request.method, request.path:
            case "GET", "/find":
                name = f"s{len(self._tokens)}"
                self._tokens[name] = f"t{len(self._tokens)}"
                answer = html(f'<input type="hidden" name="token" value="{self._tokens[name]}">')
                cookie = ("Set-Cookie", f"session={name}; Path=/; HttpOnly")
                return Answer(200, (*answer.headers, cookie), answer.body)
            case "POST", "/find":
                token = parse_qs(request.body.decode()).get("token", [""])[0]
                if not token or self._tokens.pop(session, "") != token:
                    return html("<p>This form is stale.", 403)
                self._tokens[session] = ""
                return Answer(303, (("Location", "/results?page=1"),))
            case "GET", "/results":
                known = session in self._tokens
                return html(f"<p>owls of {session}") if known else html("<p>Who is it?", 403)
        return None


def saying(*answers: Answer) -> RecordingHandler:
    """A host that gives one answer after another, the last for ever; its robots.txt is not there."""
    left = list(answers)

    def reply(request: SandboxRequest) -> Answer | None:
        if request.path == "/robots.txt":
            return None
        return left.pop(0) if len(left) > 1 else left[0]

    return RecordingHandler(reply)


def to(location: str, status: int) -> Answer:
    return Answer(status, (("Location", location),))


def post(body: bytes = b"q=owls", url: str = f"http://{PORTAL}/find") -> Request:
    return Request(url, method="POST", body=body, content_type=FORM)


def in_session(
    handlers: dict[str, RequestHandler], work: Callable[[FormSession], Awaitable[T]]
) -> T:
    """Do something in a session in which only the hosts with handlers are inside addresses."""

    async def run() -> T:
        async with AsyncExitStack() as stack:
            address = await stack.enter_async_context(serving_web(HandledWeb(handlers)))
            options = NetworkOptions(overrides=tuple(f"{host}={address}" for host in handlers))
            web = await stack.enter_async_context(HttpWeb(options, "tests"))
            session = FormSession(
                web=web,
                courtesy=RateLimiter(EAGER),
                rulebook=RobotsCache(web, RobotsOptions(), "tests"),
            )
            return await asyncio.wait_for(work(session), 20)

    return asyncio.run(run())


def sent(handlers: dict[str, RequestHandler], *requests: Request) -> list[Response | FetchError]:
    """What comes of some requests of one session."""

    async def outcome(session: FormSession, request: Request) -> Response | FetchError:
        try:
            return await session.send(request)
        except FetchError as error:
            return error

    async def work(session: FormSession) -> list[Response | FetchError]:
        return [await outcome(session, request) for request in requests]

    return in_session(handlers, work)


def asked(handler: RecordingHandler) -> list[tuple[str, str, bytes]]:
    """What a host was asked besides its robots.txt."""
    return [
        (request.method, request.target, request.body)
        for request in handler.requests
        if request.path != "/robots.txt"
    ]


def failure(result: Response | FetchError) -> str:
    assert isinstance(result, FetchError), result
    return result.kind


def status(result: Response | FetchError) -> int:
    assert isinstance(result, Response), result
    return result.status


# --- cookies and tokens ---------------------------------------------------------------------------------


def test_a_form_with_a_token_is_answered_after_its_page_was_fetched() -> None:
    portal = TokenPortal()

    assert in_session({PORTAL: portal}, search_with_token)[1:] == [b"<p>owls of s0"] * 2
    told = [
        (request.method, request.target, request.headers.get("cookie", ""))
        for request in portal.requests
        if request.path != "/robots.txt"
    ]
    assert told == [
        ("GET", "/find", ""),
        ("POST", "/find", "session=s0"),
        ("GET", "/results?page=1", "session=s0"),
        ("GET", "/results?page=2", "session=s0"),
    ]


def test_another_session_has_none_of_its_cookies() -> None:
    portal = TokenPortal()
    sent({PORTAL: portal}, Request(f"http://{PORTAL}/find"))
    (result,) = sent({PORTAL: portal}, post(b"q=owls&token=t0"))
    assert status(result) == 403
    assert all("cookie" not in request.headers for request in portal.requests)


def test_a_cookie_does_not_follow_a_redirect_to_another_host() -> None:
    cookie = ("Set-Cookie", "session=7")
    portal = saying(Answer(302, (("Location", f"http://{OTHER}/"), cookie)))
    other = saying(html("<p>Hello"))
    results = sent({PORTAL: portal, OTHER: other}, Request(f"http://{PORTAL}/"), post())
    assert [status(result) for result in results] == [200, 200]
    assert "cookie" in portal.requests[-1].headers
    assert all("cookie" not in request.headers for request in other.requests)


async def search_with_token(session: FormSession) -> list[bytes]:
    """Fetch the form, submit it with its token, and go on to the second page."""
    page = await session.send(Request(f"http://{PORTAL}/find"))
    token = page.body.partition(b'value="')[2].partition(b'"')[0]
    results = await session.send(post(b"q=owls&token=" + token))
    more = await session.send(Request(f"http://{PORTAL}/results?page=2"))
    return [page.body, results.body, more.body]


def test_a_session_that_was_archived_is_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LODE_CACHE", str(tmp_path / "cache"))
    with Archive(tmp_path / "web", ArchiveOptions(), Identity("tests")) as archive:

        def note(request: Request, response: Response) -> None:
            archive.append(exchange_of_submission(request, response))

        async def work(session: FormSession) -> list[bytes]:
            return await search_with_token(replace(session, note_exchange=note))

        told = in_session({PORTAL: TokenPortal()}, work)
        archive.flush()
    web = Replay(RecordedWeb(tmp_path / "web"))
    rulebook = RobotsCache(web, RobotsOptions(), "tests")
    session = FormSession(web=web, courtesy=RateLimiter(EAGER), rulebook=rulebook)
    assert run_virtually(search_with_token(session)) == told
    assert told[1] == b"<p>owls of s0"


# --- redirects ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [301, 302, 303])
def test_a_form_that_is_redirected_becomes_a_get(code: int) -> None:
    portal = saying(to("/results", code), html("<p>owls"))
    (result,) = sent({PORTAL: portal}, post())
    assert isinstance(result, Response)
    assert (result.url, result.body) == (f"http://{PORTAL}/results", b"<p>owls")
    assert asked(portal) == [("POST", "/find", b"q=owls"), ("GET", "/results", b"")]
    assert "content-type" not in portal.requests[-1].headers


def test_a_form_may_be_answered_by_a_get_of_its_own_url() -> None:
    portal = saying(to("/find", 303), html("<p>owls"))
    (result,) = sent({PORTAL: portal}, post())
    assert status(result) == 200
    assert asked(portal) == [("POST", "/find", b"q=owls"), ("GET", "/find", b"")]


@pytest.mark.parametrize("code", [307, 308])
def test_a_form_is_repeated_at_the_same_host(code: int) -> None:
    portal = saying(to("/search", code), html("<p>owls"))
    (result,) = sent({PORTAL: portal}, post())
    assert status(result) == 200
    assert asked(portal) == [("POST", "/find", b"q=owls"), ("POST", "/search", b"q=owls")]
    assert portal.requests[-1].headers["content-type"] == FORM


@pytest.mark.parametrize("code", [307, 308])
def test_no_other_host_is_handed_a_form(code: int) -> None:
    portal, other = saying(to(f"http://{OTHER}/find", code)), saying(html("<p>Thanks"))
    (result,) = sent({PORTAL: portal, OTHER: other}, post())
    assert failure(result) == FailureKind.BAD_REDIRECT
    assert other.requests == []


@pytest.mark.parametrize("code", [303, 307])
@pytest.mark.parametrize(
    "location", ["http://127.0.0.1/", "http://169.254.169.254/", "http://[::1]/"]
)
def test_a_redirect_to_an_inner_address_is_refused(code: int, location: str) -> None:
    (result,) = sent({PORTAL: saying(to(location, code))}, post())
    expected = FailureKind.BAD_REDIRECT if code == 307 else FailureKind.FORBIDDEN_ADDRESS
    assert failure(result) == expected


def test_redirects_in_a_circle_end() -> None:
    portal = saying(to("/find", 307))
    (result,) = sent({PORTAL: portal}, post())
    assert failure(result) == FailureKind.REDIRECTS
    assert len(asked(portal)) == 6


def test_an_address_may_be_spelled_as_a_page_has_it() -> None:
    portal = saying(html("<p>owls"))
    (result,) = sent({PORTAL: portal}, post(url="HTTP://Portal.test/a/../find?q=b%E4r owl#top"))
    assert status(result) == 200
    assert asked(portal) == [("POST", "/find?q=b%E4r%20owl", b"q=owls")]


@pytest.mark.parametrize(
    "url",
    ["", "find", "ftp://portal.test/", "javascript:alert(1)", "http://[x/", "http://" + "a" * 9000],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    (result,) = sent({PORTAL: saying(html("<p>owls"))}, post(url=url))
    assert failure(result) == FailureKind.PROTOCOL
    assert len(str(result)) < 1000


# --- politeness -----------------------------------------------------------------------------------------


def forbidding(path: str) -> RecordingHandler:
    def reply(request: SandboxRequest) -> Answer:
        if request.path == "/robots.txt":
            text = f"User-agent: *\nDisallow: {path}\n".encode()
            return Answer(200, (("Content-Type", "text/plain"),), text)
        return to("/results", 303) if request.method == "POST" else html("<p>owls")

    return RecordingHandler(reply)


def test_a_form_that_robots_txt_forbids_is_not_sent() -> None:
    portal = forbidding("/find")
    results = sent({PORTAL: portal}, post(), Request(f"http://{PORTAL}/results"))
    assert (failure(results[0]), status(results[1])) == (FailureKind.ROBOTS, 200)
    assert asked(portal) == [("GET", "/results", b"")]


def test_each_redirect_asks_robots_txt() -> None:
    portal = forbidding("/results")
    (result,) = sent({PORTAL: portal}, post())
    assert failure(result) == FailureKind.ROBOTS
    assert asked(portal) == [("POST", "/find", b"q=owls")]


class NotingLimiter(RateLimiter[object]):
    """Host slots that note for how long hosts rest and are left alone."""

    def __init__(self) -> None:
        super().__init__(PolitenessOptions(delay=0.01, slowdown=0.0))
        self.rests: list[float] = []
        self.holds: list[tuple[str, float]] = []

    def release(self, host: str, seconds: float | None, asked_for: float | None = None) -> None:
        self.rests.append(self.rest(seconds or 0.0, asked_for))
        super().release(host, seconds, asked_for)

    def hold(self, host: str, seconds: float) -> None:
        self.holds.append((host, seconds))
        super().hold(host, seconds)


def noted(handler: RecordingHandler, *requests: Request) -> NotingLimiter:
    """The turns that a session takes."""

    async def work(session: FormSession) -> NotingLimiter:
        courtesy = NotingLimiter()
        limited = FormSession(web=session.web, courtesy=courtesy, rulebook=session.rulebook)
        for request in requests:
            await limited.send(request)
        return courtesy

    return in_session({PORTAL: handler}, work)


def test_a_host_rests_after_each_request_of_a_session() -> None:
    portal = saying(to("/results", 303), html("<p>owls"))
    courtesy = noted(portal, post(), Request(f"http://{PORTAL}/results"))
    assert courtesy.rests == [0.01] * 3
    assert courtesy.holds == []


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        (Answer(503, (("Retry-After", "3000"),)), 3000.0),
        (Answer(429), 30.0),
        (Answer(503, (("Retry-After", "99999999"),)), 86_400.0),
    ],
)
def test_a_busy_host_is_asked_once_and_then_left_alone(answer: Answer, seconds: float) -> None:
    portal = saying(answer)
    assert noted(portal, post()).holds == [(PORTAL, seconds)]
    assert len(asked(portal)) == 1


# --- as a search source ---------------------------------------------------------------------------------


def searched(handlers: dict[str, RequestHandler], request: Request) -> Response | SourceError:
    async def work(session: FormSession) -> Response | SourceError:
        web = RobotsWeb(session.web, session.rulebook)
        try:
            return await SearchClient(name="birds", web=web, pace=RequestPace()).send(request)
        except SourceError as error:
            return error

    return in_session(handlers, work)


def test_a_search_source_can_be_asked_by_post() -> None:
    portal = saying(to("/results", 303), html("<p>owls"))
    response = searched({PORTAL: portal}, post())
    assert isinstance(response, Response)
    assert response.body == b"<p>owls"
    assert [method for method, _, _ in asked(portal)] == ["POST", "GET"]


@pytest.mark.parametrize(
    ("handler", "words", "count"),
    [
        (forbidding("/find"), "robots.txt", 0),
        (saying(to(f"http://{OTHER}/", 308)), "redirects to an address that is not asked", 1),
        (saying(to("/find", 307)), "redirects again and again", 6),
        (saying(Answer(503, (("Retry-After", "0"),))), "asks not to be called", 1),
    ],
)
def test_what_a_search_source_may_not_send_is_one_sentence(
    handler: RecordingHandler, words: str, count: int
) -> None:
    error = searched({PORTAL: handler}, post())
    assert isinstance(error, SourceError)
    assert words in str(error)
    assert len(asked(handler)) == count
