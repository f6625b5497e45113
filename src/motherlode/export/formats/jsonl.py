"""JSON Lines: a page a line.

Escaped to ASCII, so that no title steers a terminal that it is shown on; whoever reads it gets what
was said.
"""

import json
from collections.abc import Iterable
from typing import Any, BinaryIO

from motherlode.export.records import PageRecord, shown_time, told
from motherlode.export.text_cleaner import whole


def write_jsonl(pages: Iterable[PageRecord], out: BinaryIO) -> int:
    """Write pages; returns how many."""
    number = 0
    for number, page in enumerate(pages, 1):  # noqa: B007 - the last one counts
        out.write(json.dumps(_object(page), separators=(",", ":")).encode() + b"\n")
    return number


def _object(page: PageRecord) -> dict[str, Any]:
    said = told(page, shown_time(page.fetched_at))
    return said if page.text is None else {**said, "text": whole(page.text)}
