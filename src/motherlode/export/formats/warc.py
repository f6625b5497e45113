"""WARC: the records of the chosen pages as they lie in the archive, one gzip member each."""

from collections.abc import Iterable
from typing import BinaryIO

from motherlode.export.records import PackedResponse


def write_warc(responses: Iterable[PackedResponse], out: BinaryIO, opening: bytes) -> int:
    """Write the packed record that says whose file it is, then those of the pages; returns how
    many.
    """
    out.write(opening)
    number = 0
    for number, response in enumerate(responses, 1):  # noqa: B007 - the last one counts
        out.write(response.member)
    return number
