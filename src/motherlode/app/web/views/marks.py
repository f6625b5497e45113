"""Relevance marks, and what training with them changes: shown first, then stored."""

from typing import Annotated
from urllib.parse import parse_qsl

import msgspec
from fastapi import APIRouter, Request
from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import Response

from motherlode.app.jobs.commands import train_command
from motherlode.app.jobs.records import Job
from motherlode.app.requests.feedback import MarkRequest, MarkTopic
from motherlode.app.requests.fields import MAX_URL_CHARS, check_values, described
from motherlode.app.requests.query_string import request_from_query
from motherlode.app.requests.search import SearchParameters
from motherlode.app.requests.training import TrainRequest, UndoTraining
from motherlode.app.server.context import Context
from motherlode.app.server.events import lines_in
from motherlode.app.services.feedback.marks import (
    mark_pages,
    marks_at,
    training_is_undoable_at,
)
from motherlode.app.services.search.parameters import save_search
from motherlode.app.web.forms import FormTexts, request_in, see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.portal.lock import holder_of
from motherlode.records import LodeError
from motherlode.topics import OTHERS
from motherlode.training.feedback.review import Effect

router = APIRouter()
MAX_LINES_SHOWN = 20  # of a job
_WORDS = ("good", "bad", "drop", "clear", "undo")
_PLACES = ("search", "page", "marks")

MarkWord = Annotated[str, described("What is said about the page.", choices=lambda: _WORDS)]
ReturnPage = Annotated[str, described("The page that is shown next.", choices=lambda: _PLACES)]
Query = Annotated[str, described("The query of an address.", max_length=40_000)]
MarkedUrl = Annotated[str, described("The page.", max_length=MAX_URL_CHARS)]
KeepTraining = Annotated[bool, described("Store the training, rather than show its effect.")]


class MarkForm(Struct, frozen=True, kw_only=True):
    """A mark on one page; `next` is the query of the address to return to."""

    word: MarkWord
    url: MarkedUrl = ""
    topic: MarkTopic = ""
    back: ReturnPage = "search"
    next: Query = ""

    def __post_init__(self) -> None:
        check_values(self)

    @property
    def request(self) -> MarkRequest:
        if self.word == "undo":
            return MarkRequest(undo=True)
        return msgspec.convert({self.word: (self.url,), "topic": self.topic or None}, MarkRequest)


class TrainForm(Struct, frozen=True, kw_only=True):
    """A training; with a query, its results are shown in their new order."""

    query: Query = ""
    keep: KeepTraining = False
    undo: UndoTraining = False


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
def give(context: Context, portal: str, texts: FormTexts) -> Response:
    form = request_in(MarkForm, texts)
    mark_pages(context.registry.path(portal), form.request)
    return see(portal_address(portal, f"/{form.back}{f'?{form.next}' if form.next else ''}"))


@router.post("/portals/{portal}/train")
def train(context: Context, portal: str, texts: FormTexts) -> Response:
    """Show what training would change, train, or take back the latest training."""
    form = request_in(TrainForm, texts)
    if form.undo:
        request = TrainRequest(undo=True)
    else:
        previews = not form.keep
        has_search = bool(form.query) and previews and _save_search(context, portal, form.query)
        request = TrainRequest(offline=form.keep, preview=previews, results=has_search)
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
