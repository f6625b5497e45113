"""One page: what it says, why it is here, and what it looked like."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from motherlode.app.server.context import Here
from motherlode.app.services.pages import page_view
from motherlode.app.services.topic_views import names_in
from motherlode.app.web.pages import page

router = APIRouter()
Url = Annotated[str, Query(min_length=1, max_length=4_000)]


@router.get("/portals/{portal}/page")
def view(request: Request, here: Here, portal: str, url: Url) -> Response:
    seen = page_view(here.shelf, portal, url)
    with here.shelf.reading(portal) as opened:
        topics = names_in(opened.tree())
    return page(request, "page.html", portal=portal, seen=seen, why=seen.explanation, topics=topics)
