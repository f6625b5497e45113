"""The web application for tests: asked in this process, or by a browser."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from fastapi.testclient import TestClient

from motherlode.app.serving.application import make_app
from motherlode.app.serving.services import services_of
from motherlode.app.serving.settings import Settings, settled

ORIGIN = "http://127.0.0.1:8420"
OWLS = {"name": "owls", "topics": [{"topic": "owls", "seeds": ["http://a.test/"]}]}


def visitor(place: Path, **settings: Any) -> TestClient:
    """Somebody who asks the application over the portals of a place, as from a page of its own."""
    services = services_of(settled(Settings(place, **settings)))
    return TestClient(make_app(services), base_url=ORIGIN, follow_redirects=False)


def form_token(client: TestClient) -> str:
    """What a form of the application carries."""
    services: Any = client.app.state.services  # type: ignore[attr-defined]  # the client knows it as any ASGI application
    return str(services.keys.form)


def send(client: TestClient, path: str, **fields: Any) -> Any:
    """Send a form as its page would."""
    return client.post(path, data={"form_token": form_token(client), **fields})


class Served(NamedTuple):
    """A server over a folder of portals."""

    address: str
    place: Path


@contextmanager
def serving(place: Path, *options: str) -> Iterator[Served]:
    """`lode serve` over a folder, in a process of its own, at any free port."""
    place.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "motherlode", "serve", str(place), "--port", "0", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = ""
            while not said.endswith("}\n"):
                line = process.stdout.readline()
                assert line, "lode serve ended before it began"
                said += line
            yield Served(json.loads(said)["address"], place)
        finally:
            process.terminate()
            process.wait(20)
