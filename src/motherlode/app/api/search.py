"""Searching, and why a page is there or is not."""

from typing import Annotated

from fastapi import APIRouter, Query

from motherlode.app.api.describing import Json, answers
from motherlode.app.api.portals import Name
from motherlode.app.server.context import Here
from motherlode.app.services.pages import explained
from motherlode.app.services.questions import Question, found
from motherlode.app.services.search import Found
from motherlode.explain.explanations import Explanation
from motherlode.search.query import MAX_QUERY_CHARS
from motherlode.search.ranking import DEFAULT_RANKING

router = APIRouter(tags=["search"])
Values = Annotated[list[Annotated[str, Query(max_length=500)]], Query(max_length=50)]
Url = Annotated[str, Query(min_length=1, max_length=4_000, description="The page's address.")]
Links = Annotated[int, Query(ge=0, le=1_000, description="So many of its links, best first.")]


@router.get("/portals/{portal}/search", summary="Search the pages: `lode search`", **answers(Found))
def search(  # noqa: PLR0913 - one for each option
    here: Here,
    portal: Name,
    *,
    q: Annotated[
        str, Query(max_length=MAX_QUERY_CHARS, description="The query.", examples=["barn owls"])
    ] = "",
    like: Annotated[str, Query(max_length=4_000, description="Instead: pages like this one.")] = "",
    topic: Annotated[str, Query(max_length=2_000)] = "",
    site: Values = [],  # noqa: B006 - FastAPI copies it
    type: Values = [],  # noqa: A002, B006 - as on the command line
    language: Values = [],  # noqa: B006
    since: Annotated[str, Query(max_length=40, examples=["2026-11-30", "7d"])] = "",
    until: Annotated[str, Query(max_length=40)] = "",
    rank: Annotated[str, Query(max_length=500, description="What the order is made of.")] = DEFAULT_RANKING,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 10,
    page: Annotated[int, Query(ge=1, le=1_000)] = 1,
    any: bool = False,  # noqa: A002
    why: bool = False,
) -> Json:
    filters = (tuple(site), tuple(type), tuple(language), since, until)
    question = Question(q, like, topic, *filters, rank, any, limit, page, why)
    return Json(found(here.desks, portal, question))


@router.get(
    "/portals/{portal}/explain",
    summary="Why a page is there, or is not: `lode explain`",
    **answers(Explanation),
)
def explain(here: Here, portal: Name, url: Url, links: Links = 10) -> Json:
    return Json(explained(here.shelf, portal, url, links))
