"""The collections of a portal by OAI-PMH 2.0, for harvesters."""

from typing import Annotated
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from motherlode.app.server.context import Context
from motherlode.app.services.oai.responses import oai_response

router = APIRouter(include_in_schema=False)
Name = Annotated[str, InPath(max_length=255)]
MAX_FORM_BYTES = 20_000
_FORM = "application/x-www-form-urlencoded"


@router.get("/portals/{portal}/oai")
def get(request: Request, context: Context, portal: Name) -> Response:
    return _respond(request, context, portal, request.query_params.multi_items())


@router.post("/portals/{portal}/oai")
async def post(request: Request, context: Context, portal: Name) -> Response:
    body = await request.body()
    is_form = request.headers.get("content-type", "").partition(";")[0].strip().lower() == _FORM
    text = body[:MAX_FORM_BYTES].decode(errors="replace") if is_form else ""
    pairs = parse_qsl(text, keep_blank_values=True)
    return await run_in_threadpool(_respond, request, context, portal, pairs)


def _respond(
    request: Request, context: Context, portal: str, pairs: list[tuple[str, str]]
) -> Response:
    base_url = f"{str(request.base_url).rstrip('/')}/portals/{quote(portal)}/oai"
    body = oai_response(context.registry, portal, base_url, pairs)
    return Response(body, media_type="text/xml")
