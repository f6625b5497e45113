"""The server requests its own pages once, so that the first visitor does not wait for caches."""

import asyncio
import logging
from collections.abc import Iterable
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Scope

LOG = logging.getLogger("motherlode.serving")
# Views of a portal that open what other views need; most pages have the word "the".
VIEWS = ("", "/search?q=the", "/topics", "/crawl", "/feedback")


class WarmupClient:
    """Requests pages without a connection; its requests are neither counted nor logged."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    def visit_home(self) -> None:
        self._visit(["/"])

    def visit_portal(self, portal: str) -> None:
        self._visit(f"/portals/{quote(portal, safe='')}{view}" for view in VIEWS)

    def _visit(self, addresses: Iterable[str]) -> None:
        for address in addresses:
            try:
                asyncio.run(self._request(address))
            except Exception:  # a visitor of the page will see what is wrong with it
                LOG.debug("%s cannot be prepared", address, exc_info=True)

    async def _request(self, address: str) -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            del message

        await self._app(self._scope(address), receive, send)

    def _scope(self, address: str) -> Scope:
        path, _, query = address.partition("?")
        headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {self._token}".encode())]
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": headers if self._token else headers[:1],
            "client": None,
            "server": ("localhost", 0),
        }
