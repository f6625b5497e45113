"""A portal's crawl: its state, stopping it and going on, how far it is, and what it wrote down."""

from typing import Annotated

from fastapi import APIRouter, Query
from msgspec import Struct
from starlette.responses import StreamingResponse

from motherlode.app.api.describing import Json, answers
from motherlode.app.api.portals import Name
from motherlode.app.jobs import crawls
from motherlode.app.jobs.progress import CrawlNow, CrawlProgress, JudgedNow, crawl_at, judgements_at
from motherlode.app.jobs.records import Job
from motherlode.app.server.context import Here
from motherlode.app.server.watches import progress_events
from motherlode.app.services.logs import log_lines

router = APIRouter(prefix="/portals/{portal}", tags=["crawl"])
Limit = Annotated[int, Query(ge=1, le=1_000, description="How many at most.")]
Match = Annotated[str, Query(max_length=200, description="Only lines that hold this, in any case.")]


class Log(Struct, frozen=True):
    """The last lines of the crawl log, the latest last."""

    lines: list[str]


@router.get("/crawl", summary="The crawl of a portal, whoever started it", **answers(CrawlNow))
def crawl(here: Here, portal: Name) -> Json:
    return Json(crawl_at(here.shelf, here.board, portal))


@router.post(
    "/crawl/stop",
    summary="Stop the crawl: in good order first, so that it can go on; at once the second time",
    **answers(Job),
)
def stop(here: Here, portal: Name) -> Json:
    job = crawls.stop(here.board, portal)
    here.watches.forget(portal)
    return Json(job)


@router.post(
    "/crawl/resume",
    summary="Go on with the crawl that was stopped, with what is left of its limits",
    **answers(Job, 202, "The job, under way or waiting."),
)
def resume(here: Here, portal: Name) -> Json:
    job = crawls.resume(here.board, portal)
    here.watches.forget(portal)
    return Json(job, 202)


@router.get("/progress", summary="How far the crawl is, and what it finds", **answers(CrawlProgress))
def progress(here: Here, portal: Name) -> Json:
    return Json(here.watches.see(portal).progress)


@router.get(
    "/progress/events",
    summary="Follow the crawl: an event `progress` whenever something has changed",
    response_class=StreamingResponse,
    responses={200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}}},
)
def events(here: Here, portal: Name) -> StreamingResponse:
    here.shelf.path(portal)
    stream = progress_events(here.watches, portal, here.stopping)
    return StreamingResponse(here.streams.counted(stream), media_type="text/event-stream")


@router.get("/judgements", summary="The latest pages and what is thought of them", **answers(list[JudgedNow]))
def judgements(here: Here, portal: Name, limit: Limit = 50) -> Json:
    return Json(judgements_at(here.shelf, portal, limit))


@router.get("/log", summary="The end of the crawl log", **answers(Log))
def log(here: Here, portal: Name, match: Match = "", limit: Limit = 200) -> Json:
    return Json(Log(log_lines(here.shelf.path(portal), match, limit)))
