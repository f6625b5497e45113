"""Log in with the token, and out; the login is kept in a cookie."""

from http import HTTPStatus
from time import time
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from motherlode.app.server.context import Context
from motherlode.app.server.guard import cookie_name
from motherlode.app.server.keys import SESSION_SECONDS
from motherlode.app.web.forms import see
from motherlode.app.web.pages import page

router = APIRouter()


@router.get("/login")
def ask(request: Request, context: Context, next: str = "/") -> Response:  # noqa: A002 - the parameter of the address
    if not context.keys.needs_login:
        return see("/")
    return page(request, "login.html", next=local(next), problem="")


@router.post("/login")
def login(
    request: Request,
    context: Context,
    token: Annotated[str, Form(max_length=500)],
    next: Annotated[str, Form(max_length=4_000)] = "/",  # noqa: A002 - as above
) -> Response:
    visitor = request.client.host if request.client is not None else ""
    refusal = context.limits.check_token(context.keys, visitor, token.strip())
    if refusal is not None:
        status = 403 if refusal.status == HTTPStatus.UNAUTHORIZED else refusal.status
        return page(request, "login.html", status, next=local(next), problem=refusal.why)
    response = see(local(next))
    response.set_cookie(
        cookie_name(request.scope),
        context.keys.new_session(time()),
        max_age=int(SESSION_SECONDS),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


@router.post("/logout")
def logout(request: Request) -> Response:
    response = see("/login")
    response.delete_cookie(cookie_name(request.scope), httponly=True, samesite="strict")
    return response


def local(address: str) -> str:
    r"""Return an address to go to after a login: never one of another server.

    >>> local("/portals/owls?q=1"), local("//else.example")
    ('/portals/owls?q=1', '/')
    >>> local("https://else.example"), local("/\\x")
    ('/', '/')
    """
    fits = address.startswith("/") and not address.startswith("//") and address.isprintable()
    return address if fits and "\\" not in address else "/"
