"""Which types of document are wanted, and how much of each (SPEC B26); and what bytes are, whatever is said.

A transfer past its limit is aborted, whatever the header said.
"""

import re

from msgspec import Struct

_MB = 2**20


class Wanted(Struct, frozen=True):
    """A type, by a pattern of its MIME name, and the most bytes of it, unpacked."""

    pattern: str
    limit: int


# The first that fits counts. What fits none is not wanted.
TABLE = (
    Wanted(r"text/html|application/xhtml\+xml", 10 * _MB),
    Wanted(
        r"text/(plain|csv|markdown|xml|rtf)|application/(xml|rss\+xml|atom\+xml|rdf\+xml|rtf|json)", 10 * _MB
    ),
    Wanted(r"application/(x-)?pdf", 50 * _MB),
    Wanted(r"application/(postscript|eps)", 50 * _MB),
    Wanted(
        r"application/(msword|vnd\.ms-(excel|powerpoint)|vnd\.openxmlformats-officedocument\..*)", 50 * _MB
    ),
    Wanted(r"application/(vnd\.oasis\.opendocument\..*|epub\+zip)", 50 * _MB),
    Wanted(r"application/(x-)?(zip|gzip|tar|bzip2|xz|gtar|compressed-tar|zip-compressed)", 50 * _MB),
)
_PATTERNS = tuple((re.compile(wanted.pattern, re.IGNORECASE), wanted.limit) for wanted in TABLE)

# How files begin. What is packed in a zip or an OLE file is told apart when it is read.
_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"%!PS", "application/postscript"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword"),
    (b"{\\rtf", "application/rtf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "audio/x-wav"),
    (b"ID3", "audio/mpeg"),
    (b"\x00\x00\x00\x18ftyp", "video/mp4"),
    (b"\x00\x00\x00 ftyp", "video/mp4"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/x-executable"),
)
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(!doctype\s+html|html|head|body|title|frameset|meta|script|table|div|p|h1|a)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b", re.IGNORECASE)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOOK = 1024  # bytes that are looked at
_VAGUE = frozenset({"", "application/octet-stream", "text/plain", "unknown/unknown", "application/unknown"})


def mime_of(content_type: str) -> str:
    """The bare type of a Content-Type header.

    >>> mime_of("Text/HTML; charset=x")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def limit_of(mime: str) -> int | None:
    """The most bytes of a type, or None if it is not wanted; of an unknown type, as for a page."""
    if mime in _VAGUE:
        return _PATTERNS[0][1]
    return next((limit for pattern, limit in _PATTERNS if pattern.fullmatch(mime)), None)


def sniffed(start: bytes, told: str) -> str:
    """The type of a document by its first bytes, where they say more than the header does."""
    mime, look = mime_of(told), start[:_LOOK]
    for magic, kind in _MAGIC:
        if look.startswith(magic):
            # A zip may be a Word file or a book: the header knows better than two letters do.
            return (
                mime if kind in ("application/zip", "application/msword") and _fits_container(mime) else kind
            )
    if _HTML.match(look):
        return mime if mime in ("text/html", "application/xhtml+xml") else "text/html"
    if mime not in _VAGUE and not mime.startswith(("image/", "audio/", "video/", "application/pdf")):
        return mime
    if _XML.match(look):
        return "application/xml"
    return "application/octet-stream" if _BINARY.search(look) else "text/plain"


def _fits_container(mime: str) -> bool:
    return mime.startswith(
        ("application/vnd.", "application/epub", "application/msword", "application/x-zip")
    )
