"""Exports as jobs, and the files that come of them: in the portal's reports, so many at most."""

import re
import secrets
import shutil
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from msgspec import Struct
from starlette.exceptions import HTTPException

from motherlode.app.cli.commands.export import ALL_FORMATS, UNPACKED
from motherlode.app.jobs.queue import Board
from motherlode.app.jobs.records import Command, Job, State, option
from motherlode.app.services.registry import Shelf
from motherlode.records import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "reports"  # where a portal lets exports be put
KEPT = 8  # files of a portal
GONE = "There is no file of that export; asking for it again makes one."
_DAY = 86_400.0
_NAME = re.compile(r"served-[0-9a-f]{16}\.[a-z.]{3,10}")
_SUFFIX = {"bookmarks": "html", "warc": "warc.gz", "parquet": "zip", "site": "zip"}


class Form(Struct, frozen=True):
    """A format that can be asked for."""

    name: str
    about: str
    suffix: str
    texts: bool


FORMS = tuple(Form(name, one.about, _SUFFIX.get(name, name), one.texts) for name, one in ALL_FORMATS.items())


class Export(Command, frozen=True):
    """`lode export` into a file that only the server knows the place of."""

    file: str = ""

    def words(self, portal: Path) -> list[str]:
        name, *others = super().words(portal)
        return [name, *option("output", portal / FOLDER / self.file), *others]


def export(*, form: str, topic: str | None = None, text: bool = False, most: int | None = None) -> Export:
    """Raises `UsageError` for a format that there is not, or that has no place for texts."""
    found = next((one for one in FORMS if one.name == form), None)
    if found is None:
        raise UsageError(f"There is no format {form[:40]!r}; there are {', '.join(ALL_FORMATS)}.")
    if text and not found.texts:
        raise UsageError(f"{form} has no place for texts; leave text out.")
    return Export(
        "export",
        (
            *option("format", form),
            *option("topic", topic or None),
            *option("text", text),
            *option("most", most),
            *option("zip", ALL_FORMATS[form].into_directory is not None),
        ),
        writes=False,
        file=f"served-{secrets.token_hex(8)}.{found.suffix}",
    )


def made_by(job: Job, portal: Path) -> Path | None:
    """The file that a job made, if it is still there."""
    if job.command != "export" or job.state is not State.DONE or not isinstance(job.result, dict):
        return None
    name = Path(str(job.result.get("output", ""))).name
    path = portal / FOLDER / name
    return path if _NAME.fullmatch(name) and path.is_file() and not path.is_symlink() else None


def start(board: Board, shelf: Shelf, portal: str, command: Export) -> Job:
    """Have an export made; the oldest file makes room for it."""
    clear_away(shelf.path(portal))
    return board.ask(portal, command)


def file_of(board: Board, shelf: Shelf, portal: str, job: str) -> tuple[Path, str]:
    """The file that an export made, and what to call it. Raises `HTTPException` where there is none."""
    path = made_by(board.job(portal, job), shelf.path(portal))
    if path is None:
        raise HTTPException(404, GONE)
    return path, f"{portal}.{suffix_of(path)}"


def suffix_of(path: Path) -> str:
    return path.name.partition(".")[2]


def clear_away(portal: Path, kept: int = KEPT) -> None:
    """Remove the oldest files, so that there is room for another, and what killed exports left."""
    files = sorted(_of(portal, _NAME), key=_age)
    for path in files[max(0, kept - 1) :]:
        path.unlink(missing_ok=True)
    for path in _of(portal, re.compile(rf"{re.escape(UNPACKED)}\w+")):
        if _age(path) > _DAY:
            shutil.rmtree(path, ignore_errors=True)


def _of(portal: Path, name: re.Pattern[str]) -> "Iterator[Path]":
    try:
        yield from (path for path in (portal / FOLDER).iterdir() if name.fullmatch(path.name))
    except OSError:
        return


def _age(path: Path) -> float:
    try:
        return time() - path.stat().st_mtime
    except OSError:
        return 0.0
