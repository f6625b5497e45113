"""Progress of a crawl for Prometheus, served at `/metrics` to this machine alone.

Import this module when metrics are wanted: `prometheus_client` takes 40 ms.
"""

import errno
from collections import Counter
from collections.abc import Iterator, Mapping
from threading import Thread
from typing import TYPE_CHECKING, Self
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import make_wsgi_app
from prometheus_client.core import CollectorRegistry, Metric
from prometheus_client.exposition import ThreadingWSGIServer

from motherlode.crawl.progress import Progress
from motherlode.records import LodeError, TopicId, UsageError
from motherlode.topics import TopicTree, show_path

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

HOST = "127.0.0.1"
REQUEST_TIMEOUT_S = 5.0
SHUTDOWN_POLL_S = 0.05


class _RequestHandler(WSGIRequestHandler):
    timeout = REQUEST_TIMEOUT_S

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Log nothing: the terminal belongs to the display of the crawl."""


class _MetricsServer(ThreadingWSGIServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing, where the base class prints a traceback for a client that hangs up."""


class Metrics:
    """Serves the latest progress from a thread.

    An async context manager; port 0 is any free port.
    """

    def __init__(self, port: int, tree: TopicTree) -> None:
        self._tree = tree
        self._progress = Progress()
        self.port = port

    async def __aenter__(self) -> Self:
        try:
            self._server = make_server(
                HOST, self.port, self._app(), _MetricsServer, _RequestHandler
            )
        except OverflowError as error:
            raise UsageError(f"There is no port {self.port}.") from error
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise LodeError(
                    f"Port {self.port} of {HOST} is in use; name another with --metrics."
                ) from error
            raise LodeError(
                f"Nothing can be served at port {self.port}: {error.strerror or error}."
            ) from error
        self.port = self._server.server_port
        self._thread = Thread(
            target=self._server.serve_forever, args=[SHUTDOWN_POLL_S], daemon=True
        )
        self._thread.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def update(self, progress: Progress) -> None:
        self._progress = progress

    def collect(self) -> Iterator[Metric]:
        """Yield the latest progress; `prometheus_client` calls it for every request."""
        return metric_families(self._progress, self._tree)

    def _app(self) -> "WSGIApplication":
        registry = CollectorRegistry()
        registry.register(self)
        return make_wsgi_app(registry)


def metric_families(progress: Progress, tree: TopicTree) -> Iterator[Metric]:
    """Yield every metric of a crawl's progress, each under a name of its own."""
    counters = {
        "pages": (progress.pages, "Pages that this crawl has kept."),
        "relevant_pages": (progress.relevant, "Pages that were judged to be on a topic."),
        "failed": (progress.failed, "URLs that were given up."),
        "skipped": (progress.skipped, "URLs never requested, because of our rules or the host's."),
        "redirects": (progress.redirects, "Fetches that were redirected."),
        "bytes": (progress.size, "Bytes of the pages that were kept."),
        "retrainings": (progress.retrainings, "Times that the topics were learned."),
    }
    for name, (value, meaning) in counters.items():
        yield _family("counter", name, meaning, {"": value})
    gauges: dict[str, tuple[float, str]] = {
        "seconds": (progress.seconds, "How long this crawl has taken."),
        "hosts": (progress.hosts, "Hosts of the pages that were kept."),
        "fetching": (progress.under_way, "Fetches under way."),
        "retries_waiting": (progress.retries, "URLs that wait for another attempt."),
        "harvesting": (
            progress.phase == "harvesting",
            "1 while the crawl harvests, 0 while it learns.",
        ),
        "idle": (progress.idle is not None, "1 while nothing can be fetched."),
    }
    for name, (level, meaning) in gauges.items():
        yield _family("gauge", name, meaning, {"": level})
    meaning = "Fetches that failed, by the kind of failure."
    yield _family("counter", "errors", meaning, progress.errors, "kind")
    meaning, pages = "Pages judged to be on each topic.", _by_path(progress.topics, tree)
    yield _family("counter", "topic_pages", meaning, pages, "topic")
    meaning, waiting = "URLs that wait in each queue, about.", progress.waiting_by_queue()
    yield _family("gauge", "topic_waiting", meaning, waiting, "topic")


def _family(
    kind: str, name: str, meaning: str, values: Mapping[str, float], label: str = ""
) -> Metric:
    """Return one metric with a single value, or with a value for each text of its label."""
    family = Metric(f"motherlode_{name}", meaning, kind)
    sample = f"{family.name}_total" if kind == "counter" else family.name
    for text, value in values.items():
        family.add_sample(sample, {label: _encodable(text)} if label else {}, value)
    return family


def _by_path(numbers: Mapping[TopicId, int], tree: TopicTree) -> Counter[str]:
    """Return the numbers by topic path. Topics removed meanwhile are summed up at the root."""
    paths = {int(topic.id): show_path(tree.path(topic.id)) for topic in tree}
    by_path: Counter[str] = Counter()
    for topic, number in numbers.items():
        by_path[paths.get(topic, "/")] += number
    return by_path


def _encodable(text: str) -> str:
    return text.encode(errors="replace").decode()
