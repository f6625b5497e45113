"""What a crawl holds: the figures of Table 1, and its pages, the surest first."""

from collections.abc import Container, Sequence
from statistics import fmean

from msgspec import Struct

from motherlode.lab.experiments.figures import mean_known
from motherlode.portal import Portal
from motherlode.records import UrlState
from motherlode.store import Session
from motherlode.store.queries import overview
from motherlode.store.tables.judgements import Judged, judged_for, off_topic
from motherlode.store.tables.pages import count_pages, page_log
from motherlode.topics import TopicTree
from motherlode.urls import host_of

_VISITED = (UrlState.FETCHED, UrlState.MOVED, UrlState.FAILED)


class Extent(Struct, frozen=True):
    """How far a crawl has come; means, where there were several. `positive` is None where nothing
    decides.
    """

    visited: float
    stored: float
    links: float
    positive: float | None
    hosts: float
    depth: float


class Stock(Struct, frozen=True):
    """What a crawl holds: its pages, the surest first, and how many of them it put on the topic.

    `taken` is None where nothing decides that.
    """

    extent: Extent
    urls: list[str]
    taken: int | None

    def without(self, seeds: Container[str]) -> tuple[list[str], int | None]:
        """The pages that it found by itself, and how many of those it took."""
        found = [url for url in self.urls if url not in seeds]
        if self.taken is None:
            return found, None
        return found, sum(url not in seeds for url in self.urls[: self.taken])


def extent(session: Session, positive: int | None) -> Extent:
    """The figures of Table 1, as a portal has them now."""
    states = overview.urls_by_state(session)
    return Extent(
        visited=sum(states.get(state, 0) for state in _VISITED),
        stored=count_pages(session),
        links=overview.totals(session).links,
        positive=positive,
        hosts=len({host_of(url) for url, _, _ in page_log(session, members=False)}),
        depth=max(overview.pages_by(session, "depth"), default=0),
    )


def mean_extent(extents: Sequence[Extent]) -> Extent:
    return Extent(
        visited=fmean(one.visited for one in extents),
        stored=fmean(one.stored for one in extents),
        links=fmean(one.links for one in extents),
        positive=mean_known(one.positive for one in extents),
        hosts=fmean(one.hosts for one in extents),
        depth=fmean(one.depth for one in extents),
    )


def take_stock(portal: Portal, *, learns: bool) -> Stock:
    """What a portal holds. A policy that does not learn has scores, and puts nothing on a topic."""
    tree = portal.tree()
    with portal.store.reading() as session:
        if not learns:
            urls = [page.url for page in off_topic(session, count_pages(session))]
            return Stock(extent(session, None), urls, None)
        on, off = judged(session, tree)
        return Stock(extent(session, len(on)), [one.url for one in (*on, *off)], len(on))


def judged(session: Session, tree: TopicTree) -> tuple[list[Judged], list[Judged]]:
    """The pages on any topic, the surest first, and those that were rejected, the nearest first."""
    most = count_pages(session)
    on = judged_for(session, [topic.id for topic in tree if not topic.is_others], most)
    off = off_topic(session, most)
    return on, off
