"""The templates of the application, filled. What every page shows is put in here."""

from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import Request
from jinja2 import Environment
from starlette.responses import HTMLResponse

from motherlode import __version__
from motherlode.app.cli.common import duration
from motherlode.app.server.context import services_in
from motherlode.app.web.navigation import tabs_of
from motherlode.export.filling import filled_from
from motherlode.export.site.rows import brief, named

if TYPE_CHECKING:
    from collections.abc import Callable

_KILO = 1000.0


def page(request: Request, template: str, status: int = 200, /, **said: object) -> HTMLResponse:
    """A page. Besides what it is told a template may name `shared`; `portal` is the portal that it is on."""
    services = services_in(request)
    shared = {
        "form_token": services.keys.form,
        "needs_login": services.keys.needs_login,
        "path": request.url.path,
        "single": services.shelf.single,
        "version": __version__,
    }
    said.setdefault("portal", "")
    tabs = tabs_of(str(said["portal"]), request.url.path)
    text = environment().get_template(template).render(said, shared=shared, tabs=tabs)
    return HTMLResponse(text, status)


def error_page(request: Request, status: int, sentence: str) -> HTMLResponse:
    return page(request, "error.html", status, sentence=sentence, phrase=HTTPStatus(status).phrase)


@cache
def environment() -> Environment:
    filters: dict[str, Callable[..., Any]] = {
        "brief": brief,
        "duration": duration,
        "moment": _moment,
        "size": _size,
        "step": lambda text: quote(text, safe=""),
        "titled": lambda title, url: named(title, url or ""),
    }
    return filled_from("motherlode.app.web", filters)


def _moment(at: float) -> str:
    """A moment as it is written everywhere here; scripts show it in the time of the reader."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (ValueError, OverflowError, OSError):  # of no calendar
        return ""


def _size(number: float) -> str:
    """`0 B`, `12 KB`, `3.4 MB`."""
    for unit in ("B", "KB", "MB", "GB"):
        if number < _KILO:
            return f"{number:.0f} {unit}" if number >= 10 or unit == "B" else f"{number:.1f} {unit}"  # noqa: PLR2004
        number /= _KILO
    return f"{number:,.1f} TB"
