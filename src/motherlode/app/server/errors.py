"""Errors as responses: a page for users, JSON for programs, one sentence with a fitting status."""

import logging
import re
from http import HTTPStatus
from typing import Protocol
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from motherlode.app.errors import BusyError, NoJobError, NoSuchSiteError
from motherlode.app.server.rules import Refusal, is_api
from motherlode.export.text_cleaner import plain
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
MAX_ERROR_CHARS = 300
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?:key in )?\$\.?(?P<place>.*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>.*)`", re.DOTALL)
BUG = "This is a bug in Motherlode; the server's log says more."

# The first kind that an error belongs to counts.
_STATUS: tuple[tuple[type[LodeError], int], ...] = (
    (NoPortalError, 404),
    (NoSuchTopicError, 404),
    (NoJobError, 404),
    (NoSuchSiteError, 404),
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
    """Returns a page that shows a sentence."""

    def __call__(self, request: Request, status: int, sentence: str) -> Response: ...


def install(app: FastAPI, page: ErrorPage) -> None:
    """Let an application respond to every error; `page` makes the pages that users see."""
    app.state.error_page = page
    app.add_exception_handler(LodeError, _lode_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def status_of(error: LodeError) -> int:
    return next(status for kind, status in _STATUS if isinstance(error, kind))


def validation_sentence(error: Exception) -> str:
    """Return the message of a msgspec error as a sentence that begins with the field's name.

    >>> validation_sentence(ValueError("Expected `int`, got `str` - at `$.pages`"))
    'pages: Expected `int`, got `str`.'
    >>> validation_sentence(ValueError("Object contains unknown field `pagse`"))
    'pagse: There is no such field.'
    """
    text = str(error)
    unknown = _UNKNOWN.match(text)
    if unknown is not None:
        return plain(f"{unknown['name'][:MAX_ERROR_CHARS]}: There is no such field.")
    match = _PLACE.fullmatch(text[:MAX_ERROR_CHARS])
    problem, place = (match["what"], match["place"]) if match else (text, "")
    return plain(f"{place}: {problem}." if place else f"{problem}.")


def refusal_response(request: Request, refusal: Refusal) -> Response:
    """Return the response to a refused request: the login page, if that is all that is missing."""
    needs_login = refusal.status == HTTPStatus.UNAUTHORIZED and request.method == "GET"
    if needs_login and not is_api(request.url.path):
        return RedirectResponse(f"/login?next={quote(_path_of(request))}", 303)
    response = error_response(request, refusal.status, refusal.why)
    response.headers.update(refusal.headers)
    return response


def error_response(request: Request, status: int, sentence: str) -> Response:
    """Return an error as JSON for the API, and as a page for users."""
    if is_api(request.url.path):
        return JSONResponse({"error": sentence}, status)
    page: ErrorPage = request.app.state.error_page
    return page(request, status, sentence)


def _lode_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, LodeError)  # noqa: S101 - it is registered for these
    # Where the portals are on this machine is not for visitors.
    parent = f"{request.app.state.context.registry.parent}/"
    return error_response(request, status_of(error), plain(str(error)).replace(parent, ""))


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - as above
    first = error.errors()[0]
    place = ".".join(str(step) for step in first["loc"][1:])
    sentence = f"{place}: {first['msg']}" if place else str(first["msg"])
    return error_response(request, 422, plain(f"{sentence[:MAX_ERROR_CHARS]}."))


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - as above
    sentence = _SENTENCES.get(error.status_code, "") if _is_phrase(error) else str(error.detail)
    response = error_response(request, error.status_code, sentence or f"{error.detail}.")
    response.headers.update(error.headers or {})
    return response


def _is_phrase(error: HTTPException) -> bool:
    """Return whether an error has no message but the phrase of its status."""
    return error.detail == HTTPStatus(error.status_code).phrase


def _path_of(request: Request) -> str:
    return f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
