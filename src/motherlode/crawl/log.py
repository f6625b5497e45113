"""What a crawl writes down for people: a line an attempt, the harvest over time, and what was left out.

Three files that only grow, in a portal that may be crawled many times: `logs/crawl.log`,
`reports/harvest.csv` and `reports/skipped.csv`. They tell of batches that are committed. What a killed
process or a full disk left of a line is cut off by the next crawl.
"""

import csv
import errno
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from io import FileIO, StringIO
from pathlib import Path
from time import time
from typing import Self
from urllib.parse import quote

from motherlode.crawl.decisions import Draft
from motherlode.crawl.progress import REFRESH, Progress
from motherlode.fetch import Response
from motherlode.fetch.failures import Kind
from motherlode.fetch.fetching import Fetched
from motherlode.portal import Portal
from motherlode.records import DiskFullError, PageId, ReadOnlyError, UrlState
from motherlode.records.digests import shown_digest
from motherlode.store import ledger
from motherlode.store.pages import urls_of_pages

CRAWL_LOG = "logs/crawl.log"
HARVEST = "reports/harvest.csv"
SKIPPED = "reports/skipped.csv"

ROW_PAGES = 50  # a row of the harvest at least every so many pages
ROW_SECONDS = 5.0  # or after so long
_HARVEST_HEAD = ("time", "pages", "relevant", "rate")
_SKIPPED_HEAD = ("url", "reason", "detail", "time")
_REMEMBERED = 10_000  # addresses of pages that led somewhere
_SHOWN_HOPS = 50  # of a longer path the last are shown, and how many there were before
_TAIL = 64 * 1024
_NOTHING = "-"

# Where no status came, what came instead: Heritrix's numbers, as far as it has one for it.
CODES: Mapping[Kind, int] = {
    Kind.NO_SUCH_HOST: -1,
    Kind.REFUSED: -2,
    Kind.UNREACHABLE: -2,
    Kind.TLS: -2,
    Kind.TLS_BROKEN: -2,
    Kind.PROXY: -2,
    Kind.RESET: -3,
    Kind.PROTOCOL: -3,
    Kind.CONNECT_TIMEOUT: -4,
    Kind.TLS_TIMEOUT: -4,
    Kind.FIRST_BYTE_TIMEOUT: -4,
    Kind.IDLE_TIMEOUT: -4,
    Kind.TOTAL_TIMEOUT: -4,
    Kind.TOO_SLOW: -4,
    Kind.LOCAL: -5,
    Kind.NAME_SERVER: -6,
    Kind.REDIRECT_LOOP: -7,
    Kind.REDIRECTS: -7,
    Kind.BAD_REDIRECT: -7,
    Kind.BAD_HOST: -8,
    Kind.RESTING: -50,
    Kind.ROBOTS_UNREACHABLE: -61,
    Kind.TRAP: -5000,
    Kind.OUTSIDE: -5000,
    Kind.TYPE: -5001,
    Kind.TOO_LARGE: -5001,
    Kind.HEADERS: -5001,
    Kind.FORBIDDEN_ADDRESS: -5001,
    Kind.HOST_FULL: -5003,
    Kind.ROBOTS: -9998,
}


