"""One page: its text, why the portal has it, and its original."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from motherlode.app.server.context import Context
from motherlode.app.services.pages import page_view
from motherlode.app.services.topics.views import topic_names_at
from motherlode.app.web.pages import page

router = APIRouter()
Url = Annotated[str, Query(min_length=1, max_length=4_000)]


@router.get("/portals/{portal}/page")
def view(request: Request, context: Context, portal: str, url: Url) -> Response:
    viewed = page_view(context.registry, portal, url)
    topics = topic_names_at(context.registry, portal)
    return page(
        request, "page.html", portal=portal, view=viewed, why=viewed.explanation, topics=topics
    )
