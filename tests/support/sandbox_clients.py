"""Plain clients for the sandbox: `http.client`, bare sockets, and DNS by hand. All of it on loopback."""

import json
import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

LOOPBACK = "127.0.0.1"
PATIENCE = 30.0  # seconds; a limit for what is about to happen, never a measure


class Reply(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)

    @property
    def text(self) -> str:
        return self.body.decode()


def get(
    port: int, url: str, headers: Mapping[str, str] | None = None, method: str = "GET"
) -> Reply:
    """One request on a connection of its own; the URL's host goes into the Host header."""
    connection = HTTPConnection(LOOPBACK, port, timeout=PATIENCE)
    try:
        return ask(connection, url, headers, method)
    finally:
        connection.close()


def ask(
    connection: HTTPConnection,
    url: str,
    headers: Mapping[str, str] | None = None,
    method: str = "GET",
) -> Reply:
    """One request on this connection."""
    host, slash, path = url.removeprefix("http://").partition("#")[0].partition("/")
    connection.request(method, slash + path or "/", headers={"Host": host, **(headers or {})})
    response = connection.getresponse()
    return Reply(response.status, response.getheaders(), response.read())


def plug(port: int) -> socket.socket:
    return socket.create_connection((LOOPBACK, port), timeout=PATIENCE)


def request(url: str, *headers: str, method: str = "GET", version: str = "HTTP/1.1") -> bytes:
    """A request's bytes."""
    host, _, path = url.removeprefix("http://").partition("/")
    return "\r\n".join([f"{method} /{path} {version}", f"Host: {host}", *headers, "", ""]).encode(
        "latin-1"
    )


def exchange(port: int, said: bytes) -> bytes:
    """Say something, and hear all of the answer, until the other side closes."""
    with plug(port) as client:
        client.sendall(said)
        return hear(client)


def hear(client: socket.socket) -> bytes:
    heard = b""
    while more := client.recv(65536):
        heard += more
    return heard


def hear_until(client: socket.socket, wanted: bytes) -> bytes:
    heard = b""
    while wanted not in heard:
        more = client.recv(65536)
        assert more, f"the connection ended after {heard!r}"
        heard += more
    return heard


class Resolved(NamedTuple):
    code: int
    addresses: list[str]


def query(name: str, kind: int = 1, number: int = 4711) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split(".") if label)
    return (
        struct.pack("!6H", number, 0x0100, 1, 0, 0, 0)
        + labels
        + b"\0"
        + struct.pack("!2H", kind, 1)
    )


def ask_dns(port: int, said: bytes, timeout: float = PATIENCE) -> bytes:
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        client.settimeout(timeout)
        client.connect((LOOPBACK, port))
        client.send(said)
        return client.recv(4096)


def resolve(port: int, name: str, kind: int = 1, timeout: float = PATIENCE) -> Resolved:
    """Ask for a name's addresses."""
    said = query(name, kind)
    heard = ask_dns(port, said, timeout)
    number, flags, _, answers, *_ = struct.unpack_from("!6H", heard)
    assert number == 4711
    assert flags & 0x8000
    assert heard[12 : len(said)] == said[12:]
    places = range(len(said), len(said) + 16 * answers, 16)
    addresses = [socket.inet_ntoa(heard[place + 12 : place + 16]) for place in places]
    return Resolved(flags & 0xF, addresses)


class Served(NamedTuple):
    """A sandbox of one's own."""

    port: int
    dns_port: int | None
    process: "subprocess.Popen[bytes]"
    complaints: Path

    def complained(self) -> str:
        return self.complaints.read_text()


@contextmanager
def serving(folder: Path, web: Path, *options: str) -> Iterator[Served]:
    """A sandbox whose process and standard error can be looked at; it is not attached."""
    complaints = folder / "complaints.txt"
    with complaints.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "motherlode", "sandbox", "serve", str(web), "--json", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        said = b""
        while not said.endswith(b"\n}\n"):
            more = os.read(process.stdout.fileno(), 65536)
            assert more, complaints.read_text()
            said += more
        told = json.loads(said)
        yield Served(told["port"], told["dns_port"], process, complaints)
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def memory(process: "subprocess.Popen[bytes]") -> int:
    """How much of it is in memory, in bytes."""
    return int(_ps("-o", "rss=", "-p", str(process.pid))) * 1024


def children(process: "subprocess.Popen[bytes]") -> set[str]:
    """The ids of the processes that it started and that live."""
    lines = (line.split() for line in _ps("-A", "-o", "pid=,ppid=,stat=").splitlines())
    return {pid for pid, parent, state in lines if parent == str(process.pid) and state[0] != "Z"}


def alive(pids: set[str]) -> bool:
    """Whether one of them lives still."""
    lines = (line.split() for line in _ps("-A", "-o", "pid=,stat=").splitlines())
    return any(pid in pids and state[0] != "Z" for pid, state in lines)


def sockets(process: "subprocess.Popen[bytes]") -> int:
    """How many sockets it has open; 0 where the system does not say."""
    count = 0
    for descriptor in Path(f"/proc/{process.pid}/fd").glob("*"):
        with suppress(OSError):
            count += descriptor.readlink().name.startswith("socket:")
    return count


def _ps(*options: str) -> str:
    return subprocess.run(["ps", *options], capture_output=True, text=True, check=True).stdout


def eventually(true: Callable[[], bool], every: float = 0.01) -> None:
    """Wait until something has come true; look every so many seconds."""
    limit = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < limit
        time.sleep(every)
