"""Bookmark files as folders: Netscape HTML of any browser, OPML, and plain lists of URLs (SPEC B1).

Only files are read here; `topics` makes a tree of the folders.
"""

from motherlode.sources.bookmarks.folder_builder import MAX_DEPTH
from motherlode.sources.bookmarks.folders import filed
from motherlode.sources.bookmarks.reader import (
    MAX_BYTES,
    holds_bookmarks,
    parse_bookmarks,
    read_bookmarks,
)

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "filed",
    "holds_bookmarks",
    "parse_bookmarks",
    "read_bookmarks",
]
