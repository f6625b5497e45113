"""Bad delivery: the answer is right, the way it arrives is not."""

import re
from collections.abc import Iterator
from itertools import count

from motherlode.lab.misbehaviour.scene import Act, Close, Pause, Reset, Scene, Send, Stall

_LENGTH = re.compile(rb"\r\nContent-Length: [^\r]*")
_FILLER = (
    b"<p>There is always one more paragraph on this page, and none of them says anything new.</p>\n"
    * 40
)


def slow_first_byte(scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Pause(scene.figure)
    yield Send(head + body)


def slow_drip(scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(head)
    for start in range(0, len(body), 16):
        yield Pause(scene.figure)
        yield Send(body[start : start + 16])


def stall(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(head + body[: len(body) // 2])
    yield Stall()


def reset(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(head + body[: len(body) // 2])
    yield Pause(0.02)  # else the reset may overtake the bytes
    yield Reset()


def missing_bytes(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(_with_length(head, b"%d" % (len(body) + 1000)) + body)
    yield Close()


def surplus_bytes(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(_with_length(head, b"%d" % (len(body) // 2)) + body)
    yield Close()


def no_length(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(_without_length(head, b"Connection: close") + body)
    yield Close()


def absurd_length(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(_with_length(head, b"-1") + body)
    yield Close()


def broken_chunks(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    half = len(body) // 2
    yield Send(_without_length(head, b"Transfer-Encoding: chunked"))
    yield Send(_chunk(body[:half]) + b"zz\r\n" + body[half:] + b"\r\n0\r\n\r\n")
    yield Close()


def cut_chunks(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(_without_length(head, b"Transfer-Encoding: chunked") + _chunk(body))
    yield Close()


def endless(_scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    yield Send(_without_length(head, b"Transfer-Encoding: chunked") + _chunk(body))
    while True:
        yield Send(_chunk(_FILLER))


def endless_headers(_scene: Scene, head: bytes, _body: bytes) -> Iterator[Act]:
    yield Send(head[:-2])
    for number in count():
        yield Send(b"X-And-Another-%d: %s\r\n" % (number, b"more" * 50))


def header_flood(scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    flood = b"".join(b"X-Flood-%d: one of many\r\n" % number for number in range(int(scene.figure)))
    yield Send(head[:-2] + flood + b"\r\n" + body)


def garbage(_scene: Scene, _head: bytes, _body: bytes) -> Iterator[Act]:
    yield Send(bytes(range(256)) * 4)
    yield Close()


def slow_robots(scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    if scene.asked.path == "/robots.txt":
        yield Pause(scene.figure)
    yield Send(head + body)


def dies(scene: Scene, head: bytes, body: bytes) -> Iterator[Act]:
    """Alive for some visits, then dead for as many seconds, and again."""
    visits = scene.visits
    if visits.down_since is None and visits.count > scene.figure:
        visits.down_since = scene.now
    if visits.down_since is not None and scene.now < visits.down_since + scene.figure:
        yield Reset()
        return
    if visits.down_since is not None:
        visits.down_since, visits.count = None, 1
    yield Send(head + body)


def unreachable(_scene: Scene, _head: bytes, _body: bytes) -> Iterator[Act]:
    """Whoever comes without a look-up, that fails, finds nobody."""
    yield Reset()


def _with_length(head: bytes, length: bytes) -> bytes:
    return _LENGTH.sub(b"\r\nContent-Length: " + length, head, count=1)


def _without_length(head: bytes, instead: bytes) -> bytes:
    return _LENGTH.sub(b"\r\n" + instead, head, count=1)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data) if data else b""
