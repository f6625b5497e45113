"""Feedback on archetypes, as `lode feedback`; learning from it is with the marks."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from motherlode.app.api.bodies import Body, Url
from motherlode.app.api.describing import Json, answers
from motherlode.app.api.jobs import STARTED
from motherlode.app.api.portals import Name
from motherlode.app.api.topics import TopicText
from motherlode.app.server.context import Here
from motherlode.app.services.feedback import Candidates, Done, Sayings
from motherlode.app.services.feedback_views import (
    MOST,
    BlocksShown,
    blocks_at,
    candidates_at,
    keep_at,
    tried,
)
from motherlode.records import UsageError

router = APIRouter(prefix="/portals/{portal}", tags=["feedback"])
Urls = Annotated[tuple[Url, ...], Field(max_length=MOST)]


class Moved(Body):
    """A page, and the topic that it belongs to."""

    url: Url
    topic: TopicText


class Feedback(Body):
    """See `lode feedback`: `all` is every archetype that nothing was said of."""

    accept: Urls = ()
    reject: Urls = ()
    move: Annotated[tuple[Moved, ...], Field(max_length=MOST)] = ()
    trim: Url | None = None
    blocks: Annotated[str | None, Field(max_length=20_000, examples=["3-7,9", "all"])] = None
    topic: TopicText | None = None
    note: Annotated[str, Field(max_length=2_000)] = ""

    def sayings(self) -> Sayings:
        if (self.trim is None) != (self.blocks is None):
            raise UsageError("trim and blocks go together; feedback/page shows the numbers of the blocks.")
        moved = tuple((one.url, one.topic) for one in self.move)
        said = Sayings(self.accept, self.reject, moved, self.trim, self.blocks, self.topic, self.note)
        if not said.are_any:
            raise UsageError("Say what to accept, reject, move or trim.")
        return said


@router.get("/feedback", summary="The archetypes: `lode feedback`", **answers(Candidates))
def archetypes(
    here: Here, portal: Name, topic: Annotated[str | None, Query(max_length=20_000, min_length=1)] = None
) -> Json:
    return Json(candidates_at(here.shelf, portal, topic))


@router.get("/feedback/page", summary="A page in blocks: `lode feedback --show`", **answers(BlocksShown))
def blocks(here: Here, portal: Name, url: Annotated[str, Query(max_length=4_000)]) -> Json:
    return Json(blocks_at(here.shelf, portal, url))


@router.post("/feedback", summary="Accept, reject, move, trim: `lode feedback`", **answers(Done))
def feedback(here: Here, portal: Name, body: Feedback) -> Json:
    return Json(keep_at(here.shelf, portal, body.sayings()))


@router.post("/feedback/try", summary="What it would change: `lode feedback --try`", **STARTED)
def attempt(here: Here, portal: Name, body: Feedback) -> Json:
    return Json(here.board.ask(portal, tried(body.sayings())), 202)
