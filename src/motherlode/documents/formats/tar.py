"""Tar archives by hand: tarfile follows sizes and offsets that a hostile header makes up."""

import re
from collections.abc import Iterator

from motherlode.documents.extracts import Member

_BLOCK = 512
_FILES = (b"0", b"\0", b"7")
_LONG_NAME, _PAX = b"L", b"x"
_MAX_NAME = 4_096  # bytes of a name that is kept in blocks of its own
_PAX_PATH = re.compile(rb"\d{1,9} path=([^\n]{1,4096})\n")


def is_tar(body: bytes) -> bool:
    """Whether a header stands at the beginning whose sum is right; old ones have no other mark."""
    return len(body) >= _BLOCK and _is_header(body[:_BLOCK])


def tar_members(body: bytes) -> Iterator[Member]:
    """The files in an archive, up to where it breaks. A sparse file, a link or a device is none."""
    place, name = 0, ""
    while place + _BLOCK <= len(body):
        header = body[place : place + _BLOCK]
        size = _number(header[124:136])
        if not _is_header(header) or size < 0:
            return
        kind, content = header[156:157], slice(place + _BLOCK, place + _BLOCK + size)
        if kind in _FILES and content.stop <= len(body):
            yield Member(name or _name(header), body[content])
        name = _long_name(
            kind, body[content.start : min(content.stop, content.start + 4 * _MAX_NAME)]
        )
        place = content.start + -(-size // _BLOCK) * _BLOCK


def _is_header(header: bytes) -> bool:
    told = _number(header[148:156])
    return header[0] != 0 and told == sum(header[:148]) + 8 * ord(" ") + sum(header[156:])


def _number(field: bytes) -> int:
    """Octal digits, or a binary number where the first bit is set; -1 if neither."""
    if field[0] & 0x80:
        return int.from_bytes(field[1:], "big") if field[0] == 0x80 else -1  # noqa: PLR2004 - a flag, else negative
    digits = field.strip(b" \0")
    return int(digits or b"0", 8) if re.fullmatch(rb"[0-7]*", digits) else -1


def _name(header: bytes) -> str:
    name, prefix = _text(header[:100]), _text(header[345:500])
    return f"{prefix}/{name}" if prefix and header[257:262] == b"ustar" else name


def _long_name(kind: bytes, content: bytes) -> str:
    """The name of the next file, where its own header has no room for it."""
    if kind == _LONG_NAME:
        return _text(content[:_MAX_NAME])
    found = _PAX_PATH.search(content) if kind == _PAX else None
    return _text(found[1]) if found else ""


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "replace")
