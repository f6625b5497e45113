"""Make a portal from an uploaded bookmark file, from topics with URLs, or from a query."""

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request, UploadFile
from msgspec import Struct
from starlette.responses import Response

from motherlode.app.server.context import Context
from motherlode.app.server.errors import status_of
from motherlode.app.services.portals.creation import (
    PortalContents,
    create_served_portal,
    parse_topics,
)
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.export.text_cleaner import label
from motherlode.records import LodeError
from motherlode.sources.bookmarks import parse_bookmarks

router = APIRouter()
WAYS = ("bookmarks", "topics", "query")
MIN_TOPIC_ROWS = 3  # that can be filled in without a script


class NewPortalForm(Struct, frozen=True):
    """The form as the user filled it in."""

    name: str = ""
    way: str = WAYS[0]
    query: str = ""
    topics: tuple[tuple[str, str], ...] = ()
    others: str = ""
    contact: str = ""
    settings: str = ""

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Topics with their seeds, and empty rows."""
        return (*self.topics, *((("", ""),) * max(1, MIN_TOPIC_ROWS - len(self.topics))))


@router.get("/new")
def blank(request: Request, way: str = WAYS[0]) -> Response:
    return _form(request, NewPortalForm(way=way if way in WAYS else WAYS[0]))


@router.post("/new")
def make(  # noqa: PLR0913 - one for each field
    request: Request,
    context: Context,
    *,
    name: Annotated[str, Form(max_length=200)] = "",
    way: Annotated[str, Form(max_length=20)] = WAYS[0],
    query: Annotated[str, Form(max_length=2_000)] = "",
    topic: Annotated[list[str] | None, Form()] = None,
    seeds: Annotated[list[str] | None, Form()] = None,
    others: Annotated[str, Form()] = "",
    contact: Annotated[str, Form(max_length=1_000)] = "",
    settings: Annotated[str, Form(max_length=100_000)] = "",
    bookmarks: UploadFile | None = None,
) -> Response:
    rows = zip(topic or (), seeds or (), strict=False)
    filled = tuple(row for row in rows if any(map(str.strip, row)))
    draft = NewPortalForm(name.strip(), way, query, filled, others, contact.strip(), settings)
    try:
        create_served_portal(
            context.registry, draft.name, _contents(draft, bookmarks), _settings(draft)
        )
    except LodeError as error:
        return _form(request, draft, context.registry.message(error), status_of(error))
    return see(portal_address(draft.name))


def _form(request: Request, draft: NewPortalForm, problem: str = "", status: int = 200) -> Response:
    return page(request, "new.html", status, draft=draft, problem=problem, ways=WAYS)


def _contents(draft: NewPortalForm, bookmarks: UploadFile | None) -> PortalContents:
    if draft.way == "query":
        return PortalContents(query=draft.query)
    if draft.way == "topics":
        topics = [(name, text.split()) for name, text in draft.topics]
        if draft.others.strip():
            topics.append(("OTHERS", draft.others.split()))
        return PortalContents(topics=parse_topics(topics))
    file = Path(label(Path((bookmarks and bookmarks.filename) or "").name) or "The file")
    return PortalContents(parse_bookmarks(file, bookmarks.file.read() if bookmarks else b""), file)


def _settings(draft: NewPortalForm) -> list[str]:
    lines = [line.strip() for line in draft.settings.splitlines()]
    contact = [f"crawler.contact={draft.contact}"] if draft.contact else []
    return [*contact, *(line for line in lines if line and not line.startswith("#"))]
