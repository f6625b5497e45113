"""Prometheus metrics, asked for over HTTP."""

import asyncio
import re
import socket

import pytest

from motherlode.app.services.metrics import HOST, Metrics, exposition
from motherlode.crawl.progress import Progress
from motherlode.records import ROOT, LodeError, Topic, TopicId
from motherlode.topics import TopicTree

TREE = TopicTree([Topic(ROOT, None, ""), Topic(TopicId(2), ROOT, 'a\\"b\nc')])
FAR = Progress(
    pages=12,
    seconds=1.5,
    relevant=7,
    topics={TopicId(2): 7, TopicId(98): 1, TopicId(99): 2},
    queues={TopicId(2): 30},
    errors={"not there": 2},
    precision=0.5,
)
SAMPLE = re.compile(r'motherlode_[a-z_]+(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"\})? [0-9.e+-]+')


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


def test_every_line_is_in_the_text_format_and_every_name_is_explained_once() -> None:
    text = exposition(FAR, TREE)
    assert text.endswith("\n")
    samples = [line for line in text.splitlines() if not line.startswith("#")]
    assert [line for line in samples if not SAMPLE.fullmatch(line)] == []
    assert len({line.rpartition(" ")[0] for line in samples}) == len(samples)
    explained = re.findall(r"^# HELP (\S+) \S.*\n# TYPE (\S+) (counter|gauge)$", text, re.MULTILINE)
    assert len({name for name, _, _ in explained}) == len(explained) == text.count("# HELP")
    assert {re.split(r"[{ ]", line)[0] for line in samples} <= {name for name, _, _ in explained}
    assert all(name.endswith("_total") == (kind == "counter") for name, _, kind in explained)


def test_values_and_labels_are_what_the_crawl_says() -> None:
    lines = exposition(FAR, TREE).splitlines()
    assert "motherlode_pages_total 12" in lines
    assert "motherlode_seconds 1.5" in lines
    assert "motherlode_estimated_precision 0.5" in lines
    assert 'motherlode_errors_total{kind="not there"} 2' in lines
    assert 'motherlode_topic_pages_total{topic="a\\\\\\"b\\nc"} 7' in lines
    assert 'motherlode_topic_pages_total{topic="/"} 3' in lines  # topics that are gone meanwhile


def test_metrics_are_served_and_nothing_else() -> None:
    end = b" HTTP/1.1\r\nHost: x\r\n\r\n"
    good, query, head, wrong, post = asyncio.run(
        asked(
            b"GET /metrics" + end,
            b"GET /metrics?x=1" + end,
            b"HEAD /metrics" + end,
            b"GET /" + end,
            b"POST /metrics" + end,
        )
    )
    assert good[0].startswith(b"HTTP/1.1 200 OK")
    assert b"text/plain; version=0.0.4" in good[0]
    assert b"motherlode_pages_total 12" in good[1]
    assert good[1] == query[1]
    assert head[1] == b""
    assert wrong[0].startswith(b"HTTP/1.1 404")
    assert post[0].startswith(b"HTTP/1.1 400")


def test_whoever_sends_nonsense_or_too_much_harms_nobody() -> None:
    async def work() -> None:
        async with Metrics(0, TREE) as metrics:
            for nonsense in (b"\r\n\r\n", b"x" * 100_000, b"\x16\x03\x01\r\n\r\n"):
                _, writer = await asyncio.open_connection(HOST, metrics.port)
                writer.write(nonsense)
                writer.close()
            head, _ = await ask(metrics.port, b"GET /metrics HTTP/1.0\r\n\r\n")
            assert b"200 OK" in head

    asyncio.run(work())


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
