"""Relevance marks, and training and judging with them."""

from typing import Annotated

from fastapi import APIRouter, Depends
from msgspec.structs import replace

from motherlode.app.api.body import JsonBody
from motherlode.app.api.jobs import STARTED
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.jobs.commands import judge_command, train_command
from motherlode.app.requests.feedback import MarkRequest
from motherlode.app.requests.training import JudgeRequest, TrainRequest
from motherlode.app.server.context import Context
from motherlode.app.services.feedback.marks import MarksResult, mark_pages, marks_at
from motherlode.training.feedback.mark_changes import ListedMark

router = APIRouter(tags=["marks"])


@router.get(
    "/portals/{portal}/marks", summary="All marks, the last first", **answers(list[ListedMark])
)
def marks(context: Context, portal: Name) -> Json:
    return Json(marks_at(context.registry, portal))


@router.post(
    "/portals/{portal}/marks",
    summary="Mark pages: `lode mark`",
    **answers(MarksResult),
    **accepts(MarkRequest),
)
def give(
    context: Context, portal: Name, body: Annotated[MarkRequest, Depends(JsonBody(MarkRequest))]
) -> Json:
    request = replace(body, topic=body.topic or None)
    return Json(mark_pages(context.registry.path(portal), request))


@router.post(
    "/portals/{portal}/train",
    summary="Learn, show what would change, or take it back: `lode train`",
    **STARTED,
    **accepts(TrainRequest),
)
def train(
    context: Context, portal: Name, body: Annotated[TrainRequest, Depends(JsonBody(TrainRequest))]
) -> Json:
    return Json(context.queue.submit(portal, train_command(body)), 202)


@router.post(
    "/portals/{portal}/judge",
    summary="Judge a page, or all pages again: `lode judge`",
    **STARTED,
    **accepts(JudgeRequest),
)
def judge(
    context: Context, portal: Name, body: Annotated[JudgeRequest, Depends(JsonBody(JudgeRequest))]
) -> Json:
    return Json(context.queue.submit(portal, judge_command(body)), 202)
