"""Stored pages, and their originals."""

from fastapi import APIRouter
from starlette.responses import Response

from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, answers
from motherlode.app.api.search import Links, Url
from motherlode.app.server.context import Context
from motherlode.app.services.pages import MAX_LINKS_SHOWN, PageView, original, page_view

router = APIRouter(tags=["pages"])
BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


@router.get(
    "/portals/{portal}/pages",
    summary="A page: its text, why the portal has it, and the links to it",
    **answers(PageView),
)
def page(context: Context, portal: Name, url: Url, links: Links = MAX_LINKS_SHOWN) -> Json:
    return Json(page_view(context.registry, portal, url, links))


@router.get(
    "/portals/{portal}/pages/original",
    summary="A page as it was fetched",
    response_class=Response,
    responses={200: {"description": "The body of the response.", "content": BYTES}},
)
def body(context: Context, portal: Name, url: Url) -> Response:
    fetched = original(context.registry, portal, url)
    attachment = {"Content-Disposition": 'attachment; filename="original"'}
    return Response(fetched.body, media_type="application/octet-stream", headers=attachment)
