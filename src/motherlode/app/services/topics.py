"""Edits of a portal's topic tree, from any front door (SPEC B2). Each says in a sentence what it did."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import time

from msgspec import Struct

from motherlode.app.cli.common import count
from motherlode.app.services.addresses import address_in
from motherlode.portal import Portal
from motherlode.portal.directory import plant_into
from motherlode.records import Topic, TopicError, TopicId, UsageError
from motherlode.store import Session
from motherlode.store import topics as topic_rows
from motherlode.store.marks import give_marks, standing_marks
from motherlode.store.removed import Removal, note_removal, removal_of, removals, restore
from motherlode.topics import TopicTree, clean_name, parse_path, plant_found, plant_urls, show_path
from motherlode.urls import address


class Edit(Struct, frozen=True):
    """What an edit works with: one transaction on a locked portal."""

    portal: Portal
    session: Session
    tree: TopicTree

    def at(self, path: str) -> Topic:
        return self.tree.at(parse_path(path))

    def meant(self, urls: Sequence[str]) -> list[str]:
        """The URLs, as the portal spells them. Raises `UrlError` for what is none."""
        rules = self.portal.config.urls
        for url in urls:
            address(url, rules=rules)
        return [address_in(self.session, url, rules).url for url in urls]


class Edited(Struct, frozen=True):
    """What was done. `topic` is the number of the topic that it was done to; `undo` names a removal."""

    done: str
    topic: int = 0
    undo: str = ""


@contextmanager
def editing(path: Path, command: str, overrides: Sequence[str] = ()) -> Iterator[Edit]:
    """Edit a portal: all that is done here is kept together, or nothing.

    Raises `LockedError` where somebody else is writing it.
    """
    with Portal.writing(path, command, overrides) as portal, portal.store.writing() as session:
        yield Edit(portal, session, TopicTree(topic_rows.all_topics(session)))


def add(edit: Edit, topic: str, seeds: Sequence[str] = ()) -> Edited:
    """A new topic, with what it begins from."""
    path = parse_path(topic)
    _check_free(edit, path)
    plant_into(edit.session, plant_urls([(path, edit.meant(seeds))]))
    more = f" with {count(len(seeds), 'example')}" if seeds else ""
    return Edited(f"Added '{show_path(path)}'{more}.", _number(edit, path))


def add_found(edit: Edit, parent: str, name: str, pages: Iterable[tuple[str, str]]) -> Edited:
    """A new topic below another, with pages that a crawl has found, and their titles, as its examples."""
    path = (*parse_path(parent), clean_name(name))
    edit.at(parent)
    _check_free(edit, path)
    number = plant_into(edit.session, plant_found([(path, pages)]))
    return Edited(f"Added '{show_path(path)}' with {count(number, 'example')}.", _number(edit, path))


def rename(edit: Edit, topic: str, name: str) -> Edited:
    if "/" in name:
        raise UsageError("A name has no '/'; 'move' puts a topic elsewhere.")
    found, name = edit.at(topic), clean_name(name)
    edit.tree.check_rename(found, name)
    topic_rows.rename_topic(edit.session, found.id, name)
    return Edited(f"Renamed '{topic}' to '{name}'.", found.id)


def move(edit: Edit, topic: str, parent: str) -> Edited:
    """Put a topic, with all below it, under another; / is the root."""
    found, goal = edit.at(topic), edit.at(parent)
    edit.tree.check_move(found, goal)
    topic_rows.move_topic(edit.session, found.id, goal.id)
    return Edited(f"Moved '{topic}' to '{show_path((*edit.tree.path(goal.id), found.name))}'.", found.id)


def remove(edit: Edit, topic: str) -> Edited:
    """Remove a topic with all below it; pages judged into it go to its parent. `put_back` undoes it."""
    found = edit.at(topic)
    heir = edit.tree.check_remove(found)
    doomed = edit.tree.descendants(found.id)
    removal = note_removal(edit.session, doomed, edit.tree.path(found.id), time())
    topic_rows.remove_topics(edit.session, doomed, heir)
    more = f" with {count(len(doomed) - 1, 'topic')} below it" if len(doomed) > 1 else ""
    return Edited(f"Removed '{topic}'{more}.", found.id, removal.id)


def put_back(edit: Edit, undo: str = "") -> Edited:
    """Bring back what was removed: by the name of the removal, or what was removed last."""
    removal = _removal(edit, undo)
    parents = {topic.id for topic in edit.tree} | {edit.tree.at(()).id}
    if removal.parent not in parents:
        raise TopicError(f"The topic above '{removal.path}' is gone; restore that first.")
    edit.tree.check_name(removal.parent, removal.name)
    restore(edit.session, removal, removal.parent)
    path = show_path((*edit.tree.path(removal.parent), removal.name))
    topic = topic_at(TopicTree(topic_rows.all_topics(edit.session)), path)
    return Edited(f"Restored '{path}' with {count(removal.examples, 'example')}.", topic.id)


def give_examples(edit: Edit, topic: str, urls: Sequence[str]) -> Edited:
    """Add pages to the examples of a topic."""
    found, path = edit.at(topic), parse_path(topic)
    meant = edit.meant(urls)
    added = plant_into(edit.session, plant_urls([(path, meant)]))
    _withdraw_marks(edit, found.id, meant)
    return Edited(f"Added {count(added, 'example')} to '{show_path(path)}'.", found.id)


def take_examples(edit: Edit, topic: str, urls: Sequence[str]) -> Edited:
    """Take pages out of the examples of a topic."""
    found, path = edit.at(topic), show_path(parse_path(topic))
    for url in edit.meant(urls):
        if not topic_rows.remove_example(edit.session, found.id, url):
            raise TopicError(f"{url} is not an example of '{path}'.")
    return Edited(f"Took {count(len(urls), 'example')} out of '{path}'.", found.id)


def topic_at(tree: TopicTree, path: str) -> Topic:
    return tree.at(parse_path(path))


def _check_free(edit: Edit, path: tuple[str, ...]) -> None:
    if edit.tree.find(path) is not None:
        raise TopicError(f"There is a topic '{show_path(path)}' already.")


def _number(edit: Edit, path: tuple[str, ...]) -> TopicId:
    return TopicTree(topic_rows.all_topics(edit.session)).at(path).id


def _removal(edit: Edit, undo: str) -> Removal:
    found = removal_of(edit.session, undo) if undo else next(iter(removals(edit.session)), None)
    if found is None:
        raise UsageError(
            "There is nothing of that name to restore." if undo else "There is nothing to restore."
        )
    return found


def _withdraw_marks(edit: Edit, topic: TopicId, urls: list[str]) -> None:
    """What was marked bad for a topic, or dropped, and is named as its example now, is one."""
    if not standing_marks(edit.session):
        return
    from motherlode.training.mark_changes import withdrawn  # noqa: PLC0415 - loads much that other edits do not need

    give_marks(edit.session, withdrawn(edit.session, edit.tree, urls, topic, time()))
