"""How far a crawl is, for Prometheus: `/metrics` in its text format, on this machine alone.

Served by hand: one page, always the same, asked for every few seconds.
https://prometheus.io/docs/instrumenting/exposition_formats/
"""

import asyncio
import errno
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Self

from motherlode.crawl.progress import Progress
from motherlode.records import LodeError, TopicId, UsageError
from motherlode.topics import TopicTree, show_path

HOST = "127.0.0.1"
_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PATIENCE = 5.0  # seconds that somebody who asks may take
_LONGEST = 16 * 1024  # bytes of a request

# A sample: its labels, and its value.
_Sample = tuple[Mapping[str, str], float]


class Metrics:
    """Serves the latest progress that it was told. An async context manager; port 0 is any that is free."""

    def __init__(self, port: int, tree: TopicTree) -> None:
        self._tree = tree
        self._progress = Progress()
        self.port = port

    async def __aenter__(self) -> Self:
        try:
            self._server = await asyncio.start_server(self._answer, HOST, self.port, limit=_LONGEST)
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
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    def update(self, progress: Progress) -> None:
        self._progress = progress

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._response(head.partition(b"\r\n")[0].split()))
                await writer.drain()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    def _response(self, asked: list[bytes]) -> bytes:
        match asked:
            case [b"GET" | b"HEAD" as method, target, _] if target.partition(b"?")[0] == b"/metrics":
                body = exposition(self._progress, self._tree).encode()
                return _http("200 OK", _TYPE, body, head_only=method == b"HEAD")
            case [b"GET" | b"HEAD", _, _]:
                return _http("404 Not Found", "text/plain", b"There is only /metrics here.\n")
            case _:
                return _http("400 Bad Request", "text/plain", b"Only GET /metrics is answered.\n")


def _http(status: str, kind: str, body: bytes, *, head_only: bool = False) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Connection: close\r\n\r\n".encode() + (b"" if head_only else body)


def exposition(progress: Progress, tree: TopicTree) -> str:
    """The progress of a crawl in Prometheus' text format."""
    return "".join(_families(progress, tree))


def _families(progress: Progress, tree: TopicTree) -> Iterator[str]:
    counters = {
        "pages": (progress.pages, "Pages that this crawl has kept."),
        "relevant_pages": (progress.relevant, "Pages that were judged to be on a topic."),
        "failed": (progress.failed, "URLs that were given up."),
        "skipped": (progress.skipped, "URLs that were never asked for, by rules of ours or of the host."),
        "redirects": (progress.redirects, "Fetches that were redirected."),
        "bytes": (progress.size, "Bytes of the pages that were kept."),
        "retrainings": (progress.retrainings, "Times that the topics were learned."),
    }
    for name, (value, meaning) in counters.items():
        yield _family(f"{name}_total", "counter", meaning, [({}, value)])
    gauges: dict[str, tuple[float, str]] = {
        "seconds": (progress.seconds, "How long this crawl has taken."),
        "hosts": (progress.hosts, "Hosts of the pages that were kept."),
        "fetching": (progress.under_way, "Fetches under way."),
        "retries_waiting": (progress.retries, "URLs that wait for another attempt."),
        "harvesting": (progress.phase == "harvesting", "Whether the crawl harvests (1) or learns (0)."),
        "idle": (progress.idle is not None, "Whether nothing can be fetched now."),
    }
    for name, (level, meaning) in gauges.items():
        yield _family(name, "gauge", meaning, [({}, level)])
    if progress.precision is not None:
        meaning = "Precision of the judgements, as xi-alpha estimates it."
        yield _family("estimated_precision", "gauge", meaning, [({}, progress.precision)])
    errors: list[_Sample] = [({"kind": kind}, number) for kind, number in progress.errors.items()]
    yield _family("errors_total", "counter", "Fetches that failed, by the kind of failure.", errors)
    on_topics = _by_topic(progress.topics, tree)
    yield _family("topic_pages_total", "counter", "Pages judged to be on each topic.", on_topics)
    waiting = _by_topic(progress.queues, tree)
    yield _family("topic_waiting", "gauge", "URLs that wait for each topic, about.", waiting)


def _by_topic(numbers: Mapping[TopicId, int], tree: TopicTree) -> list[_Sample]:
    paths = {topic.id: show_path(tree.path(topic.id)) for topic in tree}
    return [({"topic": paths.get(topic, "/")}, number) for topic, number in numbers.items()]


def _family(name: str, kind: str, meaning: str, samples: list[_Sample]) -> str:
    name = f"motherlode_{name}"
    lines = [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
    summed: dict[str, float] = {}
    for labels, value in samples:  # a name with the same labels twice would be an error
        inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        shown = f"{name}{{{inside}}}" if inside else name
        summed[shown] = summed.get(shown, 0) + value
    lines += [f"{shown} {_number(value)}" for shown, value in summed.items()]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    text = text.encode(errors="replace").decode()
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
