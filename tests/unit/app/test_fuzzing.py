"""The API, asked all that its own description allows: no answer is a failure of ours."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import schemathesis
from hypothesis import Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from motherlode.app.serving.application import make_app
from motherlode.app.serving.board import Board
from motherlode.app.serving.services import services_of
from motherlode.app.serving.settings import Settings
from serving import OWLS, visitor

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def described() -> Iterator[Any]:
    """The application over a folder with a portal, where nothing that is asked for is ever begun."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        place = Path(folder)
        assert visitor(place).post("/api/v1/portals", json=OWLS).status_code == 201
        patch.setattr(Board, "_start_waiting", lambda _board: None)
        services = services_of(Settings(place, names=("testserver",), waiting_jobs=10**6))
        services.stopping.set()  # a stream that would go on for ever is over at once
        for rate in (services.limits.asking, services.limits.changing):
            patch.setattr(rate, "wait", lambda _visitor: 0.0)
        yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", make_app(services))


def operations() -> list[tuple[str, str]]:
    paths = make_app(services_of(Settings(Path(__file__).parent))).openapi()["paths"]
    return [(path, method.upper()) for path, methods in paths.items() for method in methods]


@pytest.mark.parametrize(("path", "method"), operations())
def test_every_answer_is_as_described(described: Any, path: str, method: str) -> None:
    @given(described[path][method].as_strategy())
    @settings(max_examples=30, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
    def ask(case: Any) -> None:
        told = case.path_parameters or {}
        if len(str(told.get("portal", ""))) % 2:  # half of the time one that is there
            told["portal"] = "owls"
        case.call_and_validate(checks=CHECKS)

    ask()
