"""A portal's first page: its status, and what to do next."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from motherlode.app.jobs.crawls import CRAWLING
from motherlode.app.jobs.queue import INDEX
from motherlode.app.server.context import Context, ServerContext
from motherlode.app.services.portals.overview import status_at
from motherlode.app.services.portals.status import NO_TOPIC, NextStep, end_of
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.app.web.views.crawl import crawl_form_values

router = APIRouter()
MAX_JOBS_SHOWN = 5


@router.get("/portals/{portal}")
def home(request: Request, context: Context, portal: str) -> Response:
    return page(request, "home.html", **_values(context, portal))


@router.get("/portals/{portal}/now")
def now(request: Request, context: Context, portal: str) -> Response:
    """Return the part of the page that changes while a command runs."""
    return page(request, "home_now.html", **_values(context, portal))


@router.post("/portals/{portal}/index")
def index(context: Context, portal: str) -> Response:
    """Start a job that updates the index, and go to the search page, which shows its progress."""
    if context.queue.active_job(portal, INDEX.name) is None:
        context.queue.submit(portal, INDEX)
    return see(portal_address(portal, "/search"))


@router.get("/portals/{portal}/index/now")
def index_now(request: Request, context: Context, portal: str) -> Response:
    """Return the part of the page that shows whether the index is being updated."""
    return page(
        request, "index_now.html", portal=portal, job=context.queue.active_job(portal, INDEX.name)
    )


def _values(context: ServerContext, portal: str) -> dict[str, object]:
    status = status_at(context.registry, portal)
    last = status.runs[-1:]
    ends = [
        end_of(run, running=status.writing is not None and [run] == last) for run in status.runs
    ]
    return {
        "portal": portal,
        "status": status,
        "steps": NextStep,
        "topics": [topic for topic in status.topics if topic.topic != NO_TOPIC],
        "runs": list(zip(status.runs, ends, strict=True))[::-1],
        "jobs": context.queue.jobs(portal)[:MAX_JOBS_SHOWN],
        **crawl_form_values(context, portal),
        "crawling": status.writing is not None and status.writing.command in CRAWLING,
    }
