"""Relevance marks, and what training with them changes: shown first, then stored."""

from typing import Annotated, Literal
from urllib.parse import parse_qsl

import msgspec
from fastapi import APIRouter, Form, Request
from msgspec.structs import replace
from starlette.responses import Response

from motherlode.app.jobs.commands import train_command
from motherlode.app.jobs.records import Job
from motherlode.app.requests.feedback import MarkRequest
from motherlode.app.requests.query_string import request_from_query
from motherlode.app.requests.search import SearchParameters
from motherlode.app.requests.training import TrainRequest
from motherlode.app.server.context import Context
from motherlode.app.server.events import lines_in
from motherlode.app.services.feedback.marks import (
    mark_pages,
    marks_at,
    training_is_undoable_at,
)
from motherlode.app.services.search.parameters import save_search
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.portal.lock import holder_of
from motherlode.records import LodeError
from motherlode.topics import OTHERS
from motherlode.training.feedback.review import Effect

router = APIRouter()
Query = Annotated[str, Form(max_length=40_000)]
MAX_LINES_SHOWN = 20  # of a job


@router.get("/portals/{portal}/marks")
def list_marks(request: Request, context: Context, portal: str) -> Response:
    marks = marks_at(context.registry, portal)
    waiting = sum(not mark.learned for mark in marks)
    return page(
        request,
        "marks.html",
        portal=portal,
        marks=marks,
        waiting=waiting,
        undoable=training_is_undoable_at(context.registry, portal),
        writing=holder_of(context.registry.path(portal)),
    )


@router.post("/portals/{portal}/marks")
def give(  # noqa: PLR0913 - one for each field
    context: Context,
    portal: str,
    *,
    word: Annotated[Literal["good", "bad", "drop", "clear", "undo"], Form()],
    url: Annotated[str, Form(max_length=4_000)] = "",
    topic: Annotated[str, Form(max_length=2_000)] = "",
    back: Annotated[Literal["search", "page", "marks"], Form()] = "search",
    next: Query = "",  # noqa: A002 - the query of the address to return to
) -> Response:
    marks = {"undo": True} if word == "undo" else {word: (url,), "topic": topic.strip() or None}
    mark_pages(context.registry.path(portal), msgspec.convert(marks, MarkRequest))
    return see(portal_address(portal, f"/{back}{f'?{next}' if next else ''}"))


@router.post("/portals/{portal}/train")
def train(
    context: Context,
    portal: str,
    query: Query = "",
    *,
    keep: Annotated[bool, Form()] = False,
    undo: Annotated[bool, Form()] = False,
) -> Response:
    """Show what training would change, train, or take back the latest training.

    With a query, its results are shown in their new order.
    """
    if undo:
        request = TrainRequest(undo=True)
    else:
        has_search = bool(query) and not keep and _save_search(context, portal, query)
        request = TrainRequest(offline=keep, preview=not keep, results=has_search)
    job = context.queue.submit(portal, train_command(request))
    return see(portal_address(portal, f"/changes/{job.id}"))


def _save_search(context: Context, portal: str, query: str) -> bool:
    """Store a search as the last one, and return whether it is a search at all."""
    try:
        parameters = request_from_query(SearchParameters, parse_qsl(query))
        save_search(context.search_pool, portal, replace(parameters, page=1))
    except (LodeError, msgspec.ValidationError):
        return False
    return True


@router.get("/portals/{portal}/changes/{job}")
def changes(request: Request, context: Context, portal: str, job: str) -> Response:
    job_now = context.queue.job(portal, job)
    lines = (
        lines_in(context.queue.folder(portal, job).output()[0])[-MAX_LINES_SHOWN:]
        if job_now.exit_code is not None
        else []
    )
    effect = effect_of(job_now)
    return page(
        request,
        "changes.html",
        portal=portal,
        job=job_now,
        effect=effect,
        preview="--preview" in job_now.options,
        undone="--undo" in job_now.options,
        lines=lines,
        others=OTHERS,
    )


def effect_of(job: Job) -> Effect | None:
    """Return what a `train` or `judge` job changed or would change, or None if it does not say."""
    if not isinstance(job.result, dict):
        return None
    try:
        return msgspec.convert(job.result.get("effect", job.result), Effect)
    except msgspec.ValidationError:
        return None
