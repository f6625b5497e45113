"""What goes wrong, in one sentence: a page for a person, JSON for a program, with the status that fits."""

import logging
from http import HTTPStatus
from typing import Protocol
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from motherlode.app.jobs.queue import BusyError, NoJobError
from motherlode.app.server.rules import Refusal, is_api
from motherlode.export.cleaning import plain
from motherlode.records import (
    BadInputError,
    DiskFullError,
    LockedError,
    LodeError,
    NoPortalError,
    NoSuchTopicError,
    ReadOnlyError,
    StoreError,
    StoreGoneError,
    TopicError,
    UsageError,
)
from motherlode.urls import UrlError

LOG = logging.getLogger("motherlode.serving")
BUG = "This is a bug in Motherlode; the server's log says more."

# The first that fits.
_STATUS: tuple[tuple[type[LodeError], int], ...] = (
    (NoPortalError, 404),
    (NoSuchTopicError, 404),
    (NoJobError, 404),
    (BusyError, 429),
    (LockedError, 409),
    (UsageError, 400),
    (BadInputError, 400),
    (TopicError, 400),
    (UrlError, 400),
    (DiskFullError, 507),
    (ReadOnlyError, 403),
    (StoreGoneError, 503),
    (StoreError, 500),
    (LodeError, 409),
)


_SENTENCES = {
    404: "There is no such page here.",
    405: "That cannot be done here.",
}


class ErrorPage(Protocol):
    """Makes a page of a sentence."""

    def __call__(self, request: Request, status: int, sentence: str) -> Response: ...


def install(app: FastAPI, page: ErrorPage) -> None:
    """Have every error of an application told; `page` makes the page for a person."""
    app.state.error_page = page
    app.add_exception_handler(LodeError, _lode_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def status_of(error: LodeError) -> int:
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def refusal_response(request: Request, refusal: Refusal) -> Response:
    """The answer to a request that may not pass; who only has to log in is shown where."""
    page_wanted = refusal.status == HTTPStatus.UNAUTHORIZED and request.method == "GET"
    if page_wanted and not is_api(request.url.path):
        return RedirectResponse(f"/login?next={quote(_path_of(request))}", 303)
    response = told(request, refusal.status, refusal.why)
    response.headers.update(refusal.headers)
    return response


def told(request: Request, status: int, sentence: str) -> Response:
    """An error in the form that its reader wants."""
    if is_api(request.url.path):
        return JSONResponse({"error": sentence}, status)
    page: ErrorPage = request.app.state.error_page
    return page(request, status, sentence)


def _lode_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, LodeError)  # noqa: S101 - it is registered for these
    parent = (
        f"{request.app.state.services.shelf.parent}/"  # where it lies on this machine is nobody's business
    )
    return told(request, status_of(error), plain(str(error)).replace(parent, ""))


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
    first = error.errors()[0]
    place = ".".join(str(step) for step in first["loc"][1:])
    said = f"{place}: {first['msg']}" if place else str(first["msg"])
    return told(request, 422, plain(f"{said[:300]}."))


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - as above
    sentence = _SENTENCES.get(error.status_code, "") if _is_phrase(error) else str(error.detail)
    response = told(request, error.status_code, sentence or f"{error.detail}.")
    response.headers.update(error.headers or {})
    return response


def _is_phrase(error: HTTPException) -> bool:
    """Whether nothing is said but what the status says."""
    return error.detail == HTTPStatus(error.status_code).phrase


def _path_of(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
