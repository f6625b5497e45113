"""Topics: the tree, its edits, and what a topic's own page says; as `lode topics` and `lode links`."""

from typing import Annotated

from fastapi import APIRouter, Query
from msgspec import Struct
from pydantic import Field

from motherlode.app.api.bodies import Body, Url
from motherlode.app.api.describing import Json, answers
from motherlode.app.api.portals import Name
from motherlode.app.server.context import Here
from motherlode.app.services import topics as edits
from motherlode.app.services.topic_pages import Surroundings, TopicPage, Topics
from motherlode.app.services.topic_views import editing_at, surroundings_at, topic_page_at, topics_at

router = APIRouter(prefix="/portals/{portal}", tags=["topics"])
_LONGEST = 20_000
TopicText = Annotated[str, Field(min_length=1, max_length=_LONGEST, examples=["science/physics"])]
TopicQuery = Annotated[
    str, Query(min_length=1, max_length=_LONGEST, description="The topic, such as science/physics.")
]


class TopicEdit(Struct, frozen=True):
    """What was done, in a sentence; `undo` names a removal for `restore`."""

    done: str
    undo: str = ""


class Add(Body):
    """See `lode topics add`; seeds are its first examples."""

    topic: TopicText
    seeds: Annotated[tuple[Url, ...], Field(max_length=10_000)] = ()


class Rename(Body):
    """See `lode topics rename`."""

    topic: TopicText
    name: Annotated[str, Field(min_length=1, max_length=2_000)]


class Move(Body):
    """See `lode topics move`; / is the root."""

    topic: TopicText
    parent: TopicText


class Remove(Body):
    """See `lode topics remove`."""

    topic: TopicText


class Restore(Body):
    """See `lode topics restore`; without an id, what was removed last."""

    id: Annotated[str, Field(max_length=100)] = ""


class Examples(Body):
    """See `lode topics example`."""

    topic: TopicText
    urls: Annotated[list[Url], Field(min_length=1, max_length=10_000)]
    remove: bool = False


@router.get("/topics", summary="The topic tree in figures: `lode topics`", **answers(Topics))
def topics(here: Here, portal: Name) -> Json:
    return Json(topics_at(here.shelf, portal))


@router.get("/topics/page", summary="What a topic's own page says", **answers(TopicPage))
def topic_page(here: Here, portal: Name, topic: TopicQuery) -> Json:
    return Json(topic_page_at(here.shelf, portal, topic))


@router.get("/links", summary="Terms, hubs, authorities, sites: `lode links`", **answers(Surroundings))
def links(here: Here, portal: Name, topic: TopicQuery) -> Json:
    return Json(surroundings_at(here.shelf, portal, topic))


@router.post("/topics/add", summary="A new topic: `lode topics add`", **answers(TopicEdit))
def add(here: Here, portal: Name, body: Add) -> Json:
    with editing_at(here.shelf, portal) as edit:
        return _done(edits.add(edit, body.topic, body.seeds))


@router.post("/topics/rename", summary="Another name: `lode topics rename`", **answers(TopicEdit))
def rename(here: Here, portal: Name, body: Rename) -> Json:
    with editing_at(here.shelf, portal) as edit:
        return _done(edits.rename(edit, body.topic, body.name))


@router.post("/topics/move", summary="Another place: `lode topics move`", **answers(TopicEdit))
def move(here: Here, portal: Name, body: Move) -> Json:
    with editing_at(here.shelf, portal) as edit:
        return _done(edits.move(edit, body.topic, body.parent))


@router.post("/topics/remove", summary="Remove with all below: `lode topics remove`", **answers(TopicEdit))
def remove(here: Here, portal: Name, body: Remove) -> Json:
    with editing_at(here.shelf, portal) as edit:
        return _done(edits.remove(edit, body.topic))


@router.post("/topics/restore", summary="Undo a removal: `lode topics restore`", **answers(TopicEdit))
def restore(here: Here, portal: Name, body: Restore) -> Json:
    with editing_at(here.shelf, portal) as edit:
        return _done(edits.put_back(edit, body.id))


@router.post("/topics/example", summary="Examples: `lode topics example`", **answers(TopicEdit))
def example(here: Here, portal: Name, body: Examples) -> Json:
    with editing_at(here.shelf, portal) as edit:
        change = edits.take_examples if body.remove else edits.give_examples
        return _done(change(edit, body.topic, body.urls))


def _done(edited: edits.Edited) -> Json:
    return Json(TopicEdit(edited.done, edited.undo))
