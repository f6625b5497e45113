"""The MIME type of a document: what its header declares, and what its first bytes show."""

import re

# How files begin. A reader looks inside zip and OLE files to tell their kinds apart.
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
_CONTAINERS = ("application/zip", "application/msword")
_NEVER_TEXT = ("image/", "audio/", "video/", "application/pdf")
_HTML = re.compile(
    # Possessive: else a run of comments would be matched in exponentially many ways.
    rb"(?:\xef\xbb\xbf)?\s*(?:(?><!--.*?-->)\s*)*+"
    rb"<(!doctype\s+html|html|head|body|title|frameset|meta|script|table|div|p|h1|a)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b", re.IGNORECASE)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAX_SNIFFED_BYTES = 1024
_MAX_MIME_CHARS = 200  # types are cached, and a host may invent long ones
_VAGUE = frozenset(
    {"", "application/octet-stream", "text/plain", "unknown/unknown", "application/unknown"}
)


def mime_of(content_type: str) -> str:
    """Return the type in a Content-Type header, without its parameters.

    >>> mime_of("Text/HTML; charset=x")
    'text/html'
    """
    return content_type[:_MAX_MIME_CHARS].partition(";")[0].strip().lower()


def sniff_mime(body: bytes, content_type: str) -> str:
    """Return the type that the first bytes show, or the declared one where they show nothing."""
    declared, start = mime_of(content_type), _without_utf16_zeros(body[:_MAX_SNIFFED_BYTES])
    if start.startswith(_MAGICS):  # rare: most documents are HTML
        mime = next(mime for magic, mime in _MAGIC if start.startswith(magic))
        # A zip may be a Word file or a book: the header is more precise than two letters are.
        return declared if mime in _CONTAINERS and _is_packed_format(declared) else mime
    if _HTML.match(start):
        return declared if declared in ("text/html", "application/xhtml+xml") else "text/html"
    if declared not in _VAGUE and not declared.startswith(_NEVER_TEXT):
        return declared
    if _XML.match(start):
        return "application/xml"
    return "application/octet-stream" if _BINARY.search(start) else "text/plain"


def _without_utf16_zeros(start: bytes) -> bytes:
    """Return UTF-16 text as ASCII, as far as sniffing needs it, and other bytes unchanged."""
    if start[:2] == b"\xff\xfe" or start[1:4:2] == b"\x00\x00":
        return start[2::2] if start[:2] == b"\xff\xfe" else start[::2]
    if start[:2] == b"\xfe\xff":
        return start[3::2]
    return start


def _is_packed_format(mime: str) -> bool:
    return mime.startswith(
        ("application/vnd.", "application/epub", "application/msword", "application/x-zip")
    )
