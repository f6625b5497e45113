"""A sandbox in a process of its own, for as long as somebody needs it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from tempfile import TemporaryFile
from typing import IO

from msgspec import Struct

from motherlode.records import LodeError

_PATIENCE = 300  # seconds; the first start may fetch WordNet
_ENDING = 10


class Running(Struct, frozen=True):
    """A sandbox that serves."""

    port: int
    dns_port: int | None
    name: str
    pages: int
    hosts: int

    @property
    def address(self) -> str:
        """What goes into `network.connect`."""
        return f"127.0.0.1:{self.port}"


@contextmanager
def sandbox(web: Path, *options: str) -> Iterator[Running]:
    """Serve a web on any free port. It ends with the block, and with this process, however that
    ends.
    """
    command = [
        sys.executable,
        "-m",
        "motherlode",
        "sandbox",
        "serve",
        str(web),
        "--json",
        "--attached",
    ]
    with TemporaryFile() as complaints:  # a pipe that nobody reads would be full one day
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and command
            [*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints
        )
        try:
            yield _started(process, complaints)
        finally:
            _end(process)


def _started(process: "subprocess.Popen[bytes]", complaints: IO[bytes]) -> Running:
    """Wait for what it says once it serves: a JSON object, whose last line is a closing brace."""
    descriptor = _pipe(process.stdout).fileno()
    said = b""
    with DefaultSelector() as selector:
        selector.register(descriptor, EVENT_READ)
        while not said.endswith(b"\n}\n"):
            if not selector.select(_PATIENCE):
                raise LodeError("The sandbox did not start.")
            more = os.read(descriptor, 65536)
            if not more:
                process.wait(_ENDING)
                raise LodeError(_last_words(complaints))
            said += more
    told = json.loads(said)
    return Running(**{field: told[field] for field in Running.__struct_fields__})


def _last_words(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    lines = complaints.read().decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("lode: ") if lines else "The sandbox ended before it began."


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to end by closing its standard input; then insist."""
    for pipe in (process.stdin, process.stdout):
        _pipe(pipe).close()
    try:
        process.wait(_ENDING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:  # never: each of the two was asked for
        raise RuntimeError("the sandbox has no pipe")
    return pipe
