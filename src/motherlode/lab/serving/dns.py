"""A name server for the hosts of a web: all of them are 127.0.0.1, except where a habit says
otherwise.
"""

import asyncio
import struct

from motherlode.lab.misbehaviour import Habits
from motherlode.lab.web import LabWeb

_A, _AAAA, _IN = 1, 28, 1
_NO_ERROR, _FORMAT_ERROR, _SERVER_FAILURE, _NO_SUCH_NAME, _REFUSED = 0, 1, 2, 3, 5
_TTL = 60
_HEADER = struct.Struct("!6H")
_LOOPBACK = bytes((127, 0, 0, 1))


class NameServer(asyncio.DatagramProtocol):
    """Answers questions for A and AAAA over UDP."""

    def __init__(self, web: LabWeb, habits: Habits) -> None:
        self._web = web
        self._habits = habits

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.DatagramTransport = transport  # type: ignore[assignment]  # UDP gives one

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        reply = self.reply(data)
        if reply:
            self._transport.sendto(reply, address)

    def reply(self, query: bytes) -> bytes | None:
        """The answer to a query; None: silence."""
        if len(query) < _HEADER.size:
            return None
        number, flags, questions, *_ = _HEADER.unpack_from(query)
        if flags & 0x8000:  # a reply, not a question
            return None
        try:
            name, kind, end = _question(query) if questions == 1 else ("", 0, 0)
        except (IndexError, UnicodeDecodeError, struct.error):
            name, kind, end = "", 0, 0
        if not end:
            return _HEADER.pack(number, 0x8180 | _FORMAT_ERROR, 0, 0, 0, 0)
        code = self._code(name)
        if code is None:
            return None
        found = code == _NO_ERROR and kind == _A
        answer = struct.pack("!3HIH", 0xC00C, _A, _IN, _TTL, 4) + _LOOPBACK if found else b""
        header = _HEADER.pack(number, 0x8180 | code, 1, int(found), 0, 0)
        return header + query[_HEADER.size : end] + answer

    def _code(self, name: str) -> int | None:
        habit = self._habits.of(name)
        match habit.name if habit else "":
            case "dns-silent":
                return None
            case "dns-failing":
                return _SERVER_FAILURE
            case "dns-unknown":
                return _NO_SUCH_NAME
        return _NO_ERROR if self._web.has_host(name) else _NO_SUCH_NAME


def _question(query: bytes) -> tuple[str, int, int]:
    """The name asked for, the type, and where the question ends."""
    labels, at = [], _HEADER.size
    while length := query[at]:
        if length > 63:  # noqa: PLR2004 - a pointer, which a first question cannot have
            raise IndexError
        labels.append(query[at + 1 : at + 1 + length].decode("ascii"))
        at += 1 + length
    kind, _ = struct.unpack_from("!2H", query, at + 1)
    return ".".join(labels).lower(), kind, at + 5
