"""The search sources of a portal, as `lode sources`."""

from typing import Annotated

from fastapi import APIRouter, Depends

from motherlode.app.api.body import JsonBody
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.requests.sources import TrySourceRequest
from motherlode.app.server.context import Context
from motherlode.app.services.open_sources import SourceAnswer
from motherlode.app.services.sources import (
    SourceStatus,
    served_sources,
    try_served_source,
)

router = APIRouter(prefix="/portals/{portal}/sources", tags=["sources"])
Body = Annotated[TrySourceRequest, Depends(JsonBody(TrySourceRequest))]


@router.get(
    "", summary="The search sources of a portal: `lode sources`", **answers(list[SourceStatus])
)
def sources(context: Context, portal: Name) -> Json:
    return Json(served_sources(context.registry, portal))


@router.post(
    "/try",
    summary="What a source returns for a query: `lode sources try`",
    **answers(SourceAnswer),
    **accepts(TrySourceRequest),
)
def try_source(context: Context, portal: Name, body: Body) -> Json:
    return Json(try_served_source(context.registry, portal, body))
