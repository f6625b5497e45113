"""Jobs: all of them, those of a portal, and one as it goes on."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from motherlode.app.jobs.records import State
from motherlode.app.server.context import Here
from motherlode.app.server.events import lines_in
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page

router = APIRouter()
_LAST = 500  # lines of a job that are shown at first


@router.get("/jobs")
def all_jobs(request: Request, here: Here) -> Response:
    return page(request, "jobs.html", jobs=here.board.all_jobs())


@router.get("/portals/{portal}/jobs")
def jobs(request: Request, here: Here, portal: str) -> Response:
    return page(request, "jobs.html", portal=portal, jobs=here.board.jobs(portal))


@router.get("/portals/{portal}/jobs/{job}")
def job(request: Request, here: Here, portal: str, job: str) -> Response:
    found = here.board.job(portal, job)
    said = b"" if found.state is State.QUEUED else here.board.folder(portal, job).lines()[0]
    return page(request, "job.html", portal=portal, job=found, lines=lines_in(said)[-_LAST:])


@router.post("/portals/{portal}/jobs/{job}/cancel")
def cancel(here: Here, portal: str, job: str) -> Response:
    left = here.board.cancel(portal, job)
    gone = left.state is State.CANCELLED and left.exit_code is None and not left.stops  # it had never begun
    return see(portal_address(portal, "/jobs" if gone else f"/jobs/{job}"))
