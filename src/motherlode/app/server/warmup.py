"""The first visitor, the server itself: what a first answer opens and compiles is there for the second."""

import asyncio
import logging
from collections.abc import Iterable
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Scope

LOG = logging.getLogger("motherlode.serving")
# Views of a portal that open what others need; a word that most pages have finds something.
VIEWS = ("", "/search?q=the", "/topics", "/crawl", "/feedback")


class Visitor:
    """Asks for pages without a connection; nobody counts or writes down what it asks for."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token

    def at_the_door(self) -> None:
        self._ask(["/"])

    def at(self, portal: str) -> None:
        self._ask(f"/portals/{quote(portal, safe='')}{view}" for view in VIEWS)

    def _ask(self, addresses: Iterable[str]) -> None:
        for address in addresses:
            try:
                asyncio.run(self._asked(address))
            except Exception:  # it is for a visitor to be told what is wrong with a page
                LOG.debug("%s cannot be prepared", address, exc_info=True)

    async def _asked(self, address: str) -> None:
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
