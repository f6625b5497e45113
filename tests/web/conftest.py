"""A recorded web with one host for each habit and one without any, and sandboxes that serve it."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from motherlode.lab.description import WebPlan, write_plan
from motherlode.lab.loader import open_web
from motherlode.lab.serving.background import Running, sandbox
from support.misbehaving_web import write_unruly_web


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The web's directory."""
    folder = tmp_path_factory.mktemp("recorded") / "small"
    write_unruly_web(folder)
    return folder


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A web made up, where every host misbehaves."""
    folder = tmp_path_factory.mktemp("generated") / "bad"
    write_plan(folder, WebPlan(seed=3, pages=1600, hosts=400, misbehaving=1.0))
    return folder


@pytest.fixture(scope="session")
def box(recorded: Path) -> Iterator[Running]:
    with sandbox(recorded, "--dns-port", "0") as running:
        yield running


@pytest.fixture(scope="session")
def generated_box(generated: Path) -> Iterator[Running]:
    with sandbox(generated, "--dns-port", "0") as running:
        yield running


class Host(NamedTuple):
    """A host with a habit, and where it is met."""

    port: int
    dns_port: int
    name: str
    page: str  # the URL of a page
    plain: bytes  # and what the page says

    def url(self, path: str) -> str:
        return f"http://{self.name}{path}"


@pytest.fixture
def host(request: pytest.FixtureRequest) -> Host:
    """The host that has the habit, in the kind of web that the test asks for."""
    kind, name = request.param
    folder: Path = request.getfixturevalue(kind)
    running: Running = request.getfixturevalue("box" if kind == "recorded" else "generated_box")
    web = open_web(folder)
    found = next(one for one in web.hosts() if web.habit_of(one).partition(":")[0] == name)
    pages = (
        url for url in web.pages_of(found) if (answer := web.answer(url)) and answer.status == 200
    )
    url = f"http://{found}/page.html" if kind == "recorded" else next(pages)
    answer = web.answer(url)
    assert answer is not None
    assert running.dns_port is not None
    return Host(running.port, running.dns_port, found, url, answer.body)
