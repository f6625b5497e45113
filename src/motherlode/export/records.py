"""What is exported, as plain records: writers know nothing of the store."""

from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from motherlode.export.text_cleaner import whole
from motherlode.records.digests import shown_digest
from motherlode.training.certainty import Assessed

ASSESSMENT = ("confidence", "margin", "probability", "certainty")  # in the order of columns


class PageRecord(Assessed, frozen=True):
    """A page. `topic` is its path, OTHERS where no topic wants it, and nothing where nobody has
    judged it.
    """

    id: int
    url: str
    title: str
    topic: str | None
    fetched_at: float
    language: str
    mime: str
    status: int
    size: int
    digest: bytes
    gone: bool = False  # it is not there any more, and kept for what it said
    text: str | None = None


class MemberRecord(Struct, frozen=True, kw_only=True):
    """A member of a collection (`training.collections`). `choice` is the user's, empty without one.

    `source` is read, link or user; `found_on` is the member that links to one that was not read.
    """

    url: str
    title: str
    subject: str
    merit: float | None
    choice: str
    source: str
    found_on: str
    fetched_at: float | None
    language: str
    mime: str
    text: str | None = None


class LinkRecord(Struct, frozen=True):
    """A link of a page."""

    page: int
    position: int
    url: str
    anchor: str
    flags: int


class JudgementRecord(Assessed, frozen=True):
    """What is thought of a page, and by which model."""

    page: int
    topic: str
    model: int | None


class Shelf(Struct, frozen=True):
    """A topic with its best pages; those below it follow it."""

    path: tuple[str, ...]
    pages: tuple[PageRecord | MemberRecord, ...]


class PackedResponse(Struct, frozen=True):
    """A page with its raw response: a WARC record, packed."""

    page: PageRecord
    member: bytes


def told(page: PageRecord, fetched_at: str | int) -> dict[str, Any]:
    """What is told of a page, by the names that readers know; `fetched_at` as the format has
    moments.
    """
    return {
        "url": whole(page.url),
        "title": whole(page.title),
        "topic": whole_or_none(page.topic),
        **told_assessment(page),
        "fetched_at": fetched_at,
        "language": whole(page.language),
        "mime": whole(page.mime),
        "status": page.status,
        "size": page.size,
        "digest": shown_digest(page.digest),
        "gone": page.gone,
    }


def told_member(member: MemberRecord) -> dict[str, Any]:
    """Return what is told of a member of a collection, by the names that readers know."""
    return {
        "url": whole(member.url),
        "title": whole(member.title),
        "subject": whole(member.subject),
        "merit": member.merit,
        "curated": member.choice,
        "source": member.source,
        "found_on": whole(member.found_on),
        "fetched_at": None if member.fetched_at is None else shown_time(member.fetched_at),
        "language": whole(member.language),
        "mime": whole(member.mime),
    }


def told_assessment(record: Assessed) -> dict[str, Any]:
    """Return how sure a topic is, by the names that readers know."""
    return {name: getattr(record, name) for name in ASSESSMENT}


def whole_or_none(text: str | None) -> str | None:
    return None if text is None else whole(text)


def shown_time(at: float) -> str:
    """A moment as ISO 8601 has it.

    >>> shown_time(1.5)
    '1970-01-01T00:00:01.500Z'
    """
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
