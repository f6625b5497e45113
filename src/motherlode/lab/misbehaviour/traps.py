"""Traps: hosts that make up new addresses for ever."""

import re
from collections.abc import Callable

from msgspec.structs import replace

from motherlode.lab.misbehaviour.gzip_bodies import unpacked
from motherlode.lab.misbehaviour.scene import Scene
from motherlode.lab.web import Answer, html

_DAY = re.compile(r"/calendar/(\d{4})/(\d{2})/(\d{2})")
_HREF = re.compile(rb"""(<a\b[^>]*?\shref\s*=\s*["'])([^"'#]+)""", re.IGNORECASE)
_SID = re.compile(r"([?&])sid=[0-9a-f]+(&|\Z)")
_ELSEWHERE = (b"http:", b"https:", b"//", b"mailto:", b"javascript:", b"data:", b"ftp:")

_OF_THE_BODY = frozenset({"content-encoding", "content-length", "etag", "last-modified"})


def calendar(scene: Scene, answer: Answer | None) -> Answer | None:
    """Every page leads into a calendar, whose pages lead to yesterday and tomorrow."""
    if day := _DAY.fullmatch(scene.asked.path):
        return html(_day(*map(int, day.groups())))
    link = b'<p><a href="/calendar/2026/11/16">Calendar of events</a></p>'
    return _edited(answer, lambda body: body + link)


def session_ids(scene: Scene, answer: Answer | None) -> Answer | None:
    """Every link of the host's own has a new session id on every visit."""
    plain = _SID.sub(lambda found: found[1] if found[2] else "", scene.asked.url)
    if plain != scene.asked.url:
        answer = scene.web.answer(plain)
    sid = b"sid=%08x" % (scene.visits.count * 2654435761 % 2**32)

    def mark(found: re.Match[bytes]) -> bytes:
        reference = found[2]
        if reference.lower().startswith(_ELSEWHERE):
            return found[0]
        return found[1] + reference + (b"&" if b"?" in reference else b"?") + sid

    more = b'<p><a href="/?sid=%08x">Home</a></p>' % scene.visits.count
    return _edited(answer, lambda body: _HREF.sub(mark, body) + more)


def _edited(answer: Answer | None, edit: Callable[[bytes], bytes]) -> Answer | None:
    """The answer with its body changed, if it is a page; the validators were the old body's."""
    if answer is None or "html" not in answer.header("content-type").lower():
        return answer
    body = unpacked(answer.body, answer.header("content-encoding"))
    if body is None:
        return answer
    kept = tuple(pair for pair in answer.headers if pair[0].lower() not in _OF_THE_BODY)
    return replace(answer, headers=kept, body=edit(body))


def _day(year: int, month: int, day: int) -> str:
    """A day of twelve months of thirty days: it never ends, and it never was."""
    number = (year * 12 + month - 1) * 30 + day - 1
    links = "".join(
        f'<li><a href="/calendar/{_path(number + step)}">{name}</a>'
        for step, name in (
            (-1, "Yesterday"),
            (1, "Tomorrow"),
            (30, "Next month"),
            (360, "Next year"),
        )
    )
    title = f"Events on {day}.{month}.{year}"
    return (
        f"<!DOCTYPE html><title>{title}</title><h1>{title}</h1><p>No events on this "
        f"day.<ul>{links}</ul>"
    )


def _path(number: int) -> str:
    months, day = divmod(number, 30)
    year, month = divmod(months, 12)
    return f"{year % 10000:04d}/{month + 1:02d}/{day + 1:02d}"
