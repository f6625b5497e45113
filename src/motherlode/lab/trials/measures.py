"""What a run was worth: harvest rate, recall, target precision, and the curve of finds over pages.

A page counts against the budget when a document came back. Seeds count against it and are never
finds, for a crawler that is handed its answers has not found them.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import fmean

import numpy as np
from msgspec import Struct

from motherlode.records import BadInputError
from motherlode.urls import UrlError, address

PRECISION_AT = (10, 50, 100, 500, 1000)
_MAX_POINTS = 200
_OK = range(200, 300)
_COLUMNS = (
    "a URL, a status, a score and the word 'seed', with tabs between; "
    "all but the URL may be missing"
)


class LoggedFetch(Struct, frozen=True):
    """One fetch of a page log; a log is in order of fetching."""

    url: str
    host: str
    document: bool = True
    seed: bool = False
    score: float | None = None


class Measures(Struct, frozen=True):
    """The figures of one run. `pages` has the seeds in it; `relevant` and `recall` leave them
    out.
    """

    pages: int
    relevant: int
    failed: int
    harvest_rate: float
    recall: float | None
    relevant_hosts: int
    pages_per_relevant_site: float | None
    precision_at: dict[int, float]
    curve: list[tuple[int, int]]


class Averaged(Struct, frozen=True):
    """The means of the figures of repeated runs; each over those runs that have the figure."""

    runs: int
    pages: float
    relevant: float
    failed: float
    harvest_rate: float
    recall: float | None
    relevant_hosts: float
    pages_per_relevant_site: float | None
    precision_at: dict[int, float]
    curve: list[tuple[int, float]]


def measure(
    log: Iterable[LoggedFetch],
    relevant: Callable[[str], bool],
    total: int | None,
    budget: int | None = None,
) -> Measures:
    """The figures of a page log, up to the document that used the budget up.

    `total` is the number of relevant pages in the web that are not seeds, if anybody knows it.
    """
    kept = list(_within(log, budget))
    seeds = {fetch.url for fetch in kept if fetch.seed}
    documents = [fetch for fetch in kept if fetch.document]
    finds = list(_finds(documents, relevant, seeds))
    found = sum(finds)
    hosts = len({fetch.host for fetch, find in zip(documents, finds, strict=True) if find})
    return Measures(
        pages=len(documents),
        relevant=found,
        failed=len(kept) - len(documents),
        harvest_rate=found / len(documents) if documents else 0.0,
        recall=found / total if total else None,
        relevant_hosts=hosts,
        pages_per_relevant_site=len(documents) / hosts if hosts else None,
        precision_at=_precision(documents, relevant, seeds),
        curve=_curve(finds),
    )


def average(runs: Sequence[Measures]) -> Averaged:
    """The mean of repeated runs. A run that ended early stays at its last find in the mean
    curve.
    """
    if not runs:
        raise ValueError("There are no runs to average.")
    return Averaged(
        runs=len(runs),
        pages=fmean(run.pages for run in runs),
        relevant=fmean(run.relevant for run in runs),
        failed=fmean(run.failed for run in runs),
        harvest_rate=fmean(run.harvest_rate for run in runs),
        recall=_mean(run.recall for run in runs),
        relevant_hosts=fmean(run.relevant_hosts for run in runs),
        pages_per_relevant_site=_quotient(
            sum(r.pages for r in runs), sum(r.relevant_hosts for r in runs)
        ),
        precision_at=_mean_precision([run.precision_at for run in runs]),
        curve=_mean_curve([run.curve for run in runs]),
    )


def _quotient(pages: int, hosts: int) -> float | None:
    """Of the sums: the mean of the quotients would leave out the runs that found nothing."""
    return pages / hosts if hosts else None


def found_at(curve: Sequence[tuple[float, float]], pages: float) -> float:
    """The relevant pages found after so many pages; after its end a run finds nothing more."""
    return float(np.interp(pages, *_axes(curve)))


def harvest_at(curve: Sequence[tuple[float, float]], pages: float) -> float:
    """The harvest rate after so many pages; after its end a run keeps the rate that it ended
    with.
    """
    fetched = min(pages, curve[-1][0])
    return found_at(curve, fetched) / fetched if fetched > 0 else 0.0


def recall_at(measures: Measures | Averaged, total: int | None, pages: float) -> float | None:
    """The recall after so many pages, if the total is known."""
    return found_at(measures.curve, pages) / total if total else None


def read_log(path: Path) -> list[LoggedFetch]:
    """The fetches of a page log. Raises `BadInputError` for a line that is none."""
    return [
        _fetched(path, number, line)
        for number, line in enumerate(_text(path).split("\n"), start=1)
        if line.strip() and not line.startswith("#")
    ]


def write_log(path: Path, log: Iterable[LoggedFetch]) -> None:
    """Write a page log that `read_log` reads back. The URLs are canonical, so no tab is in them."""
    lines = ["# url\tstatus\tscore\tseed", *(_line(fetch) for fetch in log), ""]
    try:
        path.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror or error}.") from error


def _within(log: Iterable[LoggedFetch], budget: int | None) -> Iterator[LoggedFetch]:
    """The fetches up to the document that uses the budget up."""
    if budget is not None and budget <= 0:
        return
    documents = 0
    for fetch in log:
        yield fetch
        documents += fetch.document
        if documents == budget:
            return


def _finds(
    documents: Iterable[LoggedFetch], relevant: Callable[[str], bool], seeds: set[str]
) -> Iterator[bool]:
    """Whether each document is a relevant page that the run had not found before."""
    known = set(seeds)
    for fetch in documents:
        find = fetch.url not in known and relevant(fetch.url)
        known.add(fetch.url)
        yield find


def _curve(finds: Sequence[bool]) -> list[tuple[int, int]]:
    found = [0, *accumulate(int(find) for find in finds)]
    return [(pages, found[pages]) for pages in _grid(len(finds))]


def _grid(pages: int) -> list[int]:
    """Numbers of pages from none to all, evenly spaced, and no more than a plot can show."""
    steps = min(pages, _MAX_POINTS - 1)
    return [0, *(step * pages // steps for step in range(1, steps + 1))]


def _precision(
    documents: Iterable[LoggedFetch], relevant: Callable[[str], bool], seeds: set[str]
) -> dict[int, float]:
    """Target precision among the best n. A page has one rank, by the score of its first scored
    fetch.
    """
    scores: dict[str, float] = {}
    for fetch in documents:
        score = _finite(fetch.score)
        if score is not None and fetch.url not in seeds:
            scores.setdefault(fetch.url, score)
    # Sorting is stable also in reverse, so equals stay in order of fetching.
    best = sorted(scores, key=scores.__getitem__, reverse=True)[: PRECISION_AT[-1]]
    hits = [0, *accumulate(int(relevant(url)) for url in best)]
    return {n: hits[n] / n for n in PRECISION_AT if n <= len(best)}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _mean_precision(runs: Sequence[dict[int, float]]) -> dict[int, float]:
    depths = sorted(set().union(*runs))
    return {n: fmean(run[n] for run in runs if n in run) for n in depths}


def _mean_curve(curves: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[int, float]]:
    grid = _grid(max(curve[-1][0] for curve in curves))
    found = np.mean([np.interp(grid, *_axes(curve)) for curve in curves], axis=0)
    return list(zip(grid, found.tolist(), strict=True))


def _axes(curve: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [pages for pages, _ in curve], [found for _, found in curve]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8 text.") from error
    except FileNotFoundError as error:
        raise BadInputError(f"There is no file {path}.") from error
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror or error}.") from error


def _fetched(path: Path, number: int, line: str) -> LoggedFetch:
    url, *rest = line.rstrip().split("\t")
    seed = rest[-1:] == ["seed"]
    try:
        status, score = _numbers(rest[:-1] if seed else rest)
        page = address(url)
    except UrlError as error:
        raise BadInputError(
            f"{path}, line {number}: {url[:200]!r} is not a URL to crawl."
        ) from error
    except ValueError as error:
        raise BadInputError(f"{path}, line {number}: {error}; a line has {_COLUMNS}.") from error
    return LoggedFetch(page.url, page.host, document=status in _OK, seed=seed, score=score)


def _numbers(fields: Sequence[str]) -> tuple[int, float | None]:
    """The status and the score. Raises `ValueError` with the beginning of a sentence."""
    if fields[2:]:
        raise ValueError(f"{fields[2][:50]!r} is one column too many")
    status, score = (*fields, "", "")[:2]
    return _status(status.strip()), _score(score.strip())


def _status(field: str) -> int:
    if not re.fullmatch("[0-9]{0,3}", field):
        raise ValueError(f"{field[:50]!r} is not a status")
    return int(field or _OK.start)


def _score(field: str) -> float | None:
    if not field:
        return None
    try:
        score = float(field)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise ValueError(f"{field[:50]!r} is not a score")
    return score


def _line(fetch: LoggedFetch) -> str:
    status = _OK.start if fetch.document else 0
    score = _finite(fetch.score)
    shown = "" if score is None else repr(score)
    return f"{fetch.url}\t{status}\t{shown}\t{'seed' if fetch.seed else ''}".rstrip("\t")


def _finite(score: float | None) -> float | None:
    """A score that pages can be ranked by, or None; a plain float, as numpy's prints with its
    type.
    """
    return float(score) if score is not None and math.isfinite(score) else None
