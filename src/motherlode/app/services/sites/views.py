"""The sites of a portal as a ranked list, and one site with everything that is known of it."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from motherlode.app.errors import NoSuchSiteError
from motherlode.app.requests.sites import POLICIES, SiteListRequest
from motherlode.app.services.sites.named_sites import address_of
from motherlode.app.services.sites.unread_sites import UnreadSite, unread_sites, unread_text
from motherlode.learning.calibration import Certainty, certainty
from motherlode.policies.websites.site_table import (
    ListedSite,
    SiteFilter,
    SiteLink,
    SiteStanding,
    SiteTable,
    site_table,
)
from motherlode.policies.websites.stored_sites import SitePage
from motherlode.portal import Portal
from motherlode.portal.config import Config
from motherlode.records import SITE_CLASSES_MODEL, SITE_CONTRAST_MODEL, Document, UsageError
from motherlode.store.session import Session
from motherlode.store.tables import ledger
from motherlode.store.tables import topics as topic_rows
from motherlode.store.tables.pages import page_numbered, text_of
from motherlode.topics import TopicTree
from motherlode.training.models import JudgingModel, load_model
from motherlode.training.samples import stored_sample
from motherlode.urls import UrlError

MAX_PAGES_SHOWN = 10  # of a site, the likeliest relevant ones
MAX_LINKS_SHOWN = 20
MAX_TERMS_SHOWN = 12
_JUDGED_PAGES = 6  # whose terms are shown


class SiteSummary(Struct, frozen=True):
    """A site in one line of the list.

    `relevant` is your choice, or else the crawl's verdict. `choice` is accept, reject, like, unlike
    or empty. `referrers` counts the relevant sites that link to it, `linked_by` all of them.
    """

    site: str
    home: str
    title: str
    probability: Annotated[
        float | None,
        Meta(description="The probability that the site is relevant; null: nothing is known."),
    ]
    certainty: Annotated[
        Certainty | None, Meta(description="The probability in a word; null if there is none.")
    ]
    relevant: bool
    choice: str
    state: str
    pages: int
    referrers: int
    linked_by: int
    rank: Annotated[
        float | None, Meta(description="The mean weight of the links to it; null without any.")
    ]


class SiteCounts(Struct, frozen=True):
    """The numbers of sites.

    `sites` are all but those that wait: `examined` were decided by a crawl, others are named, open
    or unreachable. `waiting` were linked to and not examined. `shown`: by the filter.
    """

    sites: int
    examined: int
    relevant: int
    undecided: int
    waiting: int
    shown: int


class SiteList(Struct, frozen=True):
    """The best sites of a list, and how many there are.

    `unread` are the named sites that could not be read, whether or not they are in the list, and
    `advice` says what to do about them.
    """

    sites: tuple[SiteSummary, ...]
    counts: SiteCounts
    unread: tuple[UnreadSite, ...] = ()
    advice: str = ""


class LinkedSiteView(Struct, frozen=True):
    """A site that links to another or that another links to.

    `pages` is the number of pages with links, `mean_probability` that of these pages, and `weight`
    what all their links weigh together.
    """

    site: str
    probability: float | None
    certainty: Certainty | None
    relevant: bool
    pages: int
    mean_probability: float
    weight: float


class SitePageView(Struct, frozen=True):
    """A page of a site. `probability`: that it appears in a relevant site."""

    url: str
    title: str
    depth: int
    probability: float


class SiteTerm(Struct, frozen=True):
    """A term of a site's first pages, and what it adds to the judgement; below 0 it speaks
    against the site.
    """

    word: str
    part: float


class SiteView(Struct, frozen=True):
    """A site with its best pages, its telling terms, and the sites around it.

    `reason` says why its examination ended, or why it could not be read; `advice` says what to do
    then. `mirrors` lead to it. `link_count` and `target_count`
    count all sites that link to it, and all that it links to.
    """

    summary: SiteSummary
    reason: str
    best_pages: tuple[SitePageView, ...]
    terms: tuple[SiteTerm, ...]
    names: tuple[str, ...]
    mirrors: tuple[str, ...]
    linked_by: tuple[LinkedSiteView, ...]
    link_count: int
    links_to: tuple[LinkedSiteView, ...]
    target_count: int
    advice: str = ""


@dataclass(frozen=True)
class OpenSites:
    """The sites of an open portal, in one transaction.

    `unread` are the named sites that could not be read: nothing is known of them.
    """

    session: Session
    config: Config
    table: SiteTable
    title: str
    unread: tuple[UnreadSite, ...] = ()

    @property
    def names_sites(self) -> bool:
        """Whether the user has named a site to find others like."""
        return any(self.table.sites.given.values())

    @property
    def has_read_named_sites(self) -> bool:
        """Whether a page of a site was read that the user has named as relevant."""
        sites = self.table.sites
        return any(is_like and sites.pages.get(site) for site, is_like in sites.given.items())

    @property
    def relevant_sites_found(self) -> int:
        """The number of relevant sites that the crawl has found itself."""
        sites = self.table.sites
        return sum(
            verdict.is_relevant
            for site, verdict in sites.verdicts.items()
            if site not in sites.given
        )

    def rows(self, shown: SiteFilter) -> list[ListedSite]:
        """Return the sites that a filter lets through, those that could not be read last."""
        problems = {site.site: site.reason for site in self.unread}
        if shown in (SiteFilter.RELEVANT, SiteFilter.OTHERS):
            read = [row for row in self.table.filtered(shown) if row.site not in problems]
            lost = [] if shown is SiteFilter.RELEVANT else list(problems)
        else:
            rows = self.table.filtered(shown)
            read = [row for row in rows if row.site not in problems]
            lost = [row.site for row in rows if row.site in problems]
        return [*read, *(self.row(site) for site in lost)]

    def row(self, site: str) -> ListedSite:
        """Return the row of a site; one that could not be read is not known to be relevant."""
        row = self.table.row_of[site]
        reason = next((unread.reason for unread in self.unread if unread.site == site), "")
        if not reason:
            return row
        return replace(
            row,
            probability=None,
            is_relevant=False,
            standing=SiteStanding.UNREACHABLE,
            reason=reason,
        )

    def site_at(self, word: str) -> str:
        """Return the site that a user means by its name or by the URL of a page.

        Raises `UsageError` for a word that is no URL, and `NoSuchSiteError` for an unknown site.
        """
        url = word.strip()
        try:
            page = address_of(url, self.config.urls).url
        except UrlError as error:
            raise UsageError(f"{word[:100]!r} is not a site: {error.kind}.") from error
        site = self.table.sites.site_of(page)
        if site not in self.table.row_of:
            raise NoSuchSiteError(
                f"{site} is not among the sites: no crawl has read it or found a link to it."
            )
        return site


@contextmanager
def open_sites(
    path: Path, settings: Sequence[str] = (), *, may_be_empty: bool = False
) -> Iterator[OpenSites]:
    """Open a portal with its sites. Raises `UsageError` as `sites_of` does."""
    with Portal.reading(path, settings) as portal, portal.store.reading() as session:
        yield sites_of(portal, session, may_be_empty=may_be_empty)


def sites_of(portal: Portal, session: Session, *, may_be_empty: bool = False) -> OpenSites:
    """Return the sites of an open portal.

    Raises `UsageError` for a portal that is not one of sites, and if no site was read, unless it
    may be empty.
    """
    table = site_table(session, portal.config)
    if not table.sites.verdicts:
        check_is_site_portal(portal.path, portal.config)
    unread = unread_sites(session, table.sites)
    if table.is_empty and not may_be_empty:
        place = shlex.quote(str(portal.path))
        if not any(table.sites.given.values()):
            raise UsageError(name_sites_text(portal.path))
        advice = unread_text(portal.path, unread) or f"'lode sites {place} --crawl' finds some."
        raise UsageError(f"{place} has no sites yet. {advice}")
    return OpenSites(session, portal.config, table, portal.title, unread)


def name_sites_text(directory: Path) -> str:
    """Return what to do in a portal that has no site to find others like."""
    place = shlex.quote(str(directory))
    return f"No site is named to find others like; 'lode sites {place} --like URL' names one."


def check_is_site_portal(directory: Path, config: Config) -> None:
    """Raise `UsageError` for a portal that another policy crawls."""
    if config.crawl.policy not in POLICIES:
        raise UsageError(
            f"{directory} is crawled by {config.crawl.policy}, not for whole websites; "
            "name another directory, or add --policy websites to a crawl."
        )


def sites_in(path: Path, request: SiteListRequest, settings: Sequence[str] = ()) -> SiteList:
    """Return the sites of a portal that a filter lets through, the likeliest relevant ones first.

    Raises `UsageError` for a portal without sites.
    """
    with open_sites(path, settings) as opened:
        table = opened.table
        rows = opened.rows(SiteFilter(request.show))
        counts = SiteCounts(
            sites=len(table.filtered(SiteFilter.ALL)),
            examined=table.examined_count,
            relevant=len(opened.rows(SiteFilter.RELEVANT)),
            undecided=len(table.filtered(SiteFilter.UNDECIDED)),
            waiting=len(table.filtered(SiteFilter.WAITING)),
            shown=len(rows),
        )
        return SiteList(
            sites=tuple(map(summary_of, rows[: request.limit])),
            counts=counts,
            unread=opened.unread,
            advice=unread_text(path, opened.unread),
        )


def site_in(path: Path, request: SiteListRequest, settings: Sequence[str] = ()) -> SiteView:
    """Return one site of a portal with everything that is known of it.

    Raises `NoSuchSiteError` for a site that the portal does not know.
    """
    with open_sites(path, settings, may_be_empty=True) as opened:
        site = opened.site_at(request.name or "")
        unread = [one for one in opened.unread if one.site == site]
        return _view(opened, site, unread_text(path, unread))


def summary_of(row: ListedSite) -> SiteSummary:
    """Return a site as a list shows it."""
    return SiteSummary(
        site=row.site,
        home=row.home,
        title=row.title,
        probability=row.probability,
        certainty=None if row.probability is None else certainty(row.probability),
        relevant=row.is_relevant,
        choice=row.choice,
        state=row.standing.value,
        pages=row.pages,
        referrers=row.referrers,
        linked_by=row.linked_by,
        rank=row.rank,
    )


def _view(opened: OpenSites, site: str, advice: str) -> SiteView:
    table = opened.table
    row, pages = opened.row(site), table.sites.pages.get(site, [])
    referrers, targets = table.referrers(site), table.targets(site)
    linked = table.sites.linked.get(site)
    best = sorted(pages, key=lambda page: -page.probability)[:MAX_PAGES_SHOWN]
    return SiteView(
        summary=summary_of(row),
        reason=row.reason,
        best_pages=tuple(
            SitePageView(page.url, page.title, page.depth, page.probability) for page in best
        ),
        terms=tuple(_telling_terms(opened.session, pages[:_JUDGED_PAGES])),
        names=() if linked is None else tuple(linked.names),
        mirrors=row.mirrors,
        linked_by=tuple(map(_linked_view, referrers[:MAX_LINKS_SHOWN])),
        link_count=len(referrers),
        links_to=tuple(map(_linked_view, targets[:MAX_LINKS_SHOWN])),
        target_count=len(targets),
        advice=advice,
    )


def _linked_view(link: SiteLink) -> LinkedSiteView:
    return LinkedSiteView(
        site=link.site,
        probability=link.probability,
        certainty=None if link.probability is None else certainty(link.probability),
        relevant=link.is_relevant,
        pages=link.pages,
        mean_probability=link.mean_probability,
        weight=link.weight,
    )


def _telling_terms(session: Session, pages: Sequence[SitePage]) -> list[SiteTerm]:
    """Return the terms that speak most for or against a site, as its first pages spell them."""
    judge = _latest_judge(session)
    if judge is None or not pages:
        return []
    parts: dict[str, float] = {}
    for page in pages:
        stored = page_numbered(session, page.page)
        if stored is not None:
            sample = stored_sample(session, stored, judge.spaces)
            text = text_of(session, stored.id)
            document = Document(title=stored.title, language=stored.language, text=text)
            for term in judge.explain(sample, document).terms:
                parts[term.word] = parts.get(term.word, 0.0) + term.part / len(pages)
    largest = sorted(parts.items(), key=lambda item: (-abs(item[1]), item[0]))
    return [SiteTerm(word, part) for word, part in largest[:MAX_TERMS_SHOWN]]


def _latest_judge(session: Session) -> JudgingModel | None:
    """Return the newest model that judges pages of sites; None if there is none."""
    stored = (
        ledger.latest_model(session, kind) for kind in (SITE_CONTRAST_MODEL, SITE_CLASSES_MODEL)
    )
    newest = max((one for one in stored if one is not None), key=lambda one: one.id, default=None)
    tree = TopicTree(topic_rows.all_topics(session))
    judge: JudgingModel | None = None if newest is None else load_model(newest, tree)
    return judge
