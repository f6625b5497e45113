"""Topics: the tree and the page of one topic, with their edits."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Request
from msgspec import Meta, Struct
from starlette.responses import Response

from motherlode.app.jobs.clusters import cluster_in, last_clustering
from motherlode.app.jobs.commands import cluster_command
from motherlode.app.requests.fields import UNREACHED, described
from motherlode.app.requests.topics import (
    MAX_TOPIC_NAME_CHARS,
    ChangeExamples,
    RenameTopic,
    RestoreTopics,
    TopicName,
)
from motherlode.app.requests.training import ClusterRequest
from motherlode.app.server.context import Context, ServerContext
from motherlode.app.server.flash_messages import FlashMessage
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
from motherlode.app.web.forms import FormTexts, form_of, request_in, see
from motherlode.app.web.navigation import portal_address
from motherlode.app.web.pages import Notice, page, problem_notice
from motherlode.portal.lock import holder_of
from motherlode.records import ROOT, LodeError
from motherlode.topics import show_path

router = APIRouter(prefix="/portals/{portal}/topics")
Change = Callable[[TopicEditor], TopicEdit]


def _topic_number(label: str) -> Meta:
    return described("The number of a topic.", ge=0, le=2**31, label=label)


ParentNumber = Annotated[int, _topic_number("Below")]
ClusterPlace = Annotated[
    int, described("The place of the cluster among those of the job.", ge=0, le=UNREACHED)
]
SubtopicName = Annotated[
    str,
    described(
        "The name of the sub-topic; by default that of the cluster.",
        max_length=MAX_TOPIC_NAME_CHARS,
        label="Name of the sub-topic",
    ),
]
JobId = Annotated[str, described("The job that found the clusters.", max_length=40)]


class AddBelow(Struct, frozen=True, kw_only=True):
    """A new topic below another one."""

    name: TopicName
    parent: ParentNumber = ROOT


class MoveBelow(Struct, frozen=True, kw_only=True):
    """A topic, and the one below which it goes."""

    topic: Annotated[int, _topic_number("Topic")]
    parent: ParentNumber


class ClusterChoice(Struct, frozen=True, kw_only=True):
    """A cluster that becomes a topic; without a name, it has its own."""

    job: JobId
    place: ClusterPlace
    name: SubtopicName = ""


@router.get("")
def tree(request: Request, context: Context, portal: str, note: str = "") -> Response:
    return _tree(request, context, portal, _notice(context, note))


@router.post("/add")
def add(request: Request, context: Context, portal: str, texts: FormTexts) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        topic = request_in(AddBelow, texts)
        return edits.add(editor, f"{_path(editor, topic.parent)}/{topic.name}")

    return _edit_tree(request, context, portal, change)


@router.post("/move")
def move(request: Request, context: Context, portal: str, texts: FormTexts) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        moved = request_in(MoveBelow, texts)
        return edits.move(editor, _path(editor, moved.topic), _path(editor, moved.parent) or "/")

    return _edit_tree(request, context, portal, change)


@router.post("/restore")
def restore(request: Request, context: Context, portal: str, texts: FormTexts) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        return edits.undo_removal(editor, request_in(RestoreTopics, texts).id)

    return _edit_tree(request, context, portal, change)


@router.get("/{topic}")
def topic(request: Request, context: Context, portal: str, topic: int, note: str = "") -> Response:
    return _topic(request, context, portal, topic, _notice(context, note))


@router.get("/{topic}/links")
def links(request: Request, context: Context, portal: str, topic: int) -> Response:
    """Return the link analysis of a topic; it takes a moment, so the page loads it afterwards."""
    surroundings = surroundings_at(context.registry, portal, topic)
    return page(request, "topic_links.html", portal=portal, topic=topic, surroundings=surroundings)


@router.get("/{topic}/clusters")
def clusters(request: Request, context: Context, portal: str, topic: int) -> Response:
    path = path_at(context.registry, portal, topic)
    values = _cluster_values(context, portal, path)
    return page(request, "topic_clusters.html", portal=portal, topic=topic, **values)


@router.post("/{topic}/rename")
def rename(
    request: Request, context: Context, portal: str, topic: int, texts: FormTexts
) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        renamed = request_in(RenameTopic, texts, topic=_path(editor, topic))
        return edits.rename(editor, renamed.topic, renamed.name)

    return _edit_topic(request, context, portal, topic, change)


@router.post("/{topic}/remove")
def remove(request: Request, context: Context, portal: str, topic: int) -> Response:
    return _edit_tree(
        request, context, portal, lambda editor: edits.remove(editor, _path(editor, topic))
    )


@router.post("/{topic}/example")
def example(
    request: Request, context: Context, portal: str, topic: int, texts: FormTexts
) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        added = request_in(ChangeExamples, texts, topic=_path(editor, topic))
        return edits.add_examples(editor, added.topic, added.urls)

    return _edit_topic(request, context, portal, topic, change)


@router.post("/{topic}/example/remove")
def example_remove(
    request: Request, context: Context, portal: str, topic: int, texts: FormTexts
) -> Response:
    def change(editor: TopicEditor) -> TopicEdit:
        removed = request_in(ChangeExamples, texts, topic=_path(editor, topic), remove=True)
        return edits.remove_examples(editor, removed.topic, removed.urls)

    return _edit_topic(request, context, portal, topic, change)


@router.post("/{topic}/cluster")
def find_clusters(context: Context, portal: str, topic: int, texts: FormTexts) -> Response:
    path = path_at(context.registry, portal, topic)
    clustering = request_in(ClusterRequest, texts, topic=path)
    context.queue.submit(portal, cluster_command(clustering))
    return see(f"{portal_address(portal, f'/topics/{topic}')}#clusters")


@router.post("/{topic}/subtopic")
def subtopic(
    request: Request, context: Context, portal: str, topic: int, texts: FormTexts
) -> Response:
    """Make a subtopic of a cluster that a job found."""

    def change(editor: TopicEditor) -> TopicEdit:
        cluster = request_in(ClusterChoice, texts)
        _, chosen = cluster_in(context.queue, portal, cluster.job, cluster.place)
        pages = [(page.url, page.title) for page in chosen.pages]
        parent, name = _path(editor, topic), cluster.name or chosen.name
        return edits.add_with_pages(editor, parent, name, pages, chosen.size)

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
        return _tree(request, context, portal, problem_notice(context, error))
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
        return _topic(request, context, portal, topic, problem_notice(context, error))
    note = context.messages.add(FlashMessage(edited.sentence))
    return see(portal_address(portal, f"/topics/{topic}?note={note}"))


def _notice(context: ServerContext, note: str) -> Notice:
    """Return the notice of an edit, which is shown once."""
    message = context.messages.pop(note)
    return Notice(done=message.done, undo=message.undo)


def _tree(request: Request, context: ServerContext, portal: str, notice: Notice) -> Response:
    topics = topics_at(context.registry, portal)
    is_removed = any(removal.id == notice.undo for removal in topics.removed)
    return page(
        request,
        "topics.html",
        notice.status,
        portal=portal,
        tree=topics,
        name_field=form_of(AddBelow).fields["name"],
        problem=notice.problem,
        done=notice.done,
        undo=notice.undo if is_removed else "",
        writing=holder_of(context.registry.path(portal)),
    )


def _topic(
    request: Request, context: ServerContext, portal: str, topic: int, notice: Notice
) -> Response:
    topic_page = topic_page_at(context.registry, portal, topic)
    path = topic_page.row.topic
    return page(
        request,
        "topic.html",
        notice.status,
        portal=portal,
        topic=topic,
        topic_page=topic_page,
        tree=topics_at(context.registry, portal).topics,
        **_cluster_values(context, portal, path),
        name_field=form_of(RenameTopic).fields["name"],
        urls_field=form_of(ChangeExamples).fields["urls"],
        problem=notice.problem,
        done=notice.done,
    )


def _cluster_values(context: ServerContext, portal: str, path: str) -> dict[str, object]:
    """Return what the part of a page with the clusters of a topic shows."""
    return {
        "path": path,
        "cluster_job": last_clustering(context.queue, portal, path),
        "cluster_form": form_of(ClusterRequest),
        "cluster_name_field": form_of(ClusterChoice).fields["name"],
        "writing": holder_of(context.registry.path(portal)),
    }
