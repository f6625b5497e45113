"""The papers that portals hold, and how they are read from a folder."""

import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from motherlode.lab.generated.dice import Dice
from motherlode.records import BadInputError

PAPERS_FILE = "papers.jsonl.gz"
MAX_PAPERS = 100_000
MAX_UNPACKED_BYTES = 500 * 2**20
FULL_TEXT_SHARE = 0.3  # of the papers that have an abstract


class PaperRecord(Struct, frozen=True):
    """A paper. Authors are written "Last, First"; a field that is not known is empty."""

    id: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int = 0
    venue: str = ""
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    links: tuple[str, ...] = ()  # the ids of papers that cite it or that it cites
    identifiers: dict[str, str] = {}
    kind: str = "article"
    subject: str = ""
    has_full_text: bool = False

    @property
    def slug(self) -> str:
        """The id as a part of a URL."""
        return quote(self.id, safe="")


class AuthorName(Struct, frozen=True):
    """The two parts of a name; the first name may be initials or empty."""

    first: str
    last: str

    @property
    def full(self) -> str:
        """The name in reading order."""
        return f"{self.first} {self.last}".strip()


def parse_author(author: str) -> AuthorName:
    """Return the parts of a name.

    >>> parse_author("Perlis, A. J."), parse_author("Alan Perlis").last
    (AuthorName(first='A. J.', last='Perlis'), 'Perlis')
    """
    if "," in author:
        last, _, first = author.partition(",")
    else:
        first, _, last = author.strip().rpartition(" ")
    return AuthorName(first.strip(), last.strip())


def read_papers(folder: Path) -> tuple[PaperRecord, ...]:
    """Return the papers of a collection, or of all collections in the folder.

    With several collections, each id gets the name of its folder before it. An id that comes again
    gets a number: 28 and 28-2.
    """
    if (folder / PAPERS_FILE).is_file():
        papers = tuple(_papers_of_file(folder / PAPERS_FILE))
    else:
        files = sorted(folder.glob(f"*/{PAPERS_FILE}"))
        papers = tuple(
            _with_prefix(paper, f"{file.parent.name}-")
            for file in files
            for paper in _papers_of_file(file)
        )
    if not papers:
        raise BadInputError(f"{folder} has no {PAPERS_FILE}; name a folder of papers.")
    return tuple(_with_own_ids(papers[:MAX_PAPERS]))


def _papers_of_file(path: Path) -> Iterator[PaperRecord]:
    try:
        with gzip.open(path) as file:
            lines = file.read(MAX_UNPACKED_BYTES).splitlines()[:MAX_PAPERS]
        papers = [msgspec.json.decode(line, type=PaperRecord) for line in lines if line.strip()]
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{path} cannot be read: {error}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInputError(f"{path}: {error}.") from error
    return (_with_full_text(paper) for paper in papers)


def _with_own_ids(papers: Iterable[PaperRecord]) -> Iterator[PaperRecord]:
    times: Counter[str] = Counter()
    for paper in papers:
        times[paper.id] += 1
        number = times[paper.id]
        yield replace(paper, id=f"{paper.id}-{number}") if number > 1 else paper


def _with_full_text(paper: PaperRecord) -> PaperRecord:
    """Decide whether a paper of a collection has its full text on line."""
    drawn = Dice("full text", paper.id).chance(FULL_TEXT_SHARE)
    return replace(paper, has_full_text=paper.has_full_text or (drawn and bool(paper.abstract)))


def _with_prefix(paper: PaperRecord, prefix: str) -> PaperRecord:
    links = tuple(prefix + link for link in paper.links)
    return replace(paper, id=prefix + paper.id, links=links)
