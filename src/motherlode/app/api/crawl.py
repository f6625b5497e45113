"""A portal's crawl: its state, stop and resume, its progress and its log."""

from typing import Annotated

from fastapi import APIRouter, Query
from msgspec import Struct
from starlette.responses import StreamingResponse

from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, answers
from motherlode.app.jobs import crawls
from motherlode.app.jobs.progress import CrawlNow, CrawlProgress, JudgedNow, crawl_at, judgements_at
from motherlode.app.jobs.records import Job
from motherlode.app.server.context import Context
from motherlode.app.server.progress_cache import progress_events
from motherlode.app.services.portals.reports import log_lines

router = APIRouter(prefix="/portals/{portal}", tags=["crawl"])
Limit = Annotated[int, Query(ge=1, le=1_000, description="The maximum number.")]
Match = Annotated[
    str, Query(max_length=200, description="Only lines that contain this text; case is ignored.")
]


class Log(Struct, frozen=True):
    """The last lines of the crawl log, the latest last."""

    lines: list[str]


@router.get(
    "/crawl", summary="The crawl of a portal, also one from a terminal", **answers(CrawlNow)
)
def crawl(context: Context, portal: Name) -> Json:
    return Json(crawl_at(context.registry, context.queue, portal))


@router.post(
    "/crawl/stop",
    summary=(
        "Stop the crawl: in good order first, so that it can be resumed; at once the second time"
    ),
    **answers(Job),
)
def stop(context: Context, portal: Name) -> Json:
    job = crawls.stop(context.queue, portal)
    context.progress.invalidate(portal)
    return Json(job)


@router.post(
    "/crawl/resume",
    summary="Resume the crawl that was stopped, with what is left of its limits",
    **answers(Job, 202, "The job, running or waiting."),
)
def resume(context: Context, portal: Name) -> Json:
    job = crawls.resume(context.queue, portal)
    context.progress.invalidate(portal)
    return Json(job, 202)


@router.get("/progress", summary="The progress of the crawl", **answers(CrawlProgress))
def progress(context: Context, portal: Name) -> Json:
    return Json(context.progress.get(portal).progress)


@router.get(
    "/progress/events",
    summary="Follow the crawl: an event `progress` whenever something has changed",
    response_class=StreamingResponse,
    responses={200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}}},
)
def events(context: Context, portal: Name) -> StreamingResponse:
    context.registry.path(portal)
    stream = progress_events(context.progress, portal, context.stopping)
    return StreamingResponse(context.streams.count(stream), media_type="text/event-stream")


@router.get(
    "/judgements", summary="The latest pages and their judgements", **answers(list[JudgedNow])
)
def judgements(context: Context, portal: Name, limit: Limit = 50) -> Json:
    return Json(judgements_at(context.registry, portal, limit))


@router.get("/log", summary="The end of the crawl log", **answers(Log))
def log(context: Context, portal: Name, match: Match = "", limit: Limit = 200) -> Json:
    return Json(Log(log_lines(context.registry.path(portal), match, limit)))
