"""The API over a crawled portal, asked what its own description allows and what it does not.

No answer is a failure of ours, and each is as described. No job is started: all of them wait, and only so
many do. What is asked is the same every time; `make fuzz` asks much more of it.
"""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy, booleans, just, tuples
from msgspec.structs import replace
from schemathesis import GenerationMode, checks

from motherlode.app.application import make_app
from motherlode.app.server.context import make_context
from motherlode.app.server.rate_limits import RateLimits
from motherlode.app.server.rules import Refusal, RequestHead
from motherlode.app.server.settings import ServerSettings
from motherlode.app.services.library import import_text
from motherlode.app.services.sources import add_source
from motherlode.portal import Portal
from motherlode.records import CENTROID_MODEL, Model, ModelId
from motherlode.search.indexer import update_index
from motherlode.store.tables import ledger
from support.app_server import ORIGIN
from support.site_portals import MadeSite, keep_verdicts
from support.training_webs import place

EXAMPLES = int(os.environ.get("LODE_FUZZ", "12"))  # requests to each route
HOST = {"Host": ORIGIN.removeprefix("http://")}
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
# What there is in the portal, for half of what is asked.
KNOWN: dict[str, Any] = {
    "url": place("owl", 0),
    "urls": [place("owl", 1)],
    "seeds": [place("owl", 2)],
    "trim": place("heron", 0),
    "blocks": "1",
    "topic": "animals/birds",
    "to": "/",
    "parent": "animals",
    "like": "",
    "rank": "cosine",
    "since": "2020-01-01",
    "until": "1h",
    "q": "owl",
    "pattern": "*.test",
    "match": "owl",
    "name": "owls",
    "query": "owls",
    "good": [place("owl", 0)],
    "accept": [place("owl", 0)],
    "show": "relevant",
    "pin": [place("owl", 0)],
    "subject": "animals/birds",
    "format": "csv",
    "pages": 5,
    "text": "@book{owls, title={Owls of Europe}, year=1983}",
    "folder": "Birds",
    "into": "/",
}
# Where nothing can be done with what is there: no job runs, nothing was removed, and no search form
# is served (tests/web/test_form_sources.py asks one).
NEVER = {"/crawl/stop", "/crawl/resume", "/topics/restore", "/v1/sources/{name}"}


@cache
def description() -> dict[str, Any]:
    """What every server says of its API; it takes longer to write than to answer by."""
    return make_app(make_context(ServerSettings(Path(__file__).parent))).openapi()


class _NoLimits(RateLimits):
    def refusal(self, head: RequestHead) -> Refusal | None:
        del head
        return None


@pytest.fixture(scope="module")
def searchable(tmp_path_factory: pytest.TempPathFactory, finished_birds: Path) -> Path:
    """A crawled portal with an index, a source `owls`, collections and a library; to be copied."""
    path = shutil.copytree(finished_birds / "birds", tmp_path_factory.mktemp("fuzz") / "birds")
    urls = path.with_name("urls.txt")
    urls.write_text("owls\nhttp://a.test/owl\n")
    add_source(path, "owls", "file", {"file": str(urls)})
    import_text(path, KNOWN["text"], "owls.bib", KNOWN["folder"], "")
    with Portal.reading(path) as portal:
        update_index(portal)
    with Portal.writing(path, "test") as portal, portal.store.writing() as session:
        ledger.keep_model(session, Model(ModelId(0), CENTROID_MODEL, 1, 1.0, b""))
        keep_verdicts(
            session, {"owl0.test": MadeSite(probability=0.9), "far.test": MadeSite({}, 0.1)}
        )
    return path


@pytest.fixture
def described(searchable: Path, tmp_path: Path) -> Iterator[Any]:
    shutil.copytree(searchable, tmp_path / "birds")
    services = make_context(ServerSettings(tmp_path, running_jobs=0, waiting_jobs=3))
    services.stopping.set()  # a stream that would go on for ever is over at once
    app = make_app(replace(services, limits=_NoLimits()))
    app.openapi_schema = description()
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=HOST)
    schema.config.update(base_url=ORIGIN)
    yield schema
    assert not list(tmp_path.glob("*/logs/jobs/*")), "no job was started"


def operations() -> list[tuple[str, str]]:
    return [
        (path, method.upper())
        for path, methods in description()["paths"].items()
        for method in methods
    ]


def familiar(operation: Any) -> SearchStrategy[Any]:
    """What the description allows of what there is."""
    right: SearchStrategy[Any] = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    return tuples(right, just(value=True)).map(_of_birds)


def cases(operation: Any) -> SearchStrategy[Any]:
    """What the description allows of the portal that there is, and what it does not, of any."""
    right = tuples(operation.as_strategy(generation_mode=GenerationMode.POSITIVE), booleans()).map(
        _of_birds
    )
    if not list(operation.iter_parameters()) and not operation.body:
        return right
    wrong: SearchStrategy[Any] = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    return right | wrong


def _of_birds(drawn: tuple[Any, bool]) -> Any:
    """Of the portal that there is; if so chosen, of pages and topics that there are and of nothing else."""
    case, known = drawn
    if "portal" in (case.path_parameters or {}):
        case.path_parameters["portal"] = "birds"
    if known and "subject" in (case.path_parameters or {}):
        case.path_parameters["subject"] = "animals"
    if known and "site" in (case.path_parameters or {}):
        case.path_parameters["site"] = "owl0.test"
    if known and "suffix" in (case.path_parameters or {}):
        case.path_parameters["suffix"] = "svg"
    if known and case.query:
        case.query = _known(case.query)
    if known and isinstance(case.body, dict):
        case.body = _known(case.body)
        if case.path.endswith("/topics/add"):  # one that there is not
            case.body["topic"] = "animals/fish"
    return case


def _known(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in KNOWN.items() if name in said}


def asking(most: int) -> settings:
    """The same every time, as far as the modules are that are loaded by then: Hypothesis draws on them."""
    return settings(
        max_examples=most,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize(("path", "method"), operations())
def test_every_answer_is_as_described(described: Any, path: str, method: str) -> None:
    asked = Counter[int]()

    def ask(case: Any) -> None:
        asked[case.call_and_validate(checks=CHECKS, headers=HOST).status_code] += 1

    @given(familiar(described[path][method]))
    @asking(10 * EXAMPLES)
    def insist(case: Any) -> None:
        if not was_done(asked):
            ask(case)

    given(cases(described[path][method]))(asking(EXAMPLES)(ask))()
    if "{job}" not in path and not any(path.endswith(one) for one in NEVER):
        insist()
        assert was_done(asked), asked


def was_done(asked: Counter[int]) -> bool:
    """Whether anything that was asked for was done."""
    return asked[200] + asked[201] + asked[202] > 0
