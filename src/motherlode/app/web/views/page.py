"""One page: what it says, why it is here, and what it looked like."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from motherlode.app.serving.services import Here
from motherlode.app.serving.viewing import page_view
from motherlode.app.web.pages import page
from motherlode.store import topics as topic_rows
from motherlode.topics import TopicTree, show_path

router = APIRouter()
Url = Annotated[str, Query(min_length=1, max_length=4_000)]


@router.get("/portals/{portal}/page")
def view(request: Request, here: Here, portal: str, url: Url) -> Response:
    seen = page_view(here.shelf, portal, url)
    with here.shelf.reading(portal) as opened, opened.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        topics = [show_path(tree.path(topic.id)) for topic in tree if not topic.is_others]
    return page(request, "page.html", portal=portal, seen=seen, why=seen.explanation, topics=topics)
