"""Netscape bookmarks: topics as folders, with their best pages. `lode new --bookmarks` reads them
again.
"""

from collections.abc import Iterable
from html import escape
from typing import BinaryIO

from motherlode.export.records import MemberRecord, PageRecord, Shelf
from motherlode.export.text_cleaner import label, plain

_HEAD = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>{title}</TITLE>
<H1>{title}</H1>
<DL><p>
"""


def write_bookmarks(shelves: Iterable[Shelf], out: BinaryIO, title: str = "Bookmarks") -> int:
    """Write folders, parents first; returns how many bookmarks there are."""
    out.write(_HEAD.format(title=escape(label(title))).encode())
    opened: tuple[str, ...] = ()
    number = 0
    for shelf in shelves:
        shared = _shared(opened, shelf.path)
        out.writelines(_line(depth, "</DL><p>") for depth in range(len(opened), shared, -1))
        for depth in range(shared, len(shelf.path)):
            out.write(_line(depth + 1, f"<DT><H3>{escape(label(shelf.path[depth]))}</H3>"))
            out.write(_line(depth + 1, "<DL><p>"))
        out.writelines(_line(len(shelf.path) + 1, _bookmark(page)) for page in shelf.pages)
        opened, number = shelf.path, number + len(shelf.pages)
    for depth in range(len(opened), -1, -1):
        out.write(_line(depth, "</DL><p>"))
    return number


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many folders two paths have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _bookmark(page: PageRecord | MemberRecord) -> str:
    title = escape(label(page.title) or label(page.url))
    added = "" if page.fetched_at is None else f' ADD_DATE="{int(page.fetched_at)}"'
    return f'<DT><A HREF="{escape(plain(page.url))}"{added}>{title}</A>'


def _line(depth: int, markup: str) -> bytes:
    return f"{'    ' * depth}{markup}\n".encode()
