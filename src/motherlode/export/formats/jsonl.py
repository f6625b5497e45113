"""JSON Lines: a page a line.

Escaped to ASCII, so that no title steers a terminal that it is shown on; whoever reads it gets what
was said.
"""

import json
from collections.abc import Iterable
from typing import Any, BinaryIO

from motherlode.export.records import MemberRecord, PageRecord, shown_time, told, told_member
from motherlode.export.text_cleaner import whole


def write_jsonl(pages: Iterable[PageRecord], out: BinaryIO) -> int:
    """Write pages; returns how many."""
    return _write_objects(map(_object, pages), out)


def write_member_jsonl(members: Iterable[MemberRecord], out: BinaryIO) -> int:
    """Write the members of collections, and return their number."""
    return _write_objects(map(_member_object, members), out)


def _write_objects(objects: Iterable[dict[str, Any]], out: BinaryIO) -> int:
    number = 0
    for number, told_object in enumerate(objects, 1):  # noqa: B007 - the last one counts
        out.write(json.dumps(told_object, separators=(",", ":")).encode() + b"\n")
    return number


def _member_object(member: MemberRecord) -> dict[str, Any]:
    told_object = told_member(member)
    return told_object if member.text is None else {**told_object, "text": whole(member.text)}


def _object(page: PageRecord) -> dict[str, Any]:
    said = told(page, shown_time(page.fetched_at))
    return said if page.text is None else {**said, "text": whole(page.text)}
