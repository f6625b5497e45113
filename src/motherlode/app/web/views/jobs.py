"""Jobs: all of them, those of a portal, and the output of one."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from motherlode.app.jobs.records import JobState
from motherlode.app.server.context import Context
from motherlode.app.server.events import lines_in
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page

router = APIRouter()
MAX_LINES_SHOWN = 500  # of a job, when its page is opened


@router.get("/jobs")
def all_jobs(request: Request, context: Context) -> Response:
    return page(request, "jobs.html", jobs=context.queue.all_jobs())


@router.get("/portals/{portal}/jobs")
def jobs(request: Request, context: Context, portal: str) -> Response:
    return page(request, "jobs.html", portal=portal, jobs=context.queue.jobs(portal))


@router.get("/portals/{portal}/jobs/{job}")
def job(request: Request, context: Context, portal: str, job: str) -> Response:
    job_now = context.queue.job(portal, job)
    is_queued = job_now.state is JobState.QUEUED
    output = b"" if is_queued else context.queue.folder(portal, job).output()[0]
    lines = lines_in(output)[-MAX_LINES_SHOWN:]
    return page(request, "job.html", portal=portal, job=job_now, lines=lines)


@router.post("/portals/{portal}/jobs/{job}/cancel")
def cancel(context: Context, portal: str, job: str) -> Response:
    cancelled = context.queue.cancel(portal, job)
    is_over = cancelled.state is JobState.CANCELLED
    had_begun = not is_over or cancelled.exit_code is not None or cancelled.stops
    return see(portal_address(portal, f"/jobs/{job}" if had_begun else "/jobs"))
