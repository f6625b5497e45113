"""Feedback on archetypes, as `lode feedback`; training is in `marks`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from motherlode.app.api.body import JsonBody
from motherlode.app.api.jobs import STARTED
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.jobs.commands import feedback_trial_command
from motherlode.app.requests.feedback import FeedbackRequest
from motherlode.app.server.context import Context
from motherlode.app.services.feedback.archetypes import Candidates, FeedbackResult, store_feedback
from motherlode.app.services.feedback.questions import (
    DEFAULT_QUESTIONS,
    MAX_QUESTIONS,
    AskedPage,
    questions_at,
)
from motherlode.app.services.feedback.views import BlocksShown, blocks_at, candidates_at
from motherlode.records import UsageError

router = APIRouter(prefix="/portals/{portal}", tags=["feedback"])
Body = Annotated[FeedbackRequest, Depends(JsonBody(FeedbackRequest))]


@router.get("/feedback", summary="The archetypes: `lode feedback`", **answers(Candidates))
def archetypes(
    context: Context,
    portal: Name,
    topic: Annotated[str | None, Query(max_length=20_000, min_length=1)] = None,
) -> Json:
    return Json(candidates_at(context.registry, portal, topic))


@router.get(
    "/feedback/questions",
    summary="The pages whose answers teach most: `lode feedback --ask`; marks answer them",
    **answers(list[AskedPage]),
)
def questions(
    context: Context,
    portal: Name,
    count: Annotated[int, Query(ge=1, le=MAX_QUESTIONS)] = DEFAULT_QUESTIONS,
    topic: Annotated[str | None, Query(max_length=20_000, min_length=1)] = None,
) -> Json:
    return Json(questions_at(context.registry, portal, count, topic))


@router.get(
    "/feedback/page", summary="A page in blocks: `lode feedback --show`", **answers(BlocksShown)
)
def blocks(context: Context, portal: Name, url: Annotated[str, Query(max_length=4_000)]) -> Json:
    return Json(blocks_at(context.registry, portal, url))


@router.post(
    "/feedback",
    summary="Accept, reject, move, trim, or take back the latest: `lode feedback`",
    **answers(FeedbackResult),
    **accepts(FeedbackRequest),
)
def feedback(context: Context, portal: Name, body: Body) -> Json:
    request = body if body.undo else _check(body)
    return Json(store_feedback(context.registry.path(portal), request))


@router.post(
    "/feedback/try",
    summary="What it would change: `lode feedback --try`",
    **STARTED,
    **accepts(FeedbackRequest),
)
def attempt(context: Context, portal: Name, body: Body) -> Json:
    return Json(context.queue.submit(portal, feedback_trial_command(_check(body))), 202)


def _check(body: FeedbackRequest) -> FeedbackRequest:
    if (body.trim is None) != (body.blocks is None):
        raise UsageError(
            "trim and blocks go together; feedback/page shows the numbers of the blocks."
        )
    if body.undo:
        raise UsageError("undo takes back the latest feedback, and cannot be tried.")
    if not body.changes_anything:
        raise UsageError("Say what to accept, reject, move or trim.")
    return body
