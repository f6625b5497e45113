"""JSON Lines: a page a line.

Escaped to ASCII, so that no title steers a terminal that it is shown on; whoever reads it gets what was said.
"""

import json
from collections.abc import Iterable
from typing import Any, BinaryIO

from motherlode.export.cleaning import whole
from motherlode.export.records import PageRecord, shown_digest, shown_time


def write_jsonl(pages: Iterable[PageRecord], out: BinaryIO) -> int:
    """Write pages; returns how many."""
    number = 0
    for number, page in enumerate(pages, 1):  # noqa: B007 - the last one counts
        out.write(json.dumps(_object(page), separators=(",", ":")).encode() + b"\n")
    return number


def _object(page: PageRecord) -> dict[str, Any]:
    said = {
        "url": whole(page.url),
        "title": whole(page.title),
        "topic": None if page.topic is None else whole(page.topic),
        "confidence": page.confidence,
        "fetched_at": shown_time(page.fetched_at),
        "language": whole(page.language),
        "mime": whole(page.mime),
        "status": page.status,
        "size": page.size,
        "digest": shown_digest(page.digest),
        "gone": page.gone,
    }
    return said if page.text is None else {**said, "text": whole(page.text)}
