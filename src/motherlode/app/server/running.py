"""The server itself."""

import logging
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import uvicorn
from fastapi import FastAPI
from msgspec import Struct

from motherlode.app.jobs.records import Job
from motherlode.app.server.application import make_app
from motherlode.app.server.context import Services, services_of
from motherlode.app.server.preparation import Preparer
from motherlode.app.server.settings import Settings
from motherlode.app.server.warmup import Visitor
from motherlode.records import LodeError

_LONGEST_HEAD = 128 * 1024  # bytes; a long search stands in an address
_LEAVE = 3  # seconds for those who are still listening


class Left(Struct, frozen=True):
    """What a server leaves behind: so many jobs that go on, and those that had not begun, which do not."""

    running: int
    waiting: list[Job]


class Server(uvicorn.Server):
    """Tells streams that it ends, so that nobody waits for them."""

    def __init__(self, services: Services) -> None:
        self.app = make_app(services)
        super().__init__(_config(self.app))
        self._stopping = services.stopping

    def end(self) -> None:
        """From another thread: end as if Ctrl-C was pressed."""
        self._stopping.set()
        self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping.set()
        super().handle_exit(sig, frame)


def serve(settings: Settings, ready: Callable[[str], None]) -> Left:
    """Serve until somebody says stop. `ready` is told the address once it listens. Returns the jobs left."""
    services = services_of(settings)
    _log_to_stderr(accesses=settings.log)
    server = Server(services)
    preparer = Preparer(services.shelf, Visitor(server.app, settings.token), services.stopping)
    services.board.ended = preparer.wake
    with listening(settings) as listener:
        ready(address_of(settings, listener))
        preparer.start()
        with suppress(KeyboardInterrupt):  # raised again once everything is put away; it is the way to end it
            server.run([listener])
    return Left(services.board.running(), services.board.waiting())


def _config(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # ours leaves out what might be secret
        server_header=False,
        date_header=True,
        http="h11",  # the other one takes heads of any size
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        proxy_headers=False,  # a visitor could say it comes from anywhere
        timeout_graceful_shutdown=_LEAVE,
        lifespan="off",
        ws="none",
    )


def listening(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host.strip("[]"), settings.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        reason = error.strerror or error
        raise LodeError(f"{settings.host}:{settings.port} cannot be listened at: {reason}.") from error
    return listener


def address_of(settings: Settings, listener: socket.socket) -> str:
    host = f"[{settings.host}]" if ":" in settings.host and "[" not in settings.host else settings.host
    return f"http://{host}:{listener.getsockname()[1]}/"


def _log_to_stderr(*, accesses: bool) -> None:
    to = logging.StreamHandler(sys.stderr)
    to.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    root = logging.getLogger("motherlode")
    root.addHandler(to)
    root.setLevel(logging.INFO)
    logging.getLogger("motherlode.access").disabled = not accesses
