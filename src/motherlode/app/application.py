"""The application: API and web pages together, and the server that runs them."""

import logging
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import uvicorn
from fastapi import FastAPI
from msgspec import Struct

from motherlode import __version__
from motherlode.app.api import routes as api
from motherlode.app.jobs.records import Job
from motherlode.app.server import errors
from motherlode.app.server.context import ServerContext, make_context
from motherlode.app.server.guard import Guard
from motherlode.app.server.preparation import Preparer
from motherlode.app.server.settings import ServerSettings
from motherlode.app.server.warmup import WarmupClient
from motherlode.app.web import routes as web
from motherlode.app.web.pages import error_page
from motherlode.records import LodeError

MAX_HEAD_BYTES = 128 * 1024  # a long search is in the address
SHUTDOWN_GRACE_S = 3  # for streams that are still open


def make_app(context: ServerContext) -> FastAPI:
    """Return the web application with its API."""
    app = FastAPI(
        title="Motherlode",
        version=__version__,
        summary="Focused crawling: portals, their topics, crawls and searches.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # both load scripts from other sites
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.context = context
    app.add_middleware(Guard, settings=context.settings, keys=context.keys, limits=context.limits)
    errors.install(app, error_page)
    api.install(app)
    web.install(app)
    return app


class RemainingJobs(Struct, frozen=True):
    """The jobs at the end of a server: the number that still run, and those that never started."""

    running: int
    waiting: list[Job]


class AppServer(uvicorn.Server):
    """A server that tells open streams when it ends, so that it does not wait for them."""

    def __init__(self, context: ServerContext) -> None:
        self.app = make_app(context)
        super().__init__(_config(self.app))
        self._stopping = context.stopping

    def end(self) -> None:
        """End as Ctrl-C does; any thread may call it."""
        self._stopping.set()
        self.should_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._stopping.set()
        super().handle_exit(sig, frame)


def serve(settings: ServerSettings, ready: Callable[[str], None]) -> RemainingJobs:
    """Serve until the user stops it, and return the remaining jobs.

    `ready` is called with the address once the server listens.
    """
    context = make_context(settings)
    _log_to_stderr(accesses=settings.log)
    server = AppServer(context)
    preparer = Preparer(
        context.registry, WarmupClient(server.app, settings.token), context.stopping
    )
    context.queue.on_end = preparer.schedule
    with open_listener(settings) as listener:
        ready(address_of(settings, listener))
        preparer.start()
        with suppress(KeyboardInterrupt):  # uvicorn raises it again once it has shut down
            server.run([listener])
    return RemainingJobs(context.queue.running_count(), context.queue.waiting_jobs())


def _config(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # the log of `Guard` has nothing secret
        server_header=False,
        date_header=True,
        http="h11",  # httptools accepts heads of any size
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        proxy_headers=False,  # a visitor could claim any address
        timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
        lifespan="off",
        ws="none",
    )


def open_listener(settings: ServerSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host.strip("[]"), settings.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        reason = error.strerror or error
        raise LodeError(
            f"{settings.host}:{settings.port} cannot be used: {reason}; choose another with "
            "--host or --port."
        ) from error
    return listener


def address_of(settings: ServerSettings, listener: socket.socket) -> str:
    host = (
        f"[{settings.host}]" if ":" in settings.host and "[" not in settings.host else settings.host
    )
    return f"http://{host}:{listener.getsockname()[1]}/"


def _log_to_stderr(*, accesses: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    root = logging.getLogger("motherlode")
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.getLogger("motherlode.access").disabled = not accesses
