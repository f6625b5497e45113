"""The formats by their names: what each is, and how a gathering becomes it."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from motherlode import __version__
from motherlode.export.formats.bibtex import write_bibtex
from motherlode.export.formats.bookmarks import write_bookmarks
from motherlode.export.formats.csv import write_csv, write_member_csv
from motherlode.export.formats.graphs import write_gexf, write_graphml
from motherlode.export.formats.jsonl import write_jsonl, write_member_jsonl
from motherlode.export.formats.parquet import FILES, write_parquet
from motherlode.export.formats.wacz import WARC, ArchiveInfo, write_wacz
from motherlode.export.formats.warc import write_warc
from motherlode.export.record_reader import Gathering


class Wish(Struct, frozen=True):
    """What a writer must know besides the pages."""

    name: str  # of the file
    now: float
    most: int  # bookmarks of a topic


class Format(Struct, frozen=True):
    """A format. One of the two ways to write it is there: into a file, or into a directory of `files`."""

    about: str
    into_file: Callable[[Gathering, BinaryIO, Wish], int] | None = None
    into_directory: Callable[[Gathering, Path], int] | None = None
    files: Collection[str] = ()
    marker: str = ""  # the one of them by which it is known whose directory it is
    texts: bool = False  # whether there is a place for texts


def _jsonl(what: Gathering, out: BinaryIO, _wish: Wish) -> int:
    if what.collections is not None:
        return write_member_jsonl(what.members(), out)
    return write_jsonl(what.pages(), out)


def _csv(what: Gathering, out: BinaryIO, _wish: Wish) -> int:
    if what.collections is not None:
        return write_member_csv(what.members(), out, texts=what.texts)
    return write_csv(what.pages(), out, texts=what.texts)


def _parquet(what: Gathering, directory: Path) -> int:
    return write_parquet(what.pages(), what.links(), what.judgements(), directory)


def _warc(what: Gathering, out: BinaryIO, wish: Wish) -> int:
    return write_warc(what.responses(), out, what.portal.archive.opening(wish.name, wish.now))


def _wacz(what: Gathering, out: BinaryIO, wish: Wish) -> int:
    opening = what.portal.archive.opening(WARC, wish.now)
    about = ArchiveInfo(what.portal.title, f"Motherlode {__version__}", wish.now, opening)
    return write_wacz(what.responses(), out, about)


def _bookmarks(what: Gathering, out: BinaryIO, wish: Wish) -> int:
    return write_bookmarks(what.shelves(wish.most), out, what.portal.title)


def _bibtex(what: Gathering, out: BinaryIO, wish: Wish) -> int:
    return write_bibtex(what.shelves(wish.most), out)


FORMATS = {
    "jsonl": Format("a page a line", _jsonl, texts=True),
    "csv": Format("a page a row", _csv, texts=True),
    "parquet": Format(
        "a directory of documents, links and judgements",
        into_directory=_parquet,
        files=FILES,
        texts=True,
    ),
    "warc": Format("the raw responses, gzip", _warc),
    "wacz": Format("the raw responses with an index and a list of pages, zip", _wacz, texts=True),
    "bookmarks": Format("HTML, the best pages of each topic in folders", _bookmarks),
    "bibtex": Format("BibTeX, an entry for each of the best pages of each topic", _bibtex),
    "graphml": Format(
        "the link graph", lambda what, out, _: write_graphml(what.pages(), what.edges(), out)
    ),
    "gexf": Format(
        "the link graph", lambda what, out, _: write_gexf(what.pages(), what.edges(), out)
    ),
}
