"""Webs of hosts with handlers, and a sandbox for them on loopback, in the loop of the test."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from time import time

from motherlode.lab.labels import Labels
from motherlode.lab.misbehaviour import Habits
from motherlode.lab.serving.http import Conversation
from motherlode.lab.serving.responder import Responder
from motherlode.lab.web import Answer, LabWeb, RequestHandler, SandboxRequest, WebInfo

Reply = Callable[[SandboxRequest], Answer | None]


class RecordingHandler:
    """A host that notes each request, and answers by a function."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self.requests: list[SandboxRequest] = []

    def reply(self, request: SandboxRequest) -> Answer | None:
        self.requests.append(request)
        return self._reply(request)


class HandledWeb(LabWeb):
    """A web that has no documents, only hosts with handlers."""

    def __init__(self, handlers: Mapping[str, RequestHandler]) -> None:
        self._handlers = handlers

    def handler_for(self, host: str) -> RequestHandler | None:
        return self._handlers.get(host)

    @property
    def about(self) -> WebInfo:
        return WebInfo("handled", "scripted", 0, 0)

    @property
    def fingerprint(self) -> str:
        return "handled"

    def answer(self, url: str) -> Answer | None:
        del url
        return None

    def hosts(self) -> Iterator[str]:
        return iter(self._handlers)

    def has_host(self, name: str) -> bool:
        return name in self._handlers

    def urls(self) -> Iterator[str]:
        return iter(())

    def pages_of(self, host: str) -> Iterator[str]:
        del host
        return iter(())

    def labels(self) -> Labels:
        return Labels({})

    def habit_of(self, host: str) -> str:
        del host
        return ""


@asynccontextmanager
async def serving_web(web: LabWeb, habits: Habits | None = None) -> AsyncIterator[str]:
    """Serve a web for as long as the block lasts; gives what goes into `network.connect`."""
    responder = Responder(web, habits or Habits(otherwise=web.habit_of), time)
    conversations: set[Conversation] = set()
    server = await asyncio.get_running_loop().create_server(
        lambda: Conversation(responder, conversations), "127.0.0.1", 0
    )
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for conversation in list(conversations):
            conversation.hang_up()
