"""A web on a port of this machine, with a log of what is asked for."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from time import time
from typing import Any, TypeVar

import uvloop

from bench.peers.counts import RequestLog
from motherlode.lab.misbehaviour import Habits
from motherlode.lab.misbehaviour.scene import Act
from motherlode.lab.serving.http import Conversation
from motherlode.lab.serving.responder import Responder
from motherlode.lab.web import LabWeb, SandboxRequest
from motherlode.urls import UrlError, canonical

_CACHE_BYTES = 64 * 2**20
_PATIENCE_S = 30
Result = TypeVar("Result")


class _LoggingResponder(Responder):
    def __init__(self, web: LabWeb) -> None:
        super().__init__(web, Habits(), time, keep=_CACHE_BYTES)
        self.log = RequestLog()

    def respond(self, asked: SandboxRequest) -> bytes | Iterator[Act]:
        response = super().respond(asked)
        is_page = isinstance(response, bytes) and is_html_page(response)
        self.log.note(_canonical(asked.url), is_page=is_page)
        return response


class ServedWeb:
    """The running server. No host misbehaves: this bench is about where crawlers go."""

    def __init__(self, web: LabWeb, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._responder = _LoggingResponder(web)
        self._conversations: set[Conversation] = set()
        converse = partial(Conversation, self._responder, self._conversations)
        self._server = self._wait_for(loop.create_server(converse, "127.0.0.1", 0))

    @property
    def port(self) -> int:
        return int(self._server.sockets[0].getsockname()[1])

    def start_log(self) -> RequestLog:
        """Break all connections off, begin a new log and return it."""
        self._wait_for(self._hang_up())
        self._responder.log = RequestLog()
        return self._responder.log

    def close(self) -> None:
        """Break all connections off and end the loop."""
        self._wait_for(self._shut_down())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _wait_for(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE_S)

    async def _shut_down(self) -> None:
        self._server.close()
        await self._hang_up()
        await self._server.wait_closed()

    async def _hang_up(self) -> None:
        for conversation in list(self._conversations):
            conversation.hang_up()


@contextmanager
def served(web: LabWeb) -> Iterator[ServedWeb]:
    """Serve a web from a thread for as long as the block runs."""
    loop = uvloop.new_event_loop()
    thread = Thread(target=loop.run_forever, name="served web", daemon=True)
    thread.start()
    server = ServedWeb(web, loop)
    try:
        yield server
    finally:
        server.close()
        thread.join(_PATIENCE_S)
        loop.close()


def is_html_page(response: bytes) -> bool:
    """Whether a response is a page: status 200 and HTML.

    >>> is_html_page(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<p>")
    True
    """
    head = response.partition(b"\r\n\r\n")[0].lower()
    return head.startswith(b"http/1.1 200 ") and b"\ncontent-type: text/html" in head


def _canonical(url: str) -> str:
    try:
        return canonical(url)
    except UrlError:
        return url
