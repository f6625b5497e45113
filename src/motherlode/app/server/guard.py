"""What stands before every page: refusals, limits, and the headers that no answer goes without.

It is plain ASGI, so that streams pass through it as they are.
"""

import logging
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from time import monotonic, time

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from motherlode.app.server.errors import BUG, LOG, refusal_response, told
from motherlode.app.server.keys import Keys
from motherlode.app.server.rates import Rate
from motherlode.app.server.rules import Head, Refusal, foreign, is_open, wrong_host
from motherlode.app.server.settings import Settings

ACCESS = logging.getLogger("motherlode.access")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "private, no-cache",
}


class Limits:
    """How much is taken from one visitor."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.asking = Rate(400, 100.0, clock)
        self.changing = Rate(40, 4.0, clock)
        self.guessing = Rate(10, 0.1, clock)  # tokens that are wrong

    def refusal(self, head: Head) -> Refusal | None:
        rate = self.asking if head.is_safe else self.changing
        return _too_often(rate.wait(head.visitor))

    def guess(self, keys: Keys, visitor: str, said: str) -> Refusal | None:
        """None: this is the token. A visitor who was wrong too often is not listened to, whatever it says:
        otherwise it could go on guessing as fast as it may ask."""
        if not self.guessing.left(visitor):
            return _too_often(max(1.0, self.guessing.wait(visitor)))
        if keys.is_token(said):
            return None
        self.guessing.wait(visitor)
        return Refusal(401, "That is not the token.", {"WWW-Authenticate": "Bearer"})


class Guard:
    """Lets through what may pass. Everything that it decides is in `rules`, `keys` and `rates`."""

    def __init__(self, app: ASGIApp, settings: Settings, keys: Keys, limits: Limits) -> None:
        self._app, self._settings, self._keys, self._limits = app, settings, keys, limits
        self._names = frozenset(name.lower() for name in settings.names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        head = _head_of(scope)
        said = _Answer(head, send, monotonic())
        refusal = self._refusal(head)
        if refusal is not None:
            await refusal_response(Request(scope), refusal)(scope, receive, said.send)
        else:
            await self._answer(scope, _Body(receive, self._settings.largest_body), said)
        said.log()

    async def _answer(self, scope: Scope, body: "_Body", said: "_Answer") -> None:
        try:
            await self._app(scope, body.receive, said.send)
        except Exception:
            if said.status:  # it has begun: all that is left is to break off
                raise
            LOG.exception("A request failed")
            response = told(Request(scope), 500, BUG)
            await response(scope, body.receive, said.send)

    def _refusal(self, head: Head) -> Refusal | None:
        return (
            wrong_host(head, self._settings.host, self._names)
            or self._limits.refusal(head)
            or foreign(head)
            or self._stranger(head)
            or _too_large(head, self._settings.largest_body)
        )

    def _stranger(self, head: Head) -> Refusal | None:
        """Whoever needs the token and has not shown it."""
        if not self._keys.needs_login or is_open(head.path):
            return None
        kind, _, said = head.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self._limits.guess(self._keys, head.visitor, said.strip())
        if self._keys.is_session(_cookie(head), time()):
            return None
        return Refusal(401, "Log in with the token first.", {"WWW-Authenticate": "Bearer"})


class _Answer:
    """An answer on its way: it gets its headers, and is written down without what might be secret."""

    def __init__(self, head: Head, send: Send, began: float) -> None:
        self._head, self._send, self._began = head, send, began
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)

    def log(self) -> None:
        """Write it down, unless it came over no connection: the server visits its own pages."""
        if not self._head.visitor:
            return
        took = 1000 * (monotonic() - self._began)
        path = "".join(c if c.isprintable() else "?" for c in self._head.path[:200])
        ACCESS.info("%s %s %s %s %.0f ms", self._head.visitor, self._head.method, path, self.status, took)


class _Body:
    """A request's body, counted as it comes, whatever its head said."""

    def __init__(self, receive: Receive, largest: int) -> None:
        self._receive, self._largest, self._taken = receive, largest, 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        if self._taken > self._largest:
            raise HTTPException(413, _larger(self._largest))
        return message


def cookie_name(scope: Scope) -> str:
    """Cookies know no ports, and there may be a server at another."""
    server = scope.get("server") or ("", 0)
    return f"lode-session-{server[1]}"


def _head_of(scope: Scope) -> Head:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    headers["lode-cookie"] = _found(headers.get("cookie", ""), cookie_name(scope))
    visitor = (scope.get("client") or ("",))[0]
    return Head(scope["method"], scope["path"], headers, visitor)


def _found(cookies: str, name: str) -> str:
    try:
        jar = SimpleCookie(cookies)
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""


def _cookie(head: Head) -> str:
    return head.headers["lode-cookie"]


def _too_often(seconds: float) -> Refusal | None:
    if not seconds:
        return None
    wait = str(max(1, round(seconds)))
    return Refusal(429, f"That is too often; try again in {wait} s.", {"Retry-After": wait})


def _too_large(head: Head, largest: int) -> Refusal | None:
    said = head.headers.get("content-length", "0")
    if said.isascii() and said.isdigit() and int(said[:20]) <= largest:
        return None
    return Refusal(413, _larger(largest))


def _larger(largest: int) -> str:
    return f"That is too large; at most {largest // 2**20:,} MB are taken."
