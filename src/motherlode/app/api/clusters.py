"""Clusters of a topic's pages, as `lode cluster`."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from motherlode.app.api.bodies import Body
from motherlode.app.api.describing import Json
from motherlode.app.api.jobs import STARTED
from motherlode.app.api.portals import Name
from motherlode.app.api.topics import TopicText
from motherlode.app.jobs.clusters import PAGES, cluster
from motherlode.app.server.context import Here

router = APIRouter(prefix="/portals/{portal}", tags=["clusters"])


class Clusters(Body):
    """See `lode cluster`; the job's result has the clusters."""

    topic: TopicText
    k: Annotated[int | None, Field(ge=1, le=1_000)] = None
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    pages: Annotated[int, Field(ge=2, le=10**9)] = PAGES
    central: Annotated[int | None, Field(ge=1, le=1_000)] = None
    apply: bool = False


@router.post("/cluster", summary="What a topic's pages fall into: `lode cluster`", **STARTED)
def clusters(here: Here, portal: Name, body: Clusters) -> Json:
    return Json(here.board.ask(portal, cluster(**body.model_dump())), 202)
