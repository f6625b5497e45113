"""Content codings: gzip, deflate, brotli and zstd, never beyond a limit of unpacked bytes."""

import sys
import zlib
from typing import Protocol

import brotli
from isal import isal_zlib
from isal.igzip_lib import IsalError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_STEP = 64 * 1024


class TooLargeError(ValueError):
    """More bytes than the limit allows."""


class _Unpacker(Protocol):
    def decompress(self, data: bytes, max_length: int = ...) -> bytes: ...


def decoded(body: bytes, coding: str, limit: int) -> bytes:
    """The body without its content coding. Raises `TooLargeError`, or `ValueError` if it is broken."""
    names = [name.strip().lower() for name in coding.split(",")]
    for name in reversed([name for name in names if name not in ("", "identity")]):
        body = _unpacked(body, name, limit)
    if len(body) > limit:
        raise TooLargeError(f"more than {limit} bytes")
    return body


def _unpacked(body: bytes, name: str, limit: int) -> bytes:
    try:
        match name:
            case "gzip" | "x-gzip":
                return _bounded(isal_zlib.decompressobj(31), body, limit)
            case "deflate":
                return _bounded(isal_zlib.decompressobj(_deflate_window(body)), body, limit)
            case "zstd":
                return _bounded(zstd.ZstdDecompressor(), body, limit)
            case "br":
                return _brotli(body, limit)
    except (IsalError, zlib.error, zstd.ZstdError, brotli.error, EOFError) as error:  # type: ignore[misc]
        raise ValueError(f"broken {name}") from error
    raise ValueError(f"unknown content coding {name[:20]!r}")


def _bounded(unpacker: _Unpacker, body: bytes, limit: int) -> bytes:
    unpacked = unpacker.decompress(body, limit + 1)
    if len(unpacked) > limit:
        raise TooLargeError(f"more than {limit} bytes")
    return unpacked


def _brotli(body: bytes, limit: int) -> bytes:
    """Brotli takes a limit for its output buffer at each step."""
    unpacker = brotli.Decompressor()
    pieces = [unpacker.process(body, output_buffer_limit=_STEP)]
    size = len(pieces[0])
    while not unpacker.is_finished() and not unpacker.can_accept_more_data() and size <= limit:
        pieces.append(unpacker.process(b"", output_buffer_limit=_STEP))
        size += len(pieces[-1])
    if size > limit:
        raise TooLargeError(f"more than {limit} bytes")
    return b"".join(pieces)


def _deflate_window(body: bytes) -> int:
    """Most of what is called deflate has a zlib header; some servers leave it out."""
    headed = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0  # noqa: PLR2004 - RFC 1950
    return 15 if headed else -15
