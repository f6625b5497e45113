"""A portal's first page: what it is now, and what to do next."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from motherlode.app.serving import commands
from motherlode.app.serving.looking import status_at
from motherlode.app.serving.services import Here, Services
from motherlode.app.standing import NO_TOPIC, Step, end_of
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


@router.post("/portals/{portal}/crawl")
def crawl(
    here: Here,
    portal: str,
    pages: Annotated[int | None, Form(ge=1, le=10**9)] = None,
    time: Annotated[str, Form(max_length=40)] = "",
    *,
    contact: Annotated[str, Form(max_length=1_000)] = "",
    feedback: Annotated[bool, Form()] = False,
) -> Response:
    settings = [f"crawler.contact={contact.strip()}"] if contact.strip() else []
    command = commands.crawl(pages=pages, time=time.strip() or None, feedback=feedback, settings=settings)
    job = here.board.ask(portal, command)
    return see(portal_address(portal, f"/jobs/{job.id}"))


@router.post("/portals/{portal}/index")
def index(here: Here, portal: str) -> Response:
    job = here.board.ask(portal, commands.index())
    return see(portal_address(portal, f"/jobs/{job.id}"))


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
    }
