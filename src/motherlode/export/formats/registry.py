"""The export formats by name: a new format is a module here and one entry of `FORMATS`."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from motherlode import __version__
from motherlode.export import site
from motherlode.export.formats.bibtex import write_bibtex
from motherlode.export.formats.bookmarks import write_bookmarks
from motherlode.export.formats.csv import write_csv, write_member_csv
from motherlode.export.formats.graphs import write_gexf, write_graphml
from motherlode.export.formats.jsonl import write_jsonl, write_member_jsonl
from motherlode.export.formats.parquet import FILES, write_parquet
from motherlode.export.formats.wacz import WARC, ArchiveInfo, write_wacz
from motherlode.export.formats.warc import write_warc
from motherlode.export.record_reader import ExportSource

ShowProgress = Callable[[str, int], None]
_ZIP = "zip"


class WriteOptions(Struct, frozen=True, kw_only=True):
    """What a writer needs besides the pages.

    `show` is called with "page" or "topic" and how many of them a long export has written.
    """

    file_name: str
    now: float
    max_bookmarks: int  # of a topic
    show: ShowProgress = lambda _kind, _written: None


class Format(Struct, frozen=True, kw_only=True):
    """An export format: one file, or a directory of `files`; it has one of the two writers.

    `about` stands in help texts and on the export page. `suffix` is that of the file. A writer
    returns the number of pages written. `marker` is the file by which a directory of this format
    is known, and may be replaced. `has_texts` is whether the texts of pages have a place in it.
    """

    about: str
    suffix: str = _ZIP  # a directory is downloaded as a zip
    write_file: Callable[[ExportSource, BinaryIO, WriteOptions], int] | None = None
    write_directory: Callable[[ExportSource, Path, WriteOptions], int] | None = None
    files: Collection[str] = ()
    marker: str = ""
    has_texts: bool = False

    @property
    def is_directory(self) -> bool:
        return self.write_directory is not None


def _jsonl(source: ExportSource, out: BinaryIO, _options: WriteOptions) -> int:
    if source.collections is not None:
        return write_member_jsonl(source.members(), out)
    return write_jsonl(source.pages(), out)


def _csv(source: ExportSource, out: BinaryIO, _options: WriteOptions) -> int:
    if source.collections is not None:
        return write_member_csv(source.members(), out, texts=source.texts)
    return write_csv(source.pages(), out, texts=source.texts)


def _parquet(source: ExportSource, directory: Path, _options: WriteOptions) -> int:
    return write_parquet(source.pages(), source.links(), source.judgements(), directory)


def _warc(source: ExportSource, out: BinaryIO, options: WriteOptions) -> int:
    opening = source.portal.archive.opening(options.file_name, options.now)
    return write_warc(source.responses(), out, opening)


def _wacz(source: ExportSource, out: BinaryIO, options: WriteOptions) -> int:
    opening = source.portal.archive.opening(WARC, options.now)
    about = ArchiveInfo(source.portal.title, f"Motherlode {__version__}", options.now, opening)
    return write_wacz(source.responses(), out, about)


def _bookmarks(source: ExportSource, out: BinaryIO, options: WriteOptions) -> int:
    return write_bookmarks(source.shelves(options.max_bookmarks), out, source.portal.title)


def _bibtex(source: ExportSource, out: BinaryIO, options: WriteOptions) -> int:
    return write_bibtex(source.shelves(options.max_bookmarks), out)


def _graphml(source: ExportSource, out: BinaryIO, _options: WriteOptions) -> int:
    return write_graphml(source.pages(), source.edges(), out)


def _gexf(source: ExportSource, out: BinaryIO, _options: WriteOptions) -> int:
    return write_gexf(source.pages(), source.edges(), out)


def _site(source: ExportSource, directory: Path, options: WriteOptions) -> int:
    from motherlode.export.site.content import content_of  # noqa: PLC0415 - only a site needs models
    from motherlode.export.site.writer import write_site  # noqa: PLC0415 - and templates

    return write_site(content_of(source), directory, options.show)


FORMATS = {
    "jsonl": Format(about="one page per line", suffix="jsonl", write_file=_jsonl, has_texts=True),
    "csv": Format(about="one page per row", suffix="csv", write_file=_csv, has_texts=True),
    "parquet": Format(
        about="a directory of documents, links and judgements",
        write_directory=_parquet,
        files=FILES,
        has_texts=True,
    ),
    "warc": Format(about="the raw responses, gzip", suffix="warc.gz", write_file=_warc),
    "wacz": Format(
        about="the raw responses with an index and a list of pages, zip",
        suffix="wacz",
        write_file=_wacz,
        has_texts=True,
    ),
    "bookmarks": Format(
        about="HTML, the best pages of each topic in folders", suffix="html", write_file=_bookmarks
    ),
    "bibtex": Format(
        about="BibTeX, an entry for each of the best pages of each topic",
        suffix="bib",
        write_file=_bibtex,
    ),
    "graphml": Format(about="the link graph", suffix="graphml", write_file=_graphml),
    "gexf": Format(about="the link graph, for Gephi", suffix="gexf", write_file=_gexf),
    "site": Format(
        about="a folder of HTML pages with a search, to publish",
        write_directory=_site,
        files=site.FILES,
        marker=site.MARKER,
    ),
}
