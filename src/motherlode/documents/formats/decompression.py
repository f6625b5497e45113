"""Packed bytes to bytes, never more of them than allowed: a bomb stops where the limit is, not
after it.
"""

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

_PIECE = 16_384  # bytes fed at a time; what a stream leaves over is copied, so each may cost that
_STEP = 2**20  # bytes taken at a time
_MAX_STREAMS = 100_000  # in one file, one after another
_LZMA_MEMORY = 2**27  # bytes; the strongest preset of xz takes 65 MB to unpack
_RAW, _GZIP = -15, 31  # what zlib calls these


class TooMuchError(Exception):
    """There is more than the limit; `begun` is what came before it."""

    def __init__(self, begun: bytes) -> None:
        super().__init__("more than the limit")
        self.begun = begun


class _Decompressor(Protocol):
    """What bz2 and lzma have in common."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _Zlib:
    """A zlib stream with the manners of the others."""

    def __init__(self, bits: int) -> None:
        self._stream = zlib.decompressobj(bits)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        piece = self._stream.decompress(self._stream.unconsumed_tail + data, max_length)
        # Where there was room for more, nothing more is to be had out of what was fed.
        self.needs_input = len(piece) < max_length
        return piece


def gunzipped(body: bytes, limit: int) -> bytes:
    return _Unpacking(body, limit, lambda: _Zlib(_GZIP)).all(_MAX_STREAMS)


def inflated(body: bytes | memoryview, limit: int) -> bytes:
    return _Unpacking(body, limit, lambda: _Zlib(_RAW)).all(1)


def unbzipped(body: bytes | memoryview, limit: int) -> bytes:
    return _Unpacking(body, limit, bz2.BZ2Decompressor).all(_MAX_STREAMS)


def unxzed(body: bytes, limit: int) -> bytes:
    return _Unpacking(body, limit, lambda: lzma.LZMADecompressor(memlimit=_LZMA_MEMORY)).all(
        _MAX_STREAMS
    )


class _Unpacking:
    """A file of streams, one after another; a broken one counts up to where it breaks."""

    def __init__(
        self, body: bytes | memoryview, limit: int, begin: Callable[[], _Decompressor]
    ) -> None:
        self._body = memoryview(body)
        self._limit = limit
        self._begin = begin
        self._place = 0
        self._result = bytearray()

    def all(self, streams: int) -> bytes:
        try:
            while self._place < len(self._body) and streams:
                self._one()
                streams -= 1
        except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
            pass
        return bytes(self._result)

    def _one(self) -> None:
        stream = self._begin()
        while not stream.eof and (self._place < len(self._body) or not stream.needs_input):
            step = min(_STEP, self._limit + 1 - len(self._result))
            self._take(stream.decompress(self._fed(stream), step))
        self._place -= len(stream.unused_data)

    def _fed(self, stream: _Decompressor) -> bytes:
        if not stream.needs_input:
            return b""
        piece = self._body[self._place : self._place + _PIECE]
        self._place += len(piece)
        return bytes(piece)

    def _take(self, piece: bytes) -> None:
        self._result += piece
        if len(self._result) > self._limit:
            raise TooMuchError(bytes(self._result[: self._limit]))
