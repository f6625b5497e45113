"""Content codings: gzip, deflate, brotli and zstd, never beyond a limit of unpacked bytes."""

import sys
import zlib
from collections.abc import Callable
from typing import Protocol

import brotli
from isal import isal_zlib
from isal.igzip_lib import IsalError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_STEP = 64 * 1024
_MAX_PARTS = 10_000  # members or frames of a body; what follows them is left out
_MAX_CODINGS = 5  # what more there is makes the last name unknown


class TooLargeError(ValueError):
    """More bytes than the limit allows."""


class _Unpacker(Protocol):
    """What those of gzip and zstd have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def decoded(body: bytes, coding: str, limit: int, *, cut: bool = False) -> bytes:
    """The body without its content coding. Raises `TooLargeError`, or `ValueError` if it is broken.

    With `cut`, what is beyond the limit is left out instead.
    """
    if coding:
        names = [name.strip().lower() for name in coding.split(",", _MAX_CODINGS)]
        for name in reversed([name for name in names if name not in ("", "identity")]):
            body = _unpacked(body, name, limit + 1)
    if len(body) <= limit:
        return body
    if cut:
        return body[:limit]
    raise TooLargeError(f"more than {limit} bytes")


def is_whole_gzip(packed: bytes, body: bytes) -> bool:
    """Whether the body is all of what is packed here and came to its end, by what gzip has at its
    end.
    """
    if not packed.startswith(_GZIP):
        return False
    end = isal_zlib.crc32(body).to_bytes(4, "little") + (len(body) & 0xFFFF_FFFF).to_bytes(
        4, "little"
    )
    return packed.endswith(end)


def start_of(piece: bytes, coding: str, size: int) -> bytes:
    """How the body begins of which this is the first piece; nothing, if that cannot be said."""
    try:
        return decoded(piece, coding, size, cut=True)
    except ValueError:
        return b""


def _unpacked(body: bytes, name: str, most: int) -> bytes:
    """At most so many bytes of what is packed."""
    try:
        match name:
            case "gzip" | "x-gzip":
                return _gunzipped(body, most)
            case "deflate":
                return isal_zlib.decompressobj(_deflate_window(body)).decompress(body, most)
            case "zstd":
                return _unzstd(body, most)
            case "br":
                return _brotli(body, most)
    except (IsalError, zlib.error, zstd.ZstdError, brotli.error, EOFError) as error:  # type: ignore[misc]
        raise ValueError(f"broken {name}") from error
    raise ValueError(f"unknown content coding {name[:20]!r}")


def _gunzipped(body: bytes, most: int) -> bytes:
    """All members of a gzip file; what follows the last one is left out."""
    unpacker = isal_zlib.decompressobj(31)
    first = unpacker.decompress(body, most)
    rest = unpacker.unused_data
    if not rest.startswith(_GZIP):
        return first
    return _joined(first, rest, most, lambda: isal_zlib.decompressobj(31), _GZIP)


def _unzstd(body: bytes, most: int) -> bytes:
    """All frames (RFC 8878, 3); what follows the last one is left out."""
    unpacker = zstd.ZstdDecompressor()
    first = unpacker.decompress(body, most)
    rest = unpacker.unused_data if unpacker.eof else b""
    return (
        _joined(first, rest, most, zstd.ZstdDecompressor, _ZSTD)
        if rest.startswith(_ZSTD)
        else first
    )


def _joined(
    first: bytes, rest: bytes, most: int, begin: Callable[[], _Unpacker], magic: bytes
) -> bytes:
    """The first part with those after it. In steps: each part copies what it was given and did not
    need, so many small ones would take the square of their number.
    """
    pieces, size, place = [first], len(first), 0
    for _ in range(_MAX_PARTS):
        if size >= most or not rest.startswith(magic, place):
            break
        unpacker = begin()
        while size < most and place < len(rest) and not unpacker.eof:
            step = rest[place : place + _STEP]
            pieces.append(unpacker.decompress(step, most - size))
            size += len(pieces[-1])
            place += len(step) - len(unpacker.unused_data)
    return b"".join(pieces)


def _brotli(body: bytes, most: int) -> bytes:
    """Brotli takes a limit for its output buffer at each step."""
    unpacker = brotli.Decompressor()
    pieces = [unpacker.process(body, output_buffer_limit=_STEP)]
    size = len(pieces[0])
    while not unpacker.is_finished() and not unpacker.can_accept_more_data() and size < most:
        pieces.append(unpacker.process(b"", output_buffer_limit=_STEP))
        size += len(pieces[-1])
    return b"".join(pieces)[:most]


def _deflate_window(body: bytes) -> int:
    """Most of what is called deflate has a zlib header; some servers leave it out."""
    headed = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0  # noqa: PLR2004 - RFC 1950
    return 15 if headed else -15
