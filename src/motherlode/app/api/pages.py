"""Pages as they are kept."""

from fastapi import APIRouter
from starlette.responses import Response

from motherlode.app.api.describing import Json, answers
from motherlode.app.api.portals import Name
from motherlode.app.api.search import Links, Url
from motherlode.app.server.context import Here
from motherlode.app.services.pages import PageView, original, page_view

router = APIRouter(tags=["pages"])
BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


@router.get(
    "/portals/{portal}/pages",
    summary="A page: what it says, why it is there, what links to it",
    **answers(PageView),
)
def page(here: Here, portal: Name, url: Url, links: Links = 50) -> Json:
    return Json(page_view(here.shelf, portal, url, links))


@router.get(
    "/portals/{portal}/pages/original",
    summary="What was fetched, as it came",
    response_class=Response,
    responses={200: {"description": "The body of the response.", "content": BYTES}},
)
def body(here: Here, portal: Name, url: Url) -> Response:
    found = original(here.shelf, portal, url)
    kept = {"Content-Disposition": 'attachment; filename="original"'}
    return Response(found.body, media_type="application/octet-stream", headers=kept)
