"""Things that are slow to make and easy to make again: kept in the user's cache directory."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def cache_directory() -> Path:
    """`LODE_CACHE`, else the place that the system gives to caches."""
    if chosen := os.environ.get("LODE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "motherlode"


def cached(room: str, name: str, make: Callable[[], bytes]) -> bytes:
    """What lies in the cache under this name, made first if it is not there.

    A cache that cannot be written costs time, and nothing else.
    """
    path = cache_directory() / room / name
    with suppress(OSError):
        return path.read_bytes()
    made = make()
    with suppress(OSError):
        put(path, made)
    return made


def forget(room: str, name: str) -> None:
    """Let what lies under this name be made anew the next time."""
    with suppress(OSError):
        (cache_directory() / room / name).unlink(missing_ok=True)


def put(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, whoever else is writing it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            Path(file.name).replace(path)
        except BaseException:  # a full disk, say
            Path(file.name).unlink(missing_ok=True)
            raise


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time: what one is making, the others need not make as well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
