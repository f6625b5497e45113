"""Feedback: accept, reject, move or trim the archetypes that a crawl has chosen."""

from time import time
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import Response

from motherlode.app.errors import NoJobError
from motherlode.app.jobs.commands import feedback_trial_command, train_command
from motherlode.app.jobs.records import Job
from motherlode.app.requests.command_line import request_from
from motherlode.app.requests.feedback import (
    MAX_FEEDBACK_PAGES,
    FeedbackRequest,
    MarkRequest,
    PageMove,
)
from motherlode.app.requests.training import TrainRequest
from motherlode.app.server.context import Context, ServerContext
from motherlode.app.server.flash_messages import FlashMessage
from motherlode.app.services.feedback.archetypes import FeedbackResult, block_list, store_feedback
from motherlode.app.services.feedback.marks import mark_pages
from motherlode.app.services.feedback.questions import (
    DEFAULT_QUESTIONS,
    MAX_QUESTIONS,
    questions_at,
)
from motherlode.app.services.feedback.views import blocks_at, review_at
from motherlode.app.services.topics.views import path_at, topics_at
from motherlode.app.text import count
from motherlode.app.web.forms import form_of, request_in, see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import NO_NOTICE, Notice, page, problem_notice
from motherlode.policies.bingo.feedback import ALL
from motherlode.portal.lock import holder_of
from motherlode.records import BadInputError, LodeError, UsageError

router = APIRouter(prefix="/portals/{portal}/feedback")
_TRY = "try"
_WHOLE = "whole"
MAX_CHANGES_SHOWN = 10  # of an effect


async def feedback_in(request: Request) -> FeedbackRequest:
    """Return the feedback of the list's form: on each page by its number, and on the others."""
    form = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    urls: dict[str, list[str]] = {"accept": [], "reject": []}
    moves: list[PageMove] = []
    for number in range(MAX_FEEDBACK_PAGES):
        url, opinion = form.get(f"url-{number}", ""), form.get(f"say-{number}", "")
        if opinion == "move":
            moves.append(PageMove(url, form.get(f"goal-{number}", "")))
        elif opinion in urls:
            urls[opinion].append(url)
    if form.get("others", "") in urls:
        urls[form["others"]].append(ALL)
    texts = {"topic": form.get("within", ""), "note": form.get("note", "").strip()}
    return request_in(
        FeedbackRequest,
        texts,
        accept=tuple(urls["accept"]),
        reject=tuple(urls["reject"]),
        move=tuple(moves),
    )


FormFeedback = Annotated[FeedbackRequest, Depends(feedback_in)]


async def answers_in(request: Request) -> list[MarkRequest]:
    """Return the answers of the questions' form as marks; skipped questions have none."""
    form = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    marks = [
        {word: (form.get(f"url-{n}", ""),), "topic": form.get(f"topic-{n}") or None}
        for n in range(MAX_QUESTIONS)
        if (word := form.get(f"say-{n}", "")) in ("good", "bad")
    ]
    return msgspec.convert(marks, list[MarkRequest])


FormAnswers = Annotated[list[MarkRequest], Depends(answers_in)]


@router.get("")
def archetypes(
    request: Request, context: Context, portal: str, topic: int = 0, note: str = ""
) -> Response:
    notice = Notice(done=context.messages.pop(note).done)
    return _list(request, context, portal, topic, notice)


@router.get("/terms")
def archetypes_with_terms(
    request: Request, context: Context, portal: str, topic: int = 0
) -> Response:
    """Return the archetypes with the terms that decided, which takes a moment."""
    return _list(request, context, portal, topic, analysed=True)


@router.post("")
def give_feedback(
    request: Request,
    context: Context,
    portal: str,
    feedback: FormFeedback,
    act: Annotated[str, Form(max_length=10)] = "",
    topic: Annotated[int, Form(ge=0, le=2**31)] = 0,
) -> Response:
    try:
        if not feedback.changes_anything:
            raise UsageError("Say what to accept, reject or move first.")
        return _keep_or_try(context, portal, feedback, act)
    except LodeError as error:
        return _list(request, context, portal, topic, problem_notice(context, error))


@router.get("/page")
def blocks(request: Request, context: Context, portal: str, url: str) -> Response:
    return _blocks(request, context, portal, url)


@router.post("/page")
def trim(
    request: Request,
    context: Context,
    portal: str,
    url: Annotated[str, Form(max_length=4_000)],
    act: Annotated[str, Form(max_length=10)] = "",
    block: Annotated[list[int] | None, Form()] = None,
) -> Response:
    try:
        if not block and act != _WHOLE:
            raise UsageError("Choose at least one block; only these blocks are learned from.")
        chosen = ALL if act == _WHOLE else block_list(block or ())
        return _keep_or_try(context, portal, FeedbackRequest(trim=url, blocks=chosen), act)
    except LodeError as error:
        return _blocks(request, context, portal, url, problem_notice(context, error))


