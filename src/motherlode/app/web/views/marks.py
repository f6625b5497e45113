"""Marks on pages, and what learning from them changes: shown first, then kept."""

from typing import Annotated, Literal
from urllib.parse import parse_qsl

import msgspec
from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from motherlode.app.jobs import commands
from motherlode.app.jobs.records import Job
from motherlode.app.server.context import Here
from motherlode.app.server.events import lines_in
from motherlode.app.services.mark_views import Words, mark, marks_at
from motherlode.app.services.questions import Question, remembered
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.records import LodeError
from motherlode.topics import OTHERS
from motherlode.training.review import Effect

router = APIRouter()
Query = Annotated[str, Form(max_length=40_000)]
_LAST = 20  # lines of a job


@router.get("/portals/{portal}/marks")
def listed(request: Request, here: Here, portal: str) -> Response:
    marks = marks_at(here.shelf, portal)
    waiting = sum(not one.learned for one in marks)
    return page(request, "marks.html", portal=portal, marks=marks, waiting=waiting)


@router.post("/portals/{portal}/marks")
def give(  # noqa: PLR0913 - one for each field
    here: Here,
    portal: str,
    *,
    word: Annotated[Literal["good", "bad", "drop", "clear", "undo"], Form()],
    url: Annotated[str, Form(max_length=4_000)] = "",
    topic: Annotated[str, Form(max_length=2_000)] = "",
    back: Annotated[Literal["search", "page", "marks"], Form()] = "search",
    next: Query = "",  # noqa: A002 - what stands in the address that one comes back to
) -> Response:
    if word == "undo":
        mark(here.shelf, portal, Words(undo=True))
    else:
        mark(here.shelf, portal, msgspec.convert({word: (url,), "topic": topic.strip()}, Words))
    return see(portal_address(portal, f"/{back}{f'?{next}' if next else ''}"))


@router.post("/portals/{portal}/train")
def train(here: Here, portal: str, query: Query = "", *, keep: Annotated[bool, Form()] = False) -> Response:
    """Show what learning would change, or have it done. With a query, its results are looked at in order."""
    sought = bool(query) and not keep and _remember(here, portal, query)
    command = commands.train(offline=keep, preview=not keep, results=sought)
    job = here.board.ask(portal, command)
    return see(portal_address(portal, f"/changes/{job.id}"))


def _remember(here: Here, portal: str, query: str) -> bool:
    """Have this be the last search; whether it is one at all."""
    said: dict[str, object] = {}
    known = msgspec.structs.asdict(Question())
    for name, value in parse_qsl(query):
        if isinstance(known.get(name), tuple):
            said[name] = (*said.get(name, ()), value)  # type: ignore[misc]  # a tuple of its values so far
        elif name in known:
            said[name] = value
    try:
        remembered(here.desks, portal, msgspec.convert(said | {"page": 1}, Question, strict=False))
    except (LodeError, msgspec.ValidationError):
        return False
    return True


@router.get("/portals/{portal}/changes/{job}")
def changes(request: Request, here: Here, portal: str, job: str) -> Response:
    found = here.board.job(portal, job)
    said = lines_in(here.board.folder(portal, job).lines()[0])[-_LAST:] if found.exit_code is not None else []
    effect = effect_of(found)
    return page(
        request,
        "changes.html",
        portal=portal,
        job=found,
        effect=effect,
        preview="--preview" in found.options,
        lines=said,
        others=OTHERS,
    )


def effect_of(job: Job) -> Effect | None:
    """What a job of `train` or `judge` changed, or would; None: it says nothing of that."""
    if not isinstance(job.result, dict):
        return None
    try:
        return msgspec.convert(job.result.get("effect", job.result), Effect)
    except msgspec.ValidationError:
        return None
