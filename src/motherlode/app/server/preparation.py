"""What takes longer than a page may is worked out before anybody asks: by a process of its own, in no hurry.

The links around each topic are analysed for the topic's page and for ranking, and kept beside the index, so
that a server that is started again finds them. The server itself visits its own pages once.
"""

import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from motherlode.app.server.search_pool import OPEN
from motherlode.app.server.warmup import Visitor
from motherlode.app.services.registry import Shelf
from motherlode.app.services.topic_views import analysed, known
from motherlode.portal import Portal
from motherlode.portal.lock import holder_of
from motherlode.records import LodeError, TopicId
from motherlode.search.authority import topic_authorities
from motherlode.search.indexer import index_directory

LOG = logging.getLogger("motherlode.serving")
_NICENESS = 10


class Preparer:
    """Prepares portals one after another, in a thread and a process at its side, until the server ends."""

    def __init__(self, shelf: Shelf, visitor: Visitor, stopping: threading.Event) -> None:
        self._shelf, self._visitor, self._stopping = shelf, visitor, stopping
        self._wanted: queue.SimpleQueue[str] = queue.SimpleQueue()

    def start(self) -> None:
        """Begin with the first page, and go on with the portals that were changed last."""

        def work() -> None:
            self._visitor.at_the_door()
            for name in _latest(self._shelf):
                self.wake(name)
            while not self._stopping.is_set():
                self._prepare(self._wanted.get())

        threading.Thread(target=work, daemon=True).start()

    def wake(self, portal: str) -> None:
        """Something has changed in a portal."""
        self._wanted.put(portal)

    def _prepare(self, name: str) -> None:
        try:
            path = self._shelf.path(name)
            self._visitor.at(name)
            if holder_of(path) is None and lacks(path):  # a crawl is about to change all of it
                self._run(path)
        except LodeError as error:
            LOG.info("%s is not prepared: %s", name, error)

    def _run(self, path: Path) -> None:
        command = [sys.executable, "-m", __name__, str(path)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - our own
            while not self._stopping.wait(0.2):
                if process.poll() is not None:
                    return
            process.terminate()


def _latest(shelf: Shelf) -> Iterator[str]:
    """As many portals as are held open, those that were changed last first."""

    def changed(name: str) -> float:
        try:
            return -(shelf.path(name) / "index").stat().st_mtime
        except (OSError, LodeError):
            return 0.0

    yield from sorted(shelf.names(), key=changed)[:OPEN]


def lacks(path: Path) -> bool:
    """Whether anything is to be worked out for a portal."""
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return any(known(session, portal, topic) is None for topic in _topics(portal))


def prepare(path: Path, alone: Callable[[], bool] = lambda: False) -> int:
    """Work out what is lacking, topic by topic. Each has a look at the store of its own, so that a crawl that
    begins meanwhile is not held up. `alone`: whether nobody waits for it any more. Returns the topics."""
    with Portal.reading(path) as portal:
        topics = _topics(portal)
        for topic in topics:
            if alone() or holder_of(path) is not None:
                break
            _topic(portal, topic)
    return len(topics)


def _topics(portal: Portal) -> list[TopicId]:
    return [topic.id for topic in portal.tree() if not topic.is_others]


def _topic(portal: Portal, topic: TopicId) -> None:
    tree = portal.tree()
    with portal.store.reading() as session:
        topic_authorities(session, tree, topic, index_directory(portal))
        analysed(session, portal, topic)


def main() -> None:
    os.nice(_NICENESS)
    parent = os.getppid()
    with suppress(LodeError, KeyboardInterrupt):
        prepare(Path(sys.argv[1]), lambda: os.getppid() != parent)


if __name__ == "__main__":
    main()
