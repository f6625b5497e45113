"""The middleware before every page: refusals, limits, and the headers of every response.

It is plain ASGI, so that streams pass through unchanged.
"""

import logging
from http.cookies import CookieError, SimpleCookie
from time import monotonic, time

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from motherlode.app.server.errors import BUG, LOG, error_response, refusal_response
from motherlode.app.server.keys import Keys
from motherlode.app.server.rate_limits import RateLimits
from motherlode.app.server.rules import (
    Refusal,
    RequestHead,
    cross_site_refusal,
    host_refusal,
    is_open,
)
from motherlode.app.server.settings import ServerSettings

ACCESS = logging.getLogger("motherlode.access")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
    "'self'; "
    "frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src "
    "'none'"
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
_COOKIE = "lode-cookie"  # where a request head keeps our own cookie
_MAX_LOGGED_PATH_CHARS = 200


class Guard:
    """Passes on the requests that no rule of `rules`, `keys` and `rate_limits` refuses."""

    def __init__(
        self, app: ASGIApp, settings: ServerSettings, keys: Keys, limits: RateLimits
    ) -> None:
        self._app, self._settings, self._keys, self._limits = app, settings, keys, limits
        self._names = frozenset(name.lower() for name in settings.names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        head = _head_of(scope)
        response = _Response(head, send, monotonic())
        refusal = self._refusal(head)
        if refusal is not None:
            await refusal_response(Request(scope), refusal)(scope, receive, response.send)
        else:
            await self._respond(scope, _Body(receive, self._settings.max_body_bytes), response)
        response.log()

    async def _respond(self, scope: Scope, body: "_Body", response: "_Response") -> None:
        try:
            await self._app(scope, body.receive, response.send)
        except Exception:
            if response.status:  # it has begun: all that is left is to break off
                raise
            LOG.exception("A request failed")
            error = error_response(Request(scope), 500, BUG)
            await error(scope, body.receive, response.send)

    def _refusal(self, head: RequestHead) -> Refusal | None:
        return (
            host_refusal(head, self._settings.host, self._names)
            or self._limits.refusal(head)
            or cross_site_refusal(head)
            or self._login_refusal(head)
            or _size_refusal(head, self._settings.max_body_bytes)
        )

    def _login_refusal(self, head: RequestHead) -> Refusal | None:
        """Refuse a visitor who needs the token and has not given it."""
        if not self._keys.needs_login or is_open(head.path):
            return None
        kind, _, token = head.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self._limits.check_token(self._keys, head.visitor, token.strip())
        if self._keys.is_session(head.headers[_COOKIE], time()):
            return None
        return Refusal(401, "Log in with the token first.", {"WWW-Authenticate": "Bearer"})


class _Response:
    """A response on its way: it gets its headers, and is logged without anything secret."""

    def __init__(self, head: RequestHead, send: Send, began: float) -> None:
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
        """Log the response, unless the server itself asked, over no connection."""
        visitor, method = self._head.visitor, self._head.method
        if not visitor:
            return
        milliseconds = 1000 * (monotonic() - self._began)
        path = "".join(
            c if c.isprintable() else "?" for c in self._head.path[:_MAX_LOGGED_PATH_CHARS]
        )
        ACCESS.info("%s %s %s %s %.0f ms", visitor, method, path, self.status, milliseconds)


class _Body:
    """A request's body, counted as it comes, whatever its head says."""

    def __init__(self, receive: Receive, max_bytes: int) -> None:
        self._receive, self._max_bytes, self._received = receive, max_bytes, 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._received += len(message.get("body", b""))
        if self._received > self._max_bytes:
            raise HTTPException(413, _too_large(self._max_bytes))
        return message


def cookie_name(scope: Scope) -> str:
    """Return the name of the login cookie, with the port: cookies of all ports are shared."""
    server = scope.get("server") or ("", 0)
    return f"lode-session-{server[1]}"


def _head_of(scope: Scope) -> RequestHead:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    headers[_COOKIE] = _cookie(headers.get("cookie", ""), cookie_name(scope))
    visitor = (scope.get("client") or ("",))[0]
    return RequestHead(scope["method"], scope["path"], headers, visitor)


def _cookie(header: str, name: str) -> str:
    try:
        cookies = SimpleCookie(header)
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def _size_refusal(head: RequestHead, max_bytes: int) -> Refusal | None:
    length = head.headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length[:20]) <= max_bytes:
        return None
    return Refusal(413, _too_large(max_bytes))


def _too_large(max_bytes: int) -> str:
    return f"That is too large; at most {max_bytes // 2**20:,} MB are accepted."
