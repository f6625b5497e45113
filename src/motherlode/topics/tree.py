"""The topic tree as a value: look-ups, and the checks that every edit must pass."""

from collections.abc import Iterable, Iterator

from motherlode.records import ROOT, NoSuchTopicError, Topic, TopicError, TopicId
from motherlode.topics.paths import MAX_DEPTH, TopicPath, is_others, show_path


class TopicTree:
    """All topics of a portal, by identifier and by path. Edits are checked here and made in the
    store.
    """

    def __init__(self, topics: Iterable[Topic]) -> None:
        self._topics = {topic.id: topic for topic in topics}
        self._children: dict[TopicId, list[Topic]] = {}
        self._by_name: dict[tuple[TopicId, str], Topic] = {}
        for topic in self._topics.values():
            self._hang(topic)

    def add(self, topic: Topic) -> None:
        """Take in a topic that was just made, below one that is here."""
        self._topics[topic.id] = topic
        self._hang(topic)

    def _hang(self, topic: Topic) -> None:
        if topic.parent is not None:
            self._children.setdefault(topic.parent, []).append(topic)
            self._by_name[topic.parent, topic.name.casefold()] = topic

    def __iter__(self) -> Iterator[Topic]:
        """Every topic but the root, parents first, siblings in the order they came."""
        ahead = list(reversed(self.children(ROOT)))
        while ahead:
            topic = ahead.pop()
            yield topic
            ahead += reversed(self.children(topic.id))

    def __len__(self) -> int:
        return len(self._topics) - 1

    def __getitem__(self, topic: TopicId) -> Topic:
        return self._topics[topic]

    def children(self, topic: TopicId) -> list[Topic]:
        return self._children.get(topic, [])

    def path(self, topic: TopicId) -> TopicPath:
        names: list[str] = []
        here = self._topics[topic]
        while here.parent is not None:
            names.append(here.name)
            here = self._topics[here.parent]
        return tuple(reversed(names))

    def find(self, path: TopicPath) -> Topic | None:
        here = self._topics[ROOT]
        for name in path:
            child = self.child(here.id, name)
            if child is None:
                return None
            here = child
        return here

    def at(self, path: TopicPath) -> Topic:
        """The topic at a path. Raises `NoSuchTopicError` with the nearest one that there is."""
        found = self.find(path)
        if found is None:
            raise NoSuchTopicError(f"There is no topic '{show_path(path)}'{self._nearest(path)}")
        return found

    def child(self, parent: TopicId, name: str) -> Topic | None:
        return self._by_name.get((parent, name.casefold()))

    def descendants(self, topic: TopicId) -> list[TopicId]:
        """The topic and all below it, parents first."""
        found = [topic]
        for here in found:
            found += [child.id for child in self.children(here)]
        return found

    def check_name(self, parent: TopicId, name: str, *, leaving: TopicId | None = None) -> None:
        """Whether a topic may bear this name here, `leaving` apart. Raises `TopicError` if not."""
        if not name:
            raise TopicError("A topic needs a name.")
        if len(self.path(parent)) >= MAX_DEPTH:
            raise TopicError(f"Topics nest at most {MAX_DEPTH} deep.")
        if self._topics[parent].is_others:
            raise TopicError("OTHERS holds counterexamples and can have no topics below it.")
        sibling = self.child(parent, name)
        if sibling is not None and sibling.id != leaving:
            where = show_path((*self.path(parent), sibling.name))
            raise TopicError(f"There is a topic '{where}' already.")

    def check_rename(self, topic: Topic, name: str) -> None:
        parent = self._parent(topic, "renamed")
        if topic.is_others != is_others(name):
            raise TopicError("OTHERS keeps its name, and no other topic can take it.")
        self.check_name(parent, name, leaving=topic.id)

    def check_move(self, topic: Topic, parent: Topic) -> None:
        self._parent(topic, "moved")
        if parent.id in self.descendants(topic.id):
            raise TopicError(f"'{topic.name}' cannot be moved below itself.")
        self.check_name(parent.id, topic.name, leaving=topic.id)

    def check_remove(self, topic: Topic) -> TopicId:
        """Returns the parent, who inherits the topic's pages."""
        return self._parent(topic, "removed")

    def _parent(self, topic: Topic, what: str) -> TopicId:
        if topic.parent is None:
            raise TopicError(f"The root of the topic tree cannot be {what}.")
        return topic.parent

    def _nearest(self, path: TopicPath) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - only for a message

        paths = [show_path(self.path(topic.id)) for topic in self]
        near = get_close_matches(show_path(path), paths, n=1)
        return (
            f"; did you mean '{near[0]}'?" if near else "; 'lode topics DIR' lists what there is."
        )
