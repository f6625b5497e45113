"""The hosts that a portal has met: `lode hosts`."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from motherlode.app.api.bodies import Body
from motherlode.app.api.describing import Json, answers
from motherlode.app.api.portals import Name
from motherlode.app.server.context import Here
from motherlode.app.services import hosts as hosting
from motherlode.app.services.hosts import Forgiven, HostNow

router = APIRouter(prefix="/portals/{portal}/hosts", tags=["hosts"])
State = Literal["good", "slow", "bad"]
Sort = Literal["pages", "size", "failures", "state", "name"]


class Forgive(Body):
    """See `lode hosts --forgive`."""

    pattern: Annotated[str, Field(min_length=1, max_length=300, examples=["*.example.org"])]


@router.get("", summary="The hosts of a portal: `lode hosts`", **answers(list[HostNow]))
def hosts(
    here: Here,
    portal: Name,
    state: State | None = None,
    sort: Sort = "state",
    limit: Annotated[int, Query(ge=1, le=10_000)] = 50,
) -> Json:
    with here.shelf.reading(portal) as opened, opened.store.reading() as session:
        found = hosting.hosts_in(session, state, sort)
    return Json([hosting.shown(host) for host in found[:limit]])


@router.post("/forgive", summary="Another chance for hosts: `lode hosts --forgive`", **answers(Forgiven))
def forgive(here: Here, portal: Name, body: Forgive) -> Json:
    return Json(hosting.forgive(here.shelf.path(portal), body.pattern))
