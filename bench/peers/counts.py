"""What the server saw of a crawl, the relevant pages in it, and the table of all crawlers."""

from collections.abc import Collection, Iterable, Sequence
from statistics import fmean
from typing import NamedTuple


class RequestLog:
    """The requests of one crawl: their number, and the distinct pages that they brought."""

    def __init__(self) -> None:
        self.requests = 0
        self.pages: dict[str, int] = {}  # in order, each with the number of its request

    def note(self, url: str, *, is_page: bool) -> None:
        """Count a request; a page that was fetched before is a request, but no other page."""
        self.requests += 1
        if is_page:
            self.pages.setdefault(url, self.requests)

    def requests_for(self, pages: int) -> int:
        """Return the requests up to so many pages; all of them if the crawl ended before."""
        return list(self.pages.values())[pages - 1] if pages <= len(self.pages) else self.requests


class RunResult(NamedTuple):
    """One crawl of one topic. `problem` says in a sentence why there is nothing to count.

    `ending` says why a crawl ended before it had used its pages or requests up.
    """

    crawler: str
    topic: str
    found: tuple[int, ...] = ()
    pages: int = 0
    requests: int = 0
    seconds: float = 0.0
    ending: str = ""
    problem: str = ""


def found_at(
    pages: Sequence[str], relevant: Collection[str], checkpoints: Iterable[int]
) -> tuple[int, ...]:
    """Return the number of relevant pages among the first pages, for each number of them.

    >>> found_at(["a", "b", "c"], {"a", "c"}, (1, 2, 4))
    (1, 1, 2)
    """
    return tuple(sum(page in relevant for page in pages[:number]) for number in checkpoints)


class TableRow(NamedTuple):
    """Means of a crawler over topics; `ratios`: how many times as many the reference has."""

    crawler: str
    topics: int
    found: tuple[float, ...]
    requests: float
    ratios: tuple[float | None, ...]


def table_rows(results: Sequence[RunResult], reference: str) -> list[TableRow]:
    """Return a row for each crawler; the reference is averaged over the same topics as it."""
    counted = [result for result in results if not result.problem]
    by_topic = {result.topic: result for result in counted if result.crawler == reference}
    crawlers = dict.fromkeys(result.crawler for result in counted)
    return [
        _row([result for result in counted if result.crawler == crawler], by_topic)
        for crawler in crawlers
    ]


def _row(runs: Sequence[RunResult], reference: dict[str, RunResult]) -> TableRow:
    requests = fmean(run.requests for run in runs)
    return TableRow(
        runs[0].crawler, len(runs), _mean_found(runs), requests, _ratios(runs, reference)
    )


def _ratios(runs: Sequence[RunResult], reference: dict[str, RunResult]) -> tuple[float | None, ...]:
    shared = [run for run in runs if run.topic in reference]
    if not shared:
        return tuple(None for _ in runs[0].found)
    own = _mean_found(shared)
    theirs = _mean_found([reference[run.topic] for run in shared])
    return tuple(more / less if less else None for more, less in zip(theirs, own, strict=True))


def _mean_found(runs: Sequence[RunResult]) -> tuple[float, ...]:
    return tuple(map(fmean, zip(*(run.found for run in runs), strict=True)))


def markdown_table(
    rows: Sequence[TableRow], checkpoints: Sequence[int], reference: str
) -> list[str]:
    """Return the lines of a Markdown table: finds at each checkpoint, requests, and ratios."""
    header = ["relevant pages after", *map(str, checkpoints), "requests"]
    header += [f"{reference} has at {pages}" for pages in checkpoints[1:]]
    lines = [header, ["---", *["---:"] * (len(header) - 1)]]
    for row in rows:
        ratios = ["" if ratio is None else f"{ratio:.2f} times" for ratio in row.ratios[1:]]
        ratios = [""] * len(checkpoints[1:]) if row.crawler == reference else ratios
        found = [f"{number:.0f}" for number in row.found]
        lines.append([row.crawler, *found, f"{row.requests:,.0f}", *ratios])
    return [f"| {' | '.join(cells)} |" for cells in lines]
