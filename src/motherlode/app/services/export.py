"""Write a portal, or one topic of it, in one of the export formats."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.export import SITE_FORMAT, ExportRequest
from motherlode.export.destination import check_place, directory_at, file_at
from motherlode.export.formats.registry import FORMATS, Format, Wish
from motherlode.export.record_reader import Gathering
from motherlode.export.site import FILES as SITE_FILES
from motherlode.export.site import MARKER
from motherlode.export.zip_archive import pack
from motherlode.portal import Portal
from motherlode.records import TopicId, UsageError
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree, parse_path

STREAM = "-"  # the output that is no file
UNPACKED_PREFIX = ".lode-export-"  # of the temporary directory that is about to be packed

# Called with "page" or "topic", and how many of them are written.
ShowExport = Callable[[str, int], None]


class ExportTarget(Struct, frozen=True):
    """The target of an export: a path, or `-` for standard output."""

    output: str
    as_zip: bool = False
    force: bool = False

    @property
    def is_stream(self) -> bool:
        return self.output == STREAM


def all_formats(show: ShowExport = lambda _kind, _done: None) -> dict[str, Format]:
    """Return every export format by name; `show` is called while a site is written."""

    def write(portal: Gathering, directory: Path) -> int:
        from motherlode.export.site.content import content_of  # noqa: PLC0415 - only a site needs models
        from motherlode.export.site.writer import write_site  # noqa: PLC0415 - and templates

        return write_site(content_of(portal), directory, show)

    site = Format("a folder of HTML pages", into_directory=write, files=SITE_FILES, marker=MARKER)
    return FORMATS | {SITE_FORMAT: site}


def export_directory(
    directory: Path,
    request: ExportRequest,
    target: ExportTarget,
    stream: BinaryIO,
    show: ShowExport,
) -> int:
    """Write the portal in a directory as requested, and return the number of pages written."""
    format_ = all_formats(show)[request.format]
    if target.as_zip:
        format_ = _as_zip(request.format, format_, Path(target.output).resolve().parent)
    _check(request, format_, target)
    if not target.is_stream:
        check_place(
            Path(target.output),
            force=target.force,
            portal=directory,
            files=format_.files or None,
            marker=format_.marker,
        )
    with Portal.reading(directory, request.settings) as portal, portal.store.reading() as session:
        tree = TopicTree(topic_rows.all_topics(session))
        gathering = Gathering(portal, session, tree, _topic(tree, request.topic), request.text)
        return _write(gathering, format_, target, request.most, stream)


def check_text(request: ExportRequest, format_: Format) -> None:
    """Raise `UsageError` if texts are wanted in a format that has no place for them."""
    if request.text and not format_.texts:
        raise UsageError(f"{request.format} has no place for texts; leave --text out.")


def _as_zip(name: str, format_: Format, beside: Path) -> Format:
    """Return a format that packs a directory of files into one file."""
    write = format_.into_directory
    if write is None:
        raise UsageError(f"{name} is one file already; leave --zip out.")

    def into_file(gathering: Gathering, out: BinaryIO, _wish: Wish) -> int:
        # Unpacked beside the file, where there is as much room as there is for it.
        with TemporaryDirectory(prefix=UNPACKED_PREFIX, dir=beside) as folder:
            pages = write(gathering, Path(folder))
            pack(Path(folder), out)
        return pages

    return replace(format_, into_file=into_file, into_directory=None, files=(), marker="")


def _check(request: ExportRequest, format_: Format, target: ExportTarget) -> None:
    check_text(request, format_)
    if target.is_stream and format_.into_file is None:
        raise UsageError(
            f"{request.format} is a directory of files; name one with --output, or add --zip."
        )
    if not target.output.strip():
        raise UsageError("--output needs a name.")


def _topic(tree: TopicTree, path: str | None) -> TopicId | None:
    if path is None:
        return None
    topic = tree.at(parse_path(path))
    if topic.is_others:
        raise UsageError("OTHERS holds the pages of no topic; name a topic, or none for all pages.")
    return topic.id


def _write(
    gathering: Gathering, format_: Format, target: ExportTarget, most: int, stream: BinaryIO
) -> int:
    name = "portal" if target.is_stream else Path(target.output).name
    wish = Wish(name, time(), most)
    if format_.into_file is None:
        assert format_.into_directory is not None  # noqa: S101 - every format has one of the two
        with directory_at(Path(target.output)) as place:
            return format_.into_directory(gathering, place)
    if target.is_stream:
        return format_.into_file(gathering, stream, wish)
    with file_at(Path(target.output)) as file:
        return format_.into_file(gathering, file, wish)
