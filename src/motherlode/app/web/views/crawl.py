"""The crawl: start, watch and stop it, and read its log."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from motherlode.app.jobs import crawls
from motherlode.app.jobs.commands import crawl_command
from motherlode.app.jobs.crawls import NoCrawlError
from motherlode.app.requests.crawl import DEFAULT_PAGES, ContactRequest, CrawlRequest
from motherlode.app.server.context import Context, ServerContext
from motherlode.app.services.portals.reports import HarvestPoint, log_lines
from motherlode.app.services.portals.status import NextStep
from motherlode.app.web.charts import Chart, Series, line_chart
from motherlode.app.web.forms import FormTexts, form_of, request_in, see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import NO_NOTICE, Notice, page, problem_notice
from motherlode.portal.directory import config_of
from motherlode.portal.editor import keep_setting
from motherlode.records import LodeError

router = APIRouter(prefix="/portals/{portal}")
_LOG_LINES = (100, 300, 1_000)


@router.get("/crawl")
def crawl(request: Request, context: Context, portal: str) -> Response:
    return _page(request, context, portal)


@router.get("/crawl/now")
def now(request: Request, context: Context, portal: str) -> Response:
    """Return the parts of the page that change while a crawl runs."""
    return page(request, "crawl_now.html", **_values(context, portal))


@router.post("/crawl/start")
def start(request: Request, context: Context, portal: str, texts: FormTexts) -> Response:
    try:
        contact = request_in(ContactRequest, texts)
        command = crawl_command(request_in(CrawlRequest, texts, settings=contact.settings))
        if contact.contact and contact.remember:
            keep_setting(context.registry.path(portal), "crawler.contact", contact.contact)
        context.queue.submit(portal, command)
    except LodeError as error:
        return _page(request, context, portal, texts, problem_notice(context, error))
    context.progress.invalidate(portal)
    return see(portal_address(portal, "/crawl"))


@router.post("/crawl/stop")
def stop(context: Context, portal: str) -> Response:
    with suppress(NoCrawlError):  # it has ended meanwhile, and the page shows how
        crawls.stop(context.queue, portal)
    context.progress.invalidate(portal)
    return see(portal_address(portal, "/crawl"))


@router.post("/crawl/resume")
def resume(context: Context, portal: str) -> Response:
    crawls.resume(context.queue, portal)
    context.progress.invalidate(portal)
    return see(portal_address(portal, "/crawl"))


@router.get("/crawl/log")
def log(
    request: Request,
    context: Context,
    portal: str,
    match: Annotated[str, Query(max_length=200)] = "",
    limit: int = _LOG_LINES[0],
) -> Response:
    shown = limit if limit in _LOG_LINES else _LOG_LINES[0]
    lines = log_lines(context.registry.path(portal), match, shown)
    return page(
        request,
        "crawl_log.html",
        portal=portal,
        lines=lines,
        match=match,
        limit=shown,
        limits=_LOG_LINES,
    )


def crawl_form_values(
    context: ServerContext, portal: str, texts: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Return the values of `crawl_form.html`; a contact is asked for where none is set."""
    config = config_of(context.registry.path(portal))
    asks_contact = not config.crawler.contact and not config.network.connect
    return {
        "crawl_form": form_of(CrawlRequest, texts),
        "contact_form": form_of(ContactRequest, texts) if asks_contact else None,
        "default_pages": DEFAULT_PAGES,
    }


def _page(
    request: Request,
    context: ServerContext,
    portal: str,
    texts: Mapping[str, str] | None = None,
    notice: Notice = NO_NOTICE,
) -> Response:
    return page(
        request,
        "crawl.html",
        notice.status,
        **_values(context, portal),
        **crawl_form_values(context, portal, texts),
        problem=notice.problem,
    )


def _values(context: ServerContext, portal: str) -> dict[str, object]:
    progress = context.progress.get(portal).progress
    return {
        "portal": portal,
        "progress": progress,
        "crawl": progress.crawl,
        "status": progress.status,
        "steps": NextStep,
        "charts_now": _charts(progress.harvest),
    }


def _charts(harvest: Sequence[HarvestPoint]) -> list[Chart]:
    places = [float(point.pages) for point in harvest]
    total, lately = [point.total for point in harvest], [point.rate for point in harvest]
    paces = [point.pace for point in harvest]
    return [
        line_chart(
            "Harvest rate", places, [Series("so far", total), Series("lately", lately)], "pages"
        ),
        line_chart("Pages a second", places, [Series("lately", paces)], "pages"),
    ]
