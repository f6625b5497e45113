"""Which types of document are wanted, and how much of each (SPEC B26); and what bytes are, whatever is said.

A transfer past its limit is aborted, whatever the header said.
"""

import re
from functools import lru_cache
from typing import Annotated

from msgspec import Meta, Struct

_MB = 2**20


class TypeOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """Which types of document are fetched, and the most bytes of each, unpacked; 0: none."""

    html: Annotated[int, Meta(ge=0, description="Most bytes of a web page; 0: not wanted.")] = 10 * _MB
    text: Annotated[int, Meta(ge=0, description="Most bytes of text, CSV, Markdown, RTF, XML or a feed.")] = (
        10 * _MB
    )
    pdf: Annotated[int, Meta(ge=0, description="Most bytes of PDF or PostScript.")] = 50 * _MB
    office: Annotated[
        int, Meta(ge=0, description="Most bytes of a Microsoft Office or OpenDocument file, or an e-book.")
    ] = 50 * _MB
    archive: Annotated[int, Meta(ge=0, description="Most bytes of zip, gzip, bzip2, xz or tar.")] = 50 * _MB
    other: Annotated[int, Meta(ge=0, description="Most bytes of any other type.")] = 0


DEFAULT_TYPES = TypeOptions()

# The first that fits counts.
_GROUPS = tuple(
    (re.compile(pattern, re.IGNORECASE), group)
    for pattern, group in (
        (r"text/html|application/xhtml\+xml", "html"),
        (r"text/(plain|csv|markdown|xml|rtf|x-markdown|tab-separated-values)", "text"),
        (r"application/(xml|rtf|[a-z.-]+\+xml)", "text"),
        (r"application/(x-)?(pdf|postscript|eps)", "pdf"),
        (r"application/(msword|vnd\.ms-(excel|powerpoint|word).*)", "office"),
        (r"application/vnd\.openxmlformats-officedocument\..*", "office"),
        (r"application/(vnd\.oasis\.opendocument\..*|epub\+zip)", "office"),
        (r"application/(x-)?(zip|gzip|tar|bzip2|xz|gtar|compressed-tar|zip-compressed)", "archive"),
    )
)

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
_MAGICS = tuple(magic for magic, _ in _MAGIC)
_HTML = re.compile(
    # Possessive: else many comments in a row would be tried in every way that they can be put together.
    rb"(?:\xef\xbb\xbf)?\s*(?:(?><!--.*?-->)\s*)*+<(!doctype\s+html|html|head|body|title|frameset|meta|script|table|div|p|h1|a)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b", re.IGNORECASE)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOOK = 1024  # bytes that are looked at
_MAX_MIME = 200  # characters; types are remembered, and a host may invent long ones
_VAGUE = frozenset({"", "application/octet-stream", "text/plain", "unknown/unknown", "application/unknown"})


def mime_of(content_type: str) -> str:
    """The bare type of a Content-Type header.

    >>> mime_of("Text/HTML; charset=x")
    'text/html'
    """
    return content_type[:_MAX_MIME].partition(";")[0].strip().lower()


@lru_cache(maxsize=4096)
def limit_of(mime: str, types: TypeOptions = DEFAULT_TYPES) -> int:
    """The most bytes of a type, 0 if it is not wanted; where no type is named, as of a page.

    >>> limit_of("image/png"), limit_of("text/html") == limit_of("")
    (0, True)
    """
    if not mime:
        return types.html
    group = next((group for pattern, group in _GROUPS if pattern.fullmatch(mime)), "other")
    limit: int = getattr(types, group)
    return limit


def sniffed(start: bytes, told: str) -> str:
    """The type of a document by its first bytes, where they say more than the header does."""
    mime, look = mime_of(told), _narrow(start[:_LOOK])
    if look.startswith(_MAGICS):  # as hardly any page is
        kind = next(kind for magic, kind in _MAGIC if look.startswith(magic))
        # A zip may be a Word file or a book: the header knows better than two letters do.
        return mime if kind in ("application/zip", "application/msword") and _fits_container(mime) else kind
    if _HTML.match(look):
        return mime if mime in ("text/html", "application/xhtml+xml") else "text/html"
    if mime not in _VAGUE and not mime.startswith(("image/", "audio/", "video/", "application/pdf")):
        return mime
    if _XML.match(look):
        return "application/xml"
    return "application/octet-stream" if _BINARY.search(look) else "text/plain"


def _narrow(look: bytes) -> bytes:
    """Text in UTF-16 as if it were in ASCII: enough to see what it is."""
    if look[:2] == b"\xff\xfe" or look[1:4:2] == b"\x00\x00":
        return look[2::2] if look[:2] == b"\xff\xfe" else look[::2]
    if look[:2] == b"\xfe\xff":
        return look[3::2]
    return look


def _fits_container(mime: str) -> bool:
    return mime.startswith(
        ("application/vnd.", "application/epub", "application/msword", "application/x-zip")
    )
