"""Why a site is ranked where it is, and why a page of it was not read (SPEC W5, W6, X8)."""

from collections.abc import Iterator
from weakref import ReferenceType, ref

from motherlode.learning.sites.edge_weights import site_rank
from motherlode.policies.explanation import PresentRank, RankedUrl, RankPart
from motherlode.policies.registry import WEBSITES
from motherlode.policies.websites.ranks import NamedEdgeRank
from motherlode.policies.websites.site_follows import PAGE_RANK
from motherlode.policies.websites.site_graph import WaitingSite
from motherlode.policies.websites.site_table import SiteLink, SiteTable, site_table
from motherlode.policies.websites.stored_sites import EndReason, SiteState, SiteVerdict
from motherlode.records import SITE_CONTRAST_MODEL
from motherlode.store.tables.pages import KeptPage
from motherlode.training.certainty import certainty_text
from motherlode.training.models import latest_model
from motherlode.training.portal_view import PortalView

MAX_REFERRERS = 8  # that are named one by one


def explain_rank(view: PortalView, url: RankedUrl) -> PresentRank | None:
    """Return the parts of a site's rank: the links to it and its names; None without any.

    A page of an open site comes before all sites, and has no parts but that.
    """
    table = _tables.of(view)
    site = table.sites.site_of(url.url)
    told = RankPart("site", 0.0, site_words(table, site))
    if url.rank >= PAGE_RANK:
        words = f"{site} is being examined: its pages come before all other sites"
        return PresentRank((told, RankPart("open site", PAGE_RANK, words)), PAGE_RANK)
    referrers = [link for link in table.referrers(site) if link.probability is not None]
    if not referrers:
        return None
    parts = [told, *_edge_parts(referrers)]
    mean = sum(part.value for part in parts)
    total = _rank_with_names(view, table, site)
    if total is not None:
        names = "; ".join(table.sites.linked[site].names[:MAX_REFERRERS])
        words = f"what it is called: its host name, and {names!r}" if names else "its host name"
        parts.append(RankPart("names", total - mean, words))
    return PresentRank(tuple(parts), mean if total is None else total)


def explain_limit(view: PortalView, url: str, page: KeptPage) -> str:  # noqa: ARG001
    """Return why a page of a site was not read, by what is known of the site."""
    table = _tables.of(view)
    name = table.sites.rules.site_of(url)
    site = table.sites.site_of(url)
    if site != name:
        return f"{name} leads to {site}, which counts in its place"
    options = view.config.websites
    if site in table.sites.given:
        pages = len(table.sites.pages.get(site, ()))
        return (
            f"{site} is a site that you named; {pages} of its pages were read first, up to "
            f"{options.training_pages} (websites.training_pages)"
        )
    verdict = table.sites.verdicts.get(site)
    if verdict is None:
        return f"{site} waits to be examined{_waiting_words(view, table, site)}"
    reasons = {
        EndReason.PAGE_LIMIT: f"no more than {options.max_pages} of its pages are read "
        "(websites.max_pages)",
        EndReason.DECIDED: "that was enough to decide about it (websites.threshold)",
        EndReason.NO_MORE_PAGES: "no other page of it was known then",
        EndReason.UNREACHABLE: "none of its pages to begin at could be read",
        EndReason.MIRROR: f"it leads to {verdict.mirror_of}",
    }
    words = site_words(table, site)
    if verdict.reason is None:
        return f"{words}; other pages of it were read first"
    return f"{words}; {reasons[verdict.reason]}"


def site_words(table: SiteTable, site: str) -> str:
    """Return what is known of a site, as part of a sentence."""
    return ", ".join(_facts(table, site))


def _waiting_words(view: PortalView, table: SiteTable, site: str) -> str:
    """Return the rank of a waiting site, and whose links promise it."""
    referrers = [link for link in table.referrers(site) if link.probability is not None]
    if not referrers:
        return ""
    mean = site_rank([link.weight for link in referrers])
    rank = _rank_with_names(view, table, site)
    heaviest = ", ".join(f"{link.site} {link.weight:.2f}" for link in referrers[:MAX_REFERRERS])
    more = "" if len(referrers) <= MAX_REFERRERS else f" and {len(referrers) - MAX_REFERRERS} more"
    return f" with rank {mean if rank is None else rank:.3f}; links to it weigh: {heaviest}{more}"


def _facts(table: SiteTable, site: str) -> Iterator[str]:
    yield site
    if site in table.sites.given:
        yield "relevant by your word" if table.sites.given[site] else "not relevant by your word"
    verdict = table.sites.verdicts.get(site)
    if verdict is None:
        return
    yield _state_words(verdict)
    if site not in table.sites.given and verdict.pages:
        yield f"relevant: {certainty_text(verdict.probability)}"
    if verdict.reason is not None and verdict.reason.value != verdict.state.value:
        yield f"ended: {verdict.reason.value}"


def _state_words(verdict: SiteVerdict) -> str:
    if verdict.state is SiteState.MIRROR:
        return f"leads to {verdict.mirror_of}"
    pages = "1 page" if verdict.pages == 1 else f"{verdict.pages} pages"
    return f"{verdict.state.value} after {pages}" if verdict.pages else verdict.state.value


def _edge_parts(referrers: list[SiteLink]) -> Iterator[RankPart]:
    """Yield what each site with links adds to the mean of the edge weights."""
    number = len(referrers)
    for link in referrers[:MAX_REFERRERS]:
        pages = "1 page" if link.pages == 1 else f"{link.pages} pages"
        words = (
            f"{link.site} (relevant: {certainty_text(link.probability)}) links to it on {pages} "
            f"of mean probability {link.mean_probability:.2f}; weight {link.weight:.2f}"
        )
        yield RankPart("edge", link.weight / number, words)
    others = referrers[MAX_REFERRERS:]
    if others:
        value = sum(link.weight for link in others) / number
        more = "other site links" if len(others) == 1 else "other sites link"
        yield RankPart("edges", value, f"{len(others):,} {more} to it")


def _rank_with_names(view: PortalView, table: SiteTable, site: str) -> float | None:
    """Return the rank that policy `websites` gives; None for the published policy."""
    if view.config.crawl.policy != WEBSITES:
        return None
    model = latest_model(view.session, view.tree, SITE_CONTRAST_MODEL)
    if model is None:
        return None
    linked = table.sites.linked[site]
    waiting = WaitingSite(site, linked.depth, linked.found_on)
    waiting.edges = {source: edge.probabilities for source, edge in linked.edges.items()}
    waiting.names = list(linked.names)
    known = {
        source: probability
        for source in linked.edges
        if (probability := table.sites.probability_of(source)) is not None
    }
    return NamedEdgeRank(table.weighting, model.formula)(waiting, known)


class _TableCache:
    """Remembers the sites of the portal that is being explained: they are asked for per link."""

    def __init__(self) -> None:
        self._view: ReferenceType[PortalView] | None = None
        self._table: SiteTable | None = None

    def of(self, view: PortalView) -> SiteTable:
        if self._table is None or self._view is None or self._view() is not view:
            self._table = site_table(view.session, view.config)
            self._view = ref(view)
        return self._table


_tables = _TableCache()
