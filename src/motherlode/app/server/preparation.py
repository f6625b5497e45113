"""Analyse the links of each topic before a page needs them, in a process with low priority.

The results serve the topic's page and the ranking, and are stored beside the index, so that a
restarted server finds them. The server also requests its own pages once.
"""

import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from motherlode.app.server.warmup import WarmupClient
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.app.services.search.pool import MAX_OPEN_INDEXES
from motherlode.app.services.topics.views import stored_surroundings, topic_surroundings
from motherlode.portal import Portal
from motherlode.portal.lock import holder_of
from motherlode.records import LodeError, TopicId
from motherlode.search.authority import topic_authorities
from motherlode.search.indexer import index_directory

LOG = logging.getLogger("motherlode.serving")
_NICENESS = 10
_POLL_S = 0.2


class Preparer:
    """Prepares portals one after another, in a thread and a process, until the server ends."""

    def __init__(
        self, registry: PortalRegistry, client: WarmupClient, stopping: threading.Event
    ) -> None:
        self._registry, self._client, self._stopping = registry, client, stopping
        self._portals: queue.SimpleQueue[str] = queue.SimpleQueue()

    def start(self) -> None:
        """Begin with the first page, and go on with the portals that were changed last."""

        def work() -> None:
            self._client.visit_home()
            for name in _latest(self._registry):
                self.schedule(name)
            while not self._stopping.is_set():
                self._prepare(self._portals.get())

        threading.Thread(target=work, daemon=True).start()

    def schedule(self, portal: str) -> None:
        """Prepare a portal that has changed."""
        self._portals.put(portal)

    def _prepare(self, name: str) -> None:
        try:
            path = self._registry.path(name)
            self._client.visit_portal(name)
            # A command that writes the portal now is about to change the results.
            if holder_of(path) is None and needs_analysis(path):
                self._run(path)
        except LodeError as error:
            LOG.info("%s is not prepared: %s", name, error)

    def _run(self, path: Path) -> None:
        command = [sys.executable, "-m", __name__, str(path)]
        with subprocess.Popen(  # noqa: S603 - our own
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as process:
            while not self._stopping.wait(_POLL_S):
                if process.poll() is not None:
                    return
            process.terminate()


def _latest(registry: PortalRegistry) -> list[str]:
    """Return as many portals as are held open, those that were changed last first."""

    def age(name: str) -> float:
        try:
            return -(registry.path(name) / "index").stat().st_mtime
        except (OSError, LodeError):
            return 0.0

    return sorted(registry.names(), key=age)[:MAX_OPEN_INDEXES]


def needs_analysis(path: Path) -> bool:
    """Return whether a topic of the portal has no stored analysis."""
    with Portal.reading(path) as portal, portal.store.reading() as session:
        return any(stored_surroundings(session, portal, topic) is None for topic in _topics(portal))


def analyse_topics(path: Path, is_orphan: Callable[[], bool] = lambda: False) -> int:
    """Analyse each topic of a portal and return the number of topics.

    Each topic is a transaction of its own, so that a crawl that begins meanwhile is not held up.
    The analysis ends early if `is_orphan` says that nobody waits for it any more.
    """
    with Portal.reading(path) as portal:
        topics = _topics(portal)
        for topic in topics:
            if is_orphan() or holder_of(path) is not None:
                break
            _analyse(portal, topic)
    return len(topics)


def _topics(portal: Portal) -> list[TopicId]:
    return [topic.id for topic in portal.tree() if not topic.is_others]


def _analyse(portal: Portal, topic: TopicId) -> None:
    tree = portal.tree()
    with portal.store.reading() as session:
        topic_authorities(session, tree, topic, index_directory(portal))
        topic_surroundings(session, portal, topic)


def main() -> None:
    os.nice(_NICENESS)
    parent = os.getppid()
    with suppress(LodeError, KeyboardInterrupt):
        analyse_topics(Path(sys.argv[1]), lambda: os.getppid() != parent)


if __name__ == "__main__":
    main()
