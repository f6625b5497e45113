"""Taking a body out of its gzip, never beyond what a page can be."""

from isal import isal_zlib
from isal.igzip_lib import IsalError

_GZIP = 31  # zlib's window bits for a gzip member
_MOST = 64 * 2**20  # what unpacks to more is a bomb


def unpacked(body: bytes, coding: str) -> bytes | None:
    """The body without its coding; None: it is another coding than gzip, or broken, or a bomb."""
    if coding.lower() in ("", "identity"):
        return body
    if coding.lower() not in ("gzip", "x-gzip"):
        return None
    unpacker = isal_zlib.decompressobj(_GZIP)
    try:
        plain: bytes = unpacker.decompress(body, _MOST + 1)
    except (IsalError, EOFError):  # type: ignore[misc]  # isal's stubs lack it
        return None
    return plain if unpacker.eof and len(plain) <= _MOST else None
