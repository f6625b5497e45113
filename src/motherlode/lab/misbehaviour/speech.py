"""Bad answers: what comes back arrives in order, and is wrong, hostile or a refusal."""

import re
import struct
import zlib
from email.utils import formatdate
from functools import lru_cache

from msgspec.structs import replace

from motherlode.lab.misbehaviour.scene import Scene
from motherlode.lab.web import Answer, html

_MB = 2**20
# Where no crawler may let itself be led: loopback, private, link-local, metadata, unspecified.
_PRIVATE = (
    "http://10.0.0.1/",
    "http://192.168.1.1/admin",
    "http://172.16.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://0.0.0.0/",
    "http://224.0.0.1/",
)
_LOOPBACK = (
    "http://127.0.0.1:22/",
    "http://localhost/",
    "http://[::1]/",
    "http://127.1/",
    "http://2130706433/",
)
_SCHEMES = (
    "ftp://files.test/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "gopher://old.test/",
    "data:,x",
)


def gzip_bomb(scene: Scene, _answer: Answer | None) -> Answer:
    headers = (("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", "gzip"))
    return Answer(200, headers, _bomb(int(scene.figure)))


def wrong_mime(_scene: Scene, answer: Answer | None) -> Answer | None:
    """Pages say they are pictures, and all else says it is a page."""
    if answer is None:
        return None
    page = "html" in answer.header("content-type").lower()
    return _with_type(answer, "image/png" if page else "text/html")


def no_mime(_scene: Scene, answer: Answer | None) -> Answer | None:
    return answer and _with_type(answer, "")


def wrong_charset(_scene: Scene, answer: Answer | None) -> Answer | None:
    """Pages in UTF-8 say UTF-16, which no reader could bear out; others say UTF-8."""
    told = answer.header("content-type").lower() if answer else ""
    if answer is None or not told.startswith("text/"):
        return answer
    kind = told.partition(";")[0]
    return _with_type(answer, f"{kind}; charset={'utf-16' if 'utf-8' in told else 'utf-8'}")


def redirect_loop(scene: Scene, _answer: Answer | None) -> Answer:
    return _redirect(f"{scene.asked.path}?turn={(_number(scene, 'turn') + 1) % 3}")


def redirect_endless(scene: Scene, _answer: Answer | None) -> Answer:
    return _redirect(f"{scene.asked.path}?hop={_number(scene, 'hop') + 1}")


def redirect_loopback(scene: Scene, _answer: Answer | None) -> Answer:
    return _redirect(_LOOPBACK[(scene.visits.count - 1) % len(_LOOPBACK)])


def redirect_private(scene: Scene, _answer: Answer | None) -> Answer:
    return _redirect(_PRIVATE[(scene.visits.count - 1) % len(_PRIVATE)])


def redirect_scheme(scene: Scene, _answer: Answer | None) -> Answer:
    return _redirect(_SCHEMES[(scene.visits.count - 1) % len(_SCHEMES)])


def too_many(scene: Scene, answer: Answer | None) -> Answer | None:
    """More visits in a second than the figure are refused, with the wait in either of its two
    forms.
    """
    if scene.visits.in_a_second <= scene.figure:
        return answer
    date = scene.visits.count % 2 == 0
    wait = formatdate(scene.now + 1, usegmt=True) if date else "1"
    return replace(html("<p>Too many requests", 429), headers=(("Retry-After", wait),))


def storm(scene: Scene, answer: Answer | None) -> Answer | None:
    """As many refusals in a row as the figure says, then as many answers."""
    length = max(int(scene.figure), 1)
    if (scene.visits.count - 1) // length % 2:
        return answer
    return html("<p>Out of service", 503)


def _number(scene: Scene, name: str) -> int:
    """The number in a query of our own making; 0 in any other."""
    found = re.fullmatch(rf"{name}=(\d{{1,18}})", scene.asked.target.partition("?")[2])
    return int(found[1]) if found else 0


def _redirect(location: str) -> Answer:
    return Answer(302, (("Location", location), ("Content-Type", "text/html")), b"<p>Elsewhere")


def _with_type(answer: Answer, content_type: str) -> Answer:
    kept = tuple(pair for pair in answer.headers if pair[0].lower() != "content-type")
    return replace(
        answer, headers=((("Content-Type", content_type), *kept) if content_type else kept)
    )


@lru_cache(maxsize=4)
def _bomb(megabytes: int) -> bytes:
    """A small gzip file that unpacks to so many MB: one packed MB of spaces, over and over."""
    block = b" " * _MB
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    check = 0
    for _ in range(megabytes):
        check = zlib.crc32(block, check)
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    return (
        head
        + packed * megabytes
        + packer.flush()
        + struct.pack("<II", check, megabytes * _MB % 2**32)
    )
