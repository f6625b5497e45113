"""From a file to folders: guard it, decode it, find out its form."""

import re
import stat
from pathlib import Path

from motherlode.documents.encoding import decode
from motherlode.records import BadInputError, Folder
from motherlode.sources.bookmarks import netscape, opml, urllist
from motherlode.sources.bookmarks.folder_builder import MAX_DEPTH, TooDeepError

MAX_BYTES = 64 * 1024 * 1024
_LOOK = 64 * 1024  # how far to look for a sign of the form

_BOOKMARKS = re.compile(r"<opml\b|netscape-bookmark-file|<dt>\s*+<a\b", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*+:", re.IGNORECASE)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_FOREIGN = (
    (b"SQLite format 3\x00", "a browser's own database"),
    (b"bplist", "a property list, as Safari keeps its bookmarks"),
    (b"mozLz4", "a Firefox backup"),
    (b"PK\x03\x04", "a zip file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"%PDF", "a PDF file"),
)


def read_bookmarks(path: Path) -> Folder:
    """The folders of a bookmark file. Raises `BadInputError` with a sentence that says
    what to do.
    """
    return parse_bookmarks(path, _read(path))


def parse_bookmarks(path: Path, body: bytes) -> Folder:
    """The folders of a bookmark file that came another way; `path` is what it is called."""
    try:
        return _parse(path, _decode(path, _filled(path, body)))
    except TooDeepError as error:
        message = f"{path} nests folders more than {MAX_DEPTH} deep; it looks damaged."
        raise BadInputError(message) from error


def holds_bookmarks(path: Path) -> bool:
    """Whether a file is one of bookmarks, rather than a document: by its form, or a URL on every
    line.
    """
    body = _read(path)
    if b"\x00" in body[:_LOOK] and not body.startswith(_UTF_16):
        return False
    start = decode(body[:_LOOK])
    if _BOOKMARKS.search(start):
        return True
    words = [line.split(maxsplit=1)[0] for line in start.splitlines() if line.strip()]
    told = [word for word in words if not word.startswith("#")]
    return bool(told) and all(_SCHEME.match(word) for word in told)


def _read(path: Path) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise BadInputError(f"{path} is a directory; name a bookmark file in it.")
        if not stat.S_ISREG(status.st_mode):
            raise BadInputError(f"{path} is not a regular file; save the bookmarks to one first.")
        if status.st_size > MAX_BYTES:
            size, limit = status.st_size // 2**20, MAX_BYTES // 2**20
            raise BadInputError(f"{path} has {size} MB; a bookmark file has at most {limit} MB.")
        return _filled(path, path.read_bytes())
    except FileNotFoundError as error:
        raise BadInputError(f"There is no file {path}.") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.") from error


def _filled(path: Path, body: bytes) -> bytes:
    if not body.strip():
        raise BadInputError(f"{path} is empty; export your bookmarks again.")
    return body


def _decode(path: Path, body: bytes) -> str:
    """As any text is decoded; what is no text is told by name."""
    for signature, what in _FOREIGN:
        if body.startswith(signature):
            raise BadInputError(
                f"{path} is {what}, not a bookmark file; export the bookmarks as HTML instead."
            )
    if b"\x00" in body[:_LOOK] and not body.startswith(_UTF_16):
        raise BadInputError(f"{path} is a binary file; export the bookmarks as HTML instead.")
    return decode(body)


def _parse(path: Path, text: str) -> Folder:
    start = text[:_LOOK].lower()
    if "<opml" in start:
        return opml.parse(path, text)
    if "netscape-bookmark-file" in start or re.search(r"<(dl|a|h3|html)\b", start):
        return netscape.parse(text)
    if start.lstrip().startswith(("{", "[{")):
        raise BadInputError(f"{path} is JSON; export the bookmarks as HTML instead.")
    return urllist.parse(path, text)
