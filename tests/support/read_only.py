"""Directories that cannot be written: mounted read-only for root, by their permissions for others."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.helpers import lacks


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Refuse all writes below a directory meanwhile."""
    if os.geteuid() == 0:
        with read_only_view(folder, folder):
            yield folder
    else:
        _change_modes(folder, ~0o222)
        try:
            yield folder
        finally:
            _change_modes(folder, ~0, 0o200)


def _mount(*options: str) -> None:
    tool = shutil.which("mount")
    if tool is None:
        lacks("the program mount (Debian's package mount)")
    done = subprocess.run([tool, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lacks(f"the right to mount: {done.stderr.strip()}")


def _change_modes(folder: Path, kept: int, added: int = 0) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode & kept | added)


@contextmanager
def read_only_view(folder: Path, view: Path) -> Iterator[Path]:
    """Show a directory, which others still write, at another path that cannot be written."""
    if os.geteuid() != 0:
        lacks("root, to mount a read-only view")
    _mount("--bind", str(folder), str(view))
    try:
        _mount("-o", "remount,bind,ro", str(view))
        yield view
    finally:
        subprocess.run(["umount", "-l", str(view)], check=True)
