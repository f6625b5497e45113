"""Feedback: what a crawl chose to learn from, for a person to accept, reject, move or trim."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import Response

from motherlode.app.jobs.commands import train
from motherlode.app.jobs.queue import NoJobError
from motherlode.app.jobs.records import Job
from motherlode.app.server.context import Here, Services
from motherlode.app.server.errors import status_of
from motherlode.app.server.notes import Note
from motherlode.app.services.feedback import Done, Sayings, blocks_written, sayings_in
from motherlode.app.services.feedback_views import MOST, blocks_at, keep_at, review_at, tried
from motherlode.app.services.topic_views import path_at, topics_at
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.policies.bingo.feedback import ALL
from motherlode.portal.lock import holder_of
from motherlode.records import LodeError, UsageError

router = APIRouter(prefix="/portals/{portal}/feedback")
_TRY = "try"
_WHOLE = "whole"
_SHOWN = 10  # ways and pages of an effect


async def said_in(request: Request) -> Sayings:
    """What the list's form says: of each page by a number, and of the others."""
    form = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    ways: dict[str, list[str]] = {"accept": [], "reject": []}
    moves: list[tuple[str, str]] = []
    for number in range(MOST):
        url, way = form.get(f"url-{number}", ""), form.get(f"say-{number}", "")
        if way == "move":
            moves.append((url, form.get(f"goal-{number}", "")))
        elif way in ways:
            ways[way].append(url)
    if form.get("others", "") in ways:
        ways[form["others"]].append(ALL)
    topic = form.get("within") or None
    note = form.get("note", "").strip()
    return Sayings(tuple(ways["accept"]), tuple(ways["reject"]), tuple(moves), topic=topic, note=note)


Said = Annotated[Sayings, Depends(said_in)]


@router.get("")
def archetypes(request: Request, here: Here, portal: str, topic: int = 0, note: str = "") -> Response:
    return _list(request, here, portal, topic, done=here.notes.take(note).done)


@router.get("/told")
def told(request: Request, here: Here, portal: str, topic: int = 0) -> Response:
    """The same with what carried the judgement, which takes a moment."""
    return _list(request, here, portal, topic, analysed=True)


@router.post("")
def say(
    request: Request,
    here: Here,
    portal: str,
    said: Said,
    act: Annotated[str, Form(max_length=10)] = "",
    topic: Annotated[int, Form(ge=0, le=2**31)] = 0,
) -> Response:
    try:
        if not said.are_any:
            raise UsageError("Say what to accept, reject or move first.")
        return _said(here, portal, said, act)
    except LodeError as error:
        return _list(request, here, portal, topic, problem=here.shelf.told(error), status=status_of(error))


@router.get("/page")
def blocks(request: Request, here: Here, portal: str, url: str) -> Response:
    return _blocks(request, here, portal, url)


@router.post("/page")
def trim(
    request: Request,
    here: Here,
    portal: str,
    url: Annotated[str, Form(max_length=4_000)],
    act: Annotated[str, Form(max_length=10)] = "",
    block: Annotated[list[int] | None, Form()] = None,
) -> Response:
    try:
        if not block and act != _WHOLE:
            raise UsageError("Choose at least one block; the page is learned from by these alone.")
        chosen = ALL if act == _WHOLE else blocks_written(block or ())
        return _said(here, portal, Sayings(trim=url, blocks=chosen), act)
    except LodeError as error:
        return _blocks(request, here, portal, url, here.shelf.told(error), status_of(error))


@router.get("/effect/{job}")
def effect(request: Request, here: Here, portal: str, job: str) -> Response:
    found = _trial(here, portal, job)
    writing = holder_of(here.shelf.path(portal))
    return page(
        request,
        "feedback_effect.html",
        portal=portal,
        job=found,
        said=sayings_in(found.options),
        done=_outcome(found),
        most=_SHOWN,
        writing=writing,
    )


@router.post("/effect/{job}")
def accept(here: Here, portal: str, job: str) -> Response:
    """Keep what was tried."""
    return _said(here, portal, sayings_in(_trial(here, portal, job).options), "")


@router.post("/train")
def learn(here: Here, portal: str) -> Response:
    job = here.board.ask(portal, train())
    return see(portal_address(portal, f"/jobs/{job.id}"))


def _said(here: Services, portal: str, said: Sayings, act: str) -> Response:
    """Keep it, or work out what it would change."""
    if act == _TRY:
        job = here.board.ask(portal, tried(said))
        return see(portal_address(portal, f"/feedback/effect/{job.id}"))
    done = keep_at(here.shelf, portal, said)
    note = here.notes.leave(Note(f"Kept: {done.told}."))
    return see(portal_address(portal, f"/feedback?note={note}"))


def _trial(here: Services, portal: str, job: str) -> Job:
    found = here.board.job(portal, job)
    if found.command != "feedback":
        raise NoJobError("There is no such job.")
    return found


def _outcome(job: Job) -> Done | None:
    try:
        return msgspec.convert(job.result, Done)
    except msgspec.ValidationError:
        return None


def _list(  # noqa: PLR0913 - what the page says besides the archetypes
    request: Request,
    here: Services,
    portal: str,
    topic: int,
    *,
    analysed: bool = False,
    problem: str = "",
    status: int = 200,
    done: str = "",
) -> Response:
    within = path_at(here.shelf, portal, topic) if topic else None
    return page(
        request,
        "feedback.html",
        status,
        portal=portal,
        review=review_at(here.shelf, portal, within, analysed=analysed),
        analysed=analysed,
        topic=topic,
        within=within or "",
        tree=topics_at(here.shelf, portal).topics,
        problem=problem,
        done=done,
        writing=holder_of(here.shelf.path(portal)),
    )


def _blocks(
    request: Request, here: Services, portal: str, url: str, problem: str = "", status: int = 200
) -> Response:
    return page(
        request,
        "feedback_page.html",
        status,
        portal=portal,
        shown=blocks_at(here.shelf, portal, url),
        problem=problem,
        writing=holder_of(here.shelf.path(portal)),
    )
