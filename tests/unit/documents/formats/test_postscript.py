"""PostScript, with a stand-in for Ghostscript, and with Ghostscript where there is one."""

import shutil
import time
from contextlib import suppress
from pathlib import Path

import pytest

from motherlode.documents.extracts import UnreadableError
from motherlode.documents.formats import postscript
from support.document_files import links, read
from support.helpers import lacks

PS = "application/postscript"
BODY = rb"""%!PS-Adobe-3.0
%%Title: (On \162ain)
/Helvetica findfont 12 scalefont setfont
72 700 moveto (Hello rain) show showpage
"""


def program(folder: Path, script: str, name: str = "gs") -> None:
    """A program of this name, and no other but those of the system's first folders."""
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are looked for."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_what_the_program_prints_is_the_text(path: Path) -> None:
    program(path, 'echo "Rain in"; echo "$1 $2"; echo; echo "See http://example.org/x."')
    extract = read(PS, BODY)
    assert extract.text == "Rain in\n-q -dSAFER\nSee http://example.org/x."
    assert (extract.title, links(extract)) == ("On rain", [("http://example.org/x", "")])


def test_other_programs_do_where_ghostscript_is_not(path: Path) -> None:
    program(path, "echo ascii", "ps2ascii")
    assert read(PS, BODY).text == "ascii"


def test_without_any_program_the_reader_says_what_is_missing(path: Path) -> None:
    assert not list(path.iterdir())
    with pytest.raises(UnreadableError, match="needs Ghostscript"):
        read(PS, BODY)


def test_a_program_that_goes_on_for_ever_is_ended_with_its_children(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postscript, "MAX_SECONDS", 0.5)
    program(path, f'echo begun; /bin/sleep 60 & echo $! > "{path}/child"; wait')
    assert read(PS, BODY).text == "begun"
    child = int((path / "child").read_text())
    with suppress(FileNotFoundError):  # it has ended, perhaps just now
        while "Z" not in Path(f"/proc/{child}/stat").read_text().split()[2]:
            time.sleep(0.01)


def test_a_program_that_prints_without_end_is_stopped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postscript, "MAX_OUTPUT", 100_000)
    program(path, "while :; do echo word; done")
    assert len(read(PS, BODY).text) <= 100_000


def test_a_program_that_cannot_be_run_or_says_nothing_is_no_reader(path: Path) -> None:
    untitled = BODY.replace(b"%%Title", b"%%Other")
    program(path, "exit 1")
    with pytest.raises(UnreadableError, match="no text"):
        read(PS, untitled)
    (path / "gs").write_bytes(b"\x7fELFbroken")
    with pytest.raises(UnreadableError, match="cannot be run"):
        read(PS, untitled)


@pytest.mark.system
def test_ghostscript_itself_is_asked_rightly() -> None:
    if not shutil.which("gs"):
        lacks("Ghostscript (gs)")
    extract = read(PS, BODY)
    assert (extract.title, extract.text) == ("On rain", "Hello rain")
    # Neither other files nor what the program prints about them get into the text.
    prying = b"(printed) print (/etc/passwd) (r) file 1000 string readstring pop print"
    assert read(PS, BODY + prying).text == "Hello rain"
