"""Topics: the tree, its edits, and the page of a topic, as `lode topics` and `lode links`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from msgspec import Struct

from motherlode.app.api.body import JsonBody
from motherlode.app.api.portals import Name
from motherlode.app.api.schema import Json, accepts, answers
from motherlode.app.requests.topics import (
    MAX_PATH_CHARS,
    AddTopic,
    ChangeExamples,
    MoveTopic,
    RemoveTopic,
    RenameTopic,
    RestoreTopics,
)
from motherlode.app.server.context import Context
from motherlode.app.services.topics import edits
from motherlode.app.services.topics.profiles import TopicPage, Topics, TopicSurroundings
from motherlode.app.services.topics.views import (
    editor_at,
    surroundings_at,
    topic_page_at,
    topics_at,
)

router = APIRouter(prefix="/portals/{portal}", tags=["topics"])
TopicQuery = Annotated[
    str,
    Query(
        min_length=1, max_length=MAX_PATH_CHARS, description="The topic, such as science/physics."
    ),
]


class EditResult(Struct, frozen=True):
    """A sentence about the edit; `undo` is the id of a removal, for `restore`."""

    done: str
    undo: str = ""


@router.get("/topics", summary="The topic tree in figures: `lode topics`", **answers(Topics))
def topics(context: Context, portal: Name) -> Json:
    return Json(topics_at(context.registry, portal))


@router.get("/topics/page", summary="The page of a topic", **answers(TopicPage))
def topic_page(context: Context, portal: Name, topic: TopicQuery) -> Json:
    return Json(topic_page_at(context.registry, portal, topic))


@router.get(
    "/links", summary="Terms, hubs, authorities, sites: `lode links`", **answers(TopicSurroundings)
)
def links(context: Context, portal: Name, topic: TopicQuery) -> Json:
    return Json(surroundings_at(context.registry, portal, topic))


@router.post(
    "/topics/add",
    summary="A new topic: `lode topics add`",
    **answers(EditResult),
    **accepts(AddTopic),
)
def add(
    context: Context, portal: Name, body: Annotated[AddTopic, Depends(JsonBody(AddTopic))]
) -> Json:
    with editor_at(context.registry, portal) as editor:
        return _answer(edits.add(editor, body.topic, body.seeds))


@router.post(
    "/topics/rename",
    summary="Another name: `lode topics rename`",
    **answers(EditResult),
    **accepts(RenameTopic),
)
def rename(
    context: Context, portal: Name, body: Annotated[RenameTopic, Depends(JsonBody(RenameTopic))]
) -> Json:
    with editor_at(context.registry, portal) as editor:
        return _answer(edits.rename(editor, body.topic, body.name))


@router.post(
    "/topics/move",
    summary="Another place: `lode topics move`",
    **answers(EditResult),
    **accepts(MoveTopic),
)
def move(
    context: Context, portal: Name, body: Annotated[MoveTopic, Depends(JsonBody(MoveTopic))]
) -> Json:
    with editor_at(context.registry, portal) as editor:
        return _answer(edits.move(editor, body.topic, body.parent))


@router.post(
    "/topics/remove",
    summary="Remove with all below: `lode topics remove`",
    **answers(EditResult),
    **accepts(RemoveTopic),
)
def remove(
    context: Context, portal: Name, body: Annotated[RemoveTopic, Depends(JsonBody(RemoveTopic))]
) -> Json:
    with editor_at(context.registry, portal) as editor:
        return _answer(edits.remove(editor, body.topic))


@router.post(
    "/topics/restore",
    summary="Undo a removal: `lode topics restore`",
    **answers(EditResult),
    **accepts(RestoreTopics),
)
def restore(
    context: Context, portal: Name, body: Annotated[RestoreTopics, Depends(JsonBody(RestoreTopics))]
) -> Json:
    with editor_at(context.registry, portal) as editor:
        return _answer(edits.undo_removal(editor, body.id))


@router.post(
    "/topics/example",
    summary="Examples: `lode topics example`",
    **answers(EditResult),
    **accepts(ChangeExamples),
)
def example(
    context: Context,
    portal: Name,
    body: Annotated[ChangeExamples, Depends(JsonBody(ChangeExamples))],
) -> Json:
    with editor_at(context.registry, portal) as editor:
        change = edits.remove_examples if body.remove else edits.add_examples
        return _answer(change(editor, body.topic, body.urls))


def _answer(edited: edits.TopicEdit) -> Json:
    return Json(EditResult(edited.sentence, edited.undo))
