"""The API, asked everything that its own description allows and much that it does not: never a 500.

No job is started: all of them wait, and only so many do.
"""

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, seed, settings
from msgspec.structs import replace
from schemathesis import checks

from motherlode.app.serving.application import make_app
from motherlode.app.serving.guard import Limits
from motherlode.app.serving.rules import Head, Refusal
from motherlode.app.serving.services import services_of
from motherlode.app.serving.settings import Settings
from motherlode.engine.indexing import renew
from motherlode.portal import Portal
from serving import ORIGIN
from shelving import Paper, shelve

EXAMPLES = 20  # requests to each route
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
PAPERS = {
    "http://barn.test/": Paper("The barn owl", "The barn owl hunts mice.", topic="birds"),
    "http://heron.test/": Paper("Herons", "The grey heron spears fish.", topic="birds"),
}


class _NoLimits(Limits):
    def refusal(self, head: Head) -> Refusal | None:
        del head


def _schema(folder: Path) -> schemathesis.schemas.BaseSchema:
    path = shelve(folder / "birds", PAPERS, ("birds",))
    with Portal.reading(path) as portal:
        renew(portal)
    services = services_of(Settings(folder, running_jobs=0, waiting_jobs=3))
    app = make_app(replace(services, limits=_NoLimits()))
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers={"Host": "127.0.0.1:8420"})
    schema.config.update(base_url=ORIGIN)
    return schema


def test_nothing_that_is_asked_breaks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "portals").mkdir()
    asked = 0
    for found in _schema(tmp_path / "portals").get_all_operations():
        operation = found.ok()

        @seed(20261117)
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @operation.as_strategy_decorator
        def ask(case: schemathesis.Case) -> None:
            nonlocal asked
            case.path_parameters["portal"] = "birds"
            case.call_and_validate(checks=CHECKS, headers={"Host": "127.0.0.1:8420"})
            asked += 1

        ask()
    assert asked > 100
