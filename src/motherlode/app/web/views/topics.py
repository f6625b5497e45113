"""Topics: the tree, and a topic's own page, with their edits."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from motherlode.app.jobs.clusters import cluster, cluster_in, last_clustering
from motherlode.app.server.context import Here, Services
from motherlode.app.server.errors import status_of
from motherlode.app.server.notes import NOTHING, Note
from motherlode.app.services import topics as edits
from motherlode.app.services.topic_views import (
    editing_at,
    path_at,
    surroundings_at,
    topic_numbered,
    topic_page_at,
    topics_at,
)
from motherlode.app.services.topics import Edit, Edited
from motherlode.app.web.forms import see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.portal.lock import holder_of
from motherlode.records import ROOT, LodeError
from motherlode.topics import show_path

router = APIRouter(prefix="/portals/{portal}/topics")
Number = Annotated[int, Form(ge=0, le=2**31)]
Text = Annotated[str, Form(max_length=2_000)]
Change = Callable[[Edit], Edited]


@router.get("")
def tree(request: Request, here: Here, portal: str, note: str = "") -> Response:
    return _tree(request, here, portal, note=here.notes.take(note))


@router.post("/add")
def add(request: Request, here: Here, portal: str, name: Text, parent: Number = ROOT) -> Response:
    def change(edit: Edit) -> Edited:
        return edits.add(edit, f"{_path(edit, parent)}/{name}")

    return _changed(request, here, portal, change)


@router.post("/move")
def move(request: Request, here: Here, portal: str, topic: Number, parent: Number) -> Response:
    def change(edit: Edit) -> Edited:
        return edits.move(edit, _path(edit, topic), _path(edit, parent) or "/")

    return _changed(request, here, portal, change)


@router.post("/restore")
def restore(request: Request, here: Here, portal: str, undo: Text) -> Response:
    return _changed(request, here, portal, lambda edit: edits.put_back(edit, undo))


@router.get("/{topic}")
def topic(request: Request, here: Here, portal: str, topic: int, note: str = "") -> Response:
    return _topic(request, here, portal, topic, note=here.notes.take(note))


@router.get("/{topic}/links")
def links(request: Request, here: Here, portal: str, topic: int) -> Response:
    """What the links around a topic say; it takes a moment, so the topic's page asks for it afterwards."""
    found = surroundings_at(here.shelf, portal, topic)
    return page(request, "topic_links.html", portal=portal, topic=topic, found=found)


@router.get("/{topic}/clusters")
def clusters(request: Request, here: Here, portal: str, topic: int) -> Response:
    path = path_at(here.shelf, portal, topic)
    found = last_clustering(here.board, portal, path)
    writing = holder_of(here.shelf.path(portal))
    return page(
        request, "topic_clusters.html", portal=portal, topic=topic, path=path, found=found, writing=writing
    )


@router.post("/{topic}/rename")
def rename(request: Request, here: Here, portal: str, topic: int, name: Text) -> Response:
    return _changed_topic(
        request, here, portal, topic, lambda edit: edits.rename(edit, _path(edit, topic), name)
    )


@router.post("/{topic}/remove")
def remove(request: Request, here: Here, portal: str, topic: int) -> Response:
    return _changed(request, here, portal, lambda edit: edits.remove(edit, _path(edit, topic)))


@router.post("/{topic}/example")
def example(
    request: Request, here: Here, portal: str, topic: int, urls: Annotated[str, Form(max_length=1_000_000)]
) -> Response:
    def change(edit: Edit) -> Edited:
        return edits.give_examples(edit, _path(edit, topic), urls.split())

    return _changed_topic(request, here, portal, topic, change)


@router.post("/{topic}/example/remove")
def example_remove(
    request: Request, here: Here, portal: str, topic: int, url: Annotated[str, Form(max_length=4_000)]
) -> Response:
    def change(edit: Edit) -> Edited:
        return edits.take_examples(edit, _path(edit, topic), [url])

    return _changed_topic(request, here, portal, topic, change)


@router.post("/{topic}/cluster")
def find_clusters(
    here: Here, portal: str, topic: int, k: Annotated[str, Form(max_length=4, pattern=r"^\d*$")] = ""
) -> Response:
    wanted = min(1_000, int(k)) if k.strip("0") else None
    here.board.ask(portal, cluster(topic=path_at(here.shelf, portal, topic), k=wanted))
    return see(f"{portal_address(portal, f'/topics/{topic}')}#clusters")


@router.post("/{topic}/subtopic")
def subtopic(  # noqa: PLR0913 - one for each field
    request: Request,
    here: Here,
    portal: str,
    topic: int,
    *,
    job: Annotated[str, Form(max_length=40)],
    place: Number,
    name: Text,
) -> Response:
    """Make one of the clusters that a job found a topic below."""

    def change(edit: Edit) -> Edited:
        _, chosen = cluster_in(here.board, portal, job, place)
        pages = [(one.url, one.title) for one in chosen.pages]
        return edits.add_found(edit, _path(edit, topic), name or chosen.name, pages)

    return _changed_topic(request, here, portal, topic, change)


def _path(edit: Edit, topic: int) -> str:
    """The path of a topic by its number; empty: the root."""
    if topic == ROOT:
        return ""
    return show_path(edit.tree.path(topic_numbered(edit.tree, topic).id))


def _changed(request: Request, here: Services, portal: str, change: Change) -> Response:
    """Make a change and show the tree; where it cannot be made, the tree says why."""
    try:
        with editing_at(here.shelf, portal) as edit:
            edited = change(edit)
    except LodeError as error:
        return _tree(request, here, portal, here.shelf.told(error), status_of(error))
    note = here.notes.leave(Note(edited.done, edited.undo))
    return see(portal_address(portal, f"/topics?note={note}"))


def _changed_topic(request: Request, here: Services, portal: str, topic: int, change: Change) -> Response:
    """The same, on a topic's own page."""
    try:
        with editing_at(here.shelf, portal) as edit:
            edited = change(edit)
    except LodeError as error:
        return _topic(request, here, portal, topic, problem=here.shelf.told(error), status=status_of(error))
    note = here.notes.leave(Note(edited.done))
    return see(portal_address(portal, f"/topics/{topic}?note={note}"))


def _tree(
    request: Request,
    here: Services,
    portal: str,
    problem: str = "",
    status: int = 200,
    *,
    note: Note = NOTHING,
) -> Response:
    found = topics_at(here.shelf, portal)
    return page(
        request,
        "topics.html",
        status,
        portal=portal,
        found=found,
        problem=problem,
        done=note.done,
        undo=note.undo if any(one.id == note.undo for one in found.removed) else "",
        writing=holder_of(here.shelf.path(portal)),
    )


def _topic(  # noqa: PLR0913 - what the page says besides the topic
    request: Request,
    here: Services,
    portal: str,
    topic: int,
    *,
    problem: str = "",
    status: int = 200,
    note: Note = NOTHING,
) -> Response:
    found = topic_page_at(here.shelf, portal, topic)
    return page(
        request,
        "topic.html",
        status,
        portal=portal,
        topic=topic,
        told=found,
        tree=topics_at(here.shelf, portal).topics,
        found=last_clustering(here.board, portal, found.row.topic),
        path=found.row.topic,
        problem=problem,
        done=note.done,
        writing=holder_of(here.shelf.path(portal)),
    )
