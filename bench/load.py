"""A load generator: many connections, one request at a time on each, as fast as they are answered."""

import selectors
import socket
from collections.abc import Sequence
from itertools import cycle
from time import perf_counter

_LENGTH = b"\r\nContent-Length: "


class _Line:
    """One connection and what has come of its current answer."""

    def __init__(self, port: int) -> None:
        self.plug = socket.create_connection(("127.0.0.1", port))
        self.buffer = b""

    def whole(self) -> bool:
        """Whether the answer is complete; then it is forgotten."""
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        start = self.buffer.find(_LENGTH, 0, end) + len(_LENGTH)
        length = int(self.buffer[start : self.buffer.find(b"\r\n", start)])
        if len(self.buffer) < end + 4 + length:
            return False
        self.buffer = b""
        return True


def request(host: str, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip\r\n\r\n".encode()


def load(
    port: int, requests: Sequence[bytes], total: int, connections: int = 16
) -> tuple[float, int]:
    """Answers a second, and the bytes of all of them."""
    endless = cycle(requests)
    selector = selectors.DefaultSelector()
    lines = [_Line(port) for _ in range(connections)]
    begin = perf_counter()
    for line in lines:
        line.plug.sendall(next(endless))
        selector.register(line.plug, selectors.EVENT_READ, line)
    done = size = 0
    while done < total:
        for key, _ in selector.select(30):
            line = key.data
            more = line.plug.recv(1 << 18)
            line.buffer += more
            size += len(more)
            if line.whole():
                done += 1
                line.plug.sendall(next(endless))
    taken = perf_counter() - begin
    for line in lines:
        line.plug.close()
    return done / taken, size
