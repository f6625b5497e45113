"""Make a portal from an uploaded bookmark file, from topics with URLs, or from a query."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from msgspec import Struct
from msgspec.structs import replace
from starlette.datastructures import UploadFile
from starlette.responses import Response

from motherlode.app.requests.crawl import ContactRequest
from motherlode.app.requests.portals import NewPortalRequest, NewTopic
from motherlode.app.server.context import Context
from motherlode.app.services.portals.creation import BookmarkFile, create_served_portal
from motherlode.app.web.forms import form_of, form_texts, request_in, see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import NO_NOTICE, Notice, page, problem_notice
from motherlode.records import LodeError
from motherlode.topics import OTHERS

router = APIRouter()
WAYS = ("bookmarks", "topics", "query")
MIN_TOPIC_ROWS = 3  # that can be filled in without a script


class NewPortalForm(Struct, frozen=True):
    """The form as the user filled it in: its texts, its topics with their seeds, and its file."""

    texts: dict[str, str]
    topics: tuple[tuple[str, str], ...] = ()
    file: BookmarkFile = BookmarkFile("", b"")

    @property
    def way(self) -> str:
        """Which of the three ways was chosen."""
        way = self.texts.get("way", "")
        return way if way in WAYS else WAYS[0]

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Topics with their seeds, and empty rows."""
        return (*self.topics, *((("", ""),) * max(1, MIN_TOPIC_ROWS - len(self.topics))))


async def new_portal_form(request: Request) -> NewPortalForm:
    form = await request.form()
    names, seeds = ([str(text) for text in form.getlist(key)] for key in ("topic", "seeds"))
    rows = (row for row in zip(names, seeds, strict=False) if any(map(str.strip, row)))
    upload = form.get("bookmarks")
    if not isinstance(upload, UploadFile):
        return NewPortalForm(await form_texts(request), tuple(rows))
    file = BookmarkFile(upload.filename or "", await upload.read())
    return NewPortalForm(await form_texts(request), tuple(rows), file)


@router.get("/new")
def blank(request: Request, way: str = WAYS[0]) -> Response:
    return _form(request, NewPortalForm({"way": way}))


@router.post("/new")
def make(
    request: Request, context: Context, form: Annotated[NewPortalForm, Depends(new_portal_form)]
) -> Response:
    try:
        wanted = _request(form)
        file = form.file if form.way == "bookmarks" else None
        create_served_portal(context.registry, wanted, file)
    except LodeError as error:
        return _form(request, form, problem_notice(context, error))
    return see(portal_address(wanted.name))


def _form(request: Request, form: NewPortalForm, notice: Notice = NO_NOTICE) -> Response:
    return page(
        request,
        "new.html",
        notice.status,
        draft=form,
        fields=form_of(NewPortalRequest).fields,
        contact=form_of(ContactRequest).fields["contact"],
        problem=notice.problem,
    )


def _request(form: NewPortalForm) -> NewPortalRequest:
    """Return the request of a form. Of the three ways, only the one that was chosen counts."""
    contact = request_in(ContactRequest, form.texts)
    fixed: dict[str, str | None] = {} if form.texts.get("query") else {"query": ""}
    if form.way != "query":
        fixed = {"query": None}
    wanted = request_in(NewPortalRequest, form.texts, bookmarks=None, topics=_topics(form), **fixed)
    return replace(wanted, settings=(*contact.settings, *wanted.settings))


def _topics(form: NewPortalForm) -> tuple[NewTopic, ...]:
    if form.way != "topics":
        return ()
    others = form.texts.get("others", "")
    rows = (*form.topics, (OTHERS, others)) if others else form.topics
    return tuple(NewTopic(topic=name, seeds=tuple(text.split())) for name, text in rows)
