"""The crawl log: a line for each attempt, the harvest over time, and the skipped URLs.

Three files that only grow, however often a portal is crawled: `logs/crawl.log`,
`reports/harvest.csv` and `reports/skipped.csv`. They describe committed batches. If a killed
process or a full disk has left part of a line, the next crawl removes it.
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

from motherlode.crawl.decisions import DraftOutcome
from motherlode.crawl.progress import REFRESH, Progress
from motherlode.fetch import Response
from motherlode.fetch.failures import FailureKind
from motherlode.fetch.fetcher import Fetched
from motherlode.portal import Portal
from motherlode.records import DiskFullError, PageId, ReadOnlyError, UrlState
from motherlode.records.digests import shown_digest
from motherlode.store.tables import ledger
from motherlode.store.tables.pages import urls_of_pages

CRAWL_LOG = "logs/crawl.log"
HARVEST = "reports/harvest.csv"
SKIPPED = "reports/skipped.csv"

# A row of the harvest is written after so many pages, or after so many seconds.
ROW_PAGES = 50
ROW_SECONDS = 5.0
_HARVEST_HEAD = ("time", "pages", "relevant", "rate")
_SKIPPED_HEAD = ("url", "reason", "detail", "time")
_MAX_CACHED_URLS = 10_000  # of pages that led to others
_MAX_PATH_HOPS = 50  # a longer path shows its last hops, and the number of those before
_TAIL_BYTES = 64 * 1024
_NO_VALUE = "-"

# Codes for attempts without a status: Heritrix's numbers, as far as it has them.
CODES: Mapping[FailureKind, int] = {
    FailureKind.NO_SUCH_HOST: -1,
    FailureKind.REFUSED: -2,
    FailureKind.UNREACHABLE: -2,
    FailureKind.TLS: -2,
    FailureKind.TLS_BROKEN: -2,
    FailureKind.PROXY: -2,
    FailureKind.RESET: -3,
    FailureKind.PROTOCOL: -3,
    FailureKind.CONNECT_TIMEOUT: -4,
    FailureKind.TLS_TIMEOUT: -4,
    FailureKind.FIRST_BYTE_TIMEOUT: -4,
    FailureKind.IDLE_TIMEOUT: -4,
    FailureKind.TOTAL_TIMEOUT: -4,
    FailureKind.TOO_SLOW: -4,
    FailureKind.LOCAL: -5,
    FailureKind.NAME_SERVER: -6,
    FailureKind.REDIRECT_LOOP: -7,
    FailureKind.REDIRECTS: -7,
    FailureKind.BAD_REDIRECT: -7,
    FailureKind.BAD_HOST: -8,
    FailureKind.RESTING: -50,
    FailureKind.ROBOTS_UNREACHABLE: -61,
    FailureKind.TRAP: -5000,
    FailureKind.OUTSIDE: -5000,
    FailureKind.TYPE: -5001,
    FailureKind.TOO_LARGE: -5001,
    FailureKind.HEADERS: -5001,
    FailureKind.FORBIDDEN_ADDRESS: -5001,
    FailureKind.HOST_FULL: -5003,
    FailureKind.ROBOTS: -9998,
}


class CrawlLog:
    """The log of a portal's crawls; open it for a crawl: `with CrawlLog(portal) as log`.

    `harvests` says whether stored pages are new and count in the harvest.
    """

    def __init__(
        self,
        portal: Portal,
        clock: Callable[[], float] = time,
        *,
        harvests: bool = True,
    ) -> None:
        self._portal, self._clock, self._harvests = portal, clock, harvests
        self._urls: OrderedDict[PageId, str] = OrderedDict()  # least recently used first
        self._stack = ExitStack()
        self._pages = self._relevant = self._row_pages = 0
        self._row_at = 0.0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder, open_file = self._portal.path, stack.enter_context
            self._log = open_file(_AppendOnlyFile(folder / CRAWL_LOG))
            self._harvest = open_file(_AppendOnlyFile(folder / HARVEST, _HARVEST_HEAD))
            self._skipped = open_file(_AppendOnlyFile(folder / SKIPPED, _SKIPPED_HEAD))
            self._stack = stack.pop_all()
        self._continue_harvest()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._stack:
            if kind is None and self._pages > self._row_pages:
                self._harvest.write(self._harvest_row())

    def note(self, drafts: Sequence[DraftOutcome], _progress: Progress | None = None) -> None:
        """Record committed outcomes. Raises `DiskFullError` if there is no space left."""
        attempts = [(draft, draft.fetched) for draft in drafts if draft.fetched is not None]
        vias = self._url_by_page({draft.outcome.entry.via for draft, _ in attempts} - {None})
        lines = [line for draft, fetched in attempts for line in self._lines(draft, fetched, vias)]
        self._log.write("".join(lines))
        self._skipped.write("".join(self._skipped_row(draft) for draft in drafts))
        if self._harvests:
            self._harvest.write("".join(self._harvest_rows(draft for draft, _ in attempts)))

    # --- crawl.log ---

    def _lines(
        self,
        draft: DraftOutcome,
        fetched: Fetched,
        vias: Mapping[PageId, str],
    ) -> Iterator[str]:
        """Return a line for each redirect, and one for the final URL."""
        entry, response = draft.outcome.entry, fetched.answered or fetched.response
        at = _timestamp(self._clock() if response is None else response.at)
        via = vias.get(entry.via, "") if entry.via is not None else ""
        for place, hop in enumerate(fetched.hops):
            yield _line(at, str(hop.status), "", hop.url, _path(entry.depth, place), via, "", "")
            via = hop.url
        path = _path(entry.depth, len(fetched.hops))
        size = "" if response is None else str(len(response.body))
        mime = "" if response is None else response.mime
        digest = shown_digest(fetched.digest)
        yield _line(
            at,
            _status(fetched, response),
            size,
            fetched.final.url,
            path,
            via,
            mime,
            digest,
        )

    def _url_by_page(self, page_ids: Collection[PageId | None]) -> dict[PageId, str]:
        """Return the URLs of pages, from the cache or by one query for all others."""
        pages = [page for page in page_ids if page is not None]
        missing = [page for page in pages if page not in self._urls]
        urls = {page: self._urls[page] for page in pages if page in self._urls}
        if missing:
            with self._portal.store.reading() as session:
                urls |= urls_of_pages(session, missing)
        for page, url in urls.items():
            self._urls[page] = url
            self._urls.move_to_end(page)
        while len(self._urls) > _MAX_CACHED_URLS:
            self._urls.popitem(last=False)
        return urls

    # --- skipped.csv ---

    def _skipped_row(self, draft: DraftOutcome) -> str:
        """Return the row of a URL that was skipped or is a copy; else an empty string."""
        fate, fetched = draft.outcome.fate, draft.fetched
        at = _timestamp(self._clock())
        if fate.state is UrlState.MOVED and fetched is not None and fetched.copy_of:
            # A known URL was not fetched; a copy was found by its content.
            code = "known" if fetched.response is None else "copy"
            return _row(draft.outcome.entry.url, code, fetched.copy_of, at)
        if fate.state is not UrlState.SKIPPED or fate.retry_at is not None:
            return ""
        if fetched is None or fetched.failure is None:
            return _row(draft.outcome.entry.url, fate.reason, "", at)
        code = fetched.failure.name.lower().replace("_", "-")
        return _row(draft.outcome.entry.url, code, fetched.detail, at)

    # --- harvest.csv ---

    def _continue_harvest(self) -> None:
        """Continue the counts of earlier crawls.

        The store has their number of pages. How many were judged relevant at the time, only the
        last row of the file tells.
        """
        with self._portal.store.reading() as session:
            runs = ledger.all_runs(session)
        self._pages = sum(run.pages for run in runs if run.command != REFRESH)
        last_row = next(csv.reader([self._harvest.last_line]), [])
        relevant = last_row[2] if len(last_row) == len(_HARVEST_HEAD) else ""
        self._relevant = min(int(relevant), self._pages) if relevant.isdecimal() else 0
        self._row_pages, self._row_at = self._pages, self._clock()

    def _harvest_rows(self, drafts: Iterable[DraftOutcome]) -> Iterator[str]:
        for draft in drafts:
            if draft.outcome.page is None:
                continue
            self._pages += 1
            judgement = draft.outcome.judgement
            self._relevant += judgement is not None and judgement.is_accepted
            is_late = self._clock() - self._row_at >= ROW_SECONDS
            if is_late or self._pages - self._row_pages >= ROW_PAGES:
                yield self._harvest_row()

    def _harvest_row(self) -> str:
        now = self._clock()
        self._row_pages, self._row_at = self._pages, now
        rate = self._relevant / self._pages if self._pages else 0.0
        return _row(_timestamp(now), self._pages, self._relevant, f"{rate:.4f}")


class _AppendOnlyFile:
    """A file of lines that only grows; unbuffered, so written lines survive a killed process."""

    def __init__(self, path: Path, head: Sequence[str] = ()) -> None:
        self._path, self._head = path, head
        self.last_line = ""

    def __enter__(self) -> Self:
        with _explained_errors(self._path), ExitStack() as stack:
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
        with _explained_errors(self._path):
            while left:  # a write may be partial, above all when the disk is nearly full
                left = left[self._file.write(left) :]


def _whole_lines(path: Path, end: int) -> tuple[int, str]:
    """Return the length of a file up to its last whole line, and that line."""
    with path.open("rb") as file:
        start = max(0, end - _TAIL_BYTES)
        file.seek(start)
        tail = file.read(_TAIL_BYTES)
    whole = tail.rfind(b"\n") + 1
    last = tail[:whole].rstrip(b"\n").rpartition(b"\n")[2]
    return start + whole, last.decode(errors="replace")


@contextmanager
def _explained_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            message = f"No space is left for {path}; all pages so far are kept."
            raise DiskFullError(f"{message} Free some space and run the command again.") from error
        raise ReadOnlyError(f"{path} cannot be written: {error.strerror or error}.") from error


def _status(fetched: Fetched, response: Response | None) -> str:
    """Return the status; a negative code for a failure; `-` for a URL known without a request."""
    if response is not None:
        return str(response.status)
    return _NO_VALUE if fetched.failure is None else str(CODES[fetched.failure])


def _line(*fields: str) -> str:
    return " ".join(map(_word, fields)) + "\n"


def _path(links: int, redirects: int) -> str:
    """Return the path from an example to a URL: L for each link, R for each redirect."""
    hidden_hops = links + redirects - _MAX_PATH_HOPS
    path = "L" * min(links, _MAX_PATH_HOPS) + "R" * redirects
    return f"{hidden_hops}+{path[-_MAX_PATH_HOPS:]}" if hidden_hops > 0 else path


def _word(text: str) -> str:
    """Return the text without blanks, so that every line has the same fields."""
    return re.sub(r"[\s\x00-\x20\x7f-\x9f]", lambda match: quote(match[0]), text) or _NO_VALUE


def _timestamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _row(*cells: object) -> str:
    """Return a CSV row. No spreadsheet takes a cell of it for a formula."""
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow([_cell(str(cell)) for cell in cells])
    return line.getvalue()


def _cell(text: str) -> str:
    text = re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
