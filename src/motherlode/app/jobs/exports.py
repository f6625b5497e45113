"""Exports as jobs, and their files, of which a portal keeps a limited number."""

import re
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from motherlode.app.jobs.queue import JobQueue
from motherlode.app.jobs.records import Command, Job, JobState
from motherlode.app.requests.command_line import options_of
from motherlode.app.requests.export import ExportRequest
from motherlode.app.services.export import UNPACKED_PREFIX, check_text
from motherlode.app.services.portals.registry import PortalRegistry
from motherlode.export.formats.registry import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPORTS_FOLDER = "reports"  # the only folder of a portal that is open to exports
MAX_KEPT_FILES = 8  # of a portal
FILE_IS_GONE = "The file of that export is gone; export again to make it."
_DAY = 86_400.0
_NAME = re.compile(r"served-[0-9a-f]{16}\.(?P<suffix>.+)")
_UNPACKED = re.compile(rf"{re.escape(UNPACKED_PREFIX)}\w+")


class ExportCommand(Command, frozen=True):
    """`lode export` into a file whose place only the server knows."""

    file: str = ""

    def words(self, portal: Path) -> list[str]:
        name, *words = super().words(portal)
        return [name, f"--output={portal / EXPORTS_FOLDER / self.file}", *words]


def export_command(request: ExportRequest) -> ExportCommand:
    """Return the command of an export.

    Raises `UsageError` for a format that has no place for texts.
    """
    format_ = FORMATS[request.format]
    check_text(request, format_)
    as_zip = ("--zip",) if format_.is_directory else ()
    return ExportCommand(
        "export",
        (*options_of(request), *as_zip),
        writes=False,
        file=f"served-{secrets.token_hex(8)}.{format_.suffix}",
    )


def file_made_by(job: Job, portal: Path) -> Path | None:
    """Return the file that a job made, or None if it is gone."""
    if (
        job.command != "export"
        or job.state is not JobState.DONE
        or not isinstance(job.result, dict)
    ):
        return None
    name = Path(str(job.result.get("output", ""))).name
    path = portal / EXPORTS_FOLDER / name
    return path if _is_export(name) and path.is_file() and not path.is_symlink() else None


def start_export(
    queue: JobQueue, registry: PortalRegistry, portal: str, command: ExportCommand
) -> Job:
    """Start an export; the oldest file makes room for it."""
    remove_old_files(registry.path(portal))
    return queue.submit(portal, command)


def file_of(queue: JobQueue, registry: PortalRegistry, portal: str, job: str) -> tuple[Path, str]:
    """Return the file of an export and its name for a download.

    Raises `HTTPException` if it is gone.
    """
    path = file_made_by(queue.job(portal, job), registry.path(portal))
    if path is None:
        raise HTTPException(404, FILE_IS_GONE)
    return path, f"{portal}.{suffix_of(path)}"


def suffix_of(path: Path) -> str:
    return path.name.partition(".")[2]


def remove_old_files(portal: Path, max_kept: int = MAX_KEPT_FILES) -> None:
    """Remove the oldest files, to make room for one more, and the remains of killed exports."""
    files = sorted(_files(portal, _is_export), key=_age)
    for path in files[max(0, max_kept - 1) :]:
        path.unlink(missing_ok=True)
    for path in _files(portal, lambda name: _UNPACKED.fullmatch(name) is not None):
        if _age(path) > _DAY:
            shutil.rmtree(path, ignore_errors=True)


def _is_export(name: str) -> bool:
    """Whether a name is one that `export_command` gives; its suffix is that of a format."""
    found = _NAME.fullmatch(name)
    return found is not None and found["suffix"] in {format_.suffix for format_ in FORMATS.values()}


def _files(portal: Path, is_wanted: Callable[[str], bool]) -> "Iterator[Path]":
    try:
        yield from (path for path in (portal / EXPORTS_FOLDER).iterdir() if is_wanted(path.name))
    except OSError:
        return


def _age(path: Path) -> float:
    try:
        return time() - path.stat().st_mtime
    except OSError:
        return 0.0