@router.get("/effect/{job}")
def effect(request: Request, context: Context, portal: str, job: str) -> Response:
    trial = _trial(context, portal, job)
    writing = holder_of(context.registry.path(portal))
    return page(
        request,
        "feedback_effect.html",
        portal=portal,
        job=trial,
        feedback=request_from(FeedbackRequest, trial.options),
        done=_outcome(trial),
        most=MAX_CHANGES_SHOWN,
        writing=writing,
    )


@router.post("/effect/{job}")
def accept(context: Context, portal: str, job: str) -> Response:
    """Store the feedback that was tried."""
    trial = _trial(context, portal, job)
    return _keep_or_try(context, portal, request_from(FeedbackRequest, trial.options), "")


@router.get("/ask")
def questions(request: Request, context: Context, portal: str) -> Response:
    """Return the pages whose answers would teach most."""
    return _questions(request, context, portal)


@router.post("/ask")
def answer(request: Request, context: Context, portal: str, answers: FormAnswers) -> Response:
    """Store the answers as marks, and start a job that shows what training changes."""
    now = time()
    try:
        if not answers:
            raise UsageError("Answer at least one question with yes or no.")
        for mark in answers:
            mark_pages(context.registry.path(portal), mark, now)
        job = context.queue.submit(portal, train_command(TrainRequest(offline=True, preview=True)))
    except LodeError as error:
        return _questions(request, context, portal, problem_notice(context, error))
    return see(portal_address(portal, f"/changes/{job.id}"))


@router.post("/undo")
def undo(request: Request, context: Context, portal: str) -> Response:
    """Take back the latest feedback."""
    try:
        result = store_feedback(context.registry.path(portal), FeedbackRequest(undo=True))
    except LodeError as error:
        return _list(request, context, portal, 0, problem_notice(context, error))
    sentence = f"Took back the feedback on {count(result.undone, 'page')}."
    note = context.messages.add(FlashMessage(sentence))
    return see(portal_address(portal, f"/feedback?note={note}"))


def _keep_or_try(
    context: ServerContext, portal: str, feedback: FeedbackRequest, act: str
) -> Response:
    """Store feedback, or start a job that shows what it would change."""
    if act == _TRY:
        job = context.queue.submit(portal, feedback_trial_command(feedback))
        return see(portal_address(portal, f"/feedback/effect/{job.id}"))
    result = store_feedback(context.registry.path(portal), feedback)
    note = context.messages.add(FlashMessage(f"Stored: {result.summary}."))
    return see(portal_address(portal, f"/feedback?note={note}"))


def _trial(context: ServerContext, portal: str, job: str) -> Job:
    trial = context.queue.job(portal, job)
    if trial.command != "feedback":
        raise NoJobError("There is no such job.")
    return trial


def _outcome(job: Job) -> FeedbackResult | None:
    try:
        return msgspec.convert(job.result, FeedbackResult)
    except msgspec.ValidationError:
        return None


def _list(
    request: Request,
    context: ServerContext,
    portal: str,
    topic: int,
    notice: Notice = NO_NOTICE,
    *,
    analysed: bool = False,
) -> Response:
    within = path_at(context.registry, portal, topic) if topic else None
    return page(
        request,
        "feedback.html",
        notice.status,
        portal=portal,
        review=review_at(context.registry, portal, within, analysed=analysed),
        analysed=analysed,
        topic=topic,
        within=within or "",
        tree=topics_at(context.registry, portal).topics,
        note_field=form_of(FeedbackRequest).fields["note"],
        problem=notice.problem,
        done=notice.done,
        writing=holder_of(context.registry.path(portal)),
    )


def _questions(
    request: Request, context: ServerContext, portal: str, notice: Notice = NO_NOTICE
) -> Response:
    problem = notice.problem
    try:
        asked = questions_at(context.registry, portal, DEFAULT_QUESTIONS)
    except BadInputError as error:
        asked, problem = [], problem or context.registry.message(error)
    return page(
        request,
        "feedback_ask.html",
        notice.status,
        portal=portal,
        questions=asked,
        problem=problem,
        writing=holder_of(context.registry.path(portal)),
    )


def _blocks(
    request: Request, context: ServerContext, portal: str, url: str, notice: Notice = NO_NOTICE
) -> Response:
    return page(
        request,
        "feedback_page.html",
        notice.status,
        portal=portal,
        shown=blocks_at(context.registry, portal, url),
        problem=notice.problem,
        writing=holder_of(context.registry.path(portal)),
    )
