"""The web application for tests: asked in this process, or by a browser."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from fastapi.testclient import TestClient
from msgspec.structs import replace

from motherlode.app.application import AppServer, address_of, make_app, open_listener
from motherlode.app.jobs.records import JOBS_FOLDER
from motherlode.app.server.context import make_context
from motherlode.app.server.rate_limits import RateLimits
from motherlode.app.server.settings import ServerSettings, with_token
from motherlode.portal.lock import holder_of

ORIGIN = "http://127.0.0.1:8420"
OWLS = {"name": "owls", "topics": [{"topic": "owls", "seeds": ["http://a.test/"]}]}


def visitor(place: Path, clock: Callable[[], float] = monotonic, **settings: Any) -> TestClient:
    """A client of the application over the portals in `place`; its rate limits go by `clock`."""
    context = replace(
        make_context(with_token(ServerSettings(place, **settings))), limits=RateLimits(clock)
    )
    return TestClient(make_app(context), base_url=ORIGIN, follow_redirects=False)


def form_token(client: TestClient) -> str:
    """What a form of the application carries."""
    context: Any = client.app.state.context  # type: ignore[attr-defined]  # the client knows it as any ASGI application
    return str(context.keys.form_token)


def send(client: TestClient, path: str, **fields: Any) -> Any:
    """Send a form as its page would."""
    return client.post(path, data={"form_token": form_token(client), **fields})


class Served(NamedTuple):
    """A server over a folder of portals."""

    address: str
    place: Path
    token: str | None = None


@contextmanager
def serving(place: Path, *options: str) -> Iterator[Served]:
    """`lode serve` over a folder, in a process of its own, at any free port."""
    place.mkdir(exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "motherlode",
        "serve",
        str(place),
        "--port",
        "0",
        "--json",
        *options,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = ""
            while not said.endswith("}\n"):
                line = process.stdout.readline()
                assert line, "lode serve ended before it began"
                said += line
            told = json.loads(said)
            yield Served(told["address"], place, told["token"])
        finally:
            process.terminate()
            process.wait(20)
            end_jobs(place)


@contextmanager
def serving_here(place: Path) -> Iterator[Served]:
    """The same server, at once, in a thread of this process; `serving` is for what the command does."""
    place.mkdir(exist_ok=True)
    settings = with_token(ServerSettings(place, port=0))
    server = AppServer(make_context(settings))
    with open_listener(settings) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield Served(address_of(settings, listener), place)
        finally:
            server.end()
            thread.join(20)
            end_jobs(place)


def end_jobs(place: Path) -> None:
    """Jobs outlive their server, but not a test."""
    for folder in place.glob(f"*/{JOBS_FOLDER}/*"):
        holder = holder_of(folder)
        if holder is not None:
            os.killpg(holder.pid, signal.SIGKILL)
