"""A portal's first page: what it is now, and what to do next."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from motherlode.app.jobs.crawls import CRAWLING
from motherlode.app.jobs.queue import INDEX
from motherlode.app.server.context import Here, Services
from motherlode.app.services.overview import status_at
from motherlode.app.services.status import NO_TOPIC, Step, end_of
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.portal.directory import config_of

router = APIRouter()
_JOBS = 5  # the last so many are shown


@router.get("/portals/{portal}")
def home(request: Request, here: Here, portal: str) -> Response:
    return page(request, "home.html", **_told(here, portal))


@router.get("/portals/{portal}/now")
def now(request: Request, here: Here, portal: str) -> Response:
    """The part of the page that changes while somebody is at work."""
    return page(request, "home_now.html", **_told(here, portal))


@router.post("/portals/{portal}/index")
def index(here: Here, portal: str) -> Response:
    """Have the index made or brought up to date; the search says how far it is."""
    if here.board.under_way(portal, INDEX.name) is None:
        here.board.ask(portal, INDEX)
    return see(portal_address(portal, "/search"))


@router.get("/portals/{portal}/index/now")
def index_now(request: Request, here: Here, portal: str) -> Response:
    """Whether the index is at work."""
    return page(request, "index_now.html", portal=portal, job=here.board.under_way(portal, INDEX.name))


def _told(here: Services, portal: str) -> dict[str, object]:
    status = status_at(here.shelf, portal)
    config = config_of(here.shelf.path(portal))
    last = status.runs[-1:]
    ends = [end_of(run, running=status.writing is not None and [run] == last) for run in status.runs]
    return {
        "portal": portal,
        "status": status,
        "steps": Step,
        "nameless": not config.crawler.contact and not config.network.connect,
        "topics": [one for one in status.topics if one.topic != NO_TOPIC],
        "runs": list(zip(status.runs, ends, strict=True))[::-1],
        "jobs": here.board.jobs(portal)[:_JOBS],
        "crawling": status.writing is not None and status.writing.command in CRAWLING,
    }
