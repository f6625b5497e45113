"""Topics: the tree and the page of one topic, with their edits."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from motherlode.app.jobs.clusters import cluster_in, last_clustering
from motherlode.app.jobs.commands import cluster_command
from motherlode.app.requests.training import SERVER_CLUSTER_PAGES, ClusterRequest
from motherlode.app.server.context import Context, ServerContext
from motherlode.app.server.errors import status_of
from motherlode.app.server.flash_messages import NO_MESSAGE, FlashMessage
from motherlode.app.services.topics import edits
from motherlode.app.services.topics.edits import TopicEdit, TopicEditor
from motherlode.app.services.topics.views import (
    editor_at,
    path_at,
    surroundings_at,
    topic_by_number,
    topic_page_at,
    topics_at,
)
from motherlode.app.web.forms import FormTexts, request_in, see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import page
from motherlode.portal.lock import holder_of
from motherlode.records import ROOT, LodeError
from motherlode.topics import show_path

router = APIRouter(prefix="/portals/{portal}/topics")
Number = Annotated[int, Form(ge=0, le=2**31)]
Text = Annotated[str, Form(max_length=2_000)]
Change = Callable[[TopicEditor], TopicEdit]


@router.get("")
def tree(request: Request, context: Context, portal: str, note: str = "") -> Response:
    return _tree(request, context, portal, note=context.messages.pop(note))


@router.post("/add")
def add(
    request: Request, context: Context, portal: str, name: Text, parent: Number = ROOT
) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        return edits.add(editor, f"{_path(editor, parent)}/{name}")

    return _edit_tree(request, context, portal, change)


@router.post("/move")
def move(
    request: Request, context: Context, portal: str, topic: Number, parent: Number
) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        return edits.move(editor, _path(editor, topic), _path(editor, parent) or "/")

    return _edit_tree(request, context, portal, change)


@router.post("/restore")
def restore(request: Request, context: Context, portal: str, undo: Text) -> Response:
    return _edit_tree(request, context, portal, lambda editor: edits.undo_removal(editor, undo))


@router.get("/{topic}")
def topic(request: Request, context: Context, portal: str, topic: int, note: str = "") -> Response:
    return _topic(request, context, portal, topic, note=context.messages.pop(note))


@router.get("/{topic}/links")
def links(request: Request, context: Context, portal: str, topic: int) -> Response:
    """Return the link analysis of a topic; it takes a moment, so the page loads it afterwards."""
    surroundings = surroundings_at(context.registry, portal, topic)
    return page(request, "topic_links.html", portal=portal, topic=topic, surroundings=surroundings)


@router.get("/{topic}/clusters")
def clusters(request: Request, context: Context, portal: str, topic: int) -> Response:
    path = path_at(context.registry, portal, topic)
    clustering = last_clustering(context.queue, portal, path)
    writing = holder_of(context.registry.path(portal))
    return page(
        request,
        "topic_clusters.html",
        portal=portal,
        topic=topic,
        path=path,
        cluster_job=clustering,
        writing=writing,
    )


@router.post("/{topic}/rename")
def rename(request: Request, context: Context, portal: str, topic: int, name: Text) -> Response:
    return _edit_topic(
        request,
        context,
        portal,
        topic,
        lambda editor: edits.rename(editor, _path(editor, topic), name),
    )


@router.post("/{topic}/remove")
def remove(request: Request, context: Context, portal: str, topic: int) -> Response:
    return _edit_tree(
        request, context, portal, lambda editor: edits.remove(editor, _path(editor, topic))
    )


@router.post("/{topic}/example")
def example(
    request: Request,
    context: Context,
    portal: str,
    topic: int,
    urls: Annotated[str, Form(max_length=1_000_000)],
) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        return edits.add_examples(editor, _path(editor, topic), urls.split())

    return _edit_topic(request, context, portal, topic, change)


@router.post("/{topic}/example/remove")
def example_remove(
    request: Request,
    context: Context,
    portal: str,
    topic: int,
    url: Annotated[str, Form(max_length=4_000)],
) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        return edits.remove_examples(editor, _path(editor, topic), [url])

    return _edit_topic(request, context, portal, topic, change)


@router.post("/{topic}/cluster")
def find_clusters(context: Context, portal: str, topic: int, texts: FormTexts) -> Response:
    path = path_at(context.registry, portal, topic)
    wish = request_in(ClusterRequest, texts, topic=path, pages=SERVER_CLUSTER_PAGES)
    context.queue.submit(portal, cluster_command(wish))
    return see(f"{portal_address(portal, f'/topics/{topic}')}#clusters")


@router.post("/{topic}/subtopic")
def subtopic(  # noqa: PLR0913 - one for each field
    request: Request,
    context: Context,
    portal: str,
    topic: int,
    *,
    job: Annotated[str, Form(max_length=40)],
    place: Number,
    name: Text,
) -> Response:
    """Make a subtopic of a cluster that a job found."""

    def change(editor: TopicEditor) -> TopicEdit:
        _, chosen = cluster_in(context.queue, portal, job, place)
        pages = [(page.url, page.title) for page in chosen.pages]
        parent, named = _path(editor, topic), name or chosen.name
        return edits.add_with_pages(editor, parent, named, pages, chosen.size)

    return _edit_topic(request, context, portal, topic, change)


def _path(editor: TopicEditor, topic: int) -> str:
    """Return the path of a topic by its number; it is empty for the root."""
    if topic == ROOT:
        return ""
    return show_path(editor.tree.path(topic_by_number(editor.tree, topic).id))


def _edit_tree(request: Request, context: ServerContext, portal: str, change: Change) -> Response:
    """Edit the tree and show it; if that is not possible, the page says why."""
    try:
        with editor_at(context.registry, portal) as editor:
            edited = change(editor)
    except LodeError as error:
        return _tree(request, context, portal, context.registry.message(error), status_of(error))
    note = context.messages.add(FlashMessage(edited.sentence, edited.undo))
    return see(portal_address(portal, f"/topics?note={note}"))


def _edit_topic(
    request: Request, context: ServerContext, portal: str, topic: int, change: Change
) -> Response:
    """Edit a topic and show its page; if that is not possible, the page says why."""
    try:
        with editor_at(context.registry, portal) as editor:
            edited = change(editor)
    except LodeError as error:
        return _topic(
            request,
            context,
            portal,
            topic,
            problem=context.registry.message(error),
            status=status_of(error),
        )
    note = context.messages.add(FlashMessage(edited.sentence))
    return see(portal_address(portal, f"/topics/{topic}?note={note}"))


def _tree(
    request: Request,
    context: ServerContext,
    portal: str,
    problem: str = "",
    status: int = 200,
    *,
    note: FlashMessage = NO_MESSAGE,
) -> Response:
    topics = topics_at(context.registry, portal)
    return page(
        request,
        "topics.html",
        status,
        portal=portal,
        tree=topics,
        problem=problem,
        done=note.done,
        undo=note.undo if any(removal.id == note.undo for removal in topics.removed) else "",
        writing=holder_of(context.registry.path(portal)),
    )


def _topic(  # noqa: PLR0913 - the page shows more than the topic
    request: Request,
    context: ServerContext,
    portal: str,
    topic: int,
    *,
    problem: str = "",
    status: int = 200,
    note: FlashMessage = NO_MESSAGE,
) -> Response:
    topic_page = topic_page_at(context.registry, portal, topic)
    return page(
        request,
        "topic.html",
        status,
        portal=portal,
        topic=topic,
        topic_page=topic_page,
        tree=topics_at(context.registry, portal).topics,
        cluster_job=last_clustering(context.queue, portal, topic_page.row.topic),
        path=topic_page.row.topic,
        problem=problem,
        done=note.done,
        writing=holder_of(context.registry.path(portal)),
    )
