"""Write a portal, or one topic of it, in one of the export formats."""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from motherlode.app.requests.export import ExportRequest
from motherlode.export.destination import check_place, directory_at, file_at, pack
from motherlode.export.formats.registry import FORMATS, Format, ShowProgress, WriteOptions
from motherlode.export.record_reader import ExportSource
from motherlode.portal import Portal
from motherlode.records import TopicId, UsageError
from motherlode.store.tables import topics as topic_rows
from motherlode.topics import TopicTree, parse_path

STREAM = "-"  # the output that is no file
UNPACKED_PREFIX = ".lode-export-"  # of the temporary directory that is about to be packed


class ExportTarget(Struct, frozen=True):
    """The target of an export: a path, or `-` for standard output."""

    output: str
    as_zip: bool = False
    force: bool = False

    @property
    def is_stream(self) -> bool:
        return self.output == STREAM


def export_directory(
    directory: Path,
    request: ExportRequest,
    target: ExportTarget,
    stream: BinaryIO,
    show: ShowProgress,
) -> int:
    """Write the portal in a directory as requested, and return the number of pages written."""
    format_ = FORMATS[request.format]
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
        source = ExportSource(portal, session, tree, _topic(tree, request.topic), request.text)
        name = "portal" if target.is_stream else Path(target.output).name
        options = WriteOptions(file_name=name, now=time(), max_bookmarks=request.most, show=show)
        return _write(source, format_, target, options, stream)


def check_text(request: ExportRequest, format_: Format) -> None:
    """Raise `UsageError` if texts are wanted in a format that has no place for them."""
    if request.text and not format_.has_texts:
        raise UsageError(f"{request.format} has no place for texts; leave --text out.")


def _as_zip(name: str, format_: Format, beside: Path) -> Format:
    """Return a format that packs a directory of files into one file."""
    write = format_.write_directory
    if write is None:
        raise UsageError(f"{name} is one file already; leave --zip out.")

    def write_file(source: ExportSource, out: BinaryIO, options: WriteOptions) -> int:
        # Unpacked beside the file, where there is as much room as there is for it.
        with TemporaryDirectory(prefix=UNPACKED_PREFIX, dir=beside) as folder:
            pages = write(source, Path(folder), options)
            pack(Path(folder), out)
        return pages

    return replace(format_, write_file=write_file, write_directory=None, files=(), marker="")


def _check(request: ExportRequest, format_: Format, target: ExportTarget) -> None:
    check_text(request, format_)
    if target.is_stream and format_.write_file is None:
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
    source: ExportSource,
    format_: Format,
    target: ExportTarget,
    options: WriteOptions,
    stream: BinaryIO,
) -> int:
    if format_.write_file is None:
        assert format_.write_directory is not None  # noqa: S101 - every format has one of the two
        with directory_at(Path(target.output)) as place:
            return format_.write_directory(source, place, options)
    if target.is_stream:
        return format_.write_file(source, stream, options)
    with file_at(Path(target.output)) as file:
        return format_.write_file(source, file, options)
