"""PostScript, which is a program: by Ghostscript, in its safe mode and within limits."""

import os
import re
import selectors
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from motherlode.documents.encoding import decode
from motherlode.documents.extracts import Extract, Raw, UnreadableError
from motherlode.documents.extras import GHOSTSCRIPT
from motherlode.documents.formats.collector import MAX_TEXT, DocumentBuilder
from motherlode.documents.formats.lines import paragraphs
from motherlode.documents.formats.urls import urls_in

MAX_SECONDS = 20.0
MAX_OUTPUT = 2 * MAX_TEXT  # bytes
_LOOK = 8_192  # bytes in which the title is looked for
_PIECE = 65_536
_TITLE = re.compile(rb"^%%Title:[ \t]*(.{1,500}?)[ \t]*$", re.MULTILINE)
_ESCAPE = re.compile(rb"\\([0-7]{3})")
# What a document prints, and what it does wrong, is no text of it: that goes another way.
_GS = (
    "-q",
    "-dSAFER",
    "-dBATCH",
    "-dNOPAUSE",
    "-sstdout=%stderr",
    "-sDEVICE=txtwrite",
    "-sOutputFile=-",
)
# The first that is installed.
_PROGRAMS = (("gs", _GS), ("ps2ascii", ()), ("pstotext", ()))


def read_postscript(raw: Raw) -> Extract:
    gathered = DocumentBuilder()
    gathered.title = _title(raw.body)
    program = _program()
    if not program:
        raise UnreadableError(GHOSTSCRIPT, gathered.title)
    text = _run(program, raw.body).decode("utf-8", "replace")
    for page in text.split("\f"):
        for paragraph in paragraphs(page):
            gathered.line(paragraph)
    for url in urls_in(text):
        gathered.reference(url)
    if gathered.empty:
        raise UnreadableError("no text in the PostScript", gathered.title)
    return gathered.extract()


def _title(body: bytes) -> str:
    found = _TITLE.search(body[:_LOOK].replace(b"\r", b"\n"))
    title = _ESCAPE.sub(lambda code: bytes([int(code[1], 8) & 255]), found[1]) if found else b""
    text = decode(title) if title else ""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _program() -> list[str]:
    """The first program that is there, with its options; none: an empty list."""
    found = ((shutil.which(name), options) for name, options in _PROGRAMS)
    return next(([program, *options] for program, options in found if program), [])


def _run(program: list[str], body: bytes) -> bytes:
    """What a program prints of a document."""
    with TemporaryDirectory(prefix="lode-ps-") as folder:
        file = Path(folder, "document.ps")
        file.write_bytes(body)
        return _output([*program, str(file)], folder)


def _output(command: list[str], folder: str) -> bytes:
    """What a program prints, up to the limits of time and size; then it is ended with all that it
    started.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell; the document is a file under a name of ours
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        raise UnreadableError("Ghostscript cannot be run") from error
    try:
        return _read_within_limits(process)
    finally:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _read_within_limits(process: "subprocess.Popen[bytes]") -> bytes:
    """Text that came before the time was over counts."""
    result, end = bytearray(), time.monotonic() + MAX_SECONDS
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while len(result) < MAX_OUTPUT and selector.select(max(0.0, end - time.monotonic())):
            piece = os.read(process.stdout.fileno(), _PIECE)
            if not piece:
                break
            result += piece
    return bytes(result[:MAX_OUTPUT])
