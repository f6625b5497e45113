"""Pages: templates filled with their values and with what every page shows."""

import shlex
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from fastapi import Request
from jinja2 import Environment
from msgspec import Struct
from starlette.responses import HTMLResponse

from motherlode import __version__
from motherlode.app.server.context import ServerContext, context_of
from motherlode.app.server.errors import status_of
from motherlode.app.text import duration
from motherlode.app.web.navigation import tabs_of
from motherlode.export.site.rows import brief, named
from motherlode.export.templates import filled_from
from motherlode.records import LodeError
from motherlode.training.certainty import margin_text, topic_text

if TYPE_CHECKING:
    from collections.abc import Callable

_KILO = 1000.0


class Notice(Struct, frozen=True, kw_only=True):
    """What a page says besides its content: a problem, or what was done; `undo` takes that back."""

    problem: str = ""
    status: int = 200
    done: str = ""
    undo: str = ""


NO_NOTICE = Notice()


def problem_notice(context: ServerContext, error: LodeError) -> Notice:
    """Return the notice of an error, with the status of its response."""
    return Notice(problem=context.registry.message(error), status=status_of(error))


def page(request: Request, template: str, status: int = 200, /, **values: object) -> HTMLResponse:
    """Return a page. Its template also has `shared`; `portal` is the portal that it is about."""
    context = context_of(request)
    shared = {
        "form_token": context.keys.form_token,
        "needs_login": context.keys.needs_login,
        "path": request.url.path,
        "single": context.registry.single,
        "version": __version__,
    }
    values.setdefault("portal", "")
    tabs = tabs_of(str(values["portal"]), request.url.path)
    text = environment().get_template(template).render(values, shared=shared, tabs=tabs)
    return HTMLResponse(text, status)


def error_page(request: Request, status: int, sentence: str) -> HTMLResponse:
    return page(request, "error.html", status, sentence=sentence, phrase=HTTPStatus(status).phrase)


@cache
def environment() -> Environment:
    filters: dict[str, Callable[..., Any]] = {
        "brief": brief,
        "duration": duration,
        "margin": margin_text,
        "moment": _moment,
        "quoted": shlex.quote,  # for a shell
        "size": _size,
        "step": lambda text: quote(text, safe=""),
        "titled": lambda title, url: named(title, url or ""),
        "topic": topic_text,
    }
    return filled_from("motherlode.app.web", filters)


def _moment(at: float) -> str:
    """Return a time in UTC; scripts show it in the reader's time zone."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (ValueError, OverflowError, OSError):  # out of the calendar's range
        return ""


def _size(number: float) -> str:
    """Return a size such as `0 B`, `12 KB` or `3.4 MB`."""
    for unit in ("B", "KB", "MB", "GB"):
        if number < _KILO:
            return f"{number:.0f} {unit}" if number >= 10 or unit == "B" else f"{number:.1f} {unit}"  # noqa: PLR2004
        number /= _KILO
    return f"{number:,.1f} TB"
