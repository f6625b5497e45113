"""Edits of a portal's topic tree (SPEC B2). Each returns a sentence about what it did."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import time

from msgspec import Struct

from motherlode.app.services.addresses import address_in
from motherlode.app.text import count
from motherlode.portal import Portal
from motherlode.portal.directory import plant_into
from motherlode.records import Topic, TopicError, TopicId, UsageError
from motherlode.store import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.marks import give_marks, standing_marks
from motherlode.store.tables.removed_topics import (
    Removal,
    note_removal,
    removal_of,
    removals,
    restore,
)
from motherlode.topics import TopicTree, clean_name, parse_path, plant_found, plant_urls, show_path
from motherlode.urls import address


class TopicEditor(Struct, frozen=True):
    """One transaction on a locked portal, in which its topic tree is edited."""

    portal: Portal
    session: Session
    tree: TopicTree

    def at(self, path: str) -> Topic:
        return self.tree.at(parse_path(path))

    def canonical(self, urls: Sequence[str]) -> list[str]:
        """Return the URLs as the portal spells them.

        Raises `UrlError` for a text that is no URL.
        """
        rules = self.portal.config.urls
        for url in urls:
            address(url, rules=rules)
        return [address_in(self.session, url, rules).url for url in urls]


class TopicEdit(Struct, frozen=True):
    """A sentence about an edit, and the number of the topic; `undo` is the id of a removal."""

    sentence: str
    topic: int = 0
    undo: str = ""


@contextmanager
def open_editor(path: Path, command: str, overrides: Sequence[str] = ()) -> Iterator[TopicEditor]:
    """Open a portal's topic tree for edits, of which all are stored, or none.

    Raises `LockedError` while another process writes the portal.
    """
    with Portal.writing(path, command, overrides) as portal, portal.store.writing() as session:
        yield TopicEditor(portal, session, TopicTree(topic_rows.all_topics(session)))


def add(editor: TopicEditor, path: str, seeds: Sequence[str] = ()) -> TopicEdit:
    """Add a topic with its first examples."""
    steps = parse_path(path)
    _check_free(editor, steps)
    plant_into(editor.session, plant_urls([(steps, editor.canonical(seeds))]))
    examples = f" with {count(len(seeds), 'example')}" if seeds else ""
    return TopicEdit(f"Added '{show_path(steps)}'{examples}.", _number(editor, steps))


def add_with_pages(
    editor: TopicEditor, parent: str, name: str, pages: Iterable[tuple[str, str]], size: int
) -> TopicEdit:
    """Add a subtopic of a cluster of `size` pages; its examples are given by URL and title."""
    steps = (*parse_path(parent), clean_name(name))
    editor.at(parent)
    _check_free(editor, steps)
    number = plant_into(editor.session, plant_found([(steps, pages)]))
    examples = count(number, "example")
    sentence = (
        f"Added '{show_path(steps)}' with {examples}, of {count(size, 'page')} in the cluster."
    )
    return TopicEdit(sentence, _number(editor, steps))


def rename(editor: TopicEditor, path: str, name: str) -> TopicEdit:
    if "/" in name:
        raise UsageError("A name has no '/'; 'move' puts a topic elsewhere.")
    topic, name = editor.at(path), clean_name(name)
    editor.tree.check_rename(topic, name)
    topic_rows.rename_topic(editor.session, topic.id, name)
    return TopicEdit(f"Renamed '{path}' to '{name}'.", topic.id)


def move(editor: TopicEditor, path: str, parent: str) -> TopicEdit:
    """Move a topic with its subtopics under another one; / is the root."""
    topic, goal = editor.at(path), editor.at(parent)
    editor.tree.check_move(topic, goal)
    topic_rows.move_topic(editor.session, topic.id, goal.id)
    new_path = show_path((*editor.tree.path(goal.id), topic.name))
    return TopicEdit(f"Moved '{path}' to '{new_path}'.", topic.id)


def remove(editor: TopicEditor, path: str) -> TopicEdit:
    """Remove a topic with its subtopics; its pages go to its parent. `undo_removal` undoes it."""
    topic = editor.at(path)
    heir = editor.tree.check_remove(topic)
    removed = editor.tree.descendants(topic.id)
    from motherlode.policies.kind import load_policy  # noqa: PLC0415 - slow to import

    path_names = editor.tree.path(topic.id)
    queues = load_policy(editor.portal.config.crawl.policy).queues_of_topics(removed)
    removal = note_removal(editor.session, removed, path_names, queues, time())
    topic_rows.remove_topics(editor.session, removed, heir, queues)
    below = f" with {count(len(removed) - 1, 'topic')} below it" if len(removed) > 1 else ""
    return TopicEdit(f"Removed '{path}'{below}.", topic.id, removal.id)


def undo_removal(editor: TopicEditor, undo: str = "") -> TopicEdit:
    """Restore the topics of a removal, given by its id, or of the latest one."""
    removal = _removal(editor, undo)
    parents = {topic.id for topic in editor.tree} | {editor.tree.at(()).id}
    if removal.parent not in parents:
        raise TopicError(f"The topic above '{removal.path}' is gone; restore that first.")
    editor.tree.check_name(removal.parent, removal.name)
    restore(editor.session, removal, removal.parent)
    path = show_path((*editor.tree.path(removal.parent), removal.name))
    topic = topic_at(TopicTree(topic_rows.all_topics(editor.session)), path)
    return TopicEdit(f"Restored '{path}' with {removal.examples_from.text()}.", topic.id)


def add_examples(editor: TopicEditor, path: str, urls: Sequence[str]) -> TopicEdit:
    """Add pages to the examples of a topic."""
    topic, steps = editor.at(path), parse_path(path)
    canonical = editor.canonical(urls)
    added = plant_into(editor.session, plant_urls([(steps, canonical)]))
    _withdraw_marks(editor, topic.id, canonical)
    return TopicEdit(f"Added {count(added, 'example')} to '{show_path(steps)}'.", topic.id)


def remove_examples(editor: TopicEditor, path: str, urls: Sequence[str]) -> TopicEdit:
    """Remove pages from the examples of a topic."""
    topic, shown = editor.at(path), show_path(parse_path(path))
    for url in editor.canonical(urls):
        if not topic_rows.remove_example(editor.session, topic.id, url):
            raise TopicError(f"{url} is not an example of '{shown}'.")
    return TopicEdit(f"Took {count(len(urls), 'example')} out of '{shown}'.", topic.id)


def topic_at(tree: TopicTree, path: str) -> Topic:
    return tree.at(parse_path(path))


def _check_free(editor: TopicEditor, steps: tuple[str, ...]) -> None:
    if editor.tree.find(steps) is not None:
        raise TopicError(f"There is a topic '{show_path(steps)}' already.")


def _number(editor: TopicEditor, steps: tuple[str, ...]) -> TopicId:
    return TopicTree(topic_rows.all_topics(editor.session)).at(steps).id


def _removal(editor: TopicEditor, undo: str) -> Removal:
    session = editor.session
    removal = removal_of(session, undo) if undo else next(iter(removals(session)), None)
    if removal is None:
        raise UsageError(
            "There is nothing of that name to restore." if undo else "There is nothing to restore."
        )
    return removal


def _withdraw_marks(editor: TopicEditor, topic: TopicId, urls: list[str]) -> None:
    """Take back marks against pages that are now named as examples of the topic."""
    if not standing_marks(editor.session):
        return
    from motherlode.training.feedback.mark_changes import withdrawn_marks  # noqa: PLC0415 - slow to import

    give_marks(editor.session, withdrawn_marks(editor.session, editor.tree, urls, topic, time()))
