"""The API over a portal that has pages and an index, asked what its description allows and what it does not.

`test_fuzzing` asks all routes of an empty portal. No job is started: all of them wait, and only so many do.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy
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

EXAMPLES = 30  # requests to each route
ROUTES = ("search", "explain", "pages", "pages/original", "marks", "train", "judge", "export", "export/{job}")
SETTINGS = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
KNOWN = {
    "url": "http://barn.test/",
    "like": "",
    "topic": "birds",
    "rank": "cosine",
    "since": "2020-01-01",
    "until": "1h",
    "q": "owl",
}
PAPERS = {
    "http://barn.test/": Paper("The barn owl", "The barn owl hunts mice.", topic="birds"),
    "http://heron.test/": Paper("Herons", "The grey heron spears fish.", topic="birds"),
}


class _NoLimits(Limits):
    def refusal(self, head: Head) -> Refusal | None:
        del head
        return None


def _schema(folder: Path) -> Any:
    path = shelve(folder / "birds", PAPERS, ("birds",))
    with Portal.reading(path) as portal:
        renew(portal)
    services = services_of(Settings(folder, running_jobs=0, waiting_jobs=3))
    app = make_app(replace(services, limits=_NoLimits()))
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers={"Host": "127.0.0.1:8420"})
    schema.config.update(base_url=ORIGIN)
    return schema


def _cases(operation: Any) -> SearchStrategy[Any]:
    """What the description allows of a portal that there is, and what it does not, of any."""
    right: SearchStrategy[Any] = operation.as_strategy(schemathesis.GenerationMode.POSITIVE).map(_of_birds)
    if not list(operation.iter_parameters()) and not operation.body:
        return right
    wrong: SearchStrategy[Any] = operation.as_strategy(schemathesis.GenerationMode.NEGATIVE)
    return right | wrong


def _of_birds(case: Any) -> Any:
    """Of the portal that there is; half of the time also of pages and topics that there are."""
    if "portal" in case.path_parameters:
        case.path_parameters["portal"] = "birds"
    if len(str(case.query)) % 2:
        case.query.update({name: value for name, value in KNOWN.items() if name in case.query})
    return case


@pytest.mark.timeout(300)
def test_nothing_that_is_asked_breaks_it(tmp_path: Path) -> None:
    (tmp_path / "portals").mkdir()
    asked = Counter[int]()

    def ask(case: Any) -> None:
        answer = case.call_and_validate(checks=CHECKS, headers={"Host": "127.0.0.1:8420"})
        asked[answer.status_code] += 1

    schema = _schema(tmp_path / "portals")
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.rpartition("{portal}/")[2] in ROUTES:
            seed(20261117)(SETTINGS(given(_cases(operation))(ask)))()
    assert asked[200] > 20, asked
    assert asked[202] > 0, asked  # some jobs wait
    assert asked[429] > 0, asked  # the others may not
    assert asked[422] > 20, asked
    assert not list((tmp_path / "portals").glob("*/logs/jobs/*")), "no job was started"
