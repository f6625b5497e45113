"""The hosts of a portal, as `lode hosts`."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from motherlode.app.api.body import JsonBody
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.requests.portals import ForgiveRequest
from motherlode.app.server.context import Context
from motherlode.app.services.portals.hosts import (
    Forgiven,
    HostNow,
    forgive_hosts,
    host_now,
    hosts_in,
)

router = APIRouter(prefix="/portals/{portal}/hosts", tags=["hosts"])
State = Literal["good", "slow", "bad"]
Sort = Literal["pages", "size", "failures", "state", "name"]
Body = Annotated[ForgiveRequest, Depends(JsonBody(ForgiveRequest))]


@router.get("", summary="The hosts of a portal: `lode hosts`", **answers(list[HostNow]))
def hosts(
    context: Context,
    portal: Name,
    state: State | None = None,
    sort: Sort = "state",
    limit: Annotated[int, Query(ge=1, le=10_000)] = 50,
) -> Json:
    listed = hosts_in(context.registry.path(portal), state, sort)
    return Json([host_now(host) for host in listed[:limit]])


@router.post(
    "/forgive",
    summary="Another chance for hosts: `lode hosts --forgive`",
    **answers(Forgiven),
    **accepts(ForgiveRequest),
)
def forgive(context: Context, portal: Name, body: Body) -> Json:
    return Json(forgive_hosts(context.registry.path(portal), body.pattern))
