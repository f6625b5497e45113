"""Clusters of a topic's pages, as `lode cluster`."""

from typing import Annotated

from fastapi import APIRouter, Depends

from motherlode.app.api.body import JsonBody
from motherlode.app.api.jobs import STARTED
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts
from motherlode.app.jobs.commands import cluster_command
from motherlode.app.requests.training import ClusterRequest
from motherlode.app.server.context import Context

router = APIRouter(prefix="/portals/{portal}", tags=["clusters"])
Body = Annotated[ClusterRequest, Depends(JsonBody(ClusterRequest))]


@router.post(
    "/cluster",
    summary="Cluster the pages of a topic: `lode cluster`",
    **STARTED,
    **accepts(ClusterRequest),
)
def clusters(context: Context, portal: Name, body: Body) -> Json:
    return Json(context.queue.submit(portal, cluster_command(body)), 202)
