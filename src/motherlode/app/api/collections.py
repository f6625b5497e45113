"""The collections of a portal, as `lode collections`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi import Path as InPath

from motherlode.app.api.body import JsonBody
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.requests.collections import MAX_SHOWN_MEMBERS, CollectionsRequest
from motherlode.app.server.context import Context
from motherlode.app.services.collections import (
    ChoicesResult,
    CollectionSummary,
    CollectionView,
    collection_in,
    collections_in,
    make_choices,
)

router = APIRouter(prefix="/portals/{portal}/collections", tags=["collections"])
Body = Annotated[CollectionsRequest, Depends(JsonBody(CollectionsRequest))]
SubjectInPath = Annotated[
    str, InPath(max_length=20_000, description="The subject, as a topic path or number.")
]
MemberLimit = Annotated[
    int, Query(ge=1, le=MAX_SHOWN_MEMBERS, description="The number of members, best first.")
]


@router.get("", summary="All collections: `lode collections`", **answers(list[CollectionSummary]))
def collections(context: Context, portal: Name) -> Json:
    return Json(collections_in(context.registry.path(portal), CollectionsRequest()))


@router.get(
    "/{subject:path}",
    summary="The members of a collection: `lode collections DIR SUBJECT`",
    **answers(CollectionView),
)
def collection(
    context: Context, portal: Name, subject: SubjectInPath, limit: MemberLimit = 100
) -> Json:
    request = CollectionsRequest(subject=subject, limit=limit)
    return Json(collection_in(context.registry.path(portal), request))


@router.post(
    "",
    summary="Accept, reject, move, pin or clear pages, or take that back",
    **answers(ChoicesResult),
    **accepts(CollectionsRequest),
)
def choose(context: Context, portal: Name, body: Body) -> Json:
    return Json(make_choices(context.registry.path(portal), body))
