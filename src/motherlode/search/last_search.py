"""The last search of a portal, so that its results can be named by their numbers.

It lies beside the index, so that it can be kept while a crawl writes the portal.
"""

from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from motherlode.portal import Portal
from motherlode.search.indexer import place_of
from motherlode.search.service import Asked, Results

FILE = "last-search"


class LastSearch(Struct, frozen=True):
    """What was asked last, and the addresses of its results by their numbers, as far as they were shown."""

    asked: Asked
    results: dict[int, str]


def remember(portal: Portal, asked: Asked, found: Results) -> None:
    """Where nothing can be written, nothing is remembered. Further pages of a search add to its results."""
    before = last_search(portal)
    shown = {one.place: one.url for one in found.results}
    if before is not None and replace(before.asked, page=1) == replace(asked, page=1):
        shown = {**before.results, **shown}
    file = _file(portal)
    fresh = file.with_suffix(".new")
    try:
        fresh.write_bytes(msgspec.msgpack.encode(LastSearch(asked, shown)))
        fresh.replace(file)
    except OSError:
        return


def last_search(portal: Portal) -> LastSearch | None:
    try:
        return msgspec.msgpack.decode(_file(portal).read_bytes(), type=LastSearch)
    except (OSError, msgspec.DecodeError):
        return None


def _file(portal: Portal) -> Path:
    return place_of(portal) / FILE
