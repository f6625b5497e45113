"""The crawl: started, watched, paused, and what it writes down."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from msgspec import Struct
from starlette.responses import Response

from motherlode.app.jobs import commands, crawls
from motherlode.app.jobs.crawls import NoCrawlError
from motherlode.app.jobs.records import Command
from motherlode.app.server.context import Here, Services
from motherlode.app.server.errors import status_of
from motherlode.app.services.harvest import HarvestPoint
from motherlode.app.services.logs import log_lines
from motherlode.app.services.status import Step
from motherlode.app.web.charts import Chart, Series, lines_of
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.policies.options import PolicyName
from motherlode.portal.changing import keep_setting
from motherlode.portal.directory import config_of
from motherlode.records import LodeError, UsageError

router = APIRouter(prefix="/portals/{portal}")
_LOG_LINES = (100, 300, 1_000)
_PAGES = "1000"  # as the command line has it


class Draft(Struct, frozen=True):
    """The form as a person filled it in."""

    pages: str = _PAGES
    time: str = ""
    policy: str = ""
    learn_pages: str = ""
    contact: str = ""
    feedback: bool = False
    remember: bool = True


@router.get("/crawl")
def crawl(request: Request, here: Here, portal: str) -> Response:
    return _page(request, here, portal, Draft())


@router.get("/crawl/now")
def now(request: Request, here: Here, portal: str) -> Response:
    """The parts of the page that change while a crawl is under way."""
    return page(request, "crawl_now.html", **_told(here, portal))


@router.post("/crawl/start")
def start(  # noqa: PLR0913 - one for each field
    request: Request,
    here: Here,
    portal: str,
    *,
    pages: Annotated[str, Form(max_length=40)] = "",
    time: Annotated[str, Form(max_length=40)] = "",
    policy: Annotated[str, Form(max_length=40)] = "",
    learn_pages: Annotated[str, Form(max_length=40)] = "",
    contact: Annotated[str, Form(max_length=1_000)] = "",
    feedback: Annotated[bool, Form()] = False,
    remember: Annotated[bool, Form()] = False,
) -> Response:
    said = (pages.strip(), time.strip(), policy, learn_pages.strip(), contact.strip())
    draft = Draft(*said, feedback=feedback, remember=remember)
    try:
        command = _command(draft)
        if draft.contact and draft.remember:
            keep_setting(here.shelf.path(portal), "crawler.contact", draft.contact)
        here.board.ask(portal, command)
    except LodeError as error:
        return _page(request, here, portal, draft, error)
    here.watches.forget(portal)
    return see(portal_address(portal, "/crawl"))


@router.post("/crawl/stop")
def stop(here: Here, portal: str) -> Response:
    with suppress(NoCrawlError):  # it has ended meanwhile: the page says how
        crawls.stop(here.board, portal)
    here.watches.forget(portal)
    return see(portal_address(portal, "/crawl"))


@router.post("/crawl/resume")
def resume(here: Here, portal: str) -> Response:
    crawls.resume(here.board, portal)
    here.watches.forget(portal)
    return see(portal_address(portal, "/crawl"))


@router.get("/crawl/log")
def log(
    request: Request,
    here: Here,
    portal: str,
    match: Annotated[str, Query(max_length=200)] = "",
    limit: int = _LOG_LINES[0],
) -> Response:
    many = limit if limit in _LOG_LINES else _LOG_LINES[0]
    lines = log_lines(here.shelf.path(portal), match, many)
    return page(
        request, "crawl_log.html", portal=portal, lines=lines, match=match, limit=many, limits=_LOG_LINES
    )


def _page(
    request: Request, here: Services, portal: str, draft: Draft, error: LodeError | None = None
) -> Response:
    status = 200 if error is None else status_of(error)
    config = config_of(here.shelf.path(portal))
    return page(
        request,
        "crawl.html",
        status,
        **_told(here, portal),
        draft=draft,
        policies=[name.value for name in PolicyName],
        nameless=not config.crawler.contact and not config.network.connect,
        problem="" if error is None else here.shelf.told(error),
    )


def _told(here: Services, portal: str) -> dict[str, object]:
    seen = here.watches.see(portal).progress
    return {
        "portal": portal,
        "told": seen,
        "crawl": seen.crawl,
        "status": seen.status,
        "steps": Step,
        "charts_now": _charts(seen.harvest),
    }


def _charts(harvest: Sequence[HarvestPoint]) -> list[Chart]:
    places = [float(point.pages) for point in harvest]
    total, lately = [point.total for point in harvest], [point.rate for point in harvest]
    paces = [point.pace for point in harvest]
    return [
        lines_of("Harvest rate", places, [Series("so far", total), Series("lately", lately)], "pages"),
        lines_of("Pages a second", places, [Series("lately", paces)], "pages"),
    ]


def _command(draft: Draft) -> Command:
    policy = draft.policy or None
    if policy is not None and policy not in list(PolicyName):
        raise UsageError("There is no such policy.")
    return commands.crawl(
        pages=_number(draft.pages, 1, "Pages"),
        time=draft.time or None,
        policy=policy,
        learn_pages=_number(draft.learn_pages, 0, "Learning pages"),
        feedback=draft.feedback,
        settings=[f"crawler.contact={draft.contact}"] if draft.contact else [],
    )


def _number(text: str, least: int, what: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or not least <= int(text) <= 10**9:
        raise UsageError(f"{what}: a number from {least} to 1,000,000,000 is wanted, or nothing.")
    return int(text)
