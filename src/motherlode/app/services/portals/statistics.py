"""The statistics of a portal, and its fetch log for the lab."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from motherlode.learning.precision import PrecisionEstimate
from motherlode.portal import Portal
from motherlode.records import HostState, TopicId, UrlState
from motherlode.store import Session
from motherlode.store.queries import overview
from motherlode.store.queries.overview import TopicPages
from motherlode.store.tables import frontier
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import page_log
from motherlode.topics import TopicTree, show_path
from motherlode.training.portal_view import PortalView
from motherlode.training.topic_profile import precision_estimates
from motherlode.urls import host_of

if TYPE_CHECKING:
    from motherlode.lab.trials.measures import LoggedFetch

MAX_HARVEST_PARTS = 40  # of the crawl, for the harvest rate over time
MIN_PART_PAGES = 20
_DOCUMENT = range(200, 300)  # the statuses of a document


class TopicFigures(Struct, frozen=True):
    """A topic, the number of its pages, their mean margin, and about what share of them is right.

    `precision` is None if too little is known for an estimate.
    """

    topic: str
    pages: int
    margin: float | None
    precision: PrecisionEstimate | None = None


class Statistics(Struct, frozen=True):
    """A portal in figures.

    All but `harvest` describe the present; `harvest` is the rate over time.
    """

    title: str
    pages: int
    size: int
    urls: int
    links: int
    redirects: int
    hosts: dict[str, int]
    types: dict[str, int]
    languages: dict[str, int]
    statuses: dict[str, int]
    states: dict[str, int]
    failures: dict[str, int]
    skipped: dict[str, int]
    unreadable: dict[str, int]
    relevant: int
    harvest: list[float]
    topics: list[TopicFigures]


def statistics_of(directory: Path, overrides: Sequence[str] = ()) -> Statistics:
    """Return the figures of the portal in a directory, also while it is crawled."""
    with Portal.reading(directory, overrides) as portal, portal.store.reading() as session:
        return _statistics(session, portal)


def fetch_log(directory: Path) -> "list[LoggedFetch]":
    """Return the pages of a portal in the order of fetching; its examples count as seeds."""
    from motherlode.lab.trials.measures import LoggedFetch  # noqa: PLC0415 - 90 ms, and only the lab needs it

    with Portal.reading(directory) as portal, portal.store.reading() as session:
        seeds = {example.url for example in topic_rows.examples_of(session)}
        return [
            LoggedFetch(url, host_of(url), status in _DOCUMENT, url in seeds, score)
            for url, status, score in page_log(session, members=False)
        ]


def _statistics(session: Session, portal: Portal) -> Statistics:
    totals, tree = overview.totals(session), TopicTree(topic_rows.all_topics(session))
    hosts = overview.hosts_by_state(session)
    pages_by_topic = overview.pages_by_topic(session)
    statuses = overview.pages_by(session, "status")
    return Statistics(
        title=portal.title,
        pages=totals.pages,
        size=totals.size,
        urls=totals.urls,
        links=totals.links,
        redirects=totals.redirects,
        hosts={state.name.lower(): hosts.get(state, 0) for state in HostState},
        types=overview.pages_by(session, "mime"),
        languages=overview.pages_by(session, "language"),
        statuses={str(status): number for status, number in statuses.items()},
        states=_url_states(session),
        failures=overview.reasons(session, UrlState.FAILED),
        skipped=overview.reasons(session, UrlState.SKIPPED),
        unreadable=overview.unreadable(session),
        relevant=sum(topic.pages for topic in pages_by_topic.values()),
        harvest=overview.harvest(session, _harvest_parts(totals.pages)),
        topics=_topics(PortalView(session, portal.config, tree), pages_by_topic),
    )


def _harvest_parts(pages: int) -> int:
    return max(1, min(MAX_HARVEST_PARTS, pages // MIN_PART_PAGES))


def _url_states(session: Session) -> dict[str, int]:
    """Return the number of URLs in each state, in the words of `lode explain`.

    Open URLs wait, redirect to other URLs, or were never put into the queue (`linked`).
    """
    urls = overview.urls_by_state(session)
    waiting, redirected = frontier.size(session), overview.redirected(session)
    states = {"waiting": waiting} | {
        state.name.lower(): urls.get(state, 0) for state in UrlState if state is not UrlState.OPEN
    }
    states["moved"] += redirected
    return states | {"linked": urls.get(UrlState.OPEN, 0) - waiting - redirected}


def _topics(view: PortalView, pages_by_topic: Mapping[TopicId, TopicPages]) -> list[TopicFigures]:
    figures, estimates = [], precision_estimates(view)
    for topic in view.tree:
        row = pages_by_topic.get(topic.id)
        if row is not None or not topic.is_others:
            figures.append(
                TopicFigures(
                    show_path(view.tree.path(topic.id)),
                    0 if row is None else row.pages,
                    margin=None if row is None else row.margin,
                    precision=estimates.get(topic.id),
                )
            )
    return figures
