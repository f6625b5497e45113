"""The report on the paths of a tunnelling crawl: tables, and a plot of its figures (SPEC T5)."""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from motherlode.policies.tunnel.paths import PathRecord, PathReport, report_on
from motherlode.policies.tunnel.steps import Steps
from motherlode.policies.tunnel.stored_pages import reached_hits
from motherlode.portal import Portal
from motherlode.records import NotYetError, Origin, PageId
from motherlode.store.queries.path_records import PathRow, path_rows
from motherlode.store.session import Session
from motherlode.store.tables import topics as topic_rows
from motherlode.training.training_document import page_at_url


def path_report_in(
    directory: Path, overrides: Sequence[str] = (), plot_to: Path | None = None
) -> PathReport:
    """Return the report on a portal's paths; with `plot_to`, plot its figures.

    Raises `NotYetError` if no page was judged by centroids yet.
    """
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        tunnel = portal.config.tunnel
        records = path_records(session, Steps(portal.config.crawl, tunnel, {}, set()))
    if not records:
        raise NotYetError("There are no paths yet: nothing was crawled for collections.")
    report = report_on(records, tunnel.threshold, tunnel.cutoff)
    if plot_to is not None:
        plot_paths(report, plot_to)
    return report


def path_records(session: Session, steps: Steps) -> list[PathRecord]:
    """Return the path records of a crawl, parents before their children.

    Hits were fetched before the crawl; they have a place on a path if the crawl found them. A page
    whose parent is not stored begins a path of its own.
    """
    reached = reached_hits(session)
    hits = _hit_pages(session)
    rows = {row.page: row for row in path_rows(session) if row.score is not None}
    by_url = {row.url: row.page for row in rows.values()}
    begun = {row.via for row in rows.values()}  # the crawl has followed their links
    children: dict[PageId | None, list[PageId]] = defaultdict(list)
    parent_distances: dict[PageId, float] = {}
    for page, row in rows.items():
        place = reached.get(row.url)
        if page in hits and place is None and page not in begun:
            continue  # the crawl has not found it
        parent = row.via if place is None else by_url.get(place.parent)
        parent_distances[page] = row.parent_distance if place is None else place.parent_distance
        children[parent if parent in rows else None].append(page)
    return _in_order(rows, children, parent_distances, steps)


def _in_order(
    rows: Mapping[PageId, PathRow],
    children: Mapping[PageId | None, Sequence[PageId]],
    parent_distances: Mapping[PageId, float],
    steps: Steps,
) -> list[PathRecord]:
    """Return the records level by level, from the pages without parents on."""
    records: list[PathRecord] = []
    ahead: deque[tuple[PageId, int | None]] = deque((page, None) for page in children[None])
    while ahead:
        page, parent = ahead.popleft()
        row, score = rows[page], float(rows[page].score or 0.0)
        parent_distance = 0.0 if parent is None else parent_distances[page]
        distance = 0.0 if parent is None else steps.distance(score, parent_distance)
        ahead.extend((child, len(records)) for child in children.get(page, ()))
        records.append(PathRecord(row.url, score, parent, parent_distance, distance))
    return records


def _hit_pages(session: Session) -> set[PageId]:
    """Return the pages of all hits."""
    hits = (
        page_at_url(session, example.url)
        for example in topic_rows.examples_of(session)
        if example.origin is Origin.HIT and example.url
    )
    return {page.id for page in hits if page is not None}


def plot_paths(report: PathReport, target: Path) -> None:
    """Plot which duds lead to nuggets, and the mean correlation by distance."""
    from motherlode.lab.trials.plots import Panel, plot_panels  # noqa: PLC0415 - only for a plot

    history = {
        f"parent {words}": [
            (row.grandparent, row.share) for row in report.history if row.parent == kind
        ]
        for kind, words in (("low", "up to 0.25"), ("high", "above 0.25"))
    }
    distances = [(float(row.distance), row.mean) for row in report.distances]
    panels = (
        Panel(
            "Nuggets behind duds",
            "correlation of the grandparent",
            "share of nuggets",
            {name: points for name, points in history.items() if points},
        ),
        Panel(
            "Correlation by distance",
            "distance from the last nugget",
            "mean correlation",
            {"all pages": distances} if distances else {},
        ),
    )
    plot_panels(panels, target, title="Paths between nuggets")
