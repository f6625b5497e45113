"""Search, and explanations of single URLs."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from motherlode.app.api.body import QueryParameters
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, answers, takes
from motherlode.app.requests.search import SearchParameters
from motherlode.app.server.context import Context
from motherlode.app.services.pages import explanation_at
from motherlode.app.services.search.parameters import search_portal
from motherlode.app.services.search.searcher import SearchAnswer
from motherlode.explain.explanations import EXPLAINED_LINKS, Explanation

router = APIRouter(tags=["search"])
Parameters = Annotated[SearchParameters, Depends(QueryParameters(SearchParameters))]
Url = Annotated[str, Query(min_length=1, max_length=4_000, description="The URL of the page.")]
Links = Annotated[int, Query(ge=0, le=1_000, description="The number of its links, best first.")]


@router.get(
    "/portals/{portal}/search",
    summary="Search the pages: `lode search`",
    **answers(SearchAnswer),
    **takes(SearchParameters),
)
def search(context: Context, portal: Name, parameters: Parameters) -> Json:
    return Json(search_portal(context.search_pool, portal, parameters))


@router.get(
    "/portals/{portal}/explain",
    summary="Why the portal has a page, or has not: `lode explain`",
    **answers(Explanation),
)
def explain(context: Context, portal: Name, url: Url, links: Links = EXPLAINED_LINKS) -> Json:
    return Json(explanation_at(context.registry, portal, url, links))
