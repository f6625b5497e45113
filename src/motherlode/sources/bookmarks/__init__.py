"""Bookmark files, of any browser, as folders (SPEC B1): Netscape HTML, OPML, plain lists of URLs."""

from motherlode.sources.bookmarks.building import MAX_DEPTH
from motherlode.sources.bookmarks.reading import MAX_BYTES, holds_bookmarks, parse_bookmarks, read_bookmarks
from motherlode.sources.bookmarks.walking import filed

__all__ = ["MAX_BYTES", "MAX_DEPTH", "filed", "holds_bookmarks", "parse_bookmarks", "read_bookmarks"]
