"""Prometheus metrics, asked for over HTTP."""

import asyncio
import socket
from collections.abc import Iterable

import pytest
from prometheus_client import generate_latest
from prometheus_client.core import CollectorRegistry, Metric
from prometheus_client.parser import text_string_to_metric_families

from motherlode.app.services.metrics import HOST, Metrics, metric_families
from motherlode.crawl.progress import Progress
from motherlode.records import ROOT, LodeError, QueueId, Topic, TopicId
from motherlode.topics import TopicTree

TREE = TopicTree([Topic(ROOT, None, ""), Topic(TopicId(2), ROOT, 'a\\"b\nc')])
FAR = Progress(
    pages=12,
    seconds=1.5,
    relevant=7,
    topics={TopicId(2): 7, TopicId(98): 1, TopicId(99): 2},
    queues={QueueId(2): 30, QueueId(3): 4},
    queue_names={QueueId(2): "birds"},
    errors={"not there": 2},
)


async def ask(port: int, request: bytes) -> tuple[bytes, bytes]:
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    head, _, body = answer.partition(b"\r\n\r\n")
    return head, body


async def asked(*requests: bytes) -> list[tuple[bytes, bytes]]:
    async with Metrics(0, TREE) as metrics:
        metrics.update(FAR)
        return [await ask(metrics.port, request) for request in requests]


def exposition(progress: Progress, tree: TopicTree) -> str:
    class Collector:
        def collect(self) -> Iterable[Metric]:
            return metric_families(progress, tree)

    registry = CollectorRegistry()
    registry.register(Collector())
    return generate_latest(registry).decode()


def test_every_name_is_explained_once_and_no_sample_is_there_twice() -> None:
    families = list(text_string_to_metric_families(exposition(FAR, TREE)))
    assert len({family.name for family in families}) == len(families) == 16
    assert all(family.documentation for family in families)
    assert {family.type for family in families} == {"counter", "gauge"}
    samples = [sample for family in families for sample in family.samples]
    assert len({(sample.name, *sample.labels.items()) for sample in samples}) == len(samples)
    assert all(sample.name.startswith("motherlode_") for sample in samples)


def test_values_and_labels_are_those_of_the_crawl() -> None:
    lines = exposition(FAR, TREE).splitlines()
    assert "motherlode_pages_total 12.0" in lines
    assert "motherlode_seconds 1.5" in lines
    assert "precision" not in "".join(lines)  # it was shown without range or number of examples
    assert 'motherlode_errors_total{kind="not there"} 2.0' in lines
    assert 'motherlode_topic_pages_total{topic="a\\\\\\"b\\nc"} 7.0' in lines
    assert 'motherlode_topic_pages_total{topic="/"} 3.0' in lines  # topics removed meanwhile
    assert 'motherlode_topic_waiting{topic="birds"} 30.0' in lines
    assert 'motherlode_topic_waiting{topic="/"} 4.0' in lines  # a queue without a name


def test_a_label_that_is_not_unicode_is_shown_with_question_marks() -> None:
    assert 'kind="a?b"' in exposition(Progress(errors={"a\udc80b": 1}), TREE)


def test_the_latest_progress_is_served_to_get_alone() -> None:
    end = b" HTTP/1.0\r\nHost: x\r\n\r\n"
    good, query, post = asyncio.run(
        asked(b"GET /metrics" + end, b"GET /metrics?x=1" + end, b"POST /metrics" + end)
    )
    assert good[0].partition(b"\r\n")[0].endswith(b" 200 OK")
    assert b"Content-Type: text/plain; version=0.0.4" in good[0]
    assert b"\nmotherlode_pages_total 12.0\n" in good[1]
    assert good[1] == query[1]
    assert post[0].partition(b"\r\n")[0].endswith(b" 405 Method Not Allowed")


def test_nonsense_and_idle_connections_harm_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        async with Metrics(0, TREE) as metrics:
            _, silent = await asyncio.open_connection(HOST, metrics.port)
            for nonsense in (b"\r\n\r\n", b"x" * 100_000, b"\x16\x03\x01\r\n\r\n"):
                _, writer = await asyncio.open_connection(HOST, metrics.port)
                writer.write(nonsense)
                writer.close()
            head, _ = await ask(metrics.port, b"GET /metrics HTTP/1.0\r\n\r\n")
            assert b"200 OK" in head
            silent.close()

    asyncio.run(work())
    assert capsys.readouterr() == ("", "")


def test_a_port_in_use_is_one_clear_sentence() -> None:
    async def work(port: int) -> None:
        async with Metrics(port, TREE):
            pass

    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(LodeError, match=f"Port {port} of 127.0.0.1 is in use; name another"):
            asyncio.run(work(port))
