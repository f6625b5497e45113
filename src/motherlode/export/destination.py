"""Where an export goes: whole under its name, or not there at all."""

import errno
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL
from pathlib import Path
from tempfile import mkdtemp, mkstemp
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from motherlode.records import (
    BadInputError,
    DiskFullError,
    LodeError,
    ReadOnlyError,
    StoreError,
    UsageError,
)

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE, of <fcntl.h> and <linux/fs.h>
_PART, _OLD = ".part", ".old"
# The first moment that a zip knows: the same files give the same bytes.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_ZIP_MODE = 0o644 << 16
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)


def check_place(
    path: Path, *, force: bool, portal: Path, files: Collection[str] | None = None, marker: str = ""
) -> None:
    """Raises `UsageError` or `BadInputError` where nothing may be put. `files`: it is a directory
    of those.

    With `force` a file is replaced, or a directory that holds nothing but such files; nothing that
    is neither a file nor a directory. Where there is a `marker`, a directory that has it needs no
    force, and one that has not is not replaced at all, unless it is empty. Of the portal's own
    directories only `reports` is open to exports.
    """
    try:
        place = path.resolve()
        there = place.exists() or path.is_symlink()
        if not place.parent.is_dir():
            raise BadInputError(f"There is no directory {path.parent} to write {path.name} into.")
        home = portal.resolve()
        if place.is_relative_to(home) and not place.is_relative_to(home / "reports" / place.name):
            raise UsageError(
                f"{path} belongs to the portal; write somewhere else, or into its reports/."
            )
        if there:
            _check_there(path, force=force, files=files, marker=marker)
    except OSError as error:
        raise BadInputError(f"{path} cannot be used: {error.strerror or error}.") from error


def _check_there(path: Path, *, force: bool, files: Collection[str] | None, marker: str) -> None:
    mode = path.stat().st_mode
    if files is None and stat.S_ISDIR(mode):
        raise UsageError(f"{path} is a directory; name a file.")
    if files is not None and not stat.S_ISDIR(mode):
        raise UsageError(f"{path} is a file; this format makes a directory.")
    if files is None and not stat.S_ISREG(mode):
        raise UsageError(f"{path} is not a regular file; '-' writes to the standard output.")
    there = {one.name for one in path.iterdir()} if files is not None else set()
    if files is not None and not there <= set(files):
        raise UsageError(f"{path} holds other things than an export; name a new directory.")
    if marker and there and marker not in there:
        raise UsageError(
            f"{path} was not made by this command, so it is not replaced; name a new directory."
        )
    if not force and not marker:
        raise UsageError(f"{path} is there already; --force replaces it.")


@contextmanager
def file_at(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which comes to its place when the block ends well."""
    place = path.resolve()
    with _explained(path):
        _clear_away(place, _PART)
        with _held(lambda: _file(place)) as (descriptor, part):
            try:
                with os.fdopen(descriptor, "wb", closefd=False) as file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                part.chmod(0o666 & ~_mask())
                part.replace(place)
            except BaseException:
                part.unlink(missing_ok=True)
                raise


@contextmanager
def directory_at(path: Path) -> Iterator[Path]:
    """A directory to write files into, which comes to its place when the block ends well."""
    place = path.resolve()
    with _explained(path):
        _clear_away(place, _PART)
        with _held(lambda: _directory(place, _PART)) as (_, part):
            try:
                yield part
                part.chmod(0o777 & ~_mask())
                _swap(part, place)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)
                raise
        _clear_away(place, _OLD)  # not before: it may be all there is


# --- what is not whole yet ------------------------------------------------------------------------
# Whoever writes holds a lock on it, which ends with the process: what nobody holds was left by a
# dead one.


def _file(place: Path) -> tuple[int, Path]:
    descriptor, name = mkstemp(prefix=_prefix(place), suffix=_PART, dir=place.parent)
    return descriptor, Path(name)


def _directory(place: Path, suffix: str) -> tuple[int, Path]:
    part = Path(mkdtemp(prefix=_prefix(place), suffix=suffix, dir=place.parent))
    return os.open(part, os.O_RDONLY), part


@contextmanager
def _held(make: Callable[[], tuple[int, Path]]) -> Iterator[tuple[int, Path]]:
    """Something new, held until the block ends. Another process may clear it away until
    it is held.
    """
    while True:
        descriptor, part = make()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if part.exists():
            break
        os.close(descriptor)
    try:
        yield descriptor, part
    finally:
        os.close(descriptor)


def _clear_away(place: Path, suffix: str) -> None:
    """Remove what exports to this place have left that were killed; not what one that runs is
    writing.
    """
    ours = re.compile(rf"{re.escape(_prefix(place))}[a-z0-9_]{{8}}{re.escape(suffix)}")
    for one in place.parent.iterdir():
        if ours.fullmatch(one.name) and not one.is_symlink():
            with suppress(OSError):  # another user's, or gone by now
                _remove_unheld(one)


def _remove_unheld(left: Path) -> None:
    descriptor = os.open(left, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    finally:
        os.close(descriptor)


def _prefix(place: Path) -> str:
    return f".{place.name[:100]}."


def _swap(part: Path, place: Path) -> None:
    """Put a directory into the place of another; what was there goes when its successor is in."""
    if not place.exists():
        part.rename(place)
        return
    if _exchange(part, place):
        shutil.rmtree(part, ignore_errors=True)
        return
    old = Path(mkdtemp(prefix=_prefix(place), suffix=_OLD, dir=place.parent))
    place.rename(old)  # an empty directory may be replaced
    try:
        part.rename(place)
    except BaseException:
        with suppress(OSError):
            old.rename(place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Let two directories change places in one step, so that a kill finds one of them there in any
    case.

    False: the system, or the file system, cannot do that.
    """
    try:
        rename = CDLL(None).renameat2  # of Linux; Python has no name for it
    except (OSError, AttributeError):
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def _mask() -> int:
    """The user's mask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the operating system's error into the family's; one about the output stream
    is not ours.
    """
    try:
        yield
    except LodeError:
        raise
    except OSError as error:
        kind = (
            DiskFullError
            if error.errno in _FULL
            else ReadOnlyError
            if error.errno in _CLOSED
            else StoreError
        )
        raise kind(f"{path} cannot be written: {error.strerror or error}.") from error


def pack(folder: Path, out: BinaryIO) -> None:
    """Write all files of a folder into a zip, in the order of their names."""
    with ZipFile(out, "w", ZIP_DEFLATED) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = ZipInfo(path.relative_to(folder).as_posix(), _ZIP_TIME)
            entry.compress_type, entry.external_attr = ZIP_DEFLATED, _ZIP_MODE
            with path.open("rb") as source, packed.open(entry, "w", force_zip64=True) as target:
                while part := source.read(1 << 20):
                    target.write(part)