class Records:
    """The journal of a portal's crawls. Hold it open while crawling: `with Records(portal) as journal`.

    `harvests`: whether pages that are kept are new.
    """

    def __init__(self, portal: Portal, clock: Callable[[], float] = time, *, harvests: bool = True) -> None:
        self._portal, self._clock, self._harvests = portal, clock, harvests
        self._addresses: OrderedDict[PageId, str] = OrderedDict()
        self._stack = ExitStack()
        self._pages = self._relevant = self._row_pages = 0
        self._row_at = 0.0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._log = stack.enter_context(_Growing(self._portal.path / CRAWL_LOG))
            self._harvest = stack.enter_context(_Growing(self._portal.path / HARVEST, _HARVEST_HEAD))
            self._skipped = stack.enter_context(_Growing(self._portal.path / SKIPPED, _SKIPPED_HEAD))
            self._stack = stack.pop_all()
        self._go_on()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._stack:
            if kind is None and self._pages > self._row_pages:
                self._harvest.write(self._row())

    def note(self, drafts: Sequence[Draft], _progress: Progress | None = None) -> None:
        """These were kept. Raises `DiskFullError` where there is no room to say so."""
        asked = [(draft, draft.fetched) for draft in drafts if draft.fetched is not None]
        vias = self._vias({draft.outcome.entry.via for draft, _ in asked} - {None})
        self._log.write("".join(line for one in asked for line in self._lines(*one, vias)))
        self._skipped.write("".join(self._left_out(draft) for draft in drafts))
        if self._harvests:
            self._harvest.write("".join(self._rows(draft for draft, _ in asked)))

    # --- crawl.log --------------------------------------------------------------------------------------

    def _lines(self, draft: Draft, fetched: Fetched, vias: Mapping[PageId, str]) -> Iterator[str]:
        """A line for each redirect on the way, and one for where it ended."""
        entry, response = draft.outcome.entry, fetched.answered or fetched.response
        at = _moment(self._clock() if response is None else response.at)
        via = vias.get(entry.via, "") if entry.via is not None else ""
        for place, hop in enumerate(fetched.hops):
            yield _line(at, str(hop.status), "", hop.url, _path(entry.depth, place), via, "", "")
            via = hop.url
        path = _path(entry.depth, len(fetched.hops))
        size = "" if response is None else str(len(response.body))
        mime = "" if response is None else response.mime
        digest = shown_digest(fetched.digest)
        yield _line(at, _status(fetched, response), size, fetched.final.url, path, via, mime, digest)

    def _vias(self, wanted: Collection[PageId | None]) -> dict[PageId, str]:
        """The addresses of pages: those that are remembered, and the others in one question."""
        pages = [page for page in wanted if page is not None]
        missing = [page for page in pages if page not in self._addresses]
        known = {page: self._addresses[page] for page in pages if page in self._addresses}
        if missing:
            with self._portal.store.reading() as session:
                known |= urls_of_pages(session, missing)
        for page, url in known.items():
            self._addresses[page] = url
            self._addresses.move_to_end(page)
        while len(self._addresses) > _REMEMBERED:
            self._addresses.popitem(last=False)
        return known

    # --- skipped.csv ------------------------------------------------------------------------------------

    def _left_out(self, draft: Draft) -> str:
        fate, fetched = draft.outcome.fate, draft.fetched
        at = _moment(self._clock())
        if fate.state is UrlState.MOVED and fetched is not None and fetched.copy_of:
            code = "known" if fetched.response is None else "copy"  # only a copy's content was looked at
            return _row(draft.outcome.entry.url, code, fetched.copy_of, at)
        if fate.state is not UrlState.SKIPPED or fate.retry_at is not None:
            return ""
        if fetched is None or fetched.failure is None:
            return _row(draft.outcome.entry.url, fate.reason, "", at)
        code = fetched.failure.name.lower().replace("_", "-")
        return _row(draft.outcome.entry.url, code, fetched.detail, at)

    # --- harvest.csv ------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Count on from where earlier crawls ended. The store knows how many pages they kept; how many of
        them were thought relevant at that time, only the last row does."""
        with self._portal.store.reading() as session:
            self._pages = sum(run.pages for run in ledger.all_runs(session) if run.command != REFRESH)
        last = next(csv.reader([self._harvest.last_line]), [])
        relevant = last[2] if len(last) == len(_HARVEST_HEAD) else ""
        self._relevant = min(int(relevant), self._pages) if relevant.isdecimal() else 0
        self._row_pages, self._row_at = self._pages, self._clock()

    def _rows(self, drafts: Iterable[Draft]) -> Iterator[str]:
        for draft in drafts:
            if draft.outcome.page is None:
                continue
            self._pages += 1
            said = draft.outcome.judgement
            self._relevant += said is not None and said.is_on_topic
            late = self._clock() - self._row_at >= ROW_SECONDS
            if late or self._pages - self._row_pages >= ROW_PAGES:
                yield self._row()

    def _row(self) -> str:
        now = self._clock()
        self._row_pages, self._row_at = self._pages, now
        rate = self._relevant / self._pages if self._pages else 0.0
        return _row(_moment(now), self._pages, self._relevant, f"{rate:.4f}")


class _Growing:
    """A file of lines that is only added to. Nothing is buffered: what is written is with the system."""

    def __init__(self, path: Path, head: Sequence[str] = ()) -> None:
        self._path, self._head = path, head
        self.last_line = ""

    def __enter__(self) -> Self:
        with _explained(self._path), ExitStack() as stack:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = stack.enter_context(FileIO(self._path, "ab"))
            end = self._file.tell()
            whole, self.last_line = _whole_lines(self._path, end)
            if whole < end:
                self._file.truncate(whole)
            if self._head and not whole:
                self.write(_row(*self._head))
            stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, text: str) -> None:
        left = memoryview(text.encode(errors="backslashreplace"))
        with _explained(self._path):
            while left:  # a file may take less than it is given, a full disk first of all
                left = left[self._file.write(left) :]


def _whole_lines(path: Path, end: int) -> tuple[int, str]:
    """How far a file consists of whole lines, and the last of them."""
    with path.open("rb") as file:
        start = max(0, end - _TAIL)
        file.seek(start)
        tail = file.read(_TAIL)
    whole = tail.rfind(b"\n") + 1
    last = tail[:whole].rstrip(b"\n").rpartition(b"\n")[2]
    return start + whole, last.decode(errors="replace")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            message = f"No space is left for {path}; all pages so far are kept. Free some space and run the"
            raise DiskFullError(f"{message} command again.") from error
        raise ReadOnlyError(f"{path} cannot be written: {error.strerror or error}.") from error


def _status(fetched: Fetched, response: Response | None) -> str:
    """A status; a negative number where there is none; `-` for what was not asked for, as it is known."""
    if response is not None:
        return str(response.status)
    return _NOTHING if fetched.failure is None else str(CODES[fetched.failure])


def _line(*fields: str) -> str:
    return " ".join(map(_word, fields)) + "\n"


def _path(links: int, redirects: int) -> str:
    """How it was come by from an example: L for each link, R for each redirect."""
    over = links + redirects - _SHOWN_HOPS
    path = "L" * min(links, _SHOWN_HOPS) + "R" * redirects
    return f"{over}+{path[-_SHOWN_HOPS:]}" if over > 0 else path


def _word(text: str) -> str:
    """Text without blanks, so that lines fall into the same fields."""
    return re.sub(r"[\s\x00-\x20\x7f-\x9f]", lambda found: quote(found[0]), text) or _NOTHING


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _row(*cells: object) -> str:
    """A row of a table. No cell is taken for a formula by whatever opens it."""
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow([_cell(str(cell)) for cell in cells])
    return line.getvalue()


def _cell(text: str) -> str:
    text = re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
